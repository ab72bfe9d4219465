//! Ctrl-C: every command ends with the exit code 130.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Set by the first Ctrl-C, where a command looks at it.
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on Ctrl-C ends the program, or sets the flag of a command that has one. Of files that are being
/// written, none has its name yet.
pub(crate) fn handle() {
    // Without a handler Ctrl-C ends the program all the same, as a signal does.
    let _ = ctrlc::set_handler(|| match FLAG.get() {
        Some(flag) if !flag.swap(true, Ordering::Relaxed) => {}
        _ => end_now(),
    });
}

/// A flag that Ctrl-C sets: what is in progress is finished, then the command ends. A second Ctrl-C ends the
/// program at once.
pub(crate) fn flag() -> Arc<AtomicBool> {
    Arc::clone(FLAG.get_or_init(Arc::default))
}

#[allow(clippy::exit, reason = "the person asked for it")]
pub(crate) fn end_now() -> ! {
    std::process::exit(130)
}
