//! The Python package `bone_layer`: rigs, frames as arrays, players and edits. `python/bone_layer/__init__.pyi` is what
//! callers read.
//!
//! All `unsafe` is in `array.rs` and `frame.rs`: the functions by which Python reads the memory of a table or a frame.

mod array;
mod clip;
mod errors;
mod frame;
mod frames;
mod player;
mod pose;
mod rig;
mod session;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use errors::BoneLayerError;

/// Poses vector drawings with 2D bones.
#[pymodule]
mod _bone_layer {
    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::clip::{Clip, Marker};
    #[pymodule_export]
    use crate::errors::{BoneLayerError, Diagnostic, EditError, PackError, RigError, UnknownName};
    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::frames::Frames;
    #[pymodule_export]
    use crate::player::{Event, Player};
    #[pymodule_export]
    use crate::pose::{BonePose, Pose};
    #[pymodule_export]
    use crate::rig::{Bone, Rig};
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::values::Ron;
}

/// Runs a call with the global interpreter lock released. A panic becomes an exception.
fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|_| BoneLayerError::new_err("a fault of bone_layer: please report what you called"))
}
