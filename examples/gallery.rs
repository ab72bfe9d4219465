//! Makes the contact sheet of every example: `assets/gallery/NAME.png`, a few frames of its first clip in one
//! row. With `--check` nothing is written, and the exit code is 1 if a sheet is out of date.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use looks::sheet::{Sheet, SheetOptions};
use render::{
    Background, Compress, Encoding, FrameContent, FrameName, FrameOptions, FrameSink, FrameSize,
    NumberedFiles, Pixmap, Raster,
};
use rig::FrameState;
use rig_format::{Disk, load, no_fonts};

/// The height of each frame in pixels.
const HEIGHT: u32 = 108;
/// Frames in a row: fewer of wide drawings.
const MOMENTS: [u64; 2] = [8, 6];
/// A drawing is wide above this ratio of width to height.
const WIDE: f64 = 1.3;
/// Pixels that may differ by more than one level on another processor.
const ALLOWED: usize = 60;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let check = std::env::args().any(|word| word == "--check");
    let mut wrong = Vec::new();
    for (name, rig) in examples()? {
        let sheet = contact_sheet(&rig)?;
        let file = file_of(&name);
        let current = Pixmap::load_png(&file).is_ok_and(|kept| is_same(&kept, &sheet));
        if check && !current {
            wrong.push(name);
        } else if !current {
            std::fs::create_dir_all(file.parent().unwrap_or(Path::new("")))?;
            let path = file.clone();
            let sink = NumberedFiles::with(move |_| path.clone()).encoded(Encoding::Png(Compress::Small));
            let bytes = sink.write(FrameName { number: 0 }, FrameContent::Pixels(&sheet))?;
            println!("{name}: {} x {}, {bytes} bytes", sheet.width(), sheet.height());
        }
    }
    if wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "not current in assets/gallery: {}; `cargo run -p bone-layer-examples --bin gallery` makes them",
        wrong.join(", ")
    );
    Ok(ExitCode::FAILURE)
}

/// The examples by their names, with their rigs.
fn examples() -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))? {
        let entry = entry?;
        let rig = entry.path().join("rig.ron");
        if rig.exists() {
            found.push((entry.file_name().to_string_lossy().into_owned(), rig));
        }
    }
    found.sort();
    Ok(found)
}

fn file_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/gallery").join(name).with_extension("png")
}

fn contact_sheet(rig: &Path) -> Result<Pixmap, Box<dyn Error>> {
    let scene = load(rig, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let drawing = scene.art().size();
    let moments = MOMENTS[usize::from(drawing.width > WIDE * drawing.height)];
    let clip = scene.clips().first();
    let frames = Sheet::moments(clip, scene.fps(), moments);
    let options = SheetOptions {
        cell: FrameSize::new(9 * HEIGHT, HEIGHT)?,
        columns: Some(frames.len()),
        lettered: true,
    };
    let sheet = Sheet::new(drawing, clip, frames, options)?;
    let (mut state, raster) = (FrameState::new(&scene), Raster::default());
    let options = FrameOptions { size: sheet.cell(), background: None };
    sheet.draw(&raster, Some(Background { rgba: [255; 4] }), |i, cell| {
        scene.pose(clip, sheet.frames()[i].time, &mut state)?;
        Ok(scene.draw(&mut state, &options, cell).map(|_| ())?)
    })
}

fn is_same(kept: &Pixmap, found: &Pixmap) -> bool {
    let pixels = kept.data().chunks_exact(4).zip(found.data().chunks_exact(4));
    let apart = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 1);
    (kept.width(), kept.height()) == (found.width(), found.height())
        && pixels.filter(apart).count() <= ALLOWED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gallery_is_current_and_small() {
        let all = examples().expect("examples");
        assert!(all.len() >= 13, "{all:?}");
        for (name, rig) in all {
            let found = contact_sheet(&rig).unwrap_or_else(|error| panic!("{name}: {error}"));
            let file = file_of(&name);
            let kept = Pixmap::load_png(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                is_same(&kept, &found),
                "{name}: `cargo run -p bone-layer-examples --bin gallery` makes it anew"
            );
            let bytes = std::fs::metadata(&file).expect("its size").len();
            assert!(bytes <= 60_000, "{name}: {bytes} bytes");
        }
    }
}
