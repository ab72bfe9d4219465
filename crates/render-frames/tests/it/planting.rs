//! Standing feet and whole knees, judged by playing what `import` writes: feet do not slide, knees do not jerk
//! more than those of the recording, and joints stay near it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_core::{Angle, Side};
use bone_format::{Disk, load, no_fonts};
use bone_import::parts::BodyPart;
use bone_import::{PlanarMotion, ViewDirection, bvh, project};
use bone_rig::FrameState;
use kurbo::{Point, Vec2};

use crate::command::{below, repository, run};
use crate::recorded::printed;

/// What is measured of one recording.
#[derive(Debug, Default)]
struct Measured {
    /// The farthest that a standing foot moves, in percent of the leg.
    slide: f64,
    /// For the left and the right knee the greatest second difference of its angle, and that of the recording,
    /// degrees a frame squared.
    knees: [[f64; 2]; 2],
    /// Seconds in which feet stand.
    stood: f64,
    holds: usize,
    message: String,
}

/// The greatest second difference of the angle between two ways, degrees.
fn jerk(ways: impl Iterator<Item = (Vec2, Vec2)>) -> f64 {
    let mut angles: Vec<Angle> = Vec::new();
    for (thigh, shin) in ways {
        let bend = Angle::of(shin) - Angle::of(thigh);
        let last = angles.last().copied().unwrap_or(Angle::ZERO);
        angles.push(bend.nearest_to(last));
    }
    let second = |three: &[Angle]| (three[0] + three[2] - three[1] - three[1]).degrees().abs();
    angles.windows(3).map(second).fold(0.0, f64::max)
}

fn thigh_and_shin(motion: &PlanarMotion, side: Side) -> Option<[usize; 3]> {
    let body = motion.body();
    Some([
        body.start(BodyPart::Thigh(side))?,
        body.start(BodyPart::Shin(side))?,
        body.start(BodyPart::Foot(side)).or_else(|| body.end(BodyPart::Shin(side)))?,
    ])
}

/// Imports a recording as a new figure, or onto a rig, and plays it.
fn measured(recording: &Path, onto: Option<&str>, frames: usize) -> Option<Measured> {
    let folder = tempfile::tempdir().expect("a folder");
    let rig = below(&folder, "rig.ron");
    let (file, last) = (recording.display().to_string(), format!("0-{}", frames - 1));
    let mut words = vec!["import", &*file, "-o", &*rig, "--clip", "c", "--frames", &*last];
    words.extend(onto.into_iter().flat_map(|onto| ["--rig", onto]));
    let output = run(&words);
    let mut found = Measured { message: output.err, ..Measured::default() };
    if output.code != Some(0) {
        return None;
    }
    let text = std::fs::read(recording).expect("read");
    let text = String::from_utf8_lossy(&text);
    let motion = project(&bvh::read(&text).ok()?, ViewDirection::SIDE, None).ok()?.motion;
    let motion = motion.cut(0, frames.min(motion.frames())).ok()?;
    let loaded = load(Path::new(&rig), Arc::new(Disk), &no_fonts);
    let (scene, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
    let (clip, skeleton) = (scene.clip("c").expect("the clip"), scene.skeleton());
    let mut state = FrameState::new(&scene);
    for (at, (side, letter)) in [(Side::Left, 'l'), (Side::Right, 'r')].into_iter().enumerate() {
        let find = |part: &str| skeleton.find(&format!("{part}_{letter}"));
        let (thigh, shin, foot) = (find("thigh")?, find("shin")?, find("foot")?);
        let joints = thigh_and_shin(&motion, side)?;
        let recorded = (0..motion.frames()).map(|frame| {
            (motion.offset(frame, joints[0], joints[1]), motion.offset(frame, joints[1], joints[2]))
        });
        let played = (0..motion.frames()).map(|frame| {
            scene.pose(Some(clip), frame as f64 / motion.rate(), &mut state).expect("posed");
            let [hip, knee, ankle] = [thigh, shin, foot].map(|bone| state.world().origin(bone));
            (knee - hip, ankle - knee)
        });
        found.knees[at] = [jerk(played), jerk(recorded)];
        let leg = skeleton.length(thigh) + skeleton.length(shin);
        let channels = doc.clip("c").expect("the clip").constraints.iter();
        for hold in channels.filter(|of| of.name.value.ends_with(letter)).flat_map(|of| &of.holds) {
            let (from, until) = (hold.from.value, hold.until.value);
            let mut place = |step: i32| -> Point {
                let time = from + (until - from) * f64::from(step) / 40.0;
                scene.pose(Some(clip), time, &mut state).expect("posed");
                state.world().tip(skeleton, state.driven(), foot)
            };
            let first = place(0);
            let far = (1..=40).map(|step| place(step).distance(first)).fold(0.0, f64::max);
            found.slide = found.slide.max(100.0 * far / leg);
            found.stood += until - from;
            found.holds += 1;
        }
    }
    Some(found)
}

/// The recordings of this repository, or those of a list of paths, FEET, of which all figures are printed.
fn recordings() -> Vec<PathBuf> {
    if let Ok(list) = std::env::var("FEET") {
        let text = std::fs::read_to_string(list).expect("a list");
        return text.lines().map(PathBuf::from).collect();
    }
    ["ad_cmu1_jumping_jacks", "ad_fair1_jumping", "dme_example", "pybvh_cmu_12_01_walk"]
        .map(|name| PathBuf::from(repository(&format!("tests/motion/{name}.bvh"))))
        .to_vec()
}

/// During a contact a foot slides by at most 0.3 % of the leg, and joints are within 2 %. No knee of a new figure has a
/// second difference above 1.5 times the greatest one of the recording and 2 degrees.
#[test]
fn feet_stand_and_knees_are_whole() {
    let onto = repository("examples/walk/rig.ron");
    let mut wrong = Vec::new();
    for onto in [None, Some(&*onto)] {
        let mut off = Vec::new();
        for path in recordings() {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let Some(found) = measured(&path, onto, 240) else {
                println!("{name}: no figure with legs");
                continue;
            };
            let over = found.knees.map(|[now, was]| now - 1.5 * was);
            let [now, was] = found.knees[usize::from(over[1] > over[0])];
            let loose =
                found.message.split_once("not those that").map_or(0, |of| of.1.matches(" s, ").count());
            let within = printed(&found.message);
            off.push(within);
            let bad = found.slide > 0.3 || within > 2.0 || (onto.is_none() && over[0].max(over[1]) > 2.0);
            println!(
                "{}{name}: {} holds over {:.1} s, {loose} loose, slide {:.3} %, knee {now:.2} of {was:.2} degrees, joints {within:.2} %{}",
                if onto.is_some() { "on a rig, " } else { "" },
                found.holds,
                found.stood,
                found.slide,
                if bad { " WRONG" } else { "" },
            );
            wrong.extend(bad.then_some((name, now, was, found.slide, within)));
        }
        off.sort_by(f64::total_cmp);
        println!("joints: {:.2} % median, {:.2} % at most", off[off.len() / 2], off[off.len() - 1]);
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
