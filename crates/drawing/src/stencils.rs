//! The clip paths and masks of a drawing in the spaces of their users.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kurbo::Affine;

use crate::definition::MaskId;
use crate::drawing::Drawing;
use crate::element::{ElementId, ElementKind};
use crate::node::NodeKind;
use crate::node_id::NodeId;
use crate::stencil::{ClipOrMask, InnerNode, Instance, Link, Links, Stencil, StencilPlace};

/// Clip paths and masks in their spaces, with the nodes that use them.
type Reached = BTreeMap<Instance, BTreeSet<NodeId>>;

impl Drawing {
    /// What a group links to: clip path, mask, filters.
    pub(crate) fn links_of(&self, node: NodeId) -> Vec<Link> {
        let Some(group) = self.nodes[node.index()].group() else { return Vec::new() };
        let clip = group.clip.map(|clip| Link::ClipOrMask(ClipOrMask::Clip(clip)));
        let mask = group.mask.map(|mask| Link::ClipOrMask(ClipOrMask::Mask(mask)));
        clip.into_iter().chain(mask).chain(group.filters.iter().map(|filter| Link::Filter(*filter))).collect()
    }

    /// The clip path of a clip path, or the mask of a mask, in the user's space.
    pub(crate) fn linked_clip_or_mask(&self, cut: ClipOrMask) -> Option<ClipOrMask> {
        match cut {
            ClipOrMask::Clip(id) => self.clips[id.index()].clip.map(ClipOrMask::Clip),
            ClipOrMask::Mask(id) => self.masks[id.index()].mask.map(ClipOrMask::Mask),
        }
    }

    /// All nodes of a clip path or mask, parents before what is in them.
    pub(crate) fn inner_nodes(&self, cut: ClipOrMask) -> Vec<InnerNode> {
        let (children, within) = match cut {
            ClipOrMask::Clip(id) => (&self.clips[id.index()].children, self.clips[id.index()].transform),
            ClipOrMask::Mask(id) => (&self.masks[id.index()].children, Affine::IDENTITY),
        };
        let mut nodes = Vec::new();
        let mut next: Vec<(NodeId, Affine)> = children.iter().rev().map(|child| (*child, within)).collect();
        while let Some((node, around)) = next.pop() {
            let here = &self.nodes[node.index()];
            let to_user = around * here.transform();
            nodes.push(InnerNode { node, to_user });
            next.extend(here.children().iter().rev().map(|child| (*child, to_user)));
        }
        nodes
    }

    /// What an instance links to itself, each in a space of its own.
    pub(crate) fn linked(&self, instance: Instance) -> Vec<Instance> {
        let space = instance.space();
        let own = self.linked_clip_or_mask(instance.definition).map(|cut| Instance::new(cut, space));
        let mut found: Vec<Instance> = own.into_iter().collect();
        for InnerNode { node, to_user } in self.inner_nodes(instance.definition) {
            let cuts = self.links_of(node).into_iter().filter_map(|link| match link {
                Link::ClipOrMask(cut) => Some(Instance::new(cut, space * to_user)),
                Link::Filter(_) => None,
            });
            found.extend(cuts);
        }
        found
    }

    /// The stencils of all elements that meet a condition. An element has those of its own `clip-path` and
    /// `mask`, and those that clip them.
    pub fn stencils(&self, of: impl Fn(ElementId) -> bool) -> Vec<Stencil> {
        self.stencils_where(|owner| owner.is_some_and(&of))
    }

    /// The stencils that an element of a clip path or mask is or holds, one for each space in which it is
    /// used.
    pub fn stencils_of(&self, id: ElementId) -> Vec<Stencil> {
        let all = self.stencils.get_or_init(|| self.stencils_where(|_| true));
        all.iter().filter(|stencil| self.is_within(stencil.element, id)).cloned().collect()
    }

    /// The clip paths that cut a node of the picture and whose shapes are all among these stencils: the places
    /// of the shapes of each, of which one is enough for what is in it to be seen.
    pub fn clips_among(&self, node: NodeId, stencils: &[Stencil]) -> Vec<Vec<usize>> {
        let mut clips = Vec::new();
        for at in self.ancestors(node) {
            let space = self.to_canvas(at);
            let own = self.nodes[at.index()].group().and_then(|group| group.clip);
            for clip in std::iter::successors(own, |clip| self.clips[clip.index()].clip) {
                let instance = Instance::new(ClipOrMask::Clip(clip), space);
                let inner = self.inner_nodes(instance.definition);
                let shapes = inner.iter().filter(|inner| self.nodes[inner.node.index()].shape().is_some());
                let place = |inner: &InnerNode| {
                    let place = StencilPlace { instance, node: inner.node };
                    stencils.iter().position(|stencil| stencil.place == place)
                };
                let places: Option<Vec<usize>> = shapes.map(place).collect();
                clips.extend(places.filter(|places| !places.is_empty()));
            }
        }
        clips
    }

    /// Images in the masks of all elements that meet a condition; they have no outline that could bend. Each
    /// is given by the element that it is or the mask that it is in.
    pub fn mask_images(&self, of: impl Fn(ElementId) -> bool) -> Vec<ElementId> {
        let (reached, _) = self.reached(|owner| owner.is_some_and(&of));
        let mut images: Vec<ElementId> =
            reached.keys().flat_map(|instance| self.mask_images_of(instance.definition)).collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    /// Images of an element of a mask.
    pub fn mask_images_in(&self, id: ElementId) -> Vec<ElementId> {
        let masks = (0_u32..).map(MaskId).take(self.masks.len());
        let all = masks.flat_map(|mask| self.mask_images_of(ClipOrMask::Mask(mask)));
        let mut images: Vec<ElementId> = all.filter(|image| self.is_within(*image, id)).collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    fn mask_images_of(&self, cut: ClipOrMask) -> Vec<ElementId> {
        let image = |inner: &InnerNode| matches!(self.nodes[inner.node.index()].kind, NodeKind::Image(_));
        let images = self.inner_nodes(cut).into_iter().filter(image);
        images.filter_map(|inner| self.element_behind(cut, inner.node)).collect()
    }

    /// The links of the picture.
    pub(crate) fn links(&self) -> &Links {
        self.links.get_or_init(|| {
            let mut owner: Vec<Option<ElementId>> = vec![None; self.nodes.len()];
            for id in self.ids() {
                let Some(node) = self.node_of(id) else { continue };
                let (outermost, _) = self.unit(node);
                for at in self.ancestors(node) {
                    owner[at.index()].get_or_insert(id);
                    if at <= outermost {
                        break;
                    }
                }
                owner[node.index()] = Some(id);
            }
            // The clip path of a marker moves with it.
            let mut apart = vec![false; self.nodes.len()];
            self.marker_groups().for_each(|(_, group)| apart[group.index()] = true);
            let mut links = Links::default();
            let mut next: Vec<NodeId> = self.roots.iter().rev().copied().collect();
            while let Some(node) = next.pop() {
                let here = &self.nodes[node.index()];
                // Parents come first, so the owner of the group around is known.
                let around = here.parent.and_then(|parent| owner[parent.index()]);
                let holds = |id: &ElementId| {
                    let kind = self.elements.list[id.index()].kind;
                    matches!(kind, ElementKind::Group | ElementKind::Use | ElementKind::Text)
                };
                apart[node.index()] |= here.parent.is_some_and(|parent| apart[parent.index()]);
                if apart[node.index()] {
                    owner[node.index()] = None;
                } else if owner[node.index()].is_none() {
                    owner[node.index()] = around.filter(holds);
                }
                for link in self.links_of(node) {
                    links.list.push((node, link));
                    links.owners.push(owner[node.index()]);
                }
                next.extend(here.children().iter().rev());
            }
            links
        })
    }

    /// The clip paths and masks of the wanted elements and those that clip them, each in its space with the
    /// nodes that use it; and the element that each of those nodes belongs to.
    fn reached(&self, wanted: impl Fn(Option<ElementId>) -> bool) -> (Reached, BTreeMap<NodeId, ElementId>) {
        // Nodes with the same links in the same space share everything.
        let mut users: BTreeMap<Instance, BTreeSet<NodeId>> = BTreeMap::new();
        let mut owner_of: BTreeMap<NodeId, ElementId> = BTreeMap::new();
        let links = self.links();
        for ((node, link), owner) in links.list.iter().zip(&links.owners) {
            if let Link::ClipOrMask(cut) = link
                && wanted(*owner)
            {
                let instance = Instance::new(*cut, self.to_canvas(*node));
                users.entry(instance).or_default().insert(*node);
                owner_of.extend(owner.map(|owner| (*node, owner)));
            }
        }
        let mut reached = Reached::new();
        for (root, nodes) in users {
            let (mut seen, mut next) = (BTreeSet::from([root]), vec![root]);
            while let Some(instance) = next.pop() {
                reached.entry(instance).or_default().extend(&nodes);
                next.extend(self.linked(instance).into_iter().filter(|linked| seen.insert(*linked)));
            }
        }
        (reached, owner_of)
    }

    pub(crate) fn stencils_where(&self, wanted: impl Fn(Option<ElementId>) -> bool) -> Vec<Stencil> {
        let (reached, owner_of) = self.reached(wanted);
        let mut stencils = Vec::new();
        for (instance, nodes) in reached {
            let users: Arc<[NodeId]> = nodes.into_iter().collect();
            let clipped = users.iter().find_map(|node| owner_of.get(node)).copied();
            for inner in self.inner_nodes(instance.definition) {
                if self.nodes[inner.node.index()].shape().is_none() {
                    continue;
                }
                let Some(element) = self.element_behind(instance.definition, inner.node).or(clipped) else {
                    continue;
                };
                let Some(outline) = self.node_outline(inner.node, instance.space() * inner.to_user) else {
                    continue;
                };
                stencils.push(Stencil {
                    outline,
                    element,
                    clipped,
                    place: StencilPlace { instance, node: inner.node },
                    users: Arc::clone(&users),
                });
            }
        }
        stencils
    }

    /// The element behind a node of a clip path or mask.
    fn element_behind(&self, cut: ClipOrMask, node: NodeId) -> Option<ElementId> {
        self.element_around(node).or_else(|| match cut {
            ClipOrMask::Clip(id) => self.clips[id.index()].element,
            ClipOrMask::Mask(id) => self.masks[id.index()].element,
        })
    }
}

impl Drawing {
    /// The first stencil that is not one of this drawing, for some of its users.
    pub(crate) fn unknown_stencil<'s>(
        &self,
        mut stencils: impl Iterator<Item = &'s Stencil>,
    ) -> Option<&'s Stencil> {
        let all = OnceCell::new();
        stencils.find(|stencil| {
            let all: &BTreeMap<StencilPlace, Arc<[NodeId]>> = all.get_or_init(|| {
                self.stencils_where(|_| true).into_iter().map(|own| (own.place, own.users)).collect()
            });
            let known =
                |users: &Arc<[NodeId]>| stencil.users.iter().all(|at| users.binary_search(at).is_ok());
            !all.get(&stencil.place).is_some_and(known)
        })
    }
}
