//! Invalid recordings: their messages and places. `tests/motion/bad` has one file for each mistake with the
//! message beside it; `RENEW=1` writes the messages anew. Also mutations of valid recordings.

use crate::mistakes::folder;
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::fit::fit;
use bone_import::retarget::{RetargetOptions, RigMap, retarget};
use bone_import::{ImportError, ViewDirection, bvh, cycle, project};

const OPTIONS: FigureOptions = FigureOptions::new(300.0);

/// Runs all steps on a recording.
fn run_all_steps(bytes: &[u8]) -> Result<usize, (ImportError, String)> {
    let text = bvh::decode(bytes).map_err(|error| (error, String::new()))?;
    let with_text = |error| (error, text.clone().into_owned());
    let recording = bvh::read(&text).map_err(with_text)?;
    let motion = project(&recording, ViewDirection::SIDE, None).map_err(with_text)?.motion;
    let figure = build_figure(&motion, &OPTIONS).map_err(with_text)?;
    if let Some(found) = cycle::find(&motion) {
        cycle::closed(&motion, &found).expect("a cycle lies within");
    }
    if motion.body().is_whole() {
        // Retargeted to its own figure, as to any rig.
        let map = RigMap::by_names(&figure.skeleton);
        let options = RetargetOptions { on_the_spot: true, looped: false, ..RetargetOptions::default() };
        let moved = retarget(&motion, &motion.body(), &figure.skeleton, &map, options).map_err(with_text)?;
        fit(&figure.skeleton, &moved.take, 3.0).map_err(with_text)?;
    }
    let fitted = fit(&figure.skeleton, &figure.take, 3.0).map_err(with_text)?;
    fitted.clip.clip(&figure.skeleton).expect("keys make a clip");
    Ok(fitted.keys)
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    crate::mistakes::every_mistake_is_reported("bad", "bvh", |_, bytes| {
        run_all_steps(bytes).map(|keys| format!("{keys} keys"))
    });
}

/// A deterministic sequence of numbers (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Twelve frames of a whole body.
fn few_frames(name: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(folder(name)).expect("a recording");
    let (head, motion) = text.split_at(text.find("MOTION").expect("motion"));
    let rows: Vec<&str> = motion.lines().skip(4).step_by(20).take(12).collect();
    format!("{head}MOTION\nFrames: 12\nFrame Time: 0.1\n{}\n", rows.join("\n")).into_bytes()
}

#[test]
fn mutated_recordings_never_panic() {
    let seeds: Vec<Vec<u8>> = ["pybvh_rotation_first_root.bvh", "pybvh_full_precision_frame_time.bvh"]
        .iter()
        .map(|name| std::fs::read(folder(name)).expect("a recording"))
        .chain([few_frames("pybvh_cmu_12_01_walk.bvh")])
        .collect();
    let pieces: [&[u8]; 16] = [
        b"nan",
        b"1e308",
        b"-1e308",
        b"{",
        b"}",
        b"JOINT x\n{\n",
        b"ROOT",
        b"0",
        b"-",
        b"\r",
        b"CHANNELS 0",
        b"\xff",
        b"End Site",
        b"99999999999999",
        b"1e-308",
        b" ",
    ];
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut read = 0;
    for case in 0..cases {
        let mut bytes = seeds[case % seeds.len()].clone();
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(bytes.len());
            match numbers.below(5) {
                0 => bytes[at] = b"0123456789.-e {}\n"[numbers.below(17)],
                1 => bytes.truncate(at.max(1)),
                2 => {
                    let end = (at + numbers.below(40)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = numbers.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                3 => {
                    let end = (at + numbers.below(12)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    let piece = pieces[numbers.below(pieces.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        match run_all_steps(&bytes) {
            Ok(_) => read += 1,
            // The span is within the text, and between characters.
            Err((error, text)) => {
                if let Some(span) = &error.span {
                    assert!(text.get(span.clone()).is_some(), "{error} at {span:?} of {}", text.len());
                }
            }
        }
    }
    assert!(read > cases / 20, "{read} of {cases} were still recordings");
}
