//! Loading that is needless before it ends: a newer save of the same file has come, or the server ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the document loads, and the token that ends it.
#[derive(Default)]
pub(crate) struct Loading {
    cancel: Arc<AtomicBool>,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    is_loading: bool,
    /// The file that was saved; none while the rig is opened, which reads all of them.
    file: Option<PathBuf>,
    /// The server ends.
    is_last: bool,
}

impl Loading {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token, for a session.
    pub(super) fn token(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// Loading begins; none if the server ends.
    pub(super) fn begin(&self, file: Option<&Path>) -> Option<Arc<AtomicBool>> {
        let mut now = self.now();
        if now.is_last {
            return None;
        }
        (now.is_loading, now.file) = (true, file.map(Path::to_owned));
        Some(self.token())
    }

    /// It has ended, or was given up.
    pub(super) fn end(&self) {
        self.now().is_loading = false;
        self.cancel.store(false, Ordering::Relaxed);
    }

    /// Gives up what a newer save of a file makes needless.
    pub(super) fn outdated_by(&self, path: &Path) {
        let now = self.now();
        if now.is_loading && now.file.as_ref().is_none_or(|file| file == path) {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Gives up everything: the server ends.
    pub(super) fn stop(&self) {
        let mut now = self.now();
        now.is_last = true;
        if now.is_loading {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}
