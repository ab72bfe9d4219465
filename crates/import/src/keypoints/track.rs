//! Tracks people from frame to frame. The order of people in a file has no meaning, so each person is matched
//! to the predicted pose that is nearest; all pairs of a frame are assigned together.

use std::collections::VecDeque;

use kurbo::Vec2;

use super::assign::assign;
use super::person::{Detection, KEYPOINTS, PersonPose, extent, median, seen};

/// One person over time.
#[derive(Clone, Debug)]
pub(super) struct PersonTrack {
    /// The first frame.
    pub(super) first: usize,
    /// From then on an entry for each frame; `None` where the person was not detected. The last entry is a
    /// detection.
    pub(super) bodies: Vec<Option<PersonPose>>,
}

impl PersonTrack {
    /// The number of frames with a detection.
    pub(super) fn found(&self) -> usize {
        self.bodies.iter().flatten().count()
    }

    /// The median size in the picture, in pixels.
    pub(super) fn size(&self) -> f64 {
        median(&mut self.bodies.iter().flatten().map(extent).collect::<Vec<_>>())
    }

    /// The last frame.
    pub(super) fn last(&self) -> usize {
        self.first + self.bodies.len().max(1) - 1
    }
}

/// A new person needs at least this number of joints.
const MIN_JOINTS: usize = 4;
/// The largest number of people in a frame; the smallest ones are left out.
pub(super) const MAX_PEOPLE: usize = 32;
/// The largest number of people who are tracked at the same time.
const MAX_OPEN_TRACKS: usize = 64;
/// A person who was not detected for this many seconds becomes a new person.
pub(super) const MAX_GAP_SECONDS: f64 = 1.0;

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
        let columns = bodies.len() + open.len();
        let mut cost = Vec::with_capacity(open.len() * columns);
        for (row, one) in open.iter().enumerate() {
            let gate = one.gate(frame, rate);
            cost.extend(
                bodies
                    .iter()
                    .map(|body| one.distance(body, frame).filter(|&far| far < gate).unwrap_or(10.0 * FAR)),
            );
            // Leaving a track without a detection costs as much as the farthest accepted detection.
            cost.extend((0..open.len()).map(|column| if column == row { gate } else { 10.0 * FAR }));
        }
        let pairs = assign(open.len(), columns, &cost);
        let mut taken = vec![false; bodies.len()];
        for (one, &column) in open.iter_mut().zip(&pairs) {
            if let Some(body) = bodies.get(column) {
                taken[column] = true;
                one.add(frame, body);
            }
        }
        for (body, taken) in bodies.iter().zip(taken) {
            if !taken {
                open.push(OpenTrack::new(frame, body));
            }
        }
        if open.len() > MAX_OPEN_TRACKS {
            // Tracks with the fewest detections end: they are mostly mistakes of the estimator.
            open.sort_by_key(|one| std::cmp::Reverse(one.track.found()));
            closed.extend(open.drain(MAX_OPEN_TRACKS..).map(|one| one.track));
        }
    }
    closed.extend(open.into_iter().map(|one| one.track));
    let mut ranked: Vec<(f64, PersonTrack)> =
        closed.into_iter().map(|track| (track.size() * track.found() as f64, track)).collect();
    ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.first.cmp(&other.first)));
    ranked.into_iter().map(|(_, track)| track).collect()
}

/// A cost above all distances, which are shares of a person's size.
const FAR: f64 = 1e3;

/// A track that may continue.
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
        let track = PersonTrack { first: frame, bodies: vec![Some(*body)] };
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
    let along =
        |axis: fn(Vec2) -> f64| median(&mut pairs.iter().map(|(a, b)| axis(b.at - a.at)).collect::<Vec<_>>());
    Some(Vec2::new(along(|way| way.x), along(|way| way.y)))
}
