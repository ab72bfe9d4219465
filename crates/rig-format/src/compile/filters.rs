//! Compiles keys of filters: names become steps of filters of the drawing.

use std::collections::BTreeMap;

use bone_core::clip::ClipTime;
use bone_drawing::{Filter, FilterId, FilterProperty, KeyedStep};

use super::art::DrawOrderBuilder;
use super::gradients::of_actor;
use super::memory::{Mention, StepOf};
use super::pass::Pass;
use crate::diagnostic::Diagnostic;
use crate::doc::FilterKeysDoc;
use crate::span::{Span, Spanned};
use bone_rig::{RowProperty, parts::Lane};

impl Pass<'_> {
    /// What a clip does with filters.
    pub(super) fn filter_lanes(
        &mut self,
        docs: &[FilterKeysDoc],
        time: Option<ClipTime>,
        order: &mut DrawOrderBuilder,
    ) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let mut seen: BTreeMap<(usize, FilterProperty), Span> = BTreeMap::new();
        for doc in docs {
            let Some((id, of, only)) = self.filter_of(&doc.filter) else { continue };
            let Some(filter) = self.art.filter(id) else { continue };
            for (property, channel) in doc.values.iter() {
                let Some(step) = self.step_with(doc, filter, property, (only, channel.span())) else {
                    continue;
                };
                let target = self.step_place((id, of, step), order);
                if let Some(first) = seen.insert((target, property), channel.span()) {
                    let message = format!(
                        "`{}` of this step of filter \"{}\" is keyed twice, under two names",
                        property.row().name,
                        filter.id
                    );
                    let other = self.doc.place(first);
                    let twice = Diagnostic::error("duplicate", message).related(other, "first here");
                    self.report(channel.span(), twice);
                    continue;
                }
                let row = (RowProperty::FilterStep(property), target, property.place());
                self.gradient_channel(row, channel, time, &mut lanes);
            }
        }
        lanes
    }

    /// The step of a filter that has a property: the one that is named, else the only one.
    fn step_with(
        &mut self,
        doc: &FilterKeysDoc,
        filter: &Filter,
        property: FilterProperty,
        (only, span): (Option<usize>, Span),
    ) -> Option<usize> {
        let steps = filter.steps.iter().enumerate();
        let with: Vec<usize> = steps.filter(|(_, step)| property.is_of(step)).map(|(at, _)| at).collect();
        let (name, of) = (&doc.filter.value, property.row().name);
        let (message, help) = match (only, with.as_slice()) {
            (Some(only), _) if with.contains(&only) => return Some(only),
            (None, [one]) => return Some(*one),
            (Some(only), _) => {
                let tag = filter.steps.get(only).map_or("", |step| &step.tag);
                (format!("this step of the filter is `{tag}` and has no `{of}`"), listed(filter))
            }
            (None, []) => (format!("filter \"{name}\" has no step with `{of}`"), listed(filter)),
            (None, several) => {
                let names: Vec<String> = several.iter().map(|at| format!("\"{name}/#{}\"", at + 1)).collect();
                let message = format!("filter \"{name}\" has {} steps with `{of}`", several.len());
                (message, format!("name one of them: {}", names.join(", ")))
            }
        };
        self.report(span, Diagnostic::error("not-possible-here", message).help(help));
        None
    }

    /// The place of a step among those whose numbers change.
    pub(super) fn step_place(&mut self, of: StepOf, order: &mut DrawOrderBuilder) -> usize {
        let (id, art, step) = of;
        let place = order.filter_steps.iter().position(|(own, _)| *own == of).unwrap_or_else(|| {
            let filter = self.art.filter(id);
            let values = filter.and_then(|filter| filter.steps.get(step)).map(|step| step.values);
            let filters = if art.is_some() { vec![id] } else { self.same_filters(id) };
            order.filter_steps.push((of, KeyedStep { filters, of: art, step }));
            order.draw_order.filter_steps.push(values.unwrap_or_default());
            order.filter_steps.len() - 1
        });
        self.mentions.push(Mention::FilterStep(of, place));
        place
    }

    /// A filter with those that usvg has made of it for further boxes: these have ids of their own.
    fn same_filters(&self, id: FilterId) -> Vec<FilterId> {
        let Some(filter) = self.art.filter(id) else { return Vec::new() };
        let alike = |other: &Filter| {
            let is_of_actor = of_actor(&other.id).0 == of_actor(&filter.id).0;
            other.steps == filter.steps && other.rect != filter.rect && is_of_actor
        };
        let takes = |other: &Filter| other.id == filter.id || is_made(&other.id) && alike(other);
        self.art
            .filters()
            .iter()
            .enumerate()
            .filter(|(_, it)| takes(it))
            .map(|(at, _)| FilterId::from_index(at))
            .collect()
    }

    /// The filter of a name, the art that has it for itself, and the step; none after saying why there is none.
    fn filter_of(
        &mut self,
        name: &Spanned<String>,
    ) -> Option<(FilterId, Option<bone_drawing::ElementId>, Option<usize>)> {
        let text = name.value.as_str();
        let with_id = |id: &str| {
            let place = self.art.filters().iter().position(|filter| filter.id == id);
            place.map(FilterId::from_index)
        };
        let (found, step) = match (with_id(text), text.split_once(".filter"), text.rsplit_once('/')) {
            (Some(id), ..) => ((id, None), None),
            (None, Some((art, rest)), _) if rest.is_empty() || rest.starts_with('/') => {
                let element = self.find(&Spanned::new(art.to_owned(), name.span))?;
                let [id] = *self.art.filters_of(element) else {
                    let message = match self.art.filters_of(element).len() {
                        0 => format!("art \"{art}\" has no filter"),
                        several => format!("art \"{art}\" has {several} filters"),
                    };
                    let help = "name a filter by its id, or art that has one filter";
                    self.report(name.span, Diagnostic::error("unknown-filter", message).help(help));
                    return None;
                };
                ((id, Some(element)), rest.strip_prefix('/'))
            }
            (None, _, Some((base, step))) if with_id(base).is_some() => ((with_id(base)?, None), Some(step)),
            _ => {
                let filters = self.art.filters();
                let names: Vec<&str> =
                    filters.iter().map(|it| it.id.as_str()).filter(|id| !is_made(id)).collect();
                let message = format!("no art has a filter with the id \"{text}\"");
                let unknown =
                    Diagnostic::error("unknown-filter", message).suggest(text, names.iter().copied());
                let unknown = match names.as_slice() {
                    [] => unknown.help("the drawing has no filters with an id"),
                    _ => {
                        unknown.help("write the id of a filter, or that of art with .filter: \"coat.filter\"")
                    }
                };
                self.report(name.span, unknown);
                return None;
            }
        };
        let Some(step) = step else { return Some((found.0, found.1, None)) };
        let filter = self.art.filter(found.0)?;
        let number = step.strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
        let place = filter.steps.iter().position(|own| own.attribute("result") == Some(step));
        let place = place.or_else(|| number?.checked_sub(1)).filter(|place| *place < filter.steps.len());
        if place.is_none() {
            let message = format!("filter \"{}\" has no step \"{step}\"", filter.id);
            self.report(name.span, Diagnostic::error("unknown-filter", message).help(listed(filter)));
        }
        Some((found.0, found.1, Some(place?)))
    }
}

/// The steps of a filter, for a message.
fn listed(filter: &Filter) -> String {
    const SHOWN: usize = 8;
    let step = |(at, step): (usize, &bone_drawing::FilterStep)| format!("#{} `{}`", at + 1, step.tag);
    let steps: Vec<String> = filter.steps.iter().enumerate().take(SHOWN).map(step).collect();
    format!("its steps are {}", steps.join(", "))
}

/// Whether an id is one that usvg makes for a copy.
fn is_made(id: &str) -> bool {
    of_actor(id)
        .1
        .strip_prefix("filter")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
