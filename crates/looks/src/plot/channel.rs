//! The values of bones that can be plotted.

/// A value of bones that can be plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlotChannel {
    /// Degrees from the setup pose.
    Rotate,
    /// Degrees against the parent.
    Angle,
    /// The shift from the setup origin.
    Move,
    /// The origin in the parent's frame.
    Origin,
    /// Size along and across the bone.
    Scale,
    /// Length of the bone's own skin.
    Stretch,
    /// Degrees of the setup pose.
    SetupAngle,
    /// The setup origin in the parent's frame.
    SetupOrigin,
}

impl PlotChannel {
    /// All of them, in the order in which they are drawn.
    pub const ALL: [Self; 8] = [
        Self::Rotate,
        Self::Angle,
        Self::Move,
        Self::Origin,
        Self::Scale,
        Self::Stretch,
        Self::SetupAngle,
        Self::SetupOrigin,
    ];

    /// Its name in a rig file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rotate => "rotate",
            Self::Angle => "angle",
            Self::Move => "move",
            Self::Origin => "origin",
            Self::Scale => "scale",
            Self::Stretch => "stretch",
            Self::SetupAngle => "setup_angle",
            Self::SetupOrigin => "setup_origin",
        }
    }

    /// Its unit.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Rotate | Self::Angle | Self::SetupAngle => "degrees",
            Self::Move | Self::Origin | Self::SetupOrigin => "units",
            Self::Scale | Self::Stretch => "times",
        }
    }
}
