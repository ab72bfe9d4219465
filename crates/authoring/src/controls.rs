//! Values of hands and face for the control bones of a rig: what their drivers read, and how far.

use bone_core::Skeleton;
use bone_format::doc::{AnyChannel, Drive, DriverDoc, RigDoc};
use bone_import::controls::{Control, ControlBone, ControlChannel, fit_controls};
use bone_import::fit::KeyedTrack;
use bone_import::retarget::RigMap;
use bone_import::{ImportError, PlanarMotion};

/// The largest error of a share for each percent of the tolerance of joints.
const SHARE: f64 = 0.03;

/// The keys of control bones, and notes.
pub(crate) struct ControlKeys {
    pub(crate) tracks: Vec<KeyedTrack>,
    pub(crate) notes: Vec<String>,
}

/// Finds the control bones of a rig for what was recorded of hands and face, and their keys. The tolerance is
/// that of joints, in percent.
pub(crate) fn control_keys(
    motion: &PlanarMotion,
    rig: &RigDoc,
    skeleton: &Skeleton,
    map: &RigMap,
    looped: bool,
    tolerance: f64,
) -> Result<ControlKeys, ImportError> {
    let (mut bones, mut notes, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for control in motion.controls().iter().map(|track| track.control) {
        let Some(bone) = map.control(control) else {
            missing.push(control.name());
            continue;
        };
        let name = skeleton.name(bone);
        match range(rig, name, control) {
            Some((channel, ends)) => bones.push(ControlBone { control, bone, channel, ends }),
            None => notes.push(format!(
                "no driver reads how far bone \"{name}\" turns or moves: the {} of the recording is left out",
                control.name()
            )),
        }
    }
    if !missing.is_empty() {
        notes
            .push(format!("the rig has no bones for these values of hands and face: {}", missing.join(", ")));
    }
    let tracks = fit_controls(motion, &bones, looped, SHARE * tolerance)?;
    if !bones.is_empty() {
        let names: Vec<String> =
            bones.iter().map(|bone| format!("\"{}\"", skeleton.name(bone.bone))).collect();
        notes.push(format!("hands and face move {}", names.join(", ")));
    }
    Ok(ControlKeys { tracks, notes })
}

/// The value of a bone that drivers read, and its values at the shares -1 and 1: the first and the last keys of
/// the drivers. A control without negative shares takes the end that is further away from 0.
fn range(rig: &RigDoc, bone: &str, control: Control) -> Option<(ControlChannel, (f64, f64))> {
    let channel = |drive: Drive| match drive {
        Drive::Rotate => Some(ControlChannel::Rotate),
        Drive::MoveX => Some(ControlChannel::MoveX),
        Drive::MoveY => Some(ControlChannel::MoveY),
        _ => None,
    };
    let reading =
        || rig.drivers.iter().filter(|driver| driver.bone.as_ref().is_some_and(|own| own.value == bone));
    let (drive, found) = reading().find_map(|driver| Some((driver.drive()?, channel(driver.drive()?)?)))?;
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for value in reading().filter(|driver| driver.drive() == Some(drive)).flat_map(values) {
        (low, high) = (low.min(value), high.max(value));
    }
    let ends = match control {
        Control::Brow(_) => (low, high),
        _ if -low > high => (high, low),
        _ => (low, high),
    };
    (low < high).then_some((found, ends))
}

/// The driving values at which a driver has keys.
fn values(driver: &DriverDoc) -> Vec<f64> {
    let times = |channel: &AnyChannel| channel.times().into_iter().map(|time| time.value);
    let bones = driver.bones.iter().flat_map(|bone| bone.values.iter());
    let bones = bones.flat_map(|(_, channel)| times(channel));
    let offsets = driver.offsets.iter().flat_map(|art| &art.vertices);
    let offsets = offsets.flat_map(|(_, offset)| offset.channel.keys.iter().map(|key| key.time.value));
    let art = driver.art.iter().flat_map(|art| art.values.iter());
    let art = art.flat_map(|(_, channel)| times(channel));
    bones.chain(offsets).chain(art).collect()
}
