//! The shapes of the body, one group or path for each bone, in the rest pose.

use std::fmt::Write as _;

use bone_core::{BoneId, Side};
use kurbo::{Point, Vec2};

use super::face::{Breadth, Faces};
use super::shapes::{capsule, outline, points, polygon, smooth, symmetric};
use crate::figure::{Figure, FigureBone};
use crate::parts::BodyPart;

/// How a figure is drawn.
pub(super) struct BodyArt<'a> {
    pub(super) figure: &'a Figure,
    /// 1 if it faces right, -1 left, 0 towards the viewer or away.
    pub(super) looks: f64,
    /// Whether both sides are as near.
    pub(super) front: bool,
    pub(super) faces: &'a Faces,
    /// The widths of a trunk that turns; empty if it has those of the rest pose.
    pub(super) trunks: &'a [Trunk],
}

/// The width of a trunk that is seen from one side or another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trunk {
    pub(super) breadth: Breadth,
    /// Half the distances between the roots of both arms and of both legs across the trunk.
    pub(super) arms: f64,
    pub(super) legs: f64,
}

/// The colours of one side.
struct Colours {
    shirt: &'static str,
    skin: &'static str,
    trousers: &'static str,
    shoe: &'static str,
    sole: &'static str,
}

const NEAR: Colours =
    Colours { shirt: "#d1495b", skin: "#f2c79b", trousers: "#3d63a3", shoe: "#3b3a44", sole: "#6f6a76" };
const FAR: Colours =
    Colours { shirt: "#9c3848", skin: "#cf9f74", trousers: "#2a4473", shoe: "#26252c", sole: "#4d4954" };
/// The trunk in the colours of the near side, a little darker than the limbs in front of it.
const TRUNK: &str = "#c53f52";
const BELT: &str = "#35568f";

impl BodyArt<'_> {
    /// The shapes of one bone.
    pub(super) fn shape(&self, bone: &FigureBone, id: BoneId, near: bool) -> String {
        let skeleton = &self.figure.skeleton;
        let (from, to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
        let h = self.figure.height;
        let name = format!("{}_art", escaped(&bone.name));
        let colours = if near { &NEAR } else { &FAR };
        let limb = |r0: f64, r1: f64, fill: &str| path(&capsule(from, to, r0 * h, r1 * h), fill);
        let shapes = match bone.part {
            None => limb(0.02, 0.016, "#4a6fa5"),
            Some(BodyPart::Hips | BodyPart::Spine) => {
                self.widths_of("hips_widths", |trunk| self.hips(from, to, trunk))
            }
            Some(BodyPart::Chest) => self.widths_of("chest_widths", |trunk| self.chest(from, to, trunk)),
            Some(BodyPart::Neck) if self.has(BodyPart::Head) => limb(0.026, 0.022, "#e0b286"),
            Some(BodyPart::Neck) => self.head(to, 0.062),
            Some(BodyPart::Head) => {
                // Recordings have the root of the head anywhere between neck and ears.
                let long = (to - from).hypot() / h;
                self.head(from, (0.5 * long).clamp(0.03, 0.062))
            }
            Some(BodyPart::UpperArm(_)) => limb(0.034, 0.027, colours.shirt),
            Some(BodyPart::ForeArm(_)) => limb(0.025, 0.018, colours.skin),
            Some(BodyPart::Hand(_)) => self.hand(from, to, colours),
            Some(BodyPart::Thigh(_)) => limb(0.05, 0.036, colours.trousers),
            Some(BodyPart::Shin(side)) => {
                // A foot that points at the viewer is too short to carry its shoe.
                let shoe = match self.shoe_ahead(side) {
                    true => self.cap(to, colours),
                    false => String::new(),
                };
                shoe + &limb(0.036, 0.023, colours.trousers)
            }
            Some(BodyPart::Foot(side) | BodyPart::Toe(side)) if self.shoe_ahead(side) => {
                return String::new();
            }
            Some(BodyPart::Foot(_)) => self.foot(from, to, colours),
            Some(BodyPart::Toe(_)) => self.toes(from, to, colours),
        };
        format!("    <g id=\"{name}\">\n{shapes}    </g>\n")
    }

    fn has(&self, part: BodyPart) -> bool {
        self.figure.bones.iter().any(|bone| bone.part == Some(part))
    }

    /// Half the distance between the roots of both limbs across the trunk, and their mean position.
    fn roots(&self, part: fn(Side) -> BodyPart, across: Vec2) -> Option<(f64, Point)> {
        let origin = |side| {
            let bone = self.figure.bones.iter().find(|bone| bone.part == Some(part(side)))?;
            Some(self.figure.skeleton.setup_origin(self.figure.skeleton.find(&bone.name)?))
        };
        let (left, right) = (origin(Side::Left)?, origin(Side::Right)?);
        Some(((left - right).dot(across).abs() / 2.0, left.midpoint(right)))
    }

    /// A part of the trunk in all of its widths, of which one is shown.
    fn widths_of(&self, id: &str, draw: impl Fn(Option<&Trunk>) -> String) -> String {
        if self.trunks.is_empty() {
            return draw(None);
        }
        let mut out = format!("      <g id=\"{id}\">\n");
        for (at, trunk) in self.trunks.iter().enumerate() {
            let hidden = if at == 0 { "" } else { " display=\"none\"" };
            let (name, shapes) = (trunk.breadth.name(), draw(Some(trunk)));
            let _ = write!(out, "      <g id=\"{id}_{name}\"{hidden}>\n{shapes}      </g>\n");
        }
        out + "      </g>\n"
    }

    /// Half the widths of shoulders, waist and hips.
    fn widths(&self, across: Vec2, trunk: Option<&Trunk>) -> (f64, f64, f64) {
        let h = self.figure.height;
        let half = |part| self.roots(part, across).map_or(0.0, |roots| roots.0);
        let arms = trunk.map_or_else(|| half(BodyPart::UpperArm), |trunk| trunk.arms);
        let legs = trunk.map_or_else(|| half(BodyPart::Thigh), |trunk| trunk.legs);
        let shoulders = (arms + 0.018 * h).max(0.062 * h);
        let hips = (legs + 0.04 * h).max(0.06 * h);
        let waist = (0.5 * (0.86 * hips + 0.7 * shoulders)).max(0.054 * h);
        (shoulders, waist, hips)
    }

    /// From the hips to the waist: trousers with a belt, and the hem of a shirt.
    fn hips(&self, from: Point, to: Point, trunk: Option<&Trunk>) -> String {
        let h = self.figure.height;
        let way = to - from;
        let long = way.hypot().max(1e-9);
        let (up, across) = (way / long, Vec2::new(-way.y, way.x) / long);
        let (shoulders, waist, hips) = self.widths(across, trunk);
        let at = |along: f64, aside: f64| from + up * along + across * aside;
        let thighs = self.roots(BodyPart::Thigh, across).map_or(0.0, |(_, root)| (root - from).dot(up));
        let low = thighs.min(0.0);
        // Without a chest the hips are the whole trunk.
        let whole = !self.has(BodyPart::Chest);
        let top = if whole { long } else { long + 0.36 * waist };
        let hem = |share: f64| ((0.16 + 0.02 * (1.0 - share.abs())) * long, share * 0.96 * hips);
        let mut shirt = vec![hem(-1.0), hem(-0.5), hem(0.0), hem(0.5), hem(1.0)];
        shirt.extend(if whole {
            symmetric(&[
                (0.5 * long, waist),
                (long - 0.05 * h, shoulders),
                (long - 0.012 * h, 0.8 * shoulders),
                (long + 0.01 * h, 0.0),
            ])
        } else {
            let side =
                |share: f64| (share * long, 0.96 * hips + (waist - 0.96 * hips) * (share - 0.16) / 0.84);
            // It overlaps with the chest, so that a back that bends has no gap.
            let over = (long + 0.16 * waist, 0.97 * waist);
            symmetric(&[side(0.4), side(0.75), side(1.0), over, (top, 0.6 * waist)])
        });
        let seat = symmetric(&[
            (low - 0.052 * h, 0.0),
            (low - 0.04 * h, 0.62 * hips),
            (low * 0.5, hips),
            (0.18 * long, 0.94 * hips),
            (0.25 * long, 0.6 * hips),
            (0.27 * long, 0.0),
        ]);
        path(&outline(&seat, at), BELT) + &path(&outline(&shirt, at), TRUNK)
    }

    /// From the waist to the shoulders.
    fn chest(&self, from: Point, to: Point, trunk: Option<&Trunk>) -> String {
        let h = self.figure.height;
        let way = to - from;
        let long = way.hypot().max(1e-9);
        let (up, across) = (way / long, Vec2::new(-way.y, way.x) / long);
        let (shoulders, waist, _) = self.widths(across, trunk);
        // Some recordings have the root of the neck low in the chest.
        let (middle, arms) = self
            .roots(BodyPart::UpperArm, across)
            .map_or((0.0, long), |(_, root)| ((root - from).dot(across), (root - from).dot(up)));
        let top = arms.max(0.6 * long).max(0.1 * h);
        // A chest is deeper in front; `across` points to the right of the way upwards.
        let bulge = self.looks * 0.008 * h;
        let at = |along: f64, aside: f64| from + up * along + across * (aside + middle * along / top);
        let mut sides = symmetric(&[
            (-0.36 * waist, 0.5 * waist),
            (-0.18 * waist, 0.94 * waist),
            (-0.02 * top, 0.98 * waist),
            (0.2 * top, waist + 0.12 * (shoulders - waist)),
            (0.5 * top, 0.5 * (waist + shoulders)),
            (top - 0.016 * h, shoulders + 0.004 * h),
            (top + 0.016 * h, shoulders - 0.006 * h),
            (top + 0.033 * h, 0.72 * shoulders),
            (top + 0.044 * h, 0.03 * h),
        ]);
        let back = sides.len() - 5;
        sides[4].1 += bulge.max(0.0);
        sides[back].1 += bulge.min(0.0);
        path(&outline(&sides, at), TRUNK)
    }

    /// A head whose centre is `above` its base, in heights.
    fn head(&self, base: Point, above: f64) -> String {
        let h = self.figure.height;
        let centre = base + Vec2::new(0.012 * self.looks * h, -above * h);
        let neck = capsule(base, centre, 0.023 * h, 0.022 * h);
        path(&neck, "#e0b286") + &self.faces.draw(centre, h)
    }

    /// Whether a foot points at the viewer.
    fn shoe_ahead(&self, side: Side) -> bool {
        let foot = self.figure.bones.iter().find(|bone| bone.part == Some(BodyPart::Foot(side)));
        let id = foot.and_then(|bone| self.figure.skeleton.find(&bone.name));
        id.is_some_and(|id| {
            let way = self.figure.skeleton.setup_tip(id) - self.figure.skeleton.setup_origin(id);
            self.front && way.x.abs() < 0.45 * way.hypot()
        })
    }

    /// A shoe seen from the front, below an ankle.
    fn cap(&self, ankle: Point, colours: &Colours) -> String {
        let h = self.figure.height;
        let sole = (self.figure.ground + 0.013 * h).clamp(ankle.y + 0.03 * h, ankle.y + 0.06 * h);
        let at = |y: f64, x: f64| Point::new(ankle.x + x * h, y);
        let mut shoe = symmetric(&[
            (ankle.y - 0.012 * h, 0.022),
            (sole - 0.024 * h, 0.029),
            (sole - 0.01 * h, 0.035),
            (sole, 0.029),
        ]);
        let mut line = symmetric(&[(sole - 0.009 * h, 0.034), (sole, 0.03)]);
        // Both begin at the left.
        shoe.rotate_right(1);
        line.rotate_right(1);
        path(&outline(&shoe, at), colours.shoe) + &path(&outline(&line, at), colours.sole)
    }

    /// A hand with a thumb.
    fn hand(&self, from: Point, to: Point, colours: &Colours) -> String {
        let h = self.figure.height;
        let way = to - from;
        let long = way.hypot().max(1e-9);
        let along = way / long;
        let across = Vec2::new(-along.y, along.x);
        let reach = long.clamp(0.03 * h, 0.055 * h);
        let at = |a: f64, b: f64| from + along * (a * reach) + across * (b * h);
        let thumb = if self.looks < 0.0 { 1.0 } else { -1.0 };
        let palm = points("-0.25,-0.016 0.45,-0.023 1.15,-0.015 1.35,0 1.15,0.015 0.45,0.023 -0.25,0.016");
        let thumb = capsule(at(0.2, 0.012 * thumb), at(0.75, 0.028 * thumb), 0.009 * h, 0.008 * h);
        path(&thumb, colours.skin) + &path(&outline(&palm, at), colours.skin)
    }

    /// A shoe with its heel.
    fn foot(&self, ankle: Point, ball: Point, colours: &Colours) -> String {
        let h = self.figure.height;
        let sole = ball.y + 0.013 * h;
        let f = if ball.x < ankle.x { -1.0 } else { 1.0 };
        let at = |x: f64, y: f64| Point::new(x, y);
        let upper = smooth(&[
            at(ankle.x - f * 0.026 * h, ankle.y - 0.008 * h),
            at(ankle.x + f * 0.024 * h, ankle.y - 0.006 * h),
            at(ankle.x + 0.55 * (ball.x - ankle.x), sole - 0.04 * h),
            at(ball.x + f * 0.004 * h, sole - 0.029 * h),
            at(ball.x + f * 0.01 * h, sole - 0.004 * h),
            at(ankle.x - f * 0.02 * h, sole - 0.004 * h),
            at(ankle.x - f * 0.038 * h, sole - 0.018 * h),
        ]);
        // The heel is a block under the ankle, the sole a line from it to the ball.
        let heel = polygon(&[
            at(ankle.x - f * 0.037 * h, sole - 0.014 * h),
            at(ankle.x - f * 0.034 * h, sole),
            at(ankle.x + f * 0.004 * h, sole),
            at(ankle.x + f * 0.012 * h, sole - 0.008 * h),
            at(ball.x + f * 0.006 * h, sole),
            at(ball.x + f * 0.012 * h, sole - 0.01 * h),
        ]);
        path(&upper, colours.shoe) + &path(&heel, colours.sole)
    }

    fn toes(&self, ball: Point, tip: Point, colours: &Colours) -> String {
        let h = self.figure.height;
        let f = if tip.x < ball.x { -1.0 } else { 1.0 };
        let sole = ball.y.max(tip.y) + 0.013 * h;
        let at = |x: f64, y: f64| Point::new(x, y);
        let cap = smooth(&[
            at(ball.x - f * 0.012 * h, sole - 0.028 * h),
            at(ball.x + 0.5 * (tip.x - ball.x), sole - 0.028 * h),
            at(tip.x + f * 0.012 * h, sole - 0.016 * h),
            at(tip.x + f * 0.012 * h, sole - 0.003 * h),
            at(ball.x - f * 0.012 * h, sole - 0.003 * h),
        ]);
        let line = polygon(&[
            at(ball.x - f * 0.01 * h, sole - 0.008 * h),
            at(ball.x - f * 0.01 * h, sole),
            at(tip.x + f * 0.01 * h, sole),
            at(tip.x + f * 0.016 * h, sole - 0.008 * h),
        ]);
        path(&cap, colours.shoe) + &path(&line, colours.sole)
    }
}

pub(super) fn path(data: &str, fill: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "      <path d=\"{data}\" fill=\"{fill}\"/>");
    out
}

/// A name escaped for the value of an attribute.
pub(super) fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
