//! Which file it is, whatever its name.

use std::fs::Metadata;

/// What stays when a file is renamed: its device and number there. None where the system has no such thing.
pub(crate) type Identity = Option<(u64, u64)>;

#[cfg(unix)]
pub(super) fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_: &Metadata) -> Identity {
    None
}
