//! The messages of pages that wait for their engines.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

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

/// The messages of a page for its engine.
#[derive(Default)]
pub(crate) struct EngineQueue {
    waiting: Mutex<(VecDeque<Value>, bool)>,
    changed: Condvar,
}

impl EngineQueue {
    /// Adds a message; false if too many wait.
    pub(crate) fn push(&self, message: Value) -> bool {
        let mut waiting = lock(&self.waiting);
        let list = &mut waiting.0;
        if kind(&message) == "frame" {
            let is_playing = message.get("play").and_then(Value::as_bool).unwrap_or(false);
            if is_playing {
                let count = list.iter().filter(|one| kind(one) == "frame").count();
                if count >= MOST_PLAYING {
                    let oldest = list.iter().position(|one| kind(one) == "frame");
                    oldest.and_then(|at| list.remove(at));
                }
            } else {
                list.retain(|one| kind(one) != "frame");
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

    pub(super) fn next(&self) -> Option<Value> {
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

    /// Whether a later drag of a gesture waits, so that an earlier one need not be drawn.
    pub(super) fn has_later_drag(&self) -> bool {
        lock(&self.waiting).0.iter().any(|message| matches!(kind(message), "drag" | "cancel"))
    }
}

pub(super) fn kind(message: &Value) -> &str {
    message.get("t").and_then(Value::as_str).unwrap_or_default()
}

/// The messages that an engine answers.
pub(crate) fn is_for_engine(message: &Value) -> bool {
    let gesture = message.get("gesture").is_some_and(|gesture| !gesture.is_null());
    match kind(message) {
        "frame" | "begin" | "drag" | "hit" | "copy" | "paste" | "key" | "curve" | "weights" | "svg"
        | "png" => true,
        // The engine hands those of gestures that it did not begin to the document.
        "commit" | "cancel" => gesture,
        _ => false,
    }
}
