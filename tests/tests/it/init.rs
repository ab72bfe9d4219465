//! A scaffold for every drawing: it loads without mistakes, binds the art that bones touch, and draws.
//! Drawings in the style of each program are in `tests/init`; the expected bones and bindings are here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bone_authoring::{BoneStyle, FileNames, Scaffold, ScaffoldResult, scaffold, scaffold_with};
use bone_format::diagnostic::Severity;
use bone_format::doc::{BindingDoc, RigDoc};
use bone_format::span::SourceId;
use bone_format::{Disk, Files, InMemory, Loaded, load, no_fonts, system_fonts};
use bone_layer_tests::files::{drawings, good_rigs, root, shown};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{FrameState, Overrides, Rig};

fn scaffold_of(path: &Path) -> Scaffold {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let files: Arc<dyn Files> = Arc::new(Disk);
    let found = scaffold(path, FileNames { drawing: name, rig: "scaffold.ron" }, &files, &system_fonts);
    let words: Vec<&str> = found.diagnostics.iter().map(|d| d.message.as_str()).collect();
    found.rig.unwrap_or_else(|| panic!("{}: {words:?}", shown(path)))
}

/// The disk, and a rig that exists only as text.
struct With(std::path::PathBuf, String);

impl Files for With {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.clone().into_bytes()) } else { Disk.read(path) }
    }
}

fn loaded(drawing: &Path, rig: &Scaffold) -> Loaded {
    let path = drawing.with_file_name("scaffold.ron");
    load(&path, Arc::new(With(path.clone(), rig.text.clone())), &system_fonts)
}

/// Warnings that a scaffold may have: its comments state the same.
fn is_expected(message: &str) -> bool {
    let kinds = [
        "has no effect: no art follows",
        "no bone is inside",
        "has no area, so it follows its nearest bone",
        "has no usable outline",
        "stays where it is",
        "stay where they are",
        "in a mask",
    ];
    kinds.iter().any(|kind| message.contains(kind))
}

#[test]
fn every_drawing_gets_a_rig_that_plays() {
    let all = drawings();
    assert!(all.len() > 35, "{}", all.len());
    for path in all {
        let rig = scaffold_of(&path);
        let loaded = loaded(&path, &rig);
        let about_the_rig: Vec<&str> = loaded
            .diagnostics
            .iter()
            .filter(|d| d.place.is_none_or(|place| place.source == SourceId::default()))
            .filter(|d| d.severity == Severity::Error || !is_expected(&d.message))
            .map(|d| d.message.as_str())
            .collect();
        assert!(about_the_rig.is_empty(), "{}: {about_the_rig:?}\n{}", shown(&path), rig.text);
        let scene = loaded.rig.unwrap_or_else(|| panic!("{}:\n{}", shown(&path), rig.text));
        assert_eq!(scene.skeleton().len(), rig.bones, "{}", shown(&path));
        let mut state = FrameState::new(&scene);
        scene.pose(scene.clips().first(), 0.25, &mut state).expect("a pose");
        scene.write_svg(&mut state);
        // Whatever has art has some of it bound, and it moves.
        assert!(rig.bound > 0 || rig.unbound == 0, "{}:\n{}", shown(&path), rig.text);
        let size = FrameSize::new(48, 48).expect("a size");
        let mut pixmap = Pixmap::new(48, 48).expect("memory");
        let options = FrameOptions { size, background: None };
        Raster::default().draw(state.svg(), &options, &mut pixmap).expect("a frame");
        assert!(rig.text.lines().all(|line| line.chars().count() <= 160), "{}", rig.text);
    }
}

fn doc(name: &str) -> (Scaffold, RigDoc) {
    let path = root().join("tests/init").join(name);
    let rig = scaffold_of(&path);
    let doc = loaded(&path, &rig).doc.expect("a document");
    (rig, doc)
}

/// Bones as `name < parent`.
fn bones(doc: &RigDoc) -> Vec<String> {
    let parent = |bone: &bone_format::doc::BoneDoc| {
        bone.parent.as_ref().map_or("-", |parent| &parent.value).to_owned()
    };
    doc.bones.iter().map(|bone| format!("{} < {}", bone.name.value, parent(bone))).collect()
}

/// Bindings as `art: bone + bone`.
fn skin(doc: &RigDoc) -> Vec<String> {
    let bones = |binding: &BindingDoc| match binding {
        BindingDoc::Rigid(rigid) => rigid.bone.value.clone(),
        BindingDoc::Smooth(smooth) => {
            let bones = smooth.bones.as_ref().expect("named bones");
            bones.value.iter().map(|bone| bone.value.as_str()).collect::<Vec<_>>().join(" + ")
        }
        BindingDoc::Explicit(_) | BindingDoc::Puppet(_) => panic!("nothing is typed"),
    };
    let names = |binding: &BindingDoc| {
        binding.names().iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(", ")
    };
    doc.skin.iter().map(|binding| format!("{}: {}", names(binding), bones(binding))).collect()
}

#[test]
fn inkscape_layers_labels_millimetres_and_a_hidden_layer_of_bones() {
    let (rig, doc) = doc("inkscape-mm-bones.svg");
    assert!(rig.drawn);
    // The arm is drawn as one curve and one line: two bones. It starts on the middle of nothing, beside the
    // shoulder.
    assert_eq!(bones(&doc), ["spine < -", "neck < spine", "arm_1 < -", "arm_2 < arm_1"]);
    // A text is art where there are fonts.
    let bound: Vec<String> = skin(&doc).into_iter().filter(|bound| !bound.starts_with("text")).collect();
    assert_eq!(bound, ["body: spine", "head: neck", "arm: arm_1 + arm_2"]);
    // In millimetres, as Inkscape shows them, through the layer's transform.
    let spine = doc.bone("spine").expect("a spine");
    assert_eq!(spine.from.expect("a start").value, (50.0, 100.0).into());
    assert_eq!(doc.bone("neck").expect("a neck").from, None, "it starts where the spine ends");
    assert!(rig.text.contains("One of its units is 1 mm, or 3.78 pixels."), "{}", rig.text);
    assert!(doc.clips[0].art.is_empty(), "what is hidden needs no hiding");
    assert!(rig.text.contains("One shape in it is not an open line"), "{}", rig.text);
}

/// A drawing of an example with the bones of its rig at rest as lines.
fn with_bone_lines(svg: &str, rig: &Rig) -> String {
    let mut state = FrameState::new(rig);
    rig.pose(None, 0.0, &mut state).expect("the setup pose");
    let line = |bone: &bone_looks::inspect::PosedBone| {
        let (from, to) = (bone.origin, bone.tip);
        format!("<path id=\"line-{}\" d=\"M{} {}L{} {}\"/>", bone.name, from.x, from.y, to.x, to.y)
    };
    let lines: String = bone_looks::inspect::PosedMoment::new(rig, &state).bones.iter().map(line).collect();
    let end = svg.rfind("</svg>").expect("an end");
    format!("{}<g id=\"bones\" display=\"none\" stroke=\"#f0f\">{lines}</g></svg>", &svg[..end])
}

/// The bones that an artist bound each piece of art to.
fn bones_by_art(doc: &RigDoc) -> BTreeMap<String, BTreeSet<String>> {
    let bones = |binding: &BindingDoc| -> BTreeSet<String> {
        match binding {
            BindingDoc::Rigid(rigid) => [rigid.bone.value.clone()].into(),
            BindingDoc::Smooth(smooth) => {
                smooth.bones.iter().flat_map(|bones| &bones.value).map(|bone| bone.value.clone()).collect()
            }
            BindingDoc::Explicit(explicit) => [format!("typed for {}", explicit.art.value)].into(),
            BindingDoc::Puppet(puppet) => puppet.pins.value.iter().map(|pin| pin.value.clone()).collect(),
        }
    };
    let names = |binding: &BindingDoc| {
        let bones = bones(binding);
        binding.names().iter().map(move |name| (name.value.clone(), bones.clone())).collect::<Vec<_>>()
    };
    doc.skin.iter().flat_map(names).collect()
}

/// Limbs and features are drawn over each other: what the artists bound to other bones is not a line around it, and
/// a feature with a bone beside its thin shape, as the mouth of a face, does not follow what it lies on.
#[test]
fn no_two_limbs_of_an_example_are_bound_as_one() {
    let (mut examples, mut limbs) = (0, 0);
    for path in good_rigs().into_iter().filter(|path| path.starts_with(root().join("examples"))) {
        let by_hand = load(&path, Arc::new(Disk), &no_fonts);
        let (Some(rig), Some(typed)) = (&by_hand.rig, &by_hand.doc) else { panic!("{}", shown(&path)) };
        let drawing = path.with_file_name("drawing.svg");
        let Ok(svg) = std::fs::read_to_string(&drawing) else { continue };
        examples += 1;
        let svg = with_bone_lines(&svg, rig);
        let files: Arc<dyn Files> = Arc::new(InMemory::new().with("drawing.svg", svg.clone()));
        let called = FileNames { drawing: "drawing.svg", rig: "rig.ron" };
        let made = scaffold("drawing.svg".as_ref(), called, &files, &no_fonts).rig.expect("a rig");
        assert!(made.drawn, "{}", shown(&path));
        let files = InMemory::new().with("drawing.svg", svg).with("rig.ron", made.text.clone());
        let doc = load("rig.ron".as_ref(), Arc::new(files), &no_fonts).doc.expect("a document");
        let artist = bones_by_art(typed);
        for binding in &doc.skin {
            let names: Vec<&str> = binding.names().iter().map(|name| name.value.as_str()).collect();
            let known: Vec<&BTreeSet<String>> = names.iter().filter_map(|name| artist.get(*name)).collect();
            limbs += known.len();
            let apart = known.windows(2).any(|pair| pair[0].is_disjoint(pair[1]));
            assert!(!apart, "{}: {names:?}", shown(&path));
        }
    }
    assert!(examples >= 18 && limbs > 90, "{examples} examples, {limbs} pieces");
}

#[test]
fn illustrator_names_with_escapes_and_numbers() {
    let (rig, doc) = doc("illustrator.svg");
    assert_eq!(bones(&doc), ["mast < -", "jib < mast", "bone_3 < jib"]);
    let bound = skin(&doc);
    for expected in ["crane_base: mast", "jib_arm: jib", "hook: bone_3", "hook_1_: bone_3"] {
        assert!(bound.iter().any(|binding| binding == expected), "{expected}: {bound:?}");
    }
    assert_eq!(doc.clips[0].art[0].art.value, "Bones", "the lines are out of sight while it plays");
    assert!(rig.text.contains("Illustrator's Layers panel"));
}

#[test]
fn figma_frames_and_what_was_exported_without_names() {
    let (_, fish) = doc("figma.svg");
    assert_eq!(bones(&fish), ["front < -", "back < front", "tail fin < back"]);
    assert!(skin(&fish).contains(&"fish: front + back + tail fin".to_owned()), "{:?}", skin(&fish));
    let (rig, plain) = doc("figma-without-names.svg");
    // By their numbers; what fills the page stays.
    assert_eq!(skin(&plain), ["#2, #3: body"]);
    assert_eq!((rig.bound, rig.unbound), (2, 1));
}

#[test]
fn affinity_sketch_and_corel() {
    let (_, affinity) = doc("affinity.svg");
    // Two layers are called alike, so their ids tell them apart.
    assert_eq!(skin(&affinity), ["Leaf-1: body", "Leaf 2: body", "Leaf-11: body"]);
    let (_, sketch) = doc("sketch.svg");
    assert_eq!(skin(&sketch), ["Tower: body", "Sails: body"]);
    let (rig, corel) = doc("coreldraw.svg");
    assert_eq!(bones(&corel), ["bone_1_1 < -", "bone_1_2 < bone_1_1"]);
    let bound = skin(&corel);
    assert!(bound.iter().any(|binding| binding.starts_with("Left leg: ")), "{bound:?}");
    assert!(
        rig.text.contains("One of its units") || rig.text.contains("The picture is 4in wide"),
        "{}",
        rig.text
    );
}

#[test]
fn plain_drawings_bones_without_art_and_empty_drawings() {
    let (_, hand) = doc("by-hand.svg");
    assert_eq!(bones(&hand), ["trunk_bone < -", "bone_2 < trunk_bone"]);
    assert_eq!(skin(&hand), ["head: bone_2", "trunk: trunk_bone", "twin: trunk_bone"]);
    let (_, alone) = doc("bones-alone.svg");
    assert_eq!(bones(&alone), ["bone_1 < -", "bone_2 < -", "bone_3_1 < -", "bone_3_2 < bone_3_1"]);
    let (_, tiny) = doc("tiny-units.svg");
    assert_eq!(bones(&tiny), ["lower < -", "upper < lower"]);
    assert_eq!(skin(&tiny), ["pole: lower + upper"]);
    // An empty page.
    let svg =
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><title>Nothing</title></svg>"#;
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with("empty.svg", svg));
    let called = FileNames { drawing: "empty.svg", rig: "empty.ron" };
    let empty = scaffold("empty.svg".as_ref(), called, &files, &no_fonts).rig.expect("a rig");
    assert_eq!((empty.bones, empty.bound, empty.unbound), (1, 0, 0));
    let files = InMemory::new().with("empty.svg", svg).with("empty.ron", empty.text);
    let loaded = load("empty.ron".as_ref(), Arc::new(files), &no_fonts);
    assert!(loaded.rig.is_some() && loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn a_drawing_with_errors_gives_no_scaffold() {
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with("a.svg", "<svg><g></svg>"));
    let called = FileNames { drawing: "a.svg", rig: "a.ron" };
    let broken = scaffold("a.svg".as_ref(), called, &files, &no_fonts);
    assert!(broken.rig.is_none());
    let found = broken.diagnostics.iter().next().expect("a finding");
    let place = found.place.expect("a place in the drawing");
    assert_eq!(broken.sources.name(place.source), "a.svg");
    assert!(found.related.is_empty(), "there is no rig to point into");
    let missing = scaffold("b.svg".as_ref(), called, &files, &no_fonts);
    let found = missing.diagnostics.iter().next().expect("a finding");
    assert!(missing.rig.is_none() && found.place.is_none());
    assert_eq!(found.message, "the drawing \"b.svg\" cannot be read: there is no such file");
    assert_eq!(found.help, ["did you mean \"a.svg\"?"]);
}

/// A round head with a grid of dots: each goes where the formula of the half ellipsoid has it.
#[test]
fn a_head_turns_as_a_half_ellipsoid() {
    let at = |k: i32| (f64::from(k % 5 - 2) * 0.3, f64::from(k / 5 - 2) * 0.3);
    let dots: Vec<(f64, f64)> = (0..25).map(at).filter(|(x, y)| x * x + y * y < 0.64).collect();
    let dot = |(k, (x, y)): (usize, &(f64, f64))| {
        let (x, y) = (200.0 + 100.0 * x, 160.0 + 120.0 * y);
        format!("<path id='dot{k}' d='M{} {y}L{} {y}'/>", x - 0.5, x + 0.5)
    };
    let dots_of_it: String = dots.iter().enumerate().map(dot).collect();
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 400' stroke='red'><g id='face'>\
        <ellipse cx='200' cy='160' rx='100' ry='120' stroke='none'/>{dots_of_it}</g></svg>"
    );
    let make = |turn: &str| -> ScaffoldResult {
        let files: Arc<dyn Files> = Arc::new(InMemory::new().with("a.svg", svg.clone()));
        let called = FileNames { drawing: "a.svg", rig: "a.ron" };
        scaffold_with((BoneStyle::Coordinates, Some(turn)), "a.svg".as_ref(), called, &files, &no_fonts)
    };
    let made = make("face").rig.expect("a rig");
    let files = InMemory::new().with("a.svg", svg.clone()).with("a.ron", made.text.clone());
    let loaded = load("a.ron".as_ref(), Arc::new(files), &no_fonts);
    assert!(loaded.diagnostics.is_empty(), "{:?}\n{}", loaded.diagnostics, made.text);
    let rig = loaded.rig.expect("a rig");
    let mut state = FrameState::new(&rig);
    for (yaw, pitch) in [(30.0, 0.0), (-30.0, 30.0), (30.0, 30.0), (0.0, -30.0)] {
        let mut overrides = Overrides::new();
        overrides.sliders.set(0, yaw);
        overrides.sliders.set(1, pitch);
        rig.pose_with(None, 0.0, &overrides, &mut state).expect("posed");
        let [(sin_yaw, cos_yaw), (sin_pitch, cos_pitch)] =
            [yaw, pitch].map(|degrees| bone_core::Angle::from_degrees(degrees).sin_cos());
        for (k, (x, y)) in dots.iter().enumerate() {
            let z = (1.0 - x * x - y * y).sqrt();
            let depth = 100.0 * (z * cos_yaw - x * sin_yaw);
            let expected = kurbo::Point::new(
                200.0 + 100.0 * (x * cos_yaw + z * sin_yaw),
                160.0 + 120.0 * y * cos_pitch - depth * sin_pitch,
            );
            let element = rig.art().find(&format!("dot{k}")).expect("a dot");
            let place = rig.posed_elements().iter().position(|own| *own == element).expect("posed");
            let found = kurbo::Shape::bounding_box(&state.posed().paths()[place]).center();
            assert!((found - expected).hypot() < 2.2, "{yaw} {pitch} {x} {y}: {found:?} {expected:?}");
        }
    }
    let none = make("fase");
    let message = &none.diagnostics.iter().next().expect("a finding").message;
    assert!(none.rig.is_none() && message.contains("fase"), "{message}");
}
