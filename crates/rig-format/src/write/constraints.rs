//! Constraints and springs as text.

use super::tree::{Group, Tree, quoted};
use super::{RigFormatter, names};
use crate::doc::{
    AttachmentPointDoc, Bend, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind, EndAngle, EndDoc, IkDoc,
    KeepDistance, PathTurn, Space, SpringDoc, TargetDoc,
};
use crate::span::Spanned;

impl RigFormatter {
    pub(super) fn constraint(self, constraint: &ConstraintDoc) -> Group {
        let mut fields = Group::fields(match constraint.kind {
            ConstraintKind::Ik(_) => "Ik",
            ConstraintKind::Pin(_) => "Pin",
            ConstraintKind::Aim(_) => "Aim",
            ConstraintKind::Copy(_) => "Copy",
            ConstraintKind::Limit(_) => "Limit",
            ConstraintKind::Path(_) => "Path",
            ConstraintKind::Distance(_) => "Distance",
        });
        self.named(&mut fields, "name", &constraint.name);
        let to = &mut fields;
        match &constraint.kind {
            ConstraintKind::Ik(ik) => {
                let (first, also) = ik.ends.split_first().map_or((None, &[][..]), |(f, a)| (Some(f), a));
                first.into_iter().for_each(|end| self.end(to, "tip", "target", end));
                self.chain(to, ik);
                let mut list = Group::list();
                for end in also {
                    let mut item = Group::fields("");
                    self.end(&mut item, "tip", "target", end);
                    list.item(item);
                }
                if !list.is_empty() {
                    to.field("also", list);
                }
            }
            ConstraintKind::Pin(pin) => {
                pin.ends.first().into_iter().for_each(|end| self.end(to, "bone", "at", end));
                self.chain(to, pin);
            }
            ConstraintKind::Aim(aim) => {
                to.field("bone", quoted(&aim.bone.value));
                to.field("target", self.target(&aim.target));
                to.given("target_point", self.attachment_point(aim.target_point));
                to.given("offset", aim.offset.map(|offset| self.place(offset.value)));
            }
            ConstraintKind::Copy(copy) => {
                to.field("bone", quoted(&copy.bone.value));
                to.field("from", quoted(&copy.from.value));
                to.given("rotate", copy.rotate.map(|factor| self.share(factor.value)));
                to.given("move", copy.shift.map(|factor| self.share(factor.value)));
                to.given("scale", copy.scale.map(|factor| self.share(factor.value)));
                to.given("rotate_offset", copy.rotate_offset.map(|by| self.place(by.value)));
                to.given("move_offset", copy.shift_offset.map(|by| self.vector(by.value)));
                let size = copy.scale_offset.map(|by| self.shares((by.value.x, by.value.y)));
                to.given("scale_offset", size);
                let space = |space| match space {
                    Space::Local => "Local",
                    Space::Canvas => "Canvas",
                };
                to.given("space", copy.space.map(|word| space(word.value)));
            }
            ConstraintKind::Limit(limit) => {
                to.field("bone", quoted(&limit.bone.value));
                to.given("rotate", limit.rotate.map(|range| self.range(range.value)));
                to.given("move_x", limit.move_x.map(|range| self.range(range.value)));
                to.given("move_y", limit.move_y.map(|range| self.range(range.value)));
                to.given("scale_x", limit.scale_x.map(|range| self.shares(range.value)));
                to.given("scale_y", limit.scale_y.map(|range| self.shares(range.value)));
            }
            ConstraintKind::Path(path) => {
                to.field("bones", names(&path.bones));
                to.field("art", quoted(&path.art.value));
                to.given("position", path.position.map(|share| self.share(share.value)));
                to.given("spacing", path.spacing.map(|spacing| self.place(spacing.value)));
                let turn = |turn| match turn {
                    PathTurn::Chain => "Chain",
                    PathTurn::Tangent => "Tangent",
                    PathTurn::Keep => "Keep",
                };
                to.given("turn", path.turn.map(|word| turn(word.value)));
            }
            ConstraintKind::Distance(distance) => {
                to.field("bone", quoted(&distance.bone.value));
                to.given("point", self.attachment_point(distance.point));
                to.field("target", self.target(&distance.target));
                to.given("target_point", self.attachment_point(distance.target_point));
                to.field("distance", self.place(distance.distance.value));
                let keep = |keep| match keep {
                    KeepDistance::At => "At",
                    KeepDistance::Under => "Under",
                    KeepDistance::Over => "Over",
                };
                to.given("keep", distance.keep.map(|word| keep(word.value)));
            }
        }
        to.given("mix", constraint.mix.map(|mix| self.share(mix.value)));
        fields
    }

    fn end(self, fields: &mut Group, tip: &str, target: &str, end: &EndDoc) {
        fields.field(tip, quoted(&end.tip.value));
        fields.given("point", self.attachment_point(end.point));
        fields.given(target, end.target.as_ref().map(|target| self.target(target)));
        fields.given("target_point", self.attachment_point(end.target_point));
        fields.given("chain", end.chain.map(|chain| self.share(chain.value)));
        let angle = |angle| match angle {
            EndAngle::Free => "Free",
            EndAngle::Keep => "Keep",
            EndAngle::Target => "Target",
        };
        fields.given("angle", end.angle.map(|word| angle(word.value)));
    }

    fn chain(self, fields: &mut Group, ik: &IkDoc) {
        fields.given("bend", ik.bend.map(|word| bend(word.value)));
        fields.given("softness", ik.softness.map(|share| self.share(share.value)));
        fields.given("stretch", ik.stretch.map(|share| self.share(share.value)));
        fields.given("compress", ik.compress.map(|share| self.share(share.value)));
        let mut map = Group::map();
        ik.stiffness.iter().for_each(|(bone, value)| map.entry(&bone.value, self.share(value.value)));
        if !map.is_empty() {
            fields.field("stiffness", map);
        }
    }

    fn target(self, target: &TargetDoc) -> String {
        match target {
            TargetDoc::Bone(bone) => quoted(&bone.value),
            TargetDoc::Place(at) => self.point(at.value),
        }
    }

    fn attachment_point(self, point: Option<Spanned<AttachmentPointDoc>>) -> Option<String> {
        point.map(|point| match point.value {
            AttachmentPointDoc::Origin => "Origin".to_owned(),
            AttachmentPointDoc::Tip => "Tip".to_owned(),
            AttachmentPointDoc::At(at) => self.point(at),
        })
    }

    pub(super) fn constraint_channels(self, channels: &ConstraintChannelsDoc) -> Group {
        let mut fields = Group::fields("");
        let share = |channel: &Option<crate::doc::Channel<f64>>| {
            channel.as_ref().map(|c| self.channel(Self::time, c, |value| self.share(*value).into()))
        };
        fields.given("mix", share(&channels.mix));
        let target = channels.target.as_ref();
        let place = |at: &kurbo::Point| Tree::from(self.point(*at));
        fields.given("target", target.map(|c| self.channel(Self::time, c, place)));
        if let Some(sides) = &channels.bend {
            let mut list = Group::list();
            for (time, side) in &sides.keys {
                list.item(format!("({}, {})", self.time(time.value), bend(side.value)));
            }
            fields.field("bend", list);
        }
        fields.given("softness", share(&channels.softness));
        fields.given("position", share(&channels.position));
        let distance = channels.distance.as_ref();
        let length = |value: &f64| Tree::from(self.place(*value));
        fields.given("distance", distance.map(|c| self.channel(Self::time, c, length)));
        let mut holds = Group::list();
        for hold in &channels.holds {
            let mut item = Group::fields("");
            item.field("from", self.time(hold.from.value));
            item.field("until", self.time(hold.until.value));
            item.given("at", hold.at.map(|at| self.point(at.value)));
            let ease = |(start, end): (f64, f64)| match start == end {
                true => self.time(start),
                false => format!("({}, {})", self.time(start), self.time(end)),
            };
            item.given("ease", hold.ease.map(|seconds| ease(seconds.value)));
            item.given("drift", hold.drift.map(|drift| self.vector(drift.value)));
            holds.item(item);
        }
        if !holds.is_empty() {
            fields.field("holds", holds);
        }
        fields
    }

    pub(super) fn spring(self, spring: &SpringDoc) -> Group {
        let mut fields = Group::fields("");
        self.named(&mut fields, "chain", &spring.chain);
        fields.given("bones", spring.bones.as_deref().map(names));
        fields.given("stiffness", spring.stiffness.map(|value| self.share(value.value)));
        fields.given("damping", spring.damping.map(|value| self.share(value.value)));
        fields.given("mass", spring.mass.map(|value| self.share(value.value)));
        let gravity = |pull: kurbo::Vec2| match pull.x {
            0.0 => self.place(pull.y),
            _ => self.vector(pull),
        };
        fields.given("gravity", spring.gravity.map(|pull| gravity(pull.value)));
        fields.given("mix", spring.mix.map(|mix| self.share(mix.value)));
        fields
    }
}

fn bend(side: Bend) -> &'static str {
    match side {
        Bend::Auto => "Auto",
        Bend::Left => "Left",
        Bend::Right => "Right",
        Bend::Either => "Either",
    }
}
