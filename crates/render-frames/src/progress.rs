//! Progress on standard error: a bar on a terminal, a line from time to time elsewhere, or JSON for programs.

use std::io::{Write as _, stderr};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::ProgressKind;
use crate::report::{has_colours, is_smart_terminal, print_line};

/// Counts finished frames and reports them; used by all threads.
pub(crate) struct Progress {
    kind: OutputStyle,
    total: u64,
    state: Mutex<ProgressState>,
}

enum OutputStyle {
    Silent,
    Bar(ProgressBar),
    Lines,
    Json,
}

struct ProgressState {
    done: u64,
    last_line: Instant,
}

/// The minimal time between two lines.
const LINE_EVERY: Duration = Duration::from_secs(2);

impl Progress {
    pub(crate) fn new(kind: ProgressKind, quiet: bool, total: u64) -> Self {
        let kind = match kind {
            _ if quiet => OutputStyle::Silent,
            ProgressKind::None => OutputStyle::Silent,
            ProgressKind::Json => OutputStyle::Json,
            ProgressKind::Auto if is_smart_terminal(&stderr()) => OutputStyle::Bar(bar(total)),
            ProgressKind::Auto | ProgressKind::Plain => OutputStyle::Lines,
        };
        Self { kind, total, state: Mutex::new(ProgressState { done: 0, last_line: Instant::now() }) }
    }

    /// Reports a frame that was written.
    pub(crate) fn frame(&self, clip: &str, frame: u64, path: &std::path::Path, bytes: u64) {
        self.done(&|| {
            let path = path.display().to_string();
            serde_json::json!({ "event": "frame", "clip": clip, "frame": frame, "file": path, "bytes": bytes })
        });
    }

    /// Reports a frame that existed already.
    pub(crate) fn kept(&self, clip: &str, frame: u64, path: &std::path::Path) {
        self.done(&|| {
            let path = path.display().to_string();
            serde_json::json!({ "event": "kept", "clip": clip, "frame": frame, "file": path })
        });
    }

    /// Reports a frame that went into a file of all frames.
    pub(crate) fn added(&self, clip: &str, frame: u64, path: &std::path::Path) {
        self.done(&|| {
            let path = path.display().to_string();
            serde_json::json!({ "event": "added", "clip": clip, "frame": frame, "file": path })
        });
    }

    /// Reports a frame whose colours were counted.
    pub(crate) fn counted(&self, clip: &str, frame: u64) {
        self.done(&|| serde_json::json!({ "event": "counted", "clip": clip, "frame": frame }));
    }

    fn done(&self, event: &dyn Fn() -> serde_json::Value) {
        // After a panic in another thread the count may be wrong, which is better than to stop.
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.done += 1;
        match &self.kind {
            OutputStyle::Silent => {}
            OutputStyle::Bar(bar) => bar.inc(1),
            OutputStyle::Lines => {
                if state.last_line.elapsed() >= LINE_EVERY {
                    state.last_line = Instant::now();
                    print_line(&format!("{} of {} frames", state.done, self.total));
                }
            }
            OutputStyle::Json => {
                let mut line = event();
                line["done"] = state.done.into();
                line["total"] = self.total.into();
                print_json(&line);
            }
        }
    }

    /// Prints the summary, unless it is turned off.
    pub(crate) fn summary(&self, message: &str, json: &serde_json::Value) {
        match &self.kind {
            OutputStyle::Bar(bar) => {
                bar.finish_and_clear();
                print_line(message);
            }
            OutputStyle::Json => print_json(json),
            OutputStyle::Lines | OutputStyle::Silent => print_line(message),
        }
    }

    /// Clears the bar before an error is printed.
    pub(crate) fn stop(&self) {
        if let OutputStyle::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// Prints a line for programs; JSON has escapes of its own. A closed standard error is ignored.
fn print_json(line: &serde_json::Value) {
    let _ = writeln!(stderr(), "{line}");
}

/// Reports a step without frames from time to time, until it is dropped: a step may take long.
pub(crate) struct LongStep {
    /// Its end is that of the step.
    _ends: Option<Sender<()>>,
}

impl LongStep {
    pub(crate) fn begin(what: String, quiet: bool) -> Self {
        if quiet {
            return Self { _ends: None };
        }
        let (done, ends) = channel();
        let report = move || {
            let started = Instant::now();
            while ends.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
                print_line(&format!("{what}: {:.0} s; Ctrl-C ends it", started.elapsed().as_secs_f64()));
            }
        };
        // Without another thread the step is not reported.
        let _ = std::thread::Builder::new().spawn(report);
        Self { _ends: Some(done) }
    }
}

/// A size for people.
pub(crate) fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{:.0} kB", bytes as f64 / 1e3)
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template = match has_colours(&stderr()) {
        true => "{bar:32.cyan/dim} {pos}/{len} frames, {per_sec}, {eta} left",
        false => "{bar:32} {pos}/{len} frames, {per_sec}, {eta} left",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}
