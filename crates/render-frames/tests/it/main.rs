//! The command line as a person runs it.
#![allow(clippy::print_stdout, reason = "tests print what judges found")]

#[cfg(target_os = "linux")]
mod absurd;
#[cfg(unix)]
mod accuracy;
mod along;
mod animations;
mod artist;
#[cfg(unix)]
mod assemble;
#[cfg(unix)]
#[path = "../../../live/tests/it/browser.rs"]
mod browser;
mod captures;
mod cli;
#[cfg(unix)]
#[path = "../../../live/tests/it/client.rs"]
mod client;
mod command;
mod convert;
mod deliveries;
mod determinism;
#[cfg(unix)]
mod editor_page;
mod events;
#[cfg(unix)]
mod farm;
mod import;
#[cfg(unix)]
mod interrupted;
mod judges;
#[cfg(target_os = "linux")]
mod kept;
mod keypoints;
mod layers;
mod lips;
#[cfg(unix)]
mod live;
#[cfg(unix)]
mod live_page;
mod looks;
mod machines;
mod mocap;
mod outputs;
mod pack;
mod planting;
mod recorded;
#[cfg(unix)]
mod records;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
#[path = "../../../live/tests/it/rigs.rs"]
mod rigs;
mod safety;
mod shots;
mod sounds;
mod streams;
mod tutorial;
#[cfg(target_os = "linux")]
mod users;
mod vector;
#[cfg(unix)]
mod videos;
mod weights;
