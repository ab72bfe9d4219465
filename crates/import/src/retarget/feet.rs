//! Feet and toes seen from their side. A rig that is drawn from the side shows its shoes from the side, so a foot
//! that points at the viewer keeps its slope against the ground in place of its direction in the picture, which
//! is that of tiptoes.

use bone_core::Side;
use bone_core::clip::smoothstep;
use kurbo::Vec2;

use crate::PlanarMotion;
use crate::body::Body;
use crate::figure::{directions_of, longest_of};
use crate::parts::BodyPart;

/// Feet are seen from their side below shins that are upright: their height is at least the second share of
/// their length. Below the first share, of a figure that lies, they are as in the picture.
const LEVEL: f64 = 0.5;
const UPRIGHT: f64 = 0.85;

/// The offsets of feet and toes in all frames.
pub(super) struct FootWays {
    rate: f64,
    parts: Vec<(BodyPart, Vec<Vec2>)>,
}

impl FootWays {
    /// `forward` is 1 for a rig that faces right, `turned` is whether its feet are drawn from their side.
    pub(super) fn new(motion: &PlanarMotion, body: &Body, forward: f64, turned: bool) -> Self {
        let mut parts = Vec::new();
        for side in [Side::Left, Side::Right] {
            let shin = BodyPart::Shin(side);
            let shin = body.start(shin).zip(body.end(shin)).filter(|_| turned);
            for part in [BodyPart::Foot(side), BodyPart::Toe(side)] {
                let Some((from, to)) = body.start(part).zip(body.end(part)) else { continue };
                let way = |frame: usize| {
                    let seen = motion.offset(frame, from, to);
                    let turned = shin.and_then(|shin| from_its_side(motion, frame, shin, (from, to)));
                    turned
                        .map_or(seen, |(x, share)| Vec2::new(seen.x + share * (forward * x - seen.x), seen.y))
                };
                parts.push((part, (0..motion.frames()).map(way).collect()));
            }
        }
        Self { rate: motion.rate(), parts }
    }

    /// The offsets of a foot or of toes.
    pub(super) fn offsets(&self, part: BodyPart) -> Option<&[Vec2]> {
        self.parts.iter().find(|(other, _)| *other == part).map(|(_, ways)| &ways[..])
    }

    /// Its directions in degrees, unwrapped.
    pub(super) fn directions(&self, part: BodyPart) -> Option<Vec<f64>> {
        let ways = self.offsets(part)?;
        Some(directions_of(ways, self.rate, longest_of(ways.iter().copied())))
    }
}

/// How far a foot reaches along the ground, forward or, of a figure that stands on its hands, backward; and the
/// share to which this counts. `None` if depths are not known.
fn from_its_side(
    motion: &PlanarMotion,
    frame: usize,
    shin: (usize, usize),
    foot: (usize, usize),
) -> Option<(f64, f64)> {
    let space = |(from, to): (usize, usize)| {
        let deep = motion.depth(frame, to)? - motion.depth(frame, from)?;
        Some((motion.offset(frame, from, to), deep))
    };
    let ((shin, deep), (foot, ahead)) = (space(shin)?, space(foot)?);
    let upright = shin.y.abs() / (shin.hypot2() + deep * deep).sqrt().max(1e-9);
    let share = smoothstep((upright - LEVEL) / (UPRIGHT - LEVEL));
    Some((Vec2::new(foot.x, ahead).hypot() * shin.y.signum(), share))
}
