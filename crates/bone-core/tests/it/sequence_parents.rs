//! Parents in sequences: a bone keeps its transform as in its clip, and a blend of two parents is an error.

use std::sync::Arc;

use bone_core::clip::{
    Clip, ClipBuilder, Fades, KeepTransform, Key, Layer, LayerBlend, ParentKey, SAME_TIME, Scalar,
    SequenceBuilder, SequenceError, SequencePart,
};
use bone_core::{Skeleton, WorldPose};

use crate::sequencing::{ARM, HAND, at, busy, curve, faded, id, skeleton};

fn grabs(skeleton: &Skeleton, keys: Vec<(f64, Option<usize>)>, looped: bool) -> Arc<Clip> {
    let cup = skeleton.find("cup").expect("it was added");
    let keys = keys.into_iter().map(|(time, parent)| ParentKey {
        time,
        parent: parent.map(id),
        keep: KeepTransform::World,
    });
    let turn = vec![Key::new(0.0, 0.0), Key::new(2.0, 120.0)];
    let clip = ClipBuilder::new(2.0)
        .looped(looped)
        .scalar(id(ARM), Scalar::Rotate, curve(turn))
        .parent(cup, keys.collect())
        .build(skeleton);
    Arc::new(clip.expect("a sound clip"))
}

#[test]
fn a_bone_keeps_its_place_in_a_sequence_as_in_its_clip() {
    let skeleton = skeleton();
    let (cup, hand) = (skeleton.find("cup").expect("it"), id(HAND));
    let grab = grabs(&skeleton, vec![(1.0, Some(hand.index()))], false);
    let wave = busy(&skeleton, 1.0, false, 1.0);
    // The fade is over before the parent of the cup changes.
    let sequence = SequenceBuilder::new()
        .part(SequencePart::whole(wave))
        .part(faded(grab, 0.5))
        .build(&skeleton)
        .expect("a sequence");
    let mut world = WorldPose::new(&skeleton);
    let mut place = |time: f64| {
        let pose = at(&skeleton, &sequence, time);
        world.forward(&skeleton, &pose).expect("no loop");
        (world.matrix(cup).as_coeffs(), pose.parent(&skeleton, cup))
    };
    let ((before, one), (after, other)) = (place(1.5 - 1.01 * SAME_TIME), place(1.5));
    assert!(one != other && other == Some(hand));
    // The hand moves less than that meanwhile.
    assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 0.01), "{before:?} {after:?}");
}

#[test]
fn blends_of_two_parents_are_errors() {
    let skeleton = skeleton();
    let late = grabs(&skeleton, vec![(1.9, Some(HAND))], false);
    let early = grabs(&skeleton, vec![(0.0, Some(HAND))], false);
    let plain = busy(&skeleton, 1.0, false, 1.0);
    let sequence = |first: &Arc<Clip>, second: &Arc<Clip>, fade: f64| {
        let sequence =
            SequenceBuilder::new().part(SequencePart::whole(first.clone())).part(faded(second.clone(), fade));
        sequence.build(&skeleton).map(drop)
    };
    let two_parents = Err(SequenceError::Parents { clip: 1, bone: "cup".to_owned() });
    assert_eq!(sequence(&plain, &early, 0.2), two_parents, "another parent at once");
    assert_eq!(sequence(&late, &plain, 0.2), two_parents, "the parent changes within the fade");
    assert_eq!(sequence(&late, &plain, 0.05), two_parents, "another parent at the end");
    assert_eq!(sequence(&plain, &late, 0.2), Ok(()), "it is at rest in both while they fade");
    assert_eq!(sequence(&plain, &early, 0.0), Ok(()), "a cut mixes nothing");
    // The same hand, held with the same rebase throughout.
    let held = grabs(&skeleton, vec![(-5.0, Some(HAND))], true);
    assert_eq!(sequence(&held, &held, 0.5), Ok(()));
    let layered = |layer: Layer| {
        let sequence = SequenceBuilder::new().part(SequencePart::whole(plain.clone())).layer(layer);
        sequence.build(&skeleton).map(drop)
    };
    let whole = Layer::new(SequencePart::whole(early.clone()), 0.0);
    assert_eq!(layered(whole.clone()), Ok(()));
    assert_eq!(layered(Layer { blend: LayerBlend::Add, ..whole.clone() }), two_parents);
    assert_eq!(layered(Layer { fades: Fades { start: 0.1, end: 0.0 }, ..whole.clone() }), two_parents);
    assert_eq!(layered(Layer { weight: curve(vec![Key::new(0.0, 0.5)]), ..whole.clone() }), two_parents);
    assert_eq!(layered(Layer { bones: Some(vec![id(ARM)]), blend: LayerBlend::Add, ..whole }), Ok(()));
}
