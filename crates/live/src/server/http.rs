//! Requests: their heads are read with limits of size and time, and checked before anything is answered. Any
//! page in the browser can send requests to this port, so each needs the name of this server (`Host`) and no
//! foreign origin. The files of the page hold nothing of the rig; the WebSocket needs the secret.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::server::address::Address;

/// The most bytes of a head, and the most headers.
const MOST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// The most time for a head to arrive.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The subprotocol of the WebSocket. The secret is offered beside it.
const PROTOCOL: &str = "bone-layer";

/// A request that passed all checks.
#[derive(Debug)]
pub(crate) enum Request {
    /// A file of the page.
    Asset { path: String, head: bool },
    /// A WebSocket, with the key of its handshake, and what arrived behind the head.
    Socket { key: String, rest: Vec<u8> },
}

/// Why a request is not answered with what it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It ended, or cannot be read; nothing is answered.
    Gone,
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    Method,
    Timeout,
    Misdirected,
    TooLarge,
    Busy,
}

impl Refusal {
    fn status(self) -> (&'static str, &'static str) {
        match self {
            Self::Gone | Self::BadRequest => ("400 Bad Request", "This is not a request of a browser."),
            Self::Unauthorized => {
                ("401 Unauthorized", "Open the whole address that `render-frames live` printed.")
            }
            Self::Forbidden => ("403 Forbidden", "This request comes from another page."),
            Self::NotFound => ("404 Not Found", "There is no such file."),
            Self::Method => ("405 Method Not Allowed", "Only GET and HEAD are answered."),
            Self::Timeout => ("408 Request Timeout", "The request took too long to arrive."),
            Self::Misdirected => ("421 Misdirected Request", "This server has another name."),
            Self::TooLarge => ("431 Request Header Fields Too Large", "The head of the request is too long."),
            Self::Busy => ("503 Service Unavailable", "Too many connections are open: close other tabs."),
        }
    }
}

/// Headers of every answer.
const ALWAYS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// The head of a request, as far as it matters.
#[derive(Debug, Default)]
struct Head {
    method: String,
    target: String,
    host: Vec<String>,
    origin: Vec<String>,
    /// The subprotocols of a WebSocket.
    protocols: Vec<String>,
    upgrade: bool,
    version: String,
    key: Option<String>,
    /// What arrived behind it.
    rest: Vec<u8>,
}

/// Reads and checks a request.
pub(crate) fn read(stream: &mut TcpStream, server: &Address) -> Result<Request, Refusal> {
    let head = read_head(stream)?;
    check(head, server)
}

fn read_head(stream: &mut TcpStream) -> Result<Head, Refusal> {
    let until = Instant::now() + TIMEOUT;
    let mut bytes = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Refusal::Timeout);
        }
        stream.set_read_timeout(Some(left)).map_err(|_| Refusal::Gone)?;
        let mut part = [0; 4096];
        match stream.read(&mut part) {
            Ok(0) => return Err(Refusal::Gone),
            Ok(count) => bytes.extend_from_slice(part.get(..count).unwrap_or_default()),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(Refusal::Timeout);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Refusal::Gone),
        }
        if let Some(head) = parse(&bytes)? {
            return Ok(head);
        }
        if bytes.len() > MOST_BYTES {
            return Err(Refusal::TooLarge);
        }
    }
}

/// The head, if all of it is there.
fn parse(bytes: &[u8]) -> Result<Option<Head>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLarge),
        Err(_) => return Err(Refusal::BadRequest),
    };
    if length > MOST_BYTES {
        return Err(Refusal::TooLarge);
    }
    if request.version != Some(1) {
        return Err(Refusal::BadRequest);
    }
    let mut head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        rest: bytes.get(length..).unwrap_or_default().to_vec(),
        ..Head::default()
    };
    for header in request.headers.iter() {
        let value = std::str::from_utf8(header.value).map_err(|_| Refusal::BadRequest)?.trim().to_owned();
        match header.name.to_ascii_lowercase().as_str() {
            "host" => head.host.push(value),
            "origin" => head.origin.push(value),
            "upgrade" => head.upgrade = value.eq_ignore_ascii_case("websocket"),
            "sec-websocket-version" => head.version = value,
            "sec-websocket-protocol" => {
                head.protocols.extend(value.split(',').map(|one| one.trim().to_owned()));
            }
            "sec-websocket-key" => head.key = Some(value),
            // What has a body is no request of the page.
            "content-length" if value != "0" => return Err(Refusal::Method),
            "transfer-encoding" => return Err(Refusal::Method),
            _ => {}
        }
    }
    Ok(Some(head))
}

/// All checks, in the order in which they give least away.
fn check(head: Head, server: &Address) -> Result<Request, Refusal> {
    let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{}", server.port));
    // At port 80 browsers leave out the port.
    let is_ours = |name: &str| {
        hosts.iter().any(|host| host == name)
            || server.port == 80 && hosts.iter().any(|host| *host == format!("{name}:80"))
    };
    let [host] = head.host.as_slice() else { return Err(Refusal::Misdirected) };
    if !is_ours(host) {
        return Err(Refusal::Misdirected);
    }
    let path = head.target.split('?').next().unwrap_or_default();
    let is_socket = path == "/socket";
    match head.origin.as_slice() {
        [] if is_socket => return Err(Refusal::Forbidden),
        [] => {}
        [origin] if origin.strip_prefix("http://") == Some(host) => {}
        _ => return Err(Refusal::Forbidden),
    }
    let has_secret = head.protocols.iter().any(|one| server.is_secret(one));
    if is_socket && !(has_secret && head.protocols.iter().any(|one| one == PROTOCOL)) {
        return Err(Refusal::Unauthorized);
    }
    let is_head = head.method == "HEAD";
    if head.method != "GET" && !is_head {
        return Err(Refusal::Method);
    }
    if is_socket {
        let key = head.key.filter(|key| key.len() == 24 && head.upgrade && head.version == "13" && !is_head);
        return Ok(Request::Socket { key: key.ok_or(Refusal::BadRequest)?, rest: head.rest });
    }
    Ok(Request::Asset { path: path.to_owned(), head: is_head })
}

/// Refuses a request.
pub(crate) fn refuse(stream: &mut TcpStream, refusal: Refusal) {
    if refusal == Refusal::Gone {
        return;
    }
    let (status, why) = refusal.status();
    answer(stream, status, "text/plain; charset=utf-8", why, false);
}

/// Answers with a text.
pub(crate) fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &str, head: bool) {
    let body_length = body.len();
    let mut text =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {body_length}\r\n{ALWAYS}\r\n");
    if !head {
        text.push_str(body);
    }
    // A browser that is gone needs no answer. What it still sends is read, or the answer would be lost.
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.shutdown(std::net::Shutdown::Write));
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let mut rest = [0; 4096];
    let until = Instant::now() + Duration::from_millis(400);
    while Instant::now() < until && stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}

/// What proves that a server has read the key of a page (RFC 6455, 1.3).
fn accept_key(key: &str) -> String {
    let digest = sha1_smol::Sha1::from(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).digest();
    STANDARD.encode(digest.bytes())
}

/// Completes the handshake of a WebSocket (RFC 6455, 4.2.2).
pub(crate) fn upgrade(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = accept_key(key);
    let text = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: {PROTOCOL}\r\n\r\n"
    );
    stream.write_all(text.as_bytes())
}
