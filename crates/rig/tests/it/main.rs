//! Tests of the public interface of `rig`, in one program.

mod other_rig;
mod together;
