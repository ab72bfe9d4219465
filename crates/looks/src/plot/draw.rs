//! The layout of a plot: graphs side by side, the value above and its speed below, over one axis of time.

use std::fmt::Write as _;

use kurbo::Size;

use super::graph::{BEYOND, Line};
use super::scale::Scale;
use crate::lettering::{Anchor, TextLine, rounded as place};
use bone_core::clip::{BoneProperty, ValueKind};
use bone_format::text::shortened;
use bone_rig::RigClip;

/// A graph with its title.
pub(super) struct Titled<'t> {
    pub(super) bone: &'t str,
    pub(super) channel: BoneProperty,
    pub(super) lines: Vec<Line>,
}

/// Sizes of one graph, in pixels.
#[derive(Clone, Copy)]
struct Sizes {
    width: f64,
    value: f64,
    speed: f64,
}

const LARGE: Sizes = Sizes { width: 760.0, value: 230.0, speed: 110.0 };
const SMALL: Sizes = Sizes { width: 420.0, value: 120.0, speed: 60.0 };
/// More graphs than this are small.
const FEW: usize = 3;
const COLUMNS: usize = 3;

const LEFT: f64 = 66.0;
const RIGHT: f64 = 18.0;
const TITLE: f64 = 30.0;
const GAP: f64 = 22.0;
const FOOT: f64 = 46.0;
const HEAD: f64 = 52.0;

const INK: &str = "#1d2733";
const FAINT: &str = "#66717d";
const GRID: &str = "#e7eaee";
const COLOURS: [&str; 2] = ["#1f6fb2", "#d2622a"];

/// All graphs of a clip or sequence.
pub(super) fn draw(clip: &RigClip, graphs: Vec<Titled<'_>>) -> Plot {
    let few = graphs.len() <= FEW;
    let sizes = if few { LARGE } else { SMALL };
    let columns = if few { 1 } else { COLUMNS };
    let height_of_one = TITLE + sizes.value + GAP + sizes.speed + FOOT;
    let width = sizes.width * columns as f64;
    let height = HEAD + height_of_one * graphs.len().div_ceil(columns) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    head(
        &mut svg,
        clip,
        width,
        graphs.iter().any(|graph| graph.lines.iter().any(|line| !line.keys.is_empty())),
    );
    for (i, graph) in graphs.iter().enumerate() {
        let at = ((i % columns) as f64 * sizes.width, HEAD + (i / columns) as f64 * height_of_one);
        one(&mut svg, clip, graph, sizes, at);
    }
    svg.push_str("</svg>\n");
    Plot { svg, size: Size::new(width, height) }
}

/// What is shown, and what the marks mean.
fn head(svg: &mut String, clip: &RigClip, width: f64, keys: bool) {
    let time = clip.time();
    let what = if clip.sequence().is_some() { "shot" } else { "clip" };
    let mut words = format!("{}, {} s", what, number(time.length));
    if time.looped {
        words.push_str(", loops");
    }
    if let Some(step) = time.step {
        let _ = write!(words, ", each drawing held for {} frames", step.frames);
    }
    let end = TextLine::new(&shortened(clip.name()), 16.0, (16.0, 30.0), INK).bold().write(svg);
    TextLine::new(&words, 12.0, (end + 6.0, 30.0), FAINT).write(svg);
    // From right to left.
    let mut x = width - RIGHT;
    let blue = COLOURS[0];
    let mut mark = |words: &str, room: f64, drawing: &dyn Fn(f64) -> String| {
        x -= room;
        let _ = writeln!(svg, "{}", drawing(x));
        TextLine::new(words, 11.0, (x + 24.0, 30.0), FAINT).write(svg);
    };
    mark(if time.looped { "seam" } else { "ends" }, 62.0, &|x| {
        format!("<path d=\"M{0} 17V35\" stroke=\"{FAINT}\" stroke-dasharray=\"3 3\"/>", x + 14.0)
    });
    mark("beyond", 76.0, &|x| {
        format!("<path d=\"M{x} 26h18\" stroke=\"{blue}\" stroke-opacity=\"0.35\" stroke-width=\"1.5\"/>")
    });
    if keys {
        mark("key", 58.0, &|x| {
            format!(
                "<circle cx=\"{}\" cy=\"26\" r=\"3.5\" fill=\"#fff\" stroke=\"{blue}\" stroke-width=\"1.8\"/>",
                x + 12.0
            )
        });
    }
}

/// One graph with its upper left corner at a place.
fn one(svg: &mut String, clip: &RigClip, graph: &Titled<'_>, sizes: Sizes, (x, y): (f64, f64)) {
    let length = clip.time().length;
    let (left, right) = (x + LEFT, x + sizes.width - RIGHT);
    let time = Scale::exact(-BEYOND * length, (1.0 + BEYOND) * length, (left, right));
    let top = y + TITLE;
    let below = top + sizes.value + GAP;
    let values = graph.lines.iter().flat_map(|line| line.points.iter().map(|point| point[1]));
    let speeds = graph.lines.iter().flat_map(|line| line.points.iter().map(|point| point[2]));
    let value = Scale::around(values, false, (top + sizes.value, top));
    let speed = Scale::around(speeds, true, (below + sizes.speed, below));

    let end = TextLine::new(&shortened(graph.bone), 12.5, (left, y + 18.0), INK).bold().write(svg);
    TextLine::new(graph.channel.name(), 12.5, (end + 4.0, y + 18.0), INK).write(svg);
    for (i, line) in graph.lines.iter().filter(|line| !line.name.is_empty()).enumerate() {
        let (at, colour) = (right - 76.0 + 40.0 * i as f64, COLOURS[i % 2]);
        let _ = writeln!(svg, "<path d=\"M{at} {0}h16\" stroke=\"{colour}\" stroke-width=\"2\"/>", y + 14.0);
        TextLine::new(line.name, 11.0, (at + 20.0, y + 18.0), FAINT).write(svg);
    }
    let unit = match graph.channel.row().kind {
        ValueKind::Degrees => "degrees",
        ValueKind::Place => "units",
        _ => "times",
    };
    let few = sizes.width < LARGE.width;
    frame(svg, (left, right), (top, sizes.value), &value, unit, if few { 4 } else { 6 });
    frame(svg, (left, right), (below, sizes.speed), &speed, &format!("{unit}/s"), if few { 4 } else { 5 });
    axis_of_time(svg, &time, below + sizes.speed, if few { 5 } else { 10 });
    for seam in [0.0, length] {
        let at = place(time.at(seam));
        let _ = writeln!(
            svg,
            "<path d=\"M{at} {}V{}\" stroke=\"{FAINT}\" stroke-dasharray=\"3 3\" stroke-width=\"0.8\"/>",
            place(top),
            place(below + sizes.speed)
        );
    }
    for (i, line) in graph.lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // A loop never shows its last moment.
        let end = if clip.time().looped { length.next_down() } else { length };
        curve(svg, line, 1, (&time, &value), (end, length), (colour, 2.0));
        curve(svg, line, 2, (&time, &speed), (end, length), (colour, 1.4));
        for &(at, level) in &line.keys {
            let faint = if (0.0..=length).contains(&at) { "" } else { " opacity=\"0.4\"" };
            let _ = writeln!(
                svg,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"1.8\"{faint}/>",
                place(time.at(at)),
                place(value.at(level)),
                if few { 2.6 } else { 3.5 }
            );
        }
    }
}

/// A box with lines at round values, their names at its left, and what they are measured in above.
fn frame(
    svg: &mut String,
    (left, right): (f64, f64),
    (top, height): (f64, f64),
    scale: &Scale,
    unit: &str,
    about: u32,
) {
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{}\" width=\"{}\" height=\"{height}\" fill=\"#fbfcfd\" stroke=\"{GRID}\"/>",
        place(top),
        right - left
    );
    for (value, name) in scale.ticks(about) {
        let at = scale.at(value);
        let stroke = if value == 0.0 { "#b9c2cc" } else { GRID };
        let _ = writeln!(svg, "<path d=\"M{left} {0}H{right}\" stroke=\"{stroke}\"/>", place(at));
        TextLine::new(&name, 10.0, (left - 5.0, at + 3.5), FAINT).anchor(Anchor::End).write(svg);
    }
    let at = (left - 52.0, top + 0.5 * height);
    TextLine::new(unit, 10.0, at, FAINT).anchor(Anchor::Middle).upwards().write(svg);
}

fn axis_of_time(svg: &mut String, time: &Scale, bottom: f64, about: u32) {
    for (value, name) in time.ticks(about) {
        let at = place(time.at(value));
        let _ = writeln!(svg, "<path d=\"M{at} {0}v4\" stroke=\"#b9c2cc\"/>", place(bottom));
        TextLine::new(&name, 10.0, (at, bottom + 16.0), FAINT).anchor(Anchor::Middle).write(svg);
    }
    let (from, to) = (time.at(f64::NEG_INFINITY), time.at(f64::INFINITY));
    let at = (0.5 * (from + to), bottom + 31.0);
    TextLine::new("seconds", 10.0, at, FAINT).anchor(Anchor::Middle).write(svg);
}

/// A line within the clip, and lightly beyond it.
fn curve(
    svg: &mut String,
    line: &Line,
    column: usize,
    (time, scale): (&Scale, &Scale),
    (end, length): (f64, f64),
    (colour, width): (&str, f64),
) {
    let path = |keep: &dyn Fn(f64) -> bool| {
        let mut path = String::new();
        let mut pen = "M";
        for point in &line.points {
            if !keep(point[0]) || point[column].is_nan() {
                pen = "M";
                continue;
            }
            let _ = write!(path, "{pen}{} {}", place(time.at(point[0])), place(scale.at(point[column])));
            pen = "L";
        }
        path
    };
    let parts: [(&dyn Fn(f64) -> bool, f64); 3] =
        [(&|t| t < 0.0, 0.35), (&|t| t >= length, 0.35), (&|t| (0.0..=end).contains(&t), 1.0)];
    for (keep, opacity) in parts {
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-opacity=\"{opacity}\"/>",
            path(keep)
        );
    }
}

/// Seconds without more digits than anybody reads.
fn number(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The picture.
    pub svg: String,
    /// Its size in pixels.
    pub size: Size,
}
