//! A document as the text of a rig file: for what is made by a program and edited by a person, so with
//! comments, few digits and short lines. It does not check the document: read and check the text afterwards.
//!
//! ```
//! use kurbo::Point;
//! use rig_format::doc::{BindingDoc, BoneDoc, RigDoc, RigidDoc};
//! use rig_format::write::{Comments, Digits, write};
//!
//! let doc = RigDoc {
//!     version: Some(1.into()),
//!     drawing: Some("flag.svg".to_owned().into()),
//!     bones: vec![BoneDoc {
//!         name: "pole".to_owned().into(),
//!         from: Some(Point::new(5.0, 5.0).into()),
//!         to: Some(Point::new(35.000_04, 5.0).into()),
//!         ..BoneDoc::default()
//!     }],
//!     skin: vec![BindingDoc::Rigid(RigidDoc {
//!         art: "flag".to_owned().into(),
//!         bone: "pole".to_owned().into(),
//!         ..RigidDoc::default()
//!     })],
//!     ..RigDoc::default()
//! };
//! let comments = Comments::new().top("A flag.").on("bones", "pole", "It stands.");
//! assert_eq!(write(&doc, &comments, Digits::default()), r#"// A flag.
//! Rig(
//!     version: 1,
//!     drawing: "flag.svg",
//!     bones: {
//!         // It stands.
//!         "pole": (from: (5, 5), to: (35, 5)),
//!     },
//!     skin: [
//!         Rigid(art: "flag", bone: "pole"),
//!     ],
//! )
//! "#);
//! ```

mod clips;
mod constraints;
mod sequences;
mod skin;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kurbo::{Point, Vec2};

use crate::doc::{BoneDoc, Inherit, Joint, RigDoc};
use crate::span::Spanned;
use tree::{Group, Tree};

pub(crate) use tree::commented;
pub use tree::quoted;

/// How many digits after the point are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Of coordinates, lengths and degrees.
    pub places: usize,
    /// Of times, in seconds.
    pub times: usize,
    /// Of weights, sizes, opacities and other shares.
    pub shares: usize,
}

impl Digits {
    /// Every number as it is.
    pub const ALL: Self = Self { places: 17, times: 17, shares: 17 };
}

impl Default for Digits {
    /// A hundredth of a unit, a tenth of a millisecond, four digits of a share.
    fn default() -> Self {
        Self { places: 2, times: 4, shares: 4 }
    }
}

/// Comments beside the values. A text may have several lines.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    top: Vec<String>,
    before: BTreeMap<String, Vec<String>>,
    on: BTreeMap<(String, String), Vec<String>>,
    after: BTreeMap<String, Vec<String>>,
    end: Vec<String>,
}

impl Comments {
    /// No comments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Before the rig.
    pub fn top(mut self, text: &str) -> Self {
        self.top.extend(lines(text));
        self
    }

    /// Before a field of the rig, like `bones`, or `skin`.
    pub fn before(mut self, field: &str, text: &str) -> Self {
        self.before.entry(field.to_owned()).or_default().extend(lines(text));
        self
    }

    /// Before the bone, clip or shot of a name, before the binding whose first art it is, or before the
    /// constraint of a name.
    pub fn on(mut self, field: &str, name: &str, text: &str) -> Self {
        self.on.entry((field.to_owned(), name.to_owned())).or_default().extend(lines(text));
        self
    }

    /// Behind the last entry of a field, within its brackets. The field is written even if it has no entries.
    pub fn after(mut self, field: &str, text: &str) -> Self {
        self.after.entry(field.to_owned()).or_default().extend(lines(text));
        self
    }

    /// Behind the rig.
    pub fn end(mut self, text: &str) -> Self {
        self.end.extend(lines(text));
        self
    }

    fn of(&self, field: &str, name: &str) -> Vec<String> {
        self.on.get(&(field.to_owned(), name.to_owned())).cloned().unwrap_or_default()
    }
}

fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(str::to_owned)
}

/// Writes a rig. What the document leaves to defaults is left out.
pub fn write(doc: &RigDoc, comments: &Comments, digits: Digits) -> String {
    let pen = RigFormatter { digits };
    let mut rig = Rig { group: Group::fields("Rig").spread(), comments };
    rig.plain("version", doc.version.map(|version| version.value.to_string()));
    rig.plain("drawing", doc.drawing.as_ref().map(|drawing| quoted(&drawing.value)));
    rig.plain("fps", doc.fps.map(|fps| pen.share(fps.value)));
    rig.plain("tolerance", doc.follow.tolerance.map(|tolerance| pen.share(tolerance.value)));
    rig.plain("blend", doc.follow.blend.map(|blend| skin::blend(blend.value).to_owned()));

    let mut bones = Group::map();
    for bone in &doc.bones {
        let name = &bone.name.value;
        bones.noted(comments.of("bones", name), format!("{}: ", quoted(name)), pen.bone(bone).into());
    }
    rig.section("bones", bones);
    let mut skin = Group::list();
    for binding in &doc.skin {
        let name = binding.names().first().map_or("", |name| name.value.as_str());
        skin.noted(comments.of("skin", name), String::new(), pen.binding(binding).into());
    }
    rig.section("skin", skin);
    let mut drivers = Group::list();
    for driver in &doc.drivers {
        drivers.noted(comments.of("drivers", &driver.bone.value), String::new(), pen.driver(driver).into());
    }
    rig.section("drivers", drivers);
    let mut constraints = Group::list();
    for constraint in &doc.constraints {
        let name = constraint.name.as_ref().map_or("", |name| &name.value);
        constraints.noted(comments.of("constraints", name), String::new(), pen.constraint(constraint).into());
    }
    rig.section("constraints", constraints);
    let mut springs = Group::list();
    for spring in &doc.springs {
        let name = spring.names().next().map_or("", |name| &name.value);
        springs.noted(comments.of("springs", name), String::new(), pen.spring(spring).into());
    }
    rig.section("springs", springs);
    let mut clips = Group::map();
    for clip in &doc.clips {
        let name = &clip.name.value;
        clips.noted(comments.of("clips", name), format!("{}: ", quoted(name)), pen.clip(clip).into());
    }
    rig.section("clips", clips);
    let mut shots = Group::map();
    for shot in &doc.shots {
        let name = &shot.name.value;
        shots.noted(comments.of("shots", name), format!("{}: ", quoted(name)), pen.shot(shot).into());
    }
    rig.section("shots", shots);

    let mut out = String::new();
    let say = |out: &mut String, words: &[String]| {
        words.iter().for_each(|line| {
            out.push_str(&commented(line));
            out.push('\n');
        });
    };
    say(&mut out, &comments.top);
    Tree::from(rig.group).write(0, 0, &mut out);
    out.push('\n');
    say(&mut out, &comments.end);
    out
}

/// The fields of the whole.
struct Rig<'a> {
    group: Group,
    comments: &'a Comments,
}

impl Rig<'_> {
    fn plain(&mut self, field: &str, value: Option<String>) {
        if let Some(value) = value {
            self.field(field, value.into());
        }
    }

    fn section(&mut self, field: &str, mut group: Group) {
        group.end(self.comments.after.get(field).cloned().unwrap_or_default());
        if !group.is_empty() {
            self.field(field, group.spread().into());
        }
    }

    fn field(&mut self, field: &str, value: Tree) {
        let before = self.comments.before.get(field).cloned().unwrap_or_default();
        self.group.noted(before, format!("{field}: "), value);
    }
}

/// How values are written.
#[derive(Clone, Copy)]
struct RigFormatter {
    digits: Digits,
}

impl RigFormatter {
    /// A coordinate, a length or degrees.
    fn place(self, value: f64) -> String {
        number(value, self.digits.places)
    }

    fn time(self, value: f64) -> String {
        number(value, self.digits.times)
    }

    /// A weight, a size, or another pure number.
    fn share(self, value: f64) -> String {
        number(value, self.digits.shares)
    }

    fn point(self, point: Point) -> String {
        self.vector(point.to_vec2())
    }

    fn vector(self, vector: Vec2) -> String {
        self.range((vector.x, vector.y))
    }

    fn range(self, (a, b): (f64, f64)) -> String {
        format!("({}, {})", self.place(a), self.place(b))
    }

    fn shares(self, (a, b): (f64, f64)) -> String {
        format!("({}, {})", self.share(a), self.share(b))
    }

    /// One number for both, if they are one.
    fn size(self, size: Vec2) -> String {
        if size.x == size.y { self.share(size.x) } else { self.shares((size.x, size.y)) }
    }

    fn bone(self, bone: &BoneDoc) -> Group {
        let mut fields = Group::fields("");
        fields.given("parent", text(&bone.parent));
        fields.given("from", bone.from.map(|from| self.point(from.value)));
        fields.given("origin", bone.origin.map(|origin| self.point(origin.value)));
        fields.given("to", bone.to.map(|to| self.point(to.value)));
        fields.given("length", bone.length.map(|length| self.place(length.value)));
        fields.given("angle", bone.angle.map(|angle| self.place(angle.value)));
        fields.given("line", text(&bone.line));
        let inherit = |inherit| match inherit {
            Inherit::All => "All",
            Inherit::NoScale => "NoScale",
            Inherit::NoRotation => "NoRotation",
            Inherit::TranslationOnly => "TranslationOnly",
        };
        fields.given("inherit", bone.inherit.map(|word| inherit(word.value)));
        let joint = |joint| match joint {
            Joint::Free => "Free",
            Joint::Pin => "Pin",
            Joint::Slide => "Slide",
            Joint::Fixed => "Fixed",
        };
        fields.given("joint", bone.joint.map(|word| joint(word.value)));
        fields.given("limits", bone.limits.map(|limits| self.range((limits.value.least, limits.value.most))));
        fields.given("region", bone.region.map(|region| self.range((region.value.start, region.value.tip))));
        fields
    }
}

/// A name in quotes.
fn text(name: &Option<Spanned<String>>) -> Option<String> {
    name.as_ref().map(|name| quoted(&name.value))
}

/// Names in quotes, in a list.
fn names(names: &[Spanned<String>]) -> Group {
    let mut list = Group::list();
    names.iter().for_each(|name| list.item(quoted(&name.value)));
    list
}

/// A number with so many digits after the point at most, and no more than it needs.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        // Reading reports it at its place.
        return value.to_string();
    }
    let mut text = match digits {
        0..17 => format!("{value:.digits$}"),
        _ => value.to_string(),
    };
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".to_owned() } else { text }
}
