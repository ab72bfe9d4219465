//! Sliders and the camera, as they were written.

use bone_rig::CameraProperty;

use super::channels::Channels;
use crate::schema::types::{NUMBER, SIZE_LIMITS};
use crate::schema::{Title, entry, record};
use crate::span::{Span, Spanned};

entry! {
    /// A number that has a name and no bone: clips key it, programs set it, and drivers read it.
    pub struct SliderDoc = "Slider", Title::Named("slider"), "(range: (-1, 1))";
    fields {
        /// Its least and its greatest value.
        opt range: Spanned<(f64, f64)> = (SIZE_LIMITS, "(0, 1)", "(-1, 1)") also ["limits"];
        /// Its value where nothing is keyed.
        opt rest: Spanned<f64> = (NUMBER, "0, or the end of the range that is nearest", "0.5") also ["default", "value"];
    }
}

impl SliderDoc {
    /// Its least and its greatest value, as written or by default.
    pub fn range(&self) -> (f64, f64) {
        self.range.map_or((0.0, 1.0), |range| range.value)
    }

    /// Its value where nothing is keyed.
    pub fn rest(&self) -> f64 {
        let (least, greatest) = self.range();
        self.rest.map_or(0.0, |rest| rest.value).max(least).min(greatest)
    }
}

record! {
    /// What the camera does in a clip or a shot.
    pub struct CameraDoc = "Camera", Title::This("the camera"), "(zoom: [(0, 1), (1, 2.5)])" {
        /// Its brackets.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// What of it is keyed.
        flat values: Channels<CameraProperty> = ();
    }
}
