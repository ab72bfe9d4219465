//! Finds the walk through a graph that follows a path at the least cost. Deviations from the path, fades
//! between different poses, and time have costs.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use bone_import::ImportError;

use super::{GroundPath, MotionGraph};

/// How a path is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FollowOptions {
    /// The height of the figure, in units of the path.
    pub height: f64,
    /// The largest number of states that are expanded.
    pub effort: usize,
}

impl FollowOptions {
    /// Options for a figure of this height, in units of the path.
    pub fn new(height: f64) -> Self {
        Self { height, ..Self::default() }
    }
}

impl Default for FollowOptions {
    fn default() -> Self {
        Self { height: 320.0, effort: 1_000_000 }
    }
}

/// A walk through a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphWalk {
    /// The node where it begins.
    pub(crate) start: usize,
    /// The edges, and the number of frames of the last edge that are played.
    pub(crate) edges: Vec<usize>,
    pub(crate) last_frames: usize,
    /// Its total cost.
    pub cost: f64,
    /// The largest deviation from the path, in heights.
    pub max_deviation: f64,
    /// The distance between the end of the walk and the end of the path, in heights.
    pub end_error: f64,
    /// The number of fades.
    pub fades: usize,
}

/// The costs of a second at a deviation of one height (it grows with the square), of a second, and of a fade
/// at the threshold.
const DEVIATION_COST: f64 = 40.0;
const SECOND_COST: f64 = 0.15;
const FADE_COST: f64 = 1.0;
/// The cost of ending one height beyond the end of the path; it grows with the square.
const END_COST: f64 = 20.0;
/// States whose positions differ by less than this (in heights) are merged; the cheaper one is kept.
const CELL: f64 = 0.05;
/// The largest deviation, in heights.
const MAX_DEVIATION: f64 = 1.5;

/// A position on the path: the run, the x, and the farthest x on this run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PathProgress {
    run: usize,
    x: f64,
    farthest: f64,
}

struct QueueEntry {
    cost: f64,
    /// The order of discovery; it decides between equal costs.
    number: usize,
}

impl PartialEq for QueueEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for QueueEntry {}
impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for QueueEntry {
    /// The cheapest entry is the greatest one, because a heap returns the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.number.cmp(&self.number))
    }
}

/// A state of the search, and its predecessor.
struct SearchState {
    node: usize,
    walker: PathProgress,
    deviation: f64,
    /// The previous state, and the edge from it.
    before: Option<(usize, usize)>,
    /// The number of frames of the last edge, if the end of the path lies in it.
    arrived: Option<usize>,
}

impl MotionGraph {
    /// Finds the cheapest walk along a path, beginning at any node.
    ///
    /// # Errors
    /// If no walk reaches the end, or none is found within the effort.
    pub fn follow(&self, path: &GroundPath, options: &FollowOptions) -> Result<GraphWalk, ImportError> {
        let runs: Vec<(f64, f64)> = (0..path.runs())
            .map(|run| path.run(run))
            .map(|(from, to)| (from / options.height, to / options.height))
            .collect();
        let mut states: Vec<SearchState> = Vec::new();
        let mut heap = BinaryHeap::new();
        let mut best: BTreeMap<(usize, usize, i64, i64), f64> = BTreeMap::new();
        let walker = PathProgress { run: 0, x: runs[0].0, farthest: runs[0].0 };
        for node in 0..self.nodes.len() {
            heap.push(QueueEntry { cost: 0.0, number: states.len() });
            states.push(SearchState { node, walker, deviation: 0.0, before: None, arrived: None });
        }
        let mut expanded = 0;
        while let Some(QueueEntry { cost, number }) = heap.pop() {
            let (node, walker, deviation) =
                (states[number].node, states[number].walker, states[number].deviation);
            if states[number].arrived.is_some() {
                return Ok(self.walk(&states, number, cost, &runs));
            }
            if best.get(&key(node, &walker)).is_some_and(|&least| least < cost) {
                continue;
            }
            expanded += 1;
            if expanded > options.effort {
                let message =
                    format!("no walk along the path was found in {} steps of the search", options.effort);
                return Err(ImportError::new(message).help("use a shorter path, or fewer captures"));
            }
            for &edge in &self.out[node] {
                let Some(step) = self.step(edge, walker, cost, &runs) else { continue };
                if step.arrived.is_none() {
                    let key = key(self.edges[edge].to, &step.walker);
                    if best.get(&key).is_some_and(|&least| least <= step.cost) {
                        continue;
                    }
                    best.insert(key, step.cost);
                }
                heap.push(QueueEntry { cost: step.cost, number: states.len() });
                states.push(SearchState {
                    node: self.edges[edge].to,
                    walker: step.walker,
                    deviation: deviation.max(step.deviation),
                    before: Some((number, edge)),
                    arrived: step.arrived,
                });
            }
        }
        Err(ImportError::new("no walk through these captures follows the path to its end").help(
            "a path that turns back needs captures that turn, or mirrored captures with transitions to the others",
        ))
    }

    /// Plays an edge; `None` if it deviates too far.
    fn step(
        &self,
        edge: usize,
        mut walker: PathProgress,
        cost: f64,
        runs: &[(f64, f64)],
    ) -> Option<PlayedEdge> {
        let edge = &self.edges[edge];
        let start = walker.x;
        let mut step = PlayedEdge { walker, cost, deviation: 0.0, arrived: None };
        step.cost += FADE_COST * edge.cost;
        for (at, travel) in edge.travel.iter().enumerate() {
            walker.x = start + travel;
            let (from, to) = runs[walker.run];
            let direction = (to - from).signum();
            let beyond = (walker.x - to) * direction;
            if beyond >= 0.0 {
                if walker.run + 1 == runs.len() {
                    step.arrived = Some(at + 1);
                    step.cost += END_COST * beyond * beyond + SECOND_COST / self.rate;
                    step.walker = walker;
                    return Some(step);
                }
                walker = PathProgress { run: walker.run + 1, x: walker.x, farthest: to };
            }
            let (from, to) = runs[walker.run];
            let direction = (to - from).signum();
            walker.farthest =
                if direction > 0.0 { walker.farthest.max(walker.x) } else { walker.farthest.min(walker.x) };
            // Behind the farthest position the figure walks back, or it has passed the turn.
            let deviation = ((walker.farthest - walker.x) * direction).max(0.0);
            if deviation > MAX_DEVIATION {
                return None;
            }
            step.deviation = step.deviation.max(deviation);
            step.cost += (DEVIATION_COST * deviation * deviation + SECOND_COST) / self.rate;
        }
        step.walker = walker;
        Some(step)
    }

    fn walk(&self, states: &[SearchState], last: usize, cost: f64, runs: &[(f64, f64)]) -> GraphWalk {
        let mut edges = Vec::new();
        let mut at = last;
        while let Some((before, edge)) = states[at].before {
            edges.push(edge);
            at = before;
        }
        edges.reverse();
        let end = runs[runs.len() - 1].1;
        GraphWalk {
            start: states[at].node,
            last_frames: states[last].arrived.unwrap_or_default(),
            cost,
            max_deviation: states[last].deviation,
            end_error: (states[last].walker.x - end).abs(),
            fades: edges.iter().filter(|&&edge| self.edges[edge].fade.is_some()).count(),
            edges,
        }
    }
}

struct PlayedEdge {
    walker: PathProgress,
    cost: f64,
    deviation: f64,
    arrived: Option<usize>,
}

fn key(node: usize, walker: &PathProgress) -> (usize, usize, i64, i64) {
    let cell = |x: f64| (x / CELL).round() as i64;
    (node, walker.run, cell(walker.x), cell(walker.farthest))
}
