//! Documents that are compiled one after the other, against the same documents compiled alone.

use bone_core::clip::Scalar;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bone_drawing::Drawing;
use bone_format::doc::{
    BindingDoc, BlendPointDoc, Channel, ClipDoc, MachineDoc, MachineLayerDoc, RigDoc, StateDoc, StatesDoc,
    Stroke, TransitionDoc,
};
use bone_format::span::SourceId;
use bone_format::write::{Comments, Digits, write};
use bone_format::{
    Compiler, Diagnostic, Diagnostics, Disk, SkinDetail, check, compile, load, no_fonts, read,
};
use bone_rig::{FrameState, MachineInputKind, Rig};
use kurbo::{Point, Vec2};

const TIMES: [f64; 2] = [0.21, 0.9];

/// A rig of the repository as a document with its drawing.
struct Puppet {
    path: PathBuf,
    doc: RigDoc,
    drawing: Arc<Drawing>,
    art: SourceId,
}

fn puppet(path: &Path) -> Option<Puppet> {
    let loaded = load(path, Arc::new(Disk), &no_fonts);
    let drawing = Arc::new(loaded.rig?.art().clone());
    Some(Puppet { path: path.to_owned(), doc: loaded.doc?, drawing, art: loaded.drawing? })
}

/// All rigs of the repository that can be played.
fn puppets() -> Vec<Puppet> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let examples = files(&root.join("examples")).into_iter().map(|folder| folder.join("rig.ron"));
    let mut paths: Vec<PathBuf> = examples.chain(files(&root.join("tests/rigs"))).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "ron") && path.exists());
    paths.sort();
    let found: Vec<Puppet> = paths.iter().filter_map(|path| puppet(path)).collect();
    assert!(found.len() > 20, "{}", found.len());
    found
}

fn example(name: &str) -> Puppet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("rig.ron");
    puppet(&path).expect("a sound rig")
}

/// What was compiled, and everything that was found.
type Compiled = (Option<Rig>, Vec<Diagnostic>);

impl Puppet {
    fn alone(&self, doc: &RigDoc) -> Compiled {
        let mut found = Diagnostics::new();
        check(doc, &mut found);
        let rig = compile(doc, Arc::clone(&self.drawing), self.art, &mut found);
        (rig, found.iter().cloned().collect())
    }

    fn with(&self, compiler: &mut Compiler, doc: &RigDoc) -> Compiled {
        let mut found = Diagnostics::new();
        compiler.check(doc, &mut found);
        let rig = compiler.compile(doc, &self.drawing, self.art, &mut found);
        (rig, found.iter().cloned().collect())
    }
}

/// A small generator of choices: the same in every run.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }

    fn of<'l, T>(&mut self, list: &'l mut [T]) -> Option<&'l mut T> {
        let at = self.below(list.len());
        list.get_mut(at)
    }

    fn number(&mut self) -> f64 {
        self.below(2001) as f64 / 100.0 - 10.0
    }
}

/// Changes something of a document; nothing where there is nothing of the kind.
fn change(doc: &mut RigDoc, choices: &mut Choices) -> &'static str {
    match choices.below(24) {
        0..=3 => {
            let by = choices.number();
            if let Some(key) = key(doc, choices) {
                key.value.value += by;
            }
            "a key"
        }
        4 => {
            if let Some(channel) = channel(doc, choices)
                && channel.keys.len() > 1
            {
                channel.keys.pop();
            }
            "a key less"
        }
        5 | 6 => {
            let (x, y) = (choices.number(), choices.number());
            if let Some(bone) = choices.of(&mut doc.bones) {
                let moved = |at: &mut bone_format::span::Spanned<Point>| at.value += Vec2::new(x, y);
                bone.to.iter_mut().for_each(moved);
                bone.length.iter_mut().for_each(|length| length.value *= 1.25);
                bone.angle.iter_mut().for_each(|angle| angle.value += x);
            }
            "a bone"
        }
        7..=9 => {
            let weight = choices.below(100) as f64 / 100.0;
            let bindings = doc.skin.iter_mut().filter_map(|binding| match binding {
                BindingDoc::Explicit(explicit) => Some(explicit),
                _ => None,
            });
            let mut bindings: Vec<_> = bindings.collect();
            if let Some(explicit) = choices.of(&mut bindings)
                && let Some(row) = choices.of(&mut explicit.weights)
                && let Some((_, first)) = row.weights.list.first_mut()
            {
                first.value = weight;
            }
            "a weight"
        }
        10 => {
            if !doc.skin.is_empty() {
                let at = choices.below(doc.skin.len());
                doc.skin.remove(at);
            }
            "a binding less"
        }
        11 | 12 => {
            let (a, b) = (choices.below(doc.skin.len()), choices.below(doc.skin.len()));
            if !doc.skin.is_empty() {
                doc.skin.swap(a, b);
            }
            "another order of bindings"
        }
        13 => {
            let uniform = bone_format::span::Spanned::from(Stroke::Uniform);
            match choices.of(&mut doc.skin) {
                Some(BindingDoc::Smooth(smooth)) => smooth.paint_options.stroke = Some(uniform),
                Some(BindingDoc::Explicit(explicit)) => explicit.paint_options.stroke = Some(uniform),
                _ => {}
            }
            "paint"
        }
        14 => {
            let name = format!("copy {}", choices.below(1000));
            if let Some(clip) =
                choices.of(&mut doc.clips).map(|clip| ClipDoc { name: name.into(), ..clip.clone() })
            {
                let at = choices.below(doc.clips.len() + 1);
                doc.clips.insert(at, clip);
            }
            "a clip more"
        }
        15 => {
            if doc.clips.len() > 1 {
                let at = choices.below(doc.clips.len());
                doc.clips.remove(at);
            }
            "a clip less"
        }
        16 => {
            if let Some(clip) = choices.of(&mut doc.clips) {
                clip.name.value.push('x');
            }
            "the name of a clip"
        }
        17 => {
            let by = choices.number();
            if let Some(spring) = choices.of(&mut doc.springs) {
                spring.stiffness = Some((2.0 + by.abs()).into());
            } else if let Some(constraint) = choices.of(&mut doc.constraints) {
                constraint.mix = Some((by.abs() / 10.0).into());
            }
            "a spring or a constraint"
        }
        18 => {
            if !doc.drivers.is_empty() {
                let at = choices.below(doc.drivers.len());
                doc.drivers.remove(at);
            }
            "a driver less"
        }
        19 => {
            doc.follow.tolerance = Some((0.1 + choices.below(10) as f64 / 10.0).into());
            "the tolerance"
        }
        20 => {
            if let Some(clip) = choices.of(&mut doc.clips) {
                clip.offsets.clear();
                clip.art.reverse();
                clip.weights.clear();
            }
            "what a clip does to art"
        }
        21 => {
            if let Some(shot) = choices.of(&mut doc.shots)
                && let Some(play) = choices.of(&mut shot.play)
            {
                play.speed = Some(1.5.into());
            }
            "a shot"
        }
        22 => {
            if let Some(bone) = choices.of(&mut doc.bones) {
                bone.name.value.push('x');
            }
            "the name of a bone, and perhaps many mistakes"
        }
        _ => {
            // Everything gets other places.
            let text = write(doc, &Comments::new().top("Text that moves all places."), Digits::default());
            let mut ignored = Diagnostics::new();
            if let Some(read) = read(doc.source, &text, &mut ignored) {
                *doc = read;
            }
            "all places"
        }
    }
}

fn channel<'d>(doc: &'d mut RigDoc, choices: &mut Choices) -> Option<&'d mut Channel<f64>> {
    let bones = &mut choices.of(&mut doc.clips)?.bones;
    let mut keyed: Vec<&mut Channel<f64>> =
        bones.iter_mut().filter_map(|bone| bone.values.number_mut(Scalar::Rotate)).collect();
    let at = choices.below(keyed.len());
    (at < keyed.len()).then(|| keyed.swap_remove(at))
}

fn key<'d>(doc: &'d mut RigDoc, choices: &mut Choices) -> Option<&'d mut bone_format::doc::Key<f64>> {
    let keys = &mut channel(doc, choices)?.keys;
    choices.of(keys)
}

/// Everything that is posed, in bits.
fn posed(rig: &Rig, clip: Option<&str>, time: f64) -> Vec<u64> {
    posed_in(&mut FrameState::new(rig), rig, clip, time)
}

fn posed_in(state: &mut FrameState, rig: &Rig, clip: Option<&str>, time: f64) -> Vec<u64> {
    rig.pose(clip.and_then(|clip| rig.clip(clip)), time, state).expect("a pose");
    let mut bits = Vec::new();
    let outlines = state.posed().paths().iter().chain(&state.frame().outlines);
    for element in outlines.flat_map(|outline| outline.elements()) {
        use kurbo::PathEl as E;
        let points = match *element {
            E::MoveTo(p) | E::LineTo(p) => vec![p],
            E::QuadTo(a, p) => vec![a, p],
            E::CurveTo(a, b, p) => vec![a, b, p],
            E::ClosePath => Vec::new(),
        };
        bits.extend(points.iter().flat_map(|p| [p.x.to_bits(), p.y.to_bits()]));
    }
    let frame = state.frame();
    let bones = rig.skeleton().bones().map(|bone| state.matrices().of(bone));
    let matrices =
        bones.chain([&frame.transforms, &frame.gradients, &frame.patterns].into_iter().flatten().copied());
    bits.extend(matrices.flat_map(|matrix| matrix.as_coeffs()).map(f64::to_bits));
    bits.extend(frame.looks.iter().flat_map(|look| {
        [look.lengths.width, look.lengths.dash_offset, look.lengths.dash_scale].map(f64::to_bits)
    }));
    for seen in state.visibilities().iter().chain(&frame.visibilities) {
        bits.extend([u64::from(seen.visible), seen.opacity.to_bits(), seen.order.to_bits()]);
    }
    bits
}

fn names(rig: &Rig) -> Vec<&str> {
    rig.clips().iter().map(|clip| clip.name()).collect()
}

/// Compares rigs and what was found about them.
fn assert_same(alone: &Compiled, with: &Compiled, clips: usize, what: &str) {
    assert_eq!(alone.1, with.1, "{what}");
    let (Some(alone), Some(with)) = (&alone.0, &with.0) else {
        assert_eq!(alone.0.is_some(), with.0.is_some(), "{what}");
        return;
    };
    assert_eq!(names(alone), names(with), "{what}");
    assert_eq!(alone.posed_elements(), with.posed_elements(), "{what}");
    assert_eq!(alone.draw_order().elements, with.draw_order().elements, "{what}");
    let skins = [alone, with].map(|rig| rig.skin());
    assert_eq!(format!("{:?}", skins[0]), format!("{:?}", skins[1]), "{what}");
    // A state that was used for another rig is as good as a new one.
    let mut state = FrameState::new(alone);
    posed_in(&mut state, alone, None, 0.0);
    state.renew(with);
    for clip in [None].into_iter().chain(names(alone).into_iter().map(Some)).take(clips) {
        for time in TIMES {
            assert!(
                posed(alone, clip, time) == posed_in(&mut state, with, clip, time),
                "{what}: {clip:?} at {time}"
            );
        }
    }
}

/// Edits of every other rig, from the first or the second on: tests run side by side.
fn edits_are_as_a_fresh_start(first: usize) {
    let edits: usize = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(5);
    for (seed, puppet) in puppets().iter().enumerate().skip(first).step_by(2) {
        let mut choices = Choices(0x5eed + seed as u64);
        let (mut compiler, mut doc) = (Compiler::with_threads(1 + seed % 3), puppet.doc.clone());
        let mut before = vec![doc.clone()];
        assert_same(&puppet.alone(&doc), &puppet.with(&mut compiler, &doc), 2, "at first");
        for edit in 0..edits {
            let what = if choices.below(6) == 0 {
                let at = choices.below(before.len());
                doc = before[at].clone();
                "undone"
            } else {
                change(&mut doc, &mut choices)
            };
            let what = format!("{}, edit {edit}: {what}", puppet.path.display());
            let (alone, with) = (puppet.alone(&doc), puppet.with(&mut compiler, &doc));
            assert_same(&alone, &with, 2, &what);
            if alone.0.is_none() && choices.below(2) == 0 {
                doc = before[before.len() - 1].clone();
            } else {
                before.push(doc.clone());
            }
        }
    }
}

#[test]
fn edits_give_the_rig_and_the_findings_of_a_fresh_start() {
    edits_are_as_a_fresh_start(0);
}

#[test]
fn edits_of_other_rigs_give_the_rig_and_the_findings_of_a_fresh_start() {
    edits_are_as_a_fresh_start(1);
}

#[test]
fn a_key_binds_no_path_and_bakes_no_other_clip() {
    let puppet = example("chain");
    let (mut compiler, mut doc) = (Compiler::new(), puppet.doc.clone());
    // Two clips, one of which is changed.
    let copy = ClipDoc { name: "other".to_owned().into(), ..doc.clips[0].clone() };
    doc.clips.push(copy);
    let first = puppet.with(&mut compiler, &doc).0.expect("a sound rig");
    assert!(compiler.recompiled().paths > 0);
    let mut state = FrameState::new(&first);
    let time = 0.5;
    for clip in first.clips() {
        first.pose(Some(clip), time, &mut state).expect("a pose");
        assert!(clip.is_baked());
    }
    let key = doc.clips[0]
        .bones
        .iter_mut()
        .find_map(|bone| bone.values.number_mut(Scalar::Rotate)?.keys.first_mut());
    key.expect("a key").value.value += 3.0;
    let second = puppet.with(&mut compiler, &doc).0.expect("a sound rig");
    let recompiled = compiler.recompiled();
    assert_eq!((recompiled.paths, recompiled.fields, recompiled.motions, recompiled.clips), (0, 0, 1, 1));
    assert!(std::ptr::eq(first.skin(), second.skin()));
    let name = doc.clips[0].name.value.as_str();
    for clip in second.clips() {
        let before = first.clip(clip.name()).expect("the same clips");
        assert_eq!(clip.shares_springs(before), clip.name() != name, "{}", clip.name());
        assert_eq!(clip.is_baked(), clip.name() != name, "{}", clip.name());
    }
    // The rig before plays on.
    let (old, fresh) = (posed(&first, Some(name), time), posed(&second, Some(name), time));
    assert_ne!(old, fresh);
    let alone = puppet.alone(&puppet.doc).0.expect("a sound rig");
    assert_eq!(old, posed(&alone, Some(name), time));
}

/// Springs of a long shot and of a long loop after a key was changed: those of a fresh start, to the bit.
#[test]
fn a_key_bakes_shots_and_loops_as_a_fresh_start_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rigs/springs.ron");
    let mut puppet = puppet(&path).expect("a sound rig");
    let text = std::fs::read_to_string(&path).expect("a rig");
    let text = text.trim_end().strip_suffix("    },\n)").expect("clips at its end");
    let text = text.to_owned()
        + r#"
        "still": (length: 25, loop: true, bones: {
            "pole": (rotate: [(0, 0), (10, 0), (11, 20), (12, 0), (25, 0)]),
        }),
    },
    shots: {
        "long": (play: [(clip: "shake", repeat: 20), "stop", (clip: "shake", repeat: 20)]),
    },
)"#;
    let mut found = Diagnostics::new();
    puppet.doc = read(puppet.doc.source, &text, &mut found).expect("a rig");
    for (clip, played) in [("stop", "long"), ("still", "still")] {
        let mut doc = puppet.doc.clone();
        let mut compiler = Compiler::new();
        let first = puppet.with(&mut compiler, &doc).0.expect("a sound rig");
        let length = first.clip(played).expect("it is in the rig").time().length;
        first.prepare(first.clip(played).expect("it is in the rig"));
        let at = doc.clips.iter().position(|doc| doc.name.value == clip).expect("the clip");
        let keys = &mut doc.clips[at].bones[0].values.number_mut(Scalar::Rotate).expect("it turns").keys;
        let middle = keys.len() / 2;
        keys[middle].value.value += 5.0;
        let second = puppet.with(&mut compiler, &doc).0.expect("a sound rig");
        let alone = puppet.alone(&doc).0.expect("a sound rig");
        let mut differ = 0;
        for k in 0..80 {
            let time = length * f64::from(k) / 80.0;
            let poses = [&first, &second, &alone].map(|rig| posed(rig, Some(played), time));
            assert_eq!(poses[1], poses[2], "{played} at {time}");
            differ += i32::from(poses[0] != poses[1]);
        }
        assert!(differ > 10, "{played}: {differ}");
    }
}

#[test]
fn a_changed_bone_binds_again_what_depends_on_it() {
    let puppet = example("walk");
    let (mut compiler, mut doc) = (Compiler::new(), puppet.doc.clone());
    puppet.with(&mut compiler, &doc).0.expect("a sound rig");
    let all = compiler.recompiled().paths;
    // A bone without children.
    let parents: Vec<&str> =
        doc.bones.iter().filter_map(|bone| Some(bone.parent.as_ref()?.value.as_str())).collect();
    let tip = doc.bones.iter().position(|bone| !parents.contains(&bone.name.value.as_str())).expect("a tip");
    doc.bones[tip].angle.get_or_insert(0.0.into()).value += 10.0;
    let with = puppet.with(&mut compiler, &doc);
    assert!(compiler.recompiled().paths < all, "{} of {all}", compiler.recompiled().paths);
    assert_same(&puppet.alone(&doc), &with, 3, "a tip was turned");
    // Undone, everything is known.
    puppet.with(&mut compiler, &puppet.doc).0.expect("a sound rig");
    assert_eq!((compiler.recompiled().paths, compiler.recompiled().fields), (0, 0));
}

#[test]
fn a_rig_does_not_depend_on_the_number_of_threads() {
    let puppet = example("walk");
    let rigs = [1, 2, 5].map(|threads| puppet.with(&mut Compiler::with_threads(threads), &puppet.doc));
    for other in &rigs[1..] {
        assert_same(&rigs[0], other, 3, "threads");
    }
}

#[test]
fn a_cancelled_compiler_has_no_rig_and_forgets_nothing() {
    let tail = example("tail");
    let cancel = Arc::new(AtomicBool::new(false));
    let mut compiler = Compiler::new().cancelled_by(Arc::clone(&cancel));
    let (rig, found) = tail.with(&mut compiler, &tail.doc);
    assert!(rig.is_some() && !compiler.is_cancelled());
    let mut moved = tail.doc.clone();
    let from = moved.bones[0].from.as_mut().expect("a place");
    from.value += Vec2::new(3.0, 1.0);
    cancel.store(true, Ordering::Relaxed);
    let (none, _) = tail.with(&mut compiler, &moved);
    assert!(none.is_none() && compiler.is_cancelled() && compiler.recompiled().fields == 0);
    cancel.store(false, Ordering::Relaxed);
    let (again, found_again) = tail.with(&mut compiler, &tail.doc);
    assert!(again.is_some() && found_again == found && !compiler.is_cancelled());
    assert_eq!((compiler.recompiled().fields, compiler.recompiled().paths), (0, 0));
    let alone = tail.alone(&moved);
    let (rig, found) = tail.with(&mut compiler, &moved);
    assert!(rig.is_some() && found == alone.1);
}

/// Rigs that are not drawn: the same bones, clips and findings, without weights or cuts.
#[test]
fn less_of_the_skin_is_computed_for_rigs_that_are_not_drawn() {
    for name in ["tail", "cloak", "pins"] {
        let puppet = example(name);
        let (whole, found) = puppet.alone(&puppet.doc);
        let whole = whole.expect("a sound rig");
        for detail in [SkinDetail::Weights, SkinDetail::Bones] {
            let mut compiler = Compiler::new().with_detail(detail);
            let (rig, less) = puppet.with(&mut compiler, &puppet.doc);
            let rig = rig.expect("a sound rig");
            assert_eq!(less, found, "{name}");
            assert_eq!(compiler.recompiled().fields > 0, detail == SkinDetail::Weights, "{name}");
            assert!(rig.skin().piece_count() == 0 && whole.skin().piece_count() > 0, "{name}");
            assert_eq!(rig.posed_elements(), whole.posed_elements(), "{name}");
            let (mut a, mut b) = (FrameState::new(&rig), FrameState::new(&whole));
            for clip in whole.clips() {
                rig.pose(rig.clip(clip.name()), 0.4, &mut a).expect("a pose");
                whole.pose(Some(clip), 0.4, &mut b).expect("a pose");
                for bone in whole.skeleton().bones() {
                    assert_eq!(a.world().matrix(bone), b.world().matrix(bone), "{name}");
                }
            }
        }
    }
}

/// A program writes a state machine, which is read again as it was and compiled.
#[test]
fn a_machine_without_a_text_is_written_and_read() {
    let text = |name: &str| name.to_owned().into();
    let mut chick = example("chick");
    let state = |name: &str, clip: Option<&str>| StateDoc {
        name: text(name),
        clip: clip.map(text),
        ..StateDoc::default()
    };
    let point = |at: f64, clip: &str| BlendPointDoc {
        at: Vec2::new(at, 0.0).into(),
        clip: text(clip),
        ..BlendPointDoc::default()
    };
    let ground = StateDoc {
        by: Some(vec![text("speed")].into()),
        blend: vec![point(0.0, "idle"), point(1.5, "run")],
        ..state("ground", None)
    };
    let base = StatesDoc {
        states: vec![ground, state("air", Some("jump"))],
        start: Some(text("ground")),
        transitions: vec![
            TransitionDoc {
                to: text("air"),
                fired: vec![text("up")],
                above: vec![(text("speed"), 0.5.into())],
                ..TransitionDoc::default()
            },
            TransitionDoc {
                from: Some(text("air")),
                to: text("ground"),
                ended: Some(true.into()),
                fade: Some(0.1.into()),
                ..TransitionDoc::default()
            },
        ],
    };
    let still = StatesDoc { states: vec![state("still", None)], ..StatesDoc::default() };
    let machine = MachineDoc {
        name: text("bird"),
        inputs: vec![
            (text("speed"), MachineInputKind::Number(0.25)),
            (text("up"), MachineInputKind::Trigger),
        ],
        base,
        layers: vec![MachineLayerDoc { base: still, weight: Some(0.5.into()), ..MachineLayerDoc::default() }],
        ..MachineDoc::default()
    };
    chick.doc.machines = vec![machine];
    let written = write(&chick.doc, &Comments::new(), Digits::ALL);
    let mut found = Diagnostics::new();
    let again = read(SourceId::default(), &written, &mut found).expect("a rig");
    assert!(found.is_empty(), "{written}");
    assert_eq!(write(&again, &Comments::new(), Digits::ALL), written);
    let (rig, _) = chick.alone(&again);
    let rig = rig.expect("it fits");
    let machine = &rig.machines()[0];
    assert_eq!((machine.layers.len(), machine.layers[0].states[0].points.len()), (2, 2));
    assert!((machine.inputs[0].kind.rest(), machine.layers[1].weight) == (0.25, 0.5));
}
