//! Paths and weights that have to be computed, and the store of those that were: each is known by the words of
//! all that it depends on, so that what comes again is not computed again, wherever it is in a document.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bone_core::{BoneId, Skeleton};
use bone_drawing::Outline;
use bone_skin::{
    BLine, BindError, BindOptions, BoneSegment, BrushEffect, BrushStroke, ClipRegion, CoveredShape,
    FieldError, FieldNote, FieldOptions, FoldRule, Follow, Method, PathWeightTracks, Skin, SkinBlend,
    SolvedField, VertexWeights, WeightField, Weights, WindingRule, solve_weights_unless,
};
use kurbo::{BezPath, PathEl};

use bone_skin::edit::vertex_weights_at_anchors;

use super::compute::{ComputeOptions, SkinDetail};
use super::parallel;
use super::path_warp::PathWarp;
use crate::doc::ArtWeightsDoc;
use crate::schema::content::Content;

/// Weights found over outlines, with what is to be said about them.
pub(super) type Field = Result<(Arc<SolvedField>, Arc<[FieldNote]>), FieldError>;

/// A bound path.
pub(super) type Bound = Result<Arc<Skin>, BindError>;

/// What is computed once and kept by its words.
#[derive(Debug)]
pub(super) struct Store<T> {
    known: BTreeMap<Box<[u64]>, Stored<T>>,
    next: u64,
}

#[derive(Debug)]
struct Stored<T> {
    /// Stands for the words.
    id: u64,
    /// None while it is only asked for.
    value: Option<T>,
    /// The last pass that asked for it.
    used: u64,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { known: BTreeMap::new(), next: 0 }
    }
}

impl<T: Clone> Store<T> {
    /// So many passes over bindings without a use are survived: undoing the last edits computes nothing anew.
    const KEPT: u64 = 4;

    /// The id of some words, and whether their value is known.
    fn ask(&mut self, words: &[u64], pass: u64) -> (u64, bool) {
        if let Some(found) = self.known.get_mut(words) {
            found.used = pass;
            return (found.id, found.value.is_some());
        }
        self.next += 1;
        self.known.insert(words.into(), Stored { id: self.next, value: None, used: pass });
        (self.next, false)
    }

    fn set(&mut self, words: &[u64], value: T) {
        if let Some(found) = self.known.get_mut(words) {
            found.value = Some(value);
        }
    }

    fn get(&self, words: &[u64]) -> Option<(u64, T)> {
        let found = self.known.get(words)?;
        Some((found.id, found.value.clone()?))
    }

    /// Forgets what the last passes did not ask for.
    pub(super) fn forget(&mut self, pass: u64) {
        self.known.retain(|_, stored| stored.value.is_some() && stored.used + Self::KEPT >= pass);
    }
}

/// Outlines over which weights are to be found, or strokes on weights that are found.
pub(super) struct FieldRequest {
    words: Vec<u64>,
    /// A field that needs no solver.
    made: Option<MadeField>,
    shapes: Vec<Shape>,
    clips: Vec<ClipOfShapes>,
    bones: Vec<BoneSegment>,
    how: (Method, FieldOptions),
}

/// A field that is made of another one.
enum MadeField {
    /// Strokes on the field at this place among the requests.
    Painted(usize, Vec<BrushStroke>),
    /// What was found before: the field of a puppet.
    Known(Arc<SolvedField>),
}

/// A clip path with the places of the shapes that it cuts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ClipOfShapes {
    pub(super) shapes: Vec<usize>,
    pub(super) outlines: Vec<(BezPath, WindingRule)>,
}

impl ClipOfShapes {
    pub(super) fn region(&self) -> ClipRegion<'_> {
        ClipRegion { shapes: &self.shapes, outlines: &self.outlines }
    }
}

/// What an outline covers.
struct Shape {
    path: BezPath,
    even_odd: Option<bool>,
    stroke_width: f64,
}

impl FieldRequest {
    pub(super) fn new<'o>(
        outlines: impl Iterator<Item = &'o Outline>,
        clips: Vec<ClipOfShapes>,
        bones: Vec<BoneSegment>,
        (method, options): (Method, FieldOptions),
    ) -> Self {
        let shape = |outline: &Outline| Shape {
            path: outline.path.clone(),
            even_odd: outline.even_odd,
            stroke_width: outline.stroke_width,
        };
        let shapes: Vec<Shape> = outlines.map(shape).collect();
        let mut words = match method {
            Method::Rigid => vec![0],
            Method::Envelope => vec![1],
            Method::Heat => vec![2],
            Method::InverseDistance(power) => vec![3, power.to_bits()],
            Method::Biharmonic => vec![4],
            _ => vec![5],
        };
        words.extend([shapes.len() as u64, clips.len() as u64]);
        (options.heat, options.softness).write(&mut words);
        options.weld.write(&mut words);
        for shape in &shapes {
            shape.even_odd.write(&mut words);
            shape.stroke_width.write(&mut words);
            shape.path.write(&mut words);
        }
        for bone in &bones {
            words.push(bone.bone.index() as u64);
            bone.origin.write(&mut words);
            bone.tip.write(&mut words);
            bone.region.map(|region| (region.origin_radius, region.tip_radius)).write(&mut words);
        }
        for clip in &clips {
            words.push(clip.shapes.len() as u64);
            words.extend(clip.shapes.iter().map(|shape| *shape as u64));
            words.push(clip.outlines.len() as u64);
            for (path, rule) in &clip.outlines {
                (*rule == WindingRule::EvenOdd).write(&mut words);
                path.write(&mut words);
            }
        }
        Self { words, made: None, shapes, clips, bones, how: (method, options) }
    }

    /// Strokes on the field at this place, for whose words the id stands.
    pub(super) fn painted((place, id): (usize, u64), strokes: Vec<BrushStroke>) -> Self {
        let mut words = vec![6, id];
        for stroke in &strokes {
            let (kind, bone, much) = match stroke.effect {
                BrushEffect::Add(bone, add) => (0, bone.index() as u64, add),
                BrushEffect::Smooth(amount) => (1, 0, amount),
            };
            words.extend([kind, bone, much.to_bits(), stroke.width.to_bits(), stroke.line.len() as u64]);
            stroke.line.iter().for_each(|at| at.write(&mut words));
            words.push(stroke.locked.len() as u64);
            words.extend(stroke.locked.iter().map(|bone| bone.index() as u64));
        }
        Self::made(words, MadeField::Painted(place, strokes))
    }

    /// A field that is there, with all words that it depends on.
    pub(super) fn solved(words: Vec<u64>, field: Arc<SolvedField>) -> Self {
        Self::made(std::iter::once(7).chain(words).collect(), MadeField::Known(field))
    }

    fn made(words: Vec<u64>, made: MadeField) -> Self {
        let how = (Method::default(), FieldOptions::default());
        let (shapes, clips, bones) = Default::default();
        Self { words, made: Some(made), shapes, clips, bones, how }
    }

    fn is_painted(&self) -> bool {
        matches!(self.made, Some(MadeField::Painted(..)))
    }

    fn solve(&self, cancel: &AtomicBool) -> Field {
        if let Some(MadeField::Known(known)) = &self.made {
            return Ok((Arc::clone(known), Arc::default()));
        }
        let shapes: Vec<CoveredShape<'_>> = self.shapes.iter().map(covered).collect();
        let clips: Vec<ClipRegion<'_>> = self.clips.iter().map(ClipOfShapes::region).collect();
        let (method, options) = self.how;
        let solved = solve_weights_unless(cancel, (&shapes, &clips), &self.bones, method, options);
        solved.map(|(field, notes)| (Arc::new(field), notes.into()))
    }
}

fn covered(shape: &Shape) -> CoveredShape<'_> {
    let fill = shape.even_odd.map(winding_rule);
    CoveredShape { path: &shape.path, fill, stroke_width: shape.stroke_width }
}

/// The lines of an outline that bones pose. Where nothing but a fill is drawn, the sides by which it closes open
/// outlines are bound as any others.
pub(super) fn posed_lines(outline: &Outline) -> Vec<BLine> {
    let lines = BLine::from_path(&outline.path);
    let is_fill = outline.even_odd.is_some() && outline.stroke.is_none();
    if is_fill { lines.into_iter().map(BLine::closed_by_fill).collect() } else { lines }
}

/// The rule by which a shape is filled.
pub(super) fn winding_rule(even_odd: bool) -> WindingRule {
    if even_odd { WindingRule::EvenOdd } else { WindingRule::NonZero }
}

/// A path to bind.
pub(super) struct BindRequest {
    words: Vec<u64>,
    lines: Vec<BLine>,
    weights: RequestedWeights,
    blend: SkinBlend,
    fill: Option<WindingRule>,
    folds: FoldRule,
    /// In canvas units; none where control points are followed.
    tolerance: Option<f64>,
    shapes: Vec<Vec<BLine>>,
    warp: Option<Arc<PathWarp>>,
}

/// Owned weights of a path to bind.
pub(super) enum RequestedWeights {
    Still,
    Rigid(BoneId),
    Explicit(Vec<VertexWeights>),
    Keyed(Vec<VertexWeights>, Vec<PathWeightTracks>),
    /// The weights of a field, by its place among the requested ones.
    Field(usize),
    /// The same at the vertices, interpolated along the outline.
    Vertices(usize),
}

impl BindRequest {
    /// A path that follows one bone, or none.
    pub(super) fn rigid(lines: Vec<BLine>, bone: Option<BoneId>) -> Self {
        let mut words = vec![0, bone.map_or(u64::MAX, |bone| bone.index() as u64)];
        lines.write(&mut words);
        let weights = bone.map_or(RequestedWeights::Still, RequestedWeights::Rigid);
        let (blend, folds) = (SkinBlend::Linear, FoldRule::Keep);
        let (fill, tolerance, shapes, warp) = Default::default();
        Self { words, lines, weights, blend, fill, folds, tolerance, shapes, warp }
    }

    /// The same on lattices, if there are any. `tolerance` is that of a path that would follow its control points.
    pub(super) fn on_lattices(mut self, warp: Option<Arc<PathWarp>>, tolerance: f64) -> Self {
        if let Some(warp) = &warp {
            self.tolerance.get_or_insert(tolerance).write(&mut self.words);
            self.words.extend(&warp.words);
        }
        Self { warp, ..self }
    }

    /// The same for a path that takes other shapes.
    pub(super) fn with_shapes(mut self, shapes: Vec<Vec<BLine>>) -> Self {
        shapes.write(&mut self.words);
        Self { shapes, ..self }
    }

    /// A path with typed weights. `keyed` is what clips key of them, from which the tracks are.
    pub(super) fn typed(
        lines: Vec<BLine>,
        (rest, tracks): (&[VertexWeights], &[PathWeightTracks]),
        (keyed, skeleton): (&[&ArtWeightsDoc], &Skeleton),
        options: &BindOptions<'_>,
    ) -> Self {
        let mut words = vec![1];
        rest.write(&mut words);
        let mut bones: Vec<BoneId> = rest.iter().flat_map(bones_of).collect();
        let weights = if tracks.is_empty() {
            RequestedWeights::Explicit(rest.to_vec())
        } else {
            keyed.write(&mut words);
            // Clips may name any bone, and mean one by its name.
            skeleton.bones().for_each(|bone| skeleton.name(bone).write(&mut words));
            bones.extend(skeleton.bones());
            RequestedWeights::Keyed(rest.to_vec(), tracks.to_vec())
        };
        Self::new(words, lines, weights, bones, options)
    }

    /// A path in a field. `id` stands for the words of the field.
    pub(super) fn in_field(
        lines: Vec<BLine>,
        (place, id, bones): (usize, u64, Vec<BoneId>),
        at_vertices: bool,
        options: &BindOptions<'_>,
    ) -> Self {
        let (kind, weights) = match at_vertices {
            false => (2, RequestedWeights::Field(place)),
            true => (3, RequestedWeights::Vertices(place)),
        };
        Self::new(vec![kind, id], lines, weights, bones, options)
    }

    fn new(
        mut words: Vec<u64>,
        lines: Vec<BLine>,
        weights: RequestedWeights,
        bones: Vec<BoneId>,
        options: &BindOptions<'_>,
    ) -> Self {
        lines.write(&mut words);
        words.extend([options.blend as u64, options.folds as u64]);
        options.fill.map(|fill| fill == WindingRule::EvenOdd).write(&mut words);
        let tolerance = match options.follow {
            Follow::ControlPoints => None,
            Follow::Curves { skeleton, tolerance } => {
                joints(bones, skeleton, &mut words);
                Some(tolerance)
            }
        };
        tolerance.write(&mut words);
        let BindOptions { blend, fill, folds, shapes, .. } = *options;
        let shapes = shapes.to_vec();
        shapes.write(&mut words);
        Self { words, lines, weights, blend, fill, folds, tolerance, shapes, warp: None }
    }

    fn bind(&self, fields: &[Option<Field>], skeleton: Option<&Skeleton>, detail: SkinDetail) -> Bound {
        let is_cut = detail == SkinDetail::Outlines;
        let (field, rows);
        let solved = |place: usize| match fields.get(place) {
            Some(Some(Ok((solved, _)))) if is_cut => Some(solved),
            // The error is that of the field.
            _ => None,
        };
        let weights = match &self.weights {
            RequestedWeights::Still => Weights::Still,
            RequestedWeights::Rigid(bone) => Weights::Rigid(*bone),
            RequestedWeights::Explicit(rows) => Weights::Explicit(rows),
            RequestedWeights::Keyed(rest, tracks) => Weights::Keyed { rest, tracks },
            RequestedWeights::Field(place) => match solved(*place) {
                Some(solved) => {
                    field = Arc::clone(solved);
                    Weights::Field(&*field as &dyn WeightField)
                }
                None => Weights::Still,
            },
            RequestedWeights::Vertices(place) => match solved(*place) {
                Some(solved) => {
                    rows = vertex_weights_at_anchors(&self.lines, solved.as_ref());
                    Weights::Explicit(&rows)
                }
                None => Weights::Still,
            },
        };
        let follow = match (skeleton, self.tolerance) {
            (Some(skeleton), Some(tolerance)) if is_cut => Follow::Curves { skeleton, tolerance },
            _ => Follow::ControlPoints,
        };
        let options = BindOptions {
            blend: self.blend,
            follow,
            fill: self.fill,
            folds: self.folds,
            shapes: &self.shapes,
            rounded: true,
            warp: self.warp.as_ref().map(|warp| &warp.trials),
        };
        Skin::of_path(&self.lines, &weights, &options).map(Arc::new)
    }
}

fn bones_of(row: &VertexWeights) -> impl Iterator<Item = BoneId> {
    let rows = [Some(&row.anchor), row.tangent_in.as_ref(), row.tangent_out.as_ref()];
    rows.into_iter().flatten().flat_map(|row| row.influences().iter().map(|(bone, _)| *bone))
}

/// What binding a path to some bones needs of their skeleton: where they are, from which folds are measured, and the
/// joints between them, at which trial bends are made. A joint above all of them moves them as one.
fn joints(mut bones: Vec<BoneId>, skeleton: &Skeleton, words: &mut Vec<u64>) {
    bones.sort_unstable();
    bones.dedup();
    // The vertices of puppets are no bones of the skeleton, and their field has them in its words.
    bones.retain(|bone| skeleton.contains(*bone));
    let is_above = |joint: BoneId, bone: BoneId| {
        let first = joint.index();
        (first..first + skeleton.subtree(joint).len()).contains(&bone.index())
    };
    let above_all = |joint: BoneId| bones.iter().all(|bone| is_above(joint, *bone));
    words.push(bones.len() as u64);
    for bone in &bones {
        words.push(bone.index() as u64);
        [skeleton.setup_origin(*bone), skeleton.setup_tip(*bone)].iter().for_each(|end| end.write(words));
        // Joints that the bones have in common are written once for each of them.
        let mut at = Some(*bone);
        while let Some(joint) = at.filter(|joint| !above_all(*joint)) {
            words.push(joint.index() as u64);
            skeleton.setup_origin(joint).write(words);
            at = skeleton.parent(joint);
        }
        words.push(u64::MAX);
    }
}

impl Content for VertexWeights {
    fn write(&self, words: &mut Vec<u64>) {
        let row = |row: &bone_skin::BoneWeights, words: &mut Vec<u64>| {
            words.push(row.influences().len() as u64);
            for (bone, weight) in row.influences() {
                words.extend([bone.index() as u64, weight.to_bits()]);
            }
        };
        row(&self.anchor, words);
        for tangent in [&self.tangent_in, &self.tangent_out] {
            words.push(u64::from(tangent.is_some()));
            tangent.iter().for_each(|tangent| row(tangent, words));
        }
    }
}

/// The requests of a pass, and their answers.
#[derive(Default)]
pub(super) struct Requests {
    fields: Vec<FieldRequest>,
    pub(super) solved: Vec<Option<Field>>,
    paths: Vec<BindRequest>,
    pub(super) bound: Vec<Option<(u64, Bound)>>,
}

/// Fields and paths that were computed before.
#[derive(Debug, Default)]
pub(super) struct Stores {
    fields: Store<Field>,
    paths: Store<Bound>,
    /// The number of the pass.
    pass: u64,
    /// How many were computed in it.
    pub(super) computed: Computed,
}

/// How many fields were solved, and how many paths bound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Computed {
    pub(super) fields: usize,
    pub(super) paths: usize,
}

impl Requests {
    /// Asks for a field. Returns its place, and an id that stands for its words.
    pub(super) fn field(&mut self, request: FieldRequest, stores: &mut Stores) -> (usize, u64) {
        let (id, _) = stores.fields.ask(&request.words, stores.pass);
        self.fields.push(request);
        (self.fields.len() - 1, id)
    }

    /// Asks for a path. Returns its place.
    pub(super) fn path(&mut self, request: BindRequest) -> usize {
        self.paths.push(request);
        self.paths.len() - 1
    }

    /// Computes everything that was asked for and is not known; none if it was cancelled.
    pub(super) fn compute(
        &mut self,
        stores: &mut Stores,
        skeleton: Option<&Skeleton>,
        ComputeOptions { threads, cancel, detail }: ComputeOptions<'_>,
    ) -> Option<()> {
        let pass = stores.pass;
        let fields = if detail == SkinDetail::Bones { &[] } else { &self.fields[..] };
        let mut missing = missing(fields.iter().map(|field| &field.words[..]), &mut stores.fields, pass);
        let painted: Vec<usize> = missing.extract_if(.., |at| self.fields[*at].is_painted()).collect();
        let solved = parallel::map(threads, &missing, cancel, |at| self.fields[*at].solve(cancel))?;
        if solved.iter().any(|field| matches!(field, Err(FieldError::Cancelled))) {
            return None;
        }
        stores.computed.fields += missing.len();
        for (at, field) in missing.into_iter().zip(solved) {
            stores.fields.set(&self.fields[at].words, field);
        }
        let known = |request: &FieldRequest, stores: &Stores| Some(stores.fields.get(&request.words)?.1);
        for at in painted {
            let request = &self.fields[at];
            let Some(MadeField::Painted(place, strokes)) = &request.made else { continue };
            let Some(below) = known(&self.fields[*place], stores) else { continue };
            let field = below.map(|(below, notes)| (Arc::new(below.painted(strokes)), notes));
            stores.fields.set(&request.words, field);
        }
        self.solved = self.fields.iter().map(|field| known(field, stores)).collect();
        let missing = self::missing(self.paths.iter().map(|path| &path.words[..]), &mut stores.paths, pass);
        let bound = parallel::map(threads, &missing, cancel, |at| {
            self.paths[*at].bind(&self.solved, skeleton, detail)
        })?;
        stores.computed.paths += missing.len();
        for (at, path) in missing.into_iter().zip(bound) {
            stores.paths.set(&self.paths[at].words, path);
        }
        self.bound = self.paths.iter().map(|path| stores.paths.get(&path.words)).collect();
        Some(())
    }
}

/// The places of requests whose answer is not known, each once.
fn missing<'w, T: Clone>(
    requests: impl Iterator<Item = &'w [u64]>,
    store: &mut Store<T>,
    pass: u64,
) -> Vec<usize> {
    let mut asked = BTreeMap::new();
    for (at, words) in requests.enumerate() {
        let (id, known) = store.ask(words, pass);
        if !known {
            asked.entry(id).or_insert(at);
        }
    }
    let mut places: Vec<usize> = asked.into_values().collect();
    places.sort_unstable();
    places
}

impl Stores {
    /// Nothing was computed so far.
    pub(super) fn begin(&mut self) {
        self.computed = Computed::default();
    }

    /// The next pass over bindings begins.
    pub(super) fn pass(&mut self) {
        self.pass += 1;
    }

    /// Forgets what was not needed for long.
    pub(super) fn forget(&mut self) {
        self.fields.forget(self.pass);
        self.paths.forget(self.pass);
    }
}

impl Content for BezPath {
    fn write(&self, words: &mut Vec<u64>) {
        use PathEl as E;
        words.push(self.elements().len() as u64);
        for element in self.elements() {
            let (kind, points) = match *element {
                E::MoveTo(p) => (0, [Some(p), None, None]),
                E::LineTo(p) => (1, [Some(p), None, None]),
                E::QuadTo(a, p) => (2, [Some(a), Some(p), None]),
                E::CurveTo(a, b, p) => (3, [Some(a), Some(b), Some(p)]),
                E::ClosePath => (4, [None; 3]),
            };
            words.push(kind);
            points.iter().flatten().for_each(|point| point.write(words));
        }
    }
}

impl Content for BLine {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.closing() as u64);
        words.push(self.vertices().len() as u64);
        for vertex in self.vertices() {
            [vertex.anchor, vertex.tangent_in, vertex.tangent_out]
                .iter()
                .for_each(|point| point.write(words));
        }
        words.push(self.segments().len() as u64);
        words.extend(self.segments().map(|(kind, ..)| kind as u64));
    }
}
