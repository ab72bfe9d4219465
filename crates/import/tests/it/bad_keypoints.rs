//! Invalid keypoints: their messages and places. `tests/motion/bad-keypoints` has one file for each mistake
//! with the message beside it; `RENEW=1` writes the messages anew. Files named `all-...` contain all frames,
//! the others are one frame of a folder.

use bone_import::ImportError;
use bone_import::keypoints::{KeypointOptions, KeypointReader};

/// Runs all steps on a file.
fn run_all_steps(name: &str, bytes: &[u8]) -> Result<usize, ImportError> {
    let mut reader = KeypointReader::new();
    if name.starts_with("all-") {
        reader.add_file(bytes)?;
    } else {
        reader.add_frame(0, bytes)?;
        reader.add_frame(1, bytes)?;
    }
    Ok(reader.finish(&KeypointOptions::default())?.motion.frames())
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    crate::mistakes::every_mistake_is_reported("bad-keypoints", "json", |name, bytes| {
        let found = run_all_steps(name, bytes).map(|frames| format!("{frames} frames"));
        found.map_err(|error| (error, String::from_utf8_lossy(bytes).into_owned()))
    });
}
