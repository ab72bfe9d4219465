//! What pages saw of the document, so that no value of another program or of another page is overwritten
//! unseen. An edit that would do so is not made: its page gets both values, and the message that makes it all
//! the same.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::session::{Conflict, DocValue, PathStep, Seen, Session};

use crate::server::proto::OvertakenPlace;
use crate::server::state::shown;

/// So many revisions are known. A page is behind by as many as are on their way to it; a gesture, which may
/// last longer, keeps what it saw.
const MOST_REVISIONS: usize = 16;
/// More places of one edit are not shown.
const MOST_PLACES: usize = 5;

/// The client that stands for other programs.
pub(crate) const OUTSIDE: u64 = 0;

/// What the maker of an edit saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Since {
    /// The revision; none: the one that there is.
    pub(crate) base: Option<u64>,
    /// What a gesture saw when it began.
    pub(crate) held: Option<Arc<Seen>>,
}

/// A revision, and whose change led to it.
struct Revision {
    number: u64,
    client: u64,
    seen: Seen,
}

/// The last revisions of the document.
#[derive(Default)]
pub(crate) struct Revisions(VecDeque<Revision>);

impl Revisions {
    /// Notes the revision that a client, or another program, made.
    pub(crate) fn note(&mut self, session: &Session, client: u64) {
        let number = session.revision();
        if self.0.back().is_some_and(|last| last.number == number) {
            return;
        }
        if self.0.len() >= MOST_REVISIONS {
            self.0.pop_front();
        }
        self.0.push_back(Revision { number, client, seen: session.seen() });
    }

    /// What a client saw, with its own changes since; none if there are no other changes since.
    pub(crate) fn seen(&self, client: u64, since: &Since) -> Option<Seen> {
        let base = since.base?;
        let known = self.0.iter().rposition(|revision| revision.number <= base);
        let first = known.map_or(0, |known| known + 1);
        let later = || self.0.iter().skip(first);
        if known.is_some() && later().all(|revision| revision.client == client) {
            return None;
        }
        let before = known.and_then(|known| self.0.get(known)).map(|revision| &revision.seen);
        let before = before.or(since.held.as_deref()).or(self.0.front().map(|first| &first.seen))?;
        let mut seen = before.clone();
        let mut last = before;
        for revision in later() {
            if revision.client == client {
                seen.with_own(last, &revision.seen);
            }
            last = &revision.seen;
        }
        Some(seen)
    }
}

/// Both values of what an edit would overwrite, as messages have them, and a sentence about each.
pub(crate) fn describe(places: &[(PathBuf, Conflict)], rig: &Path) -> (Vec<OvertakenPlace>, Vec<String>) {
    let text = |value: &Option<DocValue>| value.as_ref().map(DocValue::to_string);
    let place = |(file, place): &(PathBuf, Conflict)| {
        let (at, file) = (name(place), shown(file, rig));
        let (mine, theirs) = (text(&place.ours), text(&place.theirs));
        let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "removed".to_owned());
        let sentence = format!("{at} is {} in {file}, yours {}", word(&theirs), word(&mine));
        let was = text(&place.base);
        (OvertakenPlace { at, file, was, mine, theirs }, sentence)
    };
    places.iter().take(MOST_PLACES).map(place).unzip()
}

/// A place as the page calls it: `fore.rotate at 1 s`, `fore.length`, `hero.move at 2 s` of a shot.
fn name(place: &Conflict) -> String {
    let steps = place.at.steps.as_slice();
    let rest = match steps {
        [PathStep::Name(of), _, PathStep::Name(_), rest @ ..]
            if ["clips", "shots"].contains(&of.as_str()) && !rest.is_empty() =>
        {
            rest
        }
        [PathStep::Name(bones), rest @ ..] if bones == "bones" && !rest.is_empty() => rest,
        _ => return place.at.to_string(),
    };
    let mut name = String::new();
    for step in rest {
        match step {
            PathStep::Time(time) => name.push_str(&format!(" at {time} s")),
            PathStep::Name(part) if name.is_empty() => name.push_str(part),
            PathStep::Name(part) => name.push_str(&format!(".{part}")),
            _ => return place.at.to_string(),
        }
    }
    name
}
