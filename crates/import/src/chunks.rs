//! Work on many frames, divided among threads. Each chunk is a range of frames that is worked on
//! independently, and the results are returned in order, so they do not depend on the number of threads.

use std::ops::Range;
use std::thread::{Builder, available_parallelism, scope};

/// Applies `work` to the chunks of `0..count` and returns the results in order. A thread gets at least
/// `least` items.
pub(crate) fn chunks<R: Send>(count: usize, least: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    // More threads than this do not pay off.
    let threads = available_parallelism().map_or(1, usize::from).min(8);
    let chunks = threads.min(count / least.max(1)).max(1);
    in_chunks(count, chunks, work)
}

/// The second list appended to the first.
pub(crate) fn concat<T>(mut first: Vec<T>, mut next: Vec<T>) -> Vec<T> {
    first.append(&mut next);
    first
}

fn in_chunks<R: Send>(count: usize, chunks: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let range = |chunk: usize| chunk * count / chunks..(chunk + 1) * count / chunks;
    let work = &work;
    scope(|scope| {
        let spawn = |chunk| Builder::new().spawn_scoped(scope, move || work(range(chunk))).ok();
        let others: Vec<_> = (1..chunks).map(spawn).collect();
        let mut done = vec![work(range(0))];
        for (at, other) in others.into_iter().enumerate() {
            // There is no result if there are no more threads, or if `work` panics: the work is done here, so the
            // panic reaches the caller.
            let result = other.and_then(|thread| thread.join().ok());
            done.push(result.unwrap_or_else(|| work(range(at + 1))));
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_complete_and_in_order() {
        for (count, chunks) in [(0, 1), (1, 1), (10, 3), (7, 7), (1000, 8)] {
            let done = in_chunks(count, chunks, |range| range.collect::<Vec<_>>());
            assert_eq!(done.concat(), (0..count).collect::<Vec<_>>());
        }
        assert_eq!(chunks(5, 10, |range| range.len()), [5]);
    }
}
