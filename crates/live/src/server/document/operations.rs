//! The edits of the operations that a page asks for.

use bone_format::session::{Edit, Session};

use super::refused::Refused;
use crate::server::proto::Op;

/// At most this many intents are in one edit: each looks at the whole rig.
const MOST_INTENTS: usize = 100;

/// The edits of the operations of a message. An intent is made on what there is before all of them.
pub(super) fn edits(ops: &[Op], session: &Session) -> Result<Vec<Edit>, Refused> {
    if ops.iter().filter(|op| matches!(op, Op::Intent(_))).count() > MOST_INTENTS {
        return Err(Refused::new(format!("an edit has at most {MOST_INTENTS} intents")));
    }
    let mut all = Vec::new();
    for op in ops {
        match op {
            Op::Edit(edit) => all.push(edit.clone()),
            Op::Intent(intent) => all.extend(intent.edits(session)?),
        }
    }
    Ok(all)
}
