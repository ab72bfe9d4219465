//! Poses that a slider has at its values.

use bone_format::session::{DocPath, DocValue, Edit};

use super::{CurrentRig, PoseChange, keys_of, request, text_of};
use crate::error::AuthoringError;

pub(super) fn record(
    scene: &CurrentRig<'_>,
    slider: &str,
    value: f64,
    pose: &PoseChange,
) -> Result<Vec<Edit>, AuthoringError> {
    let known = scene.rig.sliders().iter().find(|known| known.name == slider);
    let known = known.ok_or_else(|| request(format!("there is no slider \"{slider}\"")))?;
    let (least, most) = known.range;
    let rest = known.rest;
    if !(least..=most).contains(&value) || value == rest {
        return Err(request(format!(
            "\"{slider}\" can record poses from {least} to {most}, but not at rest, {rest}"
        )));
    }
    let changed: Vec<_> = pose
        .iter()
        .flat_map(|(bone, channels)| channels.iter().map(move |(channel, value)| (bone, channel, value)))
        .collect();
    if changed.is_empty() {
        return Err(request("nothing is posed: move a bone while the slider records"));
    }
    for (bone, ..) in &changed {
        scene.bone(bone)?;
    }
    let drivers = scene.items("drivers");
    let own = drivers.iter().find(|(_, driver)| text_of(driver, "slider") == Some(slider));
    let resting = |channel: &str| -> DocValue {
        match channel {
            "move" | "origin" => (0.0, 0.0).into(),
            "scale" => (1.0, 1.0).into(),
            "stretch" => 1.0.into(),
            _ => 0.0.into(),
        }
    };
    let key = |at: f64, value: DocValue| DocValue::tuple(None, [at.into(), value]);
    let Some((path, _)) = own else {
        let channels = |channels: &std::collections::BTreeMap<String, DocValue>| {
            let keys = channels.iter().map(|(channel, posed)| {
                let mut keys = [(rest, resting(channel)), (value, posed.clone())];
                keys.sort_by(|a, b| a.0.total_cmp(&b.0));
                (channel.as_str(), DocValue::list(keys.map(|(at, value)| key(at, value))))
            });
            DocValue::fields(None, keys)
        };
        let bones = DocValue::map(pose.iter().map(|(bone, values)| (bone.as_str(), channels(values))));
        let driver = DocValue::fields(None, [("slider", slider.into()), ("bones", bones)]);
        return Ok(vec![Edit::Insert { into: DocPath::from(["drivers"]), before: None, value: driver }]);
    };
    let mut edits = Vec::new();
    for (bone, channel, posed) in changed {
        let at = path.clone().name("bones").name(bone).name(channel);
        match scene.session.get(&at) {
            Ok(keys) => {
                let before = between(&keys, value).unwrap_or_else(|| resting(channel));
                edits.push(Edit::key(at, value, together(channel, &before, posed)));
            }
            Err(_) => {
                edits.push(Edit::key(at.clone(), rest, resting(channel)));
                edits.push(Edit::key(at, value, posed.clone()));
            }
        }
    }
    Ok(edits)
}

/// What keys have at a value, on straight lines between them.
fn between(channel: &DocValue, at: f64) -> Option<DocValue> {
    let keys: Vec<_> = keys_of(channel).collect();
    let next = keys.iter().position(|(time, _)| *time >= at).unwrap_or(keys.len());
    let (before, after) = (keys.get(next.saturating_sub(1)), keys.get(next).or(keys.last()));
    let ((from, first), (until, last)) = (before?, after?);
    let share = if until > from { ((at - from) / (until - from)).clamp(0.0, 1.0) } else { 1.0 };
    Some(numbers(first, last, |a, b| a + (b - a) * share))
}

/// A change on top of one: turns and places add up, scales multiply.
fn together(channel: &str, before: &DocValue, change: &DocValue) -> DocValue {
    match channel {
        "scale" => numbers(before, change, |a, b| a * b),
        "stretch" => numbers(before, change, |a, b| a + b - 1.0),
        _ => numbers(before, change, |a, b| a + b),
    }
}

/// A number made of two, or each number of a pair; one number is a pair of it.
fn numbers(a: &DocValue, b: &DocValue, of: impl Fn(f64, f64) -> f64) -> DocValue {
    let parts = |value: &DocValue| match value {
        DocValue::Tuple(None, parts) => {
            Some((parts.first()?.as_number()?, parts.get(1).and_then(DocValue::as_number)?))
        }
        value => value.as_number().map(|number| (number, number)),
    };
    match (a, b, parts(a), parts(b)) {
        (DocValue::Number(a), DocValue::Number(b), ..) => of(*a, *b).into(),
        (_, _, Some(a), Some(b)) => (of(a.0, b.0), of(a.1, b.1)).into(),
        _ => b.clone(),
    }
}
