//! Inverse kinematics: the cost of a chain, beside other methods. Prints only; there is no pass or fail.
//!
//! The other methods get the chain as plain angles and lengths and stop within 1e-3 of the reach. Ours gets a
//! skeleton with a placed pose, converges to 1e-10 and updates pose and placement.

mod others;

use std::hint::black_box;
use std::time::Instant;

use bone_core::constraint::{Constraint, ConstraintRule, ConstraintScratch, Effector, Ik, Target, apply};
use bone_core::{Angle, BoneId, BoneSpec, Joint, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Point, Vec2};
use others::{Chain, ccd, damped, fabrik};

fn main() {
    divan::main();
    summary();
}

/// A chain of this many bones, an animated pose, and a target that another pose reaches.
struct Case {
    skeleton: Skeleton,
    pose: Pose,
    world: WorldPose,
    constraints: [Constraint; 1],
    plain: Chain,
}

struct Dice(u64);

impl Dice {
    fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from + (to - from) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

fn case(count: usize, limit: Option<f64>, dice: &mut Dice) -> Case {
    let limit_radians = limit.map_or(2.0, |limit| Angle::from_degrees(limit).radians());
    let lengths: Vec<f64> = (0..count).map(|_| dice.between(0.5, 1.5)).collect();
    let mut builder = SkeletonBuilder::new();
    for (i, &length) in lengths.iter().enumerate() {
        let mut bone = BoneSpec::new(i.to_string(), length);
        if i > 0 {
            bone = bone.parent((i - 1).to_string()).origin(lengths[i - 1], 0.0);
            let limits = limit.map(|most| (Angle::from_degrees(-most), Angle::from_degrees(most)));
            bone.joint = Joint::Pin { limits };
        }
        builder.push(bone);
    }
    let skeleton = builder.build().expect("a chain");
    let mut random = || -> Vec<f64> {
        let angle = |i| if i == 0 { 3.1 } else { limit_radians };
        (0..count).map(|i| dice.between(-angle(i), angle(i))).collect()
    };
    let (base, goal) = (random(), random());
    let mut at = Vec2::ZERO;
    let mut turn = 0.0;
    for (angle, length) in goal.iter().zip(&lengths) {
        turn += angle;
        at += Angle::from_radians(turn).direction() * *length;
    }
    let mut pose = Pose::new(&skeleton);
    for (bone, angle) in pose.bones.iter_mut().zip(&base) {
        bone.angle = Angle::from_radians(*angle);
    }
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let end = Effector::new(BoneId::new(count as u32 - 1), Target::Canvas(at.to_point()), count);
    let plain = Chain { lengths, angles: base, limit: limit.map(|_| limit_radians), target: at };
    Case { skeleton, pose, world, constraints: [Constraint::new(ConstraintRule::Ik(Ik::new(end)))], plain }
}

#[divan::bench(args = [(2, false), (10, true), (100, true)])]
fn constraint(bencher: divan::Bencher<'_, '_>, (count, limited): (usize, bool)) {
    let case = case(count, limited.then_some(60.0), &mut Dice(7));
    let (mut pose, mut world, mut scratch) =
        (case.pose.clone(), case.world.clone(), ConstraintScratch::new());
    let parameters = [case.constraints[0].parameters()];
    bencher.bench_local(|| {
        pose.copy_from(&case.pose);
        world.clone_from(&case.world);
        apply(&case.constraints, &parameters, &case.skeleton, &mut pose, &mut world, &mut scratch);
    });
}

/// Median seconds of a solver over the cases, the least of five tries each, and the share of cases within
/// 1e-3.
fn measure(cases: &[Case], mut solve: impl FnMut(&Case) -> f64) -> (f64, f64) {
    let mut times = Vec::new();
    let mut solved = 0;
    for case in cases {
        let mut best = f64::INFINITY;
        let mut miss = 0.0;
        for _ in 0..5 {
            let start = Instant::now();
            miss = black_box(solve(black_box(case)));
            best = best.min(start.elapsed().as_secs_f64());
        }
        times.push(best);
        let reach: f64 = case.plain.lengths.iter().sum();
        solved += usize::from(miss <= 1e-3 * reach);
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], solved as f64 / cases.len() as f64)
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    println!("\nrandom reachable chains, median time and share solved:");
    for (count, limit, cases) in [(2, None, 1000), (10, Some(60.0), 1000), (100, Some(60.0), 200)] {
        let mut dice = Dice(0x9e37_79b9);
        let cases: Vec<Case> = (0..cases).map(|_| case(count, limit, &mut dice)).collect();
        println!("n = {count}, {}", if limit.is_some() { "limits of 60 degrees" } else { "no limits" });
        let print = |name: &str, (time, solved): (f64, f64)| {
            println!("{name:>24}: {:10.3} us  {:6.1} %", time * 1e6, solved * 100.0);
        };
        let mut scratch = ConstraintScratch::new();
        let ours = measure(&cases, |case| {
            // Fresh copies cost as much as the solution for two bones: they are made outside of the timed
            // part.
            let (mut pose, mut world) = (case.pose.clone(), case.world.clone());
            let parameters = [case.constraints[0].parameters()];
            apply(&case.constraints, &parameters, &case.skeleton, &mut pose, &mut world, &mut scratch);
            let tip = BoneId::new(count as u32 - 1);
            (world.tip(&case.skeleton, &pose, tip) - case.plain.target.to_point()).hypot()
        });
        print("ours, copies included", ours);
        print("damped least squares", measure(&cases, |case| damped(&case.plain)));
        print("CCD", measure(&cases, |case| ccd(&case.plain)));
        print("FABRIK", measure(&cases, |case| fabrik(&case.plain)));
    }
    two_bones();
}

/// Two bones alone: many in a row, so that the resolution of the clock has no effect.
#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn two_bones() {
    let case = case(2, None, &mut Dice(11));
    let (mut pose, mut world, mut scratch) =
        (case.pose.clone(), case.world.clone(), ConstraintScratch::new());
    let mut parameters = case.constraints[0].parameters();
    const ROUNDS: u32 = 100_000;
    let best = (0..30).map(|_| {
        let start = Instant::now();
        for round in 0..ROUNDS {
            // Each starts from the last solution: the same work as from any pose.
            let turn = Angle::from_degrees(f64::from(round % 3600) * 0.1);
            parameters.place = Some(black_box(Point::ZERO + turn.direction()));
            apply(&case.constraints, &[parameters], &case.skeleton, &mut pose, &mut world, &mut scratch);
        }
        start.elapsed().as_secs_f64() / f64::from(ROUNDS)
    });
    let best = best.fold(f64::INFINITY, f64::min);
    println!("two bones, everything included: {:.1} ns", best * 1e9);
}
