//! Drawings in one: each in a group of its own, between or under what the first has.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kurbo::Affine;

use crate::definition::{ClipId, FilterId, MaskId};
use crate::drawing::{Drawing, invert};
use crate::element::{Element, ElementId, ElementKind, ElementState};
use crate::error::DrawingError;
use crate::limits::index_u32;
use crate::node::{Group, Node, NodeKind};
use crate::node_id::NodeId;
use crate::paint::{GradientId, Paint, PatternId};

/// A drawing that becomes a group of another one.
#[derive(Clone, Copy, Debug)]
pub struct JoinedDrawing<'a> {
    /// The id of the group. All names in it begin with it and a slash.
    pub name: &'a str,
    /// What becomes a group.
    pub drawing: &'a Drawing,
    /// From its canvas to that of the whole.
    pub place: Affine,
    /// What it lies below: an element of the first drawing, or of one of the others by its number. Above all if none.
    pub below: Option<(Option<usize>, ElementId)>,
    /// Labels for elements, before which the name of the group comes.
    pub labels: &'a BTreeMap<ElementId, String>,
    /// Elements that are hidden at rest.
    pub hidden: &'a [ElementId],
    /// Whether its draw order ends at the group.
    pub isolate: bool,
}

impl Drawing {
    /// This drawing with others in it, each as a group. Those without a place of their own lie on top, the later above
    /// the earlier.
    ///
    /// ```
    /// use bone_drawing::{DrawingBuilder, JoinedDrawing, Shape};
    /// use kurbo::{Affine, Rect, Shape as _};
    ///
    /// let canvas = Rect::new(0.0, 0.0, 40.0, 40.0);
    /// let mut builder = DrawingBuilder::new(canvas);
    /// builder.shape("hand", Shape::filled(Rect::new(5.0, 5.0, 15.0, 15.0).to_path(0.1), [200, 50, 50]));
    /// let figure = builder.finish()?;
    /// let place = Affine::translate((20.0, 0.0));
    /// let labels = &Default::default();
    /// let hero = JoinedDrawing { name: "hero", drawing: &figure, place, below: None, labels, hidden: &[], isolate: false };
    /// let scene = DrawingBuilder::new(canvas).finish()?.joined(&[hero])?;
    /// let hand = scene.find("hero/hand").expect("it is in the group");
    /// assert_eq!(scene.outline(hand).expect("a shape").path.bounding_box().x0, 25.0);
    /// # Ok::<(), bone_drawing::DrawingError>(())
    /// ```
    ///
    /// # Errors
    /// If the whole is nested too deep or has too many nodes.
    pub fn joined(&self, others: &[JoinedDrawing<'_>]) -> Result<Self, DrawingError> {
        let mut whole = Self { stencils: OnceLock::new(), links: OnceLock::new(), ..self.clone() };
        let groups: Vec<(u32, NumberShifts)> = others.iter().map(|other| whole.add(other)).collect();
        let places: BTreeMap<NodeId, Affine> =
            groups.iter().zip(others).map(|((group, _), other)| (NodeId(*group), other.place)).collect();
        for (other, (group, _)) in others.iter().zip(&groups) {
            let below = other.below.and_then(|(of, element)| {
                let (drawing, by) = match of {
                    None => (self, NumberShifts::default()),
                    Some(of) => (others.get(of)?.drawing, groups.get(of)?.1),
                };
                Some(by.node(drawing.unit(drawing.node_of(element)?).0))
            });
            whole.hang(NodeId(*group), below, &places);
        }
        whole.number_in_order();
        whole.check_size()?;
        Ok(whole)
    }

    /// Adds what another drawing has, as a group that is nowhere yet; returns its node and by how much numbers grew.
    fn add(&mut self, other: &JoinedDrawing<'_>) -> (u32, NumberShifts) {
        let JoinedDrawing { name, drawing, .. } = *other;
        let group = index_u32(self.nodes.len());
        let by = NumberShifts {
            node: group + 1,
            element: index_u32(self.elements.list.len()) + 1,
            gradient: index_u32(self.gradients.len()),
            pattern: index_u32(self.patterns.len()),
            clip: index_u32(self.clips.len()),
            mask: index_u32(self.masks.len()),
            filter: index_u32(self.filters.len()),
        };
        let around = by.element - 1;
        self.add_elements(other, by);
        let children: Vec<NodeId> = drawing.roots.iter().map(|root| by.node(*root)).collect();
        let kind = NodeKind::Group(Box::new(Group {
            transform: other.place,
            isolate: other.isolate,
            children,
            ..Group::new()
        }));
        self.push(Node { parent: None, element: Some(ElementId(around)), own: true, kind });
        self.nodes.extend(drawing.nodes.iter().map(|node| by.moved(node)));
        for root in &drawing.roots {
            self.nodes[by.node(*root).index()].parent = Some(NodeId(group));
        }
        // Its canvas is in that of the whole, and not in pixels.
        let canvas = drawing.canvas_group.map(|canvas| &mut self.nodes[by.node(canvas).index()].kind);
        if let Some(NodeKind::Group(canvas)) = canvas {
            canvas.transform = Affine::IDENTITY;
        }
        Arc::make_mut(&mut self.node_of).push(Some(NodeId(group)));
        let shown = drawing.node_of.iter().map(|node| node.map(|node| by.node(node)));
        Arc::make_mut(&mut self.node_of).extend(shown);

        let taken = Arc::make_mut(&mut self.taken);
        let elements = &self.elements;
        let mut free = |id: &str| {
            let mut id = format!("{name}/{id}");
            while elements.has_key(&id) || !taken.insert(id.clone()) {
                id.push('-');
            }
            id
        };
        for gradient in &drawing.gradients {
            self.gradients.push(crate::Gradient { id: free(&gradient.id), ..gradient.clone() });
        }
        for pattern in &drawing.patterns {
            let children = by.nodes(&pattern.children);
            self.patterns.push(crate::Pattern { id: free(&pattern.id), children, ..pattern.clone() });
        }
        for clip in &drawing.clips {
            let (element, children) = (clip.element.map(|it| by.element(it)), by.nodes(&clip.children));
            let linked = clip.clip.map(|it| by.clip(it));
            let id = free(&clip.id);
            self.clips.push(crate::ClipPath { id, element, clip: linked, children, ..clip.clone() });
        }
        for mask in &drawing.masks {
            let (element, children) = (mask.element.map(|it| by.element(it)), by.nodes(&mask.children));
            let linked = mask.mask.map(|it| by.mask(it));
            let id = free(&mask.id);
            self.masks.push(crate::Mask { id, element, mask: linked, children, ..mask.clone() });
        }
        for filter in &drawing.filters {
            let mut filter = crate::Filter { id: free(&filter.id), ..filter.clone() };
            filter.steps.iter_mut().for_each(|step| step.image = step.image.map(|node| by.node(node)));
            self.filters.push(filter);
        }
        (group, by)
    }

    fn add_elements(&mut self, other: &JoinedDrawing<'_>, by: NumberShifts) {
        let JoinedDrawing { name, drawing, labels, hidden, .. } = *other;
        let around = ElementId(by.element - 1);
        let elements = Arc::make_mut(&mut self.elements);
        // What has no id has a key that was made.
        let mut key = name.to_owned();
        while elements.has_key(&key) {
            key.push('-');
        }
        elements.push(Element {
            id: Some(name.into()),
            key: key.into(),
            label: None,
            words: None,
            tag: "g".into(),
            kind: ElementKind::Group,
            parent: None,
            source: 0..0,
            state: ElementState::Drawn,
        });
        let named = |own: &str| Arc::from(format!("{name}/{own}"));
        for (element, id) in drawing.elements().iter().zip(drawing.ids()) {
            let label = labels.get(&id).map(String::as_str);
            elements.push(Element {
                id: element.id.as_deref().map(named),
                key: named(&element.key),
                label: label.or(element.label.as_deref()).map(named),
                parent: Some(element.parent.map_or(around, |parent| by.element(parent))),
                source: 0..0,
                ..element.clone()
            });
        }
        let own = &drawing.elements;
        elements.uses.extend(own.uses.iter().map(|(user, used)| (by.element(*user), by.element(*used))));
        elements.hidden.extend(own.hidden.iter().chain(hidden).map(|it| by.element(*it)));
        elements.remove_unknown();
        elements.inks.extend(own.inks.iter().map(|(it, ink)| (by.element(*it), ink.clone())));
    }

    /// Puts a group that is nowhere yet below a node, or above all.
    fn hang(&mut self, group: NodeId, below: Option<NodeId>, places: &BTreeMap<NodeId, Affine>) {
        let parent = below.map_or(self.canvas_group, |below| self.nodes[below.index()].parent);
        self.nodes[group.index()].parent = parent;
        // From the inside of its parent to the canvas, by the groups up to the one that has a place there.
        let mut around = Affine::IDENTITY;
        let mut up = parent;
        while let Some(at) = up.filter(|at| Some(*at) != self.canvas_group) {
            let own = places.get(&at).copied();
            around = own.unwrap_or_else(|| self.nodes[at.index()].transform()) * around;
            up = self.nodes[at.index()].parent.filter(|_| own.is_none());
        }
        if around != Affine::IDENTITY
            && let Some(back) = invert(around)
            && let NodeKind::Group(own) = &mut self.nodes[group.index()].kind
        {
            own.transform = back * own.transform;
        }
        let around = parent.map(|parent| &mut self.nodes[parent.index()].kind);
        let siblings = match around {
            Some(NodeKind::Group(around)) => &mut around.children,
            _ => &mut self.roots,
        };
        let at = siblings.iter().position(|at| Some(*at) == below).unwrap_or(siblings.len());
        siblings.insert(at, group);
    }

    /// Numbers the nodes so that parents come first and siblings are in paint order.
    fn number_in_order(&mut self) {
        let mut is_root = vec![false; self.nodes.len()];
        self.roots.iter().for_each(|root| is_root[root.index()] = true);
        let defined = (0..self.nodes.len()).filter(|at| self.nodes[*at].parent.is_none() && !is_root[*at]);
        let defined = defined.map(NodeId::from_index);
        let mut next: Vec<NodeId> = defined.chain(self.roots.iter().copied()).collect();
        next.reverse();
        let mut order: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        while let Some(id) = next.pop() {
            order.push(id);
            next.extend(self.nodes[id.index()].children().iter().rev());
        }
        let mut numbers = vec![NodeId(0); self.nodes.len()];
        for (id, number) in order.iter().zip(0..) {
            numbers[id.index()] = NodeId(number);
        }
        let renew = |id: &mut NodeId| *id = numbers[id.index()];
        let mut nodes: Vec<Node> = order.iter().map(|id| self.nodes[id.index()].clone()).collect();
        for node in &mut nodes {
            node.parent.iter_mut().for_each(renew);
            if let NodeKind::Group(group) = &mut node.kind {
                group.children.iter_mut().for_each(renew);
            }
        }
        self.nodes = nodes;
        self.roots.iter_mut().for_each(renew);
        self.canvas_group.iter_mut().for_each(renew);
        self.patterns.iter_mut().for_each(|it| it.children.iter_mut().for_each(renew));
        self.clips.iter_mut().for_each(|it| it.children.iter_mut().for_each(renew));
        self.masks.iter_mut().for_each(|it| it.children.iter_mut().for_each(renew));
        let steps = self.filters.iter_mut().flat_map(|it| &mut it.steps);
        steps.flat_map(|step| &mut step.image).for_each(renew);
        Arc::make_mut(&mut self.node_of).iter_mut().flatten().for_each(renew);
    }
}

/// By how much the numbers of a drawing grow in another one.
#[derive(Clone, Copy, Debug, Default)]
struct NumberShifts {
    node: u32,
    element: u32,
    gradient: u32,
    pattern: u32,
    clip: u32,
    mask: u32,
    filter: u32,
}

impl NumberShifts {
    fn node(self, id: NodeId) -> NodeId {
        NodeId(id.0 + self.node)
    }

    fn nodes(self, ids: &[NodeId]) -> Vec<NodeId> {
        ids.iter().map(|id| self.node(*id)).collect()
    }

    fn element(self, id: ElementId) -> ElementId {
        ElementId(id.0 + self.element)
    }

    fn clip(self, id: ClipId) -> ClipId {
        ClipId(id.0 + self.clip)
    }

    fn mask(self, id: MaskId) -> MaskId {
        MaskId(id.0 + self.mask)
    }

    fn paint(self, paint: &mut Paint) {
        match paint {
            Paint::Color(_) => {}
            Paint::Gradient(id) => *id = GradientId(id.0 + self.gradient),
            Paint::Pattern(id) => *id = PatternId(id.0 + self.pattern),
        }
    }

    fn moved(self, node: &Node) -> Node {
        let mut node = node.clone();
        node.parent = node.parent.map(|parent| self.node(parent));
        node.element = node.element.map(|element| self.element(element));
        match &mut node.kind {
            NodeKind::Group(group) => {
                group.children = self.nodes(&group.children);
                group.clip = group.clip.map(|id| self.clip(id));
                group.mask = group.mask.map(|id| self.mask(id));
                group.filters.iter_mut().for_each(|id| *id = FilterId(id.0 + self.filter));
            }
            NodeKind::Shape(shape) => {
                let paints =
                    shape.fill.iter().map(|it| it.paint).chain(shape.stroke.iter().map(|it| it.paint));
                if paints.into_iter().any(|paint| !matches!(paint, Paint::Color(_))) {
                    let shape = Arc::make_mut(shape);
                    shape.fill.iter_mut().for_each(|fill| self.paint(&mut fill.paint));
                    shape.stroke.iter_mut().for_each(|stroke| self.paint(&mut stroke.paint));
                }
            }
            NodeKind::Image(_) => {}
        }
        node
    }
}
