//! A WebSocket with a thread that reads and a thread that writes. What is to be sent waits in an [`Outbox`];
//! a client that does not read is disconnected and holds nothing up.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, Utf8Bytes, WebSocket};

use crate::message::WireEnum as _;
use crate::server::proto::Reply;

/// The most bytes of a message of the page.
const MOST_BYTES: usize = 1 << 20;
/// The most bytes that wait to be sent.
const MOST_WAITING: usize = 256 << 20;
/// The most time for a message that began to arrive, and for one to be taken.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is sent.
enum Outgoing {
    Message(Message),
    /// Control frames that answer those of the client.
    Bytes(Vec<u8>),
}

impl Outgoing {
    fn size(&self) -> usize {
        match self {
            Self::Message(message) => message.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// A message as text, which all that get it share.
pub(crate) struct MessageText(Utf8Bytes);

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
    stream: TcpStream,
}

impl Outbox {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), stream }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, outgoing: impl IntoIterator<Item = Outgoing>) {
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
        self.push([Outgoing::Message(Message::Text(message.0.clone()))]);
    }

    /// Sends a message and bytes, with nothing in between.
    pub(crate) fn send_both(&self, message: &Reply, bytes: Vec<u8>) {
        let text = Outgoing::Message(Message::Text(MessageText::of(message).0));
        self.push([text, Outgoing::Message(Message::binary(bytes))]);
    }

    /// Sends bytes.
    pub(crate) fn send_bytes(&self, bytes: Vec<u8>) {
        self.push([Outgoing::Message(Message::binary(bytes))]);
    }

    /// Sends what waits, then a close frame.
    pub(crate) fn finish(&self) {
        self.push([Outgoing::Message(Message::Close(None))]);
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.list.clear();
        // It may have ended already.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.changed.notify_all();
    }

    /// The next to be sent; waits for it. None if the connection ended.
    fn next(&self) -> Option<Outgoing> {
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

    /// Sends what waits, until the connection ends. For a thread of its own.
    pub(crate) fn write_all(&self) {
        let written = (|| {
            let stream = self.stream.try_clone()?;
            stream.set_write_timeout(Some(TIMEOUT))?;
            let config = WebSocketConfig::default().write_buffer_size(0);
            let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
            while let Some(next) = self.next() {
                match next {
                    Outgoing::Bytes(bytes) => socket.get_mut().write_all(&bytes)?,
                    Outgoing::Message(message) => {
                        let is_last = message.is_close();
                        socket.send(message).map_err(io::Error::other)?;
                        if is_last {
                            break;
                        }
                    }
                }
            }
            io::Result::Ok(())
        })();
        // Whatever the reason, the reader must end, too.
        drop(written);
        self.close();
    }
}

/// The reading side: what the protocol answers by itself goes through the outbox.
struct ReadHalf {
    stream: TcpStream,
    outbox: Arc<Outbox>,
    rest: io::Cursor<Vec<u8>>,
    /// Whether a message began to arrive.
    began: bool,
}

impl ReadHalf {
    fn wait_and_read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(bytes) {
                // A process that was stopped and goes on: with a time limit Linux ends the call.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Read for ReadHalf {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(bytes)?;
        if count == 0 {
            // A client may be silent between messages for as long as it likes.
            self.stream.set_read_timeout(self.began.then_some(TIMEOUT))?;
        }
        let count = if count > 0 { count } else { self.wait_and_read(bytes)? };
        self.began = true;
        Ok(count)
    }
}

impl Write for ReadHalf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outbox.push([Outgoing::Bytes(bytes.to_vec())]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads messages until the connection ends. `rest` is what arrived with the handshake.
pub(crate) fn read_all(
    stream: TcpStream,
    outbox: &Arc<Outbox>,
    rest: Vec<u8>,
    mut receive: impl FnMut(&str),
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES));
    let half = ReadHalf { stream, outbox: Arc::clone(outbox), rest: io::Cursor::new(rest), began: false };
    let mut socket = WebSocket::from_raw_socket(half, Role::Server, Some(config));
    loop {
        socket.get_mut().began = false;
        match socket.read() {
            Ok(Message::Text(text)) => receive(text.as_str()),
            Ok(_) => {}
            Err(Error::Capacity(_)) => {
                let frame = tungstenite::protocol::CloseFrame {
                    code: tungstenite::protocol::frame::coding::CloseCode::Size,
                    reason: "the message is too long".into(),
                };
                outbox.push([Outgoing::Message(Message::Close(Some(frame)))]);
                return;
            }
            Err(_) => {
                outbox.finish();
                return;
            }
        }
    }
}
