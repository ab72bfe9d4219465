//! Clips as vector files: animated SVG and Lottie.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_drawing::{ElementId, Frame};
use bone_export::vector::{Loss, SampledClip, VectorError, VectorOptions, VectorReport};
use bone_render::WholeFile;
use bone_rig::FrameState;

use super::plan::{PlannedClip, RenderPlan};
use crate::args::RenderArgs;
use crate::events;
use crate::exit::Exit;
use crate::report::print_line;

/// Makes the bytes of a file.
type WriteVector = fn(&SampledClip, &VectorOptions) -> Result<(Vec<u8>, VectorReport), VectorError>;

/// Writes the clips: each into a file, or several with one name into one.
pub(super) fn write_all(plan: &RenderPlan<'_>, write: WriteVector, args: &RenderArgs) -> Exit {
    let options = VectorOptions {
        tolerance: args.animation.tolerance.unwrap_or(0.25),
        precision: args.animation.precision,
        plays: match args.animation.plays() {
            bone_export::Plays::Endless => None,
            bone_export::Plays::Times(times) => Some(u32::from(times.get())),
        },
        ..VectorOptions::new(plan.view)
    };
    for clips in plan.planned_clips.chunk_by(|one, other| one.target.path(0) == other.target.path(0)) {
        if let Err(message) = write_one(plan, write, args, clips, &options) {
            print_line(&message);
            return Exit::Failed;
        }
    }
    Exit::Fine
}

fn write_one(
    plan: &RenderPlan<'_>,
    write: WriteVector,
    args: &RenderArgs,
    planned: &[PlannedClip<'_>],
    options: &VectorOptions,
) -> Result<(), String> {
    if args.overlay.is_some() {
        return Err("--overlay draws on frames, and this is a vector file".to_owned());
    }
    let path = planned[0].target.path(0);
    let made = made(plan, write, planned, options);
    let (bytes, report, frames) = made.map_err(|message| format!("{}: {message}", path.display()))?;
    let mut file = WholeFile::create(&path).map_err(|error| error.to_string())?;
    std::io::Write::write_all(&mut file, &bytes).map_err(|error| file.error(error).to_string())?;
    file.finish().map_err(|error| error.to_string())?;
    for loss in &report.losses {
        print_line(&format!("warning: {loss}"));
    }
    if !args.quiet {
        print_line(&format!(
            "{frames} frames at {} a second, {} keys ({} of outlines), {:.2} px off at most, {:.1} kB -> {}",
            plan.fps.get(),
            report.keys,
            report.outline_keys,
            report.error,
            bytes.len() as f64 / 1e3,
            path.display()
        ));
    }
    Ok(())
}

/// The bytes of a file of some clips, what is said of it, and its frames.
pub(super) fn made(
    plan: &RenderPlan<'_>,
    write: WriteVector,
    planned: &[PlannedClip<'_>],
    options: &VectorOptions,
) -> Result<(Vec<u8>, VectorReport, usize), String> {
    let mut bent = BTreeSet::new();
    let clips = planned.iter().map(|planned| sampled(plan, planned, &mut bent));
    let mut clips = clips.collect::<Result<Vec<_>, _>>()?;
    let clip = match clips.pop() {
        Some(only) if clips.is_empty() => only,
        last => {
            clips.extend(last);
            let path = planned[0].target.path(0);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            SampledClip::joined(&name, clips).map_err(|error| error.to_string())?
        }
    };
    let (bytes, mut report) = write(&clip, options).map_err(|error| error.to_string())?;
    report.losses.extend(bent.into_iter().map(|element| Loss {
        art: format!("\"{}\"", plan.scene.art().shown_name(element)),
        what: "its gradients do not bend, but follow it by one affine map".to_owned(),
    }));
    Ok((bytes, report, clip.frame_count()))
}

/// A clip at its frames and halfway between them. Adds the art whose gradients bend in it.
fn sampled(
    plan: &RenderPlan<'_>,
    planned: &PlannedClip<'_>,
    bent: &mut BTreeSet<ElementId>,
) -> Result<SampledClip, String> {
    let (scene, frames) = (plan.scene, &planned.frames);
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
        return Err(VectorError::NoFrames.to_string());
    };
    if last - first + 1 != frames.len() as u64 {
        return Err("a vector file has frames without gaps, as in --frames 0-23".to_owned());
    }
    let all = planned.clip.map_or(1, |clip| clip.frame_count(plan.fps.get()));
    let whole = *first == 0 && frames.len() as u64 == all;
    let looping = whole && planned.clip.is_some_and(|clip| clip.time().looped);
    let start = plan.fps.time(*first);
    let events = events::of_frames(scene, planned.clip, plan.fps, frames)?;
    let mut state = FrameState::new(scene);
    let drawing = Arc::clone(scene.posable().drawing());
    let fill = |time: f64, frame: &mut Frame| {
        let posed = scene.pose_with(planned.clip, start + time, &plan.overrides, &mut state);
        posed.map_err(|error| Trouble(error.to_string()))?;
        scene.frame_in_pieces(&state, frame);
        bent.extend(scene.bent_paints(&state));
        Ok(())
    };
    SampledClip::new(drawing, planned.name(), plan.fps.get(), frames.len(), looping, fill)
        .map(|clip| clip.with_events(events))
        .map_err(|Trouble(message)| message)
}

/// A message: an error of the exporter, or of the rig.
struct Trouble(String);

impl From<VectorError> for Trouble {
    fn from(error: VectorError) -> Self {
        Self(error.to_string())
    }
}
