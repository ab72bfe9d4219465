//! Rules that an artist adds by a gesture: constraints, limits and springs.

use bone_core::BoneId;
use bone_format::session::{DocPath, DocValue, Edit, Named, PathStep, Session};
use kurbo::Point;

use super::{CurrentRig, request, text_of, texts};
use crate::error::AuthoringError;

/// How many bones a goal moves unless more are asked for.
const CHAIN: usize = 2;
/// The first limits of a bone, degrees to both sides.
const LIMITS: f64 = 45.0;

/// What a rule is about, besides its bones.
pub(super) struct RuleSubject<'a> {
    pub(super) target: Option<&'a str>,
    pub(super) at: Option<Point>,
    pub(super) art: Option<&'a str>,
    pub(super) chain: Option<usize>,
}

pub(super) fn add(
    scene: &CurrentRig<'_>,
    kind: &str,
    bones: &[String],
    rule: RuleSubject<'_>,
) -> Result<Vec<Edit>, AuthoringError> {
    let mut seen = std::collections::BTreeSet::new();
    let bones: Vec<&str> = bones.iter().map(String::as_str).filter(|bone| seen.insert(*bone)).collect();
    let ids = bones.iter().map(|bone| scene.bone(bone)).collect::<Result<Vec<_>, _>>()?;
    let (Some(&name), Some(&id)) = (bones.last(), ids.last()) else {
        return Err(request("a rule needs a bone: select one first"));
    };
    if rule.at.is_some_and(|at| !at.is_finite()) {
        return Err(request("the point of a rule must be finite"));
    }
    let skeleton = scene.skeleton();
    let other = rule.target.map(|target| scene.bone(target)).transpose()?;
    if other.is_some_and(|other| is_below(scene, other, id)) && kind != "Copy" {
        let target = rule.target.unwrap_or_default();
        return Err(request(format!("\"{name}\" carries \"{target}\", which would follow it for ever")));
    }
    let target = || match (rule.target, rule.at) {
        (Some(bone), _) => Ok(DocValue::text(bone)),
        (None, Some(at)) => Ok(at.into()),
        (None, None) => Err(request(format!("{kind} needs a bone or a point to follow"))),
    };
    let own = DocValue::text(name);
    let called = ("name", DocValue::text(&scene.rule_name(name)));
    let chain = || ("chain", (chain_up(scene, id, rule.chain.unwrap_or(CHAIN)) as f64).into());
    let fields = match kind {
        "Ik" => {
            let at = rule.at.unwrap_or_else(|| skeleton.setup_tip(id));
            let target = rule.target.map_or_else(|| at.into(), DocValue::text);
            vec![called, ("tip", own), ("target", target), chain()]
        }
        "Pin" => vec![called, ("bone", own), chain()],
        "Aim" => vec![called, ("bone", own), ("target", target()?)],
        "Copy" => {
            let from = rule.target.filter(|target| *target != name);
            let from = from.ok_or_else(|| request("Copy needs another bone to copy"))?;
            vec![called, ("bone", own), ("from", from.into()), ("rotate", 1.0.into())]
        }
        "Distance" => {
            let to = other.map(|other| skeleton.setup_origin(other)).or(rule.at).unwrap_or_default();
            let distance = (to - skeleton.setup_origin(id)).hypot();
            vec![called, ("bone", own), ("target", target()?), ("distance", distance.into())]
        }
        "Path" => {
            let art = rule
                .art
                .ok_or_else(|| request("Path needs art whose outline is the path: select it, too"))?;
            vec![called, ("bones", texts(bones.iter().copied())), ("art", art.into())]
        }
        "Limit" => {
            return Ok(vec![Edit::set(DocPath::bone(name).name("limits"), (-LIMITS, LIMITS))]);
        }
        "Spring" => {
            let moved = match bones.as_slice() {
                [one] => ("chain", (*one).into()),
                several => ("bones", texts(several.iter().copied())),
            };
            let spring = DocValue::fields(None, [moved, ("stiffness", 2.0.into()), ("damping", 0.15.into())]);
            return Ok(vec![insert("springs", spring)]);
        }
        other => return Err(request(format!("there is no rule \"{other}\""))),
    };
    Ok(vec![insert("constraints", DocValue::fields(Some(kind), fields))])
}

/// Takes a rule out. A list is not left behind empty.
pub(super) fn delete(session: &Session, at: &DocPath) -> Result<Vec<Edit>, AuthoringError> {
    let [PathStep::Name(section), PathStep::Index(_)] = at.steps.as_slice() else {
        return Err(request("a rule is at a place of a list"));
    };
    if !["constraints", "springs", "drivers", "masks"].contains(&section.as_str()) {
        return Err(request(format!("`{section}` has no rules")));
    }
    let rule = session.get(at)?;
    let list = DocPath::from([section.as_str()]);
    let is_last = session.get(&list.clone().index(1)).is_err();
    // With what clips key of it.
    let named = text_of(&rule, "name").filter(|_| section == "constraints").map(|name| Edit::Delete {
        of: Named::Constraint,
        within: None,
        name: name.to_owned(),
        dependants: true,
    });
    let mut edits: Vec<Edit> = named.into_iter().collect();
    if is_last {
        edits.push(Edit::Remove { at: list });
    } else if edits.is_empty() {
        edits.push(Edit::Remove { at: at.clone() });
    }
    Ok(edits)
}

fn insert(section: &str, value: DocValue) -> Edit {
    Edit::Insert { into: DocPath::from([section]), before: None, value }
}

/// How many bones a goal can move: upwards to the first branch, so that a hand does not pull the hips.
fn chain_up(scene: &CurrentRig<'_>, tip: BoneId, most: usize) -> usize {
    let skeleton = scene.skeleton();
    let branches =
        |bone: BoneId| skeleton.bones().filter(|child| skeleton.parent(*child) == Some(bone)).count();
    let up =
        std::iter::successors(Some(tip), |bone| skeleton.parent(*bone).filter(|above| branches(*above) < 2));
    up.take(most.max(1)).count()
}

/// Whether a bone is another one, or below it.
fn is_below(scene: &CurrentRig<'_>, bone: BoneId, above: BoneId) -> bool {
    std::iter::successors(Some(bone), |bone| scene.skeleton().parent(*bone)).any(|up| up == above)
}
