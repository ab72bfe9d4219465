//! Gradients that SVG has not, as bands of one colour each: around a point, along a spiral, beside a spline. A band
//! reaches under the next one, so that no seam is between them; what is translucent has edges without smoothing.

use std::rc::Rc;

use bone_core::Angle;
use kurbo::{Affine, BezPath, PathEl, Rect, Shape as _, Vec2};

use crate::contours::{Field, contours};
use crate::document::SynfigLayer;
use crate::evaluate::color_at;
use crate::layers::{LayerContext, MadeLayer, SceneBuilder, key_of};
use crate::scene::{Cover, ItemContent, ItemMotion, ItemPaint, ItemShape, SceneItem};
use crate::spline::Spline;
use crate::value::{LightColor, NodeValue};

/// The largest step from band to band, as a share of the full level.
const STEP: f64 = 4.0 / 255.0;
/// How many bands there are beside those between stops, at most, and how many stops.
const MAX_BANDS: usize = 100;
const MAX_CORNERS: usize = 200;
/// Most turns of a spiral, and the curves of each.
const MAX_TURNS: f64 = 40.0;
const TURN_PIECES: f64 = 8.0;
/// At how many times of the film it is looked whether something changes.
const LOOKS: usize = 97;

/// The bands of a gradient.
struct GradientBands {
    /// Where they begin, from 0 on, and 1.
    places: Vec<f64>,
    colors: Vec<LightColor>,
    is_opaque: bool,
}

impl GradientBands {
    fn len(&self) -> usize {
        self.colors.len()
    }

    /// The place where the shape of a band ends.
    fn end(&self, band: usize) -> f64 {
        let next = band + if self.is_opaque { 2 } else { 1 };
        self.places.get(next).copied().unwrap_or(1.0)
    }
}

impl SceneBuilder<'_> {
    /// A gradient around a point or along a spiral.
    pub(crate) fn turned_gradient(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |name: &str| self.param(layer, &[name], context);
        let is_spiral = layer.kind == "spiral_gradient";
        let bands = self.bands(layer, !is_spiral && param("symmetric").flag(), context);
        let page = Rect::new(0.0, 0.0, self.page.size.0, self.page.size.1);
        let center = self.point(param("center").pair());
        // All that comes to the page, wherever the middle goes.
        let middles = self.values(layer, "center");
        let corners = [(page.x0, page.y0), (page.x0, page.y1), (page.x1, page.y0), (page.x1, page.y1)];
        let far = |middle: &NodeValue| {
            let middle = self.point(middle.pair()).to_point();
            corners.iter().map(|corner| middle.distance((*corner).into())).fold(0.0, f64::max)
        };
        let larger = if context.moved { 1.5 } else { 1.05 };
        let reach = larger * middles.iter().map(far).fold(1.0, f64::max) / self.length();
        let mut spiral = None;
        if is_spiral {
            let radius = param("radius").number().abs().max(1e-6);
            if reach / radius > MAX_TURNS {
                self.note(layer, "the outer turns of a spiral");
            }
            spiral = Some((radius, if param("clockwise").flag() { -1.0 } else { 1.0 }));
        }
        let to_page = Affine::scale_non_uniform(self.unit.x, self.unit.y);
        let mut shapes: Vec<BezPath> = (0..bands.len())
            .map(|band| to_page * turned_band(bands.places[band], bands.end(band), reach, spiral))
            .collect();
        if let (true, Some(first)) = (bands.is_opaque, shapes.first_mut()) {
            *first = to_page * Rect::new(-reach, -reach, reach, reach).to_path(0.1);
        }
        let mut motion = ItemMotion::by(center);
        motion.angle = -param("angle").number();
        motion.sources.offset = self.vector_source(layer, &["center"], context, self.point(Vec2::ZERO));
        motion.sources.angle = self.source(layer, "angle", context).map(|node| (node, -1.0));
        MadeLayer::Item(self.banded(layer, context, shapes, &bands), motion)
    }

    /// A gradient across or along a spline.
    pub(crate) fn curve_gradient(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |name: &str| self.param(layer, &[name], context);
        if ["bline", "width", "perpendicular"].iter().any(|name| self.values(layer, name).len() > 1) {
            self.note(layer, "the motion of the spline of a gradient, which keeps its first shape");
        }
        let bands = self.bands(layer, param("zigzag").flag(), context);
        let key = format!("{}{}", context.key, key_of(layer));
        let corner = self.point(Vec2::ZERO);
        let known = self.contours.borrow().get(&key).cloned();
        let shapes = known.unwrap_or_else(|| {
            let start = LayerContext { time: self.page.begin, ..context.clone() };
            let first = |name: &str| self.param(layer, &[name], &start);
            let spline = Spline::of(&first("bline"));
            let field = Field::new(&spline, first("perpendicular").flag(), first("width").number());
            // All that comes to the page, wherever the origin goes.
            let origins = self.values(layer, "origin");
            let seen = origins.iter().map(|origin| self.cover(context) - self.point(origin.pair()));
            let page =
                seen.reduce(|all, page| all.union(page)).unwrap_or_else(|| self.cover(context) - corner);
            let to_page = Affine::scale_non_uniform(self.unit.x, -self.unit.y);
            let map = to_page.inverse();
            let loops = first("loop").flag();
            let (made, is_whole) = contours(
                page,
                |at| field.at((map * at).to_vec2()),
                &bands.places,
                loops,
                bands.is_opaque,
                field.cost(),
            );
            if !is_whole {
                self.note(layer, "repetitions of a gradient, which are too narrow");
            }
            self.contours.borrow_mut().insert(key.clone(), made.clone());
            made
        });
        let mut motion = ItemMotion::by(self.point(param("origin").pair()));
        motion.sources.offset = self.vector_source(layer, &["origin"], context, corner);
        MadeLayer::Item(self.banded(layer, context, shapes, &bands), motion)
    }

    /// Bands as a group. The first of opaque ones is all of the plane.
    fn banded(
        &self,
        layer: &SynfigLayer,
        context: &LayerContext,
        shapes: Vec<BezPath>,
        bands: &GradientBands,
    ) -> ItemContent {
        let is_turned = layer.kind != "curve_gradient";
        let item = |(band, (path, color)): (usize, (BezPath, &LightColor))| {
            let covers = if bands.is_opaque && band == 0 { Cover::Plane } else { Cover::Part };
            let paint = ItemPaint::Color(*color);
            let shape = ItemShape {
                path,
                even_odd: !is_turned,
                paint,
                stroke: None,
                covers,
                crisp: !bands.is_opaque,
            };
            let key = format!("{}{}#{band}", context.key, key_of(layer)).into();
            SceneItem::new(key, "band".into(), layer.place, ItemContent::Shape(shape))
        };
        ItemContent::Group(shapes.into_iter().zip(&bands.colors).enumerate().map(item).collect())
    }

    /// Values of a parameter at some times of the film, each once.
    pub(crate) fn values(&self, layer: &SynfigLayer, name: &'static str) -> Rc<[NodeValue]> {
        let Some(node) = self.node(layer, &[name]) else { return Rc::new([]) };
        let key = (layer.place, name);
        if let Some(known) = self.looks.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut all: Vec<NodeValue> = Vec::new();
        for look in 0..LOOKS {
            let share = look as f64 / (LOOKS - 1) as f64;
            let time = self.page.begin + share * (self.page.end - self.page.begin);
            let value = self.evaluator.value(node, time);
            if !all.contains(&value) {
                all.push(value);
            }
        }
        let all: Rc<[NodeValue]> = all.into();
        self.looks.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    /// Places between which the gradient of a layer has nearly one colour at all times, and whether it is opaque.
    fn places(&self, layer: &SynfigLayer) -> (Rc<[f64]>, bool) {
        if let Some(known) = self.places.borrow().get(&layer.place) {
            return known.clone();
        }
        let gradients = self.values(layer, "gradient");
        // A few stand for all of them.
        let gradients: Vec<&NodeValue> =
            gradients.iter().step_by(gradients.len().div_ceil(9).max(1)).collect();
        let color = |gradient: &NodeValue, at: f64| self.color(color_at(gradient, at));
        let mut corners: Vec<f64> = vec![0.0, 1.0];
        for gradient in &gradients {
            if let NodeValue::Gradient(stops) = gradient {
                corners.extend(stops.iter().map(|(at, _)| at.clamp(0.0, 1.0)));
            }
        }
        corners.sort_by(f64::total_cmp);
        corners.dedup_by(|a, b| *a - *b < 1e-6);
        if corners.len() > MAX_CORNERS {
            self.note(layer, format!("stops of a gradient, of which {MAX_CORNERS} are kept"));
            corners =
                corners.iter().copied().step_by(corners.len().div_ceil(MAX_CORNERS)).chain([1.0]).collect();
        }
        // How far colours go in each eighth between two corners.
        let changes: Vec<[f64; 8]> = corners
            .windows(2)
            .map(|pair| {
                let at = |part: usize| pair[0] + (pair[1] - pair[0]) * (1e-6 + 0.999_998 * part as f64 / 8.0);
                std::array::from_fn(|part| {
                    let differences = gradients.iter().map(|gradient| {
                        let (a, b) = (color(gradient, at(part)), color(gradient, at(part + 1)));
                        a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                    });
                    differences.fold(0.0, f64::max)
                })
            })
            .collect();
        let total: f64 = changes.iter().flatten().sum();
        let step = STEP.max(total / MAX_BANDS as f64);
        let mut places = Vec::new();
        for (pair, changes) in corners.windows(2).zip(&changes) {
            let whole: f64 = changes.iter().sum();
            let count = (whole / step).ceil().max(1.0);
            places.push(pair[0]);
            // A border wherever colours have gone as far as the others.
            let (mut passed, mut next) = (0.0, whole / count);
            for (part, change) in changes.iter().enumerate() {
                while next < whole - 1e-9 && next <= passed + change {
                    let share = (part as f64 + (next - passed) / change) / 8.0;
                    places.push(pair[0] + (pair[1] - pair[0]) * share);
                    next += whole / count;
                }
                passed += change;
            }
        }
        places.push(1.0);
        let is_solid = |at: f64| gradients.iter().all(|gradient| color(gradient, at)[3] >= 1.0);
        let is_opaque = places.windows(2).all(|pair| is_solid(0.5 * (pair[0] + pair[1])));
        let found = (Rc::from(places), is_opaque);
        self.places.borrow_mut().insert(layer.place, found.clone());
        found
    }

    /// The bands of the gradient of a layer: the same ones at all times, with the colours of this one.
    fn bands(&self, layer: &SynfigLayer, zigzag: bool, context: &LayerContext) -> GradientBands {
        let (places, is_opaque) = self.places(layer);
        let now = self.param(layer, &["gradient"], context);
        let color = |pair: &[f64]| self.color(color_at(&now, 0.5 * (pair[0] + pair[1])));
        let mut colors: Vec<LightColor> = places.windows(2).map(color).collect();
        let mut places = places.to_vec();
        if zigzag {
            let back: Vec<f64> = places.iter().rev().skip(1).map(|at| 1.0 - 0.5 * at).collect();
            places.iter_mut().for_each(|at| *at *= 0.5);
            places.extend(back);
            colors.extend_from_within(..);
            let count = colors.len() / 2;
            colors[count..].reverse();
        }
        GradientBands { places, colors, is_opaque }
    }
}

/// What is between two places of a gradient around a point: a part of a disc of a radius, or a band along a spiral of
/// this radius and direction.
fn turned_band(from: f64, to: f64, reach: f64, spiral: Option<(f64, f64)>) -> BezPath {
    let direction = |turn: f64| Angle::from_degrees(360.0 * turn).direction();
    let Some((radius, side)) = spiral else {
        // Wide ones have corners outside.
        let count = (12.0 * (to - from)).ceil().max(1.0);
        let mut path = BezPath::new();
        path.move_to((0.0, 0.0));
        for n in 0..=count as usize {
            path.line_to((direction(from + (to - from) * n as f64 / count) * reach).to_point());
        }
        path.close_path();
        return path;
    };
    // Point and direction of the border at a place, by the turns from the middle on.
    let border = |place: f64, turn: f64| {
        let along = direction(side * (turn - place));
        let across = Vec2::new(-along.y, along.x) * side * std::f64::consts::TAU;
        (along * radius * turn, (along + across * turn) * radius)
    };
    let turns = (reach / radius).min(MAX_TURNS);
    let count = (turns * TURN_PIECES).ceil();
    let step = turns / count;
    let piece = |place: f64, start: f64, end: f64| {
        let ((a, leaving), (b, arriving)) = (border(place, start), border(place, end));
        let third = (end - start) / 3.0;
        PathEl::CurveTo((a + leaving * third).to_point(), (b - arriving * third).to_point(), b.to_point())
    };
    let outside = |place: f64| PathEl::LineTo((border(place, turns).0 * 1.1).to_point());
    let mut path = BezPath::new();
    path.move_to((0.0, 0.0));
    path.extend((0..count as usize).map(|n| piece(from, n as f64 * step, (n + 1) as f64 * step)));
    path.extend([outside(from), outside(to), PathEl::LineTo(border(to, turns).0.to_point())]);
    path.extend((0..count as usize).rev().map(|n| piece(to, (n + 1) as f64 * step, n as f64 * step)));
    path.close_path();
    path
}
