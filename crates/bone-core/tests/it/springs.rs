//! Springs against closed forms, against Lagrange's equations with a full mass matrix, and against energy.
#![expect(clippy::disallowed_methods, reason = "the judge has its own sines and cosines")]

use std::f64::consts::TAU;

use bone_core::clip::ClipTime;
use bone_core::spring::{BakedSprings, Spring, SpringError, SpringState, Springs, Stop, StopShape, Wind};
use bone_core::{Angle, BoneId, BoneSpec, Pose, PoseError, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Point, Vec2};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

const LENGTHS: [f64; 4] = [50.0, 40.0, 30.0, 25.0];

/// A hand that is moved, and `count` rods in a row on its tip.
fn whip(count: usize) -> (Skeleton, BoneId, Vec<BoneId>) {
    let mut builder = SkeletonBuilder::new().bone(BoneSpec::new("hand", 20.0).origin(300.0, 200.0));
    let mut tip = ("hand".to_owned(), 20.0);
    for (k, length) in LENGTHS.iter().take(count).enumerate() {
        let name = format!("rod {k}");
        builder = builder
            .bone(BoneSpec::new(&name, *length).parent(&tip.0).origin(tip.1, 0.0).degrees(20.0 * k as f64));
        tip = (name, *length);
    }
    let skeleton = builder.build().unwrap();
    let hand = skeleton.find("hand").unwrap();
    let rods = (0..count).map(|k| skeleton.find(&format!("rod {k}")).unwrap()).collect();
    (skeleton, hand, rods)
}

/// Moves and turns the hand.
fn moving(
    skeleton: &Skeleton,
    hand: BoneId,
    path: impl Fn(f64) -> (Vec2, f64),
) -> impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError> {
    move |time, pose, world| {
        pose.reset(skeleton);
        let (shift, turn) = path(time);
        pose.bones[hand.index()].origin += shift;
        pose.bones[hand.index()].angle = Angle::from_radians(turn);
        world.forward(skeleton, pose)
    }
}

fn turn(motion: &BakedSprings, skeleton: &Skeleton, time: f64, bone: BoneId) -> f64 {
    let mut pose = Pose::new(skeleton);
    motion.apply(skeleton, time, &mut pose);
    (pose.bones[bone.index()].angle - skeleton.setup(bone).angle).radians()
}

const ONCE: ClipTime = ClipTime::new(3.0, false);

#[test]
fn a_rod_alone_swings_at_its_stiffness() {
    let (skeleton, hand, rods) = whip(1);
    for (stiffness, damping) in [(2.0, 0.0), (0.7, 0.0), (3.0, 0.1), (5.0, 0.4)] {
        let spring = Spring { stiffness, damping, ..Spring::new(rods[0]) };
        let springs = Springs::new(&skeleton, vec![spring]).unwrap();
        // The hand snaps about the rod's own hinge within two steps, and the rod stays behind: then it
        // oscillates freely.
        let snap = 0.02_f64;
        let path = move |time: f64| {
            let turn = snap * ((time - 0.5) * 480.0 + 1.0).clamp(0.0, 1.0);
            (Vec2::new(20.0, 0.0) - 20.0 * Vec2::new(turn.cos(), turn.sin()), turn)
        };
        let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
        let own = TAU * stiffness;
        let swing = own * (1.0 - damping * damping).sqrt();
        let mut worst = 0.0_f64;
        for k in 62..360 {
            let t = k as f64 / 120.0 + 0.003;
            // The snap takes the steps before 0.5; its middle is where the oscillation begins. Its speed acts
            // on the damper.
            let since = t - 0.5 + 1.0 / 960.0;
            let decay = (-damping * own * since).exp();
            let want =
                -snap * decay * ((swing * since).cos() - damping * own / swing * (swing * since).sin());
            worst = worst.max((turn(&motion, &skeleton, t, rods[0]) - want).abs());
        }
        assert!(worst < snap * 0.01, "{worst}");
        println!("{stiffness} Hz, damping {damping}: {worst:.1e} rad off the closed form");
    }
}

/// The greatest rotation of any rod from the animated pose in the two seconds from a change on: one that a
/// held key makes at once, and the same as a motion over one frame of 24 a second.
fn after_a_change(shift: f64, turn_by: f64) -> (f64, f64) {
    let (skeleton, hand, rods) = whip(3);
    let springs = Springs::new(&skeleton, rods.iter().map(|bone| Spring::new(*bone)).collect()).unwrap();
    let most = |seconds: f64| {
        let path = move |time: f64| {
            let share = if seconds > 0.0 {
                ((time - 0.5) / seconds).clamp(0.0, 1.0)
            } else {
                f64::from(u8::from(time >= 0.5))
            };
            (Vec2::new(shift * share, 0.0), turn_by * share)
        };
        let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
        let times = (0..480).map(|k| 0.5 + f64::from(k) / 240.0);
        times
            .flat_map(|t| rods.iter().map(move |bone| (t, bone)))
            .map(|(t, bone)| turn(&motion, &skeleton, t, *bone).abs())
            .fold(0.0, f64::max)
    };
    (most(0.0), most(1.0 / 24.0))
}

#[test]
fn a_jump_of_any_size_moves_rods_no_more_than_a_frame_does() {
    for shift in [0.05, 1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 200.0, 1e4] {
        let (jump, frame) = after_a_change(shift, 0.0);
        println!(
            "a jump by {shift}: {:.1} degrees, over one frame {:.1}",
            jump.to_degrees(),
            frame.to_degrees()
        );
        assert!(jump <= 1.1 * frame + 0.01, "{shift}");
    }
    for degrees in [1.0_f64, 5.0, 12.0, 30.0, 60.0, 90.0, 180.0] {
        let (jump, frame) = after_a_change(0.0, degrees.to_radians());
        println!(
            "a jump by {degrees} degrees: {:.1} degrees, over one frame {:.1}",
            jump.to_degrees(),
            frame.to_degrees()
        );
        assert!(jump <= 1.1 * frame + 0.01, "{degrees}");
    }
}

#[test]
fn a_shaken_rod_follows_the_driven_oscillator() {
    let (skeleton, hand, rods) = whip(1);
    let (stiffness, damping, shake) = (2.0, 0.2, TAU * 1.5);
    let springs =
        Springs::new(&skeleton, vec![Spring { stiffness, damping, ..Spring::new(rods[0]) }]).unwrap();
    let time = ClipTime::new(2.0, true);
    let about_hinge = |turn: f64| Vec2::new(20.0, 0.0) - 20.0 * Vec2::new(turn.cos(), turn.sin());
    let path = |t: f64| (about_hinge(0.3 * (shake * t).sin()), 0.3 * (shake * t).sin());
    let motion = springs.bake(&skeleton, time, moving(&skeleton, hand, path)).unwrap();
    // d'' + 2 z w d' + w^2 d = 0.3 s^2 sin(s t)
    let own = TAU * stiffness;
    let (re, im) = (own * own - shake * shake, 2.0 * damping * own * shake);
    let gain = 0.3 * shake * shake / re.hypot(im);
    let late = im.atan2(re);
    let mut worst = 0.0_f64;
    for k in 0..200 {
        let t = 0.0123 * f64::from(k);
        worst = worst.max((turn(&motion, &skeleton, t, rods[0]) - gain * (shake * t - late).sin()).abs());
    }
    println!("worst {worst:.1e} rad of a swing of {gain:.2}; the loop closed by {:.1e}", motion.seam());
    assert!(worst < 1e-3 * gain && motion.seam() < 1e-8);
}

/// The same whip by Lagrange's equations in absolute angles, integrated by Runge and Kutta's method in small
/// steps.
struct Lagrange {
    masses: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    gravity: Vec2,
}

impl Lagrange {
    fn new(springs: &[Spring], skeleton: &Skeleton) -> Self {
        let gravity = springs[0].gravity;
        let masses: Vec<f64> = springs.iter().map(|s| s.mass).collect();
        let (mut stiffness, mut damping) = (Vec::new(), Vec::new());
        for (k, spring) in springs.iter().enumerate() {
            // The masses of a hinge's rods at rest, as a thousand points for each rod.
            let hinge = skeleton.setup_origin(spring.bone);
            let (mut inertia, mut first) = (0.0, Vec2::ZERO);
            for (j, on_it) in springs.iter().enumerate().skip(k) {
                let (a, b) = (skeleton.setup_origin(on_it.bone), skeleton.setup_tip(on_it.bone));
                for p in 0..1000 {
                    let arm = a.lerp(b, (f64::from(p) + 0.5) / 1000.0) - hinge;
                    inertia += masses[j] / 1000.0 * arm.hypot2();
                    first += arm * (masses[j] / 1000.0);
                }
            }
            let own = TAU * spring.stiffness;
            stiffness.push(inertia * own * own);
            let swing = (own * own + gravity.hypot() * first.hypot() / inertia).sqrt();
            damping.push(2.0 * spring.damping * inertia * swing);
        }
        Self { masses, stiffness, damping, gravity }
    }

    /// Accelerations; `base` is the acceleration of the first hinge, `rest` the animated angles and their
    /// speeds.
    fn accelerate(
        &self,
        angle: &DVector<f64>,
        speed: &DVector<f64>,
        base: Vec2,
        rest: &[(f64, f64)],
    ) -> DVector<f64> {
        let n = self.masses.len();
        let arm = |i: usize, j: usize| if j < i { LENGTHS[j] } else { LENGTHS[i] / 2.0 };
        let mut mass = DMatrix::zeros(n, n);
        let mut right = DVector::zeros(n);
        for i in 0..n {
            mass[(i, i)] += self.masses[i] * LENGTHS[i] * LENGTHS[i] / 12.0;
            for a in 0..=i {
                let across = Vec2::new(-angle[a].sin(), angle[a].cos());
                right[a] += self.masses[i] * arm(i, a) * across.dot(self.gravity - base);
                for b in 0..=i {
                    let both = self.masses[i] * arm(i, a) * arm(i, b);
                    mass[(a, b)] += both * (angle[a] - angle[b]).cos();
                    right[a] -= both * (angle[a] - angle[b]).sin() * speed[b] * speed[b];
                }
            }
        }
        for i in 0..n {
            let (turn, speed) = if i == 0 {
                (angle[0] - rest[0].0, speed[0] - rest[0].1)
            } else {
                let rest = (rest[i].0 - rest[i - 1].0, rest[i].1 - rest[i - 1].1);
                (angle[i] - angle[i - 1] - rest.0, speed[i] - speed[i - 1] - rest.1)
            };
            let torque = -self.stiffness[i] * turn - self.damping[i] * speed;
            right[i] += torque;
            if i > 0 {
                right[i - 1] -= torque;
            }
        }
        mass.cholesky().expect("positive").solve(&right)
    }
}

#[test]
fn a_whip_moves_by_lagranges_equations() {
    let (skeleton, hand, rods) = whip(4);
    let gravity = Vec2::new(0.0, 500.0);
    let values = [(1.0, 2.0, 0.1), (2.0, 1.5, 0.05), (0.5, 1.0, 0.1), (1.5, 0.8, 0.2)];
    let springs: Vec<Spring> = rods
        .iter()
        .zip(values)
        .map(|(bone, (mass, stiffness, damping))| Spring {
            mass,
            stiffness,
            damping,
            gravity,
            ..Spring::new(*bone)
        })
        .collect();
    // Starts from rest, softly: position and speed are continuous.
    let soft = |t: f64| t * t * t / (1.0 + t * t * t);
    let turning = |t: f64| 0.8 * soft(t) * (3.0 * t).sin();
    let shifting = |t: f64| Vec2::new(60.0 * soft(t) * (5.0 * t).sin(), 30.0 * soft(t) * (7.0 * t).cos());
    let path = |t: f64| (shifting(t), turning(t));
    let ready = Springs::new(&skeleton, springs.clone()).unwrap();
    let motion = ready.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();

    let judge = Lagrange::new(&springs, &skeleton);
    let at_rest: Vec<f64> =
        (0..4).map(|k| (0..=k).map(|j| 20.0 * j as f64).sum::<f64>().to_radians()).collect();
    let h = 1.0 / 6000.0;
    let hinge = |t: f64| shifting(t) + 20.0 * Vec2::new(turning(t).cos(), turning(t).sin());
    let d = 1e-4;
    let base = |t: f64| (hinge(t + d) - 2.0 * hinge(t) + hinge((t - d).max(0.0))) / (d * d);
    let rest = |t: f64| -> Vec<(f64, f64)> {
        let speed = (turning(t + d) - turning((t - d).max(0.0))) / (t + d - (t - d).max(0.0));
        at_rest.iter().map(|a| (a + turning(t), speed)).collect()
    };
    let start: Vec<f64> = {
        let mut sum = 0.0;
        rods.iter()
            .zip(&at_rest)
            .map(|(bone, a)| {
                sum += turn(&motion, &skeleton, 0.0, *bone);
                a + sum
            })
            .collect()
    };
    let (mut angle, mut speed) = (DVector::from_vec(start), DVector::zeros(4));
    let still = judge.accelerate(&angle, &speed, Vec2::ZERO, &rest(0.0));
    println!("left after settling: {:.1e} rad/s^2", still.amax());
    assert!(still.amax() < 1e-3);
    let mut worst = 0.0_f64;
    for k in 0..(3.0 / h) as usize {
        let t = k as f64 * h;
        if k % 100 == 0 {
            let mut sum = 0.0;
            for (j, bone) in rods.iter().enumerate() {
                sum += turn(&motion, &skeleton, t, *bone);
                worst = worst.max((angle[j] - at_rest[j] - turning(t) - sum).abs());
            }
        }
        let f = |t: f64, a: &DVector<f64>, s: &DVector<f64>| judge.accelerate(a, s, base(t), &rest(t));
        let (k1, s1) = (f(t, &angle, &speed), speed.clone());
        let s2 = &speed + &k1 * (h / 2.0);
        let k2 = f(t + h / 2.0, &(&angle + &s1 * (h / 2.0)), &s2);
        let s3 = &speed + &k2 * (h / 2.0);
        let k3 = f(t + h / 2.0, &(&angle + &s2 * (h / 2.0)), &s3);
        let s4 = &speed + &k3 * h;
        let k4 = f(t + h, &(&angle + &s3 * h), &s4);
        angle += (s1 + s2 * 2.0 + s3 * 2.0 + s4) * (h / 6.0);
        speed += (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0);
    }
    println!("worst over three seconds: {worst:.1e} rad");
    assert!(worst < 5e-3, "{worst}");
}

#[test]
fn energy_does_not_grow() {
    let (skeleton, hand, rods) = whip(4);
    for (damping, stiffness, fall) in
        [(0.0, 1.0, 0.0), (0.0, 1.0, 800.0), (0.05, 2.0, 800.0), (0.0, 0.3, 800.0)]
    {
        let gravity = Vec2::new(0.0, fall);
        let springs: Vec<Spring> =
            rods.iter().map(|bone| Spring { stiffness, damping, gravity, ..Spring::new(*bone) }).collect();
        let judge = Lagrange::new(&springs, &skeleton);
        let ready = Springs::new(&skeleton, springs).unwrap();
        let time = ClipTime::new(20.0, false);
        // Moved up within 0.2 seconds, then still.
        let path = |t: f64| (Vec2::ZERO, 0.3 * (1.0 - (TAU * 2.5 * t.min(0.2)).cos()));
        let motion = ready.bake(&skeleton, time, moving(&skeleton, hand, path)).unwrap();
        // Kinetic energy, and total energy.
        let energy = |t: f64| -> (f64, f64) {
            let h = 1e-5;
            let (mut at, mut v) = (Vec2::ZERO, Vec2::ZERO);
            let (mut before, mut sum, mut rate) = (0.6, 0.0, 0.0);
            let (mut kinetic, mut held) = (0.0, 0.0);
            for (k, bone) in rods.iter().enumerate() {
                let own = turn(&motion, &skeleton, t, *bone);
                let speed = (turn(&motion, &skeleton, t + h, *bone) - turn(&motion, &skeleton, t - h, *bone))
                    / (2.0 * h);
                sum += own;
                rate += speed;
                before += 20.0_f64.to_radians() * k as f64;
                let direction = Vec2::new((before + sum).cos(), (before + sum).sin());
                let across = Vec2::new(-direction.y, direction.x);
                let (l, m) = (LENGTHS[k], judge.masses[k]);
                let centre = v + across * (rate * l / 2.0);
                kinetic += 0.5 * m * centre.hypot2() + 0.5 * m * l * l / 12.0 * rate * rate;
                held += 0.5 * judge.stiffness[k] * own * own - m * gravity.dot(at + direction * (l / 2.0));
                at += direction * l;
                v += across * (rate * l);
            }
            (kinetic, kinetic + held)
        };
        let (moving, all): (Vec<f64>, Vec<f64>) = (26..2390).map(|k| energy(f64::from(k) / 120.0)).unzip();
        let scale = moving.into_iter().fold(0.0, f64::max);
        let rise = all.iter().copied().fold(f64::MIN, f64::max) - all[0];
        let drift = all[all.len() - 1] - all[0];
        println!(
            "damping {damping}, stiffness {stiffness}, gravity {fall}: of {scale:.0}, at most {:+.1e} up, {:+.1e} in the end",
            rise / scale,
            drift / scale
        );
        if damping > 0.0 {
            assert!(all.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6 * scale));
        } else {
            // The energy of the midpoint rule oscillates, but does not grow.
            assert!(rise < 2e-3 * scale && drift < 2e-4 * scale);
        }
    }
}

#[test]
fn loops_close_and_start_in_motion() {
    let (skeleton, hand, rods) = whip(3);
    let springs = Springs::new(&skeleton, rods.iter().map(|bone| Spring::new(*bone)).collect()).unwrap();
    let time = ClipTime::new(0.7, true);
    let path = |t: f64| (Vec2::new(0.0, 20.0 * (TAU * t / 0.7).sin()), 0.4 * (TAU * t / 0.7).cos());
    let motion = springs.bake(&skeleton, time, moving(&skeleton, hand, path)).unwrap();
    for bone in &rods {
        let at = |t: f64| turn(&motion, &skeleton, t, *bone);
        assert_eq!(at(0.0), at(0.7));
        assert!((at(0.7 - 1e-6) - at(1e-6)).abs() < 1e-4);
        assert!(at(0.1) == at(0.1 + 0.7 * 3.0) || (at(0.1) - at(2.2)).abs() < 1e-9);
    }
    // A long clip without a loop gives the same result.
    let long = ClipTime::new(0.7 * 40.0, false);
    let run = springs.bake(&skeleton, long, moving(&skeleton, hand, path)).unwrap();
    for k in 0..70 {
        let t = f64::from(k) / 100.0;
        let off = turn(&motion, &skeleton, t, rods[2]) - turn(&run, &skeleton, 0.7 * 39.0 + t, rods[2]);
        assert!(off.abs() < 2e-3, "{off} at {t}");
    }
    assert!(motion.seam() < 1e-8, "{}", motion.seam());
}

#[test]
fn frames_are_the_same_at_any_rate_and_in_any_order() {
    let (skeleton, hand, rods) = whip(4);
    let springs = Springs::new(&skeleton, rods.iter().map(|bone| Spring::new(*bone)).collect()).unwrap();
    let time = ClipTime::new(25.0, false);
    let path = |t: f64| (Vec2::new(40.0 * (3.0 * t).sin(), 0.0), (2.0 * t).sin());
    let bake = || springs.bake(&skeleton, time, moving(&skeleton, hand, path)).unwrap();
    let motion = bake();
    let frame = |motion: &BakedSprings, time: f64| {
        let mut pose = Pose::new(&skeleton);
        motion.apply(&skeleton, time, &mut pose);
        pose
    };
    let alone = frame(&bake(), 500.0 / 24.0);
    let mut after = Pose::new(&skeleton);
    for k in 0..=500 {
        after = frame(&motion, f64::from(k) / 24.0);
    }
    assert_eq!(alone, after);
    for second in 0..25 {
        for (slow, fast) in [(0, 0), (2, 5), (4, 10), (12, 30), (22, 55)] {
            let (slow, fast) = (f64::from(second * 24 + slow) / 24.0, f64::from(second * 60 + fast) / 60.0);
            let (slow, fast) = (frame(&motion, slow), frame(&motion, fast));
            for (a, b) in slow.bones.iter().zip(&fast.bones) {
                assert!((a.angle - b.angle).radians().abs() < 1e-9);
            }
        }
    }
}

#[test]
fn steps_of_a_running_program_agree_with_the_baked_motion() {
    let (skeleton, hand, rods) = whip(4);
    let gravity = Vec2::new(0.0, 600.0);
    let springs = rods.iter().map(|bone| Spring { gravity, ..Spring::new(*bone) }).collect();
    let springs = Springs::new(&skeleton, springs).unwrap();
    let soft = |t: f64| t * t * t / (1.0 + t * t * t);
    let path = |t: f64| (Vec2::new(60.0 * soft(t) * (3.0 * t).sin(), 0.0), 0.6 * soft(t) * (2.0 * t).sin());
    let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
    let mut animate = moving(&skeleton, hand, path);
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    for (rate, most) in [(960, 1e-9), (240, 0.01), (60, 0.05)] {
        animate(0.0, &mut pose, &mut world).unwrap();
        let mut state = SpringState::new(&springs, &skeleton, &pose, &world);
        let (mut worst, mut again) = (0.0_f64, state.clone());
        for k in 1..=3 * rate {
            let time = f64::from(k) / f64::from(rate);
            animate(time, &mut pose, &mut world).unwrap();
            state.step(&springs, &skeleton, &pose, &world, 1.0 / f64::from(rate));
            again.step(&springs, &skeleton, &pose, &world, 1.0 / f64::from(rate));
            // Two steps of the simulation behind; the table has every eighth step.
            let behind = time - 2.0 / 960.0;
            if (k * 960 / rate - 2) % 8 != 0 && rate == 960 {
                continue;
            }
            let mut swung = Pose::new(&skeleton);
            state.apply(&springs, &skeleton, &mut swung);
            for bone in &rods {
                let live = (swung.bones[bone.index()].angle - skeleton.setup(*bone).angle).radians();
                worst = worst.max((live - turn(&motion, &skeleton, behind, *bone)).abs());
            }
            let mut same = Pose::new(&skeleton);
            again.apply(&springs, &skeleton, &mut same);
            assert_eq!(swung, same);
        }
        println!("{rate} steps a second: at most {worst:.1e} rad off the baked motion");
        assert!(worst < most, "{rate}: {worst}");
    }
}

/// A steady wind is a force: the rod turns until the spring holds it, `k d = F a cos(d)` with `a` half its length
/// and `k = m l^2 / 3 (2 pi f)^2`.
#[test]
fn a_rod_leans_with_a_steady_wind_and_a_heavy_one_less() {
    let (skeleton, hand, rods) = whip(1);
    for (mass, force) in [(1.0, 900.0), (4.0, 900.0), (1.0, -3000.0)] {
        let wind = Some(Wind::steady(Vec2::new(0.0, force)));
        let spring = Spring { mass, wind, ..Spring::new(rods[0]) };
        let springs = Springs::new(&skeleton, vec![spring]).unwrap();
        let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, |_| (Vec2::ZERO, 0.0))).unwrap();
        let stiffness = mass * LENGTHS[0] * LENGTHS[0] / 3.0 * (TAU * spring.stiffness).powi(2);
        for time in [0.0, 1.0, 2.9] {
            let lean = turn(&motion, &skeleton, time, rods[0]);
            let left = stiffness * lean - force * LENGTHS[0] / 2.0 * lean.cos();
            assert!(left.abs() < 1e-6 * stiffness, "{mass} {force}: {lean}");
        }
    }
}

#[test]
fn turbulence_is_bounded_smooth_and_periodic_in_loops() {
    let wind = Wind { turbulence: 0.5, ..Wind::steady(Vec2::new(300.0, 400.0)) };
    let (mut least, mut most) = (f64::MAX, 0.0_f64);
    for k in 0..4000 {
        let k = f64::from(k);
        let (place, time) = (Vec2::new((k * 7.3) % 900.0 - 300.0, (k * 3.1) % 700.0 - 200.0), k * 0.013);
        let force = wind.at(place, time, None);
        let off = (force - wind.force).hypot();
        assert!(off <= 0.5 * 500.0 * 2.0_f64.sqrt() + 1e-9, "{off}");
        (least, most) = (least.min(off), most.max(off));
        // Slopes: at most 15/8 a cell, of values that differ by two.
        let near = wind.at(place + Vec2::new(0.1, 0.0), time + 1e-4, None);
        assert!((near - force).hypot() < 2.0, "{place:?} {time}");
        for length in [0.2, 1.0, 7.5] {
            let (start, end) = (wind.at(place, 0.0, Some(length)), wind.at(place, length, Some(length)));
            assert!((start - end).hypot() < 1e-6);
        }
    }
    println!("turbulence between {least:.0} and {most:.0} of 500");
    assert!(least < 20.0 && most > 150.0);
    // Eddies travel with the wind: what is here now was upwind a moment ago, but for what has changed since.
    let still = Wind { eddies: 1e6, ..wind };
    let (here, upwind) = (Vec2::new(50.0, 80.0), Vec2::new(50.0, 80.0) - Vec2::new(0.6, 0.8) * 4.0);
    assert!((still.at(here, 0.01, None) - still.at(upwind, 0.0, None)).hypot() < 1e-2);
}

#[test]
fn springs_in_turbulent_wind_close_loops_and_agree_with_running_ones() {
    let (skeleton, hand, rods) = whip(4);
    let wind = Some(Wind { turbulence: 0.8, ..Wind::steady(Vec2::new(700.0, 200.0)) });
    let springs = rods.iter().map(|bone| Spring { wind, ..Spring::new(*bone) }).collect();
    let springs = Springs::new(&skeleton, springs).unwrap();
    let held = || moving(&skeleton, hand, |_| (Vec2::ZERO, 0.0));
    let time = ClipTime::new(2.0, true);
    let looped = springs.bake(&skeleton, time, held()).unwrap();
    assert!(looped.seam() < 1e-8, "{}", looped.seam());
    let once = springs.bake(&skeleton, ONCE, held()).unwrap();
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    held()(0.0, &mut pose, &mut world).unwrap();
    let mut state = SpringState::new(&springs, &skeleton, &pose, &world);
    let (mut moved, mut worst) = (0.0_f64, 0.0_f64);
    for k in 1..=2880_u32 {
        state.step(&springs, &skeleton, &pose, &world, 1.0 / 960.0);
        if k < 2 || !(k - 2).is_multiple_of(8) {
            continue;
        }
        let mut swung = Pose::new(&skeleton);
        state.apply(&springs, &skeleton, &mut swung);
        let baked = turn(&once, &skeleton, f64::from(k - 2) / 960.0, rods[3]);
        let live = (swung.bones[rods[3].index()].angle - skeleton.setup(rods[3]).angle).radians();
        worst = worst.max((live - baked).abs());
        moved = moved.max((baked - turn(&once, &skeleton, 0.0, rods[3])).abs());
    }
    println!("wind moves the last rod by {moved:.2} rad; live springs are {worst:.1e} off");
    assert!(worst < 1e-8 && moved > 0.05);
}

/// The distance of a point to a segment.
fn distance(at: Point, (from, to): (Point, Point)) -> f64 {
    let (way, off) = (to - from, at - from);
    let u = (off.dot(way) / way.hypot2()).clamp(0.0, 1.0);
    (off - way * u).hypot()
}

/// How far springs that run at the rate of the simulation are off the baked motion, at most: radians. They are two
/// steps behind.
fn live_against_baked(
    springs: &Springs,
    skeleton: &Skeleton,
    rods: &[BoneId],
    motion: &BakedSprings,
    mut animate: impl FnMut(f64, &mut Pose, &mut WorldPose) -> Result<(), PoseError>,
) -> f64 {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    animate(0.0, &mut pose, &mut world).unwrap();
    let mut state = SpringState::new(springs, skeleton, &pose, &world);
    let mut worst = 0.0_f64;
    for k in 1..=2400_u32 {
        animate(f64::from(k) / 960.0, &mut pose, &mut world).unwrap();
        state.step(springs, skeleton, &pose, &world, 1.0 / 960.0);
        if k < 2 || !(k - 2).is_multiple_of(8) {
            continue;
        }
        let mut swung = Pose::new(skeleton);
        state.apply(springs, skeleton, &mut swung);
        for bone in rods {
            let live = (swung.bones[bone.index()].angle - skeleton.setup(*bone).angle).radians();
            worst = worst.max((live - turn(motion, skeleton, f64::from(k - 2) / 960.0, *bone)).abs());
        }
    }
    worst
}

/// A whip falls onto a line and onto a circle that the hand carries: no part of a bone is behind the line or in
/// the circle, and springs of a running program do the same. A rod alone rests where its tip meets the line.
#[test]
fn springs_stop_at_lines_and_circles() {
    let (skeleton, hand, rods) = whip(4);
    let circle = StopShape::Circle { centre: Point::new(350.0, 290.0), radius: 45.0 };
    let line = StopShape::Line { from: Point::new(0.0, 260.0), to: Point::new(10.0, 260.0) };
    let at_rest = skeleton.setup_world(hand).inverse();
    for (shape, carrier) in [(circle, Some(hand)), (circle, None), (line, None)] {
        let stop = Some(Stop { shape, carrier });
        let gravity = Vec2::new(0.0, 1500.0);
        let springs: Vec<Spring> =
            rods.iter().map(|bone| Spring { stiffness: 0.4, gravity, stop, ..Spring::new(*bone) }).collect();
        let springs = Springs::new(&skeleton, springs).unwrap();
        // Starts softly: running springs begin at rest.
        let soft = |t: f64| t * t * t / (1.0 + t * t * t);
        let path =
            |t: f64| (Vec2::new(0.0, -8.0 * soft(t) * (3.0 * t).sin()), 0.15 * soft(t) * (2.0 * t).sin());
        let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
        let mut animate = moving(&skeleton, hand, path);
        let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        let (mut deepest, mut touches) = (f64::MIN, 0);
        for k in 0..360 {
            let time = f64::from(k) / 120.0;
            animate(time, &mut pose, &mut world).unwrap();
            motion.apply(&skeleton, time, &mut pose);
            world.forward(&skeleton, &pose).unwrap();
            for bone in &rods {
                let (from, to) = (world.origin(*bone), world.tip(&skeleton, &pose, *bone));
                let depth = match shape {
                    StopShape::Line { .. } => from.y.max(to.y) - 260.0,
                    StopShape::Circle { centre, radius } => {
                        let moved = carrier.map_or(centre, |bone| world.matrix(bone) * at_rest * centre);
                        radius - distance(moved, (from, to))
                    }
                };
                deepest = deepest.max(depth);
                touches += i32::from(depth.abs() < 0.01);
            }
        }
        println!("{shape:?}: at most {deepest:.1e} units behind it, {touches} rows touch it");
        assert!(deepest < 0.01 && touches > 50);
        let worst = live_against_baked(&springs, &skeleton, &rods, &motion, moving(&skeleton, hand, path));
        println!("running springs are {worst:.1e} rad off");
        assert!(worst < 1e-6, "{shape:?} {carrier:?}: {worst}");
    }
    // Alone: the tip of a rod of 50 units is 40 below its hinge.
    let (skeleton, hand, rods) = whip(1);
    let line = StopShape::Line { from: Point::new(0.0, 240.0), to: Point::new(1.0, 240.0) };
    let spring = Spring {
        gravity: Vec2::new(0.0, 3000.0),
        stiffness: 0.2,
        stop: Some(Stop { shape: line, carrier: None }),
        ..Spring::new(rods[0])
    };
    let springs = Springs::new(&skeleton, vec![spring]).unwrap();
    let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, |_| (Vec2::ZERO, 0.0))).unwrap();
    assert!((turn(&motion, &skeleton, 1.0, rods[0]) - 0.8_f64.asin()).abs() < 1e-9);
    // A hand that moves it along the line; running springs begin at rest.
    let path = |t: f64| (Vec2::new(30.0, 8.0) * (t * t * t / (1.0 + t * t * t) * (3.0 * t).sin()), 0.0);
    let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
    let worst = live_against_baked(&springs, &skeleton, &rods, &motion, moving(&skeleton, hand, path));
    println!("running springs are {worst:.1e} rad off");
    assert!(worst < 1e-6, "{worst}");
}

/// A loop of two seconds with twenty springs, and one that no start closes.
#[test]
fn loops_close_within_few_rounds() {
    let mut builder = SkeletonBuilder::new().bone(BoneSpec::new("head", 60.0));
    for strand in 0..5 {
        let mut parent = ("head".to_owned(), 60.0);
        for k in 0..4 {
            let name = format!("hair {strand} {k}");
            let y = if k == 0 { f64::from(strand) * 8.0 } else { 0.0 };
            builder =
                builder.bone(BoneSpec::new(&name, 18.0).parent(&parent.0).origin(parent.1, y).degrees(15.0));
            parent = (name, 18.0);
        }
    }
    let skeleton = builder.build().unwrap();
    let head = skeleton.find("head").unwrap();
    let hair: Vec<BoneId> = skeleton.bones().filter(|bone| *bone != head).collect();
    let springs = |damping| {
        let gravity = Vec2::new(0.0, 400.0);
        let springs = hair.iter().map(|bone| Spring { gravity, damping, ..Spring::new(*bone) }).collect();
        Springs::new(&skeleton, springs).unwrap()
    };
    let time = ClipTime::new(2.0, true);
    for damping in [0.15, 0.05, 0.02] {
        let mut samples = 0;
        let start = std::time::Instant::now();
        let mut path = moving(&skeleton, head, |t| {
            (Vec2::new(0.0, 12.0 * (TAU * t).sin()), 0.2 * (TAU * t / 2.0).sin())
        });
        let animate = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
            samples += 1;
            path(time, pose, world)
        };
        let motion = springs(damping).bake(&skeleton, time, animate).unwrap();
        println!(
            "damping {damping}: closed by {:.1e} rad, {samples} poses, {:.0} ms",
            motion.seam(),
            start.elapsed().as_secs_f64() * 1e3
        );
        assert!(motion.seam() < 1e-8, "{damping}");
        assert_eq!(samples, 1920, "each pose of the loop once");
    }
}

/// Ten minutes of a hundred springs in twenty strands, or `CASES` seconds of them: how long it takes.
#[test]
fn long_clips_bake_in_linear_time() {
    let seconds = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4.0);
    let mut builder = SkeletonBuilder::new().bone(BoneSpec::new("head", 60.0));
    for strand in 0..20 {
        let mut parent = ("head".to_owned(), 60.0, f64::from(strand) * 3.0);
        for k in 0..5 {
            let name = format!("hair {strand} {k}");
            let spec = BoneSpec::new(&name, 18.0).parent(&parent.0).origin(parent.1, parent.2).degrees(12.0);
            builder = builder.bone(spec);
            parent = (name, 18.0, 0.0);
        }
    }
    let skeleton = builder.build().unwrap();
    let head = skeleton.find("head").unwrap();
    let hair = skeleton.bones().filter(|bone| *bone != head);
    let springs = Springs::new(&skeleton, hair.map(Spring::new).collect()).unwrap();
    let time = ClipTime::new(seconds, false);
    let path =
        moving(&skeleton, head, |t| (Vec2::new(0.0, 12.0 * (TAU * t).sin()), 0.2 * (TAU * t / 2.0).sin()));
    let start = std::time::Instant::now();
    springs.bake(&skeleton, time, path).unwrap();
    println!("{seconds} s of 100 springs: {:.2} s", start.elapsed().as_secs_f64());
}

/// A rod at the end of a hand that turns by -10 to 15 degrees.
fn limited_rod() -> (Skeleton, BoneId, BoneId) {
    let limits = Some((Angle::from_degrees(-10.0), Angle::from_degrees(15.0)));
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("hand", 20.0))
        .bone(BoneSpec {
            joint: bone_core::Joint::Pin { limits },
            ..BoneSpec::new("rod", 30.0).parent("hand").origin(20.0, 0.0)
        })
        .build()
        .unwrap();
    let (hand, rod) = (skeleton.find("hand").unwrap(), skeleton.find("rod").unwrap());
    (skeleton, hand, rod)
}

#[test]
fn limits_hold_and_stiff_springs_give_the_animation_back() {
    let (skeleton, hand, rod) = limited_rod();
    let path = |t: f64| (Vec2::ZERO, (9.0 * t).sin());
    let bake = |stiffness| {
        let springs =
            Springs::new(&skeleton, vec![Spring { stiffness, damping: 0.3, ..Spring::new(rod) }]).unwrap();
        springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap()
    };
    let (loose, stiff) = (bake(0.5), bake(60.0));
    for k in 0..300 {
        let t = f64::from(k) / 100.0;
        let degrees = turn(&loose, &skeleton, t, rod).to_degrees();
        assert!((-10.0 - 1e-9..=15.0 + 1e-9).contains(&degrees), "{degrees}");
        // Pushed by (1 + 20 / (2/3 30)) 9^2 rad/s^2 at most.
        assert!(turn(&stiff, &skeleton, t, rod).abs() < 2.0 * 81.0 / (TAU * 60.0).powi(2) * 1.1);
    }
}

#[test]
fn invalid_springs_are_errors() {
    let (skeleton, hand, rods) = whip(2);
    let spring = Spring::new(rods[0]);
    assert_eq!(
        Springs::new(&skeleton, vec![spring, spring]).unwrap_err(),
        SpringError::Twice { bone: rods[0] }
    );
    for (broken, value) in [
        (Spring { mass: 0.0, ..spring }, "mass"),
        (Spring { stiffness: -1.0, ..spring }, "stiffness"),
        (Spring { damping: f64::NAN, ..spring }, "damping"),
        (Spring { mix: 1.5, ..spring }, "mix"),
        (Spring { gravity: Vec2::new(f64::INFINITY, 0.0), ..spring }, "gravity"),
        (Spring { wind: Some(Wind { eddies: 0.0, ..Wind::steady(Vec2::ZERO) }), ..spring }, "wind"),
    ] {
        assert_eq!(
            Springs::new(&skeleton, vec![broken]).unwrap_err(),
            SpringError::Unusable { bone: rods[0], value }
        );
    }
    let springs = Springs::new(&skeleton, vec![spring]).unwrap();
    let endless = ClipTime::new(1e9, true);
    let error = springs.bake(&skeleton, endless, moving(&skeleton, hand, |_| (Vec2::ZERO, 0.0))).unwrap_err();
    assert!(error.to_string().starts_with("too long for its springs"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_motion_stays_stable(
        masses in prop::array::uniform4(prop_oneof![Just(1e-6), Just(1e6), 0.1..10.0]),
        stiffness in prop_oneof![Just(0.0), Just(1e300), 0.0..70.0],
        damping in prop_oneof![Just(0.0), Just(1e300), 0.0..2.0],
        fall in prop_oneof![Just(0.0), Just(1e9), -1e4..1e4],
        jumps in prop::collection::vec((-1e4..1e4, -1e4..1e4, -400.0..400.0), 2..6),
        size in prop_oneof![Just(0.0), Just(-1.0), Just(1e-9), 0.1..3.0],
        looped: bool,
    ) {
        let (skeleton, hand, rods) = whip(4);
        let gravity = Vec2::new(0.0, fall);
        let springs = rods.iter().zip(masses).map(|(bone, mass)| Spring { mass, stiffness, damping, gravity, ..Spring::new(*bone) });
        let springs = Springs::new(&skeleton, springs.collect()).unwrap();
        let animate = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
            let (x, y, turn) = jumps[(time * 9.0) as usize % jumps.len()];
            pose.reset(&skeleton);
            pose.bones[hand.index()].origin = Vec2::new(x, y);
            pose.bones[hand.index()].angle = Angle::from_degrees(turn);
            pose.bones[rods[1].index()].scale = Vec2::new(1.0, size);
            pose.bones[rods[2].index()].scale = Vec2::new(size, 1.0);
            world.forward(&skeleton, pose)
        };
        let motion = springs.bake(&skeleton, ClipTime::new(1.3, looped), animate).unwrap();
        for k in -5..40 {
            for bone in &rods {
                let swing = turn(&motion, &skeleton, f64::from(k) / 24.0, *bone);
                // The lash of a whip may spin thousands of times; what is unstable grows beyond all bounds.
                prop_assert!(swing.is_finite() && swing.abs() < 1e6, "{swing}");
            }
        }
    }
}

/// The start of a motion, the same motion with some changes, and what baking it again gives.
struct BakedAgain {
    fresh: BakedSprings,
    again: BakedSprings,
    /// Seconds of the clip that were read when it was baked again.
    seconds: f64,
    /// Whether a pose has changed.
    differs: bool,
}

/// Bakes a clip of a hand on a path, the same with some changes, and this one again from the first: all of its
/// poses have the same bits.
fn baked_again<P: Fn(f64) -> (Vec2, f64)>(
    (skeleton, hand): (&Skeleton, BoneId),
    springs: &Springs,
    time: ClipTime,
    (then, now): (P, &dyn Fn() -> P),
    changed: &[(f64, f64)],
) -> BakedAgain {
    let last = springs.bake(skeleton, time, moving(skeleton, hand, then)).unwrap();
    let fresh = springs.bake(skeleton, time, moving(skeleton, hand, now())).unwrap();
    let (mut read, mut animate) = (0, moving(skeleton, hand, now()));
    let counted = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
        read += 1;
        animate(time, pose, world)
    };
    let again = springs.bake_again(skeleton, time, counted, (&last, changed)).unwrap();
    let mut differs = false;
    for k in 0..(time.length * 80.0) as u32 {
        let time = f64::from(k) / 80.0;
        let [mut old, mut new, mut same] = [(); 3].map(|()| Pose::new(skeleton));
        last.apply(skeleton, time, &mut old);
        fresh.apply(skeleton, time, &mut new);
        again.apply(skeleton, time, &mut same);
        assert_eq!(new, same, "{changed:?} at {time}");
        differs |= old != new;
    }
    BakedAgain { fresh, again, seconds: f64::from(read) / 960.0, differs }
}

/// A smooth bump in each of these intervals.
fn bumps(changed: &[(f64, f64)], time: f64) -> f64 {
    let bump = |(from, to): &(f64, f64)| {
        let u = ((time - from) / (to - from)).clamp(0.0, 1.0);
        u * u * (1.0 - u) * (1.0 - u)
    };
    changed.iter().map(bump).sum()
}

/// A change of one second within a minute: the same bits as baked from the start, in the time of that second
/// and of what swings after it.
#[test]
fn a_changed_clip_bakes_only_what_changed() {
    let (skeleton, hand, rods) = whip(4);
    let gravity = Vec2::new(0.0, 600.0);
    let springs = rods.iter().map(|bone| Spring { gravity, damping: 0.3, ..Spring::new(*bone) });
    let springs = Springs::new(&skeleton, springs.collect()).unwrap();
    let time = ClipTime::new(90.5, false);
    let changed = [(40.0, 41.0)];
    let path = |by: f64| {
        move |t: f64| {
            (Vec2::new(40.0 * (3.0 * t).sin() + by * bumps(&changed, t), 0.0), 0.3 * (2.0 * t).sin())
        }
    };
    let baked = baked_again((&skeleton, hand), &springs, time, (path(0.0), &|| path(900.0)), &changed);
    println!("1 s of 90 was changed, {:.1} s were baked", baked.seconds);
    assert!(baked.seconds < 25.0 && baked.differs, "{}", baked.seconds);
}

/// The same for loops, also where the change is at their start or end; of what is changed twice, both. A loop in
/// which oscillations do not fade within its warm-up is baked whole.
#[test]
fn a_changed_loop_bakes_only_what_changed() {
    let (skeleton, hand, rods) = whip(2);
    let springs = |damping| {
        let gravity = Vec2::new(0.0, 600.0);
        let wind = Some(Wind { turbulence: 0.5, ..Wind::steady(Vec2::new(200.0, 0.0)) });
        let springs = rods.iter().map(|bone| Spring { gravity, damping, wind, ..Spring::new(*bone) });
        Springs::new(&skeleton, springs.collect()).unwrap()
    };
    let time = ClipTime::new(90.0, true);
    for (damping, changed, most) in [
        (0.4, &[(40.0, 41.0)][..], 24.0),
        (0.4, &[(15.0, 16.0), (50.0, 50.5)], 46.0),
        (0.4, &[(88.5, 90.0)], 46.0),
        (0.4, &[(0.0, 0.5), (89.0, 90.0)], 46.0),
        (0.4, &[], 0.01),
        (0.02, &[(40.0, 41.0)], 1e4),
    ] {
        let path = |by: f64| {
            move |t: f64| {
                let x = 40.0 * (TAU * t / 2.0).sin() + by * bumps(changed, t);
                (Vec2::new(x, 0.0), 0.3 * (TAU * t / 3.0).sin())
            }
        };
        let paths = (path(0.0), &(|| path(900.0)) as &dyn Fn() -> _);
        let BakedAgain { fresh, again, seconds, differs } =
            baked_again((&skeleton, hand), &springs(damping), time, paths, changed);
        println!(
            "damping {damping}, {changed:?} of 90 s: {seconds:.1} s were baked, closed by {:.1e}",
            again.seam()
        );
        assert!(seconds < most, "{changed:?}: {seconds}");
        assert_eq!((fresh.seam(), fresh.seam_at()), (again.seam(), again.seam_at()));
        assert!(again.seam() < 1e-8);
        assert_eq!(differs, !changed.is_empty());
    }
}

/// A rod that is pulled down rests at its limit, not at its animated angle.
#[test]
fn a_rod_rests_at_its_limit() {
    let (skeleton, hand, rod) = limited_rod();
    let spring = Spring { stiffness: 0.2, damping: 0.5, gravity: Vec2::new(0.0, 4000.0), ..Spring::new(rod) };
    let springs = Springs::new(&skeleton, vec![spring]).unwrap();
    let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, |_| (Vec2::ZERO, 0.0))).unwrap();
    for time in [1.0, 1.5, 2.0] {
        assert!((turn(&motion, &skeleton, time, rod).to_degrees() - 15.0).abs() < 1e-9);
    }
}

/// A free rod that hangs is a pendulum, `I w^2 = m g l / 2`, and its damping is a share of the critical one
/// of that: each swing is `exp(-pi d / sqrt(1 - d^2))` of the one before.
#[test]
fn damping_of_a_hanging_rod_is_relative_to_gravity() {
    let (skeleton, hand, rods) = whip(1);
    for (damping, pull) in [(0.1, 1500.0), (0.15, 4000.0), (0.3, 900.0)] {
        let gravity = Vec2::new(pull, 0.0);
        let spring = Spring { stiffness: 0.0, damping, gravity, ..Spring::new(rods[0]) };
        let springs = Springs::new(&skeleton, vec![spring]).unwrap();
        // Pushed aside within a fifth of a second.
        let path = |time: f64| {
            let share = (time * 5.0).clamp(0.0, 1.0);
            (Vec2::new(0.0, 2.0 * share * share * (3.0 - 2.0 * share)), 0.0)
        };
        let motion = springs.bake(&skeleton, ONCE, moving(&skeleton, hand, path)).unwrap();
        let turns: Vec<f64> =
            (210..2990).map(|k| turn(&motion, &skeleton, f64::from(k) / 1000.0, rods[0])).collect();
        let swings: Vec<f64> = turns
            .windows(3)
            .filter(|turns| (turns[1] - turns[0]) * (turns[2] - turns[1]) <= 0.0 && turns[1].abs() > 1e-4)
            .map(|turns| turns[1])
            .collect();
        let expected = -(-std::f64::consts::PI * damping / (1.0 - damping * damping).sqrt()).exp();
        assert!(swings.len() >= 3, "{swings:?}");
        for pair in swings.windows(2) {
            assert!((pair[1] / pair[0] - expected).abs() < 0.02 * expected.abs(), "{damping}: {swings:?}");
        }
    }
}

/// Jumps by more than a quarter of the reach act alike: a figure that appears elsewhere is not shaken by the
/// way.
#[test]
fn rods_do_not_feel_how_far_a_long_jump_goes() {
    // Three rods reach 120 units.
    let (short, _) = after_a_change(35.0, 0.0);
    for shift in [70.0, 119.0, 400.0, 10_000.0] {
        let (long, _) = after_a_change(shift, 0.0);
        assert!((long - short).abs() < 1e-6 * short, "{shift}: {long} {short}");
    }
    let (shorter, _) = after_a_change(15.0, 0.0);
    assert!(shorter < 0.9 * short, "{shorter} {short}");
}

/// The mirror image of a figure in the mirror image of its motion: in the frames of their parents all rods
/// turn alike.
#[test]
fn mirrored_rods_move_as_in_a_mirror() {
    let (skeleton, hand, rods) = whip(3);
    let gravity = Vec2::new(800.0, 0.0);
    let springs = rods.iter().map(|bone| Spring { gravity, ..Spring::new(*bone) }).collect();
    let springs = Springs::new(&skeleton, springs).unwrap();
    let [plain, mirrored] = [1.0, -1.0].map(|side| {
        let animate = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
            pose.reset(&skeleton);
            let hand = &mut pose.bones[hand.index()];
            hand.origin += Vec2::new(9.0 * (2.0 * time).sin(), side * 20.0 * (3.0 * time).sin());
            hand.angle = Angle::from_radians(side * 0.4 * (4.0 * time).sin());
            hand.scale = Vec2::new(1.0, side);
            world.forward(&skeleton, pose)
        };
        springs.bake(&skeleton, ONCE, animate).unwrap()
    });
    let mut most = 0.0_f64;
    for k in 0..=300 {
        let time = f64::from(k) / 100.0;
        for rod in &rods {
            let (one, other) = (turn(&plain, &skeleton, time, *rod), turn(&mirrored, &skeleton, time, *rod));
            assert!((one - other).abs() < 1e-9, "{rod:?} at {time}: {one} {other}");
            most = most.max(one.abs());
        }
    }
    assert!(most > 0.1, "{most}");
}

/// What blows at a place has blown upwind of it a moment before, and comes downwind of it later.
#[test]
fn eddies_travel_downwind() {
    let wind = Wind { turbulence: 0.6, ..Wind::steady(Vec2::new(300.0, 400.0)) };
    let (along, later) = (Vec2::new(0.6, 0.8), 0.02);
    let way = along * (wind.speed * later);
    let (mut upwind, mut downwind) = (0.0, 0.0);
    for k in 0..2000 {
        let k = f64::from(k);
        let (place, time) = (Vec2::new((k * 7.3) % 900.0 - 300.0, (k * 3.1) % 700.0 - 200.0), k * 0.017);
        let now = wind.at(place, time + later, None);
        upwind += (now - wind.at(place - way, time, None)).hypot2();
        downwind += (now - wind.at(place + way, time, None)).hypot2();
    }
    assert!(upwind < 0.3 * downwind, "{upwind} {downwind}");
}

/// A tree of rods: the parent of each is one before it, or the hand.
fn tree(parents: &[usize], lengths: &[f64]) -> (Skeleton, Vec<BoneId>) {
    let mut builder = SkeletonBuilder::new().bone(BoneSpec::new("hand", 20.0).origin(300.0, 200.0));
    for (k, (parent, length)) in parents.iter().zip(lengths).enumerate() {
        let (above, at) = match parent % (k + 1) {
            0 => ("hand".to_owned(), 20.0),
            rod => (format!("rod {}", rod - 1), lengths[rod - 1]),
        };
        let spec = BoneSpec::new(format!("rod {k}"), *length).parent(&above).origin(at, 0.0);
        builder = builder.bone(spec.degrees(40.0 * (*parent as f64 % 7.0) - 120.0));
    }
    let skeleton = builder.build().unwrap();
    let rods = (0..parents.len()).map(|k| skeleton.find(&format!("rod {k}")).unwrap()).collect();
    (skeleton, rods)
}

fn turns(state: &SpringState, springs: &Springs, skeleton: &Skeleton, rods: &[BoneId]) -> Vec<f64> {
    let mut swung = Pose::new(skeleton);
    state.apply(springs, skeleton, &mut swung);
    rods.iter()
        .map(|bone| (swung.bones[bone.index()].angle - skeleton.setup(*bone).angle).radians())
        .collect()
}

/// Rest is found by balancing forces; the simulation, which does not use it, must stay there, and a few of its steps must
/// be enough to see that. Of trees that are drawn at random, a few are so near to another balance that they do not.
#[test]
fn springs_rest_where_the_simulation_stays() {
    const TREES: usize = 600;
    let rods = prop::collection::vec(0_usize..9, 2..9);
    let lengths = prop::collection::vec(15.0..60.0_f64, 9);
    let trees = (rods, lengths, 0.3..3.0_f64, (-900.0..900.0_f64, -900.0..900.0_f64), any::<bool>());
    let mut runner = TestRunner::deterministic();
    let (mut moved, mut slow) = ([Vec::new(), Vec::new()], 0);
    for _ in 0..TREES {
        let (parents, lengths, stiffness, pull, stopped) =
            trees.new_tree(&mut runner).expect("a tree").current();
        let (skeleton, rods) = tree(&parents, &lengths);
        let circle = StopShape::Circle { centre: Point::new(320.0, 260.0), radius: 40.0 };
        let stop = stopped.then_some(Stop { shape: circle, carrier: None });
        let list = rods.iter().enumerate().map(|(k, bone)| Spring {
            gravity: Vec2::new(pull.0, pull.1),
            wind: (k % 2 == 0).then(|| Wind::steady(Vec2::new(300.0, -200.0))),
            stop,
            stiffness,
            damping: 0.6,
            ..Spring::new(*bone)
        });
        let springs = Springs::new(&skeleton, list.collect()).unwrap();
        let (pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        world.forward(&skeleton, &pose).unwrap();
        let mut state = SpringState::unposed(&springs);
        let steps = state.rest(&springs, &skeleton, &pose, &world);
        let rest = turns(&state, &springs, &skeleton, &rods);
        for _ in 0..600 {
            state.step(&springs, &skeleton, &pose, &world, 1.0 / 60.0);
        }
        let later = turns(&state, &springs, &skeleton, &rods);
        let off = rest.iter().zip(&later).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off >= 1e-5 {
            moved[usize::from(stopped)].push(off);
        }
        slow += usize::from(!stopped && steps > 4);
    }
    let [free, stopped] = &moved;
    println!("of {TREES}: {slow} slow, {free:?} moved without stops, {stopped:?} with");
    assert!(free.iter().all(|off| *off < 1e-4), "{free:?}");
    assert!((free.len() + stopped.len()) * 100 <= TREES, "{free:?} {stopped:?}");
    assert!(slow * 100 <= TREES, "{slow}");
}
