//! Keys for translations: recorded values at few frames, joined by the default ease, which stays within the
//! range of its keys and has a continuous slope. Travel along the ground and the bob of a step need no
//! handles.

use std::ops::Range;

use bone_core::clip::{Curve, Extend, Key};
use kurbo::Vec2;

/// The number of frames between the first keys.
const STARTS: usize = 60;

/// The least number of keys of a loop that moves.
const LEAST_OF_LOOP: usize = 3;

/// The translation of one bone in every frame, and its keys.
#[derive(Clone, Debug)]
pub(super) struct TranslationFit<'a> {
    pub(super) track: usize,
    samples: &'a [Vec2],
    rate: f64,
    /// The frames that have keys.
    frames: Vec<usize>,
    pub(super) extend: Extend,
    /// How the curve continues after the last key while it is fitted.
    close: Extend,
    /// Curve minus sample, for each frame.
    pub(super) residuals: Vec<Vec2>,
}

impl<'a> TranslationFit<'a> {
    /// Keys that stay within the tolerance of all samples.
    pub(super) fn new(track: usize, samples: &'a [Vec2], rate: f64, looped: bool, tolerance: f64) -> Self {
        let last = samples.len() - 1;
        let extend = if looped && samples[last] != samples[0] { Extend::LoopOffset } else { Extend::Hold };
        let close = if looped && extend == Extend::Hold { Extend::Loop } else { extend };
        let still = samples.iter().all(|sample| (*sample - samples[0]).hypot() <= tolerance * 0.5);
        let mut frames = vec![0];
        if looped && !still {
            frames = vec![0, last / 3, 2 * last / 3, last];
            frames.dedup();
        } else if !still {
            frames.extend((STARTS..last).step_by(STARTS));
            frames.push(last);
        }
        let mut translation = Self { track, samples, rate, frames, extend, close, residuals: Vec::new() };
        if !still {
            translation.fill(tolerance);
            translation.remove_knots(tolerance, if looped { LEAST_OF_LOOP } else { 2 });
        }
        translation.play();
        translation
    }

    /// The keys without rounding.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = Key<Vec2>> {
        self.frames.iter().map(|&frame| self.key(frame))
    }

    /// Inserts a key at a frame if there is none; returns whether it did.
    pub(super) fn insert(&mut self, frame: usize) -> bool {
        let Err(at) = self.frames.binary_search(&frame) else { return false };
        if self.frames.len() < 2 || at == 0 || at == self.frames.len() {
            return false;
        }
        self.frames.insert(at, frame);
        self.play();
        true
    }

    /// The number of the keys between the first and the last one.
    pub(super) fn inner_keys(&self) -> usize {
        self.frames.len().saturating_sub(if self.extend == self.close { 2 } else { LEAST_OF_LOOP })
    }

    /// The frames whose residuals change without an inner key, and by how much.
    pub(super) fn change_without(&self, inner: usize) -> Option<(Range<usize>, Vec<Vec2>)> {
        let at = inner + 1;
        let mut fewer = self.frames.clone();
        fewer.remove(at);
        let curve = self.curve(&fewer, self.close)?;
        // A key affects two keys on either side, in a loop also beyond its ends.
        let range = if self.close == Extend::Hold {
            self.frames[at.saturating_sub(3)]..self.frames[(at + 3).min(self.frames.len() - 1)] + 1
        } else {
            0..self.samples.len()
        };
        let changes =
            range.clone().map(|frame| self.residual(&curve, frame) - self.residuals[frame]).collect();
        Some((range, changes))
    }

    /// Removes an inner key, with the changes of the residuals that are known.
    pub(super) fn remove_inner(&mut self, inner: usize, range: Range<usize>, changes: &[Vec2]) {
        self.frames.remove(inner + 1);
        for (residual, change) in self.residuals[range].iter_mut().zip(changes) {
            *residual += *change;
        }
    }

    fn key(&self, frame: usize) -> Key<Vec2> {
        Key::new(frame as f64 / self.rate, self.samples[frame])
    }

    fn curve(&self, frames: &[usize], extend: Extend) -> Option<Curve<Vec2>> {
        Curve::new(frames.iter().map(|&frame| self.key(frame)).collect(), extend).ok()
    }

    fn residual(&self, curve: &Curve<Vec2>, frame: usize) -> Vec2 {
        curve.at(frame as f64 / self.rate) - self.samples[frame]
    }

    /// Updates the residuals.
    fn play(&mut self) {
        let curve = self.curve(&self.frames, self.close);
        let residual = |frame| curve.as_ref().map_or(Vec2::ZERO, |curve| self.residual(curve, frame));
        self.residuals = (0..self.samples.len()).map(residual).collect();
    }

    /// Inserts keys where the error is largest, until it is within the tolerance everywhere.
    fn fill(&mut self, tolerance: f64) {
        for _ in 0..64 {
            let Some(fitted) = self.curve(&self.frames, self.close) else { break };
            let mut added = Vec::new();
            for pair in self.frames.windows(2) {
                let worst = (pair[0] + 1..pair[1])
                    .map(|frame| (self.residual(&fitted, frame).hypot(), frame))
                    .fold((0.0, 0), |worst, next| if next.0 > worst.0 { next } else { worst });
                if worst.0 > tolerance {
                    added.push(worst.1);
                }
            }
            if added.is_empty() {
                break;
            }
            self.frames.extend(added);
            self.frames.sort_unstable();
        }
    }

    /// Removes keys that are not needed; a key affects two keys on either side.
    fn remove_knots(&mut self, tolerance: f64, least: usize) {
        let mut at = 1;
        while at + 1 < self.frames.len() {
            let (low, high) = (at.saturating_sub(4), (at + 5).min(self.frames.len()));
            let whole = high - low == self.frames.len();
            let mut fewer = self.frames[low..high].to_vec();
            fewer.remove(at - low);
            let fits =
                self.curve(&fewer, if whole { self.close } else { Extend::Hold }).is_some_and(|fitted| {
                    let from = self.frames[at.saturating_sub(3)];
                    let until = self.frames[(at + 3).min(self.frames.len() - 1)];
                    (from..=until).all(|frame| self.residual(&fitted, frame).hypot() <= tolerance)
                });
            if fits && self.frames.len() > least {
                self.frames.remove(at);
            } else {
                at += 1;
            }
        }
    }
}
