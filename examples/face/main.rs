//! Moves the handles as the sliders of a tool do: each is one number, and drivers apply it to the face.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::BonePose;
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Overrides};
use kurbo::Vec2;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("face/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or("no such bone");
    let (turn, look, blink) = (find("turn")?, find("look")?, find("blink")?);
    let (nose, iris, lid) = (find("nose")?, find("iris.R")?, find("lid.R")?);

    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    for (name, handle, by) in [
        ("at rest", turn, Vec2::ZERO),
        ("turned to the right", turn, Vec2::new(30.0, 0.0)),
        ("looking up", look, Vec2::new(0.0, -9.0)),
        ("eyes shut", blink, Vec2::new(0.0, 10.0)),
    ] {
        overrides.clear();
        overrides.bones.set(handle, BoneOverride::Add(BonePose { origin: by, ..BonePose::REST }));
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        let at = |bone| state.world().origin(bone);
        println!("{name}: nose {:.0}, iris {:.0}, lid {:.0}", at(nose), at(iris), at(lid));
    }
    Ok(())
}
