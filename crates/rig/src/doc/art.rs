//! What art does besides following bones: whether it is seen, how solid it is, what lies in front, as it was written.

use super::{Channel, RigDoc};
use crate::span::Spanned;

/// What one piece of art does in a clip or a driver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Whether it is drawn.
    pub visible: Option<Channel<bool>>,
    /// Multiplies its own opacity.
    pub opacity: Option<Channel<f64>>,
    /// Its place among its siblings.
    pub order: Option<Channel<f64>>,
    /// Which of its children is drawn; none if none is.
    pub switch: Option<Channel<Option<String>>>,
}

impl RigDoc {
    /// The art that clips and drivers may show although the drawing hides it: what the drawing has to be read with.
    pub fn showable(&self) -> render::Showable {
        let clips = self.clips.iter().flat_map(|clip| &clip.art);
        let all = || clips.clone().chain(self.drivers.iter().flat_map(|driver| &driver.art));
        let names = |with: fn(&ArtDoc) -> bool| {
            all().filter(|art| with(art)).map(|art| art.art.value.clone()).collect()
        };
        render::Showable {
            elements: names(|art| art.visible.is_some()),
            children_of: names(|art| art.switch.is_some()),
        }
    }
}
