//! Tables of points: text with a line for each frame, and columns for x, y and the confidence of each point.
//! Read are those of DeepLabCut, whose points are named by three lines (four with several animals), and all with
//! one line of names: SLEAP's, where each animal has a line of its own, and those that people write of MediaPipe
//! and others.

use std::collections::BTreeMap;
use std::str::Lines;

use kurbo::{Point, Size};

use super::expression::Points;
use super::layout::KeypointLayout;
use super::person::Detection;
use super::series::MAX_FRAMES;
use crate::ImportError;
use crate::error::{self, Result};
use crate::text::{PlacedWord, cells, place};

/// The largest number of points of all individuals.
const MAX_POINTS: usize = 4096;
/// The largest number of numbers of a table.
pub(super) const MAX_NUMBERS: usize = 30_000_000;
/// Points of DeepLabCut below this likelihood are not detected; its own programs use it.
const LIKELY: f64 = 0.6;

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
    /// Points that are less likely are not detected.
    pub(super) likely: f64,
    /// The order of its points, if they have no names of their own.
    pub(super) layout: KeypointLayout,
}

impl PointTable {
    /// The number of frames.
    pub(super) fn frames(&self) -> usize {
        self.individuals.first().and_then(|one| one.points.first()).map_or(0, |point| point.seen.len())
    }

    /// All detections.
    pub(super) fn detections(&mut self) -> impl Iterator<Item = &mut Detection> {
        let points = self.individuals.iter_mut().flat_map(|one| &mut one.points);
        points.flat_map(|point| point.seen.iter_mut().flatten())
    }

    /// The same table in pixels; `scale` is the size of its unit.
    pub(super) fn scaled(mut self, scale: Size) -> Self {
        for seen in self.detections() {
            seen.at = Point::new(seen.at.x * scale.width, seen.at.y * scale.height);
        }
        self
    }

    /// The points of each individual in each frame, in another order: entries of `order` are their numbers here.
    pub(super) fn frames_of(&self, order: &[usize]) -> Vec<(u64, Vec<Points>)> {
        let place = |seen: &Detection| [seen.at.x, seen.at.y, seen.confidence];
        let of = |one: &Individual, frame: usize| -> Points {
            order.iter().map(|&point| one.points[point].seen[frame].as_ref().map(place)).collect()
        };
        let frame = |frame: usize| {
            let all = self.individuals.iter().map(|one| of(one, frame));
            (self.first + frame as u64, all.filter(|points| points.iter().any(Option::is_some)).collect())
        };
        (0..self.frames()).map(frame).collect()
    }

    /// The names of the points of the first individual.
    pub(super) fn names(&self) -> Vec<&str> {
        self.individuals
            .first()
            .map_or_else(Vec::new, |one| one.points.iter().map(|point| &*point.name).collect())
    }
}

/// Whether bytes are a table: their first line has several cells, and no brackets of JSON in front.
pub(super) fn is_table(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let begins = line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b",;\t\"#".contains(byte));
    let separates = line.iter().any(|byte| b",;\t".contains(byte));
    bytes.starts_with(b"scorer") || (begins && separates)
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
    let shown = error::start_of(word);
    let message = format!("\"{shown}\" where the line of {what} should begin");
    Err(ImportError::at(span.clone(), message).help(
        "a table of DeepLabCut begins with the lines scorer, individuals (with several animals), bodyparts and coords",
    ))
}

/// The header of a table.
struct TableHeader {
    separator: char,
    /// The individuals with the names of their points; one if each line has its own individual.
    names: Vec<(String, Vec<String>)>,
    /// For each column its individual, its point, and what it has; `None` for columns of something else.
    columns: Vec<Option<(usize, usize, Coordinate)>>,
    /// The columns of the number of the frame, and of the individual.
    frame: Option<usize>,
    individual: Option<usize>,
    likely: f64,
}

/// The words of a name that the meaning of a column depends on.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Splits the name of a column into its point and what it has: `nose.x`, `nose_score`, `nosex`, `x12`.
fn coordinate(name: &str) -> Option<(&str, &'static str)> {
    let suffixes = ["x", "y", "z", "score", "likelihood", "visibility", "confidence", "v", "p"];
    let lower = name.to_ascii_lowercase();
    let separators = ['.', '_', ' ', '-'];
    for suffix in suffixes {
        // A number is the name of a point, with its coordinate in front.
        let number = lower.strip_prefix(suffix).map(|rest| rest.trim_start_matches(separators));
        if let Some(number) = number
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some((&name[name.len() - number.len()..], suffix));
        }
    }
    let of = |suffix: &&'static str| lower.ends_with(*suffix) && lower.len() > suffix.len();
    // Longer suffixes first: a `v` ends no `visibility`, but `x` could end a name.
    let suffix = suffixes.into_iter().filter(|suffix| of(suffix)).max_by_key(|suffix| suffix.len())?;
    let point = &name[..name.len() - suffix.len()];
    Some((point.trim_end_matches(separators), suffix)).filter(|(point, _)| !point.is_empty())
}

impl TableHeader {
    fn read<'t>(text: &'t str, lines: &mut Lines<'t>) -> Result<Self> {
        let end = text.trim_end();
        let first = lines.next().unwrap_or(&end[end.len()..]);
        let count = |separator: char| first.matches(separator).count();
        let separator = [',', ';', '\t'].into_iter().rev().max_by_key(|one| count(*one)).unwrap_or(',');
        let header = Self {
            separator,
            names: Vec::new(),
            columns: Vec::new(),
            frame: None,
            individual: None,
            likely: 0.0,
        };
        let first = cells(text, first, separator);
        let header = if first[0].0 == "scorer" {
            // At the end of the text a line has one empty cell.
            header.of_lines(|| cells(text, lines.next().unwrap_or(&end[end.len()..]), separator))
        } else {
            header.of_names(&first)
        }?;
        header.check()?;
        Ok(header)
    }

    /// The header that DeepLabCut writes below its line of scorers.
    fn of_lines<'t>(mut self, mut next_cells: impl FnMut() -> Vec<PlacedWord<'t>>) -> Result<Self> {
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
        (self.frame, self.likely) = (Some(0), LIKELY);
        self.columns.push(None);
        for column in 1..width {
            let individual = individuals.as_ref().map_or("", |line| line[column].0);
            let (word, span) = &coords[column];
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
            self.add(individual, bodyparts[column].0, what, &coords[column])?;
        }
        Ok(self)
    }

    /// A header with one line of names.
    fn of_names(mut self, names: &[PlacedWord<'_>]) -> Result<Self> {
        let split: Vec<Option<(&str, &str)>> = names.iter().map(|(name, _)| coordinate(name)).collect();
        // Only what has an x and a y is a point: `instance.score` is none.
        let points = |of: &str| -> Vec<String> {
            split.iter().flatten().filter(|(_, what)| *what == of).map(|(point, _)| plain(point)).collect()
        };
        let (x, y) = (points("x"), points("y"));
        for (column, (cell, split)) in names.iter().zip(&split).enumerate() {
            let (name, word) = (plain(cell.0), cell.0);
            let point = split.filter(|(point, _)| {
                let point = plain(point);
                x.contains(&point) && y.contains(&point)
            });
            if let Some((point, what)) = point {
                let what = match what {
                    "x" => Coordinate::X,
                    "y" => Coordinate::Y,
                    // The depth of MediaPipe is a guess.
                    "z" => {
                        self.columns.push(None);
                        continue;
                    }
                    _ => Coordinate::Likelihood,
                };
                self.add("", point, what, cell)?;
                continue;
            }
            let is = |known: &[&str]| known.contains(&&*name);
            if is(&["frame", "frameidx", "frameid", "frameindex", "framenumber"])
                || (column == 0 && word.is_empty())
            {
                self.frame = self.frame.or(Some(column));
            } else if is(&["track", "trackid", "individual", "person", "personid", "id"]) {
                self.individual = self.individual.or(Some(column));
            }
            self.columns.push(None);
        }
        if self.names.is_empty() {
            let shown: Vec<String> =
                names.iter().take(8).map(|(name, _)| format!("\"{}\"", error::start_of(name))).collect();
            let message = format!("there are no points in this table: its columns are {}", shown.join(", "));
            return Err(ImportError::at(names[0].1.clone(), message).help(
                "a point has columns with its name and x, y and score or likelihood: nose.x, nose_y, nose score",
            ));
        }
        Ok(self)
    }

    /// Adds a column.
    fn add(&mut self, individual: &str, part: &str, what: Coordinate, cell: &PlacedWord<'_>) -> Result<()> {
        let (word, span) = cell;
        fail_if!(self.columns.len() > 3 * MAX_POINTS + 1, span.clone(), "more than {MAX_POINTS} points");
        let owner = self.names.iter().position(|(name, _)| name == individual).unwrap_or_else(|| {
            self.names.push((individual.to_owned(), Vec::new()));
            self.names.len() - 1
        });
        let parts = &mut self.names[owner].1;
        let point = parts.iter().position(|name| name == part).unwrap_or_else(|| {
            parts.push(part.to_owned());
            parts.len() - 1
        });
        let column = Some((owner, point, what));
        fail_if!(self.columns.contains(&column), span.clone(), "a second {word} of \"{part}\"");
        self.columns.push(column);
        Ok(())
    }

    /// Whether there are points, and each has an x and a y.
    fn check(&self) -> Result<()> {
        fail_if!(self.names.is_empty(), "there are no points in this table");
        for (owner, (_, parts)) in self.names.iter().enumerate() {
            for (point, part) in parts.iter().enumerate() {
                let has = |what| self.columns.contains(&Some((owner, point, what)));
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

    fn row(&self, cells: &[PlacedWord<'_>]) -> Result<Vec<Vec<PointNumbers>>> {
        let unseen = |(_, parts): &(_, Vec<String>)| vec![[None, None, Some(1.0)]; parts.len()];
        let mut row: Vec<Vec<PointNumbers>> = self.names.iter().map(unseen).collect();
        for (column, (word, span)) in self.columns.iter().zip(cells) {
            let &Some((owner, point, what)) = column else { continue };
            let value = match *word {
                // A score may be left out.
                "" if what == Coordinate::Likelihood => Some(1.0),
                "" => None,
                _ if ["nan", "na"].contains(&&*word.to_ascii_lowercase()) => None,
                _ => Some(error::number(word, span, 1e9, "a number")?),
            };
            row[owner][point][what as usize] = value;
        }
        Ok(row)
    }
}

/// The individuals of a table in each frame that has a line.
#[derive(Default)]
struct TableRows {
    /// The names of individuals that have lines of their own.
    named: Vec<String>,
    rows: BTreeMap<u64, BTreeMap<usize, Vec<PointNumbers>>>,
}

impl TableRows {
    fn read(header: &TableHeader, text: &str, lines: Lines<'_>) -> Result<Self> {
        let (width, end) = (header.columns.len(), text.trim_end().len());
        let mut all = Self::default();
        let mut numbers = 0;
        for (at, line) in lines.filter(|line| !line.trim().is_empty()).enumerate() {
            let (found, start) = (cells(text, line, header.separator), place(text, line).start);
            let number = match header.frame {
                Some(column) if column < found.len() => frame_number(&found[column])?,
                _ => at as u64,
            };
            if found.len() != width {
                let names = if header.likely > 0.0 { "coords" } else { "names" };
                let message =
                    format!("this line has {} columns, and the line of {names} {width}", found.len());
                let error = ImportError::at(start..start + line.len().min(30), message);
                let is_last = start + line.len() >= end;
                return Err(if is_last { error.help("the file may have been cut off") } else { error });
            }
            let span = &found[header.frame.unwrap_or_default()].1;
            numbers += header.points() * 3;
            fail_if!(numbers > MAX_NUMBERS, span.clone(), "more than {MAX_NUMBERS} numbers");
            let row = header.row(&found)?;
            let (individual, word) = match header.individual {
                Some(column) => all.individual(&found[column])?,
                None => (0, ""),
            };
            let frame = all.rows.entry(number).or_default();
            for (at, points) in row.into_iter().enumerate() {
                if frame.insert(individual + at, points).is_some() {
                    let of = if word.is_empty() {
                        String::new()
                    } else {
                        format!(" of \"{}\"", error::start_of(word))
                    };
                    let error = ImportError::at(span.clone(), format!("a second line of frame {number}{of}"));
                    return Err(match header.individual {
                        Some(_) => error.help("animals that have lines of their own need names of their tracks: track them first"),
                        None => error,
                    });
                }
            }
        }
        Ok(all)
    }

    /// The index of an individual by its name.
    fn individual<'t>(&mut self, (word, span): &PlacedWord<'t>) -> Result<(usize, &'t str)> {
        let at = self.named.iter().position(|name| name == word).unwrap_or_else(|| {
            self.named.push((*word).to_owned());
            self.named.len() - 1
        });
        // The largest number of individuals.
        fail_if!(at >= 256, span.clone(), "more than 256 individuals");
        Ok((at, word))
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
    let marked = text.strip_prefix('\u{feff}');
    let mark = text.len() - marked.unwrap_or(text).len();
    read_text(marked.unwrap_or(text)).map_err(|error| ImportError {
        span: error.span.clone().map(|span| span.start + mark..span.end + mark),
        ..error
    })
}

fn read_text(text: &str) -> Result<PointTable> {
    let mut lines = text.lines();
    let header = TableHeader::read(text, &mut lines)?;
    let TableRows { named, rows } = TableRows::read(&header, text, lines)?;
    let (Some((&first, _)), Some((&last, _))) = (rows.first_key_value(), rows.last_key_value()) else {
        return Err(ImportError::new("there are no frames in this table").help("it may have been cut off"));
    };
    let (count, most) = (last - first + 1, MAX_FRAMES.min(20 * rows.len() as u64 + 100));
    let points = header.points() * named.len().max(1);
    if count > most || (count as usize).saturating_mul(points * 3) > MAX_NUMBERS {
        let message = format!("the frames run from {first} to {last}, but only {} are there", rows.len());
        return Err(ImportError::new(message).help("the points have to come from one video"));
    }
    let individual = |name: &str, parts: &[String]| Individual {
        name: name.to_owned(),
        points: parts
            .iter()
            .map(|name| NamedPoint { name: name.clone(), seen: vec![None; count as usize] })
            .collect(),
    };
    let mut individuals: Vec<Individual> = match named.is_empty() {
        true => header.names.iter().map(|(name, parts)| individual(name, parts)).collect(),
        false => named.iter().map(|name| individual(name, &header.names[0].1)).collect(),
    };
    let missing = count as usize - rows.len();
    for (number, row) in rows {
        for (at, points) in row {
            for (point, [x, y, likelihood]) in individuals[at].points.iter_mut().zip(points) {
                let confidence = likelihood.unwrap_or_default().min(1.0);
                if let (Some(x), Some(y), true) = (x, y, confidence > 0.0 && confidence >= header.likely) {
                    point.seen[(number - first) as usize] =
                        Some(Detection { at: Point::new(x, y), confidence });
                }
            }
        }
    }
    Ok(PointTable { individuals, first, missing, likely: header.likely, layout: KeypointLayout::Named })
}
