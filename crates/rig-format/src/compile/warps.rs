//! Compiles lattices and forms: which paths are on which lattice, and what of it forms move.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::Skeleton;
use bone_drawing::{ElementId, ElementKind, Leaf, LeafKind, PosedArt};
use bone_skin::{FormAxis, FormGrid, Lattice, OffsetSpace, PathId, WarpForm, Warps};
use kurbo::{Rect, Shape, Vec2};

use super::bind::posed_lines;
use super::bindings::Bindings;
use super::pass::Pass;
use super::path_warp::{PathWarp, PlannedWarps};
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{ArtOffsetsDoc, Channel, FormDoc, Key, OffsetDoc, WarpDoc};
use crate::span::Span;

impl<'a> Pass<'a> {
    /// Finds the art of all warps, their boxes, and what forms move of them.
    pub(super) fn plan_warps(&mut self) {
        let doc = self.doc;
        let mut planned = PlannedWarps::default();
        let mut first: BTreeMap<ElementId, Span> = BTreeMap::new();
        for (at, warp) in doc.warps.iter().enumerate() {
            for name in &warp.art.names {
                let Some(element) = self.find(name) else { continue };
                planned.named.insert(element, at);
                if let Some(first) = first.insert(element, name.span) {
                    let message = format!("art \"{}\" is on two lattices", name.value);
                    let place = self.doc.place(first);
                    let error = Diagnostic::error("duplicate", message).related(place, "first here");
                    let help = "a lattice can move another one: write `inside`";
                    self.report(name.span, error.help(help));
                }
            }
        }
        for warp in &doc.warps {
            let Some(lattice) = self.lattice(warp) else { return };
            planned.lattices.push(lattice);
        }
        let place = |name: &str| doc.warps.iter().position(|warp| warp.name.value == name);
        for (_, form) in doc.forms.iter().flat_map(|forms| &forms.at) {
            let moved = form.warps.iter().filter_map(|(name, nodes)| {
                let at = place(&name.value)?;
                let given: Vec<([i32; 2], Vec2)> =
                    nodes.iter().filter_map(|(place, by)| Some((place.value.node()?, *by))).collect();
                Some((name, at as u32, planned.lattices[at].filled(&given)))
            });
            let moved: Vec<_> = moved.collect();
            for (name, at, moves) in &moved {
                let Some([column, row]) = planned.lattices[*at as usize].inside_out(moves) else { continue };
                let message = format!(
                    "this form turns the cell ({column}, {row}) of warp \"{}\" inside out",
                    name.value
                );
                let help = "move the nodes around it less far: what is drawn there is mirrored";
                self.report(name.span, Diagnostic::warning("inside-out", message).help(help));
            }
            planned.forms.push(moved.into_iter().map(|(_, at, moves)| (at, moves)).collect());
        }
        planned.bends = (0..planned.lattices.len()).map(|at| planned.bend(at)).collect();
        self.warps = planned;
    }

    /// The lattice of a warp; none after saying why there is none, which the check of the document may have done.
    fn lattice(&mut self, warp: &WarpDoc) -> Option<Lattice> {
        let corners = warp.corners.as_ref().map(|corners| corners.value.as_slice());
        let area = match corners {
            Some([a, b]) => Some(Rect::from_points(a.value, b.value)),
            Some(_) => None,
            None => self.box_of(warp),
        };
        let inside = warp.inside.as_ref();
        let place = |name: &str| self.doc.warps.iter().position(|warp| warp.name.value == name);
        let inside = inside.and_then(|inside| place(&inside.value)).map(|at| at as u32);
        let lattice = area.and_then(|area| Lattice::new(area, warp.lattice_cells(), inside));
        if lattice.is_none() && !self.diagnostics.has_errors() {
            let message = format!("the art of warp \"{}\" has no box", warp.name.value);
            let help = "write box: [(120, 60), (320, 260)], two corners on the canvas";
            self.error(warp.art.span, message, help);
        }
        lattice
    }

    /// The box of the outlines of its art.
    fn box_of(&self, warp: &WarpDoc) -> Option<Rect> {
        let named: Vec<ElementId> =
            warp.art.names.iter().filter_map(|name| self.art.find(&name.value).ok()).collect();
        let ours = |leaf: &&Leaf| named.iter().any(|named| self.art.is_within(leaf.owner, *named));
        let leaves = self.art_index.leaves().iter().filter(ours);
        let boxes = leaves.filter_map(|leaf| Some(self.art.part_outline(leaf.node)?.path.bounding_box()));
        boxes.reduce(|all, one| all.union(one))
    }

    /// The lattice that an element is on, by the nearest warp that names it or what it is in.
    fn lattice_around(&self, element: ElementId) -> Option<usize> {
        if self.warps.named.is_empty() {
            return None;
        }
        self.art.up(element).find_map(|at| self.warps.named.get(&at)).copied()
    }

    /// The lattice that posed art is on. A clip path or mask is on that of what it cuts.
    fn lattice_of(&self, art: &PosedArt) -> Option<usize> {
        match art {
            PosedArt::Stencil(stencil) => self.lattice_around(stencil.clipped?),
            PosedArt::Path(_) | PosedArt::Part(..) => self.lattice_around(art.element()),
        }
    }

    /// How lattices bend posed art; none if they do not.
    pub(super) fn warp_of(&self, art: &PosedArt) -> Option<Arc<PathWarp>> {
        self.warps.bends.get(self.lattice_of(art)?)?.clone()
    }

    /// The words of each binding, with those of the lattices that its art may be on.
    pub(super) fn words_with_warps(&self, each: Arc<[Arc<[u64]>]>) -> Arc<[Arc<[u64]>]> {
        let PlannedWarps { named, bends, .. } = &self.warps;
        if bends.iter().all(Option::is_none) {
            return each;
        }
        let with_warps = |(own, elements): (&Arc<[u64]>, &Vec<Option<ElementId>>)| {
            let mut all = own.to_vec();
            for (element, at) in named {
                let meets =
                    |id: ElementId| self.art.is_within(*element, id) || self.art.is_within(id, *element);
                if let Some(Some(bend)) = bends.get(*at)
                    && elements.iter().flatten().any(|id| meets(*id))
                {
                    all.extend(&bend.words);
                }
            }
            if all.len() == own.len() { Arc::clone(own) } else { all.into() }
        };
        each.iter().zip(self.art_index.bound()).map(with_warps).collect()
    }

    /// Poses all paths on lattices that move, and puts lattices and forms together.
    pub(super) fn warps(&mut self, skeleton: Option<&Skeleton>, bindings: &mut Bindings) -> Warps {
        let doc = self.doc;
        if doc.warps.is_empty() && doc.forms.is_empty() {
            return Warps::default();
        }
        self.pose_on_lattices(skeleton, bindings);
        self.images_on_lattices();
        let sliders = self.slider_places();
        let mut forms = Vec::new();
        let mut grids = Vec::new();
        let mut planned = std::mem::take(&mut self.warps.forms).into_iter();
        for entry in &doc.forms {
            let first = forms.len() as u32;
            for (_, form) in &entry.at {
                let offsets =
                    self.offsets(&offsets_of(form), (None, OffsetSpace::Vertex), skeleton, bindings);
                forms.push(WarpForm { moves: planned.next().unwrap_or_default(), offsets });
            }
            let by = entry.by.value.iter().map(|name| sliders.get(name.value.as_str()).copied());
            let Some(by) = by.collect::<Option<Vec<usize>>>() else { continue };
            let rests: Vec<f64> = by.iter().map(|at| doc.sliders[*at].rest()).collect();
            let Some(grid) = entry.places(&rests) else { continue };
            let axes = by.into_iter().zip(grid.axes);
            let axes = axes.map(|(parameter, places)| FormAxis { parameter, places }).collect();
            let cells = grid.cells.into_iter();
            let cells = cells.map(|cell| cell.into_iter().map(|form| form + first).collect()).collect();
            grids.extend(FormGrid::new(axes, cells));
        }
        let mut paths = Vec::new();
        for (at, art) in bindings.posed.iter().enumerate() {
            let lattice =
                self.lattice_of(art).filter(|at| self.warps.bends.get(*at).is_some_and(Option::is_some));
            paths.extend(lattice.map(|lattice| (PathId::new(at as u32), lattice as u32)));
        }
        let lattices = std::mem::take(&mut self.warps.lattices);
        let warps = Warps::new(lattices, paths, grids, forms);
        if warps.is_none() {
            self.fault(doc.span, "the forms of this rig");
        }
        warps.unwrap_or_default()
    }

    /// Poses what is on lattices and no binding bends: it follows the bone of the art around it.
    fn pose_on_lattices(&mut self, skeleton: Option<&Skeleton>, bindings: &mut Bindings) {
        let known: Vec<PosedArt> = bindings.posed.clone();
        let moves = |pass: &Self, art: &PosedArt| pass.warp_of(art).is_some() && !known.contains(art);
        let mut all = Vec::new();
        for leaf in self.art_index.leaves() {
            let art = match leaf.kind {
                LeafKind::Path => PosedArt::Path(leaf.owner),
                LeafKind::Part => PosedArt::Part(leaf.owner, leaf.node),
                LeafKind::Marker | LeafKind::Image => continue,
            };
            if moves(self, &art) {
                all.extend(self.art.part_outline(leaf.node).map(|outline| (art, outline)));
            }
        }
        for stencil in self.art.stencils(|element| self.lattice_around(element).is_some()) {
            let is_image = self.art.element(stencil.element).is_some_and(|it| it.kind == ElementKind::Image);
            let outline = stencil.outline.clone();
            let art = PosedArt::Stencil(stencil);
            if !is_image && moves(self, &art) {
                all.push((art, outline));
            }
        }
        for (art, outline) in all {
            self.pose_as_around(art, posed_lines(&outline), skeleton, bindings);
        }
    }

    /// Warns about images on lattices, which stay.
    fn images_on_lattices(&mut self) {
        let images = self.art_index.leaves().iter().filter(|leaf| leaf.kind == LeafKind::Image);
        let images: Vec<ElementId> =
            images.filter(|leaf| self.art.is_seen(leaf.node)).map(|leaf| leaf.owner).collect();
        for image in images {
            let Some(warp) = self.lattice_around(image).and_then(|at| self.doc.warps.get(at)) else {
                continue;
            };
            let name = self.art.shown_name(image);
            let message =
                format!("image \"{name}\" does not follow warp \"{}\": images cannot bend", warp.name.value);
            let warning = Diagnostic::warning("cannot-bend", message);
            let warning = match self.art.element(image) {
                Some(element) => {
                    warning.related(Place::new(self.drawing, Span::from_range(&element.source)), "it is here")
                }
                None => warning,
            };
            self.report(warp.art.span, warning);
        }
    }
}

/// The offsets of a form as those of a clip that holds them.
fn offsets_of(form: &FormDoc) -> Vec<ArtOffsetsDoc> {
    let held =
        |by: Vec2| OffsetDoc { channel: Channel::from_keys([Key::new(0.0, by)]), ..OffsetDoc::default() };
    let art = form.offsets.iter().map(|(art, vertices)| ArtOffsetsDoc {
        art: art.clone(),
        vertices: vertices.iter().map(|(vertex, by)| (*vertex, held(*by))).collect(),
    });
    art.collect()
}
