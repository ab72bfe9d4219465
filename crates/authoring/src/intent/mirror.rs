//! The other side of bones and of their rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bone_core::mirrored_name;
use bone_format::session::{DocPath, DocValue, Edit};

use super::chain::mirrored;
use super::{CurrentRig, request, text_of, texts_of};
use crate::error::AuthoringError;

/// What places a bone, which the mirror does, and what only one side can have.
const PLACING: [&str; 7] = ["parent", "from", "to", "origin", "length", "angle", "line"];
/// Ranges and numbers that turn the other way on the other side.
const TURNING: [&str; 5] = ["limits", "rotate", "offset", "rotate_offset", "move_y"];

pub(super) fn side(
    scene: &CurrentRig<'_>,
    bones: &[String],
    axis: Option<f64>,
) -> Result<Vec<Edit>, AuthoringError> {
    let skeleton = scene.skeleton();
    let root = skeleton.bones().next().map(|root| skeleton.setup_origin(root).x);
    let axis = axis.filter(|axis| axis.is_finite()).or(root).unwrap_or_default();
    let mut ids = bones.iter().map(|bone| scene.bone(bone)).collect::<Result<Vec<_>, _>>()?;
    // Parents before their children.
    ids.sort_unstable();
    let mut twins: BTreeMap<String, String> = BTreeMap::new();
    for id in &ids {
        let name = skeleton.name(*id);
        let twin = mirrored_name(name).map(|(_, twin)| twin).filter(|twin| !twins.contains_key(twin));
        twins.extend(twin.map(|twin| (name.to_owned(), twin)));
    }
    if twins.is_empty() {
        let message = "none of these bones has a side in its name: call them `arm.L`, `arm.R` or the like";
        return Err(request(message));
    }
    let mut edits = Vec::new();
    for id in ids {
        let name = skeleton.name(id);
        let Some(twin) = twins.get(name) else { continue };
        let [from, to] = [skeleton.setup_origin(id), skeleton.setup_tip(id)].map(|at| mirrored(at, axis));
        let own = scene.session.get(&DocPath::bone(name))?;
        if skeleton.find(twin).is_some() {
            edits.push(Edit::PlaceBone { bone: twin.clone(), from: Some(from), to: Some(to) });
            if let Some(limits) = own.field("limits") {
                edits.push(Edit::set(
                    DocPath::bone(twin).name("limits"),
                    other_side("limits", limits, axis, &[]),
                ));
            }
            continue;
        }
        let parent = skeleton.parent(id).map(|parent| skeleton.name(parent));
        let parent = parent.map(|parent| {
            let there = mirrored_name(parent).map(|(_, twin)| twin);
            let there = there.filter(|twin| skeleton.find(twin).is_some() || twins.contains_key(parent));
            there.unwrap_or_else(|| parent.to_owned())
        });
        let at_tip =
            skeleton.parent(id).is_some_and(|parent| skeleton.setup_tip(parent) == skeleton.setup_origin(id));
        edits.push(Edit::add_bone(twin, parent.as_deref(), (!at_tip).then_some(from), to));
        if let DocValue::Fields(_, fields) = &own {
            for (field, value) in fields.iter().filter(|(field, _)| !PLACING.contains(&&**field)) {
                let at = DocPath::bone(twin).name(field);
                edits.push(Edit::set(at, other_side(field, value, axis, &[])));
            }
        }
    }
    let rules = scene.items("constraints");
    let moved = |rule: &DocValue| {
        let mut names: BTreeSet<String> =
            ["tip", "bone"].iter().filter_map(|field| Some(text_of(rule, field)?.to_owned())).collect();
        names.extend(texts_of(rule, "bones").into_iter().map(str::to_owned));
        names
    };
    let known: Vec<String> =
        skeleton.bones().map(|bone| skeleton.name(bone).to_owned()).chain(twins.values().cloned()).collect();
    for (_, rule) in &rules {
        let names = moved(rule);
        if names.is_empty() || !names.iter().all(|name| twins.contains_key(name)) {
            continue;
        }
        let twin = other_side("", rule, axis, &known);
        let same = |other: &DocValue| other.kind() == twin.kind() && moved(other) == moved(&twin);
        if !rules.iter().any(|(_, other)| same(other)) {
            edits.push(Edit::Insert { into: DocPath::from(["constraints"]), before: None, value: twin });
        }
    }
    Ok(edits)
}

/// A value as it is on the other side: names of bones that are there change sides, and so do names of rules; points of
/// the canvas are mirrored, turns have other signs, `Left` is `Right`.
fn other_side(field: &str, value: &DocValue, axis: f64, bones: &[String]) -> DocValue {
    let numbers = |items: &[DocValue]| items.iter().map(DocValue::as_number).collect::<Option<Vec<_>>>();
    match value {
        DocValue::Number(number) if TURNING.contains(&field) && field != "rotate" => (-number).into(),
        DocValue::Text(text) => {
            let twin = mirrored_name(text).map(|(_, twin)| twin);
            twin.filter(|twin| field == "name" || bones.contains(twin))
                .map_or_else(|| value.clone(), |twin| DocValue::text(&twin))
        }
        DocValue::Word(word) if field == "bend" => DocValue::word(match &**word {
            "Left" => "Right",
            "Right" => "Left",
            other => other,
        }),
        DocValue::Tuple(None, items) => match (field, numbers(items).as_deref()) {
            ("target" | "at", Some([x, y])) => mirrored((*x, *y).into(), axis).into(),
            ("move_offset" | "point" | "target_point", Some([x, y])) => (*x, -y).into(),
            (field, Some([least, most])) if TURNING.contains(&field) => (-most, -least).into(),
            _ => value.clone(),
        },
        DocValue::Fields(kind, fields) => {
            let fields =
                fields.iter().map(|(name, value)| (Arc::clone(name), other_side(name, value, axis, bones)));
            DocValue::Fields(kind.clone(), Arc::new(fields.collect()))
        }
        DocValue::List(items) => {
            DocValue::list(items.iter().map(|item| other_side(field, item, axis, bones)))
        }
        DocValue::Map(entries) => {
            let entry = |(key, value): &(DocValue, DocValue)| {
                (other_side("", key, axis, bones), other_side("", value, axis, bones))
            };
            DocValue::Map(Arc::new(entries.iter().map(entry).collect()))
        }
        other => other.clone(),
    }
}
