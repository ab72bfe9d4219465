//! Where two clips have poses that are alike: the best transition between them, as a shot.

use bone_core::{BoneId, Skeleton};
use bone_format::diagnostic::nearest;
use bone_format::doc::{Fade, PlayDoc, RigDoc, SequenceDoc};
use bone_import::distance::{PoseTable, compared_joints};
use bone_import::retarget::RigMap;
use bone_import::transitions::{Transition, transitions};
use bone_rig::{FrameState, Rig, RigClip};

/// The rate at which poses are compared, per second.
const RATE: f64 = 60.0;
/// Longer clips are compared up to this time, seconds.
const LONGEST: f64 = 120.0;

/// What is faded.
#[derive(Clone, Copy, Debug)]
pub struct TransitionOptions<'a> {
    /// The clip that leaves.
    pub from: &'a str,
    /// The clip that comes.
    pub to: &'a str,
    /// The length of the fade, seconds.
    pub fade: f64,
    /// The name of the shot.
    pub shot: &'a str,
}

/// The shot that fades from one clip to another where their poses are most alike, and what it is.
///
/// # Errors
/// The rig has no such clip or no bones, or a clip is shorter than the fade.
pub fn transition(
    scene: &Rig,
    doc: &RigDoc,
    options: TransitionOptions<'_>,
) -> Result<(SequenceDoc, String), String> {
    if !(0.0..=LONGEST).contains(&options.fade) {
        return Err(format!("a fade takes 0 to {LONGEST} s"));
    }
    let find = |wanted: &str| {
        let clip = scene.clip(wanted).filter(|clip| doc.clip(clip.name()).is_some());
        clip.ok_or_else(|| {
            let near = nearest(wanted, doc.clips.iter().map(|clip| clip.name.value.as_str()));
            let near = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_else(|| {
                let names: Vec<&str> = doc.clips.iter().map(|clip| clip.name.value.as_str()).collect();
                format!(": its clips are {}", names.join(", "))
            });
            format!("the rig has no clip called \"{wanted}\"{near}")
        })
    };
    let (first, second) = (find(options.from)?, find(options.to)?);
    let half = (options.fade / 2.0 * RATE).ceil() as usize;
    let (a, b) = (poses(scene, first, half)?, poses(scene, second, half)?);
    // A clip equals itself at every time, so a minimal distance is needed.
    let same = (options.from == options.to).then_some(half);
    let found = apart(&transitions(&a.poses, &b.poses, 2 * half + 1, f64::INFINITY, same), half, 3);
    let Some(best) = found.first() else {
        return Err(format!(
            "a clip is shorter than the fade of {} s: choose a shorter one with --fade",
            options.fade
        ));
    };
    // The middle of the fade.
    let time = |of: &SampledClip, frame: usize| ((frame + half) as f64 - of.before as f64) / RATE;
    let (from, to) = (time(&a, best.from), time(&b, best.to));
    let lead = options.fade / 2.0;
    // A loop plays once before the fade.
    let mut length = from + lead;
    while first.time().looped && length < first.time().length.max(options.fade) {
        length += first.time().length;
    }
    let start = to - lead;
    let start = if second.time().looped { start.rem_euclid(second.time().length) } else { start };
    let round = |value: f64| (value.max(0.0) * 1000.0).round() / 1000.0;
    let part = |clip: &RigClip| PlayDoc { clip: clip.name().to_owned().into(), ..PlayDoc::default() };
    let leaves = PlayDoc { length: Some(round(length).into()), ..part(first) };
    let comes = PlayDoc {
        from: (round(start) > 0.0).then(|| round(start).into()),
        // A loop plays once more.
        length: second.time().looped.then(|| round(2.0 * second.time().length - start).into()),
        fade: Some(Fade { start: options.fade, end: 0.0 }.into()),
        ..part(second)
    };
    let shot = SequenceDoc {
        name: options.shot.to_owned().into(),
        play: vec![leaves, comes],
        complete: true,
        ..SequenceDoc::default()
    };
    let describe = |meeting: &Transition| {
        format!(
            "{:.2} s and {:.2} s ({:.1} %)",
            time(&a, meeting.from),
            time(&b, meeting.to),
            100.0 * meeting.distance
        )
    };
    let others: Vec<String> = found[1..].iter().map(describe).collect();
    let mut message = format!(
        "\"{}\" and \"{}\" have their best transition at {}; the percentage is the distance of the joints, relative to the figure's height.",
        options.from,
        options.to,
        describe(best)
    );
    if !others.is_empty() {
        message += &format!("\nOther places: {}.", others.join(", "));
    }
    Ok((shot, message))
}

/// The best transitions that are not within half a window of a better one.
fn apart(found: &[Transition], half: usize, most: usize) -> Vec<Transition> {
    let near = |a: &Transition, b: &Transition| a.from.abs_diff(b.from).max(a.to.abs_diff(b.to)) <= half;
    let mut kept: Vec<Transition> = Vec::new();
    for one in found {
        if kept.len() < most && !kept.iter().any(|other| near(one, other)) {
            kept.push(*one);
        }
    }
    kept
}

/// The poses of a clip; for a loop some of them lie before its start.
struct SampledClip {
    poses: PoseTable,
    before: usize,
}

fn poses(scene: &Rig, clip: &RigClip, half: usize) -> Result<SampledClip, String> {
    let skeleton = scene.skeleton();
    let frames = (clip.time().length.min(LONGEST) * RATE).round() as usize;
    let before = if clip.time().looped { half } else { 0 };
    let map = RigMap::by_names(skeleton);
    let bones = body(skeleton, &map);
    if bones.is_empty() {
        return Err("the rig has no bones: there are no poses to compare".to_owned());
    }
    let place = |part| map.bone(part).and_then(|bone| bones.iter().position(|other| *other == bone));
    let joints = compared_joints(place, bones.len());
    let ys = || bones.iter().flat_map(|&bone| [skeleton.setup_origin(bone).y, skeleton.setup_tip(bone).y]);
    let height = (ys().fold(f64::MIN, f64::max) - ys().fold(f64::MAX, f64::min)).max(1e-9);
    let mut state = FrameState::new(scene);
    let mut rows = Vec::new();
    for step in 0..frames + 1 + 2 * before - usize::from(clip.time().looped) {
        let time = (step as f64 - before as f64) / RATE;
        let time = if clip.time().looped {
            time.rem_euclid(clip.time().length)
        } else {
            time.min(clip.time().length)
        };
        scene.pose(Some(clip), time, &mut state).map_err(|error| error.to_string())?;
        // The tips of bones: the origin of a bone is the tip of another one.
        let tip = |bone: BoneId| state.world().tip(skeleton, state.driven(), bone).to_vec2() / height;
        rows.push(joints.map(|(at, weight)| (tip(bones[at]).to_point(), weight)));
    }
    Ok(SampledClip { poses: PoseTable::from_positions(rows.into_iter()), before })
}

/// All bones if they contain a body; else the largest tree of bones, which leaves out moving scenery.
fn body(skeleton: &Skeleton, map: &RigMap) -> Vec<BoneId> {
    if map.iter().count() >= 5 {
        return skeleton.bones().collect();
    }
    let trees = skeleton.roots().map(|root| skeleton.subtree(root).collect::<Vec<_>>());
    trees.fold(Vec::new(), |largest, tree| if tree.len() > largest.len() { tree } else { largest })
}
