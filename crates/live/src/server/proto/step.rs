//! The steps of a journal.

use bone_format::session::ConflictSide;

use super::{Brush, Op};
use crate::message::{Reason, WireEnum};

messages! {
    /// What a file had.
    record SavedText { path: String, text: String }

    /// A record of a journal.
    union Step by "t" {
        /// The texts before the steps that follow.
        Base as "base" { files: Vec<SavedText> },
        /// All texts are in their files.
        Saved as "saved" {},
        /// An edit, as a part of a gesture or by itself; its decimals of places, times and shares.
        Edit as "edit" { title: String, ops: Vec<Op>, gesture: Option<String>, digits: Vec<usize> },
        /// A change of weights.
        Paint as "paint" { brush: Brush },
        /// The end of a gesture.
        Commit as "commit" {},
        /// The same, without an effect.
        Cancel as "cancel" {},
        /// A step back.
        Undo as "undo" {},
        /// The same step again.
        Redo as "redo" {},
        /// What another program wrote.
        Outside as "outside" { path: String, text: String },
        /// The end of a conflict.
        Resolve as "resolve" { path: String, keep: ConflictSide },
    }
}

impl Step {
    /// Reads a line of a journal; none if it is cut off.
    ///
    /// # Errors
    /// If another version has written it.
    pub(crate) fn read(line: &str) -> Option<Result<Self, Reason>> {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(Self::read_message(value.as_object()?, "step"))
    }
}
