//! The contents of a plot: values and speeds over time, from the curves of a clip or the poses of a sequence.

use bone_core::clip::{BoneProperty, Clip, ClipTime, Curve, Scalar, Value, Vector};
use bone_core::{BoneId, Pose};

use bone_rig::Rig;
use bone_rig::RigClip;

/// The number of evenly spaced times of a line; the times of keys are added.
const MOMENTS: u32 = 480;

/// At most this many keys are drawn: more are closer than pixels.
const MOST_KEYS: usize = 2000;

/// How far a plot extends beyond both ends, as a share of the length.
pub(super) const BEYOND: f64 = 0.15;

/// One number over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// `x` or `y` of a pair, or else empty.
    pub(super) name: &'static str,
    /// Time, value and speed, in order of time.
    pub(super) points: Vec<[f64; 3]>,
    /// Time and value.
    pub(super) keys: Vec<(f64, f64)>,
}

/// The bones and channels that a clip keys, or the clips of a sequence: each once, sorted.
pub(super) fn tracks(clip: &RigClip) -> Vec<(BoneId, BoneProperty)> {
    let mut all = Vec::new();
    let mut add = |clip: &Clip, seen: fn(BoneProperty) -> BoneProperty| {
        all.extend(clip.tracks().scalars().map(|(bone, which, _)| (bone, seen(which.into()))));
        all.extend(clip.tracks().vectors().map(|(bone, which, _)| (bone, seen(which.into()))));
    };
    match (clip.clip(), clip.sequence()) {
        (Some(clip), _) => add(clip, |channel| channel),
        // Mixed values are neither absolute nor relative: they are plotted relative to the setup pose.
        (None, Some(sequence)) => sequence.clips().for_each(|clip| {
            add(clip, |channel| match channel {
                BoneProperty::Scalar(Scalar::Angle) => Scalar::Rotate.into(),
                BoneProperty::Vector(Vector::Origin) => Vector::Move.into(),
                BoneProperty::Scalar(Scalar::OriginX) => Scalar::MoveX.into(),
                BoneProperty::Scalar(Scalar::OriginY) => Scalar::MoveY.into(),
                other => other,
            });
        }),
        (None, None) => {}
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn moments(time: ClipTime) -> impl Iterator<Item = f64> {
    let (from, to) = (-BEYOND * time.length, (1.0 + BEYOND) * time.length);
    (0..=MOMENTS).map(move |i| from + (to - from) * f64::from(i) / f64::from(MOMENTS))
}

/// The curves of a clip.
pub(super) fn of_clip(clip: &Clip, graphs: &[(BoneId, BoneProperty)]) -> Vec<Vec<Line>> {
    let tracks = clip.tracks();
    let lines = |&(bone, channel): &(BoneId, BoneProperty)| {
        let one = tracks.scalars().find(|track| (track.0, track.1.into()) == (bone, channel));
        let two = tracks.vectors().find(|track| (track.0, track.1.into()) == (bone, channel));
        match (one, two) {
            (Some((.., curve)), _) => vec![of_curve(curve, clip, "", |value| value)],
            (None, Some((.., curve))) => {
                vec![of_curve(curve, clip, "x", |value| value.x), of_curve(curve, clip, "y", |value| value.y)]
            }
            (None, None) => Vec::new(),
        }
    };
    graphs.iter().map(lines).collect()
}

fn of_curve<T: Value>(curve: &Curve<T>, clip: &Clip, name: &'static str, part: fn(T) -> f64) -> Line {
    let time = clip.time();
    let window = -BEYOND * time.length..=(1.0 + BEYOND) * time.length;
    let keys: Vec<(f64, f64)> = curve.keys().take(MOST_KEYS).map(|key| (key.time, part(key.value))).collect();
    let mut times: Vec<f64> = moments(time).collect();
    // Corners and jumps stay sharp; a loop repeats them beyond its ends.
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
    let moving = time.moving();
    // The time step of difference quotients.
    let step = time.length * 1e-6;
    let speed = |t: f64| {
        if clip.plays_straight() {
            return part(curve.slope_at(moving.local(t)));
        }
        let between = part(curve.at(clip.key_time(t + step))) - part(curve.at(clip.key_time(t - step)));
        between / (2.0 * step)
    };
    let point = |t: f64| [t, part(curve.at(clip.key_time(t))), speed(t)];
    let points = times.into_iter().map(point).collect();
    Line { name, points, keys: keys.into_iter().filter(|key| window.contains(&key.0)).collect() }
}

/// The poses of a sequence.
pub(super) fn of_sequence(rig: &Rig, clip: &RigClip, graphs: &[(BoneId, BoneProperty)]) -> Vec<Vec<Line>> {
    let skeleton = rig.skeleton();
    let mut lines: Vec<Vec<Line>> = graphs
        .iter()
        .map(|&(_, channel)| match channel.row().kind.is_pair() {
            true => ["x", "y"].map(|name| Line { name, ..Line::default() }).to_vec(),
            false => vec![Line::default()],
        })
        .collect();
    let mut state: [Pose; 5] = std::array::from_fn(|_| Pose::new(skeleton));
    // Held drawings have no speed: the speed is that of the continuous motion.
    let mut moving = clip.clone();
    moving.set_step(None);
    // The time step of difference quotients.
    let step = clip.time().length * 1e-6;
    for time in moments(clip.time()) {
        let [scratch, before, now, after, shown] = &mut state;
        let samples = [
            rig.sample(&moving, time - step, scratch, before),
            rig.sample(&moving, time, scratch, now),
            rig.sample(&moving, time + step, scratch, after),
            rig.sample(clip, time, scratch, shown),
        ];
        // A clip of another rig was an error before.
        if samples.iter().any(Result::is_err) {
            break;
        }
        for (&(bone, channel), lines) in graphs.iter().zip(&mut lines) {
            let value = |pose: &Pose| {
                let (bone, setup) = (&pose.bones[bone.index()], pose.setup(skeleton, bone));
                channel.of(bone, &setup)
            };
            // At a cut, one of the two differences is a jump.
            let (coming, going) = ((value(now) - value(before)) / step, (value(after) - value(now)) / step);
            let speed = coming.zip(going, |a, b| if a.abs() < b.abs() { a } else { b });
            let at = value(shown);
            for (line, (at, speed)) in lines.iter_mut().zip([(at.x, speed.x), (at.y, speed.y)]) {
                if channel == Scalar::Rotate.into() && skips_turns(line, at) {
                    line.points.push([time, f64::NAN, speed]);
                }
                line.points.push([time, at, speed]);
            }
        }
    }
    lines
}

/// Whether a value differs from the one before by whole turns: after a fade that skipped them, nothing moves.
fn skips_turns(line: &Line, value: f64) -> bool {
    /// Degrees by which an angle may change between two samples.
    const MOST_BETWEEN: f64 = 30.0;
    let Some([_, before, _]) = line.points.last() else { return false };
    let turned = value - before;
    let turns = (turned / 360.0).round();
    turns != 0.0 && (turned - 360.0 * turns).abs() < MOST_BETWEEN
}
