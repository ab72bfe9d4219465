//! The layers of a canvas at a time, as items. A layer that maps or blurs what is below it wraps it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bone_core::{exp, ln};
use kurbo::{BezPath, Rect, Shape as _, Vec2};

use crate::document::{FilePlace, NodeIndex, PageSettings, SourceKind, SynfigLayer};
use crate::evaluate::{Evaluator, looped};
use crate::scene::{
    Cover, ItemContent, ItemEffect, ItemMask, ItemMotion, ItemPaint, ItemShape, MotionSources, SceneItem,
};
use crate::value::{LightColor, NodeValue};

/// Most items of a frame: more cannot be drawn either.
const MAX_ITEMS: usize = 100_000;
/// Deepest nesting of canvases that are used in one another.
const MAX_CANVASES: usize = 40;
/// Most copies of a duplicate.
const MAX_COPIES: usize = 500;
/// Deviation of Synfig's Gaussian blur per unit of its size, and what it adds (`rendering/common/task/taskblur`), in pixels.
const DEVIATION: (f64, f64) = (0.375, 0.5);

/// A layer and the name of one of its parameters.
type ParamKey = (FilePlace, &'static str);

/// The borders between bands, and whether these are opaque.
type KeptPlaces = (Rc<[f64]>, bool);
/// Bits of a colour and an opacity, and a blend mode.
type OpacityKey = ([u64; 4], Option<&'static str>);

/// Makes the items of frames.
pub(crate) struct SceneBuilder<'a> {
    pub(crate) evaluator: Evaluator<'a>,
    pub(crate) page: PageSettings,
    /// Pixels of a unit, right and down.
    pub(crate) unit: Vec2,
    /// What was left out, with its place.
    pub(crate) notes: RefCell<BTreeSet<(FilePlace, String)>>,
    /// Layers whose ink is wider at some points than at others, or whose amount is not always 1.
    pub(crate) uneven: RefCell<BTreeSet<FilePlace>>,
    /// Layers that were drawn.
    pub(crate) drawn: RefCell<BTreeSet<FilePlace>>,
    /// The bands of gradients beside splines, by the keys of their layers.
    pub(crate) contours: RefCell<BTreeMap<String, Vec<BezPath>>>,
    /// The values of parameters at some times of the film.
    pub(crate) looks: RefCell<BTreeMap<ParamKey, Rc<[NodeValue]>>>,
    /// The borders between the bands of gradients, and whether these are opaque, by the places of their layers.
    pub(crate) places: RefCell<BTreeMap<FilePlace, KeptPlaces>>,
    /// Opacities of linear light in sRGB.
    pub(crate) opacities: RefCell<BTreeMap<OpacityKey, f64>>,
    items: Cell<usize>,
}

/// Where in the tree of canvases a layer is.
#[derive(Clone)]
pub(crate) struct LayerContext {
    pub(crate) time: f64,
    /// What keys come before the layer's own.
    pub(crate) key: String,
    /// The logarithm by which ink is wider.
    pub(crate) grow: f64,
    /// Whether it may be moved on the page.
    pub(crate) moved: bool,
    /// Whether its time is that of the film.
    pub(crate) plain_time: bool,
    pub(crate) depth: usize,
}

impl LayerContext {
    /// Whether it is on the page as it is, once, at the time of the film.
    pub(crate) fn is_on_page(&self) -> bool {
        self.plain_time && !self.moved && !self.key.contains('*')
    }
}

/// What a layer is.
pub(crate) enum MadeLayer {
    Item(ItemContent, ItemMotion),
    /// It moves what is below.
    Moves(ItemMotion),
    Blurs(Vec2),
    /// It changes the picture of what is below.
    Alters(ItemEffect),
    /// It has no effect that is seen.
    Nothing,
    Unknown,
}

impl<'a> SceneBuilder<'a> {
    pub(crate) fn new(evaluator: Evaluator<'a>) -> Self {
        let page = evaluator.document.page.clone();
        let [left, top, right, bottom] = page.view;
        Self {
            unit: Vec2::new(page.size.0 / (right - left), page.size.1 / (top - bottom)),
            evaluator,
            page,
            notes: RefCell::default(),
            uneven: RefCell::default(),
            drawn: RefCell::default(),
            contours: RefCell::default(),
            looks: RefCell::default(),
            places: RefCell::default(),
            opacities: RefCell::default(),
            items: Cell::new(0),
        }
    }

    /// Whether there was too much to draw.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.items.get() > MAX_ITEMS || self.evaluator.is_exhausted()
    }

    /// The whole picture at a time.
    pub(crate) fn frame(&self, time: f64) -> Vec<SceneItem> {
        self.items.set(0);
        let context =
            LayerContext { time, key: String::new(), grow: 0.0, moved: false, plain_time: true, depth: 0 };
        self.canvas(0, &context)
    }

    /// A point on the page.
    pub(crate) fn point(&self, at: Vec2) -> Vec2 {
        self.vector(at - Vec2::new(self.page.view[0], self.page.view[1]))
    }

    pub(crate) fn vector(&self, by: Vec2) -> Vec2 {
        Vec2::new(by.x * self.unit.x, -by.y * self.unit.y)
    }

    /// The length of a unit in pixels, whatever its direction.
    pub(crate) fn length(&self) -> f64 {
        (self.unit.x * self.unit.y).abs().sqrt()
    }

    /// A colour in sRGB. Those of files are in the light of their gamma.
    pub(crate) fn color(&self, color: LightColor) -> LightColor {
        let encoded = |n: f64| {
            let n = n.clamp(0.0, 1.0);
            if n > 0.0 { exp(ln(n) / self.page.gamma) } else { 0.0 }
        };
        [encoded(color[0]), encoded(color[1]), encoded(color[2]), color[3].clamp(0.0, 1.0)]
    }

    pub(crate) fn note(&self, layer: &SynfigLayer, message: impl Into<String>) {
        self.notes.borrow_mut().insert((layer.place, message.into()));
    }

    /// The first of some parameters that a layer has: older files have other names.
    pub(crate) fn param(&self, layer: &SynfigLayer, names: &[&str], context: &LayerContext) -> NodeValue {
        self.node(layer, names).map_or(NodeValue::Nothing, |node| self.evaluator.value(node, context.time))
    }

    pub(crate) fn node(&self, layer: &SynfigLayer, names: &[&str]) -> Option<NodeIndex> {
        names.iter().find_map(|name| layer.params.get(*name)).copied()
    }

    pub(crate) fn number_or(
        &self,
        layer: &SynfigLayer,
        name: &str,
        default: f64,
        context: &LayerContext,
    ) -> f64 {
        match self.param(layer, &[name], context) {
            NodeValue::Nothing => default,
            value => value.number(),
        }
    }

    fn canvas(&self, canvas: usize, context: &LayerContext) -> Vec<SceneItem> {
        if context.depth > MAX_CANVASES {
            return Vec::new();
        }
        let Some(canvas) = self.evaluator.document.canvases.get(canvas) else { return Vec::new() };
        // The place of a layer from the top on, moved by its depth (`Canvas::get_context_sorted`).
        let count = canvas.layers.len();
        let sorted = |time: f64| {
            let at_time = LayerContext { time, ..context.clone() };
            let depth = |(at, layer): (usize, &'a SynfigLayer)| {
                let from_top = (count - 1 - at) as f64;
                (self.number_or(layer, "z_depth", 0.0, &at_time) * 1.0001 + from_top, layer)
            };
            let mut ordered: Vec<(f64, &SynfigLayer)> = canvas.layers.iter().enumerate().map(depth).collect();
            ordered.sort_by(|a, b| b.0.total_cmp(&a.0));
            ordered.into_iter().map(|(_, layer)| layer).collect::<Vec<_>>()
        };
        let ordered = sorted(self.page.begin);
        let mut items = self.layers(&ordered, context);
        let is_still = |layer: &SynfigLayer| {
            let node = self.node(layer, &["z_depth"]).and_then(|node| self.evaluator.document.kind(node));
            node.is_none_or(|kind| matches!(kind, SourceKind::Constant(_)))
        };
        if let Some(moved) = ordered.iter().find(|layer| !is_still(layer)) {
            let now = sorted(context.time);
            let is_moved = now.iter().zip(&ordered).any(|(a, b)| a.place != b.place);
            self.reorder((moved, is_moved), &now, context, &mut items);
        }
        items
    }

    /// Gives items their places at this time. Where a layer changes those below it, it cannot change places with them.
    fn reorder(
        &self,
        (layer, is_moved): (&SynfigLayer, bool),
        now: &[&SynfigLayer],
        context: &LayerContext,
        items: &mut [SceneItem],
    ) {
        let key = |layer: &SynfigLayer| format!("{}{}", context.key, key_of(layer));
        let drawn = self.drawn.borrow();
        let is_there = |layer: &&SynfigLayer| {
            !drawn.contains(&layer.place) || items.iter().any(|item| *item.key == *key(layer))
        };
        let is_plain = |item: &SceneItem| item.onto.is_none() && item.mask.is_none() && item.blend.is_none();
        if !now.iter().all(is_there) || !items.iter().all(is_plain) {
            if is_moved {
                self.note(layer, "its depth, which changes beside layers that change what is below them");
            }
            return;
        }
        for item in items {
            let place = now.iter().position(|layer| *item.key == *key(layer));
            item.order = place.map(|place| place as f64);
        }
    }

    /// Layers from the bottom to the top.
    fn layers(&self, layers: &[&'a SynfigLayer], context: &LayerContext) -> Vec<SceneItem> {
        // The uppermost layer that shows what is below it at other times or more than once comes first.
        let last = layers.iter().rposition(|layer| matches!(&*layer.kind, "timeloop" | "duplicate"));
        let mut stack = Vec::new();
        if let Some(at) = last
            && let (Some(below), Some(layer)) = (layers.get(..at), layers.get(at))
            && context.depth <= MAX_CANVASES
        {
            self.drawn.borrow_mut().insert(layer.place);
            let inner = LayerContext { depth: context.depth + 1, ..context.clone() };
            stack = self.repeated(layer, below, &inner);
        }
        for layer in layers.iter().skip(last.map_or(0, |at| at + 1)) {
            if self.is_exhausted() {
                break;
            }
            self.items.set(self.items.get() + 1);
            self.place(layer, context, &mut stack);
        }
        stack
    }

    /// What is below a layer that shows it again.
    fn repeated(
        &self,
        layer: &SynfigLayer,
        below: &[&'a SynfigLayer],
        context: &LayerContext,
    ) -> Vec<SceneItem> {
        let mut context = context.clone();
        if layer.kind == "timeloop" {
            let number = |name: &str| self.param(layer, &[name], &context).number();
            let symmetrical = self.number_or(layer, "symmetrical", 1.0, &context) != 0.0;
            let (link, local, duration) = if layer.params.contains_key("start_time") {
                (number("start_time"), 0.0, number("end_time") - number("start_time"))
            } else {
                (number("link_time"), number("local_time"), number("duration"))
            };
            context.time = looped(context.time, link, local, duration, symmetrical);
            context.plain_time = false;
            return self.layers(below, &context);
        }
        let index = self.node(layer, &["index"]).and_then(|node| self.evaluator.document.kind(node));
        let range = |name: &str, default: f64| match index {
            Some(SourceKind::Converter { links, .. }) => {
                links.get(name).map_or(default, |node| self.evaluator.value(*node, context.time).number())
            }
            _ => default,
        };
        let (from, to, step) = (range("from", 1.0), range("to", 1.0), range("step", 1.0));
        let step = if step == 0.0 { 1.0 } else { step.abs().copysign(to - from) };
        let count = (((to - from) / step + 1e-6).floor() as usize).min(MAX_COPIES);
        let before = self.evaluator.index.get();
        let mut all = Vec::new();
        for copy in 0..=count {
            self.evaluator.index.set(from + step * copy as f64);
            let inner =
                LayerContext { key: format!("{}*{copy}", context.key), plain_time: false, ..context.clone() };
            let (key, name) =
                (Rc::from(format!("{}{}*{copy}", context.key, key_of(layer))), Rc::from(&*layer_name(layer)));
            let children = self.layers(below, &inner);
            all.push(SceneItem::new(key, name, layer.place, ItemContent::Group(children)));
        }
        self.evaluator.index.set(before);
        all
    }

    /// Puts a layer onto those below it.
    fn place(&self, layer: &'a SynfigLayer, context: &LayerContext, stack: &mut Vec<SceneItem>) {
        let key: Rc<str> = format!("{}{}", context.key, key_of(layer)).into();
        let name: Rc<str> = layer_name(layer).into();
        let item =
            |content: ItemContent| SceneItem::new(Rc::clone(&key), Rc::clone(&name), layer.place, content);
        let wrap = |stack: &mut Vec<SceneItem>| item(ItemContent::Group(std::mem::take(stack)));
        let known = match self.made(layer, context) {
            MadeLayer::Nothing => true,
            MadeLayer::Unknown => false,
            MadeLayer::Moves(motion) => {
                let below = wrap(stack);
                stack.push(SceneItem { motion, ..below });
                true
            }
            MadeLayer::Blurs(size) => {
                let below = wrap(stack);
                stack.push(SceneItem { blur: Some(size), ..below });
                true
            }
            MadeLayer::Alters(effect) => {
                let below = wrap(stack);
                stack.push(SceneItem { effect: Some(effect), ..below });
                true
            }
            MadeLayer::Item(content, motion) => {
                let mut made = item(content);
                made.motion = motion;
                self.link(layer, context, &mut made);
                let amount = self.number_or(layer, "amount", 1.0, context);
                made.opacity = amount.clamp(0.0, 1.0);
                if amount != 1.0 {
                    self.uneven.borrow_mut().insert(FilePlace { byte: layer.place.byte + 1, ..layer.place });
                }
                made.opacity_source = self.node(layer, &["amount"]).filter(|_| context.plain_time);
                self.feather(layer, context, &mut made);
                let method = self.param(layer, &["blend_method"], context).whole();
                let is_constant =
                    |node| matches!(self.evaluator.document.kind(node), Some(SourceKind::Constant(_)));
                let node = self.node(layer, &["amount"]);
                if node.is_none_or(is_constant) && ![5, 7, 19, 23].contains(&method) {
                    self.in_light(&mut made, css_blend(method));
                }
                self.blended(layer, context, made, stack);
                true
            }
        };
        if known {
            self.drawn.borrow_mut().insert(layer.place);
        } else {
            self.note(layer, format!("the layer {}", layer.kind));
        }
    }

    fn feather(&self, layer: &SynfigLayer, context: &LayerContext, item: &mut SceneItem) {
        let feather = self.number_or(layer, "feather", 0.0, context);
        if feather > 0.0 && !matches!(&*layer.kind, "rectangle_old") {
            item.blur = Some(self.deviation(Vec2::new(feather, feather)));
        }
    }

    /// The deviation of a blur, along the page.
    pub(crate) fn deviation(&self, size: Vec2) -> Vec2 {
        let of = |size: f64, unit: f64| {
            let pixels = (size * unit).abs();
            if pixels > 0.0 { (DEVIATION.0 * pixels + DEVIATION.1).min(1000.0) } else { 0.0 }
        };
        Vec2::new(of(size.x, self.unit.x), of(size.y, self.unit.y))
    }

    /// Puts an item onto those below it, as its blend method says.
    fn blended(
        &self,
        layer: &SynfigLayer,
        context: &LayerContext,
        mut item: SceneItem,
        stack: &mut Vec<SceneItem>,
    ) {
        let fades = self.uneven.borrow().contains(&FilePlace { byte: layer.place.byte + 1, ..layer.place });
        let onto = |stack: &[SceneItem]| -> Option<Rc<[Rc<str>]>> {
            if stack.iter().any(SceneItem::covers) {
                return None;
            }
            // What is cut by others itself adds nothing to their shape.
            Some(stack.iter().filter(|item| item.onto.is_none()).map(|item| Rc::clone(&item.key)).collect())
        };
        let method = self.param(layer, &["blend_method"], context).whole();
        let mode = match method {
            0 | 22 => None,
            1 if self.page.straight_is_composite => None,
            1 if fades && !stack.is_empty() => {
                self.note(layer, "its blend method straight, with an amount below 1: drawn as composite");
                None
            }
            1 => {
                stack.clear();
                None
            }
            12 => {
                stack.insert(0, item);
                return;
            }
            13 => {
                item.onto = onto(stack);
                None
            }
            21 => {
                // What is below is seen as a mask alone.
                let below = ItemContent::Group(std::mem::take(stack));
                let key = format!("{}b", item.key).into();
                let below = SceneItem::new(key, Rc::clone(&item.name), item.place, below);
                item.mask = Some(Box::new(ItemMask { item: below, cuts: false }));
                stack.push(item);
                return;
            }
            19 | 23 => {
                let below = ItemContent::Group(std::mem::take(stack));
                let key = format!("{}m", item.key).into();
                let mut masked = SceneItem::new(key, Rc::clone(&item.name), item.place, below);
                masked.mask = Some(Box::new(ItemMask { item, cuts: method == 19 }));
                stack.push(masked);
                return;
            }
            5 => return self.subtracted(item, onto(stack), stack),
            // The colour below by this one, which is the dodge of its negative.
            7 => {
                item.effect = Some(ItemEffect::Negative);
                Some("color-dodge")
            }
            other => {
                let mode = css_blend(other);
                if mode.is_none() {
                    self.note(layer, format!("its blend method ({other}): drawn as composite"));
                }
                mode
            }
        };
        if mode.is_some() {
            item.blend = mode;
            item.onto = onto(stack);
        }
        stack.push(item);
    }

    /// What is below without an item: CSS can add alone, and the negative of a sum is what is left.
    fn subtracted(&self, mut item: SceneItem, onto: Option<Rc<[Rc<str>]>>, stack: &mut Vec<SceneItem>) {
        let wrapped = |children: Vec<SceneItem>, sign: char| {
            let key = format!("{}{sign}", item.key).into();
            let group = ItemContent::Group(children);
            let effect = Some(ItemEffect::Negative);
            SceneItem { effect, ..SceneItem::new(key, Rc::clone(&item.name), item.place, group) }
        };
        let below = wrapped(std::mem::take(stack), 'n');
        let sum = wrapped(Vec::new(), 's');
        item.onto = onto.map(|_| [Rc::clone(&below.key)].into());
        item.blend = Some("plus-lighter");
        stack.push(SceneItem { content: ItemContent::Group(vec![below, item]), ..sum });
    }

    /// A layer by its kind.
    fn made(&self, layer: &'a SynfigLayer, context: &LayerContext) -> MadeLayer {
        let pair = |names: &[&str]| self.param(layer, names, context).pair();
        match &*layer.kind {
            "PasteCanvas" | "group" | "switch" => self.group(layer, context),
            "translate" => {
                let mut motion = ItemMotion::by(self.vector(pair(&["origin"])));
                motion.sources.offset = self.vector_source(layer, &["origin"], context, Vec2::ZERO);
                MadeLayer::Moves(motion)
            }
            "rotate" => {
                let angle = self.param(layer, &["amount"], context).number();
                let mut motion =
                    ItemMotion::about(self.point(pair(&["origin", "center", "pos"])), -angle, ONE);
                motion.sources.angle = self.source(layer, "amount", context).map(|node| (node, -1.0));
                MadeLayer::Moves(motion)
            }
            "zoom" => {
                let scale = exp(self.param(layer, &["amount"], context).number());
                MadeLayer::Moves(ItemMotion::about(self.point(pair(&["center", "pos"])), 0.0, ONE * scale))
            }
            "stretch" => {
                let mut motion =
                    ItemMotion::about(self.point(pair(&["center", "pos"])), 0.0, pair(&["amount"]));
                motion.sources.scale = self.source(layer, "amount", context);
                MadeLayer::Moves(motion)
            }
            "blur" => MadeLayer::Blurs(self.deviation(pair(&["size"]))),
            "shade" | "bevel" | "colorcorrect" => self.effect(layer, context),
            "super_sample" | "clamp" => MadeLayer::Nothing,
            _ => self.shape(layer, context),
        }
    }

    /// The node of a parameter that plays with the time of the film.
    pub(crate) fn source(
        &self,
        layer: &SynfigLayer,
        name: &str,
        context: &LayerContext,
    ) -> Option<NodeIndex> {
        self.node(layer, &[name]).filter(|_| context.plain_time)
    }

    /// The same of a vector, as an offset in pixels of the page.
    pub(crate) fn vector_source(
        &self,
        layer: &SynfigLayer,
        names: &[&str],
        context: &LayerContext,
        plus: Vec2,
    ) -> Option<(NodeIndex, Vec2, Vec2)> {
        let node = self.node(layer, names).filter(|_| context.plain_time)?;
        Some((node, Vec2::new(self.unit.x, -self.unit.y), plus))
    }

    fn group(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |name: &str| self.param(layer, &[name], context);
        let mut motion = ItemMotion::default();
        let origin = param("origin").pair();
        let corner = self.point(Vec2::ZERO);
        if let Some(node) = self.node(layer, &["transformation"]) {
            let value = self.evaluator.value(node, context.time);
            motion.offset = self.point(value.part(0).pair());
            motion.angle = -value.part(1).number();
            motion.skew = -value.part(2).number();
            motion.scale = value.part(3).pair();
            motion.origin = self.point(origin);
            if let (true, Some(SourceKind::Composite { parts, .. })) =
                (context.plain_time, self.evaluator.document.kind(node))
                && let [offset, angle, _, scale] = parts[..]
            {
                motion.sources = MotionSources {
                    angle: Some((angle, -1.0)),
                    offset: Some((offset, Vec2::new(self.unit.x, -self.unit.y), corner)),
                    scale: Some(scale),
                };
            }
        } else {
            // Of files before 0.64: moved by `origin`, and larger by `zoom` around `focus`.
            let focus = param("focus").pair();
            motion.scale = ONE * exp(param("zoom").number());
            // With an origin that is linked Synfig enlarges around the middle of the canvas (`loadcanvas.cpp`).
            let origin_node =
                self.node(layer, &["origin"]).and_then(|node| self.evaluator.document.kind(node));
            let linked = origin_node.is_some_and(|kind| !matches!(kind, SourceKind::Constant(_)))
                || layer.linked.contains("origin");
            motion.origin = if linked { corner } else { self.point(focus) };
            motion.offset = self.point(focus + origin);
            motion.sources.offset =
                self.vector_source(layer, &["origin"], context, corner).filter(|_| focus == Vec2::ZERO);
        }
        let local = context.time * self.number_or(layer, "time_dilation", 1.0, context)
            + param("time_offset").number();
        let inner = LayerContext {
            time: local,
            key: format!("{}{}/", context.key, key_of(layer)),
            grow: context.grow + param("outline_grow").number(),
            moved: context.moved || !motion.is_at(&ItemMotion::default()),
            plain_time: context.plain_time && local == context.time,
            depth: context.depth + 1,
        };
        let canvas = param("canvas");
        let NodeValue::Canvas(canvas) = canvas else {
            self.note(layer, "a group whose canvas is not there");
            return MadeLayer::Item(ItemContent::Group(Vec::new()), motion);
        };
        if context.depth >= MAX_CANVASES {
            self.note(layer, "canvases within canvases, which are too deep or have themselves in them");
        }
        let children = self.canvas(canvas, &inner);
        if layer.kind != "switch" {
            return MadeLayer::Item(ItemContent::Group(children), motion);
        }
        let name = param("layer_name");
        let depth = param("layer_depth").whole();
        let layers = self.evaluator.document.canvases.get(canvas).map_or(&[][..], |canvas| &canvas.layers);
        let from_top = usize::try_from(depth).ok().and_then(|depth| layers.len().checked_sub(depth + 1));
        let chosen = layers.iter().find(|layer| layer.name == name.text() && !layer.name.is_empty());
        let chosen = chosen.or_else(|| layers.get(from_top?));
        let chosen = chosen.map(|layer| Rc::from(format!("{}{}", inner.key, key_of(layer))));
        MadeLayer::Item(ItemContent::Switch(children, chosen), motion)
    }

    /// A rectangle that covers the page, also where it is moved.
    pub(crate) fn cover(&self, context: &LayerContext) -> Rect {
        let page = Rect::new(0.0, 0.0, self.page.size.0, self.page.size.1);
        // A layer within layers loses parts of what it shows where it begins far beside the page.
        if context.moved { page.inflate(page.width(), page.height()) } else { page }
    }

    pub(crate) fn plane(&self, paint: ItemPaint, context: &LayerContext) -> MadeLayer {
        let solid = |paint: &ItemPaint| matches!(paint, ItemPaint::Color(color) if color[3] >= 1.0);
        let covers = if solid(&paint) { Cover::Page } else { Cover::Part };
        let path = self.cover(context).to_path(0.1);
        let shape = ItemShape { path, even_odd: false, paint, stroke: None, covers, crisp: false };
        MadeLayer::Item(ItemContent::Shape(shape), ItemMotion::default())
    }
}

/// The blend mode of CSS that is like a blend method.
pub(crate) fn css_blend(method: i64) -> Option<&'static str> {
    Some(match method {
        2 => "lighten",
        3 => "darken",
        4 => "plus-lighter",
        6 => "multiply",
        8 => "color",
        9 => "hue",
        10 => "saturation",
        11 => "luminosity",
        16 => "screen",
        17 => "hard-light",
        18 => "difference",
        20 => "soft-light",
        _ => return None,
    })
}

const ONE: Vec2 = Vec2::new(1.0, 1.0);

pub(crate) fn key_of(layer: &SynfigLayer) -> String {
    format!("{}.{}", layer.place.file, layer.place.byte)
}

fn layer_name(layer: &SynfigLayer) -> String {
    if layer.name.is_empty() { layer.kind.clone() } else { layer.name.clone() }
}
