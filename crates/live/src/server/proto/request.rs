//! What a page sends.

use std::collections::BTreeMap;

use bone_format::session::{ConflictSide, Named};
use kurbo::Point;
use serde_json::{Value, json};

use super::op::Op;
use crate::message::{Reason, Wire, WireEnum};
use crate::server::pose::{Channels, PoseValues};
use crate::server::rows::RowKey;

value_type!(
    ConflictSide,
    "ours or theirs",
    "\"ours\" | \"theirs\"",
    |it| match it.as_str()? {
        "ours" => Some(Self::Ours),
        "theirs" => Some(Self::Theirs),
        _ => None,
    },
    |it| json!(if *it == Self::Ours { "ours" } else { "theirs" })
);

/// A path, a vertex, and its share.
pub(crate) type PaintedVertex = (usize, usize, f64);

impl Wire for PaintedVertex {
    const WHAT: &'static str = "[path, vertex, share]";
    const LIST: &'static str = "a list of [path, vertex, share]";

    #[cfg(test)]
    fn typescript() -> String {
        "number[]".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let [path, vertex, share] = value.as_array().map_or(&[][..], Vec::as_slice) else {
            return Err(Reason::new());
        };
        Ok((usize::read(path)?, usize::read(vertex)?, f64::read(share)?.clamp(0.0, 1.0)))
    }

    fn json(&self) -> Value {
        json!(self)
    }
}

record_of! {
    true,
    /// Values that are changed and not keyed: of bones and sliders, and places of targets.
    PoseValues {
    bones as "pose": BTreeMap<String, Channels> = BTreeMap::new(),
    goals: BTreeMap<String, Point> = BTreeMap::new(),
    sliders: BTreeMap<String, f64> = BTreeMap::new(),
} }

messages! {
    /// A time of a clip, or the setup pose, with values that are changed and not keyed.
    part Moment { clip: Option<String>, time: f64 = 0.0, values: PoseValues }
    /// The onion skin.
    record OnionWish {
        before: usize = 2, after: usize = 2, step: usize = 1, opacity: f64 = 0.5, keys: bool = false,
    }
    /// A state machine that plays: another number of `start` starts it anew. With the values of its inputs: 1 or 0 of a
    /// flag, and of a trigger how often it was set since then.
    record PlayWish { name: String, start: u32 = 0, inputs: BTreeMap<String, f64> = BTreeMap::new() }
    /// Whose values are asked for: of bones, and of art by addresses.
    part Asked { bones as "values": Vec<String> = Vec::new(), art as "values_of_art": Vec<String> = Vec::new() }
    /// What a picture shows.
    part PictureWish {
        size: [u32; 2] = [1, 1], view: Option<[f64; 4]>, paper: Option<String>, onion: Option<OnionWish>,
    }
    /// How weights are changed.
    part Brush {
        art: Vec<String> = Vec::new(), what as "do": String, bone: Option<String>,
        values: Vec<PaintedVertex> = Vec::new(), times: Option<usize>, strength: Option<f64>,
        from: Option<String>, lock: Vec<String> = Vec::new(),
    }

    /// What a drag holds, and what it does.
    union GrabWish by "kind" {
        /// Turns the bone, and all of `bones` by the same angle, until the grip `at` is in the direction of the
        /// pointer from its joint; whole turns add up.
        Rotate as "rotate" { bone: String, at: Point, bones: Vec<String> = Vec::new() },
        /// Moves the bone.
        Translate as "translate" { bone: String, at: Point },
        /// Scales the bone.
        Scale as "scale" { bone: String, at: Point },
        /// Brings the bone's tip to the pointer, by the constraint that holds it or by `chain` bones;
        /// `"point":"joint"` takes its joint, `"point":"grip"` the place of the bone at `at`.
        Ik as "ik" { bone: String, point: Option<String>, at: Option<Point> },
        /// Moves the target of the constraint `name`, from the place `at` where it is held.
        Goal as "goal" { name: String, at: Option<Point> },
        /// In the setup (`clip` null): moves the whole bone, and what is below it.
        Bone as "bone" { bone: String, at: Option<Point>, tear: bool = false },
        /// In the setup: moves a joint. The bone that ends there and its children that start there keep their
        /// other ends, and only what places the joint is written; `"tear":true` moves this end alone, and
        /// children get a `from`. All other bones keep their place on the canvas. What a line of the drawing
        /// places is not moved.
        Joint as "joint" { bone: String, at: Option<Point>, tear: bool = false },
        /// The same of the joint at the tip.
        Tip as "tip" { bone: String, at: Option<Point>, tear: bool = false },
        /// In the setup: `"end":0` or `1` of the limits, by the direction of the pointer.
        Limit as "limit" { bone: String, end: usize = 0 },
        /// In the setup: `"end":0` (joint) or `1` (tip), the radius to the pointer.
        Region as "region" { bone: String, end: usize = 0 },
    }

    /// A message of a page.
    union Request by "t" {
        /// A picture: `posed` and a binary message. With `machine` it is that of a machine, `time` seconds after its
        /// start; an earlier time starts it anew.
        Frame as "frame" {
            seq: u32, clip: Option<String>, time: f64, values: PoseValues, picture: PictureWish,
            asked: Asked, play: bool = false, draw as "picture": bool = true, machine: Option<PlayWish>,
        },
        /// Begins a gesture; it is answered only if it cannot begin.
        Begin as "begin" { gesture: String, moment: Moment, grab: GrabWish, base: Option<u64> },
        /// Moves what a gesture holds: `posed` and a binary message.
        Drag as "drag" {
            seq: u32, gesture: String, to: Point, chain: Option<usize>, picture: PictureWish, asked: Asked,
        },
        /// Ends a gesture of drags, or of edits.
        Commit as "commit" { id: Value, gesture: Option<String>, scale: f64 = 1.0, key: bool = true },
        /// Takes a gesture back.
        Cancel as "cancel" { id: Value, gesture: Option<String> },
        /// What is at a place: `hit`. `reach` is 4 if it is left out.
        Hit as "hit" { seq: u32, moment: Moment, at: Point, reach: f64 = 4.0 },
        /// The middle of the art across a place, as far as `reach`, at rest: `snap`.
        Snap as "snap" { seq: u32, at: Point, reach: f64 },
        /// The values of bones, of all without `bones`: `copied`.
        Copy as "copy" { id: Value, moment: Moment, bones: Vec<String> = Vec::new() },
        /// Keys bones as they are posed, and values of art, sliders and the camera.
        Key as "key" {
            id: Value, clip: String, time: f64, values: PoseValues, bones: Vec<String> = Vec::new(),
            channels: Vec<String> = Vec::new(), rows: Vec<RowKey> = Vec::new(), scale: f64 = 1.0, base: Option<u64>,
        },
        /// Keys a copied pose.
        Paste as "paste" {
            id: Value, clip: String, time: f64, values: BTreeMap<String, Channels>, mirror: bool = false,
            scale: f64 = 1.0, base: Option<u64>,
        },
        /// Samples of numbers that a clip keys: `curve`.
        Curve as "curve" {
            seq: u32, paths: Vec<Vec<String>> = Vec::new(), from: f64, to: f64, count: usize = 100,
        },
        /// Where the tip of a bone is in each frame of a stretch of time, with changes that are not keyed: `trail`.
        Trail as "trail" { seq: u32, moment: Moment, bone: String, from: f64, to: f64 },
        /// The shares of a bone at the vertices of art: `weights`.
        Weights as "weights" { seq: u32, bone: String, art: Option<String> },
        /// The posed drawing: `svg`.
        Svg as "svg" { id: Value, moment: Moment },
        /// The same as a binary message with this seq: transparent, as `render` writes it.
        Png as "png" { seq: u32, moment: Moment, picture: PictureWish },
        /// Makes operations, as one step.
        Edit as "edit" {
            id: Value, title: String = String::new(), ops: Vec<Op>, scale: Option<f64>, gesture: Option<String>,
            base: Option<u64>,
        },
        /// Takes a step back.
        Undo as "undo" { id: Value },
        /// Makes it again.
        Redo as "redo" { id: Value },
        /// Writes what is not saved. With `file` and `anew`: a file that is missing. With `as`: a copy of `file`
        /// beside it, under a name that is free; without `file` of the rig itself.
        Save as "save" { id: Value, file: Option<String>, copy as "as": Option<String>, anew: bool = false },
        /// Another drawing. Without `names`: what art of the rig is what in it, `replacement`. With them: it is written
        /// beside the rig, under its name or the next free one, and the art gets these names, as one step.
        Replace as "replace" {
            id: Value, name: String, text: String, names: Option<BTreeMap<String, String>>,
        },
        /// The rigs and drawings of the folder of the rig: `folder`.
        Folder as "folder" { id: Value },
        /// Opens one of them on a page of its own, a drawing with the rig beside it, which is made if there is none:
        /// `opened`. With `text` it is a new drawing, written under its name or the next one that is free.
        Open as "open" { id: Value, name: String, text: Option<String> },
        /// Stops writing after each step, or goes on with it.
        Hold as "hold" { id: Value, on: bool = true },
        /// Ends a conflict.
        Resolve as "resolve" { id: Value, file: String, keep: ConflictSide },
        /// Changes weights: `set` gives `bone` shares at vertices (`art` is `binding` of `weights`, path and
        /// vertex are counted as there), `smooth` smooths (`times`, `strength`), `mirror` copies to the other
        /// side (`from`: `left`, `right`). With `gesture` several bindings are one step.
        Paint as "paint" { id: Value, brush: Brush, gesture: Option<String>, base: Option<u64> },
        /// Makes the steps that an earlier run did not save, or drops them.
        Journal as "journal" { id: Value, take: bool = false },
        /// What uses a name: `dependants`. `of` is `bone`, `art`, `constraint`, `clip` or `shot`.
        Dependants as "dependants" { id: Value, of: Named, name: String },
        /// The text of a file: `text`.
        Text as "text" { id: Value, file: String },
        /// A sound that a clip names, as a binary message with this seq, or `refused`.
        Sound as "sound" { id: Value, seq: u32, file: String },
        /// What is selected now, for an editor that is in step with the page.
        Select as "select" { of: Option<Named>, name: String = String::new(), clip: Option<String>, time: Option<f64> },
        /// The files of all frames that can be written: `formats`.
        Formats as "formats" { id: Value },
        /// Renders in a process of its own: `progress`, `exported`.
        Export as "export" {
            id: Value, output: String, args: Vec<String> = Vec::new(), replace: bool = false,
        },
        /// Ends an export.
        Stop as "stop" { id: Value },
    }
}

impl Wire for GrabWish {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        "GrabWish".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        Self::read_message(value.as_object().ok_or_else(Reason::new)?, "grab")
    }

    fn json(&self) -> Value {
        self.message()
    }
}

impl Request {
    /// Reads a message of a page.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(message: &Value) -> Result<Self, Reason> {
        let object = message.as_object().ok_or("a message is an object with the field `t`")?;
        Self::read_message(object, "message")
    }

    /// Whether an engine answers it. The engine hands those of gestures that it did not begin to the document.
    pub(crate) fn is_for_engine(&self) -> bool {
        match self {
            Self::Commit { gesture, .. } | Self::Cancel { gesture, .. } => gesture.is_some(),
            Self::Edit { .. } | Self::Paint { .. } | Self::Undo { .. } | Self::Redo { .. } => false,
            Self::Save { .. } | Self::Hold { .. } | Self::Resolve { .. } | Self::Journal { .. } => false,
            Self::Dependants { .. }
            | Self::Text { .. }
            | Self::Sound { .. }
            | Self::Select { .. }
            | Self::Export { .. }
            | Self::Stop { .. } => false,
            Self::Formats { .. } | Self::Replace { .. } | Self::Folder { .. } | Self::Open { .. } => false,
            _ => true,
        }
    }

    /// The message that makes the same all the same: without a name, and without fields that have no value.
    pub(crate) fn again(&self) -> Value {
        let mut message = self.message();
        if let Some(fields) = message.as_object_mut() {
            fields.retain(|name, value| !value.is_null() && !["id", "base"].contains(&name.as_str()));
        }
        message
    }
}
