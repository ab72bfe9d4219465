//! Cuts the outlines of a filled path into parts, each moved most by one group of bones. One group after the other
//! is cut off, along the line on which it has as much weight as those that are left.
//!
//! The cut of a closed outline is what Sutherland and Hodgman (1974) make of a polygon: each part follows the cut
//! from where the outline leaves it to where it comes back. Its way goes along the edges of a tree of all places
//! where outlines cross the cut, the shortest one. What goes around in a tree takes each edge as often in one
//! direction as in the other, so that the windings of the parts sum up to those of the path, whatever shape the
//! cut has.

use std::collections::BTreeMap;

use bone_core::BoneId;
use kurbo::{PathEl, Point};

use crate::mirrored_contour::{Contour, Edge, OutlinePlace, Place, Stretch, at, mean};
use crate::refit::SAMPLES;
use crate::skin::{BoundPath, Piece, Skin};

/// Bones that are mirrored together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) number: u32,
    /// The first of those that move the path.
    pub(crate) bone: BoneId,
}

/// The share of each group.
type WeightRow = Vec<f64>;

pub(crate) struct Cutter<'a> {
    skin: &'a Skin,
    bound: &'a BoundPath,
    groups: &'a [Group],
    group_of: &'a [u32],
    places: Vec<Place>,
    /// The weights at each place.
    weights: Vec<WeightRow>,
    /// The weights at places between the ends of the elements that deform.
    within: BTreeMap<u32, Vec<(f64, WeightRow)>>,
}

/// The shortest tree of the places where outlines cross a cut.
struct CutTree {
    places: Vec<u32>,
    /// The place above each, by its number, and how far that is from the top.
    above: Vec<usize>,
    depth: Vec<usize>,
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

    fn add(&mut self, place: Place, weights: WeightRow) -> u32 {
        self.places.push(place);
        self.weights.push(weights);
        self.places.len() as u32 - 1
    }

    /// The share of each group in a row.
    fn shares(&self, row: u32) -> WeightRow {
        let mut shares = vec![0.0; self.groups.len()];
        for (bone, weight) in self.skin.table.row(row) {
            let number = self.group_of.get(bone.index()).copied().unwrap_or_default();
            let group = self.groups.iter().position(|group| group.number == number);
            group.into_iter().for_each(|group| shares[group] += weight);
        }
        shares
    }

    /// The weights at the samples of a piece, in the direction of the path.
    fn weights_within(&self, piece: &Piece) -> Vec<(f64, WeightRow)> {
        let rows = &self.skin.sample_rows[piece.sample as usize..][..SAMPLES.len()];
        let mut within: Vec<(f64, WeightRow)> =
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
        let tree = CutTree::new(crossings, |place| self.at_rest(place));
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for signed in signed {
            if signed.inside.iter().all(|inside| *inside == signed.inside[0]) {
                let side = if signed.inside[0] { &mut own } else { &mut others };
                side.push(signed.contour);
                continue;
            }
            own.push(side(&signed, true, &tree));
            others.push(side(&signed, false, &tree));
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

    fn at_rest(&self, place: u32) -> Point {
        mean(&self.places[place as usize], |place| at(&self.bound.elements, place.element, place.t))
    }
}

/// What of a contour is on one side of the cut.
fn side(signed: &Signed, inside: bool, tree: &CutTree) -> Contour {
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
        tree.follow(end, start_of(at), &mut edges);
        edges.push(contour.edges[at]);
        end = contour.edges[at].to;
    }
    tree.follow(end, start, &mut edges);
    Contour { start, edges, ..*contour }
}

impl CutTree {
    /// Prim's algorithm: the place nearest to the tree is next.
    fn new(places: Vec<u32>, at: impl Fn(u32) -> Point) -> Self {
        let points: Vec<Point> = places.iter().map(|place| at(*place)).collect();
        let count = places.len();
        let (mut above, mut depth) = (vec![0; count], vec![0; count]);
        let mut distance = vec![f64::INFINITY; count];
        let mut left: Vec<usize> = (1..count).collect();
        let mut last = 0;
        while !left.is_empty() {
            let mut next = 0;
            for (at, place) in left.iter().enumerate() {
                let now = (points[*place] - points[last]).hypot2();
                if now < distance[*place] {
                    (distance[*place], above[*place]) = (now, last);
                }
                if distance[*place] < distance[left[next]] {
                    next = at;
                }
            }
            last = left.remove(next);
            depth[last] = depth[above[last]] + 1;
        }
        Self { places, above, depth }
    }

    /// Adds the straight edges from one place to another. Places are numbered in the order of the crossings.
    fn follow(&self, from: u32, to: u32, edges: &mut Vec<Edge>) {
        let number = |place: u32| self.places.binary_search(&place);
        let (Ok(mut up), Ok(mut down)) = (number(from), number(to)) else {
            return;
        };
        let straight = |number: usize| Edge { to: self.places[number], curve: None };
        let mut back = Vec::new();
        while up != down {
            if self.depth[up] >= self.depth[down] {
                up = self.above[up];
                edges.push(straight(up));
            } else {
                back.push(straight(down));
                down = self.above[down];
            }
        }
        edges.extend(back.into_iter().rev());
    }
}
