//! TRC: the text in which Motion Analysis, OpenSim, Vicon's tools and Pose2Sim write markers. Five lines of
//! names, then a line for each frame: its number, its time, and x, y and z of each marker, with tabs between
//! them. Empty cells, NaN and three zeros are markers that were not seen.

use crate::ImportError;
use crate::error::{self, Result};
use crate::marker_tracks::MarkerMotion;
pub use crate::markers::StaticTrial;
use crate::markers::body_of;
use crate::space_motion::SpaceMotion;
use crate::text::{PlacedWord, cells};
use std::str::Lines;

/// The largest number of markers.
const MAX_MARKERS: usize = 4096;
/// The largest number of positions of markers.
const MAX_POSITIONS: usize = 20_000_000;

fn number(cell: &PlacedWord<'_>, what: &str) -> Result<f64> {
    error::number(cell.0, &cell.1, 1e12, what)
}

/// Reads the joints of a body from the markers of a text; `trial` has joints whose markers these lack.
///
/// # Errors
/// At the first place that is not valid, or if the markers are not those of a body.
pub fn read(text: &str, trial: Option<&StaticTrial>) -> Result<SpaceMotion> {
    let (motion, rate) = markers(text)?;
    body_of(&motion, rate, trial)
}

/// Reads a static trial: a person who stands, with markers that are taken off for the motion.
///
/// # Errors
/// At the first place that is not valid.
pub fn read_static(text: &str) -> Result<StaticTrial> {
    Ok(StaticTrial::new(markers(text)?.0))
}

/// The rate of a text and the names of its markers, from its first lines.
fn header<'t>(text: &'t str, lines: &mut Lines<'t>) -> Result<(f64, Vec<PlacedWord<'t>>)> {
    let end = text.trim_end().len();
    let mut next = |what: &str| {
        lines.next().map(|line| cells(text, line, '\t')).ok_or_else(|| {
            ImportError::at(end.saturating_sub(1)..end, format!("the file ends before its line of {what}"))
                .help("it may have been cut off")
        })
    };
    let filled = |line: Vec<PlacedWord<'t>>| -> Vec<PlacedWord<'t>> {
        line.into_iter().filter(|(word, _)| !word.is_empty()).collect()
    };
    let first = next("the type")?;
    // Some programs write blanks in place of the tabs of this line.
    if first[0].0.split_whitespace().next() != Some("PathFileType") {
        fail!(first[0].1.clone(), "this is not a TRC file: it does not begin with PathFileType");
    }
    let keys = next("DataRate and NumMarkers")?;
    let values = next("the rate")?;
    let (key_start, value_start) = (keys[0].1.clone(), values[0].1.clone());
    // Some have two tabs between values, so the order counts and not the column.
    let (keys, values) = (filled(keys), filled(values));
    let value = |key: &str| -> Result<f64> {
        let column = keys.iter().position(|(word, _)| word.eq_ignore_ascii_case(key));
        let Some(column) = column else {
            fail!(key_start.clone(), "this line has no {key}");
        };
        match values.get(column) {
            Some(cell) => number(cell, key),
            None => Err(ImportError::at(value_start.clone(), format!("this line has no value for {key}"))),
        }
    };
    let rate = value("DataRate")?;
    if !(rate > 0.0 && rate <= 100_000.0) {
        fail!(value_start, "{rate} frames a second cannot be read");
    }
    let announced = value("NumMarkers")?;
    let names = next("the markers")?;
    let start = names[0].1.clone();
    if !names[0].0.eq_ignore_ascii_case("Frame#") {
        fail!(start, "the line of the markers begins with Frame#");
    }
    // Names are above their x in most files, and in others a tab off; the numbers below are never shifted.
    let names = filled(names.into_iter().skip(2).collect());
    if names.len() as f64 != announced {
        fail!(start, "NumMarkers is {announced}, and the line of the markers has {}", names.len());
    }
    if names.is_empty() || names.len() > MAX_MARKERS {
        fail!(start, "from 1 to {MAX_MARKERS} markers can be read");
    }
    next("the axes")?;
    Ok((rate, names))
}

/// The markers of a text, and the frames a second.
fn markers(text: &str) -> Result<(MarkerMotion, f64)> {
    let mut lines = text.lines();
    let (rate, markers) = header(text, &mut lines)?;
    let width = 2 + 3 * markers.len();
    let mut seen: Vec<Option<[f64; 3]>> = Vec::new();
    let mut frames = 0;
    for line in lines {
        if line.trim().is_empty() {
            continue;
        }
        let found = cells(text, line, '\t');
        number(&found[0], "the number of a frame")?;
        // Lines may end with empty cells, or without those of the last markers.
        if found.len() > width && found[width..].iter().any(|(word, _)| !word.is_empty()) {
            fail!(
                found[0].1.clone(),
                "this line has {} columns, and {} markers have {width}",
                found.len(),
                markers.len()
            );
        }
        if let Some(time) = found.get(1) {
            number(time, "the time of a frame")?;
        }
        frames += 1;
        if frames * markers.len() > MAX_POSITIONS {
            fail!(found[0].1.clone(), "more than {MAX_POSITIONS} positions");
        }
        for (marker, (name, _)) in markers.iter().enumerate() {
            let from = (2 + 3 * marker).min(found.len());
            seen.push(position(name, &found[from..(from + 3).min(found.len())])?);
        }
    }
    if frames == 0 {
        return Err(ImportError::new("there are no frames in this file").help("it may have been cut off"));
    }
    let names: Vec<String> = markers.iter().map(|(name, _)| (*name).to_owned()).collect();
    Ok((MarkerMotion { names, seen }, rate))
}

/// The position in the cells of a marker; `None` if it was not seen.
fn position(name: &str, cells: &[PlacedWord<'_>]) -> Result<Option<[f64; 3]>> {
    let filled = cells.iter().filter(|(word, _)| !word.is_empty()).count();
    if cells.iter().all(|(word, _)| word.is_empty() || word.eq_ignore_ascii_case("nan")) {
        return Ok(None);
    }
    let ([x, y, z], 3) = (cells, filled) else {
        let message = format!("\"{name}\" has {filled} numbers in this line");
        return Err(ImportError::at(cells[0].1.clone(), message).help("the file may have been cut off"));
    };
    let what = "a position";
    let at = [number(x, what)?, number(y, what)?, number(z, what)?];
    // Cameras of Motion Analysis write hidden markers as zeros.
    Ok((at != [0.0; 3]).then_some(at))
}

#[cfg(test)]
mod tests;
