//! Three drawings of 1920 x 1080 with their rigs, made in code: a cartoon of 15 shapes, 240 shapes with strokes, and a scene with
//! gradients, dashes, clips, opacity and a blur. All that is drawn in the first two moves; of the second, a part can.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts};
use bone_rig::Rig;

const HEAD: &str =
    "<svg xmlns='http://www.w3.org/2000/svg' width='1920' height='1080' viewBox='0 0 1920 1080'>";

/// A drawing and its rig, loaded.
pub(crate) fn scene(name: &str) -> Rig {
    let (svg, rig) = match name {
        "cartoon" => cartoon(),
        "strokes" => strokes(|_| true),
        // The first feather lies beneath all others.
        "one feather" => strokes(|feather| feather == 0),
        _ => landscape(),
    };
    let files = InMemory::new().with("rig.ron", rig).with("drawing.svg", svg);
    let loaded = load(Path::new("rig.ron"), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|found| found.message.as_str()).collect();
    loaded.rig.unwrap_or_else(|| panic!("{name}: {messages:#?}"))
}

/// A closed smooth shape about a place.
fn blob(x: f64, y: f64, width: f64, height: f64) -> String {
    let (a, b) = (width / 2.0, height / 2.0);
    let (c, d) = (a * 0.55, b * 0.6);
    let [left, right, top, bottom] = [x - a, x + a, y - b, y + b];
    format!(
        "M{left} {y}C{left} {} {} {top} {x} {top}S{right} {} {right} {y}S{} {bottom} {x} {bottom}S{left} {} {left} {y}Z",
        y - d,
        x - c,
        y - d,
        x + c,
        y + d,
    )
}

/// A limb from one place to another.
fn limb(x: f64, from: f64, to: f64, width: f64) -> String {
    let (a, middle) = (width / 2.0, (from + to) / 2.0);
    let [left, right] = [x - a, x + a];
    let [wide_left, wide_right] = [left - a * 0.3, right + a * 0.3];
    format!(
        "M{left} {from}C{wide_left} {middle} {left} {middle} {left} {to}Q{x} {} {right} {to}C{right} {middle} {wide_right} {middle} {right} {from}Q{x} {} {left} {from}Z",
        to + a,
        from - a
    )
}

fn cartoon() -> (String, String) {
    let mut svg = String::from(HEAD);
    let colors = ["#2b6f77", "#f2b632", "#e4572e", "#3d3a4b", "#f7e3c4"];
    let (mut bones, mut skin) = (String::from("\"hip\": (from: (960, 620), to: (960, 420)),"), String::new());
    let mut keys = String::from("\"hip\": (rotate: [(0, -6), (1, 6), (2, -6)]),");
    for (k, x) in [840.0, 900.0, 1020.0, 1080.0].into_iter().enumerate() {
        let (from, to) = if k % 3 == 0 { (430.0, 700.0) } else { (600.0, 940.0) };
        let middle = (from + to) / 2.0;
        let _ = write!(svg, "<path id='limb{k}' d='{}' fill='{}'/>", limb(x, from, to, 70.0), colors[k]);
        let _ = write!(
            bones,
            "\"upper{k}\": (parent: \"hip\", from: ({x}, {from}), to: ({x}, {middle})),\
             \"lower{k}\": (parent: \"upper{k}\", to: ({x}, {to})),"
        );
        let _ = write!(skin, "Smooth(art: \"limb{k}\", bones: [\"upper{k}\", \"lower{k}\"]),");
        let turn = 25 + 5 * k;
        let _ = write!(
            keys,
            "\"upper{k}\": (rotate: [(0, -{turn}), (1, {turn}), (2, -{turn})]), \"lower{k}\": (rotate: [(0, {turn}), (1, 0), (2, {turn})]),"
        );
    }
    let _ = write!(
        svg,
        "<g id='trunk'><path d='{}' fill='#c8553d'/><path d='{}' fill='#d97b5f'/></g><g id='head'>",
        blob(960.0, 530.0, 260.0, 320.0),
        blob(960.0, 570.0, 150.0, 200.0)
    );
    for (k, (x, y, w, h)) in [
        (960.0, 260.0, 270.0, 280.0),
        (960.0, 150.0, 280.0, 110.0),
        (900.0, 250.0, 46.0, 60.0),
        (1020.0, 250.0, 46.0, 60.0),
        (905.0, 256.0, 18.0, 24.0),
        (1025.0, 256.0, 18.0, 24.0),
        (960.0, 330.0, 100.0, 34.0),
        (845.0, 280.0, 40.0, 70.0),
        (1075.0, 280.0, 40.0, 70.0),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = write!(svg, "<path d='{}' fill='{}'/>", blob(x, y, w, h), colors[(k + 4) % 5]);
    }
    svg.push_str("</g></svg>");
    skin.push_str("Rigid(art: \"trunk\", bone: \"hip\"), Rigid(art: \"head\", bone: \"neck\"),");
    bones.push_str("\"neck\": (parent: \"hip\", from: (960, 420), to: (960, 150)),");
    keys.push_str("\"neck\": (rotate: [(0, 9), (1, -9), (2, 9)]),");
    (svg, rig(&bones, &skin, &keys))
}

/// Twelve feathers of twenty shapes; every other one bends. Some move.
fn strokes(moves: impl Fn(u32) -> bool) -> (String, String) {
    let mut svg = String::from(HEAD);
    let (mut bones, mut skin, mut keys) = (String::new(), String::new(), String::new());
    for feather in 0..12_u32 {
        let x = 150.0 + 147.0 * f64::from(feather);
        let _ = write!(svg, "<g id='feather{feather}'>");
        for k in 0..20_u32 {
            let (t, side) = (f64::from(k), if k % 2 == 0 { -1.0 } else { 1.0 });
            let (y, w) = (200.0 + 36.0 * t, 90.0 - 2.0 * t);
            let [red, green, blue] =
                [90 + 7 * k, 60 + (feather * 13 + k * 5) % 140, 200 - 9 * k].map(|n| n.min(255));
            let _ = write!(
                svg,
                "<path d='{}' fill='rgb({red},{green},{blue})' stroke='#222' stroke-width='{}'/>",
                blob(x + side * 22.0, y, w, 74.0),
                1.5 + 0.1 * t
            );
        }
        svg.push_str("</g>");
        let _ = write!(
            bones,
            "\"a{feather}\": (from: ({x}, 160), to: ({x}, 540)), \"b{feather}\": (parent: \"a{feather}\", to: ({x}, 940)),"
        );
        let _ = match feather % 2 {
            0 => write!(skin, "Rigid(art: \"feather{feather}\", bone: \"a{feather}\"),"),
            _ => write!(skin, "Smooth(art: \"feather{feather}\", bones: [\"a{feather}\", \"b{feather}\"]),"),
        };
        let turn = 4 + feather % 5;
        if !moves(feather) {
            continue;
        }
        let _ = write!(
            keys,
            "\"a{feather}\": (rotate: [(0, -{turn}), (1, {turn}), (2, -{turn})]), \"b{feather}\": (rotate: [(0, {}), (1, 0), (2, {})]),",
            3 * turn,
            3 * turn
        );
    }
    svg.push_str("</svg>");
    (svg, rig(&bones, &skin, &keys))
}

/// Hills under a glowing sun, and a kite on a dashed line in front of them.
fn landscape() -> (String, String) {
    let mut svg = String::from(HEAD);
    svg.push_str(
        "<defs><linearGradient id='sky' x2='0' y2='1'><stop offset='0' stop-color='#27456b'/><stop offset='1' stop-color='#f4c58a'/></linearGradient>\
         <radialGradient id='sun'><stop offset='.3' stop-color='#fff6d0'/><stop offset='1' stop-color='#ffb347' stop-opacity='0'/></radialGradient>\
         <linearGradient id='hill'><stop offset='0' stop-color='#355f3b'/><stop offset='1' stop-color='#8aa84f'/></linearGradient>\
         <linearGradient id='cloth'><stop offset='0' stop-color='#e4572e'/><stop offset='1' stop-color='#f2b632'/></linearGradient>\
         <filter id='glow' x='-.3' y='-.3' width='1.6' height='1.6'><feGaussianBlur stdDeviation='18'/></filter>\
         <clipPath id='pane'><path d='M180 640h260v240h-260zM470 640h120v240h-120z'/></clipPath></defs>\
         <rect id='ground' width='1920' height='1080' fill='url(#sky)'/>",
    );
    let _ = write!(
        svg,
        "<path id='glowing' d='{}' fill='url(#sun)' filter='url(#glow)'/>",
        blob(1450.0, 260.0, 420.0, 420.0)
    );
    for k in 0..4_u32 {
        let y = 560.0 + 110.0 * f64::from(k);
        let _ = write!(
            svg,
            "<g opacity='.8'><path d='M0 {y}C400 {} 700 {} 1100 {y}S1700 {} 1920 {y}V1080H0Z' fill='url(#hill)'/><path d='M0 {}C600 {y} 900 {} 1920 {}' fill='none' stroke='#fff' stroke-width='4' stroke-dasharray='26 14' stroke-opacity='.5'/></g>",
            y - 120.0,
            y + 90.0,
            y - 80.0,
            y + 60.0,
            y + 120.0,
            y + 40.0,
        );
    }
    svg.push_str("<g id='house' clip-path='url(#pane)'>");
    for k in 0..6_u32 {
        let x = 180.0 + 75.0 * f64::from(k);
        let _ = write!(svg, "<path d='{}' fill='#30415f'/>", blob(x, 760.0, 90.0, 260.0));
    }
    svg.push_str("</g>");
    for k in 0..5_u32 {
        let (x, y) = (200.0 + 360.0 * f64::from(k), 160.0 + 40.0 * f64::from(k % 3));
        let _ = write!(
            svg,
            "<g opacity='.55'><path d='{}' fill='#fff'/><path d='{}' fill='#fff'/></g>",
            blob(x, y, 240.0, 70.0),
            blob(x + 60.0, y - 24.0, 140.0, 80.0)
        );
    }
    let _ = write!(
        svg,
        "<path id='line' d='M760 980C820 820 900 760 1000 620' fill='none' stroke='#222' stroke-width='4' stroke-dasharray='14 8'/>\
         <g id='kite'><path d='M1000 420L1110 520L1000 640L890 520Z' fill='url(#cloth)' stroke='#532' stroke-width='5' stroke-linejoin='round'/>\
         <g opacity='.6'><path d='{}' fill='#fff'/><path d='{}' fill='#2b6f77'/></g></g>\
         <path id='tail' d='{}' fill='#c8553d' stroke='#532' stroke-width='3'/></svg>",
        blob(1000.0, 500.0, 90.0, 70.0),
        blob(1000.0, 560.0, 60.0, 60.0),
        limb(1000.0, 650.0, 900.0, 26.0)
    );
    let bones = "\"kite\": (from: (760, 980), to: (1000, 620)), \"top\": (parent: \"kite\", to: (1000, 420)),\
         \"tail1\": (parent: \"kite\", from: (1000, 640), to: (1000, 770)), \"tail2\": (parent: \"tail1\", to: (1000, 910)),";
    let skin = "Rigid(art: \"kite\", bone: \"top\"), Smooth(art: \"line\", bones: [\"kite\", \"top\"]), Smooth(art: \"tail\", bones: [\"tail1\", \"tail2\"]),";
    let keys = "\"kite\": (rotate: [(0, -5), (1, 5), (2, -5)]), \"top\": (rotate: [(0, 7), (1, -7), (2, 7)]),\
         \"tail1\": (rotate: [(0, 20), (1, -20), (2, 20)]), \"tail2\": (rotate: [(0, -30), (1, 30), (2, -30)]),";
    (svg, rig(bones, skin, keys))
}

fn rig(bones: &str, skin: &str, keys: &str) -> String {
    format!(
        "Rig(version: 1, drawing: \"drawing.svg\", bones: {{ {bones} }}, skin: [ {skin} ], \
         clips: {{ \"move\": (length: 2, loop: true, bones: {{ {keys} }}) }})"
    )
}
