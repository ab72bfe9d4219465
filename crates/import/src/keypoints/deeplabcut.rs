//! The tables of DeepLabCut: text with commas, a few lines of names, and a line for each frame. The first
//! column has the number of the frame, each point three columns: x, y and likelihood. With several animals a
//! line of individuals is above that of the points.

use std::collections::BTreeMap;
use std::ops::Range;

use kurbo::Point;

use super::person::Detection;
use super::series::MAX_FRAMES;
use crate::ImportError;

/// The largest number of points of all individuals.
const MAX_POINTS: usize = 4096;
/// The largest number of numbers of a table.
const MAX_NUMBERS: usize = 30_000_000;
/// Points below this likelihood are not detected; DeepLabCut's own programs use it.
pub(super) const LIKELY: f64 = 0.6;

type Result<T> = std::result::Result<T, ImportError>;

/// A named point and where it was seen in each frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NamedPoint {
    pub(super) name: String,
    pub(super) seen: Vec<Option<Detection>>,
}

/// An individual with its points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Individual {
    pub(super) name: String,
    pub(super) points: Vec<NamedPoint>,
}

/// A table: all individuals have as many frames.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointTable {
    pub(super) individuals: Vec<Individual>,
    /// The number of the first frame.
    pub(super) first: u64,
    /// Frames of which there is no line.
    pub(super) missing: usize,
}

/// A word of a line with its place in the text.
type Cell<'t> = (&'t str, Range<usize>);

fn cells(start: usize, line: &str) -> Vec<Cell<'_>> {
    let mut at = start;
    let cell = |raw: &'_ str| {
        let from = at;
        at += raw.len() + 1;
        from..from + raw.len()
    };
    let spans: Vec<Range<usize>> = line.split(',').map(cell).collect();
    line.split(',').map(|raw| raw.trim().trim_matches('"').trim()).zip(spans).collect()
}

/// Whether bytes are such a table: the first word of the first line is `scorer`.
pub(super) fn is_table(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.starts_with(b"scorer") || bytes.starts_with(b"\"scorer")
}

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coordinate {
    X,
    Y,
    Likelihood,
}

/// Reads a table.
pub(super) fn read(bytes: &[u8]) -> Result<PointTable> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ImportError::new(format!("the file is not text: byte {} is not a character", error.valid_up_to()))
    })?;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    });
    let end = text.trim_end().len();
    // The line of scorers; `is_table` has seen it.
    lines.next();
    let (start, second) = lines.next().unwrap_or((end, ""));
    let second = cells(start, second);
    let several = second[0].0 == "individuals";
    let mut header = |what: &str, given: Option<Vec<Cell<'_>>>| -> Result<Vec<(String, Range<usize>)>> {
        let found = match given {
            Some(found) => found,
            None => {
                let (start, line) = lines.next().unwrap_or((end, ""));
                cells(start, line)
            }
        };
        if found[0].0 != what {
            let shown: String = found[0].0.chars().take(30).collect();
            let message = format!("\"{shown}\" where the line of {what} should begin");
            return Err(ImportError::at(found[0].1.clone(), message).help(
                "a table of DeepLabCut begins with the lines scorer, individuals (with several animals), bodyparts and coords",
            ));
        }
        Ok(found.into_iter().map(|(word, span)| (word.to_owned(), span)).collect())
    };
    let (individuals, bodyparts) = if several {
        (Some(header("individuals", Some(second))?), header("bodyparts", None)?)
    } else {
        (None, header("bodyparts", Some(second))?)
    };
    let coords = header("coords", None)?;
    let width = coords.len();
    for line in individuals.iter().chain([&bodyparts]) {
        if line.len() != width {
            let last = line[line.len() - 1].1.clone();
            let message = format!("this line has {} columns, and the line of coords {width}", line.len());
            return Err(ImportError::at(last, message));
        }
    }
    // The place of each column: its individual, its point, and what it has.
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    let mut columns: Vec<(usize, usize, Coordinate)> = Vec::with_capacity(width);
    let mut given: Vec<(usize, usize, Coordinate)> = Vec::new();
    for column in 1..width {
        let individual = individuals.as_ref().map_or("", |line| line[column].0.as_str());
        let (part, (word, span)) = (&bodyparts[column].0, &coords[column]);
        let what = match word.as_str() {
            "x" => Coordinate::X,
            "y" => Coordinate::Y,
            "likelihood" => Coordinate::Likelihood,
            "z" => {
                return Err(ImportError::at(span.clone(), "these points are in space, not in a picture")
                    .help("import the table of one camera"));
            }
            _ => {
                let message = format!("\"{word}\" is not x, y or likelihood");
                return Err(ImportError::at(span.clone(), message));
            }
        };
        let owner = match names.iter().position(|(name, _)| name == individual) {
            Some(owner) => owner,
            None => {
                names.push((individual.to_owned(), Vec::new()));
                names.len() - 1
            }
        };
        let parts = &mut names[owner].1;
        let point = match parts.iter().position(|name| name == part) {
            Some(point) => point,
            None => {
                parts.push(part.clone());
                parts.len() - 1
            }
        };
        if width > 3 * MAX_POINTS + 1 {
            return Err(ImportError::at(span.clone(), format!("more than {MAX_POINTS} points")));
        }
        if given.contains(&(owner, point, what)) {
            return Err(ImportError::at(span.clone(), format!("a second {word} of \"{part}\"")));
        }
        given.push((owner, point, what));
        columns.push((owner, point, what));
    }
    if columns.is_empty() {
        return Err(ImportError::new("there are no points in this table"));
    }
    for (owner, (_, parts)) in names.iter().enumerate() {
        for (point, part) in parts.iter().enumerate() {
            let has = |what| given.contains(&(owner, point, what));
            if !(has(Coordinate::X) && has(Coordinate::Y)) {
                return Err(ImportError::new(format!("the point \"{part}\" has no x or no y")));
            }
        }
    }
    let points = names.iter().map(|(_, parts)| parts.len()).sum::<usize>();
    let mut rows: BTreeMap<u64, Vec<Vec<[Option<f64>; 3]>>> = BTreeMap::new();
    for (start, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let found = cells(start, line);
        let (word, span) = &found[0];
        // Some tables have whole numbers with a point.
        let number = word.parse::<f64>().ok().filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n <= 4e9);
        let Some(number) = number else {
            let shown: String = word.chars().take(40).collect();
            return Err(ImportError::at(
                span.clone(),
                format!("\"{shown}\" where the number of a frame should be"),
            )
            .help("tables of labelled pictures have no motion; import what was found in a video"));
        };
        if found.len() != width {
            let message = format!("this line has {} columns, and the line of coords {width}", found.len());
            let error = ImportError::at(start..start + line.len().min(30), message);
            return Err(if start + line.len() >= end {
                error.help("the file may have been cut off")
            } else {
                error
            });
        }
        if (rows.len() + 1) * points * 3 > MAX_NUMBERS {
            return Err(ImportError::at(span.clone(), format!("more than {MAX_NUMBERS} numbers")));
        }
        let mut row: Vec<Vec<[Option<f64>; 3]>> =
            names.iter().map(|(_, parts)| vec![[None, None, Some(1.0)]; parts.len()]).collect();
        for (&(owner, point, what), (word, span)) in columns.iter().zip(&found[1..]) {
            let value = match *word {
                "" | "nan" | "NaN" | "NA" => None,
                _ => match word.parse::<f64>() {
                    Ok(value) if value.is_finite() && value.abs() <= 1e9 => Some(value),
                    _ => {
                        let shown: String = word.chars().take(40).collect();
                        let message = format!("\"{shown}\" where a number should be");
                        return Err(ImportError::at(span.clone(), message));
                    }
                },
            };
            row[owner][point][what as usize] = value;
        }
        if rows.insert(number as u64, row).is_some() {
            return Err(ImportError::at(span.clone(), format!("a second line of frame {number}")));
        }
    }
    let (Some((&first, _)), Some((&last, _))) = (rows.first_key_value(), rows.last_key_value()) else {
        return Err(ImportError::new("there are no frames in this table").help("it may have been cut off"));
    };
    let count = last - first + 1;
    if count > MAX_FRAMES || count > 20 * rows.len() as u64 + 100 || count as usize * points * 3 > MAX_NUMBERS
    {
        let message = format!("the frames run from {first} to {last}, but only {} are there", rows.len());
        return Err(ImportError::new(message).help("the points have to come from one video"));
    }
    let mut found: Vec<Individual> = names
        .iter()
        .map(|(name, parts)| Individual {
            name: name.clone(),
            points: parts
                .iter()
                .map(|name| NamedPoint { name: name.clone(), seen: vec![None; count as usize] })
                .collect(),
        })
        .collect();
    let missing = count as usize - rows.len();
    for (number, row) in rows {
        for (individual, row) in found.iter_mut().zip(row) {
            for (point, [x, y, likelihood]) in individual.points.iter_mut().zip(row) {
                let confidence = likelihood.unwrap_or_default().min(1.0);
                if let (Some(x), Some(y), true) = (x, y, confidence >= LIKELY) {
                    point.seen[(number - first) as usize] =
                        Some(Detection { at: Point::new(x, y), confidence });
                }
            }
        }
    }
    Ok(PointTable { individuals: found, first, missing })
}
