//! Cuts the outlines of a filled path into parts, each moved most by one group of bones. One group after the other
//! is cut off, along the line on which it has as much weight as those that are left.
//!
//! The cut of a closed outline is what Sutherland and Hodgman (1974) make of a polygon: each part follows the cut
//! from where the outline leaves it to where it comes back. Along the cut it goes through all places where
//! outlines cross it, so that the ways of all parts there sum up to nothing, and the windings of the parts to
//! those of the path, also where the cut is not straight.

use std::collections::BTreeMap;

use bone_core::BoneId;
use kurbo::{PathEl, Point};

use crate::mirrored::{Contour, Edge, OutlinePlace, Place, Stretch, at, mean};
use crate::refit::SAMPLES;
use crate::skin::{BoundPath, Piece, Skin};

/// How far from a straight way along the cut, as a share of it, places lie through which it goes.
const BESIDE: f64 = 0.25;

/// Bones that are mirrored together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) number: u32,
    /// The first of those that move the path.
    pub(crate) bone: BoneId,
}

/// The share of each group.
type Weights = Vec<f64>;

pub(crate) struct Cutter<'a> {
    skin: &'a Skin,
    bound: &'a BoundPath,
    groups: &'a [Group],
    group_of: &'a [u32],
    places: Vec<Place>,
    /// The weights at each place.
    weights: Vec<Weights>,
    /// The weights at places between the ends of the elements that deform.
    within: BTreeMap<u32, Vec<(f64, Weights)>>,
}

/// A contour whose edges end where the sign of a cut changes.
struct Signed {
    contour: Contour,
    /// The sign of each edge.
    inside: Vec<bool>,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(
        skin: &'a Skin,
        bound: &'a BoundPath,
        groups: &'a [Group],
        group_of: &'a [u32],
    ) -> Self {
        let (places, weights, within) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { skin, bound, groups, group_of, places, weights, within }
    }

    /// The places and the contours of all parts.
    pub(crate) fn parts(mut self) -> (Vec<Place>, Vec<Contour>) {
        let mut rest = self.contours();
        let mut parts = Vec::new();
        for group in 0..self.groups.len() {
            let (own, others) = self.cut(rest, group);
            parts.extend(own.into_iter().map(|contour| Contour { group: group as u32, ..contour }));
            rest = others;
        }
        // Nothing is left but what numbers that are not finite leave.
        parts.extend(rest);
        (self.places, parts)
    }

    /// The subpaths as contours, closed as a fill closes them.
    fn contours(&mut self) -> Vec<Contour> {
        let pieces: BTreeMap<u32, &Piece> =
            self.skin.pieces.iter().map(|piece| (piece.point, piece)).collect();
        let mut contours: Vec<Contour> = Vec::new();
        let mut point = self.bound.points.start;
        for (element, drawn) in (0..).zip(&*self.bound.elements) {
            let count = match drawn {
                PathEl::MoveTo(_) | PathEl::LineTo(_) => 1,
                PathEl::QuadTo(..) => 2,
                PathEl::CurveTo(..) => 3,
                PathEl::ClosePath => continue,
            };
            let before = point.checked_sub(1).map_or(u32::MAX, |before| before as u32);
            point += count;
            let weights = self.shares(self.skin.rows[point - 1]);
            let to = self.add(vec![OutlinePlace { element, t: 1.0, share: 1.0 }], weights);
            if matches!(drawn, PathEl::MoveTo(_)) {
                let subpath = contours.len() as u32;
                contours.push(Contour { subpath, start: to, ..Contour::default() });
                continue;
            }
            let curve = matches!(drawn, PathEl::CurveTo(..));
            if let Some(piece) = pieces.get(&before).filter(|_| curve) {
                let within = self.weights_within(piece);
                self.within.insert(element, within);
            }
            let curve = curve.then_some(Stretch { element, from: 0.0, to: 1.0 });
            contours.last_mut().into_iter().for_each(|contour| contour.edges.push(Edge { to, curve }));
        }
        for contour in &mut contours {
            if contour.edges.last().is_some_and(|edge| edge.to != contour.start) {
                contour.edges.push(Edge { to: contour.start, curve: None });
            }
        }
        contours.retain(|contour| contour.edges.len() > 1);
        contours
    }

    fn add(&mut self, place: Place, weights: Weights) -> u32 {
        self.places.push(place);
        self.weights.push(weights);
        self.places.len() as u32 - 1
    }

    /// The share of each group in a row.
    fn shares(&self, row: u32) -> Weights {
        let mut shares = vec![0.0; self.groups.len()];
        for (bone, weight) in self.skin.table.row(row) {
            let number = self.group_of.get(bone.index()).copied().unwrap_or_default();
            let group = self.groups.iter().position(|group| group.number == number);
            group.into_iter().for_each(|group| shares[group] += weight);
        }
        shares
    }

    /// The weights at the samples of a piece, in the direction of the path.
    fn weights_within(&self, piece: &Piece) -> Vec<(f64, Weights)> {
        let rows = &self.skin.sample_rows[piece.sample as usize..][..SAMPLES.len()];
        let mut within: Vec<(f64, Weights)> =
            SAMPLES.iter().zip(rows).map(|(t, row)| (*t, self.shares(*row))).collect();
        if piece.reversed {
            within.reverse();
            within.iter_mut().for_each(|(t, _)| *t = 1.0 - *t);
        }
        within
    }

    /// How much more weight a group has than those after it.
    fn lead(weights: &[f64], group: usize) -> f64 {
        weights[group] - weights[group + 1..].iter().sum::<f64>()
    }

    /// Divides contours into what a group moves most and the rest.
    fn cut(&mut self, contours: Vec<Contour>, group: usize) -> (Vec<Contour>, Vec<Contour>) {
        let mut crossings = Vec::new();
        let signed: Vec<Signed> =
            contours.into_iter().map(|contour| self.signed(contour, group, &mut crossings)).collect();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for signed in signed {
            if signed.inside.iter().all(|inside| *inside == signed.inside[0]) {
                let side = if signed.inside[0] { &mut own } else { &mut others };
                side.push(signed.contour);
                continue;
            }
            own.push(self.side(&signed, true, &crossings));
            others.push(self.side(&signed, false, &crossings));
        }
        (own, others)
    }

    /// Divides the edges of a contour where a group takes or loses the lead.
    fn signed(&mut self, contour: Contour, group: usize, crossings: &mut Vec<u32>) -> Signed {
        let (mut edges, mut inside) = (Vec::new(), Vec::new());
        let mut from = contour.start;
        for edge in &contour.edges {
            let mut knots = vec![(0.0, self.weights[from as usize].clone())];
            if let Some(Stretch { element, from, to }) = edge.curve {
                let within = self.within.get(&element).into_iter().flatten();
                knots.extend(within.filter(|(t, _)| from < *t && *t < to).cloned());
                knots[0].0 = from;
                knots.push((to, self.weights[edge.to as usize].clone()));
            } else {
                knots.push((1.0, self.weights[edge.to as usize].clone()));
            }
            let (start, mut begin) = (from, knots[0].0);
            for pair in knots.windows(2) {
                let [a, b] = [&pair[0], &pair[1]].map(|(_, weights)| Self::lead(weights, group));
                if (a >= 0.0) == (b >= 0.0) {
                    continue;
                }
                let share = a / (a - b);
                let t = pair[0].0 + share * (pair[1].0 - pair[0].0);
                let weights = pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| a + share * (b - a)).collect();
                let place = match edge.curve {
                    Some(Stretch { element, .. }) => vec![OutlinePlace { element, t, share: 1.0 }],
                    None => self.between(start, edge.to, t),
                };
                let to = self.add(place, weights);
                crossings.push(to);
                let curve = edge.curve.map(|stretch| Stretch { from: begin, to: t, ..stretch });
                edges.push(Edge { to, curve });
                inside.push(a >= 0.0);
                begin = t;
            }
            let curve = edge.curve.map(|stretch| Stretch { from: begin, ..stretch });
            edges.push(Edge { to: edge.to, curve });
            inside.push(knots.last().is_some_and(|(_, weights)| Self::lead(weights, group) >= 0.0));
            from = edge.to;
        }
        Signed { contour: Contour { edges, ..contour }, inside }
    }

    /// A place between two others.
    fn between(&self, from: u32, to: u32, share: f64) -> Place {
        let part = |place: u32, share: f64| {
            let places = self.places[place as usize].iter();
            places.map(move |place| OutlinePlace { share: share * place.share, ..*place })
        };
        part(from, 1.0 - share).chain(part(to, share)).collect()
    }

    /// What of a contour is on one side of the cut.
    fn side(&self, signed: &Signed, inside: bool, crossings: &[u32]) -> Contour {
        let Signed { contour, inside: signs } = signed;
        let count = contour.edges.len();
        let start_of = |edge: usize| match edge.checked_sub(1) {
            None => contour.start,
            Some(before) => contour.edges[before].to,
        };
        // The first edge of a run on this side.
        let first = (0..count).find(|at| signs[*at] == inside && signs[(*at + count - 1) % count] != inside);
        let first = first.unwrap_or_default();
        let start = start_of(first);
        let (mut edges, mut end) = (Vec::new(), start);
        for at in (first..first + count).map(|at| at % count).filter(|at| signs[*at] == inside) {
            self.follow_cut(end, start_of(at), crossings, &mut edges);
            edges.push(contour.edges[at]);
            end = contour.edges[at].to;
        }
        self.follow_cut(end, start, crossings, &mut edges);
        Contour { start, edges, ..*contour }
    }

    /// Straight edges from one place on the cut to another.
    fn follow_cut(&self, from: u32, to: u32, crossings: &[u32], edges: &mut Vec<Edge>) {
        if from == to {
            return;
        }
        let (start, way) = (self.at_rest(from), self.at_rest(to) - self.at_rest(from));
        let length = way.hypot2();
        let beside = |place: &u32| {
            let offset = self.at_rest(*place) - start;
            let along = offset.dot(way) / length;
            let is_beside = offset.cross(way).abs() <= BESIDE * length && 0.0 < along && along < 1.0;
            (is_beside && *place != from && *place != to).then_some((along, *place))
        };
        let mut between: Vec<(f64, u32)> = crossings.iter().filter_map(beside).collect();
        between.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let straight = |to: u32| Edge { to, curve: None };
        edges.extend(between.into_iter().map(|(_, place)| straight(place)));
        edges.push(straight(to));
    }

    fn at_rest(&self, place: u32) -> Point {
        mean(&self.places[place as usize], |place| at(&self.bound.elements, place.element, place.t))
    }
}
