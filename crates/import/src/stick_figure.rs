//! A drawing for a generated figure: a trunk with shoulders and hips, limbs with thickness, shoes with heels, a
//! head that turns, a far side darker than the near one, and the ground. Each shape is bound rigidly to one
//! bone.

mod animal_art;
mod body_art;
mod draw_order;
mod face;
mod shapes;

use std::fmt::Write as _;

use bone_core::Side;

use crate::PlanarMotion;
use crate::figure::Figure;
use crate::fit::rounded;
use crate::parts::BodyPart;
use body_art::{BodyArt, Trunk, escaped};
use draw_order::{near_side, orders};
use face::Faces;

/// A drawing and its bindings.
#[derive(Clone, Debug, PartialEq)]
pub struct StickFigure {
    /// The SVG text.
    pub svg: String,
    /// The id of a shape and the name of its bone.
    pub bindings: Vec<(String, String)>,
    /// Groups that change their draw order: for each the frame from which on it has an order; the body is one
    /// of them. Empty if no order changes.
    pub orders: Vec<(String, Vec<(usize, i8)>)>,
    /// Groups that show one of their children: for each the frame from which on it shows a child.
    pub switches: Vec<(String, Vec<(usize, String)>)>,
}

/// The draw order of the body while limbs change theirs: limbs behind it are still in front of the ground.
const BODY_ORDER: i8 = 5;

/// Draws a figure in its rest pose.
pub fn draw_stick_figure(figure: &Figure, motion: &PlanarMotion) -> StickFigure {
    let mut out =
        StickFigure { svg: String::new(), bindings: Vec::new(), orders: Vec::new(), switches: Vec::new() };
    let skeleton = &figure.skeleton;
    let (width, tall) = (figure.canvas.width, figure.canvas.height);
    let sole = 0.013 * figure.height;
    let ground = rounded(figure.ground + sole, 1);
    let _ = writeln!(
        out.svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {tall}\" width=\"{width}\" height=\"{tall}\">"
    );
    let _ =
        writeln!(out.svg, "  <rect id=\"backdrop\" width=\"{width}\" height=\"{tall}\" fill=\"#f7f3ea\"/>");
    let _ = writeln!(
        out.svg,
        "  <path id=\"ground\" d=\"M0 {ground}H{width}V{tall}H0Z\" fill=\"#e4dccb\"/>\n  <path id=\"horizon\" d=\"M0 {ground}H{width}\" stroke=\"#b8ab92\" stroke-width=\"2\"/>"
    );
    let near = near_side(motion);
    let faces = Faces::of(motion, looks(figure, motion));
    let trunks = trunks(figure, motion, &faces);
    let looks = looks(figure, motion);
    let art = BodyArt { figure, looks, front: near.is_none(), faces: &faces, trunks: &trunks };
    let far = near.map(|near| if near == Side::Left { Side::Right } else { Side::Left });
    let (first, second) = (far.unwrap_or(Side::Left), near.unwrap_or(Side::Right));
    let group = |out: &mut StickFigure, limb: Option<(bool, Side)>| {
        let wanted = |part: BodyPart| match limb {
            Some((arm, side)) => is_limb(part, arm) && part.side() == Some(side),
            None => part.side().is_none(),
        };
        let is_near = near.is_none() || limb.is_none_or(|(_, side)| side == second);
        let mut shapes = String::new();
        // The end of a limb is painted first, so that the part above it covers the joint; the head covers the
        // neck.
        let mut bones: Vec<_> = figure.bones.iter().filter(|bone| bone.part.is_some_and(wanted)).collect();
        bones.reverse();
        bones.sort_by_key(|bone| match bone.part {
            Some(BodyPart::Neck) => 0,
            Some(BodyPart::Head) => 2,
            _ => 1,
        });
        for bone in bones {
            let Some(id) = skeleton.find(&bone.name) else { continue };
            let shape = art.shape(bone, id, is_near);
            if shape.is_empty() {
                continue;
            }
            shapes.push_str(&shape);
            out.bindings.push((format!("{}_art", bone.name), bone.name.clone()));
        }
        if !shapes.is_empty() {
            let id = limb.map_or_else(|| "body_group".to_owned(), limb_group);
            let _ = write!(out.svg, "  <g id=\"{id}\">\n{shapes}  </g>\n");
        }
    };
    if figure.bones.iter().any(|bone| bone.part.is_some()) {
        // The limbs are sorted in a group of their own, so that they never move behind the ground.
        out.svg.push_str("  <g id=\"figure_group\">\n");
        let [arms, legs] = [true, false].map(|arm| [first, second].map(|side| Some((arm, side))));
        let order = match near {
            Some(_) => [arms[0], legs[0], None, legs[1], arms[1]],
            None => [legs[0], legs[1], None, arms[0], arms[1]],
        };
        order.into_iter().for_each(|limb| group(&mut out, limb));
        out.svg.push_str("  </g>\n");
        let limbs = [(true, Side::Left), (true, Side::Right), (false, Side::Left), (false, Side::Right)];
        for (limb, orders) in limbs.into_iter().zip(orders(motion, near, &limbs)) {
            let id = limb_group(limb);
            // A limb that the figure does not have has no group.
            if out.svg.contains(&format!("<g id=\"{id}\">")) {
                // All of the figure is in front of the ground, which has the order 0.
                let orders = orders.into_iter().map(|(frame, order)| (frame, order + BODY_ORDER)).collect();
                out.orders.push((id, orders));
            }
        }
        if !out.orders.is_empty() {
            out.orders.push(("body_group".to_owned(), vec![(0, BODY_ORDER)]));
        }
    } else if figure.bones.iter().any(|bone| bone.animal.is_some()) {
        animal_art::draw(figure, motion, &mut out);
    } else {
        for bone in &figure.bones {
            let Some(id) = skeleton.find(&bone.name) else { continue };
            out.svg.push_str(&art.shape(bone, id, true));
            out.bindings.push((format!("{}_art", bone.name), bone.name.clone()));
        }
    }
    out.svg.push_str("</svg>\n");
    if out.svg.contains("<g id=\"faces\">") && faces.keys().len() > 1 {
        out.switches.push(("faces".to_owned(), faces.keys()));
    }
    for id in ["hips_widths", "chest_widths"] {
        if out.svg.contains(&format!("<g id=\"{id}\">")) {
            let keys = faces.breadths().into_iter();
            let keys = keys.map(|(frame, breadth)| (frame, format!("{id}_{}", breadth.name())));
            out.switches.push((id.to_owned(), keys.collect()));
        }
    }
    out
}

/// The widths of the trunk of a figure that turns, the one that is shown first before the others; none if it is
/// seen from one direction.
fn trunks(figure: &Figure, motion: &PlanarMotion, faces: &Faces) -> Vec<Trunk> {
    let keys = faces.breadths();
    let body = motion.body();
    let (Some(hips), Some(neck)) = (body.start(BodyPart::Hips), body.start(BodyPart::Neck)) else {
        return Vec::new();
    };
    let mut used: Vec<_> = keys.iter().map(|key| key.1).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() < 2 {
        return Vec::new();
    }
    used.sort_by_key(|breadth| *breadth != keys[0].1);
    let until = |at: usize| keys.get(at + 1).map_or(motion.frames(), |key| key.0);
    let half = |part: fn(Side) -> BodyPart, breadth| {
        let (left, right) = body.pair(part)?;
        let frames = keys.iter().enumerate().filter(|(_, key)| key.1 == breadth);
        let (mut sum, mut count) = (0.0, 0);
        for frame in frames.flat_map(|(at, key)| key.0..until(at)) {
            let (up, way) = (motion.offset(frame, hips, neck), motion.offset(frame, right, left));
            sum += way.cross(up).abs() / up.hypot().max(1e-9);
            count += 1;
        }
        Some(0.5 * sum / f64::from(count.max(1)) * figure.scale())
    };
    used.into_iter()
        .map(|breadth| Trunk {
            breadth,
            arms: half(BodyPart::UpperArm, breadth).unwrap_or_default(),
            legs: half(BodyPart::Thigh, breadth).unwrap_or_default(),
        })
        .collect()
}

/// The group of an arm or a leg.
fn limb_group((arm, side): (bool, Side)) -> String {
    let (limb, side) = (if arm { "arm" } else { "leg" }, if side == Side::Left { "l" } else { "r" });
    format!("{limb}_{side}_group")
}

fn is_limb(part: BodyPart, arm: bool) -> bool {
    let of_arm = matches!(part, BodyPart::UpperArm(_) | BodyPart::ForeArm(_) | BodyPart::Hand(_));
    part.side().is_some() && of_arm == arm
}

/// 1 if the figure faces right, -1 if it faces left, 0 if it faces the viewer or away: the mean direction of
/// its feet.
fn looks(figure: &Figure, motion: &PlanarMotion) -> f64 {
    let foot = |side| figure.bones.iter().find(|bone| bone.part == Some(BodyPart::Foot(side)));
    let (mut along, mut whole) = (0.0, 0.0);
    for bone in [Side::Left, Side::Right].into_iter().filter_map(foot) {
        for frame in 0..motion.frames() {
            let way = motion.offset(frame, bone.from, bone.to);
            let deep = motion
                .depth(frame, bone.to)
                .zip(motion.depth(frame, bone.from))
                .map_or(0.0, |(to, from)| to - from);
            along += way.x;
            whole += (way.hypot2() + deep * deep).sqrt();
        }
    }
    if along.abs() < 0.25 * whole { 0.0 } else { along.signum() }
}
