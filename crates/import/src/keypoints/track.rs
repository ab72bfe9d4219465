//! Tracks people from frame to frame. The order of people in a file has no meaning, so each person is matched
//! to the predicted pose that is nearest; all pairs of a frame are assigned together. Detections that coincide
//! are one person; where the picture jumps, all people jump alike.

use std::collections::VecDeque;

use kurbo::Vec2;

use super::assign::assign;
use super::join_tracks::join_tracks;
use super::person::{Detection, KEYPOINTS, PersonPose, extent, seen};
use super::person_track::{MAX_GAP_SECONDS, PersonTrack, PictureJump};
use super::similarity::Similarity;
use crate::statistics::median;

/// A new person needs at least this number of joints.
const MIN_JOINTS: usize = 4;
/// The largest number of people in a frame; the smallest ones are left out.
pub(super) const MAX_PEOPLE: usize = 32;
/// The largest number of people who are tracked at the same time.
const MAX_OPEN_TRACKS: usize = 64;
/// The largest distance of poses after a common jump, and how much cheaper the jump has to be.
const JUMP_DISTANCE: f64 = 0.12;
const JUMP_GAIN: f64 = 0.3;

/// Tracks all people through all frames. The tracks are sorted by size times duration, largest first.
pub(super) fn follow(frames: &[Vec<PersonPose>], rate: f64) -> Vec<PersonTrack> {
    let patience = ((rate * MAX_GAP_SECONDS) as usize).max(3);
    let mut closed: Vec<PersonTrack> = Vec::new();
    let mut open: Vec<OpenTrack> = Vec::new();
    for (frame, bodies) in frames.iter().enumerate() {
        let mut kept = Vec::new();
        for one in open.drain(..) {
            if frame - one.seen_last > patience { closed.push(one.track) } else { kept.push(one) }
        }
        open = kept;
        let mut bodies: Vec<&PersonPose> = bodies.iter().filter(|body| seen(body) >= MIN_JOINTS).collect();
        if bodies.len() > MAX_PEOPLE {
            bodies.sort_by(|a, b| extent(b).total_cmp(&extent(a)));
            bodies.truncate(MAX_PEOPLE);
        }
        let (mut pairs, cost) = matched(&open, &bodies, frame, rate);
        if let Some((jump, jumped)) = common_jump(&open, &bodies, frame, rate, cost) {
            open.iter_mut().for_each(|one| one.jump(PictureJump { frame, by: jump }));
            pairs = jumped;
        }
        let mut owners: Vec<Option<usize>> = vec![None; bodies.len()];
        for (track, body) in pairs.into_iter().enumerate() {
            if let Some(body) = body {
                owners[body] = Some(track);
            }
        }
        let mut people: Vec<(Option<usize>, PersonPose)> = Vec::with_capacity(bodies.len());
        let known = (0..bodies.len()).filter(|&body| owners[body].is_some());
        for body in known.chain((0..bodies.len()).filter(|&body| owners[body].is_none())) {
            let double = people.iter_mut().find(|(_, other)| coincide(bodies[body], other));
            match double.filter(|_| owners[body].is_none()) {
                Some((_, other)) => {
                    for (joint, more) in other.iter_mut().zip(bodies[body]) {
                        *joint = joint.or(*more);
                    }
                }
                None => people.push((owners[body], *bodies[body])),
            }
        }
        for (owner, body) in people {
            match owner {
                Some(track) => open[track].add(frame, &body),
                None => open.push(OpenTrack::new(frame, &body)),
            }
        }
        if open.len() > MAX_OPEN_TRACKS {
            // Tracks with the fewest detections end: they are mostly mistakes of the estimator.
            open.sort_by_key(|one| std::cmp::Reverse(one.track.found()));
            closed.extend(open.drain(MAX_OPEN_TRACKS..).map(|one| one.track));
        }
    }
    closed.extend(open.into_iter().map(|one| one.track));
    let mut ranked: Vec<(f64, PersonTrack)> = join_tracks(without_doubles(closed), rate)
        .into_iter()
        .map(|track| (track.size() * track.found() as f64, track))
        .collect();
    ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.first.cmp(&other.first)));
    ranked.into_iter().map(|(_, track)| track).collect()
}

/// The detection of each open track, and the sum of costs.
fn matched(open: &[OpenTrack], bodies: &[&PersonPose], frame: usize, rate: f64) -> (Vec<Option<usize>>, f64) {
    let columns = bodies.len() + open.len();
    let mut cost = Vec::with_capacity(open.len() * columns);
    for (row, one) in open.iter().enumerate() {
        let gate = one.gate(frame, rate);
        let distance = |body: &&PersonPose| one.distance(body, frame).filter(|&far| far < gate);
        cost.extend(bodies.iter().map(|body| distance(body).unwrap_or(FAR)));
        // The cost of a track without a detection is above all accepted distances, so that as many tracks as
        // possible continue; that of a track that has lasted for a second is higher.
        let missed = 1.0 + 0.25 * (one.track.found() as f64 / rate).min(1.0);
        cost.extend((0..open.len()).map(|column| if column == row { missed } else { FAR }));
    }
    let pairs = assign(open.len(), columns, &cost);
    let sum = pairs.iter().enumerate().map(|(row, column)| cost[row * columns + column]).sum();
    (pairs.into_iter().map(|column| (column < bodies.len()).then_some(column)).collect(), sum)
}

/// A jump of the whole picture after which at least two people are where they would be, if that is much
/// cheaper than no jump.
fn common_jump(
    open: &[OpenTrack],
    bodies: &[&PersonPose],
    frame: usize,
    rate: f64,
    cost: f64,
) -> Option<(Similarity, Vec<Option<usize>>)> {
    if open.len() < 2 || bodies.len() < 2 || cost < JUMP_GAIN {
        return None;
    }
    let mut best: Option<(f64, Similarity, Vec<Option<usize>>)> = None;
    for one in open.iter().filter(|one| one.seen_last + 1 == frame) {
        for body in bodies {
            let Some((by, far)) = Similarity::between(&one.predicted(frame), body) else { continue };
            if far > JUMP_DISTANCE {
                continue;
            }
            let mut jumped: Vec<OpenTrack> = open.to_vec();
            jumped.iter_mut().for_each(|one| one.jump(PictureJump { frame, by }));
            let (pairs, sum) = matched(&jumped, bodies, frame, rate);
            let near = |(track, body): (usize, &Option<usize>)| {
                let body = bodies[(*body)?];
                jumped[track].distance(body, frame).filter(|far| *far < JUMP_DISTANCE)
            };
            let count = pairs.iter().enumerate().filter_map(near).count();
            if count >= 2 && best.as_ref().is_none_or(|best| sum < best.0) {
                best = Some((sum, by, pairs));
            }
        }
    }
    best.filter(|best| best.0 + JUMP_GAIN < cost).map(|(_, by, pairs)| (by, pairs))
}

/// Whether two detections are of one person: half of their common joints nearly coincide.
fn coincide(a: &PersonPose, b: &PersonPose) -> bool {
    let pairs = a.iter().zip(b).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    let apart: Vec<f64> = pairs.map(|(a, b)| a.at.distance(b.at)).collect();
    // Detections in one frame whose joints are nearer than this share of the size are one person.
    apart.len() >= MIN_JOINTS - 1 && median(apart.iter().copied()) < 0.1 * extent(a).max(extent(b))
}

/// Tracks that coincide with a longer one for most of their time are merged into it.
fn without_doubles(mut tracks: Vec<PersonTrack>) -> Vec<PersonTrack> {
    tracks.sort_by_key(|track| (std::cmp::Reverse(track.found()), track.first));
    let mut kept: Vec<PersonTrack> = Vec::new();
    for track in tracks {
        let is_double = |other: &&mut PersonTrack| {
            let both = track.bodies.iter().enumerate().filter_map(|(at, body)| {
                let there = (track.first + at).checked_sub(other.first)?;
                Some((body.as_ref()?, other.bodies.get(there)?.as_ref()?))
            });
            let same = both.filter(|(a, b)| coincide(a, b)).count();
            track.jumps.is_empty() && other.jumps.is_empty() && 5 * same >= 4 * track.found()
        };
        match kept.iter_mut().find(is_double) {
            Some(other) => other.fill_from(&track),
            None => kept.push(track),
        }
    }
    kept
}

/// A cost above all distances, which are shares of a person's size.
const FAR: f64 = 1e4;

/// A track that may continue.
#[derive(Clone)]
struct OpenTrack {
    track: PersonTrack,
    seen_last: usize,
    /// The last detection of each joint.
    joints: PersonPose,
    /// Pixels a frame, over the last few frames.
    speed: Vec2,
    /// The poses from which the speed is computed.
    lately: VecDeque<(usize, PersonPose)>,
    size: f64,
}

impl OpenTrack {
    fn new(frame: usize, body: &PersonPose) -> Self {
        let track = PersonTrack { first: frame, bodies: vec![Some(*body)], jumps: Vec::new() };
        let lately = VecDeque::from([(frame, *body)]);
        Self {
            track,
            seen_last: frame,
            joints: *body,
            speed: Vec2::ZERO,
            lately,
            size: extent(body).max(1e-9),
        }
    }

    /// The largest accepted distance from the prediction; it grows with the time since the last detection.
    fn gate(&self, frame: usize, rate: f64) -> f64 {
        let seconds = (frame - self.seen_last) as f64 / rate;
        (0.2 + 4.0 * seconds).min(0.8)
    }

    /// The mean distance of the common joints from their predictions, as a share of the size; `None` if there
    /// are too few common joints.
    fn distance(&self, body: &PersonPose, frame: usize) -> Option<f64> {
        let ahead = self.speed * (frame - self.seen_last) as f64;
        let (mut sum, mut weight, mut count) = (0.0, 0.0, 0);
        for (old, new) in self.joints.iter().zip(body) {
            if let (Some(old), Some(new)) = (old, new) {
                let confidence = old.confidence * new.confidence;
                sum += confidence * (new.at - (old.at + ahead)).hypot();
                weight += confidence;
                count += 1;
            }
        }
        (count >= MIN_JOINTS - 1 && weight > 0.0).then(|| sum / weight / self.size)
    }

    /// The pose that is expected in a frame.
    fn predicted(&self, frame: usize) -> PersonPose {
        let ahead = self.speed * (frame - self.seen_last) as f64;
        self.joints.map(|joint| joint.map(|joint| Detection { at: joint.at + ahead, ..joint }))
    }

    /// Moves all that the prediction is made from to the picture after a jump.
    fn jump(&mut self, jump: PictureJump) {
        self.joints = jump.by.pose(&self.joints);
        self.lately.iter_mut().for_each(|(_, body)| *body = jump.by.pose(body));
        self.speed *= jump.by.scale;
        self.size *= jump.by.scale;
        self.track.jumps.push(jump);
    }

    fn add(&mut self, frame: usize, body: &PersonPose) {
        self.track.bodies.resize(frame - self.track.first, None);
        self.track.bodies.push(Some(*body));
        self.seen_last = frame;
        for (old, new) in self.joints.iter_mut().zip(body) {
            *old = new.or(*old);
        }
        self.lately.push_back((frame, *body));
        if self.lately.len() > 6 {
            self.lately.pop_front();
        }
        if let Some((then, before)) = self.lately.front()
            && let Some(way) = moved(before, body)
        {
            self.speed = way / (frame - then).max(1) as f64;
        }
        // Averaged with the old size, because the bounding box changes with each step.
        self.size = 0.5 * (self.size + extent(body).max(1e-9));
    }
}

/// The median movement of the common joints; a few wrong joints do not affect it.
fn moved(before: &PersonPose, after: &PersonPose) -> Option<Vec2> {
    let pairs: Vec<(Detection, Detection)> =
        (0..KEYPOINTS).filter_map(|part| Some((before[part]?, after[part]?))).collect();
    if pairs.is_empty() {
        return None;
    }
    let along = |axis: fn(Vec2) -> f64| median(pairs.iter().map(|(a, b)| axis(b.at - a.at)));
    Some(Vec2::new(along(|way| way.x), along(|way| way.y)))
}
