//! Animations made for the tests.

use bone_export::{Animation, PixelSize};
use proptest::prelude::*;

/// Frames of one size: straight RGBA; what cannot be seen is 0.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) size: PixelSize,
    pub(crate) frames: Vec<Vec<u8>>,
}

impl Scene {
    pub(crate) fn count(&self) -> u64 {
        self.frames.len() as u64
    }
}

/// A frame where each pixel is a function of its place.
pub(crate) fn frame(size: PixelSize, colour: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let pixels = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
    pixels.flat_map(|(x, y)| colour(x, y)).collect()
}

/// A soft disc that moves over a background.
pub(crate) fn disc(size: PixelSize, count: u32, background: [u8; 4]) -> Scene {
    let frames = (0..count).map(|number| {
        let centre = f64::from(size.width) * (0.25 + 0.5 * f64::from(number) / f64::from(count));
        frame(size, |x, y| {
            let (dx, dy) = (f64::from(x) - centre, f64::from(y) - f64::from(size.height) / 2.0);
            let cover = (f64::from(size.height) / 3.0 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
            let alpha = (cover * 255.0) as u8;
            match (alpha, background[3]) {
                (0, _) => background,
                (255, _) | (_, 0) => [200, 40, 90, alpha],
                _ => {
                    let [r, g, b] = bone_export::flatten(
                        [200, 40, 90, alpha],
                        [background[0], background[1], background[2]],
                    );
                    [r, g, b, 255]
                }
            }
        })
    });
    Scene { size, frames: frames.collect() }
}

/// Any frames: few colours, so that neighbours and frames often agree, opaque and not; each frame differs
/// from the one before in a rectangle, or not at all.
pub(crate) fn any_scene() -> impl Strategy<Value = Scene> {
    let pixel = prop_oneof![
        3 => Just([0_u8; 4]),
        3 => Just([255, 255, 255, 255]),
        2 => Just([0, 0, 0, 255]),
        2 => Just([10, 200, 30, 255]),
        1 => Just([10, 200, 30, 90]),
        1 => any_pixel(),
    ];
    let change =
        (0..24_u32, 0..24_u32, 0..24_u32, 0..24_u32, prop::collection::vec(pixel, 1..40), 1..6_usize);
    (1..24_u32, 1..24_u32, prop::collection::vec(change, 1..7)).prop_map(|(width, height, changes)| {
        let size = PixelSize { width, height };
        let mut current = vec![0; (width * height * 4) as usize];
        let frames = changes.into_iter().map(|(x, y, w, h, pixels, run)| {
            let mut at = 0;
            for row in y..(y + h).min(height) {
                for column in x..(x + w).min(width) {
                    let place = ((row * width + column) * 4) as usize;
                    current[place..place + 4].copy_from_slice(&pixels[at / run % pixels.len()]);
                    at += 1;
                }
            }
            current.clone()
        });
        Scene { size, frames: frames.collect() }
    })
}

fn any_pixel() -> impl Strategy<Value = [u8; 4]> {
    any::<[u8; 4]>().prop_map(|pixel| if pixel[3] == 0 { [0; 4] } else { pixel })
}

/// The file of a scene.
pub(crate) fn written(scene: &Scene, ending: &str, animation: Animation) -> Vec<u8> {
    let mut writer = animation.writer(ending).expect("a size");
    let shown: Vec<usize> = (0..).map_while(|at| writer.shown(at)).collect();
    shown.iter().for_each(|frame| writer.look(&scene.frames[*frame]));
    let mut out = std::io::Cursor::new(Vec::new());
    shown.iter().for_each(|frame| writer.push(&scene.frames[*frame], &mut out).expect("a frame"));
    writer.finish(&mut out).expect("all frames");
    out.into_inner()
}
