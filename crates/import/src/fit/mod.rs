//! From values in every frame to few keys: each value is a curve of cubic pieces with free slopes, and what counts is where the joints
//! come to be. Values along a limb share what its end may be off: a key is put where a joint is off most, into the value that
//! is most to blame, and taken away again wherever all joints stay near enough without it.

mod nodes;
mod reach;
mod shift;
mod take;
mod written;

use bone_core::{Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use crate::ImportError;
use nodes::{Curved, Node, between};
use reach::Places;
pub use take::{Recorded, Samples, Take};
pub use written::{KeyedClip, KeyedTrack, Keys};
pub(crate) use written::{digits, rounded};

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
    for _ in 0..if take.frames() > 4000 { 1 } else { 4 } {
        work.thin();
    }
    let mut fitted = work.finish(skeleton);
    work.tolerance = tolerance;
    for _ in 0..8 {
        if fitted.worst <= tolerance {
            break;
        }
        // What rounding did, and the turns that the first term leaves out, are in `off` now.
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
    shifts: Vec<(usize, Vec<bone_core::clip::Key<Vec2>>, bone_core::clip::Extend)>,
    /// Of each measured tip, all frames: how far it is off.
    off: Vec<Vec<Vec2>>,
}

impl<'a> Work<'a> {
    fn new(take: &'a Take, places: &'a Places, tolerance: f64) -> Self {
        let off = vec![vec![Vec2::ZERO; places.frames]; places.measured.len()];
        Self { take, places, tolerance, values: Vec::new(), shifts: Vec::new(), off }
    }

    /// Each value by itself.
    fn start(&mut self) {
        for (track, recorded) in self.take.tracks.iter().enumerate() {
            match &recorded.samples {
                Samples::Rotate(samples) | Samples::Stretch(samples) => {
                    let value = self.value(track, samples, recorded.limits);
                    self.values.push(value);
                }
                Samples::Move(samples) => {
                    let share = self.tolerance * 0.45;
                    let (keys, extend) = shift::keys(samples, self.take.rate, self.take.looped, share);
                    self.shifts.push((track, keys, extend));
                }
            }
        }
        for at in 0..self.shifts.len() {
            self.carry_shift(at);
        }
        for value in &self.values {
            for (frame, miss) in value.misses.iter().enumerate() {
                carry(&mut self.off, self.places, value.track, frame, *miss);
            }
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
            for _ in 0..24 {
                curve.misses_into(0..curve.pieces(), &mut misses);
                let mut frames = Vec::new();
                for piece in 0..curve.pieces() {
                    let (a, b) = curve.piece(piece);
                    let worst = (a.frame..=b.frame)
                        .map(|frame| (misses[frame].abs() * levers[frame], frame))
                        .fold((0.0, 0), |worst, next| if next.0 > worst.0 { next } else { worst });
                    if worst.0 > self.tolerance {
                        frames.extend(inside(a, b, worst.1));
                    }
                }
                if frames.is_empty() {
                    break;
                }
                frames.into_iter().for_each(|frame| curve.insert(frame));
            }
            curve.refit_all();
            curve.misses_into(0..curve.pieces(), &mut misses);
            value.misses = misses;
        }
        value
    }
}

/// A frame for a new node between two others, not too near to either.
fn inside(a: Node, b: Node, wanted: usize) -> Option<usize> {
    let run = b.frame - a.frame;
    let room = (run / 5).max(1);
    (run >= 2).then(|| wanted.clamp(a.frame + room, b.frame - room))
}

/// Adds to the places of joints what a miss of a value does to them.
fn carry(off: &mut [Vec<Vec2>], places: &Places, track: usize, frame: usize, miss: f64) {
    for &moved in &places.moved[track] {
        off[moved.0][frame] += places.lever(track, moved, frame) * miss;
    }
}

impl Work<'_> {
    /// A place that is off takes along all that hangs on it. Frames of parents turn: the size of the miss is what counts.
    fn carry_shift(&mut self, at: usize) {
        let (track, keys, extend) = &self.shifts[at];
        let Samples::Move(samples) = &self.take.tracks[*track].samples else { return };
        let Ok(curve) = bone_core::clip::Curve::new(keys.clone(), *extend) else { return };
        for (frame, sample) in samples.iter().enumerate() {
            let miss = curve.at(frame as f64 / self.take.rate) - *sample;
            for &(tip, _) in &self.places.moved[*track] {
                self.off[tip][frame] += miss;
            }
        }
    }

    /// Whether any joint that a track moves is too far off in a frame.
    fn is_off(&self, tip: usize, frame: usize) -> bool {
        self.off[tip][frame].hypot2() > self.tolerance * self.tolerance
    }

    /// Puts nodes where joints are off most, into the values that are most to blame, until none is off too far.
    fn blame(&mut self) {
        for _ in 0..60 {
            // Of each value and piece the worst frame that it is to blame for.
            let mut wanted: Vec<Vec<(usize, f64, usize)>> = vec![Vec::new(); self.values.len()];
            for tip in 0..self.off.len() {
                for frame in 0..self.places.frames {
                    if self.is_off(tip, frame) {
                        self.accuse(tip, frame, &mut wanted);
                    }
                }
            }
            for (at, value) in self.values.iter().enumerate() {
                let Some(curve) = &value.curve else { continue };
                for piece in 0..curve.pieces() {
                    let (a, b) = curve.piece(piece);
                    let over = value.limits.and_then(|limits| outside(a, b, limits));
                    if let Some(frame) = over.or_else(|| written::turning_point(a, b, value.slight)) {
                        wanted[at].push((piece, f64::INFINITY, frame));
                    }
                }
            }
            let mut changed = false;
            for (at, mut pieces) in wanted.into_iter().enumerate() {
                pieces.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
                pieces.dedup_by_key(|piece| piece.0);
                let Some(curve) = &self.values[at].curve else { continue };
                let frames: Vec<usize> = pieces
                    .iter()
                    .filter_map(|&(piece, _, frame)| {
                        let (a, b) = curve.piece(piece);
                        inside(a, b, frame)
                    })
                    .collect();
                changed |= !frames.is_empty();
                for frame in frames {
                    self.insert(at, frame);
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Finds the value that is most to blame for a joint, and notes it.
    fn accuse(&self, tip: usize, frame: usize, wanted: &mut [Vec<(usize, f64, usize)>]) {
        let way = self.off[tip][frame];
        let mut worst: Option<(usize, usize, f64)> = None;
        for (at, value) in self.values.iter().enumerate() {
            let Some(curve) = &value.curve else { continue };
            let Some(&moved) = self.places.moved[value.track].iter().find(|moved| moved.0 == tip) else {
                continue;
            };
            let piece = curve.piece_at(frame);
            let (a, b) = curve.piece(piece);
            let part = (self.places.lever(value.track, moved, frame) * value.misses[frame]).dot(way);
            if b.frame - a.frame >= 2 && worst.is_none_or(|(_, _, most)| part > most) {
                worst = Some((at, piece, part));
            }
        }
        if let Some((at, piece, part)) = worst.filter(|worst| worst.2 > 0.0) {
            match wanted[at].last_mut().filter(|last| last.0 == piece) {
                Some(last) if last.1 >= part => {}
                Some(last) => *last = (piece, part, frame),
                None => wanted[at].push((piece, part, frame)),
            }
        }
    }

    /// A new node, with what follows from it for the joints.
    fn insert(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let piece = curve.piece_at(frame);
        curve.insert(frame);
        let pieces = curve.pieces();
        let around = around(piece, 3, 5, pieces, self.take.looped);
        self.settle(at, &around);
    }

    /// Works out anew what some pieces of a value do to the joints.
    fn settle(&mut self, at: usize, pieces: &[usize]) {
        let value = &mut self.values[at];
        let Some(curve) = &value.curve else { return };
        for &piece in pieces {
            let (a, b) = curve.piece(piece);
            for frame in a.frame..=b.frame.min(self.places.frames - 1) {
                let miss = between(a, b, frame as f64) - value.samples[frame];
                let change = miss - value.misses[frame];
                if change != 0.0 {
                    carry(&mut self.off, self.places, value.track, frame, change);
                    value.misses[frame] = miss;
                }
            }
        }
    }

    /// Takes away nodes that can be missed, those first that would be missed least.
    fn thin(&mut self) {
        for at in 0..self.values.len() {
            let Some(curve) = &self.values[at].curve else { continue };
            let mut order: Vec<(f64, usize)> = (0..curve.nodes.len())
                .filter(|&node| curve.can_remove(node))
                .map(|node| {
                    let (before, after) = (curve.node(node - 1), curve.node(node + 1));
                    let here = curve.nodes[node];
                    let lost = between(before, after, here.frame as f64) - here.value;
                    (lost.abs(), here.frame)
                })
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (_, frame) in order {
                self.try_without(at, frame);
            }
        }
    }

    /// Takes a node away if all joints stay near enough.
    fn try_without(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let Some(node) = curve.nodes.iter().position(|node| node.frame == frame) else { return };
        if !curve.can_remove(node) {
            return;
        }
        let before = curve.around(node);
        curve.remove(node);
        let pieces = curve.pieces();
        let around = around(node, 3, 3, pieces, self.take.looped);
        let fits = around.iter().all(|&piece| {
            let (a, b) = curve.piece(piece);
            let sound = value.limits.is_none_or(|limits| outside(a, b, limits).is_none())
                && written::turning_point(a, b, value.slight).is_none();
            sound
                && (a.frame..=b.frame.min(self.places.frames - 1)).all(|frame| {
                    let change = between(a, b, frame as f64) - value.samples[frame] - value.misses[frame];
                    self.places.moved[value.track].iter().all(|&moved| {
                        let off = self.off[moved.0][frame];
                        let then = off + self.places.lever(value.track, moved, frame) * change;
                        // What is off already may not get worse.
                        then.hypot2() <= (self.tolerance * self.tolerance).max(off.hypot2())
                    })
                })
        });
        if fits {
            self.settle(at, &around);
        } else {
            curve.restore(node, &before);
        }
    }

    /// Rounds, writes and measures: what joints are off then is what they are off from here on.
    fn finish(&mut self, skeleton: &Skeleton) -> Fitted {
        let rate = self.take.rate;
        let mut tracks = Vec::new();
        for value in &self.values {
            let recorded = &self.take.tracks[value.track];
            let places = digits(value.slight.min(0.5));
            let keys = match &value.curve {
                Some(curve) => {
                    let nodes: Vec<Node> = (0..=curve.pieces()).map(|at| curve.node(at)).collect();
                    written::scalar_keys(&nodes, rate, places)
                }
                None => vec![bone_core::clip::Key::new(0.0, rounded(value.constant, places))],
            };
            let (rest, keys) = match recorded.samples {
                Samples::Stretch(_) => (1.0, Keys::Stretch(keys)),
                _ => (0.0, Keys::Rotate(keys)),
            };
            let nothing = value.curve.is_none() && rounded(value.constant, places) == rest;
            if !nothing {
                tracks.push(KeyedTrack { bone: recorded.bone, keys, extend: bone_core::clip::Extend::Hold });
            }
        }
        let places = digits(0.02 * self.tolerance);
        for (track, keys, extend) in &self.shifts {
            let round = |v: Vec2| Vec2::new(rounded(v.x, places), rounded(v.y, places));
            let keys: Vec<_> = keys
                .iter()
                .map(|key| bone_core::clip::Key {
                    time: rounded(key.time, 3),
                    value: round(key.value),
                    ease: key.ease,
                })
                .collect();
            if keys.len() > 1 || keys.first().is_some_and(|key| key.value != Vec2::ZERO) {
                tracks.push(KeyedTrack {
                    bone: self.take.tracks[*track].bone,
                    keys: Keys::Move(keys),
                    extend: *extend,
                });
            }
        }
        tracks.sort_by_key(|track| track.bone);
        let length = rounded(self.take.length(), 3).max(0.001);
        let clip = KeyedClip { length, looped: self.take.looped, tracks };
        let (worst, mean) = measure(skeleton, self.take, &clip, &self.places.measured, &mut self.off);
        let again = usize::from(clip.looped);
        let moving = || clip.tracks.iter().filter(|track| track.keys.len() > 1);
        let (channels, keys) = (moving().count(), moving().map(|track| track.keys.len() - again).sum());
        Fitted { clip, worst, mean, channels, keys }
    }
}

/// The pieces from some before a piece to some behind it, each once.
fn around(piece: usize, before: usize, behind: usize, pieces: usize, looped: bool) -> Vec<usize> {
    if !looped {
        return (piece.saturating_sub(before)..(piece + behind).min(pieces)).collect();
    }
    if before + behind >= pieces {
        return (0..pieces).collect();
    }
    (piece + pieces - before..piece + pieces + behind).map(|piece| piece % pieces).collect()
}

/// The frame in which a piece leaves its limits most, if it does by more than can be written.
fn outside(a: Node, b: Node, (least, most): (f64, f64)) -> Option<usize> {
    let over = |frame: usize| {
        let value = between(a, b, frame as f64);
        (least - value).max(value - most)
    };
    let worst = (a.frame..=b.frame).fold((0.0, a.frame), |worst, frame| {
        let over = over(frame);
        if over > worst.0 { (over, frame) } else { worst }
    });
    (worst.0 > 0.05).then_some(worst.1)
}

/// The largest and the mean distance of joints between a take and a clip, over all frames; all of them are left in `offs`.
fn measure(
    skeleton: &Skeleton,
    take: &Take,
    clip: &KeyedClip,
    bones: &[bone_core::BoneId],
    offs: &mut [Vec<Vec2>],
) -> (f64, f64) {
    let Ok(played) = clip.clip(skeleton) else { return (f64::INFINITY, f64::INFINITY) };
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0_u32);
    let mut wanted = Vec::with_capacity(bones.len());
    // The last frame of a loop is its first one.
    let frames = take.frames() - usize::from(take.looped);
    for frame in 0..frames {
        take.pose(skeleton, frame, &mut pose);
        let _ = world.forward(skeleton, &pose);
        wanted.clear();
        wanted.extend(bones.iter().map(|bone| world.tip(skeleton, &pose, *bone)));
        played.sample(skeleton, frame as f64 / take.rate, &mut pose);
        let _ = world.forward(skeleton, &pose);
        for ((bone, wanted), offs) in bones.iter().zip(&wanted).zip(offs.iter_mut()) {
            offs[frame] = world.tip(skeleton, &pose, *bone) - *wanted;
            let off = offs[frame].hypot();
            worst = worst.max(off);
            sum += off * off;
            count += 1;
        }
    }
    (worst, (sum / f64::from(count.max(1))).sqrt())
}
