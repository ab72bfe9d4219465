//! Guide lines of a drawing -> bones: a straight stretch each, hung on each other where their ends touch.
//! Which lines are guides is for others, and so is what follows the bones.

use std::collections::{BTreeMap, BTreeSet};

use kurbo::{BezPath, Line, ParamCurveNearest, PathEl, Point};

/// More bones than this are nobody's sketch.
pub(super) const MOST_BONES: usize = 500;
/// Ends touch within this share of the drawing's diagonal, or a quarter of the shorter line.
const TOUCHING: f64 = 0.012;

/// A bone that was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) name: String,
    /// Among those before it.
    pub(super) parent: Option<usize>,
    pub(super) from: Point,
    pub(super) to: Point,
    /// Whether it starts where its parent ends.
    pub(super) at_tip: bool,
    /// The address of the line that it is from end to end; none if that has several stretches or leads the
    /// other way.
    pub(super) line: Option<String>,
}

/// A drawn stretch: its name, and its ends as drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) name: String,
    pub(super) from: Point,
    pub(super) to: Point,
    /// The address of the line, if this is all of it.
    pub(super) line: Option<String>,
}

/// The stretches of an open path, or none if it is closed or has no length.
pub(super) fn stretches(name: &str, path: &BezPath) -> Vec<Stretch> {
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
        Stretch { name, from, to, line: None }
    };
    ends.into_iter().enumerate().map(named).collect()
}

/// Hangs stretches on each other. They are drawn from where they turn to their tip, or the other way round where only that fits.
pub(super) fn hang(stretches: &[Stretch], diagonal: f64) -> Vec<Found> {
    let joints = Joints::of(stretches, diagonal);
    let mut names = BTreeSet::new();
    let mut found: Vec<Found> = Vec::new();
    let mut seen = vec![false; stretches.len()];
    for first in 0..stretches.len() {
        if seen[first] {
            continue;
        }
        let root = joints.root(first);
        let mut waiting: Vec<(usize, usize, Option<usize>)> =
            joints.at(root).iter().rev().map(|&stretch| (stretch, root, None)).collect();
        while let Some((stretch, joint, parent)) = waiting.pop() {
            if std::mem::replace(&mut seen[stretch], true) {
                continue;
            }
            let drawn = &stretches[stretch];
            let (start, end) = joints.ends[stretch];
            let (from, to, far) =
                if start == joint { (drawn.from, drawn.to, end) } else { (drawn.to, drawn.from, start) };
            let at_tip = parent.is_some();
            // What starts on the middle of a bone hangs on it, too.
            let parent = parent.or_else(|| joints.bone_below(&found, from));
            let bone = found.len();
            let line = drawn.line.clone().filter(|_| start == joint);
            found.push(Found { name: unique(&drawn.name, &mut names), parent, from, to, at_tip, line });
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

/// Where stretches meet.
struct Joints {
    /// The joints at the ends of each stretch, as drawn.
    ends: Vec<(usize, usize)>,
    /// The stretches at each joint.
    at: BTreeMap<usize, Vec<usize>>,
    touching: f64,
}

impl Joints {
    fn of(stretches: &[Stretch], diagonal: f64) -> Self {
        let touching = TOUCHING * diagonal;
        let points: Vec<(Point, f64)> = stretches
            .iter()
            .flat_map(|s| [s.from, s.to].map(|at| (at, (s.to - s.from).hypot() / 4.0)))
            .collect();
        // The first point of each joint stands for it.
        let mut joint: Vec<usize> = Vec::with_capacity(points.len());
        for (index, (at, reach)) in points.iter().enumerate() {
            let touches = |other: &usize| {
                let (place, theirs) = points[*other];
                (place - *at).hypot() <= touching.min(*reach).min(theirs)
            };
            // The ends of one stretch are two joints, however short it is.
            let partner = index % 2 == 1;
            let near = (0..index).find(|other| !(partner && *other == index - 1) && touches(other));
            let own = partner.then(|| joint[index - 1]);
            joint.push(near.map(|other| joint[other]).filter(|near| Some(*near) != own).unwrap_or(index));
        }
        let ends: Vec<(usize, usize)> = joint.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let mut at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (stretch, (from, to)) in ends.iter().enumerate() {
            at.entry(*from).or_default().push(stretch);
            at.entry(*to).or_default().push(stretch);
        }
        Self { ends, at, touching }
    }

    fn at(&self, joint: usize) -> &[usize] {
        self.at.get(&joint).map_or(&[], Vec::as_slice)
    }

    /// The joint from which all that hangs together with a stretch is reached best in the direction in which it was drawn.
    fn root(&self, stretch: usize) -> usize {
        let together = self.reached(self.ends[stretch].0, true);
        let mut best = (self.ends[stretch].0, 0);
        for joint in together {
            let reach = self.reached(joint, false).len();
            if reach > best.1 {
                best = (joint, reach);
            }
        }
        best.0
    }

    /// The joints that are reached from one, along stretches as drawn or both ways; the joint of the first stretch first.
    fn reached(&self, from: usize, both_ways: bool) -> Vec<usize> {
        let mut reached = vec![from];
        let mut seen = BTreeSet::from([from]);
        let mut next = 0;
        while let Some(&joint) = reached.get(next) {
            next += 1;
            for &stretch in self.at(joint) {
                let (start, end) = self.ends[stretch];
                let far = if start == joint { Some(end) } else { both_ways.then_some(start) };
                reached.extend(far.filter(|far| seen.insert(*far)));
            }
        }
        reached
    }

    /// The bone on whose middle a point lies.
    fn bone_below(&self, bones: &[Found], at: Point) -> Option<usize> {
        let distance = |bone: &Found| Line::new(bone.from, bone.to).nearest(at, 1e-6).distance_sq;
        // What starts where a bone starts turns beside it, not with it.
        let starts_there = |bone: &Found| (bone.from - at).hypot() <= self.touching;
        let near = bones.iter().enumerate().filter(|(_, bone)| !starts_there(bone));
        let near = near.map(|(at, bone)| (at, distance(bone)));
        let near = near.filter(|(_, squared)| *squared <= self.touching * self.touching);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(bone, _)| bone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(name: &str, from: (f64, f64), to: (f64, f64)) -> Stretch {
        Stretch { name: name.to_owned(), from: from.into(), to: to.into(), line: None }
    }

    /// Name, parent and whether it starts at the parent's tip.
    fn hung(stretches: &[Stretch]) -> Vec<(String, Option<String>, bool)> {
        let found = hang(stretches, 400.0);
        let name = |bone: &usize| found[*bone].name.clone();
        found.iter().map(|bone| (bone.name.clone(), bone.parent.as_ref().map(name), bone.at_tip)).collect()
    }

    #[test]
    fn touching_ends_are_joints_whatever_the_order_and_direction() {
        let arm = stretch("arm", (0.0, 0.0), (50.0, 0.0));
        let hand = stretch("hand", (51.0, 1.0), (70.0, 0.0));
        let finger = stretch("finger", (90.0, 0.0), (70.0, 0.0));
        let expected = [
            ("arm".to_owned(), None, false),
            ("hand".to_owned(), Some("arm".to_owned()), true),
            ("finger".to_owned(), Some("hand".to_owned()), true),
        ];
        assert_eq!(hung(&[arm.clone(), hand.clone(), finger.clone()]), expected);
        assert_eq!(hung(&[finger, hand, arm]), expected);
    }

    #[test]
    fn what_starts_on_a_bone_hangs_on_it_and_what_touches_nothing_is_a_root() {
        let found = hung(&[
            stretch("spine", (0.0, 100.0), (0.0, 0.0)),
            stretch("arm", (1.0, 30.0), (60.0, 30.0)),
            stretch("kite", (200.0, 0.0), (220.0, 0.0)),
            stretch("kite", (220.0, 0.0), (220.0, 30.0)),
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
    fn a_ring_and_two_twins_end() {
        let ring = hung(&[
            stretch("a", (0.0, 0.0), (50.0, 0.0)),
            stretch("b", (50.0, 0.0), (20.0, 60.0)),
            stretch("c", (20.0, 60.0), (0.0, 0.0)),
        ]);
        assert_eq!(ring.len(), 3);
        let twins = hung(&[stretch("a", (0.0, 0.0), (50.0, 0.0)), stretch("a", (0.0, 0.0), (50.0, 0.0))]);
        assert_eq!(twins.len(), 2);
    }

    #[test]
    fn a_polyline_is_a_chain_and_an_outline_is_none() {
        let line = BezPath::from_svg("M0 0L10 0C12 0 15 3 20 0").expect("a path");
        let names: Vec<String> = stretches("leg", &line).into_iter().map(|s| s.name).collect();
        assert_eq!(names, ["leg_1", "leg_2"]);
        assert!(stretches("dot", &BezPath::from_svg("M0 0L10 0L0 9Z").expect("a path")).is_empty());
        assert!(stretches("dot", &BezPath::from_svg("M5 5L5 5").expect("a path")).is_empty());
    }
}
