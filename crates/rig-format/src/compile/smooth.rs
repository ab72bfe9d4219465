//! `Smooth` bindings: all paths of a piece of art, its clones and texts in one mesh, weights computed once,
//! every outline bound to them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bone_core::{BoneId, Skeleton, in_few_digits};
use bone_drawing::{ElementId, ElementKind, PosedArt};
use bone_skin::{
    BindOptions, BoneSegment, BrushEffect, BrushStroke, FieldError, FieldNote, FieldOptions, Method,
    SolvedField,
};
use kurbo::Point;

use super::bind::{BindRequest, ClipOfShapes, Field, FieldRequest, Requests, posed_lines, winding_rule};
use super::compute::{ComputeOptions, SkinDetail};
use super::pass::Pass;
use super::plan::{Plan, PlannedBinding, SharedField, Step};
use super::stencils::ArtOutline;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{self, BindingDoc, BoneKind, FoundWeights, PuppetDoc, SmoothDoc};
use crate::schema::content::{Content, words};
use crate::span::{Span, Spanned};

impl<'a> Pass<'a> {
    /// Binds the paths, clones and texts of the elements that a list names, but for those that have a binding
    /// of their own further in.
    pub(super) fn smooth(
        &mut self,
        (smooth, puppet): (Cow<'a, SmoothDoc>, Option<&'a PuppetDoc>),
        named: &[(ElementId, &Spanned<String>)],
        skeleton: Option<&Skeleton>,
        plan: &mut Plan<'a>,
    ) {
        let elements: Vec<ElementId> = named.iter().map(|(element, _)| *element).collect();
        let (art, cuts) = self.art_to_bind(&smooth, &elements);
        let bends: BTreeSet<ElementId> =
            art.iter().chain(&cuts).flat_map(|(art, _)| self.around(art)).collect();
        let idle: Vec<_> = named.iter().filter(|(element, _)| !bends.contains(element)).collect();
        idle.iter().for_each(|(element, name)| self.no_path(name, *element));
        if art.is_empty() || !idle.is_empty() {
            return;
        }
        self.images_stay((&smooth.art.title(), smooth.art.span), &self.images_to_stay(&smooth, &elements));
        let Some(skeleton) = skeleton else { return };
        let key = self.field_key(&smooth);
        let known = key.as_ref().and_then(|key| plan.shared.get(key)).cloned();
        let is_first = known.is_none();
        let shared = match (known, puppet) {
            (Some(known), _) => Some(known),
            (None, Some(puppet)) => {
                let clips = self.clip_regions(&art, &cuts);
                self.puppet_field(puppet, (&art, &clips), skeleton, plan)
            }
            (None, None) => {
                let (all, all_cuts) = self.sharing_art(&smooth, (&art, &cuts));
                let (request, bones) = self.field(&smooth, (&all, &all_cuts), skeleton);
                let (field, id) = plan.requests.field(request, &mut self.memory.stores);
                let art = all.iter().map(|(art, _)| art.element()).collect();
                Some(SharedField { field, id, bones, art })
            }
        };
        let Some(shared) = shared else { return };
        if let Some(key) = key.filter(|_| is_first) {
            plan.shared.insert(key, shared.clone());
        }
        let SharedField { field, id, bones, art: elements_of_art } = shared;
        let strokes = self.strokes(&smooth, &bones, skeleton);
        let (field, id) = if strokes.is_empty() {
            (field, id)
        } else {
            plan.requests.field(FieldRequest::painted((field, id), strokes), &mut self.memory.stores)
        };
        let options = self.bind_options(&smooth.follow, skeleton);
        let at_vertices = smooth.found_weights() == FoundWeights::Vertices;
        let mut paths = Vec::new();
        for (art, outline) in art.into_iter().chain(cuts) {
            let (lines, shapes) = self.with_shapes(&art, posed_lines(&outline));
            let fill = outline.even_odd.map(winding_rule);
            let options = BindOptions { fill, shapes: &shapes, ..options };
            let request = BindRequest::in_field(lines, (field, id, bones.clone()), at_vertices, &options);
            let request = request.on_lattices(self.warp_of(&art), self.tolerance(&self.doc.follow));
            paths.push((art, plan.requests.path(request)));
        }
        // What is found out about a field is reported once.
        let art = is_first.then_some(elements_of_art);
        let origin = PlannedBinding::Smooth { smooth: Box::new(smooth), elements, art, field };
        plan.steps.push(Step { paths, origin });
    }

    /// What bindings agree in that share a field; none for one with a field of its own.
    pub(super) fn field_key(&self, smooth: &SmoothDoc) -> Option<Vec<u64>> {
        if smooth.found_weights() == FoundWeights::Own {
            return None;
        }
        let bones = smooth.bones.as_ref().map(|bones| {
            let mut names: Vec<&str> = bones.value.iter().map(|bone| bone.value.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            names
        });
        let blend = smooth.follow.blend.or(self.doc.follow.blend).map(|blend| blend.value);
        let method = smooth.method.map(|method| method.value).unwrap_or_default();
        let value = |number: Option<Spanned<f64>>| number.map(|number| number.value);
        let mut key = words(&(blend.unwrap_or_default(), (method, bones)));
        (value(smooth.heat), (value(smooth.softness), value(smooth.weld))).write(&mut key);
        Some(key)
    }

    /// The outlines of all bindings that share a field with this one, whose own are these, in the order of the
    /// document, and those of the clip paths and masks that they bend.
    fn sharing_art(
        &self,
        smooth: &SmoothDoc,
        (art, cuts): (&[ArtOutline], &[ArtOutline]),
    ) -> (Vec<ArtOutline>, Vec<ArtOutline>) {
        let key = self.field_key(smooth);
        let shares = |other: &SmoothDoc| key.is_some() && self.field_key(other) == key;
        let (mut all, mut all_cuts): (Vec<ArtOutline>, Vec<ArtOutline>) = Default::default();
        for other in self.doc.skin.iter() {
            let BindingDoc::Smooth(other) = other else { continue };
            if !shares(other) {
                continue;
            }
            if other.art.names == smooth.art.names {
                all.extend(art.iter().cloned());
                all_cuts.extend(cuts.iter().cloned());
                continue;
            }
            let found = other.art.names.iter().filter_map(|name| self.art.find(&name.value).ok());
            let elements: Vec<ElementId> = found.collect::<BTreeSet<_>>().into_iter().collect();
            let (art, cuts) = self.art_to_bind(other, &elements);
            all.extend(art);
            all_cuts.extend(cuts);
        }
        if all.is_empty() { (art.to_vec(), cuts.to_vec()) } else { (all, all_cuts) }
    }

    /// The clip paths that bend with the outlines that they cut.
    fn clip_regions(&self, art: &[ArtOutline], cuts: &[ArtOutline]) -> Vec<ClipOfShapes> {
        let stencil = |(art, _): &ArtOutline| match art {
            PosedArt::Stencil(stencil) => Some(stencil.clone()),
            PosedArt::Path(_) | PosedArt::Part(..) => None,
        };
        let stencils: Vec<bone_drawing::Stencil> = cuts.iter().filter_map(stencil).collect();
        let mut shapes_of: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        if stencils.is_empty() {
            return Vec::new();
        }
        for (shape, (art, _)) in art.iter().enumerate() {
            let node = match art {
                PosedArt::Path(element) => self.art.node_of(*element),
                PosedArt::Part(_, node) => Some(*node),
                PosedArt::Stencil(_) => None,
            };
            let clips = node.into_iter().flat_map(|node| self.art.clips_among(node, &stencils));
            for clip in clips.collect::<BTreeSet<_>>() {
                shapes_of.entry(clip).or_default().push(shape);
            }
        }
        let outline = |place: usize| {
            let outline = &stencils[place].outline;
            (outline.path.clone(), winding_rule(outline.even_odd == Some(true)))
        };
        let clip = |(places, shapes): (Vec<usize>, Vec<usize>)| ClipOfShapes {
            shapes,
            outlines: places.into_iter().map(outline).collect(),
        };
        shapes_of.into_iter().map(clip).collect()
    }

    /// The weights that are found for these outlines together; none after saying why there are none.
    pub(super) fn solved(
        &mut self,
        smooth: &SmoothDoc,
        (art, cuts): (&[ArtOutline], &[ArtOutline]),
        skeleton: &Skeleton,
    ) -> Option<Arc<SolvedField>> {
        let mut requests = Requests::default();
        let (all, all_cuts) = self.sharing_art(smooth, (art, cuts));
        let (request, bones) = self.field(smooth, (&all, &all_cuts), skeleton);
        let found = requests.field(request, &mut self.memory.stores);
        let strokes = self.strokes(smooth, &bones, skeleton);
        requests.field(FieldRequest::painted(found, strokes), &mut self.memory.stores);
        let how = ComputeOptions { threads: 1, ..self.how };
        requests.compute(&mut self.memory.stores, Some(skeleton), how)?;
        let elements: Vec<ElementId> = all.iter().map(|(art, _)| art.element()).collect();
        let found = requests.solved.pop()?;
        self.field_notes(smooth, Some(&elements), found.as_ref(), skeleton).then_some(found?.ok()?.0)
    }

    /// Asks for the weights of these outlines together, of these bones.
    ///
    /// They come from what is seen. A clip path bounds it, and must not join what lies apart; one that bends with
    /// its art hides the same part of it in every pose.
    fn field(
        &mut self,
        smooth: &SmoothDoc,
        (art, cuts): (&[ArtOutline], &[ArtOutline]),
        skeleton: &Skeleton,
    ) -> (FieldRequest, Vec<BoneId>) {
        let segments = self.segments(smooth, skeleton);
        let bones = segments.iter().map(|segment| segment.bone).collect();
        let method = match smooth.method.map(|method| method.value).unwrap_or_default() {
            doc::Method::Nearest => Method::Rigid,
            doc::Method::Envelope => Method::Envelope,
            doc::Method::Heat => Method::Heat,
            doc::Method::Biharmonic => Method::Biharmonic,
            doc::Method::InverseDistance(power) => Method::InverseDistance(power.value),
        };
        let default = FieldOptions::default();
        let options = FieldOptions {
            heat: smooth.heat.map_or(default.heat, |heat| heat.value),
            softness: smooth.softness.map_or(default.softness, |softness| softness.value),
            weld: smooth.weld.map(|weld| weld.value),
            ..default
        };
        let outlines = art.iter().map(|(_, outline)| outline);
        (FieldRequest::new(outlines, self.clip_regions(art, cuts), segments, (method, options)), bones)
    }

    /// The strokes on the weights of a binding to these bones.
    fn strokes(&mut self, smooth: &SmoothDoc, bones: &[BoneId], skeleton: &Skeleton) -> Vec<BrushStroke> {
        let mut strokes = Vec::with_capacity(smooth.brush.len());
        for stroke in &smooth.brush {
            let effect = match (&stroke.bone, stroke.add, stroke.smooth) {
                (Some(name), Some(add), _) => {
                    let Some(bone) = self.named_bone(name, skeleton) else { continue };
                    if !bones.contains(&bone) {
                        let art = smooth.art.title();
                        let message = format!(
                            "this stroke adds to bone \"{}\", which art \"{art}\" does not follow",
                            name.value
                        );
                        self.error(
                            name.span,
                            message,
                            "add it to `bones` of the binding, or paint another bone",
                        );
                        continue;
                    }
                    BrushEffect::Add(bone, add.value)
                }
                (_, _, smooth) => BrushEffect::Smooth(smooth.map_or(0.0, |smooth| smooth.value)),
            };
            let locked =
                stroke.lock.iter().flatten().filter_map(|name| self.named_bone(name, skeleton)).collect();
            let line = stroke.at.iter().map(|at| at.value).collect();
            strokes.push(BrushStroke { effect, width: stroke.width.value, line, locked });
        }
        strokes
    }

    /// Reports what was found out about the weights of these elements, unless another binding does. False if
    /// there are none.
    pub(super) fn field_notes(
        &mut self,
        smooth: &SmoothDoc,
        art: Option<&[ElementId]>,
        found: Option<&Field>,
        skeleton: &Skeleton,
    ) -> bool {
        match (found, art) {
            (Some(Ok((_, notes))), art) => {
                let kind = std::mem::discriminant::<FieldNote>;
                for (at, note) in art.iter().flat_map(|_| notes.iter().enumerate()) {
                    let is_of_paths = about_a_path(note);
                    // One warning for all paths with the same cause.
                    if is_of_paths && notes[..at].iter().any(|before| kind(before) == kind(note)) {
                        continue;
                    }
                    let alike = notes[at..].iter().filter(|other| kind(other) == kind(note)).count();
                    let more = if is_of_paths { alike - 1 } else { 0 };
                    self.field_note(smooth, (note, more), art.unwrap_or_default(), skeleton);
                }
                true
            }
            (Some(Err(error)), art) => {
                art.iter().for_each(|_| self.field_error(smooth, *error, skeleton));
                false
            }
            // Weights that are not needed are not found.
            (None, _) => self.how.detail == SkinDetail::Bones,
        }
    }

    /// What is posed, and everything around it.
    fn around(&self, art: &PosedArt) -> impl Iterator<Item = ElementId> {
        std::iter::successors(Some(art.element()), |at| self.art.element(*at)?.parent)
    }

    fn no_path(&mut self, name: &Spanned<String>, element: ElementId) {
        let art = &name.value;
        let what = match self.art.element(element).map(|e| e.kind) {
            Some(ElementKind::Text) => "is a text without outlines, so it cannot bend",
            Some(ElementKind::Image) => "is an image, and images cannot bend",
            Some(ElementKind::Use) => "is a clone of art without a path, so it cannot bend",
            _ => "has no path in it that this binding could bend",
        };
        let help = match self.cuts(element) {
            true => "bind the art that it clips or masks",
            false => "bind it with Rigid, or convert it to a path in the drawing program",
        };
        self.error(name.span, format!("\"{art}\" {what}"), help);
    }

    /// The bones that the art may follow, at rest.
    fn segments(&mut self, smooth: &SmoothDoc, skeleton: &Skeleton) -> Vec<BoneSegment> {
        let mut bones: Vec<BoneId> = match &smooth.bones {
            Some(named) => named.value.iter().filter_map(|name| self.named_bone(name, skeleton)).collect(),
            None => skeleton.bones().collect(),
        };
        bones.sort_unstable();
        bones.dedup();
        let points = self.doc.bones.iter().filter(|bone| bone.kind() == BoneKind::Point);
        let points: BTreeSet<&str> = points.map(|bone| bone.name.value.as_str()).collect();
        let segment = |bone: BoneId| {
            let (origin, tip) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
            let tip = if points.contains(skeleton.name(bone)) { origin } else { tip };
            BoneSegment { bone, origin, tip, region: skeleton.region(bone) }
        };
        bones.into_iter().map(segment).collect()
    }

    /// Reports a note of the solver as a warning about the rig.
    ///
    /// `more` is the number of other paths of which the same is true.
    fn field_note(
        &mut self,
        smooth: &SmoothDoc,
        (note, more): (&FieldNote, usize),
        paths: &[ElementId],
        skeleton: &Skeleton,
    ) {
        let art = smooth.art.title();
        let path =
            |shape: usize| paths.get(shape).map_or_else(String::new, |path| self.art.shown_name(*path));
        let (message, help, shape) = match note {
            // A bone without a share is no mistake where all bones are asked.
            FieldNote::BoneWithoutShare { .. } if smooth.bones.is_none() => return,
            // A pin has none by intent.
            FieldNote::BoneWithoutLength { .. } => return,
            FieldNote::BoneWithoutShare { bone } => {
                let nothing = no_weight_message(skeleton.name(*bone));
                let message = format!("{nothing} of art \"{art}\": other bones are nearer everywhere");
                (message, "remove it from `bones`, or move it into the art", None)
            }
            FieldNote::BonesCoincide { first, second } => {
                let (first, second) = (skeleton.name(*first), skeleton.name(*second));
                let message = format!(
                    "bones \"{first}\" and \"{second}\" are at the same place: they have equal weights in art \"{art}\""
                );
                (message, "name only one of them in `bones`", None)
            }
            FieldNote::NoArea => {
                let message = format!("art \"{art}\" has no area, so it follows its nearest bone");
                (message, "bind it with Rigid, or check its path in the drawing program", None)
            }
            FieldNote::PieceWithoutBone { at, pieces: 1 } => {
                let message = format!(
                    "no bone is inside the part of art \"{art}\" at {}, so this part follows what is nearest to it",
                    place(*at)
                );
                (message, "move a bone into this part, or bind the part by its own binding", None)
            }
            FieldNote::PieceWithoutBone { at, pieces } => {
                let message = format!(
                    "no bone is inside {pieces} parts of art \"{art}\", the first at {}, so each follows what is nearest to it",
                    place(*at)
                );
                (message, "move bones into these parts, or bind them by their own bindings", None)
            }
            FieldNote::Slit { at, jump } => {
                let message = format!(
                    "weights differ by {} between paths of art \"{art}\" that nearly touch at {}",
                    in_few_digits(*jump),
                    place(*at)
                );
                (message, "let the paths overlap there, or simplify the art", None)
            }
            FieldNote::OutsideRegions { shape, at } => {
                let path = path(*shape);
                let message = format!(
                    "no `region` reaches art \"{path}\" at {}, so it follows the nearest bone there",
                    place(*at)
                );
                (message, "make a `region` larger, or add a bone", Some(*shape))
            }
            FieldNote::ShapeNotFinite { shape } | FieldNote::ShapeEmpty { shape } => {
                let message = format!(
                    "art \"{}\" has no usable outline and was left out when the weights were computed",
                    path(*shape)
                );
                (message, "check it in the drawing program", Some(*shape))
            }
            FieldNote::Coarse { step } => {
                let message = format!(
                    "the outlines of art \"{art}\" are very detailed: weights ignore what is smaller than {}",
                    in_few_digits(*step)
                );
                (message, "", None)
            }
            other => (format!("art \"{art}\": {other}"), "", None),
        };
        let message = match more {
            0 => message,
            1 => format!("{message}; the same is true of 1 other path"),
            more => format!("{message}; the same is true of {more} other paths"),
        };
        let warning = Diagnostic::warning("weights-found", message);
        let warning = if help.is_empty() { warning } else { warning.help(help) };
        let element = shape.and_then(|shape| paths.get(shape)).and_then(|path| self.art.element(*path));
        let warning = match element {
            Some(element) => warning
                .related(Place::new(self.drawing, Span::from_range(&element.source)), "this is the path"),
            None => warning,
        };
        self.report(smooth.art.span, warning);
    }

    fn field_error(&mut self, smooth: &SmoothDoc, error: FieldError, skeleton: &Skeleton) {
        let art = smooth.art.title();
        let (message, help) = match error {
            FieldError::NoBones => {
                (format!("there are no bones for art \"{art}\" to follow"), "add bones to the rig")
            }
            FieldError::BoneNotFinite { bone } => (
                format!("the position of bone \"{}\" is not finite", skeleton.name(bone)),
                "use smaller numbers",
            ),
            other => (format!("art \"{art}\" cannot be bound: {other}"), ""),
        };
        self.error(smooth.art.span, message, help);
    }
}

/// Whether a note is about one path, as many others may be.
fn about_a_path(note: &FieldNote) -> bool {
    use FieldNote as N;
    matches!(note, N::ShapeNotFinite { .. } | N::ShapeEmpty { .. } | N::OutsideRegions { .. })
}

/// A point of the drawing in a message.
fn place(at: Point) -> String {
    format!("({}, {})", in_few_digits(at.x), in_few_digits(at.y))
}

/// The start of the warning about a bone that has no weight on any vertex.
pub fn no_weight_message(bone: &str) -> String {
    format!("bone \"{bone}\" has no weight on any vertex")
}
