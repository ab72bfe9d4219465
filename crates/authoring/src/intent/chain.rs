//! Chains of bones that are drawn, and their twins on the other side.

use std::collections::BTreeSet;

use bone_core::{Side, mirrored_name};
use bone_drawing::{ElementId, Frame};
use bone_format::session::Edit;
use kurbo::Point;

use super::{CurrentRig, free_name, request};
use crate::error::AuthoringError;
use crate::scaffold::given_name_at;

/// Points are one within this share of the drawing's diagonal.
const SAME: f64 = 1e-4;
/// A bone is on the axis if both ends are within this share of the drawing's width.
const ON_AXIS: f64 = 0.01;
/// At most this many points.
const MOST_POINTS: usize = 500;

/// A bone that is to be added.
struct DrawnBone {
    name: String,
    parent: Option<String>,
    /// None at the tip of its parent.
    from: Option<Point>,
    to: Point,
}

/// A point on the other side of an upright axis.
pub(super) fn mirrored(at: Point, axis: f64) -> Point {
    Point::new(2.0 * axis - at.x, at.y)
}

/// The name without its side, and the side as it is written; `fore.L` is `fore` and `.L`.
pub(super) fn parted(name: &str) -> (&str, &str) {
    let Some((_, twin)) = mirrored_name(name) else { return (name, "") };
    let same = name.bytes().zip(twin.bytes()).take_while(|(a, b)| a == b).count();
    let start = name[..same].trim_end_matches(['.', '_', '-', ' ']).len();
    match name.get(start..).filter(|_| start > 0 && name.len() - same <= 1) {
        Some(side) => (&name[..start], side),
        None => (name, ""),
    }
}

pub(super) fn draw(
    scene: &CurrentRig<'_>,
    points: &[Point],
    parent: Option<&str>,
    axis: Option<f64>,
) -> Result<Vec<Edit>, AuthoringError> {
    let canvas = scene.rig.art().canvas();
    let near = SAME * canvas.size().to_vec2().hypot();
    if !(2..=MOST_POINTS).contains(&points.len()) {
        return Err(request(format!("a chain has 2 to {MOST_POINTS} points")));
    }
    if !points.iter().all(|point| point.is_finite()) || axis.is_some_and(|axis| !axis.is_finite()) {
        return Err(request("the points of a chain must be finite"));
    }
    if points.windows(2).any(|ends| (ends[1] - ends[0]).hypot() <= near) {
        return Err(request("two points of a chain are one: a bone needs a length"));
    }
    let above = parent.map(|parent| scene.bone(parent)).transpose()?;
    let skeleton = scene.skeleton();
    let mut names: BTreeSet<String> = skeleton.bones().map(|bone| skeleton.name(bone).to_owned()).collect();
    let mut all: Vec<DrawnBone> = Vec::new();
    // The last bone of the chain and that of its twin; on the axis they are one.
    let mut last = [parent.map(str::to_owned), parent.and_then(|parent| twin_of(parent, &names))];
    let at_tip = |at: Point| above.is_some_and(|above| (skeleton.setup_tip(above) - at).hypot() <= near);
    let twin_tip =
        last[1].as_deref().and_then(|twin| skeleton.find(twin)).map(|twin| skeleton.setup_tip(twin));
    for (index, ends) in points.windows(2).enumerate() {
        let (from, to) = (ends[0], ends[1]);
        let beside = axis.filter(|axis| ends.iter().any(|at| (at.x - axis).abs() > ON_AXIS * canvas.width()));
        let base = name_at(scene, from.midpoint(to));
        let name = match beside {
            Some(axis) => {
                let side = if from.midpoint(to).x > axis { Side::Left } else { Side::Right };
                let both_free = |name: &str| {
                    !names.contains(name)
                        && mirrored_name(name).is_none_or(|(_, twin)| !names.contains(&twin))
                };
                free_name(&sided(&base, side), |name| !both_free(name))
            }
            None => free_name(&base, |name| names.contains(name)),
        };
        let start = (index == 0 && !at_tip(from)).then_some(from);
        names.insert(name.clone());
        all.push(DrawnBone { name: name.clone(), parent: last[0].take(), from: start, to });
        let twin = beside.zip(mirrored_name(&name));
        if let Some((axis, (_, twin))) = &twin {
            let from = mirrored(from, *axis);
            let follows = index > 0 && last[1].is_some()
                || index == 0 && twin_tip.is_some_and(|tip| (tip - from).hypot() <= near);
            // Where the chain leaves the axis, the twin starts at the tip of the bone on the axis.
            let parent = last[1].take().or_else(|| all.last().and_then(|bone| bone.parent.clone()));
            names.insert(twin.clone());
            let start = (!follows).then_some(from);
            all.push(DrawnBone { name: twin.clone(), parent, from: start, to: mirrored(to, *axis) });
        }
        last = [Some(name.clone()), Some(twin.map_or(name, |(_, (_, twin))| twin))];
    }
    let edit = |bone: &DrawnBone| Edit::add_bone(&bone.name, bone.parent.as_deref(), bone.from, bone.to);
    Ok(all.iter().map(edit).collect())
}

/// The bone on the other side, if there is one.
fn twin_of(bone: &str, names: &BTreeSet<String>) -> Option<String> {
    mirrored_name(bone).map(|(_, twin)| twin).filter(|twin| names.contains(twin))
}

/// A name with a side: that which it has, if it is the right one.
fn sided(base: &str, side: Side) -> String {
    match mirrored_name(base) {
        Some((own, _)) if own == side => base.to_owned(),
        Some((_, twin)) => twin,
        None => format!("{base}{}", if side == Side::Left { ".L" } else { ".R" }),
    }
}

/// What a bone is called: after the art at its middle, if a person named that.
fn name_at(scene: &CurrentRig<'_>, middle: Point) -> String {
    let art = scene.rig.art();
    let hit = art.hit_test(&Frame::default(), middle, 0.0).and_then(|hit| hit.element);
    let all = art.ids().filter(|id| art.is_shape(*id)).count();
    // A group around most of the drawing says nothing about this place.
    let is_of_most = |id: ElementId| 2 * art.paths_in(id).len() > all.max(3);
    let named = hit.and_then(|hit| given_name_at(art, hit, is_of_most));
    named.unwrap_or_else(|| "bone".to_owned())
}
