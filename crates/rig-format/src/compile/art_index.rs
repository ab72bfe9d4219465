//! Maps the names of bindings and clips to elements of the drawing. Each table is computed on first use.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bone_drawing::{Drawing, ElementId, ElementState, Leaf};

use crate::doc::{ArtWeightsDoc, BindingDoc, ExplicitDoc, RigDoc};
use crate::span::Spanned;

/// Tables over a document and its drawing.
pub(super) struct ArtIndex<'a> {
    doc: &'a RigDoc,
    art: &'a Drawing,
    leaves: OnceCell<Vec<Leaf>>,
    bound: OnceCell<Vec<Vec<Option<ElementId>>>>,
    named: OnceCell<Arc<[ElementId]>>,
    only_paths: OnceCell<Vec<Option<ElementId>>>,
    bindings: OnceCell<LastBindings>,
    keyed: OnceCell<BTreeMap<ElementId, Vec<&'a ArtWeightsDoc>>>,
    shapes: OnceCell<BTreeMap<ElementId, Vec<ElementId>>>,
    uses: OnceCell<BTreeMap<&'a str, usize>>,
}

/// The last binding of each kind, by its place in the document.
#[derive(Default)]
struct LastBindings {
    /// `Explicit` bindings, by their path.
    typed: BTreeMap<ElementId, usize>,
    /// Bindings of other kinds, by their element.
    others: BTreeMap<ElementId, usize>,
}

impl<'a> ArtIndex<'a> {
    pub(super) fn new(doc: &'a RigDoc, art: &'a Drawing) -> Self {
        Self {
            doc,
            art,
            leaves: OnceCell::new(),
            bound: OnceCell::new(),
            named: OnceCell::new(),
            only_paths: OnceCell::new(),
            bindings: OnceCell::new(),
            keyed: OnceCell::new(),
            shapes: OnceCell::new(),
            uses: OnceCell::new(),
        }
    }

    /// The shapes and images of the drawing.
    pub(super) fn leaves(&self) -> &[Leaf] {
        self.leaves.get_or_init(|| self.art.leaves())
    }

    /// The elements of each binding, one a name, in the order of the document.
    pub(super) fn bound(&self) -> &[Vec<Option<ElementId>>] {
        let find = |name: &Spanned<String>| self.art.find(&name.value).ok();
        let all = |binding: &BindingDoc| binding.names().iter().map(find).collect();
        self.bound.get_or_init(|| self.doc.skin.iter().map(all).collect())
    }

    /// Everything that a binding names, sorted.
    pub(super) fn named(&self) -> &[ElementId] {
        self.named.get_or_init(|| {
            let mut named: Vec<ElementId> = self.bound().iter().flatten().flatten().copied().collect();
            named.sort_unstable();
            named.into()
        })
    }

    /// The same bindings of the same drawing name these elements.
    pub(super) fn set_named(&self, named: &Arc<[ElementId]>) {
        self.named.get_or_init(|| Arc::clone(named));
    }

    /// How often bindings name art so.
    pub(super) fn uses(&self, name: &str) -> usize {
        let uses = self.uses.get_or_init(|| {
            let mut uses = BTreeMap::new();
            for name in self.doc.skin.iter().flat_map(BindingDoc::names) {
                *uses.entry(name.value.as_str()).or_default() += 1;
            }
            uses
        });
        uses.get(name).copied().unwrap_or_default()
    }

    /// The element itself, or the only path in it.
    pub(super) fn only_path(&self, element: ElementId) -> Option<ElementId> {
        if self.art.element(element)?.state == ElementState::ClipOrMask {
            let stencils = self.art.stencils_of(element);
            let first = stencils.first()?.element;
            return stencils.iter().all(|stencil| stencil.element == first).then_some(first);
        }
        let only_paths = self.only_paths.get_or_init(|| self.find_only_paths());
        only_paths.get(element.index()).copied().flatten()
    }

    /// The only drawn path of each element; none where there are several.
    fn find_only_paths(&self) -> Vec<Option<ElementId>> {
        let ids: Vec<ElementId> = self.art.ids().collect();
        let mut found: Vec<(usize, Option<ElementId>)> = vec![(0, None); ids.len()];
        // Children come after what they are in.
        for id in ids.into_iter().rev() {
            if self.art.outline(id).is_some() {
                found[id.index()] = (found[id.index()].0 + 1, Some(id));
            }
            let (count, path) = found[id.index()];
            let Some(parent) = self.art.element(id).and_then(|element| element.parent) else { continue };
            let above = &mut found[parent.index()];
            *above = (above.0 + count, above.1.or(path));
        }
        found.into_iter().map(|(count, path)| path.filter(|_| count == 1)).collect()
    }

    fn bindings(&self) -> &LastBindings {
        self.bindings.get_or_init(|| {
            let mut last = LastBindings::default();
            let all = self.doc.skin.iter().zip(self.bound()).enumerate();
            let each = all.flat_map(|(place, (binding, found))| {
                found.iter().flatten().map(move |element| (place, binding, *element))
            });
            for (place, binding, element) in each {
                match binding {
                    BindingDoc::Explicit(_) => {
                        last.typed.extend(self.only_path(element).map(|path| (path, place)));
                    }
                    BindingDoc::Rigid(_) | BindingDoc::Smooth(_) | BindingDoc::Puppet(_) => {
                        last.others.insert(element, place);
                    }
                }
            }
            last
        })
    }

    /// The `Explicit` binding of a path.
    pub(super) fn typed(&self, path: ElementId) -> Option<&'a ExplicitDoc> {
        match self.doc.skin.get(*self.bindings().typed.get(&path)?)? {
            BindingDoc::Explicit(explicit) => Some(explicit),
            BindingDoc::Rigid(_) | BindingDoc::Smooth(_) | BindingDoc::Puppet(_) => None,
        }
    }

    /// The last binding of another kind that an element is in.
    pub(super) fn around(&self, element: ElementId) -> Option<&'a BindingDoc> {
        let way = std::iter::successors(Some(element), |at| self.art.element(*at)?.parent);
        let last = way.filter_map(|at| self.bindings().others.get(&at)).max()?;
        self.doc.skin.get(*last)
    }

    /// What clips key of the weights of a path, in the order of the clips.
    pub(super) fn keyed(&self, path: ElementId) -> &[&'a ArtWeightsDoc] {
        let keyed = self.keyed.get_or_init(|| {
            let mut keyed: BTreeMap<ElementId, Vec<&'a ArtWeightsDoc>> = BTreeMap::new();
            for art in self.doc.clips.iter().flat_map(|clip| &clip.weights) {
                let found = self.art.find(&art.art.value).ok();
                if let Some(path) = found.and_then(|element| self.only_path(element)) {
                    keyed.entry(path).or_default().push(art);
                }
            }
            keyed
        });
        keyed.get(&path).map_or(&[], Vec::as_slice)
    }

    /// The other shapes that a path takes, each once, in the order of the document.
    pub(super) fn shapes(&self, path: ElementId) -> &[ElementId] {
        let shapes = self.shapes.get_or_init(|| {
            let mut shapes: BTreeMap<ElementId, Vec<ElementId>> = BTreeMap::new();
            for (art, shape) in self.doc.shapes() {
                let find = |name: &str| self.only_path(self.art.find(name).ok()?);
                let Some((path, shape)) = find(&art).zip(find(&shape)) else { continue };
                let all = shapes.entry(path).or_default();
                if path != shape && !all.contains(&shape) {
                    all.push(shape);
                }
            }
            shapes
        });
        shapes.get(&path).map_or(&[], Vec::as_slice)
    }
}
