//! Drawing without a text, against drawing from the text: no pixel differs, over small drawings of every feature in
//! several poses, and over all rigs.

use std::path::Path;

use bone_layer_tests::files::{below, good_rigs, shown};
use bone_layer_tests::player::Player;
use kurbo::{Affine, BezPath, PathEl, Point};
use render::{
    Art, Background, Drawn, ElementId, FrameOptions, FrameSize, Given, Look, Pixmap, PosedArt, Presence,
    Raster, Resources, Template, Walker,
};
use rig::{FrameState, SceneClip};

/// Drawings of which pixels differ, how many at most in any frame, and why.
const EXCEPTIONS: [(&str, usize, &str); 0] = [];

/// How much a frame is moved: none of these numbers is round.
fn amount(frame: usize) -> f64 {
    [0.0, 0.37, -0.61, 0.93, 0.37][frame % 5]
}

/// Turns, scales and shifts a little, without trigonometry.
fn turn(frame: usize, which: usize) -> Affine {
    let t = amount(frame) * if which.is_multiple_of(2) { 1.0 } else { -0.7 };
    let about = Affine::translate((-32.0, -32.0));
    let turned = Affine::new([1.0 - 0.11 * t * t, 0.35 * t, -0.33 * t, 1.0 + 0.07 * t, 0.0, 0.0]);
    Affine::translate((32.0 + 5.3 * t, 32.0 - 3.1 * t)) * turned * about
}

/// Bends the canvas: no affine map does this.
fn bend(p: Point, t: f64) -> Point {
    Point::new(p.x + t * (0.004 * p.y * p.y - 3.0), p.y - t * 0.003 * p.x * p.x + 2.0 * t)
}

fn bent(path: &BezPath, t: f64) -> BezPath {
    let map = |element: PathEl| match element {
        PathEl::MoveTo(p) => PathEl::MoveTo(bend(p, t)),
        PathEl::LineTo(p) => PathEl::LineTo(bend(p, t)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(bend(a, t), bend(p, t)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(bend(a, t), bend(b, t), bend(p, t)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.iter().map(map).collect()
}

/// What moves in a drawing, and how.
struct Pose {
    name: &'static str,
    rigid: Vec<ElementId>,
    posed: Vec<PosedArt>,
    outlines: Vec<BezPath>,
    present: Vec<ElementId>,
}

/// The drawn elements of the first level, or below it.
fn drawn(art: &Art, below: bool) -> Vec<ElementId> {
    let is = |id: &ElementId| art.element(*id).is_some_and(|element| element.parent.is_some() == below);
    let template = |id: &ElementId| Template::new(art, &[*id], &[]).is_ok();
    art.ids().filter(is).filter(template).collect()
}

fn poses(art: &Art) -> Vec<Pose> {
    let (first, deeper) = (drawn(art, false), drawn(art, true));
    let paths: Vec<ElementId> = art.ids().filter(|id| art.outline(*id).is_some()).collect();
    let stencils = art.stencils(|_| true);
    let outlines = paths.iter().filter_map(|id| art.outline(*id)).map(|outline| outline.path.clone());
    let outlines: Vec<BezPath> =
        outlines.chain(stencils.iter().map(|stencil| stencil.outline.path.clone())).collect();
    let posed = paths.iter().copied().map(PosedArt::Path);
    let posed: Vec<PosedArt> = posed.chain(stencils.iter().cloned().map(PosedArt::Stencil)).collect();
    let pose = |name, rigid: &[ElementId], bends: bool, present: &[ElementId]| Pose {
        name,
        rigid: rigid.to_vec(),
        posed: if bends { posed.clone() } else { Vec::new() },
        outlines: if bends { outlines.clone() } else { Vec::new() },
        present: present.to_vec(),
    };
    let last: Vec<ElementId> = first.last().copied().into_iter().collect();
    let lowest: Vec<ElementId> = first.first().copied().into_iter().collect();
    vec![
        pose("rest", &[], false, &[]),
        pose("last turned", &last, false, &[]),
        pose("lowest turned", &lowest, false, &[]),
        pose("all turned", &[first.clone(), deeper.clone()].concat(), false, &[]),
        pose("bent", &[], true, &[]),
        pose("bent and turned", &last, true, &[]),
        pose("come and gone", &last, true, &[first, deeper].concat()),
    ]
}

fn presence(frame: usize, which: usize) -> Presence {
    let opacity = [1.0, 0.43, 1.0, 0.0, 0.77][(frame + which) % 5];
    Presence { visible: (frame + 2 * which) % 7 != 3, opacity, order: [0.0, -1.0, 2.0][(which + frame) % 3] }
}

/// How many pixels differ most in the frames of a drawing, and what fell back to text.
#[derive(Debug, Default)]
struct Judged {
    frames: usize,
    differ: usize,
    whole_by_text: usize,
    groups_by_text: usize,
}

fn differing(a: &Pixmap, b: &Pixmap) -> usize {
    a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

fn judge(art: &Art, name: &str, wrong: &mut Vec<String>) -> Judged {
    let mut judged = Judged::default();
    let mut walker = Walker::new();
    for pose in poses(art) {
        let template = Template::with_presence(art, &pose.rigid, &pose.posed, &pose.present)
            .unwrap_or_else(|error| panic!("{name}: {}: {error}", pose.name));
        for (scale, background) in [(1.0, None), (2.3, Some(Background { rgba: [250, 240, 255, 255] }))] {
            let size = FrameSize::from_scale(art.size(), scale).expect("a usable size");
            let options = FrameOptions { size, background };
            let (mut walked, mut by_text) =
                (Pixmap::new(1, 1).expect("memory"), Pixmap::new(1, 1).expect("memory"));
            for frame in [0, 1, 1, 2, 3, 4] {
                let t = amount(frame);
                let rigid: Vec<Affine> = (0..pose.rigid.len()).map(|k| turn(frame, k)).collect();
                let outlines: Vec<BezPath> = pose.outlines.iter().map(|path| bent(path, t)).collect();
                let look = Look { paint: Some(turn(frame, 1)), stroke: Some(1.0 + 0.6 * t) };
                let looks = vec![look; outlines.len()];
                let presences: Vec<Presence> = (0..pose.present.len()).map(|k| presence(frame, k)).collect();
                let given = Given { rigid: &rigid, posed: &outlines, looks: &looks, presences: &presences };
                let mut svg = String::new();
                template.write_present_into(&rigid, &outlines, &looks, &presences, &mut svg);
                Raster::default().draw(&svg, &options, &mut by_text).expect("a picture");
                let drawn = walker.draw(&template, &given, &options, &mut walked).expect("a picture");
                let Drawn { groups_by_text, whole_by_text, .. } = drawn;
                let differ = differing(&walked, &by_text);
                judged.frames += 1;
                judged.differ = judged.differ.max(differ);
                judged.whole_by_text += usize::from(whole_by_text);
                judged.groups_by_text += groups_by_text;
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

fn read(path: &Path) -> Art {
    let svg = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)));
    Art::read(&svg, &Resources::none()).unwrap_or_else(|error| panic!("{}: {error}", shown(path))).0
}

#[test]
fn small_drawings_of_every_feature_are_walked_to_the_pixel() {
    let mut drawings = below("tests/svg", "svg");
    drawings.sort();
    assert!(drawings.len() >= 80, "{} drawings", drawings.len());
    let only = std::env::var("ONLY").ok();
    drawings.retain(|path| only.as_ref().is_none_or(|only| shown(path).contains(only.as_str())));
    let (mut wrong, mut frames, mut by_text) = (Vec::new(), 0, Vec::new());
    for path in &drawings {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let judged = judge(&read(path), &name, &mut wrong);
        frames += judged.frames;
        if judged.whole_by_text > 0 {
            by_text.push(format!("{name}: {} of {} frames", judged.whole_by_text, judged.frames));
        }
        let filtered = name.starts_with("filter") || name.contains("filtered") || name == "image-gif";
        assert_eq!(judged.groups_by_text > 0, filtered, "{name}: {judged:?}");
    }
    println!("{} drawings, {frames} frames", drawings.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(by_text.is_empty(), "drawn whole by text:\n{}", by_text.join("\n"));
}

#[test]
fn rigs_are_walked_to_the_pixel() {
    let mut compared = 0;
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let (mut state, mut walked) = (FrameState::new(&player.scene), Pixmap::new(1, 1).expect("memory"));
        let moments = player.moments();
        let step = moments.len().div_ceil(7).max(1);
        for (clip, number) in moments.into_iter().step_by(step) {
            let by_text = player.draw_by_text(clip, number, 0.8, &mut state);
            let drawn = player.draw_into(clip, number, 0.8, &mut state, &mut walked);
            let differ = differing(&walked, &by_text);
            let name = clip.map_or("setup", SceneClip::name);
            assert_eq!(differ, 0, "{}: frame {number} of {name}", shown(&rig));
            assert!(!drawn.whole_by_text, "{}: frame {number} of {name} was not walked", shown(&rig));
            compared += 1;
        }
    }
    println!("{compared} frames");
}
