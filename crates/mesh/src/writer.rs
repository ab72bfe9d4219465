//! Receives a frame and writes its triangles.

use std::ops::Range;

use bone_drawing::{
    BlendMode, Drawing, FillCall, FillRule, Frame, ImageCall, LayerCall, LineJoin, NodeId, NodeKind,
    PaintSink, PaintStack, PosedClip, StrokeCall,
};
use kurbo::{Affine, BezPath, PathEl, Point};

use crate::cache::{MeshCache, MeshWork, Outline, ShapeCache, grown};
use crate::flatten::power_of_two_below;
use crate::mesh::{FrameMesh, MeshDraw, TriangleLook};
use crate::paint::{PICTURE, VertexPaint, left_out};

/// How a frame is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshView {
    /// From pixels of the drawing at scale 1 to the space of the vertices.
    pub transform: Affine,
    /// The size of a pixel of the screen in the space of the vertices: how wide smooth edges are, and how finely
    /// curves are cut.
    pub pixel: f64,
}

/// The smallest size of a pixel, and one by the largest.
const LEAST_PIXEL: f64 = 1e-12;
/// How far triangles may be from curves, in pixels.
const TOLERANCE: f64 = 0.3;
/// How far out points are at most, in pixels: farther ones are finite, but single precision has no places for them.
const FARTHEST: f64 = 1e7;
/// The largest coordinate of a vertex: its square is a number of single precision, too.
const MOST: f64 = 1e18;
/// Twice the area by which a triangle may be turned over, in pixels.
const TURNED: f64 = 0.05;

/// Puts the triangles of a frame into a mesh, in place of those that it has. The same frame and view give the same
/// triangles, whatever the memory was used for before.
pub fn fill_mesh(
    drawing: &Drawing,
    frame: &Frame,
    view: MeshView,
    stack: &mut PaintStack,
    cache: &mut MeshCache,
    mesh: &mut FrameMesh,
) {
    mesh.clear();
    let usable = view.transform.is_finite() && (LEAST_PIXEL..=1.0 / LEAST_PIXEL).contains(&view.pixel);
    if !usable {
        return;
    }
    let mut writer = MeshWriter { drawing, pixel: view.pixel, cache, mesh, open: Vec::new(), opacity: 1.0 };
    drawing.paint_with(frame, view.transform, &mut writer, stack);
}

struct MeshWriter<'a> {
    drawing: &'a Drawing,
    pixel: f64,
    cache: &'a mut MeshCache,
    mesh: &'a mut FrameMesh,
    /// The layers that are open: how many clips each has, and the opacity around it.
    open: Vec<(usize, f64)>,
    opacity: f64,
}

impl PaintSink for MeshWriter<'_> {
    fn fill(&mut self, call: &FillCall<'_>) {
        let (paint, missing) =
            VertexPaint::of(&call.brush, call.opacity * self.opacity, &mut self.mesh.ramps);
        self.mesh.left_out |= missing;
        // Where triangles that keep their corners cover each other, only an opaque shape looks the same.
        let keeps = paint.is_opaque && call.rule == FillRule::NonZero;
        let (key, smooth) = (ShapeKey::Fill(call.node), call.smooth);
        self.shape(key, call.outline, keeps, call.rule, call.transform, paint, smooth);
    }

    fn stroke(&mut self, call: &StrokeCall<'_>) {
        let (paint, missing) =
            VertexPaint::of(&call.brush, call.opacity * self.opacity, &mut self.mesh.ramps);
        let clipped = if call.join == LineJoin::MiterClip { left_out::CLIPPED_MITERS } else { 0 };
        self.mesh.left_out |= missing | clipped;
        let Some(tolerance) = self.tolerance(call.transform) else { return };
        let kept = &mut grown(&mut self.cache.shapes, call.node.index())[1];
        let stroked = kept.stroke(call.outline, &call.style, tolerance);
        let (key, rule) = (ShapeKey::Stroke(call.node), FillRule::NonZero);
        self.shape(key, &stroked, false, rule, call.transform, paint, call.smooth);
        grown(&mut self.cache.shapes, call.node.index())[1].keep_stroke(stroked);
    }

    fn image(&mut self, call: &ImageCall<'_>) {
        let size = call.image.size;
        let corners = [(0.0, 0.0), (size.width, 0.0), (size.width, size.height), (0.0, size.height)];
        let corners = corners.map(|corner| call.transform * Point::from(corner));
        if !corners.iter().all(|corner| self.is_near(*corner)) {
            return;
        }
        if call.tint.add != [0.0; 3] {
            self.mesh.left_out |= left_out::SHADES;
        }
        let [red, green, blue] =
            call.tint.multiply.map(|factor| (255.0 * factor.clamp(0.0, 1.0)).round() as u8);
        let color = [red, green, blue, (255.0 * self.opacity.clamp(0.0, 1.0)).round() as u8];
        self.mesh.picture(call.node, corners, color, [0, 0, PICTURE, 0]);
    }

    fn push_layer(&mut self, call: &LayerCall<'_>) -> bool {
        if call.opacity <= 0.0 {
            return false;
        }
        let mut missing = 0;
        if call.opacity < 1.0 && !paints_once(call.drawing, call.node) {
            missing |= left_out::GROUP_OPACITY;
        }
        if call.blend != BlendMode::Normal {
            missing |= left_out::BLENDING;
        }
        if call.mask.is_some() {
            missing |= left_out::MASKS;
        }
        if !call.filters.is_empty() {
            missing |= left_out::FILTERS;
        }
        self.mesh.left_out |= missing;
        let mut clips = 0;
        for clip in std::iter::successors(call.clip, |clip| clip.clip()) {
            self.clip(clip, call.transform);
            clips += 1;
        }
        self.open.push((clips, self.opacity));
        self.opacity *= call.opacity;
        true
    }

    fn pop_layer(&mut self) {
        let Some((clips, around)) = self.open.pop() else { return };
        self.opacity = around;
        for _ in 0..clips {
            self.mesh.draw(MeshDraw::Unclip);
        }
    }
}

/// Whose memory a shape has.
#[derive(Clone, Copy)]
enum ShapeKey {
    Fill(NodeId),
    Stroke(NodeId),
}

/// Whether a group paints one thing alone: then its opacity is that of the thing.
fn paints_once(drawing: &Drawing, group: NodeId) -> bool {
    let Some(NodeKind::Group(group)) = drawing.node(group).map(|node| &node.kind) else { return false };
    let [child] = group.children.as_slice() else { return false };
    match drawing.node(*child).map(|node| &node.kind) {
        Some(NodeKind::Shape(shape)) => shape.fill.is_none() || shape.stroke.is_none(),
        Some(NodeKind::Image(_)) => true,
        _ => false,
    }
}

impl MeshWriter<'_> {
    /// How far triangles may be from curves in the space that a transform maps; none if it is flat.
    fn tolerance(&self, transform: Affine) -> Option<f64> {
        let scale = transform.determinant().abs().sqrt();
        let tolerance = TOLERANCE * self.pixel / scale;
        let usable = tolerance.is_finite() && tolerance > 0.0 && transform.is_finite();
        // Few of them, so that what was cut can be kept.
        usable.then(|| power_of_two_below(tolerance))
    }

    fn farthest(&self) -> f64 {
        (FARTHEST * self.pixel).min(MOST)
    }

    fn is_near(&self, point: Point) -> bool {
        // NaN is not.
        point.x.abs() <= self.farthest() && point.y.abs() <= self.farthest()
    }

    #[expect(clippy::too_many_arguments, reason = "what a fill is")]
    fn shape(
        &mut self,
        key: ShapeKey,
        posed: &BezPath,
        keeps: bool,
        rule: FillRule,
        transform: Affine,
        paint: VertexPaint,
        smooth: bool,
    ) {
        if paint.opacity <= 0.0 || posed.elements().is_empty() {
            return;
        }
        let Some(tolerance) = self.tolerance(transform) else { return };
        let (node, part) = match key {
            ShapeKey::Fill(node) => (node, 0),
            ShapeKey::Stroke(node) => (node, 1),
        };
        let turned = TURNED * self.pixel * self.pixel / transform.determinant().abs();
        let farthest = self.farthest();
        let MeshCache { rests, shapes, work, .. } = &mut *self.cache;
        let (drawing, rests) = (self.drawing, if keeps { rests.as_slice() } else { &[] });
        let kept = &mut grown(shapes, node.index())[part];
        let outline = Outline { posed, rests, drawing, node, rule, tolerance, turned };
        let look = TriangleLook { paint, pixel: if smooth { self.pixel } else { 0.0 } };
        let shape = PosedShape { outline, transform, look, farthest };
        match triangles(kept, &shape, work, self.mesh) {
            Some(range) => self.mesh.draw(MeshDraw::Triangles(range)),
            None => self.mesh.left_out |= left_out::OUTLINES,
        }
    }

    /// Opens a clip path, `transform` maps the space of the group.
    fn clip(&mut self, clip: PosedClip<'_>, transform: Affine) {
        let start = self.mesh.indices().len();
        for (at, outline) in clip.outlines().into_iter().enumerate() {
            if outline.clip.is_some() {
                self.mesh.left_out |= left_out::CLIPPED_CLIPS;
            }
            let transform = transform * outline.transform;
            let Some(tolerance) = self.tolerance(transform) else { continue };
            let (posed, rule) = (outline.outline, outline.rule);
            let (drawing, node) = (self.drawing, NodeId::from_index(0));
            let outline = Outline { posed, rests: &[], drawing, node, rule, tolerance, turned: 0.0 };
            let farthest = self.farthest();
            let MeshCache { clips, work, .. } = &mut *self.cache;
            let kept = grown(grown(clips, clip.id().index()), at);
            let look = TriangleLook { paint: VertexPaint::solid([255; 3], 1.0), pixel: 0.0 };
            let shape = PosedShape { outline, transform, look, farthest };
            if triangles(kept, &shape, work, self.mesh).is_none() {
                self.mesh.left_out |= left_out::OUTLINES;
            }
        }
        self.mesh.draw(MeshDraw::Clip(start..self.mesh.indices().len()));
    }
}

/// An outline to be cut and placed.
struct PosedShape<'a> {
    outline: Outline<'a>,
    transform: Affine,
    look: TriangleLook,
    /// Beyond this far out nothing is drawn.
    farthest: f64,
}

/// Adds the triangles of a shape, and returns their range; none if it cannot be cut.
fn triangles(
    kept: &mut ShapeCache,
    shape: &PosedShape<'_>,
    work: &mut MeshWork,
    mesh: &mut FrameMesh,
) -> Option<Range<usize>> {
    let PosedShape { outline, transform, look, farthest } = shape;
    // What is not a number is not within.
    let is_near = reach(outline.posed, *transform) <= *farthest;
    if !is_near {
        return None;
    }
    let (own, topology) = kept.cut(*outline, &mut work.cutting)?;
    let placed = &mut work.placing.placed;
    placed.clear();
    placed.extend(own.iter().map(|point| *transform * *point));
    Some(mesh.shape(own, topology, *look, &mut work.placing))
}

/// No control point is farther out on an axis than this.
fn reach(path: &BezPath, transform: Affine) -> f64 {
    let mut most = 0.0;
    // Compared by hand: on some machines the functions for it are called.
    let mut take = |point: Point| {
        for number in [point.x.abs(), point.y.abs()] {
            if number > most || number.is_nan() {
                most = number;
            }
        }
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(a) | PathEl::LineTo(a) => take(a),
            PathEl::QuadTo(a, b) => [a, b].into_iter().for_each(&mut take),
            PathEl::CurveTo(a, b, c) => [a, b, c].into_iter().for_each(&mut take),
            PathEl::ClosePath => {}
        }
    }
    let [a, b, c, d, e, f] = transform.as_coeffs().map(f64::abs);
    ((a + c) * most + e).max((b + d) * most + f)
}
