//! Constraints while clips play: their names, and their parameters when clips are mixed.

use bone_core::constraint::{
    self, Constraint, ConstraintParameters, ConstraintRule, ConstraintScratch, ConstraintStatus,
    ConstraintTrack,
};
use bone_core::{Pose, Skeleton, WorldPose};

/// The name of a constraint, and whether clips switch it on.
#[derive(Clone, Debug)]
pub struct RigConstraint {
    /// The name in the rig.
    pub name: Option<String>,
    /// Whether it is off except during the holds of a clip.
    pub only_held: bool,
}

/// The constraints of a rig, in the order in which they are applied.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// What each of them does.
    pub constraints: Vec<Constraint>,
    /// The name of each of them.
    pub names: Vec<RigConstraint>,
}

/// The tracks of a clip for constraints, each with the index of its constraint; sorted by index.
#[derive(Clone, Debug, Default)]
pub struct ConstraintTracks(pub Vec<(usize, ConstraintTrack)>);

impl ConstraintTracks {
    /// The track of a constraint.
    pub(crate) fn of(&self, index: usize) -> Option<&ConstraintTrack> {
        let at = self.0.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        Some(&self.0[at].1)
    }
}

/// The scratch memory of constraints, one for each thread.
#[derive(Clone, Debug)]
pub struct ConstraintState {
    /// The parameters of each constraint.
    pub parameters: Vec<ConstraintParameters>,
    scratch: ConstraintScratch,
}

impl ConstraintState {
    /// Memory for the constraints of a rig.
    pub fn new(skeleton: &Skeleton, constraints: &Constraints) -> Self {
        let mut scratch = ConstraintScratch::new();
        scratch.reserve(skeleton, &constraints.constraints);
        Self { parameters: Vec::with_capacity(constraints.constraints.len()), scratch }
    }

    /// How the last pass ended for each constraint.
    pub(crate) fn statuses(&self) -> &[ConstraintStatus] {
        self.scratch.statuses()
    }
}

impl Constraints {
    /// The parameters of the constraints themselves, without a clip.
    pub fn own_parameters(&self, parameters: &mut Vec<ConstraintParameters>) {
        parameters.clear();
        parameters.extend(self.constraints.iter().zip(&self.names).map(own));
    }

    /// Mixes in the parameters of one of several clips, by its weight.
    ///
    /// Numbers move from the constraint's own towards the clip's by the weight. Places are averaged by mix
    /// times weight. A bend direction is not mixed: the last clip with one wins. `place_weight` is the weight
    /// of the places so far, 0 at first.
    pub(crate) fn mix_in(
        &self,
        index: usize,
        to: &mut ConstraintParameters,
        from: &ConstraintParameters,
        weight: f64,
        place_weight: &mut f64,
    ) {
        let (Some(constraint), Some(name)) = (self.constraints.get(index), self.names.get(index)) else {
            return;
        };
        let own = own((constraint, name));
        to.mix += (from.mix - own.mix) * weight;
        if let Some(place) = from.place {
            let added = from.mix * weight;
            *place_weight += added;
            let share = if *place_weight > 0.0 { added / *place_weight } else { 1.0 };
            to.place = Some(to.place.map_or(place, |so_far| so_far.lerp(place, share)));
        }
        to.bend = from.bend.or(to.bend);
        let (softness, amount) = match &constraint.rule {
            ConstraintRule::Ik(ik) => (ik.softness, 0.0),
            ConstraintRule::Aim(aim) => (aim.softness, 0.0),
            ConstraintRule::Path(path) => (0.0, path.position),
            ConstraintRule::Distance(distance) => (0.0, distance.distance),
            _ => (0.0, 0.0),
        };
        let mixed = |to: Option<f64>, from: Option<f64>, own: f64| match from {
            Some(from) => Some(to.unwrap_or(own) + (from - own) * weight),
            None => to,
        };
        to.softness = mixed(to.softness, from.softness, softness);
        to.amount = mixed(to.amount, from.amount, amount);
    }

    /// Applies the first `count` constraints, or all if there are fewer, to a pose that `world` has placed,
    /// with the parameters of the state. Nothing is applied if those are fewer than the constraints.
    pub fn apply(
        &self,
        count: usize,
        skeleton: &Skeleton,
        pose: &mut Pose,
        world: &mut WorldPose,
        state: &mut ConstraintState,
    ) {
        let count = count.min(self.constraints.len());
        if let Some(parameters) = state.parameters.get(..count) {
            constraint::apply(
                &self.constraints[..count],
                parameters,
                skeleton,
                pose,
                world,
                &mut state.scratch,
            );
        }
    }
}

/// The parameters of a constraint without a clip.
fn own((constraint, name): (&Constraint, &RigConstraint)) -> ConstraintParameters {
    let own = constraint.parameters();
    if name.only_held { ConstraintParameters { mix: 0.0, ..own } } else { own }
}
