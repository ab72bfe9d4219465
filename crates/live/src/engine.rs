//! The engine of a connection: a thread that poses, drags and draws. It has an `Arc` of the rig, so it never
//! waits for edits, and edits never wait for it.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bone_core::constraint::{AttachmentPoint, ConstraintStatus};
use bone_core::{BoneId, Pose};
use kurbo::{Affine, ParamCurveNearest as _, Point};
use render::{
    Background, Compress, FrameOptions, FrameSize, Pixmap, PngEncoder, Viewport, composite_over, tint,
};
use rig::{BoneMotion, FrameState, Handle, Rig, RigClip};
use rig_format::doc::RigDoc;
use serde_json::{Value, json};

use crate::document::{DocumentSender, ToDocument};
use crate::pose::{Channels, PoseValues, keys, sample, shown};
use crate::socket::Outbox;
use crate::state::Published;
use crate::value::{Fields, Reason};

/// Requests for pictures while a clip plays: so many wait.
const MOST_PLAYING: usize = 3;
/// Requests that wait; a page that sends more is disconnected.
const MOST_WAITING: usize = 4096;
/// A picture has at most so many pixels.
const MOST_PIXELS: u64 = 64_000_000;
/// A point is where it shall be if it is no farther away, in canvas units.
const REACHED: f64 = 0.5;
/// The squares behind transparent art: their side in pixels, and their colours.
const CHECKER: (u32, [u8; 2]) = (8, [255, 224]);
/// The most samples of a curve.
const MOST_SAMPLES: usize = 10_000;

/// The engines of all connections.
#[derive(Default)]
pub(crate) struct Engines {
    published: Mutex<Published>,
    queues: Mutex<BTreeMap<u64, Arc<EngineQueue>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engines {
    /// What all of them draw from now on.
    pub(crate) fn publish(&self, published: &Published) {
        *lock(&self.published) = published.clone();
    }

    /// The queue of a new connection.
    pub(crate) fn open(&self, client: u64) -> Arc<EngineQueue> {
        let queue = Arc::new(EngineQueue::default());
        lock(&self.queues).insert(client, Arc::clone(&queue));
        queue
    }

    pub(crate) fn close(&self, client: u64) {
        if let Some(queue) = lock(&self.queues).remove(&client) {
            queue.close();
        }
    }
}

/// The messages of a page for its engine.
#[derive(Default)]
pub(crate) struct EngineQueue {
    waiting: Mutex<(VecDeque<Value>, bool)>,
    changed: Condvar,
}

impl EngineQueue {
    /// Adds a message; false if too many wait.
    pub(crate) fn push(&self, message: Value) -> bool {
        let mut waiting = lock(&self.waiting);
        let list = &mut waiting.0;
        if kind(&message) == "frame" {
            let is_playing = message.get("play").and_then(Value::as_bool).unwrap_or(false);
            if is_playing {
                let count = list.iter().filter(|one| kind(one) == "frame").count();
                if count >= MOST_PLAYING {
                    let oldest = list.iter().position(|one| kind(one) == "frame");
                    oldest.and_then(|at| list.remove(at));
                }
            } else {
                list.retain(|one| kind(one) != "frame");
            }
        }
        list.push_back(message);
        let fits = list.len() <= MOST_WAITING;
        self.changed.notify_one();
        fits
    }

    fn close(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.1 = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<Value> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.1 {
                return None;
            }
            if let Some(next) = waiting.0.pop_front() {
                return Some(next);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether a later drag of a gesture waits, so that an earlier one need not be drawn.
    fn has_later_drag(&self) -> bool {
        lock(&self.waiting).0.iter().any(|message| matches!(kind(message), "drag" | "cancel"))
    }
}

fn kind(message: &Value) -> &str {
    message.get("t").and_then(Value::as_str).unwrap_or_default()
}

/// The messages that an engine answers.
pub(crate) fn is_for_engine(message: &Value) -> bool {
    let gesture = message.get("gesture").is_some_and(|gesture| !gesture.is_null());
    match kind(message) {
        "frame" | "begin" | "drag" | "hit" | "copy" | "paste" | "key" | "curve" | "weights" | "svg"
        | "png" => true,
        // The engine hands those of gestures that it did not begin to the document.
        "commit" | "cancel" => gesture,
        _ => false,
    }
}

/// What a pointer holds.
#[derive(Clone, Debug)]
enum Grab {
    Bone { bone: String, grip: Point, motion: BoneMotion },
    Tip { bone: String, point: AttachmentPoint, by: kurbo::Vec2 },
    Goal { name: String },
    Place { bone: String, end: SetupEnd, from: Point, to: Point, at: Point, carry: bool },
    Limit { bone: String, end: usize },
    Region { bone: String, end: usize },
}

/// What is moved of a bone at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SetupEnd {
    Joint,
    Tip,
    Both,
}

/// A drag from press to release.
struct Gesture {
    name: String,
    clip: Option<String>,
    time: f64,
    grab: Grab,
    /// What was set when it began.
    start: PoseValues,
    values: PoseValues,
    /// The place of the pointer.
    to: Option<Point>,
    /// A value in the setup: an angle or a radius.
    setup: Option<f64>,
}

/// What is drawn, and how.
struct Picture {
    size: FrameSize,
    view: Option<[f64; 4]>,
    paper: Paper,
    onion: Option<OnionSkin>,
}

#[derive(Clone, Copy)]
enum Paper {
    Checker,
    Colour(Background),
    None,
}

struct OnionSkin {
    before: usize,
    after: usize,
    step: usize,
    opacity: f64,
    keys: bool,
    /// The times of all keys of bones, in order.
    key_times: Vec<f64>,
}

pub(crate) struct Engine {
    client: u64,
    engines: Arc<Engines>,
    queue: Arc<EngineQueue>,
    outbox: Arc<Outbox>,
    document: DocumentSender,
    /// What is drawn. It is behind what was published while secondary motion is baked.
    published: Published,
    is_behind: bool,
    /// The clip that was drawn last, and the rig whose secondary motion is being baked for it.
    last_clip: Option<String>,
    baking: Option<Arc<Rig>>,
    state: Option<FrameState>,
    pixmap: Option<Pixmap>,
    encoder: PngEncoder,
    gesture: Option<Gesture>,
}

impl Engine {
    pub(crate) fn new(
        client: u64,
        engines: Arc<Engines>,
        queue: Arc<EngineQueue>,
        outbox: Arc<Outbox>,
        document: DocumentSender,
    ) -> Self {
        Self {
            client,
            engines,
            queue,
            outbox,
            document,
            published: Published::default(),
            is_behind: false,
            last_clip: None,
            baking: None,
            state: None,
            pixmap: None,
            encoder: PngEncoder::new(),
            gesture: None,
        }
    }

    /// Answers messages until the connection ends.
    pub(crate) fn run(mut self) {
        while let Some(message) = self.queue.next() {
            let done = catch_unwind(AssertUnwindSafe(|| self.answer(&message)));
            let why = match done {
                Ok(Ok(())) => continue,
                Ok(Err(why)) => why,
                Err(_) => {
                    self.state = None;
                    self.gesture = None;
                    "the engine failed: this is a fault of the program".to_owned()
                }
            };
            let seq = message.get("seq");
            let answer = match (seq, message.get("id")) {
                (Some(seq), _) => json!({ "t": "failed", "seq": seq, "why": why }),
                (None, Some(id)) => json!({ "t": "refused", "id": id, "why": why, "help": [] }),
                (None, None) => json!({ "t": "error", "why": why }),
            };
            self.outbox.send(&answer);
        }
    }

    fn answer(&mut self, message: &Value) -> Result<(), Reason> {
        self.follow();
        let fields = Fields::of(message)?;
        match kind(message) {
            "frame" => self.frame(fields),
            "begin" => self.begin(fields),
            "drag" => self.drag(fields),
            "commit" | "cancel" => self.end(fields, message),
            "hit" => self.hit(fields),
            "copy" => self.copy(fields),
            "paste" | "key" => self.key(fields),
            "curve" => self.curve(fields),
            "weights" => self.weights(fields),
            "svg" => self.svg(fields),
            "png" => self.png(fields),
            _ => Ok(()),
        }
    }

    /// Takes what the document published last.
    fn follow(&mut self) {
        let published = lock(&self.engines.published).clone();
        let is_same = match (&self.published.rig, &published.rig) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            _ => false,
        };
        self.is_behind = !is_same && self.waits_for_springs(&published);
        if self.is_behind {
            return;
        }
        if !is_same {
            match (&mut self.state, &published.rig) {
                (Some(state), Some(rig)) => state.renew(rig),
                (state, rig) => *state = rig.as_ref().map(|rig| FrameState::new(rig)),
            }
        }
        self.published = published;
    }

    /// Whether the secondary motion of the clip that is shown is still to be baked for another rig. A thread
    /// does it, and the rig that is drawn stays meanwhile, if it has the same bones.
    fn waits_for_springs(&mut self, published: &Published) -> bool {
        let (Some(old), Some(new)) = (&self.published.rig, &published.rig) else { return false };
        let names = |rig: &Rig| -> Vec<String> {
            rig.skeleton().bones().map(|bone| rig.skeleton().name(bone).to_owned()).collect()
        };
        let Some(name) = self.last_clip.clone() else { return false };
        let needs =
            |rig: &Rig| !rig.springs().is_empty() && rig.clip(&name).is_some_and(|clip| !clip.is_baked());
        if !needs(new) || needs(old) || old.clip(&name).is_none() || names(old) != names(new) {
            return false;
        }
        if self.baking.as_ref().is_none_or(|baking| !Arc::ptr_eq(baking, new)) {
            self.baking = Some(Arc::clone(new));
            let (rig, outbox, rev) = (Arc::clone(new), Arc::clone(&self.outbox), published.rev);
            std::thread::spawn(move || {
                let mut state = FrameState::new(&rig);
                // The first pose of a clip bakes it. The clip is of this rig.
                let _ = rig.pose(rig.clip(&name), 0.0, &mut state);
                outbox.send(&json!({ "t": "fresh", "rev": rev }));
            });
        }
        true
    }

    /// The rig, its document and the memory for its frames.
    fn rig(&mut self) -> Result<(Arc<Rig>, Arc<RigDoc>, &mut FrameState), Reason> {
        match (&self.published.rig, &self.published.doc, &mut self.state) {
            (Some(rig), Some(doc), Some(state)) => Ok((Arc::clone(rig), Arc::clone(doc), state)),
            _ => Err("the rig has mistakes, so there is nothing to show yet".to_owned()),
        }
    }

    fn frame(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let (name, time) = (fields.maybe_text("clip")?, fields.number("time")?);
        self.last_clip = name.map(str::to_owned);
        let values = PoseValues::read(fields)?;
        let mut picture = picture(fields)?;
        let (rig, doc, state) = self.rig()?;
        if let (Some(onion), Some(name)) = (&mut picture.onion, name) {
            onion.key_times = key_times(&doc, name);
        }
        let clip = clip(&rig, name)?;
        let overrides = values.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        let draw = fields.flag("picture", true)?;
        let moment = (clip, time);
        self.show(seq, fields, moment, &values, &picture, draw, None)
    }

    /// Sends what is posed, and its picture.
    #[allow(clippy::too_many_arguments, reason = "a picture and what belongs to it")]
    fn show(
        &mut self,
        seq: u32,
        fields: Fields<'_>,
        (clip, time): (Option<&RigClip>, f64),
        values: &PoseValues,
        picture: &Picture,
        draw: bool,
        extra: Option<Value>,
    ) -> Result<(), Reason> {
        let asked = fields.texts("values")?;
        let rev = self.published.rev;
        let stale = self.is_behind || rev != self.published.good_rev;
        let (rig, doc, state) = self.rig()?;
        let skeleton = rig.skeleton();
        let (world, pose) = (state.world(), state.driven());
        let bone = |bone: BoneId| {
            let (from, to) = (world.origin(bone), world.tip(skeleton, pose, bone));
            json!([from.x, from.y, to.x, to.y, world.angle(bone).degrees()])
        };
        let view = viewport(&rig, picture);
        let to_picture = view.transform * rig.posable().drawing().canvas_to_output();
        let statuses = state.statuses().iter().map(|status| match status {
            ConstraintStatus::Met => "met",
            ConstraintStatus::Nearest => "nearest",
            ConstraintStatus::Off => "off",
            _ => "ignored",
        });
        let mut message = json!({
            "t": "posed", "seq": seq, "rev": rev, "clip": clip.map(RigClip::name), "time": time,
            "size": [picture.size.width(), picture.size.height()],
            "stale": stale,
            "to_picture": to_picture.as_coeffs(),
            "bones": skeleton.bones().map(bone).collect::<Vec<_>>(),
            "pose": values.bones_json(),
            "goals": goals(&rig, values),
            "moved_goals": values.goals_json(),
            "statuses": statuses.collect::<Vec<_>>(),
            "values": shown((&rig, &doc), clip, time, &asked, values, state.pose()),
            "reach": null, "held": [],
        });
        if let (Some(Value::Object(extra)), Some(message)) = (extra, message.as_object_mut()) {
            message.extend(extra);
        }
        if !draw {
            self.outbox.send(&message);
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.draw(&rig, (clip, time), picture, view, &mut bytes)?;
        let mut out = Vec::with_capacity(bytes.len() + 16);
        out.extend_from_slice(&seq.to_le_bytes());
        out.extend_from_slice(&u32::try_from(rev).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(&time.to_le_bytes());
        out.extend_from_slice(&bytes);
        self.outbox.send_both(&message, out);
        Ok(())
    }

    /// Draws what is posed, as a PNG.
    fn draw(
        &mut self,
        rig: &Rig,
        (clip, time): (Option<&RigClip>, f64),
        picture: &Picture,
        view: Viewport,
        png: &mut Vec<u8>,
    ) -> Result<(), Reason> {
        let size = picture.size;
        let known =
            self.pixmap.take().filter(|it| (it.width(), it.height()) == (size.width(), size.height()));
        let mut pixmap = match known {
            Some(pixmap) => pixmap,
            None => Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the picture")?,
        };
        let state = self.state.as_mut().ok_or("there is no rig")?;
        let drawn = match &picture.onion {
            Some(onion) => draw_onion(rig, state, (clip, time), picture, onion, &mut pixmap),
            None => {
                rig.draw_into(state, &view, pixmap.data_mut()).map(drop).map_err(|error| error.to_string())
            }
        };
        if drawn.is_ok() && matches!(picture.paper, Paper::Checker) {
            checker(&mut pixmap);
        }
        let drawn = drawn.and_then(|()| {
            self.encoder.encode(&pixmap, Compress::Fast, png).map_err(|error| error.to_string())
        });
        self.pixmap = Some(pixmap);
        drawn
    }

    fn begin(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let name = fields.text("gesture")?.to_owned();
        let (clip_name, time) = (fields.maybe_text("clip")?, fields.maybe_number("time")?.unwrap_or(0.0));
        let start = PoseValues::read(fields)?;
        let grab = fields.object("grab")?.ok_or_else(|| "`grab` must be an object".to_owned())?;
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, clip_name)?;
        let overrides = start.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        let grab = self::grab(grab, &rig, state, clip_name.is_none())?;
        self.gesture = Some(Gesture {
            name,
            clip: clip_name.map(str::to_owned),
            time,
            grab,
            values: start.clone(),
            start,
            to: None,
            setup: None,
        });
        Ok(())
    }

    fn drag(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let to = fields.point("to")?;
        let chain = fields.count("chain")?;
        let picture = picture(fields)?;
        let name = fields.text("gesture")?;
        let Some(mut gesture) = self.gesture.take().filter(|gesture| gesture.name == name) else {
            return Err(format!("there is no gesture \"{name}\""));
        };
        let dragged = self.move_to(&mut gesture, to, chain);
        // What cannot be moved stays, and the gesture goes on.
        let (reach, held) = match &dragged {
            Ok(at) => (at.map(|at| at.distance(to)).filter(|missed| *missed > REACHED), None),
            Err(why) => (None, Some(why.clone())),
        };
        let later = self.queue.has_later_drag();
        let values = gesture.values.clone();
        let clip_name = gesture.clip.clone();
        let time = gesture.time;
        let bones = setup_bones(&gesture, self.published.rig.as_deref());
        let is_setup = bones.is_some();
        let setup = gesture.setup;
        self.gesture = Some(gesture);
        if later {
            return Ok(());
        }
        let mut extra = json!({ "reach": reach, "held": held.into_iter().collect::<Vec<_>>() });
        if let (Some(bones), Some(extra)) = (bones, extra.as_object_mut()) {
            extra.insert("bones".to_owned(), bones);
            extra.insert("setup".to_owned(), json!(setup));
        }
        let (rig, _, _) = self.rig()?;
        let clip = clip(&rig, clip_name.as_deref())?;
        self.show(seq, fields, (clip, time), &values, &picture, !is_setup, Some(extra))
    }

    /// Moves what is held; where it is then, if it is a point.
    fn move_to(
        &mut self,
        gesture: &mut Gesture,
        to: Point,
        chain: Option<usize>,
    ) -> Result<Option<Point>, Reason> {
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let time = gesture.time;
        gesture.to = Some(to);
        let sampled = sample(&rig, clip, time);
        let find = |name: &str| {
            rig.skeleton().find(name).ok_or_else(|| format!("bone \"{name}\" is not there any more"))
        };
        // Turns add up from drag to drag. All else depends on the place of the pointer alone, so that the way
        // to it does not matter.
        let from = match &gesture.grab {
            Grab::Bone { motion: BoneMotion::Rotate, .. } => &gesture.values,
            _ => &gesture.start,
        };
        let mut overrides = from.overrides(&rig, &sampled);
        let (handle, at) = match &gesture.grab {
            Grab::Bone { bone, grip, motion } => {
                (Handle::Bone { bone: find(bone)?, grip: *grip, motion: *motion }, to)
            }
            Grab::Tip { bone, point, by } => {
                let chain = chain.unwrap_or(2).clamp(1, 100);
                (Handle::Tip { bone: find(bone)?, point: *point, chain }, to + *by)
            }
            Grab::Goal { name } => {
                gesture.values.goals.insert(name.clone(), to);
                let overrides = gesture.values.overrides(&rig, &sampled);
                rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
                return Ok(None);
            }
            Grab::Place { .. } => return Ok(None),
            Grab::Limit { bone, .. } => {
                let bone = find(bone)?;
                let skeleton = rig.skeleton();
                let direction = to - skeleton.setup_origin(bone);
                let angle = bone_core::Angle::of(direction) - skeleton.setup_angle(bone);
                gesture.setup = Some(angle.nearest_to(bone_core::Angle::ZERO).degrees());
                return Ok(None);
            }
            Grab::Region { bone, end } => {
                let bone = find(bone)?;
                let skeleton = rig.skeleton();
                let centre = if *end == 0 { skeleton.setup_origin(bone) } else { skeleton.setup_tip(bone) };
                gesture.setup = Some(centre.distance(to));
                return Ok(None);
            }
        };
        let dragged = rig.drag(clip, time, &mut overrides, handle, at, state);
        // The target of a constraint is keyed by its name.
        let unnamed = overrides.constraints.iter().find(|(index, value)| {
            value.place.is_some() && rig.constraints().nth(*index).is_none_or(|(rule, _)| rule.name.is_none())
        });
        if let Some((index, _)) = unnamed {
            let before = gesture.values.overrides(&rig, &sampled);
            rig.pose_with(clip, time, &before, state).map_err(|error| error.to_string())?;
            return Err(format!(
                "constraint {} holds it, and has no name: name it to key its target",
                index + 1
            ));
        }
        gesture.values = PoseValues::of_overrides(&rig, &sampled, &overrides);
        match (dragged, &gesture.grab) {
            (Ok(grip), Grab::Bone { bone, motion: BoneMotion::Rotate, .. }) => {
                // The grip lies in the direction of the pointer, unless something else turns the bone.
                let joint = state.world().origin(find(bone)?);
                let missed =
                    bone_core::Angle::of(grip - joint).degrees() - bone_core::Angle::of(to - joint).degrees();
                let missed = missed.rem_euclid(360.0);
                match holders(&rig, find(bone)?) {
                    Some(rules) if missed > 1.0 && missed < 359.0 => Err(rules),
                    _ => Ok(None),
                }
            }
            (Ok(place), Grab::Tip { by, .. }) => Ok(Some(place - *by)),
            (Ok(_), _) => Ok(None),
            (Err(error), _) => Err(error.to_string()),
        }
    }

    /// Ends a gesture.
    fn end(&mut self, fields: Fields<'_>, message: &Value) -> Result<(), Reason> {
        let name = fields.text("gesture")?;
        let Some(gesture) = self.gesture.take_if(|gesture| gesture.name == name) else {
            self.document.send(ToDocument::Request { client: self.client, message: message.clone() });
            return Ok(());
        };
        if kind(message) == "cancel" {
            return Ok(());
        }
        let id = fields.get("id").cloned().unwrap_or(Value::Null);
        let scale = fields.maybe_number("scale")?.unwrap_or(1.0);
        let wants_keys = fields.flag("key", true)?;
        let done = json!({ "t": "done", "id": id, "rev": self.published.rev });
        if gesture.to.is_none() {
            self.outbox.send(&done);
            return Ok(());
        }
        let (rig, doc, _) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let (title, ops) = match clip {
            None => setup_edit(&rig, &doc, &gesture)?,
            Some(clip) => {
                if !wants_keys {
                    self.outbox.send(&done);
                    return Ok(());
                }
                let changed = gesture.values.other_than(&gesture.start);
                (title(&gesture, &changed), keys((&rig, &doc), clip, gesture.time, &changed)?)
            }
        };
        if ops.is_empty() {
            self.outbox.send(&done);
            return Ok(());
        }
        self.document.send(ToDocument::Gesture { client: self.client, id, title, ops, scale });
        Ok(())
    }

    /// Poses a moment of a message.
    fn pose(&mut self, fields: Fields<'_>) -> Result<(Arc<Rig>, Arc<RigDoc>, PoseValues), Reason> {
        let (name, time) = (fields.maybe_text("clip")?, fields.maybe_number("time")?.unwrap_or(0.0));
        let values = PoseValues::read(fields)?;
        let (rig, doc, state) = self.rig()?;
        let clip = clip(&rig, name)?;
        let overrides = values.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        Ok((rig, doc, values))
    }

    fn hit(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let (at, reach) = (fields.point("at")?, fields.maybe_number("reach")?.unwrap_or(4.0).max(0.0));
        let (rig, _, _) = self.pose(fields)?;
        let Some(state) = &self.state else { return Ok(()) };
        let skeleton = rig.skeleton();
        let mut nearest: Option<(f64, &str, BoneId)> = None;
        for bone in skeleton.bones() {
            let (from, to) = (state.world().origin(bone), state.world().tip(skeleton, state.driven(), bone));
            let body = kurbo::Line::new(from, to).nearest(at, 1e-6).distance_sq.sqrt();
            // The tip and the joint come before the body where they are as near.
            let parts =
                [(to.distance(at), "tip"), (from.distance(at), "joint"), (body + 0.3 * reach, "body")];
            for (distance, part) in parts {
                let limit = if part == "body" { 1.3 * reach } else { reach };
                if distance <= limit && nearest.is_none_or(|(known, ..)| distance < known) {
                    nearest = Some((distance, part, bone));
                }
            }
        }
        let bone = nearest.map(|(_, part, bone)| json!({ "name": skeleton.name(bone), "part": part }));
        let hit = rig.hit_test(state, at, reach).and_then(|hit| hit.element);
        let art = hit.and_then(|id| {
            let element = rig.art().element(id)?;
            Some(
                json!({ "art": &*element.key, "id": element.id.as_deref(), "label": element.label.as_deref(),
                "address": rig.art().address(id) }),
            )
        });
        self.outbox.send(&json!({ "t": "hit", "seq": seq, "bone": bone, "art": art }));
        Ok(())
    }

    fn copy(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let id = fields.get("id").cloned().unwrap_or(Value::Null);
        let wanted = fields.texts("bones")?;
        let (rig, ..) = self.pose(fields)?;
        let Some(state) = &self.state else { return Ok(()) };
        let skeleton = rig.skeleton();
        let mut values = PoseValues::default();
        for bone in skeleton.bones() {
            let name = skeleton.name(bone);
            if wanted.is_empty() || wanted.contains(&name) {
                let pose = state.pose();
                let Some(own) = pose.bones.get(bone.index()) else { continue };
                values.bones.insert(name.to_owned(), Channels::of(own, &pose.setup(skeleton, bone)));
            }
        }
        self.outbox.send(&json!({ "t": "copied", "id": id, "values": values.bones_json() }));
        Ok(())
    }

    /// Keys bones as they are posed, or as they were copied.
    fn key(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let id = fields.get("id").cloned().unwrap_or(Value::Null);
        let name = fields.text("clip")?;
        let time = fields.number("time")?;
        let scale = fields.maybe_number("scale")?.unwrap_or(1.0);
        let (title, values) = if fields.text("t")? == "paste" {
            let mut copied = PoseValues::default();
            let given = fields.object("values")?.ok_or_else(|| "`values` must be an object".to_owned())?;
            copied.read_bones(given)?;
            let (rig, ..) = self.rig()?;
            copied.bones.retain(|name, _| rig.skeleton().find(name).is_some());
            let mirror = fields.flag("mirror", false)?;
            let title = if mirror { "Paste a mirrored pose" } else { "Paste a pose" };
            let values = if mirror { copied.mirrored(&rig) } else { copied };
            // What the clip has already needs no key.
            let sampled = sample(&rig, clip(&rig, Some(name))?, time);
            (title.to_owned(), of_clip(&rig, &sampled, &values))
        } else {
            let bones = fields.texts("bones")?;
            let channels = fields.texts("channels")?;
            let (rig, _, set) = self.pose(fields)?;
            let Some(state) = &self.state else { return Ok(()) };
            let skeleton = rig.skeleton();
            let mut values = PoseValues::default();
            for bone in &bones {
                let id = skeleton.find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
                let Some(own) = state.pose().bones.get(id.index()) else { continue };
                let all = Channels::of(own, &state.pose().setup(skeleton, id));
                // Without a list: those that are changed, else what most keys are, rotation.
                let changed = set
                    .bones
                    .get(*bone)
                    .copied()
                    .unwrap_or(Channels { rotate: Some(0.0), ..Channels::default() });
                let is_kept = |name: &str, is_changed: bool| {
                    if channels.is_empty() { is_changed } else { channels.contains(&name) }
                };
                let own = Channels {
                    rotate: all.rotate.filter(|_| is_kept("rotate", changed.rotate.is_some())),
                    shift: all.shift.filter(|_| is_kept("move", changed.shift.is_some())),
                    scale: all.scale.filter(|_| is_kept("scale", changed.scale.is_some())),
                    stretch: all.stretch.filter(|_| is_kept("stretch", changed.stretch.is_some())),
                };
                values.bones.insert((*bone).to_owned(), own);
            }
            values.goals = set.goals;
            ("Set keys".to_owned(), values)
        };
        let (rig, doc, _) = self.rig()?;
        let Some(clip) = clip(&rig, Some(name))? else { return Ok(()) };
        let ops = keys((&rig, &doc), clip, time, &values)?;
        if ops.is_empty() {
            self.outbox.send(&json!({ "t": "done", "id": id, "rev": self.published.rev }));
            return Ok(());
        }
        self.document.send(ToDocument::Gesture { client: self.client, id, title, ops, scale });
        Ok(())
    }

    /// Samples of a channel, for its curve.
    fn curve(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let path: Vec<&str> = fields.texts("path")?;
        let (from, to) = (fields.number("from")?, fields.number("to")?);
        let count = fields.count("count")?.unwrap_or(100).clamp(2, MOST_SAMPLES);
        let ["clips", name, "bones", bone, channel] = path.as_slice() else {
            return Err("only channels of bones have curves".to_owned());
        };
        let (rig, ..) = self.rig()?;
        let clip = clip(&rig, Some(name))?.ok_or("there is no clip")?;
        let skeleton = rig.skeleton();
        let id = skeleton.find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
        let (mut scratch, mut pose) = (Pose::new(skeleton), Pose::new(skeleton));
        let mut times = Vec::with_capacity(count);
        let mut values: Vec<Vec<f64>> = Vec::new();
        for at in 0..count {
            let time = from + (to - from) * at as f64 / (count - 1) as f64;
            rig.sample(clip, time, &mut scratch, &mut pose).map_err(|error| error.to_string())?;
            let own = pose.bones.get(id.index()).ok_or("there is no bone")?;
            let setup = pose.setup(skeleton, id);
            let numbers = match *channel {
                "rotate" => vec![(own.angle - setup.angle).degrees()],
                "angle" => vec![own.angle.degrees()],
                "move" => vec![own.origin.x - setup.origin.x, own.origin.y - setup.origin.y],
                "origin" => vec![own.origin.x, own.origin.y],
                "scale" => vec![own.scale.x, own.scale.y],
                "stretch" => vec![own.stretch],
                "setup_angle" => vec![setup.angle.degrees()],
                "setup_origin" => vec![setup.origin.x, setup.origin.y],
                other => return Err(format!("\"{other}\" has no curve")),
            };
            values.resize(numbers.len(), Vec::new());
            numbers.into_iter().zip(&mut values).for_each(|(number, list)| list.push(number));
            times.push(time);
        }
        self.outbox.send(&json!({ "t": "curve", "seq": seq, "times": times, "values": values }));
        Ok(())
    }

    /// The shares of a bone at the vertices of art that bends.
    fn weights(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let name = fields.text("bone")?;
        let wanted = fields.maybe_text("art")?;
        let (rig, doc, _) = self.rig()?;
        let (art, skeleton) = (rig.art(), rig.skeleton());
        let bone = skeleton.find(name).ok_or_else(|| format!("there is no bone \"{name}\""))?;
        let mut paths = Vec::new();
        for binding in doc.skin.iter().filter(|binding| wanted.is_none_or(|art| binding.is_of(art))) {
            for (index, path) in rig_format::weights_of(binding, (&doc, art), skeleton).iter().enumerate() {
                let vertices = path.lines.iter().flat_map(|line| line.vertices());
                let point =
                    |(number, (vertex, row)): (usize, (&skin::Vertex, &rig_format::edit::VertexWeights))| {
                        let share =
                            row.anchor.influences().iter().find(|(id, _)| *id == bone).map_or(0.0, |it| it.1);
                        json!([vertex.anchor.x, vertex.anchor.y, share, number])
                    };
                let points: Vec<Value> = vertices.zip(&path.rows).enumerate().map(point).collect();
                let element = path.art.element();
                paths.push(json!({
                    "art": art.element(element).map(|element| element.key.to_string()),
                    "binding": binding.names().iter().map(|name| name.value.as_str()).collect::<Vec<_>>(),
                    "path": index, "points": points,
                }));
            }
        }
        self.outbox.send(&json!({ "t": "weights", "seq": seq, "bone": name, "paths": paths }));
        Ok(())
    }

    fn svg(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let id = fields.get("id").cloned().unwrap_or(Value::Null);
        let (rig, ..) = self.pose(fields)?;
        let Some(state) = &mut self.state else { return Ok(()) };
        rig.write_svg(state);
        self.outbox.send(&json!({ "t": "svg", "id": id, "text": state.svg() }));
        Ok(())
    }

    fn png(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let picture = Picture { paper: Paper::None, onion: None, ..picture(fields)? };
        let (rig, ..) = self.pose(fields)?;
        let view = viewport(&rig, &picture);
        let mut bytes = Vec::new();
        self.draw(&rig, (None, 0.0), &picture, view, &mut bytes)?;
        let mut out = seq.to_le_bytes().to_vec();
        out.extend_from_slice(&u32::try_from(self.published.rev).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(&fields.maybe_number("time")?.unwrap_or(0.0).to_le_bytes());
        out.extend_from_slice(&bytes);
        self.outbox.send_bytes(out);
        Ok(())
    }
}

/// The values that differ from those of a clip.
fn of_clip(rig: &Rig, sampled: &Pose, values: &PoseValues) -> PoseValues {
    PoseValues::of_overrides(rig, sampled, &values.overrides(rig, sampled))
}

fn clip<'r>(rig: &'r Rig, name: Option<&str>) -> Result<Option<&'r RigClip>, Reason> {
    match name {
        None => Ok(None),
        Some(name) => rig.clip(name).map(Some).ok_or_else(|| format!("there is no clip \"{name}\"")),
    }
}

fn picture(fields: Fields<'_>) -> Result<Picture, Reason> {
    let sides: Vec<u32> = match fields.get("size") {
        None => vec![1, 1],
        Some(size) => size
            .as_array()
            .and_then(|list| list.iter().map(|side| u32::try_from(side.as_u64()?).ok()).collect())
            .ok_or_else(|| "`size` must be two whole numbers".to_owned())?,
    };
    let [width, height] = sides[..] else { return Err("`size` must be two whole numbers".to_owned()) };
    let size = FrameSize::new(width, height).map_err(|error| error.to_string())?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(format!("a picture of {width} x {height} pixels is too large for a page"));
    }
    let view = match fields.get("view") {
        None => None,
        Some(view) => {
            let numbers: Option<Vec<f64>> =
                view.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
            let numbers = numbers.and_then(|list| <[f64; 4]>::try_from(list).ok());
            let wrong = || "`view` must be [x, y, width, height] of the canvas".to_owned();
            let numbers = numbers.filter(|view| view.iter().all(|n| n.is_finite() && n.abs() < 1e9));
            Some(numbers.filter(|view| view[2] > 1e-6).ok_or_else(wrong)?)
        }
    };
    let paper = match fields.maybe_text("paper")? {
        None | Some("checker") => Paper::Checker,
        Some(colour) => match Background::parse(colour).map_err(|error| format!("`paper`: {error}"))? {
            Some(colour) => Paper::Colour(colour),
            None => Paper::Checker,
        },
    };
    let onion = match fields.object("onion")? {
        None => None,
        Some(onion) => Some(OnionSkin {
            before: onion.count("before")?.unwrap_or(2).min(20),
            after: onion.count("after")?.unwrap_or(2).min(20),
            step: onion.count("step")?.unwrap_or(1).clamp(1, 1000),
            opacity: onion.maybe_number("opacity")?.unwrap_or(0.5).clamp(0.0, 1.0),
            keys: onion.flag("keys", false)?,
            key_times: Vec::new(),
        }),
    };
    Ok(Picture { size, view, paper, onion })
}

/// The part of the drawing that a picture shows.
fn viewport(rig: &Rig, picture: &Picture) -> Viewport {
    let drawing = rig.posable().drawing();
    let background = match picture.paper {
        Paper::Colour(colour) => Some(colour),
        Paper::Checker | Paper::None => None,
    };
    let options = FrameOptions { size: picture.size, background };
    let mut view = Viewport::fit(drawing, &options);
    if let Some([x, y, width, _]) = picture.view {
        let scale = f64::from(picture.size.width()) / width;
        let canvas = Affine::scale(scale) * Affine::translate((-x, -y));
        view.transform = canvas * drawing.canvas_to_output().inverse();
    }
    view
}

/// Puts squares behind transparent pixels.
fn checker(pixmap: &mut Pixmap) {
    let width = pixmap.width();
    let (side, colours) = CHECKER;
    for (at, pixel) in pixmap.data_mut().chunks_exact_mut(4).enumerate() {
        let alpha = pixel[3];
        if alpha == 255 {
            continue;
        }
        let at = u32::try_from(at).unwrap_or(0);
        let (x, y) = (at % width / side, at / width / side);
        let behind = colours[((x + y) % 2) as usize];
        let added = u32::from(behind) * u32::from(255 - alpha);
        let added = u8::try_from((added + 127) / 255).unwrap_or(255);
        for channel in &mut pixel[..3] {
            *channel = channel.saturating_add(added);
        }
        pixel[3] = 255;
    }
}

/// Draws other moments behind the one that is posed, tinted: earlier ones red, later ones green.
fn draw_onion(
    rig: &Rig,
    state: &mut FrameState,
    (clip, time): (Option<&RigClip>, f64),
    picture: &Picture,
    onion: &OnionSkin,
    pixmap: &mut Pixmap,
) -> Result<(), Reason> {
    use looks::onion::{EARLIER, LATER, TINTED};
    let view = viewport(rig, picture);
    let message = |error: render::RasterError| error.to_string();
    rig.draw_into(state, &view, pixmap.data_mut()).map_err(message)?;
    let Some(clip) = clip else { return Ok(()) };
    let mut ghost = FrameState::new(rig);
    let mut layer = Pixmap::new(picture.size.width(), picture.size.height()).ok_or("there is no memory")?;
    let clear = Viewport::new(picture.size, view.transform);
    let times = ghost_times(clip, rig.fps(), time, onion);
    let farthest = times.iter().map(|at| (at - time).abs()).fold(1e-9, f64::max);
    for at in times {
        rig.pose(Some(clip), at, &mut ghost).map_err(|error| error.to_string())?;
        rig.draw_into(&mut ghost, &clear, layer.data_mut()).map_err(message)?;
        tint(&mut layer, if at < time { EARLIER } else { LATER }, TINTED);
        let near = 1.0 - 0.6 * ((at - time).abs() / farthest);
        composite_over(pixmap, &layer, (0, 0), (onion.opacity * near * 0.5) as f32);
    }
    Ok(())
}

/// The times at which bones have keys, in order.
fn key_times(doc: &RigDoc, clip: &str) -> Vec<f64> {
    use rig_format::doc::Channel;
    fn times<T>(channel: Option<&Channel<T>>) -> impl Iterator<Item = f64> + '_ {
        channel.into_iter().flat_map(|channel| channel.keys.iter().map(|key| key.time.value))
    }
    let bones = doc.clip(clip).into_iter().flat_map(|clip| &clip.bones);
    let mut all: Vec<f64> = bones
        .flat_map(|bone| {
            let scalars = [&bone.rotate, &bone.angle, &bone.stretch, &bone.setup_angle];
            let scalars = scalars.into_iter().flat_map(|channel| times(channel.as_ref()));
            let vectors = [&bone.shift, &bone.scale].into_iter().flat_map(|channel| times(channel.as_ref()));
            scalars.chain(vectors).chain(times(bone.origin.as_ref())).collect::<Vec<f64>>()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    all
}

/// The times of ghosts, those that are farthest away first.
fn ghost_times(clip: &RigClip, fps: f64, time: f64, onion: &OnionSkin) -> Vec<f64> {
    let length = clip.time().length;
    let step = onion.step as f64 / fps;
    let before = (1..=onion.before).map(|count| time - count as f64 * step);
    let after = (1..=onion.after).map(|count| time + count as f64 * step);
    let is_inside = |at: &f64| clip.time().looped || (-1e-9..=length + 1e-9).contains(at);
    let mut times: Vec<f64> = if onion.keys {
        let mut keyed: Vec<f64> = onion.key_times.clone();
        keyed.retain(|at| (at - time).abs() > 1e-6);
        let earlier = keyed.iter().rev().filter(|at| **at < time).take(onion.before);
        let later = keyed.iter().filter(|at| **at > time).take(onion.after);
        earlier.chain(later).copied().collect()
    } else {
        before.chain(after).filter(is_inside).collect()
    };
    times.sort_by(|a, b| (b - time).abs().total_cmp(&(a - time).abs()).then(a.total_cmp(b)));
    times
}

/// Where the targets of named constraints are that are points of the canvas.
fn goals(rig: &Rig, values: &PoseValues) -> Value {
    let mut all = serde_json::Map::new();
    for (name, at) in rest_goals(rig) {
        let at = values.goals.get(&name).copied().unwrap_or(at);
        all.insert(name, json!([at.x, at.y]));
    }
    all.into()
}

/// The same at rest.
fn rest_goals(rig: &Rig) -> Vec<(String, Point)> {
    use bone_core::constraint::{ConstraintRule, Target};
    let place = |target: &Target| match target {
        Target::Canvas(at) => Some(*at),
        _ => None,
    };
    let goal = |(name, constraint): (&rig::RigConstraint, &bone_core::constraint::Constraint)| {
        let at = match &constraint.rule {
            ConstraintRule::Ik(ik) => ik.ends.first().and_then(|end| place(&end.target)),
            ConstraintRule::Aim(aim) => place(&aim.target),
            _ => None,
        };
        Some((name.name.clone()?, at?))
    };
    rig.constraints().filter_map(goal).collect()
}

/// The constraints and drivers that move a bone, as a message; none if there are none.
fn holders(rig: &Rig, bone: BoneId) -> Option<String> {
    let skeleton = rig.skeleton();
    let moves = |(_, rule): &(&rig::RigConstraint, &bone_core::constraint::Constraint)| {
        rule.rule.bones_written(skeleton).contains(&bone)
    };
    let mut rules: Vec<String> = rig
        .constraints()
        .enumerate()
        .filter(|(_, entry)| moves(entry))
        .map(|(index, (name, _))| match &name.name {
            Some(name) => format!("the constraint \"{name}\""),
            None => format!("constraint {}", index + 1),
        })
        .collect();
    if rig.drivers().iter().any(|driver| driver.motion.driven().any(|driven| driven == bone)) {
        rules.push("a driver".to_owned());
    }
    (!rules.is_empty()).then(|| format!("\"{}\" is moved by {}", skeleton.name(bone), rules.join(" and ")))
}

/// Takes hold of something.
fn grab(fields: Fields<'_>, rig: &Rig, state: &FrameState, is_setup: bool) -> Result<Grab, Reason> {
    let kind = fields.text("kind")?;
    let skeleton = rig.skeleton();
    if kind == "goal" {
        let name = fields.text("name")?.to_owned();
        if rig.find_constraint(&name).is_none() {
            return Err(format!("there is no constraint \"{name}\""));
        }
        if !rest_goals(rig).iter().any(|(known, _)| *known == name) {
            return Err(format!("the target of \"{name}\" is no point of the canvas: drag its bone"));
        }
        return Ok(Grab::Goal { name });
    }
    let bone = fields.text("bone")?.to_owned();
    let id = skeleton.find(&bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
    let only_setup = |grab: Grab| match is_setup {
        true => Ok(grab),
        false => Err(format!("`{kind}` needs the setup pose: `clip` must be null")),
    };
    let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
    let end = fields.count("end")?.unwrap_or(0).min(1);
    let motion = match kind {
        "rotate" => BoneMotion::Rotate,
        "translate" => BoneMotion::Translate,
        "scale" => BoneMotion::Scale,
        "ik" => {
            let (point, place) = match fields.maybe_text("point")? {
                None | Some("tip") => (AttachmentPoint::Tip, state.world().tip(skeleton, state.driven(), id)),
                Some("joint") => (AttachmentPoint::Origin, state.world().origin(id)),
                Some(other) => return Err(format!("a bone has no point \"{other}\"")),
            };
            let by = fields.maybe_point("at")?.map_or(kurbo::Vec2::ZERO, |at| place - at);
            return Ok(Grab::Tip { bone, point, by });
        }
        "bone" | "joint" | "tip" => {
            let end = match kind {
                "joint" => SetupEnd::Joint,
                "tip" => SetupEnd::Tip,
                _ => SetupEnd::Both,
            };
            let near = if end == SetupEnd::Tip { to } else { from };
            let at = fields.maybe_point("at")?.unwrap_or(near);
            return only_setup(Grab::Place { bone, end, from, to, at, carry: fields.flag("carry", false)? });
        }
        "limit" => return only_setup(Grab::Limit { bone, end }),
        "region" => return only_setup(Grab::Region { bone, end }),
        other => return Err(format!("there is no grab \"{other}\"")),
    };
    let at = fields.point("at")?;
    let mut grip = rig.grip(state, id, at).ok_or("the bone is scaled to nothing")?;
    // A grip at the joint gives no direction: the bone is held by its tip.
    if grip.to_vec2().hypot() < 1e-6 && motion != BoneMotion::Translate {
        grip = Point::new(skeleton.length(id), 0.0);
    }
    Ok(Grab::Bone { bone, grip, motion })
}

/// The ends of a bone that is moved at rest.
fn placed(gesture: &Gesture) -> Option<(&str, Point, Point)> {
    let (Grab::Place { bone, end, from, to, at, .. }, Some(pointer)) = (&gesture.grab, gesture.to) else {
        return None;
    };
    let by = pointer - *at;
    let moves = |wanted: SetupEnd| *end == wanted || *end == SetupEnd::Both;
    let from = if moves(SetupEnd::Joint) { *from + by } else { *from };
    let to = if moves(SetupEnd::Tip) { *to + by } else { *to };
    Some((bone, from, to))
}

/// The bones as they lie while one is moved at rest; none if it is no such gesture.
fn setup_bones(gesture: &Gesture, rig: Option<&Rig>) -> Option<Value> {
    if matches!(gesture.grab, Grab::Bone { .. } | Grab::Tip { .. } | Grab::Goal { .. }) {
        return None;
    }
    let skeleton = rig?.skeleton();
    let moved = placed(gesture).and_then(|(name, from, to)| Some((skeleton.find(name)?, from, to)));
    let change = moved.map(|(bone, from, to)| {
        let old = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        (bone, from, to, motion_of(old, (from, to)))
    });
    let carry = matches!(gesture.grab, Grab::Place { carry: true, .. });
    let bone = |bone: BoneId| {
        let (mut from, mut to) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        if let Some((moved, new_from, new_to, motion)) = change {
            let mut above = skeleton.parent(bone);
            while above.is_some_and(|id| id != moved) {
                above = above.and_then(|id| skeleton.parent(id));
            }
            if bone == moved {
                (from, to) = (new_from, new_to);
            } else if carry && above.is_some() {
                (from, to) = (motion * from, motion * to);
            }
        }
        let angle = bone_core::Angle::of(to - from).degrees();
        json!([from.x, from.y, to.x, to.y, angle])
    };
    Some(skeleton.bones().map(bone).collect())
}

/// How a bone is moved from two points to two others: its origin and its direction; its length moves the
/// points behind its tip.
fn motion_of(old: (Point, Point), new: (Point, Point)) -> Affine {
    let turn = (bone_core::Angle::of(new.1 - new.0) - bone_core::Angle::of(old.1 - old.0)).rotation();
    let turned = (turn * (old.1 - old.0).to_point()).to_vec2();
    let rest = (new.1 - new.0) - turned;
    Affine::translate(new.0.to_vec2() + rest) * turn * Affine::translate(-old.0.to_vec2())
}

/// The edit of a gesture in the setup.
fn setup_edit(rig: &Rig, doc: &RigDoc, gesture: &Gesture) -> Result<(String, Vec<Value>), Reason> {
    let skeleton = rig.skeleton();
    let pair = |at: Point| json!([at.x, at.y]);
    if let Some((bone, from, to)) = placed(gesture) {
        let Grab::Place { end, carry, .. } = &gesture.grab else { return Ok((String::new(), Vec::new())) };
        let mut ops = vec![json!({
            "op": "PlaceBone", "bone": bone,
            "from": (*end != SetupEnd::Tip).then(|| pair(from)),
            "to": pair(to),
        })];
        let Some(moved) = skeleton.find(bone) else { return Err(format!("there is no bone \"{bone}\"")) };
        let motion = motion_of((skeleton.setup_origin(moved), skeleton.setup_tip(moved)), (from, to));
        for id in skeleton.bones() {
            let is_child = skeleton.parent(id) == Some(moved);
            let is_below = {
                let mut above = skeleton.parent(id);
                while above.is_some_and(|it| it != moved) {
                    above = above.and_then(|it| skeleton.parent(it));
                }
                above.is_some()
            };
            let typed = doc.bone(skeleton.name(id));
            // Coordinates of the canvas stay by themselves, and those of a frame move by themselves.
            let absolute = typed.is_some_and(|bone| bone.from.is_some() && bone.to.is_some());
            let op = |from: Point, to: Point| json!({ "op": "PlaceBone", "bone": skeleton.name(id), "from": pair(from), "to": pair(to) });
            let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
            if *carry && is_below {
                ops.push(op(motion * from, motion * to));
            } else if !carry && is_child && !absolute {
                ops.push(op(from, to));
            }
        }
        return Ok((format!("Move bone \"{bone}\""), ops));
    }
    match (&gesture.grab, gesture.setup) {
        (Grab::Limit { bone, end }, Some(angle)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.limits.map(|limits| limits.value));
            let mut limits = typed.map_or([angle.min(0.0), angle.max(0.0)], |it| [it.least, it.most]);
            limits[*end] = if *end == 0 { angle.min(limits[1]) } else { angle.max(limits[0]) };
            let op = json!({ "op": "Set", "at": ["bones", bone, "limits"], "value": limits });
            Ok((format!("Set limits of \"{bone}\""), vec![op]))
        }
        (Grab::Region { bone, end }, Some(radius)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.region.map(|region| region.value));
            let mut region = typed.map_or([radius; 2], |it| [it.start, it.tip]);
            region[*end] = radius;
            let op = json!({ "op": "Set", "at": ["bones", bone, "region"], "value": region });
            Ok((format!("Set region of \"{bone}\""), vec![op]))
        }
        (Grab::Goal { name }, _) => {
            let Some(at) = gesture.values.goals.get(name) else { return Ok((String::new(), Vec::new())) };
            let op = json!({ "op": "Set", "at": ["constraints", name, "target"], "value": pair(*at) });
            Ok((format!("Move target of \"{name}\""), vec![op]))
        }
        (Grab::Bone { bone, .. } | Grab::Tip { bone, .. }, _) => {
            Err(format!("choose a clip to pose \"{bone}\": in the setup its joint and tip are moved"))
        }
        _ => Ok((String::new(), Vec::new())),
    }
}

/// What a list of steps calls a gesture.
fn title(gesture: &Gesture, changed: &PoseValues) -> String {
    match &gesture.grab {
        Grab::Bone { bone, motion, .. } => match motion {
            BoneMotion::Rotate => format!("Turn \"{bone}\""),
            BoneMotion::Translate => format!("Move \"{bone}\""),
            BoneMotion::Scale => format!("Scale \"{bone}\""),
        },
        Grab::Tip { bone, .. } if changed.bones.len() > 1 => format!("Reach with \"{bone}\""),
        Grab::Tip { bone, .. } => format!("Move the tip of \"{bone}\""),
        Grab::Goal { name } => format!("Move target of \"{name}\""),
        _ => "Edit".to_owned(),
    }
}
