//! A written rig reads back as the same rig: every rig of the repository and of the documents has equal
//! contents and moves equally, to the bit.

use std::path::Path;
use std::sync::Arc;

use bone_format::diagnostic::Diagnostics;
use bone_format::doc::RigDoc;
use bone_format::span::SourceId;
use bone_format::write::{Comments, Digits, write};
use bone_format::{Disk, Files, load, system_fonts};
use bone_layer_tests::files::{below, good_rigs, root, shown};
use bone_rig::FrameState;

/// The contents of a document, without its spans.
fn contents(doc: &RigDoc) -> String {
    let all = format!("{doc:?}");
    let mut out = String::with_capacity(all.len());
    let mut rest = all.as_str();
    while let Some(at) = rest.find("Span { start: ") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').expect("the end of a span");
        rest = &rest[at + end + 1..];
    }
    out + rest
}

fn read(text: &str) -> RigDoc {
    let mut found = Diagnostics::new();
    let doc = bone_format::read(SourceId::default(), text, &mut found).expect("a rig");
    assert!(!found.has_errors(), "{found:?}\n{text}");
    doc
}

/// The disk, but for one file.
struct Instead {
    path: std::path::PathBuf,
    text: String,
}

impl Files for Instead {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { Disk.read(path) }
    }
}

fn written(doc: &RigDoc) -> String {
    let comments = Comments::new().top("Written.").before("bones", "The bones.").end("The end.");
    write(doc, &comments, Digits::ALL)
}

#[test]
fn written_rigs_read_back_equal() {
    let mut texts: Vec<String> =
        good_rigs().iter().map(|path| std::fs::read_to_string(path).expect("a rig")).collect();
    for path in below("crates", "md").into_iter().chain(below("tests/bad-rigs", "md")) {
        let text = std::fs::read_to_string(path).expect("a document");
        let blocks = text.split("```ron\n").skip(1).filter_map(|rest| rest.split("```").next());
        texts.extend(blocks.filter(|block| block.trim_start().starts_with("Rig(")).map(str::to_owned));
    }
    assert!(texts.len() > 20, "{}", texts.len());
    for text in texts {
        let doc = read(&text);
        let again = written(&doc);
        assert_eq!(contents(&read(&again)), contents(&doc), "{again}");
        assert!(written(&read(&again)) == again, "written twice it is the same");
    }
}

#[test]
fn written_rigs_move_equally() {
    for path in good_rigs() {
        let first = load(&path, Arc::new(Disk), &system_fonts);
        let doc = first.doc.expect("a document");
        let text = written(&doc);
        let files = Instead { path: path.clone(), text: text.clone() };
        let second = load(&path, Arc::new(files), &system_fonts);
        let (Some(a), Some(b)) = (first.rig, second.rig) else { panic!("{}: {text}", shown(&path)) };
        let (mut from, mut to) = (FrameState::new(&a), FrameState::new(&b));
        for clip in a.clips() {
            for time in [0.0, 0.37, 1.1] {
                a.pose(Some(clip), time, &mut from).expect("a pose");
                b.pose(b.clip(clip.name()), time, &mut to).expect("a pose");
                a.write_svg(&mut from);
                b.write_svg(&mut to);
                assert!(from.svg() == to.svg(), "{} at {time} of {}", shown(&path), clip.name());
            }
        }
    }
}

/// Few digits move no pixel far, and the text stays readable.
#[test]
fn rigs_with_few_digits_load() {
    let path = root().join("examples/walk/rig.ron");
    let doc = load(&path, Arc::new(Disk), &system_fonts).doc.expect("a document");
    let text = write(&doc, &Comments::new(), Digits::default());
    assert!(text.lines().all(|line| line.chars().count() <= 111), "{text}");
    let files = Instead { path: path.clone(), text };
    assert!(load(&path, Arc::new(files), &system_fonts).rig.is_some());
}
