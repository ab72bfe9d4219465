//! Bytes as a film of Synfig: what is imported is a rig that loads, with a drawing that is drawn.

use std::path::Path;
use std::sync::Arc;

use bone_format::{load, no_fonts};
use bone_synfig::{SynfigOptions, import};

use crate::{Two, whole_way};

/// Bytes as a film without files beside it.
pub fn film(data: &[u8]) {
    let mut nothing = |_: &str| Err("no file is beside it".to_owned());
    let Ok(made) = import("film.sif", data, &SynfigOptions::new("film.svg", "film"), &mut nothing) else { return };
    // Large ones cost time and show nothing new.
    if made.svg.len() + made.rig.len() > 300_000 {
        return;
    }
    let files = Arc::new(Two { rig: made.rig.clone().into_bytes(), svg: made.svg.clone().into_bytes() });
    let loaded = load(Path::new("rig.ron"), files, &no_fonts);
    assert!(loaded.rig.is_some(), "{}\n{}\n{:?}", made.svg, made.rig, loaded.diagnostics);
    whole_way(made.rig.as_bytes(), made.svg.as_bytes());
}
