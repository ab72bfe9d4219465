//! Bakes the secondary motion of a clip into a table: the start settles, loops run until they close, and any
//! time is looked up.

use std::error::Error;
use std::fmt;

use super::bodies::{Bodies, Hinge, range};
use super::{Rod, Springs};
use crate::clip::ClipTime;
use crate::{Angle, BoneId, Pose, PoseError, Skeleton, WorldPose};

/// Rows of the table per second: an oscillation of 5 Hz has an interpolation error of 2e-5 of its amplitude.
const ROWS: f64 = 120.0;

/// Steps of the simulation for each row.
const STEPS: usize = 8;

/// Greatest number of cells of a table: 256 MB.
const MOST_CELLS: f64 = 16e6;

/// Seconds of simulation for the start to settle.
const SETTLING: f64 = 20.0;

/// Greatest duration of a loop until it closes by itself: seconds, or rounds if that is more.
const LOOPING: f64 = 60.0;
const LEAST_ROUNDS: usize = 4;

/// Greatest number of rod steps for settling and for closing a loop: seconds of work.
const MOST_WORK: usize = 4_000_000;

/// Tolerance for rest, and for equal states: radians, and radians per second.
const STILL: f64 = 1e-9;

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
}

impl fmt::Display for BakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pose(error) => error.fmt(f),
            Self::TooLong { most } => {
                write!(f, "too long for its springs: with so many, a clip may have {most:.0} seconds")
            }
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
}

impl Springs {
    /// Bakes a clip. `animate` poses the bones at a time within the clip and places them; the springs are
    /// added to that.
    ///
    /// The clip begins at rest, as if its first moment had lasted forever; a loop begins as it ends.
    ///
    /// # Errors
    /// If a pose cannot be placed, or the table is too large.
    pub fn bake(
        &self,
        skeleton: &Skeleton,
        time: ClipTime,
        animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
    ) -> Result<BakedSprings, BakeError> {
        fits(self.rods.len(), time)?;
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
            bodies: Bodies::new(&self.rods),
            rows,
            step: spacing / STEPS as f64,
        };
        let mut cells = Vec::new();
        let seam = if self.rods.is_empty() { 0.0 } else { baker.run(&mut cells)? };
        let bones = self.rods.iter().map(|rod: &Rod| (rod.spring.bone, rod.spring.mix)).collect();
        Ok(BakedSprings { time, bones, spacing, cells, seam })
    }
}

/// Whether a table for this many rods and this length fits into memory.
pub(super) fn fits(rods: usize, time: ClipTime) -> Result<(), BakeError> {
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
    bodies: Bodies<'a>,
    rows: usize,
    step: f64,
}

impl<F: FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>> Baker<'_, F> {
    /// Fills the table. Returns by how many radians a loop had to be corrected to close.
    fn run(&mut self, cells: &mut Vec<(f64, f64)>) -> Result<f64, PoseError> {
        self.settle()?;
        if !self.time.looped {
            self.play(cells)?;
            return Ok(0.0);
        }
        let rounds = (LOOPING / self.time.length).ceil().max(LEAST_ROUNDS as f64) as usize;
        let work = self.rows * STEPS * self.bodies.hinges.len();
        let rounds = rounds.min(MOST_WORK / work).max(1);
        let mut seam = f64::INFINITY;
        for _ in 0..rounds {
            cells.clear();
            self.play(cells)?;
            seam = self.seam(cells);
            if seam <= STILL {
                break;
            }
        }
        self.close(cells);
        Ok(seam)
    }

    /// Time of a step, counted from the start of a round.
    fn at(&self, step: usize) -> f64 {
        let steps = self.rows * STEPS;
        let step = if self.time.looped { step % steps } else { step };
        (step as f64 * self.step).min(self.time.length)
    }

    fn sample(&mut self, step: usize) -> Result<(), PoseError> {
        let time = self.at(step);
        (self.animate)(time, &mut self.pose, &mut self.world)?;
        self.bodies.push(self.skeleton, &self.pose, &self.world, self.step);
        Ok(())
    }

    /// Simulates the first moment until all rods are at rest.
    fn settle(&mut self) -> Result<(), PoseError> {
        self.sample(0)?;
        let step = 1.0 / (ROWS * STEPS as f64);
        let steps = ((SETTLING / step) as usize).min(MOST_WORK / self.bodies.hinges.len());
        let mut before = self.bodies.hinges.clone();
        for _ in 0..steps {
            self.bodies.step(&self.pose, step, 1.0);
            let rests = |(now, before): (&Hinge, &Hinge)| {
                now.speed.abs() <= STILL && (now.turn - before.turn).abs() <= STILL
            };
            if self.bodies.hinges.iter().zip(&before).all(rests) {
                break;
            }
            before.clone_from(&self.bodies.hinges);
        }
        self.bodies.rest();
        // The next step, the one after it, and no impulse at the start.
        self.sample(1)?;
        self.bodies.roll();
        self.sample(2)
    }

    /// Plays the clip once and appends its rows, the last one included.
    fn play(&mut self, cells: &mut Vec<(f64, f64)>) -> Result<(), PoseError> {
        self.write(cells);
        for row in 0..self.rows {
            for step in 0..STEPS {
                self.bodies.step(&self.pose, self.step, 0.0);
                self.sample(row * STEPS + step + 3)?;
            }
            self.write(cells);
        }
        Ok(())
    }

    fn write(&self, cells: &mut Vec<(f64, f64)>) {
        cells.extend(self.bodies.hinges.iter().map(|hinge| (hinge.turn, hinge.speed)));
    }

    /// The difference between the end of a round and its start.
    fn seam(&self, cells: &[(f64, f64)]) -> f64 {
        let count = self.bodies.hinges.len();
        let (first, last) = (&cells[..count], &cells[cells.len() - count..]);
        let off = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs().max((a.1 - b.1).abs());
        first.iter().zip(last).map(off).fold(0.0, f64::max)
    }

    /// Closes the loop: the difference of its ends is subtracted along the way, smoothly at both ends.
    fn close(&self, cells: &mut [(f64, f64)]) {
        let count = self.bodies.hinges.len();
        let length = self.rows as f64 * STEPS as f64 * self.step;
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

impl BakedSprings {
    /// Radians by which the ends of a loop differed before the correction. More than a small value means that
    /// the oscillation still grows, or that there is no damping.
    pub fn seam(&self) -> f64 {
        self.seam
    }

    /// Adds the baked rotations to the spring bones of an animated pose, at a time of the clip.
    pub fn apply(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        let count = self.bones.len();
        if count == 0 || !time.is_finite() {
            return;
        }
        let place = (self.time.local(time) / self.spacing).max(0.0);
        let last = self.cells.len() / count - 1;
        // The conversion from float to integer saturates.
        let row = (place as usize).min(last.saturating_sub(1));
        let u = (place - row as f64).min(1.0);
        let (from, to) = (&self.cells[row * count..][..count], &self.cells[(row + 1) * count..][..count]);
        for (k, (bone, mix)) in self.bones.iter().enumerate() {
            let turn = hermite(from[k], to[k], u, self.spacing);
            let setup = pose.setup(skeleton, *bone);
            let bone_pose = &mut pose.bones[bone.index()];
            let (least, most) = range(skeleton.joint(*bone), &setup, bone_pose);
            // `clamp` panics where a pose is not a number.
            bone_pose.angle += Angle::from_radians(turn.max(least).min(most) * mix);
        }
    }
}

/// The cubic with the values and speeds of both ends.
fn hermite(from: (f64, f64), to: (f64, f64), u: f64, spacing: f64) -> f64 {
    let v = 1.0 - u;
    let values = v * v * (1.0 + 2.0 * u) * from.0 + u * u * (1.0 + 2.0 * v) * to.0;
    values + u * v * spacing * (v * from.1 - u * to.1)
}
