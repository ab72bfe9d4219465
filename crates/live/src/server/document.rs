//! The thread that owns the document: a [`Session`]. Connections, the watcher and exports send it messages;
//! it answers to outboxes, publishes what engines draw, and writes files. Drawing never waits for it.

mod identity;
mod loading;
mod message;
mod missing;
mod refused;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use bone_core::BoneId;
use bone_format::doc::RigDoc;
use bone_format::edit::{BoneWeights, EditError, MirrorFrom, Smooth, VertexWeights, WeightEditor};
use bone_format::session::{Conflict, ConflictSide, DocPath, DocValue, Reloaded, Session};
use bone_format::write::Digits;
use serde_json::{Map, Value, json};

use self::identity::Identity;
use self::loading::Loading;
pub(crate) use self::message::{DocumentSender, ToDocument};
use self::refused::Overtaken;
pub(crate) use self::refused::Refused;
use crate::describe;
use crate::server::address::Address;
use crate::server::engine::Engines;
use crate::server::files::{WatchedFiles, is_whole};
use crate::server::journal::{Journal, RigLock};
use crate::server::overtaken::{self, OUTSIDE, Revisions, Since};
use crate::server::socket::{MessageText, Outbox};
use crate::server::state::{self, Published, changes, shown};
use crate::server::value::{Fields, Reason, edits};

/// Typed values keep their digits, within reason.
const TYPED: Digits = Digits { places: 4, times: 4, shares: 4 };
/// A change of the rig that takes longer is announced.
const SLOW: Duration = Duration::from_millis(200);
/// How many steps pages list.
const LISTED_STEPS: usize = 50;
/// How often a file is read and written again that another program writes at the same time.
const TRIES: usize = 5;

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
    state: Map<String, Value>,
    published: Published,
    revisions: Revisions,
    /// The gesture whose edits are one step, and its connection.
    open: Option<(u64, String)>,
    conflicts: BTreeMap<PathBuf, Value>,
    watching: Option<Value>,
    /// Whether the last change of the rig took long.
    is_slow: bool,
    /// Files that could not be written, so that this is reported once.
    unsaved: BTreeMap<PathBuf, String>,
    /// The files that are or were there.
    identities: BTreeMap<PathBuf, Identity>,
    /// Those that are not there any more, and the messages about them.
    missing: BTreeMap<PathBuf, Value>,
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
            state: Map::new(),
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
        while let Ok(message) = inbox.recv() {
            match message {
                ToDocument::Join { client, outbox } => {
                    outbox.send(&self.whole());
                    if let Some(how) = &self.watching {
                        outbox.send(how);
                    }
                    self.conflicts.values().chain(self.missing.values()).for_each(|it| outbox.send(it));
                    self.clients.insert(client, outbox);
                }
                ToDocument::Leave { client } => {
                    self.clients.remove(&client);
                    if self.open.as_ref().is_some_and(|(owner, _)| *owner == client) {
                        self.cancel_open();
                    }
                }
                ToDocument::Request { client, message } => self.request(client, &message),
                ToDocument::Gesture { client, id, title, ops, scale, since } => {
                    let wanted =
                        Wanted { title: &title, ops: &ops, scale: Some(scale), gesture: None, since };
                    let done = self.edit(client, &wanted);
                    self.answer(client, &id, done);
                }
                ToDocument::File { path, bytes } => self.file_changed(&path, bytes.as_deref()),
                ToDocument::Watching { how } => {
                    self.clients.values().for_each(|outbox| outbox.send(&how));
                    self.watching = Some(how);
                }
                ToDocument::Stop => break,
            }
        }
        self.cancel_open();
        if !self.hold {
            self.save_all();
        }
        for outbox in self.clients.values() {
            outbox.send(&json!({ "t": "bye" }));
            outbox.finish();
        }
        let all_saved = self.session.unsaved().next().is_none();
        self.journal.finish(all_saved);
        self.locks.into_iter().for_each(RigLock::release);
    }

    fn send(&self, client: u64, message: &Value) {
        if let Some(outbox) = self.clients.get(&client) {
            outbox.send(message);
        }
    }

    fn answer(&self, client: u64, id: &Value, done: Result<(), Refused>) {
        let message = match done {
            Ok(()) => json!({ "t": "done", "id": id, "rev": self.session.revision() }),
            Err(Refused { why, help, overtaken: Some(it) }) => json!({
                "t": "overtaken", "id": id, "rev": self.session.revision(), "why": why, "help": help,
                "places": it.places, "again": it.again,
            }),
            Err(Refused { why, help, .. }) => json!({ "t": "refused", "id": id, "why": why, "help": help }),
        };
        self.send(client, &message);
    }

    fn request(&mut self, client: u64, message: &Value) {
        let id = message.get("id").cloned().unwrap_or(Value::Null);
        match self.try_request(client, message) {
            Ok(Some(answer)) => self.send(client, &answer),
            Ok(None) => self.answer(client, &id, Ok(())),
            Err(refused) => self.answer(client, &id, Err(refused)),
        }
    }

    /// Carries out a request; an answer that is not `done`, if there is one.
    fn try_request(&mut self, client: u64, message: &Value) -> Result<Option<Value>, Refused> {
        let fields = Fields::of(message)?;
        let id = message.get("id").cloned().unwrap_or(Value::Null);
        match fields.text("t")? {
            "edit" => {
                let wanted = Wanted {
                    title: fields.maybe_text("title")?.unwrap_or_default(),
                    ops: fields.list("ops")?,
                    scale: fields.maybe_number("scale")?,
                    gesture: fields.maybe_text("gesture")?,
                    since: since(fields)?,
                };
                self.edit(client, &wanted)?;
            }
            "commit" => {
                self.session.commit();
                if self.open.take().is_some() {
                    self.journal.step(&json!({ "t": "commit" }));
                    self.changed(client, "you", self.session.undo_title().unwrap_or_default().to_owned());
                }
            }
            "cancel" => self.cancel_open(),
            "undo" => self.step(client, true)?,
            "redo" => self.step(client, false)?,
            "save" => {
                if let Some(name) = fields.maybe_text("as")? {
                    self.save_copy(fields.maybe_text("file")?, name)?;
                    return Ok(None);
                }
                if fields.flag("anew", false)? {
                    self.write_anew(fields.text("file")?)?;
                    self.sent(client, "save", "Write a file anew");
                }
                if self.save_all() {
                    self.sent(client, "save", "Save");
                }
                if let Some(Value::String(why)) =
                    self.missing.values().next().filter(|it| it["text"] == true).map(|it| &it["why"])
                {
                    return Err(Refused::new(why.clone()));
                }
                if let Some((file, why)) = self.unsaved.iter().next() {
                    let file = shown(file, self.session.path());
                    return Err(Refused::new(format!("{file} is not written: {why}")));
                }
            }
            "hold" => {
                self.hold = fields.flag("on", true)?;
                if !self.hold {
                    self.save_all();
                }
                self.sent(client, "save", "");
            }
            "resolve" => self.resolve(client, fields)?,
            "paint" => self.paint(client, message, fields)?,
            "journal" => self.recover(client, fields.flag("take", false)?)?,
            "dependants" => {
                let (of, name) = fields.of_what()?;
                let found = self.session.dependants(of, name)?;
                let paths: Vec<String> = found.iter().map(DocPath::to_string).collect();
                return Ok(Some(json!({ "t": "dependants", "id": id, "paths": paths })));
            }
            "text" => {
                let file = self.file_called(fields.text("file")?)?;
                let found = self.session.files().iter().find(|known| known.path() == file);
                let text = found.map(|known| known.text().to_owned());
                let outside = self.session.outside(&file);
                let name = shown(&file, self.session.path());
                return Ok(Some(
                    json!({ "t": "text", "id": id, "file": name, "text": text, "outside": outside }),
                ));
            }
            other => return Err(Refused::new(format!("there is no message \"{other}\""))),
        }
        Ok(None)
    }

    /// Makes the operations of a message, as a step or as a part of a gesture's.
    fn edit(&mut self, client: u64, wanted: &Wanted<'_>) -> Result<(), Refused> {
        let Wanted { title, ops, scale, gesture, since } = wanted;
        self.take_in_whole();
        let binds = |op: &Value| op.get("op").is_some_and(|op| op == "Bind" || op == "Unbind");
        if let Some(Value::String(why)) = self.missing_drawing().map(|it| &it["why"])
            && ops.iter().any(binds)
        {
            return Err(Refused::new(format!("{why}: binding waits for it")));
        }
        self.open_gesture(client, *gesture, title);
        let digits = scale.map_or(TYPED, digits_at);
        self.session.set_seen(self.revisions.seen(client, since));
        let edited = self.make(title, ops, digits);
        self.session.set_seen(None);
        match edited {
            Ok((title, changed)) => {
                if changed {
                    self.journal.step(&json!({
                        "t": "edit", "title": title, "ops": ops, "gesture": gesture,
                        "digits": [digits.places, digits.times, digits.shares],
                    }));
                    self.changed(client, "you", title);
                }
                Ok(())
            }
            Err(refused) => {
                if gesture.is_none() {
                    self.session.commit();
                }
                let again = json!({ "t": "edit", "title": title, "ops": ops, "scale": scale });
                Err(self.kept(refused, since, again))
            }
        }
    }

    /// A refusal whose page may make the edit all the same, if values of others are the reason, or mistakes
    /// that came while a gesture went on.
    fn kept(&self, mut refused: Refused, since: &Since, again: Value) -> Refused {
        let rig = self.session.path();
        match (&mut refused.overtaken, since.held.is_some() && !self.session.is_current()) {
            (Some(overtaken), _) => {
                (overtaken.places, refused.help) = overtaken::describe(&overtaken.conflicts, rig);
                refused.why = refused.help.remove(0);
                overtaken.again = again;
            }
            (None, true) => {
                refused.why = format!("{} has mistakes now: correct them first", shown(rig, rig));
                refused.overtaken = Some(Box::new(Overtaken { again, ..Overtaken::default() }));
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
    fn make(&mut self, title: &str, ops: &[Value], digits: Digits) -> Result<(String, bool), Refused> {
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
        let busy = |document: &Self, what: Value| {
            document.clients.values().for_each(|outbox| outbox.send(&json!({ "t": "busy", "what": what })));
        };
        let announced = self.is_slow;
        if announced {
            busy(self, json!("weights"));
        }
        let begin = Instant::now();
        let changed = change(&mut self.session);
        self.is_slow = begin.elapsed() > SLOW;
        if announced {
            busy(self, Value::Null);
        }
        changed
    }

    fn cancel_open(&mut self) {
        let Some((client, _)) = self.open.take() else { return };
        match self.session.cancel() {
            Ok(()) => self.journal.step(&json!({ "t": "cancel" })),
            // The step stays, and can be undone.
            Err(_) => self.journal.step(&json!({ "t": "commit" })),
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
        let (message, word) = if back { ("undo", "Undo") } else { ("redo", "Redo") };
        self.journal.step(&json!({ "t": message }));
        self.changed(client, "you", format!("{word}: {}", applied.title));
        Ok(())
    }

    fn resolve(&mut self, client: u64, fields: Fields<'_>) -> Result<(), Refused> {
        let file = self.file_called(fields.text("file")?)?;
        let keep = match fields.text("keep")? {
            "ours" => ConflictSide::Ours,
            "theirs" => ConflictSide::Theirs,
            _ => return Err(Refused::new("`keep` must be ours or theirs")),
        };
        self.session.resolve(&file, keep)?;
        self.conflicts.remove(&file);
        let keep = if keep == ConflictSide::Ours { "ours" } else { "theirs" };
        self.journal.step(&json!({ "t": "resolve", "path": file.to_string_lossy(), "keep": keep }));
        self.changed(client, "you", "Resolve a conflict".to_owned());
        Ok(())
    }

    /// Changes weights.
    fn paint(&mut self, client: u64, message: &Value, fields: Fields<'_>) -> Result<(), Refused> {
        self.take_in_whole();
        self.open_gesture(client, fields.maybe_text("gesture")?, "Paint weights");
        let (before, since) = (self.session.revision(), since(fields)?);
        self.session.set_seen(self.revisions.seen(client, &since));
        let painted = paint(&mut self.session, fields);
        self.session.set_seen(None);
        painted.map_err(|refused| self.kept(refused, &since, message.clone()))?;
        if self.session.revision() != before {
            self.journal.step(message);
            let title = self.session.undo_title().unwrap_or("Change weights").to_owned();
            self.changed(client, "you", title);
        }
        Ok(())
    }

    /// Makes the steps of an earlier run that were not saved, or drops them.
    fn recover(&mut self, client: u64, take: bool) -> Result<(), Refused> {
        let Some(lost) = self.journal.take_lost() else {
            return Err(Refused::new("an earlier run left nothing"));
        };
        if !take {
            lost.forget();
            self.sent(client, "you", "");
            return Ok(());
        }
        // The document becomes what it was; what the files hold now is a change from outside.
        self.files.set_texts(lost.base());
        let session = open_session(self.session.path(), &self.files, &self.fonts, self.loading.token());
        self.files.clear_texts();
        let Some(mut session) = session else { return Err(Refused::new("the server ends")) };
        let mut open = false;
        for step in lost.steps() {
            if let Err(refused) = replay(&mut session, step, &mut open) {
                self.journal.keep_lost(lost);
                return Err(Refused::new(format!(
                    "what was not saved cannot be made again: {}",
                    refused.why
                )));
            }
        }
        session.commit();
        self.session = session;
        // The journal of this run begins with the same texts and steps.
        self.journal.again(lost.base(), lost.steps());
        self.take_in_all();
        // The last step may have reached the file before the run ended.
        if self.session.unsaved().next().is_none() {
            self.journal.saved(&self.session);
        }
        lost.forget();
        self.changed(client, "you", "Recover what was not saved".to_owned());
        Ok(())
    }

    /// A file that a page names.
    fn file_called(&self, name: &str) -> Result<PathBuf, Refused> {
        let known = self.session.files().iter().map(|file| file.path().to_owned());
        let rig = self.session.path();
        known
            .chain(self.conflicts.keys().cloned())
            .find(|path| shown(path, rig) == name)
            .ok_or_else(|| Refused::new(format!("the rig has no file \"{name}\"")))
    }

    /// Takes in what another program wrote. `seen` is what the watcher read; the file is read anew here,
    /// because this thread may have written it since.
    fn file_changed(&mut self, path: &Path, seen: Option<&[u8]>) {
        let Some(seen) = seen else { return self.file_gone(path) };
        // What is gone, or is being written at this moment, is reported again.
        let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, path) else { return };
        if bytes != seen && !is_whole(path, &bytes) {
            return;
        }
        let is_back = self.missing.remove(path).is_some();
        if self.take_in(path, &bytes) {
            let title = format!("Changed outside: {}", shown(path, self.session.path()));
            self.changed(OUTSIDE, "disk", title);
        } else if is_back || (!self.hold && self.open.is_none() && self.save_all()) {
            // It is what it was, and what waited for it is in it now.
            self.changed(OUTSIDE, "save", String::new());
        }
    }

    /// Takes in what a file holds; whether that is new.
    fn take_in(&mut self, path: &Path, bytes: &[u8]) -> bool {
        if self.loading.begin(Some(path)).is_none() {
            return false;
        }
        let reloaded = self.session.reload(path, bytes);
        self.loading.end();
        let reloaded = match reloaded {
            Ok(Reloaded::Unchanged) | Err(_) => return false,
            Ok(reloaded) => reloaded,
        };
        self.revisions.note(&self.session, OUTSIDE);
        self.note_conflict(path, &reloaded);
        if self.session.unsaved().next().is_none() {
            self.journal.base(&self.session);
        } else if self.session.files().iter().any(|file| file.path() == path) {
            let text = String::from_utf8_lossy(bytes);
            self.journal.step(&json!({ "t": "outside", "path": path.to_string_lossy(), "text": text }));
        }
        true
    }

    /// Takes in all texts that other programs changed; whether there were any.
    fn take_in_all(&mut self) -> bool {
        let paths: Vec<PathBuf> = self.session.files().iter().map(|file| file.path().to_owned()).collect();
        let mut found = false;
        for path in paths {
            if let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, &path) {
                found |= self.take_in(&path, &bytes);
            }
        }
        found
    }

    /// Takes in what other programs wrote up to now, so that an edit is made on that. What looks half written
    /// is left for later.
    fn take_in_whole(&mut self) {
        let known = self.session.files().iter().map(|file| (file.path().to_owned(), file.saved().to_owned()));
        let mut found = Vec::new();
        for (path, saved) in known.collect::<Vec<_>>() {
            let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, &path) else { continue };
            if bytes != saved.as_bytes() && is_whole(&path, &bytes) && self.take_in(&path, &bytes) {
                found.push(shown(&path, self.session.path()));
            }
        }
        if !found.is_empty() {
            self.changed(OUTSIDE, "disk", format!("Changed outside: {}", found.join(", ")));
        }
    }

    /// Reports a conflict to pages.
    fn note_conflict(&mut self, path: &Path, reloaded: &Reloaded) {
        let Reloaded::Conflict { message, conflicts } = reloaded else {
            self.conflicts.remove(path);
            return;
        };
        let text = |value: &Option<DocValue>| value.as_ref().map(DocValue::to_string);
        let place = |conflict: &Conflict| {
            json!({
                "at": conflict.at.to_string(), "base": text(&conflict.base),
                "ours": text(&conflict.ours), "theirs": text(&conflict.theirs),
            })
        };
        let file = shown(path, self.session.path());
        let message = json!({
            "t": "conflict", "file": file, "why": format!("{file}: {message}"),
            "places": conflicts.iter().map(place).collect::<Vec<_>>(),
        });
        self.clients.values().for_each(|outbox| outbox.send(&message));
        self.conflicts.insert(path.to_owned(), message);
    }

    /// After a change: files are written, engines draw anew, pages get what changed.
    fn changed(&mut self, client: u64, by: &str, title: String) {
        self.revisions.note(&self.session, client);
        if !self.hold && self.open.is_none() {
            self.save_all();
        }
        self.sent(client, by, &title);
    }

    /// Publishes what there is now, and sends what of the state changed.
    fn sent(&mut self, client: u64, by: &str, title: &str) {
        // Without a good rig, what the last one had stays.
        let before = self.state.clone();
        self.refresh();
        let changed = changes(&before, &self.state);
        let rev = self.session.revision();
        let delta = |by: &str| {
            MessageText::of(
                &json!({ "t": "delta", "rev": rev, "by": by, "title": title, "changed": changed }),
            )
        };
        let others = LazyCell::new(|| delta(if by == "you" { "other" } else { by }));
        for (id, outbox) in &self.clients {
            if by == "you" && *id == client {
                outbox.send_text(&delta(by))
            } else {
                outbox.send_text(&others)
            }
        }
    }

    /// Finds the state anew.
    fn refresh(&mut self) {
        self.files.note(&self.session);
        self.identify();
        let session = &self.session;
        let good = session.is_current();
        let fits = self.published.rig.as_ref().zip(session.rig()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        let mut state = std::mem::take(&mut self.state);
        let is_new = !fits || self.published.rev != session.revision();
        if let (true, Some(rig), Some(doc)) = (good && is_new, session.rig(), session.doc()) {
            state.extend(state::rig(rig, doc, session));
            let doc: Arc<RigDoc> = Arc::new(doc.clone());
            self.published = Published {
                good_rev: session.revision(),
                rig: Some(Arc::clone(rig)),
                doc: Some(doc),
                ..Published::default()
            };
        }
        if !state.contains_key("bones") {
            state.extend(state::no_rig());
        }
        self.published.rev = session.revision();
        self.published.seen = Arc::new(session.seen());
        self.published.path = session.path().into();
        self.published.is_stale = self.missing_drawing().is_some();
        let rig = session.path();
        let undo: Vec<&str> = session.undo_titles().take(LISTED_STEPS).collect();
        let more = json!({
            "rig": shown(rig, rig),
            "hold": self.hold,
            "files": self.file_states(),
            "good": good,
            "good_rev": self.published.good_rev,
            "findings": describe::findings(session.diagnostics(), session.sources()),
            "undo": undo,
            "redo": session.redo_title(),
            "journal": self.journal.lost_json(),
            "journal_off": self.journal.failed(),
        });
        if let Value::Object(more) = more {
            state.extend(more);
        }
        self.state = state;
        self.engines.publish(&self.published);
    }

    fn file_states(&self) -> Vec<Value> {
        let rig = self.session.path();
        let texts = self.session.files().iter().enumerate().map(|(index, file)| {
            json!({
                "name": shown(file.path(), rig),
                "role": if index == 0 { "rig" } else { "part" },
                "changed": file.is_changed(),
                "writable": std::fs::metadata(file.path()).is_ok_and(|about| !about.permissions().readonly()),
                "conflict": self.conflicts.get(file.path()).and_then(|message| message.get("why")),
                "missing": self.missing.contains_key(file.path()),
            })
        });
        let known: Vec<&Path> = self.session.files().iter().map(|file| file.path()).collect();
        let others = self.files.paths().into_iter().filter(|path| !known.contains(&path.as_path()));
        let others = others.map(|path| {
            let is_svg = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
            json!({
                "name": shown(&path, rig), "role": if is_svg { "drawing" } else { "image" },
                "changed": false, "writable": false, "conflict": null,
                "missing": self.missing.contains_key(&path),
            })
        });
        texts.chain(others).collect()
    }

    /// The whole state as a message.
    fn whole(&self) -> Value {
        let mut message = Map::new();
        message.insert("t".to_owned(), json!("state"));
        message.insert("rev".to_owned(), json!(self.session.revision()));
        message.extend(self.state.clone());
        Value::Object(message)
    }

    /// Writes what is not saved; whether anything was written.
    fn save_all(&mut self) -> bool {
        let mut written = false;
        for _ in 0..TRIES {
            let waiting = self.session.unsaved().map(|file| file.path().to_owned());
            // What is missing is not made again unasked.
            let waiting: Vec<PathBuf> = waiting.filter(|path| !self.missing.contains_key(path)).collect();
            // A conflict is resolved before its file is written.
            if waiting.is_empty() || waiting.iter().any(|path| self.conflicts.contains_key(path)) {
                break;
            }
            let saved = waiting.iter().try_for_each(|path| {
                self.session.save_file(path).map_err(|error| (path.clone(), error))?;
                self.unsaved.remove(path);
                written = true;
                Ok(())
            });
            let Err((path, error)) = saved else { break };
            let is_gone = error.kind() == io::ErrorKind::NotFound;
            if (is_gone && self.follow(&path)) || self.take_in_all() {
                continue;
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if !is_gone || folder.is_some_and(|folder| !folder.exists()) {
                self.not_saved(path, &error);
            }
            // What is gone may be about to come back: the watcher reports either.
            break;
        }
        if written && self.session.unsaved().next().is_none() {
            self.journal.saved(&self.session);
        }
        written
    }

    /// Writes a file of the rig, as it is now, under a name that is free in its folder.
    fn save_copy(&mut self, file: Option<&str>, name: &str) -> Result<(), Refused> {
        let path = match file {
            Some(file) => self.file_called(file)?,
            None => self.session.path().to_owned(),
        };
        let known = self.session.files().iter().find(|known| known.path() == path);
        let text = known.ok_or_else(|| Refused::new("there is no such file"))?.text();
        let is_plain = Path::new(name).file_name().is_some_and(|plain| plain == name)
            && !name.starts_with('.')
            && !name.chars().any(|letter| letter.is_control() || r#"/\:*?"<>|"#.contains(letter));
        if !is_plain || Path::new(name).extension() != path.extension() {
            let ending = path.extension().and_then(|end| end.to_str()).unwrap_or("ron");
            return Err(Refused::with_help(
                format!("\"{name}\" is no name for a copy"),
                vec![format!("write a file name that ends with .{ending}, without a folder")],
            ));
        }
        let copy = path.with_file_name(name);
        bone_format::new_file(&copy, text.as_bytes(), false).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Refused::with_help(
                format!("{name} is there already"),
                vec!["choose another name: nothing is overwritten".to_owned()],
            ),
            _ => Refused::new(format!("{name} is not written: {error}")),
        })?;
        // The copy takes the place of a rig that is not there any more.
        if path == self.session.path() && self.missing.contains_key(&path) && self.follow_rig(&path, &copy) {
            self.missing.remove(&path);
            self.session.mark_saved(&copy);
            self.changed(OUTSIDE, "save", String::new());
        }
        Ok(())
    }

    /// Reports that a file could not be written, once for each reason.
    fn not_saved(&mut self, path: PathBuf, error: &io::Error) {
        let file = shown(&path, self.session.path());
        let (why, help) = match error.kind() {
            io::ErrorKind::NotFound => (
                "its folder is not there any more".to_owned(),
                "put the folder back, or copy the text from the page".to_owned(),
            ),
            io::ErrorKind::PermissionDenied => (
                "it is read-only".to_owned(),
                "make it writable: the next edit writes it, or save a copy under another name (Ctrl Shift S)"
                    .to_owned(),
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "the disk is full".to_owned(),
                "free some space: the next edit writes it; nothing is lost".to_owned(),
            ),
            _ => (error.to_string(), "nothing is lost: the next edit tries again".to_owned()),
        };
        if self.unsaved.insert(path, why.clone()).as_ref() != Some(&why) {
            let rev = self.session.revision();
            let message = json!({ "t": "unsaved", "rev": rev, "file": file, "why": why, "help": [help] });
            self.clients.values().for_each(|outbox| outbox.send(&message));
        }
    }
}

/// An edit that a page asks for.
struct Wanted<'m> {
    title: &'m str,
    ops: &'m [Value],
    /// The pixels of a canvas unit; none if the values are typed.
    scale: Option<f64>,
    /// The gesture of which it is a part.
    gesture: Option<&'m str>,
    since: Since,
}

/// The revision that the page of a message saw.
fn since(fields: Fields<'_>) -> Result<Since, Reason> {
    Ok(Since { base: fields.count("base")?.map(|base| base as u64), held: None })
}

fn open_session(
    path: &Path,
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

/// Changes weights as a message asks.
fn paint(session: &mut Session, fields: Fields<'_>) -> Result<(), Refused> {
    let arts = fields.texts("art")?;
    let (what, bone) = (fields.text("do")?, fields.maybe_text("bone")?);
    let painted = painted(fields)?;
    let (times, strength) = (fields.count("times")?, fields.maybe_number("strength")?);
    let from = fields.maybe_text("from")?.unwrap_or("left");
    let locked = fields.texts("lock")?;
    let missing = |what: &str| {
        EditError::Unwritable(Box::new(bone_format::Diagnostic::error(
            "edit-refused",
            format!("`{what}` is missing"),
        )))
    };
    let change = |editor: &mut WeightEditor<'_>| -> Result<(), EditError> {
        for bone in &locked {
            editor.lock(bone)?;
        }
        match what {
            "set" => {
                let bone = editor.bone(bone.ok_or_else(|| missing("bone"))?)?;
                let mut paths: Vec<_> = editor.paths_mut().map(|(_, rows)| rows).collect();
                for &(path, vertex, value) in &painted {
                    let rows = paths.get_mut(path).ok_or_else(|| missing("path"))?;
                    set_weight(rows.get_mut(vertex).ok_or_else(|| missing("vertex"))?, bone, value);
                }
                Ok(())
            }
            "smooth" => {
                let iterations = times.unwrap_or(1).clamp(1, 1000);
                editor.smooth(Smooth { iterations, strength: strength.unwrap_or(0.5).clamp(0.0, 1.0) });
                Ok(())
            }
            "mirror" => match from {
                "left" => editor.mirror(MirrorFrom::Left, None),
                "right" => editor.mirror(MirrorFrom::Right, None),
                _ => Err(missing("from")),
            },
            _ => Err(missing("do")),
        }
    };
    session.edit_weights(&arts, change)?;
    Ok(())
}

/// The vertices that get other weights: path, vertex and share.
fn painted(fields: Fields<'_>) -> Result<Vec<(usize, usize, f64)>, Reason> {
    let Some(values) = fields.get("values") else { return Ok(Vec::new()) };
    let one = |value: &Value| {
        let [path, vertex, share] = <[Value; 3]>::try_from(value.as_array()?.clone()).ok()?;
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let share = share.as_f64().filter(|share| share.is_finite())?;
        Some((count(&path)?, count(&vertex)?, share.clamp(0.0, 1.0)))
    };
    let all: Option<Vec<_>> = values.as_array().and_then(|list| list.iter().map(one).collect());
    all.ok_or_else(|| "`values` must be a list of [path, vertex, share]".to_owned())
}

/// Gives a bone a share of a vertex.
fn set_weight(row: &mut VertexWeights, bone: BoneId, value: f64) {
    row.anchor = with_share(&row.anchor, bone, value);
    for tangent in [&mut row.tangent_in, &mut row.tangent_out].into_iter().flatten() {
        *tangent = with_share(tangent, bone, value);
    }
}

/// These weights with another share of one bone; the others share the rest as they did.
fn with_share(weights: &BoneWeights, bone: BoneId, value: f64) -> BoneWeights {
    let others = || weights.influences().iter().filter(|(id, _)| *id != bone);
    let sum: f64 = others().map(|(_, share)| share).sum();
    if sum <= 0.0 {
        return BoneWeights::one(bone);
    }
    let rest = others().map(|(id, share)| (*id, share / sum * (1.0 - value)));
    let list = rest.chain([(bone, value)]).filter(|(_, share)| *share > 0.0);
    BoneWeights::new(list).unwrap_or_else(|_| weights.clone())
}

/// Makes a step of a journal again.
fn replay(session: &mut Session, step: &Value, open: &mut bool) -> Result<(), Refused> {
    let fields = Fields::of(step)?;
    match fields.text("t")? {
        "edit" => {
            let grouped = fields.get("gesture").is_some();
            let title = fields.text("title")?;
            match (grouped, *open) {
                (true, false) => session.begin(title),
                (false, true) => drop(session.commit()),
                _ => {}
            }
            *open = grouped;
            let digits = fields.list("digits")?;
            let digit = |at: usize| digits.get(at).and_then(Value::as_u64).map_or(4, |n| n.min(17) as usize);
            session.set_digits(Digits { places: digit(0), times: digit(1), shares: digit(2) });
            let list = edits(fields.list("ops")?, session)?;
            session.apply_all(title, &list)?;
        }
        "paint" => paint(session, fields)?,
        "commit" => {
            session.commit();
            *open = false;
        }
        "cancel" => {
            session.cancel()?;
            *open = false;
        }
        "saved" => {
            let paths: Vec<PathBuf> = session.files().iter().map(|file| file.path().to_owned()).collect();
            paths.iter().for_each(|path| session.mark_saved(path));
        }
        "outside" => {
            session.reload(Path::new(fields.text("path")?), fields.text("text")?.as_bytes())?;
        }
        "resolve" => {
            let ours = fields.text("keep")? == "ours";
            let keep = if ours { ConflictSide::Ours } else { ConflictSide::Theirs };
            session.resolve(Path::new(fields.text("path")?), keep)?;
        }
        "undo" => drop(session.undo()?),
        "redo" => drop(session.redo()?),
        _ => {}
    }
    Ok(())
}
