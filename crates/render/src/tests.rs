//! The whole crate: drawings at rest compared with resvg's render, posed drawings compared with drawings
//! edited by hand, hostile texts.

mod clips_and_masks;
mod dithered;
mod filters;
mod hostile;
#[cfg(feature = "sinks")]
mod layers;
mod moved;
mod paint;
mod parses;
mod regions;
mod rest;
mod views;
mod visibility;

use kurbo::{Affine, BezPath};
use tiny_skia::Pixmap;

use bone_drawing::{
    CanvasPose, Drawing, ElementId, Frame, MoveError, Moving, PaintMotion, Posable, PosedArt, Skipped,
    Visibility,
};

use crate::{
    FrameOptions, FrameSize, Precision, Raster, Renderer, Resources, Showable, SvgError, decode_svg,
    read_svg, read_svg_showing, svg_text, write_svg,
};

const HEAD: &str = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'";

/// A drawing of 80 x 80 user units.
fn drawing(body: &str) -> String {
    format!("{HEAD} width='80' height='80'>{body}</svg>")
}

fn read(svg: &str) -> Drawing {
    read_svg(svg, &Resources::none()).unwrap().0
}

/// The link of a picture of 2 x 2 pixels, all in the drawing's own text.
fn dot() -> String {
    let mut pixmap = Pixmap::new(2, 2).unwrap();
    pixmap.fill(tiny_skia::Color::from_rgba8(200, 30, 90, 255));
    pixmap.pixels_mut()[1] = tiny_skia::PremultipliedColorU8::from_rgba(0, 60, 60, 128).unwrap();
    let bytes: String = pixmap.encode_png().unwrap().iter().map(|byte| format!("%{byte:02x}")).collect();
    format!("data:image/png,{bytes}")
}

/// Draws an SVG at twice its size.
fn draw(svg: &str) -> Pixmap {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default()).unwrap();
    let size =
        FrameSize::from_scale(kurbo::Size::new(tree.size().width().into(), tree.size().height().into()), 2.0)
            .unwrap();
    let mut pixmap = Pixmap::new(1, 1).unwrap();
    Raster::default().draw(svg, &FrameOptions { size, background: None }, &mut pixmap).unwrap();
    pixmap
}

/// The paths of a drawing with their outlines at rest.
fn outlines(art: &Drawing) -> (Vec<ElementId>, Vec<BezPath>) {
    art.ids().filter_map(|id| Some((id, art.outline(id)?.path))).unzip()
}

fn posed(art: &Drawing, rigid: &[(&str, Affine)], bent: &[(&str, BezPath)]) -> String {
    let (rigid_ids, matrices): (Vec<ElementId>, Vec<Affine>) =
        rigid.iter().map(|(name, matrix)| (art.find(name).unwrap(), *matrix)).unzip();
    let (bent_ids, paths): (Vec<ElementId>, Vec<BezPath>) =
        bent.iter().map(|(name, path)| (art.find(name).unwrap(), path.clone())).unzip();
    let posable = posable(art, &rigid_ids, &bent_ids).unwrap();
    let mut out = String::new();
    let skipped = write(&posable, &matrices, &paths, &[], &mut out);
    assert_eq!(skipped, Skipped::default());
    out
}

/// How many pixels differ, and the largest difference of a channel.
fn difference(a: &Pixmap, b: &Pixmap) -> (usize, u8) {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let channels = |p: tiny_skia::PremultipliedColorU8| [p.red(), p.green(), p.blue(), p.alpha()];
    let largest = |(a, b): (&tiny_skia::PremultipliedColorU8, &tiny_skia::PremultipliedColorU8)| {
        channels(*a).into_iter().zip(channels(*b)).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
    };
    let differences: Vec<u8> = a.pixels().iter().zip(b.pixels()).map(largest).filter(|d| *d > 0).collect();
    (differences.len(), differences.into_iter().max().unwrap_or(0))
}

fn inked(pixmap: &Pixmap) -> usize {
    pixmap.pixels().iter().filter(|p| p.alpha() > 0).count()
}

/// A drawing in which some elements are rigid and some paths bend.
fn posable(drawing: &Drawing, rigid: &[ElementId], bent: &[ElementId]) -> Result<Posable, MoveError> {
    let posed: Vec<PosedArt> = bent.iter().copied().map(PosedArt::Path).collect();
    Posable::new(drawing, &Moving { rigid, posed: &posed, ..Moving::default() })
}

/// Writes a pose as SVG text.
fn write(
    posable: &Posable,
    rigid: &[Affine],
    outlines: &[BezPath],
    paints: &[PaintMotion],
    out: &mut String,
) -> Skipped {
    write_visible(posable, &CanvasPose { rigid, outlines, paints, ..CanvasPose::default() }, out)
}

fn write_visible(posable: &Posable, pose: &CanvasPose<'_>, out: &mut String) -> Skipped {
    let mut frame = Frame::default();
    let skipped = posable.frame(pose, &mut frame);
    write_svg(posable.drawing(), &frame, Precision::Exact, out);
    skipped
}
