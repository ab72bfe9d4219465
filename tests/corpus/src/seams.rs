//! Slivers of background between pieces that touch at rest.

use bone_layer::Pixmap;
use bone_layer::kurbo::{Affine, BezPath, PathSeg, Point, Shape as _, Vec2};

use crate::drawings::{SIDE, bindings};
use crate::fills::{Fill, along, paints, place, topmost};
use crate::scene::Bound;

/// How wide a sliver may be, in pixels of a picture of `SIDE`: what is wider is an opening.
const SLIVER: f64 = 4.0;
/// Pieces with a wider gap at rest do not touch, in the same pixels. It is as wide as what the engine takes for one
/// piece.
const TOUCHING: f64 = 2e-3 * SIDE;
/// Less alpha is background.
const SEEN: u8 = 96;

/// Borders of solid fills that touch others at rest, where both are seen and one binding bends both. What has a gap
/// at rest, be it under a line, and what shows the background beside it, does not touch.
pub(crate) struct Seams {
    to_grid: Affine,
    places: Vec<Place>,
    /// The number of segments of each fill.
    segments: Vec<usize>,
    /// The name of each fill that bends.
    names: Vec<String>,
}

/// A place on the border of a fill.
struct Place {
    fill: usize,
    segment: usize,
    t: f64,
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

impl Seams {
    pub(crate) fn new(bound: &Bound, rest: &[Fill], picture: &Pixmap) -> Self {
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
                        places.push(Place { fill, segment, t, side, other, length });
                    }
                }
            });
        }
        Self {
            to_grid,
            places,
            segments: rest.iter().map(|fill| fill.outline.segments().count()).collect(),
            names: names.into_iter().map(|name| name.unwrap_or_default().0).collect(),
        }
    }

    /// Where slivers of background are seen.
    pub(crate) fn open(&self, now: &[Fill], picture: &Pixmap) -> Open {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let grid = topmost(now, self.to_grid, width, height);
        let alpha = |p: Point| pixel(p, width, height).map_or(255, |at| picture.data()[4 * at + 3]);
        let mut open = Vec::new();
        let (mut current, mut segments) = (usize::MAX, Vec::new());
        for (number, Place { fill, segment, t, side, other, length }) in self.places.iter().enumerate() {
            if current != *fill {
                current = *fill;
                segments = (self.to_grid * &now[*fill].outline).segments().collect();
            }
            // A piece that has no length is no segment.
            if segments.len() != self.segments[*fill] {
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
            if steps.any(|p| alpha(p) >= SEEN && at(p) == Some(*other as u32)) {
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

/// Places beyond a border where a sliver would begin.
fn beyond(at: Point, out: Vec2) -> impl Iterator<Item = Point> {
    (2..5).map(move |half| at + out * (f64::from(half) / 2.0))
}

fn pixel(at: Point, width: usize, height: usize) -> Option<usize> {
    let inside = at.x >= 0.0 && at.y >= 0.0 && at.x < width as f64 && at.y < height as f64;
    inside.then(|| at.y as usize * width + at.x as usize)
}
