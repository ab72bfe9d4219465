//! Constraints in the examples: planted feet do not slide, hands reach their targets.

use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::Point;

/// Where a bone's tip is at a time of a clip.
fn tip(player: &Player, clip: &str, time: f64, bone: &str, state: &mut FrameState) -> Point {
    player.rig.pose(player.clip(Some(clip)), time, state).expect("it can be posed");
    let skeleton = player.rig.skeleton();
    let bone = skeleton.find(bone).expect("the bone");
    state.world().tip(skeleton, state.driven(), bone)
}

#[test]
fn pinned_feet_of_the_walk_do_not_slide() {
    const SPEED: f64 = 440.0;
    let player = Player::open("examples/walk/rig.ron");
    let mut state = FrameState::new(&player.rig);
    let skeleton = player.rig.skeleton();
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
