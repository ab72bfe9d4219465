//! Overrides on top of clips, and drags: what is not overridden stays to the bit, what is grabbed does not
//! jump, and what is dragged comes to the pointer.

use std::path::Path;
use std::sync::Arc;

use bone_core::constraint::{AttachmentPoint, ConstraintStatus};
use bone_core::{Angle, BoneId, BonePose};
use bone_drawing::ArtProperty;
use bone_drawing::FlatOutlines;
use bone_layer_tests::files::{good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_rig::{
    BoneMotion, BoneOverride, ConstraintOverride, FrameState, Handle, Overrides, RigClip, Turn, VertexOffset,
};
use bone_skin::{OffsetSpace, VertexPoint};
use kurbo::{BezPath, PathEl, Point, Shape as _, Vec2};

fn points(paths: &[BezPath]) -> Vec<Point> {
    let of = |element: &PathEl| match *element {
        PathEl::MoveTo(a) | PathEl::LineTo(a) => vec![a],
        PathEl::QuadTo(a, b) => vec![a, b],
        PathEl::CurveTo(a, b, c) => vec![a, b, c],
        PathEl::ClosePath => Vec::new(),
    };
    paths.iter().flat_map(BezPath::elements).flat_map(of).collect()
}

/// The greatest distance between the outlines of two states.
fn apart(a: &FrameState, b: &FrameState) -> f64 {
    let (a, b) = (points(a.posed().paths()), points(b.posed().paths()));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

fn time(player: &Player, frame: u64) -> f64 {
    frame as f64 / player.rig.fps()
}

#[test]
fn without_overrides_a_frame_is_that_of_the_clip_to_the_bit() {
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let (mut plain, mut with) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
        for (clip, frame) in player.moments() {
            player.pose(clip, frame, &mut plain);
            let posed = player.rig.pose_with(clip, time(&player, frame), &Overrides::new(), &mut with);
            posed.expect("nothing is overridden");
            assert_eq!(plain.frame(), with.frame(), "{}: frame {frame}", shown(&rig));
            assert_eq!(plain.driven(), with.driven());
            assert_eq!(plain.visibilities(), with.visibilities());
        }
    }
}

/// Every handle of a bone, held where the bone is in a state, with the position of each.
fn held(player: &Player, state: &FrameState, bone: BoneId) -> Vec<(Handle, Point)> {
    let skeleton = player.rig.skeleton();
    let tip = state.world().tip(skeleton, state.driven(), bone);
    let beside = tip + Vec2::new(1.5, 2.5);
    let grip = player.rig.grip(state, bone, beside).expect("no bone is scaled to nothing");
    let motions = [BoneMotion::Rotate, BoneMotion::Translate, BoneMotion::Scale];
    let mut held: Vec<_> =
        motions.map(|motion| (Handle::Bone { bone, grip, motion }, beside)).into_iter().collect();
    let chain = 1 + usize::from(skeleton.parent(bone).is_some());
    held.push((Handle::Tip { bone, point: AttachmentPoint::Tip, chain }, tip));
    held
}

#[test]
fn grabbing_a_bone_moves_nothing() {
    for rig in
        ["examples/walk/rig.ron", "examples/plant/rig.ron", "examples/chain/rig.ron", "examples/tail/rig.ron"]
    {
        let player = Player::open(rig);
        let (mut plain, mut grabbed) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
        let mut overrides = Overrides::new();
        for (moment, (clip, frame)) in player.moments().into_iter().enumerate() {
            // Every frame of the walk, some of the others.
            if !rig.contains("walk") && moment % 7 != 0 {
                continue;
            }
            player.pose(clip, frame, &mut plain);
            for bone in player.rig.skeleton().bones() {
                for (handle, at) in held(&player, &plain, bone) {
                    overrides.clear();
                    let dragged =
                        player.rig.drag(clip, time(&player, frame), &mut overrides, handle, at, &mut grabbed);
                    let dragged = dragged.unwrap_or_else(|error| panic!("{rig}: {handle:?}: {error}"));
                    let off = apart(&plain, &grabbed);
                    assert!(off < 1e-9, "{rig}: frame {frame}, {handle:?}: {off:e}");
                    assert!(dragged.distance(at) < 1e-9, "{rig}: {handle:?}");
                }
            }
        }
    }
}

/// What the clip gives besides bones stays with a bone that is moved by hand: on the other limbs the outlines
/// do not move, and on a bone moved by an increment and back by its inverse nothing does.
#[test]
fn a_bone_moved_by_hand_leaves_the_rest_of_the_clip() {
    let player = Player::open("examples/walk/rig.ron");
    let skeleton = player.rig.skeleton();
    let clip = player.rig.clips().first();
    let (mut plain, mut turned) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    let mut unmoved = 0;
    for frame in [0, 5, 11, 17] {
        player.pose(clip, frame, &mut plain);
        for bone in skeleton.bones() {
            let mut overrides = Overrides::new();
            let turn = BonePose { angle: Angle::from_degrees(13.0), ..BonePose::REST };
            overrides.bones.set(bone, BoneOverride::Add(turn));
            player.rig.pose_with(clip, time(&player, frame), &overrides, &mut turned).expect("its bone");
            let moved: Vec<bool> = skeleton
                .bones()
                .map(|other| {
                    let (a, b) = (plain.matrices().of(other), turned.matrices().of(other));
                    a.as_coeffs().iter().zip(b.as_coeffs()).any(|(a, b)| (a - b).abs() > 1e-9)
                })
                .collect();
            assert!(moved[bone.index()] || turned.statuses().contains(&ConstraintStatus::Met), "{bone:?}");
            for path in player.rig.skin().paths() {
                let (a, b) = (&plain.posed().paths()[path.index()], &turned.posed().paths()[path.index()]);
                let far = points(std::slice::from_ref(a))
                    .iter()
                    .zip(points(std::slice::from_ref(b)))
                    .map(|(a, b)| a.distance(b))
                    .fold(0.0, f64::max);
                // The bones of the path, by the weights of all its vertices.
                if !moved.contains(&true) {
                    assert!(far < 1e-9);
                }
                unmoved += usize::from(far == 0.0);
            }
            let back = BonePose { angle: Angle::from_degrees(-13.0), ..BonePose::REST };
            overrides.bones.set(bone, BoneOverride::Add(turn).plus(&back));
            player.rig.pose_with(clip, time(&player, frame), &overrides, &mut turned).expect("its bone");
            assert!(apart(&plain, &turned) < 1e-9, "{bone:?}");
        }
    }
    assert!(unmoved > 100, "{unmoved}");
}

/// The tip of a bone on the canvas.
fn tip_of(player: &Player, state: &FrameState, bone: BoneId) -> Point {
    state.world().tip(player.rig.skeleton(), state.driven(), bone)
}

#[test]
fn a_dragged_tip_is_at_the_pointer_and_other_limbs_stay() {
    let (mut reached, mut tried) = (0, 0);
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let skeleton = player.rig.skeleton();
        let (mut plain, mut dragged) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
        for clip in player.rig.clips().iter().map(Some).chain([None]) {
            let at_time = clip.map_or(0.0, |clip: &RigClip| clip.time().length * 0.37);
            player.rig.pose(clip, at_time, &mut plain).expect("its clip");
            for bone in skeleton.bones() {
                let tip = tip_of(&player, &plain, bone);
                // Two bones that bend reach what is a little nearer to the joint where they begin.
                let Some(parent) = plain.driven().parent(skeleton, bone) else { continue };
                let root = plain.world().origin(parent);
                let pointer = tip.lerp(root, 0.06) + Vec2::new(0.3, -0.2);
                let handle = Handle::Tip { bone, point: AttachmentPoint::Tip, chain: 2 };
                let mut overrides = Overrides::new();
                let result = player.rig.drag(clip, at_time, &mut overrides, handle, pointer, &mut dragged);
                let Ok(place) = result else {
                    assert!(overrides.is_empty());
                    continue;
                };
                let now = tip_of(&player, &dragged, bone);
                assert_eq!(now, place, "what is returned is where it is");
                tried += 1;
                let near = now.distance(pointer) < 1e-6;
                reached += usize::from(near);
                // What is reported is what poses.
                let mut again = FrameState::new(&player.rig);
                player.rig.pose_with(clip, at_time, &overrides, &mut again).expect("its overrides");
                assert_eq!(again.frame(), dragged.frame());
            }
        }
    }
    println!("{reached} of {tried} tips reached");
    // The others are fixed, limited, or moved by other constraints.
    assert!(tried > 300 && reached * 10 > tried * 6, "{reached} of {tried}");
}

#[test]
fn the_feet_of_the_walk_follow_the_pointer_with_the_rest_of_the_clip() {
    let player = Player::open("examples/walk/rig.ron");
    let skeleton = player.rig.skeleton();
    let clip = player.rig.clips().first();
    let (mut plain, mut dragged) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    let names: Vec<&str> = skeleton.bones().map(|bone| skeleton.name(bone)).collect();
    let lower: Vec<BoneId> = skeleton
        .bones()
        .filter(|bone| ["shin", "fore"].iter().any(|part| skeleton.name(*bone).contains(part)))
        .collect();
    assert!(lower.len() >= 2, "{names:?}");
    for frame in 0..clip.expect("a clip").frame_count(player.rig.fps()) {
        player.pose(clip, frame, &mut plain);
        for &bone in &lower {
            let parent = skeleton.parent(bone).expect("a limb");
            let (root, tip) = (plain.world().origin(parent), tip_of(&player, &plain, bone));
            let pointer = tip.lerp(root, 0.1);
            let handle = Handle::Tip { bone, point: AttachmentPoint::Tip, chain: 2 };
            let mut overrides = Overrides::new();
            let at_time = time(&player, frame);
            player.rig.drag(clip, at_time, &mut overrides, handle, pointer, &mut dragged).expect("a limb");
            let off = tip_of(&player, &dragged, bone).distance(pointer);
            assert!(off < 1e-6, "frame {frame}, {}: {off:e}", skeleton.name(bone));
            // Bones that are neither of the limb nor below it have not moved.
            for other in skeleton.bones() {
                let above = std::iter::successors(Some(other), |bone| skeleton.parent(*bone));
                if !above.into_iter().any(|bone| bone == parent) {
                    assert_eq!(
                        plain.world().matrix(other),
                        dragged.world().matrix(other),
                        "{}",
                        skeleton.name(other)
                    );
                }
            }
        }
    }
}

#[test]
fn a_dragged_bone_follows_its_grip() {
    let player = Player::open("examples/walk/rig.ron");
    let clip = player.rig.clips().first();
    let mut state = FrameState::new(&player.rig);
    for bone in player.rig.skeleton().bones() {
        for (x, y) in [(20.0, 3.0), (-7.0, 31.0), (0.4, -0.6)] {
            player.rig.pose(clip, 0.3, &mut state).expect("its clip");
            for (handle, at) in held(&player, &state, bone) {
                let mut overrides = Overrides::new();
                let pointer = at + Vec2::new(x, y);
                let Handle::Bone { motion, grip, .. } = handle else { continue };
                let place =
                    player.rig.drag(clip, 0.3, &mut overrides, handle, pointer, &mut state).expect("a bone");
                assert_eq!(place, state.world().matrix(bone) * grip);
                if !state.statuses().iter().all(|status| *status == ConstraintStatus::Off) {
                    continue;
                }
                let origin = state.world().origin(bone);
                let off = match motion {
                    BoneMotion::Rotate => {
                        (place - origin).cross(pointer - origin) / (pointer - origin).hypot()
                    }
                    BoneMotion::Translate | BoneMotion::Scale => place.distance(pointer),
                };
                assert!(off.abs() < 1e-9, "{bone:?} {motion:?}: {off:e}");
            }
        }
    }
}

/// The angle of bones that turn together is that of a search over all angles; whole turns are kept.
#[test]
fn bones_turn_together_by_one_angle() {
    let player = Player::open("examples/walk/rig.ron");
    let (rig, skeleton) = (&player.rig, player.rig.skeleton());
    let clip = rig.clips().first();
    let mut state = FrameState::new(rig);
    let bones: Vec<BoneId> =
        ["hair_1", "hair_2", "hair_3"].map(|name| skeleton.find(name).expect("a bone")).to_vec();
    let held = bones[2];
    rig.pose(clip, 0.3, &mut state).expect("its clip");
    let before: Vec<Angle> = bones.iter().map(|bone| state.pose().bones[bone.index()].angle).collect();
    let tip = state.world().tip(skeleton, state.driven(), held);
    let grip = rig.grip(&state, held, tip).expect("a grip");
    for pointer in [tip + Vec2::new(30.0, -20.0), tip + Vec2::new(-25.0, 4.0), tip + Vec2::new(3.0, 28.0)] {
        // The steps between which the grip passes the direction of the pointer, by brute force: the nearest one.
        let mut side = |degrees: f64| {
            let mut overrides = Overrides::new();
            let angle = Angle::from_degrees(degrees);
            let by = BoneOverride::Add(BonePose { angle, ..BonePose::REST });
            bones.iter().for_each(|bone| overrides.bones.set(*bone, by));
            rig.pose_with(clip, 0.3, &overrides, &mut state).expect("its bones");
            let origin = state.world().origin(held);
            let (arm, wanted) = (state.world().matrix(held) * grip - origin, pointer - origin);
            (arm.cross(wanted) > 0.0, arm.dot(wanted) > 0.0)
        };
        let mut passes = |from: f64, to: f64| {
            let (a, b) = (side(from), side(to));
            a.0 != b.0 && a.1 && b.1
        };
        let steps = (0..240).flat_map(|step| [f64::from(step) * 0.5, f64::from(-1 - step) * 0.5]);
        let least = steps.into_iter().find(|step| passes(*step, step + 0.5)).expect("an angle");
        for from in [0.0, 720.0] {
            let mut overrides = Overrides::new();
            let turn = Turn { bones: &bones, held, grip, from: Angle::from_degrees(from) };
            let by = rig.turn(clip, 0.3, &mut overrides, turn, pointer, &mut state).expect("bones");
            assert!((0.0..=0.5).contains(&(by.degrees() - from - least)), "{by:?} {from} {least}");
            assert!(rig.missed(&state, held, grip, pointer).is_some_and(|missed| missed.abs() < 1e-6));
            for (bone, before) in bones.iter().zip(&before) {
                let now = state.pose().bones[bone.index()].angle;
                assert!((now - *before - by).degrees().abs() < 1e-9);
            }
        }
    }
}

/// Increments keep the motion of the clip: a head that was turned by hand still nods.
#[test]
fn increments_stay_on_top_of_the_clip_while_it_plays() {
    let player = Player::open("examples/walk/rig.ron");
    let clip = player.rig.clips().first();
    let (mut plain, mut state) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    let bone = player.rig.skeleton().bones().last().expect("bones");
    let mut overrides = Overrides::new();
    overrides.bones.set(bone, BoneOverride::Add(BonePose::REST));
    player.pose(clip, 3, &mut plain);
    let (handle, at) = held(&player, &plain, bone)[0];
    player
        .rig
        .drag(clip, time(&player, 3), &mut overrides, handle, at + Vec2::new(9.0, 4.0), &mut state)
        .expect("a bone");
    let Some(BoneOverride::Add(by)) = overrides.bones.get(bone) else { panic!("still an increment") };
    assert!(by.angle != Angle::ZERO);
    for frame in [0, 6, 12, 18] {
        player.pose(clip, frame, &mut plain);
        player.rig.pose_with(clip, time(&player, frame), &overrides, &mut state).expect("its bone");
        let (a, b) = (plain.pose().bones[bone.index()].angle, state.pose().bones[bone.index()].angle);
        assert_eq!(b, a + by.angle);
    }
}

#[test]
fn a_dragged_vertex_is_at_the_pointer() {
    let (mut handles, mut flat) = (0, FlatOutlines::default());
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let skin = player.rig.skin();
        let mut state = FrameState::new(&player.rig);
        let bone = player.rig.skeleton().bones().next().expect("bones");
        for clip in player.rig.clips().iter().take(2) {
            let at_time = clip.time().length * 0.41;
            for path in skin.paths().take(6) {
                for vertex in [0, 1, skin.vertex_count(path) / 2, skin.vertex_count(path) - 1] {
                    for space in [OffsetSpace::Canvas, OffsetSpace::Bone(bone), OffsetSpace::Vertex] {
                        let part = VertexPoint::Anchor;
                        if !skin.has(path, vertex, part) {
                            continue;
                        }
                        player.rig.pose(Some(clip), at_time, &mut state).expect("its clip");
                        let place = skin.posed_part((state.matrices(), state.posed()), path, vertex, part);
                        let pointer = place.expect("a vertex") + Vec2::new(7.0, -3.0);
                        let handle = Handle::Vertex { path, vertex, part, space };
                        let mut overrides = Overrides::new();
                        // A bone scaled to nothing moves nothing.
                        let Ok(_) =
                            player.rig.drag(Some(clip), at_time, &mut overrides, handle, pointer, &mut state)
                        else {
                            continue;
                        };
                        handles += 1;
                        // The outline itself goes through the pointer: an end of one of its curves is there.
                        flat.fill(state.posed().paths());
                        let outline = flat.outlines()[path.index()];
                        let numbers = &flat.coordinates()[outline.coordinate..][..outline.coordinates];
                        let near = numbers.chunks(2).map(|p| pointer.distance(Point::new(p[0], p[1])));
                        let off = near.fold(f64::INFINITY, f64::min);
                        assert!(off < 1e-6, "{}: {handle:?}: {off:e}", shown(&rig));
                        // Back to where it was, nothing is left of it.
                        let back = pointer - Vec2::new(7.0, -3.0);
                        player
                            .rig
                            .drag(Some(clip), at_time, &mut overrides, handle, back, &mut state)
                            .expect("again");
                        let (_, offset) = overrides.offsets.iter().next().expect("an offset");
                        assert!(offset.by.hypot() < 1e-9, "{:?}", offset.by);
                    }
                }
            }
        }
    }
    assert!(handles > 200, "{handles}");
}

/// A handle of the outline that moves with the clip stays where the pointer has put it, in its own axes.
#[test]
fn offsets_in_the_axes_of_the_vertex_turn_with_it() {
    let player = Player::open("examples/arm/rig.ron");
    let (skin, clip) = (player.rig.skin(), player.rig.clips().first());
    let path = skin.paths().next().expect("a path");
    let target = (path, 3, VertexPoint::Anchor);
    let (mut plain, mut state) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    let mut overrides = Overrides::new();
    let by = Vec2::new(4.0, 9.0);
    overrides.offsets.set(target, VertexOffset { space: OffsetSpace::Vertex, by });
    let fore = player.rig.skeleton().find("fore").expect("a bone");
    for frame in [0, 8, 20, 31] {
        player.pose(clip, frame, &mut plain);
        player.rig.pose_with(clip, time(&player, frame), &overrides, &mut state).expect("a vertex");
        let at = |state: &FrameState| {
            skin.posed_part((state.matrices(), state.posed()), path, 3, VertexPoint::Anchor)
        };
        let moved = at(&state).expect("a vertex") - at(&plain).expect("a vertex");
        // Vertex 3 follows "fore" alone.
        let [a, b, c, d, ..] = state.matrices().of(fore).as_coeffs();
        let expected = Vec2::new(a * by.x + c * by.y, b * by.x + d * by.y);
        assert!((moved - expected).hypot() < 1e-12, "{moved:?} {expected:?}");
    }
}

#[test]
fn art_and_constraints_are_overridden() {
    const SET: [(ArtProperty, f64); 3] =
        [(ArtProperty::Visible, 0.0), (ArtProperty::Opacity, 0.25), (ArtProperty::Order, 3.0)];
    let player = Player::open("tests/rigs/art.ron");
    let mut state = FrameState::new(&player.rig);
    let clip = player.rig.clips().first();
    let mut overrides = Overrides::new();
    for &element in &player.rig.draw_order().elements {
        for (property, value) in SET {
            overrides.art.set((element, property), value);
        }
    }
    player.rig.pose_with(clip, 0.2, &overrides, &mut state).expect("its art");
    let order = player.rig.draw_order();
    for (&element, (property, value)) in
        order.elements.iter().flat_map(|it| SET.iter().map(move |set| (it, set)))
    {
        assert_eq!(state.art().get(order, *property, element), Some((*value).into()), "{property:?}");
    }

    let player = Player::open("examples/reach/rig.ron");
    let mut state = FrameState::new(&player.rig);
    let clip = player.rig.clips().first();
    for (k, (own, _)) in player.rig.constraints().enumerate() {
        if let Some(name) = &own.name {
            assert_eq!(player.rig.find_constraint(name), Some(k));
        }
        let mut overrides = Overrides::new();
        overrides.constraints.set(k, ConstraintOverride { mix: Some(0.0), ..ConstraintOverride::default() });
        player.rig.pose_with(clip, 0.2, &overrides, &mut state).expect("its constraint");
        assert_eq!(state.statuses()[k], ConstraintStatus::Off);
    }
    assert_eq!(player.rig.find_constraint("nothing"), None);
}

#[test]
fn flat_outlines_are_the_posed_paths() {
    let player = Player::open("examples/walk/rig.ron");
    let mut state = FrameState::new(&player.rig);
    player.pose(player.rig.clips().first(), 7, &mut state);
    let mut flat = FlatOutlines::default();
    flat.fill(state.posed().paths());
    assert_eq!(flat.outlines().len(), state.posed().paths().len());
    let numbers: Vec<f64> = points(state.posed().paths()).into_iter().flat_map(|p| [p.x, p.y]).collect();
    assert_eq!(flat.coordinates(), numbers);
    let last = flat.outlines().last().expect("paths");
    assert_eq!(last.verb + last.verbs, flat.verbs().len());
    assert_eq!(last.coordinate + last.coordinates, flat.coordinates().len());
}

/// Squash and stretch: the area of a limb on a bone that keeps its volume, and the width of one that does not.
#[test]
fn a_bone_keeps_the_area_of_its_art() {
    let posed = |volume: f64, stretch: f64| {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 200 60' width='200' height='60'>\
                   <path id='limb' d='M20 20C60 14 90 14 120 20V40C90 46 60 46 20 40Z'/></svg>";
        let rig = format!(
            "Rig(version: 1, drawing: \"it.svg\", bones: {{\"bone\": (from: (20, 30), to: (120, 30), volume: {volume})}},
             skin: [Smooth(art: \"limb\")], clips: {{\"it\": (length: 1, bones: {{\"bone\": (stretch: [(0, {stretch})])}})}})"
        );
        let files = bone_format::InMemory::new().with("it.svg", svg).with("it.ron", rig);
        let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &bone_format::no_fonts);
        let rig = loaded.rig.expect("a rig");
        let mut state = FrameState::new(&rig);
        rig.pose(rig.clip("it"), 0.0, &mut state).expect("its clip");
        let path = &state.posed().paths()[0];
        (path.area().abs(), path.bounding_box())
    };
    let (rest, bounds) = posed(1.0, 1.0);
    for stretch in [0.6, 0.8, 1.0, 1.3, 1.6] {
        let (area, kept) = posed(1.0, stretch);
        assert!((area / rest - 1.0).abs() < 1e-3, "{stretch}: {area}");
        assert!((kept.height() * stretch / bounds.height() - 1.0).abs() < 1e-3, "{kept}");
        let (area, kept) = posed(0.0, stretch);
        assert!((area / rest / stretch - 1.0).abs() < 1e-3 && (kept.height() - bounds.height()).abs() < 1e-9);
    }
    // Beyond a 16th of its length nothing gets wider.
    assert_eq!(posed(2.0, 1e-6).1.height(), posed(2.0, 0.01).1.height());
}
