//! Moves bones by hand, as a tool does: rotates one, drags another on the canvas, and reads the posed
//! outline.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, pose_from_user, user_from_increment};
use kurbo::{Affine, Shape};
use rig::FrameState;
use rig_format::{Disk, load, no_fonts};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("arm/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let fore = skeleton.find("fore").ok_or("no such bone")?;
    let mut state = FrameState::new(&rig);

    // A pose is plain data: turn the elbow by 60 degrees and place everything.
    state.pose.bones[fore.index()].angle += Angle::from_degrees(-60.0);
    rig.place(&mut state)?;
    println!("the hand end of the arm is at {:.1?}", state.world().tip(skeleton, &state.pose, fore));

    // Dragging: a turn of 20 degrees about the elbow, given on the canvas, becomes numbers of the pose.
    let elbow = state.world().origin(fore).to_vec2();
    let turn = Affine::translate(elbow) * Angle::from_degrees(20.0).rotation() * Affine::translate(-elbow);
    let user =
        user_from_increment(skeleton, &state.pose, state.world(), fore, turn).ok_or("a flat parent")?;
    let before = state.pose.bones[fore.index()];
    let (dragged, _shear) = pose_from_user(skeleton, &state.pose, fore, user, &before);
    println!("dragging turned the elbow from {:.1} to {:.1}", before.angle, dragged.angle);
    state.pose.bones[fore.index()] = dragged;
    rig.place(&mut state)?;

    // The posed outlines are curves on the canvas, ready for any renderer.
    for (element, path) in rig.posed_elements().iter().zip(state.posed().paths()) {
        let name = rig.art().element(*element).map(|e| e.name()).unwrap_or_default();
        println!("{name}: {} elements, within {:.1}", path.elements().len(), path.bounding_box());
    }
    Ok(())
}
