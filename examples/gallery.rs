//! Makes the pictures of the examples, each of its first clip or its film: `assets/gallery/NAME.png`, a few frames in one row,
//! and `NAME.webp`, which moves; and `assets/walk.svg`, the animated SVG at the top of the README. With `--check`
//! nothing is written, and the exit code is 1 if a picture is out of date.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use bone_export::vector::{SampledClip, VectorOptions, animated_svg};
use bone_export::{Animation, PixelSize, PlayRate};
use bone_format::{Disk, load, no_fonts};
use bone_looks::sheet::{Sheet, SheetOptions};
use bone_render::{
    Background, Compress, Encoding, FrameContent, FrameName, FrameOptions, FrameSink, FrameSize,
    NumberedFiles, Pixmap, Raster, Viewport,
};
use bone_rig::{FrameState, Rig};

/// The height of each frame in pixels.
const HEIGHT: u32 = 108;
/// Frames in a row: fewer of wide drawings.
const MOMENTS: [u64; 2] = [8, 6];
/// A drawing is wide above this ratio of width to height.
const WIDE: f64 = 1.3;
/// The height of what moves in pixels, and its frames a second.
const MOVING: (u32, u32) = (140, 12);
/// The size of the animated SVG in pixels.
const SVG: (u32, u32) = (480, 600);
/// Pixels that may differ by more than one level on another processor.
const ALLOWED: usize = 60;

/// A file of the gallery.
enum Made {
    Still(Pixmap),
    /// Straight RGBA, row by row.
    Moving(PixelSize, Vec<Vec<u8>>),
    Text(String),
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let check = std::env::args().any(|word| word == "--check");
    let mut wrong = Vec::new();
    for (file, rig) in files()? {
        let made = make(&file, &rig)?;
        if made.is_current(&file) {
            continue;
        }
        if check {
            wrong.push(file.display().to_string());
        } else {
            println!("{}: {} bytes", file.display(), made.write(&file)?);
        }
    }
    if wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "not current: {}; `cargo run -p bone-layer-examples --bin gallery` makes them",
        wrong.join(", ")
    );
    Ok(ExitCode::FAILURE)
}

/// All files, each with its rig.
fn files() -> Result<Vec<(PathBuf, PathBuf)>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the examples are in no folder")?;
    let assets = root.join("assets");
    let mut files = Vec::new();
    for (name, rig) in examples()? {
        files.push((assets.join("gallery").join(&name).with_extension("png"), rig.clone()));
        // Films are too long to move in a table.
        if rig.ends_with("rig.ron") {
            files.push((assets.join("gallery").join(&name).with_extension("webp"), rig.clone()));
        }
        if name == "walk" {
            files.push((assets.join("walk.svg"), rig));
        }
    }
    Ok(files)
}

fn make(file: &Path, rig: &Path) -> Result<Made, Box<dyn Error>> {
    let rig = load(rig, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("webp") => moving(&rig),
        Some("svg") => vector(&rig),
        _ => Ok(Made::Still(contact_sheet(&rig)?)),
    }
}

impl Made {
    fn write(&self, file: &Path) -> Result<u64, Box<dyn Error>> {
        match self {
            Self::Still(sheet) => {
                let path = file.to_owned();
                let sink =
                    NumberedFiles::with(move |_| path.clone()).encoded(Encoding::Png(Compress::Balanced));
                Ok(sink.write(FrameName { number: 0 }, FrameContent::Pixels(sheet))?)
            }
            Self::Moving(size, frames) => {
                let rate = PlayRate { frames: MOVING.1, seconds: 1 };
                let mut out = Cursor::new(Vec::new());
                let mut writer = Animation::new(*size, frames.len() as u64, rate).writer("webp")?;
                frames.iter().try_for_each(|frame| writer.push(frame, &mut out))?;
                writer.finish(&mut out)?;
                let bytes = out.into_inner();
                std::fs::write(file, &bytes)?;
                Ok(bytes.len() as u64)
            }
            Self::Text(text) => {
                std::fs::write(file, text)?;
                Ok(text.len() as u64)
            }
        }
    }

    fn is_current(&self, file: &Path) -> bool {
        match self {
            Self::Still(sheet) => Pixmap::load_png(file).is_ok_and(|kept| {
                (kept.width(), kept.height()) == (sheet.width(), sheet.height())
                    && is_same(kept.data(), sheet.data())
            }),
            Self::Moving(size, frames) => is_shown(file, *size, frames).unwrap_or(false),
            Self::Text(text) => std::fs::read_to_string(file).is_ok_and(|kept| kept == *text),
        }
    }
}

/// Whether a file shows these frames, each at its time: equal ones are one frame in the file.
fn is_shown(file: &Path, size: PixelSize, frames: &[Vec<u8>]) -> Result<bool, Box<dyn Error>> {
    let mut decoder = image_webp::WebPDecoder::new(BufReader::new(File::open(file)?))?;
    if decoder.dimensions() != (size.width, size.height) {
        return Ok(false);
    }
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut shown = vec![0; channels * size.width as usize * size.height as usize];
    let (mut next, mut end) = (0, 0);
    for _ in 0..decoder.num_frames() {
        end += decoder.read_frame(&mut shown)?;
        let pixels: Vec<u8> = if channels == 4 {
            shown.clone()
        } else {
            shown
                .as_chunks::<3>()
                .0
                .iter()
                .flat_map(|[red, green, blue]| [*red, *green, *blue, 255])
                .collect()
        };
        // The frames that begin before its end, in rounded milliseconds.
        let begin = |frame: usize| (2000 * frame as u64 + u64::from(MOVING.1)) / (2 * u64::from(MOVING.1));
        while next < frames.len() && begin(next) < u64::from(end) {
            if !is_same(&pixels, &frames[next]) {
                return Ok(false);
            }
            next += 1;
        }
    }
    Ok(next == frames.len())
}

/// The frames of the first clip, over white.
fn moving(rig: &Rig) -> Result<Made, Box<dyn Error>> {
    let (drawing, clip) = (rig.art().size(), rig.clips().first().ok_or("the rig has no clip")?);
    let size = FrameSize::from_scale(drawing, f64::from(MOVING.0) / drawing.height)?;
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("the frame is too large")?;
    let (mut state, fps) = (FrameState::new(rig), f64::from(MOVING.1));
    let mut frames = Vec::new();
    for frame in 0..clip.frame_count(fps) {
        rig.pose(Some(clip), frame as f64 / fps, &mut state)?;
        rig.draw(&mut state, &options, &mut pixmap)?;
        // Opaque, so its colours are straight.
        frames.push(pixmap.data().to_vec());
    }
    Ok(Made::Moving(PixelSize { width: size.width(), height: size.height() }, frames))
}

/// The first clip as an animated SVG.
fn vector(rig: &Rig) -> Result<Made, Box<dyn Error>> {
    let clip = rig.clips().first().ok_or("the rig has no clip")?;
    let (fps, mut state) = (rig.fps(), FrameState::new(rig));
    let count = usize::try_from(clip.frame_count(fps))?;
    let drawing = Arc::clone(rig.posable().drawing());
    let looped = clip.time().looped;
    let sampled = SampledClip::new(drawing, clip.name(), fps, count, looped, |time, frame| {
        rig.pose(Some(clip), time, &mut state)?;
        frame.clone_from(state.frame());
        Ok::<(), Box<dyn Error>>(())
    })?;
    let size = FrameOptions { size: FrameSize::new(SVG.0, SVG.1)?, background: None };
    let (text, _) = animated_svg(&sampled, &VectorOptions::new(Viewport::fit(rig.art(), &size)))?;
    Ok(Made::Text(text))
}

/// The examples by their names, with their rigs or scenes.
fn examples() -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))? {
        let entry = entry?;
        let files = ["rig.ron", "scene.ron"].map(|name| entry.path().join(name));
        if let Some(rig) = files.into_iter().find(|rig| rig.exists()) {
            found.push((entry.file_name().to_string_lossy().into_owned(), rig));
        }
    }
    found.sort();
    Ok(found)
}

fn contact_sheet(scene: &Rig) -> Result<Pixmap, Box<dyn Error>> {
    let drawing = scene.art().size();
    let moments = MOMENTS[usize::from(drawing.width > WIDE * drawing.height)];
    let film = scene.clips().iter().find(|clip| clip.name() == "film");
    let clip = film.or(scene.clips().first());
    let frames = Sheet::moments(clip, scene.fps(), moments);
    let options = SheetOptions {
        cell: FrameSize::new(9 * HEIGHT, HEIGHT)?,
        columns: Some(frames.len()),
        lettered: true,
    };
    let sheet = Sheet::new(drawing, clip, frames, options)?;
    let (mut state, raster) = (FrameState::new(scene), Raster::default());
    let options = FrameOptions { size: sheet.cell(), background: None };
    sheet.draw(&raster, Some(Background { rgba: [255; 4] }), |i, cell| {
        scene.pose(clip, sheet.frames()[i].time, &mut state)?;
        Ok(scene.draw(&mut state, &options, cell).map(|_| ())?)
    })
}

fn is_same(kept: &[u8], found: &[u8]) -> bool {
    let pixels = kept.chunks_exact(4).zip(found.chunks_exact(4));
    let apart = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 1);
    pixels.filter(apart).count() <= ALLOWED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gallery_is_current_and_small() {
        let all = files().expect("examples");
        assert!(all.len() > 30, "{all:?}");
        // 200 kB an example on average: the README shows them all.
        let (mut sum, budget) = (0, all.len() as u64 / 2 * 200_000);
        for (file, rig) in all {
            let name = file.display();
            let made = make(&file, &rig).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                made.is_current(&file),
                "{name}: `cargo run -p bone-layer-examples --bin gallery` makes it anew"
            );
            let bytes = std::fs::metadata(&file).expect("its size").len();
            let most = if matches!(made, Made::Moving(..)) { 520_000 } else { 130_000 };
            assert!(bytes <= most, "{name}: {bytes} bytes");
            sum += bytes;
        }
        assert!(sum <= budget, "{sum} bytes of {budget}");
    }
}
