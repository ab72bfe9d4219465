//! Cuts the inside of a shape into patches in which bending is nearly affine, for paint that bends with it.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::{BoneId, Skeleton};
use kurbo::{ParamCurve as _, Point, Vec2};

use super::interior::Interior;
use super::laplacian::Laplacian;
use super::mesh::Mesh;
use super::outline::Outlines;
use super::shape::CoveredShape;
use crate::blend::{Influence, SkinBlend};
use crate::centres::centre;
use crate::keyed::{INNER_SHARE, InnerScratch, InnerShares, PathWeightTracks, WeightSource, each_state};
use crate::nearest_affine::NearestAffine;
use crate::paint::OutlinePlace;
use crate::patches::{PAINT_SHARE, PaintPatches, Patch, fit_to, paint_unit};
use crate::skin::{PathId, Skin};
use crate::sparse::{Factor, Sparse, dissect};
use crate::weight_curve::{WeightField, field_row, round_row};

/// The most units over which a shape may spread.
const MOST_UNITS: f64 = 1e12;
/// Approximate number of triangles of a shape; patches are unions of them.
const TRIANGLES: usize = 2000;
/// The greatest number of patches of a shape: beyond it they are coarser.
const MOST: usize = 160;
/// How far patches reach over the edges of the shape, as a share of its longer side: farther than outlines are
/// off after they are fitted, and than a mesh may leave out strokes.
const MARGIN: f64 = 0.005;
/// `|R - I|` of the turn of a joint for which patches are made, about 100 degrees.
const TURN: f64 = 1.5;

/// The weights inside of a shape.
#[derive(Clone, Copy)]
pub enum InnerWeights<'a> {
    /// Of a field.
    Field(&'a dyn WeightField),
    /// Spread evenly from the outline, which is the first path of a skin, with what each clip keys of its
    /// weights.
    Outline(&'a Skin, &'a [PathWeightTracks]),
}

impl std::fmt::Debug for InnerWeights<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Field(_) => "Field",
            Self::Outline(..) => "Outline",
        })
    }
}

impl PaintPatches {
    /// Cuts a shape so that in bends of about 100 degrees the paint of each patch is off by at most `tolerance`
    /// canvas units, with the weights of all keys. None where one patch is enough.
    pub fn cut(
        shape: &CoveredShape<'_>,
        weights: InnerWeights<'_>,
        (blend, skeleton): (SkinBlend, &Skeleton),
        tolerance: f64,
    ) -> Option<Self> {
        let far = [shape.path.control_box()]
            .map(|it| it.x0.abs().max(it.x1.abs()).max(it.y0.abs()).max(it.y1.abs()));
        if !(tolerance > 0.0 && tolerance.is_finite() && far[0] < MOST_UNITS * paint_unit(tolerance)) {
            return None;
        }
        let mesh = ShapeMesh::new(shape)?;
        // Other rows at the times of keys.
        let (mut keyed, mut others) = (None, Vec::new());
        let mut rows: Vec<Vec<Influence>> = match weights {
            InnerWeights::Field(field) => mesh.points.iter().map(|at| field_row(field, *at)).collect(),
            InnerWeights::Outline(skin, tracks) if !skin.keyed.is_empty() => {
                let shares = inner_shares(&mesh, skin, shape.fill.is_none())?;
                others = rows_of_keys(&shares, skin, tracks)?;
                keyed = Some(shares);
                others.remove(0)
            }
            InnerWeights::Outline(skin, _) => spread(&mesh, skin, shape.fill.is_none())?,
        };
        let states = std::iter::once(&rows).chain(&others);
        let joints: Vec<_> = states.map(|rows| joints(&mesh.points, rows, skeleton)).collect();
        let groups = groups(&mesh, &joints, tolerance);
        if groups.len() < 2 {
            return None;
        }
        // Where a fold lays parts of the shape over each other, what is farther along the bones is above.
        let order = |group: &Vec<u32>| {
            let corners = group.iter().flat_map(|triangle| mesh.triangles[*triangle as usize]);
            let along = |vertex: u32| -> f64 {
                rows[vertex as usize].iter().map(|(bone, weight)| weight * bone.index() as f64).sum()
            };
            corners.map(along).sum::<f64>() / group.len() as f64
        };
        let mut groups: Vec<(f64, Vec<u32>)> =
            groups.into_iter().map(|group| (order(&group), group)).collect();
        groups.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        // The vertices of borders alone, in the order in which these have them.
        let mut cut = Self { blend, tolerance, ..Self::default() };
        let mut kept: Vec<u32> = Vec::new();
        let mut numbers = BTreeMap::new();
        for (_, group) in &groups {
            let first = cut.lines.len();
            for line in border(&mesh.triangles, group) {
                cut.border.extend(line.into_iter().map(|vertex| {
                    *numbers.entry(vertex).or_insert_with(|| {
                        kept.push(vertex);
                        kept.len() as u32 - 1
                    })
                }));
                cut.lines.push(cut.border.len() as u32);
            }
            cut.patches.push(Patch { lines: first..cut.lines.len(), ..Patch::default() });
        }
        cut.keyed = keyed.map(|shares| shares.of(&kept));
        let unit = paint_unit(tolerance);
        let rounded = |at: Point| Point::new((at.x / unit).round() * unit, (at.y / unit).round() * unit);
        cut.points = kept.iter().map(|vertex| rounded(mesh.points[*vertex as usize])).collect();
        let outline = if blend.has_centres() { outline(shape, weights) } else { Vec::new() };
        for vertex in &kept {
            let row = &mut rows[*vertex as usize];
            round_row(row, PAINT_SHARE);
            let centre = if blend.has_centres() { centre(&outline, row) } else { Point::ZERO };
            cut.add_row(row, centre);
        }
        cut.fit_patches();
        Some(cut)
    }
}

/// Points along the outline of a shape with their weights, for centres of rotation.
fn outline(shape: &CoveredShape<'_>, weights: InnerWeights<'_>) -> Vec<(Point, Vec<Influence>)> {
    /// Places along a segment, and the greatest number of all that are compared.
    const PLACES: u32 = 64;
    const MOST: usize = 400;
    let all: Vec<(Point, Vec<Influence>)> = match weights {
        InnerWeights::Field(field) => {
            let shares = (0..PLACES).map(|place| f64::from(place) / f64::from(PLACES));
            let places = shape.path.segments().flat_map(|side| shares.clone().map(move |t| side.eval(t)));
            places.map(|at| (at, field_row(field, at))).collect()
        }
        InnerWeights::Outline(skin, _) => {
            let rows = skin.outline_rows(PathId::new(0)).into_iter();
            rows.map(|(at, row)| (at, row.to_vec())).collect()
        }
    };
    let several = |(_, row): &(Point, Vec<Influence>)| row.iter().all(|(_, weight)| *weight < 0.999);
    let all: Vec<(Point, Vec<Influence>)> = all.into_iter().filter(several).collect();
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

/// Triangles over a shape and a little beyond it, on the canvas.
struct ShapeMesh {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    /// Vertices at the rim.
    rim: BTreeSet<u32>,
    /// Its cotangent Laplacian.
    stiffness: Sparse,
}

impl ShapeMesh {
    fn new(shape: &CoveredShape<'_>) -> Option<Self> {
        let size = shape.path.control_box();
        let longer = size.width().max(size.height()).max(shape.stroke_width);
        let stroke_width = shape.stroke_width + 2.0 * MARGIN * longer;
        let outlines = Outlines::new(&[CoveredShape { stroke_width, ..*shape }], &[], &mut Vec::new())?;
        let interior = Interior::new(&outlines, TRIANGLES, 0.0);
        let mesh = Mesh::new(&interior, &[], TRIANGLES)?;
        let points = mesh.points.iter().map(|at| outlines.frame.canvas(*at)).collect();
        let stiffness = Laplacian::new(&mesh).stiffness;
        let rim = mesh.border.into_iter().flatten().collect();
        Some(Self { points, triangles: mesh.triangles, rim, stiffness })
    }

    /// Whether a vertex is at the rim.
    fn is_rim(&self, vertex: usize) -> bool {
        self.rim.contains(&(vertex as u32))
    }

    /// Makes harmonic values of those that the vertices at the rim have so far. The rim is a little beyond the
    /// outline: its values are changed until those at the outline, at `nearest` for each vertex of the rim, are
    /// the given ones.
    fn fill_in<'c>(
        &self,
        columns: impl Iterator<Item = &'c mut Vec<f64>>,
        nearest: &[(usize, Point)],
    ) -> Option<()> {
        /// Each leaves about a third of the difference.
        const ROUNDS: usize = 3;
        let inner = dissect(&self.stiffness, &self.points).into_iter();
        let factor =
            Factor::new(&self.stiffness, inner.filter(|vertex| !self.is_rim(*vertex as usize)).collect())?;
        let places: Vec<_> =
            nearest.iter().filter_map(|(vertex, at)| Some((*vertex, self.locate(*at)?))).collect();
        for column in columns {
            let given: Vec<f64> = places.iter().map(|(vertex, _)| column[*vertex]).collect();
            for round in 0..=ROUNDS {
                for vertex in (0..column.len()).filter(|vertex| !self.is_rim(*vertex)) {
                    let beside = self.stiffness.row(vertex).filter(|(other, _)| self.is_rim(*other));
                    column[vertex] = beside.map(|(other, value)| -value * column[other]).sum();
                }
                factor.solve(column);
                if round == ROUNDS {
                    break;
                }
                let value = |mix: &[(u32, f64); 3]| -> f64 {
                    mix.iter().map(|(vertex, part)| part * column[*vertex as usize]).sum()
                };
                let off: Vec<f64> =
                    places.iter().zip(&given).map(|((_, mix), given)| given - value(mix)).collect();
                places.iter().zip(off).for_each(|((vertex, _), off)| column[*vertex] += off);
            }
        }
        Some(())
    }

    /// The corners of a triangle around a point, with their parts in it.
    fn locate(&self, at: Point) -> Option<[(u32, f64); 3]> {
        self.triangles.iter().find_map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| self.points[vertex as usize] - at);
            let (u, v, w) = (b.cross(c), c.cross(a), a.cross(b));
            let sum = u + v + w;
            let parts = [u / sum, v / sum, w / sum];
            let [a, b, c] = *triangle;
            let [u, v, w] = parts;
            (parts.iter().all(|part| *part >= -1e-9)).then_some([(a, u), (b, v), (c, w)])
        })
    }

    /// The vertices of some triangles, and the fit of an affine map to their motion.
    fn fit(&self, group: &[u32]) -> (Vec<u32>, NearestAffine, Vec<Vec2>) {
        let mut vertices: Vec<u32> = group.iter().flat_map(|t| self.triangles[*t as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let (fit, coefficients) = fit_to(&self.points, &vertices);
        (vertices, fit, coefficients)
    }

    fn centre(&self, triangle: u32) -> Vec2 {
        let [a, b, c] =
            self.triangles[triangle as usize].map(|vertex| self.points[vertex as usize].to_vec2());
        (a + b + c) / 3.0
    }
}

/// How a turn of a joint moves each vertex: `W (p - o)` with the weight of all bones beyond the joint, which is
/// turned by `R - I`.
fn joints(points: &[Point], rows: &[Vec<Influence>], skeleton: &Skeleton) -> Vec<Vec<Vec2>> {
    let bones = rows.iter().flatten().map(|(bone, _)| *bone);
    let weighted: BTreeSet<BoneId> = bones.filter(|bone| skeleton.contains(*bone)).collect();
    let mut all: BTreeSet<BoneId> = weighted.clone();
    for bone in &weighted {
        all.extend(std::iter::successors(skeleton.parent(*bone), |at| skeleton.parent(*at)));
    }
    let moved = |joint: BoneId| {
        let (first, count) = (joint.index(), skeleton.subtree(joint).len());
        let is_beyond = |bone: &BoneId| (first..first + count).contains(&bone.index());
        let weight =
            |row: &Vec<Influence>| row.iter().filter(|it| is_beyond(&it.0)).map(|it| it.1).sum::<f64>();
        let weights: Vec<f64> = rows.iter().map(weight).collect();
        let varies = weights.iter().any(|weight| (weight - weights[0]).abs() > 1e-6);
        let origin = skeleton.setup_origin(joint);
        varies.then(|| points.iter().zip(&weights).map(|(at, weight)| (*at - origin) * *weight).collect())
    };
    all.into_iter().filter_map(moved).collect()
}

/// Groups of triangles: the group that is farthest from affine, with the weights of any time, is cut in two
/// until all are near enough.
fn groups(mesh: &ShapeMesh, states: &[Vec<Vec<Vec2>>], tolerance: f64) -> Vec<Vec<u32>> {
    let error = |group: &[u32]| {
        let (vertices, fit, coefficients) = mesh.fit(group);
        let share = 1.0 / vertices.len() as f64;
        let off = |moved: &Vec<Vec2>| {
            let moved = |vertex: &u32| moved[*vertex as usize].to_point();
            let places = vertices.iter().zip(&coefficients).map(|(at, by)| (moved(at), share, *by));
            let map = fit.affine(places);
            let off = |at: &u32| (map * mesh.points[*at as usize] - moved(at)).hypot();
            TURN * vertices.iter().map(off).fold(0.0, f64::max)
        };
        let all = |joints: &Vec<Vec<Vec2>>| joints.iter().map(off).sum::<f64>();
        states.iter().map(all).fold(0.0, f64::max)
    };
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let mut groups = vec![(error(&all), all)];
    while groups.len() < MOST {
        let worst = (0..groups.len()).max_by(|a, b| groups[*a].0.total_cmp(&groups[*b].0)).unwrap_or(0);
        let (off, group) = &groups[worst];
        if *off <= tolerance || group.len() < 2 {
            break;
        }
        let halves = |direction: Vec2| {
            let mut sorted = group.clone();
            sorted.sort_by(|a, b| {
                let place = |triangle: u32| mesh.centre(triangle).dot(direction);
                place(*a).total_cmp(&place(*b)).then(a.cmp(b))
            });
            let second = sorted.split_off(sorted.len() / 2);
            let errors = [error(&sorted), error(&second)];
            (errors, [sorted, second])
        };
        let directions = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
        let cuts = directions.map(|direction| halves(direction.into()));
        let both = |errors: &[f64; 2]| errors[0].max(errors[1]);
        let best = cuts.into_iter().min_by(|a, b| both(&a.0).total_cmp(&both(&b.0)));
        let Some((errors, [first, second])) = best else { break };
        groups[worst] = (errors[0], first);
        groups.push((errors[1], second));
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The closed lines around some triangles.
fn border(triangles: &[[u32; 3]], group: &[u32]) -> Vec<Vec<u32>> {
    let edges = group.iter().flat_map(|triangle| {
        let [a, b, c] = triangles[*triangle as usize];
        [(a, b), (b, c), (c, a)]
    });
    let edges: BTreeSet<(u32, u32)> = edges.collect();
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (from, to) in edges.iter().filter(|(from, to)| !edges.contains(&(*to, *from))) {
        next.entry(*from).or_default().push(*to);
    }
    let mut lines = Vec::new();
    while let Some(start) = next.keys().next().copied() {
        let (mut line, mut at) = (Vec::new(), start);
        while let Some(ends) = next.get_mut(&at) {
            line.push(at);
            let to = ends.pop();
            if ends.is_empty() {
                next.remove(&at);
            }
            let Some(to) = to else { break };
            at = to;
        }
        lines.push(line);
    }
    lines
}

/// Weights of an outline for all vertices: those at the rim are those of the nearest point of the outline,
/// those inside harmonic.
///
/// Across the stroke of a line that is not filled the weights are those of the line.
fn spread(mesh: &ShapeMesh, skin: &Skin, is_line: bool) -> Option<Vec<Vec<Influence>>> {
    let places = skin.outline_places(PathId::new(0));
    let row = |place: &OutlinePlace| skin.table.row(place.row);
    let bones: BTreeSet<BoneId> = places.iter().flat_map(|place| row(place).iter().map(|it| it.0)).collect();
    let bones: Vec<BoneId> = bones.into_iter().collect();
    if bones.len() < 2 || places.iter().any(|place| row(place).is_empty()) {
        return None;
    }
    let mut columns = vec![vec![0.0; mesh.points.len()]; bones.len()];
    let mut nearest = Vec::new();
    for (vertex, at) in mesh.points.iter().enumerate().filter(|(vertex, _)| is_line || mesh.is_rim(*vertex)) {
        let mix = on_outline(&places, *at);
        nearest.push((vertex, mixed(&places, mix)));
        for (place, share) in mix {
            for (bone, weight) in row(&places[place]) {
                if let Ok(column) = bones.binary_search(bone) {
                    columns[column][vertex] += share * weight;
                }
            }
        }
    }
    if !is_line {
        mesh.fill_in(columns.iter_mut(), &nearest)?;
    }
    let row = |vertex: usize| {
        let all = bones.iter().copied().zip(columns.iter().map(|column| column[vertex]));
        let used: Vec<Influence> = all.filter(|(_, weight)| *weight > 1e-6).collect();
        let sum: f64 = used.iter().map(|(_, weight)| weight).sum();
        used.into_iter().map(|(bone, weight)| (bone, weight / sum)).collect()
    };
    Some((0..mesh.points.len()).map(row).collect())
}

/// The shares that places of an outline with keyed weights have in each vertex: as [`spread`] mixes them.
fn inner_shares(mesh: &ShapeMesh, skin: &Skin, is_line: bool) -> Option<InnerShares> {
    /// The greatest number of places.
    const MOST: usize = 240;
    let (_, path) = skin.keyed_path(PathId::new(0))?;
    let sources: BTreeMap<u32, WeightSource> = path.sources().collect();
    let places = skin.outline_places(PathId::new(0));
    let places: Vec<OutlinePlace> =
        places.iter().step_by(places.len().div_ceil(MOST).max(1)).copied().collect();
    let own: Option<Vec<WeightSource>> =
        places.iter().map(|place| sources.get(&place.row).copied()).collect();
    let own = own?;
    if path.bone_count() < 2 || places.is_empty() {
        return None;
    }
    let count = mesh.points.len();
    // The shares at the rim, place by place.
    let mut columns = vec![vec![0.0; count]; places.len()];
    let mut nearest = Vec::new();
    for (vertex, at) in mesh.points.iter().enumerate().filter(|(vertex, _)| is_line || mesh.is_rim(*vertex)) {
        let mix = on_outline(&places, *at);
        nearest.push((vertex, mixed(&places, mix)));
        for (place, share) in mix {
            columns[place][vertex] += share;
        }
    }
    if !is_line {
        mesh.fill_in(columns.iter_mut(), &nearest)?;
    }
    let mut shares = InnerShares { sources: own, ..InnerShares::default() };
    for vertex in 0..count {
        let own = (0_u32..).zip(&columns).map(|(place, column)| (place, column[vertex].max(0.0)));
        let mut own: Vec<(u32, f64)> = own.collect();
        let sum: f64 = own.iter().map(|(_, share)| share).sum();
        own.iter_mut().for_each(|(_, share)| *share /= sum);
        round_row(&mut own, INNER_SHARE);
        shares.shares.extend(own);
        shares.ends.push(shares.shares.len() as u32);
    }
    Some(shares)
}

/// The two places between which an outline is nearest to a point, with their shares there.
fn on_outline(places: &[OutlinePlace], at: Point) -> [(usize, f64); 2] {
    let mut best = (f64::INFINITY, [(0, 1.0), (0, 0.0)]);
    for (k, place) in places.iter().enumerate() {
        let next = if places.get(k + 1).is_some_and(|next| !next.is_first) { k + 1 } else { k };
        let (along, to) = (places[next].at - place.at, at - place.at);
        let length = along.hypot2();
        let t = if length > 0.0 { (to.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let apart = (to - along * t).hypot2();
        if apart < best.0 {
            best = (apart, [(k, 1.0 - t), (next, t)]);
        }
    }
    best.1
}

/// The point between two places with these shares.
fn mixed(places: &[OutlinePlace], mix: [(usize, f64); 2]) -> Point {
    mix.iter().fold(Vec2::ZERO, |sum, (place, share)| sum + places[*place].at.to_vec2() * *share).to_point()
}

/// The weights of all vertices at rest, and then at the times of keys, each once.
fn rows_of_keys(
    shares: &InnerShares,
    skin: &Skin,
    tracks: &[PathWeightTracks],
) -> Option<Vec<Vec<Vec<Influence>>>> {
    /// The greatest number of times.
    const MOST: usize = 6;
    let (_, path) = skin.keyed_path(PathId::new(0))?;
    let mut inner = InnerScratch::default();
    let mut all: Vec<Vec<Vec<Influence>>> = Vec::new();
    each_state(path, tracks, MOST, |scratch| {
        shares.weigh(path, scratch, &mut inner);
        let mut rows = Vec::with_capacity(shares.ends.len());
        shares.each(path, &mut inner, |row| rows.push(row.to_vec()));
        if all.is_empty() || !all.contains(&rows) {
            all.push(rows);
        }
    });
    Some(all)
}
