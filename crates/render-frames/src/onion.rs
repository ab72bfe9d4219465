//! `onion`: draws frames of a clip over each other.

use bone_drawing::Skipped;
use bone_format::SkinDetail;
use bone_looks::onion::{Onion, TINTED};
use bone_render::{Background, FrameContent, FrameOptions, FrameSize, Pixmap, Raster, composite_over, tint};
use bone_rig::{Rig, RigClip};

use crate::args;
use crate::exit::Exit;
use crate::frames::Fps;
use crate::picture::{self, PictureRenderer};

/// The default number of frames on each side of the middle one, and their distance.
const AROUND: u64 = 3;
const APART: u64 = 2;
/// The largest number of frames; more cannot be distinguished.
const MOST: usize = 200;

/// What is drawn.
struct OnionPlan {
    middle: f64,
    times: Vec<f64>,
    size: FrameSize,
}

pub(crate) fn run(args: &args::OnionArgs) -> Exit {
    let opened = match picture::open(&args.rig, &args.files, SkinDetail::Outlines, false, false) {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    let scene = &opened.scene;
    let planned =
        picture::check_output(&args.output, args.existing, &opened.inputs, "onion skin").and_then(|()| {
            let clip = picture::clip(args.clip.as_deref(), scene)?;
            let overlay = picture::overlay(args.overlay.as_ref(), scene, opened.doc.as_ref())?;
            Ok((clip, plan(args, scene, clip)?, PictureRenderer::new(scene, overlay)))
        });
    picture::end("onion", planned.map(|(clip, plan, renderer)| draw(args, scene, clip, &plan, renderer)))
}

fn plan(args: &args::OnionArgs, scene: &Rig, clip: Option<&RigClip>) -> Result<OnionPlan, String> {
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let count = clip.map_or(1, |clip| clip.frame_count(fps.get()));
    let looped = clip.is_some_and(|clip| clip.time().looped);
    let (middle, times): (f64, Vec<f64>) = match &args.frames {
        Some(frames) => {
            let numbers: Vec<u64> = frames.iter().collect();
            let middle = args.frame.unwrap_or_else(|| numbers[numbers.len() / 2]);
            (fps.time(middle), numbers.into_iter().map(|number| fps.time(number)).collect())
        }
        None => {
            let middle = args.frame.unwrap_or(count / 2);
            let steps = (1..=AROUND).map(|i| i * APART);
            // A loop has frames before its first one and after its last one.
            let before = steps.clone().filter_map(|step| match middle.checked_sub(step) {
                Some(frame) => Some(fps.time(frame)),
                None => looped.then(|| -fps.time(step - middle)),
            });
            let after = steps
                .clone()
                .map(|step| middle.saturating_add(step))
                .filter(|frame| looped || *frame < count);
            (fps.time(middle), before.chain(after.map(|frame| fps.time(frame))).collect())
        }
    };
    if times.len() > MOST {
        return Err(format!(
            "{} frames cannot be distinguished: choose at most {MOST}, like 0-24:3",
            times.len()
        ));
    }
    let size = match args.size {
        Some(size) => Ok(size),
        None => FrameSize::from_scale(scene.art().size(), 1.0),
    };
    Ok(OnionPlan { middle, times, size: size.map_err(|error| error.to_string())? })
}

fn draw(
    args: &args::OnionArgs,
    scene: &Rig,
    clip: Option<&RigClip>,
    plan: &OnionPlan,
    mut renderer: PictureRenderer<'_>,
) -> Result<(), String> {
    let onion = Onion::new(scene, clip, (plan.middle, &plan.times), &mut renderer.state);
    let onion = onion.map_err(|error| error.to_string())?;
    renderer.warn(onion.skipped != Skipped::default());
    let paper: Option<Background> = args.background.0;
    if !picture::is_png(&args.output) {
        let svg = renderer.cover_svg(onion.svg(plan.size, paper), plan.size);
        return picture::write(&args.output, FrameContent::Svg(&svg));
    }
    let raster = Raster::default();
    let message = |error: bone_render::RasterError| error.to_string();
    let options = FrameOptions { size: plan.size, background: paper };
    let mut all: Pixmap = picture::blank(plan.size)?;
    raster.draw(&onion.behind, &options, &mut all).map_err(message)?;
    let mut layer = picture::blank(plan.size)?;
    let clear = FrameOptions { background: None, ..options };
    for ghost in &onion.ghosts {
        raster.draw(&ghost.svg, &clear, &mut layer).map_err(message)?;
        tint(&mut layer, ghost.tint, TINTED);
        composite_over(&mut all, &layer, (0, 0), ghost.opacity);
    }
    raster.draw_over(&onion.middle, &mut all).map_err(message)?;
    renderer.cover(&mut all)?;
    picture::write(&args.output, FrameContent::Pixels(&all))
}
