//! Runs that are kept of a shape from drawing to drawing. Its colour may change: the pixels that it covers are kept, not theirs.
//! Refuses to know whether the outline is the same: who keeps the cached does.

use tiny_skia::Transform;

use super::row::Run;

/// Where a shape was drawn, and on a picture of which size.
type Place = (Transform, (u32, u32));

/// What is kept of a shape.
#[derive(Debug, Default)]
pub(crate) struct CachedCoverage {
    place: Option<Place>,
    runs: Option<Vec<Run>>,
    enabled: bool,
}

impl CachedCoverage {
    /// Whether runs are to be kept if the shape is drawn twice in one place.
    pub(crate) fn caching(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    /// How much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.runs.as_ref().map_or(0, |runs| runs.capacity() * size_of::<Run>())
    }

    /// What was kept of this place.
    pub(super) fn runs(&self, ts: Transform, size: (u32, u32)) -> Option<&[Run]> {
        self.runs.as_deref().filter(|_| self.place == Some((ts, size)))
    }

    /// Keeps what the shape covers, if it stood here the last time, too.
    pub(super) fn store(&mut self, ts: Transform, size: (u32, u32), runs: &[Run]) {
        let place = Some((ts, size));
        self.runs = (self.enabled && self.place == place).then(|| runs.to_vec());
        self.place = place;
    }
}
