//! A name in a rig -> an element of the drawing: by id, else by label, else by a path of them.
//! Refuses to choose between two, and to name what is not drawn.

use std::fmt;

use super::Art;
use super::element::{Element, ElementId, ElementKind, ElementState, Hidden};

/// How many names to suggest.
const SUGGESTIONS: usize = 3;

/// Why a name leads to no element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// No element has this name.
    Missing {
        /// The name that was looked for.
        name: String,
        /// Names that are spelled nearly so, nearest first.
        near: Vec<String>,
    },
    /// Several elements have it.
    Ambiguous {
        /// The name that was looked for.
        name: String,
        /// All of them, in document order.
        candidates: Vec<ElementId>,
        /// The path of each, which tells them apart unless they stand in one group.
        paths: Vec<String>,
    },
    /// It is there, but not drawn in its own place.
    NotDrawn {
        /// The name that was looked for.
        name: String,
        /// The element.
        element: ElementId,
        /// Why it is not drawn.
        reason: Hidden,
        /// The `use` elements that draw it, or what it stands in.
        drawn_by: Vec<ElementId>,
        /// Their names.
        drawn_by_names: Vec<String>,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, near } => {
                write!(f, "the drawing has no element called “{name}”")?;
                match near.as_slice() {
                    [] => Ok(()),
                    near => write!(f, "; did you mean “{}”?", near.join("” or “")),
                }
            }
            Self::Ambiguous { name, paths, .. } => {
                write!(f, "the drawing has {} elements called “{name}”: {}", paths.len(), paths.join(", "))
            }
            Self::NotDrawn { name, reason, drawn_by_names, .. } => {
                write!(f, "“{name}” is not drawn in its own place: {reason}")?;
                match drawn_by_names.as_slice() {
                    [] => Ok(()),
                    names => write!(f, "; it is drawn by “{}”", names.join("”, “")),
                }
            }
        }
    }
}

impl std::error::Error for FindError {}

impl Art {
    /// Finds an element by id, else by label, else by a path of ids or labels such as `Body/Arm/hand`, whose start may be left out.
    ///
    /// # Errors
    /// If no element or more than one is called so, or if it is not drawn in its own place.
    pub fn find(&self, name: &str) -> Result<ElementId, FindError> {
        self.only(name, &self.candidates(name))
    }

    /// The elements that a name may mean.
    pub(super) fn candidates(&self, name: &str) -> Vec<ElementId> {
        let with = |test: &dyn Fn(&Element) -> bool| -> Vec<ElementId> {
            self.ids().filter(|id| self.element(*id).is_some_and(test)).collect()
        };
        let mut found = with(&|element| element.id.as_deref() == Some(name));
        // Of elements with one id, links and styles mean the first; so do we. A note told the author.
        found.truncate(1);
        if found.is_empty() {
            found = with(&|element| element.label.as_deref() == Some(name));
        }
        if found.is_empty() && name.contains('/') {
            let steps: Vec<&str> = name.split('/').map(str::trim).collect();
            found = self.ids().filter(|id| self.is_at(*id, &steps)).collect();
        }
        // A label that is used for something drawn and for a definition or something hidden means what is drawn.
        if found.len() > 1 {
            let drawn: Vec<ElementId> = found.iter().copied().filter(|id| self.is_shown(*id)).collect();
            if drawn.len() == 1 {
                found = drawn;
            }
        }
        found
    }

    /// Whether an element is drawn, and neither it nor a group around it is hidden at rest.
    fn is_shown(&self, id: ElementId) -> bool {
        self.element(id).is_some_and(Element::is_drawn)
            && !std::iter::successors(Some(id), |at| self.element(*at)?.parent).any(|at| self.is_hidden(at))
    }

    /// The one element that was found for a name.
    pub(super) fn only(&self, name: &str, found: &[ElementId]) -> Result<ElementId, FindError> {
        match found {
            [] => Err(FindError::Missing { name: name.to_owned(), near: self.near(name) }),
            [one] => self.drawn(name, *one),
            _ => Err(FindError::Ambiguous {
                name: name.to_owned(),
                paths: found.iter().map(|id| self.path(*id)).collect(),
                candidates: found.to_vec(),
            }),
        }
    }

    /// The names from the root to an element, joined by `/`.
    pub fn path(&self, id: ElementId) -> String {
        let mut names: Vec<String> = std::iter::successors(Some(id), |at| self.element(*at)?.parent)
            .filter_map(|at| self.element(at))
            .map(Element::name)
            .collect();
        names.reverse();
        names.join("/")
    }

    fn drawn(&self, name: &str, id: ElementId) -> Result<ElementId, FindError> {
        match self.element(id).map(|element| &element.state) {
            Some(ElementState::NotDrawn(reason)) => {
                let drawn_by: Vec<ElementId> = self.drawn_by(id);
                Err(FindError::NotDrawn {
                    name: name.to_owned(),
                    element: id,
                    reason: reason.clone(),
                    drawn_by_names: drawn_by
                        .iter()
                        .filter_map(|id| self.element(*id))
                        .map(Element::name)
                        .collect(),
                    drawn_by,
                })
            }
            _ => Ok(id),
        }
    }

    /// Whether the last of the steps names the element and the others name elements above it, one after the other.
    fn is_at(&self, id: ElementId, steps: &[&str]) -> bool {
        let mut at = Some(id);
        steps.iter().rev().all(|step| {
            let here = at.and_then(|id| self.element(id));
            at = here.and_then(|element| element.parent);
            here.is_some_and(|element| element.is_called(step))
        })
    }

    /// The drawn `use` elements that draw an element or what it stands in, also by way of others.
    fn drawn_by(&self, id: ElementId) -> Vec<ElementId> {
        let mut reached: Vec<ElementId> =
            std::iter::successors(Some(id), |at| self.element(*at)?.parent).collect();
        let mut drawn = Vec::new();
        let mut next = 0;
        while let Some(target) = reached.get(next).copied() {
            next += 1;
            for (user, _) in self.uses.iter().filter(|(_, used)| *used == target) {
                let above = std::iter::successors(Some(*user), |at| self.element(*at)?.parent);
                if self
                    .element(*user)
                    .is_some_and(|element| element.is_drawn() && element.kind == ElementKind::Use)
                {
                    drawn.push(*user);
                }
                for id in above {
                    if !reached.contains(&id) {
                        reached.push(id);
                    }
                }
            }
        }
        drawn.sort_unstable();
        drawn.dedup();
        drawn
    }

    fn near(&self, name: &str) -> Vec<String> {
        let wanted = name.to_lowercase();
        let allowed = (wanted.chars().count() / 3).max(1);
        let mut near: Vec<(usize, &str)> = self
            .elements
            .iter()
            .flat_map(|element| [element.id.as_deref(), element.label.as_deref()])
            .flatten()
            .map(|candidate| (distance(&wanted, &candidate.to_lowercase(), allowed), candidate))
            .filter(|(distance, _)| *distance <= allowed)
            .collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().take(SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
    }
}

/// How many letters must be added, removed or replaced; gives up beyond `limit`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
