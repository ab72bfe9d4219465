//! Keyed weights inside of a shape: those of vertices of a mesh are fixed shares of those of places on the
//! outline, which a frame computes.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use kurbo::Point;

use super::path::{KeyedPath, Scratch, WeightSource};
use super::tracks::PlayedWeights;
use crate::blend::{Influence, Motion, blend};
use crate::deform::apply;

/// The unit of shares of an outline's places, of which a vertex has some hundred.
pub(crate) const INNER_SHARE: f64 = 1.0 / 16_384.0;

/// Shares of the weights of an outline.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerShares {
    /// Where the weights of each place come from.
    pub(crate) sources: Vec<WeightSource>,
    /// The end of each vertex in `shares`.
    pub(crate) ends: Vec<u32>,
    /// Places with their shares, which sum to 1.
    pub(crate) shares: Vec<(u32, f64)>,
}

/// Weights of a frame, in memory that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerScratch {
    /// The weights of all places, bones in columns.
    places: Vec<f64>,
    row: Vec<Influence>,
}

impl InnerScratch {
    /// Reserves memory for so many places and bones.
    pub(crate) fn reserve(&mut self, places: usize, bones: usize) {
        self.places.reserve(places * bones);
        self.row.reserve(bones);
    }
}

impl InnerShares {
    /// The same for some of its vertices.
    #[cfg(feature = "weights")]
    pub(crate) fn of(&self, vertices: &[u32]) -> Self {
        let mut own = Self { sources: self.sources.clone(), ..Self::default() };
        for vertex in vertices.iter().map(|vertex| *vertex as usize) {
            let from = if vertex == 0 { 0 } else { self.ends[vertex - 1] };
            own.shares.extend_from_slice(&self.shares[from as usize..self.ends[vertex] as usize]);
            own.ends.push(own.shares.len() as u32);
        }
        own
    }

    /// Computes the weights of all places from settled control weights.
    pub(crate) fn weigh(&self, path: &KeyedPath, scratch: &mut Scratch, inner: &mut InnerScratch) {
        let count = path.bone_count();
        inner.places.clear();
        inner.places.resize(self.sources.len() * count, 0.0);
        for (source, weights) in self.sources.iter().zip(inner.places.chunks_exact_mut(count.max(1))) {
            path.fill_row(*source, scratch);
            for (bone, weight) in &scratch.row {
                if let Some(column) = path.column(*bone) {
                    weights[column] = *weight;
                }
            }
        }
    }

    /// The weights of each vertex, by the weights of the places that were computed last.
    pub(crate) fn each(
        &self,
        path: &KeyedPath,
        inner: &mut InnerScratch,
        mut use_row: impl FnMut(&[Influence]),
    ) {
        /// Less is left out.
        const LEAST: f64 = 1e-6;
        let count = path.bone_count();
        let InnerScratch { places, row } = inner;
        let mut from = 0;
        for end in &self.ends {
            row.clear();
            row.extend(path.all_bones().iter().map(|bone| (*bone, 0.0)));
            for (place, share) in &self.shares[from..*end as usize] {
                let weights = &places[*place as usize * count..][..count];
                row.iter_mut().zip(weights).for_each(|(sum, weight)| sum.1 += share * weight);
            }
            from = *end as usize;
            row.retain(|(_, weight)| *weight > LEAST);
            let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
            row.iter_mut().for_each(|(_, weight)| *weight /= sum);
            use_row(row);
        }
    }

    /// Moves vertices by the weights that clips give. False if no clip keys this path.
    pub(crate) fn move_points<'w>(
        &self,
        (at, path): (usize, &KeyedPath),
        (motions, played): (&[Motion], impl Iterator<Item = PlayedWeights<'w>>),
        (rest, points): (&[Point], &mut Vec<Point>),
        (scratch, inner): (&mut Scratch, &mut InnerScratch),
    ) -> bool {
        path.reset(scratch);
        let mut is_played = false;
        for played in played {
            is_played |= played.add_to(at, path, scratch);
        }
        if !is_played {
            return false;
        }
        path.settle(scratch);
        self.weigh(path, scratch, inner);
        points.clear();
        self.each(path, inner, |row| {
            // Modes with centres of rotation are an error when a path is bound.
            let blended = blend(path.mode(), row, Point::ZERO, motions);
            points.push(apply(&blended, rest[points.len()]));
        });
        true
    }

    /// Whether all indices are in range, for so many vertices.
    pub(crate) fn is_sound(&self, vertices: usize) -> bool {
        self.ends.len() == vertices
            && self.ends.is_sorted()
            && self.ends.last().is_none_or(|end| *end as usize <= self.shares.len())
            && self.shares.iter().all(|(place, _)| (*place as usize) < self.sources.len())
    }

    /// Whether a path has all sources.
    pub(crate) fn fit(&self, path: &KeyedPath) -> bool {
        self.sources.iter().all(|source| {
            let (WeightSource::VertexPoint(vertex, _) | WeightSource::CurveSample(vertex, _)) = source;
            *vertex < path.vertex_count()
        })
    }
}

/// Shares are whole units.
impl Archive for InnerShares {
    fn write(&self, to: &mut Writer) {
        let Self { sources, ends, shares } = self;
        sources.write(to);
        to.number(ends.len() as u64);
        to.steps(ends.iter().map(|end| i64::from(*end)));
        to.steps(shares.iter().map(|(place, _)| i64::from(*place)));
        shares.iter().for_each(|(_, share)| to.number((share / INNER_SHARE) as u64));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let sources = from.list()?;
        let count = from.steps_count()?;
        let index = |number: i64| u32::try_from(number).ok();
        let ends: Option<Vec<u32>> = from.steps(count)?.into_iter().map(index).collect();
        let ends = ends.ok_or_else(|| from.invalid("share"))?;
        let all = ends.last().map_or(0, |end| *end as usize);
        from.grow(all.saturating_mul(16))?;
        let places: Option<Vec<u32>> = from.steps(all)?.into_iter().map(index).collect();
        let places = places.ok_or_else(|| from.invalid("share"))?;
        let share = |place| Ok((place, from.number()? as f64 * INNER_SHARE));
        let shares = places.into_iter().map(share).collect::<Result<_, ArchiveError>>()?;
        Ok(Self { sources, ends, shares })
    }
}
