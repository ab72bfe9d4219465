//! Clips and drivers as text: channels, keys and eases.

use super::RigFormatter;
use super::skin::address;
use super::tree::{Group, Tree, quoted};
use crate::doc::{
    ArtDoc, ArtOffsetsDoc, BoneChannelsDoc, Channel, ClipDoc, Drive, DriverDoc, Ease, Extend, Keep,
    ParentChannel,
};

impl RigFormatter {
    pub(super) fn clip(self, clip: &ClipDoc) -> Group {
        let mut fields = Group::fields("");
        fields.given("length", clip.length.map(|length| self.time(length.value)));
        fields.given("loop", clip.looped.map(|looped| looped.value.to_string()));
        fields.given("step", clip.step.map(|step| self.share(step.value)));
        let time: Axis = Self::time;
        self.moved(&mut fields, time, &clip.bones, &clip.offsets);
        let mut setup = Group::map();
        for art in &clip.setup {
            let mut vertices = Group::map();
            for (vertex, channel) in &art.vertices {
                vertices
                    .field(&address(vertex.value), self.channel(time, channel, |at| self.point(*at).into()));
            }
            setup.entry(&art.art.value, vertices);
        }
        section(&mut fields, "setup", setup);
        let mut weights = Group::map();
        for art in &clip.weights {
            let mut vertices = Group::map();
            for (vertex, channel) in &art.vertices {
                vertices.field(
                    &address(vertex.value),
                    self.channel(time, channel, |row| self.weights(row).into()),
                );
            }
            weights.entry(&art.art.value, vertices);
        }
        section(&mut fields, "weights", weights);
        self.art(&mut fields, time, &clip.art);
        let mut constraints = Group::map();
        for channels in &clip.constraints {
            constraints.entry(&channels.name.value, self.constraint_channels(channels));
        }
        section(&mut fields, "constraints", constraints);
        fields
    }

    pub(super) fn driver(self, driver: &DriverDoc) -> Group {
        let mut fields = Group::fields("");
        fields.field("bone", quoted(&driver.bone.value));
        let value = |drive| match drive {
            Drive::Rotate => "Rotate",
            Drive::MoveX => "MoveX",
            Drive::MoveY => "MoveY",
            Drive::ScaleX => "ScaleX",
            Drive::ScaleY => "ScaleY",
            Drive::Stretch => "Stretch",
        };
        fields.given("value", driver.value.map(|drive| value(drive.value)));
        let axis: Axis = match driver.drive() {
            Drive::Rotate | Drive::MoveX | Drive::MoveY => Self::place,
            Drive::ScaleX | Drive::ScaleY | Drive::Stretch => Self::share,
        };
        self.moved(&mut fields, axis, &driver.bones, &driver.offsets);
        self.art(&mut fields, axis, &driver.art);
        fields
    }

    fn moved(self, fields: &mut Group, axis: Axis, bones: &[BoneChannelsDoc], offsets: &[ArtOffsetsDoc]) {
        let mut map = Group::map();
        bones.iter().for_each(|bone| map.entry(&bone.bone.value, self.bone_channels(axis, bone)));
        section(fields, "bones", map);
        let mut map = Group::map();
        for art in offsets {
            let mut vertices = Group::map();
            for (vertex, offset) in &art.vertices {
                let mut channel = self.channel(axis, &offset.channel, |at| self.vector(*at).into());
                if let Some(bone) = &offset.bone {
                    let mut whole = Group::fields("");
                    whole.field("bone", quoted(&bone.value));
                    self.long(&mut whole, axis, &offset.channel, |at| self.vector(*at).into());
                    channel = whole.into();
                }
                vertices.field(&address(vertex.value), channel);
            }
            map.entry(&art.art.value, vertices);
        }
        section(fields, "offsets", map);
    }

    fn bone_channels(self, axis: Axis, bone: &BoneChannelsDoc) -> Group {
        let mut fields = Group::fields("");
        let place = |channel: &Option<Channel<f64>>| {
            channel.as_ref().map(|c| self.channel(axis, c, |value| self.place(*value).into()))
        };
        let point = |channel: &Option<Channel<kurbo::Point>>| {
            channel.as_ref().map(|c| self.channel(axis, c, |at| self.point(*at).into()))
        };
        fields.given("rotate", place(&bone.rotate));
        fields.given("angle", place(&bone.angle));
        let shift = bone.shift.as_ref();
        fields.given("move", shift.map(|c| self.channel(axis, c, |by| self.vector(*by).into())));
        fields.given("origin", point(&bone.origin));
        let scale = bone.scale.as_ref();
        fields.given("scale", scale.map(|c| self.channel(axis, c, |size| self.size(*size).into())));
        let stretch = bone.stretch.as_ref();
        fields.given("stretch", stretch.map(|c| self.channel(axis, c, |size| self.share(*size).into())));
        fields.given("parent", bone.parent.as_ref().map(|parent| self.parents(parent)));
        fields.given("setup_origin", point(&bone.setup_origin));
        fields.given("setup_angle", place(&bone.setup_angle));
        fields
    }

    fn parents(self, parent: &ParentChannel) -> Group {
        let mut list = Group::list();
        for key in &parent.keys {
            let mut item = Group::fields("");
            item.item(self.time(key.time.value));
            item.item(key.parent.value.as_ref().map_or("None".to_owned(), |name| quoted(name)));
            if let Some(keep) = key.keep {
                item.item(match keep.value {
                    Keep::World => "World",
                    Keep::Local => "Local",
                });
            }
            list.item(item);
        }
        list
    }

    fn art(self, fields: &mut Group, axis: Axis, arts: &[ArtDoc]) {
        let mut map = Group::map();
        for art in arts {
            let mut does = Group::fields("");
            let share = |channel: &Option<Channel<f64>>| {
                channel.as_ref().map(|c| self.channel(axis, c, |value| self.share(*value).into()))
            };
            let visible = art.visible.as_ref();
            does.given("visible", visible.map(|c| self.channel(axis, c, |seen| seen.to_string().into())));
            does.given("opacity", share(&art.opacity));
            does.given("order", share(&art.order));
            let switch = art.switch.as_ref();
            let child = |name: &Option<String>| match name {
                Some(name) => quoted(name).into(),
                None => "None".into(),
            };
            does.given("switch", switch.map(|c| self.channel(axis, c, child)));
            map.entry(&art.art.value, does);
        }
        section(fields, "art", map);
    }

    /// `[key, key]`, or with `keys`, `ease` and `extend` if it says more.
    pub(super) fn channel<T>(self, axis: Axis, channel: &Channel<T>, value: impl Fn(&T) -> Tree) -> Tree {
        if channel.ease.is_none() && channel.extend.is_none() {
            return self.keys(axis, channel, value).into();
        }
        let mut whole = Group::fields("");
        self.long(&mut whole, axis, channel, value);
        whole.into()
    }

    fn long<T>(self, whole: &mut Group, axis: Axis, channel: &Channel<T>, value: impl Fn(&T) -> Tree) {
        whole.field("keys", self.keys(axis, channel, value));
        whole.given("ease", channel.ease.map(|ease| self.ease(ease.value)));
        let extend = |extend| match extend {
            Extend::Hold => "Hold",
            Extend::Linear => "Linear",
            Extend::Loop => "Loop",
            Extend::LoopOffset => "LoopOffset",
            Extend::PingPong => "PingPong",
        };
        whole.given("extend", channel.extend.map(|word| extend(word.value)));
    }

    fn keys<T>(self, axis: Axis, channel: &Channel<T>, value: impl Fn(&T) -> Tree) -> Group {
        let mut list = Group::list();
        for key in &channel.keys {
            let mut item = Group::fields("");
            item.item(axis(self, key.time.value));
            item.item(value(&key.value.value));
            if let Some(ease) = key.ease {
                item.item(self.ease(ease.value));
            }
            list.item(item);
        }
        list
    }

    fn ease(self, ease: Ease) -> String {
        let numbers =
            |values: &[f64]| values.iter().map(|value| self.share(*value)).collect::<Vec<_>>().join(", ");
        match ease {
            Ease::Hold => "Hold".to_owned(),
            Ease::Linear => "Linear".to_owned(),
            Ease::Smooth => "Smooth".to_owned(),
            Ease::InOut { start, end } => format!("Ease({})", numbers(&[start, end])),
            Ease::Tcb { tension, continuity, bias } => {
                format!("Tcb({})", numbers(&[tension, continuity, bias]))
            }
            Ease::Bezier { first, second } => {
                format!("Bezier({})", numbers(&[first.x, first.y, second.x, second.y]))
            }
        }
    }
}

/// How what drives a channel is written: seconds, or a value of a bone.
pub(super) type Axis = fn(RigFormatter, f64) -> String;

/// A field, unless it is empty.
fn section(fields: &mut Group, name: &str, group: Group) {
    if !group.is_empty() {
        fields.field(name, group);
    }
}
