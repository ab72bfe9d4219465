//! The folders of this user for what outlives a run.

use std::path::PathBuf;

/// What a program notes for its next run.
#[cfg(feature = "live")]
pub(crate) fn state() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return folder("HOME", "Library/Application Support");
    }
    of_system("XDG_STATE_HOME", ".local/state")
}

/// What can be made again, and may be deleted at any time.
pub(crate) fn cache() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return folder("HOME", "Library/Caches");
    }
    of_system("XDG_CACHE_HOME", ".cache")
}

/// XDG Base Directory Specification 0.8.
fn of_system(variable: &str, in_home: &str) -> Option<PathBuf> {
    match cfg!(windows) {
        true => folder("LOCALAPPDATA", ""),
        false => folder(variable, "").or_else(|| folder("HOME", in_home)),
    }
}

fn folder(variable: &str, within: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())?;
    Some(folder.join(within).join("bone-layer"))
}
