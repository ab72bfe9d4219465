//! What an earlier run did not save is made again.

use std::path::{Path, PathBuf};

use bone_format::session::Session;
use bone_format::write::Digits;

use super::operations::edits;
use super::refused::Refused;
use super::weights::paint;
use super::{Document, open_session};
use crate::server::proto::Step;

impl Document {
    /// Makes the steps of an earlier run that were not saved, or drops them.
    pub(super) fn recover(&mut self, client: u64, take: bool) -> Result<(), Refused> {
        let Some(lost) = self.journal.take_lost() else {
            return Err(Refused::new("an earlier run left nothing"));
        };
        if !take {
            lost.forget();
            self.sent(client, "you", "");
            return Ok(());
        }
        let cannot = |why: String| Refused::new(format!("what was not saved cannot be made again: {why}"));
        if let Some(why) = lost.unread() {
            self.journal.keep_lost(lost);
            return Err(cannot(why));
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
                return Err(cannot(refused.why));
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
}

/// Makes a step of a journal again.
fn replay(session: &mut Session, step: &Step, open: &mut bool) -> Result<(), Refused> {
    match step {
        Step::Edit { title, ops, gesture, digits } => {
            match (gesture.is_some(), *open) {
                (true, false) => session.begin(title),
                (false, true) => drop(session.commit()),
                _ => {}
            }
            *open = gesture.is_some();
            let digit = |at: usize| digits.get(at).map_or(4, |digits| (*digits).min(17));
            session.set_digits(Digits { places: digit(0), times: digit(1), shares: digit(2) });
            let list = edits(ops, session)?;
            session.apply_all(title, &list)?;
        }
        Step::Paint { brush } => paint(session, brush)?,
        Step::Commit {} => {
            session.commit();
            *open = false;
        }
        Step::Cancel {} => {
            session.cancel()?;
            *open = false;
        }
        Step::Saved {} => {
            let paths: Vec<PathBuf> = session.files().iter().map(|file| file.path().to_owned()).collect();
            paths.iter().for_each(|path| session.mark_saved(path));
        }
        Step::Outside { path, text } => drop(session.reload(Path::new(path), text.as_bytes())?),
        Step::Resolve { path, keep } => drop(session.resolve(Path::new(path), *keep)?),
        Step::Undo {} => drop(session.undo()?),
        Step::Redo {} => drop(session.redo()?),
        Step::Base { .. } => {}
    }
    Ok(())
}
