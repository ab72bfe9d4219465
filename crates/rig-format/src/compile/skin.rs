//! Compiles bindings: names become elements of the drawing, weights are collected vertex by vertex.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::Skeleton;
use bone_drawing::{
    ElementId, ElementKind, FindError, InkedStroke, MirroredFill, Moving, NotDrawnReason, Posable, PosedArt,
};
use bone_skin::{BLine, BindOptions, BoneWeights, Follow, PathId, SkinBlend, VertexWeights};

use super::art::DrawOrderBuilder;
use super::bind::{BindRequest, Bound, Requests, posed_lines};
use super::bindings::Bindings;
use super::compute::ComputeOptions;
use super::lints::bones_of;
use super::memory::{KeptBinding, KeptPaths, KeptPosable, Parts};
use super::pass::Pass;
use super::plan::{PLAIN, Plan, PlannedBinding, Step};
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{
    BindingDoc, ExplicitDoc, FollowDoc, PaintOptionsDoc, RigDoc, RigidDoc, VertexAddress, VertexPart,
    WeightsDoc,
};
use crate::span::{Span, Spanned};

/// How many names or numbers a message lists.
const LISTED: usize = 12;

/// Help where nothing of the drawing is spelled nearly as a name.
const NAMED_BY: &str =
    "name art by its id, its label or its position: \"Body/#3\" is the third element in \"Body\"";

/// What is to be bound for one binding.
struct PlannedSteps<'a> {
    binding: &'a BindingDoc,
    words: Arc<[u64]>,
    /// What it has bound before.
    kept: Option<Arc<KeptBinding>>,
    steps: Vec<Step<'a>>,
    /// Whether nothing was found in it.
    is_sound: bool,
}

/// How the paint of a binding's art follows.
fn paint_options(binding: &BindingDoc) -> &PaintOptionsDoc {
    match binding {
        BindingDoc::Rigid(_) => &PLAIN,
        BindingDoc::Explicit(explicit) => &explicit.paint_options,
        BindingDoc::Smooth(smooth) => &smooth.paint_options,
        BindingDoc::Puppet(puppet) => &puppet.paint_options,
    }
}

impl KeptPaths {
    /// Binds the same again, perhaps behind other paths.
    fn add_to(&self, bindings: &mut Bindings, paint_options: &PaintOptionsDoc) {
        let first = bindings.skin.len();
        for ((art, patches), (id, part)) in &self.paths {
            let path = bindings.skin.push(*id, Arc::clone(part));
            bindings.pose(path, art.clone(), paint_options, patches.clone());
        }
        for (owner, node, carried) in &self.carried {
            let carried = match carried.vertex() {
                Some((path, vertex)) => {
                    // It is a path of the same binding.
                    let path = PathId::new((first + path.index().saturating_sub(self.first)) as u32);
                    carried.clone().at_vertex(path, vertex)
                }
                None => carried.clone(),
            };
            bindings.carried.push((*owner, *node, carried));
        }
    }
}

impl<'a> Pass<'a> {
    /// Compiles the bindings. What those bind whose words are known is taken as it is.
    pub(super) fn skin(
        &mut self,
        skeleton: Option<&Skeleton>,
        mut bindings: Bindings,
        (each, known): (&[Arc<[u64]>], &[Arc<KeptBinding>]),
    ) -> (Bindings, Vec<Arc<KeptBinding>>) {
        let doc = self.doc;
        let mut plan = Plan::default();
        let mut all = Vec::with_capacity(each.len());
        for (place, (binding, words)) in doc.skin.iter().zip(each).enumerate() {
            let found = self.found(place, binding, &mut bindings);
            let before = self.findings.len();
            // The ids of a puppet depend on those before it.
            let is_puppet = matches!(binding, BindingDoc::Puppet(_));
            let kept = known.get(place).filter(|kept| kept.words == *words && kept.bound.is_some());
            let kept = kept.filter(|_| !is_puppet);
            match binding {
                BindingDoc::Rigid(rigid) => {
                    for (element, name) in found {
                        self.rigid((rigid, name), element, skeleton, (&mut bindings, &mut plan));
                    }
                }
                _ if kept.is_some() => self.is_reused = true,
                BindingDoc::Smooth(smooth) => {
                    self.smooth((Cow::Borrowed(smooth), None), &found, skeleton, &mut plan)
                }
                BindingDoc::Puppet(puppet) => self.puppet(puppet, &found, skeleton, &mut plan),
                BindingDoc::Explicit(explicit) => {
                    for (element, _) in found {
                        self.explicit(explicit, element, skeleton, &mut plan);
                    }
                }
            }
            let (steps, is_sound) = (std::mem::take(&mut plan.steps), self.findings.len() == before);
            let words = Arc::clone(words);
            all.push(PlannedSteps { binding, words, kept: kept.cloned(), steps, is_sound });
        }
        let Some(skeleton) = skeleton else { return (bindings, Vec::new()) };
        if plan.requests.compute(&mut self.memory.stores, Some(skeleton), self.how).is_none() {
            self.is_cancelled = true;
            return (bindings, Vec::new());
        }
        bindings.puppets = std::mem::take(&mut plan.puppets);
        let bind = |planned| self.bind(planned, &plan.requests, skeleton, &mut bindings);
        let each = all.into_iter().map(bind).collect();
        (bindings, each)
    }

    /// Binds what was planned for a binding, or what it has bound before.
    fn bind(
        &mut self,
        planned: PlannedSteps<'a>,
        requests: &Requests,
        skeleton: &Skeleton,
        bindings: &mut Bindings,
    ) -> Arc<KeptBinding> {
        let PlannedSteps { binding, words, kept, steps, is_sound } = planned;
        let is_rigid = matches!(binding, BindingDoc::Rigid(_));
        if let Some((kept, bound)) =
            kept.as_ref().filter(|_| !is_rigid).and_then(|kept| Some((kept, kept.bound.as_ref()?)))
        {
            bound.add_to(bindings, paint_options(binding));
            return Arc::clone(kept);
        }
        let (first, first_carried, before) =
            (bindings.skin.len(), bindings.carried.len(), self.findings.len());
        for step in steps {
            self.bind_step(step, requests, skeleton, bindings);
        }
        let is_sound = is_sound && self.findings.len() == before;
        let paths = || {
            let posed =
                bindings.posed[first..].iter().cloned().zip(bindings.patches[first..].iter().cloned());
            let parts = bindings.skin.from(first).iter().map(|(id, part)| (*id, Arc::clone(part)));
            posed.zip(parts).collect()
        };
        let bound = (is_sound && !is_rigid).then(|| KeptPaths {
            first,
            paths: paths(),
            carried: bindings.carried[first_carried..].to_vec(),
        });
        Arc::new(KeptBinding { words, bones: bones_of(binding, self.doc), bound })
    }

    fn bind_step(
        &mut self,
        step: Step<'a>,
        requests: &Requests,
        skeleton: &Skeleton,
        bindings: &mut Bindings,
    ) {
        let bound: Vec<(PosedArt, Option<(u64, Bound)>)> =
            step.paths.into_iter().map(|(art, path)| (art, requests.bound[path].clone())).collect();
        let (span, paint_options) = step.origin.paint();
        if let PlannedBinding::Smooth { smooth, art, field, .. } = &step.origin
            && !self.field_notes(smooth, art.as_deref(), requests.solved[*field].as_ref(), skeleton)
        {
            return;
        }
        for (art, bound) in bound {
            match bound {
                Some((id, Ok(part))) => {
                    let patches = self.patches(&art, &part, (&step.origin, requests), skeleton);
                    let path = bindings.skin.push(id, part);
                    bindings.pose(path, art, paint_options, patches);
                }
                Some((_, Err(error))) => self.error(span, error.to_string(), ""),
                None => {}
            }
        }
        match step.origin {
            PlannedBinding::Rigid { .. } => {}
            PlannedBinding::Explicit { element, rest, blend, .. } => {
                self.carry_markers(element, |vertex| Some(rest.get(vertex)?.anchor.clone()), blend, bindings)
            }
            PlannedBinding::Smooth { smooth, elements, field, .. } => {
                if let Some(Some(Ok((field, _)))) = requests.solved.get(field) {
                    let blend = self.bind_options(&smooth.follow, skeleton).blend;
                    self.carry(&smooth, &elements, (field, blend), bindings);
                }
            }
        }
    }

    /// The elements that a binding names, in document order, each once in all bindings.
    fn found(
        &mut self,
        place: usize,
        binding: &'a BindingDoc,
        bindings: &mut Bindings,
    ) -> Vec<(ElementId, &'a Spanned<String>)> {
        let mut found: BTreeMap<ElementId, &Spanned<String>> = BTreeMap::new();
        for (at, art) in binding.names().iter().enumerate() {
            let known = self.art_index.bound()[place][at].filter(|_| !is_blank(art));
            let Some(element) = known.or_else(|| self.find(art)) else { continue };
            let Some(&first) = bindings.bound.get(&element) else {
                bindings.bound.insert(element, art.span);
                found.insert(element, art);
                continue;
            };
            // The same name twice was reported by the check of the document.
            if self.art_index.uses(&art.value) == 1 {
                let other = self.doc.place(first);
                let message = format!("art \"{}\" is bound twice, under two names", art.value);
                self.report(art.span, Diagnostic::error("duplicate", message).related(other, "first here"));
            }
        }
        for (element, art) in &found {
            let around = self.art.element(*element).and_then(|element| element.parent);
            let mut around = std::iter::successors(around, |at| self.art.element(*at)?.parent);
            if let Some(group) = around.find_map(|at| found.get(&at)) {
                let message =
                    format!("art \"{}\" is inside \"{}\", which is in this list too", art.value, group.value);
                let warning = Diagnostic::warning("duplicate", message)
                    .help("remove it: a group is bound with everything in it");
                let place = self.doc.place(group.span);
                self.report(art.span, warning.related(place, "the group"));
            }
        }
        found.into_iter().collect()
    }

    /// The drawing with slots for everything that moves.
    pub(super) fn posable(
        &mut self,
        last: &Parts,
        bindings: &Bindings,
        order: &DrawOrderBuilder,
        mirrored: &[MirroredFill],
    ) -> Option<KeptPosable> {
        let rigid: Vec<ElementId> = bindings.rigid.iter().map(|(element, _)| *element).collect();
        let (rigid_nodes, posed) = (bindings.carried_nodes(), &bindings.posed);
        let draw_order = &order.draw_order;
        let looks: Vec<ElementId> = draw_order.looks.iter().map(|(element, _)| *element).collect();
        let inks =
            order.inks.iter().map(|ink| InkedStroke { pieces: bindings.pieces(ink.path), ..ink.clone() });
        let inks: Vec<InkedStroke> = inks.collect();
        let moving = Moving {
            rigid: &rigid,
            rigid_nodes: &rigid_nodes,
            posed,
            visible: &draw_order.elements,
            looks: &looks,
            tints: &draw_order.tints,
            gradients: &order.gradients.iter().map(|(_, keyed)| keyed.clone()).collect::<Vec<_>>(),
            filter_steps: &order.filter_steps.iter().map(|(_, keyed)| keyed.clone()).collect::<Vec<_>>(),
            bent: &bindings.bent_paints(),
            mirrored,
            trims: &bindings.trims(&draw_order.trims, &order.may_wrap),
            inks: &inks,
            masks: &order.masks,
            camera: draw_order.camera.is_some(),
        };
        if let Some(last) = last.posable.as_ref().filter(|last| last.posable.moves(&moving)) {
            self.is_reused = true;
            return Some(last.clone());
        }
        let span = |element: &ElementId| bindings.bound.get(element).copied().unwrap_or(self.doc.span);
        Posable::new(self.art, &moving)
            .map_err(|error| {
                use bone_drawing::MoveError as E;
                let (E::NotDrawn { element, .. }
                | E::NotAPath { element, .. }
                | E::Duplicate { element, .. }) = &error
                else {
                    return self.error(self.doc.span, error.to_string(), "");
                };
                self.error(span(element), error.to_string(), "");
            })
            .ok()
            .map(|posable| KeptPosable { posable, paints: Vec::new() })
    }

    fn rigid(
        &mut self,
        (rigid, name): (&RigidDoc, &'a Spanned<String>),
        element: ElementId,
        skeleton: Option<&Skeleton>,
        (bindings, plan): (&mut Bindings, &mut Plan<'a>),
    ) {
        let bone = skeleton.and_then(|s| s.find(&rigid.bone.value));
        if skeleton.is_some() && bone.is_none() {
            self.fault(rigid.bone.span, "the binding to this bone");
        }
        if self.cuts(element) {
            self.rigid_stencils(name, element, bone, plan);
        } else if let Some(bone) = bone {
            bindings.rigid.push((element, bone));
            bindings.rigid_bones.insert(element, bone);
        }
    }

    fn explicit(
        &mut self,
        explicit: &'a ExplicitDoc,
        element: ElementId,
        skeleton: Option<&Skeleton>,
        plan: &mut Plan<'a>,
    ) {
        let named = element;
        let Some((element, lines)) = self.path(&explicit.art, element) else { return };
        self.stays_behind(explicit, named, element);
        self.stays_cut(explicit, element);
        let count: usize = lines.iter().map(|line| line.vertices().len()).sum();
        self.check_vertices(explicit, count);
        let tangents = explicit.weights.iter().map(|row| row.vertex);
        self.check_tangents(&explicit.art.value, tangents, &lines);
        let Some(skeleton) = skeleton else { return };
        let rest = self.vertex_weights(explicit, count, skeleton);
        if rest.is_none() {
            self.fault(explicit.art.span, "the weights of this art");
        }
        if let Some(rest) = rest {
            let options = self.bind_options(&explicit.follow, skeleton);
            // Keyed weights with rotation centers are reported with their clip.
            let turns = options.blend.has_centres();
            let tracks = if turns { Vec::new() } else { self.tracks_of(element, count, skeleton) };
            let mut paths = Vec::new();
            for (art, lines) in self.posed_art(element, lines) {
                let keyed = (self.art_index.keyed(element), skeleton);
                let (lines, shapes) = self.with_shapes(&art, lines);
                let options = BindOptions { fill: self.fill_of(&art), shapes: &shapes, ..options };
                let request = BindRequest::typed(lines, (&rest, &tracks), keyed, &options);
                let request = request.on_lattices(self.warp_of(&art), self.tolerance(&self.doc.follow));
                paths.push((art, plan.requests.path(request)));
            }
            let origin = PlannedBinding::Explicit { explicit, element, rest, blend: options.blend };
            plan.steps.push(Step { paths, origin });
        }
    }

    /// How a binding's art follows its bones: its own options, else those of the rig.
    pub(super) fn bind_options<'s>(&self, follow: &FollowDoc, skeleton: &'s Skeleton) -> BindOptions<'s> {
        let rig = &self.doc.follow;
        let blend = follow.blend.or(rig.blend).map(|blend| blend.value).unwrap_or_default();
        let tolerance = self.tolerance(follow);
        let folds = follow.folds.or(rig.folds).map(|folds| folds.value).unwrap_or_default();
        BindOptions {
            blend,
            follow: Follow::Curves { skeleton, tolerance },
            fill: None,
            folds,
            shapes: &[],
            rounded: true,
            warp: None,
        }
    }

    /// The largest distance of outlines from the exact ones, on the canvas.
    pub(super) fn tolerance(&self, follow: &FollowDoc) -> f64 {
        let pixels = follow.tolerance.or(self.doc.follow.tolerance);
        let pixels = pixels.map_or_else(|| self.default_tolerance(), |tolerance| tolerance.value);
        let scale = self.art.canvas_to_output().determinant().abs().sqrt();
        if scale > 0.0 && scale.is_finite() { pixels / scale } else { pixels }
    }

    /// In pixels at the drawing's own size: the same for a drawing in small units that is shown large.
    fn default_tolerance(&self) -> f64 {
        let size = self.art.size();
        RigDoc::TOLERANCE.min(RigDoc::SHARE * size.width.max(size.height))
    }

    /// Numbers beyond the path's vertices, and vertices without weights.
    fn check_vertices(&mut self, explicit: &ExplicitDoc, count: usize) {
        let art = &explicit.art.value;
        for row in &explicit.weights {
            let address = row.vertex.value;
            if address.vertex as usize >= count {
                self.no_such_vertex(art, row.vertex.span, address, count);
            }
        }
        let mut listed = vec![false; count];
        for row in explicit.weights.iter().filter(|row| row.vertex.value.part == VertexPart::Anchor) {
            if let Some(listed) = listed.get_mut(row.vertex.value.vertex as usize) {
                *listed = true;
            }
        }
        let missing: Vec<String> =
            listed.iter().enumerate().filter(|(_, listed)| !**listed).map(|(i, _)| i.to_string()).collect();
        if explicit.others.is_none() && !missing.is_empty() {
            let message = match missing.as_slice() {
                [one] => format!("vertex {one} of art \"{art}\" has no weights"),
                many if many.len() == count => format!("no vertex of art \"{art}\" has weights"),
                many => format!("vertices {} of art \"{art}\" have no weights", shown(many)),
            };
            self.error(
                explicit.art.span,
                message,
                "list them, or add others: {\"bone\": 1} for all vertices that are not listed",
            );
        }
    }

    /// Weights of tangents where the outline ends would have no effect. A straight side has no handles, but
    /// weights change along it as along a curve.
    pub(super) fn check_tangents(
        &mut self,
        art: &str,
        addresses: impl Iterator<Item = Spanned<VertexAddress>>,
        lines: &[BLine],
    ) {
        // Whether a segment arrives at each vertex, and whether one leaves it.
        let mut joined = Vec::new();
        for line in lines {
            let first = joined.len();
            joined.resize(first + line.vertices().len(), (false, false));
            for (_, from, to) in line.segments() {
                joined[first + from].1 = true;
                joined[first + to].0 = true;
            }
        }
        for Spanned { value: address, span } in addresses {
            let Some(&(arrives, leaves)) = joined.get(address.vertex as usize) else { continue };
            let (there, ends) = match address.part {
                VertexPart::Anchor => (true, ""),
                VertexPart::In => (arrives, "no segment ends at it"),
                VertexPart::Out => (leaves, "no segment starts at it"),
            };
            if !there {
                let message = format!("vertex {} of art \"{art}\" has no tangent there", address.vertex);
                self.error(span, message, ends);
            }
        }
    }

    /// Says that a path has no such vertex, or the vertex no such tangent.
    pub(super) fn no_such_vertex(&mut self, art: &str, span: Span, address: VertexAddress, count: usize) {
        if address.vertex as usize >= count {
            let help = format!("its vertices are numbered 0 to {}", count.saturating_sub(1));
            self.error(span, format!("art \"{art}\" has no vertex {}", address.vertex), &help);
        } else {
            let side = if address.part == VertexPart::In { "ends" } else { "starts" };
            let message = format!("vertex {} of art \"{art}\" has no tangent there", address.vertex);
            self.error(span, message, &format!("no curve {side} at it: only curves have tangents"));
        }
    }

    /// One entry a vertex; none if a row is unusable, which the check of the document has reported.
    pub(super) fn vertex_weights(
        &mut self,
        explicit: &ExplicitDoc,
        count: usize,
        skeleton: &Skeleton,
    ) -> Option<Vec<VertexWeights>> {
        let row = |weights: &WeightsDoc| row(weights, skeleton);
        let others = explicit.others.as_ref().map(row);
        let mut listed: Vec<[Option<BoneWeights>; 3]> = vec![[const { None }; 3]; count];
        for entry in &explicit.weights {
            let address = entry.vertex.value;
            listed.get_mut(address.vertex as usize)?[address.part as usize] = Some(row(&entry.weights)?);
        }
        listed
            .into_iter()
            .map(|[anchor, tangent_in, tangent_out]| {
                let anchor = anchor.or_else(|| others.clone().flatten())?;
                Some(VertexWeights { anchor, tangent_in, tangent_out })
            })
            .collect()
    }

    /// The one path that a binding or an offset means: the element itself, or the only path in a group.
    pub(super) fn path(
        &mut self,
        art: &Spanned<String>,
        element: ElementId,
    ) -> Option<(ElementId, Vec<BLine>)> {
        if let Some(path) = self.art_index.only_path(element) {
            return Some((path, self.lines_of(path)?));
        }
        let paths = match self.cuts(element) {
            true => self.stencil_paths(element),
            false => self.art.paths_in(element),
        };
        // A clip path or mask is a group of what cuts.
        let group = self.cuts(element).then_some(ElementKind::Group);
        let kind = group.or_else(|| self.art.element(element).map(|e| e.kind));
        let message = match kind {
            Some(ElementKind::Group) if paths.is_empty() => {
                format!("group \"{}\" has no path in it", art.value)
            }
            Some(ElementKind::Group) => {
                format!("\"{}\" is a group of {} paths, and one path is needed here", art.value, paths.len())
            }
            Some(ElementKind::Text) => format!("\"{}\" is a text, which has no vertices", art.value),
            Some(ElementKind::Image) => format!("\"{}\" is an image, which has no vertices", art.value),
            Some(ElementKind::Use) => {
                format!("\"{}\" is a clone, which has no vertices of its own", art.value)
            }
            _ => format!("\"{}\" is not a path", art.value),
        };
        let names: Vec<String> =
            paths.iter().take(LISTED).map(|path| format!("\"{}\"", self.art.address(*path))).collect();
        let help = match kind {
            Some(ElementKind::Group) if !paths.is_empty() => {
                format!("name one of them: {}", names.join(", "))
            }
            _ => "bind it with Rigid, or convert it to a path in the drawing program".to_owned(),
        };
        self.error(art.span, message, &help);
        None
    }

    /// The outlines of a path, drawn or in a clip path or mask.
    pub(super) fn lines_of(&self, path: ElementId) -> Option<Vec<BLine>> {
        let stencil = || self.art.stencils_of(path).into_iter().next();
        let outline = self.art.outline(path).or_else(|| Some(stencil()?.outline))?;
        Some(posed_lines(&outline))
    }

    /// Makes a path movable point by point if no binding did: its points follow the nearest rigid binding
    /// around it, or nothing. This is what lets free offsets move a mouth in a face.
    pub(super) fn posed_path(
        &mut self,
        element: ElementId,
        lines: &[BLine],
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Option<PathId> {
        if let Some(path) = bindings.path_of(element) {
            return Some(path);
        }
        let (posed, lines) = self.posed_art(element, lines.to_vec()).pop()?;
        self.pose_as_around(posed, lines, skeleton, bindings)
    }

    /// Poses art that no binding bends: its points follow the nearest rigid binding around it, or nothing.
    pub(super) fn pose_as_around(
        &mut self,
        posed: PosedArt,
        lines: Vec<BLine>,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Option<PathId> {
        let element = posed.element();
        let (lines, shapes) = self.with_shapes(&posed, lines);
        let seen = match &posed {
            PosedArt::Path(element) | PosedArt::Part(element, _) => Some(*element),
            PosedArt::Stencil(stencil) => stencil.clipped,
        };
        let around = std::iter::successors(seen, |at| self.art.element(*at)?.parent);
        let bone = around.filter_map(|at| bindings.rigid_bones.get(&at).copied()).next();
        let mut requests = Requests::default();
        let request = BindRequest::rigid(lines, bone);
        let request = match self.warp_of(&posed) {
            None => request,
            warp => request.with_shapes(shapes).on_lattices(warp, self.tolerance(&self.doc.follow)),
        };
        requests.path(request);
        requests.compute(&mut self.memory.stores, skeleton, ComputeOptions::ALONE)?;
        let (id, bound) = requests.bound.pop()??;
        let path = bindings.skin.push(id, bound.ok()?);
        bindings.pose(path, posed, &PaintOptionsDoc::default(), None);
        self.carry_markers(element, |_| bone.map(BoneWeights::one), SkinBlend::Linear, bindings);
        Some(path)
    }

    /// The element that a name means; none after saying why there is none.
    pub(super) fn find(&mut self, art: &Spanned<String>) -> Option<ElementId> {
        if is_blank(art) {
            return None;
        }
        let error = match self.art.find(&art.value) {
            Ok(element) => return Some(element),
            Err(error) => error,
        };
        let name = &art.value;
        let diagnostic = match &error {
            FindError::Missing { near, numbered, .. } => {
                let missing = Diagnostic::error(
                    "unknown-art",
                    format!("the drawing has no art with the name \"{name}\""),
                );
                match (near.as_slice(), numbered) {
                    (_, Some(numbered)) => missing.help(numbered.to_string()),
                    _ if name.contains('>') => {
                        let steps: Vec<&str> = name.split('>').map(str::trim).collect();
                        missing.help(format!("steps are joined by `/`: \"{}\"", steps.join("/")))
                    }
                    ([], None) => missing.help(NAMED_BY),
                    (near @ [first, ..], None) => {
                        let help = format!("did you mean \"{}\"?", near.join("\" or \""));
                        missing.replaced(format!("{first:?}")).help(help)
                    }
                }
            }
            FindError::Ambiguous { candidates, addresses, .. } => {
                let several =
                    format!("the drawing has {} elements with the name \"{name}\"", candidates.len());
                let mut diagnostic = Diagnostic::error("ambiguous-art", several);
                for element in candidates.iter().take(LISTED) {
                    diagnostic = self.point_at(diagnostic, *element, "one is here");
                }
                diagnostic.help(format!("use one of the names {}", one_of(addresses)))
            }
            FindError::NotDrawn { element, reason, drawn_by, .. } => {
                let message = format!("art \"{name}\" is in the drawing, but it is not drawn: {reason}");
                let mut diagnostic =
                    self.point_at(Diagnostic::error("not-drawn", message), *element, "it is here");
                if *reason == NotDrawnReason::SwitchedOff {
                    let help =
                        "to show it, key `visible` of the hidden element in the `art` of a clip or driver";
                    diagnostic = diagnostic.help(help);
                }
                for by in drawn_by {
                    diagnostic = self.point_at(diagnostic, *by, "this draws it");
                }
                let named: Vec<String> = drawn_by.iter().map(|by| self.art.address(*by)).collect();
                match named.as_slice() {
                    [] if *reason == NotDrawnReason::InDefs => diagnostic.help(
                        "of the definitions, only clip paths and masks that are in use and their paths can be bound",
                    ),
                    [] => diagnostic,
                    named => diagnostic.help(format!("bind the element that draws it: {}", one_of(named))),
                }
            }
            other => Diagnostic::error("does-not-fit-drawing", other.to_string()),
        };
        self.report(art.span, diagnostic);
        None
    }

    pub(super) fn point_at(&self, diagnostic: Diagnostic, element: ElementId, why: &str) -> Diagnostic {
        match self.art.element(element) {
            Some(element) => {
                diagnostic.related(Place::new(self.drawing, Span::from_range(&element.source)), why)
            }
            None => diagnostic,
        }
    }
}

/// A name of no letters means nothing, and was reported by the check of the document.
fn is_blank(art: &Spanned<String>) -> bool {
    art.value.trim().is_empty()
}

/// A row of the document; none if it is unusable, which the check of the document has reported.
pub(super) fn row(weights: &WeightsDoc, skeleton: &Skeleton) -> Option<BoneWeights> {
    let influence =
        |(bone, weight): &(Spanned<String>, Spanned<f64>)| Some((skeleton.find(&bone.value)?, weight.value));
    BoneWeights::new(weights.list.iter().map(influence).collect::<Option<Vec<_>>>()?).ok()
}

/// Addresses to choose from, shortened.
fn one_of(addresses: &[String]) -> String {
    let list: Vec<String> = addresses.iter().take(LISTED).map(|one| format!("\"{one}\"")).collect();
    let more = addresses.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(", or one of {more} more") } else { String::new() };
    format!("{}{more}", list.join(" or "))
}

/// A list of numbers, shortened.
fn shown(numbers: &[String]) -> String {
    let list = numbers.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if numbers.len() > LISTED { format!("{list} and {} more", numbers.len() - LISTED) } else { list }
}
