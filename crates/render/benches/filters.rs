//! A blur, a drop shadow and a mask whose content moves in each frame of 960 x 540: frames by the renderer
//! beside resvg's, alternating in one run. resvg draws a tree that is parsed already; the time to write and
//! parse it is listed apart. `filters once ours blur` and similar arguments draw a few frames of one kind, to
//! count instructions.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_drawing::{CanvasPose, Drawing, Frame, Moving, Posable};
use bone_render::{FrameOptions, FrameSize, Pixmap, Precision, Renderer, Resources, read_svg, write_svg};
use kurbo::Affine;

const KINDS: [&str; 5] = ["blur", "small blur", "shadow", "mask", "glow"];
const FRAMES: usize = 24;
const ROUNDS: usize = 5;

/// A drawing of 960 x 540 in which the element `art` moves.
fn drawing(kind: &str) -> String {
    let art = "<g id='art'><path d='M120 90C300 20 380 300 250 380S40 300 120 90Z' fill='#c63'/>\
        <circle cx='260' cy='200' r='80' fill='#38c' fill-opacity='.7'/>\
        <path d='M150 300L330 320L240 420Z' fill='#3a6' stroke='#222' stroke-width='6'/></g>";
    let (definition, user) = match kind {
        "blur" => ("<filter id='f'><feGaussianBlur stdDeviation='8'/></filter>", "filter='url(#f)'"),
        "small blur" => ("<filter id='f'><feGaussianBlur stdDeviation='1.4'/></filter>", "filter='url(#f)'"),
        "shadow" => (
            "<filter id='f'><feDropShadow dx='8' dy='10' stdDeviation='6' flood-opacity='.6'/></filter>",
            "filter='url(#f)'",
        ),
        "glow" => (
            "<filter id='f'><feMorphology in='SourceAlpha' operator='dilate' radius='3'/><feGaussianBlur stdDeviation='7' result='b'/>\
             <feFlood flood-color='#fc3'/><feComposite in2='b' operator='in'/><feMerge><feMergeNode/><feMergeNode in='SourceGraphic'/></feMerge></filter>",
            "filter='url(#f)'",
        ),
        _ => (
            "<linearGradient id='l'><stop stop-color='#fff'/><stop offset='1' stop-color='#333'/></linearGradient>\
             <mask id='m' maskUnits='userSpaceOnUse' width='960' height='540'><rect width='960' height='540' fill='url(#l)'/></mask>",
            "mask='url(#m)'",
        ),
    };
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='540'>{definition}\
         <rect width='960' height='540' fill='#eee'/><g {user}>{art}</g></svg>"
    )
}

struct Scene {
    drawing: Arc<Drawing>,
    frames: Vec<Frame>,
    texts: Vec<String>,
    trees: Vec<usvg::Tree>,
    written: Duration,
}

impl Scene {
    fn new(kind: &str) -> Self {
        let art = read_svg(&drawing(kind), &Resources::none()).expect("a drawing").0;
        let moves = [art.find("art").expect("the art")];
        let posable = Posable::new(&art, &Moving { rigid: &moves, ..Moving::default() }).expect("it moves");
        let (mut frames, mut texts, mut trees) = (Vec::new(), Vec::new(), Vec::new());
        let begin = Instant::now();
        for number in 0..FRAMES {
            let t = number as f64 / FRAMES as f64;
            let rigid = [Affine::translate((500.0 * t, 60.0 * t)) * Affine::scale(1.0 + 0.2 * t)];
            let mut frame = Frame::default();
            posable.frame(&CanvasPose { rigid: &rigid, ..CanvasPose::default() }, &mut frame);
            let mut text = String::new();
            write_svg(posable.drawing(), &frame, Precision::Exact, &mut text);
            trees.push(usvg::Tree::from_str(&text, &usvg::Options::default()).expect("a tree"));
            frames.push(frame);
            texts.push(text);
        }
        let written = begin.elapsed() / u32::try_from(FRAMES).unwrap_or(1);
        Self { drawing: Arc::clone(posable.drawing()), frames, texts, trees, written }
    }

    fn ours(&self, renderer: &mut Renderer, pixmap: &mut Pixmap, number: usize) -> bool {
        let size = FrameSize::new(960, 540).expect("a size");
        let options = FrameOptions { size, background: None };
        let drawn = renderer.draw(&self.drawing, &self.frames[number], &options, pixmap).expect("a frame");
        !drawn.fell_back && drawn.groups_by_resvg == 0
    }

    fn theirs(&self, pixmap: &mut Pixmap, number: usize) {
        pixmap.data_mut().fill(0);
        resvg::render(&self.trees[number], tiny_skia::Transform::identity(), &mut pixmap.as_mut());
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut pixmaps = [(); 2].map(|()| Pixmap::new(960, 540).expect("memory"));
    if let [once, which, kind] = asked.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
        && *once == "once"
    {
        let (scene, mut renderer) = (Scene::new(kind), Renderer::new());
        for number in 0..4 {
            if *which == "ours" {
                scene.ours(&mut renderer, &mut pixmaps[0], number);
            } else {
                scene.theirs(&mut pixmaps[1], number);
            }
        }
        return;
    }
    println!("ms a frame  ours   resvg  times  parse  largest difference");
    for kind in KINDS {
        let (scene, mut renderer) = (Scene::new(kind), Renderer::new());
        let [ours, theirs] = &mut pixmaps;
        let (mut best, mut largest, mut own) = ([Duration::MAX; 2], 0, true);
        for _ in 0..ROUNDS {
            let mut took = [Duration::ZERO; 2];
            for number in 0..scene.texts.len() {
                let begin = Instant::now();
                own &= scene.ours(&mut renderer, ours, number);
                took[0] += begin.elapsed();
                let begin = Instant::now();
                scene.theirs(theirs, number);
                took[1] += begin.elapsed();
                let pairs = ours.data().iter().zip(theirs.data());
                largest = pairs.map(|(a, b)| a.abs_diff(*b)).fold(largest, u8::max);
            }
            for (best, took) in best.iter_mut().zip(took) {
                *best = (*best).min(took / u32::try_from(FRAMES).unwrap_or(1));
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{kind:10} {:6.2} {:7.2} {:6.1} {:6.2}  {largest}{}",
            ms(best[0]),
            ms(best[1]),
            ms(best[1]) / ms(best[0]),
            ms(scene.written),
            if own { "" } else { " (by resvg)" }
        );
    }
}
