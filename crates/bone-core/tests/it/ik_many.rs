//! Inverse kinematics with several ends: bodies with a person's and an animal's limits, goals on closed paths
//! that other poses within the limits make, and a brute force over the chest for two hands.

use std::f64::consts::{PI, TAU};

use bone_core::constraint::{
    Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus, Effector, Ik, Target, apply,
};
use bone_core::{Angle, BoneId, BoneSpec, Joint, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Point, Vec2};

use crate::dice::Dice;

/// Name, parent, origin in its frame, angle, length, limits in degrees from that angle.
type Bone = (&'static str, &'static str, (f64, f64), f64, f64, (f64, f64));

/// A body, and the ends with the number of bones that move for each.
struct Body {
    name: &'static str,
    bones: &'static [Bone],
    ends: &'static [(&'static str, usize)],
}

const TWO_HANDS: Body = Body {
    name: "two hands",
    bones: &[
        ("chest", "", (300.0, 400.0), -90.0, 100.0, (-35.0, 35.0)),
        ("upper.l", "chest", (90.0, -28.0), 160.0, 70.0, (-120.0, 60.0)),
        ("fore.l", "upper.l", (70.0, 0.0), -30.0, 65.0, (-115.0, 30.0)),
        ("upper.r", "chest", (90.0, 28.0), -160.0, 70.0, (-60.0, 120.0)),
        ("fore.r", "upper.r", (70.0, 0.0), 30.0, 65.0, (-30.0, 115.0)),
    ],
    ends: &[("fore.l", 3), ("fore.r", 3)],
};

const PERSON: Body = Body {
    name: "two hands and two feet",
    bones: &[
        ("pelvis", "", (300.0, 400.0), -90.0, 30.0, (-25.0, 25.0)),
        ("spine", "pelvis", (30.0, 0.0), 0.0, 50.0, (-25.0, 30.0)),
        ("chest", "spine", (50.0, 0.0), 0.0, 50.0, (-20.0, 25.0)),
        ("upper.l", "chest", (42.0, -26.0), 160.0, 70.0, (-120.0, 60.0)),
        ("fore.l", "upper.l", (70.0, 0.0), -30.0, 65.0, (-115.0, 30.0)),
        ("upper.r", "chest", (42.0, 26.0), -160.0, 70.0, (-60.0, 120.0)),
        ("fore.r", "upper.r", (70.0, 0.0), 30.0, 65.0, (-30.0, 115.0)),
        ("thigh.l", "pelvis", (0.0, -16.0), -195.0, 90.0, (-70.0, 40.0)),
        ("shin.l", "thigh.l", (90.0, 0.0), 25.0, 85.0, (-25.0, 110.0)),
        ("thigh.r", "pelvis", (0.0, 16.0), -195.0, 90.0, (-70.0, 40.0)),
        ("shin.r", "thigh.r", (90.0, 0.0), 25.0, 85.0, (-25.0, 110.0)),
    ],
    ends: &[("fore.l", 5), ("fore.r", 5), ("shin.l", 3), ("shin.r", 3)],
};

const QUADRUPED: Body = Body {
    name: "a quadruped",
    bones: &[
        ("hips", "", (200.0, 300.0), 0.0, 60.0, (-20.0, 20.0)),
        ("back", "hips", (60.0, 0.0), -5.0, 70.0, (-25.0, 20.0)),
        ("thigh.l", "hips", (5.0, 8.0), 75.0, 55.0, (-50.0, 45.0)),
        ("shin.l", "thigh.l", (55.0, 0.0), 50.0, 50.0, (-45.0, 70.0)),
        ("hock.l", "shin.l", (50.0, 0.0), -55.0, 35.0, (-60.0, 45.0)),
        ("thigh.r", "hips", (5.0, 8.0), 85.0, 55.0, (-50.0, 45.0)),
        ("shin.r", "thigh.r", (55.0, 0.0), 45.0, 50.0, (-40.0, 70.0)),
        ("hock.r", "shin.r", (50.0, 0.0), -50.0, 35.0, (-60.0, 45.0)),
        ("arm.l", "back", (66.0, 10.0), 110.0, 55.0, (-50.0, 45.0)),
        ("elbow.l", "arm.l", (55.0, 0.0), -50.0, 50.0, (-70.0, 45.0)),
        ("paw.l", "elbow.l", (50.0, 0.0), 30.0, 25.0, (-45.0, 50.0)),
        ("arm.r", "back", (66.0, 10.0), 100.0, 55.0, (-50.0, 45.0)),
        ("elbow.r", "arm.r", (55.0, 0.0), -45.0, 50.0, (-70.0, 40.0)),
        ("paw.r", "elbow.r", (50.0, 0.0), 30.0, 25.0, (-45.0, 50.0)),
    ],
    ends: &[("hock.l", 4), ("hock.r", 4), ("paw.l", 5), ("paw.r", 5)],
};

struct Rig {
    body: &'static Body,
    skeleton: Skeleton,
    base: Pose,
    pose: Pose,
    world: WorldPose,
    scratch: ConstraintScratch,
    constraints: Vec<Constraint>,
    reach: f64,
}

impl Rig {
    fn new(body: &'static Body) -> Self {
        let mut builder = SkeletonBuilder::new();
        for (name, parent, (x, y), angle, length, (least, most)) in body.bones {
            let mut bone = BoneSpec::new(*name, *length).origin(*x, *y).degrees(*angle);
            if !parent.is_empty() {
                bone = bone.parent(*parent);
            }
            bone.joint =
                Joint::Pin { limits: Some((Angle::from_degrees(*least), Angle::from_degrees(*most))) };
            builder.push(bone);
        }
        let skeleton = builder.build().expect("a body");
        let end = |&(name, chain): &(&str, usize)| {
            Effector::new(skeleton.find(name).expect("an end"), Target::Canvas(Point::ZERO), chain)
        };
        let mut ends = body.ends.iter().map(end);
        let mut ik = Ik::new(ends.next().expect("an end"));
        ik.ends.extend(ends);
        let base = Pose::new(&skeleton);
        let (pose, world) = (base.clone(), WorldPose::new(&skeleton));
        let constraints = vec![Constraint::new(ConstraintRule::Ik(ik))];
        let reach = body.bones.iter().map(|bone| bone.4).sum::<f64>() / body.ends.len() as f64;
        Self { body, skeleton, base, pose, world, scratch: ConstraintScratch::new(), constraints, reach }
    }

    fn bone(&self, name: &str) -> BoneId {
        self.skeleton.find(name).expect("a bone")
    }

    /// Where the ends are with these rotations from the setup pose (radians, in the body's order), with sines
    /// and cosines of libm.
    fn tips(&self, turns: &[f64]) -> Vec<Point> {
        let mut frames: Vec<(Vec2, f64, f64)> = Vec::new();
        for (i, (_, parent, (x, y), angle, length, _)) in self.body.bones.iter().enumerate() {
            let above = self.body.bones.iter().position(|bone| bone.0 == *parent);
            let (at, turn) = above.map_or((Vec2::ZERO, 0.0), |p| (frames[p].0, frames[p].1));
            let (sin, cos) = (libm::sin(turn), libm::cos(turn));
            let origin = at + Vec2::new(cos * x - sin * y, sin * x + cos * y);
            frames.push((origin, turn + angle * PI / 180.0 + turns[i], *length));
        }
        let tip = |name: &str| {
            let k = self.body.bones.iter().position(|bone| bone.0 == name).expect("an end");
            let (at, turn, length) = frames[k];
            (at + Vec2::new(libm::cos(turn), libm::sin(turn)) * length).to_point()
        };
        self.body.ends.iter().map(|end| tip(end.0)).collect()
    }

    /// The rotations from the setup pose, in the body's order.
    fn turns(&self, pose: &Pose) -> Vec<f64> {
        let turn = |bone: &Bone| {
            let id = self.bone(bone.0);
            (pose.bones[id.index()].angle - self.skeleton.setup(id).angle).radians()
        };
        self.body.bones.iter().map(turn).collect()
    }

    /// Animates the body with these rotations.
    fn animate(&mut self, turns: &[f64]) {
        for (bone, turn) in self.body.bones.iter().zip(turns) {
            let id = self.bone(bone.0);
            self.base.bones[id.index()].angle = self.skeleton.setup(id).angle + Angle::from_radians(*turn);
        }
    }

    /// Solves from the animated pose: the rotations, and the greatest miss as a share of the reach.
    fn solve(&mut self, targets: &[Point]) -> (Vec<f64>, f64) {
        let ConstraintRule::Ik(ik) = &mut self.constraints[0].rule else { unreachable!() };
        for (end, target) in ik.ends.iter_mut().zip(targets) {
            end.target = Target::Canvas(*target);
        }
        self.pose.copy_from(&self.base);
        self.world.forward(&self.skeleton, &self.pose).expect("no loop");
        let parameters = [self.constraints[0].parameters()];
        let (pose, world) = (&mut self.pose, &mut self.world);
        apply(&self.constraints, &parameters, &self.skeleton, pose, world, &mut self.scratch);
        let turns = self.turns(&self.pose);
        for (turn, bone) in turns.iter().zip(self.body.bones) {
            let degrees = turn * 180.0 / PI;
            let within = degrees > bone.5.0 - 1e-7 && degrees < bone.5.1 + 1e-7;
            assert!(within, "{}: {} turns by {degrees}", self.body.name, bone.0);
        }
        let miss = self.tips(&turns).iter().zip(targets).map(|(p, t)| (*p - *t).hypot()).fold(0.0, f64::max);
        let met = self.scratch.statuses()[0] == ConstraintStatus::Met;
        assert!(!met || miss < 3e-8 * self.reach, "{}: {miss}", self.body.name);
        (turns, miss / self.reach)
    }
}

fn greatest_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The figure of one body over closed paths.
#[derive(Default)]
struct Figure {
    missed: usize,
    leaps: usize,
    worst: f64,
    steps: usize,
    most_steps: usize,
    drift: usize,
}

/// A pose moves within the limits on a closed curve, and its ends are the goals. Its middle is up to a share
/// `far` of the limits from the animated pose.
fn closed_paths(body: &'static Body, paths: usize, frames: usize, far: f64) -> Figure {
    let mut rig = Rig::new(body);
    let mut dice = Dice(0x1234_5678_9abc);
    let mut figure = Figure::default();
    for _ in 0..paths {
        let radians = |bone: &Bone| (bone.5.0 * PI / 180.0, bone.5.1 * PI / 180.0);
        let mut waves = Vec::new();
        let mut animated = Vec::new();
        for bone in body.bones {
            let (least, most) = radians(bone);
            animated.push(dice.between(0.4 * least, 0.4 * most));
            let middle = animated[animated.len() - 1];
            let centre = (middle + dice.between(far * least, far * most)).clamp(0.7 * least, 0.7 * most);
            let room = (most - centre).min(centre - least).min(0.45);
            let first = dice.between(0.2, 0.6) * room;
            let phases = (dice.between(0.0, TAU), dice.between(0.0, TAU));
            waves.push((centre, first, 0.4 * room, phases));
        }
        rig.animate(&animated);
        let targets: Vec<Vec<Point>> = (0..frames)
            .map(|frame| {
                let t = TAU * frame as f64 / frames as f64;
                let turn = |&(centre, a, b, (p, q)): &(f64, f64, f64, (f64, f64))| {
                    centre + a * libm::sin(t + p) + b * libm::sin(2.0 * t + q)
                };
                rig.tips(&waves.iter().map(turn).collect::<Vec<_>>())
            })
            .collect();
        let mut poses = Vec::new();
        for target in &targets {
            let (turns, miss) = rig.solve(target);
            figure.missed += usize::from(miss > 1e-8);
            figure.steps += rig.scratch.steps();
            figure.most_steps = figure.most_steps.max(rig.scratch.steps());
            poses.push(turns);
        }
        for i in 0..frames {
            let change = greatest_change(&poses[i], &poses[(i + frames - 1) % frames]);
            figure.worst = figure.worst.max(change);
            let moved = |(a, b): (&Point, &Point)| (*a - *b).hypot();
            let own = targets[i].iter().zip(&targets[(i + frames - 1) % frames]).map(moved);
            // A limb that is nearly straight bends with the root of the way.
            let own = 4.0 * own.fold(0.0, f64::max) / 130.0;
            figure.leaps += usize::from(change > 0.35 + own);
        }
        for i in (0..frames).rev().step_by(37) {
            figure.drift += usize::from(rig.solve(&targets[i]).0 != poses[i]);
        }
    }
    figure
}

#[test]
fn several_ends_follow_closed_paths() {
    let mut wrong = Vec::new();
    for (body, far) in
        [&TWO_HANDS, &PERSON, &QUADRUPED].into_iter().flat_map(|body| [(body, 0.15), (body, 0.6)])
    {
        let start = std::time::Instant::now();
        let (paths, frames) = (100, 400);
        let figure = closed_paths(body, paths, frames, far);
        let count = paths * frames;
        println!(
            "{}, middle within {far} of the limits: {} of {count} frames missed, {} leaps, at most {:.3} rad a frame, {:.1} steps (at most {}), {:.1} us",
            body.name,
            figure.missed,
            figure.leaps,
            figure.worst,
            figure.steps as f64 / count as f64,
            figure.most_steps,
            start.elapsed().as_secs_f64() * 1e6 / count as f64,
        );
        // A branch of solutions may end, as for one chain: rarely near the animated pose. Far from it, and with
        // limits active on the whole way, one frame in a thousand may be missed.
        let (leaps, missed) = if far < 0.3 { (4, 0) } else { (20, count / 1000) };
        if figure.leaps > leaps || figure.missed > missed || figure.drift > 0 {
            wrong.push((body.name, far, figure.drift));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Least change of an arm from its animated rotations, for a target in the frame of the chest: the law of
/// cosines, any number of turns, within limits.
fn arm(bones: &[Bone], animated: &[f64], target: Vec2) -> Option<f64> {
    let (upper, fore) = (&bones[0], &bones[1]);
    let way = target - Vec2::new(upper.2.0, upper.2.1);
    let (a, b) = (upper.4, fore.4);
    let cos = (way.hypot2() - a * a - b * b) / (2.0 * a * b);
    if cos.abs() > 1.0 {
        return None;
    }
    let cost = |to: f64, bone: &Bone, from: f64| {
        let (least, most) = (bone.5.0 * PI / 180.0, bone.5.1 * PI / 180.0);
        let to = to - bone.3 * PI / 180.0;
        let turn = to - ((to - from) / TAU).round() * TAU;
        let turns = [turn - TAU, turn, turn + TAU].into_iter();
        let allowed = turns.filter(|turn| *turn >= least && *turn <= most);
        allowed.map(|turn| 0.5 * (turn - from) * (turn - from)).min_by(f64::total_cmp)
    };
    let bent = libm::acos(cos);
    let heading = libm::atan2(way.y, way.x);
    let sides = [bent, -bent].into_iter().filter_map(|bent| {
        let first = heading - libm::atan2(b * libm::sin(bent), a + b * libm::cos(bent));
        Some(cost(first, upper, animated[0])? + cost(bent, fore, animated[1])?)
    });
    sides.min_by(f64::total_cmp)
}

/// Least change of both arms and the chest on a grid over the chest's rotation; none out of reach.
fn two_hands_by_brute_force(animated: &[f64], targets: &[Point]) -> Option<f64> {
    let chest = &TWO_HANDS.bones[0];
    let (least, most) = (chest.5.0 * PI / 180.0, chest.5.1 * PI / 180.0);
    let costs = (0..=4000).filter_map(|k| {
        let turn = least + (most - least) * f64::from(k) / 4000.0;
        let angle = chest.3 * PI / 180.0 + turn;
        let (sin, cos) = (libm::sin(-angle), libm::cos(-angle));
        let inside = |target: Point| {
            let v = target - Point::new(chest.2.0, chest.2.1);
            Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
        };
        let own = 0.5 * (turn - animated[0]) * (turn - animated[0]);
        Some(
            own + arm(&TWO_HANDS.bones[1..3], &animated[1..3], inside(targets[0]))?
                + arm(&TWO_HANDS.bones[3..5], &animated[3..5], inside(targets[1]))?,
        )
    });
    costs.min_by(f64::total_cmp)
}

/// The left hand goes round circles, the right hand is held.
#[test]
fn a_hand_on_a_circle_while_the_other_is_held() {
    let mut rig = Rig::new(&TWO_HANDS);
    let animated = [0.0; 5];
    rig.animate(&animated);
    let held = rig.tips(&animated);
    for radius in [30.0, 45.0, 60.0] {
        let (mut solved, mut reachable, mut least, mut worst, mut leaps) = (0, 0, 0, 0.0_f64, 0);
        let mut before: Option<(Vec<f64>, bool)> = None;
        let start = std::time::Instant::now();
        let mut spent = std::time::Duration::ZERO;
        for frame in 0..=400 {
            let t = TAU * f64::from(frame) / 400.0;
            let targets = [held[0] + Vec2::new(libm::cos(t), libm::sin(t)) * radius, held[1]];
            let begin = start.elapsed();
            let (turns, miss) = rig.solve(&targets);
            spent += start.elapsed() - begin;
            let best = two_hands_by_brute_force(&animated, &targets);
            let cost: f64 = turns.iter().map(|turn| 0.5 * turn * turn).sum();
            solved += usize::from(miss < 1e-8);
            reachable += usize::from(best.is_some());
            // The grid misses what only a single rotation of the chest can reach.
            assert!(best.is_none() || miss < 1e-8, "radius {radius}, frame {frame}: {miss:.1e}");
            least += usize::from(best.is_some_and(|best| cost <= best * 1.01 + 1e-6));
            if let Some((last, met)) = &before {
                let change = greatest_change(&turns, last);
                worst = worst.max(change);
                // Between poses that are nearest to goals out of reach a leap may be the nearer way.
                leaps += usize::from(change > 0.35 && *met && best.is_some());
            }
            before = Some((turns, best.is_some()));
        }
        println!(
            "circle of {radius}: {solved} of 401 solved, {reachable} are possible, {least} by the least change, at most {worst:.3} rad a frame anywhere, {:.1} us",
            spent.as_secs_f64() * 1e6 / 401.0
        );
        assert!(leaps == 0 && least == reachable, "radius {radius}: {leaps} leaps");
    }
}
