//! What art does in clips and drivers: values that are in range, and keys that only step where values only
//! step.

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::{ArtDoc, ArtSetupDoc, ArtWeightsDoc, Extend, WeightsDoc};
use crate::span::Spanned;
use crate::text::shortened;

impl Checker<'_, '_> {
    pub(super) fn art(&mut self, axis: Axis<'_>, arts: &[ArtDoc]) {
        for art in arts {
            self.values(axis, ("art", &art.art.value), &art.values);
        }
    }

    pub(super) fn setup(&mut self, axis: Axis<'_>, setup: &[ArtSetupDoc]) {
        for art in setup {
            for (vertex, channel) in &art.vertices {
                let name = shortened(&art.art.value);
                let what = format!("the setup of vertex {} of \"{name}\"", vertex.value.show());
                self.channel(axis, &what, channel, |position| position);
            }
        }
    }

    pub(super) fn keyed_weights(&mut self, axis: Axis<'_>, weights: &[ArtWeightsDoc]) {
        for art in weights {
            let name = shortened(&art.art.value);
            for (vertex, channel) in &art.vertices {
                let vertex_of = format!("vertex {} of art \"{name}\"", vertex.value.show());
                for key in &channel.keys {
                    self.weights(&key.value.value, &vertex_of);
                }
                self.keys(axis, &format!("the row of {vertex_of}"), channel, alike);
                let goes_on =
                    |extend: &&Spanned<Extend>| matches!(extend.value, Extend::Linear | Extend::LoopOffset);
                for extend in channel.extend.iter().filter(goes_on) {
                    let message =
                        "weights cannot be extended beyond their keys: they must be between 0 and 1";
                    let help = "write extend: Hold, Loop or PingPong";
                    self.error(extend.span, Diagnostic::error("not-possible-here", message).help(help));
                }
            }
        }
    }
}

/// Whether two rows are the same once they are normalised.
fn alike(first: &WeightsDoc, last: &WeightsDoc) -> bool {
    let share = |row: &WeightsDoc, bone: &str| {
        let total: f64 = row.list.iter().map(|(_, weight)| weight.value).sum();
        row.list.iter().find(|(name, _)| name.value == bone).map_or(0.0, |(_, weight)| weight.value / total)
    };
    let bones = first.list.iter().chain(&last.list).map(|(bone, _)| bone.value.as_str());
    // Shares are NaN only after other errors.
    let differ = |bone: &str| (share(first, bone) - share(last, bone)).abs() > 1e-9;
    !bones.into_iter().any(differ)
}
