//! The pixels that a shape covers, kept from frame to frame. The colour can change; it is not part of the
//! cache. The caller clears the cache when the outline changes.

use tiny_skia::Transform;

use super::row::Run;

/// Where a shape was drawn, and on a picture of which size.
type Place = (Transform, (u32, u32));

/// The cached runs of a shape.
#[derive(Debug, Default)]
pub struct CachedCoverage {
    place: Option<Place>,
    runs: Option<Vec<Run>>,
    enabled: bool,
}

impl CachedCoverage {
    /// Whether runs are cached when the shape is drawn twice at one transform.
    pub fn caching(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.runs.as_ref().map_or(0, |runs| runs.capacity() * size_of::<Run>())
    }

    /// The cached runs for this transform.
    pub(super) fn runs(&self, ts: Transform, size: (u32, u32)) -> Option<&[Run]> {
        self.runs.as_deref().filter(|_| self.place == Some((ts, size)))
    }

    /// Caches the runs if the last transform was the same.
    pub(super) fn store(&mut self, ts: Transform, size: (u32, u32), runs: &[Run]) {
        let place = Some((ts, size));
        self.runs = (self.enabled && self.place == place).then(|| runs.to_vec());
        self.place = place;
    }
}
