//! Sounds of clips in videos: which of them are heard in frames, and from where to where. ffmpeg reads and mixes them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bone_core::in_few_digits;
use bone_export::{FORMATS, FileFormat, FilmSound, MOST_SOUNDS, SOUND_FORMATS};
use bone_format::{Files, sound_path};
use bone_rig::{EventPayload, Rig, RigClip};

use crate::events::MOST_EVENTS;
use crate::frames::Fps;
use crate::report::print_line;

/// Seconds by which a sound may outlast the last frame without a word.
const UNHEARD: f64 = 0.05;

/// Whether files of a format hold sound.
pub(crate) fn fits(format: Option<&FileFormat>) -> bool {
    format.is_some_and(|format| format.has("no-sound"))
}

/// The files that a rig names for its sounds, as far as they are there.
pub(crate) fn paths(scene: &Rig, rig: &Path, files: &dyn Files) -> Vec<PathBuf> {
    let sounds = scene.events().iter().filter(|event| matches!(event.payload, EventPayload::Sound(_)));
    sounds.filter_map(|event| sound_path(files, rig, &event.name).ok()).collect()
}

/// Whether something is heard while a clip plays.
pub(crate) fn has_sound(scene: &Rig, clip: &RigClip, fps: Fps) -> bool {
    let (events, _) = clip.frame_events(fps.get(), 0..clip.frame_count(fps.get()), MOST_EVENTS);
    let mut events = events.iter().filter_map(|found| scene.events().get(found.event.index()));
    events.any(|event| matches!(event.payload, EventPayload::Sound(_)))
}

/// Says that an output has no sound, and which have it.
pub(crate) fn note_left_out(why: &str) {
    let with: Vec<String> = FORMATS
        .iter()
        .filter(|format| format.has("no-sound"))
        .map(|format| format!(".{}", format.ending))
        .collect();
    print_line(&format!("note: sound is left out{why}; {} of a clip have it", with.join(", ")));
}

/// What is heard in frames of a clip: what begins in them, and what still sounds from before.
pub(crate) fn heard(
    (scene, clip): (&Rig, &RigClip),
    (fps, frames): (Fps, &[u64]),
    (rig, files): (&Path, &dyn Files),
    quiet: bool,
) -> Result<Vec<FilmSound>, String> {
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Ok(Vec::new()) };
    let (begun, more) = clip.frame_events(fps.get(), 0..last.saturating_add(1), MOST_EVENTS);
    let in_row = frames.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let (start, end) = (fps.time(*first), fps.time(last.saturating_add(1)));
    let mut sounds: Vec<FilmSound> = Vec::new();
    for found in begun {
        let Some(event) = scene.events().get(found.event.index()) else { continue };
        let EventPayload::Sound(sound) = event.payload else { continue };
        if more || !in_row {
            note_left_out(&format!(" of \"{}\", whose frames are not one after the other", clip.name()));
            return Ok(Vec::new());
        }
        let path = sound_path(files, rig, &event.name).map_err(|found| {
            let help = found.help.first().map_or(String::new(), |help| format!("\n{help}"));
            format!("{}{help}\n--no-sound makes the video without it", found.message)
        })?;
        let (whole, mono) = match sounds.iter().find(|other| other.path == path) {
            Some(other) => (other.from + other.length, other.mono),
            None => measured(&path)?,
        };
        let (at, length) = (found.time - start, whole - sound.from);
        if length <= 0.0 {
            return Err(format!(
                "{}: it lasts {} s, and {} s of it are left out",
                path.display(),
                in_few_digits(whole),
                in_few_digits(sound.from)
            ));
        }
        let over = found.time + length - end;
        if over > UNHEARD && !quiet {
            print_line(&format!(
                "note: the last {over:.2} s of {} are cut off, {length:.2} s from {:.2} s on: the video ends at {end:.2} s",
                event.name, found.time
            ));
        }
        if sounds.len() == MOST_SOUNDS {
            return Err(format!(
                "\"{}\" has more than {MOST_SOUNDS} sounds in these frames: make several videos of it, or --no-sound",
                clip.name()
            ));
        }
        if at + length > 0.0 {
            let (from, gain, fade) = (sound.from, sound.gain, sound.fade);
            sounds.push(FilmSound { path, at, from, length, mono, gain, fade });
        }
    }
    Ok(sounds)
}

/// The seconds of a sound, and whether it has one channel. ffprobe, which comes with ffmpeg, measures it.
fn measured(path: &Path) -> Result<(f64, bool), String> {
    let mut name = std::ffi::OsString::from("file:");
    name.push(path);
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-protocol_whitelist", "file", "-format_whitelist", SOUND_FORMATS]);
    command.args(["-select_streams", "a:0", "-show_entries", "stream=codec_type,channels:format=duration"]);
    command.args(["-of", "csv=p=0", "-i"]).arg(name).stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        format!("{} is measured by ffprobe, which comes with ffmpeg: {error}", path.display())
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(str::trim);
    let channels = lines.next().and_then(|line| line.strip_prefix("audio,")?.parse::<u32>().ok());
    let seconds = lines.next().and_then(|line| line.parse::<f64>().ok());
    let found = channels.zip(seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0));
    found.map(|(channels, seconds)| (seconds, channels == 1)).ok_or_else(|| {
        let reason = String::from_utf8_lossy(&output.stderr);
        let reason =
            reason.lines().last().map_or("it has none", |line| line.rsplit(": ").next().unwrap_or(line));
        format!("{} cannot be used as sound: {reason}", path.display())
    })
}
