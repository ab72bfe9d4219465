//! Work on several threads, with results in the order of the work: they do not depend on the number of
//! threads. Where threads cannot be started, the thread that calls does everything.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of threads that can run at a time; 1 on platforms without threads.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Calls a function for each item, on up to so many threads.
pub(super) fn map<T: Sync, R: Send + Sync>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let others = threads.min(items.len()).saturating_sub(1);
    if others == 0 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let run = || {
        // Each item is taken once.
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(result)) = (items.get(at), results.get(at)) else { break };
            let _ = result.set(work(item));
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            // What is not started is done by the others.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(map(threads, &items, |item| item * item), squares);
        }
        assert!(map(4, &[] as &[usize], |item| *item).is_empty());
    }
}
