//! The shapes of a four-legged animal, one group for each bone, in the pose of the first frame.

use bone_core::Side;
use kurbo::{Point, Vec2};

use super::body_art::path;
use super::shapes::{capsule, ellipse, outline, points};
use super::{StickFigure, escaped};
use crate::PlanarMotion;
use crate::animal::AnimalPart;
use crate::figure::{Figure, FigureBone};

const COAT: &str = "#b98a5e";
const FAR_COAT: &str = "#8d6644";
const PAW: &str = "#f0e2cc";
const FAR_PAW: &str = "#b9a88f";
const DARK: &str = "#33261f";

/// Appends the shapes of an animal, and binds each to its bone.
pub(super) fn draw(figure: &Figure, motion: &PlanarMotion, out: &mut StickFigure) {
    let ends = |bone: &FigureBone| {
        let id = figure.skeleton.find(&bone.name)?;
        Some((figure.skeleton.setup_origin(id), figure.skeleton.setup_tip(id)))
    };
    let trunk = figure.bones.iter().find(|bone| bone.animal == Some(AnimalPart::Body));
    let Some((trunk, (rump, withers))) = trunk.and_then(|bone| Some((bone, ends(bone)?))) else { return };
    let long = (withers - rump).hypot().max(1e-6);
    // From the back to the paws; a picture from above has no such direction.
    let paws: Vec<Point> = figure
        .bones
        .iter()
        .filter(|bone| matches!(bone.animal, Some(AnimalPart::Leg(..))))
        .filter_map(|bone| ends(bone).map(|ends| ends.1))
        .collect();
    let mean = paws.iter().fold(Vec2::ZERO, |sum, paw| sum + paw.to_vec2()) / paws.len().max(1) as f64;
    let below = mean - rump.midpoint(withers).to_vec2();
    let down =
        if !paws.is_empty() && below.hypot() > 0.35 * long { below / below.hypot() } else { Vec2::ZERO };
    let ahead: f64 =
        (0..motion.frames()).map(|frame| motion.offset(frame, trunk.from, trunk.to).x).sum::<f64>();
    let far = if ahead >= 0.0 { Side::Left } else { Side::Right };
    let is_far = |part: AnimalPart| {
        let side = match part {
            AnimalPart::Leg(leg, _) => Some(leg.side),
            AnimalPart::Wing(side, _) => Some(side),
            _ => None,
        };
        down != Vec2::ZERO && side == Some(far)
    };
    let rank = |part: AnimalPart| match part {
        AnimalPart::Leg(..) | AnimalPart::Wing(..) if is_far(part) => 0,
        AnimalPart::Tail(_) => 1,
        AnimalPart::Neck => 2,
        AnimalPart::Body => 4,
        AnimalPart::Leg(..) if down == Vec2::ZERO => 3,
        AnimalPart::Leg(..) => 5,
        AnimalPart::Head => 6,
        AnimalPart::Wing(..) => 7,
    };
    let mut bones: Vec<(&FigureBone, AnimalPart)> =
        figure.bones.iter().filter_map(|bone| Some((bone, bone.animal?))).collect();
    // Paws before the legs that cover their joints.
    bones.reverse();
    bones.sort_by_key(|(_, part)| rank(*part));
    let last = |bone: &FigureBone| {
        let at = figure.bones.iter().position(|other| other.name == bone.name);
        !figure.bones.iter().any(|other| other.parent.is_some() && other.parent == at)
    };
    for (bone, part) in bones {
        let Some((from, to)) = ends(bone) else { continue };
        let art = AnimalArt { from, to, long, down, far: is_far(part), last: last(bone) };
        out.svg.push_str(&format!("  <g id=\"{}_art\">\n{}  </g>\n", escaped(&bone.name), art.shape(part)));
        out.bindings.push((format!("{}_art", bone.name), bone.name.clone()));
    }
}

/// A bone that is drawn.
struct AnimalArt {
    from: Point,
    to: Point,
    /// The length of the trunk.
    long: f64,
    /// From the back to the paws, a unit vector or zero.
    down: Vec2,
    far: bool,
    /// Whether no bone follows.
    last: bool,
}

impl AnimalArt {
    fn shape(&self, part: AnimalPart) -> String {
        let (from, to, l, down) = (self.from, self.to, self.long, self.down);
        let coat = if self.far { FAR_COAT } else { COAT };
        let limb = |r0: f64, r1: f64| path(&capsule(from, to, r0 * l, r1 * l), coat);
        match part {
            AnimalPart::Body => self.trunk(),
            // A neck begins inside the chest.
            AnimalPart::Neck => {
                let chest = from + down * (0.08 * l) + (from - to) * 0.1;
                path(&capsule(chest, to, 0.15 * l, 0.1 * l), COAT)
            }
            AnimalPart::Head => self.head(),
            AnimalPart::Tail(at) => {
                let thin = 1.0 / (1.0 + at as f64 * 0.5);
                limb(0.045 * thin, 0.03 * thin)
            }
            AnimalPart::Wing(_, at) => {
                let thin = 1.0 / (1.0 + at as f64 * 0.4);
                limb(0.07 * thin, 0.045 * thin)
            }
            AnimalPart::Leg(leg, at) => {
                let (r0, r1) = match at {
                    0 if leg.front => (0.085, 0.052),
                    0 => (0.12, 0.058),
                    1 => (0.052, 0.038),
                    _ => (0.038, 0.034),
                };
                // A leg begins inside the trunk, below the back.
                let top = if at == 0 { from + (to - from) * 0.12 } else { from };
                let upper = path(&capsule(top, to, r0 * l, r1 * l), coat);
                let paw = if self.far { FAR_PAW } else { PAW };
                let foot =
                    if self.last { element(&ellipse(to, 0.055 * l, 0.04 * l, paw)) } else { String::new() };
                foot + &upper
            }
        }
    }

    /// A deep chest and a narrow waist below the line of the back.
    fn trunk(&self) -> String {
        let (rump, withers, l, down) = (self.from, self.to, self.long, self.down);
        let along = (withers - rump) / l;
        let (across, body) = if down == Vec2::ZERO {
            let from_above = "-0.08,0 0.15,0.2 0.55,0.19 1,0.15 1.12,0 1,-0.15 0.55,-0.19 0.15,-0.2";
            (Vec2::new(-along.y, along.x), from_above)
        } else {
            let from_the_side = "-0.09,0.06 0.02,-0.03 0.35,-0.02 0.75,-0.03 1,-0.04 1.13,0.08 1.12,0.3 \
                0.95,0.42 0.65,0.4 0.3,0.32 0.02,0.33 -0.1,0.2";
            (down, from_the_side)
        };
        path(&outline(&points(body), |x, y| rump + along * (x * l) + across * (y * l)), COAT)
    }

    /// A skull with a muzzle, an eye and ears.
    fn head(&self) -> String {
        let (skull, nose, l) = (self.from, self.to, self.long);
        let way = nose - skull;
        let reach = way.hypot().max(1e-6);
        let along = way / reach;
        let size = (0.45 * reach).clamp(0.07 * l, 0.14 * l);
        let across = Vec2::new(-along.y, along.x);
        let above = self.down == Vec2::ZERO;
        // The side of the ears is away from the ground.
        let up = if across.dot(self.down) <= 0.0 { across } else { -across };
        let at = |x: f64, y: f64| skull + along * (x * size) + up * (y * size);
        let ear = |sign: f64| {
            let ear = points("-0.45,0.55 -0.75,1.45 -0.3,1.6 0.2,0.8");
            path(&outline(&ear, |x, y| at(x, sign * y)), "#96693f")
        };
        let eye = |sign: f64| element(&ellipse(at(0.75, 0.38 * sign), 0.13 * size, 0.13 * size, DARK));
        let muzzle = path(&capsule(at(0.1, 0.0), nose - along * (0.35 * size), size, 0.48 * size), COAT);
        let tip = element(&ellipse(nose - along * (0.05 * size), 0.2 * size, 0.18 * size, DARK));
        if above {
            return ear(1.0) + &ear(-1.0) + &muzzle + &eye(1.0) + &eye(-1.0) + &tip;
        }
        muzzle + &ear(1.0) + &eye(1.0) + &tip
    }
}

fn element(text: &str) -> String {
    format!("      {text}\n")
}
