//! Parents that change during a clip: they exist, and never form a cycle.
//! Whether the setup pose has such loops is for `bones`.

use crate::check::Checker;
use crate::check::clips::seconds;
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, ParentKey};
use crate::span::Spanned;
use crate::text::shortened;

/// How many steps from child to parent are taken to search one clip for loops. A hundred bones that change
/// parents a thousand times take less; only a file made to be slow takes more; then a warning reports that
/// the search was stopped.
const MOST_STEPS: usize = 20_000_000;

/// A bone has another parent from this time on.
#[derive(Clone, Copy)]
struct Change<'a> {
    bone: usize,
    parent: Option<usize>,
    key: &'a ParentKey,
}

impl<'a> Checker<'a, '_> {
    /// Walks through the changes of parents in order of time; each one may close a loop, which holds from
    /// then on.
    pub(super) fn parents(&mut self, clip: &'a ClipDoc) {
        let mut before_first: Vec<Change<'a>> = Vec::new();
        let mut changes: Vec<Change<'a>> = Vec::new();
        for channels in &clip.bones {
            let Some(channel) = &channels.parent else { continue };
            let bone = self.index(&channels.bone.value);
            for (index, key) in channel.keys.iter().enumerate() {
                let parent = match &key.parent.value {
                    None => None,
                    Some(name) if *name == channels.bone.value => {
                        let message =
                            format!("the new parent of bone \"{}\" is the bone itself", shortened(name));
                        self.error(key.parent.span, Diagnostic::error("cycle", message));
                        None
                    }
                    Some(name) => {
                        let name = Spanned::new(name.clone(), key.parent.span);
                        self.refer(
                            &name,
                            &format!("the new parent of bone \"{}\" is", shortened(&channels.bone.value)),
                        )
                    }
                };
                let Some(bone) = bone else { continue };
                let change = Change { bone, parent, key };
                // Before its first key a channel has the value of that key.
                if index == 0 {
                    before_first.push(change);
                } else {
                    changes.push(change);
                }
            }
        }
        if before_first.is_empty() {
            return;
        }
        changes.sort_by(|a, b| a.key.time.value.total_cmp(&b.key.time.value));
        let mut parents = self.setup_parents();
        let mut steps = 0;
        self.apply(&before_first, &mut parents, &mut steps, clip);
        let same_time = |a: &Change<'_>, b: &Change<'_>| a.key.time.value == b.key.time.value;
        for together in changes.chunk_by(same_time) {
            self.apply(together, &mut parents, &mut steps, clip);
        }
        if steps >= MOST_STEPS {
            let message =
                "this clip has too many parent keys: not all of it was searched for cycles of parents";
            self.error(clip.name.span, Diagnostic::warning("too-many", message));
        }
    }

    /// Makes changes that happen at one time, then looks for the loops that they close.
    fn apply(
        &mut self,
        changes: &[Change<'a>],
        parents: &mut [Option<usize>],
        steps: &mut usize,
        clip: &ClipDoc,
    ) {
        for change in changes {
            if let Some(parent) = parents.get_mut(change.bone) {
                *parent = change.parent;
            }
        }
        let mut reported: Vec<usize> = Vec::new();
        for change in changes {
            let Some(ring) = ring_through(change.bone, parents, steps) else { continue };
            let Some(&least) = ring.iter().min() else { continue };
            // A ring that several changes close at once is one mistake. A bone's own name was reported
            // already.
            if ring.len() == 1 || reported.contains(&least) {
                continue;
            }
            reported.push(least);
            let message = format!(
                "at {} of clip \"{}\", the parents form a cycle: {}",
                seconds(change.key.time.value),
                shortened(&clip.name.value),
                self.cycle_text(&ring)
            );
            let help = "key another parent, or None, for one of these bones first";
            self.error(change.key.parent.span, Diagnostic::error("cycle", message).help(help));
        }
    }
}

/// The bones from `bone` up to itself, if the way up leads there.
fn ring_through(bone: usize, parents: &[Option<usize>], steps: &mut usize) -> Option<Vec<usize>> {
    let up = |at: usize| parents.get(at).copied().flatten();
    let mut at = up(bone);
    let mut length = 1;
    while let Some(above) = at.filter(|&above| above != bone) {
        *steps += 1;
        length += 1;
        // Longer than there are bones: it goes round in a ring further up.
        if length > parents.len() || *steps >= MOST_STEPS {
            return None;
        }
        at = up(above);
    }
    at?;
    Some(std::iter::successors(Some(bone), |&at| up(at)).take(length).collect())
}
