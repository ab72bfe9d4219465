//! Tinted art against drawings that have the colours which the formula gives: shade + c (tint - shade) / 255.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::picture::{by_resvg, difference};
use bone_layer_tests::player::Player;
use bone_render::{Compress, FrameSize, Pixmap, PngEncoder, data_url_of};
use bone_rig::FrameState;

type Rgb = [u8; 3];

/// A tint and a shade.
#[derive(Clone, Copy)]
struct Ink(Rgb, Rgb);

const OUTER: Ink = Ink([250, 180, 140], [20, 0, 60]);
const INNER: Ink = Ink([90, 220, 255], [70, 30, 0]);

/// The formula, of a colour that is not rounded.
fn inked(Ink(tint, shade): Ink, color: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|at| {
        let [tint, shade] = [tint[at], shade[at]].map(f64::from);
        shade + color[at] * (tint - shade) / 255.0
    })
}

/// Where a colour of the drawing is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    Outer,
    Inner,
}

use Place::{Inner, Outer, Outside};

/// The colours of the drawing, or those that a reader of the tinted one sees.
struct Colors {
    tinted: bool,
}

impl Colors {
    fn rgb(&self, place: Place, color: Rgb) -> Rgb {
        let own = color.map(f64::from);
        let seen = match place {
            _ if !self.tinted => own,
            Outside => own,
            Outer => inked(OUTER, own),
            Inner => inked(OUTER, inked(INNER, own)),
        };
        seen.map(|level| level.round() as u8)
    }

    fn hex(&self, place: Place, color: Rgb) -> String {
        let [red, green, blue] = self.rgb(place, color);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The id of a definition that is shared in the drawing.
    fn id(&self, name: &str, place: Place) -> String {
        if self.tinted { format!("{name}{}", place as u8) } else { name.to_owned() }
    }

    /// A definition, once or for each place.
    fn shared(&self, write: impl Fn(Place) -> String) -> String {
        let places: &[Place] = if self.tinted { &[Outside, Outer, Inner] } else { &[Outside] };
        places.iter().map(|place| write(*place)).collect()
    }

    /// Four pixels: opaque ones, and one that is half transparent.
    fn image(&self, place: Place) -> String {
        let mut pixmap = Pixmap::new(2, 2).expect("memory");
        let pixels = [([200, 40, 60], 255), ([0, 0, 0], 255), ([255, 255, 255], 255), ([40, 120, 240], 128)];
        for (pixel, (color, alpha)) in pixmap.pixels_mut().iter_mut().zip(pixels) {
            let [red, green, blue] = self.rgb(place, color);
            *pixel = tiny_skia::ColorU8::from_rgba(red, green, blue, alpha).premultiply();
        }
        let mut png = Vec::new();
        PngEncoder::new().encode(&pixmap, Compress::Balanced, &mut png).expect("a PNG");
        let mut url = String::new();
        data_url_of("image/png", &png, &mut url);
        url
    }

    /// The drawing. `turn` is the transform of its groups.
    fn svg(&self, turn: &str) -> String {
        let linear = self.shared(|place| {
            format!(
                "<linearGradient id='{}' gradientUnits='userSpaceOnUse' x1='0' x2='90'>\
                 <stop stop-color='{}'/><stop offset='0.5' stop-color='{}'/>\
                 <stop offset='1' stop-color='{}' stop-opacity='0.3'/></linearGradient>",
                self.id("linear", place),
                self.hex(place, [255, 255, 255]),
                self.hex(place, [200, 30, 90]),
                self.hex(place, [0, 60, 120]),
            )
        });
        let pattern = self.shared(|place| {
            format!(
                "<pattern id='{}' width='8' height='8' patternUnits='userSpaceOnUse'>\
                 <rect width='8' height='8' fill='{}'/><circle cx='4' cy='4' r='3' fill='url(#{})' opacity='0.8'/></pattern>",
                self.id("dots", place),
                self.hex(place, [240, 230, 90]),
                self.id("linear", place),
            )
        });
        // What a mask has in it decides on what is seen, and keeps its colours.
        let defs = "<mask id='veil'><rect width='90' height='60' fill='#fff'/><circle cx='45' cy='10' r='9' fill='#777'/></mask>\
                    <filter id='halo'><feFlood flood-color='#2080ff'/><feComposite in2='SourceAlpha' operator='in'/>\
                    <feOffset dx='2' dy='2'/><feMerge><feMergeNode/><feMergeNode in='SourceGraphic'/></feMerge></filter>";
        let part = |place: Place, y: usize| {
            let hex = |color: Rgb| self.hex(place, color);
            let mut out = String::new();
            let _ = write!(
                out,
                "<path d='M2 {y}h12v12h-12z' fill='{}' stroke='{}' stroke-width='2' fill-opacity='0.7'/>\
                 <rect x='18' y='{y}' width='20' height='12' fill='url(#{})' stroke='url(#{})'/>\
                 <rect x='42' y='{y}' width='12' height='12' fill='url(#{})'/>\
                 <image x='58' y='{y}' width='8' height='8' style='image-rendering:pixelated' href='{}'/>\
                 <g style='mix-blend-mode:multiply'><circle cx='72' cy='{y}' r='5' fill='{}'/></g>\
                 <circle cx='82' cy='{}' r='5' fill='{}' filter='url(#halo)'/>",
                hex([220, 120, 20]),
                hex([0, 0, 0]),
                self.id("linear", place),
                self.id("linear", place),
                self.id("dots", place),
                self.image(place),
                hex([120, 200, 255]),
                y + 6,
                hex([250, 250, 0]),
            );
            out
        };
        let clone = |place: Place| match self.tinted {
            // What a clone shows is as it is where the clone is.
            true => {
                format!(
                    "<path transform='translate(74 40)' d='M0 0h9v6h-9z' fill='{}'/>",
                    self.hex(place, [90, 90, 200])
                )
            }
            false => "<use href='#tile' transform='translate(74 40)'/>".to_owned(),
        };
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'>\
             <defs>{linear}{pattern}{defs}<path id='tile' d='M0 0h9v6h-9z' fill='#5a5ac8'/></defs>\
             <rect width='90' height='60' fill='#ddd'/>{}\
             <g id='outer' transform='{turn}' mask='url(#veil)'>{}<g id='inner' opacity='0.9'>{}{}</g></g></svg>",
            part(Outside, 2),
            part(Outer, 20),
            part(Inner, 40),
            clone(Inner),
        )
    }
}

fn hex(color: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2])
}

/// The drawing with a clip that tints both groups from its second half on.
fn player(turn: &str) -> Player {
    let keyed = |Ink(tint, shade): Ink| {
        format!(
            "(tint: [(0, \"white\", Hold), (1, \"{}\")], shade: [(0, \"black\", Hold), (1, \"{}\")])",
            hex(tint),
            hex(shade)
        )
    };
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 2, clips: {{\"tint\": (length: 2, loop: false, art: {{\n\
         \"outer\": {}, \"inner\": {}}})}})",
        keyed(OUTER),
        keyed(INNER)
    );
    let files = InMemory::new().with("it.svg", Colors { tinted: false }.svg(turn)).with("it.ron", rig);
    Player::load(Path::new("it.ron"), Arc::new(files))
}

/// The largest difference of two pictures, in levels.
fn apart(a: &Pixmap, b: &Pixmap) -> u8 {
    difference(a, b).largest
}

#[test]
fn tinted_art_is_drawn_in_the_colours_of_the_formula() {
    for turn in ["", "translate(3 1) rotate(4)"] {
        let player = player(turn);
        let mut state = FrameState::new(&player.rig);
        for scale in [1.0, 3.0] {
            let before = player.draw(player.clip(Some("tint")), 1, scale, &mut state);
            let mut after = Pixmap::new(1, 1).expect("memory");
            let report = player.draw_into(player.clip(Some("tint")), 2, scale, &mut state, &mut after);
            assert!(!report.fell_back, "all of it is drawn by the renderer");
            let size = FrameSize::new(after.width(), after.height()).expect("a size");
            let plain = by_resvg(&Colors { tinted: false }.svg(turn), size);
            let tinted = by_resvg(&Colors { tinted: true }.svg(turn), size);
            assert!(apart(&plain, &tinted) > 100, "it is seen");
            assert_eq!(apart(&before, &plain), 0, "white and black change nothing");
            let off = apart(&after, &tinted);
            assert!(off <= 2, "{off} levels, {turn}, {scale}");
        }
    }
}

/// What is kept from frame to frame does not show: frames in another order have the same pixels.
#[test]
fn a_tinted_frame_alone_is_the_same_frame() {
    let player = player("");
    let clip = player.clip(Some("tint"));
    let mut state = FrameState::new(&player.rig);
    let all: Vec<Pixmap> = [2, 1, 2].map(|frame| player.draw(clip, frame, 2.0, &mut state)).into();
    let alone = player.draw(clip, 2, 2.0, &mut FrameState::new(&player.rig));
    assert!(all[0] == alone && all[2] == alone && all[1] != alone);
}

#[test]
fn the_written_drawing_has_the_colours() {
    let player = player("");
    let mut state = FrameState::new(&player.rig);
    let drawn = player.draw(player.clip(Some("tint")), 2, 3.0, &mut state);
    player.pose(player.clip(Some("tint")), 2, &mut state);
    player.rig.write_svg(&mut state);
    let size = FrameSize::new(drawn.width(), drawn.height()).expect("a size");
    let off = apart(&by_resvg(state.svg(), size), &drawn);
    assert!(off <= 3, "{off} levels");
    assert!(state.svg().contains("feColorMatrix"), "the image keeps its file");
}

/// Halfway between two keys every component is halfway, and drivers set it.
#[test]
fn tints_are_eased_and_driven() {
    let rig = "Rig(version: 1, drawing: \"it.svg\", fps: 2,
        bones: {\"dial\": (from: (0, 0), to: (9, 0))},
        drivers: [(bone: \"dial\", art: {\"b\": (tint: [(0, \"white\", Linear), (90, \"#00ff00\")])})],
        clips: {\"c\": (length: 1, loop: false,
            bones: {\"dial\": (rotate: [(0, 0, Linear), (1, 90)])},
            art: {\"a\": (tint: [(0, \"#ff0000\", Linear), (1, \"#0000ff\")])})})";
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='9'>\
               <path id='a' d='M0 0h9v9h-9z' fill='#fff'/><path id='b' d='M10 0h9v9h-9z' fill='#fff'/></svg>";
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    let loaded = load("it.ron".as_ref(), Arc::new(files), &no_fonts);
    let rig = loaded.rig.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let mut state = FrameState::new(&rig);
    rig.pose(rig.clip("c"), 0.5, &mut state).expect("a pose");
    rig.write_svg(&mut state);
    assert!(state.svg().contains("fill=\"#800080\""), "{}", state.svg());
    assert!(state.svg().contains("fill=\"#80ff80\""), "{}", state.svg());
}
