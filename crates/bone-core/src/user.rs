//! User transforms: the local values of a bone from its transform on the canvas, for tools that drag bones
//! (Vaillant). With `L` the setup local and `C` the animated one, `Ul = L^-1 C`.

use kurbo::{Affine, Vec2};

use crate::frame::{Frame, linear};
use crate::{Angle, BoneId, BonePose, Pose, Skeleton, WorldPose};

/// `Ul_j = L_j^-1 C_j`: the change of a bone since the setup pose, in the bone's own frame.
///
/// # Panics
/// If it is a bone of a larger skeleton than one of these.
pub fn user_transform(skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Affine {
    inverse_setup(skeleton, pose, bone) * pose.bones[bone.index()].matrix()
}

/// `Ul_j = (W_p L_j)^-1 W_j`: the user transform that puts the bone at `world` on the canvas.
///
/// The parent's stretch, the bone's inherit mode and a parent changed in this pose are taken into account.
/// `None` if the parent frame has no inverse (a scale of 0 above it).
///
/// # Panics
/// If it is a bone of a larger skeleton than one of these.
pub fn user_from_world(
    skeleton: &Skeleton,
    pose: &Pose,
    placed: &WorldPose,
    bone: BoneId,
    world: Affine,
) -> Option<Affine> {
    let frame = placed.parent_frame(skeleton, pose, bone);
    local_in(&frame, skeleton, bone, world).map(|local| inverse_setup(skeleton, pose, bone) * local)
}

/// `Ul'_j = (W_p L_j)^-1 U W_j`: the user transform after a world increment `U` on an animated joint.
///
/// `None` as for [`user_from_world`].
///
/// # Panics
/// If it is a bone of a larger skeleton than one of these.
pub fn user_from_increment(
    skeleton: &Skeleton,
    pose: &Pose,
    placed: &WorldPose,
    bone: BoneId,
    increment: Affine,
) -> Option<Affine> {
    user_from_world(skeleton, pose, placed, bone, increment * placed.matrix(bone))
}

/// The bone pose of a user transform, and the shear that a pose cannot represent.
///
/// The matrix is split as `T(o) R(a) H(shear) S(s)` with `H(k) = [1 k; 0 1]`. Two splits differ by half a
/// turn and two signs; the one whose scale has the signs of `near` is taken. The angle is the one nearest to
/// `near`, so that whole turns are kept. Stretch is that of `near`.
///
/// # Panics
/// If it is a bone of a larger skeleton than one of these.
pub fn pose_from_user(
    skeleton: &Skeleton,
    pose: &Pose,
    bone: BoneId,
    user: Affine,
    near: &BonePose,
) -> (BonePose, f64) {
    let setup = pose.setup(skeleton, bone);
    split(setup.matrix() * user, near)
}

fn split(local: Affine, near: &BonePose) -> (BonePose, f64) {
    let [a, b, c, d, x, y] = local.as_coeffs();
    let mirrored_x = if near.scale.x < 0.0 { -1.0 } else { 1.0 };
    let along = Vec2::new(a, b);
    let length = along.hypot();
    // A bone without extent along x keeps the direction of its y axis, or else its angle.
    let direction = if length > 0.0 {
        along * (mirrored_x / length)
    } else {
        let across = Vec2::new(d, -c);
        let width = across.hypot();
        if width > 0.0 { across / width } else { near.angle.direction() }
    };
    let angle = Angle::of(direction).nearest_to(near.angle);
    let across = Vec2::new(c, d);
    let scale = Vec2::new(length * mirrored_x, direction.cross(across));
    let sheared = direction.dot(across);
    let shear = if scale.y == 0.0 { 0.0 } else { sheared / scale.y };
    (BonePose { origin: Vec2::new(x, y), angle, scale, stretch: near.stretch }, shear)
}

/// C: the local matrix that gives `world` in a parent's frame.
fn local_in(frame: &Frame, skeleton: &Skeleton, bone: BoneId, world: Affine) -> Option<Affine> {
    let (axes, _) = frame.inherited(skeleton.inherit(bone));
    let origin = inverse(frame.place)? * world.translation().to_point();
    let local = inverse(axes)? * linear(world);
    Some(local.with_translation(origin.to_vec2()))
}

fn inverse_setup(skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Affine {
    pose.setup(skeleton, bone).matrix().inverse()
}

/// The inverse, if it is finite.
pub(crate) fn inverse(matrix: Affine) -> Option<Affine> {
    Some(matrix.inverse()).filter(|inverse| matrix.determinant() != 0.0 && inverse.is_finite())
}
