//! Keys for places: the recorded place at few frames, and between them the default ease, which keeps to the range of its keys and goes
//! on with one speed in each direction. So a way along the ground and the bob of a step need no handles.

use bone_core::clip::{Curve, Extend, Key};
use kurbo::Vec2;

/// Frames between the keys that a place starts with.
const STARTS: usize = 60;

/// The keys of a place, near enough to all samples.
pub(super) fn keys(samples: &[Vec2], rate: f64, looped: bool, tolerance: f64) -> (Vec<Key<Vec2>>, Extend) {
    let last = samples.len() - 1;
    let extend = if looped && samples[last] != samples[0] { Extend::LoopOffset } else { Extend::Hold };
    let close = if looped && extend == Extend::Hold { Extend::Loop } else { extend };
    let key = |frame: usize| Key::new(frame as f64 / rate, samples[frame]);
    let curve =
        |frames: &[usize], extend| Curve::new(frames.iter().map(|&frame| key(frame)).collect(), extend).ok();
    let miss = |curve: &Curve<Vec2>, frame: usize| (curve.at(frame as f64 / rate) - samples[frame]).hypot();

    let still = samples.iter().all(|sample| (*sample - samples[0]).hypot() <= tolerance * 0.5);
    let mut frames = vec![0];
    if !still {
        frames.extend((STARTS..last).step_by(STARTS));
        frames.push(last);
    }
    if looped && !still {
        frames = vec![0, last / 3, 2 * last / 3, last];
        frames.dedup();
    }
    for _ in 0..64 {
        if still {
            break;
        }
        let Some(fitted) = curve(&frames, close) else { break };
        let mut added = Vec::new();
        for pair in frames.windows(2) {
            let worst = (pair[0] + 1..pair[1])
                .map(|frame| (miss(&fitted, frame), frame))
                .fold((0.0, 0), |worst, next| if next.0 > worst.0 { next } else { worst });
            if worst.0 > tolerance {
                added.push(worst.1);
            }
        }
        if added.is_empty() {
            break;
        }
        frames.extend(added);
        frames.sort_unstable();
    }
    // A key that its neighbours can do without goes; a key is felt over two of them on either side.
    let mut at = 1;
    while at + 1 < frames.len() {
        let (low, high) = (at.saturating_sub(4), (at + 5).min(frames.len()));
        let whole = high - low == frames.len();
        let mut fewer = frames[low..high].to_vec();
        fewer.remove(at - low);
        let fits = curve(&fewer, if whole { close } else { Extend::Hold }).is_some_and(|fitted| {
            let from = frames[at.saturating_sub(3)];
            let until = frames[(at + 3).min(frames.len() - 1)];
            (from..=until).all(|frame| miss(&fitted, frame) <= tolerance)
        });
        if fits && frames.len() > if looped { 3 } else { 2 } {
            frames.remove(at);
        } else {
            at += 1;
        }
    }
    (frames.into_iter().map(key).collect(), extend)
}
