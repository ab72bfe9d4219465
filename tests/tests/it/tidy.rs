//! Conventions that no lint checks: module headers, access to disk and clock, the dependencies of crates, and
//! names in documents.

use std::path::{Path, PathBuf};

use bone_layer_tests::files::{below, root, shown};

/// A line of source, with its file.
struct Line {
    path: PathBuf,
    number: usize,
    text: String,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)))
}

/// All lines of Rust that are code, up to the tests at the end of a file.
fn code(paths: &[PathBuf]) -> Vec<Line> {
    let mut lines = Vec::new();
    for path in paths {
        for (at, text) in read(path).lines().enumerate() {
            if text.starts_with("#[cfg(test)]") {
                break;
            }
            if !text.trim_start().starts_with("//") {
                lines.push(Line { path: path.clone(), number: at + 1, text: text.to_owned() });
            }
        }
    }
    lines
}

/// The sources of the crates, their tests, benches and examples left out.
fn library_sources(of: &str) -> Vec<PathBuf> {
    let sources = below(&format!("crates/{of}"), "rs");
    let inside = |path: &PathBuf| {
        let shown = shown(path);
        shown.contains("/src/") && !shown.contains("/tests/") && !shown.ends_with("/tests.rs")
    };
    sources.into_iter().filter(inside).collect()
}

fn rust_sources() -> Vec<PathBuf> {
    ["crates", "examples", "tests"].into_iter().flat_map(|folder| below(folder, "rs")).collect()
}

/// Fails with every line that has one of the words, unless the file may.
fn forbid(lines: &[Line], words: &[&str], may: impl Fn(&str) -> bool) {
    let found: Vec<String> = lines
        .iter()
        .filter(|line| words.iter().any(|word| line.text.contains(word)) && !may(&shown(&line.path)))
        .map(|line| format!("{}:{}: {}", shown(&line.path), line.number, line.text.trim()))
        .collect();
    assert!(found.is_empty(), "{words:?} in:\n{}", found.join("\n"));
}

const LIBRARIES: [&str; 15] = [
    "archive",
    "bone-core",
    "drawing",
    "export",
    "import",
    "motion-graph",
    "skin",
    "synfig",
    "raster",
    "render",
    "rig",
    "rig-format",
    "looks",
    "authoring",
    "bone-layer",
];

/// The folders of the crates, and those of the others that each may use: the table of ARCHITECTURE.md.
const USES: [(&str, &[&str]); 19] = [
    ("archive", &[]),
    ("bone-core", &["archive"]),
    ("drawing", &["archive"]),
    ("export", &["bone-core", "drawing", "render"]),
    ("skin", &["archive", "bone-core"]),
    ("import", &["bone-core"]),
    ("motion-graph", &["bone-core", "import"]),
    ("synfig", &["bone-core", "drawing", "rig-format"]),
    ("raster", &[]),
    ("render", &["drawing", "raster"]),
    ("rig", &["archive", "bone-core", "skin", "drawing", "render"]),
    ("player", &["bone-core", "drawing", "render", "rig"]),
    ("rig-format", &["archive", "bone-core", "skin", "drawing", "render", "rig"]),
    ("looks", &["bone-core", "skin", "drawing", "render", "rig", "rig-format"]),
    ("authoring", &["bone-core", "skin", "drawing", "rig", "rig-format", "import"]),
    (
        "bone-layer",
        &[
            "authoring",
            "bone-core",
            "skin",
            "drawing",
            "render",
            "rig",
            "rig-format",
            "looks",
            "import",
            "export",
        ],
    ),
    ("live", &["authoring", "bone-core", "skin", "drawing", "render", "rig", "rig-format", "looks"]),
    ("lsp", &["drawing", "render", "rig", "rig-format", "looks"]),
    (
        "render-frames",
        &[
            "authoring",
            "bone-core",
            "drawing",
            "export",
            "import",
            "live",
            "looks",
            "lsp",
            "motion-graph",
            "render",
            "rig",
            "rig-format",
            "synfig",
        ],
    ),
];

#[test]
fn files_start_with_their_purpose() {
    let sources = rust_sources();
    let silent: Vec<String> =
        sources.iter().filter(|path| !read(path).starts_with("//! ")).map(|path| shown(path)).collect();
    assert!(silent.is_empty(), "these do not start with //!:\n{}", silent.join("\n"));
}

#[test]
fn there_are_no_unfinished_parts() {
    // Split, so that this file does not find itself.
    let words = ["TO\u{44}O", "FIX\u{4d}E", "XX\u{58}", "todo\u{21}(", "unimplemented\u{21}(", "dbg\u{21}("];
    for path in rust_sources() {
        for (at, line) in read(&path).lines().enumerate() {
            assert!(!words.iter().any(|word| line.contains(word)), "{}:{}: {line}", shown(&path), at + 1);
        }
    }
}

#[test]
fn only_three_places_access_the_disk() {
    let all: Vec<PathBuf> = LIBRARIES.iter().flat_map(|name| library_sources(name)).collect();
    forbid(&code(&all), &["std::fs", "File::open", "fs::read", "fs::write", "use std::{fs"], |path| {
        path == "crates/rig-format/src/disk.rs" || path.starts_with("crates/render/src/sink/")
    });
}

#[test]
fn libraries_use_no_clock_no_process_and_no_output() {
    let all: Vec<PathBuf> = LIBRARIES.iter().flat_map(|name| library_sources(name)).collect();
    let words = [
        "std::time",
        "Instant::",
        "SystemTime",
        "std::env",
        "println!",
        "eprintln!",
        "print!(",
        "stdout()",
        "stderr()",
        "thread::spawn",
        "thread_rng",
    ];
    forbid(&code(&all), &words, |_| false);
    // The process id makes temporary names of frames unique; nothing else may know that there is a process.
    let named = ["crates/render/src/sink/files.rs", "crates/render/src/sink/whole.rs"];
    forbid(&code(&all), &["std::process", "process::"], |path| named.contains(&path));
}

#[test]
fn trigonometry_is_in_one_module() {
    let all: Vec<PathBuf> = LIBRARIES.iter().flat_map(|name| library_sources(name)).collect();
    let words = [
        ".sin()",
        ".cos()",
        ".tan()",
        ".sin_cos()",
        ".atan2(",
        ".acos()",
        ".asin()",
        ".atan()",
        ".to_radians()",
        ".to_degrees()",
        ".mul_add(",
        "libm::",
    ];
    // An angle has a `sin_cos` of its own, which is the way to ask for it.
    let asks_an_angle = |line: &Line| {
        ["angle.sin_cos()", "turn.sin_cos()", "(turn / 2.0).sin_cos()"]
            .iter()
            .any(|ask| line.text.contains(ask))
    };
    let lines: Vec<Line> = code(&all).into_iter().filter(|line| !asks_an_angle(line)).collect();
    forbid(&lines, &words, |path| {
        path == "crates/bone-core/src/angle.rs" || path == "crates/bone-core/src/rigid.rs"
    });
}

/// The table of docs/security.md has the proofs, so a file that is not in it has none.
#[test]
fn unsafe_code_is_where_the_documents_say() {
    // Split, so that this file does not find itself.
    let words = ["{", "fn ", "impl ", "trait ", "extern "].map(|next| format!("un\u{73}afe {next}"));
    let has = |text: &str| {
        let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.any(|line| {
            words.iter().any(|word| line.contains(word.as_str())) || line.contains("#[un\u{73}afe(")
        })
    };
    let folders = ["bindings", "crates", "examples", "farm", "fuzz", "tests"];
    let sources = folders.into_iter().flat_map(|folder| below(folder, "rs"));
    let mut found: Vec<String> = sources.filter(|path| has(&read(path))).map(|path| shown(&path)).collect();
    found.sort();
    let security = read(&root().join("docs/security.md"));
    let table = security.split("## Unsafe code").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = table.expect("the table").lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    listed.sort_unstable();
    assert_eq!(found, listed, "the files with such code, and the table of docs/security.md");
}

/// The table of docs/security.md has the accessors that panic, so a function that is not in it does not.
#[test]
fn what_panics_is_where_the_documents_say() {
    let mut found: Vec<String> = Vec::new();
    for path in below("crates", "rs").into_iter().filter(|path| shown(path).contains("/src/")) {
        let (text, shown) = (read(&path), shown(&path));
        let name = package_in(shown.split('/').nth(1).unwrap_or_default()).replace('-', "_");
        let (mut owner, mut panics) = (None, false);
        for line in text.lines() {
            let code = line.trim_start();
            if let Some(of) = line.strip_prefix("impl") {
                let of = of.trim_start_matches(['<', ' ']).split(" for ").last();
                owner = of.and_then(|of| of.split([' ', '<']).next()).map(str::to_owned);
            }
            panics |= code == "/// # Panics";
            if !code.starts_with("///") && !code.starts_with("#[") && panics {
                panics = false;
                let function = code.split("fn ").nth(1).and_then(|rest| rest.split(['(', '<']).next());
                let of = owner.as_ref().filter(|_| line.starts_with("    "));
                let of = of.map_or(name.clone(), |owner| format!("{name}::{owner}"));
                found.push(format!("{of}::{}", function.unwrap_or(code)));
            }
        }
    }
    let security = read(&root().join("docs/security.md"));
    let table = security.split("## What panics").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = table.expect("the table").lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<String> = Vec::new();
    for row in rows {
        let mut words = row.split('`').step_by(2);
        let owner = words.next().unwrap_or_default();
        listed.extend(words.filter(|word| !word.contains('|')).map(|name| format!("{owner}::{name}")));
    }
    found.sort();
    listed.sort();
    assert_eq!(found, listed, "functions that document a panic, and the table of docs/security.md");
}

#[test]
fn no_serialisation_in_what_plays() {
    for name in ["archive", "bone-core", "drawing", "skin", "raster", "render", "rig"] {
        // Its tests may read figures from JSON.
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let used = table(&manifest, "dependencies").join("\n");
        assert!(!used.contains("serde") && !used.contains("ron."), "{name}");
    }
}

/// The lines of a table of a manifest.
fn table<'a>(manifest: &'a str, name: &str) -> Vec<&'a str> {
    let lines = manifest.lines().skip_while(|line| line.trim() != format!("[{name}]")).skip(1);
    lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.trim().is_empty()).collect()
}

/// Package, library and dependency have one name; folders leave its prefix out.
fn package_in(folder: &str) -> String {
    match folder {
        "bone-core" | "bone-layer" | "render-frames" => folder.to_owned(),
        "rig-format" => "bone-format".to_owned(),
        _ => format!("bone-{folder}"),
    }
}

#[test]
fn packages_are_named_by_their_folders() {
    for (folder, _) in USES {
        let manifest = read(&root().join("crates").join(folder).join("Cargo.toml"));
        let named = format!("name = \"{}\"", package_in(folder));
        assert!(table(&manifest, "package").contains(&&*named), "{folder}");
        // The library has the package's name.
        assert!(!table(&manifest, "lib").iter().any(|line| line.starts_with("name")), "{folder}");
        assert!(!manifest.contains("package = \""), "{folder} renames a dependency");
    }
}

#[test]
fn crates_use_those_that_they_may() {
    for (name, allowed) in USES {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        for line in table(&manifest, "dependencies") {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let is_ours = USES.iter().any(|(other, _)| package_in(other) == used);
            assert!(!is_ours || allowed.iter().any(|other| package_in(other) == used), "{name} uses {used}");
        }
    }
    let drawing = read(&root().join("crates/drawing/Cargo.toml"));
    assert_eq!(table(&drawing, "dependencies"), ["bone-archive.workspace = true", "kurbo.workspace = true"]);
}

#[test]
fn every_manifest_inherits_the_lints() {
    for folder in ["crates", "examples", "tests"] {
        for path in below(folder, "toml").iter().filter(|path| path.ends_with("Cargo.toml")) {
            let manifest = read(path);
            // A workspace of its own inherits nothing.
            if manifest.contains("\n[workspace]\n") {
                continue;
            }
            assert_eq!(table(&manifest, "lints"), ["workspace = true"], "{}", shown(path));
            for field in ["version", "edition", "rust-version", "license"] {
                let inherited = format!("{field}.workspace = true");
                assert!(table(&manifest, "package").contains(&&*inherited), "{}: {field}", shown(path));
            }
        }
    }
}

/// Whether a line of code names a crate: `name::` or `::name::`, at the start of a path.
fn names_crate(line: &str, name: &str) -> bool {
    if line.trim() == format!("pub use {name};") || line.trim().starts_with(&format!("pub use {name} as ")) {
        return true;
    }
    let path = format!("{name}::");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].strip_suffix("::").unwrap_or(&line[..at]).chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '>'))
    })
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for folder in ["crates", "examples", "tests"] {
        for manifest in below(folder, "toml").iter().filter(|path| path.ends_with("Cargo.toml")) {
            let package = shown(manifest.parent().expect("a manifest is in a folder"));
            let mut sources = String::new();
            for file in below(&package, "rs") {
                let own = read(&file);
                // Tests may share a file of another crate; such a path is that of the file beside it.
                for path in own.split("#[path = \"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    let shared = file.with_file_name(path);
                    sources.push_str(&if shared.exists() { read(&shared) } else { String::new() });
                }
                sources.push_str(&own);
            }
            let lines = || sources.lines().filter(|line| !line.trim_start().starts_with("//"));
            let text = read(manifest);
            let mut in_dependencies = false;
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
            {
                if line.starts_with('[') {
                    in_dependencies = line.ends_with("dependencies]");
                } else if in_dependencies {
                    let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
                    if !lines().any(|line| names_crate(line, &name.replace('-', "_"))) {
                        unused.push(format!("{package}: {name}"));
                    }
                }
            }
        }
    }
    assert!(unused.is_empty(), "no source names these dependencies:\n{}", unused.join("\n"));
}

#[test]
fn every_crate_warns_about_unused_dependencies() {
    let roots = LIBRARIES.map(|name| format!("crates/{name}/src/lib.rs"));
    for path in roots.iter().map(String::as_str).chain([
        "crates/live/src/lib.rs",
        "crates/lsp/src/lib.rs",
        "crates/render-frames/src/main.rs",
    ]) {
        let text = read(&root().join(path));
        assert!(text.contains("#![cfg_attr(not(test), warn(unused_crate_dependencies))]"), "{path}");
    }
}

#[test]
fn licences_of_all_dependencies_are_allowed() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["metadata", "--format-version", "1", "--offline", "--locked", "--all-features"];
    let output = std::process::Command::new(cargo).args(words).current_dir(root()).output().expect("cargo");
    if !output.status.success() {
        // Packages for other systems may not be here, and a test must not download them.
        println!("skipped: {}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} names no licence"));
        assert!(acceptable(licence), "{name}: {licence}");
    }
}

/// Whether an SPDX expression allows a licence that requires only notices.
fn acceptable(expression: &str) -> bool {
    const FREE: [&str; 12] = [
        "MIT",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "0BSD",
        "Zlib",
        "ISC",
        "Unlicense",
        "CC0-1.0",
        "Unicode-3.0",
        "BSL-1.0",
    ];
    let flat = expression.replace(['(', ')'], "");
    // `AND` binds closer than `OR`; the one expression with brackets around an `OR` requires both sides of
    // its `AND`.
    let all_of = |part: &str| part.split(" AND ").all(|licence| FREE.contains(&licence.trim()));
    if expression.contains('(') {
        return flat
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|licence| FREE.contains(&licence.trim())));
    }
    flat.split(" OR ").flat_map(|part| part.split('/')).any(all_of)
}

#[test]
fn copyleft_licences_are_rejected() {
    for good in [
        "MIT",
        "MIT/Apache-2.0",
        "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(acceptable(good), "{good}");
    }
    for bad in ["GPL-3.0", "LGPL-2.1-or-later", "MIT AND AGPL-3.0", "(MIT OR GPL-2.0) AND GPL-2.0", "MPL-2.0"]
    {
        assert!(!acceptable(bad), "{bad}");
    }
}
