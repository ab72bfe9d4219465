//! `import --rig`: adds the motion to an existing rig as a clip, by edits of a session. Everything else in the
//! text of the rig stays unchanged.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_core::constraint::AttachmentPoint;
use bone_core::{BoneId, Pose, Skeleton, WorldPose};
use bone_format::diagnostic::Place;
use bone_format::doc::{ClipDoc, ConstraintChannelsDoc, ConstraintKind, EndAngle, RigDoc, TargetDoc};
use bone_format::edit::EditError;
use bone_format::session::{DocValue, Session};
use bone_format::text::Syntax;
use bone_format::write::Digits;
use bone_format::{Diagnostic, Files};
use bone_import::ImportError;
use bone_import::fit::{FitConstraints, FittedClip, KeyedClip, Take, fit_constrained};
use bone_import::parts::BodyPart;
use bone_import::retarget::{
    FootGoal, FootLock, RetargetOptions, RetargetedMotion, RigMap, key_goals, retarget,
};
use bone_rig::Rig;
use kurbo::Vec2;

use super::accuracy::{self, Accuracy, Wanted};
use super::controls::control_keys;
use super::recording::{Failure, Recording, failure, stem};
use super::{doc, look, map, mistake, source_comment};
use crate::args::{ForeshorteningArg, ImportArgs};
use crate::edited_rig;
use crate::files::CommandFiles;

pub(super) fn onto(args: &ImportArgs, rig: &Path) -> Result<String, Failure> {
    let mut session = opened(args, rig)?;
    let (Some(scene), Some(rig_doc), true) = (session.rig().cloned(), session.doc(), session.is_current())
    else {
        return Err(mistakes(&session, rig));
    };
    let name = args.clip.clone().unwrap_or_else(|| stem(&args.motion));
    if !args.existing.replace() && rig_doc.clip(&name).is_some() {
        return Err(Failure::Usage(format!(
            "the rig has a clip \"{name}\" already: choose another name with --clip, or add --existing overwrite"
        )));
    }
    let skeleton = scene.skeleton();
    let (mut recording, _) = super::read(args)?;
    let whole = |error: ImportError| mistake(args, None, &error);
    let mut body = recording.motion.body();
    let mut map = RigMap::by_names(skeleton);
    if let Some(path) = &args.map {
        map::read(path, Some((skeleton, &mut map)), &recording, &mut body)?;
    }
    if !map.missing().is_empty() {
        return Err(failure(rig, unknown_bones(&map, skeleton, rig_doc), session.sources().clone()));
    }
    recording.motion = recording.motion.with_body(body.clone());
    let page = scene.art().canvas();
    let options = RetargetOptions::default()
        .on_the_spot(args.on_the_spot)
        .looped(args.looped)
        .keep_between(args.keep_in_view.then_some((page.x0, page.x1)))
        .least_stretch(match args.foreshortening {
            Some(ForeshorteningArg::Keep) => Some(0.1),
            Some(ForeshorteningArg::Clamp) => Some(0.5),
            Some(ForeshorteningArg::Ignore) | None => None,
        });
    let mut moved = retarget(&recording.motion, &body, skeleton, &map, options).map_err(whole)?;
    let wanted_take = moved.take.clone();
    let goals = goals(rig_doc, skeleton, &map);
    let edits = |clip: &ClipDoc, comment: &str, digits: Digits| {
        let value = DocValue::of_clip(clip, digits);
        edited_rig::entry_edits(&session, "clips", &clip.name.value, value, comment)
    };
    key_goals(&mut moved.take, skeleton, &map, &goals);
    let digits = super::digits(args.tolerance, moved.height);
    // The pins of feet act on the poses of the clip, so they are known before it is fitted.
    let still = KeyedClip { length: moved.take.length(), looped: args.looped, tracks: Vec::new() };
    let mut clip = doc::clip(&name, &still, skeleton);
    clip.constraints = holds(rig_doc, skeleton, &moved, &still, args.tolerance);
    let held = if clip.constraints.is_empty() {
        FitConstraints::default()
    } else {
        let held = session.try_edits(&edits(&clip, "", digits)).map_err(refused)?;
        accuracy::holding(&held, skeleton, &name, moved.take.frames(), moved.take.rate)
    };
    let tolerance = args.tolerance / 100.0 * moved.height;
    let fitted = fit_constrained(skeleton, &moved.take, &held, tolerance).map_err(whole)?;

    let controls = control_keys(&recording.motion, rig_doc, skeleton, &map, args.looped, args.tolerance)
        .map_err(whole)?;
    let mut keyed = fitted.clip.clone();
    keyed.tracks.extend(controls.tracks);
    let digits = super::digits_of(&keyed, digits);
    let mut clip = doc::clip(&name, &keyed, skeleton);
    clip.constraints = holds(rig_doc, skeleton, &moved, &keyed, args.tolerance);
    let pinned = !clip.constraints.is_empty();
    let played = session.try_edits(&edits(&clip, "", digits)).map_err(refused)?;
    if let Some(path) = &args.look {
        return look::write(path, &played, &name, &recording.motion)
            .map(|message| super::noted(&recording.notes, &message));
    }
    let cost = super::cost(&fitted, measure(&played, skeleton, &name, &wanted_take), moved.height);
    let comment = comment(args, &recording, &moved, &cost, &fitted, pinned);
    let free = goals.is_empty();
    let edits = edits(&clip, &comment, digits);
    let has_comments = session.files().first().is_some_and(|file| file.syntax() == Some(Syntax::Ron));
    session.apply_all("Import a clip", &edits).map_err(refused)?;
    // A picture was written above, so there is an output.
    let output = args.output.as_deref().unwrap_or(rig);
    let written = edited_rig::save(&mut session, rig, output, args.existing).map_err(Failure::Failed)?;
    let mut message = super::noted(&recording.notes, "");
    let leaves = leaves(skeleton, &wanted_take, page, moved.height).filter(|_| !args.looped);
    if let Some(seconds) = leaves {
        let _ = writeln!(
            message,
            "note: the figure leaves the page at {seconds:.1} s: --keep-in-view moves the ground in its place"
        );
    }
    for note in notes(&moved, skeleton, &map, pinned, free).into_iter().chain(controls.notes) {
        let _ = writeln!(message, "note: {note}");
    }
    if !has_comments {
        message.push_str("note: JSON has no comments: how the clip was made is not written beside it\n");
    }
    let _ = write!(
        message,
        "{written}: clip \"{name}\", {} channels, {} keys. {cost}",
        fitted.channels, fitted.keys,
    );
    Ok(message)
}

/// The rig as a session, after a check of all files that are read and written.
fn opened(args: &ImportArgs, rig: &Path) -> Result<Session, Failure> {
    let output = match (&args.output, &args.look) {
        (Some(output), _) => output,
        (None, Some(_)) => rig,
        (None, None) => {
            return Err(Failure::Usage("--rig needs -o, the file for the rig with the new clip".to_owned()));
        }
    };
    match &args.look {
        Some(look) => look::check(look, args.existing)?,
        None => edited_rig::check_output(rig, output, args.existing).map_err(Failure::Usage)?,
    }
    let target = if args.look.is_some() { rig } else { output };
    let files = Arc::new(CommandFiles::default());
    let session = edited_rig::open(rig, target, Arc::clone(&files) as Arc<dyn Files>).map_err(refused)?;
    let inputs = super::inputs(args, files.inputs());
    match &args.look {
        Some(look) => inputs.check(look, "sheet"),
        None => edited_rig::check_inputs(rig, output, &inputs),
    }
    .map_err(Failure::Usage)?;
    Ok(session)
}

/// The mistake of a rig without the bones that are needed.
fn unknown_bones(map: &RigMap, skeleton: &Skeleton, rig: &RigDoc) -> Diagnostic {
    let names: Vec<&str> = skeleton.bones().map(|bone| skeleton.name(bone)).collect();
    let parts: Vec<&str> = map.missing().into_iter().map(BodyPart::name).collect();
    let message = format!("this rig has no bone that is known as its {}", map::some(&parts));
    let diagnostic = Diagnostic::error("unknown-bone", message).help(format!(
        "its bones are {}: map them with --map, or name them like thigh_l, shin_l and foot_l",
        map::some(&names)
    ));
    match rig.bones.first() {
        Some(first) => diagnostic.at(Place::new(rig.source, first.name.span)),
        None => diagnostic,
    }
}

/// The distances of the joints of the played rig from those of the retargeted motion.
fn measure(played: &Rig, skeleton: &Skeleton, clip: &str, take: &Take) -> Option<Accuracy> {
    let mut moved: Vec<BoneId> = take.tracks.iter().map(|track| track.bone).collect();
    moved.sort_unstable();
    moved.dedup();
    let bones: Vec<String> = moved.iter().map(|bone| skeleton.name(*bone).to_owned()).collect();
    let frames = take.frames() - usize::from(take.looped);
    let wanted = Wanted { clip, frames, rate: take.rate, bones: &bones };
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    accuracy::measure(played, &wanted, |frame, ends| {
        take.pose(skeleton, frame, &mut pose);
        let _ = world.forward(skeleton, &pose);
        ends.extend(moved.iter().map(|bone| [world.origin(*bone), world.tip(skeleton, &pose, *bone)]));
    })
}

/// The second at which a part of the figure is outside of the page that was on it before.
fn leaves(skeleton: &Skeleton, take: &Take, page: kurbo::Rect, height: f64) -> Option<f64> {
    let around = page.inset(0.02 * height);
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let mut was_on = vec![false; take.tracks.len()];
    for frame in 0..take.frames() {
        take.pose(skeleton, frame, &mut pose);
        let _ = world.forward(skeleton, &pose);
        for (track, was_on) in take.tracks.iter().zip(&mut was_on) {
            let is_on = around.contains(world.tip(skeleton, &pose, track.bone));
            if *was_on && !is_on {
                return Some(frame as f64 / take.rate);
            }
            *was_on |= is_on;
        }
    }
    None
}

/// Notes about the retargeting.
fn notes(
    moved: &RetargetedMotion,
    skeleton: &Skeleton,
    map: &RigMap,
    pinned: bool,
    free: bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    if moved.mirrored {
        notes.push(
            "the rig and the recording face opposite sides, so the motion is mirrored; the left side stays the left side"
                .to_owned(),
        );
    }
    for part in &moved.unmapped {
        notes.push(match map.bone(*part) {
            Some(bone) => format!(
                "the recording has no {}: bone \"{}\" stays at rest",
                part.name(),
                skeleton.name(bone)
            ),
            None => format!("the rig has no bone for the {} of the recording", part.name()),
        });
    }
    if !moved.drawn_apart.is_empty() {
        let parts: Vec<String> = moved
            .drawn_apart
            .iter()
            .map(|(part, degrees)| format!("{} by {:.0} degrees", part.name(), degrees.abs()))
            .collect();
        notes.push(format!(
            "the figure is drawn in another pose than standing with its arms down ({}): directions on the canvas are matched",
            parts.join(", ")
        ));
    }
    if moved.hip_drop > 0.001 * moved.height {
        notes.push(format!(
            "the hips move down by up to {:.1} so that the feet can be locked",
            moved.hip_drop
        ));
    }
    if moved.hip_rise > 0.001 * moved.height {
        notes.push(format!(
            "the hips move up by up to {:.1} where the limits of the legs keep the feet from the ground",
            moved.hip_rise
        ));
    }
    if !moved.foot_locks.is_empty() && !pinned && free {
        notes.push(
            "the rig has no Pin on its feet: standing feet are only keyed, within the tolerance".to_owned(),
        );
    }
    notes
}

/// The comment above the clip.
fn comment(
    args: &ImportArgs,
    recording: &Recording,
    moved: &RetargetedMotion,
    cost: &str,
    fitted: &FittedClip,
    pinned: bool,
) -> String {
    let mut message = source_comment(args, recording);
    let _ = writeln!(message, "{cost}");
    if pinned {
        message.push_str("`holds` are the foot contacts: change `at`, and thigh and shin follow.\n");
    }
    if moved.drift.abs() > 0.5 {
        let _ = writeln!(
            message,
            "On the spot: the ground moves at {:.1} units a second, {:.1} in the whole clip.",
            moved.drift,
            moved.drift * fitted.clip.length
        );
    }
    message
}

/// Goal bones that feet follow by inverse kinematics.
fn goals(rig: &RigDoc, skeleton: &Skeleton, map: &RigMap) -> Vec<FootGoal> {
    let mut goals = Vec::new();
    for constraint in &rig.constraints {
        let ConstraintKind::Ik(ik) = &constraint.kind else { continue };
        let [end] = &ik.ends[..] else { continue };
        let Some(TargetDoc::Bone(target)) = &end.target else { continue };
        let (Some(foot), Some(goal)) = (skeleton.find(&end.tip.value), skeleton.find(&target.value)) else {
            continue;
        };
        let tip = match end.point.map(|point| point.value) {
            None | Some(AttachmentPoint::Tip) => true,
            Some(AttachmentPoint::Origin) => false,
            Some(AttachmentPoint::At(_)) => continue,
        };
        let is_foot = map.iter().any(|(part, bone)| bone == foot && matches!(part, BodyPart::Foot(_)));
        let turns = end.angle.is_some_and(|angle| angle.value == EndAngle::Target);
        let at_origin = end.target_point.is_none_or(|point| point.value == AttachmentPoint::Origin);
        if is_foot && at_origin && !(tip && turns) {
            goals.push(FootGoal { foot, goal, tip, turns });
        }
    }
    goals
}

/// The pins of feet, with the intervals in which they hold.
fn holds(
    rig: &RigDoc,
    skeleton: &Skeleton,
    moved: &RetargetedMotion,
    clip: &KeyedClip,
    tolerance: f64,
) -> Vec<ConstraintChannelsDoc> {
    let mut all = Vec::new();
    for constraint in &rig.constraints {
        let (ConstraintKind::Pin(pin), Some(name)) = (&constraint.kind, &constraint.name) else { continue };
        let [end] = &pin.ends[..] else { continue };
        let at_tip = end.point.is_none_or(|point| point.value == AttachmentPoint::Tip);
        let Some(bone) = skeleton.find(&end.tip.value).filter(|_| at_tip && end.target.is_none()) else {
            continue;
        };
        let foot_locks: Vec<&FootLock> = moved.foot_locks.iter().filter(|lock| lock.bone == bone).collect();
        if foot_locks.is_empty() {
            continue;
        }
        let drift = Vec2::new(moved.drift, 0.0);
        let ground =
            doc::MovingGround { drift, travel: moved.travel, ease: doc::ease(tolerance, moved.take.rate) };
        let holds = doc::holds(foot_locks, clip, ground);
        all.push(ConstraintChannelsDoc { name: name.clone(), holds, ..ConstraintChannelsDoc::default() });
    }
    all
}

/// The mistakes of a rig that cannot be edited.
fn mistakes(session: &Session, path: &Path) -> Failure {
    let found = (session.diagnostics().clone(), session.sources().clone(), path.to_owned());
    Failure::Mistakes(Box::new(found))
}

fn refused(error: EditError) -> Failure {
    Failure::Failed(error.to_string())
}
