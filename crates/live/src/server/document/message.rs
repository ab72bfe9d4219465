//! What the document receives.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use bone_format::session::{Edit, Selected};
use serde_json::Value;

use super::loading::Loading;
use crate::server::outbox::Outbox;
use crate::server::overtaken::Since;
use crate::server::proto::{Reply, Request};

/// A message to the document.
pub(crate) enum ToDocument {
    /// A connection begins.
    Join { client: u64, outbox: Arc<Outbox> },
    /// It ends.
    Leave { client: u64 },
    /// A message of a page.
    Request { client: u64, message: Request },
    /// A gesture ended.
    Gesture { client: u64, id: Value, edit: GestureEdit },
    /// What a file holds now; none: it is not there.
    File { path: PathBuf, bytes: Option<Vec<u8>> },
    /// An editor selects something.
    Select { selection: Selected },
    /// How files are watched.
    Watching { how: Reply },
    /// The server ends.
    Stop,
}

/// The edits of a gesture, the pixels of a canvas unit, and what it saw.
pub(crate) struct GestureEdit {
    pub(crate) title: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) scale: f64,
    pub(crate) since: Since,
}

/// A sender to the document that many threads share.
#[derive(Clone)]
pub(crate) struct DocumentSender {
    sender: Arc<Mutex<Sender<ToDocument>>>,
    loading: Arc<Loading>,
}

impl DocumentSender {
    pub(crate) fn new(sender: Sender<ToDocument>) -> Self {
        Self { sender: Arc::new(Mutex::new(sender)), loading: Arc::default() }
    }

    /// What the document is to give up when this sends what makes it needless.
    pub(crate) fn loading(&self) -> Arc<Loading> {
        Arc::clone(&self.loading)
    }

    /// Sends a message; after the end of the server nothing is received.
    pub(crate) fn send(&self, message: ToDocument) {
        match &message {
            ToDocument::Stop => self.loading.stop(),
            ToDocument::File { path, .. } => self.loading.outdated_by(path),
            _ => {}
        }
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        drop(sender.send(message));
    }
}
