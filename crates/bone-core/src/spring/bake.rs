//! Bakes the secondary motion of a clip into a table: the start settles, loops run until they close, and any
//! time is looked up.

use std::error::Error;
use std::fmt;

use super::bodies::{Bodies, Hinge, RodSample, range};
use super::rod::Rod;
use super::springs::Springs;
use super::wind::Wind;
use crate::clip::ClipTime;
use crate::{Angle, BoneId, ClipError, Pose, PoseError, Skeleton, WorldPose};

/// Rows of the table per second: an oscillation of 5 Hz has an interpolation error of 2e-5 of its amplitude.
pub(super) const ROWS: f64 = 120.0;

/// Steps of the simulation for each row.
pub(super) const STEPS: usize = 8;

/// Greatest number of cells of a table: 256 MB.
const MOST_CELLS: f64 = 16e6;

/// Seconds of simulation for the start to settle.
pub(super) const SETTLING: f64 = 20.0;

/// Greatest duration of a loop until it closes by itself: seconds, or rounds if that is more.
const LOOPING: f64 = 60.0;
const LEAST_ROUNDS: usize = 4;

/// Greatest number of rod steps for settling and for closing a loop: seconds of work.
pub(super) const MOST_WORK: usize = 4_000_000;

/// Tolerance for rest, and for equal states: radians, and radians per second.
pub(super) const STILL: f64 = 1e-9;

/// For the first guess of the start of a loop.
const NEARLY_STILL: f64 = 1e-4;

/// Greatest number of samples of a loop that are kept: 100 MB.
const MOST_SAMPLES: usize = 1_000_000;

/// Seconds that a loop is played to its end before it is baked, if it is not shorter: most oscillations have faded
/// then.
const WARM_UP: f64 = 20.0;

/// Steps for each row with which a loop is closed at first, and up to which difference.
const COARSE: usize = 2;
const NEARLY: f64 = 1e-6;

/// Springs that cannot be baked for a clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BakeError {
    /// A pose of the clip cannot be placed on the canvas.
    Pose(PoseError),
    /// The table for the clip's length and its number of springs is too large.
    TooLong {
        /// The greatest length for this number of springs, in seconds.
        most: f64,
    },
    /// A length that is not a number above 0.
    Length {
        /// The given length, in seconds.
        length: f64,
    },
}

impl fmt::Display for BakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pose(error) => error.fmt(f),
            Self::TooLong { most } => {
                write!(f, "too long for its springs: with so many, a clip may have {most:.0} seconds")
            }
            Self::Length { length } => ClipError::Length { length: *length }.fmt(f),
        }
    }
}

impl Error for BakeError {}

impl From<PoseError> for BakeError {
    fn from(error: PoseError) -> Self {
        Self::Pose(error)
    }
}

/// The baked secondary motion of a whole clip. It can be sampled at any time in any order.
#[derive(Clone, Debug)]
pub struct BakedSprings {
    time: ClipTime,
    bones: Vec<(BoneId, f64)>,
    /// Seconds between rows.
    spacing: f64,
    /// Rotation and speed of each bone, row after row.
    cells: Vec<(f64, f64)>,
    seam: f64,
    /// The index of the bone whose angle differs most there, and by how much.
    worst: (usize, f64),
    /// The states at the starts of all parts, from which the clip can be baked again; none for a loop whose start
    /// had to be searched for.
    parts: Vec<Bodies>,
    /// The last row of a loop before it was made equal to the first.
    end: Vec<(f64, f64)>,
    /// What follows after cuts, with their times.
    after_cuts: Vec<(f64, BakedSprings)>,
}

/// What was baked before, and the intervals of time in which the animation has changed since, in order.
type PreviousBake<'l> = (&'l BakedSprings, &'l [(f64, f64)]);

/// Rows of a part: two seconds.
const PART: usize = 240;

impl Springs {
    /// Whether the table of a clip fits into memory.
    ///
    /// # Errors
    /// If the table is too large, or the length is not usable.
    pub fn fits(&self, time: ClipTime) -> Result<(), BakeError> {
        fits(self.rods.len(), time)
    }

    /// Bakes a clip. `animate` poses the bones at a time within the clip and places them; the springs are
    /// added to that.
    ///
    /// The clip begins at rest, as if its first moment had lasted forever; a loop begins as it ends.
    ///
    /// # Errors
    /// If a pose cannot be placed or belongs to another skeleton, the length is not usable, or the table is too
    /// large.
    pub fn bake(
        &self,
        skeleton: &Skeleton,
        time: ClipTime,
        animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
    ) -> Result<BakedSprings, BakeError> {
        self.bake_with(skeleton, time, animate, None)
    }

    /// Bakes a clip that is like another one but for some intervals of time, outside of which all poses are the
    /// same to the bit; they are in order and apart. Gives what [`bake`](Self::bake) gives, to the bit, in time
    /// linear in these intervals and the time in which oscillations fade. Loops of less than 20 seconds, and
    /// those in which oscillations do not fade in that time, are baked whole. `last` is of the same springs.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_again(
        &self,
        skeleton: &Skeleton,
        time: ClipTime,
        animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
        (last, changed): (&BakedSprings, &[(f64, f64)]),
    ) -> Result<BakedSprings, BakeError> {
        let bones = self.rods.iter().map(|rod| (rod.spring.bone, rod.spring.mix));
        let fits = last.time == time && last.bones.iter().copied().eq(bones) && !last.parts.is_empty();
        self.bake_with(skeleton, time, animate, fits.then_some((last, changed)))
    }

    /// Bakes a clip in which the motion begins anew at some times, in order, as in another shot of a film: each
    /// piece is as a clip of its own that does not loop.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_pieces(
        &self,
        skeleton: &Skeleton,
        time: ClipTime,
        cuts: &[f64],
        mut animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
    ) -> Result<BakedSprings, BakeError> {
        /// Seconds by which a piece ends before what follows: at the cut is the pose of that.
        const BEFORE: f64 = 1e-6;
        fits(self.rods.len(), time)?;
        let ends = cuts.iter().copied().chain([time.length]);
        let mut pieces = Vec::with_capacity(cuts.len() + 1);
        for (start, end) in std::iter::once(0.0).chain(cuts.iter().copied()).zip(ends) {
            let last = if end < time.length { end - BEFORE } else { end };
            let own = ClipTime { length: end - start, looped: false, ..time };
            let piece = |at: f64, pose: &mut Pose, world: &mut WorldPose| {
                animate((start + at).min(last), pose, world)
            };
            pieces.push((start, self.bake(skeleton, own, piece)?));
        }
        let after_cuts = pieces.split_off(1);
        let first = pieces.pop().map(|(_, first)| first);
        // It has a piece without a cut.
        Ok(BakedSprings { after_cuts, ..first.ok_or(BakeError::Length { length: time.length })? })
    }

    fn bake_with(
        &self,
        skeleton: &Skeleton,
        time: ClipTime,
        animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
        last: Option<PreviousBake<'_>>,
    ) -> Result<BakedSprings, BakeError> {
        fits(self.rods.len(), time)?;
        if self.least_bones > skeleton.len() {
            return Err(PoseError::UnknownBone { bone: BoneId::from_index(self.least_bones - 1) }.into());
        }
        // At least one; the conversion from float to integer saturates.
        let rows = (time.length * ROWS).ceil().max(1.0) as usize;
        // A loop closes with a row; any other clip may end between two.
        let spacing = if time.looped { time.length / rows as f64 } else { 1.0 / ROWS };
        let mut baker = Baker {
            skeleton,
            time,
            animate,
            pose: Pose::new(skeleton),
            world: WorldPose::new(skeleton),
            springs: self,
            rods: &self.rods,
            bodies: Bodies::new(&self.rods),
            rows,
            steps: STEPS,
            step: spacing / STEPS as f64,
            samples: Vec::new(),
        };
        let bones = self.rods.iter().map(|rod: &Rod| (rod.spring.bone, rod.spring.mix)).collect();
        let mut baked = BakedSprings {
            time,
            bones,
            spacing,
            cells: Vec::new(),
            seam: 0.0,
            worst: (0, 0.0),
            parts: Vec::new(),
            end: Vec::new(),
            after_cuts: Vec::new(),
        };
        if self.rods.is_empty() {
            return Ok(baked);
        }
        if !time.looped || time.length >= WARM_UP {
            baker.play_parts(last, &mut baked)?;
        }
        if time.looped && !baker.closes(&mut baked) {
            baker.run(&mut baked)?;
        }
        Ok(baked)
    }
}

/// Whether a table for this many rods and this length fits into memory.
pub(super) fn fits(rods: usize, time: ClipTime) -> Result<(), BakeError> {
    // A loop is divided by it.
    if time.length.is_nan() || time.length < f64::MIN_POSITIVE {
        return Err(BakeError::Length { length: time.length });
    }
    let cells = time.length * ROWS * rods as f64;
    if cells.is_finite() && cells <= MOST_CELLS {
        return Ok(());
    }
    Err(BakeError::TooLong { most: MOST_CELLS / ROWS / rods.max(1) as f64 })
}

struct Baker<'a, F> {
    skeleton: &'a Skeleton,
    time: ClipTime,
    animate: F,
    pose: Pose,
    world: WorldPose,
    springs: &'a Springs,
    rods: &'a [Rod],
    bodies: Bodies,
    rows: usize,
    /// Steps for each row.
    steps: usize,
    step: f64,
    /// The samples of a loop, step after step.
    samples: Vec<RodSample>,
}

impl<F: FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>> Baker<'_, F> {
    /// Fills the table of a loop by rounds until it closes.
    fn run(&mut self, baked: &mut BakedSprings) -> Result<(), PoseError> {
        let cells = &mut baked.cells;
        self.read_loop()?;
        // A loop that was played almost closes.
        if cells.is_empty() {
            self.settle(0)?;
        }
        let rounds = (LOOPING / self.time.length).ceil().max(LEAST_ROUNDS as f64) as usize;
        let work = self.rows * STEPS * self.bodies.hinges.len();
        let rounds = rounds.min(MOST_WORK / work).max(1);
        let mut closing = by_tree(self.rods).into_iter().map(LoopClosing::new).collect::<Vec<_>>();
        // Long steps first: they close the loop almost as well, in a fraction of the time.
        if rounds > 1 {
            self.set_steps(COARSE);
            self.wind()?;
            self.search(rounds, NEARLY, &mut closing, cells)?;
            self.set_steps(STEPS);
            closing.iter_mut().for_each(LoopClosing::other_steps);
        }
        self.wind()?;
        baked.seam = self.search(rounds, STILL, &mut closing, cells)?;
        baked.worst = self.worst(cells);
        self.close(cells);
        Ok(())
    }

    /// Whether a loop that was played ends as it begins. Then its ends are made equal; else it is not kept.
    fn closes(&self, baked: &mut BakedSprings) -> bool {
        let count = self.rods.len();
        if baked.cells.is_empty() {
            return false;
        }
        let seam = self.seam(&baked.cells);
        if seam.is_nan() || seam > STILL {
            baked.parts.clear();
            return false;
        }
        (baked.seam, baked.worst) = (seam, self.worst(&baked.cells));
        let end = baked.cells.len() - count;
        baked.end = baked.cells[end..].to_vec();
        baked.cells.copy_within(..count, end);
        true
    }

    /// The rod whose angles differ most at the ends of a round, and by how much.
    fn worst(&self, cells: &[(f64, f64)]) -> (usize, f64) {
        let count = self.rods.len();
        let (first, last) = (&cells[..count], &cells[cells.len() - count..]);
        let turns = first.iter().zip(last).map(|(a, b)| (a.0 - b.0).abs());
        turns.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    /// Plays the loop until it ends as it begins, each time from the start that the rounds before predict.
    /// The table has the last round. Returns the difference of its ends.
    fn search(
        &mut self,
        rounds: usize,
        closed: f64,
        closing: &mut [LoopClosing],
        cells: &mut Vec<(f64, f64)>,
    ) -> Result<f64, PoseError> {
        let mut seam = f64::INFINITY;
        for round in 0..rounds {
            cells.clear();
            self.play(cells)?;
            seam = self.seam(cells);
            if seam <= closed || round + 1 == rounds {
                break;
            }
            let count = self.bodies.hinges.len();
            let (start, end) = (&cells[..count], &cells[cells.len() - count..]);
            for tree in &mut *closing {
                tree.predict(start, end, closed, &mut self.bodies.hinges);
            }
        }
        Ok(seam)
    }

    fn set_steps(&mut self, steps: usize) {
        self.step *= self.steps as f64 / steps as f64;
        self.steps = steps;
    }

    /// Samples the moments around the start of a loop.
    fn wind(&mut self) -> Result<(), PoseError> {
        self.bodies.forget();
        let all = self.rows * self.steps;
        for step in all - 2..all + 4 {
            self.sample(step)?;
        }
        Ok(())
    }

    /// Time of a step, counted from the start of a round.
    fn at(&self, step: usize) -> f64 {
        let steps = self.rows * self.steps;
        let step = if self.time.looped { step % steps } else { step };
        (step as f64 * self.step).min(self.time.length)
    }

    /// A step from the start of a round on.
    fn step(&mut self, step: usize) {
        let middle = (step as f64 + 0.5) * self.step;
        self.bodies.blow(self.rods, middle, Wind::period(self.time));
        self.bodies.step(self.rods, self.step, 0.0);
    }

    /// Poses the bones at a step.
    fn animate(&mut self, step: usize) -> Result<(), PoseError> {
        let time = self.at(step);
        (self.animate)(time, &mut self.pose, &mut self.world)?;
        let skeleton = self.skeleton;
        if self.springs.can_read(skeleton, &self.pose, &self.world) {
            return Ok(());
        }
        Err(PoseError::BoneCount { pose: self.pose.bones.len(), skeleton: skeleton.len() })
    }

    fn sample(&mut self, step: usize) -> Result<(), PoseError> {
        let count = self.rods.len();
        if !self.samples.is_empty() {
            let step = step % (self.rows * self.steps) * (STEPS / self.steps);
            self.bodies.enter(self.rods, &self.samples[step * count..][..count], self.step);
            return Ok(());
        }
        self.animate(step)?;
        self.bodies.push(self.rods, self.skeleton, &self.pose, &self.world, self.step);
        Ok(())
    }

    /// Reads the animation of a loop once for all rounds, if it fits into memory.
    fn read_loop(&mut self) -> Result<(), PoseError> {
        let (steps, count) = (self.rows * STEPS, self.rods.len());
        if steps * count > MOST_SAMPLES {
            return Ok(());
        }
        let mut samples = Vec::with_capacity(steps * count);
        for step in 0..steps {
            self.animate(step)?;
            let (rods, skeleton) = (self.rods, self.skeleton);
            samples.extend((0..count).map(|k| RodSample::of(rods, k, skeleton, &self.pose, &self.world)));
        }
        self.samples = samples;
        Ok(())
    }

    /// Simulates the moment of a step until all rods are at rest.
    fn settle(&mut self, first: usize) -> Result<(), PoseError> {
        self.sample(first)?;
        let step = 1.0 / (ROWS * STEPS as f64);
        let steps = ((SETTLING / step) as usize).min(MOST_WORK / self.bodies.hinges.len());
        self.bodies.blow(self.rods, self.at(first), Wind::period(self.time));
        let still = if self.time.looped { NEARLY_STILL } else { STILL };
        self.bodies.settle(self.rods, step, steps, still);
        // The next steps, and no impulse at the start.
        self.sample(first + 1)?;
        self.sample(first + 2)?;
        self.bodies.roll();
        self.sample(first + 3)
    }

    /// Plays the clip once and appends its rows, the last one included.
    fn play(&mut self, cells: &mut Vec<(f64, f64)>) -> Result<(), PoseError> {
        self.write(cells);
        for row in 0..self.rows {
            self.play_row(row)?;
            self.write(cells);
        }
        Ok(())
    }

    /// The steps from a row to the next one.
    fn play_row(&mut self, row: usize) -> Result<(), PoseError> {
        for step in row * self.steps..(row + 1) * self.steps {
            self.step(step);
            self.sample(step + 4)?;
        }
        Ok(())
    }

    /// Plays the clip part by part; a loop is first played to its end once. What is the same in the last table,
    /// because the animation differs from that of then only in some intervals, is taken from there.
    fn play_parts(
        &mut self,
        last: Option<PreviousBake<'_>>,
        baked: &mut BakedSprings,
    ) -> Result<(), PoseError> {
        let (count, rows) = (self.rods.len(), self.rows);
        let warm_up = if self.time.looped { ((WARM_UP * ROWS) as usize).min(rows) } else { 0 };
        // A loop reads moments of its start after its end.
        let (looped, length) = (self.time.looped, self.time.length);
        let changed = last.map_or(&[][..], |(_, changed)| changed).iter().copied();
        let again = changed.clone().map(|(from, to)| (from + length, to + length));
        let seconds = self.step;
        // A state has read the animation of three steps ahead.
        let read = move |row: usize| (row * STEPS + 3) as f64 * seconds;
        let again = again.filter(|(from, _)| looped && *from < read(rows));
        let changed: Vec<(f64, f64)> = changed.chain(again).collect();
        let to_come = |row: usize| {
            let end = read(row) + seconds;
            changed.iter().find(|(_, to)| *to > end).map(|(from, _)| *from)
        };
        let begins_as = last.map(|(last, _)| last).filter(|_| {
            let (from, to) = if looped {
                (((rows - warm_up) * STEPS) as f64 * seconds, read(rows))
            } else {
                (0.0, read(0))
            };
            changed.iter().all(|(first, end)| *end <= from || *first >= to)
        });
        match begins_as {
            Some(last) => self.bodies = last.parts[0].clone(),
            None => {
                if looped {
                    self.settle((rows - warm_up) * self.steps)?;
                    for row in rows - warm_up..rows {
                        self.play_row(row)?;
                    }
                    self.bodies.round();
                } else {
                    self.settle(0)?;
                }
            }
        }
        let BakedSprings { cells, parts, .. } = baked;
        parts.push(self.bodies.clone());
        self.write(cells);
        loop {
            let row = (parts.len() - 1) * PART;
            let same = last.map(|(last, _)| last).filter(|last| {
                last.parts.get(parts.len() - 1).is_some_and(|then| self.bodies.continue_as(then))
            });
            if let Some(last) = same {
                // On to the last part that has not read what has changed.
                let Some(change) = to_come(row) else {
                    cells.extend_from_slice(&last.cells[cells.len()..]);
                    parts.extend_from_slice(&last.parts[parts.len()..]);
                    if looped {
                        cells.truncate(cells.len() - count);
                        cells.extend_from_slice(&last.end);
                    }
                    return Ok(());
                };
                let part = (parts.len()..last.parts.len()).rev().find(|part| read(part * PART) <= change);
                if let Some(part) = part {
                    cells.extend_from_slice(&last.cells[cells.len()..(part * PART + 1) * count]);
                    parts.extend_from_slice(&last.parts[parts.len()..=part]);
                    self.bodies = last.parts[part].clone();
                }
            }
            let first = (parts.len() - 1) * PART;
            for row in first..rows.min(first + PART) {
                self.play_row(row)?;
                if (row + 1).is_multiple_of(PART) {
                    self.bodies.round();
                }
                self.write(cells);
            }
            if first + PART >= rows {
                return Ok(());
            }
            parts.push(self.bodies.clone());
        }
    }

    fn write(&self, cells: &mut Vec<(f64, f64)>) {
        cells.extend(self.bodies.hinges.iter().map(|hinge| (hinge.turn, hinge.speed)));
    }

    /// The difference between the end of a round and its start.
    fn seam(&self, cells: &[(f64, f64)]) -> f64 {
        let count = self.bodies.hinges.len();
        let (first, last) = (&cells[..count], &cells[cells.len() - count..]);
        first.iter().zip(last).map(|(a, b)| gap(*a, *b)).fold(0.0, f64::max)
    }

    /// Closes the loop: the difference of its ends is subtracted along the way, smoothly at both ends.
    fn close(&self, cells: &mut [(f64, f64)]) {
        let count = self.bodies.hinges.len();
        let length = self.rows as f64 * self.steps as f64 * self.step;
        let (first, last) = (cells[..count].to_vec(), cells[cells.len() - count..].to_vec());
        for (row, cells) in cells.chunks_mut(count).enumerate() {
            let u = row as f64 / self.rows as f64;
            for (k, cell) in cells.iter_mut().enumerate() {
                let (turn, speed) = (last[k].0 - first[k].0, (last[k].1 - first[k].1) * length);
                cell.0 -= turn * u * u * (3.0 - 2.0 * u) + speed * u * u * (u - 1.0);
                cell.1 -= (turn * 6.0 * u * (1.0 - u) + speed * u * (3.0 * u - 2.0)) / length;
            }
        }
        // Equal to the bit.
        let end = cells.len() - count;
        cells[end..].copy_from_slice(&first);
    }
}

/// The rods of each tree: no tree moves another.
fn by_tree(rods: &[Rod]) -> Vec<Vec<usize>> {
    let mut tree_of = Vec::with_capacity(rods.len());
    let mut trees: Vec<Vec<usize>> = Vec::new();
    for (k, rod) in rods.iter().enumerate() {
        let tree = rod.parent.map_or(trees.len(), |parent| tree_of[parent]);
        if tree == trees.len() {
            trees.push(Vec::new());
        }
        trees[tree].push(k);
        tree_of.push(tree);
    }
    trees
}

/// The difference between two states.
fn gap(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

/// Anderson's method (1965) for the start of a loop that is also its end, for one tree of rods: the combination
/// of the rounds so far whose ends differ least from their starts. Without it each round brings the two nearer
/// by a factor only.
#[derive(Debug)]
struct LoopClosing {
    rods: Vec<usize>,
    /// By how much the ends of the last round differed from its start, and its ends: turns and speeds.
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// The changes of both from round to round.
    changes: Vec<(Vec<f64>, Vec<f64>)>,
}

/// How many changes are combined.
const COMBINED: usize = 12;
/// Seconds: a difference of speeds counts as this share of one of angles.
const SPEED_COUNTS: f64 = 0.1;
/// No start is predicted farther from the last end: radians, and radians per second.
const FARTHEST: f64 = 20.0;

impl LoopClosing {
    fn new(rods: Vec<usize>) -> Self {
        Self { rods, last: None, changes: Vec::new() }
    }

    /// Adds a round, and sets the start of the next one. What is closed goes on from its end.
    fn predict(&mut self, start: &[(f64, f64)], end: &[(f64, f64)], closed: f64, hinges: &mut [Hinge]) {
        if self.rods.iter().all(|k| gap(start[*k], end[*k]) <= closed) {
            return;
        }
        let ends = self.rods.iter().map(|k| (start[*k], end[*k]));
        let miss: Vec<f64> = ends.flat_map(|(a, b)| [b.0 - a.0, SPEED_COUNTS * (b.1 - a.1)]).collect();
        let end: Vec<f64> = self.rods.iter().flat_map(|k| [end[*k].0, end[*k].1]).collect();
        if let Some((before, end_before)) = &self.last {
            // After a worse round than the one before the changes predict nothing.
            if norm(&miss) > 2.0 * norm(before) {
                self.changes.clear();
            }
            let change = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
            self.changes.push((change(&miss, before), change(&end, end_before)));
            if self.changes.len() > COMBINED {
                self.changes.remove(0);
            }
        }
        let count = self.changes.len();
        let norms: Vec<f64> = self.changes.iter().map(|(by, _)| norm(by).max(f64::MIN_POSITIVE)).collect();
        let (mut system, mut right) = (vec![0.0; count * count], vec![0.0; count]);
        for (j, (one, _)) in self.changes.iter().enumerate() {
            right[j] = dot(one, &miss) / norms[j];
            for (k, (other, _)) in self.changes.iter().enumerate().take(j + 1) {
                system[j * count + k] = dot(one, other) / (norms[j] * norms[k]);
            }
            system[j * count + j] += FLOOR;
        }
        crate::dense::solve(&mut system, &mut right, FLOOR);
        let mut next = end.clone();
        for (((_, by), share), norm) in self.changes.iter().zip(&right).zip(&norms) {
            next.iter_mut().zip(by).for_each(|(next, by)| *next -= share / norm * by);
        }
        // A prediction that is none: as the round has ended.
        let sound = next.iter().zip(&end).all(|(a, b)| (a - b).abs() < FARTHEST);
        let next = if sound { next } else { end.clone() };
        self.last = Some((miss, end));
        for (k, state) in self.rods.iter().zip(next.chunks_exact(2)) {
            (hinges[*k].turn, hinges[*k].speed) = (state[0], state[1]);
        }
    }

    /// The next round has other steps: its change from the last one predicts nothing.
    fn other_steps(&mut self) {
        self.last = None;
    }
}

/// Damping of the combination.
const FLOOR: f64 = 1e-13;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

impl BakedSprings {
    /// Radians by which the ends of a loop differed before the correction. More than a small value means that
    /// the oscillation still grows, or that there is no damping.
    pub fn seam(&self) -> f64 {
        self.seam
    }

    /// The bone whose angle had to be corrected most, with that angle in radians; none without springs.
    pub fn seam_at(&self) -> Option<(BoneId, f64)> {
        self.bones.get(self.worst.0).map(|(bone, _)| (*bone, self.worst.1))
    }

    /// Adds the baked rotations to the spring bones of an animated pose, at a time of the clip. Does
    /// nothing to a pose of another skeleton.
    pub fn apply(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        let begun = self.after_cuts.partition_point(|(cut, _)| *cut <= time + 1e-9);
        if let Some((cut, piece)) = self.after_cuts[..begun].last() {
            return piece.apply(skeleton, time - cut, pose);
        }
        let count = self.bones.len();
        let unknown = self.bones.iter().any(|(bone, _)| bone.index() >= skeleton.len().min(pose.bones.len()));
        if count == 0 || unknown || !time.is_finite() {
            return;
        }
        let place = (self.time.local(time) / self.spacing).max(0.0);
        let last = self.cells.len() / count - 1;
        // The conversion from float to integer saturates.
        let row = (place as usize).min(last.saturating_sub(1));
        let u = (place - row as f64).min(1.0);
        let (from, to) = (&self.cells[row * count..][..count], &self.cells[(row + 1) * count..][..count]);
        for (k, (bone, mix)) in self.bones.iter().enumerate() {
            add(skeleton, pose, *bone, hermite(from[k], to[k], u, self.spacing), *mix);
        }
    }
}

/// Adds a share of a rotation (radians) to a bone, within the limits of its joint.
pub(super) fn add(skeleton: &Skeleton, pose: &mut Pose, bone: BoneId, turn: f64, mix: f64) {
    let (least, most) = range(skeleton, pose, bone);
    let bone_pose = &mut pose.bones[bone.index()];
    // `clamp` panics where a pose is not a number.
    bone_pose.angle += Angle::from_radians(turn.max(least).min(most) * mix);
}

/// The cubic with the values and speeds of both ends.
fn hermite(from: (f64, f64), to: (f64, f64), u: f64, spacing: f64) -> f64 {
    let v = 1.0 - u;
    let values = v * v * (1.0 + 2.0 * u) * from.0 + u * u * (1.0 + 2.0 * v) * to.0;
    values + u * v * spacing * (v * from.1 - u * to.1)
}
