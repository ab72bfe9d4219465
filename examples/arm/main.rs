//! Moves bones by hand, as a tool does: rotates one, drags the hand end so that the whole arm reaches, drags
//! a point of the outline, and reads the posed outlines.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::constraint::AttachmentPoint;
use bone_core::{Angle, BonePose};
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Handle, Overrides};
use kurbo::{Point, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("arm/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let fore = skeleton.find("fore").ok_or("no such bone")?;
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());

    // What a program sets lies on top of the clip: the elbow turns by 60 degrees more than in "flex".
    let (clip, time) = (rig.clip("flex"), 0.0);
    let turn = BonePose { angle: Angle::from_degrees(-60.0), ..BonePose::REST };
    overrides.bones.set(fore, BoneOverride::Add(turn));
    rig.pose_with(clip, time, &overrides, &mut state)?;
    println!("the hand end of the arm is at {:.1}", state.world().tip(skeleton, state.driven(), fore));

    // Dragging: two bones bring the tip to the pointer.
    let tip = Handle::Tip { bone: fore, point: AttachmentPoint::Tip, chain: 2 };
    let reached = rig.drag(clip, time, &mut overrides, tip, Point::new(330.0, 180.0), &mut state)?;
    println!("dragged to {reached:.1}, with {} bones moved by hand", overrides.bones.iter().len());

    // The posed outlines are curves on the canvas, ready for any renderer.
    for (element, path) in rig.posed_elements().iter().zip(state.posed().paths()) {
        let name = rig.art().element(*element).map(|e| e.name()).unwrap_or_default();
        println!("{name}: {} elements, within {:.1}", path.elements().len(), path.bounding_box());
    }
    Ok(())
}
