//! Smoothing: weights diffuse along the outline. They do not diffuse across an area: the two edges of a limb
//! are independent.

use std::collections::BTreeMap;

use kurbo::{Point, Vec2};

use super::rows::{Locks, fits, shared};
use crate::blend::Influence;
use crate::bline::{BLine, Segment};
use crate::error::BindError;
use crate::weights::{BoneWeights, VertexWeights};

/// The parameters of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Share of the step towards the mean of the neighbours in each iteration, from 0 to 1.
    pub strength: f64,
    /// Number of iterations, at most 10,000: more counts as that.
    pub iterations: usize,
}

/// Weights rest long before that.
const MOST_ITERATIONS: usize = 10_000;

impl Default for Smooth {
    fn default() -> Self {
        Self { strength: 0.5, iterations: 1 }
    }
}

/// Moves the weights of each point towards those of its neighbours along the outline, weighted by the inverse
/// of their distance. Closed outlines wrap around. Tangents with weights of their own are points between
/// their vertices.
///
/// Points at one position with the same weights are one point, so edges that outlines share stay equal. The
/// result does not depend on where an outline starts, nor on its direction.
///
/// # Errors
/// If there is not one entry for each vertex.
pub fn smooth(
    lines: &[BLine],
    weights: &mut [VertexWeights],
    how: Smooth,
    locks: &Locks,
) -> Result<(), BindError> {
    fits(lines, weights)?;
    let strength = if how.strength.is_nan() { 0.0 } else { how.strength.clamp(0.0, 1.0) };
    if strength == 0.0 {
        return Ok(());
    }
    let (places, nodes) = nodes(lines, weights);
    let mut rows: Vec<BoneWeights> = nodes.iter().map(|node| node.row.clone()).collect();
    for _ in 0..how.iterations.min(MOST_ITERATIONS) {
        let next: Vec<BoneWeights> = nodes
            .iter()
            .zip(&rows)
            .map(|(node, row)| shared(row, &node.mixed(row, &rows, strength), locks))
            .collect();
        if next == rows {
            break;
        }
        rows = next;
    }
    for (vertex, nodes) in weights.iter_mut().zip(places) {
        vertex.anchor = rows[nodes[0].unwrap_or_default()].clone();
        vertex.tangent_in = nodes[1].map(|node| rows[node].clone());
        vertex.tangent_out = nodes[2].map(|node| rows[node].clone());
    }
    Ok(())
}

/// A point with weights, and its neighbours.
struct Node {
    row: BoneWeights,
    /// Neighbours with their coefficients.
    beside: Vec<(usize, f64)>,
}

impl Node {
    fn mixed(&self, row: &BoneWeights, rows: &[BoneWeights], strength: f64) -> Vec<Influence> {
        let total: f64 = self.beside.iter().map(|(_, share)| share).sum();
        if total == 0.0 {
            return row.influences().to_vec();
        }
        // The neighbours first: the sum of two has the same bits in either order.
        let mut mixed: BTreeMap<_, f64> = BTreeMap::new();
        for (neighbour, share) in &self.beside {
            for (bone, weight) in rows[*neighbour].influences() {
                *mixed.entry(*bone).or_insert(0.0) += weight * (strength * (share / total));
            }
        }
        for (bone, weight) in row.influences() {
            *mixed.entry(*bone).or_insert(0.0) += weight * (1.0 - strength);
        }
        mixed.into_iter().collect()
    }
}

/// The nodes of a vertex's anchor and tangents.
type VertexPlaces = [Option<usize>; 3];

/// The key of a node: position, and weights to the bit.
type Key = ([u64; 2], Vec<(usize, u64)>);

/// The points that have weights, each once.
fn nodes(lines: &[BLine], weights: &[VertexWeights]) -> (Vec<VertexPlaces>, Vec<Node>) {
    let mut nodes: Vec<Node> = Vec::new();
    let mut at: Vec<Point> = Vec::new();
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    let mut add = |point: Point, row: &BoneWeights| {
        // -0 and 0 are equal.
        let place = [(point.x + 0.0).to_bits(), (point.y + 0.0).to_bits()];
        let bits = row.influences().iter().map(|(bone, weight)| (bone.index(), weight.to_bits())).collect();
        *known.entry((place, bits)).or_insert_with(|| {
            nodes.push(Node { row: row.clone(), beside: Vec::new() });
            at.push(point);
            nodes.len() - 1
        })
    };
    let mut places: Vec<VertexPlaces> = Vec::with_capacity(weights.len());
    let mut links: Vec<(usize, usize)> = Vec::new();
    let mut first = 0;
    for line in lines {
        let vertices = &weights[first..first + line.vertices().len()];
        first += vertices.len();
        let base = places.len();
        places.extend(
            line.vertices()
                .iter()
                .zip(vertices)
                .map(|(at, row)| [Some(add(at.anchor, &row.anchor)), None, None]),
        );
        for (kind, from, to) in line.segments() {
            let (a, b) = (line.vertices()[from].anchor, line.vertices()[to].anchor);
            let (out, arrive) = match kind {
                Segment::Line => (a.lerp(b, 1.0 / 3.0), b.lerp(a, 1.0 / 3.0)),
                _ => line.cubic_handles(kind, from, to),
            };
            let leaving = vertices[from].tangent_out.as_ref().map(|row| add(out, row));
            let arriving = vertices[to].tangent_in.as_ref().map(|row| add(arrive, row));
            places[base + from][2] = leaving;
            places[base + to][1] = arriving;
            let way = [places[base + from][0], leaving, arriving, places[base + to][0]];
            let way: Vec<usize> = way.into_iter().flatten().collect();
            links.extend(way.windows(2).map(|ends| (ends[0], ends[1])));
        }
        // Tangents that belong to no segment have no neighbours.
        for (i, (vertex, at)) in vertices.iter().zip(line.vertices()).enumerate() {
            let places = &mut places[base + i];
            places[1] = places[1].or_else(|| vertex.tangent_in.as_ref().map(|row| add(at.tangent_in, row)));
            places[2] = places[2].or_else(|| vertex.tangent_out.as_ref().map(|row| add(at.tangent_out, row)));
        }
    }
    // An edge that two outlines share counts once.
    links.iter_mut().for_each(|link| *link = (link.0.min(link.1), link.0.max(link.1)));
    links.sort_unstable();
    links.dedup();
    for (a, b) in links.into_iter().filter(|(a, b)| a != b) {
        let share = share(at[a] - at[b]);
        nodes[a].beside.push((b, share));
        nodes[b].beside.push((a, share));
    }
    (places, nodes)
}

/// The coefficient of a neighbour: the inverse of its distance, bounded for points at one position.
fn share(apart: Vec2) -> f64 {
    let distance = apart.hypot();
    if distance.is_finite() { 1.0 / distance.max(1e-3) } else { 0.0 }
}
