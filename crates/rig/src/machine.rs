//! State machines: which clips play and when others take over, by inputs that a program sets. This is what is compiled;
//! `machine_run` is what plays it.

use bone_archive::archive;
use bone_core::BoneId;
use bone_core::clip::LayerBlend;
use kurbo::Point;

/// A state machine. Its layers lie above each other, and each is in one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What its transitions and blends read, in the order of the file.
    pub inputs: Vec<MachineInput>,
    /// From the lowest to the highest, at least one. The lowest moves all bones.
    pub layers: Vec<MachineLayer>,
}

/// An input of a state machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineInput {
    /// Its name.
    pub name: String,
    /// What it is, with its value before a program sets it.
    pub kind: MachineInputKind,
}

archive! {
    /// What an input of a state machine is.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum MachineInputKind {
        /// A number.
        Number(f64) = 0,
        /// True or false.
        Flag(bool) = 1,
        /// Set for one moment, and used up by the first transition that asks for it.
        Trigger = 2,
    }
}

impl MachineInputKind {
    /// The value before a program sets it; flags and triggers are 0 or 1.
    pub fn rest(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Flag(flag) => f64::from(u8::from(flag)),
            Self::Trigger => 0.0,
        }
    }
}

/// The states of a layer and what leads from one to another.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineLayer {
    /// How it lies above the layers below; the lowest replaces all.
    pub blend: LayerBlend,
    /// The bones that it moves, each with its subtree; none for all.
    pub bones: Option<Vec<BoneId>>,
    /// Its share, from 0 to 1.
    pub weight: f64,
    /// At least one.
    pub states: Vec<MachineState>,
    /// The state that it begins in.
    pub start: usize,
    /// In the order in which they are tried: those from any state first.
    pub transitions: Vec<MachineTransition>,
}

/// What plays in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineState {
    /// Its name.
    pub name: String,
    /// The number inputs that choose between its clips: none, one or two.
    pub by: Vec<usize>,
    /// Its clips: none for a state in which nothing plays, one, or those of a blend, by growing place if one input
    /// chooses.
    pub points: Vec<BlendPoint>,
    /// Whether the clips of a blend are at the same share of their length.
    pub sync: bool,
    /// Seconds of the clips in a second.
    pub speed: f64,
}

/// A clip of a state, and the values of the inputs at which it plays alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendPoint {
    /// The inputs; y is 0 if one chooses.
    pub at: Point,
    /// The clip of the rig.
    pub clip: usize,
}

/// What leads to another state.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineTransition {
    /// The state that it leaves; none for any other than `to`.
    pub from: Option<usize>,
    /// The state that it enters.
    pub to: usize,
    /// What must hold, all at once.
    pub when: Vec<MachineCondition>,
    /// Seconds in which the one state fades into the other.
    pub fade: f64,
}

archive! {
    /// What must hold for a transition.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum MachineCondition {
        /// A number input is greater.
        Above(usize, f64) = 0,
        /// A number input is less.
        Below(usize, f64) = 1,
        /// A flag has this value.
        Is(usize, bool) = 2,
        /// A trigger is set.
        Fired(usize) = 3,
        /// The clip of the state has come to its end. In one that loops this holds at the moment at which it begins
        /// anew.
        Ended = 4,
        /// The state has lasted for so many seconds.
        After(f64) = 5,
    }
}

archive!(struct Machine { name, inputs, layers });
archive!(struct MachineInput { name, kind });
archive!(struct MachineLayer { blend, bones, weight, states, start, transitions });
archive!(struct MachineState { name, by, points, sync, speed });
archive!(struct BlendPoint { at, clip });
archive!(struct MachineTransition { from, to, when, fade });

impl Machine {
    /// Whether all that it names exists, and its numbers are usable.
    pub(crate) fn fits(&self, clips: usize, is_bone: impl Fn(BoneId) -> bool) -> bool {
        let kind = |input: usize| self.inputs.get(input).map(|input| input.kind);
        let is_number = |input: usize| matches!(kind(input), Some(MachineInputKind::Number(_)));
        let holds = |condition: &MachineCondition| match *condition {
            MachineCondition::Above(input, than) | MachineCondition::Below(input, than) => {
                is_number(input) && than.is_finite()
            }
            MachineCondition::Is(input, _) => matches!(kind(input), Some(MachineInputKind::Flag(_))),
            MachineCondition::Fired(input) => matches!(kind(input), Some(MachineInputKind::Trigger)),
            MachineCondition::Ended => true,
            MachineCondition::After(seconds) => seconds.is_finite() && seconds >= 0.0,
        };
        let is_state = |layer: &MachineLayer, state: &MachineState| {
            let ordered = state.by.len() != 1 || state.points.is_sorted_by(|a, b| a.at.x < b.at.x);
            let chosen = (state.points.len() < 2) == state.by.is_empty();
            let leads = |from: Option<usize>| from.is_none_or(|from| from < layer.states.len());
            state.by.len() <= 2
                && state.by.iter().all(|input| is_number(*input))
                && state.points.iter().all(|point| point.at.is_finite() && point.clip < clips)
                && state.points.len() <= usize::from(u16::MAX)
                && state.speed.is_finite()
                && state.speed > 0.0
                && ordered
                && chosen
                && layer.transitions.iter().all(|it| it.to < layer.states.len() && leads(it.from))
        };
        let is_layer = |layer: &MachineLayer| {
            layer.start < layer.states.len()
                && (0.0..=1.0).contains(&layer.weight)
                && layer.bones.iter().flatten().copied().all(&is_bone)
                && layer.states.iter().all(|state| is_state(layer, state))
                && layer
                    .transitions
                    .iter()
                    .all(|it| it.fade.is_finite() && it.fade >= 0.0 && it.when.iter().all(holds))
        };
        let finite = |input: &MachineInput| input.kind.rest().is_finite();
        (1..=usize::from(u16::MAX)).contains(&self.layers.len())
            && self.inputs.iter().all(finite)
            && self.layers.iter().all(is_layer)
    }
}

impl MachineLayer {
    /// The clips of all its states; some more than once.
    pub(crate) fn clips(&self) -> impl Iterator<Item = usize> + Clone {
        self.states.iter().flat_map(|state| &state.points).map(|point| point.clip)
    }
}

impl MachineState {
    /// The weights of its clips for the values of inputs, which add up to 1: linear between neighbours on one axis,
    /// gradient bands on two.
    ///
    /// Gradient bands are those of R. Johansen, "Automated Semi-Procedural Animation for Character Locomotion" (2009):
    /// a clip loses weight towards each other clip, and has none beyond it.
    pub(crate) fn weights(&self, values: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        let value =
            |axis: usize| self.by.get(axis).and_then(|input| values.get(*input)).copied().unwrap_or_default();
        let at = Point::new(value(0), value(1));
        match (self.by.len(), self.points.as_slice()) {
            (0, points) => weights.extend(points.iter().map(|_| 1.0)),
            (1, points) => {
                let next = points.partition_point(|point| point.at.x <= at.x);
                weights.resize(points.len(), 0.0);
                match (next.checked_sub(1), points.get(next)) {
                    (Some(before), Some(after)) => {
                        let (from, to) = (points[before].at.x, after.at.x);
                        let share = (at.x - from) / (to - from);
                        (weights[before], weights[next]) = (1.0 - share, share);
                    }
                    (Some(last), None) => weights[last] = 1.0,
                    (None, _) => weights.iter_mut().take(1).for_each(|first| *first = 1.0),
                }
            }
            (_, points) => {
                weights.extend(points.iter().map(|own| {
                    let others = points.iter().filter(|other| other.at != own.at);
                    let left = others.map(|other| {
                        let (there, here) = (other.at - own.at, at - own.at);
                        1.0 - here.dot(there) / there.hypot2()
                    });
                    left.fold(1.0, f64::min).max(0.0)
                }));
                let sum: f64 = weights.iter().sum();
                if sum > 0.0 {
                    weights.iter_mut().for_each(|weight| *weight /= sum);
                } else {
                    // Numbers without a usable difference; the first clip stands in.
                    weights.iter_mut().take(1).for_each(|first| *first = 1.0);
                }
            }
        }
    }
}
