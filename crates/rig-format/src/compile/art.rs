//! Compiles channels of art in clips and drivers: names become elements, keys become curves.

use std::collections::BTreeMap;

use bone_core::clip::{ClipTime, Curve, Ease, Properties as _, Value};
use bone_drawing::{
    ArtProperty, Element, ElementId, ElementKind, FindError, InkedStroke, Isolation, KeyedGradient,
    KeyedStep, OrderScope, Paint, Shape, ShapeMask, place_in_look,
};

use super::memory::{GradientOf, Mention, StepOf};
use super::pass::Pass;
use crate::curves::{curve, delayed};
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{AnyChannel, ArtDoc, Channel, Rgb};
use crate::span::{Span, Spanned};
use bone_render::MAX_LETTERS;
use bone_rig::{
    ArtPose, DrawOrder, RigDriver, Switch, is_of_tint, is_of_trim,
    parts::{ArtTracks, Lane, NOTHING},
};

/// Builds the draw order of the art that clips and drivers show, hide, fade or reorder.
#[derive(Default)]
pub(super) struct DrawOrderBuilder {
    pub(super) draw_order: DrawOrder,
    /// Where each element is in it.
    places: BTreeMap<ElementId, usize>,
    /// Which switch a group is.
    switches: BTreeMap<ElementId, usize>,
    /// Whether the part of each path that is stroked can lie across its start.
    pub(super) may_wrap: Vec<bool>,
    /// The gradients whose ends and stops change.
    pub(super) gradients: Vec<(GradientOf, KeyedGradient)>,
    /// The paths with ink, at rest.
    pub(super) inks: Vec<InkedStroke>,
    /// What is seen only inside or outside of other art.
    pub(super) masks: Vec<ShapeMask>,
    /// The steps of filters whose numbers change.
    pub(super) filter_steps: Vec<(StepOf, KeyedStep)>,
}

impl Pass<'_> {
    /// The channels of art in a clip or a driver. `time` is that of a clip; none in a driver.
    pub(super) fn art(
        &mut self,
        arts: &[ArtDoc],
        time: Option<ClipTime>,
        order: &mut DrawOrderBuilder,
    ) -> ArtTracks {
        let mut tracks = ArtTracks::default();
        let mut seen: BTreeMap<ElementId, &Spanned<String>> = BTreeMap::new();
        for art in arts {
            let Some(element) = self.find(&art.art) else { continue };
            let is_shape = |(property, _)| property == ArtProperty::Shape;
            if self
                .art
                .element(element)
                .is_some_and(|found| found.state == bone_drawing::ElementState::ClipOrMask)
                && !art.values.iter().all(is_shape)
            {
                let message =
                    format!("art \"{}\" is a clip path or mask, which is not drawn itself", art.art.value);
                let help = "name the art that it clips or masks";
                self.error(art.art.span, message, help);
                continue;
            }
            if let Some(first) = seen.insert(element, &art.art) {
                // The same name twice was reported when the document was read.
                if first.value != art.art.value {
                    let message = format!("art \"{}\" is listed twice, under two names", art.art.value);
                    let other = self.doc.place(first.span);
                    self.report(
                        art.art.span,
                        Diagnostic::error("duplicate", message).related(other, "first here"),
                    );
                }
                continue;
            }
            for (property, channel) in art.values.iter() {
                if property == ArtProperty::Order {
                    self.alone(&art.art, element);
                }
                let target = match channel {
                    AnyChannel::Name(_) => None,
                    AnyChannel::Shape(channel) => {
                        let lanes = self.shape_lanes((&art.art, element), channel, time, order);
                        tracks.lanes.extend(lanes);
                        continue;
                    }
                    _ if is_of_tint(property) => Some(self.tint_place(element, order)),
                    _ if place_in_look(property).is_none() && !is_of_trim(property) => {
                        Some(self.actor(element, order))
                    }
                    _ => match self.look_of(property, &art.art, element, order) {
                        None => continue,
                        look => look,
                    },
                };
                let (target, keyed) = match (channel, target) {
                    (AnyChannel::Name(channel), _) => {
                        let chosen = match property {
                            ArtProperty::Text => self.words(&art.art, element, channel, order),
                            _ => self.switch(&art.art, element, channel, order),
                        };
                        chosen.unwrap_or_default()
                    }
                    (_, None) | (AnyChannel::Pair(_) | AnyChannel::Shape(_), _) => continue,
                    (AnyChannel::Flag(channel), Some(target)) => {
                        (target, vec![steps(channel, |shown| f64::from(u8::from(*shown)))])
                    }
                    (AnyChannel::Number(channel), Some(target)) if property.row().kind.steps() => {
                        (target, vec![steps(channel, |value| *value)])
                    }
                    (AnyChannel::Number(channel), Some(target)) => {
                        (target, vec![curve(channel, |value: f64| value)])
                    }
                    (AnyChannel::Color(channel), Some(target)) => {
                        let part = |part: usize| curve(channel, |Rgb(color)| f64::from(color[part]));
                        (target, (0..3).map(part).collect())
                    }
                };
                let Some(curves) =
                    keyed.into_iter().collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
                else {
                    self.fault(channel.span(), "this channel");
                    continue;
                };
                for (part, mut curve) in curves.into_iter().enumerate() {
                    time.iter().for_each(|time| time.fit(&mut curve));
                    let Some(curve) = delayed(curve, channel.shift(), time) else { continue };
                    tracks.lanes.push(Lane { property: property.into(), target, part, curve });
                }
            }
        }
        tracks
    }

    /// The place of an element among those that come and go.
    pub(super) fn actor(&mut self, element: ElementId, order: &mut DrawOrderBuilder) -> usize {
        let draw_order = &mut order.draw_order;
        let place = *order.places.entry(element).or_insert_with(|| {
            draw_order.elements.push(element);
            draw_order.drawn.push(!self.art.is_hidden(element));
            draw_order.member.push(None);
            draw_order.elements.len() - 1
        });
        self.mentions.push(Mention::Actor(element, place));
        place
    }

    /// The place of a path among those that can be painted in other ways; none after saying why there is none.
    fn look_of(
        &mut self,
        property: ArtProperty,
        art: &Spanned<String>,
        element: ElementId,
        order: &mut DrawOrderBuilder,
    ) -> Option<usize> {
        let is_width =
            is_of_trim(property) || matches!(property, ArtProperty::StrokeWidth | ArtProperty::DashOffset);
        if is_width && order.inks.iter().any(|ink| ink.path == element) {
            let (name, of) = (&art.value, property.row().name);
            let message = format!("art \"{name}\" has ink, so its `{of}` cannot change");
            let help = format!("key widths of the ink: ink: {{\"{name}\": {{0: [(0, 4), (1, 8)]}}}}");
            self.report(art.span, Diagnostic::error("not-possible-here", message).help(help));
            return None;
        }
        let shape = self.shape(element);
        let lacks = match shape {
            Some(shape) => shape.lacks(property),
            None if matches!(property, ArtProperty::Fill | ArtProperty::FillOpacity) => Some("fill"),
            None => Some("stroke"),
        };
        let Some(lacks) = lacks else {
            return match is_of_trim(property) {
                true => Some(self.trim_place(element, property == ArtProperty::TrimOffset, order)),
                false => self.look_place(element, order),
            };
        };
        let (name, of) = (&art.value, property.row().name);
        let message = format!("art \"{name}\" has no {lacks}, so its `{of}` cannot change");
        let gradient = shape.and_then(|shape| {
            let paint = match property {
                ArtProperty::Fill => shape.fill.map(|fill| fill.paint),
                _ => shape.stroke.as_ref().map(|stroke| stroke.paint),
            };
            let Paint::Gradient(id) = paint? else { return None };
            Some(self.art.gradient(id)?.id.clone())
        });
        let is_color = matches!(property, ArtProperty::Fill | ArtProperty::Stroke);
        let help = match (gradient, self.art.element(element).map(|element| element.kind)) {
            (Some(id), _) if lacks.ends_with("colour") => {
                format!("it has the gradient \"{id}\": give it one colour in the drawing program")
            }
            (_, Some(ElementKind::Group)) if is_color => {
                format!("`tint` colours a group; or name each path of the group that has a {lacks}")
            }
            (_, Some(ElementKind::Image)) if is_color => "`tint` colours an image".to_owned(),
            (_, Some(ElementKind::Group)) => format!("name each path of the group that has a {lacks}"),
            _ if lacks == "dashes" => "give its stroke dashes in the drawing program".to_owned(),
            _ => format!("give it a {lacks} in the drawing program"),
        };
        self.report(art.span, Diagnostic::error("no-paint", message).help(help));
        None
    }

    /// A path, as it is drawn.
    pub(super) fn shape(&self, element: ElementId) -> Option<&Shape> {
        self.art.shape_node(element).and_then(|node| self.art.node(node)?.shape())
    }

    /// The place of a path among those that can be painted in other ways.
    pub(super) fn look_place(&mut self, element: ElementId, order: &mut DrawOrderBuilder) -> Option<usize> {
        let values = self.shape(element)?.look_values();
        let looks = &mut order.draw_order.looks;
        let place = looks.iter().position(|(own, _)| *own == element).unwrap_or_else(|| {
            looks.push((element, values));
            looks.len() - 1
        });
        self.mentions.push(Mention::Look(element, place));
        Some(place)
    }

    /// The place of a path among those of which a part can be stroked.
    pub(super) fn trim_place(
        &mut self,
        element: ElementId,
        may_wrap: bool,
        order: &mut DrawOrderBuilder,
    ) -> usize {
        let trims = &mut order.draw_order.trims;
        let place = trims.iter().position(|own| *own == element).unwrap_or_else(|| {
            trims.push(element);
            order.may_wrap.push(false);
            trims.len() - 1
        });
        order.may_wrap[place] |= may_wrap;
        self.mentions.push(Mention::Trim(element, place, may_wrap));
        place
    }

    /// The place of art among that which can be tinted.
    pub(super) fn tint_place(&mut self, element: ElementId, order: &mut DrawOrderBuilder) -> usize {
        let tints = &mut order.draw_order.tints;
        let place = tints.iter().position(|own| *own == element).unwrap_or_else(|| {
            tints.push(element);
            tints.len() - 1
        });
        self.mentions.push(Mention::Tint(element, place));
        place
    }

    /// Warns if `order` has no effect on an element, and names the isolated group around it.
    fn alone(&mut self, art: &Spanned<String>, element: ElementId) {
        let Some(OrderScope { isolation, around, alone: true }) = self.art.order_scope(element) else {
            return;
        };
        let name = &art.value;
        let Some((isolation, around)) = isolation.zip(around) else {
            let message = format!("`order` has no effect on art \"{name}\": nothing else is drawn");
            return self.report(art.span, Diagnostic::warning("no-effect", message));
        };
        let (group, why) = (self.art.shown_name(around), isolated_by(isolation));
        let message = format!(
            "`order` has no effect on art \"{name}\": it is the only art in \"{group}\", which is an isolated group because of {why}"
        );
        let help = format!("set `order` of \"{group}\" instead, or remove {why} in the drawing");
        let warning = Diagnostic::warning("no-effect", message).help(help);
        let warning = match self.art.element(around) {
            Some(found) => {
                warning.related(Place::new(self.drawing, Span::from_range(&found.source)), "it is here")
            }
            None => warning,
        };
        self.report(art.span, warning);
    }

    /// Which switch a group is, and which of its children it shows.
    fn switch(
        &mut self,
        art: &Spanned<String>,
        group: ElementId,
        channel: &Channel<Option<String>>,
        order: &mut DrawOrderBuilder,
    ) -> Option<(usize, Vec<Option<Curve<f64>>>)> {
        let kind = self.art.element(group).map(|element| element.kind);
        if kind != Some(ElementKind::Group) {
            let message =
                format!("`switch` shows one child of a group, and art \"{}\" is not a group", art.value);
            self.error(
                art.span,
                message,
                "put the children to choose from into a group in the drawing program",
            );
            return None;
        }
        let switch = self.switch_of(group, order);
        let mut places: BTreeMap<&str, f64> = BTreeMap::new();
        let mut whole = true;
        for key in &channel.keys {
            let Some(name) = &key.value.value else { continue };
            if places.contains_key(name.as_str()) {
                continue;
            }
            let child = self.child(art, group, &Spanned::new(name.clone(), key.value.span));
            let member = child.and_then(|child| order.draw_order.member[*order.places.get(&child)?]);
            let place = member.filter(|(of, _)| *of == switch).map(|(_, place)| place);
            whole &= place.is_some();
            places.insert(name, place.map_or(NOTHING, |place| place as f64));
        }
        let value = |name: &Option<String>| {
            name.as_ref().and_then(|name| places.get(name.as_str())).copied().unwrap_or(NOTHING)
        };
        whole.then(|| (switch, vec![steps(channel, value)]))
    }

    /// Which switch a text is, and which of its words it shows.
    fn words(
        &mut self,
        art: &Spanned<String>,
        text: ElementId,
        channel: &Channel<Option<String>>,
        order: &mut DrawOrderBuilder,
    ) -> Option<(usize, Vec<Option<Curve<f64>>>)> {
        let kind = self.art.element(text).map(|element| element.kind);
        let (name, of) = (&art.value, "so its words cannot change");
        if kind != Some(ElementKind::Text) {
            let help = match kind {
                Some(ElementKind::Group) => "name the text in the group",
                Some(ElementKind::Use) => "name the text that it clones",
                _ => "draw it as a text, which is not converted to paths",
            };
            let message = format!("art \"{name}\" is not a text, {of}");
            self.report(art.span, Diagnostic::error("no-text", message).help(help));
            return None;
        }
        for key in &channel.keys {
            let letters = key.value.value.iter().flat_map(|words| words.chars()).count() as u64;
            if letters > MAX_LETTERS {
                let message = format!(
                    "these words of \"{name}\" have {letters} letters, and a text has at most {MAX_LETTERS}"
                );
                self.error(key.value.span, message, "make several texts of them");
                return None;
            }
        }
        let drawing = self.art;
        if drawing.children(text).next().is_none() {
            let message = format!("text \"{name}\" is in a definition or a clip path, {of}");
            let help = "move it into a group of the drawing";
            self.report(art.span, Diagnostic::error("not-possible-here", message).help(help));
            return None;
        }
        let switch = self.switch_of(text, order);
        let children = &order.draw_order.switches[switch].children;
        let child = |words: &str| {
            let elements = children.iter().map(|k| drawing.element(order.draw_order.elements[*k]));
            let has =
                |element: Option<&Element>| element.is_some_and(|it| it.words.as_deref() == Some(words));
            elements.map(has).position(|has| has)
        };
        // Words without letters, and those that no font has, draw nothing.
        let value =
            |words: &Option<String>| words.as_deref().and_then(child).map_or(NOTHING, |place| place as f64);
        Some((switch, vec![steps(channel, value)]))
    }

    pub(super) fn switch_of(&mut self, group: ElementId, order: &mut DrawOrderBuilder) -> usize {
        if let Some(switch) = order.switches.get(&group) {
            self.mentions.push(Mention::Switch(group, *switch));
            return *switch;
        }
        let switch = order.draw_order.switches.len();
        let drawing = self.art;
        let is_drawn = |id: &ElementId| {
            drawing.element(*id).is_some_and(|element| element.state == bone_drawing::ElementState::Drawn)
        };
        let children = drawing.children(group).filter(is_drawn);
        let children: Vec<usize> = children.map(|child| self.actor(child, order)).collect();
        for (child, k) in children.iter().enumerate() {
            order.draw_order.member[*k] = Some((switch, child));
        }
        order.draw_order.switches.push(Switch { group, children });
        order.switches.insert(group, switch);
        self.mentions.push(Mention::Switch(group, switch));
        switch
    }

    /// A child of a group; none after saying why there is none.
    pub(super) fn child(
        &mut self,
        art: &Spanned<String>,
        group: ElementId,
        name: &Spanned<String>,
    ) -> Option<ElementId> {
        const SHOWN: usize = 12;
        let error = match self.art.find_child(group, &name.value) {
            Ok(child) => return Some(child),
            Err(error) => error,
        };
        let diagnostic = match error {
            FindError::Missing { .. } => {
                let message =
                    format!("group \"{}\" has no child with the name \"{}\"", art.value, name.value);
                let children: Vec<String> =
                    self.art.children(group).map(|child| self.art.shown_name(child)).collect();
                let missing = Diagnostic::error("unknown-art", message)
                    .suggest(&name.value, children.iter().map(String::as_str));
                let list: Vec<String> =
                    children.iter().take(SHOWN).map(|child| format!("\"{child}\"")).collect();
                match list.as_slice() {
                    [] => missing.help("the group has no children"),
                    list => missing.help(format!("its children are {}", list.join(", "))),
                }
            }
            FindError::Ambiguous { candidates, addresses, .. } => {
                let message = format!(
                    "group \"{}\" has {} children with the name \"{}\"",
                    art.value,
                    candidates.len(),
                    name.value
                );
                Diagnostic::error("ambiguous-art", message)
                    .help(format!("use one of the names \"{}\"", addresses.join("\" or \"")))
            }
            FindError::NotDrawn { reason, .. } => {
                let message = format!("\"{}\" is in the drawing, but it is not drawn: {reason}", name.value);
                Diagnostic::error("not-drawn", message)
            }
            other => Diagnostic::error("not-drawn", other.to_string()),
        };
        self.report(name.span, diagnostic);
        None
    }

    /// Whether all drivers together leave the art of the setup pose as the drawing has it. Each that has a
    /// part in what differs is warned of.
    pub(super) fn neutral_art(&mut self, drivers: &[RigDriver], order: &DrawOrderBuilder) {
        let doc = self.doc;
        // One is unusable, which was reported.
        if drivers.len() != doc.drivers.len() {
            return;
        }
        let draw_order = &order.draw_order;
        let mut together = ArtPose::new(draw_order);
        for driver in drivers {
            driver.art.drive(draw_order, driver.at_rest(&draw_order.sliders), &mut together);
        }
        let help = "key the value of the drawing for the setup pose, otherwise the setup pose differs from the drawing";
        for (doc, driver) in doc.drivers.iter().zip(drivers) {
            let mut alone = ArtPose::new(draw_order);
            driver.art.drive(draw_order, driver.at_rest(&draw_order.sliders), &mut alone);
            for art in &doc.art {
                let (name, Ok(element)) = (&art.art.value, self.art.find(&art.art.value)) else { continue };
                if let (Some(channel), Some(&k)) =
                    (art.values.flag(ArtProperty::Visible), order.places.get(&element))
                    && let visible = together.visible(draw_order, k)
                    && alone.visible(draw_order, k) == visible
                    && visible.is_some_and(|visible| visible != draw_order.drawn[k])
                {
                    let (does, drawn) =
                        if draw_order.drawn[k] { ("hides", "shows") } else { ("shows", "hides") };
                    let message = format!(
                        "in the setup pose this driver {does} \"{name}\", and the drawing {drawn} it"
                    );
                    self.report(channel.span, Diagnostic::warning("changes-setup-pose", message).help(help));
                }
                for property in ArtProperty::ALL.iter().copied().filter(is_of_path) {
                    let value = |pose: &ArtPose| pose.get(draw_order, property, element);
                    if let Some(channel) = art.values.get(property)
                        && value(&alone) == value(&together)
                        && value(&together) != value(&ArtPose::new(draw_order))
                    {
                        let message = format!(
                            "in the setup pose this driver gives \"{name}\" another `{}` than the drawing",
                            property.row().name
                        );
                        self.report(
                            channel.span(),
                            Diagnostic::warning("changes-setup-pose", message).help(help),
                        );
                    }
                }
                let chosen =
                    art.values.name(ArtProperty::Switch).map(|channel| (channel, "another child of "));
                let chosen =
                    chosen.or_else(|| Some((art.values.name(ArtProperty::Text)?, "other words of ")));
                if let (Some((channel, shown)), Some(&switch)) = (chosen, order.switches.get(&element))
                    && let choice = together.choice(draw_order, switch)
                    && alone.choice(draw_order, switch) == choice
                    && !draw_order.is_as_drawn(switch, choice)
                {
                    let message =
                        format!("in the setup pose this driver shows {shown}\"{name}\" than the drawing");
                    self.report(channel.span, Diagnostic::warning("changes-setup-pose", message).help(help));
                }
            }
        }
    }
}

/// Whether a property is how a path is painted, or the colours of art.
fn is_of_path(property: &ArtProperty) -> bool {
    place_in_look(*property).is_some() || is_of_trim(*property) || is_of_tint(*property)
}

/// What makes a group a picture of its own.
fn isolated_by(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Clip => "its clip path",
        Isolation::Mask => "its mask",
        Isolation::Opacity => "its opacity",
        Isolation::Filter => "its filter",
        Isolation::Blend => "its blend mode",
        Isolation::Isolate => "its isolation",
    }
}

/// A channel whose values hold until the next key.
fn steps<T>(channel: &Channel<T>, value: impl Fn(&T) -> f64) -> Option<Curve<f64>> {
    let held = |value: f64| if value.is_finite() { value } else { f64::ZERO };
    let keys = channel.keys.iter().map(|key| (key.time.value, held(value(&key.value.value))));
    let keys = keys.map(|(time, value)| bone_core::clip::Key { time, value, ease: Ease::Hold });
    Curve::new(keys.collect(), channel.extend.map(|extend| extend.value).unwrap_or_default()).ok()
}
