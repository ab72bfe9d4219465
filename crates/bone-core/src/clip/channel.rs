//! The values of a bone that a clip can key: the table of bones' properties.

use std::cmp::Ordering;

use bone_archive::{Join, Properties, Property, ValueKind, properties};
use kurbo::Vec2;

use crate::{Angle, BonePose};

properties! {
    /// A bone value of one component that a clip can key.
    pub enum Scalar {
        /// Turns the setup pose under resting skin.
        SetupAngle = 0, "setup_angle" {
            kind: ValueKind::Degrees, value: "30", keys: "[(0, 15)]", unkeyed: "not moved", also: &["setup_rotation"],
        }
        /// Absolute rotation relative to the parent; instead of `rotate`.
        Angle = 1, "angle" {
            kind: ValueKind::Degrees, value: "30", keys: "[(0, 90)]", unkeyed: "not moved",
            in_place_of: Some("rotate"),
        }
        /// Rotation relative to the setup pose; never wrapped, 720 is two turns.
        Rotate = 2, "rotate" {
            kind: ValueKind::Degrees, value: "30", keys: "[(0, 0), (0.5, 60), (1, 0, Hold)]", unkeyed: "not moved",
            drive: Join::Sum, also: &["rotation", "turn"],
        }
        /// Length of the bone's own skin; moves its children, does not scale them.
        Stretch = 3, "stretch" {
            kind: ValueKind::Number, value: "1.5", keys: "[(0, 1), (1, 1.5)]", unkeyed: "not moved", rest: 1.0,
            drive: Join::Sum,
        }
        /// The x of `move` alone, with keys and eases of its own.
        MoveX = 4, "move_x" {
            kind: ValueKind::Length, value: "10", keys: "[(0, 0), (1, 10)]", unkeyed: "not moved",
            drive: Join::Sum, half_of: Some(("move", 0)), also: &["x", "translate_x", "translatex"],
        }
        /// The y of `move` alone.
        MoveY = 5, "move_y" {
            kind: ValueKind::Length, value: "-20", keys: "[(0, 0), (0.5, -20, Out(Quad)), (1, 0, In(Quad))]",
            unkeyed: "not moved", drive: Join::Sum, half_of: Some(("move", 1)),
            also: &["y", "translate_y", "translatey"],
        }
        /// The x of `origin` alone.
        OriginX = 6, "origin_x" {
            kind: ValueKind::Length, value: "10", keys: "[(0, 10), (1, 20)]", unkeyed: "not moved",
            half_of: Some(("origin", 0)),
        }
        /// The y of `origin` alone.
        OriginY = 7, "origin_y" {
            kind: ValueKind::Length, value: "20", keys: "[(0, 20), (1, 10)]", unkeyed: "not moved",
            half_of: Some(("origin", 1)),
        }
        /// The x of `scale` alone: along the bone.
        ScaleX = 8, "scale_x" {
            kind: ValueKind::Number, value: "1.1", keys: "[(0, 1), (1, 1.1)]", unkeyed: "not moved", rest: 1.0,
            drive: Join::Product, half_of: Some(("scale", 0)), also: &["scalex"],
        }
        /// The y of `scale` alone: across the bone.
        ScaleY = 9, "scale_y" {
            kind: ValueKind::Number, value: "0.9", keys: "[(0, 1), (1, 0.9)]", unkeyed: "not moved", rest: 1.0,
            drive: Join::Product, half_of: Some(("scale", 1)), also: &["scaley"],
        }
    }
}

properties! {
    /// A bone value of two components that a clip can key.
    pub enum Vector {
        /// Moves the setup origin under resting skin.
        SetupOrigin = 0, "setup_origin" {
            kind: ValueKind::Place, value: "(10, 20)", keys: "[(0, (10, 20))]", unkeyed: "not moved",
        }
        /// Absolute origin in the parent's frame; instead of `move`.
        Origin = 1, "origin" {
            kind: ValueKind::Place, value: "(10, 20)", keys: "[(0, (10, 20))]", unkeyed: "not moved",
            in_place_of: Some("move"),
        }
        /// Translation relative to the setup origin, in the parent's frame.
        Move = 2, "move" {
            kind: ValueKind::Place, value: "(10, 20)", keys: "[(0, (0, 0)), (1, (10, 20))]", unkeyed: "not moved",
            drive: Join::Sum, also: &["translate", "translation", "position"],
        }
        /// Size, inherited by children; a single number scales both.
        Scale = 3, "scale" {
            kind: ValueKind::Size, value: "1.5", keys: "[(0, 1), (1, (1.2, 1))]", unkeyed: "not moved", rest: 1.0,
            drive: Join::Product, also: &["size"],
        }
    }
}

impl Scalar {
    /// Whether it is a value of the setup pose.
    pub(super) fn is_setup(self) -> bool {
        self == Self::SetupAngle
    }
}

impl Vector {
    /// Whether it is a value of the setup pose.
    pub(super) fn is_setup(self) -> bool {
        self == Self::SetupOrigin
    }
}

/// A value of a bone that a clip can key. The order is that of [`ALL`](Properties::ALL).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoneProperty {
    /// Of one component.
    Scalar(Scalar),
    /// Of two components.
    Vector(Vector),
}

impl From<Scalar> for BoneProperty {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl From<Vector> for BoneProperty {
    fn from(vector: Vector) -> Self {
        Self::Vector(vector)
    }
}

impl BoneProperty {
    /// Its row in the table.
    pub const fn row(self) -> &'static Property {
        match self {
            Self::Scalar(scalar) => scalar.row(),
            Self::Vector(vector) => vector.row(),
        }
    }

    /// Its name in a rig.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The properties that are relative to the setup pose and whole: together they set all of a bone.
    pub fn relative() -> impl Iterator<Item = Self> {
        let is_whole = |row: &Property| row.drive != Join::Never && row.half_of.is_none();
        Self::ALL.iter().copied().filter(move |property| is_whole(property.row()))
    }

    /// The value of a posed bone. One of one component has it in x; angles are degrees.
    pub fn of(self, pose: &BonePose, setup: &BonePose) -> Vec2 {
        let one = |value: f64| Vec2::new(value, 0.0);
        match self {
            Self::Scalar(Scalar::SetupAngle) => one(setup.angle.degrees()),
            Self::Scalar(Scalar::Angle) => one(pose.angle.degrees()),
            Self::Scalar(Scalar::Rotate) => one((pose.angle - setup.angle).degrees()),
            Self::Scalar(Scalar::Stretch) => one(pose.stretch),
            Self::Scalar(Scalar::MoveX) => one(pose.origin.x - setup.origin.x),
            Self::Scalar(Scalar::MoveY) => one(pose.origin.y - setup.origin.y),
            Self::Scalar(Scalar::OriginX) => one(pose.origin.x),
            Self::Scalar(Scalar::OriginY) => one(pose.origin.y),
            Self::Scalar(Scalar::ScaleX) => one(pose.scale.x),
            Self::Scalar(Scalar::ScaleY) => one(pose.scale.y),
            Self::Vector(Vector::SetupOrigin) => setup.origin,
            Self::Vector(Vector::Origin) => pose.origin,
            Self::Vector(Vector::Move) => pose.origin - setup.origin,
            Self::Vector(Vector::Scale) => pose.scale,
        }
    }

    /// Sets the value of a posed bone; the setup pose stays.
    pub fn set(self, value: Vec2, pose: &mut BonePose, setup: &BonePose) {
        match self {
            Self::Scalar(Scalar::Angle) => pose.angle = Angle::from_degrees(value.x),
            Self::Scalar(Scalar::Rotate) => pose.angle = setup.angle + Angle::from_degrees(value.x),
            Self::Scalar(Scalar::Stretch) => pose.stretch = value.x,
            Self::Scalar(Scalar::MoveX) => pose.origin.x = setup.origin.x + value.x,
            Self::Scalar(Scalar::MoveY) => pose.origin.y = setup.origin.y + value.x,
            Self::Scalar(Scalar::OriginX) => pose.origin.x = value.x,
            Self::Scalar(Scalar::OriginY) => pose.origin.y = value.x,
            Self::Scalar(Scalar::ScaleX) => pose.scale.x = value.x,
            Self::Scalar(Scalar::ScaleY) => pose.scale.y = value.x,
            Self::Vector(Vector::Origin) => pose.origin = value,
            Self::Vector(Vector::Move) => pose.origin = setup.origin + value,
            Self::Vector(Vector::Scale) => pose.scale = value,
            Self::Scalar(Scalar::SetupAngle) | Self::Vector(Vector::SetupOrigin) => {}
        }
    }
}

impl Ord for BoneProperty {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |property: &Self| Self::ALL.iter().position(|own| own == property);
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for BoneProperty {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In the order of the documents: what is used most comes first.
impl Properties for BoneProperty {
    const ALL: &'static [Self] = &[
        Self::Scalar(Scalar::Rotate),
        Self::Scalar(Scalar::Angle),
        Self::Vector(Vector::Move),
        Self::Scalar(Scalar::MoveX),
        Self::Scalar(Scalar::MoveY),
        Self::Vector(Vector::Origin),
        Self::Scalar(Scalar::OriginX),
        Self::Scalar(Scalar::OriginY),
        Self::Vector(Vector::Scale),
        Self::Scalar(Scalar::ScaleX),
        Self::Scalar(Scalar::ScaleY),
        Self::Scalar(Scalar::Stretch),
        Self::Vector(Vector::SetupOrigin),
        Self::Scalar(Scalar::SetupAngle),
    ];
    const ROWS: &'static [Property] = &{
        let mut rows = [Property::COMMON; Self::ALL.len()];
        let mut at = 0;
        while at < rows.len() {
            rows[at] = *Self::ALL[at].row();
            at += 1;
        }
        rows
    };

    fn row(self) -> &'static Property {
        self.row()
    }
}
