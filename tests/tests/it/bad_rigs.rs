//! Reads every broken rig and compares the reports with the comments in it.
//! `RENEW=1 cargo test -p bone-layer-tests --test it bad_rigs` rewrites the expectations; `tests/bad-rigs/README.md`
//! explains them.

use bone_layer_tests::files::{below, shown};
use bone_layer_tests::findings::{compare, of_text, of_whole};

#[test]
fn bad_rigs_are_reported_as_their_comments_expect() {
    let wrong: String =
        below("tests/bad-rigs", "ron").iter().filter_map(|p| compare(p, of_text).err()).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn mistakes_about_drawings_are_reported_as_expected() {
    let rigs = below("tests/bad-rigs-art", "ron");
    let wrong: String =
        rigs.iter().filter_map(|path| compare(path, |bytes| of_whole(path, bytes)).err()).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_bad_rig_has_a_mistake() {
    let alone = below("tests/bad-rigs", "ron");
    assert!(alone.len() >= 35, "{} rigs", alone.len());
    for path in alone {
        let bytes = std::fs::read(&path).expect("a rig");
        assert!(!of_text(&bytes).is_empty(), "{} has no mistake", shown(&path));
        // The same in the whole way, where the drawing is missing too.
        assert!(!of_whole(&path, &bytes).is_empty(), "{}", shown(&path));
    }
    let with_art = below("tests/bad-rigs-art", "ron");
    assert!(with_art.len() >= 20, "{} rigs", with_art.len());
    for path in with_art {
        let bytes = std::fs::read(&path).expect("a rig");
        assert!(!of_whole(&path, &bytes).is_empty(), "{} has no mistake", shown(&path));
        assert!(of_text(&bytes).is_empty(), "{}: the mistake is about the rig alone", shown(&path));
    }
}
