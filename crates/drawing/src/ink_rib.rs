//! A rib of inked paths: where the discs along a path touch their envelope, to one side of a point of it.
//!
//! With the centre `c(t)`, its unit tangent `T`, the radius `r(t)` and `cos a = r'/|c'|`, discs touch their envelope in
//! the direction `u` that is turned from `T` by `pi - a`, at `c + r u`. The map `(t, d) -> c + d u` covers their union
//! for `d` from 0 to `r`; where it would fold back, a rib ends at the fold: each point of the union is the image of
//! one without a fold, that which minimises `|p - c| - r`. So outlines made of ribs have no negative windings.

use kurbo::{CubicBez, ParamCurve as _, ParamCurveDeriv as _, Point, Vec2};

/// A point of a piece of a path at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Station {
    /// The parameter.
    pub(crate) at: f64,
    /// The parameter for derivatives: another one where a piece begins or ends without a direction.
    pub(crate) slope_at: f64,
    /// The share of the subpath, and its first two derivatives by the parameter.
    pub(crate) share: [f64; 3],
}

/// Whether discs have an envelope at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RibState {
    /// Its disc touches the envelope.
    Regular,
    /// Its point of the envelope is behind the fold, within other discs.
    Folded,
    /// Its disc is within those after it.
    Grows,
    /// Its disc is within those before it.
    Shrinks,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rib {
    pub(crate) center: Point,
    /// The direction of the path.
    pub(crate) tangent: Vec2,
    /// The normal of the path to this side.
    pub(crate) normal: Vec2,
    pub(crate) direction: Vec2,
    pub(crate) radius: f64,
    /// Where it ends.
    pub(crate) tip: Point,
    /// The derivative of the tip by the parameter.
    pub(crate) velocity: Vec2,
    pub(crate) state: RibState,
}

/// The first side, to the left of a path as it is seen with y pointing down; the other one is 1.
pub(crate) const LEFT: usize = 0;

impl Rib {
    /// The rib of a piece to a side, with the radius there and its two derivatives by the share.
    pub(crate) fn new(piece: &CubicBez, at: &Station, [radius, by, by_by]: [f64; 3], side: usize) -> Self {
        let center = piece.eval(at.at);
        let first = piece.deriv();
        let (d1, d2) = (first.eval(at.slope_at).to_vec2(), first.deriv().eval(at.slope_at).to_vec2());
        let speed = d1.hypot();
        let polygon =
            (piece.p1 - piece.p0).hypot() + (piece.p2 - piece.p1).hypot() + (piece.p3 - piece.p2).hypot();
        let moves = speed > 1e-9 * polygon && speed.is_normal();
        let tangent = if moves { d1 / speed } else { chord_direction(piece) };
        let sign = if side == LEFT { -1.0 } else { 1.0 };
        let normal = sign * Vec2::new(-tangent.y, tangent.x);
        let [_, share_d1, share_d2] = at.share;
        let (r1, r2) = (by * share_d1, by_by * share_d1 * share_d1 + by * share_d2);
        let slope = if moves { (r1 / speed).clamp(-1.0, 1.0) } else { 0.0 };
        let sine = (1.0 - slope * slope).sqrt();
        let swallowed = |state| Self {
            center,
            tangent,
            normal,
            direction: -slope.signum() * tangent,
            radius,
            tip: center,
            velocity: Vec2::ZERO,
            state,
        };
        if sine < 1e-6 {
            return swallowed(if slope > 0.0 { RibState::Grows } else { RibState::Shrinks });
        }
        let direction = sine * normal - slope * tangent;
        let along = sign * Vec2::new(direction.y, -direction.x);
        let (turn, tilt) = match moves {
            true => {
                let slope_d1 = r2 / speed - r1 * d1.dot(d2) / (speed * speed * speed);
                (sign * d1.cross(d2) / (speed * speed), -slope_d1 / sine)
            }
            false => (0.0, 0.0),
        };
        let pace = speed * sine - radius * (turn - tilt);
        let (reach, state) = match pace >= 0.0 {
            true => (radius, RibState::Regular),
            false => ((speed * sine / (turn - tilt)).clamp(0.0, radius), RibState::Folded),
        };
        let velocity = if state == RibState::Regular { pace * along } else { Vec2::ZERO };
        Self { center, tangent, normal, direction, radius, tip: center + reach * direction, velocity, state }
    }

    /// The point of its disc in a direction.
    pub(crate) fn rim(&self, direction: Vec2) -> Point {
        self.center + self.radius * direction
    }

    /// Ends at the line across the end of its path, where the envelope would go beyond. `outwards` leads there.
    pub(crate) fn cut(&mut self, outwards: Vec2) {
        if self.state == RibState::Regular && self.direction.dot(outwards) > 0.0 {
            // The envelope is straight there, but for its curvature, and meets the line at r / sin a.
            let reach = self.radius / self.direction.dot(self.normal).max(0.25);
            self.direction = self.normal;
            self.tip = self.center + reach * self.normal;
        }
    }
}

/// The direction of a piece without a derivative.
fn chord_direction(piece: &CubicBez) -> Vec2 {
    let ways = [piece.p3 - piece.p0, piece.p2 - piece.p0, piece.p1 - piece.p0];
    let way = ways.into_iter().find(|way| way.hypot().is_normal());
    way.map_or(Vec2::new(1.0, 0.0), |way| way / way.hypot())
}

/// An arc of at most half a circle as a curve, between two directions from a centre with a radius each.
pub(crate) fn arc(center: Point, (from, from_radius): (Vec2, f64), (to, to_radius): (Vec2, f64)) -> CubicBez {
    let cosine = from.dot(to).clamp(-1.0, 1.0);
    // 4/3 tan(a/4), by halves of angles.
    let (half_sine, half_cosine) = ((0.5 * (1.0 - cosine)).sqrt(), (0.5 * (1.0 + cosine)).sqrt());
    let handle = 4.0 / 3.0 * half_sine / (1.0 + half_cosine);
    let sine = from.cross(to);
    let turned = |way: Vec2| if sine < 0.0 { Vec2::new(way.y, -way.x) } else { Vec2::new(-way.y, way.x) };
    let (start, end) = (center + from_radius * from, center + to_radius * to);
    CubicBez::new(
        start,
        start + handle * from_radius * turned(from),
        end - handle * to_radius * turned(to),
        end,
    )
}
