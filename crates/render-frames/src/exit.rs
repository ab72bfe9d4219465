//! Exit codes: the same few meanings for every command.

use std::process::ExitCode;

/// How a command ended. What went wrong was told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Fine,
    /// The frames could not be drawn or written.
    Failed,
    /// The words on the command line do not fit the rig or each other.
    Usage,
    /// The rig or the drawing is wrong.
    Mistakes,
    /// Ctrl-C.
    Interrupted,
    /// Whoever read standard output went away.
    Closed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Mistakes => 3,
            Exit::Interrupted => 130,
            // As the shell says of programs that end by the signal for it.
            Exit::Closed => 141,
        })
    }
}
