//! Constraints one after the other on one pose, with the memory that they need.

use kurbo::Point;

use super::aim::Aim;
use super::chain;
use super::copy::CopyBone;
use super::distance::Distance;
use super::ik::{Bend, Goal, Ik};
use super::least::Solver;
use super::limit::Limit;
use super::linkage::Motion;
use super::path::Path;
use super::{Spot, Target};
use crate::{Angle, BoneId, BonePose, Pose, Skeleton, WorldPose};

/// One rule and how much of it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The rule.
    pub kind: Kind,
    /// From 0 (nothing) to 1 (all of it), unless a [`Setting`] says otherwise.
    pub mix: f64,
}

/// What a constraint does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Chains that reach for targets.
    Ik(Ik),
    /// A bone that looks at something.
    Aim(Aim),
    /// A bone that does what another does.
    Copy(CopyBone),
    /// A bone kept within ranges.
    Limit(Limit),
    /// Bones along a path.
    Path(Path),
    /// A bone kept at a distance.
    Distance(Distance),
}

/// What of a constraint is animated, at one moment; `None` is what the constraint itself says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// How much of it counts, from 0 to 1.
    pub mix: f64,
    /// The point of the canvas that takes the place of a canvas target.
    pub place: Option<Point>,
    /// The side to bend to.
    pub bend: Option<Bend>,
    /// The softness of inverse kinematics.
    pub softness: Option<f64>,
    /// The position on a path, or the distance.
    pub amount: Option<f64>,
}

impl Constraint {
    /// The constraint at full strength.
    pub fn new(kind: Kind) -> Self {
        Self { kind, mix: 1.0 }
    }

    /// Its own values.
    pub fn setting(&self) -> Setting {
        Setting { mix: self.mix, place: None, bend: None, softness: None, amount: None }
    }
}

/// How a constraint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// What it asks for holds (before its mix).
    Met,
    /// It cannot hold; the pose is as near as it gets.
    Nearest,
    /// It had no effect at this moment: its mix is 0.
    Off,
    /// It makes no sense at this moment and left the pose alone.
    Ignored(Why),
}

/// Why a constraint left a pose alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The pose, the target or the mix is not a number.
    NotFinite,
    /// The target hangs on a bone that would move for it.
    CarriesTarget,
    /// No bone may move: the end's bone rides along and nothing carries it.
    NoChain,
    /// A bone inside the chain inherits scale without rotation.
    InheritInside,
    /// Something above is scaled to nothing, so that no turn has an effect.
    Flat,
}

/// Memory of constraints, one a thread. It carries nothing from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) solver: Solver,
    pub(super) goals: Vec<Goal>,
    /// The bone of each node, and back.
    pub(super) bones: Vec<BoneId>,
    pub(super) node_of: Vec<u32>,
    /// Bones that may move, and the way up from an end.
    pub(super) moves: Vec<BoneId>,
    pub(super) way: Vec<BoneId>,
    /// Bones as they were before the constraint in hand.
    saved: Vec<Saved>,
    pub(super) mirrored: bool,
    pub(super) stretched: f64,
    outcomes: Vec<Outcome>,
}

/// A bone as it was. In this order it is copied in whole words.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Saved {
    pose: BonePose,
    bone: BoneId,
}

impl Scratch {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for these constraints on a skeleton, so that no frame allocates.
    pub fn reserve(&mut self, skeleton: &Skeleton, constraints: &[Constraint]) {
        let bones = skeleton.len();
        let ends = constraints.iter().map(|constraint| match &constraint.kind {
            Kind::Ik(ik) => ik.ends.len(),
            _ => 0,
        });
        let ends = ends.max().unwrap_or(0);
        // A chain holds each bone once; what several ends list, they may list each.
        self.bones.reserve(bones);
        self.node_of.reserve(bones);
        self.moves.reserve(bones * ends.max(1));
        self.way.reserve(bones);
        self.saved.reserve(bones + ends);
        self.goals.reserve(ends);
        self.outcomes.reserve(constraints.len());
        if ends > 0 {
            self.solver.reserve(bones, ends);
        }
    }

    /// How each constraint ended the last time, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Steps that the numeric solver took the last time: a figure for benches.
    #[doc(hidden)]
    pub fn steps(&self) -> usize {
        self.solver.steps
    }

    /// Keeps the bones that will change, unless that has been done.
    pub(super) fn save(&mut self, stage: &Stage<'_>, ik: &Ik) {
        if self.saved.is_empty() {
            let ends = ik.ends.iter().filter(|end| end.rides()).map(|end| end.bone);
            let bones = self.bones.iter().copied().chain(ends);
            self.saved.extend(bones.map(|bone| Saved { pose: stage.pose.bones[bone.index()], bone }));
            self.saved.sort_unstable_by_key(|saved| saved.bone);
        }
    }

    /// Keeps bones that will change, parents first, unless that has been done.
    pub(super) fn keep_all(&mut self, stage: &Stage<'_>, bones: &[BoneId]) {
        if self.saved.is_empty() {
            for &bone in bones {
                self.keep(stage, bone);
            }
        }
    }

    /// Keeps one bone as it is, before it changes.
    pub(super) fn keep(&mut self, stage: &Stage<'_>, bone: BoneId) {
        self.saved.push(Saved { pose: stage.pose.bones[bone.index()], bone });
    }

    /// Places the kept bones after they have changed, and goes back to the share that counts.
    pub(super) fn finish(&mut self, stage: &mut Stage<'_>, mix: f64) {
        self.saved.sort_unstable_by_key(|saved| saved.bone);
        if mix >= 1.0 {
            self.refresh(stage);
        } else {
            self.mix(stage, mix);
        }
    }

    /// Puts back what [`Self::save`] kept.
    pub(super) fn restore(&self, stage: &mut Stage<'_>) {
        for Saved { pose, bone } in &self.saved {
            stage.pose.bones[bone.index()] = *pose;
        }
        self.refresh(stage);
    }

    /// Takes back what came out as something that is not a number: targets at the end of the world.
    fn sound(&self, stage: &mut Stage<'_>, outcome: Outcome) -> Result<Outcome, Why> {
        let sound = |saved: &Saved| {
            stage.pose.bones[saved.bone.index()].is_finite() && stage.world.matrix(saved.bone).is_finite()
        };
        if self.saved.iter().all(sound) {
            return Ok(outcome);
        }
        self.restore(stage);
        Err(Why::NotFinite)
    }

    /// Joint values into the pose.
    pub(super) fn write(&self, stage: &mut Stage<'_>) {
        let linkage = &self.solver.linkage;
        for (i, bone) in self.bones.iter().enumerate() {
            let value = linkage.values[i];
            let pose = &mut stage.pose.bones[bone.index()];
            match linkage.nodes[i].motion {
                Motion::Turn => pose.angle += Angle::from_radians(value),
                Motion::Slide(_) => {
                    if let crate::Joint::Slide { axis, .. } = stage.skeleton.joint(*bone) {
                        pose.origin += axis.direction() * value;
                    }
                }
                Motion::Still => {}
            }
            if self.stretched != 1.0 {
                pose.stretch *= self.stretched;
            }
        }
        self.refresh(stage);
    }

    /// Goes back from the full effect to the share that counts.
    pub(super) fn mix(&self, stage: &mut Stage<'_>, mix: f64) {
        if mix >= 1.0 {
            return;
        }
        for Saved { pose: from, bone } in &self.saved {
            let pose = &mut stage.pose.bones[bone.index()];
            *pose = blend(from, pose, mix);
        }
        self.refresh(stage);
    }

    /// The canvas after the saved bones have changed.
    fn refresh(&self, stage: &mut Stage<'_>) {
        // Bones stand parents first, so one pass over the first of each subtree places everything below.
        let mut end = 0;
        for Saved { bone, .. } in &self.saved {
            if bone.index() >= end {
                end = stage.world.refresh(stage.skeleton, stage.pose, *bone);
            }
        }
    }
}

/// Between two poses of a bone, number by number.
pub(super) fn blend(from: &BonePose, to: &BonePose, share: f64) -> BonePose {
    BonePose {
        origin: from.origin + (to.origin - from.origin) * share,
        angle: from.angle + (to.angle - from.angle) * share,
        scale: from.scale + (to.scale - from.scale) * share,
        stretch: from.stretch + (to.stretch - from.stretch) * share,
    }
}

/// What constraints act on: a pose and its places on the canvas, which agree before and after each.
pub(super) struct Stage<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) pose: &'a mut Pose,
    pub(super) world: &'a mut WorldPose,
}

impl Stage<'_> {
    /// A point of a bone on the canvas.
    pub(super) fn spot(&self, bone: BoneId, spot: Spot) -> Point {
        spot_on_canvas(self.skeleton, self.pose, self.world, bone, spot)
    }

    /// Where a target is now; `bone` and `spot` are what is to be there.
    pub(super) fn place(
        &self,
        target: Target,
        setting: &Setting,
        bone: BoneId,
        spot: Spot,
    ) -> Result<Point, Why> {
        let place = match target {
            Target::Canvas(place) => setting.place.unwrap_or(place),
            Target::Bone(other, at) => self.spot(other, at),
            Target::Here => self.spot(bone, spot),
        };
        if place.is_finite() { Ok(place) } else { Err(Why::NotFinite) }
    }

    /// Whether a bone is another or hangs below it, in this pose.
    pub(super) fn hangs_on(&self, bone: BoneId, above: BoneId) -> bool {
        let mut at = Some(bone);
        while let Some(b) = at {
            if b == above {
                return true;
            }
            at = self.pose.parent(self.skeleton, b);
        }
        false
    }
}

/// Where a point of a bone is on the canvas, in a pose that `world` has placed.
pub fn spot_on_canvas(
    skeleton: &Skeleton,
    pose: &Pose,
    world: &WorldPose,
    bone: BoneId,
    spot: Spot,
) -> Point {
    world.matrix(bone) * chain::local_of(skeleton, pose, bone, spot).to_point()
}

/// Applies constraints in their order to a pose that `world` has placed; both agree again afterwards.
///
/// Allocates nothing once `scratch` has been through these constraints.
///
/// # Panics
/// If there is not one setting a constraint.
pub fn apply(
    constraints: &[Constraint],
    settings: &[Setting],
    skeleton: &Skeleton,
    pose: &mut Pose,
    world: &mut WorldPose,
    scratch: &mut Scratch,
) {
    assert_eq!(constraints.len(), settings.len(), "one setting a constraint");
    scratch.outcomes.clear();
    for (constraint, setting) in constraints.iter().zip(settings) {
        let outcome = if setting.mix.is_nan() {
            Outcome::Ignored(Why::NotFinite)
        } else if setting.mix <= 0.0 {
            Outcome::Off
        } else {
            let setting = Setting { mix: setting.mix.min(1.0), ..*setting };
            let mut stage = Stage { skeleton, pose, world };
            scratch.saved.clear();
            match &constraint.kind {
                Kind::Ik(ik) => ik.apply(&mut stage, &setting, scratch),
                Kind::Aim(aim) => aim.apply(&mut stage, &setting, scratch),
                Kind::Copy(copy) => copy.apply(&mut stage, &setting, scratch),
                Kind::Limit(limit) => limit.apply(&mut stage, &setting, scratch),
                Kind::Path(path) => path.apply(&mut stage, &setting, scratch),
                Kind::Distance(distance) => distance.apply(&mut stage, &setting, scratch),
            }
            .and_then(|outcome| scratch.sound(&mut stage, outcome))
            .unwrap_or_else(Outcome::Ignored)
        };
        scratch.outcomes.push(outcome);
    }
}
