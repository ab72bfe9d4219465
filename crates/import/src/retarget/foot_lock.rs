//! Foot locking: where each contact is on the canvas, how far the hips move down for legs that are too short in
//! spite of planting, and the rotations of thighs and shins that follow.
//!
//! A loop is computed over three rounds, of which the middle one is kept: so a contact across its end is one
//! contact.

use bone_core::clip::smoothstep;
use bone_core::{Angle, BoneId, Pose, Side, WorldPose};
use kurbo::{Point, Vec2};

use super::contacts::{Contact, find_contacts};
use super::legs::RigLeg;
use super::planting::{LegPath, Planting, plant, soft};
use super::poser::{RigPoser, within};
use crate::PlanarMotion;
use crate::body::Body;
use crate::parts::BodyPart;
use crate::statistics::median;

/// The frames that are computed, and those that are kept: a loop is computed over three rounds, of which the middle
/// one is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopTimeline {
    /// The number of kept frames, the end of a loop included.
    pub(crate) kept: usize,
    looped: bool,
    /// The advance of a round along the ground, in units of the recording; 0 without a loop.
    pub(super) gain: f64,
}

impl LoopTimeline {
    pub(crate) fn new(motion: &PlanarMotion, looped: bool) -> Self {
        let kept = motion.frames();
        let base = motion.base();
        let gain = if looped { motion.position(kept - 1, base).x - motion.position(0, base).x } else { 0.0 };
        Self { kept, looped, gain }
    }

    /// The number of computed frames.
    pub(crate) fn all(&self) -> usize {
        if self.looped { 3 * (self.kept - 1) + 1 } else { self.kept }
    }

    /// The first kept frame.
    pub(crate) fn start(&self) -> usize {
        if self.looped { self.kept - 1 } else { 0 }
    }

    /// The number of frames of a loop.
    pub(crate) fn period(&self) -> Option<usize> {
        self.looped.then_some(self.kept - 1)
    }

    fn kept_frames(&self) -> std::ops::Range<usize> {
        self.start()..self.start() + self.kept
    }

    /// The recorded frame of a computed one, and the advance of the rounds before it.
    pub(crate) fn frame(&self, at: usize) -> (usize, f64) {
        if !self.looped {
            return (at, 0.0);
        }
        let period = self.kept - 1;
        let (round, frame) = (at / period, at % period);
        (frame, (round as f64 - 1.0) * self.gain)
    }

    /// A contact that begins in the kept frames, counted from the first of them; in a loop it may end beyond the
    /// last one.
    pub(crate) fn kept_contact(&self, contact: Contact) -> Option<Contact> {
        let (start, until) = (self.start(), self.start() + self.kept - usize::from(self.looped));
        // A foot that stands in all of a loop begins to do so in its first frame.
        let whole = self.looped && contact.from < start && contact.until >= until;
        let contact = if whole { Contact { from: start, until } } else { contact };
        let begins = (start..until).contains(&contact.from);
        begins.then(|| Contact { from: contact.from - start, until: contact.until - start })
    }

    /// The midpoint of the roots of both thighs.
    pub(super) fn middle(motion: &PlanarMotion, body: &Body, frame: usize) -> Point {
        let [left, right] = [Side::Left, Side::Right]
            .map(|side| motion.position(frame, body.start(BodyPart::Thigh(side)).unwrap_or_default()));
        left.midpoint(right)
    }

    /// The same for a computed frame, with the advance of the rounds before it.
    pub(super) fn thighs(&self, motion: &PlanarMotion, body: &Body, at: usize) -> (Point, f64) {
        let (frame, round) = self.frame(at);
        (Self::middle(motion, body, frame), round)
    }
}

/// The time in which the hips move down or up and back again, seconds.
const DROP_SECONDS: f64 = 0.16;

/// A motion with locked feet, over all computed frames.
pub(super) struct LockedMotion {
    time: LoopTimeline,
    rest: Point,
    hips: Vec<Point>,
    /// For each rotated bone and each frame, degrees from the setup pose.
    rotates: Vec<Vec<f64>>,
    /// For each of these bones the shares of its length; empty if it keeps its length.
    shares: Vec<Vec<f64>>,
    contacts: Vec<Vec<(Contact, Point)>>,
    pub(super) drop: f64,
    pub(super) rise: f64,
}

impl LockedMotion {
    /// The offset of the hips from the setup pose.
    pub(super) fn hip_shift(&self, frame: usize) -> Vec2 {
        let here = self.hips[self.time.start() + frame] - self.rest;
        if self.time.looped && frame + 1 == self.time.kept {
            // Equal to the bit, except for the advance.
            let first = self.hips[self.time.start()] - self.rest;
            return Vec2::new(here.x, first.y);
        }
        here
    }

    /// The mean offset along the ground after subtracting `drift` for each frame.
    pub(super) fn mean_shift(&self, drift: f64) -> f64 {
        let sum: f64 = (0..self.time.kept).map(|frame| self.hip_shift(frame).x - drift * frame as f64).sum();
        sum / self.time.kept as f64
    }

    /// The rotations of one bone.
    pub(super) fn rotates(&self, bone: usize) -> Vec<f64> {
        let mut kept = self.rotates[bone][self.time.kept_frames()].to_vec();
        if self.time.looped
            && let Some(last) = kept.len().checked_sub(1)
        {
            kept[last] = kept[0] + ((kept[last] - kept[0]) / 360.0).round() * 360.0;
        }
        kept
    }

    /// The shares of its length of one bone, if it is foreshortened.
    pub(super) fn shares(&self, bone: usize) -> Option<Vec<f64>> {
        let mut kept = self.shares[bone].get(self.time.kept_frames())?.to_vec();
        if self.time.looped
            && let Some(last) = kept.len().checked_sub(1)
        {
            kept[last] = kept[0];
        }
        Some(kept)
    }

    /// The locks that begin in the kept frames.
    pub(super) fn foot_locks(
        &self,
        rate: f64,
        lock: impl Fn(usize, usize, Point) -> FootLock,
    ) -> Vec<FootLock> {
        let of_side = |(side, contacts): (usize, &Vec<(Contact, Point)>)| {
            let kept =
                contacts.iter().filter_map(|&(contact, at)| Some((self.time.kept_contact(contact)?, at)));
            let locks = kept.map(|(Contact { from, until }, at)| FootLock {
                from: from as f64 / rate,
                until: until as f64 / rate,
                ..lock(side, from, at)
            });
            locks.collect::<Vec<_>>()
        };
        self.contacts.iter().enumerate().flat_map(of_side).collect()
    }
}

/// The ground of the recording and of the rig.
pub(super) struct Footing<'a> {
    /// The height of the recorded figure.
    pub(super) size: f64,
    /// The y of its lowest joint in most frames.
    pub(super) floor: f64,
    /// For each recorded frame the height above the floor of the lowest joint that is not part of a foot.
    pub(super) clearances: &'a [f64],
    /// The y under the feet of the rig.
    pub(super) grounds: [f64; 2],
    /// Units of the canvas for a unit of the recording.
    pub(super) scale: f64,
}

/// How far the body has to move down in each frame so that what is lowest lies on the ground as in the
/// recording. `lowest` is the y of the lowest part of the rig that is not part of a foot.
fn lying(footing: &Footing<'_>, clearances: &[f64], lowest: &[f64], rate: f64) -> Vec<f64> {
    let ground = (footing.grounds[0] + footing.grounds[1]) / 2.0;
    let shifts: Vec<f64> = clearances
        .iter()
        .zip(lowest)
        .map(|(clearance, lowest)| {
            // A part of the body below a tenth of the height lies on the floor, above 0.18 it does not.
            let lies = 1.0 - smoothstep((clearance / footing.size - 0.1) / (0.18 - 0.1));
            lies * (ground - clearance * footing.scale - lowest)
        })
        .collect();
    // The time over which the body comes to lie, seconds.
    let reach = (0.1 * rate).ceil() as usize;
    (0..shifts.len())
        .map(|at| {
            let around = &shifts[at.saturating_sub(reach)..(at + reach + 1).min(shifts.len())];
            around.iter().sum::<f64>() / around.len() as f64
        })
        .collect()
}

/// Locks the feet. `hips` returns the position of the hips in a computed frame.
pub(super) fn lock_feet(
    poser: &RigPoser<'_>,
    legs: &[RigLeg; 2],
    motion: &PlanarMotion,
    body: &Body,
    time: &LoopTimeline,
    footing: &Footing<'_>,
    hips: impl Fn(usize) -> Point,
) -> LockedMotion {
    let skeleton = poser.skeleton;
    let all = time.all();
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let mut hips: Vec<Point> = (0..all).map(hips).collect();
    let mut rotates = vec![Vec::with_capacity(all); poser.turns.bones.len()];
    // For each leg and each frame: the tip of the foot, its offset from the ankle, and the root of the thigh.
    let mut feet = [const { Vec::new() }; 2];
    let mut lowest = Vec::with_capacity(all);
    let of_body = |part: BodyPart| !matches!(part, BodyPart::Foot(_) | BodyPart::Toe(_));
    for (at, position) in hips.iter().enumerate() {
        poser.pose(time.frame(at).0, *position, &mut pose, &mut world);
        for ((_, bone), rotates) in poser.turns.bones.iter().zip(&mut rotates) {
            rotates.push((pose.bones[bone.index()].angle - skeleton.setup(*bone).angle).degrees());
        }
        let body_bones = poser.turns.bones.iter().filter(|(part, _)| of_body(*part));
        let ys = body_bones.flat_map(|(part, bone)| {
            // A shin ends at the ankle, which is part of the foot.
            let is_shin = matches!(part, BodyPart::Shin(_));
            let tip = (!is_shin).then(|| world.tip(skeleton, &pose, *bone).y);
            [Some(world.origin(*bone).y), tip].into_iter().flatten()
        });
        lowest.push(ys.fold(f64::MIN, f64::max));
        for (leg, feet) in legs.iter().zip(&mut feet) {
            let tip = world.tip(skeleton, &pose, leg.foot);
            feet.push((tip, tip - world.origin(leg.foot), world.origin(leg.thigh)));
        }
    }

    let clearances: Vec<f64> = (0..all).map(|e| footing.clearances[time.frame(e).0]).collect();
    let down = lying(footing, &clearances, &lowest, motion.rate());
    for (hip, down) in hips.iter_mut().zip(&down) {
        hip.y += down;
    }
    for feet in &mut feet {
        for (foot, down) in feet.iter_mut().zip(&down) {
            let (tip, _, root): &mut (Point, Vec2, Point) = foot;
            tip.y += down;
            root.y += down;
        }
    }

    let mut paths = Vec::new();
    for (at, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let joint = body.end(BodyPart::Foot(side)).or(body.start(BodyPart::Foot(side))).unwrap_or_default();
        let position = |e: usize| {
            let (frame, round) = time.frame(e);
            motion.position(frame, joint) + Vec2::new(round, 0.0)
        };
        let ground = footing.grounds[at];
        let stands = |contact: &Contact| {
            let ys = (contact.from..=contact.until).map(|e| position(e).y);
            let mean = ys.sum::<f64>() / (contact.until - contact.from + 1) as f64;
            // A foot that is higher above the floor than this share of the height does not stand on it.
            footing.floor - mean < 0.06 * footing.size
        };
        let contacts = find_contacts(all, motion.rate(), footing.size, position)
            .into_iter()
            .filter(stands)
            .map(|contact| {
                let x = median((contact.from..=contact.until).map(|e| feet[at][e].0.x));
                (contact, Point::new(x, ground))
            })
            .collect();
        paths.push(LegPath {
            hips: feet[at].iter().map(|foot| foot.2).collect(),
            feet: feet[at].iter().map(|foot| foot.0).collect(),
            arms: feet[at].iter().map(|foot| foot.1).collect(),
            length: Some(legs[at].length()),
            most: f64::INFINITY,
            ground,
            contacts,
        });
    }
    let stretches = [0, 1].map(|at: usize| {
        position(poser, legs[at].thigh).is_some_and(|at| !poser.turns.shares[at].is_empty())
    });
    let Planting { body: shifts, feet: targets, stands, .. } =
        plant(&mut paths, motion.rate(), time.period(), |leg, _, hip, ankle| {
            // A foreshortened leg is as long as it needs.
            let stretches =
                position(poser, legs[leg].thigh).is_some_and(|at| !poser.turns.shares[at].is_empty());
            let thigh = Angle::from_degrees(90.0);
            if stretches { 0.0 } else { legs[leg].solve(hip, ankle, thigh).1 }
        });
    for (e, by) in shifts.iter().enumerate() {
        hips[e] += *by;
        feet.iter_mut().for_each(|feet| feet[e].2 += *by);
    }
    let contacts: Vec<Vec<(Contact, Point)>> = paths.into_iter().map(|path| path.contacts).collect();

    // How far the hips have to move up so that the locked feet are reached by thighs that have limits.
    let mut rises = vec![0.0_f64; all];
    for (at, leg) in legs.iter().enumerate() {
        let place = position(poser, leg.thigh);
        // A foreshortened leg is as long as it needs.
        let limits = place
            .filter(|at| poser.turns.shares[*at].is_empty())
            .and_then(|at| poser.turns.limits[at].or_else(|| super::limits(skeleton, leg.thigh)));
        let Some(limits) = limits else { continue };
        for e in contacts[at].iter().flat_map(|(contact, _)| contact.from..=contact.until) {
            let (_, offset, root) = feet[at][e];
            let rest = carried(poser, leg, &rotates, e) + skeleton.setup(leg.thigh).angle;
            let keyed = rest + Angle::from_degrees(rotate(poser, leg.thigh, &rotates, e));
            rises[e] = rises[e].max(leg.rise(root, targets[at][e] - offset, rest, limits, keyed));
        }
    }
    let rises = envelope(&rises, (DROP_SECONDS * motion.rate()).ceil() as usize);
    let rise = rises.iter().copied().fold(0.0, f64::max);
    for (e, rise) in rises.iter().enumerate() {
        hips[e].y -= rise;
        feet.iter_mut().for_each(|feet| feet[e].2.y -= rise);
    }

    // How far the hips have to move down so that the locked feet can be reached.
    let mut needed = vec![0.0_f64; all];
    for (at, leg) in legs.iter().enumerate() {
        for (contact, _) in &contacts[at] {
            for e in contact.from..=contact.until {
                let ankle = targets[at][e] - feet[at][e].1;
                let way = ankle - feet[at][e].2;
                let reach = leg.reach();
                let deep = (reach * reach - way.x * way.x).max(0.0).sqrt();
                needed[e] = needed[e].max(way.y - deep);
            }
        }
    }
    let drops = envelope(&needed, (DROP_SECONDS * motion.rate()).ceil() as usize);
    let down = drops.iter().zip(&shifts).map(|(drop, by)| drop + by.y);
    let drop = down.fold(0.0, f64::max);
    for (hip, drop) in hips.iter_mut().zip(&drops) {
        hip.y += drop;
    }

    // Foreshortened legs are as long as their feet need.
    let shares_of =
        |shares: &Vec<f64>| (0..all).filter_map(|e| shares.get(time.frame(e).0).copied()).collect();
    let mut shares: Vec<Vec<f64>> = poser.turns.shares.iter().map(shares_of).collect();
    let stretched = legs.iter().zip(&feet).zip(&targets).map(|((leg, feet), targets)| {
        let leg_at = |e: usize| {
            let places = [leg.thigh, leg.shin].map(|bone| position(poser, bone));
            let now = places.map(|at| at.and_then(|at| shares[at].get(e).copied()));
            if now == [None; 2] {
                return *leg;
            }
            let (hip, ankle) = (feet[e].2 + Vec2::new(0.0, drops[e]), targets[e] - feet[e].1);
            let now = now.map(|share| share.unwrap_or(1.0));
            // The direction of a thigh that points at the viewer is as recorded, so lengths make up the rest.
            let thigh = carried(poser, leg, &rotates, e)
                + skeleton.setup(leg.thigh).angle
                + Angle::from_degrees(rotate(poser, leg.thigh, &rotates, e));
            let reaching = leg.along_thigh(now, hip, thigh, ankle);
            let reaching = reaching.unwrap_or_else(|| leg.reaching(now, ankle.distance(hip)));
            for (at, share) in places.into_iter().zip(reaching) {
                if let Some(of_bone) = at.and_then(|at| shares[at].get_mut(e)) {
                    *of_bone = share;
                }
            }
            leg.stretched(reaching).bending_as_seen(hip, thigh, ankle)
        };
        (0..all).map(leg_at).collect::<Vec<RigLeg>>()
    });
    let stretched: Vec<Vec<RigLeg>> = stretched.collect();

    for (at, leg) in legs.iter().enumerate() {
        let mut near: Option<Angle> = None;
        let bones = [leg.thigh, leg.shin, leg.foot];
        for e in 0..all {
            let root = feet[at][e].2 + Vec2::new(0.0, drops[e]);
            let keyed = bones.map(|bone| rotate(poser, bone, &rotates, e));
            let carried = carried(poser, leg, &rotates, e);
            let mut offset = feet[at][e].1;
            // A foot that its limits turn against its shin has its ankle elsewhere, and then its shin turns, too.
            // The largest number of times that a leg is solved for a foot that its limits turn.
            for _ in 0..12 {
                let first = carried + skeleton.setup(leg.thigh).angle + Angle::from_degrees(keyed[0]);
                let (leg_now, way) = (&stretched[at][e], targets[at][e] - offset - root);
                // In the air a leg does not straighten at once. A foreshortened one is as long as it needs.
                let (far, long) = (way.hypot(), leg_now.length());
                let air = if stretches[at] { 0.0 } else { 1.0 - stands[at][e] };
                let nearer = 1.0 - air * (1.0 - soft(far, long, 0.005) / far.max(1e-9));
                let (thigh, knee) = leg_now.solve(root, root + way * nearer, near.unwrap_or(first));
                near = Some(thigh);
                let thigh = (thigh - carried - skeleton.setup(leg.thigh).angle).degrees();
                let turned = turn_leg(poser, leg, &mut rotates, e, keyed, [thigh, knee]);
                let next = feet[at][e].1.rotate_scale(Angle::from_degrees(turned).direction());
                let moved = (next - offset).hypot();
                offset = next;
                // The distance, in lengths of the leg, by which the ankle of such a foot may still move.
                if moved < 1e-6 * leg.length() {
                    break;
                }
            }
        }
    }
    let rest = skeleton.setup_origin(poser.hip);
    LockedMotion { time: *time, rest, hips, rotates, shares, contacts, drop, rise }
}

fn position(poser: &RigPoser<'_>, bone: BoneId) -> Option<usize> {
    poser.turns.bones.iter().position(|(_, of)| *of == bone)
}

fn rotate(poser: &RigPoser<'_>, bone: BoneId, rotates: &[Vec<f64>], e: usize) -> f64 {
    position(poser, bone).map_or(0.0, |at| rotates[at][e])
}

/// The rotation on the canvas of the parent of a thigh.
fn carried(poser: &RigPoser<'_>, leg: &RigLeg, rotates: &[Vec<f64>], e: usize) -> Angle {
    let mut turn = Angle::ZERO;
    let mut envelope = poser.skeleton.parent(leg.thigh);
    while let Some(bone) = envelope {
        turn += poser.skeleton.setup(bone).angle + Angle::from_degrees(rotate(poser, bone, rotates, e));
        envelope = poser.skeleton.parent(bone);
    }
    turn
}

/// Rotates thigh and shin, and rotates the foot back so that it keeps its angle on the canvas. `keyed` are the
/// rotations of thigh, shin and foot before. Returns the angle on the canvas by which limits turn the foot.
fn turn_leg(
    poser: &RigPoser<'_>,
    leg: &RigLeg,
    rotates: &mut [Vec<f64>],
    e: usize,
    keyed: [f64; 3],
    [thigh, knee]: [f64; 2],
) -> f64 {
    let keep = |bone, turn: f64| {
        let limits = position(poser, bone).and_then(|at| poser.turns.limits[at]);
        let limits = limits.or_else(|| super::limits(poser.skeleton, bone));
        limits.map_or(turn, |limits| within(turn, limits))
    };
    let (thigh, knee) = (keep(leg.thigh, thigh), keep(leg.shin, knee));
    for (bone, turn) in [(leg.thigh, thigh), (leg.shin, knee)] {
        if let Some(at) = position(poser, bone) {
            rotates[at][e] = turn;
        }
    }
    let Some(at) = position(poser, leg.foot) else { return 0.0 };
    let wanted = keyed.iter().sum::<f64>() - thigh - knee;
    rotates[at][e] = keep(leg.foot, wanted);
    rotates[at][e] - wanted
}

/// A smooth curve that is nowhere below the values: the maximum within reach, then two moving averages over
/// half of that reach.
fn envelope(values: &[f64], reach: usize) -> Vec<f64> {
    let window = |values: &[f64], at: usize, reach: usize| {
        at.saturating_sub(reach)..(at + reach + 1).min(values.len())
    };
    let mut curve: Vec<f64> = (0..values.len())
        .map(|at| values[window(values, at, reach)].iter().copied().fold(0.0, f64::max))
        .collect();
    for _ in 0..2 {
        let old = curve.clone();
        for (at, value) in curve.iter_mut().enumerate() {
            let range = window(&old, at, reach / 2);
            *value = old[range.clone()].iter().sum::<f64>() / range.len() as f64;
        }
    }
    curve
}

/// A contact of a foot of the rig: during it the foot is locked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLock {
    /// The foot.
    pub bone: BoneId,
    /// The side of the foot.
    pub side: Side,
    /// Seconds of the clip.
    pub from: f64,
    /// Seconds of the clip; in a loop it may lie beyond the end of the clip.
    pub until: f64,
    /// The position of the tip of the foot on the canvas at `from`.
    pub at: Point,
    /// The speed of the ground under it along x, besides that of the whole clip.
    pub drift: f64,
}

impl FootLock {
    /// The same lock on ground that moves, so that the figure is farther back: `held` has the distance in each
    /// frame.
    pub(super) fn held_back(self, held: &[f64], rate: f64) -> Self {
        let frame = |seconds: f64| ((seconds * rate).round() as usize).min(held.len() - 1);
        let (from, until) = (held[frame(self.from)], held[frame(self.until)]);
        let drift = (from - until) / (self.until - self.from).max(1e-9);
        Self { at: self.at - Vec2::new(from, 0.0), drift, ..self }
    }
}
