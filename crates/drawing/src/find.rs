//! Finds an element by id, else by label, else by an address. A name of several elements is an error.

use std::fmt;

use crate::drawing::Drawing;
use crate::element::{Element, ElementId, ElementKind, ElementState, NotDrawnReason};
use crate::elements::Elements;
use crate::elements::{Number, number};

/// How many names to suggest.
const SUGGESTIONS: usize = 3;

/// The range of a number in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The address of the element whose children were counted; none for the root.
    pub parent: Option<String>,
    /// The step before its number: `#`, or `clipPath#` for definitions.
    pub prefix: String,
    /// How many children there are to count.
    pub count: usize,
}

impl Numbered {
    /// The address of a child.
    pub fn address(&self, n: usize) -> String {
        let Self { parent, prefix, .. } = self;
        parent.as_ref().map_or_else(|| format!("{prefix}{n}"), |parent| format!("{parent}/{prefix}{n}"))
    }
}

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parent {
            Some(parent) => write!(f, "\"{parent}\" has ")?,
            None => f.write_str("the drawing has ")?,
        }
        let what = match self.prefix.trim_end_matches('#') {
            "" if self.count == 1 => "piece of art".to_owned(),
            "" => "pieces of art".to_owned(),
            tag => format!("<{tag}>"),
        };
        match self.count {
            0 => write!(f, "no {what}"),
            1 => write!(f, "1 {what}: \"{}\"", self.address(1)),
            n => write!(f, "{n} {what}: \"{}\" to \"{}\"", self.address(1), self.address(n)),
        }
    }
}

/// The reason why a name does not lead to an element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// No element has this name.
    Missing {
        /// The name that was looked for.
        name: String,
        /// Names and addresses with nearly the same spelling, nearest first.
        near: Vec<String>,
        /// The valid numbers, if the address has a number without an element.
        numbered: Option<Numbered>,
    },
    /// Several elements have it.
    Ambiguous {
        /// The name that was looked for.
        name: String,
        /// All of them, in document order.
        candidates: Vec<ElementId>,
        /// The address of each.
        addresses: Vec<String>,
    },
    /// The element exists, but is not drawn in its own place.
    NotDrawn {
        /// The name that was looked for.
        name: String,
        /// The element.
        element: ElementId,
        /// Why it is not drawn.
        reason: NotDrawnReason,
        /// The `use` elements that draw it or an element around it.
        drawn_by: Vec<ElementId>,
        /// Their names.
        drawn_by_names: Vec<String>,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, near, numbered } => {
                write!(f, "the drawing has no element called “{name}”")?;
                match (near.as_slice(), numbered) {
                    (_, Some(numbered)) => write!(f, "; {numbered}"),
                    ([], None) => Ok(()),
                    (near, None) => write!(f, "; did you mean “{}”?", near.join("” or “")),
                }
            }
            Self::Ambiguous { name, addresses, .. } => {
                let (count, list) = (addresses.len(), addresses.join("”, “"));
                write!(f, "the drawing has {count} elements called “{name}”: “{list}”")
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

impl Drawing {
    /// Finds an element by id, else by label, else by an address: steps joined by `/`, each an id, a label or
    /// a number, such as `Body/Arm/hand`, whose start may be left out, `Body/#3`, `#2/#5/#1` or `defs#1/#2`.
    /// See [`Self::address`].
    ///
    /// # Errors
    /// If no element or more than one has this name, or if it is not drawn in its own place.
    pub fn find(&self, name: &str) -> Result<ElementId, FindError> {
        self.elements.only(name, &self.elements.candidates(name))
    }

    /// The direct child of a group with this id, else with this label, else with this number.
    ///
    /// # Errors
    /// If no child or more than one has this name, or if it is not drawn.
    pub fn find_child(&self, group: ElementId, name: &str) -> Result<ElementId, FindError> {
        self.elements.find_child(group, name)
    }

    /// The address of an element: the shortest by which [`Self::find`] means this element and no other.
    ///
    /// It is the label or id if that is enough, else the address of its parent and its name or number in it.
    /// What is not drawn has an address too; `find` reports that it is not drawn. Empty for an id of another
    /// drawing.
    pub fn address(&self, id: ElementId) -> String {
        self.elements.address(id)
    }

    /// The name of an element for messages: its label, else its id, else its address.
    pub fn shown_name(&self, id: ElementId) -> String {
        self.elements.shown_name(id)
    }
}

impl Elements {
    /// The candidates for a name.
    pub fn candidates(&self, name: &str) -> Vec<ElementId> {
        // If elements share an id, links and styles use the first; so does this. A note reports it.
        if let Some(first) = self.names().with_id(name) {
            return vec![first];
        }
        let mut found = self.names().labelled(name).to_vec();
        if found.is_empty() && name.contains(['/', '#']) {
            found = self.walk(&steps(name));
        }
        if let Some(drawn) = self.only_shown(&found) {
            found = vec![drawn];
        }
        found
    }

    /// The direct child of a group with this id, else with this label, else with this number (`#2`) or
    /// address.
    pub(crate) fn find_child(&self, group: ElementId, name: &str) -> Result<ElementId, FindError> {
        let called = |test: &dyn Fn(&Element) -> bool| -> Vec<ElementId> {
            let all = self.children(group).iter().copied();
            all.filter(|id| self.element(*id).is_some_and(test)).collect()
        };
        let mut found = called(&|element| element.id.as_deref() == Some(name));
        found.truncate(1);
        if found.is_empty() {
            found = called(&|element| element.label.as_deref() == Some(name));
        }
        if found.is_empty() {
            found.extend(self.numbered(Some(group), name));
        }
        if found.is_empty() {
            found = self.candidates(name);
            found.retain(|id| self.element(*id).is_some_and(|element| element.parent == Some(group)));
        }
        self.only(name, &found)
    }

    /// The one element that was found for a name.
    pub(crate) fn only(&self, name: &str, found: &[ElementId]) -> Result<ElementId, FindError> {
        match found {
            [] => Err(self.missing(name)),
            [one] => self.drawn(name, *one),
            _ => Err(FindError::Ambiguous {
                name: name.to_owned(),
                addresses: found.iter().map(|id| self.address(*id)).collect(),
                candidates: found.to_vec(),
            }),
        }
    }

    /// The error for a name or an address without an element, with suggestions.
    fn missing(&self, name: &str) -> FindError {
        let missing = |near, numbered| FindError::Missing { name: name.to_owned(), near, numbered };
        if !name.contains(['/', '#']) {
            return missing(self.near(name), None);
        }
        let steps = steps(name);
        // The first step without an element.
        let at = (1..=steps.len()).find(|n| self.walk(&steps[..*n]).is_empty()).unwrap_or(1) - 1;
        let (before, step) = (&steps[..at], steps[at]);
        let parents = self.walk(before);
        if let Some(Number { tag, .. }) = number(step)
            && let Some(numbered) = self.countable(&parents, tag)
        {
            return missing(Vec::new(), Some(numbered));
        }
        let with = |near: &str, rest: &[&str]| [before, &[near], rest].concat().join("/");
        let mut near: Vec<String> = Vec::new();
        for name in self.near_in(&parents, step) {
            let whole = with(&name, &steps[at + 1..]);
            let leads = !self.candidates(&whole).is_empty();
            near.push(if leads { whole } else { with(&name, &[]) });
        }
        if near.is_empty() {
            near = self.near(name);
        }
        let numbered = if near.is_empty() && at > 0 { self.countable(&parents, "") } else { None };
        missing(near, numbered)
    }

    /// The valid numbers after these elements; at the root if there are none.
    fn countable(&self, parents: &[ElementId], tag: &str) -> Option<Numbered> {
        let parent = parents.first().copied();
        let count = self.counted(parent, tag).len();
        // The word before the `#` is not a tag here; it can be a name.
        if !tag.is_empty() && count == 0 {
            return None;
        }
        let parent = parent.map(|parent| self.address(parent));
        Some(Numbered { parent, prefix: format!("{tag}#"), count })
    }

    fn drawn(&self, name: &str, id: ElementId) -> Result<ElementId, FindError> {
        match self.element(id).map(|element| &element.state) {
            Some(ElementState::NotDrawn(reason)) => {
                let drawn_by: Vec<ElementId> = self.drawn_by(id);
                Err(FindError::NotDrawn {
                    name: name.to_owned(),
                    element: id,
                    reason: reason.clone(),
                    drawn_by_names: drawn_by.iter().map(|id| self.shown_name(*id)).collect(),
                    drawn_by,
                })
            }
            _ => Ok(id),
        }
    }

    /// The drawn `use` elements that draw an element or one around it, also through other `use` elements.
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

    /// Names of the drawing that are spelled nearly as one, nearest first.
    fn near(&self, name: &str) -> Vec<String> {
        nearest(name, &mut self.list.iter())
    }

    /// Names of the children of these elements that are spelled nearly as one; with none of them, of the
    /// whole drawing.
    fn near_in(&self, parents: &[ElementId], name: &str) -> Vec<String> {
        if parents.is_empty() {
            return self.near(name);
        }
        let is_child =
            |element: &&Element| element.parent.is_some_and(|at| parents.binary_search(&at).is_ok());
        nearest(name, &mut self.list.iter().filter(is_child))
    }
}

/// The steps of an address.
fn steps(address: &str) -> Vec<&str> {
    address.split('/').map(str::trim).collect()
}

fn nearest(name: &str, elements: &mut dyn Iterator<Item = &Element>) -> Vec<String> {
    // The tables for other scripts would be a part of every player.
    let wanted = name.to_ascii_lowercase();
    let allowed = (wanted.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = elements
        .flat_map(|element| [element.id.as_deref(), element.label.as_deref()])
        .flatten()
        .map(|candidate| (distance(&wanted, &candidate.to_ascii_lowercase(), allowed), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

/// How many letters must be added, removed or replaced; the search stops beyond `limit`.
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
