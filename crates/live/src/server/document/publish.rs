//! What pages and engines get after a change.

use std::cell::LazyCell;
use std::path::Path;
use std::sync::Arc;

use bone_core::clip::Ease;
use bone_format::doc::RigDoc;
use serde_json::{Value, json};

use super::Document;
use crate::describe::Findings;
use crate::message::{JsonObject, WireRecord as _};
use crate::server::outbox::MessageText;
use crate::server::proto::{Facts, Reply, RigFile, Scene, WholeState};
use crate::server::rows::properties;
use crate::server::state::{Published, changes, shown};

/// How many steps pages list.
const LISTED_STEPS: usize = 50;
/// A message has at most so many pieces of art.
const MOST_ART: usize = 160;

impl Document {
    /// After a change: files are written, engines draw anew, pages get what changed.
    pub(super) fn changed(&mut self, client: u64, by: &str, title: String) {
        self.revisions.note(&self.session, client);
        if !self.hold && self.open.is_none() {
            self.save_all();
        }
        self.sent(client, by, &title);
    }

    /// Publishes what there is now, and sends what of the state changed.
    pub(super) fn sent(&mut self, client: u64, by: &str, title: &str) {
        // Without a good rig, what the last one had stays.
        let before = self.state.clone();
        self.refresh();
        let changed = changes(&before, &self.state);
        let rev = self.session.revision();
        let delta = |by: &str| {
            let (by, title) = (by.to_owned(), title.to_owned());
            MessageText::of(&Reply::Delta { rev, by, title, changed: changed.clone().into() })
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
    pub(super) fn refresh(&mut self) {
        self.files.note(&self.session);
        self.identify();
        let session = &self.session;
        let good = session.is_current();
        let fits = self.published.rig.as_ref().zip(session.rig()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        let mut state = std::mem::take(&mut self.state);
        let is_new = !fits || self.published.rev != session.revision();
        if let (true, Some(rig), Some(doc)) = (good && is_new, session.rig(), session.doc()) {
            state.extend(Scene::of(rig, doc, session).object());
            let doc: Arc<RigDoc> = Arc::new(doc.clone());
            self.published = Published {
                good_rev: session.revision(),
                rig: Some(Arc::clone(rig)),
                doc: Some(doc),
                ..Published::default()
            };
        }
        if !state.contains_key("bones") {
            state.extend(Scene::none().object());
        }
        self.published.rev = session.revision();
        self.published.seen = Arc::new(session.seen());
        self.published.path = session.path().into();
        self.published.is_stale = self.missing_drawing().is_some();
        let rig = session.path();
        let facts = Facts {
            rig: shown(rig, rig),
            hold: self.hold,
            files: self.file_states(),
            good,
            good_rev: self.published.good_rev,
            findings: Findings::of(session.diagnostics(), session.sources()),
            undo: session.undo_titles().take(LISTED_STEPS).map(str::to_owned).collect(),
            redo: session.redo_title().map(str::to_owned),
            journal: self.journal.lost(),
            journal_off: self.journal.failed().map(str::to_owned),
            eases: Ease::examples().collect(),
            properties: properties(),
        };
        state.extend(facts.object());
        self.state = state;
        self.engines.publish(&self.published);
    }

    pub(super) fn file_states(&self) -> Vec<RigFile> {
        let rig = self.session.path();
        let state = |path: &Path, role: &str, changed: bool, writable: bool| RigFile {
            name: shown(path, rig),
            role: role.to_owned(),
            changed,
            writable,
            conflict: self.conflicts.get(path).map(|note| note.why.clone()),
            missing: self.missing.contains_key(path),
        };
        let texts = self.session.files().iter().enumerate().map(|(index, file)| {
            let writable = self.files.is_writable(file.path());
            state(file.path(), if index == 0 { "rig" } else { "part" }, file.is_changed(), writable)
        });
        let known: Vec<&Path> = self.session.files().iter().map(|file| file.path()).collect();
        let others = self.files.paths().into_iter().filter(|path| !known.contains(&path.as_path()));
        let others = others.map(|path| {
            let is_svg = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
            state(&path, if is_svg { "drawing" } else { "image" }, false, false)
        });
        texts.chain(others).collect()
    }

    /// The whole state as messages: of much art the first pieces, then more of them.
    pub(super) fn whole(&self) -> Vec<Reply> {
        let rev = self.session.revision();
        let mut state = self.state.clone();
        let rest = match state.get_mut("art") {
            Some(Value::Array(art)) if art.len() > MOST_ART => art.split_off(MOST_ART),
            _ => Vec::new(),
        };
        let more = rest.chunks(MOST_ART).zip((MOST_ART..).step_by(MOST_ART)).map(|(art, from)| {
            let art = (from..).zip(art).map(|(at, art)| (at.to_string(), art.clone()));
            let changed = json!({ "art": art.collect::<JsonObject>() });
            Reply::Delta { rev, by: "engine".to_owned(), title: String::new(), changed }
        });
        [Reply::State { rev, state: WholeState(state) }].into_iter().chain(more).collect()
    }
}
