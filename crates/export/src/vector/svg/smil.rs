//! Curves as the elements of SMIL.

use std::fmt::Write as _;

use crate::vector::affine::{AffineTrack, MatrixMotion, PivotPlace};
use crate::vector::ease::KeyEase;
use crate::vector::text::{number, short};
use crate::vector::track::{KeyTrack, TrackKey};

/// What all animations of a file have in common.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    /// The number of the last sample, which is the end.
    pub(crate) last: usize,
    /// Duration and repetition, as attributes.
    pub(crate) attributes: String,
}

/// Which element animates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Animated<'a> {
    /// An attribute.
    Attribute(&'a str),
    /// One of the types of a transform, of the attribute of this name, and whether it is the first one, which
    /// replaces what the attribute says.
    Transform { attribute: &'a str, kind: &'a str, first: bool },
}

impl Timing {
    /// A time as a share of the duration. Rounded down, so that what switches at a frame has done so at its time.
    fn time(&self, sample: usize) -> String {
        short((1e5 * sample as f64 / self.last as f64).floor() / 1e5, 5)
    }

    fn open(&self, what: Animated<'_>, out: &mut String) {
        let _ = match what {
            Animated::Attribute(name) => write!(out, "<animate attributeName=\"{name}\""),
            Animated::Transform { attribute, kind, first } => {
                let sum = if first { "" } else { " additive=\"sum\"" };
                write!(out, "<animateTransform attributeName=\"{attribute}\" type=\"{kind}\"{sum}")
            }
        };
        out.push_str(&self.attributes);
    }

    /// Writes a track whose values are written by `value`.
    pub(crate) fn animate(
        &self,
        what: Animated<'_>,
        track: &KeyTrack,
        value: &dyn Fn(&[f64], &mut String),
        out: &mut String,
    ) {
        self.open(what, out);
        if track.is_still() {
            out.push_str(" values=\"");
            value(&track.keys[0].value, out);
            out.push_str("\"/>\n");
            return;
        }
        // Values that hold until they jump are written twice, unless all of them do.
        let keys = &track.keys;
        let discrete = keys[..keys.len() - 1].iter().all(|key| key.ease == KeyEase::Hold);
        let mut steps: Vec<(usize, &TrackKey, KeyEase)> = Vec::with_capacity(keys.len() + 2);
        if keys[0].at > 0 {
            steps.push((0, &keys[0], KeyEase::Linear));
        }
        for (at, key) in keys.iter().enumerate() {
            let next = keys.get(at + 1);
            match next {
                Some(next) if key.ease == KeyEase::Hold && !discrete => {
                    steps.push((key.at, key, KeyEase::Linear));
                    steps.push((next.at, key, KeyEase::Linear));
                }
                _ => steps.push((key.at, key, key.ease)),
            }
        }
        let end = keys[keys.len() - 1].at;
        if end < self.last && !discrete {
            steps.push((self.last, &keys[keys.len() - 1], KeyEase::Linear));
        }
        let mode = if discrete {
            " calcMode=\"discrete\""
        } else if steps[..steps.len() - 1].iter().all(|(_, _, ease)| !matches!(ease, KeyEase::Cubic(_))) {
            ""
        } else {
            " calcMode=\"spline\""
        };
        out.push_str(mode);
        let even = steps
            .iter()
            .enumerate()
            .all(|(at, (sample, ..))| *sample * (steps.len() - 1) == at * self.last && !discrete);
        if !even {
            out.push_str(" keyTimes=\"");
            for (at, (sample, ..)) in steps.iter().enumerate() {
                out.push_str(if at > 0 { ";" } else { "" });
                out.push_str(&self.time(*sample));
            }
            out.push('"');
        }
        if mode.contains("spline") {
            out.push_str(" keySplines=\"");
            for (at, (_, _, ease)) in steps[..steps.len() - 1].iter().enumerate() {
                out.push_str(if at > 0 { ";" } else { "" });
                match ease {
                    KeyEase::Cubic(handles) => crate::vector::text::list(handles, 3, out),
                    KeyEase::Linear | KeyEase::Hold => out.push_str("0 0 1 1"),
                }
            }
            out.push('"');
        }
        out.push_str(" values=\"");
        for (at, (_, key, _)) in steps.iter().enumerate() {
            out.push_str(if at > 0 { ";" } else { "" });
            value(&key.value, out);
        }
        out.push_str("\"/>\n");
    }

    /// Writes values that only switch.
    pub(crate) fn switch(&self, attribute: &str, values: &[(usize, &str)], out: &mut String) {
        self.open(Animated::Attribute(attribute), out);
        out.push_str(" calcMode=\"discrete\" keyTimes=\"");
        for (at, (sample, _)) in values.iter().enumerate() {
            out.push_str(if at > 0 { ";" } else { "" });
            out.push_str(&self.time(*sample));
        }
        out.push_str("\" values=\"");
        for (at, (_, value)) in values.iter().enumerate() {
            out.push_str(if at > 0 { ";" } else { "" });
            out.push_str(value);
        }
        out.push_str("\"/>\n");
    }

    /// Writes a matrix that moves, as parts that are multiplied in the order of the document.
    pub(crate) fn transform(&self, attribute: &str, track: &AffineTrack, digits: u8, out: &mut String) {
        let AffineTrack::Moving(motion) = track else { return };
        let MatrixMotion { pivot, place, rotation, shear, scale, .. } = &**motion;
        let mut first = true;
        let mut part =
            |kind: &str, track: &KeyTrack, value: &dyn Fn(&[f64], &mut String), out: &mut String| {
                let what = Animated::Transform { attribute, kind, first };
                first = false;
                self.animate(what, track, value, out);
            };
        let plain = shear.is_still()
            && shear.keys[0].value[0] == 0.0
            && scale.is_still()
            && scale.keys[0].value[..] == [1.0, 1.0];
        let places = digits.max(2);
        let pair = |x: f64, y: f64, out: &mut String| crate::vector::text::list(&[x, y], places, out);
        let shift = if plain { pivot.to_vec2() } else { kurbo::Vec2::ZERO };
        match place {
            PivotPlace::Both(place) => {
                let p = &place.keys[0].value;
                if !place.is_still() || kurbo::Vec2::new(p[0] - shift.x, p[1] - shift.y).hypot() > 1e-6 {
                    part("translate", place, &|p, out| pair(p[0] - shift.x, p[1] - shift.y, out), out);
                }
            }
            // Two translations add up.
            PivotPlace::Split(x, y) => {
                part("translate", x, &|p, out| number(p[0] - shift.x, places, out), out);
                part("translate", y, &|p, out| pair(0.0, p[0] - shift.y, out), out);
            }
        }
        if plain {
            let about = |p: &[f64], out: &mut String| {
                number(p[0], 4, out);
                out.push(' ');
                pair(pivot.x, pivot.y, out);
            };
            if !rotation.is_still() || rotation.keys[0].value[0] != 0.0 {
                part("rotate", rotation, &about, out);
            }
            return;
        }
        let one = |p: &[f64], out: &mut String| crate::vector::text::list(p, 5, out);
        if !rotation.is_still() || rotation.keys[0].value[0] != 0.0 {
            part("rotate", rotation, &one, out);
        }
        if !shear.is_still() || shear.keys[0].value[0] != 0.0 {
            part("skewX", shear, &one, out);
        }
        part("scale", scale, &one, out);
        if pivot.to_vec2().hypot() > 0.0 {
            part(
                "translate",
                &KeyTrack::still(vec![-pivot.x, -pivot.y]),
                &|p, out| pair(p[0], p[1], out),
                out,
            );
        }
    }
}
