//! Each frame of an animation as it went in, in every format.

use std::io::Cursor;

use bone_export::{Animation, ExportError, PixelSize, PlayRate};
use proptest::prelude::*;

use crate::player;
use crate::scenes::{Scene, any_scene, disc, frame, written};

const RATE: PlayRate = PlayRate { frames: 24, seconds: 1 };

/// The file of a scene in its default form.
fn file(scene: &Scene, ending: &str, rate: PlayRate, threads: usize) -> Vec<u8> {
    let animation = Animation { threads, ..Animation::new(scene.size, scene.count(), rate) };
    written(scene, ending, animation)
}

/// A GIF of so many colours.
fn gif(scene: &Scene, colours: u16, dither: bool, threads: usize) -> Vec<u8> {
    let whole = Animation::new(scene.size, scene.count(), RATE);
    written(scene, "gif", Animation { colours, dither, threads, ..whole })
}

/// The frames of a scene, equal neighbours as one, with how many there are.
fn distinct(scene: &Scene) -> Vec<(&Vec<u8>, u64)> {
    scene.frames.chunk_by(|a, b| a == b).map(|run| (&run[0], run.len() as u64)).collect()
}

fn check_exact(scene: &Scene) {
    let expected = distinct(scene);
    let (shown, plays) = player::apng(&file(scene, "apng", RATE, 1));
    assert_eq!((shown.len(), plays), (expected.len(), 0));
    for (number, ((pixels, delay), (frame, held))) in shown.iter().zip(&expected).enumerate() {
        assert!(pixels == *frame, "APNG, frame {number} of {:?}", scene.size);
        assert_eq!(*delay, (*held as u16, 24));
    }
    let shown = player::webp(&file(scene, "webp", RATE, 1));
    assert_eq!(shown.len(), expected.len());
    for (number, ((pixels, _), (frame, _))) in shown.iter().zip(&expected).enumerate() {
        assert!(pixels == *frame, "WebP, frame {number} of {:?}", scene.size);
    }
    let total: u64 = shown.iter().map(|(_, duration)| duration).sum();
    assert_eq!(total, (scene.count() * 1000 * 2 + 24) / 48, "the running time, rounded");
}

/// What a GIF with enough colours shows of a pixel.
fn of_one_bit(pixel: &[u8]) -> [u8; 4] {
    if pixel[3] < 128 { [0; 4] } else { [pixel[0], pixel[1], pixel[2], 255] }
}

fn check_gif(scene: &Scene) {
    let (shown, _) = player::gif(&file(scene, "gif", RATE, 1));
    let mut at = 0;
    for (number, (pixels, _)) in shown.iter().enumerate() {
        let wanted: Vec<u8> =
            scene.frames[at].as_chunks::<4>().0.iter().flat_map(|p| of_one_bit(p)).collect();
        assert!(*pixels == wanted, "frame {number} of {:?}", scene.size);
        let same = |frame: &&Vec<u8>| {
            frame.as_chunks::<4>().0.iter().flat_map(|p| of_one_bit(p)).collect::<Vec<u8>>() == wanted
        };
        at += scene.frames[at..].iter().take_while(same).count();
    }
    assert_eq!(at, scene.frames.len());
    let total: u64 = shown.iter().map(|(_, delay)| delay).sum();
    assert_eq!(total, (scene.count() * 100 * 2 + 24) / 48);
}

proptest! {
    #[test]
    fn every_frame_comes_back(scene in any_scene()) {
        check_exact(&scene);
        check_gif(&scene);
    }
}

#[test]
fn soft_edges_over_nothing_come_back() {
    let size = PixelSize { width: 61, height: 47 };
    for background in [[0; 4], [250, 250, 240, 255]] {
        let scene = disc(size, 9, background);
        check_exact(&scene);
        check_gif(&scene);
    }
}

#[test]
fn extreme_sizes_and_lengths_come_back() {
    let one = |width, height, count| {
        let size = PixelSize { width, height };
        let shade =
            move |number: u32| frame(size, move |x, y| [(x + number) as u8, (x >> 8) as u8, y as u8, 255]);
        Scene { size, frames: (0..count).map(shade).collect() }
    };
    for scene in [one(1, 1, 1), one(1, 1, 3), one(16_383, 1, 2), one(1, 3000, 2)] {
        check_exact(&scene);
    }
    let size = PixelSize { width: 16_384, height: 2 };
    let transparent = Scene { size, frames: vec![vec![0; 16_384 * 8]; 5] };
    let (shown, _) = player::apng(&file(&transparent, "apng", RATE, 2));
    assert_eq!((shown.len(), shown[0].1), (1, (5, 24)));
    let (shown, _) = player::gif(&file(&transparent, "gif", RATE, 2));
    assert!(shown.len() == 1 && shown[0].0.iter().all(|byte| *byte == 0));
    let wide = PixelSize { width: 16_385, height: 1 };
    let error = Animation::new(wide, 1, RATE).writer("webp").err().expect("an error");
    assert_eq!(error.to_string(), "a WebP has sides of at most 16384 pixels, and the frames are 16385x1");
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let scene = disc(PixelSize { width: 80, height: 60 }, 40, [0; 4]);
    assert!(gif(&scene, 9, true, 1) == gif(&scene, 9, true, 5));
    for ending in ["apng", "webp"] {
        assert!(file(&scene, ending, RATE, 1) == file(&scene, ending, RATE, 5));
    }
}

/// Gradients of more colours than a palette has.
fn gradient(size: PixelSize) -> Scene {
    let shade = |number: u32| {
        frame(size, move |x, y| {
            if x < 10 { [17, 34, 51, 255] } else { [(x * 3) as u8, (y * 4) as u8, (number * 9) as u8, 255] }
        })
    };
    Scene { size, frames: (0..6).map(shade).collect() }
}

/// The mean square of the differences of colours.
fn error(scene: &Scene, shown: &[player::Shown]) -> f64 {
    let pairs = scene.frames.iter().flatten().zip(shown.iter().flat_map(|(pixels, _)| pixels));
    let sum: f64 = pairs.map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    sum / (scene.frames.len() * scene.frames[0].len()) as f64
}

#[test]
fn colours_that_a_palette_lacks_are_near_and_do_not_flicker() {
    let scene = gradient(PixelSize { width: 80, height: 60 });
    let few = |colours, dither| player::gif(&gif(&scene, colours, dither, 2)).0;
    let (plain, coarse, dithered) = (few(256, false), few(16, false), few(16, true));
    // The mean over alpha and three channels, of which two fill a square of 240 levels: 42 cells in each of 6
    // frames.
    assert!(error(&scene, &plain) < 57.0, "{}", error(&scene, &plain));
    assert!(error(&scene, &coarse) > error(&scene, &plain));
    for shown in [&plain, &coarse, &dithered] {
        for (two, frames) in shown.windows(2).zip(scene.frames.windows(2)) {
            let pixels = two[0].0.as_chunks::<4>().0.iter().zip(two[1].0.as_chunks::<4>().0);
            let sources = frames[0].as_chunks::<4>().0.iter().zip(frames[1].as_chunks::<4>().0);
            for ((before, after), (old, new)) in pixels.zip(sources) {
                assert!(old != new || before == after, "a pixel that is the same in the source flickers");
                // A flat area has its colour to the level.
                assert!(*new != [17, 34, 51, 255] || new == after);
            }
        }
    }
}

#[test]
fn dithering_has_the_mean_of_colours_that_a_palette_lacks() {
    let size = PixelSize { width: 80, height: 16 };
    let grey = |x: u32| (x / 8 * 25) as u8;
    let scene = Scene { size, frames: vec![frame(size, |x, _| [grey(x), grey(x), grey(x), 255])] };
    // The largest difference of the mean of 8 x 8 pixels; of the darkest and the lightest ones there is nothing to
    // mix.
    let worst = |dither| {
        let (shown, _) = player::gif(&gif(&scene, 5, dither, 1));
        let mean = |block: u32| {
            let places = (0..64).map(|k| (k / 8 * 80 + block * 8 + k % 8) as usize * 4);
            places.map(|at| f64::from(shown[0].0[at])).sum::<f64>() / 64.0
        };
        (2..8).map(|block| (mean(block) - f64::from(grey(block * 8))).abs()).fold(0.0, f64::max)
    };
    assert!(worst(true) < 3.0 && worst(false) > 20.0, "{} {}", worst(true), worst(false));
}

#[test]
fn a_matte_stands_behind_soft_edges() {
    let size = PixelSize { width: 2, height: 1 };
    let scene = Scene { size, frames: vec![vec![200, 0, 0, 51, 0, 0, 0, 0]] };
    let matte = Animation { matte: Some([0, 0, 255]), ..Animation::new(size, 1, RATE) };
    let (shown, _) = player::gif(&written(&scene, "gif", matte));
    assert_eq!(shown[0].0, [40, 0, 204, 255, 0, 0, 0, 0]);
}

#[test]
fn fast_clips_lose_frames_of_a_gif_and_not_their_time() {
    let size = PixelSize { width: 4, height: 1 };
    let frames: Vec<Vec<u8>> = (0..120_u8).map(|n| frame(size, move |x, _| [n, x as u8, 0, 255])).collect();
    let scene = Scene { size, frames };
    let (shown, repeat) = player::gif(&file(&scene, "gif", PlayRate { frames: 120, seconds: 1 }, 1));
    assert_eq!(repeat, gif::Repeat::Infinite);
    assert_eq!((shown.len(), shown.iter().map(|(_, delay)| delay).sum::<u64>()), (50, 100));
    assert!(shown.iter().all(|(_, delay)| *delay >= 2));
}

#[test]
fn long_holds_are_longer_than_one_delay() {
    let size = PixelSize { width: 3, height: 2 };
    let (one, two) = (vec![9; 24], vec![255; 24]);
    let mut frames = vec![two.clone()];
    frames.extend(std::iter::repeat_n(one, 1500));
    frames.push(two);
    let scene = Scene { size, frames };
    let slow = PlayRate { frames: 1, seconds: 2 };
    let (shown, _) = player::gif(&file(&scene, "gif", slow, 1));
    assert_eq!(shown.iter().map(|(_, delay)| delay).sum::<u64>(), 1502 * 200);
    let (shown, _) = player::apng(&file(&scene, "apng", PlayRate { frames: 30_000, seconds: 1001 }, 1));
    let seconds: f64 = shown.iter().map(|(_, (over, under))| f64::from(*over) / f64::from(*under)).sum();
    assert!((seconds - 1502.0 * 1001.0 / 30_000.0).abs() < 0.01, "{seconds}");
    let shown = player::webp(&file(&scene, "webp", slow, 1));
    assert_eq!(shown.iter().map(|(_, duration)| duration).sum::<u64>(), 3_004_000);
}

#[test]
fn frames_that_do_not_fit_are_errors() {
    let size = PixelSize { width: 2, height: 2 };
    let mut out = Cursor::new(Vec::new());
    let mut writer = Animation::new(size, 1, RATE).writer("webp").unwrap();
    assert!(matches!(writer.push(&[0; 4], &mut out), Err(ExportError::FrameSize { found: 4, expected: 16 })));
    writer.push(&[0; 16], &mut out).unwrap();
    assert!(matches!(writer.push(&[0; 16], &mut out), Err(ExportError::TooManyFrames)));
    let mut writer = Animation::new(size, 2, RATE).writer("webp").unwrap();
    assert!(matches!(writer.finish(&mut out), Err(ExportError::TooFewFrames)));
}
