//! Edits on the values of all files of a rig: what they should hold afterwards. It finds what edits name, and
//! does not check what it makes: that is done as for any rig.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_core::{Angle, BoneId, Skeleton};
use kurbo::{Affine, Point};

use super::edit::Edit;
use super::names::{NameUse, Named, rename, uses};
use super::path::{
    DocPath, PathStep, at, at_mut, follow, is_key, is_same_time, item_names, key_time, path_of,
};
use super::value::{DocValue, rounded};
use crate::doc::{Ease, Extend};
use crate::edit::EditError;
use crate::write::Digits;

/// Decimals of numbers whose unit is not known here: as many as no sum of typed numbers makes up.
const DIGITS: usize = 10;

/// The order in which fields are written, in a rig, a bone and a clip.
const RIG: [&str; 13] = [
    "version",
    "drawing",
    "include",
    "fps",
    "tolerance",
    "blend",
    "bones",
    "skin",
    "drivers",
    "constraints",
    "springs",
    "clips",
    "shots",
];
const BONE: [&str; 11] =
    ["parent", "from", "origin", "to", "length", "angle", "line", "inherit", "joint", "limits", "region"];
const CLIP: [&str; 9] =
    ["length", "loop", "step", "bones", "offsets", "setup", "weights", "art", "constraints"];

/// Fields that are canvas units or degrees.
const PLACES: [&str; 20] = [
    "from",
    "to",
    "origin",
    "angle",
    "limits",
    "region",
    "rotate",
    "move",
    "setup_origin",
    "setup_angle",
    "target",
    "target_point",
    "point",
    "at",
    "distance",
    "offset",
    "rotate_offset",
    "move_offset",
    "move_x",
    "move_y",
];

/// The values of all files while they are edited.
pub(super) struct Draft<'a> {
    /// The rig file, then those that it includes.
    pub(super) files: Vec<DocValue>,
    /// The files in the order in which the document has their contents.
    pub(super) order: &'a [usize],
    /// The bones at rest, if they are as the files have them.
    pub(super) skeleton: Option<&'a Skeleton>,
    pub(super) digits: Digits,
}

/// A value of the draft: the file, and positions in it.
type Found = (usize, Vec<usize>);

impl Draft<'_> {
    pub(super) fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::Set { at, value } => self.set(at, self.rounded(at, value)?),
            Edit::Add { into, name, value } => {
                let at = into.clone().name(name);
                if self.locate(&at).is_ok() {
                    let message = format!("there is a \"{name}\" in {into} already");
                    return Err(EditError::request(message).help("choose another name"));
                }
                self.is_free(into.names().first().copied(), name)?;
                self.set(&at, self.rounded(&at, value)?)
            }
            Edit::Insert { into, before, value } => self.insert(into, *before, self.rounded(into, value)?),
            Edit::Remove { at } => self.remove(at),
            Edit::Move { at, to } => self.reorder(at, *to),
            Edit::SetKey { channel, time, value, ease } => {
                let value = self.rounded(channel, value)?;
                self.set_key(channel, self.time(*time)?, value, *ease)
            }
            Edit::MoveKey { channel, from, to } => self.move_key(channel, *from, self.time(*to)?, false),
            Edit::CopyKey { channel, from, to } => self.move_key(channel, *from, self.time(*to)?, true),
            Edit::DeleteKey { channel, time } => self.remove(&channel.clone().time(*time)),
            Edit::SetEase { channel, time, ease } => self.set_ease(channel, *time, *ease),
            Edit::SetExtend { channel, extend } => self.set_extend(channel, *extend),
            Edit::PlaceBone { bone, from, to } => self.place(bone, *from, *to),
            Edit::SetParent { bone, parent, keep_place } => {
                self.set_parent(bone, parent.as_deref(), *keep_place)
            }
            Edit::Rename { of, from, to } => self.rename(*of, from, to),
            Edit::Delete { of, name, dependants } => self.delete(*of, name, *dependants),
            Edit::Duplicate { of, name, copy } => self.duplicate(*of, name, copy),
        }
    }

    /// A value as it will be read.
    fn rounded(&self, at: &DocPath, value: &DocValue) -> Result<DocValue, EditError> {
        if !value.is_writable() {
            let message = format!("the value for {at} has numbers that are not finite, or too many brackets");
            return Err(EditError::request(message).help("numbers in a rig must be finite"));
        }
        Ok(value.rounded(self.digits_at(at)))
    }

    /// The decimals of numbers at a place.
    fn digits_at(&self, at: &DocPath) -> usize {
        let names = at.names();
        let last = names.last().copied().unwrap_or_default();
        match (names.first().copied(), names.get(2).copied()) {
            (Some("clips" | "drivers"), Some("offsets" | "setup")) => self.digits.places,
            (Some("clips"), Some("weights")) => self.digits.shares,
            (Some("clips" | "shots"), _) if last == "length" => self.digits.times,
            (Some("bones"), None) => self.digits.places,
            (Some("bones"), _) if last == "length" => self.digits.places,
            _ if PLACES.contains(&last) => self.digits.places,
            (Some("clips" | "drivers"), Some(_)) => self.digits.shares,
            _ => DIGITS,
        }
    }

    fn time(&self, time: f64) -> Result<f64, EditError> {
        match time.is_finite() {
            true => Ok(rounded(time, self.digits.times)),
            false => Err(EditError::request("the time of a key must be finite")),
        }
    }

    /// The file for new entries of a section: the rig if it has some, or the last part that has.
    fn home(&self, section: &str) -> usize {
        let with =
            |file: &&usize| self.files.get(**file).is_some_and(|root| root.position(section).is_some());
        let all: Vec<usize> = (0..self.files.len()).collect();
        let with: Vec<usize> = all.iter().filter(with).copied().collect();
        if with.contains(&0) { 0 } else { with.last().copied().unwrap_or(0) }
    }

    /// The first two steps of a path: the file, the section and the entry.
    fn entry(&self, section: &str, step: &PathStep) -> Option<Found> {
        if let PathStep::Index(index) = step {
            let mut rest = *index;
            for file in self.order {
                let root = self.files.get(*file)?;
                let Some(position) = root.position(section) else { continue };
                let count = root.child(position).map_or(0, DocValue::len);
                if rest < count {
                    return Some((*file, vec![position, rest]));
                }
                rest -= count;
            }
            return None;
        }
        self.order.iter().find_map(|file| {
            let root = self.files.get(*file)?;
            let position = root.position(section)?;
            let rest = follow(root.child(position)?, step)?;
            Some((*file, [&[position], &rest[..]].concat()))
        })
    }

    /// How far a path leads: what it found, and how many of its steps.
    fn lead(&self, path: &DocPath) -> (Found, usize) {
        let [PathStep::Name(section), rest @ ..] = path.steps.as_slice() else { return ((0, Vec::new()), 0) };
        let home = self.home(section);
        let Some((second, rest)) = rest.split_first() else {
            let position = self.files.get(home).and_then(|root| root.position(section));
            return ((home, position.into_iter().collect()), usize::from(position.is_some()));
        };
        let Some((file, mut place)) = self.entry(section, second) else {
            let position = self.files.get(home).and_then(|root| root.position(section));
            return ((home, position.into_iter().collect()), usize::from(position.is_some()));
        };
        let mut steps = 2;
        for step in rest {
            let next = self.files.get(file).and_then(|root| follow(at(root, &place)?, step));
            let Some(next) = next else { break };
            place.extend(next);
            steps += 1;
        }
        ((file, place), steps)
    }

    /// What a path leads to.
    fn locate(&self, path: &DocPath) -> Result<Found, EditError> {
        let (found, steps) = self.lead(path);
        if steps == path.steps.len() && !path.steps.is_empty() {
            Ok(found)
        } else {
            Err(self.missing(path, &found, steps))
        }
    }

    fn get(&self, (file, place): &Found) -> Option<&DocValue> {
        at(self.files.get(*file)?, place)
    }

    /// What is at a path.
    pub(super) fn value(&self, path: &DocPath) -> Result<DocValue, EditError> {
        self.locate(path).and_then(|found| self.get(&found).cloned().ok_or(EditError::Mistakes))
    }

    fn get_mut(&mut self, (file, place): &Found) -> Option<&mut DocValue> {
        at_mut(self.files.get_mut(*file)?, place)
    }

    /// The error about the first step of a path that leads nowhere.
    fn missing(&self, path: &DocPath, found: &Found, steps: usize) -> EditError {
        let Some(step) = path.steps.get(steps) else {
            return EditError::request("the whole rig cannot be changed at once");
        };
        let parent = DocPath { steps: path.steps[..steps].to_vec() };
        let of = match (steps, parent.names().first()) {
            (1, Some(&"bones")) => Some(Named::Bone),
            (1, Some(&"clips")) => Some(Named::Clip),
            (1, Some(&"shots")) => Some(Named::Shot),
            _ => None,
        };
        let name = match step {
            PathStep::Name(name) => name.clone(),
            PathStep::Index(index) => {
                return EditError::request(format!("there is no item {index} in {parent}"));
            }
            PathStep::Time(time) => {
                let times = self.get(found).map(key_times).unwrap_or_default();
                let listed: Vec<String> = times.iter().take(8).map(f64::to_string).collect();
                let message = format!("there is no key at {time} in {parent}");
                return EditError::request(message).help(format!("there are keys at {}", listed.join(", ")));
            }
        };
        let names: Vec<String> = match steps {
            1 => {
                let section = parent.names().first().copied().unwrap_or_default();
                self.files.iter().filter_map(|root| root.field(section)).flat_map(names_in).collect()
            }
            _ => self.get(found).map(names_in).unwrap_or_default(),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match of {
            Some(of) => EditError::request(format!("there is no {} \"{name}\"", of.what())).suggesting(
                &name,
                of.plural(),
                &names,
            ),
            None => EditError::request(format!("there is no \"{name}\" in {parent}"))
                .suggesting(&name, "names", &names),
        }
    }

    fn set(&mut self, path: &DocPath, value: DocValue) -> Result<(), EditError> {
        let (found, steps) = self.lead(path);
        if steps == path.steps.len() && steps > 0 {
            if let Some(old) = self.get_mut(&found) {
                *old = value;
            }
            return Ok(());
        }
        // What has a name must be there before something in it is set.
        let named = matches!(path.names().first(), Some(&("bones" | "clips" | "shots")));
        if named && steps < 2 && path.steps.len() > 2 || path.steps.is_empty() {
            return Err(self.missing(path, &found, steps));
        }
        let mut new = value;
        for depth in (steps + 1..path.steps.len()).rev() {
            let inner = &path.steps[depth];
            let Some(mut container) = empty_container(&path.steps[..depth]) else {
                return Err(self.missing(path, &found, steps));
            };
            if !add(&mut container, inner, new, &path.steps[..depth]) {
                return Err(self.missing(path, &found, steps));
            }
            new = container;
        }
        let added = match self.get_mut(&found) {
            Some(container) => add(container, &path.steps[steps], new, &path.steps[..steps]),
            None => false,
        };
        if added { Ok(()) } else { Err(self.missing(path, &found, steps)) }
    }

    fn insert(&mut self, into: &DocPath, before: Option<usize>, value: DocValue) -> Result<(), EditError> {
        let mut found = match self.locate(into) {
            Ok(found) => found,
            // A list that is not there yet.
            Err(error) => match empty_container(&into.steps) {
                Some(DocValue::List(_)) if before.unwrap_or(0) == 0 => {
                    return self.set(into, DocValue::list([value]));
                }
                _ => return Err(error),
            },
        };
        let mut place = before;
        if let ([PathStep::Name(section)], Some(index)) = (into.steps.as_slice(), before) {
            // Lists of the rig go on through its files.
            match self.entry(section, &PathStep::Index(index)) {
                Some((file, positions)) => {
                    found = (file, positions[..1].to_vec());
                    place = positions.get(1).copied();
                }
                None => place = None,
            }
        }
        let Some(DocValue::List(items)) = self.get_mut(&found) else {
            return Err(EditError::request(format!("{into} is no list")));
        };
        let count = items.len();
        Arc::make_mut(items).insert(place.unwrap_or(count).min(count), value);
        Ok(())
    }

    fn remove(&mut self, path: &DocPath) -> Result<(), EditError> {
        let (file, place) = self.locate(path)?;
        let Some(root) = self.files.get_mut(file) else { return Ok(()) };
        if !take(root, &place) {
            return Err(EditError::request(format!("{path} cannot be removed")));
        }
        prune(root, &place);
        Ok(())
    }

    fn reorder(&mut self, path: &DocPath, to: usize) -> Result<(), EditError> {
        let (file, place) = self.locate(path)?;
        let [container @ .., position] = place.as_slice() else { return Ok(()) };
        let mut to = to;
        if let [PathStep::Name(section), _] = path.steps.as_slice() {
            // The index counts through all files; the entry stays in its own.
            for earlier in self.order.iter().take_while(|earlier| **earlier != file) {
                let count =
                    self.files.get(*earlier).and_then(|root| root.field(section)).map_or(0, DocValue::len);
                to = to.saturating_sub(count);
            }
        }
        fn shift<T>(list: &mut Vec<T>, from: usize, to: usize) {
            let item = list.remove(from);
            list.insert(to.min(list.len()), item);
        }
        match self.files.get_mut(file).and_then(|root| at_mut(root, container)) {
            Some(DocValue::List(items)) => shift(Arc::make_mut(items), *position, to),
            Some(DocValue::Map(entries)) => shift(Arc::make_mut(entries), *position, to),
            _ => {
                return Err(EditError::request(format!(
                    "{path} is not in a list: its place does not matter"
                )));
            }
        }
        Ok(())
    }

    /// The list of keys of a channel.
    fn keys(&self, channel: &DocPath) -> Result<Found, EditError> {
        let (file, mut place) = self.locate(channel)?;
        let value = self.get(&(file, place.clone()));
        if let Some(keys) = value
            .filter(|value| matches!(value, DocValue::Fields(..)))
            .and_then(|value| value.position("keys"))
        {
            place.push(keys);
        }
        let found = (file, place);
        match self.get(&found) {
            Some(DocValue::List(items)) if items.iter().all(is_key) => Ok(found),
            _ => Err(EditError::request(format!("{channel} is no channel: it has no keys"))),
        }
    }

    fn keys_mut(&mut self, found: &Found) -> Option<&mut Vec<DocValue>> {
        match self.get_mut(found) {
            Some(DocValue::List(items)) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    fn set_key(
        &mut self,
        channel: &DocPath,
        time: f64,
        value: DocValue,
        ease: Option<Ease>,
    ) -> Result<(), EditError> {
        let ease = ease.map(|ease| self.ease(ease)).transpose()?;
        let found = match self.keys(channel) {
            Ok(found) => found,
            Err(error) if self.locate(channel).is_ok() => return Err(error),
            Err(_) => {
                let key = DocValue::tuple(None, [DocValue::Number(time), value].into_iter().chain(ease));
                return self.set(channel, DocValue::list([key]));
            }
        };
        let Some(keys) = self.keys_mut(&found) else { return Ok(()) };
        match keys.iter_mut().find(|key| key_time(key).is_some_and(|at| is_same_time(at, time))) {
            Some(DocValue::Tuple(_, parts)) => {
                let parts = Arc::make_mut(parts);
                parts[1] = value;
                if let Some(ease) = ease {
                    parts.truncate(2);
                    parts.push(ease);
                }
            }
            _ => insert_key(
                keys,
                DocValue::tuple(None, [DocValue::Number(time), value].into_iter().chain(ease)),
            ),
        }
        Ok(())
    }

    fn ease(&self, ease: Ease) -> Result<DocValue, EditError> {
        let ease = DocValue::from(ease);
        match ease.is_writable() {
            true => Ok(ease.rounded(self.digits.shares)),
            false => Err(EditError::request("the numbers of an ease must be finite")),
        }
    }

    fn move_key(&mut self, channel: &DocPath, from: f64, to: f64, copy: bool) -> Result<(), EditError> {
        let found = self.keys(channel)?;
        let (_, place) = self.locate(&channel.clone().time(from))?;
        let position = place.last().copied().unwrap_or_default();
        let Some(keys) = self.keys_mut(&found) else { return Ok(()) };
        let stays = |at: usize| copy || at != position;
        let taken = keys.iter().enumerate().filter(|(at, _)| stays(*at));
        if taken.filter_map(|(_, key)| key_time(key)).any(|at| is_same_time(at, to)) {
            let message = format!("there is a key at {to} in {channel} already");
            return Err(EditError::request(message).help("delete it first, or choose another time"));
        }
        let mut key = keys[position].clone();
        if let Some(time) = key.child_mut(0) {
            *time = DocValue::Number(to);
        }
        if !copy {
            keys.remove(position);
        }
        insert_key(keys, key);
        Ok(())
    }

    fn set_ease(&mut self, channel: &DocPath, time: f64, ease: Option<Ease>) -> Result<(), EditError> {
        let ease = ease.map(|ease| self.ease(ease)).transpose()?;
        let found = self.locate(&channel.clone().time(time))?;
        if let Some(DocValue::Tuple(_, parts)) = self.get_mut(&found) {
            let parts = Arc::make_mut(parts);
            parts.truncate(2);
            parts.extend(ease);
        }
        Ok(())
    }

    fn set_extend(&mut self, channel: &DocPath, extend: Option<Extend>) -> Result<(), EditError> {
        self.keys(channel)?;
        let found = self.locate(channel)?;
        let Some(value) = self.get_mut(&found) else { return Ok(()) };
        if let (DocValue::List(_), Some(_)) = (&*value, extend) {
            *value = DocValue::fields(None, [("keys", value.clone())]);
        }
        if let DocValue::Fields(_, fields) = value {
            let fields = Arc::make_mut(fields);
            match (fields.iter_mut().find(|(name, _)| &**name == "extend"), extend) {
                (Some((_, old)), Some(extend)) => *old = extend.into(),
                (None, Some(extend)) => fields.push(("extend".into(), extend.into())),
                (_, None) => fields.retain(|(name, _)| &**name != "extend"),
            }
        }
        Ok(())
    }

    fn skeleton(&self) -> Result<&Skeleton, EditError> {
        self.skeleton.ok_or(EditError::Mistakes)
    }

    fn place(&mut self, bone: &str, from: Option<Point>, to: Option<Point>) -> Result<(), EditError> {
        let found = self.locate(&DocPath::bone(bone))?;
        let skeleton = self.skeleton()?;
        let parent = skeleton.find(bone).and_then(|id| skeleton.parent(id));
        self.place_under(bone, &found, parent, from, to)
    }

    /// Writes the ends of a bone, in the form that stands there, in the frame of a parent.
    fn place_under(
        &mut self,
        bone: &str,
        found: &Found,
        parent: Option<BoneId>,
        from: Option<Point>,
        to: Option<Point>,
    ) -> Result<(), EditError> {
        if !from.into_iter().chain(to).all(Point::is_finite) {
            return Err(EditError::request(format!("the place of bone \"{bone}\" must be finite")));
        }
        let skeleton = self.skeleton()?;
        let Some(id) = skeleton.find(bone) else { return Err(EditError::Mistakes) };
        let Some(mut fields) = self.get(found).cloned() else { return Ok(()) };
        if let Some(line) = fields.field("line") {
            let message = format!("bone \"{bone}\" follows the line {line} of the drawing");
            return Err(
                EditError::request(message).help("move the line in the drawing, or remove `line` first")
            );
        }
        let digits = self.digits.places;
        let world = parent.map_or(Affine::IDENTITY, |parent| skeleton.setup_world(parent));
        let parent_tip = parent.map(|parent| skeleton.setup_tip(parent));
        let parent_angle = parent.map_or(Angle::ZERO, |parent| skeleton.setup_angle(parent));
        let (old_from, old_to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
        let (new_from, new_to) = (from.unwrap_or(old_from), to.unwrap_or(old_to));
        if new_from == new_to {
            let message = format!("bone \"{bone}\" would start and end at the same point");
            return Err(
                EditError::request(message).help("a bone needs a length other than 0 to have a direction")
            );
        }
        let near = |a: Point, b: Point| {
            rounded(a.x, digits) == rounded(b.x, digits) && rounded(a.y, digits) == rounded(b.y, digits)
        };
        let point = |at: Point| DocValue::from(at).rounded(digits);
        let mut set = |name: &str, value: DocValue| {
            if fields.position(name).is_some() || !matches!(value, DocValue::None) {
                put_field(&mut fields, name, value, &BONE);
            }
        };
        let has = |name: &str| self.get(found).is_some_and(|bone| bone.field(name).is_some());
        match (has("from"), has("origin")) {
            (true, _) if from.is_some() => set("from", point(new_from)),
            (true, _) => {}
            (false, true) => set("origin", point(world.inverse() * new_from)),
            (false, false) if parent_tip.is_some_and(|tip| near(tip, new_from)) => {}
            (false, false) => set("from", point(new_from)),
        }
        if has("to") {
            if to.is_some() {
                set("to", point(new_to));
            }
        } else {
            let typed = skeleton.length(id);
            let along = if typed < 0.0 { new_from - new_to } else { new_to - new_from };
            let inherited = match skeleton.inherit(id) {
                bone_core::Inherit::NoRotation | bone_core::Inherit::TranslationOnly => Angle::ZERO,
                _ => parent_angle,
            };
            let old_angle = Angle::from_degrees(
                self.get(found)
                    .and_then(|bone| bone.field("angle"))
                    .and_then(DocValue::as_number)
                    .unwrap_or(0.0),
            );
            let angle = (Angle::of(along) - inherited).nearest_to(old_angle).degrees();
            let length = along.hypot().copysign(typed);
            set("length", DocValue::Number(rounded(length, digits)));
            if has("angle") || rounded(angle, digits) != 0.0 {
                set("angle", DocValue::Number(rounded(angle, digits)));
            }
        }
        if let Some(old) = self.get_mut(found) {
            *old = fields;
        }
        Ok(())
    }

    fn set_parent(&mut self, bone: &str, parent: Option<&str>, keep_place: bool) -> Result<(), EditError> {
        let found = self.locate(&DocPath::bone(bone))?;
        if let Some(parent) = parent {
            self.locate(&DocPath::bone(parent))?;
            if self.ancestors(parent).iter().any(|above| above == bone) {
                let message =
                    format!("bone \"{parent}\" is bone \"{bone}\" or below it, and cannot be its parent");
                return Err(EditError::request(message));
            }
        }
        let follows_line = self.get(&found).is_some_and(|fields| fields.field("line").is_some());
        if keep_place && !follows_line {
            let skeleton = self.skeleton()?;
            let id = match parent {
                Some(name) => Some(skeleton.find(name).ok_or(EditError::Mistakes)?),
                None => None,
            };
            self.place_under(bone, &found, id, None, None)?;
        }
        let Some(fields) = self.get_mut(&found) else { return Ok(()) };
        match parent {
            Some(parent) => put_field(fields, "parent", parent.into(), &BONE),
            None => {
                if let DocValue::Fields(_, fields) = fields {
                    Arc::make_mut(fields).retain(|(name, _)| &**name != "parent");
                }
            }
        }
        Ok(())
    }

    /// A bone and its ancestors.
    fn ancestors(&self, bone: &str) -> Vec<String> {
        let mut list = vec![bone.to_owned()];
        while let Some(last) = list.last() {
            let parent = self.locate(&DocPath::bone(last).name("parent")).ok();
            let parent = parent.and_then(|found| self.get(&found)?.as_text().map(|name| name.to_string()));
            match parent.filter(|parent| !list.contains(parent)) {
                Some(parent) => list.push(parent),
                None => break,
            }
        }
        list
    }

    /// Everything of one kind that has a name.
    fn named(&self, of: Named) -> Vec<String> {
        let all = self.files.iter().flat_map(uses);
        all.filter(|used| used.of == of && used.defines).map(|used| used.name.to_string()).collect()
    }

    /// An error if a clip or shot of this name is there: both are found by one name.
    fn is_free(&self, section: Option<&str>, name: &str) -> Result<(), EditError> {
        let of = match section {
            Some("bones") => vec![Named::Bone],
            Some("clips" | "shots") => vec![Named::Clip, Named::Shot],
            _ => Vec::new(),
        };
        self.is_free_as(&of, name)
    }

    fn is_free_as(&self, of: &[Named], name: &str) -> Result<(), EditError> {
        if name.is_empty() {
            return Err(EditError::request("a name must not be empty"));
        }
        match of.iter().find(|of| self.named(**of).iter().any(|used| used == name)) {
            Some(of) => {
                let message = format!("there is a {} \"{name}\" already", of.what());
                Err(EditError::request(message).help("choose another name"))
            }
            None => Ok(()),
        }
    }

    /// An error if there is nothing of this name.
    fn is_known(&self, of: Named, name: &str) -> Result<(), EditError> {
        let names = self.named(of);
        if names.iter().any(|known| known == name) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = EditError::request(format!("there is no {} \"{name}\"", of.what()));
        Err(error.suggesting(name, of.plural(), &names))
    }

    fn rename(&mut self, of: Named, from: &str, to: &str) -> Result<(), EditError> {
        if of != Named::Art {
            self.is_known(of, from)?;
        }
        if from == to {
            return Ok(());
        }
        match of {
            Named::Clip | Named::Shot => self.is_free_as(&[Named::Clip, Named::Shot], to)?,
            _ => self.is_free_as(&[of], to)?,
        }
        let count: usize = self.files.iter_mut().map(|root| rename(root, of, from, to)).sum();
        if count == 0 {
            let names: BTreeSet<String> = self
                .files
                .iter()
                .flat_map(uses)
                .filter(|used| used.of == of)
                .map(|used| used.name.to_string())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let error = EditError::request(format!("no part of the rig names {} \"{from}\"", of.what()));
            return Err(error.suggesting(from, of.plural(), &names));
        }
        Ok(())
    }

    fn duplicate(&mut self, of: Named, name: &str, copy: &str) -> Result<(), EditError> {
        let Some(section) = of.section().filter(|_| of != Named::Bone) else {
            let help = "copy its value, and add it with `Add` or `Insert`";
            return Err(EditError::request(format!("a {} cannot be duplicated", of.what())).help(help));
        };
        self.is_free_as(&[Named::Clip, Named::Shot], copy)?;
        let (file, place) = self.locate(&DocPath::from([section, name]))?;
        let [container @ .., position] = place.as_slice() else { return Ok(()) };
        if let Some(DocValue::Map(entries)) =
            self.files.get_mut(file).and_then(|root| at_mut(root, container))
        {
            let value = entries[*position].1.clone();
            Arc::make_mut(entries).insert(position + 1, (DocValue::text(copy), value));
        }
        Ok(())
    }

    /// What uses something, or has its name: per file what goes when it goes.
    fn units(&self, of: Named, name: &str) -> Vec<(usize, NameUse)> {
        let all = self.files.iter().enumerate();
        let all = all.flat_map(|(file, root)| uses(root).into_iter().map(move |used| (file, used)));
        all.filter(|(_, used)| used.of == of && &*used.name == name).collect()
    }

    /// What would go with something.
    pub(super) fn dependants(&self, of: Named, name: &str) -> Vec<DocPath> {
        let mut seen: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
        let mut waiting = vec![(of, name.to_owned())];
        let mut known = waiting.clone();
        while let Some((of, name)) = waiting.pop() {
            for (file, used) in self.units(of, &name) {
                let unit = used.place[..used.unit].to_vec();
                let own = used.defines && known.first().is_some_and(|first| *first == (of, name.clone()));
                if !own && seen.insert((file, unit.clone())) {
                    // What goes may have a name of its own.
                    for (of, name) in self.defined_by(file, &unit) {
                        if !known.contains(&(of, name.clone())) {
                            known.push((of, name.clone()));
                            waiting.push((of, name));
                        }
                    }
                }
            }
        }
        let within = |(file, unit): &(usize, Vec<usize>)| {
            seen.iter()
                .any(|(other, outer)| other == file && outer.len() < unit.len() && unit.starts_with(outer))
        };
        let list = seen.iter().filter(|unit| !within(unit));
        list.filter_map(|(file, unit)| Some(path_of(self.files.get(*file)?, unit))).collect()
    }

    /// The names that what is at a place gives.
    fn defined_by(&self, file: usize, unit: &[usize]) -> Vec<(Named, String)> {
        let Some(root) = self.files.get(file) else { return Vec::new() };
        let defined = uses(root).into_iter().filter(|used| used.defines && used.place.starts_with(unit));
        defined.map(|used| (used.of, used.name.to_string())).collect()
    }

    fn delete(&mut self, of: Named, name: &str, dependants: bool) -> Result<(), EditError> {
        if of == Named::Art {
            let help = "remove its bindings and channels";
            return Err(EditError::request("art is deleted in the drawing").help(help));
        }
        self.is_known(of, name)?;
        let others = self.dependants(of, name);
        if !dependants && !others.is_empty() {
            let listed: Vec<String> = others.iter().take(8).map(DocPath::to_string).collect();
            let more =
                if others.len() > 8 { format!(" and {} more", others.len() - 8) } else { String::new() };
            let message = format!("{} \"{name}\" is used by {}{more}", of.what(), listed.join("; "));
            return Err(EditError::request(message).help("delete what uses it, too, or change it first"));
        }
        let mut going = vec![(of, name.to_owned())];
        while let Some((of, name)) = going.pop() {
            for file in 0..self.files.len() {
                let mut units: Vec<Vec<usize>> = self
                    .units(of, &name)
                    .into_iter()
                    .filter(|(at, _)| *at == file)
                    .map(|(_, used)| used.place[..used.unit].to_vec())
                    .collect();
                units.sort();
                units.dedup();
                let all = units.clone();
                units.retain(|unit| {
                    !all.iter().any(|outer| outer.len() < unit.len() && unit.starts_with(outer))
                });
                for unit in &units {
                    let more = self.defined_by(file, unit);
                    going.extend(more.into_iter().filter(|other| *other != (of, name.clone())));
                }
                // From the end, so that the places before stay valid; what is empty then goes as well.
                let Some(root) = self.files.get_mut(file) else { continue };
                for unit in units.iter().rev() {
                    take(root, unit);
                }
                for unit in units.iter().rev() {
                    prune(root, unit);
                }
            }
        }
        Ok(())
    }
}

/// The times of the keys of a channel.
fn key_times(channel: &DocValue) -> Vec<f64> {
    let keys = channel.field("keys").unwrap_or(channel);
    (0..keys.len()).filter_map(|at| key_time(keys.child(at)?)).collect()
}

/// The names in a container.
fn names_in(container: &DocValue) -> Vec<String> {
    match container {
        DocValue::Fields(_, fields) => fields.iter().map(|(name, _)| name.to_string()).collect(),
        DocValue::Map(entries) => {
            entries.iter().filter_map(|(key, _)| Some(key.key_name()?.to_string())).collect()
        }
        DocValue::List(items) => items.iter().flat_map(item_names).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Keys are in the order of their times.
fn insert_key(keys: &mut Vec<DocValue>, key: DocValue) {
    let time = key_time(&key).unwrap_or_default();
    let place = keys.iter().position(|other| key_time(other).is_some_and(|at| at > time));
    keys.insert(place.unwrap_or(keys.len()), key);
}

/// What is at a path if nothing is in it yet; none for what is no container.
fn empty_container(steps: &[PathStep]) -> Option<DocValue> {
    let name = |at: usize| match steps.get(at) {
        Some(PathStep::Name(name)) => name.as_str(),
        _ => "",
    };
    let fields = || Some(DocValue::Fields(None, Arc::default()));
    let map = || Some(DocValue::Map(Arc::default()));
    let list = || Some(DocValue::List(Arc::default()));
    match (name(0), steps.len()) {
        ("bones" | "clips" | "shots", 1) => map(),
        ("skin" | "drivers" | "constraints" | "springs" | "include", 1) => list(),
        ("bones" | "clips" | "shots", 2) => fields(),
        ("shots", 3) if ["play", "layers"].contains(&name(2)) => list(),
        ("skin", 3) if ["weights", "others"].contains(&name(2)) => map(),
        ("skin", 4) if name(2) == "weights" => map(),
        ("constraints", 3) if name(2) == "stiffness" => map(),
        ("constraints", 3) if name(2) == "also" => list(),
        ("clips" | "drivers", 3) if CLIP[3..].contains(&name(2)) => map(),
        ("clips" | "drivers", 4) => match name(2) {
            "bones" | "art" | "constraints" => fields(),
            "offsets" | "setup" | "weights" => map(),
            _ => None,
        },
        ("clips", 5) if name(2) == "constraints" && name(4) == "holds" => list(),
        _ => None,
    }
}

/// Adds an entry to a container; false if it can have none of this name.
fn add(container: &mut DocValue, step: &PathStep, value: DocValue, path: &[PathStep]) -> bool {
    let PathStep::Name(name) = step else { return false };
    let order: &[&str] = match path {
        [] => &RIG,
        [PathStep::Name(section), _] if section == "bones" => &BONE,
        [PathStep::Name(section), _] if section == "clips" => &CLIP,
        _ => &[],
    };
    match container {
        DocValue::Fields(..) => put_field(container, name, value, order),
        DocValue::Map(entries) => {
            // Vertices are numbers.
            let of_vertices = match path {
                [PathStep::Name(section), _, PathStep::Name(field)] => {
                    section == "skin" && field == "weights"
                }
                [_, _, PathStep::Name(field), _] => ["offsets", "setup", "weights"].contains(&field.as_str()),
                _ => false,
            };
            let vertex = name.parse::<u32>().ok().filter(|_| of_vertices);
            let key =
                vertex.map_or_else(|| DocValue::text(name), |vertex| DocValue::Number(f64::from(vertex)));
            Arc::make_mut(entries).push((key, value));
        }
        _ => return false,
    }
    true
}

/// Sets a field; a new one comes where the order has it.
fn put_field(container: &mut DocValue, name: &str, value: DocValue, order: &[&str]) {
    let DocValue::Fields(_, fields) = container else { return };
    let fields = Arc::make_mut(fields);
    if let Some((_, old)) = fields.iter_mut().find(|(field, _)| &**field == name) {
        *old = value;
        return;
    }
    let rank = |name: &str| order.iter().position(|field| *field == name).unwrap_or(order.len());
    let own = rank(name);
    let place = fields.iter().rposition(|(field, _)| rank(field) < own || own == order.len());
    fields.insert(place.map_or(0, |place| place + 1), (name.into(), value));
}

/// Takes out an entry of a container.
fn take(root: &mut DocValue, place: &[usize]) -> bool {
    let [container @ .., position] = place else { return false };
    match at_mut(root, container) {
        Some(DocValue::Fields(_, fields)) if *position < fields.len() => {
            Arc::make_mut(fields).remove(*position);
        }
        Some(DocValue::Map(entries)) if *position < entries.len() => {
            Arc::make_mut(entries).remove(*position);
        }
        Some(DocValue::List(items)) if *position < items.len() => {
            Arc::make_mut(items).remove(*position);
        }
        _ => return false,
    }
    true
}

/// Takes out what is empty since something at a place went: maps, channels, lists of bones with their owner. A
/// section, a clip and a bone stay.
fn prune(root: &mut DocValue, gone: &[usize]) {
    let mut place = gone;
    loop {
        let [container @ .., _] = place else { return };
        let names = path_of(root, container);
        let section = names.names().first().copied().unwrap_or_default().to_owned();
        let last = match names.steps.last() {
            Some(PathStep::Name(name)) => name.clone(),
            _ => String::new(),
        };
        let Some(value) = at(root, container) else { return };
        let drives_nothing = section == "drivers"
            && container.len() == 2
            && ["bones", "offsets", "art"].iter().all(|field| value.field(field).is_none());
        let is_named = ["bones", "clips", "shots"].contains(&section.as_str()) && container.len() == 2;
        if container.len() < 2 || is_named || value.len() > 0 && !drives_nothing {
            return;
        }
        let required = match (section.as_str(), last.as_str()) {
            // Weights for other vertices may follow.
            ("skin", "weights") if container.len() == 3 => return,
            ("skin" | "springs" | "constraints" | "shots", "bones" | "art" | "play") => {
                matches!(value, DocValue::List(_))
            }
            (_, "keys") => true,
            _ => false,
        };
        place = if required { &container[..container.len() - 1] } else { container };
        if !take(root, place) {
            return;
        }
    }
}
