//! From values in every frame to few keys: each value is a curve of cubic pieces with free slopes, and what counts is where the joints
//! come to be. Values along a limb share what its end may be off: a key is put where a joint is off most, into the value that
//! is most to blame, and taken away again wherever all joints stay near enough without it.

mod agree;
mod blame;
mod equations;
mod finish;
mod nodes;
mod reach;
mod shift;
mod take;
mod written;

use std::ops::Range;

use bone_core::{Pose, Skeleton};
use kurbo::Vec2;

use crate::ImportError;
use crate::portions::{joined, portions};
use nodes::{Curved, Node};
use reach::Places;
use shift::Shift;
pub use take::{Recorded, Samples, Take};
pub(crate) use written::rounded;
pub use written::{KeyedClip, KeyedTrack, Keys};

/// A clip, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The clip.
    pub clip: KeyedClip,
    /// How far a joint is off at most, in any frame, played with the keys as they are written.
    pub worst: f64,
    /// The root of the mean square of all joints in all frames.
    pub mean: f64,
    /// Channels with more than one key.
    pub channels: usize,
    /// Keys of those. The last key of a loop is its first one again and is not counted.
    pub keys: usize,
}

impl Fitted {
    /// Keys a second and channel.
    pub fn density(&self) -> f64 {
        self.keys as f64 / (self.clip.length.max(1e-9) * self.channels.max(1) as f64)
    }
}

/// More frames are worth less time each.
const LONG: usize = 4000;

/// Finds few keys that keep all joints within `tolerance`, in units of the skeleton.
///
/// # Errors
/// If there are fewer than two frames.
pub fn fit(skeleton: &Skeleton, take: &Take, tolerance: f64) -> Result<Fitted, ImportError> {
    if take.frames() < 2 {
        return Err(ImportError::whole("one frame is a pose and no movement"));
    }
    let places = Places::new(skeleton, take);
    // Rounding takes a little of it.
    let mut work = Work::new(take, &places, tolerance * 0.88);
    work.start();
    work.blame();
    // What one pass leaves, later ones hardly find: short recordings are worth the time.
    let long = take.frames() > LONG;
    for _ in 0..if long { 1 } else { 4 } {
        work.thin();
    }
    if !long {
        work.tolerance = tolerance * 0.95;
        work.agree(skeleton);
    }
    work.tolerance = tolerance * if long { 0.88 } else { 0.96 };
    for _ in 0..if long { 1 } else { 3 } {
        work.refresh(skeleton);
        work.blame();
    }
    let mut fitted = work.finish(skeleton);
    work.tolerance = tolerance;
    for _ in 0..16 {
        if fitted.worst <= tolerance {
            break;
        }
        // What rounding did is in `off` now.
        work.blame();
        let next = work.finish(skeleton);
        if next.worst >= fitted.worst && next.keys == fitted.keys {
            break;
        }
        fitted = next;
    }
    Ok(fitted)
}

/// One value on its way to keys.
#[derive(Clone)]
struct Value<'a> {
    track: usize,
    samples: &'a [f64],
    /// None if one number will do.
    curve: Option<Curved<'a>>,
    constant: f64,
    /// Curve minus sample, a frame.
    misses: Vec<f64>,
    /// A difference of the value that nobody sees.
    slight: f64,
    limits: Option<(f64, f64)>,
}

struct Work<'a> {
    take: &'a Take,
    places: &'a Places,
    tolerance: f64,
    values: Vec<Value<'a>>,
    shifts: Vec<Shift<'a>>,
    /// Of each measured tip, all frames: how far it is off.
    off: Vec<Vec<Vec2>>,
    /// Changes of a value in some frames: room to work them out.
    changes: Vec<f64>,
    /// What was found out when keys were played last.
    measured: Option<finish::Measured>,
}

impl<'a> Work<'a> {
    fn new(take: &'a Take, places: &'a Places, tolerance: f64) -> Self {
        let off = vec![vec![Vec2::ZERO; places.frames]; places.measured.len()];
        Self {
            take,
            places,
            tolerance,
            values: Vec::new(),
            shifts: Vec::new(),
            off,
            changes: Vec::new(),
            measured: None,
        }
    }

    /// Each value by itself.
    fn start(&mut self) {
        let tracks = &self.take.tracks;
        let this = &*self;
        let some = |range: Range<usize>| {
            let values = range.filter_map(|track| match &tracks[track].samples {
                Samples::Rotate(samples) | Samples::Stretch(samples) => {
                    Some(this.value(track, samples, tracks[track].limits))
                }
                Samples::Move(_) => None,
            });
            values.collect()
        };
        // Short takes are not worth a thread.
        let least = if self.places.frames < 1000 { tracks.len() } else { 1 };
        self.values = portions(tracks.len(), least, some).into_iter().reduce(joined).unwrap_or_default();
        for (track, recorded) in tracks.iter().enumerate() {
            let Samples::Move(samples) = &recorded.samples else { continue };
            let share = self.tolerance * 0.45;
            self.shifts.push(Shift::new(track, samples, self.take.rate, self.take.looped, share));
        }
        for shift in &self.shifts {
            carry_shift(&mut self.off, self.places, shift.track, &shift.misses);
        }
        for value in &self.values {
            self.places.carry(&mut self.off, value.track, 0, &value.misses);
        }
    }

    /// A value by itself: near enough that its own misses are within the tolerance.
    fn value(&self, track: usize, samples: &'a [f64], limits: Option<(f64, f64)>) -> Value<'a> {
        let levers = self.places.levers(track);
        let longest = levers.iter().copied().fold(1e-9, f64::max);
        let slight = 0.08 * self.tolerance / longest;
        let total: f64 = levers.iter().map(|lever| lever * lever).sum();
        let mean = samples.iter().zip(&levers).map(|(s, l)| s * l * l).sum::<f64>() / total.max(1e-300);
        let mean = if total > 0.0 { mean } else { samples[0] };
        let still = samples.iter().zip(&levers).all(|(s, l)| (s - mean).abs() * l <= 0.25 * self.tolerance);
        let misses = samples.iter().map(|sample| mean - sample).collect();
        let curve = (!still).then(|| {
            // A limb that points at the viewer may turn as it likes, almost.
            let least = 1e-3 * longest * longest;
            let weights = levers.iter().map(|lever| (lever * lever).max(least)).collect();
            Curved::new(samples, weights, self.take.looped)
        });
        let mut value = Value { track, samples, curve, constant: mean, misses, slight, limits };
        if let Some(curve) = &mut value.curve {
            let mut misses = std::mem::take(&mut value.misses);
            // The frames that are not judged yet, by pieces.
            let mut open = vec![(0, curve.pieces())];
            for _ in 0..24 {
                let mut frames = Vec::new();
                for (first, until) in open {
                    curve.misses_into(first..until, &mut misses);
                    for piece in first..until {
                        let (a, b) = curve.piece(piece);
                        let worst = (a.frame..=b.frame)
                            .map(|frame| (misses[frame].abs() * levers[frame], frame))
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
            curve.misses_into(0..curve.pieces(), &mut misses);
            value.misses = misses;
        }
        value
    }
}

/// A place that is off takes along all that hangs on it. Frames of parents turn: the size of the miss is what counts.
fn carry_shift(off: &mut [Vec<Vec2>], places: &Places, track: usize, misses: &[Vec2]) {
    for &(tip, _) in &places.moved[track] {
        off[tip].iter_mut().zip(misses).for_each(|(off, miss)| *off += *miss);
    }
}

/// A frame for a new node between two others, not too near to either.
fn inside(a: Node, b: Node, wanted: usize) -> Option<usize> {
    let run = b.frame - a.frame;
    let room = (run / 5).max(1);
    (run >= 2).then(|| wanted.clamp(a.frame + room, b.frame - room))
}

impl Work<'_> {
    /// Places all frames with the values as the curves have them: what joints are off then is no first term any more.
    fn refresh(&mut self, skeleton: &Skeleton) {
        let take = self.take;
        let pose = |frame: usize, pose: &mut Pose| {
            take.pose(skeleton, frame, pose);
            for value in &self.values {
                let bone = &mut pose.bones[take.tracks[value.track].bone.index()];
                match take.tracks[value.track].samples {
                    Samples::Stretch(_) => bone.stretch += value.misses[frame],
                    _ => bone.angle += bone_core::Angle::from_degrees(value.misses[frame]),
                }
            }
            for shift in &self.shifts {
                pose.bones[take.tracks[shift.track].bone.index()].origin += shift.misses[frame];
            }
        };
        let frames: Vec<usize> = (0..self.places.frames).collect();
        let off = self.places.off(skeleton, &frames, pose);
        self.take_over(&frames, &off);
    }

    /// Notes how far joints are off in some frames.
    fn take_over(&mut self, frames: &[usize], off: &[Vec2]) {
        for (frame, new) in frames.iter().zip(off.chunks_exact(self.off.len().max(1))) {
            for (off, new) in self.off.iter_mut().zip(new) {
                off[*frame] = *new;
            }
        }
    }
}
