//! A client of the protocol: it starts the server, writes and reads messages over pipes, and keeps the texts as an
//! editor does, with its own arithmetic of positions.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// A server that says nothing for so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    /// Replies that came before they were waited for.
    early: BTreeMap<i64, Value>,
    /// How often hints were to be asked for again.
    pub(crate) refreshed: usize,
    /// The findings that were published last, by URI, with their version.
    pub(crate) published: BTreeMap<String, (Option<i64>, Vec<Value>)>,
    pub(crate) utf8: bool,
    versions: BTreeMap<String, i64>,
}

/// The examples of the repository.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().expect("the examples")
}

pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display().to_string().replace(' ', "%20"))
}

impl Client {
    /// A server that is initialized.
    pub(crate) fn start(utf8: bool) -> Self {
        Self::start_with(utf8, &Value::Null)
    }

    /// A server that is initialized with options.
    pub(crate) fn start_with(utf8: bool, options: &Value) -> Self {
        let mut client = Self::raw();
        let units = if utf8 { json!(["utf-16", "utf-8"]) } else { Value::Null };
        let snippets = json!({ "completionItem": { "snippetSupport": true } });
        let capabilities = json!({
            "general": { "positionEncodings": units },
            "textDocument": { "completion": snippets },
            "workspace": { "inlayHint": { "refreshSupport": true } },
        });
        let params = json!({ "capabilities": capabilities, "initializationOptions": options });
        let reply = client.request("initialize", params).expect("a reply");
        client.utf8 = reply["capabilities"]["positionEncoding"] == "utf-8";
        assert_eq!(client.utf8, utf8);
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn raw() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bone-lsp"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                let mut line = String::new();
                while output.read_line(&mut line).is_ok_and(|count| count > 2) {
                    let header = line.strip_prefix("Content-Length: ").expect("a header and nothing else");
                    length = header.trim().parse().expect("a length");
                    line.clear();
                }
                let mut body = vec![0; length];
                if length == 0 || output.read_exact(&mut body).is_err() {
                    return;
                }
                let message = serde_json::from_slice(&body).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let (published, versions) = (BTreeMap::new(), BTreeMap::new());
        Self {
            child,
            input,
            messages,
            next: 0,
            early: BTreeMap::new(),
            refreshed: 0,
            published,
            utf8: false,
            versions,
        }
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("an open pipe");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn read(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let list = params["diagnostics"].as_array().cloned().unwrap_or_default();
            let uri = params["uri"].as_str().unwrap_or_default().to_owned();
            self.published.insert(uri, (params["version"].as_i64(), list));
        }
        if message["method"] == "workspace/inlayHint/refresh" {
            self.refreshed += 1;
            self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }

    /// Waits for the reply to a request.
    pub(crate) fn reply(&mut self, id: i64) -> Result<Value, Value> {
        let message = loop {
            if let Some(message) = self.early.remove(&id) {
                break message;
            }
            let message = self.read();
            if let (Some(id), None) = (message["id"].as_i64(), message.get("method")) {
                self.early.insert(id, message);
            }
        };
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.reply(id)
    }

    pub(crate) fn open(&mut self, path: &Path, text: &str) {
        self.versions.insert(uri(path), 1);
        let document = json!({ "uri": uri(path), "languageId": "ron", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Sends changes of a text; its new version.
    pub(crate) fn change(&mut self, path: &Path, changes: Value) -> i64 {
        let version = self.versions.get(&uri(path)).copied().unwrap_or_default() + 1;
        self.versions.insert(uri(path), version);
        let document = json!({ "uri": uri(path), "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        version
    }

    pub(crate) fn set(&mut self, path: &Path, text: &str) -> i64 {
        self.change(path, json!([{ "text": text }]))
    }

    /// The findings of the newest version of a text.
    pub(crate) fn findings(&mut self, path: &Path) -> Vec<Value> {
        let wanted = self.versions.get(&uri(path)).copied();
        loop {
            match self.published.get(&uri(path)) {
                Some((version, list)) if *version >= wanted => return list.clone(),
                _ => self.read(),
            };
        }
    }

    /// A request about a byte of a text.
    pub(crate) fn at(&mut self, method: &str, path: &Path, text: &str, byte: usize) -> Result<Value, Value> {
        let position = position(text, byte, self.utf8);
        self.request(method, json!({ "textDocument": { "uri": uri(path) }, "position": position }))
    }

    /// The labels of what may be written at a byte.
    pub(crate) fn labels(&mut self, path: &Path, text: &str, byte: usize) -> Vec<String> {
        let reply = self.at("textDocument/completion", path, text, byte).expect("a reply");
        let items = reply["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| Some(item["label"].as_str()?.to_owned())).collect()
    }

    /// The process of the server.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server as an editor does.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null).expect("a reply");
        self.notify("exit", Value::Null);
        self.child.wait().expect("the server ends")
    }

    /// Closes the pipe without a word.
    pub(crate) fn leave(mut self) -> ExitStatus {
        self.input = None;
        self.child.wait().expect("the server ends")
    }

    pub(crate) fn exit(mut self) -> ExitStatus {
        self.notify("exit", Value::Null);
        self.child.wait().expect("the server ends")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
    }
}

/// The position of a byte: lines end with `\n` (or `\r\n`, whose parts are no columns that are asked for).
pub(crate) fn position(text: &str, byte: usize, utf8: bool) -> Value {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = if utf8 { byte - start } else { before[start..].chars().map(char::len_utf16).sum() };
    json!({ "line": before.matches('\n').count(), "character": column })
}

/// The byte at a position.
pub(crate) fn byte(text: &str, position: &Value, utf8: bool) -> usize {
    let line = position["line"].as_u64().expect("a line") as usize;
    let wanted = position["character"].as_u64().expect("a column") as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut column = 0;
    for (at, c) in text[start..].char_indices() {
        if column >= wanted {
            return start + at;
        }
        column += if utf8 { c.len_utf8() } else { c.len_utf16() };
    }
    text.len()
}

/// A text after the edits of a reply, which do not overlap.
pub(crate) fn edited(text: &str, edits: &[Value], utf8: bool) -> String {
    let mut ranges: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let place = |end: &str| byte(text, &edit["range"][end], utf8);
            (place("start"), place("end"), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    ranges.sort();
    let mut out = text.to_owned();
    for (start, end, new) in ranges.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}
