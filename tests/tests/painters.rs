//! The other painter beside tiny-skia, over small drawings of every feature in several poses: near it, and the same bytes whatever
//! was drawn before. That tiny-skia draws what resvg does is what `walk.rs` asks.

use bone_layer_tests::files::{below, shown};
use bone_layer_tests::poses::{Moved, Pose, poses, read};
use render::{Art, Background, Drawn, FrameOptions, FrameSize, Given, PainterKind, Pixmap, Template, Walker};

/// Levels by which a pixel may differ and not count as another one: what edges are off by at most.
const FAR: u8 = 56;

/// Pixels that lie together and are far off: a missing shape, clip or blend has more.
const TOGETHER: usize = 7;

/// Mean of how far all levels of a frame are off.
const MEAN: f64 = 1.25;

/// Drawings that differ more, with their mean and how many pixels lie together, and why.
const EXCEPTIONS: [(&str, f64, usize, &str); 6] = [
    (
        "group-deep",
        16.0,
        6000,
        "boxes of groups that turn within each other grow, until resvg draws nothing; vello asks for none",
    ),
    ("stroke-dashes", MEAN, 12, "dashes lie where finer lengths along the curve put them"),
    ("stroke-dash-caps", MEAN, 14, "as above"),
    ("stroke-dash-offset", MEAN, 12, "as above"),
    ("pattern", 2.8, TOGETHER, "edges in a tile count wherever it lies"),
    ("pattern-on-stroke", 2.6, TOGETHER, "as above"),
];

/// How far two pictures are from each other: the mean of all levels, and the largest group of pixels that are far off.
fn apart(a: &Pixmap, b: &Pixmap) -> (f64, usize) {
    let (width, height) = (a.width() as usize, a.height() as usize);
    let off = |(a, b): (&u8, &u8)| a.abs_diff(*b);
    let mean =
        a.data().iter().zip(b.data()).map(|both| f64::from(off(both))).sum::<f64>() / a.data().len() as f64;
    let pixels = a.data().chunks_exact(4).zip(b.data().chunks_exact(4));
    let mut far: Vec<bool> =
        pixels.map(|(a, b)| a.iter().zip(b).map(off).max().is_some_and(|off| off > FAR)).collect();
    let mut largest = 0;
    for start in 0..far.len() {
        let (mut next, mut size) = (vec![start], 0);
        while let Some(at) = next.pop() {
            if !std::mem::take(&mut far[at]) {
                continue;
            }
            size += 1;
            let (x, y) = (at % width, at / width);
            for y in y.saturating_sub(1)..(y + 2).min(height) {
                next.extend((x.saturating_sub(1)..(x + 2).min(width)).map(|x| y * width + x));
            }
        }
        largest = largest.max(size);
    }
    (mean, largest)
}

/// One frame of a pose.
fn draw(
    walker: &mut Walker,
    template: &Template,
    pose: &Pose,
    frame: usize,
    options: &FrameOptions,
) -> (Pixmap, Drawn) {
    let Moved { rigid, outlines, looks, presences } = &pose.moved(frame);
    let given = Given { rigid, posed: outlines, looks, presences };
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let drawn = walker.draw(template, &given, options, &mut pixmap).expect("a picture");
    (pixmap, drawn)
}

fn judge(art: &Art, name: &str, wrong: &mut Vec<String>) -> Drawn {
    let mut all = Drawn::default();
    let (mut skia, mut vello) = (Walker::new(), Walker::with(PainterKind::Vello));
    let exception = EXCEPTIONS.iter().find(|(of, ..)| *of == name);
    let (most, together) = exception.map_or((MEAN, TOGETHER), |(_, mean, together, _)| (*mean, *together));
    for pose in poses(art) {
        let template = Template::with_presence(art, &pose.rigid, &pose.posed, &pose.present)
            .unwrap_or_else(|error| panic!("{name}: {}: {error}", pose.name));
        for (scale, background) in [(1.0, None), (2.3, Some(Background { rgba: [250, 240, 255, 255] }))] {
            let size = FrameSize::from_scale(art.size(), scale).expect("a usable size");
            let options = FrameOptions { size, background };
            // There and back: other frames come before.
            let mut before: Vec<(usize, Pixmap)> = Vec::new();
            for frame in [0, 1, 1, 2, 3, 4, 2, 0] {
                let (judge, _) = draw(&mut skia, &template, &pose, frame, &options);
                let (pixmap, drawn) = draw(&mut vello, &template, &pose, frame, &options);
                let mut fresh = Walker::with(PainterKind::Vello);
                let at = format!("{name}: {}, frame {frame} at {scale}", pose.name);
                if draw(&mut fresh, &template, &pose, frame, &options).0 != pixmap {
                    wrong.push(format!("{at}: other bytes than alone"));
                }
                if before.iter().any(|(number, known)| *number == frame && *known != pixmap) {
                    wrong.push(format!("{at}: other bytes than before"));
                }
                let (mean, far) = apart(&judge, &pixmap);
                if mean > most || far > together {
                    wrong.push(format!("{at}: {mean:.3} levels off, {far} pixels together"));
                }
                all.whole_by_text |= drawn.whole_by_text;
                all.groups_by_text += drawn.groups_by_text;
                all.helped += drawn.helped;
                before.push((frame, pixmap));
            }
        }
    }
    all
}

#[test]
fn small_drawings_of_every_feature_are_painted_alike() {
    let mut drawings = below("tests/svg", "svg");
    let only = std::env::var("ONLY").ok();
    drawings.retain(|path| only.as_ref().is_none_or(|only| shown(path).contains(only.as_str())));
    let (mut wrong, mut helped) = (Vec::new(), Vec::new());
    for path in &drawings {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let drawn = judge(&read(path), &name, &mut wrong);
        assert!(!drawn.whole_by_text, "{name} was not walked");
        if drawn.helped > 0 {
            helped.push(name);
        }
    }
    println!(
        "of {} drawings {} have parts that tiny-skia draws: {}",
        drawings.len(),
        helped.len(),
        helped.join(", ")
    );
    assert!(wrong.is_empty(), "{} frames\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_missing_or_blends_otherwise_is_seen() {
    let whole = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><rect width='64' height='64' fill='#888'/>\
        <circle cx='20' cy='20' r='2' fill='#fff'/><g clip-path='url(#c)' style='mix-blend-mode:multiply'><rect x='30' y='30' \
        width='30' height='30' fill='#c80'/></g><clipPath id='c'><rect x='32' y='32' width='20' height='20'/></clipPath></svg>";
    let picture = |svg: &str| {
        let (art, _) = Art::read(svg, &render::Resources::none()).expect("a drawing");
        let options = FrameOptions { size: FrameSize::new(64, 64).expect("a size"), background: None };
        let template = Template::new(&art, &[], &[]).expect("a template");
        let mut pixmap = Pixmap::new(1, 1).expect("memory");
        let mut walker = Walker::with(PainterKind::Vello);
        walker.draw(&template, &Given::default(), &options, &mut pixmap).expect("a picture");
        pixmap
    };
    let right = picture(whole);
    assert_eq!(apart(&right, &picture(whole)), (0.0, 0));
    for (from, to) in [("r='2'", "r='0'"), ("multiply", "normal"), ("clip-path='url(#c)'", "")] {
        let (mean, far) = apart(&right, &picture(&whole.replace(from, to)));
        assert!(mean > MEAN || far > TOGETHER, "{from}: {mean} levels off, {far} pixels together");
    }
}
