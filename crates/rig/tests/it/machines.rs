//! State machines against a model that counts in whole milliseconds and looks at every one of them.

use std::path::Path;
use std::sync::Arc;

use bone_core::clip::smoothstep;
use bone_format::{InMemory, load, no_fonts};
use bone_rig::{
    FrameState, Machine, MachineCondition, MachineInputKind, MachineLayer, MachineTransition, Mixer,
    MixerError, MixerEvent, Rig,
};
use proptest::prelude::*;

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><path id='leaf' d='M1 1H80V80Z'/><path id='bud' d='M9 9H20V20Z'/></svg>";

/// Clips of two bones: their lengths in milliseconds, whether they loop, and how many degrees they turn evenly from 0:
/// in the middle, and back, in one that loops, and at the end in the others.
const CLIPS: [(&str, u64, bool, [f64; 2]); 5] = [
    ("idle", 400, true, [10.0, 4.0]),
    ("walk", 250, true, [30.0, -20.0]),
    ("run", 130, true, [-40.0, 33.0]),
    ("jump", 300, false, [70.0, 9.0]),
    ("wave", 90, false, [0.0, 80.0]),
];

fn text(machines: &str) -> String {
    let clip = |(name, length, looped, ends): &(&str, u64, bool, [f64; 2])| {
        let length = *length as f64 / 1000.0;
        let keys = |end: f64| match looped {
            true => {
                format!("(rotate: (keys: [(0, 0), ({}, {end}), ({length}, 0)], ease: Linear))", length / 2.0)
            }
            false => format!("(rotate: (keys: [(0, 0), ({length}, {end})], ease: Linear))"),
        };
        format!(
            "\"{name}\": (length: {length}, loop: {looped}, bones: {{\"arm\": {}, \"fore\": {}}}),",
            keys(ends[0]),
            keys(ends[1])
        )
    };
    let clips: String = CLIPS.iter().map(clip).collect();
    format!(
        "Rig(version: 1, drawing: \"a.svg\", bones: {{\"arm\": (from: (10, 10), length: 20), \"fore\": (parent: \"arm\", \
         length: 9)}}, skin: [Rigid(art: \"leaf\", bone: \"arm\"), Rigid(art: \"bud\", bone: \"fore\")], clips: {{{clips}}}, machines: {{{machines}}})"
    )
}

fn found(machines: &str) -> (Option<Rig>, Vec<String>) {
    let files = InMemory::new().with("a.ron", text(machines)).with("a.svg", SVG);
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let messages =
        loaded.diagnostics.iter().map(|found| format!("{}: {}", found.code.name(), found.message)).collect();
    (loaded.rig, messages)
}

fn rig(machines: &str) -> Rig {
    let (rig, messages) = found(machines);
    rig.unwrap_or_else(|| panic!("{messages:#?}"))
}

/// The states of `walker`, of which the second is a blend, and of its upper layer, of which the first is empty.
const WALKER: &str = r#""hero": (
    inputs: {"speed": 0, "up": true, "go": Trigger},
    states: {"still": (clip: "idle"), "move": (by: ["speed"], blend: [(at: 1, clip: "walk"), (at: 3, clip: "run")], sync: false),
        "air": (clip: "jump"), "none": ()},
    transitions: [TRANSITIONS],
    layers: [(bones: ["fore"], states: {"off": (), "on": (clip: "wave")}, transitions: [UPPER])],
)"#;

/// A state that a layer was in, in the model.
#[derive(Clone, Debug)]
struct Seen {
    state: usize,
    /// Milliseconds.
    since: u64,
    fade: u64,
}

/// The machine of milliseconds.
#[derive(Clone, Debug)]
struct Model {
    machine: Machine,
    inputs: Vec<f64>,
    layers: Vec<Vec<Seen>>,
    entered: Vec<(usize, usize)>,
}

fn ms(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// The degrees of a clip at a share of its length.
fn turned(clip: usize, bone: usize, share: f64) -> f64 {
    let (_, _, looped, ends) = CLIPS[clip];
    ends[bone] * if looped { 1.0 - (2.0 * share - 1.0).abs() } else { share }
}

impl Model {
    fn new(machine: &Machine) -> Self {
        Self {
            inputs: machine.inputs.iter().map(|input| input.kind.rest()).collect(),
            layers: machine
                .layers
                .iter()
                .map(|layer| vec![Seen { state: layer.start, since: 0, fade: 0 }])
                .collect(),
            machine: machine.clone(),
            entered: Vec::new(),
        }
    }

    fn holds(&self, condition: MachineCondition, layer: &MachineLayer, seen: &Seen) -> bool {
        match condition {
            MachineCondition::Above(input, than) => self.inputs[input] > than,
            MachineCondition::Below(input, than) => self.inputs[input] < than,
            MachineCondition::Is(input, flag) => (self.inputs[input] == 1.0) == flag,
            MachineCondition::Fired(input) => self.inputs[input] == 1.0,
            MachineCondition::After(seconds) => seen.since >= ms(seconds),
            MachineCondition::Ended => match layer.states[seen.state].points.as_slice() {
                [point] => {
                    let (_, length, looped, _) = CLIPS[point.clip];
                    seen.since > 0
                        && if looped { seen.since.is_multiple_of(length) } else { seen.since >= length }
                }
                _ => false,
            },
        }
    }

    /// What happens at a moment.
    fn moment(&mut self, begins: bool) {
        for at in 0..self.layers.len() {
            let layer = self.machine.layers[at].clone();
            for _ in 0..8 {
                let seen = self.layers[at].last().expect("a state").clone();
                let leads =
                    |it: &&MachineTransition| it.from.map_or(it.to != seen.state, |from| from == seen.state);
                let (any, own): (Vec<_>, Vec<_>) =
                    layer.transitions.iter().filter(leads).partition(|it| it.from.is_none());
                let all = any.into_iter().chain(own);
                let Some(it) =
                    all.into_iter().find(|it| it.when.iter().all(|when| self.holds(*when, &layer, &seen)))
                else {
                    break;
                };
                for when in &it.when {
                    if let MachineCondition::Fired(input) = when {
                        self.inputs[*input] = 0.0;
                    }
                }
                let mut fade = ms(it.fade);
                if seen.since == 0 && seen.fade > 0 {
                    let unseen = self.layers[at].pop().expect("a state");
                    fade = if self.layers[at].is_empty() { unseen.fade } else { fade };
                }
                self.layers[at].push(Seen { state: it.to, since: 0, fade });
                self.entered.push((at, it.to));
            }
        }
        if begins {
            for (value, input) in self.inputs.iter_mut().zip(&self.machine.inputs) {
                if input.kind == MachineInputKind::Trigger {
                    *value = 0.0;
                }
            }
        }
    }

    fn pass(&mut self, milliseconds: u64) {
        self.moment(true);
        for _ in 0..milliseconds {
            self.layers.iter_mut().flatten().for_each(|seen| seen.since += 1);
            self.moment(false);
        }
    }

    /// What a layer shows of a bone in degrees: none where nothing plays.
    fn angle(&self, layer: usize, bone: usize, below: f64) -> f64 {
        let states = &self.machine.layers[layer].states;
        let mut angle = below;
        for seen in &self.layers[layer] {
            let share =
                if seen.since >= seen.fade { 1.0 } else { smoothstep(seen.since as f64 / seen.fade as f64) };
            let own = |clip: usize| {
                let (_, length, looped, _) = CLIPS[clip];
                let at = if looped { seen.since % length } else { seen.since.min(length) };
                turned(clip, bone, at as f64 / length as f64)
            };
            let shown = match states[seen.state].points.as_slice() {
                [] => {
                    if layer == 0 {
                        0.0
                    } else {
                        below
                    }
                }
                [one] => own(one.clip),
                [slow, fast] => {
                    let by = (0.5 * (self.inputs[0] - 1.0)).clamp(0.0, 1.0);
                    own(slow.clip) * (1.0 - by) + own(fast.clip) * by
                }
                _ => unreachable!("two clips at most"),
            };
            angle += share * (shown - angle);
        }
        angle
    }
}

/// Lines of the list of transitions between so many states.
fn transitions(states: &'static [&'static str]) -> impl Strategy<Value = String> {
    let name = prop::sample::select(states);
    let from = prop::option::weighted(0.8, name.clone());
    let condition = prop_oneof![
        (0..4).prop_map(|at| format!("above: {{\"speed\": {at}}}")),
        (0..4).prop_map(|at| format!("below: {{\"speed\": {at}}}")),
        any::<bool>().prop_map(|flag| format!("is: {{\"up\": {flag}}}")),
        Just("fired: [\"go\"]".to_owned()),
        Just("ended: true".to_owned()),
        (1..400).prop_map(|ms| format!("after: {}", f64::from(ms) / 1000.0)),
    ];
    let one = (from, name, condition, prop::option::of(0..300)).prop_map(|(from, to, when, fade)| {
        let from = from.map_or(String::new(), |from| format!("from: \"{from}\", "));
        let fade = fade.map_or(String::new(), |fade| format!(", fade: {}", f64::from(fade) / 1000.0));
        format!("({from}to: \"{to}\", {when}{fade})")
    });
    prop::collection::vec(one, 1..6).prop_map(|all| all.join(", "))
}

fn angles(rig: &Rig, state: &FrameState) -> [f64; 2] {
    let rest = |bone| rig.skeleton().setup(bone).angle.degrees();
    let bones: Vec<f64> = rig
        .skeleton()
        .bones()
        .map(|bone| state.pose().bones[bone.index()].angle.degrees() - rest(bone))
        .collect();
    [bones[0], bones[1]]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Inputs at random moments, steps cut at others: the same states, entered in the same order, and the angles that
    /// follow from them.
    #[test]
    fn a_machine_does_what_its_rules_say_however_time_is_cut(
        lower in transitions(&["still", "move", "air", "none"]), upper in transitions(&["off", "on"]),
        schedules in prop::collection::vec(prop::collection::vec((0..4_u8, 0..5_u8, 1..200_u64, prop::collection::vec(1..60_u64, 0..5)), 1..12), 50),
    ) {
        // What leads round in a circle, or ends what does not, is an error of the rig.
        let (Some(rig), _) = found(&WALKER.replace("TRANSITIONS", &lower).replace("UPPER", &upper)) else { return Ok(()) };
        let machine = &rig.machines()[0];
        for schedule in &schedules {
            let mut model = Model::new(machine);
            let (mut whole, mut cut) = (Mixer::new(&rig), Mixer::new(&rig));
            let (mut state, mut cut_state) = (FrameState::new(&rig), FrameState::new(&rig));
            whole.start(&rig, 0, 0.0).expect("a machine");
            cut.start(&rig, 0, 0.0).expect("a machine");
            let (mut entered, mut entered_cut, mut is_whole) = (Vec::new(), Vec::new(), true);
            let note = |mixer: &Mixer, to: &mut Vec<(usize, usize)>| {
                to.extend(mixer.events().iter().filter_map(|event| match event {
                    MixerEvent::State { layer, state } => Some((*layer, *state)),
                    _ => None,
                }));
            };
            for (input, value, milliseconds, cuts) in schedule {
                let (input, value) = match input {
                    0 | 1 => (0, f64::from(*value)),
                    2 => (1, f64::from(value % 2)),
                    _ => (2, 1.0),
                };
                model.inputs[input] = value;
                whole.set_machine_input(&rig, input, value).expect("an input");
                cut.set_machine_input(&rig, input, value).expect("an input");
                model.pass(*milliseconds);
                whole.step(&rig, *milliseconds as f64 / 1000.0, &mut state).expect("a step");
                note(&whole, &mut entered);
                // Of more than eight states at once the lowest is dropped.
                if model.layers.iter().any(|plays| plays.iter().rev().position(|seen| seen.since >= seen.fade).is_none_or(|at| at > 7)) {
                    is_whole = false;
                    break;
                }
                let mut left = *milliseconds;
                for part in cuts {
                    let part = (*part).min(left);
                    left -= part;
                    cut.step(&rig, part as f64 / 1000.0, &mut cut_state).expect("a step");
                    note(&cut, &mut entered_cut);
                }
                cut.step(&rig, left as f64 / 1000.0, &mut cut_state).expect("a step");
                note(&cut, &mut entered_cut);
                let arm = model.angle(0, 0, 0.0);
                let expected = [arm, model.angle(1, 1, model.angle(0, 1, 0.0))];
                for (seen, of) in [(angles(&rig, &state), &whole), (angles(&rig, &cut_state), &cut)] {
                    for layer in 0..2 {
                        let wanted = model.layers[layer].last().map(|seen| seen.state);
                        prop_assert_eq!(of.machine_state(layer), wanted, "{} | {}", lower, upper);
                    }
                    let off = (seen[0] - expected[0]).abs().max((seen[1] - expected[1]).abs());
                    prop_assert!(off < 1e-5, "{seen:?} {expected:?} {lower} | {upper} {:?}", model.layers);
                }
            }
            if is_whole {
                prop_assert_eq!(&entered, &model.entered);
                prop_assert_eq!(&entered_cut, &model.entered);
            }
        }
    }
}

#[test]
fn clips_of_a_blend_are_in_step_and_weighed_between_neighbours() {
    let rig = rig(
        "\"m\": (inputs: {\"v\": 0, \"x\": 0, \"y\": 0}, states: {\"go\": (by: [\"v\"], speed: 2, blend: [(at: 2.4, clip: \"run\"), \
         (at: 0, clip: \"idle\"), (at: 1, clip: \"walk\")])})",
    );
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    mixer.start(&rig, 0, 0.0).expect("a machine");
    let mut phase = 0.0;
    for (v, weights) in [
        (0.0, [1.0, 0.0, 0.0]),
        (0.25, [0.75, 0.25, 0.0]),
        (1.7, [0.0, 0.5, 0.5]),
        (9.0, [0.0, 0.0, 1.0]),
        (-3.0, [1.0, 0.0, 0.0]),
    ] {
        mixer.set_machine_input(&rig, 0, v).expect("an input");
        mixer.step(&rig, 0.11, &mut state).expect("a step");
        // Rounds a second are the weighted mean of those of the clips, twice as fast.
        let rate: f64 =
            weights.iter().zip(&CLIPS).map(|(weight, clip)| 2.0 * weight * 1000.0 / clip.1 as f64).sum();
        phase += 0.11 * rate;
        let expected: f64 = (0..3).map(|clip| weights[clip] * turned(clip, 0, f64::fract(phase))).sum();
        assert!((angles(&rig, &state)[0] - expected).abs() < 1e-9, "{v}");
    }
    assert_eq!(mixer.set_machine_input(&rig, 3, 0.0), Err(MixerError::Machine));
    assert_eq!(mixer.set_machine_input(&rig, 0, f64::NAN), Err(MixerError::Number { value: "input" }));
}

#[test]
fn two_inputs_choose_between_clips_by_their_places() {
    let rig = rig(
        "\"m\": (inputs: {\"x\": 0, \"y\": 0}, states: {\"go\": (by: [\"x\", \"y\"], blend: [(at: (0, 0), clip: \"idle\"), \
         (at: (2, 0), clip: \"walk\"), (at: (0, 2), clip: \"run\")])})",
    );
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    mixer.start(&rig, 0, 0.0).expect("a machine");
    let mut phase = 0.0;
    // By hand: at its place a clip is alone; its weight falls evenly towards each other one, and is 0 there and behind it.
    for ((x, y), weights) in [
        ((0.0, 0.0), [1.0, 0.0, 0.0]),
        ((2.0, 0.0), [0.0, 1.0, 0.0]),
        ((0.0, 2.0), [0.0, 0.0, 1.0]),
        ((1.0, 0.0), [0.5, 0.5, 0.0]),
        ((0.5, 0.5), [0.6, 0.2, 0.2]),
        ((1.0, 1.0), [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]),
        ((-3.0, -3.0), [1.0, 0.0, 0.0]),
        ((9.0, -1.0), [0.0, 1.0, 0.0]),
    ] {
        mixer.set_machine_input(&rig, 0, x).expect("an input");
        mixer.set_machine_input(&rig, 1, y).expect("an input");
        mixer.step(&rig, 0.07, &mut state).expect("a step");
        let rate: f64 =
            weights.iter().zip(&CLIPS).map(|(weight, clip)| weight * 1000.0 / clip.1 as f64).sum();
        phase += 0.07 * rate;
        for bone in 0..2 {
            let expected: f64 =
                (0..3).map(|clip| weights[clip] * turned(clip, bone, f64::fract(phase))).sum();
            assert!((angles(&rig, &state)[bone] - expected).abs() < 1e-9, "{x} {y}");
        }
    }
}

#[test]
fn something_else_that_is_played_covers_a_machine() {
    let rig = rig(&WALKER.replace("TRANSITIONS", "").replace("UPPER", "(to: \"on\", fired: [\"go\"])"));
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    assert_eq!(mixer.start(&rig, 1, 0.0), Err(MixerError::Machine));
    assert_eq!(mixer.set_machine_input(&rig, 0, 1.0), Err(MixerError::Machine));
    mixer.start(&rig, 0, 0.0).expect("a machine");
    mixer.set_machine_input(&rig, 2, 1.0).expect("a trigger");
    mixer.step(&rig, 0.09, &mut state).expect("a step");
    assert_eq!((mixer.machine_state(0), mixer.machine_state(1)), (Some(0), Some(1)));
    assert!((angles(&rig, &state)[1] - 80.0).abs() < 1e-9, "the hand waves");
    let jump = rig.clip("jump").expect("a clip");
    mixer.play(&rig, jump, 0.2).expect("a clip");
    let mut last = angles(&rig, &state)[1];
    for _ in 0..40 {
        mixer.step(&rig, 0.01, &mut state).expect("a step");
        let now = angles(&rig, &state)[1];
        assert!((now - last).abs() < 9.0, "it jumps from {last} to {now}");
        last = now;
    }
    assert_eq!(mixer.machine(), None);
    assert!((last - 9.0).abs() < 1e-9);
    // Back again.
    mixer.start(&rig, 0, 0.1).expect("a machine");
    (0..20).for_each(|_| mixer.step(&rig, 0.01, &mut state).expect("a step"));
    assert_eq!(mixer.machine(), Some(0));
    assert!((angles(&rig, &state)[0] - 10.0).abs() < 1e-9);
    // One machine replaces another.
    mixer.start(&rig, 0, 0.1).expect("a machine");
    (0..20).for_each(|_| mixer.step(&rig, 0.01, &mut state).expect("a step"));
    assert!((angles(&rig, &state)[0] - 10.0).abs() < 1e-9);
}

#[test]
fn what_does_not_fit_is_reported() {
    let states = "states: {\"a\": (clip: \"idle\"), \"b\": (clip: \"jump\")}";
    let lines = |transitions: &str| {
        format!(
            "\"m\": (inputs: {{\"v\": 0, \"f\": true, \"t\": Trigger}}, {states}, transitions: [{transitions}])"
        )
    };
    let cases = [
        (lines("(from: \"a\", to: \"c\")"), "unknown-state: `to` of this transition is \"c\", and there is no such state"),
        (lines("(to: \"b\", above: {\"w\": 1})"), "unknown-input: this names input \"w\", and there is no such input"),
        (lines("(to: \"b\", above: {\"t\": 1})"), "wrong-input: input \"t\" is a trigger, and a number is needed here"),
        (lines("(to: \"b\", fired: [\"f\"])"), "wrong-input: input \"f\" is true or false, and a trigger is needed here"),
        (lines("(from: \"a\", to: \"b\", above: {\"v\": 2}, below: {\"v\": 1})"), "range-reversed: input \"v\" cannot be above 2 and below 1"),
        (lines("(from: \"b\", to: \"a\")"), "unreachable-state: no transition leads to state \"b\""),
        (
            lines("(from: \"a\", to: \"b\", above: {\"v\": 1}), (from: \"b\", to: \"a\", is: {\"f\": true})"),
            "cycle: these transitions lead round in a circle without taking time where \"f\" is true and \"v\" is 2: \"a\" -> \"b\" -> \"a\"",
        ),
        (lines("(from: \"a\", to: \"b\", above: {\"v\": 1}), (from: \"b\", to: \"a\", below: {\"v\": 1})"), ""),
        (lines("(from: \"a\", to: \"b\"), (from: \"b\", to: \"a\", after: 0.1)"), ""),
        ("\"m\": ()".into(), "empty: a layer of machine \"m\" has no states"),
        ("\"m\": (states: {\"a\": (clip: \"hop\")})".into(), "unknown-clip: state \"a\" plays \"hop\", and there is no such clip"),
        ("\"m\": (states: {\"a\": (blend: [(at: 0, clip: \"idle\"), (at: 1, clip: \"run\")])})".into(), "missing-field: state \"a\" has `blend`, and not the input that chooses"),
        (
            "\"m\": (inputs: {\"v\": 0}, states: {\"a\": (by: [\"v\"], sync: true, blend: [(at: 0, clip: \"idle\"), (at: 1, clip: \"jump\")])})".into(),
            "not-possible-here: the clips of state \"a\" cannot play in step: not all of them loop",
        ),
        (
            "\"m\": (inputs: {\"v\": 0}, states: {\"a\": (by: [\"v\"], blend: [(at: 0, clip: \"idle\"), (at: (0, 0), clip: \"run\")])})".into(),
            "duplicate: two clips of state \"a\" are at the same place",
        ),
    ];
    for (machines, message) in cases {
        let (_, messages) = found(&machines);
        match message {
            "" => assert_eq!(messages, Vec::<String>::new(), "{machines}"),
            message => assert!(messages.iter().any(|found| found == message), "{machines}: {messages:#?}"),
        }
    }
}
