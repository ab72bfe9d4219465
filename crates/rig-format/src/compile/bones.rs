//! Bones of the document to a skeleton: places on the canvas, numbers or ends of lines of the drawing, become
//! origins and angles in parents' frames.

use std::collections::BTreeMap;

use bone_core::{
    Angle, BoneSpec, BuildError, InfluenceRegion, Joint, Skeleton, SkeletonBuilder, in_few_digits,
};
use kurbo::{Affine, BezPath, PathEl, Point, Vec2};

use super::pass::Pass;
use crate::doc::{self, BoneDoc, BoneKind};
use crate::span::Spanned;

/// The least and the greatest length of a point in the skeleton, as shares of the drawing's longer side.
const POINT: (f64, f64) = (0.02, 0.2);

/// A bone of the setup pose on the canvas, for its children.
#[derive(Clone, Copy)]
struct AtRest {
    world: Affine,
    beta: Angle,
    length: f64,
}

impl Pass<'_> {
    /// The skeleton; none if a bone is unusable, which is reported.
    pub(super) fn bones(&mut self) -> Option<Skeleton> {
        let doc = self.doc;
        let by_name: BTreeMap<&str, usize> =
            doc.bones.iter().enumerate().map(|(i, bone)| (bone.name.value.as_str(), i)).collect();
        let mut at_rest: Vec<Option<AtRest>> = vec![None; doc.bones.len()];
        let mut specs: Vec<Option<BoneSpec>> = vec![None; doc.bones.len()];
        let mut met = vec![false; doc.bones.len()];
        for start in 0..doc.bones.len() {
            // Parents first, whatever the order of the file: up to what is placed, then down again.
            let mut path = Vec::new();
            let mut at = Some(start);
            // A bone is visited once, also in a cycle of parents or if one of them is unusable.
            while let Some(i) = at.filter(|&i| !std::mem::replace(&mut met[i], true)) {
                path.push(i);
                at = doc.bones[i].parent.as_ref().and_then(|p| by_name.get(p.value.as_str()).copied());
            }
            for i in path.into_iter().rev() {
                let bone = &doc.bones[i];
                let parent = bone.parent.as_ref().and_then(|p| by_name.get(p.value.as_str()).copied());
                let parent = parent.and_then(|p| at_rest[p]);
                let Some((spec, placed)) = self.bone(bone, parent) else {
                    self.fault(bone.name.span, "this bone");
                    continue;
                };
                specs[i] = Some(spec);
                at_rest[i] = Some(placed);
            }
        }
        if specs.iter().any(Option::is_none) || self.diagnostics.has_errors() {
            return None;
        }
        let mut builder = SkeletonBuilder::new();
        specs.into_iter().flatten().for_each(|spec| builder.push(spec));
        builder.build().map_err(|errors| errors.iter().for_each(|error| self.bone_error(error))).ok()
    }

    /// One bone in its parent's frame, and on the canvas. None if it has no place, no direction or no parent.
    fn bone(&mut self, bone: &BoneDoc, parent: Option<AtRest>) -> Option<(BoneSpec, AtRest)> {
        if bone.parent.is_some() && parent.is_none() {
            return None;
        }
        let line = match &bone.line {
            Some(line) => Some(self.ends_of_line(bone, line)?),
            None => None,
        };
        let from = line.map(|(from, _)| from).or(bone.from.map(|from| from.value));
        let to = line.map(|(_, to)| to).or(bone.to.map(|to| to.value));
        let inherit = bone.inherit.map(|i| i.value).unwrap_or_default();
        let (world, beta, tip) =
            parent.map_or((Affine::IDENTITY, Angle::ZERO, 0.0), |p| (p.world, p.beta, p.length));
        let origin = match (from, bone.origin) {
            (Some(from), _) => (world.inverse() * from).to_vec2(),
            (None, Some(origin)) => origin.value,
            (None, None) => Vec2::new(tip, 0.0),
        };
        let start = world * origin.to_point();
        // At rest no scale is inherited: a child starts from its parent's turn or from none.
        let inherited = match inherit {
            bone_core::Inherit::NoRotation | bone_core::Inherit::TranslationOnly => Angle::ZERO,
            _ => beta,
        };
        let (angle, length) = match (to, bone.length) {
            (Some(to), _) => {
                let along: Vec2 = to - start;
                if along.hypot() == 0.0 {
                    let name = &bone.name.value;
                    let message = format!(
                        "bone \"{name}\" starts and ends at the same point, ({}, {})",
                        in_few_digits(start.x),
                        in_few_digits(start.y)
                    );
                    let span = bone.to.map_or(bone.name.span, |to| to.span);
                    self.error(span, message, "a bone needs a length other than 0 to have a direction");
                    return None;
                }
                ((Angle::of(along) - inherited).nearest_to(Angle::ZERO), along.hypot())
            }
            (None, length) => {
                let angle = Angle::from_degrees(bone.angle.map_or(0.0, |a| a.value));
                match bone.kind() {
                    BoneKind::Point => (angle, self.size_of_point(start)),
                    BoneKind::Segment => (angle, length?.value),
                }
            }
        };
        let spec = BoneSpec {
            name: bone.name.value.clone(),
            parent: bone.parent.as_ref().map(|p| p.value.clone()),
            origin,
            angle,
            length,
            inherit,
            volume: bone.volume.map_or(0.0, |volume| volume.value),
            joint: joint(bone, angle),
            region: bone
                .region
                .map(|r| InfluenceRegion { origin_radius: r.value.start, tip_radius: r.value.tip }),
        };
        let beta = inherited + angle;
        let placed = beta.rotation().then_translate(start.to_vec2());
        // The tip of a point is the point.
        let length = if bone.kind() == BoneKind::Point { 0.0 } else { length };
        Some((spec, AtRest { world: placed, beta, length }))
    }

    /// The length of a point in the skeleton, in which every bone has one: constraints and drawn bones need a
    /// direction, and outlines around a pin are cut for shifts of half of it.
    fn size_of_point(&self, at: Point) -> f64 {
        let size = self.art.canvas().size();
        let side = size.width.max(size.height);
        let others = self.doc.bones.iter().filter_map(|bone| bone.from).map(|from| from.value.distance(at));
        let nearest = others.filter(|apart| *apart > 0.0).fold(f64::INFINITY, f64::min);
        nearest.clamp(POINT.0 * side, POINT.1 * side).max(f64::MIN_POSITIVE)
    }

    /// Where the line of a bone begins and ends on the canvas; none after reporting why it has no two ends.
    fn ends_of_line(&mut self, bone: &BoneDoc, line: &Spanned<String>) -> Option<(Point, Point)> {
        let element = self.find(line)?;
        let outline = self.art_index.only_path(element).and_then(|path| self.art.outline(path));
        let art = &line.value;
        let Some(outline) = outline else {
            let message =
                format!("`line` of bone \"{}\" is art \"{art}\", which is not one path", bone.name.value);
            self.error(line.span, message, "name one open path, or a group with only one path");
            return None;
        };
        let (message, help) = match ends(&outline.path) {
            Ok(ends) => return Some(ends),
            Err(NoLine::Closed) => (
                format!("`line` is art \"{art}\", which is a closed path"),
                "open the path in the drawing program, or use `from` and `to`",
            ),
            Err(NoLine::Several(count)) => (
                format!("`line` is art \"{art}\", which has {count} subpaths"),
                "name a path with one subpath: split the path in the drawing program",
            ),
            Err(NoLine::NoLength) => (
                format!("`line` is art \"{art}\", which starts and ends at the same point"),
                "move one end of the path in the drawing program: a bone needs a length to have a direction",
            ),
        };
        self.error(line.span, message, help);
        None
    }

    fn bone_error(&mut self, error: &BuildError) {
        let name = match error {
            BuildError::TwinName { bone }
            | BuildError::UnknownParent { bone, .. }
            | BuildError::Length { bone, .. }
            | BuildError::NotFinite { bone } => Some(bone),
            BuildError::Cycle { bones } => bones.first(),
            _ => None,
        };
        let span = name.and_then(|name| self.doc.bone(name)).map_or(self.doc.span, |bone| bone.name.span);
        self.error(span, error.to_string(), "");
    }
}

/// Why a path gives a bone no ends.
enum NoLine {
    Closed,
    Several(usize),
    NoLength,
}

/// The first and the last point of an open path.
fn ends(path: &BezPath) -> Result<(Point, Point), NoLine> {
    let elements = path.elements();
    let begins = elements.iter().filter(|element| matches!(element, PathEl::MoveTo(_))).count();
    if elements.iter().any(|element| matches!(element, PathEl::ClosePath)) {
        return Err(NoLine::Closed);
    }
    if begins > 1 {
        return Err(NoLine::Several(begins));
    }
    let first = elements.first().and_then(PathEl::end_point);
    let last = elements.last().and_then(PathEl::end_point);
    let ends = first.zip(last).filter(|(from, to)| (*to - *from).hypot() > 0.0);
    ends.ok_or(NoLine::NoLength)
}

/// A sliding bone slides along itself.
fn joint(bone: &BoneDoc, angle: Angle) -> Joint {
    let limits = bone.limits.map(|limits| (limits.value.least, limits.value.most));
    let usual = if bone.kind() == BoneKind::Point { doc::Joint::Free } else { doc::Joint::default() };
    match bone.joint.map_or(usual, |joint| joint.value) {
        doc::Joint::Free => Joint::Free,
        doc::Joint::Fixed => Joint::Fixed,
        doc::Joint::Slide => Joint::Slide { axis: angle, limits },
        doc::Joint::Pin => Joint::Pin {
            limits: limits.map(|(least, most)| (Angle::from_degrees(least), Angle::from_degrees(most))),
        },
    }
}

/// A place in a parent's frame as the runtime keeps it.
pub(super) fn vector(point: Point) -> Vec2 {
    point.to_vec2()
}
