//! The page beside the text: an editor and a Chromium on one rig, the cursor of one and the selection of the other.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::browser::{Browser, SCREEN, Tab, browser};
use crate::command::{command, repository};

/// A client of the protocol that answers nothing by itself.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Editor {
    fn start() -> Self {
        let mut child =
            command(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, input, output: BufReader::new(output) }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn read(&mut self) -> Value {
        let (mut length, mut line) = (0, String::new());
        while self.output.read_line(&mut line).is_ok_and(|count| count > 2) {
            length = line.trim().trim_start_matches("Content-Length: ").parse().expect("a length");
            line.clear();
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The next message that is wanted.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn ask(&mut self, id: i64, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == id)
    }

    /// The place that the editor is to show next.
    fn shown(&mut self) -> Value {
        self.wait(|message| {
            message["method"] == "window/showDocument" && message["params"]["external"] != true
        })["params"]
            .clone()
    }
}

/// A place of a text as the protocol has it; the rig has nothing but ASCII.
fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let line = before.matches('\n').count();
    json!({ "line": line, "character": at - before.rfind('\n').map_or(0, |end| end + 1) })
}

fn on_page(tab: &Tab, b: &mut Browser, body: &str) -> Value {
    tab.eval(
        b,
        &format!("(async () => {{ const {{ model }} = await import('./model.js'); return {body}; }})()"),
    )
}

fn until(tab: &Tab, b: &mut Browser, body: &str, wanted: &Value) {
    for _ in 0..200 {
        if on_page(tab, b, body) == *wanted {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("{body} is {}, and {wanted} is wanted", on_page(tab, b, body));
}

#[test]
fn cursor_and_selection_are_in_step() {
    let Some(mut browser) = browser("an editor and a page") else { return };
    let b = &mut browser;
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["rig.ron", "drawing.svg"] {
        std::fs::copy(repository(&format!("examples/walk/{name}")), folder.path().join(name))
            .expect("a copy");
    }
    let path = folder.path().join("rig.ron").canonicalize().expect("the rig");
    let text = std::fs::read_to_string(&path).expect("the rig");
    assert!(text.is_ascii());
    let uri = format!("file://{}", path.display());
    let mut editor = Editor::start();
    let capabilities = json!({ "window": { "showDocument": { "support": true } } });
    let reply = editor.ask(1, "initialize", &json!({ "capabilities": capabilities }));
    let commands = &reply["result"]["capabilities"]["executeCommandProvider"]["commands"];
    assert_eq!(*commands, json!(["boneLayer.openPage"]));
    editor.notify("initialized", &json!({}));
    let document = json!({ "uri": uri, "languageId": "ron", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    editor.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    for (id, command, argument) in [
        (2, "boneLayer.openPage", "untitled:1"),
        (3, "boneLayer.close", &uri),
        (6, "boneLayer.openPage", "file:///dev/zero"),
    ] {
        let asked = json!({ "command": command, "arguments": [argument] });
        let reply = editor.ask(id, "workspace/executeCommand", &asked);
        assert!(reply["error"]["message"].is_string(), "{reply}");
    }
    let opened = json!({ "command": "boneLayer.openPage", "arguments": [uri] });
    let reply = editor.ask(4, "workspace/executeCommand", &opened);
    let address = reply["result"]["address"].as_str().expect("an address").to_owned();
    // A second time it is the same page.
    assert_eq!(editor.ask(5, "workspace/executeCommand", &opened)["result"]["address"], address.as_str());
    let tab = b.open(&address, SCREEN);
    tab.wait(b, "document.documentElement.dataset.painted !== undefined");

    let cursor = |editor: &mut Editor, at: usize| {
        let place = json!({ "textDocument": { "uri": uri }, "position": position(&text, at) });
        editor.notify("boneLayer/cursor", &place);
    };
    // Within an entry of a bone.
    let head = text.find("\"head\":").expect("the head");
    cursor(&mut editor, text[head..].find("to:").expect("its tip") + head);
    until(&tab, b, "model.bones", &json!(["head"]));
    // In a key of a clip.
    let clip = text.find("clips:").expect("clips");
    let hip = text[clip..].find("\"hip\":").expect("the hip") + clip;
    let key = text[hip..].find("), (").expect("keys") + hip + 3;
    cursor(&mut editor, key + 2);
    until(&tab, b, "model.bones", &json!(["hip"]));
    let seconds: f64 = text[key + 1..].split(',').next().expect("a time").parse().expect("seconds");
    until(&tab, b, "[model.time, model.keys.size > 0]", &json!([seconds, true]));

    // By hand on the page: its entry, without taking the focus.
    on_page(&tab, b, "(model.keys.clear(), model.select(['neck']))");
    let shown = editor.shown();
    let neck = text.find("\"neck\"").expect("the neck");
    assert_eq!((&shown["uri"], &shown["takeFocus"]), (&json!(uri), &json!(false)));
    assert_eq!(
        shown["selection"],
        json!({ "start": position(&text, neck + 1), "end": position(&text, neck + 5) })
    );
    // The editor's cursor is there now, and the page hears nothing of it: what was chosen since stays.
    on_page(&tab, b, "(window.heard = 0, model.on('selection', () => { window.heard += 1; }))");
    cursor(&mut editor, neck + 2);
    let arm = text.find("\"fore_arm_r\"").expect("an arm");
    cursor(&mut editor, arm + 2);
    until(&tab, b, "model.bones", &json!(["fore_arm_r"]));
    assert_eq!(on_page(&tab, b, "window.heard"), 1);
    // A selected key is shown as it is written.
    on_page(
        &tab,
        b,
        "((track) => model.selectKeys([`${JSON.stringify(track.path)}@${Math.round(track.keys[1].t * 1e4)}`]))\
         (model.tracks().find((track) => track.path[3] === 'hip'))",
    );
    let shown = editor.shown();
    assert_eq!(shown["selection"]["start"], position(&text, key), "{shown}");
    // Art, by a name in its binding; and three pieces on the page, of which the last is shown.
    let art = text.find("art: \"scarf\"").expect("a binding") + 6;
    cursor(&mut editor, art);
    until(
        &tab,
        b,
        "model.arts.map((at) => model.rig.art.find((art) => art.address === at).art)",
        &json!(["scarf"]),
    );
    let three = "model.rig.art.filter((art) => ['road', 'trees', 'neck'].includes(art.art)).map((art) => art.address)";
    let last =
        on_page(&tab, b, &format!("(model.keys.clear(), model.select([], {three}), model.arts.at(-1))"));
    let shown = editor.shown();
    let name = last.as_str().expect("an address");
    let place = text.find(&format!("art: \"{name}\"")).expect("its binding") + 6;
    assert_eq!(shown["selection"]["start"], position(&text, place), "{name}");
    assert_eq!(tab.eval(b, "window.__errors"), json!([]));
    tab.close(b);
    editor.ask(9, "shutdown", &Value::Null);
    editor.notify("exit", &Value::Null);
    assert!(editor.child.wait().expect("its end").success());
    // The page ended with it.
    assert!(std::net::TcpStream::connect(address[7..].split('/').next().expect("a host")).is_err());
}
