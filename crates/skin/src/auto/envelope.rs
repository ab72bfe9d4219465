//! Weights from regions of influence, and from the nearest bone: closed formulas without a mesh. Borders have
//! no effect: a region reaches across gaps.

use bone_core::InfluenceRegion;
use kurbo::Point;

use super::segment::LineSegment;

/// Radius of the default region of a bone, in bone lengths.
const DEFAULT_RADIUS: f64 = 0.4;

/// Bones with their regions, on the canvas.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    bones: Vec<(LineSegment, InfluenceRegion)>,
}

impl Envelope {
    pub(crate) fn new(bones: impl Iterator<Item = (LineSegment, Option<InfluenceRegion>)> + Clone) -> Self {
        let length = |s: &LineSegment| (s.tip - s.origin).hypot();
        let longest = bones.clone().map(|(s, _)| length(&s)).fold(0.0, f64::max);
        let with_region = |(segment, region): (LineSegment, Option<InfluenceRegion>)| {
            // A bone of length 0 takes the length of the longest one.
            let own = length(&segment);
            let radius = DEFAULT_RADIUS * if own > 0.0 { own } else { longest };
            let usable = |r: &InfluenceRegion| {
                [r.origin_radius, r.tip_radius].iter().all(|r| r.is_finite() && *r >= 0.0)
            };
            let region = region
                .filter(usable)
                .unwrap_or(InfluenceRegion { origin_radius: radius, tip_radius: radius });
            (segment, region)
        };
        Self { bones: bones.map(with_region).collect() }
    }

    /// Whether any region reaches the point.
    pub(crate) fn reaches(&self, p: Point) -> bool {
        self.bones.iter().any(|(s, r)| r.influence(s.origin, s.tip, p) > 0.0)
    }

    /// Influences over their sum. Outside every region the bone whose region is nearest, in units of its
    /// wider radius.
    pub(crate) fn weights(&self, p: Point, out: &mut [f64]) {
        let mut sum = 0.0;
        for (w, (s, r)) in out.iter_mut().zip(&self.bones) {
            *w = r.influence(s.origin, s.tip, p).max(0.0);
            sum += *w;
        }
        if sum > 0.0 {
            out.iter_mut().for_each(|w| *w /= sum);
            return;
        }
        let measure = |(s, r): &(LineSegment, InfluenceRegion)| {
            let radius = r.origin_radius.max(r.tip_radius);
            let distance = s.nearest(p).1;
            if radius > 0.0 { distance / radius } else { f64::INFINITY }
        };
        let measures: Vec<f64> = self.bones.iter().map(measure).collect();
        if measures.iter().all(|m| m.is_infinite()) {
            nearest(self.bones.iter().map(|b| b.0), p, out);
        } else {
            share_least(&measures, out);
        }
    }
}

/// Weight 1 for the nearest bone; bones at the same distance share it.
pub(crate) fn nearest(bones: impl Iterator<Item = LineSegment>, p: Point, out: &mut [f64]) {
    let distances: Vec<f64> = bones.map(|s| s.nearest(p).1).collect();
    share_least(&distances, out);
}

fn share_least(measures: &[f64], out: &mut [f64]) {
    let least = measures.iter().copied().fold(f64::INFINITY, f64::min);
    let count = measures.iter().filter(|&&m| m == least).count() as f64;
    for (w, &m) in out.iter_mut().zip(measures) {
        *w = if m == least { 1.0 / count } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(x0: f64, x1: f64) -> LineSegment {
        LineSegment { origin: Point::new(x0, 0.0), tip: Point::new(x1, 0.0) }
    }

    #[test]
    fn influences_are_divided_by_their_sum() {
        let region = Some(InfluenceRegion { origin_radius: 10.0, tip_radius: 10.0 });
        let envelope = Envelope::new([(bone(0.0, 100.0), region), (bone(108.0, 200.0), region)].into_iter());
        let mut w = [0.0; 2];
        envelope.weights(Point::new(102.0, 0.0), &mut w);
        // 1 - 2/10 against 1 - 6/10.
        assert!((w[0] - 0.8 / 1.2).abs() < 1e-15 && (w[1] - 0.4 / 1.2).abs() < 1e-15, "{w:?}");
    }

    #[test]
    fn a_tapered_region_counts_by_its_wider_end() {
        let region = |origin_radius, tip_radius| Some(InfluenceRegion { origin_radius, tip_radius });
        let bones = [(bone(0.0, 100.0), region(1.0, 50.0)), (bone(-190.0, -90.0), region(20.0, 20.0))];
        let mut w = [0.0; 2];
        // 60 / 50 beside 30 / 20.
        Envelope::new(bones.into_iter()).weights(Point::new(-60.0, 0.0), &mut w);
        assert_eq!(w, [1.0, 0.0]);
    }

    #[test]
    fn beyond_all_regions_the_nearest_in_radii_wins() {
        let (thin, wide) = (
            InfluenceRegion { origin_radius: 1.0, tip_radius: 1.0 },
            InfluenceRegion { origin_radius: 50.0, tip_radius: 50.0 },
        );
        let envelope =
            Envelope::new([(bone(0.0, 10.0), Some(thin)), (bone(10.0, 20.0), Some(wide))].into_iter());
        let mut w = [0.0; 2];
        assert!(!envelope.reaches(Point::new(5.0, 80.0)));
        envelope.weights(Point::new(5.0, 80.0), &mut w);
        assert_eq!(w, [0.0, 1.0]);
    }

    #[test]
    fn a_bone_without_length_or_region_is_a_disc() {
        let envelope = Envelope::new([(bone(0.0, 0.0), None), (bone(50.0, 100.0), None)].into_iter());
        let mut w = [0.0; 2];
        envelope.weights(Point::new(-10.0, 0.0), &mut w);
        assert_eq!(w, [1.0, 0.0]);
        let points = Envelope::new([(bone(0.0, 0.0), None), (bone(9.0, 9.0), None)].into_iter());
        points.weights(Point::new(1.0, 1.0), &mut w);
        assert_eq!(w, [1.0, 0.0]);
    }
}
