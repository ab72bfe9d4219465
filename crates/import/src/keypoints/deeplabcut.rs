//! The tables of DeepLabCut: text with commas, a few lines of names, and a line for each frame. The first
//! column has the number of the frame, each point three columns: x, y and likelihood. With several animals a
//! line of individuals is above that of the points.

use std::collections::BTreeMap;
use std::str::Lines;

use kurbo::Point;

use super::person::Detection;
use super::series::MAX_FRAMES;
use crate::ImportError;
use crate::error::{self, Result};
use crate::text::{PlacedWord, cells, place};

/// The largest number of points of all individuals.
const MAX_POINTS: usize = 4096;
/// The largest number of numbers of a table.
const MAX_NUMBERS: usize = 30_000_000;
/// Points below this likelihood are not detected; DeepLabCut's own programs use it.
pub(super) const LIKELY: f64 = 0.6;

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

/// x, y and likelihood of a point in a frame.
type PointNumbers = [Option<f64>; 3];

/// Checks the first word of a line of the header.
fn expect_line(what: &str, found: &[PlacedWord<'_>]) -> Result<()> {
    let (word, span) = &found[0];
    if *word == what {
        return Ok(());
    }
    let shown: String = word.chars().take(30).collect();
    let message = format!("\"{shown}\" where the line of {what} should begin");
    Err(ImportError::at(span.clone(), message).help(
        "a table of DeepLabCut begins with the lines scorer, individuals (with several animals), bodyparts and coords",
    ))
}

/// The header of a table.
struct TableHeader {
    /// The individuals with the names of their points.
    names: Vec<(String, Vec<String>)>,
    /// For each column after the first: its individual, its point, and what it has.
    columns: Vec<(usize, usize, Coordinate)>,
}

impl TableHeader {
    fn read(text: &str, lines: &mut Lines<'_>) -> Result<Self> {
        let end = text.trim_end();
        // At the end of the text a line has one empty cell.
        let mut next_cells = || cells(text, lines.next().unwrap_or(&end[end.len()..]), ',');
        // The line of scorers; `is_table` has seen it.
        next_cells();
        let mut bodyparts = next_cells();
        let mut individuals = None;
        if bodyparts[0].0 == "individuals" {
            individuals = Some(std::mem::replace(&mut bodyparts, next_cells()));
        }
        expect_line("bodyparts", &bodyparts)?;
        let coords = next_cells();
        expect_line("coords", &coords)?;
        let width = coords.len();
        for line in individuals.iter().chain([&bodyparts]) {
            if line.len() != width {
                let last = line[line.len() - 1].1.clone();
                fail!(last, "this line has {} columns, and the line of coords {width}", line.len());
            }
        }
        let mut header = Self { names: Vec::new(), columns: Vec::with_capacity(width) };
        for column in 1..width {
            let individual = individuals.as_ref().map_or("", |line| line[column].0);
            fail_if!(width > 3 * MAX_POINTS + 1, coords[column].1.clone(), "more than {MAX_POINTS} points");
            header.add(individual, bodyparts[column].0, &coords[column])?;
        }
        header.check()?;
        Ok(header)
    }

    /// Adds a column.
    fn add(&mut self, individual: &str, part: &str, (word, span): &PlacedWord<'_>) -> Result<()> {
        let what = match *word {
            "x" => Coordinate::X,
            "y" => Coordinate::Y,
            "likelihood" => Coordinate::Likelihood,
            "z" => {
                return Err(ImportError::at(span.clone(), "these points are in space, not in a picture")
                    .help("import the table of one camera"));
            }
            _ => {
                fail!(span.clone(), "\"{word}\" is not x, y or likelihood");
            }
        };
        let owner = self.names.iter().position(|(name, _)| name == individual).unwrap_or_else(|| {
            self.names.push((individual.to_owned(), Vec::new()));
            self.names.len() - 1
        });
        let parts = &mut self.names[owner].1;
        let point = parts.iter().position(|name| name == part).unwrap_or_else(|| {
            parts.push(part.to_owned());
            parts.len() - 1
        });
        fail_if!(self.columns.contains(&(owner, point, what)), span.clone(), "a second {word} of \"{part}\"");
        self.columns.push((owner, point, what));
        Ok(())
    }

    /// Whether there are points, and each has an x and a y.
    fn check(&self) -> Result<()> {
        fail_if!(self.columns.is_empty(), "there are no points in this table");
        for (owner, (_, parts)) in self.names.iter().enumerate() {
            for (point, part) in parts.iter().enumerate() {
                let has = |what| self.columns.contains(&(owner, point, what));
                if !(has(Coordinate::X) && has(Coordinate::Y)) {
                    fail!("the point \"{part}\" has no x or no y");
                }
            }
        }
        Ok(())
    }

    /// The number of points of all individuals.
    fn points(&self) -> usize {
        self.names.iter().map(|(_, parts)| parts.len()).sum()
    }

    /// The points of each individual in each frame that has a line.
    fn rows(&self, text: &str, lines: Lines<'_>) -> Result<BTreeMap<u64, Vec<Vec<PointNumbers>>>> {
        let (width, end) = (self.columns.len() + 1, text.trim_end().len());
        let mut rows = BTreeMap::new();
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let (found, start) = (cells(text, line, ','), place(text, line).start);
            let span = &found[0].1;
            let number = frame_number(&found[0])?;
            if found.len() != width {
                let message =
                    format!("this line has {} columns, and the line of coords {width}", found.len());
                let error = ImportError::at(start..start + line.len().min(30), message);
                let is_last = start + line.len() >= end;
                return Err(if is_last { error.help("the file may have been cut off") } else { error });
            }
            if (rows.len() + 1) * self.points() * 3 > MAX_NUMBERS {
                fail!(span.clone(), "more than {MAX_NUMBERS} numbers");
            }
            if rows.insert(number, self.row(&found[1..])?).is_some() {
                fail!(span.clone(), "a second line of frame {number}");
            }
        }
        Ok(rows)
    }

    fn row(&self, cells: &[PlacedWord<'_>]) -> Result<Vec<Vec<PointNumbers>>> {
        let unseen = |(_, parts): &(_, Vec<String>)| vec![[None, None, Some(1.0)]; parts.len()];
        let mut row: Vec<Vec<PointNumbers>> = self.names.iter().map(unseen).collect();
        for (&(owner, point, what), (word, span)) in self.columns.iter().zip(cells) {
            let value = match *word {
                "" | "nan" | "NaN" | "NA" => None,
                _ => Some(error::number(word, span, 1e9, "a number")?),
            };
            row[owner][point][what as usize] = value;
        }
        Ok(row)
    }
}

/// The number of a frame. Some tables have whole numbers with a point.
fn frame_number((word, span): &PlacedWord<'_>) -> Result<u64> {
    let number = word.parse::<f64>().ok().filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n <= 4e9);
    number.map(|number| number as u64).ok_or_else(|| {
        ImportError::unexpected(word, span.clone(), "the number of a frame")
            .help("tables of labelled pictures have no motion; import what was found in a video")
    })
}

/// Reads a table.
pub(super) fn read(bytes: &[u8]) -> Result<PointTable> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ImportError::new(format!("the file is not text: byte {} is not a character", error.valid_up_to()))
    })?;
    let mut lines = text.lines();
    let header = TableHeader::read(text, &mut lines)?;
    let rows = header.rows(text, lines)?;
    let (Some((&first, _)), Some((&last, _))) = (rows.first_key_value(), rows.last_key_value()) else {
        return Err(ImportError::new("there are no frames in this table").help("it may have been cut off"));
    };
    let (count, most) = (last - first + 1, MAX_FRAMES.min(20 * rows.len() as u64 + 100));
    if count > most || count as usize * header.points() * 3 > MAX_NUMBERS {
        let message = format!("the frames run from {first} to {last}, but only {} are there", rows.len());
        return Err(ImportError::new(message).help("the points have to come from one video"));
    }
    let named = |name: String| NamedPoint { name, seen: vec![None; count as usize] };
    let individual = |(name, parts): (String, Vec<String>)| Individual {
        name,
        points: parts.into_iter().map(named).collect(),
    };
    let mut individuals: Vec<Individual> = header.names.into_iter().map(individual).collect();
    let missing = count as usize - rows.len();
    for (number, row) in rows {
        for (individual, row) in individuals.iter_mut().zip(row) {
            for (point, [x, y, likelihood]) in individual.points.iter_mut().zip(row) {
                let confidence = likelihood.unwrap_or_default().min(1.0);
                if let (Some(x), Some(y), true) = (x, y, confidence >= LIKELY) {
                    point.seen[(number - first) as usize] =
                        Some(Detection { at: Point::new(x, y), confidence });
                }
            }
        }
    }
    Ok(PointTable { individuals, first, missing })
}
