//! The same work on several items by several threads of the standard library, results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Applies `work` to each item. Each thread has scratch memory of its own.
pub(crate) fn map<J: Sync, S: Send, T: Send>(
    items: &[J],
    scratch: &mut [S],
    work: impl Fn(&mut S, &J) -> T + Sync,
) -> Vec<T> {
    if let [only] = scratch {
        return items.iter().map(|item| work(only, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let take_items = |scratch: &mut S| {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(scratch, item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    let take_items = &take_items;
    std::thread::scope(|scope| {
        let mut scratch = scratch.iter_mut().take(items.len());
        let own = scratch.next();
        for scratch in scratch {
            // With fewer threads it takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, move || take_items(scratch));
        }
        own.into_iter().for_each(take_items);
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Whether items of these sizes are enough work for the threads: several for each, or much memory.
pub(crate) fn is_batch(bytes: impl ExactSizeIterator<Item = usize>, threads: usize) -> bool {
    const ITEMS_A_THREAD: usize = 8;
    const MOST_BYTES: usize = 64 << 20;
    bytes.len() >= ITEMS_A_THREAD * threads || bytes.sum::<usize>() >= MOST_BYTES
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_the_order_of_items() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [1, 2, 7] {
            let mut scratch = vec![0_u64; threads];
            let doubled = super::map(&items, &mut scratch, |count, item| {
                *count += 1;
                std::thread::sleep(std::time::Duration::from_micros(item * 7919 % 13 * 30));
                item * 2
            });
            assert!(doubled.iter().zip(&items).all(|(double, item)| *double == item * 2));
            assert_eq!(scratch.iter().sum::<u64>(), 100);
        }
    }
}
