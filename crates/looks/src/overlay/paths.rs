//! Outlines as they are posed: what bends, what rides along, what stays.

use std::collections::BTreeSet;

use drawing::ElementId;

use super::{Pen, Stroke};
use crate::inspect::PosedMoment;
use rig::{FrameState, Rig};

const BENDS: &str = "#0a7bd6";
const RIDES: &str = "#7a3fd0";
const STAYS: &str = "#5d6874";

pub(super) fn write(scene: &Rig, state: &FrameState, pen: &mut Pen<'_>) {
    let art = scene.art();
    let rigid: BTreeSet<ElementId> = scene.rigid_elements().map(|(element, _)| element).collect();
    for path in PosedMoment::new(scene, state).paths.iter().filter(|path| path.painted) {
        let up = || std::iter::successors(path.element, |at| art.element(*at)?.parent);
        let colour = if path.bends {
            BENDS
        } else if up().any(|at| rigid.contains(&at)) {
            RIDES
        } else {
            STAYS
        };
        pen.canvas_path(&path.path, "fill=\"none\"", Stroke { halo: 0.9, ..Stroke::new(colour, 1.0) });
    }
}
