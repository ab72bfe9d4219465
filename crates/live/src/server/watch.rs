//! The changes of a rig's files, one after the other, for programs without a page.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use bone_format::ReadRules;
use bone_format::session::{Reloaded, Session};

use crate::server::FontSource;
use crate::server::document::{DocumentSender, ToDocument};
use crate::server::files::WatchedFiles;
use crate::server::watcher::{WatchHandle, watch};

/// Changes that come so soon after each other are one.
const TOGETHER: Duration = Duration::from_millis(60);

/// Watches a rig, its parts, its drawing and images.
pub struct RigWatch {
    session: Session,
    files: Arc<WatchedFiles>,
    inbox: Receiver<ToDocument>,
    watcher: Option<(WatchHandle, JoinHandle<()>)>,
}

impl std::fmt::Debug for RigWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RigWatch").field("session", &self.session).finish_non_exhaustive()
    }
}

impl RigWatch {
    /// Begins to watch. The rig may have mistakes, and may be missing.
    pub fn new(rig: impl Into<PathBuf>, fonts: FontSource, rules: ReadRules) -> Self {
        let files = Arc::new(WatchedFiles::new(rules));
        let rig = rig.into();
        let session = Session::open(rig, Arc::clone(&files) as Arc<dyn bone_format::Files>, move || fonts());
        files.note(&session);
        let (sender, inbox) = channel();
        let watcher = watch(&files, DocumentSender::new(sender), false);
        Self { session, files, inbox, watcher: Some(watcher) }
    }

    /// Waits until files have other contents; which. None if nothing can be watched any more.
    pub fn wait(&mut self) -> Option<Vec<PathBuf>> {
        let mut changed = Vec::new();
        loop {
            let message = match changed.is_empty() {
                true => self.inbox.recv().ok()?,
                false => match self.inbox.recv_timeout(TOGETHER) {
                    Ok(message) => message,
                    Err(_) => return Some(changed),
                },
            };
            let ToDocument::File { path, bytes: Some(bytes) } = message else { continue };
            match self.session.reload(&path, &bytes) {
                Ok(Reloaded::Unchanged) | Err(_) => {}
                Ok(_) => changed.push(path),
            }
            self.files.note(&self.session);
        }
    }
}

impl Drop for RigWatch {
    fn drop(&mut self) {
        if let Some((handle, thread)) = self.watcher.take() {
            handle.stop();
            drop(thread.join());
        }
    }
}
