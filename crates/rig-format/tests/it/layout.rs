//! White space where it belongs: on every rig of the repository, and on texts whose white space is random.

use std::path::{Path, PathBuf};

use bone_format::session::text::{apply, comments, laid_out};
use bone_format::span::SourceId;
use bone_format::text::{Node, NodeKind, Syntax, parse};
use bone_format::{Diagnostics, convert};
use proptest::prelude::*;

fn rigs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("examples"), root.join("tests"), root.join("editors")];
    let mut rigs = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.display().to_string();
            if path.is_dir() && !name.ends_with("node_modules") && !name.ends_with("target") {
                folders.push(path);
            } else if (name.ends_with(".ron") || name.ends_with("rig.json"))
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                rigs.push((path, text));
            }
        }
    }
    rigs.sort();
    rigs
}

/// The text without white space, and its comments without what is blank at their ends.
fn letters(text: &str) -> (String, Vec<String>) {
    let comments = comments(text, 0..text.len());
    let comments = comments.into_iter().map(|range| text[range].trim_end().to_owned());
    (text.chars().filter(|c| !c.is_whitespace()).collect(), comments.collect())
}

/// The tree of a text without its places.
fn tree(text: &str) -> Option<Node> {
    fn placeless(node: &mut Node) {
        node.span = Default::default();
        let head = match &mut node.kind {
            NodeKind::Some(inner) => return placeless(inner),
            NodeKind::List(items) => return items.iter_mut().for_each(placeless),
            NodeKind::Map(entries) => {
                return entries.iter_mut().for_each(|entry| {
                    placeless(&mut entry.key);
                    placeless(&mut entry.value);
                });
            }
            NodeKind::Struct(head, fields) => {
                for field in fields {
                    field.name.span = Default::default();
                    placeless(&mut field.value);
                }
                head
            }
            NodeKind::Tuple(head, items) => {
                items.iter_mut().for_each(placeless);
                head
            }
            _ => return,
        };
        head.iter_mut().for_each(|head| head.span = Default::default());
    }
    let mut root = parse(SourceId::default(), text, &mut Diagnostics::new()).root;
    root.iter_mut().for_each(placeless);
    root
}

/// The text after its layout, which must be one.
fn checked(name: &str, text: &str) -> String {
    let after = apply(text, &laid_out(text).expect(name));
    assert_eq!(letters(text), letters(&after), "{name}");
    assert_eq!(tree(text), tree(&after), "{name}");
    assert_eq!(laid_out(&after), Some(Vec::new()), "{name}: laid out again\n{after}");
    for line in after.lines() {
        assert!(!line.ends_with(' ') || line.contains('"') || after.contains("/*"), "{name}: {line:?}");
    }
    after
}

#[test]
fn every_rig_of_the_repository_keeps_what_it_says() {
    let (mut whole, mut refused, mut unchanged) = (0, 0, 0);
    for (path, text) in rigs() {
        let name = path.display().to_string();
        let mut found = Diagnostics::new();
        let parsed = parse(SourceId::default(), &text, &mut found);
        let is_readable = parsed.whole && found.iter().next().is_none();
        assert_eq!(laid_out(&text).is_some(), is_readable, "{name}");
        if !is_readable {
            refused += 1;
            continue;
        }
        let after = checked(&name, &text);
        // The document in the other notation has all of its values.
        let other = if parsed.syntax == Syntax::Ron { Syntax::Json } else { Syntax::Ron };
        let json = |text: &str| convert(SourceId::default(), text, other, &mut Diagnostics::new());
        assert_eq!(json(&text), json(&after), "{name}");
        whole += 1;
        if after == text {
            unchanged += 1;
        } else if name.contains("/examples/") {
            println!("{name} is laid out otherwise");
        }
    }
    println!("{whole} laid out, {unchanged} of them unchanged, {refused} with mistakes refused");
    assert!(whole > 300 && refused > 30);
}

/// The `ron` crate reads the same values before and after.
#[test]
fn another_reader_finds_the_same_values() {
    let mut count = 0;
    for (path, text) in rigs() {
        let (Ok(before), Some(edits)) = (ron::from_str::<ron::Value>(&text), laid_out(&text)) else {
            continue;
        };
        let after = ron::from_str::<ron::Value>(&apply(&text, &edits));
        assert_eq!(after.as_ref(), Ok(&before), "{}", path.display());
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn white_space_has_its_places() {
    let cases = [
        // Indentation by brackets, two that open in one line count once; blank lines are single, none at brackets.
        (
            "Rig(\n\n version:1,\n\n\n\tclips:{\"a\":(length :1 ,bones:{\n\"b\":()  ,\n}, sliders: {\n},)\n},\n\n)",
            "Rig(\n    version: 1,\n\n    clips: {\"a\": (length: 1, bones: {\n        \"b\": (),\n    }, sliders: {\n    },)\n    },\n)\n",
        ),
        // The first indented line has the unit of the file.
        ("Rig(\n  a: (\n    b: 1,\n      ),\n c: 2)", "Rig(\n  a: (\n    b: 1,\n  ),\n  c: 2)\n"),
        // Values in a column stay in one; one space alone is none.
        (
            "Rig(a: {\n    \"x\":   1,\n    \"long\":  2,\n    \"b\":   (1, 2),\n    \"cd\":  3,\n    \"e\":     4,\n})",
            "Rig(a: {\n    \"x\": 1,\n    \"long\": 2,\n    \"b\":  (1, 2),\n    \"cd\": 3,\n    \"e\": 4,\n})\n",
        ),
        // Comments stay; those behind lines where they are.
        (
            "// a \n#![enable(implicit_some)]\nRig( // b\n/* c\n  d */ x: [1,2 ,/* e */3],     // f  \n     // g\n)",
            "// a\n#![enable(implicit_some)]\nRig( // b\n  /* c\n  d */ x: [1, 2, /* e */ 3],     // f\n  // g\n)\n",
        ),
        // The line ends of the file.
        ("\u{feff}Rig (\r\n  a: 1 \r\n)", "\u{feff}Rig(\r\n  a: 1\r\n)\r\n"),
        ("{ \"version\" :1,\n\"bones\":{ } }", "{\"version\": 1,\n    \"bones\": {}}\n"),
        ("Rig(a: \"x  y\",\n b:2)\n\n\n", "Rig(a: \"x  y\",\n    b: 2)\n"),
    ];
    for (before, after) in cases {
        assert_eq!(checked(before, before), after, "{before}");
    }
    for broken in [
        "",
        "Rig(",
        "Rig(a: 1))",
        "Rig(a 1)",
        "Rig(a: [1)]",
        "Rig(a: 1; b: 2)",
        "Rig(a: \"b)",
        "Rig(a: 1 /* ",
        "Rig(\ra: 1)",
    ] {
        assert_eq!(laid_out(broken), None, "{broken}");
    }
}

proptest! {
    /// The tokens of rigs with any white space and comments between them.
    #[test]
    fn any_white_space_is_laid_out_once(
        rig in 0_usize..9,
        blanks in prop::collection::vec(prop::sample::select(vec![
            "", " ", "  ", "\n", "\n\n\n", "\t", " \n  ", "/* é */", " // c \n", "\n// d\n", "   ", "\r\n",
        ]), 1..200),
    ) {
        let texts = [
            r#"Rig|(|version|:|1|,|bones|:|{|"a"|:|(|)|,|"bcd"|:|(|from|:|(|1|,|2|)|)|,|}|)"#,
            r#"Rig|(|skin|:|[|Rigid|(|art|:|"a  b"|,|bone|:|"c"|,|)|,|Smooth|(|)|]|,|fps|:|2|)"#,
            r#"{|"Rig"|:|{|"version"|:|1|,|"a"|:|[|1|,|[|2|]|]|}|}"#,
            r#"Rig|(|a|:|{|1|:|2|,|34|:|5|,|678|:|(|9|,|)|,|}|,|b|:|{|c|:|Hold|}|)"#,
        ];
        let text: String = texts[rig % texts.len()]
            .split('|')
            .zip(blanks.iter().cycle().skip(rig))
            .map(|(token, blank)| format!("{token}{blank}"))
            .collect();
        if laid_out(&text).is_some() {
            checked(&text, &text);
        }
    }
}
