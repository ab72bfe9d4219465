//! A drawing for a generated figure: limbs with thickness, a head that shows the facing, a far side darker
//! than the near one, and the ground. Each shape is bound rigidly to one bone.

mod draw_order;

use std::fmt::Write as _;

use bone_core::{BoneId, Side};
use kurbo::{Point, Vec2};

use crate::PlanarMotion;
use crate::figure::{Figure, FigureBone};
use crate::fit::rounded;
use crate::parts::BodyPart;
use draw_order::{near_side, orders};

/// A drawing and its bindings.
#[derive(Clone, Debug, PartialEq)]
pub struct StickFigure {
    /// The SVG text.
    pub svg: String,
    /// The id of a shape and the name of its bone.
    pub bindings: Vec<(String, String)>,
    /// Groups that change their draw order: for each the frame from which on it has an order; the order of
    /// the body is 0. Empty if no order changes.
    pub orders: Vec<(String, Vec<(usize, i8)>)>,
}

/// Radii at the start and at the end of a bone, in heights of the figure.
fn radii(part: Option<BodyPart>) -> (f64, f64) {
    match part {
        None => (0.02, 0.016),
        Some(BodyPart::Hips | BodyPart::Spine) => (0.058, 0.052),
        Some(BodyPart::Chest) => (0.052, 0.068),
        Some(BodyPart::Neck) => (0.026, 0.024),
        Some(BodyPart::Head) => (0.05, 0.05),
        Some(BodyPart::UpperArm(_)) => (0.031, 0.024),
        Some(BodyPart::ForeArm(_)) => (0.024, 0.018),
        Some(BodyPart::Hand(_)) => (0.021, 0.016),
        Some(BodyPart::Thigh(_)) => (0.046, 0.033),
        Some(BodyPart::Shin(_)) => (0.033, 0.02),
        Some(BodyPart::Foot(_)) => (0.023, 0.019),
        Some(BodyPart::Toe(_)) => (0.019, 0.013),
    }
}

/// The colour of a part on the near and on the far side.
fn colour(part: Option<BodyPart>, near: bool) -> &'static str {
    match (part, near) {
        (None, _) => "#4a6fa5",
        (Some(BodyPart::Hips | BodyPart::Spine), _) => "#2f4b7c",
        (Some(BodyPart::Chest), _) => "#d1495b",
        (Some(BodyPart::Neck | BodyPart::Head), _) => "#f2c79b",
        (Some(BodyPart::UpperArm(_) | BodyPart::ForeArm(_)), true) => "#e26d7c",
        (Some(BodyPart::UpperArm(_) | BodyPart::ForeArm(_)), false) => "#9c3848",
        (Some(BodyPart::Hand(_)), true) => "#f2c79b",
        (Some(BodyPart::Hand(_)), false) => "#cf9f74",
        (Some(BodyPart::Thigh(_) | BodyPart::Shin(_)), true) => "#3d63a3",
        (Some(BodyPart::Thigh(_) | BodyPart::Shin(_)), false) => "#243a61",
        (Some(BodyPart::Foot(_) | BodyPart::Toe(_)), true) => "#3b3a44",
        (Some(BodyPart::Foot(_) | BodyPart::Toe(_)), false) => "#26252c",
    }
}

/// Draws a figure in its rest pose.
pub fn draw_stick_figure(figure: &Figure, motion: &PlanarMotion) -> StickFigure {
    let mut out = StickFigure { svg: String::new(), bindings: Vec::new(), orders: Vec::new() };
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
    let looks = looks(figure, motion);
    let limbs = |arm: bool, side: Side| move |part: BodyPart| is_limb(part, arm) && part.side() == Some(side);
    let far = near.map(|near| if near == Side::Left { Side::Right } else { Side::Left });
    let (first, second) = (far.unwrap_or(Side::Left), near.unwrap_or(Side::Right));
    let all_near = near.is_none();
    let middle = |part: BodyPart| part.side().is_none();
    let group = |out: &mut StickFigure, id: &str, near: bool, wanted: &dyn Fn(BodyPart) -> bool| {
        let bones = figure.bones.iter().filter(|bone| bone.part.is_some_and(wanted));
        let mut shapes = String::new();
        // The end of a limb is painted first, so that the part above it covers the joint.
        for bone in bones.collect::<Vec<_>>().into_iter().rev() {
            let Some(id) = skeleton.find(&bone.name) else { continue };
            shapes.push_str(&shape(figure, bone, id, near, looks));
            out.bindings.push((format!("{}_art", bone.name), bone.name.clone()));
        }
        if !shapes.is_empty() {
            let _ = write!(out.svg, "  <g id=\"{id}\">\n{shapes}  </g>\n");
        }
    };
    let name = |arm: bool, side: Side| match (arm, side) {
        (true, Side::Left) => "arm_l_group",
        (true, Side::Right) => "arm_r_group",
        (false, Side::Left) => "leg_l_group",
        (false, Side::Right) => "leg_r_group",
    };
    if figure.bones.iter().any(|bone| bone.part.is_some()) {
        // The limbs are sorted in a group of their own, so that they never move behind the ground.
        out.svg.push_str("  <g id=\"figure_group\">\n");
        if near.is_some() {
            group(&mut out, name(true, first), all_near, &limbs(true, first));
        }
        group(&mut out, name(false, first), all_near, &limbs(false, first));
        if near.is_none() {
            group(&mut out, name(false, second), true, &limbs(false, second));
        }
        group(&mut out, "body_group", true, &middle);
        if near.is_some() {
            group(&mut out, name(false, second), true, &limbs(false, second));
        } else {
            group(&mut out, name(true, first), true, &limbs(true, first));
        }
        group(&mut out, name(true, second), true, &limbs(true, second));
        out.svg.push_str("  </g>\n");
        let limbs = [(true, Side::Left), (true, Side::Right), (false, Side::Left), (false, Side::Right)];
        for ((arm, side), orders) in limbs.into_iter().zip(orders(motion, near, &limbs)) {
            let id = name(arm, side);
            // A limb that the figure does not have has no group.
            if out.svg.contains(&format!("<g id=\"{id}\">")) {
                out.orders.push((id.to_owned(), orders));
            }
        }
    } else {
        for bone in &figure.bones {
            let Some(id) = skeleton.find(&bone.name) else { continue };
            out.svg.push_str(&shape(figure, bone, id, true, looks));
            out.bindings.push((format!("{}_art", bone.name), bone.name.clone()));
        }
    }
    out.svg.push_str("</svg>\n");
    out
}

fn is_limb(part: BodyPart, arm: bool) -> bool {
    let of_arm = matches!(part, BodyPart::UpperArm(_) | BodyPart::ForeArm(_) | BodyPart::Hand(_));
    part.side().is_some() && of_arm == arm
}

/// The shapes of one bone: a group or a single path.
fn shape(figure: &Figure, bone: &FigureBone, id: BoneId, near: bool, looks: f64) -> String {
    let skeleton = &figure.skeleton;
    let from = skeleton.setup_origin(id);
    let mut to = skeleton.setup_tip(id);
    if bone.part == Some(BodyPart::Chest) {
        to = up_to_the_shoulders(figure, from, to);
    }
    let name = format!("{}_art", escaped(&bone.name));
    let fill = colour(bone.part, near);
    let (r0, r1) = radii(bone.part);
    let (r0, r1) = (r0 * figure.height, r1 * figure.height);
    if bone.part == Some(BodyPart::Head) || (bone.part == Some(BodyPart::Neck) && !has_head(figure)) {
        return head(figure, bone, &name, looks, from, to);
    }
    format!("    <path id=\"{name}\" d=\"{}\" fill=\"{fill}\"/>\n", capsule(from, to, r0, r1))
}

/// Some recordings have the root of the neck low in the chest.
fn up_to_the_shoulders(figure: &Figure, from: Point, to: Point) -> Point {
    let way = to - from;
    let length = way.hypot();
    let shoulders = figure.bones.iter().filter(|bone| matches!(bone.part, Some(BodyPart::UpperArm(_))));
    let heights = shoulders.filter_map(|bone| figure.skeleton.find(&bone.name)).map(|id| {
        (figure.skeleton.setup_origin(id) - from).dot(way) / length.max(1e-9) - 0.03 * figure.height
    });
    from + way * (heights.fold(length, f64::max) / length.max(1e-9))
}

fn has_head(figure: &Figure) -> bool {
    figure.bones.iter().any(|bone| bone.part == Some(BodyPart::Head))
}

/// A head with hair, and a nose on the side to which the feet point.
fn head(figure: &Figure, bone: &FigureBone, name: &str, looks: f64, from: Point, to: Point) -> String {
    let h = figure.height;

    let base = if bone.part == Some(BodyPart::Head) { from } else { to };
    let centre = base + Vec2::new(0.012 * looks * h, -0.062 * h);
    let n = |value: f64| rounded(value, 1);
    let (rx, ry) = (0.052 * h, 0.068 * h);
    let mut out = format!("    <g id=\"{name}\">\n");
    let neck = capsule(base, centre, 0.024 * h, 0.022 * h);
    let _ = writeln!(out, "      <path d=\"{neck}\" fill=\"#e0b286\"/>");
    if looks != 0.0 {
        let tip = centre + Vec2::new(looks * (rx + 0.018 * h), 0.012 * h);
        let (up, down) = (
            centre + Vec2::new(looks * rx * 0.9, -0.014 * h),
            centre + Vec2::new(looks * rx * 0.86, 0.026 * h),
        );
        let _ = writeln!(
            out,
            "      <path d=\"M{} {}L{} {}L{} {}Z\" fill=\"#e5b384\"/>",
            n(up.x),
            n(up.y),
            n(tip.x),
            n(tip.y),
            n(down.x),
            n(down.y)
        );
    }
    let _ = writeln!(
        out,
        "      <ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\" fill=\"#f2c79b\"/>",
        n(centre.x),
        n(centre.y),
        n(rx),
        n(ry)
    );
    let eye = |x: f64, out: &mut String| {
        let _ = writeln!(
            out,
            "      <circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#2c2a33\"/>",
            n(centre.x + x * h),
            n(centre.y - 0.008 * h),
            n((0.0065 * h).max(0.8))
        );
    };
    if looks == 0.0 {
        eye(-0.019, &mut out);
        eye(0.019, &mut out);
    } else {
        eye(0.03 * looks, &mut out);
    }
    // Hair: the upper half, and down the back of the head.
    let back = centre.x - if looks == 0.0 { rx } else { looks * rx };
    let front = centre.x + if looks == 0.0 { rx } else { looks * rx };
    let sweep = u8::from(looks >= 0.0);
    let _ = writeln!(
        out,
        "      <path d=\"M{} {}A{} {} 0 0 {sweep} {} {}Q{} {} {} {}Z\" fill=\"#4a2f27\"/>\n    </g>",
        n(back),
        n(centre.y + if looks == 0.0 { 0.0 } else { 0.02 * h }),
        n(rx * 1.04),
        n(ry * 1.04),
        n(front),
        n(centre.y - 0.018 * h),
        n(centre.x),
        n(centre.y - 0.045 * h),
        n(back),
        n(centre.y + if looks == 0.0 { 0.0 } else { 0.02 * h })
    );
    out
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

/// The outline of two circles joined by their outer tangents.
fn capsule(from: Point, to: Point, r0: f64, r1: f64) -> String {
    let n = |value: f64| rounded(value, 1);
    let way = to - from;
    let length = way.hypot();
    if length <= (r0 - r1).abs() + 1e-6 {
        let (centre, r) = if r0 > r1 { (from, r0) } else { (to, r1) };
        return format!(
            "M{} {}A{r} {r} 0 0 1 {} {}A{r} {r} 0 0 1 {} {}Z",
            n(centre.x - r),
            n(centre.y),
            n(centre.x + r),
            n(centre.y),
            n(centre.x - r),
            n(centre.y),
            r = n(r)
        );
    }
    let d = way / length;
    let c = (r0 - r1) / length;
    let s = (1.0 - c * c).sqrt();
    let side = Vec2::new(-d.y, d.x) * s;
    let (left, right) = (d * c + side, d * c - side);
    let points = [from + right * r0, to + right * r1, to + left * r1, from + left * r0];
    // The arc at the thicker end is the longer one.
    let (large0, large1) = (u8::from(r0 > r1), u8::from(r1 > r0));
    format!(
        "M{} {}L{} {}A{r1} {r1} 0 {large1} 1 {} {}L{} {}A{r0} {r0} 0 {large0} 1 {} {}Z",
        n(points[0].x),
        n(points[0].y),
        n(points[1].x),
        n(points[1].y),
        n(points[2].x),
        n(points[2].y),
        n(points[3].x),
        n(points[3].y),
        n(points[0].x),
        n(points[0].y),
        r0 = n(r0),
        r1 = n(r1)
    )
}

/// A name escaped for the value of an attribute.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
