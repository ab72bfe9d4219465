//! The command line as a person runs it.

mod artist;
mod cli;
mod command;
mod convert;
mod determinism;
mod import;
#[cfg(unix)]
mod interrupted;
mod keypoints;
mod looks;
mod meet;
mod mocap;
#[cfg(unix)]
mod records;
#[cfg(unix)]
mod resume;
mod shots;
mod streams;
mod tutorial;
mod weights;
