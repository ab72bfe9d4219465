//! The drawing as usvg normalised it: its SVG text, and for each node of the tree its place in that text and its matrices.
//! Refuses to interpret: what a node is to the author is the business of `Art`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kurbo::{Affine, BezPath, Rect};
use roxmltree::{Document, Node};

use super::definitions::Definitions;
use super::element::PaintSummary;
use super::place::ArtError;
use super::source::{apply, qualified_name, tag_range};
use crate::number;

/// A node of the normalised text.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The whole element.
    pub(crate) range: Range<usize>,
    /// Where an attribute may be added.
    pub(crate) name_end: usize,
    /// The transform attribute with the space before it.
    pub(crate) transform: Option<Range<usize>>,
    /// The value of a path's `d`.
    pub(crate) data: Option<Range<usize>>,
    pub(crate) parent: Option<usize>,
    children: Vec<usize>,
    pub(crate) is_group: bool,
    /// The group of the `viewBox`, whose inside is canvas space.
    is_canvas: bool,
    /// Whether it has an id.
    has_id: bool,
    /// Whether it or something in it has an id.
    named: bool,
    /// Whether it is an image or a path with a fill or a stroke, and not hidden.
    pub(crate) visible: bool,
    /// How a path is filled, if it is: whether by the even-odd rule.
    pub(crate) even_odd: Option<bool>,
    /// Width of a path's stroke in its own space; 0 for none.
    pub(crate) stroke_width: f64,
    /// What a path is filled and stroked with.
    pub(crate) paints: [Option<PaintSummary>; 2],
    /// Its own transform.
    pub(crate) own: Affine,
    /// From its inside (its own transform included) to canvas space.
    pub(crate) to_canvas: Affine,
    /// A path's outline in its own space.
    pub(crate) path: Option<BezPath>,
    /// What an image covers in its own space.
    pub(crate) image: Option<Rect>,
}

/// The normalised drawing.
#[derive(Debug)]
pub(crate) struct Normal {
    pub(crate) text: String,
    pub(crate) slots: Vec<Slot>,
    roots: Vec<usize>,
    pub(crate) by_key: BTreeMap<String, usize>,
    /// What its nodes are clipped, masked and filtered by.
    pub(crate) definitions: Definitions,
    /// From canvas space to output pixels at scale 1.
    pub(crate) canvas_to_output: Affine,
}

/// What the root's `viewBox` and size make of canvas space.
pub(crate) struct RootMapping {
    pub(crate) canvas_to_output: Affine,
    /// Whether usvg puts a group around everything for it.
    pub(crate) has_group: bool,
}

impl Normal {
    pub(crate) fn new(tree: &usvg::Tree, root: &RootMapping) -> Result<Self, ArtError> {
        let options = usvg::WriteOptions { indent: usvg::Indent::Spaces(1), ..usvg::WriteOptions::default() };
        let text = escape(tree.to_string(&options));
        let text = separate_definitions(exact(tree, text)?)?;
        let doc = parse(&text)?;
        let mut walk =
            Walk { text: &text, slots: Vec::new(), by_key: BTreeMap::new(), has_root_group: root.has_group };
        let to_canvas = if root.has_group { root.canvas_to_output.inverse() } else { Affine::IDENTITY };
        walk.children(tree.root(), doc.root_element(), None, to_canvas)?;
        let Walk { mut slots, by_key, .. } = walk;
        for at in (0..slots.len()).rev() {
            if let (true, Some(parent)) = (slots[at].named, slots[at].parent) {
                slots[parent].named = true;
            }
        }
        let mut roots = Vec::new();
        for at in 0..slots.len() {
            match slots[at].parent {
                Some(parent) => slots[parent].children.push(at),
                None => roots.push(at),
            }
        }
        let definitions = Definitions::new(&text, &doc, &slots);
        Ok(Self { slots, roots, by_key, definitions, canvas_to_output: root.canvas_to_output, text })
    }

    /// The first and the last node of an element: the anonymous groups that usvg put around it alone, and a path's markers.
    pub(crate) fn unit(&self, slot: usize) -> (usize, usize) {
        let mut unit = self.with_markers(slot);
        while let Some(parent) = self.slots[unit.0].parent {
            let alone = self.slots[parent].children.iter().all(|at| (unit.0..=unit.1).contains(at));
            if !alone || self.slots[parent].has_id || self.slots[parent].is_canvas {
                break;
            }
            unit = (parent, parent);
        }
        unit
    }

    /// The nodes of a group, or those directly below the root.
    pub(crate) fn children(&self, parent: Option<usize>) -> &[usize] {
        parent.map_or(&self.roots, |parent| &self.slots[parent].children)
    }

    /// A path's node with that of its markers, which usvg puts right after it, or right before it if they are painted first.
    pub(crate) fn with_markers(&self, slot: usize) -> (usize, usize) {
        if self.slots[slot].path.is_none() {
            return (slot, slot);
        }
        let siblings = self.children(self.slots[slot].parent);
        let place = siblings.partition_point(|at| *at < slot);
        let is_markers = |at: &usize| self.slots[*at].is_group && !self.slots[*at].named;
        let before = |n: usize| place.checked_sub(n).map(|at| siblings[at]);
        // Markers before a path that follow another path are that one's.
        let follows_path = before(2).is_some_and(|at| self.slots[at].path.is_some());
        if let Some(after) = siblings.get(place + 1).copied().filter(is_markers) {
            (slot, after)
        } else if let Some(before) = before(1).filter(is_markers).filter(|_| !follows_path) {
            (before, slot)
        } else {
            (slot, slot)
        }
    }

    /// The nearest ancestors of a node, itself first.
    pub(crate) fn ancestors(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(slot), |at| self.slots[*at].parent)
    }
}

fn parse(text: &str) -> Result<Document<'_>, ArtError> {
    Document::parse(text)
        .map_err(|error| internal(&format!("the normalised drawing cannot be read: {error}")))
}

fn internal(reason: &str) -> ArtError {
    ArtError::Internal { reason: reason.to_owned() }
}

struct Walk<'a> {
    text: &'a str,
    slots: Vec<Slot>,
    by_key: BTreeMap<String, usize>,
    has_root_group: bool,
}

impl Walk<'_> {
    fn children(
        &mut self,
        group: &usvg::Group,
        xml: Node<'_, '_>,
        parent: Option<usize>,
        parent_to_canvas: Affine,
    ) -> Result<(), ArtError> {
        for (node, xml) in pairs(group, xml)? {
            let at = self.slots.len();
            let (inside, path) = match node {
                usvg::Node::Group(group) => (Some(&**group), None),
                usvg::Node::Text(text) => (Some(text.flattened()), None),
                usvg::Node::Path(path) => (None, Some(number::elements(path.data()).collect::<BezPath>())),
                usvg::Node::Image(_) => (None, None),
            };
            let is_canvas = self.has_root_group && parent.is_none();
            let own = inside.map_or(Affine::IDENTITY, |group| widen(group.transform()));
            let to_canvas = if is_canvas { Affine::IDENTITY } else { parent_to_canvas * own };
            let tag = tag_range(self.text, xml);
            let attribute = |name: &str| xml.attributes().find(|a| a.name() == name);
            self.slots.push(Slot {
                range: xml.range(),
                name_end: tag.start + 1 + qualified_name(self.text, tag.start).len(),
                transform: attribute("transform").map(|a| a.range().start - 1..a.range().end),
                data: attribute("d").map(|a| a.range_value()),
                parent,
                children: Vec::new(),
                is_group: inside.is_some(),
                is_canvas,
                has_id: !node.id().is_empty(),
                named: !node.id().is_empty(),
                visible: match node {
                    usvg::Node::Path(path) => path.is_visible(),
                    usvg::Node::Image(image) => image.is_visible(),
                    usvg::Node::Group(_) | usvg::Node::Text(_) => false,
                },
                even_odd: match node {
                    usvg::Node::Path(path) => path.fill().map(|fill| fill.rule() == usvg::FillRule::EvenOdd),
                    _ => None,
                },
                stroke_width: match node {
                    usvg::Node::Path(path) => path.stroke().map_or(0.0, |stroke| stroke.width().get().into()),
                    _ => 0.0,
                },
                paints: match node {
                    usvg::Node::Path(path) => [
                        path.fill().map(|fill| PaintSummary::of(fill.paint())),
                        path.stroke().map(|stroke| PaintSummary::of(stroke.paint())),
                    ],
                    _ => [None, None],
                },
                own,
                to_canvas,
                path,
                image: match node {
                    usvg::Node::Image(image) => {
                        let size = image.size();
                        Some(Rect::new(0.0, 0.0, size.width().into(), size.height().into()))
                    }
                    _ => None,
                },
            });
            if !node.id().is_empty() {
                self.by_key.entry(node.id().to_owned()).or_insert(at);
            }
            if let Some(inside) = inside {
                self.children(inside, xml, Some(at), to_canvas)?;
            }
        }
        Ok(())
    }
}

/// The nodes of a group with their elements: the writer keeps their order and number.
fn pairs<'a, 'b, 'c>(
    group: &'a usvg::Group,
    xml: Node<'b, 'c>,
) -> Result<Vec<(&'a usvg::Node, Node<'b, 'c>)>, ArtError> {
    let elements: Vec<Node<'b, 'c>> =
        xml.children().filter(|child| child.is_element() && child.tag_name().name() != "defs").collect();
    if elements.len() != group.children().len() {
        return Err(internal("the normalised drawing has other elements than its tree"));
    }
    Ok(group.children().iter().zip(elements).collect())
}

fn widen(ts: tiny_skia::Transform) -> Affine {
    Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from))
}

/// Escapes what the writer leaves bare in attribute values (it escapes quotes only). The text has nothing but tags and attributes.
fn escape(text: String) -> String {
    let mut edits = Vec::new();
    let mut in_value = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => in_value = !in_value,
            b'&' if !text[at..].starts_with("&quot;") => edits.push((at..at + 1, "&amp;".to_owned())),
            b'<' if in_value => edits.push((at..at + 1, "&lt;".to_owned())),
            _ => {}
        }
    }
    if edits.is_empty() { text } else { apply(&text, edits) }
}

/// Puts back the exact f32 numbers of path data and transforms, which the writer rounds to 8 decimals by way of an inexact product.
fn exact(tree: &usvg::Tree, text: String) -> Result<String, ArtError> {
    let doc = parse(&text)?;
    let root = doc.root_element();
    let mut edits = Vec::new();
    exact_children(tree.root(), root, &mut edits)?;
    let definitions: BTreeMap<&str, Node<'_, '_>> = root
        .children()
        .filter(|child| child.tag_name().name() == "defs")
        .flat_map(|defs| defs.children())
        .filter_map(|node| Some((node.attribute("id")?, node)))
        .collect();
    let mut transform = |id: &str, name: &str, ts: tiny_skia::Transform| {
        if let Some(attribute) = definitions.get(id).and_then(|node| node.attribute_node(name)) {
            edits.push((attribute.range_value(), matrix(ts)));
        }
    };
    for gradient in tree.linear_gradients() {
        transform(gradient.id(), "gradientTransform", gradient.transform());
    }
    for gradient in tree.radial_gradients() {
        transform(gradient.id(), "gradientTransform", gradient.transform());
    }
    for pattern in tree.patterns() {
        transform(pattern.id(), "patternTransform", pattern.transform());
    }
    for clip in tree.clip_paths() {
        transform(clip.id(), "transform", clip.transform());
    }
    for gradient in tree.radial_gradients() {
        // The writer forgets the focal radius.
        if let Some(node) = definitions.get(gradient.id()).filter(|_| gradient.fr().get() > 0.0) {
            let at = node.range().start + "<radialGradient".len();
            edits.push((at..at, format!(" fr=\"{}\"", gradient.fr().get())));
        }
    }
    for clip in tree.clip_paths() {
        if let Some(node) = definitions.get(clip.id()) {
            exact_clip(clip.root(), *node, &text, &mut edits);
        }
    }
    let roots = tree
        .patterns()
        .iter()
        .map(|pattern| (pattern.id(), pattern.root()))
        .chain(tree.masks().iter().map(|mask| (mask.id(), mask.root())));
    for (id, group) in roots {
        if let Some(node) = definitions.get(id) {
            exact_children(group, *node, &mut edits)?;
        }
    }
    Ok(apply(&text, edits))
}

fn exact_children(
    group: &usvg::Group,
    xml: Node<'_, '_>,
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), ArtError> {
    for (node, xml) in pairs(group, xml)? {
        match node {
            usvg::Node::Group(group) => exact_group(group, xml, edits)?,
            usvg::Node::Text(text) => exact_group(text.flattened(), xml, edits)?,
            usvg::Node::Path(path) => exact_data(path, xml, edits),
            usvg::Node::Image(_) => {}
        }
    }
    Ok(())
}

fn exact_group(
    group: &usvg::Group,
    xml: Node<'_, '_>,
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), ArtError> {
    if let Some(attribute) = xml.attribute_node("transform") {
        edits.push((attribute.range_value(), matrix(group.transform())));
    }
    exact_children(group, xml, edits)
}

fn exact_data(path: &usvg::Path, xml: Node<'_, '_>, edits: &mut Vec<(Range<usize>, String)>) {
    if let Some(attribute) = xml.attribute_node("d") {
        let mut data = String::new();
        number::write_path_f32(path.data(), &mut data);
        edits.push((attribute.range_value(), data));
    }
}

/// The paths of a clip stand side by side in the text. The writer gives each the innermost group's transform only; they need all of them.
fn exact_clip(root: &usvg::Group, xml: Node<'_, '_>, text: &str, edits: &mut Vec<(Range<usize>, String)>) {
    fn paths<'a>(
        group: &'a usvg::Group,
        ts: tiny_skia::Transform,
        out: &mut Vec<(&'a usvg::Path, tiny_skia::Transform)>,
    ) {
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => paths(group, ts.pre_concat(group.transform()), out),
                usvg::Node::Text(text) => {
                    paths(text.flattened(), ts.pre_concat(text.flattened().transform()), out)
                }
                usvg::Node::Path(path) => out.push((path, ts)),
                usvg::Node::Image(_) => {}
            }
        }
    }
    let mut flat = Vec::new();
    paths(root, tiny_skia::Transform::identity(), &mut flat);
    let elements: Vec<Node<'_, '_>> = xml.children().filter(Node::is_element).collect();
    // A text within a group is left out by the writer; then the two lists do not match and its rounded numbers stay.
    if elements.len() != flat.len() {
        return;
    }
    for ((path, ts), xml) in flat.into_iter().zip(elements) {
        exact_data(path, xml, edits);
        match xml.attribute_node("transform") {
            Some(attribute) => edits.push((attribute.range_value(), matrix(ts))),
            None if !ts.is_identity() => {
                let at = xml.range().start + 1 + qualified_name(text, xml.range().start).len();
                edits.push((at..at, format!(" transform=\"{}\"", matrix(ts))));
            }
            None => {}
        }
    }
}

fn matrix(ts: tiny_skia::Transform) -> String {
    let mut out = String::new();
    number::write_matrix_f32(ts, &mut out);
    out
}

/// Gives another id to each definition that shares its id with an element of the drawing. usvg makes up ids such as `mask1` for what it
/// generates without asking whether a group is called so, and then links to it lead to the group.
fn separate_definitions(text: String) -> Result<String, ArtError> {
    let doc = parse(&text)?;
    let is_definition = |node: &Node<'_, '_>| {
        let tag = node.tag_name().name();
        matches!(tag, "linearGradient" | "radialGradient" | "pattern" | "filter" | "clipPath" | "mask")
    };
    let with_id = || doc.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
    let drawn: BTreeSet<&str> =
        with_id().filter(|(_, node)| !is_definition(node)).map(|(id, _)| id).collect();
    let defined: BTreeSet<&str> =
        with_id().filter(|(_, node)| is_definition(node)).map(|(id, _)| id).collect();
    let mut renamed: BTreeMap<&str, String> = BTreeMap::new();
    for id in defined.intersection(&drawn) {
        let mut name = format!("{id}-definition");
        while drawn.contains(name.as_str()) || defined.contains(name.as_str()) {
            name.push('-');
        }
        renamed.insert(id, name);
    }
    if renamed.is_empty() {
        return Ok(text);
    }
    let mut edits = Vec::new();
    for node in doc.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let own_id = attribute.name() == "id" && is_definition(&node);
            if let Some(name) = renamed.get(attribute.value()).filter(|_| own_id) {
                edits.push((attribute.range_value(), name.clone()));
            }
            // Within the raw text, so that what is escaped stays escaped; links stand one beside the other in `filter`.
            let range = attribute.range_value();
            let value = text.get(range.clone()).unwrap_or("");
            for (at, _) in value.match_indices("url(#") {
                let start = range.start + at + "url(#".len();
                let id = text.get(start..range.end).and_then(|rest| rest.split(')').next()).unwrap_or("");
                if let Some(name) = renamed.get(id) {
                    edits.push((start..start + id.len(), name.clone()));
                }
            }
        }
    }
    Ok(apply(&text, edits))
}
