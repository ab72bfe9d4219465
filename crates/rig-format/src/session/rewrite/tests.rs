//! Texts before and after, and random values in random texts.

use super::*;

fn tree(text: &str) -> TextTree {
    TextTree::read_as(Syntax::Ron, text).unwrap_or_else(|| panic!("mistakes in {text}"))
}

/// The text after it is made to hold what another one holds.
fn after(text: &str, wanted: &str) -> String {
    let new = tree(wanted).value;
    let changed = apply(text, &rewrite(text, &tree(text), &new));
    assert_eq!(tree(&changed).value, new, "{text}\n->\n{changed}\nwanted {wanted}");
    changed
}

#[test]
fn json_is_changed_where_it_differs() {
    let json = r#"{"$schema": "x", "version": 1,
  "bones": {"hip": {"to": [1, 2], "joint": "Pin"}, "3": {"length": 4}},
  "skin": [{"Rigid": {"art": "a", "bone": "hip"}}, {"Explicit": {"art": "b", "weights": {"3": {"hip": 1}}}}],
  "clips": {"w": {"bones": {"hip": {"rotate": [[0, 1, {"Bezier": [0.4, 0, 0.6, 1]}], [1, 2, "Hold"]]}}}}
}"#;
    let ron = |bones: &str, skin: &str, rotate: &str| {
        format!(
            "(version: 1, bones: {{{bones}}}, skin: [{skin}], clips: {{\"w\": (bones: {{\"hip\": (rotate: {rotate})}})}})"
        )
    };
    let bones = "\"hip\": (to: (1, 2), joint: Pin), \"3\": (length: 4)";
    let skin = "Rigid(art: \"a\", bone: \"hip\"), Explicit(art: \"b\", weights: {3: {\"hip\": 1}})";
    let keys = "[(0, 1, Bezier(0.4, 0, 0.6, 1)), (1, 2, Hold)]";
    let read = |text: &str| TextTree::read(text).expect("no mistakes");
    let after = |wanted: String| {
        let DocValue::Fields(name, fields) = tree(&wanted).value else { panic!("fields") };
        let schema = [("$schema".into(), DocValue::text("x"))];
        let new =
            DocValue::Fields(name, Arc::new(schema.into_iter().chain(fields.iter().cloned()).collect()));
        let changed = apply(json, &rewrite(json, &read(json), &new));
        assert_eq!(read(&changed).value, new, "{changed}");
        changed
    };
    assert_eq!(after(ron(bones, skin, keys)), json);
    assert_eq!(
        after(ron(bones, skin, &keys.replace("1, 2", "1, 2.5"))),
        json.replace("[1, 2, \"Ho", "[1, 2.5, \"Ho")
    );
    assert_eq!(
        after(ron(bones, skin, "[(1, 2, Hold)]")),
        json.replace("[0, 1, {\"Bezier\": [0.4, 0, 0.6, 1]}], ", "")
    );
    assert_eq!(
        after(ron(bones, skin, "[(0, 1, Bezier(0.4, 0, 0.6, 1))]")),
        json.replace(", [1, 2, \"Hold\"]", "")
    );
    assert_eq!(
        after(ron(bones, skin, &format!("(keys: {keys}, extend: Loop)"))),
        json.replace("[[0, 1", "{\"keys\": [[0, 1")
            .replace("\"Hold\"]]", "\"Hold\"]], \"extend\": \"Loop\"}")
    );
    let moved = bones.replace("joint: Pin", "joint: Fixed, region: (1, 2)");
    assert_eq!(after(ron(&moved, skin, keys)), json.replace("\"Pin\"", "\"Fixed\", \"region\": [1, 2]"));
    let more = format!("{skin}, Smooth(art: \"c\", method: Heat, paint: Bone(\"hip\"))");
    assert_eq!(
        after(ron(bones, &more, keys)),
        json.replace(
            "}}}}],",
            "}}}},\n    {\"Smooth\": {\"art\": \"c\", \"method\": \"Heat\", \"paint\": {\"Bone\": \"hip\"}}}],"
        )
    );
    let typed =
        skin.replace("{3: {\"hip\": 1}}", "{3: {\"hip\": 1}, 4: {\"hip\": 0.5}}").replace("Rigid", "Smooth");
    assert_eq!(
        after(ron(bones, &typed, keys)),
        json.replace("{\"hip\": 1}}", "{\"hip\": 1},\n    \"4\": {\"hip\": 0.5}}").replace("Rigid", "Smooth")
    );
}

#[test]
fn one_number_is_changed_and_nothing_else() {
    let text = "R( a: [(0, 1), /* so */ (0.5 , 2,),], // x\r\n\tb: (1,2) )";
    assert_eq!(after(text, "R(a: [(0, 1), (0.5, 3)], b: (1, 2))"), text.replace("2,)", "3,)"));
    assert_eq!(after(text, "R(a: [(0, 1), (0.6, 2)], b: (1, 2))"), text.replace("0.5", "0.6"));
    assert_eq!(after("R(a: Some(3))", "R(a: 4)"), "R(a: Some(4))");
    assert_eq!(after("[A(b: 1 /* c */)]", "[B(b: 1)]"), "[B(b: 1 /* c */)]");
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % count
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "c", "name", "keys"][self.below(5) as usize]
    }

    fn value(&mut self, depth: u64) -> DocValue {
        let count = self.below(5);
        match self.below(if depth == 0 { 4 } else { 9 }) {
            0 | 1 => DocValue::Number(self.below(6) as f64 / 2.0),
            2 => DocValue::text(["x", "//", "y\"", "/*"][self.below(4) as usize]),
            3 => DocValue::word(["Hold", "Tip"][self.below(2) as usize]),
            4 => {
                let time = |random: &mut Self, at: u64| {
                    DocValue::tuple(None, [DocValue::Number(at as f64), random.value(depth - 1)])
                };
                DocValue::list((0..count).map(|at| time(self, at * (1 + at % 2))).collect::<Vec<_>>())
            }
            5 => DocValue::list((0..count).map(|_| self.value(depth - 1)).collect::<Vec<_>>()),
            6 => {
                let mut entries: Vec<(&str, DocValue)> = Vec::new();
                for _ in 0..count {
                    let name = self.name();
                    if entries.iter().all(|(other, _)| *other != name) {
                        entries.push((name, self.value(depth - 1)));
                    }
                }
                DocValue::map(entries)
            }
            _ => {
                let mut fields: Vec<(&str, DocValue)> = Vec::new();
                for _ in 0..count {
                    let name = self.name();
                    if fields.iter().all(|(other, _)| *other != name) {
                        fields.push((name, self.value(depth - 1)));
                    }
                }
                let kind = [None, Some("Ik"), Some("Aim")][self.below(3) as usize];
                DocValue::fields(kind, fields)
            }
        }
    }

    /// Another value: entries are changed, added, taken out and moved.
    fn changed(&mut self, value: &DocValue, depth: u64) -> DocValue {
        let mut value = value.clone();
        for _ in 0..=self.below(3) {
            let count = value.len() as u64;
            let at = self.below(count.max(1)) as usize;
            match (&mut value, self.below(5)) {
                (DocValue::Fields(_, fields), 0) if count > 0 => {
                    drop(std::sync::Arc::make_mut(fields).remove(at))
                }
                (DocValue::Map(entries), 0) if count > 0 => {
                    drop(std::sync::Arc::make_mut(entries).remove(at))
                }
                (DocValue::List(items), 0) if count > 0 => drop(std::sync::Arc::make_mut(items).remove(at)),
                (DocValue::List(items), 1) => {
                    let new = self.value(depth.min(1));
                    std::sync::Arc::make_mut(items).insert(at.min(count as usize), new);
                }
                (DocValue::List(items), 2) => std::sync::Arc::make_mut(items).rotate_left(at),
                (DocValue::Map(entries), 1)
                    if entries.iter().all(|(key, _)| *key != DocValue::text("new")) =>
                {
                    let new = (DocValue::text("new"), self.value(depth.min(1)));
                    std::sync::Arc::make_mut(entries).insert(at, new);
                }
                (DocValue::Fields(_, fields), 1) if fields.iter().all(|(name, _)| &**name != "new") => {
                    let new = ("new".into(), self.value(depth.min(1)));
                    std::sync::Arc::make_mut(fields).insert(at, new);
                }
                (value, _) if count > 0 => {
                    if let Some(child) = value.child_mut(at) {
                        *child = self.changed(&child.clone(), depth.saturating_sub(1));
                    }
                }
                (value, _) => *value = self.value(depth.min(1)),
            }
        }
        value
    }

    /// Blanks and comments.
    fn trivia(&mut self, out: &mut String) {
        match self.below(16) {
            0 => out.push_str(" /* c, */ "),
            1 => out.push_str(" // c, ]\n\t"),
            2 => out.push_str("\n    "),
            3 => out.push_str("\r\n"),
            4..8 => out.push(' '),
            _ => {}
        }
    }

    /// A value in an unusual spelling: odd spaces, comments and brackets.
    fn ugly(&mut self, value: &DocValue, out: &mut String) {
        let (open, close) = match value {
            DocValue::List(_) => ("[".to_owned(), ']'),
            DocValue::Map(_) => ("{".to_owned(), '}'),
            DocValue::Fields(..) | DocValue::Tuple(..) => {
                (format!("{}(", value.kind().unwrap_or_default()), ')')
            }
            _ => return value.flat(Syntax::Ron, out),
        };
        out.push_str(&open);
        for at in 0..value.len() {
            self.trivia(out);
            let form = Form { style: Style::of(""), syntax: Syntax::Ron };
            let (label, child) = form.entry(value, at);
            out.push_str(&label);
            if self.below(6) == 0 && !label.is_empty() {
                self.trivia(out);
            }
            self.ugly(child, out);
            self.trivia(out);
            if at + 1 < value.len() || self.below(2) == 0 {
                out.push(',');
            }
        }
        self.trivia(out);
        out.push(close);
    }
}

/// Texts of any form become what they should hold, in two steps and back.
#[test]
fn any_value_is_rewritten_to_any_other() {
    for seed in 0..6_000 {
        let mut random = Random(seed);
        let first = DocValue::list([random.value(4)]);
        let mut text = String::new();
        random.ugly(&first, &mut text);
        let mut old = tree(&text).value;
        assert_eq!(old, first, "seed {seed}");
        for _ in 0..3 {
            let new = match random.below(6) {
                0 => DocValue::list([random.value(3)]),
                _ => random.changed(&old, 4),
            };
            let edits = rewrite(&text, &tree(&text), &new);
            let ranges: Vec<Range<usize>> = edits.iter().map(|edit| edit.range.clone()).collect();
            assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "seed {seed}: {ranges:?}");
            let changed = apply(&text, &edits);
            let read = TextTree::read_as(Syntax::Ron, &changed).map(|tree| tree.value);
            assert!(read.as_ref() == Some(&new), "seed {seed}\n{text}\n->\n{changed}\nfor {new}");
            (text, old) = (changed, new);
        }
    }
}

#[test]
fn keys_that_get_more_fields_stay() {
    assert_eq!(
        after("(r: [(0, 1), /* c */ (1, 2),],)", "(r: (keys: [(0, 1), (1, 3)], extend: Loop))"),
        "(r: (keys: [(0, 1), /* c */ (1, 3),], extend: Loop),)"
    );
}

#[test]
fn entries_are_added_in_the_style_of_their_neighbours() {
    assert_eq!(after("[1, 2]", "[1, 2, 3]"), "[1, 2, 3]");
    assert_eq!(after("[1, 2,]", "[0, 1, 2, 3]"), "[0, 1, 2, 3,]");
    assert_eq!(after("[ 1, 2 ]", "[0, 1, 2]"), "[ 0, 1, 2 ]");
    assert_eq!(after("[]", "[0]"), "[0]");
    assert_eq!(after("{}", "{\"a\": (b: 1)}"), "{\"a\": (b: 1)}");
    assert_eq!(after("()", "(b: 1)"), "(b: 1)");
    assert_eq!(after("[1 /* one */ ]", "[1, 2]"), "[1, /* one */ 2 ]");
    assert_eq!(after("[1 // one\n]", "[1, 2]"), "[1, // one\n    2\n]");
    assert_eq!(
        after("{\n  \"a\": 1, // one\n  // two\n  \"c\": 3\n}", "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}"),
        "{\n  \"a\": 1, // one\n  \"b\": 2,\n  // two\n  \"c\": 3,\n  \"d\": 4\n}"
    );
    assert_eq!(after("{\r\n\t// none\r\n}", "{\"a\": 1}"), "{\r\n\t// none\r\n\t\"a\": 1,\r\n}");
    assert_eq!(after("[\n  1, 2,\n  3, 4,\n]", "[1, 2, 3, 4, 5]"), "[\n  1, 2,\n  3, 4, 5,\n]");
}

#[test]
fn entries_are_taken_out_with_their_commas() {
    assert_eq!(after("(a: 1, b: 2, c: 3)", "(a: 1, c: 3)"), "(a: 1, c: 3)");
    assert_eq!(after("(a: 1, b: 2, c: 3)", "(b: 2, c: 3)"), "(b: 2, c: 3)");
    assert_eq!(after("(a: 1, b: 2, c: 3)", "(a: 1)"), "(a: 1)");
    assert_eq!(after("(a: 1, b: 2,)", "(a: 1)"), "(a: 1,)");
    assert_eq!(after("( a: 1 )", "()"), "()");
    assert_eq!(
        after("[\n  1, // one\n  // two\n  2, // 2\n  3\n]", "[1, 3]"),
        "[\n  1, // one\n  // two\n  3\n]"
    );
    assert_eq!(after("[\n  1, // one\n  2\n]", "[1]"), "[\n  1 // one\n]");
    assert_eq!(after("[\n  // one\n  1,\n]", "[]"), "[\n  // one\n]");
    assert_eq!(after("[1, // one\n 2, 3]", "[3]"), "[3]");
    assert_eq!(after("[1 /* a, b */ , 2 /* c */]", "[2]"), "[2 /* c */]");
}

#[test]
fn entries_are_moved_and_renamed() {
    assert_eq!(
        after(
            "[\n  // a\n  A(name: \"a\"), // x\n  // b\n  B(name: \"b\"),\n]",
            "[B(name: \"b\"), A(name: \"a\")]"
        ),
        "[\n  // b\n  B(name: \"b\"),\n  // a\n  A(name: \"a\"), // x\n]"
    );
    assert_eq!(after("[1, 2, 3]", "[3, 1, 2]"), "[3, 1, 2]");
    assert_eq!(after("[1, 2, 3]", "[2, 3, 1]"), "[2, 3, 1]");
    assert_eq!(
        after("{ /* i */ \"a\" /* k */ : (b: 1 /* v */) }", "{\"c\": (b: 1)}"),
        "{ /* i */ \"c\" /* k */ : (b: 1 /* v */) }"
    );
}
