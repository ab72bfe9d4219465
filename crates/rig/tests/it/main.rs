//! Tests of the public interface of `rig`, in one program.

mod any_input;
mod machines;
mod other_rig;
mod together;
