//! Statuses, and what makes them of errors.

use bone_player::{NameError, PlayerError};

/// What a call came to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the header describes them")]
pub enum Status {
    Ok,
    Null,
    Closed,
    Pack,
    Newer,
    Name,
    Number,
    Input,
    Text,
    Space,
    Panic,
    NotPlaying,
    NotKept,
    Other,
}

/// Why a call failed: its status and its message.
pub(crate) struct Fault(pub(crate) Status, pub(crate) String);

pub(crate) type Done<T = ()> = Result<T, Fault>;

impl From<PlayerError> for Fault {
    fn from(error: PlayerError) -> Self {
        let status = match &error {
            PlayerError::OtherCharacter => Status::Name,
            PlayerError::NotPlaying | PlayerError::NoLayer => Status::NotPlaying,
            PlayerError::Number { .. } => Status::Number,
            PlayerError::Input { .. } => Status::Input,
            PlayerError::NotText => Status::Text,
            PlayerError::NotKept { .. } => Status::NotKept,
            _ => Status::Other,
        };
        Self(status, error.to_string())
    }
}

impl From<NameError> for Fault {
    fn from(error: NameError) -> Self {
        Self(Status::Name, error.to_string())
    }
}

pub(crate) fn fault<T>(status: Status, what: &str) -> Done<T> {
    Err(Fault(status, what.to_owned()))
}
