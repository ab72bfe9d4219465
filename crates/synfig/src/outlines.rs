//! Outlines and advanced outlines: strokes where they have one width, regions else.

use bone_core::exp;
use kurbo::{Affine, Vec2};

use crate::document::SynfigLayer;
use crate::ink::{InkRange, InkTip, OutlineProfile, SplineInk};
use crate::layers::{LayerContext, MadeLayer, SceneBuilder};
use crate::scene::{Cover, ItemContent, ItemMotion, ItemPaint, ItemShape, ItemStroke};
use crate::spline::Spline;
use crate::value::NodeValue;

/// Most dashes of an outline.
const MAX_DASHES: usize = 2000;

impl SceneBuilder<'_> {
    /// An outline along a spline.
    pub(crate) fn outline(&self, layer: &SynfigLayer, context: &LayerContext, paint: ItemPaint) -> MadeLayer {
        let param = |names: &[&str]| self.param(layer, names, context);
        let number = |name: &str, default: f64| self.number_or(layer, name, default, context);
        let spline = Spline::of(&param(&["bline", "segment_list"]));
        let advanced = layer.kind == "advanced_outline";
        // Widths of the first version were half of what they are since.
        let doubled = if layer.version == "0.1" && !advanced { 2.0 } else { 1.0 };
        let (width, expand) = (doubled * number("width", 1.0), number("expand", 0.0));
        let half = |factor: f64| exp(context.grow) * (0.5 * factor * width + expand);
        let widths: Vec<f64> = spline.points.iter().map(|point| half(point.width)).collect();
        let first = widths.first().copied().unwrap_or(0.0);
        let tips = self.tips(layer, context);
        let sharp =
            if advanced { number("cusp_type", 0.0) == 0.0 } else { number("sharp_cusps", 1.0) != 0.0 };
        let mut ranges = vec![InkRange { from: 0.0, to: 1.0, tips }];
        let mut profile = None;
        let points = param(&["wplist"]);
        if advanced && !points.list().0.is_empty() {
            let place = |at: f64| {
                if number("homogeneous", 0.0) != 0.0 {
                    at.clamp(0.0, 1.0)
                } else {
                    spline.share(at.clamp(0.0, 1.0))
                }
            };
            let (list, ends) = profile_of(&points, &place, &half, tips, spline.closed);
            (profile, ranges) =
                (Some(OutlineProfile::new(list, number("smoothness", 1.0), spline.closed)), ends);
        } else if advanced && number("smoothness", 1.0) != 0.0 {
            let at = |n: usize| spline.share(n as f64 / spline.len().max(1) as f64);
            let closing = spline.closed.then_some((1.0, first));
            let points = widths.iter().enumerate().map(|(n, width)| (at(n), *width)).chain(closing).collect();
            profile = Some(OutlineProfile::new(points, number("smoothness", 1.0), false));
        }
        let dashed = param(&["dash_enabled"]).flag() && !param(&["dilist"]).list().0.is_empty();
        if dashed {
            ranges = dashes(&param(&["dilist"]), number("dash_offset", 0.0), &spline, &ranges);
        }
        let all = profile.as_ref().map_or_else(|| widths.clone(), OutlineProfile::widths);
        let one = all.first().copied().unwrap_or(0.0);
        let even = all.iter().all(|width| (width - one).abs() <= 1e-6 * one.abs().max(1e-3));
        let whole = matches!(ranges[..], [InkRange { from: 0.0, to: 1.0, .. }]);
        let ends = ranges.first().map_or(tips, |range| range.tips);
        let same_tips =
            spline.closed || ends[0] == ends[1] && matches!(ends[0], InkTip::Round | InkTip::Flat);
        if !even || !whole || !same_tips || param(&["invert"]).flag() {
            self.uneven.borrow_mut().insert(layer.place);
        }
        if !self.uneven.borrow().contains(&layer.place) {
            return self.stroke(layer, context, &spline, paint, (one, ends[0], sharp));
        }
        let by_length = advanced || number("homogeneous_width", 1.0) != 0.0;
        let ink = SplineInk { spline: &spline, widths, by_length, sharp, ranges, profile };
        self.filled(layer, context, ink.region(), false, paint)
    }

    fn tips(&self, layer: &SynfigLayer, context: &LayerContext) -> [InkTip; 2] {
        let number = |name: &str| self.number_or(layer, name, 1.0, context);
        if layer.kind == "advanced_outline" {
            return ["start_tip", "end_tip"].map(|name| tip_of(number(name)).unwrap_or(InkTip::Flat));
        }
        ["round_tip[0]", "round_tip[1]"]
            .map(|name| if number(name) != 0.0 { InkTip::Round } else { InkTip::Flat })
    }

    fn stroke(
        &self,
        layer: &SynfigLayer,
        context: &LayerContext,
        spline: &Spline,
        paint: ItemPaint,
        (half, tip, sharp): (f64, InkTip, bool),
    ) -> MadeLayer {
        let names = ["origin", "offset"];
        let mut motion = ItemMotion::by(self.point(self.param(layer, &names, context).pair()));
        motion.sources.offset = self.vector_source(layer, &names, context, self.point(Vec2::ZERO));
        let path = Affine::scale_non_uniform(self.unit.x, -self.unit.y) * spline.path();
        let width = 2.0 * half.max(0.0) * self.length();
        let stroke = ItemStroke { width, round_cap: tip == InkTip::Round, round_join: !sharp };
        let shape = ItemShape {
            path,
            even_odd: false,
            paint,
            stroke: Some(stroke),
            covers: Cover::Part,
            crisp: false,
        };
        MadeLayer::Item(ItemContent::Shape(shape), motion)
    }
}

/// The end that a number stands for; none for one that goes on.
fn tip_of(number: f64) -> Option<InkTip> {
    match number as i64 {
        1 => Some(InkTip::Round),
        2 => Some(InkTip::Square),
        3 => Some(InkTip::Peak),
        4.. => Some(InkTip::Flat),
        _ => None,
    }
}

/// Widths by places, and the stretches between points whose sides go on.
fn profile_of(
    points: &NodeValue,
    place: &dyn Fn(f64) -> f64,
    half: &dyn Fn(f64) -> f64,
    tips: [InkTip; 2],
    closed: bool,
) -> (Vec<(f64, f64)>, Vec<InkRange>) {
    let mut all: Vec<(f64, f64, [Option<InkTip>; 2])> = Vec::new();
    for point in points.list().0 {
        let sides = [2, 3].map(|side| tip_of(point.part(side).number()));
        all.push((place(point.part(0).number()), half(point.part(1).number()).abs(), sides));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranges = Vec::new();
    let mut from = Some((0.0, tips[0]));
    for (at, _, [before, after]) in &all {
        if let (Some(tip), Some((start, first))) = (before, from) {
            // Nothing is before the first point, unless it goes on.
            if start > 0.0 {
                ranges.push(InkRange { from: start, to: *at, tips: [first, *tip] });
            }
            from = Some((*at, *tip));
        }
        if let Some(tip) = after {
            if let Some((start, first)) = from.filter(|(start, _)| start < at) {
                ranges.push(InkRange { from: start, to: *at, tips: [first, *tip] });
            }
            from =
                Some((*at, *tip)).filter(|_| all.iter().any(|other| other.0 > *at && other.2[0].is_none()));
        }
    }
    if let Some((start, first)) = from {
        ranges.push(InkRange { from: start, to: 1.0, tips: [first, tips[1]] });
    }
    let open = closed && all.iter().all(|(.., sides)| *sides == [None, None]);
    if open {
        ranges = vec![InkRange { from: 0.0, to: 1.0, tips }];
    }
    (all.into_iter().map(|(at, width, _)| (at, width)).collect(), ranges)
}

/// The stretches of dashes within others. Each item is a gap and a dash, in units along the spline.
fn dashes(items: &NodeValue, offset: f64, spline: &Spline, ranges: &[InkRange]) -> Vec<InkRange> {
    let total: f64 = spline.lengths().iter().sum();
    let sides =
        |item: &NodeValue| [2, 3].map(|side| tip_of(item.part(side).number()).unwrap_or(InkTip::Flat));
    let tips: Vec<[InkTip; 2]> = items.list().0.iter().map(sides).collect();
    let lengths = |item: &NodeValue| [0, 1].map(|part| item.part(part).number().max(0.0));
    let items: Vec<[f64; 2]> = items.list().0.iter().map(lengths).collect();
    let period: f64 = items.iter().flatten().sum();
    if period <= 1e-6 * total || total <= 0.0 {
        return ranges.to_vec();
    }
    let mut at = offset - (offset / period).ceil() * period;
    let mut all = Vec::new();
    'round: while at < total {
        for (item, tips) in items.iter().zip(&tips) {
            let (from, to) = (at + item[0], at + item[0] + item[1]);
            at = to;
            for range in ranges {
                let (from, to) = ((from / total).max(range.from), (to / total).min(range.to));
                if from < to {
                    all.push(InkRange { from, to, tips: *tips });
                }
            }
            if all.len() >= MAX_DASHES {
                break 'round;
            }
        }
    }
    all
}
