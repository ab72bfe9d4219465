//! Moments of a rig as data.

use std::sync::{Arc, Mutex, PoisonError};

use bone_layer::drawing::{ElementId, FillCall, ImageCall, LayerCall, PaintSink, StrokeCall};
use bone_layer::kurbo::{Affine, BezPath, PathEl, Point, Vec2};
use bone_layer::motion::BonePose as EnginePose;
use bone_layer::{Angle, Drawing};
use bone_player::BoneOverride;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::Array;
use crate::detached;
use crate::errors::{plain, unknown};
use crate::frame::Frame;
use crate::rig::{PooledState, SharedRig};

/// What a bone does in its parent's frame: on top of the clip, or in its place.
#[pyclass(frozen, get_all, eq, module = "bone_layer")]
#[derive(Clone, Copy, PartialEq)]
pub struct BonePose {
    #[pyo3(name = "move")]
    shift: (f64, f64),
    angle: f64,
    scale: (f64, f64),
    stretch: f64,
    replace: bool,
}

#[pymethods]
impl BonePose {
    #[new]
    #[pyo3(
        signature = (*, r#move=(0.0, 0.0), angle=0.0, scale=(1.0, 1.0), stretch=1.0, replace=false),
        text_signature = "(*, move=(0.0, 0.0), angle=0.0, scale=(1.0, 1.0), stretch=1.0, replace=False)"
    )]
    fn new(r#move: (f64, f64), angle: f64, scale: (f64, f64), stretch: f64, replace: bool) -> PyResult<Self> {
        let all = [r#move.0, r#move.1, angle, scale.0, scale.1, stretch];
        if all.iter().any(|number| !number.is_finite()) {
            return Err(PyValueError::new_err("the numbers of a bone must be finite"));
        }
        Ok(Self { shift: r#move, angle, scale, stretch, replace })
    }

    fn __repr__(&self) -> String {
        let Self { shift, angle, scale, stretch, replace } = self;
        let replace = if *replace { "True" } else { "False" };
        format!(
            "BonePose(move={shift:?}, angle={angle}, scale={scale:?}, stretch={stretch}, replace={replace})"
        )
    }
}

impl BonePose {
    pub fn of(&self) -> BoneOverride {
        let pose = EnginePose {
            origin: Vec2::from(self.shift),
            angle: Angle::from_degrees(self.angle),
            scale: Vec2::from(self.scale),
            stretch: self.stretch,
        };
        if self.replace { BoneOverride::Set(pose) } else { BoneOverride::Add(pose) }
    }
}

/// A moment of a rig.
#[pyclass(frozen, module = "bone_layer")]
pub struct Pose {
    shared: Arc<SharedRig>,
    /// Text and pixels are written into memory of the state.
    posed: Mutex<PooledState>,
}

/// The numbers of a matrix as rows: a, c, e, then b, d, f of SVG.
pub fn rows(matrix: Affine) -> [f64; 6] {
    let [a, b, c, d, e, f] = matrix.as_coeffs();
    [a, c, e, b, d, f]
}

impl Pose {
    pub fn of(shared: Arc<SharedRig>, posed: PooledState) -> Self {
        Self { shared, posed: Mutex::new(posed) }
    }

    fn element(&self, py: Python<'_>, name: &str) -> PyResult<ElementId> {
        self.shared.character.element(name).map_err(|error| unknown(py, &error))
    }

    fn with<T>(&self, work: impl FnOnce(&mut PooledState) -> T) -> T {
        work(&mut self.posed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Pose {
    /// The bones on the canvas, in the order of the rig: of each the two rows of the matrix from its own frame.
    #[getter]
    fn bones(&self) -> Array {
        let numbers: Vec<f64> = self
            .with(|posed| posed.state().world().matrices().iter().flat_map(|matrix| rows(*matrix)).collect());
        let bones = numbers.len() / 6;
        Array::floats(numbers, &[bones, 2, 3])
    }

    /// Where a bone begins and ends on the canvas.
    fn bone(&self, py: Python<'_>, name: &str) -> PyResult<((f64, f64), (f64, f64))> {
        let bone = self.shared.character.bone(name).map_err(|error| unknown(py, &error))?;
        let (origin, tip) = self.with(|posed| {
            let state = posed.state();
            let world = state.world();
            (world.origin(bone), world.tip(self.shared.rig().skeleton(), state.driven(), bone))
        });
        Ok((origin.into(), tip.into()))
    }

    /// The outlines of an element and of all in it, on the canvas: what each step is (0 move, 1 line, 2 quadratic,
    /// 3 cubic, 4 close), and the points of the steps in rows.
    fn outline(&self, py: Python<'_>, element: &str) -> PyResult<(Array, Array)> {
        let element = self.element(py, element)?;
        let (verbs, numbers) = self.with(|posed| {
            let drawing = self.shared.rig().posable().drawing();
            let mut sink =
                OutlineSink { drawing, element, last: None, verbs: Vec::new(), numbers: Vec::new() };
            let view = drawing.canvas_to_output().inverse();
            self.shared.rig().paint(posed.state(), view, &mut sink);
            (sink.verbs, sink.numbers)
        });
        let points = numbers.len() / 2;
        Ok((Array::bytes(verbs), Array::floats(numbers, &[points, 2])))
    }

    /// The posed drawing as the text of an SVG.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            self.with(|posed| {
                let state = posed.state();
                self.shared.rig().write_svg(state);
                state.svg().to_owned()
            })
        })
    }

    /// The element in front at a point of the canvas, or no farther from it than `reach`.
    #[pyo3(signature = (x, y, reach=0.0))]
    fn hit(&self, x: f64, y: f64, reach: f64) -> Option<String> {
        if !(x.is_finite() && y.is_finite() && reach.is_finite()) {
            return None;
        }
        let rig = self.shared.rig();
        let hit = self.with(|posed| rig.hit_test(posed.state(), Point::new(x, y), reach));
        hit.and_then(|hit| hit.element).map(|element| rig.art().address(element))
    }

    /// The box of what is painted on the canvas, of an element or of everything: left, top, right, bottom.
    #[pyo3(signature = (element=None))]
    fn bounds(&self, py: Python<'_>, element: Option<&str>) -> PyResult<Option<(f64, f64, f64, f64)>> {
        let element = element.map(|name| self.element(py, name)).transpose()?;
        let drawing = self.shared.rig().posable().drawing();
        let found = self.with(|posed| {
            let frame = posed.state().frame();
            drawing.painted_box_of(frame, &|node| {
                element.is_none_or(|element| {
                    drawing.element_around(node).is_some_and(|own| drawing.is_within(own, element))
                })
            })
        });
        let found = found.map(|found| drawing.canvas_to_output().inverse().transform_rect_bbox(found));
        Ok(found.map(|found| (found.x0, found.y0, found.x1, found.y1)))
    }

    /// Draws it, as [`Rig.render`] does.
    #[pyo3(signature = (*, size=None, scale=None, background=None, premultiplied=false, out=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn render<'py>(
        &self,
        py: Python<'py>,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
        premultiplied: bool,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = self.shared.draw_options(size, scale, background, premultiplied)?;
        let keeps = out.is_none();
        let drawn = detached(py, || self.with(|posed| posed.draw(&options.frame, keeps)))?;
        Frame::of(drawn.map_err(plain)?, premultiplied)
            .into_python(py, out, |pixels| self.with(|posed| posed.keep(pixels)))
    }
}

/// Keeps the outlines of one element; of a shape with a fill and a stroke one.
struct OutlineSink<'a> {
    drawing: &'a Drawing,
    element: ElementId,
    last: Option<bone_layer::drawing::NodeId>,
    verbs: Vec<u8>,
    numbers: Vec<f64>,
}

impl OutlineSink<'_> {
    fn add(&mut self, node: bone_layer::drawing::NodeId, outline: &BezPath, transform: Affine) {
        let own = self.drawing.element_around(node);
        if self.last == Some(node) || !own.is_some_and(|own| self.drawing.is_within(own, self.element)) {
            return;
        }
        self.last = Some(node);
        for step in outline.elements() {
            let (verb, points): (u8, &[Point]) = match step {
                PathEl::MoveTo(to) => (0, &[*to]),
                PathEl::LineTo(to) => (1, &[*to]),
                PathEl::QuadTo(by, to) => (2, &[*by, *to]),
                PathEl::CurveTo(from, by, to) => (3, &[*from, *by, *to]),
                PathEl::ClosePath => (4, &[]),
            };
            self.verbs.push(verb);
            self.numbers.extend(points.iter().map(|point| transform * *point).flat_map(|it| [it.x, it.y]));
        }
    }
}

impl PaintSink for OutlineSink<'_> {
    fn fill(&mut self, fill: &FillCall<'_>) {
        self.add(fill.node, fill.outline, fill.transform);
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        self.add(stroke.node, stroke.outline, stroke.transform);
    }

    fn image(&mut self, _: &ImageCall<'_>) {}

    fn push_layer(&mut self, _: &LayerCall<'_>) -> bool {
        true
    }

    fn pop_layer(&mut self) {}
}
