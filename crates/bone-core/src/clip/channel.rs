//! The values of a bone that a clip can key.

use bone_archive::archive;

/// A bone value of one component that a clip can key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scalar {
    /// Rotates the setup pose under resting skin, degrees; relative channels stay relative to it.
    SetupAngle,
    /// Rotation relative to the parent, degrees, absolute.
    Angle,
    /// Rotation relative to the setup pose, degrees; adds to an absolute one.
    Rotate,
    /// Length of the bone's own skin.
    Stretch,
}

impl Scalar {
    /// Whether it is a value of the setup pose.
    pub(super) fn is_setup(self) -> bool {
        self == Self::SetupAngle
    }
}

/// A bone value of two components that a clip can key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vector {
    /// Moves the setup origin under resting skin; relative channels stay relative to it.
    SetupOrigin,
    /// Origin in the parent's frame, absolute.
    Origin,
    /// Shift relative to the setup origin; adds to an absolute one.
    Move,
    /// Scale along and across the bone, inherited by children.
    Scale,
}

impl Vector {
    /// Whether it is a value of the setup pose.
    pub(super) fn is_setup(self) -> bool {
        self == Self::SetupOrigin
    }
}

archive!(
    enum Scalar {
        SetupAngle = 0,
        Angle = 1,
        Rotate = 2,
        Stretch = 3,
    }
);
archive!(
    enum Vector {
        SetupOrigin = 0,
        Origin = 1,
        Move = 2,
        Scale = 3,
    }
);
