//! Art that clips and drivers change: its keyed values as one row each, how clips are mixed in them, and one
//! [`Visibility`] for each element in a frame.

use std::sync::Arc;

use bone_core::clip::{Curve, Join, LayerBlend};
use bone_drawing::{
    ArtProperty, ElementId, FilterProperty, InkProperty, LOOK_PROPERTIES, LookValues, StepValues,
    StopProperty, TintValues, Visibility, place_in_look,
};
use kurbo::Point;

use crate::property::{Camera, CameraProperty, RowProperty, Slider};

/// Which child of a group is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Those that are visible in the drawing.
    #[default]
    AsDrawn,
    /// None.
    Nothing,
    /// This one alone, by its index in [`Switch::children`].
    Child(usize),
}

/// A value of art.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArtValue {
    /// A number, or what stands for one: 1 is visible; of a switch it is [`Choice::value`].
    Number(f64),
    /// Red, green and blue, from 0 to 255.
    Color([f64; 3]),
}

impl ArtValue {
    /// Its numbers.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Self::Number(number) => std::slice::from_ref(number),
            Self::Color(color) => color,
        }
    }
}

impl From<f64> for ArtValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<[u8; 3]> for ArtValue {
    fn from(color: [u8; 3]) -> Self {
        Self::Color(color.map(f64::from))
    }
}

/// The value of what the drawing decides: of a switch, or whether art is visible.
const AS_DRAWN: f64 = -1.0;

/// The value of a switch without a visible child.
pub const NOTHING: f64 = -2.0;

impl Choice {
    /// The choice as the value of a row.
    pub const fn value(self) -> f64 {
        match self {
            Self::AsDrawn => AS_DRAWN,
            Self::Nothing => NOTHING,
            Self::Child(child) => child as f64,
        }
    }

    pub(crate) fn of(value: f64) -> Self {
        match value {
            AS_DRAWN => Self::AsDrawn,
            // The conversion saturates, and takes NaN for 0.
            value if value >= 0.0 || value.is_nan() => Self::Child(value as usize),
            _ => Self::Nothing,
        }
    }
}

/// A group of which one child is visible at a time, or a text with its other words as children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The group or the text.
    pub group: ElementId,
    /// Its children in document order, each by its index in [`DrawOrder::elements`].
    pub children: Vec<usize>,
}

/// The art of a rig that can change, its sliders and its camera, and the rows of an [`ArtPose`]: visibility, opacity
/// and draw order of each element, then the choice of each switch, the part of each path that is stroked, the tints,
/// the shapes, the sliders, the camera, the gradients, the steps of filters, the ink, and the look of
/// each path.
#[derive(Clone, Debug, Default)]
pub struct DrawOrder {
    /// The elements that can be hidden, fade and change their order.
    pub elements: Vec<ElementId>,
    /// Whether each of them is visible in the drawing.
    pub drawn: Vec<bool>,
    /// The groups of which one child is visible at a time.
    pub switches: Vec<Switch>,
    /// The switch that each element is a child of, and the index of the child.
    pub member: Vec<Option<(usize, usize)>>,
    /// The paths that can be painted in other ways, with their values in the drawing.
    pub looks: Vec<(ElementId, LookValues)>,
    /// The paths of which a part can be stroked, in the order of
    /// [`Moving::trims`](bone_drawing::Moving).
    pub trims: Vec<ElementId>,
    /// The art that can be tinted, in the order of [`Moving::tints`](bone_drawing::Moving).
    pub tints: Vec<ElementId>,
    /// The other shapes that paths take: path and shape, those of one path one after the other.
    pub shapes: Vec<(ElementId, ElementId)>,
    /// The numbers that drivers read besides those of bones.
    pub sliders: Vec<Slider>,
    /// The middle of the page, if there is a camera that moves.
    pub camera: Option<Point>,
    /// The gradients whose ends and stops can change, in the order of [`Moving::gradients`](bone_drawing::Moving): the
    /// [values](bone_drawing::Gradient::values) of each in the drawing.
    pub gradients: Vec<Vec<f64>>,
    /// The steps of filters whose numbers can change, in the order of [`Moving::filter_steps`](bone_drawing::Moving):
    /// their [values](bone_drawing::FilterStep::values).
    pub filter_steps: Vec<StepValues>,
    /// The paths with ink, in the order of [`Moving::inks`](bone_drawing::Moving), with how far it reaches to both sides
    /// at each place.
    pub inks: Vec<(ElementId, Vec<f64>)>,
}

/// What a row is, and its value where nothing is keyed.
type Row = (RowProperty, f64);

/// How many rows a look has.
const LOOK_NUMBERS: usize = size_of::<LookValues>() / size_of::<f64>();

/// What each element has a row of.
const OF_ELEMENTS: [ArtProperty; 3] = [ArtProperty::Visible, ArtProperty::Opacity, ArtProperty::Order];

/// What each path of which a part can be stroked has a row of.
const OF_TRIMS: [ArtProperty; 3] = [ArtProperty::TrimStart, ArtProperty::TrimEnd, ArtProperty::TrimOffset];

/// What all art that can be tinted has rows of.
const OF_TINTS: [ArtProperty; 2] = [ArtProperty::Tint, ArtProperty::Shade];

/// How many rows a tint has.
const TINT_NUMBERS: usize = size_of::<TintValues>() / size_of::<f64>();

/// How many rows a step of a filter has.
const STEP_NUMBERS: usize = size_of::<StepValues>() / size_of::<f64>();

/// Whether a property is a part of a path that is stroked.
pub fn is_of_trim(property: ArtProperty) -> bool {
    OF_TRIMS.contains(&property)
}

/// Whether a property is what becomes of the colours of art and all in it.
pub fn is_of_tint(property: ArtProperty) -> bool {
    OF_TINTS.contains(&property)
}

impl DrawOrder {
    /// Whether all indices are in range and all columns have one entry for each element.
    pub(crate) fn fits(&self) -> bool {
        let count = self.elements.len();
        let member_fits =
            |member: &Option<(usize, usize)>| member.is_none_or(|(switch, _)| switch < self.switches.len());
        (self.drawn.len(), self.member.len()) == (count, count)
            && self.member.iter().all(member_fits)
            && self.switches.iter().flat_map(|switch| &switch.children).all(|k| *k < count)
            && self.sliders.iter().all(Slider::is_sound)
            && self.camera.is_none_or(Point::is_finite)
    }

    /// The index of an element in the columns.
    pub fn index(&self, element: ElementId) -> Option<usize> {
        self.elements.iter().position(|own| *own == element)
    }

    /// The index of the switch with this group.
    pub fn switch(&self, group: ElementId) -> Option<usize> {
        self.switches.iter().position(|switch| switch.group == group)
    }

    /// Whether a group is a switch that can choose this.
    pub(crate) fn has_child(&self, group: ElementId, choice: Choice) -> bool {
        self.switch(group).is_some_and(|switch| match choice {
            Choice::Child(child) => child < self.switches[switch].children.len(),
            Choice::AsDrawn | Choice::Nothing => true,
        })
    }

    /// The row of a property of an element.
    pub fn row(&self, property: ArtProperty, element: ElementId) -> Option<usize> {
        let target = match property {
            ArtProperty::Switch | ArtProperty::Text => self.switch(element)?,
            // A row for each of them.
            ArtProperty::Shape => return None,
            _ if place_in_look(property).is_some() => {
                self.looks.iter().position(|(own, _)| *own == element)?
            }
            _ if is_of_trim(property) => self.trims.iter().position(|own| *own == element)?,
            _ if is_of_tint(property) => self.tints.iter().position(|own| *own == element)?,
            _ => self.index(element)?,
        };
        self.row_of(property.into(), target)
    }

    /// The first row of a property of a target: its index among the sliders, the gradients, the switches, the trims,
    /// the tints, the shapes, the looks, or else the elements.
    fn row_of(&self, property: RowProperty, target: usize) -> Option<usize> {
        let property = match property {
            RowProperty::Art(property) => property,
            RowProperty::Slider => {
                return (target < self.sliders.len()).then(|| self.first_slider() + target);
            }
            RowProperty::Camera(property) => {
                return self.camera.map(|_| self.first_camera() + property.place());
            }
            RowProperty::Gradient(_) | RowProperty::Stop(_) => {
                let before = self.gradients.get(..target)?.iter().map(Vec::len).sum::<usize>();
                return self.gradients.get(target).map(|_| self.first_gradient() + before);
            }
            RowProperty::FilterStep(_) => {
                return (target < self.filter_steps.len()).then(|| self.first_step() + STEP_NUMBERS * target);
            }
            RowProperty::Ink(_) => {
                let before = self.inks.get(..target)?.iter().map(|(_, values)| values.len()).sum::<usize>();
                return self.inks.get(target).map(|_| self.first_ink() + before);
            }
        };
        if let Some(place) = place_in_look(property) {
            return (target < self.looks.len()).then(|| self.first_look() + LOOK_NUMBERS * target + place);
        }
        if let Some(place) = OF_TINTS.iter().position(|own| *own == property) {
            let first = self.first_tint() + TINT_NUMBERS * target;
            return (target < self.tints.len()).then(|| first + place * property.row().kind.parts());
        }
        if property == ArtProperty::Shape {
            return (target < self.shapes.len()).then(|| self.first_shape() + target);
        }
        let of = |properties: &[ArtProperty], (first, count): (usize, usize)| {
            let place = properties.iter().position(|own| *own == property)?;
            (target < count).then(|| first + properties.len() * target + place)
        };
        of(&OF_ELEMENTS, (0, self.elements.len()))
            .or_else(|| of(&[ArtProperty::Switch], (self.first_switch(), self.switches.len())))
            .or_else(|| of(&[ArtProperty::Text], (self.first_switch(), self.switches.len())))
            .or_else(|| of(&OF_TRIMS, (self.first_trim(), self.trims.len())))
    }

    fn first_switch(&self) -> usize {
        OF_ELEMENTS.len() * self.elements.len()
    }

    fn first_trim(&self) -> usize {
        self.first_switch() + self.switches.len()
    }

    fn first_tint(&self) -> usize {
        self.first_trim() + OF_TRIMS.len() * self.trims.len()
    }

    fn first_shape(&self) -> usize {
        self.first_tint() + TINT_NUMBERS * self.tints.len()
    }

    fn first_slider(&self) -> usize {
        self.first_shape() + self.shapes.len()
    }

    fn first_camera(&self) -> usize {
        self.first_slider() + self.sliders.len()
    }

    fn first_gradient(&self) -> usize {
        self.first_camera() + self.camera.map_or(0, |_| CameraProperty::NUMBERS)
    }

    fn first_step(&self) -> usize {
        self.first_gradient() + self.gradients.iter().map(Vec::len).sum::<usize>()
    }

    fn first_ink(&self) -> usize {
        self.first_step() + STEP_NUMBERS * self.filter_steps.len()
    }

    fn first_look(&self) -> usize {
        self.first_ink() + self.inks.iter().map(|(_, values)| values.len()).sum::<usize>()
    }

    /// The row of a slider.
    pub(crate) fn slider_row(&self, slider: usize) -> Option<usize> {
        self.row_of(RowProperty::Slider, slider)
    }

    /// The row of the weight of a shape.
    pub(crate) fn shape_row(&self, shape: usize) -> Option<usize> {
        self.row_of(ArtProperty::Shape.into(), shape)
    }

    /// What each row is, and its value where nothing is keyed.
    fn rows(&self) -> impl Iterator<Item = Row> {
        let elements = self.elements.iter().flat_map(|_| OF_ELEMENTS);
        let all = elements.chain(self.switches.iter().map(|_| ArtProperty::Switch));
        let all = all.chain(self.trims.iter().flat_map(|_| OF_TRIMS));
        let parts = |of: ArtProperty| std::iter::repeat_n(of, of.row().kind.parts());
        let all = all.chain(self.tints.iter().flat_map(move |_| OF_TINTS.into_iter().flat_map(parts)));
        let all = all.chain(self.shapes.iter().map(|_| ArtProperty::Shape));
        let sliders = self.sliders.iter().map(|slider| (RowProperty::Slider, slider.rest));
        let camera = self.camera.into_iter().flat_map(|page| {
            [
                (CameraProperty::Center, page.x),
                (CameraProperty::Center, page.y),
                (CameraProperty::Zoom, 0.0),
                (CameraProperty::Turn, 0.0),
            ]
        });
        let camera = camera.map(|(property, rest)| (RowProperty::Camera(property), rest));
        // None of their values steps, and drivers have none.
        let gradients = self.gradients.iter().flatten();
        let gradients = gradients.map(|rest| (RowProperty::Stop(StopProperty::Offset), *rest));
        let steps = self.filter_steps.iter().flatten();
        let steps = steps.map(|rest| (RowProperty::FilterStep(FilterProperty::Offset), *rest));
        let inks = self.inks.iter().flat_map(|(_, values)| values);
        let inks = inks.map(|rest| (RowProperty::Ink(InkProperty::Width), *rest));
        let camera = camera.chain(gradients).chain(steps).chain(inks);
        let numbers = LOOK_PROPERTIES.into_iter().flat_map(parts).map(RowProperty::from);
        let looks = self.looks.iter().flat_map(move |(_, values)| numbers.clone().zip(*values));
        all.map(|property| (property.into(), rest(property))).chain(sliders).chain(camera).chain(looks)
    }

    /// Whether an element is visible in a pose.
    fn is_visible(&self, k: usize, pose: &ArtPose) -> bool {
        let chosen = self.member[k].and_then(|(switch, child)| match pose.choice(self, switch) {
            Choice::AsDrawn => None,
            Choice::Nothing => Some(false),
            Choice::Child(chosen) => Some(chosen == child),
        });
        chosen != Some(false) && pose.visible(self, k).unwrap_or(chosen.is_some() || self.drawn[k])
    }

    /// Whether a choice shows the same children of a switch as the drawing. False for a switch that does not
    /// exist.
    pub fn is_as_drawn(&self, switch: usize, choice: Choice) -> bool {
        let Some(switch) = self.switches.get(switch) else { return false };
        let mut children = switch.children.iter().enumerate();
        choice == Choice::AsDrawn
            || children.all(|(child, k)| self.drawn.get(*k).copied() == Some(choice == Choice::Child(child)))
    }

    /// The visibility of each element in a pose. Allocates nothing once `out` was used before.
    pub(crate) fn visibilities(&self, pose: &ArtPose, out: &mut Vec<Visibility>) {
        out.clear();
        let values = pose.values.as_chunks::<{ OF_ELEMENTS.len() }>().0.iter().take(self.elements.len());
        out.extend(values.enumerate().map(|(k, [_, opacity, order])| Visibility {
            visible: self.is_visible(k, pose),
            opacity: opacity.clamp(0.0, 1.0),
            order: *order,
        }));
    }
}

/// How clips are mixed in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowMixing {
    /// The value is taken over from a half on.
    Step,
    /// A layer that adds moves it by the difference from rest.
    Sum,
    /// A layer that adds multiplies it by the ratio to rest.
    Product,
}

impl RowMixing {
    fn of(property: RowProperty) -> Self {
        match property.row() {
            row if row.kind.steps() => Self::Step,
            row if row.drive == Join::Product => Self::Product,
            _ => Self::Sum,
        }
    }
}

/// The rows of a [`DrawOrder`], written out: a frame walks them.
#[derive(Clone, Debug, Default, PartialEq)]
struct ArtRows {
    /// The value where nothing is keyed.
    rest: Vec<f64>,
    mixing: Vec<RowMixing>,
}

/// The state of the art of a [`DrawOrder`] at a time: one value for each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArtPose {
    values: Vec<f64>,
    rows: Arc<ArtRows>,
}

/// The value where nothing is keyed of a property for which it is always the same.
fn rest(property: ArtProperty) -> f64 {
    match property {
        ArtProperty::Visible | ArtProperty::Switch | ArtProperty::Text => AS_DRAWN,
        _ => property.row().rest,
    }
}

impl ArtPose {
    /// Everything as in the drawing.
    pub fn new(draw_order: &DrawOrder) -> Self {
        let (mixing, rest) =
            draw_order.rows().map(|(property, rest)| (RowMixing::of(property), rest)).unzip();
        let rows = ArtRows { rest, mixing };
        Self { values: rows.rest.clone(), rows: Arc::new(rows) }
    }

    /// Becomes the owner of its rows, so that [`set_rest`](Self::set_rest) allocates nothing.
    pub(crate) fn own_rows(&mut self) {
        self.rows = Arc::new(ArtRows::clone(&self.rows));
    }

    /// Sets the values where nothing is keyed, of this pose and of one that shares its rows: those of the drawing, and
    /// others for some rows.
    pub(crate) fn set_rest(
        &mut self,
        shared: &mut Self,
        drawing: &Self,
        others: impl Iterator<Item = (u32, f64)>,
    ) {
        shared.rows = Arc::clone(&drawing.rows);
        let rest = &mut Arc::make_mut(&mut self.rows).rest;
        rest.clone_from(&drawing.rows.rest);
        for (row, value) in others {
            rest.get_mut(row as usize).into_iter().for_each(|own| *own = value);
        }
        shared.rows = Arc::clone(&self.rows);
    }

    /// Gives an element what is keyed of another one: whether it is visible, its opacity and its order.
    pub(crate) fn copy_element(&mut self, draw_order: &DrawOrder, from: usize, to: usize) {
        let visible = draw_order.is_visible(from, self);
        let first = |k: usize| OF_ELEMENTS.len() * k;
        self.values.copy_within(first(from)..first(from + 1), first(to));
        self.values[first(to)] = f64::from(visible);
    }

    /// Sets which child of a switch is visible.
    pub(crate) fn choose(&mut self, draw_order: &DrawOrder, switch: usize, choice: Choice) {
        let row = draw_order.row_of(ArtProperty::Switch.into(), switch);
        row.into_iter().for_each(|row| self.set(row, choice.value()));
    }

    /// Resets everything to the drawing, as it is worn.
    pub(crate) fn reset(&mut self) {
        self.values.copy_from_slice(&self.rows.rest);
    }

    /// The value of a property of an element; none if the rig has no such row.
    pub fn get(&self, draw_order: &DrawOrder, property: ArtProperty, element: ElementId) -> Option<ArtValue> {
        let row = draw_order.row(property, element)?;
        match self.values.get(row..row + property.row().kind.parts())? {
            [number] => Some(ArtValue::Number(*number)),
            color => Some(ArtValue::Color(color.try_into().ok()?)),
        }
    }

    /// Whether an element is visible; none if its switch and the drawing decide.
    pub fn visible(&self, draw_order: &DrawOrder, k: usize) -> Option<bool> {
        let value = self.value(draw_order.row_of(ArtProperty::Visible.into(), k), AS_DRAWN);
        (value != AS_DRAWN).then_some(value > 0.5)
    }

    /// Which child of a switch is visible.
    pub fn choice(&self, draw_order: &DrawOrder, switch: usize) -> Choice {
        Choice::of(self.value(draw_order.row_of(ArtProperty::Switch.into(), switch), AS_DRAWN))
    }

    /// The values of each look of [`DrawOrder::looks`].
    pub(crate) fn looks(&self, draw_order: &DrawOrder) -> &[LookValues] {
        self.values.get(draw_order.first_look()..).unwrap_or_default().as_chunks().0
    }

    /// Where the stroke of each path of [`DrawOrder::trims`] starts and ends, and the offset of both.
    pub(crate) fn trims(&self, draw_order: &DrawOrder) -> &[[f64; 3]] {
        let rows = draw_order.first_trim()..draw_order.first_tint();
        self.values.get(rows).unwrap_or_default().as_chunks().0
    }

    /// The tint and the shade of each of [`DrawOrder::tints`].
    pub(crate) fn tints(&self, draw_order: &DrawOrder) -> &[TintValues] {
        let rows = draw_order.first_tint()..draw_order.first_shape();
        self.values.get(rows).unwrap_or_default().as_chunks().0
    }

    /// The weight of each of [`DrawOrder::shapes`].
    pub fn shapes(&self, draw_order: &DrawOrder) -> &[f64] {
        self.values.get(draw_order.first_shape()..draw_order.first_slider()).unwrap_or_default()
    }

    /// The values of all of [`DrawOrder::gradients`].
    pub(crate) fn gradients(&self, draw_order: &DrawOrder) -> &[f64] {
        self.values.get(draw_order.first_gradient()..draw_order.first_step()).unwrap_or_default()
    }

    /// The values of each of [`DrawOrder::filter_steps`].
    pub(crate) fn filter_steps(&self, draw_order: &DrawOrder) -> &[StepValues] {
        let rows = draw_order.first_step()..draw_order.first_ink();
        self.values.get(rows).unwrap_or_default().as_chunks().0
    }

    /// How far all ink of [`DrawOrder::inks`] reaches.
    pub(crate) fn inks(&self, draw_order: &DrawOrder) -> &[f64] {
        self.values.get(draw_order.first_ink()..draw_order.first_look()).unwrap_or_default()
    }

    /// The value of a slider, within its range; none if the rig has no such slider.
    pub fn slider(&self, draw_order: &DrawOrder, slider: usize) -> Option<f64> {
        let (least, greatest) = draw_order.sliders.get(slider)?.range;
        Some(self.value(draw_order.slider_row(slider), 0.0).max(least).min(greatest))
    }

    /// The camera; none if no clip keys one, or its numbers cannot be used.
    pub fn camera(&self, draw_order: &DrawOrder) -> Option<Camera> {
        draw_order.camera?;
        let numbers = self.values.get(draw_order.first_camera()..)?.first_chunk()?;
        Some(Camera::of(*numbers)).filter(Camera::is_sound)
    }

    /// The value of a row.
    fn value(&self, row: Option<usize>, rest: f64) -> f64 {
        row.and_then(|row| self.values.get(row)).copied().unwrap_or(rest)
    }

    /// Sets the value of a row.
    pub(crate) fn set(&mut self, row: usize, value: f64) {
        if let Some(own) = self.values.get_mut(row) {
            *own = value;
        }
    }

    /// Becomes equal to another pose of the same draw order. Allocates nothing.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.values.clone_from(&other.values);
    }

    /// Moves everything towards another pose of the same draw order by a level from 0 to 1.
    pub(crate) fn fade(&mut self, to: &Self, level: f64) {
        for ((value, to), mixing) in self.values.iter_mut().zip(&to.values).zip(&self.rows.mixing) {
            *value = mixing.replaced(*value, *to, level);
        }
    }

    /// Combines what clips key with another pose, which they have made alone.
    pub(crate) fn layer<'t>(
        &mut self,
        by: &Self,
        clips: impl Iterator<Item = PlacedTracks<'t>> + Clone,
        (level, blend): (f64, LayerBlend),
    ) {
        for (at, clip) in clips.clone().enumerate() {
            for &row in clip.rows {
                // Another clip keys it, too.
                let is_done = clips.clone().take(at).any(|clip| clip.rows.contains(&row));
                if let (false, Some(by)) = (is_done, by.values.get(row as usize)) {
                    self.change(row, |mixing, rest, value| mixing.layered(rest, value, *by, (level, blend)));
                }
            }
        }
    }

    /// Moves everything towards the drawing.
    pub(crate) fn fade_out(&mut self, level: f64) {
        for ((value, rest), mixing) in self.values.iter_mut().zip(&self.rows.rest).zip(&self.rows.mixing) {
            *value = mixing.replaced(*value, *rest, level);
        }
    }

    /// Sets a row to a function of how it is mixed, its value at rest and its value.
    fn change(&mut self, row: u32, to: impl FnOnce(RowMixing, f64, f64) -> f64) {
        let (at, ArtRows { rest, mixing }) = (row as usize, &*self.rows);
        if let (Some(value), Some(rest), Some(mixing)) =
            (self.values.get_mut(at), rest.get(at), mixing.get(at))
        {
            *value = to(*mixing, *rest, *value);
        }
    }
}

impl RowMixing {
    /// A value moved towards another one; at 1 it is the other one, to the bit.
    fn replaced(self, value: f64, by: f64, level: f64) -> f64 {
        match self {
            Self::Step if level >= 0.5 => by,
            Self::Step => value,
            _ if level >= 1.0 => by,
            _ => value + level * (by - value),
        }
    }

    fn layered(self, rest: f64, value: f64, by: f64, (level, blend): (f64, LayerBlend)) -> f64 {
        match (blend, self) {
            // A share of the difference from rest, or of the ratio to it.
            (LayerBlend::Add, Self::Sum) => value + level * (by - rest),
            (LayerBlend::Add, Self::Product) => value * (1.0 + level * (by / rest - 1.0)),
            _ => self.replaced(value, by, level),
        }
    }
}

/// The keyed value of a row: over time in a clip, over the driving value in a driver. What steps is a curve of
/// held keys.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The property.
    pub property: RowProperty,
    /// The index of its element in [`DrawOrder::elements`], or of its switch, trim, tint, shape, look, slider, gradient,
    /// step or ink; 0 for the camera.
    pub target: usize,
    /// Which number of the value; of a gradient, a step or ink which of all its values.
    pub part: usize,
    /// 1 where art is visible; the index of a visible child, or [`NOTHING`]; the natural logarithm of a zoom.
    pub curve: Curve<f64>,
}

impl Lane {
    fn row(&self, draw_order: &DrawOrder) -> Option<usize> {
        let parts = match self.property {
            RowProperty::Gradient(_) | RowProperty::Stop(_) => draw_order.gradients.get(self.target)?.len(),
            RowProperty::FilterStep(_) => STEP_NUMBERS,
            RowProperty::Ink(_) => draw_order.inks.get(self.target)?.1.len(),
            _ => self.property.row().kind.parts(),
        };
        Some(draw_order.row_of(self.property, self.target)? + self.part).filter(|_| self.part < parts)
    }

    /// The value where nothing is keyed.
    pub fn rest(&self, draw_order: &DrawOrder) -> f64 {
        match self.property {
            RowProperty::Art(property) => {
                match (place_in_look(property), draw_order.looks.get(self.target)) {
                    (Some(place), Some((_, values))) => {
                        values.get(place + self.part).copied().unwrap_or_default()
                    }
                    _ => rest(property),
                }
            }
            RowProperty::Slider => draw_order.sliders.get(self.target).map_or(0.0, |slider| slider.rest),
            RowProperty::Camera(CameraProperty::Center) => {
                draw_order.camera.map_or(0.0, |page| if self.part == 0 { page.x } else { page.y })
            }
            RowProperty::Camera(CameraProperty::Zoom | CameraProperty::Turn) => 0.0,
            RowProperty::Gradient(_) | RowProperty::Stop(_) => {
                let values = draw_order.gradients.get(self.target);
                values.and_then(|values| values.get(self.part)).copied().unwrap_or_default()
            }
            RowProperty::FilterStep(_) => {
                let values = draw_order.filter_steps.get(self.target);
                values.and_then(|values| values.get(self.part)).copied().unwrap_or_default()
            }
            RowProperty::Ink(_) => {
                let values = draw_order.inks.get(self.target);
                values.and_then(|(_, values)| values.get(self.part)).copied().unwrap_or_default()
            }
        }
    }
}

/// The lanes of a clip or a driver. A row that the rig does not have is ignored.
#[derive(Clone, Debug, Default)]
pub struct ArtTracks {
    /// Each row at most once.
    pub lanes: Vec<Lane>,
}

impl ArtTracks {
    /// Whether both move the sliders alike.
    pub(crate) fn moves_sliders_as(&self, other: &Self) -> bool {
        fn sliders(tracks: &ArtTracks) -> impl Iterator<Item = (usize, &Curve<f64>)> {
            let lanes = tracks.lanes.iter().filter(|lane| lane.property == RowProperty::Slider);
            lanes.map(|lane| (lane.target, &lane.curve))
        }
        sliders(self).eq(sliders(other))
    }

    /// The row of each lane; [`NO_ROW`] for one that the rig does not have.
    pub(crate) fn rows(&self, draw_order: &DrawOrder) -> Vec<u32> {
        let row =
            |lane: &Lane| lane.row(draw_order).and_then(|row| u32::try_from(row).ok()).unwrap_or(NO_ROW);
        self.lanes.iter().map(row).collect()
    }

    /// Applies a driver to a pose.
    pub fn drive(&self, draw_order: &DrawOrder, value: f64, pose: &mut ArtPose) {
        PlacedTracks { tracks: self, rows: &self.rows(draw_order) }.drive(value, pose);
    }
}

/// The row of a lane that the rig does not have; it is ignored.
const NO_ROW: u32 = u32::MAX;

/// The lanes of a clip or a driver, with the row of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedTracks<'t> {
    pub(crate) tracks: &'t ArtTracks,
    pub(crate) rows: &'t [u32],
}

impl<'t> PlacedTracks<'t> {
    /// Applies a clip at a time to a pose: a part of a sequence moves everything by its level, a layer what it keys.
    pub(crate) fn mix_in(self, time: f64, (level, layer): (f64, Option<LayerBlend>), pose: &mut ArtPose) {
        if layer.is_none() {
            pose.fade_out(level);
        }
        for (lane, row) in self.lanes() {
            let by = lane.curve.at(time);
            pose.change(row, |mixing, rest, value| match layer {
                // It is at rest by this level already: v + s (x - v) = (v + s (rest - v)) + s (x - rest).
                None if level < 1.0 && mixing != RowMixing::Step => value + level * (by - rest),
                None => mixing.replaced(value, by, level),
                Some(blend) => mixing.layered(rest, value, by, (level, blend)),
            });
        }
    }

    /// Applies a driver to a pose.
    pub(crate) fn drive(self, value: f64, pose: &mut ArtPose) {
        for (lane, row) in self.lanes() {
            let by = lane.curve.at(value);
            pose.change(row, |_, _, value| match lane.property.row().drive {
                Join::Sum => value + by,
                Join::Product => value * by.clamp(0.0, 1.0),
                // What the drawing decides is visible for a driver.
                Join::All => f64::from(value != 0.0 && by > 0.5),
                Join::Last | Join::Never => by,
            });
        }
    }

    fn lanes(self) -> impl Iterator<Item = (&'t Lane, u32)> {
        self.tracks.lanes.iter().zip(self.rows.iter().copied())
    }
}
