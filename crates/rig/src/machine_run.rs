//! A state machine that plays: the states that are seen, since when, and the inputs. It has no poses, so what follows
//! from inputs and times is decided here alone; the mixer gives each clip of these states a voice.

use crate::clip::RigClip;
use crate::machine::{Machine, MachineCondition, MachineInputKind, MachineLayer, MachineState};
use crate::voice::LayerFade;

/// Transitions of a layer at one moment. More are a circle of transitions that takes no time.
pub(crate) const MOST_AT_ONCE: usize = 8;

/// States of a layer that are seen at once. Of more, the one that fades out longest is dropped.
pub(crate) const MOST_SEEN: usize = 8;

/// Moments within one step at which transitions are tried.
pub(crate) const MOST_MOMENTS: usize = 1000;

/// Seconds by which a moment may be missed: times are sums, and a tenth of a second is not ten hundredths to the bit.
const SLACK: f64 = 1e-9;

/// What a transition did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// A layer is in another state.
    State { layer: usize, state: usize },
    /// The transitions of a layer are a circle.
    Stuck { layer: usize },
}

/// The inputs and states of a machine.
#[derive(Clone, Debug)]
pub(crate) struct MachineRun {
    /// Which machine of the rig.
    pub(crate) machine: usize,
    values: Vec<f64>,
    layers: Vec<Vec<StatePlay>>,
    entered: Vec<Entered>,
    last: u32,
    /// Of the clips of one state, while they are weighed.
    pub(crate) weights: Vec<f64>,
}

/// A state that is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatePlay {
    /// Another number each time that a state is entered.
    pub(crate) id: u32,
    pub(crate) state: usize,
    fade: LayerFade,
    /// Seconds since it was entered.
    time: f64,
    /// Rounds of its clips since then.
    phase: f64,
    /// How many of them are over.
    rounds: f64,
    /// Whether its clip ends, or begins anew, at this moment.
    at_end: bool,
}

/// How the clips of a state play.
struct Pace {
    /// Rounds a second; none where the clips of a blend each have their own.
    rate: Option<f64>,
    /// Whether there is one round alone.
    ends: bool,
}

impl Pace {
    fn of(state: &MachineState, weights: &[f64], clips: &[RigClip]) -> Self {
        let length = |clip: usize| clips.get(clip).map_or(0.0, |clip| clip.time().length);
        let rate = match state.points.as_slice() {
            [one] => Some(state.speed / length(one.clip)),
            points if state.sync => Some(
                points
                    .iter()
                    .zip(weights)
                    .map(|(point, weight)| weight * state.speed / length(point.clip))
                    .sum(),
            ),
            _ => None,
        };
        let ends = matches!(&state.points[..], [one] if clips.get(one.clip).is_some_and(|clip| clip.time().has_end()));
        Self { rate: rate.filter(|rate| rate.is_finite() && *rate > 0.0), ends }
    }
}

impl StatePlay {
    fn new(id: u32, state: usize, fade: f64) -> Self {
        let fade = LayerFade::new(0.0, 1.0, fade);
        Self { id, state, fade, time: 0.0, phase: 0.0, rounds: 0.0, at_end: false }
    }

    /// Whether it was entered at this moment, and nothing of it was seen.
    fn is_unseen(&self) -> bool {
        self.time == 0.0 && self.fade.level() == 0.0
    }

    /// Seconds until its clip ends or begins anew.
    fn until_end(&self, pace: &Pace) -> Option<f64> {
        let rate = pace.rate.filter(|_| !(pace.ends && self.rounds >= 1.0))?;
        Some((self.rounds + 1.0 - self.phase) / rate)
    }

    fn advance(&mut self, seconds: f64, pace: &Pace) {
        self.fade.since += seconds;
        self.time += seconds;
        let Some(rate) = pace.rate else { return };
        self.phase += rate * seconds;
        let whole = (self.phase + SLACK * rate).floor();
        self.rounds = if pace.ends { whole.min(1.0) } else { whole };
        self.at_end = if pace.ends {
            self.rounds >= 1.0
        } else {
            let is_now = self.rounds >= 1.0 && (self.phase - self.rounds).abs() <= SLACK * rate;
            is_now && (seconds > 0.0 || self.at_end)
        };
    }
}

impl MachineRun {
    /// In the start states, faded in within some seconds.
    pub(crate) fn new(machine: usize, of: &Machine, fade: f64) -> Self {
        let mut last = 0;
        let layers = of.layers.iter().map(|layer| {
            last += 1;
            let mut plays = Vec::with_capacity(MOST_SEEN);
            plays.push(StatePlay::new(last, layer.start, fade));
            plays
        });
        let layers: Vec<Vec<StatePlay>> = layers.collect();
        Self {
            machine,
            values: of.inputs.iter().map(|input| input.kind.rest()).collect(),
            entered: Vec::with_capacity(layers.len() * (MOST_AT_ONCE + 1)),
            layers,
            last,
            weights: Vec::new(),
        }
    }

    /// The values of the inputs; flags and triggers are 0 or 1.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn set(&mut self, input: usize, kind: MachineInputKind, value: f64) {
        let value = match kind {
            MachineInputKind::Number(_) => value,
            MachineInputKind::Flag(_) | MachineInputKind::Trigger => f64::from(u8::from(value != 0.0)),
        };
        self.values.iter_mut().skip(input).take(1).for_each(|own| *own = value);
    }

    /// A trigger counts at the moment at which it is set, the beginning of a step.
    pub(crate) fn clear_triggers(&mut self, machine: &Machine) {
        for (value, input) in self.values.iter_mut().zip(&machine.inputs) {
            if input.kind == MachineInputKind::Trigger {
                *value = 0.0;
            }
        }
    }

    /// The states of a layer that are seen, from the lowest to the highest, each with its share. The shares add up to
    /// 1, or to less while the machine fades in.
    pub(crate) fn seen(&self, layer: usize) -> impl DoubleEndedIterator<Item = (StatePlay, f64)> {
        let plays = self.layers.get(layer).map_or(&[][..], Vec::as_slice);
        plays.iter().enumerate().map(|(at, play)| {
            let above = plays[at + 1..].iter().map(|above| 1.0 - above.fade.level());
            (*play, play.fade.level() * above.product::<f64>())
        })
    }

    /// The state that a layer is in.
    pub(crate) fn current(&self, layer: usize) -> Option<StatePlay> {
        self.layers.get(layer).and_then(|plays| plays.last()).copied()
    }

    /// Takes all transitions of this moment. What they entered is returned.
    pub(crate) fn take(&mut self, machine: &Machine) -> &[Entered] {
        self.entered.clear();
        let Self { values, layers, entered, last, .. } = self;
        for (at, (layer, plays)) in machine.layers.iter().zip(layers).enumerate() {
            let mut taken = 0;
            while let Some(current) = plays.last().copied() {
                let Some(transition) = layer.next(&current, values) else { break };
                if taken == MOST_AT_ONCE {
                    entered.push(Entered::Stuck { layer: at });
                    break;
                }
                taken += 1;
                for condition in &transition.when {
                    if let MachineCondition::Fired(input) = condition {
                        values[*input] = 0.0;
                    }
                }
                *last = last.wrapping_add(1);
                let mut play = StatePlay::new(*last, transition.to, transition.fade);
                if current.is_unseen() {
                    plays.pop();
                    // The machine itself fades in.
                    play.fade = if plays.is_empty() { current.fade } else { play.fade };
                } else if plays.len() == MOST_SEEN {
                    // What was above it has its place and its share.
                    let lowest = plays.remove(0);
                    plays[0].fade = lowest.fade;
                }
                plays.push(play);
                entered.push(Entered::State { layer: at, state: transition.to });
            }
            Self::drop_covered(plays);
        }
        entered
    }

    fn drop_covered(plays: &mut Vec<StatePlay>) {
        let covering = plays.iter().rposition(|play| play.fade.level() >= 1.0);
        plays.drain(..covering.unwrap_or(0));
    }

    /// Seconds until the next moment within `left` at which a transition can become possible without another input.
    pub(crate) fn until_next(
        &self,
        machine: &Machine,
        clips: &[RigClip],
        weights: &mut Vec<f64>,
        left: f64,
    ) -> f64 {
        let mut next = left;
        for (layer, plays) in machine.layers.iter().zip(&self.layers) {
            let Some((current, state)) =
                plays.last().and_then(|play| Some((play, layer.states.get(play.state)?)))
            else {
                continue;
            };
            state.weights(&self.values, weights);
            let pace = Pace::of(state, weights, clips);
            for condition in layer.leading_from(current.state).flat_map(|transition| &transition.when) {
                let until = match condition {
                    MachineCondition::After(seconds) => Some(seconds - current.time),
                    MachineCondition::Ended => current.until_end(&pace),
                    _ => None,
                };
                // What is over by rounding alone is now, and not another moment.
                next = until.filter(|until| *until > SLACK).map_or(next, |until| until.min(next));
            }
        }
        if next > left - SLACK { left } else { next }
    }

    /// Advances all times. `weights` is scratch.
    pub(crate) fn advance(
        &mut self,
        machine: &Machine,
        clips: &[RigClip],
        weights: &mut Vec<f64>,
        seconds: f64,
    ) {
        for (layer, plays) in machine.layers.iter().zip(&mut self.layers) {
            for play in plays.iter_mut() {
                let Some(state) = layer.states.get(play.state) else { continue };
                state.weights(&self.values, weights);
                play.advance(seconds, &Pace::of(state, weights, clips));
            }
            Self::drop_covered(plays);
        }
    }

    /// The seconds of a clip in a second, of a state with these weights.
    pub(crate) fn speed(state: &MachineState, weights: &[f64], clips: &[RigClip], clip: usize) -> f64 {
        let length = || clips.get(clip).map_or(0.0, |clip| clip.time().length);
        match Pace::of(state, weights, clips).rate {
            Some(rate) if state.points.len() > 1 => rate * length(),
            _ => state.speed,
        }
    }
}

impl MachineLayer {
    /// The transitions that lead from a state, in the order in which they are tried.
    fn leading_from(&self, state: usize) -> impl Iterator<Item = &crate::machine::MachineTransition> {
        let leads = move |from: Option<usize>, to: usize| from.map_or(to != state, |from| from == state);
        self.transitions.iter().filter(move |transition| leads(transition.from, transition.to))
    }

    /// The first transition that is possible.
    fn next(&self, current: &StatePlay, values: &[f64]) -> Option<&crate::machine::MachineTransition> {
        let value = |input: usize| values.get(input).copied().unwrap_or_default();
        let holds = |condition: &MachineCondition| match *condition {
            MachineCondition::Above(input, than) => value(input) > than,
            MachineCondition::Below(input, than) => value(input) < than,
            MachineCondition::Is(input, wanted) => (value(input) != 0.0) == wanted,
            MachineCondition::Fired(input) => value(input) != 0.0,
            MachineCondition::Ended => current.at_end,
            MachineCondition::After(seconds) => current.time >= seconds - SLACK,
        };
        self.leading_from(current.state).find(|transition| transition.when.iter().all(holds))
    }
}
