//! Gestures: what a pointer holds, how it moves, and the edit that its release makes.

use bone_core::BoneId;
use bone_core::constraint::AttachmentPoint;
use kurbo::{Affine, Point};
use rig::{BoneMotion, FrameState, Handle, Rig};
use rig_format::doc::RigDoc;
use serde_json::{Value, json};

use super::picture::picture;
use super::queue::kind;
use super::{Engine, clip, rest_goals};
use crate::server::document::ToDocument;
use crate::server::overtaken::Since;
use crate::server::pose::{PoseValues, keys, sample};
use crate::server::value::{Fields, Reason};

/// A point is where it shall be if it is no farther away, in canvas units.
const REACHED: f64 = 0.5;

/// What a pointer holds.
#[derive(Clone, Debug)]
enum Grab {
    Bone { bone: String, grip: Point, motion: BoneMotion },
    Tip { bone: String, point: AttachmentPoint, by: kurbo::Vec2 },
    Goal { name: String },
    Place { bone: String, end: SetupEnd, from: Point, to: Point, at: Point, carry: bool },
    Limit { bone: String, end: usize },
    Region { bone: String, end: usize },
}

/// What is moved of a bone at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SetupEnd {
    Joint,
    Tip,
    Both,
}

/// A drag from press to release.
pub(super) struct Gesture {
    name: String,
    clip: Option<String>,
    time: f64,
    grab: Grab,
    /// What the texts were when it began.
    seen: Since,
    /// What was set when it began.
    start: PoseValues,
    values: PoseValues,
    /// The place of the pointer.
    to: Option<Point>,
    /// A value in the setup: an angle or a radius.
    setup: Option<f64>,
}

impl Engine {
    pub(super) fn begin(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let name = fields.text("gesture")?.to_owned();
        let (clip_name, time) = (fields.maybe_text("clip")?, fields.maybe_number("time")?.unwrap_or(0.0));
        let start = PoseValues::read(fields)?;
        let grab = fields.object("grab")?.ok_or_else(|| "`grab` must be an object".to_owned())?;
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, clip_name)?;
        let overrides = start.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        let grab = self::grab(grab, &rig, state, clip_name.is_none())?;
        let seen = self.since(fields)?;
        self.gesture = Some(Gesture {
            name,
            seen,
            clip: clip_name.map(str::to_owned),
            time,
            grab,
            values: start.clone(),
            start,
            to: None,
            setup: None,
        });
        Ok(())
    }

    pub(super) fn drag(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let seq = fields.seq()?;
        let to = fields.point("to")?;
        let chain = fields.count("chain")?;
        let picture = picture(fields)?;
        let name = fields.text("gesture")?;
        let Some(mut gesture) = self.gesture.take().filter(|gesture| gesture.name == name) else {
            return Err(format!("there is no gesture \"{name}\""));
        };
        if let Some(why) = self.gone(&gesture) {
            self.outbox.send(&json!({ "t": "ended", "gesture": name, "why": why }));
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
        let bones = setup_bones(&gesture, self.published.rig.as_deref());
        let is_setup = bones.is_some();
        let setup = gesture.setup;
        self.gesture = Some(gesture);
        if later {
            return Ok(());
        }
        let mut extra = json!({ "reach": reach, "held": held.into_iter().collect::<Vec<_>>() });
        if let (Some(bones), Some(extra)) = (bones, extra.as_object_mut()) {
            extra.insert("bones".to_owned(), bones);
            extra.insert("setup".to_owned(), json!(setup));
        }
        let (rig, _, _) = self.rig()?;
        let clip = clip(&rig, clip_name.as_deref())?;
        self.show(seq, fields, (clip, time), &values, &picture, !is_setup, Some(extra))
    }

    /// Why a gesture cannot go on: another program deleted what is dragged.
    fn gone(&self, gesture: &Gesture) -> Option<String> {
        let seen = gesture.seen.held.as_deref()?;
        let gone = |section: &str, name: &str| self.published.gone(seen, section, name);
        let clip = gesture.clip.as_deref().and_then(|clip| gone("clips", clip));
        clip.or_else(|| match &gesture.grab {
            Grab::Goal { .. } => None,
            Grab::Bone { bone, .. }
            | Grab::Tip { bone, .. }
            | Grab::Place { bone, .. }
            | Grab::Limit { bone, .. }
            | Grab::Region { bone, .. } => gone("bones", bone),
        })
    }

    /// Moves what is held; where it is then, if it is a point.
    fn move_to(
        &mut self,
        gesture: &mut Gesture,
        to: Point,
        chain: Option<usize>,
    ) -> Result<Option<Point>, Reason> {
        let (rig, _, state) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let time = gesture.time;
        gesture.to = Some(to);
        let sampled = sample(&rig, clip, time);
        let find = |name: &str| {
            rig.skeleton().find(name).ok_or_else(|| format!("bone \"{name}\" is not there any more"))
        };
        // Turns add up from drag to drag. All else depends on the place of the pointer alone, so that the way
        // to it does not matter.
        let from = match &gesture.grab {
            Grab::Bone { motion: BoneMotion::Rotate, .. } => &gesture.values,
            _ => &gesture.start,
        };
        let mut overrides = from.overrides(&rig, &sampled);
        let (handle, at) = match &gesture.grab {
            Grab::Bone { bone, grip, motion } => {
                (Handle::Bone { bone: find(bone)?, grip: *grip, motion: *motion }, to)
            }
            Grab::Tip { bone, point, by } => {
                let chain = chain.unwrap_or(2).clamp(1, 100);
                (Handle::Tip { bone: find(bone)?, point: *point, chain }, to + *by)
            }
            Grab::Goal { name } => {
                gesture.values.goals.insert(name.clone(), to);
                let overrides = gesture.values.overrides(&rig, &sampled);
                rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
                return Ok(None);
            }
            Grab::Place { .. } => return Ok(None),
            Grab::Limit { bone, .. } => {
                let bone = find(bone)?;
                let skeleton = rig.skeleton();
                let direction = to - skeleton.setup_origin(bone);
                let angle = bone_core::Angle::of(direction) - skeleton.setup_angle(bone);
                gesture.setup = Some(angle.nearest_to(bone_core::Angle::ZERO).degrees());
                return Ok(None);
            }
            Grab::Region { bone, end } => {
                let bone = find(bone)?;
                let skeleton = rig.skeleton();
                let centre = if *end == 0 { skeleton.setup_origin(bone) } else { skeleton.setup_tip(bone) };
                gesture.setup = Some(centre.distance(to));
                return Ok(None);
            }
        };
        let dragged = rig.drag(clip, time, &mut overrides, handle, at, state);
        // The target of a constraint is keyed by its name.
        let unnamed = overrides.constraints.iter().find(|(index, value)| {
            value.place.is_some() && rig.constraints().nth(*index).is_none_or(|(rule, _)| rule.name.is_none())
        });
        if let Some((index, _)) = unnamed {
            let before = gesture.values.overrides(&rig, &sampled);
            rig.pose_with(clip, time, &before, state).map_err(|error| error.to_string())?;
            return Err(format!(
                "constraint {} holds it, and has no name: name it to key its target",
                index + 1
            ));
        }
        gesture.values = PoseValues::of_overrides(&rig, &sampled, &overrides);
        match (dragged, &gesture.grab) {
            (Ok(grip), Grab::Bone { bone, motion: BoneMotion::Rotate, .. }) => {
                // The grip lies in the direction of the pointer, unless something else turns the bone.
                let joint = state.world().origin(find(bone)?);
                let missed =
                    bone_core::Angle::of(grip - joint).degrees() - bone_core::Angle::of(to - joint).degrees();
                let missed = missed.rem_euclid(360.0);
                match holders(&rig, find(bone)?) {
                    Some(rules) if missed > 1.0 && missed < 359.0 => Err(rules),
                    _ => Ok(None),
                }
            }
            (Ok(place), Grab::Tip { by, .. }) => Ok(Some(place - *by)),
            (Ok(_), _) => Ok(None),
            (Err(error), _) => Err(error.to_string()),
        }
    }

    /// Ends a gesture.
    pub(super) fn end(&mut self, fields: Fields<'_>, message: &Value) -> Result<(), Reason> {
        let name = fields.text("gesture")?;
        let Some(gesture) = self.gesture.take_if(|gesture| gesture.name == name) else {
            self.document.send(ToDocument::Request { client: self.client, message: message.clone() });
            return Ok(());
        };
        if kind(message) == "cancel" {
            return Ok(());
        }
        let id = fields.get("id").cloned().unwrap_or(Value::Null);
        let scale = fields.maybe_number("scale")?.unwrap_or(1.0);
        let wants_keys = fields.flag("key", true)?;
        let done = json!({ "t": "done", "id": id, "rev": self.published.rev });
        if let Some(why) = self.gone(&gesture) {
            self.outbox.send(&json!({ "t": "refused", "id": id, "why": why, "help": [] }));
            return Ok(());
        }
        if gesture.to.is_none() {
            self.outbox.send(&done);
            return Ok(());
        }
        let (rig, doc, _) = self.rig()?;
        let clip = clip(&rig, gesture.clip.as_deref())?;
        let (title, ops) = match clip {
            None => setup_edit(&rig, &doc, &gesture)?,
            Some(clip) => {
                if !wants_keys {
                    self.outbox.send(&done);
                    return Ok(());
                }
                let changed = gesture.values.other_than(&gesture.start);
                (title(&gesture, &changed), keys((&rig, &doc), clip, gesture.time, &changed)?)
            }
        };
        if ops.is_empty() {
            self.outbox.send(&done);
            return Ok(());
        }
        let since = gesture.seen;
        self.document.send(ToDocument::Gesture { client: self.client, id, title, ops, scale, since });
        Ok(())
    }
}

/// Takes hold of something.
fn grab(fields: Fields<'_>, rig: &Rig, state: &FrameState, is_setup: bool) -> Result<Grab, Reason> {
    let kind = fields.text("kind")?;
    let skeleton = rig.skeleton();
    if kind == "goal" {
        let name = fields.text("name")?.to_owned();
        if rig.find_constraint(&name).is_none() {
            return Err(format!("there is no constraint \"{name}\""));
        }
        if !rest_goals(rig).iter().any(|(known, _)| *known == name) {
            return Err(format!("the target of \"{name}\" is no point of the canvas: drag its bone"));
        }
        return Ok(Grab::Goal { name });
    }
    let bone = fields.text("bone")?.to_owned();
    let id = skeleton.find(&bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
    let only_setup = |grab: Grab| match is_setup {
        true => Ok(grab),
        false => Err(format!("`{kind}` needs the setup pose: `clip` must be null")),
    };
    let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
    let end = fields.count("end")?.unwrap_or(0).min(1);
    let motion = match kind {
        "rotate" => BoneMotion::Rotate,
        "translate" => BoneMotion::Translate,
        "scale" => BoneMotion::Scale,
        "ik" => {
            let (point, place) = match fields.maybe_text("point")? {
                None | Some("tip") => (AttachmentPoint::Tip, state.world().tip(skeleton, state.driven(), id)),
                Some("joint") => (AttachmentPoint::Origin, state.world().origin(id)),
                Some(other) => return Err(format!("a bone has no point \"{other}\"")),
            };
            let by = fields.maybe_point("at")?.map_or(kurbo::Vec2::ZERO, |at| place - at);
            return Ok(Grab::Tip { bone, point, by });
        }
        "bone" | "joint" | "tip" => {
            let end = match kind {
                "joint" => SetupEnd::Joint,
                "tip" => SetupEnd::Tip,
                _ => SetupEnd::Both,
            };
            let near = if end == SetupEnd::Tip { to } else { from };
            let at = fields.maybe_point("at")?.unwrap_or(near);
            return only_setup(Grab::Place { bone, end, from, to, at, carry: fields.flag("carry", false)? });
        }
        "limit" => return only_setup(Grab::Limit { bone, end }),
        "region" => return only_setup(Grab::Region { bone, end }),
        other => return Err(format!("there is no grab \"{other}\"")),
    };
    let at = fields.point("at")?;
    let mut grip = rig.grip(state, id, at).ok_or("the bone is scaled to nothing")?;
    // A grip at the joint gives no direction: the bone is held by its tip.
    if grip.to_vec2().hypot() < 1e-6 && motion != BoneMotion::Translate {
        grip = Point::new(skeleton.length(id), 0.0);
    }
    Ok(Grab::Bone { bone, grip, motion })
}

/// The ends of a bone that is moved at rest.
fn placed(gesture: &Gesture) -> Option<(&str, Point, Point)> {
    let (Grab::Place { bone, end, from, to, at, .. }, Some(pointer)) = (&gesture.grab, gesture.to) else {
        return None;
    };
    let by = pointer - *at;
    let moves = |wanted: SetupEnd| *end == wanted || *end == SetupEnd::Both;
    let from = if moves(SetupEnd::Joint) { *from + by } else { *from };
    let to = if moves(SetupEnd::Tip) { *to + by } else { *to };
    Some((bone, from, to))
}

/// The bones as they lie while one is moved at rest; none if it is no such gesture.
fn setup_bones(gesture: &Gesture, rig: Option<&Rig>) -> Option<Value> {
    if matches!(gesture.grab, Grab::Bone { .. } | Grab::Tip { .. } | Grab::Goal { .. }) {
        return None;
    }
    let skeleton = rig?.skeleton();
    let moved = placed(gesture).and_then(|(name, from, to)| Some((skeleton.find(name)?, from, to)));
    let change = moved.map(|(bone, from, to)| {
        let old = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        (bone, from, to, motion_of(old, (from, to)))
    });
    let carry = matches!(gesture.grab, Grab::Place { carry: true, .. });
    let bone = |bone: BoneId| {
        let (mut from, mut to) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        if let Some((moved, new_from, new_to, motion)) = change {
            let mut above = skeleton.parent(bone);
            while above.is_some_and(|id| id != moved) {
                above = above.and_then(|id| skeleton.parent(id));
            }
            if bone == moved {
                (from, to) = (new_from, new_to);
            } else if carry && above.is_some() {
                (from, to) = (motion * from, motion * to);
            }
        }
        let angle = bone_core::Angle::of(to - from).degrees();
        json!([from.x, from.y, to.x, to.y, angle])
    };
    Some(skeleton.bones().map(bone).collect())
}

/// How a bone is moved from two points to two others: its origin and its direction; its length moves the
/// points behind its tip.
fn motion_of(old: (Point, Point), new: (Point, Point)) -> Affine {
    let turn = (bone_core::Angle::of(new.1 - new.0) - bone_core::Angle::of(old.1 - old.0)).rotation();
    let turned = (turn * (old.1 - old.0).to_point()).to_vec2();
    let rest = (new.1 - new.0) - turned;
    Affine::translate(new.0.to_vec2() + rest) * turn * Affine::translate(-old.0.to_vec2())
}

/// The edit of a gesture in the setup.
fn setup_edit(rig: &Rig, doc: &RigDoc, gesture: &Gesture) -> Result<(String, Vec<Value>), Reason> {
    let skeleton = rig.skeleton();
    let pair = |at: Point| json!([at.x, at.y]);
    if let Some((bone, from, to)) = placed(gesture) {
        let Grab::Place { end, carry, .. } = &gesture.grab else { return Ok((String::new(), Vec::new())) };
        let mut ops = vec![json!({
            "op": "PlaceBone", "bone": bone,
            "from": (*end != SetupEnd::Tip).then(|| pair(from)),
            "to": pair(to),
        })];
        let Some(moved) = skeleton.find(bone) else { return Err(format!("there is no bone \"{bone}\"")) };
        let motion = motion_of((skeleton.setup_origin(moved), skeleton.setup_tip(moved)), (from, to));
        for id in skeleton.bones() {
            let is_child = skeleton.parent(id) == Some(moved);
            let is_below = {
                let mut above = skeleton.parent(id);
                while above.is_some_and(|it| it != moved) {
                    above = above.and_then(|it| skeleton.parent(it));
                }
                above.is_some()
            };
            let typed = doc.bone(skeleton.name(id));
            // Coordinates of the canvas stay by themselves, and those of a frame move by themselves.
            let absolute = typed.is_some_and(|bone| bone.from.is_some() && bone.to.is_some());
            let op = |from: Point, to: Point| json!({ "op": "PlaceBone", "bone": skeleton.name(id), "from": pair(from), "to": pair(to) });
            let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
            if *carry && is_below {
                ops.push(op(motion * from, motion * to));
            } else if !carry && is_child && !absolute {
                ops.push(op(from, to));
            }
        }
        return Ok((format!("Move bone \"{bone}\""), ops));
    }
    match (&gesture.grab, gesture.setup) {
        (Grab::Limit { bone, end }, Some(angle)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.limits.map(|limits| limits.value));
            let mut limits = typed.map_or([angle.min(0.0), angle.max(0.0)], |it| [it.least, it.most]);
            limits[*end] = if *end == 0 { angle.min(limits[1]) } else { angle.max(limits[0]) };
            let op = json!({ "op": "Set", "at": ["bones", bone, "limits"], "value": limits });
            Ok((format!("Set limits of \"{bone}\""), vec![op]))
        }
        (Grab::Region { bone, end }, Some(radius)) => {
            let typed = doc.bone(bone).and_then(|bone| bone.region.map(|region| region.value));
            let mut region = typed.map_or([radius; 2], |it| [it.start, it.tip]);
            region[*end] = radius;
            let op = json!({ "op": "Set", "at": ["bones", bone, "region"], "value": region });
            Ok((format!("Set region of \"{bone}\""), vec![op]))
        }
        (Grab::Goal { name }, _) => {
            let Some(at) = gesture.values.goals.get(name) else { return Ok((String::new(), Vec::new())) };
            let op = json!({ "op": "Set", "at": ["constraints", name, "target"], "value": pair(*at) });
            Ok((format!("Move target of \"{name}\""), vec![op]))
        }
        (Grab::Bone { bone, .. } | Grab::Tip { bone, .. }, _) => {
            Err(format!("choose a clip to pose \"{bone}\": in the setup its joint and tip are moved"))
        }
        _ => Ok((String::new(), Vec::new())),
    }
}

/// What a list of steps calls a gesture.
fn title(gesture: &Gesture, changed: &PoseValues) -> String {
    match &gesture.grab {
        Grab::Bone { bone, motion, .. } => match motion {
            BoneMotion::Rotate => format!("Turn \"{bone}\""),
            BoneMotion::Translate => format!("Move \"{bone}\""),
            BoneMotion::Scale => format!("Scale \"{bone}\""),
        },
        Grab::Tip { bone, .. } if changed.bones.len() > 1 => format!("Reach with \"{bone}\""),
        Grab::Tip { bone, .. } => format!("Move the tip of \"{bone}\""),
        Grab::Goal { name } => format!("Move target of \"{name}\""),
        _ => "Edit".to_owned(),
    }
}

/// The constraints and drivers that move a bone, as a message; none if there are none.
fn holders(rig: &Rig, bone: BoneId) -> Option<String> {
    let skeleton = rig.skeleton();
    let moves = |(_, rule): &(&rig::RigConstraint, &bone_core::constraint::Constraint)| {
        rule.rule.bones_written(skeleton).contains(&bone)
    };
    let mut rules: Vec<String> = rig
        .constraints()
        .enumerate()
        .filter(|(_, entry)| moves(entry))
        .map(|(index, (name, _))| match &name.name {
            Some(name) => format!("the constraint \"{name}\""),
            None => format!("constraint {}", index + 1),
        })
        .collect();
    if rig.drivers().iter().any(|driver| driver.motion.driven().any(|driven| driven == bone)) {
        rules.push("a driver".to_owned());
    }
    (!rules.is_empty()).then(|| format!("\"{}\" is moved by {}", skeleton.name(bone), rules.join(" and ")))
}
