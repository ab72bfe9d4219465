//! Drawings as other programs write them: the bindings of the scaffold of each, and that it moves. Each is a
//! small drawing of our own in the style of the program, in `tests/init`.

use std::path::Path;
use std::sync::Arc;

use bone_authoring::{BoneStyle, FileNames, Scaffold, scaffold, scaffold_with};
use bone_format::diagnostic::Severity;
use bone_format::doc::{BindingDoc, RigDoc};
use bone_format::{Disk, Files, InMemory, Loaded, load, no_fonts, system_fonts};
use bone_layer_tests::files::root;
use bone_looks::inspect::Inspection;
use bone_rig::FrameState;

/// The disk, and a rig that exists only as text.
struct With(std::path::PathBuf, String);

impl Files for With {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.clone().into_bytes()) } else { Disk.read(path) }
    }
}

fn made(name: &str, style: BoneStyle) -> (Scaffold, Loaded) {
    let drawing = root().join("tests/init").join(name);
    let files: Arc<dyn Files> = Arc::new(Disk);
    let called = FileNames { drawing: name, rig: "first.ron" };
    let rig = scaffold_with((style, None), &drawing, called, &files, &system_fonts).rig.expect("a rig");
    let path = drawing.with_file_name("first.ron");
    let loaded = load(&path, Arc::new(With(path.clone(), rig.text.clone())), &system_fonts);
    (rig, loaded)
}

/// Bindings as `art: bone`, with `~` before those that bend and the number of their bones.
fn skin(doc: &RigDoc) -> Vec<String> {
    let line = |binding: &BindingDoc| {
        let names: Vec<&str> = binding.names().iter().map(|name| name.value.as_str()).collect();
        let art = match names.as_slice() {
            [one] => (*one).to_owned(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        };
        match binding {
            BindingDoc::Rigid(rigid) => format!("{art}: {}", rigid.bone.value),
            BindingDoc::Smooth(smooth) => {
                format!("~{art}: {}", smooth.bones.as_ref().map_or(0, |bones| bones.value.len()))
            }
            BindingDoc::Explicit(_) | BindingDoc::Puppet(_) => panic!("nothing is typed"),
        }
    };
    doc.skin.iter().map(line).collect()
}

/// The posed drawing at a time of the first clip.
fn posed(loaded: &Loaded, time: f64) -> String {
    let scene = loaded.rig.as_ref().expect("a rig");
    let mut state = FrameState::new(scene);
    scene.pose(scene.clips().first(), time, &mut state).expect("a pose");
    scene.write_svg(&mut state);
    state.svg().to_owned()
}

/// Compares the bones and bindings of a scaffold. It has no errors, and its clip moves the bound art.
fn check(name: &str, bones: usize, expected: &[&str]) -> (Scaffold, Loaded) {
    let (rig, loaded) = made(name, BoneStyle::Coordinates);
    let errors: Vec<&str> = loaded
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| d.message.as_str())
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{}", rig.text);
    let doc = loaded.doc.as_ref().expect("a document");
    assert_eq!(doc.bones.len(), bones, "{name}:\n{}", rig.text);
    assert_eq!(skin(doc), expected, "{name}");
    let scene = loaded.rig.as_ref().expect("a rig");
    assert_ne!(posed(&loaded, 0.0), posed(&loaded, 1.0), "{name} moves");
    let inspected = Inspection::new(scene, doc);
    assert!(inspected.art.iter().any(|art| art.bound), "{name}");
    // The same with bones that follow their lines.
    let (_, lines) = made(name, BoneStyle::Lines);
    let by_lines = |bone: &bone_format::doc::BoneDoc| bone.line.is_some();
    let of_lines = lines.doc.as_ref().expect("a document").bones.iter().filter(|bone| by_lines(bone)).count();
    assert!(of_lines > 0 || bones == 1 || rig.text.contains("_2\": (parent"), "{name}: {of_lines}");
    let (own, theirs) = (scene.skeleton(), lines.rig.as_ref().expect("a rig").skeleton());
    for bone in own.bones() {
        let other = theirs.find(own.name(bone)).expect("the same bones");
        assert!((own.setup_origin(bone) - theirs.setup_origin(other)).hypot() < 20.0, "{name}");
        assert!((own.setup_tip(bone) - theirs.setup_tip(other)).hypot() < 1.0, "{name}");
    }
    (rig, loaded)
}

#[test]
fn illustrator_characters_in_one_group_are_one_piece() {
    let (rig, _) = check("illustrator-girl.svg", 58, &["~illustration: 58"]);
    assert_eq!((rig.bound, rig.unbound), (1, 0));
    assert!(rig.text.contains("Illustrator's Layers panel"));
}

#[test]
fn hidden_lines_of_illustrator_need_no_hiding() {
    let (_, diver) = check("illustrator-diver.svg", 58, &["~diver: 58"]);
    assert!(diver.doc.expect("a document").clips[0].art.is_empty(), "its lines are hidden");
}

#[test]
fn nested_groups_and_lines_without_names() {
    let (_, fox) = check("illustrator-fox.svg", 58, &["~fox_art/#1: 58"]);
    let fox = fox.doc.expect("a document");
    assert_eq!(fox.bones[0].name.value, "bone_1");
    assert_eq!(fox.bones.iter().filter(|bone| bone.parent.is_none()).count(), 2, "hips and belly");
}

#[test]
fn figma_frames_with_ids() {
    let parts =
        ["Rectangle 7: tail", "tail feathers: tail", "~body: 3", "wing: wing bone", "~head: 2", "feet: tail"];
    check("figma-parrot.svg", 5, &parts);
}

#[test]
fn figma_without_bones_has_one_bone_for_all_but_the_background() {
    let (rig, _) = check("figma-kettle.svg", 1, &["#1/#2 to #1/#10: body"]);
    assert_eq!((rig.bound, rig.unbound), (9, 1));
}

#[test]
fn affinity_layers_with_matrices_and_clips() {
    let (_, crab) = check(
        "affinity-crab.svg",
        11,
        &[
            "Leg 1L: leg-1-L",
            "Leg 2L: leg-2-L",
            "Leg 3L: leg-3-L",
            "Leg 1R: leg-1-R",
            "Leg 2R: leg-2-R",
            "Leg 3R: leg-3-R",
            "~Claw L: 2",
            "~Claw R: 2",
            "~Shell: 7",
            "Eyes: shell",
        ],
    );
    let doc = crab.doc.expect("a document");
    let bone = doc.bone("pincer-L").expect("a bone");
    assert_eq!(bone.parent.as_ref().expect("a parent").value, "arm-L");
}

#[test]
fn old_inkscape_files_with_translated_layers() {
    let (_, owl) = check("inkscape-048-owl.svg", 8, &["~Layer 1: 8"]);
    let head = owl.doc.as_ref().expect("a document").bone("head").expect("a bone").to.expect("a tip").value;
    assert!((head - kurbo::Point::new(384.0, 240.0)).hypot() < 0.1, "{head:?}: the layer is shifted back");
    let parts = ["tower: mast", "jib: boom", "~hook: 2"];
    let (rig, _) = check("inkscape-091-crane.svg", 4, &parts);
    assert!(rig.text.contains("\"sea\", bone: \"mast\"),  // it spans the page"), "{}", rig.text);
}

#[test]
fn sketch_layers() {
    let (_, snowman) = check(
        "sketch-snowman.svg",
        5,
        &[
            "Arm-Left: Arm-L",
            "Arm-Right: Arm-R",
            "Oval: Spine_1",
            "Middle: Spine_2",
            "Head: Spine_3",
            "Scarf: Spine_2",
        ],
    );
    assert!(snowman.diagnostics.iter().all(|d| d.message.contains("is used twice")), "of the drawing alone");
}

#[test]
fn coreldraw_and_boxy_svg() {
    let parts = ["Tipper: tip", "_2104789632: bone_1", "Wheel 1: rear wheel", "Wheel 2: front wheel"];
    check("coreldraw-truck.svg", 4, &parts);
    check("boxy-boat.svg", 4, &["#3: bone_1", "#4: bone_2", "#5: bone_3", "#6: bone_4"]);
}

#[test]
fn shapes_without_names_move_together() {
    check("by-hand-frog.svg", 1, &["#1 to #16: body"]);
    check("svgo-cactus.svg", 10, &["~#1: 10"]);
}

#[test]
fn shapes_of_krita_and_synfig_move_together() {
    check("krita-seahorse.svg", 7, &["~shape000 to shape016: 7"]);
    check("synfig-sunflower.svg", 5, &["~g0 to g23: 5"]);
}

#[test]
fn bones_with_line_name_each_line() {
    let (rig, loaded) = made("figma-parrot.svg", BoneStyle::Lines);
    assert!(rig.text.contains("\"skull\": (parent: \"torso\", line: \"skull\")"), "{}", rig.text);
    assert!(loaded.rig.is_some());
    let (rig, _) = made("svgo-cactus.svg", BoneStyle::Lines);
    // A line with several segments gives several bones, which cannot be written with `line`.
    assert!(!rig.text.contains("line: \""), "{}", rig.text);
    assert!(rig.text.contains("their coordinates are typed"), "{}", rig.text);
    let (rig, _) = made("illustrator-fox.svg", BoneStyle::Lines);
    assert!(rig.text.contains("\"bone_1\": (line: \"bones/#1\")"), "{}", rig.text);
}

#[test]
fn warnings_do_not_leave_art_unbound() {
    // Two lines on one place, one beside all art, and a text amid the shapes.
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><g id="kite">
<path d="M10 10H50V90H10Z"/><path d="M50 20H60V80H50Z" fill="#d33"/><circle cx="30" cy="30" r="4" fill="#fff"/>
<image x="20" y="60" width="9" height="9" href="data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="/>
</g><g id="bones" stroke="#00f"><path id="a" d="M30 85V50"/><path id="b" d="M30 50V15"/><path id="twin" d="M30 15V50"/>
<path id="far" d="M80 10V40"/></g></svg>"##;
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with("kite.svg", svg));
    let called = FileNames { drawing: "kite.svg", rig: "kite.ron" };
    let rig = scaffold("kite.svg".as_ref(), called, &files, &no_fonts).rig.expect("a rig");
    let files = InMemory::new().with("kite.svg", svg).with("kite.ron", rig.text.clone());
    let loaded = load("kite.ron".as_ref(), Arc::new(files), &no_fonts);
    assert!(loaded.rig.is_some(), "{}", rig.text);
    let doc = loaded.doc.expect("a document");
    assert_eq!(skin(&doc)[0], "~kite: 2", "{}", rig.text);
    assert!(rig.text.contains("No art follows these bones"), "{}", rig.text);
    assert!(rig.text.contains("\"far\"") && rig.text.contains("\"twin\""), "{}", rig.text);
    assert!(!rig.text.contains("cannot be bound"), "{}", rig.text);
}
