//! Strokes of a brush on found weights.

use bone_format::session::{DocPath, DocValue, Edit};
use kurbo::{Line, ParamCurveNearest, Point};

use super::{CurrentRig, request, text_of, texts, texts_of};
use crate::error::AuthoringError;

/// At most this many corners are written.
const CORNERS: usize = 6;
/// A line need not be nearer to the hand's than this share of the width of the brush.
const NEAR: f64 = 0.15;

/// What a stroke does.
pub(super) struct NewStroke<'a> {
    pub(super) bone: Option<&'a str>,
    pub(super) add: Option<f64>,
    pub(super) smooth: Option<f64>,
    pub(super) lock: &'a [String],
}

pub(super) fn paint(
    scene: &CurrentRig<'_>,
    arts: &[String],
    stroke: NewStroke<'_>,
    (at, width, pixel): (&[Point], f64, f64),
) -> Result<Vec<Edit>, AuthoringError> {
    if !at.iter().all(|at| at.is_finite()) || at.is_empty() || !width.is_finite() || width <= 0.0 {
        return Err(request("a stroke has a width above 0 and at least one point"));
    }
    let bones = stroke.bone.iter().copied().chain(stroke.lock.iter().map(String::as_str));
    bones.map(|bone| scene.bone(bone)).collect::<Result<Vec<_>, _>>()?;
    let own = match (stroke.bone, stroke.add, stroke.smooth) {
        (Some(bone), Some(add), None) => vec![("bone", bone.into()), ("add", digits(add, 0.01).into())],
        (None, None, Some(smooth)) => vec![("smooth", digits(smooth, 0.01).into())],
        _ => return Err(request("a stroke has `bone` and `add`, or `smooth`")),
    };
    // A decimal digit that is no coarser than a pixel; whole units where pixels are larger.
    let unit = [1.0, 0.1, 0.01].into_iter().find(|unit| *unit <= pixel).unwrap_or(0.001);
    let corners = thinned(at, pixel.max(unit).max(NEAR * width));
    let corners = corners.iter().map(|at| (digits(at.x, unit), digits(at.y, unit)).into());
    let locked = texts(stroke.lock.iter().map(String::as_str));
    let width = digits(width, unit).max(unit);
    let rest = [("width", width.into()), ("at", DocValue::list(corners))];
    let lock = (!stroke.lock.is_empty()).then_some(("lock", locked));
    let value = DocValue::fields(None, own.into_iter().chain(rest).chain(lock));
    let bindings = scene.items("skin");
    let (mut edits, mut unmoved) = (Vec::new(), None);
    for art in arts {
        let (path, binding) = binding_of(&bindings, art)?;
        if !matches!(binding, DocValue::Fields(Some(kind), _) if &**kind == "Smooth") {
            return Err(request(format!(
                "the weights of art \"{art}\" are not found: a stroke needs a `Smooth` binding"
            )));
        }
        if let Some(bone) = stroke.bone
            && binding.field("bones").is_some()
            && !texts_of(binding, "bones").contains(&bone)
        {
            // A wide stroke passes over what follows other bones.
            let why = || format!("art \"{art}\" does not follow bone \"{bone}\": bind it to this bone, too");
            unmoved.get_or_insert_with(|| request(why()));
            continue;
        }
        let into: DocPath = path.clone().name("brush");
        let edit = Edit::Insert { into, before: None, value: value.clone() };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    match unmoved {
        Some(why) if edits.is_empty() => Err(why),
        _ => Ok(edits),
    }
}

/// Sets the strength of a stroke, or takes it out.
pub(super) fn change(
    scene: &CurrentRig<'_>,
    art: &str,
    stroke: Option<usize>,
    much: Option<f64>,
) -> Result<Vec<Edit>, AuthoringError> {
    let bindings = scene.items("skin");
    let (path, binding) = binding_of(&bindings, art)?;
    let strokes = match binding.field("brush") {
        Some(DocValue::List(strokes)) => strokes.as_slice(),
        _ => &[],
    };
    let list: DocPath = path.clone().name("brush");
    let none = || request(format!("art \"{art}\" has {} strokes", strokes.len()));
    let (index, own) = match stroke {
        Some(index) => (index, strokes.get(index).ok_or_else(none)?),
        None if strokes.is_empty() => return Err(none()),
        None => return Ok(vec![Edit::Remove { at: list }]),
    };
    let at = list.clone().index(index);
    let field = if own.field("add").is_some() { "add" } else { "smooth" };
    Ok(vec![match much {
        Some(much) => Edit::set(at.name(field), digits(much, 0.01)),
        None if strokes.len() == 1 => Edit::Remove { at: list },
        None => Edit::Remove { at },
    }])
}

/// The binding that names art, and where it is.
fn binding_of<'b>(
    bindings: &'b [(DocPath, DocValue)],
    art: &str,
) -> Result<&'b (DocPath, DocValue), AuthoringError> {
    let named =
        |binding: &DocValue| text_of(binding, "art") == Some(art) || texts_of(binding, "art").contains(&art);
    let found = bindings.iter().find(|(_, binding)| named(binding));
    found.ok_or_else(|| request(format!("no binding names art \"{art}\"")))
}

fn digits(value: f64, unit: f64) -> f64 {
    (value / unit).round() * unit
}

/// The line through fewer points, no further from them than `near` if that takes no more than can be written: the
/// corner that is farthest is kept first (Douglas and Peucker 1973).
fn thinned(at: &[Point], near: f64) -> Vec<Point> {
    let mut kept = vec![0, at.len() - 1];
    kept.dedup();
    while kept.len() < CORNERS {
        let spans = kept.windows(2).flat_map(|ends| {
            let line = Line::new(at[ends[0]], at[ends[1]]);
            (ends[0] + 1..ends[1]).map(move |i| (line.nearest(at[i], 1e-9).distance_sq, i))
        });
        let Some((far, corner)) = spans.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if far <= near * near {
            break;
        }
        let place = kept.partition_point(|i| *i < corner);
        kept.insert(place, corner);
    }
    let mut corners: Vec<Point> = kept.into_iter().map(|i| at[i]).collect();
    corners.dedup_by(|a, b| (*a - *b).hypot() < near);
    corners
}
