//! The harness of the tests that need more than one crate: players, pictures, printed points and expected findings.
//!
//! | module | job |
//! |---|---|
//! | [`files`] | the rigs and drawings of the repository |
//! | [`player`] | a loaded rig, asked for frames |
//! | [`poses`] | drawings without a rig, posed |
//! | [`picture`] | comparing pictures, and golden pictures |
//! | [`snapshot`] | golden texts |
//! | [`findings`] | expected mistakes, as comments in broken rigs |
//!
//! `RENEW=1` rewrites what is expected, everywhere. Look at the difference before it is kept.

pub mod files;
pub mod findings;
pub mod picture;
pub mod player;
pub mod poses;
pub mod snapshot;

/// Whether expectations are to be rewritten.
pub fn renew() -> bool {
    std::env::var_os("RENEW").is_some_and(|value| !value.is_empty() && value != "0")
}
