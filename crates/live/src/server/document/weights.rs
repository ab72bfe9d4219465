//! Weights that a page paints.

use bone_core::BoneId;
use bone_format::edit::{
    BoneWeights, EditError, MirrorFrom, Smooth, VertexWeights, WeightEditor, edit_weights,
};
use bone_format::session::Session;
use serde_json::Value;

use super::Document;
use super::refused::Refused;
use crate::server::overtaken::Since;
use crate::server::proto::{Brush, Request, Step};

impl Document {
    /// Changes weights.
    pub(super) fn paint(
        &mut self,
        client: u64,
        brush: Brush,
        gesture: Option<String>,
        base: Option<u64>,
    ) -> Result<(), Refused> {
        self.take_in_whole();
        self.open_gesture(client, gesture.as_deref(), "Paint weights");
        let (before, since) = (self.session.revision(), Since { base, held: None });
        self.session.set_seen(self.revisions.seen(client, &since));
        let painted = paint(&mut self.session, &brush);
        self.session.set_seen(None);
        if let Err(refused) = painted {
            let again = Request::Paint { id: Value::Null, brush, gesture, base };
            return Err(self.kept(refused, &since, &again));
        }
        if self.session.revision() != before {
            self.journal.step(&Step::Paint { brush });
            let title = self.session.undo_title().unwrap_or("Change weights").to_owned();
            self.changed(client, "you", title);
        }
        Ok(())
    }
}

/// Changes weights as a message asks.
pub(super) fn paint(session: &mut Session, brush: &Brush) -> Result<(), Refused> {
    let arts: Vec<&str> = brush.art.iter().map(String::as_str).collect();
    let bone = brush.bone.as_deref();
    let missing = |what: &str| {
        EditError::Unwritable(Box::new(bone_format::Diagnostic::error(
            "edit-refused",
            format!("`{what}` is missing"),
        )))
    };
    let change = |editor: &mut WeightEditor<'_>| -> Result<(), EditError> {
        for bone in &brush.lock {
            editor.lock(bone)?;
        }
        match brush.what.as_str() {
            "set" => {
                let bone = editor.bone(bone.ok_or_else(|| missing("bone"))?)?;
                let mut paths: Vec<_> = editor.paths_mut().map(|(_, rows)| rows).collect();
                for &(path, vertex, value) in &brush.values {
                    let rows = paths.get_mut(path).ok_or_else(|| missing("path"))?;
                    set_weight(rows.get_mut(vertex).ok_or_else(|| missing("vertex"))?, bone, value);
                }
                Ok(())
            }
            "smooth" => {
                let iterations = brush.times.unwrap_or(1).clamp(1, 1000);
                editor.smooth(Smooth { iterations, strength: brush.strength.unwrap_or(0.5).clamp(0.0, 1.0) });
                Ok(())
            }
            "mirror" => match brush.from.as_deref() {
                None | Some("left") => editor.mirror(MirrorFrom::Left, None),
                Some("right") => editor.mirror(MirrorFrom::Right, None),
                _ => Err(missing("from")),
            },
            _ => Err(missing("do")),
        }
    };
    edit_weights(session, &arts, change)?;
    Ok(())
}

/// Gives a bone a share of a vertex.
fn set_weight(row: &mut VertexWeights, bone: BoneId, value: f64) {
    row.anchor = with_share(&row.anchor, bone, value);
    for tangent in [&mut row.tangent_in, &mut row.tangent_out].into_iter().flatten() {
        *tangent = with_share(tangent, bone, value);
    }
}

/// These weights with another share of one bone; the others share the rest as they did.
fn with_share(weights: &BoneWeights, bone: BoneId, value: f64) -> BoneWeights {
    let others = || weights.influences().iter().filter(|(id, _)| *id != bone);
    let sum: f64 = others().map(|(_, share)| share).sum();
    if sum <= 0.0 {
        return BoneWeights::one(bone);
    }
    let rest = others().map(|(id, share)| (*id, share / sum * (1.0 - value)));
    let list = rest.chain([(bone, value)]).filter(|(_, share)| *share > 0.0);
    BoneWeights::new(list).unwrap_or_else(|_| weights.clone())
}
