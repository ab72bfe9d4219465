//! Gestures: what a pointer holds, how it moves, and the edit that its release makes.

use bone_core::constraint::AttachmentPoint;
use bone_core::{Angle, BoneId};
use bone_format::doc::RigDoc;
use bone_rig::{BoneMotion, ConstraintOverride, FrameState, Handle, Overrides, Rig, Turn};
use kurbo::{Point, Vec2};
use serde_json::{Value, json};

use super::Engine;
use super::goals::{clip, goals};
use super::grab::{Gesture, Grab};
use super::picture::picture;
use super::placing::Placing;
use super::queue::kind;
use super::rules::{constraints_of, holders, moved_by};
use crate::server::document::ToDocument;
use crate::server::keys::keys;
use crate::server::pose::{PoseValues, sample};
use crate::server::value::{Fields, Reason};

/// A point is where it shall be if it is no farther away, in canvas units.
const REACHED: f64 = 0.5;

/// The grip of a bone that turns is in the direction of the pointer if it misses it by less, in degrees.
const IN_DIRECTION: f64 = 1.0;

/// A target moves at most so many times as far as the tip that is dragged, if the tip does not get there.
const MOST_GOAL_WAY: f64 = 4.0;

impl Engine {
    pub(super) fn begin(&mut self, fields: Fields<'_>) -> Result<(), Reason> {
        let name = fields.text("gesture")?.to_owned();
        let (clip_name, time) = (fields.maybe_text("clip")?, fields.maybe_number("time")?.unwrap_or(0.0));
        let start = PoseValues::read(fields)?;
        let grab = fields.object("grab")?.ok_or_else(|| "`grab` must be an object".to_owned())?;
        let (rig, doc, state) = self.rig()?;
        let clip = clip(&rig, clip_name)?;
        let overrides = start.overrides(&rig, &sample(&rig, clip, time));
        rig.pose_with(clip, time, &overrides, state).map_err(|error| error.to_string())?;
        let grab = self::grab(grab, &rig, state, clip_name.is_none())?;
        let refused = refusal(&grab, &rig, &doc, state);
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
            refused,
            unmoved: None,
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
        if let Some(why) = gesture.refused.as_ref().or(gesture.unmoved.as_ref()).cloned() {
            return Err(why);
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
        let Some((_, place)) = goals(rig, state).into_iter().find(|(known, _)| *known == name) else {
            return Err(format!("the target of \"{name}\" is no point of the canvas: drag its bone"));
        };
        let by = fields.maybe_point("at")?.map_or(Vec2::ZERO, |at| place - at);
        return Ok(Grab::Goal { name, by });
    }
    let bone = fields.text("bone")?.to_owned();
    let id = skeleton.find(&bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
    let only_setup = |grab: Grab| match is_setup {
        true => Ok(grab),
        false => Err(format!("`{kind}` needs the setup pose: `clip` must be null")),
    };
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
            let by = fields.maybe_point("at")?.map_or(Vec2::ZERO, |at| place - at);
            return Ok(Grab::Tip { bone, point, by, place, goals: goals(rig, state) });
        }
        "bone" | "joint" | "tip" => {
            return only_setup(Grab::Place(Placing::new(kind, &bone, rig, fields)?));
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
    if motion == BoneMotion::Rotate {
        let mut bones: Vec<String> = fields.texts("bones")?.into_iter().map(str::to_owned).collect();
        bones.retain(|name| *name != bone && skeleton.find(name).is_some());
        bones.push(bone.clone());
        return Ok(Grab::Turn { bone, grip, bones, by: Angle::ZERO });
    }
    Ok(Grab::Bone { bone, grip, motion })
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
fn setup_bones(gesture: &Gesture, rig: Option<&Rig>) -> Option<Value> {
    let skeleton = rig?.skeleton();
    let pointer = gesture.to.filter(|_| gesture.refused.is_none());
    match &gesture.grab {
        Grab::Place(placing) => Some(placing.preview(skeleton, pointer)),
        Grab::Limit { .. } | Grab::Region { .. } => {
            let bone = |id: BoneId| {
                let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
                json!([from.x, from.y, to.x, to.y, skeleton.setup_angle(id).degrees()])
            };
            Some(skeleton.bones().map(bone).collect())
        }
        _ => None,
    }
}

/// The edit of a gesture in the setup.
fn setup_edit(rig: &Rig, doc: &RigDoc, gesture: &Gesture) -> Result<(String, Vec<Value>), Reason> {
    if let (Grab::Place(placing), Some(pointer)) = (&gesture.grab, gesture.to) {
        return Ok((placing.title(), placing.ops(rig, doc, pointer)));
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
        (Grab::Goal { name, .. }, _) => {
            let Some(at) = gesture.values.goals.get(name) else { return Ok((String::new(), Vec::new())) };
            let op = json!({ "op": "Set", "at": ["constraints", name, "target"], "value": [at.x, at.y] });
            Ok((format!("Move target of \"{name}\""), vec![op]))
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
