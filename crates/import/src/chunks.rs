//! Work on many frames, shared out to the threads that there are. Each portion is a range that is worked on by itself, and results come
//! back in order: what comes out does not depend on how many threads took part.

use std::ops::Range;
use std::thread::{available_parallelism, scope};

/// More threads find nothing to do.
const MOST: usize = 8;

/// What `work` makes of the portions of `0..count`, in order. Fewer than `least` in a portion are not worth a thread.
pub(crate) fn chunks<R: Send>(count: usize, least: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let threads = available_parallelism().map_or(1, usize::from).min(MOST);
    let shares = threads.min(count / least.max(1)).max(1);
    in_shares(count, shares, work)
}

/// One behind the other.
pub(crate) fn concat<T>(mut first: Vec<T>, mut next: Vec<T>) -> Vec<T> {
    first.append(&mut next);
    first
}

fn in_shares<R: Send>(count: usize, shares: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let range = |share: usize| share * count / shares..(share + 1) * count / shares;
    let work = &work;
    scope(|scope| {
        let others: Vec<_> = (1..shares).map(|share| scope.spawn(move || work(range(share)))).collect();
        let mut done = vec![work(range(0))];
        for (at, other) in others.into_iter().enumerate() {
            // A thread ends without a result only by a mistake of ours: it is made again here, where it is seen.
            done.push(other.join().unwrap_or_else(|_| work(range(at + 1))));
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_are_all_there_and_in_order() {
        for (count, shares) in [(0, 1), (1, 1), (10, 3), (7, 7), (1000, 8)] {
            let done = in_shares(count, shares, |range| range.collect::<Vec<_>>());
            assert_eq!(done.concat(), (0..count).collect::<Vec<_>>());
        }
        assert_eq!(chunks(5, 10, |range| range.len()), [5]);
    }
}
