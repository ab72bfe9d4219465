//! Bones from guide lines: one for each straight segment. The parent of a segment is the one whose end it
//! touches.

use std::collections::{BTreeMap, BTreeSet};

use kurbo::{BezPath, Line, ParamCurveNearest, PathEl, Point};

/// At most this many bones are read.
pub(super) const MOST_BONES: usize = 500;
/// Ends touch within this share of the drawing's diagonal, or a quarter of the shorter line.
const TOUCHING: f64 = 0.012;

/// A bone from a guide line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GuideBone {
    pub(super) name: String,
    /// Its index among the bones before it.
    pub(super) parent: Option<usize>,
    pub(super) from: Point,
    pub(super) to: Point,
    /// Whether it starts where its parent ends.
    pub(super) at_tip: bool,
    /// The address of its line; none if the line has several segments or runs from tip to origin.
    pub(super) line: Option<String>,
}

/// A segment of a guide line: its name, and its ends as drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GuideSegment {
    pub(super) name: String,
    pub(super) from: Point,
    pub(super) to: Point,
    /// The address of the line, if this is all of it.
    pub(super) line: Option<String>,
}

/// The segments of an open path, or none if it is closed or has no length.
pub(super) fn segments(name: &str, path: &BezPath) -> Vec<GuideSegment> {
    let mut ends: Vec<(Point, Point)> = Vec::new();
    let mut at = Point::ORIGIN;
    for element in path.elements() {
        let to = match *element {
            PathEl::MoveTo(to) => {
                at = to;
                continue;
            }
            PathEl::LineTo(to) | PathEl::QuadTo(_, to) | PathEl::CurveTo(_, _, to) => to,
            PathEl::ClosePath => return Vec::new(),
        };
        if to.is_finite() && at.is_finite() && (to - at).hypot() > 1e-6 {
            ends.push((at, to));
        }
        at = to;
    }
    let several = ends.len() > 1;
    let named = |(number, (from, to))| {
        let name = if several { format!("{name}_{}", number + 1) } else { name.to_owned() };
        GuideSegment { name, from, to, line: None }
    };
    ends.into_iter().enumerate().map(named).collect()
}

/// Finds the parents of segments. A segment runs from its origin to its tip, or in reverse where only that
/// fits.
pub(super) fn connect(segments: &[GuideSegment], diagonal: f64) -> Vec<GuideBone> {
    let joints = Joints::of(segments, diagonal);
    let mut names = BTreeSet::new();
    let mut found: Vec<GuideBone> = Vec::new();
    let mut seen = vec![false; segments.len()];
    for first in 0..segments.len() {
        if seen[first] {
            continue;
        }
        let root = joints.root(first);
        let mut waiting: Vec<(usize, usize, Option<usize>)> =
            joints.at(root).iter().rev().map(|&segment| (segment, root, None)).collect();
        while let Some((segment, joint, parent)) = waiting.pop() {
            if std::mem::replace(&mut seen[segment], true) {
                continue;
            }
            let drawn = &segments[segment];
            let (start, end) = joints.ends[segment];
            let (from, to, far) =
                if start == joint { (drawn.from, drawn.to, end) } else { (drawn.to, drawn.from, start) };
            let at_tip = parent.is_some();
            // A bone that starts on the middle of another one is its child, too.
            let parent = parent.or_else(|| joints.bone_below(&found, from));
            let bone = found.len();
            let line = drawn.line.clone().filter(|_| start == joint);
            found.push(GuideBone { name: unique(&drawn.name, &mut names), parent, from, to, at_tip, line });
            waiting.extend(joints.at(far).iter().rev().map(|&next| (next, far, Some(bone))));
        }
    }
    found
}

fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// The points where segments meet.
struct Joints {
    /// The joints at the ends of each segment, as drawn.
    ends: Vec<(usize, usize)>,
    /// The segments at each joint.
    at: BTreeMap<usize, Vec<usize>>,
    touching: f64,
}

impl Joints {
    fn of(segments: &[GuideSegment], diagonal: f64) -> Self {
        let touching = TOUCHING * diagonal;
        let points: Vec<(Point, f64)> = segments
            .iter()
            .flat_map(|s| [s.from, s.to].map(|at| (at, (s.to - s.from).hypot() / 4.0)))
            .collect();
        // A joint is named by the index of its first point.
        let mut joint: Vec<usize> = Vec::with_capacity(points.len());
        for (index, (at, reach)) in points.iter().enumerate() {
            let touches = |other: &usize| {
                let (place, theirs) = points[*other];
                (place - *at).hypot() <= touching.min(*reach).min(theirs)
            };
            // The ends of one segment are two joints, however short it is.
            let partner = index % 2 == 1;
            let near = (0..index).find(|other| !(partner && *other == index - 1) && touches(other));
            let own = partner.then(|| joint[index - 1]);
            joint.push(near.map(|other| joint[other]).filter(|near| Some(*near) != own).unwrap_or(index));
        }
        let ends: Vec<(usize, usize)> = joint.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let mut at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (segment, (from, to)) in ends.iter().enumerate() {
            at.entry(*from).or_default().push(segment);
            at.entry(*to).or_default().push(segment);
        }
        Self { ends, at, touching }
    }

    fn at(&self, joint: usize) -> &[usize] {
        self.at.get(&joint).map_or(&[], Vec::as_slice)
    }

    /// The joint from which most connected segments are reached in the direction in which they were drawn.
    fn root(&self, segment: usize) -> usize {
        let together = self.reached(self.ends[segment].0, true);
        let mut best = (self.ends[segment].0, 0);
        for joint in together {
            let reach = self.reached(joint, false).len();
            if reach > best.1 {
                best = (joint, reach);
            }
        }
        best.0
    }

    /// The joints that are reached from a joint, along segments as drawn or both ways; `from` is the first.
    fn reached(&self, from: usize, both_ways: bool) -> Vec<usize> {
        let mut reached = vec![from];
        let mut seen = BTreeSet::from([from]);
        let mut next = 0;
        while let Some(&joint) = reached.get(next) {
            next += 1;
            for &segment in self.at(joint) {
                let (start, end) = self.ends[segment];
                let far = if start == joint { Some(end) } else { both_ways.then_some(start) };
                reached.extend(far.filter(|far| seen.insert(*far)));
            }
        }
        reached
    }

    /// The bone on whose middle a point lies.
    fn bone_below(&self, bones: &[GuideBone], at: Point) -> Option<usize> {
        let distance = |bone: &GuideBone| Line::new(bone.from, bone.to).nearest(at, 1e-6).distance_sq;
        // A bone that starts where another one starts is its sibling, not its child.
        let starts_there = |bone: &GuideBone| (bone.from - at).hypot() <= self.touching;
        let near = bones.iter().enumerate().filter(|(_, bone)| !starts_there(bone));
        let near = near.map(|(at, bone)| (at, distance(bone)));
        let near = near.filter(|(_, squared)| *squared <= self.touching * self.touching);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(bone, _)| bone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(name: &str, from: (f64, f64), to: (f64, f64)) -> GuideSegment {
        GuideSegment { name: name.to_owned(), from: from.into(), to: to.into(), line: None }
    }

    /// Name, parent and whether it starts at the parent's tip.
    fn connected(segments: &[GuideSegment]) -> Vec<(String, Option<String>, bool)> {
        let found = connect(segments, 400.0);
        let name = |bone: &usize| found[*bone].name.clone();
        found.iter().map(|bone| (bone.name.clone(), bone.parent.as_ref().map(name), bone.at_tip)).collect()
    }

    #[test]
    fn touching_ends_are_joints_in_any_order_and_direction() {
        let arm = segment("arm", (0.0, 0.0), (50.0, 0.0));
        let hand = segment("hand", (51.0, 1.0), (70.0, 0.0));
        let finger = segment("finger", (90.0, 0.0), (70.0, 0.0));
        let expected = [
            ("arm".to_owned(), None, false),
            ("hand".to_owned(), Some("arm".to_owned()), true),
            ("finger".to_owned(), Some("hand".to_owned()), true),
        ];
        assert_eq!(connected(&[arm.clone(), hand.clone(), finger.clone()]), expected);
        assert_eq!(connected(&[finger, hand, arm]), expected);
    }

    #[test]
    fn a_line_that_starts_on_a_bone_is_its_child_and_one_that_touches_none_is_a_root() {
        let found = connected(&[
            segment("spine", (0.0, 100.0), (0.0, 0.0)),
            segment("arm", (1.0, 30.0), (60.0, 30.0)),
            segment("kite", (200.0, 0.0), (220.0, 0.0)),
            segment("kite", (220.0, 0.0), (220.0, 30.0)),
        ]);
        assert_eq!(
            found,
            [
                ("spine".to_owned(), None, false),
                ("arm".to_owned(), Some("spine".to_owned()), false),
                ("kite".to_owned(), None, false),
                ("kite_2".to_owned(), Some("kite".to_owned()), true),
            ]
        );
    }

    #[test]
    fn cycles_and_duplicate_lines_end() {
        let cycle = connected(&[
            segment("a", (0.0, 0.0), (50.0, 0.0)),
            segment("b", (50.0, 0.0), (20.0, 60.0)),
            segment("c", (20.0, 60.0), (0.0, 0.0)),
        ]);
        assert_eq!(cycle.len(), 3);
        let duplicates =
            connected(&[segment("a", (0.0, 0.0), (50.0, 0.0)), segment("a", (0.0, 0.0), (50.0, 0.0))]);
        assert_eq!(duplicates.len(), 2);
    }

    #[test]
    fn a_polyline_is_a_chain_and_a_closed_outline_gives_no_bones() {
        let line = BezPath::from_svg("M0 0L10 0C12 0 15 3 20 0").expect("a path");
        let names: Vec<String> = segments("leg", &line).into_iter().map(|s| s.name).collect();
        assert_eq!(names, ["leg_1", "leg_2"]);
        assert!(segments("dot", &BezPath::from_svg("M0 0L10 0L0 9Z").expect("a path")).is_empty());
        assert!(segments("dot", &BezPath::from_svg("M5 5L5 5").expect("a path")).is_empty());
    }
}
