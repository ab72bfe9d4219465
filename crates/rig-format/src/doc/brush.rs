//! Strokes of a brush on found weights, as they were written.

use kurbo::Point;

use crate::schema::types::{ADDED_SHARE, BONE, BONES, REACH, SHARE, XY};
use crate::schema::{Title, Type, record};
use crate::span::{Span, Spanned};

record! {
    /// A stroke of a brush: along a line a bone gets a greater or a smaller share, or shares are evened out.
    pub struct StrokeDoc = "Stroke", Title::This("this stroke"), "(bone: \"fore.L\", add: 0.3, width: 14, at: [(214, 196), (230, 226)])" {
        /// Its brackets.
        span: Span,
        /// Whether every part was readable.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
    fields {
        /// The bone whose share changes; all others share the rest as they did.
        opt bone: Spanned<String> = (BONE, "needed with `add`", "\"fore.L\"") also ["joint"];
        /// What it gets on the line, less beside it, and nothing from `width` on.
        opt add: Spanned<f64> = (ADDED_SHARE, "instead of `smooth`", "-0.2") also ["strength", "weight"];
        /// How far the shares of all bones are moved towards their mean nearby.
        opt smooth: Spanned<f64> = (SHARE, "instead of `add`", "0.5") also ["blur"];
        /// How far it reaches to each side of the line, in units of the drawing at rest.
        req width: Spanned<f64> = (REACH, "14") also ["radius", "size"];
        /// The corners of the line; one is a dab.
        req at: Vec<Spanned<Point>> = (
            Type::List { of: &XY, each: "a point in `at`" }, "[(214, 196), (230, 226)]"
        ) also ["points", "line"];
        /// Bones whose shares stay as they are.
        opt lock: Vec<Spanned<String>> = (BONES, "none", "[\"chest\"]") also ["locked"];
    }
}
