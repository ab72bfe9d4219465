//! Which bones of a rig are which parts of a body.

use bone_core::{BoneId, Side, Skeleton};

use crate::controls::Control;
use crate::parts::{BodyPart, find_parts};

/// The bones of a rig by the parts of a body, and those that carry values of hands and face.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RigMap {
    parts: Vec<(BodyPart, BoneId)>,
    pub(super) controls: Vec<(Control, BoneId)>,
}

impl RigMap {
    /// Finds bones by their names.
    pub fn by_names(skeleton: &Skeleton) -> Self {
        let bones: Vec<BoneId> = skeleton.bones().collect();
        let parents: Vec<Option<usize>> = bones
            .iter()
            .map(|bone| skeleton.parent(*bone).and_then(|parent| bones.binary_search(&parent).ok()))
            .collect();
        let found = find_parts(bones.iter().map(|bone| skeleton.name(*bone)), &parents);
        let named = BodyPart::ALL.into_iter().zip(found);
        let parts: Vec<_> = named.filter_map(|(part, at)| Some((part, bones[at?]))).collect();
        let mut map = Self { parts, controls: Vec::new() };
        for bone in bones {
            let control =
                Control::by_name(skeleton.name(bone)).filter(|control| map.control(*control).is_none());
            let is_part = map.parts.iter().any(|(_, other)| *other == bone);
            map.controls.extend(control.filter(|_| !is_part).map(|control| (control, bone)));
        }
        map
    }

    /// Sets the bone of a control.
    pub fn set_control(&mut self, control: Control, bone: BoneId) {
        self.controls.retain(|(other, of)| *other != control && *of != bone);
        self.controls.push((control, bone));
    }

    /// The bone of a control.
    pub fn control(&self, control: Control) -> Option<BoneId> {
        self.controls.iter().find(|(other, _)| *other == control).map(|(_, bone)| *bone)
    }

    /// Sets the bone of a part.
    pub fn set(&mut self, part: BodyPart, bone: BoneId) {
        self.parts.retain(|(other, of)| *other != part && *of != bone);
        self.parts.push((part, bone));
    }

    /// The bone of a part.
    pub fn bone(&self, part: BodyPart) -> Option<BoneId> {
        self.parts.iter().find(|(other, _)| *other == part).map(|(_, bone)| *bone)
    }

    /// The parts that are needed (hips and legs) and have no bone.
    pub fn missing(&self) -> Vec<BodyPart> {
        needed().into_iter().filter(|part| self.bone(*part).is_none()).collect()
    }

    /// All parts with their bones.
    pub fn iter(&self) -> impl Iterator<Item = (BodyPart, BoneId)> {
        self.parts.iter().copied()
    }
}

pub(super) fn needed() -> Vec<BodyPart> {
    let leg = |side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)];
    std::iter::once(BodyPart::Hips).chain([Side::Left, Side::Right].into_iter().flat_map(leg)).collect()
}
