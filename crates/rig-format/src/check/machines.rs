//! State machines: states, inputs and clips that exist, inputs used as what they are, blends that have a choice, states
//! that are reached, and transitions that do not lead round in a circle at one moment.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::in_few_digits_beside;
use bone_rig::MachineInputKind;

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, MachineDoc, StateDoc, StatesDoc, TransitionDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// Clips of one blend: each is compared with all others in every step.
const MOST_BLENDED: usize = 32;

/// States and transitions of one layer, and inputs and layers of a machine.
const MOST_PARTS: usize = 1000;

/// Values of inputs that are tried for a circle of transitions, times its states.
const MOST_TRIED: usize = 1 << 17;

type InputKinds<'m> = BTreeMap<&'m str, MachineInputKind>;

impl<'a> Checker<'a, '_> {
    pub(super) fn machines(&mut self) {
        let doc = self.doc;
        if doc.machines.is_empty() {
            return;
        }
        let clips = doc
            .clips
            .iter()
            .map(|clip| (clip.name.value.as_str(), ClipDoc::time(clip).map(|time| time.looped)));
        let shots = doc.shots.iter().map(|shot| (shot.name.value.as_str(), Some(shot.is_looped())));
        let playable: BTreeMap<&str, Option<bool>> = clips.chain(shots).collect();
        for machine in &doc.machines {
            let inputs: InputKinds<'_> =
                machine.inputs.iter().map(|(name, kind)| (name.value.as_str(), *kind)).collect();
            self.at_most(machine.name.span, machine.inputs.len(), MOST_PARTS, "inputs");
            self.at_most(machine.name.span, machine.layers.len(), MOST_PARTS, "layers");
            for layer in &machine.layers {
                self.mask(layer.bones.as_ref());
            }
            for (at, states) in machine.all_states().enumerate() {
                let span = at
                    .checked_sub(1)
                    .and_then(|at| machine.layers.get(at))
                    .map_or(machine.span, |layer| layer.span);
                self.layer_of_states(machine, states, span, (&inputs, &playable));
            }
        }
    }

    pub(super) fn at_most(&mut self, span: Span, count: usize, most: usize, what: &str) {
        if count > most {
            let message = format!("there are {count} {what} here, and {most} are the most");
            self.error(span, Diagnostic::error("too-many", message));
        }
    }

    fn layer_of_states(
        &mut self,
        machine: &'a MachineDoc,
        doc: &'a StatesDoc,
        span: Span,
        (inputs, playable): (&InputKinds<'_>, &BTreeMap<&str, Option<bool>>),
    ) {
        let name = shortened(&machine.name.value);
        if doc.states.is_empty() {
            if self.doc.complete {
                let message = format!("a layer of machine \"{name}\" has no states");
                let help = "write states: {\"idle\": (clip: \"idle\")}";
                self.error(span, Diagnostic::error("empty", message).help(help));
            }
            return;
        }
        self.at_most(span, doc.states.len(), MOST_PARTS, "states");
        self.at_most(span, doc.transitions.len(), MOST_PARTS, "transitions");
        for state in &doc.states {
            self.state(state, inputs, playable);
        }
        let mut known = true;
        let start = doc.start.iter().map(|start| (start, "`start` is"));
        let ends = doc.transitions.iter().flat_map(|it| {
            it.from
                .iter()
                .map(|from| (from, "`from` of this transition is"))
                .chain([(&it.to, "`to` of this transition is")])
        });
        for (state, field) in start.chain(ends) {
            known &= self.state_named(state, doc, field);
        }
        for transition in &doc.transitions {
            known &= self.transition(transition, doc, inputs);
        }
        if known && doc.states.len().max(doc.transitions.len()) <= MOST_PARTS {
            self.unreachable(doc);
            self.circle(doc, machine);
        }
    }

    fn state_named(&mut self, name: &Spanned<String>, doc: &StatesDoc, field: &str) -> bool {
        let names = || doc.states.iter().map(|state| state.name.value.as_str());
        let found = names().any(|own| own == name.value);
        if !found {
            let message = format!("{field} \"{}\", and there is no such state", shortened(&name.value));
            self.error(name.span, Diagnostic::error("unknown-state", message).suggest(&name.value, names()));
        }
        found
    }

    /// The input of a name, if it is one of these.
    fn input(&mut self, name: &Spanned<String>, inputs: &InputKinds<'_>, wanted: MachineInputKind) -> bool {
        let what = |kind: MachineInputKind| match kind {
            MachineInputKind::Number(_) => "a number",
            MachineInputKind::Flag(_) => "true or false",
            MachineInputKind::Trigger => "a trigger",
        };
        let field = |kind: MachineInputKind| match kind {
            MachineInputKind::Number(_) => {
                format!("write above: {{\"{0}\": 1}} or below: {{\"{0}\": 1}}", name.value)
            }
            MachineInputKind::Flag(_) => format!("write is: {{\"{}\": true}}", name.value),
            MachineInputKind::Trigger => format!("write fired: [\"{}\"]", name.value),
        };
        let same = |a, b| std::mem::discriminant(&a) == std::mem::discriminant(&b);
        let error = match inputs.get(name.value.as_str()) {
            Some(kind) if same(*kind, wanted) => return true,
            Some(kind) => {
                let message = format!(
                    "input \"{}\" is {}, and {} is needed here",
                    shortened(&name.value),
                    what(*kind),
                    what(wanted)
                );
                Diagnostic::error("wrong-input", message).help(field(*kind))
            }
            None => {
                let message =
                    format!("this names input \"{}\", and there is no such input", shortened(&name.value));
                let error =
                    Diagnostic::error("unknown-input", message).suggest(&name.value, inputs.keys().copied());
                if inputs.is_empty() {
                    error.help(format!("add inputs: {{\"{}\": 0}}", name.value))
                } else {
                    error
                }
            }
        };
        self.error(name.span, error);
        false
    }

    fn state(&mut self, state: &StateDoc, inputs: &InputKinds<'_>, playable: &BTreeMap<&str, Option<bool>>) {
        let title = format!("state \"{}\"", shortened(&state.name.value));
        let points = state.blend.iter().map(|point| &point.clip);
        let mut loops = true;
        for clip in state.clip.iter().chain(points) {
            match playable.get(clip.value.as_str()) {
                Some(looped) => loops &= looped.unwrap_or(true),
                None if self.doc.complete => {
                    let message =
                        format!("{title} plays \"{}\", and there is no such clip", shortened(&clip.value));
                    let names = playable.keys().copied();
                    self.error(
                        clip.span,
                        Diagnostic::error("unknown-clip", message).suggest(&clip.value, names),
                    );
                }
                None => {}
            }
        }
        let first = state.blend.first().map(|point| point.span);
        let clip = ("clip", state.clip.as_ref().map(|clip| clip.span));
        self.both(&title, clip, ("blend", first), "keep one of them");
        let by = state.by.as_ref().map_or(&[][..], |by| by.value.as_slice());
        for input in by {
            self.input(input, inputs, MachineInputKind::Number(0.0));
        }
        let place = state.by.as_ref().map_or(state.name.span, |by| by.span);
        match (by.len(), first) {
            (0, None) => {}
            (0, Some(first)) => {
                let message = format!("{title} has `blend`, and not the input that chooses");
                let help = "add by: [\"speed\"], one or two inputs that are numbers";
                self.error(first, Diagnostic::error("missing-field", message).help(help));
            }
            (_, None) => {
                let message = format!("{title} has `by`, and no `blend` between which it chooses");
                let help = "add blend: [(at: 0, clip: \"idle\"), (at: 1, clip: \"walk\")]";
                self.error(place, Diagnostic::error("missing-field", message).help(help));
            }
            (1 | 2, Some(first)) if state.blend.len() < 2 => {
                let message = format!("the blend of {title} has one clip, and two are the least");
                self.error(
                    first,
                    Diagnostic::error("wrong-count", message).help("write clip: for a single one"),
                );
            }
            (1 | 2, Some(_)) => {}
            _ => {
                let message = format!("`by` of {title} has {} inputs, and two are the most", by.len());
                self.error(place, Diagnostic::error("wrong-count", message));
            }
        }
        self.at_most(place, state.blend.len(), MOST_BLENDED, "clips of a blend");
        for (at, point) in state.blend.iter().enumerate().take(MOST_BLENDED) {
            let place = point.at.value;
            if by.len() == 1 && place.y != 0.0 {
                let message = format!("one input chooses in {title}, and `at` has two numbers");
                self.error(
                    point.at.span,
                    Diagnostic::error("wrong-count", message).help(format!("write at: {}", place.x)),
                );
            } else if let Some(twin) = state.blend[..at].iter().find(|twin| twin.at.value == place) {
                let twin = self.place(twin.at.span);
                let message = format!("two clips of {title} are at the same place");
                self.error(
                    point.at.span,
                    Diagnostic::error("duplicate", message).related(twin, "the other one"),
                );
            }
        }
        if let Some(sync) = state.sync.filter(|sync| sync.value && !loops) {
            let message = format!("the clips of {title} cannot play in step: not all of them loop");
            self.error(
                sync.span,
                Diagnostic::error("not-possible-here", message).help("write loop: true in each clip"),
            );
        }
    }

    fn transition(&mut self, doc: &TransitionDoc, states: &StatesDoc, inputs: &InputKinds<'_>) -> bool {
        let mut known = true;
        for (input, _) in doc.above.iter().chain(&doc.below) {
            known &= self.input(input, inputs, MachineInputKind::Number(0.0));
        }
        for (input, _) in &doc.flags {
            known &= self.input(input, inputs, MachineInputKind::Flag(true));
        }
        for input in &doc.fired {
            known &= self.input(input, inputs, MachineInputKind::Trigger);
        }
        for (input, above) in &doc.above {
            let below = doc.below.iter().find(|(other, _)| other.value == input.value);
            if let Some((_, below)) = below.filter(|(_, below)| below.value <= above.value) {
                let message = format!(
                    "input \"{}\" cannot be above {} and below {}",
                    shortened(&input.value),
                    in_few_digits_beside(above.value, &[below.value]),
                    in_few_digits_beside(below.value, &[above.value]),
                );
                self.error(below.span, Diagnostic::error("range-reversed", message));
            }
        }
        let from = doc
            .from
            .as_ref()
            .and_then(|from| states.states.iter().find(|state| state.name.value == from.value));
        if let (Some(ended), Some(from)) = (doc.ended.filter(|ended| ended.value), from) {
            let has_rounds =
                from.clip.is_some() || from.sync.is_none_or(|sync| sync.value) && !from.blend.is_empty();
            if !has_rounds {
                let name = shortened(&from.name.value);
                let message = format!(
                    "state \"{name}\" does not end: {}",
                    match from.blend.is_empty() {
                        true => "nothing plays in it",
                        false => "its clips are not in step",
                    }
                );
                self.error(
                    ended.span,
                    Diagnostic::error("not-possible-here", message).help("write after: 1, in seconds"),
                );
            }
        }
        known
    }

    /// States to which nothing leads.
    fn unreachable(&mut self, doc: &StatesDoc) {
        let mut reached = BTreeSet::from([start_of(doc)]);
        let mut before = 0;
        while reached.len() > before {
            before = reached.len();
            for it in &doc.transitions {
                if it.from.as_ref().is_none_or(|from| reached.contains(from.value.as_str())) {
                    reached.insert(it.to.value.as_str());
                }
            }
        }
        for state in doc.states.iter().filter(|state| !reached.contains(state.name.value.as_str())) {
            let message = format!("no transition leads to state \"{}\"", shortened(&state.name.value));
            let help = format!("add (from: \"{}\", to: \"{}\")", start_of(doc), state.name.value);
            self.error(state.name.span, Diagnostic::warning("unreachable-state", message).help(help));
        }
    }

    /// Transitions that lead back to the state they began in without time, for some values of the inputs. All
    /// combinations of values between the bounds are tried, as far as there are not too many.
    fn circle(&mut self, doc: &StatesDoc, machine: &MachineDoc) {
        let instant = |it: &&TransitionDoc| {
            it.fired.is_empty()
                && !it.ended.is_some_and(|ended| ended.value)
                && it.after.is_none_or(|after| after.value == 0.0)
        };
        let instant: Vec<&TransitionDoc> = doc.transitions.iter().filter(instant).collect();
        let mut tried: Vec<(&str, Vec<f64>)> = Vec::new();
        for (name, kind) in &machine.inputs {
            let bounds = instant.iter().flat_map(|it| it.above.iter().chain(&it.below));
            let mut bounds: Vec<f64> =
                bounds.filter(|it| it.0.value == name.value).map(|it| it.1.value).collect();
            bounds.sort_by(f64::total_cmp);
            bounds.dedup();
            let between = bounds.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
            let ends = bounds
                .first()
                .map(|least| least - 1.0)
                .into_iter()
                .chain(bounds.last().map(|most| most + 1.0));
            let mut values: Vec<f64> = bounds.iter().copied().chain(between).chain(ends).collect();
            if matches!(kind, MachineInputKind::Flag(_))
                && instant.iter().any(|it| it.flags.iter().any(|it| it.0.value == name.value))
            {
                values = vec![0.0, 1.0];
            }
            if !values.is_empty() {
                tried.push((name.value.as_str(), values));
            }
        }
        let count = tried.iter().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
        let Some(count) = count.filter(|count| count.saturating_mul(doc.states.len()) <= MOST_TRIED) else {
            return;
        };
        for at in 0..count {
            let mut rest = at;
            let values: BTreeMap<&str, f64> = tried
                .iter()
                .map(|(name, values)| {
                    let value = values[rest % values.len()];
                    rest /= values.len();
                    (*name, value)
                })
                .collect();
            if let Some((ring, span)) = ring(doc, &instant, &values) {
                let shown: Vec<String> = values
                    .iter()
                    .map(|(name, value)| {
                        let is_flag = machine
                            .inputs
                            .iter()
                            .any(|it| it.0.value == *name && matches!(it.1, MachineInputKind::Flag(_)));
                        let value = if is_flag { (*value != 0.0).to_string() } else { value.to_string() };
                        format!("\"{}\" is {value}", shortened(name))
                    })
                    .collect();
                let when =
                    if shown.is_empty() { String::new() } else { format!(" where {}", shown.join(" and ")) };
                let message =
                    format!("these transitions lead round in a circle without taking time{when}: {ring}");
                let help = "let their conditions exclude each other, or add after: 0.1 to one of them";
                return self.error(span, Diagnostic::error("cycle", message).help(help));
            }
        }
    }
}

/// The state that a layer begins in.
fn start_of(doc: &StatesDoc) -> &str {
    let first = doc.states.first().map_or("", |state| state.name.value.as_str());
    doc.start.as_ref().map_or(first, |start| start.value.as_str())
}

/// A circle of transitions for some values of inputs, as it is shown, and the place of one of them.
fn ring(doc: &StatesDoc, instant: &[&TransitionDoc], values: &BTreeMap<&str, f64>) -> Option<(String, Span)> {
    let value = |name: &Spanned<String>| values.get(name.value.as_str()).copied().unwrap_or_default();
    let holds = |it: &TransitionDoc| {
        it.above.iter().all(|(name, than)| value(name) > than.value)
            && it.below.iter().all(|(name, than)| value(name) < than.value)
            && it.flags.iter().all(|(name, wanted)| (value(name) != 0.0) == *wanted)
    };
    let next = |state: &str| {
        let mut leading = instant
            .iter()
            .filter(|it| it.from.is_none() && it.to.value != state)
            .chain(instant.iter().filter(|it| it.from.as_ref().is_some_and(|from| from.value == state)));
        leading.find(|it| holds(it)).copied()
    };
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for state in &doc.states {
        let mut way: Vec<(&str, Span)> = Vec::new();
        let mut at = state.name.value.as_str();
        while done.insert(at) {
            let Some(it) = next(at) else { break };
            way.push((at, it.span));
            at = it.to.value.as_str();
        }
        if let Some(first) = way.iter().position(|(state, _)| *state == at).filter(|_| next(at).is_some()) {
            let quoted = |state: &str| format!("\"{}\"", shortened(state));
            let mut names: Vec<String> =
                way[first..].iter().take(8).map(|(state, _)| quoted(state)).collect();
            names.push(if way.len() - first > 8 { "...".to_owned() } else { quoted(at) });
            return Some((names.join(" -> "), way[first].1));
        }
    }
    None
}
