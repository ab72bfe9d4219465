//! A frame of a puppet: angles of the pins, a field of angles, a start from it, and steps of local and global fits
//! (Sorkine and Alexa 2007, with spokes and rims). Their number is fixed: beyond about 100 degrees the minimum of
//! the energy is a crease, so the shape is the field's, and the steps bring lengths and areas back.

use bone_core::Angle;
use kurbo::{Affine, Point, Vec2};

use super::parts::{BoundPin, PinTurn, Puppet};
use crate::blend::Motion;
use crate::matrices::SkinMatrices;

/// Steps after the start.
const STEPS: usize = 4;
/// What rounding may leave of a pose at rest.
const REST: f64 = 1e-12;

/// The memory of one puppet in one thread.
#[derive(Clone, Debug, Default)]
pub struct PuppetScratch {
    pins: Vec<PosedPin>,
    /// Angles in degrees at the vertices.
    angles: Vec<f64>,
    /// Rotations at the vertices.
    turns: Vec<Vec2>,
    posed: Vec<Point>,
    /// Right sides and solutions.
    right: Vec<Vec2>,
    /// The sums of the maps of the triangles of each vertex, by columns.
    maps: Vec<[Vec2; 2]>,
    solved: Vec<Vec2>,
    solved_angles: Vec<f64>,
}

/// A pin in a pose, in the frame of the bone that carries all.
#[derive(Clone, Copy, Debug, Default)]
struct PosedPin {
    at: Point,
    scale: f64,
    angle: f64,
    /// The whole turns of lines from it are taken near this, in degrees.
    near: f64,
    /// The sum of the turns of its lines, and how many there are.
    lines: (f64, f64),
    /// Cosine and sine of what it holds.
    turn: Vec2,
}

/// The product of two complex numbers.
fn turned(turn: Vec2, v: Vec2) -> Vec2 {
    Vec2::new(turn.x * v.x - turn.y * v.y, turn.x * v.y + turn.y * v.x)
}

/// A direction of length 1; the other one for none.
fn unit(v: Vec2, other: Vec2) -> Vec2 {
    let length = v.hypot();
    if length > 0.0 { v / length } else { other }
}

fn direction(degrees: f64) -> Vec2 {
    Angle::from_degrees(degrees).direction()
}

impl PuppetScratch {
    /// Memory for a puppet.
    pub fn new(puppet: &Puppet) -> Self {
        let n = puppet.points.len();
        Self {
            pins: Vec::with_capacity(puppet.pins.len()),
            angles: Vec::with_capacity(n),
            turns: Vec::with_capacity(n),
            posed: Vec::with_capacity(n),
            right: Vec::with_capacity(n),
            maps: Vec::with_capacity(n),
            solved: Vec::with_capacity(n),
            solved_angles: Vec::with_capacity(n),
        }
    }
}

impl Puppet {
    /// Adds the motions of the vertices to those of the bones, which were [updated](SkinMatrices::update) before.
    pub fn pose(&self, matrices: &mut SkinMatrices, scratch: &mut PuppetScratch) {
        let carrier = match self.carrier {
            Some(bone) => matrices.of_known(bone),
            None => Affine::IDENTITY,
        };
        self.place_pins(matrices, carrier, scratch);
        let moves = |pin: &BoundPin, posed: &PosedPin| {
            let size = REST * (1.0 + pin.origin.to_vec2().hypot());
            let is_at_rest = (posed.at - pin.origin).hypot() <= size
                && posed.angle.abs() <= REST * 100.0
                && (posed.scale - 1.0).abs() <= REST;
            !is_at_rest
        };
        let moves = self.pins.iter().zip(&scratch.pins).any(|(pin, posed)| moves(pin, posed));
        let is_finite = |pin: &PosedPin| pin.at.is_finite() && pin.angle.is_finite() && pin.scale.is_finite();
        if !moves || !scratch.pins.iter().all(is_finite) {
            return matrices.extend(self.points.iter().map(|_| Motion::new(carrier, Angle::ZERO)));
        }
        self.find_angles(scratch);
        scratch.turns.clear();
        scratch.turns.extend(scratch.angles.iter().map(|angle| direction(*angle)));
        scratch.posed.clear();
        scratch.posed.extend_from_slice(&self.points);
        self.place_vertices(scratch, true);
        for _ in 0..STEPS {
            self.fit_turns(scratch);
            self.place_vertices(scratch, false);
        }
        self.add_motions(carrier, matrices, scratch);
    }

    /// Where the pins are, and the angles of those that are free.
    fn place_pins(&self, matrices: &SkinMatrices, carrier: Affine, scratch: &mut PuppetScratch) {
        let back = if carrier.determinant() == 0.0 { Affine::IDENTITY } else { carrier.inverse() };
        let carried = self.carrier.map_or(0.0, |bone| matrices.turn(bone).degrees());
        let mirrors = if carrier.determinant() < 0.0 { -1.0 } else { 1.0 };
        scratch.pins.clear();
        scratch.pins.extend(self.pins.iter().map(|pin| {
            let own = back * matrices.of_known(pin.bone);
            let m = own.as_coeffs();
            let unwrapped = Angle::from_degrees(mirrors * (matrices.turn(pin.bone).degrees() - carried));
            let angle = Angle::of(Vec2::new(m[0], m[1])).nearest_to(unwrapped).degrees();
            PosedPin {
                at: own * pin.origin,
                scale: own.determinant().abs().sqrt(),
                angle,
                near: if pin.turn == PinTurn::Set { angle } else { 0.0 },
                ..PosedPin::default()
            }
        }));
        for &[from, to] in &self.tree {
            let (from, to) = (from as usize, to as usize);
            let rest = self.pins[to].origin - self.pins[from].origin;
            let posed = scratch.pins[to].at - scratch.pins[from].at;
            let near = scratch.pins[from].near;
            let turn = if rest.hypot2() > 0.0 && posed.hypot2() > 0.0 {
                let own = Angle::of(Vec2::new(rest.dot(posed), rest.cross(posed)));
                own.nearest_to(Angle::from_degrees(near)).degrees()
            } else {
                near
            };
            for at in [from, to] {
                let lines = &mut scratch.pins[at].lines;
                *lines = (lines.0 + turn, lines.1 + 1.0);
            }
            if self.pins[to].turn == PinTurn::Free {
                scratch.pins[to].near = turn;
            }
        }
        for (pin, posed) in self.pins.iter().zip(&mut scratch.pins) {
            if pin.turn == PinTurn::Free && posed.lines.1 > 0.0 {
                posed.angle = posed.lines.0 / posed.lines.1;
            }
            posed.turn = direction(posed.angle);
        }
    }

    /// The harmonic field of the angles of the pins.
    fn find_angles(&self, scratch: &mut PuppetScratch) {
        let PuppetScratch { pins, angles, solved_angles, .. } = scratch;
        angles.clear();
        angles.resize(self.points.len(), 0.0);
        for (pin, posed) in self.pins.iter().zip(&*pins) {
            pin.disc.iter().for_each(|v| angles[*v as usize] = posed.angle);
        }
        for (v, held, value) in &self.system.held {
            angles[*v as usize] -= value * angles[*held as usize];
        }
        self.system.factor.solve_with(angles, solved_angles);
    }

    /// The vertices whose edges are nearest to those at rest, turned by the mean of the turns at the corners of
    /// each triangle: a Poisson equation. `whole` takes that mean as a rotation, so that edges keep their lengths.
    fn place_vertices(&self, scratch: &mut PuppetScratch, whole: bool) {
        let PuppetScratch { pins, turns, posed, right, solved, .. } = scratch;
        right.clear();
        right.resize(self.points.len(), Vec2::ZERO);
        for (corners, edges) in self.triangles.iter().zip(&self.system.edges) {
            let [a, b, c] = corners.map(|v| turns[v as usize]);
            let sum = a + b + c;
            let turn = if whole { unit(sum, a) } else { sum / 3.0 };
            for k in 0..3 {
                let edge = turned(turn, edges[k]);
                right[corners[(k + 1) % 3] as usize] += edge;
                right[corners[k] as usize] -= edge;
            }
        }
        for (pin, place) in self.pins.iter().zip(&*pins) {
            for v in &pin.disc {
                let rest = (self.points[*v as usize] - pin.origin) * place.scale;
                right[*v as usize] = place.at.to_vec2() + turned(place.turn, rest);
            }
        }
        for (v, held, value) in &self.system.held {
            let held = right[*held as usize];
            right[*v as usize] -= held * *value;
        }
        self.system.factor.solve_with(right, solved);
        posed.iter_mut().zip(&*right).for_each(|(posed, at)| *posed = at.to_point());
    }

    /// The rotation at each vertex that fits the edges of its triangles best, and those of free pins.
    fn fit_turns(&self, scratch: &mut PuppetScratch) {
        let PuppetScratch { pins, turns, posed, right, .. } = scratch;
        right.clear();
        right.resize(self.points.len(), Vec2::ZERO);
        for (corners, edges) in self.triangles.iter().zip(&self.system.edges) {
            let at = corners.map(|v| posed[v as usize]);
            let mut sum = Vec2::ZERO;
            for k in 0..3 {
                let (rest, now) = (edges[k], at[(k + 1) % 3] - at[k]);
                sum += Vec2::new(rest.dot(now), rest.cross(now));
            }
            corners.iter().for_each(|v| right[*v as usize] += sum);
        }
        for (pin, place) in self.pins.iter().zip(pins) {
            if pin.turn == PinTurn::Free && self.pins.len() > 1 {
                let sum = pin.disc.iter().fold(Vec2::ZERO, |sum, v| sum + right[*v as usize]);
                place.turn = unit(sum, place.turn);
            }
        }
        turns.iter_mut().zip(&*right).for_each(|(turn, sum)| *turn = unit(*sum, *turn));
    }

    /// The mean of the maps of each vertex's triangles, by their areas.
    fn add_motions(&self, carrier: Affine, matrices: &mut SkinMatrices, scratch: &mut PuppetScratch) {
        let PuppetScratch { maps, posed, angles, .. } = scratch;
        maps.clear();
        maps.resize(self.points.len(), [Vec2::ZERO; 2]);
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|v| self.points[v as usize]);
            let [pa, pb, pc] = corners.map(|v| posed[v as usize]);
            let (u, v, pu, pv) = (b - a, c - a, pb - pa, pc - pa);
            let map = [pu * v.y - pv * u.y, pv * u.x - pu * v.x];
            for at in corners {
                let sum = &mut maps[*at as usize];
                *sum = [sum[0] + map[0], sum[1] + map[1]];
            }
        }
        let rest = self.points.iter().zip(&*posed).zip(&*maps);
        let motions = rest.zip(&self.system.areas).zip(&*angles).map(|((((rest, at), map), area), angle)| {
            let (x, y) = (map[0] / *area, map[1] / *area);
            let shift = at.to_vec2() - x * rest.x - y * rest.y;
            let own = Affine::new([x.x, x.y, y.x, y.y, shift.x, shift.y]);
            let own = if own.is_finite() { carrier * own } else { carrier };
            Motion::new(own, Angle::from_degrees(if own.is_finite() { *angle } else { 0.0 }))
        });
        matrices.extend(motions);
    }
}
