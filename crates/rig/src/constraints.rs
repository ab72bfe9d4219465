//! Constraints at play: their names, and how much of each counts while clips play and fade into each other.

use bone_core::constraint::{
    self, Constraint, ConstraintParameters, ConstraintRule, ConstraintScratch, ConstraintStatus,
    ConstraintTrack,
};
use bone_core::{Pose, Skeleton, WorldPose};

/// A constraint's name, by which clips speak of it.
#[derive(Clone, Debug)]
pub struct RigConstraint {
    /// The name in the rig.
    pub name: Option<String>,
    /// Whether it is off but for the times that a clip says.
    pub only_held: bool,
}

/// The constraints of a rig, in the order in which they work.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// What each does.
    pub constraints: Vec<Constraint>,
    /// One a constraint.
    pub names: Vec<RigConstraint>,
}

/// What a clip does with constraints, by their places in the rig.
#[derive(Clone, Debug, Default)]
pub struct ConstraintTracks(pub Vec<(usize, ConstraintTrack)>);

impl ConstraintTracks {
    /// What it says of one constraint.
    pub(crate) fn of(&self, which: usize) -> Option<&ConstraintTrack> {
        let at = self.0.binary_search_by_key(&which, |(which, _)| *which).ok()?;
        Some(&self.0[at].1)
    }
}

/// Memory of constraints, one a thread.
#[derive(Clone, Debug)]
pub struct ConstraintState {
    /// How much each counts, one a constraint.
    pub settings: Vec<ConstraintParameters>,
    scratch: ConstraintScratch,
}

impl ConstraintState {
    /// Memory for the constraints of a rig.
    pub fn new(skeleton: &Skeleton, rules: &Constraints) -> Self {
        let mut scratch = ConstraintScratch::new();
        scratch.reserve(skeleton, &rules.constraints);
        Self { settings: Vec::with_capacity(rules.constraints.len()), scratch }
    }

    pub(crate) fn outcomes(&self) -> &[ConstraintStatus] {
        self.scratch.statuses()
    }
}

impl Constraints {
    /// What holds when no clip says anything.
    pub fn own_settings(&self, settings: &mut Vec<ConstraintParameters>) {
        settings.clear();
        settings.extend((0..self.constraints.len()).map(|which| self.own(which)));
    }

    fn own(&self, which: usize) -> ConstraintParameters {
        let mut setting = self.constraints[which].parameters();
        if self.names[which].only_held {
            setting.mix = 0.0;
        }
        setting
    }

    /// What a clip says of a constraint at a time of its keys; `length` is that of a clip that loops.
    pub fn setting(
        &self,
        which: usize,
        track: &ConstraintTrack,
        time: f64,
        length: Option<f64>,
    ) -> ConstraintParameters {
        track.parameters(&self.constraints[which], time, length)
    }

    /// Adds what one of several clips says, by its weight. Numbers go as far from the constraint's own as the clip has weight;
    /// places are averaged by what they count, and sides are not mixed: the last clip that says one wins. `placed` is what the places
    /// have counted so far, 0 at first.
    pub(crate) fn mix_in(
        &self,
        which: usize,
        to: &mut ConstraintParameters,
        said: &ConstraintParameters,
        weight: f64,
        placed: &mut f64,
    ) {
        let own = self.own(which);
        to.mix += (said.mix - own.mix) * weight;
        if let Some(place) = said.place {
            let counts = said.mix * weight;
            *placed += counts;
            let share = if *placed > 0.0 { counts / *placed } else { 1.0 };
            to.place = Some(to.place.map_or(place, |so_far| so_far.lerp(place, share)));
        }
        to.bend = said.bend.or(to.bend);
        let kind = &self.constraints[which].rule;
        let (softness, amount) = match kind {
            ConstraintRule::Ik(ik) => (ik.softness, 0.0),
            ConstraintRule::Path(path) => (0.0, path.position),
            ConstraintRule::Distance(distance) => (0.0, distance.distance),
            _ => (0.0, 0.0),
        };
        let mixed = |to: Option<f64>, said: Option<f64>, own: f64| match said {
            Some(said) => Some(to.unwrap_or(own) + (said - own) * weight),
            None => to,
        };
        to.softness = mixed(to.softness, said.softness, softness);
        to.amount = mixed(to.amount, said.amount, amount);
    }

    /// Lets the first so many constraints work on a pose that `world` has placed.
    pub fn apply(
        &self,
        count: usize,
        skeleton: &Skeleton,
        pose: &mut Pose,
        world: &mut WorldPose,
        state: &mut ConstraintState,
    ) {
        let (constraints, settings) = (&self.constraints[..count], &state.settings[..count]);
        constraint::apply(constraints, settings, skeleton, pose, world, &mut state.scratch);
    }
}
