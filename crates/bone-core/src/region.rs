//! The region of influence: how strongly a bone influences a point of the plane.

use bone_archive::archive;
use kurbo::Point;

/// A capsule around a bone, one radius at its origin and one at its tip.
///
/// The influence is 1 on the bone and falls linearly to 0 on the capsule's border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InfluenceRegion {
    /// Radius at the bone's origin, in drawing units.
    pub origin_radius: f64,
    /// Radius at the bone's tip, in drawing units.
    pub tip_radius: f64,
}

impl InfluenceRegion {
    /// The influence of a bone from `origin` to `tip` on `point`, in [0, 1].
    ///
    /// Synfig's formula: the larger of two cones over the end circles and, between them, a wedge that falls
    /// from the axis to the circles' common outer tangents. If one circle contains the other, only the cones
    /// count.
    ///
    /// ```
    /// use bone_core::InfluenceRegion;
    /// use kurbo::Point;
    ///
    /// let region = InfluenceRegion { origin_radius: 10.0, tip_radius: 10.0 };
    /// let (origin, tip) = (Point::ZERO, Point::new(100.0, 0.0));
    /// assert_eq!(region.influence(origin, tip, Point::new(50.0, 0.0)), 1.0);
    /// assert_eq!(region.influence(origin, tip, Point::new(50.0, 5.0)), 0.5);
    /// assert_eq!(region.influence(origin, tip, Point::new(50.0, 11.0)), 0.0);
    /// ```
    pub fn influence(&self, origin: Point, tip: Point, point: Point) -> f64 {
        let (r0, r1) = (self.origin_radius, self.tip_radius);
        let ends = cone(point, origin, r0).max(cone(point, tip, r1));
        let axis = tip - origin;
        let length = axis.hypot();
        // Where one end circle contains the other there is no common tangent.
        if length <= (r1 - r0).abs() {
            return ends;
        }
        let along = axis / length;
        // The tangents touch the circles at an angle with cosine c to the axis.
        let c = (r0 - r1) / length;
        let s = (1.0 - c * c).sqrt();
        let start = origin + along * (r0 * c);
        let run = length - r0 * c + r1 * c;
        let u = (point - start).dot(along) / run;
        if u > 0.0 && u < 1.0 {
            let half_width = r0 * s * (1.0 - u) + r1 * s * u;
            let off = (point - start).cross(along).abs();
            let line = 1.0 - off / half_width;
            // `max` ignores a NaN (0/0: a capsule of width 0).
            return ends.max(line).clamp(0.0, 1.0);
        }
        ends
    }
}

/// 1 in the centre, 0 at the radius; a circle of radius 0 has no influence.
fn cone(point: Point, centre: Point, radius: f64) -> f64 {
    if radius > 0.0 { (1.0 - (point - centre).hypot() / radius).max(0.0) } else { 0.0 }
}

archive!(struct InfluenceRegion { origin_radius, tip_radius });

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The capsule as the union of discs whose centre and radius are interpolated between the ends.
    fn inside_by_discs(r: InfluenceRegion, origin: Point, tip: Point, point: Point, margin: f64) -> bool {
        (0..=4000).any(|i| {
            let t = f64::from(i) / 4000.0;
            let radius = r.origin_radius * (1.0 - t) + r.tip_radius * t;
            (point - origin.lerp(tip, t)).hypot() < radius * (1.0 - margin)
        })
    }

    proptest! {
        #[test]
        fn positive_exactly_inside_the_capsule(
            r0 in 0.5..40.0_f64, r1 in 0.5..40.0_f64,
            tip in (-80.0..80.0_f64, -80.0..80.0_f64), at in (-120.0..120.0_f64, -120.0..120.0_f64),
        ) {
            let region = InfluenceRegion { origin_radius: r0, tip_radius: r1 };
            let (origin, tip, at) = (Point::ZERO, Point::from(tip), Point::from(at));
            let value = region.influence(origin, tip, at);
            prop_assert!((0.0..=1.0).contains(&value));
            if inside_by_discs(region, origin, tip, at, 1e-3) {
                prop_assert!(value > 0.0);
            }
            if value > 1e-2 {
                prop_assert!(inside_by_discs(region, origin, tip, at, 0.0));
            }
        }
    }

    /// Half the width of the capsule at a place along its axis is the greatest half chord of its discs there.
    #[test]
    fn the_influence_ends_at_the_border_of_the_capsule() {
        for (r0, r1, length) in [(40.0, 5.0, 50.0), (10.0, 10.0, 60.0), (4.0, 30.0, 40.0), (25.0, 1.0, 30.0)]
        {
            let region = InfluenceRegion { origin_radius: r0, tip_radius: r1 };
            let tip = Point::new(length, 0.0);
            for step in 0..=40 {
                let along = length * f64::from(step) / 40.0;
                let half_chord = |k: u32| {
                    let t = f64::from(k) / 40_000.0;
                    let (radius, off) = (r0 + (r1 - r0) * t, along - length * t);
                    (radius * radius - off * off).max(0.0).sqrt()
                };
                let half_width = (0..=40_000).map(half_chord).fold(0.0, f64::max);
                for side in [-1.0, 1.0] {
                    let at = |share: f64| {
                        region.influence(Point::ZERO, tip, Point::new(along, side * share * half_width))
                    };
                    assert!(at(0.999) > 0.0 && at(1.001) == 0.0, "{r0} {r1} at {along}: {}", at(1.001));
                }
            }
        }
    }

    #[test]
    fn degenerate_regions_are_numbers() {
        let points = [Point::ZERO, Point::new(10.0, 0.0), Point::new(3.0, 4.0)];
        for (r0, r1) in [(0.0, 0.0), (5.0, 0.0), (0.0, 5.0), (1e9, 1.0)] {
            let region = InfluenceRegion { origin_radius: r0, tip_radius: r1 };
            for p in points {
                for tip in points {
                    let value = region.influence(Point::ZERO, tip, p);
                    assert!((0.0..=1.0).contains(&value), "{r0} {r1} {p:?} {tip:?} {value}");
                }
            }
        }
    }
}
