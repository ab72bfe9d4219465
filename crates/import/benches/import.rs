//! The time of each step for a long recording: five minutes at 120 frames a second on 38 joints, from text to
//! a clip.

use std::fmt::Write as _;
use std::time::Instant;

use bone_import::figure::{FigureOptions, build_figure};
use bone_import::fit::fit;
use bone_import::{ViewDirection, bvh, project};

const WALK: &str = include_str!("../../../tests/motion/pybvh_cmu_12_01_walk.bvh");
const FRAMES: usize = 36_000;

/// The walk forwards and backwards for five minutes, with small changes.
fn five_minutes() -> String {
    let (head, motion) = WALK.split_at(WALK.find("MOTION").expect("a recording"));
    let rows: Vec<Vec<f64>> = motion
        .lines()
        .skip(4)
        .map(|line| line.split_whitespace().map(|word| word.parse().expect("a number")).collect())
        .collect();
    let mut text = format!("{head}MOTION\nFrames: {FRAMES}\nFrame Time: .0083333\n");
    for frame in 0..FRAMES {
        let period = 2 * (rows.len() - 1);
        let at = frame % period;
        let at = if at < rows.len() { at } else { period - at };
        for (channel, value) in rows[at].iter().enumerate() {
            // The values grow by 3 % and shrink back each minute, each channel with another phase.
            let swell = ((frame + 977 * channel) % 7200).abs_diff(3600) as f64 / 3600.0;
            let _ = write!(text, "{:.4} ", value * (1.0 + 0.03 * swell));
        }
        text.push('\n');
    }
    text
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn main() {
    let text = five_minutes();
    let mut marks = vec![("start", Instant::now())];
    let recording = bvh::read(&text).expect("a recording");
    marks.push(("read", Instant::now()));
    let motion = project(&recording, ViewDirection::SIDE, None).expect("a planar motion").motion;
    marks.push(("lay flat", Instant::now()));
    let options = FigureOptions { on_the_spot: true, ..FigureOptions::new(320.0) };
    let figure = build_figure(&motion, &options).expect("a figure");
    marks.push(("figure", Instant::now()));
    let fitted = fit(&figure.skeleton, &figure.take, 0.01 * figure.height).expect("fits");
    marks.push(("few keys", Instant::now()));
    println!("\n{FRAMES} frames, {} joints, {} MB of text", recording.joint_count(), text.len() >> 20);
    for pair in marks.windows(2) {
        println!("{:>10} {:7.0} ms", pair[1].0, (pair[1].1 - pair[0].1).as_secs_f64() * 1e3);
    }
    println!("{:>10} {:7.0} ms", "all", marks[0].1.elapsed().as_secs_f64() * 1e3);
    println!(
        "{:.2} keys a second and channel, off by {:.2} %",
        fitted.density(),
        100.0 * fitted.max_error / figure.height
    );
}
