//! The keyed ends and stops of gradients, as they were written.

use bone_drawing::{GradientProperty, StopProperty};

use super::channels::{AnyChannel, Channels};
use super::color::Rgb;
use super::keys::{Channel, keys};
use crate::schema::types::{COLOR, OPACITY, SHARE};
use crate::schema::{Key as MapKey, Title, Type, record};
use crate::span::Spanned;

/// Stops with keys.
type StopKeys<T> = Vec<(Spanned<u32>, Channel<T>)>;

const COLOR_KEYS: Type = keys(&COLOR, "\"#08f\"");
const OPACITY_KEYS: Type = keys(&OPACITY, "0.5");
const OFFSET_KEYS: Type = keys(&SHARE, "0.4");
const STOP_COLORS: Type = Type::Map { key: MapKey::Stop, of: &COLOR_KEYS, each: "the colour of this stop" };
const STOP_OPACITIES: Type =
    Type::Map { key: MapKey::Stop, of: &OPACITY_KEYS, each: "the opacity of this stop" };
const STOP_OFFSETS: Type = Type::Map { key: MapKey::Stop, of: &OFFSET_KEYS, each: "the offset of this stop" };

record! {
    /// What one gradient does in a clip.
    pub struct GradientKeysDoc = "Gradient", Title::EntryFor("gradient"), "(colors: {0: [(0, \"#08f\"), (1, \"#013\")]})" {
        /// Which gradient: its id, or that of art with `.fill` or `.stroke`.
        gradient: Spanned<String>,
    }
    named gradient;
    fields {
        /// Colours of stops, each by its number, from 0.
        def colors: StopKeys<Rgb> = (STOP_COLORS, "as drawn", "{0: [(0, \"#08f\"), (1, \"#013\")]}") also ["colours", "stops", "stop_colors"];
        /// How solid stops are.
        def opacities: StopKeys<f64> = (STOP_OPACITIES, "as drawn", "{1: [(0, 1), (1, 0)]}") also ["stop_opacities"];
        /// Where stops are, from 0 at the start of the gradient to 1 at its end. A stop that would come before the one
        /// before it is at its place.
        def offsets: StopKeys<f64> = (STOP_OFFSETS, "as drawn", "{1: [(0, 0.4), (1, 0.8)]}") also ["positions", "stop_offsets"];
        /// Its ends.
        flat values: Channels<GradientProperty> = ();
    }
}

impl GradientKeysDoc {
    /// The channels of its stops.
    pub fn stops(&self) -> impl Iterator<Item = (StopProperty, Spanned<u32>, AnyChannel)> {
        let of = |property: StopProperty, keys: &[(Spanned<u32>, Channel<f64>)]| {
            let any =
                keys.iter().map(|(stop, channel)| (property, *stop, AnyChannel::Number(channel.clone())));
            any.collect::<Vec<_>>()
        };
        let colors = self.colors.iter();
        let colors =
            colors.map(|(stop, channel)| (StopProperty::Color, *stop, AnyChannel::Color(channel.clone())));
        let others = of(StopProperty::Opacity, &self.opacities).into_iter();
        colors.chain(others).chain(of(StopProperty::Offset, &self.offsets))
    }
}
