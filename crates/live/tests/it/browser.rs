//! A real Chromium for the tests of the page, driven over its debugging pipe. The tests share one browser, which
//! ends with the test program, however that ends. Without a Chromium they are skipped, unless `REQUIRE_JUDGES` is
//! set; `CHROMIUM` is the program, if it is not in the path.
#![allow(dead_code, reason = "two test programs use it, each a part")]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything in the page may take. The limit is met only when something is broken.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Modifier keys of events, as the debugging protocol counts them.
pub(crate) const ALT: u8 = 1;
pub(crate) const CTRL: u8 = 2;
pub(crate) const SHIFT: u8 = 8;

/// The program, where it usually is.
fn program() -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        let ran = Command::new(path).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        ran.is_ok_and(|status| status.success())
    };
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ];
    named.into_iter().chain(usual.map(PathBuf::from)).find(runs)
}

struct Connection {
    _process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
    /// Events that came between answers: session and message.
    events: Vec<Value>,
}

impl Connection {
    fn start() -> Option<Self> {
        let program = program()?;
        // The shell puts the pipe where the browser looks for it. The browser ends when the pipe does, and then
        // its profile is removed.
        let script = r#"profile=$(mktemp -d)
            trap '' INT TERM
            "$0" --remote-debugging-pipe --headless --no-sandbox --disable-dev-shm-usage --no-first-run \
                --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
                --force-color-profile=srgb --hide-scrollbars --user-data-dir="$profile" about:blank 3<&0 4>&1 \
                >/dev/null 2>/dev/null </dev/null
            rm -rf "$profile""#;
        let mut process = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let to = process.stdin.take()?;
        let from = BufReader::new(process.stdout.take()?);
        Some(Self { _process: process, to, from, last: 0, events: Vec::new() })
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser's pipe");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser's pipe");
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).expect("an answer of the browser");
            if answer["id"] == self.last {
                // A page that goes elsewhere meanwhile has no value; what waits asks again.
                if answer["error"]["message"] == "Inspected target navigated or closed" {
                    return Value::Null;
                }
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            if answer.get("method").is_some() {
                // Events of messages hold whole pictures, and no test looks at them.
                let of_messages = |method: &str| method.starts_with("Network.webSocketFrame");
                if !answer["method"].as_str().is_some_and(of_messages) {
                    self.events.push(answer);
                }
            }
        }
    }
}

/// The one browser of this test program.
static BROWSER: Mutex<Option<Connection>> = Mutex::new(None);

/// The browser, while a test has it.
pub(crate) struct Browser(MutexGuard<'static, Option<Connection>>);

/// The browser for a test, once others have ended. None if there is no Chromium: the test is skipped.
pub(crate) fn browser(test: &str) -> Option<Browser> {
    let mut guard = BROWSER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if guard.is_none() {
        *guard = Connection::start();
    }
    assert!(
        guard.is_some() || std::env::var_os("REQUIRE_JUDGES").is_none(),
        "{test} needs Chromium: apt-get install chromium, or CHROMIUM=path/to/chromium"
    );
    if guard.is_none() {
        // Past the capture of the test program.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test} needs Chromium (apt-get install chromium)");
    }
    guard.is_some().then(|| Browser(guard))
}

/// The size of a page in CSS pixels, and device pixels for each of them.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) density: f64,
}

/// What most tests look at.
pub(crate) const SCREEN: Screen = Screen { width: 1280, height: 800, density: 1.0 };

impl Browser {
    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.0.as_mut().expect("a browser").call(session, method, params)
    }

    /// Opens an address in a tab with cookies and storage of its own.
    pub(crate) fn open(&mut self, url: &str, screen: Screen) -> Tab {
        let context = self.call(None, "Target.createBrowserContext", json!({}));
        let context = context["browserContextId"].as_str().expect("a context").to_owned();
        self.open_in(&context, url, screen)
    }

    /// Opens an address in another tab beside one.
    pub(crate) fn open_in(&mut self, context: &str, url: &str, screen: Screen) -> Tab {
        let created = self.call(
            None,
            "Target.createTarget",
            json!({ "url": "about:blank", "browserContextId": context }),
        );
        let target = created["targetId"].as_str().expect("a tab").to_owned();
        let attached =
            self.call(None, "Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        let session = attached["sessionId"].as_str().expect("a session").to_owned();
        let tab = Tab { session, target, context: context.to_owned() };
        tab.call(self, "Page.enable", json!({}));
        tab.call(self, "Runtime.enable", json!({}));
        tab.call(self, "Network.enable", json!({}));
        tab.resize(self, screen);
        tab.call(self, "Page.navigate", json!({ "url": url }));
        tab
    }

    /// Events of a kind that have come from a tab.
    pub(crate) fn events(&mut self, tab: &Tab, method: &str) -> Vec<Value> {
        let events = &self.0.as_ref().expect("a browser").events;
        let of = |event: &&Value| event["sessionId"] == tab.session.as_str() && event["method"] == method;
        events.iter().filter(of).map(|event| event["params"].clone()).collect()
    }
}

/// One tab of the browser.
pub(crate) struct Tab {
    session: String,
    target: String,
    pub(crate) context: String,
}

impl Tab {
    pub(crate) fn call(&self, browser: &mut Browser, method: &str, params: Value) -> Value {
        browser.call(Some(&self.session), method, params)
    }

    pub(crate) fn resize(&self, browser: &mut Browser, screen: Screen) {
        let Screen { width, height, density } = screen;
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": density, "mobile": false });
        self.call(browser, "Emulation.setDeviceMetricsOverride", metrics);
    }

    /// The value of an expression in the page; waits for a promise.
    pub(crate) fn eval(&self, browser: &mut Browser, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call(browser, "Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression in the page is true.
    pub(crate) fn wait(&self, browser: &mut Browser, condition: &str) {
        let start = Instant::now();
        let guarded = format!("(() => {{ try {{ return !!({condition}); }} catch {{ return false; }} }})()");
        while self.eval(browser, &guarded) != true {
            let errors = || format!("{condition}\nnever came to be");
            assert!(start.elapsed() < TIMEOUT, "{}", errors());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn pointer(&self, browser: &mut Browser, kind: &str, at: (f64, f64), button: &str, held: u8, keys: u8) {
        let buttons = match (button, held) {
            (_, 0) => 0,
            ("middle", _) => 4,
            ("right", _) => 2,
            _ => 1,
        };
        let event = json!({
            "type": kind, "x": at.0, "y": at.1, "modifiers": keys,
            "button": if kind == "mouseMoved" && held == 0 { "none" } else { button },
            "buttons": buttons, "clickCount": if kind == "mouseMoved" { 0 } else { 1 },
        });
        self.call(browser, "Input.dispatchMouseEvent", event);
    }

    pub(crate) fn hover(&self, browser: &mut Browser, at: (f64, f64)) {
        self.pointer(browser, "mouseMoved", at, "none", 0, 0);
    }

    pub(crate) fn press(&self, browser: &mut Browser, at: (f64, f64), keys: u8) {
        self.pointer(browser, "mouseMoved", at, "none", 0, keys);
        self.pointer(browser, "mousePressed", at, "left", 1, keys);
    }

    pub(crate) fn move_to(&self, browser: &mut Browser, at: (f64, f64), keys: u8) {
        self.pointer(browser, "mouseMoved", at, "left", 1, keys);
    }

    pub(crate) fn release(&self, browser: &mut Browser, at: (f64, f64), keys: u8) {
        self.pointer(browser, "mouseReleased", at, "left", 0, keys);
    }

    pub(crate) fn click(&self, browser: &mut Browser, at: (f64, f64), keys: u8) {
        self.press(browser, at, keys);
        self.release(browser, at, keys);
    }

    /// A drag along points.
    pub(crate) fn drag(&self, browser: &mut Browser, points: &[(f64, f64)], keys: u8) {
        self.press(browser, points[0], keys);
        points[1..].iter().for_each(|point| self.move_to(browser, *point, keys));
        self.release(browser, points[points.len() - 1], keys);
    }

    /// A straight drag in ten steps.
    pub(crate) fn pull(&self, browser: &mut Browser, from: (f64, f64), to: (f64, f64), keys: u8) {
        let along = |step: u32| {
            let share = f64::from(step) / 10.0;
            (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
        };
        self.drag(browser, &(0..=10).map(along).collect::<Vec<_>>(), keys);
    }

    /// A straight drag by a "pen" or a finger ("touch").
    pub(crate) fn pull_with(&self, browser: &mut Browser, kind: &str, from: (f64, f64), to: (f64, f64)) {
        let along = |step: u32| {
            let share = f64::from(step) / 10.0;
            (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
        };
        for step in 0..=11 {
            let (x, y) = along(step.min(10));
            let (name, params) = if kind == "touch" {
                let name =
                    ["touchStart", "touchMove", "touchEnd"][usize::from(step > 0) + usize::from(step > 10)];
                let points = if step > 10 { json!([]) } else { json!([{ "x": x, "y": y }]) };
                ("Input.dispatchTouchEvent", json!({ "type": name, "touchPoints": points }))
            } else {
                let name = ["mousePressed", "mouseMoved", "mouseReleased"]
                    [usize::from(step > 0) + usize::from(step > 10)];
                let held = u8::from(step <= 10);
                let event = json!({ "type": name, "x": x, "y": y, "button": "left", "buttons": held,
                    "clickCount": 1, "pointerType": kind, "force": 0.7 });
                ("Input.dispatchMouseEvent", event)
            };
            self.call(browser, name, params);
        }
    }

    /// Two fingers beside each other that move apart, from one distance to another.
    pub(crate) fn pinch(&self, browser: &mut Browser, at: (f64, f64), from: f64, to: f64) {
        for step in 0..=10 {
            let half = (from + (to - from) * f64::from(step) / 10.0) / 2.0;
            let points =
                json!([{ "x": at.0 - half, "y": at.1, "id": 0 }, { "x": at.0 + half, "y": at.1, "id": 1 }]);
            let name = if step == 0 { "touchStart" } else { "touchMove" };
            self.call(browser, "Input.dispatchTouchEvent", json!({ "type": name, "touchPoints": points }));
        }
        self.call(browser, "Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    }

    pub(crate) fn wheel(&self, browser: &mut Browser, at: (f64, f64), by: f64) {
        let event = json!({ "type": "mouseWheel", "x": at.0, "y": at.1, "deltaX": 0, "deltaY": by });
        self.call(browser, "Input.dispatchMouseEvent", event);
    }

    /// Presses and releases a key: `a`, `Enter`, `ArrowLeft`.
    pub(crate) fn key(&self, browser: &mut Browser, key: &str, keys: u8) {
        self.key_down(browser, key, keys);
        self.key_up(browser, key, keys);
    }

    pub(crate) fn key_down(&self, browser: &mut Browser, key: &str, keys: u8) {
        self.call(browser, "Input.dispatchKeyEvent", key_event("keyDown", key, keys));
    }

    pub(crate) fn key_up(&self, browser: &mut Browser, key: &str, keys: u8) {
        self.call(browser, "Input.dispatchKeyEvent", key_event("keyUp", key, keys));
    }

    /// Types a text into what has the focus.
    pub(crate) fn type_text(&self, browser: &mut Browser, text: &str) {
        self.call(browser, "Input.insertText", json!({ "text": text }));
    }

    /// A picture of the page, or of a part of it in CSS pixels, as PNG.
    pub(crate) fn picture(&self, browser: &mut Browser, clip: Option<[f64; 4]>) -> Vec<u8> {
        let mut asked = json!({ "format": "png", "fromSurface": true });
        if let Some([x, y, width, height]) = clip {
            asked["clip"] = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
        }
        let answer = self.call(browser, "Page.captureScreenshot", asked);
        from_base64(answer["data"].as_str().expect("a picture"))
    }

    /// Closes the tab, after a look at what went wrong in it.
    pub(crate) fn close(self, browser: &mut Browser) {
        let errors = self.eval(browser, "window.__errors ?? ['no list of errors']");
        assert_eq!(errors, json!([]), "errors in the page");
        browser.call(None, "Target.closeTarget", json!({ "targetId": self.target }));
    }
}

fn key_event(kind: &str, key: &str, keys: u8) -> Value {
    let (code, number) = match key {
        " " => ("Space".to_owned(), 32),
        "Enter" => ("Enter".to_owned(), 13),
        "Tab" => ("Tab".to_owned(), 9),
        "Escape" => ("Escape".to_owned(), 27),
        "Delete" => ("Delete".to_owned(), 46),
        "Backspace" => ("Backspace".to_owned(), 8),
        "ArrowLeft" => ("ArrowLeft".to_owned(), 37),
        "ArrowUp" => ("ArrowUp".to_owned(), 38),
        "ArrowRight" => ("ArrowRight".to_owned(), 39),
        "ArrowDown" => ("ArrowDown".to_owned(), 40),
        "Home" => ("Home".to_owned(), 36),
        "End" => ("End".to_owned(), 35),
        "PageUp" => ("PageUp".to_owned(), 33),
        "PageDown" => ("PageDown".to_owned(), 34),
        "F2" => ("F2".to_owned(), 113),
        "Control" => ("ControlLeft".to_owned(), 17),
        key => {
            let letter = key.chars().next().expect("a key").to_ascii_uppercase();
            let code = match letter {
                'A'..='Z' => format!("Key{letter}"),
                '0'..='9' => format!("Digit{letter}"),
                _ => String::new(),
            };
            (code, u32::from(letter))
        }
    };
    let mut event = json!({
        "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": keys,
    });
    if kind == "keyDown" && keys & (CTRL | ALT) == 0 {
        match key {
            "Enter" => event["text"] = "\r".into(),
            key if key.chars().count() == 1 => event["text"] = key.into(),
            _ => event["type"] = "rawKeyDown".into(),
        }
    } else if kind == "keyDown" {
        event["type"] = "rawKeyDown".into();
    }
    event
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| -> Option<u32> {
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        }))
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let value = group.iter().fold(0, |value, digit| (value << 6) | digit) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&value.to_be_bytes()[1..group.len()]);
    }
    bytes
}
