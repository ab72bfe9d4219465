//! The document of a rig as a part of that of a scene: its names begin with the name of the actor, its lengths are those
//! of the scene's canvas, and what stayed on its canvas is carried by a bone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bone_core::spring::Wind;
use bone_drawing::{Drawing, ElementId};
use kurbo::{Point, Vec2};

use crate::diagnostic::Diagnostics;
use crate::doc::RigDoc;
use crate::read::read_whole;
use crate::session::DocValue;
use crate::session::names::{Named, uses};
use crate::session::path::{at, at_mut};
use crate::span::{SourceId, Span};
use crate::text::{Syntax, parse_as};
use crate::write::{Digits, NumberHand, node};

/// The bone of the actor until all are renamed: no rig has one of this name.
const CARRIER: &str = "\u{1}";

/// Where an actor is on the canvas of its scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActorPlacement {
    pub(super) scale: f64,
    pub(super) shift: Vec2,
}

impl ActorPlacement {
    /// From its own canvas to that of the scene.
    pub(super) fn of(self, at: Point) -> Point {
        (self.scale * at.to_vec2() + self.shift).to_point()
    }
}

/// A rig that becomes a part.
pub(super) struct ActorPart<'a> {
    pub(super) name: &'a str,
    pub(super) doc: &'a RigDoc,
    pub(super) art: &'a Drawing,
    pub(super) placement: ActorPlacement,
    /// The drawing of the scene.
    pub(super) stage: &'a Drawing,
    /// Frames a second of the scene.
    pub(super) fps: f64,
    /// The folder of the rig as seen from that of the scene, with a slash behind it.
    pub(super) folder: &'a str,
}

/// A document without places, and labels for art that has only an address.
pub(super) struct PlacedActor {
    pub(super) doc: RigDoc,
    /// The same as a value.
    pub(super) value: DocValue,
    pub(super) labels: BTreeMap<ElementId, String>,
}

impl ActorPart<'_> {
    /// None if a number is too large or too small in the scene; what it is is in `findings`.
    pub(super) fn placed(&self, findings: &mut Diagnostics) -> Option<PlacedActor> {
        let own = DocValue::of_node(&node(self.doc, Digits::ALL))?;
        let hand = NumberHand::placed(self.placement.scale, self.placement.shift);
        let mut rig = DocValue::of_node(&node(self.doc, hand))?;
        self.unscale(&own, &mut rig);
        self.shift(&mut rig);
        self.carry(&mut rig);
        self.keep_options(&mut rig);
        self.adapt_clips(&mut rig);
        let mut labels = BTreeMap::new();
        self.rename(&mut rig, &mut labels);
        let doc = read_value(&rig, findings)?;
        Some(PlacedActor { doc, value: rig, labels })
    }

    /// Gives back the numbers that are not lengths of the canvas.
    fn unscale(&self, own: &DocValue, rig: &mut DocValue) {
        let mut same: Vec<Vec<usize>> = Vec::new();
        let mut field = |place: &[usize], name: &str| {
            let position = at(own, place).and_then(|value| value.position(name));
            same.extend(position.map(|position| [place, &[position]].concat()));
        };
        // In units of the art, which is in the group that is scaled.
        field(&[], "ink");
        for section in ["clips", "drivers", "poses", "outfits"] {
            for entry in entries(own, section) {
                ["art", "ink", "paints", "filters"].iter().for_each(|name| field(&entry, name));
            }
        }
        for (place, bone) in entries(own, "bones").iter().zip(&self.doc.bones) {
            // Degrees, unless it slides.
            if bone.joint.is_none_or(|joint| joint.value != crate::doc::Joint::Slide) {
                field(place, "limits");
            }
        }
        for place in same {
            if let (Some(value), Some(scaled)) = (at(own, &place).cloned(), at_mut(rig, &place)) {
                *scaled = value;
            }
        }
        // What drives is written where others have a time.
        for (place, driver) in entries(own, "drivers").iter().zip(&self.doc.drivers) {
            use crate::doc::Drive;
            if matches!(driver.drive(), Some(Drive::MoveX | Drive::MoveY)) {
                at_mut(rig, place).into_iter().for_each(|driver| scale_inputs(driver, self.placement.scale));
            }
        }
    }

    /// Moves what is a place but is written as a length, and adapts values that follow others.
    fn shift(&self, rig: &mut DocValue) {
        // What was the canvas for a root is the frame of the bone that carries it.
        let canvas = self.art.canvas();
        let from_carrier = -self.placement.scale * Vec2::new(canvas.center().x, canvas.y1);
        let roots = self.doc.bones.iter().filter(|bone| bone.parent.is_none());
        let roots: BTreeSet<&str> = roots.map(|bone| bone.name.value.as_str()).collect();
        for (place, bone) in entries(rig, "bones").iter().zip(&self.doc.bones) {
            if roots.contains(bone.name.value.as_str())
                && let Some(origin) = at_mut(rig, place).and_then(|bone| field_mut(bone, "origin"))
            {
                move_by(origin, from_carrier);
            }
        }
        for section in ["clips", "poses"] {
            each(rig, section, |entry| {
                each_named(entry, "bones", |name, bone| {
                    for channel in ["setup_origin", "origin", "origin_x", "origin_y"] {
                        let moved = field_mut(bone, channel).filter(|_| roots.contains(name));
                        let by =
                            if channel == "origin_y" { Vec2::new(from_carrier.y, 0.0) } else { from_carrier };
                        moved.into_iter().for_each(|moved| each_value(moved, |value| move_by(value, by)));
                    }
                    self.adapt_followers(bone);
                });
                each(entry, "constraints", |rules| {
                    let target = field_mut(rules, "target");
                    target
                        .into_iter()
                        .for_each(|it| each_value(it, |value| move_by(value, self.placement.shift)));
                });
            });
        }
    }

    /// Channels that play the keys of others: lengths that follow angles grow with the actor.
    fn adapt_followers(&self, bone: &mut DocValue) {
        let is_length = |name: &str| name.starts_with("move") || name.contains("origin");
        each_named(bone, "", |name, channel| {
            if channel.position("follow").is_none() {
                return;
            }
            let source = channel.field("channel").and_then(|of| of.as_text().cloned());
            let (own, other) = (is_length(name), is_length(source.as_deref().unwrap_or(name)));
            let grows = |of: bool| if of { self.placement.scale } else { 1.0 };
            if own != other {
                default(channel, "amount", || 1.0.into());
            }
            for (number, by) in [("amount", grows(own) / grows(other)), ("plus", grows(own))] {
                if let Some(DocValue::Number(value)) = field_mut(channel, number) {
                    *value *= by;
                }
            }
        });
    }

    /// What stayed on the canvas of the rig is carried by the bone of the actor.
    fn carry(&self, rig: &mut DocValue) {
        let carrier = || DocValue::text(CARRIER);
        each(rig, "bones", |bone| default(bone, "parent", carrier));
        each(rig, "constraints", |constraint| {
            if !matches!(constraint.kind(), Some("Copy" | "Limit")) {
                default(constraint, "on", carrier);
            }
        });
        each(rig, "springs", |spring| {
            if let Some(stop) = field_mut(spring, "stop") {
                default(stop, "bone", carrier);
            }
            if let Some(wind) = field_mut(spring, "wind") {
                let usual = Wind::steady(Vec2::ZERO);
                default(wind, "eddies", || (self.placement.scale * usual.eddies).into());
                default(wind, "speed", || (self.placement.scale * usual.speed).into());
            }
        });
        // A bone that a clip makes a root is one of the canvas.
        each(rig, "clips", |clip| {
            each(clip, "bones", |bone| {
                each(bone, "parent", |key| {
                    if let Some(parent) = key.child_mut(1).filter(|parent| matches!(parent, DocValue::None)) {
                        *parent = carrier();
                    }
                });
            });
        });
    }

    /// Options of the rig become those of its bindings, and `Smooth` follows all bones of its own rig.
    fn keep_options(&self, rig: &mut DocValue) {
        let size = self.art.size();
        let usual = RigDoc::TOLERANCE.min(RigDoc::SHARE * size.width.max(size.height));
        // They are in pixels.
        let pixels = |art: &Drawing| art.canvas_to_output().determinant().abs().sqrt();
        let grown = self.placement.scale * pixels(self.stage) / pixels(self.art);
        let tolerance = grown * self.doc.follow.tolerance.map_or(usual, |tolerance| tolerance.value);
        let bones = DocValue::list(self.doc.bones.iter().map(|bone| DocValue::text(&bone.name.value)));
        let (blend, folds) = (rig.field("blend").cloned(), rig.field("folds").cloned());
        each(rig, "skin", |binding| {
            let kind = binding.kind().unwrap_or_default().to_owned();
            if kind == "Rigid" {
                return;
            }
            match field_mut(binding, "tolerance") {
                Some(DocValue::Number(own)) => *own *= grown,
                _ => default(binding, "tolerance", || tolerance.into()),
            }
            let blend = blend.as_ref().filter(|_| kind != "Puppet");
            blend.into_iter().for_each(|blend| default(binding, "blend", || blend.clone()));
            folds.iter().for_each(|folds| default(binding, "folds", || folds.clone()));
            if kind == "Smooth" {
                default(binding, "bones", || bones.clone());
            }
        });
    }

    /// Cameras are those of the scene, drawings are held as long as before, sounds are found from the scene.
    fn adapt_clips(&self, rig: &mut DocValue) {
        let rate = self.fps / self.doc.fps.map_or(RigDoc::FPS, |fps| fps.value);
        let in_frames = |entry: &mut DocValue| {
            remove(entry, "camera");
            if let Some(DocValue::Number(step)) = field_mut(entry, "step") {
                *step = (*step * rate).round().max(1.0);
            }
        };
        each(rig, "shots", in_frames);
        let prefixed = |text: &mut DocValue, prefix: &str| {
            if let DocValue::Text(own) = text {
                *text = DocValue::text(&format!("{prefix}{own}"));
            }
        };
        let prefix = format!("{}/", self.name);
        each(rig, "clips", |clip| {
            in_frames(clip);
            each(clip, "events", |event| {
                event.child_mut(1).into_iter().for_each(|name| prefixed(name, &prefix));
            });
            each(clip, "sounds", |sound| {
                field_mut(sound, "file").into_iter().for_each(|file| prefixed(file, self.folder));
            });
            for of in ["paints", "filters"] {
                field_mut(clip, of).into_iter().for_each(|map| rename_keys(map, &prefix));
            }
        });
        each(rig, "outfits", |outfit| {
            field_mut(outfit, "group").into_iter().for_each(|group| prefixed(group, &prefix));
        });
        field_mut(rig, "machines").into_iter().for_each(|map| rename_keys(map, &prefix));
    }

    fn rename(&self, rig: &mut DocValue, labels: &mut BTreeMap<ElementId, String>) {
        // The group whose children the names behind it may be, with its place.
        let mut group: Option<(Vec<usize>, ElementId)> = None;
        for used in uses(rig) {
            let name = match used.of {
                Named::State | Named::Input => continue,
                Named::Bone if &*used.name == CARRIER => self.name.to_owned(),
                Named::Art => {
                    let switched = !used.is_key && is_switch(rig, &used.place);
                    let around =
                        group.as_ref().filter(|(place, _)| switched && used.place.starts_with(place));
                    let name = self.art_name(&used.name, around.map(|(_, group)| *group), labels);
                    if used.is_key {
                        group = element_of(self.art, &used.name).map(|element| (used.place.clone(), element));
                    }
                    name
                }
                _ => format!("{}/{}", self.name, used.name),
            };
            if used.is_key {
                let Some((position, container)) = used.place.split_last() else { continue };
                if let Some(DocValue::Map(entries)) = at_mut(rig, container)
                    && let Some((key, _)) = Arc::make_mut(entries).get_mut(*position)
                {
                    *key = DocValue::text(&name);
                }
            } else if let Some(value) = at_mut(rig, &used.place) {
                *value = DocValue::text(&name);
            }
        }
    }

    /// The name of art in the scene. What has only an address gets a label.
    fn art_name(
        &self,
        name: &str,
        group: Option<ElementId>,
        labels: &mut BTreeMap<ElementId, String>,
    ) -> String {
        let called = |name: &str| format!("{}/{name}", self.name);
        if !name.contains(['/', '#']) {
            return called(name);
        }
        let child = group.and_then(|group| self.art.find_child(group, name).ok());
        let Some(id) = child.or_else(|| element_of(self.art, name)) else { return called(name) };
        let Some(element) = self.art.element(id) else { return called(name) };
        let is_own = |own: &Option<Arc<str>>| own.as_deref() == Some(name);
        if is_own(&element.id) || is_own(&element.label) {
            return called(name);
        }
        let label = element.label.as_deref().filter(|label| element_of(self.art, label) == Some(id));
        if let Some(label) = label.filter(|_| !labels.contains_key(&id)) {
            return called(label);
        }
        let address = || child.map_or_else(|| name.to_owned(), |child| self.art.address(child));
        called(labels.entry(id).or_insert_with(address))
    }
}

/// The element of a name, drawn or not.
fn element_of(art: &Drawing, name: &str) -> Option<ElementId> {
    match art.find(name) {
        Ok(element) => Some(element),
        Err(bone_drawing::FindError::NotDrawn { element, .. }) => Some(element),
        Err(_) => None,
    }
}

/// A document of a value, without places.
pub(super) fn read_value(rig: &DocValue, findings: &mut Diagnostics) -> Option<RigDoc> {
    let source = SourceId::default();
    let parsed = parse_as(Syntax::Ron, source, &rig.to_string(), findings);
    let mut doc = read_whole(source, parsed, findings).filter(|_| !findings.has_errors())?;
    crate::schema::content::Content::places(&mut doc, &mut |span| *span = Span::default());
    Some(doc)
}

/// Whether a value is what a group is switched to.
fn is_switch(rig: &DocValue, place: &[usize]) -> bool {
    (1..place.len()).any(|end| match at(rig, &place[..end]) {
        Some(DocValue::Fields(_, fields)) => {
            fields.get(place[end]).is_some_and(|(name, _)| &**name == "switch")
        }
        _ => false,
    })
}

/// The places of all entries of a section.
fn entries(rig: &DocValue, section: &str) -> Vec<Vec<usize>> {
    let position = rig.position(section);
    let count = position.and_then(|position| rig.child(position)).map_or(0, DocValue::len);
    position.into_iter().flat_map(|section| (0..count).map(move |entry| vec![section, entry])).collect()
}

fn field_mut<'v>(of: &'v mut DocValue, name: &str) -> Option<&'v mut DocValue> {
    let position = of.position(name)?;
    of.child_mut(position)
}

/// Everything in a field.
fn each(of: &mut DocValue, name: &str, mut change: impl FnMut(&mut DocValue)) {
    let Some(list) = field_mut(of, name) else { return };
    (0..list.len()).for_each(|at| list.child_mut(at).into_iter().for_each(&mut change));
}

/// Everything in a field by its name, or directly in the value if the field has no name.
fn each_named(of: &mut DocValue, name: &str, mut change: impl FnMut(&str, &mut DocValue)) {
    let Some(map) = (if name.is_empty() { Some(of) } else { field_mut(of, name) }) else { return };
    match map {
        DocValue::Fields(_, fields) => {
            Arc::make_mut(fields).iter_mut().for_each(|(name, value)| change(name, value));
        }
        DocValue::Map(entries) => {
            for (key, value) in Arc::make_mut(entries) {
                change(&key.key_name().unwrap_or_default(), value);
            }
        }
        _ => {}
    }
}

/// The values of the keys of a channel, or the one value that stands in its place.
fn each_value(channel: &mut DocValue, mut change: impl FnMut(&mut DocValue)) {
    let keys = match channel.position("keys") {
        Some(keys) => channel.child_mut(keys),
        None => Some(channel),
    };
    match keys {
        Some(DocValue::List(keys)) => {
            Arc::make_mut(keys).iter_mut().filter_map(|key| key.child_mut(1)).for_each(change);
        }
        Some(value @ (DocValue::Tuple(..) | DocValue::Number(_))) => change(value),
        _ => {}
    }
}

/// Moves a position, or its x if it is a number.
fn move_by(value: &mut DocValue, by: Vec2) {
    let add = |at: Option<&mut DocValue>, by: f64| {
        if let Some(DocValue::Number(value)) = at {
            *value += by;
        }
    };
    match value {
        DocValue::Number(_) => add(Some(value), by.x),
        _ => {
            add(value.child_mut(0), by.x);
            add(value.child_mut(1), by.y);
        }
    }
}

/// Gives a field that is not there.
fn default(of: &mut DocValue, name: &str, value: impl FnOnce() -> DocValue) {
    if of.position(name).is_none()
        && let DocValue::Fields(_, fields) = of
    {
        Arc::make_mut(fields).push((name.into(), value()));
    }
}

fn remove(of: &mut DocValue, name: &str) {
    if let DocValue::Fields(_, fields) = of {
        Arc::make_mut(fields).retain(|(field, _)| &**field != name);
    }
}

fn rename_keys(map: &mut DocValue, prefix: &str) {
    if let DocValue::Map(entries) = map {
        for (key, _) in Arc::make_mut(entries) {
            let name = key.as_text().map(|name| format!("{prefix}{name}"));
            name.iter().for_each(|name| *key = DocValue::text(name));
        }
    }
}

/// Scales the first part of all keys in a driver.
fn scale_inputs(driver: &mut DocValue, by: f64) {
    let mut waiting: Vec<&mut DocValue> = vec![driver];
    while let Some(value) = waiting.pop() {
        match value {
            DocValue::Fields(_, fields) => {
                waiting.extend(Arc::make_mut(fields).iter_mut().map(|(_, value)| value))
            }
            DocValue::Map(entries) => {
                waiting.extend(Arc::make_mut(entries).iter_mut().map(|(_, value)| value))
            }
            DocValue::List(keys) => {
                for key in Arc::make_mut(keys) {
                    if let Some(DocValue::Number(input)) = key.child_mut(0) {
                        *input *= by;
                    }
                }
            }
            _ => {}
        }
    }
}
