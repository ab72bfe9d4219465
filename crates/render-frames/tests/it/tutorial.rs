//! Runs `TUTORIAL.md` step by step in an empty folder: its commands are run, its changes are made, and the
//! printed output and the final picture must match the text.

use std::path::Path;

use crate::command::{command, finish, repository};
use bone_render::Pixmap;

/// A step of the tutorial.
#[derive(Debug)]
enum Step {
    /// Commands, one for each line.
    Run(Vec<String>),
    /// The expected output of the last command, line by line.
    Seen(Vec<String>),
    /// Lines of the first rig that replace others.
    Change(Vec<String>, Vec<String>),
    /// The whole of the second rig.
    Typed(Vec<String>),
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut block: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut block) {
            (Some(language), None) => block = Some((language.to_owned(), Vec::new())),
            (Some(_), Some(_)) => {
                let (language, lines) = block.take().expect("a block");
                let side = |mark: char| {
                    lines.iter().filter_map(|line| line.strip_prefix(mark)).map(str::to_owned).collect()
                };
                steps.push(match language.as_str() {
                    "sh" => Step::Run(lines),
                    "text" => Step::Seen(lines),
                    "diff" => Step::Change(side('-'), side('+')),
                    "ron" => Step::Typed(lines),
                    other => panic!("a step that cannot be followed: {other}"),
                });
            }
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    steps
}

/// The arguments of a command, without quotes.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn the_tutorial_leads_to_its_picture() {
    let text = std::fs::read_to_string(repository("TUTORIAL.md")).expect("the tutorial");
    let folder = tempfile::tempdir().expect("an empty folder");
    let here = |name: &str| folder.path().join(name);
    let steps = steps(&text);
    assert!(steps.len() > 10, "{steps:?}");
    let mut last: Option<(String, String)> = None;
    for step in &steps {
        match step {
            Step::Run(lines) => {
                for line in lines {
                    let words = words(line);
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    match words.as_slice() {
                        ["cp", from, "."] => {
                            let name = Path::new(from).file_name().expect("a name");
                            std::fs::copy(repository(from), folder.path().join(name)).expect("a copy");
                        }
                        ["render-frames", rest @ ..] => {
                            let mut program = command(rest);
                            program.current_dir(folder.path());
                            program.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
                            let ran = finish(program.spawn().expect("the program"));
                            let said = format!("{}{}", ran.err, ran.out);
                            let wrong = said.starts_with("error: the parent of bone \"upper\" is \"spin\"");
                            assert_eq!(ran.code, Some(if wrong { 3 } else { 0 }), "{line}: {said}");
                            last = Some((line.clone(), said));
                        }
                        other => panic!("a command that cannot be followed: {other:?}"),
                    }
                }
            }
            Step::Seen(lines) => {
                let (line, said) = last.as_ref().expect("a command before");
                let mut rest = said.as_str();
                for wanted in lines {
                    let at = rest.find(wanted.as_str());
                    let at = at.unwrap_or_else(|| panic!("{line} does not say {wanted:?}:\n{said}"));
                    rest = &rest[at + wanted.len()..];
                }
            }
            Step::Typed(lines) => std::fs::write(here("logo.ron"), lines.join("\n")).expect("the rig"),
            Step::Change(old, new) => {
                let rig = std::fs::read_to_string(here("waver.ron")).expect("the rig");
                let join =
                    |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
                assert_eq!(rig.matches(&join(old)).count(), 1, "{old:#?} in\n{rig}");
                std::fs::write(here("waver.ron"), rig.replace(&join(old), &join(new))).expect("the rig");
            }
        }
    }
    let picture = |path: &Path| Pixmap::load_png(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let pictures = [
        ("wave/frame_0018.png", "assets/tutorial/waving.png"),
        ("shy/frame_0024.png", "assets/tutorial/shy.png"),
        ("intro/frame_0024.png", "assets/tutorial/logo.png"),
    ];
    for (made, promised) in pictures {
        if std::env::var_os("RENEW").is_some() {
            std::fs::copy(here(made), repository(promised)).expect("the picture is written");
        }
        let (made, promised) = (picture(&here(made)), picture(Path::new(&repository(promised))));
        assert_eq!((made.width(), made.height()), (promised.width(), promised.height()));
        // Pixels are for one build on one kind of processor: edges may differ a little elsewhere.
        let differ = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 8;
        let count = made.data().iter().zip(promised.data()).filter(|pair| differ(*pair)).count();
        assert!(count * 1000 < made.data().len(), "{count} values of {} differ", made.data().len());
    }
}
