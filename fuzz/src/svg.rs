//! Bytes as a drawing without a rig: read, listed, posed in plain and in absurd ways, and put out in every way. Nothing may panic or
//! hang, each address leads back to its element, and flat buffers fit together.

use std::f64::consts::FRAC_PI_6;
use std::sync::Arc;

use bone_drawing::{
    CanvasPose, FlatCommand, Drawing, ElementId, FindError, FlatFrame, FlatOutline, Frame, Moving, PaintMotion,
    Posable, PosedArt, Verb, Visibility,
};
use kurbo::{Affine, BezPath, Point};
use bone_render::{FrameOptions, FrameSize, Pixmap, Precision, Renderer, Resources};
use bone_render::{decode_svg, read_svg, write_svg};

/// Of each kind at most so many elements are looked up and moved: more cost time and show nothing new.
const MOST: usize = 64;
/// Most outlines of clip paths and masks that are posed.
const MOST_STENCILS: usize = 16;
/// The side of a frame in pixels.
const SIDE: u32 = 24;

/// Bytes as the text of a drawing.
pub fn svg(data: &[u8]) {
    let Ok(text) = decode_svg(data.to_vec()) else { return };
    let Ok((drawing, notes)) = read_svg(&text, &Resources::none()) else { return };
    for place in notes.iter().flat_map(|note| note.place.iter().chain(&note.other)) {
        assert!(text.get(place.span.clone()).is_some(), "{place:?} is no part of the text");
    }
    addresses(&drawing);
    let mut outputs = Outputs::default();
    outputs.put_out(&Arc::new(drawing.clone()), &Frame::default());
    posed(&drawing, &mut outputs);
}

/// Every address leads to its element, also if that is not drawn.
fn addresses(drawing: &Drawing) {
    let all: Vec<ElementId> = drawing.ids().collect();
    for id in all.iter().step_by(all.len().div_ceil(4 * MOST).max(1)).copied() {
        let address = drawing.address(id);
        let found = match drawing.find(&address) {
            Err(FindError::NotDrawn { element, .. }) => Ok(element),
            found => found,
        };
        assert_eq!(found, Ok(id), "{address:?}");
        let _ =
            (drawing.shown_name(id), drawing.find(&format!("{address}/#2")), drawing.find_child(id, "#1"));
        let _ = (drawing.outline(id), drawing.image_box(id), drawing.has_visible(id));
    }
}

/// Moves everything that can be moved.
fn posed(drawing: &Drawing, outputs: &mut Outputs) {
    let drawn: Vec<ElementId> =
        drawing.ids().filter(|id| drawing.node_of(*id).is_some()).take(MOST).collect();
    let outlines = drawn.iter().filter_map(|id| Some((PosedArt::Path(*id), drawing.outline(*id)?.path)));
    let stencils = drawing.stencils(|_| true).into_iter().take(MOST_STENCILS);
    let stencils = stencils.map(|stencil| (PosedArt::Stencil(stencil.clone()), stencil.outline.path));
    let (arts, rest): (Vec<PosedArt>, Vec<BezPath>) = outlines.chain(stencils).unzip();
    let some = |every: usize| drawn.iter().copied().step_by(every).collect::<Vec<_>>();
    for (rigid, arts) in [(drawn.clone(), &[][..]), (Vec::new(), &arts[..]), (some(3), &arts[..])] {
        let visible = some(2);
        let moving = Moving { rigid: &rigid, posed: arts, visible: &visible, ..Moving::default() };
        let Ok(posable) = Posable::new(drawing, &moving) else { continue };
        let mut frame = Frame::default();
        for pose in [plain, absurd] {
            let Given { rigid, outlines, paints, visibilities } = pose(rigid.len(), &rest);
            let given = CanvasPose {
                rigid: &rigid,
                outlines: &outlines,
                paints: &paints,
                visibilities: &visibilities,
                ..CanvasPose::default()
            };
            posable.frame(&given, &mut frame);
            outputs.put_out(posable.drawing(), &frame);
        }
        // Fewer numbers than there are slots.
        posable.frame(&CanvasPose::default(), &mut frame);
        outputs.put_out(posable.drawing(), &frame);
    }
}

/// The numbers of a moment.
struct Given {
    rigid: Vec<Affine>,
    outlines: Vec<BezPath>,
    paints: Vec<PaintMotion>,
    visibilities: Vec<Visibility>,
}

/// Numbers as a rig has them.
fn plain(rigid: usize, rest: &[BezPath]) -> Given {
    let bend = Affine::rotate(FRAC_PI_6) * Affine::scale_non_uniform(1.2, 0.8);
    let paint = PaintMotion { paint: Some(bend), stroke: Some(1.5) };
    let fading = Visibility { opacity: 0.5, order: 3.0, ..Visibility::SHOWN };
    let cycle =
        [Visibility::SHOWN, Visibility { order: -1.0, ..Visibility::SHOWN }, fading, Visibility::HIDDEN];
    Given {
        rigid: (0..rigid).map(|k| Affine::translate((k as f64, -1.0)) * bend).collect(),
        outlines: rest.iter().map(|path| bend * path).collect(),
        paints: vec![paint; rest.len()],
        visibilities: cycle.into_iter().cycle().take(MOST).collect(),
    }
}

/// Numbers as no rig should have them.
fn absurd(rigid: usize, rest: &[BezPath]) -> Given {
    let matrices = [
        Affine::scale(0.0),
        Affine::scale(f64::NAN),
        Affine::scale(1e11),
        Affine::scale_non_uniform(1e-9, 1.0),
        Affine::translate((1e300, f64::INFINITY)),
        Affine::scale_non_uniform(-1.0, 1.0),
    ];
    let paths = [0.0, f64::NAN, 1e30, 1e8, -1e-8];
    let strokes = [0.0, -1.0, f64::NAN, 1e9, 1e-12];
    let paint = |(k, stroke): (usize, f64)| PaintMotion {
        paint: Some(matrices[k % matrices.len()]),
        stroke: Some(stroke),
    };
    let numbers = [f64::NAN, f64::NEG_INFINITY, -0.0, 1e-9, 2.0, f64::INFINITY];
    let orders = numbers.iter().rev().chain(&numbers);
    let stand =
        |(opacity, order): (&f64, &f64)| Visibility { visible: true, opacity: *opacity, order: *order };
    Given {
        rigid: matrices.into_iter().cycle().take(rigid).collect(),
        outlines: rest
            .iter()
            .zip(paths.into_iter().cycle())
            .map(|(path, n)| Affine::scale(n) * path)
            .collect(),
        paints: strokes.into_iter().cycle().take(rest.len()).enumerate().map(paint).collect(),
        visibilities: numbers.iter().chain(&numbers).zip(orders).map(stand).cycle().take(MOST).collect(),
    }
}

/// Everything that makes something of a frame, with its memory.
#[derive(Default)]
struct Outputs {
    flat: FlatFrame,
    text: String,
    renderer: Renderer,
}

impl Outputs {
    fn put_out(&mut self, drawing: &Arc<Drawing>, frame: &Frame) {
        self.flat.clear();
        drawing.paint(frame, Affine::scale(2.0), &mut self.flat);
        check_flat(&self.flat);
        let canvas = drawing.canvas();
        for (across, down) in (0..25).map(|at| (f64::from(at % 5), f64::from(at / 5))) {
            let at = Point::new(
                canvas.x0 + canvas.width() * across / 4.0,
                canvas.y0 + canvas.height() * down / 4.0,
            );
            if let Some(hit) = drawing.hit_test(frame, at, across) {
                assert_eq!(hit.element, drawing.element_around(hit.node));
            }
        }
        for piece in drawing.painted(frame) {
            let _ = drawing.bounds(frame, &piece);
        }
        for precision in [Precision::Exact, Precision::Digits(2)] {
            write_svg(drawing, frame, precision, &mut self.text);
        }
        let (Ok(size), Some(mut pixmap)) = (FrameSize::new(SIDE, SIDE), Pixmap::new(SIDE, SIDE)) else {
            return;
        };
        // The second time what did not change is copied.
        for _ in 0..2 {
            let _ = self.renderer.draw(drawing, frame, &FrameOptions { size, background: None }, &mut pixmap);
        }
    }
}

/// Indices and ranges lie within their tables, coordinates are as many as the verbs take, and layers are closed.
fn check_flat(flat: &FlatFrame) {
    let outline = |outline: FlatOutline| {
        let verbs = flat.verbs().get(outline.verb..outline.verb + outline.verbs).expect("verbs");
        let taken: usize = verbs.iter().map(|verb| coordinates(*verb)).sum();
        assert_eq!(taken, outline.coordinates);
        assert!(
            flat.coordinates().get(outline.coordinate..outline.coordinate + outline.coordinates).is_some()
        );
    };
    let transform = |at: usize| assert!(at < flat.transforms().len(), "transform {at}");
    let mut open = 0_usize;
    for command in flat.commands() {
        match command {
            FlatCommand::Fill { outline: path, paint, transform: at, .. } => {
                outline(*path);
                transform(*at);
                assert!(*paint < flat.paints().len());
            }
            FlatCommand::Stroke { outline: path, paint, style, transform: at, .. } => {
                outline(*path);
                transform(*at);
                assert!(*paint < flat.paints().len() && *style < flat.strokes().len());
            }
            FlatCommand::Image { transform: at, .. } => transform(*at),
            FlatCommand::Push { layer } => {
                open += 1;
                let clips = &flat.clips()[flat.layers()[*layer].clips.clone()];
                for found in clips.iter().flat_map(|clip| &flat.clip_outlines()[clip.clone()]) {
                    outline(found.outline);
                    transform(found.transform);
                }
            }
            FlatCommand::Pop => open = open.checked_sub(1).expect("a layer that was opened"),
        }
    }
    assert_eq!(open, 0, "layers that stay open");
}

fn coordinates(verb: u8) -> usize {
    let verbs = [Verb::Move, Verb::Line, Verb::Quad, Verb::Cubic, Verb::Close];
    let counts = verbs.into_iter().zip([2, 2, 4, 6, 0]);
    counts.into_iter().find(|(known, _)| *known as u8 == verb).map(|(_, count)| count).expect("a verb")
}
