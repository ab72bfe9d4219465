//! Values of channels over time, for their curves.

use bone_core::clip::{BoneProperty, Properties as _};
use bone_core::constraint::{Constraint, ConstraintParameters, ConstraintProperty, ConstraintRule};
use bone_core::{BoneId, Pose};
use bone_format::doc::ClipDoc;
use bone_rig::{FrameState, Overrides, Rig, RigClip};
use kurbo::Point;

use super::Engine;
use super::goals::{clip, rest_goals};
use crate::message::Reason;
use crate::server::proto::Reply;
use crate::server::rows::{RowOwner, rows};
use crate::server::staged::channel_of;

/// The most samples of a curve, and the most curves.
const MOST: (usize, usize) = (10_000, 64);

/// What a curve is of.
enum Curved {
    Bone(BoneId, BoneProperty),
    Rule(usize, ConstraintProperty, Point),
    /// A row of art, a slider or the camera.
    Row(RowOwner, String),
}

impl Curved {
    /// The channel of a clip at a path.
    fn at(rig: &Rig, path: &[String]) -> Result<Self, Reason> {
        let none = || format!("\"{}\" has no curve", path.join("."));
        let owner = |of: &str, name: &str| RowOwner { of: of.to_owned(), name: name.to_owned() };
        let names: Vec<&str> = path.iter().skip(2).map(String::as_str).collect();
        let of_shot = channel_of(&names);
        match of_shot.as_ref().map_or(names.as_slice(), |names| names.as_slice()) {
            ["bones", bone, channel] => {
                let property = BoneProperty::named(channel).ok_or_else(none)?;
                let id = rig.skeleton().find(bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
                Ok(Self::Bone(id, property))
            }
            ["constraints", rule, channel] => {
                let property = ConstraintProperty::named(channel).ok_or_else(none)?;
                let index = rig.find_constraint(rule).ok_or_else(none)?;
                let place = rest_goals(rig).find(|(at, ..)| *at == index).map(|(.., place)| place);
                Ok(Self::Rule(index, property, place.unwrap_or_default()))
            }
            ["art", art, channel] => Ok(Self::Row(owner("art", art), (*channel).to_owned())),
            ["filters", filter, channel] => {
                let (art, _) = filter.rsplit_once(".filter").ok_or_else(none)?;
                Ok(Self::Row(owner("filter", art), (*channel).to_owned()))
            }
            ["sliders", slider] => Ok(Self::Row(owner("slider", slider), "slider".to_owned())),
            ["camera", channel] => Ok(Self::Row(owner("camera", ""), (*channel).to_owned())),
            _ => Err(none()),
        }
    }

    /// Its numbers in a posed moment.
    fn numbers(&self, (rig, typed): (&Rig, &ClipDoc), pose: &Pose, state: &FrameState) -> Option<Vec<f64>> {
        match self {
            Self::Bone(id, property) => {
                let setup = pose.setup(rig.skeleton(), *id);
                let value = property.of(pose.bones.get(id.index())?, &setup);
                Some(if property.row().kind.is_pair() { vec![value.x, value.y] } else { vec![value.x] })
            }
            Self::Rule(index, property, rest) => {
                let own = state.constraint_parameters().get(*index)?;
                let (_, rule) = rig.constraints().nth(*index)?;
                rule_numbers((own, *rest), rule, *property)
            }
            Self::Row(owner, name) => {
                let rows = rows((rig, typed), state, owner).ok()?;
                rows.iter().find(|row| row.name == *name)?.numbers()
            }
        }
    }
}

fn rule_numbers(
    (own, rest): (&ConstraintParameters, Point),
    rule: &Constraint,
    property: ConstraintProperty,
) -> Option<Vec<f64>> {
    let number = match (property, &rule.rule) {
        (ConstraintProperty::Target, _) => {
            let Point { x, y } = own.place.unwrap_or(rest);
            return Some(vec![x, y]);
        }
        (ConstraintProperty::Mix, _) => own.mix,
        (ConstraintProperty::Softness, ConstraintRule::Ik(ik)) => own.softness.unwrap_or(ik.softness),
        (ConstraintProperty::Softness, _) => own.softness?,
        (ConstraintProperty::Position, ConstraintRule::Path(path)) => own.amount.unwrap_or(path.position),
        (ConstraintProperty::Distance, ConstraintRule::Distance(rule)) => own.amount.unwrap_or(rule.distance),
        _ => return None,
    };
    Some(vec![number])
}

impl Engine {
    /// Samples of channels of one clip: for each of them a list for each of its numbers.
    pub(super) fn curve(
        &mut self,
        seq: u32,
        paths: &[Vec<String>],
        (from, to): (f64, f64),
        count: usize,
    ) -> Result<(), Reason> {
        let (rig, doc, state) = self.rig()?;
        let clip = curved_clip(&rig, paths)?;
        let found: Result<Vec<Curved>, Reason> = paths.iter().map(|path| Curved::at(&rig, path)).collect();
        let found = found?;
        let empty = ClipDoc::default();
        let typed = doc.keyed(clip.name()).unwrap_or(&empty);
        let is_posed = found.iter().any(|of| !matches!(of, Curved::Bone(..)));
        let overrides = Overrides { camera: rig.page_camera(), ..Overrides::new() };
        let (mut scratch, mut pose) = (Pose::new(rig.skeleton()), Pose::new(rig.skeleton()));
        let count = count.clamp(2, MOST.0);
        let mut times = Vec::with_capacity(count);
        let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); found.len()];
        for at in 0..count {
            let time = from + (to - from) * at as f64 / (count - 1) as f64;
            rig.sample(clip, time, &mut scratch, &mut pose).map_err(|error| error.to_string())?;
            if is_posed {
                let posed = rig.pose_with(Some(clip), time, &overrides, state);
                posed.map_err(|error| error.to_string())?;
            }
            for (of, lists) in found.iter().zip(&mut values) {
                let numbers = of.numbers((&rig, typed), &pose, state);
                let numbers = numbers.ok_or("what is no number has no curve")?;
                lists.resize(numbers.len(), Vec::new());
                numbers.into_iter().zip(lists).for_each(|(number, list)| list.push(number));
            }
            times.push(time);
        }
        self.outbox.send(&Reply::Curve { seq, times, values });
        Ok(())
    }
}

/// The clip whose channels these are.
fn curved_clip<'r>(rig: &'r Rig, paths: &[Vec<String>]) -> Result<&'r RigClip, Reason> {
    let names = paths.iter().map(|path| match path.as_slice() {
        [section, name, ..] if section == "clips" || section == "shots" => Some(name.as_str()),
        _ => None,
    });
    let mut names = names.collect::<Option<Vec<&str>>>().ok_or("only channels of clips have curves")?;
    if names.len() > MOST.1 {
        return Err(format!("at most {} curves at once", MOST.1));
    }
    names.dedup();
    match names.as_slice() {
        [name] => clip(rig, Some(name))?.ok_or_else(|| "there is no clip".to_owned()),
        _ => Err("curves are of channels of one clip".to_owned()),
    }
}
