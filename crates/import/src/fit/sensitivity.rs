//! How a small change of a bone's value moves the joints below it, to first order, in every frame. The error
//! of this estimate is about a percent; the finished clip is measured exactly.

use std::ops::Range;

use bone_core::{BoneId, Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use super::take::{ChannelSamples, Take};
use crate::chunks::{chunks, concat};

/// The positions from which sensitivities follow.
#[derive(Debug)]
pub(super) struct JointSensitivity {
    pub(super) frames: usize,
    /// The bones whose tips are measured.
    pub(super) measured: Vec<BoneId>,
    /// For each measured bone and each frame, its tip.
    tips: Vec<Vec<Vec2>>,
    /// For each track and each frame: the origin of a rotated bone, the vector of a stretched bone.
    marks: Vec<Vec<Vec2>>,
    /// For each track the measured bones that it moves, and the share of a stretch that reaches them.
    pub(super) moved: Vec<Vec<(usize, f64)>>,
    turns: Vec<bool>,
}

impl JointSensitivity {
    /// Poses all frames once.
    pub(super) fn new(skeleton: &Skeleton, take: &Take) -> Self {
        let frames = take.frames();
        let mut measured: Vec<BoneId> = take.tracks.iter().map(|track| track.bone).collect();
        measured.sort_unstable();
        measured.dedup();
        let some = |frames: Range<usize>| {
            let mut tips = vec![Vec::with_capacity(frames.len()); measured.len()];
            let mut marks = vec![Vec::new(); take.tracks.len()];
            let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
            for frame in frames {
                take.pose(skeleton, frame, &mut pose);
                // A pose that cannot be placed keeps the positions of the frame before.
                let _ = world.forward(skeleton, &pose);
                for (bone, tips) in measured.iter().zip(&mut tips) {
                    tips.push(world.tip(skeleton, &pose, *bone).to_vec2());
                }
                for (track, marks) in take.tracks.iter().zip(&mut marks) {
                    match track.samples {
                        ChannelSamples::Rotate(_) => marks.push(world.origin(track.bone).to_vec2()),
                        ChannelSamples::Stretch(_) => {
                            let [a, b, ..] = world.matrix(track.bone).as_coeffs();
                            marks.push(Vec2::new(a, b) * skeleton.length(track.bone));
                        }
                        ChannelSamples::Move(_) => {}
                    }
                }
            }
            (tips, marks)
        };
        let behind = |first: Vec<Vec<Vec2>>, next: Vec<Vec<Vec2>>| {
            first.into_iter().zip(next).map(|(first, next)| concat(first, next)).collect()
        };
        let parts = chunks(frames, 1000, some).into_iter();
        let (tips, marks) = parts
            .reduce(|first, next| (behind(first.0, next.0), behind(first.1, next.1)))
            .unwrap_or_default();
        let moved =
            take.tracks.iter().map(|track| moved(skeleton, track.bone, &track.samples, &measured)).collect();
        let turns =
            take.tracks.iter().map(|track| matches!(track.samples, ChannelSamples::Rotate(_))).collect();
        Self { frames, measured, tips, marks, moved, turns }
    }

    /// The highest speed of a measured tip, in units a second.
    pub(super) fn highest_speed(&self, rate: f64) -> f64 {
        let steps =
            self.tips.iter().flat_map(|tips| tips.windows(2).map(|pair| (pair[1] - pair[0]).hypot2()));
        (steps.fold(0.0, f64::max).sqrt() * rate).max(1e-9)
    }

    /// The errors of the measured tips when some frames have another pose: all tips of one frame, then of the
    /// next.
    pub(super) fn errors(
        &self,
        skeleton: &Skeleton,
        frames: &[usize],
        posed: impl Fn(usize, &mut Pose) + Sync,
    ) -> Vec<Vec2> {
        let some = |range: Range<usize>| {
            let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
            let mut errors = Vec::with_capacity(range.len() * self.measured.len());
            for &frame in &frames[range] {
                posed(frame, &mut pose);
                let _ = world.forward(skeleton, &pose);
                let tips = self.measured.iter().map(|bone| world.tip(skeleton, &pose, *bone).to_vec2());
                errors.extend(tips.zip(&self.tips).map(|(tip, tips)| tip - tips[frame]));
            }
            errors
        };
        chunks(frames.len(), 1000, some).into_iter().reduce(concat).unwrap_or_default()
    }

    /// The movement of a measured tip per degree of rotation or per whole length of stretch.
    pub(super) fn lever(&self, track: usize, (tip, share): (usize, f64), frame: usize) -> Vec2 {
        let mark = self.marks[track][frame];
        if self.turns[track] { turning(self.tips[tip][frame] - mark) } else { mark * share }
    }

    /// The same in some frames.
    fn levers_of(
        &self,
        track: usize,
        (tip, share): (usize, f64),
        frames: Range<usize>,
    ) -> impl Iterator<Item = Vec2> {
        let turns = self.turns[track];
        let sensitivity = self.tips[tip][frames.clone()].iter().zip(&self.marks[track][frames]);
        sensitivity.map(move |(tip, mark)| if turns { turning(*tip - *mark) } else { *mark * share })
    }

    /// Adds the effect of changes of a track's value to the errors, beginning at a frame.
    pub(super) fn add_change(&self, errors: &mut [Vec<Vec2>], track: usize, first: usize, changes: &[f64]) {
        let frames = first..first + changes.len();
        for &moved in &self.moved[track] {
            let levers = self.levers_of(track, moved, frames.clone());
            for ((errors, lever), change) in
                errors[moved.0][frames.clone()].iter_mut().zip(levers).zip(changes)
            {
                *errors += lever * *change;
            }
        }
    }

    /// Whether all joints stay within a tolerance with these changes, or at least do not get worse.
    pub(super) fn stays_within(
        &self,
        errors: &[Vec<Vec2>],
        track: usize,
        first: usize,
        changes: &[f64],
        tolerance: f64,
    ) -> bool {
        let frames = first..first + changes.len();
        self.moved[track].iter().all(|&moved| {
            let levers = self.levers_of(track, moved, frames.clone());
            errors[moved.0][frames.clone()].iter().zip(levers).zip(changes).all(
                |((errors, lever), change)| {
                    (*errors + lever * *change).hypot2() <= (tolerance * tolerance).max(errors.hypot2())
                },
            )
        })
    }

    /// The longest lever of a track in each frame.
    pub(super) fn levers(&self, track: usize) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.frames];
        for &moved in &self.moved[track] {
            for (largest, lever) in largest.iter_mut().zip(self.levers_of(track, moved, 0..self.frames)) {
                *largest = largest.max(lever.hypot2());
            }
        }
        largest.iter_mut().for_each(|lever| *lever = lever.sqrt());
        largest
    }
}

/// The movement of the end of an arm per degree.
fn turning(arm: Vec2) -> Vec2 {
    Vec2::new(-arm.y, arm.x) * (std::f64::consts::PI / 180.0)
}

/// The measured bones at or below a bone, and the share of its stretch that reaches each.
fn moved(
    skeleton: &Skeleton,
    bone: BoneId,
    samples: &ChannelSamples,
    measured: &[BoneId],
) -> Vec<(usize, f64)> {
    let stretches = matches!(samples, ChannelSamples::Stretch(_));
    let share = |tip: BoneId| {
        if !stretches || tip == bone {
            return 1.0;
        }
        let mut child = tip;
        while let Some(parent) = skeleton.parent(child).filter(|&parent| parent != bone) {
            child = parent;
        }
        skeleton.setup(child).origin.x / skeleton.length(bone)
    };
    let below = skeleton.subtree(bone);
    below.filter_map(|tip| measured.binary_search(&tip).ok().map(|at| (at, share(tip)))).collect()
}
