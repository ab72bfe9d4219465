//! The bones of a body on four legs.

use bone_core::Side;

/// A leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnimalLeg {
    /// Whether it is a front leg.
    pub front: bool,
    /// Its side.
    pub side: Side,
}

impl AnimalLeg {
    pub(crate) const ALL: [Self; 4] = [
        Self { front: true, side: Side::Left },
        Self { front: true, side: Side::Right },
        Self { front: false, side: Side::Left },
        Self { front: false, side: Side::Right },
    ];

    /// The name of its first bone: `hind_l`.
    pub const fn name(self) -> &'static str {
        match (self.front, self.side) {
            (true, Side::Left) => "front_l",
            (true, Side::Right) => "front_r",
            (false, Side::Left) => "hind_l",
            (false, Side::Right) => "hind_r",
        }
    }
}

/// A bone of a four-legged figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say all there is")]
pub enum AnimalPart {
    Body,
    Neck,
    Head,
    /// Parts of the tail from its base on.
    Tail(usize),
    /// Parts of a leg from the trunk on.
    Leg(AnimalLeg, usize),
    /// Parts of a wing from the trunk on.
    Wing(Side, usize),
}

impl AnimalPart {
    /// The name of the bone: `hind_l_2`.
    pub fn name(self) -> String {
        match self {
            Self::Body => "body".to_owned(),
            Self::Neck => "neck".to_owned(),
            Self::Head => "head".to_owned(),
            Self::Tail(0) => "tail".to_owned(),
            Self::Tail(at) => format!("tail_{}", at + 1),
            Self::Leg(leg, 0) => leg.name().to_owned(),
            Self::Leg(leg, at) => format!("{}_{}", leg.name(), at + 1),
            Self::Wing(side, at) => {
                let side = if side == Side::Left { "l" } else { "r" };
                if at == 0 { format!("wing_{side}") } else { format!("wing_{side}_{}", at + 1) }
            }
        }
    }
}
