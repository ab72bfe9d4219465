//! Edits a rig as a tool does: loads it, poses and shows a moment, drags the hand by inverse kinematics, keys
//! the result, undoes and does it again, takes in a change from outside, and saves. It edits a copy of the arm.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_layer::kurbo::{Point, Vec2};
use bone_layer::motion::constraint::AttachmentPoint;
use bone_layer::session::{DocPath, Edit, Session};
use bone_layer::{BoneId, Disk, FrameState, Handle, Overrides, Rig, no_fonts};

/// The moment that is edited.
const CLIP: &str = "flex";
const TIME: f64 = 0.7;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = copy_of_arm()?;
    let path = folder.join("rig.ron");

    // Load. A rig with mistakes is opened, too: they are listed, and what was good before stays.
    let mut session = Session::open(&path, Arc::new(Disk), no_fonts);
    for found in session.diagnostics() {
        println!("{:?}: {}", found.severity, found.message);
    }

    // Show a moment.
    let rig = Arc::clone(session.rig().ok_or("the rig has mistakes")?);
    let mut state = FrameState::new(&rig);
    rig.pose(rig.clip(CLIP), TIME, &mut state)?;
    let hand = rig.skeleton().find("fore").ok_or("no such bone")?;
    println!("the hand is at {:.1}", tip(&rig, &state, hand));
    show(&rig, &mut state, &folder.join("before.svg"))?;

    // Drag it by its tip. Each move keys the bones that turn; all moves are one step.
    let (start, mut overrides) = (tip(&rig, &state, hand), Overrides::new());
    session.begin("Drag the hand");
    for step in 1..=5 {
        let pointer = start + Vec2::new(-8.0, 6.0) * f64::from(step);
        let turned = turn_towards(&rig, &mut state, &mut overrides, hand, pointer)?;
        let edits: Vec<Edit> = turned
            .iter()
            .map(|(bone, degrees)| Edit::key(DocPath::channel(CLIP, bone, "rotate"), TIME, *degrees))
            .collect();
        let applied = session.apply_all("Drag the hand", &edits)?;
        println!("{turned:.2?}: {} edits of the text", applied.changes[0].1.len());
    }
    session.commit();

    // What was keyed is what plays: the rig is compiled anew, and the old one stays valid.
    let rig = Arc::clone(session.rig().ok_or("the rig has mistakes")?);
    let mut state = FrameState::new(&rig);
    rig.pose(rig.clip(CLIP), TIME, &mut state)?;
    println!("now it is at {:.1}, revision {}", tip(&rig, &state, hand), session.revision());
    show(&rig, &mut state, &folder.join("after.svg"))?;

    // A mistake is refused, and nothing changes.
    let refused = session.apply(&Edit::key(DocPath::channel(CLIP, "foer", "rotate"), TIME, 3.0));
    println!("refused: {}", refused.err().ok_or("it was not")?);

    // Undo and redo, by name.
    println!("undo \"{}\"", session.undo_title().ok_or("no step")?);
    session.undo()?;
    println!("redo \"{}\"", session.redo_title().ok_or("no step")?);
    session.redo()?;

    // Meanwhile somebody saved the file in an editor: both changes are kept.
    let outside = fs::read_to_string(&path)?.replace("Two bones", "Two fine bones");
    fs::write(&path, &outside)?;
    for (file, reloaded) in session.sync()? {
        println!("{}: {reloaded:?}", file.display());
    }

    // Save: whole files or nothing, and never over a change that the session does not know.
    for file in session.save()? {
        println!("saved {}", file.display());
    }
    Ok(())
}

/// Drags the tip of an arm of two bones to a point of the canvas; the `rotate` values of those bones.
fn turn_towards(
    rig: &Rig,
    state: &mut FrameState,
    overrides: &mut Overrides,
    tip: BoneId,
    to: Point,
) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let handle = Handle::Tip { bone: tip, point: AttachmentPoint::Tip, chain: 2 };
    rig.drag(rig.clip(CLIP), TIME, overrides, handle, to, state)?;
    let skeleton = rig.skeleton();
    let chain = [Some(tip), skeleton.parent(tip)].into_iter().flatten();
    let rotate = |bone: BoneId| state.pose().bones[bone.index()].angle - skeleton.setup(bone).angle;
    Ok(chain.map(|bone| (skeleton.name(bone).to_owned(), rotate(bone).degrees())).collect())
}

fn tip(rig: &Rig, state: &FrameState, bone: BoneId) -> Point {
    state.world().tip(rig.skeleton(), state.driven(), bone)
}

fn show(rig: &Rig, state: &mut FrameState, file: &Path) -> Result<(), Box<dyn Error>> {
    rig.write_svg(state);
    fs::write(file, state.svg())?;
    Ok(())
}

fn copy_of_arm() -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join("bone-layer-session");
    fs::create_dir_all(&folder)?;
    for file in ["rig.ron", "drawing.svg"] {
        fs::copy(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/arm").join(file),
            folder.join(file),
        )?;
    }
    Ok(folder)
}
