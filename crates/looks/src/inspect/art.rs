//! The elements of the drawing, their names and vertices, and the bones that move them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_drawing::{Drawing as Art, Element, ElementId, ElementKind, ElementState, Frame};
use bone_skin::BLine;
use kurbo::{BezPath, Rect, Shape};

use super::PaintSummary;
use bone_format::doc::{BindingDoc, ExplicitDoc, Method, RigDoc, SkinBlend};
use bone_rig::Rig;

/// An element of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectedArt {
    /// Its id in the drawing.
    pub element: ElementId,
    /// The index of the element around it in [`Inspection::art`](super::Inspection::art); none directly below
    /// the root.
    pub parent: Option<usize>,
    /// How many elements are around it.
    pub depth: usize,
    /// The id that its author gave it.
    pub id: Option<Arc<str>>,
    /// Its id in posed drawings.
    pub key: Arc<str>,
    /// Its label.
    pub label: Option<Arc<str>>,
    /// Its shortest name or address in a rig.
    pub address: String,
    /// Its tag.
    pub tag: String,
    /// Its kind.
    pub kind: ElementKind,
    /// Whether it is drawn.
    pub state: ArtState,
    /// Whether it is a definition or part of one: it is not painted in its own place.
    pub definition: bool,
    /// The paint of its fill, if it is a path.
    pub fill: Option<PaintSummary>,
    /// The paint of its stroke, if it is a path.
    pub stroke: Option<PaintSummary>,
    /// The number of places of its ink and its greatest width, if it is a path with ink.
    pub ink: Option<(usize, f64)>,
    /// The bounding box of its outlines and images on the canvas at rest, without strokes; none if it has
    /// none.
    pub bounds: Option<Rect>,
    /// The number of vertices of each outline. Rigs number the vertices of all its outlines together. Empty
    /// without outlines.
    pub vertices: Vec<usize>,
    /// Whether the rig names it in a binding.
    pub bound: bool,
    /// What it follows; none if it does not move.
    pub follows: Option<Follows>,
}

/// Whether an element is part of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtState {
    /// It is drawn.
    Drawn,
    /// It is hidden in the drawing, and a clip or driver can show it.
    Hidden,
    /// It is a clip path or a mask.
    ClipOrMask,
    /// It is not drawn, with the reason.
    NotDrawn(String),
}

/// What moves an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Follows {
    /// The element that the binding names: itself or one around it. None if it has only offsets.
    pub by: Option<ElementId>,
    /// The kind of binding.
    pub how: Binding,
    /// The names of the bones that it can follow.
    pub bones: Vec<String>,
}

/// How art follows bones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binding {
    /// It moves rigidly with one bone.
    Rigid,
    /// It is deformed by automatic weights.
    Smooth(Method, SkinBlend),
    /// It is deformed by typed weights.
    Explicit(SkinBlend),
    /// Pins hold it.
    Puppet,
    /// Only its offsets move it, in addition to the bone that it follows.
    Offsets,
}

/// The bindings of a rig, by element.
pub(super) struct ArtBindings<'a> {
    named: BTreeMap<ElementId, &'a BindingDoc>,
    posed: Vec<ElementId>,
    rigid: BTreeMap<ElementId, String>,
    blend: SkinBlend,
    all: Vec<String>,
}

impl<'a> ArtBindings<'a> {
    pub(super) fn new(rig: &Rig, doc: &'a RigDoc) -> Self {
        let art = rig.art();
        let names = doc.skin.iter().flat_map(|it| it.names().iter().map(move |name| (it, name)));
        let named = names.filter_map(|(binding, name)| Some((art.find(&name.value).ok()?, binding)));
        let mut posed = rig.posed_elements().to_vec();
        posed.sort_unstable();
        posed.dedup();
        let skeleton = rig.skeleton();
        let name = |bone| skeleton.name(bone).to_owned();
        Self {
            named: named.collect(),
            posed,
            rigid: rig.rigid_elements().map(|(element, bone)| (element, name(bone))).collect(),
            blend: doc.follow.blend.map(|blend| blend.value).unwrap_or_default(),
            all: skeleton.bones().map(name).collect(),
        }
    }

    /// What moves an element: the nearest binding up the tree that applies to it.
    fn follows(&self, art: &Art, id: ElementId) -> Option<Follows> {
        let up = || std::iter::successors(Some(id), |at| art.element(*at)?.parent);
        if self.posed.binary_search(&id).is_ok() {
            let bends = up().find_map(|at| Some((at, self.bends(at)?)));
            return match bends {
                Some((by, (how, bones))) => Some(Follows { by: Some(by), how, bones }),
                None => {
                    let carrier = up().find_map(|at| self.rigid.get(&at)).cloned();
                    Some(Follows { by: None, how: Binding::Offsets, bones: carrier.into_iter().collect() })
                }
            };
        }
        let rigid = |at| {
            Some(Follows { by: Some(at), how: Binding::Rigid, bones: vec![self.rigid.get(&at)?.clone()] })
        };
        let is = |kind| art.element(id).is_some_and(|element| element.kind == kind);
        let (group, image) = (is(ElementKind::Group), is(ElementKind::Image));
        up().find_map(|at| {
            let bends = || {
                // An image follows weights as a whole.
                let follows =
                    |how: &Binding| at == id && group || image && matches!(how, Binding::Smooth(..));
                let (how, bones) = self.bends(at).filter(|(how, _)| follows(how))?;
                Some(Follows { by: Some(at), how, bones })
            };
            rigid(at).or_else(bends)
        })
    }

    /// How the element of a binding is deformed, and by which bones.
    fn bends(&self, id: ElementId) -> Option<(Binding, Vec<String>)> {
        match *self.named.get(&id)? {
            BindingDoc::Rigid(rigid) => {
                // Clip paths are posed point by point even if they follow one bone.
                (!self.rigid.contains_key(&id)).then(|| (Binding::Rigid, vec![rigid.bone.value.clone()]))
            }
            BindingDoc::Smooth(smooth) => {
                let method = smooth.method.map(|method| method.value).unwrap_or_default();
                let blend = smooth.follow.blend.map_or(self.blend, |blend| blend.value);
                let bones = smooth.bones.as_ref().map_or_else(
                    || self.all.clone(),
                    |bones| bones.value.iter().map(|bone| bone.value.clone()).collect(),
                );
                Some((Binding::Smooth(method, blend), bones))
            }
            BindingDoc::Puppet(puppet) => {
                let pins = puppet.pins.value.iter().map(|pin| pin.value.clone()).collect();
                Some((Binding::Puppet, pins))
            }
            BindingDoc::Explicit(explicit) => {
                let blend = explicit.follow.blend.map_or(self.blend, |blend| blend.value);
                Some((Binding::Explicit(blend), self.weighted(explicit)))
            }
        }
    }

    /// The bones that typed weights name, in the order of the skeleton.
    fn weighted(&self, explicit: &ExplicitDoc) -> Vec<String> {
        let rows = explicit.weights.iter().map(|row| &row.weights).chain(&explicit.others);
        let names: std::collections::BTreeSet<&str> =
            rows.flat_map(|row| &row.list).map(|(bone, _)| bone.value.as_str()).collect();
        self.all.iter().filter(|name| names.contains(name.as_str())).cloned().collect()
    }
}

/// All elements that an artist looks for: visible and hidden art, clip paths and masks; not other
/// definitions.
pub(super) fn elements(rig: &Rig, bindings: &ArtBindings<'_>) -> Vec<InspectedArt> {
    let art = rig.art();
    let bounds = bounds(art);
    let mut definitions = vec![false; art.elements().len()];
    let mut places: BTreeMap<ElementId, usize> = BTreeMap::new();
    let mut list: Vec<InspectedArt> = Vec::new();
    for id in art.ids() {
        let Some(element) = art.element(id) else { continue };
        let in_definition = element.parent.is_some_and(|parent| definitions[parent.index()]);
        definitions[id.index()] = in_definition || element.kind == ElementKind::Other;
        if element.kind == ElementKind::Other && element.state != ElementState::ClipOrMask {
            continue;
        }
        let parent = element.parent.and_then(|parent| places.get(&parent).copied());
        let ink = rig.posable().inks().iter().find(|ink| ink.path == id);
        places.insert(id, list.len());
        list.push(InspectedArt {
            element: id,
            parent,
            depth: parent.map_or(0, |parent| list[parent].depth + 1),
            id: element.id.clone(),
            key: element.key.clone(),
            label: element.label.clone(),
            address: art.address(id),
            tag: element.tag.clone().into_owned(),
            kind: element.kind,
            state: state(art, id, element),
            definition: definitions[id.index()],
            fill: art.outline(id).and_then(|outline| Some(PaintSummary::of(art, outline.fill?))),
            ink: ink.map(|ink| (ink.profile.places.len(), ink.profile.widest())),
            stroke: art.outline(id).and_then(|outline| Some(PaintSummary::of(art, outline.stroke?))),
            bounds: bounds[id.index()],
            vertices: vertices(art, id),
            bound: bindings.named.contains_key(&id),
            follows: bindings.follows(art, id),
        });
    }
    list
}

/// The bounding box of each element on the canvas: of its outlines and images, and of all its children.
pub(crate) fn bounds(art: &Art) -> Vec<Option<Rect>> {
    let mut bounds: Vec<Option<Rect>> = art.ids().map(|id| own_bounds(art, id)).collect();
    let mut add = |id: ElementId, own: Rect| {
        let all = &mut bounds[id.index()];
        *all = Some(all.map_or(own, |all| all.union(own)));
    };
    let at_rest = Frame::default();
    for piece in art.painted(&at_rest) {
        let own = art.bounds(&at_rest, &piece).filter(Rect::is_finite);
        art.element_around(piece.node).zip(own).into_iter().for_each(|(id, own)| add(id, own));
    }
    // Children come after their parents.
    let ids: Vec<ElementId> = art.ids().collect();
    for (id, element) in ids.into_iter().zip(art.elements()).rev() {
        if let (Some(parent), Some(own)) = (element.parent, bounds[id.index()]) {
            let all = &mut bounds[parent.index()];
            *all = Some(all.map_or(own, |all| all.union(own)));
        }
    }
    bounds
}

/// The bounding box of an image, or of a path in a clip path or mask.
fn own_bounds(art: &Art, id: ElementId) -> Option<Rect> {
    let element = art.element(id)?;
    if element.state == ElementState::ClipOrMask && element.kind == ElementKind::Path {
        let stencils = art.stencils_of(id).into_iter();
        return stencils.map(|stencil| stencil.outline.path.bounding_box()).reduce(|all, one| all.union(one));
    }
    art.image_box(id)
}

fn state(art: &Art, id: ElementId, element: &Element) -> ArtState {
    match &element.state {
        ElementState::Drawn if art.is_hidden(id) => ArtState::Hidden,
        ElementState::Drawn => ArtState::Drawn,
        ElementState::ClipOrMask => ArtState::ClipOrMask,
        ElementState::NotDrawn(why) => ArtState::NotDrawn(why.to_string()),
        _ => ArtState::NotDrawn(String::new()),
    }
}

fn vertices(art: &Art, id: ElementId) -> Vec<usize> {
    let of = |path: &BezPath| BLine::from_path(path).iter().map(|line| line.vertices().len()).collect();
    if let Some(outline) = art.outline(id) {
        return of(&outline.path);
    }
    let is_clip =
        art.element(id).is_some_and(|e| e.state == ElementState::ClipOrMask && e.kind == ElementKind::Path);
    let stencil = if is_clip { art.stencils_of(id).into_iter().next() } else { None };
    stencil.map_or_else(Vec::new, |stencil| of(&stencil.outline.path))
}
