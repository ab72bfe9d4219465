//! Shapes whose gradients bend with their outlines. Each has two forms in the drawing with slots: the shape
//! itself, and patches that are clipped to its fill and masked by its stroke. A frame shows one of them.

use std::sync::Arc;

use kurbo::{Affine, BezPath, Rect};

use crate::definition::{ClipId, ClipPath, Mask, MaskId, MaskKind};
use crate::drawing::Drawing;
use crate::frame::Visibility;
use crate::gradient_look::GradientPart;
use crate::limits::index_u32;
use crate::look::place_in_look;
use crate::moving::{Moving, PosedArt};
use crate::node::{Group, Node, NodeKind, Shape, Smoothness};
use crate::node_id::NodeId;
use crate::paint::{Fill, FillRule, Gradient, GradientId, LineCap, LineJoin, Paint, Stop, Stroke};
use crate::posable::Posable;
use crate::property::ArtProperty;

/// Half the side of the region of a mask that cuts nothing off.
pub(crate) const FAR: f64 = 1e6;

/// The place of a posed shape.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) outline: usize,
    pub(crate) inside: Option<usize>,
    pub(crate) to_canvas: Affine,
    /// Which of the mirrored fills it has.
    pub(crate) parts: Option<usize>,
}

/// The patches of a shape: the number of the first among the outlines, and how many there are.
type Patches = (usize, usize);

impl Posable {
    /// Adds the second form of all shapes with bent paint.
    pub(crate) fn bend_paints(&mut self, source: &Drawing, moving: &Moving<'_>, drawing: &mut Drawing) {
        let mut first = moving.posed.len();
        for bent in moving.bent {
            let node = match moving.posed.get(bent.posed) {
                Some(PosedArt::Path(element)) => source.shape_node(*element),
                Some(PosedArt::Part(_, node)) => Some(*node),
                Some(PosedArt::Stencil(_)) | None => None,
            };
            // Two slots for each, also for one that has no paint that could bend.
            let slots = self.at_rest.len();
            self.bent.push(slots);
            let [whole, parts] = [0, 1].map(|_| group(drawing, Group::new()));
            for (node, visibility) in [(whole, Visibility::SHOWN), (parts, Visibility::HIDDEN)] {
                drawing.slots.visibilities.push(node);
                self.at_rest.push(visibility);
            }
            let place = node.and_then(|node| Some((node, self.place(drawing, node)?)));
            let shape = node.and_then(|node| source.node(node)?.shape());
            if let (Some((node, place)), Some(shape)) = (place, shape) {
                let unit = self.unit_of(node);
                let (parent, element) =
                    (drawing.nodes[unit.index()].parent, drawing.nodes[node.index()].element);
                drawing.replace_child(parent, unit, &[whole, parts]);
                drawing.adopt(whole, vec![unit]);
                drawing.nodes[parts.index()].element = element;
                let children = self.parts(drawing, shape, place, (first, bent.patches));
                drawing.adopt(parts, children);
            }
            first += bent.patches;
        }
    }

    pub(crate) fn place(&self, drawing: &Drawing, node: NodeId) -> Option<Place> {
        let posed = &self.posed[drawing.slots.outlines.slot(node)?];
        let parts = self.parts_of(posed.outline);
        Some(Place { outline: posed.outline, inside: posed.inside, to_canvas: posed.to_canvas, parts })
    }

    /// A group with the opacity of a fill or stroke of a posed path, which can be keyed.
    fn faded(
        &mut self,
        drawing: &mut Drawing,
        plain: Group,
        (outline, property): (usize, ArtProperty),
        opacity: f64,
    ) -> NodeId {
        let path = self.path_of(outline);
        let keyed = path.and_then(|path| self.moving.looks.iter().position(|id| *id == path));
        let node = group(drawing, if keyed.is_some() { plain } else { Group { opacity, ..plain } });
        if let Some((at, place)) = keyed.zip(place_in_look(property)) {
            self.fading.push((self.at_rest.len(), at, place));
            drawing.slots.visibilities.push(node);
            self.at_rest.push(Visibility { opacity, ..Visibility::SHOWN });
        }
        node
    }

    /// The fill and the stroke of a shape in paint order, those with a gradient in patches.
    fn parts(&mut self, drawing: &mut Drawing, shape: &Shape, place: Place, patches: Patches) -> Vec<NodeId> {
        let of_fill = (place.outline, ArtProperty::FillOpacity);
        let fill = shape.fill.map(|fill| {
            let only = Shape { stroke: None, ..shape.clone() };
            let painted = |paint| Shape { fill: Some(Fill { paint, opacity: 1.0, ..fill }), ..only.clone() };
            let Paint::Gradient(gradient) = fill.paint else {
                if place.parts.is_none() {
                    return self.add(drawing, only, place);
                }
                let children = self.add_united(drawing, painted(fill.paint), place);
                let around = self.faded(drawing, Group::new(), of_fill, fill.opacity);
                drawing.adopt(around, children);
                return around;
            };
            let wider = |paint| Shape { stroke: Some(beyond(&only, paint)), ..painted(paint) };
            let children = self.add_united(drawing, painted(Paint::Color([0; 3])), place);
            let outline = children[0];
            let id = drawing.free_id("bent", outline.index());
            drawing.clips.push(ClipPath {
                id,
                element: None,
                transform: Affine::IDENTITY,
                clip: None,
                children,
            });
            let clip = Some(ClipId(index_u32(drawing.clips.len() - 1)));
            let (colours, mask) = self.painted(drawing, wider, gradient, place, patches);
            let around = self.faded(drawing, Group { clip, mask, ..Group::new() }, of_fill, fill.opacity);
            drawing.adopt(around, colours);
            around
        });
        let stroke = shape.stroke.as_ref().map(|stroke| {
            let only = Shape { fill: None, ..shape.clone() };
            let Paint::Gradient(gradient) = stroke.paint else {
                return self.add_stroke(drawing, only, place);
            };
            let painted = |paint| {
                let stroke = Stroke { paint, opacity: 1.0, ..stroke.clone() };
                Shape { stroke: Some(stroke), ..only.clone() }
            };
            let wider = |paint| {
                let mut wider = painted(paint);
                let beyond = beyond(&only, paint).width;
                wider.stroke.iter_mut().for_each(|stroke| stroke.width += beyond);
                wider
            };
            let (colours, opacities) = self.painted(drawing, wider, gradient, place, patches);
            let outline = self.add_stroke(drawing, painted(Paint::Color([255; 3])), place);
            let mask = Some(mask(drawing, vec![outline], opacities));
            let of_stroke = (place.outline, ArtProperty::StrokeOpacity);
            let around = self.faded(drawing, Group { mask, ..Group::new() }, of_stroke, stroke.opacity);
            drawing.adopt(around, colours);
            around
        });
        let mut both: Vec<NodeId> = fill.into_iter().chain(stroke).collect();
        if shape.stroke_first {
            both.reverse();
        }
        both
    }

    /// The patches of a gradient's colours, and a mask of the same patches in its opacities if it has any:
    /// patches that lie over each other in a fold must not show through.
    fn painted(
        &mut self,
        drawing: &mut Drawing,
        painted: impl Fn(Paint) -> Shape,
        gradient: GradientId,
        place: Place,
        patches: Patches,
    ) -> (Vec<NodeId>, Option<MaskId>) {
        let own = &drawing.gradients[gradient.index()];
        // Keys can make its stops less than opaque.
        let is_keyed = self.is_keyed(gradient);
        if !is_keyed && own.stops.iter().all(|stop| stop.opacity >= 1.0) {
            return (self.patches(drawing, painted, gradient, place, patches), None);
        }
        let with_stops = |change: fn(&Stop) -> [u8; 3]| {
            let stops = own.stops.iter().map(|stop| Stop { color: change(stop), opacity: 1.0, ..*stop });
            Gradient { stops: stops.collect(), ..own.clone() }
        };
        let colours = with_stops(|stop| stop.color);
        // White at 1, as the luminance of a mask is read.
        let opacities = with_stops(|stop| [(255.0 * stop.opacity.clamp(0.0, 1.0)).round() as u8; 3]);
        let [colours, opacities] = [colours, opacities].map(|mut gradient| {
            gradient.id = drawing.free_id(&gradient.id, drawing.gradients.len());
            drawing.push_gradient(gradient)
        });
        self.origins.insert(colours, (gradient, GradientPart::Colors));
        self.origins.insert(opacities, (gradient, GradientPart::Opacities));
        let colours = self.patches(drawing, &painted, colours, place, patches);
        let opacities = self.patches(drawing, &painted, opacities, place, patches);
        (colours, Some(mask(drawing, opacities, None)))
    }

    /// The patches of an opaque gradient. Below them is the shape itself, for the places to which they do not
    /// reach because something else than bones moves the outline.
    fn patches(
        &mut self,
        drawing: &mut Drawing,
        painted: impl Fn(Paint) -> Shape,
        gradient: GradientId,
        place: Place,
        (first, count): Patches,
    ) -> Vec<NodeId> {
        let paint = Paint::Gradient(gradient);
        // Without smooth edges neighbours meet without a seam.
        let patch = Shape {
            outline: Arc::new(BezPath::new()),
            fill: Some(Fill { paint, rule: FillRule::NonZero, opacity: 1.0 }),
            stroke: None,
            stroke_first: false,
            anti_alias: Smoothness::Crisp,
            visible: true,
        };
        let mut children = self.add_united(drawing, painted(paint), place);
        children.reserve(count);
        for outline in first..first + count {
            children.push(self.add(drawing, patch.clone(), Place { outline, parts: None, ..place }));
        }
        children
    }

    /// Adds a shape with an outline slot, and one of its parts if it is filled and a part of it can be mirrored.
    fn add_united(&mut self, drawing: &mut Drawing, shape: Shape, place: Place) -> Vec<NodeId> {
        let parts = Shape { stroke: None, ..shape.clone() };
        let shape = self.add(drawing, shape, place);
        std::iter::once(shape).chain(self.add_parts(drawing, parts, place)).collect()
    }

    /// Adds a shape with an outline slot. A frame without values leaves it empty.
    pub(crate) fn add(&mut self, drawing: &mut Drawing, shape: Shape, place: Place) -> NodeId {
        let kind = NodeKind::Shape(Arc::new(shape));
        let node = drawing.push(Node { parent: None, element: None, own: false, kind });
        self.pose(drawing, node, place.outline, place.inside, place.to_canvas);
        if let NodeKind::Shape(shape) = &mut drawing.nodes[node.index()].kind {
            Arc::make_mut(shape).outline = Arc::new(BezPath::new());
        }
        node
    }
}

/// A line on the outline of a shape, so that what is below its patches reaches over its smooth edges.
fn beyond(shape: &Shape, paint: Paint) -> Stroke {
    /// Its width as a share of the longer side.
    const SHARE: f64 = 0.01;
    let size = shape.outline.control_box();
    Stroke {
        paint,
        opacity: 1.0,
        width: (SHARE * size.width().max(size.height())).max(f64::MIN_POSITIVE),
        dashes: Vec::new(),
        dash_offset: 0.0,
        cap: LineCap::Butt,
        join: LineJoin::Miter,
        miter_limit: 4.0,
    }
}

/// A mask of these nodes, which is masked by another.
pub(crate) fn mask(drawing: &mut Drawing, children: Vec<NodeId>, mask: Option<MaskId>) -> MaskId {
    let id = drawing.free_id("bent", drawing.nodes.len());
    let rect = Rect::new(-FAR, -FAR, FAR, FAR);
    drawing.masks.push(Mask { id, element: None, rect, kind: MaskKind::Luminance, mask, children });
    MaskId(index_u32(drawing.masks.len() - 1))
}

pub(crate) fn group(drawing: &mut Drawing, group: Group) -> NodeId {
    drawing.push(Node { parent: None, element: None, own: false, kind: NodeKind::Group(Box::new(group)) })
}

impl Drawing {
    /// Puts nodes into a group that is empty so far.
    pub(crate) fn adopt(&mut self, group: NodeId, children: Vec<NodeId>) {
        for child in &children {
            self.nodes[child.index()].parent = Some(group);
        }
        if let NodeKind::Group(group) = &mut self.nodes[group.index()].kind {
            group.children = children;
        }
    }

    /// Puts a node behind those of a group.
    pub(crate) fn add_child(&mut self, group: NodeId, child: NodeId) {
        if let NodeKind::Group(group) = &mut self.nodes[group.index()].kind {
            group.children.push(child);
        }
    }

    /// Puts nodes in place of one.
    pub(crate) fn replace_child(&mut self, parent: Option<NodeId>, child: NodeId, by: &[NodeId]) {
        by.iter().for_each(|node| self.nodes[node.index()].parent = parent);
        let list = match parent {
            None => &mut self.roots,
            Some(parent) => match &mut self.nodes[parent.index()].kind {
                NodeKind::Group(group) => &mut group.children,
                NodeKind::Shape(_) | NodeKind::Image(_) => return,
            },
        };
        if let Some(at) = list.iter().position(|node| *node == child) {
            list.splice(at..=at, by.iter().copied());
        }
    }
}
