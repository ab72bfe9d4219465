//! Sliders, the camera and gradients: ranges that have an inside, sliders that exist, values within their range.

use bone_core::in_few_digits_beside;

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, CameraDoc, ClipDoc, GradientKeysDoc, SliderDoc};
use crate::span::Spanned;
use crate::text::shortened;

impl<'a> Checker<'a, '_> {
    pub(super) fn sliders(&mut self) {
        for slider in &self.doc.sliders {
            let (least, greatest) = slider.range();
            // Asked this way round, "not a number" is wrong too.
            let has_inside = least < greatest;
            if let Some(range) = slider.range.filter(|_| !has_inside) {
                let name = shortened(&slider.name.value);
                let message = format!("the range of slider \"{name}\" begins with its greatest value");
                let help = match least == greatest {
                    true => "write two different numbers: range: (-1, 1)".to_owned(),
                    false => format!("write range: ({greatest}, {least})"),
                };
                self.error(range.span, Diagnostic::error("range-reversed", message).help(help));
            } else if let Some(rest) = slider.rest {
                self.within_slider(slider, rest);
            }
        }
    }

    /// The slider of this name. If there is none, it is reported; `field` begins the message.
    pub(super) fn slider(&mut self, name: &Spanned<String>, field: &str) -> Option<&'a SliderDoc> {
        let doc = self.doc;
        let found = self.sliders.get(name.value.as_str()).copied();
        if found.is_none() && doc.complete {
            let message = format!("{field} \"{}\", and there is no such slider", shortened(&name.value));
            let names = doc.sliders.iter().map(|slider| slider.name.value.as_str());
            let diagnostic = Diagnostic::error("unknown-slider", message).suggest(&name.value, names);
            let diagnostic = match doc.sliders.is_empty() {
                true => diagnostic.help(format!("add sliders: {{\"{}\": (range: (0, 1))}}", name.value)),
                false => diagnostic,
            };
            self.error(name.span, diagnostic);
        }
        found
    }

    pub(super) fn within_slider(&mut self, slider: &SliderDoc, value: Spanned<f64>) {
        let (least, greatest) = slider.range();
        if (least..=greatest).contains(&value.value) {
            return;
        }
        let show = |n: f64| in_few_digits_beside(n, &[value.value]);
        let message = format!(
            "slider \"{}\" goes from {} to {}, and this is {}",
            shortened(&slider.name.value),
            show(least),
            show(greatest),
            in_few_digits_beside(value.value, &[least, greatest])
        );
        let help = "write a value of its range, or change the range";
        self.error(value.span, Diagnostic::error("out-of-range", message).help(help));
    }

    /// What a clip does with sliders and the camera.
    pub(super) fn clip_controls(&mut self, axis: Axis<'_>, clip: &ClipDoc) {
        for (name, channel) in &clip.sliders {
            let field = format!("clip \"{}\" has keys for slider", shortened(&clip.name.value));
            if let Some(slider) = self.slider(name, &field) {
                channel.keys.iter().for_each(|key| self.within_slider(slider, key.value));
            }
            let what = format!("slider \"{}\"", shortened(&name.value));
            self.shift(axis, &what, &channel.shift, &["delay"]);
            self.channel(axis, &what, channel, |value| value);
        }
        clip.camera.iter().for_each(|camera| self.camera(axis, camera));
    }

    /// The keys of gradients.
    pub(super) fn gradients(&mut self, axis: Axis<'_>, gradients: &[GradientKeysDoc]) {
        for doc in gradients {
            let name = shortened(&doc.gradient.value);
            self.values(axis, ("gradient", &doc.gradient.value), &doc.values);
            for (property, stop, channel) in doc.stops() {
                let what = format!("`{}` of stop {} of \"{name}\"", property.row().name, stop.value);
                self.shift(axis, &what, channel.shift(), &["delay"]);
                match &channel {
                    AnyChannel::Number(channel) => self.channel(axis, &what, channel, |value| value),
                    AnyChannel::Color(channel) => {
                        self.keys(axis, &what, channel, |first, last| first == last)
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn camera(&mut self, axis: Axis<'_>, camera: &CameraDoc) {
        self.values(axis, ("the", "camera"), &camera.values);
    }
}
