//! A state machine that a page plays: its inputs are set as the page says, and time goes on from frame to frame.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_format::diagnostic::nearest;
use bone_rig::{FrameState, Machine, MachineInputKind, Mixer, Overrides, Rig};

use crate::message::Reason;
use crate::server::proto::PlayWish;

/// A page that was asleep goes on with this many seconds, and does not catch up on hours.
const MOST_SECONDS: f64 = 10.0;

/// A machine that plays.
pub(super) struct Played {
    rig: Arc<Rig>,
    machine: usize,
    start: u32,
    mixer: Box<Mixer>,
    time: f64,
    /// How often each trigger was set, as far as the machine has heard.
    fired: BTreeMap<String, f64>,
}

impl Played {
    /// Plays on to a time, or from the start if it is earlier, of another machine, or of a rig that was changed.
    ///
    /// # Errors
    /// If the rig has no such machine.
    pub(super) fn advance(
        kept: &mut Option<Self>,
        rig: &Arc<Rig>,
        wish: &PlayWish,
        time: f64,
        state: &mut FrameState,
    ) -> Result<Vec<String>, Reason> {
        let names = || rig.machines().iter().map(|machine| &*machine.name);
        let Some(at) = names().position(|name| name == wish.name) else {
            let near = nearest(&wish.name, names())
                .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            return Err(format!("there is no state machine \"{}\"{near}", wish.name));
        };
        let machine = &rig.machines()[at];
        let goes_on = |own: &Self| {
            (own.machine, own.start) == (at, wish.start) && time >= own.time && Arc::ptr_eq(&own.rig, rig)
        };
        let own = match kept.take().filter(goes_on) {
            Some(own) => kept.insert(own),
            None => kept.insert(Self::begin(rig, at, wish, time)?),
        };
        own.set(machine, &wish.inputs)?;
        let overrides = Overrides { camera: rig.page_camera(), ..Overrides::new() };
        let seconds = (time - own.time).clamp(0.0, MOST_SECONDS);
        own.mixer.step_with(rig, seconds, &overrides, state).map_err(|error| error.to_string())?;
        own.time = time;
        let seen = machine.layers.iter().enumerate().filter_map(|(index, layer)| {
            layer.states.get(own.mixer.machine_state(index)?).map(|state| state.name.clone())
        });
        Ok(seen.collect())
    }

    fn begin(rig: &Arc<Rig>, machine: usize, wish: &PlayWish, time: f64) -> Result<Self, Reason> {
        let mut mixer = Box::new(Mixer::new(rig));
        mixer.start(rig, machine, 0.0).map_err(|error| error.to_string())?;
        // What was set before it began is over.
        Ok(Self { rig: Arc::clone(rig), machine, start: wish.start, mixer, time, fired: wish.inputs.clone() })
    }

    fn set(&mut self, machine: &Machine, inputs: &BTreeMap<String, f64>) -> Result<(), Reason> {
        for (name, value) in inputs {
            // A page that has not heard of a change yet may have an input of before.
            let Some(input) = machine.inputs.iter().position(|input| input.name == *name) else { continue };
            let value = match machine.inputs[input].kind {
                MachineInputKind::Trigger => {
                    let before = self.fired.insert(name.clone(), *value).unwrap_or(0.0);
                    if *value <= before {
                        continue;
                    }
                    1.0
                }
                _ => *value,
            };
            self.mixer.set_machine_input(&self.rig, input, value).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
