//! What an artist wants of a rig, as plain data: chains of bones, bindings, rules, poses of sliders. The laws (which
//! bones, which names, which side) are here, so that a page, a command and an editor of texts agree; what comes out
//! are edits of a session, made on the text as it is then.

mod bones;
mod chain;
mod middle;
mod mirror;
mod rules;
mod shots;
mod sliders;
mod strokes;
mod times;

use std::collections::BTreeMap;

use bone_core::{BoneId, Skeleton};
use bone_format::diagnostic::nearest;
use bone_format::session::{DocPath, DocValue, Edit, Session};
use bone_rig::Rig;
use kurbo::Point;

use crate::error::AuthoringError;
use crate::scaffold;

pub use middle::middle_of_art;

/// Values of bones by the names of bones and channels.
pub type PoseChange = BTreeMap<String, BTreeMap<String, DocValue>>;

/// Gives a macro the list of all intents, with the documents and types of their fields: what reads or writes intents in
/// a form of its own follows it. `= value` is that of a field that may be left out.
#[doc(hidden)]
#[macro_export]
macro_rules! for_intents {
    ($define:ident!) => {
        $define! {
            /// Adds a chain of bones through points of the canvas, each at the tip of the one before, the first one below
            /// `parent`. They are called after the art on which they lie. With `axis`, the x of an upright line, each bone
            /// beside that line gets a twin on its other side, and both get `.L` and `.R`.
            DrawChain {
                /// At least two points.
                points: Vec<Point>,
                /// The bone below which it is.
                parent: Option<String>,
                /// The x of the mirror.
                axis: Option<f64>,
            },
            /// Adds a clip of so many seconds; it hides the drawing's group of bone lines.
            AddClip {
                /// Its name.
                name: String,
                /// Seconds.
                length: f64,
            },
            /// Binds each piece of art in the place of the binding that it has; `how` is `Rigid` or `Smooth`.
            Bind {
                /// The art.
                arts: Vec<String> = Vec::new(),
                /// One bone, or several that bend it.
                bones: Vec<String> = Vec::new(),
                /// `Rigid` or `Smooth`.
                how: String,
            },
            /// Binds all art as `init` does: to the bones that pass through it, or else the nearest one. Art that is bound
            /// keeps its binding, unless `replace` is set.
            BindAll {
                /// Whether bindings that are there are replaced.
                replace: bool = false,
            },
            /// Takes art out of the bindings that name it; a binding without art goes.
            Unbind {
                /// The art.
                arts: Vec<String> = Vec::new(),
            },
            /// Paints found weights along a line: the bone gets `add` on top of its share, or, without a bone, all shares
            /// move by `smooth` towards their mean. One stroke for each `Smooth` binding of the art, of at most six
            /// points.
            Stroke {
                /// The art.
                arts: Vec<String>,
                /// The bone.
                bone: Option<String>,
                /// What it gets, or loses.
                add: Option<f64>,
                /// How far shares are evened out.
                smooth: Option<f64>,
                /// How far it reaches to each side.
                width: f64,
                /// Points of the canvas.
                at: Vec<Point>,
                /// Bones that keep their shares.
                lock: Vec<String> = Vec::new(),
                /// How exact points are: the size of a pixel on the canvas.
                pixel: f64 = 1.0,
            },
            /// Makes a stroke on the weights of art stronger or weaker: `much` is its `add` or `smooth`. Without it the
            /// stroke is deleted; without `stroke` all of them.
            SetStroke {
                /// The art of the binding.
                art: String,
                /// Which stroke, from 0.
                stroke: Option<usize>,
                /// Its new strength.
                much: Option<f64>,
            },
            /// Splits a bone at a share of its length. The second one has its tip and is the parent of its children; smooth
            /// bindings get both, and chains of constraints through the bone are one bone longer.
            SplitBone {
                /// The bone.
                bone: String,
                /// From 0, its joint, to 1, its tip.
                at: f64,
            },
            /// Deletes bones. Their children keep their places, with the next bone above as parent, which their art follows,
            /// too. Keys and constraints of the bones are deleted.
            DeleteBones {
                /// The bones.
                bones: Vec<String>,
            },
            /// Makes the other side of bones with a side in their names: twins that are missing are added, others are placed,
            /// and rules that have no twin get one.
            MirrorSide {
                /// The bones.
                bones: Vec<String>,
                /// The x of the mirror; that of the first root if it is left out.
                axis: Option<f64>,
            },
            /// Adds a rule: `Ik` brings the tip of the last bone to `at`, `Pin` holds it, `Aim` turns it to `target` or `at`,
            /// `Copy` gives it the turns of `target`, `Distance` keeps the distance to `target` or `at`, `Path` puts the bones
            /// on `art`, `Limit` limits its rotation, `Spring` gives it and its descendants a spring.
            AddRule {
                /// Which.
                kind: String,
                /// The bones that it moves.
                bones: Vec<String>,
                /// Another bone.
                target: Option<String>,
                /// A point of the canvas.
                at: Option<Point>,
                /// The art of a path.
                art: Option<String>,
                /// How many bones may move, at most.
                chain: Option<usize>,
            },
            /// Takes out a constraint, a spring or a driver; the list goes with its last one.
            DeleteRule {
                /// Where it is written.
                at: DocPath,
            },
            /// Adds a shot that plays clips one after the other.
            AddShot {
                /// Its name.
                name: String,
                /// The clips.
                clips: Vec<String>,
            },
            /// Sets a number of a part of a shot, or of what an actor plays in one: `fade`, `repeat`, `length`, `from` or
            /// `speed`; null is what it is without the field.
            SetPart {
                /// The part.
                at: DocPath,
                /// The field.
                field: String,
                /// Its value.
                value: Option<f64>,
            },
            /// Gives a slider a pose at one of its values: what bones change there, on top of what the slider changes
            /// already. At rest the slider changes nothing.
            RecordPose {
                /// The slider.
                slider: String,
                /// Its value.
                value: f64,
                /// Changes by bones and channels: turns in degrees, places, factors.
                pose: PoseChange,
            },
            /// Moves keys of a stretch of time to another stretch, in proportion. Keys that they meet are replaced.
            Retime {
                /// The channels.
                channels: Vec<DocPath>,
                /// The start of the stretch, seconds.
                from: f64,
                /// Its end.
                until: f64,
                /// The new start.
                start: f64,
                /// The new end.
                end: f64,
            },
        }
    };
}

macro_rules! define_intents {
    ($( $(#[$meta:meta])* $Intent:ident {
        $( $(#[$field_meta:meta])* $field:ident: $of:ty $(= $default:expr)?, )*
    }, )*) => {
        /// What an artist wants of a rig. Its edits are made by [`Intent::edits`].
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Intent { $( $(#[$meta])* $Intent { $( $(#[$field_meta])* $field: $of, )* }, )* }
    };
}

for_intents!(define_intents!);

impl Intent {
    /// The edits that carry it out on a rig as it is now.
    ///
    /// # Errors
    /// If it names what is not there, or cannot be done.
    pub fn edits(&self, session: &Session) -> Result<Vec<Edit>, AuthoringError> {
        match self {
            Self::DrawChain { points, parent, axis } => {
                chain::draw(&CurrentRig::of(session)?, points, parent.as_deref(), *axis)
            }
            Self::AddClip { name, length } => Ok(add_clip(name, *length, session)),
            Self::Bind { arts, bones, how } => {
                let binding = binding(bones, how)?;
                let bound = |art: &String| Edit::Bind { art: art.clone(), binding: binding.clone() };
                Ok(named(arts)?.iter().map(bound).collect())
            }
            Self::BindAll { replace } => scaffold::bind_all(session, *replace),
            Self::Unbind { arts } => {
                Ok(named(arts)?.iter().map(|art| Edit::Unbind { art: art.clone() }).collect())
            }
            Self::Stroke { arts, bone, add, smooth, width, at, lock, pixel } => {
                let stroke = strokes::NewStroke { bone: bone.as_deref(), add: *add, smooth: *smooth, lock };
                strokes::paint(&CurrentRig::of(session)?, named(arts)?, stroke, (at, *width, *pixel))
            }
            Self::SetStroke { art, stroke, much } => {
                strokes::change(&CurrentRig::of(session)?, art, *stroke, *much)
            }
            Self::DeleteRule { at } => rules::delete(session, at),
            Self::AddShot { name, clips } => shots::add(session, name, clips),
            Self::SetPart { at, field, value } => shots::set(session, at, field, *value),
            Self::SplitBone { bone, at } => bones::split(&CurrentRig::of(session)?, bone, *at),
            Self::DeleteBones { bones } => bones::delete(&CurrentRig::of(session)?, bones),
            Self::MirrorSide { bones, axis } => mirror::side(&CurrentRig::of(session)?, bones, *axis),
            Self::AddRule { kind, bones, target, at, art, chain } => {
                let rule = rules::RuleSubject {
                    target: target.as_deref(),
                    at: *at,
                    art: art.as_deref(),
                    chain: *chain,
                };
                rules::add(&CurrentRig::of(session)?, kind, bones, rule)
            }
            Self::RecordPose { slider, value, pose } => {
                sliders::record(&CurrentRig::of(session)?, slider, *value, pose)
            }
            Self::Retime { channels, from, until, start, end } => {
                times::retime(session, channels, [*from, *until], [*start, *end])
            }
        }
    }

    /// Whether it needs the drawing of the rig.
    pub fn binds(&self) -> bool {
        use Intent as I;
        matches!(
            self,
            I::Bind { .. } | I::BindAll { .. } | I::Unbind { .. } | I::Stroke { .. } | I::SetStroke { .. }
        )
    }
}

fn request(message: impl Into<String>) -> AuthoringError {
    AuthoringError::Request(message.into())
}

/// A rig without mistakes, for laws that need its bones.
struct CurrentRig<'s> {
    session: &'s Session,
    rig: &'s Rig,
}

impl<'s> CurrentRig<'s> {
    fn of(session: &'s Session) -> Result<Self, AuthoringError> {
        let rig = session.rig().filter(|_| session.is_current());
        let rig = rig.ok_or(AuthoringError::Edit(bone_format::edit::EditError::Mistakes))?;
        Ok(Self { session, rig })
    }

    fn skeleton(&self) -> &'s Skeleton {
        self.rig.skeleton()
    }

    fn bone(&self, name: &str) -> Result<BoneId, AuthoringError> {
        let names = || self.skeleton().bones().map(|bone| self.skeleton().name(bone));
        self.skeleton().find(name).ok_or_else(|| {
            let near = nearest(name, names()).map(|near| format!("; did you mean \"{near}\"?"));
            request(format!("there is no bone \"{name}\"{}", near.unwrap_or_default()))
        })
    }

    /// The items of a list of the rig, through all its files.
    fn items(&self, section: &str) -> Vec<(DocPath, DocValue)> {
        let path = |index| DocPath::from([section]).index(index);
        (0..).map_while(|index| Some((path(index), self.session.get(&path(index)).ok()?))).collect()
    }

    /// A name that no constraint has.
    fn rule_name(&self, base: &str) -> String {
        let rules = self.items("constraints");
        let taken = |name: &str| rules.iter().any(|(_, rule)| text_of(rule, "name") == Some(name));
        free_name(base, taken)
    }
}

/// The text of a field.
fn text_of<'v>(value: &'v DocValue, field: &str) -> Option<&'v str> {
    value.field(field)?.as_text().map(|text| &**text)
}

/// The texts in the list of a field.
fn texts_of<'v>(value: &'v DocValue, field: &str) -> Vec<&'v str> {
    match value.field(field) {
        Some(DocValue::List(items)) => items.iter().filter_map(|item| Some(&**item.as_text()?)).collect(),
        _ => Vec::new(),
    }
}

/// The keys of a channel: their times and values.
fn keys_of(channel: &DocValue) -> impl Iterator<Item = (f64, &DocValue)> {
    let items = match channel.field("keys").unwrap_or(channel) {
        DocValue::List(items) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match item {
        DocValue::Tuple(None, parts) => Some((parts.first()?.as_number()?, parts.get(1)?)),
        _ => None,
    })
}

fn texts<'t>(names: impl IntoIterator<Item = &'t str>) -> DocValue {
    DocValue::list(names.into_iter().map(DocValue::text))
}

/// A name, or that with the first number that makes it free; the number stands before the side.
fn free_name(base: &str, taken: impl Fn(&str) -> bool) -> String {
    let (stem, side) = chain::parted(base);
    let numbered = (2..).map(|number| format!("{stem}_{number}{side}"));
    let mut names = std::iter::once(base.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// A new clip, which does not show the bone lines of the drawing.
fn add_clip(name: &str, length: f64, session: &Session) -> Vec<Edit> {
    let mut edits = vec![Edit::add_clip(name, length)];
    if let Some((_, guides)) = session.rig().and_then(|rig| crate::shown_guides(rig.art())) {
        let hidden = DocValue::list([DocValue::tuple(None, [0.0.into(), false.into()])]);
        let at = DocPath::clip(name).name("art").name(&guides).name("visible");
        edits.push(Edit::set(at, hidden));
    }
    edits
}

fn named(arts: &[String]) -> Result<&[String], AuthoringError> {
    match arts {
        [] => Err(request("`arts` must be a list of names")),
        arts => Ok(arts),
    }
}

/// A binding without its art.
fn binding(bones: &[String], how: &str) -> Result<DocValue, AuthoringError> {
    match (how, bones) {
        ("Rigid", [bone]) => Ok(DocValue::fields(Some("Rigid"), [("bone", bone.as_str().into())])),
        ("Rigid", _) => Err(request("a rigid binding has one bone")),
        ("Smooth", [_, ..]) => {
            let bones = texts(bones.iter().map(String::as_str));
            Ok(DocValue::fields(Some("Smooth"), [("bones", bones)]))
        }
        ("Smooth", []) => Err(request("a binding has at least one bone")),
        _ => Err(request("`how` must be Rigid or Smooth")),
    }
}
