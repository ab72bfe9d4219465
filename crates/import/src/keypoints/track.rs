//! People followed from frame to frame. The order of people in a file says nothing, so each person is the one whose pose is
//! nearest to where a person known before should be by now; all pairs of a frame are weighed together.

use std::collections::VecDeque;

use kurbo::Vec2;

use super::assign::assign;
use super::person::{Detection, KEYPOINTS, PersonPose, extent, median, seen};

/// One person over time.
#[derive(Clone, Debug)]
pub(super) struct PersonTrack {
    /// The first frame it is in.
    pub(super) first: usize,
    /// From then on a body a frame; none where it was not found. The last one is found.
    pub(super) bodies: Vec<Option<PersonPose>>,
}

impl PersonTrack {
    /// In how many frames it was found.
    pub(super) fn found(&self) -> usize {
        self.bodies.iter().flatten().count()
    }

    /// How large it usually is in the picture, in pixels.
    pub(super) fn size(&self) -> f64 {
        median(&mut self.bodies.iter().flatten().map(extent).collect::<Vec<_>>())
    }

    /// The last frame it is in.
    pub(super) fn last(&self) -> usize {
        self.first + self.bodies.len().max(1) - 1
    }
}

/// Fewer joints are no person to begin with.
const MIN_JOINTS: usize = 4;
/// More people than this in one frame, the smallest of them, are left out.
pub(super) const MAX_PEOPLE: usize = 32;
/// More people than this are not looked for at a time.
const MAX_OPEN_TRACKS: usize = 64;
/// A person who was not found for so many seconds is somebody new.
pub(super) const MAX_GAP_SECONDS: f64 = 1.0;

/// Follows all people through all frames. The tracks come with the one first that is largest for longest.
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
            // To find nobody costs as much as the farthest that would do.
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
            // Those who were seen least lose: they are mostly mistakes of the estimator.
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

/// Distances are shares of a person's size; this is farther than any.
const FAR: f64 = 1e3;

/// A person who may be found again.
struct OpenTrack {
    track: PersonTrack,
    seen_last: usize,
    /// Each joint where it was seen last.
    joints: PersonPose,
    /// Pixels a frame, over the last few frames.
    speed: Vec2,
    /// Where the person was in the frames that the speed comes from.
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

    /// How far a person may be from the place where it should be: people walk on, and turn, while nobody sees them.
    fn gate(&self, frame: usize, rate: f64) -> f64 {
        let seconds = (frame - self.seen_last) as f64 / rate;
        (0.2 + 4.0 * seconds).min(0.8)
    }

    /// The mean distance of the joints that both have, from where they should be, as a share of the size; none if there are too
    /// few of them.
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
        // Half of the old: a box changes with each step.
        self.size = 0.5 * (self.size + extent(body).max(1e-9));
    }
}

/// How far the joints that both have moved on the whole: the median, which a few wrong joints do not move.
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
