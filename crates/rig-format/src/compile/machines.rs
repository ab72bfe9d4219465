//! Compiles state machines: names become places in lists.

use std::collections::BTreeMap;

use bone_core::{BoneId, Skeleton};
use bone_rig::{
    BlendPoint, Machine, MachineCondition, MachineInput, MachineInputKind, MachineLayer, MachineState,
    MachineTransition, RigClip,
};

use super::pass::Pass;
use crate::doc::{MachineDoc, MachineLayerDoc, StateDoc, StatesDoc, TransitionDoc};
use crate::span::Spanned;

/// Where things are in their lists.
struct MachinePlaces<'r> {
    clips: BTreeMap<&'r str, usize>,
    looped: Vec<bool>,
    inputs: BTreeMap<&'r str, usize>,
}

impl Pass<'_> {
    /// The state machines. `check` has found what does not fit; one that cannot be compiled without that is reported.
    pub(super) fn machines(&mut self, skeleton: &Skeleton, clips: &[RigClip]) -> Vec<Machine> {
        let doc = self.doc;
        let mut machines = Vec::new();
        for machine in &doc.machines {
            match compiled(machine, skeleton, clips) {
                Some(machine) => machines.push(machine),
                None => self.fault(machine.name.span, "this machine"),
            }
        }
        machines
    }
}

fn compiled(doc: &MachineDoc, skeleton: &Skeleton, clips: &[RigClip]) -> Option<Machine> {
    let places = MachinePlaces {
        clips: clips.iter().enumerate().map(|(at, clip)| (clip.name(), at)).collect(),
        looped: clips.iter().map(|clip| !clip.time().has_end()).collect(),
        inputs: doc.inputs.iter().enumerate().map(|(at, (name, _))| (name.value.as_str(), at)).collect(),
    };
    let base = MachineLayerDoc { base: doc.base.clone(), ..MachineLayerDoc::default() };
    let layers = std::iter::once(&base).chain(&doc.layers);
    let input = |(name, kind): &(Spanned<String>, MachineInputKind)| MachineInput {
        name: name.value.clone(),
        kind: *kind,
    };
    Some(Machine {
        name: doc.name.value.clone(),
        inputs: doc.inputs.iter().map(input).collect(),
        layers: layers.map(|layer| places.layer(layer, skeleton)).collect::<Option<_>>()?,
    })
}

impl MachinePlaces<'_> {
    fn input(&self, name: &Spanned<String>) -> Option<usize> {
        self.inputs.get(name.value.as_str()).copied()
    }

    fn layer(&self, doc: &MachineLayerDoc, skeleton: &Skeleton) -> Option<MachineLayer> {
        let StatesDoc { states, start, transitions } = &doc.base;
        let place = |name: &Spanned<String>| states.iter().position(|state| state.name.value == name.value);
        let bones = doc.bones.as_ref().map(|bones| {
            bones.value.iter().map(|bone| skeleton.find(&bone.value)).collect::<Option<Vec<BoneId>>>()
        });
        let mut compiled: Vec<MachineTransition> =
            transitions.iter().map(|it| self.transition(it, &place)).collect::<Option<_>>()?;
        compiled.sort_by_key(|transition| transition.from.is_some());
        Some(MachineLayer {
            blend: doc.mode.map(|mode| mode.value).unwrap_or_default(),
            bones: match bones {
                Some(bones) => Some(bones?),
                None => None,
            },
            weight: doc.weight.map_or(1.0, |weight| weight.value),
            states: states.iter().map(|state| self.state(state)).collect::<Option<_>>()?,
            start: start.as_ref().map_or(Some(0), place)?,
            transitions: compiled,
        })
    }

    fn state(&self, doc: &StateDoc) -> Option<MachineState> {
        let clip = |name: &Spanned<String>| self.clips.get(name.value.as_str()).copied();
        let single =
            doc.clip.iter().map(|name| Some(BlendPoint { at: kurbo::Point::ZERO, clip: clip(name)? }));
        let blended = doc
            .blend
            .iter()
            .map(|point| Some(BlendPoint { at: point.at.value.to_point(), clip: clip(&point.clip)? }));
        let mut points: Vec<BlendPoint> = single.chain(blended).collect::<Option<_>>()?;
        let by: Vec<usize> =
            doc.by.iter().flat_map(|by| &by.value).map(|input| self.input(input)).collect::<Option<_>>()?;
        if by.len() == 1 {
            points.sort_by(|a, b| a.at.x.total_cmp(&b.at.x));
        }
        let loops = points.iter().all(|point| self.looped[point.clip]);
        Some(MachineState {
            name: doc.name.value.clone(),
            by,
            sync: points.len() > 1 && doc.sync.map_or(loops, |sync| sync.value),
            points,
            speed: doc.speed.map_or(1.0, |speed| speed.value),
        })
    }

    fn transition(
        &self,
        doc: &TransitionDoc,
        place: &impl Fn(&Spanned<String>) -> Option<usize>,
    ) -> Option<MachineTransition> {
        let mut when = Vec::new();
        for (input, than) in &doc.above {
            when.push(MachineCondition::Above(self.input(input)?, than.value));
        }
        for (input, than) in &doc.below {
            when.push(MachineCondition::Below(self.input(input)?, than.value));
        }
        for (input, wanted) in &doc.flags {
            when.push(MachineCondition::Is(self.input(input)?, *wanted));
        }
        for input in &doc.fired {
            when.push(MachineCondition::Fired(self.input(input)?));
        }
        when.extend(doc.ended.filter(|ended| ended.value).map(|_| MachineCondition::Ended));
        when.extend(
            doc.after.filter(|after| after.value > 0.0).map(|after| MachineCondition::After(after.value)),
        );
        Some(MachineTransition {
            from: match &doc.from {
                Some(from) => Some(place(from)?),
                None => None,
            },
            to: place(&doc.to)?,
            when,
            fade: doc.fade.map_or(0.0, |fade| fade.value),
        })
    }
}
