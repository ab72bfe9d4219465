//! Reads the joints of a linkage from the bones of a pose: which may move for an end, in which frame, within
//! which limits.

use kurbo::{Affine, Vec2};

use super::linkage::{Axes, End, Linear, Motion, Node, ROOT};
use super::scratch::IkScratch;
use super::types::Ik;
use crate::constraint::context::{Context, SavedBones, attachment_in_bone};
use crate::constraint::types::IgnoredReason;
use crate::frame::linear;
use crate::{BoneId, Inherit, Joint};

/// The bone has no node.
const NONE: u32 = u32::MAX;

/// Fills the linkage with the chains of all ends, parents first.
pub(super) fn gather(
    ik: &Ik,
    context: &Context<'_>,
    scratch: &mut IkScratch,
    saved: &mut SavedBones,
) -> Result<(), IgnoredReason> {
    scratch.solver.linkage.clear();
    for &bone in &scratch.bones {
        scratch.node_of[bone.index()] = NONE;
    }
    scratch.bones.clear();
    scratch.node_of.resize(context.skeleton.len(), NONE);
    scratch.moves.clear();
    mark(ik, context, scratch);
    for (e, end) in ik.ends.iter().enumerate() {
        let target = scratch.goals[e].target().to_vec2();
        let start = first(ik, context, e).ok_or(IgnoredReason::NoChain)?;
        // Up to the highest bone that moves; bones between that do not move are nodes without motion.
        scratch.way.clear();
        let mut keep = 0;
        let mut at = Some(start);
        while let Some(bone) = at {
            scratch.way.push(bone);
            if scratch.moves.contains(&bone) {
                keep = scratch.way.len();
            }
            at = context.pose.parent(context.skeleton, bone);
        }
        scratch.way.truncate(keep);
        for k in (0..scratch.way.len()).rev() {
            let bone = scratch.way[k];
            if scratch.node_of[bone.index()] == NONE {
                let above = scratch.way.get(k + 1).map(|p| scratch.node_of[p.index()] as usize);
                scratch.node_of[bone.index()] = scratch.bones.len() as u32;
                scratch.bones.push(bone);
                let moves = scratch.moves.contains(&bone);
                // Filled in place: nodes are large.
                let nodes = &mut scratch.solver.linkage.nodes;
                nodes.push(Node::REST);
                let node = nodes.last_mut().ok_or(IgnoredReason::NoChain)?;
                fill(node, ik, context, bone, above, moves)?;
            }
        }
        let node = scratch.node_of[start.index()] as usize;
        let local = if end.bone_is_excluded() {
            carried(context, end.bone, context.pose.bones[end.bone.index()].origin)
        } else {
            attachment_in_bone(context.skeleton, context.pose, end.bone, end.point)
        };
        scratch.solver.linkage.ends.push(End { node, local, target });
    }
    scratch.save(context, ik, saved);
    let [a, b, c, d] = scratch.solver.linkage.nodes[0].rebase;
    scratch.mirrored = a * d - b * c < 0.0;
    scratch.solver.linkage.prepare();
    Ok(())
}

/// The lowest bone of an end's chain.
fn first(ik: &Ik, context: &Context<'_>, e: usize) -> Option<BoneId> {
    let end = &ik.ends[e];
    if end.bone_is_excluded() { context.pose.parent(context.skeleton, end.bone) } else { Some(end.bone) }
}

/// Collects the bones that may move for any end.
fn mark(ik: &Ik, context: &Context<'_>, scratch: &mut IkScratch) {
    for (e, end) in ik.ends.iter().enumerate() {
        let mut at = first(ik, context, e);
        for _ in 0..end.chain.max(1) {
            let Some(bone) = at else { break };
            if ik.ends.len() == 1 || !scratch.moves.contains(&bone) {
                scratch.moves.push(bone);
            }
            at = context.pose.parent(context.skeleton, bone);
        }
    }
}

/// Reads the data of a bone into a node.
fn fill(
    node: &mut Node,
    ik: &Ik,
    context: &Context<'_>,
    bone: BoneId,
    above: Option<usize>,
    moves: bool,
) -> Result<(), IgnoredReason> {
    let (skeleton, pose) = (context.skeleton, &*context.pose);
    let now = &pose.bones[bone.index()];
    if !now.is_finite() {
        return Err(IgnoredReason::NotFinite);
    }
    let setup = pose.setup(skeleton, bone);
    let inherit = skeleton.inherit(bone);
    node.parent = above.unwrap_or(ROOT);
    node.degrees = now.angle.degrees();
    node.scale = now.scale;
    // The frame that the joint's place is measured in, for a slide's axis.
    let mut place = Affine::IDENTITY;
    if above.is_some() {
        node.offset = carried(context, bone, now.origin);
        node.axes = match inherit {
            Inherit::All => Axes::All,
            Inherit::NoScale => Axes::Turns,
            Inherit::TranslationOnly => Axes::Own,
            Inherit::NoRotation => return Err(IgnoredReason::InheritInside),
        };
        if let Some(change) = pose.reparent(bone) {
            node.rebase = matrix(change.rebase.axes);
            node.rebase_turn = change.rebase.turn;
        }
    } else {
        let frame = context.world.parent_frame(skeleton, pose, bone);
        let (axes, turn) = frame.inherited(inherit);
        node.offset = context.world.origin(bone).to_vec2();
        (node.rebase, node.rebase_turn) = (matrix(axes), turn);
        place = linear(frame.place);
    }
    if !moves {
        node.motion = Motion::Still;
    }
    if node.motion != Motion::Still {
        match skeleton.joint(bone) {
            Joint::Free | Joint::Pin { .. } => (node.least, node.most) = turn_limits(context, bone),
            Joint::Slide { axis, limits } => {
                let direction = axis.direction();
                let along = if above.is_some() {
                    carried(context, bone, now.origin + direction) - node.offset
                } else {
                    (place * direction.to_point()).to_vec2()
                };
                node.motion = Motion::Slide(along);
                if let Some((least, most)) = limits {
                    let shifted = (now.origin - setup.origin).dot(direction);
                    (node.least, node.most) = (least - shifted, most - shifted);
                }
            }
            Joint::Fixed => node.motion = Motion::Still,
        }
    }
    if node.motion == Motion::Still {
        (node.least, node.most) = (0.0, 0.0);
    }
    node.compliance = ik.compliance(bone);
    if matches!(node.motion, Motion::Slide(_)) {
        // A slide by the bone's own length has the same cost as a rotation by one radian.
        node.compliance *= skeleton.length(bone) * skeleton.length(bone);
    }
    let finite = node.offset.is_finite() && node.rebase.iter().all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(IgnoredReason::NotFinite) }
}

/// The limits of a rotating bone relative to its current angle, radians.
pub(super) fn turn_limits(context: &Context<'_>, bone: BoneId) -> (f64, f64) {
    match context.skeleton.joint(bone) {
        Joint::Pin { limits: Some((least, most)) } => {
            let turned =
                context.pose.bones[bone.index()].angle - context.pose.setup(context.skeleton, bone).angle;
            ((least - turned).radians(), (most - turned).radians())
        }
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// A position in a bone's parent frame, relative to the parent's axes: rebase and the parent's stretch
/// applied.
pub(super) fn carried(context: &Context<'_>, bone: BoneId, place: Vec2) -> Vec2 {
    let pose = &*context.pose;
    let place = match pose.reparent(bone) {
        Some(change) => (change.rebase.place * place.to_point()).to_vec2(),
        None => place,
    };
    match pose.parent(context.skeleton, bone) {
        Some(parent) => Vec2::new(place.x * pose.bones[parent.index()].stretch, place.y),
        None => place,
    }
}

pub(super) fn matrix(affine: Affine) -> Linear {
    let [a, b, c, d, ..] = affine.as_coeffs();
    [a, b, c, d]
}
