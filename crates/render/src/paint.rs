//! Gradients, patterns and stroke lengths of posed paths: copies of their own, with holes for what changes.
//! Refuses to decide how paint moves; what it cannot read stays as it is at rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kurbo::Affine;
use roxmltree::{Document, Node};

use crate::holes::Part;
use crate::number;

/// How a posed path is painted in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// The canvas affine that moves gradients and patterns away from their place at rest. None: they stay in the path's own space.
    pub paint: Option<Affine>,
    /// How many times as wide as at rest the stroke and its dashes are on the canvas. None: as they are in the path's own space.
    pub stroke: Option<f64>,
}

/// A gradient or pattern that one posed path has to itself.
#[derive(Debug)]
pub(crate) struct Server {
    /// Which of the places of posed outlines.
    pub(crate) path: usize,
    /// `gradientTransform` or `patternTransform`.
    pub(crate) name: &'static str,
    pub(crate) own: Affine,
    /// Where the text at rest has that transform, with the space before it.
    pub(crate) at_rest: Range<usize>,
    /// Its place in the list of made-up ids.
    pub(crate) made: usize,
}

/// Stroke width, dashes or dash offset of a posed path.
#[derive(Debug)]
pub(crate) struct Lengths {
    /// Which of the places of posed outlines.
    pub(crate) path: usize,
    pub(crate) name: &'static str,
    values: Vec<f64>,
    /// Where the text at rest has them, with the space before.
    pub(crate) at_rest: Range<usize>,
}

impl Lengths {
    /// Whether `scale` times its lengths can be written.
    pub(crate) fn is_writable(&self, scale: f64) -> bool {
        self.values.iter().all(|value| number::in_range(value * scale))
    }

    /// `scale` times its lengths at rest, as they are read from what [`write`](Self::write) writes.
    pub(crate) fn read(&self, scale: f64) -> impl Iterator<Item = f32> + '_ {
        self.values.iter().map(move |value| number::as_read(value * scale))
    }

    /// Writes the attribute, `scale` times its lengths at rest.
    pub(crate) fn write(&self, scale: f64, out: &mut String) {
        out.push(' ');
        out.push_str(self.name);
        out.push_str("=\"");
        for (at, value) in self.values.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            number::write_rounded(value * scale, out);
        }
        out.push('"');
    }
}

/// What the paint of all posed paths comes to.
#[derive(Debug, Default)]
pub(crate) struct Paint {
    pub(crate) servers: Vec<Server>,
    pub(crate) lengths: Vec<Lengths>,
    /// Ids that were made up for copies.
    pub(crate) ids: Vec<String>,
}

/// Finds the paint of posed paths in the normalised text, and makes the holes for it.
pub(crate) struct Painter<'a> {
    text: &'a str,
    by_start: BTreeMap<usize, Node<'a, 'a>>,
    servers: BTreeMap<&'a str, Node<'a, 'a>>,
    /// Every id of the text, as it is spelled there.
    taken: BTreeSet<String>,
    pub(crate) paint: Paint,
}

impl<'a> Painter<'a> {
    pub(crate) fn new(text: &'a str, doc: &'a Document<'a>) -> Self {
        let elements = || doc.descendants().filter(Node::is_element);
        let id = |node: &Node<'a, 'a>| node.attribute_node("id").and_then(|id| text.get(id.range_value()));
        let mut servers = BTreeMap::new();
        for node in elements().filter(|node| transform_name(node).is_some()) {
            if let Some(id) = id(&node) {
                servers.entry(id).or_insert(node);
            }
        }
        Self {
            text,
            by_start: elements().map(|node| (node.range().start, node)).collect(),
            servers,
            taken: elements().filter_map(|node| id(&node)).map(str::to_owned).collect(),
            paint: Paint::default(),
        }
    }

    /// The holes for a posed path whose element starts here.
    pub(crate) fn path(
        &mut self,
        path: usize,
        start: usize,
        name_end: usize,
        holes: &mut Vec<(Range<usize>, Part)>,
    ) {
        let Some(node) = self.by_start.get(&start).copied() else { return };
        let mut copied: BTreeMap<&str, usize> = BTreeMap::new();
        for name in ["fill", "stroke"] {
            let Some(attribute) = node.attribute_node(name) else { continue };
            let value = attribute.range_value();
            let Some(id) =
                self.text[value.clone()].strip_prefix("url(#").and_then(|rest| rest.split(')').next())
            else {
                continue;
            };
            let Some(server) = self.servers.get(id).copied() else { continue };
            let made = match copied.get(id) {
                Some(made) => *made,
                None => self.copy(path, id, server, holes),
            };
            copied.insert(id, made);
            let at = value.start + "url(#".len();
            holes.push((at..at + id.len(), Part::Made(made)));
        }
        if node.attribute("stroke").is_some_and(|stroke| stroke != "none") {
            self.lengths(path, node, name_end, holes);
        }
    }

    /// Makes up an id for a copy; gives its place in the list.
    pub(crate) fn make_id(&mut self, id: &str, number: usize) -> usize {
        let mut name = format!("{id}-of-{number}");
        while !self.taken.insert(name.clone()) {
            name.push('-');
        }
        self.paint.ids.push(name);
        self.paint.ids.len() - 1
    }

    /// Writes a copy right after what is copied; gives the place of its id.
    fn copy(
        &mut self,
        path: usize,
        id: &str,
        server: Node<'a, 'a>,
        holes: &mut Vec<(Range<usize>, Part)>,
    ) -> usize {
        let made = self.make_id(id, path);
        let transform = transform_name(&server).unwrap_or("gradientTransform");
        let range = server.range();
        let tag_end = range.start + 1 + server.tag_name().name().len();
        let attribute = server.attribute_node(transform);
        let at_rest = attribute.map_or(tag_end..tag_end, |a| a.range().start - 1..a.range().end);
        let own = attribute.map_or("", |a| a.value()).parse::<svgtypes::Transform>();
        let own = own.map_or(Affine::IDENTITY, |t| Affine::new([t.a, t.b, t.c, t.d, t.e, t.f]));

        // What differs from the original, in order: its id, its transform, and no id of anything in it.
        let mut changes: Vec<(Range<usize>, Option<Part>)> = Vec::new();
        if let Some(id) = server.attribute_node("id") {
            changes.push((id.range_value(), Some(Part::Made(made))));
        }
        changes.push((at_rest.clone(), Some(Part::Server(self.paint.servers.len()))));
        for inside in server.descendants().skip(1) {
            if let Some(id) = inside.attribute_node("id") {
                changes.push((id.range().start - 1..id.range().end, None));
            }
        }
        changes.sort_by_key(|(range, _)| range.start);
        let mut at = range.start;
        for (changed, part) in changes {
            holes.push((range.end..range.end, Part::Text(at..changed.start)));
            at = changed.end;
            holes.extend(part.map(|part| (range.end..range.end, part)));
        }
        holes.push((range.end..range.end, Part::Text(at..range.end)));
        self.paint.servers.push(Server { path, name: transform, own, at_rest, made });
        made
    }

    fn lengths(
        &mut self,
        path: usize,
        node: Node<'a, 'a>,
        name_end: usize,
        holes: &mut Vec<(Range<usize>, Part)>,
    ) {
        for name in ["stroke-width", "stroke-dasharray", "stroke-dashoffset"] {
            let attribute = node.attribute_node(name);
            // A width of 1 is not written.
            if attribute.is_none() && name != "stroke-width" {
                continue;
            }
            let numbers = attribute.map_or("1", |a| a.value()).split([' ', ',']).filter(|n| !n.is_empty());
            let Ok(values) = numbers.map(str::parse::<f64>).collect() else { continue };
            let at_rest = attribute.map_or(name_end..name_end, |a| a.range().start - 1..a.range().end);
            holes.push((at_rest.clone(), Part::Lengths(self.paint.lengths.len())));
            self.paint.lengths.push(Lengths { path, name, values, at_rest });
        }
    }
}

/// The attribute that moves a paint server; none if the element is something else.
fn transform_name(node: &Node<'_, '_>) -> Option<&'static str> {
    match node.tag_name().name() {
        "linearGradient" | "radialGradient" => Some("gradientTransform"),
        "pattern" => Some("patternTransform"),
        _ => None,
    }
}
