//! All elements of a drawing and their names: tables to find elements by name, children by number, and the
//! shortest address of each element.
//!
//! An address is a list of steps joined by `/`. A step is a name (id or label), `#n` (the n-th child that
//! contains or draws art, counted from 1), or `tag#n` for what does not (`defs#1`: the n-th sibling with that
//! tag). A first step that is a number counts the children of the root. A first step that is a name can be
//! anywhere.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::element::{Element, ElementId, ElementKind};
use crate::ink::InkProfile;

/// Lists of elements, one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    elements: Vec<ElementId>,
}

impl Lists {
    /// Each entry is a list and an element of it; within a list the order of the entries is kept.
    fn new(count: usize, entries: &[(u32, ElementId)]) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (list, _) in entries {
            starts[*list as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut elements = vec![ElementId(0); entries.len()];
        for (list, id) in entries {
            let at = &mut next[*list as usize];
            elements[*at as usize] = *id;
            *at += 1;
        }
        Self { starts, elements }
    }

    fn range(&self, list: usize) -> Range<usize> {
        match (self.starts.get(list), self.starts.get(list + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    fn of(&self, list: usize) -> &[ElementId] {
        &self.elements[self.range(list)]
    }
}

/// The elements that have a name.
#[derive(Clone, Debug, Default)]
struct NamedElement {
    /// The number of each name.
    numbers: HashMap<Arc<str>, u32>,
    /// The first element with this id.
    ids: Vec<Option<ElementId>>,
    /// The elements with this label, in document order.
    labelled: Lists,
    /// The elements with this id or label, in document order.
    called: Lists,
}

impl NamedElement {
    fn new(elements: &[Element]) -> Self {
        let (mut labelled, mut called) = (Vec::new(), Vec::new());
        let mut named = Self::default();
        for (element, id) in elements.iter().zip((0..).map(ElementId)) {
            if let Some(name) = &element.id {
                let number = named.number(name);
                named.ids[number as usize].get_or_insert(id);
                called.push((number, id));
            }
            if let Some(name) = &element.label {
                let number = named.number(name);
                labelled.push((number, id));
                if element.id.as_ref() != Some(name) {
                    called.push((number, id));
                }
            }
        }
        named.labelled = Lists::new(named.ids.len(), &labelled);
        named.called = Lists::new(named.ids.len(), &called);
        named
    }

    fn number(&mut self, name: &Arc<str>) -> u32 {
        let next = self.ids.len();
        let number = *self.numbers.entry(Arc::clone(name)).or_insert_with(|| crate::limits::index_u32(next));
        if number as usize == next {
            self.ids.push(None);
        }
        number
    }

    fn get(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).map(|number| *number as usize)
    }
}

/// The children of each element, those of the root first; an element's are at its index plus one.
fn children(elements: &[Element], wanted: impl Fn(&Element) -> bool) -> Lists {
    let wanted = |(element, _): &(&Element, ElementId)| wanted(element);
    let all = elements.iter().zip((0..).map(ElementId)).filter(wanted);
    let entries: Vec<_> =
        all.map(|(element, id)| (crate::limits::index_u32(place(element.parent)), id)).collect();
    Lists::new(elements.len() + 1, &entries)
}

fn place(parent: Option<ElementId>) -> usize {
    parent.map_or(0, |parent| parent.index() + 1)
}

/// The names of a drawing and the order of its elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    named: NamedElement,
    /// Children that hold or draw art.
    art: Lists,
    /// Children that do not, those of one element in the order of their tags.
    others: Lists,
    /// The number of each element among the siblings that are counted with it, from 1.
    numbers: Vec<u32>,
}

impl Names {
    pub(crate) fn new(elements: &[Element]) -> Self {
        let art = children(elements, |element| element.kind != ElementKind::Other);
        let mut others = children(elements, |element| element.kind == ElementKind::Other);
        let mut numbers = vec![0; elements.len()];
        for at in 0..=elements.len() {
            for (id, n) in art.of(at).iter().zip(1..) {
                numbers[id.index()] = n;
            }
            let range = others.range(at);
            let siblings = &mut others.elements[range];
            siblings.sort_by_key(|id| (&elements[id.index()].tag, *id));
            for same in siblings.chunk_by(|a, b| elements[a.index()].tag == elements[b.index()].tag) {
                for (id, n) in same.iter().zip(1..) {
                    numbers[id.index()] = n;
                }
            }
        }
        Self { named: NamedElement::new(elements), art, others, numbers }
    }

    /// The first element with an id.
    pub(crate) fn with_id(&self, id: &str) -> Option<ElementId> {
        self.named.ids[self.named.get(id)?]
    }

    /// The elements with a label, in document order.
    pub(crate) fn labelled(&self, label: &str) -> &[ElementId] {
        self.named.get(label).map_or(&[], |number| self.named.labelled.of(number))
    }

    /// The elements with an id or label, in document order.
    pub(crate) fn called(&self, name: &str) -> &[ElementId] {
        self.named.get(name).map_or(&[], |number| self.named.called.of(number))
    }

    /// The children of an element, or of the root, that hold or draw art, in document order.
    pub(crate) fn art_in(&self, parent: Option<ElementId>) -> &[ElementId] {
        self.art.of(place(parent))
    }

    /// The children of an element, or of the root, with a tag that is not drawn in its own place, in document
    /// order.
    pub(crate) fn others_in(
        &self,
        elements: &[Element],
        parent: Option<ElementId>,
        tag: &str,
    ) -> &[ElementId] {
        let others = self.others.of(place(parent));
        let tag_of = |id: &ElementId| elements[id.index()].tag.as_ref();
        let start = others.partition_point(|id| tag_of(id) < tag);
        let end = others.partition_point(|id| tag_of(id) <= tag);
        &others[start..end]
    }
}

/// A step that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number<'a> {
    /// Empty for elements that contain or draw art.
    pub(crate) tag: &'a str,
    /// Counted from 1; none if what follows the `#` is not such a number.
    pub(crate) n: Option<usize>,
}

/// The number that a step may be: `#3`, `defs#1`. Zeros before it do not matter.
pub(crate) fn number(step: &str) -> Option<Number<'_>> {
    let (tag, digits) = step.rsplit_once('#')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let n = if is_number { digits.parse().ok().filter(|n| *n > 0) } else { None };
    Some(Number { tag, n })
}

/// All elements of a drawing, and their names.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    pub(crate) list: Vec<Element>,
    /// Each `use` with the element that it clones.
    pub(crate) uses: Vec<(ElementId, ElementId)>,
    /// Elements that are hidden at rest and can be shown, in document order.
    pub(crate) hidden: Vec<ElementId>,
    /// The paths with ink, in document order.
    pub(crate) inks: Vec<(ElementId, InkProfile)>,
    /// Built at the first lookup of a name.
    names: OnceLock<Names>,
    /// The keys of all elements but definitions; built when the first definition is copied.
    keys: OnceLock<HashSet<Arc<str>>>,
}

impl Elements {
    /// Elements in document order, parents first; each `use` with the element that it clones; and those that
    /// are hidden at rest although they are part of the picture, in document order.
    pub fn new(mut list: Vec<Element>, uses: Vec<(ElementId, ElementId)>, hidden: Vec<ElementId>) -> Self {
        list.shrink_to_fit();
        let mut elements =
            Self { list, uses, hidden, inks: Vec::new(), names: OnceLock::new(), keys: OnceLock::new() };
        elements.remove_unknown();
        elements
    }

    /// Removes links to elements that are not in the list, and to parents that do not come first.
    pub(crate) fn remove_unknown(&mut self) {
        let count = self.list.len();
        for (at, element) in self.list.iter_mut().enumerate() {
            element.parent = element.parent.filter(|parent| parent.index() < at);
        }
        self.uses.retain(|(user, used)| user.index() < count && used.index() < count);
        self.hidden.retain(|id| id.index() < count);
        self.hidden.sort_unstable();
        self.hidden.dedup();
    }

    /// Adds one.
    pub(crate) fn push(&mut self, element: Element) -> ElementId {
        let id = ElementId::from_index(self.list.len());
        if let Some(keys) = self.keys.get_mut()
            && element.kind != ElementKind::Other
        {
            keys.insert(Arc::clone(&element.key));
        }
        self.names.take();
        self.list.push(element);
        id
    }

    /// All elements, mutable, names included.
    pub(crate) fn list_mut(&mut self) -> &mut [Element] {
        self.names.take();
        self.keys.take();
        &mut self.list
    }

    pub(crate) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.list))
    }

    /// Whether an element of the picture has a key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        let of_picture = || self.list.iter().filter(|element| element.kind != ElementKind::Other);
        self.keys.get_or_init(|| of_picture().map(|element| Arc::clone(&element.key)).collect()).contains(key)
    }

    /// All, in document order.
    pub fn list(&self) -> &[Element] {
        &self.list
    }

    /// An element.
    pub fn element(&self, id: ElementId) -> Option<&Element> {
        self.list.get(id.index())
    }

    /// The elements directly in a group that may be drawn, in document order.
    pub fn children(&self, group: ElementId) -> &[ElementId] {
        self.names().art_in(Some(group))
    }

    /// Whether an element is hidden at rest and can be shown.
    pub(crate) fn is_hidden(&self, id: ElementId) -> bool {
        self.hidden.binary_search(&id).is_ok()
    }

    /// Whether an id or label means an element and no other.
    pub(crate) fn means(&self, name: &str, id: ElementId) -> bool {
        match (self.names().with_id(name), self.names().labelled(name)) {
            (Some(first), _) => first == id,
            (None, [one]) => *one == id,
            (None, several) => self.only_shown(several) == Some(id),
        }
    }

    /// A label that is used for something drawn and for a definition or something hidden means what is drawn.
    pub(crate) fn only_shown(&self, found: &[ElementId]) -> Option<ElementId> {
        let mut shown = found.iter().copied().filter(|id| self.is_shown(*id));
        shown.next().filter(|_| shown.next().is_none())
    }

    /// Whether an element is drawn, and neither it nor a group around it is hidden at rest.
    fn is_shown(&self, id: ElementId) -> bool {
        self.element(id).is_some_and(Element::is_drawn)
            && !std::iter::successors(Some(id), |at| self.element(*at)?.parent).any(|at| self.is_hidden(at))
    }

    /// The address of an element: the shortest by which [`Self::find`] means this element and no other.
    ///
    /// It is the label or id if that is enough, else the address of its parent and its name or number in it.
    /// What is not drawn has an address too; `find` reports that it is not drawn. Empty for an id of another
    /// drawing.
    pub(crate) fn address(&self, id: ElementId) -> String {
        let Some(element) = self.element(id) else { return String::new() };
        for name in [&element.label, &element.id].into_iter().flatten() {
            if !name.trim().is_empty() && self.means(name, id) {
                return name.to_string();
            }
        }
        let base = self.base(element.parent);
        let named = self.named_step(id, element).map(|name| join(&base, name));
        // A name that looks like an address has precedence. Zeros make another address of the same steps.
        let numbered = (0..).map(|zeros| join(&base, &self.number_step(id, element, zeros)));
        let is_free = |address: &String| self.names().called(address).is_empty();
        named.filter(|_| !base.is_empty()).into_iter().chain(numbered).find(is_free).unwrap_or_default()
    }

    /// The name of an element for messages: its label, else its id, else its address.
    pub(crate) fn shown_name(&self, id: ElementId) -> String {
        let name = self.element(id).and_then(|element| element.label.as_ref().or(element.id.as_ref()));
        name.map_or_else(|| self.address(id), |name| name.to_string())
    }

    /// Steps that lead from the root or from a name that only one element has to this element alone; empty
    /// for the root.
    fn base(&self, id: Option<ElementId>) -> String {
        let mut steps: Vec<String> = Vec::new();
        for (id, element) in std::iter::successors(id, |at| self.element(*at)?.parent)
            .filter_map(|id| Some((id, self.element(id)?)))
        {
            let only = |name: &&str| is_step(name) && self.names().called(name).len() == 1;
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

    /// The number of an element as a step, with enough zeros that no sibling has the step as its name.
    fn number_step(&self, id: ElementId, element: &Element, zeros: usize) -> String {
        let tag = if element.kind == ElementKind::Other { element.tag.as_ref() } else { "" };
        let number = self.names().numbers.get(id.index()).copied().unwrap_or_default();
        let steps = (0..).map(|zeros| format!("{tag}#{}{number}", "0".repeat(zeros)));
        let is_free = |step: &String| match element.parent {
            None => self.names().called(step).is_empty(),
            parent => self.children_called(parent, step, 1).is_empty(),
        };
        steps.filter(is_free).nth(zeros).unwrap_or_default()
    }

    /// The elements at the end of a path of steps, in document order.
    pub(crate) fn walk(&self, steps: &[&str]) -> Vec<ElementId> {
        let Some((first, rest)) = steps.split_first() else { return Vec::new() };
        let mut at = self.names().called(first).to_vec();
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
    pub(crate) fn numbered(&self, parent: Option<ElementId>, step: &str) -> Option<ElementId> {
        let Number { tag, n } = number(step)?;
        self.counted(parent, tag).get(n?.checked_sub(1)?).copied()
    }

    /// The children of an element, or of the root, that are counted together: those with a tag, or art if it
    /// is empty.
    pub(crate) fn counted(&self, parent: Option<ElementId>, tag: &str) -> &[ElementId] {
        match tag {
            "" => self.names().art_in(parent),
            tag => self.names().others_in(&self.list, parent, tag),
        }
    }

    /// The children of an element, or of the root, with an id or label, in document order, at most so many.
    fn children_called(&self, parent: Option<ElementId>, name: &str, most: usize) -> Vec<ElementId> {
        let called = self.names().called(name);
        let (art, others) = (self.names().art.of(place(parent)), self.names().others.of(place(parent)));
        // The shorter list is searched.
        if called.len() <= art.len() + others.len() {
            let is_child = |id: &&ElementId| self.list[id.index()].parent == parent;
            return called.iter().filter(is_child).take(most).copied().collect();
        }
        let is_called = |id: &&ElementId| self.list[id.index()].is_called(name);
        let mut found: Vec<ElementId> =
            art.iter().chain(others).filter(is_called).take(most).copied().collect();
        found.sort_unstable();
        found
    }
}

/// The names of an element, the one to show first.
fn names_of(element: &Element) -> impl Iterator<Item = &str> {
    [&element.label, &element.id].into_iter().flatten().map(|name| &**name)
}

/// Whether a name is read as one step of an address.
fn is_step(name: &str) -> bool {
    !name.contains('/') && !name.is_empty() && name.trim() == name
}

fn join(base: &str, step: &str) -> String {
    if base.is_empty() { step.to_owned() } else { format!("{base}/{step}") }
}

impl Archive for Elements {
    fn write(&self, to: &mut Writer) {
        (&self.list, &self.uses, &self.hidden).write(to);
        self.inks.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (list, uses, hidden) = Archive::read(from)?;
        let inks = Archive::read(from)?;
        Ok(Self { inks, ..Self::new(list, uses, hidden) })
    }
}
