//! The layout of a contact sheet: the cell of each frame or shape, its caption, and the heading. The caller
//! draws the pictures.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bone_render::{
    Background, FrameOptions, FrameSize, FrameSizeError, Pixmap, Raster, RasterError, composite_over,
};
use kurbo::{Point, Rect, Size};

use crate::lettering::{Anchor, TextLine, rounded};
use crate::shapes::{IsolatedShape, Shapes};
use bone_format::text::shortened;
use bone_rig::RigClip;

/// A contact sheet without its frames.
#[derive(Clone, Debug)]
pub struct Sheet {
    size: FrameSize,
    cell: FrameSize,
    columns: usize,
    frames: Vec<SheetFrame>,
    captions: Vec<Caption>,
    /// The height of a caption.
    foot: f64,
    heading: Option<String>,
    name: String,
    /// Whether each picture has a chequered background, on which every colour is visible.
    chequered: bool,
}

/// The text below a picture.
#[derive(Clone, Debug)]
struct Caption {
    lines: Vec<String>,
    /// The text on the right.
    aside: String,
}

/// A frame of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetFrame {
    /// Its number.
    pub number: u64,
    /// Its time in seconds.
    pub time: f64,
}

/// How a sheet is laid out.
#[derive(Clone, Copy, Debug)]
pub struct SheetOptions {
    /// Each frame is as large as fits into this.
    pub cell: FrameSize,
    /// Frames in a row; if none, the sheet is about 1.6 times as wide as high.
    pub columns: Option<usize>,
    /// Whether there are numbers and a heading.
    pub lettered: bool,
}

const MARGIN: f64 = 14.0;
const GAP: f64 = 10.0;
const HEADING: f64 = 30.0;
/// The height of the number below a frame.
const NUMBER: f64 = 17.0;
/// The size of captions, and the distance of their lines.
const CAPTION: f64 = 11.0;
const LINE: f64 = 12.5;
/// No sheet has room for more frames.
const MOST_MOMENTS: u64 = 1_000_000;
/// An address has at most this many lines.
const MOST_LINES: usize = 3;

/// Colours that are legible on a background.
#[derive(Clone, Copy, Debug)]
struct SheetColours {
    ink: &'static str,
    faint: &'static str,
    line: &'static str,
    /// The squares behind shapes.
    chequers: [&'static str; 2],
}

impl SheetColours {
    fn on(paper: Option<Background>) -> Self {
        let dark = paper.is_some_and(|paper| {
            let [red, green, blue, alpha] = paper.rgba.map(u32::from);
            alpha > 127 && 299 * red + 587 * green + 114 * blue < 128_000
        });
        if dark {
            Self { ink: "#eef2f6", faint: "#9aa7b4", line: "#48525d", chequers: ["#39424c", "#444e59"] }
        } else {
            Self { ink: "#1d2733", faint: "#66717d", line: "#ccd2d9", chequers: ["#e9ecef", "#d8dde2"] }
        }
    }
}

impl Sheet {
    /// Lays out frames of a drawing of this size. Without a clip it is the setup pose.
    ///
    /// # Errors
    /// If the sheet would be too large for a picture.
    pub fn new(
        drawing: Size,
        clip: Option<&RigClip>,
        frames: Vec<SheetFrame>,
        options: SheetOptions,
    ) -> Result<Self, FrameSizeError> {
        let (width, height) = (f64::from(options.cell.width()), f64::from(options.cell.height()));
        let cell = FrameSize::from_scale(drawing, (width / drawing.width).min(height / drawing.height))?;
        let caption = |frame: &SheetFrame| Caption {
            lines: vec![frame.number.to_string()],
            aside: format!("{} s", rounded(frame.time)),
        };
        let captions = frames.iter().map(caption).collect();
        let name = clip.map_or("setup pose", RigClip::name);
        let sheet = Self::laid_out(cell, captions, (name, heading(clip, frames.len())), options)?;
        Ok(Self { frames, ..sheet })
    }

    /// Lays out the shapes of a drawing, each as large as fits into a cell, with their addresses.
    ///
    /// # Errors
    /// If the sheet would be too large for a picture.
    pub fn of_shapes(name: &str, shapes: &Shapes, options: SheetOptions) -> Result<Self, FrameSizeError> {
        let width = f64::from(options.cell.width());
        let caption =
            |shape: &IsolatedShape| Caption { lines: in_lines(&shape.address, width), aside: String::new() };
        let captions: Vec<Caption> = shapes.list().iter().map(caption).collect();
        let mut words = match captions.len() {
            1 => "1 shape in the order of painting".to_owned(),
            count => format!("{count} shapes in the order of painting"),
        };
        if shapes.left_out() > 0 {
            let _ = write!(words, ", {} more left out", shapes.left_out());
        }
        let sheet = Self::laid_out(options.cell, captions, (name, words), options)?;
        Ok(Self { chequered: true, ..sheet })
    }

    fn laid_out(
        cell: FrameSize,
        captions: Vec<Caption>,
        (name, heading): (&str, String),
        options: SheetOptions,
    ) -> Result<Self, FrameSizeError> {
        let lettered = options.lettered;
        let lines = captions.iter().map(|caption| caption.lines.len()).max().unwrap_or(1).max(1);
        let foot = if lettered { NUMBER + (lines - 1) as f64 * LINE } else { 0.0 };
        let foot = foot.round();
        let (across, down) = (f64::from(cell.width()) + GAP, f64::from(cell.height()) + GAP + foot);
        let count = captions.len().max(1);
        let even = (count as f64 * down / across * 1.6).sqrt().ceil().max(1.0) as usize;
        let columns = options.columns.unwrap_or(even).clamp(1, count);
        let rows = count.div_ceil(columns);
        let whole = Size::new(
            2.0 * MARGIN + columns as f64 * across - GAP,
            2.0 * MARGIN + rows as f64 * down - GAP + if lettered { HEADING } else { 0.0 },
        );
        let size = FrameSize::from_scale(whole, 1.0)?;
        let (name, heading) = (name.to_owned(), lettered.then_some(heading));
        let (frames, chequered) = (Vec::new(), false);
        Ok(Self { size, cell, columns, frames, captions, foot, heading, name, chequered })
    }

    /// The size of the sheet.
    pub fn size(&self) -> FrameSize {
        self.size
    }

    /// The size of each frame.
    pub fn cell(&self) -> FrameSize {
        self.cell
    }

    /// The frames in their order.
    pub fn frames(&self) -> &[SheetFrame] {
        &self.frames
    }

    /// The upper left corner of a frame.
    pub fn place(&self, frame: usize) -> (u32, u32) {
        let lettered = self.heading.is_some();
        let (column, row) = (frame % self.columns, frame / self.columns);
        let across = f64::from(self.cell.width()) + GAP;
        let down = f64::from(self.cell.height()) + GAP + self.foot;
        let top = MARGIN + if lettered { HEADING } else { 0.0 };
        // All of these are whole numbers.
        ((MARGIN + column as f64 * across) as u32, (top + row as f64 * down) as u32)
    }

    /// This many frames of a clip, evenly spread over it, each once; the setup pose without a clip.
    pub fn moments(clip: Option<&RigClip>, fps: f64, moments: u64) -> Vec<SheetFrame> {
        let count = clip.map_or(1, |clip| clip.frame_count(fps));
        let moments = moments.min(count).min(MOST_MOMENTS);
        // A loop returns to its start after its last frame; any other clip ends with it.
        let looped = clip.is_some_and(|clip| clip.time().looped);
        let (steps, last) = if looped { (moments, count) } else { (moments.saturating_sub(1), count - 1) };
        let even = (0..moments).map(|i| (i as f64 * last as f64 / steps.max(1) as f64).round() as u64);
        let numbers: BTreeSet<u64> = even.filter(|frame| *frame < count).collect();
        numbers.into_iter().map(|number| SheetFrame { number, time: number as f64 / fps }).collect()
    }

    /// The sheet as pixels. `fill` draws each frame into a picture of its size.
    ///
    /// # Errors
    /// If a frame cannot be drawn, or there is no memory.
    pub fn draw<E: From<RasterError>>(
        &self,
        raster: &Raster,
        paper: Option<Background>,
        mut fill: impl FnMut(usize, &mut Pixmap) -> Result<(), E>,
    ) -> Result<Pixmap, E> {
        let blank = |size: FrameSize| {
            Pixmap::new(size.width(), size.height()).ok_or(E::from(RasterError::NoMemory { size }))
        };
        let (mut sheet, mut cell) = (blank(self.size)?, blank(self.cell)?);
        let options = FrameOptions { size: self.size, background: None };
        raster.draw(&self.svg(paper, |_, _, _| {}), &options, &mut sheet)?;
        for i in 0..self.captions.len() {
            fill(i, &mut cell)?;
            composite_over(&mut sheet, &cell, self.place(i), 1.0);
        }
        Ok(sheet)
    }

    /// The sheet as an SVG. `fill` writes the contents of each cell.
    pub fn svg(&self, paper: Option<Background>, mut fill: impl FnMut(usize, Rect, &mut String)) -> String {
        let (width, height) = (self.size.width(), self.size.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        write_paper(paper, &mut svg);
        let colours = SheetColours::on(paper);
        if let Some(heading) = &self.heading {
            let name = shortened(&self.name);
            let baseline = MARGIN + 14.0;
            let words = TextLine::new(&name, 16.0, (MARGIN, baseline), colours.ink).bold();
            let end = words.write(&mut svg);
            let more = TextLine::new(heading, 12.0, (end + 8.0, baseline), colours.faint);
            // Left out if the sheet is too narrow.
            if end + 8.0 + more.width() < f64::from(width) - MARGIN {
                more.write(&mut svg);
            }
        }
        if self.chequered {
            let [light, dark] = colours.chequers;
            let _ = writeln!(
                svg,
                "<defs><pattern id=\"chequers\" width=\"16\" height=\"16\" patternUnits=\"userSpaceOnUse\">\
                 <path d=\"M0 0H16V16H0Z\" fill=\"{light}\"/><path d=\"M0 0H8V16H16V8H0Z\" fill=\"{dark}\"/></pattern></defs>"
            );
        }
        for (i, caption) in self.captions.iter().enumerate() {
            let (x, y) = self.place(i);
            let origin = Point::new(x.into(), y.into());
            let room = Rect::from_origin_size(origin, (self.cell.width().into(), self.cell.height().into()));
            if self.chequered {
                let (x, y, width, height) = (room.x0, room.y0, room.width(), room.height());
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"url(#chequers)\"/>"
                );
            }
            fill(i, room, &mut svg);
            if self.heading.is_some() {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>",
                    room.x0 - 0.5,
                    room.y0 - 0.5,
                    room.width() + 1.0,
                    room.height() + 1.0,
                    colours.line
                );
                let baseline = room.y1 + 12.5;
                let mut end = room.x0;
                for (number, line) in caption.lines.iter().enumerate() {
                    let at = (room.x0, baseline + number as f64 * LINE);
                    end = TextLine::new(line, CAPTION, at, colours.ink).bold().write(&mut svg);
                }
                let aside = TextLine::new(&caption.aside, 9.5, (room.x1, baseline), colours.faint);
                let aside = aside.anchor(Anchor::End);
                if !caption.aside.is_empty() && end + 6.0 + aside.width() < room.x1 {
                    aside.write(&mut svg);
                }
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// An address in lines that fit, broken after a `/` where there is one. If it is too long, its middle is left
/// out, because its end is the most specific.
fn in_lines(address: &str, width: f64) -> Vec<String> {
    let fits = |text: &str| TextLine::new(text, CAPTION, (0.0, 0.0), "").bold().width() <= width;
    let mut lines: Vec<String> = Vec::new();
    let mut rest = address;
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
        // At least one letter, so that the loop ends.
        let most = ends.clone().take_while(|end| fits(&rest[..*end])).last();
        let most = most.or_else(|| ends.clone().next()).unwrap_or(rest.len());
        let slash = if most < rest.len() { rest[..most].rfind('/').map(|at| at + 1) } else { None };
        let (line, more) = rest.split_at(slash.unwrap_or(most));
        lines.push(line.to_owned());
        rest = more;
    }
    if lines.len() > MOST_LINES {
        lines.drain(1..=lines.len() - MOST_LINES);
        lines[1].insert(0, '…');
    }
    lines
}

/// The background of a picture.
pub(crate) fn write_paper(paper: Option<Background>, svg: &mut String) {
    let Some(Background { rgba: [red, green, blue, alpha] }) = paper else { return };
    let opacity = rounded(f64::from(alpha) / 255.0);
    let _ = writeln!(
        svg,
        "<rect width=\"100%\" height=\"100%\" fill=\"#{red:02x}{green:02x}{blue:02x}\" fill-opacity=\"{opacity}\"/>"
    );
}

fn heading(clip: Option<&RigClip>, frames: usize) -> String {
    let frames = format!("{frames} frame{}", if frames == 1 { "" } else { "s" });
    let Some(clip) = clip else { return frames };
    let time = clip.time();
    let what = if clip.sequence().is_some() { "shot" } else { "clip" };
    let loops = if time.looped { ", loops" } else { "" };
    format!("{what}, {} s{loops} \u{b7} {frames}", rounded(time.length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(count: usize, columns: Option<usize>, lettered: bool) -> Sheet {
        let frames = (0..count).map(|n| SheetFrame { number: n as u64, time: n as f64 / 24.0 }).collect();
        let cell = FrameSize::new(100, 60).expect("a size");
        Sheet::new(Size::new(50.0, 50.0), None, frames, SheetOptions { cell, columns, lettered })
            .expect("a sheet")
    }

    #[test]
    fn frames_do_not_overlap_and_are_inside_the_sheet() {
        for (count, columns, lettered) in
            [(1, None, true), (7, Some(3), false), (24, None, true), (5, Some(99), true)]
        {
            let sheet = sheet(count, columns, lettered);
            let (width, height) = (sheet.cell().width(), sheet.cell().height());
            assert_eq!((width, height), (60, 60));
            let places: Vec<(u32, u32)> = (0..count).map(|i| sheet.place(i)).collect();
            for (i, a) in places.iter().enumerate() {
                assert!(a.0 + width < sheet.size().width() && a.1 + height < sheet.size().height());
                let apart = |b: &(u32, u32)| a.0.abs_diff(b.0) >= width || a.1.abs_diff(b.1) >= height;
                assert!(places[..i].iter().all(apart));
            }
        }
    }

    #[test]
    fn a_sheet_that_is_too_large_is_an_error() {
        let cell = FrameSize::new(30_000, 10).expect("a size");
        let frames = vec![SheetFrame { number: 0, time: 0.0 }; 9];
        let options = SheetOptions { cell, columns: Some(9), lettered: true };
        assert!(Sheet::new(Size::new(30_000.0, 10.0), None, frames, options).is_err());
    }
}
