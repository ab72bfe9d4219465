//! Bones that are split, and bones that are deleted: their children and their art follow the next bone above.

use std::collections::BTreeSet;

use bone_core::BoneId;
use bone_format::session::{DocPath, DocValue, Edit, Named};

use super::{CurrentRig, free_name, request, text_of, texts, texts_of};
use crate::error::AuthoringError;

/// The shares at which a bone can be cut.
const CUTS: std::ops::RangeInclusive<f64> = 0.01..=0.99;

pub(super) fn split(scene: &CurrentRig<'_>, bone: &str, at: f64) -> Result<Vec<Edit>, AuthoringError> {
    let id = scene.bone(bone)?;
    if !CUTS.contains(&at) {
        return Err(request("a bone is cut between its joint and its tip: `at` is from 0.01 to 0.99"));
    }
    let skeleton = scene.skeleton();
    let (from, tip) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
    let second = free_name(bone, |name| skeleton.find(name).is_some());
    let cut = from.lerp(tip, at);
    let mut edits = vec![Edit::add_bone(&second, Some(bone), Some(cut), tip)];
    for child in skeleton.bones().filter(|child| skeleton.parent(*child) == Some(id)) {
        edits.push(Edit::SetParent {
            bone: skeleton.name(child).to_owned(),
            parent: Some(second.clone()),
            keep_place: true,
        });
    }
    edits.push(Edit::PlaceBone { bone: bone.to_owned(), from: None, to: Some(cut) });
    // It starts at the tip of the first one now.
    edits.push(Edit::remove(DocPath::bone(&second).name("from")));
    edits.extend(through_both(scene, id, bone, &second));
    for (path, binding) in scene.items("skin") {
        edits.extend(behind(&path, &binding, "bones", bone, &second));
    }
    for section in ["constraints", "springs"] {
        for (path, item) in scene.items(section) {
            edits.extend(behind(&path, &item, "bones", bone, &second));
        }
    }
    Ok(edits)
}

/// Puts the second bone behind the first one in the list of a field.
fn behind(path: &DocPath, value: &DocValue, field: &str, bone: &str, second: &str) -> Option<Edit> {
    let names = texts_of(value, field);
    let position = names.iter().position(|name| *name == bone)?;
    let mut names = names;
    names.insert(position + 1, second);
    Some(Edit::set(path.clone().name(field), texts(names)))
}

/// Rules whose chains went through the bone: one bone more, and the tip is that of the second.
fn through_both(scene: &CurrentRig<'_>, id: BoneId, bone: &str, second: &str) -> Vec<Edit> {
    let skeleton = scene.skeleton();
    let mut edits = Vec::new();
    let mut end = |path: &DocPath, value: &DocValue, of: &str| {
        let Some(tip) = text_of(value, of) else { return };
        let at_joint = matches!(value.field("point"), Some(DocValue::Word(word)) if &**word == "Origin");
        let count = value.field("chain").and_then(DocValue::as_number).unwrap_or(2.0);
        let up = std::iter::successors(skeleton.find(tip), |bone| skeleton.parent(*bone));
        if !up.take(count.max(0.0) as usize).any(|up| up == id) || at_joint && tip == bone {
            return;
        }
        if tip == bone {
            edits.push(Edit::set(path.clone().name(of), second));
        }
        edits.push(Edit::set(path.clone().name("chain"), count + 1.0));
    };
    for (path, rule) in scene.items("constraints") {
        match rule.kind() {
            Some("Ik") => end(&path, &rule, "tip"),
            Some("Pin") => end(&path, &rule, "bone"),
            _ => {}
        }
        if let Some(DocValue::List(ends)) = rule.field("also") {
            let also = |index: usize| path.clone().name("also").index(index);
            ends.iter().enumerate().for_each(|(index, value)| end(&also(index), value, "tip"));
        }
    }
    edits
}

pub(super) fn delete(scene: &CurrentRig<'_>, bones: &[String]) -> Result<Vec<Edit>, AuthoringError> {
    let skeleton = scene.skeleton();
    let going: BTreeSet<BoneId> = bones.iter().map(|bone| scene.bone(bone)).collect::<Result<_, _>>()?;
    if going.is_empty() {
        return Err(request("`bones` must be a list of names"));
    }
    // The next bone above that stays.
    let heir = |bone: BoneId| {
        let mut up = std::iter::successors(Some(bone), |bone| skeleton.parent(*bone));
        up.find(|bone| !going.contains(bone)).map(|bone| skeleton.name(bone))
    };
    let mut edits = Vec::new();
    let orphans = skeleton.bones().filter(|child| {
        !going.contains(child) && skeleton.parent(*child).is_some_and(|parent| going.contains(&parent))
    });
    for child in orphans {
        edits.push(Edit::SetParent {
            bone: skeleton.name(child).to_owned(),
            parent: heir(child)
                .filter(|heir| *heir != skeleton.name(child))
                .or_else(|| skeleton.parent(child).and_then(&heir))
                .map(str::to_owned),
            keep_place: true,
        });
    }
    for (path, binding) in scene.items("skin") {
        let found = |name: &str| skeleton.find(name).filter(|bone| going.contains(bone));
        if let Some(gone) = text_of(&binding, "bone").and_then(found) {
            edits.extend(heir(gone).map(|heir| Edit::set(path.clone().name("bone"), heir)));
        }
        let names = texts_of(&binding, "bones");
        if names.iter().any(|name| found(name).is_some()) {
            let mut kept: Vec<&str> = Vec::new();
            for name in names {
                let name = match found(name) {
                    Some(gone) => heir(gone),
                    None => Some(name),
                };
                kept.extend(name.filter(|name| !kept.contains(name)));
            }
            if !kept.is_empty() {
                edits.push(Edit::set(path.clone().name("bones"), texts(kept)));
            }
        }
    }
    // Those below first, so that none goes with another one.
    let names = going.iter().rev().map(|bone| skeleton.name(*bone).to_owned());
    edits.extend(names.map(|name| Edit::Delete { of: Named::Bone, name, dependants: true, within: None }));
    Ok(edits)
}
