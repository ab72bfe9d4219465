//! The SVG text of an overlay: lines with halos, in pixels of the frame.

use std::fmt::Write as _;

use kurbo::{Affine, BezPath, Point, Rect};

use super::labels::Labels;
use crate::lettering::{rounded, write_path};

/// The colour of lines and letters.
pub(super) const INK: &str = "#1b2430";

/// The colour of halos.
pub(super) const HALO: &str = "#ffffff";

/// The SVG text so far, and the map to pixels.
pub(super) struct OverlayWriter<'p> {
    pub(super) svg: &'p mut String,
    /// From canvas space to pixels of the frame.
    pub(super) to_pixels: Affine,
    pub(super) frame: Rect,
    pub(super) labels: Labels,
}

/// The style of a line.
#[derive(Clone, Copy)]
pub(super) struct OverlayStroke<'s> {
    pub(super) colour: &'s str,
    pub(super) width: f64,
    /// Lengths of dashes and gaps, or empty.
    pub(super) dashes: &'s str,
    /// The width of the halo on both sides; 0 for none.
    pub(super) halo: f64,
}

impl OverlayStroke<'_> {
    pub(super) const fn new(colour: &str, width: f64) -> OverlayStroke<'_> {
        OverlayStroke { colour, width, dashes: "", halo: 1.2 }
    }
}

impl OverlayWriter<'_> {
    /// A point of the canvas in pixels; none if it is too far away.
    pub(super) fn at(&self, point: Point) -> Option<Point> {
        let point = self.to_pixels * point;
        (point.x.abs() < 1e6 && point.y.abs() < 1e6).then_some(point)
    }

    /// A path in pixels, filled and stroked.
    pub(super) fn path(&mut self, path: &BezPath, fill: &str, stroke: OverlayStroke<'_>) {
        self.mapped(path, Affine::IDENTITY, fill, stroke);
    }

    /// A path of the canvas.
    pub(super) fn canvas_path(&mut self, path: &BezPath, fill: &str, stroke: OverlayStroke<'_>) {
        self.mapped(path, self.to_pixels, fill, stroke);
    }

    pub(super) fn mapped(&mut self, path: &BezPath, map: Affine, fill: &str, stroke: OverlayStroke<'_>) {
        let OverlayStroke { colour, width, dashes, halo } = stroke;
        // Paths that are not finite, or too far from the frame, are not drawn.
        let near = |p: Option<Point>| p.is_none_or(|p| (map * p).to_vec2().hypot2() < 1e14);
        if path.elements().is_empty() || !path.elements().iter().all(|element| near(element.end_point())) {
            return;
        }
        let mut data = String::new();
        write_path(path, map, &mut data);
        let join = "stroke-linejoin=\"round\" stroke-linecap=\"round\"";
        if halo > 0.0 {
            let wide = rounded(width + 2.0 * halo);
            let _ = writeln!(
                self.svg,
                "<path d=\"{data}\" fill=\"none\" {join} stroke=\"{HALO}\" stroke-opacity=\"0.75\" stroke-width=\"{wide}\"/>"
            );
        }
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        let _ = writeln!(
            self.svg,
            "<path d=\"{data}\" {fill} {join} stroke=\"{colour}\" stroke-width=\"{}\"{dashes}/>",
            rounded(width)
        );
    }

    pub(super) fn dot(&mut self, at: Point, radius: f64, fill: &str, stroke: OverlayStroke<'_>) {
        let (x, y) = (rounded(at.x), rounded(at.y));
        if stroke.halo > 0.0 {
            let wide = rounded(radius + 0.5 * stroke.width + stroke.halo);
            let _ = writeln!(
                self.svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{wide}\" fill=\"{HALO}\" fill-opacity=\"0.75\"/>"
            );
        }
        let (colour, width) = (stroke.colour, rounded(stroke.width));
        let _ = writeln!(
            self.svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {fill} stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        );
    }
}
