//! The art of a drawing as an artist sees it: pieces that may follow bones, guide lines, a background, and a list of all
//! there is with what can be bound.

use kurbo::{BezPath, Point, Rect, Shape};
use render::{Art, ElementId, ElementKind, ElementState};
use skin::BLine;

/// Names of the group whose lines are bones, in any case.
const GUIDES: [&str; 2] = ["bones", "skeleton"];
/// So many lines of the list are written.
const LISTED: usize = 80;
/// Layers within layers are opened so many times.
const LAYERS: usize = 16;
/// More pieces than this are not bound one by one.
const MOST_PIECES: usize = 300;
/// What covers this share of the canvas lies behind the rest.
const BACKGROUND: f64 = 0.9;

/// A piece of art that is bound as a whole.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// By which a rig can mean it; none if it has none.
    pub(super) name: Option<String>,
    /// Around its paths; none if it has none.
    pub(super) bounds: Option<Rect>,
    /// Its paths on the canvas.
    pub(super) outlines: Vec<BezPath>,
    /// Whether nothing but paths that can bend is in it.
    pub(super) bends: bool,
    pub(super) background: bool,
}

/// The group of guide lines, hidden or not.
pub(super) fn guides(art: &Art) -> Option<ElementId> {
    let called = |name: &Option<String>| {
        name.as_ref().is_some_and(|name| GUIDES.iter().any(|guide| name.trim().eq_ignore_ascii_case(guide)))
    };
    art.ids().find(|id| {
        art.element(*id).is_some_and(|e| e.kind == ElementKind::Group && (called(&e.id) || called(&e.label)))
    })
}

/// A name that leads to this element and no other.
pub(super) fn name(art: &Art, id: ElementId) -> Option<String> {
    let element = art.element(id)?;
    let given = [element.label.clone(), element.id.clone()];
    let mut names = given.into_iter().flatten().chain([art.address(id)]);
    names.find(|name| !name.trim().is_empty() && art.find(name) == Ok(id))
}

/// A name that a person gave; drawing programs number the rest.
pub(super) fn given_name(art: &Art, id: ElementId) -> Option<String> {
    let element = art.element(id)?;
    let by_a_program = |name: &str| {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-_ .".contains(c));
        let made = ["path", "line", "polyline", "vector", "rect", "curve", "g", "svg", "xmlid", "art"];
        letters.is_empty() || letters.len() < name.len() && made.contains(&letters.to_lowercase().as_str())
    };
    let names = [&element.label, &element.id].into_iter().flatten();
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty() && !by_a_program(name))
}

/// The pieces of a drawing: what is drawn at the top, with layers and a lone group opened; and how many more there are.
pub(super) fn pieces(art: &Art, svg: &str, guides: Option<ElementId>) -> (Vec<Piece>, usize) {
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
    let is_group = |id: ElementId| art.element(id).is_some_and(|e| e.kind == ElementKind::Group);
    let mut more = 0;
    for _ in 0..LAYERS {
        more += list.len().saturating_sub(MOST_PIECES);
        list.truncate(MOST_PIECES);
        let pieces: Vec<bool> = list.iter().map(|id| !is_background(art, *id)).collect();
        let alone = pieces.iter().filter(|piece| **piece).count() == 1;
        let open = |(id, piece): (&ElementId, &bool)| {
            let opened = is_group(*id) && (is_layer(*id) || alone && *piece);
            let children: Vec<ElementId> = art.children(*id).filter(drawn).take(MOST_PIECES + 1).collect();
            if children.len() > MOST_PIECES {
                return false;
            }
            // Shapes that nobody named are one piece.
            let has_name = |child: ElementId| {
                art.element(child).is_some_and(|element| element.id.is_some() || element.label.is_some())
            };
            let named = children.iter().all(|child| is_background(art, *child) || has_name(*child));
            opened && !children.is_empty() && (named || is_layer(*id))
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
    more += list.len().saturating_sub(MOST_PIECES);
    (list.into_iter().take(MOST_PIECES).map(|id| piece(art, id, single)).collect(), more)
}

fn piece(art: &Art, id: ElementId, single: bool) -> Piece {
    let paths: Vec<_> = art.paths_in(id).into_iter().filter_map(|path| art.outline(path)).collect();
    let outlines: Vec<BezPath> =
        paths.iter().filter(|outline| outline.visible).map(|outline| outline.path.clone()).collect();
    let other = |at: &ElementId| {
        let is_other = art.element(*at).is_some_and(|e| {
            e.state == ElementState::Drawn
                && matches!(e.kind, ElementKind::Image | ElementKind::Text | ElementKind::Use)
        });
        is_other && art.is_within(*at, id)
    };
    Piece {
        name: name(art, id),
        bounds: bounds(outlines.iter()),
        bends: !paths.is_empty()
            && !paths.iter().any(|path| path.has_markers)
            && !art.ids().any(|at| other(&at)),
        outlines,
        background: !single && is_background(art, id),
    }
}

/// Around paths; none without any.
pub(super) fn bounds<'a>(paths: impl Iterator<Item = &'a BezPath>) -> Option<Rect> {
    let boxes = paths.map(Shape::bounding_box).filter(|bounds| bounds.is_finite());
    boxes.reduce(|all, one| all.union(one))
}

/// One shape or picture that fills the canvas.
fn is_background(art: &Art, id: ElementId) -> bool {
    let canvas = art.canvas();
    let lone = art.element(id).is_some_and(|e| e.kind == ElementKind::Path);
    let outline = art.outline(id).filter(|_| lone);
    outline.is_some_and(|outline| {
        let covered = outline.path.bounding_box().intersect(canvas);
        covered.width().max(0.0) * covered.height().max(0.0) >= BACKGROUND * canvas.area()
    })
}

impl Piece {
    /// Which share of a line lies in the art.
    pub(super) fn share_of(&self, from: Point, to: Point) -> f64 {
        const SAMPLES: u32 = 16;
        let Some(bounds) = self.bounds else { return 0.0 };
        let inside = (0..SAMPLES).filter(|sample| {
            let at = from.lerp(to, (f64::from(*sample) + 0.5) / f64::from(SAMPLES));
            bounds.contains(at) && self.outlines.iter().any(|path| path.winding(at) != 0)
        });
        inside.count() as f64 / f64::from(SAMPLES)
    }

    /// How far a line is from the middle of the art.
    pub(super) fn distance(&self, from: Point, to: Point) -> f64 {
        use kurbo::ParamCurveNearest;
        let Some(bounds) = self.bounds else { return f64::INFINITY };
        let middle = kurbo::Line::new(from, to).nearest(bounds.center(), 1e-6);
        middle.distance_sq.sqrt()
    }
}

/// Everything that is drawn, a line each: its name, what it is, how it can be bound.
pub(super) fn list(art: &Art, guides: Option<ElementId>) -> Vec<String> {
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
        match name(art, id) {
            Some(name) => {
                let shown = format!("{indent}{}", crate::write::quoted(&shorter(&name)));
                lines.push(format!("  {shown:<30} {:<22} {}", format!("{hidden}{}", what.0), what.1));
            }
            None => {
                let called = element.label.as_ref().or(element.id.as_ref());
                let why = match called {
                    Some(name) => format!("called {} like others", crate::write::quoted(&shorter(name))),
                    None => "without a name".to_owned(),
                };
                lines.push(format!("  {:<30} {hidden}{}", format!("{indent}({why})"), what.0));
            }
        }
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
