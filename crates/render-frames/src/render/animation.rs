//! Files of all frames of a clip: the frames of the plan, for [`crate::animation`].

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use bone_export::{ExportEvent, FileFormat, FilmSound, PixelSize, PlayRate};
use bone_format::Files;
use bone_render::{Background, FrameRate};
use bone_rig::Rig;

use super::draw::ThreadScratch;
use super::plan::RenderPlan;
use super::{RenderFailure, RenderResult, Tally, in_frame};
use crate::animation::{self, AnimationJob, AnimationTally, Ended, FrameSource, SourceClip};
use crate::args::RenderArgs;
use crate::{events, sound};

/// Writes the files of all clips.
pub(super) fn write_all(
    plan: &RenderPlan<'_>,
    format: &'static FileFormat,
    (args, files): (&RenderArgs, &dyn Files),
    stop: &AtomicBool,
) -> RenderResult {
    let failed = |message| RenderResult {
        tally: Tally::default(),
        trouble: Some(RenderFailure::Words(message)),
        interrupted: false,
    };
    let pivot = match args.animation.pivot.as_deref().map(|bone| pivot(plan, bone)).transpose() {
        Ok(pivot) => pivot,
        Err(message) => return failed(message),
    };
    let FrameRate { numerator, denominator } = FrameRate::nearest(plan.fps.get());
    let background = plan.view.background.and_then(|Background { rgba }| match rgba {
        [red, green, blue, 255] => Some([red, green, blue]),
        _ => None,
    });
    let job = AnimationJob {
        format,
        options: &args.animation,
        size: PixelSize { width: plan.view.size.width(), height: plan.view.size.height() },
        rate: PlayRate { frames: numerator, seconds: denominator },
        background,
        opaque: background.is_some(),
        pivot,
        jobs: plan.jobs,
        progress: args.progress,
        quiet: args.quiet,
        stop,
    };
    let events = plan.planned_clips.iter().filter(|_| format.is_sheet());
    let events = events.map(|planned| events::of_frames(plan.scene, planned.clip, plan.fps, &planned.frames));
    let events = match events.collect::<Result<_, _>>() {
        Ok(events) => events,
        Err(message) => return failed(message),
    };
    let mut sounds = Vec::new();
    for planned in plan.planned_clips.iter().filter(|_| sound::fits(Some(format)) && !args.animation.no_sound)
    {
        let heard = planned.clip.map(|clip| {
            sound::heard((plan.scene, clip), (plan.fps, &planned.frames), (&args.rig, files), args.quiet)
        });
        match heard.unwrap_or(Ok(Vec::new())) {
            Ok(heard) => sounds.push(heard),
            Err(message) => return failed(message),
        }
    }
    let source = PlanFrames { plan, events, sounds, tally: Mutex::default() };
    let (AnimationTally { frames, bytes, flattened }, done) = animation::write_all(&source, &job);
    let (interrupted, trouble) = match done {
        Ok(()) => (false, None),
        Err(Ended::Interrupted) => (true, None),
        Err(Ended::Failed(message)) => (false, Some(RenderFailure::Words(message))),
    };
    let drawn = source.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    RenderResult { tally: Tally { frames, bytes, flattened, ..drawn }, trouble, interrupted }
}

/// Draws the frames of a plan.
struct PlanFrames<'a> {
    plan: &'a RenderPlan<'a>,
    /// Of each clip.
    events: Vec<Vec<ExportEvent>>,
    sounds: Vec<Vec<FilmSound>>,
    tally: Mutex<Tally>,
}

impl FrameSource for PlanFrames<'_> {
    /// A thread without frames needs no memory.
    type Scratch = Option<ThreadScratch>;

    fn clips(&self) -> Vec<SourceClip> {
        let clips = self.plan.planned_clips.iter().enumerate().map(|(at, planned)| SourceClip {
            name: planned.name().to_owned(),
            frames: planned.frames.len(),
            looped: planned.clip.is_none_or(|clip| clip.time().looped),
            events: self.events.get(at).cloned().unwrap_or_default(),
            sounds: self.sounds.get(at).cloned().unwrap_or_default(),
            path: planned.target.path(0),
        });
        clips.collect()
    }

    fn number(&self, clip: usize, at: usize) -> u64 {
        self.plan.frame_of(clip, at).frame
    }

    fn scratch(&self) -> Option<ThreadScratch> {
        None
    }

    fn frame(
        &self,
        scratch: &mut Option<ThreadScratch>,
        clip: usize,
        at: usize,
        pixels: &mut Vec<u8>,
    ) -> Result<(), String> {
        let planned_frame = self.plan.frame_of(clip, at);
        let scratch = scratch.get_or_insert_with(|| ThreadScratch::new(self.plan));
        let message = |message: String| in_frame(planned_frame, &message);
        scratch.pose(self.plan, planned_frame).map_err(message)?;
        let report = scratch.draw(self.plan, pixels).map_err(message)?;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.skipped += u64::from(report.skipped);
        tally.groups_by_resvg += report.groups_by_resvg as u64;
        tally.fell_back += u64::from(report.fell_back);
        Ok(())
    }
}

/// The start of a bone at rest, in pixels of the frame.
fn pivot(plan: &RenderPlan<'_>, bone: &str) -> Result<(f64, f64), String> {
    let scene: &Rig = plan.scene;
    let skeleton = scene.skeleton();
    let Some(found) = skeleton.find(bone) else {
        let near = bone_format::diagnostic::nearest(bone, skeleton.bones().map(|id| skeleton.name(id)));
        let near = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        return Err(format!("the rig has no bone called \"{bone}\" for --pivot{near}"));
    };
    let to_pixels = plan.view.transform * scene.art().canvas_to_output();
    let at = to_pixels * skeleton.setup_origin(found);
    Ok((at.x, at.y))
}
