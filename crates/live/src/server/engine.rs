//! The engine of a connection: a thread that poses, drags and draws. It has an `Arc` of the rig, so it never
//! waits for edits, and edits never wait for it.

mod curve;
mod gesture;
mod goals;
mod grab;
mod picture;
mod placing;
mod played;
mod queue;
mod rules;
mod shares;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bone_core::BoneId;
use bone_core::clip::{BoneProperty, Scalar};
use bone_core::constraint::ConstraintStatus;
use bone_drawing::ArtProperty;
use bone_format::doc::RigDoc;
use bone_render::{Compress, Pixmap, PngEncoder};
use bone_rig::{FrameState, Rig, RigClip, Slider};
use kurbo::{ParamCurveNearest as _, Point};
use serde_json::Value;

pub(crate) use self::goals::rest_goals;
use self::goals::{clip, goals};
use self::grab::Gesture;
use self::picture::{Paper, Picture, checker, key_times, paint, picture, pixmap_of, viewport};
use self::played::Played;
use self::queue::lock;
pub(crate) use self::queue::{EngineQueue, Engines, WaitingMessage};
use crate::message::{Maybe, Reason};
use crate::server::document::{DocumentSender, GestureEdit, ToDocument};
use crate::server::keys::{keys, row_keys};
use crate::server::outbox::Outbox;
use crate::server::overtaken::Since;
use crate::server::pose::{ChannelState, Channels, PoseValues, clip_time, sample, shown};
use crate::server::proto::{Asked, HitArt, HitBone, Moment, PictureWish, PlayWish, Reply, Request};
use crate::server::rows::{RowKey, RowOwner, fields, rows, seen};
use crate::server::state::Published;

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
    /// That of the page alone.
    page: Option<Pixmap>,
    encoder: PngEncoder,
    gesture: Option<Gesture>,
    /// The machine that plays.
    played: Option<Played>,
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
            page: None,
            encoder: PngEncoder::new(),
            gesture: None,
            played: None,
        }
    }

    /// Answers messages until the connection ends.
    pub(crate) fn run(mut self) {
        while let Some(waiting) = self.queue.next() {
            self.receive(waiting);
        }
    }

    /// Answers a message.
    pub(crate) fn receive(&mut self, (message, failure): WaitingMessage) {
        let done = catch_unwind(AssertUnwindSafe(|| self.answer(message)));
        let why = match done {
            Ok(Ok(())) => return,
            Ok(Err(why)) => why,
            Err(_) => {
                self.state = None;
                self.gesture = None;
                self.played = None;
                "the engine failed: this is a fault of the program".to_owned()
            }
        };
        self.outbox.send(&failure(why));
    }

    fn answer(&mut self, message: Request) -> Result<(), Reason> {
        self.follow();
        match message {
            Request::Frame { seq, time, picture, asked, draw, machine: Some(machine), .. } => {
                self.machine_frame((seq, time), &machine, &self::picture(picture)?, &asked, draw)
            }
            Request::Frame { seq, clip, time, values, picture, asked, draw, .. } => {
                self.frame(seq, Moment { clip, time, values }, picture, &asked, draw)
            }
            Request::Begin { gesture, moment, grab, base } => self.begin(gesture, moment, grab, base),
            Request::Drag { seq, gesture, to, chain, picture, asked } => {
                self.drag(seq, &gesture, (to, chain), &self::picture(picture)?, &asked)
            }
            Request::Commit { .. } | Request::Cancel { .. } => self.end(message),
            Request::Hit { seq, moment, at, reach } => self.hit(seq, moment, at, reach.max(0.0)),
            Request::Snap { seq, at, reach } => {
                let (rig, ..) = self.rig()?;
                let at = bone_authoring::middle_of_art(rig.art(), at, reach);
                self.outbox.send(&Reply::Snap { seq, at });
                Ok(())
            }
            Request::Copy { id, moment, bones } => self.copy(id, moment, &bones),
            Request::Key { id, clip, time, values, bones, channels, rows, scale, base } => {
                let moment = Moment { clip: Some(clip.clone()), time, values };
                let values = self.posed_values(moment, &bones, &channels)?;
                self.key(id, (&clip, time), "Set keys", (&values, &rows), (scale, base))
            }
            Request::Paste { id, clip, time, values, mirror, scale, base } => {
                let title = if mirror { "Paste a mirrored pose" } else { "Paste a pose" };
                let values = self.pasted_values((&clip, time), values, mirror)?;
                self.key(id, (&clip, time), title, (&values, &[]), (scale, base))
            }
            Request::Curve { seq, paths, from, to, count } => self.curve(seq, &paths, (from, to), count),
            Request::Trail { seq, moment, bone, from, to } => self.trail(seq, moment, bone, (from, to)),
            Request::Weights { seq, bone, art } => self.weights(seq, bone, art.as_deref()),
            Request::Svg { id, moment } => self.svg(id, moment),
            Request::Png { seq, moment, picture } => self.png(seq, moment, picture),
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
        // Without threads a frame waits for it.
        if cfg!(target_family = "wasm")
            || !needs(new)
            || needs(old)
            || old.clip(&name).is_none()
            || names(old) != names(new)
        {
            return false;
        }
        if self.baking.as_ref().is_none_or(|baking| !Arc::ptr_eq(baking, new)) {
            self.baking = Some(Arc::clone(new));
            let (rig, outbox, rev) = (Arc::clone(new), Arc::clone(&self.outbox), published.rev);
            std::thread::spawn(move || {
                let mut state = FrameState::new(&rig);
                // The first pose of a clip bakes it. The clip is of this rig.
                let _ = rig.pose(rig.clip(&name), 0.0, &mut state);
                outbox.send(&Reply::Fresh { rev });
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

    fn frame(
        &mut self,
        seq: u32,
        Moment { clip: name, time, values }: Moment,
        wish: PictureWish,
        asked: &Asked,
        draw: bool,
    ) -> Result<(), Reason> {
        self.last_clip.clone_from(&name);
        let mut picture = picture(wish)?;
        let (rig, doc, state) = self.rig()?;
        if let (Some(onion), Some(name)) = (&mut picture.onion, &name) {
            onion.key_times = key_times(&doc, name);
        }
        let clip = clip(&rig, name.as_deref())?;
        let mut overrides = values.overrides(&rig, &sample(&rig, clip, time));
        // At rest the page draws bones where the drawing has lines for them.
        let guides = bone_authoring::shown_guides(rig.art()).map(|(guides, _)| guides);
        if let Some(guides) = guides.filter(|id| clip.is_none() && rig.draw_order().index(*id).is_some()) {
            overrides.art.set((guides, ArtProperty::Visible), 0.0);
        }
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        self.show(seq, asked, (clip, time), &values, &picture, draw, |_| ())
    }

    /// A frame of a machine that plays.
    fn machine_frame(
        &mut self,
        (seq, time): (u32, f64),
        wish: &PlayWish,
        picture: &Picture,
        asked: &Asked,
        draw: bool,
    ) -> Result<(), Reason> {
        let mut played = self.played.take();
        let (rig, _, state) = self.rig()?;
        let seen = Played::advance(&mut played, &rig, wish, time, state);
        self.played = played;
        let now_seen = seen?;
        self.show(seq, asked, (None, time), &PoseValues::default(), picture, draw, |message| {
            if let Reply::Posed { states, .. } = message {
                *states = now_seen;
            }
        })
    }

    /// Sends what is posed, with changes, and its picture.
    #[allow(clippy::too_many_arguments, reason = "a picture and what belongs to it")]
    fn show(
        &mut self,
        seq: u32,
        asked: &Asked,
        (clip, time): (Option<&RigClip>, f64),
        values: &PoseValues,
        picture: &Picture,
        draw: bool,
        change: impl FnOnce(&mut Reply),
    ) -> Result<(), Reason> {
        let rev = self.published.rev;
        let stale = self.is_behind || self.published.is_stale || rev != self.published.good_rev;
        let (rig, doc, state) = self.rig()?;
        let skeleton = rig.skeleton();
        let (world, pose) = (state.world(), state.driven());
        let bone = |bone: BoneId| {
            let (from, to) = (world.origin(bone), world.tip(skeleton, pose, bone));
            [from.x, from.y, to.x, to.y, world.angle(bone).degrees()]
        };
        let view = viewport(&rig, picture);
        let to_picture = view.transform * rig.posable().drawing().canvas_to_output();
        let statuses = state.statuses().iter().map(|status| match status {
            ConstraintStatus::Met => "met",
            ConstraintStatus::Nearest => "nearest",
            ConstraintStatus::Off => "off",
            _ => "ignored",
        });
        let typed = clip.and_then(|clip| doc.keyed(clip.name()));
        let at = clip.map_or(time, |clip| clip_time(clip, time));
        let row = |of: &str, name: &str| {
            let owner = RowOwner { of: of.to_owned(), name: name.to_owned() };
            // Names that the rig does not have any more are left out.
            let rows =
                typed.map_or_else(Vec::new, |typed| rows((&rig, typed), state, &owner).unwrap_or_default());
            fields(rows, at)
        };
        let slider = |own: &Slider| {
            let (_, state) = row("slider", &own.name).pop_first()?;
            let changed = values.sliders.contains_key(&own.name);
            Some((own.name.clone(), ChannelState { changed, ..state }))
        };
        let sliders = rig.sliders().iter().filter_map(slider);
        let mut message = Reply::Posed {
            seq,
            rev,
            clip: clip.map(|clip| clip.name().to_owned()),
            time,
            size: [picture.size.width(), picture.size.height()],
            stale,
            to_picture: to_picture.as_coeffs(),
            bones: skeleton.bones().map(bone).collect(),
            pose: values.bones.clone(),
            goals: goals(&rig, state).into_iter().collect(),
            moved_goals: values.goals.clone(),
            statuses: statuses.map(str::to_owned).collect(),
            values: shown((&rig, &doc), clip, time, &asked.bones, values, state.pose()),
            of_art: asked.art.iter().map(|art| (art.clone(), row("art", art))).collect(),
            of_filters: asked.art.iter().map(|art| (art.clone(), row("filter", art))).collect(),
            sliders: sliders.collect(),
            camera: row("camera", ""),
            seen: clip.and_then(|_| seen(&rig, state)),
            reach: None,
            held: Vec::new(),
            setup: Maybe(None),
            states: Vec::new(),
        };
        change(&mut message);
        if !draw {
            self.outbox.send(&message);
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.draw(&rig, (clip, time), picture, &mut bytes)?;
        self.outbox.send_both(&message, binary((seq, rev, time), &bytes));
        Ok(())
    }

    /// Draws what is posed, as a PNG.
    fn draw(
        &mut self,
        rig: &Rig,
        (clip, time): (Option<&RigClip>, f64),
        picture: &Picture,
        png: &mut Vec<u8>,
    ) -> Result<(), Reason> {
        let mut pixmap = pixmap_of(picture.size, self.pixmap.take())?;
        let state = self.state.as_mut().ok_or("there is no rig")?;
        let drawn = paint(rig, state, (clip, time), picture, &mut pixmap, &mut self.page);
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
    fn pose(&mut self, moment: &Moment) -> Result<(Arc<Rig>, &mut FrameState), Reason> {
        let Moment { clip: name, time, values } = moment;
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, name.as_deref())?;
        let overrides = values.overrides(&rig, &sample(&rig, clip, *time));
        rig.pose_with(clip, *time, &overrides, state).map_err(|error| error.to_string())?;
        Ok((rig, state))
    }

    fn hit(&mut self, seq: u32, moment: Moment, at: Point, reach: f64) -> Result<(), Reason> {
        let (rig, state) = self.pose(&moment)?;
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
        let bone = nearest
            .map(|(_, part, bone)| HitBone { name: skeleton.name(bone).to_owned(), part: part.to_owned() });
        let hit = rig.hit_test(state, at, reach).and_then(|hit| hit.element);
        let art = hit.and_then(|id| {
            let element = rig.art().element(id)?;
            Some(HitArt {
                art: element.key.to_string(),
                id: element.id.as_deref().map(str::to_owned),
                label: element.label.as_deref().map(str::to_owned),
                address: rig.art().address(id),
            })
        });
        self.outbox.send(&Reply::Hit { seq, bone, art });
        Ok(())
    }

    fn copy(&mut self, id: Value, moment: Moment, wanted: &[String]) -> Result<(), Reason> {
        let (rig, state) = self.pose(&moment)?;
        let skeleton = rig.skeleton();
        let mut values = BTreeMap::new();
        for bone in skeleton.bones() {
            let name = skeleton.name(bone);
            if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
                let pose = state.pose();
                let Some(own) = pose.bones.get(bone.index()) else { continue };
                values.insert(name.to_owned(), Channels::of(own, &pose.setup(skeleton, bone)));
            }
        }
        self.outbox.send(&Reply::Copied { id, values });
        Ok(())
    }

    /// The values of a copied pose that the clip does not have already.
    fn pasted_values(
        &mut self,
        (name, time): (&str, f64),
        bones: BTreeMap<String, Channels>,
        mirror: bool,
    ) -> Result<PoseValues, Reason> {
        let mut copied = PoseValues { bones, ..PoseValues::default() };
        let (rig, ..) = self.rig()?;
        copied.bones.retain(|name, _| rig.skeleton().find(name).is_some());
        let values = if mirror { copied.mirrored(&rig) } else { copied };
        let sampled = sample(&rig, clip(&rig, Some(name))?, time);
        Ok(PoseValues::of_overrides(&rig, &sampled, &values.overrides(&rig, &sampled)))
    }

    /// The values of bones as they are posed. Without a list of channels: those that are changed, else what most
    /// keys are, rotation.
    fn posed_values(
        &mut self,
        moment: Moment,
        bones: &[String],
        channels: &[String],
    ) -> Result<PoseValues, Reason> {
        let (rig, state) = self.pose(&moment)?;
        let (skeleton, set) = (rig.skeleton(), moment.values);
        let mut values = PoseValues::default();
        for bone in bones {
            let id = skeleton.find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
            let Some(own) = state.pose().bones.get(id.index()) else { continue };
            let all = Channels::of(own, &state.pose().setup(skeleton, id));
            let changed = set.bones.get(bone);
            let is_kept = |property: BoneProperty| match (channels.is_empty(), changed) {
                (false, _) => channels.iter().any(|kept| kept == property.name()),
                (true, Some(changed)) => changed.0.contains_key(&property),
                (true, None) => property == Scalar::Rotate.into(),
            };
            let own = Channels(all.0.into_iter().filter(|(property, _)| is_kept(*property)).collect());
            values.bones.insert(bone.clone(), own);
        }
        values.goals = set.goals;
        Ok(values)
    }

    /// Keys values at a time of a clip; with the pixels of a canvas unit, and the revision that the page saw.
    fn key(
        &mut self,
        id: Value,
        (name, time): (&str, f64),
        title: &str,
        (values, rows): (&PoseValues, &[RowKey]),
        (scale, base): (f64, Option<u64>),
    ) -> Result<(), Reason> {
        let (rig, doc, state) = self.rig()?;
        let Some(clip) = clip(&rig, Some(name))? else { return Ok(()) };
        let mut edits = keys((&rig, &doc), clip, time, values)?;
        edits.extend(row_keys((&rig, &doc), state, (clip, time), rows)?);
        if edits.is_empty() {
            self.outbox.send(&Reply::Done { id, rev: self.published.rev });
            return Ok(());
        }
        let edit = GestureEdit { title: title.to_owned(), edits, scale, since: self.since(base) };
        self.document.send(ToDocument::Gesture { client: self.client, id, edit });
        Ok(())
    }

    /// What the texts are for a page that begins something: no newer than what it says that it saw.
    fn since(&self, base: Option<u64>) -> Since {
        let base = base.map_or(self.published.rev, |base| self.published.rev.min(base));
        Since { base: Some(base), held: Some(Arc::clone(&self.published.seen)) }
    }

    fn svg(&mut self, id: Value, moment: Moment) -> Result<(), Reason> {
        let (rig, state) = self.pose(&moment)?;
        rig.write_svg(state);
        let text = state.svg().to_owned();
        self.outbox.send(&Reply::Svg { id, text });
        Ok(())
    }

    fn png(&mut self, seq: u32, moment: Moment, wish: PictureWish) -> Result<(), Reason> {
        let picture = Picture { paper: Paper::None, onion: None, ..picture(wish)? };
        let (rig, ..) = self.pose(&moment)?;
        let mut bytes = Vec::new();
        self.draw(&rig, (None, 0.0), &picture, &mut bytes)?;
        self.outbox.send_bytes(binary((seq, self.published.rev, moment.time), &bytes));
        Ok(())
    }
}

/// A binary message: a picture or a sound behind its number, the revision and the time.
pub(crate) fn binary((seq, rev, time): (u32, u64, f64), picture: &[u8]) -> Vec<u8> {
    let rev = u32::try_from(rev).unwrap_or(u32::MAX);
    [&seq.to_le_bytes()[..], &rev.to_le_bytes(), &time.to_le_bytes(), picture].concat()
}
