//! `sheet`: draws frames of a clip, or the shapes of a drawing, side by side.

use bone_format::SkinDetail;
use bone_looks::shapes::Shapes;
use bone_looks::sheet::{Sheet, SheetFrame, SheetOptions};
use bone_render::{FrameContent, FrameOptions, FrameSize, RasterError, data_url};
use bone_rig::{Rig, RigClip};

use crate::args;
use crate::exit::Exit;
use crate::frames::{Fps, Selection};
use crate::picture::{self, PictureRenderer};

/// The largest number of frames on a sheet.
const MOST: usize = 10_000;

pub(crate) fn run(args: &args::SheetArgs) -> Exit {
    let opened = match picture::open(&args.rig, &args.files, SkinDetail::Outlines, false, false) {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    let scene = &opened.scene;
    if args.art {
        let shapes = Shapes::new(scene.art());
        let sheet = picture::check_output(&args.output, args.existing, &opened.inputs, "sheet")
            .and_then(|()| of_shapes(args, &shapes));
        return picture::end("sheet", sheet.map(|sheet| draw_shapes(args, &shapes, &sheet)));
    }
    let planned =
        picture::check_output(&args.output, args.existing, &opened.inputs, "sheet").and_then(|()| {
            let clip = picture::clip(args.clip.as_deref(), scene)?;
            let overlay = picture::overlay(args.overlay.as_ref(), scene, opened.doc.as_ref())?;
            Ok((clip, sheet(args, scene, clip)?, PictureRenderer::new(scene, overlay)))
        });
    picture::end("sheet", planned.map(|(clip, sheet, renderer)| draw(args, clip, &sheet, renderer)))
}

fn sheet(args: &args::SheetArgs, scene: &Rig, clip: Option<&RigClip>) -> Result<Sheet, String> {
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let count = clip.map_or(1, |clip| clip.frame_count(fps.get()));
    let numbers: Vec<u64> = match (args.moments, &args.frames) {
        (Some(moments), _) => {
            Sheet::moments(clip, fps.get(), moments).iter().map(|frame| frame.number).collect()
        }
        (None, Some(frames)) => frames.iter().collect(),
        (None, None) => Selection::first(count)?.iter().collect(),
    };
    // The limit keeps the conversion to usize exact on 32-bit systems.
    let numbers: Vec<u64> = numbers.into_iter().step_by(args.every.min(1 << 30) as usize).collect();
    if numbers.len() > MOST {
        return Err(format!(
            "{} frames are too many for a sheet: choose some with --every or --frames",
            numbers.len()
        ));
    }
    let frames = numbers.into_iter().map(|number| SheetFrame { number, time: fps.time(number) }).collect();
    let columns = args.columns.map(usize::from);
    let options =
        SheetOptions { cell: args.size.map_or(frame_size(320, 240), Ok)?, columns, lettered: !args.bare };
    Sheet::new(scene.art().size(), clip, frames, options).map_err(|error| {
        format!("{error}: make --size smaller, or choose fewer frames with --every or --frames")
    })
}

fn frame_size(width: u32, height: u32) -> Result<FrameSize, String> {
    FrameSize::new(width, height).map_err(|error| error.to_string())
}

fn of_shapes(args: &args::SheetArgs, shapes: &Shapes) -> Result<Sheet, String> {
    if shapes.list().is_empty() {
        return Err("the drawing has no shapes that are painted".to_owned());
    }
    let cell = args.size.map_or(frame_size(160, 120), Ok)?;
    let options = SheetOptions { cell, columns: args.columns.map(usize::from), lettered: !args.bare };
    let name = args.rig.file_name().unwrap_or_default().to_string_lossy();
    Sheet::of_shapes(&name, shapes, options).map_err(|error| format!("{error}: make --size smaller"))
}

fn draw_shapes(args: &args::SheetArgs, shapes: &Shapes, sheet: &Sheet) -> Result<(), String> {
    let paper = args.background.0;
    if !picture::is_png(&args.output) {
        let svg = sheet.svg(paper, |i, room, svg| {
            let (x, y, width, height) = (room.x0, room.y0, room.width(), room.height());
            let shape = shapes.list().get(i).map_or(String::new(), |shape| shapes.svg(shape, sheet.cell()));
            let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
            svg.push_str(&format!("<image {place} href=\"{}\"/>\n", data_url(&shape)));
        });
        return picture::write(&args.output, FrameContent::Svg(&svg));
    }
    let options = FrameOptions { size: sheet.cell(), background: None };
    let raster = picture::raster_for(&sheet.svg(paper, |_, _, _| {}));
    let all = sheet.draw(&raster, paper, |i, cell| {
        let Some(shape) = shapes.list().get(i) else { return Ok(()) };
        let drawn = raster.draw(&shapes.svg(shape, sheet.cell()), &options, cell);
        drawn.map_err(|error| Failed(format!("\"{}\": {error}", shape.address)))
    });
    let all = all.map_err(|Failed(message)| message)?;
    picture::write(&args.output, FrameContent::Pixels(&all))
}

fn draw(
    args: &args::SheetArgs,
    clip: Option<&RigClip>,
    sheet: &Sheet,
    mut renderer: PictureRenderer<'_>,
) -> Result<(), String> {
    let paper = args.background.0;
    if !picture::is_png(&args.output) {
        let frame = |frame: &SheetFrame| renderer.svg(clip, frame.time, sheet.cell());
        let frames: Vec<(String, String)> = sheet.frames().iter().map(frame).collect::<Result<_, _>>()?;
        let svg = sheet.svg(paper, |i, room, svg| {
            let (x, y, width, height) = (room.x0, room.y0, room.width(), room.height());
            let (frame, on_top) = &frames[i];
            let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
            svg.push_str(&format!("<image {place} href=\"{}\"/>\n", data_url(frame)));
            if !on_top.is_empty() {
                svg.push_str(&format!("<svg {place}>\n{on_top}</svg>\n"));
            }
        });
        return picture::write(&args.output, FrameContent::Svg(&svg));
    }
    let options = FrameOptions { size: sheet.cell(), background: None };
    let raster = picture::raster_for(&sheet.svg(paper, |_, _, _| {}));
    let all = sheet.draw(&raster, paper, |i, cell| {
        let frame = sheet.frames()[i];
        let drawn = renderer.pixels(clip, frame.time, &options, cell);
        drawn.map_err(|message| Failed(format!("frame {}: {message}", frame.number)))
    });
    let all = all.map_err(|Failed(message)| message)?;
    picture::write(&args.output, FrameContent::Pixels(&all))
}

/// Why a sheet was not drawn.
struct Failed(String);

impl From<RasterError> for Failed {
    fn from(error: RasterError) -> Self {
        Self(error.to_string())
    }
}
