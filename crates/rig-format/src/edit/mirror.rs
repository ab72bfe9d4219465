//! Mirroring over all bindings of a rig: which bones are pairs, where the axis is, and what could not be
//! matched.

use bone_core::{Side, Sides, in_few_digits, mirrored_name};
use bone_skin::edit::{Mirror, MirrorDirection, mirror};
use kurbo::{Rect, Shape as _};

use super::{EditError, WeightEditor, concatenated};

/// Whose weights are the model, by the names of the bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorFrom {
    /// The left: the right takes them over.
    Left,
    /// The right: the left takes them over.
    Right,
    /// Both: they change places.
    Swap,
}

/// A vertex may be so far from where its partner should be, as a share of the drawing's extent.
const TOLERANCE: f64 = 2e-3;

impl WeightEditor<'_> {
    /// Gives vertices of one side the weights of their partners on the other, across an upright axis at
    /// `axis`, or in the middle between the bones of most pairs. Art that may not change serves as a model,
    /// too.
    ///
    /// # Errors
    /// If no bones are pairs by their names, or they lie on each other so that there is no telling left from
    /// right.
    pub fn mirror(&mut self, from: MirrorFrom, axis: Option<f64>) -> Result<(), EditError> {
        let skeleton = self.rig.skeleton();
        let sides = Sides::new(skeleton);
        if sides.pairs().next().is_none() {
            let message = "no two bones have names of a left and a right side";
            return Err(EditError::request(message).help("name them like \"arm.L\" and \"arm.R\""));
        }
        if axis.is_some_and(|axis| !axis.is_finite()) {
            return Err(EditError::request("the axis is not finite"));
        }
        let axis = axis.or_else(|| sides.axis(skeleton)).unwrap_or_default();
        let greater = sides.left_has_greater_x(skeleton);
        let direction = match (from, greater) {
            (MirrorFrom::Swap, _) => MirrorDirection::Swap,
            (MirrorFrom::Left, Some(true)) | (MirrorFrom::Right, Some(false)) => MirrorDirection::ToLesser,
            (MirrorFrom::Left, Some(false)) | (MirrorFrom::Right, Some(true)) => MirrorDirection::ToGreater,
            (_, None) => {
                let message =
                    "the bones of the left and the right side are at the same place, so there is no axis";
                return Err(EditError::request(message));
            }
        };
        let (lines, mut rows) = concatenated(self.bindings.iter().flat_map(|open| &open.paths));
        self.note_bones_alone(&sides);
        let extent = lines
            .iter()
            .flat_map(|line| line.vertices())
            .map(|vertex| Rect::from_points(vertex.anchor, vertex.anchor))
            .reduce(|a, b| a.union(b))
            .map_or(0.0, |all| all.bounding_box().width().max(all.height()));
        let how = Mirror { axis, direction, tolerance: TOLERANCE * extent, sides: &sides };
        let unmatched = mirror(&lines, &mut rows, &how, &self.locks).unwrap_or_default();
        // Unmatched vertices by path, and the rows back to those paths that may change.
        let mut rows = rows.into_iter();
        let mut first = 0;
        let mut notes = Vec::new();
        for open in &mut self.bindings {
            for path in &mut open.paths {
                let range = first..first + path.rows.len();
                first = range.end;
                let new: Vec<_> = rows.by_ref().take(path.rows.len()).collect();
                if !open.chosen {
                    continue;
                }
                path.rows = new;
                let alone: Vec<_> = unmatched.iter().filter(|u| range.contains(&u.vertex)).collect();
                if let Some(one) = alone.first() {
                    let name = self.rig.art().shown_name(path.art.element());
                    notes.push(format!(
                        "{} of {} vertices of art \"{}\" have no partner across x = {}, such as vertex {} at ({}, {}): \
                         they keep their weights",
                        alone.len(),
                        range.len(),
                        name,
                        in_few_digits(axis),
                        one.vertex - range.start,
                        in_few_digits(one.at.x),
                        in_few_digits(one.at.y),
                    ));
                }
            }
        }
        self.notes.extend(notes);
        Ok(())
    }

    /// Bones with a side and no partner, which hold something.
    fn note_bones_alone(&mut self, sides: &Sides) {
        let skeleton = self.rig.skeleton();
        let rows = || {
            let paths = self.bindings.iter().flat_map(|open| &open.paths).flat_map(|path| &path.rows);
            paths.flat_map(|vertex| vertex.anchor.influences())
        };
        let alone = |bone| sides.side(bone).is_some() && sides.partner(bone).is_none();
        let mut bones: Vec<_> = rows().map(|(bone, _)| *bone).filter(|bone| alone(*bone)).collect();
        bones.sort_unstable();
        bones.dedup();
        for bone in bones {
            let name = skeleton.name(bone);
            if let Some((side, other)) = mirrored_name(name) {
                let side = if side == Side::Left { "left" } else { "right" };
                let note = format!(
                    "bone \"{name}\" is on the {side}, and there is no \"{other}\": its weights are not mirrored to another bone"
                );
                self.notes.push(note);
            }
        }
    }
}
