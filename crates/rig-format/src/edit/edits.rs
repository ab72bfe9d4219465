//! The edits that write weights: a `Smooth` binding becomes an `Explicit` a path, of an `Explicit` only the rows
//! that changed are set.

use super::rows::{listed, typed_tangents, written, written_alike};
use super::{EditError, Edited, EditedBinding, OpenBinding, WeightEditor};
use crate::compile::PathWeightSource;
use crate::doc::{BindingDoc, ClipFollow, ExplicitDoc, SmoothDoc, VertexAddress, VertexPart};
use crate::session::{DocPath, DocValue, Edit};
use bone_skin::{BoneWeights, VertexWeights};

impl WeightEditor<'_> {
    /// The edits that write the weights as they are now. `Smooth` bindings become an `Explicit` a path, with
    /// those of the clip paths and masks that bend with them; of `Explicit` ones only the rows that changed are
    /// written.
    ///
    /// # Errors
    /// If a path has no name by which the rig could mean it alone.
    pub fn finish(self) -> Result<Edited, EditError> {
        let skin = DocPath::from(["skin"]);
        let (mut edits, mut added, mut bindings) = (Vec::new(), Vec::new(), Vec::new());
        for open in self.bindings.iter().filter(|open| open.chosen) {
            let (start, index) = (edits.len(), open.index + added.len());
            let at = skin.clone().index(open.index);
            match (open.doc, open.paths.as_slice()) {
                (BindingDoc::Smooth(smooth), _) => {
                    let mut typed = self.typed(open, smooth)?.into_iter();
                    edits.extend(typed.next().map(|value| Edit::Set { at, value }));
                    added.extend(typed.map(|value| (open.index + 1, value)));
                }
                (BindingDoc::Explicit(explicit), [path, ..]) => {
                    if let PathWeightSource::Typed(before) = &path.before {
                        self.changed_rows(&at, explicit, (before, &path.rows), &mut edits);
                    }
                }
                _ => {}
            }
            if edits.len() > start {
                let place = self.doc.place(open.doc.span());
                bindings.push(EditedBinding {
                    art: open.doc.names().iter().map(|name| name.value.clone()).collect(),
                    source: place.source,
                    span: place.span,
                    index,
                    paths: open.paths.iter().map(|path| self.edited(open, path)).collect::<Result<_, _>>()?,
                });
            }
        }
        // From the end, so that the places before stay valid.
        edits.extend(added.into_iter().rev().map(|(before, value)| Edit::Insert {
            into: skin.clone(),
            before: Some(before),
            value,
        }));
        Ok(Edited { edits, bindings, notes: self.notes })
    }

    /// The `Explicit` bindings in place of a `Smooth` one, with its fields that are not about finding weights.
    fn typed(&self, open: &OpenBinding<'_>, smooth: &SmoothDoc) -> Result<Vec<DocValue>, EditError> {
        self.carries_no_image(open)?;
        let DocValue::Fields(_, fields) = &open.value else { return Err(EditError::Mistakes) };
        // Clip paths and masks that followed get bindings of their own: an `Explicit` binding has no weights
        // for them.
        let follows = smooth.paint_options.clip.is_some_and(|clip| clip.value == ClipFollow::Follow);
        let is_left_out = |name: &str| {
            ["art", "bones", "method", "weights", "heat", "softness", "weld"].contains(&name)
                || follows && name == "clip"
        };
        let typed = |path| {
            let art = self.name(open, path)?;
            let (rows, others) = listed(&path.rows, self.rig.skeleton());
            let kept = fields.iter().filter(|(name, _)| !is_left_out(name));
            let kept = kept.map(|(name, value)| (&**name, value.clone()));
            let fields = std::iter::once(("art", art.as_str().into())).chain(kept);
            let fields = fields.chain([("weights", rows)]).chain(others.map(|row| ("others", row)));
            Ok(DocValue::fields(Some("Explicit"), fields))
        };
        open.paths.iter().map(typed).collect()
    }

    /// Sets the rows of an `Explicit` binding that changed.
    fn changed_rows(
        &self,
        at: &DocPath,
        explicit: &ExplicitDoc,
        (before, after): (&[VertexWeights], &[VertexWeights]),
        edits: &mut Vec<Edit>,
    ) {
        let set = |at, row| Edit::Set { at, value: written(row, self.rig.skeleton()) };
        let mut unlisted: Vec<(DocPath, &BoneWeights, bool)> = Vec::new();
        for ((vertex, old), new) in (0..).zip(before).zip(after) {
            let tangents = typed_tangents(new);
            for part in [VertexPart::Anchor, VertexPart::In, VertexPart::Out] {
                let address = VertexAddress { vertex, part };
                let at = at.clone().name("weights").name(&address.show());
                let is = row_of(new, part);
                let changes = !written_alike(row_of(old, part), is);
                match (explicit.weights.iter().any(|entry| entry.vertex.value == address), part) {
                    (true, _) if changes => edits.push(set(at, is)),
                    (true, _) => {}
                    (false, VertexPart::Anchor) => unlisted.push((at, is, changes)),
                    // A tangent that is not listed follows its anchor, wherever that goes.
                    (false, VertexPart::In) => edits.extend(tangents[0].map(|row| set(at, row))),
                    (false, VertexPart::Out) => edits.extend(tangents[1].map(|row| set(at, row))),
                }
            }
        }
        match (&explicit.others, unlisted.first()) {
            // The weights of all other vertices can be written once, as `others`.
            (Some(_), Some((_, first, _)))
                if unlisted.iter().all(|(_, row, changes)| *changes && written_alike(row, first)) =>
            {
                edits.push(set(at.clone().name("others"), first));
            }
            _ => edits.extend(
                unlisted.into_iter().filter(|(.., changes)| *changes).map(|(at, row, _)| set(at, row)),
            ),
        }
    }
}

fn row_of(vertex: &VertexWeights, part: VertexPart) -> &BoneWeights {
    let own = match part {
        VertexPart::Anchor => None,
        VertexPart::In => vertex.tangent_in.as_ref(),
        VertexPart::Out => vertex.tangent_out.as_ref(),
    };
    own.unwrap_or(&vertex.anchor)
}
