//! The spring bones of a skeleton.

use std::error::Error;
use std::fmt;

use kurbo::Vec2;

use super::rod::{Rod, Spring};
use crate::{BoneId, Inherit, Pose, Skeleton, WorldPose};

/// Springs that are not valid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpringError {
    /// The skeleton does not have the bone.
    UnknownBone {
        /// The bone.
        bone: BoneId,
    },
    /// Two springs for one bone.
    Twice {
        /// The bone.
        bone: BoneId,
    },
    /// A mass that is not above 0, a stiffness or damping below 0, a mix outside 0 to 1, or a value that is
    /// not finite.
    Unusable {
        /// The bone.
        bone: BoneId,
        /// The name of the field.
        value: &'static str,
    },
}

impl fmt::Display for SpringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownBone { bone } => write!(f, "the skeleton has no {bone:?}"),
            Self::Twice { bone } => write!(f, "{bone:?} has two springs"),
            Self::Unusable { bone, value } => write!(f, "the {value} of the spring of {bone:?} is unusable"),
        }
    }
}

impl Error for SpringError {}

/// Above this the oscillation is not visible, and a step cannot resolve it.
const STIFFEST: f64 = 60.0;

/// The spring bones of a skeleton.
///
/// ```
/// use bone_core::clip::ClipTime;
/// use bone_core::spring::{Spring, Springs};
/// use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder, WorldPose};
///
/// let flag = SkeletonBuilder::new()
///     .bone(BoneSpec::new("pole", 80.0))
///     .bone(BoneSpec::new("cloth", 40.0).parent("pole").origin(80.0, 0.0))
///     .build()?;
/// let (pole, cloth) = (flag.find("pole").expect("added"), flag.find("cloth").expect("added"));
/// let springs = Springs::new(&flag, vec![Spring::new(cloth)])?;
///
/// // The pole turns a quarter within a second; the cloth lags.
/// let turning = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
///     pose.reset(&flag);
///     pose.bones[pole.index()].angle = Angle::from_degrees(90.0 * time);
///     world.forward(&flag, pose)
/// };
/// let motion = springs.bake(&flag, ClipTime::new(1.0, false), turning)?;
/// let mut pose = Pose::new(&flag);
/// motion.apply(&flag, 0.25, &mut pose);
/// assert!(pose.bones[cloth.index()].angle.degrees() < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Springs {
    pub(super) rods: Vec<Rod>,
    /// The least number of bones of a skeleton that has all bones of the springs.
    pub(super) least_bones: usize,
}

impl Springs {
    /// Springs of any bones, at most one for each.
    ///
    /// # Errors
    /// If a bone is not in the skeleton or has two springs, or a value is out of range.
    pub fn new(skeleton: &Skeleton, mut springs: Vec<Spring>) -> Result<Self, SpringError> {
        springs.sort_by_key(|spring| spring.bone);
        if let Some(last) = springs.last().filter(|spring| !skeleton.contains(spring.bone)) {
            return Err(SpringError::UnknownBone { bone: last.bone });
        }
        if let Some(pair) = springs.windows(2).find(|pair| pair[0].bone == pair[1].bone) {
            return Err(SpringError::Twice { bone: pair[0].bone });
        }
        for spring in &springs {
            let at_least = |value: f64, least: f64| value.is_finite() && value >= least;
            let values = [
                ("mass", at_least(spring.mass, 1e-6) && spring.mass <= 1e6),
                ("stiffness", at_least(spring.stiffness, 0.0)),
                ("damping", at_least(spring.damping, 0.0)),
                ("gravity", spring.gravity.is_finite() && spring.gravity.hypot() <= 1e9),
                ("wind", spring.wind.is_none_or(|wind| wind.is_usable())),
                ("stop", spring.stop.is_none_or(|stop| stop.is_usable(skeleton))),
                ("mix", at_least(spring.mix, 0.0) && spring.mix <= 1.0),
            ];
            if let Some((value, _)) = values.into_iter().find(|(_, fine)| !fine) {
                return Err(SpringError::Unusable { bone: spring.bone, value });
            }
        }
        let mut rods = by_depth(link_rods(skeleton, &springs));
        set_coefficients(skeleton, &mut rods);
        let carrier = |spring: &Spring| spring.stop.and_then(|stop| stop.carrier);
        let bones = springs.iter().flat_map(|spring| [Some(spring.bone), carrier(spring)]).flatten();
        let least_bones = bones.max().map_or(0, |last| last.index() + 1);
        Ok(Self { rods, least_bones })
    }

    /// Whether a skeleton and a pose have all bones of the springs.
    pub(super) fn has_bones_in(&self, skeleton: &Skeleton, pose: &Pose) -> bool {
        let count = skeleton.len().min(pose.bones.len());
        self.least_bones <= count && pose.changed_bones().all(|bone| bone.index() < count)
    }

    /// Whether springs can read a pose that `world` has placed.
    pub(super) fn can_read(&self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> bool {
        self.has_bones_in(skeleton, pose) && [pose.bones.len(), world.matrices().len()] == [skeleton.len(); 2]
    }

    /// Whether no bone has a spring.
    pub fn is_empty(&self) -> bool {
        self.rods.is_empty()
    }

    /// The springs, those of parents before those of their children.
    pub fn springs(&self) -> impl ExactSizeIterator<Item = Spring> {
        self.rods.iter().map(|rod| rod.spring)
    }

    /// The bones with springs, parents before their children.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = BoneId> {
        self.rods.iter().map(|rod| rod.spring.bone)
    }
}

/// Finds the parent rod of each rod. Parents come before children, so the entry of a bone's parent is enough.
fn link_rods(skeleton: &Skeleton, springs: &[Spring]) -> Vec<Rod> {
    // For each bone the nearest rod at or above it, and whether a rotation of that rod rotates the bone.
    let mut above: Vec<Option<(usize, bool)>> = Vec::with_capacity(skeleton.len());
    let mut rods: Vec<Rod> = Vec::with_capacity(springs.len());
    for bone in skeleton.bones() {
        let turns = matches!(skeleton.inherit(bone), Inherit::All | Inherit::NoScale);
        let carried = skeleton.parent(bone).and_then(|parent| above[parent.index()]);
        let carried = carried.map(|(rod, along)| (rod, along && turns));
        let Some(spring) = springs.get(rods.len()).filter(|spring| spring.bone == bone) else {
            above.push(carried);
            continue;
        };
        above.push(Some((rods.len(), true)));
        rods.push(Rod {
            spring: *spring,
            parent: carried.map(|(rod, _)| rod),
            turns_along: carried.is_some_and(|(_, along)| along),
            stiffness: 0.0,
            damping: 0.0,
            reach: 0.0,
        });
    }
    rods
}

/// Rods of one depth side by side: a processor works on several at a time, because none depends on another.
fn by_depth(rods: Vec<Rod>) -> Vec<Rod> {
    let mut depths: Vec<usize> = Vec::with_capacity(rods.len());
    for rod in &rods {
        depths.push(rod.parent.map_or(0, |parent| depths[parent] + 1));
    }
    let mut order: Vec<usize> = (0..rods.len()).collect();
    order.sort_by_key(|k| depths[*k]);
    let mut places = vec![0; rods.len()];
    for (place, k) in order.iter().enumerate() {
        places[*k] = place;
    }
    let moved = |rod: &Rod| Rod { parent: rod.parent.map(|parent| places[parent]), ..rod.clone() };
    order.iter().map(|k| moved(&rods[*k])).collect()
}

/// Stiffness and damping of each hinge from the inertia of its rods at rest: `k = I (2 pi f)^2` and `c = 2 d
/// I w`, with `w` the angular frequency from spring and gravity.
fn set_coefficients(skeleton: &Skeleton, rods: &mut [Rod]) {
    // Mass, first moment and second moment about the canvas' origin, of each rod with its descendants.
    let mut carried: Vec<(f64, Vec2, f64)> = Vec::with_capacity(rods.len());
    for rod in rods.iter() {
        let (start, tip) = (skeleton.setup_origin(rod.spring.bone), skeleton.setup_tip(rod.spring.bone));
        let (mass, centre) = (rod.spring.mass, start.midpoint(tip).to_vec2());
        carried.push((mass, centre * mass, mass * ((tip - start).hypot2() / 12.0 + centre.hypot2())));
    }
    for k in (0..rods.len()).rev() {
        // Until here the longest of its descendants.
        rods[k].reach += skeleton.length(rods[k].spring.bone).abs();
        if let Some(parent) = rods[k].parent {
            let (mass, first, second) = carried[k];
            carried[parent].0 += mass;
            carried[parent].1 += first;
            carried[parent].2 += second;
            rods[parent].reach = rods[parent].reach.max(rods[k].reach);
        }
    }
    for (rod, (mass, first, second)) in rods.iter_mut().zip(carried) {
        let spring = &rod.spring;
        let pivot = skeleton.setup_origin(spring.bone).to_vec2();
        let arm = first - pivot * mass;
        // Parallel axis theorem, from the canvas' origin to the hinge.
        let inertia = (second - 2.0 * pivot.dot(first) + mass * pivot.hypot2()).max(f64::MIN_POSITIVE);
        let swing = std::f64::consts::TAU * spring.stiffness.min(STIFFEST);
        let falling = spring.gravity.hypot() * arm.hypot() / inertia;
        rod.stiffness = inertia * swing * swing;
        rod.damping = 2.0 * spring.damping * inertia * (swing * swing + falling).sqrt();
    }
}
