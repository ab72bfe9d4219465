//! Standing feet and paws of a recording in the plane: during each contact a foot stays where it is, the body
//! follows it, and so do the knees. A figure is flat, so the visible lengths of its bones change anyway: what is
//! left of a shift goes into the length of thigh and shin, up to 1 %, and then into the knee.

use bone_core::{Angle, Side};
use kurbo::Point;

use crate::animal::{AnimalLeg, AnimalPart};
use crate::figure::height;
use crate::figure_leg::FigureLeg;
use crate::retarget::{Contact, LegPath, LoopTimeline, find_contacts_in_space, plant};
use crate::statistics::median;
use crate::{ImportError, PlanarMotion};

/// A foot that stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingFoot {
    /// The side of the foot.
    pub side: Side,
    /// The joint that stands: the ball of the foot, the ankle if there is none, or a paw.
    pub joint: usize,
    /// The first frame.
    pub from: usize,
    /// The last frame; in a loop it may lie beyond the end of the motion.
    pub until: usize,
    /// The position of the joint in these frames.
    pub at: Point,
}

/// A contact during which a foot does not stand: it would have to be moved too far from where it was
/// recorded, or its knee would jerk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooseFoot {
    /// The side of the foot.
    pub side: Side,
    /// The joint that would stand.
    pub joint: usize,
    /// The first frame.
    pub from: usize,
    /// The last frame; in a loop it may lie beyond the end of the motion.
    pub until: usize,
    /// The distance by which the foot moves in these frames, in heights of the figure.
    pub moves: f64,
    /// The second difference of the knee with a foot that stands, degrees a frame squared; `None` if it is the foot
    /// that moves too far.
    pub jerk: Option<f64>,
}

/// A motion whose feet stand during their contacts.
#[derive(Clone, Debug)]
pub struct PlantedMotion {
    /// The motion.
    pub motion: PlanarMotion,
    /// The contacts, by side and time.
    pub standing: Vec<StandingFoot>,
    /// Contacts that were given up, by side and time: there the foot is as recorded.
    pub loose: Vec<LooseFoot>,
    /// The largest distance by which a foot was moved, in heights of the figure.
    pub largest_shift: f64,
}

/// Lets feet stand during their contacts. In a loop the last frame equals the first one, up to the advance.
///
/// # Errors
/// If the positions are out of range.
pub fn plant_feet(motion: &PlanarMotion, looped: bool) -> Result<PlantedMotion, ImportError> {
    let body = motion.body();
    let mut legs: Vec<(Side, FigureLeg)> = [Side::Left, Side::Right]
        .into_iter()
        .filter_map(|side| Some((side, FigureLeg::find(&body, side)?)))
        .collect();
    legs.extend(AnimalLeg::ALL.into_iter().filter_map(|leg| Some((leg.side, animal_leg(motion, leg)?))));
    let frames = motion.frames();
    if legs.is_empty() || frames < 4 {
        return Ok(PlantedMotion {
            motion: motion.clone(),
            standing: Vec::new(),
            loose: Vec::new(),
            largest_shift: 0.0,
        });
    }
    let size = height(motion, &body);
    let time = LoopTimeline::new(motion, looped);
    let (all, start) = (time.all(), time.start());
    let before: Vec<Vec<Point>> = (0..all)
        .map(|at| {
            let (frame, round) = time.frame(at);
            motion.frame(frame).iter().map(|place| Point::new(place.x + round, place.y)).collect()
        })
        .collect();
    let depth = |at: usize, joint: usize| motion.depth(time.frame(at).0, joint).unwrap_or_default();
    let contacts =
        on_ground(&legs, all, motion.rate(), size, |at, joint| (before[at][joint], depth(at, joint)));
    let (mut paths, mut loose) = (Vec::new(), Vec::new());
    for ((side, leg), contacts) in legs.iter().zip(&contacts) {
        let ball = leg.ball();
        // The farthest that a standing foot is moved, as a share of the height: frames at the ends of a contact in
        // which it is farther away are not part of it.
        let stands = still(contacts, 0.01 * size, motion.rate(), |at| before[at][ball]);
        loose.extend(stands.given_up.iter().filter_map(|&(contact, moves)| {
            let Contact { from, until } = time.kept_contact(contact)?;
            Some(LooseFoot { side: *side, joint: ball, from, until, moves: moves / size, jerk: None })
        }));
        paths.push(LegPath {
            hips: before.iter().map(|places| places[leg.hip]).collect(),
            feet: before.iter().map(|places| places[ball]).collect(),
            arms: before.iter().map(|places| places[ball] - places[leg.ankle]).collect(),
            length: None,
            // Keys are fitted within 1 % more; together, with turns of the feet, joints stay within 2 %.
            most: 0.0085 * size,
            ground: f64::INFINITY,
            contacts: stands.held,
        });
    }
    // The share by which thigh and shin change their length.
    let give = 0.01;
    let planting = plant(&mut paths, motion.rate(), time.period(), |leg, at, hip, ankle| {
        let leg = &legs[leg].1;
        let knee = leg.bent(&before[at], hip, ankle, give).filter(|_| leg.knee != leg.hip);
        knee.map_or(0.0, |knee| (Angle::of(ankle - knee) - Angle::of(knee - hip)).degrees())
    });
    loose.extend(planting.given_up.iter().filter_map(|gone| {
        let (side, leg) = &legs[gone.leg];
        let Contact { from, until } = time.kept_contact(gone.contact)?;
        Some(LooseFoot { side: *side, joint: leg.ball(), from, until, moves: 0.0, jerk: Some(gone.jerk) })
    }));
    loose.sort_by_key(|foot| (foot.side == Side::Right, foot.from));
    let mut standing: Vec<StandingFoot> = Vec::new();
    let mut positions = before.clone();
    for (places, by) in positions.iter_mut().zip(&planting.body) {
        places.iter_mut().for_each(|place| *place += *by);
    }
    let mut largest_shift = planting.body.iter().map(|by| by.hypot()).fold(0.0, f64::max);
    for (((side, leg), path), feet) in legs.iter().zip(&paths).zip(&planting.feet) {
        let below: Vec<usize> = below(motion, leg.ankle);
        for ((places, before), (to, from)) in
            positions.iter_mut().zip(&before).zip(feet.iter().zip(&path.feet))
        {
            let by = *to - *from;
            largest_shift = by.hypot().max(largest_shift);
            below.iter().for_each(|&joint| places[joint] = before[joint] + by);
            if leg.knee != leg.hip
                && let Some(knee) = leg.bent(before, places[leg.hip], places[leg.ankle], give)
            {
                places[leg.knee] = knee;
            }
        }
        standing.extend(path.contacts.iter().filter_map(|&(contact, at)| {
            let Contact { from, until } = time.kept_contact(contact)?;
            Some(StandingFoot { side: *side, joint: leg.ball(), from, until, at })
        }));
    }
    let mut kept: Vec<Point> = positions[start..start + frames].concat();
    if looped {
        let (count, period) = (motion.joints().len(), frames - 1);
        for joint in 0..count {
            let advance = motion.position(period, joint).x - motion.position(0, joint).x;
            kept[period * count + joint] = Point::new(kept[joint].x + advance, kept[joint].y);
        }
    }
    let depths = (0..frames).flat_map(|frame| motion.depths(frame)).copied().collect();
    let motion = motion.clone().with_positions(kept, depths)?;
    Ok(PlantedMotion { motion, standing, loose, largest_shift: largest_shift / size.max(1e-9) })
}

/// The contacts of each leg, and where its foot is in most of their frames; contacts of nearly one height are
/// on one ground. `at` returns the position and the depth of a joint in a frame.
fn on_ground(
    legs: &[(Side, FigureLeg)],
    frames: usize,
    rate: f64,
    size: f64,
    at: impl Fn(usize, usize) -> (Point, f64),
) -> Vec<Vec<(Contact, Point)>> {
    let of_leg = |(_, leg): &(Side, FigureLeg)| {
        let ball = leg.ball();
        let found =
            find_contacts_in_space(frames, rate, size, |frame| at(frame, ball).0, |frame| at(frame, ball).1);
        let middle = |contact: &Contact| {
            let all = || (contact.from..=contact.until).map(|frame| at(frame, ball).0);
            Point::new(median(all().map(|at| at.x)), median(all().map(|at| at.y)))
        };
        found.iter().map(|contact| (*contact, middle(contact))).collect::<Vec<_>>()
    };
    let mut contacts: Vec<Vec<(Contact, Point)>> = legs.iter().map(of_leg).collect();
    let ground = median(contacts.iter().flatten().map(|contact| contact.1.y));
    for (_, at) in contacts.iter_mut().flatten() {
        // Contacts whose heights differ by less than this share of the height are on one ground.
        if (at.y - ground).abs() < 0.005 * size {
            at.y = ground;
        }
    }
    contacts
}

/// A leg of an animal, from the trunk to the paw.
fn animal_leg(motion: &PlanarMotion, leg: AnimalLeg) -> Option<FigureLeg> {
    let bones = motion.bones().iter();
    let bones = bones.filter(|bone| matches!(bone.animal, Some(AnimalPart::Leg(of, _)) if of == leg));
    let ends: Vec<(usize, usize)> = bones.map(|bone| (bone.from, bone.to)).collect();
    let top = ends.first()?.0;
    let (knee, ankle, toes) = match ends.iter().map(|(_, to)| *to).collect::<Vec<_>>()[..] {
        // A leg of one bone has no knee: the bone gets longer or shorter.
        [paw] => (top, paw, Vec::new()),
        [knee, ankle, ref toes @ ..] => (knee, ankle, toes.to_vec()),
        [] => return None,
    };
    Some(FigureLeg { hip: top, knee, ankle, toes })
}

/// The joints at and below a joint.
fn below(motion: &PlanarMotion, from: usize) -> Vec<usize> {
    let mut carried = vec![false; motion.joints().len()];
    carried[from] = true;
    for (at, joint) in motion.joints().iter().enumerate().skip(from + 1) {
        carried[at] = joint.parent.is_some_and(|parent| carried[parent]);
    }
    (from..carried.len()).filter(|&at| carried[at]).collect()
}

/// The contacts of a foot: those in which it stands, with their places, and those that are given up, with the
/// largest distance from there.
#[derive(Default)]
struct Stands {
    held: Vec<(Contact, Point)>,
    given_up: Vec<(Contact, f64)>,
}

/// The contacts without the frames in which the foot is farther than `farthest` from where it stands; those
/// of which less than half would be left are given up.
fn still(contacts: &[(Contact, Point)], farthest: f64, rate: f64, ball: impl Fn(usize) -> Point) -> Stands {
    // Shorter contacts are given up, seconds.
    let shortest = (0.07 * rate).ceil() as usize;
    let mut stands = Stands::default();
    for (contact, at) in contacts {
        let away: Vec<f64> = (contact.from..=contact.until).map(|frame| ball(frame).distance(*at)).collect();
        // The longest run of frames that are near.
        let (mut run, mut best) = (0..0, 0..0);
        for (frame, away) in away.iter().enumerate() {
            run = if *away > farthest { frame + 1..frame + 1 } else { run.start..frame + 1 };
            if run.len() > best.len() {
                best = run.clone();
            }
        }
        if best.len() > shortest && 2 * best.len() >= away.len() {
            let (from, until) = (contact.from + best.start, contact.from + best.end - 1);
            stands.held.push((Contact { from, until }, *at));
        } else {
            stands.given_up.push((*contact, away.into_iter().fold(0.0, f64::max)));
        }
    }
    stands
}
