//! From XML to a document: elements become nodes, names become indices.

use std::collections::{BTreeMap, BTreeSet};

use kurbo::Vec2;
use roxmltree::{Document, Node, ParsingOptions};

use crate::SynfigError;
use crate::document::{
    FilePlace, FilmImages, ListEntry, NodeIndex, PageSettings, Reference, SourceKind, SynfigCanvas,
    SynfigDocument, SynfigLayer, ValueNode, Waypoint, WaypointSide, line_of,
};
use crate::unpack;
use crate::value::{LightColor, NodeValue};

/// Most XML nodes. The largest public file has half a million.
const MAX_NODES: u32 = 4_000_000;
/// Deepest nesting of elements; reading recurses. A group is eight levels, and public files have up to nine groups in
/// one another.
const MAX_DEPTH: usize = 256;
/// Largest number of a value: larger ones are broken, and count as none.
const LARGEST: f64 = 1e7;
/// Most files that canvases are taken from.
const MAX_FILES: usize = 64;

/// Reads a file and those that it takes canvases from.
pub(crate) fn document(
    file: &str,
    bytes: &[u8],
    open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<SynfigDocument, SynfigError> {
    let text = unpack::text(file, bytes)?;
    let mut reader = DocumentReader::default();
    let page = reader.file(file, text)?;
    let mut at = 0;
    // References of files that are read here are appended.
    while at < reader.references.len() {
        let (node, own) = reader.references[at];
        at += 1;
        let Some(SourceKind::Reference(reference)) = reader.nodes.get(node).map(|node| &node.kind) else {
            continue;
        };
        let reference = reference.clone();
        let target =
            if reference.file.is_empty() { Some(own) } else { reader.other(own, &reference.file, open)? };
        let found = target.and_then(|file| {
            let exports = &reader.exports[file];
            exports.get(&reference.name).copied()
        });
        match found {
            Some(found) => reader.nodes[node].kind = SourceKind::Same(found),
            None => {
                let shown = format!("{}:{}", reference.file, reference.name);
                reader.lost.push((reader.nodes[node].place, shown));
            }
        }
    }
    let DocumentReader { nodes, canvases, files, lost, .. } = reader;
    let images = FilmImages::new();
    let mut document = SynfigDocument { page, nodes, canvases, files, lost, images };
    document.images = crate::images::images(&document, bytes, open);
    Ok(document)
}

#[derive(Default)]
struct DocumentReader {
    nodes: Vec<ValueNode>,
    canvases: Vec<SynfigCanvas>,
    /// Names and texts.
    files: Vec<(String, String)>,
    /// Of each file, the exported nodes by the last part of their names; the empty name is the canvas of the file.
    exports: Vec<BTreeMap<String, NodeIndex>>,
    guids: BTreeMap<(usize, String), NodeIndex>,
    references: Vec<(NodeIndex, usize)>,
    lost: Vec<(FilePlace, String)>,
    fps: f64,
}

impl DocumentReader {
    /// The index of a file that another one names; none if there is none.
    fn other(
        &mut self,
        from: usize,
        name: &str,
        open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Option<usize>, SynfigError> {
        let name = name.replace('\\', "/");
        // Names are relative to the file that has them.
        let folder = self.files.get(from).and_then(|(file, _)| file.rsplit_once('/')).filter(|_| from > 0);
        let name = folder.map_or(name.clone(), |(folder, _)| format!("{folder}/{name}"));
        if let Some(at) = self.files.iter().position(|(file, _)| *file == name) {
            return Ok(Some(at));
        }
        if self.files.len() >= MAX_FILES {
            return Err(SynfigError::new(&name, format!("canvases come from more than {MAX_FILES} files")));
        }
        let Ok(bytes) = open(&name) else { return Ok(None) };
        let text = unpack::text(&name, &bytes)?;
        let at = self.files.len();
        let fps = self.fps;
        self.file(&name, text)?;
        self.fps = fps;
        Ok(Some(at))
    }

    fn file(&mut self, name: &str, text: String) -> Result<PageSettings, SynfigError> {
        let file = self.files.len();
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let parsed = Document::parse_with_options(&text, options);
        let xml = parsed.map_err(|error| {
            let place = (error.pos().row, error.pos().col);
            SynfigError::new(name, format!("the XML is wrong: {error}")).at(place)
        })?;
        let root = xml.root_element();
        let wrong = |node: Node<'_, '_>, message: &str| {
            SynfigError::new(name, message).at(line_of(&text, node.range().start))
        };
        if root.tag_name().name() != "canvas" {
            return Err(wrong(root, "this is no file of Synfig").help("its first element is <canvas>"));
        }
        if let Some(deep) = too_deep(root) {
            return Err(wrong(deep, &format!("elements are nested more than {MAX_DEPTH} deep")));
        }
        let page = page(root);
        for (bad, what) in [
            (
                page.size.0 < 1.0 || page.size.1 < 1.0 || page.size.0.max(page.size.1) > 32_768.0,
                "width and height",
            ),
            (page.view[0] == page.view[2] || page.view[1] == page.view[3], "view-box"),
            (!(0.1..=1000.0).contains(&page.fps), "fps"),
        ] {
            if bad {
                return Err(wrong(root, &format!("the canvas has no usable {what}")));
            }
        }
        self.fps = page.fps;
        self.files.push((name.to_owned(), String::new()));
        self.exports.push(BTreeMap::new());
        let canvas = self.canvas(root, file);
        self.exports[file].insert(String::new(), canvas);
        self.files[file].1 = text;
        Ok(page)
    }

    fn push(&mut self, xml: Node<'_, '_>, file: usize, kind: SourceKind) -> NodeIndex {
        let place = FilePlace { file, byte: xml.range().start };
        self.nodes.push(ValueNode { place, kind });
        self.nodes.len() - 1
    }

    /// A canvas as a value node.
    fn canvas(&mut self, xml: Node<'_, '_>, file: usize) -> NodeIndex {
        let index = self.canvases.len();
        self.canvases.push(SynfigCanvas::default());
        let node = self.push(xml, file, SourceKind::Constant(NodeValue::Canvas(index)));
        if let Some(id) = xml.attribute("id") {
            self.exports[file].entry(id.to_owned()).or_insert(node);
        }
        let mut layers = Vec::new();
        for child in xml.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "defs" | "bones" => {
                    for value in child.children().filter(Node::is_element) {
                        self.value(value, file);
                    }
                }
                "layer" if shown(child) => layers.push(self.layer(child, file)),
                _ => {}
            }
        }
        self.canvases[index].layers = layers;
        node
    }

    fn layer(&mut self, xml: Node<'_, '_>, file: usize) -> SynfigLayer {
        let mut params = BTreeMap::new();
        let mut linked = BTreeSet::new();
        for param in xml.children().filter(|child| child.has_tag_name("param")) {
            let Some(name) = param.attribute("name") else { continue };
            let link = param.attribute("use").or_else(|| param.attribute("canvas"));
            let node = match (link, param.first_element_child()) {
                (Some(name), _) => self.reference(param, file, name),
                (None, Some(value)) => self.value(value, file),
                (None, None) => continue,
            };
            params.insert(name.to_owned(), node);
            if param.attribute("use").is_some() {
                linked.insert(name.to_owned());
            }
        }
        let text = |name: &str| xml.attribute(name).unwrap_or_default().to_owned();
        let place = FilePlace { file, byte: xml.range().start };
        SynfigLayer {
            place,
            kind: text("type"),
            version: text("version"),
            name: text("desc"),
            params,
            linked,
        }
    }

    /// `name`, `:name`, `:canvas:name` or `file.sif#:name`. Ids are of one file, whatever canvas has them.
    fn reference(&mut self, xml: Node<'_, '_>, file: usize, name: &str) -> NodeIndex {
        let (other, path) = name.split_once('#').unwrap_or(("", name));
        let name = path.rsplit(':').next().unwrap_or_default().to_owned();
        let reference = Reference { file: other.to_owned(), name };
        let node = self.push(xml, file, SourceKind::Reference(reference));
        self.references.push((node, file));
        node
    }

    fn value(&mut self, xml: Node<'_, '_>, file: usize) -> NodeIndex {
        let guid = xml.attribute("guid").map(|guid| (file, guid.to_owned()));
        // A bone may be named before it is written.
        if let ("bone_valuenode", Some((_, guid))) = (xml.tag_name().name(), &guid) {
            return self.reference(xml, file, &bone_name(guid));
        }
        if let Some(known) = guid.as_ref().and_then(|guid| self.guids.get(guid)) {
            return *known;
        }
        let tag = xml.tag_name().name();
        if tag == "canvas" {
            return self.canvas(xml, file);
        }
        if tag == "weighted_average" {
            let entries = self.list(xml, file);
            let links = [("entries".to_owned(), self.push(xml, file, entries))].into();
            return self.push(
                xml,
                file,
                SourceKind::Converter { name: tag.to_owned(), of: String::new(), links },
            );
        }
        let kind = match constant(xml, self.fps) {
            Some(value) => SourceKind::Constant(value),
            None => match tag {
                "animated" => SourceKind::Animated(self.waypoints(xml, file)),
                "bline" | "wplist" | "dilist" | "dynamic_list" | "static_list" => self.list(xml, file),
                _ => self.converter(xml, file),
            },
        };
        let node = self.push(xml, file, kind);
        if let Some(guid) = guid {
            if ["bone", "bone_root"].contains(&tag) {
                self.exports[file].entry(bone_name(&guid.1)).or_insert(node);
            }
            self.guids.insert(guid, node);
        }
        if let Some(id) = xml.attribute("id") {
            self.exports[file].entry(id.to_owned()).or_insert(node);
        }
        node
    }

    fn waypoints(&mut self, xml: Node<'_, '_>, file: usize) -> Vec<Waypoint> {
        let mut all = Vec::new();
        for waypoint in xml.children().filter(|child| child.has_tag_name("waypoint")) {
            let number =
                |name: &str| waypoint.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0);
            let node = match (waypoint.attribute("use"), waypoint.first_element_child()) {
                (Some(name), _) => self.reference(waypoint, file, name),
                (None, Some(value)) => self.value(value, file),
                (None, None) => continue,
            };
            all.push(Waypoint {
                time: time(waypoint.attribute("time").unwrap_or_default(), self.fps),
                node,
                before: WaypointSide::named(waypoint.attribute("before")),
                after: WaypointSide::named(waypoint.attribute("after")),
                tcb: [number("tension"), number("continuity"), number("bias")],
            });
        }
        all.sort_by(|a, b| a.time.total_cmp(&b.time));
        if matches!(xml.attribute("type"), Some("bool" | "bone_object")) {
            all.iter_mut().for_each(|point| point.after = WaypointSide::Constant);
        }
        all
    }

    fn list(&mut self, xml: Node<'_, '_>, file: usize) -> SourceKind {
        let mut entries = Vec::new();
        for entry in xml.children().filter(|child| child.has_tag_name("entry")) {
            let node = match (entry.attribute("use"), entry.first_element_child()) {
                (Some(name), _) => self.reference(entry, file, name),
                (None, Some(value)) => self.value(value, file),
                (None, None) => continue,
            };
            let mut switches = Vec::new();
            for (name, on) in [("on", true), ("off", false)] {
                let times = entry.attribute(name).unwrap_or_default();
                let times = times.split(',').filter(|time| !time.trim().is_empty());
                // `p0 12f` has a priority, which decides between equal times.
                let plain = |text: &str| match text.trim().strip_prefix('p') {
                    Some(rest) => rest.split_once(' ').map_or("", |(_, time)| time).to_owned(),
                    None => text.trim().to_owned(),
                };
                switches.extend(times.map(|text| (time(&plain(text), self.fps), on)));
            }
            switches.sort_by(|a, b| a.0.total_cmp(&b.0));
            entries.push(ListEntry { node, switches });
        }
        SourceKind::List { entries, closed: xml.attribute("loop") == Some("true") }
    }

    fn converter(&mut self, xml: Node<'_, '_>, file: usize) -> SourceKind {
        let name = xml.tag_name().name().to_owned();
        let of = xml.attribute("type").unwrap_or_default().to_owned();
        let mut links = BTreeMap::new();
        for attribute in xml.attributes().filter(|attribute| !OWN.contains(&attribute.name())) {
            let node = self.reference(xml, file, attribute.value());
            links.insert(attribute.name().to_owned(), node);
        }
        for link in xml.children().filter(Node::is_element) {
            if let Some(value) = link.first_element_child() {
                let node = self.value(value, file);
                links.insert(link.tag_name().name().to_owned(), node);
            }
        }
        if name != "composite" {
            return SourceKind::Converter { name, of, links };
        }
        let names = parts_of(&of);
        let first = usize::from(!links.contains_key("c0"));
        let mut parts = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let link = links.get(*name).or_else(|| links.get(&format!("c{}", at + first))).copied();
            parts.push(link.unwrap_or_else(|| {
                // Files of before 1.0 have one switch for both sides of a split point; its parts follow the fourth.
                let split = (of == "bline_point" && at > 5).then(|| parts.get(3).copied()).flatten();
                split.unwrap_or_else(|| self.push(xml, file, SourceKind::Constant(NodeValue::Nothing)))
            }));
        }
        SourceKind::Composite { of, parts }
    }
}

/// The name of a bone among what is exported, which no name of an author is.
fn bone_name(guid: &str) -> String {
    format!("bone {guid}")
}

/// Attributes of a converter that are no links.
const OWN: [&str; 4] = ["type", "guid", "id", "loop"];

/// The names of the parts of a composite.
fn parts_of(of: &str) -> &'static [&'static str] {
    match of {
        "vector" => &["x", "y"],
        "color" => &["red", "green", "blue", "alpha"],
        "segment" => &["p1", "t1", "p2", "t2"],
        "bline_point" => &["point", "width", "origin", "split", "t1", "t2", "split_radius", "split_angle"],
        "width_point" => &["position", "width", "side_before", "side_after", "lower_bound", "upper_bound"],
        "dash_item" => &["offset", "length", "side_before", "side_after"],
        "transformation" => &["offset", "angle", "skew_angle", "scale"],
        _ if of.starts_with("weighted_") => &["weight", "value"],
        _ => &[],
    }
}

/// Whether a layer is drawn.
fn shown(layer: Node<'_, '_>) -> bool {
    layer.attribute("active") != Some("false") && layer.attribute("exclude_from_rendering") != Some("true")
}

/// An element that is nested too deep.
fn too_deep<'a, 'input>(root: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    let mut stack = vec![(root, 1)];
    while let Some((node, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Some(node);
        }
        stack.extend(node.children().filter(Node::is_element).map(|child| (child, depth + 1)));
    }
    None
}

fn page(root: Node<'_, '_>) -> PageSettings {
    let number = |name: &str, default: f64| {
        let number = root.attribute(name).and_then(|text| text.trim().parse::<f64>().ok());
        number.filter(|number| number.is_finite()).unwrap_or(default)
    };
    let view = root.attribute("view-box").unwrap_or("-4 2.25 4 -2.25");
    let view: Vec<f64> = view.split_whitespace().filter_map(|text| text.parse().ok()).collect();
    let fps = number("fps", 24.0);
    let seconds = |name: &str| time(root.attribute(name).unwrap_or_default(), fps);
    PageSettings {
        size: (number("width", 480.0), number("height", 270.0)),
        view: <[f64; 4]>::try_from(view)
            .ok()
            .filter(|view| view.iter().all(|n| n.is_finite()))
            .unwrap_or_default(),
        fps,
        begin: seconds("begin-time"),
        end: seconds("end-time").max(seconds("begin-time")),
        gamma: number("gamma-r", 2.2).clamp(0.1, 10.0),
        straight_is_composite: matches!(root.attribute("version"), Some("0.1" | "0.2")),
    }
}

/// Seconds of "1h 2m 3s 4f"; a number without a unit is frames.
pub(crate) fn time(text: &str, fps: f64) -> f64 {
    let mut seconds = 0.0;
    let mut number = String::new();
    let factor = |unit: char| match unit {
        'h' | 'H' => Some(3600.0),
        'm' | 'M' => Some(60.0),
        's' | 'S' => Some(1.0),
        'f' | 'F' => Some(1.0 / fps),
        _ => None,
    };
    for c in text.chars() {
        match factor(c) {
            Some(factor) => {
                seconds += number.parse().unwrap_or(0.0) * factor;
                number.clear();
            }
            None if c.is_whitespace() => {}
            None => number.push(c),
        }
    }
    seconds += number.parse().unwrap_or(0.0) / fps;
    if f64::is_finite(seconds) { seconds.clamp(-1e6, 1e6) } else { 0.0 }
}

/// The value of an element without links.
fn constant(xml: Node<'_, '_>, fps: f64) -> Option<NodeValue> {
    let text = xml.attribute("value").unwrap_or_default();
    let number = || text.trim().parse::<f64>().ok().filter(|number| number.abs() <= LARGEST).unwrap_or(0.0);
    Some(match xml.tag_name().name() {
        "real" | "integer" | "angle" => NodeValue::Number(number()),
        "bool" => NodeValue::from(text == "true" || text == "1"),
        "time" => NodeValue::Number(time(text, fps)),
        "string" => NodeValue::Text(xml.text().unwrap_or_default().into()),
        "vector" => {
            let [x, y] = ["x", "y"].map(|name| child(xml, name));
            NodeValue::Pair(Vec2::new(x?, y?))
        }
        "color" => NodeValue::Color(color(xml)?),
        "gradient" => {
            let stops = xml.children().filter(|stop| stop.has_tag_name("color"));
            let stop = |stop: Node<'_, '_>| {
                let at = stop.attribute("pos").and_then(|text| text.parse().ok()).unwrap_or(0.0);
                Some((at, color(stop)?))
            };
            let mut stops: Vec<(f64, LightColor)> = stops.filter_map(stop).collect();
            stops.sort_by(|a, b| a.0.total_cmp(&b.0));
            NodeValue::Gradient(stops.into())
        }
        // Whole values, as waypoints have them.
        "bline_point" => {
            let part = |name: &str| xml.children().find(|child| child.has_tag_name(name));
            let inner = |name: &str| {
                let value = part(name).and_then(|part| part.first_element_child());
                value.and_then(|value| constant(value, fps)).unwrap_or_default()
            };
            let tangent = inner("t2");
            let split = NodeValue::from(tangent != NodeValue::Nothing);
            let second = if split.flag() { tangent } else { inner("t1") };
            let parts = [
                inner("vertex"),
                inner("width"),
                inner("origin"),
                split.clone(),
                inner("t1"),
                second,
                split.clone(),
                split,
            ];
            NodeValue::Record(parts.into())
        }
        "transformation" => {
            let inner = |name: &str| {
                let part = xml.children().find(|child| child.has_tag_name(name));
                let value = part.and_then(|part| part.first_element_child());
                value.and_then(|value| constant(value, fps)).unwrap_or_default()
            };
            NodeValue::Record(["offset", "angle", "skew_angle", "scale"].map(inner).into())
        }
        _ => return None,
    })
}

/// The number of a child element.
fn child(xml: Node<'_, '_>, name: &str) -> Option<f64> {
    let text = xml.children().find(|child| child.has_tag_name(name))?.text()?;
    text.trim().parse().ok().filter(|number: &f64| number.abs() <= LARGEST)
}

fn color(xml: Node<'_, '_>) -> Option<LightColor> {
    let [r, g, b, a] = ["r", "g", "b", "a"].map(|name| child(xml, name));
    Some([r?, g?, b?, a?])
}
