//! `init`, warnings as errors, rigs of several files, help, completions, manual pages, and what is printed on
//! which stream.

use std::path::Path;

use crate::command::{below, expect, files, flag, names, repository, run, whole_frames};

/// The drawings in the style of each program.
fn styles() -> Vec<String> {
    let mut all: Vec<String> = names(Path::new(&repository("tests/init")));
    all.retain(|name| name.ends_with(".svg"));
    assert!(all.len() >= 8, "{all:?}");
    all
}

#[test]
fn init_writes_a_rig_that_passes_and_renders() {
    for name in styles() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::copy(repository(&format!("tests/init/{name}")), folder.path().join(&name)).expect("a copy");
        let drawing = below(&folder, &name);
        let said = expect(0, &["init", &drawing]);
        assert_eq!(said.out, "", "standard output is for data");
        let rig = drawing.replace(".svg", ".ron");
        assert!(said.err.contains(&format!("render-frames {rig} -o frames/")), "{}", said.err);
        let ran = run(&["check", "--deny", "warnings", &rig]);
        // Fonts are not installed everywhere, and some programs use ids twice.
        let of_the_drawing = ["font", "is used twice"].iter().any(|word| ran.err.contains(word));
        assert!(ran.code == Some(0) || of_the_drawing, "{name}: {ran:#?}");
        let out = below(&folder, "frames/");
        expect(0, &[&rig, "-q", "-o", &out, "--frames", "0,12"]);
        assert_eq!(whole_frames(Path::new(&out)), (2, 0), "{name}");
    }
}

#[test]
fn init_updates_the_places_of_bones() {
    let folder = tempfile::tempdir().expect("a folder");
    let (drawing, rig) = (below(&folder, "waver.svg"), below(&folder, "waver.ron"));
    std::fs::copy(repository("assets/tutorial/waver.svg"), &drawing).expect("a copy");
    expect(0, &["init", &drawing, "-q"]);
    let before = std::fs::read_to_string(&rig).expect("a rig");
    let said = expect(0, &["init", "--update", &rig]);
    assert!(said.err.contains("no bone changed, 4 as they were"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&rig).expect("a rig"), before);
    let svg = std::fs::read_to_string(&drawing).expect("a drawing");
    std::fs::write(&drawing, svg.replace("M 214,196 L 236,240", "M 214,196 L 250,210.5")).expect("a change");
    let said = expect(0, &["init", "--update", &rig]);
    assert!(said.err.contains("1 moved, 3 as they were\n  moved: fore"), "{}", said.err);
    let after = std::fs::read_to_string(&rig).expect("a rig");
    assert_eq!(after, before.replace("to: (236, 240)", "to: (250, 210.5)"));
    expect(0, &["check", &rig, "-q"]);
    // A rig with mistakes is not changed, and a rig and a drawing exclude each other.
    let wrong = after.replace("parent: \"upper\"", "parent: \"uper\"");
    std::fs::write(&rig, &wrong).expect("a mistake");
    expect(3, &["init", "--update", &rig]);
    assert_eq!(std::fs::read_to_string(&rig).expect("a rig"), wrong);
    expect(2, &["init", &drawing, "--update", &rig]);
    expect(2, &["init"]);
}

#[test]
fn init_writes_bones_by_their_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let (drawing, rig) = (below(&folder, "waver.svg"), below(&folder, "waver.ron"));
    std::fs::copy(repository("assets/tutorial/waver.svg"), &drawing).expect("a copy");
    expect(0, &["init", "--lines", &drawing, "-q"]);
    let text = std::fs::read_to_string(&rig).expect("a rig");
    assert!(text.contains("\"fore\": (parent: \"upper\", line: \"fore\")"), "{text}");
    expect(0, &["check", "--deny", "warnings", &rig]);
}

#[test]
fn init_names_the_drawing_from_where_the_rig_is() {
    let (folder, _) = flag();
    std::fs::create_dir_all(folder.path().join("rigs/deep")).expect("folders");
    let (drawing, rig) = (below(&folder, "flag.svg"), below(&folder, "rigs/deep/first.ron"));
    expect(0, &["init", &drawing, "-o", &rig, "-q"]);
    let text = std::fs::read_to_string(&rig).expect("the rig");
    assert!(text.contains("drawing: \"../../flag.svg\""), "{text}");
    let said = expect(0, &["check", "--deny", "warnings", &rig]);
    assert!(said.out.contains("no mistakes"), "{}", said.out);
    expect(0, &["init", &drawing, "-o", &below(&folder, "rigs/"), "-q"]);
    assert_eq!(names(&folder.path().join("rigs/deep")), ["first.ron"]);
    assert!(folder.path().join("rigs/flag.ron").exists(), "a folder gets the drawing's name");
    let shown = expect(0, &["init", &drawing, "-o", "-"]);
    assert!(shown.out.contains("Rig(\n    version: 1,\n") && shown.err.is_empty(), "{shown:?}");
}

#[test]
fn init_never_takes_the_place_of_another_file_by_itself() {
    let (folder, rig) = flag();
    let before = files(folder.path());
    let drawing = below(&folder, "flag.svg");
    // The existing rig has the name that init would choose.
    for words in [&["init", &drawing][..], &["init", &drawing, "-o", &rig]] {
        let said = expect(2, words);
        assert!(said.err.contains("exists already") && said.err.contains("--force"), "{}", said.err);
    }
    let said = expect(2, &["init", &drawing, "-o", &drawing]);
    assert!(said.err.contains("flag.svg is the drawing: choose another name"), "{}", said.err);
    assert!(files(folder.path()) == before, "nothing has changed, and nothing was left behind");
    expect(0, &["init", &drawing, "--force"]);
    let text = std::fs::read_to_string(&rig).expect("the rig");
    assert!(text.contains("// The art of the drawing") && names(folder.path()).len() == 2);

    let said = expect(1, &["init", &drawing, "-o", &below(&folder, "no/such/folder.ron")]);
    assert!(said.err.contains("there is no folder"), "{}", said.err);
    let said = expect(3, &["init", &below(&folder, "flga.svg"), "-o", &below(&folder, "new.ron")]);
    assert!(said.err.contains("did you mean \"flag.svg\"?"), "{}", said.err);
    let broken = repository("tests/bad-rigs-art/broken/cut-off.svg");
    let said = expect(3, &["init", &broken, "-o", &below(&folder, "new.ron")]);
    assert!(said.err.contains("cut-off.svg:3:26"), "{}", said.err);
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn warnings_can_be_mistakes() {
    let rig = repository("tests/bad-rigs-art/bones-that-nothing-follows.ron");
    let said = expect(0, &["check", &rig]);
    assert!(said.err.contains("bone \"antenna\" has no effect") && said.out.contains("2 warnings"));
    let said = expect(3, &["check", "--deny", "warnings", &rig]);
    assert!(said.err.contains("bone \"antenna\" has no effect") && said.out.contains("2 warnings"));
    assert_eq!(expect(3, &["check", "--deny", "warnings", "--json", &rig]).err, "");
    let (_folder, rig) = flag();
    expect(0, &["check", "--deny", "warnings", &rig]);
    let said = expect(0, &["check", "-q", &rig]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

/// The flag as a rig of three files; one of them has a mistake if that is wanted.
fn several(wrong: bool) -> (tempfile::TempDir, String) {
    let (folder, rig) = flag();
    let bone = if wrong { "pol" } else { "pole" };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    write("parts/bones.ron", "Part(version: 1, bones: { \"pole\": (from: (5, 5), to: (35, 5)) })\n");
    write(
        "parts/wave.ron",
        &format!(
            "Part(\n  version: 1,\n  include: [\"bones.ron\"],\n  clips: {{\n    \"wave\": (length: 0.5, bones: {{\"{bone}\": (rotate: [(0, 0), (0.5, 30)])}}),\n  }},\n)\n"
        ),
    );
    write(
        "flag.ron",
        "Rig(version: 1, drawing: \"flag.svg\", include: [\"parts/bones.ron\", \"parts/wave.ron\"],\n  skin: [Smooth(art: \"flag\", bones: [\"pole\"])])\n",
    );
    (folder, rig)
}

#[test]
fn findings_name_the_file_that_they_are_in() {
    let (_folder, rig) = several(false);
    let said = expect(0, &["check", "--deny", "warnings", &rig]);
    assert!(said.out.contains("1 bone, 1 bound piece of art, 1 clip"), "{}", said.out);
    let (_folder, rig) = several(true);
    let said = expect(3, &["check", &rig]);
    assert!(
        said.err.contains("wave.ron:5:35") && said.err.contains("did you mean \"pole\"?"),
        "{}",
        said.err
    );
    let json: serde_json::Value =
        serde_json::from_str(&expect(3, &["check", "--json", &rig]).out).expect("JSON");
    let place = &json["findings"][0]["place"];
    assert!(place["file"].as_str().is_some_and(|file| file.ends_with("wave.ron")), "{json}");
    let text = std::fs::read_to_string(place["file"].as_str().expect("a file")).expect("it");
    let bytes = |at: usize| place["bytes"][at].as_u64().expect("a byte") as usize;
    assert_eq!(&text[bytes(0)..bytes(1)], "\"pol\"");
}

#[test]
fn weights_are_written_into_the_file_that_has_the_binding() {
    let (folder, rig) = several(false);
    let skin = "Part(version: 1, // here\n  skin: [\n    // It bends.\n    Smooth(art: \"flag\", bones: [\"pole\"]),\n  ])\n";
    std::fs::write(folder.path().join("parts/skin.ron"), skin).expect("a part");
    let main = "Rig(version: 1, drawing: \"flag.svg\", include: [\"parts/wave.ron\", \"parts/skin.ron\"])\n";
    std::fs::write(&rig, main).expect("the rig");
    let shown = expect(0, &["weights", &rig]);
    assert!(shown.out.starts_with("    Explicit(art: \"flag\""), "{}", shown.out);
    let said = expect(0, &["weights", "--write", &rig]);
    assert!(said.err.contains("skin.ron: 1 binding written"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&rig).expect("the rig"), main, "it has not changed");
    let part = std::fs::read_to_string(folder.path().join("parts/skin.ron")).expect("the part");
    assert!(
        part.starts_with(
            "Part(version: 1, // here\n  skin: [\n    // It bends.\n    Explicit(art: \"flag\", "
        ),
        "{part}"
    );
    expect(0, &["check", "--deny", "warnings", &rig]);
    let again = expect(0, &["weights", "--write", &rig]);
    assert!(again.err.contains("nothing to do"), "{}", again.err);
}

#[test]
fn help_fits_a_screen() {
    let page = expect(0, &["--help"]).out;
    let commands: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .map_while(|line| line.strip_prefix("  "))
        // Not the second line of a description.
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(["init", "check", "render", "completions", "man"].iter().all(|c| commands.contains(c)), "{page}");
    let words = commands.iter().flat_map(|command| [vec![*command, "--help"], vec![*command, "-h"]]);
    for words in words.chain([vec!["--help"]]) {
        let help = expect(0, &words).out;
        assert!(help.lines().count() <= 50, "{words:?} has {} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        assert!(help.contains("Examples:"), "{words:?}:\n{help}");
    }
    // Everything.
    let long = expect(0, &["help", "render"]).out;
    assert!(
        long.contains("Frame n shows the clip") && long.contains("Filters with the row above only"),
        "{long}"
    );
}

#[test]
fn the_format_is_told_to_people_and_to_editors() {
    let all = expect(0, &["format"]).out;
    assert!(all.lines().any(|line| line.starts_with("Smooth ") && line.contains("method")), "{all}");
    let smooth = expect(0, &["format", "smooth"]).out;
    assert!(smooth.contains("method: Biharmonic") && smooth.contains("required"), "{smooth}");
    assert!(smooth.lines().all(|line| line.chars().count() <= 100), "{smooth}");
    assert!(expect(2, &["format", "Bonne"]).err.contains("did you mean Bone?"));
    let json: serde_json::Value = serde_json::from_str(&expect(0, &["format", "--json"]).out).expect("JSON");
    let tables = json["tables"].as_array().expect("tables");
    let bone = tables.iter().find(|table| table["name"] == "Bone").expect("bones");
    let joint = bone["fields"].as_array().expect("fields").iter().find(|field| field["name"] == "joint");
    assert_eq!(joint.expect("joints")["words"], serde_json::json!(["Free", "Pin", "Slide", "Fixed"]));
}

#[test]
fn shells_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let words = expect(0, &["completions", shell]).out;
        for word in ["init", "check", "weights", "--deny", "--background"] {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert!(words.contains(word), "{shell} has no {word}");
        }
    }
    assert!(expect(2, &["completions", "dos"]).err.contains("bash"));
    let page = expect(0, &["man"]).out;
    assert!(page.contains(".TH render\\-frames 1") || page.contains(".TH render-frames 1"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let out = below(&folder, "man1");
    expect(0, &["man", "-o", &out]);
    let pages = names(Path::new(&out));
    for page in ["render-frames.1", "render-frames-init.1", "render-frames-render.1", "render-frames-check.1"]
    {
        assert!(pages.iter().any(|name| name == page), "{pages:?}");
    }
    let check = std::fs::read_to_string(folder.path().join("man1/render-frames-check.1")).expect("a page");
    assert!(check.contains("deny") && check.contains("byte ranges"), "{check}");
}

#[test]
fn verbose_tells_what_was_done() {
    let (_folder, rig) = several(false);
    let said = expect(0, &["check", "-v", &rig]).err;
    for word in ["flag.ron (", "bones.ron (", "wave.ron (", "flag.svg (", "parsed the rig", "ms  "] {
        assert!(said.contains(word), "{word}: {said}");
    }
    // Skipped elements are no warning, but --verbose reports them.
    let empty = repository("tests/bad-rigs-art/bound-under-two-names.ron");
    assert!(run(&["check", "-v", &empty]).err.contains("skipped: “nothing” has nothing to draw"));
    let folder = tempfile::tempdir().expect("a folder");
    let said = expect(0, &[&rig, "-v", "-o", &below(&folder, "out/"), "--frames", "0"]).err;
    assert!(said.contains("parsed the drawing") && said.contains("1 frame ("), "{said}");
    assert!(expect(2, &["check", "-v", "-q", &rig]).err.contains("cannot be used with"));
}

#[test]
fn colours_are_for_terminals_and_can_be_declined() {
    let rig = repository("tests/bad-rigs/five-mistakes.ron");
    let mut plain = crate::command::command(&["check", &rig]);
    plain.env_remove("NO_COLOR").stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let ran = crate::command::finish(plain.spawn().expect("it"));
    assert!(!ran.err.contains('\u{1b}'), "a pipe is no terminal");
    let Some(coloured) = on_a_terminal(&["check", &rig], &[]) else { return };
    assert!(coloured.contains("\u{1b}["), "{coloured}");
    let declined = on_a_terminal(&["check", &rig], &[("NO_COLOR", "1")]).expect("as before");
    assert!(!declined.contains("\u{1b}["), "{declined}");
    assert!(declined.contains("did you mean \"hip\"?"), "{declined}");
}

#[test]
fn a_terminal_sees_a_bar_with_rate_and_time_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let rig = repository("examples/walk/rig.ron");
    let out = below(&folder, "out/");
    let words = [rig.as_str(), "-o", &out, "--clip", "walk", "--frames", "0-23", "-j1", "--scale", "2"];
    let Some(seen) = on_a_terminal(&words, &[]) else { return };
    for word in ["/24 frames", "/s", " left", "━"] {
        assert!(seen.contains(word), "{word}: {seen:?}");
    }
    // The bar is cleared before the summary.
    let last = seen.trim_end().lines().last().unwrap_or_default();
    assert!(last.contains("24 frames (") && last.contains("frames/") | last.contains("out/"), "{last:?}");
}

/// What a terminal shows of a run; `None` without a program that provides one.
fn on_a_terminal(words: &[&str], environment: &[(&str, &str)]) -> Option<String> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let line = [&[env!("CARGO_BIN_EXE_render-frames")], words].concat();
    let line = line.into_iter().map(quoted).collect::<Vec<_>>().join(" ");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR").env("TERM", "xterm-256color");
    script.envs(environment.iter().copied()).stdin(std::process::Stdio::null());
    // Not every system has this program.
    let output = script.output().ok().filter(|output| !output.stdout.is_empty())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn readers_that_go_away_are_no_trouble() {
    let (folder, rig) = flag();
    let many = repository("tests/bad-rigs/five-mistakes.ron");
    let svg = below(&folder, "flag.svg");
    for words in [
        &["check", "--json", many.as_str()][..],
        &["check", "-v", &rig],
        &["init", &svg, "-o", "-"],
        &["completions", "bash"],
        &["man"],
        &["weights", &rig],
        &["plot", &rig, "-o", &below(&folder, "p.svg")],
    ] {
        let mut child = crate::command::command(words);
        let mut child = child
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it");
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().expect("its end");
        assert!(matches!(status.code(), Some(0 | 3 | 141)), "{words:?}: {status}");
    }
}

#[test]
fn a_drawing_in_the_place_of_a_rig_is_told_what_to_do() {
    let (folder, _) = flag();
    let said = expect(3, &[&below(&folder, "flag.svg"), "-o", &below(&folder, "out/")]);
    assert!(
        said.err.contains("this file is a drawing") && said.err.contains("render-frames init"),
        "{}",
        said.err
    );
    assert_eq!(names(folder.path()).len(), 2);
}
