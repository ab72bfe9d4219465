//! The state of the document as messages have it: everything that a page shows besides pictures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bone_core::mirrored_name;
use bone_format::doc::{BoneDoc, OutfitDoc, RigDoc};
use bone_format::session::{DocPath, DocValue, Seen, Session};
use bone_looks::inspect::{InspectedBone, InspectedClip, Inspection};
use bone_rig::{Rig, RigSound};
use serde_json::Value;

use crate::describe::{ArtFacts, BoneFacts, ClipFacts, Constraint};
use crate::message::JsonObject;
use crate::server::proto::{
    Art, Bone, Clip, MachineFacts, OutfitFacts, RuleFacts, Scene, Track, TrackKey, ease_json,
};
use crate::server::rows::SliderFacts;
use crate::server::staged;

/// What of a clip is tracks, in the order in which they are listed.
const SECTIONS: [&str; 7] = ["bones", "art", "filters", "constraints", "offsets", "setup", "weights"];

/// The same without owners.
const OWN_SECTIONS: [&str; 2] = ["sliders", "camera"];

impl Scene {
    /// The rig as pages show it.
    pub(crate) fn of(rig: &Rig, doc: &RigDoc, session: &Session) -> Self {
        let all = Inspection::new(rig, doc);
        let (size, canvas) = (all.size, all.canvas);
        let clip = |clip: &InspectedClip| {
            let at = if clip.is_sequence {
                DocPath::from(["shots", &clip.name])
            } else {
                DocPath::clip(&clip.name)
            };
            let typed = session.get(&at).unwrap_or(DocValue::None);
            let keyed = doc.keyed(&clip.name).is_some();
            let tracks = match clip.is_sequence {
                true if keyed => {
                    staged::channels(&at, &typed).into_iter().map(|(at, keys)| track(at, keys)).collect()
                }
                true => Vec::new(),
                false => tracks(&at, &typed),
            };
            let half = typed.field("half").map(DocValue::to_string);
            (
                clip.name.clone(),
                Clip {
                    facts: ClipFacts::of(clip),
                    editable: keyed,
                    half,
                    tracks,
                    parts: staged::parts(rig, doc, &clip.name),
                    hidden: staged::hidden(&typed),
                    sounds_at: sounds_at(clip, &at, &typed),
                },
            )
        };
        let made = staged::made(doc);
        let shown = || all.clips.iter().filter(|clip| !made.contains(clip.name.as_str()));
        Self {
            size: [size.width, size.height],
            canvas: [canvas.x0, canvas.y0, canvas.width(), canvas.height()],
            fps: all.fps,
            bones: all.bones.iter().map(|bone| self::bone(bone, (rig, doc), &all)).collect(),
            art: all
                .art
                .iter()
                .map(|art| Art { facts: ArtFacts::of(art, &all), moves: art.follows.is_some() })
                .collect(),
            constraints: all.constraints.iter().map(Constraint::of).collect(),
            rules: rules(session),
            sliders: rig
                .sliders()
                .iter()
                .map(|slider| SliderFacts {
                    name: slider.name.clone(),
                    range: slider.range.into(),
                    rest: slider.rest,
                })
                .collect(),
            outfits: outfits(doc),
            machines: doc.machines.iter().map(MachineFacts::of).collect(),
            scene: doc.is_scene,
            actors: staged::actors(session, doc),
            clips: shown().map(clip).collect(),
            order: shown().map(|clip| clip.name.clone()).collect(),
        }
    }

    /// What pages show without a rig.
    pub(crate) fn none() -> Self {
        Self {
            size: [1.0; 2],
            canvas: [0.0, 0.0, 1.0, 1.0],
            fps: 24.0,
            bones: Vec::new(),
            art: Vec::new(),
            constraints: Vec::new(),
            rules: Vec::new(),
            sliders: Vec::new(),
            outfits: Vec::new(),
            machines: Vec::new(),
            scene: false,
            actors: Vec::new(),
            clips: BTreeMap::new(),
            order: Vec::new(),
        }
    }
}

fn outfits(doc: &RigDoc) -> Vec<OutfitFacts> {
    let facts = |outfit: &OutfitDoc| OutfitFacts {
        name: outfit.name.value.clone(),
        group: outfit.group.as_ref().map(|group| group.value.clone()),
        worn: doc.wear.iter().position(|worn| worn.value == outfit.name.value),
    };
    doc.outfits.iter().map(facts).collect()
}

/// Where the sounds of a clip are written.
fn sounds_at(clip: &InspectedClip, at: &DocPath, typed: &DocValue) -> Vec<Option<DocPath>> {
    let Some(DocValue::List(items)) = typed.field("sounds") else { return vec![None; clip.sounds.len()] };
    let mut left: Vec<(usize, &DocValue)> = items.iter().enumerate().collect();
    let place = |(time, file, sound): &(f64, String, RigSound)| {
        let number =
            |of: &DocValue, name: &str| of.field(name).and_then(DocValue::as_number).unwrap_or_default();
        let is_it = |(_, of): &(usize, &DocValue)| {
            of.field("file").and_then(DocValue::as_text).is_some_and(|own| **own == **file)
                && (number(of, "at") - time).abs() <= 1e-9
                && (number(of, "from") - sound.from).abs() <= 1e-9
        };
        let found = left.remove(left.iter().position(is_it)?);
        Some(at.clone().name("sounds").index(found.0))
    };
    clip.sounds.iter().map(place).collect()
}

/// Constraints, springs, drivers and masks, as they are written.
fn rules(session: &Session) -> Vec<RuleFacts> {
    let mut all = Vec::new();
    for (section, kind) in
        [("constraints", ""), ("springs", "Spring"), ("drivers", "Driver"), ("masks", "Mask")]
    {
        let at = |index| DocPath::from([section]).index(index);
        for (at, rule) in (0..).map_while(|index| Some((at(index), session.get(&at(index)).ok()?))) {
            let texts = |name: &str| match rule.field(name) {
                Some(DocValue::Text(text)) => vec![text.to_string()],
                Some(DocValue::List(items)) => {
                    items.iter().filter_map(|item| Some(item.as_text()?.to_string())).collect()
                }
                Some(other) => other.entries().into_iter().map(|(name, _)| name).collect(),
                None => Vec::new(),
            };
            let bones = ["tip", "bone", "chain", "bones"].iter().flat_map(|field| texts(field));
            let name = match section {
                "masks" => Some(format!("{} by {}", texts("art").join(", "), texts("by").concat())),
                _ => ["name", "slider"].iter().find_map(|field| texts(field).pop()),
            };
            all.push(RuleFacts {
                kind: rule.kind().unwrap_or(kind).to_owned(),
                name,
                bones: bones.collect(),
                mix: rule.field("mix").and_then(DocValue::as_number),
                text: rule.to_string(),
                at,
            });
        }
    }
    all
}

fn bone(bone: &InspectedBone, (rig, doc): (&Rig, &RigDoc), all: &Inspection) -> Bone {
    // All bones of a chain, not only the last one.
    let rules = rig.constraints().zip(&all.constraints);
    let held = rules.filter(|((_, own), _)| own.rule.bones_written(rig.skeleton()).contains(&bone.bone));
    let held = held.map(|(_, rule)| match &rule.name {
        Some(name) => format!("{} {name}", rule.kind),
        None => rule.kind.to_owned(),
    });
    let mirror = mirrored_name(&bone.name).map(|(_, name)| name);
    Bone {
        facts: BoneFacts::of(bone, all),
        from: bone.origin,
        to: bone.tip,
        form: doc.bone(&bone.name).map(form).unwrap_or_default(),
        volume: doc.bone(&bone.name).and_then(|bone| bone.volume).map_or(0.0, |volume| volume.value),
        held: held.collect(),
        mirror: mirror.filter(|mirror| all.bones.iter().any(|bone| bone.name == *mirror)),
    }
}

/// The fields that place a bone, as they are written.
fn form(bone: &BoneDoc) -> Vec<String> {
    let fields = [
        ("from", bone.from.is_some()),
        ("origin", bone.origin.is_some()),
        ("to", bone.to.is_some()),
        ("length", bone.length.is_some()),
        ("angle", bone.angle.is_some()),
        ("line", bone.line.is_some()),
    ];
    fields.into_iter().filter(|(_, is_written)| *is_written).map(|(name, _)| name.to_owned()).collect()
}

/// The channels of a clip with their keys.
fn tracks(at: &DocPath, clip: &DocValue) -> Vec<Track> {
    let mut tracks = Vec::new();
    let sections: BTreeMap<String, &DocValue> = clip.entries().into_iter().collect();
    for section in SECTIONS {
        let Some(owners) = sections.get(section) else { continue };
        for (owner, channels) in owners.entries() {
            for (channel, value) in channels.entries() {
                let path = at.clone().name(section).name(&owner).name(&channel);
                tracks.push(track(path, value));
            }
        }
    }
    for section in OWN_SECTIONS {
        for (channel, value) in sections.get(section).into_iter().flat_map(|channels| channels.entries()) {
            tracks.push(track(at.clone().name(section).name(&channel), value));
        }
    }
    tracks
}

fn track(path: DocPath, channel: &DocValue) -> Track {
    let fields: BTreeMap<String, &DocValue> = channel.entries().into_iter().collect();
    let ease = |value: Option<&DocValue>| value.map_or(Value::Null, ease_json);
    let key = |key: &DocValue| {
        let DocValue::Tuple(None, parts) = key else { return None };
        let (DocValue::Number(time), value) = (parts.first()?, parts.get(1)?) else { return None };
        Some(TrackKey { time: *time, value: value.clone(), ease: ease(parts.get(2)) })
    };
    let keys = match fields.get("keys").copied().unwrap_or(channel) {
        DocValue::List(items) => items.iter().filter_map(key).collect(),
        _ => Vec::new(),
    };
    let field = |name: &str| ease(fields.get(name).copied());
    Track { path, ease: field("ease"), extend: field("extend"), keys }
}

/// What differs between two states, clip by clip, and piece by piece of art.
pub(crate) fn changes(before: &JsonObject, after: &JsonObject) -> JsonObject {
    let mut changed = JsonObject::new();
    for (name, value) in after {
        let old = before.get(name);
        if old == Some(value) {
            continue;
        }
        let parts = match (name.as_str(), old, value) {
            ("clips", Some(Value::Object(old)), Value::Object(new)) => {
                let gone = old
                    .keys()
                    .filter(|name| !new.contains_key(*name))
                    .map(|name| (name.clone(), Value::Null));
                let other = new.iter().filter(|(name, clip)| old.get(*name) != Some(clip));
                let other = other.map(|(name, clip)| (name.clone(), clip.clone()));
                Some(gone.chain(other).collect::<JsonObject>())
            }
            ("art", Some(Value::Array(old)), Value::Array(new)) if old.len() == new.len() => {
                let other = new.iter().enumerate().filter(|(at, art)| old.get(*at) != Some(art));
                Some(other.map(|(at, art)| (at.to_string(), art.clone())).collect())
            }
            _ => None,
        };
        changed.insert(name.clone(), parts.map_or_else(|| value.clone(), Value::Object));
    }
    changed
}

/// The name of a file as pages show it: relative to the folder of the rig.
pub(crate) fn shown(path: &Path, rig: &Path) -> String {
    let folder = rig.parent().unwrap_or(Path::new(""));
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// What the engines of all connections draw.
#[derive(Clone)]
pub(crate) struct Published {
    pub(crate) rev: u64,
    /// The last revision without errors, and what it has.
    pub(crate) good_rev: u64,
    pub(crate) rig: Option<Arc<Rig>>,
    pub(crate) doc: Option<Arc<RigDoc>>,
    /// What the files say, for gestures that begin now.
    pub(crate) seen: Arc<Seen>,
    /// The rig file.
    pub(crate) path: Arc<Path>,
    /// Whether what is drawn is the last that there was of a file that is not there any more.
    pub(crate) is_stale: bool,
}

impl Default for Published {
    fn default() -> Self {
        let path = Arc::from(Path::new(""));
        Self { rev: 0, good_rev: 0, rig: None, doc: None, seen: Arc::default(), path, is_stale: false }
    }
}

impl Published {
    /// What a gesture that was of this rig had, and is not there any more.
    pub(crate) fn gone(&self, seen: &Seen, section: &str, name: &str) -> Option<String> {
        // With mistakes in the texts, it may only seem so.
        let is_there = self.rev != self.good_rev || self.seen.file_of(section, name).is_some();
        let file = seen.file_of(section, name).filter(|_| !is_there)?;
        Some(format!("\"{name}\" was deleted in {}", shown(file, &self.path)))
    }
}
