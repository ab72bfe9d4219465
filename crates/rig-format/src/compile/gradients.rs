//! Compiles keys of gradients: names become gradients of the drawing, numbers of stops places among their values.

use std::collections::BTreeMap;

use bone_core::clip::{ClipTime, Properties as _};
use bone_drawing::{Gradient, GradientId, GradientKind, GradientProperty, KeyedGradient, Paint};
use kurbo::Vec2;

use super::art::DrawOrderBuilder;
use super::memory::{GradientOf, Mention};
use super::pass::Pass;
use crate::curves::curve;
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, GradientKeysDoc, Rgb};
use crate::span::Spanned;
use bone_rig::{RowProperty, parts::Lane};

impl<'a> Pass<'a> {
    /// What a clip does with gradients.
    pub(super) fn gradient_lanes(
        &mut self,
        docs: &[GradientKeysDoc],
        time: Option<ClipTime>,
        order: &mut DrawOrderBuilder,
    ) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let mut seen: BTreeMap<usize, &Spanned<String>> = BTreeMap::new();
        for doc in docs {
            let Some(of) = self.gradient_of(&doc.gradient) else { continue };
            let target = self.gradient_place(of, order);
            if let Some(first) = seen.insert(target, &doc.gradient) {
                // The same name twice was reported when the document was read.
                if first.value != doc.gradient.value {
                    let message =
                        format!("gradient \"{}\" is listed twice, under two names", doc.gradient.value);
                    let other = self.doc.place(first.span);
                    let twice = Diagnostic::error("duplicate", message).related(other, "first here");
                    self.report(doc.gradient.span, twice);
                }
                continue;
            }
            let Some(gradient) = self.art.gradient(of.0) else { continue };
            for (property, channel) in doc.values.iter() {
                if property.is_of(&gradient.kind) {
                    let row = RowProperty::Gradient(property);
                    self.gradient_channel((row, target, property.place()), channel, time, &mut lanes);
                } else {
                    self.other_ends(doc, gradient, property, channel);
                }
            }
            for (property, stop, channel) in doc.stops() {
                let (number, count) = (stop.value as usize, gradient.stops.len());
                if number < count {
                    let row = RowProperty::Stop(property);
                    self.gradient_channel((row, target, property.place(number)), &channel, time, &mut lanes);
                    continue;
                }
                let name = &doc.gradient.value;
                let message = format!("gradient \"{name}\" has {count} stops, and this is stop {number}");
                let help = format!("stops are numbered from 0: the last one is {}", count.saturating_sub(1));
                self.report(stop.span, Diagnostic::error("out-of-range", message).help(help));
            }
        }
        lanes
    }

    /// Adds the lanes of a channel, whose first number is at a place among the values of a gradient or of a step of a filter.
    pub(super) fn gradient_channel(
        &mut self,
        (row, target, first): (RowProperty, usize, usize),
        channel: &AnyChannel,
        time: Option<ClipTime>,
        lanes: &mut Vec<Lane>,
    ) {
        match channel {
            AnyChannel::Number(channel) => {
                let curve = curve(channel, |value: f64| value);
                self.lane((row, target, first), curve, (channel, channel.span), time, lanes);
            }
            AnyChannel::Pair(channel) => {
                for part in 0..2 {
                    let curve = curve(channel, |value: Vec2| [value.x, value.y][part]);
                    self.lane((row, target, first + part), curve, (channel, channel.span), time, lanes);
                }
            }
            AnyChannel::Color(channel) => {
                for part in 0..3 {
                    let curve = curve(channel, |Rgb(color)| f64::from(color[part]));
                    self.lane((row, target, first + part), curve, (channel, channel.span), time, lanes);
                }
            }
            AnyChannel::Flag(_) | AnyChannel::Name(_) | AnyChannel::Shape(_) => {}
        }
    }

    /// Reports ends that a gradient of this kind does not have.
    fn other_ends(
        &mut self,
        doc: &GradientKeysDoc,
        gradient: &Gradient,
        property: GradientProperty,
        channel: &AnyChannel,
    ) {
        let kind = if matches!(gradient.kind, GradientKind::Linear { .. }) { "linear" } else { "radial" };
        let own = GradientProperty::ALL.iter().filter(|own| own.is_of(&gradient.kind));
        let own: Vec<String> = own.map(|own| format!("`{}`", own.row().name)).collect();
        let (name, of) = (&doc.gradient.value, property.row().name);
        let message = format!("gradient \"{name}\" is {kind} and has no `{of}`");
        let help = format!("a {kind} gradient has {}", own.join(", "));
        self.report(channel.span(), Diagnostic::error("not-possible-here", message).help(help));
    }

    /// The place of a gradient among those whose ends and stops change.
    pub(super) fn gradient_place(&mut self, of: GradientOf, order: &mut DrawOrderBuilder) -> usize {
        let place = order.gradients.iter().position(|(own, _)| *own == of).unwrap_or_else(|| {
            let values = self.art.gradient(of.0).map(Gradient::values).unwrap_or_default();
            let (gradients, numbers) = (self.same_gradients(of.0), values.len());
            order.gradients.push((of, KeyedGradient { gradients, of: of.1, numbers }));
            order.draw_order.gradients.push(values);
            order.gradients.len() - 1
        });
        self.mentions.push(Mention::Gradient(of, place));
        place
    }

    /// A gradient with those that usvg has made of it for further boxes: these have ids of their own.
    fn same_gradients(&self, id: GradientId) -> Vec<GradientId> {
        let Some(gradient) = self.art.gradient(id) else { return Vec::new() };
        let alike = |other: &Gradient| {
            (&other.kind, &other.stops, other.spread) == (&gradient.kind, &gradient.stops, gradient.spread)
                && of_actor(&other.id).0 == of_actor(&gradient.id).0
        };
        let named = self.art.gradients().iter().filter(|other| alike(other) && !is_made(other)).count();
        // Where several gradients are alike it is not known of which one they are.
        let takes =
            |other: &Gradient| other.id == gradient.id || named == 1 && is_made(other) && alike(other);
        self.all_gradients().filter(|(_, other)| takes(other)).map(|(id, _)| id).collect()
    }

    /// All gradients that shapes of the drawing have, each at most once.
    fn all_gradients(&self) -> impl Iterator<Item = (GradientId, &'a Gradient)> + use<'a> {
        let art = self.art;
        let paints = art.nodes().iter().filter_map(|node| node.shape()).flat_map(|shape| {
            let stroke = shape.stroke.as_ref().map(|stroke| stroke.paint);
            [shape.fill.map(|fill| fill.paint), stroke].into_iter().flatten()
        });
        let ids = paints.filter_map(|paint| if let Paint::Gradient(id) = paint { Some(id) } else { None });
        let ids: std::collections::BTreeSet<GradientId> = ids.collect();
        ids.into_iter().filter_map(|id| Some((id, art.gradient(id)?)))
    }

    /// The gradient of a name; none after saying why there is none.
    fn gradient_of(&mut self, name: &Spanned<String>) -> Option<GradientOf> {
        let of_name = self.all_gradients().find(|(_, gradient)| gradient.id == name.value);
        if let Some((id, _)) = of_name {
            return Some((id, None));
        }
        let text = &name.value;
        if let Some(pattern) = self.art.patterns().iter().find(|pattern| pattern.id == *text) {
            let message = format!("\"{}\" is a pattern, and `paints` has keys of gradients", pattern.id);
            let help = "`tint` colours art with a pattern";
            self.report(name.span, Diagnostic::error("no-paint", message).help(help));
            return None;
        }
        let of_art = [(".fill", false), (".stroke", true)];
        let of_art = of_art.into_iter().find_map(|(end, stroke)| Some((text.strip_suffix(end)?, stroke)));
        if let Some((art, of_stroke)) = of_art {
            return self.gradient_of_art(name, art, of_stroke);
        }
        let names: Vec<&str> = self
            .all_gradients()
            .map(|(_, gradient)| gradient)
            .filter(|it| !is_made(it))
            .map(|it| it.id.as_str())
            .collect();
        let message = format!("no art has a gradient with the id \"{text}\"");
        let unknown = Diagnostic::error("unknown-gradient", message).suggest(text, names.iter().copied());
        let unknown = match names.as_slice() {
            [] => unknown.help("the drawing has no gradients"),
            _ => unknown
                .help("write the id of a gradient, or that of art with .fill or .stroke: \"coat.fill\""),
        };
        self.report(name.span, unknown);
        None
    }

    fn gradient_of_art(&mut self, name: &Spanned<String>, art: &str, of_stroke: bool) -> Option<GradientOf> {
        let element = self.find(&Spanned::new(art.to_owned(), name.span))?;
        let shape = self.shape(element);
        let paint = shape.and_then(|shape| match of_stroke {
            true => shape.stroke.as_ref().map(|stroke| stroke.paint),
            false => shape.fill.map(|fill| fill.paint),
        });
        let field = if of_stroke { "stroke" } else { "fill" };
        let (is, help) = match paint {
            Some(Paint::Gradient(id)) => return Some((id, Some((element, of_stroke)))),
            Some(Paint::Color(_)) => ("has one colour", format!("key `{field}` of \"{art}\" in `art`")),
            Some(Paint::Pattern(_)) => ("is a pattern", "`tint` colours art with a pattern".to_owned()),
            None if shape.is_some() => {
                ("is none", format!("give it a gradient as its {field} in the drawing program"))
            }
            None => ("is that of several paths, or of none", "name a path that has a gradient".to_owned()),
        };
        let message = format!("the {field} of art \"{art}\" {is}, and `paints` has keys of gradients");
        self.report(name.span, Diagnostic::error("no-paint", message).help(help));
        None
    }
}

/// The actor of a scene before the id of a definition, and the id in its own drawing.
pub(super) fn of_actor(id: &str) -> (&str, &str) {
    id.split_once('/').unwrap_or(("", id))
}

/// Whether a gradient has an id that usvg makes for a copy.
fn is_made(gradient: &Gradient) -> bool {
    let number = ["linearGradient", "radialGradient"]
        .iter()
        .find_map(|start| of_actor(&gradient.id).1.strip_prefix(start));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
