//! Puppets in rigs: exact where the answer is known, the same alone and in order, packed, and beside each other.

use std::path::Path;
use std::sync::Arc;

use bone_format::{InMemory, no_fonts};
use bone_rig::{FrameState, Rig};
use kurbo::{Affine, BezPath, Point, Shape};

const BARS: &str = "<path id='a' d='M0 0H200V40H0Z'/><path id='b' d='M0 60H200V100H0Z'/><circle id='dot' cx='100' cy='20' r='5'/>";
const PINS: &str = "\"all\": (kind: Point, from: (100, 50)),
    \"l\": (parent: \"all\", kind: Point, from: (10, 20)), \"m\": (parent: \"all\", kind: Point, from: (100, 20)),
    \"r\": (parent: \"all\", kind: Point, from: (190, 20)),
    \"lb\": (kind: Point, from: (10, 80)), \"rb\": (kind: Point, from: (190, 80), turn: Set)";
const ONE: &str = "Puppet(art: \"a\", pins: [\"l\", \"m\", \"r\"])";
const TWO: &str = "Puppet(art: \"b\", pins: [\"lb\", \"rb\"])";

fn load(skin: &str, keys: &str) -> Rig {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-50 -150 400 400' width='400' height='400'>{BARS}</svg>"
    );
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 8, tolerance: 0.05, bones: {{{PINS}}}, skin: [{skin}],\n\
         clips: {{\"it\": (length: 8, loop: false, bones: {{{keys}}})}})"
    );
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{skin} {keys}: {:?}", loaded.diagnostics))
}

fn at(rig: &Rig, time: f64, state: &mut FrameState) -> Vec<BezPath> {
    rig.pose(rig.clip("it"), time, state).expect("its clip");
    state.posed().paths().to_vec()
}

fn alone(rig: &Rig, time: f64) -> Vec<BezPath> {
    at(rig, time, &mut FrameState::new(rig))
}

const BEND: &str = "\"r\": (move: [(0, (0, 0)), (8, (-60, -84))]), \"rb\": (move: [(0, (0, 0)), (8, (-20, 90))], rotate: [(0, 0), (8, 70)])";

#[test]
fn a_bent_bar_keeps_its_area() {
    let rig = load(ONE, BEND);
    let area = alone(&rig, 8.0)[0].area().abs();
    assert!((area / 8000.0 - 1.0).abs() < 0.01, "{area}");
}

#[test]
fn frames_alone_are_those_in_order_and_of_packs() {
    let rig = load(&format!("{ONE}, {TWO}"), BEND);
    let packed = Rig::load(&rig.save()).expect("its own pack");
    assert_eq!(rig.save(), packed.save());
    let mut state = FrameState::new(&rig);
    for time in [0.0, 2.0, 8.0, 5.0, 0.0, 3.0] {
        let posed = at(&rig, time, &mut state);
        assert_eq!(posed, alone(&rig, time));
        let clip = packed.clip("it").expect("its clip");
        let mut other = FrameState::new(&packed);
        packed.pose(Some(clip), time, &mut other).expect("its clip");
        assert_eq!(posed, other.posed().paths());
    }
}

#[test]
fn puppets_do_not_change_each_other() {
    let both = alone(&load(&format!("{ONE}, {TWO}"), BEND), 8.0);
    assert_eq!(both[0], alone(&load(ONE, BEND), 8.0)[0]);
    assert_eq!(both[1], alone(&load(TWO, BEND), 8.0)[0]);
    let turned = alone(&load(&format!("{TWO}, {ONE}"), BEND), 8.0);
    assert_eq!((&both[0], &both[1]), (&turned[1], &turned[0]));
}

/// Where all pins have a parent, its map is applied to the posed puppet, also one that mirrors.
#[test]
fn a_parent_moves_scales_and_mirrors_the_whole() {
    let own = alone(&load(ONE, BEND), 8.0);
    let moved =
        format!("{BEND}, \"all\": (scale: [(0, (-1.5, 0.5))], rotate: [(0, 30)], move: [(0, (9, 4))])");
    let found = alone(&load(ONE, &moved), 8.0);
    let map = Affine::translate((109.0, 54.0))
        * bone_core::Angle::from_degrees(30.0).rotation()
        * Affine::scale_non_uniform(-1.5, 0.5)
        * Affine::translate((-100.0, -50.0));
    let ends =
        |path: &BezPath| path.elements().iter().filter_map(kurbo::PathEl::end_point).collect::<Vec<Point>>();
    let (own, found) = (ends(&own[0]), ends(&found[0]));
    assert_eq!(own.len(), found.len());
    for (own, found) in own.iter().zip(&found) {
        assert!(((map * *own) - *found).hypot() < 1e-6, "{own:?} {found:?}");
    }
}

#[test]
fn a_clip_that_moves_no_pin_moves_nothing() {
    let rig = load(&format!("{ONE}, {TWO}"), "");
    let rest = alone(&rig, 0.0);
    let ends = rest[0].elements().iter().filter_map(kurbo::PathEl::end_point);
    assert!(ends.into_iter().all(|at| at.y.abs() < 1e-12
        || (at.y - 40.0).abs() < 1e-12
        || at.x.abs() < 1e-12
        || (at.x - 200.0).abs() < 1e-12));
    assert_eq!(rest, alone(&rig, 5.0));
}

/// A button that lies on the bar and is not joined with it is carried: its area stays.
#[test]
fn a_group_of_art_is_one_mesh() {
    let rig = load("Puppet(art: [\"a\", \"dot\"], pins: [\"l\", \"m\", \"r\"])", BEND);
    let posed = alone(&rig, 8.0);
    let area = posed[1].area().abs();
    assert!((area / (25.0 * std::f64::consts::PI) - 1.0).abs() < 0.1, "{area}");
}
