//! Sessions of every rig, in RON and in JSON: random edits, undone and done again. After each, text, document,
//! findings and rig are those of a fresh load, and no byte changes that was not reported. `CASES=1000` makes so
//! many edits of each rig.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bone_core::clip::{Properties, ValueKind};
use bone_format::doc::Channels;
use bone_format::doc::{ClipDoc, Ease, Extend, RigDoc};
use bone_format::edit::{Prune, Smooth, edit_weights};
use bone_format::session::text::apply;
use bone_format::session::{Applied, DocPath, DocValue, Edit, Named, Session};
use bone_format::span::SourceId;
use bone_format::text::Syntax;
use bone_format::{Diagnostics, Disk, Files, convert, load, system_fonts};
use bone_layer_tests::files::{good_rigs, shown};
use bone_rig::{FrameState, Rig};
use kurbo::Point;

/// Operations and undos in all, at least.
const OPERATIONS: usize = 1000;

/// Small numbers that look random: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

/// The disk, with the texts of a session.
struct Texts(BTreeMap<PathBuf, String>);

impl Files for Texts {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.0.get(path).map_or_else(|| Disk.read(path), |text| Ok(text.clone().into_bytes()))
    }
}

/// The disk, with rigs in JSON.
struct InJson;

impl Files for InJson {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        if path.extension().is_none_or(|end| end != "ron") {
            return Ok(bytes);
        }
        let text = String::from_utf8(bytes).expect("a text");
        let json = convert(SourceId::default(), &text, Syntax::Json, &mut Diagnostics::new());
        Ok(json.unwrap_or_else(|| panic!("{} has mistakes", path.display())).into_bytes())
    }
}

fn texts(session: &Session) -> BTreeMap<PathBuf, String> {
    session.files().iter().map(|file| (file.path().to_owned(), file.text().to_owned())).collect()
}

/// A channel: where it is, the times of its keys, and a value that one of them could have.
struct Found {
    path: DocPath,
    times: Vec<f64>,
    value: fn(&mut Random) -> DocValue,
}

fn channels(doc: &RigDoc) -> Vec<Found> {
    fn add<P: Properties>(list: &mut Vec<Found>, path: &DocPath, values: &Channels<P>) {
        for (property, channel) in values.iter() {
            let value: fn(&mut Random) -> DocValue = match property.row().kind {
                ValueKind::Degrees | ValueKind::Step => |random| random.between(-40.0, 40.0).into(),
                ValueKind::Place => |random| (random.between(-9.0, 9.0), random.between(-9.0, 9.0)).into(),
                ValueKind::Flag => |random| (random.below(2) == 0).into(),
                ValueKind::Child | ValueKind::Text => continue,
                _ => |random| random.between(0.5, 1.0).into(),
            };
            let times = channel.times().into_iter().map(|time| time.value).collect();
            list.push(Found { path: path.clone().name(property.row().name), times, value });
        }
    }
    let mut list = Vec::new();
    let mut bones = |at: DocPath, bones: &[bone_format::doc::BoneChannelsDoc]| {
        for bone in bones {
            let path = at.clone().name("bones").name(&bone.bone.value);
            add(&mut list, &path, &bone.values);
        }
    };
    doc.clips.iter().for_each(|clip| bones(DocPath::clip(&clip.name.value), &clip.bones));
    for (at, driver) in doc.drivers.iter().enumerate() {
        bones(DocPath::from(["drivers"]).index(at), &driver.bones);
    }
    for clip in &doc.clips {
        let path = DocPath::clip(&clip.name.value);
        for art in &clip.art {
            let path = path.clone().name("art").name(&art.art.value);
            add(&mut list, &path, &art.values);
        }
        for art in &clip.offsets {
            let path = path.clone().name("offsets").name(&art.art.value);
            for (vertex, offset) in &art.vertices {
                let times = offset.channel.keys.iter().map(|key| key.time.value).collect();
                let value: fn(&mut Random) -> DocValue =
                    |random| (random.between(-9.0, 9.0), random.between(-9.0, 9.0)).into();
                list.push(Found { path: path.clone().name(&vertex.value.show()), times, value });
            }
        }
        for constraint in &clip.constraints {
            let path = path.clone().name("constraints").name(&constraint.name.value);
            add(&mut list, &path, &constraint.values);
        }
    }
    list
}

/// An edit that probably makes sense.
fn random_edit(session: &Session, random: &mut Random) -> Option<Edit> {
    let doc = session.doc()?;
    let channels = channels(doc);
    let bone = random.of(&doc.bones).map(|bone| bone.name.value.clone());
    let clip: Option<&ClipDoc> = random.of(&doc.clips);
    let name = |random: &mut Random| {
        format!("{} \"{}\"", ["neu", "x/y", "é\u{7}"][random.below(3)], random.below(1000))
    };
    let key = |random: &mut Random| {
        let channel = random.of(&channels)?;
        let time = *random.of(&channel.times)?;
        Some((
            channel.path.clone(),
            time,
            (channel.value)(random),
            channel.times.last().copied().unwrap_or(1.0),
        ))
    };
    Some(match random.below(25) {
        0..=4 => {
            let (channel, time, value, _) = key(random)?;
            Edit::key(channel, time, value)
        }
        5 | 6 => {
            let (channel, _, value, last) = key(random)?;
            let ease =
                [None, Some(Ease::Linear), Some(Ease::InOut { start: random.between(0.0, 1.0), end: 0.25 })];
            Edit::SetKey { channel, time: random.between(0.0, last), value, ease: ease[random.below(3)] }
        }
        7 => {
            let (bone, clip) = (bone?, clip?.name.value.clone());
            Edit::key(
                DocPath::channel(&clip, &bone, "rotate"),
                random.between(0.0, 1.0),
                random.between(-9.0, 9.0),
            )
        }
        8 | 9 => {
            let (channel, from, _, last) = key(random)?;
            let to = random.between(0.0, last);
            if random.below(2) == 0 {
                Edit::MoveKey { channel, from, to }
            } else {
                Edit::CopyKey { channel, from, to }
            }
        }
        10 => {
            let (channel, time, ..) = key(random)?;
            Edit::DeleteKey { channel, time }
        }
        11 => {
            let (channel, time, ..) = key(random)?;
            let bezier = Ease::Bezier { x1: 0.4, y1: 0.0, x2: random.between(0.5, 1.0), y2: 1.0 };
            Edit::SetEase { channel, time, ease: [None, Some(Ease::Hold), Some(bezier)][random.below(3)] }
        }
        12 => {
            let (channel, ..) = key(random)?;
            Edit::SetExtend {
                channel,
                extend: [None, Some(Extend::Loop), Some(Extend::PingPong)][random.below(3)],
            }
        }
        13 | 14 => {
            let bone = bone?;
            let rig = session.rig()?;
            let id = rig.skeleton().find(&bone)?;
            let by =
                |random: &mut Random| kurbo::Vec2::new(random.between(-3.0, 3.0), random.between(-3.0, 3.0));
            let from = rig.skeleton().setup_origin(id) + by(random);
            let to = rig.skeleton().setup_tip(id) + by(random);
            let ends = [(Some(from), None), (None, Some(to)), (Some(from), Some(to))][random.below(3)];
            Edit::PlaceBone { bone, from: ends.0, to: ends.1 }
        }
        15 => {
            let parent = random.of(&doc.bones).map(|bone| bone.name.value.clone());
            Edit::SetParent {
                bone: bone?,
                parent: parent.filter(|_| random.below(5) > 0),
                keep_place: random.below(3) > 0,
            }
        }
        16 => {
            let of = [Named::Bone, Named::Clip, Named::Constraint, Named::Shot][random.below(4)];
            let from = match of {
                Named::Bone => bone?,
                Named::Clip => clip?.name.value.clone(),
                Named::Shot => random.of(&doc.shots)?.name.value.clone(),
                _ => random.of(&doc.constraints)?.name.as_ref()?.value.clone(),
            };
            Edit::Rename { of, from, to: name(random), within: None }
        }
        17 => {
            let of = [Named::Bone, Named::Clip][random.below(2)];
            let name = if of == Named::Bone { bone? } else { clip?.name.value.clone() };
            Edit::Delete { of, name, dependants: random.below(4) > 0, within: None }
        }
        18 => {
            let to = Point::new(random.between(0.0, 100.0), random.between(0.0, 100.0));
            Edit::add_bone(&name(random), bone.as_deref(), Some(Point::new(7.125, 8.0)), to)
        }
        19 => match random.below(2) {
            0 => Edit::add_clip(&name(random), random.between(0.5, 2.0)),
            _ => Edit::Duplicate { of: Named::Clip, name: clip?.name.value.clone(), copy: name(random) },
        },
        20 => {
            let clip = DocPath::clip(&clip?.name.value);
            match random.below(3) {
                0 => Edit::set(clip.name("loop"), random.below(2) == 0),
                1 => Edit::set(clip.name("step"), 1.0 + random.below(3) as f64),
                _ => Edit::remove(clip.name("loop")),
            }
        }
        21 => {
            let path = DocPath::bone(&bone?);
            match random.below(4) {
                0 => Edit::set(path.name("limits"), (-random.between(1.0, 90.0), 90.0)),
                1 => Edit::set(path.name("joint"), DocValue::word(["Pin", "Free", "Fixed"][random.below(3)])),
                2 => Edit::set(path.name("region"), (random.between(1.0, 9.0), 4.0)),
                _ => Edit::remove(path.name("limits")),
            }
        }
        22 => match random.below(3) {
            0 => Edit::set(["fps"], 12.0 + random.below(20) as f64),
            1 => Edit::set(["tolerance"], random.between(0.1, 0.5)),
            _ => Edit::set(DocPath::from(["springs"]).index(0).name("damping"), random.between(0.1, 1.0)),
        },
        23 => {
            let art = random.of(&doc.skin)?.names().first()?.value.clone();
            let binding = DocValue::fields(Some("Rigid"), [("bone", bone?.as_str().into())]);
            if random.below(2) == 0 { Edit::Bind { art, binding } } else { Edit::Unbind { art } }
        }
        _ => {
            let (section, count) = [
                ("skin", doc.skin.len()),
                ("constraints", doc.constraints.len()),
                ("drivers", doc.drivers.len()),
            ][random.below(3)];
            Edit::Move { at: DocPath::from([section]).index(random.below(count)), to: random.below(count) }
        }
    })
}

/// Every number of some moments of all clips.
fn moments(rig: &Rig) -> Vec<u64> {
    let mut state = FrameState::new(rig);
    let mut bits = Vec::new();
    for clip in rig.clips().iter().map(Some).chain([None]) {
        for time in [0.0, 0.3] {
            rig.pose(clip, time, &mut state).expect("a pose of this rig");
            let matrices = state.world().matrices().iter().flat_map(|matrix| matrix.as_coeffs());
            bits.extend(matrices.map(f64::to_bits));
            let points = state.posed().paths().iter().flat_map(|path| path.elements());
            bits.extend(
                points.filter_map(kurbo::PathEl::end_point).flat_map(|at| [at.x.to_bits(), at.y.to_bits()]),
            );
        }
    }
    bits
}

/// Compares a session with a fresh load of its texts.
fn compare(session: &Session, what: &str, frames: bool) {
    for (path, text) in texts(session).iter().filter(|(_, text)| Syntax::of(text) == Syntax::Json) {
        let strict = serde_json::from_str::<serde_json::Value>(text);
        assert!(strict.is_ok(), "{what}: {}: {strict:?}", path.display());
    }
    let fresh = load(session.path(), Arc::new(Texts(texts(session))), &system_fonts);
    assert_eq!(fresh.doc.as_ref(), session.doc(), "{what}: document");
    let lines = |found: &bone_format::Diagnostics| -> Vec<String> {
        found.iter().map(|one| format!("{one:?}")).collect()
    };
    let (expected, found) = (lines(&fresh.diagnostics), lines(session.diagnostics()));
    if let Some(at) = (0..expected.len().max(found.len())).find(|at| expected.get(*at) != found.get(*at)) {
        panic!("{what}: findings:\n{:?}\n{:?}", expected.get(at), found.get(at));
    }
    assert!(fresh.rig.is_some() && session.is_current(), "{what}: no rig");
    if let (true, Some(fresh), Some(rig)) = (frames, &fresh.rig, session.rig()) {
        assert!(moments(fresh) == moments(rig), "{what}: frames");
    }
}

/// Compares a changed session with what was reported.
fn reported(before: &BTreeMap<PathBuf, String>, applied: &Applied, session: &Session, what: &str) {
    let after = texts(session);
    for (path, text) in before {
        let edits =
            applied.changes.iter().find(|(changed, _)| changed == path).map(|(_, edits)| edits.as_slice());
        assert_eq!(apply(text, edits.unwrap_or_default()), after[path], "{what}: unreported bytes");
    }
}

/// One random operation; whether it changed anything.
fn operate(session: &mut Session, random: &mut Random, what: &str) -> bool {
    let before = texts(session);
    let revision = session.revision();
    let result = match random.below(12) {
        0..=2 => session.undo(),
        3 => session.redo(),
        4 if random.below(6) == 0 => {
            let change = edit_weights(session, &[], |editor| {
                match random.below(2) {
                    0 => editor.smooth(Smooth { strength: 0.5, iterations: 1 }),
                    _ => editor.prune(Prune { most: Some(2), threshold: 0.0 }),
                }
                Ok(())
            });
            return change.is_ok();
        }
        _ => match random_edit(session, random) {
            Some(edit) => session.apply(&edit).map(Some),
            None => return false,
        },
    };
    match result {
        Ok(Some(applied)) => {
            reported(&before, &applied, session, what);
            session.revision() > revision
        }
        Ok(None) => false,
        Err(error) => {
            assert_eq!(texts(session), before, "{what}: a refused edit changed a text");
            assert_eq!(session.revision(), revision, "{what}: {error}");
            let message = error.to_string();
            assert!(
                !message.contains("would not be read") && !message.contains("internal"),
                "{what}: {message}"
            );
            false
        }
    }
}

/// Rigs that take long to compile, and do fewer operations.
const HEAVY: [&str; 10] =
    ["chain", "cloak", "lettering", "plant", "tail", "mocap", "along", "paint", "clips", "springs"];
/// Rigs that take almost no time, and do more.
const LIGHT: [&str; 10] =
    ["arm", "engine", "first-bone", "reach", "art", "effects", "inherit", "nested", "offsets", "reparent"];

fn operations(path: &Path) -> usize {
    if let Some(cases) = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()) {
        return cases;
    }
    let named = |names: &[&str]| {
        let shown = shown(path);
        names
            .iter()
            .any(|name| shown.contains(&format!("/{name}/")) || shown.ends_with(&format!("/{name}.ron")))
    };
    match () {
        () if named(&HEAVY) => 24,
        () if named(&LIGHT) => 70,
        () => 30,
    }
}

/// Random operations on one rig; how many changed it.
fn edit_at_random(path: &Path, files: Arc<dyn Files>, count: usize, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut session = Session::open(path, files, system_fonts);
    let first = texts(&session);
    let mut done = 0;
    for operation in 0..count {
        let what = format!("{}, seed {seed}, operation {operation}", shown(path));
        done += usize::from(operate(&mut session, &mut random, &what));
        if operation + 1 == count || operation % 8 == 7 {
            compare(&session, &what, operation % 16 == 15 || operation + 1 == count);
        }
    }
    let what = format!("{}, seed {seed}", shown(path));
    let undo_all = |session: &mut Session| {
        let mut count = 0;
        while session.undo().unwrap_or_else(|error| panic!("{what}: {error}")).is_some() {
            count += 1;
        }
        assert_eq!(texts(session), first, "{what}: all undone");
        count
    };
    let last = texts(&session);
    let count = undo_all(&mut session);
    for _ in 0..count {
        session.redo().unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    assert_eq!(texts(&session), last, "{what}: all done again");
    undo_all(&mut session);
    done
}

/// `SEED=100` tries other operations.
fn first_seed() -> u64 {
    std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

/// Random operations on every rig, on two threads: sessions can be sent. How many were made of how many.
fn edit_all(files: &Arc<dyn Files>, operations: fn(&Path) -> usize) -> (usize, usize) {
    let rigs = good_rigs();
    let all: usize = rigs.iter().map(|path| operations(path)).sum();
    let seeds: Vec<(usize, &PathBuf)> = rigs.iter().enumerate().collect();
    // Rigs in turn, so that both threads see every second heavy one.
    let done: usize = std::thread::scope(|scope| {
        let work = |turn: usize| {
            let own: Vec<_> = seeds.iter().filter(|(at, _)| at % 2 == turn).collect();
            own.into_iter()
                .map(|(at, path)| {
                    let (started, seed) = (Instant::now(), first_seed() + *at as u64);
                    let done = edit_at_random(path, Arc::clone(files), operations(path), seed);
                    let seconds = started.elapsed().as_secs_f64();
                    println!("{}, seed {seed}: {done} operations, {seconds:.1} s", shown(path));
                    done
                })
                .sum::<usize>()
        };
        let other = scope.spawn(move || work(1));
        work(0) + other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    println!("{done} of {all} operations changed something");
    (done, all)
}

#[test]
fn random_operations_leave_everything_in_step() {
    let (done, all) = edit_all(&(Arc::new(Disk) as Arc<dyn Files>), operations);
    assert!(all >= OPERATIONS, "{all} operations");
    assert!(done * 4 > all * 3, "{done} of {all} operations changed something");
}

#[test]
fn random_operations_in_json_leave_everything_in_step() {
    let (done, all) = edit_all(&(Arc::new(InJson) as Arc<dyn Files>), |path| operations(path).div_ceil(3));
    // Weights are not edited in JSON.
    assert!(done * 3 > all * 2, "{done} of {all} operations changed something");
}
