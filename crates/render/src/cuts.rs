//! Clip paths, masks and filters of what moves: copies of their own for those who use them, with holes for outlines,
//! paint and regions. What nobody moves is shared as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use kurbo::{Affine, Shape};

use crate::art::{Definition, DefinitionKind, Instance, Link, Normal, Stencil, StencilPlace};
use crate::holes::Part;
use crate::paint::Painter;
use crate::posed::Posed;
use crate::region::{Extent, Region};

/// Most bytes of the text that is copied: clip paths of many users can come to more than any drawing.
const MAX_COPIED: usize = 256 << 20;

/// What all copies come to.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    pub(crate) extents: Vec<Extent>,
    pub(crate) regions: Vec<Region>,
}

/// The copies would come to more than [`MAX_COPIED`].
#[derive(Debug)]
pub(crate) struct TooMuch;

/// Makes the copies and the holes for them.
pub(crate) struct Cutter<'a, 'p> {
    normal: &'a Normal,
    painter: &'p mut Painter<'a>,
    /// The nearest rigid element of each node.
    near: &'a [Option<usize>],
    /// Posed paths of the tree: node and outline.
    paths: BTreeMap<usize, usize>,
    /// Posed stencils: the set of users that each outline is for.
    stencils: BTreeMap<StencilPlace, Vec<(usize, usize)>>,
    /// The sets that each user is in.
    sets: BTreeMap<usize, Vec<usize>>,
    /// Whether anything in a clip path or mask, or further in, is posed for users in these sets.
    needed: BTreeMap<(Vec<usize>, Instance), bool>,
    /// Copies of clip paths by what is posed in them.
    made: BTreeMap<(Instance, Vec<usize>, Option<usize>), usize>,
    jobs: Vec<Job>,
    copied: usize,
    cuts: Cuts,
}

/// A copy to be made.
struct Job {
    instance: Instance,
    sets: Vec<usize>,
    inside: Option<usize>,
    /// What the region of a mask is around.
    extent: Option<usize>,
    id: usize,
}

/// Holes and what comes into them.
type Holes = Vec<(Range<usize>, Part)>;

impl<'a, 'p> Cutter<'a, 'p> {
    /// `paths` are the posed nodes with their outlines, `stencils` the posed ones with theirs.
    pub(crate) fn new(
        normal: &'a Normal,
        painter: &'p mut Painter<'a>,
        near: &'a [Option<usize>],
        paths: BTreeMap<usize, usize>,
        stencils: &[(&Stencil, usize)],
    ) -> Self {
        let mut numbers: BTreeMap<&Arc<[usize]>, usize> = BTreeMap::new();
        let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut places: BTreeMap<StencilPlace, Vec<(usize, usize)>> = BTreeMap::new();
        for (stencil, outline) in stencils {
            let next = numbers.len();
            let set = *numbers.entry(&stencil.users).or_insert_with(|| {
                stencil.users.iter().for_each(|user| sets.entry(*user).or_default().push(next));
                next
            });
            places.entry(stencil.place).or_default().push((set, *outline));
        }
        Self {
            normal,
            painter,
            near,
            paths,
            stencils: places,
            sets,
            needed: BTreeMap::new(),
            made: BTreeMap::new(),
            jobs: Vec::new(),
            copied: 0,
            cuts: Cuts::default(),
        }
    }

    /// Makes the holes of all users, and of what they use; more places of posed outlines are added to the list.
    pub(crate) fn cut(mut self, places: &mut Vec<Posed>, holes: &mut Holes) -> Result<Cuts, TooMuch> {
        for users in self.normal.definitions.links().chunk_by(|a, b| a.0 == b.0) {
            let slot = users[0].0;
            let sets = self.sets.get(&slot).cloned().unwrap_or_default();
            let extent = self.extent_of_slot(slot);
            for (_, link) in users {
                let space = self.normal.slots[slot].to_canvas;
                let made = self.link(link, space, &sets, self.near[slot], extent, holes);
                holes.extend(made.map(|id| (link.at.clone(), Part::Made(id))));
            }
            while let Some(job) = self.jobs.pop() {
                self.copy(&job, places, holes);
            }
            if self.copied > MAX_COPIED {
                return Err(TooMuch);
            }
        }
        Ok(self.cuts)
    }

    /// The copy that a link is to lead to instead, if any.
    fn link(
        &mut self,
        link: &Link,
        space: Affine,
        sets: &[usize],
        inside: Option<usize>,
        extent: Option<usize>,
        holes: &mut Holes,
    ) -> Option<usize> {
        let definition = &self.normal.definitions.list[link.definition];
        if definition.kind == DefinitionKind::Filter {
            return extent.map(|extent| self.filter(definition, extent, holes));
        }
        let instance = Instance::new(link, space);
        if !self.is_needed(instance, sets) {
            return None;
        }
        let is_clip = definition.kind == DefinitionKind::Clip;
        let key = (instance, sets.to_vec(), inside);
        if let Some(id) = self.made.get(&key).filter(|_| is_clip) {
            return Some(*id);
        }
        let id = self.painter.make_id(&definition.id, self.made.len());
        let sets = sets.to_vec();
        self.jobs.push(Job { instance, sets, inside, extent: extent.filter(|_| !is_clip), id });
        if is_clip {
            self.made.insert(key, id);
        }
        Some(id)
    }

    fn posed_at(&self, place: StencilPlace, sets: &[usize]) -> Option<usize> {
        let outlines = self.stencils.get(&place)?;
        outlines.iter().find(|(set, _)| sets.contains(set)).map(|(_, outline)| *outline)
    }

    /// Finds out once for all that a clip path or mask leads to whether they must be copied.
    fn is_needed(&mut self, instance: Instance, sets: &[usize]) -> bool {
        let key = |instance: Instance| (sets.to_vec(), instance);
        if sets.is_empty() {
            return false;
        }
        if let Some(needed) = self.needed.get(&key(instance)) {
            return *needed;
        }
        let list = &self.normal.definitions.list;
        let (mut reached, mut next) = (BTreeSet::from([instance]), vec![instance]);
        let mut linked_by: BTreeMap<Instance, Vec<Instance>> = BTreeMap::new();
        while let Some(at) = next.pop() {
            for linked in at.linked(list) {
                linked_by.entry(linked).or_default().push(at);
                if reached.insert(linked) {
                    next.push(linked);
                }
            }
        }
        let holds = |instance: &Instance| {
            let nodes = 0..list[instance.definition].nodes.len();
            nodes
                .into_iter()
                .any(|node| self.posed_at(StencilPlace { instance: *instance, node }, sets).is_some())
        };
        let mut needed: BTreeSet<Instance> = reached.iter().filter(|at| holds(at)).copied().collect();
        let mut next: Vec<Instance> = needed.iter().copied().collect();
        while let Some(at) = next.pop() {
            let by = linked_by.get(&at).into_iter().flatten();
            next.extend(by.filter(|by| needed.insert(**by)));
        }
        self.needed.extend(reached.iter().map(|at| (key(*at), needed.contains(at))));
        needed.contains(&instance)
    }

    /// A copy of a clip path or mask, right after it.
    fn copy(&mut self, job: &Job, places: &mut Vec<Posed>, holes: &mut Holes) {
        let definition = &self.normal.definitions.list[job.instance.definition];
        let space = job.instance.space();
        let mut changes: Vec<(Range<usize>, Option<Part>)> =
            vec![(definition.id_at.clone(), Some(Part::Made(job.id)))];
        for (node, inner) in definition.nodes.iter().enumerate() {
            changes.extend(inner.id_at.clone().filter(|_| node > 0).map(|at| (at, None)));
            let posed = self.posed_at(StencilPlace { instance: job.instance, node }, &job.sets);
            if let (Some(outline), Some(path)) = (posed, &inner.path) {
                changes.push((path.data.clone(), Some(Part::Data(places.len()))));
                let mut found = Vec::new();
                self.painter.path(places.len(), inner.start, inner.name_end, &mut found);
                for (range, part) in found {
                    // Copies of gradients stand where the gradients do.
                    match range.start > definition.range.start && range.end < definition.range.end {
                        true => changes.push((range, Some(part))),
                        false => holes.push((range, part)),
                    }
                }
                places.push(Posed::new(outline, job.inside, space * inner.to_user, path.data.clone()));
            }
            let extent = match node {
                0 => job.extent,
                _ if inner.links.is_empty() => None,
                _ => self.extent_of_inner(job, definition, node),
            };
            for link in &inner.links {
                let made = self.link(link, space * inner.to_user, &job.sets, job.inside, extent, holes);
                changes.extend(made.map(|id| (link.at.clone(), Some(Part::Made(id)))));
            }
        }
        self.regions(definition, job.extent, job.id, &mut changes);
        self.write(definition, changes, holes);
    }

    fn filter(&mut self, definition: &Definition, extent: usize, holes: &mut Holes) -> usize {
        let id = self.painter.make_id(&definition.id, self.cuts.regions.len());
        let mut changes = vec![(definition.id_at.clone(), Some(Part::Made(id)))];
        self.regions(definition, Some(extent), id, &mut changes);
        self.write(definition, changes, holes);
        id
    }

    fn regions(
        &mut self,
        definition: &Definition,
        extent: Option<usize>,
        made: usize,
        changes: &mut Vec<(Range<usize>, Option<Part>)>,
    ) {
        let Some(extent) = extent else { return };
        for (at_rest, rect) in &definition.regions {
            changes.push((at_rest.clone(), Some(Part::Region(self.cuts.regions.len()))));
            self.cuts.regions.push(Region { extent, rect: *rect, at_rest: at_rest.clone(), made });
        }
    }

    fn write(
        &mut self,
        definition: &Definition,
        mut changes: Vec<(Range<usize>, Option<Part>)>,
        holes: &mut Holes,
    ) {
        let Range { start, end } = definition.range;
        self.copied += end - start;
        changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut at = start;
        for (changed, part) in changes {
            holes.push((end..end, Part::Text(at..changed.start)));
            at = changed.end;
            holes.extend(part.map(|part| (end..end, part)));
        }
        holes.push((end..end, Part::Text(at..end)));
    }

    /// What a node of the tree covers; none if nothing in it moves on its own.
    fn extent_of_slot(&mut self, user: usize) -> Option<usize> {
        let slots = &self.normal.slots;
        let slot = &slots[user];
        let mut extent = Extent::new(self.near[user], slot.to_canvas)?;
        let within = (user + 1..slots.len()).take_while(|at| slots[*at].range.start < slot.range.end);
        for at in within {
            let covered = |to: Affine| match (&slots[at].path, slots[at].image) {
                (Some(path), _) => Some((to * slots[at].to_canvas * path.clone()).bounding_box()),
                (None, Some(image)) => Some((to * slots[at].to_canvas).transform_rect_bbox(image)),
                (None, None) => None,
            };
            let rigid = self.near[at].filter(|_| self.near[at] != self.near[user]);
            match (self.paths.get(&at), rigid) {
                (Some(outline), _) => {
                    extent.posed.extend(covered(extent.to_local).map(|rect| (*outline, rect)));
                }
                (None, Some(rigid)) => {
                    extent.rigid.extend(covered(Affine::IDENTITY).map(|rect| (rigid, rect)));
                }
                (None, None) => {
                    if let Some(rect) = covered(extent.to_local) {
                        extent.add_still(rect);
                    }
                }
            }
        }
        self.keep(extent)
    }

    /// What a group in a mask covers; none if nothing in it is posed.
    fn extent_of_inner(&mut self, job: &Job, definition: &Definition, user: usize) -> Option<usize> {
        let space = job.instance.space();
        let mut extent = Extent::new(job.inside, space * definition.nodes[user].to_user)?;
        let within = (user..definition.nodes.len())
            .take_while(|at| *at == user || definition.nodes[*at].parent >= user);
        for node in within {
            let inner = &definition.nodes[node];
            let Some(path) = &inner.path else { continue };
            let rect = (extent.to_local * space * inner.to_user * path.path.clone()).bounding_box();
            match self.posed_at(StencilPlace { instance: job.instance, node }, &job.sets) {
                Some(outline) => extent.posed.push((outline, rect)),
                None => extent.add_still(rect),
            }
        }
        self.keep(extent)
    }

    fn keep(&mut self, extent: Extent) -> Option<usize> {
        extent.moves().then(|| {
            self.cuts.extents.push(extent);
            self.cuts.extents.len() - 1
        })
    }
}
