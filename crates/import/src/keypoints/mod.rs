//! Keypoints that a pose estimator detected in a video, as the motion of one figure: [`KeypointReader`] takes
//! the files of OpenPose, COCO tools, MediaPipe, YOLO or DeepLabCut one by one, and [`KeypointReader::finish`] tracks the
//! people, selects one and repairs the detections.
//!
//! Ambiguous files are errors. The camera has to stand still. A picture has no depth; the result has depths
//! only for a person seen from the side.

mod assign;
mod deeplabcut;
mod expression;
mod facing;
mod gaps;
mod join_tracks;
mod layout;
mod named;
mod outliers;
mod person;
mod person_track;
mod points;
mod read;
mod read_expression;
mod repair;
mod series;
mod side_swaps;
mod similarity;
mod smooth;
mod track;

use std::collections::BTreeMap;
use std::ops::Range;

use kurbo::{Point, Size};

use crate::controls::CONTROLS;
use crate::{ImportError, PlanarMotion};
use expression::Expression;
use person::{Detection, PersonPose};
use read::{FileContent, Person};

pub use layout::KeypointLayout;
pub use series::{FrameSeries, find_series};

/// What the files do not contain.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeypointOptions {
    /// Frames of the video a second.
    pub rate: f64,
    /// The number of the person, from 1 on, in the order of [`KeypointCapture::people`].
    pub person: usize,
    /// The size of the picture in pixels; needed if coordinates are relative to it.
    pub image_size: Option<Size>,
    /// The cutoff of the smoothing in cycles a second: at this frequency half of the amplitude is kept.
    /// `None` turns smoothing off.
    pub cutoff: Option<f64>,
}

impl Default for KeypointOptions {
    /// 30 frames a second, the largest person, and 6 cycles a second, which is usual in gait analysis.
    fn default() -> Self {
        Self { rate: 30.0, person: 1, image_size: None, cutoff: Some(6.0) }
    }
}

/// A tracked person.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackedPerson {
    /// The numbers of the first and the last frame.
    pub frames: (u64, u64),
    /// The number of frames in which the person was detected.
    pub found: usize,
    /// The median size in pixels: the diagonal of the bounding box of all joints.
    pub size: f64,
}

/// The result of reading keypoints.
#[derive(Clone, Debug)]
pub struct KeypointCapture {
    /// The motion of the person, in pixels, with the controls of hands and face that were detected.
    pub motion: PlanarMotion,
    /// The layout of the points.
    pub layout: KeypointLayout,
    /// All tracked people, sorted by size times duration, largest first.
    pub people: Vec<TrackedPerson>,
    /// The number of the first frame of the motion.
    pub first_frame: u64,
    /// What was assumed, found and repaired.
    pub notes: Vec<String>,
}

/// Collects frames from files.
#[derive(Debug, Default)]
pub struct KeypointReader {
    layout: Option<KeypointLayout>,
    frames: BTreeMap<u64, Vec<Person>>,
    /// The number of coordinates that look relative to the picture, and the number of all coordinates.
    shares: (usize, usize),
    files: usize,
    /// A table of named points, in place of frames.
    table: Option<deeplabcut::PointTable>,
}

impl KeypointReader {
    /// A reader without frames.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file that contains one frame: one of a series as [`find_series`] finds it.
    ///
    /// # Errors
    /// If the file is not valid, or its people have another layout than those before. The reader is then
    /// unchanged.
    pub fn add_frame(&mut self, number: u64, bytes: &[u8]) -> Result<(), ImportError> {
        let content = match read::yolo(bytes) {
            Some(people) => FileContent::Frame(people?),
            None => read::file(bytes, false)?,
        };
        match content {
            FileContent::Frame(people) => self.add(vec![(number, people)]),
            FileContent::Frames(_) => {
                Err(ImportError::at(0..0, "this file has many frames, but it is one of several files")
                    .help("pass this file, not its folder"))
            }
        }
    }

    /// Adds a file that contains all frames.
    ///
    /// # Errors
    /// If the file is not valid, or has frames of different layouts. The reader is then unchanged.
    pub fn add_file(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        if deeplabcut::is_table(bytes) {
            self.table = Some(deeplabcut::read(bytes)?);
            return Ok(());
        }
        match read::file(bytes, true)? {
            FileContent::Frames(frames) => {
                fail_if!(frames.is_empty(), 0..0, "there are no frames in this file");
                self.add(frames)
            }
            FileContent::Frame(_) => {
                Err(ImportError::at(0..0, "this file has only one frame: a motion needs at least two")
                    .help("if the other frames are in files beside it, pass their folder"))
            }
        }
    }

    /// Adds the frames of a file, if all people have the same layout.
    fn add(&mut self, frames: Vec<(u64, Vec<Person>)>) -> Result<(), ImportError> {
        let mut layout = self.layout;
        for person in frames.iter().flat_map(|(_, people)| people) {
            let expected = *layout.get_or_insert(person.layout);
            if expected != person.layout {
                return Err(mixed(person.span.clone(), person.layout, expected));
            }
        }
        (self.layout, self.files) = (layout, self.files + 1);
        for (number, people) in frames {
            for [x, y, _] in people.iter().flat_map(|person| person.points.iter().flatten()) {
                let share = (-1.0..=2.0).contains(x) && (-1.0..=2.0).contains(y);
                self.shares.0 += usize::from(share);
                self.shares.1 += 1;
            }
            self.frames.entry(number).or_default().extend(people);
        }
        Ok(())
    }

    /// Tracks the people, selects one, and repairs the motion.
    ///
    /// # Errors
    /// If there are no people, or fewer than `options` need, or if the files are ambiguous.
    pub fn finish(self, options: &KeypointOptions) -> Result<KeypointCapture, ImportError> {
        if let Some(table) = &self.table {
            return named::capture(table, options);
        }
        let (Some(layout), Some((&first, _)), Some((&last, _))) =
            (self.layout, self.frames.first_key_value(), self.frames.last_key_value())
        else {
            fail!("there are no people in the frames");
        };
        fail_if!(first == last, "there is only one frame: a motion needs at least two");
        let count = last - first + 1;
        // Detectors leave out frames without people, but a collection of pictures is not a video.
        if count > series::MAX_FRAMES || (self.files == 1 && count > 20 * self.frames.len() as u64 + 100) {
            let message =
                format!("the frames run from {first} to {last}, but only {} exist", self.frames.len());
            return Err(ImportError::new(message).help("keypoints have to come from one video"));
        }
        let scale = self.scale(options.image_size)?;
        let mut frames: Vec<Vec<PersonPose>> = vec![Vec::new(); count as usize];
        let mut expressions: Vec<Vec<Expression>> = vec![Vec::new(); count as usize];
        for (number, people) in self.frames {
            let seen = |point: &Option<[f64; 3]>| {
                point.map(|[x, y, confidence]| Detection {
                    at: Point::new(x * scale.width, y * scale.height),
                    confidence,
                })
            };
            let measured = |person: &Person| {
                let points = person.expression.as_ref();
                points.map_or([None; CONTROLS], |points| points.measure(scale))
            };
            expressions[(number - first) as usize] = people.iter().map(measured).collect();
            let body = |person: Person| layout.body(&person.points.iter().map(seen).collect::<Vec<_>>());
            frames[(number - first) as usize] = people.into_iter().map(body).collect();
        }
        repair::repair(&frames, &expressions, layout, first, options)
    }

    /// The size of a unit of the files in pixels.
    fn scale(&self, picture: Option<Size>) -> Result<Size, ImportError> {
        let (shares, all) = self.shares;
        if shares * 10 < all {
            return Ok(Size::new(1.0, 1.0));
        }
        if shares * 10 <= all * 9 {
            fail!(
                "{shares} of {all} points lie between 0 and 1 and the others do not: all have to be pixels, or all relative to the picture"
            );
        }
        picture.filter(|size| size.is_finite() && size.area() > 0.0).ok_or_else(|| {
            ImportError::new("the coordinates are relative to the picture, and its size is not given")
                .help("give it with --picture, for example --picture 1920x1080")
        })
    }
}

fn mixed(span: Range<usize>, here: KeypointLayout, before: KeypointLayout) -> ImportError {
    ImportError::at(
        span,
        format!("this person has the layout {}, those before have {}", here.name(), before.name()),
    )
    .help("all files of a folder come from one run of one estimator")
}

#[cfg(test)]
mod tests;
