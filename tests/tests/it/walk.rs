//! Drawing from the render tree, compared with drawing the SVG text with resvg: no pixel differs, for small
//! drawings of every feature in several poses, and for all rigs.

use bone_drawing::{Drawing, Frame};
use bone_layer_tests::files::{below, good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_layer_tests::poses::{poses, read};
use bone_render::{
    Background, DrawReport, FrameOptions, FrameSize, Pixmap, Precision, Raster, Renderer, write_svg,
};
use bone_rig::{FrameState, RigClip};

/// Drawings of which pixels differ, how many at most in any frame, and why.
const EXCEPTIONS: [(&str, usize, &str); 0] = [];

/// How many pixels differ most in the frames of a drawing, and what fell back to text.
#[derive(Debug, Default)]
struct Judged {
    frames: usize,
    differ: usize,
    fell_back: usize,
    groups_by_resvg: usize,
}

/// By how many levels two pictures differ at most.
fn levels_apart(a: &Pixmap, b: &Pixmap) -> usize {
    a.data().iter().zip(b.data()).map(|(a, b)| a.abs_diff(*b).into()).max().unwrap_or(0)
}

fn differing(a: &Pixmap, b: &Pixmap) -> usize {
    a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

fn judge(art: &Drawing, name: &str, wrong: &mut Vec<String>) -> Judged {
    let mut judged = Judged::default();
    let (mut renderer, mut numbers) = (Renderer::new(), Frame::default());
    for pose in poses(art) {
        let posable = pose.posable(art);
        let drawing = posable.drawing();
        for (scale, background) in [(1.0, None), (2.3, Some(Background { rgba: [250, 240, 255, 255] }))] {
            let size = FrameSize::from_scale(art.size(), scale).expect("a usable size");
            let options = FrameOptions { size, background };
            let (mut drawn_pixels, mut by_text) =
                (Pixmap::new(1, 1).expect("memory"), Pixmap::new(1, 1).expect("memory"));
            for frame in [0, 1, 1, 2, 3, 4] {
                pose.moved(frame).frame(&posable, &mut numbers);
                let mut svg = String::new();
                write_svg(drawing, &numbers, Precision::Exact, &mut svg);
                Raster::default().draw(&svg, &options, &mut by_text).expect("a picture");
                let drawn = renderer.draw(drawing, &numbers, &options, &mut drawn_pixels).expect("a picture");
                let DrawReport { groups_by_resvg, fell_back, .. } = drawn;
                let differ = differing(&drawn_pixels, &by_text);
                judged.frames += 1;
                judged.differ = judged.differ.max(differ);
                judged.fell_back += usize::from(fell_back);
                judged.groups_by_resvg += groups_by_resvg;
                let allowed =
                    EXCEPTIONS.iter().find(|(of, ..)| *of == name).map_or(0, |(_, count, _)| *count);
                if differ > allowed {
                    wrong.push(format!("{name}: {}, frame {frame} at {scale}: {differ} pixels", pose.name));
                }
            }
        }
    }
    judged
}

/// Two tests, so that two processors are used.
#[test]
fn small_drawings_are_drawn_as_resvg_draws_them() {
    compare_drawings(0);
}

#[test]
fn other_small_drawings_are_drawn_as_resvg_draws_them() {
    compare_drawings(1);
}

/// Every second drawing.
fn compare_drawings(first: usize) {
    let mut drawings = below("tests/svg", "svg");
    drawings.sort();
    assert!(drawings.len() >= 80, "{} drawings", drawings.len());
    let mut drawings: Vec<_> = drawings.into_iter().skip(first).step_by(2).collect();
    let only = std::env::var("ONLY").ok();
    drawings.retain(|path| only.as_ref().is_none_or(|only| shown(path).contains(only.as_str())));
    let (mut wrong, mut frames, mut by_text) = (Vec::new(), 0, Vec::new());
    for path in &drawings {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let judged = judge(&read(path), &name, &mut wrong);
        frames += judged.frames;
        if judged.fell_back > 0 {
            by_text.push(format!("{name}: {} of {} frames", judged.fell_back, judged.frames));
        }
        let left_to_resvg = ["filter-colours", "filter-turbulence", "image-gif"].contains(&name.as_str());
        assert_eq!(judged.groups_by_resvg > 0, left_to_resvg, "{name}: {judged:?}");
    }
    println!("{} drawings, {frames} frames", drawings.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(by_text.is_empty(), "fell back to resvg:\n{}", by_text.join("\n"));
}

#[test]
fn rigs_are_drawn_as_resvg_draws_them() {
    compare_rigs(0);
}

#[test]
fn other_rigs_are_drawn_as_resvg_draws_them() {
    compare_rigs(1);
}

/// Every second rig.
fn compare_rigs(first: usize) {
    let mut compared = 0;
    for rig in good_rigs().into_iter().skip(first).step_by(2) {
        let player = Player::open(&rig);
        let (mut state, mut drawn_pixels) =
            (FrameState::new(&player.rig), Pixmap::new(1, 1).expect("memory"));
        let moments = player.moments();
        let step = moments.len().div_ceil(7).max(1);
        for (clip, number) in moments.into_iter().step_by(step) {
            let by_text = player.draw_by_text(clip, number, 0.8, &mut state);
            let drawn = player.draw_into(clip, number, 0.8, &mut state, &mut drawn_pixels);
            let differ = match rig.ends_with("tint.ron") {
                // resvg cuts the fractions of the colours of a filtered image, which are rounded here: in two steps of the way.
                true => levels_apart(&drawn_pixels, &by_text).saturating_sub(2),
                false => differing(&drawn_pixels, &by_text),
            };
            let name = clip.map_or("setup", RigClip::name);
            assert_eq!(differ, 0, "{}: frame {number} of {name}", shown(&rig));
            assert!(!drawn.fell_back, "{}: frame {number} of {name} fell back to resvg", shown(&rig));
            compared += 1;
        }
    }
    println!("{compared} frames");
}
