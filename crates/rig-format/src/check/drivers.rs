//! Drivers: they add to the pose, leave it alone at rest, and do not drive themselves, alone or in a ring.

use std::collections::{BTreeMap, BTreeSet};

use bone_archive::Words as _;
use bone_core::clip::{BoneProperty, Join, Properties, Value};
use bone_core::in_few_digits_beside;
use kurbo::Vec2;

use crate::check::Checker;
use crate::check::clips::{Axis, driving};
use crate::curves::curve;
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, BoneChannelsDoc, Channel, Channels, Drive, DriverDoc};
use crate::span::Span;
use crate::text::shortened;

/// A number of a bone: where the bone is in the document, and which of its numbers.
type Number = (usize, Drive);

/// A number that is driven by another one.
#[derive(Clone, Copy)]
struct Driven {
    number: Number,
    /// Which driver does it.
    driver: usize,
    /// Where it names the bone.
    span: Span,
}

impl Checker<'_, '_> {
    pub(super) fn drivers(&mut self) {
        let doc = self.doc;
        for driver in &doc.drivers {
            self.source(driver);
            let axis = Axis::Driver(driver.drive());
            for bone in &driver.bones {
                self.refer(&bone.bone, "`bones` of this driver names");
                self.sets_nothing(bone);
                self.channels(axis, bone);
            }
            self.offsets(axis, &driver.offsets);
            self.art(axis, &driver.art);
            // A value that could not be read would be taken for the default.
            if driver.complete {
                self.neutral(driver);
            }
            let drives = !driver.bones.is_empty() || !driver.offsets.is_empty() || !driver.art.is_empty();
            if driver.complete && !drives {
                let diagnostic = Diagnostic::warning(
                    "no-effect",
                    "this driver has no `bones`, no `offsets` and no `art`, so it drives nothing",
                );
                let span = driver.source().map_or(driver.span, |name| name.span);
                self.error(span, diagnostic.help("add `bones`, `offsets` or `art`"));
            }
        }
        if !self.rings() {
            self.order();
        }
    }

    /// What drives: a bone or a slider, that exists.
    fn source(&mut self, driver: &DriverDoc) {
        if let Some(bone) = &driver.bone {
            self.refer(bone, "`bone` of this driver is");
        }
        let Some(slider) = &driver.slider else {
            if driver.complete && driver.bone.is_none() {
                let error = Diagnostic::error("missing-field", "this driver has no `bone` and no `slider`");
                self.error(driver.span, error.help("add the bone whose value drives: bone: \"fore.L\""));
            }
            return;
        };
        self.slider(slider, "`slider` of this driver is");
        let slider = ("slider", Some(slider.span));
        let bone = ("bone", driver.bone.as_ref().map(|bone| bone.span));
        self.both("this driver", bone, slider, "one value drives: keep one, and write another driver");
        let value = ("value", driver.value.map(|value| value.span));
        self.both("this driver", value, slider, "a slider has one value: remove `value`");
    }

    /// The driving value at rest.
    fn rest(&self, driver: &DriverDoc) -> f64 {
        let slider = driver.slider.as_ref();
        let slider = slider.and_then(|name| self.sliders.get(name.value.as_str()));
        slider.map_or_else(|| driver.drive().map_or(0.0, Drive::at_rest), |slider| slider.rest())
    }

    /// What a driver does comes on top of the pose, so it has no channels that set a value.
    fn sets_nothing(&mut self, bone: &BoneChannelsDoc) {
        let relative = |property: BoneProperty| {
            let row = property.row();
            let with = match row.half_of.and_then(|(pair, part)| Some((BoneProperty::named(pair)?, part))) {
                Some((pair, part)) => BoneProperty::named(pair.row().in_place_of?)?.half(part)?.name(),
                None => row.in_place_of?,
            };
            Some(format!("use `{with}`, which is relative to the setup pose"))
        };
        let clips = || "only clips can have it".to_owned();
        let keyed = bone.values.iter().filter(|(property, _)| property.row().drive == Join::Never);
        let keyed = keyed.map(|(property, channel)| {
            (property.name(), channel.span(), relative(property).unwrap_or_else(clips))
        });
        let parent = bone.parent.iter().map(|channel| ("parent", channel.span, clips()));
        for (name, span, help) in keyed.chain(parent) {
            let message = format!("a driver cannot have `{name}`: it can only add to the pose");
            self.error(span, Diagnostic::error("not-possible-here", message).help(help));
        }
    }

    /// Whether the setup pose stays the drawing.
    fn neutral(&mut self, driver: &DriverDoc) {
        for bone in &driver.bones {
            self.neutral_values(driver, &bone.bone.value, &bone.values);
        }
        for art in &driver.offsets {
            for (vertex, offset) in &art.vertices {
                let what = format!(
                    "the offset of vertex {} of \"{}\"",
                    vertex.value.show(),
                    shortened(&art.art.value)
                );
                self.neutral_channel(driver, &offset.channel, &what, Vec2::ZERO);
            }
        }
        for art in &driver.art {
            self.neutral_values(driver, &art.art.value, &art.values);
        }
    }

    /// Flags, names and what a driver replaces are compared with the drawing when the rig is compiled.
    fn neutral_values<P: Properties>(&mut self, driver: &DriverDoc, name: &str, values: &Channels<P>) {
        for (property, channel) in values.iter() {
            let row = property.row();
            let what = format!("`{}` of \"{}\"", row.name, shortened(name));
            match channel {
                _ if row.drive == Join::Last => {}
                AnyChannel::Number(channel) if row.kind.steps() => {
                    self.neutral_channel(driver, &channel.held(), &what, row.rest);
                }
                AnyChannel::Number(channel) => self.neutral_channel(driver, channel, &what, row.rest),
                AnyChannel::Pair(channel) => {
                    self.neutral_channel(driver, channel, &what, Vec2::new(row.rest, row.rest));
                }
                AnyChannel::Shape(channel) => {
                    let others: BTreeSet<&str> =
                        channel.names().map(|(other, _)| other).filter(|other| *other != name).collect();
                    for other in others {
                        let what = format!("the weight of \"{}\" in {what}", shortened(other));
                        let weights = channel.weights(|own| own == other);
                        self.neutral_channel(driver, &weights, &what, 0.0);
                    }
                }
                AnyChannel::Flag(_) | AnyChannel::Name(_) | AnyChannel::Color(_) => {}
            }
        }
    }

    fn neutral_channel<V: Value + Show>(
        &mut self,
        driver: &DriverDoc,
        channel: &Channel<V>,
        what: &str,
        neutral: V,
    ) {
        /// Less is rounding: no pixel shows it.
        const SAME: f64 = 1e-9;
        let rest = self.rest(driver);
        let Some(value) = curve(channel, |value: V| value).map(|curve| curve.at(rest)) else { return };
        let off = (value - neutral).zip(V::ZERO, |part, _| part.abs());
        if off.zip(V::ZERO, |part, _| f64::from(part > SAME)) == V::ZERO {
            return;
        }
        let key = channel.keys.iter().find(|key| key.time.value == rest);
        let span = key.map_or(channel.span, |key| key.value.span);
        let message = format!(
            "{what} must be {} in the setup pose, and it is {}",
            neutral.show(V::ZERO),
            value.show(neutral)
        );
        let help = format!(
            "write {1} at {0}, otherwise the setup pose differs from the drawing",
            driving(driver.drive(), rest),
            neutral.show(V::ZERO)
        );
        self.error(span, Diagnostic::warning("changes-setup-pose", message).help(help));
    }

    /// What each driver reads, if the bone is known and the driver readable.
    fn read(&self) -> Vec<Option<Number>> {
        let number = |driver: &DriverDoc| Some((self.index(&driver.bone.as_ref()?.value)?, driver.drive()?));
        self.doc.drivers.iter().map(|driver| number(driver).filter(|_| driver.complete)).collect()
    }

    /// The numbers that a driver changes somewhere.
    fn driven(&self, driver: usize) -> Vec<Driven> {
        let Some(doc) = self.doc.drivers.get(driver) else { return Vec::new() };
        let mut all = Vec::new();
        for channels in &doc.bones {
            let Some(bone) = self.index(&channels.bone.value) else { continue };
            for drive in Drive::WORDS.iter().map(|(_, drive)| *drive) {
                let (property, part) = drive.property();
                let half = property.half(part).and_then(|half| channels.values.get(half));
                let mut keyed = [channels.values.get(property), half].into_iter();
                if keyed.any(|channel| changes(channel, part, property.row().rest)) {
                    all.push(Driven { number: (bone, drive), driver, span: channels.bone.span });
                }
            }
        }
        all
    }

    /// Reports numbers that drive themselves, and returns whether there are any. Walks from each number to
    /// those that it drives; a way that comes back to a number above it closes a ring.
    fn rings(&mut self) -> bool {
        let mut drives: BTreeMap<Number, Vec<Driven>> = BTreeMap::new();
        let mut starts = Vec::new();
        for (driver, number) in self.read().into_iter().enumerate() {
            let Some(number) = number else { continue };
            starts.push(number);
            drives.entry(number).or_default().extend(self.driven(driver));
        }
        /// How far the walk has got with a number.
        enum DriverMark {
            /// It is this deep on the way that is being walked.
            On(usize),
            Done,
        }
        let mut marks: BTreeMap<Number, DriverMark> = BTreeMap::new();
        let mut found = false;
        for start in starts {
            if marks.contains_key(&start) {
                continue;
            }
            // A number on the way, and how many of those that it drives were visited.
            let mut way: Vec<(Number, usize)> = vec![(start, 0)];
            marks.insert(start, DriverMark::On(0));
            while let Some((number, visited)) = way.last_mut() {
                let Some(&next) = drives.get(number).and_then(|driven| driven.get(*visited)) else {
                    marks.insert(*number, DriverMark::Done);
                    way.pop();
                    continue;
                };
                *visited += 1;
                match marks.get(&next.number) {
                    None => {
                        marks.insert(next.number, DriverMark::On(way.len()));
                        way.push((next.number, 0));
                    }
                    Some(&DriverMark::On(depth)) => {
                        found = true;
                        self.ring_of_drivers(&way[depth..], next);
                    }
                    Some(DriverMark::Done) => {}
                }
            }
        }
        found
    }

    /// Reports a ring at the driver that closes it.
    fn ring_of_drivers(&mut self, ring: &[(Number, usize)], closing: Driven) {
        const SHOWN: usize = 6;
        let help = "read another bone, or remove one of them";
        if let [(number, _)] = ring {
            let message = format!("{} drives itself", self.show_number(*number));
            self.error(closing.span, Diagnostic::error("cycle", message).help(help));
            return;
        }
        let mut words: Vec<String> =
            ring.iter().take(SHOWN).map(|(number, _)| self.show_number(*number)).collect();
        if ring.len() > SHOWN {
            words.push(format!("{} more", ring.len() - SHOWN));
        }
        words.extend(ring.first().map(|(number, _)| self.show_number(*number)));
        let message = format!("these values form a cycle: {}", words.join(" drives "));
        self.error(closing.span, Diagnostic::error("cycle", message).help(help));
    }

    /// Drivers that read a number before another one changes it.
    fn order(&mut self) {
        let mut last: BTreeMap<Number, Driven> = BTreeMap::new();
        for driver in 0..self.doc.drivers.len() {
            last.extend(self.driven(driver).into_iter().map(|driven| (driven.number, driven)));
        }
        let doc = self.doc;
        for (index, (driver, number)) in doc.drivers.iter().zip(self.read()).enumerate() {
            let Some(number) = number else { continue };
            let Some(later) = last.get(&number).filter(|driven| driven.driver > index) else { continue };
            let place = self.place(later.span);
            let number = self.show_number(number);
            let message = format!("this driver reads {number} before a later driver changes it");
            let diagnostic = Diagnostic::warning("order", message).related(place, "it is changed here");
            let help = "drivers are evaluated in the order of the file: write the other one first";
            let span = driver.source().map_or(driver.span, |name| name.span);
            self.error(span, diagnostic.help(help));
        }
    }

    fn show_number(&self, (bone, drive): Number) -> String {
        let (property, _) = drive.property();
        format!("`{}` of \"{}\"", property.name(), shortened(self.name(bone)))
    }
}

/// Whether a channel does anything to a part of its value: 0, or 1 of a pair.
fn changes(channel: Option<&AnyChannel>, part: usize, rest: f64) -> bool {
    match channel {
        Some(AnyChannel::Number(channel)) => channel.keys.iter().any(|key| key.value.value != rest),
        Some(AnyChannel::Pair(channel)) => {
            channel.keys.iter().any(|key| [key.value.value.x, key.value.value.y][part] != rest)
        }
        _ => false,
    }
}

/// A value as it is written, in few digits.
trait Show {
    /// Beside another one of the message.
    fn show(self, other: Self) -> String;
}

impl Show for f64 {
    fn show(self, other: Self) -> String {
        in_few_digits_beside(self, &[other])
    }
}

impl Show for Vec2 {
    fn show(self, other: Self) -> String {
        format!("({}, {})", self.x.show(other.x), self.y.show(other.y))
    }
}
