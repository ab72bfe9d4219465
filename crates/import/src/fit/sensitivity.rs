//! How a small change of a bone's value moves the joints below it, to first order, in every frame. The error
//! of this estimate is about a percent; the finished clip is measured exactly.

use std::ops::Range;

use bone_core::constraint::{self, Constraint, ConstraintParameters, ConstraintScratch};
use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use super::take::{ChannelSamples, Take};
use crate::chunks::{chunks, concat};

/// Constraints that act on the poses of a clip, as pins of feet do. The joints of the constrained poses are
/// what is fitted.
#[derive(Clone, Debug, Default)]
pub struct FitConstraints {
    /// The constraints, in the order in which they are applied.
    pub constraints: Vec<Constraint>,
    /// For each frame the parameters of all constraints; none where no constraint acts, or beyond the end.
    pub parameters: Vec<Vec<ConstraintParameters>>,
}

impl FitConstraints {
    /// Whether any of them acts in a frame.
    fn act(&self, frame: usize) -> bool {
        self.parameters.get(frame).is_some_and(|parameters| !parameters.is_empty())
    }
}

/// A pose, its positions, and memory for constraints.
struct Poser<'a> {
    skeleton: &'a Skeleton,
    constraints: &'a FitConstraints,
    pose: Pose,
    world: WorldPose,
    scratch: ConstraintScratch,
}

impl<'a> Poser<'a> {
    fn new(skeleton: &'a Skeleton, constraints: &'a FitConstraints) -> Self {
        let (pose, world) = (Pose::new(skeleton), WorldPose::new(skeleton));
        Self { skeleton, constraints, pose, world, scratch: ConstraintScratch::new() }
    }

    /// Places the pose and applies the constraints of a frame. A pose that cannot be placed keeps the
    /// positions of the one before.
    fn place(&mut self, frame: usize) {
        if self.world.forward(self.skeleton, &self.pose).is_err() {
            return;
        }
        let Some(parameters) = self.constraints.parameters.get(frame).filter(|some| !some.is_empty()) else {
            return;
        };
        let (pose, world) = (&mut self.pose, &mut self.world);
        constraint::apply(
            &self.constraints.constraints,
            parameters,
            self.skeleton,
            pose,
            world,
            &mut self.scratch,
        );
    }

    fn place_of(&self, end: MeasuredEnd) -> Vec2 {
        end.place(self.skeleton, &self.pose, &self.world)
    }
}

/// An end of a bone: its tip, or the origin of a bone that moves in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeasuredEnd {
    bone: BoneId,
    origin: bool,
}

impl MeasuredEnd {
    /// The ends that a take moves.
    fn all(skeleton: &Skeleton, take: &Take) -> Vec<Self> {
        let ends = take.tracks.iter().map(|track| Self {
            bone: track.bone,
            origin: matches!(track.samples, ChannelSamples::Move(_)) && skeleton.parent(track.bone).is_some(),
        });
        let tips = take.tracks.iter().map(|track| Self { bone: track.bone, origin: false });
        let mut all: Vec<Self> = ends.chain(tips).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn place(self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> Vec2 {
        match self.origin {
            true => world.origin(self.bone).to_vec2(),
            false => world.tip(skeleton, pose, self.bone).to_vec2(),
        }
    }
}

/// How a joint moves with a value in every frame: per unit of the value, for a translation per unit along x and
/// along y.
#[derive(Clone, Debug, Default)]
struct MeasuredLevers {
    x: Vec<Vec2>,
    y: Vec<Vec2>,
}

/// The positions from which sensitivities follow.
#[derive(Debug)]
pub(super) struct JointSensitivity<'a> {
    pub(super) frames: usize,
    /// The ends of bones that are measured; mostly tips.
    pub(super) measured: Vec<MeasuredEnd>,
    /// For each measured end and each frame, its place.
    tips: Vec<Vec<Vec2>>,
    /// For each track and each frame: the origin of a rotated bone, the vector of a stretched bone.
    marks: Vec<Vec<Vec2>>,
    /// For each track the measured bones that it moves, and the share of a stretch that reaches them.
    pub(super) moved: Vec<Vec<(usize, f64)>>,
    turns: Vec<bool>,
    constraints: &'a FitConstraints,
    /// For each track and each measured bone that constraints move: its levers in all frames, measured where
    /// they act.
    levers: Vec<Vec<Option<MeasuredLevers>>>,
}

impl<'a> JointSensitivity<'a> {
    /// Poses all frames once. Where constraints act the effect of a value is measured, with changes that are
    /// a part of the tolerance.
    pub(super) fn new(
        skeleton: &Skeleton,
        take: &Take,
        constraints: &'a FitConstraints,
        tolerance: f64,
    ) -> Self {
        let frames = take.frames();
        let measured = MeasuredEnd::all(skeleton, take);
        let some = |frames: Range<usize>| {
            let mut tips = vec![Vec::with_capacity(frames.len()); measured.len()];
            let mut marks = vec![Vec::new(); take.tracks.len()];
            let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
            for frame in frames {
                take.pose(skeleton, frame, &mut pose);
                // A pose that cannot be placed keeps the positions of the frame before.
                let _ = world.forward(skeleton, &pose);
                for (end, tips) in measured.iter().zip(&mut tips) {
                    tips.push(end.place(skeleton, &pose, &world));
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
        let levers = vec![vec![None; measured.len()]; take.tracks.len()];
        let mut this = Self { frames, measured, tips, marks, moved, turns, constraints, levers };
        if (0..frames).any(|frame| constraints.act(frame)) {
            this.constrain(skeleton, take, tolerance);
        }
        this
    }

    /// Moves the recorded tips to where the constraints bring them, and measures how these tips move with each
    /// value there.
    fn constrain(&mut self, skeleton: &Skeleton, take: &Take, tolerance: f64) {
        let active: Vec<usize> = (0..self.frames).filter(|&frame| self.constraints.act(frame)).collect();
        let posed = |frame: usize, pose: &mut Pose| take.pose(skeleton, frame, pose);
        let off = self.errors(skeleton, &active, posed);
        let count = self.measured.len();
        let mut touched = vec![false; count];
        for (frame, off) in active.iter().zip(off.chunks_exact(count)) {
            for (tip, off) in off.iter().enumerate() {
                touched[tip] |= off.hypot() > 1e-6 * tolerance;
                self.tips[tip][*frame] += *off;
            }
        }
        // A change of a value that moves the farthest joint by half of the tolerance.
        let steps: Vec<f64> = (0..take.tracks.len())
            .map(|track| match take.tracks[track].samples {
                ChannelSamples::Move(_) => 0.5 * tolerance,
                _ => 0.5 * tolerance / self.levers(track).into_iter().fold(1e-9, f64::max),
            })
            .collect();
        let tips: Vec<usize> = (0..count).filter(|&tip| touched[tip]).collect();
        // What is above a touched tip, or beside it on the same limb.
        let moves_any = |track: &usize| self.moved[*track].iter().any(|(tip, _)| touched[*tip]);
        let tracks: Vec<usize> = (0..take.tracks.len()).filter(moves_any).collect();
        let axes = |track: usize| match take.tracks[track].samples {
            ChannelSamples::Move(_) => 2,
            _ => 1,
        };
        let some = |range: Range<usize>| {
            let mut poser = Poser::new(skeleton, self.constraints);
            let mut slopes = Vec::new();
            for &frame in &active[range] {
                for &track in &tracks {
                    for axis in 0..axes(track) {
                        let mut changed = |by: f64| -> Vec<Vec2> {
                            take.pose(skeleton, frame, &mut poser.pose);
                            let bone = &mut poser.pose.bones[take.tracks[track].bone.index()];
                            match take.tracks[track].samples {
                                ChannelSamples::Rotate(_) => bone.angle += Angle::from_degrees(by),
                                ChannelSamples::Stretch(_) => bone.stretch += by,
                                ChannelSamples::Move(_) if axis == 0 => bone.origin.x += by,
                                ChannelSamples::Move(_) => bone.origin.y += by,
                            }
                            poser.place(frame);
                            tips.iter().map(|tip| poser.place_of(self.measured[*tip])).collect()
                        };
                        let (more, less) = (changed(steps[track]), changed(-steps[track]));
                        let slope = |(more, less): (Vec2, Vec2)| (more - less) / (2.0 * steps[track]);
                        slopes.extend(more.into_iter().zip(less).map(slope));
                    }
                }
            }
            slopes
        };
        let slopes = chunks(active.len(), 200, some).into_iter().reduce(concat).unwrap_or_default();
        let mut levers = vec![vec![None; count]; take.tracks.len()];
        let a_frame: usize = tracks.iter().map(|&track| axes(track) * tips.len()).sum();
        let mut first = 0;
        for &track in &tracks {
            for (nth, &tip) in tips.iter().enumerate() {
                let moved = self.moved[track].iter().find(|moved| moved.0 == tip).copied();
                // Where no constraint acts.
                let plain = |axis: Vec2| match (moved, axes(track)) {
                    (None, _) => vec![Vec2::ZERO; self.frames],
                    (Some(moved), 1) => self.levers_of(track, moved, 0..self.frames).collect(),
                    (Some(_), _) => vec![axis; self.frames],
                };
                let mut of_tip = (0..axes(track)).map(|axis| {
                    let mut all = plain(if axis == 0 { Vec2::new(1.0, 0.0) } else { Vec2::new(0.0, 1.0) });
                    for (at, &frame) in active.iter().enumerate() {
                        all[frame] = slopes[at * a_frame + first + axis * tips.len() + nth];
                    }
                    all
                });
                let (x, y) = (of_tip.next().unwrap_or_default(), of_tip.next().unwrap_or_default());
                let moves = moved.is_some() || x.iter().chain(&y).any(|by| by.hypot() > 1e-9);
                levers[track][tip] = moves.then_some(MeasuredLevers { x, y });
            }
            first += axes(track) * tips.len();
        }
        self.levers = levers;
        // A constraint may carry the change of a value to tips that are not below it.
        for &track in &tracks {
            for &tip in &tips {
                let is_new = self.moved[track].iter().all(|moved| moved.0 != tip);
                if is_new && self.levers[track][tip].is_some() {
                    self.moved[track].push((tip, 0.0));
                }
            }
        }
    }

    /// The effect of a change of a translation on a measured tip.
    pub(super) fn shift(&self, track: usize, tip: usize, frame: usize, by: Vec2) -> Vec2 {
        match &self.levers[track][tip] {
            Some(levers) => levers.x[frame] * by.x + levers.y[frame] * by.y,
            // Parents rotate this vector; only its length matters.
            None => by,
        }
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
            let mut poser = Poser::new(skeleton, self.constraints);
            let mut errors = Vec::with_capacity(range.len() * self.measured.len());
            for &frame in &frames[range] {
                posed(frame, &mut poser.pose);
                poser.place(frame);
                let tips = self.measured.iter().map(|end| poser.place_of(*end));
                errors.extend(tips.zip(&self.tips).map(|(tip, tips)| tip - tips[frame]));
            }
            errors
        };
        chunks(frames.len(), 1000, some).into_iter().reduce(concat).unwrap_or_default()
    }

    /// The movement of a measured tip per degree of rotation or per whole length of stretch.
    pub(super) fn lever(&self, track: usize, (tip, share): (usize, f64), frame: usize) -> Vec2 {
        if let Some(levers) = &self.levers[track][tip] {
            return levers.x[frame];
        }
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
        let measured = self.levers[track][tip].as_ref().map_or(&[][..], |levers| &levers.x[frames.clone()]);
        let plain = if measured.is_empty() { frames } else { 0..0 };
        let sensitivity = self.tips[tip][plain.clone()].iter().zip(&self.marks[track][plain]);
        let plain =
            sensitivity.map(move |(tip, mark)| if turns { turning(*tip - *mark) } else { *mark * share });
        measured.iter().copied().chain(plain)
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

    /// The same for changes of a translation.
    pub(super) fn shift_stays_within(
        &self,
        errors: &[Vec<Vec2>],
        track: usize,
        first: usize,
        changes: &[Vec2],
        tolerance: f64,
    ) -> bool {
        self.moved[track].iter().all(|&(tip, _)| {
            let errors = errors[tip][first..].iter();
            errors.zip(changes).enumerate().all(|(at, (errors, change))| {
                let moved = *errors + self.shift(track, tip, first + at, *change);
                moved.hypot2() <= (tolerance * tolerance).max(errors.hypot2())
            })
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

/// The measured ends that a value of a bone moves, and the share of its stretch that reaches each.
fn moved(
    skeleton: &Skeleton,
    bone: BoneId,
    samples: &ChannelSamples,
    measured: &[MeasuredEnd],
) -> Vec<(usize, f64)> {
    let stretches = matches!(samples, ChannelSamples::Stretch(_));
    let moves = matches!(samples, ChannelSamples::Move(_));
    let share = |end: &MeasuredEnd| {
        if end.bone == bone {
            return (moves || !end.origin).then_some(1.0);
        }
        let mut child = end.bone;
        loop {
            match skeleton.parent(child) {
                Some(parent) if parent == bone => break,
                parent => child = parent?,
            }
        }
        Some(if stretches { skeleton.setup(child).origin.x / skeleton.length(bone) } else { 1.0 })
    };
    measured.iter().enumerate().filter_map(|(at, end)| Some((at, share(end)?))).collect()
}
