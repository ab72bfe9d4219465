//! What a frame fills, and the referee of folds: areas by scan lines, with the winding number of the outline
//! that the bones alone give. It shares no code with what takes folds out.

use bone_layer::PaintSink;
use bone_layer::drawing::{
    BlendMode, Brush, FillCall, FillRule, Frame, ImageCall, LayerCall, NodeId, StrokeCall,
};
use bone_layer::kurbo::{BezPath, ParamCurve, PathEl, Point, Rect, flatten};
use bone_layer::{FrameState, Rig};

/// From this opacity on nothing is seen through a fill.
const SOLID: f64 = 0.95;
/// Scan lines of a measurement.
const LINES: usize = 192;
/// Outlines are flattened to this share of the longer side of their box: two cubics along one curve have their
/// chords at different places.
const FLAT: f64 = 2e-5;

/// A filled outline on the canvas.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) node: NodeId,
    pub(crate) rule: FillRule,
    pub(crate) outline: BezPath,
    /// Whether nothing is seen through it: no part of it is translucent, blurred or masked.
    pub(crate) solid: bool,
}

#[derive(Default)]
struct Collected {
    fills: Vec<Fill>,
    /// For each open layer, whether what is in it stays solid.
    layers: Vec<bool>,
}

impl PaintSink for Collected {
    fn fill(&mut self, fill: &FillCall<'_>) {
        let outline = fill.transform * fill.outline;
        let opaque = match fill.brush {
            Brush::Color(_) => true,
            Brush::Gradient { gradient, .. } => gradient.stops.iter().all(|stop| stop.opacity >= SOLID),
            Brush::Pattern { .. } => false,
        };
        let solid = opaque && fill.opacity >= SOLID && !self.layers.contains(&false);
        self.fills.push(Fill { node: fill.node, rule: fill.rule, outline, solid });
    }
    fn stroke(&mut self, _: &StrokeCall<'_>) {}
    fn image(&mut self, _: &ImageCall<'_>) {}
    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        let plain = layer.opacity >= SOLID && layer.blend == BlendMode::Normal;
        self.layers.push(plain && layer.mask.is_none() && layer.filters.is_empty());
        true
    }
    fn pop_layer(&mut self) {
        self.layers.pop();
    }
}

/// The fills of a posed state, in paint order. Gradients are not cut into patches.
pub(crate) fn fills(rig: &Rig, state: &FrameState) -> Vec<Fill> {
    let mut frame = Frame::default();
    rig.frame_in_pieces(state, &mut frame);
    let drawing = rig.posable().drawing();
    let mut found = Collected::default();
    drawing.paint(&frame, drawing.canvas_to_output().inverse(), &mut found);
    found.fills
}

/// A straight side that goes down or up, of a subpath.
#[derive(Clone, Copy, Debug)]
struct Side {
    from: Point,
    to: Point,
    subpath: usize,
}

/// The sides of an outline. Subpaths are closed, as a fill does.
fn sides(outline: &BezPath, tolerance: f64) -> Vec<Side> {
    let mut sides = Vec::new();
    let (mut start, mut last, mut subpath) = (Point::ZERO, Point::ZERO, 0_usize);
    flatten(outline.iter().filter(PathEl::is_finite), tolerance, |element| match element {
        PathEl::MoveTo(to) => {
            sides.push(Side { from: last, to: start, subpath });
            (start, last, subpath) = (to, to, subpath + 1);
        }
        PathEl::LineTo(to) => {
            sides.push(Side { from: last, to, subpath });
            last = to;
        }
        PathEl::ClosePath => {
            sides.push(Side { from: last, to: start, subpath });
            last = start;
        }
        // Nothing else is in a flattened outline.
        PathEl::QuadTo(..) | PathEl::CurveTo(..) => {}
    });
    sides.push(Side { from: last, to: start, subpath });
    sides.retain(|side| side.from.y != side.to.y);
    sides
}

/// Where sides cross scan lines: from left to right, with the change of the winding number of a subpath.
struct ScanLines {
    step: f64,
    crossings: Vec<Vec<(f64, i32, usize)>>,
}

impl ScanLines {
    /// Lines through a box for several outlines; subpaths of each are numbered from `0` in steps of `groups`.
    fn new(bounds: Rect, outlines: &[&BezPath]) -> Self {
        let tolerance = FLAT * bounds.width().max(bounds.height());
        let step = bounds.height() / LINES as f64;
        let mut crossings = vec![Vec::new(); LINES];
        for (group, outline) in outlines.iter().enumerate() {
            for side in sides(outline, tolerance) {
                let (top, bottom, turn) = match side.from.y < side.to.y {
                    true => (side.from, side.to, 1),
                    false => (side.to, side.from, -1),
                };
                // Line number k is at (k + 1/2) steps.
                let number = |y: f64| ((y - bounds.y0) / step - 0.5).ceil().clamp(0.0, LINES as f64) as usize;
                let lines = crossings.iter_mut().enumerate();
                for (line, crossed) in lines.take(number(bottom.y)).skip(number(top.y)) {
                    let y = bounds.y0 + (line as f64 + 0.5) * step;
                    let x = top.x + (bottom.x - top.x) * (y - top.y) / (bottom.y - top.y);
                    crossed.push((x, turn, side.subpath * outlines.len() + group));
                }
            }
        }
        for line in &mut crossings {
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Self { step, crossings }
    }

    /// Sums the widths of stretches times the step, by what `of` makes of each crossing so far.
    fn areas<const N: usize>(
        &self,
        mut state: impl FnMut() -> Box<dyn FnMut(i32, usize) -> [bool; N]>,
    ) -> [f64; N] {
        let mut areas = [0.0; N];
        for line in &self.crossings {
            let mut at = state();
            for pair in line.windows(2) {
                let holds = at(pair[0].1, pair[0].2);
                for (area, holds) in areas.iter_mut().zip(holds) {
                    if holds {
                        *area += (pair[1].0 - pair[0].0) * self.step;
                    }
                }
            }
        }
        areas
    }
}

pub(crate) fn paints(rule: FillRule, winding: i32) -> bool {
    match rule {
        FillRule::NonZero => winding != 0,
        FillRule::EvenOdd => winding % 2 != 0,
    }
}

fn bounds_of(outlines: &[&BezPath]) -> Option<Rect> {
    let boxes = outlines.iter().filter(|path| !path.is_empty()).map(|path| path.control_box());
    boxes.reduce(|a, b| a.union(b)).filter(|all| all.is_finite() && all.height() > 0.0 && all.width() > 0.0)
}

/// The area that a fill paints.
pub(crate) fn area(fill: &Fill) -> f64 {
    let Some(bounds) = bounds_of(&[&fill.outline]) else { return 0.0 };
    let rule = fill.rule;
    let lines = ScanLines::new(bounds, &[&fill.outline]);
    let [painted] = lines.areas(|| {
        let mut winding = 0;
        Box::new(move |turn, _| {
            winding += turn;
            [paints(rule, winding)]
        })
    });
    painted
}

/// The directions of the subpaths of an outline with which it paints where its winding number is positive.
#[derive(Clone, Debug)]
pub(crate) struct Directions(Vec<i32>);

impl Directions {
    /// Finds them at rest: each subpath, from the largest on, adds paint or takes it away. Where no
    /// directions give the picture, all subpaths have the direction of most of the paint.
    pub(crate) fn of(rest: &Fill) -> Option<Self> {
        let bounds = bounds_of(&[&rest.outline])?;
        let lines = ScanLines::new(bounds, &[&rest.outline]);
        let count = 1 + lines.crossings.iter().flatten().map(|crossing| crossing.2).max()?;
        let mut sizes: Vec<(f64, usize)> = (0..count).map(|subpath| (0.0, subpath)).collect();
        let mut most = 0.0;
        for line in &lines.crossings {
            let mut winding = 0;
            for pair in line.windows(2) {
                winding += pair[0].1;
                most += f64::from(winding.signum()) * (pair[1].0 - pair[0].0);
            }
            for (x, turn, subpath) in line {
                sizes[*subpath].0 += x * f64::from(*turn);
            }
        }
        sizes.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then(a.1.cmp(&b.1)));
        let mut turned = vec![0; count];
        for (_, subpath) in &sizes {
            turned[*subpath] = own_direction(&lines, *subpath, &turned, rest.rule);
        }
        let found = Self(turned);
        let [apart, painted] = lines.areas(|| {
            let (mut own, mut winding) = (0, 0);
            let (found, rule) = (found.clone(), rest.rule);
            Box::new(move |turn, subpath| {
                own += turn;
                winding += turn * found.0[subpath];
                [(winding > 0) != paints(rule, own), paints(rule, own)]
            })
        });
        let fits = apart <= 1e-3 * painted;
        Some(if fits { found } else { Self(vec![if most < 0.0 { -1 } else { 1 }; count]) })
    }
}

/// The direction of a subpath that paints what is painted just inside it, beside larger ones that have
/// theirs.
fn own_direction(lines: &ScanLines, subpath: usize, turned: &[i32], rule: FillRule) -> i32 {
    // The widest stretch that starts at the subpath's left side.
    let mut best: (f64, i32) = (0.0, 1);
    for line in &lines.crossings {
        let (mut all, mut larger, mut own) = (0, 0, 0);
        for pair in line.windows(2) {
            let (_, turn, of) = pair[0];
            all += turn;
            larger += turn * turned[of];
            let width = pair[1].0 - pair[0].0;
            if of == subpath {
                let entered = own == 0;
                own += turn;
                if entered && width > best.0 {
                    let wanted = match (paints(rule, all), larger > 0) {
                        (true, _) | (false, false) => 1,
                        (false, true) => -1,
                    };
                    best = (width, wanted * own.signum());
                }
            }
        }
    }
    best.1
}

/// The area that an outline has as the bones alone take it, where its winding number is not 0.
pub(crate) fn wound_area(kept: &BezPath, directions: &Directions) -> f64 {
    let Some(bounds) = bounds_of(&[kept]) else { return 0.0 };
    let [wound] = ScanLines::new(bounds, &[kept]).areas(|| {
        let (mut winding, directions) = (0, directions.clone());
        Box::new(move |turn, subpath| {
            winding += turn * directions.0.get(subpath).copied().unwrap_or(1);
            [winding != 0]
        })
    });
    wound
}

/// Right paint of an outline as the bones alone take it, and how much of it a fill leaves unpainted.
pub(crate) fn lost(kept: &BezPath, directions: &Directions, fill: &Fill) -> (f64, f64) {
    let outlines = [kept, &fill.outline];
    let Some(bounds) = bounds_of(&outlines) else { return (0.0, 0.0) };
    let lines = ScanLines::new(bounds, &outlines);
    let [right, lost] = lines.areas(|| {
        let (mut winding, mut painted) = (0, 0);
        let (directions, rule) = (directions.clone(), fill.rule);
        Box::new(move |turn, place| {
            match place % 2 {
                0 => winding += turn * directions.0.get(place / 2).copied().unwrap_or(1),
                _ => painted += turn,
            }
            [winding > 0, winding > 0 && !paints(rule, painted)]
        })
    });
    (right, lost)
}

/// Points along an outline with the direction of the outline there, about `step` apart, and their spacing.
pub(crate) fn along(outline: &BezPath, step: f64, mut each: impl FnMut(usize, f64, f64)) {
    for (number, segment) in outline.segments().enumerate() {
        let polygon: f64 = segment.to_cubic().control_length();
        if !polygon.is_finite() || polygon <= 0.0 {
            continue;
        }
        let count = (polygon / step).ceil().clamp(1.0, 400.0) as usize;
        for at in 0..count {
            each(number, (at as f64 + 0.5) / count as f64, polygon / count as f64);
        }
    }
}

trait ControlLength {
    fn control_length(&self) -> f64;
}

impl ControlLength for bone_layer::kurbo::CubicBez {
    fn control_length(&self) -> f64 {
        self.p0.distance(self.p1) + self.p1.distance(self.p2) + self.p2.distance(self.p3)
    }
}

/// A point of a segment, and its direction.
pub(crate) fn place(
    segment: &bone_layer::kurbo::PathSeg,
    t: f64,
) -> Option<(Point, bone_layer::kurbo::Vec2)> {
    let along = segment.eval((t + 0.01).min(1.0)) - segment.eval((t - 0.01).max(0.0));
    let length = along.hypot();
    (length > 0.0).then(|| (segment.eval(t), along / length))
}

/// The number of the solid fill on top at each pixel of a grid.
pub(crate) fn topmost(
    fills: &[Fill],
    to_grid: bone_layer::kurbo::Affine,
    width: usize,
    height: usize,
) -> Vec<u32> {
    let mut grid = vec![u32::MAX; width * height];
    for (number, fill) in fills.iter().enumerate().filter(|(_, fill)| fill.solid) {
        let outline = to_grid * &fill.outline;
        let mut rows: Vec<Vec<(f64, i32)>> = vec![Vec::new(); height];
        for side in sides(&outline, 0.1) {
            let (top, bottom, turn) = match side.from.y < side.to.y {
                true => (side.from, side.to, 1),
                false => (side.to, side.from, -1),
            };
            let row = |y: f64| (y - 0.5).ceil().clamp(0.0, height as f64) as usize;
            for (at, row) in rows.iter_mut().enumerate().take(row(bottom.y)).skip(row(top.y)) {
                let y = at as f64 + 0.5;
                row.push((top.x + (bottom.x - top.x) * (y - top.y) / (bottom.y - top.y), turn));
            }
        }
        for (at, row) in rows.iter_mut().enumerate() {
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut winding = 0;
            for pair in row.windows(2) {
                winding += pair[0].1;
                if paints(fill.rule, winding) {
                    let column = |x: f64| (x - 0.5).ceil().clamp(0.0, width as f64) as usize;
                    let (from, to) = (column(pair[0].0), column(pair[1].0));
                    grid[at * width + from..at * width + to.max(from)].fill(number as u32);
                }
            }
        }
    }
    grid
}
