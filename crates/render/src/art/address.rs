//! Addresses of elements: names looked up by hash, children by number, and the shortest way back to each element.
//!
//! An address is steps joined by `/`. A step is a name (id or label), `#n` (the n-th child that holds or draws art, counted
//! from 1), or `tag#n` for what does not (`defs#1`: the n-th sibling with that tag). A first step that is a number counts
//! the children of the root; a first step that is a name may be anywhere.

use std::collections::HashMap;

use super::Art;
use super::element::{Element, ElementId, ElementKind};

/// The elements that have a name.
#[derive(Debug, Default)]
struct Named {
    /// The first element with this id.
    id: Option<ElementId>,
    /// The elements with this label, in document order.
    labelled: Vec<ElementId>,
    /// The elements with this id or label, in document order.
    called: Vec<ElementId>,
}

/// The children of each element, those of the root first; an element's are at its index plus one.
#[derive(Debug)]
struct Children {
    starts: Vec<usize>,
    children: Vec<ElementId>,
}

impl Children {
    fn new(elements: &[Element], wanted: impl Fn(&Element) -> bool) -> Self {
        let wanted = |(element, _): &(&Element, ElementId)| wanted(element);
        let all = || elements.iter().zip((0..).map(ElementId)).filter(wanted);
        let mut starts = vec![0; elements.len() + 2];
        for (element, _) in all() {
            starts[place(element.parent) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![ElementId(0); all().count()];
        for (element, id) in all() {
            let at = &mut next[place(element.parent)];
            children[*at] = id;
            *at += 1;
        }
        Self { starts, children }
    }

    fn of(&self, parent: Option<ElementId>) -> &[ElementId] {
        let at = place(parent);
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.children[*start..*end],
            _ => &[],
        }
    }
}

fn place(parent: Option<ElementId>) -> usize {
    parent.map_or(0, |parent| parent.index() + 1)
}

/// The names of a drawing and the order of its elements.
#[derive(Debug)]
pub(super) struct Names {
    named: HashMap<String, Named>,
    /// Children that hold or draw art.
    art: Children,
    /// Children that do not, those of one element in the order of their tags.
    others: Children,
    /// The number of each element among the siblings that are counted with it, from 1.
    numbers: Vec<usize>,
}

impl Names {
    pub(super) fn new(elements: &[Element]) -> Self {
        let mut named: HashMap<String, Named> = HashMap::new();
        for (element, id) in elements.iter().zip((0..).map(ElementId)) {
            if let Some(name) = &element.id {
                let entry = named.entry(name.clone()).or_default();
                entry.id.get_or_insert(id);
                entry.called.push(id);
            }
            if let Some(name) = &element.label {
                let entry = named.entry(name.clone()).or_default();
                entry.labelled.push(id);
                if entry.called.last() != Some(&id) {
                    entry.called.push(id);
                }
            }
        }
        let art = Children::new(elements, |element| element.kind != ElementKind::Other);
        let mut others = Children::new(elements, |element| element.kind == ElementKind::Other);
        let mut numbers = vec![0; elements.len()];
        for at in 0..=elements.len() {
            for (n, id) in art.children[art.starts[at]..art.starts[at + 1]].iter().enumerate() {
                numbers[id.index()] = n + 1;
            }
            let siblings = &mut others.children[others.starts[at]..others.starts[at + 1]];
            siblings.sort_by_key(|id| (&elements[id.index()].tag, *id));
            for same in siblings.chunk_by(|a, b| elements[a.index()].tag == elements[b.index()].tag) {
                for (n, id) in same.iter().enumerate() {
                    numbers[id.index()] = n + 1;
                }
            }
        }
        Self { named, art, others, numbers }
    }

    /// The first element with an id.
    pub(super) fn with_id(&self, id: &str) -> Option<ElementId> {
        self.named.get(id)?.id
    }

    /// The elements with a label, in document order.
    pub(super) fn labelled(&self, label: &str) -> &[ElementId] {
        self.named.get(label).map_or(&[], |named| &named.labelled)
    }

    /// The elements with an id or label, in document order.
    pub(super) fn called(&self, name: &str) -> &[ElementId] {
        self.named.get(name).map_or(&[], |named| &named.called)
    }

    /// The children of an element, or of the root, that hold or draw art, in document order.
    pub(super) fn art_in(&self, parent: Option<ElementId>) -> &[ElementId] {
        self.art.of(parent)
    }

    /// The children of an element, or of the root, with a tag that is not drawn in its own place, in document order.
    pub(super) fn others_in(
        &self,
        elements: &[Element],
        parent: Option<ElementId>,
        tag: &str,
    ) -> &[ElementId] {
        let others = self.others.of(parent);
        let tag_of = |id: &ElementId| elements[id.index()].tag.as_str();
        let start = others.partition_point(|id| tag_of(id) < tag);
        let end = others.partition_point(|id| tag_of(id) <= tag);
        &others[start..end]
    }
}

/// A step that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number<'a> {
    /// Empty for what holds or draws art.
    pub(super) tag: &'a str,
    /// Counted from 1; none if what follows the `#` is not such a number.
    pub(super) n: Option<usize>,
}

/// The number that a step may be: `#3`, `defs#1`. Zeros before it do not matter.
pub(super) fn number(step: &str) -> Option<Number<'_>> {
    let (tag, digits) = step.rsplit_once('#')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let n = if is_number { digits.parse().ok().filter(|n| *n > 0) } else { None };
    Some(Number { tag, n })
}

impl Art {
    /// The address of an element: the shortest by which [`Self::find`] means this element and no other.
    ///
    /// It is its label or id if that is enough, else the address of its parent and its name or number in it. What is not
    /// drawn has an address, too: `find` says of it that it is not drawn. Empty for an id of another drawing.
    pub fn address(&self, id: ElementId) -> String {
        let Some(element) = self.element(id) else { return String::new() };
        for name in [&element.label, &element.id].into_iter().flatten() {
            if !name.trim().is_empty() && self.means(name, id) {
                return name.clone();
            }
        }
        let base = self.base(element.parent);
        let named = self.named_step(id, element).map(|name| join(&base, name));
        // Names that look like addresses win over them. Zeros make another address of the same steps.
        let numbered = (0..).map(|zeros| join(&base, &self.number_step(id, element, zeros)));
        let is_free = |address: &String| self.names.called(address).is_empty();
        named.filter(|_| !base.is_empty()).into_iter().chain(numbered).find(is_free).unwrap_or_default()
    }

    /// The name of an element to people: its label, else its id, else its address.
    pub fn shown_name(&self, id: ElementId) -> String {
        let name = self.element(id).and_then(|element| element.label.as_ref().or(element.id.as_ref()));
        name.cloned().unwrap_or_else(|| self.address(id))
    }

    /// Steps that lead from the root or from a name that only one element has to this element alone; empty for the root.
    fn base(&self, id: Option<ElementId>) -> String {
        let mut steps: Vec<String> = Vec::new();
        for (id, element) in std::iter::successors(id, |at| self.element(*at)?.parent)
            .filter_map(|id| Some((id, self.element(id)?)))
        {
            let only = |name: &&str| is_step(name) && self.names.called(name).len() == 1;
            if let Some(name) = names_of(element).find(only) {
                steps.push(name.to_owned());
                break;
            }
            let name = element.parent.and_then(|_| self.named_step(id, element)).map(str::to_owned);
            steps.push(name.unwrap_or_else(|| self.number_step(id, element, 0)));
        }
        steps.reverse();
        steps.join("/")
    }

    /// The name of an element if no sibling has it and it can be a step.
    fn named_step<'a>(&self, id: ElementId, element: &'a Element) -> Option<&'a str> {
        let alone = |name: &&str| self.children_called(element.parent, name, 2) == [id];
        names_of(element).filter(|name| is_step(name)).find(alone)
    }

    /// The number of an element, with as many zeros more than asked for as make it a name of nothing that stands beside it.
    fn number_step(&self, id: ElementId, element: &Element, zeros: usize) -> String {
        let tag = if element.kind == ElementKind::Other { element.tag.as_str() } else { "" };
        let number = self.names.numbers.get(id.index()).copied().unwrap_or_default();
        let steps = (0..).map(|zeros| format!("{tag}#{}{number}", "0".repeat(zeros)));
        let is_free = |step: &String| match element.parent {
            None => self.names.called(step).is_empty(),
            parent => self.children_called(parent, step, 1).is_empty(),
        };
        steps.filter(is_free).nth(zeros).unwrap_or_default()
    }

    /// The elements to which steps lead, in document order.
    pub(super) fn walk(&self, steps: &[&str]) -> Vec<ElementId> {
        let Some((first, rest)) = steps.split_first() else { return Vec::new() };
        let mut at = self.names.called(first).to_vec();
        if at.is_empty() {
            at.extend(self.numbered(None, first));
        }
        for step in rest {
            let mut next: Vec<ElementId> =
                at.iter().flat_map(|parent| self.children_called(Some(*parent), step, usize::MAX)).collect();
            if next.is_empty() {
                next = at.iter().filter_map(|parent| self.numbered(Some(*parent), step)).collect();
            }
            next.sort_unstable();
            at = next;
        }
        at
    }

    /// The child of an element, or of the root, that a number means.
    pub(super) fn numbered(&self, parent: Option<ElementId>, step: &str) -> Option<ElementId> {
        let Number { tag, n } = number(step)?;
        self.counted(parent, tag).get(n?.checked_sub(1)?).copied()
    }

    /// The children of an element, or of the root, that are counted together: those with a tag, or art if it is empty.
    pub(super) fn counted(&self, parent: Option<ElementId>, tag: &str) -> &[ElementId] {
        match tag {
            "" => self.names.art_in(parent),
            tag => self.names.others_in(&self.elements, parent, tag),
        }
    }

    /// The children of an element, or of the root, with an id or label, in document order, at most so many.
    fn children_called(&self, parent: Option<ElementId>, name: &str, most: usize) -> Vec<ElementId> {
        let called = self.names.called(name);
        let (art, others) = (self.names.art.of(parent), self.names.others.of(parent));
        // Whatever is less to look through.
        if called.len() <= art.len() + others.len() {
            let is_child = |id: &&ElementId| self.elements[id.index()].parent == parent;
            return called.iter().filter(is_child).take(most).copied().collect();
        }
        let is_called = |id: &&ElementId| self.elements[id.index()].is_called(name);
        let mut found: Vec<ElementId> =
            art.iter().chain(others).filter(is_called).take(most).copied().collect();
        found.sort_unstable();
        found
    }
}

/// What an element is called, the name to show first.
fn names_of(element: &Element) -> impl Iterator<Item = &str> {
    [&element.label, &element.id].into_iter().flatten().map(String::as_str)
}

/// Whether a name is read as one step of an address.
fn is_step(name: &str) -> bool {
    !name.contains('/') && !name.is_empty() && name.trim() == name
}

fn join(base: &str, step: &str) -> String {
    if base.is_empty() { step.to_owned() } else { format!("{base}/{step}") }
}
