//! `weights`: what is printed and written, and that a file which cannot be written is unchanged.

use std::fs;
use std::path::Path;

use crate::command::{below, expect, files, names, repository};

/// The tail of the examples in a temporary folder; the path of its rig.
fn tail() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files(Path::new(&repository("examples/tail"))) {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let rig = below(&folder, "rig.ron");
    (folder, rig)
}

#[test]
fn bindings_are_printed_and_the_file_stays() {
    let (folder, rig) = tail();
    let before = files(folder.path());
    let ran = expect(0, &["weights", &rig]);
    assert!(ran.out.starts_with("        Explicit(art: \"fur\", weights: {\n"), "{}", ran.out);
    assert!(ran.out.contains("        Explicit(art: \"tip\", "), "{}", ran.out);
    assert!(ran.err.contains("within") && ran.err.contains("--write"), "{}", ran.err);
    assert!(files(folder.path()) == before);
    let json: serde_json::Value =
        serde_json::from_str(&expect(0, &["weights", &rig, "--json"]).out).expect("JSON");
    assert_eq!(json["bindings"][0]["paths"][0]["art"], "fur");
    assert_eq!(json["bindings"][0]["paths"][0]["vertices"].as_array().map(Vec::len), Some(21));
}

#[test]
fn written_rigs_are_whole_and_a_second_time_there_is_nothing_to_do() {
    let (folder, rig) = tail();
    let before = fs::read_to_string(&rig).expect("a rig");
    let list = names(folder.path());
    let ran = expect(0, &["weights", &rig, "--art", "tail", "--prune", "3", "--write"]);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("1 binding written"), "{}", ran.err);
    assert_eq!(names(folder.path()), list, "nothing else is left");
    let after = fs::read_to_string(&rig).expect("a rig");
    let at = before.find("Smooth(").expect("a binding");
    assert_eq!(after[..at], before[..at]);
    let rest = &before[before.find("        Rigid(").expect("the next")..];
    assert!(after.ends_with(rest));
    assert!(expect(0, &["check", &rig]).out.contains("no mistakes"));
    let ran = expect(0, &["weights", &rig, "--write"]);
    assert!(ran.err.contains("nothing to do: all weights are typed already"), "{}", ran.err);
    let ran = expect(0, &["weights", &rig, "--prune", "3", "--write"]);
    assert!(ran.err.contains("nothing to do: all weights have these values already"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&rig).expect("a rig"), after);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay_and_what_is_read_only_is_left_alone() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, rig) = tail();
    let mode = |path: &str| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let before = fs::read(&rig).expect("a rig");
    fs::set_permissions(&rig, fs::Permissions::from_mode(0o440)).expect("permissions");
    let ran = expect(1, &["weights", &rig, "--write"]);
    assert!(ran.err.contains("it is read-only") && ran.err.contains("it is unchanged"), "{}", ran.err);
    assert_eq!(fs::read(&rig).expect("a rig"), before);
    fs::set_permissions(&rig, fs::Permissions::from_mode(0o640)).expect("permissions");
    let link = below(&folder, "link.ron");
    symlink("rig.ron", &link).expect("a link");
    expect(0, &["weights", &link, "--write"]);
    assert_eq!(mode(&rig), 0o640);
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_ne!(fs::read(&rig).expect("a rig"), before);
}

#[test]
fn words_that_do_not_fit_end_with_2_and_broken_rigs_with_3() {
    let (_folder, rig) = tail();
    for (words, said) in [
        (&["--art", "tial"][..], "did you mean \"tail\"?"),
        (&["--art", "head"], "no weights to edit"),
        (&["--lock", "tail_12"], "did you mean \"tail_1\"?"),
        (&["--mirror"], "arm.L"),
        (&["--prune", "0"], "1"),
        (&["--smooth", "-1"], "-1"),
        (&["--threshold", "2"], "from 0 to 1"),
        (&["--axis", "3"], "--mirror"),
        (&["--strength", "0.2"], "--smooth"),
        (&["--mirror", "L2L"], "R2L"),
    ] {
        let mut all = vec!["weights", rig.as_str()];
        all.extend(words);
        let ran = expect(2, &all);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    let wrong = fs::read_to_string(&rig)
        .expect("a rig")
        .replace("method", "methd")
        .replace("\"head\", bone", "\"hed\", bone");
    fs::write(&rig, &wrong).expect("the rig");
    let ran = expect(3, &["weights", &rig, "--write"]);
    assert!(
        ran.err.contains("did you mean \"head\"?") && ran.err.contains("the rig has errors"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(&rig).expect("a rig"), wrong);
    expect(3, &["weights", "no/such/rig.ron"]);
}
