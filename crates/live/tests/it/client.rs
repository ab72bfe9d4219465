//! A page without a browser: a WebSocket with the messages of the protocol, and plain requests.
#![allow(dead_code, reason = "the tests of the server and those of the program each use a part of it")]

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_live::{LiveOptions, LiveServer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use crate::rigs::{ARM, ARM_SVG};

/// How long an answer may take. The limit is met only when something is broken.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A folder with a rig, and its server.
pub(crate) struct Served {
    pub(crate) folder: TempDir,
    pub(crate) rig: PathBuf,
    pub(crate) server: Option<LiveServer>,
}

/// The folder of the user that a test stands for, beside its rig.
pub(crate) fn records(rig: &Path) -> PathBuf {
    rig.with_file_name(".records")
}

/// The names in it.
pub(crate) fn recorded(rig: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(records(rig)).expect("the records").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Options of a test: no fonts, because they take long to find.
pub(crate) fn options(rig: &Path) -> LiveOptions {
    let mut options = LiveOptions::new(rig);
    options.fonts = Arc::new(bone_format::no_fonts);
    options.records = Some(records(rig));
    options
}

impl Served {
    /// Files in a new folder, the first of which is the rig.
    pub(crate) fn files(files: &[(&str, &str)]) -> Self {
        Self::with(files, |_| ())
    }

    pub(crate) fn with(files: &[(&str, &str)], change: impl FnOnce(&mut LiveOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let rig = folder.path().join(files[0].0);
        let mut options = options(&rig);
        change(&mut options);
        let server = LiveServer::start(options).expect("a server");
        Self { folder, rig, server: Some(server) }
    }

    /// An example of the repository, copied.
    pub(crate) fn example(name: &str) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        let folder = tempfile::tempdir().expect("a folder");
        copy(&from, folder.path());
        let rig = folder.path().join("rig.ron");
        let server = LiveServer::start(options(&rig)).expect("a server");
        Self { folder, rig, server: Some(server) }
    }

    pub(crate) fn address(&self) -> &str {
        self.server.as_ref().expect("it runs").address()
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.as_ref().expect("it runs").port()
    }

    pub(crate) fn page(&self) -> Page {
        Page::open(self.address())
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.rig).expect("the rig")
    }

    /// Waits until the rig on the disk has this text.
    pub(crate) fn wait_for_text(&self, wanted: &str) {
        let until = Instant::now() + TIMEOUT;
        while self.text() != wanted {
            assert!(Instant::now() < until, "the text is\n{}\nand should be\n{wanted}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// An arm of three bones, served.
pub(crate) fn arm() -> Served {
    Served::files(&[("rig.ron", ARM), ("arm.svg", ARM_SVG)])
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

/// The parts of an address: port and secret.
pub(crate) fn parts(address: &str) -> (u16, String) {
    let (before, secret) = address.split_once("/#").expect("a secret");
    (before.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port"), secret.to_owned())
}

/// A connection of a page.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    pub(crate) state: Value,
    /// Messages that nothing waited for yet.
    waiting: VecDeque<Received>,
    pub(crate) seq: u64,
    names: u64,
}

#[derive(Debug)]
pub(crate) enum Received {
    Text(Value),
    Bytes(Vec<u8>),
}

/// A picture and what belongs to it.
pub(crate) struct Picture {
    pub(crate) posed: Value,
    pub(crate) png: Vec<u8>,
}

impl Page {
    pub(crate) fn open(address: &str) -> Self {
        Self::try_open(address).expect("a WebSocket")
    }

    pub(crate) fn try_open(address: &str) -> Result<Self, String> {
        let (port, secret) = parts(address);
        let mut request =
            format!("ws://127.0.0.1:{port}/socket").into_client_request().map_err(|it| it.to_string())?;
        let headers = request.headers_mut();
        headers.insert("Origin", format!("http://127.0.0.1:{port}").parse().expect("a header"));
        let protocols = format!("bone-layer, {secret}").parse().expect("a header");
        headers.insert("Sec-WebSocket-Protocol", protocols);
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|it| it.to_string())?;
        stream.set_nodelay(true).expect("an option");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
        let (socket, _) = tungstenite::client(request, stream).map_err(|it| it.to_string())?;
        let mut page = Self { socket, state: Value::Null, waiting: VecDeque::new(), seq: 0, names: 0 };
        page.state = page.until("state");
        Ok(page)
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).expect("it is sent");
    }

    pub(crate) fn send_raw(&mut self, message: Message) {
        self.socket.send(message).expect("it is sent");
    }

    /// The stream beneath the WebSocket.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }

    /// The next message; none if the connection ended.
    pub(crate) fn read(&mut self) -> Option<Received> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(text.as_str()).expect("JSON");
                    self.follow(&message);
                    return Some(Received::Text(message));
                }
                Ok(Message::Binary(bytes)) => return Some(Received::Bytes(bytes.to_vec())),
                Ok(Message::Close(_)) => return None,
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("no message in {TIMEOUT:?}")
                }
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// The next message, whether something waited for it or not; none if the connection ended.
    pub(crate) fn next(&mut self) -> Option<Received> {
        self.waiting.pop_front().or_else(|| self.read())
    }

    /// Keeps the state, as a page does.
    fn follow(&mut self, message: &Value) {
        if message["t"] == "state" {
            self.state = message.clone();
        }
        if message["t"] == "delta" {
            self.state["rev"] = message["rev"].clone();
            for (name, value) in message["changed"].as_object().expect("changes") {
                if name == "clips" {
                    for (clip, value) in value.as_object().expect("clips") {
                        if value.is_null() {
                            self.state["clips"].as_object_mut().expect("clips").remove(clip);
                        } else {
                            self.state["clips"][clip] = value.clone();
                        }
                    }
                } else if let (Value::Object(art), "art") = (value, name.as_str()) {
                    let list = self.state["art"].as_array_mut().expect("art");
                    for (at, art) in art {
                        let at: usize = at.parse().expect("a place");
                        list.resize(list.len().max(at + 1), Value::Null);
                        list[at] = art.clone();
                    }
                } else {
                    self.state[name] = value.clone();
                }
            }
        }
    }

    /// The next message for which something holds.
    pub(crate) fn find(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        for at in 0..self.waiting.len() {
            if matches!(&self.waiting[at], Received::Text(message) if wanted(message)) {
                let Some(Received::Text(found)) = self.waiting.remove(at) else {
                    unreachable!("it is a text")
                };
                return found;
            }
        }
        loop {
            match self.read().expect("the connection goes on") {
                Received::Text(message) if wanted(&message) => return message,
                other => self.waiting.push_back(other),
            }
        }
    }

    /// The next message of a kind.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        self.find(|message| message["t"] == kind)
    }

    /// Drops what came.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// All that comes within some time.
    pub(crate) fn within(&mut self, time: Duration) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        for message in self.waiting.drain(..) {
            if let Received::Text(message) = message {
                all.push(message);
            }
        }
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            self.stream().set_read_timeout(Some(left)).expect("a limit");
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(text.as_str()).expect("JSON");
                    self.follow(&message);
                    all.push(message);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.stream().set_read_timeout(Some(TIMEOUT)).expect("a limit");
        all
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    /// Sends a request with an `id`, and returns its answer.
    pub(crate) fn ask(&mut self, mut message: Value) -> Value {
        let id = self.name();
        message["id"] = json!(id);
        self.send(&message);
        self.find(|answer| answer["id"] == json!(id) && answer["t"] != "progress")
    }

    /// The answer to a request; none if the connection ends before it.
    pub(crate) fn try_ask(&mut self, mut message: Value) -> Option<Value> {
        let id = self.name();
        message["id"] = json!(id);
        self.socket.send(Message::text(message.to_string())).ok()?;
        loop {
            match self.read()? {
                Received::Text(answer) if answer["id"] == json!(id) => return Some(answer),
                _ => {}
            }
        }
    }

    /// A request that is carried out.
    pub(crate) fn make(&mut self, message: Value) -> Value {
        let answer = self.ask(message.clone());
        assert_eq!(answer["t"], "done", "{message}: {answer}");
        answer
    }

    /// An edit that is made.
    pub(crate) fn edit(&mut self, ops: Value) -> Value {
        self.make(json!({ "t": "edit", "ops": ops }))
    }

    /// Sends a request with a number, and returns what comes with it: a message and bytes.
    pub(crate) fn picture(&mut self, mut message: Value) -> Picture {
        self.seq += 1;
        let seq = self.seq;
        message["seq"] = json!(seq);
        self.send(&message);
        let posed = self.find(|answer| answer["seq"] == json!(seq));
        assert_eq!(posed["t"], "posed", "{posed}");
        Picture { posed, png: self.bytes(seq) }
    }

    /// The bytes with a number, without their head.
    pub(crate) fn bytes(&mut self, seq: u64) -> Vec<u8> {
        let is_it = |bytes: &[u8]| u64::from(u32::from_le_bytes(bytes[..4].try_into().expect("4"))) == seq;
        let known = self.waiting.iter().position(|it| matches!(it, Received::Bytes(bytes) if is_it(bytes)));
        if let Some(Received::Bytes(bytes)) = known.and_then(|at| self.waiting.remove(at)) {
            return bytes[16..].to_vec();
        }
        loop {
            match self.read().expect("the connection goes on") {
                Received::Bytes(bytes) if is_it(&bytes) => return bytes[16..].to_vec(),
                other => self.waiting.push_back(other),
            }
        }
    }

    /// What is posed at a moment.
    pub(crate) fn posed(&mut self, clip: &str, time: f64) -> Value {
        self.seq += 1;
        let seq = self.seq;
        let bones: Vec<Value> = self.bones().into_iter().map(Value::String).collect();
        self.send(&json!({ "t": "frame", "seq": seq, "clip": clip, "time": time, "size": [10, 10],
            "picture": false, "values": bones }));
        let posed = self.find(|answer| answer["seq"] == json!(seq));
        assert_eq!(posed["t"], "posed", "{posed}");
        posed
    }

    pub(crate) fn bones(&self) -> Vec<String> {
        let list = self.state["bones"].as_array().expect("bones");
        list.iter().map(|bone| bone["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Where a bone is in what was posed: start and tip.
    pub(crate) fn place(&self, posed: &Value, bone: &str) -> ([f64; 2], [f64; 2]) {
        let index = self.bones().iter().position(|name| name == bone).expect("the bone");
        let numbers: Vec<f64> = posed["bones"][index]
            .as_array()
            .expect("numbers")
            .iter()
            .map(|n| n.as_f64().expect("one"))
            .collect();
        ([numbers[0], numbers[1]], [numbers[2], numbers[3]])
    }

    /// A drag from press to release through places; the answer to its end, and what was posed last.
    pub(crate) fn drag(&mut self, clip: Option<&str>, time: f64, grab: Value, way: &[[f64; 2]]) -> Value {
        let gesture = self.name();
        self.begin(&gesture, clip, time, grab);
        for at in way {
            self.move_to(&gesture, *at);
        }
        self.make(json!({ "t": "commit", "gesture": gesture, "scale": 1 }))
    }

    pub(crate) fn begin(&mut self, gesture: &str, clip: Option<&str>, time: f64, grab: Value) {
        self.send(&json!({ "t": "begin", "gesture": gesture, "clip": clip, "time": time, "pose": {}, "grab": grab }));
    }

    /// A move of a drag; what is posed then.
    pub(crate) fn move_to(&mut self, gesture: &str, to: [f64; 2]) -> Value {
        self.seq += 1;
        let seq = self.seq;
        self.send(
            &json!({ "t": "drag", "seq": seq, "gesture": gesture, "to": to, "size": [40, 40], "chain": 2 }),
        );
        self.find(|answer| answer["seq"] == json!(seq))
    }
}

/// Sends bytes, and returns all that is answered until the connection ends.
pub(crate) fn request(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
    // The server may end the connection before all is written.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u32 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

/// A request for a path, with some headers.
pub(crate) fn get(port: u16, path: &str, headers: &str) -> String {
    request(port, format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n").as_bytes())
}
