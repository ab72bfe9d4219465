//! Input that a program can hand over by mistake: drawings without sense, ids of another drawing, frames of
//! another size, and any numbers. Each has no effect, a defined value or an error, and none panics.

mod any_drawing;
#[path = "any_drawing/nested.rs"]
mod nested;

use any_drawing::{Ids, Numbers, build, number, outline, point, rect, steps};
use bone_drawing::{
    BentPaint, CanvasPose, ClipPath, ColorMap, Content, DrawItemScratch, Drawing, DrawingBuilder, Element,
    ElementId, ElementKind, ElementState, Elements, Fill, FillCall, FillRule, Filter, FilterStep, FlatFrame,
    FlatOutline, FlatOutlines, Frame, Gradient, GradientLook, Group, ImageCall, InkPlace, InkProfile,
    InkedStroke, KeyedGradient, KeyedStep, LayerCall, LineCap, LineJoin, Mask, MaskKind, MirroredFill,
    MoveError, Moving, NodeId, Numbered, Paint, PaintMotion, PaintSink, Pattern, Posable, PosedArt, Shape,
    ShapeMask, Stencil, StrokeCall, Trim, TrimmedStroke, Visibility,
};
use kurbo::{Affine, BezPath, Point, Rect};
use proptest::prelude::*;

/// Ids that are in range of most drawings, and one that is in none.
fn far() -> impl Iterator<Item = usize> {
    (0..8).chain([usize::MAX])
}

/// Paints all that a call has.
#[derive(Default)]
struct Deep {
    calls: usize,
}

impl Deep {
    /// A picture within a picture is painted up to some number of calls: a pattern may show patterns.
    fn content(&mut self, content: Content<'_>) {
        if self.calls < 2_000 {
            content.paint(Affine::IDENTITY, self);
        }
    }

    fn brush(&mut self, brush: &bone_drawing::Brush<'_>) {
        self.calls += 1;
        if let bone_drawing::Brush::Pattern { content, .. } = brush {
            self.content(*content);
        }
    }
}

impl PaintSink for Deep {
    fn fill(&mut self, fill: &FillCall<'_>) {
        self.brush(&fill.brush);
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        self.brush(&stroke.brush);
    }

    fn image(&mut self, _: &ImageCall<'_>) {
        self.calls += 1;
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        self.calls += 1;
        for clip in std::iter::successors(layer.clip, |clip| clip.clip()) {
            clip.outlines();
        }
        for mask in std::iter::successors(layer.mask, |mask| mask.mask()) {
            self.content(mask.content());
        }
        true
    }

    fn pop_layer(&mut self) {}
}

/// All that can be asked of a drawing in a frame.
fn ask(drawing: &Drawing, frame: &Frame, ids: &Ids, n: Numbers) {
    let view = Affine::new(n);
    let mut flat = FlatFrame::default();
    drawing.paint(frame, view, &mut flat);
    drawing.paint(frame, Affine::IDENTITY, &mut Deep::default());
    let end = FlatOutline { verb: usize::MAX, verbs: usize::MAX, coordinate: 1, coordinates: usize::MAX };
    let _ = (flat.path(&end), drawing.painted_box(frame));
    for item in drawing.painted(frame) {
        let _ = drawing.bounds(frame, &item);
    }
    let nodes: Vec<NodeId> = far().map(NodeId::from_index).collect();
    drawing.draw_items(frame, &nodes, view, &mut DrawItemScratch::default(), &mut Vec::new());
    for reach in [0.0, n[0], f64::NAN, f64::INFINITY] {
        let _ = (drawing.hit_test(frame, point(n), reach), drawing.hit_test(frame, Point::ZERO, reach));
    }
    for node in nodes {
        let _ = (frame.transform(drawing, node), frame.outline(drawing, node), frame.look(drawing, node));
        let _ = (frame.trim(drawing, node), drawing.slots().is_still_trim(node));
        let _ = (frame.visibility(drawing, node), drawing.node(node), drawing.element_around(node));
        let _ = (drawing.ancestors(node).count(), drawing.to_canvas(node), drawing.part_outline(node));
        let _ = (drawing.corners(node), drawing.is_seen(node));
        let slots = drawing.slots();
        let _ = (
            slots.transforms.slot(node),
            slots.outlines.slot(node),
            slots.looks.slot(node),
            slots.visibilities.slot(node),
        );
        let _ = drawing.clips_among(node, &drawing.stencils(|_| true));
    }
    for id in far().map(ElementId::from_index) {
        let _ = (drawing.element(id), drawing.node_of(id), drawing.is_shape(id), drawing.outline(id));
        let _ =
            (drawing.image_box(id), drawing.has_markers(id), drawing.paths_in(id), drawing.has_outline(id));
        let _ = (
            drawing.within(id).count(),
            drawing.is_within(id, ElementId::from_index(1)),
            drawing.up(id).count(),
        );
        let _ = (drawing.children(id).count(), drawing.is_hidden(id), drawing.has_visible(id));
        let _ = (drawing.order_scope(id), drawing.stencils_of(id), drawing.mask_images_in(id));
        let _ = (drawing.address(id), drawing.shown_name(id), drawing.find_child(id, "p"));
    }
    let _ = (drawing.leaves(), drawing.mask_images(|_| true), drawing.has_id("p"));
    for name in ["", "p", "#1", "#0", "g/#99999999999999999999", "1", "/", "a/b", "clipPath#1", "\u{0}"] {
        if let Err(error) = drawing.find(name) {
            let _ = error.to_string();
        }
    }
    let gradients = ids.gradients.iter().map(|id| (drawing.gradient(*id), frame.gradient(drawing, *id)));
    gradients.for_each(|(gradient, _)| _ = gradient.and_then(|gradient| gradient.steepness(view)));
    ids.patterns.iter().for_each(|id| _ = (drawing.pattern(*id), frame.pattern(drawing, *id)));
    ids.clips.iter().for_each(|id| _ = drawing.clip(*id));
    ids.masks.iter().for_each(|id| _ = (drawing.mask(*id), frame.mask(drawing, *id), drawing.hiding(*id)));
    for id in &ids.filters {
        let _ = (drawing.filter(*id), frame.filter(drawing, *id), frame.step(drawing, *id, usize::MAX));
        let _ = (drawing.slots().filters.slot(*id), drawing.slots().step(*id, usize::MAX));
    }
}

/// Everything of a drawing moves, what it does not have as well.
fn pose(drawing: &Drawing, stencils: &[Stencil], n: Numbers) -> Option<Posable> {
    let elements = || drawing.ids().filter(|id| drawing.node_of(*id).is_some());
    let paths = elements().filter(|id| drawing.is_shape(*id)).map(PosedArt::Path);
    let leaves = drawing.leaves().into_iter().map(|leaf| PosedArt::Part(leaf.owner, leaf.node));
    let posed: Vec<PosedArt> =
        paths.chain(stencils.iter().cloned().map(PosedArt::Stencil)).chain(leaves).collect();
    let (rigid, visible): (Vec<_>, Vec<_>) = (elements().collect(), elements().step_by(2).collect());
    let nodes: Vec<NodeId> = (0..drawing.nodes().len()).step_by(3).map(NodeId::from_index).collect();
    let bent = [0, 0, 1, usize::MAX].map(|posed| BentPaint { posed, patches: 2 });
    let mirrored = [0, 1, usize::MAX].map(|posed| MirroredFill { posed, subpaths: vec![0, u32::MAX, 1] });
    let looks: Vec<ElementId> = elements().filter(|id| drawing.is_shape(*id)).collect();
    let trim = |(at, path): (usize, &ElementId)| TrimmedStroke {
        path: *path,
        pieces: if at % 3 == 0 { outline(n) } else { BezPath::new() },
        may_wrap: at % 2 == 0,
    };
    // A path is trimmed or has ink.
    let (inked, trimmed) = looks.split_at(looks.len() / 2);
    let trims: Vec<TrimmedStroke> = trimmed.iter().enumerate().map(trim).collect();
    let place = |at: f64| InkPlace { at, sides: [n[1].abs().min(9.0), n[2].abs().min(9.0)] };
    let ink = |(at, path): (usize, &ElementId)| InkedStroke {
        path: *path,
        pieces: if at % 2 == 0 { outline(n) } else { BezPath::new() },
        profile: InkProfile {
            places: if at < 6 { vec![place(0.0), place(0.4), place(1.0)] } else { vec![place(n[0]); at % 3] },
            caps: [LineCap::Round, LineCap::Square],
            join: LineJoin::Miter,
            miter_limit: 4.0,
        },
        widest: n.to_vec(),
        tolerance: n[3],
    };
    let inks: Vec<InkedStroke> = inked.iter().enumerate().map(ink).collect();
    let shapes = drawing.nodes().iter().filter_map(|node| node.shape());
    let gradient = |shape: &Shape| match shape.fill?.paint {
        Paint::Gradient(id) => Some(id),
        _ => None,
    };
    let gradients: Vec<_> = shapes.filter_map(gradient).collect();
    let keyed = [None, visible.first().map(|id| (*id, n[0] > 0.0))].map(|of| KeyedGradient {
        gradients: gradients.clone(),
        of,
        numbers: 7,
    });
    let step = |id: &ElementId| {
        let filters = drawing.filters_of(*id).to_vec();
        [(None, 0), (Some(*id), 40)].map(|(of, step)| KeyedStep { filters: filters.clone(), of, step })
    };
    let filter_steps: Vec<_> = visible.iter().flat_map(step).collect();
    let mask = |(at, (art, by)): (usize, (&ElementId, &ElementId))| ShapeMask {
        art: *art,
        by: *by,
        out: at % 2 == 0,
    };
    let masks: Vec<ShapeMask> = visible.iter().zip(visible.iter().rev()).enumerate().map(mask).collect();
    let moving = Moving {
        rigid: &rigid,
        rigid_nodes: &nodes,
        posed: &posed,
        visible: &visible,
        looks: &looks,
        bent: &bent,
        mirrored: &mirrored,
        trims: &trims,
        inks: &inks,
        masks: &masks,
        tints: &visible,
        gradients: &keyed,
        filter_steps: &filter_steps,
        camera: n[4] > 0.0,
    };
    let posable = Posable::new(drawing, &moving);
    let posable = posable.inspect_err(|error| assert!(!error.to_string().is_empty())).ok()?;
    let _ = (posable.counts(), posable.bent_paints(), posable.mirrored_fills(), posable.paint_servers());
    for count in [0, 1, 40] {
        let outlines = vec![outline(n); count];
        let paints = vec![PaintMotion { paint: Some(Affine::new(n)), stroke: Some(n[0]) }; count];
        let visibility = Visibility { visible: true, opacity: n[1], order: n[2] };
        let pose = CanvasPose {
            rigid: &vec![Affine::new(n); count],
            outlines: &outlines,
            paints: &paints,
            visibilities: &vec![visibility; count],
            looks: &vec![[n[5]; 10]; count],
            trims: &vec![[n[0], n[1], n[2]]; count],
            inks: &vec![n[0]; count],
            tints: &vec![n; count],
            gradient_values: &n[..count.min(6)],
            filter_steps: &vec![[n[5]; 9]; count],
            camera: Some(Affine::new(n)),
            at_rest: &vec![n[3] > 0.0; count],
            bent: &vec![true; count],
            patches: &outlines,
            patch_paints: &vec![Affine::new(n); count],
            mirrored: &vec![true; count],
            parts: &outlines,
            in_pieces: n[4] > 0.0,
        };
        let mut frame = Frame { outlines: vec![BezPath::new(); 3], ..Frame::default() };
        posable.frame(&pose, &mut frame);
        ask(posable.drawing(), &frame, &Ids::default(), n);
    }
    Some(posable)
}

/// Gradients that may be of other kinds and have other stops than those of the drawing.
fn gradient_looks(drawing: &Drawing, n: [f64; 6]) -> Vec<GradientLook> {
    let look =
        |gradient: &Gradient| GradientLook { gradient: gradient.clone(), colors: vec![[n[0], n[1], n[2]]] };
    drawing.gradients().iter().rev().map(look).collect()
}

fn look(n: f64) -> bone_drawing::ShapeLook {
    let paint = bone_drawing::PaintLook { color: [n, -n, n], opacity: n };
    let lengths = bone_drawing::StrokeLook { width: n, dash_offset: n, dash_scale: n };
    bone_drawing::ShapeLook { lengths, fill: paint, stroke: paint }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawings_without_sense(first in steps(), second in steps(), n in prop::array::uniform6(number())) {
        let mut ids = Ids::default();
        let other = build(&first, &mut ids);
        let own = build(&second, &mut ids);
        let stencils = other.stencils(|_| true);
        let frame = Frame {
            transforms: vec![Affine::new(n); 3], outlines: vec![outline(n); 2], looks: vec![look(n[0]); 9],
            trims: vec![Trim { start: n[0], end: n[1], offset: n[2], form: 1 }; 2],
            visibilities: vec![Visibility { visible: true, opacity: n[1], order: n[2] }; 2],
            tints: vec![ColorMap::of(&n), ColorMap { multiply: [n[0]; 3], add: [n[1]; 3] }],
            gradient_looks: gradient_looks(&own, n), filter_looks: vec![vec![None, Some([n[0]; 9])]; 2],
            gradients: vec![Affine::new(n); 2], patterns: vec![Affine::new(n)], masks: vec![rect(n); 2],
            filters: vec![rect(n); 2], steps: vec![Some(rect(n)); 2], repaints: None,
        };
        for drawing in [&own, &other] {
            ask(drawing, &Frame::default(), &ids, n);
            ask(drawing, &frame, &ids, n);
            for stencils in [&[][..], &stencils] {
                if let Some(posable) = pose(drawing, stencils, n) {
                    ask(posable.drawing(), &frame, &ids, n);
                    // The frame of one drawing, painted with another.
                    let mut own_frame = Frame::default();
                    posable.frame(&CanvasPose::default(), &mut own_frame);
                    ask(&other, &own_frame, &ids, n);
                }
            }
        }
    }
}

fn square() -> Drawing {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 9.0, 9.0));
    builder.shape("a", Shape::filled(outline([0.0, 0.0, 5.0, 0.0, 5.0, 5.0]), [0; 3]));
    builder.finish().expect("a drawing")
}

#[test]
fn patches_without_number_are_an_error() {
    let drawing = square();
    let posed = [PosedArt::Path(ElementId::from_index(0))];
    for patches in [usize::MAX, usize::MAX / 2] {
        let bent = [BentPaint { posed: 0, patches }; 3];
        let moving = Moving { posed: &posed, bent: &bent, ..Moving::default() };
        assert_eq!(Posable::new(&drawing, &moving).map(drop), Err(MoveError::TooManyPatches));
    }
}

/// A definition that is still open cannot be used within itself.
#[test]
fn definitions_do_not_hold_themselves() {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 9.0, 9.0));
    let square = || outline([0.0, 0.0, 5.0, 0.0, 5.0, 5.0]);
    let group = || Group { transform: Affine::scale(0.9), ..Group::new() };
    let (id, rect, transform) = (String::new, Rect::new(0.0, 0.0, 2.0, 2.0), Affine::IDENTITY);
    let pattern = builder.open_pattern(Pattern { id: id(), rect, transform, children: Vec::new() });
    let fill = Some(Fill { paint: Paint::Pattern(pattern), opacity: 1.0, rule: FillRule::NonZero });
    builder.shape("tile", Shape { fill, ..Shape::filled(square(), [0; 3]) });
    builder.close();
    let clip =
        builder.open_clip(ClipPath { id: id(), element: None, transform, clip: None, children: Vec::new() });
    builder.open("cut", Group { clip: Some(clip), ..group() });
    builder.shape("cutter", Shape::filled(square(), [0; 3]));
    builder.close();
    builder.close();
    let kind = MaskKind::Alpha;
    let mask =
        builder.open_mask(Mask { id: id(), element: None, rect, kind, mask: None, children: Vec::new() });
    builder.open("masked", Group { mask: Some(mask), ..group() });
    builder.shape("masker", Shape { fill, ..Shape::filled(square(), [0; 3]) });
    builder.close();
    builder.close();
    let shown = builder.open("shown", group());
    let step = FilterStep {
        tag: "feImage".into(),
        rect: None,
        attributes: Vec::new(),
        values: Default::default(),
        content: id(),
        image: Some(shown),
    };
    let filter = builder.add_filter(Filter { id: id(), rect, steps: vec![step] });
    builder.open("all", Group { clip: Some(clip), mask: Some(mask), filters: vec![filter], ..group() });
    builder.shape("art", Shape { fill, ..Shape::filled(square(), [0; 3]) });
    let drawing = builder.finish().expect("a drawing");
    let mut deep = Deep::default();
    drawing.paint(&Frame::default(), Affine::IDENTITY, &mut deep);
    assert!(deep.calls < 20, "{}", deep.calls);
    assert_eq!(drawing.filters()[0].steps[0].image, None);
    assert_eq!(drawing.stencils(|_| true).len(), 2);
    // A drawing that can be packed is one without such circles.
    assert!(
        bone_archive::unpack(1, &bone_archive::pack(1, &drawing), bone_archive::Archive::read)
            .is_ok_and(|read: Drawing| read.nodes() == drawing.nodes())
    );
}

#[test]
fn elements_in_any_order() {
    let element = |parent: usize| Element {
        id: Some("a".into()),
        key: "a".into(),
        words: None,
        label: None,
        tag: "path".into(),
        kind: ElementKind::Path,
        parent: Some(ElementId::from_index(parent)),
        source: 3..9,
        state: ElementState::Drawn,
    };
    let far = ElementId::from_index(usize::MAX);
    let elements = Elements::new(vec![element(0), element(2), element(1)], vec![(far, far)], vec![far]);
    assert!(elements.list()[..2].iter().all(|element| element.parent.is_none()));
    let _ = (elements.element(far), elements.children(far), elements.candidates(""));
    let mut builder = DrawingBuilder::new(Rect::ZERO);
    builder.set_elements(elements);
    builder.shape_for(Some((far, true)), Shape::filled(BezPath::new(), [0; 3]));
    ask(&builder.finish().expect("a drawing"), &Frame::default(), &Ids::default(), [f64::NAN; 6]);
    let numbered = Numbered { parent: None, prefix: String::new(), count: usize::MAX };
    assert!(!numbered.address(usize::MAX).is_empty() && !numbered.to_string().is_empty());
    FlatOutlines::default().fill(&[outline([f64::NAN; 6])]);
}

/// A drawing is as deep as a stack can hold, or an error.
#[test]
fn drawings_are_nested_to_a_limit() {
    for kind in nested::NESTED {
        let drawing = nested::deepest(kind);
        assert!(drawing.nodes().len() > 300, "{kind}: {}", drawing.nodes().len());
        ask(&drawing, &Frame::default(), &Ids::default(), [0.5, 0.0, 0.0, 0.5, 3.0, 3.0]);
        for stencils in [Vec::new(), drawing.stencils(|_| true)] {
            pose(&drawing, &stencils, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        }
        if !kind.starts_with("open") {
            let error = nested::nested(kind, 100_000).expect_err(kind);
            assert!(error.to_string().ends_with("nested more than 1,000 deep"), "{kind}: {error}");
        }
    }
    let _ = nested::nested("open clips", 100_000);
    let _ = nested::nested("open patterns", 100_000);
}
