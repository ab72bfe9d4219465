//! A state machine that is played for frames: its inputs come from a file, and each frame is a kept moment, so that
//! frames are drawn in any order.

use std::fmt;
use std::path::Path;

use bone_format::diagnostic::nearest;
use bone_format::{Disk, Files};
use bone_rig::{FrameState, KeptMoment, Machine, MachineInputKind, Mixer, Overrides, Rig};
use serde_json::Value;
use serde_json::de::Deserializer;

use crate::frames::{Fps, Selection};
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};

/// Frames that are played at most: each is a step, and those that are asked for are kept, of a hundred bytes a bone and
/// more.
const MOST_FRAMES: u64 = 200_000;

/// The moments of the frames of a machine.
pub(super) struct PlayedMachine<'a> {
    pub(super) name: &'a str,
    /// By growing frame.
    moments: Vec<(u64, KeptMoment)>,
}

/// An input that is set at a time.
struct SetInput {
    seconds: f64,
    input: usize,
    value: f64,
}

impl<'a> PlayedMachine<'a> {
    /// Plays a machine up to the last of some frames, with the inputs of a file.
    ///
    /// # Errors
    /// What is wrong with the names or the file.
    pub(super) fn new(
        scene: &'a Rig,
        (name, inputs): (&str, Option<&Path>),
        frames: Option<&Selection>,
        fps: Fps,
    ) -> Result<Self, String> {
        let names = || scene.machines().iter().map(|machine| &*machine.name);
        let Some(at) = names().position(|own| own == name) else {
            let near =
                nearest(name, names()).map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            let has = if scene.machines().is_empty() { "; it has none at all" } else { "" };
            return Err(format!("the rig has no state machine called \"{name}\"{near}{has}"));
        };
        let machine = &scene.machines()[at];
        let frames = frames.ok_or("a state machine has no end: add the frames, as in --frames 0-95")?;
        let mut wanted: Vec<u64> = frames.iter().collect();
        wanted.sort_unstable();
        wanted.dedup();
        if let Some(last) = wanted.last().filter(|last| **last >= MOST_FRAMES) {
            return Err(format!(
                "frame {last} of a state machine is too far: it is played from its start, for at most {MOST_FRAMES} frames"
            ));
        }
        let mut inputs = inputs.map(|file| read(file, machine)).transpose()?.unwrap_or_default();
        inputs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let moments = played(scene, at, &inputs, &wanted, fps).map_err(|error| error.to_string())?;
        Ok(Self { name: &machine.name, moments })
    }

    /// The moment of a frame.
    pub(super) fn moment(&self, frame: u64) -> Option<&KeptMoment> {
        let at = self.moments.binary_search_by_key(&frame, |(frame, _)| *frame).ok()?;
        self.moments.get(at).map(|(_, moment)| moment)
    }
}

/// Steps from frame to frame and from input to input. An input counts for the frame at its time.
fn played(
    scene: &Rig,
    machine: usize,
    inputs: &[SetInput],
    frames: &[u64],
    fps: Fps,
) -> Result<Vec<(u64, KeptMoment)>, bone_rig::MixerError> {
    let (mut mixer, mut state, overrides) = (Mixer::new(scene), FrameState::new(scene), Overrides::new());
    let mut moment = KeptMoment::new(scene);
    mixer.start(scene, machine, 0.0)?;
    let (mut now, mut moments, mut inputs) =
        (0.0, Vec::with_capacity(frames.len()), inputs.iter().peekable());
    for frame in 0..=frames.last().copied().unwrap_or(0) {
        let time = fps.time(frame);
        while let Some(set) = inputs.next_if(|set| set.seconds <= time) {
            if set.seconds > now {
                mixer.step_bones(scene, set.seconds - now, &overrides, &mut state, &mut moment)?;
                now = set.seconds;
            }
            mixer.set_machine_input(scene, set.input, set.value)?;
        }
        mixer.step_bones(scene, time - now, &overrides, &mut state, &mut moment)?;
        now = time;
        if frames.binary_search(&frame).is_ok() {
            moments.push((frame, moment.clone()));
        }
    }
    Ok(moments)
}

/// Reads `[[0.5, "speed", 1], [1.2, "jump", true]]`.
fn read(file: &Path, machine: &Machine) -> Result<Vec<SetInput>, String> {
    let shown = file.display();
    // Pipes, devices and files without an end are refused as for rigs.
    let bytes = Disk.read(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is no text in UTF-8"))?;
    let mut json = Deserializer::from_str(&text);
    let inputs = InputList(machine).deserialize(&mut json).and_then(|inputs| json.end().map(|()| inputs));
    inputs.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        format!("{shown}:{line}:{column}: {message}; write [[0.5, \"speed\", 1], [1.2, \"jump\", true]]: seconds, input, value")
    })
}

/// The list of inputs of a machine.
#[derive(Clone, Copy)]
struct InputList<'m>(&'m Machine);

/// One of them.
#[derive(Clone, Copy)]
struct OneInput<'m>(&'m Machine);

impl<'de> DeserializeSeed<'de> for InputList<'_> {
    type Value = Vec<SetInput>;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for InputList<'_> {
    type Value = Vec<SetInput>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of inputs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut inputs = Vec::new();
        while let Some(input) = list.next_element_seed(OneInput(self.0))? {
            inputs.push(input);
        }
        Ok(inputs)
    }
}

impl<'de> DeserializeSeed<'de> for OneInput<'_> {
    type Value = SetInput;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneInput<'_> {
    type Value = SetInput;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[seconds, input, value]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SetInput, A::Error> {
        let missing = |at| A::Error::invalid_length(at, &self);
        let seconds: f64 = list.next_element()?.ok_or_else(|| missing(0))?;
        let name: String = list.next_element()?.ok_or_else(|| missing(1))?;
        let value: Value = list.next_element()?.ok_or_else(|| missing(2))?;
        if list.next_element::<Value>()?.is_some() {
            return Err(missing(4));
        }
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(A::Error::custom(format!("{seconds} is no time of a frame")));
        }
        let inputs = &self.0.inputs;
        let Some(input) = inputs.iter().position(|input| input.name == name) else {
            let near = nearest(&name, inputs.iter().map(|input| &*input.name));
            let near = near.map_or(String::new(), |near| format!(", did you mean \"{near}\"?"));
            return Err(A::Error::custom(format!(
                "machine \"{}\" has no input \"{name}\"{near}",
                self.0.name
            )));
        };
        let value = match (inputs[input].kind, &value) {
            (MachineInputKind::Number(_), Value::Number(number)) => {
                number.as_f64().filter(|number| number.is_finite())
            }
            (MachineInputKind::Flag(_) | MachineInputKind::Trigger, Value::Bool(flag)) => {
                Some(f64::from(u8::from(*flag)))
            }
            _ => None,
        };
        let wanted = match inputs[input].kind {
            MachineInputKind::Number(_) => "a number",
            MachineInputKind::Flag(_) | MachineInputKind::Trigger => "true or false",
        };
        let value = value.ok_or_else(|| A::Error::custom(format!("input \"{name}\" takes {wanted}")))?;
        Ok(SetInput { seconds, input, value })
    }
}
