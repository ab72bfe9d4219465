//! The bones' side: places, what they may do, and what follows them.

use bone_core::{BoneId, InfluenceRegion, Inherit, Joint};
use drawing::ElementId;
use kurbo::Point;

use super::art::InspectedArt;
use rig::Rig;
use rig_format::doc::{ConstraintKind, RigDoc, TargetDoc};

/// A bone at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectedBone {
    /// Which.
    pub bone: BoneId,
    /// Its name.
    pub name: String,
    /// The bone that it hangs on.
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
    /// What it takes over from its parent.
    pub inherit: Inherit,
    /// How it may move.
    pub joint: Joint,
    /// What it influences.
    pub region: Option<InfluenceRegion>,
    /// Whether it lags and swings.
    pub spring: bool,
    /// Bones whose values drive it.
    pub driven_by: Vec<BoneId>,
    /// Bones that its values drive.
    pub drives: Vec<BoneId>,
    /// Constraints that move it, by their places in [`Inspection::constraints`](super::Inspection::constraints).
    pub constraints: Vec<usize>,
    /// The art that a binding ties to it: what rides along, and what it bends together with others.
    pub carries: Vec<ElementId>,
}

/// A rule for bones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedConstraint {
    /// Its name.
    pub name: Option<String>,
    /// Its kind, as it is written.
    pub kind: &'static str,
    /// The bones that it is told to move; of a chain, the last one.
    pub bones: Vec<String>,
    /// What it looks at, in the words of the rig: bones, art, or places.
    pub targets: Vec<String>,
}

pub(super) fn bones(scene: &Rig, doc: &RigDoc, art: &[InspectedArt]) -> Vec<InspectedBone> {
    let skeleton = scene.skeleton();
    let swinging: Vec<BoneId> = scene.springs().bones().collect();
    let constraints = constraints(doc);
    let mut list: Vec<InspectedBone> = Vec::with_capacity(skeleton.len());
    for bone in skeleton.bones() {
        let name = skeleton.name(bone);
        let parent = skeleton.parent(bone);
        let drivers = || scene.drivers().iter().map(|driver| &driver.motion);
        let mut driven_by: Vec<BoneId> = drivers()
            .filter(|driver| driver.driven().any(|b| b == bone))
            .map(|driver| driver.bone())
            .collect();
        driven_by.dedup();
        let mut drives: Vec<BoneId> =
            drivers().filter(|driver| driver.bone() == bone).flat_map(|driver| driver.driven()).collect();
        drives.sort_unstable();
        drives.dedup();
        let moves = |rule: &InspectedConstraint| rule.bones.iter().any(|b| b == name);
        let constraints = constraints.iter().enumerate().filter(|(_, rule)| moves(rule)).map(|(at, _)| at);
        let tied = |it: &&InspectedArt| {
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
            spring: swinging.contains(&bone),
            driven_by,
            drives,
            constraints: constraints.collect(),
            carries: art.iter().filter(tied).map(|it| it.element).collect(),
        });
    }
    list
}

pub(super) fn constraints(doc: &RigDoc) -> Vec<InspectedConstraint> {
    let place = |target: &TargetDoc| match target {
        TargetDoc::Bone(bone) => bone.value.clone(),
        TargetDoc::Place(point) => format!("({}, {})", point.value.x, point.value.y),
    };
    let rule = |rule: &rig_format::doc::ConstraintDoc| {
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
    doc.constraints.iter().map(rule).collect()
}
