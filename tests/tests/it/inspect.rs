//! `inspect` reports what the frame draws: every posed outline equals that of the posed drawing to 1e-6, and
//! all elements of a drawing are listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::files::{good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_looks::inspect::{ArtState, Binding, Inspection, PosedMoment};
use bone_rig::{FrameState, Overrides};
use bone_skin::VertexPoint;
use kurbo::{Affine, BezPath, PathEl, Point};

/// The outlines of an SVG text in pixels, by the nearest id around each, in their order: read with another
/// reader than the one that wrote them.
fn outlines(svg: &str) -> Vec<(String, BezPath)> {
    let doc = usvg::roxmltree::Document::parse(svg).expect("an SVG");
    let mut found = Vec::new();
    for path in doc.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "path"))) {
        let within = |tag| path.ancestors().any(|at| at.tag_name().name() == tag);
        if ["defs", "clipPath", "mask", "pattern"].into_iter().any(within) {
            continue;
        }
        let matrix = path.ancestors().filter_map(|at| at.attribute("transform")).fold(
            Affine::IDENTITY,
            |all, text| {
                let numbers = text.trim_start_matches("matrix(").trim_end_matches(')').split(' ');
                let numbers: Vec<f64> = numbers.map(|n| n.parse().expect("a number")).collect();
                Affine::new(numbers.try_into().expect("six numbers")) * all
            },
        );
        let id = path.ancestors().find_map(|at| at.attribute("id")).unwrap_or_default();
        let data = BezPath::from_svg(path.attribute("d").expect("data")).expect("path data");
        found.push((id.to_owned(), matrix * data));
    }
    found
}

fn points(path: &BezPath) -> Vec<Point> {
    let of = |element: &PathEl| match *element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => vec![p],
        PathEl::QuadTo(a, p) => vec![a, p],
        PathEl::CurveTo(a, b, p) => vec![a, b, p],
        PathEl::ClosePath => Vec::new(),
    };
    path.elements().iter().flat_map(of).collect()
}

#[test]
fn posed_outlines_are_those_of_the_posed_drawing() {
    let (mut compared, mut farthest) = (0, 0.0_f64);
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let scene = &player.rig;
        let (width, height) = (scene.art().size().width, scene.art().size().height);
        let mut state = FrameState::new(scene);
        let moments = player.moments();
        // A few frames of each clip, and the setup pose.
        for (clip, frame) in moments.iter().step_by(1 + moments.len() / 7) {
            // Outlines are on the canvas, wherever the camera looks.
            let overrides = Overrides { camera: scene.page_camera(), ..Overrides::new() };
            let time = *frame as f64 / scene.fps();
            scene.pose_with(*clip, time, &overrides, &mut state).expect("a clip of this rig");
            scene.write_svg(&mut state);
            let moment = PosedMoment::new(scene, &state);
            // An SVG as a tool would write it from the posed outlines.
            let [a, b, c, d, e, f] = scene.art().canvas_to_output().as_coeffs();
            let mut svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"><g transform=\"matrix({a} {b} {c} {d} {e} {f})\">"
            );
            for path in &moment.paths {
                let key =
                    path.element.and_then(|id| scene.art().element(id)).map_or("", |element| &element.key);
                // The part of a stroke is a second shape of its path.
                let mut trims = scene.posable().trims().iter();
                let is_second = !path.own && trims.any(|trim| Some(trim.path) == path.element);
                let key = if is_second { "" } else { key };
                svg.push_str(&format!("<path id=\"{key}\" d=\"{}\"/>", path.path.to_svg()));
            }
            svg.push_str("</g></svg>");
            // Art at rest is written as it is drawn, the posed outline has its pieces.
            let at_rest = state.posed().at_rest().iter();
            let resting: Vec<&str> = scene
                .posed_elements()
                .iter()
                .zip(at_rest)
                .filter(|(_, rests)| **rests)
                .filter_map(|(id, _)| Some(&*scene.art().element(*id)?.key))
                .collect();
            let (ours, theirs) = (outlines(&svg), outlines(state.svg()));
            let name = format!("{}, frame {frame}", shown(&rig));
            // Of art that bends within turned groups the posed drawing has matrices as short texts of f32.
            let most = if name.starts_with("examples/") { 2e-6 } else { 1e-5 };
            assert_eq!(ours.len(), theirs.len(), "{name}");
            for ((our_id, ours), (their_id, theirs)) in ours.iter().zip(&theirs) {
                assert_eq!(our_id, their_id, "{name}: not in the order of the drawing");
                if resting.contains(&our_id.as_str()) {
                    continue;
                }
                let (ours, theirs) = (points(ours), points(theirs));
                assert_eq!(ours.len(), theirs.len(), "{name}: {our_id}");
                for (one, other) in ours.iter().zip(&theirs) {
                    let apart = (*one - *other).hypot();
                    assert!(apart <= most, "{name}: {our_id} is {apart} away");
                    farthest = farthest.max(apart);
                }
                compared += 1;
            }
        }
    }
    println!("{compared} outlines, at most {farthest:e} apart");
    assert!(compared > 1000, "{compared}");
}

#[test]
fn vertices_are_on_the_posed_outline() {
    let mut seen = 0;
    for rig in good_rigs() {
        let player = Player::open(&rig);
        let (scene, skin) = (&player.rig, player.rig.skin());
        let mut state = FrameState::new(scene);
        let moments = player.moments();
        for (clip, frame) in moments.iter().step_by(1 + moments.len() / 5) {
            player.pose(*clip, *frame, &mut state);
            for path in skin.paths() {
                // The ends of the pieces are in the order of the vertices, and every vertex is one of them.
                let ends: Vec<Point> = state
                    .posed()
                    .path(path)
                    .expect("a bound path")
                    .elements()
                    .iter()
                    .filter_map(PathEl::end_point)
                    .collect();
                let mut from = 0;
                for vertex in 0..skin.vertex_count(path) {
                    let at =
                        skin.posed_part((state.matrices(), state.posed()), path, vertex, VertexPoint::Anchor);
                    let at = at.unwrap_or_else(|| panic!("{}: vertex {vertex} is nowhere", shown(&rig)));
                    let found = ends[from..].iter().position(|end| *end == at);
                    // What a fold hides lies at its crease.
                    let is_folded = ends.windows(2).any(|ends| ends[0] == ends[1]);
                    assert!(found.is_some() || is_folded, "{}: vertex {vertex} is off", shown(&rig));
                    from += found.unwrap_or(0);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn path_text_reads_back_to_the_bit() {
    let player = Player::open("examples/cloak/rig.ron");
    let mut state = FrameState::new(&player.rig);
    player.pose(player.clip(Some("wind")), 7, &mut state);
    for path in PosedMoment::new(&player.rig, &state).paths {
        assert_eq!(BezPath::from_svg(&path.path.to_svg()).expect("path data"), path.path);
    }
}

const DRAWING: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
    xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" viewBox="0 0 90 90" width="90" height="90">
  <defs><path id="leaf" d="M0 0L8 0L4 8Z"/></defs>
  <g id="tree" inkscape:label="Tree"><path id="stem" d="M40 80C40 60 44 50 44 40"/>
    <use id="twin" xlink:href="#leaf" x="20" y="20"/><image id="photo" width="8" height="8"
      href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="/>
  </g>
  <text id="word" x="4" y="88">leaf</text>
  <path id="gone" display="none" d="M1 1L2 2"/>
</svg>"##;

const RIG: &str = r#"Rig(version: 1, drawing: "tree.svg",
    bones: { "low": (from: (40, 80), to: (42, 60)), "high": (parent: "low", to: (44, 40), limits: (-30, 45)) },
    skin: [ Rigid(art: "Tree", bone: "low"),
            Smooth(art: "stem", bones: ["low", "high"], method: Nearest) ],
    constraints: [ Aim(bone: "high", target: (60, 10)) ],
    clips: { "sway": (length: 1, bones: { "low": (rotate: [(0, 0), (1, 20)]) }) },
)"#;

#[test]
fn clones_texts_and_images_are_listed_with_what_they_follow() {
    let files = InMemory::new().with("tree.ron", RIG).with("tree.svg", DRAWING);
    let loaded = load("tree.ron".as_ref(), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let (scene, doc) =
        (loaded.rig.unwrap_or_else(|| panic!("{messages:?}")), loaded.doc.expect("a document"));
    let inspection = Inspection::new(&scene, &doc);
    let art: BTreeMap<&str, _> = inspection.art.iter().map(|art| (&*art.key, art)).collect();
    let how = |key: &str| art[key].follows.as_ref().map(|follows| follows.how);
    assert_eq!(art["tree"].label.as_deref(), Some("Tree"));
    assert_eq!(how("tree"), Some(Binding::Rigid));
    assert_eq!((how("twin"), how("photo")), (Some(Binding::Rigid), Some(Binding::Rigid)));
    assert!(matches!(how("stem"), Some(Binding::Smooth(bone_format::doc::Method::Nearest, _))));
    assert_eq!(art["stem"].vertices, [2]);
    assert_eq!(how("word"), None);
    // Without fonts a text has no outlines; hidden art is listed as hidden.
    for key in ["word", "gone"] {
        assert!(matches!(&art[key].state, ArtState::NotDrawn(why) if !why.is_empty()), "{key}");
    }
    let high = &inspection.bones[1];
    assert_eq!((high.name.as_str(), high.depth, high.constraints.as_slice()), ("high", 1, &[0][..]));
    assert_eq!(inspection.constraints[0].targets, ["(60, 10)"]);
    assert_eq!((inspection.clips[0].frames, inspection.clips[0].looped), (25, false));

    // The clone is drawn, so its outline is among the posed ones, and moves rigidly.
    let mut state = FrameState::new(&scene);
    scene.pose(scene.clip("sway"), 1.0, &mut state).expect("a pose");
    let posed = PosedMoment::new(&scene, &state);
    let twin = posed.paths.iter().find(|path| path.element == Some(art["twin"].element)).expect("the clone");
    let at_rest = BezPath::from_svg("M20 20L28 20L24 28Z").expect("a path");
    let bone = inspection.bones[0].bone;
    let moved = points(&(state.matrices().of(bone) * at_rest));
    assert!(!twin.own && points(&twin.path).iter().zip(moved).all(|(a, b)| (*a - b).hypot() < 1e-6));
    assert!(posed.bones[1].origin != inspection.bones[1].origin);
}

#[test]
fn states_and_clips_of_another_rig_give_no_bones_and_no_plot() {
    let rig = |name: &str| {
        let path = bone_layer_tests::files::root().join("examples").join(name).join("rig.ron");
        let loaded = load(&path, Arc::new(bone_format::Disk), &no_fonts);
        (loaded.rig.expect("a rig"), loaded.doc.expect("a document"))
    };
    let (small, large) = (rig("first-bone"), rig("walk"));
    for ((own, doc), (other, _)) in [(&small, &large), (&large, &small)] {
        let mut state = FrameState::new(other);
        let moment = PosedMoment::new(own, &state);
        assert!(moment.bones.is_empty() && moment.paths.is_empty());
        let layers = "bones,names,vertices,regions,paths,art,mesh".parse().expect("layers");
        let overlay = bone_looks::overlay::Overlay::new(own, doc, layers).expect("an overlay");
        let size = bone_render::FrameSize::new(64, 64).expect("a size");
        assert!(
            !overlay
                .svg(own, &state, &bone_render::Viewport::new(size, kurbo::Affine::IDENTITY))
                .contains("<path")
        );
        let clip = &other.clips()[0];
        let plot = bone_looks::plot::Plot::new(own, clip, bone_looks::plot::PlotSelection::default());
        assert_eq!(plot, Err(bone_looks::plot::PlotError::OtherRig));
        assert!(bone_looks::onion::Onion::new(own, Some(clip), (0.0, &[0.0, 0.1]), &mut state).is_err());
    }
}
