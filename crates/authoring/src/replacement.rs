//! Another drawing for a rig: which of its art is the art that the rig names.

use std::collections::BTreeSet;

use bone_drawing::{Drawing, ElementId};
use bone_format::session::{DocPath, Edit, Named, Session, names_in};
use kurbo::{Affine, Rect, Shape};

use crate::error::AuthoringError;

/// Boxes that overlap by less of their union are those of other art.
const ALIKE: f64 = 0.5;

/// The art that a rig names, as another drawing has it: by its name, or else what lies most nearly where it lay, in
/// proportion to the canvas; none if nothing is there.
pub fn match_art(session: &Session, new: &Drawing) -> Vec<(String, Option<String>)> {
    let named = session.files().iter().flat_map(|file| names_in(file.text()));
    let named: BTreeSet<String> =
        named.filter(|name| name.of == Named::Art).map(|name| name.name.to_string()).collect();
    let (old, whole) = (session.drawing(), unit(new));
    let kept: BTreeSet<ElementId> = named.iter().filter_map(|name| new.find(name).ok()).collect();
    let drawn = new.ids().filter(|id| new.element(*id).is_some_and(bone_drawing::Element::is_drawn));
    let mut free: Vec<(ElementId, Rect)> = drawn
        .filter(|id| !kept.contains(id))
        .filter_map(|id| Some((id, whole.transform_rect_bbox(extent(new, id)?))))
        .collect();
    let matched = named.into_iter().map(|from| {
        if new.find(&from).is_ok() {
            return (from.clone(), Some(from));
        }
        let place = old.as_ref().and_then(|old| {
            let id = old.find(&from).ok()?;
            Some((old.element(id)?.kind, unit(old).transform_rect_bbox(extent(old, id)?)))
        });
        let best = place.and_then(|(kind, place)| {
            let same = free
                .iter()
                .enumerate()
                .filter(|(_, (id, _))| new.element(*id).is_some_and(|it| it.kind == kind));
            let alike = same
                .map(|(at, (_, other))| (overlap(place, *other), at))
                .filter(|(share, _)| *share >= ALIKE);
            alike.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        });
        (from, best.map(|(_, at)| new.address(free.remove(at).0)))
    });
    matched.collect()
}

/// The edits that give a rig another drawing, with other names of its art.
///
/// # Errors
/// If a name stands for two pieces of art then.
pub fn set_drawing<'n>(
    drawing: &str,
    names: impl Iterator<Item = (&'n str, &'n str)>,
) -> Result<Vec<Edit>, AuthoringError> {
    let mut taken = BTreeSet::new();
    let mut edits = Vec::new();
    for (from, to) in names {
        if !taken.insert(to) {
            return Err(AuthoringError::Request(format!("two pieces of art would be called \"{to}\"")));
        }
        if from != to {
            edits.push(Edit::Rename {
                of: Named::Art,
                from: from.to_owned(),
                to: to.to_owned(),
                within: None,
            });
        }
    }
    edits.push(Edit::set(DocPath::from(["drawing"]), drawing));
    Ok(edits)
}

/// The canvas as the square from 0 to 1.
fn unit(drawing: &Drawing) -> Affine {
    let canvas = drawing.canvas();
    let (width, height) = (canvas.width().max(1e-9), canvas.height().max(1e-9));
    Affine::scale_non_uniform(1.0 / width, 1.0 / height) * Affine::translate(-canvas.origin().to_vec2())
}

/// The box of all outlines of an element.
fn extent(drawing: &Drawing, id: ElementId) -> Option<Rect> {
    let outlines = drawing.paths_in(id).into_iter().filter_map(|path| drawing.outline(path));
    outlines.map(|outline| outline.path.bounding_box()).reduce(|a, b| a.union(b))
}

/// The share of the union of two boxes that is in both.
fn overlap(a: Rect, b: Rect) -> f64 {
    let both = a.intersect(b).area().max(0.0);
    let all = a.area() + b.area() - both;
    if all > 0.0 { both / all } else { 0.0 }
}
