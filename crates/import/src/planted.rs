//! Standing feet and paws: during each contact a foot stays where it is, in a recording as well as in what is
//! made from it. In the air the shift is blended from one contact to the next.
//!
//! A knee moves by half of the shift of its foot, so thigh and shin change their lengths by a little. Bones
//! of constant length would move it by more: of a leg that is stretched to .99 of its length one percent of
//! the length turns the knee by 8 degrees. A figure is flat, so the visible lengths of its bones change
//! anyway.

use bone_core::Side;
use kurbo::{Point, Vec2};

use crate::animal::{AnimalLeg, AnimalPart};
use crate::figure::height;
use crate::figure_leg::FigureLeg;
use crate::retarget::{Contact, LoopTimeline, find_contacts_in_space};
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
/// recorded.
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
    let mut positions: Vec<Vec<Point>> = (0..all)
        .map(|at| {
            let (frame, round) = time.frame(at);
            motion.frame(frame).iter().map(|place| Point::new(place.x + round, place.y)).collect()
        })
        .collect();
    let depth = |at: usize, joint: usize| motion.depth(time.frame(at).0, joint).unwrap_or_default();
    let (mut standing, mut loose): (Vec<StandingFoot>, Vec<LooseFoot>) = (Vec::new(), Vec::new());
    let mut largest_shift = 0.0_f64;
    let contacts =
        on_ground(&legs, all, motion.rate(), size, |at, joint| (positions[at][joint], depth(at, joint)));
    for ((side, leg), contacts) in legs.iter().zip(&contacts) {
        let ball = leg.ball();
        let Stands { held, given_up } =
            // The farthest that a standing foot is moved, as a share of the height: frames at the ends of a
            // contact in which it is farther away are not part of it.
            still(contacts, 0.01 * size, motion.rate(), |at| positions[at][ball]);
        let below: Vec<usize> = below(motion, leg.ankle);
        let shifts = shifts(&held, all, motion.rate(), |at| positions[at][ball]);
        for (place, by) in positions.iter_mut().zip(&shifts) {
            largest_shift = largest_shift.max(by.hypot());
            for &joint in &below {
                place[joint] += *by;
            }
            if leg.knee != leg.hip {
                // The share of the shift of a foot by which its knee moves.
                place[leg.knee] += *by * 0.5;
            }
        }
        standing.extend(held.iter().filter_map(|&(contact, at)| {
            let Contact { from, until } = time.kept_contact(contact)?;
            Some(StandingFoot { side: *side, joint: ball, from, until, at })
        }));
        loose.extend(given_up.iter().filter_map(|&(contact, moves)| {
            let Contact { from, until } = time.kept_contact(contact)?;
            Some(LooseFoot { side: *side, joint: ball, from, until, moves: moves / size })
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

/// The shift of a foot in each frame.
fn shifts(
    contacts: &[(Contact, Point)],
    frames: usize,
    rate: f64,
    ball: impl Fn(usize) -> Point,
) -> Vec<Vec2> {
    let mut shifts = vec![Vec2::ZERO; frames];
    for (contact, at) in contacts {
        for (frame, shift) in shifts.iter_mut().enumerate().take(contact.until + 1).skip(contact.from) {
            *shift = *at - ball(frame);
        }
    }
    for pair in contacts.windows(2) {
        let (from, until) = (pair[0].0.until, pair[1].0.from);
        let (first, last) = (shifts[from], shifts[until]);
        for (frame, shift) in shifts.iter_mut().enumerate().take(until).skip(from + 1) {
            let share = (frame - from) as f64 / (until - from) as f64;
            *shift = first + (last - first) * (share * share * (3.0 - 2.0 * share));
        }
    }
    // Before the first and after the last contact the foot keeps its shift.
    if let (Some(first), Some(last)) = (contacts.first(), contacts.last()) {
        let (before, after) = (shifts[first.0.from], shifts[last.0.until]);
        shifts[..first.0.from].fill(before);
        shifts[last.0.until + 1..].fill(after);
    }
    for (at, (contact, _)) in contacts.iter().enumerate() {
        let before = at.checked_sub(1).map_or(0, |before| contacts[before].0.until);
        let after = contacts.get(at + 1).map_or(frames - 1, |after| after.0.from);
        let inside = contact.until - contact.from;
        let arriving = shifts[contact.from] - shifts[contact.from + 1.min(inside)];
        let leaving = shifts[contact.until] - shifts[contact.until - 1.min(inside)];
        glide(contact.from - before, arriving, rate, |step| contact.from - step, &mut shifts);
        glide(after - contact.until, leaving, rate, |step| contact.until + step, &mut shifts);
    }
    shifts
}

/// Lets a shift that changes by `slope` a frame in a contact change on beside it, so that a foot neither
/// stops nor starts with a jerk: u (1 - u)^2 has the slope 1 at its start, and both value and slope 0 at its
/// end.
fn glide(air: usize, slope: Vec2, rate: f64, frame: impl Fn(usize) -> usize, shifts: &mut [Vec2]) {
    // The time in which a foot gets the speed of the recording, or loses it, seconds.
    let whole = (0.15 * rate).round().min(air as f64);
    for step in 1..whole as usize {
        let share = step as f64 / whole;
        shifts[frame(step)] += slope * (whole * share * (1.0 - share) * (1.0 - share));
    }
}
