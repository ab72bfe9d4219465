//! Bones as they were written.

use kurbo::{Point, Vec2};

use crate::schema::types::{ART, BONE, BONE_LENGTH, DEGREES, GRIP, LIMITS, REGION, VOLUME, XY};
use crate::schema::{Title, WordType, entry, record, words};
use crate::span::Spanned;
use bone_core::Inherit;
use bone_skin::PinTurn;

entry! {
    /// A bone as written.
    pub struct BoneDoc = "Bone", Title::Named("bone"), "(parent: \"hip\", length: 60)";
    fields {
        /// Its parent: the bone that carries it.
        opt parent: Spanned<String> = (BONE, "none: a root", "\"hip\"");
        /// Where it starts, in canvas coordinates.
        opt from: Spanned<Point> = (XY, "the parent's tip", "(230, 210)")
            also ["start", "head", "position"];
        /// Where it starts, in the parent's frame (x along the parent); instead of `from`.
        opt origin: Spanned<Vec2> = (XY, "the parent's tip", "(0, 12)");
        /// Where it ends, in canvas coordinates; gives length and angle.
        opt to: Spanned<Point> = (XY, "by `length`", "(280, 240)") also ["end", "tail", "tip"];
        /// Its length in units of the canvas; instead of `to`.
        opt length: Spanned<f64> = (BONE_LENGTH, "by `to`", "60");
        /// Its rotation relative to the parent (a root: to the x axis); with `length`.
        opt angle: Spanned<f64> = (DEGREES, "0", "-15") also ["rotation", "rotate"];
        /// A line of the drawing that gives both ends; instead of `from` and `to`, see
        /// [Bones that follow lines](#bones-that-follow-lines).
        opt line: Spanned<String> = (ART, "none", "\"upper\"");
        /// `Segment`: it has a length and a direction; `Point`: a place without a length, a pin that moves, turns
        /// and scales the art around it.
        opt kind: Spanned<BoneKind> = (BoneKind::TYPE, "`Segment`", "Segment");
        /// What it inherits from its parent.
        opt inherit: Spanned<Inherit> = (Inherit::TYPE, "`All`", "NoScale") also ["transform"];
        /// How much its art gets thinner where `stretch` makes it longer: 0 keeps its width, 1 its area.
        opt volume: Spanned<f64> = (VOLUME, "0", "1") also ["keep_volume", "squash"];
        /// How it moves.
        opt joint: Spanned<Joint> = (Joint::TYPE, "`Pin`; of a point `Free`", "Fixed");
        /// Degrees from the setup pose for `Pin`, units along the bone's axis for `Slide`.
        opt limits: Spanned<Limits> = (LIMITS, "none", "(-100, 80)") also ["limit", "constraints"];
        /// Region of influence, in units of the canvas.
        opt region: Spanned<Region> = (REGION, "none", "(18, 12)");
        /// As a pin of a `Puppet`: the radius of what it holds, in units of the canvas.
        opt grip: Spanned<f64> = (GRIP, "in proportion to the triangles", "12");
        /// As a pin of a `Puppet`, `Free`: the pins around it turn it; `Set`: it turns as it is keyed, also by more
        /// than a full turn.
        opt turn: Spanned<PinTurn> = (PinTurn::TYPE, "`Free`; of a bone with a length `Set`", "Set");
    }
}

impl BoneDoc {
    /// What it is.
    pub fn kind(&self) -> BoneKind {
        self.kind.map(|kind| kind.value).unwrap_or_default()
    }
}

words! {
    /// What a bone is.
    pub enum BoneKind {
        /// A line from its start to its tip.
        #[default]
        Segment,
        /// A point.
        Point,
    }
}

words! {
    /// How a bone moves.
    pub enum Joint {
        /// In any way.
        Free,
        /// It turns.
        #[default]
        Pin,
        /// It moves along its own axis.
        Slide,
        /// Not at all.
        Fixed,
    }
}

/// How far a joint moves from the setup pose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Degrees or units.
    pub least: f64,
    /// Degrees or units.
    pub most: f64,
}

/// A region of influence around a bone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Region {
    /// The radius where the bone starts.
    pub start: f64,
    /// The radius at its tip.
    pub tip: f64,
}
