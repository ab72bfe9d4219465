//! Text to document: gives the tree of a rig its meaning and reports whatever has none.
//! What fields there are is in the tables of the documents; this module has how each type of value is
//! read. Whether values agree with each other is for `check`.

mod entry;
mod events;
mod given;
mod keys;
mod rig;
mod shapes;
mod values;

use crate::diagnostic::Diagnostics;
use crate::doc::{RigDoc, SceneDoc};
use crate::span::SourceId;
use crate::text;

pub(crate) use entry::{EntryEdit, Undo, replace_entry};
#[cfg(feature = "serde")]
pub(crate) use rig::read_node;
pub(crate) use rig::{read_part, read_whole, root, scene_of_root, scene_root};

/// Reads a rig. The document holds whatever was readable; none if the text holds no rig at all.
/// `source` is the text's place in diagnostics.
pub fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let parsed = text::parse(source, text, diagnostics);
    read_whole(source, parsed, diagnostics)
}

/// Reads a scene, as [`read`] reads a rig; none if the text holds no scene at all.
pub fn read_scene(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<SceneDoc> {
    let root = scene_root(&text::parse(source, text, diagnostics))?;
    scene_of_root(source, &root, diagnostics)
}

/// Reads a rig from the bytes of a file. The text that places refer to is the one from [`text::decode`].
pub fn read_bytes(source: SourceId, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let text = text::decode(source, bytes, diagnostics);
    read(source, &text, diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::clip::{Scalar, Vector};

    use crate::doc::{BindingDoc, Ease, Extend, KeepTransform, VertexPart};

    fn whole(text: &str) -> RigDoc {
        let mut diagnostics = Diagnostics::new();
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        assert!(diagnostics.is_empty() && doc.complete, "{:?}", diagnostics.iter().next());
        doc
    }

    #[test]
    fn the_document_has_what_was_written_in_its_order() {
        let doc = whole(
            r#"(version: 1, drawing: "a.svg", fps: None,
            bones: {"z": (from: (1, 2), length: Some(3)), "a": (parent: "z", to: (4, 5), limits: (-1, 2))},
            skin: [Explicit(art: "cape", weights: {"3.in": {"a": 1}}, others: {"z": .5})],
            clips: {"c": (bones: {"a": (
                rotate: (keys: [(0, 1, Bezier(0, 1, 1, 0))], extend: Loop),
                scale: [(0.5, 2), (1, (1, 3))],
                parent: [(0, Some("z")), (1, None, Local)],
            )}, offsets: {"cape": {0: [(2, (4, 9))]}})})"#,
        );
        assert_eq!(doc.fps, None);
        let names: Vec<&str> = doc.bones.iter().map(|bone| bone.name.value.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(doc.bone("z").unwrap().length.unwrap().value, 3.0);
        assert_eq!(doc.bone("a").unwrap().limits.unwrap().value.least, -1.0);
        let BindingDoc::Explicit(binding) = &doc.skin[0] else { panic!() };
        assert_eq!(binding.weights[0].vertex.value.part, VertexPart::In);
        assert_eq!(binding.others.as_ref().unwrap().list[0].1.value, 0.5);
        let channels = &doc.clip("c").unwrap().bones[0];
        let rotate = channels.values.number(Scalar::Rotate).unwrap();
        assert_eq!(rotate.extend.unwrap().value, Extend::Loop);
        assert!(matches!(rotate.keys[0].ease.unwrap().value, Ease::Bezier { .. }));
        assert_eq!(
            channels.values.pair(Vector::Scale).unwrap().keys[0].value.value,
            kurbo::Vec2::new(2.0, 2.0)
        );
        let parent = channels.parent.as_ref().unwrap();
        assert_eq!(parent.keys[0].parent.value.as_deref(), Some("z"));
        assert_eq!(
            (parent.keys[1].parent.value.as_deref(), parent.keys[1].keep.unwrap().value),
            (None, KeepTransform::Local)
        );
        assert_eq!(doc.clips[0].duration(), Some(2.0));
    }

    #[test]
    fn readable_parts_are_kept_after_an_error() {
        let mut diagnostics = Diagnostics::new();
        let text = r#"(version: 1, drawing: "a.svg", bones: {"a": (from: [1, 2], length: 3), "b": 7})"#;
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        crate::check(&doc, &mut diagnostics);
        assert_eq!(diagnostics.error_count(), 2);
        assert!(doc.complete && !doc.bones[0].complete && !doc.bones[1].complete);
        assert_eq!(doc.bones[0].length.unwrap().value, 3.0);
    }
}
