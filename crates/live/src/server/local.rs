//! A page without a server: messages go in and come out, on one thread, and files are in memory. For programs in which
//! there are no sockets, as in a browser.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use bone_format::fontdb::Database;
use serde_json::Value;

use super::address::Address;
use super::document::{Document, DocumentSender, Setup, ToDocument};
use super::engine::{Engine, EngineQueue, Engines};
use super::files::WatchedFiles;
use super::journal::Journal;
use super::outbox::{Outbox, Outgoing};
use super::proto::{Reply, Request};
use super::state::Published;

/// There is one page.
const CLIENT: u64 = 1;

/// What a page is to get.
#[derive(Clone, Debug, PartialEq)]
pub enum PageOutput {
    /// A message.
    Text(Arc<str>),
    /// A picture behind its head.
    Bytes(Vec<u8>),
}

/// A rig that one page shows and edits.
pub struct LocalPage {
    document: Document,
    engine: Engine,
    queue: Arc<EngineQueue>,
    outbox: Arc<Outbox>,
    inbox: Receiver<ToDocument>,
    files: Arc<WatchedFiles>,
}

impl std::fmt::Debug for LocalPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalPage").finish_non_exhaustive()
    }
}

impl LocalPage {
    /// Opens a rig among files. It may have mistakes, which the page lists.
    pub fn open(rig: &str, files: BTreeMap<String, Vec<u8>>, fonts: Database) -> Option<Self> {
        let (sender, inbox) = channel();
        let sender = DocumentSender::new(sender);
        let files = files.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes)).collect();
        let (files, engines) = (Arc::new(WatchedFiles::in_memory(files)), Arc::<Engines>::default());
        engines.publish(&Published { path: std::path::Path::new(rig).into(), ..Published::default() });
        let setup = Setup {
            journal: Journal::open(None),
            records: None,
            loading: sender.loading(),
            path: rig.into(),
            address: Address { port: 0, secret: String::new() },
            hold: false,
            files: Arc::clone(&files),
            engines: Arc::clone(&engines),
            fonts: Arc::new(move || fonts.clone()),
        };
        let document = Document::open(setup)?;
        let outbox = Arc::new(Outbox::new(|| {}));
        let queue = engines.open(CLIENT);
        let engine = Engine::new(CLIENT, engines, Arc::clone(&queue), Arc::clone(&outbox), sender.clone());
        sender.send(ToDocument::Join { client: CLIENT, outbox: Arc::clone(&outbox) });
        let mut page = Self { document, engine, queue, outbox, inbox, files };
        page.answer();
        Some(page)
    }

    /// Takes a message of the page, and answers it.
    pub fn receive(&mut self, text: &str) {
        let message: Value = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                return self.outbox.send(&Reply::Error { why: format!("this is not JSON: {error}") });
            }
        };
        let failure = Reply::failure(&message);
        match Request::read(&message) {
            Err(why) => self.outbox.send(&failure(why)),
            Ok(Request::Formats { id }) => {
                self.outbox.send(&Reply::Formats { id, formats: Value::Array(Vec::new()) })
            }
            Ok(Request::Folder { id }) => {
                self.outbox.send(&Reply::Folder { id, rigs: Vec::new(), drawings: Vec::new() });
            }
            Ok(Request::Export { .. } | Request::Stop { .. } | Request::Open { .. }) => {
                self.outbox.send(&failure("that is for the program alone".to_owned()));
            }
            Ok(message) if message.is_for_engine() => {
                self.queue.push((message, Box::new(failure)));
            }
            Ok(message) => self.document.receive(ToDocument::Request { client: CLIENT, message }),
        }
        self.answer();
    }

    /// Lets the engine and the document work until nothing waits.
    fn answer(&mut self) {
        loop {
            if let Ok(message) = self.inbox.try_recv() {
                self.document.receive(message);
            } else if let Some(waiting) = self.queue.try_next() {
                self.engine.receive(waiting);
            } else {
                return;
            }
        }
    }

    /// The next that the page is to get.
    pub fn next_output(&mut self) -> Option<PageOutput> {
        match self.outbox.try_next()? {
            Outgoing::Text(text) => Some(PageOutput::Text(text)),
            Outgoing::Binary(bytes) => Some(PageOutput::Bytes(bytes)),
            Outgoing::Close(_) => None,
        }
    }

    /// The files as they are now.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let named = |(path, bytes): (PathBuf, Vec<u8>)| (path.to_string_lossy().into_owned(), bytes);
        self.files.all().into_iter().map(named).collect()
    }
}
