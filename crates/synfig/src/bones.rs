//! Bones of Synfig, and values that are linked to them. A bone is a frame in which others stand: its own scale along
//! itself (`scalelx`) moves the origins of its children and is not inherited, the other one (`scalex`) is.

use std::collections::BTreeMap;

use bone_core::Angle;
use kurbo::{Affine, Vec2};

use crate::document::{NodeIndex, SourceKind, SynfigLayer};
use crate::layers::{LayerContext, SceneBuilder};
use crate::scene::{ItemBone, ItemContent, ItemMotion, MotionSources, SceneItem};
use crate::value::NodeValue;

/// The frame of the canvas.
pub(crate) fn root() -> NodeValue {
    stored(Affine::IDENTITY, 1.0)
}

/// The frame of a bone in that of its parent.
pub(crate) fn bone(parent: &NodeValue, origin: Vec2, angle: Angle, [own, inherited]: [f64; 2]) -> NodeValue {
    let (frame, along) = frame(parent);
    let at = Vec2::new(origin.x * along, origin.y);
    let frame = frame * Affine::translate(at) * turned(angle) * Affine::scale_non_uniform(inherited, 1.0);
    stored(frame, own)
}

/// What of the motion of a bone a link takes along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkParts {
    pub(crate) translate: bool,
    pub(crate) rotate: bool,
    pub(crate) skew: bool,
    pub(crate) scale: [bool; 2],
}

/// A value in the frame of a bone, on the canvas: of a vector the point moves, of a point of a spline its tangents turn, too.
pub(crate) fn linked(bone: &NodeValue, parts: LinkParts, of: &str, value: &NodeValue) -> NodeValue {
    let (frame, along) = frame(bone);
    let mut pose = Pose::of(frame * Affine::scale_non_uniform(along, 1.0));
    if !parts.translate {
        pose.offset = Vec2::ZERO;
    }
    if !parts.rotate {
        pose.angle = Angle::ZERO;
    }
    if !parts.skew {
        pose.skew = Angle::ZERO;
    }
    for (scale, kept) in [(&mut pose.scale.x, parts.scale[0]), (&mut pose.scale.y, parts.scale[1])] {
        *scale = if kept { *scale } else { 1.0 };
    }
    carried(pose.matrix(), of, value)
}

fn carried(by: Affine, of: &str, value: &NodeValue) -> NodeValue {
    let point = |at: Vec2| (by * at.to_point()).to_vec2();
    let way = |along: Vec2| point(along) - point(Vec2::ZERO);
    match (of, value) {
        ("transformation", NodeValue::Record(_)) => Pose::of(by * Pose::read(value).matrix()).stored(),
        ("vector", NodeValue::Pair(at)) => NodeValue::Pair(point(*at)),
        ("bline_point", NodeValue::Record(all)) => {
            let part = |(at, part): (usize, &NodeValue)| match (at, part) {
                (0, NodeValue::Pair(at)) => NodeValue::Pair(point(*at)),
                (4 | 5, NodeValue::Pair(along)) => NodeValue::Pair(way(*along)),
                (_, part) => part.clone(),
            };
            NodeValue::Record(all.iter().enumerate().map(part).collect())
        }
        (_, NodeValue::List(all, closed)) => {
            let inner = |value: &NodeValue| match value {
                NodeValue::Pair(_) => carried(by, "vector", value),
                _ => carried(by, "bline_point", value),
            };
            NodeValue::List(all.iter().map(inner).collect(), *closed)
        }
        (_, value) => value.clone(),
    }
}

/// The most bones that carry one another.
const MOST_CARRIERS: usize = 100;

impl ItemBone {
    /// A group in its place.
    pub(crate) fn item(&self) -> SceneItem {
        let content = ItemContent::Group(Vec::new());
        let item = SceneItem::new(self.key.clone(), self.name.clone(), self.place, content);
        SceneItem { motion: self.motion.clone(), ..item }
    }
}

impl SceneBuilder<'_> {
    /// Puts an item whose place is linked to a bone into the frame of the bone. Where the page moves it, or the link or the
    /// bone is not whole, it keeps the place that it has on the page.
    pub(crate) fn link(&self, layer: &SynfigLayer, context: &LayerContext, item: &mut SceneItem) {
        let is_group = matches!(item.content, ItemContent::Group(_) | ItemContent::Switch(..));
        let names: &[&str] = if is_group { &["transformation"] } else { &["origin", "offset", "pos"] };
        let is_plain = is_group || item.motion.is_at(&ItemMotion::by(item.motion.offset));
        let is_square = (self.unit.x - self.unit.y).abs() < 1e-9 * self.unit.x.abs();
        if !context.is_on_page() || !is_square {
            return;
        }
        let found = self.node(layer, names).filter(|_| is_plain);
        let Some((bone, base)) = found.and_then(|node| self.whole_link(node)) else {
            return self.link_spline(layer, context, item);
        };
        let Some(bones) = self.chain(bone, context.time) else { return };
        let base = self.evaluator.value(base, context.time);
        let motion = &mut item.motion;
        motion.sources = MotionSources::default();
        if is_group {
            motion.offset = self.vector(base.part(0).pair());
            (motion.angle, motion.skew) = (-base.part(1).number(), -base.part(2).number());
            motion.scale = base.part(3).pair();
        } else {
            motion.offset = self.vector(base.pair());
        }
        (item.bones, item.only_moves) = (bones, !is_group);
    }

    /// The same of a filled shape all of whose points are linked to one bone.
    fn link_spline(&self, layer: &SynfigLayer, context: &LayerContext, item: &mut SceneItem) {
        let ItemContent::Shape(shape) = &mut item.content else { return };
        let spline = self.node(layer, &["bline"]).and_then(|node| self.evaluator.document.kind(node));
        let Some(SourceKind::List { entries, .. }) = spline.filter(|_| shape.stroke.is_none()) else {
            return;
        };
        let bones: Option<Vec<NodeIndex>> = entries
            .iter()
            .map(|entry| Some(self.evaluator.document.found(self.whole_link(entry.node)?.0)))
            .collect();
        let bone = bones.as_deref().and_then(|bones| {
            let first = *bones.first()?;
            bones.iter().all(|bone| *bone == first).then_some(first)
        });
        let Some(bones) = bone.and_then(|bone| self.chain(bone, context.time)) else { return };
        let frame = bones.iter().fold(Affine::IDENTITY, |frame, bone| frame * bone.motion.matrix());
        if frame.determinant().abs() > 1e-9 {
            *shape = shape.mapped(frame.inverse() * item.motion.matrix());
            (item.motion, item.bones) = (ItemMotion::default(), bones);
        }
    }

    /// The bone and the value of a link that takes all of the motion along.
    fn whole_link(&self, node: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
        let links = self.converter(node, "bone_link")?;
        let is_whole = ["translate", "rotate", "skew", "scale_x", "scale_y"].iter().all(|name| {
            links.get(*name).is_none_or(|node| {
                matches!(self.evaluator.document.kind(*node), Some(SourceKind::Constant(value)) if value.flag())
            })
        });
        Some((*links.get("bone")?, *links.get("base_value")?)).filter(|_| is_whole)
    }

    fn converter(&self, node: NodeIndex, wanted: &str) -> Option<&BTreeMap<String, NodeIndex>> {
        match self.evaluator.document.kind(node)? {
            SourceKind::Converter { name, links, .. } if name == wanted => Some(links),
            _ => None,
        }
    }

    /// The bones that carry one and itself, from the root on; none if one of them is chosen by time, or if it scales what it
    /// carries and not its children.
    fn chain(&self, bone: NodeIndex, time: f64) -> Option<Vec<ItemBone>> {
        let document = self.evaluator.document;
        let one = NodeValue::from(1.0);
        let is_one = |node: Option<&NodeIndex>| {
            node.is_none_or(
                |node| matches!(document.kind(*node), Some(SourceKind::Constant(value)) if *value == one),
            )
        };
        let mut nodes = Vec::new();
        let mut next = bone;
        while self.converter(next, "bone_root").is_none() {
            let links = self.converter(next, "bone")?;
            nodes.push((document.found(next), links));
            next = *links.get("parent")?;
            if nodes.len() > MOST_CARRIERS {
                return None;
            }
        }
        if !is_one(nodes.first()?.1.get("scalelx")) {
            return None;
        }
        let mut bones = Vec::new();
        // How much longer its parent is than its coordinates say.
        let mut along = 1.0;
        let mut is_even = true;
        for (node, links) in nodes.into_iter().rev() {
            let value = |name: &str| {
                links.get(name).map_or(NodeValue::Nothing, |node| self.evaluator.value(*node, time))
            };
            let number_or =
                |name: &str, default: f64| links.get(name).map_or(default, |_| value(name).number());
            let at = value("origin").pair();
            let at = Vec2::new(at.x * along, at.y);
            let is_first = bones.is_empty();
            let corner = if is_first { self.point(Vec2::ZERO) } else { Vec2::ZERO };
            let factors = Vec2::new(self.unit.x, -self.unit.y);
            let sources = MotionSources {
                angle: links.get("angle").map(|node| (*node, -1.0)),
                offset: links.get("origin").filter(|_| is_even).map(|node| (*node, factors, corner)),
                scale: None,
            };
            let motion = ItemMotion {
                offset: corner + self.vector(at),
                angle: -value("angle").number(),
                scale: Vec2::new(number_or("scalex", 1.0), 1.0),
                sources,
                ..ItemMotion::default()
            };
            let place = document.nodes.get(node)?.place;
            let name = value("name");
            let name = if name.text().is_empty() { "bone" } else { name.text() };
            bones.push(ItemBone {
                key: format!("bone {} {}", place.file, place.byte).into(),
                name: name.into(),
                place,
                motion,
            });
            along = number_or("scalelx", 1.0);
            is_even = is_one(links.get("scalelx"));
        }
        Some(bones)
    }
}

fn turned(angle: Angle) -> Affine {
    let Vec2 { x, y } = angle.direction();
    Affine::new([x, y, -y, x, 0.0, 0.0])
}

/// A frame and the scale along a bone as a value.
fn stored(frame: Affine, along: f64) -> NodeValue {
    NodeValue::Record(frame.as_coeffs().into_iter().chain([along]).map(NodeValue::from).collect())
}

/// The frame of a bone and its scale along itself; that of the canvas of what is none.
fn frame(bone: &NodeValue) -> (Affine, f64) {
    match bone {
        NodeValue::Record(parts) if parts.len() == 7 => {
            let number = |at: usize| parts[at].number();
            (Affine::new([0, 1, 2, 3, 4, 5].map(number)), number(6))
        }
        _ => (Affine::IDENTITY, 1.0),
    }
}

/// A transformation in its parts: scaled, then skewed, turned and moved.
struct Pose {
    offset: Vec2,
    angle: Angle,
    skew: Angle,
    scale: Vec2,
}

/// From the first axis to the second one.
const UPRIGHT: f64 = 90.0;

impl Pose {
    fn of(matrix: Affine) -> Self {
        let [a, b, c, d, e, f] = matrix.as_coeffs();
        let (x, y) = (Vec2::new(a, b), Vec2::new(c, d));
        let angle = Angle::of(x);
        let skew = Angle::of(y) - angle - Angle::from_degrees(UPRIGHT);
        Self { offset: Vec2::new(e, f), angle, skew, scale: Vec2::new(x.hypot(), y.hypot()) }
    }

    fn read(value: &NodeValue) -> Self {
        let angle = |at: usize| Angle::from_degrees(value.part(at).number());
        Self { offset: value.part(0).pair(), angle: angle(1), skew: angle(2), scale: value.part(3).pair() }
    }

    fn matrix(&self) -> Affine {
        let x = self.angle.direction() * self.scale.x;
        let y = (self.angle + self.skew + Angle::from_degrees(UPRIGHT)).direction() * self.scale.y;
        Affine::new([x.x, x.y, y.x, y.y, self.offset.x, self.offset.y])
    }

    fn stored(&self) -> NodeValue {
        let [angle, skew] = [self.angle, self.skew].map(|angle| NodeValue::from(angle.degrees()));
        NodeValue::Record([NodeValue::Pair(self.offset), angle, skew, NodeValue::Pair(self.scale)].into())
    }
}
