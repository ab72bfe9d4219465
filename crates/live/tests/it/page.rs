//! The page in a browser beside its rig on the disk: what the tests of the page share.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::{Browser, Screen, Tab};

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Three bones in a row, with a comment wherever one may stand, and numbers as people type them.
pub(crate) const ARM: &str = r#"// An arm. ✱
Rig(
    version: 1,
    drawing: "arm.svg", // beside this file
    bones: {
        "upper": (from: (60, 200), to: (160, 200)),
        "fore":  (parent: "upper", to: (240, 200), limits: (-150, 150)),   /* the elbow */
        "hand":  (parent: "fore", to: (290, 200)),
    },
    skin: [
        Rigid(art: "upper_art", bone: "upper"),
        Rigid(art: "fore_art",  bone: "fore"),
        Rigid(art: "hand_art",  bone: "hand"),
    ],
    clips: {
        "wave": (length: 2, bones: {
            "fore": (rotate: [(0, 5), (1, -40), (2, 5)]),  // up, and down again
        }),
    },
)
"#;

/// Its drawing.
pub(crate) const ARM_SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400">
<rect id="back" width="400" height="400" fill="#f4efe4"/>
<rect id="upper_art" x="50" y="180" width="120" height="40" rx="20" fill="#3a6ea5"/>
<rect id="fore_art" x="145" y="184" width="105" height="32" rx="16" fill="#5b92c9"/>
<circle id="hand_art" cx="265" cy="200" r="28" fill="#e0a458"/>
</svg>
"##;

/// A server of a rig in a folder of its own.
pub(crate) struct Live {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) rig: PathBuf,
    pub(crate) url: String,
    _server: bone_live::LiveServer,
}

impl Live {
    /// A rig and its files, by name; the first one is opened.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let rig = folder.path().join(files[0].0);
        Self::start(folder, rig)
    }

    /// The arm.
    pub(crate) fn arm() -> Self {
        Self::of(&[("arm.ron", ARM), ("arm.svg", ARM_SVG)])
    }

    /// A copy of an example.
    pub(crate) fn example(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let from = repository("examples").join(name);
        for entry in std::fs::read_dir(from).expect("the example").flatten() {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
            }
        }
        let files = ["scene.ron", "rig.ron"].map(|name| folder.path().join(name));
        let rig = files.into_iter().find(|file| file.exists()).expect("its rig");
        Self::start(folder, rig)
    }

    fn start(folder: tempfile::TempDir, rig: PathBuf) -> Self {
        let server = bone_live::LiveServer::start(bone_live::LiveOptions::new(&rig)).expect("a server");
        let url = server.address().to_owned();
        Self { folder, rig, url, _server: server }
    }

    /// The text of the rig on the disk.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.rig).expect("the rig")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("a file");
    }

    /// Waits until the text of the rig is as it should be.
    pub(crate) fn wait(&self, is: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.text();
            if is(&text) {
                return text;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "the text stays:\n{text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Opens the page and waits for its first picture.
    pub(crate) fn open(&self, browser: &mut Browser, screen: Screen) -> Tab {
        let tab = browser.open(&self.url, screen);
        tab.settled(browser);
        tab
    }
}

/// Counts the page's requests that change texts, and keeps the newest revision that an answer has: a text is on the
/// disk before the page has its picture.
const COUNT: &str = "if (!window.__asked) {
    const asked = window.__asked = { open: 0, rev: 0 }, request = model.request.bind(model);
    model.request = async (message) => {
        asked.open++;
        try {
            const answer = await request(message);
            asked.rev = Math.max(asked.rev, answer.rev ?? 0);
            return answer;
        } finally {
            asked.open--;
        }
    };
}";

/// A function of the page's modules, for tests.
const MODEL: &str =
    "const { model } = await import('./model.js'); const stage = document.querySelector('rig-stage');";

impl Tab {
    /// The value of a body of a function that has `model` and `stage`.
    pub(crate) fn ask(&self, browser: &mut Browser, body: &str) -> Value {
        self.eval(browser, &format!("(async () => {{ {MODEL} {body} }})()"))
    }

    /// Waits until the picture is that of the revision, and no request is under way.
    pub(crate) fn settled(&self, browser: &mut Browser) {
        self.wait(browser, "document.documentElement.dataset.painted !== undefined");
        self.ask(browser, COUNT);
        self.wait(
            browser,
            "!window.__asked.open && document.documentElement.dataset.revision >= window.__asked.rev \
             && document.documentElement.dataset.painted === document.documentElement.dataset.revision \
             && document.querySelector('rig-stage').pictures.idle",
        );
    }

    /// Joint and tip of a bone in CSS pixels of the page.
    pub(crate) fn bone(&self, browser: &mut Browser, name: &str) -> [(f64, f64); 2] {
        let ends = self.ask(
            browser,
            &format!(
                "const box = stage.getBoundingClientRect(); \
                 return stage.ends({}).map((end) => [end[0] + box.left, end[1] + box.top]);",
                json!(name)
            ),
        );
        let at = |end: usize, axis: usize| ends[end][axis].as_f64().expect("a place");
        [(at(0, 0), at(0, 1)), (at(1, 0), at(1, 1))]
    }

    /// A place of the rig's canvas in CSS pixels of the page.
    pub(crate) fn place(&self, browser: &mut Browser, x: f64, y: f64) -> (f64, f64) {
        let at = self.ask(
            browser,
            &format!(
                "const box = stage.getBoundingClientRect(); const at = stage.view.toStage({x}, {y}); \
                 return [at[0] + box.left, at[1] + box.top];"
            ),
        );
        (at[0].as_f64().expect("a place"), at[1].as_f64().expect("a place"))
    }

    /// Moves the clip's time.
    pub(crate) fn go(&self, browser: &mut Browser, time: f64) {
        self.ask(browser, &format!("model.setTime({time});"));
        self.settled(browser);
    }
}

/// A place between two.
pub(crate) fn between(a: (f64, f64), b: (f64, f64), share: f64) -> (f64, f64) {
    (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
}

/// How far two places are apart.
pub(crate) fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    kurbo::Point::from(a).distance(kurbo::Point::from(b))
}

/// A place turned about another one by degrees.
pub(crate) fn turned(at: (f64, f64), about: (f64, f64), degrees: f64) -> (f64, f64) {
    let turn = bone_core::Angle::from_degrees(degrees).direction();
    let (x, y) = (at.0 - about.0, at.1 - about.1);
    (about.0 + x * turn.x - y * turn.y, about.1 + x * turn.y + y * turn.x)
}
