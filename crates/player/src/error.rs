//! Calls that a player cannot follow. None of them changes anything.

use std::error::Error;
use std::fmt;

use bone_drawing::ElementId;
use bone_rig::{DragError, MixerError, OverrideError};

/// A call that a player cannot follow. Nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlayerError {
    /// A clip, bone, element, input, machine or outfit that the character does not have.
    OtherCharacter,
    /// The clip has ended.
    NotPlaying,
    /// Only a layer has a weight.
    NoLayer,
    /// A number that cannot be used.
    Number {
        /// What it is.
        what: &'static str,
    },
    /// A value that an input does not take.
    Input {
        /// The input.
        name: String,
        /// What it takes.
        wanted: &'static str,
    },
    /// The element is no text.
    NotText,
    /// The drawing has not kept what would be set: other words, the art of an element that is not drawn, a paint.
    NotKept {
        /// The element.
        element: ElementId,
    },
    /// Handles are dragged in the setup pose or in an exact moment, and clips play.
    Playing,
    /// The drag did not happen.
    Drag(DragError),
    /// What is set does not fit the rig.
    Override(OverrideError),
    /// The parents of bones in two clips form a cycle.
    Mixer(MixerError),
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherCharacter => {
                f.write_str("the character does not have this clip, bone, element, input, machine or outfit")
            }
            Self::NotPlaying => f.write_str("the clip does not play any more"),
            Self::NoLayer => f.write_str("the clip is no layer: its weight is that of its fade"),
            Self::Number { what } => write!(f, "the {what} is not usable"),
            Self::Input { name, wanted } => write!(f, "input \"{name}\" takes {wanted}"),
            Self::NotText => f.write_str("the element is no text"),
            Self::NotKept { element } => {
                write!(f, "the drawing has nothing of this kind in element {}", element.index())
            }
            Self::Playing => f.write_str("clips play: pose an exact moment before the drag"),
            Self::Drag(error) => error.fmt(f),
            Self::Override(error) => error.fmt(f),
            Self::Mixer(error) => error.fmt(f),
        }
    }
}

impl Error for PlayerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Drag(error) => Some(error),
            Self::Override(error) => Some(error),
            Self::Mixer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<MixerError> for PlayerError {
    fn from(error: MixerError) -> Self {
        match error {
            MixerError::NotPlaying { .. } => Self::NotPlaying,
            MixerError::NoLayer { .. } => Self::NoLayer,
            MixerError::UnknownBone { .. } | MixerError::Machine => Self::OtherCharacter,
            MixerError::Number { value } => Self::Number { what: value },
            MixerError::Override(error) => Self::from(error),
            other => Self::Mixer(other),
        }
    }
}

impl From<OverrideError> for PlayerError {
    fn from(error: OverrideError) -> Self {
        match error {
            OverrideError::NotFinite { of } => Self::Number { what: of },
            OverrideError::UnknownBone { .. } | OverrideError::UnknownOutfit { .. } => Self::OtherCharacter,
            other => Self::Override(other),
        }
    }
}

/// What a name is looked for among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Clips and sequences.
    Clip,
    /// Bones.
    Bone,
    /// Inputs.
    Input,
    /// Elements of the drawing.
    Element,
    /// State machines.
    Machine,
    /// Outfits.
    Outfit,
}

/// A name that a character does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// What it was looked for among.
    pub kind: NameKind,
    /// The name.
    pub name: String,
    /// Names like it; of a name that several elements have, the address of each.
    pub near: Vec<String>,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NameKind::Clip => "clip",
            NameKind::Bone => "bone",
            NameKind::Input => "input",
            NameKind::Element => "single element",
            NameKind::Machine => "machine",
            NameKind::Outfit => "outfit",
        };
        write!(f, "no {kind} is called \"{}\"", self.name)?;
        match self.near.as_slice() {
            [] => Ok(()),
            near => write!(f, "; there is \"{}\"", near.join("\", \"")),
        }
    }
}

impl Error for NameError {}
