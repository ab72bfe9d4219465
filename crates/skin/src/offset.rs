//! Free offsets: displacements of vertices added to the deformation, `VF` in `V = VF + D(VS)`.

use bone_core::BoneId;
use bone_core::clip::Curve;
use kurbo::Vec2;

use crate::bline::VertexPoint;
use crate::skin::Shares;
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

/// The axes of an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OffsetSpace {
    /// Those of the canvas.
    #[default]
    Canvas,
    /// Those of the canvas at rest, transformed by a bone's skin matrix: the offset rotates and scales with
    /// it.
    Bone(BoneId),
}

/// The keyed offsets of one clip or driver.
#[derive(Clone, Debug, Default)]
pub struct Offsets {
    tracks: Vec<OffsetTrack>,
}

/// Offsets at a position on the axis of their keys, with a share.
#[derive(Clone, Copy, Debug)]
pub struct PlayedOffsets<'o> {
    /// The keyed offsets.
    pub offsets: &'o Offsets,
    /// A time for the offsets of a clip, a driving value for those of a driver.
    pub at: f64,
    /// Their share: 1 for all of them.
    pub weight: f64,
}

#[derive(Clone, Debug)]
struct OffsetTrack {
    /// Indices of points, with the share of the offset that each takes.
    shares: Shares,
    space: OffsetSpace,
    curve: Curve<Vec2>,
}

impl Offsets {
    /// No offsets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is moved.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// All of them, at a position on the axis of their keys.
    pub fn at(&self, at: f64) -> PlayedOffsets<'_> {
        PlayedOffsets { offsets: self, at, weight: 1.0 }
    }

    /// Keys the offset of a vertex point; the tangents of an anchor move with it. Several offsets of one
    /// point are added. For a looping clip, call [`ClipTime::fit`](bone_core::clip::ClipTime::fit) on the
    /// curve first.
    ///
    /// Returns whether the path has such a point: if not, nothing was added.
    pub fn add(
        &mut self,
        skin: &Skin,
        target: (PathId, usize, VertexPoint),
        space: OffsetSpace,
        curve: Curve<Vec2>,
    ) -> bool {
        let (path, vertex, part) = target;
        let Some(shares) = skin.shares(path, vertex, part) else { return false };
        self.tracks.push(OffsetTrack { shares, space, curve });
        true
    }
}

impl PlayedOffsets<'_> {
    /// Adds the offsets to the posed points, before handles are fitted: smooth outlines stay smooth.
    pub(crate) fn add_to(&self, matrices: &SkinMatrices, posed: &mut PosedDrawing) {
        for track in &self.offsets.tracks {
            let along = track.curve.at(self.at) * self.weight;
            let offset = match track.space {
                OffsetSpace::Canvas => along,
                OffsetSpace::Bone(bone) => {
                    let [a, b, c, d, ..] = matrices.of(bone).as_coeffs();
                    Vec2::new(a * along.x + c * along.y, b * along.x + d * along.y)
                }
            };
            for &(place, share) in &track.shares.points {
                posed.points[place as usize] += offset * share;
            }
            for &(place, share) in &track.shares.samples {
                posed.samples[place as usize] += offset * share;
            }
            for &(place, share) in &track.shares.directions {
                posed.directions[place as usize] += offset * share;
            }
        }
    }
}
