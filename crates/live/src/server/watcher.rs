//! A thread that watches the files of a rig on the disk. Folders are watched and not files, because a file that an
//! editor replaces is another file.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use bone_format::{Disk, Files as _};
use notify::{RecursiveMode, Watcher as _};

use super::files::{ToWatcher, WatchedFiles, is_whole};
use crate::message::Maybe;
use crate::server::document::{DocumentSender, ToDocument};
use crate::server::proto::Reply;

/// A file is read when nothing happened to it for so long.
const QUIET: Duration = Duration::from_millis(40);
/// It is read after so long even if something still happens.
const LONGEST: Duration = Duration::from_millis(150);
/// A file that is half written is a mistake after so long, and one that is not there is gone.
const GRACE: Duration = Duration::from_millis(300);
/// How often such a file is looked at.
const AGAIN: Duration = Duration::from_millis(25);
/// How often files are looked at that cannot be watched.
const POLL: Duration = Duration::from_secs(1);

/// Ends the thread that watches.
pub(crate) struct WatchHandle(Sender<ToWatcher>);

impl WatchHandle {
    pub(crate) fn stop(&self) {
        drop(self.0.send(ToWatcher::Stop));
    }
}

/// Starts to watch. `poll` looks at the files from time to time, as is done where nothing reports changes.
pub(crate) fn watch(
    files: &Arc<WatchedFiles>,
    document: DocumentSender,
    poll: bool,
) -> (WatchHandle, std::thread::JoinHandle<()>) {
    let (sender, inbox) = channel();
    let paths = files.set_watcher(sender.clone());
    let events = sender.clone();
    let thread = std::thread::spawn(move || {
        let mut thread = WatchThread::new(document);
        if !poll {
            thread.start(events);
        }
        paths.into_iter().for_each(|path| thread.add(path));
        thread.announce();
        thread.run(&inbox);
    });
    (WatchHandle(sender), thread)
}

/// A file at which something happened, and when first and last.
type Pending = BTreeMap<PathBuf, (Instant, Instant)>;

struct WatchThread {
    document: DocumentSender,
    watcher: Option<notify::RecommendedWatcher>,
    /// Why files are looked at from time to time.
    polling: Option<String>,
    folders: BTreeSet<PathBuf>,
    /// The paths of the session by those of events.
    known: BTreeMap<PathBuf, PathBuf>,
    /// Sizes and times of what is looked at.
    stamps: BTreeMap<PathBuf, Option<(u64, SystemTime)>>,
}

impl WatchThread {
    fn new(document: DocumentSender) -> Self {
        Self {
            document,
            watcher: None,
            polling: Some("nothing reports changes".to_owned()),
            folders: BTreeSet::new(),
            known: BTreeMap::new(),
            stamps: BTreeMap::new(),
        }
    }

    fn start(&mut self, events: Sender<ToWatcher>) {
        let handler = move |event: notify::Result<notify::Event>| {
            let paths = match event {
                // Reading is no change.
                Ok(event) if matches!(event.kind, notify::EventKind::Access(kind) if !is_written(kind)) => {
                    return;
                }
                Ok(event) if event.need_rescan() => Vec::new(),
                Ok(event) => event.paths,
                Err(_) => Vec::new(),
            };
            drop(events.send(ToWatcher::Event(paths)));
        };
        match notify::recommended_watcher(handler) {
            Ok(watcher) => {
                self.watcher = Some(watcher);
                self.polling = None;
            }
            Err(error) => self.polling = Some(error.to_string()),
        }
    }

    fn add(&mut self, path: PathBuf) {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().to_owned();
        let mut places = Vec::new();
        if let Ok(folder) = folder.canonicalize() {
            places.push(folder.join(name));
        }
        // Of a link, the file that it leads to may change, too.
        places.extend(path.canonicalize());
        for place in places {
            if let Some(folder) = place.parent() {
                self.watch_folder(folder);
            }
            self.known.insert(place, path.clone());
        }
        self.stamps.insert(path.clone(), stamp(&path));
    }

    fn watch_folder(&mut self, folder: &Path) {
        if !self.folders.insert(folder.to_owned()) {
            return;
        }
        let watched = self.watcher.as_mut().map(|watcher| watcher.watch(folder, RecursiveMode::NonRecursive));
        if let Some(Err(error)) = watched {
            self.polling = Some(error.to_string());
        }
    }

    fn announce(&self) {
        let how = if self.polling.is_some() { "polling" } else { "events" };
        let how = Reply::Watch { how: how.to_owned(), why: Maybe(self.polling.clone()) };
        self.document.send(ToDocument::Watching { how });
    }

    fn run(mut self, inbox: &Receiver<ToWatcher>) {
        // What happened between the first reading of a file and the start of the watch was not reported.
        let start = Instant::now();
        let mut pending: Pending = self.known.values().map(|path| (path.clone(), (start, start))).collect();
        loop {
            let wait = match (pending.is_empty(), self.polling.is_some()) {
                (false, _) => Some(self.process(&mut pending)),
                (true, true) => Some(POLL),
                (true, false) => None,
            };
            let wait = if pending.is_empty() && self.polling.is_none() { None } else { wait };
            let message = match wait {
                None => inbox.recv().ok(),
                Some(wait) => match inbox.recv_timeout(wait) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => {
                        self.look(&mut pending);
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => None,
                },
            };
            let now = Instant::now();
            let mut happened = |path: &Path| {
                pending.entry(path.to_owned()).and_modify(|(_, last)| *last = now).or_insert((now, now));
            };
            match message {
                None | Some(ToWatcher::Stop) => return,
                Some(ToWatcher::Path(path)) => {
                    let was_polling = self.polling.is_some();
                    happened(&path);
                    self.add(path);
                    if self.polling.is_some() != was_polling {
                        self.announce();
                    }
                }
                Some(ToWatcher::Event(paths)) if paths.is_empty() => {
                    self.known.values().for_each(|path| happened(path));
                }
                Some(ToWatcher::Event(paths)) => {
                    paths.iter().filter_map(|path| self.known.get(path)).for_each(|path| happened(path));
                }
            }
        }
    }

    /// Looks whether files changed, where nothing reports it.
    fn look(&mut self, pending: &mut Pending) {
        if self.polling.is_none() {
            return;
        }
        let now = Instant::now();
        for (path, old) in &mut self.stamps {
            let new = stamp(path);
            if *old != new {
                *old = new;
                pending.entry(path.clone()).or_insert((now, now));
            }
        }
    }

    /// Reads what is quiet; how long to wait for the rest.
    fn process(&mut self, pending: &mut Pending) -> Duration {
        let now = Instant::now();
        let mut wait = QUIET;
        let mut later = Pending::new();
        for (path, (first, last)) in std::mem::take(pending) {
            let is_quiet = now - last >= QUIET || now - first >= LONGEST;
            if !is_quiet {
                wait = wait.min(QUIET.saturating_sub(now - last)).max(Duration::from_millis(1));
                later.insert(path, (first, last));
                continue;
            }
            let read = Disk.read(&path);
            let is_whole = match &read {
                Ok(bytes) => is_whole(&path, bytes),
                Err(_) => false,
            };
            if !is_whole && now - first < GRACE {
                wait = wait.min(AGAIN);
                later.insert(path, (first, last));
                continue;
            }
            match read {
                Ok(bytes) => self.document.send(ToDocument::File { path, bytes: Some(bytes) }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.document.send(ToDocument::File { path, bytes: None });
                }
                Err(_) => {}
            }
        }
        *pending = later;
        wait
    }
}

fn is_written(kind: notify::event::AccessKind) -> bool {
    use notify::event::{AccessKind, AccessMode};
    matches!(kind, AccessKind::Close(AccessMode::Write))
}

fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
}
