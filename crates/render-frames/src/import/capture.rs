//! Reads captures in space: each format by its extension.

use std::io;
use std::path::{Component, Path, PathBuf};

use bone_authoring::ShortNumber;
use bone_format::span::Sources;
use bone_format::{Disk, Files, unreadable};
use bone_import::gltf::{self, GltfOptions};
use bone_import::{FigureKind, ImportError, SignedAxis, SpaceMotion, ViewDirection, amc, bvh, project, trc};

use super::recording::{Failure, Recording, failure, file_name, mistake_in, stem, view_word};
use crate::args::ImportArgs;

/// The extensions of captures.
pub(super) const CAPTURES: [&str; 7] = ["bvh", "amc", "trc", "glb", "gltf", "vrm", "vrma"];

/// How a capture is read and seen.
pub(super) struct CaptureOptions<'a> {
    pub(super) view: ViewDirection,
    pub(super) up: Option<SignedAxis>,
    /// Frames a second, for files that have no rate.
    pub(super) rate: Option<f64>,
    /// The animation of a file with several.
    pub(super) animation: Option<&'a str>,
    /// What is made of the skeleton; `None` if its shape tells.
    pub(super) figure: Option<FigureKind>,
    /// A static trial of markers.
    pub(super) static_trial: Option<&'a Path>,
}

impl<'a> CaptureOptions<'a> {
    pub(super) fn of(args: &'a ImportArgs) -> Self {
        Self {
            view: args.view,
            up: args.up,
            rate: args.keypoints.video_fps.map(|fps| fps.get()),
            animation: args.animation.as_deref(),
            figure: args.figure.map(Into::into),
            static_trial: args.static_trial.as_deref(),
        }
    }
}

/// The extension of a capture, in lower case.
pub(super) fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |end| end.to_string_lossy().to_ascii_lowercase())
}

/// Reads a capture and projects it.
pub(super) fn recorded(path: &Path, wanted: &CaptureOptions<'_>) -> Result<Recording, Failure> {
    let CaptureOptions { view, up, rate, animation, figure, static_trial } = *wanted;
    let end = extension(path);
    let is_gltf = ["glb", "gltf", "vrm", "vrma"].contains(&end.as_str());
    if animation.is_some() && !is_gltf {
        return Err(Failure::Usage("--animation is for glTF files, which may have several".to_owned()));
    }
    if static_trial.is_some() && end != "trc" {
        return Err(Failure::Usage(
            "--static is for markers, of which those of joints may be missing".to_owned(),
        ));
    }
    let motion = match end.as_str() {
        "amc" => captured_amc(path, rate)?,
        "trc" => {
            let text = text_of(path, "recording", &["trc"])?;
            let trial = static_trial.map(static_of).transpose()?;
            trc::read(&text, trial.as_ref()).map_err(|error| mistake_in(path, Some(&text), &error))?
        }
        _ if is_gltf => captured_gltf(path, wanted)?,
        "c3d" => {
            let error = ImportError::new("C3D files are not read")
                .help("convert it to .trc, for example with Mokka, OpenSim or Vicon Nexus");
            return Err(mistake_in(path, None, &error));
        }
        _ => {
            let text = text_of(path, "recording", &["bvh", "amc", "glb", "json"])?;
            bvh::read(&text).map_err(|error| mistake_in(path, Some(&text), &error))?
        }
    };
    let motion = motion.of_kind(figure);
    let projected = project(&motion, view, up).map_err(|error| mistake_in(path, None, &error))?;
    let joints = motion.joint_count();
    let notes = projected.notes;
    let motion = projected.motion;
    let (frames, rate) = (motion.frames(), motion.rate());
    let message = format!(
        "{frames} frames at {:.4} a second ({:.2} s), {} joints, {} is up",
        ShortNumber(rate),
        frames as f64 / rate,
        joints,
        projected.up.name()
    );
    let mut options = vec![format!("--view {}", view_word(view))];
    options.extend(up.map(|up| format!("--up {}", up.name())));
    options.extend(figure.map(|figure| match figure {
        FigureKind::Person => "--figure person".to_owned(),
        FigureKind::Joints => "--figure joints".to_owned(),
    }));
    options.extend(static_trial.map(|trial| format!("--static {}", file_name(trial))));
    options.extend(animation.map(|animation| format!("--animation \"{animation}\"")));
    Ok(Recording { motion, notes, message, options, ground: Vec::new() })
}

/// Reads an animation of a glTF file. Buffers may be files in its folder and below.
fn captured_gltf(path: &Path, wanted: &CaptureOptions<'_>) -> Result<SpaceMotion, Failure> {
    let closed = |error: io::Error| {
        failure(path, unreadable(&Disk, "recording", path, &error, &CAPTURES), Sources::new())
    };
    let bytes = Disk.read(path).map_err(closed)?;
    let mut options = GltfOptions::default();
    options.animation = wanted.animation.map(str::to_owned);
    options.rate = wanted.rate;
    let folder = path.parent().unwrap_or(Path::new(""));
    gltf::read(&bytes, &options, &mut |uri| beside(folder, uri)).map_err(|error| {
        let text = std::str::from_utf8(&bytes).ok();
        mistake_in(path, text.filter(|_| error.span.is_some()), &error)
    })
}

/// The bytes of a file that another one names, relative to its folder. Links that lead out of the folder are
/// errors.
pub(super) fn beside(folder: &Path, uri: &str) -> Result<Vec<u8>, ImportError> {
    let shown: String = uri.chars().take(80).collect();
    let wrong = |reason: &str| ImportError::new(format!("\"{shown}\" is not read: {reason}"));
    let outside = || {
        wrong("it is not in the folder of the recording")
            .help("put it beside the recording and name it alone")
    };
    if uri.contains("://") {
        return Err(wrong("nothing is loaded from the network"));
    }
    let name = unescaped(uri).ok_or_else(|| wrong("its name is not text"))?;
    let plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.is_empty() || !Path::new(&name).components().all(plain) {
        return Err(outside());
    }
    let readable = |error: io::Error| wrong(&error.to_string());
    let home = Disk.resolve(folder).map_err(readable)?;
    let found = Disk.resolve(&folder.join(&name)).map_err(readable)?;
    if !found.starts_with(&home) {
        return Err(outside());
    }
    Disk.read(&found).map_err(readable)
}

/// A name without the escapes of an address, such as `%20`.
fn unescaped(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push((16 * high + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

/// The text of a capture.
fn text_of(path: &Path, what: &str, ends: &[&str]) -> Result<String, Failure> {
    let bytes = Disk
        .read(path)
        .map_err(|error| failure(path, unreadable(&Disk, what, path, &error, ends), Sources::new()))?;
    let text = bvh::decode(&bytes).map_err(|error| mistake_in(path, None, &error))?;
    Ok(text.into_owned())
}

/// Reads a static trial of markers.
fn static_of(path: &Path) -> Result<trc::StaticTrial, Failure> {
    let text = text_of(path, "static trial", &["trc"])?;
    trc::read_static(&text).map_err(|error| mistake_in(path, Some(&text), &error))
}

/// The rate of the captures of the CMU database, frames a second.
const AMC_RATE: f64 = 120.0;

/// Reads an AMC file with its skeleton: the .asf of the same name, of the same subject (`12.asf` for
/// `12_01.amc`), or the only one in its folder.
fn captured_amc(path: &Path, rate: Option<f64>) -> Result<SpaceMotion, Failure> {
    let skeleton = skeleton_of(path)?;
    let text = text_of(&skeleton, "skeleton", &["asf"])?;
    let bones = amc::read_skeleton(&text).map_err(|error| mistake_in(&skeleton, Some(&text), &error))?;
    let text = text_of(path, "recording", &["amc"])?;
    let motion = amc::read_motion(&bones, &text, rate.unwrap_or(AMC_RATE))
        .map_err(|error| mistake_in(path, Some(&text), &error))?;
    let note = format!("the skeleton is that of {}", file_name(&skeleton));
    let assumed =
        format!("the file has no rate: {AMC_RATE} frames a second are assumed, --video-fps changes it");
    Ok(if rate.is_some() { motion.noted(&[note]) } else { motion.noted(&[note, assumed]) })
}

fn skeleton_of(path: &Path) -> Result<PathBuf, Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    found.retain(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("asf")));
    found.sort();
    let name = stem(path);
    let subject = name.split(['_', '-']).next().unwrap_or_default().to_owned();
    let named = |wanted: &str| found.iter().find(|path| stem(path).eq_ignore_ascii_case(wanted)).cloned();
    let only = || (found.len() == 1).then(|| found[0].clone());
    named(&name).or_else(|| named(&subject)).or_else(only).ok_or_else(|| {
        let message = match found.len() {
            0 => "there is no .asf file beside it, and an .amc file has no skeleton".to_owned(),
            count => format!("there are {count} .asf files beside it, and none has its name"),
        };
        let of_subject = if subject == name { String::new() } else { format!(" or {subject}.asf") };
        let help = format!("put its skeleton beside it, as {name}.asf{of_subject}");
        mistake_in(path, None, &ImportError::new(message).help(help))
    })
}
