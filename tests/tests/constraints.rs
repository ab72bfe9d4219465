//! Constraints in whole rigs: planted feet stay where they are on the road, hands reach what they follow.

use bone_layer_tests::player::Player;
use kurbo::{Point, Vec2, flatten};
use rig::FrameState;

/// Where a bone's tip is at a time of a clip.
fn tip(player: &Player, clip: &str, time: f64, bone: &str, state: &mut FrameState) -> Point {
    player.scene.pose(player.clip(Some(clip)), time, state).expect("it can be posed");
    let skeleton = player.scene.skeleton();
    let bone = skeleton.find(bone).expect("the bone");
    state.world().tip(skeleton, state.driven(), bone)
}

#[test]
fn planted_feet_of_the_walk_do_not_slide() {
    const SPEED: f64 = 440.0;
    let player = Player::open("examples/walk/rig.ron");
    let mut state = FrameState::new(&player.scene);
    let skeleton = player.scene.skeleton();
    let length = |bone: &str| skeleton.length(skeleton.find(bone).expect("the bone"));
    let leg = length("thigh_r") + length("shin_r");
    for (foot, from, until) in [("foot_r", 0.1, 0.5), ("foot_l", 0.6, 1.0)] {
        let on_the_road = |time: f64, state: &mut FrameState| {
            let at = tip(&player, "walk", time, foot, state);
            Point::new(at.x + SPEED * time, at.y)
        };
        let first = on_the_road(from, &mut state);
        let mut slide = 0.0_f64;
        // Between frames, too: whole frames could hide what a faster film shows.
        for k in 0..=200 {
            let time = from + (until - from) * f64::from(k) / 200.0 - 1e-9;
            slide = slide.max((on_the_road(time, &mut state) - first).hypot());
        }
        println!("{foot}: {:.2e} of the leg's length", slide / leg);
        assert!(slide <= 0.003 * leg, "{foot} slides {slide}");
    }
}

/// The top of the stairs of `examples/stairs` at an x, as its drawing has it: five steps of 76 by 34, then the landing.
fn stairs_top(x: f64) -> f64 {
    let steps = ((x - 248.0) / 76.0).floor() + 1.0;
    540.0 - 34.0 * steps.clamp(0.0, 5.0)
}

#[test]
fn feet_on_the_stairs_do_not_slide_and_none_goes_through_a_step() {
    /// When a foot stands, and on which step. Until the clip ends, in the last row.
    const STANDS: [(&str, [(f64, f64, f64); 4]); 2] = [
        ("r", [(0.0, 0.46, 0.0), (0.92, 1.58, 1.0), (2.08, 2.74, 3.0), (3.24, 5.0, 5.0)]),
        ("l", [(0.0, 1.0, 0.0), (1.5, 2.16, 2.0), (2.66, 3.32, 4.0), (3.82, 5.0, 5.0)]),
    ];
    /// Many moments between two frames: whole frames could hide what a faster film shows.
    const MOMENTS: u32 = 1000;
    let player = Player::open("examples/stairs/rig.ron");
    let skeleton = player.scene.skeleton();
    let bone = |name: String| skeleton.find(&name).expect("the bone");
    let mut state = FrameState::new(&player.scene);
    for (side, stands) in STANDS {
        let (thigh, shin) = (bone(format!("thigh_{side}")), bone(format!("shin_{side}")));
        let leg = skeleton.length(thigh) + skeleton.length(shin);
        let foot = format!("foot_{side}");
        let at_rest = tip(&player, "climb", 0.0, &foot, &mut state);
        let (mut slide, mut deepest, mut straightest) = (0.0_f64, f64::NEG_INFINITY, f64::INFINITY);
        for k in 0..=MOMENTS {
            let time = 5.0 * f64::from(k) / f64::from(MOMENTS);
            let ball = tip(&player, "climb", time, &foot, &mut state);
            for (.., step) in stands.iter().filter(|(from, until, _)| (*from..=*until).contains(&time)) {
                slide = slide.max((ball - at_rest - Vec2::new(76.0, -34.0) * *step).hypot());
            }
            // Knees bend forwards alone: the shin turns clockwise, which is where its limits begin.
            straightest = straightest.min(state.driven().bones[shin.index()].angle.degrees());
            let elements = player.scene.posed_elements().iter().zip(state.posed().paths());
            for (element, path) in elements {
                let name = player.scene.art().path(*element);
                if !name.contains(&format!("shoe_sole_{side}")) && !name.contains(&format!("shoe_upper_{side}")) {
                    continue;
                }
                flatten(path, 0.05, |element| {
                    if let Some(at) = element.end_point() {
                        deepest = deepest.max(at.y - stairs_top(at.x));
                    }
                });
            }
        }
        println!("{foot}: slides {:.2e} of the leg's length, at most {deepest:.2} below a step", slide / leg);
        println!("{foot}: knee from {straightest:.1} degrees");
        assert!(slide <= 0.003 * leg, "{foot} slides {slide}");
        assert!(deepest <= 1.0, "{foot} goes {deepest} into a step");
        assert!(deepest >= -0.5, "{foot} stands {deepest} above the steps");
    }
}
