//! Fills of bent art: open outlines are closed by a side that bends, and parts that are drawn in opposite
//! directions stay painted where they come to lie over each other.

use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::FrameState;

/// A drawing of which a path is bound to two bones, at the end of a clip that turns the second one by 80 degrees.
fn last_frame(path: &str, bones: &str) -> Vec<bool> {
    let shapes = format!("<path id='limb' d='{path}'/>");
    let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' width='240' height='240'>{shapes}</svg>");
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 8,\n\
         bones: {{{bones}}},\n\
         skin: [Smooth(art: \"limb\", bones: [\"root\", \"tip\"])],\n\
         clips: {{\"bend\": (length: 1, loop: false, bones: {{\"tip\": (rotate: [(0, 0), (1, 80)])}})}})"
    );
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    let player = Player::load(Path::new("it.ron"), Arc::new(files));
    let picture = player.draw(player.clip(Some("bend")), 8, 1.0, &mut FrameState::new(&player.rig));
    picture.data().chunks_exact(4).map(|pixel| pixel[0] < 128).collect()
}

fn count(painted: &[bool]) -> usize {
    painted.iter().filter(|is| **is).count()
}

#[test]
fn a_fill_closes_an_open_outline_with_a_side_that_bends() {
    const CHAIN: &str =
        "\"root\": (from: (20, 120), to: (110, 120)), \"tip\": (parent: \"root\", to: (200, 120))";
    // The side that is not drawn is the whole upper one.
    let limb = |end: &str| last_frame(&format!("M200 105V135C140 138 80 138 20 135V105{end}"), CHAIN);
    let (open, closed, drawn) = (limb(""), limb("Z"), limb("H200"));
    assert!(count(&closed) > 4000, "the limb is seen");
    assert!(open == closed, "{} and {} pixels", count(&open), count(&closed));
    assert!(open == drawn, "{} and {} pixels", count(&open), count(&drawn));
}

#[test]
fn opposite_parts_of_a_path_stay_painted_over_each_other() {
    const APART: &str = "\"root\": (from: (100, 180), to: (200, 180)), \
                         \"tip\": (parent: \"root\", from: (110, 85), to: (220, 85))";
    // The upper part is brought over the lower one.
    let lower = "M100 150H200V210H100Z";
    let opposite = last_frame(&format!("{lower}M120 70V100H230V70Z"), APART);
    let alike = last_frame(&format!("{lower}M120 70H230V100H120Z"), APART);
    assert!(count(&alike) < 100 * 60 + 110 * 30 - 1000, "they overlap");
    assert_eq!(count(&opposite), count(&alike));
}
