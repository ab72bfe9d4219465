//! Layers that draw: shapes, ink, planes and gradients.

use bone_core::Angle;
use kurbo::{Affine, BezPath, Circle, Rect, Shape as _, Vec2};

use crate::document::SynfigLayer;
use crate::evaluate::color_at;
use crate::layers::{LayerContext, MadeLayer, SceneBuilder};
use crate::scene::{Cover, ItemContent, ItemMotion, ItemPaint, ItemShape};
use crate::spline::Spline;
use crate::value::{LightColor, NodeValue};

/// How many colours stand for those between two stops: they are mixed in linear light.
const BETWEEN: usize = 8;
/// The least extent of a gradient, in pixels: one without any has no colours but its last.
const LEAST: f64 = 0.01;
/// Most stripes of checkers, in each direction.
const MAX_STRIPES: f64 = 2000.0;
/// Most tips of a star.
const MAX_TIPS: i64 = 2000;

impl SceneBuilder<'_> {
    pub(crate) fn shape(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |names: &[&str]| self.param(layer, names, context);
        let number = |name: &str| param(&[name]).number();
        let color = || ItemPaint::Color(self.color(param(&["color"]).color()));
        let path = match &*layer.kind {
            "SolidColor" | "solid_color" => return self.plane(color(), context),
            "linear_gradient" | "radial_gradient" => return self.gradient(layer, context),
            "conical_gradient" | "spiral_gradient" => return self.turned_gradient(layer, context),
            "curve_gradient" => return self.curve_gradient(layer, context),
            "checker_board" => return self.checkers(layer, context, color()),
            "text" => return self.text(layer, context),
            "import" => return self.image(layer, context),
            "outline" | "advanced_outline" => return self.outline(layer, context, color()),
            "region" => Spline::of(&param(&["bline", "segment_list"])).path(),
            "polygon" => {
                let mut spline = Spline::of(&param(&["vector_list"]));
                spline.closed = true;
                spline.path()
            }
            "circle" => Circle::new((0.0, 0.0), number("radius").abs()).to_path(1e-4),
            "rectangle" | "filled_rectangle" => {
                let grown = number("expand").abs();
                let (a, b) = (param(&["point1"]).pair(), param(&["point2"]).pair());
                let rect = Rect::from_points(a.to_point(), b.to_point()).inflate(grown, grown);
                if number("bevel") == 0.0 { rect.to_path(0.1) } else { self.bevelled(layer, rect, context) }
            }
            "star" => {
                let count = param(&["points"]).whole().clamp(2, MAX_TIPS);
                let tip = |turn: f64, radius: f64| {
                    let angle = Angle::from_degrees(number("angle") + 360.0 * turn / count as f64);
                    (angle.direction() * radius).to_point()
                };
                let mut path = BezPath::new();
                for n in 0..count {
                    let at = tip(n as f64, number("radius1"));
                    if n == 0 {
                        path.move_to(at)
                    } else {
                        path.line_to(at)
                    }
                    if !param(&["regular_polygon"]).flag() {
                        path.line_to(tip(n as f64 + 0.5, number("radius2")));
                    }
                }
                path.close_path();
                path
            }
            _ => return MadeLayer::Unknown,
        };
        let even_odd = param(&["winding_style"]).whole() == 1;
        self.filled(layer, context, path, even_odd, color())
    }

    /// Squares: stripes across and down, and no colour where they cross.
    fn checkers(&self, layer: &SynfigLayer, context: &LayerContext, paint: ItemPaint) -> MadeLayer {
        let name = if layer.params.contains_key("origin") { "origin" } else { "pos" };
        let page = self.cover(context);
        // Synfig samples at the corners of pixels: squares that are sharp there stay so.
        let half = if context.moved { Vec2::ZERO } else { Vec2::new(0.5, 0.5) };
        let origin = self.point(self.param(layer, &[name], context).pair()) + half;
        let cell = self.vector(self.param(layer, &["size"], context).pair());
        // As many stripes wherever the origin goes, if it does not go far; else they are taken along from behind.
        let origins = self.values(layer, name);
        let seen = origins.iter().map(|at| page - self.point(at.pair()) - half);
        let seen = seen.reduce(|all, page| all.union(page)).unwrap_or(page);
        let is_near = seen.width() <= 3.0 * page.width() && seen.height() <= 3.0 * page.height();
        let away = origin - page.center().to_vec2();
        let periods = Vec2::new((away.x / (2.0 * cell.x)).round(), (away.y / (2.0 * cell.y)).round());
        let shift =
            if is_near { Vec2::ZERO } else { 2.0 * Vec2::new(periods.x * cell.x, periods.y * cell.y) };
        let around = Rect::from_center_size((0.0, 0.0), page.size());
        let area = if is_near { seen } else { around.inflate(2.0 * cell.x.abs(), 2.0 * cell.y.abs()) };
        // Odd ones within these bounds.
        let stripes = |from: f64, to: f64, cell: f64| {
            let (first, last) = ((from / cell).min(to / cell), (from / cell).max(to / cell));
            let first = 2.0 * (0.5 * (first - 2.0)).floor() + 1.0;
            let count = (0.5 * (last - first)).ceil();
            (0.0..MAX_STRIPES).contains(&count).then_some((first, count as i64))
        };
        let both = stripes(area.x0, area.x1, cell.x).zip(stripes(area.y0, area.y1, cell.y));
        let Some(((left, columns), (top, rows))) = both else {
            self.note(layer, "checkers that are too small to be seen");
            return MadeLayer::Item(ItemContent::Group(Vec::new()), ItemMotion::default());
        };
        let mut path = BezPath::new();
        for n in (0..columns).map(|n| left + 2.0 * n as f64) {
            path.extend(Rect::new(n * cell.x, area.y0, (n + 1.0) * cell.x, area.y1).path_elements(0.1));
        }
        for n in (0..rows).map(|n| top + 2.0 * n as f64) {
            path.extend(Rect::new(area.x0, n * cell.y, area.x1, (n + 1.0) * cell.y).path_elements(0.1));
        }
        let shape =
            ItemShape { path, even_odd: true, paint, stroke: None, covers: Cover::Part, crisp: false };
        let mut motion = ItemMotion::by(origin - shift);
        if is_near {
            motion.sources.offset =
                self.vector_source(layer, &[name], context, self.point(Vec2::ZERO) + half);
        }
        MadeLayer::Item(ItemContent::Shape(shape), motion)
    }

    /// A closed path in units, filled; the plane without it where it is inverted.
    pub(crate) fn filled(
        &self,
        layer: &SynfigLayer,
        context: &LayerContext,
        path: BezPath,
        mut even_odd: bool,
        paint: ItemPaint,
    ) -> MadeLayer {
        let names = ["origin", "offset", "pos"];
        let origin = self.param(layer, &names, context).pair();
        let mut path = Affine::scale_non_uniform(self.unit.x, -self.unit.y) * path;
        let corner = self.point(Vec2::ZERO);
        let mut motion = ItemMotion::by(self.point(origin));
        motion.sources.offset = self.vector_source(layer, &names, context, corner);
        if self.param(layer, &["invert"], context).flag() {
            let plane = self.cover(context);
            if origin != Vec2::ZERO {
                path = Affine::translate(self.point(origin)) * path;
                motion = ItemMotion::default();
            } else {
                path = Affine::translate(corner) * path;
                motion = ItemMotion::default();
            }
            let mut outer = plane.to_path(0.1);
            outer.extend(path.elements().iter().copied());
            path = outer;
            even_odd = true;
        }
        let shape = ItemShape { path, even_odd, paint, stroke: None, covers: Cover::Part, crisp: false };
        MadeLayer::Item(ItemContent::Shape(shape), motion)
    }

    /// A rectangle with rounded corners, as Synfig draws them: a quadratic curve at each.
    fn bevelled(&self, layer: &SynfigLayer, rect: Rect, context: &LayerContext) -> BezPath {
        let bevel = self.param(layer, &["bevel"], context).number().abs().min(1.0);
        let (mut x, mut y) = (0.5 * bevel * rect.width(), 0.5 * bevel * rect.height());
        if self.number_or(layer, "bevCircle", 1.0, context) != 0.0 {
            (x, y) = (x.min(y), x.min(y));
        }
        let mut path = BezPath::new();
        path.move_to((rect.x1 - x, rect.y0));
        path.quad_to((rect.x1, rect.y0), (rect.x1, rect.y0 + y));
        path.line_to((rect.x1, rect.y1 - y));
        path.quad_to((rect.x1, rect.y1), (rect.x1 - x, rect.y1));
        path.line_to((rect.x0 + x, rect.y1));
        path.quad_to((rect.x0, rect.y1), (rect.x0, rect.y1 - y));
        path.line_to((rect.x0, rect.y0 + y));
        path.quad_to((rect.x0, rect.y0), (rect.x0 + x, rect.y0));
        path.close_path();
        path
    }

    /// Stops in sRGB. Colours between two stops are mixed in linear light, weighted by their alphas.
    pub(crate) fn stops(&self, gradient: &NodeValue) -> Vec<(f64, LightColor)> {
        let NodeValue::Gradient(stops) = gradient else { return Vec::new() };
        let mut all: Vec<(f64, LightColor)> = Vec::new();
        let mut from = 0.0;
        for (at, color) in stops.iter().copied() {
            if at > from && !all.is_empty() {
                for n in 1..BETWEEN {
                    let between = from + (at - from) * n as f64 / BETWEEN as f64;
                    all.push((between, self.color(color_at(gradient, between))));
                }
            }
            all.push((at.clamp(0.0, 1.0), self.color(color)));
            from = at;
        }
        // One stop is no gradient.
        if all.len() < 2 {
            let color = all.first().map_or([0.0; 4], |(_, color)| *color);
            all = vec![(0.0, color), (1.0, color)];
        }
        all
    }

    fn gradient(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |names: &[&str]| self.param(layer, names, context);
        let mut stops = self.stops(&param(&["gradient"]));
        let spread = if param(&["loop"]).flag() { "repeat" } else { "pad" };
        if param(&["zigzag"]).flag() {
            // There and back within one length.
            let back = stops.iter().rev().map(|(at, color)| (1.0 - 0.5 * at, *color));
            stops = stops.iter().map(|(at, color)| (0.5 * at, *color)).chain(back).collect();
        }
        let paint = if layer.kind == "linear_gradient" {
            let (from, mut to) = (self.point(param(&["p1"]).pair()), self.point(param(&["p2"]).pair()));
            if (to - from).hypot() < LEAST {
                to.x += LEAST;
            }
            ItemPaint::Linear { from, to, stops, spread }
        } else {
            let center = self.point(param(&["center"]).pair());
            let radius = (param(&["radius"]).number().abs() * self.length()).max(LEAST);
            ItemPaint::Radial { center, radius, stops, spread }
        };
        self.plane(paint, context)
    }
}
