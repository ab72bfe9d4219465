//! A WebSocket with a thread that reads and a thread that writes what waits in an [`Outbox`].

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::server::outbox::{Outbox, Outgoing};

/// The most bytes of a message of the page: a drawing may be in it.
const MOST_BYTES: usize = 16 << 20;
/// The most time for a message that began to arrive, and for one to be taken.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends what waits, until the connection ends. For a thread of its own.
pub(crate) fn write_all(outbox: &Outbox, stream: &TcpStream) {
    let written = (|| {
        let stream = stream.try_clone()?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let config = WebSocketConfig::default().write_buffer_size(0);
        let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
        while let Some(next) = outbox.next() {
            let message = match next {
                Outgoing::Control(bytes) => {
                    socket.get_mut().write_all(&bytes)?;
                    continue;
                }
                Outgoing::Text(text) => Message::text(&*text),
                Outgoing::Binary(bytes) => Message::binary(bytes),
                Outgoing::Close(why) => {
                    Message::Close(why.map(|why| CloseFrame { code: CloseCode::Size, reason: why.into() }))
                }
            };
            let is_last = message.is_close();
            socket.send(message).map_err(io::Error::other)?;
            if is_last {
                break;
            }
        }
        io::Result::Ok(())
    })();
    // Whatever the reason, the reader must end, too.
    drop(written);
    outbox.close();
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
        self.outbox.push([Outgoing::Control(bytes.to_vec())]);
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
                outbox.push([Outgoing::Close(Some("the message is too long"))]);
                return;
            }
            Err(_) => {
                outbox.finish();
                return;
            }
        }
    }
}
