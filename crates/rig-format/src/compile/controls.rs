//! Compiles sliders and the camera: keys become lanes.

use std::collections::BTreeMap;

use bone_core::clip::{ClipTime, Curve, Ease, Key, ValueKind};
use bone_core::ln;
use kurbo::{Point, Vec2};

use super::pass::Pass;
use crate::curves::{curve, delayed, keys};
use crate::doc::{AnyChannel, CameraDoc, Channel, ClipDoc};
use crate::span::Span;
use bone_rig::{RowProperty, Slider, parts::Lane};

impl<'a> Pass<'a> {
    /// The sliders of the rig.
    pub(super) fn sliders(&self) -> Vec<Slider> {
        let slider = |doc: &crate::doc::SliderDoc| Slider {
            name: doc.name.value.clone(),
            range: doc.range(),
            rest: doc.rest(),
        };
        self.doc.sliders.iter().map(slider).collect()
    }

    /// The index of each slider by its name.
    pub(super) fn slider_places(&self) -> BTreeMap<&'a str, usize> {
        let doc = self.doc;
        let names = doc.sliders.iter().map(|slider| slider.name.value.as_str());
        names.enumerate().map(|(at, name)| (name, at)).collect()
    }

    /// The middle of the page, if a clip or a shot moves the camera.
    pub(super) fn page(&self) -> Option<Point> {
        let clips = self.doc.clips.iter().map(|clip| &clip.camera);
        let mut cameras = clips.chain(self.doc.shots.iter().map(|shot| &shot.camera)).flatten();
        cameras.any(|camera| !camera.values.is_empty()).then(|| self.art.canvas().center())
    }

    /// What a clip does with sliders.
    pub(super) fn slider_lanes(&mut self, clip: &ClipDoc, time: Option<ClipTime>) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let places = if clip.sliders.is_empty() { BTreeMap::new() } else { self.slider_places() };
        for (name, channel) in &clip.sliders {
            // One that is missing was reported.
            let target = places.get(name.value.as_str()).copied();
            let lane = (RowProperty::Slider, target.unwrap_or_default(), 0);
            self.lane(lane, curve(channel, |value: f64| value), (channel, channel.span), time, &mut lanes);
        }
        lanes
    }

    /// What a clip or a shot does with the camera. `time` is that of keys that loop.
    pub(super) fn camera_lanes(&mut self, camera: Option<&CameraDoc>, time: Option<ClipTime>) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for (property, channel) in camera.iter().flat_map(|camera| camera.values.iter()) {
            let row = RowProperty::Camera(property);
            match channel {
                AnyChannel::Number(channel) => {
                    let curve = match property.row().kind {
                        ValueKind::Zoom => logarithms(channel),
                        _ => curve(channel, |value: f64| value),
                    };
                    self.lane((row, 0, 0), curve, (channel, channel.span), time, &mut lanes);
                }
                AnyChannel::Pair(channel) => {
                    for part in 0..2 {
                        let curve = curve(channel, |value: Vec2| [value.x, value.y][part]);
                        self.lane((row, 0, part), curve, (channel, channel.span), time, &mut lanes);
                    }
                }
                AnyChannel::Flag(_) | AnyChannel::Name(_) | AnyChannel::Color(_) | AnyChannel::Shape(_) => {}
            }
        }
        lanes
    }

    /// Adds a lane, or reports that a channel cannot be one.
    pub(super) fn lane<T>(
        &mut self,
        (property, target, part): (RowProperty, usize, usize),
        curve: Option<Curve<f64>>,
        (channel, span): (&Channel<T>, Span),
        time: Option<ClipTime>,
        lanes: &mut Vec<Lane>,
    ) {
        let Some(mut curve) = curve else { return self.fault(span, "this channel") };
        time.iter().for_each(|time| time.fit(&mut curve));
        match delayed(curve, &channel.shift, time) {
            Some(curve) => lanes.push(Lane { property, target, part, curve }),
            None => self.fault(span, "this channel"),
        }
    }
}

/// The logarithm of a channel. Its slopes are those of the values: (ln z)' = z' / z.
fn logarithms(channel: &Channel<f64>) -> Option<Curve<f64>> {
    let mut keys: Vec<Key<f64>> = keys(channel, |zoom: &f64| Some(*zoom))?;
    for key in &mut keys {
        if let Ease::Slope { leave, arrive } = &mut key.ease {
            (*leave, *arrive) = (*leave / key.value, *arrive / key.value);
        }
        key.value = ln(key.value);
    }
    Curve::new(keys, channel.extend.map(|extend| extend.value).unwrap_or_default()).ok()
}
