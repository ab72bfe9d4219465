//! Frame numbers and frame rates. Times are computed from frame numbers, never summed up.

use std::collections::BTreeSet;
use std::str::FromStr;

/// Frames a second, as a number or a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fps(f64);

impl Fps {
    pub(crate) fn new(fps: f64) -> Self {
        Self(fps)
    }

    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// The time of a frame in seconds, computed from its number.
    pub(crate) fn time(self, frame: u64) -> f64 {
        frame as f64 / self.0
    }
}

impl FromStr for Fps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
        let fps = match text.split_once('/') {
            Some((over, under)) => number(over).zip(number(under)).map(|(over, under)| over / under),
            None => number(text),
        };
        let usable = fps.filter(|fps| (1e-3..=1e5).contains(fps));
        usable.map(Self).ok_or_else(|| "frames a second are a number like 24, or 30000/1001".to_owned())
    }
}

/// The largest number of frames of a command: more is a typing error and would fill the disk.
pub(crate) const MOST_FRAMES: usize = 1_000_000;

/// Selected frames, each once, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection(BTreeSet<u64>);

impl Selection {
    /// The first `count` frames.
    pub(crate) fn first(count: u64) -> Result<Self, String> {
        let mut frames = BTreeSet::new();
        add(&mut frames, 0, count.saturating_sub(1), 1)?;
        Ok(Self(frames))
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u64> {
        self.0.iter().copied()
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut frames = BTreeSet::new();
        for part in text.split(',') {
            let unreadable =
                || format!("`{}` is not a frame or a range; write 0-23 or 1,5,7-10 or 0-23:2", part.trim());
            let number = |text: &str| text.trim().parse::<u64>().map_err(|_| unreadable());
            let (range, step) = match part.split_once(':') {
                Some((range, step)) => (range, number(step)?),
                None => (part, 1),
            };
            let (first, last) = match range.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(range)?, number(range)?),
            };
            if step == 0 {
                return Err(format!("the step of `{}` is 0", part.trim()));
            }
            if last < first {
                return Err(format!("`{}` runs backwards: write {last}-{first}", part.trim()));
            }
            add(&mut frames, first, last, step)?;
        }
        Ok(Self(frames))
    }
}

fn add(frames: &mut BTreeSet<u64>, first: u64, last: u64, step: u64) -> Result<(), String> {
    let count = (last - first) / step;
    if count >= MOST_FRAMES as u64 || frames.len() + count as usize >= MOST_FRAMES {
        return Err(format!("that is more than {MOST_FRAMES} frames at a time"));
    }
    frames.extend((0..=count).map(|i| first + i * step));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Result<Vec<u64>, String> {
        text.parse::<Selection>().map(|s| s.iter().collect())
    }

    #[test]
    fn ranges_include_both_ends_and_name_each_frame_once() {
        assert_eq!(frames("0-3"), Ok(vec![0, 1, 2, 3]));
        assert_eq!(frames("7, 1,2-4,3"), Ok(vec![1, 2, 3, 4, 7]));
        assert_eq!(frames("0-23:8"), Ok(vec![0, 8, 16]));
        assert_eq!(frames("5"), Ok(vec![5]));
    }

    #[test]
    fn what_is_no_range_says_so() {
        for wrong in
            ["", "a", "1-", "-3", "3-1", "1-5:0", "1..5", "0-99999999999", "18446744073709551616", "1,,2"]
        {
            assert!(frames(wrong).is_err(), "{wrong}");
        }
        assert!(frames("3-1").unwrap_err().contains("1-3"));
    }

    #[test]
    fn times_come_from_the_number() {
        let ntsc: Fps = "30000/1001".parse().expect("a fraction");
        assert_eq!(ntsc.time(30_000), 1001.0);
        for wrong in ["0", "-1", "nan", "1/0", "fast", "inf", "1e9"] {
            assert!(wrong.parse::<Fps>().is_err(), "{wrong}");
        }
    }
}
