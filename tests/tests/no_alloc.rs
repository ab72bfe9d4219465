//! From a pose to the posed drawing nothing is allocated after the first frame: every allocation is counted.
#![allow(unsafe_code, reason = "only a global allocator sees every allocation")]

#[path = "no_alloc/schedules.rs"]
mod schedules;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use bone_core::BonePose;
use bone_drawing::ArtProperty;
use bone_drawing::{FlatFrame, FlatOutlines, Frame};
use bone_layer_tests::files::{below, good_rigs, root, shown};
use bone_layer_tests::player::Player;
use bone_layer_tests::poses::{poses, read};
use bone_player::{Character, ClipKey, PlayOptions, PlayRepeat, PlayerScratch};
use bone_render::{FrameOptions, FrameSize, Viewport};
use bone_rig::{BoneOverride, ConstraintOverride, FrameState, LayerOptions, Mixer, Overrides, VertexOffset};
use bone_skin::{OffsetSpace, VertexPoint};
use kurbo::{Affine, Vec2};

thread_local! {
    /// Bytes that are in use, of what this thread has allocated.
    static BYTES: Cell<isize> = const { Cell::new(0) };
    /// Of this thread alone: tests run side by side. Needs no destructor, so it can be used at any time.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

fn count(bytes: isize) {
    let _ = BYTES.try_with(|held| held.set(held.get() + bytes));
    // A thread that is ending has nothing left to count with.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every method hands its arguments unchanged to `System` and returns what `System` returns, so each
// of its promises holds here as well and each of the caller's duties is passed on. Counting neither allocates
// nor panics: it adds to a constant-initialised cell that has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller keeps to `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller keeps to `GlobalAlloc::alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(signed(new_size) - signed(layout.size()));
        // SAFETY: the caller keeps to `GlobalAlloc::realloc`, and `pointer` came from `System` by one of the
        // methods here.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = BYTES.try_with(|held| held.set(held.get() - signed(layout.size())));
        // SAFETY: the caller keeps to `GlobalAlloc::dealloc`, and `pointer` came from `System` by one of the
        // methods here.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn frames_in_order_allocate_nothing() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let mut state = FrameState::new(&player.rig);
        for clip in player.rig.clips() {
            player.pose(Some(clip), 0, &mut state);
            for frame in 0..clip.frame_count(player.rig.fps()) {
                let made = allocations(|| player.pose(Some(clip), frame, &mut state));
                assert_eq!(made, 0, "{}: frame {frame} of {}", shown(&rig), clip.name());
            }
        }
        assert_eq!(allocations(|| player.pose(None, 0, &mut state)), 0, "{}: setup pose", shown(&rig));
    }
}

#[test]
fn frames_in_any_order_allocate_nothing_after_each_clip_was_played() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let mut state = FrameState::new(&player.rig);
        for clip in player.rig.clips() {
            player.pose(Some(clip), 0, &mut state);
        }
        let moments = player.moments();
        // Steps by a number that shares no factor with any likely count visit all of them, far from their
        // order.
        for step in 0..moments.len() {
            let (clip, frame) = moments[step * 7919 % moments.len()];
            let made = allocations(|| player.pose(clip, frame, &mut state));
            assert_eq!(made, 0, "{}: frame {frame} of {:?}", shown(&rig), clip.map(|clip| clip.name()));
        }
    }
}

#[test]
fn frames_with_overrides_allocate_nothing() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let scene = &player.rig;
        let (mut state, mut overrides) = (FrameState::new(scene), Overrides::new());
        let mut flat = FlatOutlines::default();
        for bone in scene.skeleton().bones() {
            overrides.bones.set(bone, BoneOverride::Add(BonePose { stretch: 1.1, ..BonePose::REST }));
        }
        for &element in &scene.draw_order().elements {
            overrides.art.set((element, ArtProperty::Opacity), 0.5);
        }
        for path in scene.skin().paths() {
            let offset = VertexOffset { space: OffsetSpace::Vertex, by: Vec2::new(1.0, 2.0) };
            overrides.offsets.set((path, 0, VertexPoint::Anchor), offset);
        }
        for constraint in 0..scene.constraints().len() {
            overrides
                .constraints
                .set(constraint, ConstraintOverride { mix: Some(0.5), ..Default::default() });
        }
        for clip in scene.clips() {
            for round in 0..2 {
                for frame in 0..clip.frame_count(scene.fps()) {
                    let time = frame as f64 / scene.fps();
                    let made = allocations(|| {
                        scene.pose_with(Some(clip), time, &overrides, &mut state).expect("its own overrides");
                        flat.fill(state.posed().paths());
                    });
                    let warm = round > 0 || frame > 0;
                    assert!(made == 0 || !warm, "{}: frame {frame} of {}", shown(&rig), clip.name());
                }
            }
        }
    }
}

#[test]
fn mixed_clips_allocate_nothing() {
    for path in good_rigs() {
        let player = Player::open(&path);
        let rig = &player.rig;
        let (mut state, mut mixer) = (FrameState::new(rig), Mixer::new(rig));
        mixer.reserve(rig, 2 * rig.clips().len() + 2);
        for round in 0..3 {
            let made = allocations(|| {
                for clip in rig.clips() {
                    mixer.play(rig, clip, 0.1).expect("its own clip");
                    let options = LayerOptions { fade: 0.1, weight: 0.5, ..LayerOptions::default() };
                    let layer = mixer.layer(rig, clip, options).expect("its own clip");
                    for _ in 0..4 {
                        mixer.step(rig, 1.0 / 60.0, &mut state).expect("a pose");
                    }
                    mixer.stop(rig, layer, 0.05).expect("it plays");
                }
                (0..20).for_each(|_| mixer.step(rig, 1.0 / 60.0, &mut state).expect("a pose"));
            });
            // Outlines grow to their greatest length in the first round.
            assert!(made == 0 || round == 0, "{}: {made} in round {round}", shown(&path));
        }
    }
}

#[test]
fn machines_allocate_nothing() {
    let Player { rig, .. } = &Player::open(root().join("examples/chick/rig.ron"));
    let (mut state, mut mixer) = (FrameState::new(rig), Mixer::new(rig));
    mixer.start(rig, 0, 0.1).expect("a machine");
    mixer.step(rig, 1.0 / 60.0, &mut state).expect("a pose");
    let inputs = rig.machines()[0].inputs.len();
    let count = allocations(|| {
        let mut seed = 9_u32;
        for _ in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 24 < 40 {
                let value = f64::from((seed >> 20) % 4);
                mixer.set_machine_input(rig, (seed >> 8) as usize % inputs, value).expect("an input");
            }
            mixer.step(rig, 1.0 / 60.0, &mut state).expect("a pose");
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn players_step_and_paint_without_allocations_and_are_small() {
    for path in good_rigs() {
        let hero = Character::from_rig(Arc::new(Player::open(&path).rig));
        let (mut scratch, mut flat) = (PlayerScratch::new(), FlatFrame::default());
        let mut made = 0;
        // The buffers of the thread grow to their greatest length in the first round.
        for round in 0..2 {
            let before = BYTES.get();
            let mut player = hero.player();
            if hero.clips().len() > 0 {
                let forever = PlayOptions { repeat: PlayRepeat::Forever, ..PlayOptions::default() };
                player.play(ClipKey::from_index(0), forever).expect("its own clip");
            }
            let outfits: Vec<usize> = (0..hero.outfits().len()).collect();
            for frame in 0..200 {
                let here = allocations(|| {
                    let worn = outfits.get(frame % (outfits.len() + 1)..).unwrap_or_default();
                    player.wear(Some(worn).filter(|_| frame % 7 > 0)).expect("its own outfits");
                    player.step(1.0 / 30.0, &mut scratch).expect("a step");
                    flat.clear();
                    player.paint(&mut scratch, Affine::IDENTITY, &mut flat);
                });
                made += if round > 0 && frame > 2 { here } else { 0 };
            }
            let bytes = BYTES.get() - before;
            if round > 0 {
                println!("{}: {bytes} bytes a player, {made} allocations", shown(&path));
                assert_eq!(made, 0, "{}", shown(&path));
                let most = 6144 + 1000 * signed(hero.rig().springs().springs().len());
                assert!(bytes <= most || shown(&path) != "examples/walk/rig.ron", "{bytes} bytes");
            }
        }
    }
}

#[test]
fn a_repeated_frame_allocates_nothing() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let scene = &player.rig;
        let size = FrameSize::from_scale(scene.art().size(), 0.3).expect("a usable scale");
        let view = Viewport::fit(scene.posable().drawing(), &FrameOptions { size, background: None });
        let mut pixels = vec![0; size.width() as usize * size.height() as usize * 4];
        let mut state = FrameState::new(scene);
        player.pose(scene.clips().first(), 0, &mut state);
        let mut made = [0; 2];
        // Lists of spare memory grow for a while.
        for _ in 0..24 {
            made = [
                allocations(|| player.pose(scene.clips().first(), 0, &mut state)),
                allocations(|| {
                    scene.draw_into(&mut state, &view, &mut pixels).expect("a picture");
                }),
            ];
        }
        // resvg draws a color matrix with keys, whose text is compared with that of the frame before.
        let by_resvg = shown(&rig) == "tests/rigs/filters.ron";
        assert!(made[0] == 0 && (made[1] == 0 || by_resvg), "{}: {made:?}", shown(&rig));
    }
}

/// The frame of a drawing by itself, without bones: matrices, outlines, paints and visibilities into numbers
/// for each slot.
#[test]
fn filling_a_frame_allocates_nothing() {
    let mut posed = 0;
    for path in below("tests/svg", "svg") {
        let art = read(&path);
        for pose in poses(&art) {
            let posable = pose.posable(&art);
            let mut frame = Frame::default();
            let moved: Vec<_> = (0..5).map(|number| pose.moved(number)).collect();
            moved[0].frame(&posable, &mut frame);
            for number in [1, 2, 3, 4, 0] {
                let made = allocations(|| {
                    moved[number].frame(&posable, &mut frame);
                });
                assert_eq!(made, 0, "{}: {}, frame {number}", shown(&path), pose.name);
                posed += 1;
            }
        }
    }
    assert!(posed > 5000, "{posed} frames");
}

/// The rigs of the repository have no image that bends, for that is a warning.
#[test]
fn an_image_that_follows_weights_allocates_nothing() {
    const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='40'><g id='arm'><rect y='10' width='100' height='20'/>\
        <image x='30' y='12' width='40' height='16' href='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=='/></g></svg>";
    const RIG: &str = r#"Rig(version: 1, drawing: "a.svg",
        bones: { "upper": (from: (0, 20), to: (50, 20)), "fore": (parent: "upper", to: (100, 20)) },
        skin: [Smooth(art: "arm")],
        clips: { "bend": (length: 1, bones: { "fore": (rotate: [(0, 0), (1, 70)]) }) })"#;
    let files = bone_format::InMemory::new().with("a.ron", RIG).with("a.svg", SVG);
    let scene = bone_format::load("a.ron".as_ref(), std::sync::Arc::new(files), &bone_format::no_fonts)
        .rig
        .expect("sound");
    let mut state = FrameState::new(&scene);
    let mut pose =
        |time: f64| allocations(|| scene.pose(scene.clip("bend"), time, &mut state).expect("no loop"));
    pose(0.0);
    assert_eq!([0.25, 0.5, 1.0].map(&mut pose), [0; 3]);
    assert_eq!(scene.carried(&state).len(), 1);
}

#[test]
fn the_rigs_use_all_features_that_could_allocate() {
    let all: String = good_rigs().iter().map(|rig| std::fs::read_to_string(rig).expect("a rig")).collect();
    for feature in [
        "parent: [",
        "setup_angle:",
        "setup_origin:",
        "offsets:",
        "stretch:",
        "inherit:",
        "Explicit(",
        "drivers: [",
        "constraints: [",
        "Ik(",
        "Pin(",
        "Path(",
        "shots: {",
        "mode: Add",
        "step:",
        "visible: [",
        "opacity: [",
        "order: [",
        "switch: [",
        "setup: {",
        "}, weights: {",
    ] {
        assert!(all.contains(feature), "no rig has {feature}");
    }
}
