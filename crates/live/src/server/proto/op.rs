//! Operations of a page: the edits of a session by their names, and intents, which stand for several of them.

use bone_authoring::{Intent, PoseChange};
use bone_format::doc::{Ease, Extend};
use bone_format::session::{DocPath, DocValue, Edit, Named};
use kurbo::Point;
use serde_json::Value;

use crate::message::{Reason, Wire, WireEnum};

macro_rules! edit_messages {
    ($($edits:tt)*) => { union_of! { Edit by "op" { $($edits)* } } };
}

bone_format::for_edits!(edit_messages!);

macro_rules! intent_messages {
    ($($intents:tt)*) => { union_of! { Intent by "op" { $($intents)* } } };
}

bone_authoring::for_intents!(intent_messages!);

/// An operation of a page.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Edit(Edit),
    Intent(Intent),
}

impl Wire for Op {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        "Op".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let op = value.as_object().ok_or("an operation is an object with the field `op`")?;
        let name = String::field(op, Intent::TAG)?;
        let read = || match Intent::read_variant(&name, op)? {
            Some(intent) => Ok(Self::Intent(intent)),
            None => Edit::read_message(op, "operation").map(Self::Edit),
        };
        read().map_err(|why: Reason| format!("{name}: {why}"))
    }

    fn json(&self) -> Value {
        match self {
            Self::Edit(edit) => edit.message(),
            Self::Intent(intent) => intent.message(),
        }
    }
}

impl Op {
    /// Whether it needs the drawing of the rig.
    pub(crate) fn binds(&self) -> bool {
        matches!(self, Self::Intent(intent) if intent.binds())
    }
}

/// What documents say of the operations: an edit that a page writes in another form is left out.
#[cfg(test)]
pub(super) fn texts() -> Vec<crate::message::RecordText> {
    let own = Intent::texts();
    let is_own = |name: &str| own.iter().any(|text| text.name == name);
    let edits: Vec<_> = Edit::texts().into_iter().filter(|text| !is_own(text.name)).collect();
    edits.into_iter().chain(own).collect()
}
