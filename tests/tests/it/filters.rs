//! Keyed numbers of filters: a frame is the drawing with these numbers typed in it.

use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::picture::difference;
use bone_layer_tests::player::Player;
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::FrameState;

/// A drawing whose filters have these numbers.
fn drawing(numbers: &Numbers) -> String {
    let Numbers { blur, flood, opacity, offset, saturate, hue, own, shadow } = numbers;
    let own = own.map_or("url(#glow)".to_owned(), |_| "url(#own)".to_owned());
    let glow = |id: &str, blur: [f64; 2]| {
        let [across, down] = blur;
        format!(
            "<filter id='{id}' x='-50%' y='-50%' width='200%' height='200%'><feGaussianBlur in='SourceAlpha' stdDeviation='{across} {down}' result='halo'/>\
            <feFlood flood-color='rgb({},{},{})' flood-opacity='{opacity}'/><feComposite in2='halo' operator='in'/>\
            <feOffset dx='{}' dy='{}' result='moved'/><feMerge><feMergeNode in='moved'/><feMergeNode in='SourceGraphic'/></feMerge></filter>",
            flood[0], flood[1], flood[2], offset[0], offset[1],
        )
    };
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 160 100' width='160' height='100'><defs>{}{}\
        <filter id='fade'><feColorMatrix type='saturate' values='{saturate}'/><feColorMatrix type='hueRotate' values='{hue}'/></filter>\
        <filter id='drop' filterUnits='userSpaceOnUse' x='90' y='50' width='60' height='45'>\
        <feDropShadow dx='{}' dy='2' stdDeviation='{}' flood-color='#123' flood-opacity='0.8'/></filter></defs>\
        <rect id='sky' width='160' height='100' fill='#dde6ee'/><circle id='lamp' cx='30' cy='28' r='12' fill='#b33' filter='url(#glow)'/>\
        <ellipse id='bulb' cx='75' cy='28' rx='9' ry='12' fill='#36a' filter='{own}'/>\
        <path id='flag' d='M12 60H68V88H12Z' fill='#d33' filter='url(#fade)'/>\
        <rect id='box' x='105' y='58' width='36' height='28' fill='#73a' filter='url(#drop)'/></svg>",
        glow("glow", *blur),
        glow("own", numbers.own.unwrap_or_default()),
        shadow[0],
        shadow[1],
    )
}

#[derive(Clone)]
struct Numbers {
    blur: [f64; 2],
    flood: [u8; 3],
    opacity: f64,
    offset: [f64; 2],
    saturate: f64,
    hue: f64,
    /// The blur of a glow that the bulb has for itself.
    own: Option<[f64; 2]>,
    /// The first number of the offset, and the blur.
    shadow: [f64; 2],
}

const AT_REST: Numbers = Numbers {
    blur: [2.0, 2.0],
    flood: [255, 204, 0],
    opacity: 1.0,
    offset: [0.0, 0.0],
    saturate: 1.0,
    hue: 0.0,
    own: None,
    shadow: [2.0, 1.0],
};

fn player(filters: &str) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "a.svg", bones: {{ "stem": (from: (5, 90), to: (5, 50)) }}, skin: [],
        clips: {{ "pulse": (length: 1, filters: {{ {filters} }}) }})"#
    );
    let files = InMemory::new().with("a.ron", rig).with("a.svg", drawing(&AT_REST));
    Player::load(Path::new("a.ron"), Arc::new(files))
}

/// What resvg draws of a text.
fn by_resvg(svg: &str) -> Pixmap {
    let options = FrameOptions { size: FrameSize::new(320, 200).expect("a size"), background: None };
    let mut pixels = Pixmap::new(320, 200).expect("memory");
    Raster::default().draw(svg, &options, &mut pixels).expect("an SVG");
    pixels
}

#[test]
fn a_frame_is_the_drawing_with_its_numbers() {
    let player = player(
        r#""glow/halo": (blur: [(0, 0, Linear), (1, (8, 4))]),
        "glow": (flood: [(0, "red", Linear), (1, "blue")], flood_opacity: [(0, 1, Linear), (1, 0.5)]),
        "glow/moved": (offset: [(0, (0, 0), Linear), (1, (6, -4))]),
        "fade/#1": (saturate: [(0, 1, Linear), (1, 0)]), "fade": (hue_rotate: [(0, 0, Linear), (1, 180)]),
        "drop": (blur: [(0, 0, Linear), (1, 3)], offset: [(0, (0, 2), Linear), (1, (8, 2))])"#,
    );
    let mut state = FrameState::new(&player.rig);
    for frame in [0, 6, 12, 18, 24] {
        let at = frame as f64 / 24.0;
        let level = |from: f64, to: f64| (from + at * (to - from)).round() as u8;
        let typed = Numbers {
            blur: [8.0 * at, 4.0 * at],
            flood: [level(255.0, 0.0), 0, level(0.0, 255.0)],
            opacity: 1.0 - 0.5 * at,
            offset: [6.0 * at, -4.0 * at],
            saturate: 1.0 - at,
            hue: 180.0 * at,
            own: None,
            shadow: [8.0 * at, 3.0 * at],
        };
        let found = player.draw(player.clip(Some("pulse")), frame, 2.0, &mut state);
        let apart = difference(&found, &by_resvg(&drawing(&typed)));
        assert_eq!(apart.pixels, 0, "frame {frame}: {apart:?}");
    }
}

#[test]
fn art_has_a_filter_of_its_own() {
    let player = player(r#""bulb.filter": (blur: [(0, (5, 1))])"#);
    let mut state = FrameState::new(&player.rig);
    let found = player.draw(player.clip(Some("pulse")), 3, 2.0, &mut state);
    let typed = Numbers { own: Some([5.0, 1.0]), ..AT_REST };
    assert_eq!(difference(&found, &by_resvg(&drawing(&typed))).pixels, 0);
    let drawn = player.draw(None, 0, 2.0, &mut state);
    assert_eq!(difference(&drawn, &by_resvg(&drawing(&AT_REST))).pixels, 0);
}

#[test]
fn huge_numbers_are_drawn_without_a_fault() {
    let player = player(
        r#""glow/halo": (blur: [(0, 1e4)]), "glow/moved": (offset: [(0, (1e30, -1e30))]), "fade": (hue_rotate: [(0, 1e300)])"#,
    );
    let mut state = FrameState::new(&player.rig);
    let found = player.draw(player.clip(Some("pulse")), 3, 2.0, &mut state);
    // The lamp itself is there, over a halo that is too faint to be seen.
    assert_eq!(found.pixel(60, 56).map(|pixel| pixel.demultiply().red()), Some(0xbb));
}
