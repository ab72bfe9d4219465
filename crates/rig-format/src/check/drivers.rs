//! Drivers: they add to the pose, leave it alone at rest, and do not drive themselves, alone or in a ring.

use std::collections::BTreeMap;

use bone_core::clip::Value;
use bone_core::in_few_digits_beside;
use kurbo::Vec2;

use crate::check::Checker;
use crate::check::clips::{Axis, driving};
use crate::curves::curve;
use crate::diagnostic::Diagnostic;
use crate::doc::{BoneChannelsDoc, Channel, Drive, DriverDoc};
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
            self.refer(&driver.bone, "`bone` of this driver is");
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
                self.error(driver.bone.span, diagnostic.help("add `bones`, `offsets` or `art`"));
            }
        }
        if !self.rings() {
            self.order();
        }
    }

    /// What a driver does comes on top of the pose, so it has no channels that set a value.
    fn sets_nothing(&mut self, bone: &BoneChannelsDoc) {
        let relative = |with: &'static str| format!("use `{with}`, which is relative to the setup pose");
        let clips = || "only clips can have it".to_owned();
        let channels = [
            ("angle", bone.angle.as_ref().map(|channel| channel.span), relative("rotate")),
            ("origin", bone.origin.as_ref().map(|channel| channel.span), relative("move")),
            ("parent", bone.parent.as_ref().map(|channel| channel.span), clips()),
            ("setup_origin", bone.setup_origin.as_ref().map(|channel| channel.span), clips()),
            ("setup_angle", bone.setup_angle.as_ref().map(|channel| channel.span), clips()),
        ];
        for (name, span, help) in channels {
            let Some(span) = span else { continue };
            let message = format!("a driver cannot have `{name}`: it can only add to the pose");
            self.error(span, Diagnostic::error("not-possible-here", message).help(help));
        }
    }

    /// Whether the setup pose stays the drawing.
    fn neutral(&mut self, driver: &DriverDoc) {
        let (zero, one) = (Vec2::ZERO, Vec2::new(1.0, 1.0));
        for bone in &driver.bones {
            let name = shortened(&bone.bone.value);
            self.neutral_channel(driver, bone.rotate.as_ref(), &format!("`rotate` of \"{name}\""), 0.0);
            self.neutral_channel(driver, bone.shift.as_ref(), &format!("`move` of \"{name}\""), zero);
            self.neutral_channel(driver, bone.scale.as_ref(), &format!("`scale` of \"{name}\""), one);
            self.neutral_channel(driver, bone.stretch.as_ref(), &format!("`stretch` of \"{name}\""), 1.0);
        }
        for art in &driver.offsets {
            for (vertex, offset) in &art.vertices {
                let what = format!(
                    "the offset of vertex {} of \"{}\"",
                    vertex.value.show(),
                    shortened(&art.art.value)
                );
                self.neutral_channel(driver, Some(&offset.channel), &what, zero);
            }
        }
        for art in &driver.art {
            let name = shortened(&art.art.value);
            self.neutral_channel(driver, art.opacity.as_ref(), &format!("`opacity` of \"{name}\""), 1.0);
            let held = art.order.as_ref().map(Channel::held);
            self.neutral_channel(driver, held.as_ref(), &format!("`order` of \"{name}\""), 0.0);
        }
    }

    fn neutral_channel<V: Value + Show>(
        &mut self,
        driver: &DriverDoc,
        channel: Option<&Channel<V>>,
        what: &str,
        neutral: V,
    ) {
        /// Less is rounding: no pixel shows it.
        const SAME: f64 = 1e-9;
        let Some(channel) = channel else { return };
        let rest = driver.drive().at_rest();
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
        let number = |driver: &DriverDoc| Some((self.index(&driver.bone.value)?, driver.drive()));
        self.doc.drivers.iter().map(|driver| number(driver).filter(|_| driver.complete)).collect()
    }

    /// The numbers that a driver changes somewhere.
    fn driven(&self, driver: usize) -> Vec<Driven> {
        let Some(doc) = self.doc.drivers.get(driver) else { return Vec::new() };
        let mut all = Vec::new();
        for channels in &doc.bones {
            let Some(bone) = self.index(&channels.bone.value) else { continue };
            let mut add = |drive: Drive, changes: bool| {
                if changes {
                    all.push(Driven { number: (bone, drive), driver, span: channels.bone.span });
                }
            };
            add(Drive::Rotate, changes(channels.rotate.as_ref(), |v| v));
            add(Drive::MoveX, changes(channels.shift.as_ref(), |v| v.x));
            add(Drive::MoveY, changes(channels.shift.as_ref(), |v| v.y));
            // 1 is no scale and no stretch.
            add(Drive::ScaleX, changes(channels.scale.as_ref(), |v| v.x - 1.0));
            add(Drive::ScaleY, changes(channels.scale.as_ref(), |v| v.y - 1.0));
            add(Drive::Stretch, changes(channels.stretch.as_ref(), |v| v - 1.0));
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
        enum Mark {
            /// It is this deep on the way that is being walked.
            On(usize),
            Done,
        }
        let mut marks: BTreeMap<Number, Mark> = BTreeMap::new();
        let mut found = false;
        for start in starts {
            if marks.contains_key(&start) {
                continue;
            }
            // A number on the way, and how many of those that it drives were visited.
            let mut way: Vec<(Number, usize)> = vec![(start, 0)];
            marks.insert(start, Mark::On(0));
            while let Some((number, visited)) = way.last_mut() {
                let Some(&next) = drives.get(number).and_then(|driven| driven.get(*visited)) else {
                    marks.insert(*number, Mark::Done);
                    way.pop();
                    continue;
                };
                *visited += 1;
                match marks.get(&next.number) {
                    None => {
                        marks.insert(next.number, Mark::On(way.len()));
                        way.push((next.number, 0));
                    }
                    Some(&Mark::On(depth)) => {
                        found = true;
                        self.ring_of_drivers(&way[depth..], next);
                    }
                    Some(Mark::Done) => {}
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
            self.error(driver.bone.span, diagnostic.help(help));
        }
    }

    fn show_number(&self, (bone, drive): Number) -> String {
        let channel = match drive {
            Drive::Rotate => "rotate",
            Drive::MoveX | Drive::MoveY => "move",
            Drive::ScaleX | Drive::ScaleY => "scale",
            _ => "stretch",
        };
        format!("`{channel}` of \"{}\"", shortened(self.name(bone)))
    }
}

/// Whether a channel does anything to a part of its value, which is 0 where it does nothing.
fn changes<T: Copy>(channel: Option<&Channel<T>>, part: impl Fn(T) -> f64) -> bool {
    channel.is_some_and(|channel| channel.keys.iter().any(|key| part(key.value.value) != 0.0))
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
