//! Paint that bends with its outline: patches of a mesh over the shape, each painted with its own affine map.
//! A frame allocates nothing.

use std::ops::Range;

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use bone_core::BoneId;
use kurbo::{Affine, BezPath, PathEl, Point, Vec2};

use crate::deform::apply;
use crate::keyed::{InnerScratch, InnerShares, PlayedWeights};
use crate::nearest_affine::NearestAffine;
use crate::skin::{PathId, Skin};
use crate::table::WeightTable;
use crate::{PosedDrawing, SkinMatrices};

/// A shape at rest, cut into patches so small that an affine map moves the paint of each as the bones move the
/// shape. Neighbours have the vertices of their common border in common.
#[derive(Clone, Debug, Default)]
pub struct PaintPatches {
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

impl Patch {
    /// The fit of an affine map to the motion of some vertices, and the coefficient of each.
    pub(crate) fn fit_to(points: &[Point], vertices: &[u32]) -> (NearestAffine, Vec<Vec2>) {
        let share = 1.0 / vertices.len() as f64;
        NearestAffine::new(vertices.iter().map(|vertex| (points[*vertex as usize], share)))
    }
}

/// Whole numbers as differences to the one before, which are small where the numbers rise slowly.
struct Steps;

impl Steps {
    fn write(numbers: impl ExactSizeIterator<Item = u32>, to: &mut Writer) {
        to.number(numbers.len() as u64);
        let mut last = 0_i64;
        for number in numbers {
            let step = i64::from(number) - last;
            // The sign is the lowest bit.
            to.number(((step << 1) ^ (step >> 63)) as u64);
            last = i64::from(number);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Vec<u32>, ArchiveError> {
        let (count, mut last) = (from.count()?, 0_i64);
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            let step = from.number()?;
            last = last.wrapping_add((step >> 1) as i64 ^ -((step & 1) as i64));
            numbers.push(u32::try_from(last).map_err(|_| from.invalid("number"))?);
        }
        Ok(numbers)
    }
}

/// The fits are made again of the vertices at rest, to the bit.
impl Archive for PaintPatches {
    fn write(&self, to: &mut Writer) {
        let Self { table, points, rows, patches, border, lines, places, tolerance, keyed } = self;
        (table, points).write(to);
        Steps::write(rows.iter().copied(), to);
        Steps::write(border.iter().copied(), to);
        Steps::write(lines.iter().copied(), to);
        // Lines and places are in the order of the patches.
        to.list(&patches.iter().map(|patch| (patch.lines.len(), patch.places.len())).collect::<Vec<_>>());
        Steps::write(places.iter().map(|(vertex, _)| *vertex), to);
        (tolerance, keyed).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (table, points): (_, Vec<Point>) = Archive::read(from)?;
        let [rows, border, lines] = [Steps::read(from)?, Steps::read(from)?, Steps::read(from)?];
        let sizes: Vec<(usize, usize)> = from.list()?;
        let vertices = Steps::read(from)?;
        let (tolerance, keyed) = Archive::read(from)?;
        from.check(vertices.iter().all(|vertex| (*vertex as usize) < points.len()), "patches of paint")?;
        let (mut patches, mut places) = (Vec::with_capacity(sizes.len()), Vec::with_capacity(vertices.len()));
        let (mut first_line, mut rest) = (0_usize, &vertices[..]);
        for (lines, count) in sizes {
            let own = rest.split_at_checked(count).filter(|(own, _)| !own.is_empty());
            let end = first_line.checked_add(lines);
            let (Some((own, behind)), Some(end)) = (own, end) else {
                return Err(from.invalid("patches of paint"));
            };
            let (fit, coefficients) = Patch::fit_to(&points, own);
            from.check(coefficients.iter().all(|it| it.is_finite()), "patches of paint")?;
            let first_place = places.len();
            places.extend(own.iter().copied().zip(coefficients));
            patches.push(Patch { lines: first_line..end, places: first_place..places.len(), fit });
            (first_line, rest) = (end, behind);
        }
        let read = Self { table, points, rows, patches, border, lines, places, tolerance, keyed };
        from.check(read.is_sound(), "patches of paint")?;
        Ok(read)
    }
}

impl PaintPatches {
    /// Whether all indices are in range.
    fn is_sound(&self) -> bool {
        let rows = self.table.counts().0;
        let vertex_fits = |vertex: u32| (vertex as usize) < self.points.len();
        let patch_fits = |patch: &Patch| {
            let Patch { lines, places, .. } = patch;
            lines.start <= lines.end
                && lines.end <= self.lines.len()
                && places.start < places.end
                && places.end <= self.places.len()
        };
        self.rows.len() == self.points.len()
            && self.keyed.iter().all(|shares| shares.is_sound(self.points.len()))
            && self.rows.iter().all(|row| (*row as usize) < rows)
            && self.border.iter().all(|vertex| vertex_fits(*vertex))
            && self.places.iter().all(|(vertex, _)| vertex_fits(*vertex))
            // Each line has a corner.
            && self.lines.first().is_none_or(|end| *end > 0)
            && self.lines.is_sorted_by(|line, next| line < next)
            && self.lines.last().is_none_or(|end| *end as usize <= self.border.len())
            && self.patches.iter().all(patch_fits)
    }
}
