//! What a keyed number costs a frame: a clip that keys numbers of a thousand paths, beside one that keys none of them
//! in the same rig. Prints; judges nothing.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use bone_format::{InMemory, load, no_fonts};
use bone_rig::{FrameState, RigClip};

const PATHS: usize = 1_000;
const FRAMES: usize = 40;
const RUNS: usize = 25;

fn main() {
    println!("a keyed number of {PATHS} paths, ns a frame (least of {RUNS} runs of {FRAMES} frames)");
    for (name, keys, numbers) in [
        ("stroke_width", "[(0, 1), (0.4, 3, Out(Back)), (1, 2)]", 1),
        ("fill_opacity", "[(0, 1), (0.5, 0.2), (1, 1)]", 1),
        ("fill", "[(0, \"#123456\"), (0.5, \"tomato\"), (1, \"#fff\")]", 3),
        ("order", "[(0, 0), (0.5, 2), (1, 0)]", 1),
    ] {
        let (mut svg, mut art) = (String::new(), String::new());
        for at in 0..PATHS {
            let (x, y) = (at % 40, at / 40);
            let _ = write!(svg, "<path id='p{at}' d='M{x} {y}h1v1z' fill='#246' stroke='#000'/>");
            let _ = write!(art, "\"p{at}\": ({name}: {keys}),");
        }
        let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'>{svg}</svg>");
        let rig = format!(
            "Rig(version: 1, drawing: \"a.svg\", bones: {{\"b\": (from: (0, 0), to: (1, 0))}}, skin: [Rigid(art: \"p0\", bone: \"b\")],
               clips: {{\"keyed\": (length: 1, art: {{{art}}}), \"still\": (length: 1, bones: {{\"b\": (rotate: [(0, 0)])}})}})"
        );
        let files = InMemory::new().with("a.svg", svg).with("a.ron", rig);
        let rig = load("a.ron".as_ref(), Arc::new(files), &no_fonts).rig.expect("a sound rig");
        let mut state = FrameState::new(&rig);
        let mut least = |clip: Option<&RigClip>| {
            let run = |_| {
                let start = Instant::now();
                for frame in 0..FRAMES {
                    let time = frame as f64 / FRAMES as f64;
                    rig.pose(black_box(clip), time, &mut state).expect("a clip of this rig");
                }
                start.elapsed().as_secs_f64()
            };
            (0..RUNS).map(run).fold(f64::INFINITY, f64::min) * 1e9 / FRAMES as f64
        };
        let (keyed, still) = (least(rig.clip("keyed")), least(rig.clip("still")));
        let lane = (keyed - still) / (PATHS * numbers) as f64;
        println!("{name:>14}: {still:9.0} without keys, {keyed:9.0} with: {lane:5.1} a lane");
    }
}
