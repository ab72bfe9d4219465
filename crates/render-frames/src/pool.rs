//! A pool of threads that make tasks and deliver their results: each as soon as it is done, or in order
//! through a window of bounded length.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number of tasks, numbered from 0.
pub(crate) struct Pool<'a> {
    pub(crate) tasks: usize,
    /// The number of threads.
    pub(crate) jobs: usize,
    /// Whether results are delivered in order. Otherwise each thread delivers its own results.
    pub(crate) ordered: bool,
    /// When it is set, tasks in progress are finished and delivered, then the pool ends.
    pub(crate) stop: &'a AtomicBool,
}

impl Pool<'_> {
    /// Runs all tasks. Each thread has its own scratch memory; `make` fills the buffer that is delivered with
    /// its result.
    ///
    /// # Errors
    /// The first task that failed, with its number. In order, no later result is delivered.
    pub(crate) fn run<S, T: Send, E: Send>(
        &self,
        scratch: impl Fn() -> S + Sync,
        make: impl Fn(&mut S, usize, &mut Vec<u8>) -> Result<T, E> + Sync,
        hand_over: impl Fn(usize, T, &[u8]) -> Result<(), E> + Sync,
    ) -> Result<(), (usize, E)> {
        let jobs = self.jobs.min(self.tasks).max(1);
        let queue = Queue {
            pool: self,
            // Enough that a slow task does not block the others for long.
            ahead: 2 * jobs,
            state: Mutex::new(QueueState::default()),
            moved: Condvar::new(),
        };
        let worker = || {
            // A panic in a task must not leave the other threads waiting.
            let _end = EndOnPanic(&queue);
            let mut scratch = scratch();
            while let Some((at, mut bytes)) = queue.claim() {
                let made = make(&mut scratch, at, &mut bytes);
                queue.finish(at, made, bytes, &hand_over);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                // With fewer threads it takes longer.
                let _ = std::thread::Builder::new().spawn_scoped(scope, worker);
            }
            worker();
        });
        let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }
}

struct Queue<'a, T, E> {
    pool: &'a Pool<'a>,
    /// The largest number of unfinished tasks, if results are delivered in order.
    ahead: usize,
    state: Mutex<QueueState<T, E>>,
    /// Signalled when a result was delivered, or the pool has ended.
    moved: Condvar,
}

struct QueueState<T, E> {
    /// The next task.
    next: usize,
    /// The next result to deliver, if they are delivered in order.
    turn: usize,
    /// Results that wait for their turn, with their bytes.
    waiting: BTreeMap<usize, (Result<T, E>, Vec<u8>)>,
    /// Whether a thread is delivering.
    handing_over: bool,
    /// Buffers for reuse.
    spare: Vec<Vec<u8>>,
    error: Option<(usize, E)>,
    ended: bool,
}

impl<T, E> Default for QueueState<T, E> {
    fn default() -> Self {
        Self {
            next: 0,
            turn: 0,
            waiting: BTreeMap::new(),
            handing_over: false,
            spare: Vec::new(),
            error: None,
            ended: false,
        }
    }
}

impl<T, E> Queue<'_, T, E> {
    fn state(&self) -> MutexGuard<'_, QueueState<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task and a buffer for it; `None` if no task is left.
    fn claim(&self) -> Option<(usize, Vec<u8>)> {
        let mut state = self.state();
        loop {
            let at = state.next;
            if state.ended || at == self.pool.tasks || self.pool.stop.load(Ordering::Relaxed) {
                return None;
            }
            // The thread with the next result in order is not waiting here, so the window moves on.
            if !self.pool.ordered || at - state.turn < self.ahead {
                state.next += 1;
                return Some((at, state.spare.pop().unwrap_or_default()));
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(
        &self,
        at: usize,
        made: Result<T, E>,
        bytes: Vec<u8>,
        hand_over: &impl Fn(usize, T, &[u8]) -> Result<(), E>,
    ) {
        if !self.pool.ordered {
            let done = made.and_then(|made| hand_over(at, made, &bytes));
            self.state().settle(at, done, bytes);
            return;
        }
        let mut state = self.state();
        state.waiting.insert(at, (made, bytes));
        if state.handing_over {
            // The delivering thread delivers this result, too.
            return;
        }
        state.handing_over = true;
        loop {
            let turn = state.turn;
            let Some((made, bytes)) = state.waiting.remove(&turn).filter(|_| !state.ended) else { break };
            drop(state);
            let done = made.and_then(|made| hand_over(turn, made, &bytes));
            state = self.state();
            state.settle(turn, done, bytes);
            state.turn += 1;
            self.moved.notify_all();
        }
        state.handing_over = false;
    }
}

impl<T, E> QueueState<T, E> {
    fn settle(&mut self, at: usize, done: Result<(), E>, bytes: Vec<u8>) {
        self.spare.push(bytes);
        if let Err(error) = done {
            self.ended = true;
            if self.error.as_ref().is_none_or(|(first, _)| at < *first) {
                self.error = Some((at, error));
            }
        }
    }
}

struct EndOnPanic<'a, T, E>(&'a Queue<'a, T, E>);

impl<T, E> Drop for EndOnPanic<'_, T, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state().ended = true;
            self.0.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    fn pool(tasks: usize, jobs: usize, ordered: bool, stop: &AtomicBool) -> Pool<'_> {
        Pool { tasks, jobs, ordered, stop }
    }

    /// Work of a varying length, so that threads overtake each other.
    fn dawdle(at: usize) {
        std::thread::sleep(Duration::from_micros((at * 7919 % 13) as u64 * 40));
    }

    #[test]
    fn pieces_come_in_order_and_no_more_than_the_window_waits() {
        for jobs in [1, 2, 5] {
            let stop = AtomicBool::new(false);
            let (handed, made) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
            let furthest = AtomicUsize::new(0);
            let result: Result<(), (usize, ())> = pool(200, jobs, true, &stop).run(
                || (),
                |(), at, bytes| {
                    dawdle(at);
                    bytes.clear();
                    bytes.extend_from_slice(&at.to_le_bytes());
                    made.fetch_add(1, Ordering::SeqCst);
                    Ok(at * 2)
                },
                |at, double, bytes| {
                    assert_eq!((double, bytes), (at * 2, &at.to_le_bytes()[..]));
                    furthest.fetch_max(made.load(Ordering::SeqCst) - at, Ordering::SeqCst);
                    handed.lock().unwrap().push(at);
                    Ok(())
                },
            );
            assert_eq!(result, Ok(()));
            assert_eq!(handed.into_inner().unwrap(), (0..200).collect::<Vec<_>>());
            assert!(furthest.into_inner() <= 2 * jobs, "{jobs} threads");
        }
    }

    #[test]
    fn without_order_every_piece_comes_once() {
        let stop = AtomicBool::new(false);
        let handed = Mutex::new(Vec::new());
        let result: Result<(), (usize, ())> = pool(100, 4, false, &stop).run(
            || (),
            |(), at, _| {
                dawdle(at);
                Ok(())
            },
            |at, (), _| {
                handed.lock().unwrap().push(at);
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
        let mut handed = handed.into_inner().unwrap();
        handed.sort_unstable();
        assert_eq!(handed, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_the_work_and_nothing_behind_it_is_handed_over() {
        for fails_when_made in [true, false] {
            let stop = AtomicBool::new(false);
            let handed = Mutex::new(Vec::new());
            let result = pool(1000, 3, true, &stop).run(
                || (),
                |(), at, _| {
                    dawdle(at);
                    if fails_when_made && at == 20 { Err("no") } else { Ok(()) }
                },
                |at, (), _| {
                    if at == 20 {
                        return Err("no");
                    }
                    handed.lock().unwrap().push(at);
                    Ok(())
                },
            );
            assert_eq!(result, Err((20, "no")));
            assert_eq!(handed.into_inner().unwrap(), (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_stop_lets_pieces_in_the_making_come_out() {
        for ordered in [true, false] {
            let stop = AtomicBool::new(false);
            let (begun, handed) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let result: Result<(), (usize, ())> = pool(usize::MAX, 3, ordered, &stop).run(
                || (),
                |(), at, _| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    dawdle(at);
                    Ok(())
                },
                |at, (), _| {
                    stop.fetch_or(at >= 30, Ordering::SeqCst);
                    handed.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                },
            );
            assert_eq!(result, Ok(()));
            assert_eq!(begun.into_inner(), handed.into_inner(), "ordered: {ordered}");
        }
    }

    #[test]
    fn a_panic_does_not_hang_the_others() {
        for ordered in [true, false] {
            let stop = AtomicBool::new(false);
            let run = || {
                pool(1000, 3, ordered, &stop).run(
                    || (),
                    |(), at, _| if at == 10 { panic!("expected") } else { Ok::<(), ()>(()) },
                    |_, (), _| Ok(()),
                )
            };
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        }
    }
}
