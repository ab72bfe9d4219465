//! Compiles ink: what the rig says of it, else the drawing, and keys of widths.

use std::collections::BTreeMap;

use bone_core::clip::ClipTime;
use bone_drawing::{ElementId, InkPlace, InkProfile, InkProperty, InkedStroke};
use bone_rig::{RowProperty, parts::Lane};
use kurbo::PathEl;

use super::art::DrawOrderBuilder;
use super::memory::Mention;
use super::pass::Pass;
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, InkDoc, InkKeysDoc};
use crate::span::{Span, Spanned};

/// The part of the tolerance that sides of ink may take; its path has the rest.
const SHARE: f64 = 0.25;

impl Pass<'_> {
    /// The ink of all paths: that of the rig, else that of the drawing.
    pub(super) fn inks(&mut self, order: &mut DrawOrderBuilder) {
        let doc = self.doc;
        let mut own: BTreeMap<ElementId, (Span, Option<InkProfile>)> = BTreeMap::new();
        for ink in &doc.ink {
            let Some((path, _)) = self.find(&ink.art).and_then(|element| self.path(&ink.art, element)) else {
                continue;
            };
            let profile = self.ink_of(ink, path);
            if let Some((first, _)) = own.insert(path, (ink.art.span, profile)) {
                let message =
                    format!("the ink of art \"{}\" is listed twice, under two names", ink.art.value);
                let other = self.doc.place(first);
                self.report(
                    ink.art.span,
                    Diagnostic::error("duplicate", message).related(other, "first here"),
                );
            }
        }
        let drawn = self.art.inks().iter().filter(|(path, _)| !own.contains_key(path));
        let drawn: Vec<_> = drawn.map(|(path, profile)| (*path, profile.clone())).collect();
        let written = own.into_iter().filter_map(|(path, (_, profile))| Some((path, profile?)));
        let mut inks: Vec<_> = written.chain(drawn).collect();
        inks.sort_by_key(|(path, _)| *path);
        for (path, profile) in inks {
            let mut widest = profile.values();
            for (place, sides) in self.keyed_reach(path) {
                if let Some(reach) = widest.get_mut(2 * place..2 * place + 2) {
                    reach.iter_mut().zip(sides).for_each(|(reach, side)| *reach = reach.max(side));
                }
            }
            order.draw_order.inks.push((path, profile.values()));
            let (pieces, tolerance) = (kurbo::BezPath::new(), SHARE * self.tolerance(&doc.follow));
            order.inks.push(InkedStroke { path, pieces, profile, widest, tolerance });
        }
    }

    /// The reach that clips key of a path, by the number of its place.
    fn keyed_reach(&self, path: ElementId) -> Vec<(usize, [f64; 2])> {
        let keyed = self.doc.clips.iter().flat_map(|clip| &clip.ink);
        let keyed = keyed.filter(|ink| {
            let found = self.art.find(&ink.art.value).ok();
            found.and_then(|element| self.art_index.only_path(element)) == Some(path)
        });
        let places = keyed.flat_map(|ink| &ink.places);
        let values = places.flat_map(|(place, channel)| {
            channel.keys.iter().map(|key| (place.value as usize, [key.value.value.x, key.value.value.y]))
        });
        values.collect()
    }

    /// The ink of a path as it is written; none after saying why it cannot have any.
    fn ink_of(&mut self, ink: &InkDoc, path: ElementId) -> Option<InkProfile> {
        let name = &ink.art.value;
        let shape = self.shape(path);
        let Some((shape, stroke)) = shape.and_then(|shape| Some((shape, shape.stroke.as_ref()?))) else {
            let message = format!("art \"{name}\" has no stroke, so it cannot have ink");
            let help = "give it a stroke in the drawing program: its paint is that of the ink";
            self.report(ink.art.span, Diagnostic::error("no-paint", message).help(help));
            return None;
        };
        if !stroke.dashes.is_empty() {
            let message = format!("art \"{name}\" has dashes, and ink has none");
            let help = "take its dashes away in the drawing program, or its ink";
            self.report(ink.art.span, Diagnostic::error("not-possible-here", message).help(help));
            return None;
        }
        let places = ink
            .at
            .keys
            .iter()
            .map(|key| InkPlace { at: key.time.value, sides: [key.value.value.x, key.value.value.y] });
        let profile = InkProfile {
            places: places.collect(),
            caps: [ink.cap.map_or(stroke.cap, |cap| cap.value.into()); 2],
            join: ink.join.map_or(stroke.join, |join| join.value.into()),
            miter_limit: stroke.miter_limit.max(1.0),
        };
        let is_closed = shape.outline.elements().contains(&PathEl::ClosePath);
        if is_closed {
            self.ink_ends(ink, &profile);
        }
        let clones =
            |node: &bone_drawing::Node| node.element == Some(path) && !node.own && node.shape().is_some();
        if self.art.nodes().iter().any(clones) {
            let message = format!("clones of art \"{name}\" keep its plain stroke");
            let help = "ink is drawn for the path itself; unlink the clones in the drawing program";
            self.report(ink.art.span, Diagnostic::warning("no-effect", message).help(help));
        }
        // What is not sound was reported.
        profile.is_sound().then_some(profile)
    }

    /// Warns of a closed path whose ink does not end as it starts.
    fn ink_ends(&mut self, ink: &InkDoc, profile: &InkProfile) {
        let [Some(first), Some(last)] = [profile.places.first(), profile.places.last()] else { return };
        if first.sides == last.sides {
            return;
        }
        let message =
            format!("art \"{}\" is closed, and its ink does not end as wide as it starts", ink.art.value);
        let help = "give the first and the last place one width, or the ink has a step there";
        self.report(ink.at.span, Diagnostic::warning("ink-step", message).help(help));
    }

    /// What a clip does with ink.
    pub(super) fn ink_lanes(
        &mut self,
        docs: &[InkKeysDoc],
        time: Option<ClipTime>,
        order: &DrawOrderBuilder,
    ) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let mut seen: BTreeMap<usize, &Spanned<String>> = BTreeMap::new();
        for doc in docs {
            let name = &doc.art.value;
            let Some((path, _)) = self.find(&doc.art).and_then(|element| self.path(&doc.art, element)) else {
                continue;
            };
            let Some(target) = order.inks.iter().position(|ink| ink.path == path) else {
                let message = format!("art \"{name}\" has no ink, so its widths cannot change");
                let help = format!("add ink: {{\"{name}\": (at: [(0, 4), (1, 4)])}} to the rig");
                self.report(doc.art.span, Diagnostic::error("no-paint", message).help(help));
                continue;
            };
            self.mentions.push(Mention::Ink(path, target));
            if let Some(first) = seen.insert(target, &doc.art) {
                let message = format!("the ink of art \"{name}\" is listed twice, under two names");
                let other = self.doc.place(first.span);
                self.report(
                    doc.art.span,
                    Diagnostic::error("duplicate", message).related(other, "first here"),
                );
                continue;
            }
            let count = order.inks[target].profile.places.len();
            for (place, channel) in &doc.places {
                let number = place.value as usize;
                if number >= count {
                    let message =
                        format!("the ink of \"{name}\" has {count} places, and this is place {number}");
                    let help =
                        format!("places are numbered from 0: the last one is {}", count.saturating_sub(1));
                    self.report(place.span, Diagnostic::error("out-of-range", message).help(help));
                    continue;
                }
                let row = (RowProperty::Ink(InkProperty::Width), target, 2 * number);
                self.gradient_channel(row, &AnyChannel::Pair(channel.clone()), time, &mut lanes);
            }
        }
        lanes
    }
}
