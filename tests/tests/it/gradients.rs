//! Keyed gradients against drawings that have the values which keys give.

use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::picture::{by_resvg, difference};
use bone_layer_tests::player::Player;
use bone_render::{FrameSize, Pixmap};
use bone_rig::FrameState;

/// The ends and stops of the drawing.
struct Values {
    first: &'static str,
    offset: f64,
    opacity: f64,
    from: (f64, f64),
    center: (f64, f64),
    radius: f64,
    focus: Option<(f64, f64)>,
    /// The end of the gradient that one path has for itself, and what other art with it has.
    own: [f64; 2],
}

const AT_REST: Values = Values {
    first: "#204060",
    offset: 0.5,
    opacity: 1.0,
    from: (0.0, 0.0),
    center: (70.0, 20.0),
    radius: 18.0,
    focus: None,
    own: [40.0, 40.0],
};

/// A quarter, a half or the whole of the way.
fn at(share: f64) -> Values {
    let mix = |a: f64, b: f64| a + share * (b - a);
    let first = match share {
        0.5 => "#905038",
        _ => "#ff6010",
    };
    Values {
        first,
        offset: mix(0.5, 0.9),
        opacity: mix(1.0, 0.2),
        from: (mix(0.0, 0.3), mix(0.0, 0.2)),
        center: (mix(70.0, 60.0), mix(20.0, 26.0)),
        radius: mix(18.0, 8.0),
        focus: None,
        own: [40.0, mix(40.0, 20.0)],
    }
}

/// `shared`: the path with a gradient of its own has that of the others.
fn svg(values: &Values, shared: bool) -> String {
    let Values { first, offset, opacity, from, center, radius, focus, own } = values;
    let focus = focus.map_or(String::new(), |(x, y)| format!(" fx='{x}' fy='{y}'"));
    let stripes = |id: &str, end: f64| {
        format!(
            "<linearGradient id='{id}' gradientUnits='userSpaceOnUse' x1='10' x2='{end}'>\
             <stop stop-color='#fff'/><stop offset='1' stop-color='#00a'/></linearGradient>"
        )
    };
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='80'><defs>\
         <linearGradient id='stops'><stop stop-color='{first}'/><stop offset='{offset}' stop-color='#fff' stop-opacity='{opacity}'/>\
         <stop offset='1' stop-color='#0a6'/></linearGradient>\
         <linearGradient id='sky' href='#stops' x1='{}' y1='{}' x2='1' y2='1'/>\
         <radialGradient id='sun' gradientUnits='userSpaceOnUse' cx='{}' cy='{}' r='{radius}'{focus}>\
         <stop stop-color='#fff'/><stop offset='1' stop-color='#a20'/></radialGradient>{}{}</defs>\
         <rect id='a' x='2' y='2' width='30' height='34' fill='url(#sky)'/>\
         <ellipse id='b' cx='20' cy='60' rx='16' ry='12' fill='url(#sky)' stroke='url(#sky)' stroke-width='4'/>\
         <path id='c' d='M50 2h44v40h-44z' fill='url(#sun)'/>\
         <path id='coat' d='M40 46h50v12h-50z' fill='url(#{})'/>\
         <path id='d' d='M40 62h50v12h-50z' fill='url(#stripes)'/></svg>",
        from.0,
        from.1,
        center.0,
        center.1,
        stripes("stripes", own[0]),
        if shared { String::new() } else { stripes("own", own[1]) },
        if shared { "stripes" } else { "own" },
    )
}

const CLIP: &str = "\"c\": (length: 1, loop: false, paints: {
    \"sky\": (colors: {0: [(0, \"#204060\", Linear), (1, \"#ff6010\")]}, offsets: {1: [(0, 0.5, Linear), (1, 0.9)]},
        opacities: {1: [(0, 1, Linear), (1, 0.2)]}, from: [(0, (0, 0), Linear), (1, (0.3, 0.2))]),
    \"sun\": (center: [(0, (70, 20), Linear), (1, (60, 26))], radius: [(0, 18, Linear), (1, 8)]),
    \"coat.fill\": (to: [(0, (40, 0), Linear), (1, (20, 0))]),
})";

fn player(clip: &str) -> Player {
    let rig = format!("Rig(version: 1, drawing: \"it.svg\", fps: 2, clips: {{{clip}}})");
    let files = InMemory::new().with("it.svg", svg(&AT_REST, true)).with("it.ron", rig);
    Player::load(Path::new("it.ron"), Arc::new(files))
}

/// The largest difference of two pictures, in levels.
fn apart(a: &Pixmap, b: &Pixmap) -> u8 {
    difference(a, b).largest
}

/// Two shapes share a gradient whose stops are those of another one, in the box of each.
#[test]
fn keyed_gradients_are_drawn_as_in_a_drawing_with_their_values() {
    let player = player(CLIP);
    let mut state = FrameState::new(&player.rig);
    let mut seen = 0;
    for (frame, share) in [(0, 0.0), (1, 0.5), (2, 1.0)] {
        let values = if frame == 0 { AT_REST } else { at(share) };
        let mut drawn = Pixmap::new(1, 1).expect("memory");
        let report = player.draw_into(player.clip(Some("c")), frame, 2.0, &mut state, &mut drawn);
        assert!(!report.fell_back, "all of it is drawn by the renderer");
        let size = FrameSize::new(drawn.width(), drawn.height()).expect("a size");
        let expected = by_resvg(&svg(&values, frame == 0), size);
        assert!(apart(&drawn, &expected) <= 1, "frame {frame}: {}", apart(&drawn, &expected));
        let written = player.draw_by_text(player.clip(Some("c")), frame, 2.0, &mut state);
        assert!(apart(&written, &expected) <= 1, "frame {frame} as text: {}", apart(&written, &expected));
        seen += u32::from(apart(&expected, &by_resvg(&svg(&AT_REST, true), size)) > 60);
    }
    assert_eq!(seen, 2, "it is seen");
}

/// A stop that would lie before the one before it lies on it, a focus moves, and a tint colours what is keyed.
#[test]
fn offsets_never_fall_and_tints_come_after_keys() {
    let clip = "\"c\": (length: 1, loop: false,
        art: {\"a\": (tint: [(0, \"#ff0000\")])},
        paints: {\"sky\": (offsets: {1: [(0, -3)], 0: [(0, 0.25)]}, colors: {0: [(0, \"#808080\")]}),
                 \"sun\": (focus: [(0, (74, 20))])})";
    // Shares are from 0 to 1 in files: what leads beyond them is an ease.
    let player = player(&clip.replace("-3", "0.1"));
    let mut state = FrameState::new(&player.rig);
    let drawn = player.draw(player.clip(Some("c")), 0, 2.0, &mut state);
    let size = FrameSize::new(drawn.width(), drawn.height()).expect("a size");
    let stops = |first: &str, middle: &str, last: &str| {
        format!(
            "<stop offset='0.25' stop-color='{first}'/><stop offset='0.25' stop-color='{middle}'/><stop offset='1' stop-color='{last}'/>"
        )
    };
    let values = Values { focus: Some((74.0, 20.0)), ..AT_REST };
    let text = svg(&values, true);
    let (start, rest) = text.split_once("<linearGradient id='stops'>").expect("the gradient");
    let (_, rest) = rest.split_once("</linearGradient>").expect("its end");
    let red = format!("<linearGradient id='red'>{}</linearGradient>", stops("#800000", "#f00", "#000"));
    let text = format!(
        "{start}{red}<linearGradient id='stops'>{}</linearGradient>{}",
        stops("#808080", "#fff", "#0a6"),
        rest.replacen("url(#sky)", "url(#tinted)", 1).replacen(
            "<radialGradient",
            "<linearGradient id='tinted' href='#red' x2='1' y2='1'/><radialGradient",
            1
        )
    );
    let off = apart(&drawn, &by_resvg(&text, size));
    assert!(off <= 1, "{off} levels");
}
