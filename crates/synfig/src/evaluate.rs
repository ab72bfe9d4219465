//! The value of a node at a time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bone_core::Angle;
use bone_core::{exp, ln};
use kurbo::Vec2;

use crate::bones::{self, LinkParts};
use crate::curves::{CurveSegment, segments, value_at};
use crate::document::{ListEntry, NodeIndex, SourceKind, SynfigDocument, Waypoint};
use crate::spline::Spline;
use crate::value::NodeValue;

/// Most evaluations of nodes in an import: half a minute.
const MAX_STEPS: u64 = 200_000_000;
/// Deepest chain of links; evaluation recurses.
const MAX_LINKS: usize = 200;

/// A value, with the time and the index of a copy for which it holds.
type KeptValue = ((f64, f64), NodeValue);

/// Evaluates nodes. The last value of each node is kept: many layers share one.
pub(crate) struct Evaluator<'a> {
    pub(crate) document: &'a SynfigDocument,
    segments: Vec<Option<Vec<CurveSegment>>>,
    kept: RefCell<Vec<Option<KeptValue>>>,
    /// What nodes of duplicated layers read.
    pub(crate) index: Cell<f64>,
    steps: Cell<u64>,
    depth: Cell<usize>,
    /// Converters that are not read, by their names and the nodes.
    pub(crate) unknown: RefCell<BTreeSet<(NodeIndex, String)>>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(document: &'a SynfigDocument) -> Self {
        let curve = |kind: &SourceKind| match kind {
            SourceKind::Animated(points) => segments(document, points),
            _ => None,
        };
        Self {
            document,
            segments: document.nodes.iter().map(|node| curve(&node.kind)).collect(),
            kept: RefCell::new(vec![None; document.nodes.len()]),
            index: Cell::new(0.0),
            steps: Cell::new(0),
            depth: Cell::new(0),
            unknown: RefCell::default(),
        }
    }

    /// Whether there was too much to evaluate.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() > MAX_STEPS
    }

    /// The value of a node. A ring of links has none.
    pub(crate) fn value(&self, node: NodeIndex, time: f64) -> NodeValue {
        let node = self.document.found(node);
        let key = (time, self.index.get());
        if let Some(Some((at, value))) = self.kept.borrow().get(node)
            && *at == key
        {
            return value.clone();
        }
        self.steps.set(self.steps.get() + 1);
        let Some(kind) = self.document.nodes.get(node).map(|node| &node.kind) else {
            return NodeValue::Nothing;
        };
        if let SourceKind::Constant(value) = kind {
            return value.clone();
        }
        if self.depth.get() >= MAX_LINKS || self.is_exhausted() {
            self.unknown.borrow_mut().insert((node, "a ring of links".to_owned()));
            return NodeValue::Nothing;
        }
        self.depth.set(self.depth.get() + 1);
        let value = match kind {
            SourceKind::Animated(points) => self.animated(node, points, time),
            SourceKind::Composite { of, parts } => self.composite(of, parts, time),
            SourceKind::List { entries, closed } => self.list(entries, *closed, time),
            SourceKind::Converter { name, of, links } => {
                let links = ConverterLinks { evaluator: self, links, time };
                converted(&links, name, of).unwrap_or_else(|| {
                    self.unknown.borrow_mut().insert((node, format!("the converter {name}")));
                    links.get("link")
                })
            }
            SourceKind::Constant(_) | SourceKind::Reference(_) | SourceKind::Same(_) => NodeValue::Nothing,
        };
        self.depth.set(self.depth.get() - 1);
        if let Some(kept) = self.kept.borrow_mut().get_mut(node) {
            *kept = Some((key, value.clone()));
        }
        value
    }

    /// The segments of a node, if it is animated by constant waypoints.
    pub(crate) fn segments(&self, node: NodeIndex) -> Option<(&'a [Waypoint], &[CurveSegment])> {
        let node = self.document.found(node);
        match self.document.nodes.get(node).map(|node| &node.kind) {
            Some(SourceKind::Animated(points)) => Some((points, self.segments.get(node)?.as_deref()?)),
            _ => None,
        }
    }

    fn animated(&self, node: NodeIndex, points: &[Waypoint], time: f64) -> NodeValue {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return NodeValue::Nothing };
        let like = || self.value(first.node, time);
        if let Some(Some(segments)) = self.segments.get(node)
            && let Some(value) = value_at(points, segments, &like(), time)
        {
            return value;
        }
        let next = points.partition_point(|point| point.time <= time);
        let Some(from) = next.checked_sub(1).and_then(|at| points.get(at)) else { return like() };
        let Some(to) = points.get(next) else { return self.value(last.node, time) };
        let value = self.value(from.node, time);
        let holds = [from.after, to.before].contains(&crate::document::WaypointSide::Constant);
        if holds {
            return value;
        }
        // Values that are linked themselves are joined by straight lines.
        let share = (time - from.time) / (to.time - from.time);
        value.combined(&self.value(to.node, time), |a, b| a + share * (b - a))
    }

    fn composite(&self, of: &str, parts: &[NodeIndex], time: f64) -> NodeValue {
        let values: Vec<NodeValue> = parts.iter().map(|part| self.value(*part, time)).collect();
        let numbers: Vec<f64> = values.iter().map(NodeValue::number).collect();
        match (of, &numbers[..]) {
            ("vector", [x, y]) => NodeValue::Pair(Vec2::new(*x, *y)),
            ("color", [r, g, b, a]) => NodeValue::Color([*r, *g, *b, *a]),
            _ => NodeValue::Record(values.into()),
        }
    }

    /// Entries that are there. One that comes or goes is moved towards the curve without it.
    fn list(&self, entries: &[ListEntry], closed: bool, time: f64) -> NodeValue {
        let there: Vec<(NodeValue, f64)> = entries
            .iter()
            .map(|entry| (entry, presence(&entry.switches, time)))
            .filter(|(_, share)| *share > 0.0)
            .map(|(entry, share)| (self.value(entry.node, time), share))
            .collect();
        if there.iter().all(|(_, share)| *share >= 1.0) {
            return NodeValue::List(there.into_iter().map(|(value, _)| value).collect(), closed);
        }
        let whole: Vec<NodeValue> =
            there.iter().filter(|(_, share)| *share >= 1.0).map(|(value, _)| value.clone()).collect();
        let curve = Spline::of(&NodeValue::List(whole.into(), closed));
        let mut before = 0;
        let mut all = Vec::new();
        for (value, share) in there {
            match curve.point_between(before).filter(|_| share < 1.0) {
                Some(rest) => all.push(rest.combined(&value, |a, b| a + share * (b - a))),
                None => all.push(value),
            }
            before += usize::from(share >= 1.0);
        }
        NodeValue::List(all.into(), closed)
    }
}

/// How far an entry is there: 1 between times at which it comes, 0 between times at which it goes, on the way else.
fn presence(switches: &[(f64, bool)], time: f64) -> f64 {
    let next = switches.partition_point(|(at, _)| *at <= time);
    let share = |on: bool| f64::from(u8::from(on));
    match (next.checked_sub(1).and_then(|at| switches.get(at)), switches.get(next)) {
        (None, None) => 1.0,
        (Some((_, on)), None) | (None, Some((_, on))) => share(*on),
        (Some((from, a)), Some((to, b))) => {
            share(*a) + (share(*b) - share(*a)) * (time - from) / (to - from).max(1e-12)
        }
    }
}

/// The links of a converter at a time.
struct ConverterLinks<'e, 'a> {
    evaluator: &'e Evaluator<'a>,
    links: &'e BTreeMap<String, NodeIndex>,
    time: f64,
}

impl ConverterLinks<'_, '_> {
    fn at(&self, name: &str, time: f64) -> NodeValue {
        self.links.get(name).map_or(NodeValue::Nothing, |node| self.evaluator.value(*node, time))
    }

    fn get(&self, name: &str) -> NodeValue {
        self.at(name, self.time)
    }

    fn has(&self, name: &str) -> bool {
        self.links.contains_key(name)
    }

    fn number(&self, name: &str) -> f64 {
        self.get(name).number()
    }

    /// A number with the default of Synfig.
    fn number_or(&self, name: &str, default: f64) -> f64 {
        if self.has(name) { self.number(name) } else { default }
    }
}

/// The value of a converter; none if it is not read.
fn converted(links: &ConverterLinks<'_, '_>, name: &str, of: &str) -> Option<NodeValue> {
    let value = match name {
        "add" | "subtract" => {
            let sign = if name == "add" { 1.0 } else { -1.0 };
            let scalar = links.number_or("scalar", 1.0);
            links.get("lhs").combined(&links.get("rhs"), |a, b| (a + sign * b) * scalar)
        }
        "scale" => {
            let scalar = links.number("scalar");
            let link = links.get("link");
            link.combined(&link, |a, _| a * scalar)
        }
        "linear" => {
            links.get("slope").combined(&links.get("offset"), |slope, offset| slope * links.time + offset)
        }
        "radial_composite" if of == "vector" => {
            let named = links.has("radius");
            let (radius, theta) = if named { ("radius", "theta") } else { ("c0", "c1") };
            NodeValue::Pair(Angle::from_degrees(links.number(theta)).direction() * links.number(radius))
        }
        "greyed" | "reference" => links.get("link"),
        "fromint" | "fromreal" | "fromangle" => match of {
            "string" => NodeValue::Text(links.number("link").to_string().into()),
            "bool" => NodeValue::from(links.number("link") != 0.0),
            "integer" => links.number("link").round().into(),
            _ => links.number("link").into(),
        },
        "range" => links.number("link").min(links.number("max")).max(links.number("min")).into(),
        "step" | "timeloop" | "timed_swap" => return timed(links, name),
        "switch" => links.get(if links.get("switch").flag() { "link_on" } else { "link_off" }),
        "duplicate" => links.evaluator.index.get().into(),
        "and" => (links.get("link1").flag() && links.get("link2").flag()).into(),
        "or" => (links.get("link1").flag() || links.get("link2").flag()).into(),
        "not" => (!links.get("link").flag()).into(),
        "compare" => {
            let (a, b) = (links.number("lhs"), links.number("rhs"));
            let word = if a > b {
                "greater"
            } else if a < b {
                "less"
            } else {
                "equal"
            };
            links.get(word)
        }
        "average" => mean(&links.get("entries")),
        // Its entries are a weight and a value each.
        "weighted_average" => weighted_mean(&links.get("entries")),
        "bone_root" => bones::root(),
        "bone" => {
            let scales = ["scalelx", "scalex"].map(|name| links.number_or(name, 1.0));
            let angle = Angle::from_degrees(links.number("angle"));
            bones::bone(&links.get("parent"), links.get("origin").pair(), angle, scales)
        }
        "bone_link" => {
            let has = |name: &str| !links.has(name) || links.get(name).flag();
            let parts = LinkParts {
                translate: has("translate"),
                rotate: has("rotate"),
                skew: has("skew"),
                scale: [has("scale_x"), has("scale_y")],
            };
            bones::linked(&links.get("bone"), parts, of, &links.get("base_value"))
        }
        _ if name.starts_with("weighted_") => {
            NodeValue::Record([links.get("weight"), links.get("value")].into())
        }
        "gradientcolor" => {
            let gradient = links.get("gradient");
            NodeValue::Color(color_at(&gradient, links.number("index")))
        }
        "stripes" | "twotone" | "gradient_rotate" => return gradient(links, name),
        "blinecalcvertex" | "blinecalctangent" | "blinecalcwidth" => {
            let spline = Spline::of(&links.get("bline"));
            let mut amount = links.number("amount");
            if links.get("loop").flag() {
                amount -= amount.floor();
            }
            let (segment, u) = spline.place(amount.clamp(0.0, 1.0), links.get("homogeneous").flag());
            match (name, of) {
                ("blinecalcvertex", _) => NodeValue::Pair(spline.at(segment, u)),
                ("blinecalcwidth", _) => (spline.width(segment, u) * links.number_or("scale", 1.0)).into(),
                _ => {
                    let tangent = spline.tangent(segment, u);
                    let angle = Angle::of(tangent) + Angle::from_degrees(links.number("offset"));
                    let fixed = links.get("fixed_length").flag();
                    let length = if fixed { 1.0 } else { tangent.hypot() } * links.number_or("scale", 1.0);
                    match of {
                        "angle" => angle.degrees().into(),
                        "real" => length.into(),
                        _ => NodeValue::Pair(angle.direction() * length),
                    }
                }
            }
        }
        _ => return calculated(links, name),
    };
    Some(value)
}

/// Converters of numbers and vectors by a formula.
fn calculated(links: &ConverterLinks<'_, '_>, name: &str) -> Option<NodeValue> {
    let vector = || links.get("vector").pair();
    let angle = |name: &str| Angle::from_degrees(links.number(name));
    let large = || links.number_or("infinite", 999_999.0);
    let small = || links.number_or("epsilon", 1e-6);
    let number = match name {
        "vectorangle" => Angle::of(vector()).degrees(),
        "vectorlength" => vector().hypot(),
        "vectorx" => vector().x,
        "vectory" => vector().y,
        "sine" => angle("angle").direction().y * links.number("amp"),
        "cos" => angle("angle").direction().x * links.number("amp"),
        "exp" => exp(links.number("exp")) * links.number("scale"),
        "absolute" => links.number("link").abs(),
        "atan2" => Angle::of(Vec2::new(links.number("x"), links.number("y"))).degrees(),
        "dotproduct" => {
            let of = |name: &str| {
                let pair = links.get(name).pair();
                if pair == Vec2::ZERO { pair } else { pair.normalize() }
            };
            of("lhs").dot(of("rhs"))
        }
        "reciprocal" => {
            let link = links.number("link");
            if link.abs() < small() { large().copysign(link) } else { 1.0 / link }
        }
        "logarithm" => {
            let link = links.number("link");
            if link < small() { -large() } else { ln(link) }
        }
        "power" => {
            let (base, power) = (links.number("base"), links.number("power"));
            if base > 0.0 { exp(power * ln(base)) } else { 0.0 }
        }
        "map_range" => {
            let [link, a, b, c, d] =
                ["link", "from_min", "from_max", "to_min", "to_max"].map(|name| links.number(name));
            if a == b { c } else { c + (link - a) / (b - a) * (d - c) }
        }
        _ => return None,
    };
    Some(number.into())
}

/// Converters that read their link at another time.
fn timed(links: &ConverterLinks<'_, '_>, name: &str) -> Option<NodeValue> {
    let duration = links.number("duration");
    Some(match name {
        "step" => {
            let start = links.number("start_time");
            let rounds = (links.time - start) / duration;
            let time = (rounds.floor() + links.number_or("intersection", 0.5)) * duration + start;
            links.at("link", if time.is_finite() { time } else { links.time })
        }
        "timeloop" => {
            let time =
                looped(links.time, links.number("link_time"), links.number("local_time"), duration, true);
            links.at("link", time)
        }
        _ => {
            let (swap, length) = (links.number("time"), links.number("length"));
            let time = links.time;
            if time > swap {
                links.get("after")
            } else if time <= swap - length {
                links.get("before")
            } else {
                let share = (swap - time) / length;
                links
                    .get("after")
                    .combined(&links.get("before"), |after, before| after + share * (before - after))
            }
        }
    })
}

/// The time that a loop shows (`layer_timeloop.cpp`); a negative duration runs back.
pub(crate) fn looped(time: f64, link: f64, local: f64, duration: f64, symmetrical: bool) -> f64 {
    if duration == 0.0 {
        return link;
    }
    let passed = time - local;
    let mut at = if duration > 0.0 {
        passed - (passed / duration).floor() * duration
    } else {
        -(passed - (passed / -duration).floor() * -duration)
    };
    if !symmetrical && time < local {
        at -= duration;
    }
    link + at
}

/// Gradients that are made of colours or of another one.
fn gradient(links: &ConverterLinks<'_, '_>, name: &str) -> Option<NodeValue> {
    let (first, second) = (links.get("color1").color(), links.get("color2").color());
    let stops = match name {
        "twotone" => vec![(0.0, first), (1.0, second)],
        "stripes" => {
            let count = links.get("stripes").whole().clamp(1, 200);
            let width = links.number_or("width", 0.5).clamp(0.0, 1.0) / count as f64;
            let half = 0.5 * (1.0 / count as f64 - width);
            let stripe = |n: i64| {
                let (at, end) = (n as f64 / count as f64 + half, (n + 1) as f64 / count as f64 - half);
                [(at, first), (at, second), (end, second), (end, first)]
            };
            (0..count).flat_map(stripe).collect()
        }
        _ => {
            let offset = links.number("offset");
            let NodeValue::Gradient(stops) = links.get("gradient") else { return Some(NodeValue::Nothing) };
            stops.iter().map(|(at, color)| (at + offset, *color)).collect()
        }
    };
    Some(NodeValue::Gradient(Rc::from(stops)))
}

/// A colour of a gradient: between two stops the colours weighted by their alphas are joined by a straight line.
pub(crate) fn color_at(gradient: &NodeValue, at: f64) -> [f64; 4] {
    let NodeValue::Gradient(stops) = gradient else { return [0.0; 4] };
    let next = stops.partition_point(|(stop, _)| *stop <= at);
    match (next.checked_sub(1).and_then(|before| stops.get(before)), stops.get(next)) {
        (None, None) => [0.0; 4],
        (Some((_, color)), None) | (None, Some((_, color))) => *color,
        (Some((from, a)), Some((to, b))) => {
            let share = (at - from) / (to - from);
            let alpha = a[3] + share * (b[3] - a[3]);
            let mixed = |n: usize| {
                let both = a[n] * a[3] + share * (b[n] * b[3] - a[n] * a[3]);
                if alpha > 0.0 { both / alpha } else { 0.0 }
            };
            [mixed(0), mixed(1), mixed(2), alpha]
        }
    }
}

/// The mean of the values of a list.
fn mean(list: &NodeValue) -> NodeValue {
    let (entries, _) = list.list();
    let ones: Vec<NodeValue> =
        entries.iter().map(|value| NodeValue::Record([1.0.into(), value.clone()].into())).collect();
    weighted_mean(&NodeValue::List(ones.into(), false))
}

/// The mean of values, each behind its weight; the plain one if all weights together are nothing.
fn weighted_mean(list: &NodeValue) -> NodeValue {
    let (entries, _) = list.list();
    let Some(first) = entries.first().map(|entry| entry.part(1)) else { return NodeValue::Nothing };
    let sum: f64 = entries.iter().map(|entry| entry.part(0).number()).sum();
    let share = |entry: &NodeValue| match sum.abs() > 1e-9 {
        true => entry.part(0).number() / sum,
        false => 1.0 / entries.len() as f64,
    };
    let zero = first.combined(first, |_, _| 0.0);
    entries.iter().fold(zero, |all, entry| all.combined(entry.part(1), |a, b| a + share(entry) * b))
}
