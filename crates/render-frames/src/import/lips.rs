//! `import line.tsv --rig hero.ron --mouth mouths`: lip sync becomes keys of a group of mouths; a recording brings its sound along.

use std::path::Path;

use bone_authoring::{LipOptions, lip_keys};
use bone_format::doc::RigDoc;
use bone_format::session::Session;
use bone_format::{Disk, Files as _, unreadable};
use bone_import::lips::{LipFile, LipTrack, read};

use super::recording::{Failure, failure, file_name, mistake_in, stem};
use super::speech;
use super::{mistakes, noted, opened, refused};
use crate::args::ImportArgs;
use crate::edited_rig::{self, relative};

/// Keys for a group of an existing rig.
pub(super) fn keys(args: &ImportArgs, rig: &Path, group: &str) -> Result<String, Failure> {
    let mut session = opened(args, rig)?;
    if session.rig().is_none() || !session.is_current() {
        return Err(mistakes(&session, rig));
    }
    let is_sound = speech::is_meant(&args.motion);
    if args.text.is_some() && !is_sound {
        return Err(Failure::Usage(format!("--text is for sounds, and {} is none", args.motion.display())));
    }
    let track = match is_sound {
        true => speech::track(&args.motion, args.text.as_deref(), &args.language)?,
        false => track(&args.motion, &session)?,
    };
    let output = args.output.as_deref().unwrap_or(rig);
    let sound = is_sound.then(|| relative(output.parent().unwrap_or(Path::new("")), &args.motion));
    let clip = args.clip.clone().unwrap_or_else(|| stem(&args.motion));
    let options = LipOptions {
        group: group.to_owned(),
        mouths: args.mouths.clone(),
        clip: clip.clone(),
        at: args.at,
        sound,
        origin: format!("Mouths of {}.", file_name(&args.motion)),
    };
    let made = lip_keys(&session, &track, &options).map_err(|error| refused(args, error))?;
    session.apply_all("Import lip sync", &made.edits).map_err(|error| Failure::Failed(error.to_string()))?;
    let written = edited_rig::save(&mut session, rig, output, args.existing).map_err(Failure::Failed)?;
    Ok(noted(&made.notes, &format!("{written}: clip \"{clip}\", {}", made.summary)))
}

fn track(path: &Path, session: &Session) -> Result<LipTrack, Failure> {
    let kinds = ["tsv", "xml", "json", "dat", "TextGrid", "srt", "vtt"];
    let Some(kind) = LipFile::by_name(&file_name(path)) else {
        return Err(Failure::Usage(format!(
            "{} is no lip sync: it ends in .{}",
            path.display(),
            kinds.join(", .")
        )));
    };
    let bytes = Disk.read(path).map_err(|error| {
        failure(path, unreadable(&Disk, "lip sync", path, &error, &kinds), bone_format::span::Sources::new())
    })?;
    let fps = session.doc().and_then(|doc| doc.fps.as_ref()).map_or(RigDoc::FPS, |fps| fps.value);
    read(kind, &bytes, fps).map_err(|error| mistake_in(path, std::str::from_utf8(&bytes).ok(), &error))
}
