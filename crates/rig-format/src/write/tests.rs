//! Layout and digits; that rigs survive being written is tested with all rigs there are, in
//! `tests/tests/writing.rs`.

use super::*;
use bone_core::clip::{EaseSide, Jumps, Scalar};
use kurbo::Point;

use crate::diagnostic::Diagnostics;
use crate::doc::{BindingDoc, BoneDoc, Channel, ClipDoc, Ease, Key, SmoothDoc};
use crate::span::SourceId;

#[test]
fn numbers_have_few_digits_and_no_noise() {
    let digits = |value: f64| number(value, 3);
    assert_eq!(digits(12.0), "12");
    assert_eq!(digits(-0.00001), "0");
    assert_eq!(digits(0.1 + 0.2), "0.3");
    assert_eq!(digits(1234.56789), "1234.568");
    assert_eq!(digits(-2.5), "-2.5");
    assert_eq!(digits(100.0), "100");
    assert_eq!(number(0.1 + 0.2, 17), "0.30000000000000004");
    assert_eq!(number(7.5, 0), "8");
    assert_eq!(number(700.0, 0), "700");
}

#[test]
fn long_values_are_wrapped_and_comments_keep_their_place() {
    let keys = (0..40)
        .map(|i| Key {
            span: crate::span::Span::default(),
            time: (f64::from(i) / 8.0).into(),
            value: f64::from(i).into(),
            ease: None,
        })
        .collect();
    let rotate = Channel { keys, ..Channel::default() };
    let moved = crate::doc::BoneChannelsDoc::new("b".to_owned()).with(Scalar::Rotate, rotate);
    let doc = RigDoc {
        version: Some(1.into()),
        drawing: Some("a \"b\".svg".to_owned().into()),
        bones: vec![BoneDoc {
            name: "b".to_owned().into(),
            from: Some(Point::ORIGIN.into()),
            length: Some(3.0.into()),
            ..BoneDoc::default()
        }],
        skin: vec![BindingDoc::Smooth(SmoothDoc { art: "arm".to_owned().into(), ..SmoothDoc::default() })],
        clips: vec![ClipDoc {
            name: "c".to_owned().into(),
            length: Some(5.0.into()),
            bones: vec![moved],
            ..ClipDoc::default()
        }],
        ..RigDoc::default()
    };
    let comments = Comments::new()
        .top("One.\n\nTwo.")
        .before("skin", "What follows.")
        .on("skin", "arm", "It bends.")
        .after("skin", "Rigid(art: \"hat\", bone: \"b\"),")
        .after("shots", "None yet.")
        .end("The end.");
    let text = write(&doc, &comments, Digits::default());
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    let begins =
        "// One.\n//\n// Two.\nRig(\n    version: 1,\n    drawing: \"a \\\"b\\\".svg\",\n    bones: {\n";
    assert!(text.starts_with(begins), "{text}");
    let skin = "    // What follows.\n    skin: [\n        // It bends.\n        Smooth(art: \"arm\"),\n        // Rigid(art: \"hat\", bone: \"b\"),\n    ],\n";
    assert!(text.contains(skin), "{text}");
    assert!(text.contains("    shots: {\n        // None yet.\n    },\n)\n// The end.\n"), "{text}");

    let mut found = Diagnostics::new();
    let again = crate::read(SourceId::default(), &text, &mut found).expect("a rig");
    crate::check(&again, &mut found);
    assert!(found.is_empty(), "{found:?}");
    let rotate = again.clips[0].bones[0].values.number(Scalar::Rotate).expect("it turns");
    assert_eq!(rotate.keys.len(), 40);
    assert_eq!(rotate.keys[39].value.value, 39.0);
}

/// Each ease of the table, each word of it, and parameters that may be left out.
#[test]
fn eases_are_read_as_they_were_written() {
    let steps = [Jumps::End, Jumps::Start, Jumps::None, Jumps::Both];
    let steps = steps.into_iter().map(|jumps| Ease::Steps { count: 3, jumps });
    let slopes = [(5.0, 5.0), (0.0, -2.5)].map(|(arrive, leave)| Ease::Slope { arrive, leave });
    let eases: Vec<Ease> = Ease::examples().chain(steps).chain(slopes).collect();
    assert!(eases.len() > 45 && eases.iter().any(|ease| matches!(ease, Ease::Penner(EaseSide::InOut, _))));
    let key = |(at, ease): (usize, &Ease)| Key { ease: Some((*ease).into()), ..Key::new(at as f64, 0.0) };
    let rotate = Channel::from_keys(eases.iter().enumerate().map(key));
    let moved = crate::doc::BoneChannelsDoc::new("b".to_owned()).with(Scalar::Rotate, rotate);
    let doc = RigDoc {
        version: Some(1.into()),
        drawing: Some("a.svg".to_owned().into()),
        bones: vec![BoneDoc { name: "b".to_owned().into(), length: Some(3.0.into()), ..BoneDoc::default() }],
        clips: vec![ClipDoc { name: "c".to_owned().into(), bones: vec![moved], ..ClipDoc::default() }],
        ..RigDoc::default()
    };
    let text = write(&doc, &Comments::new(), Digits::default());
    let mut found = Diagnostics::new();
    let again = crate::read(SourceId::default(), &text, &mut found).expect("a rig");
    assert!(found.is_empty(), "{found:?}");
    let keys = &again.clips[0].bones[0].values.number(Scalar::Rotate).expect("it turns").keys;
    let read: Vec<Ease> = keys.iter().filter_map(|key| Some(key.ease?.value)).collect();
    assert_eq!(read, eases, "{text}");
}
