//! Clip paths, masks and filters of the normalised text: what is in them, and who links to them.
//! Refuses to know who wrote them: that is the business of `Art`.

use std::collections::BTreeMap;
use std::ops::Range;

use kurbo::{Affine, BezPath, PathEl, Point, Rect};
use roxmltree::{Document, Node};

use super::normal::Slot;
use super::source::{qualified_name, tag_range};

/// All of them, and the links of the drawn nodes.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub(crate) list: Vec<Definition>,
    /// Links of the nodes of the tree, in their order.
    links: Vec<(usize, Link)>,
}

/// What sort of definition it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionKind {
    Clip,
    Mask,
    Filter,
}

/// A clip path, mask or filter of the normalised text.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) kind: DefinitionKind,
    /// As it is spelled in the text.
    pub(crate) id: String,
    /// The whole element.
    pub(crate) range: Range<usize>,
    /// The value of its id.
    pub(crate) id_at: Range<usize>,
    /// Regions of a mask, a filter and its steps in the user's space, each with the attributes that say it.
    pub(crate) regions: Vec<(Range<usize>, Rect)>,
    /// The element itself, then what is in it, parents first.
    pub(crate) nodes: Vec<Inner>,
}

/// A node of a clip path or a mask. Filters have the first one alone.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) parent: usize,
    /// Where the element starts, and where an attribute may be added.
    pub(crate) start: usize,
    pub(crate) name_end: usize,
    /// The id as the author of the drawing wrote it.
    pub(crate) id: Option<String>,
    /// The id attribute with the space before it.
    pub(crate) id_at: Option<Range<usize>>,
    /// From its inside (its own transform included) to the space of what links to the definition.
    pub(crate) to_user: Affine,
    pub(crate) path: Option<InnerPath>,
    pub(crate) is_image: bool,
    pub(crate) links: Vec<Link>,
}

/// What a path in a clip or mask is.
#[derive(Debug)]
pub(crate) struct InnerPath {
    pub(crate) path: BezPath,
    /// The value of its `d`.
    pub(crate) data: Range<usize>,
    pub(crate) visible: bool,
    pub(crate) even_odd: Option<bool>,
    pub(crate) stroke_width: f64,
}

/// A link to a definition.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) definition: usize,
    /// The id in `url(#id)`.
    pub(crate) at: Range<usize>,
}

impl Definitions {
    pub(crate) fn new(text: &str, doc: &Document<'_>, slots: &[Slot]) -> Self {
        let all = doc.root_element().children().filter(|child| child.tag_name().name() == "defs");
        let nodes: Vec<(Node<'_, '_>, DefinitionKind)> = all
            .flat_map(|defs| defs.children())
            .filter_map(|node| match node.tag_name().name() {
                "clipPath" => Some((node, DefinitionKind::Clip)),
                "mask" => Some((node, DefinitionKind::Mask)),
                "filter" => Some((node, DefinitionKind::Filter)),
                _ => None,
            })
            .filter(|(node, _)| node.has_attribute("id"))
            .collect();
        let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, (node, _)) in nodes.iter().enumerate() {
            by_id.entry(raw(text, node, "id").unwrap_or("")).or_insert(at);
        }
        let list = nodes.iter().map(|(node, kind)| definition(text, *node, *kind, &by_id)).collect();
        let by_start: BTreeMap<usize, usize> =
            slots.iter().enumerate().map(|(at, slot)| (slot.range.start, at)).collect();
        let mut links: Vec<(usize, Link)> = doc
            .descendants()
            .filter_map(|node| Some((*by_start.get(&node.range().start)?, node)))
            .filter(|(_, node)| node.is_element())
            .flat_map(|(slot, node)| links(text, node, &by_id).into_iter().map(move |link| (slot, link)))
            .collect();
        links.sort_by_key(|(slot, link)| (*slot, link.at.start));
        Self { list, links }
    }

    /// The links of the drawn nodes, in their order.
    pub(crate) fn links(&self) -> &[(usize, Link)] {
        &self.links
    }
}

fn definition(
    text: &str,
    node: Node<'_, '_>,
    kind: DefinitionKind,
    by_id: &BTreeMap<&str, usize>,
) -> Definition {
    let mut regions: Vec<(Range<usize>, Rect)> = Vec::new();
    if kind != DefinitionKind::Clip
        && let Some(whole) = region(text, node, None)
    {
        regions.push(whole.clone());
        if kind == DefinitionKind::Filter {
            let steps = node.children().filter(Node::is_element);
            regions.extend(steps.filter_map(|step| region(text, step, Some(whole.1))));
        }
    }
    let inner = |node: Node<'_, '_>, parent: usize, to_user: Affine| {
        let tag = tag_range(text, node);
        Inner {
            parent,
            start: tag.start,
            name_end: tag.start + 1 + qualified_name(text, tag.start).len(),
            id: node.attribute("id").map(str::to_owned),
            id_at: node.attribute_node("id").map(|id| id.range().start - 1..id.range().end),
            to_user,
            path: path(node),
            is_image: node.tag_name().name() == "image",
            links: links(text, node, by_id),
        }
    };
    // What is linked to from a clip path or a mask itself stands in the space of its user, as what it holds does.
    let mut nodes = vec![inner(node, 0, Affine::IDENTITY)];
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let within = if kind == DefinitionKind::Clip { transform(node) } else { Affine::IDENTITY };
    if kind != DefinitionKind::Filter {
        for child in node.descendants().skip(1).filter(Node::is_element) {
            let parent = child.parent().and_then(|parent| places.get(&parent.id().get()).copied());
            let around = parent.map_or(within, |parent| nodes[parent].to_user);
            places.insert(child.id().get(), nodes.len());
            nodes.push(inner(child, parent.unwrap_or(0), around * transform(child)));
        }
    }
    let id_at = node.attribute_node("id").map_or(0..0, |id| id.range_value());
    let id = text.get(id_at.clone()).unwrap_or("").to_owned();
    Definition { kind, id, range: node.range(), id_at, regions, nodes }
}

/// The attributes of a region as the writer puts them, side by side, and what they say. A step of a filter has some of
/// them and takes the others from the filter; none at all follow it by themselves.
fn region(text: &str, node: Node<'_, '_>, around: Option<Rect>) -> Option<(Range<usize>, Rect)> {
    let attributes = || ["x", "y", "width", "height"].map(|name| node.attribute_node(name));
    let written = || attributes().into_iter().flatten();
    let start = written().map(|a| a.range().start - 1).min()?;
    let end = written().map(|a| a.range().end).max()?;
    // Nothing else may stand between them.
    let length: usize = written().map(|a| a.range().len() + 1).sum();
    if length != end - start || text.get(start..end).is_none() {
        return None;
    }
    let around = around.map(|rect| [rect.x0, rect.y0, rect.width(), rect.height()]);
    let mut numbers = [0.0; 4];
    for (at, attribute) in attributes().into_iter().enumerate() {
        numbers[at] = match attribute {
            Some(attribute) => attribute.value().parse().ok()?,
            None => around?[at],
        };
    }
    let [x, y, width, height] = numbers;
    let rect = Rect::new(x, y, x + width, y + height);
    rect.is_finite().then_some((start..end, rect))
}

fn path(node: Node<'_, '_>) -> Option<InnerPath> {
    let data = node.attribute_node("d").filter(|_| node.tag_name().name() == "path")?;
    let path = BezPath::from_svg(data.value()).ok()?;
    let has = |name: &str| node.attribute(name).is_some_and(|paint| paint != "none");
    let fill = node.attribute("fill").is_none_or(|fill| fill != "none");
    let rule = node.attribute("clip-rule").or_else(|| node.attribute("fill-rule"));
    let width = node.attribute("stroke-width").map_or(Some(1.0), |width| width.parse().ok());
    Some(InnerPath {
        path: path.iter().map(single).collect(),
        data: data.range_value(),
        visible: (fill || has("stroke")) && node.attribute("visibility") != Some("hidden"),
        even_odd: fill.then_some(rule == Some("evenodd")),
        stroke_width: if has("stroke") { width.unwrap_or(0.0) } else { 0.0 },
    })
}

/// The numbers of the text are those of f32: the same as the tree's, widened.
fn single(element: PathEl) -> PathEl {
    #[allow(clippy::cast_possible_truncation, reason = "the number is the text of an f32")]
    let single = |p: Point| Point::new(f64::from(p.x as f32), f64::from(p.y as f32));
    match element {
        PathEl::MoveTo(p) => PathEl::MoveTo(single(p)),
        PathEl::LineTo(p) => PathEl::LineTo(single(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(single(a), single(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(single(a), single(b), single(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    }
}

fn links(text: &str, node: Node<'_, '_>, by_id: &BTreeMap<&str, usize>) -> Vec<Link> {
    let mut links = Vec::new();
    for attribute in ["clip-path", "mask", "filter"].into_iter().filter_map(|name| node.attribute_node(name))
    {
        let range = attribute.range_value();
        let value = text.get(range.clone()).unwrap_or("");
        for (at, _) in value.match_indices("url(#") {
            let start = range.start + at + "url(#".len();
            let id = text.get(start..range.end).and_then(|rest| rest.split(')').next()).unwrap_or("");
            let found = by_id.get(id).copied();
            links.extend(found.map(|definition| Link { definition, at: start..start + id.len() }));
        }
    }
    links
}

fn transform(node: Node<'_, '_>) -> Affine {
    let own = node.attribute("transform").and_then(|value| value.parse::<svgtypes::Transform>().ok());
    own.map_or(Affine::IDENTITY, |t| Affine::new([t.a, t.b, t.c, t.d, t.e, t.f]))
}

/// The value of an attribute as it is spelled in the text.
fn raw<'a>(text: &'a str, node: &Node<'_, '_>, name: &str) -> Option<&'a str> {
    text.get(node.attribute_node(name)?.range_value())
}
