//! Weights written into rigs: everything else is kept to the byte, weights read back equal, and outlines do
//! not move.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bone_drawing::ElementId;
use bone_format::doc::{BindingDoc, VertexPart};
use bone_format::edit::{EditError, Edited, MirrorFrom, Prune, Smooth, WeightEditor, edit_weights};
use bone_format::session::{DocPath, Session};
use bone_format::{Disk, Files, InMemory, load, system_fonts};
use bone_layer_tests::files::{good_rigs, root, shown};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{BezPath, ParamCurve, Point};
use proptest::prelude::*;

/// A file that is read instead of the one on the disk.
struct Instead(std::path::PathBuf, Vec<u8>);

impl Files for Instead {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.clone()) } else { Disk.read(path) }
    }
}

fn open(path: &Path) -> Session {
    Session::open(path, Arc::new(Disk), system_fonts)
}

fn edit(session: &mut Session, change: impl Fn(&mut WeightEditor<'_>)) -> Edited {
    let edited = edit_weights(session, &[], |editor| {
        change(editor);
        Ok(())
    });
    edited.expect("it can be written")
}

/// Everything outside the bindings that changed is there as before; returns what stands in their places.
fn rest_is_kept(old: &str, edited: &Edited, session: &Session) -> Vec<String> {
    let (mut old_rest, mut new_rest, mut found) = (String::new(), String::new(), Vec::new());
    let (mut at, mut rest) = (0, session.text());
    for binding in &edited.bindings {
        let range = binding.span.range();
        old_rest += &old[at..range.start];
        at = range.end;
        for index in (binding.index..).take(binding.paths.len()) {
            let there = session.written(&DocPath::from(["skin"]).index(index)).expect("a binding");
            let (before, after) = rest.split_once(there).expect("in its order");
            new_rest += before;
            rest = after;
            found.push(there.to_owned());
        }
    }
    (old_rest, new_rest) = (old_rest + &old[at..], new_rest + rest);
    // What comes behind a binding has a comma and a line of its own.
    if edited.bindings.iter().any(|binding| binding.paths.len() > 1) {
        [&mut old_rest, &mut new_rest]
            .iter_mut()
            .for_each(|rest| rest.retain(|c| !c.is_whitespace() && c != ','));
    }
    assert_eq!(new_rest, old_rest);
    found
}

/// The typed rows of the text are the rows that were promised.
fn rows_are_read_back(path: &Path, edited: &Edited, session: &Session) {
    let files = Instead(path.to_owned(), session.text().as_bytes().to_vec());
    let loaded = load(path, Arc::new(files), &system_fonts);
    let said: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(said.is_empty(), "{}: {said:#?}", shown(path));
    let doc = loaded.doc.as_ref().expect("a rig");
    let skeleton = loaded.rig.as_ref().expect("a rig").skeleton();
    for path in edited.bindings.iter().flat_map(|binding| &binding.paths) {
        let typed = doc.skin.iter().find(|binding| binding.is_of(&path.art));
        let Some(BindingDoc::Explicit(typed)) = typed else { panic!("{} is not typed", path.art) };
        let listed: BTreeMap<_, _> =
            typed.weights.iter().map(|row| (row.vertex.value, &row.weights)).collect();
        for (number, vertex) in path.rows.iter().enumerate() {
            let address = |part| bone_format::doc::VertexAddress { vertex: number as u32, part };
            let parts = [
                (VertexPart::Anchor, Some(&vertex.anchor)),
                (VertexPart::In, vertex.tangent_in.as_ref()),
                (VertexPart::Out, vertex.tangent_out.as_ref()),
            ];
            for (part, row) in parts {
                let Some(row) = row else { continue };
                let found = listed.get(&address(part)).or_else(|| listed.get(&address(VertexPart::Anchor)));
                let found = found.copied().or(typed.others.as_ref()).expect("a row");
                let total: f64 = found.list.iter().map(|(_, w)| w.value).sum();
                let sum = found.list.iter().map(|(_, w)| (w.value * 1e4).round()).sum::<f64>();
                // What this edit typed sums to 1; what stood there before may be in any unit.
                assert!(sum == 1e4 || (total - 1.0).abs() > 1e-9, "{}: {found:?}", path.art);
                for (bone, weight) in row.influences() {
                    let name = skeleton.name(*bone);
                    let typed =
                        found.list.iter().find(|(b, _)| b.value == name).map_or(0.0, |(_, w)| w.value);
                    assert!((typed / total - weight).abs() < 1.01e-4, "{} {number} {name}", path.art);
                }
            }
        }
    }
}

#[test]
fn every_rig_is_edited_and_nothing_else_in_it() {
    // Text has no vertices that could have rows.
    for path in good_rigs().into_iter().filter(|path| !shown(path).starts_with("tests/text-rigs")) {
        let old = String::from_utf8(std::fs::read(&path).expect("a rig")).expect("text");
        let mut session = open(&path);
        if bends_clones(&session) {
            let refused = edit_weights(&mut session, &[], |_| Ok(()));
            assert!(matches!(refused, Err(EditError::Unwritable(_))), "{}", shown(&path));
            continue;
        }
        let written = edit(&mut session, |_| ());
        let smooth = old.matches("Smooth(").count();
        assert_eq!(written.bindings.len(), smooth, "{}", shown(&path));
        assert_eq!(written.is_changed(), smooth > 0);
        rest_is_kept(&old, &written, &session);
        rows_are_read_back(&path, &written, &session);
        assert!(!edit(&mut session, |_| ()).is_changed(), "what is typed is not typed again");
        assert_eq!(session.undo().expect("it was made").is_some(), written.is_changed());
        assert_eq!(session.text(), old);
        // Changes of all kinds, over what was found and what was typed.
        let changed = edit(&mut session, |editor| {
            editor.smooth(Smooth { strength: 0.4, iterations: 2 });
            let _ = editor.mirror(MirrorFrom::Left, None);
            editor.prune(Prune { most: Some(2), threshold: 0.01 });
        });
        rest_is_kept(&old, &changed, &session);
        rows_are_read_back(&path, &changed, &session);
        let most = changed.bindings.iter().flat_map(|b| &b.paths).flat_map(|p| &p.rows);
        assert!(most.map(|v| v.anchor.influences().len()).max().unwrap_or(0) <= 2);
    }
}

/// Whether a clone bends: it has no vertices for which weights could be typed.
fn bends_clones(session: &Session) -> bool {
    let scene = session.rig().expect("a rig");
    let clone = |id: &bone_drawing::ElementId| {
        scene.art().element(*id).is_some_and(|element| element.kind == bone_drawing::ElementKind::Use)
    };
    scene.posed_elements().iter().any(clone)
}

/// Points along a posed path.
fn along(path: &BezPath) -> Vec<Point> {
    let places = (0..16).map(|i| f64::from(i) / 16.0);
    path.segments().flat_map(|segment| places.clone().map(move |t| segment.eval(t))).collect()
}

/// How far the points of one outline are from another, at the worst.
fn distance(points: &[Point], line: &[Point]) -> f64 {
    let from = |p: &Point| {
        let sides = line.windows(2).map(|ends| {
            let (a, b) = (ends[0], ends[1]);
            let length = (b - a).hypot2();
            let t = if length > 0.0 { ((*p - a).dot(b - a) / length).clamp(0.0, 1.0) } else { 0.0 };
            (*p - a.lerp(b, t)).hypot()
        });
        sides.fold(f64::INFINITY, f64::min)
    };
    points.iter().map(from).fold(0.0, f64::max)
}

#[test]
fn outlines_stay_within_the_reported_distance() {
    for name in ["examples/tail/rig.ron", "examples/cloak/rig.ron", "tests/rigs/clips.ron"] {
        let path = root().join(name);
        let mut session = open(&path);
        let written = edit(&mut session, |_| ());
        let before = Player::open(&path);
        let files = Instead(path.clone(), session.text().as_bytes().to_vec());
        let after = Player::load(&path, Arc::new(files));
        let (mut old, mut new) = (FrameState::new(&before.rig), FrameState::new(&after.rig));
        // Each path compared with its reported distance; typed weights are unchanged.
        let reported = |player: &Player, element: &ElementId| {
            let paths = written.bindings.iter().flat_map(|b| &b.paths);
            let found = |art: &str| player.rig.art().find(art).is_ok_and(|found| found == *element);
            // A path without a name is meant by what holds it.
            let mut reported = paths.clone().filter(|path| found(&path.art)).map(|path| path.lost);
            reported.next().unwrap_or_else(|| paths.map(|path| path.lost).fold(0.0, f64::max))
        };
        let place = |player: &Player, element: &ElementId| {
            player.rig.posed_elements().iter().position(|posed| posed == element).expect("posed, too")
        };
        let mut worst = 0.0_f64;
        let moments = before.moments();
        for (clip, frame) in moments.iter().step_by(5) {
            before.pose(*clip, *frame, &mut old);
            after.pose(after.clip(clip.map(bone_rig::RigClip::name)), *frame, &mut new);
            for (at, element) in before.rig.posed_elements().iter().enumerate() {
                let there = place(&after, element);
                let a = &old.posed().paths()[at];
                let b = &new.posed().paths()[there];
                let (apart, reported) = (distance(&along(b), &along(a)), reported(&before, element));
                // In the clips joints bend by up to 36 degrees, several at once.
                assert!(apart <= reported, "{name}: {element:?} {apart} {reported}");
                worst = worst.max(apart);
            }
        }
        println!("{name}: outlines move by {worst:.3} px in the clip");
        assert!(worst > 0.0);
    }
}

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"><g id="both">
    <path id="eel" d="M0 5C20 5 60 5 80 5V15C60 15 20 15 0 15Z"/><path id="worm" d="M0 20H40H80V30H40H0Z"/></g>
    <g id="named by nothing"><path d="M0 32H80V38H0Z"/><path d="M0 38H80V39H0Z"/></g></svg>"#;

fn rig_with(skin: &str) -> String {
    format!(
        "Rig(version: 1, drawing: \"eel.svg\", bones: {{ \"he\\\"ad.L\": (from: (0, 10), to: (40, 10)), \"tail\": (from: (40, 10), to: (80, 10)) }},\n{skin})"
    )
}

fn opened(rig: &str) -> Session {
    Session::open(
        "eel.ron",
        Arc::new(InMemory::new().with("eel.ron", rig).with("eel.svg", SVG)),
        system_fonts,
    )
}

#[test]
fn formatting_and_comments_of_a_file_are_kept() {
    let skin = "\t// all\r\n\tskin: [\r\n\t\tSmooth(art: \"both\", // two\r\n\t\t\tbones: [\"he\\\"ad.L\", \"tail\"], /* as drawn */ paint: /* no */ Still, tolerance: 0.50), // end\r\n\t],\r\n";
    let rig = format!("\u{feff}{}", rig_with(skin).replace("},\n", "},\r\n"));
    let mut session = opened(&rig);
    let edited = edit(&mut session, |_| ());
    rest_is_kept(&rig, &edited, &session);
    let text = session.text();
    assert!(text.starts_with('\u{feff}'));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(text.contains("\t\tExplicit(art: \"eel\", // two\r\n\t\t\t/* as drawn */ paint: /* no */ Still, tolerance: 0.50, weights: {\r\n\t\t\t"), "{text}");
    assert!(
        text.contains(
            "}), // end\r\n\t\tExplicit(art: \"worm\", paint: Still, tolerance: 0.5, weights: {\r\n\t\t\t"
        ),
        "{text}"
    );
    assert!(!opened(text).diagnostics().has_errors(), "{text}");
}

#[test]
fn only_changed_rows_of_typed_weights_are_written() {
    let skin = "skin: [Explicit(art: \"worm\", weights: {\n  0: {\"he\\\"ad.L\": 3, \"tail\": 1}, // the tip\n  2: { \"tail\": /* all */ 1 }, 3: {\"tail\": 2.0} // last\n }, others: {\"tail\": 1, \"he\\\"ad.L\": 99})]";
    let rig = rig_with(skin);
    let mut session = opened(&rig);
    let edited = edit(&mut session, |editor| editor.prune(Prune { most: None, threshold: 0.02 }));
    assert_eq!(
        rest_is_kept(&rig, &edited, &session)[0],
        skin[7..skin.len() - 1].replace("{\"tail\": 1, \"he\\\"ad.L\": 99}", "{\"he\\\"ad.L\": 1}")
    );
    // One vertex of those that are not listed, and a row with a comment in it.
    let mut session = opened(&rig);
    let edited = edit_weights(&mut session, &["worm"], |editor| {
        let tail = editor.bone("tail")?;
        for (_, rows) in editor.paths_mut() {
            rows[1].anchor = bone_skin::BoneWeights::one(tail);
            rows[2].anchor = rows[0].anchor.clone();
            rows[4].tangent_out = Some(rows[0].anchor.clone());
        }
        Ok(())
    });
    let text = &rest_is_kept(&rig, &edited.expect("it can be written"), &session)[0];
    let rows = "  0: {\"he\\\"ad.L\": 3, \"tail\": 1}, // the tip\n  1: {\"tail\": 1},\n  \
        2: { \"he\\\"ad.L\": 0.75, \"tail\": /* all */ 0.25 }, 3: {\"tail\": 2.0}, // last\n  \
        \"4.out\": {\"he\\\"ad.L\": 0.75, \"tail\": 0.25}\n }, others:";
    assert!(text.contains(rows), "{text}");
    assert!(!opened(session.text()).diagnostics().has_errors(), "{text}");
}

#[test]
fn paths_without_names_are_typed_by_their_addresses() {
    let mut session = opened(&rig_with("skin: [Smooth(art: \"named by nothing\")]"));
    edit(&mut session, |_| ());
    let text = session.text();
    for address in ["named by nothing/#1", "named by nothing/#2"] {
        assert!(text.contains(&format!("Explicit(art: \"{address}\"")), "{text}");
    }
    assert!(!opened(text).diagnostics().has_errors(), "{text}");
}

#[test]
fn each_binding_stays_in_its_file_and_keeps_its_comment() {
    let bones = "\"head\": (from: (0, 10), to: (40, 10)), \"tail\": (from: (40, 10), to: (80, 10))";
    let rig = format!(
        "Rig(version: 1, drawing: \"eel.svg\", include: [\"skin.ron\"], bones: {{ {bones} }},\n    skin: [\n        \
            // Plain.\n        Smooth(art: \"named by nothing\"),\n    ],\n)\n"
    );
    let part = "Part(version: 1, skin: [\n    // Long.\n    Smooth(art: [\"eel\", \"worm\"]),\n])\n";
    let files = InMemory::new().with("eel.ron", &*rig).with("skin.ron", part).with("eel.svg", SVG);
    let mut session = Session::open("eel.ron", Arc::new(files), system_fonts);
    let edited = edit(&mut session, |_| ());
    assert_eq!(edited.bindings.iter().map(|binding| binding.paths.len()).collect::<Vec<_>>(), [2, 2]);
    let texts: Vec<&str> = session.files().iter().map(bone_format::session::SessionFile::text).collect();
    for (text, comment, arts) in [
        (texts[0], "        // Plain.\n        ", ["named by nothing/#1", "named by nothing/#2"]),
        (texts[1], "    // Long.\n    ", ["eel", "worm"]),
    ] {
        assert_eq!(text.matches("Explicit(").count(), 2, "{text}");
        assert!(text.contains(&format!("{comment}Explicit(art: \"{}\"", arts[0])), "{text}");
        assert!(text.contains(&format!("Explicit(art: \"{}\"", arts[1])), "{text}");
    }
    session.undo().expect("it was made");
    let texts: Vec<&str> = session.files().iter().map(bone_format::session::SessionFile::text).collect();
    assert_eq!(texts, [rig.as_str(), part]);
}

#[test]
fn edits_that_are_not_possible_are_errors() {
    let edited = |skin: &str, arts: &[&str]| {
        let found = edit_weights(&mut opened(&rig_with(skin)), arts, |_| Ok(()));
        found.expect_err("it cannot be edited").to_string()
    };
    let both = "skin: [Smooth(art: \"both\")]";
    assert!(edited("skin: [Smooth(art: \"bth\")]", &[]).contains("the rig has errors"));
    assert!(edited(both, &["bohT"]).contains("no binding names art"));
    assert!(edited(both, &["boht"]).contains("did you mean \"both\"?"));
    assert!(edited(both, &["eel"]).contains("edit \"both\""));
    assert!(edited("skin: [Rigid(art: \"eel\", bone: \"tail\")]", &["eel"]).contains("no weights to edit"));
    let session = opened(&rig_with(both));
    let mut editor = WeightEditor::new(&session, &[]).expect("a rig");
    assert!(editor.lock("tial").expect_err("no bone").to_string().contains("did you mean \"tail\"?"));
    assert!(editor.mirror(MirrorFrom::Left, None).expect_err("no pairs").to_string().contains("arm.L"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_around_a_binding_is_kept(
        before in "(//[a-z\"(){}\\[\\]é]{0,8}\n|/\\*[a-z\" ]{0,6}\\*/ |[ \t]|\r?\n){0,6}",
        inside in "( |\t|//[a-z\",:]{0,6}\n|/\\*[\"',]{0,4}\\*/ |\r?\n){0,4}",
        after in "( |//[a-z\"]{0,6}\n|/\\*[\")]{0,4}\\*/ |\r?\n){0,4}",
        typed in any::<bool>(),
        comma in any::<bool>(),
    ) {
        let comma = if comma { "," } else { "" };
        let binding = if typed {
            format!("Explicit(art:{inside}\"eel\", weights: {{0: {{\"tail\": 1}}{comma}{inside}}}, others: {{\"he\\\"ad.L\": 2,{inside} \"tail\": 1}})")
        } else {
            format!("Smooth(art: \"both\",{inside}method:{inside}Envelope,{inside} stroke: Uniform)")
        };
        let rig = rig_with(&format!("skin: [{before}{binding}{after},{before}]"));
        let mut session = opened(&rig);
        prop_assume!(session.is_current());
        let edited = edit(&mut session, |editor| editor.smooth(Smooth { strength: 0.5, iterations: 3 }));
        prop_assert!(edited.is_changed());
        rest_is_kept(&rig, &edited, &session);
        let text = session.text();
        prop_assert!(!opened(text).diagnostics().has_errors(), "{}", text);
        let count = |text: &str| text.matches("//").count() + text.matches("/*").count();
        prop_assert!(count(text) >= count(&rig), "a comment is lost:\n{}\n{}", rig, text);
    }
}
