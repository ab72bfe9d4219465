//! Curves as the properties of Lottie.

use super::json::{LottieJson, object};
use crate::vector::affine::{AffineTrack, MatrixMotion, PivotPlace};
use crate::vector::ease::KeyEase;
use crate::vector::outline::PathVerb;
use crate::vector::track::KeyTrack;

/// A property that does not change.
pub(super) fn still(value: LottieJson) -> LottieJson {
    object! { "a": 0, "k": value }
}

/// The time of a sample in frames.
pub(super) fn time(sample: usize) -> LottieJson {
    LottieJson::rounded(0.5 * sample as f64, 1)
}

/// A property: `value` makes what is at a key of its numbers.
pub(super) fn property(track: &KeyTrack, value: &dyn Fn(&[f64]) -> LottieJson) -> LottieJson {
    if track.is_still() {
        return still(value(&track.keys[0].value));
    }
    let last = track.keys.len() - 1;
    let keys = track.keys.iter().enumerate().map(|(at, key)| {
        let here = match value(&key.value) {
            list @ LottieJson::List(_) => list,
            one => LottieJson::List(vec![one]),
        };
        let mut written = object! { "t": time(key.at), "s": here };
        let handle =
            |x: f64, y: f64| object! { "x": LottieJson::rounded(x, 3), "y": LottieJson::rounded(y, 3) };
        if at < last {
            match key.ease {
                KeyEase::Hold => written.push("h", 1.into()),
                KeyEase::Linear => {
                    written.push("i", handle(1.0, 1.0));
                    written.push("o", handle(0.0, 0.0));
                }
                KeyEase::Cubic([x1, y1, x2, y2]) => {
                    written.push("i", handle(x2, y2));
                    written.push("o", handle(x1, y1));
                }
            }
        }
        written
    });
    object! { "a": 1, "k": keys.collect::<Vec<_>>() }
}

/// One number.
pub(super) fn scalar(track: &KeyTrack, digits: u8) -> LottieJson {
    property(track, &|n| LottieJson::rounded(n[0], digits))
}

/// The fields of a transform that are not as players have them without: anchor, position, scale, rotation; and the
/// inner rotation that goes into a group of its own, if there is one.
pub(super) fn transform(
    track: &AffineTrack,
    digits: u8,
) -> (Vec<(&'static str, LottieJson)>, Option<LottieJson>) {
    let motion = match track {
        AffineTrack::Moving(motion) => &**motion,
        AffineTrack::Still(affine) => &still_motion(*affine),
    };
    let MatrixMotion { pivot, place, rotation, shear, scale, .. } = motion;
    let digits = digits.max(2);
    let anchor = || still(LottieJson::list(&[pivot.x, pivot.y], digits));
    let turns = |track: &KeyTrack| !track.is_still() || track.keys[0].value[0] != 0.0;
    let sheared = turns(shear);
    let anchored = *pivot != kurbo::Point::ZERO;
    let mut outer = Vec::new();
    if anchored && !sheared {
        outer.push(("a", anchor()));
    }
    let placed = match place {
        PivotPlace::Both(track) if track.is_still() => track.keys[0].value != [0.0, 0.0],
        _ => true,
    };
    if placed {
        outer.push(("p", position(place, digits)));
    }
    if !scale.is_still() || scale.keys[0].value != [1.0, 1.0] {
        outer.push(("s", property(scale, &|s| LottieJson::list(&[100.0 * s[0], 100.0 * s[1]], 4))));
    }
    if turns(rotation) {
        outer.push(("r", scalar(rotation, 4)));
    }
    let inner = sheared.then(|| {
        let mut fields = vec![("ty", LottieJson::from("tr"))];
        if anchored {
            fields.push(("a", anchor()));
        }
        fields.push(("r", scalar(shear, 4)));
        fields.push(opaque());
        LottieJson::Object(fields)
    });
    (outer, inner)
}

/// The opacity of what is opaque. lottie-web needs it at the end of a group.
pub(super) fn opaque() -> (&'static str, LottieJson) {
    ("o", still(100.into()))
}

/// Where a pivot is.
fn position(place: &PivotPlace, digits: u8) -> LottieJson {
    match place {
        PivotPlace::Both(track) => property(track, &|p| LottieJson::list(p, digits)),
        PivotPlace::Split(x, y) => {
            object! { "s": LottieJson::Bool(true), "x": scalar(x, digits), "y": scalar(y, digits) }
        }
    }
}

/// The parts of a matrix that does not change.
fn still_motion(affine: kurbo::Affine) -> MatrixMotion {
    crate::vector::affine::still(affine)
}

/// The shapes of an outline, one for each figure. All of them have the keys of the outline.
pub(super) fn outlines(verbs: &[PathVerb], points: &KeyTrack, digits: u8) -> Vec<LottieJson> {
    let mut figures: Vec<PathFigure> = Vec::new();
    let mut at = 0;
    for verb in verbs {
        match verb {
            PathVerb::Move => {
                figures.push(PathFigure { start: at, curves: Vec::new(), closed: false });
                at += 1;
            }
            PathVerb::Line | PathVerb::Quad | PathVerb::Cubic => {
                if figures.last().is_none_or(|figure| figure.closed) {
                    // After a closed figure the next one starts where that one did.
                    let start = figures.last().map_or(0, |figure| figure.start);
                    figures.push(PathFigure { start, curves: Vec::new(), closed: false });
                }
                let cubic = *verb == PathVerb::Cubic;
                if let Some(figure) = figures.last_mut() {
                    figure.curves.push((at, cubic));
                }
                at += if cubic { 3 } else { 1 };
            }
            PathVerb::Close => {
                if let Some(figure) = figures.last_mut() {
                    figure.closed = true;
                }
            }
        }
    }
    figures.retain(|figure| !figure.curves.is_empty());
    figures
        .iter()
        .map(|figure| {
            let ends = |numbers: &[f64]| {
                let end = figure.curves.last().map_or(0, |(at, cubic)| at + if *cubic { 2 } else { 0 });
                numbers[2 * end..2 * end + 2] == numbers[2 * figure.start..2 * figure.start + 2]
            };
            let merged =
                figure.closed && figure.curves.len() > 1 && points.keys.iter().all(|key| ends(&key.value));
            object! { "ty": "sh", "ks": property(points, &|numbers| figure.shape(numbers, merged, digits)) }
        })
        .collect()
}

/// A part of a path without a move in it.
struct PathFigure {
    /// Its first point.
    start: usize,
    /// The first point of each curve, and whether it is a cubic one.
    curves: Vec<(usize, bool)>,
    closed: bool,
}

impl PathFigure {
    /// Vertices, with handles relative to them. `merged`: it ends where it starts, as one vertex.
    fn shape(&self, numbers: &[f64], merged: bool, digits: u8) -> LottieJson {
        let point = |at: usize| [numbers[2 * at], numbers[2 * at + 1]];
        let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
        let mut vertices = vec![point(self.start)];
        let (mut ins, mut outs) = (vec![[0.0; 2]], vec![[0.0; 2]]);
        for (at, cubic) in &self.curves {
            let last = vertices.len() - 1;
            let end = point(if *cubic { at + 2 } else { *at });
            if *cubic {
                outs[last] = minus(point(*at), vertices[last]);
                ins.push(minus(point(at + 1), end));
            } else {
                ins.push([0.0; 2]);
            }
            vertices.push(end);
            outs.push([0.0; 2]);
        }
        if merged {
            vertices.pop();
            outs.pop();
            ins[0] = ins.pop().unwrap_or_default();
        }
        let list = |points: &[[f64; 2]]| {
            LottieJson::List(points.iter().map(|p| LottieJson::list(p, digits)).collect())
        };
        object! { "c": LottieJson::Bool(self.closed), "v": list(&vertices), "i": list(&ins), "o": list(&outs) }
    }
}
