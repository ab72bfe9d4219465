//! Overlays of every rig: valid SVGs, equal each time, with lines of the same width at every scale.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_format::{Disk, load, system_fonts};
use bone_layer_tests::files::{good_rigs, shown};
use bone_looks::overlay::{Layers, Overlay};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster, Viewport};
use bone_rig::{FrameState, Rig};

/// The values of an attribute.
fn values<'s>(svg: &'s str, name: &str) -> BTreeSet<&'s str> {
    let start = format!(" {name}=\"");
    svg.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The view of the whole drawing in a frame of this size.
fn whole_drawing(rig: &Rig, size: FrameSize) -> Viewport {
    Viewport::fit(rig.art(), &FrameOptions { size, background: None })
}

#[test]
fn every_rig_has_an_overlay() {
    for path in good_rigs() {
        let loaded = load(&path, Arc::new(Disk), &system_fonts);
        let (rig, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
        let bone = rig.skeleton().name(rig.skeleton().bones().last().expect("a bone")).to_owned();
        let layers: Layers = format!("bones,names,vertices,regions,weights:{bone},mesh,paths,art,grid")
            .parse()
            .expect("layers");
        let overlay = Overlay::new(&rig, &doc, layers).expect("an overlay");
        let mut state = FrameState::new(&rig);
        let clip = rig.clips().first();
        rig.pose(clip, clip.map_or(0.0, |clip| 0.3 * clip.time().length), &mut state).expect("a pose");
        let size = FrameSize::from_scale(rig.art().size(), 1.0).expect("a size");
        let svg = overlay.svg(&rig, &state, &whole_drawing(&rig, size));
        let again = Overlay::new(&rig, &doc, overlay.layers().clone()).expect("an overlay");
        assert!(
            svg == again.svg(&rig, &state, &whole_drawing(&rig, size)),
            "{}: not the same twice",
            shown(&path)
        );
        let names = rig.skeleton().bones().map(|bone| rig.skeleton().name(bone));
        let written = names.filter(|name| svg.contains(&format!("<title>{name}</title>"))).count();
        assert!(written > 0, "{}: no names", shown(&path));
        let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
        Raster::default().draw_over(&svg, &mut pixmap).unwrap_or_else(|e| panic!("{}: {e}", shown(&path)));
        assert!(pixmap.pixels().iter().any(|pixel| pixel.alpha() > 0), "{}: nothing is seen", shown(&path));
    }
}

#[test]
fn lines_and_letters_have_the_same_size_at_every_scale() {
    let path = bone_layer_tests::files::root().join("examples/walk/rig.ron");
    let loaded = load(&path, Arc::new(Disk), &system_fonts);
    let (rig, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
    let layers: Layers = "names,vertices,paths".parse().expect("layers");
    let overlay = Overlay::new(&rig, &doc, layers).expect("an overlay");
    let mut state = FrameState::new(&rig);
    rig.pose(rig.clips().first(), 0.25, &mut state).expect("a pose");
    let [small, large] = [0.5, 4.0].map(|scale| {
        let size = FrameSize::from_scale(rig.art().size(), scale).expect("a size");
        overlay.svg(&rig, &state, &whole_drawing(&rig, size))
    });
    for attribute in ["stroke-width", "r"] {
        assert_eq!(values(&small, attribute), values(&large, attribute), "{attribute}");
    }
    // With more room more labels are placed.
    assert!(large.matches("<title>").count() > small.matches("<title>").count());
}

/// A pin has no direction: the overlay has a dot with a ring, and no shape that points anywhere.
#[test]
fn pins_are_dots_with_a_ring() {
    let path = bone_layer_tests::files::root().join("examples/pins/rig.ron");
    let loaded = load(&path, Arc::new(Disk), &system_fonts);
    let (rig, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
    let pins = rig.points().len();
    assert!(pins >= 6, "{pins} pins");
    assert_eq!(pins, rig.skeleton().len(), "all bones of the example are pins");
    let overlay = Overlay::new(&rig, &doc, "bones".parse().expect("layers")).expect("an overlay");
    let state = FrameState::new(&rig);
    let size = FrameSize::from_scale(rig.art().size(), 1.0).expect("a size");
    let svg = overlay.svg(&rig, &state, &whole_drawing(&rig, size));
    assert_eq!(svg.matches(" r=\"6.5\"").count(), pins, "{svg}");
    assert_eq!(svg.matches(" r=\"2.6\"").count(), pins, "{svg}");
    assert!(!svg.contains("<path"), "{svg}");
}
