//! Documents are correct: files that they name exist, links lead to files, and their rigs have no mistakes.

use std::path::{Path, PathBuf};

use bone_format::diagnostic::Diagnostics;
use bone_format::span::SourceId;
use bone_layer_tests::files::{below, root, shown};

/// The documents that there are.
fn documents() -> Vec<PathBuf> {
    let beside_the_code =
        ["crates", "docs", "examples", "tests"].into_iter().flat_map(|folder| below(folder, "md"));
    let at_the_top = std::fs::read_dir(root()).expect("the repository").flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = at_the_top
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .chain(beside_the_code)
        .collect();
    all.sort();
    all
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)))
}

/// The targets of `[text](target)` and of `src="target"`.
fn links(text: &str) -> Vec<String> {
    // What stands in a fence is for the reader's own page.
    let text: String = text.split("\n```").step_by(2).collect();
    let after = |mark: &'static str, end: char| {
        text.split(mark)
            .skip(1)
            .filter_map(move |rest| rest.split_once(end).map(|(target, _)| target.to_owned()))
    };
    after("](", ')').chain(after("src=\"", '"')).chain(after("href=\"", '"')).collect()
}

#[test]
fn links_in_documents_exist() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in documents() {
        for link in links(&read(&path)) {
            let target = link.split('#').next().unwrap_or_default().trim();
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            if !path.with_file_name("").join(target).exists() {
                wrong.push(format!("{}: {target}", shown(&path)));
            }
        }
    }
    println!("{seen} links");
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

/// Words in `code` and on indented lines that look like a file of this repository.
fn named_files(text: &str) -> Vec<String> {
    let tops = ["crates/", "docs/", "examples/", "tests/", "assets/"];
    // `skin/src/blend.rs` is `crates/skin/src/blend.rs`.
    let in_a_crate = |word: &str| {
        let name = word.split_once("/src/").map(|(name, _)| name);
        name.is_some_and(|name| root().join("crates").join(name).join("src").exists())
    };
    let mut found: Vec<String> = text
        .split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c))
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| tops.iter().any(|top| word.starts_with(top)) || in_a_crate(word))
        // Patterns and places in a file.
        .filter(|word| !word.contains(['*', '#', '{', '<', '…']))
        .map(|word| word.split(':').next().unwrap_or(word))
        .map(|word| if in_a_crate(word) { format!("crates/{word}") } else { word.to_owned() })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn files_that_documents_name_exist() {
    let mut wrong = Vec::new();
    for path in documents() {
        for name in named_files(&read(&path)) {
            if !root().join(&name).exists() {
                wrong.push(format!("{}: {name}", shown(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "files that are not there:\n{}", wrong.join("\n"));
}

/// The fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        block = match (block, fence) {
            (None, Some(info)) if info.trim() == language => Some(String::new()),
            (Some(whole), Some(_)) => {
                blocks.push(whole);
                None
            }
            (Some(text), None) => Some(text + line + "\n"),
            (none, _) => none,
        };
    }
    blocks
}

#[test]
fn rigs_in_documents_have_no_mistakes() {
    let mut seen = 0;
    for path in documents() {
        for block in blocks(&read(&path), "ron").iter().filter(|block| block.trim_start().starts_with("Rig("))
        {
            let mut diagnostics = Diagnostics::new();
            if let Some(doc) = bone_format::read(SourceId::default(), block, &mut diagnostics) {
                bone_format::check(&doc, &mut diagnostics);
            }
            let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            assert!(messages.is_empty(), "{}: {messages:#?}\n{block}", shown(&path));
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} rigs");
}

/// Blocks that begin with the name of a file are the files of one rig, the rig the last of them.
#[test]
fn rigs_of_several_files_in_documents_have_no_mistakes() {
    let mut seen = 0;
    for path in documents() {
        let mut files = bone_format::InMemory::new();
        for block in blocks(&read(&path), "ron") {
            let Some((name, _)) = block.strip_prefix("// ").and_then(|rest| rest.split_once(".ron\n")) else {
                continue;
            };
            let name = format!("{name}.ron");
            files = files.with(&name, block.as_bytes());
            if !block.contains("\nRig(") {
                continue;
            }
            let loaded =
                bone_format::load(Path::new(&name), std::sync::Arc::new(files), &bone_format::no_fonts);
            let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
            let drawing = messages.iter().filter(|message| message.contains("hero.svg")).count();
            assert!(messages.len() == 1 && drawing == 1, "{}: {messages:#?}\n{block}", shown(&path));
            let doc = loaded.doc.expect("a document");
            assert!(doc.complete && doc.parts.len() >= 2 && !doc.clips.is_empty(), "{block}");
            seen += 1;
            files = bone_format::InMemory::new();
        }
    }
    assert!(seen >= 1, "{seen} rigs");
}

/// Lines without indents and marks of documentation.
fn bare_lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.trim().trim_start_matches("//!").trim())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn rust_in_documents_is_part_of_a_tested_example() {
    // First pages are tested with their crates, programs run in continuous integration.
    let tested: Vec<PathBuf> = below("crates", "rs")
        .into_iter()
        .chain(below("examples", "rs"))
        .filter(|path| ["src/lib.rs", "session/mod.rs", "main.rs"].iter().any(|end| path.ends_with(end)))
        .collect();
    let tested: Vec<String> = tested.iter().map(|path| read(path)).collect();
    let mut seen = 0;
    for path in documents() {
        for block in blocks(&read(&path), "rust") {
            let wanted = bare_lines(&block);
            let stands_in =
                |text: &String| bare_lines(text).windows(wanted.len()).any(|lines| lines == wanted);
            assert!(tested.iter().any(stands_in), "{}: no tested example has\n{block}", shown(&path));
            seen += 1;
        }
    }
    assert!(seen >= 1, "{seen} examples");
}

#[test]
fn commands_in_documents_name_rigs_that_load() {
    for path in documents() {
        let text = read(&path);
        for line in text.lines().filter(|line| line.contains("render-frames") && line.contains(".ron")) {
            for rig in line
                .split_whitespace()
                .filter(|word| word.ends_with("rig.ron") && word.starts_with("examples/"))
            {
                bone_layer_tests::player::Player::open(rig);
            }
        }
    }
}

#[test]
fn every_example_has_a_readme_a_drawing_and_a_program() {
    let folders =
        std::fs::read_dir(root().join("examples")).expect("examples").flatten().map(|entry| entry.path());
    let mut seen = 0;
    for folder in folders.filter(|path| path.is_dir()) {
        // Some programs, and packages of their own, use the rig of another example.
        let is_package = folder.join("Cargo.toml").exists() || folder.ends_with("pointer");
        let code = if folder.join("lib.rs").exists() { "lib.rs" } else { "main.rs" };
        let rig = if folder.join("scene.ron").exists() { "scene.ron" } else { "rig.ron" };
        let files = ["README.md", code, "drawing.svg", rig];
        for file in &files[..if is_package { 2 } else { 4 }] {
            assert!(folder.join(file).exists(), "{} has no {file}", shown(&folder));
        }
        seen += 1;
    }
    assert!(seen >= 3, "{seen} examples");
}
