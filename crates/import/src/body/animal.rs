//! Whether a recorded skeleton is that of an animal: skeletons of animals have the names of people's joints,
//! so this is decided by shape.

use bone_core::Angle;

use super::{Body, JointTree};
use crate::parts::BodyPart;
use crate::space::{Vec3, add, dot, length, scaled, sub};
use crate::space_motion::{SignedAxis, SpaceMotion};

/// The number of frames that are looked at.
const FRAMES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    Upright,
    OnFourLegs,
    Other,
}

/// The joints that tell the stance of a figure.
struct Limbs {
    thighs: [usize; 2],
    arms: [usize; 2],
    /// The joints at and below the ankles, and at and below the wrists.
    feet: Vec<usize>,
    hands: Vec<usize>,
}

/// Why a figure is an animal; `None` for a person.
///
/// A person stands upright at rest. An animal stands on four legs at rest: its trunk is level and its hands
/// are on the ground. Some files have no rest pose, their bones lie along one axis; then most of the frames
/// decide, and a tail.
pub(crate) fn animal(motion: &SpaceMotion, body: &Body) -> Option<String> {
    let limbs = Limbs::of(motion, body)?;
    let four_legs = || Some("it stands on four legs".to_owned());
    match limbs.stance(&motion.rest, limbs.up(std::iter::once(&motion.rest[..]))) {
        Stance::Upright => return None,
        Stance::OnFourLegs => return four_legs(),
        Stance::Other => {}
    }
    let step = 1 + motion.frames() / FRAMES;
    let frames = || motion.positions.chunks_exact(motion.joint_count()).step_by(step);
    let up = limbs.up(frames());
    let standing = frames().filter(|frame| limbs.stance(frame, up) == Stance::OnFourLegs).count();
    if 2 * standing > frames().count() {
        return four_legs();
    }
    tail(motion, body, &limbs).map(|tail| format!("it has a tail, \"{}\"", motion.names[tail]))
}

/// The axis that points up for an animal: along its four legs.
pub(crate) fn up_of_legs(motion: &SpaceMotion, body: &Body) -> Option<SignedAxis> {
    let limbs = Limbs::of(motion, body)?;
    let up = limbs.up(motion.positions.chunks_exact(motion.joint_count()));
    let axis = up.iter().position(|share| *share != 0.0)?;
    Some(SignedAxis { axis: axis as u8, negative: up[axis] < 0.0 })
}

impl Limbs {
    fn of(motion: &SpaceMotion, body: &Body) -> Option<Self> {
        let pair = |part| body.pair(part).map(|(left, right)| [left, right]);
        let below = |from: [usize; 2]| -> Vec<usize> {
            let mut carried = vec![false; motion.joint_count()];
            for joint in 0..carried.len() {
                carried[joint] =
                    from.contains(&joint) || motion.parents[joint].is_some_and(|parent| carried[parent]);
            }
            (0..carried.len()).filter(|&joint| carried[joint]).collect()
        };
        Some(Self {
            thighs: pair(BodyPart::Thigh)?,
            arms: pair(BodyPart::UpperArm)?,
            feet: below(pair(BodyPart::Foot)?),
            hands: below(pair(BodyPart::Hand)?),
        })
    }

    /// The axis of the file that is nearest to the mean direction from the ends of the limbs to their
    /// beginnings.
    fn up<'a>(&self, poses: impl Iterator<Item = &'a [Vec3]>) -> Vec3 {
        let mut sum = [0.0; 3];
        for pose in poses {
            let limbs = [(&self.thighs, &self.feet), (&self.arms, &self.hands)];
            sum = limbs
                .into_iter()
                .fold(sum, |sum, (top, end)| add(sum, sub(mean(pose, top), mean(pose, end))));
        }
        let axis = (0..3).fold(0, |best, axis| if sum[axis].abs() > sum[best].abs() { axis } else { best });
        let mut up = [0.0; 3];
        up[axis] = if sum[axis] < 0.0 { -1.0 } else { 1.0 };
        up
    }

    fn stance(&self, pose: &[Vec3], up: Vec3) -> Stance {
        let trunk = sub(mean(pose, &self.arms), mean(pose, &self.thighs));
        let rise = dot(trunk, up) / length(trunk).max(1e-12);
        let sin = |degrees: f64| {
            let angle = Angle::from_degrees(degrees);
            angle.sin_cos().0
        };
        let lowest =
            |joints: &[usize]| joints.iter().map(|&joint| dot(pose[joint], up)).fold(f64::MAX, f64::min);
        let highest = pose.iter().map(|at| dot(*at, up)).fold(f64::MIN, f64::max);
        let ground = lowest(&self.feet);
        // A trunk within 35 degrees of the ground is level, and one beyond 50 is upright.
        if rise >= sin(50.0) {
            Stance::Upright
        } else if rise.abs() <= sin(35.0)
            // Hands up to this height stand on the ground, as a share of the height of the figure.
            && lowest(&self.hands) - ground <= 0.15 * (highest - ground)
            && dot(mean(pose, &self.thighs), up) > ground
        {
            Stance::OnFourLegs
        } else {
            Stance::Other
        }
    }
}

fn mean(pose: &[Vec3], joints: &[usize]) -> Vec3 {
    let sum = joints.iter().fold([0.0; 3], |sum, &joint| add(sum, pose[joint]));
    scaled(sum, 1.0 / joints.len().max(1) as f64)
}

/// The first joint of a tail: of a chain of two bones or more that begins at the hips, has no mirror image
/// there and carries no part of the body; or the root, if such a chain leads from it to the hips.
fn tail(motion: &SpaceMotion, body: &Body, limbs: &Limbs) -> Option<usize> {
    let tree = JointTree {
        names: Vec::new(),
        parents: motion.parents.clone(),
        lengths: motion.lengths(),
        pose: Vec::new(),
    };
    let junction = tree.shared(limbs.thighs[0], limbs.thighs[1])?;
    let first = &motion.positions[..motion.joint_count()];
    let trunk = length(sub(mean(first, &limbs.arms), mean(first, &limbs.thighs)));
    let is_tail = |bones: &[usize]| {
        let real = bones.iter().filter(|&&joint| tree.lengths[joint] > 0.0).count();
        let whole: f64 = bones.iter().map(|&joint| tree.lengths[joint]).sum();
        // The least length of a tail, as a share of the trunk.
        real >= 2 && whole >= 0.25 * trunk && bones.iter().all(|&joint| is_rigid(motion, joint))
    };
    // From the root to the hips.
    let mut above = vec![junction];
    while let Some(parent) = above.last().and_then(|&joint| tree.parents[joint]) {
        above.push(parent);
    }
    if is_tail(&above[..above.len() - 1]) {
        return above.last().copied();
    }
    let carries = |joint: usize| {
        BodyPart::ALL.iter().filter_map(|part| body.start(*part)).any(|part| tree.is_above(joint, part))
    };
    let ends = [Some(junction), body.start(BodyPart::Hips)];
    for at in ends.into_iter().flatten() {
        let chains: Vec<Vec<usize>> = tree
            .children(at)
            .filter(|&child| !carries(child))
            .map(|child| tree.longest_chain(child))
            .collect();
        let like = |a: &[usize], b: &[usize]| {
            let whole = |chain: &[usize]| chain.iter().skip(1).map(|&joint| tree.lengths[joint]).sum::<f64>();
            (whole(a) - whole(b)).abs() <= 0.15 * whole(a)
        };
        for (number, chain) in chains.iter().enumerate() {
            let mirrored =
                chains.iter().enumerate().any(|(other, twin)| other != number && like(chain, twin));
            if !mirrored && is_tail(&chain[1..]) {
                return Some(chain[0]);
            }
        }
    }
    None
}

/// Whether a joint keeps its distance from its parent: roots and props do not.
fn is_rigid(motion: &SpaceMotion, joint: usize) -> bool {
    let Some(parent) = motion.parents[joint] else { return false };
    let far = |frame: &[Vec3]| length(sub(frame[joint], frame[parent]));
    let frames = || motion.positions.chunks_exact(motion.joint_count());
    let usual = frames().next().map_or(0.0, far);
    frames()
        .step_by(1 + motion.frames() / FRAMES)
        // The largest change of the length of a bone of a tail, as a share of it.
        .all(|frame| (far(frame) - usual).abs() <= 0.02 * usual + 1e-9)
}
