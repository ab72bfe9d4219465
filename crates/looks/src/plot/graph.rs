//! What is in a plot: values and speeds at times, from the curves of a clip or from the poses of a shot.

use bone_core::clip::{Clip, ClipTime, Curve, Scalar, Value, Vector};
use bone_core::{BoneId, Pose};
use kurbo::Vec2;

use super::Channel;
use rig::Rig;
use rig::RigClip;

/// Evenly spaced moments of a line; keys come on top.
const MOMENTS: u32 = 480;

/// Keys that are drawn: more than this are closer than pixels.
const MOST_KEYS: usize = 2000;

/// How far a plot looks beyond both ends, as a share of the length.
pub(super) const BEYOND: f64 = 0.15;

/// One number over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// `x` or `y` of a pair, else nothing.
    pub(super) name: &'static str,
    /// Time, value and speed, in order of time.
    pub(super) points: Vec<[f64; 3]>,
    /// Time and value.
    pub(super) keys: Vec<(f64, f64)>,
}

/// What a clip keys, or the clips of a shot: bone and channel, each once, in order.
pub(super) fn tracks(clip: &RigClip) -> Vec<(BoneId, Channel)> {
    let mut all = Vec::new();
    let mut add = |clip: &Clip, seen: fn(Channel) -> Channel| {
        all.extend(clip.tracks().scalars().map(|(bone, which, _)| (bone, seen(scalar(which)))));
        all.extend(clip.tracks().vectors().map(|(bone, which, _)| (bone, seen(vector(which)))));
    };
    match (clip.clip(), clip.shot()) {
        (Some(clip), _) => add(clip, |channel| channel),
        // What is mixed is no longer absolute or relative: it is seen from the setup pose.
        (None, Some(shot)) => shot.clips().for_each(|clip| {
            add(clip, |channel| match channel {
                Channel::Angle => Channel::Rotate,
                Channel::Origin => Channel::Move,
                other => other,
            });
        }),
        (None, None) => {}
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn scalar(which: Scalar) -> Channel {
    match which {
        Scalar::SetupAngle => Channel::SetupAngle,
        Scalar::Angle => Channel::Angle,
        Scalar::Stretch => Channel::Stretch,
        _ => Channel::Rotate,
    }
}

fn vector(which: Vector) -> Channel {
    match which {
        Vector::SetupOrigin => Channel::SetupOrigin,
        Vector::Origin => Channel::Origin,
        Vector::Scale => Channel::Scale,
        _ => Channel::Move,
    }
}

fn moments(time: ClipTime) -> impl Iterator<Item = f64> {
    let (from, to) = (-BEYOND * time.length, (1.0 + BEYOND) * time.length);
    (0..=MOMENTS).map(move |i| from + (to - from) * f64::from(i) / f64::from(MOMENTS))
}

/// The curves of a clip.
pub(super) fn of_clip(clip: &Clip, graphs: &[(BoneId, Channel)]) -> Vec<Vec<Line>> {
    let tracks = clip.tracks();
    let lines = |&(bone, channel): &(BoneId, Channel)| {
        let one = tracks.scalars().find(|track| (track.0, scalar(track.1)) == (bone, channel));
        let two = tracks.vectors().find(|track| (track.0, vector(track.1)) == (bone, channel));
        match (one, two) {
            (Some((.., curve)), _) => vec![of_curve(curve, clip.time(), "", |value| value)],
            (None, Some((.., curve))) => {
                vec![
                    of_curve(curve, clip.time(), "x", |value| value.x),
                    of_curve(curve, clip.time(), "y", |value| value.y),
                ]
            }
            (None, None) => Vec::new(),
        }
    };
    graphs.iter().map(lines).collect()
}

fn of_curve<T: Value>(curve: &Curve<T>, time: ClipTime, name: &'static str, part: fn(T) -> f64) -> Line {
    let window = -BEYOND * time.length..=(1.0 + BEYOND) * time.length;
    let keys: Vec<(f64, f64)> = curve.keys().take(MOST_KEYS).map(|key| (key.time, part(key.value))).collect();
    let mut times: Vec<f64> = moments(time).collect();
    // Corners and jumps are as sharp as they are; in a loop they come again beyond its ends.
    for &(at, _) in &keys {
        for at in [at, at - time.length, at + time.length] {
            times.extend([at.next_down(), at].into_iter().filter(|at| window.contains(at)));
        }
    }
    for seam in [0.0, time.length] {
        times.extend([seam.next_down(), seam]);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let moving = ClipTime { step: None, ..time };
    let point = |t: f64| [t, part(curve.at(time.local(t))), part(curve.slope_at(moving.local(t)))];
    let points = times.into_iter().map(point).collect();
    Line { name, points, keys: keys.into_iter().filter(|key| window.contains(&key.0)).collect() }
}

/// The poses of a shot, or of whatever moves bones.
pub(super) fn of_shot(scene: &Rig, clip: &RigClip, graphs: &[(BoneId, Channel)]) -> Vec<Vec<Line>> {
    let skeleton = scene.skeleton();
    let pair = |channel: Channel| {
        matches!(channel, Channel::Move | Channel::Origin | Channel::Scale | Channel::SetupOrigin)
    };
    let mut lines: Vec<Vec<Line>> = graphs
        .iter()
        .map(|&(_, channel)| match pair(channel) {
            true => ["x", "y"].map(|name| Line { name, ..Line::default() }).to_vec(),
            false => vec![Line::default()],
        })
        .collect();
    let mut state: [Pose; 5] = std::array::from_fn(|_| Pose::new(skeleton));
    // Drawings that are held have no speed: it is that of what they are drawn from.
    let mut moving = clip.clone();
    moving.set_step(None);
    // Differences over a small part of a moment.
    let step = clip.time().length * 1e-6;
    for time in moments(clip.time()) {
        let [scratch, before, now, after, shown] = &mut state;
        moving.sample(skeleton, time - step, scratch, before);
        moving.sample(skeleton, time, scratch, now);
        moving.sample(skeleton, time + step, scratch, after);
        clip.sample(skeleton, time, scratch, shown);
        for (&(bone, channel), lines) in graphs.iter().zip(&mut lines) {
            let value = |pose: &Pose| {
                let (bone, setup) = (&pose.bones[bone.index()], pose.setup(skeleton, bone));
                match channel {
                    Channel::Rotate => Vec2::new((bone.angle - setup.angle).degrees(), 0.0),
                    Channel::Angle => Vec2::new(bone.angle.degrees(), 0.0),
                    Channel::Move => bone.origin - setup.origin,
                    Channel::Origin => bone.origin,
                    Channel::Scale => bone.scale,
                    Channel::Stretch => Vec2::new(bone.stretch, 0.0),
                    Channel::SetupAngle => Vec2::new(setup.angle.degrees(), 0.0),
                    Channel::SetupOrigin => setup.origin,
                }
            };
            // At a cut one of both sides is a jump.
            let (coming, going) = ((value(now) - value(before)) / step, (value(after) - value(now)) / step);
            let speed = coming.zip(going, |a, b| if a.abs() < b.abs() { a } else { b });
            let at = value(shown);
            for (line, (at, speed)) in lines.iter_mut().zip([(at.x, speed.x), (at.y, speed.y)]) {
                if channel == Channel::Rotate && leaves_out_turns(line, at) {
                    line.points.push([time, f64::NAN, speed]);
                }
                line.points.push([time, at, speed]);
            }
        }
    }
    lines
}

/// Whether a value is whole turns away from the one before: where a fade that left them out is over, nothing moves.
fn leaves_out_turns(line: &Line, value: f64) -> bool {
    /// Degrees that an angle may turn meanwhile.
    const MEANWHILE: f64 = 30.0;
    let Some([_, before, _]) = line.points.last() else { return false };
    let turned = value - before;
    let turns = (turned / 360.0).round();
    turns != 0.0 && (turned - 360.0 * turns).abs() < MEANWHILE
}
