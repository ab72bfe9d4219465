//! The bones: coordinates, joints, constraints, and the art that follows them.

use bone_core::{BoneId, InfluenceRegion, Inherit, Joint};
use bone_drawing::ElementId;
use kurbo::Point;

use super::art::InspectedArt;
use bone_format::doc::{ConstraintKind, RigDoc, TargetDoc};
use bone_rig::Rig;

/// A bone at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectedBone {
    /// Its id.
    pub bone: BoneId,
    /// Its name.
    pub name: String,
    /// Its parent.
    pub parent: Option<BoneId>,
    /// How many bones are above it.
    pub depth: usize,
    /// Where it starts, on the canvas.
    pub origin: Point,
    /// Where it ends, on the canvas.
    pub tip: Point,
    /// Degrees on the canvas.
    pub angle: f64,
    /// In drawing units.
    pub length: f64,
    /// What it inherits from its parent.
    pub inherit: Inherit,
    /// Its joint: the limits of its motion.
    pub joint: Joint,
    /// Its region of influence.
    pub region: Option<InfluenceRegion>,
    /// Whether it has secondary motion.
    pub spring: bool,
    /// Bones whose values drive it.
    pub driven_by: Vec<BoneId>,
    /// Bones that its values drive.
    pub drives: Vec<BoneId>,
    /// Constraints that move it, by their indices in
    /// [`Inspection::constraints`](super::Inspection::constraints).
    pub constraints: Vec<usize>,
    /// The art that is bound to it, rigidly or together with other bones.
    pub carries: Vec<ElementId>,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedConstraint {
    /// Its name.
    pub name: Option<String>,
    /// Its kind in the rig file.
    pub kind: &'static str,
    /// The bones that it moves; of a chain, the last one.
    pub bones: Vec<String>,
    /// Its targets as they are written in the rig file: bones, art, or coordinates.
    pub targets: Vec<String>,
}

pub(super) fn bones(rig: &Rig, doc: &RigDoc, art: &[InspectedArt]) -> Vec<InspectedBone> {
    let skeleton = rig.skeleton();
    let spring_bones: Vec<BoneId> = rig.springs().bones().collect();
    let constraints = constraints(doc);
    let mut list: Vec<InspectedBone> = Vec::with_capacity(skeleton.len());
    for bone in skeleton.bones() {
        let name = skeleton.name(bone);
        let parent = skeleton.parent(bone);
        let drivers = || rig.drivers().iter().map(|driver| &driver.motion);
        let mut driven_by: Vec<BoneId> = drivers()
            .filter(|driver| driver.driven().any(|b| b == bone))
            .filter_map(|driver| Some(driver.source()?.0))
            .collect();
        driven_by.dedup();
        let mut drives: Vec<BoneId> = drivers()
            .filter(|driver| driver.source().is_some_and(|(own, _)| own == bone))
            .flat_map(|driver| driver.driven())
            .collect();
        drives.sort_unstable();
        drives.dedup();
        let moves = |constraint: &InspectedConstraint| constraint.bones.iter().any(|b| b == name);
        let constraints =
            constraints.iter().enumerate().filter(|(_, constraint)| moves(constraint)).map(|(at, _)| at);
        let bound_to_it = |it: &&InspectedArt| {
            it.bound && it.follows.as_ref().is_some_and(|f| f.bones.iter().any(|b| b == name))
        };
        list.push(InspectedBone {
            bone,
            name: name.to_owned(),
            parent,
            depth: parent.map_or(0, |parent| list[parent.index()].depth + 1),
            origin: skeleton.setup_origin(bone),
            tip: skeleton.setup_tip(bone),
            angle: skeleton.setup_angle(bone).degrees(),
            length: skeleton.length(bone),
            inherit: skeleton.inherit(bone),
            joint: skeleton.joint(bone),
            region: skeleton.region(bone),
            spring: spring_bones.contains(&bone),
            driven_by,
            drives,
            constraints: constraints.collect(),
            carries: art.iter().filter(bound_to_it).map(|it| it.element).collect(),
        });
    }
    list
}

pub(super) fn constraints(doc: &RigDoc) -> Vec<InspectedConstraint> {
    let place = |target: &TargetDoc| match target {
        TargetDoc::Bone(bone) => bone.value.clone(),
        TargetDoc::Place(point) => format!("({}, {})", point.value.x, point.value.y),
    };
    let inspected = |rule: &bone_format::doc::ConstraintDoc| {
        let (kind, bones, targets) = match &rule.kind {
            ConstraintKind::Ik(ik) | ConstraintKind::Pin(ik) => {
                let kind = if matches!(rule.kind, ConstraintKind::Pin(_)) { "Pin" } else { "Ik" };
                let tips = ik.ends.iter().map(|end| end.tip.value.clone()).collect();
                (kind, tips, ik.ends.iter().filter_map(|end| Some(place(end.target.as_ref()?))).collect())
            }
            ConstraintKind::Aim(aim) => ("Aim", vec![aim.bone.value.clone()], vec![place(&aim.target)]),
            ConstraintKind::Copy(copy) => {
                ("Copy", vec![copy.bone.value.clone()], vec![copy.from.value.clone()])
            }
            ConstraintKind::Limit(limit) => ("Limit", vec![limit.bone.value.clone()], Vec::new()),
            ConstraintKind::Path(path) => {
                let bones = path.bones.iter().map(|bone| bone.value.clone()).collect();
                ("Path", bones, vec![path.art.value.clone()])
            }
            ConstraintKind::Distance(it) => {
                ("Distance", vec![it.bone.value.clone()], vec![place(&it.target)])
            }
        };
        InspectedConstraint { name: rule.name.as_ref().map(|name| name.value.clone()), kind, bones, targets }
    };
    doc.constraints.iter().map(inspected).collect()
}
