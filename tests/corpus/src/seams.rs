//! Slivers of background between pieces that touch at rest.
//!
//! What counts is that the neighbour should be there. A bend turns material inside out where it folds, and such
//! material is not painted, by the law of folds: beside it the background is seen rightly, and its neighbours are on
//! the other side of the border than at rest. So at each place the weights, without any outline, tell where the
//! neighbour's material went: from the border to the background all of it has to lie the right way round.

use std::cell::OnceCell;
use std::sync::Arc;

use bone_layer::drawing::{NodeId, PosedArt};
use bone_layer::format::{PathWeightSource, PathWeights, weights_of};
use bone_layer::kurbo::{Affine, BezPath, PathSeg, Point, Shape as _, Vec2};
use bone_layer::skin::{SkinBlend, SolvedField};
use bone_layer::{FrameState, Pixmap};

use crate::drawings::{SIDE, bindings};
use crate::fills::{Fill, along, paints, place, topmost};
use crate::scene::Bound;

/// How wide a sliver may be, in pixels of a picture of `SIDE`: what is wider is an opening.
const SLIVER: f64 = 4.0;
/// Pieces with a wider gap at rest do not touch, in the same pixels. It is as wide as what the engine takes for one
/// piece.
const TOUCHING: f64 = 2e-3 * SIDE;
/// Pixels between places at which material beside a border is looked at.
const STEP: f64 = 0.25;
/// Less alpha is background.
const SEEN: u8 = 96;

/// Borders of solid fills that touch others at rest, where both are seen and one binding bends both. What has a gap
/// at rest, be it under a line, and what shows the background beside it, does not touch.
pub(crate) struct Seams<'a> {
    bound: &'a Bound,
    /// The weights of each path that bends, solved where they are needed.
    fields: OnceCell<Vec<PathField>>,
    to_grid: Affine,
    places: Vec<Place>,
    /// The number of segments of each fill, and its node.
    segments: Vec<(usize, NodeId)>,
    /// The name of each fill that bends.
    names: Vec<String>,
}

/// What moves a path.
struct PathField {
    node: NodeId,
    weights: Arc<SolvedField>,
    blend: SkinBlend,
}

/// A place on the border of a fill.
struct Place {
    fill: usize,
    segment: usize,
    t: f64,
    /// Where it is at rest, and the direction to the other one, in pixels.
    at_rest: (Point, Vec2),
    /// The side on which the other one is.
    side: f64,
    other: usize,
    /// The length of border, in pixels.
    length: f64,
}

/// Places where the background is seen: the pixel, both fills, and the length of border.
pub(crate) struct Open(Vec<(Point, [usize; 2], f64)>);

impl Open {
    /// In percent of the longer side.
    pub(crate) fn length(&self) -> f64 {
        100.0 * self.0.iter().fold(0.0, |sum, (.., length)| sum + length) / SIDE
    }

    /// Marks the places in a picture.
    pub(crate) fn mark(&self, picture: &mut Pixmap) {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        for (point, ..) in &self.0 {
            let at =
                pixel(*point, width, height).and_then(|at| picture.data_mut().get_mut(4 * at..4 * at + 4));
            at.into_iter().for_each(|pixel| pixel.copy_from_slice(&[255, 0, 255, 255]));
        }
    }
}

impl<'a> Seams<'a> {
    pub(crate) fn new(bound: &'a Bound, rest: &[Fill], picture: &Pixmap) -> Self {
        let rig = &bound.rig;
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let size = rig.art().size();
        let scale = SIDE / size.width.max(size.height);
        let to_grid = Affine::scale(scale) * rig.art().canvas_to_output();
        let grid = topmost(rest, to_grid, width, height);
        let at = |p: Point| pixel(p, width, height).map(|at| grid[at]);
        let alpha = |p: Point| pixel(p, width, height).map_or(255, |at| picture.data()[4 * at + 3]);
        let outlines: Vec<BezPath> = rest.iter().map(|fill| to_grid * &fill.outline).collect();
        // Art of another binding has bones of its own, and leaves its neighbour, as it should.
        let drawing = rig.posable().drawing();
        let numbers = bindings(bound);
        let posed = rig.posed_elements();
        let names: Vec<_> = rest
            .iter()
            .map(|fill| {
                let id = posed.iter().find(|id| drawing.node_of(**id) == Some(fill.node))?;
                Some((rig.art().shown_name(*id), numbers[id.index()]))
            })
            .collect();
        let binding: Vec<Option<usize>> = names.iter().map(|name| name.as_ref()?.1).collect();
        let mut places = Vec::new();
        for number in (0..rest.len()).filter(|number| binding[*number].is_some()) {
            let outline = &outlines[number];
            let segments: Vec<PathSeg> = outline.segments().collect();
            along(outline, 2.0, |segment, t, length| {
                let Some((point, along)) = place(&segments[segment], t) else { return };
                for side in [1.0, -1.0] {
                    let out = along.turn_90() * side;
                    let (inner, outer) = (at(point - out), at(point + out));
                    let is_other = |other: &u32| {
                        *other != number as u32 && binding.get(*other as usize) == Some(&binding[number])
                    };
                    let touches = |other: &u32| {
                        let (rule, outline) = (rest[*other as usize].rule, &outlines[*other as usize]);
                        paints(rule, outline.winding(point + out * TOUCHING))
                            && beyond(point, out).all(|p| alpha(p) >= SEEN)
                    };
                    let other = outer.filter(|_| inner == Some(number as u32));
                    if let Some(other) = other.filter(is_other).filter(touches) {
                        let (fill, other) = (number, other as usize);
                        places.push(Place { fill, segment, t, at_rest: (point, out), side, other, length });
                    }
                }
            });
        }
        Self {
            bound,
            fields: OnceCell::new(),
            to_grid,
            places,
            segments: rest.iter().map(|fill| (fill.outline.segments().count(), fill.node)).collect(),
            names: names.into_iter().map(|name| name.unwrap_or_default().0).collect(),
        }
    }

    /// Where slivers of background are seen.
    pub(crate) fn open(&self, now: &[Fill], state: &FrameState, picture: &Pixmap) -> Open {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let grid = topmost(now, self.to_grid, width, height);
        let alpha = |p: Point| pixel(p, width, height).map_or(255, |at| picture.data()[4 * at + 3]);
        let mut open = Vec::new();
        let (mut current, mut segments) = (usize::MAX, Vec::new());
        for (number, place_at_rest) in self.places.iter().enumerate() {
            let Place { fill, segment, t, at_rest, side, other, length } = place_at_rest;
            if current != *fill {
                current = *fill;
                segments = (self.to_grid * &now[*fill].outline).segments().collect();
            }
            // A piece that has no length is no segment.
            if segments.len() != self.segments[*fill].0 {
                continue;
            }
            let Some((point, along)) = segments.get(*segment).and_then(|segment| place(segment, *t)) else {
                continue;
            };
            let out = along.turn_90() * *side;
            let at = |p: Point| pixel(p, width, height).map(|at| grid[at]);
            if at(point - out) != Some(*fill as u32) {
                continue;
            }
            let Some(ground) = beyond(point, out).position(|p| alpha(p) < SEEN) else { continue };
            let mut steps =
                (2 + ground..=2 * SLIVER as usize + 2).map(|half| point + out * (half as f64 / 2.0));
            // Half pixels.
            let apart = 1.0 + ground as f64 / 2.0;
            if steps.any(|p| alpha(p) >= SEEN && at(p) == Some(*other as u32))
                && self.is_right_way_round(*fill, *at_rest, (out, apart), state)
            {
                open.push((number, (point + out, [*fill, *other], *length)));
            }
        }
        // One place alone is where a contact ends: it moves by less than a pixel.
        let numbers: Vec<usize> = open.iter().map(|(number, _)| *number).collect();
        let beside = |number: usize| numbers.binary_search(&number).is_ok();
        open.retain(|(number, _)| {
            [number.wrapping_sub(1), number + 1]
                .into_iter()
                .any(|other| beside(other) && self.is_next(*number, other))
        });
        Open(open.into_iter().map(|(_, place)| place).collect())
    }

    /// Whether what is beside a place of a fill at rest lies the right way round up to a distance from the border,
    /// in a direction.
    fn is_right_way_round(
        &self,
        fill: usize,
        (from, towards): (Point, Vec2),
        (out, apart): (Vec2, f64),
        state: &FrameState,
    ) -> bool {
        let node = self.segments[fill].1;
        // Without a field one bone moves it all.
        let Some(field) = self.fields().iter().find(|field| field.node == node) else { return true };
        let mut weights = vec![0.0; field.weights.bones().len()];
        let to_canvas = self.to_grid.inverse();
        let moved = |at: Point| {
            let at = to_canvas * at;
            field.weights.weights_at(at, &mut weights);
            let row = field.weights.bones().iter().copied().zip(weights.iter().copied());
            let row: Vec<_> = row.filter(|(_, weight)| *weight > 0.0).collect();
            self.to_grid * state.matrices().blended(field.blend, &row, at)
        };
        reaches(moved, (from, towards), (out, apart))
    }

    fn fields(&self) -> &[PathField] {
        self.fields.get_or_init(|| {
            let Bound { rig, loaded, .. } = self.bound;
            let drawing = rig.posable().drawing();
            let Some(doc) = &loaded.doc else { return Vec::new() };
            let paths = doc.skin.iter().flat_map(|one| weights_of(one, (doc, rig.art()), rig.skeleton()));
            let field = |path: PathWeights| match (path.art, path.before) {
                (PosedArt::Path(id), PathWeightSource::Found(weights)) => {
                    Some(PathField { node: drawing.node_of(id)?, weights, blend: path.blend })
                }
                _ => None,
            };
            paths.filter_map(field).collect()
        })
    }

    /// Whether two places are beside each other on one border: both fills are the same.
    fn is_next(&self, a: usize, b: usize) -> bool {
        let [a, b] = [&self.places[a], &self.places[b]];
        (a.fill, a.other) == (b.fill, b.other)
    }

    /// The two fills with most sliver between them.
    pub(crate) fn shown(&self, open: &Open) -> String {
        let mut sums: Vec<([usize; 2], f64)> = Vec::new();
        for (_, pair, length) in &open.0 {
            match sums.iter_mut().find(|(known, _)| known == pair) {
                Some((_, sum)) => *sum += length,
                None => sums.push((*pair, *length)),
            }
        }
        let Some(([a, b], _)) = sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return String::new();
        };
        format!("{} and {}", self.names[a], self.names[b])
    }
}

/// Whether the material beside a border, moved, comes so far from it in a direction before it is turned inside out.
/// At most twice as far as a sliver is wide is looked at.
fn reaches(
    mut moved: impl FnMut(Point) -> Point,
    (from, towards): (Point, Vec2),
    (out, apart): (Vec2, f64),
) -> bool {
    let start = moved(from);
    for step in 1..=(4.0 * SLIVER / STEP) as usize {
        let at = from + towards * (step as f64 * STEP);
        let middle = at - towards * (0.5 * STEP);
        // As small as this against the triangles of the weights, the map is nearly affine.
        let (here, on, across) = (moved(middle), 0.1 * towards, 0.1 * towards.turn_90());
        let [on, across] = [on, across].map(|by| moved(middle + by) - here);
        if on.cross(across) <= 0.0 {
            return false;
        }
        if (moved(at) - start).dot(out) >= apart {
            return true;
        }
    }
    false
}

/// Places beyond a border where a sliver would begin.
fn beyond(at: Point, out: Vec2) -> impl Iterator<Item = Point> {
    (2..5).map(move |half| at + out * (f64::from(half) / 2.0))
}

fn pixel(at: Point, width: usize, height: usize) -> Option<usize> {
    let inside = at.x >= 0.0 && at.y >= 0.0 && at.x < width as f64 && at.y < height as f64;
    inside.then(|| at.y as usize * width + at.x as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Vec2 = Vec2::new(1.0, 0.0);

    fn comes(map: impl FnMut(Point) -> Point, out: Vec2) -> bool {
        reaches(map, (Point::new(10.0, 5.0), RIGHT), (out, 1.5))
    }

    #[test]
    fn material_beside_a_border_is_missed_unless_it_is_inside_out() {
        assert!(comes(|p| p, RIGHT));
        assert!(comes(|p| Point::new(-p.y, p.x), RIGHT.turn_90()));
        // Torn off: what is beside the border went away, and the background is between.
        assert!(comes(|p| if p.x > 10.0 { p + 9.0 * RIGHT } else { p }, RIGHT));
        // Inside out as a whole, and from a pixel beside the border on.
        assert!(!comes(|p| Point::new(20.0 - p.x, p.y), RIGHT));
        assert!(!comes(|p| Point::new(11.0 - (p.x - 11.0).abs(), p.y), RIGHT));
        // A fold behind what is missed.
        assert!(comes(|p| Point::new(12.0 - (p.x - 12.0).abs(), p.y), RIGHT));
        // It lies on the other side.
        assert!(!comes(|p| p, -RIGHT));
    }
}
