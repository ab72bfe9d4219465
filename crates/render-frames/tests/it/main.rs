//! The command line as a person runs it.

mod artist;
mod cli;
mod command;
mod determinism;
mod import;
#[cfg(unix)]
mod interrupted;
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
mod weights;
