//! The progress of eases over time: 0 at 0, 1 at 1. Each function has a share of the time, and gives the progress and its
//! derivative.

use bone_archive::words;
use kurbo::Vec2;

use crate::angle::{Angle, exp};

words! {
    /// Where an ease of steps jumps.
    pub enum Jumps {
        /// At the end of each step: the first value is held, the last one is that of the next key.
        #[default]
        End = 0,
        /// At the start of each step.
        Start = 1,
        /// At neither end: first and last value are held as long as those between.
        None = 2,
        /// At both ends.
        Both = 3,
    }
}

words! {
    /// At which end of a movement its easing is.
    pub enum EaseSide {
        /// At its start.
        #[default]
        In = 0,
        /// At its end.
        Out = 1,
        /// At both.
        InOut = 2,
    }
}

words! {
    /// The kind of a Penner easing.
    pub enum EaseShape {
        /// A quarter of a wave.
        #[default]
        Sine = 0,
        /// A square.
        Quad = 1,
        /// A cube.
        Cubic = 2,
        /// A fourth power.
        Quart = 3,
        /// A fifth power.
        Quint = 4,
        /// 2 to the power of ten times the time.
        Expo = 5,
        /// A quarter of a circle.
        Circ = 6,
        /// Pulls back by a tenth first.
        Back = 7,
        /// Swings ever wider.
        Elastic = 8,
        /// Bounces ever higher.
        Bounce = 9,
    }
}

/// CSS Easing Functions Level 1, section 2.3.
pub(super) fn steps(share: f64, count: f64, jumps: Jumps) -> f64 {
    // A frame at the time of a jump must not miss it by the last bit.
    const SLACK: f64 = 1e-9;
    let done = (share * count + SLACK).floor();
    match jumps {
        Jumps::End => done / count,
        Jumps::Start => (done + 1.0) / count,
        Jumps::None => done / (count - 1.0),
        Jumps::Both => (done + 1.0) / (count + 1.0),
    }
    .min(1.0)
}

/// A damped spring that is released at 0. What it lacks of 1 in the end, a thousandth, is added over time.
pub(super) fn spring(share: f64, bounce: f64) -> (f64, f64) {
    /// The decay is to a thousandth.
    const K: f64 = 3.0 * std::f64::consts::LN_10;
    let ratio = 1.0 - bounce;
    let w = K * (1.0 / (ratio * ratio) - 1.0).sqrt();
    let free = |s: f64| {
        if w < 1e-6 {
            return (1.0 - exp(-K * s) * (1.0 + K * s), K * K * s * exp(-K * s));
        }
        let Vec2 { x: cos, y: sin } = Angle::from_radians(w * s).direction();
        (1.0 - exp(-K * s) * (cos + K / w * sin), exp(-K * s) * (K * K / w + w) * sin)
    };
    let ((way, speed), rest) = (free(share), 1.0 - free(1.0).0);
    (way + rest * share, speed + rest)
}

/// Penner's easings. `Out` is `In` from its end, `InOut` is `In` and then `Out`.
pub(super) fn penner(share: f64, side: EaseSide, shape: EaseShape) -> (f64, f64) {
    let both = side == EaseSide::InOut;
    if side == EaseSide::In || both && share < 0.5 {
        let (way, speed) = eased(if both { 2.0 * share } else { share }, shape, both);
        return if both { (way / 2.0, speed) } else { (way, speed) };
    }
    let (way, speed) = eased(if both { 2.0 - 2.0 * share } else { 1.0 - share }, shape, both);
    (1.0 - if both { way / 2.0 } else { way }, speed)
}

/// An easing at the start. `Back` and `Elastic` are stronger if it is one of both halves.
fn eased(t: f64, shape: EaseShape, both: bool) -> (f64, f64) {
    use std::f64::consts::{FRAC_PI_2, LN_2, PI};
    /// Overshoots by a tenth.
    const BACK: f64 = 1.70158;
    // Their powers of 2 and waves end a thousandth beside 0 and 1.
    if t <= 0.0 && matches!(shape, EaseShape::Expo | EaseShape::Elastic) {
        return (0.0, 0.0);
    }
    let power = |n: i32| (t.powi(n), f64::from(n) * t.powi(n - 1));
    let grown = || exp(-10.0 * LN_2 * (1.0 - t));
    match shape {
        EaseShape::Sine => {
            let Vec2 { x: cos, y: sin } = Angle::from_degrees(90.0 * t).direction();
            (1.0 - cos, FRAC_PI_2 * sin)
        }
        EaseShape::Quad => power(2),
        EaseShape::Cubic => power(3),
        EaseShape::Quart => power(4),
        EaseShape::Quint => power(5),
        EaseShape::Expo => (grown(), 10.0 * LN_2 * grown()),
        EaseShape::Circ => {
            let side = (1.0 - t * t).max(0.0).sqrt();
            (1.0 - side, t / side)
        }
        EaseShape::Back => {
            let by = if both { 1.525 * BACK } else { BACK };
            (t * t * ((by + 1.0) * t - by), t * (3.0 * (by + 1.0) * t - 2.0 * by))
        }
        EaseShape::Elastic => {
            // Tenths of the time in a wave.
            let wave = if both { 4.5 } else { 3.0 };
            let turn = Angle::from_degrees((10.0 * (t - 1.0) / wave - 0.25) * 360.0);
            let Vec2 { x: cos, y: sin } = turn.direction();
            (-grown() * sin, -10.0 * grown() * (LN_2 * sin + 2.0 * PI / wave * cos))
        }
        EaseShape::Bounce => {
            let (fallen, speed) = fall(1.0 - t);
            (1.0 - fallen, speed)
        }
    }
}

/// A ball that falls to 1 and bounces three times.
fn fall(t: f64) -> (f64, f64) {
    /// The time is in parts of which the first fall takes one, the bounces 1, 1/2 and 1/4.
    const PARTS: f64 = 2.75;
    const FORCE: f64 = PARTS * PARTS;
    let (middle, height) = match t * PARTS {
        part if part < 1.0 => (0.0, 0.0),
        part if part < 2.0 => (1.5, 0.75),
        part if part < 2.5 => (2.25, 0.9375),
        _ => (2.625, 0.984375),
    };
    let away = t - middle / PARTS;
    (FORCE * away * away + height, 2.0 * FORCE * away)
}

/// The handles of a cubic from (0, 0) to (1, 1), x in [0, 1].
#[derive(Clone, Copy)]
pub(super) struct Handles {
    pub(super) x1: f64,
    pub(super) y1: f64,
    pub(super) x2: f64,
    pub(super) y2: f64,
}

impl Handles {
    /// The progress at a share of the time, and its derivative: infinite where the curve is vertical.
    #[inline]
    pub(super) fn way(self, time: f64) -> (f64, f64) {
        let s = self.parameter(time);
        (cubic(self.y1, self.y2, s), self.speed(s))
    }

    #[inline]
    fn speed(self, s: f64) -> f64 {
        let Self { x1, y1, x2, y2 } = self;
        // At its ends the tangent of a cubic points to the first control point that differs from the end.
        let towards = |points: [(f64, f64); 2]| {
            let away = points.into_iter().find(|point| *point != (0.0, 0.0));
            away.map_or(1.0, |(x, y)| y / x)
        };
        if s <= 0.0 {
            return towards([(x1, y1), (x2, y2)]);
        }
        if s >= 1.0 {
            return towards([(1.0 - x2, 1.0 - y2), (1.0 - x1, 1.0 - y1)]);
        }
        let (dx, dy) = (slope(x1, x2, s), slope(y1, y2, s));
        if dx == 0.0 && dy == 0.0 { 1.0 } else { dy / dx.max(0.0) }
    }

    /// The curve parameter at a share of the time.
    ///
    /// Newton's method, safeguarded by bisection. It takes the same steps, so it gives the same bits, on
    /// every machine.
    fn parameter(self, time: f64) -> f64 {
        let Self { x1, x2, .. } = self;
        let (mut low, mut high) = (0.0, 1.0);
        let mut s = time;
        // Bisection alone would end in 53 steps; Newton's method ends most searches in five.
        for _ in 0..60 {
            let off = cubic(x1, x2, s) - time;
            if off.abs() < 1e-15 {
                break;
            }
            if off > 0.0 {
                high = s;
            } else {
                low = s;
            }
            let newton = s - off / slope(x1, x2, s);
            // Also false for NaN: where the slope is 0, the midpoint is taken.
            s = if newton > low && newton < high { newton } else { low + (high - low) * 0.5 };
        }
        s
    }
}

/// A cubic from 0 to 1 with these control values.
fn cubic(p1: f64, p2: f64, s: f64) -> f64 {
    let r = 1.0 - s;
    3.0 * r * r * s * p1 + 3.0 * r * s * s * p2 + s * s * s
}

/// Its derivative.
fn slope(p1: f64, p2: f64, s: f64) -> f64 {
    let r = 1.0 - s;
    3.0 * r * r * p1 + 6.0 * r * s * (p2 - p1) + 3.0 * s * s * (1.0 - p2)
}
