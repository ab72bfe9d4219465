//! From a template to a plan: its marked text is read by usvg once, and the marks become holes of the tree.
//! Refuses what it cannot follow; such drawings are drawn from their text.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use kurbo::Size;
use roxmltree::{Document, Node as Xml};
use tiny_skia::SpreadMode;

use super::boxes::Boxes;
use super::cut::Cutout;
use super::marks::{Mark, Marks};
use super::painter::Stop;
use super::plan::{
    Clip, Group, Ink, Kind, Layer, Line, Mask, Node, Outline, Picture, Place, Plan, Shape, Source, Tile,
};
use super::values::read_at_rest;
use crate::art::limits::MAX_IMAGE_PIXELS;
use crate::art::{Missing, Resources, parse};
use crate::template::Template;

/// Reads a template's drawing. None if it cannot be walked.
pub(crate) fn plan(template: &Template) -> Option<Plan> {
    let marks = Marks::new(template)?;
    let (mut text, mut starts) = (String::new(), Vec::new());
    marks.write(template, &mut text, &mut starts);
    let (mut foreign, mut ids) = (Vec::new(), Vec::new());
    {
        let doc = Document::parse(&text).ok()?;
        let cutout = Cutout::new(template, &text, &doc, &starts)?;
        for element in foreign_elements(&doc) {
            let id = marks.id(Mark::Foreign(foreign.len()));
            let name_end = element.range().start + 1 + element.tag_name().name().len();
            ids.push(match element.attribute_node("id") {
                Some(attribute) => (attribute.range_value(), id),
                None => (name_end..name_end, format!(" id=\"{id}\"")),
            });
            foreign.push(cutout.cut(element)?);
        }
    }
    for (range, id) in ids.into_iter().rev() {
        text.replace_range(range, &id);
    }
    let tree = parse(&text, &Resources::none(), &Missing::default()).ok()?;
    let at_rest = template.posed.iter().map(|posed| read_at_rest(&template.text[posed.at_rest.clone()]));
    let size = Size::new(tree.size().width().into(), tree.size().height().into());
    let plan = Plan {
        nodes: Vec::new(),
        roots: Vec::new(),
        clips: Vec::new(),
        masks: Vec::new(),
        tiles: Vec::new(),
        pictures: Vec::new(),
        foreign,
        at_rest: at_rest.collect(),
        size,
    };
    let mut builder = Builder::new(template, marks, plan);
    builder.plan.roots = builder.children(tree.root())?;
    Some(builder.plan)
}

/// The outermost elements that only resvg can draw: filters, and moving pictures, of which it shows the first one.
fn foreign_elements<'a>(doc: &'a Document<'a>) -> Vec<Xml<'a, 'a>> {
    let is_foreign = |node: &Xml<'_, '_>| match node.tag_name().name() {
        "g" => node.attribute("filter").is_some_and(|filter| filter != "none"),
        "image" => node.attributes().any(|a| a.name() == "href" && a.value().starts_with("data:image/gif")),
        _ => false,
    };
    let mut end = 0;
    let mut found = Vec::new();
    for node in doc.descendants().filter(Xml::is_element) {
        if node.range().start >= end && is_foreign(&node) {
            end = node.range().end;
            found.push(node);
        }
    }
    found
}

struct Builder<'a> {
    template: &'a Template,
    marks: Marks,
    plan: Plan,
    /// Width, dashes and dash offset of each posed outline.
    lengths: Vec<[Option<usize>; 3]>,
    /// Gradients, patterns and regions by the number of the copy that they belong to.
    servers: BTreeMap<usize, usize>,
    regions: BTreeMap<usize, usize>,
    clips: BTreeMap<String, usize>,
    masks: BTreeMap<String, usize>,
    tiles: BTreeMap<String, usize>,
    /// Pixels of all images that are kept unpacked: together as many as one may have.
    kept_pixels: u64,
}

impl<'a> Builder<'a> {
    fn new(template: &'a Template, marks: Marks, plan: Plan) -> Self {
        let mut lengths = vec![[None; 3]; template.posed.len()];
        for (k, found) in template.paint.lengths.iter().enumerate() {
            let at = match found.name {
                "stroke-width" => 0,
                "stroke-dasharray" => 1,
                _ => 2,
            };
            lengths[found.path][at] = Some(k);
        }
        let servers = template.paint.servers.iter().enumerate().map(|(k, server)| (server.made, k)).collect();
        let mut regions = BTreeMap::new();
        for (k, region) in template.cuts.regions.iter().enumerate() {
            regions.entry(region.made).or_insert(k);
        }
        let (clips, masks, tiles) = Default::default();
        Self { template, marks, plan, lengths, servers, regions, clips, masks, tiles, kept_pixels: 0 }
    }

    fn push(&mut self, kind: Kind, moves: bool) -> usize {
        let all = |children: &[usize]| children.iter().all(|at| self.plan.nodes[*at].plain);
        let plain = match &kind {
            Kind::Group(group) => {
                let over = |layer: Layer| layer.blend == tiny_skia::BlendMode::SourceOver;
                group.layer.is_none_or(over) && all(&group.children)
            }
            Kind::Actor { children, .. } => all(children),
            Kind::Siblings { items, .. } => items.iter().all(|item| all(item)),
            Kind::Shape(_) => true,
            Kind::Picture(k) => !matches!(self.plan.pictures[*k].image.kind(), usvg::ImageKind::SVG(_)),
            Kind::Foreign(_) => false,
        };
        self.plan.nodes.push(Node { kind, moves, plain });
        self.plan.nodes.len() - 1
    }

    fn any_moves(&self, children: &[usize]) -> bool {
        children.iter().any(|at| self.plan.nodes[*at].moves)
    }

    fn children(&mut self, group: &usvg::Group) -> Option<Vec<usize>> {
        let mut found = Vec::with_capacity(group.children().len());
        let mut nodes = group.children().iter().peekable();
        while let Some(node) = nodes.next() {
            let at = match node {
                usvg::Node::Group(group) => match self.marks.of_id(group.id()) {
                    Some(Mark::Actor(actor)) => {
                        let children = self.children(group)?;
                        self.push(Kind::Actor { actor, children }, true)
                    }
                    Some(Mark::Sibling(number)) => {
                        let mut items = vec![self.children(group)?];
                        let is_next =
                            |node: &&usvg::Node| self.marks.of_id(node.id()) == Some(Mark::Sibling(number));
                        let mut others = Vec::new();
                        while let Some(usvg::Node::Group(group)) = nodes.next_if(is_next) {
                            others.push(group);
                        }
                        for group in others {
                            items.push(self.children(group)?);
                        }
                        (items.len() == self.template.stage.siblings_of(number)).then_some(())?;
                        self.push(Kind::Siblings { group: number, items }, true)
                    }
                    Some(Mark::Foreign(k)) => {
                        let moves = self.plan.foreign[k].moves;
                        self.push(Kind::Foreign(k), moves)
                    }
                    Some(Mark::Made(_)) => return None,
                    None => self.group(group)?,
                },
                usvg::Node::Path(path) => {
                    let (shape, moves) = self.shape(path)?;
                    self.push(Kind::Shape(Box::new(shape)), moves)
                }
                usvg::Node::Image(image) => {
                    let picture = self.picture(image);
                    self.plan.pictures.push(picture);
                    self.push(Kind::Picture(self.plan.pictures.len() - 1), false)
                }
                // Texts were made paths when the drawing was read.
                usvg::Node::Text(_) => return None,
            };
            found.push(at);
        }
        Some(found)
    }

    fn picture(&mut self, image: &usvg::Image) -> Picture {
        let size = image.size().to_int_size();
        let pixels = u64::from(size.width()) * u64::from(size.height());
        let keeps = self.kept_pixels + pixels <= MAX_IMAGE_PIXELS;
        self.kept_pixels += if keeps { pixels } else { 0 };
        Picture {
            image: Box::new(image.clone()),
            covers: image.bounding_box(),
            keeps,
            pixels: OnceLock::new(),
        }
    }

    fn group(&mut self, group: &usvg::Group) -> Option<usize> {
        group.filters().is_empty().then_some(())?;
        let place = match self.marks.of_transform(group.transform()) {
            Some(k) => Place::Rigid(k),
            None => Place::Fixed(group.transform()),
        };
        let children = self.children(group)?;
        let layer = match group.should_isolate() {
            true => Some(Layer {
                opacity: group.opacity().get(),
                blend: blend(group.blend_mode()),
                clip: unless_refused(group.clip_path().map(|clip| self.clip(clip)))?,
                mask: unless_refused(group.mask().map(|mask| self.mask(mask)))?,
            }),
            false => None,
        };
        let inside = self.any_moves(&children)
            || layer.is_some_and(|layer| {
                layer.clip.is_some_and(|clip| self.plan.clips[clip].moves)
                    || layer.mask.is_some_and(|mask| self.plan.masks[mask].moves)
            });
        let boxes = (!inside).then(|| Boxes::of(group));
        let moves = inside || matches!(place, Place::Rigid(_));
        Some(self.push(Kind::Group(Group { place, layer, children, boxes }), moves))
    }

    fn clip(&mut self, clip: &usvg::ClipPath) -> Option<usize> {
        if let Some(at) = self.clips.get(clip.id()) {
            return Some(*at);
        }
        let linked = unless_refused(clip.clip_path().map(|linked| self.clip(linked)))?;
        let children = self.children(clip.root())?;
        let moves = self.any_moves(&children) || linked.is_some_and(|at| self.plan.clips[at].moves);
        let covers = clip.root().stroke_bounding_box();
        self.plan.clips.push(Clip { transform: clip.transform(), clip: linked, children, moves, covers });
        self.clips.insert(clip.id().to_owned(), self.plan.clips.len() - 1);
        Some(self.plan.clips.len() - 1)
    }

    fn mask(&mut self, mask: &usvg::Mask) -> Option<usize> {
        if let Some(at) = self.masks.get(mask.id()) {
            return Some(*at);
        }
        let linked = unless_refused(mask.mask().map(|linked| self.mask(linked)))?;
        let children = self.children(mask.root())?;
        let region = match self.marks.of_id(mask.id()) {
            Some(Mark::Made(made)) => self.regions.get(&made).copied(),
            _ => None,
        };
        let moves = region.is_some()
            || self.any_moves(&children)
            || linked.is_some_and(|at| self.plan.masks[at].moves);
        let kind = match mask.kind() {
            usvg::MaskType::Luminance => tiny_skia::MaskType::Luminance,
            usvg::MaskType::Alpha => tiny_skia::MaskType::Alpha,
        };
        self.plan.masks.push(Mask { rect: mask.rect(), region, kind, mask: linked, children, moves });
        self.masks.insert(mask.id().to_owned(), self.plan.masks.len() - 1);
        Some(self.plan.masks.len() - 1)
    }

    fn shape(&mut self, path: &usvg::Path) -> Option<(Shape, bool)> {
        let posed = self.marks.of_path(path.data());
        let lengths = posed.map_or([None; 3], |k| self.lengths[k]);
        let fill = match path.fill() {
            Some(fill) => {
                let rule = match fill.rule() {
                    usvg::FillRule::NonZero => tiny_skia::FillRule::Winding,
                    usvg::FillRule::EvenOdd => tiny_skia::FillRule::EvenOdd,
                };
                Some((self.ink(fill.paint(), fill.opacity())?, rule))
            }
            None => None,
        };
        let stroke = match path.stroke() {
            Some(stroke) => {
                let [width, dashes, offset] = lengths;
                let at_rest = stroke.dasharray().map(|dashes| (dashes.to_vec(), stroke.dashoffset()));
                let line =
                    Line { stroke: stroke.to_tiny_skia(), width, dashes, offset, dashes_at_rest: at_rest };
                Some((self.ink(stroke.paint(), stroke.opacity())?, line))
            }
            None => None,
        };
        let inks = fill.iter().map(|(ink, _)| ink).chain(stroke.iter().map(|(ink, _)| ink));
        let moves = posed.is_some() || inks.clone().any(|ink| ink.server.is_some());
        let shape = Shape {
            visible: path.is_visible(),
            outline: match posed {
                Some(k) => Outline::Posed(k),
                None => Outline::Fixed(path.data().clone()),
            },
            fill,
            stroke,
            stroke_first: path.paint_order() == usvg::PaintOrder::StrokeAndFill,
            anti_alias: path.rendering_mode().use_shape_antialiasing(),
        };
        Some((shape, moves))
    }

    fn ink(&mut self, paint: &usvg::Paint, opacity: usvg::Opacity) -> Option<Ink> {
        let (source, id) = match paint {
            usvg::Paint::Color(color) => (Source::Color([color.red, color.green, color.blue]), ""),
            usvg::Paint::LinearGradient(gradient) => {
                let ends = [gradient.x1(), gradient.y1(), gradient.x2(), gradient.y2()];
                let (stops, spread) = stops(gradient, opacity);
                (Source::Linear { ends, stops, spread, transform: gradient.transform() }, gradient.id())
            }
            usvg::Paint::RadialGradient(gradient) => {
                let [fr, r] = [gradient.fr().get(), gradient.r().get()];
                let numbers = [gradient.fx(), gradient.fy(), fr, gradient.cx(), gradient.cy(), r];
                let (stops, spread) = stops(gradient, opacity);
                (Source::Radial { numbers, stops, spread, transform: gradient.transform() }, gradient.id())
            }
            usvg::Paint::Pattern(pattern) => (Source::Tile(self.tile(pattern)?), pattern.id()),
        };
        let server = match self.marks.of_id(id) {
            Some(Mark::Made(made)) => self.servers.get(&made).copied(),
            _ => None,
        };
        Some(Ink { source, opacity, server })
    }

    fn tile(&mut self, pattern: &usvg::Pattern) -> Option<usize> {
        if let Some(at) = self.tiles.get(pattern.id()) {
            return Some(*at);
        }
        let children = self.children(pattern.root())?;
        // What is in a pattern does not move.
        (!self.any_moves(&children)).then_some(())?;
        let tile = Tile { rect: pattern.rect(), transform: pattern.transform(), children };
        self.plan.tiles.push(tile);
        self.tiles.insert(pattern.id().to_owned(), self.plan.tiles.len() - 1);
        Some(self.plan.tiles.len() - 1)
    }
}

/// What was asked for and found, or not asked for. None if it was asked for and refused.
fn unless_refused<T>(asked: Option<Option<T>>) -> Option<Option<T>> {
    match asked {
        Some(found) => found.map(Some),
        None => Some(None),
    }
}

/// As resvg converts them.
fn stops(gradient: &usvg::BaseGradient, opacity: usvg::Opacity) -> (Vec<Stop>, SpreadMode) {
    let spread = match gradient.spread_method() {
        usvg::SpreadMethod::Pad => SpreadMode::Pad,
        usvg::SpreadMethod::Reflect => SpreadMode::Reflect,
        usvg::SpreadMethod::Repeat => SpreadMode::Repeat,
    };
    let stop = |stop: &usvg::Stop| {
        let alpha = stop.opacity() * opacity;
        let usvg::Color { red, green, blue } = stop.color();
        let color = tiny_skia::Color::from_rgba8(red, green, blue, alpha.to_u8());
        Stop { at: stop.offset().get(), color }
    };
    (gradient.stops().iter().map(stop).collect(), spread)
}

fn blend(mode: usvg::BlendMode) -> tiny_skia::BlendMode {
    use tiny_skia::BlendMode as To;
    use usvg::BlendMode as From;
    match mode {
        From::Normal => To::SourceOver,
        From::Multiply => To::Multiply,
        From::Screen => To::Screen,
        From::Overlay => To::Overlay,
        From::Darken => To::Darken,
        From::Lighten => To::Lighten,
        From::ColorDodge => To::ColorDodge,
        From::ColorBurn => To::ColorBurn,
        From::HardLight => To::HardLight,
        From::SoftLight => To::SoftLight,
        From::Difference => To::Difference,
        From::Exclusion => To::Exclusion,
        From::Hue => To::Hue,
        From::Saturation => To::Saturation,
        From::Color => To::Color,
        From::Luminosity => To::Luminosity,
        From::PlusLighter => To::Plus,
    }
}
