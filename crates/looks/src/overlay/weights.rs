//! The weights of a bone as colours along outlines and over the mesh of automatic weights, and the mesh
//! itself. Offsets are not applied: positions are those of the bones alone.

use std::fmt::Write as _;

use bone_core::BoneId;
use bone_drawing::ElementState;
use bone_skin::{BLine, Segment, SkinBlend, SolvedField, VertexWeights};
use kurbo::{Affine, BezPath, CubicBez, Line, ParamCurve as _, PathEl, Point, QuadBez, Rect};

use super::ramp::{STEPS, colour, step};
use super::writer::{HALO, INK, OverlayStroke, OverlayWriter};
use crate::lettering::{Anchor, TextLine, rounded, write_path};
use bone_format::doc::RigDoc;
use bone_format::{PathWeightSource, weights_of};
use bone_rig::{FrameState, Rig};

/// A point at rest, with its weights.
#[derive(Clone, Debug)]
struct WeightedPoint {
    at: Point,
    row: Vec<(BoneId, f64)>,
}

/// The deformed art of one binding.
#[derive(Clone, Debug)]
struct Bent {
    triangles: Vec<[WeightedPoint; 3]>,
    /// Points along each outline.
    outlines: Vec<Vec<WeightedPoint>>,
    blend: SkinBlend,
}

/// All deformed art, with its weights.
#[derive(Clone, Debug)]
pub(super) struct WeightLayer {
    bone: Option<(BoneId, String)>,
    bent: Vec<Bent>,
    /// Outlines that move rigidly with the bone, at rest.
    rides: Vec<BezPath>,
}

/// The number of points along a segment.
const SAMPLES: usize = 12;

impl WeightLayer {
    pub(super) fn new(rig: &Rig, doc: &RigDoc, bone: Option<BoneId>) -> Self {
        let (art, skeleton) = (rig.art(), rig.skeleton());
        let mut bent = Vec::new();
        for binding in &doc.skin {
            let paths = weights_of(binding, (doc, art), skeleton);
            let drawn = |id| art.element(id).is_some_and(|e| e.state == ElementState::Drawn);
            let Some(first) = paths.first() else { continue };
            let triangles = match &first.before {
                PathWeightSource::Found(field) => triangles(field),
                PathWeightSource::Typed(_) => Vec::new(),
            };
            let drawn = paths.iter().filter(|path| drawn(path.art.element()));
            let outlines = drawn.flat_map(|path| outlines(&path.lines, &path.before, &path.rows)).collect();
            bent.push(Bent { triangles, outlines, blend: first.blend });
        }
        let elements = rig.rigid_elements().filter(|(_, carrier)| Some(*carrier) == bone);
        let paths = elements.flat_map(|(element, _)| art.paths_in(element));
        let rides = paths.filter_map(|id| Some(art.outline(id)?.path.clone())).collect();
        Self { bone: bone.map(|bone| (bone, skeleton.name(bone).to_owned())), bent, rides }
    }

    pub(super) fn write(&self, state: &FrameState, out: &mut OverlayWriter<'_>, mesh: bool) {
        if let Some((bone, name)) = &self.bone {
            self.colours(*bone, state, out);
            if mesh {
                self.mesh(state, out);
            }
            self.along(*bone, state, out);
            legend(name, out);
        } else if mesh {
            self.mesh(state, out);
        }
    }

    /// The triangles, one path for each step of colour.
    fn colours(&self, bone: BoneId, state: &FrameState, out: &mut OverlayWriter<'_>) {
        let mut steps = vec![BezPath::new(); STEPS];
        for bent in &self.bent {
            for triangle in &bent.triangles {
                let mean = triangle.iter().map(|held| held.weight(bone)).sum::<f64>() / 3.0;
                let corners = triangle.each_ref().map(|held| held.posed(state, bent.blend));
                closed(&corners, &mut steps[step(mean)]);
            }
        }
        out.svg.push_str("<g opacity=\"0.8\">\n");
        for (step, path) in steps.iter().enumerate() {
            let colour = colour(step);
            // Strokes close the seams between triangles.
            let fill = format!("fill=\"{colour}\"");
            out.canvas_path(path, &fill, OverlayStroke { halo: 0.0, ..OverlayStroke::new(&colour, 0.7) });
        }
        out.svg.push_str("</g>\n");
    }

    /// The outlines, one path for each step of colour.
    fn along(&self, bone: BoneId, state: &FrameState, out: &mut OverlayWriter<'_>) {
        let mut steps = vec![BezPath::new(); STEPS];
        for bent in &self.bent {
            for outline in &bent.outlines {
                for pair in outline.windows(2) {
                    let [from, to] = [&pair[0], &pair[1]];
                    let path = &mut steps[step(0.5 * (from.weight(bone) + to.weight(bone)))];
                    path.move_to(from.posed(state, bent.blend));
                    path.line_to(to.posed(state, bent.blend));
                }
            }
        }
        let matrix = state.matrices().of(bone);
        for path in &self.rides {
            steps[STEPS - 1].extend(matrix * path);
        }
        // All edges first, so that none is drawn over a neighbour. Bright colours are visible on a dark one,
        // dark ones on a bright one.
        for (step, path) in steps.iter().enumerate() {
            let edge = if step >= STEPS / 2 { INK } else { HALO };
            out.canvas_path(
                path,
                "fill=\"none\"",
                OverlayStroke { halo: 0.0, ..OverlayStroke::new(edge, 5.0) },
            );
        }
        for (step, path) in steps.iter().enumerate() {
            out.canvas_path(
                path,
                "fill=\"none\"",
                OverlayStroke { halo: 0.0, ..OverlayStroke::new(&colour(step), 3.2) },
            );
        }
    }

    fn mesh(&self, state: &FrameState, out: &mut OverlayWriter<'_>) {
        let mut path = BezPath::new();
        for bent in &self.bent {
            for triangle in &bent.triangles {
                closed(&triangle.each_ref().map(|held| held.posed(state, bent.blend)), &mut path);
            }
        }
        let mut data = String::new();
        if path.elements().iter().filter_map(PathEl::end_point).all(|p| out.at(p).is_some()) {
            write_path(&path, out.to_pixels, &mut data);
        }
        if !data.is_empty() {
            for (colour, width, opacity) in [(HALO, 1.3, 0.35), (INK, 0.5, 0.7)] {
                let _ = writeln!(
                    out.svg,
                    "<path d=\"{data}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"{opacity}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
                );
            }
        }
    }
}

impl WeightedPoint {
    fn weight(&self, bone: BoneId) -> f64 {
        self.row.iter().filter(|(b, _)| *b == bone).map(|(_, weight)| *weight).sum()
    }

    fn posed(&self, state: &FrameState, blend: SkinBlend) -> Point {
        state.matrices().blended(blend, &self.row, self.at)
    }
}

fn closed(corners: &[Point; 3], path: &mut BezPath) {
    path.move_to(corners[0]);
    path.line_to(corners[1]);
    path.line_to(corners[2]);
    path.close_path();
}

fn weighted_point(field: &SolvedField, at: Point) -> WeightedPoint {
    let mut weights = vec![0.0; field.bones().len()];
    field.weights_at(at, &mut weights);
    let row = field.bones().iter().copied().zip(weights).filter(|(_, weight)| *weight > 1e-9).collect();
    WeightedPoint { at, row }
}

fn triangles(field: &SolvedField) -> Vec<[WeightedPoint; 3]> {
    field.triangles().map(|triangle| triangle.map(|at| weighted_point(field, at))).collect()
}

fn outlines(lines: &[BLine], before: &PathWeightSource, rows: &[VertexWeights]) -> Vec<Vec<WeightedPoint>> {
    let mut first = 0;
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let mut points = Vec::new();
        for (kind, from, to) in line.segments() {
            let (a, b) = (&line.vertices()[from], &line.vertices()[to]);
            let curve = match kind {
                Segment::Line => {
                    let line = Line::new(a.anchor, b.anchor);
                    CubicBez::new(a.anchor, line.eval(1.0 / 3.0), line.eval(2.0 / 3.0), b.anchor)
                }
                Segment::Quad => QuadBez::new(a.anchor, a.tangent_out, b.anchor).raise(),
                Segment::Cubic => CubicBez::new(a.anchor, a.tangent_out, b.tangent_in, b.anchor),
            };
            for sample in 0..=SAMPLES {
                let t = sample as f64 / SAMPLES as f64;
                let at = curve.eval(t);
                let pair = rows.get(first + from).zip(rows.get(first + to));
                match (before, pair) {
                    (PathWeightSource::Found(field), _) => points.push(weighted_point(field, at)),
                    (PathWeightSource::Typed(_), Some(pair)) => {
                        points.push(WeightedPoint { at, row: between(pair, t) })
                    }
                    (PathWeightSource::Typed(_), None) => {}
                }
            }
        }
        first += line.vertices().len();
        all.push(points);
    }
    all
}

/// Typed rows are the control values of a cubic along the segment.
fn between((from, to): (&VertexWeights, &VertexWeights), t: f64) -> Vec<(BoneId, f64)> {
    let s = 1.0 - t;
    let out = from.tangent_out.as_ref().unwrap_or(&from.anchor);
    let arrive = to.tangent_in.as_ref().unwrap_or(&to.anchor);
    let shares = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let rows = [&from.anchor, out, arrive, &to.anchor];
    let mut sum: Vec<(BoneId, f64)> = Vec::new();
    for (share, row) in shares.into_iter().zip(rows) {
        for (bone, weight) in row.influences() {
            match sum.iter_mut().find(|(b, _)| b == bone) {
                Some((_, so_far)) => *so_far += share * weight,
                None => sum.push((*bone, share * weight)),
            }
        }
    }
    sum
}

/// The legend of the colours, in the lower left corner.
fn legend(name: &str, out: &mut OverlayWriter<'_>) {
    const STEP: f64 = 5.0;
    let (left, bottom) = (10.0, out.frame.y1 - 10.0);
    let width = STEP * STEPS as f64;
    let _ = writeln!(
        out.svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"9\" fill=\"{HALO}\" fill-opacity=\"0.85\"/>",
        rounded(left - 1.5),
        rounded(bottom - 8.5),
        rounded(width + 3.0)
    );
    for step in 0..STEPS {
        let place = Rect::new(0.0, 0.0, STEP + 0.3, 6.0);
        let at = Affine::translate((left + STEP * step as f64, bottom - 7.0));
        let mut data = String::new();
        write_path(&kurbo::Shape::to_path(&place, 0.1), at, &mut data);
        let _ = writeln!(out.svg, "<path d=\"{data}\" fill=\"{}\"/>", colour(step));
    }
    let name = bone_format::text::shortened(name);
    TextLine::new(&name, 11.0, (left, bottom - 13.0), INK).bold().halo(HALO).write(out.svg);
    let words = |words, x| TextLine::new(words, 9.0, (x, bottom - 13.0), INK).anchor(Anchor::End).halo(HALO);
    words("0 \u{2192} 1", left + width).write(out.svg);
    out.labels.take(&[Point::new(left + 0.5 * width, bottom - 12.0)], kurbo::Size::new(width, 26.0), false);
}
