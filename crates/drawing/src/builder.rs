//! Makes drawings: by hand, or for a reader of a file format.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use kurbo::{Affine, BezPath, Rect, Size};

use crate::definition::{ClipId, ClipPath, Filter, FilterId, Mask, MaskId};
use crate::drawing::Drawing;
use crate::element::{Element, ElementId, ElementKind, ElementState};
use crate::elements::Elements;
use crate::error::DrawingError;
use crate::ink::InkProfile;
use crate::limits::index_u32;
use crate::node::{Group, Image, Node, NodeKind, Shape};
use crate::node_id::NodeId;
use crate::paint::{Fill, FillRule, Gradient, GradientId, Paint, Pattern, PatternId};
use crate::slots::Slots;
use crate::stencil::ClipOrMask;

/// Makes a [`Drawing`]. What is added first lies behind.
///
/// Definitions are added before what uses them. Links to definitions and elements that the drawing does not
/// have are removed, and those from within a definition to itself.
///
/// ```
/// use bone_drawing::{DrawingBuilder, Group, Shape};
/// use kurbo::{BezPath, Rect, Shape as _};
///
/// let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 40.0, 40.0));
/// builder.open("arm", Group { opacity: 0.5, ..Group::new() });
/// let hand: BezPath = Rect::new(5.0, 5.0, 15.0, 15.0).to_path(0.1);
/// builder.shape("hand", Shape::filled(hand, [200, 50, 50]));
/// builder.close();
/// let drawing = builder.finish()?;
///
/// let hand = drawing.find("arm/hand").expect("it has just been added");
/// assert_eq!(drawing.outline(hand).expect("a shape").path.elements().len(), 5);
/// assert_eq!(drawing.address(hand), "hand");
/// # Ok::<(), bone_drawing::DrawingError>(())
/// ```
#[derive(Debug)]
pub struct DrawingBuilder {
    drawing: Drawing,
    elements: Elements,
    node_of: Vec<Option<NodeId>>,
    open: Vec<Open>,
    /// Those of `open` that are no groups.
    definitions: HashSet<Open>,
    /// How often a name was numbered.
    copies: HashMap<String, usize>,
    /// The element around what is added by name.
    around: Vec<ElementId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Open {
    Group(NodeId),
    Pattern(PatternId),
    ClipOrMask(ClipOrMask),
    /// The subtree of an `feImage` step, by its place in the list of what is open.
    FilterImage(usize),
}

impl Shape {
    /// A shape that is filled with one colour.
    pub fn filled(outline: BezPath, color: [u8; 3]) -> Self {
        Self {
            outline: Arc::new(outline),
            fill: Some(Fill { paint: Paint::Color(color), opacity: 1.0, rule: FillRule::NonZero }),
            stroke: None,
            stroke_first: false,
            anti_alias: crate::Smoothness::Smooth,
            visible: true,
        }
    }
}

impl Drawing {
    /// An empty drawing with a canvas of one unit.
    pub(crate) fn empty() -> Self {
        Self {
            nodes: Vec::new(),
            roots: Vec::new(),
            gradients: Vec::new(),
            patterns: Vec::new(),
            clips: Vec::new(),
            masks: Vec::new(),
            filters: Vec::new(),
            elements: Arc::default(),
            node_of: Arc::default(),
            taken: Arc::default(),
            canvas_group: None,
            canvas: Rect::new(0.0, 0.0, 1.0, 1.0),
            size: Size::new(1.0, 1.0),
            canvas_to_output: Affine::IDENTITY,
            slots: Slots::default(),
            stencils: OnceLock::new(),
            links: OnceLock::new(),
        }
    }

    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(index_u32(self.nodes.len() - 1))
    }

    pub(crate) fn push_gradient(&mut self, gradient: Gradient) -> GradientId {
        self.gradients.push(gradient);
        GradientId(index_u32(self.gradients.len() - 1))
    }

    pub(crate) fn push_pattern(&mut self, pattern: Pattern) -> PatternId {
        self.patterns.push(pattern);
        PatternId(index_u32(self.patterns.len() - 1))
    }

    /// A new id for a copy of a definition.
    pub(crate) fn free_id(&mut self, id: &str, number: usize) -> String {
        let mut name = format!("{id}-of-{number}");
        while self.elements.has_key(&name) || self.taken.contains(&name) {
            name.push('-');
        }
        Arc::make_mut(&mut self.taken).insert(name.clone());
        name
    }
}

impl DrawingBuilder {
    /// An empty drawing whose units are pixels at scale 1.
    pub fn new(canvas: Rect) -> Self {
        let mut drawing = Drawing::empty();
        drawing.canvas = canvas;
        drawing.size = canvas.size();
        drawing.canvas_to_output = Affine::translate(-canvas.origin().to_vec2());
        let mut builder = Self {
            drawing,
            elements: Elements::default(),
            node_of: Vec::new(),
            open: Vec::new(),
            definitions: HashSet::new(),
            copies: HashMap::new(),
            around: Vec::new(),
        };
        if canvas.origin() != kurbo::Point::ORIGIN {
            builder.open_canvas(Group { transform: builder.drawing.canvas_to_output, ..Group::new() });
        }
        builder
    }

    /// An empty drawing of a size in pixels at scale 1, with the caller's mapping from the canvas to it. If
    /// the mapping is not the identity, the caller opens a group with it: see
    /// [`open_canvas`](Self::open_canvas).
    pub fn with_size(canvas: Rect, size: Size, canvas_to_output: Affine) -> Self {
        let mut builder = Self::new(Rect::from_origin_size((0.0, 0.0), (1.0, 1.0)));
        (builder.drawing.canvas, builder.drawing.size) = (canvas, size);
        builder.drawing.canvas_to_output = canvas_to_output;
        builder
    }

    /// Adds an element after those that there are.
    fn add_element(&mut self, element: Element) -> ElementId {
        self.node_of.push(None);
        self.elements.push(element)
    }

    /// Replaces all elements.
    pub fn set_elements(&mut self, elements: Elements) {
        self.node_of = vec![None; elements.list.len()];
        self.elements = elements;
    }

    /// The elements so far.
    pub fn elements(&self) -> &[Element] {
        &self.elements.list
    }

    /// The elements so far, to be changed.
    pub fn elements_mut(&mut self) -> &mut [Element] {
        self.elements.list_mut()
    }

    /// Sets the elements that are hidden at rest although they are part of the picture, in document order.
    pub fn set_hidden(&mut self, hidden: Vec<ElementId>) {
        self.elements.hidden = hidden;
    }

    /// Sets the ink that paths have in the drawing, in document order.
    pub fn set_inks(&mut self, inks: Vec<(ElementId, InkProfile)>) {
        self.elements.inks = inks;
    }

    /// The node that an element is drawn by so far.
    pub fn node_of(&self, id: ElementId) -> Option<NodeId> {
        self.node_of.get(id.index()).copied().flatten()
    }

    /// Opens a group with a name; what is added before it is closed is in it.
    pub fn open(&mut self, name: &str, group: Group) -> NodeId {
        let element = self.named(name, "g", ElementKind::Group);
        self.around.push(element);
        self.open_for(Some((element, true)), group)
    }

    /// Opens a group that shows an element, in its own place or as a clone; or none.
    pub fn open_for(&mut self, element: Option<(ElementId, bool)>, group: Group) -> NodeId {
        let drawing = &self.drawing;
        let group = Group {
            clip: group.clip.filter(|id| self.has(ClipOrMask::Clip(*id))),
            mask: group.mask.filter(|id| self.has(ClipOrMask::Mask(*id))),
            filters: group.filters.into_iter().filter(|id| drawing.filter(*id).is_some()).collect(),
            children: Vec::new(),
            ..group
        };
        let node = self.add(element, NodeKind::Group(Box::new(group)));
        self.open.push(Open::Group(node));
        node
    }

    /// Opens the group that maps canvas space to pixels. All other nodes go into it.
    pub fn open_canvas(&mut self, group: Group) -> NodeId {
        let node = self.open_for(None, group);
        self.drawing.canvas_group = Some(node);
        node
    }

    /// Adds a shape with a name.
    pub fn shape(&mut self, name: &str, shape: Shape) -> NodeId {
        let element = self.named(name, "path", ElementKind::Path);
        self.shape_for(Some((element, true)), shape)
    }

    /// Adds a shape that shows an element, in its own place or as a clone; or none.
    pub fn shape_for(&mut self, element: Option<(ElementId, bool)>, shape: Shape) -> NodeId {
        let shape = Shape {
            fill: shape.fill.filter(|fill| self.has_paint(fill.paint)),
            stroke: shape.stroke.filter(|stroke| self.has_paint(stroke.paint)),
            ..shape
        };
        self.add(element, NodeKind::Shape(Arc::new(shape)))
    }

    /// Adds an image with a name.
    pub fn image(&mut self, name: &str, image: Image) -> NodeId {
        let element = self.named(name, "image", ElementKind::Image);
        self.image_for(Some((element, true)), image)
    }

    /// Adds an image that shows an element, in its own place or as a clone; or none.
    pub fn image_for(&mut self, element: Option<(ElementId, bool)>, image: Image) -> NodeId {
        self.add(element, NodeKind::Image(Arc::new(image)))
    }

    /// Closes the group or definition that was opened last.
    pub fn close(&mut self) {
        let closed = self.open.pop();
        closed.iter().for_each(|open| _ = self.definitions.remove(open));
        if let Some(Open::Group(node)) = closed
            && self.around.last().is_some_and(|id| self.node_of(*id) == Some(node))
        {
            self.around.pop();
        }
    }

    /// Adds a gradient.
    pub fn add_gradient(&mut self, mut gradient: Gradient) -> GradientId {
        gradient.id = self.definition_id(gradient.id);
        self.drawing.push_gradient(gradient)
    }

    /// Opens a pattern; what is added before it is closed is its tile.
    pub fn open_pattern(&mut self, mut pattern: Pattern) -> PatternId {
        pattern.id = self.definition_id(pattern.id);
        let id = self.drawing.push_pattern(Pattern { children: Vec::new(), ..pattern });
        self.begin(Open::Pattern(id));
        id
    }

    /// Opens a clip path. What is added before it is closed are its outlines.
    pub fn open_clip(&mut self, mut clip: ClipPath) -> ClipId {
        clip.id = self.definition_id(clip.id);
        clip.clip = clip.clip.filter(|id| self.has(ClipOrMask::Clip(*id)));
        self.drawing.clips.push(ClipPath { children: Vec::new(), ..clip });
        let id = ClipId(index_u32(self.drawing.clips.len() - 1));
        self.begin(Open::ClipOrMask(ClipOrMask::Clip(id)));
        id
    }

    /// Opens a mask. What is added before it is closed is its picture.
    pub fn open_mask(&mut self, mut mask: Mask) -> MaskId {
        mask.id = self.definition_id(mask.id);
        mask.mask = mask.mask.filter(|id| self.has(ClipOrMask::Mask(*id)));
        self.drawing.masks.push(Mask { children: Vec::new(), ..mask });
        let id = MaskId(index_u32(self.drawing.masks.len() - 1));
        self.begin(Open::ClipOrMask(ClipOrMask::Mask(id)));
        id
    }

    /// Opens the subtree of an `feImage` step. The first node that is added is the one that the step shows.
    pub fn open_filter_image(&mut self) {
        self.begin(Open::FilterImage(self.open.len()));
    }

    fn begin(&mut self, definition: Open) {
        self.open.push(definition);
        self.definitions.insert(definition);
    }

    /// The id of the node that is added next.
    pub fn next_node(&self) -> NodeId {
        NodeId(index_u32(self.drawing.nodes.len()))
    }

    /// Adds a filter.
    pub fn add_filter(&mut self, mut filter: Filter) -> FilterId {
        filter.id = self.definition_id(filter.id);
        for step in &mut filter.steps {
            step.image = step.image.filter(|node| self.drawing.node(*node).is_some() && !self.is_open(*node));
        }
        self.drawing.filters.push(filter);
        FilterId(index_u32(self.drawing.filters.len() - 1))
    }

    /// The drawing. What is still open is closed.
    ///
    /// # Errors
    /// If groups and definitions are nested too deep or have too many nodes where they are used.
    pub fn finish(mut self) -> Result<Drawing, DrawingError> {
        self.drawing.check_size()?;
        self.elements.remove_unknown();
        self.remove_unknown_elements();
        self.mark_clips_and_masks();
        self.drawing.elements = Arc::new(self.elements);
        self.drawing.node_of = Arc::new(self.node_of);
        Ok(self.drawing)
    }

    /// Removes links from nodes and definitions to elements that the drawing does not have.
    fn remove_unknown_elements(&mut self) {
        let count = self.elements.list.len();
        let remove = |element: &mut Option<ElementId>| *element = element.filter(|id| id.index() < count);
        self.drawing.nodes.iter_mut().for_each(|node| remove(&mut node.element));
        self.drawing.clips.iter_mut().for_each(|clip| remove(&mut clip.element));
        self.drawing.masks.iter_mut().for_each(|mask| remove(&mut mask.element));
    }

    /// Whether the drawing has the gradient or pattern of a paint, and what is added is not in that pattern.
    fn has_paint(&self, paint: Paint) -> bool {
        match paint {
            Paint::Color(_) => true,
            Paint::Gradient(id) => self.drawing.gradient(id).is_some(),
            Paint::Pattern(id) => {
                self.drawing.pattern(id).is_some() && !self.definitions.contains(&Open::Pattern(id))
            }
        }
    }

    /// Whether the drawing has a clip path or mask, and what is added is not in it.
    fn has(&self, cut: ClipOrMask) -> bool {
        let known = match cut {
            ClipOrMask::Clip(id) => self.drawing.clip(id).is_some(),
            ClipOrMask::Mask(id) => self.drawing.mask(id).is_some(),
        };
        known && !self.definitions.contains(&Open::ClipOrMask(cut))
    }

    /// Whether a node is a group that what is added may be in.
    fn is_open(&self, node: NodeId) -> bool {
        self.open.contains(&Open::Group(node))
    }

    /// Sets the state of elements of clip paths and masks, and of those around them up to the definition.
    fn mark_clips_and_masks(&mut self) {
        let drawing = &self.drawing;
        let clips = drawing.clips.iter().map(|clip| (clip.element, &clip.children));
        let masks = drawing.masks.iter().map(|mask| (mask.element, &mask.children));
        let mut cutting: Vec<ElementId> = Vec::new();
        for (definer, children) in clips.chain(masks) {
            cutting.extend(definer);
            let mut next = children.clone();
            while let Some(node) = next.pop() {
                let here = &drawing.nodes[node.index()];
                next.extend(here.children());
                let up = std::iter::successors(here.element, |at| self.elements.list[at.index()].parent);
                let is_definer = |at: &ElementId| {
                    Some(*at) == definer
                        || matches!(self.elements.list[at.index()].tag.as_ref(), "clipPath" | "mask")
                };
                cutting.extend(up.take_while(|at| !is_definer(at)));
            }
        }
        for id in cutting {
            self.elements.list[id.index()].state = ElementState::ClipOrMask;
        }
    }

    fn add(&mut self, element: Option<(ElementId, bool)>, kind: NodeKind) -> NodeId {
        let parent = match self.open.last() {
            Some(Open::Group(group)) => Some(*group),
            _ => None,
        };
        let (own, id) = (element.is_some_and(|(_, own)| own), element.map(|(id, _)| id));
        let node = self.drawing.push(Node { parent, element: id, own, kind });
        let in_picture = self.definitions.is_empty();
        let known = id.filter(|_| own && in_picture).and_then(|id| self.node_of.get_mut(id.index()));
        if let Some(known) = known {
            known.get_or_insert(node);
        }
        match self.open.last() {
            None => self.drawing.roots.push(node),
            Some(Open::Group(group)) => {
                if let NodeKind::Group(group) = &mut self.drawing.nodes[group.index()].kind {
                    group.children.push(node);
                }
            }
            Some(Open::Pattern(id)) => self.drawing.patterns[id.index()].children.push(node),
            Some(Open::ClipOrMask(ClipOrMask::Clip(id))) => {
                self.drawing.clips[id.index()].children.push(node)
            }
            Some(Open::ClipOrMask(ClipOrMask::Mask(id))) => {
                self.drawing.masks[id.index()].children.push(node)
            }
            Some(Open::FilterImage(_)) => {}
        }
        node
    }

    fn named(&mut self, name: &str, tag: &'static str, kind: ElementKind) -> ElementId {
        let key = self.numbered(name, false);
        self.add_element(Element {
            id: (!name.is_empty()).then(|| name.into()),
            key: key.into(),
            words: None,
            label: None,
            tag: tag.into(),
            kind,
            parent: self.around.last().copied(),
            source: 0..0,
            state: ElementState::Drawn,
        })
    }

    /// The id of a definition, or a new one if it is already used.
    fn definition_id(&mut self, id: String) -> String {
        let name = if id.is_empty() { "definition".to_owned() } else { id };
        let is_taken = self.elements.has_key(&name) || self.drawing.taken.contains(&name);
        // An element of the picture keeps its id.
        let name = if is_taken { name + "-definition" } else { name };
        let name = self.numbered(&name, true);
        Arc::make_mut(&mut self.drawing.taken).insert(name.clone());
        name
    }

    /// A name, with a number behind it if an element has it, or a definition, too.
    fn numbered(&mut self, name: &str, of_definition: bool) -> String {
        let mut free = name.to_owned();
        let taken = &self.drawing.taken;
        while free.is_empty() || self.elements.has_key(&free) || of_definition && taken.contains(&free) {
            let copy = self.copies.entry(name.to_owned()).or_insert(1);
            *copy += 1;
            free = format!("{name}-{copy}");
        }
        free
    }
}
