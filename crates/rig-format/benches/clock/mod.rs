//! Processor time of benches.

use std::time::{Duration, Instant};

/// The time that this thread had a processor, where the system tells; else the time that passed.
#[cfg(unix)]
pub(crate) fn clock(_: Instant) -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(unix))]
pub(crate) fn clock(started: Instant) -> Duration {
    started.elapsed()
}
