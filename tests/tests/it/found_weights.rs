//! Where weights of `Smooth` bindings come from: a shared field, a field of a binding's own, the vertices.
//! Judged by rigs without the other bindings, and by typed rows.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::edit::edit_weights;
use bone_format::session::Session;
use bone_format::{InMemory, load, no_fonts, weights_of};
use bone_rig::{FrameState, Rig};
use kurbo::{BezPath, PathEl, Point};

/// A thin and a thick bar that touch along the line from (50, 200) to (350, 200).
const BARS: [(&str, &str); 2] =
    [("thin", "M50 190H350V200H50Z"), ("thick", "M50 200C150 210 250 190 350 200V260H50Z")];

fn files(skin: &str) -> InMemory {
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\">");
    for (name, data) in BARS {
        let _ = write!(svg, "<path id=\"{name}\" d=\"{data}\"/>");
    }
    let rig = format!(
        r#"Rig(version: 1, drawing: "art.svg",
    bones: {{ "upper": (from: (50, 205), to: (200, 205)), "fore": (parent: "upper", to: (350, 205)) }},
    skin: [{skin}],
    clips: {{ "bend": (length: 1, bones: {{ "fore": (rotate: [(0, 0), (1, 80)]) }}) }},
)"#
    );
    InMemory::new().with("rig.ron", rig).with("art.svg", svg + "</svg>")
}

/// A bar alone may be without a bone, of which there is a warning.
fn rig(skin: &str) -> Rig {
    load(Path::new("rig.ron"), Arc::new(files(skin)), &no_fonts).rig.expect("a sound rig")
}

/// The outline of the art with this name at the end of the clip.
fn bent(rig: &Rig, name: &str) -> BezPath {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip("bend"), 1.0, &mut state).expect("no loop");
    let names = rig.posed_elements().iter().map(|element| rig.art().shown_name(*element));
    let at = names.into_iter().position(|shown| shown == name).expect("posed art");
    state.posed().paths()[at].clone()
}

fn points(path: &BezPath) -> Vec<Point> {
    path.elements().iter().filter_map(PathEl::end_point).collect()
}

/// The greatest distance between points of two outlines with the same vertices.
fn apart(a: &BezPath, b: &BezPath) -> f64 {
    let (a, b) = (points(a), points(b));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn own_weights_are_those_of_the_art_alone() {
    let alone = rig(r#"Smooth(art: "thin")"#);
    let own = rig(r#"Smooth(art: "thin", weights: Own), Smooth(art: "thick")"#);
    let shared = rig(r#"Smooth(art: "thin"), Smooth(art: "thick")"#);
    assert_eq!(bent(&own, "thin"), bent(&alone, "thin"));
    // The other binding shares with those that share.
    let other = rig(r#"Smooth(art: "thick"), Smooth(art: "thin", weights: Own)"#);
    let thick = rig(r#"Smooth(art: "thick")"#);
    assert_eq!(bent(&other, "thick"), bent(&thick, "thick"));
    assert_eq!(bent(&own, "thick"), bent(&thick, "thick"));
    // A thin bar alone bends more sharply than as a part of a thick one.
    let (a, b) = (bent(&own, "thin"), bent(&shared, "thin"));
    let distance = |p: &Point| b.segments().map(|s| near(s, *p)).fold(f64::INFINITY, f64::min);
    let most = points(&a).iter().map(distance).fold(0.0, f64::max);
    assert!(most > 1.0, "{most}");
}

fn near(segment: kurbo::PathSeg, p: Point) -> f64 {
    use kurbo::ParamCurveNearest as _;
    segment.nearest(p, 1e-6).distance_sq.sqrt()
}

/// Typed rows with the weights that the shared field has at the vertices.
fn typed(rig: &Rig, skin: &str) -> String {
    let loaded = load(Path::new("rig.ron"), Arc::new(files(skin)), &no_fonts);
    let doc = loaded.doc.expect("a document");
    let skeleton = rig.skeleton();
    let mut text = String::new();
    for binding in &doc.skin {
        for path in weights_of(binding, (&doc, rig.art()), skeleton) {
            let bone_format::PathWeightSource::Found(field) = &path.before else { panic!("found weights") };
            let art = rig.art().shown_name(path.art.element());
            let _ = write!(text, "Explicit(art: \"{art}\", weights: {{");
            let mut weights = vec![0.0; field.bones().len()];
            let vertices = path.lines.iter().flat_map(|line| line.vertices());
            for (i, vertex) in vertices.enumerate() {
                field.weights_at(vertex.anchor, &mut weights);
                let named = field.bones().iter().zip(&weights).filter(|(_, weight)| **weight > 1e-6);
                let row: Vec<String> =
                    named.map(|(bone, weight)| format!("\"{}\": {weight:?}", skeleton.name(*bone))).collect();
                let _ = write!(text, "{i}: {{{}}}, ", row.join(", "));
            }
            text.push_str("}), ");
        }
    }
    text
}

#[test]
fn weights_at_the_vertices_are_typed_weights() {
    let shared = r#"Smooth(art: "thin"), Smooth(art: "thick")"#;
    let found = r#"Smooth(art: "thin", weights: Vertices), Smooth(art: "thick", weights: Vertices)"#;
    let (along, at_vertices) = (rig(shared), rig(found));
    let typed = rig(&typed(&along, shared));
    for (name, _) in BARS {
        let (found, typed) = (bent(&at_vertices, name), bent(&typed, name));
        assert!(apart(&found, &typed) < 1e-9, "{name}: {}", apart(&found, &typed));
    }
    let pieces = [&along, &at_vertices].map(|rig| rig.skin().piece_count());
    assert!(pieces[1] <= pieces[0], "{pieces:?}");
}

/// Writing weights that are found at the vertices loses the digits that are not written, and no more.
#[test]
fn weights_at_the_vertices_are_written_without_a_loss() {
    let found = r#"Smooth(art: "thin", weights: Vertices), Smooth(art: "thick", weights: Vertices)"#;
    let open = |skin: &str| Session::open("rig.ron", Arc::new(files(skin)), no_fonts);
    let mut session = open(found);
    let before = Arc::clone(session.rig().expect("a rig"));
    let edited = edit_weights(&mut session, &[], |_| Ok(())).expect("it can be written");
    assert_eq!(edited.bindings.len(), 2);
    for path in edited.bindings.iter().flat_map(|binding| &binding.paths) {
        assert!(path.lost < 0.05, "{}: {}", path.art, path.lost);
        assert!(path.rows.iter().all(|row| row.tangent_in.is_none() && row.tangent_out.is_none()));
    }
    let written =
        load(Path::new("rig.ron"), Arc::new(files(found).with("rig.ron", session.text())), &no_fonts);
    let after = written.rig.expect("a rig");
    for (name, _) in BARS {
        let apart = apart(&bent(&before, name), &bent(&after, name));
        assert!(apart < 0.05, "{name}: {apart}");
    }
    // What is found along the outline cannot be written so.
    let mut along = open(&found.replace("Vertices", "Shared"));
    let edited = edit_weights(&mut along, &[], |_| Ok(())).expect("it can be written");
    assert!(edited.bindings.iter().flat_map(|binding| &binding.paths).any(|path| path.lost > 0.5));
}
