//! The server of the live page, driven by a client with its protocol, and the page in a browser.
#![allow(clippy::print_stdout, reason = "tests print what they measure and skip")]

#[cfg(unix)]
mod browser;
mod client;
mod edits;
mod frames;
mod gestures;
mod outside;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod page_pose;
#[cfg(unix)]
mod page_setup;
#[cfg(unix)]
mod page_stage;
#[cfg(unix)]
mod page_text;
mod rigs;
mod security;
