//! Faults of the program and of its libraries. Libraries catch panics of what they draw with, and such a panic
//! prints nothing. Any other one ends the command with a message.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::exit::Exit;
use crate::report::print_line;

/// The message of the last panic, and its place in the source.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs the program.
pub(crate) fn run(program: impl FnOnce() -> Exit) -> Exit {
    // A file that reaches the limit of its size is an error of the write. Threads inherit this.
    #[cfg(unix)]
    let _ = nix::sys::signal::SigSet::from(nix::sys::signal::Signal::SIGXFSZ).thread_block();
    std::panic::set_hook(Box::new(remember));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let fault = LAST.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        print_line(&format!(
            "internal error: {fault}\n  help: this is a fault of the program: please report it with the files and this line"
        ));
        Exit::Failed
    })
}

fn remember(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("a panic without a message");
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // The first one is the cause; a thread that waits for another panics, too.
    let is_cause = !message.starts_with("a scoped thread panicked");
    if is_cause {
        *last = Some(format!("{message}{}", place.unwrap_or_default()));
    }
}
