//! Loading that is needless before it ends: a newer save of the same file has come, or the server ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ToDocument;

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

    /// Gives up what a message makes needless.
    pub(super) fn outdated_by(&self, message: &ToDocument) {
        let mut now = self.now();
        let is_outdated = match message {
            ToDocument::Stop => true,
            ToDocument::File { path, .. } => now.file.as_ref().is_none_or(|file| file == path),
            _ => false,
        };
        now.is_last |= matches!(message, ToDocument::Stop);
        if is_outdated && now.is_loading {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}
