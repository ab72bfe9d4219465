//! Inverse kinematics on chains with a known least change, on random chains with limits, and with targets on
//! closed paths.

use bone_core::constraint::{
    Bend, Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus, Effector, Ik, Target, apply,
};
use bone_core::{Angle, BoneId, BoneSpec, Joint, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Point, Vec2};
use std::f64::consts::TAU;

use crate::dice::Dice;

/// The limits of a joint in degrees.
type Limits = Option<(f64, f64)>;

/// A chain along x at rest, one bone at the tip of the other; the first has no limits.
fn chain(lengths: &[f64], limits: &[Limits]) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for (i, &length) in lengths.iter().enumerate() {
        let mut bone = BoneSpec::new(i.to_string(), length);
        if i > 0 {
            bone = bone.parent((i - 1).to_string()).origin(lengths[i - 1], 0.0);
            let angle = Angle::from_degrees;
            bone.joint = Joint::Pin { limits: limits[i].map(|(least, most)| (angle(least), angle(most))) };
        }
        builder.push(bone);
    }
    builder.build().expect("a chain")
}

struct Rig {
    skeleton: Skeleton,
    base: Pose,
    pose: Pose,
    world: WorldPose,
    scratch: ConstraintScratch,
    constraints: Vec<Constraint>,
}

impl Rig {
    fn new(lengths: &[f64], limits: Option<f64>, angles: &[f64], bend: Bend) -> Self {
        Self::within(lengths, &vec![limits.map(|most| (-most, most)); lengths.len()], angles, bend)
    }

    fn within(lengths: &[f64], limits: &[Limits], angles: &[f64], bend: Bend) -> Self {
        let skeleton = chain(lengths, limits);
        let mut base = Pose::new(&skeleton);
        for (bone, &angle) in base.bones.iter_mut().zip(angles) {
            bone.angle = Angle::from_radians(angle);
        }
        let tip = BoneId::new(lengths.len() as u32 - 1);
        let end = Effector::new(tip, Target::Canvas(Point::ZERO), lengths.len());
        let constraints = vec![Constraint::new(ConstraintRule::Ik(Ik { bend, ..Ik::new(end) }))];
        let (pose, world) = (base.clone(), WorldPose::new(&skeleton));
        Self { skeleton, base, pose, world, scratch: ConstraintScratch::new(), constraints }
    }

    /// Solves from the animated pose. Returns the tip.
    fn reach(&mut self, target: Point) -> (Point, ConstraintStatus) {
        self.pose.copy_from(&self.base);
        self.world.forward(&self.skeleton, &self.pose).expect("no loop");
        let mut parameters = self.constraints[0].parameters();
        parameters.place = Some(target);
        let (pose, world) = (&mut self.pose, &mut self.world);
        apply(&self.constraints, &[parameters], &self.skeleton, pose, world, &mut self.scratch);
        (self.tip(), self.scratch.statuses()[0])
    }

    fn tip(&self) -> Point {
        let mut at = Vec2::ZERO;
        let mut turn = 0.0;
        for (i, bone) in self.pose.bones.iter().enumerate() {
            // Another implementation of the same chain: libm, sums of angles.
            turn += bone.angle.radians();
            let length = self.skeleton.length(BoneId::new(i as u32));
            at += Vec2::new(libm::cos(turn), libm::sin(turn)) * length;
        }
        at.to_point()
    }

    fn cost(&self) -> f64 {
        let change =
            |(now, then): (&bone_core::BonePose, &bone_core::BonePose)| (now.angle - then.angle).radians();
        self.pose.bones.iter().zip(&self.base.bones).map(|pair| 0.5 * change(pair).powi(2)).sum()
    }

    fn breaks_limits(&self) -> bool {
        self.skeleton.bones().any(|bone| match self.skeleton.joint(bone) {
            Joint::Pin { limits: Some((least, most)) } => {
                let turn = self.pose.bones[bone.index()].angle - self.skeleton.setup(bone).angle;
                turn.degrees() < least.degrees() - 1e-9 || turn.degrees() > most.degrees() + 1e-9
            }
            _ => false,
        })
    }
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|x| x.parse().expect("a number")).collect()
}

#[test]
fn least_change_of_sixty_chains() {
    let (mut reached, mut least, mut better) = (0, 0, 0);
    let mut worst = 0.0_f64;
    for line in include_str!("../data/ik_cases.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').collect();
        let (lengths, base, target) = (numbers(fields[1]), numbers(fields[2]), numbers(fields[3]));
        let best = numbers(fields[4])[0];
        let mut rig = Rig::new(&lengths, None, &base, Bend::Either);
        let target = Point::new(target[0], target[1]);
        let (tip, status) = rig.reach(target);
        let reach: f64 = lengths.iter().sum();
        let miss = (tip - target).hypot() / reach;
        worst = worst.max(miss);
        reached += usize::from(miss <= 1e-6 && status == ConstraintStatus::Met);
        least += usize::from(rig.cost() <= best * 1.01);
        better += usize::from(rig.cost() < best * 0.99);
        let within = rig.pose.bones.iter().all(|b| b.angle.radians().abs() <= 12.566371);
        assert!(within, "beyond two turns");
    }
    println!(
        "reached {reached} of 60 (worst miss {worst:.1e}), cost within 1 % of the best known {least}, below it {better}"
    );
    assert!(reached == 60 && least >= 58);
}

fn random_chains(n: usize, count: usize, seed: u64) -> (usize, f64) {
    let mut dice = Dice(seed);
    let limit = Angle::from_degrees(60.0).radians();
    let (mut reached, mut steps) = (0, 0);
    for _ in 0..count {
        let lengths: Vec<f64> = (0..n).map(|_| dice.between(0.5, 1.5)).collect();
        let mut random = || {
            let mut angles: Vec<f64> = (0..n).map(|_| dice.between(-limit, limit)).collect();
            angles[0] = dice.between(-3.1, 3.1);
            angles
        };
        let (base, goal) = (random(), random());
        let mut rig = Rig::new(&lengths, Some(60.0), &goal, Bend::Auto);
        rig.pose.copy_from(&rig.base);
        let target = rig.tip();
        for (bone, &angle) in rig.base.bones.iter_mut().zip(&base) {
            bone.angle = Angle::from_radians(angle);
        }
        let (tip, _) = rig.reach(target);
        let reach: f64 = lengths.iter().sum();
        reached += usize::from((tip - target).hypot() <= 1e-6 * reach);
        steps += rig.scratch.steps();
        assert!(!rig.breaks_limits());
    }
    (reached, steps as f64 / count as f64)
}

#[test]
fn random_chains_with_limits_of_sixty_degrees() {
    for (n, least) in [(3, 990), (10, 999), (100, 990)] {
        let (reached, steps) = random_chains(n, 1000, 0x9e37_79b9);
        println!("n = {n}: {reached} of 1000 reached, {steps:.1} steps each");
        assert!(reached >= least, "n = {n}: {reached}");
    }
}

/// A closed path with this many frames: circles on circles about a point up to `far` of the reach from the
/// tip of the animated pose. It stays within reach and never passes behind the base, where the shorter way
/// round changes.
fn path(dice: &mut Dice, reach: f64, tip: Vec2, far: f64, frames: usize) -> Vec<Point> {
    let heading = libm::atan2(tip.y, tip.x) + dice.between(-0.5, 0.5);
    let radius = (tip.hypot() / reach + dice.between(-far, far)).clamp(0.4, 0.7);
    let centre = (radius * reach, heading);
    let waves: Vec<(f64, f64, f64, f64)> = (1..=3)
        .map(|k| {
            let most = 1.0 / f64::from(k * k);
            let radius = dice.between(0.0, 0.18) * reach * most;
            (f64::from(k), radius, dice.between(-0.9, 0.9) * most, dice.between(0.0, TAU))
        })
        .collect();
    (0..frames)
        .map(|frame| {
            let t = TAU * frame as f64 / frames as f64;
            let (mut radius, mut angle) = centre;
            for (k, length, turn, phase) in &waves {
                radius += length * libm::cos(k * t + phase);
                angle += turn * libm::sin(k * t + phase * 1.7);
            }
            Point::new(radius * libm::cos(angle), radius * libm::sin(angle))
        })
        .collect()
}

fn same_bits(a: &Pose, b: &Pose) -> bool {
    a.bones.iter().zip(&b.bones).all(|(a, b)| a.angle.degrees().to_bits() == b.angle.degrees().to_bits())
}

/// How far a joint rotates more than the target's own rotation about the base and its change of radius
/// require.
///
/// A limb that bends to one side; `crooked` joints are bent either way by up to this much.
fn jumps(limits: Option<f64>, bend: Bend, far: f64, crooked: Option<f64>) -> (usize, usize, usize, f64) {
    const N: usize = 10;
    let mut dice = Dice(0x5eed_cafe);
    let (mut count, mut drift, mut missed, mut worst) = (0, 0, 0, 0.0_f64);
    for _ in 0..100 {
        let lengths: Vec<f64> = (0..N).map(|_| dice.between(0.5, 1.5)).collect();
        let reach: f64 = lengths.iter().sum();
        let side = if dice.share() < 0.5 { 0.2 } else { -0.2 };
        let mut angle = |i| match crooked {
            _ if i == 0 => dice.between(-3.0, 3.0),
            Some(most) => dice.between(-most, most),
            None => side + dice.between(-0.3, 0.3),
        };
        let angles: Vec<f64> = (0..N).map(&mut angle).collect();
        let mut rig = Rig::new(&lengths, limits, &angles, bend);
        let targets = path(&mut dice, reach, rig.tip().to_vec2(), far, 400);
        let mut poses = Vec::new();
        for &target in &targets {
            let (tip, _) = rig.reach(target);
            missed += usize::from((tip - target).hypot() > 1e-6 * reach);
            poses.push(rig.pose.clone());
        }
        for (i, &target) in targets.iter().enumerate() {
            let (before, now) = (&poses[(i + 399) % 400], &poses[i]);
            let from = targets[(i + 399) % 400];
            let own = 4.0 * (target - from).hypot() / target.to_vec2().hypot().min(from.to_vec2().hypot());
            let turn =
                |(a, b): (&bone_core::BonePose, &bone_core::BonePose)| (a.angle - b.angle).radians().abs();
            let most = now.bones.iter().zip(&before.bones).map(turn).fold(0.0, f64::max);
            worst = worst.max(most - own);
            count += usize::from(most > 0.35 + own);
        }
        // Again, backwards and with gaps: the same bits.
        for i in (0..400).rev().step_by(7).chain([0, 399, 200]) {
            rig.reach(targets[i]);
            drift += usize::from(!same_bits(&rig.pose, &poses[i]));
        }
    }
    (count, drift, missed, worst)
}

#[test]
fn targets_on_closed_paths() {
    for (name, limits) in [("no limits", None), ("limits of 60 degrees", Some(60.0))] {
        let (count, drift, missed, worst) = jumps(limits, Bend::Auto, 0.1, None);
        println!(
            "{name}: {count} jumps, {drift} frames that differ in another order, {missed} of 40000 missed, most {worst:.3} rad"
        );
        assert!(drift == 0 && (missed == 0 || limits.is_some()), "{name}");
        let (far, ..) = jumps(limits, Bend::Auto, 0.5, None);
        let (either, ..) = jumps(limits, Bend::Either, 0.1, None);
        println!(
            "{name}, targets far from the animated tip: {far} jumps; free to take either side: {either}"
        );
        assert!(count == 0 || limits.is_some(), "{name}");
    }
}

/// A chain that is nearly straight, or curled, has no side to keep: where the branch of solutions ends, no
/// rule for a single frame can avoid a step. It must be rare, and must not lead to a pose from a restart that
/// is left again.
#[test]
fn targets_on_closed_paths_of_crooked_chains() {
    for (crooked, limits) in
        [(0.3, None), (0.6, None), (1.0, None), (2.0, None), (0.6, Some(60.0)), (1.0, Some(60.0))]
    {
        let (count, drift, missed, worst) = jumps(limits, Bend::Auto, 0.1, Some(crooked));
        println!(
            "bent by up to {crooked}, limits {limits:?}: {count} jumps of 40000 frames, most {worst:.2} rad"
        );
        assert!(drift == 0 && missed == 0 && count <= 30 && worst < 2.0, "{crooked} {limits:?}");
    }
}

/// The directions of a first bone for sets of poses, and for the least change.
const COARSE: usize = 60;
const FINE: usize = 240;

/// All poses of two or three bones that reach a target within limits: the angle of the first of three on a grid,
/// the last two by the law of cosines. Angles from the animated ones, radians, the shorter way.
fn poses(lengths: &[f64], limits: &[Limits], animated: &[f64], target: Vec2, grid: usize) -> Vec<[f64; 3]> {
    let n = lengths.len();
    // Poses within limits may be between those of a coarse grid.
    let slack = if grid == COARSE { 540.0 / grid as f64 } else { 0.0 };
    let mut found = Vec::new();
    for k in 0..if n == 3 { grid } else { 1 } {
        let first = TAU * k as f64 / grid as f64;
        let (turn, to) = if n == 3 {
            (first, target - Vec2::new(libm::cos(first), libm::sin(first)) * lengths[0])
        } else {
            (0.0, target)
        };
        let (a, b) = (lengths[n - 2], lengths[n - 1]);
        let cos = (to.hypot2() - a * a - b * b) / (2.0 * a * b);
        if cos.abs() > 1.0 {
            continue;
        }
        for bent in [libm::acos(cos), -libm::acos(cos)] {
            let along = libm::atan2(b * libm::sin(bent), a + b * libm::cos(bent));
            let upper = libm::atan2(to.y, to.x) - along - turn;
            let angles = if n == 3 { [first, upper, bent] } else { [upper, bent, 0.0] };
            let mut by = [0.0; 3];
            let mut within = true;
            for i in 0..n {
                let short = |angle: f64| angle - (angle / TAU).round() * TAU;
                by[i] = short(angles[i] - animated[i]);
                if let Some((least, most)) = limits[i] {
                    let angle = Angle::from_radians(short(angles[i])).degrees();
                    within &= i == 0 || (angle >= least - slack && angle <= most + slack);
                    by[i] = short(angles[i]) - animated[i];
                }
            }
            if within {
                found.push(by);
            }
        }
    }
    found
}

/// Leaps of two and three bones whose animated pose is crooked, beside brute force. The least number that any
/// sequence of poses needs, whatever the frames before it were: the set of all poses that are reached without a
/// leap is carried from frame to frame, and where it gets empty there is one. And the number that the least
/// change on the animated side makes: a rule for a single frame, as that of the solver is, which leaps where
/// two poses far from each other change as little.
#[test]
fn leaps_of_short_chains_beside_brute_force() {
    const FRAMES: usize = 200;
    let paths = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(5);
    let (mut dice, mut sums) = (Dice(0x1eaf_5eed), (0, 0, 0));
    for n in [2, 3] {
        for kind in ["no limits", "60 degrees", "random", "one-sided"] {
            let (mut least, mut ruled, mut solved, mut frames) = (0, 0, 0, 0);
            for _ in 0..paths {
                let lengths: Vec<f64> = (0..n).map(|_| dice.between(0.5, 1.5)).collect();
                let limits: Vec<Limits> = (0..n)
                    .map(|_| match kind {
                        "60 degrees" => Some((-60.0, 60.0)),
                        "random" => {
                            let from = dice.between(-120.0, 0.0);
                            Some((from, from + dice.between(60.0, 150.0)))
                        }
                        "one-sided" => Some(if dice.share() < 0.5 { (0.0, 130.0) } else { (-130.0, 0.0) }),
                        _ => None,
                    })
                    .collect();
                let mut animated: Vec<f64> = limits
                    .iter()
                    .map(|limits| {
                        limits.map_or((-1.0, 1.0), |(a, b)| {
                            (Angle::from_degrees(a).radians(), Angle::from_degrees(b).radians())
                        })
                    })
                    .map(|(from, to)| dice.between(from, to))
                    .collect();
                animated[0] = dice.between(-3.0, 3.0);
                let mut rig = Rig::within(&lengths, &limits, &animated, Bend::Auto);
                let reach = lengths.iter().sum();
                rig.pose.copy_from(&rig.base);
                let targets = path(&mut dice, reach, rig.tip().to_vec2(), 0.1, FRAMES);
                let side = bends_to(&lengths, animated.iter().copied());
                // The poses that no leap leads to, and the two of the last frame.
                let mut held: Vec<[f64; 3]> = Vec::new();
                let mut last: Option<[[f64; 3]; 2]> = None;
                let mut before = targets[0];
                for &target in &targets {
                    let own = 4.0 * (target - before).hypot()
                        / target.to_vec2().hypot().min(before.to_vec2().hypot());
                    let most = 0.35 + own;
                    before = target;
                    let leaps = |a: &[f64; 3], b: &[f64; 3], most: f64| {
                        a.iter().zip(b).any(|(a, b)| {
                            let by = (a - b).abs();
                            by.min((by - TAU).abs()) > most
                        })
                    };
                    let all = poses(&lengths, &limits, &animated, target.to_vec2(), COARSE);
                    let fine = poses(&lengths, &limits, &animated, target.to_vec2(), FINE);
                    let cost = |by: &[f64; 3]| by.iter().map(|by| by * by).sum::<f64>();
                    let area = |by: &[f64; 3]| {
                        bends_to(&lengths, by.iter().zip(&animated).map(|(by, animated)| by + animated))
                            * side
                    };
                    let on_side = fine.iter().filter(|by| area(by) > 0.0);
                    let rule = on_side.min_by(|a, b| cost(a).total_cmp(&cost(b)));
                    let rule = rule.or_else(|| fine.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))));
                    let (_, status) = rig.reach(target);
                    // Out of reach within the limits: a sequence begins anew.
                    let (Some(rule), ConstraintStatus::Met, false) = (rule, status, all.is_empty()) else {
                        held.clear();
                        last = None;
                        continue;
                    };
                    let mut now = [0.0; 3];
                    for (by, (bone, animated)) in now.iter_mut().zip(rig.pose.bones.iter().zip(&animated)) {
                        *by = bone.angle.radians() - animated;
                    }
                    frames += 1;
                    if let Some([rule_before, before]) = last {
                        let kept: Vec<[f64; 3]> = all
                            .iter()
                            .filter(|by| held.iter().any(|held| !leaps(by, held, most + 0.1)))
                            .copied()
                            .collect();
                        least += usize::from(kept.is_empty());
                        held = if kept.is_empty() { all } else { kept };
                        ruled += usize::from(leaps(rule, &rule_before, most));
                        let leap = leaps(&now, &before, most);
                        solved += usize::from(leap);
                    } else {
                        held = all;
                    }
                    last = Some([*rule, now]);
                }
            }
            println!(
                "{n} bones, {kind}: {solved} leaps in {frames} frames; {ruled} by the least change, {least} at least"
            );
            sums = (sums.0 + solved, sums.1 + ruled, sums.2 + least);
        }
    }
    let (solved, ruled, least) = sums;
    println!("all: {solved} leaps, {ruled} by the least change, {least} at least");
    assert!(solved <= ruled + ruled / 10 + 1 && least <= solved, "{sums:?}");
}

/// The area of a chain over the line from its base to its tip: the side to which it bends.
fn bends_to(lengths: &[f64], angles: impl Iterator<Item = f64>) -> f64 {
    let (mut at, mut turn, mut over) = (Vec2::ZERO, 0.0, 0.0);
    for (length, angle) in lengths.iter().zip(angles) {
        turn += angle;
        let next = at + Vec2::new(libm::cos(turn), libm::sin(turn)) * *length;
        over += at.cross(next);
        at = next;
    }
    over
}

/// A chain that keeps its bend is turned and scaled as a whole: its joints are those of the animated pose after the
/// one similarity that brings the animated tip to the target. Beyond its limits of stretch it bends.
#[test]
fn a_chain_that_keeps_its_bend_is_scaled_as_a_whole() {
    let mut dice = Dice(0x5ca1_ab1e);
    for n in [2, 3, 6] {
        for _ in 0..200 {
            let lengths: Vec<f64> = (0..n).map(|_| dice.between(0.5, 1.5)).collect();
            // Nearly straight: without `Keep` a joint in between moves far.
            let angles: Vec<f64> = (0..n).map(|_| dice.between(-0.1, 0.1)).collect();
            let mut rig = Rig::new(&lengths, None, &angles, Bend::Keep);
            if let ConstraintRule::Ik(ik) = &mut rig.constraints[0].rule {
                (ik.stretch, ik.compress) = (1.2, 0.85);
            }
            rig.pose.copy_from(&rig.base);
            let animated = rig.tip().to_vec2();
            let (factor, turn) = (dice.between(0.9, 1.15), dice.between(-0.5, 0.5));
            let (cos, sin) = (factor * libm::cos(turn), factor * libm::sin(turn));
            let moved = |v: Vec2| Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y);
            let (_, status) = rig.reach(moved(animated).to_point());
            assert_eq!(status, ConstraintStatus::Met);
            let (mut at, mut direction) = (Vec2::ZERO, 0.0);
            for (i, length) in lengths.iter().enumerate() {
                direction += angles[i];
                let bone = BoneId::new(i as u32);
                at += Vec2::new(libm::cos(direction), libm::sin(direction)) * *length;
                let off = rig.world.tip(&rig.skeleton, &rig.pose, bone).to_vec2() - moved(at);
                assert!(off.hypot() < 1e-6, "bone {i} of {n}: {off:?}");
            }
        }
    }
    let mut rig = Rig::new(&[1.0, 1.0], None, &[0.0, 0.3], Bend::Keep);
    if let ConstraintRule::Ik(ik) = &mut rig.constraints[0].rule {
        (ik.stretch, ik.compress) = (1.2, 0.85);
    }
    let (_, status) = rig.reach(Point::new(0.0, 1.0));
    let tip = rig.world.tip(&rig.skeleton, &rig.pose, BoneId::new(1));
    assert!(status == ConstraintStatus::Met && tip.distance(Point::new(0.0, 1.0)) < 1e-9);
    assert!((rig.pose.bones[0].stretch - 0.85).abs() < 1e-12);
}

/// `Auto` finds the best known change wherever that bends to the animated side; elsewhere its change is
/// larger, and keeps the side.
#[test]
fn auto_is_the_least_change_on_its_side() {
    let (mut least, mut other_side, mut neither) = (0, 0, 0);
    for line in include_str!("../data/ik_cases.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').collect();
        let (lengths, base, target) = (numbers(fields[1]), numbers(fields[2]), numbers(fields[3]));
        let (best, best_angles) = (numbers(fields[4])[0], numbers(fields[5]));
        let mut rig = Rig::new(&lengths, None, &base, Bend::Auto);
        let (_, status) = rig.reach(Point::new(target[0], target[1]));
        assert!(status == ConstraintStatus::Met);
        let before = bends_to(&lengths, base.iter().copied());
        let now = bends_to(&lengths, rig.pose.bones.iter().map(|bone| bone.angle.radians()));
        let known = bends_to(&lengths, best_angles.iter().copied());
        if rig.cost() <= best * 1.01 {
            least += 1;
        } else if before * now > 0.0 && before * known < 0.0 {
            other_side += 1;
        } else {
            neither += 1;
        }
    }
    println!(
        "Auto: {least} of 60 within 1 % of the best known; of {other_side} that bends to the other side; {neither} else"
    );
    // The remaining case has to rotate by 178 degrees, where both ways round are equally good.
    assert!(least + other_side >= 59 && least >= 48 && neither <= 1);
}
