//! Tests that need more than one crate, in one program.
#![allow(clippy::print_stdout, reason = "tests print the figures that they compare")]

mod addresses;
mod along_groups;
mod art;
mod art_lists;
mod bad_rigs;
mod constraints;
mod constraints_mixed;
mod cuts;
mod determinism;
mod documents;
mod drawings;
mod drivers;
mod editing;
mod editing_cuts;
mod format;
mod golden;
mod hostile;
mod init;
mod inspect;
mod keyed_weights;
mod lines;
mod order;
mod overlay;
mod pixel_sink;
mod programs;
mod rest;
mod setup;
mod shapes;
mod shots;
mod snapshots;
mod stairs;
mod tidy;
mod update;
mod walk;
mod writing;
