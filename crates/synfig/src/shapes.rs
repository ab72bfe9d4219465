//! Layers that draw: shapes, ink, planes and gradients.

use bone_core::Angle;
use kurbo::{Affine, BezPath, Circle, Rect, Shape as _, Vec2};

use crate::document::SynfigLayer;
use crate::evaluate::color_at;
use crate::layers::{LayerContext, MadeLayer, SceneBuilder};
use crate::scene::{ItemContent, ItemMotion, ItemPaint, ItemShape};
use crate::spline::Spline;
use crate::value::{LightColor, NodeValue};

/// How many colours stand for those between two stops: they are mixed in linear light.
const BETWEEN: usize = 8;
/// The least extent of a gradient, in pixels: one without any has no colours but its last.
const LEAST: f64 = 0.01;
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
            "text" => return self.text(layer, context),
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
        let shape = ItemShape { path, even_odd, paint, stroke: None, covers: false };
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
