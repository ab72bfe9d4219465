//! The calls of `Drawing::paint` are complete: written as text one by one and drawn by resvg, over small drawings
//! of every feature in several poses, they give the renderer's picture. Without layers no pixel differs. In layers
//! edges do: groups without opacity and the like are left out of the calls, so boxes are rounded elsewhere.

use bone_drawing::{Drawing, FillCall, Frame, ImageCall, LayerCall, NodeId, PaintSink, StrokeCall};
use bone_layer_tests::files::{below, shown};
use bone_layer_tests::picture::{Difference, difference};
use bone_layer_tests::poses::{poses, read};
use bone_layer_tests::svg_sink::SvgSink;
use bone_render::{FrameOptions, FrameSize, Pixmap, Renderer};
use kurbo::Affine;
use tiny_skia::Transform;

/// Gives a sink the transforms that a reader of SVG comes to: it multiplies those of groups within each other
/// in single precision.
struct Single<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    view: Affine,
    sink: SvgSink,
}

/// What several frames come to.
#[derive(Debug, Default)]
struct Sum {
    frames: usize,
    differing: usize,
    all: Difference,
}

impl Sum {
    fn add(&mut self, frame: Difference) {
        self.frames += 1;
        self.differing += usize::from(frame.pixels > 0);
        self.all = self.all.and(frame);
    }
}

#[allow(clippy::cast_possible_truncation, reason = "single precision is what is asked for")]
fn single(affine: Affine) -> Transform {
    let [a, b, c, d, e, f] = affine.as_coeffs().map(|n| n as f32);
    Transform::from_row(a, b, c, d, e, f)
}

fn wide(ts: Transform) -> Affine {
    Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from))
}

impl Single<'_> {
    /// From what is around a node to pixels.
    fn around(&self, node: NodeId) -> Transform {
        let mut way: Vec<NodeId> = self.drawing.ancestors(node).skip(1).collect();
        way.reverse();
        let own = |at: NodeId| single(self.frame.transform(self.drawing, at));
        way.into_iter().fold(single(self.view), |ts, at| ts.pre_concat(own(at)))
    }
}

impl PaintSink for Single<'_> {
    fn fill(&mut self, fill: &FillCall<'_>) {
        self.sink.fill(&FillCall { transform: wide(self.around(fill.node)), ..*fill });
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        self.sink.stroke(&StrokeCall { transform: wide(self.around(stroke.node)), ..stroke.clone() });
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        self.sink.image(&ImageCall { transform: wide(self.around(image.node)), ..*image });
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        let around = self.around(layer.node);
        let inside = around.pre_concat(single(self.frame.transform(self.drawing, layer.node)));
        self.sink.push_layer(&LayerCall { transform: wide(inside), around: wide(around), ..*layer })
    }

    fn pop_layer(&mut self) {
        self.sink.pop_layer();
    }
}

/// Frames in which layers differ from the renderer's by more than the edges of curves, and why.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "group-deep",
    "resvg cuts layers within layers where they are turned again and again, and loses what is in them",
)];

#[test]
fn the_calls_are_what_the_renderer_draws() {
    let mut drawings = below("tests/svg", "svg");
    let only = std::env::var("ONLY").ok();
    drawings.retain(|path| only.as_ref().is_none_or(|only| shown(path).contains(only.as_str())));
    let (mut plain, mut layered) = (Sum::default(), Sum::default());
    for path in &drawings {
        let art = read(path);
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_exception = EXCEPTIONS.iter().any(|(of, _)| *of == name);
        let mut renderer = Renderer::new();
        let (mut want, mut numbers) = (Pixmap::new(1, 1).expect("memory"), Frame::default());
        for pose in poses(&art) {
            let posable = pose.posable(&art);
            let drawing = posable.drawing();
            for (scale, frame) in [(1.0, 0), (1.0, 1), (1.0, 2), (1.0, 3), (2.3, 1), (2.3, 3)] {
                let size = FrameSize::from_scale(art.size(), scale).expect("a usable size");
                pose.moved(frame).frame(&posable, &mut numbers);
                let options = FrameOptions { size, background: None };
                renderer.draw(drawing, &numbers, &options, &mut want).expect("a picture");
                let view = size.fit(drawing.size());
                let mut sink = Single { drawing, frame: &numbers, view, sink: SvgSink::default() };
                drawing.paint(&numbers, view, &mut sink);
                let layers = sink.sink.layers;
                let found = difference(&want, &sink.sink.picture(size));
                let all = (size.width() * size.height()) as usize;
                let at = format!("{name}: {}, frame {frame} at {scale}: {found:?}", pose.name);
                if layers == 0 {
                    plain.add(found);
                    assert_eq!(found.pixels, 0, "{at}");
                } else if !is_exception {
                    layered.add(found);
                    // What a filter within a layer samples depends on where the layer begins.
                    let most = if name.contains("filter") { all / 5 } else { all / 25 };
                    assert!(found.beyond_one <= most, "{at}");
                }
            }
        }
    }
    println!("{} drawings; without layers: {plain:?}; with layers: {layered:?}", drawings.len());
}
