//! What an export contains, and what it could not hold.

use std::fmt;

use kurbo::{Affine, Point};

use super::affine::miss;

/// What became of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorReport {
    /// Keys of all curves.
    pub keys: usize,
    /// Keys of outlines among them.
    pub outline_keys: usize,
    /// The largest distance between a posed point and the written one, in pixels, at frames and halfway
    /// between them.
    pub error: f64,
    /// What the format could not hold, each once.
    pub losses: Vec<Loss>,
}

/// Something that is written in another form than the drawing has it, or that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The name of the art.
    pub art: String,
    /// What happened to it.
    pub what: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.art, self.what)
    }
}

impl VectorReport {
    pub(crate) fn lose(&mut self, art: String, what: impl Into<String>) {
        let loss = Loss { art, what: what.into() };
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    /// Notes how far points are from where they should be, by matrices at each sample.
    pub(crate) fn compare(&mut self, found: &[Affine], truth: &[Affine], points: &[Point]) {
        let misses = found.iter().zip(truth).map(|(found, truth)| miss(*found, *truth, points));
        self.error = misses.fold(self.error, f64::max);
    }
}
