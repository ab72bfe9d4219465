//! Players: their exact moments are the frames of the command line, what one shows does not depend on the scratch
//! memory, hits and boxes agree with pixels, and no call panics.

use std::path::PathBuf;
use std::sync::Arc;

use bone_core::spring::{Spring, SpringState, Springs, Wind};
use bone_core::{BonePose, Pose, WorldPose};
use bone_drawing::{ElementId, FlatCommand, FlatFrame, ImageData, PaintPart};
use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::files::{below, shown};
use bone_layer_tests::player::Player as Judge;
use bone_player::{
    BoneOverride, Character, ClipKey, InputId, InputValue, LayerOptions, PlayOptions, PlayRepeat, Player,
    PlayerError, PlayerEvent, PlayerScratch,
};
use bone_render::{FrameOptions, FrameSize, Viewport};
use bone_rig::{FrameState, Handle, Rig};
use kurbo::{Affine, Point};

fn examples() -> Vec<PathBuf> {
    below("examples", "ron")
}

/// The packed rig of a file, as bindings load it.
fn character(path: &PathBuf) -> (Judge, Character) {
    let judge = Judge::open(path);
    let character = Character::from_pack(&judge.rig.save()).expect("a pack");
    (judge, character)
}

fn view(rig: &Rig, scale: f64) -> Viewport {
    let size = FrameSize::from_scale(rig.art().size(), scale).expect("a usable scale");
    Viewport::fit(rig.posable().drawing(), &FrameOptions { size, background: None })
}

fn pixels(player: &Player, scratch: &mut PlayerScratch, scale: f64) -> (Vec<u8>, u32) {
    let view = view(player.character().rig(), scale);
    let mut pixels = vec![0; view.size.width() as usize * view.size.height() as usize * 4];
    player.draw_into(scratch, &view, &mut pixels).expect("a picture");
    (pixels, view.size.width())
}

fn flat(player: &Player, scratch: &mut PlayerScratch) -> FlatFrame {
    let mut flat = FlatFrame::default();
    player.paint(scratch, Affine::IDENTITY, &mut flat);
    flat
}

#[test]
fn exact_moments_are_the_frames_of_the_rig() {
    let mut frames = 0;
    for path in examples() {
        let (judge, hero) = character(&path);
        let (mut state, mut scratch) = (FrameState::new(&judge.rig), PlayerScratch::new());
        let (mut player, mut other) = (hero.player(), hero.player());
        let view = view(&judge.rig, 0.5);
        let mut found = vec![0; view.size.width() as usize * view.size.height() as usize * 4];
        for (at, clip) in judge.rig.clips().iter().enumerate() {
            for share in [0.0, 0.37, 0.81] {
                let time = (share * clip.time().length * judge.rig.fps()).round() / judge.rig.fps();
                judge.rig.pose(Some(clip), time, &mut state).expect("its own clip");
                let mut wanted = found.clone();
                judge.rig.draw_into(&mut state, &view, &mut wanted).expect("a picture");
                player.exact(ClipKey::from_index(at), time, &mut scratch).expect("its own clip");
                // Another player uses the memory in between.
                other.step(0.1, &mut scratch).expect("a step");
                flat(&other, &mut scratch);
                player.draw_into(&mut scratch, &view, &mut found).expect("a picture");
                assert!(found == wanted, "{}: {} at {time}", shown(&path), clip.name());
                frames += 1;
            }
        }
    }
    assert!(frames >= 3 * examples().len(), "{frames}");
}

#[test]
fn players_in_turn_show_what_each_shows_alone() {
    let all: Vec<_> = examples().iter().map(|path| character(path).1).collect();
    let mut shared = PlayerScratch::new();
    // More characters than the scratch keeps memory for.
    assert!(all.len() > 10);
    let begin = |hero: &Character| {
        let mut player = hero.player();
        if hero.clips().len() > 0 {
            player
                .play(ClipKey::from_index(0), PlayOptions { at: 0.2, ..Default::default() })
                .expect("a clip");
        }
        player
    };
    let mut players: Vec<_> = all.iter().chain(&all).map(begin).collect();
    let mut alone: Vec<_> = all.iter().chain(&all).map(|hero| (begin(hero), PlayerScratch::new())).collect();
    for step in 1..4 {
        // All step before any paints.
        players.iter_mut().for_each(|player| player.step(0.04, &mut shared).expect("a step"));
        for (player, (other, scratch)) in players.iter().zip(&mut alone) {
            other.step(0.04, scratch).expect("a step");
            assert!(flat(player, &mut shared) == flat(other, scratch), "step {step}");
        }
    }
}

#[test]
fn hits_and_boxes_agree_with_pixels() {
    let (mut points, mut off, mut boxes) = (0, Vec::new(), 0);
    for path in examples() {
        let (judge, hero) = character(&path);
        let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
        if !judge.rig.clips().is_empty() {
            player.exact(ClipKey::from_index(0), 0.3, &mut scratch).expect("its own clip");
        }
        let (found, width) = pixels(&player, &mut scratch, 1.0);
        let alpha = |x: i64, y: i64| {
            let at = (y * i64::from(width) + x) * 4 + 3;
            usize::try_from(at).ok().and_then(|at| found.get(at)).copied().unwrap_or(0)
        };
        let to_canvas = judge.rig.posable().drawing().canvas_to_output().inverse();
        let size = hero.size();
        let (mut here, mut number) = (0, 0_u32);
        while here < 200 && number < 4000 {
            // A sequence that fills the plane (Roberts, "The unreasonable effectiveness of quasirandom sequences").
            number += 1;
            let share = |step: f64| (0.5 + step * f64::from(number)).fract();
            let (x, y) = (
                1.0 + share(0.754_877_666) * (size.width - 3.0),
                1.0 + share(0.569_840_291) * (size.height - 3.0),
            );
            let (x, y) = (x.floor() as i64, y.floor() as i64);
            let around: Vec<u8> = (0..9).map(|k| alpha(x + k % 3 - 1, y + k / 3 - 1)).collect();
            // Next to an edge a pixel is partly covered.
            if around.iter().any(|near| (*near > 0) != (around[4] > 0)) {
                continue;
            }
            here += 1;
            let middle = to_canvas * Point::new(x as f64 + 0.5, y as f64 + 0.5);
            let hit = player.hit(middle, 0.0, &mut scratch).is_some();
            if hit != (around[4] > 0) {
                off.push(format!("{} at {x}, {y}: alpha {}, hit {hit}", shown(&path), around[4]));
            }
        }
        points += here;
        if let Some(bounds) = player.bounds(None, &mut scratch) {
            let to_output = judge.rig.posable().drawing().canvas_to_output();
            let bounds = to_output.transform_rect_bbox(bounds).inflate(1.0, 1.0);
            let outside = |at: &usize| {
                let place =
                    Point::new((at % width as usize) as f64 + 0.5, (at / width as usize) as f64 + 0.5);
                found[at * 4 + 3] > 2 && !bounds.contains(place)
            };
            assert_eq!((0..found.len() / 4).find(outside), None, "{}: {bounds:?}", shown(&path));
            boxes += 1;
        }
    }
    println!("{points} points, {} where pixels say otherwise: {off:#?}; {boxes} boxes", off.len());
    assert!(points > 150 * examples().len() && boxes == examples().len(), "{points} {boxes}");
    assert!(off.len() * 500 < points, "{off:#?}");
}

#[test]
fn what_is_set_and_unset_leaves_the_first_frame() {
    let red = Some([1.0, 0.0, 0.0, 0.5]);
    let (mut set, mut refused) = (0, 0);
    for path in examples() {
        let (_, hero) = character(&path);
        let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
        player.step(0.0, &mut scratch).expect("a step");
        let (first, picture) = (flat(&player, &mut scratch), pixels(&player, &mut scratch, 0.3));
        let image = ImageData { format: bone_drawing::ImageFormat::Png, bytes: Arc::new(vec![1, 2, 3]) };
        for element in hero.rig().art().ids() {
            let mut count = |done: Result<(), PlayerError>| match done {
                Ok(()) => set += 1,
                Err(PlayerError::NotKept { .. } | PlayerError::NotText) => refused += 1,
                Err(other) => panic!("{}: {other}", shown(&path)),
            };
            count(player.set_color(element, PaintPart::Fill, red));
            count(player.set_color(element, PaintPart::Stroke, red));
            count(player.set_image(element, Some(&image)));
            count(player.set_visible(element, Some(false)));
            count(player.set_text(element, Some("other words")));
        }
        player.step(0.0, &mut scratch).expect("a step");
        let hidden = flat(&player, &mut scratch);
        let is_layer = |command: &FlatCommand| matches!(command, FlatCommand::Push { .. } | FlatCommand::Pop);
        assert!(hidden.commands().iter().all(is_layer), "{}: all is hidden", shown(&path));
        for element in hero.rig().art().ids() {
            let _ = player.set_visible(element, None);
        }
        if !first.commands().is_empty() {
            let coloured = flat(&player, &mut scratch);
            assert!(coloured != first && !coloured.commands().is_empty(), "{}", shown(&path));
        }
        for element in hero.rig().art().ids() {
            let _ = player.set_color(element, PaintPart::Fill, None);
            let _ = player.set_color(element, PaintPart::Stroke, None);
            let _ = player.set_image(element, None);
            let _ = player.set_text(element, None);
        }
        assert!(flat(&player, &mut scratch) == first, "{}: at once", shown(&path));
        player.step(0.0, &mut scratch).expect("a step");
        assert!(flat(&player, &mut scratch) == first, "{}", shown(&path));
        assert!(pixels(&player, &mut scratch, 0.3) == picture, "{}", shown(&path));
    }
    println!("{set} values set, {refused} refused");
    assert!(set > 1000 && refused > 100, "{set} {refused}");
}

/// A rig of shapes of all kinds, whose keyed colours are other ones than the drawing's.
fn painted(svg: &str, keys: &str) -> Rig {
    let ron = format!(
        r##"Rig(version: 1, drawing: "a.svg", bones: {{ "b": (from: (5, 5), to: (35, 5)) }},
        skin: [Rigid(art: "all", bone: "b")], clips: {{ "c": (length: 1, bones: {{ "b": (rotate: [(0, 8)]) }}, {keys}) }})"##
    );
    let files = Arc::new(InMemory::new().with("a.ron", ron).with("a.svg", svg));
    let loaded = load("a.ron".as_ref(), files, &no_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.iter().collect::<Vec<_>>()))
}

#[test]
fn pixels_of_what_is_set_are_those_of_a_drawing_like_it() {
    let svg = |fill: &str, stroke: &str, faded: &str, extra: &str| {
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
            <linearGradient id="g"><stop stop-color="#f00"/><stop offset="1" stop-color="#00f"/></linearGradient>
            <g id="all"><path id="keyed" d="M2 2H20V20H2Z" {fill}/>
            <g opacity=".8"><path id="bent" d="M10 8H38V30Z" {faded} {stroke} stroke-width="3"/></g>{extra}</g></svg>"##
        )
    };
    let ball = r##"<circle id="ball" cx="20" cy="30" r="7"/>"##;
    let rig = painted(
        &svg(r##"fill="#c33""##, r##"stroke="#333""##, "fill=\"url(#g)\"", ball),
        r##"art: {"keyed": (fill: [(0, "#0f0")]), "bent": (stroke: [(0, "#ff0")])}"##,
    );
    let wanted = painted(
        &svg(
            r##"fill="#0000ff" fill-opacity=".5""##,
            r##"stroke="#008080""##,
            r##"fill="#ffffff" fill-opacity=".25""##,
            "",
        ),
        "",
    );
    let hero = Character::from_rig(Arc::new(rig));
    let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
    let find = |name: &str| hero.element(name).expect("an element");
    let clip = hero.clip("c").expect("a clip");
    player.exact(clip, 0.5, &mut scratch).expect("a moment");
    let plain = pixels(&player, &mut scratch, 2.0);
    let set = [
        ("keyed", PaintPart::Fill, [0.0, 0.0, 1.0, 0.5]),
        ("bent", PaintPart::Stroke, [0.0, 128.0 / 255.0, 128.0 / 255.0, 1.0]),
        ("bent", PaintPart::Fill, [1.0, 1.0, 1.0, 0.25]),
    ];
    for (name, part, color) in set {
        player.set_color(find(name), part, Some(color)).expect("a paint");
    }
    player.set_visible(find("ball"), Some(false)).expect("a shape");
    let judge = Character::from_rig(Arc::new(wanted));
    let (mut other, mut memory) = (judge.player(), PlayerScratch::new());
    other.exact(judge.clip("c").expect("a clip"), 0.5, &mut memory).expect("a moment");
    assert!(pixels(&player, &mut scratch, 2.0) == pixels(&other, &mut memory, 2.0));
    // The next moment has it, too, and nothing of it stays.
    player.exact(clip, 0.5, &mut scratch).expect("a moment");
    assert!(pixels(&player, &mut scratch, 2.0) == pixels(&other, &mut memory, 2.0));
    for (name, part, _) in set {
        player.set_color(find(name), part, None).expect("a paint");
    }
    player.set_visible(find("ball"), None).expect("a shape");
    assert!(pixels(&player, &mut scratch, 2.0) == plain);
}

#[test]
fn inputs_turn_what_the_rig_has_and_report_it() {
    let (_, hero) = character(&PathBuf::from("examples/face/rig.ron"));
    let names: Vec<_> = hero.inputs().iter().map(|input| input.name.clone()).collect();
    println!("{names:?}");
    assert!(!names.is_empty());
    let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
    player.step(0.0, &mut scratch).expect("a step");
    let first = flat(&player, &mut scratch);
    let mut changed = 0;
    for (at, _) in names.iter().enumerate() {
        let input = InputId::from_index(at);
        let values =
            [InputValue::Number(1.0), InputValue::Number(0.0), InputValue::Point(Point::new(9.0, 9.0))];
        for value in values {
            if player.set_input(input, value).is_err() {
                continue;
            }
            player.step(0.0, &mut scratch).expect("a step");
            changed += usize::from(flat(&player, &mut scratch) != first);
            assert!(player.events().iter().all(|event| *event == PlayerEvent::Input { input }));
        }
        player.set_input(input, InputValue::Rest).expect("every input rests");
        player.step(0.0, &mut scratch).expect("a step");
        assert!(flat(&player, &mut scratch) == first, "{}", names[at]);
    }
    assert!(changed > 0);
    let missing = hero.input("switch:mout").expect_err("no such input");
    println!("{missing}");
    assert!(
        hero.clip("nothing").is_err() && hero.bone("nothing").is_err() && hero.element("nothing").is_err()
    );
}

#[test]
fn clips_play_as_often_as_asked() {
    for path in ["examples/walk/rig.ron", "examples/title/rig.ron"] {
        let (_, hero) = character(&PathBuf::from(path));
        let clip = hero.clips().next().map(|clip| (clip.length, clip.looped)).expect("a clip");
        let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
        let options = PlayOptions { repeat: PlayRepeat::Times(3), ..Default::default() };
        let of = player.play(ClipKey::from_index(0), options).expect("a clip");
        let (step, mut ends, mut loops, mut time) = (clip.0 / 16.0 + 1e-3, Vec::new(), 0, 0.0);
        for _ in 0..100 {
            player.step(step, &mut scratch).expect("a step");
            time += step;
            for event in player.events() {
                match event {
                    PlayerEvent::Ended { of: ended } if *ended == of => ends.push(time),
                    PlayerEvent::Looped { times, .. } => loops += times,
                    _ => {}
                }
            }
        }
        assert_eq!(ends.len(), 1, "{path}: {ends:?}, {clip:?}");
        assert!(ends[0] >= 3.0 * clip.0 && ends[0] < 3.0 * clip.0 + step, "{path}: {ends:?}");
        assert_eq!(loops, if clip.1 { 3 } else { 2 }, "{path}");
    }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn number(&mut self) -> f64 {
        const ODD: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 1e9, 1e300, f64::NAN, f64::INFINITY];
        match self.below(3) {
            0 => ODD[self.below(ODD.len())],
            _ => (self.next() >> 11) as f64 / (1_u64 << 52) as f64 * 4.0 - 4.0,
        }
    }
}

#[test]
fn random_calls_return_statuses() {
    let paths = [
        "examples/face/rig.ron",
        "examples/walk/rig.ron",
        "examples/scarf/rig.ron",
        "examples/lettering/rig.ron",
    ];
    let heroes: Vec<_> = paths.iter().map(|path| character(&PathBuf::from(path)).1).collect();
    let (mut random, mut scratch) = (Random(7), PlayerScratch::new());
    let mut players: Vec<_> = heroes.iter().map(Character::player).collect();
    let mut playing = Vec::new();
    let (mut fine, mut wrong) = (0, 0);
    for _ in 0..10_000 {
        let at = random.below(players.len());
        let (hero, player) = (&heroes[at], &mut players[at]);
        let clip = ClipKey::from_index(random.below(hero.clips().len() + 2));
        let element = ElementId::from_index(random.below(hero.rig().art().elements().len() + 2));
        let bone = heroes[random.below(heroes.len())].rig().skeleton().bones().nth(random.below(70));
        let (a, b) = (random.number(), random.number());
        let of = playing.get(random.below(playing.len())).copied();
        let done = match random.below(17) {
            0 => player
                .play(clip, PlayOptions { fade: a.abs(), speed: b, repeat: PlayRepeat::Times(2), at: a })
                .map(|of| playing.push(of)),
            1 => player
                .layer(
                    clip,
                    LayerOptions { fade: a, weight: b, bones: Some(bone.as_slice()), ..Default::default() },
                )
                .map(|of| playing.push(of)),
            2 => of.map_or(Ok(()), |of| player.stop(of, a)),
            3 => of.map_or(Ok(()), |of| player.seek(of, a)),
            4 => of.map_or(Ok(()), |of| player.set_speed(of, a).and_then(|()| player.set_weight(of, b))),
            5..8 => player.step(a.abs().min(0.1), &mut scratch),
            8 => player.step(a, &mut scratch),
            9 => player.set_input(InputId::from_index(random.below(12)), InputValue::Number(a)),
            10 => player.set_input(
                InputId::from_index(random.below(12)),
                InputValue::Point(Point::new(a * 90.0, b * 90.0)),
            ),
            11 => player.set_color(element, PaintPart::Fill, Some([a as f32; 4])),
            12 => player.set_visible(element, [None, Some(true), Some(false)][random.below(3)]),
            13 => player.set_text(element, Some("hello")),
            14 => bone.map_or(Ok(()), |bone| {
                let pose = BonePose { stretch: a, ..BonePose::REST };
                player
                    .set_bone(bone, Some(BoneOverride::Add(pose)))
                    .and_then(|()| player.set_bone(bone, None))
            }),
            15 if a.abs() < 2.0 => player.exact(clip, b, &mut scratch),
            15 => bone.map_or(Ok(()), |bone| {
                let tip = bone_core::constraint::AttachmentPoint::Tip;
                player
                    .drag(Handle::Tip { bone, point: tip, chain: 2 }, Point::new(a, b), &mut scratch)
                    .map(|_| ())
            }),
            _ => {
                player.hit(Point::new(a * 300.0, b * 300.0), a, &mut scratch);
                player.bounds(Some(element), &mut scratch);
                flat(player, &mut scratch);
                let _ = bone.and_then(|bone| player.bone(bone));
                Ok(())
            }
        };
        match done {
            Ok(()) => fine += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                wrong += 1;
            }
        }
    }
    println!("{fine} calls fine, {wrong} with a status");
    assert!(fine > 3000 && wrong > 500, "{fine} {wrong}");
}

/// Rest of the rigs of the repository takes a few steps, and the simulation stays there.
#[test]
fn springs_of_the_examples_rest_within_a_few_steps() {
    let mut rigs = 0;
    for path in examples() {
        let rig = Judge::open(&path).rig;
        if rig.springs().is_empty() {
            continue;
        }
        rigs += 1;
        let calm = |spring: Spring| Spring {
            wind: spring.wind.map(|wind| Wind { turbulence: 0.0, ..wind }),
            ..spring
        };
        let skeleton = rig.skeleton();
        let springs =
            Springs::new(skeleton, rig.springs().springs().map(calm).collect()).expect("its own springs");
        let (mut pose, mut scratch, mut world) =
            (Pose::new(skeleton), Pose::new(skeleton), WorldPose::new(skeleton));
        let (mut most, mut worst) = (0, 0.0_f64);
        for clip in rig.clips() {
            for share in [0.0, 0.4, 0.7] {
                rig.sample(clip, share * clip.time().length, &mut scratch, &mut pose).expect("its own clip");
                world.forward(skeleton, &pose).expect("a pose");
                let mut state = SpringState::unposed(&springs);
                most = most.max(state.rest(&springs, skeleton, &pose, &world));
                let (mut rest, mut later) = (pose.clone(), pose.clone());
                state.apply(&springs, skeleton, &mut rest);
                (0..600).for_each(|_| state.step(&springs, skeleton, &pose, &world, 1.0 / 60.0));
                state.apply(&springs, skeleton, &mut later);
                let off = |(a, b): (&BonePose, &BonePose)| (a.angle - b.angle).radians().abs();
                worst = rest.bones.iter().zip(later.bones.iter()).map(off).fold(worst, f64::max);
            }
        }
        println!("{}: at most {most} steps, {worst:.1e} rad off after ten seconds", shown(&path));
        // Rods that lie on stops can slide for long, and are simulated until they rest.
        let slides = springs.springs().any(|spring| spring.stop.is_some());
        assert!(slides || (most <= 4 && worst < 1e-6), "{}: {most} steps, {worst:.1e}", shown(&path));
    }
    assert!(rigs >= 3);
}
