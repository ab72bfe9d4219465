//! What the server sends, besides pictures.

use std::collections::BTreeMap;

use bone_core::clip::Ease;
use bone_format::session::{DocPath, DocValue, Named};
use kurbo::Point;
use serde_json::{Value, json};

use crate::describe::{ArtFacts, BoneFacts, ClipFacts, Constraint, Findings};
use crate::message::{JsonObject, Maybe, Reason, Wire};
use crate::server::pose::{ChannelState, Channels};
use crate::server::rows::{PropertyFacts, SliderFacts};

/// A place, the share of the bone there, and the number of the vertex.
pub(crate) type WeightPoint = (f64, f64, f64, usize);

value_type!(WeightPoint, "a vertex", "number[]", |_| None, |it| json!(it));

/// The state as it is sent: all fields of [`Facts`] and of [`Scene`].
#[derive(Clone, Debug, Default)]
pub(crate) struct WholeState(pub(crate) JsonObject);

impl Wire for WholeState {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        "State".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        value.as_object().cloned().map(Self).ok_or_else(Reason::new)
    }

    fn json(&self) -> Value {
        self.0.clone().into()
    }

    fn put(&self, _: &str, object: &mut JsonObject) {
        object.extend(self.0.clone());
    }

    #[cfg(test)]
    fn describe(_: &'static str, all: &mut Vec<crate::message::FieldText>) {
        Facts::describe("", all);
        Scene::describe("", all);
    }
}

messages! {
    /// A key: its time, value and ease.
    record TrackKey { time as "t": f64, value as "v": DocValue, ease: Value }
    /// A channel of a clip, with its keys.
    record Track { path: DocPath, ease: Value, extend: Value, keys: Vec<TrackKey> }
    /// A clip or a shot; `hidden` are the actors that are not there in it, `sounds_at` where its sounds are written, null
    /// of those of other clips.
    record Clip {
        facts: ClipFacts, editable: bool, half: Option<String>, tracks: Vec<Track>, parts: Vec<ShotPart>,
        hidden: Vec<String>, sounds_at: Vec<Option<DocPath>>,
    }
    /// A bone at rest.
    record Bone {
        facts: BoneFacts, from: Point, to: Point, form: Vec<String>, held: Vec<String>, mirror: Option<String>,
        volume: f64,
    }
    /// An element of the drawing, and whether any bone moves it.
    record Art { facts: ArtFacts, moves: bool }
    /// A constraint, a spring or a driver: where it is written, its strength if it has one, and its text.
    record RuleFacts {
        at: DocPath, kind: String, name: Option<String>, bones: Vec<String>, mix: Option<f64>, text: String,
    }
    /// An outfit, and the place that it has among those that the rig wears.
    record OutfitFacts { name: String, group: Option<String>, worn: Option<usize> }
    /// An input of a state machine: `number`, `flag` or `trigger`; its value before it is set, and the numbers
    /// between which what reads it changes.
    record MachineKnob { name: String, kind: String, rest: f64, range: [f64; 2] }
    /// A state: its clips, each at its place if inputs choose between them.
    record StateBox {
        name: String, clips: Vec<String>, at: Vec<Point>, by: Vec<String>, sync: Option<bool>, speed: f64,
    }
    /// What has to hold: `fired`, `is` (1 or 0), `above` and `below` of an input, `ended`, `after` so many seconds.
    record StateCondition { kind: String, input: Option<String>, value: f64 }
    /// What leads from a state, or from any other, to a state.
    record StateArrow { from: Option<String>, to: String, when: Vec<StateCondition>, fade: f64 }
    /// A layer of a machine: where it is written, the bones that it moves, the state in which it begins.
    record StatesFacts {
        at: DocPath, bones: Vec<String>, add: bool, start: String, states: Vec<StateBox>, arrows: Vec<StateArrow>,
    }
    /// A state machine.
    record MachineFacts { name: String, inputs: Vec<MachineKnob>, layers: Vec<StatesFacts> }
    /// A file of the rig.
    record RigFile {
        name: String, role: String, changed: bool, writable: bool, conflict: Option<String>, missing: bool,
    }
    /// What an earlier run did not save, with the time of its last step in seconds since 1970.
    record Lost { since: u64, steps: Vec<String> }
    /// The parts of the state that need a rig without errors.
    part Scene {
        size: [f64; 2], canvas: [f64; 4], fps: f64, bones: Vec<Bone>, art: Vec<Art>,
        constraints: Vec<Constraint>, rules: Vec<RuleFacts>, sliders: Vec<SliderFacts>, outfits: Vec<OutfitFacts>,
        machines: Vec<MachineFacts>, scene: bool, actors: Vec<ActorFacts>, clips: BTreeMap<String, Clip>, order: Vec<String>,
    }
    /// All other parts of the state.
    part Facts {
        rig: String, hold: bool, files: Vec<RigFile>, good: bool, good_rev: u64, findings: Findings,
        undo: Vec<String>, redo: Option<String>, journal: Option<Lost>, journal_off: Option<String>,
        eases: Vec<Ease>, properties: BTreeMap<String, Vec<PropertyFacts>>,
    }
    /// Both values of what an edit would overwrite. A side that has no such value is null.
    record OvertakenPlace {
        at: String, file: String, was: Option<String>, mine: Option<String>, theirs: Option<String>,
    }
    /// A place that two programs changed.
    record ConflictPlace { at: String, base: Option<String>, ours: Option<String>, theirs: Option<String> }
    /// A bone at a place; `part` is `joint`, `tip` or `body`.
    record HitBone { name: String, part: String }
    /// Art at a place.
    record HitArt { art: String, id: Option<String>, label: Option<String>, address: String }
    /// A path that bends: place, share of the bone and number of each vertex.
    record WeightPath { art: Option<String>, binding: Vec<String>, path: usize, points: Vec<WeightPoint> }
    /// Art, and what it is called in another drawing.
    record ReplacedArt { from: String, to: Option<String> }
    /// A part of a shot: where it is written, the actor that plays it, its clip, where it begins, and its numbers as they
    /// are written. Of a film it is a shot.
    record ShotPart {
        at: DocPath, of: Option<String>, clip: String, start: f64, length: f64, fade: f64, repeat: Option<f64>,
        typed: Option<f64>, from: f64, speed: f64,
    }
    /// An actor of a scene; `shots` are those that say what it does.
    record ActorFacts {
        name: String, rig: String, scale: f64, behind: Option<String>, on: Option<String>, clip: Option<String>,
        speed: f64, shots: Vec<String>,
    }
    /// A stroke of a brush on weights: what it adds to the bone, or without one how far it evens out.
    record WeightStroke { bone: Option<String>, much: f64, width: f64 }
    /// A binding that bends: its strokes; null where weights are typed.
    record WeightBinding { art: Vec<String>, strokes: Option<Vec<WeightStroke>> }
    /// A file that two programs changed.
    part ConflictNote { file: String, why: String, places: Vec<ConflictPlace> }
    /// A file that is gone; `text` is whether the rig is written in it.
    part MissingNote { file: String, text: bool, why: String, help: Vec<String> }

    /// A message of the server.
    union Reply by "t" {
        /// The whole state: on connection, and whenever much has changed.
        State as "state" { rev: u64, state: WholeState },
        /// What changed of the state, clips one by one (null: it is gone), art by its place in the list, which may
        /// grow. `by` is `you`, `other` (another tab), `disk`, `save` or `engine`.
        Delta as "delta" { rev: u64, by: String, title: String, changed: Value },
        /// What is posed; a picture follows if one was asked for. `seen` has the corners of what the camera shows,
        /// `states` the state of each layer of the machine that plays.
        Posed as "posed" {
            seq: u32, rev: u64, clip: Option<String>, time: f64, size: [u32; 2], stale: bool, to_picture: [f64; 6],
            bones: Vec<[f64; 5]>, pose: BTreeMap<String, Channels>, goals: BTreeMap<String, Point>,
            moved_goals: BTreeMap<String, Point>, values: BTreeMap<String, BTreeMap<String, ChannelState>>,
            of_art: BTreeMap<String, BTreeMap<String, ChannelState>>, of_filters: BTreeMap<String, BTreeMap<String, ChannelState>>,
            sliders: BTreeMap<String, ChannelState>,
            camera: BTreeMap<String, ChannelState>, seen: Option<[f64; 8]>, statuses: Vec<String>, reach: Option<f64>, held: Vec<String>, setup: Maybe<Option<f64>>,
            states: Vec<String>,
        },
        /// A picture cannot be drawn.
        Failed as "failed" { seq: Value, why: String },
        /// A gesture ended: another program deleted what it holds.
        Ended as "ended" { gesture: String, why: String },
        /// A request is carried out.
        Done as "done" { id: Value, rev: u64 },
        /// It is not carried out.
        Refused as "refused" { id: Value, why: String, help: Vec<String> },
        /// It would overwrite what another program or page changed; `again` makes it all the same.
        Overtaken as "overtaken" {
            id: Value, rev: u64, why: String, help: Vec<String>, places: Vec<OvertakenPlace>, again: Value,
        },
        /// A message could not be read.
        Error as "error" { why: String },
        /// The cursor of an editor went there.
        Select as "select" { of: Option<Named>, name: String, clip: Option<String>, time: Option<f64> },
        /// What is at a place.
        Hit as "hit" { seq: u32, bone: Option<HitBone>, art: Option<HitArt> },
        /// The middle of the art across a place, if one is near.
        Snap as "snap" { seq: u32, at: Option<Point> },
        /// What uses a name.
        Dependants as "dependants" { id: Value, paths: Vec<String> },
        /// The art that the rig names with its name in another drawing, or null, and all art of that drawing.
        Replacement as "replacement" { id: Value, art: Vec<ReplacedArt>, names: Vec<String> },
        /// The values of bones.
        Copied as "copied" { id: Value, values: BTreeMap<String, Channels> },
        /// Samples of channels: for each of them a list of values for each of its numbers.
        Curve as "curve" { seq: u32, times: Vec<f64>, values: Vec<Vec<Vec<f64>>> },
        /// The shares of a bone.
        Weights as "weights" {
            seq: u32, bone: String, bindings: Vec<WeightBinding>, paths: Vec<WeightPath>,
        },
        /// Where the tip of a bone is over a stretch of time.
        Trail as "trail" { seq: u32, bone: String, times: Vec<f64>, points: Vec<Point> },
        /// The posed drawing.
        Svg as "svg" { id: Value, text: String },
        /// The text of a file, and that of another program if both are in conflict.
        Text as "text" { id: Value, file: String, text: Option<String>, outside: Option<String> },
        /// A new picture can be asked for: that of the last one was older.
        Fresh as "fresh" { rev: u64 },
        /// A file cannot be written.
        Unsaved as "unsaved" { rev: u64, file: String, why: String, help: Vec<String> },
        /// A file has another name, and is followed.
        Followed as "followed" { file: String, now: String, why: String },
        /// A file is gone.
        Missing as "missing" { note: MissingNote },
        /// A file was changed by the page and by another program.
        Conflict as "conflict" { note: ConflictNote },
        /// Files of all frames: what comes behind the name of a clip, what the page shows, options.
        Formats as "formats" { id: Value, formats: Value },
        /// The rigs and the drawings of the folder.
        Folder as "folder" { id: Value, rigs: Vec<String>, drawings: Vec<String> },
        /// The address of the page of another rig.
        Opened as "opened" { id: Value, address: String },
        /// A line of an export.
        Progress as "progress" { id: String, line: String, done: Value, total: Value },
        /// An export ended; `code` is null if it was stopped, `why` its last line that is no progress.
        Exported as "exported" { id: String, code: Option<i32>, output: String, why: Option<String> },
        /// A step takes longer than 200 ms (`weights`), or has ended (null).
        Busy as "busy" { what: Option<String> },
        /// How files are watched: `events`, or `polling` with the reason.
        Watch as "watch" { how: String, why: Maybe<String> },
        /// The server ends.
        Bye as "bye" {},
    }
}

impl Reply {
    /// The answer to a message that cannot be carried out, from the reason.
    pub(crate) fn failure(message: &Value) -> impl Fn(Reason) -> Self + Send + use<> {
        let field = |name: &str| message.get(name).cloned();
        let (seq, id) = (field("seq"), field("id"));
        move |why| match (&seq, &id) {
            (Some(seq), _) => Self::Failed { seq: seq.clone(), why },
            (None, Some(id)) => Self::Refused { id: id.clone(), why, help: Vec::new() },
            (None, None) => Self::Error { why },
        }
    }
}
