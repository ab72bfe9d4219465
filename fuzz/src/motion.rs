//! Bytes as recorded motion: read, laid flat, put onto a figure, cut and fitted. Nothing may panic or hang, and what comes out is finite.

use bone_import::bvh;
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::fit::fit;
use bone_import::keypoints::{KeypointOptions, KeypointReader};
use bone_import::retarget::{RetargetOptions, RigMap, retarget};
use bone_import::gltf::{self, GltfOptions};
use bone_import::{ImportError, PlanarMotion, ViewDirection, cycle, project};

const OPTIONS: FigureOptions =
    FigureOptions::new(300.0);

/// Bytes as a BVH file.
pub fn recording(data: &[u8]) {
    let Ok(text) = bvh::decode(data) else { return };
    let Ok(recording) = bvh::read(&text) else { return };
    let Ok(projected) = project(&recording, ViewDirection::SIDE, None) else { return };
    onward(&projected.motion);
}

/// Bytes as a glTF file without files beside it.
pub fn gltf(data: &[u8]) {
    let mut nothing = |_: &str| Err(ImportError::new("no file is beside it"));
    let Ok(recording) = gltf::read(data, &GltfOptions::default(), &mut nothing) else { return };
    let Ok(projected) = project(&recording, ViewDirection::SIDE, None) else { return };
    onward(&projected.motion);
}

/// Bytes as keypoints: one file of a folder, and all of a video.
pub fn keypoints(data: &[u8]) {
    let mut options = KeypointOptions::default();
    options.image_size = Some(kurbo::Size::new(640.0, 480.0));
    let mut folder = KeypointReader::new();
    for frame in [0, 1, 9] {
        let _ = folder.add_frame(frame, data);
    }
    let mut video = KeypointReader::new();
    let _ = video.add_file(data);
    for reader in [folder, video] {
        if let Ok(capture) = reader.finish(&options) {
            onward(&capture.motion);
        }
    }
}

fn onward(motion: &PlanarMotion) {
    let frames = || (0..motion.frames()).flat_map(|frame| motion.frame(frame));
    assert!(frames().all(|place| place.is_finite()));
    // Long ones cost time and show nothing new.
    if motion.frames() > 400 {
        return;
    }
    if let Some(found) = cycle::find(motion) {
        cycle::closed(motion, &found).expect("a cycle lies within");
    }
    let Ok(figure) = build_figure(motion, &OPTIONS) else { return };
    if motion.body().is_whole() {
        let map = RigMap::by_names(&figure.skeleton);
        let options = RetargetOptions { on_the_spot: true, looped: false, ..RetargetOptions::default() };
        if let Ok(moved) = retarget(motion, &motion.body(), &figure.skeleton, &map, options) {
            let _ = fit(&figure.skeleton, &moved.take, 3.0);
        }
    }
    if let Ok(fitted) = fit(&figure.skeleton, &figure.take, 3.0) {
        fitted.clip.clip(&figure.skeleton).expect("keys make a clip");
    }
}
