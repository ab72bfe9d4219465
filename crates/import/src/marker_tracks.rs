//! Markers with their names, and where they were seen.

use bone_core::Side;

use crate::space::{Vec3, add, scaled};

/// Markers and where they are, frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct MarkerMotion {
    pub(crate) names: Vec<String>,
    /// The markers of frame 0, then those of frame 1, and so on.
    pub(crate) seen: Vec<Option<Vec3>>,
}

impl MarkerMotion {
    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.seen.len() / self.names.len().max(1)
    }

    /// The markers of one frame: the middle one of those with the most markers.
    pub(crate) fn one_frame(self) -> Self {
        let seen = |frame: &[Option<Vec3>]| frame.iter().flatten().count();
        let frames = || self.seen.chunks_exact(self.names.len().max(1));
        let most = frames().map(seen).max().unwrap_or_default();
        let full: Vec<&[Option<Vec3>]> = frames().filter(|frame| seen(frame) == most).collect();
        let seen = full.get(full.len() / 2).map_or_else(Vec::new, |frame| frame.to_vec());
        Self { names: self.names, seen }
    }
}

/// A position in every frame in which it is known.
pub(crate) type MarkerTrack = Vec<Option<Vec3>>;

/// Lists of names, the first of which that has a marker is used: all markers of it are averaged.
pub(crate) type MarkerNames = &'static [&'static [&'static str]];

/// Markers by plain names: in lower case, without separators, with the letter of their side in front.
pub(crate) struct Markers {
    pub(crate) names: Vec<String>,
    pub(crate) seen: Vec<Option<Vec3>>,
    pub(crate) frames: usize,
}

impl Markers {
    pub(crate) fn new(from: &MarkerMotion) -> Self {
        let plain = |name: &String| {
            let name = name.rsplit([':', '|']).next().unwrap_or(name).to_lowercase();
            let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
            let long = [("left", "l"), ("right", "r")];
            let short =
                long.iter().find_map(|(word, letter)| Some((*letter).to_owned() + name.strip_prefix(word)?));
            short.unwrap_or(name)
        };
        Self { names: from.names.iter().map(plain).collect(), seen: from.seen.clone(), frames: from.frames() }
    }

    /// Where a marker is in a frame.
    pub(crate) fn at(&self, frame: usize, marker: usize) -> Option<Vec3> {
        self.seen[frame * self.names.len() + marker]
    }

    /// The markers with these names that were seen at all.
    pub(crate) fn named(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let is_seen = |&marker: &usize| (0..self.frames).any(|frame| self.at(frame, marker).is_some());
        (0..self.names.len()).filter(|&marker| wanted(&self.names[marker])).filter(is_seen).collect()
    }

    /// The markers of a side in the first list that has some.
    pub(crate) fn of_side(&self, side: Side, lists: &[&[&str]]) -> Vec<usize> {
        let letter = if side == Side::Left { 'l' } else { 'r' };
        let found = lists.iter().map(|names| {
            self.named(|name| name.strip_prefix(letter).is_some_and(|name| names.contains(&name)))
        });
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The largest extent of all markers along an axis of the file, in the first frame with the most of them.
    pub(crate) fn height(&self) -> f64 {
        let frames = self.seen.chunks_exact(self.names.len().max(1));
        let points = frames.map(|frame| frame.iter().flatten().copied().collect::<Vec<Vec3>>());
        let fullest = points.reduce(|best, here| if here.len() > best.len() { here } else { best });
        let fullest = fullest.unwrap_or_default();
        let extent = |axis: usize| {
            let values = fullest.iter().map(|at| at[axis]);
            values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
        };
        (0..3).map(extent).fold(0.0, f64::max)
    }

    /// The mean of markers; `None` of no markers.
    pub(crate) fn mean(&self, of: &[usize]) -> Option<MarkerTrack> {
        let share = 1.0 / of.len() as f64;
        let mean = |frame: usize| {
            of.iter()
                .try_fold([0.0; 3], |sum, &marker| Some(add(sum, scaled(self.at(frame, marker)?, share))))
        };
        (!of.is_empty()).then(|| (0..self.frames).map(mean).collect())
    }

    /// The mean of the markers with these names.
    pub(crate) fn any(&self, names: &[&str]) -> Option<MarkerTrack> {
        self.mean(&self.named(|name| names.contains(&name)))
    }

    /// The mean of the markers of a side in the first list that has some.
    pub(crate) fn sided(&self, side: Side, lists: &[&[&str]]) -> Option<MarkerTrack> {
        self.mean(&self.of_side(side, lists))
    }
}

/// The middle of two tracks, where both are known.
pub(crate) fn middle(a: &MarkerTrack, b: &MarkerTrack) -> MarkerTrack {
    a.iter().zip(b).map(|(a, b)| Some(scaled(add((*a)?, (*b)?), 0.5))).collect()
}
