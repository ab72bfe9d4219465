//! `import --look`: moments of a recording as lines, each beside the figure that was made of it.

use std::fmt::Write as _;
use std::path::Path;

use bone_core::Side;
use bone_import::PlanarMotion;
use bone_import::parts::BodyPart;
use bone_looks::sheet::{Sheet, SheetOptions};
use bone_render::{Background, FrameContent, FrameOptions, FrameSize, RasterError, composite_over};
use bone_rig::Rig;
use kurbo::{Rect, Size};

use super::recording::Failure;
use crate::args::Existing;
use crate::picture::{self, PictureRenderer};

/// The number of moments.
const MOMENTS: u64 = 8;
/// The size into which the figure of a moment is fitted.
const FIGURE: Size = Size::new(300.0, 220.0);
const LEFT: &str = "#2a6fbb";
const RIGHT: &str = "#c8452f";
const MIDDLE: &str = "#4a4a52";

/// Why a sheet was not drawn.
struct NotDrawn(String);

impl From<RasterError> for NotDrawn {
    fn from(error: RasterError) -> Self {
        Self(error.to_string())
    }
}

/// Whether the sheet may be written there.
pub(super) fn check(path: &Path, existing: Existing) -> Result<(), Failure> {
    if !picture::is_png(path) {
        let message = format!("--look writes a picture: {} has to end in .png", path.display());
        return Err(Failure::Usage(message));
    }
    existing.allow(path).map_err(Failure::Usage)
}

/// Writes the sheet and returns a message.
pub(super) fn write(path: &Path, rig: &Rig, clip: &str, motion: &PlanarMotion) -> Result<String, Failure> {
    draw(path, rig, clip, motion).map_err(Failure::Failed)
}

fn draw(path: &Path, rig: &Rig, clip: &str, motion: &PlanarMotion) -> Result<String, String> {
    let found = rig.clip(clip);
    let canvas = rig.art().size();
    let scale = (FIGURE.width / canvas.width).min(FIGURE.height / canvas.height);
    let figure = FrameSize::from_scale(canvas, scale).map_err(|error| error.to_string())?;
    let (width, height) = (figure.width(), figure.height());
    let cell = FrameSize::new(2 * width, height).map_err(|error| error.to_string())?;
    let options = SheetOptions { cell, columns: Some(2), lettered: true };
    let whole = Size::new(f64::from(2 * width), f64::from(height));
    let sheet = Sheet::new(whole, found, Sheet::moments(found, rig.fps(), MOMENTS), options)
        .map_err(|error| error.to_string())?;
    let lines = RecordingLines::new(motion, Size::new(f64::from(width), f64::from(height)));
    let paper = Some(Background { rgba: [255; 4] });
    let raster = picture::raster_for(&sheet.svg(paper, |_, _, _| {}));
    let mut renderer = PictureRenderer::new(rig, None);
    let mut drawn = picture::blank(figure)?;
    let options = FrameOptions { size: figure, background: None };
    let pixels = sheet.draw(&raster, paper, |at, cell| {
        let frame = sheet.frames()[at];
        let recorded = ((frame.time * motion.rate()).round() as usize).min(motion.frames() - 1);
        let svg = lines.svg(motion, recorded);
        raster.draw(&svg, &FrameOptions { size: sheet.cell(), background: None }, cell)?;
        renderer.pixels(found, frame.time, &options, &mut drawn).map_err(NotDrawn)?;
        composite_over(cell, &drawn, (width, 0), 1.0);
        Ok(())
    });
    let pixels = pixels.map_err(|NotDrawn(message)| message)?;
    picture::write(path, FrameContent::Pixels(&pixels))?;
    Ok(format!(
        "{}: the recording beside the figure at {} moments; nothing else is written",
        path.display(),
        sheet.frames().len()
    ))
}

/// The joints of a recording as lines, in the left half of a cell.
struct RecordingLines {
    extent: Rect,
    room: Size,
    colours: Vec<&'static str>,
}

impl RecordingLines {
    fn new(motion: &PlanarMotion, room: Size) -> Self {
        let first = motion.position(0, 0);
        let all = (0..motion.frames()).flat_map(|frame| motion.frame(frame));
        let extent = all.fold(Rect::from_points(first, first), |extent, at| extent.union_pt(*at));
        let body = motion.body();
        let mut colours: Vec<&'static str> = Vec::with_capacity(motion.joints().len());
        for (at, joint) in motion.joints().iter().enumerate() {
            let part = BodyPart::ALL.into_iter().find(|part| body.start(*part) == Some(at));
            // Fingers and ends have the side of the limb above them.
            colours.push(match part.map(BodyPart::side) {
                Some(Some(Side::Left)) => LEFT,
                Some(Some(Side::Right)) => RIGHT,
                Some(None) => MIDDLE,
                None => joint.parent.map_or(MIDDLE, |parent| colours[parent]),
            });
        }
        Self { extent, room, colours }
    }

    fn svg(&self, motion: &PlanarMotion, frame: usize) -> String {
        let Size { width, height } = self.room;
        let margin = 0.08 * height;
        let scale = ((width - 2.0 * margin) / self.extent.width().max(1e-9))
            .min((height - 2.0 * margin) / self.extent.height().max(1e-9));
        let middle = self.extent.center();
        let place = |joint: usize| {
            let at = (motion.position(frame, joint) - middle) * scale;
            (width / 2.0 + at.x, height / 2.0 + at.y)
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" width=\"{}\" height=\"{height}\">\n\
             <path d=\"M0 0H{width}V{height}H0Z\" fill=\"#eef0f3\"/>\n",
            2.0 * width,
            2.0 * width
        );
        for (joint, of) in motion.joints().iter().enumerate() {
            let (x, y) = place(joint);
            let colour = self.colours[joint];
            if let Some(parent) = of.parent {
                let (px, py) = place(parent);
                let _ = writeln!(
                    svg,
                    "<path d=\"M{px:.2} {py:.2}L{x:.2} {y:.2}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
                );
            }
            let _ = writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2.2\" fill=\"{colour}\"/>");
        }
        svg + "</svg>\n"
    }
}
