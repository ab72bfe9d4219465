//! Bones at rest that are dragged by a joint, a tip or the body: where they lie, and the edit of that.

use bone_core::{BoneId, Skeleton};
use bone_format::doc::RigDoc;
use bone_format::session::Edit;
use bone_rig::Rig;
use kurbo::{Affine, Point};

use crate::message::Reason;

/// Ends of bones are one joint if they are no farther apart, in canvas units.
const TOUCH: f64 = 1e-3;

/// What is moved of a bone at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SetupEnd {
    Joint,
    Tip,
    /// The whole bone, and what is below it.
    Both,
}

/// A bone that is dragged at rest.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    pub(super) bone: String,
    end: SetupEnd,
    /// The place of the press.
    at: Point,
    /// Whether the joint comes off the bones that share it.
    tear: bool,
    /// Whether it is an actor of a scene, which brings all of its rig along.
    is_actor: bool,
}

/// A bone with its new ends.
type PlacedBone = (BoneId, Point, Point);

impl Placing {
    /// Takes hold of a bone, where it is pressed; `tear` takes a joint off the bones that share it.
    pub(super) fn new(
        end: SetupEnd,
        bone: &str,
        (rig, doc): (&Rig, &RigDoc),
        (at, tear): (Option<Point>, bool),
    ) -> Result<Self, Reason> {
        let is_actor = doc.actors.iter().any(|actor| actor.name == bone);
        let end = if is_actor { SetupEnd::Both } else { end };
        let skeleton = rig.skeleton();
        let id = skeleton.find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
        let near = match end {
            SetupEnd::Tip => skeleton.setup_tip(id),
            SetupEnd::Joint | SetupEnd::Both => skeleton.setup_origin(id),
        };
        Ok(Self { bone: bone.to_owned(), end, at: at.unwrap_or(near), tear, is_actor })
    }

    pub(super) fn title(&self) -> String {
        format!("Move bone \"{}\"", self.bone)
    }

    /// Why the joint cannot be moved: a line of the drawing places a bone that shares it.
    pub(super) fn refusal(&self, rig: &Rig, doc: &RigDoc) -> Option<Reason> {
        if self.end == SetupEnd::Both {
            return None;
        }
        let skeleton = rig.skeleton();
        let moved = self.placed(skeleton, self.at);
        let of_line = |(id, ..): &PlacedBone| {
            let name = skeleton.name(*id);
            let line = doc.bone(name)?.line.as_ref()?;
            let help = "move the line in the drawing, or remove `line` first; Alt tears the joint";
            Some(format!("bone \"{name}\" follows the line \"{}\" of the drawing: {help}", line.value))
        };
        moved.iter().find_map(of_line)
    }

    /// The bones that are moved while the pointer is at a place. All others stay.
    fn placed(&self, skeleton: &Skeleton, pointer: Point) -> Vec<PlacedBone> {
        let Some(bone) = skeleton.find(&self.bone) else { return Vec::new() };
        let (from, to) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        let by = pointer - self.at;
        let torn = match self.end {
            SetupEnd::Both => {
                let motion = Affine::translate(by);
                let is_moved = |id: &BoneId| is_within(skeleton, bone, *id);
                let moved = |id| (id, motion * skeleton.setup_origin(id), motion * skeleton.setup_tip(id));
                return skeleton.bones().filter(is_moved).map(moved).collect();
            }
            SetupEnd::Joint => (bone, from + by, to),
            SetupEnd::Tip => (bone, from, to + by),
        };
        if self.tear {
            return vec![torn];
        }
        // The bone whose tip is the joint, and its children that start there.
        let (joint, parent) = match self.end {
            SetupEnd::Joint => (from, skeleton.parent(bone)),
            _ => (to, Some(bone)),
        };
        let ends_there = |id: &BoneId| skeleton.setup_tip(*id).distance(joint) <= TOUCH;
        let Some(parent) = parent.filter(ends_there) else { return vec![torn] };
        let starts_there = |id: &BoneId| {
            skeleton.parent(*id) == Some(parent) && skeleton.setup_origin(*id).distance(joint) <= TOUCH
        };
        let children = skeleton.bones().filter(starts_there);
        let children = children.map(|id| (id, joint + by, skeleton.setup_tip(id)));
        [(parent, skeleton.setup_origin(parent), joint + by)].into_iter().chain(children).collect()
    }

    /// All bones as they lie then: start, tip and angle.
    pub(super) fn preview(&self, skeleton: &Skeleton, pointer: Option<Point>) -> Vec<[f64; 5]> {
        let moved = pointer.map(|pointer| self.placed(skeleton, pointer)).unwrap_or_default();
        let bone = |id: BoneId| {
            let rest = (id, skeleton.setup_origin(id), skeleton.setup_tip(id));
            let (_, from, to) = moved.iter().find(|(moved, ..)| *moved == id).copied().unwrap_or(rest);
            [from.x, from.y, to.x, to.y, bone_core::Angle::of(to - from).degrees()]
        };
        skeleton.bones().map(bone).collect()
    }

    /// The edits that place the bones: of each the fields that the joint changes, in the form that is
    /// written.
    pub(super) fn edits(&self, rig: &Rig, doc: &RigDoc, pointer: Point) -> Vec<Edit> {
        let skeleton = rig.skeleton();
        let moved = self.placed(skeleton, pointer);
        if self.is_actor {
            let from = moved.first().map(|(_, from, _)| *from);
            return vec![Edit::PlaceBone { bone: self.bone.clone(), from, to: None }];
        }
        let of = |id: BoneId| moved.iter().find(|(moved, ..)| *moved == id);
        let mut edits = Vec::new();
        for id in skeleton.bones() {
            let parent = skeleton.parent(id);
            let rest = (id, skeleton.setup_origin(id), skeleton.setup_tip(id));
            let carrier = parent.and_then(of);
            // Below a bone that moves, what is written in its frame is written anew, so that it stays.
            let (_, from, to) = match (of(id), carrier) {
                (Some(moved), _) => *moved,
                (None, Some(_)) => rest,
                (None, None) => continue,
            };
            let Some(typed) = doc.bone(skeleton.name(id)) else { continue };
            if typed.line.is_some() && of(id).is_none() {
                continue;
            }
            let parent_tip = carrier.map_or_else(|| parent.map(|id| skeleton.setup_tip(id)), |it| Some(it.2));
            let is_chained = typed.from.is_none()
                && typed.origin.is_none()
                && parent_tip.is_some_and(|tip| tip.distance(from) <= TOUCH);
            let writes_from = match (&typed.from, &typed.origin) {
                (_, Some(_)) => true,
                (Some(_), None) => from != rest.1,
                (None, None) => !is_chained,
            };
            let writes_to = typed.to.is_none() || to != rest.2;
            if writes_from || writes_to {
                edits.push(Edit::PlaceBone {
                    bone: skeleton.name(id).to_owned(),
                    from: writes_from.then_some(from),
                    to: writes_to.then_some(to),
                });
            }
        }
        edits
    }
}

/// Whether a bone is another one, or below it.
fn is_within(skeleton: &Skeleton, above: BoneId, bone: BoneId) -> bool {
    let mut at = Some(bone);
    while at.is_some_and(|id| id != above) {
        at = at.and_then(|id| skeleton.parent(id));
    }
    at.is_some()
}
