//! The climb of `examples/stairs`: feet do not slide or pass through steps, knees do not snap, and the body
//! moves smoothly.

use bone_core::{BoneId, Joint};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{Point, Vec2, flatten};

const LENGTH: f64 = 5.0;
/// A step of the drawing.
const STEP: Vec2 = Vec2::new(76.0, -34.0);

/// From when until when a foot stands, and on which step.
type Stand = (f64, f64, f64);
const STANDS: [(&str, [Stand; 4]); 2] = [
    ("r", [(0.0, 0.46, 0.0), (0.92, 1.58, 1.0), (2.08, 2.74, 3.0), (3.24, LENGTH, 5.0)]),
    ("l", [(0.0, 1.0, 0.0), (1.5, 2.16, 2.0), (2.66, 3.32, 4.0), (3.82, LENGTH, 5.0)]),
];

struct Climb {
    player: Player,
    state: FrameState,
}

impl Climb {
    fn open() -> Self {
        let player = Player::open("examples/stairs/rig.ron");
        let state = FrameState::new(&player.rig);
        Self { player, state }
    }

    fn bone(&self, name: &str) -> BoneId {
        self.player.rig.skeleton().find(name).expect("the bone")
    }

    fn pose(&mut self, time: f64) {
        self.player
            .rig
            .pose(self.player.clip(Some("climb")), time, &mut self.state)
            .expect("it can be posed");
    }

    fn tip(&self, bone: BoneId) -> Point {
        self.state.world().tip(self.player.rig.skeleton(), self.state.driven(), bone)
    }

    /// How far a bone is turned against its parent, in degrees.
    fn turn(&self, bone: BoneId) -> f64 {
        self.state.driven().bones[bone.index()].angle.degrees()
    }

    /// How far the soles and uppers of a foot reach below what they stand on; less than 0 in the air.
    fn depth(&self, side: &str) -> f64 {
        let mut deepest = f64::NEG_INFINITY;
        for (element, path) in self.player.rig.posed_elements().iter().zip(self.state.posed().paths()) {
            let name = self.player.rig.art().address(*element);
            if ["sole", "upper"].iter().any(|part| name.contains(&format!("shoe_{part}_{side}"))) {
                flatten(path, 0.05, |element| {
                    if let Some(at) = element.end_point() {
                        deepest = deepest.max(at.y - stairs_top(at.x));
                    }
                });
            }
        }
        deepest
    }
}

/// The top of the stairs at an x, as the drawing has it: five steps, the first riser at 248, then the
/// landing.
fn stairs_top(x: f64) -> f64 {
    let steps = ((x - 248.0) / STEP.x).floor() + 1.0;
    540.0 + STEP.y * steps.clamp(0.0, 5.0)
}

#[test]
fn feet_do_not_slide_or_pass_through_steps() {
    /// Many moments between two frames: whole frames could hide what a faster film shows.
    const MOMENTS: u32 = 1000;
    let mut climb = Climb::open();
    for (side, stands) in STANDS {
        let foot = climb.bone(&format!("foot_{side}"));
        let skeleton = climb.player.rig.skeleton();
        let leg: f64 =
            ["thigh", "shin"].map(|part| skeleton.length(climb.bone(&format!("{part}_{side}")))).iter().sum();
        climb.pose(0.0);
        let at_rest = climb.tip(foot);
        let (mut slide, mut deepest, mut highest) = (0.0_f64, f64::NEG_INFINITY, f64::INFINITY);
        for k in 0..=MOMENTS {
            let time = LENGTH * f64::from(k) / f64::from(MOMENTS);
            climb.pose(time);
            let depth = climb.depth(side);
            deepest = deepest.max(depth);
            for (.., step) in stands.iter().filter(|(from, until, _)| (*from..=*until).contains(&time)) {
                slide = slide.max((climb.tip(foot) - at_rest - STEP * *step).hypot());
                highest = highest.min(depth);
            }
        }
        println!(
            "foot_{side}: slides {:.1e} of the leg's length, {deepest:.2} below a step at most, {highest:.2} when it stands",
            slide / leg
        );
        assert!(slide <= 0.003 * leg, "foot_{side} slides {slide}");
        assert!(deepest <= 1.0, "foot_{side} goes {deepest} into a step");
        assert!(highest >= -1.0, "foot_{side} stands {highest} above a step");
    }
}

#[test]
fn joints_of_the_legs_stay_within_their_limits_and_do_not_snap() {
    /// Degrees in one frame of 24 a second: 500 a second. A person's knee swings at 350 to 400 in a walk; one
    /// that snaps has no such bound.
    const FASTEST: f64 = 21.0;
    /// Moments in a frame.
    const WITHIN: usize = 20;
    let mut climb = Climb::open();
    for side in ["r", "l"] {
        for part in ["thigh", "shin", "foot", "toe"] {
            let name = format!("{part}_{side}");
            let bone = climb.bone(&name);
            let setup = climb.player.rig.skeleton().setup(bone).angle.degrees();
            let joint = climb.player.rig.skeleton().joint(bone);
            let turns: Vec<f64> = (0..=(LENGTH * 24.0) as usize * WITHIN)
                .map(|k| {
                    climb.pose(k as f64 / 24.0 / WITHIN as f64);
                    climb.turn(bone) - setup
                })
                .collect();
            let fastest =
                turns.windows(WITHIN + 1).map(|turns| (turns[WITHIN] - turns[0]).abs()).fold(0.0, f64::max);
            // Were a jump hidden between two frames, it would be a frame's turn in one moment.
            let jump = turns.windows(2).map(|turns| (turns[1] - turns[0]).abs()).fold(0.0, f64::max);
            if let Joint::Pin { limits: Some((least, most)) } = joint {
                let within = least.degrees() - 1e-9..=most.degrees() + 1e-9;
                assert!(turns.iter().all(|turn| within.contains(turn)), "{name} leaves {within:?}");
            } else {
                assert!(!["thigh", "shin"].contains(&part), "{name} has limits");
            }
            println!("{name}: {fastest:.1} degrees in a frame, {jump:.2} in a moment");
            assert!(fastest <= FASTEST, "{name} turns by {fastest} degrees in a frame");
            assert!(jump <= 3.0 * FASTEST / WITHIN as f64, "{name} jumps by {jump} degrees");
        }
    }
}

#[test]
fn the_body_and_the_head_move_smoothly() {
    const H: f64 = 1.0 / 24.0;
    /// The figure is 330 units high, as a child is 1.2 m: what falls freely gains 9.81 m/s every second.
    const GRAVITY: f64 = 9.81 * 330.0 / 1.2;
    let mut climb = Climb::open();
    let (hip, head) = (climb.bone("hip"), climb.bone("head"));
    let mut sample = |time: f64| {
        climb.pose(time);
        let origin = climb.state.world().origin(hip);
        (origin, climb.tip(head) - climb.state.world().origin(head))
    };
    let upright = sample(0.0).1;
    let (mut strongest, mut tilt, mut nod) = (0.0_f64, 0.0_f64, 0.0_f64);
    let turn = |a: Vec2, b: Vec2| (a.cross(b) / (a.hypot() * b.hypot())).abs();
    for k in 0..=((LENGTH - 2.0 * H) * 480.0) as u32 {
        let time = f64::from(k) / 480.0;
        let [before, now, after] = [0.0, H, 2.0 * H].map(|later| sample(time + later));
        let pull = (before.0.to_vec2() - 2.0 * now.0.to_vec2() + after.0.to_vec2()).hypot() / (H * H);
        strongest = strongest.max(pull);
        tilt = tilt.max(turn(upright, now.1));
        nod = nod.max(turn(before.1, now.1));
        assert!(after.0.x >= now.0.x - 1e-9, "the body goes back at {time}");
    }
    println!("hip: {:.2} g; head: {tilt:.3} and {nod:.3} a frame, as sines", strongest / GRAVITY);
    assert!(strongest <= GRAVITY, "the hip is pulled by {:.2} g", strongest / GRAVITY);
    // Ten degrees while the legs swing through a hundred, and four in a frame.
    assert!(tilt <= 0.18, "the head tilts by {tilt}");
    assert!(nod <= 0.07, "the head nods by {nod}");
}
