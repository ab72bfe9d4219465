//! Outlines that are not drawn but bound what is seen of others: the paths of clip paths and masks, on the canvas.
//! Refuses to decide which of them bend.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kurbo::Affine;

use super::definitions::{Definition, DefinitionKind, InnerPath, Link};
use super::element::{Element, ElementId, ElementKind, ElementState};
use super::normal::Normal;
use super::{Art, Outline};

/// A path of a clip path or a mask, as it stands on the canvas for the elements that are cut by it.
///
/// A clip path that is used in two places has two of each of its paths: what bends has an outline of its own in each.
#[derive(Clone, Debug)]
pub struct Stencil {
    /// The outline. Its place on the canvas comes from what is cut.
    pub outline: Outline,
    /// The element that its author drew, or what that stands in. If nothing of the clip path or mask can be told, what
    /// it cuts.
    pub element: ElementId,
    /// The first element that it cuts; none if only clones made by `use` are cut.
    pub cut: Option<ElementId>,
    pub(crate) place: StencilPlace,
    /// Nodes of the drawing that it cuts, in order.
    pub(crate) users: Arc<[usize]>,
}

/// Where a stencil stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StencilPlace {
    pub(crate) instance: Instance,
    /// Among the definition's nodes.
    pub(crate) node: usize,
}

/// A clip path or mask in a space. Of equal spaces one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instance {
    pub(crate) definition: usize,
    space: [u64; 6],
}

impl Instance {
    pub(crate) fn new(link: &Link, space: Affine) -> Self {
        Self { definition: link.definition, space: space.as_coeffs().map(f64::to_bits) }
    }

    /// From the space of what is cut to canvas space.
    pub(crate) fn space(self) -> Affine {
        Affine::new(self.space.map(f64::from_bits))
    }

    /// What it links to itself; each is in a space of its own. Filters are left out.
    pub(crate) fn linked(self, definitions: &[Definition]) -> impl Iterator<Item = Self> + '_ {
        let nodes = definitions.get(self.definition).map_or(&[][..], |definition| &definition.nodes);
        let links = nodes.iter().flat_map(|node| node.links.iter().map(move |link| (node, link)));
        links
            .filter(|(_, link)| cuts(definitions, link))
            .map(move |(node, link)| Self::new(link, self.space() * node.to_user))
    }
}

/// Clip paths and masks in their spaces, with the nodes that they cut.
type Reached = BTreeMap<Instance, BTreeSet<usize>>;

fn cuts(definitions: &[Definition], link: &Link) -> bool {
    definitions.get(link.definition).is_some_and(|d| d.kind != DefinitionKind::Filter)
}

impl Stencil {
    /// How many drawn nodes it cuts. Of two stencils of one path in one place the one with fewer was asked for by fewer of
    /// those who use it.
    pub fn user_count(&self) -> usize {
        self.users.len()
    }
}

impl Art {
    /// The stencils of all elements that meet a condition. An element has those of its own `clip-path` and `mask`, and
    /// what those are cut by in turn.
    pub fn stencils(&self, of: impl Fn(ElementId) -> bool) -> Vec<Stencil> {
        self.stencils_where(|owner| owner.is_some_and(&of))
    }

    /// The stencils that an element of a clip path or mask is or holds, one for each space in which it is used.
    pub fn stencils_of(&self, id: ElementId) -> Vec<Stencil> {
        let all = self.stencils.get_or_init(|| self.stencils_where(|_| true));
        all.iter().filter(|stencil| self.is_within(stencil.element, id)).cloned().collect()
    }

    /// Images in the masks of all elements that meet a condition: they have no outline that could bend. Each with the
    /// element that it is, or the mask that it is in.
    pub fn images_cutting(&self, of: impl Fn(ElementId) -> bool) -> Vec<ElementId> {
        let (reached, _) = self.reached(|owner| owner.is_some_and(&of));
        let images = reached.keys().flat_map(|instance| self.images_in(instance.definition));
        let mut images: Vec<ElementId> = images.collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    /// Images of an element of a mask.
    pub fn images_cutting_in(&self, id: ElementId) -> Vec<ElementId> {
        let all = (0..self.normal.definitions.list.len()).flat_map(|definition| self.images_in(definition));
        let mut images: Vec<ElementId> = all.filter(|image| self.is_within(*image, id)).collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    fn images_in(&self, definition: usize) -> impl Iterator<Item = ElementId> {
        let nodes = self.normal.definitions.list[definition].nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.is_image).filter_map(move |(node, _)| self.author(definition, node))
    }

    /// The clip paths and masks of whom is wanted, and what those are cut by in turn, each in its space with the nodes that
    /// it cuts; and whose those nodes are.
    ///
    /// How many there can be is bounded by what a drawing may come to once everything is followed (`limits::MAX_EXPANDED`).
    fn reached(&self, wanted: impl Fn(Option<ElementId>) -> bool) -> (Reached, BTreeMap<usize, ElementId>) {
        let definitions = &self.normal.definitions;
        // Nodes with the same links in the same space share everything.
        let mut users: BTreeMap<Instance, BTreeSet<usize>> = BTreeMap::new();
        let mut owner_of: BTreeMap<usize, ElementId> = BTreeMap::new();
        for ((slot, link), owner) in definitions.links().iter().zip(&self.owners) {
            if cuts(&definitions.list, link) && wanted(*owner) {
                let instance = Instance::new(link, self.normal.slots[*slot].to_canvas);
                users.entry(instance).or_default().insert(*slot);
                owner_of.extend(owner.map(|owner| (*slot, owner)));
            }
        }
        let mut reached = Reached::new();
        for (root, slots) in users {
            let (mut seen, mut next) = (BTreeSet::from([root]), vec![root]);
            while let Some(instance) = next.pop() {
                reached.entry(instance).or_default().extend(&slots);
                next.extend(instance.linked(&definitions.list).filter(|linked| seen.insert(*linked)));
            }
        }
        (reached, owner_of)
    }

    fn stencils_where(&self, wanted: impl Fn(Option<ElementId>) -> bool) -> Vec<Stencil> {
        let definitions = &self.normal.definitions;
        let (reached, owner_of) = self.reached(wanted);
        let mut stencils = Vec::new();
        for (instance, slots) in reached {
            let users: Arc<[usize]> = slots.into_iter().collect();
            let cut = users.iter().find_map(|slot| owner_of.get(slot)).copied();
            let definition = &definitions.list[instance.definition];
            for (node, inner) in definition.nodes.iter().enumerate() {
                let Some(path) = &inner.path else { continue };
                let Some(element) = self.author(instance.definition, node).or(cut) else { continue };
                stencils.push(Stencil {
                    outline: outline(path, instance.space() * inner.to_user),
                    element,
                    cut,
                    place: StencilPlace { instance, node },
                    users: Arc::clone(&users),
                });
            }
        }
        stencils
    }

    /// The element behind a node of a clip path or mask.
    fn author(&self, definition: usize, node: usize) -> Option<ElementId> {
        let nodes = &self.normal.definitions.list[definition].nodes;
        let mut at = node;
        while at > 0 {
            if let Some(element) = nodes[at].id.as_deref().and_then(|id| self.by_key.get(id)) {
                return Some(*element);
            }
            at = nodes[at].parent;
        }
        self.definers.get(definition).copied().flatten()
    }
}

fn outline(path: &InnerPath, to_canvas: Affine) -> Outline {
    Outline {
        path: to_canvas * path.path.clone(),
        local_to_canvas: to_canvas,
        visible: path.visible,
        even_odd: path.even_odd,
        stroke_width: path.stroke_width * to_canvas.determinant().abs().sqrt(),
        fill: None,
        stroke: None,
        has_markers: false,
    }
}

/// The elements that cut others, by their keys; the `clipPath` or `mask` behind each definition; and the owner of each
/// link of the tree.
pub(super) struct Cutters {
    pub(super) by_key: BTreeMap<String, ElementId>,
    pub(super) definers: Vec<Option<ElementId>>,
    pub(super) owners: Vec<Option<ElementId>>,
}

/// Finds out which elements cut others, and says so in their state.
pub(super) fn set_states(elements: &mut [Element], normal: &Normal) -> Cutters {
    let ids = || (0_u32..).map(ElementId);
    let by_key: BTreeMap<String, ElementId> =
        elements.iter().zip(ids()).map(|(element, id)| (element.key.clone(), id)).collect();
    let is_definer = |id: &ElementId| matches!(elements[id.index()].tag.as_str(), "clipPath" | "mask");
    let definer = |definition: &Definition| {
        let named = by_key.get(&definition.id).copied().filter(is_definer);
        // One that was made for the size of a second element has an id that was made up; what is in it kept its own.
        let within = || {
            let keyed = definition.nodes.iter().find_map(|node| by_key.get(node.id.as_deref()?));
            std::iter::successors(keyed.copied(), |at| elements[at.index()].parent).find(is_definer)
        };
        named.or_else(within)
    };
    let list = &normal.definitions.list;
    let of_filter = |definition: &Definition| definition.kind == DefinitionKind::Filter;
    let definers: Vec<Option<ElementId>> =
        list.iter().map(|d| if of_filter(d) { None } else { definer(d) }).collect();
    let owners = owners(elements, normal);
    let mut cutting: Vec<ElementId> = definers.iter().flatten().copied().collect();
    for definition in list.iter().filter(|definition| !of_filter(definition)) {
        let keyed = definition.nodes.iter().skip(1).filter_map(|node| by_key.get(node.id.as_deref()?));
        for id in keyed {
            let up_to_definer = std::iter::successors(Some(*id), |at| elements[at.index()].parent);
            cutting.extend(up_to_definer.take_while(|at| !is_definer(at)));
        }
    }
    for id in cutting {
        elements[id.index()].state = ElementState::Cuts;
    }
    Cutters { by_key, definers, owners }
}

/// Whose `clip-path`, `mask` or `filter` each link of the tree is: the element's that the node stands for, or that of the
/// group around it. Clones made by `use` are nobody's.
fn owners(elements: &[Element], normal: &Normal) -> Vec<Option<ElementId>> {
    let mut of_slot: Vec<Option<ElementId>> = vec![None; normal.slots.len()];
    for (element, id) in elements.iter().zip((0_u32..).map(ElementId)) {
        let Some(slot) = normal.by_key.get(&element.key).copied().filter(|_| element.is_drawn()) else {
            continue;
        };
        let (outermost, _) = normal.unit(slot);
        of_slot[slot] = Some(id);
        for at in normal.ancestors(slot).take_while(|at| *at >= outermost) {
            of_slot[at].get_or_insert(id);
        }
    }
    // Parents come first, so what a node inherits from its group is known.
    for at in 0..of_slot.len() {
        let around = normal.slots[at].parent.and_then(|parent| of_slot[parent]);
        let group = around.filter(|id| elements[id.index()].kind == ElementKind::Group);
        if of_slot[at].is_none() {
            of_slot[at] = group;
        }
    }
    normal.definitions.links().iter().map(|(slot, _)| of_slot[*slot]).collect()
}
