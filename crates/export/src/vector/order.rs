//! Draw order over time. Neither SMIL nor Lottie can key it: what changes its place is written once for each
//! place, and shown there as long as it is in that place.

use bone_drawing::{NodeId, NodeKind};

use super::samples::SampledClip;

/// Items in their order, and the ranges of samples in which it is theirs.
type SampledList = (Vec<usize>, Vec<(usize, usize)>);

/// A draw item in one place of the order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawPlacement {
    /// A shape, an image, or a group that is a picture of its own.
    pub(crate) node: NodeId,
    /// The samples, from and up to, at which it is in this place; none: at all.
    pub(crate) shown: Option<Vec<(usize, usize)>>,
}

/// The order of some nodes.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    /// Back to front.
    pub(crate) placements: Vec<DrawPlacement>,
    /// Whether this is the order of the drawing at all samples.
    pub(crate) natural: bool,
}

/// Whether a group is drawn as one picture at any sample.
pub(crate) fn is_isolated(clip: &SampledClip, node: NodeId) -> bool {
    let Some(group) = clip.node(node).and_then(|node| node.group()) else { return false };
    group.is_isolated() || fades(clip, node)
}

/// Whether a group has an opacity of its own at any sample.
pub(crate) fn fades(clip: &SampledClip, node: NodeId) -> bool {
    clip.drawing.slots().visibilities.slot(node).is_some()
        && clip.frames.iter().any(|frame| frame.visibility(&clip.drawing, node).fading().is_some())
}

/// The draw items of some nodes in the order of the drawing, each with the groups around it whose order counts.
fn items(clip: &SampledClip, nodes: &[NodeId]) -> Vec<(NodeId, Vec<NodeId>)> {
    let mut next: Vec<(NodeId, Vec<NodeId>)> = nodes.iter().rev().map(|node| (*node, Vec::new())).collect();
    let mut found = Vec::new();
    while let Some((node, mut groups)) = next.pop() {
        let Some(here) = clip.node(node) else { continue };
        match &here.kind {
            NodeKind::Group(group) => {
                if clip.drawing.slots().visibilities.slot(node).is_some() {
                    if !clip.is_ever_seen(node) {
                        continue;
                    }
                    groups.push(node);
                }
                if is_isolated(clip, node) {
                    found.push((node, groups));
                } else {
                    next.extend(group.children.iter().rev().map(|child| (*child, groups.clone())));
                }
            }
            NodeKind::Shape(_) | NodeKind::Image(_) => found.push((node, groups)),
        }
    }
    found
}

/// The order of some nodes over time.
pub(crate) fn arrange(clip: &SampledClip, nodes: &[NodeId]) -> Arrangement {
    let items = items(clip, nodes);
    // The order at each sample, as places in the list; runs of equal ones.
    let mut runs: Vec<(usize, Vec<usize>)> = Vec::new();
    for (sample, frame) in clip.frames.iter().enumerate() {
        let place = |groups: &[NodeId]| -> f64 {
            groups.iter().fold(0.0, |sum, group| sum + frame.visibility(&clip.drawing, *group).place())
        };
        let places: Vec<f64> = items.iter().map(|(_, groups)| place(groups)).collect();
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
        if runs.last().is_none_or(|(_, last)| *last != order) {
            runs.push((sample, order));
        }
    }
    let node = |at: usize| items[at].0;
    if let [(_, order)] = &runs[..] {
        let natural = order.iter().enumerate().all(|(at, item)| at == *item);
        let placements = order.iter().map(|at| DrawPlacement { node: node(*at), shown: None }).collect();
        return Arrangement { placements, natural };
    }
    // Which items change their place among those that do not.
    let mut moves = vec![false; items.len()];
    let ranks: Vec<Vec<usize>> = runs
        .iter()
        .map(|(_, order)| {
            let mut rank = vec![0; order.len()];
            order.iter().enumerate().for_each(|(at, item)| rank[*item] = at);
            rank
        })
        .collect();
    loop {
        let mut conflicts = vec![0_usize; items.len()];
        for a in (0..items.len()).filter(|a| !moves[*a]) {
            for b in (a + 1..items.len()).filter(|b| !moves[*b]) {
                let before = ranks[0][a] < ranks[0][b];
                if ranks.iter().any(|rank| (rank[a] < rank[b]) != before) {
                    conflicts[a] += 1;
                    conflicts[b] += 1;
                }
            }
        }
        let worst = (0..items.len()).max_by_key(|at| conflicts[*at]);
        match worst.filter(|at| conflicts[*at] > 0) {
            Some(at) => moves[at] = true,
            None => break,
        }
    }
    let end = |run: usize| runs.get(run + 1).map_or(clip.len(), |(start, _)| *start);
    let stay: Vec<usize> = runs[0].1.iter().copied().filter(|at| !moves[*at]).collect();
    let mut placements = Vec::new();
    for slot in 0..=stay.len() {
        // Lists of moving items behind the next one that stays, each with its samples.
        let mut lists: Vec<SampledList> = Vec::new();
        for (run, (start, order)) in runs.iter().enumerate() {
            let mut before = 0;
            let mut list = Vec::new();
            for item in order {
                if moves[*item] {
                    if before == slot {
                        list.push(*item);
                    }
                } else {
                    before += 1;
                }
            }
            if list.is_empty() {
                continue;
            }
            let range = (*start, end(run));
            match lists.iter_mut().find(|(other, _)| *other == list) {
                Some((_, ranges)) => match ranges.last_mut().filter(|last| last.1 == range.0) {
                    Some(last) => last.1 = range.1,
                    None => ranges.push(range),
                },
                None => lists.push((list, vec![range])),
            }
        }
        for (list, ranges) in lists {
            placements
                .extend(list.iter().map(|at| DrawPlacement { node: node(*at), shown: Some(ranges.clone()) }));
        }
        placements.extend(stay.get(slot).map(|at| DrawPlacement { node: node(*at), shown: None }));
    }
    Arrangement { placements, natural: false }
}
