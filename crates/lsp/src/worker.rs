//! The thread that has a session of each rig whose text is open. It takes in the newest texts, publishes what it
//! found, renames and draws. A newer text cancels what it does for an older one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bone_format::edit::EditError;
use bone_format::session::text::TextEdit;
use bone_format::session::{Edit, Named, Session};
use bone_format::{Disk, Files, ReadRules, fontdb};
use lsp_server::{RequestId, ResponseError};
use serde_json::Value;

use crate::claim::is_rig;
use crate::picture::{PictureOf, picture};
use crate::protocol::RequestFault;
use crate::uri::plain;
use crate::view::RigView;

/// Gives the fonts of drawings with text.
pub(crate) type FontsOf = Arc<dyn Fn() -> fontdb::Database + Send + Sync>;

/// The most files of a folder that are searched for the rig that includes a part.
const MOST_SEARCHED: usize = 200;

/// A name that gets another.
#[derive(Clone, Debug)]
pub(crate) struct Renaming {
    pub(crate) id: RequestId,
    /// A file of the rig.
    pub(crate) path: PathBuf,
    pub(crate) of: Named,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// A picture that a hover gets.
#[derive(Clone, Debug)]
pub(crate) struct PictureWanted {
    pub(crate) id: RequestId,
    /// A file of the rig.
    pub(crate) path: PathBuf,
    pub(crate) of: PictureOf,
    /// The hover without it.
    pub(crate) hover: Value,
}

/// What a request has the worker do.
#[derive(Clone, Debug)]
pub(crate) enum WorkerJob {
    Rename(Renaming),
    Picture(PictureWanted),
}

impl WorkerJob {
    fn id(&self) -> &RequestId {
        match self {
            Self::Rename(renaming) => &renaming.id,
            Self::Picture(wanted) => &wanted.id,
        }
    }
}

/// A file of a rename: its path, its text, and what changes in it.
pub(crate) type RenamedFile = (PathBuf, String, Vec<TextEdit>);

/// What the worker made.
pub(crate) enum WorkerReport {
    /// The rigs, and the versions of the texts that they were made of.
    Views(Vec<RigView>, BTreeMap<PathBuf, i64>),
    /// The edits of a rename.
    Renamed(RequestId, Result<Vec<RenamedFile>, ResponseError>),
    /// A hover with its picture, if there is one.
    Pictured(RequestId, Value),
}

/// What is to be done.
#[derive(Default)]
struct Requested {
    /// The texts that are open, with their versions.
    texts: BTreeMap<PathBuf, (Arc<str>, i64)>,
    /// Whether texts changed since they were taken.
    is_new: bool,
    /// Whether files changed on the disk.
    disk: bool,
    jobs: VecDeque<WorkerJob>,
    end: bool,
}

/// The way to the worker.
#[derive(Clone, Default)]
pub(crate) struct WorkerQueue {
    wanted: Arc<(Mutex<Requested>, Condvar)>,
    cancel: Arc<AtomicBool>,
}

impl WorkerQueue {
    fn lock(&self) -> MutexGuard<'_, Requested> {
        self.wanted.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is to be done, and ends what is being done if that makes it useless.
    fn change(&self, cancels: bool, change: impl FnOnce(&mut Requested)) {
        let mut wanted = self.lock();
        change(&mut wanted);
        // Under the lock: the worker resets it when it takes what is to be done.
        if cancels {
            self.cancel.store(true, Ordering::Relaxed);
        }
        self.wanted.1.notify_one();
    }

    pub(crate) fn set_text(&self, path: &Path, text: &str, version: i64) {
        self.change(true, |wanted| {
            wanted.texts.insert(path.to_owned(), (text.into(), version));
            wanted.is_new = true;
        });
    }

    pub(crate) fn close(&self, path: &Path) {
        self.change(true, |wanted| wanted.is_new |= wanted.texts.remove(path).is_some());
    }

    pub(crate) fn disk_changed(&self) {
        self.change(false, |wanted| wanted.disk = true);
    }

    pub(crate) fn add(&self, job: WorkerJob) {
        self.change(false, |wanted| wanted.jobs.push_back(job));
    }

    /// Takes a job back; what the worker does meanwhile is done again.
    pub(crate) fn cancel(&self, id: &RequestId) {
        self.change(true, |wanted| {
            wanted.jobs.retain(|job| job.id() != id);
            wanted.is_new = true;
        });
    }

    pub(crate) fn end(&self) {
        self.change(true, |wanted| wanted.end = true);
    }
}

/// Files of the disk with the open texts in their places.
#[derive(Default)]
struct OpenFiles {
    texts: Mutex<BTreeMap<PathBuf, (Arc<str>, i64)>>,
}

impl Files for OpenFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        match texts.get(&plain(path)) {
            Some((text, _)) => Ok(text.as_bytes().to_vec()),
            None => Disk.read(path),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolve(path)
    }

    fn rules(&self) -> ReadRules {
        Disk.rules()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        Disk.beside(path)
    }
}

struct Worker {
    queue: WorkerQueue,
    files: Arc<OpenFiles>,
    fonts: FontsOf,
    sessions: Vec<Session>,
    /// The texts that the sessions have taken in.
    taken: BTreeMap<PathBuf, Arc<str>>,
    /// Pictures by rig, revision and what they show.
    pictures: BTreeMap<(PathBuf, u64, String), Option<String>>,
}

/// Works until the queue is closed.
pub(crate) fn run(queue: WorkerQueue, fonts: FontsOf, report: &dyn Fn(WorkerReport)) {
    let (files, sessions) = (Arc::default(), Vec::new());
    let (taken, pictures) = (BTreeMap::new(), BTreeMap::new());
    let mut worker = Worker { queue, files, fonts, sessions, taken, pictures };
    while let Some((texts, disk, jobs)) = worker.next() {
        let made = catch_unwind(AssertUnwindSafe(|| worker.take_in(&texts, disk)));
        match made {
            Ok(Ok(())) => {
                let versions = texts.iter().map(|(path, (_, version))| (path.clone(), *version)).collect();
                report(WorkerReport::Views(worker.sessions.iter().map(RigView::of).collect(), versions));
            }
            // Cancelled: what comes next takes in all of it.
            Ok(Err(EditError::Cancelled)) => {
                worker.queue.change(false, |wanted| {
                    wanted.is_new = true;
                    jobs.into_iter().rev().for_each(|job| wanted.jobs.push_front(job));
                });
                continue;
            }
            _ => {
                worker.sessions.clear();
                worker.taken.clear();
            }
        }
        for job in jobs {
            let id = job.id().clone();
            report(match job {
                WorkerJob::Rename(renaming) => {
                    let renamed = catch_unwind(AssertUnwindSafe(|| worker.rename(&renaming)));
                    let fault = || Err(RequestFault::InternalError.because("the program has a fault"));
                    WorkerReport::Renamed(id, renamed.unwrap_or_else(|_| fault()))
                }
                WorkerJob::Picture(mut wanted) => {
                    let drawn = catch_unwind(AssertUnwindSafe(|| worker.picture(&wanted)));
                    let text = wanted.hover["contents"]["value"].as_str().unwrap_or_default();
                    // Without a picture a hover is as it would be without pictures.
                    if let Some(uri) = drawn.ok().flatten() {
                        wanted.hover["contents"]["value"] = format!("{text}\n\n![]({uri})").into();
                    }
                    WorkerReport::Pictured(id, wanted.hover)
                }
            });
        }
    }
}

type TakenWork = (BTreeMap<PathBuf, (Arc<str>, i64)>, bool, VecDeque<WorkerJob>);

impl Worker {
    /// Waits for something to do.
    fn next(&self) -> Option<TakenWork> {
        let mut wanted = self.queue.lock();
        loop {
            if wanted.end {
                return None;
            }
            if wanted.is_new || wanted.disk || !wanted.jobs.is_empty() {
                self.queue.cancel.store(false, Ordering::Relaxed);
                wanted.is_new = false;
                let disk = std::mem::take(&mut wanted.disk);
                return Some((wanted.texts.clone(), disk, std::mem::take(&mut wanted.jobs)));
            }
            wanted = self.queue.wanted.1.wait(wanted).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Brings the sessions to the texts.
    fn take_in(&mut self, texts: &BTreeMap<PathBuf, (Arc<str>, i64)>, disk: bool) -> Result<(), EditError> {
        texts.clone_into(&mut self.files.texts.lock().unwrap_or_else(PoisonError::into_inner));
        let gone: Vec<PathBuf> =
            self.taken.keys().filter(|path| !texts.contains_key(*path)).cloned().collect();
        let changed = texts.iter().filter(|(path, (text, _))| self.taken.get(*path) != Some(text));
        let mut bytes: Vec<(PathBuf, Option<Arc<str>>)> =
            changed.map(|(path, (text, _))| (path.clone(), Some(Arc::clone(text)))).collect();
        bytes.extend(gone.into_iter().map(|path| (path, None)));
        for (path, text) in bytes {
            let of_disk = || Disk.read(&path).unwrap_or_default();
            let bytes = text.as_ref().map_or_else(of_disk, |text| text.as_bytes().to_vec());
            for session in &mut self.sessions {
                let is_known = has(session, &path) || session.bytes(&path).is_some();
                if is_known {
                    session.reload(&path, &bytes)?;
                }
            }
            match text {
                Some(text) => self.taken.insert(path, text),
                None => self.taken.remove(&path),
            };
        }
        if disk {
            for session in &mut self.sessions {
                session.sync()?;
            }
        }
        self.sessions.retain(|session| texts.keys().any(|path| has(session, path)));
        for (path, (text, _)) in texts {
            if is_rig(path, text) && !self.sessions.iter().any(|session| has(session, path)) {
                let session = self.open(path, text)?;
                self.sessions.push(session);
            }
        }
        // A rig that was opened takes the place of its parts that were opened before.
        let parts: Vec<bool> = self.sessions.iter().map(|session| self.is_within_another(session)).collect();
        let mut parts = parts.into_iter();
        self.sessions.retain(|_| !parts.next().unwrap_or_default());
        Ok(())
    }

    fn is_within_another(&self, session: &Session) -> bool {
        let others = self.sessions.iter().filter(|other| other.path() != session.path());
        others.into_iter().any(|other| has(other, session.path()))
    }

    /// Opens the rig that a text is, or that includes it.
    fn open(&self, path: &Path, text: &str) -> Result<Session, EditError> {
        let rig = self.user_of(path, text);
        match rig.map(|rig| self.open_rig(&rig)).transpose()? {
            Some(session) if has(&session, path) => Ok(session),
            _ => self.open_rig(path),
        }
    }

    fn open_rig(&self, path: &Path) -> Result<Session, EditError> {
        let fonts = Arc::clone(&self.fonts);
        let files: Arc<dyn Files> = self.files.clone();
        Session::open_cancellable(path, files, move || fonts(), Arc::clone(&self.queue.cancel))
            .ok_or(EditError::Cancelled)
    }

    /// The rig in the folder of a part, or in the one above, that names it.
    fn user_of(&self, path: &Path, text: &str) -> Option<PathBuf> {
        if !text.contains("Part") {
            return None;
        }
        let (name, folder) = (path.file_name()?.to_str()?, path.parent()?);
        for folder in [Some(folder), folder.parent()].into_iter().flatten() {
            for beside in self.files.beside(&folder.join(name)).into_iter().take(MOST_SEARCHED) {
                let rig = folder.join(&beside);
                if rig == path || !(beside.ends_with(".ron") || beside.ends_with(".json")) {
                    continue;
                }
                let Some(text) = self.files.read(&rig).ok().and_then(|bytes| String::from_utf8(bytes).ok())
                else {
                    continue;
                };
                if text.contains("include") && text.contains(name) && is_rig(&rig, &text) {
                    return Some(rig);
                }
            }
        }
        None
    }

    /// Makes a rename in the session, takes its edits and takes it back: the editor makes them.
    fn rename(&mut self, wanted: &Renaming) -> Result<Vec<RenamedFile>, ResponseError> {
        let session = self.sessions.iter_mut().find(|session| has(session, &wanted.path));
        let session = session.ok_or_else(|| RequestFault::RequestFailed.because("the file is no rig"))?;
        let before: Vec<(PathBuf, String)> =
            session.files().iter().map(|file| (plain(file.path()), file.text().to_owned())).collect();
        let (from, to) = (wanted.from.clone(), wanted.to.clone());
        let edit = Edit::Rename { of: wanted.of, from, to, within: None };
        let refused = |error: EditError| match error {
            EditError::Cancelled => RequestFault::RequestCancelled.because("the request was cancelled"),
            error => RequestFault::RequestFailed.because(error.to_string()),
        };
        let applied = session.apply(&edit).map_err(refused)?;
        session.undo().map_err(refused)?;
        let changes = applied.changes.into_iter().filter_map(|(path, edits)| {
            let (path, text) = before.iter().find(|(known, _)| *known == plain(&path))?.clone();
            Some((path, text, edits))
        });
        Ok(changes.collect())
    }
}

/// So many pictures are kept.
const MOST_PICTURES: usize = 64;

impl Worker {
    /// The address of a picture of the rig that was compiled last.
    fn picture(&mut self, wanted: &PictureWanted) -> Option<String> {
        let session = self.sessions.iter().find(|session| has(session, &wanted.path))?;
        let key = (session.path().to_owned(), session.revision(), format!("{:?}", wanted.of));
        if let Some(picture) = self.pictures.get(&key) {
            return picture.clone();
        }
        let picture = picture(session.rig()?, &wanted.of);
        if self.pictures.len() >= MOST_PICTURES {
            self.pictures.clear();
        }
        self.pictures.insert(key, picture.clone());
        picture
    }
}

/// Whether a text is a file of a rig.
fn has(session: &Session, path: &Path) -> bool {
    session.files().iter().any(|file| plain(file.path()) == path)
}

/// The files that have findings in some rigs.
pub(crate) fn files_with_findings(views: &[RigView]) -> BTreeSet<PathBuf> {
    let places = views.iter().flat_map(|view| {
        let root = view.files.first().cloned();
        view.diagnostics.iter().filter_map(move |found| match found.place {
            Some(place) => Some(view.path(place.source)),
            None => root.clone(),
        })
    });
    places.collect()
}
