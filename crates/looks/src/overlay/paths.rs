//! Posed outlines, in different colours if they are deformed, rigid or still.

use std::collections::BTreeSet;

use bone_drawing::ElementId;

use super::writer::{OverlayStroke, OverlayWriter};
use crate::inspect::PosedMoment;
use bone_rig::{FrameState, Rig};

const DEFORMED: &str = "#0a7bd6";
const RIGID: &str = "#7a3fd0";
const STILL: &str = "#5d6874";

pub(super) fn write(rig: &Rig, state: &FrameState, out: &mut OverlayWriter<'_>) {
    let art = rig.art();
    let rigid: BTreeSet<ElementId> = rig.rigid_elements().map(|(element, _)| element).collect();
    for path in PosedMoment::new(rig, state).paths.iter().filter(|path| path.painted) {
        let up = || std::iter::successors(path.element, |at| art.element(*at)?.parent);
        let colour = if path.bends {
            DEFORMED
        } else if up().any(|at| rigid.contains(&at)) {
            RIGID
        } else {
            STILL
        };
        out.canvas_path(
            &path.path,
            "fill=\"none\"",
            OverlayStroke { halo: 0.9, ..OverlayStroke::new(colour, 1.0) },
        );
    }
}
