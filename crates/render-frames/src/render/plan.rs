//! The plan of a run: clips, frames, sizes and names, resolved before the first frame. A plan in which a
//! frame would replace another one or a source file is an error.

use std::path::Path;

use bone_export::{FileFormat, FormatKind};
use bone_format::diagnostic::nearest;
use bone_format::doc::RigDoc;
use bone_looks::overlay::Overlay;
use bone_render::{Encoding, FrameOptions, FrameSize, Viewport};
use bone_rig::{Camera, FrameState, Overrides, Rig, RigClip};
use kurbo::{Affine, Rect};

use super::played::PlayedMachine;
use super::samples;
use crate::args::{Dither, Existing, Format, RenderArgs};
use crate::container::is_page;
use crate::files::Inputs;
use crate::frames::{Fps, Selection};
use crate::output::{FrameTarget, LAYER, is_folder};
use crate::picture;
use crate::report::print_line;

/// The plan of a run.
pub(super) struct RenderPlan<'a> {
    pub(super) scene: &'a Rig,
    /// Of which each thread has a copy: copies share the picture of what never moves.
    pub(super) state: FrameState,
    /// At least one.
    pub(super) planned_clips: Vec<PlannedClip<'a>>,
    /// The part of the drawing that is drawn, and its size.
    pub(super) view: Viewport,
    /// How many pixels are drawn across and down for each pixel of a frame.
    pub(super) samples: u32,
    pub(super) fps: Fps,
    pub(super) encoding: Encoding,
    /// The kind of file, if all frames of a clip are in one.
    pub(super) format: Option<&'static FileFormat>,
    pub(super) start_number: u64,
    pub(super) jobs: usize,
    /// The overlay on each frame.
    pub(super) overlay: Option<Overlay>,
    /// The moments of a state machine, if one is played in place of a clip.
    pub(super) played: Option<PlayedMachine<'a>>,
    /// The camera of its clips, if another part of the drawing was asked for.
    pub(super) overrides: Overrides,
}

/// The frames of one clip, or of a state machine.
pub(super) struct PlannedClip<'a> {
    pub(super) clip: Option<&'a RigClip>,
    name: &'a str,
    pub(super) target: FrameTarget,
    pub(super) frames: Vec<u64>,
    /// The number of frames in the clips before it.
    before: usize,
}

impl PlannedClip<'_> {
    pub(super) fn name(&self) -> &str {
        self.name
    }
}

/// One frame of the plan.
#[derive(Clone, Copy)]
pub(super) struct PlannedFrame<'p> {
    pub(super) planned: &'p PlannedClip<'p>,
    /// The index of its clip in the plan.
    pub(super) clip_index: usize,
    pub(super) frame: u64,
    /// The number in the name of its file.
    pub(super) number: u64,
    /// Its time in seconds.
    pub(super) time: f64,
}

impl<'a> RenderPlan<'a> {
    pub(super) fn new(args: &RenderArgs, scene: &'a Rig, doc: Option<&RigDoc>) -> Result<Self, String> {
        let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
        let format = format(args)?;
        let played = match &args.machine {
            Some(machine) => {
                fits_a_machine(args, format)?;
                let inputs = args.inputs.as_deref();
                Some(PlayedMachine::new(scene, (machine, inputs), args.frames.as_ref(), fps)?)
            }
            None => None,
        };
        let clips = if played.is_some() { vec![None] } else { chosen(args.clip.as_deref(), scene)? };
        let several = clips.len() > 1;
        let mut planned_clips = Vec::with_capacity(clips.len());
        let mut before = 0;
        for clip in clips {
            let frames: Vec<u64> = match &args.frames {
                Some(frames) => frames.iter().collect(),
                None => {
                    Selection::first(clip.map_or(1, |clip| clip.frame_count(fps.get())))?.iter().collect()
                }
            };
            let played = played.as_ref().map(|played| played.name);
            let name = played.or(clip.map(RigClip::name)).unwrap_or("setup");
            let target = match format {
                Some(format) if format.is_layered() => {
                    FrameTarget::layered(&args.output, name, several, format.ending)?
                }
                Some(format) => FrameTarget::whole(&args.output, name, several && !format.has_clips())?,
                None => FrameTarget::parse(&args.output, name, several, args.format)?,
            };
            let count = frames.len();
            if matches!(target, FrameTarget::Single(_)) && count > 1 {
                let help = match format {
                    Some(FileFormat { ending, .. }) => format!("'frame_####.{ending}', or one of --frames"),
                    None => "'frame_####.png', or --animate for one .png".to_owned(),
                };
                return Err(format!("{count} frames need a number in the name, as in -o {help}"));
            }
            planned_clips.push(PlannedClip { clip, name, target, frames, before });
            before += count;
        }
        let overrides = Overrides { camera: page_camera(args, scene), ..Overrides::new() };
        let view = view(args, scene, (&planned_clips, &overrides), fps, format)?;
        let jobs = match args.jobs {
            Some(jobs) => usize::from(jobs),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let encoding = match format {
            Some(_) => Encoding::Rgba,
            None => args.format.encoding(args.compress.into()),
        };
        let overlay = picture::overlay(args.overlay.as_ref(), scene, doc)?;
        // Found before the first frame.
        samples::large(view.size, args.samples)?;
        let (start_number, samples) = (args.start_number, args.samples);
        let plan = Self {
            state: FrameState::new(scene),
            scene,
            planned_clips,
            view,
            samples,
            fps,
            encoding,
            format,
            start_number,
            jobs,
            overlay,
            played,
            overrides,
        };
        plan.numbered()?;
        if plan.is_stream() {
            plan.fits_a_stream(args)?
        } else {
            plan.distinct()?
        }
        Ok(plan)
    }

    /// The files of all frames, as they are printed.
    pub(super) fn shown(&self) -> String {
        let mut files: Vec<String> =
            self.planned_clips.iter().map(|planned| planned.target.path(0).display().to_string()).collect();
        files.dedup();
        match &files[..] {
            [first, .., last] if files.len() > 2 => format!("{first} to {last}"),
            _ => files.join(", "),
        }
    }

    /// Whether all frames go to standard output.
    pub(super) fn is_stream(&self) -> bool {
        self.planned_clips.iter().all(|planned| matches!(planned.target, FrameTarget::Stream))
    }

    /// The number of frames.
    pub(super) fn count(&self) -> usize {
        self.planned_clips.last().map_or(0, |planned| planned.before + planned.frames.len())
    }

    /// A frame by its index in the order of clips and frames.
    pub(super) fn planned_frame(&self, at: usize) -> PlannedFrame<'_> {
        let clip_index = self.planned_clips.partition_point(|planned| planned.before <= at) - 1;
        let planned = &self.planned_clips[clip_index];
        let frame = planned.frames[at - planned.before];
        let number = frame.saturating_add(self.start_number);
        PlannedFrame { planned, clip_index, frame, number, time: self.fps.time(frame) }
    }

    /// A frame by its clip and its index in the clip.
    pub(super) fn frame_of(&self, clip_index: usize, at: usize) -> PlannedFrame<'_> {
        self.planned_frame(self.planned_clips[clip_index].before + at)
    }

    /// Checks that all frame numbers are representable.
    fn numbered(&self) -> Result<(), String> {
        let last = self
            .planned_clips
            .iter()
            .filter_map(|planned| planned.frames.iter().max())
            .max()
            .copied()
            .unwrap_or(0);
        match last.checked_add(self.start_number) {
            Some(_) => Ok(()),
            None => Err(format!("frame {last} has no valid number if frame 0 has {}", self.start_number)),
        }
    }

    /// Checks the options that do not apply to a stream.
    fn fits_a_stream(&self, args: &RenderArgs) -> Result<(), String> {
        if args.existing != Existing::Overwrite {
            return Err("--existing applies to files, and -o - writes none".to_owned());
        }
        let count = self.count();
        if args.format == Format::Svg && count > 1 {
            return Err(format!(
                "{count} drawings in one stream are not an SVG: choose one, as in --frames 0, or another --format"
            ));
        }
        Ok(())
    }

    /// Checks that no two frames have the same file.
    fn distinct(&self) -> Result<(), String> {
        if self.format.is_some_and(FileFormat::has_clips) {
            return Ok(());
        }
        // Characters of a clip's name are replaced in file names, so two names can become equal.
        for (at, planned) in self.planned_clips.iter().enumerate() {
            let file = planned.target.path(0);
            if let Some(other) = self.planned_clips[..at].iter().find(|other| other.target.path(0) == file) {
                let (one, two, file) = (other.name(), planned.name(), file.display());
                return Err(format!("the clips \"{one}\" and \"{two}\" would both be written to {file}"));
            }
        }
        Ok(())
    }

    /// Checks that no output replaces what the frames are made of.
    pub(super) fn keep_inputs(&self, inputs: &Inputs) -> Result<(), String> {
        let refused =
            |path: &Path| Err(format!("{} is a source of the frames: choose another name", path.display()));
        for planned in &self.planned_clips {
            // A folder that does not exist yet has no inputs.
            let Some(Ok(folder)) = planned.target.folder().map(|folder| folder.canonicalize()) else {
                continue;
            };
            if let FrameTarget::Whole(path) = &planned.target {
                let is_sheet = self.format.is_some_and(FileFormat::is_sheet);
                if inputs.has(&folder, path.file_name().unwrap_or_default()) {
                    return refused(path);
                }
                if let Some(input) = inputs.within(&folder).find(|input| is_sheet && is_page(path, input)) {
                    return refused(&path.with_file_name(input.file_name().unwrap_or_default()));
                }
                continue;
            }
            for frame in planned.frames.iter() {
                let path = planned.target.path(frame.saturating_add(self.start_number));
                if inputs.has(&folder, path.file_name().unwrap_or_default()) {
                    return refused(&path);
                }
            }
        }
        Ok(())
    }

    /// Checks for files that must not be replaced.
    pub(super) fn allowed(&self, existing: Existing) -> Result<(), String> {
        if existing != Existing::Error {
            return Ok(());
        }
        for planned in &self.planned_clips {
            let numbers = planned.frames.iter().map(|frame| frame.saturating_add(self.start_number));
            let taken = numbers.map(|number| planned.target.path(number)).find(|path| path.exists());
            if let Some(path) = taken {
                return Err(format!("{} exists already, and --existing is error", path.display()));
            }
        }
        Ok(())
    }

    /// Creates the folders.
    pub(super) fn prepare(&self) -> Result<(), String> {
        for folder in self.planned_clips.iter().filter_map(|planned| planned.target.folder()) {
            std::fs::create_dir_all(&folder)
                .map_err(|error| format!("the folder {} cannot be created: {error}", folder.display()))?;
        }
        Ok(())
    }
}

/// Checks the options that do not apply to a state machine.
fn fits_a_machine(args: &RenderArgs, format: Option<&'static FileFormat>) -> Result<(), String> {
    let refused =
        |what: &str| Err(format!("{what}; a state machine can be drawn as frames, or as a file of frames"));
    match format.map(|format| format.kind) {
        Some(FormatKind::Vector { .. }) => {
            return refused("a vector file has keys, and a state machine has none");
        }
        _ if args.target.is_some() => return refused("--for is for clips"),
        _ => {}
    }
    if args.view.fit {
        return Err(
            "--fit looks at the frames of clips: choose a part with --view for a state machine".to_owned()
        );
    }
    Ok(())
}

/// Whether the output is files of layers.
pub(super) fn is_layered(args: &RenderArgs) -> bool {
    args.output.contains(LAYER)
}

/// The kind of the output, if it is one file of all frames, and whether all options apply to it.
fn format(args: &RenderArgs) -> Result<Option<&'static FileFormat>, String> {
    let format = if &*args.output == "-" || is_folder(&args.output) {
        None
    } else {
        // An .svg of one frame is a still drawing.
        let still =
            args.format == Format::Svg || args.frames.as_ref().is_some_and(|frames| frames.iter().len() == 1);
        args.animation.format(&args.output, still)?
    };
    args.animation.fit(format, true)?;
    let layered = is_layered(args);
    if layered && (format.is_some() || args.format != Format::Png) {
        return Err(format!("{LAYER} is for PNG files, as in -o 'out/{LAYER}/f_####.png'"));
    }
    if !args.layers.is_empty() && !layered && !format.is_some_and(FileFormat::is_layered) {
        return Err(format!(
            "--layers is for .ora, .psd and files of layers, as in -o 'out/{LAYER}/f_####.png'"
        ));
    }
    if layered && args.existing == Existing::Skip {
        return Err("--existing skip is for whole frames, and these are in layers".to_owned());
    }
    if let Some(format) = format {
        if args.format != Format::Png {
            return Err(format!("{} is {}: leave out --format", args.output, format.name));
        }
        if args.existing == Existing::Skip {
            return Err(format!("--existing skip is for frames, and {} is {}", args.output, format.name));
        }
    }
    Ok(format)
}

/// The camera in place of that of the clips, where a part of the drawing was asked for.
fn page_camera(args: &RenderArgs, scene: &Rig) -> Option<Camera> {
    let camera = scene.page_camera().filter(|_| args.view.view.is_some() || args.view.fit)?;
    if !args.quiet {
        let option = if args.view.fit { "--fit" } else { "--view" };
        print_line(&format!(
            "note: {option} shows a part of the drawing, so the camera of the rig is not used"
        ));
    }
    Some(camera)
}

/// The part of the drawing that is drawn. A frame of another shape has margins, which stay empty unless art may
/// bleed into them.
fn view(
    args: &RenderArgs,
    scene: &Rig,
    (planned, overrides): (&[PlannedClip<'_>], &Overrides),
    fps: Fps,
    format: Option<&'static FileFormat>,
) -> Result<Viewport, String> {
    let asked = &args.view;
    let dither = args.animation.dither == Some(Dither::Ordered);
    if dither && format.is_none() && args.format == Format::Svg {
        return Err("--dither is for pixels, and this output has the gradients themselves".to_owned());
    }
    let (page, to_output) = (scene.art().size(), scene.art().canvas_to_output());
    let mut area = match asked.view {
        Some(view) => to_output.transform_rect_bbox(view),
        None if asked.fit => painted(scene, (planned, overrides), fps)?.expand(),
        None => page.to_rect(),
    };
    if let Some(margin) = asked.margin {
        let margin = margin * to_output.determinant().abs().sqrt();
        area = area.inflate(margin, margin);
    }
    let size = match (args.size, asked.width, asked.height) {
        (Some(size), ..) => Ok(size),
        (None, Some(width), Some(height)) => FrameSize::new(width, height),
        (None, Some(width), None) => FrameSize::from_scale(area.size(), f64::from(width) / area.width()),
        (None, None, Some(height)) => FrameSize::from_scale(area.size(), f64::from(height) / area.height()),
        (None, None, None) => FrameSize::from_scale(area.size(), args.scale),
    };
    let size = size.map_err(|error| error.to_string())?;
    let options = FrameOptions { size, background: args.background.0 };
    let mut view = Viewport::fit(scene.art(), &options);
    // Colours of a palette are mixed of the exact ones.
    view.dither = dither && !format.is_some_and(|format| format.has("dither"));
    if view.dither && args.samples > 1 {
        return Err("--samples takes means, in which --dither is lost: leave out one of them".to_owned());
    }
    if asked.is_part() {
        view.transform = size.fit(area.size()) * Affine::translate(-area.origin().to_vec2());
    }
    // Art at the sides of the page may cover a part of a pixel.
    let seen = view.transform.transform_rect_bbox(area).expand();
    view.cut = Some(seen).filter(|seen| !asked.bleed && seen.intersect(view.picture()) != view.picture());
    Ok(view)
}

/// The box of everything that is painted in the planned frames, in pixels at scale 1.
fn painted(
    scene: &Rig,
    (planned, overrides): (&[PlannedClip<'_>], &Overrides),
    fps: Fps,
) -> Result<Rect, String> {
    let mut state = FrameState::new(scene);
    let mut all: Option<Rect> = None;
    for PlannedClip { clip, frames, .. } in planned {
        for frame in frames {
            let time = fps.time(*frame);
            scene.pose_with(*clip, time, overrides, &mut state).map_err(|error| error.to_string())?;
            if let Some(found) = scene.painted_box(&state) {
                all = Some(all.map_or(found, |all| all.union(found)));
            }
        }
    }
    all.filter(|all| all.width() > 0.0 && all.height() > 0.0)
        .ok_or_else(|| "--fit finds nothing that is painted".to_owned())
}

fn chosen<'a>(name: Option<&str>, scene: &'a Rig) -> Result<Vec<Option<&'a RigClip>>, String> {
    let names = || scene.clips().iter().map(RigClip::name);
    match name {
        None => Ok(vec![picture::usual_clip(scene)]),
        Some(name) => match scene.clip(name) {
            Some(clip) => Ok(vec![Some(clip)]),
            None if name == "all" && scene.clips().is_empty() => Ok(vec![None]),
            None if name == "all" => Ok(scene.clips().iter().map(Some).collect()),
            None => Err(match nearest(name, names()) {
                Some(near) => format!("the rig has no clip called \"{name}\"; did you mean \"{near}\"?"),
                None => {
                    let names: Vec<String> = names().map(|name| format!("\"{name}\"")).collect();
                    let has = if names.is_empty() { "no clips at all".to_owned() } else { names.join(", ") };
                    format!("the rig has no clip called \"{name}\"; it has {has}")
                }
            }),
        },
    }
}
