//! Motion graphs (after Kovar, Gleicher and Pighin, 2002): captures with transitions wherever they are alike,
//! so that a figure can walk through them without end. Dead ends are removed; [`MotionGraph::follow`] finds a
//! walk along a path.
//!
//! The crate opens no files. Captures are [`PlanarMotion`]s of one skeleton, and so is what a walk becomes.

// A test of the manifests checks the dependencies of tests, benches and examples.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod footing;
mod ground_path;
mod join;
mod quality;
mod search;
mod turn_around;

use bone_import::distance::{PoseTable, ground_height};
use bone_import::figure::height;
use bone_import::transitions::transitions;
use bone_import::{ImportError, PlanarMotion};
use kurbo::Point;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

pub use ground_path::GroundPath;
pub use quality::WalkQuality;
pub use search::{FollowOptions, GraphWalk};

/// How a graph is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphOptions {
    /// Frames a second; captures with a higher rate are resampled.
    pub rate: f64,
    /// The duration of a fade, seconds.
    pub fade: f64,
    /// The largest distance of poses that fade into each other, in heights of the body.
    pub threshold: f64,
    /// Whether each capture is also used mirrored, so that a figure can turn round.
    pub mirrored: bool,
}

impl Default for GraphOptions {
    /// 30 frames a second, fades of a third of a second, a threshold of 0.04, and mirrored captures.
    fn default() -> Self {
        Self { rate: 30.0, fade: 1.0 / 3.0, threshold: 0.04, mirrored: true }
    }
}

/// A capture in a graph: scaled to height 1, with the ground at y = 0; y points down.
#[derive(Clone, Debug)]
pub(crate) struct GraphClip {
    pub(crate) motion: PlanarMotion,
    pub(crate) poses: PoseTable,
}

/// A frame of a capture where an edge begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GraphNode {
    /// The index of the capture; mirrored ones come after all others.
    pub(crate) clip: usize,
    /// Its frame.
    pub(crate) frame: usize,
}

/// A stretch of motion from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphEdge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// For a fade the distance of its poses, in heights; `None` for a stretch of a capture.
    pub(crate) fade: Option<f64>,
    /// The cost of a fade: 1 if its distance equals the threshold.
    pub(crate) cost: f64,
    /// The position of the body along the ground in each frame after the first, relative to the first.
    pub(crate) travel: Vec<f64>,
    /// The shift of the second capture along the ground.
    pub(crate) shift: f64,
}

/// A transition between two captures.
#[derive(Clone, Copy)]
struct GraphTransition {
    from: GraphNode,
    to: GraphNode,
    distance: f64,
    window: usize,
    turns: bool,
}

impl GraphTransition {
    /// The node at the end of the fade.
    fn end(&self) -> GraphNode {
        GraphNode { frame: self.to.frame + self.window - 1, ..self.to }
    }
}

/// Captures and the transitions between them.
#[derive(Debug)]
pub struct MotionGraph {
    pub(crate) clips: Vec<GraphClip>,
    pub(crate) rate: f64,
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<GraphEdge>,
    /// The edges that leave each node.
    pub(crate) out: Vec<Vec<usize>>,
    threshold: f64,
    /// The number of captures without their mirrored copies, if there are such copies.
    originals: Option<usize>,
}

/// A turn takes one step from frame to frame, as in drawn animation. For each pair of captures the best few
/// places for a turn are kept.
const TURNS: usize = 4;
const TURN_FRAMES: usize = 2;
/// The distance at which a turn has cost 1, as a multiple of the threshold.
const TURN: f64 = 3.0;
/// The largest number of transitions for each pair of captures; the best are kept.
const MOST_PER_PAIR: usize = 400;
/// The largest number of frames of all captures together; the time to compare them grows with its square.
const MAX_FRAMES: usize = 20_000;

impl MotionGraph {
    /// Builds a graph from captures of one kind of figure.
    ///
    /// # Errors
    /// If the captures have different joints or too many frames, or if no pose repeats.
    pub fn new(captures: &[PlanarMotion], options: &GraphOptions) -> Result<Self, ImportError> {
        let Some(first) = captures.first() else {
            return Err(ImportError::new("there are no captures to make a graph of"));
        };
        for (at, other) in captures.iter().enumerate() {
            let (ours, theirs) = (first.joints(), other.joints());
            if ours.len() != theirs.len() || ours.iter().zip(theirs).any(|(a, b)| a != b) {
                let message = format!("capture {} has other joints than the first one", at + 1);
                return Err(ImportError::new(message).help("a graph is made of captures of one skeleton"));
            }
        }
        let rate = captures.iter().map(PlanarMotion::rate).fold(options.rate, f64::min);
        let mut motions: Vec<PlanarMotion> =
            captures.iter().map(|motion| standard(motion, rate)).collect::<Result<_, _>>()?;
        if options.mirrored {
            let mirrored: Vec<PlanarMotion> = motions.iter().map(PlanarMotion::mirrored).collect();
            motions.extend(mirrored);
        }
        let frames: usize = motions.iter().map(PlanarMotion::frames).sum();
        if frames > MAX_FRAMES {
            let message = format!(
                "the captures have {frames} frames together (mirrored ones counted); at most {MAX_FRAMES} can be compared"
            );
            return Err(ImportError::new(message).help("take fewer captures or shorter ones"));
        }
        let clips: Vec<GraphClip> = motions
            .into_iter()
            .map(|motion| Ok(GraphClip { poses: PoseTable::of(&motion)?, motion }))
            .collect::<Result<_, ImportError>>()?;
        let window = ((options.fade * rate).round() as usize).max(2);
        let originals = options.mirrored.then_some(captures.len());
        Self::linked(clips, rate, window, options.threshold, originals).largest_part()
    }

    /// The graph of all transitions, dead ends included. `originals` is the number of captures without their
    /// mirrored copies.
    fn linked(
        clips: Vec<GraphClip>,
        rate: f64,
        window: usize,
        threshold: f64,
        originals: Option<usize>,
    ) -> Self {
        let mut meetings: Vec<GraphTransition> = Vec::new();
        for a in 0..clips.len() {
            for b in a..clips.len() {
                let turns = originals.is_some_and(|count| (a < count) != (b < count));
                let (window, most, bound) = match turns {
                    true => (TURN_FRAMES, TURNS, f64::INFINITY),
                    false => (window, MOST_PER_PAIR, threshold),
                };
                let (one, other) = (&clips[a].poses, &clips[b].poses);
                let mut found = transitions(one, other, window, bound, (a == b).then_some(window));
                found.truncate(most);
                for found in found {
                    let from = GraphNode { clip: a, frame: found.from };
                    let to = GraphNode { clip: b, frame: found.to };
                    let meeting = GraphTransition { from, to, distance: found.distance, window, turns };
                    meetings.push(meeting);
                    if a != b {
                        meetings.push(GraphTransition { from: to, to: from, ..meeting });
                    }
                }
            }
        }
        let mut nodes: Vec<GraphNode> =
            meetings.iter().flat_map(|meeting| [meeting.from, meeting.end()]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let find = |node: GraphNode| nodes.binary_search(&node).unwrap_or_default();
        let mut edges = Vec::new();
        for (at, pair) in nodes.windows(2).enumerate() {
            if pair[0].clip == pair[1].clip {
                let poses = &clips[pair[0].clip].poses;
                let start = poses.middle(pair[0].frame);
                let travel =
                    (pair[0].frame + 1..=pair[1].frame).map(|frame| poses.middle(frame) - start).collect();
                edges.push(GraphEdge { from: at, to: at + 1, fade: None, cost: 0.0, travel, shift: 0.0 });
            }
        }
        for meeting in &meetings {
            let GraphTransition { from, to, distance, window, turns } = *meeting;
            let (a, b) = (&clips[from.clip].poses, &clips[to.clip].poses);
            let away = |k: usize| a.middle(from.frame + k) - b.middle(to.frame + k);
            let shift = (0..window).map(away).sum::<f64>() / window as f64;
            let start = a.middle(from.frame);
            let travel = (1..window)
                .map(|k| {
                    let share = join::share(k, window);
                    let (one, other) = (a.middle(from.frame + k), b.middle(to.frame + k) + shift);
                    one + (other - one) * share - start
                })
                .collect();
            let bound = if turns { TURN * threshold } else { threshold };
            let cost = (distance / bound).powi(2);
            let (from, to) = (find(from), find(meeting.end()));
            edges.push(GraphEdge { from, to, fade: Some(distance), cost, travel, shift });
        }
        Self { clips, rate, out: outgoing(nodes.len(), &edges), nodes, edges, threshold, originals }
    }

    /// The largest strongly connected component; everything else leads to a dead end.
    fn largest_part(self) -> Result<Self, ImportError> {
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(self.nodes.len(), self.edges.len());
        for _ in &self.nodes {
            graph.add_node(());
        }
        for edge in &self.edges {
            graph.add_edge(NodeIndex::new(edge.from), NodeIndex::new(edge.to), ());
        }
        let mut part = vec![0; self.nodes.len()];
        let parts = kosaraju_scc(&graph);
        for (number, nodes) in parts.iter().enumerate() {
            nodes.iter().for_each(|node| part[node.index()] = number);
        }
        // The size of a component is the length of its motion without fades.
        let mut lengths = vec![0_usize; parts.len()];
        for edge in self.edges.iter().filter(|edge| edge.fade.is_none() && part[edge.from] == part[edge.to]) {
            lengths[part[edge.from]] += edge.travel.len();
        }
        let nodes = |number: usize| part.iter().position(|&other| other == number);
        let largest = (0..parts.len())
            .filter(|&number| lengths[number] > 0)
            .max_by_key(|&number| (lengths[number], std::cmp::Reverse(nodes(number))));
        let Some(largest) = largest else {
            return Err(ImportError::new(format!(
                "no pose of the captures repeats within {} of the height",
                self.threshold
            ))
            .help("use more captures, or a larger threshold"));
        };
        let mut renamed = vec![None; self.nodes.len()];
        let mut kept = Vec::new();
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| part[*at] == largest) {
            renamed[at] = Some(kept.len());
            kept.push(*node);
        }
        let edges: Vec<GraphEdge> = self
            .edges
            .into_iter()
            .filter_map(|edge| Some(GraphEdge { from: renamed[edge.from]?, to: renamed[edge.to]?, ..edge }))
            .collect();
        Ok(Self { out: outgoing(kept.len(), &edges), nodes: kept, edges, ..self })
    }

    /// For each capture whether the graph uses it, mirrored or not.
    pub fn used_captures(&self) -> Vec<bool> {
        let count = self.originals.unwrap_or(self.clips.len());
        let mut there = vec![false; count];
        for node in &self.nodes {
            there[node.clip % count] = true;
        }
        there
    }

    /// Frames a second of all its motion.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The number of nodes: frames of captures where a transition begins or ends.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of edges: stretches of captures, and fades.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }
}

fn outgoing(nodes: usize, edges: &[GraphEdge]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); nodes];
    for (at, edge) in edges.iter().enumerate() {
        out[edge.from].push(at);
    }
    out
}

/// The same motion at another rate, scaled to height 1, with the ground at 0, beginning at x = 0.
fn standard(motion: &PlanarMotion, rate: f64) -> Result<PlanarMotion, ImportError> {
    let tall = height(motion, &motion.body());
    let (low, start) = (ground_height(motion), motion.position(0, motion.base()).x);
    let motion = motion.resampled(rate)?;
    let frames = || 0..motion.frames();
    let place = |at: &Point| Point::new((at.x - start) / tall, (at.y - low) / tall);
    let positions = frames().flat_map(|frame| motion.frame(frame)).map(place).collect();
    let depths = frames().flat_map(|frame| motion.depths(frame)).map(|depth| depth * (1.0 / tall)).collect();
    let body = motion.body();
    motion.with_body(body).with_positions(positions, depths)
}

#[cfg(test)]
mod tests;
