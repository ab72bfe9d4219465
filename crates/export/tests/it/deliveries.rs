//! Files within the rules of services: fewer colours, palettes, and what files say of themselves, read by decoders
//! that are not ours.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::sync::Arc;

use bone_export::{
    Animation, DELIVERIES, DeliveredFacts, DeliveryLevel, DeliveryTarget, PixelSize, PlayRate, Plays,
    reduce_colours,
};

use crate::player;
use crate::scenes::{Scene, disc, written};

const SIZE: PixelSize = PixelSize { width: 48, height: 40 };
const RATE: PlayRate = PlayRate { frames: 20, seconds: 1 };

fn pixels(frame: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    frame.as_chunks::<4>().0.iter().copied()
}

/// A disc with soft edges over a gradient of two thousand colours, half transparent at its side.
fn shaded() -> Scene {
    let mut scene = disc(SIZE, 6, [0; 4]);
    for frame in &mut scene.frames {
        for (at, pixel) in frame.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            if pixel[3] == 0 && at % 48 < 30 {
                *pixel = [at as u8, (at / 8) as u8, 90, if at % 48 < 6 { (at % 48 * 40) as u8 } else { 255 }];
            }
        }
    }
    scene
}

fn shared(scene: &Scene) -> Vec<Arc<[u8]>> {
    scene.frames.iter().map(|frame| frame.as_slice().into()).collect()
}

fn reduced(scene: &Scene, most: u16) -> Scene {
    let frames = reduce_colours(&shared(scene), most).iter().map(|frame| frame.to_vec()).collect();
    Scene { size: scene.size, frames }
}

#[test]
fn colours_are_as_few_as_asked_and_near() {
    let scene = shaded();
    let mut last = 0.0;
    for most in [256, 64, 24, 2] {
        let few = reduced(&scene, most);
        let used: BTreeSet<[u8; 4]> = few.frames.iter().flat_map(|frame| pixels(frame)).collect();
        assert!(used.len() <= usize::from(most), "{} of {most}", used.len());
        let (mut sum, mut count) = (0.0, 0.0);
        for (before, after) in
            scene.frames.iter().zip(&few.frames).flat_map(|(a, b)| pixels(a).zip(pixels(b)))
        {
            assert_eq!(before[3] == 0, after == [0; 4], "what is transparent stays so: {before:?} {after:?}");
            assert!(before[3] < 255 || after[3] == 255 || most == 2, "{before:?} {after:?}");
            let over = |pixel: [u8; 4], k: usize| f64::from(pixel[k]) * f64::from(pixel[3]) / 255.0;
            sum += (0..3).map(|k| (over(before, k) - over(after, k)).powi(2)).sum::<f64>();
            count += 3.0;
        }
        let error = f64::sqrt(sum / count);
        assert!(error > last || error == 0.0, "fewer colours are farther off: {error} after {last}");
        assert!(most < 64 || error < 8.0, "{most}: {error}");
        last = error;
    }
}

#[test]
fn frames_of_few_colours_are_a_palette_and_come_back_exactly() {
    let whole = shaded();
    let scene = reduced(&whole, 200);
    let file = |scene: &Scene| written(scene, "apng", Animation::new(SIZE, scene.count(), RATE));
    let bytes = file(&scene);
    // The type of colours in the header: 3 is a palette, 6 colours with alpha.
    assert_eq!((bytes[25], file(&whole)[25]), (3, 6));
    let (shown, _) = player::apng(&bytes);
    for (at, ((found, _), frame)) in shown.iter().zip(&scene.frames).enumerate() {
        assert!(found == frame, "frame {at}");
    }
    assert_eq!(shown.len(), scene.frames.len());
}

#[test]
fn files_say_what_they_were_made_of() {
    let scene = shaded();
    for (ending, plays) in [("gif", 3), ("apng", 3), ("webp", 0), ("gif", 0), ("gif", 1), ("apng", 0)] {
        let animation = Animation {
            plays: NonZeroU16::new(plays).map_or(Plays::Endless, Plays::Times),
            ..Animation::new(SIZE, scene.count(), RATE)
        };
        let bytes = written(&scene, ending, animation);
        let facts = DeliveredFacts::read(&bytes).expect(ending);
        let expected = DeliveredFacts {
            width: 48,
            height: 40,
            frames: 6,
            milliseconds: 300,
            shortest: 50,
            plays: Some(plays.into()),
            alpha: true,
            audio: false,
            bytes: bytes.len() as u64,
        };
        assert_eq!(facts, expected, "{ending}");
        for cut in [1, bytes.len() / 2] {
            assert_eq!(DeliveredFacts::read(&bytes[..bytes.len() - cut]), None, "{ending} without its end");
        }
    }
}

#[test]
fn targets_try_the_best_first_and_no_more_frames_than_allowed() {
    let target = |name| DeliveryTarget::find(name).expect(name);
    let count = |rate: f64| (3.0 * rate).round() as u64;
    for target in DELIVERIES {
        assert!((target.fits)(target.size.0, target.size.1), "{}", target.name);
        let stages = target.stages(24.0, count, true);
        assert!(!stages.is_empty(), "{}", target.name);
        for (rate, levels) in &stages {
            assert!((target.frames.0..=target.frames.1).contains(&count(*rate)) && *rate <= 60.0);
            assert!(!levels.is_empty(), "{}", target.name);
        }
        assert!(stages.is_sorted_by(|a, b| a.0 >= b.0));
    }
    // 3 s with at most 20 frames.
    assert_eq!(target("line").stages(24.0, count, true)[0].0, 6.0);
    assert_eq!(
        target("signal").stages(60.0, count, true)[0],
        (30.0, {
            let colours = [256, 128, 64].map(DeliveryLevel::Colours);
            [&[DeliveryLevel::Exact][..], &colours].concat()
        })
    );
    // Whole seconds in 1 to 4 plays.
    assert_eq!(target("line").plays(1.0), Ok(4));
    assert_eq!(target("line").plays(1.5), Ok(2));
    assert_eq!(target("line").plays(3.0), Ok(1));
    assert!(target("line").plays(1.3).is_err() && target("line").plays(4.5).is_err());
    assert_eq!(target("signal").plays(2.9), Ok(0));
    assert!(target("signal").plays(3.5).is_err());
}
