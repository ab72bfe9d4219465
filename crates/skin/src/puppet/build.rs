//! What a puppet computes once: which vertices each pin holds, the tree of pins, and the factored equations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bone_core::{BoneId, Skeleton};
use kurbo::{Line, ParamCurveNearest, Point, Vec2};

use super::error::PuppetError;
use super::parts::{BoundPin, PinTurn, Puppet, PuppetPin};
use crate::auto::{PuppetMesh, SolvedField};

/// The grip of a pin without one, as a multiple of the mean edge.
const GRIP: f64 = 1.2;
/// Places at which a line is looked for within the art.
const PLACES: u32 = 8;

impl Puppet {
    /// A puppet over a mesh, with the field by which outlines are bound to it. `first` is the id of its first
    /// vertex; `stiffness` is asked at the middle of each triangle.
    ///
    /// # Errors
    /// If the pins cannot hold the mesh.
    pub fn new(
        mesh: PuppetMesh,
        pins: &[PuppetPin],
        (skeleton, first): (&Skeleton, u32),
        stiffness: &dyn Fn(Point) -> f64,
    ) -> Result<(Self, SolvedField), PuppetError> {
        if pins.is_empty() {
            return Err(PuppetError::NoPins);
        }
        let grips = grips(&mesh, pins);
        check_places(&mesh, pins)?;
        check_distances(pins, &grips)?;
        let neighbours = neighbours(&mesh.points, &mesh.triangles);
        let discs = discs(&mesh, pins, &grips)?;
        let middle = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| mesh.points[v as usize].to_vec2());
            ((a + b + c) / 3.0).to_point()
        };
        let stiff = |corners: &[u32; 3]| Some(stiffness(middle(corners))).filter(|k| *k > 0.0).unwrap_or(1.0);
        let stiffness = mesh.triangles.iter().map(stiff).collect();
        let tree = tree(&mesh.points, &neighbours, pins, &discs);
        let follows = follows(&mesh.points, &neighbours, &discs);
        let bound = pins.iter().zip(discs);
        let bound =
            bound.map(|(pin, disc)| BoundPin { bone: pin.bone, origin: pin.origin, turn: pin.turn, disc });
        let (points, triangles) = (mesh.points.clone(), mesh.triangles.clone());
        let puppet =
            Self::of_parts(points, triangles, stiffness, bound.collect(), tree, carrier(pins, skeleton));
        Ok((puppet.ok_or(PuppetError::Unsolved)?, mesh.field(first, follows)))
    }
}

fn neighbours(points: &[Point], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); points.len()];
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
            neighbours[from as usize].push(to);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

fn grips(mesh: &PuppetMesh, pins: &[PuppetPin]) -> Vec<f64> {
    let sides = mesh.triangles.iter().flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)]);
    let sum: f64 = sides.map(|(a, b)| (mesh.points[*a as usize] - mesh.points[*b as usize]).hypot()).sum();
    let usual = GRIP * sum / (3 * mesh.triangles.len()).max(1) as f64;
    pins.iter().map(|pin| pin.grip.unwrap_or(usual)).collect()
}

/// Pins are within the art, lines at least with a part.
fn check_places(mesh: &PuppetMesh, pins: &[PuppetPin]) -> Result<(), PuppetError> {
    for (at, pin) in pins.iter().enumerate() {
        let Some(nearest) = mesh.nearest_inside(pin.origin) else { continue };
        let places = (1..=PLACES).map(|k| pin.origin.lerp(pin.tip, f64::from(k) / f64::from(PLACES)));
        if pin.origin == pin.tip || places.into_iter().all(|place| mesh.nearest_inside(place).is_some()) {
            return Err(PuppetError::Outside { pin: at, nearest });
        }
    }
    Ok(())
}

/// No pin is in the grip of another. Lines may join at their ends.
fn check_distances(pins: &[PuppetPin], grips: &[f64]) -> Result<(), PuppetError> {
    for (b, pin) in pins.iter().enumerate() {
        for (a, other) in pins[..b].iter().enumerate() {
            let is_line = |pin: &PuppetPin| pin.origin != pin.tip;
            if is_line(pin) && is_line(other) {
                continue;
            }
            let distance =
                if is_line(pin) { distance(pin, other.origin) } else { distance(other, pin.origin) };
            // Without typed grips only pins at one place are a mistake.
            let typed = [pin.grip, other.grip].into_iter().flatten().fold(0.0, f64::max);
            let grip = if typed > 0.0 { typed } else { 1e-6 * grips[a].max(grips[b]) };
            if distance < grip || distance == 0.0 {
                return Err(PuppetError::Near { pins: [a, b], distance, grip });
            }
        }
    }
    Ok(())
}

fn distance(pin: &PuppetPin, at: Point) -> f64 {
    Line::new(pin.origin, pin.tip).nearest(at, 1e-9).distance_sq.sqrt()
}

/// The vertices that each pin holds: those within its grip that are nearest to it, at least the nearest of all that
/// no other is nearer to.
fn discs(mesh: &PuppetMesh, pins: &[PuppetPin], grips: &[f64]) -> Result<Vec<Vec<u32>>, PuppetError> {
    let mut discs = vec![Vec::new(); pins.len()];
    let mut free: Vec<u32> = Vec::new();
    for (v, point) in (0_u32..).zip(&mesh.points) {
        let away = |at: usize| (distance(&pins[at], *point), at);
        let holds = (0..pins.len()).map(away).filter(|(distance, at)| *distance <= grips[*at]);
        match holds.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, at)) => discs[at].push(v),
            None => free.push(v),
        }
    }
    for (pin, disc) in discs.iter_mut().enumerate().filter(|(_, disc)| disc.is_empty()) {
        // One vertex cannot turn; but the middle of three in reach is enough to hold a place.
        let near = |v: &u32| distance(&pins[pin], mesh.points[*v as usize]);
        let nearest = free.iter().copied().enumerate().min_by(|a, b| near(&a.1).total_cmp(&near(&b.1)));
        let (at, v) = nearest.ok_or(PuppetError::Holds { pin })?;
        free.remove(at);
        disc.push(v);
    }
    Ok(discs)
}

/// The tree of nearest pins (Prim 1957), by distances within the mesh. Its root is a pin that turns with its bone,
/// if there is one.
fn tree(points: &[Point], neighbours: &[Vec<u32>], pins: &[PuppetPin], discs: &[Vec<u32>]) -> Vec<[u32; 2]> {
    let root = pins.iter().position(|pin| pin.turn == PinTurn::Set).unwrap_or(0);
    let mut nearest: Vec<(f64, usize)> = vec![(f64::INFINITY, root); pins.len()];
    let mut is_in = vec![false; pins.len()];
    let (mut lines, mut last) = (Vec::with_capacity(pins.len() - 1), root);
    loop {
        is_in[last] = true;
        let ways = ways(points, neighbours, &discs[last]);
        for (at, pin) in pins.iter().enumerate() {
            let way = discs[at].iter().map(|v| ways[*v as usize]).fold(f64::INFINITY, f64::min);
            // Pieces that lie apart come last.
            let straight = (pin.origin - pins[last].origin).hypot();
            let way = if way.is_finite() { way } else { 1e12 + straight.min(1e12) };
            if way < nearest[at].0 {
                nearest[at] = (way, last);
            }
        }
        let outside = (0..pins.len()).filter(|at| !is_in[*at]);
        let Some(next) = outside.min_by(|a, b| nearest[*a].0.total_cmp(&nearest[*b].0)) else { return lines };
        lines.push([nearest[next].1 as u32, next as u32]);
        last = next;
    }
}

/// The length of the shortest way along edges from a disc to each vertex (Dijkstra 1959).
fn ways(points: &[Point], neighbours: &[Vec<u32>], from: &[u32]) -> Vec<f64> {
    let mut ways = vec![f64::INFINITY; points.len()];
    // Lengths of 0 and more are ordered as their bits.
    let mut waiting: BinaryHeap<Reverse<(u64, u32)>> = from.iter().map(|v| Reverse((0, *v))).collect();
    from.iter().for_each(|v| ways[*v as usize] = 0.0);
    while let Some(Reverse((bits, v))) = waiting.pop() {
        let way = f64::from_bits(bits);
        if way > ways[v as usize] {
            continue;
        }
        for &next in &neighbours[v as usize] {
            let step: Vec2 = points[next as usize] - points[v as usize];
            let there = way + step.hypot();
            if there < ways[next as usize] {
                ways[next as usize] = there;
                waiting.push(Reverse((there.to_bits(), next)));
            }
        }
    }
    ways
}

/// The vertex that each vertex follows: itself, and in a piece without a pin the nearest one of the pieces that
/// have pins, the same for all of the piece.
fn follows(points: &[Point], neighbours: &[Vec<u32>], discs: &[Vec<u32>]) -> Vec<u32> {
    let mut follows: Vec<u32> = (0..points.len() as u32).collect();
    let held: Vec<u32> = discs.iter().flatten().copied().collect();
    let ways = ways(points, neighbours, &held);
    let pinned: Vec<u32> = (0..points.len() as u32).filter(|v| ways[*v as usize].is_finite()).collect();
    let mut is_done: Vec<bool> = ways.iter().map(|way| way.is_finite()).collect();
    for start in 0..points.len() {
        if std::mem::replace(&mut is_done[start], true) {
            continue;
        }
        let (mut piece, mut at) = (vec![start as u32], 0);
        while let Some(v) = piece.get(at) {
            let next = neighbours[*v as usize].iter().copied();
            let next: Vec<u32> =
                next.filter(|next| !std::mem::replace(&mut is_done[*next as usize], true)).collect();
            piece.extend(next);
            at += 1;
        }
        let away = |v: &u32| {
            let own = piece.iter().map(|own| (points[*own as usize] - points[*v as usize]).hypot2());
            own.fold(f64::INFINITY, f64::min)
        };
        let nearest = pinned.iter().map(|v| (away(v), *v)).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, nearest)) = nearest {
            piece.iter().for_each(|v| follows[*v as usize] = nearest);
        }
    }
    follows
}

/// The nearest bone above all pins.
fn carrier(pins: &[PuppetPin], skeleton: &Skeleton) -> Option<BoneId> {
    let is_above = |bone: BoneId, pin: &PuppetPin| {
        let first = bone.index();
        (first..first + skeleton.subtree(bone).len()).contains(&pin.bone.index())
    };
    let first = pins.first().map(|pin| pin.bone).filter(|bone| skeleton.contains(*bone))?;
    let above = std::iter::successors(skeleton.parent(first), |bone| skeleton.parent(*bone));
    above.into_iter().find(|bone| pins.iter().all(|pin| is_above(*bone, pin)))
}
