//! Lines of the drawing that bones follow. They often stand on a layer that is switched off, and are read
//! with it switched on; what is drawn comes from another reading, in which the layer stays hidden.

use render::{Art, ElementId, ElementState, FindError, Hidden, Resources, Showable};

use crate::doc::RigDoc;

/// The lines of bones that the drawing hides.
pub(crate) fn hidden(doc: &RigDoc, art: &Art) -> Vec<ElementId> {
    let lines = doc.bones.iter().filter_map(|bone| bone.line.as_ref());
    let found = lines.filter_map(|line| match art.find(&line.value) {
        // What a class hides seems to have nothing to draw.
        Err(FindError::NotDrawn { element, reason: Hidden::SwitchedOff | Hidden::Empty, .. }) => {
            Some(element)
        }
        _ => None,
    });
    let mut hidden: Vec<ElementId> = found.collect();
    hidden.sort_unstable();
    hidden.dedup();
    hidden
}

/// The drawing with some elements and what hides them switched on; none if it cannot be read so.
pub(crate) fn shown(svg: &str, resources: &Resources, art: &Art, elements: &[ElementId]) -> Option<Art> {
    let showable = Showable { elements: names(art, elements), ..Showable::default() };
    Art::read_showing(svg, resources, &showable).ok().map(|(art, _)| art)
}

/// Addresses of elements and of everything around them that is switched off.
pub(crate) fn names(art: &Art, elements: &[ElementId]) -> Vec<String> {
    let parent = |id: &ElementId| art.element(*id)?.parent;
    let mut all: Vec<ElementId> =
        elements.iter().flat_map(|id| std::iter::successors(Some(*id), parent)).collect();
    all.sort_unstable();
    all.dedup();
    let is_off = |id: &ElementId| {
        let state = art.element(*id).map(|element| &element.state);
        matches!(state, Some(ElementState::NotDrawn(Hidden::SwitchedOff | Hidden::Empty)))
    };
    all.into_iter().filter(is_off).map(|id| art.address(id)).collect()
}
