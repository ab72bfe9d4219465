//! The values of a channel between its keys: section 3.11 and appendix C of the glTF 2.0 specification.

use bone_core::Angle;
use kurbo::Vec2;

use crate::ImportError;
use crate::json::Json;

/// How values follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Step,
    Linear,
    /// Three values for each key: the tangent before it, the value, the tangent after it.
    CubicSpline,
}

impl Interpolation {
    pub(super) fn read(json: Option<Json<'_>>) -> Result<Self, ImportError> {
        let Some(json) = json else { return Ok(Self::Linear) };
        match json.text_value().as_deref() {
            Some("STEP") => Ok(Self::Step),
            Some("LINEAR") => Ok(Self::Linear),
            Some("CUBICSPLINE") => Ok(Self::CubicSpline),
            _ => Err(ImportError::at(json.span(), "an interpolation is STEP, LINEAR or CUBICSPLINE")),
        }
    }
}

/// A channel: three numbers of a position or a scale, four of a rotation.
#[derive(Clone, Debug)]
pub(super) struct GltfCurve {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) width: usize,
    pub(super) interpolation: Interpolation,
}

impl GltfCurve {
    /// The value at a time; the fourth number is that of rotations.
    pub(super) fn at(&self, time: f64) -> [f64; 4] {
        let after = self.times.partition_point(|key| *key <= time);
        let rotates = self.width == 4;
        let whole = |value: [f64; 4]| if rotates { unit(value) } else { value };
        if after == 0 {
            return whole(self.value(0));
        }
        let before = after - 1;
        if after == self.times.len() || self.interpolation == Interpolation::Step {
            return whole(self.value(before));
        }
        let long = self.times[after] - self.times[before];
        let t = (time - self.times[before]) / long;
        let (from, to) = (self.value(before), self.value(after));
        if self.interpolation == Interpolation::Linear {
            if rotates {
                return slerp(unit(from), unit(to), t);
            }
            return std::array::from_fn(|n| from[n] + (to[n] - from[n]) * t);
        }
        let (leave, arrive) = (self.row(3 * before + 2), self.row(3 * after));
        let (t2, t3) = (t * t, t * t * t);
        whole(std::array::from_fn(|n| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * from[n]
                + long * (t3 - 2.0 * t2 + t) * leave[n]
                + (3.0 * t2 - 2.0 * t3) * to[n]
                + long * (t3 - t2) * arrive[n]
        }))
    }

    fn value(&self, key: usize) -> [f64; 4] {
        match self.interpolation {
            Interpolation::CubicSpline => self.row(3 * key + 1),
            _ => self.row(key),
        }
    }

    fn row(&self, row: usize) -> [f64; 4] {
        std::array::from_fn(|n| if n < self.width { self.values[row * self.width + n] } else { 0.0 })
    }
}

/// A unit quaternion; a quaternion without length is no rotation.
pub(super) fn unit(q: [f64; 4]) -> [f64; 4] {
    let long = q.iter().map(|n| n * n).sum::<f64>().sqrt();
    if long > 1e-9 { q.map(|n| n / long) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The rotation between two rotations along the shorter arc.
fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let (b, cos) = if dot < 0.0 { (b.map(|n| -n), -dot) } else { (b, dot) };
    // Near each other the arc is its chord.
    if cos > 1.0 - 1e-9 {
        return unit(std::array::from_fn(|n| a[n] + (b[n] - a[n]) * t));
    }
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    let arc = Angle::of(Vec2::new(cos, sin)).radians();
    let share = |of: f64| Angle::from_radians(arc * of).sin_cos().0 / sin;
    let (from, to) = (share(1.0 - t), share(t));
    unit(std::array::from_fn(|n| a[n] * from + b[n] * to))
}
