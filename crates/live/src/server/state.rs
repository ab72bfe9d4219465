//! The state of the document as messages have it: everything that a page shows besides pictures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bone_core::mirrored_name;
use bone_format::doc::{BoneDoc, RigDoc};
use bone_format::session::{DocPath, DocValue, Seen, Session};
use bone_looks::inspect::{InspectedBone, Inspection};
use bone_rig::Rig;
use serde_json::{Map, Value, json};

use crate::describe;
use crate::server::value::{ease_json, path_json, value_json};

/// What of a clip is tracks, in the order in which they are listed.
const SECTIONS: [&str; 6] = ["bones", "art", "constraints", "offsets", "setup", "weights"];

/// The rig as pages show it: the parts of the state that need a rig without errors.
pub(crate) fn rig(rig: &Rig, doc: &RigDoc, session: &Session) -> Map<String, Value> {
    let all = Inspection::new(rig, doc);
    let art: Vec<Value> = all
        .art
        .iter()
        .map(|art| {
            let mut value = describe::inspected_art(art, &all);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("moves".to_owned(), json!(art.follows.is_some()));
            }
            value
        })
        .collect();
    let clip = |clip: &bone_looks::inspect::InspectedClip| {
        let at = DocPath::clip(&clip.name);
        let tracks = match clip.is_sequence {
            true => Vec::new(),
            false => session.get(&at).map_or_else(|_| Vec::new(), |value| tracks(&at, &value)),
        };
        let value = json!({
            "shot": clip.is_sequence, "length": clip.length, "loop": clip.looped, "step": clip.step,
            "frames": clip.frames, "editable": !clip.is_sequence, "tracks": tracks,
        });
        (clip.name.clone(), value)
    };
    let (size, canvas) = (all.size, all.canvas);
    let state = json!({
        "size": [size.width, size.height],
        "canvas": [canvas.x0, canvas.y0, canvas.width(), canvas.height()],
        "fps": all.fps,
        "bones": all.bones.iter().map(|bone| self::bone(bone, (rig, doc), &all)).collect::<Vec<_>>(),
        "art": art,
        "constraints": all.constraints.iter().map(|rule| json!({
            "name": rule.name, "kind": rule.kind, "bones": rule.bones, "targets": rule.targets,
        })).collect::<Vec<_>>(),
        "clips": all.clips.iter().map(clip).collect::<Map<_, _>>(),
        "order": all.clips.iter().map(|clip| &clip.name).collect::<Vec<_>>(),
    });
    match state {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The parts of the state that need a rig, without one.
pub(crate) fn no_rig() -> Map<String, Value> {
    let state = json!({
        "size": [1, 1], "canvas": [0, 0, 1, 1], "fps": 24, "bones": [], "art": [], "constraints": [],
        "clips": {}, "order": [],
    });
    match state {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn bone(bone: &InspectedBone, (rig, doc): (&Rig, &RigDoc), all: &Inspection) -> Value {
    let (joint, limits) = describe::joint(bone.joint);
    let name = |id: &bone_core::BoneId| all.bones.get(id.index()).map(|bone| bone.name.as_str());
    // All bones of a chain, not only the last one.
    let rules = rig.constraints().zip(&all.constraints);
    let held = rules.filter(|((_, own), _)| own.rule.bones_written(rig.skeleton()).contains(&bone.bone));
    let held = held.map(|(_, rule)| match &rule.name {
        Some(name) => format!("{} {name}", rule.kind),
        None => rule.kind.to_owned(),
    });
    let art = |id: &bone_drawing::ElementId| {
        all.art.iter().find(|art| art.element == *id).map(|art| art.key.to_string())
    };
    let mirror = mirrored_name(&bone.name).map(|(_, name)| name);
    json!({
        "name": bone.name,
        "parent": bone.parent.as_ref().and_then(name),
        "from": [bone.origin.x, bone.origin.y],
        "to": [bone.tip.x, bone.tip.y],
        "angle": bone.angle,
        "length": bone.length,
        "form": doc.bone(&bone.name).map(form).unwrap_or_default(),
        "joint": joint,
        "limits": limits,
        "region": bone.region.map(|region| [region.origin_radius, region.tip_radius]),
        "inherit": format!("{:?}", bone.inherit),
        "spring": bone.spring,
        "held": held.collect::<Vec<_>>(),
        "driven_by": bone.driven_by.iter().filter_map(name).collect::<Vec<_>>(),
        "drives": bone.drives.iter().filter_map(name).collect::<Vec<_>>(),
        "mirror": mirror.filter(|mirror| all.bones.iter().any(|bone| bone.name == *mirror)),
        "carries": bone.carries.iter().filter_map(art).collect::<Vec<_>>(),
    })
}

/// The fields that place a bone, as they are written.
fn form(bone: &BoneDoc) -> Vec<&'static str> {
    let fields = [
        ("from", bone.from.is_some()),
        ("origin", bone.origin.is_some()),
        ("to", bone.to.is_some()),
        ("length", bone.length.is_some()),
        ("angle", bone.angle.is_some()),
        ("line", bone.line.is_some()),
    ];
    fields.into_iter().filter(|(_, is_written)| *is_written).map(|(name, _)| name).collect()
}

/// The entries of fields or of a map.
fn entries(value: &DocValue) -> Vec<(String, &DocValue)> {
    match value {
        DocValue::Fields(_, fields) => fields.iter().map(|(name, value)| (name.to_string(), value)).collect(),
        DocValue::Map(entries) => {
            let name = |key: &DocValue| match key {
                DocValue::Text(text) => text.to_string(),
                key => key.to_string(),
            };
            entries.iter().map(|(key, value)| (name(key), value)).collect()
        }
        _ => Vec::new(),
    }
}

/// The channels of a clip with their keys.
fn tracks(at: &DocPath, clip: &DocValue) -> Vec<Value> {
    let mut tracks = Vec::new();
    let sections: BTreeMap<String, &DocValue> = entries(clip).into_iter().collect();
    for section in SECTIONS {
        let Some(owners) = sections.get(section) else { continue };
        for (owner, channels) in entries(owners) {
            for (channel, value) in entries(channels) {
                let path = at.clone().name(section).name(&owner).name(&channel);
                tracks.push(track(&path, value));
            }
        }
    }
    tracks
}

fn track(path: &DocPath, channel: &DocValue) -> Value {
    let fields: BTreeMap<String, &DocValue> = entries(channel).into_iter().collect();
    let keys = fields.get("keys").copied().unwrap_or(channel);
    let key = |key: &DocValue| {
        let DocValue::Tuple(None, parts) = key else { return None };
        let (DocValue::Number(time), value) = (parts.first()?, parts.get(1)?) else { return None };
        Some(json!({ "t": time, "v": value_json(value), "ease": parts.get(2).map(ease_json) }))
    };
    let keys: Vec<Value> = match keys {
        DocValue::List(items) => items.iter().filter_map(key).collect(),
        _ => Vec::new(),
    };
    json!({
        "path": path_json(path),
        "ease": fields.get("ease").map(|ease| ease_json(ease)),
        "extend": fields.get("extend").map(|extend| ease_json(extend)),
        "keys": keys,
    })
}

/// What differs between two states, clip by clip.
pub(crate) fn changes(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let mut changed = Map::new();
    for (name, value) in after {
        let old = before.get(name);
        if old == Some(value) {
            continue;
        }
        let clips = match (name.as_str(), old.and_then(Value::as_object), value.as_object()) {
            ("clips", Some(old), Some(new)) => {
                let gone = old
                    .keys()
                    .filter(|name| !new.contains_key(*name))
                    .map(|name| (name.clone(), Value::Null));
                let other = new.iter().filter(|(name, clip)| old.get(*name) != Some(clip));
                let other = other.map(|(name, clip)| (name.clone(), clip.clone()));
                Some(gone.chain(other).collect::<Map<_, _>>())
            }
            _ => None,
        };
        changed.insert(name.clone(), clips.map_or_else(|| value.clone(), Value::Object));
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
