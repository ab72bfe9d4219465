//! SVG in and out. A text becomes a [`Drawing`] with one parse by usvg and one of the XML, which has what
//! usvg does not keep: names, labels, places. Texts that would take too long or too much memory are errors
//! before either parse.

pub(crate) mod attributes;
mod build;
mod checked;
mod costly_arcs;
mod costly_elements;
mod costly_filters;
mod costly_styles;
mod decode;
mod document;
mod escape;
mod filter_steps;
#[cfg(not(feature = "text"))]
pub mod fontdb;
#[cfg(feature = "text")]
mod fonts;
mod images;
mod inks;
pub(crate) mod limits;
mod missing;
mod notes;
mod place;
mod references;
mod resources;
mod showable;
mod source;
mod text_variants;
mod view;
pub(crate) mod write;

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use bone_drawing::{Drawing, DrawingBuilder};
use kurbo::{Affine, Point, Rect, Size};

pub use document::{
    SvgDefinition, SvgGradient, SvgGroup, SvgItem, SvgLook, SvgOutline, SvgRegion, SvgTint, SvgValues,
    SvgWriter, color_matrix,
};
pub use escape::escape as escape_xml;
pub use limits::MAX_LETTERS;
pub use place::{NoteSeverity, SvgError, SvgNote, SvgPlace};
pub use resources::{ImageSource, Resources};
pub use showable::Showable;
pub use view::SvgView;
pub use write::{Precision, is_id_taken, svg_text, write_node, write_svg, write_svg_view};

pub(crate) use checked::read_posed;
pub(crate) use missing::MissingResources;
#[cfg(test)]
pub(crate) use resources::parses;
pub(crate) use resources::{ParseError, SvgInput, parse};

use crate::number::widen;
use roxmltree::Document;

use build::TreeConverter;
use checked::{check_costs, read_xml};
use place::LineIndex;
use references::References;
use showable::Styles;

/// Text of an SVG file's bytes: UTF-8, or UTF-16 with a byte order mark.
///
/// # Errors
/// [`SvgError::NotText`] for compressed, binary or wrongly encoded bytes.
pub fn decode_svg(bytes: Vec<u8>) -> Result<String, SvgError> {
    decode::decode(bytes)
}

/// Reads a drawing. The notes list what will not be drawn, or not as its author expects.
///
/// # Errors
/// If the text is not an SVG, exceeds a limit or has no size.
pub fn read_svg(svg: &str, resources: &Resources) -> Result<(Drawing, Vec<SvgNote>), SvgError> {
    read_svg_showing(svg, resources, &Showable::default())
}

/// Reads a drawing in which some art may be shown that is hidden at rest.
///
/// # Errors
/// As [`read_svg`].
pub fn read_svg_showing(
    svg: &str,
    resources: &Resources,
    showable: &Showable,
) -> Result<(Drawing, Vec<SvgNote>), SvgError> {
    limits::check_text(svg)?;
    let (mut text, mut loops) = (Cow::Borrowed(svg), Vec::new());
    // Taking one link out can show the next loop.
    for _ in 0..limits::MAX_DEPTH {
        match read_without_loops(&text, resources, showable)? {
            Reading::Done(drawing, mut notes) => {
                notes.append(&mut loops);
                notes.sort_by_key(|note| note.place.as_ref().map_or(0, |place| place.span.start));
                return Ok((*drawing, notes));
            }
            Reading::Loops { without, mut notes } => {
                loops.append(&mut notes);
                text = Cow::Owned(without);
            }
        }
    }
    Err(SvgError::LimitExceeded { what: "it refers to itself in too many ways".into(), place: None })
}

/// What one pass over a text gave.
enum Reading {
    Done(Box<Drawing>, Vec<SvgNote>),
    /// It has loops; the text without the links that close them.
    Loops {
        without: String,
        notes: Vec<SvgNote>,
    },
}

fn read_without_loops(svg: &str, resources: &Resources, showable: &Showable) -> Result<Reading, SvgError> {
    let lines = LineIndex::new(svg);
    let doc = read_xml(svg, &lines)?;
    let References { mut notes, without_loops, drawn } =
        references::check(&doc, svg, &lines, limits::MAX_DEPTH)?;
    if let Some(without) = without_loops {
        return Ok(Reading::Loops { without, notes });
    }
    check_costs(&doc, svg, &lines, drawn)?;
    let styles = Styles::new(&doc);
    let mut source = source::read(&doc, svg, &lines, |source| {
        let unseen = if showable.is_empty() { Vec::new() } else { showable.unseen(source, &styles, svg) };
        (unseen, text_variants::find(showable, source, (&doc, svg), &lines, &mut notes))
    });
    if !source.keyed_texts.is_empty() {
        limits::check_text(&source.keyed).map_err(without_place)?;
    }
    notes.append(&mut source.notes);

    let mut missing = MissingResources::default();
    let root_place = || Some(lines.place(source::tag_range(svg, doc.root_element())));
    let read = |missing: &MissingResources| match &source.keyed {
        // Nothing had to be changed, and the XML is parsed already.
        Cow::Borrowed(_) => parse(SvgInput::Parsed(&doc), resources, missing),
        Cow::Owned(keyed) => parse(SvgInput::Unparsed(keyed), resources, missing),
    };
    let mut tree = read(&missing);
    if matches!(tree, Err(ParseError::Panic)) {
        missing = MissingResources { without_images: true, ..MissingResources::default() };
        tree = read(&missing);
    }
    let tree = tree.map_err(|error| explain(error, root_place()))?;
    if missing.unpacked.load(Ordering::Relaxed) > limits::MAX_UNPACKED {
        let what = format!("the compressed drawings in it have more than {} MB", limits::MAX_UNPACKED >> 20);
        return Err(SvgError::LimitExceeded { what, place: None });
    }
    // As large as the drawing itself.
    source.keyed = Cow::Borrowed("");
    images::check(&tree, source.elements.list(), &lines)?;
    costly_filters::check_tree(&tree, source.elements.list(), &lines)?;
    #[cfg(feature = "images")]
    notes.extend(images::blank(&tree, source.elements.list(), &lines));

    let size = Size::new(f64::from(tree.size().width()), f64::from(tree.size().height()));
    let canvas = view_box(&doc).unwrap_or_else(|| Rect::from_origin_size(Point::ORIGIN, size));
    let mapping = root_mapping(&doc, svg, &tree, resources);
    let canvas_to_output = mapping.unwrap_or(Affine::IDENTITY);
    let mut builder = DrawingBuilder::with_size(canvas, size, canvas_to_output);
    let source::SourceElements { elements, by_key, nodes, hidden, switched_on, keyed_texts, .. } = source;
    let inks = inks::find(&doc, &nodes, &lines, svg, &mut notes);
    let switched_off: Vec<bool> = nodes.into_iter().map(|node| styles.is_switched_off(node)).collect();
    let notes_of_text = notes::of_text(&doc, svg, &lines, &missing);
    // As large as the drawing that is built now.
    drop(styles);
    drop(doc);
    builder.set_elements(elements);
    let mut build = TreeConverter::new(builder, by_key, hidden.clone(), inks);
    build.tree(&tree, mapping.is_some());
    let left_out = build.left_out();
    notes.append(&mut build.ink_notes);
    let mut builder = build.finish();
    drop(tree);
    for (element, own) in keyed_texts {
        builder.elements_mut()[element.index()].key = own;
    }
    let kept: Vec<bool> = (0..builder.elements().len())
        .map(|at| builder.node_of(bone_drawing::ElementId::from_index(at)).is_some())
        .collect();
    notes::set_states(builder.elements_mut(), |id| switched_off[id.index()], |id| kept[id.index()]);
    let drawn = |id: &bone_drawing::ElementId| builder.elements()[id.index()].is_drawn();
    let hidden = hidden.into_iter().filter(drawn).collect();
    builder.set_hidden(hidden);
    let drawing =
        builder.finish().map_err(|error| SvgError::LimitExceeded { what: error.to_string(), place: None })?;
    notes.extend(notes::of_elements(drawing.elements(), &lines));
    notes.extend(notes::of_left_out(&left_out, drawing.elements(), &lines));
    notes.extend(notes_of_text);
    // Art that is read for its outlines only needs no notes.
    let unseen = |at: usize| {
        let around = switched_on.iter().filter(|(range, _)| range.contains(&at));
        around.min_by_key(|(range, _)| range.len()).is_some_and(|(_, never_seen)| *never_seen)
    };
    notes.retain(|note| note.place.as_ref().is_none_or(|place| !unseen(place.span.start)));
    Ok(Reading::Done(Box::new(drawing), notes))
}

/// The transform of the group that usvg puts around everything for the root's size, `viewBox` and
/// `preserveAspectRatio`; none if there is no such group.
fn root_mapping(doc: &Document<'_>, svg: &str, tree: &usvg::Tree, resources: &Resources) -> Option<Affine> {
    let alone = match tree.root().children() {
        [usvg::Node::Group(group)] if group.id().is_empty() => Some(group),
        _ => None,
    };
    let root = doc.root_element();
    let has = |name: &str| source::plain_attribute(root, name).is_some();
    // For a transform of the root itself, or a style that may have one, usvg parses a small drawing.
    let moves = |style: &str| style.contains("transform") || style.contains("background-color");
    let own = source::plain_attribute(root, "style").is_some_and(moves);
    let mut sheets = doc.descendants().filter(|node| node.has_tag_name("style"));
    let by_sheet = sheets.any(|sheet| sheet.descendants().filter_map(|node| node.text()).any(moves));
    let plain = !has("transform") && !has("background-color") && !own && !by_sheet;
    match expected_mapping(doc, tree) {
        Some(expected) if plain => {
            let found = alone.map(|group| group.transform()).filter(|ts| *ts == expected);
            match (found, expected.is_identity()) {
                (_, true) => None,
                (Some(ts), false) => Some(widen(ts)),
                (None, false) => probe(doc, svg, resources),
            }
        }
        _ => alone.and_then(|_| probe(doc, svg, resources)),
    }
}

/// The mapping as usvg 0.49 computes it, in single precision, from the `viewBox` of the root.
fn expected_mapping(doc: &Document<'_>, tree: &usvg::Tree) -> Option<tiny_skia::Transform> {
    let root = doc.root_element();
    let (width, height) = (tree.size().width(), tree.size().height());
    let Some(value) = source::plain_attribute(root, "viewBox") else {
        return Some(tiny_skia::Transform::identity());
    };
    let view_box: svgtypes::ViewBox = value.parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "usvg computes in single precision")]
    let [x, y, w, h] = [view_box.x, view_box.y, view_box.w, view_box.h].map(|n| n as f32);
    let view_box = tiny_skia::NonZeroRect::from_xywh(x, y, w, h)?;
    let aspect = source::plain_attribute(root, "preserveAspectRatio").unwrap_or("");
    let aspect: svgtypes::AspectRatio = match aspect {
        "" => svgtypes::AspectRatio::default(),
        aspect => aspect.parse().ok()?,
    };
    let (sx, sy) = (width / view_box.width(), height / view_box.height());
    let (sx, sy) = match (aspect.align, aspect.slice) {
        (svgtypes::Align::None, _) => (sx, sy),
        (_, true) => {
            if sx < sy {
                (sy, sy)
            } else {
                (sx, sx)
            }
        }
        (_, false) => {
            if sx > sy {
                (sy, sy)
            } else {
                (sx, sx)
            }
        }
    };
    let (x, y) = (-view_box.x() * sx, -view_box.y() * sy);
    let (w, h) = (width - view_box.width() * sx, height - view_box.height() * sy);
    use svgtypes::Align as A;
    let (tx, ty) = match aspect.align {
        A::None | A::XMinYMin => (x, y),
        A::XMidYMin => (x + w / 2.0, y),
        A::XMaxYMin => (x + w, y),
        A::XMinYMid => (x, y + h / 2.0),
        A::XMidYMid => (x + w / 2.0, y + h / 2.0),
        A::XMaxYMid => (x + w, y + h / 2.0),
        A::XMinYMax => (x, y + h),
        A::XMidYMax => (x + w / 2.0, y + h),
        A::XMaxYMax => (x + w, y + h),
    };
    Some(tiny_skia::Transform::from_row(sx, 0.0, 0.0, sy, tx, ty))
}

/// The mapping by a parse of a drawing with the same root and one path. Few drawings need it.
fn probe(doc: &Document<'_>, svg: &str, resources: &Resources) -> Option<Affine> {
    let tag = source::tag_range(svg, doc.root_element());
    let name = source::qualified_name(svg, tag.start);
    let prefix = name.rsplit_once(':').map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
    let open = svg.get(..tag.end).unwrap_or("").trim_end_matches('>').trim_end_matches('/');
    let probe =
        format!("{open}><{prefix}g id=\"probe\"><{prefix}path d=\"M0 0H1V1Z\"/></{prefix}g></{name}>");
    let tree = parse(SvgInput::Unparsed(&probe), resources, &MissingResources::default()).ok()?;
    let group = tree.node_by_id("probe")?;
    let has_group = tree.root().children().first().is_some_and(|first| first.id() != "probe");
    has_group.then(|| widen(group.abs_transform()))
}

/// An error about a text that was made from the drawing.
fn without_place(error: SvgError) -> SvgError {
    match error {
        SvgError::LimitExceeded { what, .. } => SvgError::LimitExceeded { what, place: None },
        other => other,
    }
}

fn explain(error: ParseError, root: Option<SvgPlace>) -> SvgError {
    match error {
        ParseError::Usvg(usvg::Error::InvalidSize) => {
            SvgError::Size { reason: "width, height and viewBox must be greater than 0".into(), place: root }
        }
        ParseError::Usvg(
            usvg::Error::ElementsLimitReached
            | usvg::Error::ParsingFailed(roxmltree::Error::NodesLimitReached),
        ) => SvgError::LimitExceeded {
            what: "it has too many elements, or too many within each other".into(),
            place: root,
        },
        ParseError::Usvg(error) => {
            SvgError::NotSvg { reason: error.to_string(), place: root, source: Some(Box::new(error)) }
        }
        ParseError::Panic => SvgError::Internal { reason: "the SVG reader failed on it".into() },
    }
}

fn view_box(doc: &Document<'_>) -> Option<Rect> {
    let value = source::plain_attribute(doc.root_element(), "viewBox")?;
    let parsed: svgtypes::ViewBox = value.parse().ok()?;
    // As usvg sees it: none unless it has a size that an f32 can tell from 0.
    #[allow(clippy::cast_possible_truncation, reason = "the question is what is left in an f32")]
    let usable = |n: f64| (n as f32).is_finite() && n as f32 > 0.0;
    (usable(parsed.w) && usable(parsed.h))
        .then(|| Rect::from_origin_size((parsed.x, parsed.y), (parsed.w, parsed.h)))
}
