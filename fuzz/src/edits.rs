//! Bytes as edits of a rig: after each, text and document are those of a fresh load, and undoing all of them
//! gives the text back to the byte.

use std::path::Path;
use std::sync::Arc;

use kurbo::Point;
use bone_format::doc::{Ease, Extend, RigDoc};
use bone_format::session::{DocPath, DocValue, Edit, Named, Session};
use bone_format::{Files, load, no_fonts};

use crate::{BETWEEN, RIG, SVG, Two};

/// More edits of one rig find nothing more.
const MOST: usize = 32;

/// Four bytes an edit, of a good rig, or of the one before the line between them.
pub fn edits(data: &[u8]) {
    let between = data.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    let (rig, orders) = between.map_or((RIG, data), |at| (&data[..at], &data[at + BETWEEN.len()..]));
    let files =
        |text: &[u8]| -> Arc<dyn Files> { Arc::new(Two { rig: text.to_owned(), svg: SVG.to_owned() }) };
    let mut session = Session::open("rig.ron", files(rig), no_fonts);
    if !session.is_current() {
        return;
    }
    let first = session.text().to_owned();
    for order in orders.chunks_exact(4).take(MOST) {
        let before = session.text().to_owned();
        let result = match order[0] % 16 {
            0 => session.undo(),
            1 => session.redo(),
            _ => {
                let Some(edit) = session.doc().and_then(|doc| edit(doc, order)) else { continue };
                session.apply(&edit).map(Some)
            }
        };
        match result {
            Ok(_) => {
                let fresh = load(Path::new("rig.ron"), files(session.text().as_bytes()), &no_fonts);
                assert_eq!(fresh.doc.as_ref(), session.doc(), "{}", session.text());
                assert!(fresh.diagnostics.iter().eq(session.diagnostics().iter()));
                assert!(fresh.rig.is_some() && session.is_current());
            }
            Err(error) => {
                assert!(!error.to_string().contains("would not be read"), "{error}");
                assert_eq!(session.text(), before);
            }
        }
    }
    while session.undo().expect("an undo").is_some() {}
    assert_eq!(session.text(), first);
}

fn pick<T>(list: &[T], byte: u8) -> Option<&T> {
    list.get(usize::from(byte) % list.len().max(1))
}

/// An edit of what the document has, chosen by bytes.
fn edit(doc: &RigDoc, order: &[u8]) -> Option<Edit> {
    let [what, first, second, third] = *order.first_chunk::<4>()?;
    let number = (f64::from(second) - 128.0) / 8.0;
    let bone = pick(&doc.bones, first).map(|bone| bone.name.value.clone());
    let clip = pick(&doc.clips, third)?;
    let named = || format!("{}\u{7}\"{third}", ["a", "é", "x/y"][usize::from(second) % 3]);
    let channel = |name: &str| Some(DocPath::channel(&clip.name.value, bone.as_deref()?, name));
    let keyed = pick(&clip.bones, first).and_then(|bone| {
        let keys = &bone.values.number(bone_core::clip::Scalar::Rotate)?.keys;
        Some((DocPath::channel(&clip.name.value, &bone.bone.value, "rotate"), pick(keys, second)?.time.value))
    });
    Some(match what % 16 {
        2 | 3 => Edit::key(channel("rotate")?, f64::from(second) / 64.0, number),
        4 => Edit::key(channel("move")?, f64::from(second) / 64.0, (number, 1.5)),
        5 => Edit::DeleteKey { channel: keyed.clone()?.0, time: keyed?.1 },
        6 => Edit::MoveKey { channel: keyed.clone()?.0, from: keyed?.1, to: f64::from(third) / 100.0 },
        7 => Edit::SetEase {
            channel: keyed.clone()?.0,
            time: keyed?.1,
            ease: [None, Some(Ease::Hold), Some(Ease::InOut { start: 0.25, end: 1.0 })]
                [usize::from(third) % 3],
        },
        8 => {
            Edit::SetExtend { channel: keyed?.0, extend: [None, Some(Extend::Loop)][usize::from(third) % 2] }
        }
        9 => Edit::PlaceBone { bone: bone?, from: Some(Point::new(number, f64::from(third))), to: None },
        10 => Edit::SetParent {
            bone: bone?,
            parent: pick(&doc.bones, second).map(|bone| bone.name.value.clone()).filter(|_| third > 40),
            keep_place: third % 2 == 0,
        },
        11 => Edit::Rename { of: Named::Bone, from: bone?, to: named(), within: None },
        12 => Edit::Delete {
            of: [Named::Bone, Named::Clip][usize::from(third) % 2],
            name: bone?,
            dependants: true, within: None
        },
        13 => Edit::add_bone(&named(), bone.as_deref(), None, Point::new(number, 3.0)),
        14 => Edit::set(
            DocPath::bone(&bone?).name("joint"),
            DocValue::word(["Pin", "Fixed"][usize::from(third) % 2]),
        ),
        _ => Edit::Move { at: DocPath::from(["skin"]).index(usize::from(first)), to: usize::from(second) },
    })
}
