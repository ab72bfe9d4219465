//! Gestures: what a pointer holds, how it moves, and the edit that its release makes.

use bone_core::constraint::AttachmentPoint;
use bone_core::{Angle, BoneId};
use bone_format::doc::RigDoc;
use bone_format::session::{DocValue, Edit};
use bone_rig::{BoneMotion, ConstraintOverride, FrameState, Handle, Overrides, Rig, Turn};
use kurbo::{Point, Vec2};
use serde_json::Value;

use super::Engine;
use super::goals::{clip, goals};
use super::grab::{Gesture, Grab};
use super::picture::Picture;
use super::placing::{Placing, SetupEnd};
use super::rules::{constraints_of, holders, moved_by};
use crate::message::{Maybe, Reason};
use crate::server::document::{GestureEdit, ToDocument};
use crate::server::keys::keys;
use crate::server::pose::{PoseValues, sample};
use crate::server::proto::{Asked, GrabWish, Moment, Reply, Request};

/// A point is where it shall be if it is no farther away, in canvas units.
const REACHED: f64 = 0.5;

/// The grip of a bone that turns is in the direction of the pointer if it misses it by less, in degrees.
const IN_DIRECTION: f64 = 1.0;

/// A target moves at most so many times as far as the tip that is dragged, if the tip does not get there.
const MOST_GOAL_WAY: f64 = 4.0;

impl Engine {
    pub(super) fn begin(
        &mut self,
        name: String,
        moment: Moment,
        grab: GrabWish,
        base: Option<u64>,
    ) -> Result<(), Reason> {
        let Moment { clip: clip_name, time, values: start } = moment;
        let (rig, doc, state) = self.rig()?;
        let clip = clip(&rig, clip_name.as_deref())?;
        let overrides = start.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        let grab = self::grab(grab, (&rig, &doc), state, clip_name.is_none())?;
        let refused = refusal(&grab, &rig, &doc, state);
        let seen = self.since(base);
        self.gesture = Some(Gesture {
            name,
            seen,
            clip: clip_name,
            time,
            grab,
            values: start.clone(),
            start,
            to: None,
            setup: None,
            refused,
            unmoved: None,
        });
        Ok(())
    }

    pub(super) fn drag(
        &mut self,
        seq: u32,
        name: &str,
        (to, chain): (Point, Option<usize>),
        picture: &Picture,
        asked: &Asked,
    ) -> Result<(), Reason> {
        let Some(mut gesture) = self.gesture.take().filter(|gesture| gesture.name == name) else {
            return Err(format!("there is no gesture \"{name}\""));
        };
        if let Some(why) = self.gone(&gesture) {
            self.outbox.send(&Reply::Ended { gesture: name.to_owned(), why: why.clone() });
            return Err(why);
        }
        let dragged = self.move_to(&mut gesture, to, chain);
        // What cannot be moved stays, and the gesture goes on.
        let (reach, held) = match &dragged {
            Ok(at) => (at.map(|at| at.distance(to)).filter(|missed| *missed > REACHED), None),
            Err(why) => (None, Some(why.clone())),
        };
        let later = self.queue.has_later_drag();
        let values = gesture.values.clone();
        let clip_name = gesture.clip.clone();
        let time = gesture.time;
        let placed = setup_bones(&gesture, self.published.rig.as_deref());
        let is_setup = placed.is_some();
        let placed_value = gesture.setup;
        self.gesture = Some(gesture);
        if later {
            return Ok(());
        }
        let (rig, _, _) = self.rig()?;
        let clip = clip(&rig, clip_name.as_deref())?;
        self.show(seq, asked, (clip, time), &values, picture, !is_setup, |posed| {
            let Reply::Posed { bones, setup, reach: missed, held: why, .. } = posed else { return };
            (*missed, *why) = (reach, held.into_iter().collect());
            if let Some(placed) = placed {
                (*bones, *setup) = (placed, Maybe(Some(placed_value)));
            }
        })
    }

    /// Why a gesture cannot go on: another program deleted what is dragged.
    fn gone(&self, gesture: &Gesture) -> Option<String> {
        let seen = gesture.seen.held.as_deref()?;
        let gone = |section: &str, name: &str| self.published.gone(seen, section, name);
        let clip = gesture.clip.as_deref().and_then(|clip| gone("clips", clip));
        clip.or_else(|| match &gesture.grab {
            Grab::Goal { .. } => None,
            Grab::Turn { bones, .. } => bones.iter().find_map(|bone| gone("bones", bone)),
            Grab::Bone { bone, .. }
            | Grab::Tip { bone, .. }
            | Grab::Limit { bone, .. }
            | Grab::Region { bone, .. } => gone("bones", bone),
            Grab::Place(placing) => gone("bones", &placing.bone),
        })
    }

    /// Moves what is held; where it is then, if it is a point. What a rule holds back leaves the gesture
    /// without an effect for good: turns and goals would be those of another pose.
    fn move_to(
        &mut self,
        gesture: &mut Gesture,
        to: Point,
        chain: Option<usize>,
    ) -> Result<Option<Point>, Reason> {
        gesture.to = Some(to);
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let time = gesture.time;
        let sampled = sample(&rig, clip, time);
        // All depends on the place of the pointer alone, so that the way to it does not matter; only whole
        // turns add up.
        let mut overrides = gesture.start.overrides(&rig, &sampled);
        let mut moved = Ok(None);
        if gesture.refused.is_none() {
            moved = moved_to(&rig, (clip, time), &mut gesture.grab, (to, chain), &mut overrides, state);
            match (&gesture.grab, &moved) {
                (Grab::Limit { .. } | Grab::Region { .. }, Ok(_)) => {
                    gesture.setup = setup_value(&rig, &gesture.grab, to);
                }
                (_, Err(Unmoved { why, for_good: true })) => gesture.refused = Some(why.clone()),
                _ => {}
            }
        }
        gesture.unmoved = moved.as_ref().err().map(|unmoved| unmoved.why.clone());
        if let Some(why) = gesture.refused.clone().or_else(|| gesture.unmoved.clone()) {
            gesture.values = gesture.start.clone();
            let before = gesture.start.overrides(&rig, &sampled);
            rig.pose_with(clip, time, &before, state).map_err(|error| error.to_string())?;
            return Err(why);
        }
        gesture.values = PoseValues::of_overrides(&rig, &sampled, &overrides);
        Ok(moved.unwrap_or_default())
    }

    /// Ends a gesture; one that this engine did not begin is the document's.
    pub(super) fn end(&mut self, message: Request) -> Result<(), Reason> {
        let (Request::Commit { gesture: name, .. } | Request::Cancel { gesture: name, .. }) = &message else {
            return Ok(());
        };
        let Some(gesture) = self.gesture.take_if(|gesture| Some(&gesture.name) == name.as_ref()) else {
            self.document.send(ToDocument::Request { client: self.client, message });
            return Ok(());
        };
        match message {
            Request::Commit { id, scale, key, .. } => self.commit(gesture, id, scale, key),
            _ => Ok(()),
        }
    }

    /// Makes the edit of a gesture.
    fn commit(&mut self, gesture: Gesture, id: Value, scale: f64, wants_keys: bool) -> Result<(), Reason> {
        let done = Reply::Done { id: id.clone(), rev: self.published.rev };
        if let Some(why) = self.gone(&gesture) {
            return Err(why);
        }
        if gesture.to.is_none() {
            self.outbox.send(&done);
            return Ok(());
        }
        if let Some(why) = gesture.refused.as_ref().or(gesture.unmoved.as_ref()).cloned() {
            return Err(why);
        }
        let (rig, doc, _) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let (title, edits) = match clip {
            None => setup_edit(&rig, &doc, &gesture)?,
            Some(_) if !wants_keys => (String::new(), Vec::new()),
            Some(clip) => {
                let changed = gesture.values.other_than(&gesture.start);
                (title(&gesture, &changed), keys((&rig, &doc), clip, gesture.time, &changed)?)
            }
        };
        if edits.is_empty() {
            self.outbox.send(&done);
            return Ok(());
        }
        let edit = GestureEdit { title, edits, scale, since: gesture.seen };
        self.document.send(ToDocument::Gesture { client: self.client, id, edit });
        Ok(())
    }
}

/// Takes hold of something.
fn grab(
    wish: GrabWish,
    (rig, doc): (&Rig, &RigDoc),
    state: &FrameState,
    is_setup: bool,
) -> Result<Grab, Reason> {
    let skeleton = rig.skeleton();
    let find = |bone: &str| skeleton.find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""));
    let setup = |kind: &str, bone: &str| match is_setup {
        true => find(bone),
        false => find(bone).and_then(|_| Err(format!("`{kind}` needs the setup pose: `clip` must be null"))),
    };
    let place = |kind: &str, end: SetupEnd, bone: &str, pressed: (Option<Point>, bool)| {
        setup(kind, bone)?;
        Placing::new(end, bone, (rig, doc), pressed).map(Grab::Place)
    };
    match wish {
        GrabWish::Goal { name, at } => {
            if rig.find_constraint(&name).is_none() {
                return Err(format!("there is no constraint \"{name}\""));
            }
            let Some((_, place)) = goals(rig, state).into_iter().find(|(known, _)| *known == name) else {
                return Err(format!("the target of \"{name}\" is no point of the canvas: drag its bone"));
            };
            Ok(Grab::Goal { name, by: at.map_or(Vec2::ZERO, |at| place - at) })
        }
        GrabWish::Ik { bone, point, at } => {
            let id = find(&bone)?;
            let (point, place) = match point.as_deref() {
                None | Some("tip") => (AttachmentPoint::Tip, state.world().tip(skeleton, state.driven(), id)),
                Some("joint") => (AttachmentPoint::Origin, state.world().origin(id)),
                Some("grip") => {
                    let at = at.ok_or("`at` must be the place of the grip")?;
                    (AttachmentPoint::At(grip(rig, state, id, at, false)?), at)
                }
                Some(other) => return Err(format!("a bone has no point \"{other}\"")),
            };
            let by = at.map_or(Vec2::ZERO, |at| place - at);
            Ok(Grab::Tip { bone, point, by, place, goals: goals(rig, state) })
        }
        GrabWish::Bone { bone, at, tear } => place("bone", SetupEnd::Both, &bone, (at, tear)),
        GrabWish::Joint { bone, at, tear } => place("joint", SetupEnd::Joint, &bone, (at, tear)),
        GrabWish::Tip { bone, at, tear } => place("tip", SetupEnd::Tip, &bone, (at, tear)),
        GrabWish::Limit { bone, end } => {
            setup("limit", &bone)?;
            Ok(Grab::Limit { bone, end: end.min(1) })
        }
        GrabWish::Region { bone, end } => {
            setup("region", &bone)?;
            Ok(Grab::Region { bone, end: end.min(1) })
        }
        GrabWish::Rotate { bone, at, mut bones } => {
            let grip = grip(rig, state, find(&bone)?, at, true)?;
            bones.retain(|name| *name != bone && skeleton.find(name).is_some());
            bones.push(bone.clone());
            Ok(Grab::Turn { bone, grip, bones, by: Angle::ZERO })
        }
        GrabWish::Translate { bone, at } => {
            let grip = grip(rig, state, find(&bone)?, at, false)?;
            Ok(Grab::Bone { bone, grip, motion: BoneMotion::Translate })
        }
        GrabWish::Scale { bone, at } => {
            let grip = grip(rig, state, find(&bone)?, at, true)?;
            Ok(Grab::Bone { bone, grip, motion: BoneMotion::Scale })
        }
    }
}

/// Where a bone is held. A grip at the joint gives no direction: where one is needed, the bone is held by its
/// tip.
fn grip(
    rig: &Rig,
    state: &FrameState,
    bone: BoneId,
    at: Point,
    has_direction: bool,
) -> Result<Point, Reason> {
    let grip = rig.grip(state, bone, at).ok_or("the bone is scaled to nothing")?;
    let is_joint = has_direction && grip.to_vec2().hypot() < 1e-6;
    Ok(if is_joint { Point::new(rig.skeleton().length(bone), 0.0) } else { grip })
}

/// Why what is held cannot be moved at all.
fn refusal(grab: &Grab, rig: &Rig, doc: &RigDoc, state: &FrameState) -> Option<Reason> {
    match grab {
        Grab::Place(placing) => placing.refusal(rig, doc),
        // The held one shows by itself whether it follows; the others would get keys unseen.
        Grab::Turn { bone, bones, .. } => bones.iter().filter(|name| *name != bone).find_map(|name| {
            let bone = rig.skeleton().find(name)?;
            moved_by(rig, bone, constraints_of(rig, state, bone))
        }),
        _ => None,
    }
}

/// Why something does not move: for good, or only to this place.
struct Unmoved {
    why: Reason,
    for_good: bool,
}

impl From<Reason> for Unmoved {
    fn from(why: Reason) -> Self {
        Self { why, for_good: false }
    }
}

/// Moves what is held and poses the rig; where it is then, if it is a point.
fn moved_to(
    rig: &Rig,
    (clip, time): (Option<&bone_rig::RigClip>, f64),
    grab: &mut Grab,
    (to, chain): (Point, Option<usize>),
    overrides: &mut Overrides,
    state: &mut FrameState,
) -> Result<Option<Point>, Unmoved> {
    let find = |name: &str| {
        rig.skeleton().find(name).ok_or_else(|| format!("bone \"{name}\" is not there any more"))
    };
    let of_rules = |why: Option<Reason>| why.map(|why| Unmoved { why, for_good: true });
    match grab {
        Grab::Turn { bone, grip, bones, by } => {
            let held = find(bone)?;
            let bones = bones.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
            let turn = Turn { bones: &bones, held, grip: *grip, from: *by };
            *by = rig.turn(clip, time, overrides, turn, to, state).map_err(|error| error.to_string())?;
            let missed = rig.missed(state, held, *grip, to).is_none_or(|missed| missed.abs() > IN_DIRECTION);
            match of_rules(holders(rig, state, held)).filter(|_| missed) {
                Some(unmoved) => Err(unmoved),
                None => Ok(None),
            }
        }
        Grab::Bone { bone, grip, motion } => {
            let bone = find(bone)?;
            let handle = Handle::Bone { bone, grip: *grip, motion: *motion };
            let place =
                rig.drag(clip, time, overrides, handle, to, state).map_err(|error| error.to_string())?;
            let missed = *motion == BoneMotion::Translate && place.distance(to) > REACHED;
            match of_rules(holders(rig, state, bone)).filter(|_| missed) {
                Some(unmoved) => Err(unmoved),
                None => Ok(None),
            }
        }
        Grab::Tip { bone, point, by, place: start, goals } => {
            let chain = chain.unwrap_or(2).clamp(1, 100);
            let before = overrides.clone();
            let bone = find(bone)?;
            let handle = Handle::Tip { bone, point: *point, chain };
            let at = to + *by;
            let place =
                rig.drag(clip, time, overrides, handle, at, state).map_err(|error| error.to_string())?;
            if let Some(index) = unnamed(rig, overrides) {
                let why =
                    format!("constraint {} holds it, and has no name: name it to key its target", index + 1);
                return Err(Unmoved { why, for_good: true });
            }
            // What does not get there must not turn bones that rules turn back, and not send targets away.
            let turned = overrides.bones.iter().filter(|(id, value)| before.bones.get(*id) != Some(*value));
            let mut ids = turned.flat_map(|(id, _)| [id, bone]);
            let held = ids.find_map(|id| moved_by(rig, id, constraints_of(rig, state, id)));
            let far = MOST_GOAL_WAY * (1.0 + at.distance(*start));
            let is_away = |(name, from): &(String, Point)| {
                let own = rig.find_constraint(name).and_then(|index| overrides.constraints.get(index));
                own.and_then(|own| own.place).is_some_and(|place| place.distance(*from) > far)
            };
            let held = held.or_else(|| {
                let rules = goals.iter().any(is_away).then(|| constraints_of(rig, state, bone))?;
                moved_by(rig, bone, rules)
            });
            match held.filter(|_| place.distance(at) > REACHED) {
                Some(why) => Err(Unmoved { why, for_good: false }),
                None => Ok(Some(place - *by)),
            }
        }
        Grab::Goal { name, by } => {
            let index =
                rig.find_constraint(name).ok_or_else(|| format!("there is no constraint \"{name}\""))?;
            let own = overrides.constraints.get(index).unwrap_or_default();
            overrides.constraints.set(index, ConstraintOverride { place: Some(to + *by), ..own });
            rig.pose_with(clip, time, overrides, state).map_err(|error| error.to_string())?;
            Ok(None)
        }
        Grab::Place(_) | Grab::Limit { .. } | Grab::Region { .. } => Ok(None),
    }
}

/// The constraint without a name whose target is moved: targets are keyed by name.
fn unnamed(rig: &Rig, overrides: &Overrides) -> Option<usize> {
    let is_unnamed = |index: usize| rig.constraints().nth(index).is_none_or(|(rule, _)| rule.name.is_none());
    let mut moved = overrides.constraints.iter().filter(|(_, value)| value.place.is_some());
    moved.find_map(|(index, _)| is_unnamed(index).then_some(index))
}

/// The value of a handle of the setup: the angle of a limit, or the radius of a region.
fn setup_value(rig: &Rig, grab: &Grab, to: Point) -> Option<f64> {
    let skeleton = rig.skeleton();
    match grab {
        Grab::Limit { bone, .. } => {
            let bone = skeleton.find(bone)?;
            let angle = Angle::of(to - skeleton.setup_origin(bone)) - skeleton.setup_angle(bone);
            Some(angle.nearest_to(Angle::ZERO).degrees())
        }
        Grab::Region { bone, end } => {
            let bone = skeleton.find(bone)?;
            let centre = if *end == 0 { skeleton.setup_origin(bone) } else { skeleton.setup_tip(bone) };
            Some(centre.distance(to))
        }
        _ => None,
    }
}

/// The bones as they lie while the setup is changed; none if it is no such gesture.
fn setup_bones(gesture: &Gesture, rig: Option<&Rig>) -> Option<Vec<[f64; 5]>> {
    let skeleton = rig?.skeleton();
    let pointer = gesture.to.filter(|_| gesture.refused.is_none());
    match &gesture.grab {
        Grab::Place(placing) => Some(placing.preview(skeleton, pointer)),
        Grab::Limit { .. } | Grab::Region { .. } => {
            let bone = |id: BoneId| {
                let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
                [from.x, from.y, to.x, to.y, skeleton.setup_angle(id).degrees()]
            };
            Some(skeleton.bones().map(bone).collect())
        }
        _ => None,
    }
}

/// The edit of a gesture in the setup.
fn setup_edit(rig: &Rig, doc: &RigDoc, gesture: &Gesture) -> Result<(String, Vec<Edit>), Reason> {
    if let (Grab::Place(placing), Some(pointer)) = (&gesture.grab, gesture.to) {
        return Ok((placing.title(), placing.edits(rig, doc, pointer)));
    }
    let set = |at: [&str; 3], value: DocValue| vec![Edit::set(at, value)];
    match (&gesture.grab, gesture.setup) {
        (Grab::Limit { bone, end }, Some(angle)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.limits.map(|limits| limits.value));
            let mut limits = typed.map_or([angle.min(0.0), angle.max(0.0)], |it| [it.least, it.most]);
            limits[*end] = if *end == 0 { angle.min(limits[1]) } else { angle.max(limits[0]) };
            let edits = set(["bones", bone, "limits"], (limits[0], limits[1]).into());
            Ok((format!("Set limits of \"{bone}\""), edits))
        }
        (Grab::Region { bone, end }, Some(radius)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.region.map(|region| region.value));
            let mut region = typed.map_or([radius; 2], |it| [it.start, it.tip]);
            region[*end] = radius;
            let edits = set(["bones", bone, "region"], (region[0], region[1]).into());
            Ok((format!("Set region of \"{bone}\""), edits))
        }
        (Grab::Goal { name, .. }, _) => {
            let Some(at) = gesture.values.goals.get(name) else { return Ok((String::new(), Vec::new())) };
            Ok((format!("Move target of \"{name}\""), set(["constraints", name, "target"], (*at).into())))
        }
        (Grab::Turn { bone, .. } | Grab::Bone { bone, .. } | Grab::Tip { bone, .. }, _) => {
            Err(format!("choose a clip to pose \"{bone}\": in the setup its joint and tip are moved"))
        }
        _ => Ok((String::new(), Vec::new())),
    }
}

/// What a list of steps calls a gesture.
fn title(gesture: &Gesture, changed: &PoseValues) -> String {
    match &gesture.grab {
        Grab::Turn { bones, .. } if bones.len() > 1 => format!("Turn {} bones", bones.len()),
        Grab::Turn { bone, .. } => format!("Turn \"{bone}\""),
        Grab::Bone { bone, motion, .. } => match motion {
            BoneMotion::Rotate => format!("Turn \"{bone}\""),
            BoneMotion::Translate => format!("Move \"{bone}\""),
            BoneMotion::Scale => format!("Scale \"{bone}\""),
        },
        Grab::Tip { bone, .. } if changed.bones.len() > 1 => format!("Reach with \"{bone}\""),
        Grab::Tip { bone, .. } => format!("Move the tip of \"{bone}\""),
        Grab::Goal { name, .. } => format!("Move target of \"{name}\""),
        _ => "Edit".to_owned(),
    }
}
