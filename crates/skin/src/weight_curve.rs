//! Weights along one segment: a smooth function of its parameter for each bone, exact at the anchors, from
//! vertex weights or a field over the plane.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use bone_core::BoneId;
use kurbo::{CubicBez, ParamCurve, ParamCurveDeriv, Point};

use crate::blend::Influence;
use crate::weights::BoneWeights;

/// Weights for any point at rest: a solved mesh, regions of influence, a formula.
pub trait WeightField {
    /// The bones of the field, in the order of the weights.
    fn bones(&self) -> &[BoneId];

    /// Writes one weight for each bone, for a point at rest on the canvas.
    fn weights_at(&self, point: Point, weights: &mut [f64]);

    /// The distance over which the field is linear: the size of a mesh's triangles. 0 for a smooth field.
    fn grain(&self) -> f64 {
        0.0
    }

    /// Whether it is smooth but may change over a short way, as near a pin: it is sampled as finely as it needs.
    fn is_steep(&self) -> bool {
        false
    }

    /// Whether its bones are the vertices of a mesh: it is sampled at each triangle, and outlines are cut into
    /// pieces of about two.
    fn is_of_vertices(&self) -> bool {
        false
    }
}

/// The weights of a field at a point.
pub(crate) fn field_row(field: &dyn WeightField, at: Point) -> Vec<Influence> {
    let mut weights = vec![0.0; field.bones().len()];
    field.weights_at(at, &mut weights);
    let influences: Vec<(BoneId, f64)> = field.bones().iter().copied().zip(weights).collect();
    // A point without any weight follows the field's first bone.
    let usable = influences.iter().filter(|(_, weight)| weight.is_finite() && *weight > 1e-6).copied();
    let first = || field.bones().iter().take(1).map(|bone| (*bone, 1.0)).collect();
    BoneWeights::new(usable).map_or_else(|_| first(), |row| row.influences().to_vec())
}

/// Weights of each bone over a segment: cubic pieces between equally spaced nodes, with continuous
/// derivatives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightCurve {
    pub(crate) bones: Vec<BoneId>,
    /// Weights at the nodes, bones in columns.
    values: Vec<f64>,
    /// Their derivatives by the segment's parameter.
    slopes: Vec<f64>,
    intervals: usize,
}

/// Least and greatest number of intervals at which a field is sampled along a segment.
const INTERVALS: (usize, usize) = (4, 32);
/// The same for a steep field, and the error of a weight up to which it is sampled.
const STEEP: (usize, usize) = (8, 512);
const STEEP_ERROR: f64 = 2e-4;

impl WeightCurve {
    /// Between vertex weights: the cubic whose control values are the weights of anchor, tangents and anchor.
    /// Tangents that follow their anchors give the derivative 0 at both ends, so that it joins a rigid
    /// neighbour smoothly.
    pub(crate) fn from_rows(rows: [&BoneWeights; 4]) -> Self {
        let mut bones: Vec<BoneId> =
            rows.iter().flat_map(|row| row.influences().iter().map(|(bone, _)| *bone)).collect();
        bones.sort_unstable();
        bones.dedup();
        let weight = |row: &BoneWeights, bone: &BoneId| {
            row.influences().iter().find(|(b, _)| b == bone).map_or(0.0, |(_, weight)| *weight)
        };
        let column = |row: &BoneWeights| bones.iter().map(|bone| weight(row, bone)).collect::<Vec<f64>>();
        let [from, out, arrive, to] = rows.map(column);
        let slope = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 3.0 * (b - a)).collect::<Vec<f64>>();
        let slopes = [slope(&from, &out), slope(&arrive, &to)];
        Self::between(bones, [from, to], slopes)
    }

    /// The same weights all along.
    pub(crate) fn constant(row: &[Influence]) -> Self {
        let (bones, weights): (Vec<BoneId>, Vec<f64>) = row.iter().copied().unzip();
        let still = vec![0.0; bones.len()];
        Self::between(bones, [weights.clone(), weights], [still.clone(), still])
    }

    /// Between two sets of weights, with their derivatives at both ends.
    pub(crate) fn between(bones: Vec<BoneId>, values: [Vec<f64>; 2], slopes: [Vec<f64>; 2]) -> Self {
        Self { bones, values: values.concat(), slopes: slopes.concat(), intervals: 1 }
    }

    /// The cubic between two values with their derivatives, and its derivative.
    pub(crate) fn hermite((a, b): (f64, f64), (da, db): (f64, f64), s: f64) -> (f64, f64) {
        let r = 1.0 - s;
        let value =
            a * r * r * (1.0 + 2.0 * s) + b * s * s * (3.0 - 2.0 * s) + da * s * r * r - db * s * s * r;
        let slope = 6.0 * s * r * (b - a) + da * r * (1.0 - 3.0 * s) + db * s * (3.0 * s - 2.0);
        (value, slope)
    }

    /// Along a curve through a field.
    pub(crate) fn from_field(curve: &CubicBez, field: &dyn WeightField, length: f64) -> Self {
        if field.is_steep() {
            let mut intervals = STEEP.0;
            loop {
                let along = Self::sampled(curve, field, length, intervals);
                if intervals >= STEEP.1 || along.error(curve, field) <= STEEP_ERROR {
                    return along;
                }
                intervals *= 2;
            }
        }
        let grain = field.grain();
        let wanted = if grain > 0.0 { (length / grain).ceil() } else { f64::INFINITY };
        let most = if field.is_of_vertices() { STEEP.1 } else { INTERVALS.1 };
        let intervals = (wanted.min(most as f64) as usize).max(INTERVALS.0);
        Self::sampled(curve, field, length, intervals)
    }

    /// The greatest error of a weight halfway between the nodes.
    fn error(&self, curve: &CubicBez, field: &dyn WeightField) -> f64 {
        let (mut exact, mut weights, mut slopes) = (vec![0.0; field.bones().len()], Vec::new(), Vec::new());
        let mut worst = 0.0_f64;
        for node in 0..self.intervals {
            let t = (node as f64 + 0.5) / self.intervals as f64;
            self.values_at(t, &mut weights, &mut slopes);
            field.weights_at(curve.eval(t), &mut exact);
            tidy(&mut exact);
            let named = field.bones().iter().zip(&exact);
            let kept = named.filter(|(bone, _)| self.bones.contains(bone)).map(|(_, weight)| weight);
            worst = kept.zip(&weights).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
        }
        worst
    }

    /// Along a curve through a field that is sampled at the ends of so many intervals.
    fn sampled(curve: &CubicBez, field: &dyn WeightField, length: f64, intervals: usize) -> Self {
        let count = field.bones().len();
        let mut values = vec![0.0; (intervals + 1) * count];
        for (node, row) in values.chunks_exact_mut(count.max(1)).enumerate() {
            field.weights_at(curve.eval(node as f64 / intervals as f64), row);
            tidy(row);
        }
        let slopes = slopes(&values, count, intervals);
        let mut along = Self { bones: field.bones().to_vec(), values, slopes, intervals };
        along.set_end_slopes(curve, field, length);
        along.drop_idle_bones(field.is_of_vertices());
        along
    }

    /// At the ends the derivatives are those of the field along the tangent, by central differences about the
    /// anchor: both segments of a smooth vertex get the same.
    fn set_end_slopes(&mut self, curve: &CubicBez, field: &dyn WeightField, length: f64) {
        let step = (0.5 * field.grain()).max(1e-4 * length);
        let mut around = [vec![0.0; self.bones.len()], vec![0.0; self.bones.len()]];
        for end in 0..2 {
            let tangent = curve.deriv().eval(end as f64).to_vec2();
            let speed = tangent.hypot();
            if speed == 0.0 {
                continue;
            }
            let ahead = tangent * (step / speed);
            let at = curve.eval(end as f64);
            for (weights, place) in around.iter_mut().zip([at - ahead, at + ahead]) {
                field.weights_at(place, weights);
                tidy(weights);
            }
            let [before, after] = &around;
            for ((slope, a), b) in self.end_slope(end).iter_mut().zip(before).zip(after) {
                *slope = (b - a) / (2.0 * step) * speed;
            }
        }
    }

    /// Bones without weight on the segment would cost time in every frame. `or_slope` keeps those whose weight only
    /// begins at an end: without them the derivatives do not sum up to 0 where few bones share a segment.
    fn drop_idle_bones(&mut self, or_slope: bool) {
        let count = self.bones.len();
        let acts = |i: usize| {
            self.values.iter().skip(i).step_by(count).any(|w| *w > IDLE)
                || or_slope && self.slopes.iter().skip(i).step_by(count).any(|slope| slope.abs() > IDLE)
        };
        let kept: Vec<usize> = (0..count).filter(|&i| acts(i)).collect();
        if kept.len() == count || kept.is_empty() {
            return;
        }
        let pick = |values: &[f64]| -> Vec<f64> {
            values.chunks_exact(count).flat_map(|row| kept.iter().map(|&i| row[i])).collect()
        };
        (self.values, self.slopes) = (pick(&self.values), pick(&self.slopes));
        self.bones = kept.iter().map(|&i| self.bones[i]).collect();
        let count = self.bones.len();
        self.values.chunks_exact_mut(count).for_each(tidy);
    }

    /// The weights at the start (0) or the end (1).
    pub(crate) fn end(&self, which: usize) -> &[f64] {
        let count = self.bones.len();
        if which == 0 { &self.values[..count] } else { &self.values[self.values.len() - count..] }
    }

    /// The derivatives at the start (0) or the end (1), by the parameter.
    pub(crate) fn end_slope(&mut self, which: usize) -> &mut [f64] {
        let count = self.bones.len();
        let from = if which == 0 { 0 } else { self.slopes.len() - count };
        &mut self.slopes[from..from + count]
    }

    /// The control value beside the start (0) or the end (1) of a curve with one interval, for these bones.
    pub(crate) fn control(&self, which: usize, bones: &[BoneId]) -> Vec<f64> {
        let first = if which == 0 { 0 } else { self.slopes.len() - self.bones.len() };
        let share = if which == 0 { 1.0 / 3.0 } else { -1.0 / 3.0 };
        let control = |bone: &BoneId| {
            let at = self.bones.iter().position(|own| own == bone)?;
            Some(self.end(which)[at] + self.slopes[first + at] * share)
        };
        bones.iter().map(|bone| control(bone).unwrap_or(0.0)).collect()
    }

    /// Rounds weights and slopes to whole units, whose sums are those of weights and slopes.
    pub(crate) fn round(&mut self) {
        let count = self.bones.len();
        self.values.chunks_exact_mut(count).for_each(|row| {
            let units = whole_units(row, UNIT);
            row.iter_mut().zip(units).for_each(|(weight, units)| *weight = units as f64 * UNIT);
        });
        let ends = [0, 1].map(|which| {
            let slope = self.end_slope(which);
            slope.iter_mut().for_each(|slope| *slope = (*slope / SLOPE).round() * SLOPE + 0.0);
            if let Some((last, others)) = slope.split_last_mut() {
                *last = 0.0 - others.iter().sum::<f64>();
            }
            slope.to_vec()
        });
        self.slopes = slopes(&self.values, count, self.intervals);
        ends.iter().enumerate().for_each(|(which, slope)| self.end_slope(which).copy_from_slice(slope));
    }

    /// Whether the weights are constant along the segment.
    pub(crate) fn is_constant(&self) -> bool {
        let count = self.bones.len();
        let first = self.end(0);
        self.values.chunks_exact(count).all(|row| row.iter().zip(first).all(|(a, b)| (a - b).abs() < STILL))
            && self.slopes.iter().all(|slope| slope.abs() < STILL)
    }

    /// The range of the sum of some bones' weights over the nodes and the control values between them.
    pub(crate) fn range(&self, counts: &[bool]) -> f64 {
        let count = self.bones.len();
        let sum = |row: &[f64]| -> f64 {
            row.iter().zip(counts).filter(|(_, counts)| **counts).map(|(value, _)| value).sum()
        };
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let run = 1.0 / (3.0 * self.intervals as f64);
        for (values, slopes) in self.values.chunks_exact(count).zip(self.slopes.chunks_exact(count)) {
            let (value, slope) = (sum(values), (sum(slopes) * run).abs());
            (least, most) = (least.min(value - slope), most.max(value + slope));
        }
        most - least
    }

    /// Weights and their derivatives at a parameter.
    pub(crate) fn at(&self, t: f64) -> (Vec<Influence>, Vec<Influence>) {
        let (mut weights, mut slopes) = (Vec::new(), Vec::new());
        self.values_at(t, &mut weights, &mut slopes);
        let named = |values: Vec<f64>| self.bones.iter().copied().zip(values).collect();
        (named(weights), named(slopes))
    }

    /// The same as columns.
    pub(crate) fn values_at(&self, t: f64, weights: &mut Vec<f64>, slopes: &mut Vec<f64>) {
        let count = self.bones.len();
        let place = (t * self.intervals as f64).clamp(0.0, self.intervals as f64);
        let node = (place as usize).min(self.intervals - 1);
        let (s, run) = (place - node as f64, 1.0 / self.intervals as f64);
        let (from, to) = (node * count, (node + 1) * count);
        weights.clear();
        slopes.clear();
        for i in 0..count {
            let values = (self.values[from + i], self.values[to + i]);
            let (value, slope) =
                Self::hermite(values, (self.slopes[from + i] * run, self.slopes[to + i] * run), s);
            weights.push(value);
            slopes.push(slope / run);
        }
        // A cubic between nodes may be slightly below 0.
        tidy(weights);
    }
}

/// Weights below this have no visible effect.
const IDLE: f64 = 1e-6;
/// Tolerance for constant weights.
const STILL: f64 = 1e-9;

/// Clamps weights to 0 or more and divides them by their sum.
pub(crate) fn tidy(row: &mut [f64]) {
    // `max` also turns NaN into 0.
    row.iter_mut().for_each(|w| *w = w.max(0.0));
    let total: f64 = row.iter().sum();
    if total > 0.0 && total.is_finite() {
        row.iter_mut().for_each(|w| *w /= total);
    } else if let Some(first) = row.first_mut() {
        *first = 1.0;
    }
}

/// The unit of rounded weights: where it moves a limb by 3,000 pixels, a place is off by a fiftieth of one.
pub(crate) const UNIT: f64 = 1.0 / 65_536.0;
/// The unit of rounded slopes at the ends of a segment: where a bone moves by as much as the segment is long, the
/// outline turns by an eighth of a thousandth of a radian.
const SLOPE: f64 = 1.0 / 4096.0;

/// Weights of sum 1 in whole units: rounded down, and what is missing goes to those of which most was lost.
fn whole_units(row: &[f64], unit: f64) -> Vec<u32> {
    let exact: Vec<f64> = row.iter().map(|weight| weight / unit).collect();
    let mut units: Vec<u32> = exact.iter().map(|units| *units as u32).collect();
    let missing = ((1.0 / unit) as u32).saturating_sub(units.iter().sum());
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()).then(a.cmp(b)));
    order
        .iter()
        .cycle()
        .take(if row.is_empty() { 0 } else { missing as usize })
        .for_each(|at| units[*at] += 1);
    units
}

/// Rounds weights of sum 1 to whole units; those that become 0 are left out.
pub(crate) fn round_row<T>(row: &mut Vec<(T, f64)>, unit: f64) {
    let units = whole_units(&row.iter().map(|(_, weight)| *weight).collect::<Vec<_>>(), unit);
    row.iter_mut().zip(units).for_each(|((_, weight), units)| *weight = f64::from(units) * unit);
    row.retain(|(_, weight)| *weight > 0.0);
}

/// Slopes at inner nodes follow from the weights. Each bone has a column of steps, with the length of each run of
/// zeros; the last one is the rest of the sum.
impl Archive for WeightCurve {
    fn write(&self, to: &mut Writer) {
        let Self { bones, values, intervals, .. } = self;
        let count = bones.len();
        (bones, intervals).write(to);
        let rest = |row: &[f64]| 1.0 - row[..count - 1].iter().sum::<f64>();
        let is_whole = |values: &[f64], unit: f64| {
            values.iter().all(|value| ((value / unit) as i64 as f64 * unit).to_bits() == value.to_bits())
        };
        let ends = [&self.slopes[..count], &self.slopes[self.slopes.len() - count..]].concat();
        let is_rounded = is_whole(values, UNIT)
            && is_whole(&ends, SLOPE)
            && values.chunks_exact(count.max(1)).all(|row| row[count - 1] == rest(row));
        is_rounded.write(to);
        if !is_rounded {
            to.list(values);
            return ends.iter().for_each(|slope| slope.write(to));
        }
        for column in 1..count {
            to.steps(values.iter().skip(column - 1).step_by(count).map(|value| (value / UNIT) as i64));
        }
        to.steps(ends.iter().map(|slope| (slope / SLOPE) as i64));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (bones, intervals): (Vec<BoneId>, usize) = Archive::read(from)?;
        let count = bones.len();
        from.check((1..=STEEP.1).contains(&intervals), "weights along a segment")?;
        let (values, ends) = if bool::read(from)? {
            from.grow(8 * count * (intervals + 1))?;
            let mut values = vec![0.0; count * (intervals + 1)];
            for column in 1..count {
                let steps = from.steps(intervals + 1)?.into_iter().map(|units| units as f64 * UNIT);
                values
                    .iter_mut()
                    .skip(column - 1)
                    .step_by(count)
                    .zip(steps)
                    .for_each(|(value, it)| *value = it);
            }
            for row in values.chunks_exact_mut(count.max(1)) {
                row[count - 1] = 1.0 - row[..count - 1].iter().sum::<f64>();
            }
            (values, from.steps(2 * count)?.into_iter().map(|units| units as f64 * SLOPE).collect())
        } else {
            let values: Vec<f64> = from.list()?;
            let ends = (0..2 * count).map(|_| f64::read(from)).collect::<Result<Vec<f64>, _>>()?;
            (values, ends)
        };
        from.check(values.len() == count * (intervals + 1), "weights along a segment")?;
        let slopes = slopes(&values, count, intervals);
        let mut along = Self { bones, values, slopes, intervals };
        (0..2).for_each(|which| along.end_slope(which).copy_from_slice(&ends[which * count..][..count]));
        Ok(along)
    }
}

/// Derivatives at the inner nodes by central differences, of fourth order where there are neighbours for it. Those
/// at the ends are 0 until they are set: they stay so where a handle has no length.
fn slopes(values: &[f64], count: usize, intervals: usize) -> Vec<f64> {
    let at = |node: usize, i: usize| values[node * count + i];
    let per = intervals as f64;
    let mut slopes = vec![0.0; values.len()];
    for node in 1..intervals {
        for i in 0..count {
            let v = |k: usize| at(k, i);
            let slope = if node == 1 || node == intervals - 1 {
                0.5 * (v(node + 1) - v(node - 1))
            } else {
                (v(node - 2) - 8.0 * v(node - 1) + 8.0 * v(node + 1) - v(node + 2)) / 12.0
            };
            slopes[node * count + i] = slope * per;
        }
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(weights: &[(u32, f64)]) -> BoneWeights {
        BoneWeights::new(weights.iter().map(|&(b, w)| (BoneId::new(b), w))).expect("weights")
    }

    struct Quintic([BoneId; 2]);

    impl WeightField for Quintic {
        fn bones(&self) -> &[BoneId] {
            &self.0
        }

        fn weights_at(&self, point: Point, weights: &mut [f64]) {
            let u = (point.x / 100.0).clamp(0.0, 1.0);
            weights[1] = u * u * u * (u * (6.0 * u - 15.0) + 10.0);
            weights[0] = 1.0 - weights[1];
        }
    }

    #[test]
    fn typed_rows_are_exact_at_the_anchors_and_rest_there() {
        let (a, b) = (row(&[(0, 1.0)]), row(&[(0, 0.25), (3, 0.75)]));
        let along = WeightCurve::from_rows([&a, &a, &b, &b]);
        let (weights, slopes) = along.at(0.0);
        assert_eq!(weights, [(BoneId::new(0), 1.0), (BoneId::new(3), 0.0)]);
        assert!(slopes.iter().all(|(_, slope)| *slope == 0.0));
        let (weights, _) = along.at(0.5);
        assert!((weights[1].1 - 0.375).abs() < 1e-15);
        assert!(!along.is_constant());
        assert!(WeightCurve::from_rows([&b, &b, &b, &b]).is_constant());
    }

    /// Sums stay exact, places move by less than a unit, and what is read has the bits of what was written.
    #[test]
    fn rounded_weights_are_weights() {
        let curve = CubicBez::new((-20.0, 0.0), (20.0, 30.0), (80.0, 30.0), (120.0, 0.0));
        let exact = WeightCurve::from_field(&curve, &Quintic([BoneId::new(0), BoneId::new(1)]), 150.0);
        let mut along = exact.clone();
        along.round();
        assert!(along != exact);
        for row in along.values.chunks_exact(2) {
            assert_eq!(row.iter().sum::<f64>().to_bits(), 1.0_f64.to_bits());
        }
        for which in 0..2 {
            assert_eq!(along.end_slope(which).iter().sum::<f64>().to_bits(), 0.0_f64.to_bits());
        }
        for i in 0..=100 {
            let t = f64::from(i) / 100.0;
            let off = (along.at(t).0[1].1 - exact.at(t).0[1].1).abs();
            assert!(off < 1.5 * UNIT, "{t}: {off:e}");
        }
        let mut writer = Writer::new();
        along.write(&mut writer);
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        // No bone is known before a skeleton is read.
        assert!(WeightCurve::read(&mut Reader::new(&bytes)).is_err());
        reader.set_count(bone_archive::Kind::Bone, 2);
        assert_eq!(WeightCurve::read(&mut reader).expect("weights"), along);
    }

    #[test]
    fn rows_round_to_units_of_sum_one() {
        let mut thirds: Vec<_> = (0..3).map(|bone| (BoneId::new(bone), 1.0 / 3.0)).collect();
        round_row(&mut thirds, 1.0 / 1024.0);
        assert_eq!(
            thirds.iter().map(|(_, weight)| weight * 1024.0).collect::<Vec<_>>(),
            [342.0, 341.0, 341.0]
        );
        let mut nearly = vec![(BoneId::new(0), 0.9999), (BoneId::new(1), 0.0001)];
        round_row(&mut nearly, 1.0 / 1024.0);
        assert_eq!(nearly, [(BoneId::new(0), 1.0)]);
    }

    #[test]
    fn fields_are_followed_and_slopes_are_their_derivative() {
        let curve = CubicBez::new((-20.0, 0.0), (20.0, 30.0), (80.0, 30.0), (120.0, 0.0));
        let field = Quintic([BoneId::new(0), BoneId::new(1)]);
        let along = WeightCurve::from_field(&curve, &field, 150.0);
        let mut exact = [0.0; 2];
        for i in 0..=500 {
            let t = f64::from(i) / 500.0;
            let (weights, slopes) = along.at(t);
            field.weights_at(curve.eval(t), &mut exact);
            assert!((weights[1].1 - exact[1]).abs() < 2e-4, "{t}");
            let h = 1e-5;
            if t > h && t < 1.0 - h {
                let numeric = (along.at(t + h).0[1].1 - along.at(t - h).0[1].1) / (2.0 * h);
                // Where the step sets in, a weight that would dip below 0 is held at 0.
                assert!((slopes[1].1 - numeric).abs() < 5e-3, "{t} {numeric} {}", slopes[1].1);
            }
        }
    }
}
