//! Joins tracks that never overlap: a person who left and returned, and a person after a cut. Where the time
//! between two tracks is short the picture has jumped; the jump is found from both poses, or, after a cut to
//! another moment, from size, hips and ground.

use super::person::{Keypoint, PersonPose, extent};
use super::person_track::{MAX_GAP_SECONDS, PersonTrack, PictureJump};
use super::similarity::Similarity;
use crate::statistics::median;

/// The largest distance of poses that show one moment.
const SAME_MOMENT: f64 = 0.12;

/// Joins tracks, those of most frames first.
pub(super) fn join_tracks(mut tracks: Vec<PersonTrack>, rate: f64) -> Vec<PersonTrack> {
    let longest = tracks.iter().map(PersonTrack::found).max().unwrap_or_default();
    // Tracks with fewer frames than this share of the longest one are not joined: they are mostly mistakes of
    // the estimator.
    let least = ((longest as f64 * 0.08) as usize).max(3);
    let (mut long, short): (Vec<PersonTrack>, Vec<PersonTrack>) =
        tracks.drain(..).partition(|track| track.found() >= least);
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for (a, before) in long.iter().enumerate() {
            for (b, after) in long.iter().enumerate() {
                if before.last() < after.first {
                    let cost = cost(before, after, rate);
                    if best.is_none_or(|best| cost < best.0) {
                        best = Some((cost, a, b));
                    }
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        let after = long[b].clone();
        long[a].append(after, rate);
        long.remove(b);
    }
    long.extend(short);
    long
}

/// How unlikely it is that one track continues another: the more frames both have, the nearer in time and the
/// more alike in size, the smaller.
fn cost(before: &PersonTrack, after: &PersonTrack, rate: f64) -> f64 {
    let gap = (after.first - before.last()) as f64 / rate;
    let (a, b) = (size(before, false, rate), size(after, true, rate));
    let larger = (a / b).max(b / a);
    let found = (before.found() + after.found()) as f64 / rate;
    let place = match (before.bodies.last(), after.bodies.first()) {
        (Some(Some(a)), Some(Some(b))) => apart(a, b).min(4.0),
        _ => 4.0,
    };
    gap.min(4.0) + 4.0 * (larger - 1.0) + 0.25 * place - 0.1 * found.min(20.0)
}

/// The distance of the hips or the neck of two poses, in sizes.
fn apart(a: &PersonPose, b: &PersonPose) -> f64 {
    let parts = [Keypoint::Pelvis, Keypoint::Neck];
    let both = parts.into_iter().find_map(|part| Some((a[part.at()]?, b[part.at()]?)));
    both.map_or(4.0, |(from, to)| from.at.distance(to.at) / extent(a).max(1e-9))
}

/// The poses near the start or the end of a track.
fn near_end(track: &PersonTrack, start: bool, rate: f64) -> Vec<&PersonPose> {
    // Size and ground are measured over a second on both sides of a cut.
    let count = (rate as usize).max(1);
    match start {
        true => track.bodies.iter().flatten().take(count).collect(),
        false => track.bodies.iter().rev().flatten().take(count).collect(),
    }
}

fn size(track: &PersonTrack, start: bool, rate: f64) -> f64 {
    median(near_end(track, start, rate).into_iter().map(extent)).max(1e-9)
}

/// The y of the lowest joint in most of the frames; y points down.
fn ground(track: &PersonTrack, start: bool, rate: f64) -> f64 {
    let lowest = |body: &&PersonPose| body.iter().flatten().map(|seen| seen.at.y).fold(f64::MIN, f64::max);
    median(near_end(track, start, rate).iter().map(lowest))
}

impl PersonTrack {
    /// Continues this track with a later one.
    fn append(&mut self, after: Self, rate: f64) {
        let gap = (after.first - self.last()) as f64 / rate;
        if gap <= MAX_GAP_SECONDS
            && let Some(by) = jump(self, &after, rate)
        {
            self.jumps.push(PictureJump { frame: after.first, by });
        }
        self.jumps.extend(after.jumps);
        self.bodies.resize(after.first - self.first, None);
        self.bodies.extend(after.bodies);
    }
}

/// The jump of the picture between two tracks; `None` if the person is where the first track ends.
fn jump(before: &PersonTrack, after: &PersonTrack, rate: f64) -> Option<Similarity> {
    let last = before.bodies.last()?.as_ref()?;
    let first = after.bodies.first()?.as_ref()?;
    let steps = (after.first - before.last()) as f64;
    let expected = ahead(before, last, steps);
    if let Some((by, left)) = Similarity::between(&expected, first)
        && left < SAME_MOMENT
    {
        return Some(by);
    }
    let scale = size(after, true, rate) / size(before, false, rate);
    let scale = if (scale - 1.0).abs() < 0.1 { 1.0 } else { scale };
    // The largest distance of a person from the expected place without a jump, as a share of the size.
    if scale == 1.0 && apart(&expected, first) < 0.5 {
        return None;
    }
    let part = [Keypoint::Pelvis, Keypoint::Neck]
        .into_iter()
        .find(|part| expected[part.at()].is_some() && first[part.at()].is_some())?;
    let (from, to) = (expected[part.at()]?.at, first[part.at()]?.at);
    let shift = kurbo::Vec2::new(
        to.x - from.x * scale,
        ground(after, true, rate) - ground(before, false, rate) * scale,
    );
    Some(Similarity { scale, shift })
}

/// The last pose of a track, moved on for some frames at its mean speed.
fn ahead(track: &PersonTrack, last: &PersonPose, steps: f64) -> PersonPose {
    let back = track.bodies.len().min(6);
    let before = track.bodies[track.bodies.len() - back].as_ref();
    let since_jump = track.jumps.last().is_none_or(|jump| track.last() + 1 >= jump.frame + back);
    let hips = |body: &PersonPose| body[Keypoint::Pelvis.at()].or(body[Keypoint::Neck.at()]);
    let speed = match (before.and_then(hips), hips(last)) {
        (Some(from), Some(to)) if back > 1 && since_jump => (to.at - from.at) * (1.0 / (back - 1) as f64),
        _ => kurbo::Vec2::ZERO,
    };
    Similarity { scale: 1.0, shift: speed * steps }.pose(last)
}
