//! Bytes as a packed rig. Length and checksum are made to fit, so that what is behind the header has to refuse it.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use bone_archive::checksum;
use bone_render::{FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Rig};
use bone_format::{load as load_rig, no_fonts};

/// The length of the header: name, version, length and checksum.
const HEADER: usize = 28;

/// A good packed rig, whose name and version the tried ones get.
static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let files = crate::Two { rig: crate::RIG.to_owned(), svg: crate::SVG.to_owned() };
    load_rig(Path::new("rig.ron"), Arc::new(files), &no_fonts).rig.map(|rig| rig.save()).unwrap_or_default()
});

/// Loads, poses and draws what is not refused, and packs it again.
pub fn load(data: &[u8]) {
    let mut bytes = data.to_owned();
    if let Some((header, payload)) = bytes.split_at_mut_checked(HEADER) {
        header[..12].copy_from_slice(&GOOD[..12]);
        header[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        header[20..28].copy_from_slice(&checksum(payload).to_le_bytes());
    }
    let rig = match Rig::load(&bytes) {
        Ok(rig) => rig,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let again = Rig::load(&rig.save()).map(|rig| rig.save());
    assert!(again.is_ok_and(|again| again == rig.save()), "what was loaded is packed and loaded again");
    let mut state = FrameState::new(&rig);
    for clip in rig.clips().iter().take(2).map(Some).chain([None]) {
        // Long clips with springs are simulated in full.
        if clip.is_some_and(|clip| clip.time().length > 20.0) && !rig.springs().is_empty() {
            continue;
        }
        for time in [0.0, 0.37, -1e9] {
            if rig.pose(clip, time, &mut state).is_ok() {
                rig.write_svg(&mut state);
            }
        }
    }
    let (Ok(size), Some(mut drawn)) = (FrameSize::new(24, 24), Pixmap::new(24, 24)) else { return };
    let _ = rig.draw(&mut state, &FrameOptions { size, background: None }, &mut drawn);
}
