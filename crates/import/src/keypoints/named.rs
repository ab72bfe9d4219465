//! Tables of named points: chooses an individual, recognises a person or a four-legged animal by the names,
//! repairs the points and makes a motion. Points of anything else are joined by their shortest connections.

use bone_core::Side;
use kurbo::{Point, Vec2};

use super::gaps::{MIN_SEEN_SHARE, fill_one};
use super::layout::KeypointLayout;
use super::outliers::off_course;
use super::person::{Detection, KEYPOINTS, Keypoint, PersonPose};
use super::smooth::{smooth_with_corners, stiffness};
use super::table::{Individual, NamedPoint, PointTable};
use super::{KeypointCapture, KeypointOptions, TrackedPerson, repair};
use crate::animal::{AnimalJoints, AnimalLeg, AnimalPoint};
use crate::parts::{BodyPart, find_parts};
use crate::statistics::{median, quantile};
use crate::{ImportError, PlanarJoint, PlanarMotion};

/// The motion of one individual.
pub(super) fn capture(table: &PointTable, options: &KeypointOptions) -> Result<KeypointCapture, ImportError> {
    let frames = table.frames();
    fail_if!(frames < 2, "there is only one frame: a motion needs at least two");
    // The one that is seen most is the first.
    let seen =
        |one: &Individual| one.points.iter().map(|point| point.seen.iter().flatten().count()).sum::<usize>();
    let mut order: Vec<&Individual> = table.individuals.iter().filter(|one| seen(one) > 0).collect();
    order.sort_by_key(|one| std::cmp::Reverse(seen(one)));
    let Some(&one) = options.person.checked_sub(1).and_then(|at| order.get(at)) else {
        let message = match order.len() {
            0 if table.likely > 0.0 => format!("no point has a likelihood of {} or more", table.likely),
            0 => "no point was seen in any frame".to_owned(),
            count => format!("there is no individual {}: {count} are in the table", options.person),
        };
        return Err(ImportError::new(message));
    };
    let people: Vec<TrackedPerson> = order.iter().map(|one| tracked(one, table.first, frames)).collect();
    let unlikely = match table.likely {
        0.0 => String::new(),
        likely => format!("; points with a likelihood below {likely} are not used"),
    };
    let mut notes =
        vec![format!("{}, {frames} frames at {} a second{unlikely}", table.layout.name(), options.rate)];
    if table.missing > 0 {
        notes.push(format!("{} frames are not in the table and are bridged", table.missing));
    }
    if order.len() > 1 {
        let names: Vec<String> =
            order.iter().enumerate().map(|(at, one)| format!("{} is \"{}\"", at + 1, one.name)).collect();
        notes.push(format!("the individuals: {}; {} is read", names.join(", "), options.person));
    }
    if let Some(poses) = person(one, frames) {
        let single = KeypointOptions { person: 1, ..*options };
        let capture = repair::repair(&poses, &[], table.layout, table.first, &single)?;
        notes.extend(capture.notes.into_iter().skip(1));
        return Ok(KeypointCapture { people, notes, ..capture });
    }
    let size = people[options.person - 1].size.max(1e-9);
    let often = |point: &&NamedPoint| {
        let seen = point.seen.iter().flatten().count();
        seen >= 2 && seen as f64 >= MIN_SEEN_SHARE * frames as f64
    };
    let (kept, seldom): (Vec<&NamedPoint>, Vec<&NamedPoint>) = one.points.iter().partition(often);
    let listed =
        |points: &[&NamedPoint]| points.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    if !seldom.is_empty() {
        let share = (MIN_SEEN_SHARE * 100.0) as u32;
        notes.push(format!("seen in less than {share} % of the frames and left out: {}", listed(&seldom)));
    }
    let mut columns: Vec<Vec<Option<Detection>>> = Vec::new();
    let mut outliers = 0;
    for point in &kept {
        let mut column = point.seen.clone();
        for frame in off_course(&column, size) {
            column[frame] = None;
            outliers += 1;
        }
        if column.iter().flatten().count() < 2 {
            column.clone_from(&point.seen);
        }
        columns.push(column);
    }
    if outliers > 0 {
        notes.push(format!("{outliers} positions were outliers: replaced"));
    }
    let gaps = columns.iter().flatten().filter(|seen| seen.is_none()).count();
    if gaps > 0 {
        notes.push(format!("{gaps} positions were not seen and are filled in"));
    }
    let filled: Vec<Vec<Point>> = columns.iter().map(|column| steady(column, options)).collect();
    let names: Vec<&str> = kept.iter().map(|point| point.name.as_str()).collect();
    let motion = match animal(&names, &filled, options.rate) {
        Some((motion, used)) => {
            let unused: Vec<&str> = names
                .iter()
                .enumerate()
                .filter(|(at, _)| !used.contains(at))
                .map(|(_, name)| *name)
                .collect();
            if !unused.is_empty() {
                notes.push(format!("points that the figure does not have: {}", unused.join(", ")));
            }
            motion
        }
        None => {
            notes.push("neither a person nor a four-legged animal is found by the names: the figure has a stick between near points"
                    .to_owned());
            connected(&names, &filled, options.rate)
        }
    }?;
    Ok(KeypointCapture { motion, layout: table.layout, people, first_frame: table.first, notes })
}

fn tracked(one: &Individual, first: u64, frames: usize) -> TrackedPerson {
    let found = (0..frames).filter(|&frame| one.points.iter().any(|point| point.seen[frame].is_some()));
    let found: Vec<usize> = found.collect();
    let sizes = found.iter().map(|&frame| {
        let mut points = one.points.iter().filter_map(|point| Some(point.seen[frame]?.at));
        let Some(start) = points.next() else { return 0.0 };
        let all = points.fold(kurbo::Rect::from_points(start, start), |all, at| all.union_pt(at));
        Vec2::new(all.width(), all.height()).hypot()
    });
    let number = |frame: Option<&usize>| first + frame.copied().unwrap_or_default() as u64;
    TrackedPerson {
        frames: (number(found.first()), number(found.last())),
        found: found.len(),
        size: median(sizes),
    }
}

/// The poses of a person, if the names are those of one: hips, knees and ankles, or shoulders and elbows.
fn person(one: &Individual, frames: usize) -> Option<Vec<Vec<PersonPose>>> {
    // Legs in front and behind are those of an animal.
    let names: Vec<&str> = one.points.iter().map(|point| &*point.name).collect();
    let of_animal = |point: &Option<AnimalPoint>| {
        matches!(
            point,
            Some(AnimalPoint::Leg(_, 3) | AnimalPoint::Tail(_) | AnimalPoint::Rump | AnimalPoint::Wing(..))
        )
    };
    if AnimalPoint::all(&names).iter().any(of_animal) {
        return None;
    }
    let parts = find_parts(one.points.iter().map(|point| point.name.as_str()), &[]);
    let point = |part: BodyPart| parts[part.index()];
    let both =
        |part: fn(Side) -> BodyPart| point(part(Side::Left)).is_some() && point(part(Side::Right)).is_some();
    if !(both(BodyPart::Thigh) && both(BodyPart::Shin) && both(BodyPart::Foot)) {
        return None;
    }
    let pose = |frame: usize| {
        let mut pose: PersonPose = [None; KEYPOINTS];
        for keypoint in Keypoint::ALL {
            pose[keypoint.at()] = keypoint.part().and_then(point).and_then(|at| one.points[at].seen[frame]);
        }
        KeypointLayout::middles(&mut pose);
        if pose.iter().flatten().next().is_some() { vec![pose] } else { Vec::new() }
    };
    Some((0..frames).map(pose).collect())
}

/// The positions of a point in all frames, with gaps filled and noise smoothed.
fn steady(column: &[Option<Detection>], options: &KeypointOptions) -> Vec<Point> {
    let (positions, weights) = fill_one(column, &vec![Point::ZERO; column.len()], options.rate);
    let Some(swings) = options.cutoff else { return positions };
    let axis = |axis: fn(&Point) -> f64| positions.iter().map(axis).collect::<Vec<_>>();
    let stiff = stiffness(swings, options.rate);
    let [x, y] = smooth_with_corners(&axis(|at| at.x), &axis(|at| at.y), &weights, stiff);
    x.into_iter().zip(y).map(|(x, y)| Point::new(x, y)).collect()
}

type Motion = Result<PlanarMotion, ImportError>;

/// The motion of a four-legged animal, if the names have a nose or ears and both ends of the trunk; and the
/// indices of the names that are used.
fn animal(names: &[&str], filled: &[Vec<Point>], rate: f64) -> Option<(Motion, Vec<usize>)> {
    let mut found = AnimalPoint::all(names);
    root_tail(&mut found, filled);
    let found = found;
    let index = |point: AnimalPoint| found.iter().position(|other| *other == Some(point));
    let track = |point: AnimalPoint| index(point).map(|at| filled[at].clone());
    let middle = |a: Option<Vec<Point>>, b: Option<Vec<Point>>| match (a, b) {
        (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| a.midpoint(*b)).collect()),
        (a, b) => a.or(b),
    };
    let both = |front: bool| {
        let top = |side| track(AnimalPoint::Leg(AnimalLeg { front, side }, 0));
        middle(top(Side::Left), top(Side::Right))
    };
    let ears = middle(track(AnimalPoint::Ear(Side::Left)), track(AnimalPoint::Ear(Side::Right)));
    let nose = track(AnimalPoint::Nose);
    // Of two points of the neck the one nearer to the nose is at the head.
    let necks = (track(AnimalPoint::Neck(0)), track(AnimalPoint::Neck(1)));
    let (high, low) = match (necks, &nose) {
        ((Some(a), Some(b)), Some(nose)) => {
            let far = |track: &[Point]| track.iter().zip(nose).map(|(a, b)| a.distance(*b)).sum::<f64>();
            if far(&a) <= far(&b) { (Some(a), Some(b)) } else { (Some(b), Some(a)) }
        }
        ((a, b), _) => (None, a.or(b)),
    };
    let skull = ears.or(high);
    let withers = track(AnimalPoint::Withers).or_else(|| both(true)).or_else(|| low.clone());
    let rump = track(AnimalPoint::Rump).or_else(|| both(false));
    let (withers, rump) = (withers?, rump?);
    // Without a nose the head ends at the ears.
    let (skull, nose) = match (skull, nose) {
        (skull, Some(nose)) => (skull, nose),
        (skull, None) => (None, skull?),
    };
    let mut tracks: Vec<(AnimalPoint, Vec<Point>)> =
        vec![(AnimalPoint::Rump, rump), (AnimalPoint::Withers, withers), (AnimalPoint::Nose, nose)];
    tracks.extend(skull.map(|skull| (AnimalPoint::Neck(0), skull)));
    for (point, track) in found.iter().zip(filled) {
        if let Some(point @ (AnimalPoint::Tail(_) | AnimalPoint::Leg(..) | AnimalPoint::Wing(..))) = point {
            tracks.push((*point, track.clone()));
        }
    }
    for leg in AnimalLeg::ALL {
        bend(leg, &mut tracks);
    }
    let points: Vec<AnimalPoint> = tracks.iter().map(|(point, _)| *point).collect();
    let joints = AnimalJoints::new(&points);
    let used: Vec<usize> = (0..names.len()).filter(|&at| found[at].is_some()).collect();
    let planar =
        |(point, parent): &(AnimalPoint, Option<usize>)| PlanarJoint { name: point.name(), parent: *parent };
    let of = |point: AnimalPoint| tracks.iter().find(|(other, _)| *other == point).map(|(_, track)| track);
    let columns: Vec<&Vec<Point>> = joints.joints.iter().filter_map(|(point, _)| of(*point)).collect();
    let frames = columns.first().map_or(0, |column| column.len());
    let positions = (0..frames).flat_map(|frame| columns.iter().map(move |column| column[frame])).collect();
    let motion = PlanarMotion::new(joints.joints.iter().map(planar).collect(), rate, positions);
    Some((motion.map(|motion| motion.with_bones(joints.bones())), used))
}

/// Gives a tail without a base one: its end that is nearer to the hind legs, or to the trunk of a body without.
fn root_tail(found: &mut [Option<AnimalPoint>], filled: &[Vec<Point>]) {
    let of = |wanted: fn(AnimalPoint) -> bool| -> Vec<usize> {
        (0..found.len()).filter(|&at| found[at].is_some_and(wanted)).collect()
    };
    let hips =
        of(|point| matches!(point, AnimalPoint::Rump | AnimalPoint::Leg(AnimalLeg { front: false, .. }, 0)));
    let tail = of(|point| matches!(point, AnimalPoint::Tail(_)));
    let legs = of(|point| matches!(point, AnimalPoint::Leg(AnimalLeg { front: false, .. }, _)));
    if !hips.is_empty() || tail.len() < 2 || legs.is_empty() {
        return;
    }
    let far = |at: usize| {
        let pairs = legs.iter().flat_map(|&leg| filled[at].iter().zip(&filled[leg]));
        pairs.map(|(a, b)| a.distance(*b)).sum::<f64>()
    };
    let Some(&base) = tail.iter().min_by(|&&a, &&b| far(a).total_cmp(&far(b))) else { return };
    let number = |point: Option<AnimalPoint>| match point {
        Some(AnimalPoint::Tail(number)) => number,
        _ => 0,
    };
    // Numbers of a tail that is named from its tip run the other way.
    let reversed = tail.iter().any(|&at| number(found[at]) < number(found[base]));
    for &at in tail.iter().filter(|_| reversed) {
        found[at] = Some(AnimalPoint::Tail(9 - number(found[at])));
    }
    found[base] = Some(AnimalPoint::Rump);
}

/// Adds a joint in the middle of a leg that has its paw alone: the wrist bends forwards, the hock backwards.
fn bend(leg: AnimalLeg, tracks: &mut Vec<(AnimalPoint, Vec<Point>)>) {
    let of =
        |point: AnimalPoint| tracks.iter().find(|(other, _)| *other == point).map(|(_, track)| track.clone());
    if (1..3).any(|at| of(AnimalPoint::Leg(leg, at)).is_some()) {
        return;
    }
    let trunk = if leg.front { AnimalPoint::Withers } else { AnimalPoint::Rump };
    let Some(paw) = of(AnimalPoint::Leg(leg, 3)) else { return };
    let (Some(top), Some(ahead), Some(behind)) =
        (of(AnimalPoint::Leg(leg, 0)).or_else(|| of(trunk)), of(AnimalPoint::Withers), of(AnimalPoint::Rump))
    else {
        return;
    };
    let reach = top.iter().zip(&paw).map(|(a, b)| a.distance(*b));
    let half = 0.51 * quantile(reach, 0.98);
    let knees = (0..paw.len()).map(|frame| {
        let way = paw[frame] - top[frame];
        let long = way.hypot();
        let aside = (half * half - 0.25 * long * long).max(0.0).sqrt();
        let across = if long > 1e-9 { Vec2::new(-way.y, way.x) / long } else { Vec2::ZERO };
        let forwards = ahead[frame] - behind[frame];
        let towards = if (across.dot(forwards) >= 0.0) == leg.front { across } else { -across };
        top[frame].midpoint(paw[frame]) + towards * aside
    });
    let knees = knees.collect();
    tracks.push((AnimalPoint::Leg(leg, 2), knees));
}

/// A figure of any points: a tree of the shortest connections, from the point that is nearest to all others.
fn connected(names: &[&str], filled: &[Vec<Point>], rate: f64) -> Motion {
    let count = names.len();
    let far = |a: usize, b: usize| {
        let step = 1 + filled[a].len() / 500;
        median(filled[a].iter().zip(&filled[b]).step_by(step).map(|(a, b)| a.distance(*b)))
    };
    let all: Vec<Vec<f64>> = (0..count).map(|a| (0..count).map(|b| far(a, b)).collect()).collect();
    let sum = |at: usize| all[at].iter().sum::<f64>();
    let Some(root) = (0..count).min_by(|&a, &b| sum(a).total_cmp(&sum(b))) else {
        fail!("a figure without joints or frames");
    };
    // Prim's algorithm.
    let mut order: Vec<(usize, Option<usize>)> = vec![(root, None)];
    while order.len() < count {
        let free = (0..count).filter(|at| !order.iter().any(|(there, _)| there == at));
        let pairs = free
            .flat_map(|at| order.iter().enumerate().map(move |(parent, (there, _))| (at, parent, *there)));
        let Some((at, parent, _)) = pairs.min_by(|a, b| all[a.0][a.2].total_cmp(&all[b.0][b.2])) else {
            break;
        };
        order.push((at, Some(parent)));
    }
    let joints =
        order.iter().map(|&(at, parent)| PlanarJoint { name: names[at].to_owned(), parent }).collect();
    let frames = filled[root].len();
    let order = &order;
    let positions =
        (0..frames).flat_map(|frame| order.iter().map(move |(at, _)| filled[*at][frame])).collect();
    PlanarMotion::new(joints, rate, positions)
}
