//! The messages of pages that wait for their engines.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::message::Reason;
use crate::server::proto::{Reply, Request};
use crate::server::state::Published;

/// Requests for pictures while a clip plays: so many wait.
const MOST_PLAYING: usize = 3;
/// Requests that wait; a page that sends more is disconnected.
const MOST_WAITING: usize = 4096;

/// The engines of all connections.
#[derive(Default)]
pub(crate) struct Engines {
    pub(super) published: Mutex<Published>,
    queues: Mutex<BTreeMap<u64, Arc<EngineQueue>>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engines {
    /// What all of them draw from now on.
    pub(crate) fn publish(&self, published: &Published) {
        *lock(&self.published) = published.clone();
    }

    /// The rig file, which may be renamed.
    pub(crate) fn path(&self) -> Arc<Path> {
        Arc::clone(&lock(&self.published).path)
    }

    /// The queue of a new connection.
    pub(crate) fn open(&self, client: u64) -> Arc<EngineQueue> {
        let queue = Arc::new(EngineQueue::default());
        lock(&self.queues).insert(client, Arc::clone(&queue));
        queue
    }

    pub(crate) fn close(&self, client: u64) {
        if let Some(queue) = lock(&self.queues).remove(&client) {
            queue.close();
        }
    }
}

/// A message, and the answer to it if it fails, from the reason.
pub(crate) type WaitingMessage = (Request, Box<dyn Fn(Reason) -> Reply + Send>);

/// The messages of a page for its engine.
#[derive(Default)]
pub(crate) struct EngineQueue {
    waiting: Mutex<(VecDeque<WaitingMessage>, bool)>,
    changed: Condvar,
}

impl EngineQueue {
    /// Adds a message; false if too many wait.
    pub(crate) fn push(&self, message: WaitingMessage) -> bool {
        let mut waiting = lock(&self.waiting);
        let list = &mut waiting.0;
        let is_frame = |one: &WaitingMessage| matches!(one.0, Request::Frame { .. });
        if let Request::Frame { play, .. } = message.0 {
            if play {
                if list.iter().filter(|one| is_frame(one)).count() >= MOST_PLAYING {
                    let oldest = list.iter().position(is_frame);
                    oldest.and_then(|at| list.remove(at));
                }
            } else {
                list.retain(|one| !is_frame(one));
            }
        }
        list.push_back(message);
        let fits = list.len() <= MOST_WAITING;
        self.changed.notify_one();
        fits
    }

    fn close(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.1 = true;
        self.changed.notify_all();
    }

    pub(super) fn next(&self) -> Option<WaitingMessage> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.1 {
                return None;
            }
            if let Some(next) = waiting.0.pop_front() {
                return Some(next);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next message, if one waits.
    #[cfg(not(feature = "server"))]
    pub(crate) fn try_next(&self) -> Option<WaitingMessage> {
        lock(&self.waiting).0.pop_front()
    }

    /// Whether a later drag of a gesture waits, so that an earlier one need not be drawn. Before the end of a gesture
    /// the last one is drawn: a page asks for nothing else until it has an answer.
    pub(super) fn has_later_drag(&self) -> bool {
        let is_later = |one: &WaitingMessage| matches!(one.0, Request::Drag { .. });
        lock(&self.waiting).0.iter().any(is_later)
    }
}
