//! The head from eight directions, and which of them is shown when.

use std::fmt::Write as _;

use bone_core::Angle;
use kurbo::{Point, Vec2};

use super::shapes::{bent_line, ellipse, xy};
use crate::PlanarMotion;
use crate::parts::BodyPart;

const SKIN: &str = "#f2c79b";
const SHADE: &str = "#e3b082";
const HAIR: &str = "#4a2f27";

/// The number of directions.
const DIRECTIONS: usize = 8;

/// The faces of a figure: direction 0 is the front, 2 the right side of the picture, 4 the back.
pub(super) struct Faces {
    /// The direction from each frame on.
    keys: Vec<(usize, usize)>,
    used: Vec<usize>,
}

/// How broad a trunk is seen: from its side, from between, and from the front or the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Breadth {
    Side,
    Between,
    Front,
}

impl Breadth {
    /// Its name in the drawing.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Side => "side",
            Self::Between => "between",
            Self::Front => "front",
        }
    }
}

impl Faces {
    /// `looks` is the mean facing: 1 right, -1 left, 0 to the viewer.
    pub(super) fn of(motion: &PlanarMotion, looks: f64) -> Self {
        let still = if looks > 0.0 {
            2
        } else if looks < 0.0 {
            6
        } else {
            0
        };
        let Some(turns) = turns(motion) else {
            return Self { keys: Vec::new(), used: vec![still] };
        };
        // The least time between two faces, seconds.
        let hold = (motion.rate() * 0.12).ceil() as usize;
        let nearest = |turn: f64| ((turn / 45.0).round() as i64).rem_euclid(DIRECTIONS as i64) as usize;
        let mut now = nearest(turns[0]);
        let mut since = 0;
        let mut keys = vec![(0, now)];
        for (frame, turn) in turns.iter().enumerate() {
            let off = turn - 45.0 * now as f64;
            let off = off - (off / 360.0).round() * 360.0;
            // A face changes only if the head has turned beyond this angle from the middle of its direction,
            // degrees.
            if off.abs() > 31.0 && frame >= since + hold && nearest(*turn) != now {
                (now, since) = (nearest(*turn), frame);
                keys.push((frame, now));
            }
        }
        let mut used: Vec<usize> = keys.iter().map(|key| key.1).collect();
        used.sort_unstable();
        used.dedup();
        Self { keys, used }
    }

    /// The face from each frame on.
    pub(super) fn keys(&self) -> Vec<(usize, String)> {
        self.keys.iter().map(|(frame, face)| (*frame, name(*face))).collect()
    }

    /// How broad the trunk is seen from each frame on.
    pub(super) fn breadths(&self) -> Vec<(usize, Breadth)> {
        let breadth = |face: usize| match face % 4 {
            0 => Breadth::Front,
            2 => Breadth::Side,
            _ => Breadth::Between,
        };
        let mut keys: Vec<(usize, Breadth)> =
            self.keys.iter().map(|(frame, face)| (*frame, breadth(*face))).collect();
        keys.dedup_by_key(|key| key.1);
        keys
    }

    /// The faces that are used, in a group; all but the first one are hidden. `h` is the height of the figure.
    pub(super) fn draw(&self, centre: Point, h: f64) -> String {
        let mut out = "      <g id=\"faces\">\n".to_owned();
        let first = self.keys.first().map(|key| name(key.1)).unwrap_or_default();
        for &face in &self.used {
            let hidden = if !first.is_empty() && name(face) != first { " display=\"none\"" } else { "" };
            let _ = writeln!(out, "        <g id=\"{}\"{hidden}>", name(face));
            out.push_str(&draw(face, centre, h));
            out.push_str("        </g>\n");
        }
        out + "      </g>\n"
    }
}

fn name(face: usize) -> String {
    let names = "front front_right right back_right back back_left left front_left";
    format!("face_{}", names.split(' ').nth(face % DIRECTIONS).unwrap_or_default())
}

/// The facing in each frame, degrees from the viewer towards the right of the picture; `None` if depths are
/// not known.
fn turns(motion: &PlanarMotion) -> Option<Vec<f64>> {
    let body = motion.body();
    let pairs = [body.pair(BodyPart::UpperArm), body.pair(BodyPart::Thigh)];
    let mut last = Angle::ZERO;
    (0..motion.frames())
        .map(|frame| {
            let mut left = Vec2::ZERO;
            for (one, other) in pairs.into_iter().flatten() {
                let deep = motion.depth(frame, one)? - motion.depth(frame, other)?;
                left += Vec2::new(motion.offset(frame, other, one).x, deep);
            }
            // The left side of a figure that faces the viewer is on the right of the picture.
            let turn = if left.hypot2() > 0.0 { Angle::of(Vec2::new(left.x, -left.y)) } else { last };
            last = turn;
            Some(turn.degrees())
        })
        .collect()
}

/// A head seen from one direction.
fn draw(face: usize, centre: Point, h: f64) -> String {
    let turn = Angle::from_degrees(45.0 * face as f64);
    let (s, k) = turn.sin_cos();
    let (rx, ry) = (0.053 * h, 0.066 * h);
    let at = |x: f64, y: f64| centre + Vec2::new(x * rx, y * ry);
    // The place of a feature at an angle around the head, and how much it faces the viewer.
    let around = |degrees: f64| {
        let turn = Angle::from_degrees(45.0 * face as f64 + degrees);
        turn.sin_cos()
    };
    let mut out = String::new();
    let mut add = |element: &str| {
        let _ = writeln!(out, "          {element}");
    };
    add(&ellipse(at(-0.1 * s, -0.08), 1.1 * rx, 1.06 * ry, HAIR));
    if k > -0.3 {
        if s.abs() > 0.3 {
            add(&ellipse(at(0.98 * s, 0.22), 0.2 * rx, 0.14 * ry, SHADE));
        }
        add(&ellipse(at(0.2 * s, 0.17), (0.95 - 0.13 * s.abs()) * rx, 0.88 * ry, SKIN));
    }
    // Hair over the forehead; at the back of the head it ends lower.
    let left = if s > 0.3 { 0.45 } else { -0.12 - 0.1 * k };
    let right = if s < -0.3 { 0.45 } else { -0.12 - 0.1 * k };
    if k > -0.3 {
        let (a, c) = (at(-1.12 + 0.1 * s.max(0.0), left), at(1.12 + 0.1 * s.min(0.0), right));
        let (a_in, c_in) = (at(-0.72 - 0.1 * s, left - 0.1), at(0.72 - 0.1 * s, right - 0.1));
        let over = [at(-1.12, -1.13), at(0.0, -1.13), at(1.12, -1.13), at(0.42 * s, -0.62)];
        let ([a, c, a_in, c_in], [rise, top, fall, fringe]) = ([a, c, a_in, c_in].map(xy), over.map(xy));
        let data = format!("M{a}Q{rise} {top}Q{fall} {c}L{c_in}Q{fringe} {a_in}Z");
        add(&format!("<path d=\"{data}\" fill=\"{HAIR}\"/>"));
    }
    for ear in [-90.0, 90.0] {
        let (x, near) = around(ear);
        if near > -0.2 {
            add(&ellipse(at(0.98 * x, 0.2), 0.15 * rx, 0.2 * ry, SHADE));
        }
    }
    for eye in [-24.0, 24.0] {
        let (x, near) = around(eye);
        if near > 0.2 {
            add(&ellipse(at(0.9 * x, 0.12), 0.1 * rx * near.max(0.6), 0.13 * ry, "#2c2a33"));
            let (from, over, to) =
                (at(0.9 * x - 0.17 * near, -0.12), at(0.9 * x, -0.22), at(0.9 * x + 0.17 * near, -0.12));
            add(&bent_line([from, over, to], HAIR, 0.07 * rx));
        }
    }
    if k > 0.9 {
        add(&ellipse(at(0.0, 0.33), 0.1 * rx, 0.08 * ry, SHADE));
    }
    if k > -0.2 {
        let (wide, x) = (0.27 * k.max(0.35), 0.8 * s);
        let (from, over, to) = (at(x - wide, 0.6), at(x, 0.72), at(x + wide, 0.6));
        add(&bent_line([from, over, to], "#a8524a", 0.08 * rx));
    }
    out
}
