//! Exports: this program renders in a process of its own, whose progress goes to the page, and which can be
//! ended at any time. Its output is below the folder of the rig.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::message::Reason;
use crate::server::engine::Engines;
use crate::server::outbox::Outbox;
use crate::server::proto::Reply;
use crate::server::records::absolute;

/// The options that a page may give, and whether each has a value.
const OPTIONS: [(&str, bool); 18] = [
    ("--for", true),
    ("--clip", true),
    ("--frames", true),
    ("--fps", true),
    ("--step", true),
    ("--size", true),
    ("--scale", true),
    ("--background", true),
    ("--format", true),
    ("--compress", true),
    ("--quality", true),
    ("--colors", true),
    ("--dither", true),
    ("--loops", true),
    ("--overlay", true),
    ("--start-number", true),
    ("--sheet", false),
    ("--trim", true),
];
/// So many exports run at a time.
const MOST_EXPORTS: usize = 2;
/// The end of a line that is for a terminal alone.
const POINTS_TO_HELP: &str = "--help` prints more.";
/// The longest line of progress that is forwarded.
const LONGEST_LINE: usize = 2000;

/// The exports that run, by connection and name.
type Running = BTreeMap<(u64, String), Arc<Mutex<Child>>>;

pub(crate) struct Exports {
    engines: Arc<Engines>,
    program: Option<PathBuf>,
    /// Options of every render.
    options: Vec<OsString>,
    /// The formats that pages list.
    formats: Value,
    running: Arc<Mutex<Running>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Exports {
    pub(crate) fn new(
        engines: Arc<Engines>,
        program: Option<PathBuf>,
        options: Vec<OsString>,
        formats: Value,
    ) -> Self {
        Self { engines, program, options, formats, running: Arc::default() }
    }

    /// The formats that pages list.
    pub(crate) fn formats(&self) -> Value {
        self.formats.clone()
    }

    /// Begins an export; `replace` is whether what is there may go.
    pub(crate) fn begin(
        &self,
        client: u64,
        id: &Value,
        (output, args, replace): (&str, &[String], bool),
        outbox: &Arc<Outbox>,
    ) {
        let name = id.as_str().unwrap_or_default();
        if let Err(why) = self.start((client, name), (output, args, replace), outbox) {
            outbox.send(&Reply::Refused { id: name.into(), why, help: Vec::new() });
        }
    }

    /// Ends an export, if it runs.
    pub(crate) fn stop(&self, client: u64, id: &Value) {
        let id = id.as_str().unwrap_or_default();
        if let Some(child) = lock(&self.running).get(&(client, id.to_owned())) {
            // It may have ended by itself.
            let _ = lock(child).kill();
        }
    }

    fn start(
        &self,
        (client, id): (u64, &str),
        (output, args, replace): (&str, &[String], bool),
        outbox: &Arc<Outbox>,
    ) -> Result<(), Reason> {
        let program = self.program.as_ref().ok_or("this server cannot export")?;
        let output = self.output(output)?;
        let arguments = arguments(args)?;
        let key = (client, id.to_owned());
        let mut running = lock(&self.running);
        if running.contains_key(&key) {
            return Err(format!("the export \"{id}\" is running already"));
        }
        if running.len() >= MOST_EXPORTS {
            return Err("other exports are running: wait for them, or stop them".to_owned());
        }
        let mut command = Command::new(program);
        command.arg("render").arg(absolute(&self.engines.path())).arg("-o").arg(&output.path).args(arguments);
        // What is there stays, unless the page has asked.
        let existing = if replace { "overwrite" } else { "error" };
        command.args(["--existing", existing, "--progress", "json"]).args(&self.options);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("the export did not start: {error}"))?;
        let errors = child.stderr.take();
        let child = Arc::new(Mutex::new(child));
        running.insert(key.clone(), Arc::clone(&child));
        drop(running);
        let (all, outbox, shown) = (Arc::clone(&self.running), Arc::clone(outbox), output.shown);
        std::thread::spawn(move || {
            let mut why = None;
            if let Some(errors) = errors {
                forward(errors, |line| {
                    // A frame is an event with counts; other lines are for people.
                    let event: Value = serde_json::from_str(line).unwrap_or(Value::Null);
                    let (done, total) = (event.get("done"), event.get("total"));
                    if event.is_null() && !line.ends_with(POINTS_TO_HELP) {
                        why = Some(line.to_owned());
                    }
                    let line = match (done, total) {
                        (Some(done), Some(total)) => format!("{done} of {total} frames"),
                        _ => line.to_owned(),
                    };
                    let (done, total) = (done.cloned(), total.cloned());
                    outbox.send(&Reply::Progress {
                        id: key.1.clone(),
                        line,
                        done: done.unwrap_or_default(),
                        total: total.unwrap_or_default(),
                    });
                });
            }
            // Its standard error is closed, so it ends now.
            let code = lock(&child).wait().ok().and_then(|status| status.code());
            lock(&all).remove(&key);
            outbox.send(&Reply::Exported { id: key.1, code, output: shown, why });
        });
        Ok(())
    }

    /// Where an export is written: below the folder of the rig, links included.
    fn output(&self, wanted: &str) -> Result<ExportOutput, Reason> {
        let path = Path::new(wanted);
        let is_below = !wanted.is_empty()
            && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
            && !wanted.starts_with('-');
        let refused = || format!("\"{wanted}\" is not below the folder of the rig");
        if !is_below || wanted.chars().any(char::is_control) {
            return Err(refused());
        }
        let rig = self.engines.path();
        let folder = rig.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().map_err(|error| format!("the folder of the rig: {error}"))?;
        let mut known = folder.clone();
        for part in path.components() {
            known.push(part);
            match known.canonicalize() {
                Ok(real) if real.starts_with(&folder) => known = real,
                Ok(_) => return Err(refused()),
                // What is not there is no link.
                Err(_) => break,
            }
        }
        let rig = absolute(&rig);
        if folder.join(path) == rig {
            return Err("an export cannot replace the rig".to_owned());
        }
        Ok(ExportOutput {
            path: folder.join(path).display().to_string() + folder_end(wanted),
            shown: wanted.to_owned(),
        })
    }

    /// Ends the exports of a connection that ended.
    pub(crate) fn leave(&self, client: u64) {
        for ((owner, _), child) in lock(&self.running).iter() {
            if *owner == client {
                let _ = lock(child).kill();
            }
        }
    }

    pub(crate) fn stop_all(&self) {
        for child in lock(&self.running).values() {
            let _ = lock(child).kill();
        }
    }
}

struct ExportOutput {
    path: String,
    shown: String,
}

/// A `/` at the end of a name makes it a folder.
fn folder_end(name: &str) -> &'static str {
    if name.ends_with('/') { "/" } else { "" }
}

/// The options of a page, if all of them are known.
fn arguments(given: &[String]) -> Result<Vec<String>, Reason> {
    let mut list = Vec::new();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let known = OPTIONS.iter().find(|(name, _)| name == option);
        let (name, has_value) = known.ok_or_else(|| format!("\"{option}\" is no option of an export"))?;
        if *has_value {
            let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
            // In one argument, so that no value is read as an option.
            list.push(format!("{name}={value}"));
        } else {
            list.push((*name).to_owned());
        }
    }
    Ok(list)
}

/// Forwards lines; those that are drawn over each other end with a carriage return.
fn forward(mut from: impl Read, mut line: impl FnMut(&str)) {
    let mut bytes = [0; 4096];
    let mut open: Vec<u8> = Vec::new();
    loop {
        let count = match from.read(&mut bytes) {
            Ok(count) if count > 0 => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            _ => break,
        };
        for byte in bytes.iter().take(count) {
            if matches!(byte, b'\n' | b'\r') {
                let text = String::from_utf8_lossy(&open);
                if !text.trim().is_empty() {
                    line(text.trim());
                }
                open.clear();
            } else if open.len() < LONGEST_LINE {
                open.push(*byte);
            }
        }
    }
    let text = String::from_utf8_lossy(&open);
    if !text.trim().is_empty() {
        line(text.trim());
    }
}
