//! Frames a second as a ratio, and the times of frames in the units of a file. The running time is rounded,
//! never the duration of a frame, so rounding does not add up.

/// Frames a second: `frames` in each `seconds`, both at least 1. 24 a second are 24 and 1, those of American
/// television 30000 and 1001.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayRate {
    /// Frames.
    pub frames: u32,
    /// Seconds.
    pub seconds: u32,
}

impl PlayRate {
    /// The time at which a frame begins, in units of which a second has `units`, rounded.
    pub(crate) fn time(self, frame: u64, units: u32) -> u64 {
        let (frames, seconds) = (u128::from(self.frames.max(1)), u128::from(self.seconds.max(1)));
        let time = (u128::from(frame) * seconds * u128::from(units) * 2 + frames) / (2 * frames);
        u64::try_from(time).unwrap_or(u64::MAX)
    }

    /// How many frames a second.
    pub(crate) fn fps(self) -> f64 {
        f64::from(self.frames.max(1)) / f64::from(self.seconds.max(1))
    }
}

/// How often an animation is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Plays {
    /// Again and again.
    #[default]
    Endless,
    /// So many times, then it stops at the last frame.
    Times(std::num::NonZeroU16),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_times_do_not_drift() {
        let film = PlayRate { frames: 24, seconds: 1 };
        let times: Vec<u64> = (0..25).map(|frame| film.time(frame, 100)).collect();
        let fives = times.windows(2).filter(|two| two[1] - two[0] == 5).count();
        assert_eq!((times[24], fives), (100, 4), "{times:?}");
        let television = PlayRate { frames: 30_000, seconds: 1001 };
        assert_eq!(television.time(30_000, 1000), 1_001_000);
        assert_eq!(television.time(u64::MAX, 1000), u64::MAX);
    }
}
