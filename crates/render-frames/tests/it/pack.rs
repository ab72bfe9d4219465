//! `pack`: the same frames from the packed rig, and messages for what cannot be packed.

use std::path::Path;

use crate::command::{below, expect, files, flag};

#[test]
fn a_packed_rig_gives_the_same_files() {
    let (folder, rig) = flag();
    let packed = below(&folder, "flag.bones");
    let said = expect(0, &["pack", &rig, "-o", &packed]);
    assert!(said.out.is_empty() && said.err.contains("flag.bones: "), "{}", said.err);
    for format in ["png", "svg"] {
        let (own, other) =
            (below(&folder, &format!("own_{format}/")), below(&folder, &format!("other_{format}/")));
        expect(0, &["render", &rig, "--clip", "all", "--format", format, "-o", &own]);
        expect(0, &["render", &packed, "--clip", "all", "--format", format, "-o", &other]);
        let frames = files(Path::new(&own));
        assert!(frames.len() > 12 && frames == files(Path::new(&other)));
    }
    // The short form, too, and the pictures of a rig.
    expect(0, &[&packed, "-q", "-o", &below(&folder, "short/")]);
    expect(0, &["sheet", &packed, "-o", &below(&folder, "sheet.png")]);
    expect(0, &["onion", &packed, "-o", &below(&folder, "onion.svg")]);
    assert!(expect(0, &["check", &packed]).out.contains("no mistakes"));
}

#[test]
fn what_needs_the_typed_rig_says_so() {
    let (folder, rig) = flag();
    let packed = below(&folder, "flag.bones");
    expect(0, &["pack", &rig, "-q"]);
    assert!(Path::new(&rig).with_extension("bones").exists(), "beside the rig");
    expect(0, &["pack", &rig, "-q", "-o", &packed, "--force"]);
    let overlay = ["render", &packed, "--overlay", "bones", "-o", &below(&folder, "out/")];
    assert!(expect(2, &overlay).err.contains("needs the rig file"));
    assert!(expect(2, &["inspect", &packed]).err.contains("needs the rig file"));
}

#[test]
fn files_that_are_in_the_way_are_kept() {
    let (folder, rig) = flag();
    let packed = below(&folder, "flag.bones");
    std::fs::write(&packed, "mine").expect("a file");
    let said = expect(2, &["pack", &rig, "-o", &packed]);
    assert!(said.err.contains("exists already") && said.err.contains("--force"), "{}", said.err);
    assert_eq!(std::fs::read(&packed).expect("a file"), b"mine");
    expect(0, &["pack", &rig, "-o", &packed, "--force"]);
    assert!(expect(2, &["pack", &rig, "-o", &rig]).err.contains(".bones file"));
    assert!(expect(2, &["pack", &packed]).err.contains("packed already"));
    let nowhere = below(&folder, "nowhere/flag.bones");
    assert!(expect(1, &["pack", &rig, "-o", &nowhere]).err.contains("there is no folder"));
}

#[test]
fn rigs_with_mistakes_and_files_that_are_no_packs_are_refused() {
    let (folder, rig) = flag();
    let broken = below(&folder, "broken.ron");
    let text = std::fs::read_to_string(&rig).expect("a rig").replace("bones:", "bnoes:");
    std::fs::write(&broken, text).expect("a file");
    assert!(expect(3, &["pack", &broken]).err.contains("bnoes"));
    assert!(!Path::new(&broken).with_extension("bones").exists());
    let missing = expect(3, &["pack", &below(&folder, "nothing.ron")]).err;
    assert!(missing.contains("there is no such file"), "{missing}");

    let text = below(&folder, "text.bones");
    std::fs::write(&text, "Rig()").expect("a file");
    for command in ["render", "check", "sheet"] {
        let output = below(&folder, "sheet.png");
        let arguments: &[&str] = match command {
            "check" => &[command, &text],
            _ => &[command, &text, "-o", &output],
        };
        let said = expect(3, arguments);
        assert!(said.err.contains("this is not a packed rig"), "{}", said.err);
    }
    expect(0, &["pack", &rig, "-q"]);
    let packed = Path::new(&rig).with_extension("bones");
    let bytes = std::fs::read(&packed).expect("a pack");
    std::fs::write(&text, &bytes[..bytes.len() / 2]).expect("a file");
    assert!(expect(3, &["check", &text]).err.contains("cut off"));
}
