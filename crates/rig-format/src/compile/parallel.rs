//! Work on several threads, with results in the order of the work: they do not depend on the number of
//! threads. Where threads cannot be started, the thread that calls does everything.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// For work that is not cancelled.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);

/// The number of threads that can run at a time; 1 on platforms without threads.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Calls a function for each item, on up to so many threads; none if `cancel` was set before all were done.
pub(super) fn map<T: Sync, R: Send + Sync>(
    threads: usize,
    items: &[T],
    cancel: &AtomicBool,
    work: impl Fn(&T) -> R + Sync,
) -> Option<Vec<R>> {
    let others = threads.min(items.len()).saturating_sub(1);
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let run = || {
        // Each item is taken once.
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(result)) = (items.get(at), results.get(at)) else { break };
            if cancel.load(Ordering::Relaxed) {
                break;
            }
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
    results.into_iter().map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(
                map(threads, &items, &AtomicBool::new(false), |item| item * item),
                Some(squares.clone())
            );
            assert_eq!(map(threads, &items, &AtomicBool::new(true), |item| item * item), None);
        }
        assert!(
            map(4, &[] as &[usize], &AtomicBool::new(true), |item| *item).is_some_and(|all| all.is_empty())
        );
    }
}
