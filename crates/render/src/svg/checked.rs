//! The XML of a text, and whether usvg and resvg can read it in bounded time.

use roxmltree::{Document, ParsingOptions};

use super::place::{LineIndex, SvgError};
use super::references::{self, References};
use super::source::{is_svg, tag_range};
use super::{costly_elements, costly_filters, costly_styles, limits, notes};

fn parse_xml(svg: &str) -> Result<Document<'_>, roxmltree::Error> {
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: limits::MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(svg, options)
}

pub(super) fn read_xml<'a>(svg: &'a str, lines: &LineIndex<'_>) -> Result<Document<'a>, SvgError> {
    if svg.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(SvgError::NotSvg { reason: "the file is empty".into(), place: None, source: None });
    }
    let doc = parse_xml(svg).map_err(|error| {
        let place = Some(match error {
            // roxmltree has no place for these: it is the end of the text.
            roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
                let end = svg.trim_end().len();
                lines.place(end..end)
            }
            _ => lines.at(error.pos().row, error.pos().col),
        });
        match error {
            roxmltree::Error::NodesLimitReached => SvgError::LimitExceeded {
                what: format!("it has more than {} elements", limits::MAX_NODES),
                place: None,
            },
            roxmltree::Error::EntityReferenceLoop(_) => SvgError::LimitExceeded {
                what: "its DOCTYPE entities refer to each other again and again".into(),
                place,
            },
            error => {
                SvgError::NotSvg { reason: notes::xml_reason(&error), place, source: Some(Box::new(error)) }
            }
        }
    })?;
    let root = doc.root_element();
    if !is_svg(root) || root.tag_name().name() != "svg" {
        return Err(SvgError::NotSvg {
            reason: format!("its first element is <{}>, not <svg>", root.tag_name().name()),
            place: Some(lines.place(tag_range(svg, root))),
            source: None,
        });
    }
    check_depth(&doc, svg, lines)?;
    Ok(doc)
}

/// The XML of a text that is drawn as it is, or none if usvg says what is wrong with it. Fails for links that are
/// nested deeper, or multiply it further, than usvg can follow.
pub(crate) fn read_posed(svg: &str) -> Result<Option<Document<'_>>, SvgError> {
    let Ok(doc) = parse_xml(svg) else { return Ok(None) };
    references::check(&doc, svg, &LineIndex::new(svg), limits::MAX_POSED_DEPTH)?;
    Ok(Some(doc))
}

/// Fails for a drawing that would take usvg or resvg too long. `drawn` is the number of elements with all links
/// followed.
pub(super) fn check_costs(
    doc: &Document<'_>,
    svg: &str,
    lines: &LineIndex<'_>,
    drawn: u64,
) -> Result<(), SvgError> {
    costly_filters::check(doc, svg, lines)?;
    costly_elements::check(doc, svg, lines)?;
    costly_styles::check(doc, svg, lines, drawn)
}

/// Checks a drawing within a drawing. Returns its text without the links that close loops, if it has any.
pub(super) fn check_references(svg: &str) -> Result<Option<String>, SvgError> {
    let mut text: Option<String> = None;
    for _ in 0..limits::MAX_DEPTH {
        let current = text.as_deref().unwrap_or(svg);
        let lines = LineIndex::new(current);
        let without = match read_xml(current, &lines) {
            Ok(doc) => {
                let References { without_loops, drawn, .. } =
                    references::check(&doc, current, &lines, limits::MAX_DEPTH)?;
                check_costs(&doc, current, &lines, drawn)?;
                without_loops
            }
            // Not XML: an image of another kind, or nothing that usvg would read.
            Err(SvgError::NotSvg { .. }) => return Ok(text),
            Err(error) => return Err(error),
        };
        match without {
            None => return Ok(text),
            without => text = without,
        }
    }
    Err(SvgError::LimitExceeded { what: "it refers to itself in too many ways".into(), place: None })
}

/// Fails for deep nesting before anything recursive reads it.
fn check_depth(doc: &Document<'_>, svg: &str, lines: &LineIndex<'_>) -> Result<(), SvgError> {
    let mut depths: Vec<u32> = Vec::new();
    // Document order is the order of node ids, so a parent's depth is known before its children's.
    for node in doc.descendants() {
        let depth =
            node.parent().and_then(|parent| depths.get(parent.id().get_usize())).map_or(0, |depth| depth + 1);
        if depth > limits::MAX_DEPTH {
            return Err(SvgError::LimitExceeded {
                what: format!("its groups are nested more than {} deep", limits::MAX_DEPTH),
                place: Some(lines.place(tag_range(svg, node))),
            });
        }
        depths.push(depth);
    }
    Ok(())
}
