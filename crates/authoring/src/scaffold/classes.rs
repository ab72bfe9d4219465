//! Colour and line stay together: a piece that is drawn as a line around pieces of colour is bound with them,
//! and what lies on a piece and has no bone of its own, in its ink or, if it is small, in its box, is bound as that piece is.

use kurbo::{Point, Rect, Shape as _};

use super::art::{ArtPiece, Shape, bounds};
use super::bind::PieceBinding;
use super::cells::{Cells, Grid, along, closed};

/// A line is at most this wide on each side, as a share of the diagonal of the page.
const THIN: f64 = 0.015;
/// The border of a colour is drawn by a line within this share of the diagonal.
const NEAR: f64 = 0.01;
/// A line is drawn around a colour if it lies along this share of its border.
const AROUND: f64 = 0.5;
/// Line art has less than this share of parts that are wider than lines, and of fills.
const MOSTLY: f64 = 0.5;
/// A line is at most this share as wide as its colour.
const NARROWER: f64 = 0.5;
/// What spans this share of the page both ways is a frame or a background.
const SPANNING: f64 = 0.9;
/// What is covered to this share lies on a piece.
const COVERED: f64 = 0.8;
/// A piece whose box has at most this share of the page's diagonal can be a feature with a bone beside its ink.
const FEATURE: f64 = 0.2;
/// The border of a fill is less deep than this within the piece, in cells; deeper are borders of its parts.
const SHALLOW: f64 = 2.0;

/// Pieces with their bindings, each class as one piece, and what is bound with what.
pub(super) struct InClasses {
    pub(super) pieces: Vec<(ArtPiece, PieceBinding)>,
    /// The names of a line and of the pieces that it is bound with.
    pub(super) lines: Vec<(String, Vec<String>)>,
    /// The names of a piece and of the one that it lies on and is bound with.
    pub(super) covered: Vec<(String, String)>,
}

/// How pieces are bound alone.
pub(super) struct Alone<'a> {
    pub(super) how: &'a dyn Fn(&ArtPiece) -> PieceBinding,
    /// Whether a bone passes through.
    pub(super) has_bone: &'a dyn Fn(&[Shape]) -> bool,
}

/// Binds the pieces: each class as a whole, but rigidly if its members alone would follow the same bone.
/// `whole` states that the pieces are all art.
pub(super) fn bound(pieces: Vec<ArtPiece>, page: Rect, whole: bool, alone: &Alone<'_>) -> InClasses {
    let inks = inks(&pieces, page);
    let classes = classes(&pieces, &inks, page, alone.has_bone);
    let backgrounds = pieces.iter().filter(|piece| piece.background).count();
    let all = whole && classes.len() == backgrounds + 1;
    let first_name = |at: usize| pieces[at].names.first().cloned().unwrap_or_default();
    let mut found =
        InClasses { pieces: Vec::with_capacity(classes.len()), lines: Vec::new(), covered: Vec::new() };
    for Class { members, lines } in &classes {
        for line in lines {
            let others = members.iter().filter(|at| !lines.contains(at)).map(|at| first_name(*at)).collect();
            found.lines.push((first_name(*line), others));
        }
        let own: Vec<&ArtPiece> = members.iter().map(|at| &pieces[*at]).collect();
        found.pieces.push(bound_as_one(&own, all, alone.how));
    }
    let mut class_of = vec![0; pieces.len()];
    for (number, class) in classes.iter().enumerate() {
        class.members.iter().for_each(|at| class_of[*at] = number);
    }
    let mut joined = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let &[at] = class.members.as_slice() else { continue };
        let is_loose = matches!(found.pieces[number].1, PieceBinding::Rigid(_)) && pieces[at].bends;
        let Some(under) = is_loose.then(|| under(at, &inks)).flatten() else { continue };
        let on = class_of[under];
        if on == number || has_own_bone(&pieces[at], page, alone) {
            continue;
        }
        match found.pieces[on].1.clone() {
            PieceBinding::Not(_) => {}
            rigid @ PieceBinding::Rigid(_) => found.pieces[number].1 = rigid,
            PieceBinding::Smooth(_) => {
                found.covered.push((first_name(at), first_name(under)));
                let names = std::mem::take(&mut found.pieces[number].0.names);
                let parts = std::mem::take(&mut found.pieces[number].0.rigid_parts);
                found.pieces[on].0.names.extend(names);
                found.pieces[on].0.rigid_parts.extend(parts);
                class_of[at] = on;
                joined.push(number);
            }
        }
    }
    let mut number = 0..;
    found.pieces.retain(|_| number.next().is_some_and(|number| joined.binary_search(&number).is_err()));
    found
}

/// Whether a bone passes through a piece, or lies in the box of a small one: the bone of a mouth starts at its middle,
/// and its line is beside the thin shape.
fn has_own_bone(piece: &ArtPiece, page: Rect, alone: &Alone<'_>) -> bool {
    let small = FEATURE * page.size().to_vec2().hypot();
    let bounds = piece.bounds.filter(|bounds| bounds.size().to_vec2().hypot() <= small);
    let in_box = |bounds: Rect| (alone.has_bone)(&[Shape::new(bounds.to_path(0.1), Some(false), 0.0)]);
    (alone.has_bone)(&piece.shapes) || bounds.is_some_and(in_box)
}

/// The answer for the members of a class as one piece.
fn bound_as_one(
    own: &[&ArtPiece],
    all: bool,
    how: &dyn Fn(&ArtPiece) -> PieceBinding,
) -> (ArtPiece, PieceBinding) {
    if let [one] = own {
        return ((*one).clone(), how(one));
    }
    let piece = ArtPiece { all, ..joined(own) };
    let mut answers = own.iter().map(|piece| how(piece));
    let first = answers.next().filter(|answer| matches!(answer, PieceBinding::Rigid(_)));
    let same = first.filter(|first| answers.all(|answer| answer == *first));
    let answer = same.unwrap_or_else(|| how(&piece));
    (piece, answer)
}

/// The topmost piece of those painted before that covers most of a piece.
fn under(at: usize, inks: &[Option<ClassInk>]) -> Option<usize> {
    let ink = inks[at].as_ref()?;
    let covers = |below: &ClassInk| ink.cells.lie_on(&below.cells, COVERED);
    (0..at).rev().find(|below| inks[*below].as_ref().is_some_and(covers))
}

/// Pieces that are bound as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    /// In painting order.
    pub(super) members: Vec<usize>,
    /// Those that are lines around others.
    pub(super) lines: Vec<usize>,
}

/// The ink of each piece; none if it is in no class.
fn inks(pieces: &[ArtPiece], page: Rect) -> Vec<Option<ClassInk>> {
    let diagonal = page.size().to_vec2().hypot();
    let calculable = 1e-100 < diagonal && diagonal < 1e100;
    pieces.iter().map(|piece| calculable.then(|| ClassInk::of(piece, page, diagonal)).flatten()).collect()
}

/// Pieces that are bound as one, in painting order of their first; most are alone.
fn classes(
    pieces: &[ArtPiece],
    inks: &[Option<ClassInk>],
    page: Rect,
    has_bone: &dyn Fn(&[Shape]) -> bool,
) -> Vec<Class> {
    let diagonal = page.size().to_vec2().hypot();
    let grid = Grid::around(page, diagonal);
    let near = NEAR * diagonal;
    let mut of: Vec<usize> = (0..pieces.len()).collect();
    let mut borders: Vec<Option<BorderPoints>> = vec![None; pieces.len()];
    let mut is_around = vec![false; pieces.len()];
    for (line, ink) in inks.iter().enumerate() {
        let Some(ink) = ink.as_ref().filter(|ink| ink.thin) else { continue };
        let mut drawn: Option<Cells> = None;
        for (colour, other) in inks.iter().enumerate().filter(|(colour, _)| *colour != line) {
            let Some(other) = other.as_ref().filter(|other| !other.stroked) else { continue };
            let meets = ink.bounds.inflate(near, near).overlaps(other.bounds);
            if !meets || ink.half_width >= other.half_width {
                continue;
            }
            let border =
                borders[colour].get_or_insert_with(|| BorderPoints::of(&pieces[colour].shapes, &grid));
            // A narrow colour is near to a line along its middle, too.
            let is_drawn = match ink.half_width > NARROWER * other.half_width {
                true => border.is_in(&ink.cells),
                false => border.is_in(drawn.get_or_insert_with(|| {
                    grid.cells(&pieces[line].shapes, near / grid.cell).grown(near / grid.cell)
                })),
            };
            if !is_drawn {
                continue;
            }
            // A thin limb has the shape of a stroke that was made an outline, but a bone.
            if !ink.stroked && has_bone(&pieces[line].shapes) {
                break;
            }
            is_around[line] = true;
            let (a, b) = (of[line], of[colour]);
            of.iter_mut().filter(|class| **class == a.max(b)).for_each(|class| *class = a.min(b));
        }
    }
    let mut classes = vec![Class::default(); pieces.len()];
    for (at, class) in of.into_iter().enumerate() {
        classes[class].members.push(at);
        classes[class].lines.extend(is_around[at].then_some(at));
    }
    classes.retain(|class| !class.members.is_empty());
    classes
}

/// One piece with the names and shapes of several.
fn joined(members: &[&ArtPiece]) -> ArtPiece {
    let boxes = members.iter().filter_map(|piece| piece.bounds);
    ArtPiece {
        names: members.iter().flat_map(|piece| piece.names.iter().cloned()).collect(),
        bounds: boxes.reduce(|all, one| all.union(one)),
        shapes: members.iter().flat_map(|piece| piece.shapes.iter().cloned()).collect(),
        bends: members.iter().any(|piece| piece.bends),
        rigid_parts: members.iter().flat_map(|piece| piece.rigid_parts.iter().cloned()).collect(),
        background: false,
        all: false,
    }
}

/// What a piece paints.
struct ClassInk {
    bounds: Rect,
    cells: Cells,
    /// In cells.
    half_width: f64,
    /// Whether it is as thin as lines are.
    thin: bool,
    /// Whether it is mostly strokes without fill.
    stroked: bool,
}

impl ClassInk {
    /// None if the piece can be in no class: without outlines, far from the page, or with a shape that spans it.
    fn of(piece: &ArtPiece, page: Rect, diagonal: f64) -> Option<Self> {
        let bounds = bounds(piece.shapes.iter().map(|shape| &shape.path))?;
        let near = page.inflate(diagonal, diagonal);
        let spans = |shape: &Shape| {
            let bounds = shape.path.bounding_box();
            bounds.width() > SPANNING * page.width() && bounds.height() > SPANNING * page.height()
        };
        if piece.background || near.union(bounds) != near || piece.shapes.iter().any(spans) {
            return None;
        }
        let (mut filled, mut stroked) = (0.0, 0.0);
        for shape in &piece.shapes {
            if shape.filled {
                filled += closed(&shape.path).area().abs();
            } else {
                let length: f64 =
                    shape.path.segments().flat_map(|s| along(s, diagonal)).map(|(_, l)| l).sum();
                stroked += 2.0 * shape.reach * length;
            }
        }
        let grid = Grid::around(page, diagonal);
        let cells = grid.cells(&piece.shapes, 0.0);
        let half_width = cells.half_width();
        let thin = THIN * diagonal / grid.cell;
        Some(Self {
            bounds,
            thin: half_width <= thin && cells.opened(thin) < MOSTLY,
            half_width,
            cells,
            stroked: stroked > 0.0 && stroked >= MOSTLY * (filled + stroked),
        })
    }
}

/// Points on the border of a piece's fills, in cells, with the lengths that they stand for. Where one of its
/// fills lies in another or meets it there is no border.
#[derive(Clone, Debug)]
struct BorderPoints(Vec<(Point, f64)>);

impl BorderPoints {
    fn of(shapes: &[Shape], grid: &Grid) -> Self {
        let filled: Vec<Shape> =
            shapes.iter().filter(|shape| shape.filled).map(Shape::without_stroke).collect();
        let deep = grid.cells(&filled, 0.0).deeper(SHALLOW);
        let paths = filled.iter().map(|shape| closed(&shape.path));
        let segments = paths.flat_map(|path| path.segments().collect::<Vec<_>>());
        let points = segments.flat_map(|segment| along(segment, 2.0 * grid.cell));
        let points = points.map(|(at, weight)| (grid.to_cells() * at, weight));
        Self(points.filter(|(at, _)| !deep.holds(*at)).collect())
    }

    /// Whether enough of it lies in cells.
    fn is_in(&self, cells: &Cells) -> bool {
        let all: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        let drawn: f64 = self.0.iter().filter(|(at, _)| cells.holds(*at)).map(|(_, weight)| weight).sum();
        all > 0.0 && drawn >= AROUND * all
    }
}

#[cfg(test)]
mod tests;
