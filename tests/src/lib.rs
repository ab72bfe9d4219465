//! The harness of tests that need more than one crate: loaded rigs, pictures, printed points and expected
//! findings.
//!
//! | module | job |
//! |---|---|
//! | [`files`] | the rigs and drawings of the repository |
//! | [`player`] | a loaded rig that poses and draws frames |
//! | [`poses`] | poses of drawings without a rig |
//! | [`picture`] | differences of pictures, and golden pictures |
//! | [`snapshot`] | golden texts |
//! | [`svg_sink`] | calls of a drawing, painted by resvg |
//! | [`findings`] | expected findings, as comments in broken rigs |
//!
//! `RENEW=1` rewrites all expectations. Read the difference before you keep it.

pub mod files;
pub mod findings;
pub mod picture;
pub mod player;
pub mod poses;
pub mod snapshot;
pub mod svg_sink;

/// Whether expectations are to be rewritten.
pub fn renew() -> bool {
    std::env::var_os("RENEW").is_some_and(|value| !value.is_empty() && value != "0")
}
