//! Springs that are simulated while a program runs: for tools and games, whose motion no clip has.

use super::Springs;
use super::bake::{self, MOST_WORK, ROWS, SETTLING, STEPS, STILL};
use super::bodies::Bodies;
use crate::{Pose, Skeleton, WorldPose};

/// Steps of the simulation per second, at least: those of baked springs.
const RATE: f64 = ROWS * STEPS as f64;

/// Seconds that one call simulates at most: a program that was stopped does not catch up.
const MOST_SECONDS: f64 = 0.5;

/// Steps by which the middle of a simulated step is behind the pose that was read.
const DELAY: f64 = 2.5;

/// The state of the springs of a skeleton between frames of a running program.
///
/// It moves by the same laws as [`BakedSprings`](super::BakedSprings), and the same steps give the same
/// motion to the bit. It is two steps of the simulation, 1/480 s, behind the animation, because it reads
/// accelerations from the poses around a step.
///
/// ```
/// use bone_core::spring::{Spring, SpringState, Springs};
/// use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder, WorldPose};
///
/// let flag = SkeletonBuilder::new()
///     .bone(BoneSpec::new("pole", 80.0))
///     .bone(BoneSpec::new("cloth", 40.0).parent("pole").origin(80.0, 0.0))
///     .build()?;
/// let (pole, cloth) = (flag.find("pole").expect("added"), flag.find("cloth").expect("added"));
/// let springs = Springs::new(&flag, vec![Spring::new(cloth)])?;
///
/// let (mut pose, mut world) = (Pose::new(&flag), WorldPose::new(&flag));
/// world.forward(&flag, &pose)?;
/// let mut state = SpringState::new(&springs, &flag, &pose, &world);
/// for frame in 1..=30 {
///     // The pose of the program: the pole turns a quarter within half a second.
///     pose.reset(&flag);
///     pose.bones[pole.index()].angle = Angle::from_degrees(3.0 * f64::from(frame));
///     world.forward(&flag, &pose)?;
///     state.step(&springs, &flag, &pose, &world, 1.0 / 60.0);
/// }
/// state.apply(&springs, &flag, &mut pose);
/// assert!(pose.bones[cloth.index()].angle.degrees() < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpringState {
    bodies: Bodies,
    /// Since the start, for the wind.
    seconds: f64,
}

impl SpringState {
    /// Springs at rest in an animated pose that `world` has placed. In a pose of another skeleton they are not
    /// turned.
    pub fn new(springs: &Springs, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> Self {
        let mut state = Self::unposed(springs);
        state.rest(springs, skeleton, pose, world);
        state
    }

    /// Springs that are not turned, of which [`rest`](Self::rest) is called before the first step. Simulates nothing.
    pub fn unposed(springs: &Springs) -> Self {
        Self { bodies: Bodies::new(&springs.rods), seconds: 0.0 }
    }

    /// Brings the springs to rest in another pose: after a cut, or where a figure appears.
    ///
    /// The wind goes on. Does nothing with springs of another number, or a pose of another skeleton.
    ///
    /// Returns how many steps were simulated: a few, where the balance of forces has given the rest already.
    pub fn rest(&mut self, springs: &Springs, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> usize {
        let fits = self.bodies.hinges.len() == springs.rods.len() && springs.can_read(skeleton, pose, world);
        if !fits || springs.is_empty() {
            return 0;
        }
        self.bodies.forget();
        self.bodies.read(&springs.rods, skeleton, pose, world);
        self.bodies.advance(&springs.rods, 1.0, 1.0 / RATE);
        let steps = ((SETTLING * RATE) as usize).min(MOST_WORK / springs.rods.len());
        self.bodies.blow(&springs.rods, self.seconds, None);
        self.bodies.relax(&springs.rods);
        self.bodies.settle(&springs.rods, 1.0 / RATE, steps, STILL)
    }

    /// Advances the springs by some seconds, at whose end the animation has this pose, placed by `world`. In
    /// between it moves evenly. More than half a second counts as half a second.
    ///
    /// Allocates nothing. Does nothing with springs of another number, with a pose of another skeleton, or if
    /// `seconds` is not above 0.
    pub fn step(
        &mut self,
        springs: &Springs,
        skeleton: &Skeleton,
        pose: &Pose,
        world: &WorldPose,
        seconds: f64,
    ) {
        let fits = self.bodies.hinges.len() == springs.rods.len() && springs.can_read(skeleton, pose, world);
        // Also false for NaN.
        if !(fits && seconds > 0.0) {
            return;
        }
        let seconds = seconds.min(MOST_SECONDS);
        // A whole number of steps stays one in spite of rounding.
        let steps = (seconds * RATE - 1e-6).ceil().max(1.0);
        self.bodies.read(&springs.rods, skeleton, pose, world);
        for step in 1..=steps as u32 {
            self.bodies.advance(&springs.rods, f64::from(step) / steps, seconds / steps);
            // The middle of the step that is simulated.
            let time = self.seconds + (f64::from(step) - DELAY) * seconds / steps;
            self.bodies.blow(&springs.rods, time.max(0.0), None);
            self.bodies.step(&springs.rods, seconds / steps, 0.0);
        }
        self.seconds += seconds;
    }

    /// Adds the rotations of the springs to an animated pose. Does nothing to a pose of another skeleton.
    pub fn apply(&self, springs: &Springs, skeleton: &Skeleton, pose: &mut Pose) {
        if !springs.has_bones_in(skeleton, pose) {
            return;
        }
        for (rod, hinge) in springs.rods.iter().zip(&self.bodies.hinges) {
            bake::add(skeleton, pose, rod.spring.bone, hinge.turn, rod.spring.mix);
        }
    }
}
