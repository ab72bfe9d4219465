//! The references of an SVG: how many elements there are once every reference is followed, and which
//! references have no target. Loops and exponential references are errors before usvg follows them. The count
//! is an upper bound.

use std::collections::HashMap;

use roxmltree::{Document, Node, NodeId};

use super::limits::{MAX_DEPTH, MAX_EXPANDED, MAX_NODES};
use super::place::{LineIndex, SvgError, SvgNote};
use super::source::{is_svg, plain_attribute, tag_range};

const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

/// Counts what will be drawn; gives a note for each link without a target.
pub(crate) fn check(doc: &Document<'_>, text: &str, lines: &LineIndex<'_>) -> Result<Vec<SvgNote>, SvgError> {
    super::costly_filters::check(doc, text, lines)?;
    let styles = style_rules(doc);
    let linking: Vec<Node<'_, '_>> =
        doc.descendants().filter(|node| node.is_element() && links(*node).next().is_some()).collect();
    // Each element is then drawn once, and there are no more elements than the limit.
    const { assert!(MAX_NODES as u64 <= MAX_EXPANDED) };
    if linking.is_empty() && styles.is_empty() {
        return Ok(Vec::new());
    }
    let mut ids: HashMap<&str, Node<'_, '_>> = HashMap::new();
    for node in doc.descendants().filter(Node::is_element) {
        if let Some(id) = plain_attribute(node, "id") {
            ids.entry(id).or_insert(node);
        }
    }
    count(doc, text, lines, &ids, &styles)?;

    let mut notes = Vec::new();
    for node in linking.into_iter().filter(|node| is_svg(*node)) {
        for id in links(node).filter(|id| !ids.contains_key(id)) {
            notes.push(SvgNote::warning(
                format!("a link to “#{id}” has no target: no element has this id"),
                Some(lines.place(tag_range(text, node))),
            ));
        }
    }
    for rule in styles {
        for id in rule.links.iter().filter(|id| !ids.contains_key(*id)) {
            notes.push(SvgNote::warning(
                format!("the style sheet's link to “#{id}” has no target: no element has this id"),
                Some(lines.place(rule.span.clone())),
            ));
        }
    }
    Ok(notes)
}

/// An element whose contents are being counted.
struct Open {
    node: NodeId,
    /// What it draws, each with how many times.
    edges: Vec<(NodeId, u64)>,
    next: usize,
    expanded: u64,
    depth: u32,
}

/// The state of the count of an element.
#[derive(Clone, Copy, Default)]
enum Count {
    #[default]
    None,
    /// It is being counted.
    Open,
    /// How many elements it expands to, and how deep.
    Done { expanded: u64, depth: u32 },
}

fn set(counts: &mut Vec<Count>, node: NodeId, count: Count) {
    let at = node.get_usize();
    if counts.len() <= at {
        counts.resize(at + 1, Count::None);
    }
    counts[at] = count;
}

fn count(
    doc: &Document<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    ids: &HashMap<&str, Node<'_, '_>>,
    styles: &[StyleRule<'_>],
) -> Result<(), SvgError> {
    let place = |node: NodeId| doc.get_node(node).map(|node| lines.place(tag_range(text, node)));
    // By the nodes' numbers.
    let mut counts: Vec<Count> = Vec::new();
    let open = |node: Node<'_, '_>| Open {
        node: node.id(),
        edges: edges(node, ids, styles),
        next: 0,
        expanded: 1,
        depth: 0,
    };
    let root = doc.root_element();
    set(&mut counts, root.id(), Count::Open);
    let mut stack = vec![open(root)];
    while let Some(top) = stack.last_mut() {
        if let Some((target, times)) = top.edges.get(top.next).copied() {
            match counts.get(target.get_usize()).copied().unwrap_or_default() {
                Count::Done { expanded, depth } => {
                    top.expanded = top.expanded.saturating_add(expanded.saturating_mul(times));
                    top.depth = top.depth.max(depth + 1);
                    top.next += 1;
                    if top.expanded > MAX_EXPANDED {
                        let what = format!("its links multiply it to more than {MAX_EXPANDED} elements");
                        return Err(SvgError::LimitExceeded { what, place: place(top.node) });
                    }
                    if top.depth > MAX_DEPTH {
                        let what = format!("its groups and links are nested more than {MAX_DEPTH} deep");
                        return Err(SvgError::LimitExceeded { what, place: place(top.node) });
                    }
                }
                Count::Open => {
                    let name = doc
                        .get_node(target)
                        .and_then(|node| plain_attribute(node, "id"))
                        .unwrap_or("")
                        .to_owned();
                    return Err(SvgError::Cycle {
                        what: format!("a link to “#{name}” stands inside what “#{name}” draws"),
                        place: place(top.node),
                    });
                }
                Count::None => {
                    if let Some(node) = doc.get_node(target) {
                        set(&mut counts, target, Count::Open);
                        stack.push(open(node));
                    }
                }
            }
        } else {
            set(&mut counts, top.node, Count::Done { expanded: top.expanded, depth: top.depth });
            stack.pop();
        }
    }
    Ok(())
}

/// The nodes that are drawn when this node is drawn.
fn edges(
    node: Node<'_, '_>,
    ids: &HashMap<&str, Node<'_, '_>>,
    styles: &[StyleRule<'_>],
) -> Vec<(NodeId, u64)> {
    let mut edges: Vec<(NodeId, u64)> =
        node.children().filter(|child| is_svg(*child)).map(|child| (child.id(), 1)).collect();
    let from_styles =
        styles.iter().filter(|rule| rule.may_match(node)).flat_map(|rule| rule.links.iter().copied());
    for target in links(node).chain(from_styles).filter_map(|id| ids.get(id)) {
        let times = match target.tag_name().name() {
            "linearGradient" | "radialGradient" | "textPath" => continue,
            // One for every vertex; a vertex takes at least two bytes of the data.
            "marker" => vertices(node),
            // usvg's writer looks into a mask twice, so masks within masks double its time with every level.
            "mask" => 2,
            _ if follows(node, *target) => 1,
            _ => continue,
        };
        edges.push((target.id(), times));
    }
    edges
}

/// Whether a link from this node draws what it leads to.
fn follows(node: Node<'_, '_>, target: Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "use" | "feImage" | "pattern" | "filter" | "tref")
        || matches!(target.tag_name().name(), "pattern" | "mask" | "clipPath" | "filter")
}

fn vertices(node: Node<'_, '_>) -> u64 {
    let data =
        node.attributes().filter(|a| matches!(a.name(), "d" | "points")).map(|a| a.value().len()).max();
    // A marker set on a group goes to the paths in it.
    let inside = || {
        let all = node.descendants().flat_map(|node| node.attributes());
        all.filter(|a| matches!(a.name(), "d" | "points"))
            .map(|a| a.value().len())
            .fold(0_usize, usize::saturating_add)
    };
    data.unwrap_or_else(inside) as u64 / 2 + 2
}

/// Elements that draw nothing of what their `href` names: drawing programs note there what a shape was made from, like the path of
/// Inkscape's linked offset, which may be gone.
const NOT_BY_HREF: [&str; 12] =
    ["a", "g", "svg", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"];

/// The ids that a node's attributes link to.
fn links<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let tag = node.tag_name().name();
    node.attributes().flat_map(move |attribute| {
        let is_href =
            attribute.name() == "href" && matches!(attribute.namespace(), None | Some(XLINK_NAMESPACE));
        // The longest values, and no links in them.
        let value = if matches!(attribute.name(), "d" | "points") { "" } else { attribute.value() };
        let href = (is_href && !NOT_BY_HREF.contains(&tag)).then(|| value.trim().strip_prefix('#')).flatten();
        href.into_iter().chain(url_links(value))
    })
}

/// The ids in every `url(#id)` of a text.
fn url_links(text: &str) -> impl Iterator<Item = &str> {
    // Most values have no bracket, which is found faster than that they have no `url(`.
    let linking = if text.contains('(') { text } else { "" };
    linking.split("url(").skip(1).filter_map(|after| {
        let inside = after.split(')').next()?.trim().trim_matches(['"', '\'']).trim();
        inside.strip_prefix('#')
    })
}

/// A rule of a style sheet that links to something.
struct StyleRule<'a> {
    span: std::ops::Range<usize>,
    selector: &'a str,
    links: Vec<&'a str>,
}

impl StyleRule<'_> {
    /// Whether the rule may apply: one of the selector's words is this element's tag, id or class. Says yes
    /// when in doubt.
    fn may_match(&self, node: Node<'_, '_>) -> bool {
        if self.selector.contains(['*', '[', ':']) {
            return true;
        }
        let classes = plain_attribute(node, "class").unwrap_or("");
        let words = self
            .selector
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '#' | '>' | '+' | '~'));
        words.filter(|word| !word.is_empty()).any(|word| {
            word == node.tag_name().name()
                || plain_attribute(node, "id") == Some(word)
                || classes.split_whitespace().any(|class| class == word)
        })
    }
}

fn style_rules<'a>(doc: &'a Document<'_>) -> Vec<StyleRule<'a>> {
    let mut rules = Vec::new();
    for style in doc.descendants().filter(|node| node.is_element() && node.tag_name().name() == "style") {
        for rule in style.text().unwrap_or("").split('}') {
            let (selector, declarations) = rule.rsplit_once('{').unwrap_or(("", rule));
            let links: Vec<&str> = url_links(declarations).collect();
            if !links.is_empty() {
                rules.push(StyleRule { span: style.range(), selector, links });
            }
        }
    }
    rules
}
