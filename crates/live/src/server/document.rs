//! The thread that owns the document: a [`Session`]. Connections, the watcher and exports send it messages;
//! it answers to outboxes, publishes what engines draw, and writes files. Drawing never waits for it.

mod identity;
mod loading;
mod message;
mod missing;
mod operations;
mod outside;
mod publish;
mod recover;
mod refused;
mod replace;
mod saving;
mod weights;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use bone_format::session::{ConflictSide, DocPath, Selected, Session};
use bone_format::write::Digits;
use serde_json::Value;

use self::identity::Identity;
use self::loading::Loading;
pub(crate) use self::message::{DocumentSender, GestureEdit, ToDocument};
use self::operations::edits;
use self::refused::Overtaken;
pub(crate) use self::refused::Refused;
#[cfg(feature = "server")]
pub(crate) use self::replace::{drawing_stem, free_name, is_plain, read_drawing};
use crate::message::JsonObject;
use crate::server::address::Address;
use crate::server::engine::{Engines, binary};
use crate::server::files::WatchedFiles;
use crate::server::journal::{Journal, RigLock};
use crate::server::outbox::Outbox;
use crate::server::overtaken::{self, OUTSIDE, Revisions, Since};
use crate::server::proto::{ConflictNote, MissingNote, Op, Reply, Request, Step};
use crate::server::state::{Published, shown};

/// Typed values keep their digits, within reason.
const TYPED: Digits = Digits { places: 4, times: 4, shares: 4 };
/// What could not be written is tried again after so long.
const NEXT_TRY: Duration = Duration::from_secs(5);
/// A change of the rig that takes longer is announced.
const SLOW: Duration = Duration::from_millis(200);

/// What the document thread begins with.
pub(crate) struct Setup {
    pub(crate) path: PathBuf,
    pub(crate) hold: bool,
    pub(crate) files: Arc<WatchedFiles>,
    pub(crate) engines: Arc<Engines>,
    pub(crate) journal: Journal,
    /// The folder of locks and journals.
    pub(crate) records: Option<PathBuf>,
    pub(crate) loading: Arc<Loading>,
    /// The address of the page.
    pub(crate) address: Address,
    pub(crate) fonts: Arc<dyn Fn() -> bone_format::fontdb::Database + Send + Sync>,
}

pub(crate) struct Document {
    session: Session,
    files: Arc<WatchedFiles>,
    engines: Arc<Engines>,
    journal: Journal,
    records: Option<PathBuf>,
    loading: Arc<Loading>,
    address: Address,
    /// Those of names that the rig got later.
    locks: Vec<RigLock>,
    fonts: Arc<dyn Fn() -> bone_format::fontdb::Database + Send + Sync>,
    hold: bool,
    clients: BTreeMap<u64, Arc<Outbox>>,
    /// The last state that was sent.
    state: JsonObject,
    published: Published,
    revisions: Revisions,
    /// The gesture whose edits are one step, and its connection.
    open: Option<(u64, String)>,
    conflicts: BTreeMap<PathBuf, ConflictNote>,
    watching: Option<Reply>,
    /// Whether the last change of the rig took long.
    is_slow: bool,
    /// Files that could not be written, so that this is reported once.
    unsaved: BTreeMap<PathBuf, String>,
    /// The files that are or were there.
    identities: BTreeMap<PathBuf, Identity>,
    /// Those that are not there any more, and the messages about them.
    missing: BTreeMap<PathBuf, MissingNote>,
}

impl Document {
    /// Opens the rig; none if the server ends before.
    pub(crate) fn open(setup: Setup) -> Option<Self> {
        let Setup { path, hold, files, engines, journal, records, loading, address, fonts } = setup;
        let session = loop {
            let cancel = loading.begin(None)?;
            let session = open_session(&path, &files, &fonts, cancel);
            loading.end();
            if let Some(session) = session {
                break session;
            }
        };
        let mut document = Self {
            session,
            files,
            engines,
            journal,
            records,
            loading,
            address,
            locks: Vec::new(),
            fonts,
            hold,
            clients: BTreeMap::new(),
            state: JsonObject::new(),
            published: Published::default(),
            revisions: Revisions::default(),
            open: None,
            conflicts: BTreeMap::new(),
            watching: None,
            is_slow: false,
            unsaved: BTreeMap::new(),
            identities: BTreeMap::new(),
            missing: BTreeMap::new(),
        };
        document.journal.base(&document.session);
        document.revisions.note(&document.session, OUTSIDE);
        document.refresh();
        Some(document)
    }

    /// Answers messages until the server stops.
    pub(crate) fn run(mut self, inbox: &Receiver<ToDocument>) {
        loop {
            let next = match self.unsaved.is_empty() {
                true => inbox.recv().map_err(RecvTimeoutError::from),
                false => inbox.recv_timeout(NEXT_TRY),
            };
            match next {
                Ok(ToDocument::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(message) => self.receive(message),
                Err(RecvTimeoutError::Timeout) => {
                    if self.save_all() {
                        self.sent(OUTSIDE, "save", "Save");
                    }
                }
            }
        }
        self.cancel_open();
        if !self.hold {
            self.save_all();
        }
        for outbox in self.clients.values() {
            outbox.send(&Reply::Bye {});
            outbox.finish();
        }
        let all_saved = self.session.unsaved().next().is_none();
        self.journal.finish(all_saved);
        self.locks.into_iter().for_each(RigLock::release);
    }

    /// Answers a message.
    pub(crate) fn receive(&mut self, message: ToDocument) {
        match message {
            ToDocument::Join { client, outbox } => {
                self.whole().iter().for_each(|message| outbox.send(message));
                if let Some(how) = &self.watching {
                    outbox.send(how);
                }
                for note in self.conflicts.values().cloned() {
                    outbox.send(&Reply::Conflict { note });
                }
                for note in self.missing.values().cloned() {
                    outbox.send(&Reply::Missing { note });
                }
                self.clients.insert(client, outbox);
            }
            ToDocument::Leave { client } => {
                self.clients.remove(&client);
                if self.open.as_ref().is_some_and(|(owner, _)| *owner == client) {
                    self.cancel_open();
                }
            }
            ToDocument::Request { client, message } => self.request(client, message),
            ToDocument::Gesture { client, id, edit: GestureEdit { title, edits, scale, since } } => {
                let ops = edits.into_iter().map(Op::Edit).collect();
                let done = self.edit(client, Wanted { title, ops, scale: Some(scale), gesture: None, since });
                self.answer(client, id, done);
            }
            ToDocument::File { path, bytes } => self.file_changed(&path, bytes.as_deref()),
            ToDocument::Select { selection: Selected { thing, clip, time } } => {
                let (of, name) = thing.map_or((None, String::new()), |(of, name)| (Some(of), name));
                self.send_all(&Reply::Select { of, name, clip, time });
            }
            ToDocument::Watching { how } => {
                self.send_all(&how);
                self.watching = Some(how);
            }
            // What ends it is not received.
            ToDocument::Stop => {}
        }
    }

    fn send(&self, client: u64, message: &Reply) {
        if let Some(outbox) = self.clients.get(&client) {
            outbox.send(message);
        }
    }

    fn send_all(&self, message: &Reply) {
        self.clients.values().for_each(|outbox| outbox.send(message));
    }

    fn answer(&self, client: u64, id: Value, done: Result<(), Refused>) {
        let rev = self.session.revision();
        let message = match done {
            Ok(()) => Reply::Done { id, rev },
            Err(Refused { why, help, overtaken: Some(it) }) => {
                let Overtaken { places, again, .. } = *it;
                Reply::Overtaken { id, rev, why, help, places, again }
            }
            Err(Refused { why, help, .. }) => Reply::Refused { id, why, help },
        };
        self.send(client, &message);
    }

    /// Carries out a message of a page, and answers it.
    fn request(&mut self, client: u64, message: Request) {
        let (id, done) = match message {
            Request::Edit { id, title, ops, scale, gesture, base } => {
                let since = Since { base, held: None };
                (id, self.edit(client, Wanted { title, ops, scale, gesture, since }))
            }
            Request::Commit { id, .. } => {
                self.commit(client);
                (id, Ok(()))
            }
            Request::Cancel { id, .. } => {
                self.cancel_open();
                (id, Ok(()))
            }
            Request::Undo { id } => (id, self.step(client, true)),
            Request::Redo { id } => (id, self.step(client, false)),
            Request::Save { id, file, copy: Some(name), .. } => (id, self.save_copy(file.as_deref(), &name)),
            Request::Save { id, file, copy: None, anew } => (id, self.save(client, file.as_deref(), anew)),
            Request::Hold { id, on } => {
                self.hold = on;
                if !self.hold {
                    self.save_all();
                }
                self.sent(client, "save", "");
                (id, Ok(()))
            }
            Request::Resolve { id, file, keep } => (id, self.resolve(client, &file, keep)),
            Request::Paint { id, brush, gesture, base } => (id, self.paint(client, brush, gesture, base)),
            Request::Journal { id, take } => (id, self.recover(client, take)),
            Request::Dependants { id, of, name } => match self.session.dependants(of, &name) {
                Ok(found) => {
                    let paths = found.iter().map(DocPath::to_string).collect();
                    return self.send(client, &Reply::Dependants { id, paths });
                }
                Err(error) => (id, Err(error.into())),
            },
            Request::Replace { id, name, text, names } => {
                match self.replace(client, id.clone(), (&name, &text), names.as_ref()) {
                    Ok(Some(found)) => return self.send(client, &found),
                    Ok(None) => (id, Ok(())),
                    Err(refused) => (id, Err(refused)),
                }
            }
            Request::Text { id, file } => match self.text(id.clone(), &file) {
                Ok(text) => return self.send(client, &text),
                Err(refused) => (id, Err(refused)),
            },
            Request::Sound { id, seq, file } => match self.session.sound(&file) {
                Ok(bytes) => {
                    let bytes = binary((seq, self.session.revision(), 0.0), &bytes);
                    return self
                        .clients
                        .get(&client)
                        .into_iter()
                        .for_each(|outbox| outbox.send_bytes(bytes.clone()));
                }
                Err(found) => (id, Err(Refused::with_help(found.message, found.help))),
            },
            // The others are not for the document.
            _ => return,
        };
        self.answer(client, id, done);
    }

    fn commit(&mut self, client: u64) {
        self.session.commit();
        if self.open.take().is_some() {
            self.journal.step(&Step::Commit {});
            self.changed(client, "you", self.session.undo_title().unwrap_or_default().to_owned());
        }
    }

    /// The text of a file, and the one that is in conflict with it.
    fn text(&self, id: Value, name: &str) -> Result<Reply, Refused> {
        let path = self.file_called(name)?;
        let found = self.session.files().iter().find(|known| known.path() == path);
        Ok(Reply::Text {
            id,
            file: shown(&path, self.session.path()),
            text: found.map(|known| known.text().to_owned()),
            outside: self.session.outside(&path).map(str::to_owned),
        })
    }

    /// Makes the operations of a message, as a step or as a part of a gesture's.
    fn edit(&mut self, client: u64, wanted: Wanted) -> Result<(), Refused> {
        let Wanted { title, ops, scale, gesture, since } = wanted;
        self.take_in_whole();
        if let Some(MissingNote { why, .. }) = self.missing_drawing()
            && ops.iter().any(Op::binds)
        {
            return Err(Refused::new(format!("{why}: binding waits for it")));
        }
        self.open_gesture(client, gesture.as_deref(), &title);
        let digits = scale.map_or(TYPED, digits_at);
        self.session.set_seen(self.revisions.seen(client, &since));
        let edited = self.make(&title, &ops, digits);
        self.session.set_seen(None);
        match edited {
            Ok((title, changed)) => {
                if changed {
                    let digits = vec![digits.places, digits.times, digits.shares];
                    self.journal.step(&Step::Edit { title: title.clone(), ops, gesture, digits });
                    self.changed(client, "you", title);
                }
                Ok(())
            }
            Err(refused) => {
                if gesture.is_none() {
                    self.session.commit();
                }
                let (id, base) = (Value::Null, None);
                let again = Request::Edit { id, title, ops, scale, gesture: None, base };
                Err(self.kept(refused, &since, &again))
            }
        }
    }

    /// A refusal whose page may make the edit all the same, if values of others are the reason, or mistakes
    /// that came while a gesture went on.
    fn kept(&self, mut refused: Refused, since: &Since, again: &Request) -> Refused {
        let rig = self.session.path();
        match (&mut refused.overtaken, since.held.is_some() && !self.session.is_current()) {
            (Some(overtaken), _) => {
                (overtaken.places, refused.help) = overtaken::describe(&overtaken.conflicts, rig);
                refused.why = refused.help.remove(0);
                overtaken.again = again.again();
            }
            (None, true) => {
                refused.why = format!("{} has mistakes now: correct them first", shown(rig, rig));
                refused.overtaken =
                    Some(Box::new(Overtaken { again: again.again(), ..Overtaken::default() }));
            }
            (None, false) => {}
        }
        refused
    }

    /// Opens the group of a gesture, or closes that of another one.
    fn open_gesture(&mut self, client: u64, gesture: Option<&str>, title: &str) {
        let wanted = gesture.map(|name| (client, name.to_owned()));
        if self.open != wanted {
            self.session.commit();
            if wanted.is_some() {
                self.session.begin(if title.is_empty() { "Edit" } else { title });
            }
            self.open = wanted;
        }
    }

    /// Makes operations; their title, and whether they changed anything.
    fn make(&mut self, title: &str, ops: &[Op], digits: Digits) -> Result<(String, bool), Refused> {
        let list = edits(ops, &self.session)?;
        let title = match (title, list.first()) {
            ("", Some(first)) => first.title(),
            ("", None) => return Err(Refused::new("there are no operations")),
            (title, _) => title.to_owned(),
        };
        self.session.set_digits(digits);
        let applied = self.timed(|session| session.apply_all(&title, &list))?;
        Ok((title, !applied.changes.is_empty()))
    }

    /// Changes the session. If the last change took long, pages expect the same of this one.
    fn timed<T>(&mut self, change: impl FnOnce(&mut Session) -> T) -> T {
        let announced = self.is_slow;
        if announced {
            self.send_all(&Reply::Busy { what: Some("weights".to_owned()) });
        }
        // A browser has no clock for it.
        let begin = cfg!(not(target_family = "wasm")).then(Instant::now);
        let changed = change(&mut self.session);
        self.is_slow = begin.is_some_and(|begin| begin.elapsed() > SLOW);
        if announced {
            self.send_all(&Reply::Busy { what: None });
        }
        changed
    }

    fn cancel_open(&mut self) {
        let Some((client, _)) = self.open.take() else { return };
        match self.session.cancel() {
            Ok(()) => self.journal.step(&Step::Cancel {}),
            // The step stays, and can be undone.
            Err(_) => self.journal.step(&Step::Commit {}),
        }
        self.changed(client, "you", "Cancel".to_owned());
    }

    fn step(&mut self, client: u64, back: bool) -> Result<(), Refused> {
        self.take_in_whole();
        self.open = None;
        let applied = self.timed(|session| if back { session.undo() } else { session.redo() })?;
        let Some(applied) = applied else {
            return Err(Refused::new(if back {
                "there is nothing to undo"
            } else {
                "there is nothing to redo"
            }));
        };
        let (step, word) = if back { (Step::Undo {}, "Undo") } else { (Step::Redo {}, "Redo") };
        self.journal.step(&step);
        self.changed(client, "you", format!("{word}: {}", applied.title));
        Ok(())
    }

    fn resolve(&mut self, client: u64, file: &str, keep: ConflictSide) -> Result<(), Refused> {
        let file = self.file_called(file)?;
        self.session.resolve(&file, keep)?;
        self.conflicts.remove(&file);
        self.journal.step(&Step::Resolve { path: file.to_string_lossy().into_owned(), keep });
        self.changed(client, "you", "Resolve a conflict".to_owned());
        Ok(())
    }
}

/// An edit that a page asks for.
struct Wanted {
    title: String,
    ops: Vec<Op>,
    /// The pixels of a canvas unit; none if the values are typed.
    scale: Option<f64>,
    /// The gesture of which it is a part.
    gesture: Option<String>,
    since: Since,
}

fn open_session(
    path: &std::path::Path,
    files: &Arc<WatchedFiles>,
    fonts: &Arc<dyn Fn() -> bone_format::fontdb::Database + Send + Sync>,
    cancel: Arc<AtomicBool>,
) -> Option<Session> {
    let fonts = Arc::clone(fonts);
    let files = Arc::clone(files) as Arc<dyn bone_format::Files>;
    let mut session = Session::open_cancellable(path, files, move || fonts(), cancel)?;
    session.set_digits(TYPED);
    Some(session)
}

/// The digits of numbers that a pointer set, where a canvas unit has so many pixels: a tenth of a pixel and
/// of a degree.
fn digits_at(scale: f64) -> Digits {
    let places = match scale {
        scale if scale < 0.1 => 0,
        scale if scale <= 1.5 => 1,
        scale if scale <= 15.0 => 2,
        _ => 3,
    };
    Digits { places, times: 4, shares: 3 }
}
