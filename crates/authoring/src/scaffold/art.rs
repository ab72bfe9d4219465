//! The art of a drawing: pieces that can follow bones, guide lines, a background, and a list of all elements
//! with their possible bindings.

use std::sync::Arc;

use bone_drawing::{Drawing, ElementId, ElementKind, ElementState};
use bone_drawing::{Frame, Outline};
use bone_skin::BLine;
use kurbo::{BezPath, Point, Rect, Shape as _};

/// Names of the group of guide lines, in upper or lower case.
const GUIDES: [&str; 2] = ["bones", "skeleton"];
/// At most this many lines of the list are written.
const LISTED: usize = 80;
/// Nested layers are opened to this depth.
const LAYER_DEPTH: usize = 16;
/// At most this many pieces are bound.
const MOST_PIECES: usize = 300;
/// At most this many shapes are named.
const MOST_SHAPES: usize = 3000;
/// Art spans the page if it has this share of its width.
pub(super) const SPANNING: f64 = 0.95;
/// Up to this many shapes without names can be limbs of a figure; more are parts of an illustration.
const FEW_PIECES: usize = 12;
/// A shape that covers this share of the canvas is a background.
const BACKGROUND: f64 = 0.9;

/// A piece of art that is bound as a whole.
#[derive(Clone, Debug)]
pub(super) struct ArtPiece {
    /// Its names in a rig; several if it consists of several shapes that move together.
    pub(super) names: Vec<String>,
    /// Around its outlines; none if it has none.
    pub(super) bounds: Option<Rect>,
    /// Its shapes.
    pub(super) shapes: Vec<Shape>,
    /// Whether it has paths that can be deformed.
    pub(super) bends: bool,
    /// Parts that are bound rigidly: texts, images, clones, and paths with markers.
    pub(super) rigid_parts: Vec<RigidPart>,
    pub(super) background: bool,
    /// Whether it is the only piece besides backgrounds.
    pub(super) all: bool,
}

/// An outline on the canvas, with its fill and stroke.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) path: BezPath,
    pub(super) bounds: Rect,
    pub(super) filled: bool,
    /// Whether its fill is by the even-odd rule.
    pub(super) even_odd: bool,
    /// Half the width of its stroke; 0 without a stroke.
    pub(super) reach: f64,
}

impl Shape {
    /// `even_odd` is none without a fill.
    pub(super) fn new(path: BezPath, even_odd: Option<bool>, stroke_width: f64) -> Self {
        let reach = stroke_width / 2.0;
        let bounds = path.bounding_box().inflate(reach, reach);
        Self { path, bounds, filled: even_odd.is_some(), even_odd: even_odd == Some(true), reach }
    }

    fn of(outline: &Outline) -> Self {
        Self::new(outline.path.clone(), outline.even_odd, outline.stroke_width)
    }

    pub(super) fn without_stroke(&self) -> Self {
        Self::new(self.path.clone(), self.filled.then_some(self.even_odd), 0.0)
    }

    /// Whether its fill covers a point.
    fn fills(&self, at: Point) -> bool {
        let winding = || self.path.winding(at);
        self.filled && if self.even_odd { winding() % 2 != 0 } else { winding() != 0 }
    }

    /// Whether a point is in its fill or on its stroke.
    fn covers(&self, at: Point) -> bool {
        use kurbo::ParamCurveNearest as _;
        let accuracy = (self.reach / 4.0).max(1e-6);
        self.bounds.contains(at)
            && (self.fills(at)
                || self.reach > 0.0
                    && self
                        .path
                        .segments()
                        .any(|segment| segment.nearest(at, accuracy).distance_sq <= self.reach * self.reach))
    }
}

/// A part that can follow only one bone.
#[derive(Clone, Debug)]
pub(super) struct RigidPart {
    pub(super) name: String,
    /// Around its outlines, or the frame of an image; none if it has none.
    pub(super) bounds: Option<Rect>,
}

/// The group of guide lines, hidden or not.
pub(super) fn guides(art: &Drawing) -> Option<ElementId> {
    let called = |name: &Option<Arc<str>>| {
        name.as_ref().is_some_and(|name| GUIDES.iter().any(|guide| name.trim().eq_ignore_ascii_case(guide)))
    };
    art.ids().find(|id| {
        art.element(*id).is_some_and(|e| e.kind == ElementKind::Group && (called(&e.id) || called(&e.label)))
    })
}

/// A unique name of an element: its label, its id, or else its address.
pub(super) fn name(art: &Drawing, id: ElementId) -> String {
    let given = art.element(id).map(|element| [&element.label, &element.id]);
    let mut names = given.into_iter().flatten().flatten();
    let own = names.find(|name| !name.trim().is_empty() && art.find(name) == Ok(id));
    own.map_or_else(|| art.address(id), |name| name.to_string())
}

/// A name that a person typed, not a number of the drawing program.
pub(super) fn given_name(art: &Drawing, id: ElementId) -> Option<String> {
    let element = art.element(id)?;
    let by_a_program = |name: &str| {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-_ .".contains(c));
        let made = "path line polyline vector rect curve g svg xmlid art shape ellipse rectangle oval polygon circle";
        letters.is_empty()
            || letters.len() < name.len() && made.split(' ').any(|word| *word == letters.to_lowercase())
    };
    let names = [&element.label, &element.id].into_iter().flatten();
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty() && !by_a_program(name))
}

/// The name that a person gave to an element or to the nearest group around it, but for `others`; none of a background.
pub(crate) fn given_name_at(
    art: &Drawing,
    id: ElementId,
    others: impl Fn(ElementId) -> bool,
) -> Option<String> {
    let mut up = art.up(id).take_while(|id| !is_background(art, *id) && !others(*id));
    up.find_map(|id| given_name(art, id))
}

/// The pieces of a drawing: its top elements, with layers, a single group and a figure of limbs opened if their
/// children are pieces; and the number of further pieces.
pub(super) fn pieces(
    art: &Drawing,
    svg: &str,
    guides: Option<ElementId>,
    bones_in: &dyn Fn(&[Shape]) -> Vec<usize>,
) -> (Vec<ArtPiece>, usize) {
    let has_bone: &dyn Fn(&[Shape]) -> bool = &|shapes| !bones_in(shapes).is_empty();
    let drawn = |id: &ElementId| {
        Some(*id) != guides
            && !art.is_hidden(*id)
            && art
                .element(*id)
                .is_some_and(|e| e.state == ElementState::Drawn && !matches!(e.kind, ElementKind::Other))
    };
    let top = |id: &ElementId| art.element(*id).is_some_and(|element| element.parent.is_none());
    let mut list: Vec<ElementId> = art.ids().filter(top).filter(drawn).collect();
    let is_layer = |id: ElementId| {
        let tag = art.element(id).and_then(|element| svg.get(element.source.clone())).unwrap_or("");
        tag.contains("groupmode=\"layer\"") || tag.contains("groupmode='layer'")
    };
    let shapes: Vec<Shape> = list.iter().take(MOST_PIECES).flat_map(|id| shapes_in(art, *id)).collect();
    let most_bones = bones_in(&shapes).len() * 2 / 3;
    // A limb of several shapes is no figure: most bones pass beside it.
    let is_figure = |id: ElementId, children: &[ElementId]| {
        most_bones > 1
            && has_limbs(art, children, bones_in)
            && bones_in(&shapes_in(art, id)).len() > most_bones
    };
    let mut more = 0;
    for _ in 0..LAYER_DEPTH {
        more += list.len().saturating_sub(MOST_SHAPES);
        list.truncate(MOST_SHAPES);
        let pieces: Vec<bool> = list.iter().map(|id| !is_background(art, *id)).collect();
        let alone = pieces.iter().filter(|piece| **piece).count() == 1;
        let open = |(id, piece): (&ElementId, &bool)| {
            if !is_group(art, *id) {
                return false;
            }
            let children: Vec<ElementId> = art.children(*id).filter(drawn).take(MOST_SHAPES + 1).collect();
            if !(is_layer(*id) || alone && *piece || is_figure(*id, &children)) {
                return false;
            }
            let has_guides = guides.is_some_and(|guides| art.is_within(guides, *id));
            children.len() <= MOST_SHAPES && (has_guides || are_pieces(art, &children, has_bone))
        };
        let opened: Vec<bool> = list.iter().zip(&pieces).map(open).collect();
        if !opened.contains(&true) {
            break;
        }
        let mut next = Vec::with_capacity(list.len());
        for (id, opened) in list.iter().zip(opened) {
            match opened {
                true => next.extend(art.children(*id).filter(drawn)),
                false => next.push(*id),
            }
        }
        list = next;
    }
    let single = list.len() == 1;
    more += list.len().saturating_sub(MOST_SHAPES);
    list.truncate(MOST_SHAPES);
    let mut groups = group_pieces(art, list, has_bone);
    more += groups.iter().skip(MOST_PIECES).map(Vec::len).sum::<usize>();
    groups.truncate(MOST_PIECES);
    let outlines = drawn_outlines(art);
    let mut pieces: Vec<ArtPiece> = groups.iter().map(|ids| piece(art, ids, &outlines, single)).collect();
    let all = more == 0 && pieces.iter().filter(|piece| !piece.background).count() == 1;
    pieces.iter_mut().for_each(|piece| piece.all = all && !piece.background);
    (pieces, more)
}

/// An outline of the picture at rest.
struct DrawnOutline {
    element: Option<ElementId>,
    shape: Shape,
    visible: bool,
}

/// All outlines of the picture at rest: of paths, clones, texts and markers, and the frames of images.
fn drawn_outlines(art: &Drawing) -> Vec<DrawnOutline> {
    let at_rest = Frame::default();
    let outline = |piece: bone_drawing::DrawItem| {
        let element = art.element_around(piece.node);
        let node = art.node(piece.node)?;
        if let bone_drawing::NodeKind::Image(image) = &node.kind {
            let frame = piece.transform * image.size.to_rect().to_path(1e-6);
            let shape = Shape::new(frame, Some(false), 0.0);
            return Some(DrawnOutline { element, shape, visible: image.visible });
        }
        let shape = node.shape()?;
        let scale = piece.transform.determinant().abs().sqrt();
        let stroke = shape.stroke.as_ref().map_or(0.0, |stroke| stroke.width * scale);
        let even_odd = shape.fill.map(|fill| fill.rule == bone_drawing::FillRule::EvenOdd);
        let outline = Shape::new(piece.transform * &*shape.outline, even_odd, stroke);
        Some(DrawnOutline { element, shape: outline, visible: shape.is_visible() })
    };
    art.painted(&at_rest).into_iter().filter_map(outline).collect()
}

/// The elements of each piece: shapes without names are one piece if they are parts of an illustration; every
/// other element is a piece.
fn group_pieces(
    art: &Drawing,
    list: Vec<ElementId>,
    has_bone: &dyn Fn(&[Shape]) -> bool,
) -> Vec<Vec<ElementId>> {
    let canvas = art.canvas();
    let is_part = |id: &ElementId| {
        let shapes = shapes_in(art, *id);
        let around = bounds(shapes.iter().map(|shape| &shape.path));
        // Ground and sky are not bound.
        let spans = around.is_some_and(|around| around.width() >= SPANNING * canvas.width());
        // A group of one outline with several paints is one shape.
        let is_one = shapes.first().is_some_and(|first| shapes.iter().all(|shape| shape.path == first.path));
        is_one && given_name(art, *id).is_none() && !is_background(art, *id) && !spans
    };
    let parts: Vec<ElementId> = list.iter().copied().filter(is_part).collect();
    let others = list.iter().filter(|id| !is_background(art, **id)).count() - parts.len();
    let with_bones = || parts.iter().filter(|id| has_bone(&shapes_in(art, **id))).count();
    let move_together = parts.len() > 1
        && parts.len() >= others
        && (parts.len() > FEW_PIECES || with_bones() * 2 < parts.len());
    if !move_together {
        return list.into_iter().map(|id| vec![id]).collect();
    }
    let mut groups = vec![parts.clone()];
    groups.extend(list.into_iter().filter(|id| parts.binary_search(id).is_err()).map(|id| vec![id]));
    groups.sort_by_key(|ids| ids.first().copied());
    groups
}

/// Whether the children of a group are pieces: limbs with names, groups, or a few shapes with bones in them.
/// Otherwise they are shapes of one illustration and are bound together.
fn are_pieces(art: &Drawing, children: &[ElementId], has_bone: &dyn Fn(&[Shape]) -> bool) -> bool {
    let pieces: Vec<ElementId> =
        children.iter().copied().filter(|child| !is_background(art, *child)).collect();
    let half = |count: usize| count * 2 >= pieces.len();
    let count = |test: &dyn Fn(ElementId) -> bool| pieces.iter().filter(|child| test(**child)).count();
    if pieces.is_empty() || pieces.len() < children.len() {
        // A background is not bound.
        return !children.is_empty();
    }
    half(count(&|child| given_name(art, child).is_some()))
        || half(count(&|child| is_group(art, child)))
        || pieces.len() <= FEW_PIECES && half(count(&|child| has_bone(&shapes_in(art, child))))
}

/// Whether two children with names have bones of their own: limbs, and not shapes that lie over each other.
fn has_limbs(art: &Drawing, children: &[ElementId], bones_in: &dyn Fn(&[Shape]) -> Vec<usize>) -> bool {
    if children.len() > MOST_PIECES {
        return false;
    }
    let named = children.iter().filter(|child| given_name(art, **child).is_some());
    let of_children = named.map(|child| bones_in(&shapes_in(art, *child)));
    let bones: Vec<Vec<usize>> = of_children.filter(|bones| !bones.is_empty()).collect();
    let is_apart = |a: &Vec<usize>| bones.iter().any(|b| a.iter().all(|bone| !b.contains(bone)));
    bones.iter().any(is_apart)
}

fn is_group(art: &Drawing, id: ElementId) -> bool {
    art.element(id).is_some_and(|e| e.kind == ElementKind::Group)
}

/// The visible paths in an element.
fn shapes_in(art: &Drawing, id: ElementId) -> Vec<Shape> {
    // A path has no paths in it. This is faster for drawings with many paths.
    let paths = if art.outline(id).is_some() { vec![id] } else { art.paths_in(id) };
    let outlines = paths.into_iter().filter_map(|path| art.outline(path));
    outlines.filter(|outline| outline.visible).map(|outline| Shape::of(&outline)).collect()
}

/// One element, or several in document order.
fn piece(art: &Drawing, ids: &[ElementId], outlines: &[DrawnOutline], single: bool) -> ArtPiece {
    let inside = |at: ElementId| {
        let mut up = std::iter::successors(Some(at), |at| art.element(*at)?.parent);
        up.any(|at| ids.binary_search(&at).is_ok())
    };
    let mut rigid_parts: Vec<RigidPart> = Vec::new();
    let mut bends = false;
    for at in art.ids().filter(|at| inside(*at)) {
        let Some(element) = art.element(at) else { continue };
        let is_stiff = match element.kind {
            ElementKind::Image | ElementKind::Text | ElementKind::Use => true,
            ElementKind::Path => art.outline(at).is_some_and(|outline| outline.has_markers),
            _ => false,
        };
        bends |= art.outline(at).is_some_and(|outline| !outline.has_markers);
        if is_stiff && element.state == ElementState::Drawn && !art.is_hidden(at) {
            let own = outlines.iter().filter(|outline| outline.element.is_some_and(|e| art.is_within(e, at)));
            rigid_parts.push(RigidPart {
                name: name(art, at),
                bounds: bounds(own.map(|outline| &outline.shape.path)),
            });
        }
    }
    let seen = outlines.iter().filter(|outline| outline.visible && outline.element.is_some_and(inside));
    let shapes: Vec<Shape> = seen.map(|outline| outline.shape.clone()).collect();
    let bounds = bounds(shapes.iter().map(|shape| &shape.path));
    let is_image = |id: &ElementId| art.element(*id).is_some_and(|e| e.kind == ElementKind::Image);
    let fills_page = |id: &ElementId| {
        is_background(art, *id) || is_image(id) && bounds.is_some_and(|bounds| covers_page(art, bounds))
    };
    ArtPiece {
        names: ids.iter().map(|id| name(art, *id)).collect(),
        bounds,
        bends,
        rigid_parts,
        shapes,
        background: !single && ids.iter().all(fills_page),
        all: false,
    }
}

/// The bounding box of paths; none without paths.
pub(super) fn bounds<'a>(paths: impl Iterator<Item = &'a BezPath>) -> Option<Rect> {
    let boxes = paths.map(kurbo::Shape::bounding_box).filter(|bounds| bounds.is_finite());
    boxes.reduce(|all, one| all.union(one))
}

/// One shape or picture that fills the canvas.
fn is_background(art: &Drawing, id: ElementId) -> bool {
    let lone = art.element(id).is_some_and(|e| e.kind == ElementKind::Path);
    let outline = art.outline(id).filter(|_| lone);
    outline.is_some_and(|outline| covers_page(art, outline.path.bounding_box()))
}

fn covers_page(art: &Drawing, bounds: Rect) -> bool {
    let canvas = art.canvas();
    let covered = bounds.intersect(canvas);
    covered.width().max(0.0) * covered.height().max(0.0) >= BACKGROUND * canvas.area()
}

/// The share of a line that lies on shapes.
pub(super) fn share_of(shapes: &[Shape], from: Point, to: Point) -> f64 {
    const SAMPLES: u32 = 16;
    let inside = (0..SAMPLES).filter(|sample| {
        let at = from.lerp(to, (f64::from(*sample) + 0.5) / f64::from(SAMPLES));
        shapes.iter().any(|shape| shape.covers(at))
    });
    inside.count() as f64 / f64::from(SAMPLES)
}

/// One line for each visible element: its name, its kind, and its possible bindings.
pub(super) fn list(art: &Drawing, guides: Option<ElementId>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = 0_usize;
    for id in art.ids() {
        let Some(element) = art.element(id) else { continue };
        if element.state != ElementState::Drawn || guides.is_some_and(|g| art.is_within(id, g)) {
            continue;
        }
        if element.kind == ElementKind::Other {
            continue;
        }
        if lines.len() == LISTED {
            left += 1;
            continue;
        }
        let depth = std::iter::successors(element.parent, |at| art.element(*at)?.parent).take(12).count();
        let what = match element.kind {
            ElementKind::Group => {
                let paths = art.paths_in(id).len();
                let bends = if paths > 0 { "Rigid, Smooth" } else { "Rigid" };
                (format!("group, {paths} path{}", if paths == 1 { "" } else { "s" }), bends)
            }
            ElementKind::Path => match art.outline(id) {
                Some(outline) => {
                    let lines = BLine::from_path(&outline.path);
                    let vertices: usize = lines.iter().map(|line| line.vertices().len()).sum();
                    (format!("path, {vertices} vertices"), "Rigid, Smooth, Explicit")
                }
                None => ("path".to_owned(), "Rigid"),
            },
            ElementKind::Image => ("image".to_owned(), "Rigid"),
            ElementKind::Text => ("text".to_owned(), "Rigid"),
            ElementKind::Use => ("clone".to_owned(), "Rigid"),
            _ => continue,
        };
        let indent = "  ".repeat(depth);
        let hidden = if art.is_hidden(id) { "hidden " } else { "" };
        let shown = format!("{indent}{}", bone_format::write::quoted(&shorter(&name(art, id))));
        lines.push(format!("  {shown:<30} {:<22} {}", format!("{hidden}{}", what.0), what.1));
    }
    if left > 0 {
        lines.push(format!("  and {left} more"));
    }
    lines
}

/// At most sixty characters of a name.
fn shorter(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
