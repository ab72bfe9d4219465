//! Keypoints that a pose estimator detected in a video, as the motion of one figure: [`KeypointReader`] takes
//! the files of OpenPose, COCO tools, MMPose, MediaPipe or YOLO and tables of points one by one, and [`KeypointReader::finish`] tracks the
//! people, selects one and repairs the detections.
//!
//! Ambiguous files are errors. The camera has to stand still. A picture has no depth; the result has depths
//! only for a person seen from the side.

mod animals;
mod assign;
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
mod table;
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
    table: Option<table::PointTable>,
    /// The layout that is given, or named in the files.
    given: Option<KeypointLayout>,
}

impl KeypointReader {
    /// A reader without frames.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader without frames, for points in this order: two layouts have 17, and two have 25.
    pub fn of_layout(layout: KeypointLayout) -> Self {
        Self { given: Some(layout), ..Self::default() }
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
            FileContent::Frame(people) => self.add(vec![(number, people)], None),
            FileContent::Frames(..) => {
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
        if bytes.starts_with(b"\x89HDF\r\n\x1a\n") {
            return Err(ImportError::new("HDF5 files are not read").help(
                "write the points as CSV: of SLEAP with `sleap-convert --format analysis.csv`, of DeepLabCut with \
                 `deeplabcut.analyze_videos_converth5_to_csv`",
            ));
        }
        if table::is_table(bytes) {
            return self.add_table(table::read(bytes)?);
        }
        match read::file(bytes, true)? {
            FileContent::Frames(frames, layout) => {
                fail_if!(frames.is_empty(), 0..0, "there are no frames in this file");
                self.add(frames, layout)
            }
            FileContent::Frame(_) => {
                Err(ImportError::at(0..0, "this file has only one frame: a motion needs at least two")
                    .help("if the other frames are in files beside it, pass their folder"))
            }
        }
    }

    /// Adds a table: as frames if its points are those of a person in a known order, else as it is.
    fn add_table(&mut self, mut table: table::PointTable) -> Result<(), ImportError> {
        let names = table.names();
        let numbered: Option<Vec<u32>> = names.iter().map(|name| name.parse().ok()).collect();
        let by_names = || {
            let known = [KeypointLayout::MediaPipe33, KeypointLayout::Coco17].into_iter();
            known.filter(|_| table.likely == 0.0).find_map(|layout| Some((layout, layout.order_of(&names)?)))
        };
        let found = match numbered {
            Some(numbers) => {
                let mut order: Vec<usize> = (0..numbers.len()).collect();
                order.sort_by_key(|&at| numbers[at]);
                let layout = self.given.or_else(|| KeypointLayout::of(order.len()));
                let layout = layout.filter(|layout| layout.points() == order.len());
                let Some(layout) = layout else {
                    let message =
                        format!("{} points without names are not those of a known layout", order.len());
                    return Err(ImportError::new(message).help(known_layouts()));
                };
                Some((layout, order))
            }
            None => {
                fail_if!(
                    self.given.is_some(),
                    "the points of this table have names: --points is for points without"
                );
                by_names()
            }
        };
        let Some((layout, order)) = found else {
            for seen in table.detections() {
                count_share(&mut self.shares, seen.at.x, seen.at.y);
            }
            self.table = Some(table);
            return Ok(());
        };
        let person = |points| Person { layout, points, span: 0..0, expression: None };
        let frames = table.frames_of(&order).into_iter();
        self.add(
            frames.map(|(number, people)| (number, people.into_iter().map(person).collect())).collect(),
            None,
        )
    }

    /// Adds the frames of a file, if all people have the same layout; `named` is that which the file names.
    fn add(
        &mut self,
        mut frames: Vec<(u64, Vec<Person>)>,
        named: Option<KeypointLayout>,
    ) -> Result<(), ImportError> {
        let given = self.given.or(named);
        let mut layout = self.layout;
        for person in frames.iter_mut().flat_map(|(_, people)| people) {
            if let Some(given) = given {
                if given.points() != person.points.len() {
                    let (has, wanted) = (person.points.len(), given.points());
                    fail!(person.span.clone(), "this has {has} points, and {} has {wanted}", given.name());
                }
                person.layout = given;
            }
            let expected = *layout.get_or_insert(person.layout);
            if expected != person.layout {
                return Err(mixed(person.span.clone(), person.layout, expected));
            }
        }
        (self.layout, self.given, self.files) = (layout, given, self.files + 1);
        for (number, people) in frames {
            for [x, y, _] in people.iter().flat_map(|person| person.points.iter().flatten()) {
                count_share(&mut self.shares, *x, *y);
            }
            self.frames.entry(number).or_default().extend(people);
        }
        Ok(())
    }

    /// Tracks the people, selects one, and repairs the motion.
    ///
    /// # Errors
    /// If there are no people, or fewer than `options` need, or if the files are ambiguous.
    pub fn finish(mut self, options: &KeypointOptions) -> Result<KeypointCapture, ImportError> {
        if let Some(table) = self.table.take() {
            let scale = self.scale(options.image_size)?;
            return named::capture(&table.scaled(scale), options);
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
        if layout.is_animal() {
            let table = animals::table(self.frames, layout, (first, count as usize), scale)?;
            return named::capture(&table, options);
        }
        if self.given.is_none() && layout == KeypointLayout::Coco17 && !heads_are_small(self.frames.values())
        {
            let message =
                "these 17 points have not the shape of a person: they can be those of COCO or of AP-10K";
            return Err(
                ImportError::new(message).help("give their order with --points coco or --points ap-10k")
            );
        }
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
        if all == 0 || shares * 10 < all {
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

/// Counts a point, and whether it looks relative to the picture.
fn count_share((shares, all): &mut (usize, usize), x: f64, y: f64) {
    *shares += usize::from((-1.0..=2.0).contains(&x) && (-1.0..=2.0).contains(&y));
    *all += 1;
}

/// The names of all layouts in arguments.
fn known_layouts() -> String {
    let words: Vec<&str> = KeypointLayout::ALL.into_iter().map(KeypointLayout::word).collect();
    format!("--points is one of {}", words.join(", "))
}

/// Whether eyes and ears of 17 points are near the nose, as those of COCO are. Of an animal of AP-10K the first
/// points run from the eyes to the root of the tail. Only people with limbs are looked at.
fn heads_are_small<'a>(frames: impl Iterator<Item = &'a Vec<Person>>) -> bool {
    let share = |person: &Person| {
        let place = |point: &Option<[f64; 3]>| point.map(|[x, y, _]| Point::new(x, y));
        let at: Vec<Option<Point>> = person.points.iter().map(place).collect();
        let head: Vec<Point> = at.iter().take(5).flatten().copied().collect();
        let limbs = at.iter().skip(5).flatten().count();
        let first = *head.first()?;
        let all =
            at.iter().flatten().fold(kurbo::Rect::from_points(first, first), |all, at| all.union_pt(*at));
        let far = head.iter().map(|point| point.distance(first)).fold(0.0, f64::max);
        // Half of the limbs, and the nose or two points beside it.
        (limbs >= 6 && head.len() >= 2).then(|| far / all.size().to_vec2().hypot().max(1e-12))
    };
    crate::statistics::median(frames.flatten().filter_map(share)) < 0.4
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
