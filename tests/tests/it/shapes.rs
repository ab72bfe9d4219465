//! The list of art in `inspect` matches the XML, every address in it works in a rig, and sheets and overlays
//! show all shapes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bone_drawing::FindError;
use bone_format::{Disk, InMemory, load, load_drawing, no_fonts};
use bone_layer_tests::files::{drawings, shown};
use bone_looks::inspect::{InspectedArt, Inspection, PaintSummary};
use bone_looks::overlay::Overlay;
use bone_looks::shapes::{MOST_SHAPES, Shapes};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster, Resources, Viewport};
use bone_rig::{FrameState, Rig};
use kurbo::Rect;

/// A drawing without a rig.
fn looked_at(svg: &str) -> (Rig, Inspection) {
    let files = InMemory::new().with("it.svg", svg);
    let loaded = load_drawing(Path::new("it.svg"), Arc::new(files), &no_fonts);
    let (scene, doc) = (loaded.rig.expect("a drawing"), loaded.doc.expect("a document"));
    let inspection = Inspection::new(&scene, &doc);
    (scene, inspection)
}

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" width="200" height="100">
  <defs><linearGradient id="sky" gradientUnits="userSpaceOnUse"><stop stop-color="#8cf"/><stop offset="1"/></linearGradient>
    <linearGradient id="box"><stop stop-color="#8cf"/><stop offset="1"/></linearGradient>
    <path id="leaf" d="M0 0H8V6Z"/><clipPath id="cut"><rect width="9" height="9"/></clipPath></defs>
  <rect width="100" height="50" fill="url(#sky)"/>
  <g transform="translate(10 20)" clip-path="url(#cut)" stroke="#0A0B0C"><path d="M0 0H20V10H0Z" fill="none" stroke-width="2"/>
    <circle cx="5" cy="5" r="3" style="fill:#c04030"/></g>
  <use href="#leaf" x="50" y="20"/><rect x="80" y="10" width="4" height="4" fill="url(#box)"/><rect x="90" width="8" height="4" fill="url(#box)"/>
  <path d="M1 1H2" fill="none"/></svg>"##;

#[test]
fn shapes_are_listed_in_the_order_of_painting() {
    let (_, all) = looked_at(SVG);
    let colour = |paint: &Option<PaintSummary>| paint.as_ref().map_or("none".to_owned(), ToString::to_string);
    let row = |it: &InspectedArt| {
        let Rect { x0, y0, .. } = it.bounds.unwrap_or_default();
        let size = it.bounds.map(|it| (it.width(), it.height())).unwrap_or_default();
        format!(
            "{} {} {} {} {x0} {y0} {} {}",
            it.address,
            it.tag,
            colour(&it.fill),
            colour(&it.stroke),
            size.0,
            size.1
        )
    };
    let (definitions, painted): (Vec<_>, Vec<_>) = all.art.iter().partition(|it| it.definition);
    let painted: Vec<String> = painted.into_iter().map(row).collect();
    assert_eq!(
        painted,
        [
            "#1 rect linearGradient sky none 0 0 100 50",
            "#2 g none none 10 20 20 10",
            "#2/#1 path none #0a0b0c 10 20 20 10",
            "#2/#2 circle #c04030 #0a0b0c 12 22 6 6",
            "#3 use none none 50 20 8 6",
            // A gradient in units of the box is copied for all shapes but one.
            "#4 rect linearGradient none 80 10 4 4",
            "#5 rect linearGradient box none 90 0 8 4",
            "#6 path none none 1 1 1 0",
        ]
    );
    let definitions: Vec<&str> = definitions.into_iter().map(|it| it.address.as_str()).collect();
    assert_eq!(definitions, ["leaf", "cut", "cut/#1"]);
}

#[test]
fn every_listed_address_works_in_a_rig() {
    let mut bound = 0;
    for path in drawings() {
        let bytes = std::fs::read(&path).expect("a drawing");
        let Ok(text) = bone_render::decode_svg(bytes) else { continue };
        let Ok((art, _)) = bone_render::read_svg(&text, &Resources::none()) else { continue };
        let loaded = load_drawing(&path, Arc::new(Disk), &no_fonts);
        let (Some(scene), Some(doc)) = (loaded.rig, loaded.doc) else { continue };
        let all = Inspection::new(&scene, &doc);
        let mut rigid = Vec::new();
        for it in &all.art {
            match art.find(&it.address) {
                Ok(id) => assert_eq!(id, it.element, "{}: {}", shown(&path), it.address),
                Err(FindError::NotDrawn { element, .. }) => assert_eq!(element, it.element),
                Err(error) => panic!("{}: {error}", shown(&path)),
            }
            let cuts_or_drawn = !matches!(it.state, bone_looks::inspect::ArtState::NotDrawn(_));
            if cuts_or_drawn && !it.definition {
                rigid.push(format!("{:?}", it.address));
            }
        }
        // All of it together in one rig, which compiles but for what lists and groups warn of.
        let rig = format!(
            "Rig(version: 1, drawing: \"it.svg\", bones: {{ \"bone\": (from: (0, 0), to: (9, 0)) }}, \
             skin: [Rigid(art: [{}], bone: \"bone\")])",
            rigid.join(", ")
        );
        if rigid.is_empty() {
            continue;
        }
        let files = InMemory::new().with("it.ron", rig).with("it.svg", text.as_str());
        let loaded = load(Path::new("it.ron"), Arc::new(files), &no_fonts);
        let errors: Vec<&str> = loaded
            .diagnostics
            .iter()
            .filter(|d| d.severity == bone_format::diagnostic::Severity::Error)
            .map(|d| d.message.as_str())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", shown(&path));
        bound += rigid.len();
    }
    assert!(bound > 1000, "{bound}");
}

/// Paths without a single id or label, alone and in groups.
const NAMELESS: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">
  <path d="M2 2H20V26H2Z" fill="#c00"/>
  <g transform="translate(4 6)"><rect width="18" height="14" fill="#0c0"/><circle cx="12" cy="12" r="7" fill="#00c"/></g>
  <g opacity=".9"><path d="M8 4C20 4 20 30 8 30Z" fill="#cc0"/></g></svg>"##;

#[test]
fn every_path_of_a_drawing_without_ids_is_bound_bent_and_reordered() {
    let (_, all) = looked_at(NAMELESS);
    let paths: Vec<&InspectedArt> = all.art.iter().filter(|it| it.tag != "g").collect();
    let addresses: Vec<String> = paths.iter().map(|it| format!("{:?}", it.address)).collect();
    assert_eq!(addresses, ["\"#1\"", "\"#2/#1\"", "\"#2/#2\"", "\"#3/#1\""]);
    let skin = addresses.iter().map(|it| format!("Smooth(art: {it}, bones: [\"a\", \"b\"])"));
    // Within an isolated group nothing can be sorted among what is around it: there the group is.
    let sorted = addresses.iter().map(|it| it.replace("#3/#1", "#3")).enumerate();
    let order = sorted.map(|(at, it)| format!("{it}: (order: [(0, 0), (1, {})])", 4 - at));
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", bones: {{ \"a\": (from: (0, 20), to: (12, 20)), \"b\": (parent: \"a\", to: (40, 20)) }}, \
         skin: [{}], clips: {{ \"it\": (length: 1, bones: {{ \"b\": (rotate: [(0, 0), (1, 40)]) }}, art: {{ {} }}) }})",
        skin.collect::<Vec<_>>().join(", "),
        order.collect::<Vec<_>>().join(", ")
    );
    let files = InMemory::new().with("it.ron", rig).with("it.svg", NAMELESS);
    let loaded = load(Path::new("it.ron"), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(messages.is_empty(), "{messages:#?}");
    let scene = loaded.rig.expect("a rig");
    let mut state = FrameState::new(&scene);
    let painted = |state: &FrameState| -> Vec<(Option<bone_drawing::ElementId>, Vec<kurbo::Point>)> {
        let drawing = scene.posable().drawing();
        let pieces = drawing.painted(state.frame());
        let of = |piece: &bone_drawing::DrawItem| {
            let outline =
                piece.transform * state.frame().outline(drawing, piece.node).expect("a shape").clone();
            let ends = outline.elements().iter().filter_map(kurbo::PathEl::end_point);
            (drawing.node(piece.node).expect("a node").element, ends.collect())
        };
        pieces.iter().map(of).collect()
    };
    let clip = scene.clip("it");
    scene.pose(clip, 0.0, &mut state).expect("no loop");
    let before = painted(&state);
    scene.pose(clip, 1.0, &mut state).expect("no loop");
    let after = painted(&state);
    let elements: Vec<_> = paths.iter().map(|it| Some(it.element)).collect();
    let order = |all: &[(Option<bone_drawing::ElementId>, Vec<kurbo::Point>)]| {
        all.iter().map(|(id, _)| *id).collect::<Vec<_>>()
    };
    assert_eq!(order(&before), elements);
    assert_eq!(order(&after), elements.iter().rev().copied().collect::<Vec<_>>());
    for (id, bent) in &after {
        let (_, rest) = before.iter().find(|(other, _)| other == id).expect("the same");
        let moves: Vec<kurbo::Vec2> = bent.iter().zip(rest).map(|(a, b)| *a - *b).collect();
        let spread = moves.iter().map(|by| (*by - moves[0]).hypot()).fold(0.0, f64::max);
        assert!(spread > 0.5, "{id:?} is bent: {moves:?}");
    }
}

/// The colours of a picture, most of it first.
fn colours(pixmap: &Pixmap) -> Vec<[u8; 4]> {
    let mut count: BTreeMap<[u8; 4], usize> = BTreeMap::new();
    for pixel in pixmap.pixels() {
        *count.entry([pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]).or_default() += 1;
    }
    let mut all: Vec<_> = count.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter().map(|(colour, _)| colour).collect()
}

#[test]
fn each_shape_is_shown_by_itself_and_large() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-5 0 100 50" width="200" height="100">
      <clipPath id="half"><path d="M0 0H20V5H0Z"/></clipPath><path d="M0 0H90V50H0Z" fill="#00f"/>
      <g clip-path="url(#half)"><path d="M10 0H20V10H10Z" fill="#0f0"/></g><path d="M40 40H44V42H40Z" fill="#f00"/></svg>"##;
    let (scene, _) = looked_at(svg);
    let shapes = Shapes::new(scene.art());
    let addresses: Vec<&str> = shapes.list().iter().map(|shape| shape.address.as_str()).collect();
    assert_eq!(addresses, ["#1", "#2/#1", "#3"]);
    let size = FrameSize::new(100, 50).expect("a size");
    let shares: Vec<f64> = shapes
        .list()
        .iter()
        .zip([[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255]])
        .map(|(shape, colour)| {
            let mut pixmap = Pixmap::new(1, 1).expect("memory");
            let options = FrameOptions { size, background: None };
            Raster::default().draw(&shapes.svg(shape, size), &options, &mut pixmap).expect("a picture");
            let solid: Vec<[u8; 4]> = colours(&pixmap).into_iter().filter(|c| c[3] == 255).collect();
            assert_eq!(solid, [colour], "nothing else is seen");
            let all = pixmap.pixels().iter().filter(|p| p.alpha() == 255).count();
            all as f64 / pixmap.pixels().len() as f64
        })
        .collect();
    // A box twice as wide as high fills the cell but for its margin; of the clipped one half is seen.
    assert!(shares[2] > 0.6 && shares[0] > 0.55 && (0.1..0.3).contains(&shares[1]), "{shares:?}");
}

#[test]
fn the_sheet_of_thousands_of_shapes_is_limited() {
    let many: String =
        (0..3000).map(|n| format!("<path d='M{} {}h3v3z'/>", n % 60 * 4, n / 60 * 4)).collect();
    let (scene, _) = looked_at(&format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='240' height='200'><g>{many}</g></svg>"
    ));
    let shapes = Shapes::new(scene.art());
    assert_eq!((shapes.list().len(), shapes.left_out()), (MOST_SHAPES, 3000 - MOST_SHAPES));
    assert_eq!(shapes.list()[399].address, "#1/#400");
}

#[test]
fn addresses_are_written_where_there_is_space() {
    let (scene, all) = looked_at(SVG);
    let loaded = load_drawing(Path::new("it.svg"), Arc::new(InMemory::new().with("it.svg", SVG)), &no_fonts);
    let doc = loaded.doc.expect("a document");
    let overlay = Overlay::new(&scene, &doc, "art,grid".parse().expect("layers")).expect("an overlay");
    let mut state = FrameState::new(&scene);
    scene.pose(None, 0.0, &mut state).expect("a pose");
    let view = |width, height| {
        let size = FrameSize::new(width, height).expect("a size");
        Viewport::fit(scene.art(), &FrameOptions { size, background: None })
    };
    let svg = overlay.svg(&scene, &state, &view(1000, 500));
    let painted = |it: &&InspectedArt| !it.definition && (it.fill.is_some() || it.stroke.is_some());
    for it in all.art.iter().filter(painted) {
        assert!(svg.contains(&format!("<title>{}</title>", it.address)), "{}", it.address);
    }
    // 100 units are 1000 pixels: a number every 10 units, and 0 in the corner under the rulers.
    for number in ["10", "20", "90", "40"] {
        assert!(svg.contains(&format!("<title>{number}</title>")), "{number}");
    }
    assert!(!svg.contains("<title>15</title>"));
    let small = overlay.svg(&scene, &state, &view(60, 30));
    assert!(small.matches("<title>").count() < svg.matches("<title>").count());
}
