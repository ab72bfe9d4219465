//! Edits on the values of all files of a rig: what they should hold afterwards. It finds what edits name, and
//! does not check what it makes: that is done as for any rig.

mod bindings;
mod bones;
mod keys;
mod naming;

use std::sync::Arc;

use bone_core::{Skeleton, in_few_digits_beside};

use super::edit::Edit;
use super::names::Named;
use super::path::{DocPath, PathStep, at, at_mut, follow, item_names, key_time, path_of};
use super::value::{DocValue, rounded};
use crate::doc::{GridPlace, RigDoc, SceneDoc, VertexAddress};
use crate::edit::EditError;
use crate::schema::{Key, Precision, Type};
use crate::write::Digits;

/// Decimals of numbers whose unit is not known here: as many as no sum of typed numbers makes up.
const DIGITS: usize = 10;

/// The values of all files while they are edited.
pub(super) struct Draft<'a> {
    /// The rig file, then those that it includes.
    pub(super) files: Vec<DocValue>,
    /// The files in the order in which the document has their contents.
    pub(super) order: &'a [usize],
    /// The bones at rest, if they are as the files have them.
    pub(super) skeleton: Option<&'a Skeleton>,
    pub(super) digits: Digits,
    /// Comments to be added, and what they describe.
    pub(super) comments: Vec<(DocPath, String)>,
}

/// A value of the draft: the file, and positions in it.
pub(super) type Found = (usize, Vec<usize>);

/// A comment and the positions of what it describes in its file.
pub(super) type PlacedComment<'t> = (Vec<usize>, &'t str);

impl Draft<'_> {
    pub(super) fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        let is_scene = self.files.first().is_some_and(|file| file.kind() == Some("Scene"));
        if is_scene && !is_of_scene(edit) {
            return match edit {
                Edit::PlaceBone { bone, from: Some(from), .. } => self.place_actor(bone, *from),
                _ => Err(not_of_scene()),
            };
        }
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
            Edit::Rename { of, from, to, within } => {
                let scope = self.scope(*of, from, within.as_ref())?;
                self.rename(*of, (from, to), scope.as_ref())
            }
            Edit::Delete { of, name, dependants, within } => {
                let scope = self.scope(*of, name, within.as_ref())?;
                self.delete(*of, name, *dependants, scope.as_ref())
            }
            Edit::AddComment { at, text } => {
                self.comments.push((at.clone(), text.clone()));
                Ok(())
            }
            Edit::Duplicate { of, name, copy } => self.duplicate(*of, name, copy),
            Edit::Bind { art, binding } => {
                let skin = DocPath::from(["skin"]);
                self.bind(art, self.rounded(&skin, binding)?)
            }
            Edit::Unbind { art } => self.unbind(art),
        }
    }

    /// A value as it will be read.
    fn rounded(&self, at: &DocPath, value: &DocValue) -> Result<DocValue, EditError> {
        if !value.is_writable() {
            let message = format!("the value for {at} has numbers that are not finite, or too many brackets");
            return Err(EditError::request(message).help("numbers in a rig must be finite"));
        }
        let mut types = types_of(&at.steps);
        if matches!(types.as_slice(), [Type::List { .. }]) && !matches!(value, DocValue::List(_)) {
            // An item of the list.
            types = types.iter().flat_map(|of| of.members("")).collect();
        }
        let is_motion = matches!(at.names().first(), Some(&("clips" | "drivers")));
        let digits = if is_motion && at.steps.len() > 2 { self.digits.shares } else { DIGITS };
        Ok(match is_motion {
            true => value.rounded(self.digits_of(&types).unwrap_or(digits)),
            false => self.rounded_as(value, &types, digits),
        })
    }

    /// A value as it is written in fields of these types; numbers of other types have so many decimals.
    fn rounded_as(&self, value: &DocValue, types: &[&'static Type], digits: usize) -> DocValue {
        let DocValue::Fields(name, fields) = value else {
            return value.rounded(self.digits_of(types).unwrap_or(digits));
        };
        let field = |(field, value): &(Arc<str>, DocValue)| {
            let types: Vec<_> = types.iter().flat_map(|of| of.members(field)).collect();
            (Arc::clone(field), self.rounded_as(value, &types, digits))
        };
        DocValue::Fields(name.clone(), Arc::new(fields.iter().map(field).collect()))
    }

    /// The decimals of numbers of some types, if they have a unit.
    fn digits_of(&self, types: &[&'static Type]) -> Option<usize> {
        Some(match types.iter().find_map(|of| of.precision())? {
            Precision::Place | Precision::Angle => self.digits.places,
            Precision::Time => self.digits.times,
            Precision::Share => self.digits.shares,
        })
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

    /// The file and the positions of what a path leads to.
    pub(super) fn locate(&self, path: &DocPath) -> Result<Found, EditError> {
        let (found, steps) = self.lead(path);
        if steps == path.steps.len() && !path.steps.is_empty() {
            Ok(found)
        } else {
            Err(self.missing(path, &found, steps))
        }
    }

    /// The comments to be added to each file, with the positions of what they describe.
    pub(super) fn placed_comments(&self) -> Result<Vec<Vec<PlacedComment<'_>>>, EditError> {
        let mut of_files = vec![Vec::new(); self.files.len()];
        for (path, text) in &self.comments {
            let (file, place) = self.locate(path)?;
            of_files[file].push((place, text.as_str()));
        }
        Ok(of_files)
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
            (1, Some(&"sliders")) => Some(Named::Slider),
            (1, Some(&"warps")) => Some(Named::Warp),
            (1, Some(&"poses")) => Some(Named::Pose),
            (1, Some(&"outfits")) => Some(Named::Outfit),
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
                let listed: Vec<String> =
                    times.iter().take(8).map(|at| in_few_digits_beside(*at, &[*time])).collect();
                let message =
                    format!("there is no key at {} in {parent}", in_few_digits_beside(*time, &times));
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
        let named = matches!(
            path.names().first(),
            Some(&("bones" | "sliders" | "warps" | "poses" | "clips" | "shots" | "machines" | "outfits"))
        );
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
            // Lists of the rig go on through its files: an item stands in that of the one before it.
            match self.entry(section, &PathStep::Index(index.saturating_sub(1))) {
                Some((file, positions)) => {
                    found = (file, positions[..1].to_vec());
                    place = positions.get(1).map(|at| at + usize::from(index > 0));
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
}

/// Whether an edit is one of a scene, not of what its rigs bring along.
fn is_of_scene(edit: &Edit) -> bool {
    const SCENE: &Type = &Type::Record(SceneDoc::TABLE);
    match edit {
        Edit::Rename { of, .. } | Edit::Delete { of, .. } | Edit::Duplicate { of, .. } => *of == Named::Shot,
        _ => edit
            .path()
            .and_then(|path| path.names().first().copied())
            .is_some_and(|name| !SCENE.members(name).is_empty()),
    }
}

pub(super) fn not_of_scene() -> EditError {
    EditError::request("this is of a rig, and not of the scene")
        .help("open the rig of the actor and edit it there")
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

/// The types of what a path leads to, as the format has them.
fn types_of(steps: &[PathStep]) -> Vec<&'static Type> {
    // What is not of its kind is refused where it is read.
    const WHOLE: [&Type; 2] = [&Type::Record(RigDoc::TABLE), &Type::Record(SceneDoc::TABLE)];
    let mut types = WHOLE.to_vec();
    for step in steps {
        let is_time = matches!(step, PathStep::Time(_));
        let name = step.name().unwrap_or_default();
        types = types.into_iter().filter(|_| !is_time).flat_map(|of| of.members(name)).collect();
    }
    types
}

/// What is at a path if nothing is in it yet; none for what is no container.
fn empty_container(steps: &[PathStep]) -> Option<DocValue> {
    types_of(steps).into_iter().find_map(|of| match of {
        Type::Record(_) => Some(DocValue::Fields(None, Arc::default())),
        Type::Map { .. } => Some(DocValue::Map(Arc::default())),
        Type::List { .. } => Some(DocValue::List(Arc::default())),
        _ => None,
    })
}

/// Adds an entry to a container; false if it can have none of this name.
fn add(container: &mut DocValue, step: &PathStep, value: DocValue, path: &[PathStep]) -> bool {
    let PathStep::Name(name) = step else { return false };
    match container {
        DocValue::Fields(..) => put_field(container, name, value, path),
        DocValue::Map(entries) => {
            let of_vertices = |of: &Type| matches!(of, Type::Map { key: Key::Vertex | Key::Stop, .. });
            let vertex = VertexAddress::parse(name).filter(|_| types_of(path).into_iter().any(of_vertices));
            let later = |(key, _): &(DocValue, DocValue)| key.vertex() > vertex;
            let place = entries.iter().position(later).filter(|_| vertex.is_some()).unwrap_or(entries.len());
            let of_places = |of: &Type| matches!(of, Type::Map { key: Key::Grid, .. });
            let grid = GridPlace::parse(name).filter(|_| types_of(path).into_iter().any(of_places));
            let grid = grid.map(DocValue::from);
            let key = vertex.map(DocValue::from).or(grid).unwrap_or_else(|| DocValue::text(name));
            Arc::make_mut(entries).insert(place, (key, value));
        }
        _ => return false,
    }
    true
}

/// Sets a field of the record at a path; a new one comes where the format has it.
fn put_field(container: &mut DocValue, name: &str, value: DocValue, path: &[PathStep]) {
    let DocValue::Fields(_, fields) = container else { return };
    let fields = Arc::make_mut(fields);
    if let Some((_, old)) = fields.iter_mut().find(|(field, _)| &**field == name) {
        *old = value;
        return;
    }
    let order: Vec<&str> = match types_of(path).as_slice() {
        [Type::Record(table)] => table.fields().iter().map(|field| field.name).collect(),
        _ => Vec::new(),
    };
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
        let is_named = ["bones", "sliders", "warps", "poses", "clips", "shots", "machines", "outfits"]
            .contains(&section.as_str())
            && container.len() == 2;
        if container.len() < 2 || is_named || value.len() > 0 && !drives_nothing {
            return;
        }
        let required = match (section.as_str(), last.as_str()) {
            // Weights for other vertices may follow.
            ("skin", "weights") if container.len() == 3 => return,
            ("skin" | "springs" | "constraints" | "shots", "bones" | "art" | "pins" | "play") => {
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
