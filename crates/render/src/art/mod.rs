//! SVG text -> [`Art`]: the drawing's elements, names, outlines and notes, and the normalised text that is posed.
//! Refuses to open files, to draw, and to let a hostile text reach usvg.

mod address;
mod decode;
mod definitions;
mod drawn;
mod element;
mod filters;
mod find;
mod images;
pub mod limits;
mod normal;
mod notes;
mod place;
mod references;
mod resources;
mod showable;
mod source;
mod stencil;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath, Point, Rect, Size};
use roxmltree::{Document, ParsingOptions};

pub use drawn::DrawnOutline;
pub use element::{Element, ElementId, ElementKind, ElementState, Hidden};
pub use find::{FindError, Numbered};
pub use place::{ArtError, Note, Place, Severity};
pub use resources::{ImageSource, Resources};
pub use showable::Showable;
pub use stencil::Stencil;

pub(crate) use definitions::{Definition, DefinitionKind, Link};
pub(crate) use normal::{Normal, Slot};
pub(crate) use resources::{Missing, ParseError, parse};
pub(crate) use stencil::{Instance, StencilPlace};

use normal::RootMapping;
use place::Lines;

/// A drawing, read and ready to be posed.
#[derive(Debug)]
pub struct Art {
    elements: Vec<Element>,
    outlines: Vec<Option<Outline>>,
    /// Each `use` with the element that it clones.
    uses: Vec<(ElementId, ElementId)>,
    /// Elements that are not seen at rest and can be shown, in document order.
    hidden: Vec<ElementId>,
    by_key: BTreeMap<String, ElementId>,
    /// Names and children, for addresses.
    names: address::Names,
    /// The element behind each definition of the normalised text, if it clips or masks.
    definers: Vec<Option<ElementId>>,
    /// Whose each link to a definition is.
    owners: Vec<Option<ElementId>>,
    /// All stencils, whoever is cut; found when they are first asked for.
    stencils: OnceLock<Vec<Stencil>>,
    normal: Normal,
    canvas: Rect,
    size: Size,
}

/// The outline of a drawn path.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its curves in canvas space.
    pub path: BezPath,
    /// From the space in which its author drew it, where its stroke, dashes and paint are measured, to canvas space.
    pub local_to_canvas: Affine,
    /// Whether it has a fill or a stroke and is not hidden; what is not visible can still carry markers or be switched on later.
    pub visible: bool,
    /// Whether it is filled, and then whether by the even-odd rule.
    pub even_odd: Option<bool>,
    /// Width of its stroke in canvas units; 0 for none.
    pub stroke_width: f64,
    /// Whether it carries markers. They move with a matrix, but stay where they are when the path gets another outline.
    pub has_markers: bool,
}

impl Art {
    /// Text of an SVG file's bytes: UTF-8, or UTF-16 with a byte order mark.
    ///
    /// # Errors
    /// [`ArtError::NotText`] for compressed, binary or wrongly encoded bytes.
    pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ArtError> {
        decode::decode(bytes)
    }

    /// Reads a drawing. The notes say what will not be drawn, or not as its author expects.
    ///
    /// # Errors
    /// If the text is not an SVG, asks for too much, goes in circles or has no size.
    pub fn read(svg: &str, resources: &Resources) -> Result<(Self, Vec<Note>), ArtError> {
        Self::read_showing(svg, resources, &Showable::default())
    }

    /// Reads a drawing in which some art may be shown that is hidden at rest.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_showing(
        svg: &str,
        resources: &Resources,
        showable: &Showable,
    ) -> Result<(Self, Vec<Note>), ArtError> {
        limits::check_text(svg)?;
        let lines = Lines::new(svg);
        let doc = read_xml(svg, &lines)?;
        let mut notes = references::check(&doc, svg, &lines)?;
        let source::Source { elements, keyed, uses, notes: id_notes } = source::read(&doc, svg, &lines);
        notes.extend(id_notes);

        let whole = Whole { doc: &doc, svg, lines: &lines, resources };
        let (mut art, mut missing) = whole.read(&keyed, elements.clone(), uses)?;
        let unseen = showable.unseen(&art);
        if !unseen.is_empty() {
            let (keyed, hidden) = showable::switched_on(&keyed, &art, &unseen);
            (art, missing) = whole.read(&keyed, elements, art.uses)?;
            art.hidden = hidden;
            art.hidden.retain(|id| art.elements[id.index()].is_drawn());
        }
        notes.extend(notes::write(&doc, svg, &lines, &art.elements, &missing));
        notes.sort_by_key(|note| note.place.as_ref().map_or(0, |place| place.span.start));
        Ok((art, notes))
    }

    /// All elements below the root, in document order.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// All element ids, in document order.
    pub fn ids(&self) -> impl Iterator<Item = ElementId> + use<> {
        (0..u32::try_from(self.elements.len()).unwrap_or(u32::MAX)).map(ElementId)
    }

    /// An element. Ids come from this drawing; those of another one may be out of range.
    pub fn element(&self, id: ElementId) -> Option<&Element> {
        self.elements.get(id.index())
    }

    /// The outline of a path that is drawn in its own place.
    pub fn outline(&self, id: ElementId) -> Option<&Outline> {
        self.outlines.get(id.index())?.as_ref()
    }

    /// The drawn paths of an element: itself if it is a path, else all in it, in the order they are drawn. Clones made by `use` are not among them.
    pub fn paths_in(&self, id: ElementId) -> Vec<ElementId> {
        self.ids().filter(|path| self.outline(*path).is_some() && self.is_within(*path, id)).collect()
    }

    /// Whether an element is another one or stands in it.
    pub fn is_within(&self, id: ElementId, ancestor: ElementId) -> bool {
        std::iter::successors(Some(id), |at| self.element(*at)?.parent).any(|at| at == ancestor)
    }

    /// The canvas: the root's `viewBox`, or its size if it has none. In user units of the drawing.
    pub fn canvas(&self) -> Rect {
        self.canvas
    }

    /// Size in pixels at scale 1.
    pub fn size(&self) -> Size {
        self.size
    }

    /// From canvas space to pixels at scale 1: the `viewBox` mapping with its `preserveAspectRatio`.
    pub fn canvas_to_output(&self) -> Affine {
        self.normal.canvas_to_output
    }

    /// The drawing at rest, as an SVG; what it hides and a rig may show is in it, too, and not hidden.
    pub fn svg(&self) -> &str {
        &self.normal.text
    }

    pub(crate) fn normal(&self) -> &Normal {
        &self.normal
    }

    /// The node of a drawn element in the normalised text.
    pub(crate) fn slot(&self, id: ElementId) -> Option<usize> {
        let element = self.element(id).filter(|element| element.is_drawn())?;
        self.normal.by_key.get(&element.key).copied()
    }
}

/// A drawing's text and what is needed to read it.
struct Whole<'a> {
    doc: &'a Document<'a>,
    svg: &'a str,
    lines: &'a Lines<'a>,
    resources: &'a Resources,
}

impl Whole<'_> {
    /// What usvg makes of the text with an id on every element.
    fn read(
        &self,
        keyed: &str,
        mut elements: Vec<Element>,
        uses: Vec<(ElementId, ElementId)>,
    ) -> Result<(Art, Missing), ArtError> {
        let mut missing = Missing::default();
        let root_place = || Some(self.lines.place(source::tag_range(self.svg, self.doc.root_element())));
        let mut tree = parse(keyed, self.resources, &missing);
        if matches!(tree, Err(ParseError::Panic)) {
            missing = Missing { without_images: true, ..Missing::default() };
            tree = parse(keyed, self.resources, &missing);
        }
        let tree = tree.map_err(|error| explain(error, root_place()))?;
        images::check(&tree, &elements, self.lines)?;
        let root = root_mapping(self.doc, self.svg, self.resources);
        let normal = Normal::new(&tree, &root)?;

        let size = Size::new(f64::from(tree.size().width()), f64::from(tree.size().height()));
        let canvas = view_box(self.doc).unwrap_or_else(|| Rect::from_origin_size(Point::ORIGIN, size));
        notes::set_states(self.doc, &mut elements, &normal);
        let stencil::Cutters { by_key, definers, owners } = stencil::set_states(&mut elements, &normal);
        let outlines = elements.iter().map(|element| outline(element, &normal)).collect();
        let (hidden, stencils) = (Vec::new(), OnceLock::new());
        let names = address::Names::new(&elements);
        let art = Art {
            elements,
            names,
            outlines,
            uses,
            hidden,
            by_key,
            definers,
            owners,
            stencils,
            normal,
            canvas,
            size,
        };
        Ok((art, missing))
    }
}

/// Checks the references of a drawing within a drawing.
fn check_references(svg: &str) -> Result<(), ArtError> {
    let lines = Lines::new(svg);
    match read_xml(svg, &lines) {
        Ok(doc) => references::check(&doc, svg, &lines).map(|_| ()),
        // Not XML: an image of another kind, or nothing that usvg would read.
        Err(ArtError::NotSvg { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn read_xml<'a>(svg: &'a str, lines: &Lines<'_>) -> Result<Document<'a>, ArtError> {
    if svg.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(ArtError::NotSvg { reason: "the file is empty".into(), place: None, source: None });
    }
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: limits::MAX_NODES, ..ParsingOptions::default() };
    let doc = Document::parse_with_options(svg, options).map_err(|error| {
        let place = Some(match error {
            // roxmltree names no place for these: it is where the text ends.
            roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
                let end = svg.trim_end().len();
                lines.place(end..end)
            }
            _ => lines.at(error.pos().row, error.pos().col),
        });
        match error {
            roxmltree::Error::NodesLimitReached => ArtError::TooMuch {
                what: format!("it has more than {} elements", limits::MAX_NODES),
                place: None,
            },
            roxmltree::Error::EntityReferenceLoop(_) => ArtError::TooMuch {
                what: "its DOCTYPE entities refer to each other again and again".into(),
                place,
            },
            error => {
                ArtError::NotSvg { reason: notes::xml_reason(&error), place, source: Some(Box::new(error)) }
            }
        }
    })?;
    let root = doc.root_element();
    if !source::is_svg(root) || root.tag_name().name() != "svg" {
        return Err(ArtError::NotSvg {
            reason: format!("its first element is <{}>, not <svg>", root.tag_name().name()),
            place: Some(lines.place(source::tag_range(svg, root))),
            source: None,
        });
    }
    check_depth(&doc, svg, lines)?;
    Ok(doc)
}

/// Refuses deep nesting before anything recursive sees it.
fn check_depth(doc: &Document<'_>, svg: &str, lines: &Lines<'_>) -> Result<(), ArtError> {
    let mut depths: Vec<u32> = Vec::new();
    // Document order is the order of node ids, so a parent's depth is known before its children's.
    for node in doc.descendants() {
        let depth =
            node.parent().and_then(|parent| depths.get(parent.id().get_usize())).map_or(0, |depth| depth + 1);
        if depth > limits::MAX_DEPTH {
            return Err(ArtError::TooMuch {
                what: format!("its groups are nested more than {} deep", limits::MAX_DEPTH),
                place: Some(lines.place(source::tag_range(svg, node))),
            });
        }
        depths.push(depth);
    }
    Ok(())
}

fn explain(error: ParseError, root: Option<Place>) -> ArtError {
    match error {
        ParseError::Usvg(usvg::Error::InvalidSize) => {
            ArtError::Size { reason: "width, height and viewBox must be greater than 0".into(), place: root }
        }
        ParseError::Usvg(
            usvg::Error::ElementsLimitReached
            | usvg::Error::ParsingFailed(roxmltree::Error::NodesLimitReached),
        ) => ArtError::TooMuch {
            what: "it has too many elements, or too many within each other".into(),
            place: root,
        },
        ParseError::Usvg(error) => {
            ArtError::NotSvg { reason: error.to_string(), place: root, source: Some(Box::new(error)) }
        }
        ParseError::Panic => ArtError::Internal { reason: "the SVG reader gave up on it".into() },
    }
}

fn view_box(doc: &Document<'_>) -> Option<Rect> {
    let value = source::plain_attribute(doc.root_element(), "viewBox")?;
    let parsed: svgtypes::ViewBox = value.parse().ok()?;
    // As usvg sees it: none unless it has a size that an f32 can tell from 0.
    #[allow(clippy::cast_possible_truncation, reason = "the question is what is left in an f32")]
    let usable = |n: f64| (n as f32).is_finite() && n as f32 > 0.0;
    (usable(parsed.w) && usable(parsed.h))
        .then(|| Rect::from_origin_size((parsed.x, parsed.y), (parsed.w, parsed.h)))
}

/// Asks usvg itself what it makes of the root's size, `viewBox` and `preserveAspectRatio`, with a drawing that has the same root and one path.
fn root_mapping(doc: &Document<'_>, svg: &str, resources: &Resources) -> RootMapping {
    let none = RootMapping { canvas_to_output: Affine::IDENTITY, has_group: false };
    let tag = source::tag_range(svg, doc.root_element());
    let name = source::qualified_name(svg, tag.start);
    let prefix = name.rsplit_once(':').map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
    let open = svg.get(..tag.end).unwrap_or("").trim_end_matches('>').trim_end_matches('/');
    let probe =
        format!("{open}><{prefix}g id=\"probe\"><{prefix}path d=\"M0 0H1V1Z\"/></{prefix}g></{name}>");
    let Ok(tree) = parse(&probe, resources, &Missing::default()) else { return none };
    let Some(group) = tree.node_by_id("probe") else { return none };
    let ts = group.abs_transform();
    RootMapping {
        canvas_to_output: Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from)),
        has_group: tree.root().children().first().is_some_and(|first| first.id() != "probe"),
    }
}

fn outline(element: &Element, normal: &Normal) -> Option<Outline> {
    if !element.is_drawn() || element.kind != ElementKind::Path {
        return None;
    }
    let at = *normal.by_key.get(&element.key)?;
    let slot: &Slot = normal.slots.get(at)?;
    Some(Outline {
        path: slot.to_canvas * slot.path.as_ref()?,
        local_to_canvas: slot.to_canvas,
        visible: slot.visible,
        even_odd: slot.even_odd,
        stroke_width: slot.stroke_width * slot.to_canvas.determinant().abs().sqrt(),
        has_markers: normal.with_markers(at) != (at, at),
    })
}
