//! Drawing and frame -> SVG text, with ids, groups and labels. Numbers are written so that a reader in single
//! precision gets those that pixels are drawn with.

use bone_drawing::{
    DrawItem, DrawItemScratch, Drawing, FilterId, Frame, GradientId, Group, NodeId, Shape, StepValues,
};
use kurbo::{Affine, Rect};

use crate::frame::FrameSize;
use crate::number::{matrix_as_read, widen, write_matrix, write_number, write_path};
use crate::viewport::Viewport;

use super::document::{
    SvgDefinition, SvgGradient, SvgGroup, SvgItem, SvgLook, SvgOutline, SvgRegion, SvgTint, SvgValues,
    SvgWriter,
};
use super::view::SvgView;

pub use crate::number::Precision;

/// A drawing at rest as SVG text.
pub fn svg_text(drawing: &Drawing) -> String {
    let mut out = String::new();
    write_svg(drawing, &Frame::default(), Precision::Exact, &mut out);
    out
}

/// Writes a frame of a drawing as one SVG document. `out` is emptied first.
pub fn write_svg(drawing: &Drawing, frame: &Frame, precision: Precision, out: &mut String) {
    document(drawing, (frame, precision), has_labels(drawing), out, |writer| {
        start(writer);
        writer.nodes(drawing.roots(), &());
    });
}

/// Writes a view of a frame as one SVG document with the size of the picture. `out` is emptied first. The whole
/// drawing at scale 1 is written as [`write_svg`] does, without rounding its size up to whole pixels. A view
/// without an inverse shows nothing.
pub fn write_svg_view(
    drawing: &Drawing,
    frame: &Frame,
    view: &Viewport,
    precision: Precision,
    out: &mut String,
) {
    let page = FrameSize::from_scale(drawing.size(), 1.0);
    let is_page = page.is_ok_and(|size| view.size == size && view.transform == size.fit(drawing.size()));
    if is_page && view.background.is_none() && view.cut.is_none() {
        return write_svg(drawing, frame, precision, out);
    }
    document(drawing, (frame, precision), has_labels(drawing), out, |writer| {
        writer.root();
        match SvgView::new(view, |id| is_id_taken(drawing, id)) {
            Some(view) => writer.view(&view, &()),
            None => {
                writer.number("width", view.size.width().into(), 0);
                writer.number("height", view.size.height().into(), 0);
                writer.out.push('>');
            }
        }
    });
}

/// Writes one node with what is in it and the definitions that it uses, as a document of its own.
pub fn write_node(drawing: &Drawing, frame: &Frame, node: NodeId, out: &mut String) {
    document(drawing, (frame, Precision::Exact), false, out, |writer| {
        start(writer);
        writer.node(node, &());
    });
}

/// Writes a document into memory that is used again.
fn document<'a>(
    drawing: &'a Drawing,
    (frame, precision): (&'a Frame, Precision),
    labels: bool,
    out: &mut String,
    content: impl FnOnce(&mut SvgWriter<'a, FrameValues<'a>>),
) {
    out.clear();
    let mut writer = SvgWriter::new(drawing, FrameValues::new(drawing, frame, precision), labels);
    writer.out = std::mem::take(out);
    content(&mut writer);
    writer.definitions();
    *out = writer.out;
    out.push_str("</svg>");
}

fn has_labels(drawing: &Drawing) -> bool {
    drawing.elements().iter().any(|element| element.label.is_some())
}

/// The start tag of the root element, with the size of the drawing.
fn start(writer: &mut SvgWriter<'_, FrameValues<'_>>) {
    let size = writer.values.drawing.size();
    writer.root();
    writer.number("width", size.width, 0);
    writer.number("height", size.height, 0);
    writer.out.push_str(">\n");
}

/// Whether an element or a definition of a drawing has an id.
pub fn is_id_taken(drawing: &Drawing, id: &str) -> bool {
    drawing.elements().iter().any(|element| *element.key == *id)
        || drawing.gradients().iter().any(|it| it.id == id)
        || drawing.patterns().iter().any(|it| it.id == id)
        || drawing.clips().iter().any(|it| it.id == id)
        || drawing.masks().iter().any(|it| it.id == id)
        || drawing.filters().iter().any(|it| it.id == id)
}

/// The values of a frame.
struct FrameValues<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    precision: Precision,
    /// Whether anything has an order.
    ordered: bool,
}

impl<'a> FrameValues<'a> {
    fn new(drawing: &'a Drawing, frame: &'a Frame, precision: Precision) -> Self {
        let ordered = frame.visibilities.iter().any(|visibility| visibility.place() != 0.0);
        Self { drawing, frame, precision, ordered }
    }

    fn data(&self, node: NodeId, transform: Affine) -> SvgOutline<()> {
        let mut data = String::new();
        if let Some(outline) = self.frame.outline(self.drawing, node) {
            write_path(outline, self.precision, &mut data);
        }
        SvgOutline { carrier: (), transform: (transform, 0), data, curves: String::new() }
    }
}

impl SvgValues for FrameValues<'_> {
    type Space = ();
    type Carrier = ();
    type Use = ();
    type Around = tiny_skia::Transform;

    const IS_EXACT: bool = true;

    fn number(&self, n: f64, _: u8, out: &mut String) {
        write_number(n, self.precision, out);
    }

    fn matrix(&self, affine: Affine, _: u8, out: &mut String) {
        write_matrix(affine, self.precision, out);
    }

    fn is_seen(&self, node: NodeId) -> bool {
        self.frame.visibility(self.drawing, node).is_seen()
    }

    fn is_isolated(&self, node: NodeId, group: &Group) -> bool {
        group.is_isolated() || self.frame.visibility(self.drawing, node).fading().is_some()
    }

    fn has_tag(&self, node: NodeId) -> bool {
        self.frame.transform(self.drawing, node) != Affine::IDENTITY
    }

    fn items(&mut self, nodes: &[NodeId]) -> Option<Vec<SvgItem>> {
        if !self.ordered {
            return None;
        }
        let mut items = Vec::new();
        let mut scratch = DrawItemScratch::default();
        self.drawing.draw_items(self.frame, nodes, Affine::IDENTITY, &mut scratch, &mut items);
        let differs = items.iter().any(|item| item.order != 0.0);
        let item =
            |item: DrawItem| SvgItem { node: item.node, before: String::new(), is_copy: false, after: "" };
        differs.then(|| items.into_iter().map(item).collect())
    }

    fn inside(&mut self, _: NodeId, (): &()) {}

    fn group(&mut self, node: NodeId, group: &Group, (): &()) -> SvgGroup<Self> {
        let opacity = match self.frame.visibility(self.drawing, node).fading() {
            Some(fading) => group.opacity * fading,
            None => group.opacity,
        };
        SvgGroup {
            transform: (self.frame.transform(self.drawing, node), 0),
            opacity: Some(opacity).filter(|opacity| *opacity != 1.0),
            is_hidden: false,
            curves: String::new(),
            inside: (),
            used: (),
        }
    }

    fn outline(&mut self, node: NodeId, (): &()) -> Option<SvgOutline<()>> {
        Some(self.data(node, Affine::IDENTITY))
    }

    fn look(&mut self, node: NodeId, _: &Shape, (): &()) -> SvgLook {
        SvgLook { look: self.frame.look(self.drawing, node), digits: 0, dash: None, curves: String::new() }
    }

    fn tint(&mut self, image: NodeId) -> Option<SvgTint> {
        let map = self.frame.tint(self.drawing, image).filter(|map| !map.is_identity())?;
        let mut name = format!("tint-{}", image.index());
        while is_id_taken(self.drawing, &name) {
            name.push('_');
        }
        Some(SvgTint { name, map, curves: String::new() })
    }

    fn gradient(&mut self, id: GradientId, (): &()) -> Option<SvgGradient> {
        let gradient = self.frame.stops(self.drawing, id)?.clone();
        Some(SvgGradient { gradient, curves: String::new(), stops: Vec::new() })
    }

    fn paint(&mut self, (_, id): (SvgDefinition, &str), _: NodeId, (): &(), (): &()) -> (String, ()) {
        (id.to_owned(), ())
    }

    fn paint_transform(&self, paint: SvgDefinition, _: &str, (): &(), _: &mut String) -> Affine {
        match paint {
            SvgDefinition::Gradient(id) => self.frame.gradient(self.drawing, id),
            SvgDefinition::Pattern(id) => self.frame.pattern(self.drawing, id),
            _ => Affine::IDENTITY,
        }
    }

    fn space((): &()) {}

    fn region(&mut self, region: SvgRegion, (): &(), _: &mut String) -> Option<Rect> {
        match region {
            SvgRegion::Mask(id) => Some(self.frame.mask(self.drawing, id)),
            SvgRegion::Filter(id) => Some(self.frame.filter(self.drawing, id)),
            SvgRegion::Step(id, at) => self.frame.step(self.drawing, id, at),
        }
    }

    fn around(&self, outside: Option<(&Self::Around, NodeId)>) -> Self::Around {
        let Some((outside, node)) = outside else { return Self::Around::identity() };
        // As a reader in single precision multiplies them.
        outside.pre_concat(matrix_as_read(self.frame.transform(self.drawing, node)))
    }

    fn clip_outline(&mut self, node: NodeId, around: &Self::Around, (): &()) -> Option<SvgOutline<()>> {
        Some(self.data(node, widen(*around)))
    }

    fn step(&mut self, filter: FilterId, step: usize, (): &(), _: &mut String) -> Option<StepValues> {
        self.frame.step_values(self.drawing, filter, step).copied()
    }

    fn filter_image(&mut self, filter: &str, step: usize, node: NodeId) -> (String, bool) {
        match self.drawing.node(node).and_then(|node| self.drawing.element(node.element?)) {
            Some(element) => (element.key.to_string(), false),
            // A file that is shown is no element, and nothing else gives it an id.
            None => {
                let mut id = format!("{filter}-file{step}");
                while self.drawing.elements().iter().any(|element| *element.key == *id) {
                    id.push('_');
                }
                (id, true)
            }
        }
    }
}
