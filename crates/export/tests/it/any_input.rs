//! Input that a program can hand over by mistake: frames of another size, sizes, rates, options and counts of any
//! value, drawings without sense. Each is written or an error, and none panics but for the accessors that
//! docs/security.md lists.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bone_export::{
    Animation, AtlasBuilder, AtlasOptions, AtlasTrim, FORMATS, FormatKind, PixelSize, PlayRate, Plays,
    VideoOptions, flatten,
};
use proptest::prelude::*;

#[cfg(feature = "vector")]
#[path = "../../../drawing/tests/any_drawing/mod.rs"]
mod any_drawing;
#[cfg(feature = "vector")]
#[path = "../../../drawing/tests/any_drawing/nested.rs"]
mod nested;

fn any_size() -> impl Strategy<Value = PixelSize> {
    let side =
        || prop_oneof![0_u32..5, prop::sample::select(vec![16_384, 65_536, i32::MAX as u32, u32::MAX])];
    (side(), side()).prop_map(|(width, height)| PixelSize { width, height })
}

fn small() -> impl Strategy<Value = PixelSize> {
    (0_u32..5, 0_u32..5).prop_map(|(width, height)| PixelSize { width, height })
}

fn count() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..4, prop::sample::select(vec![255, 256, 65_535, 65_536, u32::MAX / 2, u32::MAX])]
}

/// A frame of this size, one that is shorter, and one that is empty.
fn frames(size: PixelSize, bytes: &[u8]) -> [Vec<u8>; 3] {
    let count = (size.width as usize).saturating_mul(size.height as usize).saturating_mul(4).min(100);
    let whole: Vec<u8> = bytes.iter().copied().cycle().take(count).collect();
    [whole.clone(), whole[..count.saturating_sub(1)].to_vec(), Vec::new()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn animations_of_any_input(
        size in prop_oneof![small(), any_size()], [frames_a_second, seconds, of, threads] in prop::array::uniform4(count()),
        bytes in prop::collection::vec(any::<u8>(), 1..80), [dither, matte] in any::<[bool; 2]>(),
    ) {
        let rate = PlayRate { frames: frames_a_second, seconds };
        let frames = frames(size, &bytes);
        let plays = std::num::NonZeroU16::new(of as u16).map_or(Plays::Endless, Plays::Times);
        let matte = matte.then_some([1, 2, 3]);
        let threads = if threads > 9 { usize::MAX } else { threads as usize };
        for (count, format) in [u64::from(of), u64::MAX, 3].iter().flat_map(|count| FORMATS.iter().map(move |format| (*count, format))) {
            let whole = Animation::new(size, count, rate);
            let animation = Animation { plays, colours: of as u16, dither, matte, threads, ..whole };
            match format.kind {
                FormatKind::Frames { writer, .. } => {
                    let Ok(mut writer) = writer(&animation) else { continue };
                    frames.iter().for_each(|frame| writer.look(frame));
                    for at in [0, 1, usize::MAX] {
                        prop_assert!(writer.shown(at).is_none_or(|frame| (frame as u64) < count));
                    }
                    let mut out = Cursor::new(Vec::new());
                    // More frames than were announced, and fewer.
                    frames.iter().chain(&frames).for_each(|frame| _ = writer.push(frame, &mut out));
                    let _ = writer.finish(&mut out);
                }
                FormatKind::Video(format) => {
                    let options = VideoOptions { format, size, rate, alpha: dither, quality: bytes[0], padding: [9; 3] };
                    prop_assert!(!options.arguments(&[], count).is_empty());
                }
                _ => {}
            }
        }
        let _ = flatten([bytes[0]; 4], [9; 3]);
    }

    #[test]
    fn sheets_of_any_input(
        size in prop_oneof![small(), any_size()], [extrude, padding, max_side, frames_a_second] in prop::array::uniform4(count()),
        bytes in prop::collection::vec(any::<u8>(), 1..80), [power_of_two, trims, begins] in any::<[bool; 3]>(),
        pivot in prop::sample::select(vec![None, Some((f64::NAN, f64::INFINITY)), Some((1e300, -1.0))]),
    ) {
        let trim = if trims { AtlasTrim::Frame } else { AtlasTrim::Clip };
        let options = AtlasOptions { trim, extrude, padding, power_of_two, max_side, pivot };
        let mut sheet = AtlasBuilder::new(size, options);
        if begins {
            sheet.clip("a", PlayRate { frames: frames_a_second, seconds: 0 }, true);
        }
        frames(size, &bytes).iter().for_each(|frame| _ = sheet.push(frame));
        if let Ok(atlas) = sheet.build() {
            let images = vec!["\"\n".to_owned(); atlas.page_count()];
            for page in 0..atlas.page_count() {
                if u64::from(atlas.page(page).size.width) * u64::from(atlas.page(page).size.height) < 10_000 {
                    prop_assert!(atlas.page(page).png().is_ok());
                }
                let _ = atlas.json(page, &images, &[]);
            }
            let _ = (atlas.tres(&images), atlas.tres(&[]), atlas.sprite_count());
        }
    }
}

/// Each function whose documentation has `# Panics`.
#[test]
fn accessors_panic_as_slices_do() {
    let size = PixelSize { width: 1, height: 1 };
    let mut sheet = AtlasBuilder::new(size, AtlasOptions::default());
    sheet.clip("a", PlayRate { frames: 1, seconds: 1 }, false);
    sheet.push(&[9; 4]).expect("a frame of this size");
    let atlas = sheet.build().expect("a frame");
    let image = ["a.png".to_owned(), "b.png".to_owned()];
    let calls: [(&str, &dyn Fn()); 3] = [
        ("Atlas::page", &|| _ = atlas.page(1)),
        ("Atlas::json of a page", &|| _ = atlas.json(1, &image, &[])),
        ("Atlas::json of an image", &|| _ = atlas.json(0, &[], &[])),
    ];
    for (name, call) in calls {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
        let message = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(message.starts_with("index out of bounds: the len is"), "{name}: {message}");
    }
}

#[cfg(feature = "vector")]
mod vectors {
    use std::sync::Arc;

    use bone_drawing::{Frame, Visibility};
    use bone_export::vector::{SampledClip, VectorError, VectorOptions, animated_svg, dot_lottie, lottie};
    use bone_render::{FrameSize, Viewport};
    use kurbo::Affine;
    use proptest::prelude::*;

    use super::any_drawing::{Ids, build, number, outline, rect, steps};
    use super::nested;

    fn look(n: &[f64; 6]) -> bone_drawing::ShapeLook {
        let paint = bone_drawing::PaintLook { color: [n[0], n[1], n[2]], opacity: n[3] };
        let lengths = bone_drawing::StrokeLook { width: n[0], dash_offset: n[1], dash_scale: n[0] };
        bone_drawing::ShapeLook { lengths, fill: paint, stroke: paint }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clips_of_drawings_without_sense(
            steps in steps(), n in prop::array::uniform6(number()), count in 0_usize..4, [looped, still] in any::<[bool; 2]>(),
        ) {
            let drawing = Arc::new(build(&steps, &mut Ids::default()));
            // Each frame has other numbers of values.
            let pose = |time: f64, frame: &mut Frame| -> Result<(), VectorError> {
                let many = if still { 3 } else { (time * 10.0) as usize % 4 };
                let visibility = Visibility { visible: true, opacity: n[1], order: n[2] * time };
                *frame = Frame {
                    transforms: vec![Affine::new(n); many], outlines: vec![outline(n); many], looks: vec![look(&n); many],
                    trims: vec![bone_drawing::Trim { start: n[4], end: n[5], offset: n[0], form: many }; many],
                    tints: vec![bone_drawing::ColorMap { multiply: [n[0]; 3], add: [n[1]; 3] }; many], gradient_looks: Vec::new(), filter_looks: Vec::new(), repaints: None,
                    visibilities: vec![visibility; many], gradients: vec![Affine::new(n); many],
                    patterns: vec![Affine::new(n); many], masks: vec![rect(n); many], filters: vec![rect(n); many],
                    steps: vec![Some(rect(n)); many],
                };
                Ok(())
            };
            let size = FrameSize::new(9, 5).expect("a size");
            for fps in [n[3], 12.0] {
                let clip = SampledClip::new(Arc::clone(&drawing), "a", fps, count, looped, pose);
                let far = SampledClip::new(Arc::clone(&drawing), "a", fps, usize::MAX, looped, pose);
                prop_assert!(far.is_err());
                let Ok(clip) = clip else { continue };
                let joined = SampledClip::joined("b", vec![clip.clone(), clip.clone()]);
                prop_assert!(SampledClip::joined("b", Vec::new()).is_err());
                for clip in [Ok(clip), joined].into_iter().flatten() {
                    for (transform, tolerance) in [(Affine::new(n), n[4]), (Affine::IDENTITY, 0.25)] {
                        let options = VectorOptions {
                            tolerance, precision: Some(n[5] as u8), plays: Some(0), ..VectorOptions::new(Viewport::new(size, transform))
                        };
                        let _ = (animated_svg(&clip, &options), lottie(&clip, &options), dot_lottie(&clip, &options));
                    }
                }
            }
        }
    }

    #[test]
    fn clips_of_drawings_that_are_nested_deep() {
        for kind in nested::NESTED {
            let pose = |_: f64, frame: &mut Frame| -> Result<(), VectorError> {
                *frame = Frame::default();
                Ok(())
            };
            let clip =
                SampledClip::new(nested::deepest(kind), "a", 12.0, 2, false, pose).expect("two frames");
            let options =
                VectorOptions::new(Viewport::new(FrameSize::new(9, 9).expect("a size"), Affine::IDENTITY));
            let _ = (animated_svg(&clip, &options), lottie(&clip, &options), dot_lottie(&clip, &options));
        }
    }
}
