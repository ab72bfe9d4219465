//! Edits of bindings, found by the art that they name.

use std::sync::Arc;

use super::{Draft, prune, take};
use crate::edit::EditError;
use crate::session::path::{DocPath, at_mut};
use crate::session::value::DocValue;

impl Draft<'_> {
    /// Gives art a binding, in the place of the one that names it alone, else behind all others.
    pub(super) fn bind(&mut self, art: &str, binding: DocValue) -> Result<(), EditError> {
        let DocValue::Fields(kind, mut fields) = binding else {
            return Err(EditError::request("a binding has fields"));
        };
        Arc::make_mut(&mut fields).insert(0, ("art".into(), art.into()));
        let binding = DocValue::Fields(kind, fields);
        let own = self.bindings_of(art).into_iter().find(|(_, _, alone)| *alone);
        if let Some((file, place, _)) = own {
            if let Some(old) = self.get_mut(&(file, place.clone())) {
                *old = binding;
            }
            self.unbind_all(art, Some(&(file, place)));
            return Ok(());
        }
        self.unbind_all(art, None);
        self.insert(&DocPath::from(["skin"]), None, binding)
    }

    /// Takes art out of all bindings.
    pub(super) fn unbind(&mut self, art: &str) -> Result<(), EditError> {
        if self.bindings_of(art).is_empty() {
            return Err(EditError::request(format!("\"{art}\" is bound to no bone")));
        }
        self.unbind_all(art, None);
        Ok(())
    }

    /// The bindings that name art: file and place, and whether they name nothing else.
    fn bindings_of(&self, art: &str) -> Vec<(usize, Vec<usize>, bool)> {
        let mut found = Vec::new();
        for (file, root) in self.files.iter().enumerate() {
            let Some(section) = root.position("skin") else { continue };
            let Some(skin) = root.child(section) else { continue };
            for index in 0..skin.len() {
                let alone = match skin.child(index).and_then(|binding| binding.field("art")) {
                    Some(DocValue::Text(name)) if **name == *art => true,
                    Some(DocValue::List(names)) if names.iter().any(|name| is(name, art)) => {
                        names.iter().all(|name| is(name, art))
                    }
                    _ => continue,
                };
                found.push((file, vec![section, index], alone));
            }
        }
        found
    }

    /// Takes art out of all bindings but one.
    fn unbind_all(&mut self, art: &str, but: Option<&(usize, Vec<usize>)>) {
        // From the end, so that the places before stay valid.
        for (file, place, alone) in self.bindings_of(art).into_iter().rev() {
            if but.is_some_and(|(kept, at)| (*kept, at) == (file, &place)) {
                continue;
            }
            let Some(root) = self.files.get_mut(file) else { continue };
            if alone {
                take(root, &place);
                prune(root, &place);
                continue;
            }
            let Some(binding) = at_mut(root, &place) else { continue };
            let names = binding.position("art").and_then(|at| binding.child_mut(at));
            if let Some(DocValue::List(names)) = names {
                Arc::make_mut(names).retain(|name| !is(name, art));
            }
        }
    }
}

/// Whether a value is this name.
fn is(value: &DocValue, name: &str) -> bool {
    matches!(value, DocValue::Text(it) if **it == *name)
}
