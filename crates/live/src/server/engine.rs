//! The engine of a connection: a thread that poses, drags and draws. It has an `Arc` of the rig, so it never
//! waits for edits, and edits never wait for it.

mod gesture;
mod goals;
mod grab;
mod picture;
mod placing;
mod queue;
mod rules;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bone_core::clip::{BoneProperty, Properties as _, Scalar};
use bone_core::constraint::ConstraintStatus;
use bone_core::{BoneId, Pose};
use bone_drawing::ArtProperty;
use bone_format::doc::RigDoc;
use bone_render::{Compress, Pixmap, PngEncoder, Viewport};
use bone_rig::{FrameState, Rig, RigClip};
use kurbo::ParamCurveNearest as _;
use serde_json::{Value, json};

pub(crate) use self::goals::rest_goals;
use self::goals::{clip, goals};
use self::grab::Gesture;
use self::picture::{Paper, Picture, checker, draw_onion, key_times, picture, viewport};
pub(crate) use self::queue::{EngineQueue, Engines, is_for_engine};
use self::queue::{kind, lock};
use crate::server::document::{DocumentSender, ToDocument};
use crate::server::keys::keys;
use crate::server::overtaken::Since;
use crate::server::pose::{Channels, PoseValues, sample, shown};
use crate::server::socket::Outbox;
use crate::server::state::Published;
use crate::server::value::{Fields, Reason};

/// The most samples of a curve.
const MOST_SAMPLES: usize = 10_000;

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
        let mut overrides = values.overrides(&rig, &sample(&rig, clip, time));
        // At rest the page draws bones where the drawing has lines for them.
        let guides = bone_looks::shown_guides(rig.art()).map(|(guides, _)| guides);
        if let Some(guides) = guides.filter(|id| clip.is_none() && rig.draw_order().index(*id).is_some()) {
            overrides.art.set((guides, ArtProperty::Visible), 0.0);
        }
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
        let stale = self.is_behind || self.published.is_stale || rev != self.published.good_rev;
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
            "goals": goals_json(&rig, state),
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
                let changed = set.bones.get(*bone);
                let is_kept = |property: BoneProperty| match (channels.is_empty(), changed) {
                    (false, _) => channels.contains(&property.name()),
                    (true, Some(changed)) => changed.0.contains_key(&property),
                    (true, None) => property == Scalar::Rotate.into(),
                };
                let own = Channels(all.0.into_iter().filter(|(property, _)| is_kept(*property)).collect());
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
        let since = self.since(fields)?;
        self.document.send(ToDocument::Gesture { client: self.client, id, title, ops, scale, since });
        Ok(())
    }

    /// What the texts are for a page that begins something: no newer than what it says that it saw.
    fn since(&self, fields: Fields<'_>) -> Result<Since, Reason> {
        let base =
            fields.count("base")?.map_or(self.published.rev, |base| self.published.rev.min(base as u64));
        Ok(Since { base: Some(base), held: Some(Arc::clone(&self.published.seen)) })
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
        let property = BoneProperty::named(channel).ok_or_else(|| format!("\"{channel}\" has no curve"))?;
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
            let value = property.of(own, &setup);
            let numbers = if property.row().kind.is_pair() { vec![value.x, value.y] } else { vec![value.x] };
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
            for (index, path) in bone_format::weights_of(binding, (&doc, art), skeleton).iter().enumerate() {
                let vertices = path.lines.iter().flat_map(|line| line.vertices());
                let point = |(number, (vertex, row)): (
                    usize,
                    (&bone_skin::Vertex, &bone_format::edit::VertexWeights),
                )| {
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

fn goals_json(rig: &Rig, state: &FrameState) -> Value {
    goals(rig, state)
        .into_iter()
        .map(|(name, at)| (name, json!([at.x, at.y])))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
