//! Sixty drawings in the habits of real art, bent at an elbow: what touches at rest has the same weights and
//! stays together. The drawings are made here, each from its number.
//!
//! With `SHEET=folder` a contact sheet for each habit is written there: a drawing a row, at rest and in its bends.

use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use bone_format::{InMemory, Loaded, PathWeightSource, load, no_fonts, weights_of};
use bone_layer_tests::picture::contact_sheet;
use bone_layer_tests::player::Player;
use bone_render::Pixmap;
use bone_rig::FrameState;
use kurbo::{BezPath, ParamCurve, ParamCurveNearest, Point, Vec2};

/// The elbow bends by so many degrees in the frames of the clip.
const BENDS: [f64; 4] = [45.0, 90.0, 135.0, -90.0];
const SIZE: f64 = 420.0;
/// Drawings of each habit.
const VARIANTS: usize = 6;

/// Art that touches other art: the names of both, and points at which they touch.
struct Touch {
    art: [String; 2],
    points: Vec<Point>,
    /// The distance of the outlines there.
    gap: f64,
}

/// A drawing with its bindings.
struct Scene {
    name: String,
    body: String,
    skin: Vec<String>,
    touches: Vec<Touch>,
}

/// A small generator of numbers from 0 to 1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A closed smooth outline through points, as path data with so many digits.
fn spline(points: &[Point], digits: usize) -> String {
    let count = points.len();
    let at = |i: usize| points[i % count];
    let tangent = |i: usize| (at(i + 1) - at(i + count - 1)) / 6.0;
    let mut data = format!("M{:.digits$} {:.digits$}", at(0).x, at(0).y);
    for i in 0..count {
        let (a, b, c) = (at(i) + tangent(i), at(i + 1) - tangent((i + 1) % count), at(i + 1));
        data += &format!(
            "C{:.digits$} {:.digits$} {:.digits$} {:.digits$} {:.digits$} {:.digits$}",
            a.x, a.y, b.x, b.y, c.x, c.y
        );
    }
    data + "Z"
}

/// A limb about the line from (60, y) to (300, y): points of its outline with the directions outwards.
struct Limb {
    y: f64,
    widths: Vec<f64>,
}

impl Limb {
    fn new(y: f64, chance: &mut Chance) -> Self {
        Self { y, widths: (0..7).map(|_| chance.within(15.0, 26.0)).collect() }
    }

    /// The outline, grown by a distance.
    fn outline(&self, grown: f64) -> Vec<Point> {
        let stations = self.widths.iter().enumerate().map(|(i, w)| (60.0 + 40.0 * i as f64, *w));
        let upper: Vec<Point> = stations.clone().map(|(x, w)| Point::new(x, self.y - w - grown)).collect();
        let lower = stations.rev().map(|(x, w)| Point::new(x, self.y + w + grown));
        let cap = |x: f64| Point::new(x, self.y);
        let mut all = vec![cap(44.0 - grown)];
        all.extend(upper);
        all.push(cap(316.0 + grown));
        all.extend(lower);
        all
    }
}

fn path(data: &str) -> BezPath {
    BezPath::from_svg(data).expect("path data")
}

/// Points along an outline.
fn along(data: &str) -> Vec<Point> {
    path(data).segments().flat_map(|side| [0.0, 0.23, 0.5, 0.81].map(|t| side.eval(t))).collect()
}

fn touch(a: &str, b: &str, points: Vec<Point>, gap: f64) -> Touch {
    Touch { art: [a.to_owned(), b.to_owned()], points, gap }
}

/// The habits, each with the art of one limb.
fn scene(habit: usize, variant: usize) -> Scene {
    let mut chance = Chance((habit * 31 + variant * 7 + 1) as u64);
    let limb = Limb::new(200.0, &mut chance);
    let colour = spline(&limb.outline(0.0), 3);
    let width = chance.within(2.0, 6.0);
    let one = |name: &str| format!("Smooth(art: \"{name}\", bones: [\"upper\", \"fore\"])");
    // Ink is a ring; a limb that folds covers itself twice.
    let fill = |name: &str, colour: &str, data: &str| {
        let rule = if name.starts_with("ink") { "evenodd" } else { "nonzero" };
        format!("<path id=\"{name}\" fill=\"{colour}\" fill-rule=\"{rule}\" d=\"{data}\"/>")
    };
    let ring = |gap: f64, digits: usize| {
        spline(&limb.outline(gap + width), digits) + &spline(&limb.outline(gap), digits)
    };
    let (skin_tone, dark) = ("#e8a87c", "#41222a");
    let mut touches = Vec::new();
    let (title, body, skin) = match habit {
        0 => {
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            let art = fill("colour", skin_tone, &colour) + &fill("ink", dark, &ring(0.0, 3));
            ("ink and colour in one group", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        1 => {
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            let (below, above) = (fill("colour", skin_tone, &colour), fill("ink", dark, &ring(0.0, 3)));
            let body = format!("<g id=\"colours\">{below}</g><g id=\"inks\">{above}</g>");
            ("ink and colour in two groups", body, vec![one("colours"), one("inks")])
        }
        2 => {
            // Rounded to a tenth, each by itself.
            touches.push(touch("colour", "ink", along(&colour), 0.12));
            let art = fill("colour", skin_tone, &spline(&limb.outline(0.0), 1))
                + &fill("ink", dark, &ring(0.04, 1));
            ("expanded strokes, rounded", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        3 => {
            // Two bars along the limb, one above the other, bound one by one.
            let y = limb.y + chance.within(-6.0, 6.0);
            let bar = |top: f64, low: f64| format!("M50 {top}H310V{low}H50Z");
            let edge = (0..60).map(|i| Point::new(52.0 + 4.3 * f64::from(i), y)).collect();
            touches.push(touch("above", "below", edge, 0.0));
            let art =
                fill("above", skin_tone, &bar(y - 24.0, y)) + &fill("below", "#b8604d", &bar(y, y + 20.0));
            ("neighbours bound one by one", art, vec![one("above"), one("below")])
        }
        4 => {
            // One edge across the limb's length that each side cuts at other places.
            let edge = kurbo::CubicBez::new((50.0, 200.0), (130.0, 180.0), (230.0, 222.0), (310.0, 196.0));
            let half = |cuts: &[f64], y: f64| {
                let mut data = format!("M{:.3} {:.3}", edge.p0.x, edge.p0.y);
                let (mut from, ends) = (0.0, cuts.iter().copied().chain([1.0]));
                for to in ends {
                    let c = edge.subsegment(from..to);
                    data += &format!(
                        "C{:.3} {:.3} {:.3} {:.3} {:.3} {:.3}",
                        c.p1.x, c.p1.y, c.p2.x, c.p2.y, c.p3.x, c.p3.y
                    );
                    from = to;
                }
                data + &format!("V{y}H50Z")
            };
            let cut = chance.within(0.3, 0.45);
            let points = (1..60).map(|i| edge.eval(f64::from(i) / 60.0)).collect();
            touches.push(touch("light", "shade", points, 0.01));
            let art = fill("light", skin_tone, &half(&[cut], 172.0))
                + &fill("shade", "#b8604d", &half(&[0.5, 0.8], 226.0));
            ("an edge cut at other places", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        5 => {
            let clip = format!("<clipPath id=\"cut\"><path id=\"mould\" d=\"{colour}\"/></clipPath>");
            let x = chance.within(90.0, 150.0);
            let shade = format!("M{x} 150L{} 150L{} 260L{} 260Z", x + 60.0, x + 130.0, x + 40.0);
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            let art = fill("colour", skin_tone, &colour)
                + &format!("<g clip-path=\"url(#cut)\">{}</g>", fill("shade", "#b8604d", &shade))
                + &fill("ink", dark, &ring(0.0, 3));
            ("shade in a clip path", format!("{clip}<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        6 => {
            // A second limb across the first, with bones of its own.
            let other = Limb::new(180.0 + chance.within(20.0, 60.0), &mut chance);
            let second = spline(&other.outline(0.0), 3);
            let inks = |name: &str, limb: &Limb, outline: &str| {
                let ring = spline(&limb.outline(width), 3) + outline;
                fill(&format!("colour{name}"), skin_tone, outline) + &fill(&format!("ink{name}"), dark, &ring)
            };
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            touches.push(touch("colour2", "ink2", along(&second), 0.0));
            let body = format!(
                "<g id=\"first\">{}</g><g id=\"second\">{}</g>",
                inks("", &limb, &colour),
                inks("2", &other, &second)
            );
            let second = "Smooth(art: \"second\", bones: [\"upper2\", \"fore2\"])".to_owned();
            ("overlapping limbs", body, vec![one("first"), second])
        }
        7 => {
            let gap = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4][variant % 6];
            touches.push(touch("colour", "ink", along(&colour), gap));
            let art = fill("colour", skin_tone, &colour) + &fill("ink", dark, &ring(gap, 3));
            ("gaps", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        8 => {
            let mut art = fill("colour", skin_tone, &colour);
            for i in 0..240 {
                let (x, y) = (chance.within(64.0, 296.0), chance.within(188.0, 212.0));
                let r = chance.within(0.6, 2.2);
                art += &format!(
                    "<circle id=\"spot{i}\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{r:.2}\" fill=\"{dark}\"/>"
                );
            }
            art += &fill("ink", dark, &ring(0.0, 3));
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            ("hundreds of spots", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
        _ => {
            let mut hairs = String::new();
            for i in 0..40 {
                let (x, y) = (chance.within(70.0, 280.0), limb.y + if i % 2 == 0 { -13.0 } else { 13.0 });
                let way = Vec2::new(chance.within(8.0, 20.0), (y - limb.y) * chance.within(0.7, 1.6));
                hairs += &format!(
                    "<path id=\"hair{i}\" fill=\"none\" stroke=\"{dark}\" stroke-width=\"1.2\" d=\"M{x:.2} {y:.2}q{:.2} {:.2} {:.2} {:.2}\"/>",
                    way.x * 0.2,
                    way.y * 0.8,
                    way.x,
                    way.y
                );
            }
            touches.push(touch("colour", "ink", along(&colour), 0.0));
            let art = fill("colour", skin_tone, &colour) + &fill("ink", dark, &ring(0.0, 3)) + &hairs;
            ("hair strokes", format!("<g id=\"limb\">{art}</g>"), vec![one("limb")])
        }
    };
    Scene { name: format!("{title} {variant}"), body, skin, touches }
}

fn scenes() -> impl Iterator<Item = Scene> {
    (0..10).flat_map(|habit| (0..VARIANTS).map(move |variant| scene(habit, variant)))
}

fn files(scene: &Scene) -> InMemory {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIZE}\" height=\"{SIZE}\" viewBox=\"0 0 {SIZE} {SIZE}\">{}</svg>",
        scene.body
    );
    let keys = |bone: &str| {
        let keys: Vec<String> =
            BENDS.iter().enumerate().map(|(i, bend)| format!("({i}, {bend}, Hold)")).collect();
        format!("\"{bone}\": (rotate: [{}])", keys.join(", "))
    };
    let [first, second] = [("", 200.0), ("2", 220.0)].map(|(name, y)| {
        format!(
            "\"upper{name}\": (from: (60, {y}), to: (180, {y})), \"fore{name}\": (parent: \"upper{name}\", to: (300, {y})),"
        )
    });
    let has_second = scene.skin.iter().any(|binding| binding.contains("upper2"));
    let (second, more) = if has_second { (second, keys("fore2")) } else { Default::default() };
    let rig = format!(
        "Rig(version: 1, drawing: \"art.svg\", fps: 1, bones: {{ {first} {second} }}, skin: [{}], \
         clips: {{ \"bend\": (length: 3, bones: {{ {}, {more} }}) }})",
        scene.skin.join(", "),
        keys("fore"),
    );
    InMemory::new().with("rig.ron", rig).with("art.svg", svg)
}

/// The weights of all art of a scene.
fn weights(scene: &Scene) -> Vec<(String, PathWeightSource)> {
    let Loaded { rig, doc, diagnostics, .. } = load(Path::new("rig.ron"), Arc::new(files(scene)), &no_fonts);
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(messages.is_empty(), "{}: {messages:#?}", scene.name);
    let (rig, doc) = (rig.expect("a rig"), doc.expect("a document"));
    let mut all = Vec::new();
    for binding in &doc.skin {
        for path in weights_of(binding, (&doc, rig.art()), rig.skeleton()) {
            all.push((rig.art().shown_name(path.art.element()), path.before));
        }
    }
    all
}

/// The weights of the bones at a point of art.
fn weights_at(all: &[(String, PathWeightSource)], art: &str, at: Point) -> Vec<f64> {
    let (_, source) =
        all.iter().find(|(name, _)| name == art).unwrap_or_else(|| panic!("{art} is not bound"));
    match source {
        PathWeightSource::Found(field) => {
            let mut weights = vec![0.0; field.bones().len()];
            field.weights_at(at, &mut weights);
            weights
        }
        PathWeightSource::Typed(_) => panic!("{art} has typed weights"),
    }
}

#[test]
fn weights_agree_where_art_touches() {
    let mut worst = 0.0_f64;
    for scene in scenes() {
        let all = weights(&scene);
        for touch in &scene.touches {
            for at in &touch.points {
                // Across the edge: the gap to either side.
                let around = [Vec2::ZERO, Vec2::new(touch.gap, 0.0), Vec2::new(0.0, touch.gap)];
                for by in around.into_iter().flat_map(|by| [by, -by]) {
                    let a = weights_at(&all, &touch.art[0], *at);
                    let b = weights_at(&all, &touch.art[1], *at + by);
                    let jump = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    worst = worst.max(jump);
                    assert!(jump <= 0.02, "{}: weights jump by {jump:.3} at {at:?}", scene.name);
                }
            }
        }
    }
    println!("weights jump by at most {worst:.4} where art touches");
}

/// Shade that reaches far beyond the clip path that cuts it is seen on the limb alone: ink and colour have the
/// weights that they have without it.
#[test]
fn what_a_clip_path_hides_has_no_part_in_the_weights() {
    let mut worst = 0.0_f64;
    for variant in 0..VARIANTS {
        let with = scene(5, variant);
        let mut without = scene(5, variant);
        let (from, end) = (without.body.find("<g clip-path"), without.body.find("</g><path id=\"ink"));
        let (from, end) = (from.expect("a clipped group"), end.expect("its end"));
        without.body.replace_range(from..end + 4, "");
        let [a, b] = [&with, &without].map(weights);
        for at in &with.touches[0].points {
            let [a, b] = [&a, &b].map(|all| weights_at(all, "ink", *at));
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            worst = worst.max(off);
            assert!(off <= 0.02, "{}: weights differ by {off:.3} at {at:?}", with.name);
        }
    }
    println!("weights with and without the shade differ by at most {worst:.4}");
}

fn off(path: &BezPath, point: Point) -> f64 {
    path.segments().map(|s| s.nearest(point, 1e-6).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

/// The points of touches are carried by the skin of both: the posed outlines are as near as at rest.
#[test]
fn what_touches_stays_together() {
    let mut worst = 0.0_f64;
    for scene in scenes() {
        let player = Player::load(Path::new("rig.ron"), Arc::new(files(&scene)));
        let clip = player.clip(Some("bend"));
        let mut state = FrameState::new(&player.rig);
        let names: Vec<String> =
            player.rig.posed_elements().iter().map(|element| player.rig.art().shown_name(*element)).collect();
        let place = |art: &str| names.iter().position(|name| name == art).expect("posed art");
        for touch in &scene.touches {
            let [a, b] = [&touch.art[0], &touch.art[1]].map(|art| place(art));
            player.rig.pose(None, 0.0, &mut state).expect("no loop");
            let rest = state.posed().paths()[a].clone();
            // Where on its segment each point lies, to find it again.
            let places: Vec<(usize, f64)> = touch
                .points
                .iter()
                .map(|at| {
                    let near = rest.segments().map(|s| s.nearest(*at, 1e-9)).enumerate();
                    let (segment, near) =
                        near.min_by(|a, b| a.1.distance_sq.total_cmp(&b.1.distance_sq)).expect("a segment");
                    (segment, near.t)
                })
                .collect();
            for (frame, bend) in BENDS.iter().enumerate() {
                player.pose(clip, frame as u64, &mut state);
                let (one, other) = (&state.posed().paths()[a], &state.posed().paths()[b]);
                // Where a fold is taken out, outlines beside each other meet at a sharper angle.
                let half = Angle::from_degrees(0.5 * (180.0 - bend.abs())).sin_cos().0;
                let gap = touch.gap / half;
                for (segment, t) in &places {
                    let at = one.segments().nth(*segment).expect("the same pieces").eval(*t);
                    let apart = off(other, at);
                    worst = worst.max(apart - gap);
                    assert!(
                        apart <= gap + 0.35,
                        "{} at {bend} degrees: {apart:.3} apart at {at:?}",
                        scene.name
                    );
                }
            }
        }
    }
    println!("posed edges are at most {worst:.3} farther apart than at rest");
}

/// White pixels that no path over white joins to the border of the picture.
fn enclosed(picture: &Pixmap) -> usize {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let white: Vec<bool> =
        picture.pixels().iter().map(|p| p.red() == 255 && p.green() == 255 && p.blue() == 255).collect();
    let mut outside = vec![false; white.len()];
    let mut stack: Vec<usize> =
        (0..width).chain((0..height).map(|y| y * width)).filter(|at| white[*at]).collect();
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut outside[at], true) {
            continue;
        }
        let (x, y) = (at % width, at / width);
        let beside = [
            (x > 0, at.wrapping_sub(1)),
            (x + 1 < width, at + 1),
            (y > 0, at.wrapping_sub(width)),
            (y + 1 < height, at + width),
        ];
        stack.extend(
            beside.into_iter().filter(|(is, at)| *is && white[*at] && !outside[*at]).map(|(_, at)| at),
        );
    }
    white.iter().zip(&outside).filter(|(white, outside)| **white && !**outside).count()
}

/// No white shows between ink and colour.
#[test]
fn no_tear_and_no_crescent_shows() {
    /// Pixels at the crease of an elbow: a two-hundredth of a limb's breadth squared.
    const FOLD: usize = 30;
    let folder = std::env::var("SHEET").ok();
    let (mut most, mut wrong) = (0, Vec::new());
    let mut rows = Vec::new();
    for (number, scene) in scenes().enumerate() {
        let player = Player::load(Path::new("rig.ron"), Arc::new(files(&scene)));
        let clip = player.clip(Some("bend"));
        let mut state = FrameState::new(&player.rig);
        let rest = player.draw(None, 0, 2.0, &mut state);
        let at_rest = enclosed(&rest);
        let mut row = vec![rest];
        for (frame, bend) in BENDS.iter().enumerate() {
            let picture = player.draw(clip, frame as u64, 2.0, &mut state);
            let white = enclosed(&picture);
            row.push(picture);
            // Hairs cross each other anew.
            let free = if scene.name.starts_with("hair") { 400 } else { FOLD };
            if free == FOLD {
                most = most.max(white.saturating_sub(at_rest));
            }
            if white > at_rest + free {
                wrong.push(format!(
                    "{number} {} at {bend} degrees: {white} pixels, {at_rest} at rest",
                    scene.name
                ));
            }
        }
        if let Some(folder) = &folder {
            rows.push(row);
            if rows.len() == VARIANTS {
                let file = Path::new(folder).join(format!("habit_{}.png", number / VARIANTS));
                contact_sheet(&rows, 0.5).save_png(file).expect("a writable folder");
                rows.clear();
            }
        }
    }
    println!("at most {most} white pixels inside what is closed at rest");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
