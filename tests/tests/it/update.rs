//! Bones whose lines moved get new coordinates in the text of a rig, and everything else is kept to the byte.

use std::path::Path;
use std::sync::Arc;

use bone_authoring::{BoneReport, UpdatedBones, update_bones};
use bone_format::{Files, InMemory, no_fonts};

/// A figure with lines for bones, each a name and its data.
fn drawing(lines: &[(&str, &str)]) -> String {
    let line = |(name, data): &(&str, &str)| format!("<path id=\"{name}\" d=\"{data}\"/>");
    let lines: String = lines.iter().map(line).collect();
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">
<path id="figure" d="M80 40H120V180H80Z"/><g id="bones" display="none" fill="none" stroke="#00f">{lines}</g></svg>"##
    )
}

const LINES: [(&str, &str); 3] =
    [("spine", "M100 180L100 100"), ("neck", "M100 100L100 60"), ("arm", "M110 110L160 110")];

const RIG: &str = r#"// A figure.
Rig(
    version: 1, drawing: "figure.svg", // as drawn
    bones: {
        "spine": (from: (100, 180), to: (100, 100), region: (9, 9)),
        "neck":  (parent: "spine", /* its tip */ to: (100, 60)), // turns
        // The line touches nothing: typed.
        "arm": (parent: "spine", from: (110, 110), to: (160, 110)),
        "hat": (parent: "neck", length: 10),
    },
    skin: [Smooth(art: "figure")],
)
"#;

fn updated(files: InMemory) -> UpdatedBones {
    let files: Arc<dyn Files> = Arc::new(files);
    update_bones(Path::new("figure.ron"), &files, no_fonts)
}

fn with(lines: &[(&str, &str)], rig: &str) -> (BoneReport, String) {
    let updated = updated(InMemory::new().with("figure.svg", drawing(lines)).with("figure.ron", rig));
    let words: Vec<&str> = updated.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let report = updated.report.unwrap_or_else(|| panic!("{words:?}"));
    let text = updated.texts.into_iter().next().map_or_else(|| rig.to_owned(), |(_, text)| text);
    (report, text)
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_rig_with_unmoved_lines_is_unchanged() {
    let (report, text) = with(&LINES, RIG);
    assert_eq!(text, RIG);
    assert_eq!(report.unchanged, 3);
    assert_eq!(report.without_line, ["hat"]);
}

#[test]
fn only_coordinates_of_moved_lines_change() {
    let lines = [LINES[0], ("neck", "M100 100L120 55.5"), ("arm", "M112 110L160 140")];
    let (report, text) = with(&lines, RIG);
    let expected = RIG
        .replace("to: (100, 60)", "to: (120, 55.5)")
        .replace("(110, 110), to: (160, 110)", "(112, 110), to: (160, 140)");
    assert_eq!(text, expected);
    assert_eq!(report.moved, strings(&["neck", "arm"]));
    assert!(report.reparented.is_empty() && report.detached.is_empty(), "{report:?}: what was typed stays");
    // Windows line ends and a byte order mark.
    let (_, text) = with(&lines, &format!("\u{feff}{}", RIG.replace('\n', "\r\n")));
    assert_eq!(text, format!("\u{feff}{}", expected.replace('\n', "\r\n")));
}

#[test]
fn a_line_that_touches_another_one_is_its_child() {
    let lines = [LINES[0], LINES[1], ("arm", "M100 60L150 60")];
    let (report, text) = with(&lines, RIG);
    assert_eq!(
        text,
        RIG.replace(
            "\"arm\": (parent: \"spine\", from: (110, 110), to: (160, 110))",
            "\"arm\": (parent: \"neck\", from: (100, 60), to: (150, 60))"
        )
    );
    assert_eq!(report.reparented, [("arm".to_owned(), "neck".to_owned())]);
    // One that touches its parent no more keeps it.
    let lines = [LINES[0], ("neck", "M130 100L130 60"), LINES[2]];
    let (report, text) = with(&lines, RIG);
    assert!(
        text.contains("(parent: \"spine\", from: (130, 100), /* its tip */ to: (130, 60)), // turns"),
        "{text}"
    );
    assert_eq!(report.detached, ["neck"]);
}

#[test]
fn bones_relative_to_a_moved_parent_get_coordinates() {
    let rig = RIG.replace("/* its tip */ to: (100, 60)", "length: 40, angle: 0, limits: (-9, 9)");
    let (_, same) = with(&LINES, &rig);
    assert_eq!(same, rig);
    let lines = [("spine", "M100 180L101 103"), ("neck", "M101 103L100 60"), LINES[2]];
    let (report, text) = with(&lines, &rig);
    assert!(
        text.contains("\"neck\":  (parent: \"spine\", to: (100, 60), limits: (-9, 9)), // turns"),
        "{text}"
    );
    assert_eq!(report.moved, strings(&["spine", "neck"]));
}

#[test]
fn new_lines_are_new_bones_and_bones_without_lines_stay() {
    let lines = [LINES[0], LINES[1], ("tail", "M100 180L60 190"), ("crest", "M100 60L100 30")];
    let (report, text) = with(&lines, RIG);
    let new = "        \"hat\": (parent: \"neck\", length: 10),\n        \"crest\": (parent: \"neck\", to: (100, 30)),\n        \"tail\": (from: (100, 180), to: (60, 190)),\n    },";
    let ours = RIG.replace("        \"hat\": (parent: \"neck\", length: 10),\n    },", new);
    let lines_of = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines_of(&text), lines_of(&ours));
    assert_eq!(report.without_line, strings(&["arm", "hat"]));
    let mut added = report.added;
    added.sort();
    assert_eq!(added, strings(&["crest", "tail"]));
}

#[test]
fn bones_that_follow_their_lines_need_no_change() {
    let rig = RIG.replace("from: (100, 180), to: (100, 100)", "line: \"spine\"");
    let lines = [("spine", "M105 180L100 100"), LINES[1], LINES[2]];
    let (report, text) = with(&lines, &rig);
    assert_eq!(text, rig);
    assert_eq!(report.unchanged, 3);
}

#[test]
fn included_files_change_too() {
    let part = "Part(\r\n\tversion: 1,\r\n\tbones: {\r\n\t\t\"spine\": (from: (100, 180), to: (100, 100)),\r\n\t},\r\n)\r\n";
    let rig =
        "Rig(version: 1, drawing: \"figure.svg\", include: [\"spine.ron\"], skin: [Smooth(art: \"figure\")])";
    let files = InMemory::new()
        .with("figure.svg", drawing(&[("spine", "M100 180L90 100"), ("neck", "M90 100L90 70")]))
        .with("figure.ron", rig)
        .with("spine.ron", part);
    let updated = updated(files);
    let (source, text) = updated.texts.first().expect("the part changed");
    assert_eq!(updated.texts.len(), 1, "the rig did not");
    assert_eq!(updated.sources.name(*source), "spine.ron");
    let expected = part
        .replace("to: (100, 100)),", "to: (90, 100)),\r\n\t\t\"neck\": (parent: \"spine\", to: (90, 70)),");
    assert_eq!(*text, expected);
}

#[test]
fn mistakes_are_reported_and_nothing_changes() {
    let none = updated(InMemory::new().with("figure.svg", drawing(&[])).with("figure.ron", RIG));
    let error = none.diagnostics.iter().find(|d| d.message.contains("shows no bones")).expect("an error");
    assert!(none.report.is_none() && none.texts.is_empty() && error.place.is_some());
    assert_eq!(error.help, ["draw a line for each on a layer or in a group called \"bones\""]);
    let wrong = RIG.replace("parent: \"spine\", from", "parent: \"spin\", from");
    let wrong = updated(InMemory::new().with("figure.svg", drawing(&LINES)).with("figure.ron", wrong));
    assert!(wrong.report.is_none() && wrong.diagnostics.has_errors());
}

#[test]
fn rigs_in_json_change_too() {
    let rig = r#"{"version": 1, "drawing": "figure.svg",
  "bones": {
    "spine": {"from": [100, 180], "to": [100, 100]},
    "neck": {"parent": "spine", "length": 40}
  },
  "skin": [{"Smooth": {"art": "figure"}}]}
"#;
    let lines = [("spine", "M100 180L101 103"), ("neck", "M101 103L100 60"), ("tail", "M100 180L60 190")];
    let (_, text) = with(&lines, rig);
    let expected = rig.replace("[100, 100]", "[101, 103]").replace(
        "\"length\": 40}",
        "\"to\": [100, 60]},\n    \"tail\": {\"from\": [100, 180], \"to\": [60, 190]}",
    );
    assert_eq!(text, expected);
}
