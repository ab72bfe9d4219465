//! The server and the page.
#![allow(clippy::print_stdout, reason = "tests print what they measure and skip")]

#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod page_pose;
#[cfg(unix)]
mod page_stage;
#[cfg(unix)]
mod page_text;
