//! State machines, as they were written: states, what leads from one to another, and the inputs that decide it.

use bone_core::clip::LayerBlend;
use bone_rig::MachineInputKind;
use kurbo::Vec2;

use crate::schema::types::{
    BLEND_PLACE, BONES, CLIP, FADE, FROM_START, INPUT, INPUT_BOUNDS, INPUT_FLAGS, INPUT_VALUES, PACE, SHARE,
    STATE,
};
use crate::schema::{Title, Type, WordType, entry, record};
use crate::span::{Span, Spanned};

entry! {
    /// States, each with what plays in it, and transitions between them, which a program steers by inputs.
    pub struct MachineDoc = "Machine", Title::Named("machine"),
        "(states: {\"walk\": (clip: \"walk\")})";
    fields {
        /// What the program sets: a number, `true` or `false`, or a `Trigger`, which counts at one moment.
        def inputs: Vec<(Spanned<String>, MachineInputKind)> = (INPUT_VALUES, "none", "{\"speed\": 0, \"grounded\": true, \"jump\": Trigger}")
            also ["parameters", "variables"];
        /// The states of the whole figure.
        flat base: StatesDoc = ();
        /// States of their own for a part of the figure or on top of it, the later above the earlier.
        def layers: Vec<MachineLayerDoc> = (LAYERS, "none", "[(states: {\"wave\": (clip: \"wave\")})]");
    }
}

const LAYERS: Type = Type::List { of: &Type::Record(MachineLayerDoc::TABLE), each: "this layer" };

record! {
    /// States and what leads from one to another.
    pub struct StatesDoc = "States", Title::This("these states"), "(states: {\"walk\": (clip: \"walk\")})" {}
    fields {
        /// The states.
        def states: Vec<StateDoc> = (STATES, "none", "{\"walk\": (clip: \"walk\")}");
        /// The state that it begins in.
        opt start: Spanned<String> = (STATE, "the first state", "\"walk\"") also ["initial", "entry"];
        /// What leads from one state to another. Those without `from` are tried first, then the others, in the order of
        /// the list.
        def transitions: Vec<TransitionDoc> = (TRANSITIONS, "none", "[(to: \"walk\", above: {\"speed\": 0.1})]")
            also ["moves", "edges"];
    }
}

const STATES: Type = Type::Map {
    key: crate::schema::Key::Name { shown: "name", of: "state" },
    of: &Type::Record(StateDoc::TABLE),
    each: "this state",
};
const TRANSITIONS: Type = Type::List { of: &Type::Record(TransitionDoc::TABLE), each: "this transition" };

record! {
    /// The states of a layer.
    pub struct MachineLayerDoc = "MachineLayer", Title::This("this layer"),
        "(states: {\"wave\": (clip: \"wave\")}, bones: [\"fore.L\"])" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// Its states.
        flat base: StatesDoc = ();
        /// The bones that it may move, each with its descendants.
        opt bones: Spanned<Vec<Spanned<String>>> = (BONES, "all", "[\"fore.L\"]") also ["mask"];
        /// `Replace`: what its clips key replaces what is below; `Add`: the differences from the setup pose are added.
        opt mode: Spanned<LayerBlend> = (LayerBlend::TYPE, "`Replace`", "Add");
        /// Its share.
        opt weight: Spanned<f64> = (SHARE, "1", "0.5");
    }
}

entry! {
    /// What plays in a state: a clip, several of them blended by inputs, or nothing.
    pub struct StateDoc = "State", Title::Named("state"), "(clip: \"walk\")";
    fields {
        /// The clip.
        opt clip: Spanned<String> = (CLIP, "nothing, or a blend", "\"walk\"") also ["animation"];
        /// The number inputs that choose in `blend`: one or two.
        opt by: Spanned<Vec<Spanned<String>>> = (INPUTS, "none", "[\"speed\"]");
        /// The clips between which the inputs choose.
        def blend: Vec<BlendPointDoc> = (POINTS, "none", "[(at: 0, clip: \"wave\"), (at: 1, clip: \"walk\")]") also ["clips"];
        /// Whether the clips of the blend, which all loop, are at the same share of their length, so that feet agree.
        opt sync: Spanned<bool> = (Type::Bool, "true if all of them loop", "false");
        /// 2 is twice as fast.
        opt speed: Spanned<f64> = (PACE, "1", "1.5");
    }
}

const INPUTS: Type = Type::List { of: &INPUT, each: "an input" };
const POINTS: Type = Type::List { of: &Type::Record(BlendPointDoc::TABLE), each: "this clip of the blend" };

record! {
    /// A clip of a blend.
    pub struct BlendPointDoc = "Blended", Title::This("this clip of the blend"), "(at: 1, clip: \"walk\")" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The value of the input at which it plays alone, or the values of both.
        req at: Spanned<Vec2> = (BLEND_PLACE, "1");
        /// The clip.
        req clip: Spanned<String> = (CLIP, "\"walk\"");
    }
}

record! {
    /// What leads to a state, as soon as all that it lists holds.
    pub struct TransitionDoc = "Transition", Title::This("this transition"),
        "(from: \"walk\", to: \"jump\", fired: [\"jump\"], fade: 0.1)" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The state that it leaves.
        opt from: Spanned<String> = (STATE, "any other", "\"walk\"");
        /// The state that it enters.
        req to: Spanned<String> = (STATE, "\"jump\"");
        /// Numbers that are greater than these.
        def above: Vec<(Spanned<String>, Spanned<f64>)> = (INPUT_BOUNDS, "none", "{\"speed\": 0.1}");
        /// Numbers that are less than these.
        def below: Vec<(Spanned<String>, Spanned<f64>)> = (INPUT_BOUNDS, "none", "{\"speed\": 2}");
        /// Flags that have these values.
        def flags as "is": Vec<(Spanned<String>, bool)> = (INPUT_FLAGS, "none", "{\"grounded\": true}");
        /// Triggers that are set at this moment. They are used up.
        def fired: Vec<Spanned<String>> = (INPUTS, "none", "[\"jump\"]") also ["triggers"];
        /// The clip of the state has ended; of one that loops, it begins anew at this moment.
        opt ended: Spanned<bool> = (Type::Bool, "false", "true");
        /// How long the state has lasted at least.
        opt after: Spanned<f64> = (FROM_START, "0", "0.5");
        /// The time in which the one state fades into the other. A fade that is interrupted goes on below.
        opt fade: Spanned<f64> = (FADE, "0: a cut", "0.2") also ["duration", "mix"];
    }
}

impl MachineDoc {
    /// The states of the whole figure, then those of the layers.
    pub(crate) fn all_states(&self) -> impl Iterator<Item = &StatesDoc> {
        std::iter::once(&self.base).chain(self.layers.iter().map(|layer| &layer.base))
    }
}
