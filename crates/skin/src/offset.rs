//! Free offsets: what an animator adds to a vertex on top of the bones, `VF` in `V = VF + D(VS)`.

use bone_core::BoneId;
use bone_core::clip::Curve;
use kurbo::Vec2;

use crate::bline::VertexPoint;
use crate::skin::Shares;
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

/// The axes that an offset is measured along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OffsetSpace {
    /// The canvas's.
    #[default]
    Canvas,
    /// Those of the canvas at rest, carried along by a bone's skin: the offset turns and scales with it.
    Bone(BoneId),
}

/// The keyed offsets of one clip or driver.
#[derive(Clone, Debug, Default)]
pub struct Offsets {
    tracks: Vec<OffsetTrack>,
}

/// Offsets as they are played: at a place on their keys' own axis, with a share of themselves.
#[derive(Clone, Copy, Debug)]
pub struct PlayedOffsets<'o> {
    /// What is played.
    pub offsets: &'o Offsets,
    /// A time for the offsets of a clip, a driving value for those of a driver.
    pub at: f64,
    /// Their share: 1 for all of them.
    pub weight: f64,
}

#[derive(Clone, Debug)]
struct OffsetTrack {
    /// Places in the skin's columns, with the share of the offset that each takes.
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

    /// All of them, at a place on their keys' own axis.
    pub fn at(&self, at: f64) -> PlayedOffsets<'_> {
        PlayedOffsets { offsets: self, at, weight: 1.0 }
    }

    /// Moves a part of a vertex along a curve; an anchor takes its tangents along. Several offsets of one point add.
    /// A curve of a clip that loops has been through [`ClipTime::fit`](bone_core::clip::ClipTime::fit).
    ///
    /// Says whether the path has such a part: if not, nothing was added.
    pub fn add(
        &mut self,
        skin: &Skin,
        target: (PathId, usize, VertexPoint),
        space: OffsetSpace,
        curve: Curve<Vec2>,
    ) -> bool {
        let (path, vertex, part) = target;
        let Some(bound) = skin.vertex(path, vertex).filter(|bound| bound.parts[part as usize].is_some())
        else {
            return false;
        };
        self.tracks.push(OffsetTrack { shares: bound.shares[part as usize].clone(), space, curve });
        true
    }
}

impl PlayedOffsets<'_> {
    /// Adds the offsets to what is posed, before handles are fitted: smooth outlines stay smooth.
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
