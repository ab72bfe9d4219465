//! The look of an element at a time by SMIL's rules: a small evaluator.

use kurbo::{Affine, BezPath, ParamCurve, Point, Vec2};
use roxmltree::Node;

/// The share of the way at a share of the time, by bisection on the curve's x.
pub(crate) fn ease(handles: [f64; 4], u: f64) -> f64 {
    let [x1, y1, x2, y2] = handles;
    let curve = kurbo::CubicBez::new((0.0, 0.0), (x1, y1), (x2, y2), (1.0, 1.0));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if curve.eval(middle).x < u { low = middle } else { high = middle }
    }
    curve.eval(low).y
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',', ';']).filter(|n| !n.is_empty()).map(|n| n.parse().expect("a number")).collect()
}

/// The values around a share of the duration, and the share of the way between them.
fn around<'a>(animation: Node<'a, '_>, at: f64) -> (&'a str, &'a str, f64) {
    let values: Vec<&str> = animation.attribute("values").expect("values").split(';').collect();
    let last = values.len() - 1;
    if last == 0 {
        return (values[0], values[0], 0.0);
    }
    let mode = animation.attribute("calcMode").unwrap_or("linear");
    let times = animation
        .attribute("keyTimes")
        .map_or_else(|| (0..=last).map(|k| k as f64 / last as f64).collect(), numbers);
    assert_eq!(times.len(), values.len(), "a time for each value");
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]) && times[0] == 0.0);
    let k = times.iter().rposition(|time| *time <= at + 1e-9).expect("the first time is 0");
    if mode == "discrete" || k == last {
        return (values[k], values[k], 0.0);
    }
    assert_eq!(times[last], 1.0);
    let u = (at - times[k]) / (times[k + 1] - times[k]);
    let u = match mode {
        "spline" => {
            let splines: Vec<&str> = animation.attribute("keySplines").expect("splines").split(';').collect();
            assert_eq!(splines.len(), last);
            let handles: [f64; 4] = numbers(splines[k]).try_into().expect("four numbers");
            assert!(handles.iter().all(|n| (0.0..=1.0).contains(n)), "SMIL has no overshoot: {handles:?}");
            ease(handles, u)
        }
        _ => u,
    };
    (values[k], values[k + 1], u)
}

fn between(from: &str, to: &str, u: f64) -> Vec<f64> {
    numbers(from).iter().zip(numbers(to)).map(|(a, b)| a + u * (b - a)).collect()
}

fn rotation(degrees: f64) -> Affine {
    bone_core::Angle::from_degrees(degrees).rotation()
}

fn part(kind: &str, n: &[f64]) -> Affine {
    match (kind, n) {
        ("translate", [x]) => Affine::translate((*x, 0.0)),
        ("translate", [x, y]) => Affine::translate((*x, *y)),
        ("rotate", [angle]) => rotation(*angle),
        ("rotate", [angle, x, y]) => {
            let about = Vec2::new(*x, *y);
            Affine::translate(about) * rotation(*angle) * Affine::translate(-about)
        }
        ("skewX", [angle]) => {
            let (sin, cos) = bone_core::Angle::from_degrees(*angle).sin_cos();
            Affine::new([1.0, 0.0, sin / cos, 1.0, 0.0, 0.0])
        }
        ("scale", [x, y]) => Affine::scale_non_uniform(*x, *y),
        ("matrix", [a, b, c, d, e, f]) => Affine::new([*a, *b, *c, *d, *e, *f]),
        other => panic!("unknown transform {other:?}"),
    }
}

fn transform(node: Node<'_, '_>, at: f64) -> Affine {
    let still = node.attribute("transform").map_or(Affine::IDENTITY, |text| {
        let (kind, rest) = text.split_once('(').expect("a transform");
        part(kind, &numbers(rest.trim_end_matches(')')))
    });
    let animations = node.children().filter(|child| {
        child.has_tag_name("animateTransform") && child.attribute("attributeName") == Some("transform")
    });
    animations.fold(still, |all, animation| {
        let (from, to, u) = around(animation, at);
        let own = part(animation.attribute("type").expect("a type"), &between(from, to, u));
        if animation.attribute("additive") == Some("sum") { all * own } else { own }
    })
}

/// The control points of the element with an id, in the units of the view box, at a share of the duration.
pub(crate) fn points(document: &roxmltree::Document<'_>, id: &str, at: f64) -> Vec<Point> {
    let node = document.descendants().find(|node| node.attribute("id") == Some(id)).expect("the element");
    let matrix = node
        .ancestors()
        .filter(Node::is_element)
        .fold(Affine::IDENTITY, |inside, around| transform(around, at) * inside);
    let path = |text: &str| -> Vec<Point> {
        let path = BezPath::from_svg(text).expect("path data");
        path.elements().iter().flat_map(super::vector::points_of).collect()
    };
    let animation = node.children().find(|child| child.attribute("attributeName") == Some("d"));
    let found = match animation {
        None => path(node.attribute("d").expect("an outline")),
        Some(animation) => {
            let (from, to, u) = around(animation, at);
            let letters = |text: &str| text.replace(|c: char| !c.is_alphabetic(), "");
            assert_eq!(letters(from), letters(to), "one pattern of commands");
            path(from).iter().zip(path(to)).map(|(a, b)| a.lerp(b, u)).collect()
        }
    };
    found.into_iter().map(|p| matrix * p).collect()
}

/// Whether an element and the groups around it are displayed, and the product of their opacities.
pub(crate) fn opacity(document: &roxmltree::Document<'_>, id: &str, at: f64) -> f64 {
    let node = document.descendants().find(|node| node.attribute("id") == Some(id)).expect("the element");
    node.ancestors().filter(Node::is_element).fold(1.0, |all, around_node| {
        let value = |name: &str| {
            let animation =
                around_node.children().find(|child| child.attribute("attributeName") == Some(name));
            animation.map(|animation| around(animation, at))
        };
        let shown = match value("display") {
            Some((now, ..)) => now != "none",
            None => around_node.attribute("display") != Some("none"),
        };
        let own = match value("opacity") {
            Some((from, to, u)) => between(from, to, u)[0],
            None => around_node.attribute("opacity").map_or(1.0, |o| o.parse().expect("a number")),
        };
        if shown { all * own } else { 0.0 }
    })
}
