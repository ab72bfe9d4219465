//! Ink as it was written: strokes whose width changes along their path.

use bone_drawing::{LineCap, LineJoin};
use kurbo::Vec2;

use super::keys::{Channel, keys};
use crate::schema::types::{INK_WIDTH, OF_ART};
use crate::schema::{Key as MapKey, Title, Type, WordType, record, words};
use crate::span::Spanned;

record! {
    /// The ink of one path.
    pub struct InkDoc = "Ink", Title::EntryFor("ink"), "(at: [(0, 1), (0.4, 6), (1, 0)], cap: Round)" {
        /// Which path.
        art: Spanned<String>,
    }
    named art;
    fields {
        /// Places and widths: a place is a share of the length at rest of each subpath, 0 its start and 1 its end. A
        /// pair is how far the ink reaches to the left and to the right.
        req at: Channel<Vec2> = (PLACES, "[(0, 1), (0.4, 6), (1, 0)]") also ["widths", "points", "places"];
        /// Its ends.
        opt cap: Spanned<InkEnd> = (InkEnd::TYPE, "as drawn", "Round") also ["caps", "linecap", "line_cap"];
        /// Its corners.
        opt join: Spanned<InkCorner> = (InkCorner::TYPE, "as drawn", "Round") also ["joins", "linejoin", "line_join"];
    }
}

/// A list of keys whose times are places.
const PLACES: Type = Type::Keys { of: &INK_WIDTH, example: "6", third: None, long: None };

const WIDTH_KEYS: Type = keys(&INK_WIDTH, "6");
const WIDTHS: Type = Type::Map { key: MapKey::Stop, of: &WIDTH_KEYS, each: "the width of this place" };
pub(super) const KEYED_INK: Type = Type::Map { key: OF_ART, of: &WIDTHS, each: "the ink of this art" };

words! {
    /// The ends of ink.
    pub enum InkEnd {
        /// Half a disc.
        #[default]
        Round,
        /// Cut where the path ends.
        Flat,
        /// Cut half a width farther.
        Square,
    }
}

words! {
    /// The corners of ink.
    pub enum InkCorner {
        /// A part of a circle.
        #[default]
        Round,
        /// Pointed, to the miter limit of the stroke.
        Miter,
        /// Cut off.
        Bevel,
    }
}

impl From<InkEnd> for LineCap {
    fn from(end: InkEnd) -> Self {
        match end {
            InkEnd::Round => Self::Round,
            InkEnd::Flat => Self::Butt,
            InkEnd::Square => Self::Square,
        }
    }
}

impl From<InkCorner> for LineJoin {
    fn from(corner: InkCorner) -> Self {
        match corner {
            InkCorner::Round => Self::Round,
            InkCorner::Miter => Self::Miter,
            InkCorner::Bevel => Self::Bevel,
        }
    }
}

/// The keyed widths of the ink of one path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InkKeysDoc {
    /// Which path.
    pub art: Spanned<String>,
    /// The number of a place in the list of the ink, from 0, and its width; each number once.
    pub places: Vec<(Spanned<u32>, Channel<Vec2>)>,
}
