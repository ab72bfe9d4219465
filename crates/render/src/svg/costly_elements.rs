//! Elements that usvg and resvg read in a time that grows with the square of their contents: long texts, styles
//! and gradients. What is long adds the square of its length to a sum for the whole drawing, which is bounded.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::costly_arcs::curves;
use super::limits::{
    MAX_CURVES, MAX_FILTER_STEPS, MAX_LETTERS, MAX_LINK_STEPS, MAX_SPANS, MAX_STOPS, MAX_STYLE,
};
use super::place::{LineIndex, SvgError};
use super::source::{is_svg, plain_attribute, tag_range};

/// What may be long.
struct Length {
    what: &'static str,
    of: fn(Node<'_, '_>) -> u64,
    /// The longest, if it is the only one.
    most: u64,
    /// What is not longer than this does not count.
    short: u64,
}

const LENGTHS: [Length; 5] = [
    Length { what: "letters in a text", of: letters, most: MAX_LETTERS, short: 1_000 },
    Length { what: "spans in a text", of: spans, most: MAX_SPANS, short: 100 },
    Length { what: "stops in a gradient", of: stops, most: MAX_STOPS, short: 256 },
    Length { what: "declarations in a style", of: declarations, most: MAX_STYLE, short: 256 },
    Length { what: "curves for huge arcs", of: curves, most: MAX_CURVES, short: 1_000 },
];

/// Fails for a drawing with elements that take too long to read.
pub(crate) fn check(doc: &Document<'_>, text: &str, lines: &LineIndex<'_>) -> Result<(), SvgError> {
    let too_much = |node: Node<'_, '_>, what: String| {
        Err(SvgError::LimitExceeded { what, place: Some(lines.place(tag_range(text, node))) })
    };
    let mut sums = [0_u64; LENGTHS.len()];
    for node in doc.descendants().filter(|node| is_svg(*node)) {
        for (length, sum) in LENGTHS.iter().zip(&mut sums) {
            let count = (length.of)(node);
            if count > length.short {
                *sum = sum.saturating_add(count.saturating_mul(count));
            }
            if *sum > length.most * length.most {
                let (what, most) = (length.what, length.most);
                return too_much(
                    node,
                    format!("{count} {what}; {most} are the most, and fewer if there are several as long"),
                );
            }
        }
        if node.tag_name().name() == "filter" {
            let steps = node.descendants().filter(Node::is_element).count() - 1;
            if steps > MAX_FILTER_STEPS {
                return too_much(node, format!("{steps} steps in a filter; {MAX_FILTER_STEPS} are the most"));
            }
        }
    }
    check_links(doc).or_else(|node| {
        let what = format!("gradients that link to each other, more than {MAX_LINK_STEPS} steps in all");
        too_much(node, what)
    })
}

fn letters(node: Node<'_, '_>) -> u64 {
    if node.tag_name().name() != "text" {
        return 0;
    }
    let texts = node.descendants().filter(Node::is_text).filter_map(|text| text.text());
    texts.map(|text| text.chars().count() as u64).sum()
}

fn spans(node: Node<'_, '_>) -> u64 {
    if node.tag_name().name() != "text" {
        return 0;
    }
    node.descendants().skip(1).filter(Node::is_element).count() as u64
}

fn stops(node: Node<'_, '_>) -> u64 {
    if !matches!(node.tag_name().name(), "linearGradient" | "radialGradient") {
        return 0;
    }
    node.children().filter(Node::is_element).count() as u64
}

fn declarations(node: Node<'_, '_>) -> u64 {
    plain_attribute(node, "style")
        .map_or(0, |style| style.bytes().filter(|byte| *byte == b';').count() as u64)
}

/// usvg follows the links of each gradient to their end. Fails at the gradient with which it takes too many steps.
fn check_links<'a>(doc: &'a Document<'_>) -> Result<(), Node<'a, 'a>> {
    let is_linked = |node: &Node<'_, '_>| {
        is_svg(*node) && matches!(node.tag_name().name(), "linearGradient" | "radialGradient" | "pattern")
    };
    let servers: Vec<Node<'_, '_>> = doc.descendants().filter(is_linked).collect();
    let mut ids: HashMap<&str, usize> = HashMap::new();
    for (at, node) in servers.iter().enumerate() {
        if let Some(id) = plain_attribute(*node, "id") {
            ids.entry(id).or_insert(at);
        }
    }
    let linked = |node: &Node<'a, 'a>| {
        let href = node.attributes().find(|attribute| attribute.name() == "href")?;
        ids.get(href.value().trim().strip_prefix('#')?).copied()
    };
    let next: Vec<Option<usize>> = servers.iter().map(linked).collect();
    let mut steps = 0;
    for (from, node) in servers.iter().enumerate() {
        // usvg ends at a link to itself or to the first one; a circle behind these ends with the bound.
        let link = |at: usize| next[at].filter(|to| *to != at && *to != from);
        steps += std::iter::successors(link(from), |at| link(*at)).take(MAX_LINK_STEPS - steps + 1).count();
        if steps > MAX_LINK_STEPS {
            return Err(*node);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_body(body: &str) -> Result<(), SvgError> {
        let text = format!("<svg xmlns='http://www.w3.org/2000/svg'>\n{body}</svg>");
        let doc = Document::parse(&text).unwrap();
        check(&doc, &text, &LineIndex::new(&text))
    }

    fn chain(count: usize) -> String {
        (0..count).map(|n| format!("<linearGradient id='g{n}' href='#g{}'/>", n + 1)).collect()
    }

    #[test]
    fn long_contents_are_errors_with_their_place() {
        for body in [
            format!("<text>{}</text>", "a".repeat(80_000)),
            format!("<text>{}</text>", "a".repeat(10_000)).repeat(20),
            format!("<text>{}</text>", "<tspan dx='1'>a</tspan>".repeat(4_000)),
            format!("<rect style='{}'/>", "fill:red;".repeat(20_000)),
            format!("<linearGradient>{}</linearGradient>", "<stop offset='0'/>".repeat(200_000)),
            format!("<filter><feMerge>{}</feMerge></filter>", "<feMergeNode/>".repeat(2_000)),
            "<path d='M0 0A1e308 1 0 0 1 9 9'/>".to_owned(),
            "<path d='m9 9a2e-5 1e300 0 0 1 9 9z'/>".to_owned(),
            "<circle r='3e38'/>".to_owned(),
            "<rect rx='9' ry='3e38mm'/>".to_owned(),
            chain(100_000),
            chain(3) + "<linearGradient id='g3' href='#g2'/>",
        ] {
            let error = check_body(&body).unwrap_err();
            assert_eq!(error.place().map(|place| place.line), Some(2), "{}", &body[..body.len().min(30)]);
        }
    }

    #[test]
    fn what_people_draw_passes() {
        for body in [
            format!("<text>{}</text>", "a page of letters".repeat(200)),
            "<text>a label</text>".repeat(20_000),
            format!("<text>{}</text>", "<tspan x='1'>line</tspan>".repeat(500)),
            format!("<rect style='{}'/>", "fill:red;".repeat(100)),
            format!("<linearGradient>{}</linearGradient>", "<stop offset='0'/>".repeat(1_000)),
            // A straight line by a program for engineers, and an arc whose radii are too small for it.
            "<path d='M0 0A1e10 1e10 0 0 1 9 9'/>".repeat(1_000),
            "<path d='M0 0A.01 .02 0 0 1 900 900'/>".to_owned(),
            "<path d='M0 0A0 9 0 0 1 9 9'/>".to_owned(),
            chain(1_000),
            chain(3) + "<linearGradient id='g3' href='#g0'/>",
            "<linearGradient id='g' href='#g'/>".to_owned(),
        ] {
            assert!(check_body(&body).is_ok(), "{}", &body[..body.len().min(30)]);
        }
    }
}
