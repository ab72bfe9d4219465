//! What waits to be sent to a page: the document and its engine put in, the connection takes out. A page that does
//! not read is disconnected and holds nothing up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::message::WireEnum as _;
use crate::server::proto::Reply;

/// The most bytes that wait to be sent.
const MOST_WAITING: usize = 256 << 20;

/// What is sent.
pub(crate) enum Outgoing {
    Text(Arc<str>),
    Binary(Vec<u8>),
    /// The last, with the reason if there is one.
    Close(Option<&'static str>),
    /// Control frames that answer those of the client.
    #[cfg(feature = "server")]
    Control(Vec<u8>),
}

impl Outgoing {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
            Self::Close(_) => 0,
            #[cfg(feature = "server")]
            Self::Control(bytes) => bytes.len(),
        }
    }
}

/// A message as text, which all that get it share.
pub(crate) struct MessageText(Arc<str>);

impl MessageText {
    pub(crate) fn of(message: &Reply) -> Self {
        Self(message.message().to_string().into())
    }
}

#[derive(Default)]
struct Waiting {
    list: VecDeque<Outgoing>,
    bytes: usize,
    closed: bool,
}

/// What waits to be sent to a client.
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Ends the connection.
    end: Box<dyn Fn() + Send + Sync>,
}

impl Outbox {
    pub(crate) fn new(end: impl Fn() + Send + Sync + 'static) -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), end: Box::new(end) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, outgoing: impl IntoIterator<Item = Outgoing>) {
        let mut waiting = self.lock();
        if waiting.closed {
            return;
        }
        for one in outgoing {
            waiting.bytes += one.size();
            waiting.list.push_back(one);
        }
        if waiting.bytes > MOST_WAITING {
            drop(waiting);
            self.close();
            return;
        }
        self.changed.notify_one();
    }

    /// Sends a message.
    pub(crate) fn send(&self, message: &Reply) {
        self.send_text(&MessageText::of(message));
    }

    /// Sends a message that others get, too.
    pub(crate) fn send_text(&self, message: &MessageText) {
        self.push([Outgoing::Text(Arc::clone(&message.0))]);
    }

    /// Sends a message and bytes, with nothing in between.
    pub(crate) fn send_both(&self, message: &Reply, bytes: Vec<u8>) {
        self.push([Outgoing::Text(MessageText::of(message).0), Outgoing::Binary(bytes)]);
    }

    /// Sends bytes.
    pub(crate) fn send_bytes(&self, bytes: Vec<u8>) {
        self.push([Outgoing::Binary(bytes)]);
    }

    /// Sends what waits, then a close frame.
    pub(crate) fn finish(&self) {
        self.push([Outgoing::Close(None)]);
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.list.clear();
        (self.end)();
        self.changed.notify_all();
    }

    /// The next to be sent, if there is any.
    #[cfg(not(feature = "server"))]
    pub(crate) fn try_next(&self) -> Option<Outgoing> {
        let mut waiting = self.lock();
        let next = waiting.list.pop_front()?;
        waiting.bytes -= next.size();
        Some(next)
    }

    /// The next to be sent; waits for it. None if the connection ended.
    #[cfg(feature = "server")]
    pub(crate) fn next(&self) -> Option<Outgoing> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(next) = waiting.list.pop_front() {
                waiting.bytes -= next.size();
                return Some(next);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
