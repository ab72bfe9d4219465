//! Paint that bends with its outline: patches of a mesh over the shape, each painted with its own affine map.
//! A frame allocates nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use bone_core::BoneId;
use kurbo::{Affine, BezPath, PathEl, Point, Vec2};

use crate::blend::{Influence, SkinBlend};
use crate::deform::apply;
use crate::keyed::{InnerScratch, InnerShares, PlayedWeights};
use crate::nearest_affine::NearestAffine;
use crate::skin::{PathId, Skin};
use crate::table::{BlendRule, WeightTable};
use crate::{PosedDrawing, SkinMatrices};

/// A shape at rest, cut into patches so small that an affine map moves the paint of each as the bones move the
/// shape. Neighbours have the vertices of their common border in common.
#[derive(Clone, Debug, Default)]
pub struct PaintPatches {
    pub(crate) blend: SkinBlend,
    pub(crate) table: WeightTable,
    /// Vertices at rest, on the canvas, and the entry of each in the table.
    pub(crate) points: Vec<Point>,
    pub(crate) rows: Vec<u32>,
    pub(crate) patches: Vec<Patch>,
    /// The vertices of all borders, one closed line after the other, and the end of each line.
    pub(crate) border: Vec<u32>,
    pub(crate) lines: Vec<u32>,
    /// The vertices of each patch, with their coefficients in its fit.
    pub(crate) places: Vec<(u32, Vec2)>,
    /// The distance, in canvas units, that does not matter for the paint.
    pub(crate) tolerance: f64,
    /// Where the weights come from while clips key them.
    pub(crate) keyed: Option<InnerShares>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    pub(crate) lines: Range<usize>,
    pub(crate) places: Range<usize>,
    pub(crate) fit: NearestAffine,
}

/// The patches of all shapes in a pose, in memory that is kept between frames.
#[derive(Clone, Debug, Default)]
pub struct PosedPatches {
    blended: Vec<[f64; 6]>,
    points: Vec<Point>,
    outlines: Vec<BezPath>,
    maps: Vec<Affine>,
    inner: InnerScratch,
}

impl PaintPatches {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.patches.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty()
    }

    /// Whether they are patches of a path of this skin, as far as that can be seen.
    pub fn fit(&self, skin: &Skin, path: PathId) -> bool {
        let fits = |shares: &InnerShares| skin.keyed_path(path).is_some_and(|(_, path)| shares.fit(path));
        self.keyed.iter().all(fits)
    }

    /// The bones that move them.
    pub fn bones(&self) -> impl Iterator<Item = BoneId> {
        (0..self.table.counts().0 as u32).flat_map(|row| self.table.row(row)).map(|(bone, _)| *bone)
    }

    /// Poses the patches of a path of a skin, behind those that were posed since [`PosedPatches::clear`].
    /// `played` is what clips key of the weights, and `drawing` lends its scratch memory. Returns whether one
    /// map for all of the paint would be visibly different.
    pub fn pose<'w>(
        &self,
        (skin, path): (&Skin, PathId),
        (matrices, played): (&SkinMatrices, impl Iterator<Item = PlayedWeights<'w>>),
        (whole, drawing): (Affine, &mut PosedDrawing),
        posed: &mut PosedPatches,
    ) -> bool {
        let PosedPatches { blended, points, outlines, maps, inner } = posed;
        let motions = matrices.motions();
        let keyed = self.keyed.as_ref().and_then(|shares| Some((shares, skin.keyed_path(path)?)));
        let keyed = keyed.filter(|(shares, (_, path))| shares.fit(path));
        let moved = keyed.is_some_and(|(shares, keyed)| {
            let scratch = (&mut drawing.scratch, inner);
            shares.move_points(keyed, (motions, played), (&self.points, points), scratch)
        });
        if !moved {
            self.table.blend_into(motions, blended);
            points.clear();
            let move_point = |(at, row): (&Point, &u32)| apply(&blended[*row as usize], *at);
            points.extend(self.points.iter().zip(&self.rows).map(move_point));
        }
        let mut differs = false;
        for patch in &self.patches {
            if outlines.len() == maps.len() {
                let corners = self.corners(patch);
                outlines.push(BezPath::with_capacity(corners + patch.lines.len()));
            }
            let places = &self.places[patch.places.clone()];
            let share = 1.0 / places.len() as f64;
            let now =
                places.iter().map(|(vertex, coefficient)| (points[*vertex as usize], share, *coefficient));
            let map = patch.fit.affine(now);
            let is_off = |(vertex, _): &(u32, Vec2)| {
                let rest = self.points[*vertex as usize];
                (map * rest - whole * rest).hypot() > self.tolerance
            };
            differs |= places.iter().any(is_off);
            let outline = &mut outlines[maps.len()];
            outline.truncate(0);
            maps.push(map);
            // In a fold patches are turned over against their bones, and others lie above them.
            let row = places.first().map_or(0, |(vertex, _)| self.rows[*vertex as usize]);
            let strongest = self.table.row(row).iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let by_bones = strongest.map_or(whole, |(bone, _)| matrices.of_known(*bone));
            if map.determinant() * by_bones.determinant() <= 0.0 {
                continue;
            }
            for line in patch.lines.clone() {
                let corners = &self.border[self.line(line)];
                for (at, vertex) in corners.iter().enumerate() {
                    let to = points[*vertex as usize];
                    outline.push(if at == 0 { PathEl::MoveTo(to) } else { PathEl::LineTo(to) });
                }
                outline.push(PathEl::ClosePath);
            }
        }
        differs
    }

    /// The places of a line in the border.
    fn line(&self, line: usize) -> Range<usize> {
        let start = if line == 0 { 0 } else { self.lines[line - 1] };
        start as usize..self.lines[line] as usize
    }

    fn corners(&self, patch: &Patch) -> usize {
        patch.lines.clone().map(|line| self.line(line).len()).sum()
    }
}

impl PosedPatches {
    /// Memory for the patches of some shapes, each with its path of a skin.
    pub fn new<'p>(skin: &Skin, shapes: impl Iterator<Item = (&'p PaintPatches, PathId)>) -> Self {
        let mut posed = Self::default();
        let (mut rows, mut points) = (0, 0);
        for (shape, path) in shapes {
            if let (Some(shares), Some((_, keyed))) = (&shape.keyed, skin.keyed_path(path)) {
                posed.inner.reserve(shares.sources.len(), keyed.bone_count());
            }
            (rows, points) = (rows.max(shape.table.counts().0), points.max(shape.points.len()));
            let outlines = shape.patches.iter().map(|patch| shape.corners(patch) + patch.lines.len());
            posed.outlines.extend(outlines.map(BezPath::with_capacity));
        }
        (posed.blended, posed.points) = (Vec::with_capacity(rows), Vec::with_capacity(points));
        posed.maps = Vec::with_capacity(posed.outlines.len());
        posed
    }

    /// None are posed.
    pub fn clear(&mut self) {
        self.maps.clear();
    }

    /// The outlines on the canvas.
    pub fn outlines(&self) -> &[BezPath] {
        &self.outlines[..self.maps.len()]
    }

    /// The map of the paint of each, canvas to canvas.
    pub fn maps(&self) -> &[Affine] {
        &self.maps
    }
}

/// The unit of weights of paint: where it moves a limb by 300 pixels, paint is off by a third of one, and has no edges
/// that would show it.
pub(crate) const PAINT_SHARE: f64 = 1.0 / 1024.0;

/// The unit of the vertices of patches: a power of two below a thirtieth of the tolerance.
pub(crate) fn paint_unit(tolerance: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(tolerance.to_bits() & EXPONENT) / 32.0
}

impl PaintPatches {
    /// Adds the weights of the next vertex, with their centre for a mode with centres.
    pub(crate) fn add_row(&mut self, row: &[Influence], centre: Point) {
        let added = self.table.add(row, BlendRule { mode: self.blend, centre });
        self.rows.push(added);
    }

    /// Fits each patch to the vertices of its border.
    pub(crate) fn fit_patches(&mut self) {
        self.places.clear();
        for at in 0..self.patches.len() {
            let corners = self.patches[at].lines.clone().flat_map(|line| self.border[self.line(line)].iter());
            let mut vertices: Vec<u32> = corners.copied().collect();
            vertices.sort_unstable();
            vertices.dedup();
            let first = self.places.len();
            let (fit, coefficients) = fit_to(&self.points, &vertices);
            self.places.extend(vertices.into_iter().zip(coefficients));
            self.patches[at].places = first..self.places.len();
            self.patches[at].fit = fit;
        }
    }
}

/// The fit of an affine map to the motion of some vertices, and the coefficient of each.
pub(crate) fn fit_to(points: &[Point], vertices: &[u32]) -> (NearestAffine, Vec<Vec2>) {
    let share = 1.0 / vertices.len() as f64;
    NearestAffine::new(vertices.iter().map(|vertex| (points[*vertex as usize], share)))
}

/// Vertices and weights are whole units in columns, as steps from one vertex to the next. The fits are made again of
/// the vertices at rest, to the bit.
impl Archive for PaintPatches {
    fn write(&self, to: &mut Writer) {
        let Self { blend, points, rows, patches, border, lines, tolerance, keyed, .. } = self;
        let unit = paint_unit(*tolerance);
        (blend, tolerance, keyed).write(to);
        to.number(points.len() as u64);
        to.steps(points.iter().map(|at| (at.x / unit) as i64));
        to.steps(points.iter().map(|at| (at.y / unit) as i64));
        let bones: BTreeSet<BoneId> = self.bones().collect();
        let bones: Vec<BoneId> = bones.into_iter().collect();
        bones.write(to);
        let row = |row: &u32| self.table.row(*row);
        // The last bone has the rest.
        for bone in bones.iter().rev().skip(1).rev() {
            let weight = |of: &u32| row(of).iter().find(|it| it.0 == *bone).map_or(0.0, |it| it.1);
            to.steps(rows.iter().map(|of| (weight(of) / PAINT_SHARE) as i64));
        }
        if blend.has_centres() {
            rows.iter().for_each(|of| self.table.rule(*of).centre.write(to));
        }
        for list in [border, lines] {
            to.number(list.len() as u64);
            to.steps(list.iter().map(|number| i64::from(*number)));
        }
        // Lines are in the order of the patches.
        to.list(&patches.iter().map(|patch| patch.lines.len()).collect::<Vec<_>>());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (blend, tolerance, keyed): (SkinBlend, f64, _) = Archive::read(from)?;
        let mut read = Self { blend, tolerance, keyed, ..Self::default() };
        let unit = paint_unit(tolerance);
        let count = from.steps_count()?;
        let (x, y) = (from.steps(count)?, from.steps(count)?);
        read.points =
            x.into_iter().zip(y).map(|(x, y)| Point::new(x as f64 * unit, y as f64 * unit)).collect();
        from.check(read.points.iter().all(|at| at.is_finite()), "patches of paint")?;
        let bones: Vec<BoneId> = from.list()?;
        from.grow(bones.len().saturating_mul(count).saturating_mul(16))?;
        let mut rest = vec![1.0; count];
        let mut rows: Vec<Vec<Influence>> = vec![Vec::new(); count];
        for (at, bone) in bones.iter().enumerate() {
            let weights: Vec<f64> = match at + 1 == bones.len() {
                true => rest.clone(),
                false => from.steps(count)?.into_iter().map(|units| units as f64 * PAINT_SHARE).collect(),
            };
            for ((weight, rest), row) in weights.into_iter().zip(&mut rest).zip(&mut rows) {
                *rest -= weight;
                row.extend((weight != 0.0).then_some((*bone, weight)));
            }
        }
        for row in &rows {
            read.add_row(row, if blend.has_centres() { Point::read(from)? } else { Point::ZERO });
        }
        let mut list = || {
            let count = from.steps_count()?;
            let numbers: Option<Vec<u32>> =
                from.steps(count)?.into_iter().map(|number| u32::try_from(number).ok()).collect();
            numbers.ok_or_else(|| from.invalid("number"))
        };
        (read.border, read.lines) = (list()?, list()?);
        let mut first = 0_usize;
        for count in from.list::<usize>()? {
            let lines = first..first.saturating_add(count);
            first = lines.end;
            read.patches.push(Patch { lines, ..Patch::default() });
        }
        from.check(read.has_borders(), "patches of paint")?;
        read.fit_patches();
        from.check(read.places.iter().all(|(_, by)| by.is_finite()), "patches of paint")?;
        Ok(read)
    }
}

impl PaintPatches {
    /// Whether all indices are in range, and each patch has a line and each line a corner.
    fn has_borders(&self) -> bool {
        self.keyed.iter().all(|shares| shares.is_sound(self.points.len()))
            && self.border.iter().all(|vertex| (*vertex as usize) < self.points.len())
            && self.lines.first().is_none_or(|end| *end > 0)
            && self.lines.is_sorted_by(|line, next| line < next)
            && self.lines.last().is_none_or(|end| *end as usize <= self.border.len())
            && self.patches.iter().all(|patch| !patch.lines.is_empty() && patch.lines.end <= self.lines.len())
    }
}
