//! A rig as data for pages and editors, and the server of a page that shows and edits it.
//!
//! [`describe`] is what `inspect --json` and `check --json` print. With the feature `server` there is
//! [`LiveServer`]: it opens a rig as a [`Session`](bone_format::session::Session), serves a page on the
//! loopback, and keeps page, text and files in step. `PROTOCOL.md` has the messages.
//!
//! ```text
//! page ──WebSocket──> reader ──┬──> engine of the connection: poses, drags, draws ──┐
//!   ↑                          └──> document: edits, undo, files, journal ──────────┤
//!   └───────────────────────── writer <── outbox <──────────────────────────────────┘
//! editors ──files──> watcher ──> document ──Arc<Rig>──> engines
//! ```
//!
//! The server uses the disk, the clock and threads, and prints nothing.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[macro_use]
#[cfg_attr(not(feature = "page"), allow(dead_code, unused_macros, reason = "reports need the records alone"))]
mod message;

pub mod describe;

#[cfg(feature = "page")]
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "without a server nothing is watched, joined by others or ended")
)]
mod server;

#[cfg(feature = "server")]
pub use server::{FontSource, LiveOptions, LiveServer, RigWatch, StartError, page_size};
#[cfg(all(feature = "page", not(feature = "server")))]
pub use server::{LocalPage, PageOutput};
