//! Layers: what a frame paints, divided by the elements below the root, for programs that composite.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use kurbo::Affine;

use crate::draw_items::{DrawItem, DrawItemScratch};
use crate::drawing::Drawing;
use crate::element::ElementId;
use crate::frame::Frame;
use crate::node::{BlendMode, Group, Isolation, NodeKind};
use crate::node_id::NodeId;

/// A layer, or the border of a stack of layers. They are listed back to front.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerItem {
    /// A stack begins. It is isolated if it has an opacity or a blend mode, else its layers are blended with what
    /// is behind it.
    Open(LayerLook),
    /// A layer.
    Layer(PaintedLayer),
    /// The stack ends.
    Close,
}

/// The name of a layer or a stack, and how it is put onto what is behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerLook {
    /// The label, the id or the address of its element.
    pub name: String,
    /// From 0 to 1.
    pub opacity: f64,
    /// How it is blended.
    pub blend: BlendMode,
}

/// A layer: a part of what a frame paints.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintedLayer {
    /// Its name, opacity and blend mode, which are not in its pixels.
    pub look: LayerLook,
    /// Its element, if it shows one, and its number among the layers of this element. The same layers of two
    /// frames have the same key.
    pub key: (Option<ElementId>, usize),
    /// Whether it has all that is behind it, with the background of the picture.
    pub with_background: bool,
    nodes: Vec<NodeId>,
    /// Groups whose opacity and blend mode are not in its pixels.
    plain: Vec<NodeId>,
}

/// The layers of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerStack {
    /// Back to front.
    pub items: Vec<LayerItem>,
    /// What is divided in another way than by elements.
    pub notes: Vec<LayerNote>,
}

/// What is divided in another way than by elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LayerNote {
    /// A group that was named is one layer, because its clip path, mask or filter is for all that is in it.
    Whole {
        /// Its name.
        name: String,
        /// "a mask".
        reason: &'static str,
    },
    /// Art that is blended with what is behind the layer around it has a layer of its own.
    Apart {
        /// Its name.
        name: String,
        /// The CSS name of its blend mode.
        blend: &'static str,
    },
    /// What is behind art with a blend mode that the file cannot have is one layer with it.
    Merged {
        /// Its name.
        name: String,
        /// The CSS name of its blend mode.
        blend: &'static str,
    },
}

/// Where a draw item belongs.
struct LayerPlace {
    /// The stacks around its layer, outer ones first.
    path: Vec<ElementId>,
    /// The element of its layer.
    leaf: Option<ElementId>,
    /// Its own element, if that has no other nodes.
    whole: Option<ElementId>,
}

/// An isolated group whose draw items are divided.
struct DividedGroup {
    items: std::vec::IntoIter<DrawItem>,
    /// The element of the group; none for the whole drawing.
    base: Option<ElementId>,
    /// Where its items begin among all.
    start: usize,
    /// The stacks that are open in it.
    path: Vec<ElementId>,
    /// Its draw items so far.
    done: Vec<NodeId>,
}

struct LayerBuilder<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    opened: &'a [ElementId],
    scratch: DrawItemScratch,
    groups: Vec<DividedGroup>,
    /// The nodes of the groups that are open, but the outermost.
    plain: Vec<NodeId>,
    /// How many layers elements have.
    counts: BTreeMap<Option<ElementId>, usize>,
    layers: LayerStack,
}

impl Drawing {
    /// Divides what a frame paints into layers: one for each element directly below the root. An element of
    /// `opened` becomes a stack of the elements in it, as do all groups around it. Put over each other, each with
    /// its opacity and blend mode, the layers are the frame.
    ///
    /// Where the draw order puts another element between two parts of one, each part is a layer. `has` is whether
    /// the file can have a blend mode.
    pub fn layers(&self, frame: &Frame, opened: &[ElementId], has: fn(BlendMode) -> bool) -> LayerStack {
        let opened_nodes = opened.iter().filter_map(|id| self.node_of(*id)).chain(self.canvas_group);
        let through: BTreeSet<NodeId> = opened_nodes.flat_map(|node| self.ancestors(node)).collect();
        let opened: Vec<ElementId> = opened.iter().flat_map(|id| self.up(*id)).collect();
        let mut builder = LayerBuilder {
            drawing: self,
            frame,
            opened: &opened,
            scratch: DrawItemScratch::default(),
            groups: Vec::new(),
            plain: Vec::new(),
            counts: BTreeMap::new(),
            layers: LayerStack::default(),
        };
        builder.enter(&self.roots, None);
        while let Some(group) = builder.groups.last_mut() {
            match group.items.next() {
                Some(item) => builder.item(item.node, &through, has),
                None => builder.leave(),
            }
        }
        builder.layers.notes.sort();
        builder.layers.notes.dedup();
        builder.layers
    }

    /// The drawing with what a layer shows alone. The opacities that are not in its pixels are set to 1 in the
    /// frame.
    pub fn of_layer(&self, layer: &PaintedLayer, frame: &mut Frame) -> Self {
        let shown: BTreeSet<NodeId> = layer.nodes.iter().copied().collect();
        let around: BTreeSet<NodeId> =
            layer.nodes.iter().flat_map(|node| self.ancestors(*node).skip(1)).collect();
        let mut drawing = self.clone();
        (drawing.stencils, drawing.links) = (OnceLock::new(), OnceLock::new());
        let has = |node: &NodeId| shown.contains(node) || around.contains(node);
        drawing.roots.retain(has);
        for node in &around {
            if let NodeKind::Group(group) = &mut drawing.nodes[node.index()].kind {
                group.children.retain(has);
            }
        }
        for node in &layer.plain {
            if let NodeKind::Group(group) = &mut drawing.nodes[node.index()].kind {
                // Isolated as before, so that its edges have the same pixels.
                (group.opacity, group.blend, group.isolate) = (1.0, BlendMode::Normal, true);
            }
            let slot = self.slots.visibilities.slot(*node);
            if let Some(visibility) = slot.and_then(|slot| frame.visibilities.get_mut(slot)) {
                visibility.opacity = 1.0_f64.next_down();
            }
        }
        drawing
    }
}

impl LayerBuilder<'_> {
    fn enter(&mut self, nodes: &[NodeId], base: Option<ElementId>) {
        let mut items = Vec::new();
        self.drawing.draw_items(self.frame, nodes, Affine::IDENTITY, &mut self.scratch, &mut items);
        let start = self.layers.items.len();
        let (items, path, done) = (items.into_iter(), Vec::new(), Vec::new());
        self.groups.push(DividedGroup { items, base, start, path, done });
    }

    fn leave(&mut self) {
        let Some(group) = self.groups.pop() else { return };
        self.layers.items.extend(group.path.iter().map(|_| LayerItem::Close));
        if self.plain.pop().is_some() {
            self.layers.items.push(LayerItem::Close);
        }
    }

    fn item(&mut self, node: NodeId, through: &BTreeSet<NodeId>, has: fn(BlendMode) -> bool) {
        let drawing = self.drawing;
        let Some(group) = self.groups.last_mut() else { return };
        group.done.push(node);
        let place = group.place(drawing, node, self.opened);
        let LayerPlace { leaf, whole, .. } = place;
        let name = |element: Option<ElementId>| match element {
            Some(element) => drawing.shown_name(element),
            None => "drawing".to_owned(),
        };
        let (blend, opacity) = match drawing.nodes[node.index()].group() {
            Some(group) => {
                (group.blend, group.opacity * self.frame.visibility(drawing, node).fading().unwrap_or(1.0))
            }
            None => (BlendMode::Normal, 1.0),
        };
        let look = |element| LayerLook { name: name(element), opacity, blend };
        if !has(blend) {
            let nodes = std::mem::take(&mut group.done);
            group.done.clone_from(&nodes);
            group.path.clear();
            self.layers.items.truncate(group.start);
            let with_background = self.groups.len() == 1;
            let blend = blend.name();
            self.layers.notes.push(LayerNote::Merged { name: name(whole.or(leaf)), blend });
            let look = LayerLook { name: name(leaf), opacity: 1.0, blend: BlendMode::Normal };
            let (key, plain) = ((None, 0), self.plain.clone());
            self.layers.items.push(LayerItem::Layer(PaintedLayer {
                look,
                key,
                with_background,
                nodes,
                plain,
            }));
            return;
        }
        if let (true, NodeKind::Group(here)) = (through.contains(&node), &drawing.nodes[node.index()].kind) {
            let by_look = blend != BlendMode::Normal || opacity < 1.0;
            match isolation_of_all(here, by_look) {
                None => {
                    let (base, of) = (group.base, whole.filter(|element| self.opened.contains(element)));
                    let around = place.path.into_iter().take_while(|id| Some(*id) != of);
                    let path = around.filter(|_| of.is_some()).collect();
                    self.go_to(path);
                    self.layers.items.push(LayerItem::Open(look(of)));
                    self.plain.push(node);
                    return self.enter(&here.children, of.or(base));
                }
                Some(reason) => {
                    self.layers.notes.push(LayerNote::Whole { name: name(whole.or(leaf)), reason });
                }
            }
        }
        self.go_to(place.path);
        let own = whole.is_some() && whole == leaf;
        let blends = blend != BlendMode::Normal;
        if blends && !own {
            self.layers.notes.push(LayerNote::Apart { name: name(whole.or(leaf)), blend: blend.name() });
        }
        let apart = blends || (own && opacity < 1.0);
        let element = if blends { whole.or(leaf) } else { leaf };
        let plain = |more: Option<NodeId>| self.plain.iter().copied().chain(more).collect();
        if apart {
            let (nodes, plain) = (vec![node], plain(Some(node)));
            return self.layer(
                element,
                PaintedLayer { look: look(element), key: (None, 0), with_background: false, nodes, plain },
            );
        }
        if let Some(LayerItem::Layer(last)) = self.layers.items.last_mut()
            && last.key.0 == element
            && last.look.opacity.to_bits() == 1.0_f64.to_bits()
            && last.look.blend == BlendMode::Normal
            && !last.with_background
        {
            last.nodes.push(node);
            return;
        }
        let look = LayerLook { name: name(element), opacity: 1.0, blend: BlendMode::Normal };
        let (nodes, plain) = (vec![node], plain(None));
        self.layer(element, PaintedLayer { look, key: (None, 0), with_background: false, nodes, plain });
    }

    /// Adds a layer, with its number among those of its element.
    fn layer(&mut self, element: Option<ElementId>, layer: PaintedLayer) {
        let count = self.counts.entry(element).or_default();
        *count += 1;
        let mut layer = PaintedLayer { key: (element, *count), ..layer };
        if *count > 1 {
            layer.look.name.push_str(&format!(" {count}"));
        }
        self.layers.items.push(LayerItem::Layer(layer));
    }

    /// Closes and opens stacks.
    fn go_to(&mut self, path: Vec<ElementId>) {
        let Some(group) = self.groups.last_mut() else { return };
        let common = group.path.iter().zip(&path).take_while(|(here, there)| here == there).count();
        self.layers.items.extend(group.path[common..].iter().map(|_| LayerItem::Close));
        self.layers.items.extend(path[common..].iter().map(|element| {
            let name = self.drawing.shown_name(*element);
            LayerItem::Open(LayerLook { name, opacity: 1.0, blend: BlendMode::Normal })
        }));
        group.path = path;
    }
}

impl Drawing {
    /// The path beside which a node is, if it is of markers, which have no element.
    fn marked_path(&self, node: NodeId) -> Option<ElementId> {
        let around = self.ancestors(node).take_while(|at| self.nodes[at.index()].element.is_none());
        around.filter(|at| !self.shows_an_element(*at)).find_map(|at| {
            let siblings = self.siblings(self.nodes[at.index()].parent);
            let place = siblings.iter().position(|sibling| *sibling == at)?;
            let beside = [place.checked_sub(1), place.checked_add(1)].into_iter().flatten();
            let nodes = beside.filter_map(|place| siblings.get(place)).map(|id| &self.nodes[id.index()]);
            nodes.filter(|node| node.shape().is_some()).find_map(|node| node.element)
        })
    }
}

/// What is for all that is in a group, if anything is. `by_look` is whether its stack is isolated.
fn isolation_of_all(group: &Group, by_look: bool) -> Option<&'static str> {
    match group.isolation() {
        Some(Isolation::Clip) => Some("a clip path"),
        Some(Isolation::Mask) => Some("a mask"),
        _ if !group.filters.is_empty() => Some("a filter"),
        _ if group.isolate && !by_look => Some("isolation"),
        _ => None,
    }
}

impl DividedGroup {
    /// The place of a draw item of the group.
    fn place(&self, drawing: &Drawing, node: NodeId, opened: &[ElementId]) -> LayerPlace {
        let own = |at: NodeId| drawing.nodes[at.index()].element.filter(|_| drawing.nodes[at.index()].own);
        let only = |at: &NodeId| match drawing.nodes[at.index()].children() {
            [one] => Some(*one),
            _ => None,
        };
        let whole = std::iter::successors(Some(node), only).find_map(own);
        let element = whole
            .or_else(|| drawing.marked_path(node))
            .or_else(|| drawing.ancestors(node).find_map(own))
            .or_else(|| drawing.element_around(node));
        let mut path: Vec<ElementId> = element
            .into_iter()
            .flat_map(|element| drawing.up(element))
            .take_while(|at| Some(*at) != self.base)
            .collect();
        path.reverse();
        let opens = path.iter().take_while(|element| opened.contains(element)).count();
        let leaf = path.get(opens).or(path.last()).copied().or(self.base);
        path.truncate(opens.min(path.len().saturating_sub(1)));
        LayerPlace { path, leaf, whole }
    }
}
