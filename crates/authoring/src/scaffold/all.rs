//! Binds all art of a rig that is there, as a scaffold does for a drawing without one.

use std::collections::BTreeMap;

use bone_drawing::{Drawing, ElementId};
use bone_format::doc::{ArtNames, BindingDoc};
use bone_format::session::{DocPath, DocValue, Edit, Session};

use super::bind::PieceBinding;
use super::bones::GuideBone;
use super::draft::ScaffoldDraft;
use super::{BoneStyle, FileNames, TRIES};
use crate::error::AuthoringError;

/// Edits that bind all art to the bones that pass through it, or else to the nearest one. Art that is bound keeps its
/// binding, unless it is to be replaced.
pub(crate) fn bind_all(session: &Session, replace: bool) -> Result<Vec<Edit>, AuthoringError> {
    let request = |message: &str| AuthoringError::Request(message.to_owned());
    let mistakes = || AuthoringError::Edit(bone_format::edit::EditError::Mistakes);
    let doc = session.doc().filter(|_| session.is_current()).ok_or_else(mistakes)?;
    let (Some(rig), Some(art)) = (session.rig(), session.drawing()) else { return Err(mistakes()) };
    let skeleton = rig.skeleton();
    let bones: Vec<GuideBone> = skeleton
        .bones()
        .map(|bone| GuideBone {
            name: skeleton.name(bone).to_owned(),
            parent: skeleton.parent(bone).map(|parent| parent.index()),
            from: skeleton.setup_origin(bone),
            to: skeleton.setup_tip(bone),
            at_tip: false,
            line: None,
        })
        .collect();
    if bones.is_empty() {
        return Err(request("there are no bones that art could follow: draw some first"));
    }
    let svg = session.drawing_text().unwrap_or_default();
    let called = FileNames { drawing: "", rig: "" };
    let mut draft = ScaffoldDraft::with_bones(art, svg, called, BoneStyle::Coordinates, bones);
    let mut cleared = Vec::new();
    if replace {
        let skin = (0..doc.skin.len()).rev().map(|index| DocPath::from(["skin"]).index(index));
        cleared.extend(skin.map(Edit::remove));
    } else {
        keep_bound(&mut draft, art, &doc.skin);
    }
    for _ in 0..TRIES {
        match session.try_edits(&edits(&draft, &cleared)) {
            Ok(tried) if draft.corrected(Some(&tried.doc), &tried.diagnostics) => {}
            Ok(_) => break,
            Err(error) => {
                if !draft.simplify(&refused(session, &draft, &cleared)) {
                    return Err(error.into());
                }
            }
        }
    }
    let all = edits(&draft, &cleared);
    if all.len() == cleared.len() {
        return Err(request("all art that can follow a bone is bound already"));
    }
    Ok(all)
}

/// Leaves out art that is bound, or is part of art that is.
fn keep_bound(draft: &mut ScaffoldDraft<'_>, art: &Drawing, skin: &[BindingDoc]) {
    let names = skin.iter().flat_map(|binding| binding.names());
    let bound: Vec<ElementId> = names.filter_map(|name| art.find(&name.value).ok()).collect();
    let is_bound = |name: &str| {
        let id = art.find(name).ok();
        id.is_some_and(|id| bound.iter().any(|own| art.is_within(id, *own) || art.is_within(*own, id)))
    };
    for (piece, _) in &mut draft.pieces {
        piece.names.retain(|name| !is_bound(name));
        piece.rigid_parts.retain(|part| !is_bound(&part.name));
    }
    draft.pieces.retain(|(piece, _)| !piece.names.is_empty());
}

/// The pieces whose bindings are refused, each tried alone, with the reasons.
fn refused(session: &Session, draft: &ScaffoldDraft<'_>, cleared: &[Edit]) -> BTreeMap<String, String> {
    let alone = |(piece, how): &(super::art::ArtPiece, PieceBinding)| {
        let own = draft.bindings(piece, how).into_iter().map(inserted);
        let error = session.try_edits(&cleared.iter().cloned().chain(own).collect::<Vec<_>>()).err()?;
        Some((piece.names.first()?.clone(), error.to_string()))
    };
    draft.pieces.iter().filter_map(alone).collect()
}

fn edits(draft: &ScaffoldDraft<'_>, cleared: &[Edit]) -> Vec<Edit> {
    let bindings = draft.pieces.iter().flat_map(|(piece, how)| draft.bindings(piece, how));
    cleared.iter().cloned().chain(bindings.map(inserted)).collect()
}

fn inserted(binding: BindingDoc) -> Edit {
    let art = |names: &ArtNames| match names.names.as_slice() {
        [one] => DocValue::text(&one.value),
        several => DocValue::list(several.iter().map(|name| DocValue::text(&name.value))),
    };
    let value = match &binding {
        BindingDoc::Rigid(rigid) => {
            let fields = [("art", art(&rigid.art)), ("bone", DocValue::text(&rigid.bone.value))];
            DocValue::fields(Some("Rigid"), fields)
        }
        BindingDoc::Smooth(smooth) => {
            let bones = smooth.bones.iter().flat_map(|bones| &bones.value);
            let bones = DocValue::list(bones.map(|bone| DocValue::text(&bone.value)));
            DocValue::fields(Some("Smooth"), [("art", art(&smooth.art)), ("bones", bones)])
        }
        BindingDoc::Explicit(_) | BindingDoc::Puppet(_) => DocValue::None,
    };
    Edit::Insert { into: DocPath::from(["skin"]), before: None, value }
}
