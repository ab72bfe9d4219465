//! Scenes: an actor is drawn as its rig is by itself, on another canvas and at another size, and several as all of them
//! by themselves, one above the other.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::doc::{ActorDoc, RoleDoc, SceneDoc, SceneShotDoc};
use bone_format::session::{DocPath, DocValue, Edit, Named, Session};
use bone_format::span::SourceId;
use bone_format::{Diagnostics, Disk, Files, InMemory, load, read_scene, system_fonts};
use bone_layer_tests::files::{good_rigs, root, shown};
use bone_layer_tests::picture::{Difference, difference};
use bone_layer_tests::player::Player;
use bone_render::{FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Rig};
use kurbo::{Affine, Point, Vec2};
use tiny_skia::{PixmapPaint, Transform};

/// Files in memory, by their paths in the repository, above those on the disk.
#[derive(Default)]
struct Staged(Vec<(PathBuf, String)>);

impl Staged {
    fn with(mut self, path: &str, text: impl Into<String>) -> Self {
        self.0.push((root().join(path), text.into()));
        self
    }
}

impl Files for Staged {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.0.iter().find(|(own, _)| own == path) {
            Some((_, text)) => Ok(text.clone().into_bytes()),
            None => Disk.read(path),
        }
    }
}

fn staged(scene: &str, stage: &str) -> Player {
    let files = Staged::default().with("scene.ron", scene).with("stage.svg", stage);
    Player::load(&root().join("scene.ron"), Arc::new(files))
}

/// A rig alone and as the one actor of a scene at so many times its size, on a canvas that begins elsewhere.
fn alone_and_staged(path: &Path, scale: f64, by: Vec2) -> (Player, Player) {
    let alone = Player::open(path);
    let (canvas, size) = (alone.rig.art().canvas(), alone.rig.art().size());
    let (width, height) = (scale * canvas.width(), scale * canvas.height());
    let start = (scale * canvas.origin().to_vec2() + by).to_point();
    let stage = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{} {} {width} {height}" width="{}" height="{}"/>"#,
        start.x,
        start.y,
        scale * size.width,
        scale * size.height
    );
    let scene = format!(
        r#"Scene(version: 1, drawing: "stage.svg", fps: {}, actors: {{"a": (rig: "{}", at: ({}, {}), scale: {scale})}})"#,
        alone.rig.fps(),
        shown(path),
        start.x + 0.5 * width,
        start.y + height
    );
    (alone, staged(&scene, &stage))
}

#[test]
fn an_actor_is_drawn_as_its_rig_alone() {
    let mut bad = Vec::new();
    for path in good_rigs() {
        let doc = load(&path, Arc::new(Disk), &system_fonts).doc.expect("a document");
        let sorts = std::fs::read_to_string(&path).expect("a rig").contains("order:");
        // Cameras of rigs are not used.
        let filmed: Vec<&str> = doc
            .clips
            .iter()
            .filter(|clip| clip.camera.is_some())
            .map(|clip| clip.name.value.as_str())
            .collect();
        for (scale, by) in [(1.0, Vec2::ZERO), (0.5, Vec2::ZERO), (1.0, Vec2::new(-35.0, 20.0))] {
            // Eddies are at their places on the canvas.
            if by != Vec2::ZERO && doc.springs.iter().any(|spring| spring.wind.is_some()) {
                continue;
            }
            let (alone, staged) = alone_and_staged(&path, scale, by);
            let (mut own, mut other) = (FrameState::new(&alone.rig), FrameState::new(&staged.rig));
            for clip in alone.rig.clips() {
                if filmed.contains(&clip.name()) || !filmed.is_empty() && clip.sequence().is_some() {
                    continue;
                }
                let name = format!("a/{}", clip.name());
                let count = clip.frame_count(alone.rig.fps());
                let mut all = Difference::default();
                for frame in [0, count / 5, count / 3, count / 2, count - 1] {
                    let a = alone.draw(Some(clip), frame, scale, &mut own);
                    let b = staged.draw(staged.clip(Some(&name)), frame, 1.0, &mut other);
                    all = all.and(difference(&a, &b));
                }
                // A group in which art is sorted is a layer, whose edges are rounded at other places; so are those
                // of what is elsewhere on the canvas.
                let most = if sorts || by != Vec2::ZERO { 20 } else { 0 };
                if all.beyond_one > most {
                    bad.push(format!("{} x{scale} by {by} {name}: {all:?}", shown(&path)));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

const STREET: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360"><rect id="back" width="640" height="360" fill="#bcd"/><g id="lamp"><rect x="300" y="60" width="20" height="300" fill="#345"/></g></svg>"##;

fn street(actors: &str, shots: &str) -> Player {
    staged(
        &format!(
            r#"Scene(version: 1, drawing: "stage.svg", fps: 24, actors: {{{actors}}}, shots: {{{shots}}})"#
        ),
        STREET,
    )
}

const HERO: &str = r#""hero": (rig: "tests/rigs/poses.ron", at: (180, 350), scale: 0.7, behind: "lamp"),"#;
const CHICK: &str = r#""chick": (rig: "examples/chick/rig.ron", at: (430, 340), scale: 0.6, hide: ["air", "hill", "meadow", "grass"], clip: "idle"),"#;

/// One picture over another, both on no background.
fn over(below: &Pixmap, above: &Pixmap) -> Pixmap {
    let mut whole = below.clone();
    whole.draw_pixmap(0, 0, above.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
    whole
}

fn on_nothing(player: &Player, clip: &str, frame: u64) -> Pixmap {
    let (mut state, mut pixmap) = (FrameState::new(&player.rig), Pixmap::new(1, 1).expect("a pixel"));
    player.pose(player.clip(Some(clip)), frame, &mut state);
    let size = FrameSize::from_scale(player.rig.art().size(), 1.0).expect("a size");
    player.rig.draw(&mut state, &FrameOptions { size, background: None }, &mut pixmap).expect("a picture");
    pixmap
}

#[test]
fn two_actors_are_drawn_as_both_alone_one_above_the_other() {
    let empty = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360"/>"#;
    let shots = r#""s": (length: 2, actors: {
        ACTOR
    })"#;
    let hero =
        r#""hero": (play: ["goal"], move: [(0, (0, 0), Linear), (2, (60, -10))], turn: [(0, 0), (2, 8)]),"#;
    let chick = r#""chick": (play: [(clip: "walk", repeat: 2), (clip: "peck", fade: 0.3)]),"#;
    let scene = |actors: &str, roles: &str| {
        let shots = shots.replace("ACTOR", roles);
        let actors = actors.replace(r#", behind: "lamp""#, "");
        staged(
            &format!(r#"Scene(version: 1, drawing: "stage.svg", actors: {{{actors}}}, shots: {{{shots}}})"#),
            empty,
        )
    };
    let both = scene(&[HERO, CHICK].concat(), &[hero, chick].concat());
    let (one, other) = (scene(HERO, hero), scene(CHICK, chick));
    for frame in [0, 7, 13, 22, 31, 40, 48] {
        let found = on_nothing(&both, "s", frame);
        let alone = over(&on_nothing(&one, "s", frame), &on_nothing(&other, "s", frame));
        let apart = difference(&found, &alone);
        assert!(apart.largest <= 1, "frame {frame}: {apart:?}");
    }
}

/// What an actor plays in a shot, with its fades, is what a shot of its rig plays.
#[test]
fn an_actor_plays_what_a_shot_of_its_rig_plays() {
    let plays = r#"[(clip: "walk", repeat: 2.5), (clip: "peck", fade: 0.3), (clip: "jump", speed: 1.5, fade: 0.1),
        (clip: "idle", from: 0.5, fade: 0.4, length: 0.8)]"#;
    let rig = std::fs::read_to_string(root().join("examples/chick/rig.ron")).expect("a rig");
    let end = rig.rfind("    machines: {").expect("machines");
    let alone = format!("{}    shots: {{ \"s\": (length: 4.5, play: {plays}) }},\n)", &rig[..end]);
    let stage = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 360"/>"#;
    let files = || {
        let svg = std::fs::read_to_string(root().join("examples/chick/drawing.svg")).expect("a drawing");
        Staged::default().with("chick.ron", alone.clone()).with("drawing.svg", svg).with("stage.svg", stage)
    };
    let scene = format!(
        r#"Scene(version: 1, drawing: "stage.svg", fps: FPS, actors: {{"chick": (rig: "chick.ron")}},
            shots: {{"s": (length: 4.5, actors: {{"chick": (play: {plays})}})}})"#
    );
    let alone = Player::load(&root().join("chick.ron"), Arc::new(files()));
    let scene = scene.replace("FPS", &alone.rig.fps().to_string());
    let staged = Player::load(&root().join("scene.ron"), Arc::new(files().with("scene.ron", scene)));
    let (mut own, mut other) = (FrameState::new(&alone.rig), FrameState::new(&staged.rig));
    assert_eq!(staged.clip(Some("s")).expect("a shot").time().length, 4.5);
    for frame in 0..=107 {
        let a = alone.draw(alone.clip(Some("s")), frame, 1.0, &mut own);
        let b = staged.draw(staged.clip(Some("s")), frame, 1.0, &mut other);
        let apart = difference(&a, &b);
        // A pixel may be on the edge of its sample.
        assert!(apart.beyond_one <= 10 && apart.largest < 32, "frame {frame}: {apart:?}");
    }
}

/// Feet that a clip plants stay on the ground that moves with the actor; a target on the canvas moves, too.
#[test]
fn what_stays_on_the_canvas_of_a_rig_goes_with_its_actor() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><path id="leg" d="M100 60V140" stroke="#000" stroke-width="9"/><path id="rail" d="M20 20H180" fill="none" stroke="#888"/><path id="cart" d="M20 10H40V20H20Z"/><path id="eye" d="M150 100h20v6h-20z"/><path id="rod" d="M20 148h40v4h-40z"/></svg>"##;
    let rig = r#"Rig(version: 1, drawing: "d.svg", bones: {
        "hip": (from: (100, 60), to: (100, 80)), "thigh": (parent: "hip", from: (100, 60), to: (104, 100)), "shin": (parent: "thigh", to: (100, 140)),
        "cart": (from: (20, 20), to: (40, 20)), "eye": (from: (150, 103), to: (170, 103)), "rod": (from: (20, 150), to: (60, 150)),
    }, skin: [Smooth(art: "leg", bones: ["thigh", "shin"]), Rigid(art: "cart", bone: "cart"), Rigid(art: "eye", bone: "eye"), Rigid(art: "rod", bone: "rod")],
    constraints: [Pin(name: "foot", bone: "shin"), Path(name: "ride", bones: ["cart"], art: "rail"), Aim(name: "look", bone: "eye", target: (190, 40)),
        Distance(bone: "rod", target: (20, 190), distance: 30)],
    clips: {"step": (length: 2, bones: {"hip": (move: [(0, (0, 0)), (1, (9, 6)), (2, (0, 0))])}, constraints: {
        "foot": (holds: [(from: 0, until: 1.5, drift: (3, 0))]), "ride": (position: [(0, 0.1), (2, 0.8)]), "look": (target: [(0, (190, 40)), (2, (190, 160))])})})"#;
    let scene = |move_: &str| {
        format!(
            r#"Scene(version: 1, drawing: "stage.svg", actors: {{"a": (rig: "d.ron", at: (150, 260), scale: 0.5)}},
                shots: {{"s": (length: 2, actors: {{"a": (play: ["step"]{move_})}})}})"#
        )
    };
    let stage = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"/>"#;
    let load = |scene: String| {
        let files = InMemory::new().with("d.svg", svg).with("d.ron", rig).with("stage.svg", stage);
        Player::load(Path::new("scene.ron"), Arc::new(files.with("scene.ron", scene)))
    };
    let (still, moved) = (
        load(scene("")),
        load(scene(", move: [(0, (0, 0), Linear), (2, (80, -40))], turn: [(0, 30), (2, 30)]")),
    );
    let alone =
        Player::load(Path::new("d.ron"), Arc::new(InMemory::new().with("d.svg", svg).with("d.ron", rig)));
    let (mut one, mut two, mut own) =
        (FrameState::new(&still.rig), FrameState::new(&moved.rig), FrameState::new(&alone.rig));
    for frame in [0, 10, 24, 35, 47] {
        still.pose(still.clip(Some("s")), frame, &mut one);
        moved.pose(moved.clip(Some("s")), frame, &mut two);
        alone.pose(alone.clip(Some("step")), frame, &mut own);
        let carrier = moved.rig.skeleton().find("a").expect("a bone");
        let carried = two.world().matrix(carrier) * moved.rig.skeleton().setup_world(carrier).inverse();
        let placed = Affine::translate((100.0, 160.0)) * Affine::scale(0.5);
        for bone in alone.rig.skeleton().bones() {
            let name = format!("a/{}", alone.rig.skeleton().name(bone));
            let tip = placed * own.world().matrix(bone) * Point::new(10.0, 0.0);
            let at = |player: &Player, state: &FrameState| {
                let bone = player.rig.skeleton().find(&name).expect("a bone");
                state.world().matrix(bone) * Point::new(5.0, 0.0)
            };
            assert!(at(&still, &one).distance(tip) < 1e-6, "{name} {frame}: {} {tip}", at(&still, &one));
            let apart = at(&moved, &two).distance(carried * tip);
            assert!(apart < 1e-6, "{name} {frame}: {apart}");
        }
    }
}

#[test]
fn an_actor_is_carried_by_a_bone_and_lies_below_art_of_another() {
    let actors = [HERO, r#""cup": (rig: "examples/arm/rig.ron", on: "hero/wrist.L", under: "hero/palm.L", at: (0, 10), scale: 0.1),"#].concat();
    let scene = street(&actors, r#""s": (length: 3, actors: {"hero": (play: ["goal"])})"#);
    let mut state = FrameState::new(&scene.rig);
    let skeleton = scene.rig.skeleton();
    let (wrist, cup) =
        (skeleton.find("hero/wrist.L").expect("a wrist"), skeleton.find("cup").expect("a cup"));
    let at = |state: &FrameState| {
        state.world().matrix(wrist).inverse() * state.world().matrix(cup) * Point::ORIGIN
    };
    scene.pose(None, 0, &mut state);
    let rest = at(&state);
    let upright = state.world().matrix(cup).as_coeffs();
    assert!((upright[0] - 1.0).abs() < 1e-9 && upright[1].abs() < 1e-9, "{upright:?}");
    let own = state.world().matrix(cup) * Point::ORIGIN - (state.world().matrix(wrist) * Point::ORIGIN);
    assert!((own - Vec2::new(0.0, 10.0)).hypot() < 1e-9, "{own}");
    for frame in [5, 20, 50] {
        scene.pose(scene.clip(Some("s")), frame, &mut state);
        assert!(at(&state).distance(rest) < 1e-9);
    }
    let art = scene.rig.art();
    let order = |name: &str| art.node_of(art.find(name).expect("art")).expect("a node");
    assert!(order("cup") < order("hero/palm.L") && order("cup") > order("hero/thumb.L"));
    assert!(order("hero") < order("lamp") && order("hero") > order("back"));
}

/// What lies below art of another actor is where it would be above all.
#[test]
fn what_lies_below_art_of_an_actor_keeps_its_place() {
    let hero = r#""hero": (rig: "examples/walk/rig.ron", at: (180, 350), scale: 0.4, hide: ["background", "ground"]),"#;
    let chick = CHICK.replace("at: (430, 340)", "at: (300, -120), WAY");
    let scene = |way: &str| {
        let chick = chick.replace("WAY", way);
        street(&[hero, &chick].concat(), r#""s": (length: 1, actors: {"hero": (play: ["walk"])})"#)
    };
    let (above, below) = (scene(r#"on: "hero/hand_r""#), scene(r#"on: "hero/hand_r", under: "hero/hand_r""#));
    let (mut one, mut other) = (FrameState::new(&above.rig), FrameState::new(&below.rig));
    for frame in [0, 5, 11, 17] {
        let a = above.draw(above.clip(Some("s")), frame, 1.0, &mut one);
        let b = below.draw(below.clip(Some("s")), frame, 1.0, &mut other);
        let apart = difference(&a, &b);
        assert!(apart.largest <= 1, "frame {frame}: {apart:?}");
    }
}

/// Springs feel the move of their actor.
#[test]
fn springs_swing_as_their_actor_moves() {
    let scene = |move_: &str| {
        street(CHICK, &format!(r#""s": (length: 1, actors: {{"chick": (play: ["faces right"]{move_})}})"#))
    };
    let (still, moved) = (scene(""), scene(", move: [(0, (0, 0), Linear), (0.2, (0, 0)), (0.4, (150, 0))]"));
    let turn = |player: &Player, time: f64| {
        let mut state = FrameState::new(&player.rig);
        player.rig.pose(player.rig.clip("s"), time, &mut state).expect("a pose");
        let tuft = player.rig.skeleton().find("chick/tuft").expect("a tuft");
        let [a, b, ..] = state.world().matrix(tuft).as_coeffs();
        Vec2::new(a, b).normalize()
    };
    assert!((turn(&still, 0.4) - turn(&moved, 0.1)).hypot() < 1e-3);
    assert!((turn(&still, 0.4) - turn(&moved, 0.4)).hypot() > 0.05);
}

#[test]
fn shots_follow_each_other_in_a_film() {
    let shots = r#"
        "one": (length: 1, camera: (zoom: [(0, 2)]), actors: {"hero": (play: ["goal"], move: [(0, (0, 0)), (1, (50, 0))])}),
        "two": (length: 1.5, actors: {"hero": (visible: false), "chick": (play: [(clip: "walk", repeat: 9)])}),"#;
    let scene = street(&[HERO, CHICK].concat(), shots);
    assert_eq!(scene.clip(Some("film")).expect("a film").time().length, 2.5);
    let (mut own, mut film) = (FrameState::new(&scene.rig), FrameState::new(&scene.rig));
    for (shot, start, frames) in [("one", 0, 24), ("two", 24, 36)] {
        let last = if shot == "two" { frames } else { frames - 1 };
        for frame in [0, 1, 9, last] {
            let a = scene.draw(scene.clip(Some(shot)), frame, 1.0, &mut own);
            let b = scene.draw(scene.clip(Some("film")), start + frame, 1.0, &mut film);
            assert_eq!(difference(&a, &b).pixels, 0, "{shot} {frame}");
        }
    }
}

/// Elements without an id get one in SVG texts; an actor of that name does not take it.
#[test]
fn ids_of_a_scene_are_unique() {
    let stage = STREET.replace(r#"id="back" "#, "");
    let actor = r#""art1": (rig: "examples/chick/rig.ron"), "art2": (rig: "examples/chick/rig.ron")"#;
    let scene = staged(&format!(r#"Scene(version: 1, drawing: "stage.svg", actors: {{{actor}}})"#), &stage);
    let mut state = FrameState::new(&scene.rig);
    scene.pose(None, 0, &mut state);
    scene.rig.write_svg(&mut state);
    let ids: Vec<&str> =
        state.svg().split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
}

/// Packs of scenes are rigs as any other.
#[test]
fn a_packed_scene_plays_alike() {
    let scene = street(&[HERO, CHICK].concat(), r#""s": (length: 2, actors: {"hero": (play: ["goal"])})"#);
    let packed = Rig::load(&scene.rig.save()).expect("a pack");
    let (mut own, mut other) = (FrameState::new(&scene.rig), FrameState::new(&packed));
    for time in [0.0, 0.7, 1.9] {
        scene.rig.pose(scene.rig.clip("s"), time, &mut own).expect("a pose");
        packed.pose(packed.clip("s"), time, &mut other).expect("a pose");
        scene.rig.write_svg(&mut own);
        packed.write_svg(&mut other);
        assert_eq!(own.svg(), other.svg());
    }
}

/// What is wrong in a scene is reported in the scene, and what is wrong in a rig in the rig.
#[test]
fn mistakes_have_their_places() {
    let found = |scene: &str| -> Vec<String> {
        let files = Staged::default().with("scene.ron", scene).with("stage.svg", STREET);
        let loaded = load(&root().join("scene.ron"), Arc::new(files), &system_fonts);
        assert!(loaded.rig.is_none(), "{scene}");
        let show = |found: &bone_format::Diagnostic| {
            let place = found.place.as_ref().expect("a place");
            let at = &loaded.sources.text(place.source)[place.span.range()];
            let file =
                Path::new(loaded.sources.name(place.source)).file_name().expect("a name").to_string_lossy();
            format!("{file} `{at}` {}: {}", found.code.name(), found.message)
        };
        loaded.diagnostics.iter().map(show).collect()
    };
    let scene = |actors: &str, shots: &str| {
        format!(r#"Scene(version: 1, drawing: "stage.svg", actors: {{{actors}}}, shots: {{{shots}}})"#)
    };
    let chick = r#""a": (rig: "examples/chick/rig.ron"),"#;
    for (text, expected) in [
        (
            scene(r#""a": (rig: "examples/chick/rug.ron")"#, ""),
            r#"scene.ron `"examples/chick/rug.ron"` unreadable-file"#,
        ),
        (scene(r#""a/b": (rig: "examples/chick/rig.ron")"#, ""), r#"scene.ron `"a/b"` file-name"#),
        (
            scene(r#""a": (rig: "examples/chick/rig.ron", behind: "lump")"#, ""),
            r#"scene.ron `"lump"` unknown-art"#,
        ),
        (
            scene(r#""a": (rig: "examples/chick/rig.ron", hide: ["ear"])"#, ""),
            r#"scene.ron `"ear"` unknown-art"#,
        ),
        (
            scene(r#""a": (rig: "examples/chick/rig.ron", on: "b/head")"#, ""),
            r#"scene.ron `"b/head"` unknown-actor"#,
        ),
        (
            scene(&[chick, r#""b": (rig: "examples/chick/rig.ron", on: "a/haed")"#].concat(), ""),
            r#"scene.ron `"a/haed"` unknown-bone"#,
        ),
        (
            scene(
                r#""a": (rig: "examples/chick/rig.ron", on: "b/head"), "b": (rig: "examples/chick/rig.ron", on: "a/head")"#,
                "",
            ),
            r#"scene.ron `"b/head"` cycle"#,
        ),
        (
            scene(&[chick, r#""b": (rig: "examples/chick/rig.ron", under: "a/head")"#].concat(), ""),
            r#"scene.ron `"a/head"` not-possible-here"#,
        ),
        (
            scene(r#""a": (rig: "examples/chick/rig.ron", wear: ["wintr"])"#, ""),
            r#"scene.ron `"wintr"` unknown-outfit"#,
        ),
        (scene(r#""a": (rig: "examples/chick/rig.ron", scale: 0)"#, ""), "scene.ron `0` out-of-range"),
        (scene(r#""a": (rig: "scene.ron")"#, ""), "scene.ron `Scene` wrong-file"),
        (scene(chick, r#""s": (actors: {"b": ()})"#), r#"scene.ron `"b"` unknown-actor"#),
        (scene(chick, r#""s": (actors: {"a": (play: ["wlak"])})"#), r#"scene.ron `"wlak"` unknown-clip"#),
        (scene(chick, r#""s": ()"#), r#"scene.ron `"s"` missing-field"#),
        (
            scene(chick, r#""s": (length: 3, actors: {"a": (play: ["walk", (clip: "idle", fade: 3)])})"#),
            "scene.ron `3` fade-does-not-fit",
        ),
        (
            scene(chick, r#""s": (length: 3, actors: {"a": (move: [(2, (0, 0)), (1, (9, 9))])})"#),
            "scene.ron `1` key-order",
        ),
        (scene("", "").replace("stage.svg", "stag.svg"), r#"scene.ron `"stag.svg"` unreadable-file"#),
    ] {
        let found = found(&text);
        assert!(found.iter().any(|it| it.starts_with(expected)), "{expected}: {found:#?}");
    }
}

#[test]
fn the_document_of_a_scene_has_what_is_written() {
    let text = r#"{"Scene": {"version": 1, "drawing": "street.svg", "actors": {"hero": {"rig": "hero.ron", "at": [400, 620], "wear": ["winter"]}},
        "shots": {"s": {"actors": {"hero": {"play": ["walk"], "visible": true}}}}}}"#;
    let mut found = Diagnostics::new();
    let scene: SceneDoc = read_scene(SourceId::default(), text, &mut found).expect("a scene");
    assert!(found.is_empty(), "{:?}", found.iter().next());
    let actor: &ActorDoc = &scene.actors[0];
    assert_eq!((actor.name.value.as_str(), actor.rig.value.as_str()), ("hero", "hero.ron"));
    assert_eq!(actor.at.map(|at| at.value), Some(Point::new(400.0, 620.0)));
    let shot: &SceneShotDoc = &scene.shots[0];
    let role: &RoleDoc = &shot.actors[0];
    assert_eq!(role.play.as_ref().expect("clips")[0].clip.value, "walk");
    assert!(read_scene(SourceId::default(), "Rig(version: 1)", &mut found).is_none());
}

/// An open scene plays, takes in what other programs write, and is not edited as a rig.
#[test]
fn a_scene_that_is_open_is_not_edited_as_a_rig() {
    let scene = |length: u32| {
        format!(
            r#"Scene(version: 1, drawing: "stage.svg", actors: {{{HERO}}}, shots: {{"s": (length: {length}, actors: {{"hero": (play: ["goal"])}})}})"#
        )
    };
    let path = root().join("scene.ron");
    let files = Staged::default().with("scene.ron", scene(2)).with("stage.svg", STREET);
    let mut session = Session::open(path.clone(), Arc::new(files), system_fonts);
    assert!(session.is_current() && session.files().len() == 1, "{:?}", session.diagnostics().iter().next());
    let length = |session: &Session| session.rig().expect("a rig").clip("s").expect("a shot").time().length;
    assert_eq!(length(&session), 2.0);
    let edit = Edit::Rename {
        of: Named::Bone,
        from: "hero/body".to_owned(),
        to: "hero/trunk".to_owned(),
        within: None,
    };
    let refused = session.apply(&edit).expect_err("a scene").to_string();
    assert!(refused.contains("this is of a rig, and not of the scene"), "{refused}");
    session.reload(&path, scene(3).as_bytes()).expect("a text from outside");
    assert_eq!(length(&session), 3.0);
    session.reload(&path, scene(3).replace("goal", "gaol").as_bytes()).expect("a text from outside");
    assert!(!session.is_current() && session.rig().is_some());
}

/// An actor is put where its bone is dragged to, on the canvas as on another actor; shots and their keys are edited.
#[test]
fn a_scene_is_edited_where_it_is_its_own() {
    let whole = format!(
        r#"Scene(version: 1, drawing: "stage.svg", actors: {{{HERO} // Stands.
            "fly": (rig: "examples/chick/rig.ron", on: "hero/head", at: (0, -90), scale: 0.3),
            "bird": (rig: "examples/chick/rig.ron", scale: 0.5)}},
            shots: {{"s": (length: 2, actors: {{"hero": (play: ["goal"], move: [(0, (0, 0)), (1, (9, 0))])}})}})"#
    );
    let files = Staged::default().with("scene.ron", whole.clone()).with("stage.svg", STREET);
    let mut session = Session::open(root().join("scene.ron"), Arc::new(files), system_fonts);
    let place = |session: &Session, bone: &str| {
        let skeleton = session.rig().expect("a rig").skeleton();
        skeleton.setup_origin(skeleton.find(bone).expect("an actor"))
    };
    for bone in ["hero", "fly", "bird"] {
        let (old, tip) = (place(&session, bone), place(&session, &format!("{bone}/head")));
        let by = Vec2::new(13.0, -7.5);
        let edit = Edit::PlaceBone { bone: bone.to_owned(), from: Some(old + by), to: None };
        session.apply(&edit).unwrap_or_else(|error| panic!("{bone}: {error}"));
        assert!(session.is_current());
        assert!((place(&session, bone) - old - by).hypot() < 1e-3, "{bone}");
        // All of it moves along.
        assert!((place(&session, &format!("{bone}/head")) - tip - by).hypot() < 1e-3, "{bone}");
    }
    let text = session.text().to_owned();
    assert!(text.contains("// Stands.") && text.contains("at: (13, -97.5), scale: 0.3"), "{text}");
    let channel = DocPath::from(["shots", "s", "actors", "hero", "move"]);
    session.apply(&Edit::key(channel, 1.0, Point::new(20.0, 4.0))).expect("a key");
    session.apply(&Edit::set(["shots", "s", "length"], 3.0)).expect("a length");
    assert!(
        session.text().contains("(1, (20, 4))") && session.text().contains("length: 3"),
        "{}",
        session.text()
    );
    let rig = session.rig().expect("a rig");
    assert_eq!(rig.clip("s").expect("a shot").time().length, 3.0);
    // A shot has a name of its own: another one, a copy, none.
    let (of, within) = (Named::Shot, None);
    session.apply(&Edit::Duplicate { of, name: "s".to_owned(), copy: "t".to_owned() }).expect("a copy");
    let copy = session.rig().expect("a rig").clip("t").expect("a shot").time().length;
    assert_eq!(copy, 3.0);
    let taken = Edit::Rename { of, from: "s".to_owned(), to: "t".to_owned(), within: within.clone() };
    assert!(session.apply(&taken).expect_err("taken").to_string().contains("shot \"t\" already"));
    session
        .apply(&Edit::Rename { of, from: "s".to_owned(), to: "u".to_owned(), within: within.clone() })
        .expect("a name");
    session
        .apply(&Edit::Delete { of, name: "t".to_owned(), dependants: false, within })
        .expect("a shot that goes");
    let rig = session.rig().expect("a rig");
    assert!(rig.clip("u").is_some() && rig.clip("s").is_none() && rig.clip("t").is_none());
    for refused in [
        Edit::set(["clips", "hero/goal", "length"], 3.0),
        Edit::PlaceBone { bone: "hero/head".to_owned(), from: Some(Point::ZERO), to: None },
        Edit::PlaceBone { bone: "hero".to_owned(), from: None, to: Some(Point::ZERO) },
        Edit::Bind {
            art: "hero".to_owned(),
            binding: DocValue::fields(Some("Rigid"), [("bone", "hero".into())]),
        },
    ] {
        let error = session.apply(&refused).expect_err("of a rig").to_string();
        assert!(error.contains("this is of a rig, and not of the scene"), "{refused:?}: {error}");
    }
    let error =
        session.apply(&Edit::set(["shots", "u", "actors", "gorse", "visible"], false)).expect_err("no actor");
    assert!(error.to_string().contains("gorse"), "{error}");
    while session.undo().expect("a step").is_some() {}
    assert_eq!(session.text(), whole);
}

/// Whatever is typed in a scene, it loads or has mistakes with messages.
#[test]
fn any_scene_loads_or_says_why_not() {
    let whole = format!(
        r#"Scene(version: 1, drawing: "stage.svg", fps: 12, actors: {{{HERO} {CHICK}
            "fly": (rig: "examples/chick/rig.ron", at: (0, -90), scale: 0.3, on: "hero/head", under: "hero/hair", wear: [], start: 0.5, speed: 2)}},
            shots: {{"s": (length: 2, actors: {{"hero": (play: [(clip: "goal", repeat: 2), (clip: "sway", fade: 0.3, from: 0.2)], move: [(0, (0, 0), Linear), (1, (9, 0))], turn: [(0, 5)], visible: true)}}),
            "t": (actors: {{"chick": (play: ["walk"])}}, camera: (zoom: [(0, 2)]))}})"#
    );
    let others = [
        "0",
        "-1",
        "1e300",
        "1e-300",
        "\"\"",
        "\"hero\"",
        "\"hero/head\"",
        "\"/\"",
        "[]",
        "{}",
        "()",
        "None",
        "true",
        "(1, 2)",
        "\"fly\"",
        "\"film\"",
        "\"s/stage\"",
        "99999",
        "\"walk\"",
    ];
    let starts: Vec<usize> =
        whole.char_indices().filter(|(_, c)| "\"([{-0123456789".contains(*c)).map(|(at, _)| at).collect();
    let mut next = 7_u64;
    let mut random = |below: usize| {
        next = next.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (next >> 33) as usize % below
    };
    let mut loaded_well = 0;
    for _ in 0..150 {
        let at = starts[random(starts.len())];
        let end = whole[at + 1..].find([',', ')', ']', '}']).map_or(whole.len(), |end| at + 1 + end);
        let text = format!("{}{}{}", &whole[..at], others[random(others.len())], &whole[end..]);
        let files = Staged::default().with("scene.ron", text.clone()).with("stage.svg", STREET);
        let loaded = load(&root().join("scene.ron"), Arc::new(files), &system_fonts);
        assert!(loaded.rig.is_some() != loaded.diagnostics.has_errors(), "{text}");
        if let Some(rig) = loaded.rig {
            let mut state = FrameState::new(&rig);
            rig.pose(rig.clip("film"), 0.7, &mut state).expect("a pose");
            loaded_well += 1;
        }
    }
    assert!(loaded_well > 3, "{loaded_well}");
}
