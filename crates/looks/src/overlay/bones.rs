//! Bones in the usual shape, wide near their start and pointed at their tip; pins as a dot with a ring; their
//! names; their regions of influence.

use bone_core::{Angle, BoneId, InfluenceRegion};
use kurbo::{BezPath, Point, Size, Vec2};

use super::labels::around;
use super::writer::{HALO, INK, OverlayStroke, OverlayWriter};
use crate::lettering::{Anchor, TextLine, rounded};
use bone_rig::{FrameState, Rig};

const BONE: &str = "fill=\"#ffb340\" fill-opacity=\"0.6\"";
/// Bones with secondary motion.
const SPRING: &str = "fill=\"#3fc1c9\" fill-opacity=\"0.6\"";
const EDGE: &str = "#5b3200";
const REGION: &str = "#7b3fc4";
/// Radius of the ring of a pin, in pixels.
const PIN: f64 = 6.5;
/// Height of names, in pixels.
const NAME: f64 = 11.0;

/// The origin and tip of a bone, in pixels; those of a pin are one.
fn ends(rig: &Rig, state: &FrameState, bone: BoneId, out: &OverlayWriter<'_>) -> Option<(Point, Point)> {
    let (world, pose) = (state.world(), state.driven());
    let is_pin = rig.points().contains(&bone);
    let tip = if is_pin { world.origin(bone) } else { world.tip(rig.skeleton(), pose, bone) };
    Some((out.at(world.origin(bone))?, out.at(tip)?))
}

pub(super) fn write(rig: &Rig, state: &FrameState, out: &mut OverlayWriter<'_>) {
    let skeleton = rig.skeleton();
    let spring_bones: Vec<BoneId> = rig.springs().bones().collect();
    // Dotted lines from parents to children that do not start at their tips.
    for bone in skeleton.bones() {
        let Some(parent) = state.driven().parent(skeleton, bone) else { continue };
        let (Some((at, _)), Some((_, tip))) = (ends(rig, state, bone, out), ends(rig, state, parent, out))
        else {
            continue;
        };
        if (tip - at).hypot() > 6.0 {
            let mut line = BezPath::new();
            line.move_to(tip);
            line.line_to(at);
            let stroke = OverlayStroke { dashes: "2 3", halo: 0.8, ..OverlayStroke::new(EDGE, 0.8) };
            out.path(&line, "fill=\"none\"", stroke);
        }
    }
    for bone in skeleton.bones() {
        let Some((from, to)) = ends(rig, state, bone, out) else { continue };
        let along = to - from;
        let length = along.hypot();
        let width = (0.11 * length).clamp(2.0, 8.0);
        let mut shape = BezPath::new();
        if length > 0.5 {
            let side = Vec2::new(-along.y, along.x) * (width / length);
            let shoulder = from + along * (1.6 * width / length).min(0.35);
            shape.move_to(from);
            shape.line_to(shoulder + side);
            shape.line_to(to);
            shape.line_to(shoulder - side);
            shape.close_path();
        }
        let is_pin = rig.points().contains(&bone);
        let fill = if spring_bones.contains(&bone) { SPRING } else { BONE };
        if is_pin {
            out.dot(from, PIN, fill, OverlayStroke::new(EDGE, 1.0));
            out.labels.mark(from, PIN + 1.5);
        } else {
            out.path(&shape, fill, OverlayStroke::new(EDGE, 1.0));
        }
        let radius = if width < 4.0 && !is_pin { 1.8 } else { 2.6 };
        let stroke = OverlayStroke { halo: 0.0, ..OverlayStroke::new(EDGE, 1.1) };
        out.dot(from, radius, "fill=\"#fff\"", stroke);
        out.labels.mark(from, radius + 1.5);
        if length > 24.0 {
            out.labels.mark(from + along * 0.3, 3.0);
            out.labels.mark(from + along * 0.6, 2.0);
        }
    }
}

/// Names beside their bones; where there is no space, a thin line leads to a name that is farther away.
pub(super) fn names(rig: &Rig, state: &FrameState, out: &mut OverlayWriter<'_>) {
    const RINGS: [f64; 10] = [7.0, 11.0, 17.0, 25.0, 36.0, 50.0, 68.0, 90.0, 118.0, 150.0];
    let skeleton = rig.skeleton();
    for bone in skeleton.bones() {
        let Some((from, to)) = ends(rig, state, bone, out) else { continue };
        if !out.frame.inflate(40.0, 40.0).contains(from.midpoint(to)) {
            continue;
        }
        let name = bone_format::text::shortened(skeleton.name(bone));
        let middle = from.lerp(to, 0.45);
        let words = TextLine::new(&name, NAME, middle, INK).halo(HALO);
        let size = Size::new(words.width() + 2.0, NAME + 3.0);
        let places = around(middle, to - from, size, &RINGS);
        let Some(place) = out.labels.take(&places, size, false) else { continue };
        // From the nearest point of the label to the bone.
        let near = Point::new(
            middle.x.clamp(place.x - 0.5 * size.width, place.x + 0.5 * size.width),
            middle.y.clamp(place.y - 0.5 * size.height, place.y + 0.5 * size.height),
        );
        if (near - middle).hypot() > 15.0 {
            let mut line = BezPath::new();
            line.move_to(middle);
            line.line_to(near);
            out.path(&line, "fill=\"none\"", OverlayStroke { halo: 0.8, ..OverlayStroke::new(INK, 0.7) });
        }
        let at = Point::new(place.x, place.y + 0.36 * NAME);
        TextLine { at, ..words }.anchor(Anchor::Middle).write(out.svg);
    }
}

/// The regions of influence of bones.
pub(super) fn regions(rig: &Rig, state: &FrameState, out: &mut OverlayWriter<'_>) {
    let skeleton = rig.skeleton();
    for bone in skeleton.bones() {
        let Some(region) = skeleton.region(bone) else { continue };
        let capsule = capsule(region, skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        let posed = state.matrices().of(bone) * capsule;
        let fill = format!("fill=\"{REGION}\" fill-opacity=\"{}\"", rounded(0.1));
        out.canvas_path(&posed, &fill, OverlayStroke { dashes: "5 3", ..OverlayStroke::new(REGION, 1.1) });
    }
}

/// The border of a capsule: in each direction, the farther of its two circles.
fn capsule(region: InfluenceRegion, origin: Point, tip: Point) -> BezPath {
    const STEPS: u32 = 96;
    let mut path = BezPath::new();
    for step in 0..STEPS {
        let direction = Angle::from_degrees(360.0 * f64::from(step) / f64::from(STEPS)).direction();
        let far = |at: Point, radius: f64| (at.to_vec2().dot(direction) + radius, at + direction * radius);
        let (start, end) = (far(origin, region.origin_radius), far(tip, region.tip_radius));
        let (_, point) = if start.0 > end.0 { start } else { end };
        if step == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    path.close_path();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn influence_ends_at_the_border_of_a_capsule() {
        for (r0, r1) in [(10.0, 10.0), (20.0, 5.0), (3.0, 14.0), (60.0, 2.0)] {
            let region = InfluenceRegion { origin_radius: r0, tip_radius: r1 };
            let (origin, tip) = (Point::new(5.0, 7.0), Point::new(45.0, 27.0));
            let middle = origin.midpoint(tip);
            for element in capsule(region, origin, tip).elements() {
                let Some(at) = element.end_point() else { continue };
                let out = middle + (at - middle) * 1.01;
                assert!(region.influence(origin, tip, out) == 0.0, "{r0} {r1} {at}");
                let within = middle + (at - middle) * 0.97;
                assert!(region.influence(origin, tip, within) > 0.0, "{r0} {r1} {at}");
            }
        }
    }
}
