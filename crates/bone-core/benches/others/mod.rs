//! The usual methods, as in their papers, on plain chains: for comparison only.

use bone_core::Angle;
use kurbo::Vec2;

/// A planar chain at the origin: the first angle absolute, the others relative.
pub(crate) struct Chain {
    pub(crate) lengths: Vec<f64>,
    pub(crate) angles: Vec<f64>,
    /// Limits of all but the first joint, either way.
    pub(crate) limit: Option<f64>,
    pub(crate) target: Vec2,
}

/// Greatest number of iterations of each method.
const ROUNDS: usize = 400;

impl Chain {
    fn clamp(&self, joint: usize, angle: f64) -> f64 {
        self.limit.filter(|_| joint > 0).map_or(angle, |limit| angle.clamp(-limit, limit))
    }

    fn close(&self, tip: Vec2) -> bool {
        (tip - self.target).hypot() <= 1e-3 * self.lengths.iter().sum::<f64>()
    }

    /// Joints, and the tip after them.
    fn place(&self, angles: &[f64], at: &mut Vec<Vec2>) -> Vec2 {
        at.clear();
        let (mut place, mut turn) = (Vec2::ZERO, 0.0);
        for (angle, length) in angles.iter().zip(&self.lengths) {
            at.push(place);
            turn += angle;
            place += Angle::from_radians(turn).direction() * *length;
        }
        place
    }
}

/// Damped least squares from the last step (Wampler 1986), limits clamped.
pub(crate) fn damped(chain: &Chain) -> f64 {
    let mut angles = chain.angles.clone();
    let mut at = Vec::new();
    let reach: f64 = chain.lengths.iter().sum();
    let mut tip = chain.place(&angles, &mut at);
    for _ in 0..ROUNDS {
        if chain.close(tip) {
            break;
        }
        let error = chain.target - tip;
        let column = |joint: &Vec2| Vec2::new(joint.y - tip.y, tip.x - joint.x);
        let damping = 1e-3 * reach * reach;
        let (mut xx, mut xy, mut yy) = (damping, 0.0, damping);
        for g in at.iter().map(column) {
            xx += g.x * g.x;
            xy += g.x * g.y;
            yy += g.y * g.y;
        }
        let det = xx * yy - xy * xy;
        let u = Vec2::new(yy * error.x - xy * error.y, xx * error.y - xy * error.x) / det;
        for (i, joint) in at.iter().enumerate() {
            angles[i] = chain.clamp(i, angles[i] + column(joint).dot(u));
        }
        tip = chain.place(&angles, &mut at);
    }
    (tip - chain.target).hypot()
}

/// Cyclic coordinate descent (Wang and Chen 1991), limits clamped.
pub(crate) fn ccd(chain: &Chain) -> f64 {
    let mut angles = chain.angles.clone();
    let mut at = Vec::new();
    let mut tip = chain.place(&angles, &mut at);
    for _ in 0..ROUNDS {
        if chain.close(tip) {
            break;
        }
        for i in (0..angles.len()).rev() {
            let (from, to) = (tip - at[i], chain.target - at[i]);
            let turn = Angle::of(Vec2::new(from.dot(to), from.cross(to))).radians();
            let allowed = chain.clamp(i, angles[i] + turn) - angles[i];
            angles[i] += allowed;
            let (sin, cos) = Angle::from_radians(allowed).sin_cos();
            tip = at[i] + Vec2::new(cos * from.x - sin * from.y, sin * from.x + cos * from.y);
        }
        tip = chain.place(&angles, &mut at);
    }
    (tip - chain.target).hypot()
}

/// FABRIK (Aristidou and Lasenby 2011), limits clamped on the outward pass.
pub(crate) fn fabrik(chain: &Chain) -> f64 {
    let n = chain.lengths.len();
    let mut at = Vec::new();
    let tip = chain.place(&chain.angles, &mut at);
    at.push(tip);
    let unit = |v: Vec2| if v.hypot() > 0.0 { v / v.hypot() } else { Vec2::new(1.0, 0.0) };
    for _ in 0..ROUNDS {
        if chain.close(at[n]) {
            break;
        }
        at[n] = chain.target;
        for i in (0..n).rev() {
            at[i] = at[i + 1] + unit(at[i] - at[i + 1]) * chain.lengths[i];
        }
        at[0] = Vec2::ZERO;
        let mut before: Option<Vec2> = None;
        for i in 0..n {
            let mut along = unit(at[i + 1] - at[i]);
            if let (Some(limit), Some(last)) = (chain.limit, before) {
                let turn = Angle::of(Vec2::new(last.dot(along), last.cross(along))).radians();
                let (sin, cos) = Angle::from_radians(turn.clamp(-limit, limit)).sin_cos();
                along = Vec2::new(cos * last.x - sin * last.y, sin * last.x + cos * last.y);
            }
            at[i + 1] = at[i] + along * chain.lengths[i];
            before = Some(along);
        }
    }
    (at[n] - chain.target).hypot()
}
