//! The paper of a contact sheet: where each frame goes, its number, and the heading. The frames are put in by whoever draws them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kurbo::{Point, Rect, Size};
use render::{Background, FrameOptions, FrameSize, FrameSizeError, Pixmap, Raster, RasterError, lay_over};

use crate::lettering::{Anchor, Words, rounded};
use crate::movement::SceneClip;
use crate::text::shortened;

/// A contact sheet without its frames.
#[derive(Clone, Debug)]
pub struct Sheet {
    size: FrameSize,
    cell: FrameSize,
    columns: usize,
    frames: Vec<SheetFrame>,
    heading: Option<String>,
    name: String,
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
    /// Each frame is made as large as fits into this.
    pub cell: FrameSize,
    /// Frames in a row; as many as make the sheet about half as wide again as high if nothing is said.
    pub columns: Option<usize>,
    /// Whether there are numbers and a heading.
    pub lettered: bool,
}

const MARGIN: f64 = 14.0;
const GAP: f64 = 10.0;
const HEADING: f64 = 30.0;
/// Room for the number under a frame.
const NUMBER: f64 = 17.0;

/// Colours that are read on a paper.
#[derive(Clone, Copy, Debug)]
struct Inks {
    ink: &'static str,
    faint: &'static str,
    line: &'static str,
}

impl Inks {
    fn on(paper: Option<Background>) -> Self {
        let dark = paper.is_some_and(|paper| {
            let [red, green, blue, alpha] = paper.rgba.map(u32::from);
            alpha > 127 && 299 * red + 587 * green + 114 * blue < 128_000
        });
        if dark {
            Self { ink: "#eef2f6", faint: "#9aa7b4", line: "#48525d" }
        } else {
            Self { ink: "#1d2733", faint: "#66717d", line: "#ccd2d9" }
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
        clip: Option<&SceneClip>,
        frames: Vec<SheetFrame>,
        options: SheetOptions,
    ) -> Result<Self, FrameSizeError> {
        let (width, height) = (f64::from(options.cell.width()), f64::from(options.cell.height()));
        let cell = FrameSize::from_scale(drawing, (width / drawing.width).min(height / drawing.height))?;
        let lettered = options.lettered;
        let (across, down) = (
            f64::from(cell.width()) + GAP,
            f64::from(cell.height()) + GAP + if lettered { NUMBER } else { 0.0 },
        );
        let count = frames.len().max(1);
        let even = (count as f64 * down / across * 1.6).sqrt().ceil().max(1.0) as usize;
        let columns = options.columns.unwrap_or(even).clamp(1, count);
        let rows = count.div_ceil(columns);
        let whole = Size::new(
            2.0 * MARGIN + columns as f64 * across - GAP,
            2.0 * MARGIN + rows as f64 * down - GAP + if lettered { HEADING } else { 0.0 },
        );
        let size = FrameSize::from_scale(whole, 1.0)?;
        let name = clip.map_or("setup pose", SceneClip::name).to_owned();
        let heading = lettered.then(|| heading(clip, frames.len()));
        Ok(Self { size, cell, columns, frames, heading, name })
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

    /// Where the upper left corner of a frame is.
    pub fn place(&self, frame: usize) -> (u32, u32) {
        let lettered = self.heading.is_some();
        let (column, row) = (frame % self.columns, frame / self.columns);
        let across = f64::from(self.cell.width()) + GAP;
        let down = f64::from(self.cell.height()) + GAP + if lettered { NUMBER } else { 0.0 };
        let top = MARGIN + if lettered { HEADING } else { 0.0 };
        // Whole numbers, all of them.
        ((MARGIN + column as f64 * across) as u32, (top + row as f64 * down) as u32)
    }

    /// So many frames of a clip, evenly spread over it, each once; the setup pose without a clip.
    pub fn moments(clip: Option<&SceneClip>, fps: f64, moments: u64) -> Vec<SheetFrame> {
        let count = clip.map_or(1, |clip| clip.frame_count(fps));
        // A loop comes back to its start after its last frame; anything else ends with it.
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
        for i in 0..self.frames.len() {
            fill(i, &mut cell)?;
            lay_over(&mut sheet, &cell, self.place(i), 1.0);
        }
        Ok(sheet)
    }

    /// The sheet as an SVG. `fill` writes what stands in the place of each frame: nothing, or a picture of the frame.
    pub fn svg(&self, paper: Option<Background>, mut fill: impl FnMut(usize, Rect, &mut String)) -> String {
        let (width, height) = (self.size.width(), self.size.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        write_paper(paper, &mut svg);
        let inks = Inks::on(paper);
        if let Some(heading) = &self.heading {
            let name = shortened(&self.name);
            let baseline = MARGIN + 14.0;
            let words = Words::new(&name, 16.0, (MARGIN, baseline), inks.ink).bold();
            let end = words.write(&mut svg);
            let more = Words::new(heading, 12.0, (end + 8.0, baseline), inks.faint);
            // A narrow sheet has no room for all of it.
            if end + 8.0 + more.width() < f64::from(width) - MARGIN {
                more.write(&mut svg);
            }
        }
        for (i, frame) in self.frames.iter().enumerate() {
            let (x, y) = self.place(i);
            let origin = Point::new(x.into(), y.into());
            let room = Rect::from_origin_size(origin, (self.cell.width().into(), self.cell.height().into()));
            fill(i, room, &mut svg);
            if self.heading.is_some() {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>",
                    room.x0 - 0.5,
                    room.y0 - 0.5,
                    room.width() + 1.0,
                    room.height() + 1.0,
                    inks.line
                );
                let baseline = room.y1 + 12.5;
                let number = frame.number.to_string();
                let end = Words::new(&number, 11.0, (room.x0, baseline), inks.ink).bold().write(&mut svg);
                let time = format!("{} s", rounded(frame.time));
                let time = Words::new(&time, 9.5, (room.x1, baseline), inks.faint).anchor(Anchor::End);
                if end + 6.0 + time.width() < room.x1 {
                    time.write(&mut svg);
                }
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// What lies behind everything.
pub(crate) fn write_paper(paper: Option<Background>, svg: &mut String) {
    let Some(Background { rgba: [red, green, blue, alpha] }) = paper else { return };
    let opacity = rounded(f64::from(alpha) / 255.0);
    let _ = writeln!(
        svg,
        "<rect width=\"100%\" height=\"100%\" fill=\"#{red:02x}{green:02x}{blue:02x}\" fill-opacity=\"{opacity}\"/>"
    );
}

fn heading(clip: Option<&SceneClip>, frames: usize) -> String {
    let frames = format!("{frames} frame{}", if frames == 1 { "" } else { "s" });
    let Some(clip) = clip else { return frames };
    let time = clip.time();
    let what = if clip.shot().is_some() { "shot" } else { "clip" };
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
    fn frames_keep_apart_and_inside() {
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
    fn a_sheet_beyond_all_limits_is_refused() {
        let cell = FrameSize::new(30_000, 10).expect("a size");
        let frames = vec![SheetFrame { number: 0, time: 0.0 }; 9];
        let options = SheetOptions { cell, columns: Some(9), lettered: true };
        assert!(Sheet::new(Size::new(30_000.0, 10.0), None, frames, options).is_err());
    }
}
