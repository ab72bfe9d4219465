//! Edits by names: renaming, copying, and deleting with what uses a name.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Draft, Found, prune, take};
use crate::edit::EditError;
use crate::session::names::{NameUse, Named, rename, uses};
use crate::session::path::{DocPath, at_mut, path_of};
use crate::session::value::DocValue;

impl Draft<'_> {
    /// Everything of one kind that has a name.
    pub(super) fn named(&self, of: Named, scope: Option<&Found>) -> Vec<String> {
        let all = self.uses(of, scope).filter(|(_, used)| used.defines);
        all.map(|(_, used)| used.name.to_string()).collect()
    }

    /// All names of one kind, each with its file.
    fn uses<'a>(
        &'a self,
        of: Named,
        scope: Option<&'a Found>,
    ) -> impl Iterator<Item = (usize, NameUse)> + 'a {
        let all = self.files.iter().enumerate();
        let all = all.flat_map(|(file, root)| uses(root).into_iter().map(move |used| (file, root, used)));
        let is_here = move |(file, root, used): &(usize, &DocValue, NameUse)| {
            let is_in = |(own, place): &Found| own == file && used.scope(root) == place;
            used.of == of && scope.is_none_or(is_in)
        };
        all.filter(is_here).map(|(file, _, used)| (file, used))
    }

    /// An error if a clip or shot of this name is there: both are found by one name.
    pub(super) fn is_free(&self, section: Option<&str>, name: &str) -> Result<(), EditError> {
        let of = match section {
            Some("bones") => vec![Named::Bone],
            Some("sliders") => vec![Named::Slider],
            Some("warps") => vec![Named::Warp],
            Some("poses") => vec![Named::Pose],
            Some("outfits") => vec![Named::Outfit],
            Some("machines") => vec![Named::Machine],
            Some("clips" | "shots") => vec![Named::Clip, Named::Shot],
            _ => Vec::new(),
        };
        self.is_free_as(&of, name, None)
    }

    pub(super) fn is_free_as(
        &self,
        of: &[Named],
        name: &str,
        scope: Option<&Found>,
    ) -> Result<(), EditError> {
        if name.is_empty() {
            return Err(EditError::request("a name must not be empty"));
        }
        match of.iter().find(|of| self.named(**of, scope).iter().any(|used| used == name)) {
            Some(of) => {
                let message = format!("there is a {} \"{name}\" already", of.what());
                Err(EditError::request(message).help("choose another name"))
            }
            None => Ok(()),
        }
    }

    /// An error if there is nothing of this name.
    pub(super) fn is_known(&self, of: Named, name: &str, scope: Option<&Found>) -> Result<(), EditError> {
        let names = self.named(of, scope);
        if names.iter().any(|known| known == name) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = EditError::request(format!("there is no {} \"{name}\"", of.what()));
        Err(error.suggesting(name, of.plural(), &names))
    }

    /// The machine of a state or an input, or the layer of a machine: alone there a name means one thing.
    pub(super) fn scope(
        &self,
        of: Named,
        name: &str,
        within: Option<&DocPath>,
    ) -> Result<Option<Found>, EditError> {
        match within {
            Some(within) if of.has_scope() => self.locate(within).map(Some),
            Some(within) => {
                let message = format!("{} \"{name}\" is of the whole rig, and not of {within}", of.what());
                Err(EditError::request(message).help("leave `within` out"))
            }
            None if of.has_scope() => {
                let message = format!("{} \"{name}\" may be of several machines", of.what());
                Err(EditError::request(message).help("name the machine, or its layer, in `within`"))
            }
            None => Ok(None),
        }
    }

    pub(super) fn rename(
        &mut self,
        of: Named,
        (from, to): (&str, &str),
        scope: Option<&Found>,
    ) -> Result<(), EditError> {
        if of != Named::Art {
            self.is_known(of, from, scope)?;
        }
        if from == to {
            return Ok(());
        }
        match of {
            Named::Clip | Named::Shot => self.is_free_as(&[Named::Clip, Named::Shot], to, None)?,
            _ => self.is_free_as(&[of], to, scope)?,
        }
        let files = self.files.iter_mut().enumerate();
        let files = files.filter(|(file, _)| scope.is_none_or(|(own, _)| own == file));
        let place = scope.map(|(_, place)| &**place);
        let count: usize = files.map(|(_, root)| rename(root, of, (from, to), place)).sum();
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

    pub(super) fn duplicate(&mut self, of: Named, name: &str, copy: &str) -> Result<(), EditError> {
        let Some(section) = of.section().filter(|_| of != Named::Bone) else {
            let help = "copy its value, and add it with `Add` or `Insert`";
            return Err(EditError::request(format!("a {} cannot be duplicated", of.what())).help(help));
        };
        self.is_free(Some(section), copy)?;
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
    pub(super) fn units(&self, of: Named, name: &str, scope: Option<&Found>) -> Vec<(usize, NameUse)> {
        self.uses(of, scope).filter(|(_, used)| &*used.name == name).collect()
    }

    /// What would go with something.
    pub(in crate::session) fn dependants(
        &self,
        of: Named,
        name: &str,
        scope: Option<&Found>,
    ) -> Vec<DocPath> {
        let mut seen: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
        let mut waiting = vec![(of, name.to_owned())];
        let mut known = waiting.clone();
        while let Some((of, name)) = waiting.pop() {
            for (file, used) in self.units(of, &name, scope) {
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
    pub(super) fn defined_by(&self, file: usize, unit: &[usize]) -> Vec<(Named, String)> {
        let Some(root) = self.files.get(file) else { return Vec::new() };
        let defined = uses(root).into_iter().filter(|used| used.defines && used.place.starts_with(unit));
        defined.map(|used| (used.of, used.name.to_string())).collect()
    }

    pub(super) fn delete(
        &mut self,
        of: Named,
        name: &str,
        dependants: bool,
        scope: Option<&Found>,
    ) -> Result<(), EditError> {
        if of == Named::Art {
            let help = "remove its bindings and channels";
            return Err(EditError::request("art is deleted in the drawing").help(help));
        }
        self.is_known(of, name, scope)?;
        let others = self.dependants(of, name, scope);
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
                    .units(of, &name, scope)
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
