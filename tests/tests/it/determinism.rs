//! A frame is a function of rig, clip and time: earlier frames, their order and the thread change no bit of
//! it.

use bone_layer_tests::files::{good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_rig::{FrameState, RigClip};

/// Every number of a posed frame, bit by bit, and the drawing that is written from them.
fn frame(player: &Player, clip: Option<&RigClip>, frame: u64, state: &mut FrameState) -> (Vec<u64>, String) {
    player.pose(clip, frame, state);
    player.rig.write_svg(state);
    let points = state.posed().paths().iter().flat_map(|path| path.elements());
    let mut bits: Vec<u64> = Vec::new();
    for element in points {
        let mut push = |p: kurbo::Point| bits.extend([p.x.to_bits(), p.y.to_bits()]);
        match *element {
            kurbo::PathEl::MoveTo(p) | kurbo::PathEl::LineTo(p) => push(p),
            kurbo::PathEl::QuadTo(a, p) => [a, p].into_iter().for_each(push),
            kurbo::PathEl::CurveTo(a, b, p) => [a, b, p].into_iter().for_each(push),
            kurbo::PathEl::ClosePath => {}
        }
    }
    bits.extend(state.world().matrices().iter().flat_map(|m| m.as_coeffs().map(f64::to_bits)));
    (bits, state.svg().to_owned())
}

/// A fixed order that is not the frames' own: a Fisher-Yates shuffle by a small generator.
fn shuffled(count: usize, mut seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (seed >> 33) as usize % (i + 1));
    }
    order
}

#[test]
fn one_state_in_any_order_equals_new_states() {
    let mut compared = 0;
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let moments = player.moments();
        let fresh: Vec<_> = moments
            .iter()
            .map(|(clip, number)| frame(&player, *clip, *number, &mut FrameState::new(&player.rig)))
            .collect();
        let mut state = FrameState::new(&player.rig);
        for seed in [1, 2] {
            for at in shuffled(moments.len(), seed) {
                let (clip, number) = moments[at];
                let again = frame(&player, clip, number, &mut state);
                let name = clip.map_or("setup", RigClip::name);
                assert!(again == fresh[at], "{}: frame {number} of {name}", shown(&rig));
                compared += 1;
            }
        }
    }
    println!("{compared} frames compared");
}

#[test]
fn threads_and_second_loads_give_the_same_bits() {
    for rig in good_rigs() {
        let (first, second) = (Player::open(&rig), Player::open(&rig));
        let all = |player: &Player, backwards: bool| {
            let mut state = FrameState::new(&player.rig);
            let mut moments: Vec<_> = player.moments().into_iter().enumerate().collect();
            if backwards {
                moments.reverse();
            }
            let mut frames: Vec<_> = moments
                .into_iter()
                .map(|(at, (clip, number))| (at, frame(player, clip, number, &mut state)))
                .collect();
            frames.sort_by_key(|(at, _)| *at);
            frames
        };
        let (a, b) = std::thread::scope(|scope| {
            let a = scope.spawn(|| all(&first, false));
            let b = scope.spawn(|| all(&second, true));
            (a.join().expect("no panic"), b.join().expect("no panic"))
        });
        assert!(a == b, "{}", shown(&rig));
    }
}

#[test]
fn pixels_do_not_depend_on_earlier_frames() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let mut state = FrameState::new(&player.rig);
        let moments = player.moments();
        for at in shuffled(moments.len(), 3).into_iter().take(8) {
            let (clip, number) = moments[at];
            let again = player.draw(clip, number, 0.5, &mut state);
            let fresh = player.draw(clip, number, 0.5, &mut FrameState::new(&player.rig));
            assert!(again.data() == fresh.data(), "{}: frame {number}", shown(&rig));
        }
    }
}
