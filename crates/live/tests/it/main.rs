//! The server of the live page, driven by a client with its protocol, and the page in a browser.
#![allow(clippy::print_stdout, reason = "tests print what they measure and skip")]

mod any_input;
#[cfg(unix)]
mod browser;
mod client;
mod conversation;
mod edits;
mod frames;
mod gestures;
mod missing;
mod outside;
mod overtaken;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod page_curves;
mod page_draw;
mod page_intent;
mod page_machines;
mod page_masks;
mod page_outfits;
#[cfg(unix)]
mod page_pose;
#[cfg(unix)]
mod page_races;
mod page_rig;
mod page_scenes;
#[cfg(unix)]
mod page_setup;
#[cfg(unix)]
mod page_sound;
mod page_stage;
#[cfg(unix)]
mod page_tasks;
mod page_text;
mod rigs;
mod security;

/// How far two points are apart.
pub(crate) fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    kurbo::Point::new(a[0], a[1]).distance(kurbo::Point::new(b[0], b[1]))
}
