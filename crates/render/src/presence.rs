//! Whether elements are seen, how solid they are, and which of them lie in front: for each of them marks around its text,
//! and the way through the text that passes hidden ones by and takes siblings in another order.
//! Refuses to know why; what a clip or a switch asked for is worked out before.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::art::{Art, ElementId, Normal};
use crate::holes::Part;
use crate::number;

/// How an element stands in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Presence {
    /// Whether it is drawn at all.
    pub visible: bool,
    /// Multiplies its own opacity, from 0 to 1: as one picture, not each of its shapes by itself.
    pub opacity: f64,
    /// Its place among its siblings: a higher one is drawn later, in front. All have 0 unless told otherwise, and those
    /// with the same order keep that of the document.
    pub order: f64,
}

impl Presence {
    /// In its own place, as it was drawn.
    pub const SHOWN: Self = Self { visible: true, opacity: 1.0, order: 0.0 };
    /// Not drawn.
    pub const HIDDEN: Self = Self { visible: false, ..Self::SHOWN };

    /// Whether anything of it can be seen.
    fn is_seen(self) -> bool {
        // What is fully clear is left out, too. NaN is taken for 1.
        self.visible && (self.opacity > 0.0 || self.opacity.is_nan())
    }

    /// Its opacity if it is not solid.
    fn clear(self) -> Option<f64> {
        (self.opacity < 1.0).then_some(self.opacity)
    }
}

impl Default for Presence {
    fn default() -> Self {
        Self::SHOWN
    }
}

/// The elements whose presence can change, and where their text is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    /// One an element that a frame speaks of, then those that the drawing hides and no frame speaks of.
    actors: Vec<Actor>,
    /// Groups whose children may change places.
    groups: Vec<Siblings>,
}

#[derive(Clone, Debug)]
struct Actor {
    at_rest: Presence,
    /// The part after all of its own.
    after: usize,
}

#[derive(Clone, Debug, Default)]
struct Siblings {
    /// The actor that each child is, if it is one.
    actors: Vec<Option<usize>>,
    /// The parts of each child.
    items: Vec<Range<usize>>,
    /// The part after all of them.
    after: usize,
}

impl Stage {
    /// Marks the text of the elements and of their siblings. `slots` are those of the elements.
    pub(crate) fn new(
        art: &Art,
        present: &[ElementId],
        slots: &[usize],
        holes: &mut Vec<(Range<usize>, Part)>,
    ) -> Self {
        let normal = art.normal();
        let mut stage = Self::default();
        let hidden = art.hidden().iter().filter(|id| !present.contains(id));
        let quiet: Vec<(ElementId, usize)> = hidden.filter_map(|id| Some((*id, art.slot(*id)?))).collect();
        // The first and last node of each, and which it is.
        let mut units: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (id, slot) in present.iter().copied().zip(slots.iter().copied()).chain(quiet) {
            let (first, last) = normal.unit(slot);
            let (start, end) = (normal.slots[first].range.start, normal.slots[last].range.end);
            holes.push((start..start, Part::Enter(stage.actors.len())));
            holes.push((end..end, Part::Leave(stage.actors.len())));
            let at_rest = if art.is_hidden(id) { Presence::HIDDEN } else { Presence::SHOWN };
            stage.actors.push(Actor { at_rest, after: 0 });
            units.entry((first, last)).or_insert(stage.actors.len() - 1);
        }
        // Only what a frame speaks of can change places.
        let spoken_of = units.iter().filter(|(_, k)| **k < present.len());
        let parents: BTreeSet<Option<usize>> =
            spoken_of.map(|((first, _), _)| normal.slots[*first].parent).collect();
        for parent in parents {
            stage.siblings(normal, parent, &units, holes);
        }
        stage
    }

    /// Marks the children of a group, or of the root.
    fn siblings(
        &mut self,
        normal: &Normal,
        parent: Option<usize>,
        units: &BTreeMap<(usize, usize), usize>,
        holes: &mut Vec<(Range<usize>, Part)>,
    ) {
        let group = self.groups.len();
        let mut siblings = Siblings::default();
        let mut marks: Vec<(Range<usize>, Part)> = Vec::new();
        let mut children = normal.children(parent).iter().copied().peekable();
        let mut end = 0;
        while let Some(child) = children.next() {
            // A path and its markers stay together, whichever comes first.
            let pair = children.peek().map(|next| normal.with_markers(*next)).filter(|pair| pair.0 == child);
            let (first, last) = pair.unwrap_or_else(|| normal.with_markers(child));
            if first != last {
                children.next();
            }
            let start = normal.slots[first].range.start;
            let mark = if siblings.actors.is_empty() { Part::Siblings(group) } else { Part::Sibling(group) };
            marks.push((start..start, mark));
            siblings.actors.push(units.get(&(first, last)).copied());
            end = normal.slots[last].range.end;
        }
        // Alone, it has nobody to change places with.
        if siblings.actors.len() > 1 {
            marks.push((end..end, Part::Sibling(group)));
            holes.extend(marks);
            self.groups.push(siblings);
        }
    }

    /// Finds the marks among the parts of the text.
    pub(crate) fn settle(&mut self, parts: &[Part]) {
        self.groups.iter_mut().for_each(|siblings| siblings.items.clear());
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Leave(k) => self.actors[*k].after = at + 1,
                Part::Siblings(g) => self.groups[*g].after = at + 1,
                Part::Sibling(g) => {
                    let siblings = &mut self.groups[*g];
                    siblings.items.push(siblings.after..at);
                    siblings.after = at + 1;
                }
                _ => {}
            }
        }
    }

    /// How many elements and how many groups of siblings there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.actors.len(), self.groups.len())
    }

    /// How many siblings a group has.
    pub(crate) fn siblings_of(&self, group: usize) -> usize {
        self.groups[group].items.len()
    }

    /// Whether an element is seen, and its opacity if it is not solid.
    pub(crate) fn seen(&self, k: usize, presences: &[Presence]) -> Option<Option<f64>> {
        let presence = self.presence(k, presences);
        presence.is_seen().then(|| presence.clear())
    }

    /// The children of a group in their order of this frame. False if it is that of the document.
    pub(crate) fn sorted(&self, group: usize, presences: &[Presence], out: &mut Vec<usize>) -> bool {
        let siblings = &self.groups[group];
        let order = |child: usize| {
            let order = siblings.actors[child].map_or(0.0, |k| self.presence(k, presences).order);
            // NaN is taken for 0, and -0 is 0.
            if order.is_nan() { 0.0 } else { order + 0.0 }
        };
        out.clear();
        out.extend(0..siblings.actors.len());
        if (1..siblings.actors.len()).all(|child| order(child - 1) <= order(child)) {
            return false;
        }
        out.sort_by(|a, b| order(*a).total_cmp(&order(*b)));
        true
    }

    fn presence(&self, k: usize, presences: &[Presence]) -> Presence {
        presences.get(k).copied().unwrap_or(self.actors[k].at_rest)
    }

    /// Writes what opens an element, if it is seen. Else gives the part to go on with.
    pub(crate) fn enter(&self, k: usize, presences: &[Presence], out: &mut String) -> Option<usize> {
        let presence = self.presence(k, presences);
        if !presence.is_seen() {
            return Some(self.actors[k].after);
        }
        if let Some(opacity) = presence.clear() {
            out.push_str("<g opacity=\"");
            number::write_rounded(opacity, out);
            out.push_str("\">");
        }
        None
    }

    /// Writes what closes an element that is seen.
    pub(crate) fn leave(&self, k: usize, presences: &[Presence], out: &mut String) {
        if self.presence(k, presences).clear().is_some() {
            out.push_str("</g>");
        }
    }
}

/// The way through the parts of a text: on and on, but where siblings change places.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// Groups that are gone through in another order, the innermost last.
    runs: Vec<Run>,
}

#[derive(Debug)]
struct Run {
    /// The children that are still to come, the next one last.
    rest: Vec<Range<usize>>,
    /// Where the child ends that is being written.
    until: usize,
    /// Where to go on after the group.
    after: usize,
}

impl Way {
    /// The part to go on with after all parts before `at`.
    pub(crate) fn next(&mut self, mut at: usize) -> usize {
        while let Some(run) = self.runs.last_mut().filter(|run| run.until == at) {
            match run.rest.pop() {
                Some(child) => {
                    run.until = child.end;
                    at = child.start;
                }
                None => {
                    at = run.after;
                    self.runs.pop();
                }
            }
        }
        at
    }

    /// Goes through the children of a group in their order of this frame. `at` is the group's first part.
    pub(crate) fn shuffle(&mut self, stage: &Stage, group: usize, at: usize, presences: &[Presence]) {
        let (siblings, mut rest) = (&stage.groups[group], Vec::new());
        if !stage.sorted(group, presences, &mut rest) {
            return;
        }
        let rest = rest.into_iter().rev().map(|child| siblings.items[child].clone()).collect();
        self.runs.push(Run { rest, until: at + 1, after: siblings.after });
    }
}
