//! Compiles clips and drivers: channels become curves, offsets get their vertices.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::clip::{
    BoneProperty, Clip, ClipBuilder, ClipTime, Curve, Driver, ParentKey, Repeat, Step, Tracks, Value,
};
use bone_core::{BoneId, ClipError, Side, Skeleton, mirrored_name};
use bone_drawing::ElementId;
use bone_skin::{OffsetSpace, Offsets, PathId, Setups, VertexPoint};
use kurbo::Vec2;

use super::Modifiers;
use super::art::DrawOrderBuilder;
use super::bindings::Bindings;
use super::bones::vector;
use super::events::RigEvents;
use super::memory::{KeptClip, KeptMotion, Mention};
use super::pass::Pass;
use super::poses::PoseLayers;
use super::shapes::is_no_shape;
use crate::curves::{curve, delayed, shifted};
use crate::diagnostic::Diagnostic;
use crate::doc::{
    AnyChannel, ArtOffsetsDoc, ArtSetupDoc, BoneChannelsDoc, ClipDoc, DriverDoc, ParentChannel, RigDoc,
    VertexAddress, VertexPart,
};
use crate::follow::{BoneChannel, Followers, PlayedSource};
use crate::half::whole;
use crate::poses::Poses;
use crate::schema::content::words;
use crate::span::{Span, Spanned};
use bone_rig::{ClipEvents, EventId, RigClip, RigDriver, parts::ClipData};

impl Pass<'_> {
    /// The clips, as they are where nothing of them was changed.
    pub(super) fn clips(
        &mut self,
        (skeleton, events): (Option<&Skeleton>, &RigEvents),
        modifiers: Modifiers<'_>,
        last: &[KeptClip],
        (bindings, order): (&mut Bindings, &mut DrawOrderBuilder),
    ) -> Vec<KeptClip> {
        let by_name: BTreeMap<&str, &KeptClip> = last.iter().map(|kept| (kept.clip.name(), kept)).collect();
        let mut clips = Vec::new();
        // A channel has a weight for each shape that its art takes anywhere.
        let shapes = words(&(self.doc.shapes(), &self.doc.ink));
        let mut poses = Poses::new(self.doc);
        let posed_art = self.lanes_of_poses(&mut poses, order);
        for (place, clip) in self.doc.clips.iter().enumerate() {
            // What is typed twice was reported.
            let keyed = poses.keyed(clip, &mut |_| ());
            let clip = keyed.as_ref().unwrap_or(clip);
            let whole = whole(self.doc, clip);
            if let (Some(whole), Some(skeleton)) = (&whole, skeleton) {
                self.sides(whole, skeleton);
            }
            let clip = whole.as_ref().unwrap_or(clip);
            // A clip with a new name is where it was.
            let kept = by_name.get(clip.name.value.as_str()).copied().or_else(|| last.get(place));
            let kept = kept.filter(|_| modifiers.are_same);
            let layers = PoseLayers::new(&poses, clip);
            let motion =
                skeleton.and_then(|skeleton| self.kept_motion((clip, &layers), kept, modifiers, skeleton));
            let mut words = art_words(clip, &events.words_of(place));
            words.extend(&shapes);
            layers.art_words(&posed_art, &mut words);
            if let (Some(motion), Some(kept)) = (&motion, kept)
                && kept.art.as_ref() == Some(&words)
                && has_motion(&kept.clip, &motion.motion)
                && self.is_still_right(&kept.mentions, skeleton, bindings, order)
            {
                self.is_reused = true;
                clips.push(KeptClip {
                    motion: kept.motion.clone(),
                    art: Some(words),
                    mentions: kept.mentions.clone(),
                    clip: renamed(&kept.clip, &clip.name.value),
                });
                continue;
            }
            let fits = motion.as_ref().filter(|motion| motion.motion.key_loop().is_some());
            let time = fits.map(|motion| motion.motion.time());
            let before = self.findings.len();
            self.mentions.clear();
            let offsets = self.offsets(&clip.offsets, (time, OffsetSpace::Canvas), skeleton, bindings);
            let mut art = self.art(&clip.art, time, order);
            layers.on_art(&posed_art, time, &order.draw_order, &mut art);
            art.lanes.extend(self.gradient_lanes(&clip.paints, time, order));
            art.lanes.extend(self.filter_lanes(&clip.filters, time, order));
            art.lanes.extend(self.ink_lanes(&clip.ink, time, order));
            art.lanes.extend(self.camera_lanes(clip.camera.as_ref(), time));
            let setups = self.setups(&clip.setup, time, skeleton, bindings);
            let weights = self.keyed_weights(&clip.weights, (time, skeleton), bindings);
            let mentions = std::mem::take(&mut self.mentions);
            let is_sound = self.findings.len() == before;
            let Some(motion) = motion else { continue };
            art.lanes.extend(motion.sliders.iter().cloned());
            self.recompiled.clips += 1;
            let rounds = motion.motion.time().repeat();
            if let Repeat::Times(rounds) = rounds
                && f64::from(rounds) * events.of(place).len() as f64 > MOST_EVENTS
            {
                let message = format!("clip \"{}\" plays more than {MOST_EVENTS} events", clip.name.value);
                let help = "write loop: true, or fewer rounds";
                self.report(clip.name.span, Diagnostic::error("too-many", message).help(help));
                continue;
            }
            let data = ClipData {
                motion: Arc::clone(&motion.motion),
                offsets,
                setups,
                weights,
                art,
                constraints: motion.constraints.clone(),
                events: played_events(&motion.motion, events.of(place)),
            };
            let built = RigClip::from_clip(clip.name.value.clone(), data);
            let clip = match kept {
                Some(kept) if has_motion(&kept.clip, &motion.motion) => built.with_springs_of(&kept.clip),
                Some(kept) => built.with_springs_after(&kept.clip),
                None => built,
            };
            clips.push(KeptClip { motion, art: is_sound.then_some(words), mentions, clip });
        }
        clips
    }

    /// The motion of a clip, as it is if nothing of it was changed; none after reporting that it cannot be
    /// played.
    fn kept_motion(
        &mut self,
        (clip, layers): (&ClipDoc, &PoseLayers<'_>),
        kept: Option<&KeptClip>,
        modifiers: Modifiers<'_>,
        skeleton: &Skeleton,
    ) -> Option<KeptMotion> {
        let mut words = self.motion_words(clip);
        layers.bone_words(&mut words);
        if let Some(kept) = kept.map(|kept| &kept.motion).filter(|kept| kept.words == words) {
            self.is_reused = true;
            return Some(kept.clone());
        }
        let Some(motion) = self.motion((clip, layers), skeleton) else {
            self.fault(clip.name.span, "this clip");
            return None;
        };
        self.recompiled.motions += 1;
        if let Err(error) = modifiers.springs.fits(motion.time()) {
            self.error(clip.name.span, format!("clip \"{}\" is {error}", clip.name.value), "");
        }
        let time = motion.key_loop().map(|_| motion.time());
        let sliders = self.slider_lanes(clip, time);
        let constraints = self.constraint_tracks(clip, (&motion, &sliders), modifiers, skeleton);
        Some(KeptMotion { words, motion: Arc::new(motion), sliders, constraints })
    }

    /// Warns of bones that change sides and are not of one length: what one reaches the other does not.
    fn sides(&mut self, clip: &ClipDoc, skeleton: &Skeleton) {
        const MOST: f64 = 0.05;
        for bone in &clip.bones {
            let name = bone.bone.value.as_str();
            let Some((Side::Left, other)) = mirrored_name(name) else { continue };
            let Some((left, right)) = skeleton.find(name).zip(skeleton.find(&other)) else { continue };
            let (left, right) = (skeleton.length(left).abs(), skeleton.length(right).abs());
            if (left - right).abs() <= MOST * left.max(right) {
                continue;
            }
            let lengths = [left, right].map(bone_core::in_few_digits);
            let message = format!(
                "\"{name}\" and \"{other}\" change sides, and their lengths are {} and {}",
                lengths[0], lengths[1]
            );
            let help = "half a cycle needs limbs of one length";
            self.report(bone.bone.span, Diagnostic::warning("sides-differ", message).help(help));
        }
    }

    /// The words of all that moves bones in a clip.
    fn motion_words(&self, clip: &ClipDoc) -> Vec<u64> {
        let ClipDoc { length, looped, phase, retime, step, bones, constraints, sliders, complete, .. } = clip;
        words(&(
            (self.doc.fps, (length, ((looped, (phase, retime)), step))),
            ((bones, sliders), (constraints, complete)),
        ))
    }

    /// Whether what a clip needs of the lists that clips and drivers fill is where it was. All of it is added
    /// to them, as compiling the clip would do.
    fn is_still_right(
        &mut self,
        mentions: &[Mention],
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
        order: &mut DrawOrderBuilder,
    ) -> bool {
        let mut is_right = |mention: &Mention| match *mention {
            Mention::Actor(element, place) => self.actor(element, order) == place,
            Mention::Switch(group, place) => self.switch_of(group, order) == place,
            Mention::Look(element, place) => self.look_place(element, order) == Some(place),
            Mention::Trim(element, place, may_wrap) => self.trim_place(element, may_wrap, order) == place,
            Mention::Shapes(path, place) => self.shape_places(path, order) == place,
            Mention::Tint(element, place) => self.tint_place(element, order) == place,
            Mention::Gradient(of, place) => self.gradient_place(of, order) == place,
            Mention::FilterStep(of, place) => self.step_place(of, order) == place,
            Mention::Ink(path, place) => order.inks.get(place).is_some_and(|ink| ink.path == path),
            Mention::Path(element, path) => {
                if bindings.paths_of(element).is_empty()
                    && let Some(lines) = self.lines_of(element)
                {
                    self.posed_path(element, &lines, skeleton, bindings);
                }
                bindings.paths_of(element).contains(&path) && bindings.skin.is_as_before(path)
            }
        };
        mentions.iter().all(&mut is_right)
    }

    pub(super) fn drivers(
        &mut self,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
        order: &mut DrawOrderBuilder,
    ) -> Vec<RigDriver> {
        let mut drivers = Vec::new();
        let places = self.slider_places();
        for driver in &self.doc.drivers {
            let motion = skeleton.and_then(|skeleton| self.driver(driver, skeleton));
            if skeleton.is_some() && motion.is_none() {
                self.fault(driver.span, "this driver");
            }
            let offsets = self.offsets(&driver.offsets, (None, OffsetSpace::Canvas), skeleton, bindings);
            let mut art = self.art(&driver.art, None, order);
            art.lanes.retain(|lane| !is_no_shape(lane));
            let slider = driver.slider.as_ref().and_then(|name| places.get(name.value.as_str()).copied());
            let after_constraints = false;
            drivers.extend(motion.map(|motion| RigDriver {
                motion,
                slider,
                offsets,
                art,
                after_constraints,
            }));
        }
        self.neutral_art(&drivers, order);
        drivers
    }

    /// What a driver does to the bones; none if it is unusable, which the check of the document has reported.
    fn driver(&mut self, driver: &DriverDoc, skeleton: &Skeleton) -> Option<Driver> {
        let tracks = self.tracks(&driver.bones, None, skeleton);
        match driver.drive() {
            Some(drive) => Driver::new(skeleton.find(&driver.bone.as_ref()?.value)?, drive, tracks).ok(),
            None => Driver::of_number(tracks).ok(),
        }
    }

    /// The movement of the bones; none if it cannot be played.
    fn motion(&mut self, (clip, layers): (&ClipDoc, &PoseLayers<'_>), skeleton: &Skeleton) -> Option<Clip> {
        let retime = match &clip.retime {
            Some(retime) => Some(curve(retime, |v: f64| v)?),
            None => None,
        };
        let time = clip.time()?;
        let mut tracks = self.tracks(&clip.bones, Some(clip), skeleton);
        let comes_round = clip.retime.is_none().then_some(time).filter(|time| time.key_loop().is_some());
        layers.on_bones(comes_round, skeleton, &mut tracks);
        let mut builder = ClipBuilder::timed(time).retime(retime).step(self.step(clip.step)).tracks(tracks);
        for channels in &clip.bones {
            if let (Some(bone), Some(parent)) = (skeleton.find(&channels.bone.value), &channels.parent) {
                let keys = parents(parent, skeleton);
                if keys.len() < parent.keys.len() {
                    self.fault(parent.span, "a parent key of this channel");
                }
                builder = builder.parent(bone, keys);
            }
        }
        match builder.build(skeleton) {
            Ok(clip) => Some(clip),
            // `check` has its own messages for lengths and for cycles of parents.
            Err(_) if self.diagnostics.has_errors() => None,
            Err(error) => {
                let span = parent_key(clip, &error).unwrap_or(clip.name.span);
                self.error(span, format!("clip \"{}\" cannot be played: {error}", clip.name.value), "");
                None
            }
        }
    }

    /// What keyed bones do, in a clip or a driver, parents left out.
    fn tracks(&mut self, bones: &[BoneChannelsDoc], clip: Option<&ClipDoc>, skeleton: &Skeleton) -> Tracks {
        let mut tracks = Tracks::new();
        let mut played = PlayedKeys::new(clip, skeleton);
        for (at, channels) in bones.iter().enumerate() {
            match skeleton.find(&channels.bone.value) {
                Some(bone) => tracks = self.channels_of(tracks, (bone, at), channels, &mut played),
                None => self.fault(channels.bone.span, "the channels of this bone"),
            }
        }
        tracks
    }

    /// Adds the channels of one bone to tracks.
    fn channels_of(
        &mut self,
        mut tracks: Tracks,
        (bone, at): (BoneId, usize),
        channels: &BoneChannelsDoc,
        played: &mut PlayedKeys<'_>,
    ) -> Tracks {
        for (property, channel) in channels.values.iter() {
            let keys = played.of((at, property), channel, bone);
            if played.has_too_many() {
                let message = format!("channels that follow others play more than {MOST_FOLLOWED} keys");
                self.report(channel.span(), Diagnostic::error("too-many", message));
                return tracks;
            }
            let scalar = match (property, &keys) {
                (BoneProperty::Scalar(which), Some((AnyChannel::Number(channel), shift))) => {
                    let own = curve(channel, |v: f64| v);
                    own.and_then(|own| shift.on(own, |rest| rest.x)).map(|curve| (which, curve))
                }
                _ => None,
            };
            let vector = match (property, &keys) {
                (BoneProperty::Vector(which), Some((AnyChannel::Pair(channel), shift))) => {
                    let own = curve(channel, |v: Vec2| v);
                    own.and_then(|own| shift.on(own, |rest| rest)).map(|curve| (which, curve))
                }
                _ => None,
            };
            tracks = match (scalar, vector) {
                (Some((which, curve)), _) => tracks.scalar(bone, which, curve),
                (_, Some((which, curve))) => tracks.vector(bone, which, curve),
                (None, None) if !channel.shift().is_none() => {
                    self.beyond_numbers(channel.span());
                    tracks
                }
                (None, None) => {
                    self.fault(channel.span(), "this channel");
                    tracks
                }
            };
        }
        tracks
    }

    /// Reports a channel whose shift leaves no numbers, if nothing else is wrong with it.
    fn beyond_numbers(&mut self, span: Span) {
        if !self.diagnostics.has_errors() {
            let error = Diagnostic::error("out-of-range", "this channel is shifted beyond all numbers");
            self.report(span, error.help("write a smaller `delay`, `amount` or `plus`"));
        }
    }

    /// How long drawings are held, in frames of the rig; none if that is unusable, which is reported.
    pub(super) fn step(&self, step: Option<Spanned<f64>>) -> Option<Step> {
        let frames = step.map(|step| step.value).filter(|&frames| frames > 1.0 && frames.fract() == 0.0)?;
        // A float to integer conversion saturates.
        Some(Step { frames: frames as u32, fps: self.doc.fps.map_or(RigDoc::FPS, |fps| fps.value) })
    }

    /// Free offsets. Their art is looked for even if the motion is unusable, so that all mistakes are found.
    /// `time` is that of a clip; none in a driver. `axes` are those of offsets that name no bone.
    pub(super) fn offsets(
        &mut self,
        arts: &[ArtOffsetsDoc],
        (time, axes): (Option<ClipTime>, OffsetSpace),
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Offsets {
        let mut offsets = Offsets::new();
        let mut seen = BTreeMap::new();
        for art in arts {
            let path = self.keyed_path((&art.art, "offsets"), &mut seen, skeleton, bindings);
            let Some(path) = path else { continue };
            for (vertex, offset) in &art.vertices {
                let Some(target) = self.keyed_part(&art.art, path, *vertex, bindings) else { continue };
                let Some(mut curve) = curve(&offset.channel, |v: Vec2| v) else {
                    self.fault(vertex.span, "this offset");
                    continue;
                };
                let time = time.inspect(|time| time.fit(&mut curve));
                let Some(curve) = delayed(curve, &offset.channel.shift, time) else {
                    self.beyond_numbers(offset.channel.span);
                    continue;
                };
                let bone = offset.bone.as_ref().and_then(|bone| self.named_bone(bone, skeleton?));
                let space = bone.map_or(axes, OffsetSpace::Bone);
                let Ok(skin) = bindings.skin.skin() else { continue };
                offsets.add(skin, target, space, curve);
            }
        }
        offsets
    }

    /// Setup positions of a clip.
    fn setups(
        &mut self,
        arts: &[ArtSetupDoc],
        time: Option<ClipTime>,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Setups {
        let mut setups = Setups::new();
        let mut seen = BTreeMap::new();
        for art in arts {
            let path = self.keyed_path((&art.art, "a setup"), &mut seen, skeleton, bindings);
            let Some(path) = path else { continue };
            for (vertex, channel) in &art.vertices {
                let Some(target) = self.keyed_part(&art.art, path, *vertex, bindings) else { continue };
                let Some(mut curve) = curve(channel, vector) else {
                    self.fault(vertex.span, "this setup position");
                    continue;
                };
                time.iter().for_each(|time| time.fit(&mut curve));
                let Some(curve) = delayed(curve, &channel.shift, time) else { continue };
                let Ok(skin) = bindings.skin.skin() else { continue };
                setups.add(skin, target, curve);
            }
        }
        setups
    }

    /// The path whose vertices are keyed; none after saying why there is none, or that it is keyed already.
    fn keyed_path<'n>(
        &mut self,
        (art, what): (&'n Spanned<String>, &str),
        seen: &mut BTreeMap<ElementId, &'n Spanned<String>>,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Option<PathId> {
        let element = self.find(art)?;
        let (element, lines) = self.path(art, element)?;
        if let Some(first) = seen.insert(element, art) {
            // The same name twice was reported when the document was read.
            if first.value != art.value {
                let message = format!("art \"{}\" has {what} twice, under two names", art.value);
                let other = self.doc.place(first.span);
                self.report(art.span, Diagnostic::error("duplicate", message).related(other, "first here"));
            }
            return None;
        }
        // One path is posed in each of the places in which a clip path or mask uses it.
        if self.is_in_several_places(art, element) {
            return None;
        }
        let path = self.posed_path(element, &lines, skeleton, bindings);
        match path {
            Some(path) => self.mentions.push(Mention::Path(element, path)),
            None => self.fault(art.span, "the path of this art"),
        }
        path
    }

    /// The part of a vertex that is keyed; none after saying that the path has none.
    fn keyed_part(
        &mut self,
        art: &Spanned<String>,
        path: PathId,
        vertex: Spanned<VertexAddress>,
        bindings: &mut Bindings,
    ) -> Option<(PathId, usize, VertexPoint)> {
        let target = (path, vertex.value.vertex as usize, part(vertex.value.part));
        // Too many points are reported when the skin is complete.
        let skin = bindings.skin.skin().ok()?;
        if skin.has(target.0, target.1, target.2) {
            return Some(target);
        }
        let count = skin.vertex_count(path);
        self.no_such_vertex(&art.value, vertex.span, vertex.value, count);
        None
    }
}

/// The keys that channels of bones play: their own, or those of a channel that they follow.
struct PlayedKeys<'d> {
    followers: Option<Followers<'d>>,
    clip: Option<&'d ClipDoc>,
    skeleton: &'d Skeleton,
    /// Seconds after which keys come round.
    round: Option<f64>,
    /// How many keys of others were played.
    followed: usize,
}

/// The most keys that the channels of a clip play of others: each has them once more.
const MOST_FOLLOWED: usize = 1_000_000;
/// The most events that the rounds of a clip play.
const MOST_EVENTS: f64 = 1e6;

/// How keys are played: later, and about the values at rest of what has them and of what plays them.
struct PlayedShift {
    delay: f64,
    amount: f64,
    plus: f64,
    rests: (Vec2, Vec2),
    round: Option<f64>,
}

impl PlayedShift {
    fn on<V: Value>(&self, curve: Curve<V>, part: fn(Vec2) -> V) -> Option<Curve<V>> {
        let rests = (part(self.rests.0), part(self.rests.1));
        shifted(curve, (self.delay, self.amount, self.plus), rests, self.round)
    }
}

impl<'d> PlayedKeys<'d> {
    fn new(clip: Option<&'d ClipDoc>, skeleton: &'d Skeleton) -> Self {
        let time = clip.filter(|clip| clip.retime.is_none()).and_then(ClipDoc::time);
        let round = time.and_then(|time| time.key_loop());
        Self { followers: clip.map(Followers::new), clip, skeleton, round, followed: 0 }
    }

    fn has_too_many(&self) -> bool {
        self.followed > MOST_FOLLOWED
    }

    /// The channel with the keys, and how they are played; none if there is none.
    fn of<'c>(
        &mut self,
        of: BoneChannel,
        own: &'c AnyChannel,
        bone: BoneId,
    ) -> Option<(&'c AnyChannel, PlayedShift)>
    where
        'd: 'c,
    {
        let rest = |bone: BoneId, property: BoneProperty| {
            let setup = self.skeleton.setup(bone);
            property.of(setup, setup)
        };
        let Some(followers) = &mut self.followers else {
            let rests = (Vec2::ZERO, Vec2::ZERO);
            return Some((own, PlayedShift { delay: 0.0, amount: 1.0, plus: 0.0, rests, round: None }));
        };
        let PlayedSource { of: (there, property), delay, amount, plus } = followers.source(of).ok()?;
        let channel = followers.channel((there, property))?;
        if (there, property) != of {
            self.followed += channel.key_count();
        }
        let source = self.skeleton.find(&self.clip?.bones.get(there)?.bone.value)?;
        let rests = (rest(source, property), rest(bone, of.1));
        Some((channel, PlayedShift { delay, amount, plus, rests, round: self.round }))
    }
}

/// The words of all that a clip does besides moving bones, and of what curves are fitted to.
fn art_words(clip: &ClipDoc, events: &[(f64, u64)]) -> Vec<u64> {
    let ClipDoc { name: _, span: _, length, looped, phase, retime, step, .. } = clip;
    let ClipDoc {
        bones: _,
        offsets,
        constraints: _,
        art,
        setup,
        weights,
        camera,
        paints,
        filters,
        ink,
        complete,
        ..
    } = clip;
    let times = (length, ((looped, (phase, retime)), step));
    words(&(
        (times, ((camera, paints), (filters, ink))),
        ((offsets, (art, (setup, weights))), (events, complete)),
    ))
}

/// The events of a clip at the times at which it plays them.
fn played_events(motion: &Clip, events: &[(f64, EventId)]) -> ClipEvents {
    let times = |(time, event): &(f64, EventId)| {
        let event = *event;
        motion.playback_times(*time).into_iter().map(move |time| (time, event))
    };
    let mut played: Vec<(f64, EventId)> = events.iter().flat_map(times).collect();
    // Those at one time keep their order.
    played.sort_by(|a, b| a.0.total_cmp(&b.0));
    ClipEvents::new(motion.time(), played)
}

/// The same clip with another name.
fn renamed(clip: &RigClip, name: &str) -> RigClip {
    match clip.data() {
        Some(data) if clip.name() != name => {
            RigClip::from_clip(name.to_owned(), Arc::clone(data)).with_springs_of(clip)
        }
        _ => clip.clone(),
    }
}

/// Whether a clip moves its bones in this way.
fn has_motion(clip: &RigClip, motion: &Arc<Clip>) -> bool {
    clip.data().is_some_and(|data| Arc::ptr_eq(&data.motion, motion))
}

pub(super) fn part(part: VertexPart) -> VertexPoint {
    match part {
        VertexPart::Anchor => VertexPoint::Anchor,
        VertexPart::In => VertexPoint::In,
        VertexPart::Out => VertexPoint::Out,
    }
}

fn parents(channel: &ParentChannel, skeleton: &Skeleton) -> Vec<ParentKey> {
    let keys = channel.keys.iter().filter_map(|key| {
        let parent = match &key.parent.value {
            Some(name) => Some(skeleton.find(name)?),
            None => None,
        };
        let keep = key.keep.map(|keep| keep.value).unwrap_or_default();
        Some(ParentKey { time: key.time.value, parent, keep })
    });
    keys.collect()
}

/// The key at which parents go wrong.
fn parent_key(clip: &ClipDoc, error: &ClipError) -> Option<Span> {
    let (ClipError::ParentLoop { time, .. } | ClipError::FlatParent { time, .. }) = error else {
        return None;
    };
    let keys = clip.bones.iter().flat_map(|bone| bone.parent.iter().flat_map(|parent| &parent.keys));
    keys.filter(|key| key.time.value == *time).map(|key| key.span).next()
}
