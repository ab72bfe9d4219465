//! From values in every frame to few keys: each value becomes a piecewise cubic curve with free slopes, and
//! the tolerance is for the positions of the joints. A knot is inserted where a joint has its largest error,
//! into the value to which most of this error is attributed; a knot is removed wherever all joints stay
//! within the tolerance without it.

mod descend;
mod equations;
mod keys;
mod knots;
mod measure;
mod refine;
mod sensitivity;
mod take;
mod translation;

use std::ops::Range;

use bone_core::{Pose, Skeleton};
use kurbo::Vec2;

use crate::ImportError;
use crate::chunks::{chunks, concat};
pub(crate) use keys::rounded;
pub use keys::{ChannelKeys, KeyedClip, KeyedTrack};
use knots::{Knot, KnotCurve};
pub use sensitivity::FitConstraints;
use sensitivity::JointSensitivity;
pub use take::{ChannelSamples, RecordedTrack, Take};
use translation::TranslationFit;

/// A clip with few keys, and its errors.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedClip {
    /// The clip.
    pub clip: KeyedClip,
    /// The largest distance of a joint from its recorded position in any frame, measured with the rounded
    /// keys.
    pub max_error: f64,
    /// The root mean square of that distance over all joints and frames.
    pub rms_error: f64,
    /// The number of channels with more than one key.
    pub channels: usize,
    /// The number of keys of these channels. The last key of a loop equals the first one and is not counted.
    pub keys: usize,
}

impl FittedClip {
    /// Keys a second and channel.
    pub fn density(&self) -> f64 {
        self.keys as f64 / (self.clip.length.max(1e-9) * self.channels.max(1) as f64)
    }
}

/// Takes with more frames are fitted with fewer passes.
const LONG: usize = 4000;

/// Finds few keys that keep all joints within `tolerance`, in units of the skeleton.
///
/// # Errors
/// If the take has fewer than two frames, or it or the tolerance is not usable.
pub fn fit(skeleton: &Skeleton, take: &Take, tolerance: f64) -> Result<FittedClip, ImportError> {
    fit_constrained(skeleton, take, &FitConstraints::default(), tolerance)
}

/// The same for a clip on which constraints act: its joints are those of the constrained poses. Keys that a
/// constraint makes ineffective are not needed, and others are as near as what depends on them requires.
///
/// # Errors
/// If the take has fewer than two frames, or it or the tolerance is not usable.
pub fn fit_constrained(
    skeleton: &Skeleton,
    take: &Take,
    constraints: &FitConstraints,
    tolerance: f64,
) -> Result<FittedClip, ImportError> {
    take.check(skeleton)?;
    fail_if!(!(tolerance.is_finite() && tolerance > 0.0), "the tolerance is not above 0");
    fail_if!(take.frames() < 2, "a clip needs at least two frames");
    let sensitivity = JointSensitivity::new(skeleton, take, constraints, tolerance);
    // Short takes are fitted in several orders.
    let orders = if take.frames() <= 1000 {
        &RemovalOrder::ALL[..]
    } else if take.frames() <= LONG {
        &[RemovalOrder::RotationsFirst]
    } else {
        &[RemovalOrder::RotationsOnly]
    };
    let fitted = orders.iter().map(|&order| fit_in_order(skeleton, take, &sensitivity, tolerance, order));
    // Of those within the tolerance the one with the fewest keys, else the nearest.
    let beyond = |fitted: &FittedClip| if fitted.max_error <= tolerance { 0.0 } else { fitted.max_error };
    let better = |a: &FittedClip, b: &FittedClip| beyond(a).total_cmp(&beyond(b)).then(a.keys.cmp(&b.keys));
    fitted.min_by(better).ok_or_else(|| ImportError::new("a clip needs at least two frames"))
}

/// In which order keys are tried to be removed: which goes first spends the tolerance, and what needs the fewest
/// keys differs from take to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RemovalOrder {
    RotationsFirst,
    TranslationsFirst,
    RotationsOnly,
}

impl RemovalOrder {
    const ALL: [Self; 3] = [Self::RotationsFirst, Self::TranslationsFirst, Self::RotationsOnly];
}

fn fit_in_order(
    skeleton: &Skeleton,
    take: &Take,
    sensitivity: &JointSensitivity<'_>,
    tolerance: f64,
    order: RemovalOrder,
) -> FittedClip {
    // Rounding uses a part of the tolerance.
    let mut work = Fitter::new(take, sensitivity, tolerance * 0.88, order);
    work.start();
    work.insert_knots();
    // Later passes gain little: only short recordings get them.
    let long = take.frames() > LONG;
    for _ in 0..if long { 1 } else { 4 } {
        work.remove_knots();
    }
    if !long {
        work.tolerance = tolerance * 0.95;
        work.descend(skeleton);
    }
    work.tolerance = tolerance * if long { 0.88 } else { 0.96 };
    for _ in 0..if long { 1 } else { 3 } {
        work.replay(skeleton);
        work.insert_knots();
    }
    let mut fitted = work.round_and_measure(skeleton);
    work.tolerance = tolerance;
    let mut best = fitted.clone();
    for _ in 0..16 {
        if fitted.max_error <= tolerance {
            break;
        }
        // `errors` includes the effect of rounding now.
        work.insert_knots();
        let next = work.round_and_measure(skeleton);
        let stuck = next.max_error >= fitted.max_error && next.keys == fitted.keys;
        if stuck && !work.recall_samples() {
            break;
        }
        fitted = next;
        if fitted.max_error < best.max_error {
            best = fitted.clone();
        }
    }
    best
}

/// One value and the curve that is fitted to it.
#[derive(Clone)]
struct FittedValue<'a> {
    track: usize,
    samples: &'a [f64],
    /// `None` if the value is constant.
    curve: Option<KnotCurve<'a>>,
    constant: f64,
    /// Curve minus sample, for each frame.
    residuals: Vec<f64>,
    /// A difference of the value that is too small to be visible.
    negligible: f64,
    limits: Option<(f64, f64)>,
}

struct Fitter<'a> {
    take: &'a Take,
    sensitivity: &'a JointSensitivity<'a>,
    tolerance: f64,
    order: RemovalOrder,
    values: Vec<FittedValue<'a>>,
    translations: Vec<TranslationFit<'a>>,
    /// For each measured tip and each frame, the vector from the recorded to the fitted position.
    errors: Vec<Vec<Vec2>>,
    /// Scratch memory for changes of a value.
    changes: Vec<f64>,
    /// The clip that was measured last, and its errors.
    measured: Option<measure::MeasuredClip>,
}

impl<'a> Fitter<'a> {
    fn new(
        take: &'a Take,
        sensitivity: &'a JointSensitivity<'a>,
        tolerance: f64,
        order: RemovalOrder,
    ) -> Self {
        let errors = vec![vec![Vec2::ZERO; sensitivity.frames]; sensitivity.measured.len()];
        Self {
            take,
            sensitivity,
            tolerance,
            order,
            values: Vec::new(),
            translations: Vec::new(),
            errors,
            changes: Vec::new(),
            measured: None,
        }
    }

    /// Fits each value independently.
    fn start(&mut self) {
        let tracks = &self.take.tracks;
        let this = &*self;
        let some = |range: Range<usize>| {
            let values = range.filter_map(|track| match &tracks[track].samples {
                ChannelSamples::Rotate(samples) | ChannelSamples::Stretch(samples) => {
                    Some(this.value(track, samples, tracks[track].limits))
                }
                ChannelSamples::Move(_) => None,
            });
            values.collect()
        };
        // For short takes threads do not pay off.
        let least = if self.sensitivity.frames < 1000 { tracks.len() } else { 1 };
        self.values = chunks(tracks.len(), least, some).into_iter().reduce(concat).unwrap_or_default();
        for (track, recorded) in tracks.iter().enumerate() {
            let ChannelSamples::Move(samples) = &recorded.samples else { continue };
            let share = self.tolerance * 0.45;
            self.translations.push(TranslationFit::new(
                track,
                samples,
                self.take.rate,
                self.take.looped,
                share,
            ));
        }
        for translation in &self.translations {
            add_translation(&mut self.errors, self.sensitivity, translation.track, &translation.residuals);
        }
        for value in &self.values {
            self.sensitivity.add_change(&mut self.errors, value.track, 0, &value.residuals);
        }
    }

    /// Fits one value independently of the others: its own error stays within the tolerance.
    fn value(&self, track: usize, samples: &'a [f64], limits: Option<(f64, f64)>) -> FittedValue<'a> {
        let levers = self.sensitivity.levers(track);
        let longest = levers.iter().copied().fold(1e-9, f64::max);
        let negligible = 0.08 * self.tolerance / longest;
        let total: f64 = levers.iter().map(|lever| lever * lever).sum();
        let mean = samples.iter().zip(&levers).map(|(s, l)| s * l * l).sum::<f64>() / total.max(1e-300);
        let mean = if total > 0.0 { mean } else { samples[0] };
        let still = samples.iter().zip(&levers).all(|(s, l)| (s - mean).abs() * l <= 0.25 * self.tolerance);
        let residuals = samples.iter().map(|sample| mean - sample).collect();
        let curve = (!still).then(|| {
            // A limb that points at the viewer has short levers, so its angle gets a small weight.
            let least = 1e-3 * longest * longest;
            let weights = levers.iter().map(|lever| (lever * lever).max(least)).collect();
            KnotCurve::new(samples, weights, self.take.looped)
        });
        let mut value = FittedValue { track, samples, curve, constant: mean, residuals, negligible, limits };
        if let Some(curve) = &mut value.curve {
            let mut residuals = std::mem::take(&mut value.residuals);
            // The ranges of pieces that have not been checked.
            let mut open = vec![(0, curve.pieces())];
            for _ in 0..24 {
                let mut frames = Vec::new();
                for (first, until) in open {
                    curve.misses_into(first..until, &mut residuals);
                    for piece in first..until {
                        let (a, b) = curve.piece(piece);
                        let worst = (a.frame..=b.frame)
                            .map(|frame| (residuals[frame].abs() * levers[frame], frame))
                            .fold((0.0, 0), |worst, next| if next.0 > worst.0 { next } else { worst });
                        if worst.0 > self.tolerance {
                            frames.extend(inside(a, b, worst.1));
                        }
                    }
                }
                if frames.is_empty() {
                    break;
                }
                open = curve.insert_all(&frames);
            }
            curve.refit_all();
            curve.misses_into(0..curve.pieces(), &mut residuals);
            value.residuals = residuals;
        }
        value
    }
}

/// Adds the errors of a translated bone to all joints that it moves.
fn add_translation(
    errors: &mut [Vec<Vec2>],
    sensitivity: &JointSensitivity<'_>,
    track: usize,
    residuals: &[Vec2],
) {
    for &(tip, _) in &sensitivity.moved[track] {
        for (frame, (errors, residual)) in errors[tip].iter_mut().zip(residuals).enumerate() {
            *errors += sensitivity.shift(track, tip, frame, *residual);
        }
    }
}

/// A frame for a new knot between two others, at a minimal distance from both.
fn inside(a: Knot, b: Knot, candidates: usize) -> Option<usize> {
    let run = b.frame - a.frame;
    let room = (run / 5).max(1);
    (run >= 2).then(|| candidates.clamp(a.frame + room, b.frame - room))
}

impl Fitter<'_> {
    /// Poses all frames with the fitted values and measures the errors exactly: until here they were
    /// estimated to first order.
    fn replay(&mut self, skeleton: &Skeleton) {
        let take = self.take;
        let pose = |frame: usize, pose: &mut Pose| {
            take.pose(skeleton, frame, pose);
            for value in &self.values {
                let bone = &mut pose.bones[take.tracks[value.track].bone.index()];
                match take.tracks[value.track].samples {
                    ChannelSamples::Stretch(_) => bone.stretch += value.residuals[frame],
                    _ => bone.angle += bone_core::Angle::from_degrees(value.residuals[frame]),
                }
            }
            for translation in &self.translations {
                pose.bones[take.tracks[translation.track].bone.index()].origin +=
                    translation.residuals[frame];
            }
        };
        let frames: Vec<usize> = (0..self.sensitivity.frames).collect();
        let errors = self.sensitivity.errors(skeleton, &frames, pose);
        self.store_errors(&frames, &errors);
    }

    /// Stores the errors of some frames.
    fn store_errors(&mut self, frames: &[usize], errors: &[Vec2]) {
        for (frame, new) in frames.iter().zip(errors.chunks_exact(self.errors.len().max(1))) {
            for (errors, new) in self.errors.iter_mut().zip(new) {
                errors[*frame] = *new;
            }
        }
    }
}
