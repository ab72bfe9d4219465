//! Constraints one after the other on one pose, with the memory that they need.

use super::aim::Aim;
use super::context::{Context, Kept};
use super::copy::CopyBone;
use super::distance::Distance;
use super::ik::{Ik, IkScratch};
use super::limit::Limit;
use super::path::Path;
use super::types::{Outcome, Setting, Why};
use crate::{Pose, Skeleton, WorldPose};

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

/// Memory of constraints, one a thread. It carries nothing from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ik: IkScratch,
    kept: Kept,
    outcomes: Vec<Outcome>,
}

impl Scratch {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for these constraints on a skeleton, so that no frame allocates.
    pub fn reserve(&mut self, skeleton: &Skeleton, constraints: &[Constraint]) {
        let ends = constraints.iter().map(|constraint| match &constraint.kind {
            Kind::Ik(ik) => ik.ends.len(),
            _ => 0,
        });
        let ends = ends.max().unwrap_or(0);
        self.ik.reserve(skeleton.len(), ends);
        self.kept.reserve(skeleton.len() + ends);
        self.outcomes.reserve(constraints.len());
    }

    /// How each constraint ended the last time, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Steps that the numeric solver took the last time: a figure for benches.
    #[doc(hidden)]
    pub fn steps(&self) -> usize {
        self.ik.steps()
    }
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
            let mut context = Context { skeleton, pose, world };
            scratch.kept.clear();
            match &constraint.kind {
                Kind::Ik(ik) => ik.apply(&mut context, &setting, &mut scratch.ik, &mut scratch.kept),
                Kind::Aim(aim) => aim.apply(&mut context, &setting, &mut scratch.kept),
                Kind::Copy(copy) => copy.apply(&mut context, &setting, &mut scratch.kept),
                Kind::Limit(limit) => limit.apply(&mut context, &setting, &mut scratch.kept),
                Kind::Path(path) => path.apply(&mut context, &setting, &mut scratch.kept),
                Kind::Distance(distance) => distance.apply(&mut context, &setting, &mut scratch.kept),
            }
            .and_then(|outcome| scratch.kept.sound(&mut context, outcome))
            .unwrap_or_else(Outcome::Ignored)
        };
        scratch.outcomes.push(outcome);
    }
}
