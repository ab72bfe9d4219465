//! A few frames as pictures, to see that they look right.
//! `RENEW=1 cargo test -p bone-layer-tests --test it golden` renews them. Look at each before you keep it.

use bone_layer_tests::files::has_fonts;
use bone_layer_tests::picture::{LARGEST_GOLDEN, compare_golden, golden_path};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;

/// Name, rig, clip, frame, scale.
type Golden = (&'static str, &'static str, Option<&'static str>, u64, f64);

const GOLDENS: [Golden; 34] = [
    ("walk", "examples/walk/rig.ron", Some("walk"), 5, 0.25),
    ("walk_idle", "examples/walk/rig.ron", Some("idle"), 36, 0.25),
    ("arm", "examples/arm/rig.ron", Some("flex"), 20, 0.25),
    ("first_bone", "examples/first-bone/rig.ron", Some("swing"), 24, 0.25),
    ("effects", "tests/rigs/effects.ron", Some("tilt"), 20, 0.5),
    ("effects_at_rest", "tests/rigs/effects.ron", None, 0, 0.5),
    ("clips", "tests/rigs/clips.ron", Some("bend"), 20, 0.5),
    ("weights", "tests/rigs/weights.ron", Some("bend"), 24, 0.5),
    ("nested", "tests/rigs/nested.ron", Some("nod"), 24, 0.5),
    ("offsets", "tests/rigs/offsets.ron", Some("gulp"), 12, 0.5),
    ("trim", "tests/rigs/trim.ron", Some("draw"), 17, 1.0),
    ("shapes", "tests/rigs/shapes.ron", Some("all"), 6, 1.0),
    ("masks", "tests/rigs/masks.ron", Some("look"), 16, 1.0),
    ("camera", "tests/rigs/controls.ron", Some("dolly"), 36, 1.0),
    ("sliders", "tests/rigs/controls.ron", Some("cheer"), 20, 1.0),
    ("tint", "tests/rigs/tint.ron", Some("dusk"), 18, 2.0),
    ("gradients", "tests/rigs/gradients.ron", Some("evening"), 24, 2.0),
    ("filters", "tests/rigs/filters.ron", Some("pulse"), 7, 1.0),
    ("texts", "tests/text-rigs/texts.ron", Some("start"), 9, 1.0),
    ("poses", "tests/rigs/poses.ron", Some("goal"), 16, 0.5),
    ("poses_in_halves", "tests/rigs/poses.ron", Some("sway"), 15, 0.5),
    ("art_behind", "tests/rigs/art.ron", Some("talk"), 6, 0.5),
    ("art_before", "tests/rigs/art.ron", Some("talk"), 19, 0.5),
    ("reparent", "tests/rigs/reparent.ron", Some("drink"), 34, 0.5),
    ("inherit", "tests/rigs/inherit.ron", Some("turn"), 24, 0.5),
    ("springs", "tests/rigs/springs.ron", Some("shake"), 6, 0.5),
    ("reach", "examples/reach/rig.ron", Some("paint"), 40, 0.25),
    ("chain", "examples/chain/rig.ron", Some("tug"), 60, 0.25),
    ("plant", "examples/plant/rig.ron", Some("gust"), 40, 0.25),
    ("face", "examples/face/rig.ron", Some("hello"), 22, 0.25),
    ("engine", "examples/engine/rig.ron", Some("run"), 5, 0.25),
    ("lettering", "examples/lettering/rig.ron", Some("bow"), 4, 0.25),
    ("whale", "examples/whale/rig.ron", Some("swim"), 24, 0.25),
    ("stairs", "examples/stairs/rig.ron", Some("climb"), 47, 0.25),
];

#[test]
fn frames_match_golden_pictures() {
    let mut wrong = Vec::new();
    let with_text = |golden: &Golden| golden.1.starts_with("tests/text-rigs");
    for (name, rig, clip, frame, scale) in GOLDENS.into_iter().filter(|it| !with_text(it) || has_fonts()) {
        let player = Player::open(rig);
        let mut state = FrameState::new(&player.rig);
        let picture = player.draw(player.clip(clip), frame, scale, &mut state);
        match compare_golden(name, &picture) {
            Ok(apart) if apart.pixels == 0 => {}
            Ok(apart) => println!("{name}: {} pixels differ, by up to {}", apart.pixels, apart.largest),
            Err(words) => wrong.push(words),
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn golden_pictures_are_small_and_all_of_them_are_compared() {
    let folder = golden_path("any").with_file_name("");
    let files = std::fs::read_dir(&folder).expect("the folder of golden pictures").flatten();
    for path in files.map(|entry| entry.path()) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Left by a failure, and not in the repository.
        if stem.ends_with(".mismatch") {
            continue;
        }
        assert!(GOLDENS.iter().any(|golden| golden.0 == stem), "nothing is compared with {}", path.display());
        let bytes = path.metadata().expect("its size").len();
        assert!(bytes as usize <= LARGEST_GOLDEN, "{}: {bytes} bytes", path.display());
    }
}
