//! What the check of a document missed is a finding of compiling it, with a place, and no rig.

use bone_core::constraint::ConstraintProperty;
use bone_drawing::ArtProperty;
use bone_format::diagnostic::Diagnostics;
use bone_format::doc::Channel;
use bone_format::doc::{BindingDoc, PaintDoc, RigDoc, SpringDoc};
use bone_format::span::{SourceId, Sources, Spanned};
use bone_render::{Resources, read_svg_showing};

const RIG: &str = r#"Rig(version: 1, drawing: "faults.svg",
    bones: { "a": (from: (0, 10), to: (40, 10)), "b": (parent: "a", to: (80, 10)) },
    skin: [Smooth(art: "eel", bones: ["a", "b"], paint: Bone("a"))],
    constraints: [Aim(name: "look", bone: "b", target: (90, 20))],
    springs: [(chain: "b")],
    clips: { "c": (length: 2,
        bones: { "b": (rotate: [(0, 0), (1, 30), (2, 0)]) },
        offsets: { "eel": { 0: (bone: "a", keys: [(0, (0, 0)), (2, (1, 1))]) } },
        art: { "mouths": (switch: [(0, "open"), (1, None)]) },
        constraints: { "look": (mix: [(0, 0), (1, 1)], target: [(0, (90, 20)), (1, (90, 0))]) },
    ) },
)"#;

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20">
    <linearGradient id="g"><stop offset="0"/><stop offset="1" stop-color="#fff"/></linearGradient>
    <path id="eel" fill="url(#g)" d="M0 5H40H80V15H40H0Z"/>
    <g id="mouths"><path id="open" d="M0 0H9V9Z"/><path id="shut" d="M0 0H9V9Z"/></g></svg>"##;

/// The findings of compiling a document that was not checked, and whether there is a rig.
fn compiled(doc: &RigDoc) -> (Diagnostics, bool) {
    let mut found = Diagnostics::new();
    let (art, _) = read_svg_showing(SVG, &Resources::none(), &doc.showable()).expect("a drawing");
    let mut sources = Sources::new();
    sources.add("faults.ron", RIG);
    let drawing = sources.add("faults.svg", SVG);
    let rig = bone_format::compile(doc, art, drawing, &mut found);
    (found, rig.is_some())
}

fn reversed<T: Clone>(channel: &Channel<T>) -> Channel<T> {
    let mut channel = channel.clone();
    channel.keys.reverse();
    channel
}

#[test]
fn what_check_missed_is_a_finding_with_a_place() {
    let mut found = Diagnostics::new();
    let doc = bone_format::read(SourceId::default(), RIG, &mut found).expect("a document");
    bone_format::check(&doc, &mut found);
    assert!(found.is_empty(), "{found:?}");
    let (found, whole) = compiled(&doc);
    assert!(whole && !found.has_errors(), "{found:?}");

    let missing = |name: &mut Spanned<String>| name.value = "missing".to_owned();
    let spring = |doc: &mut RigDoc, change: fn(&mut SpringDoc)| doc.springs.iter_mut().for_each(change);
    type Break<'a> = (&'a str, Box<dyn Fn(&mut RigDoc) + 'a>);
    let breaks: [Break<'_>; 8] = [
        (
            "a chain of a spring",
            Box::new(|doc| spring(doc, |s| s.chain.iter_mut().for_each(|n| n.value = "missing".into()))),
        ),
        (
            "bones of Smooth",
            Box::new(|doc| {
                if let BindingDoc::Smooth(smooth) = &mut doc.skin[0] {
                    smooth.bones.iter_mut().flat_map(|bones| &mut bones.value).take(1).for_each(missing);
                }
            }),
        ),
        (
            "paint",
            Box::new(|doc| {
                if let BindingDoc::Smooth(smooth) = &mut doc.skin[0]
                    && let PaintDoc::Bone(bone) = &mut smooth.paint_options.paint
                {
                    missing(bone);
                }
            }),
        ),
        (
            "the bone of an offset",
            Box::new(|doc| {
                doc.clips[0].offsets[0].vertices[0].1.bone.iter_mut().for_each(missing);
            }),
        ),
        (
            "keys of a switch",
            Box::new(|doc| {
                let values = &mut doc.clips[0].art[0].values;
                let channel = values.name(ArtProperty::Switch).map(reversed).expect("keys");
                values.set(ArtProperty::Switch, channel);
            }),
        ),
        (
            "keys of a constraint",
            Box::new(|doc| {
                let values = &mut doc.clips[0].constraints[0].values;
                let channel = values.number(ConstraintProperty::Mix).map(reversed).expect("keys");
                values.set(ConstraintProperty::Mix, channel);
            }),
        ),
        (
            "a target with keys",
            Box::new(|doc| {
                let values = &mut doc.clips[0].constraints[0].values;
                let channel = values.pair(ConstraintProperty::Target).map(reversed).expect("keys");
                values.set(ConstraintProperty::Target, channel);
            }),
        ),
        ("a constraint of a clip", Box::new(|doc| missing(&mut doc.clips[0].constraints[0].name))),
    ];
    for (what, change) in breaks {
        let mut broken = doc.clone();
        change(&mut broken);
        let (found, whole) = compiled(&broken);
        assert!(!whole && found.has_errors(), "{what}: {found:?}");
        assert!(found.iter().all(|finding| finding.place.is_some()), "{what}: {found:?}");
    }
}
