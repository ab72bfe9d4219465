//! The interior of the drawing: the union of all fills and strokes, as its border, computed on the integer
//! grid, where the tests are exact.

use std::sync::atomic::{AtomicBool, Ordering};

use kurbo::Point;

use super::outline::{Node, Outlines, Piece};
use super::raster;
use super::weld::{Border, Slit, Weld};

/// Rounds of cutting; crossings that remain are finer than the grid.
const ROUNDS: usize = 8;
/// Crossings of one round above which a coarser grid is taken, or cells.
const CROSSINGS: usize = 200_000;
/// Pairs of pieces that are compared in one round; above it the same. So long lines side by side cost no more than
/// those that cross.
const PAIRS: u64 = 100_000_000;
/// Where no coarser grid follows, so many times as much is done: cells lose what is finer than they are.
const AT_LAST: usize = 4;
/// The coarsest and the finest step of the grid.
const COARSEST: i64 = 1 << 14;
const FINEST: i64 = 1 << 8;
/// Greatest number of patches of slits.
const PATCHES: usize = 50_000;
/// How far patches of slits reach into the shapes, in steps.
const INSET: f64 = 2.0;

/// The border of the union of all shapes.
#[derive(Debug, Default)]
pub(crate) struct Interior {
    /// Sorted; the inside is where `cross(b - a, p - a) > 0`.
    pub(crate) edges: Vec<[Node; 2]>,
    pub(crate) area: f64,
    /// The step of the grid, in grid units.
    pub(crate) step: i64,
    /// Where different shapes are nearer to each other than the weld distance.
    pub(crate) slits: Vec<Slit>,
    rows: Slabs,
}

impl Interior {
    /// The border, with at most about `most` edges. Slits between different shapes up to the width `weld`, in
    /// grid units, are filled.
    pub(crate) fn new(outlines: &Outlines, most: usize, weld: f64) -> Self {
        Self::unless(&AtomicBool::new(false), outlines, most, weld).unwrap_or_default()
    }

    /// The same; none soon after `cancel` is set.
    pub(crate) fn unless(cancel: &AtomicBool, outlines: &Outlines, most: usize, weld: f64) -> Option<Self> {
        let mut step = FINEST;
        loop {
            let coarsest = step >= COARSEST;
            let most = if coarsest { usize::MAX } else { most };
            let mut owned = border(cancel, outlines, &[], step, most);
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            if owned.is_none() && coarsest {
                step = raster::CELL;
                owned = Some(raster::border(cancel, outlines)?);
            }
            if let Some(owned) = owned {
                let Weld { slits, patches } = Weld::new(&owned, weld, INSET * step as f64);
                // Patches leave fewer edges than before. With very many of them slits stay, and are reported.
                let welded = match patches.len() {
                    1..=PATCHES => border(cancel, outlines, &patches, step, usize::MAX),
                    _ => None,
                };
                let edges = welded.unwrap_or(owned).edges;
                let area: i128 = edges.iter().map(|[a, b]| i128::from(a[0] * b[1] - a[1] * b[0])).sum();
                let rows = Slabs::new(edges.iter().map(|[a, b]| (a[1].min(b[1]), a[1].max(b[1]))));
                return Some(Self { edges, area: area as f64 * 0.5, step, slits, rows });
            }
            step *= 2;
        }
    }

    /// Whether a coarser grid than the finest was taken.
    pub(crate) fn is_coarse(&self) -> bool {
        self.step > FINEST
    }

    /// Whether a point in grid units lies inside.
    pub(crate) fn contains(&self, p: Point) -> bool {
        let mut wind = 0;
        for &e in self.rows.at(p.y) {
            let [a, b] = self.edges[e as usize].map(|n| Point::new(n[0] as f64, n[1] as f64));
            if (a.y <= p.y) != (b.y <= p.y) && ((b - a).cross(p - a) > 0.0) == (b.y > a.y) {
                wind += if b.y > a.y { 1 } else { -1 };
            }
        }
        wind != 0
    }
}

/// Intervals of one axis, found by position.
#[derive(Debug, Default)]
struct Slabs {
    low: i64,
    width: i64,
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Slabs {
    fn new(spans: impl ExactSizeIterator<Item = (i64, i64)> + Clone) -> Self {
        let low = spans.clone().map(|s| s.0).min().unwrap_or(0);
        let high = spans.clone().map(|s| s.1).max().unwrap_or(0);
        // So many slabs that an interval of mean length is listed only a few times.
        let sum: i64 = spans.clone().map(|s| s.1 - s.0).sum();
        let usual = sum / spans.len().max(1) as i64 + 1;
        let count = (2 * (high - low) / usual).min(spans.len() as i64 / 4).clamp(1, 512);
        let width = ((high - low) / count + 1).max(1);
        let mut starts = vec![0_u32; count as usize + 1];
        let range = |s: (i64, i64)| ((s.0 - low) / width) as usize..=((s.1 - low) / width) as usize;
        for span in spans.clone() {
            range(span).for_each(|k| starts[k + 1] += 1);
        }
        for k in 0..count as usize {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count as usize] as usize];
        for (i, span) in spans.enumerate() {
            for k in range(span) {
                items[next[k] as usize] = i as u32;
                next[k] += 1;
            }
        }
        Self { low, width, starts, items }
    }

    fn slab(&self, place: i64) -> usize {
        ((place - self.low) / self.width) as usize
    }

    /// All slabs with their intervals, in the order of the list.
    fn lists(&self) -> impl Iterator<Item = (usize, &[u32])> {
        self.starts.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize]).enumerate()
    }

    fn at(&self, place: f64) -> &[u32] {
        let k = ((place - self.low as f64) / self.width as f64).floor();
        if !(k >= 0.0 && k < (self.starts.len() - 1) as f64) {
            return &[];
        }
        &self.items[self.starts[k as usize] as usize..self.starts[k as usize + 1] as usize]
    }
}

/// Positive where `p` lies left of a-b, with y up.
fn side(a: Node, b: Node, p: Node) -> i64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// The border of the union of shapes and patches on a grid; `None` if it has too many edges or crossings, or was
/// cancelled.
fn border(
    cancel: &AtomicBool,
    outlines: &Outlines,
    patches: &[[Point; 4]],
    step: i64,
    most: usize,
) -> Option<Border> {
    let mut pieces = outlines.pieces(step);
    let layer = outlines.patch_pieces(patches, step, &mut pieces);
    let mut pieces = merge(pieces);
    if most != usize::MAX && pieces.len() > most * 8 {
        return None;
    }
    for _ in 0..ROUNDS {
        let times = if most == usize::MAX { AT_LAST } else { 1 };
        let mut cuts = crossings(cancel, &pieces, step, times)?;
        if cuts.is_empty() {
            break;
        }
        pieces = merge(cut(&pieces, &mut cuts));
    }
    let mut border = outer(&pieces, outlines, layer as usize + 1);
    border.owners.iter_mut().for_each(|layer| *layer = outlines.shape_of(*layer));
    (border.edges.len() <= most).then_some(border)
}

/// Merges pieces that coincide; their windings are added.
fn merge(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_unstable();
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if (last.a, last.b, last.layer) == (piece.a, piece.b, piece.layer) => {
                last.wind += piece.wind;
            }
            _ => merged.push(piece),
        }
    }
    merged.retain(|p| p.wind != 0);
    merged
}

/// The points at which pieces must be cut; `None` above so many times [`CROSSINGS`] or [`PAIRS`], or if it was
/// cancelled.
fn crossings(cancel: &AtomicBool, pieces: &[Piece], step: i64, times: usize) -> Option<Vec<(u32, Node)>> {
    let (most, most_pairs) = (CROSSINGS * times, PAIRS * times as u64);
    let mut cuts = Vec::new();
    let mut pairs = 0;
    let spans = pieces.iter().map(|p| (p.a[1].min(p.b[1]), p.a[1].max(p.b[1])));
    let rows = Slabs::new(spans.clone());
    let tops: Vec<(i64, i64)> = spans.collect();
    for (slab, list) in rows.lists() {
        for (k, &i) in list.iter().enumerate() {
            let p = &pieces[i as usize];
            let (low, high) = tops[i as usize];
            for &j in &list[k + 1..] {
                let q = &pieces[j as usize];
                if q.a[0] > p.b[0] {
                    break;
                }
                pairs += 1;
                let other = tops[j as usize];
                // A pair is tested in the slab where the later one begins.
                if other.1 < low
                    || other.0 > high
                    || (p.a, p.b) == (q.a, q.b)
                    || rows.slab(low.max(other.0)) != slab
                {
                    continue;
                }
                meet([p, q], [i, j], step, &mut cuts);
            }
            if cuts.len() > most || pairs > most_pairs || cancel.load(Ordering::Relaxed) {
                return None;
            }
        }
    }
    Some(cuts)
}

/// Cuts for two pieces that cross or touch.
fn meet([p, q]: [&Piece; 2], [i, j]: [u32; 2], step: i64, cuts: &mut Vec<(u32, Node)>) {
    let (qa, qb) = (side(p.a, p.b, q.a), side(p.a, p.b, q.b));
    let (pa, pb) = (side(q.a, q.b, p.a), side(q.a, q.b, p.b));
    let strictly = |s: &Piece, n: Node| n != s.a && n != s.b;
    if qa.signum() * qb.signum() < 0 && pa.signum() * pb.signum() < 0 {
        let t = pa as f64 / (pa as f64 - pb as f64);
        let at = [0, 1].map(|k| {
            let v = p.a[k] as f64 + (p.b[k] - p.a[k]) as f64 * t;
            (v / step as f64).round() as i64 * step
        });
        if strictly(p, at) {
            cuts.push((i, at));
        }
        if strictly(q, at) {
            cuts.push((j, at));
        }
        return;
    }
    // An end that lies on the other piece. Ends are sorted, so "between" means between in that order.
    let mut touch = |zero: i64, s: &Piece, index: u32, n: Node| {
        if zero == 0 && s.a < n && n < s.b {
            cuts.push((index, n));
        }
    };
    touch(qa, p, i, q.a);
    touch(qb, p, i, q.b);
    touch(pa, q, j, p.a);
    touch(pb, q, j, p.b);
}

fn cut(pieces: &[Piece], cuts: &mut [(u32, Node)]) -> Vec<Piece> {
    // Position along a piece from a to b.
    let along = |(i, n): &(u32, Node)| {
        let p = &pieces[*i as usize];
        (n[0] - p.a[0]) * (p.b[0] - p.a[0]) + (n[1] - p.a[1]) * (p.b[1] - p.a[1])
    };
    cuts.sort_unstable_by_key(|c| (c.0, along(c), c.1));
    let mut done = Vec::with_capacity(pieces.len() + cuts.len());
    let mut rest = &cuts[..];
    for (i, p) in pieces.iter().enumerate() {
        let here = rest.iter().take_while(|c| c.0 as usize == i).count();
        let mut from = p.a;
        for to in rest[..here].iter().map(|c| c.1).chain([p.b]) {
            if from != to {
                done.push(Piece::new(from, to, p.layer, p.wind));
            }
            from = to;
        }
        rest = &rest[here..];
    }
    done
}

/// The pieces with the inside on one side only, directed so that it lies to the left, with their layers as
/// owners.
fn outer(pieces: &[Piece], outlines: &Outlines, layers: usize) -> Border {
    let rows = Slabs::new(pieces.iter().map(|p| (p.a[1].min(p.b[1]), p.a[1].max(p.b[1]))));
    let columns = Slabs::new(pieces.iter().map(|p| (p.a[0], p.b[0])));
    let mut winds = vec![[0_i32; 2]; layers];
    let mut touched = Vec::new();
    let mut edges = Vec::new();
    let mut from = 0;
    while from < pieces.len() {
        let Piece { a, b, .. } = pieces[from];
        let same = pieces[from..].iter().take_while(|p| (p.a, p.b) == (a, b)).count();
        // A ray from the middle, across the piece's longer direction. All in half units.
        let middle = [a[0] + b[0], a[1] + b[1]];
        let tall = (b[1] - a[1]).abs() >= b[0] - a[0];
        let (slabs, x, y) = if tall { (&rows, 0, 1) } else { (&columns, 1, 0) };
        for &k in slabs.at(middle[y] as f64 * 0.5) {
            let p = &pieces[k as usize];
            let (lo, hi) = if p.a[y] <= p.b[y] { (p.a, p.b) } else { (p.b, p.a) };
            if (from..from + same).contains(&(k as usize)) {
                continue;
            }
            if !(2 * lo[y] <= middle[y] && middle[y] < 2 * hi[y]) {
                continue;
            }
            // The ray goes to larger x: the piece must lie there.
            let ahead = (2 * lo[x] - middle[x]) * (2 * hi[y] - middle[y])
                - (2 * lo[y] - middle[y]) * (2 * hi[x] - middle[x]);
            if ahead > 0 {
                let up = if p.a[y] <= p.b[y] { p.wind } else { -p.wind };
                // Upward pieces count 1 to their left in the (x, y) frame, downward ones in the mirrored
                // frame.
                let wind = if tall { up } else { -up };
                winds[p.layer as usize][0] += wind;
                winds[p.layer as usize][1] += wind;
                touched.push(p.layer);
            }
        }
        for p in &pieces[from..from + same] {
            // The winding on the left of a-b is greater by this than on its right. The ray starts on one
            // side, which is corrected.
            let left = ray_starts_left(a, b, tall);
            winds[p.layer as usize][usize::from(!left)] += if left { p.wind } else { -p.wind };
            touched.push(p.layer);
        }
        let inside = |side: usize| outlines.covers(&touched, |layer| winds[layer as usize][side]);
        let layers = (from as u32, (from + same) as u32);
        match (inside(0), inside(1)) {
            (true, false) => edges.push(([a, b], layers)),
            (false, true) => edges.push(([b, a], layers)),
            _ => {}
        }
        touched.drain(..).for_each(|l| winds[l as usize] = [0; 2]);
        from += same;
    }
    edges.sort_unstable();
    let mut border = Border::default();
    for (edge, (from, to)) in edges {
        border.edges.push(edge);
        border.starts.push(border.owners.len() as u32);
        border.owners.extend(pieces[from as usize..to as usize].iter().map(|piece| piece.layer));
    }
    border
}

/// Whether a ray from a point just left of a-b crosses it.
fn ray_starts_left(a: Node, b: Node, tall: bool) -> bool {
    // Left of a direction (dx, dy) is (-dy, dx). The ray goes to +x if tall, else to +y.
    if tall { b[1] > a[1] } else { b[0] < a[0] }
}

#[cfg(test)]
mod tests {
    use kurbo::{BezPath, Point, Rect, Shape as _};

    use super::*;
    use crate::{ClipRegion, CoveredShape, WindingRule};

    /// Shapes of which each crosses most others, and lines that only lie side by side: their pairs are not all compared.
    #[test]
    fn tangles_get_their_interior_in_cells() {
        let tilted =
            |at: u32| BezPath::from_svg(&format!("M{at} 0L{} 9000H{at}Z", at + 9000)).expect("a path");
        let crossing = |at: u32| {
            let (x, y) = (f64::from(at * 37 % 101), f64::from(at * 53 % 103));
            Rect::new(0.0, y, 50.0 + x, 103.0 + y).to_path(0.1)
        };
        let tangles: [Vec<BezPath>; 2] =
            [(0..12_000).map(tilted).collect(), (0..4000).map(crossing).collect()];
        for paths in tangles {
            let all: Vec<CoveredShape<'_>> = paths
                .iter()
                .map(|path| CoveredShape { path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 })
                .collect();
            let outlines = Outlines::new(&all, &[], &mut Vec::new()).expect("an extent");
            let interior = Interior::new(&outlines, 2250, 0.0);
            assert_eq!(interior.step, raster::CELL);
            assert!(interior.contains(Point::ZERO) && !interior.edges.is_empty());
        }
    }

    /// The share of a 100 by 100 box that the shapes cover, and a test for points in it.
    fn interior(shapes: &[(&str, Option<WindingRule>, f64)]) -> (f64, impl Fn(f64, f64) -> bool + use<>) {
        cut_interior(shapes, &[])
    }

    /// The same with clip paths.
    fn cut_interior(
        shapes: &[(&str, Option<WindingRule>, f64)],
        clips: &[ClipRegion<'_>],
    ) -> (f64, impl Fn(f64, f64) -> bool + use<>) {
        let frame = BezPath::from_svg("M0 0V0Z M100 100V100Z").expect("a path");
        let paths: Vec<BezPath> = shapes.iter().map(|s| BezPath::from_svg(s.0).expect("a path")).collect();
        let mut all: Vec<CoveredShape<'_>> = shapes
            .iter()
            .zip(&paths)
            .map(|(s, path)| CoveredShape { path, fill: s.1, stroke_width: s.2 })
            .collect();
        // Dots in the corners fix the frame.
        all.push(CoveredShape { path: &frame, fill: None, stroke_width: 0.0 });
        let outlines = Outlines::new(&all, clips, &mut Vec::new()).expect("an extent");
        let interior = Interior::new(&outlines, 5000, 0.0);
        let one = outlines.frame.apply(Point::new(100.0, 0.0)).x - outlines.frame.apply(Point::ZERO).x;
        (interior.area / (one * one), move |x, y| interior.contains(outlines.frame.apply(Point::new(x, y))))
    }

    const EVEN: Option<WindingRule> = Some(WindingRule::EvenOdd);
    const NONZERO: Option<WindingRule> = Some(WindingRule::NonZero);
    /// The two dots.
    const DOTS: f64 = 1e-3;

    #[test]
    fn unions_count_once() {
        let (area, inside) =
            interior(&[("M10 10H60V60H10Z", NONZERO, 0.0), ("M40 40V90H90V40Z", NONZERO, 0.0)]);
        assert!((area - 0.46).abs() < DOTS, "{area}");
        assert!(inside(50.0, 50.0) && inside(12.0, 12.0) && inside(88.0, 88.0) && !inside(70.0, 20.0));
        // A shared edge vanishes.
        let (area, inside) =
            interior(&[("M10 10H50V60H10Z", NONZERO, 0.0), ("M50 10H90V60H50Z", NONZERO, 0.0)]);
        assert!((area - 0.4).abs() < DOTS && inside(50.0, 30.0), "{area}");
    }

    #[test]
    fn rules_make_holes() {
        let pentagram = "M50 0 L79.39 90.45 L2.45 34.55 L97.55 34.55 L20.61 90.45 Z";
        let (even, inside) = interior(&[(pentagram, EVEN, 0.0)]);
        assert!(!inside(50.0, 50.0) && inside(50.0, 10.0));
        let (nonzero, inside) = interior(&[(pentagram, NONZERO, 0.0)]);
        assert!(inside(50.0, 50.0) && nonzero > even + 0.05);
    }

    #[test]
    fn clip_paths_cut_their_shapes() {
        let outlines = |all: &[(&str, WindingRule)]| -> Vec<(BezPath, WindingRule)> {
            all.iter().map(|it| (BezPath::from_svg(it.0).expect("a path"), it.1)).collect()
        };
        // Far larger than the drawing; the second has a hole.
        let wide = outlines(&[("M-1e9 20H1e9V60H-1e9Z", WindingRule::NonZero)]);
        let two = outlines(&[
            ("M0 0H30V100H0Z", WindingRule::NonZero),
            ("M50 0H100V100H50ZM60 30H80V50H60Z", WindingRule::EvenOdd),
        ]);
        let square = ("M10 10H90V90H10Z", NONZERO, 0.0);
        let free = ("M0 0H5V5H0Z", NONZERO, 0.0);
        let by_wide = ClipRegion { shapes: &[0], outlines: &wide };
        let by_two = ClipRegion { shapes: &[0], outlines: &two };
        let (area, inside) = cut_interior(&[square, free], &[by_wide]);
        assert!((area - 0.32 - 0.0025).abs() < DOTS, "{area}");
        assert!(inside(50.0, 50.0) && !inside(50.0, 15.0) && !inside(50.0, 70.0) && inside(2.0, 2.0));
        let (area, inside) = cut_interior(&[square, free], &[by_two, by_wide]);
        assert!((area - 0.4 * 0.6 + 0.04 - 0.0025).abs() < DOTS, "{area}");
        assert!(!inside(70.0, 40.0) && inside(70.0, 25.0) && inside(20.0, 40.0) && !inside(40.0, 40.0));
        // What is not cut is seen beyond the clip paths of others.
        let (area, _) = cut_interior(&[square, square], &[by_two, by_wide]);
        assert!((area - 0.64).abs() < DOTS, "{area}");
    }

    #[test]
    fn strokes_have_their_width() {
        let (area, inside) = interior(&[("M20 50H80", None, 10.0)]);
        // Square ends.
        assert!((area - 0.07).abs() < DOTS && inside(17.0, 53.0) && !inside(50.0, 56.0), "{area}");
        let (area, inside) = interior(&[("M20 20H80V80H20Z", None, 10.0)]);
        assert!((area - (0.49 - 0.25)).abs() < DOTS && inside(16.0, 16.0) && !inside(50.0, 50.0), "{area}");
        let (area, inside) = interior(&[("M20 20L80 20L20 22", None, 10.0)]);
        assert!(inside(50.0, 21.0) && area > 0.06, "{area}");
    }
}
