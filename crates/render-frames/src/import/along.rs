//! `import --along`: builds a motion graph from captures and walks along a drawn path.

use std::path::{Path, PathBuf};

use bone_authoring::ShortNumber;
use bone_format::span::Sources;
use bone_format::{Disk, Files, unreadable};
use bone_import::{ImportError, PlanarMotion};
use bone_motion_graph::{FollowOptions, GraphOptions, GroundPath, MotionGraph};
use bone_render::{Resources, SvgError, decode_svg, read_svg};
use kurbo::BezPath;

use super::capture::{CAPTURES, CaptureOptions, extension, recorded};
use super::recording::{Failure, Recording, failure, mistake_in};
use crate::args::ImportArgs;

/// Reads captures and finds a walk along the path.
pub(super) fn read(args: &ImportArgs, svg: &Path) -> Result<Recording, Failure> {
    let (path, canvas) = drawn(svg)?;
    let height = args.height.unwrap_or(canvas / 4.0);
    let ground_path =
        GroundPath::new(&path, 0.002 * height).map_err(|error| mistake_in(svg, None, &error))?;
    let captures = captures(&args.motion)?;
    let mut notes = Vec::new();
    let mut motions = Vec::new();
    for capture in &captures {
        let found = recorded(capture, &CaptureOptions::of(args))?;
        let name = capture.file_name().unwrap_or_default().to_string_lossy();
        notes.push(format!("{name}: {}", found.message));
        notes.extend(found.notes.iter().map(|note| format!("{name}: {note}")));
        motions.push(found.motion);
    }
    let whole = |error: ImportError| mistake_in(&args.motion, None, &error);
    let (graph, threshold) = graph(&motions).map_err(whole)?;
    for (capture, _) in captures.iter().zip(graph.used_captures()).filter(|(_, there)| !there) {
        let name = capture.file_name().unwrap_or_default().to_string_lossy();
        notes.push(format!("{name} is not used: it has no transitions to the others, or ends in a dead end"));
    }
    let options = FollowOptions::new(height);
    let walk = graph.follow(&ground_path, &options).map_err(whole)?;
    let motion = graph.motion(&walk, &ground_path, height).map_err(whole)?;
    notes.push(format!(
        "a graph with {} nodes and {} edges, with transitions within {} % of the height; the walk has {} fades",
        graph.node_count(),
        graph.edge_count(),
        ShortNumber(100.0 * threshold),
        walk.fades
    ));
    notes.push(format!(
        "it ends {:.1} % of the height from the end of the path, and deviates from it by at most {:.1} %",
        100.0 * walk.end_error,
        100.0 * walk.max_deviation
    ));
    let quality = graph.quality(&motion, height);
    let leaps = if quality.leaps() { "the walk leaps: " } else { "" };
    notes.push(format!(
        "{leaps}the hips are at most {:.2} times as fast as in the captures, and accelerate at most {:.2} times as much",
        quality.speed, quality.acceleration
    ));
    let seconds = motion.frames() as f64 / motion.rate();
    let message = format!(
        "{} walked along {}, {} frames at {:.4} a second ({seconds:.2} s), {} joints",
        if captures.len() == 1 { "a capture".to_owned() } else { format!("{} captures", captures.len()) },
        svg.file_name().unwrap_or_default().to_string_lossy(),
        motion.frames(),
        ShortNumber(motion.rate()),
        motion.joints().len()
    );
    let options = vec![format!("--along {} --height {}", svg.display(), ShortNumber(height))];
    let ground = (0..ground_path.runs()).map(|run| ground_path.points(run).to_vec()).collect();
    Ok(Recording { motion, notes, message, options, ground })
}

/// The graph that uses all captures, or most of them, with the smallest threshold.
fn graph(motions: &[PlanarMotion]) -> Result<(MotionGraph, f64), ImportError> {
    let options = GraphOptions::default();
    let mut best: Option<(usize, MotionGraph, f64)> = None;
    for farther in [1.0, 1.5, 2.25] {
        let threshold = options.threshold * farther;
        let made = MotionGraph::new(motions, &GraphOptions { threshold, ..options });
        let Ok(graph) = made else {
            // The error for the largest threshold is reported.
            if best.is_none() && farther > 2.0 {
                made?;
            }
            continue;
        };
        let there = graph.used_captures().into_iter().filter(|there| *there).count();
        if best.as_ref().is_none_or(|(most, ..)| there > *most) {
            best = Some((there, graph, threshold));
        }
        if there == motions.len() {
            break;
        }
    }
    let nothing = || ImportError::new("there is no capture to walk through");
    best.map(|(_, graph, threshold)| (graph, threshold)).ok_or_else(nothing)
}

/// The first path of a drawing, and the height of the drawing.
fn drawn(svg: &Path) -> Result<(BezPath, f64), Failure> {
    let bytes = Disk
        .read(svg)
        .map_err(|error| failure(svg, unreadable(&Disk, "path", svg, &error, &["svg"]), Sources::new()))?;
    let wrong = |text: &str, error: &SvgError| {
        let span = error.place().map(|at| at.span.clone());
        let error = ImportError { span, ..ImportError::new(error.message()) };
        mistake_in(svg, Some(text), &error)
    };
    let text = decode_svg(bytes).map_err(|error| wrong("", &error))?;
    let (art, _) = read_svg(&text, &Resources::none()).map_err(|error| wrong(&text, &error))?;
    let path = art.ids().find_map(|id| art.outline(id)).map(|outline| outline.path.clone());
    let nothing = || {
        let error = ImportError::new("there is no path in this drawing to walk along");
        mistake_in(svg, None, &error.help("draw a line from left to right: the first path is followed"))
    };
    Ok((path.ok_or_else(nothing)?, art.canvas().height()))
}

/// The captures of a folder, sorted by name, or a single capture.
fn captures(motion: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !motion.is_dir() {
        return Ok(vec![motion.to_owned()]);
    }
    let closed = |error| failure(motion, unreadable(&Disk, "folder", motion, &error, &[]), Sources::new());
    let entries = std::fs::read_dir(motion).map_err(closed)?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|path| CAPTURES.contains(&extension(path).as_str())).collect();
    found.sort();
    if found.is_empty() {
        let error = ImportError::new("there is no capture in this folder");
        return Err(mistake_in(motion, None, &error.help("--along walks through captures of one skeleton")));
    }
    Ok(found)
}
