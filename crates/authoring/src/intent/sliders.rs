//! Poses that a slider has at its values.

use bone_format::session::{DocPath, DocValue, Edit};

use super::{CurrentRig, PoseChange, request, text_of};
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
    let Some((path, driver)) = own else {
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
        let is_new = driver.field("bones").is_none() || scene.session.get(&at).is_err();
        if is_new {
            edits.push(Edit::key(at.clone(), rest, resting(channel)));
        }
        edits.push(Edit::key(at, value, posed.clone()));
    }
    Ok(edits)
}
