//! The command line as a person runs it.
#![allow(clippy::print_stdout, reason = "tests print what judges found")]

#[cfg(unix)]
mod animations;
mod artist;
#[cfg(unix)]
mod assemble;
mod cli;
mod command;
mod convert;
mod determinism;
#[cfg(unix)]
mod farm;
mod import;
#[cfg(unix)]
mod interrupted;
mod judges;
mod keypoints;
mod looks;
mod meet;
mod mocap;
mod pack;
#[cfg(unix)]
mod records;
#[cfg(unix)]
mod resume;
mod shots;
mod streams;
mod tutorial;
mod vector;
#[cfg(unix)]
mod videos;
mod weights;
