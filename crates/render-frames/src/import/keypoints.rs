//! Reads keypoints: a folder with one file for each frame, or one file with all frames.

use std::path::Path;

use bone_format::{Disk, Files, unreadable};
use bone_import::keypoints::{KeypointOptions, KeypointReader, find_series};
use bone_import::{ImportError, ViewDirection};

use super::capture::extension;
use super::recording::{Failure, Recording, failure, mistake_in};
use crate::args::ImportArgs;

/// Whether a recording contains keypoints: a folder, a JSON file, or a table.
pub(super) fn are_meant(motion: &Path) -> bool {
    motion.is_dir() || ["json", "csv", "tsv", "h5", "hdf5", "slp"].contains(&extension(motion).as_str())
}

/// Reads the keypoints of one person.
pub(super) fn read(args: &ImportArgs) -> Result<Recording, Failure> {
    if args.view != ViewDirection::SIDE || args.up.is_some() {
        let message =
            "keypoints are seen from where the camera stood: --view and --up are for captures in space";
        return Err(Failure::Usage(message.to_owned()));
    }
    if args.static_trial.is_some() {
        return Err(Failure::Usage(
            "--static is for markers, of which those of joints may be missing".to_owned(),
        ));
    }
    if args.figure.is_some() {
        let message = "--figure is for captures in space: the names of keypoints tell people and animals";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut reader = args.keypoints.points.map_or_else(KeypointReader::new, KeypointReader::of_layout);
    let mut notes = Vec::new();
    let motion = &args.motion;
    if motion.is_dir() {
        folder(args, &mut reader, &mut notes)?;
    } else {
        let bytes = bytes(motion)?;
        reader.add_file(&bytes).map_err(|error| mistake_in(motion, Some(&lossy(&bytes)), &error))?;
    }
    let keypoints = &args.keypoints;
    let mut options = KeypointOptions::default();
    options.rate = keypoints.video_fps.map_or(options.rate, |fps| fps.get());
    options.person = keypoints.person as usize;
    options.image_size =
        keypoints.picture.map(|size| (f64::from(size.width()), f64::from(size.height())).into());
    options.cutoff = (keypoints.smooth > 0.0).then_some(keypoints.smooth);
    let capture = reader.finish(&options).map_err(|error| mistake_in(motion, None, &error))?;
    if keypoints.video_fps.is_none() {
        notes.push("the video is assumed to have 30 frames a second: --video-fps changes it".to_owned());
    }
    notes.extend(capture.notes);
    let (frames, rate) = (capture.motion.frames(), capture.motion.rate());
    let message = format!(
        "keypoints, {}, {frames} frames at {rate} a second ({:.2} s), {} joints",
        capture.layout.name(),
        frames as f64 / rate,
        capture.motion.joints().len()
    );
    let mut options = vec![format!("--video-fps {rate}"), format!("--person {}", keypoints.person)];
    options.extend(keypoints.points.map(|layout| format!("--points {}", layout.word())));
    options.extend(keypoints.picture.map(|size| format!("--picture {}x{}", size.width(), size.height())));
    options.extend(keypoints.allow_missing.then(|| "--allow-missing".to_owned()));
    options.push(format!("--smooth {}", keypoints.smooth));
    Ok(Recording { motion: capture.motion, notes, message, options, ground: Vec::new() })
}

fn folder(args: &ImportArgs, reader: &mut KeypointReader, notes: &mut Vec<String>) -> Result<(), Failure> {
    let folder = &args.motion;
    let wrong = |error: &ImportError| mistake_in(folder, None, error);
    let closed = |error: std::io::Error| {
        failure(folder, unreadable(&Disk, "folder", folder, &error, &[]), Default::default())
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(closed)? {
        // A name that is not valid text cannot belong to a series.
        names.extend(entry.map_err(closed)?.file_name().into_string().ok());
    }
    names.sort();
    let ends = |name: &String, end: &str| name.to_ascii_lowercase().ends_with(end);
    if names.iter().any(|name| ends(name, ".bvh")) && !names.iter().any(|name| ends(name, ".json")) {
        let error = ImportError::new("this is a folder of captures")
            .help("pass one of them, or walk through all of them with --along way.svg");
        return Err(wrong(&error));
    }
    let found = find_series(&names).map_err(|error| wrong(&error))?;
    if args.keypoints.allow_missing {
        match found.missing_count {
            0 => {}
            1 => notes.push("1 frame has no file and is bridged".to_owned()),
            count => notes.push(format!("{count} frames have no file and are bridged")),
        }
    } else {
        found.check_complete().map_err(|error| wrong(&error))?;
    }
    if let Some(&other) = found.other_files.first() {
        let more = found.other_files.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("left out, because their names have no frame number: {}{more}", names[other]));
    }
    for (number, at) in found.frames {
        let path = folder.join(&names[at]);
        let bytes = bytes(&path)?;
        reader.add_frame(number, &bytes).map_err(|error| mistake_in(&path, Some(&lossy(&bytes)), &error))?;
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    Disk.read(path).map_err(|error| {
        failure(path, unreadable(&Disk, "keypoints", path, &error, &["json", "csv"]), Default::default())
    })
}

/// Bytes as text to show a place in; invalid parts are replaced.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
