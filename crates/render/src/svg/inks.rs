//! Strokes whose width changes along their path: the attribute `data-ink`, and Inkscape's effect PowerStroke, whose
//! outline is replaced by the path that it was made of. Its points are a time along the segments of that path and an
//! offset, half a width; between them offsets are interpolated over lengths (Inkscape's manual, Power stroke; the
//! attributes of `inkscape:path-effect` in its files).

use std::collections::BTreeMap;

use bone_drawing::{ElementId, InkPlace, InkProfile, LineCap, LineJoin, Shape, Stroke};
use kurbo::{BezPath, ParamCurve as _, ParamCurveArclen as _, PathEl};
use roxmltree::{Document, Node, NodeId};

use super::place::{LineIndex, SvgNote, SvgPlace};
use super::source::{plain_attribute, tag_range};

/// The ink of a path as it is written.
pub(super) struct WrittenInk {
    places: Vec<InkPlace>,
    effect: Option<PowerStroke>,
    place: SvgPlace,
}

/// What the effect has besides widths.
struct PowerStroke {
    /// The path that it was made of.
    middle: BezPath,
    caps: [LineCap; 2],
    join: LineJoin,
    miter_limit: f64,
}

impl WrittenInk {
    /// The ink of a shape, which gets a plain stroke along the middle of it; or why it has none.
    pub(super) fn apply(self, shape: &mut Shape) -> Result<InkProfile, SvgNote> {
        let no_ink =
            |why: &str| SvgNote::warning(format!("this path has no ink: {why}"), Some(self.place.clone()));
        let mut profile = InkProfile {
            places: self.places,
            caps: [LineCap::Butt; 2],
            join: LineJoin::Miter,
            miter_limit: 4.0,
        };
        match self.effect {
            Some(effect) => {
                let Some(fill) = shape.fill.take() else { return Err(no_ink("it has no fill")) };
                (profile.caps, profile.join) = (effect.caps, effect.join);
                profile.miter_limit = effect.miter_limit;
                shape.outline = effect.middle.into();
                let width = profile.widest().max(f64::MIN_POSITIVE);
                shape.stroke = Some(Stroke {
                    paint: fill.paint,
                    opacity: fill.opacity,
                    miter_limit: effect.miter_limit,
                    join: effect.join,
                    ..Stroke::new([0; 3], width)
                });
            }
            None => {
                let Some(stroke) = &mut shape.stroke else { return Err(no_ink("it has no stroke")) };
                if !stroke.dashes.is_empty() {
                    return Err(no_ink("it has dashes"));
                }
                (profile.caps, profile.join) = ([stroke.cap; 2], stroke.join);
                profile.miter_limit = stroke.miter_limit.max(1.0);
                if profile.widest() > 0.0 {
                    stroke.width = profile.widest();
                }
            }
        }
        Ok(profile)
    }
}

/// The ink of all paths.
pub(super) fn find(
    doc: &Document<'_>,
    nodes: &[NodeId],
    lines: &LineIndex<'_>,
    svg: &str,
    notes: &mut Vec<SvgNote>,
) -> BTreeMap<ElementId, WrittenInk> {
    let mut inks = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let Some(node) = doc.get_node(*node) else { continue };
        let own = plain_attribute(node, "data-ink").map(|text| (places(text), None));
        let found = match own {
            Some((places, effect)) => places.map(|places| Some((places, effect))),
            None => power_stroke(doc, node),
        };
        let place = || lines.place(tag_range(svg, node));
        match found {
            Ok(Some((places, effect))) => {
                let ends = [places.first(), places.last()].map(|place| place.map(|place| place.sides));
                let is_closed =
                    plain_attribute(node, "d").is_some_and(|d| d.trim_end().ends_with(['z', 'Z']));
                if effect.is_none() && is_closed && ends[0] != ends[1] {
                    let message = "this path is closed, and its ink does not end as wide as it starts";
                    notes.push(SvgNote::warning(message, Some(place())));
                }
                inks.insert(ElementId::from_index(at), WrittenInk { places, effect, place: place() });
            }
            Ok(None) => {}
            Err(why) => notes.push(SvgNote::warning(format!("this path has no ink: {why}"), Some(place()))),
        }
    }
    inks
}

/// `0:1 .4:6 1:2/3`: shares and widths, or what they are to the left and to the right.
fn places(text: &str) -> Result<Vec<InkPlace>, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let mut places: Vec<InkPlace> = Vec::new();
    for part in text.split([' ', '\t', '\n', '\r', ',', ';']).filter(|part| !part.is_empty()) {
        let place = part.split_once(':').and_then(|(at, width)| {
            let sides = match width.split_once('/') {
                Some((left, right)) => [number(left)?, number(right)?],
                None => [0.5 * number(width)?; 2],
            };
            Some(InkPlace { at: number(at)?, sides })
        });
        let part: String = part.chars().take(24).collect();
        let Some(place) = place else {
            return Err(format!("“{part}” in data-ink is not a share and a width, as in “0.4:6”"));
        };
        if !(0.0..=1.0).contains(&place.at) {
            return Err(format!("the share of “{part}” in data-ink is not between 0 and 1"));
        }
        if places.last().is_some_and(|before| place.at <= before.at) {
            return Err(format!("shares in data-ink do not increase at “{part}”"));
        }
        if place.sides.iter().any(|side| !(0.0..=1e5).contains(side)) {
            return Err(format!("the width of “{part}” in data-ink is negative or too large"));
        }
        places.push(place);
    }
    match places.len() {
        0 => Err("data-ink is empty".to_owned()),
        count if count > InkProfile::MOST_PLACES => Err("data-ink has too many places".to_owned()),
        _ => Ok(places),
    }
}

/// The value of an attribute of Inkscape's namespace.
fn inkscape<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let is_own = |attribute: &roxmltree::Attribute<'_, '_>| {
        attribute.name() == name && attribute.namespace().is_some_and(|space| space.contains("inkscape"))
    };
    node.attributes().find(is_own).map(|attribute| attribute.value())
}

/// The widths of the effect, and the rest of it.
type EffectInk = Option<(Vec<InkPlace>, Option<PowerStroke>)>;

/// The widths and the path of the effect, if a path has it; or why they cannot be used.
fn power_stroke(doc: &Document<'_>, node: Node<'_, '_>) -> Result<EffectInk, String> {
    let (Some(effects), Some(data)) = (inkscape(node, "path-effect"), inkscape(node, "original-d")) else {
        return Ok(None);
    };
    let effects: Vec<&str> = effects.split(';').filter_map(|id| id.trim().strip_prefix('#')).collect();
    let effect = |id: &&str| {
        doc.descendants()
            .find(|at| at.tag_name().name() == "path-effect" && plain_attribute(*at, "id") == Some(id))
    };
    let effects: Vec<Node<'_, '_>> = effects.iter().filter_map(effect).collect();
    let Some(effect) = effects.iter().find(|at| plain_attribute(**at, "effect") == Some("powerstroke"))
    else {
        return Ok(None);
    };
    if plain_attribute(*effect, "is_visible") == Some("false") {
        return Ok(None);
    }
    if effects.len() > 1 {
        return Err("its Power stroke is one of several path effects, and stays an outline".to_owned());
    }
    let middle =
        BezPath::from_svg(data).map_err(|_| "the path of its Power stroke cannot be read".to_owned())?;
    let starts = middle.elements().iter().filter(|element| matches!(element, PathEl::MoveTo(_))).count();
    if starts != 1 {
        return Err("its Power stroke has several subpaths, and stays an outline".to_owned());
    }
    let points = offsets(*effect)?;
    let cap = |name: &str| match plain_attribute(*effect, name) {
        Some("butt" | "peak") => LineCap::Butt,
        Some("square") => LineCap::Square,
        // That of no width ends in a point.
        _ => LineCap::Round,
    };
    let is_zero = |name: &str| plain_attribute(*effect, name).is_none_or(|cap| cap == "zerowidth");
    let ends = ["start_linecap_type", "end_linecap_type"];
    let is_closed = middle.elements().contains(&PathEl::ClosePath);
    let places = effect_places(&middle, points, is_closed, ends.map(is_zero), *effect)?;
    let number = |name: &str, default| {
        plain_attribute(*effect, name).and_then(|text| text.parse::<f64>().ok()).unwrap_or(default)
    };
    let join = match plain_attribute(*effect, "linejoin_type") {
        Some("round") => LineJoin::Round,
        Some("bevel") => LineJoin::Bevel,
        _ => LineJoin::Miter,
    };
    let miter_limit = number("miter_limit", 4.0).clamp(1.0, 1e3);
    Ok(Some((places, Some(PowerStroke { middle, caps: ends.map(cap), join, miter_limit }))))
}

/// The points of the effect: a time, and an offset.
fn offsets(effect: Node<'_, '_>) -> Result<Vec<(f64, f64)>, String> {
    let wrong = || "the points of its Power stroke cannot be read".to_owned();
    let number = |name: &str| plain_attribute(effect, name).and_then(|text| text.parse::<f64>().ok());
    let scale = number("scale_width").unwrap_or(1.0);
    let mut points = Vec::new();
    for point in plain_attribute(effect, "offset_points").unwrap_or_default().split('|') {
        let (time, offset) = point.split_once(',').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let (time, offset) = number(time).zip(number(offset)).ok_or_else(wrong)?;
        // A negative offset changes the sides, which are equal.
        points.push((time, (scale * offset).abs().min(1e5)));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

/// Widths at shares of the length that follow the interpolation of the effect.
fn effect_places(
    middle: &BezPath,
    mut points: Vec<(f64, f64)>,
    is_closed: bool,
    is_zero: [bool; 2],
    effect: Node<'_, '_>,
) -> Result<Vec<InkPlace>, String> {
    /// Places between two points.
    const STEPS: usize = 8;
    let pieces: Vec<_> = middle.segments().map(|segment| segment.to_cubic()).collect();
    let lengths: Vec<f64> = pieces.iter().map(|piece| piece.arclen(1e-6)).collect();
    let (whole, count) = (lengths.iter().sum::<f64>(), pieces.len() as f64);
    points.retain(|point| (0.0..=count).contains(&point.0));
    let [Some(first), Some(last)] = [points.first().copied(), points.last().copied()] else {
        return Err("its Power stroke has no points on its path".to_owned());
    };
    if whole <= 0.0 || points.len() * STEPS >= InkProfile::MOST_PLACES {
        return Err("its Power stroke has no length or too many points".to_owned());
    }
    if is_closed {
        // Over the seam, by the ways to it.
        let share = (count - last.0) / (count - last.0 + first.0).max(1e-9);
        let seam = last.1 + (first.1 - last.1) * share;
        points.insert(0, (0.0, seam));
        points.push((count, seam));
    } else {
        points.insert(0, (0.0, if is_zero[0] { 0.0 } else { first.1 }));
        points.push((count, if is_zero[1] { 0.0 } else { last.1 }));
    }
    let number = |name: &str| plain_attribute(effect, name).and_then(|text| text.parse::<f64>().ok());
    let beta = match plain_attribute(effect, "interpolator_type") {
        Some("Linear") => 1.0 / 3.0,
        _ => number("interpolator_beta").unwrap_or(0.2).clamp(0.0, 1.0),
    };
    let is_linear = plain_attribute(effect, "interpolator_type") == Some("Linear");
    let share = |time: f64| {
        let piece = (time.floor().max(0.0) as usize).min(pieces.len() - 1);
        let part = pieces[piece].subsegment(0.0..(time - piece as f64).clamp(0.0, 1.0));
        (lengths[..piece].iter().sum::<f64>() + part.arclen(1e-6)) / whole
    };
    let mut places: Vec<InkPlace> = Vec::new();
    for pair in points.windows(2) {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        for step in 0..=STEPS {
            let t = step as f64 / STEPS as f64;
            let ease = t * t * (3.0 - 2.0 * t);
            // A curve with the handles `beta` and `1 - beta` of the way, level at its ends.
            let s = 1.0 - t;
            let way = 3.0 * s * s * t * beta + 3.0 * s * t * t * (1.0 - beta) + t * t * t;
            let (way, ease) = if is_linear { (t, t) } else { (way, ease) };
            let at = share(from + (to - from) * way).clamp(0.0, 1.0);
            let offset = low + (high - low) * ease;
            if places.last().is_none_or(|before| at > before.at + 1e-6) {
                places.push(InkPlace { at, sides: [offset; 2] });
            }
        }
    }
    Ok(places)
}
