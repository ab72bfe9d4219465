//! A language server for rigs: the Language Server Protocol 3.17 over standard input and output.
//!
//! There are two ways to an answer. What follows from the text alone (completion, hover, symbols, names) is answered
//! at once by the thread that owns the texts, also while a text is broken. What needs the rig (findings, renaming) is
//! made by a worker that keeps a [`Session`](bone_format::session::Session) of each rig; a newer text cancels its work
//! on an older one. Only rigs are claimed: texts that begin with `Rig(`, `Part(` or `Scene(`, or JSON of ours.

// A test of the manifests checks the dependencies of tests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod action;
mod beside;
mod buffer;
mod claim;
mod completion;
mod finding;
mod hover;
mod names;
mod outline;
mod pages;
mod picture;
mod protocol;
mod server;
mod uri;
mod view;
mod worker;

pub use pages::{Pages, SelectedOn};
pub use server::{ServerEnd, serve};
