//! Free offsets: displacements of vertices added to the deformation, `VF` in `V = VF + D(VS)`.

use bone_archive::archive;
use bone_core::BoneId;
use bone_core::clip::Curve;
use kurbo::{Affine, Vec2};

use crate::bline::VertexPoint;
use crate::skin::{Places, Shares};
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

archive! {
    /// The axes of an offset.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    #[non_exhaustive]
    pub enum OffsetSpace {
        /// Those of the canvas.
        #[default]
        Canvas = 0,
        /// Those of the canvas at rest, transformed by a bone's skin matrix: the offset rotates and scales with
        /// it.
        Bone(BoneId) = 1,
        /// Those of the canvas at rest, transformed as the vertex point itself is, by the blend of its weights.
        Vertex = 2,
    }
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
    target: (PathId, usize, VertexPoint),
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
        let has_it = skin.has(path, vertex, part);
        self.tracks.extend(has_it.then_some(OffsetTrack { target, space, curve }));
        has_it
    }
}

impl PlayedOffsets<'_> {
    /// Adds the offsets to the posed points, before handles are fitted: smooth outlines stay smooth.
    pub(crate) fn add_to(&self, skin: &Skin, matrices: &SkinMatrices, posed: &mut PosedDrawing) {
        for track in &self.offsets.tracks {
            let by = track.curve.at(self.at) * self.weight;
            FixedOffset { target: track.target, space: track.space, by }.add_to(skin, matrices, posed);
        }
    }
}

impl PosedDrawing {
    /// The axes of an offset of a vertex point on the canvas; none if the path has no such point.
    fn axes(
        &self,
        (skin, matrices): (&Skin, &SkinMatrices),
        (path, vertex, part): (PathId, usize, VertexPoint),
        space: OffsetSpace,
    ) -> Option<[f64; 6]> {
        let (_, row) = skin.vertex_point(path, vertex, part)?;
        Some(match space {
            OffsetSpace::Canvas => Affine::IDENTITY.as_coeffs(),
            OffsetSpace::Bone(bone) => matrices.of_known(bone).as_coeffs(),
            OffsetSpace::Vertex => *self.blended.get(row as usize)?,
        })
    }

    /// Moves the points of an offset, before handles are fitted: smooth outlines stay smooth.
    /// The shares are numbered from `first`.
    fn shift(&mut self, shares: &Shares, first: &Places, offset: Vec2) {
        // Offsets of another skin name points that this one may not have.
        for &(place, share) in &shares.points {
            let point = self.points.get_mut(first.points + place as usize);
            point.into_iter().for_each(|point| *point += offset * share);
        }
        for &(place, share) in &shares.samples {
            let sample = self.samples.get_mut(first.samples + place as usize);
            sample.into_iter().for_each(|sample| *sample += offset * share);
        }
        for &(place, share) in &shares.directions {
            let direction = self.directions.get_mut(first.directions + place as usize);
            direction.into_iter().for_each(|direction| *direction += offset * share);
        }
    }
}

/// An offset of a vertex point that does not depend on time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedOffset {
    /// The path, the vertex and its point; the tangents of an anchor move with it.
    pub target: (PathId, usize, VertexPoint),
    /// The axes.
    pub space: OffsetSpace,
    /// In these axes.
    pub by: Vec2,
}

impl FixedOffset {
    /// Adds the offset; nothing if the path has no such point.
    pub(crate) fn add_to(&self, skin: &Skin, matrices: &SkinMatrices, posed: &mut PosedDrawing) {
        let Some(axes) = posed.axes((skin, matrices), self.target, self.space) else { return };
        let Some((first, shares)) = skin.shares(self.target) else { return };
        posed.shift(shares, first, linear(&axes, self.by));
    }
}

impl Skin {
    /// The change of an offset in these axes that moves a vertex point by `by` on the canvas, in a posed
    /// drawing. `None` if the path has no such point, or no change of the offset moves it so: its axes are
    /// scaled to nothing.
    pub fn offset_by(
        &self,
        (matrices, posed): (&SkinMatrices, &PosedDrawing),
        target: (PathId, usize, VertexPoint),
        space: OffsetSpace,
        by: Vec2,
    ) -> Option<Vec2> {
        let [a, b, c, d, ..] = posed.axes((self, matrices), target, space)?;
        let determinant = a * d - b * c;
        let change = Vec2::new(d * by.x - c * by.y, a * by.y - b * by.x) / determinant;
        (determinant != 0.0 && change.is_finite()).then_some(change)
    }
}

fn linear(m: &[f64; 6], v: Vec2) -> Vec2 {
    Vec2::new(m[0] * v.x + m[2] * v.y, m[1] * v.x + m[3] * v.y)
}

archive!(struct Offsets { tracks });
archive!(struct OffsetTrack { target, space, curve });

impl Offsets {
    /// Whether the skin has all points.
    pub fn fit(&self, skin: &Skin) -> bool {
        let has = |(path, vertex, part): (PathId, usize, VertexPoint)| skin.has(path, vertex, part);
        self.tracks.iter().all(|track| has(track.target))
    }
}
