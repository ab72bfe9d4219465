//! Adds the motion to an existing rig as a clip, by edits of a session. Everything else in the text of the rig
//! stays unchanged.

use std::fmt::Write as _;
use std::sync::Arc;

use bone_core::constraint::AttachmentPoint;
use bone_core::{BoneId, Pose, Skeleton, WorldPose};
use bone_format::Diagnostic;
use bone_format::diagnostic::Place;
use bone_format::doc::{ClipDoc, ConstraintChannelsDoc, ConstraintKind, EndAngle, RigDoc, TargetDoc};
use bone_format::session::{DocValue, Edit, Session};
use bone_format::write::Digits;
use bone_import::PlanarMotion;
use bone_import::figure::Foreshortening;
use bone_import::fit::{FitConstraints, FittedClip, KeyedClip, Take, fit_constrained};
use bone_import::parts::BodyPart;
use bone_import::retarget::{
    FootGoal, FootLock, RetargetOptions, RetargetedMotion, RigMap, key_goals, retarget,
};
use bone_rig::Rig;
use kurbo::Vec2;

use crate::accuracy::{self, Accuracy, ComparedFrames, cost};
use crate::controls::control_keys;
use crate::map::{self, MapFile};
use crate::recorded::{digits, digits_of};
use crate::{AuthoringError, ClipOptions, Recorded, clip_doc, entry_edits};

/// A clip for a rig.
#[non_exhaustive]
pub struct ClipEdits {
    /// What puts it into the rig, in the place of one of its name.
    pub edits: Vec<Edit>,
    /// The rig with the clip.
    pub rig: Arc<Rig>,
    /// The motion of the recording.
    pub motion: PlanarMotion,
    /// What was assumed and repaired.
    pub notes: Vec<String>,
    /// How many keys it has, and how far its joints are from where they should be.
    pub summary: String,
}

/// Puts a recording onto the bones of a rig as a clip.
///
/// # Errors
/// The rig has mistakes, or no bones for a body; the map has mistakes; the motion is none.
pub fn onto(
    session: &Session,
    mut recorded: Recorded,
    map: Option<&MapFile>,
    options: &ClipOptions,
) -> Result<ClipEdits, AuthoringError> {
    let (Some(scene), Some(rig), true) = (session.rig(), session.doc(), session.is_current()) else {
        let found = (session.diagnostics().clone(), session.sources().clone());
        return Err(AuthoringError::Mistakes(Box::new(found)));
    };
    recorded.check(options)?;
    let ClipOptions { name, looped, tolerance, .. } = options;
    let skeleton = scene.skeleton();
    let mut body = recorded.motion.body();
    let mut parts = RigMap::by_names(skeleton);
    if let Some(file) = map {
        map::read(file, Some((skeleton, &mut parts)), &recorded.motion, &mut body)?;
    }
    if !parts.missing().is_empty() {
        return Err(AuthoringError::mistake(unknown_bones(&parts, skeleton, rig), session.sources().clone()));
    }
    recorded.motion = recorded.motion.with_body(body.clone());
    let page = scene.art().canvas();
    let how = RetargetOptions {
        on_the_spot: options.on_the_spot,
        looped: *looped,
        keep_between: options.keep_in_view.then_some((page.x0, page.x1)),
        least_stretch: match options.foreshortening {
            Some(Foreshortening::Keep) => Some(0.1),
            Some(Foreshortening::Clamp) => Some(0.5),
            _ => None,
        },
    };
    let mut moved = retarget(&recorded.motion, &body, skeleton, &parts, how)?;
    let wanted = moved.take.clone();
    let goals = goals(rig, skeleton, &parts);
    let edits = |clip: &ClipDoc, comment: &str, digits: Digits| {
        entry_edits(session, "clips", name, DocValue::of_clip(clip, digits), comment)
    };
    key_goals(&mut moved.take, skeleton, &parts, &goals);
    let places = digits(*tolerance, moved.height);
    // The pins of feet act on the poses of the clip, so they are known before it is fitted.
    let still = KeyedClip { length: moved.take.length(), looped: *looped, tracks: Vec::new() };
    let mut clip = clip_doc::clip(name, &still, skeleton);
    clip.constraints = holds(rig, skeleton, &moved, &still, *tolerance);
    let held = if clip.constraints.is_empty() {
        FitConstraints::default()
    } else {
        let held = session.try_edits(&edits(&clip, "", places))?.rig;
        accuracy::holding(&held, skeleton, name, moved.take.frames(), moved.take.rate)
    };
    let fitted = fit_constrained(skeleton, &moved.take, &held, tolerance / 100.0 * moved.height)?;
    let controls = control_keys(&recorded.motion, rig, skeleton, &parts, *looped, *tolerance)?;
    let mut keyed = fitted.clip.clone();
    keyed.tracks.extend(controls.tracks);
    let places = digits_of(&keyed, places);
    let mut clip = clip_doc::clip(name, &keyed, skeleton);
    clip.constraints = holds(rig, skeleton, &moved, &keyed, *tolerance);
    let pinned = !clip.constraints.is_empty();
    let played = session.try_edits(&edits(&clip, "", places))?.rig;
    let cost = cost(&fitted, measure(&played, skeleton, name, &wanted), moved.height);
    let comment = comment(&recorded, &moved, &cost, &fitted, pinned);
    let edits = edits(&clip, &comment, places);
    let mut notes = recorded.notes;
    let leaves = leaves(skeleton, &wanted, page, moved.height).filter(|_| !looped);
    notes.extend(leaves.map(|seconds| {
        format!("the figure leaves the page at {seconds:.1} s: --keep-in-view moves the ground in its place")
    }));
    notes.extend(retargeting_notes(&moved, skeleton, &parts, pinned, goals.is_empty()));
    notes.extend(controls.notes);
    let (channels, keys) = (fitted.channels, fitted.keys);
    Ok(ClipEdits {
        edits,
        rig: played,
        motion: recorded.motion,
        notes,
        summary: format!("{channels} channels, {keys} keys. {cost}"),
    })
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
    let wanted = ComparedFrames { clip, frames, rate: take.rate, bones: &bones };
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
fn retargeting_notes(
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
    recorded: &Recorded,
    moved: &RetargetedMotion,
    cost: &str,
    fitted: &FittedClip,
    pinned: bool,
) -> String {
    let mut message = recorded.comment();
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
        let ground = clip_doc::MovingGround {
            drift,
            travel: moved.travel,
            ease: clip_doc::ease(tolerance, moved.take.rate),
        };
        let holds = clip_doc::holds(foot_locks, clip, ground);
        all.push(ConstraintChannelsDoc { name: name.clone(), holds, ..ConstraintChannelsDoc::default() });
    }
    all
}
