//! What clips key besides values of bones: of art, sliders, the camera. For the fields of a page, and for keys.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Properties as _, Property, SAME_TIME, ValueKind};
use bone_drawing::{ArtProperty, Drawing, ElementId, ElementKind, FilterProperty, StepValues, place_in_look};
use bone_format::doc::{AnyChannel, Channels, ClipDoc, FilterKeysDoc};
use bone_format::session::{DocPath, DocValue};
use bone_rig::{ArtPose, ArtValue, Camera, CameraProperty, Choice, FrameState, Rig, is_of_trim};
use kurbo::{Point, Vec2};

use crate::message::{Reason, Wire as _};
use crate::server::pose::ChannelState;

messages! {
    /// Of what a value is: `art` with its address, the `filter` of art with that, a `slider`, or the `camera`.
    record RowOwner { of: String, name: String = String::new() }
    /// A value to be keyed.
    record RowKey { owner: RowOwner, property: String, value: DocValue }
    /// A value that clips key: its name, and how it is typed: `number`, `pair`, `color`, `flag`, `name` or
    /// `text`.
    record PropertyFacts { name: String, input: String, range: Option<[f64; 2]> }
    /// A slider.
    record SliderFacts { name: String, range: [f64; 2], rest: f64 }
}

impl PropertyFacts {
    /// What a page has to know of a row of a table.
    pub(crate) fn of(row: &Property) -> Self {
        let (input, range) = match row.kind {
            ValueKind::Flag => ("flag", None),
            ValueKind::Child => ("name", None),
            ValueKind::Text => ("text", None),
            ValueKind::Color => ("color", None),
            ValueKind::Shape => ("number", Some([-2.0, 2.0])),
            ValueKind::Share | ValueKind::Opacity => ("number", Some([0.0, 1.0])),
            kind if kind.is_pair() => ("pair", None),
            _ => ("number", None),
        };
        Self { name: row.name.to_owned(), input: input.to_owned(), range }
    }
}

/// The values of bones, art and the camera that pages show, in the order in which they are listed.
pub(crate) fn properties() -> BTreeMap<String, Vec<PropertyFacts>> {
    let bones: Vec<PropertyFacts> = BoneProperty::relative().map(|of| PropertyFacts::of(of.row())).collect();
    let art = ArtProperty::ROWS.iter().map(PropertyFacts::of).collect();
    let camera = CameraProperty::ROWS.iter().map(PropertyFacts::of).collect();
    let filter = FilterProperty::ROWS.iter().map(PropertyFacts::of).collect();
    [("bones", bones), ("art", art), ("filter", filter), ("camera", camera)]
        .map(|(of, all)| (of.to_owned(), all))
        .into()
}

/// A value that a clip can key, where it is typed or would be.
pub(crate) struct Row {
    pub(crate) property: &'static Property,
    /// How pages name it: the property, and of a shape its art.
    pub(crate) name: String,
    pub(crate) path: DocPath,
    pub(crate) channel: Option<AnyChannel>,
    /// What holds without keys.
    pub(crate) rest: DocValue,
    now: DocValue,
    /// The names that can be chosen.
    options: Vec<String>,
    /// The weights of the other shapes of its art, which one key has with its own.
    others: Vec<(String, f64)>,
}

impl Row {
    /// The numbers of its value, for a curve; none of a word or a colour.
    pub(crate) fn numbers(&self) -> Option<Vec<f64>> {
        match &self.now {
            DocValue::Tuple(None, parts) => parts.iter().map(DocValue::as_number).collect(),
            value => Some(vec![value.as_number()?]),
        }
    }

    /// The value of a key.
    pub(crate) fn key(&self, value: &DocValue) -> DocValue {
        let Some(shape) = self.name.strip_prefix(OF_SHAPE) else { return value.clone() };
        let others = self.others.iter().filter(|(name, weight)| name != shape && *weight != 0.0);
        let others = others.map(|(name, weight)| (name.as_str(), (*weight).into()));
        let own = Some((shape, value.clone())).filter(|(_, value)| *value != DocValue::from(0.0));
        let weights: Vec<(&str, DocValue)> = others.chain(own).collect();
        if weights.is_empty() { self.rest.clone() } else { DocValue::map(weights) }
    }
}

/// What the name of the weight of a shape begins with.
const OF_SHAPE: &str = "shape ";

/// The values of an owner that clips can key.
///
/// # Errors
/// If the rig has no such art or slider.
pub(crate) fn rows(
    (rig, typed): (&Rig, &ClipDoc),
    state: &FrameState,
    owner: &RowOwner,
) -> Result<Vec<Row>, Reason> {
    let at = DocPath::clip(&typed.name.value);
    match owner.of.as_str() {
        "art" => {
            let element = rig.art().find(&owner.name).map_err(|error| error.to_string())?;
            Ok(of_art((rig, typed), state, (element, &owner.name), &at))
        }
        "filter" => of_filter((rig, typed), state, &owner.name, &at),
        "slider" => {
            let sliders = rig.sliders().iter().enumerate();
            let found = sliders.into_iter().find(|(_, slider)| slider.name == owner.name);
            let (index, slider) = found.ok_or_else(|| format!("there is no slider \"{}\"", owner.name))?;
            let own = typed.sliders.iter().find(|(name, _)| name.value == owner.name);
            let now = state.art().slider(rig.draw_order(), index).unwrap_or(slider.rest);
            Ok(vec![Row {
                property: bone_rig::RowProperty::Slider.row(),
                name: bone_rig::RowProperty::Slider.row().name.to_owned(),
                path: at.name("sliders").name(&owner.name),
                channel: own.map(|(_, channel)| channel.clone().into()),
                rest: slider.rest.into(),
                now: now.into(),
                options: Vec::new(),
                others: Vec::new(),
            }])
        }
        "camera" => {
            let page = Camera::of_page(rig.art().canvas());
            let now = state.art().camera(rig.draw_order()).unwrap_or(page);
            let value = |camera: &Camera, property| match property {
                CameraProperty::Center => camera.center.into(),
                CameraProperty::Zoom => camera.zoom.into(),
                _ => DocValue::from(camera.turn.degrees()),
            };
            let row = |property: CameraProperty| Row {
                property: property.row(),
                name: property.name().to_owned(),
                path: at.clone().name("camera").name(property.name()),
                channel: typed.camera.as_ref().and_then(|camera| camera.values.get(property)).cloned(),
                rest: value(&page, property),
                now: value(&now, property),
                options: Vec::new(),
                others: Vec::new(),
            };
            Ok(CameraProperty::ALL.iter().copied().map(row).collect())
        }
        other => Err(format!("`of` must be art, filter, slider or camera, and it is \"{other}\"")),
    }
}

fn of_art(
    (rig, typed): (&Rig, &ClipDoc),
    state: &FrameState,
    (element, name): (ElementId, &str),
    at: &DocPath,
) -> Vec<Row> {
    let drawing = rig.art();
    // The art may be typed under another of its names.
    let own = typed.art.iter().find(|art| drawing.find(&art.art.value) == Ok(element));
    let name = own.map_or(name, |own| own.art.value.as_str());
    let keyed: Option<&Channels<ArtProperty>> = own.map(|own| &own.values);
    let row = |property: ArtProperty| {
        let options: Vec<(String, ElementId)> = match property.row().kind {
            ValueKind::Child => {
                drawing.children(element).map(|child| (drawing.address(child), child)).collect()
            }
            _ => Vec::new(),
        };
        let rest = at_rest(drawing, element, property, &options)?;
        let now = posed(rig, state.art(), element, property).unwrap_or_else(|| rest.clone());
        Some(Row {
            property: property.row(),
            name: property.name().to_owned(),
            path: at.clone().name("art").name(name).name(property.name()),
            channel: keyed.and_then(|keyed| keyed.get(property)).cloned(),
            rest,
            now,
            options: options.into_iter().map(|(name, _)| name).collect(),
            others: Vec::new(),
        })
    };
    let order = rig.draw_order();
    let weights =
        order.shapes.iter().zip(state.art().shapes(order)).filter(|((path, _), _)| *path == element);
    let weights: Vec<(String, f64)> = weights
        .map(|((_, shape), weight)| (drawing.address(*shape), (weight * ROUNDED).round() / ROUNDED))
        .collect();
    let shape = |(shape, weight): &(String, f64)| Row {
        property: ArtProperty::Shape.row(),
        name: format!("{OF_SHAPE}{shape}"),
        path: at.clone().name("art").name(name).name(ArtProperty::Shape.name()),
        channel: keyed.and_then(|keyed| keyed.get(ArtProperty::Shape)).cloned(),
        rest: DocValue::text(name),
        now: (*weight).into(),
        options: Vec::new(),
        others: weights.clone(),
    };
    ArtProperty::ALL.iter().copied().filter_map(row).chain(weights.iter().map(shape)).collect()
}

/// The numbers of the filter of art that one step alone has. Keys of a filter that is shared are those of its id, if it
/// has any.
fn of_filter(
    (rig, typed): (&Rig, &ClipDoc),
    state: &FrameState,
    art: &str,
    at: &DocPath,
) -> Result<Vec<Row>, Reason> {
    let (drawing, posed) = (rig.art(), rig.posable().drawing());
    let element = drawing.find(art).map_err(|error| error.to_string())?;
    let (&[id], &[own]) = (drawing.filters_of(element), posed.filters_of(element)) else {
        return Ok(Vec::new());
    };
    let Some(filter) = drawing.filter(id) else { return Ok(Vec::new()) };
    let of_art = format!("{art}.filter");
    // One step alone has the property, whether keys name the step or not.
    let typed_of = |name: &str, property: FilterProperty| -> Option<&FilterKeysDoc> {
        let is_of = |keys: &&FilterKeysDoc| {
            let rest = keys.filter.value.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && keys.values.get(property).is_some()
        };
        typed.filters.iter().find(is_of)
    };
    let row = |property: FilterProperty| {
        let keyed = typed_of(&of_art, property).or_else(|| typed_of(&filter.id, property));
        let name = keyed.map_or(of_art.as_str(), |keys| &keys.filter.value);
        let mut with = filter.steps.iter().enumerate().filter(|(_, step)| property.is_of(step));
        let (place, step) = with.next().filter(|_| with.next().is_none())?;
        let value = |values: &StepValues| {
            let first = property.place();
            let parts = &values[first..first + property.row().kind.parts()];
            match parts {
                [x, y] => DocValue::from(Vec2::new(*x, *y)),
                [number] => (*number).into(),
                parts => color(parts),
            }
        };
        let (rest, now) = (step.values, state.frame().step_values(posed, own, place).copied());
        Some(Row {
            property: property.row(),
            path: at.clone().name("filters").name(name).name(property.name()),
            channel: keyed.and_then(|keys| keys.values.get(property)).cloned(),
            rest: value(&rest),
            now: value(&now.unwrap_or(rest)),
            name: property.row().name.to_owned(),
            options: Vec::new(),
            others: Vec::new(),
        })
    };
    Ok(FilterProperty::ALL.iter().copied().filter_map(row).collect())
}

/// Parts of 1 to which weights between keys are rounded.
const ROUNDED: f64 = 1e4;

fn color(parts: &[f64]) -> DocValue {
    let hex: String = parts.iter().map(|part| format!("{:02x}", part.round() as u8)).collect();
    DocValue::text(&format!("#{hex}"))
}

/// The value in the drawing of a property of art; none if it cannot have keys.
fn at_rest(
    drawing: &Drawing,
    element: ElementId,
    property: ArtProperty,
    children: &[(String, ElementId)],
) -> Option<DocValue> {
    let element_of = drawing.element(element)?;
    let shape = drawing.shape_node(element).and_then(|node| drawing.node(node)?.shape());
    if let Some(place) = place_in_look(property) {
        let values = shape.filter(|shape| shape.lacks(property).is_none())?.look_values();
        return Some(match property.row().kind {
            ValueKind::Color => color(values.get(place..place + 3)?),
            _ => (*values.get(place)?).into(),
        });
    }
    let is_drawn = !drawing.is_hidden(element);
    match property {
        ArtProperty::Visible => Some(is_drawn.into()),
        // A row for each of them.
        ArtProperty::Shape => None,
        ArtProperty::Switch if element_of.kind != ElementKind::Group || children.len() < 2 => None,
        ArtProperty::Switch => {
            let seen = children.iter().find(|(_, child)| !drawing.is_hidden(*child));
            Some(seen.map_or(DocValue::None, |(name, _)| DocValue::text(name)))
        }
        ArtProperty::Text if element_of.kind != ElementKind::Text => None,
        // Words in several pieces cannot be typed, unless there are keys of others.
        ArtProperty::Text if drawing.children(element).next().is_none() => {
            element_of.words.as_deref().map(DocValue::text)
        }
        ArtProperty::Text => Some(DocValue::text(element_of.words.as_deref().unwrap_or_default())),
        _ if is_of_trim(property) && shape.is_none_or(|shape| shape.lacks(property).is_some()) => None,
        _ if property.row().kind == ValueKind::Color => Some(color(&[property.row().rest; 3])),
        _ => Some(property.row().rest.into()),
    }
}

/// A value of a pose, as it is typed; none if the drawing decides.
fn posed(rig: &Rig, art: &ArtPose, element: ElementId, property: ArtProperty) -> Option<DocValue> {
    let order = rig.draw_order();
    match (property, art.get(order, property, element)?) {
        (_, ArtValue::Color(parts)) => Some(color(&parts)),
        (ArtProperty::Visible, ArtValue::Number(value)) => (value >= 0.0).then(|| (value > 0.5).into()),
        (ArtProperty::Switch | ArtProperty::Text, _) => {
            let switch = order.switch(element)?;
            match art.choice(order, switch) {
                Choice::AsDrawn => None,
                Choice::Nothing if property == ArtProperty::Text => Some(DocValue::text("")),
                Choice::Nothing => Some(DocValue::None),
                Choice::Child(child) => {
                    let child = *order.elements.get(*order.switches.get(switch)?.children.get(child)?)?;
                    let words = rig.art().element(child).and_then(|child| child.words.as_deref());
                    Some(match (property, words) {
                        (ArtProperty::Text, words) => DocValue::text(words.unwrap_or_default()),
                        _ => DocValue::text(&rig.art().address(child)),
                    })
                }
            }
        }
        (_, ArtValue::Number(value)) => Some(value.into()),
    }
}

/// The values of an owner for fields and buttons, at a time of the keys.
pub(crate) fn fields(rows: Vec<Row>, time: f64) -> BTreeMap<String, ChannelState> {
    let field = |row: Row| {
        let times = row.channel.as_ref().map(AnyChannel::times);
        let here = times.iter().flatten().any(|at| (at.value - time).abs() <= SAME_TIME);
        let options = Some(row.options).filter(|options| !options.is_empty());
        let state =
            ChannelState { value: row.now.json(), keyed: times.is_some(), here, changed: false, options };
        (row.name, state)
    };
    rows.into_iter().map(field).collect()
}

/// The corners of what the camera of a posed state shows, on the canvas: x and y of each. None for the page.
pub(crate) fn seen(rig: &Rig, state: &FrameState) -> Option<[f64; 8]> {
    let page = rig.art().canvas();
    let camera = state.art().camera(rig.draw_order()).filter(|camera| *camera != Camera::of_page(page))?;
    let back = camera.view(page).inverse();
    let corners = [(page.x0, page.y0), (page.x1, page.y0), (page.x1, page.y1), (page.x0, page.y1)];
    let mut all = [0.0; 8];
    for (corner, at) in corners.into_iter().zip(all.chunks_exact_mut(2)) {
        let Point { x, y } = back * Point::from(corner);
        at.copy_from_slice(&[x, y]);
    }
    all.iter().all(|number| number.is_finite()).then_some(all)
}
