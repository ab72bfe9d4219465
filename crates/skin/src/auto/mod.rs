//! Automatic weights: the influence of each bone at every point of a drawing, computed from the drawing.
//!
//! All shapes of a binding have one interior: the union of their fills and strokes, meshed and solved once.
//! The result does not depend on the order of shapes, vertices or bones, nor on the machine.
//!
//! | module | idea |
//! |---|---|
//! | `outline` | shapes to integer segments |
//! | `interior` | the border of their union |
//! | `raster` | the same in cells, for drawings with too many crossings |
//! | `weld` | slits between shapes, which are filled |
//! | `mesh` | triangles within it |
//! | `seeds` | the nearest bone in sight of each vertex |
//! | `depth` | how far within the drawing each vertex lies |
//! | `laplacian` | equations on the mesh, solved by `crate::sparse` |
//! | `heat`, `biharmonic`, `envelope`, `inverse` | the methods |
//! | `beside` | pieces that no bone enters |
//! | `field` | weights at any point |
//! | `brush` | strokes on them |
//! | `patches` | pieces of a shape in which paint moves by an affine map |

mod beside;
mod biharmonic;
mod brush;
mod buckets;
mod depth;
mod envelope;
mod field;
mod heat;
mod interior;
mod inverse;
mod laplacian;
mod mesh;
mod note;
mod outline;
mod patches;
mod puppet_mesh;
mod raster;
mod seeds;
mod segment;
mod shape;
mod weld;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use bone_core::{BoneId, InfluenceRegion};
use kurbo::{PathEl, Point};

use biharmonic::SolveStatus;
use envelope::Envelope;
use field::{FieldSource, MeshWeights};
use interior::Interior;
use inverse::InverseDistance;
use laplacian::Laplacian;
use mesh::Mesh;
use outline::{EXTENT, Outlines};
use seeds::SeedAssignment;
use segment::LineSegment;
use shape::LIMIT;

pub use brush::{BrushEffect, BrushStroke};
pub use field::SolvedField;
pub use note::{FieldError, FieldNote};
pub use patches::InnerWeights;
pub use puppet_mesh::{PuppetMesh, PuppetMeshError};
pub use shape::{ClipRegion, CoveredShape};

/// A bone at rest, on the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The bone.
    pub bone: BoneId,
    /// Its origin.
    pub origin: Point,
    /// Its tip; equal to the origin for a bone that is a point.
    pub tip: Point,
    /// Its region of influence; [`Method::Envelope`] uses a default in proportion to the length if there is
    /// none.
    pub region: Option<InfluenceRegion>,
}

/// The method that computes the weights.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Weight 1 for the nearest bone.
    Rigid,
    /// Regions of influence, divided by their sum.
    Envelope,
    /// Diffusion through the drawing from the nearest bones (Baran and Popovic 2007). Fast and even.
    #[default]
    Heat,
    /// Bounded biharmonic weights (Jacobson et al. 2011): the smoothest within [0, 1] that are 1 on their own
    /// bone.
    Biharmonic,
    /// Inverse distances to the bones to this power, divided by their sum (Shepard 1968). Borders have no
    /// effect. The power must be above 0; 2 and more are smooth.
    InverseDistance(f64),
}

/// Parameters of the methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldOptions {
    /// Approximate number of triangles of the mesh; at least 16, at most 200,000.
    pub triangles: usize,
    /// `c` of the heat equation: how sharply weights change from one bone to the next; 1 in the paper. Must
    /// be above 0.
    pub heat: f64,
    /// Softening of the heat sources at the joints, as a share of the drawing's depth there. At 0 points on a
    /// bone have weight 1, as in the paper, and a line drawn along the bones breaks at each joint.
    pub softness: f64,
    /// The greatest distance, in canvas units, at which different shapes are one; the default is 0.2 % of the
    /// drawing's longer side. Parts of one shape stay apart.
    pub weld: Option<f64>,
}

/// The default of [`FieldOptions::weld`] as a share of the drawing's longer side.
const WELD: f64 = 2e-3;
/// The least difference of weights across a slit that is reported: below it the slit opens by less than a line's
/// width in usual art.
const JUMP: f64 = 0.15;

impl Default for FieldOptions {
    fn default() -> Self {
        Self { triangles: 4500, heat: 1.0, softness: 0.25, weld: None }
    }
}

/// Computes the weights of bones over shapes.
///
/// ```
/// use bone_core::BoneId;
/// use kurbo::{BezPath, Point};
/// use bone_skin::{BoneSegment, FieldOptions, WindingRule, Method, CoveredShape, solve_weights};
///
/// let arm = BezPath::from_svg("M0 0H100V20H0Z")?;
/// let shapes = [CoveredShape { path: &arm, fill: Some(WindingRule::NonZero), stroke_width: 0.0 }];
/// let bone = |i, x0, x1| {
///     let (origin, tip) = (Point::new(x0, 10.0), Point::new(x1, 10.0));
///     BoneSegment { bone: BoneId::new(i), origin, tip, region: None }
/// };
/// let bones = [bone(0, 0.0, 50.0), bone(1, 50.0, 100.0)];
/// let (field, notes) = solve_weights(&shapes, &bones, Method::Heat, FieldOptions::default())?;
///
/// let mut weights = [0.0; 2];
/// field.weights_at(Point::new(50.0, 3.0), &mut weights);
/// assert!((weights[0] - 0.5).abs() < 0.01 && (weights[0] + weights[1] - 1.0).abs() < 1e-12);
/// field.weights_at(Point::new(90.0, 3.0), &mut weights);
/// assert!(weights[1] > 0.98);
/// assert!(notes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is no bone or no usable shape, or the position of a bone is not finite. [`Method::Rigid`],
/// [`Method::Envelope`] and [`Method::InverseDistance`] need no shape, so that they can serve as a fallback.
pub fn solve_weights(
    shapes: &[CoveredShape<'_>],
    bones: &[BoneSegment],
    method: Method,
    options: FieldOptions,
) -> Result<(SolvedField, Vec<FieldNote>), FieldError> {
    solve_weights_unless(&AtomicBool::new(false), (shapes, &[]), bones, method, options)
}

/// The same for shapes that clip paths cut, and ends soon after `cancel` is set.
///
/// # Errors
/// As [`solve_weights`], and [`FieldError::Cancelled`].
pub fn solve_weights_unless(
    cancel: &AtomicBool,
    (shapes, clips): (&[CoveredShape<'_>], &[ClipRegion<'_>]),
    bones: &[BoneSegment],
    method: Method,
    options: FieldOptions,
) -> Result<(SolvedField, Vec<FieldNote>), FieldError> {
    let mut notes = Vec::new();
    check_bones(bones, &mut notes)?;
    let segments: Vec<LineSegment> =
        bones.iter().map(|b| LineSegment { origin: b.origin, tip: b.tip }).collect();
    let source = match method {
        Method::Rigid => FieldSource::Nearest(segments),
        Method::InverseDistance(power) => FieldSource::Inverse(InverseDistance::new(segments, power)),
        Method::Envelope => {
            let regions = bones.iter().map(|b| b.region);
            let envelope = Envelope::new(segments.iter().copied().zip(regions));
            note_unreached(shapes, &envelope, &mut notes);
            FieldSource::Envelope(envelope)
        }
        Method::Heat | Method::Biharmonic => {
            match meshed(cancel, (shapes, clips), bones, method, options, &mut notes)? {
                Some(solved) => FieldSource::Mesh(Box::new(solved)),
                None => {
                    notes.push(FieldNote::NoArea);
                    FieldSource::Nearest(segments)
                }
            }
        }
    };
    Ok((SolvedField { bones: bones.iter().map(|b| b.bone).collect(), source }, notes))
}

fn check_bones(bones: &[BoneSegment], notes: &mut Vec<FieldNote>) -> Result<(), FieldError> {
    if bones.is_empty() {
        return Err(FieldError::NoBones);
    }
    let usable = |p: Point| p.x.abs() <= LIMIT && p.y.abs() <= LIMIT;
    if let Some(bad) = bones.iter().find(|b| !usable(b.origin) || !usable(b.tip)) {
        return Err(FieldError::BoneNotFinite { bone: bad.bone });
    }
    let mut sorted: Vec<&BoneSegment> = bones.iter().collect();
    sorted.sort_by_key(|b| b.bone);
    if let Some(twice) = sorted.windows(2).find(|w| w[0].bone == w[1].bone) {
        return Err(FieldError::BoneTwice { bone: twice[0].bone });
    }
    notes.extend(
        sorted.iter().filter(|b| b.origin == b.tip).map(|b| FieldNote::BoneWithoutLength { bone: b.bone }),
    );
    // From the back, so that each bone is paired with the next one that has its ends.
    let mut last: BTreeMap<[[u64; 2]; 2], BoneId> = BTreeMap::new();
    let mut coincide: Vec<FieldNote> = sorted
        .iter()
        .rev()
        .filter_map(|b| {
            let second = last.insert(ends(b), b.bone)?;
            Some(FieldNote::BonesCoincide { first: b.bone, second })
        })
        .collect();
    coincide.reverse();
    notes.extend(coincide);
    Ok(())
}

/// A key that is equal for bones with equal ends, in either order.
fn ends(bone: &BoneSegment) -> [[u64; 2]; 2] {
    // 0 and -0 are equal.
    let mut ends = [bone.origin, bone.tip].map(|p| [p.x, p.y].map(|v| (v + 0.0).to_bits()));
    ends.sort_unstable();
    ends
}

fn note_unreached(shapes: &[CoveredShape<'_>], envelope: &Envelope, notes: &mut Vec<FieldNote>) {
    for (shape, drawn) in shapes.iter().enumerate() {
        let ends = drawn.path.elements().iter().filter_map(PathEl::end_point);
        let found = ends.filter(|p| p.x.abs() <= LIMIT && p.y.abs() <= LIMIT).find(|&p| !envelope.reaches(p));
        notes.extend(found.map(|at| FieldNote::OutsideRegions { shape, at }));
    }
}

/// `None` if the drawing has no extent.
fn meshed(
    cancel: &AtomicBool,
    (shapes, clips): (&[CoveredShape<'_>], &[ClipRegion<'_>]),
    bones: &[BoneSegment],
    method: Method,
    options: FieldOptions,
    notes: &mut Vec<FieldNote>,
) -> Result<Option<MeshWeights>, FieldError> {
    if shapes.is_empty() {
        return Err(FieldError::NoShapes);
    }
    let first = notes.len();
    let outlines = Outlines::new(shapes, clips, notes);
    if notes.len() - first == shapes.len() {
        // No shape was usable.
        let broken = notes.iter().any(|n| matches!(n, FieldNote::ShapeNotFinite { .. }));
        return Err(if broken { FieldError::ShapesNotFinite } else { FieldError::NoShapes });
    }
    let Some(outlines) = outlines else { return Ok(None) };
    let go_on = || if cancel.load(Ordering::Relaxed) { Err(FieldError::Cancelled) } else { Ok(()) };
    go_on()?;
    let triangles = options.triangles.clamp(16, 200_000);
    let weld = options.weld.map_or(WELD * EXTENT, |weld| outlines.frame.grid_length(weld.max(0.0)));
    let (most, weld) = ((triangles / 2).max(256), weld.min(0.1 * EXTENT));
    let interior = Interior::unless(cancel, &outlines, most, weld).ok_or(FieldError::Cancelled)?;
    // What is hidden as a whole is bound as it would be without its clip paths.
    if interior.edges.is_empty() && !outlines.is_uncut() {
        notes.truncate(first);
        return meshed(cancel, (shapes, &[]), bones, method, options, notes);
    }
    if interior.is_coarse() {
        notes.push(FieldNote::Coarse { step: outlines.frame.length(interior.step as f64) });
    }
    let frame = outlines.frame;
    let segments: Vec<LineSegment> = bones
        .iter()
        .map(|b| LineSegment { origin: frame.apply(b.origin), tip: frame.apply(b.tip) })
        .collect();
    go_on()?;
    let Some(mesh) = Mesh::new(&interior, &segments, triangles) else { return Ok(None) };
    go_on()?;
    let seeds = SeedAssignment::new(&mesh, &interior, &segments);
    note_pieces(&mesh, &seeds, &frame, notes);
    let laplacian = Laplacian::new(&mesh);
    let c = if options.heat.is_finite() && options.heat > 0.0 { options.heat } else { 1.0 };
    let softness = if options.softness.is_finite() { options.softness.max(0.0) } else { 0.0 };
    let soft = if softness > 0.0 { softening(&mesh, &seeds, &segments, softness) } else { Vec::new() };
    let heat = |notes: &mut Vec<FieldNote>| {
        heat::solve(&mesh, &laplacian, &seeds, (bones.len(), c, &soft)).unwrap_or_else(|| {
            notes.push(FieldNote::Unsolved);
            nearest_rows(&seeds, mesh.points.len(), bones.len())
        })
    };
    go_on()?;
    let mut weights = heat(notes);
    go_on()?;
    if method == Method::Biharmonic {
        let free = rounded_joints(&mesh, &seeds, &segments, &soft);
        let (system, held) = ((&mesh, &laplacian), (&seeds, &free[..]));
        let status = biharmonic::solve(cancel, system, held, bones.len(), &mut weights);
        go_on()?;
        match status {
            SolveStatus::Solved => {}
            SolveStatus::Stopped => notes.push(FieldNote::NotOptimal),
            SolveStatus::Failed => notes.push(FieldNote::Unsolved),
        }
    }
    beside::weigh((&mesh, &laplacian), &seeds, &segments, &mut weights);
    for (i, b) in bones.iter().enumerate() {
        if weights.iter().skip(i).step_by(bones.len()).all(|&w| w < 1e-6) {
            notes.push(FieldNote::BoneWithoutShare { bone: b.bone });
        }
    }
    let solved = MeshWeights::new(frame, mesh, weights, bones.len());
    notes.extend(widest_jump(&solved, &interior, bones.len()));
    Ok(Some(solved))
}

/// The depth below which a part of the drawing is a line, as a share of its bone's length, and how deep a line
/// counts as.
const LINE: (f64, f64) = (0.1, 0.3);

/// The length over which weights are softened at each vertex: in proportion to the depth of the drawing, and on
/// lines to the length of the bone, because a line that breaks at a joint has no width that shows how round it
/// should be.
fn softening(mesh: &Mesh, seeds: &SeedAssignment, bones: &[LineSegment], softness: f64) -> Vec<f64> {
    let soft = |(v, depth): (usize, f64)| {
        let length = seeds.of(v).first().map_or(0.0, |bone| bones[*bone as usize].length().min(EXTENT));
        softness * depth.max(LINE.1 * (length - depth / LINE.0))
    };
    depth::depths(mesh).into_iter().enumerate().map(soft).collect()
}

/// The vertices on lines so near to a joint that no bone holds them: biharmonic weights of a line whose
/// vertices are all held by bones would break there.
fn rounded_joints(mesh: &Mesh, seeds: &SeedAssignment, bones: &[LineSegment], soft: &[f64]) -> Vec<bool> {
    let depths = if soft.is_empty() { Vec::new() } else { depth::depths(mesh) };
    let is_free = |(v, depth): (usize, &f64)| {
        let near = seeds.of(v);
        let length = near.first().map_or(0.0, |bone| bones[*bone as usize].length().min(EXTENT));
        let other = bones.iter().zip(0_u32..).filter(|(_, bone)| !near.contains(bone));
        let distances = other.map(|(bone, _)| bone.nearest(mesh.points[v]).1);
        *depth < LINE.0 * length && distances.fold(f64::INFINITY, f64::min) < 2.0 * soft[v]
    };
    depths.iter().enumerate().map(is_free).collect()
}

/// The slit that could not be filled with the greatest difference of weights, if it is visible.
fn widest_jump(solved: &MeshWeights, interior: &Interior, bones: usize) -> Option<FieldNote> {
    let (mut one, mut other) = (vec![0.0; bones], vec![0.0; bones]);
    let mut worst: Option<FieldNote> = None;
    let mut most = JUMP;
    for slit in interior.slits.iter().filter(|slit| !interior.contains(slit.from.midpoint(slit.to))) {
        solved.weights_on_grid(slit.from, &mut one);
        solved.weights_on_grid(slit.to, &mut other);
        let jump = one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if jump > most {
            most = jump;
            worst = Some(FieldNote::Slit { at: solved.canvas(slit.from), jump });
        }
    }
    worst
}

fn nearest_rows(seeds: &SeedAssignment, vertices: usize, bones: usize) -> Vec<f64> {
    let mut weights = vec![0.0; vertices * bones];
    for v in 0..vertices {
        let near = seeds.of(v);
        near.iter().for_each(|&b| weights[v * bones + b as usize] = 1.0 / near.len() as f64);
    }
    weights
}

/// Notes the pieces of the drawing without a bone, all at once.
fn note_pieces(mesh: &Mesh, seeds: &SeedAssignment, frame: &outline::Frame, notes: &mut Vec<FieldNote>) {
    let pieces =
        mesh.pieces.iter().enumerate().filter(|(v, piece)| **piece as usize == *v && !seeds.held[*v]);
    let mut places = pieces.map(|(v, _)| frame.canvas(mesh.points[v]));
    if let Some(at) = places.next() {
        notes.push(FieldNote::PieceWithoutBone { at, pieces: 1 + places.count() });
    }
}
