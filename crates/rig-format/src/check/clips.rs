//! Clips: keys in order and in range, channels that do not contradict each other, loops without a jump.
//! The keys of drivers are looked at here, too; what else drivers can have wrong is in `drivers`.

use bone_core::clip::{ClipTime, Properties, Property, Repeat, Scalar, ValueKind};
use bone_core::{in_few_digits, in_few_digits_beside};
use kurbo::{Point, Vec2};

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{
    AnyChannel, ArtOffsetsDoc, BoneChannelsDoc, Channel, Channels, ClipDoc, Drive, Ease, Extend, Joint, Rgb,
    RigDoc, SoundDoc,
};
use crate::span::Spanned;
use crate::text::shortened;

/// A value of a key that can be compared across the seam of a loop.
pub(super) trait Value: Copy {
    /// Whether both look alike.
    fn alike(self, other: Self) -> bool;
}

impl Value for f64 {
    fn alike(self, other: Self) -> bool {
        (self - other).abs() <= 1e-9
    }
}

impl Value for Vec2 {
    fn alike(self, other: Self) -> bool {
        self.x.alike(other.x) && self.y.alike(other.y)
    }
}

impl Value for Point {
    fn alike(self, other: Self) -> bool {
        self.x.alike(other.x) && self.y.alike(other.y)
    }
}

/// A number of which those that differ by whole rounds of this length look alike.
#[derive(Clone, Copy)]
struct Round(f64, f64);

impl Value for Round {
    fn alike(self, other: Self) -> bool {
        let rounds = (self.0 - other.0) / self.1;
        rounds.alike(rounds.round())
    }
}

/// Bytes of a name in that of a file, beside a number and an extension: file systems take 255 in all.
const LONGEST_FILE_NAME: usize = 200;

/// A time as text.
pub(super) fn seconds(time: f64) -> String {
    seconds_beside(time, &[])
}

/// The same beside other times of the message.
pub(super) fn seconds_beside(time: f64, others: &[f64]) -> String {
    if time == 1.0 { "1 second".into() } else { format!("{} seconds", in_few_digits_beside(time, others)) }
}

/// A clip and how long it takes: found once, for that looks at all of its keys.
#[derive(Clone, Copy)]
pub(super) struct Playing<'c> {
    pub(super) clip: &'c ClipDoc,
    duration: Option<f64>,
    /// Its times seem to be frames, which is reported once.
    in_frames: bool,
}

impl Playing<'_> {
    /// How long it takes.
    pub(super) fn duration(&self) -> Option<f64> {
        self.duration
    }
}

/// The axis of the keys of a channel.
#[derive(Clone, Copy)]
pub(super) enum Axis<'c> {
    /// The time of a clip.
    Clip(Playing<'c>),
    /// The values of a driver: those of a bone, or of a slider.
    Driver(Option<Drive>),
    /// The seconds since a layer's start.
    Layer,
}

impl Axis<'_> {
    /// A place on it as text.
    fn show(self, at: f64) -> String {
        match self {
            Self::Clip(_) | Self::Layer => seconds(at),
            Self::Driver(drive) => driving(drive, at),
        }
    }
}

/// A driving value as text.
pub(super) fn driving(drive: Option<Drive>, value: f64) -> String {
    match drive {
        Some(Drive::Rotate) if value.abs() == 1.0 => format!("{value} degree"),
        Some(Drive::Rotate) => format!("{} degrees", in_few_digits(value)),
        _ => in_few_digits(value),
    }
}

impl ClipDoc {
    /// The times of all keys, in no order.
    fn times(&self) -> Vec<f64> {
        fn of_all<P: Properties>(channels: &Channels<P>) -> impl Iterator<Item = f64> {
            channels.iter().flat_map(|(_, channel)| channel.times()).map(|time| time.value)
        }
        fn of<T>(channel: &Channel<T>) -> impl Iterator<Item = f64> {
            channel.keys.iter().map(|key| key.time.value)
        }
        let mut times = Vec::new();
        for bone in &self.bones {
            times.extend(of_all(&bone.values));
            times.extend(bone.parent.iter().flat_map(|channel| &channel.keys).map(|key| key.time.value));
        }
        for constraint in &self.constraints {
            times.extend(of_all(&constraint.values));
            times.extend(constraint.bend.iter().flat_map(|bend| &bend.keys).map(|(time, _)| time.value));
            times.extend(constraint.holds.iter().map(|hold| hold.until.value));
        }
        times.extend(self.events.keys.iter().map(|event| event.time.value));
        times.extend(self.sounds.iter().map(SoundDoc::begins));
        self.art.iter().for_each(|art| times.extend(of_all(&art.values)));
        for gradient in &self.paints {
            times.extend(of_all(&gradient.values));
            let stops = gradient.stops().flat_map(|(_, _, channel)| channel.times());
            times.extend(stops.map(|time| time.value));
        }
        self.filters.iter().for_each(|filter| times.extend(of_all(&filter.values)));
        let widths = self.ink.iter().flat_map(|ink| &ink.places);
        widths.for_each(|(_, channel)| times.extend(of(channel)));
        self.sliders.iter().for_each(|(_, channel)| times.extend(of(channel)));
        self.camera.iter().for_each(|camera| times.extend(of_all(&camera.values)));
        times.extend(self.pose.iter().flat_map(of));
        self.poses.iter().for_each(|weight| times.extend(of(&weight.weight.channel)));
        for (_, offset) in self.offsets.iter().flat_map(|art| &art.vertices) {
            times.extend(of(&offset.channel));
        }
        for (_, position) in self.setup.iter().flat_map(|art| &art.vertices) {
            times.extend(of(position));
        }
        for (_, row) in self.weights.iter().flat_map(|art| &art.vertices) {
            times.extend(of(row));
        }
        times
    }

    /// Seconds of a round: as written, or the time of its last key. None if neither is above 0.
    pub fn duration(&self) -> Option<f64> {
        let length = match (self.length, &self.retime) {
            (Some(length), _) => length.value,
            (None, Some(retime)) => retime.keys.iter().map(|key| key.time.value).fold(0.0, f64::max),
            (None, None) => self.times().into_iter().fold(0.0, f64::max),
        };
        (length > 0.0 && length.is_finite()).then_some(length)
    }

    /// Its length and how its rounds are played; none if it has no duration.
    pub fn time(&self) -> Option<ClipTime> {
        let phase = self.phase.map_or(0.0, |phase| phase.value);
        let halves = if self.half.is_some() { 2.0 } else { 1.0 };
        Some(ClipTime::repeated(halves * self.duration()?, self.repeat(), phase))
    }

    /// How often its keys are played.
    pub(crate) fn repeat(&self) -> Repeat {
        self.looped.map_or(Repeat::Once, |looped| looped.value)
    }

    /// Whether the first key is seen after the last one.
    pub(super) fn starts_again(&self) -> bool {
        let again = match self.repeat() {
            Repeat::Loop => true,
            Repeat::Times(count) => count > 1,
            Repeat::Once | Repeat::PingPong => false,
        };
        again && self.retime.is_none() && self.half.is_none()
    }

    /// The last second of the keys that is played, with the place that says so; none if nothing says so.
    fn end(&self) -> Option<Spanned<f64>> {
        let last = |retime: &Channel<f64>| {
            let keys = retime.keys.iter().map(|key| key.value);
            keys.max_by(|a, b| a.value.total_cmp(&b.value))
        };
        self.retime.as_ref().map_or(self.length, last)
    }
}

/// Whether the times of a clip are frames: several of them after its end, all whole numbers, and within it if
/// they are divided by the rate.
fn counts_frames(clip: &ClipDoc, fps: f64) -> bool {
    let Some(length) = clip.length.filter(|length| length.value > 0.0 && clip.retime.is_none()) else {
        return false;
    };
    let times = clip.times();
    let beyond = times.iter().filter(|time| **time > length.value).count();
    beyond > 1 && times.iter().all(|time| time.fract() == 0.0 && *time <= length.value * fps)
}

impl<'a> Checker<'a, '_> {
    /// Warns about the name of a clip or shot that files of its frames cannot have.
    pub(super) fn file_name(&mut self, what: &str, name: &Spanned<String>) {
        let text = &name.value;
        let why = if text.chars().any(char::is_control) {
            "has characters that control a terminal"
        } else if !text.is_empty() && text.chars().all(|c| c == '.') {
            "is that of a folder"
        } else if text.len() > LONGEST_FILE_NAME {
            "is too long"
        } else {
            return;
        };
        let shown: String = shortened(text).escape_debug().collect();
        let message = format!("the name of {what} \"{shown}\" {why}: its files are named otherwise");
        let help = format!("a name of letters and digits, of at most {LONGEST_FILE_NAME} bytes");
        let place = self.place(name.span);
        self.diagnostics.push(Diagnostic::warning("file-name", message).help(help).at(place));
    }

    /// A clip, with the keys of its poses as if they were typed.
    pub(super) fn clip(&mut self, clip: &'a ClipDoc) {
        let playing = Playing { clip, duration: clip.duration(), in_frames: false };
        self.posed(Axis::Clip(playing), clip);
        let mut clashes = Vec::new();
        let keyed = self.poses.keyed(clip, &mut |clash| clashes.push(clash));
        clashes.iter().for_each(|clash| self.clash(clash));
        let whole = keyed.as_ref().unwrap_or(clip);
        self.weighted(whole);
        self.poses_in_halves(whole);
        self.keyed_clip(whole);
        self.parents(clip);
    }

    fn keyed_clip(&mut self, clip: &ClipDoc) {
        let in_frames = self.in_frames(clip);
        let playing = Playing { clip, duration: clip.duration(), in_frames };
        self.length(&playing);
        self.rounds(clip);
        self.halves(clip);
        for bone in &clip.bones {
            let field = format!("clip \"{}\" has keys for bone", shortened(&clip.name.value));
            let index = self.refer(&bone.bone, &field);
            self.channels(Axis::Clip(playing), bone);
            if let Some(index) = index {
                self.limits(index, bone);
            }
        }
        self.followers(clip);
        self.offsets(Axis::Clip(playing), &clip.offsets);
        self.clip_constraints(Axis::Clip(playing), clip);
        self.art(Axis::Clip(playing), &clip.art);
        self.gradients(Axis::Clip(playing), &clip.paints);
        for filter in &clip.filters {
            self.values(Axis::Clip(playing), ("filter", &filter.filter.value), &filter.values);
        }
        self.ink_keys(Axis::Clip(playing), &clip.ink);
        self.setup(Axis::Clip(playing), &clip.setup);
        self.keyed_weights(Axis::Clip(playing), &clip.weights);
        self.clip_controls(Axis::Clip(playing), clip);
        self.events(&playing, clip);
        self.sounds(&playing, clip);
    }

    pub(super) fn offsets(&mut self, axis: Axis<'_>, offsets: &[ArtOffsetsDoc]) {
        for art in offsets {
            for (vertex, offset) in &art.vertices {
                if let Some(bone) = &offset.bone {
                    self.refer(bone, "`bone` of this offset is");
                }
                let what = format!("vertex {} of \"{}\"", vertex.value.show(), shortened(&art.art.value));
                self.shift(axis, &what, &offset.channel.shift, &["delay", "amount"]);
                self.channel(axis, &what, &offset.channel, |offset| offset);
            }
        }
    }

    fn length(&mut self, playing: &Playing<'_>) {
        let clip = playing.clip;
        let name = shortened(&clip.name.value);
        match clip.length {
            None if clip.complete && playing.duration.is_none() => {
                let message = match clip.times().is_empty() {
                    true => format!("clip \"{name}\" has no `length` and no keys"),
                    false => format!("clip \"{name}\" has no `length` and no key after 0 seconds"),
                };
                self.error(
                    clip.name.span,
                    Diagnostic::error("missing-field", message).help("add length: 2, in seconds"),
                );
            }
            _ => {}
        }
    }

    /// Where a clip begins, and at what times it plays its keys.
    fn rounds(&mut self, clip: &ClipDoc) {
        if let Some(phase) = clip.phase.filter(|phase| phase.value != 0.0 && clip.repeat() == Repeat::Once) {
            let message =
                format!("clip \"{}\" has `phase`, and it does not loop", shortened(&clip.name.value));
            let help = "add loop: true, or remove `phase`";
            self.error(phase.span, Diagnostic::error("not-possible-here", message).help(help));
        }
        let Some(retime) = &clip.retime else { return };
        self.shift(Axis::Layer, "`retime`", &retime.shift, &[]);
        // Its times are those of the clip, its values those of the keys.
        self.times(Axis::Layer, true, retime.keys.iter().map(|key| key.time));
        let ends = clip.length.filter(|length| length.value > 0.0);
        for time in retime.keys.iter().map(|key| key.time) {
            let outside = match ends {
                _ if time.value < 0.0 => "before the start",
                Some(length) if time.value > length.value => "after the end",
                _ => continue,
            };
            let message =
                format!("this key of `retime` is at {}, {outside} of its clip", seconds(time.value));
            self.error(time.span, Diagnostic::warning("key-outside-clip", message));
        }
    }

    /// Keys that count frames: times are seconds.
    fn in_frames(&mut self, clip: &ClipDoc) -> bool {
        let fps = self.doc.fps.map_or(RigDoc::FPS, |fps| fps.value);
        let Some(length) = clip.length.filter(|_| counts_frames(clip, fps)) else { return false };
        let name = shortened(&clip.name.value);
        let last = clip.times().into_iter().fold(0.0, f64::max);
        let message = format!("the keys of clip \"{name}\" seem to count frames, and times are in seconds");
        let (frame, at) = (in_few_digits(last), in_few_digits(last / fps));
        let help = format!("divide them by `fps`: frame {frame} is at {at} seconds");
        self.error(length.span, Diagnostic::warning("frames-for-seconds", message).help(help));
        true
    }

    pub(super) fn channels(&mut self, axis: Axis<'_>, bone: &BoneChannelsDoc) {
        self.values(axis, ("bone", &bone.bone.value), &bone.values);
        if let Some(parent) = &bone.parent {
            self.times(axis, false, parent.keys.iter().map(|key| key.time));
        }
    }

    /// The channels of a bone, art or constraint: no two that exclude each other, keys in order.
    pub(super) fn values<P: Properties>(
        &mut self,
        axis: Axis<'_>,
        (kind, name): (&str, &str),
        values: &Channels<P>,
    ) {
        let (own, name) = (name, shortened(name));
        for (at, (property, channel)) in values.iter().enumerate() {
            let mut before = values.iter().take(at);
            if let Some((other, first)) = before.find(|(other, _)| property.excludes(*other)) {
                let (row, other) = (property.row(), other.row());
                let absolute = |row: &Property| {
                    let pair = row.half_of.and_then(|(pair, _)| Some(P::named(pair)?.row()));
                    pair.unwrap_or(row).in_place_of.is_some()
                };
                let help = match (absolute(other), absolute(row)) {
                    (false, true) => {
                        let (relative, absolute) = (other.name, row.name);
                        format!(
                            "`{relative}` is relative to the setup pose, `{absolute}` is absolute: keep one"
                        )
                    }
                    (true, false) => {
                        let (relative, absolute) = (row.name, other.name);
                        format!(
                            "`{relative}` is relative to the setup pose, `{absolute}` is absolute: keep one"
                        )
                    }
                    _ => {
                        let (pair, half) = if row.half_of.is_some() { (other, row) } else { (row, other) };
                        format!("`{}` is one of the two numbers of `{}`: keep one", half.name, pair.name)
                    }
                };
                let (first, second) = ((other.name, Some(first.span())), (row.name, Some(channel.span())));
                self.both(&format!("{kind} \"{name}\""), first, second, &help);
            }
        }
        for (property, channel) in values.iter() {
            let row = property.row();
            let what = format!("`{}` of \"{name}\"", row.name);
            let allows: &[&str] = match (kind, channel) {
                ("bone", AnyChannel::Number(_)) => &["follow", "channel", "delay", "amount", "plus"],
                ("bone", _) => &["follow", "channel", "delay", "amount"],
                (_, AnyChannel::Flag(_) | AnyChannel::Name(_)) => &[],
                (_, AnyChannel::Number(_)) if row.kind.steps() => &[],
                _ => &["delay"],
            };
            self.shift(axis, &what, channel.shift(), allows);
            match channel {
                AnyChannel::Number(channel) if row.kind.steps() => self.steps(axis, row.name, channel),
                AnyChannel::Number(channel) => match row.kind {
                    ValueKind::Degrees => self.channel(axis, &what, channel, |value| Round(value, 360.0)),
                    ValueKind::Rounds => self.channel(axis, &what, channel, |value| Round(value, 1.0)),
                    // The drawing knows after how many units.
                    ValueKind::Phase => self.channel(axis, &what, channel, |_| 0.0),
                    _ => self.channel(axis, &what, channel, |value| value),
                },
                AnyChannel::Pair(channel) => self.channel(axis, &what, channel, |value| value),
                AnyChannel::Color(channel) => self.keys(axis, &what, channel, Rgb::eq),
                AnyChannel::Shape(channel) => {
                    self.keys(axis, &what, channel, |first, last| first.alike(last, own))
                }
                AnyChannel::Flag(channel) => self.steps(axis, row.name, channel),
                AnyChannel::Name(channel) => self.steps(axis, row.name, channel),
            }
        }
    }

    /// Keys of a value that holds until the next one.
    fn steps<T>(&mut self, axis: Axis<'_>, name: &str, channel: &Channel<T>) {
        self.times(axis, channel.repeats(), channel.keys.iter().map(|key| key.time));
        for ease in channel.keys.iter().filter_map(|key| key.ease).filter(|ease| ease.value != Ease::Hold) {
            let message = format!("`{name}` cannot have an ease: it holds from key to key");
            self.error(ease.span, Diagnostic::error("not-possible-here", message).help("remove the ease"));
        }
        for extend in channel.extend.iter().filter(|extend| extend.value == Extend::LoopOffset) {
            let message = format!("`{name}` cannot have `extend: LoopOffset`");
            self.error(
                extend.span,
                Diagnostic::error("not-possible-here", message).help("write extend: Loop"),
            );
        }
    }

    pub(super) fn channel<T: Copy, V: Value>(
        &mut self,
        axis: Axis<'_>,
        what: &str,
        channel: &Channel<T>,
        look: impl Fn(T) -> V,
    ) {
        self.keys(axis, what, channel, |first, last| look(*first).alike(look(*last)));
    }

    /// The keys of a channel. `alike` compares how two values look across the seam of a loop.
    pub(super) fn keys<T>(
        &mut self,
        axis: Axis<'_>,
        what: &str,
        channel: &Channel<T>,
        alike: impl Fn(&T, &T) -> bool,
    ) {
        // A channel that repeats by itself has a round of its own, which may be longer than the clip.
        self.times(axis, channel.repeats(), channel.keys.iter().map(|key| key.time));
        // Only a clip starts again by itself.
        let Axis::Clip(Playing { clip, duration, .. }) = axis else { return };
        let extend = channel.extend.map(|extend| extend.value).unwrap_or_default();
        let (Some(first), Some(last)) = (channel.keys.first(), channel.keys.last()) else { return };
        let Some(length) = duration.filter(|_| clip.starts_again() && extend == Extend::Hold) else { return };
        // A key behind the end is reported by itself.
        let at_the_end = last.time.value.alike(length);
        // What is held until the end is to jump there, as at its other keys.
        if last.ease.is_some_and(|ease| ease.value == Ease::Hold) && !at_the_end {
            return;
        }
        if (at_the_end || last.time.value < length) && !alike(&first.value.value, &last.value.value) {
            let place = self.place(first.value.span);
            let message = format!("{what} jumps where clip \"{}\" repeats", shortened(&clip.name.value));
            let diagnostic =
                Diagnostic::warning("loop-jumps", message).related(place, "it repeats from this value");
            let help = match at_the_end {
                true => "end with the value of the first key".to_owned(),
                false => {
                    format!("add a key at {}, the end, with the value of the first key", seconds(length))
                }
            };
            self.error(last.value.span, diagnostic.help(help));
        }
    }

    /// The places of the keys of one channel.
    pub(super) fn times(
        &mut self,
        axis: Axis<'_>,
        own_round: bool,
        times: impl Iterator<Item = Spanned<f64>>,
    ) {
        let mut before: Option<Spanned<f64>> = None;
        for time in times {
            if let Axis::Clip(playing) = axis {
                self.within(&playing, own_round, time);
            }
            match before {
                Some(last) if time.value == last.value => {
                    let place = self.place(last.span);
                    let diagnostic = Diagnostic::error(
                        "duplicate",
                        format!("there are two keys at {}", axis.show(time.value)),
                    );
                    let diagnostic = diagnostic.related(place, "first here");
                    self.error(
                        time.span,
                        diagnostic.help("for a jump, give the previous key the ease `Hold`"),
                    );
                }
                Some(last) if time.value < last.value => {
                    let (order, why) = match axis {
                        Axis::Clip(_) | Axis::Layer => ("in order of time", "this key is later"),
                        Axis::Driver(_) => ("in ascending order", "this key is higher"),
                    };
                    let place = self.place(last.span);
                    let message = format!(
                        "keys are not {order}: {} comes after {}",
                        in_few_digits_beside(time.value, &[last.value]),
                        in_few_digits_beside(last.value, &[time.value])
                    );
                    self.error(time.span, Diagnostic::error("key-order", message).related(place, why));
                }
                _ => {}
            }
            before = Some(time);
        }
    }

    /// A key that is outside its clip.
    pub(super) fn within(&mut self, playing: &Playing<'_>, own_round: bool, time: Spanned<f64>) {
        let has_begun = time.value >= 0.0;
        if !has_begun {
            let message = format!("this key is at {}, before the start of its clip", seconds(time.value));
            self.error(time.span, Diagnostic::error("key-outside-clip", message).help("clips start at 0"));
        }
        let ends = !own_round && !playing.in_frames;
        let length = playing.clip.end().filter(|length| length.value > 0.0 && ends);
        if let Some(length) = length.filter(|length| time.value > length.value) {
            let place = self.place(length.span);
            let at = seconds_beside(time.value, &[length.value]);
            let message = format!("this key is at {at}, after the end of its clip");
            self.error(
                time.span,
                Diagnostic::warning("key-outside-clip", message).related(place, "the length of the clip"),
            );
        }
    }

    /// Keys that turn a joint beyond its limits.
    pub(super) fn limits(&mut self, index: usize, channels: &BoneChannelsDoc) {
        let Some(bone) = self.doc.bones.get(index) else { return };
        let Some(limits) = bone.limits.filter(|limits| limits.value.least <= limits.value.most) else {
            return;
        };
        if bone.joint.is_some_and(|joint| joint.value != Joint::Pin) {
            return;
        }
        // With `to`, the setup angle depends on the places of other bones.
        let setup = bone.to.is_none().then(|| bone.angle.map_or(0.0, |angle| angle.value));
        let keys = |of| channels.values.number(of).into_iter().flat_map(|channel| &channel.keys);
        let rotate = keys(Scalar::Rotate).map(|key| (key, 0.0));
        let angle = keys(Scalar::Angle).filter_map(|key| Some((key, setup?)));
        let beyond = |turn: f64| turn < limits.value.least - 1e-9 || turn > limits.value.most + 1e-9;
        for (key, setup) in rotate.chain(angle).filter(|(key, setup)| beyond(key.value.value - setup)) {
            let turn = key.value.value - setup;
            let place = self.place(limits.span);
            let ends = [limits.value.least, limits.value.most];
            let [least, most] = ends.map(in_few_digits);
            let message = format!(
                "this rotates bone \"{}\" by {} degrees, and its limits are {least} and {most}",
                shortened(&bone.name.value),
                in_few_digits_beside(turn, &ends),
            );
            self.error(
                key.value.span,
                Diagnostic::warning("beyond-limits", message).related(place, "the limits"),
            );
        }
    }
}
