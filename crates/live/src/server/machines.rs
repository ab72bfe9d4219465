//! State machines as pages show them.

use bone_core::clip::LayerBlend;
use bone_format::doc::{MachineDoc, StateDoc, StatesDoc, TransitionDoc};
use bone_format::session::DocPath;
use bone_format::span::Spanned;
use bone_rig::MachineInputKind;

use crate::server::proto::{MachineFacts, MachineKnob, StateArrow, StateBox, StateCondition, StatesFacts};

impl MachineFacts {
    pub(crate) fn of(doc: &MachineDoc) -> Self {
        let name = &doc.name.value;
        let at = DocPath::from(["machines", name]);
        let whole = layer(&doc.base, at.clone(), Vec::new(), false);
        let above = doc.layers.iter().enumerate().map(|(index, own)| {
            let bones = own.bones.iter().flat_map(|bones| &bones.value).map(|bone| bone.value.clone());
            let is_added = own.mode.as_ref().is_some_and(|mode| mode.value == LayerBlend::Add);
            layer(&own.base, at.clone().name("layers").index(index), bones.collect(), is_added)
        });
        Self {
            name: name.clone(),
            inputs: doc.inputs.iter().map(|(input, kind)| knob(doc, &input.value, *kind)).collect(),
            layers: std::iter::once(whole).chain(above).collect(),
        }
    }
}

/// An input; its range is from the least to the greatest number with which something compares or blends it.
fn knob(doc: &MachineDoc, name: &str, kind: MachineInputKind) -> MachineKnob {
    let all = || std::iter::once(&doc.base).chain(doc.layers.iter().map(|layer| &layer.base));
    let bounds = all().flat_map(|states| &states.transitions).flat_map(|it| it.above.iter().chain(&it.below));
    let bounds = bounds.filter(|(input, _)| input.value == name).map(|(_, bound)| bound.value);
    let places = all().flat_map(|states| &states.states).flat_map(|state| {
        let by = state.by.iter().flat_map(|by| &by.value);
        let axis = by.enumerate().find(|(_, input)| input.value == name).map(|(axis, _)| axis);
        let place =
            move |axis| state.blend.iter().map(move |point| [point.at.value.x, point.at.value.y][axis]);
        axis.filter(|axis| *axis < 2).into_iter().flat_map(place)
    });
    let rest = kind.rest();
    let (least, most) = bounds
        .chain(places)
        .fold((rest.min(0.0), rest), |(least, most), number| (least.min(number), most.max(number)));
    let (word, range) = match kind {
        MachineInputKind::Number(_) if most > least => ("number", [least, most]),
        MachineInputKind::Number(_) => ("number", [least, least + 1.0]),
        MachineInputKind::Flag(_) => ("flag", [0.0, 1.0]),
        MachineInputKind::Trigger => ("trigger", [0.0, 1.0]),
    };
    MachineKnob { name: name.to_owned(), kind: word.to_owned(), rest, range }
}

fn layer(doc: &StatesDoc, at: DocPath, bones: Vec<String>, add: bool) -> StatesFacts {
    let state = |own: &StateDoc| {
        let clips = own.clip.iter().chain(own.blend.iter().map(|point| &point.clip));
        let by = own.by.iter().flat_map(|by| &by.value).map(|input| input.value.clone());
        let clips = clips.map(|clip| clip.value.clone()).collect();
        StateBox {
            name: own.name.value.clone(),
            clips,
            at: own.blend.iter().map(|point| point.at.value.to_point()).collect(),
            by: by.collect(),
            sync: own.sync.map(|sync| sync.value),
            speed: own.speed.map_or(1.0, |speed| speed.value),
        }
    };
    let first = doc.start.as_ref().or(doc.states.first().map(|first| &first.name));
    StatesFacts {
        at,
        bones,
        add,
        start: first.map_or_else(String::new, |start| start.value.clone()),
        states: doc.states.iter().map(state).collect(),
        arrows: doc.transitions.iter().map(arrow).collect(),
    }
}

fn arrow(doc: &TransitionDoc) -> StateArrow {
    let of = |kind: &str, input: Option<&Spanned<String>>, value: f64| StateCondition {
        kind: kind.to_owned(),
        input: input.map(|input| input.value.clone()),
        value,
    };
    let mut when: Vec<StateCondition> = doc.fired.iter().map(|input| of("fired", Some(input), 1.0)).collect();
    when.extend(doc.flags.iter().map(|(input, is)| of("is", Some(input), f64::from(u8::from(*is)))));
    when.extend(doc.above.iter().map(|(input, than)| of("above", Some(input), than.value)));
    when.extend(doc.below.iter().map(|(input, than)| of("below", Some(input), than.value)));
    when.extend(doc.ended.as_ref().filter(|ended| ended.value).map(|_| of("ended", None, 1.0)));
    when.extend(doc.after.as_ref().map(|after| of("after", None, after.value)));
    StateArrow {
        from: doc.from.as_ref().map(|from| from.value.clone()),
        to: doc.to.value.clone(),
        when,
        fade: doc.fade.as_ref().map_or(0.0, |fade| fade.value),
    }
}
