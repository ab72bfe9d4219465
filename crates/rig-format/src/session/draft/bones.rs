//! Edits of bones at rest: their ends in the form that is written, and their parents.

use std::sync::Arc;

use bone_core::{Angle, BoneId, Skeleton};
use kurbo::{Affine, Point};

use super::{Draft, Found, not_of_scene, put_field};
use crate::edit::EditError;
use crate::session::path::DocPath;
use crate::session::value::{DocValue, rounded};

impl Draft<'_> {
    pub(super) fn skeleton(&self) -> Result<&Skeleton, EditError> {
        self.skeleton.ok_or(EditError::Mistakes)
    }

    pub(super) fn place(
        &mut self,
        bone: &str,
        from: Option<Point>,
        to: Option<Point>,
    ) -> Result<(), EditError> {
        let found = self.locate(&DocPath::bone(bone))?;
        let skeleton = self.skeleton()?;
        let parent = skeleton.find(bone).and_then(|id| skeleton.parent(id));
        self.place_under(bone, &found, parent, from, to)
    }

    /// Writes where an actor of a scene is, by the place of its bone on the canvas.
    pub(super) fn place_actor(&mut self, actor: &str, from: Point) -> Result<(), EditError> {
        let at = DocPath::from(["actors", actor]);
        self.locate(&at).map_err(|_| not_of_scene())?;
        let skeleton = self.skeleton()?;
        let id = skeleton.find(actor).ok_or(EditError::Mistakes)?;
        if !from.is_finite() {
            return Err(EditError::request(format!("the place of actor \"{actor}\" must be finite")));
        }
        // On another actor it is the way from the bone that carries it.
        let start = skeleton.parent(id).map_or(Point::ORIGIN, |parent| skeleton.setup_origin(parent));
        let value = DocValue::from((from - start).to_point()).rounded(self.digits.places);
        self.set(&at.name("at"), value)
    }

    /// Writes the ends of a bone, in the form that stands there, in the frame of a parent.
    pub(super) fn place_under(
        &mut self,
        bone: &str,
        found: &Found,
        parent: Option<BoneId>,
        from: Option<Point>,
        to: Option<Point>,
    ) -> Result<(), EditError> {
        if !from.into_iter().chain(to).all(Point::is_finite) {
            return Err(EditError::request(format!("the place of bone \"{bone}\" must be finite")));
        }
        let skeleton = self.skeleton()?;
        let Some(id) = skeleton.find(bone) else { return Err(EditError::Mistakes) };
        let Some(mut fields) = self.get(found).cloned() else { return Ok(()) };
        if let Some(line) = fields.field("line") {
            let message = format!("bone \"{bone}\" follows the line {line} of the drawing");
            return Err(
                EditError::request(message).help("move the line in the drawing, or remove `line` first")
            );
        }
        let digits = self.digits.places;
        let world = parent.map_or(Affine::IDENTITY, |parent| skeleton.setup_world(parent));
        let parent_tip = parent.map(|parent| skeleton.setup_tip(parent));
        let parent_angle = parent.map_or(Angle::ZERO, |parent| skeleton.setup_angle(parent));
        let (old_from, old_to) = (skeleton.setup_origin(id), skeleton.setup_tip(id));
        let (new_from, new_to) = (from.unwrap_or(old_from), to.unwrap_or(old_to));
        if new_from == new_to {
            let message = format!("bone \"{bone}\" would start and end at the same point");
            return Err(
                EditError::request(message).help("a bone needs a length other than 0 to have a direction")
            );
        }
        let near = |a: Point, b: Point| {
            rounded(a.x, digits) == rounded(b.x, digits) && rounded(a.y, digits) == rounded(b.y, digits)
        };
        let point = |at: Point| DocValue::from(at).rounded(digits);
        let path = DocPath::bone(bone);
        let mut set = |name: &str, value: DocValue| {
            if fields.position(name).is_some() || !matches!(value, DocValue::None) {
                put_field(&mut fields, name, value, &path.steps);
            }
        };
        let has = |name: &str| self.get(found).is_some_and(|bone| bone.field(name).is_some());
        match (has("from"), has("origin")) {
            (true, _) if from.is_some() => set("from", point(new_from)),
            (true, _) => {}
            (false, true) => set("origin", point(world.inverse() * new_from)),
            (false, false) if parent_tip.is_some_and(|tip| near(tip, new_from)) => {}
            (false, false) => set("from", point(new_from)),
        }
        if has("to") {
            if to.is_some() {
                set("to", point(new_to));
            }
        } else {
            let typed = skeleton.length(id);
            let along = if typed < 0.0 { new_from - new_to } else { new_to - new_from };
            let inherited = match skeleton.inherit(id) {
                bone_core::Inherit::NoRotation | bone_core::Inherit::TranslationOnly => Angle::ZERO,
                _ => parent_angle,
            };
            let old_angle = Angle::from_degrees(
                self.get(found)
                    .and_then(|bone| bone.field("angle"))
                    .and_then(DocValue::as_number)
                    .unwrap_or(0.0),
            );
            let angle = (Angle::of(along) - inherited).nearest_to(old_angle).degrees();
            let length = along.hypot().copysign(typed);
            // What is the same in these digits keeps the digits that are written.
            if rounded(length, digits) != rounded(typed, digits) {
                set("length", DocValue::Number(rounded(length, digits)));
            }
            if rounded(angle, digits) != rounded(old_angle.degrees(), digits) {
                set("angle", DocValue::Number(rounded(angle, digits)));
            }
        }
        if let Some(old) = self.get_mut(found) {
            *old = fields;
        }
        Ok(())
    }

    pub(super) fn set_parent(
        &mut self,
        bone: &str,
        parent: Option<&str>,
        keep_place: bool,
    ) -> Result<(), EditError> {
        let found = self.locate(&DocPath::bone(bone))?;
        if let Some(parent) = parent {
            self.locate(&DocPath::bone(parent))?;
            if self.ancestors(parent).iter().any(|above| above == bone) {
                let message =
                    format!("bone \"{parent}\" is bone \"{bone}\" or below it, and cannot be its parent");
                return Err(EditError::request(message));
            }
        }
        let follows_line = self.get(&found).is_some_and(|fields| fields.field("line").is_some());
        if keep_place && !follows_line {
            let skeleton = self.skeleton()?;
            let id = match parent {
                Some(name) => Some(skeleton.find(name).ok_or(EditError::Mistakes)?),
                None => None,
            };
            self.place_under(bone, &found, id, None, None)?;
        }
        let Some(fields) = self.get_mut(&found) else { return Ok(()) };
        match parent {
            Some(parent) => put_field(fields, "parent", parent.into(), &DocPath::bone(bone).steps),
            None => {
                if let DocValue::Fields(_, fields) = fields {
                    Arc::make_mut(fields).retain(|(name, _)| &**name != "parent");
                }
            }
        }
        Ok(())
    }

    /// A bone and its ancestors.
    pub(super) fn ancestors(&self, bone: &str) -> Vec<String> {
        let mut list = vec![bone.to_owned()];
        while let Some(last) = list.last() {
            let parent = self.locate(&DocPath::bone(last).name("parent")).ok();
            let parent = parent.and_then(|found| self.get(&found)?.as_text().map(|name| name.to_string()));
            match parent.filter(|parent| !list.contains(parent)) {
                Some(parent) => list.push(parent),
                None => break,
            }
        }
        list
    }
}
