//! Input that a program can hand over by mistake: options of any value, states, clips, documents and bones of
//! another rig, and drawings without sense. Each is drawn, left out or an error, and none panics.

use std::sync::Arc;

use bone_core::BoneId;
use bone_core::clip::{BoneProperty, Scalar, Vector};
use bone_drawing::{DrawingBuilder, Shape, Skipped};
use bone_format::session::Session;
use bone_format::{InMemory, no_fonts};
use bone_looks::inspect::{Inspection, PosedMoment};
use bone_looks::onion::{Ghost, Onion};
use bone_looks::overlay::{Layers, Overlay};
use bone_looks::plot::{Plot, PlotSelection};
use bone_looks::shapes::{IsolatedShape, Shapes};
use bone_looks::sheet::{Sheet, SheetFrame, SheetOptions};
use bone_render::{Background, FrameSize, Pixmap, Raster, RasterError, Resources, Viewport};
use bone_rig::FrameState;
use kurbo::{Affine, BezPath, Rect, Size};
use proptest::prelude::*;

#[path = "../../drawing/tests/any_drawing/mod.rs"]
mod any_drawing;
#[path = "../../drawing/tests/any_drawing/nested.rs"]
mod nested;

use any_drawing::{Ids, build, number, outline, point, rect, steps};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 90 40'>\
    <path id='arm' d='M0 10C30 5 60 15 90 10V20H0Z' fill='teal'/><g id='face'><path id='dot' d='M3 30h4v4z'/></g>\
    <clipPath id='cut'><path d='M0 0H9V9Z'/></clipPath><path id='line' d='M0 0L9 9' stroke='red' clip-path='url(#cut)'/></svg>";

const BIG: &str = r#"Rig(version: 1, drawing: "a.svg",
    bones: {"a": (from: (0, 15), to: (30, 15)), "b": (parent: "a", length: 30, limits: (0, 90)), "c": (parent: "b", length: 30)},
    skin: [Smooth(art: "arm"), Rigid(art: "dot", bone: "c")],
    drivers: [(bone: "a", value: Rotate, bones: {"b": (rotate: [(0, 0), (90, 20)])})],
    constraints: [Aim(name: "look", bone: "c", target: (90, 10)), Ik(tip: "b", target: (50, 20), chain: 2)],
    springs: [(chain: "c", stiffness: 2)],
    clips: {"bend": (length: 1, loop: true, step: 2, bones: {"a": (rotate: [(0, 0), (0.5, 9), (1, 0)], move: [(0, (0, 1))])},
        art: {"dot": (opacity: [(0, 1)])}), "still": (length: 3)},
    shots: {"both": (play: ["bend", "still"])})"#;

const SMALL: &str = r#"Rig(version: 1, drawing: "a.svg", bones: {"a": (from: (0, 15), to: (30, 15))},
    skin: [Rigid(art: "arm", bone: "a")], clips: {"bend": (length: 0.01, bones: {"a": (rotate: [(0, 0), (0.01, 9)])})})"#;

const BARE: &str = r#"Rig(version: 1, drawing: "a.svg")"#;

fn session(text: &str) -> Session {
    let files = InMemory::new().with("a.ron", text).with("a.svg", SVG);
    let session = Session::open("a.ron", Arc::new(files), no_fonts);
    assert!(session.rig().is_some(), "{:?}", session.diagnostics());
    session
}

fn size() -> impl Strategy<Value = FrameSize> {
    let side = || prop::sample::select(vec![1, 2, 60, 300, 16_384, 32_767]);
    (side(), side()).prop_map(|(w, h)| FrameSize::new(w, h).unwrap_or(FrameSize::new(1, 1).expect("a size")))
}

fn layers(of: &str) -> Layers {
    let (vertices_of, weights) = ((!of.is_empty()).then(|| of.to_owned()), Some("c".to_owned()));
    let (bones, names, vertices, regions) = (true, true, true, true);
    Layers {
        bones,
        names,
        vertices,
        vertices_of,
        regions,
        weights,
        mesh: true,
        paths: true,
        art: true,
        grid: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn overlays_of_any_rig_and_view(n in prop::array::uniform6(number()), size in size(), text in "\\PC{0,20}") {
        let sessions = [BIG, SMALL, BARE].map(session);
        let mut views = [Affine::new(n), Affine::scale(n[0]), Affine::IDENTITY].map(|view| Viewport::new(size, view));
        views[1].cut = Some(rect(n));
        for (own, other) in sessions.iter().flat_map(|own| sessions.iter().map(move |other| (own, other))) {
            let (rig, doc) = (own.rig().expect("a rig"), other.doc().expect("a document"));
            let mut state = FrameState::new(rig);
            let _ = Inspection::new(rig, doc);
            for clip in rig.clips().iter().map(Some).chain([None]) {
                rig.pose(clip, n[3], &mut state).expect("its own clip");
                let _ = (PosedMoment::new(rig, &state), PosedMoment::new(other.rig().expect("a rig"), &state));
            }
            for layers in [layers(""), layers("dot"), layers(&text), Layers { weights: None, ..layers("") }, Layers::default()] {
                let overlay = match Overlay::new(rig, doc, layers) {
                    Ok(overlay) => overlay,
                    Err(error) => { prop_assert!(!error.to_string().is_empty()); continue }
                };
                // Of this rig, and of another one, in a state of its own.
                for (rig, state) in [(rig, FrameState::new(rig)), (other.rig().expect("a rig"), FrameState::new(other.rig().expect("a rig")))] {
                    for view in &views {
                        let svg = overlay.svg(rig, &state, view);
                        prop_assert!(!svg.contains("NaN"), "{svg}");
                        let _ = (overlay.write_into(rig, &state, view, SVG), overlay.write_into(rig, &state, view, &text));
                    }
                }
                let _ = overlay.svg(other.rig().expect("a rig"), &state, &views[0]);
            }
        }
        let _ = text.parse::<Layers>();
    }

    #[test]
    fn sheets_of_any_numbers(
        n in prop::array::uniform6(number()), cell in size(), lettered in any::<bool>(), count in 0_usize..5,
        columns in prop::sample::select(vec![None, Some(0), Some(1), Some(3), Some(usize::MAX)]), text in "\\PC{0,90}",
    ) {
        let session = session(BIG);
        let rig = session.rig().expect("a rig");
        let options = SheetOptions { cell, columns, lettered };
        let frames = vec![SheetFrame { number: u64::MAX, time: n[0] }; count];
        let paper = Some(Background { rgba: [1, 2, 3, 200] });
        let drawings = [Size::new(n[1], n[2]), Size::new(9.0, 5.0), Size::ZERO];
        for clip in rig.clips().iter().map(Some).chain([None]) {
            for moments in [0, 1, 3, u64::MAX] {
                let all = Sheet::moments(clip, n[3], moments);
                prop_assert!(all.len() as u64 <= moments.min(1_000_000));
            }
            for drawing in drawings {
                let Ok(sheet) = Sheet::new(drawing, clip, frames.clone(), options) else { continue };
                let svg = sheet.svg(paper, |_, _, svg| svg.push_str(&text));
                prop_assert!(sheet.frames().len() == count && !svg.is_empty());
                let _ = (sheet.size(), sheet.cell(), sheet.place(usize::MAX));
                if u64::from(sheet.size().width()) * u64::from(sheet.size().height()) < 1_000_000 {
                    let raster = Raster::new(Resources::none());
                    let _ = sheet.draw::<RasterError>(&raster, paper, |_, cell| { *cell = Pixmap::new(1, 1).expect("memory"); Ok(()) });
                }
            }
        }
        let shapes = Shapes::new(rig.art());
        for name in ["", &text] {
            let _ = Sheet::of_shapes(name, &shapes, options).map(|sheet| sheet.svg(None, |at, _, svg| {
                svg.push_str(&shapes.svg(&shapes.list()[at], cell));
            }));
        }
    }

    #[test]
    fn onions_and_plots_of_any_times(n in prop::array::uniform6(number()), size in size()) {
        let sessions = [BIG, SMALL, BARE].map(session);
        for (own, other) in sessions.iter().flat_map(|own| sessions.iter().map(move |other| (own, other))) {
            let (rig, other) = (own.rig().expect("a rig"), other.rig().expect("a rig"));
            let mut state = FrameState::new(rig);
            for clip in other.clips().iter().map(Some).chain([None]) {
                for (middle, times) in [(n[0], &n[1..]), (0.5, &n[..2]), (n[1], &[]), (0.0, &[0.1, 0.1, 0.3])] {
                    if let Ok(onion) = Onion::new(rig, clip, (middle, times), &mut state) {
                        prop_assert!(onion.ghosts.iter().all(|ghost| (0.0..=1.0).contains(&ghost.opacity)));
                        let svg = onion.svg(size, Some(Background { rgba: [9; 4] }));
                        prop_assert!(!svg.contains("NaN"));
                    }
                }
                let Some(clip) = clip else { continue };
                let bones = [0, 1, 7, u32::MAX].map(BoneId::new);
                for channel in [None, Some(BoneProperty::Scalar(Scalar::Rotate)), Some(BoneProperty::Vector(Vector::Scale))] {
                    for bones in [&bones[..], &bones[2..], &[]] {
                        match Plot::new(rig, clip, PlotSelection { bones, channel }) {
                            Ok(plot) => prop_assert!(!plot.svg.contains("NaN")),
                            Err(error) => prop_assert!(!error.to_string().is_empty()),
                        }
                    }
                }
            }
            let mut state = FrameState::new(other);
            let _ = Onion::new(rig, rig.clips().first(), (0.0, &[0.5]), &mut state);
        }
        let ghost = Ghost { svg: "<".to_owned(), tint: [0; 3], opacity: n[0] as f32 };
        let onion = Onion { behind: String::new(), ghosts: vec![ghost; 2], middle: "\u{0}".to_owned(), skipped: Skipped::default() };
        let _ = onion.svg(size, None);
    }

    #[test]
    fn shapes_of_drawings_without_sense(first in steps(), second in steps(), n in prop::array::uniform6(number()), size in size()) {
        let mut ids = Ids::default();
        let all = [build(&first, &mut ids), build(&second, &mut ids)].map(|drawing| Shapes::new(&drawing));
        let mut far = all.iter().flat_map(|shapes| shapes.list().to_vec()).collect::<Vec<IsolatedShape>>();
        far.iter_mut().skip(1).step_by(2).for_each(|shape| shape.bounds = rect(n));
        for shapes in &all {
            for shape in &far {
                prop_assert!(!shapes.svg(shape, size).is_empty());
            }
            prop_assert!(shapes.left_out() == 0);
        }
        let _ = (outline(n), point(n));
    }
}

/// Many shapes, and drawings that are nested deep.
#[test]
fn shapes_of_large_drawings() {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 9.0, 9.0));
    let square = BezPath::from_svg("M1 1H5V5Z").expect("a path");
    (0..2_000).for_each(|_| _ = builder.shape("s", Shape::filled(square.clone(), [0; 3])));
    let shapes = Shapes::new(&builder.finish().expect("a drawing"));
    assert_eq!((shapes.list().len(), shapes.left_out()), (400, 1_600));
    for kind in nested::NESTED {
        let shapes = Shapes::new(&nested::deepest(kind));
        let size = FrameSize::new(9, 9).expect("a size");
        shapes.list().iter().for_each(|shape| assert!(!shapes.svg(shape, size).is_empty()));
    }
}
