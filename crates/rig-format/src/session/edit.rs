//! What can be changed in a rig, as plain data: a tool keeps, sends or lists edits, and the session makes them.

use kurbo::Point;

use super::names::Named;
use super::path::{DocPath, PathStep};
use super::value::DocValue;
use crate::doc::{Ease, Extend};
use crate::write::number;

/// Gives a macro the list of all edits, with the documents and types of their fields: what reads or writes
/// edits in a form of its own follows it. `= true` is the value of a field that may be left out.
#[doc(hidden)]
#[macro_export]
macro_rules! for_edits {
    ($define:ident!) => {
        $define! {
            /// Gives a field, an entry or an item a value; adds it, and what it is in, if it is not there.
            Set {
                /// What.
                at: DocPath,
                /// Its new value.
                value: DocValue,
            },
            /// Adds an entry with a new name to a map: a bone, a clip, a shot.
            Add {
                /// The map.
                into: DocPath,
                /// The name; must not be in use.
                name: String,
                /// The value.
                value: DocValue,
            },
            /// Adds an item to a list: a binding, a constraint, a driver, a spring.
            Insert {
                /// The list.
                into: DocPath,
                /// The item before which it comes; the end if there is none.
                before: Option<usize>,
                /// The item.
                value: DocValue,
            },
            /// Takes out a field, an entry or an item, and what is empty without it.
            Remove {
                /// What.
                at: DocPath,
            },
            /// Moves an item or an entry to another place of its list or map, where order matters.
            Move {
                /// What.
                at: DocPath,
                /// Its new index, counted without itself.
                to: usize,
            },
            /// Sets the value of a key; adds the key, and the channel, if it is not there.
            SetKey {
                /// The channel: of a bone, of art, of a constraint or a vertex, in a clip or a driver.
                channel: DocPath,
                /// Seconds; in a driver, the driving value.
                time: f64,
                /// The value.
                value: DocValue,
                /// Its ease; that of the key that is there if there is none.
                ease: Option<Ease>,
            },
            /// Gives a key another time.
            MoveKey {
                /// The channel.
                channel: DocPath,
                /// Its time.
                from: f64,
                /// Its new time; no other key may be there.
                to: f64,
            },
            /// Adds a key with the value and ease of another one.
            CopyKey {
                /// The channel.
                channel: DocPath,
                /// The time of that one.
                from: f64,
                /// The time of the new one; no other key may be there.
                to: f64,
            },
            /// Takes out a key; with the last one goes the channel.
            DeleteKey {
                /// The channel.
                channel: DocPath,
                /// Its time.
                time: f64,
            },
            /// Changes how a value travels from a key to the next.
            SetEase {
                /// The channel.
                channel: DocPath,
                /// The time of the key.
                time: f64,
                /// The ease; that of the channel if there is none.
                ease: Option<Ease>,
            },
            /// Changes what a value does outside its keys.
            SetExtend {
                /// The channel.
                channel: DocPath,
                /// The behaviour; the default if there is none.
                extend: Option<Extend>,
            },
            /// Moves the ends of a bone at rest, on the canvas, in the form in which they are written: as
            /// `from` and `to`, or as `origin`, `length` and `angle`. An end without a place keeps its place.
            PlaceBone {
                /// The bone.
                bone: String,
                /// Where it starts.
                from: Option<Point>,
                /// Where it ends.
                to: Option<Point>,
            },
            /// Gives a bone another parent, or none.
            SetParent {
                /// The bone.
                bone: String,
                /// The parent.
                parent: Option<String>,
                /// Whether it stays where it is on the canvas; else its numbers stay.
                keep_place: bool = true,
            },
            /// Renames something wherever a file of the rig names it. Art is renamed in the rig alone, and
            /// within addresses.
            Rename {
                /// What it is.
                of: Named,
                /// Its name.
                from: String,
                /// Its new name; must not be in use.
                to: String,
                /// Of a state or an input: the machine that has it, or the layer of a machine.
                within: Option<DocPath> = None,
            },
            /// Takes out something with a name.
            Delete {
                /// What it is.
                of: Named,
                /// Its name.
                name: String,
                /// Whether what uses it goes, too ([`Session::dependants`](super::Session::dependants)); else
                /// it is refused if something does.
                dependants: bool = false,
                /// Of a state or an input: the machine that has it, or the layer of a machine.
                within: Option<DocPath> = None,
            },
            /// Adds lines of comment before a field, an entry or an item, below those that are there; lines
            /// that stand there already are not added again. JSON has no comments: a file in it stays as it
            /// is.
            AddComment {
                /// What is described.
                at: DocPath,
                /// The lines.
                text: String,
            },
            /// Copies a clip or a shot, behind the first one.
            Duplicate {
                /// What it is.
                of: Named,
                /// Its name.
                name: String,
                /// The name of the copy; must not be in use.
                copy: String,
            },
            /// Binds art: the binding takes the place of the one that the art has, or comes behind all
            /// others. Other art of a binding that is shared keeps it.
            Bind {
                /// The name of the art.
                art: String,
                /// The binding without its art, as `Rigid(bone: "hip")`.
                binding: DocValue,
            },
            /// Takes art out of the bindings that name it; a binding without art goes.
            Unbind {
                /// The name of the art.
                art: String,
            },
        }
    };
}

macro_rules! define_edits {
    ($( $(#[$meta:meta])* $Edit:ident {
        $( $(#[$field_meta:meta])* $field:ident: $of:ty $(= $default:expr)?, )*
    }, )*) => {
        /// One change of a rig. The result is read and checked as any rig is, so a value of another type, a
        /// bone that does not exist, or a number out of range is refused with the message that `check` has
        /// for it.
        ///
        /// Numbers are rounded as [`Digits`](crate::write::Digits) of the session say.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Edit { $( $(#[$meta])* $Edit { $( $(#[$field_meta])* $field: $of, )* }, )* }
    };
}

for_edits!(define_edits!);

impl Edit {
    /// Gives a field, an entry or an item a value.
    pub fn set(at: impl Into<DocPath>, value: impl Into<DocValue>) -> Self {
        Self::Set { at: at.into(), value: value.into() }
    }

    /// Sets the value of a key.
    pub fn key(channel: impl Into<DocPath>, time: f64, value: impl Into<DocValue>) -> Self {
        Self::SetKey { channel: channel.into(), time, value: value.into(), ease: None }
    }

    /// Takes out a field, an entry or an item.
    pub fn remove(at: impl Into<DocPath>) -> Self {
        Self::Remove { at: at.into() }
    }

    /// Adds a bone between two points of the canvas; without `from` it starts at the tip of its parent.
    pub fn add_bone(name: &str, parent: Option<&str>, from: Option<Point>, to: Point) -> Self {
        let parent = parent.map(|parent| ("parent", parent.into()));
        let from = from.map(|from| ("from", from.into()));
        let fields = parent.into_iter().chain(from).chain([("to", to.into())]);
        Self::Add {
            into: DocPath::from(["bones"]),
            name: name.to_owned(),
            value: DocValue::fields(None, fields),
        }
    }

    /// Adds a clip of so many seconds.
    pub fn add_clip(name: &str, length: f64) -> Self {
        let value = DocValue::fields(None, [("length", length.into())]);
        Self::Add { into: DocPath::from(["clips"]), name: name.to_owned(), value }
    }

    /// What a list of steps calls it.
    pub fn title(&self) -> String {
        let key = |what: &str, channel: &DocPath| match channel.steps.as_slice() {
            [.., PathStep::Name(of), PathStep::Name(channel)] => format!("{what} of \"{of}\" {channel}"),
            _ => format!("{what} of {channel}"),
        };
        match self {
            Self::Set { at, .. } => format!("Set {at}"),
            Self::Add { into, name, .. } => format!("Add \"{name}\" to {into}"),
            Self::Insert { into, value, .. } => match value.kind() {
                Some(kind) => format!("Add {kind} to {into}"),
                None => format!("Add to {into}"),
            },
            Self::Remove { at } => format!("Remove {at}"),
            Self::Move { at, .. } => format!("Reorder {at}"),
            Self::SetKey { channel, .. } => key("Set key", channel),
            Self::MoveKey { channel, .. } => key("Move key", channel),
            Self::CopyKey { channel, .. } => key("Copy key", channel),
            Self::DeleteKey { channel, .. } => key("Delete key", channel),
            Self::SetEase { channel, time, .. } => key(&format!("Set ease at {}", number(*time, 4)), channel),
            Self::SetExtend { channel, .. } => key("Set extend", channel),
            Self::PlaceBone { bone, .. } => format!("Move bone \"{bone}\""),
            Self::SetParent { bone, .. } => format!("Set parent of \"{bone}\""),
            Self::Rename { of, from, to, .. } => format!("Rename {} \"{from}\" to \"{to}\"", of.what()),
            Self::Delete { of, name, .. } => format!("Delete {} \"{name}\"", of.what()),
            Self::AddComment { at, .. } => format!("Comment {at}"),
            Self::Duplicate { of, name, .. } => format!("Duplicate {} \"{name}\"", of.what()),
            Self::Bind { art, .. } => format!("Bind \"{art}\""),
            Self::Unbind { art } => format!("Unbind \"{art}\""),
        }
    }

    /// The path that it changes, if it names one.
    pub(super) fn path(&self) -> Option<&DocPath> {
        match self {
            Self::Set { at, .. }
            | Self::Remove { at }
            | Self::Move { at, .. }
            | Self::AddComment { at, .. } => Some(at),
            Self::Add { into, .. } | Self::Insert { into, .. } => Some(into),
            Self::SetKey { channel, .. }
            | Self::MoveKey { channel, .. }
            | Self::CopyKey { channel, .. }
            | Self::DeleteKey { channel, .. }
            | Self::SetEase { channel, .. }
            | Self::SetExtend { channel, .. } => Some(channel),
            _ => None,
        }
    }

    /// Whether it needs the bones as they are placed now.
    pub(super) fn needs_places(&self) -> bool {
        matches!(self, Self::PlaceBone { .. } | Self::SetParent { keep_place: true, .. })
    }
}
