//! Lattices and their forms, as they were written.

use bone_core::in_few_digits;
use kurbo::{Point, Vec2};

use super::art::ArtNames;
use super::vertex::VertexAddress;
use crate::schema::types::{ARTS, CELLS, OF_ART, SLIDER, WARP, XY};
use crate::schema::{Key as MapKey, Title, Type, entry, record};
use crate::span::{Span, Spanned};
use bone_skin::FormGrid;

entry! {
    /// A lattice that bends art before its bones do.
    pub struct WarpDoc = "Warp", Title::Named("warp"), "(art: \"face\", cells: (3, 3))";
    fields {
        /// What it bends.
        req art: ArtNames = (ARTS, "[\"face\", \"hair\"]") also ["name", "element"];
        /// Two corners of its box at rest, in units of the canvas.
        opt corners as "box": Spanned<Vec<Spanned<Point>>> = (CORNERS, "the box of the art", "[(120, 60), (320, 260)]") also ["area", "bounds", "rect"];
        /// How many cells it has along both axes.
        opt cells: Spanned<(f64, f64)> = (CELLS, "3", "(3, 3)") also ["grid", "size"];
        /// The lattice that moves this one.
        opt inside: Spanned<String> = (WARP, "none", "\"head\"") also ["parent"];
    }
}

const CORNERS: Type = Type::List { of: &XY, each: "a corner" };
const SLIDERS: Type = Type::List { of: &SLIDER, each: "a slider" };
const MOVED_NODES: Type = Type::Map { key: MapKey::Grid, of: &XY, each: "the move of a node" };
const MOVED_WARPS: Type = Type::Map {
    key: MapKey::Name { shown: "warp name", of: "warp" },
    of: &MOVED_NODES,
    each: "the nodes of this warp",
};
const MOVED_VERTICES: Type = Type::Map { key: MapKey::Vertex, of: &XY, each: "the move of a vertex" };
const MOVED_ART: Type = Type::Map { key: OF_ART, of: &MOVED_VERTICES, each: "the vertices of this art" };
const PLACED_FORMS: Type =
    Type::Map { key: MapKey::Grid, of: &Type::Record(FormDoc::TABLE), each: "this form" };

record! {
    /// Forms at places of a grid of sliders.
    pub struct FormsDoc = "Forms", Title::This("these forms"), "(by: [\"yaw\"], at: {30: (warps: {\"head\": {(1, 1): (9, 0)}})})" {
        /// Its brackets.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// Up to four sliders: the axes of the grid.
        req by: Spanned<Vec<Spanned<String>>> = (SLIDERS, "[\"yaw\"]") also ["sliders", "controls", "parameters"];
        /// The forms, each at a value of each slider.
        req at: Vec<(Spanned<GridPlace>, FormDoc)> = (PLACED_FORMS, "{30: (warps: {\"head\": {(1, 1): (9, 0)}})}") also ["forms", "keys"];
    }
}

record! {
    /// What is moved where the sliders have the values of a form.
    pub struct FormDoc = "Form", Title::This("this form"), "(warps: {\"head\": {(1, 1): (9, 0)}})" {}
    fields {
        /// How far nodes of lattices move, by column and row. Those in the box are numbered from 0, and those of the
        /// ring around it are at -1 and one beyond the last; what is not given stays, and in the ring continues the
        /// two nodes before it.
        def warps: Vec<(Spanned<String>, Vec<(Spanned<GridPlace>, Vec2)>)> = (MOVED_WARPS, "none", "{\"head\": {(1, 1): (9, 0), (2, 1): (12, 0)}}") also ["lattices", "nodes"];
        /// How far vertices move after the bones, in axes that turn with them.
        def offsets: Vec<(Spanned<String>, Vec<(Spanned<VertexAddress>, Vec2)>)> = (MOVED_ART, "none", "{\"nose\": {0: (8, 0)}}") also ["vertices"];
    }
}

/// The key of a map over a grid: `(1, 1)`, or one number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridPlace(pub Vec<f64>);

impl Eq for GridPlace {}

impl Ord for GridPlace {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let numbers = self.0.iter().zip(&other.0).map(|(a, b)| a.total_cmp(b));
        numbers
            .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            .then(self.0.len().cmp(&other.0.len()))
    }
}

impl PartialOrd for GridPlace {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl GridPlace {
    /// Of numbers that are finite.
    pub fn new(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        // There is one 0.
        let numbers: Vec<f64> = numbers.into_iter().map(|number| number + 0.0).collect();
        (!numbers.is_empty() && numbers.iter().all(|number| number.is_finite())).then_some(Self(numbers))
    }

    /// As JSON has it: `1, 1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        Self::new(numbers?)
    }

    /// As messages have it: `(1, 1)`.
    pub(crate) fn show(&self) -> String {
        let numbers: Vec<String> = self.0.iter().map(|number| in_few_digits(*number)).collect();
        if let [one] = numbers.as_slice() { one.clone() } else { format!("({})", numbers.join(", ")) }
    }

    /// The node of a lattice with this key; none if it is none.
    pub fn node(&self) -> Option<[i32; 2]> {
        let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e6).then_some(number as i32);
        let [column, row] = self.0.as_slice() else { return None };
        Some([whole(*column)?, whole(*row)?])
    }
}

/// The grid over the places of forms.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormPlaces {
    /// The places of each axis, with the value at rest, rising.
    pub(crate) axes: Vec<Vec<f64>>,
    /// The forms that are added at each place, the last axis fastest.
    pub(crate) cells: Vec<Vec<u32>>,
    /// Where forms are missing that are sums.
    pub(crate) sums: Vec<GridPlace>,
    /// Where forms are missing on an axis.
    pub(crate) missing: Vec<GridPlace>,
}

impl FormsDoc {
    /// The greatest number of places of a grid.
    pub const MOST_PLACES: usize = 4096;

    /// The grid over its forms, whose sliders have these values at rest. None if a form has another number of values,
    /// or there are too many places.
    pub(crate) fn places(&self, rests: &[f64]) -> Option<FormPlaces> {
        if rests.is_empty() || rests.len() > FormGrid::MOST_AXES {
            return None;
        }
        let mut grid =
            FormPlaces { axes: rests.iter().map(|rest| vec![rest + 0.0]).collect(), ..FormPlaces::default() };
        for (place, _) in &self.at {
            if place.value.0.len() != rests.len() {
                return None;
            }
            grid.axes.iter_mut().zip(&place.value.0).for_each(|(axis, value)| axis.push(*value));
        }
        for axis in &mut grid.axes {
            axis.sort_by(f64::total_cmp);
            axis.dedup();
        }
        let count = grid.axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.len()))?;
        if count > Self::MOST_PLACES {
            return None;
        }
        let form = |place: &GridPlace| self.at.iter().position(|(at, _)| at.value == *place);
        for number in 0..count {
            let mut rest = number;
            let mut place = GridPlace(vec![0.0; rests.len()]);
            for (value, axis) in place.0.iter_mut().zip(&grid.axes).rev() {
                *value = axis[rest % axis.len()];
                rest /= axis.len();
            }
            let moved: Vec<usize> = (0..rests.len()).filter(|at| place.0[*at] != rests[*at]).collect();
            let alone = |at: &usize| {
                let value = |k: usize| if k == *at { place.0[k] } else { rests[k] + 0.0 };
                form(&GridPlace((0..rests.len()).map(value).collect()))
            };
            let forms = match (form(&place), moved.len()) {
                (Some(form), _) => vec![form as u32],
                (None, 0) => Vec::new(),
                (None, 1) => {
                    grid.missing.push(place);
                    Vec::new()
                }
                (None, _) => {
                    let forms = moved.iter().filter_map(alone).map(|form| form as u32).collect();
                    grid.sums.push(place);
                    forms
                }
            };
            grid.cells.push(forms);
        }
        Some(grid)
    }
}

impl WarpDoc {
    /// Its cells along both axes, as written or by default.
    pub(crate) fn lattice_cells(&self) -> [u32; 2] {
        // A float to integer conversion saturates.
        self.cells.map_or([3, 3], |cells| [cells.value.0 as u32, cells.value.1 as u32])
    }
}
