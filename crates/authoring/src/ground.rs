//! The path that a figure walked along, drawn as its ground.

use std::fmt::Write as _;

use bone_import::PlanarMotion;
use bone_import::figure::{Figure, height};
use bone_import::stick_figure::StickFigure;
use kurbo::{Affine, Point, Vec2};

/// Draws the path under the figure, in place of level ground.
pub(crate) fn draw(stick: &mut StickFigure, figure: &Figure, motion: &PlanarMotion, ground: &[Vec<Point>]) {
    let Some(root) = figure.bones.first() else { return };
    let scale = figure.height / height(motion, &motion.body());
    let on_canvas = figure.start() - motion.position(0, root.from).to_vec2() * scale;
    // The soles of drawn feet are a little below their joints.
    let soles = Vec2::new(0.0, 0.013 * figure.height);
    let to_canvas = Affine::translate(on_canvas.to_vec2() + soles) * Affine::scale(scale);
    let (width, tall) = (figure.canvas.width, figure.canvas.height);
    let mut lines = String::new();
    let mut fill = String::new();
    for run in ground {
        let mut points: Vec<Point> = run.iter().map(|at| to_canvas * *at).collect();
        if points.first().is_some_and(|first| points.last().is_some_and(|last| last.x < first.x)) {
            points.reverse();
        }
        let data = points.iter().fold(String::new(), |mut data, at| {
            let _ = write!(data, "L{:.1} {:.1}", at.x, at.y);
            data
        });
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let line = format!("M0 {:.1}{data}L{width} {:.1}", first.y, last.y);
        if fill.is_empty() {
            fill = format!("  <path id=\"ground\" d=\"{line}V{tall}H0Z\" fill=\"#e4dccb\"/>");
        }
        // Only the first run is extended to the borders of the canvas.
        lines.push_str(&if lines.is_empty() { line } else { data.replacen('L', "M", 1) });
    }
    let horizon =
        format!("  <path id=\"horizon\" d=\"{lines}\" fill=\"none\" stroke=\"#b8ab92\" stroke-width=\"2\"/>");
    let replaced = stick.svg.lines().map(|line| match line.trim_start() {
        ground if ground.starts_with("<path id=\"ground\"") => fill.as_str(),
        level if level.starts_with("<path id=\"horizon\"") => horizon.as_str(),
        _ => line,
    });
    stick.svg = replaced.fold(String::new(), |text, line| text + line + "\n");
}
