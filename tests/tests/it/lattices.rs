//! Lattices in rigs: against the map of their nodes, under bones and puppets, alone and in order, packed, kept by a
//! compiler, and in files.

use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use bone_format::{InMemory, no_fonts};
use bone_rig::{FrameState, Overrides, Rig};
use kurbo::{Affine, BezPath, ParamCurve, ParamCurveNearest, PathSeg, Point, Vec2};

const ART: &str = "<g id='head'><path id='face' d='M20 20H180V180H20Z'/><g id='mouth'>\
    <path id='lip' d='M70 120C90 110 110 110 130 120C110 140 90 140 70 120Z' fill='red'/></g></g>\
    <path id='dot' d='M250 20H290V60H250Z'/>";
const WARPS: &str = "\"head\": (art: \"head\", box: [(0, 0), (200, 200)], cells: (2, 2)),
    \"mouth\": (art: \"mouth\", box: [(60, 100), (140, 140)], cells: 1, inside: \"head\")";
const FORMS: &str = "(by: [\"yaw\"], at: {
        -30: (warps: {\"head\": {(1, 1): (-30, 0)}}),
        30: (warps: {\"head\": {(1, 1): (30, 0), (3, 1): (4, 4)}}),
    }),
    (by: [\"smile\"], at: {1: (warps: {\"mouth\": {(0, 0): (-8, -9), (1, 0): (8, -9)}}, offsets: {\"lip\": {0: (0, -6)}})})";
const KEYS: &str = "sliders: {\"yaw\": [(0, 0), (8, 30)], \"smile\": [(0, 0), (8, 1)]}";

fn load_with(skin: &str, forms: &str, keys: &str) -> Rig {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-100 -100 500 500' width='500' height='500'>{ART}</svg>"
    );
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 8, tolerance: 0.05,
         bones: {{\"neck\": (kind: Point, from: (100, 200)), \"pin\": (kind: Point, from: (100, 100))}},
         sliders: {{\"yaw\": (range: (-30, 30)), \"smile\": ()}}, skin: [{skin}],
         warps: {{{WARPS}}}, forms: [{forms}],
         clips: {{\"it\": (length: 8, loop: false, {keys})}})"
    );
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{skin} {keys}: {:?}", loaded.diagnostics))
}

const RIGID: &str = "Rigid(art: \"head\", bone: \"neck\"), Rigid(art: \"dot\", bone: \"neck\")";

fn load(skin: &str, keys: &str) -> Rig {
    load_with(skin, FORMS, keys)
}

fn at(rig: &Rig, time: f64, state: &mut FrameState) -> Vec<BezPath> {
    rig.pose(rig.clip("it"), time, state).expect("its clip");
    state.posed().paths().to_vec()
}

fn alone(rig: &Rig, time: f64) -> Vec<BezPath> {
    at(rig, time, &mut FrameState::new(rig))
}

fn path(rig: &Rig, paths: &[BezPath], name: &str) -> BezPath {
    let element = rig.art().find(name).expect("it is drawn");
    let place = rig.posed_elements().iter().position(|posed| *posed == element).expect("it is posed");
    paths[place].clone()
}

/// The cubic B-spline about 0, by its two pieces.
fn spline(u: f64) -> f64 {
    let u = u.abs();
    if u < 1.0 {
        2.0 / 3.0 - u * u + u * u * u / 2.0
    } else if u < 2.0 {
        (2.0 - u) * (2.0 - u) * (2.0 - u) / 6.0
    } else {
        0.0
    }
}

/// Where the form at 30 brings a place of the head, of which two nodes are typed. A node of the ring that is not typed
/// is twice its neighbour less the one behind that: the first is still, and the second the typed one.
fn turned(at: Point) -> Point {
    let (u, v) = (at.x / 100.0, at.y / 100.0);
    let row = spline(v - 1.0) - spline(v + 1.0) - spline(v - 3.0);
    let inner = Vec2::new(30.0, 0.0) * (spline(u - 1.0) - spline(u + 1.0));
    at + (inner + Vec2::new(4.0, 4.0) * spline(u - 3.0)) * row
}

fn worst(outline: &BezPath, rest: &BezPath, exact: impl Fn(Point) -> Point) -> f64 {
    let segments: Vec<PathSeg> = outline.segments().collect();
    let places = rest.segments().flat_map(|segment| (0..=40).map(move |k| segment.eval(f64::from(k) / 40.0)));
    let off = |place: Point| {
        let all = segments.iter().map(|segment| segment.nearest(exact(place), 1e-6).distance_sq);
        all.fold(f64::INFINITY, f64::min).sqrt()
    };
    places.map(off).fold(0.0, f64::max)
}

fn face() -> BezPath {
    BezPath::from_svg("M20 20H180V180H20Z").expect("a path")
}

#[test]
fn a_form_is_the_spline_of_its_nodes_and_rides_on_bones() {
    let keys = format!("{KEYS}, bones: {{\"neck\": (rotate: [(0, 0), (8, 40)])}}");
    let rig = load(RIGID, &keys);
    let paths = alone(&rig, 8.0);
    let about = Affine::translate((100.0, 200.0));
    let bone = about * Angle::from_degrees(40.0).rotation() * about.inverse();
    let off = worst(&path(&rig, &paths, "face"), &face(), |at| bone * turned(at));
    assert!(off <= 0.05, "{off}");
}

/// Lattice, the lattice around it, bones, free offsets.
#[test]
fn the_order_is_lattices_bones_offsets() {
    let keys = format!(
        "{KEYS}, bones: {{\"neck\": (rotate: [(0, 0), (8, 40)])}}, offsets: {{\"lip\": {{1: [(0, (0, 0)), (8, (5, 7))]}}}}"
    );
    let rig = load(RIGID, &keys);
    let lip = path(&rig, &alone(&rig, 8.0), "lip");
    let about = Affine::translate((100.0, 200.0));
    let turn = Angle::from_degrees(40.0).rotation();
    let bone = about * turn * about.inverse();
    // The box of the mouth has one cell, whose upper nodes are moved: a linear map.
    let mouth = |at: Point| {
        let up = (140.0 - at.y) / 40.0;
        at + Vec2::new(8.0 * (at.x - 100.0) / 40.0, -9.0) * up
    };
    let (first, second) = (Point::new(70.0, 120.0), Point::new(130.0, 120.0));
    let expected = [
        // Offsets of forms turn with the bones.
        bone * turned(mouth(first)) + (turn * Point::new(0.0, -6.0)).to_vec2(),
        // Those of clips do not.
        bone * turned(mouth(second)) + Vec2::new(5.0, 7.0),
    ];
    for expected in expected {
        let off =
            lip.segments().map(|segment| (segment.start() - expected).hypot()).fold(f64::INFINITY, f64::min);
        assert!(off < 1e-9, "{expected:?}: {off} {lip:?}");
    }
}

/// A puppet of one pin carries the art as it is.
#[test]
fn a_puppet_carries_what_its_lattice_bends() {
    let keys = format!("{KEYS}, bones: {{\"pin\": (move: [(0, (0, 0)), (8, (40, -25))])}}");
    let rig = load("Puppet(art: \"head\", pins: [\"pin\"])", &keys);
    let off =
        worst(&path(&rig, &alone(&rig, 8.0), "face"), &face(), |at| turned(at) + Vec2::new(40.0, -25.0));
    assert!(off <= 0.05, "{off}");
}

#[test]
fn frames_alone_are_those_in_order_and_of_packs() {
    let smooth = "Smooth(art: \"head\", bones: [\"neck\", \"pin\"], method: InverseDistance(2))";
    for skin in [RIGID, smooth, "Puppet(art: \"head\", pins: [\"pin\"])", ""] {
        let keys = format!("{KEYS}, bones: {{\"pin\": (move: [(0, (0, 0)), (8, (30, 9))])}}");
        let rig = load(skin, &keys);
        let packed = Rig::load(&rig.save()).expect("its own pack");
        assert_eq!(rig.save(), packed.save());
        let (mut state, mut other) = (FrameState::new(&rig), FrameState::new(&packed));
        for time in [0.0, 2.0, 8.0, 5.0, 0.0, 3.0] {
            let posed = at(&rig, time, &mut state);
            assert_eq!(posed, alone(&rig, time));
            assert_eq!(posed, at(&packed, time, &mut other));
        }
    }
}

#[test]
fn a_lattice_without_moves_changes_no_byte() {
    let plain = load_with(RIGID, "", KEYS);
    let still = load_with(RIGID, "(by: [\"yaw\"], at: {30: (warps: {\"head\": {(1, 1): (0, 0)}})})", KEYS);
    let moved = load(RIGID, KEYS);
    let svg = |rig: &Rig, time: f64| {
        let mut state = FrameState::new(rig);
        rig.pose(rig.clip("it"), time, &mut state).expect("its clip");
        rig.write_svg(&mut state);
        state.svg().to_owned()
    };
    assert_eq!(svg(&plain, 5.0), svg(&still, 5.0));
    assert_eq!(svg(&plain, 0.0), svg(&moved, 0.0));
    assert_ne!(svg(&plain, 5.0), svg(&moved, 5.0));
}

#[test]
fn hits_are_on_the_bent_art() {
    let rig = load(RIGID, KEYS);
    let mut state = FrameState::new(&rig);
    let mut overrides = Overrides::new();
    overrides.sliders.set(0, 30.0);
    rig.pose_with(None, 0.0, &overrides, &mut state).expect("posed");
    let (lip, face) = (rig.art().find("lip").expect("drawn"), rig.art().find("face").expect("drawn"));
    let hit = |at: Point| rig.hit_test(&state, at, 0.0).and_then(|hit| hit.element);
    let inside = Point::new(74.0, 120.5);
    assert_eq!(hit(turned(inside)), Some(lip));
    assert_eq!(hit(inside), Some(face));
}

/// Forms between their places: a parabola through -30, 0 and 30.
#[test]
fn forms_are_joined_by_parabolas() {
    let rig = load(RIGID, "sliders: {\"yaw\": [(0, 0), (8, 15)]}");
    // At 15 the form at 30 has a weight of 0.375, and that at -30 one of -0.125. The node of the ring is typed in the
    // first one, and (30, 0) in the other, as it continues the nodes before it.
    let by = |at: Point| {
        let (u, v) = (at.x / 100.0, at.y / 100.0);
        let row = spline(v - 1.0) - spline(v + 1.0) - spline(v - 3.0);
        let inner = Vec2::new(15.0, 0.0) * (spline(u - 1.0) - spline(u + 1.0));
        let ring = Vec2::new(0.375 * 4.0 - 0.125 * 30.0, 0.375 * 4.0) * spline(u - 3.0);
        at + (inner + ring) * row
    };
    let off = worst(&path(&rig, &alone(&rig, 8.0), "face"), &face(), by);
    assert!(off <= 0.05, "{off}");
}

mod kept {
    use super::*;
    use bone_format::{Compiler, Diagnostics, load};

    /// A form that is changed binds the paths on its lattice, and no others.
    #[test]
    fn a_changed_form_binds_its_paths_alone() {
        let text = |x: f64| {
            format!(
                "Rig(version: 1, drawing: \"it.svg\", bones: {{\"neck\": (from: (100, 200), to: (100, 100)), \"top\": (parent: \"neck\", to: (100, 20))}},
                 sliders: {{\"yaw\": (range: (-30, 30))}},
                 skin: [Smooth(art: \"face\"), Smooth(art: \"dot\")],
                 warps: {{\"head\": (art: \"face\", box: [(0, 0), (200, 200)])}},
                 forms: [(by: [\"yaw\"], at: {{30: (warps: {{\"head\": {{(1, 1): ({x}, 0)}}}})}})])"
            )
        };
        let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 400'>{ART}</svg>");
        let loaded = |x: f64| {
            let files = InMemory::new().with("it.svg", svg.clone()).with("it.ron", text(x));
            load(Path::new("it.ron"), Arc::new(files), &no_fonts)
        };
        let (first, second) = (loaded(9.0), loaded(12.0));
        let art = Arc::new(first.rig.as_ref().expect("a rig").art().clone());
        let mut compiler = Compiler::new();
        let mut compile = |loaded: &bone_format::Loaded| {
            let doc = loaded.doc.as_ref().expect("a document");
            let mut found = Diagnostics::new();
            let rig =
                compiler.compile(doc, &art, loaded.drawing.expect("a drawing"), &mut found).expect("a rig");
            (rig.save(), compiler.recompiled().paths)
        };
        assert_eq!(compile(&first).1, 2);
        let (bytes, paths) = compile(&second);
        assert_eq!(paths, 1);
        assert_eq!(bytes, second.rig.as_ref().expect("a rig").save());
    }
}
