//! Exit codes, the same for every command.

use std::process::ExitCode;

/// The result of a command. Errors were printed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Fine,
    /// The frames could not be drawn or written.
    Failed,
    /// The arguments do not fit the rig or each other.
    Usage,
    /// The rig or the drawing has errors.
    Mistakes,
    /// Ctrl-C.
    Interrupted,
    /// The reader of standard output closed it.
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
            // The exit code that shells use for a program ended by SIGPIPE.
            Exit::Closed => 141,
        })
    }
}
