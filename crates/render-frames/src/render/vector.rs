//! Clips as vector files: animated SVG and Lottie, chosen by the extension of the output.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::render::{FrameName, FrameSink as _, FrameSize, NumberedFiles};
use drawing::Frame;
use export::vector::{
    SampledClip, VectorError, VectorOptions, VectorReport, animated_svg, dot_lottie, lottie,
};
use rig::{FrameState, Rig, RigClip};

use super::plan::chosen;
use crate::args::{Existing, RenderArgs};
use crate::exit::Exit;
use crate::frames::Fps;
use crate::output::file_stem;
use crate::report::print_line;

/// A vector format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorFormat {
    AnimatedSvg,
    Lottie,
    DotLottie,
}

impl VectorFormat {
    /// The format that `-o` asks for. An `.svg` of one frame is a still drawing.
    pub(super) fn of(args: &RenderArgs) -> Option<Self> {
        let one = args.frames.as_ref().is_some_and(|frames| frames.iter().len() == 1);
        if args.output.contains('#') {
            return None;
        }
        match Path::new(&args.output).extension()?.to_str()?.to_lowercase().as_str() {
            "svg" if !one => Some(Self::AnimatedSvg),
            "json" => Some(Self::Lottie),
            "lottie" => Some(Self::DotLottie),
            _ => None,
        }
    }

    fn write(
        self,
        clip: &SampledClip,
        options: &VectorOptions,
    ) -> Result<(Vec<u8>, VectorReport), VectorError> {
        match self {
            Self::AnimatedSvg => {
                animated_svg(clip, options).map(|(text, report)| (text.into_bytes(), report))
            }
            Self::Lottie => lottie(clip, options).map(|(text, report)| (text.into_bytes(), report)),
            Self::DotLottie => dot_lottie(clip, options),
        }
    }
}

/// Writes each clip into a file.
pub(super) fn run(args: &RenderArgs, scene: &Rig, format: VectorFormat) -> Exit {
    match write_all(args, scene, format) {
        Ok(()) => Exit::Fine,
        Err(message) => {
            print_line(&message);
            Exit::Failed
        }
    }
}

fn write_all(args: &RenderArgs, scene: &Rig, format: VectorFormat) -> Result<(), String> {
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let size = match args.size {
        Some(size) => kurbo::Size::new(f64::from(size.width()), f64::from(size.height())),
        None => {
            // The same size in pixels as frames have.
            let size =
                FrameSize::from_scale(scene.art().size(), args.scale).map_err(|error| error.to_string())?;
            kurbo::Size::new(f64::from(size.width()), f64::from(size.height()))
        }
    };
    let options = VectorOptions {
        tolerance: args.tolerance,
        precision: args.precision,
        background: args.background.0.map(|background| background.rgba),
        ..VectorOptions::new(size)
    };
    let clips = chosen(args.clip.as_deref(), scene)?;
    if clips.len() > 1 && !args.output.contains("{clip}") {
        return Err("several clips need {clip} in the name, as in -o 'out/{clip}.svg'".to_owned());
    }
    for clip in clips {
        let name = clip.map_or("setup", RigClip::name);
        let path = PathBuf::from(args.output.replace("{clip}", &file_stem(name)));
        if args.existing == Existing::Error && path.exists() {
            return Err(format!("{} exists already, and --existing is error", path.display()));
        }
        let trouble = |message: &dyn std::fmt::Display| format!("{}: {message}", path.display());
        let sampled = sampled(args, scene, clip, fps).map_err(|message| trouble(&message))?;
        let (bytes, report) = format.write(&sampled, &options).map_err(|error| trouble(&error))?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| trouble(&error))?;
        }
        let target = path.clone();
        let sink = NumberedFiles::with(move |_| target.clone());
        sink.keep(FrameName { number: 0 }, &bytes).map_err(|error| trouble(&error))?;
        for loss in &report.losses {
            print_line(&format!("warning: {loss}"));
        }
        if !args.quiet {
            print_line(&format!(
                "{} frames at {} a second, {} keys ({} of outlines), {:.2} px off at most, {:.1} kB -> {}",
                sampled.frame_count(),
                fps.get(),
                report.keys,
                report.outline_keys,
                report.error,
                bytes.len() as f64 / 1e3,
                path.display()
            ));
        }
    }
    Ok(())
}

/// A clip at its frames and halfway between them.
fn sampled(args: &RenderArgs, scene: &Rig, clip: Option<&RigClip>, fps: Fps) -> Result<SampledClip, String> {
    let all = clip.map_or(1, |clip| clip.frame_count(fps.get()));
    let (first, count) = match &args.frames {
        None => (0, all),
        Some(frames) => {
            let frames: Vec<u64> = frames.iter().collect();
            let (first, last) = (frames[0], frames[frames.len() - 1]);
            if last - first + 1 != frames.len() as u64 {
                return Err("a vector file has frames without gaps, as in --frames 0-23".to_owned());
            }
            (first, frames.len() as u64)
        }
    };
    let looping = clip.is_some_and(|clip| clip.time().looped) && (first, count) == (0, all);
    let start = fps.time(first);
    let mut state = FrameState::new(scene);
    let drawing = Arc::clone(scene.posable().drawing());
    let name = clip.map_or("setup", RigClip::name);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    SampledClip::new(drawing, name, fps.get(), count, looping, |time, frame: &mut Frame| {
        scene.pose(clip, start + time, &mut state).map_err(|error| Trouble(error.to_string()))?;
        frame.clone_from(state.frame());
        Ok(())
    })
    .map_err(|Trouble(message)| message)
}

/// A message: an error of the exporter, or of the rig.
struct Trouble(String);

impl From<VectorError> for Trouble {
    fn from(error: VectorError) -> Self {
        Self(error.to_string())
    }
}
