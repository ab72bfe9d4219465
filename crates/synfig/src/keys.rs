//! Keys: waypoints of numbers as they are, and few keys for values of frames.

use bone_core::clip::Ease;
use bone_format::doc::{Channel, Key};
use kurbo::Vec2;

use crate::document::NodeIndex;
use crate::evaluate::Evaluator;

/// The times of frames in the clip, and those of the film.
#[derive(Clone, Debug)]
pub(crate) struct FilmTimes {
    /// When the clip begins, in the time of the film.
    pub(crate) begin: f64,
    pub(crate) end: f64,
    /// Seconds of the clip, of each frame.
    pub(crate) frames: Vec<f64>,
}

impl FilmTimes {
    /// Keys for values of frames, joined by straight lines. They miss no frame by more than the tolerance.
    pub(crate) fn thinned<T: Copy>(
        &self,
        values: &[Vec<f64>],
        tolerance: f64,
        of: impl Fn(usize) -> T,
    ) -> Channel<T> {
        let keys = kept(values, tolerance).into_iter().map(|frame| {
            let time = self.frames.get(frame).copied().unwrap_or(0.0);
            Key { ease: Some(Ease::Linear.into()), ..Key::new(time, of(frame)) }
        });
        plain(keys.collect())
    }

    pub(crate) fn numbers(&self, values: &[f64], tolerance: f64) -> Channel<f64> {
        let rows: Vec<Vec<f64>> = values.iter().map(|value| vec![*value]).collect();
        self.thinned(&rows, tolerance, |frame| values.get(frame).copied().unwrap_or(0.0))
    }

    pub(crate) fn pairs(&self, values: &[Vec2], tolerance: f64) -> Channel<Vec2> {
        let rows: Vec<Vec<f64>> = values.iter().map(|value| vec![value.x, value.y]).collect();
        self.thinned(&rows, tolerance, |frame| values.get(frame).copied().unwrap_or(Vec2::ZERO))
    }

    /// The waypoints of a number as keys of `value * factor + plus`; none if they are no plain numbers, or some are
    /// before or after the film. A Hermite curve is the Bezier ease whose handles are a third away.
    pub(crate) fn exact(
        &self,
        evaluator: &Evaluator<'_>,
        node: NodeIndex,
        part: usize,
        factor: f64,
        plus: f64,
    ) -> Option<Channel<f64>> {
        let (points, segments) = evaluator.segments(node)?;
        let (first, last) = (points.first()?, points.last()?);
        if points.len() < 2 || first.time < self.begin - 1e-9 || last.time > self.end + 1e-9 {
            return None;
        }
        let mut keys = Vec::new();
        for (point, segment) in points.iter().zip(segments) {
            let number = |of: &[f64]| of.get(part).copied();
            let (from, to) = (number(&segment.from)?, number(&segment.to)?);
            let (leaving, arriving) = (number(&segment.leaving)?, number(&segment.arriving)?);
            let difference = to - from;
            let small = 1e-9 * (1.0 + from.abs());
            let ease = if segment.held {
                Ease::Hold
            } else if (leaving - difference).abs() <= small && (arriving - difference).abs() <= small {
                Ease::Linear
            } else if difference.abs() <= small {
                return None;
            } else {
                let y1 = leaving / (3.0 * difference);
                let y2 = 1.0 - arriving / (3.0 * difference);
                Ease::Bezier { x1: 1.0 / 3.0, y1, x2: 2.0 / 3.0, y2 }
            };
            let time = (point.time - self.begin).max(0.0);
            keys.push(Key { ease: Some(ease.into()), ..Key::new(time, from * factor + plus) });
        }
        let to = *segments.last()?.to.get(part)?;
        keys.push(Key::new((last.time - self.begin).max(0.0), to * factor + plus));
        keys.windows(2).all(|pair| pair[0].time.value < pair[1].time.value).then(|| plain(keys))
    }
}

/// A channel whose common ease is written once.
fn plain<T>(mut keys: Vec<Key<T>>) -> Channel<T> {
    if let Some(last) = keys.last_mut() {
        last.ease = None;
    }
    let inner = keys.len().saturating_sub(1);
    let linear = |key: &Key<T>| key.ease.is_some_and(|ease| ease.value == Ease::Linear);
    let all_linear = inner > 1 && keys.iter().take(inner).all(linear);
    if all_linear {
        keys.iter_mut().for_each(|key| key.ease = None);
    }
    let mut channel = Channel::from_keys(keys);
    if all_linear {
        channel.ease = Some(Ease::Linear.into());
    }
    channel
}

/// The frames that are enough: between two of them values are joined by straight lines (Douglas and Peucker 1973,
/// with the distance in the values).
fn kept(values: &[Vec<f64>], tolerance: f64) -> Vec<usize> {
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    let mut keep = vec![false; values.len()];
    keep[0] = true;
    keep[last] = true;
    let mut stack = vec![(0, last)];
    while let Some((from, to)) = stack.pop() {
        let miss = |at: usize| {
            let share = (at - from) as f64 / (to - from) as f64;
            let ends = values[from].iter().zip(&values[to]);
            let square = ends
                .zip(&values[at])
                .map(|((a, b), value)| (a + share * (b - a) - value) * (a + share * (b - a) - value));
            square.sum::<f64>()
        };
        let worst = (from + 1..to).map(|at| (miss(at), at)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((miss, at)) = worst.filter(|(miss, _)| *miss > tolerance * tolerance) {
            debug_assert!(miss > 0.0);
            keep[at] = true;
            stack.extend([(from, at), (at, to)]);
        }
    }
    let mut frames: Vec<usize> = (0..values.len()).filter(|at| keep[*at]).collect();
    // What stays needs one key.
    let same = |a: usize, b: usize| values[a].iter().zip(&values[b]).all(|(a, b)| (a - b).abs() <= tolerance);
    while let [.., before, last] = frames[..]
        && same(before, last)
    {
        frames.pop();
    }
    frames
}
