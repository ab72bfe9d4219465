//! Usual values, and values between those that are known.

/// The value that this share of the others lies below; `None` of no values.
fn ranked(values: impl IntoIterator<Item = f64>, share: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    let last = values.len().checked_sub(1)?;
    let at = ((values.len() as f64 * share) as usize).min(last);
    Some(*values.select_nth_unstable_by(at, f64::total_cmp).1)
}

/// The value that this share of the others lies below; 0 of no values.
pub(crate) fn quantile(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    ranked(values, share).unwrap_or_default()
}

/// The median; of an even number of values the upper one of the two in the middle; 0 of no values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

/// The same, with another value of no values.
pub(crate) fn median_or(values: impl IntoIterator<Item = f64>, other: f64) -> f64 {
    ranked(values, 0.5).unwrap_or(other)
}

/// Values with their gaps bridged evenly; before the first and after the last one these are kept. `None` if there is
/// no value.
pub(crate) fn bridged<T: Copy>(
    seen: impl ExactSizeIterator<Item = Option<T>>,
    between: impl Fn(T, T, f64) -> T,
) -> Option<Vec<T>> {
    let count = seen.len();
    let mut all: Vec<T> = Vec::with_capacity(count);
    for (at, here) in seen.enumerate() {
        let Some(here) = here else { continue };
        let (known, from) = (all.len(), all.last().copied().unwrap_or(here));
        let run = (at + 1 - known) as f64;
        all.extend((known..at).map(|gap| between(from, here, (gap + 1 - known) as f64 / run)));
        all.push(here);
    }
    let last = *all.last()?;
    all.resize(count, last);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_list() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(quantile([4.0, 1.0, 2.0, 3.0], 0.95), 4.0);
        assert_eq!((median([]), median_or([], 7.0)), (0.0, 7.0));
    }

    #[test]
    fn gaps_are_bridged_by_lines() {
        let seen = [None, Some(2.0), None, None, Some(8.0), None];
        let found = bridged(seen.into_iter(), |a, b, share| a + (b - a) * share);
        assert_eq!(found, Some(vec![2.0, 2.0, 4.0, 6.0, 8.0, 8.0]));
        assert_eq!(bridged([None; 3].into_iter(), |a: f64, _, _| a), None);
    }
}
