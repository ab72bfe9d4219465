//! Two bones in closed form, by the law of cosines. Limits are looked at, not obeyed: a solution that breaks one is left
//! to the numeric solver.

use kurbo::Vec2;

use super::ik::Bend;
use super::linkage::{Linkage, Motion, ROOT};
use crate::Angle;

/// Solves for the values of a linkage of two turning joints with one end, and says whether the target is within reach. None if
/// it is another linkage, or if the solution lies outside the limits. `mirrored` is -1 where the root's frame is a mirror image of the canvas, else 1.
pub(super) fn solve(linkage: &mut Linkage, bend: Bend, mirrored: f64) -> Option<bool> {
    let [upper, lower] = &linkage.nodes[..] else { return None };
    let turning = upper.motion == Motion::Turn && lower.motion == Motion::Turn;
    if !(turning && linkage.similar && lower.parent == 0 && linkage.ends[0].node == 1) {
        return None;
    }
    let scale = upper.scale.x;
    let first = lower.offset * scale;
    let second = linkage.ends[0].local_in(linkage) * (scale * lower.scale.x);
    let target = linkage.ends[0].target;
    let (long, short) = (first.hypot(), second.hypot());
    let distance = target.hypot();
    // Nothing to turn, or nowhere to point: the numeric solver knows what to do.
    if long == 0.0 || short == 0.0 || distance == 0.0 {
        return None;
    }
    let towards = target / distance;
    // Cosine of the angle between the first link and the line to the target; beyond the reach the chain is straight.
    let cos =
        ((distance * distance + long * long - short * short) / (2.0 * distance * long)).clamp(-1.0, 1.0);
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    let reach = distance.clamp((long - short).abs(), long + short);
    let solution = |side: f64| {
        let along = towards * cos + Vec2::new(-towards.y, towards.x) * (sin * side);
        let elbow = along * long;
        let rest = towards * reach - elbow;
        let turn = Angle::of(along) - skew(first);
        let bent = Angle::of(Vec2::new(along.dot(rest), along.cross(rest))) + skew(first) - skew(second);
        let near = |angle: Angle, degrees: f64| {
            let now = Angle::from_degrees(degrees);
            (angle.nearest_to(now) - now).radians()
        };
        (near(turn, upper.degrees), near(bent, lower.degrees))
    };
    let side = match bend {
        // Left of the way on a canvas with y down is against the clock.
        Bend::Left => -mirrored,
        Bend::Right => mirrored,
        Bend::Auto => {
            let angle = Angle::from_degrees(lower.degrees);
            let (sin, cos) = angle.sin_cos();
            let now = Vec2::new(cos * second.x - sin * second.y, sin * second.x + cos * second.y);
            let over = first.cross(now);
            // A straight chain bends to where its limits leave more room.
            let roomier = if lower.most >= -lower.least { 1.0 } else { -1.0 };
            if over.abs() > 1e-12 * long * short { -over.signum() } else { -roomier }
        }
        Bend::Either => {
            let cost = |(a, b): (f64, f64)| a * a / upper.ease + b * b / lower.ease;
            if cost(solution(1.0)) <= cost(solution(-1.0)) { 1.0 } else { -1.0 }
        }
    };
    let (a, b) = solution(side);
    let allowed = a >= upper.least && a <= upper.most && b >= lower.least && b <= lower.most;
    if !(allowed && a.is_finite() && b.is_finite()) {
        return None;
    }
    debug_assert!(upper.parent == ROOT, "the first node is the root");
    (linkage.values[0], linkage.values[1]) = (a, b);
    Some((reach - distance).abs() <= 1e-8 * (long + short))
}

/// The direction of a link in its bone's frame; mostly along it.
#[inline]
fn skew(link: Vec2) -> Angle {
    if link.y == 0.0 && link.x > 0.0 { Angle::ZERO } else { Angle::of(link) }
}
