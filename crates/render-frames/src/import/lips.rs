//! `import line.tsv --rig hero.ron --mouth mouths`: lip sync becomes keys of a group of mouths.

use std::path::Path;

use bone_authoring::{LipOptions, lip_keys};
use bone_format::doc::RigDoc;
use bone_format::session::Session;
use bone_format::{Disk, Files as _, unreadable};
use bone_import::lips::{LipFile, LipTrack, read};

use super::recording::{Failure, failure, file_name, mistake_in, stem};
use super::{mistakes, noted, opened, refused};
use crate::args::ImportArgs;
use crate::edited_rig;

/// Keys for a group of an existing rig.
pub(super) fn keys(args: &ImportArgs, rig: &Path, group: &str) -> Result<String, Failure> {
    let mut session = opened(args, rig)?;
    if session.rig().is_none() || !session.is_current() {
        return Err(mistakes(&session, rig));
    }
    let track = track(&args.motion, &session)?;
    let clip = args.clip.clone().unwrap_or_else(|| stem(&args.motion));
    let options = LipOptions {
        group: group.to_owned(),
        mouths: args.mouths.clone(),
        clip: clip.clone(),
        at: args.at,
        origin: format!("Mouths of {}.", file_name(&args.motion)),
    };
    let made = lip_keys(&session, &track, &options).map_err(|error| refused(args, error))?;
    session.apply_all("Import lip sync", &made.edits).map_err(|error| Failure::Failed(error.to_string()))?;
    let output = args.output.as_deref().unwrap_or(rig);
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
