//! Items whose place is linked to bones of Synfig, in the frames of these bones.

use std::collections::BTreeMap;

use kurbo::{Affine, Vec2};

use crate::document::{NodeIndex, SourceKind, SynfigLayer};
use crate::layers::{LayerContext, SceneBuilder};
use crate::scene::{ItemBone, ItemContent, ItemMotion, MotionSources, SceneItem};
use crate::value::NodeValue;

/// The most bones that carry one another.
const MOST_CARRIERS: usize = 100;

impl ItemBone {
    /// A group in its place; what it is within is a part of its key.
    pub(crate) fn item(&self, within: &str) -> SceneItem {
        let content = ItemContent::Group(Vec::new());
        let key = format!("{} {within}", self.key).into();
        let item = SceneItem::new(key, self.name.clone(), self.place, content);
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
        item.unlinked = (!is_group).then(|| item.motion.clone());
        let motion = &mut item.motion;
        motion.sources = MotionSources::default();
        if is_group {
            motion.offset = self.vector(base.part(0).pair());
            (motion.angle, motion.skew) = (-base.part(1).number(), -base.part(2).number());
            motion.scale = base.part(3).pair();
        } else {
            motion.offset = self.vector(base.pair());
        }
        item.bones = bones;
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
