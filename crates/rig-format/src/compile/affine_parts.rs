//! Parts of art that bends without vertices of their own: clones and texts bend like what they show, markers
//! stay at their vertices, images are transformed as a whole.

use bone_core::BoneId;
use bone_drawing::{ElementId, Leaf, LeafKind, Outline, PosedArt};
use bone_skin::{AffineBinding, BLine, BoneWeights, PathId, SkinBlend, SolvedField, WeightField};
use kurbo::{ParamCurve as _, Point, Rect};

use super::bindings::Bindings;
use super::pass::Pass;
use super::stencils::ArtOutline;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{ExplicitDoc, SmoothDoc};
use crate::span::Span;

/// Samples along each side of an image or a marker, corners included, to fit its transform.
const PLACES: usize = 9;

/// The same weights everywhere.
pub(super) struct UniformWeights {
    bones: Vec<BoneId>,
    weights: Vec<f64>,
}

impl UniformWeights {
    pub(super) fn new(row: &[(BoneId, f64)]) -> Self {
        let (bones, weights) = row.iter().copied().unzip();
        Self { bones, weights }
    }
}

impl WeightField for UniformWeights {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, _: Point, weights: &mut [f64]) {
        weights.copy_from_slice(&self.weights);
    }
}

impl Pass<'_> {
    /// The paths of the elements that a `Smooth` binding names, and the shapes of the clones and texts among
    /// them, in paint order.
    pub(super) fn outlines_of(&self, elements: &[ElementId]) -> Vec<ArtOutline> {
        let ours = self.art_index.leaves().iter().filter(|leaf| self.is_nearest(leaf.owner, elements));
        let bindable = |leaf: &Leaf| {
            let outline: Outline = self.art.part_outline(leaf.node)?;
            match leaf.kind {
                LeafKind::Path => Some((PosedArt::Path(leaf.owner), outline)),
                LeafKind::Part => Some((PosedArt::Part(leaf.owner, leaf.node), outline)),
                LeafKind::Marker | LeafKind::Image => None,
            }
        };
        ours.filter_map(bindable).collect()
    }

    /// Fits transforms for the images and markers of the elements that a `Smooth` binding names.
    pub(super) fn carry(
        &mut self,
        smooth: &SmoothDoc,
        elements: &[ElementId],
        (field, blend): (&SolvedField, SkinBlend),
        bindings: &mut Bindings,
    ) {
        let ours = self.art_index.leaves().iter().filter(|leaf| self.is_nearest(leaf.owner, elements));
        let leaves: Vec<Leaf> =
            ours.filter(|leaf| matches!(leaf.kind, LeafKind::Marker | LeafKind::Image)).copied().collect();
        let mut images: Vec<ElementId> = Vec::new();
        for leaf in leaves {
            let places = self.places(&leaf);
            if places.is_empty() {
                continue;
            }
            let carried = AffineBinding::new(&places, field, blend);
            let carried = match leaf.kind {
                LeafKind::Marker => match self.vertex_of(&leaf, bindings) {
                    Some((path, vertex, _)) => carried.at_vertex(path, vertex),
                    None => carried,
                },
                _ => {
                    images.extend(self.art.is_seen(leaf.node).then_some(leaf.owner));
                    carried
                }
            };
            bindings.carry(&leaf, carried);
        }
        images.dedup();
        self.follow_as_a_whole(&smooth.art, &images);
    }

    /// Attaches the markers of a path with explicit weights to its vertices: they rotate with the bones of
    /// the vertex.
    pub(super) fn carry_markers(
        &mut self,
        path: ElementId,
        row: impl Fn(usize) -> Option<BoneWeights>,
        blend: SkinBlend,
        bindings: &mut Bindings,
    ) {
        let markers = |leaf: &&Leaf| leaf.kind == LeafKind::Marker && leaf.owner == path;
        let markers: Vec<Leaf> = self.art_index.leaves().iter().filter(markers).copied().collect();
        for leaf in markers {
            let Some((path, vertex, at)) = self.vertex_of(&leaf, bindings) else { continue };
            let row = row(vertex);
            let row = row.as_ref().map_or(&[][..], BoneWeights::influences);
            let carried = AffineBinding::new(&[at], &UniformWeights::new(row), blend);
            bindings.carry(&leaf, carried.at_vertex(path, vertex));
        }
    }

    /// Places all over an image or a marker at rest: its corners, and those of a grid between them.
    fn places(&self, leaf: &Leaf) -> Vec<Point> {
        let Some([a, b, c, d]) = self.art.corners(leaf.node) else { return Vec::new() };
        let part = |k: usize| k as f64 / (PLACES - 1) as f64;
        let row = |v: usize| (kurbo::Line::new(a, d).eval(part(v)), kurbo::Line::new(b, c).eval(part(v)));
        let rows = (0..PLACES).map(row);
        rows.flat_map(|(from, to)| (0..PLACES).map(move |u| from.lerp(to, part(u)))).collect()
    }

    /// The vertex of a marker: of those of its path the nearest to what it covers, and of these to the middle
    /// of that.
    fn vertex_of(&self, leaf: &Leaf, bindings: &Bindings) -> Option<(PathId, usize, Point)> {
        let path = bindings.path_of(leaf.owner)?;
        let [a, _, c, _] = self.art.corners(leaf.node)?;
        let covers = Rect::from_points(a, c);
        let lines = BLine::from_path(&self.art.outline(leaf.owner)?.path);
        let vertices = lines.iter().flat_map(BLine::vertices).map(|vertex| vertex.anchor).enumerate();
        let outside = |at: Point| {
            let (x, y) = (at.x.clamp(covers.x0, covers.x1), at.y.clamp(covers.y0, covers.y1));
            (at - Point::new(x, y)).hypot2()
        };
        let distance = |at: Point| (outside(at), (at - covers.center()).hypot2());
        let nearest = vertices.min_by(|(_, p), (_, q)| {
            let (p, q) = (distance(*p), distance(*q));
            p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1))
        });
        nearest.map(|(vertex, at)| (path, vertex, at))
    }

    /// Warns about images that are transformed as a whole.
    fn follow_as_a_whole(&mut self, named: &crate::doc::ArtNames, images: &[ElementId]) {
        let Some(first) = images.first().copied() else { return };
        let name = self.art.shown_name(first);
        let (title, what) = (named.title(), self.what(first));
        let message = match images.len() {
            1 => format!("{what} \"{name}\" in art \"{title}\" cannot bend, so it is transformed as a whole"),
            n => format!(
                "{n} images in art \"{title}\", such as \"{name}\", cannot bend, so they are transformed as a whole"
            ),
        };
        let help = "convert it to a path in the drawing program, or bind it with Rigid to one bone";
        let warning = self.with_place(Diagnostic::warning("cannot-bend", message).help(help), first);
        self.report(named.span, warning);
    }

    /// Warns about other art in a group whose only path has explicit weights: it does not move.
    pub(super) fn stays_behind(&mut self, explicit: &ExplicitDoc, group: ElementId, path: ElementId) {
        if group == path || self.cuts(group) {
            return;
        }
        let stays = |leaf: &&Leaf| leaf.owner != path && self.is_nearest(leaf.owner, &[group]);
        let seen = |leaf: &&Leaf| self.art.is_seen(leaf.node);
        let Some(first) = self.art_index.leaves().iter().filter(stays).find(seen).map(|leaf| leaf.owner)
        else {
            return;
        };
        let (name, what, art) = (self.art.shown_name(first), self.what(first), &explicit.art.value);
        let message = format!(
            "{what} \"{name}\" in art \"{art}\" does not move: the weights of Explicit apply to one path"
        );
        let warning = Diagnostic::warning("cannot-bend", message)
            .help("add a binding for it, or bind the group with Smooth");
        let warning = self.with_place(warning, first);
        self.report(explicit.art.span, warning);
    }

    /// The kind of an element without vertices, for a message.
    fn what(&self, id: ElementId) -> &'static str {
        use bone_drawing::ElementKind as K;
        match self.art.element(id).map(|element| element.kind) {
            Some(K::Image) => "image",
            Some(K::Use) => "clone",
            Some(K::Text) => "text",
            _ => "art",
        }
    }

    fn with_place(&self, diagnostic: Diagnostic, id: ElementId) -> Diagnostic {
        match self.art.element(id) {
            Some(element) => {
                diagnostic.related(Place::new(self.drawing, Span::from_range(&element.source)), "it is here")
            }
            None => diagnostic,
        }
    }
}
