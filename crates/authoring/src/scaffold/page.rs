//! The page of a drawing, its guide lines, and entries that many scaffolds have.

use bone_drawing::ArtProperty;
use bone_drawing::{Drawing, ElementId};
use kurbo::{Point, Rect};

use super::art;
use super::bones::{self, GuideBone, GuideSegment, MOST_BONES};
use bone_format::doc::{ArtDoc, Channel, ClipDoc};

/// Shorter lines, as a share of the drawing, are ignored.
const SHORTEST: f64 = 0.001;
/// Larger coordinates have no hundredths in double precision.
const FARTHEST: f64 = 1e12;

/// Replaces a canvas that is too large to calculate with.
pub(super) const PAGE: Rect = Rect::new(0.0, 0.0, 100.0, 100.0);

pub(super) fn clip(name: &str) -> ClipDoc {
    ClipDoc { name: name.to_owned().into(), length: Some(1.0.into()), ..ClipDoc::default() }
}

pub(super) fn shown(art: &str, visible: bool) -> ArtDoc {
    ArtDoc::new(art.to_owned()).with(ArtProperty::Visible, Channel::constant(visible.into()))
}

/// The canvas of a drawing, or a page if it is too large to calculate with.
pub(super) fn page(art: &Drawing) -> Rect {
    let canvas = art.canvas();
    if is_near(&canvas) { canvas } else { PAGE }
}

pub(super) fn is_near(bounds: &Rect) -> bool {
    [bounds.x0, bounds.y0, bounds.x1, bounds.y1].iter().all(|n| n.abs() < FARTHEST)
}

/// The size of a drawing as one length: about its diagonal.
pub(super) fn extent(canvas: Rect) -> f64 {
    (canvas.width() + canvas.height()) * 0.7
}

/// The segments of the lines in a group, and the number of shapes in it that are not lines.
pub(super) fn guide_lines(art: &Drawing, group: ElementId) -> (Vec<GuideSegment>, usize) {
    let mut lines: Vec<GuideSegment> = Vec::new();
    let mut others = 0;
    for (number, path) in art.paths_in(group).into_iter().enumerate() {
        let Some(outline) = art.outline(path) else { continue };
        let name = art::given_name(art, path).unwrap_or_else(|| format!("bone_{}", number + 1));
        let mut segments = bones::segments(&name, &outline.path);
        if let [whole] = segments.as_mut_slice() {
            whole.line = Some(art::name(art, path));
        }
        others += usize::from(segments.is_empty());
        let least = SHORTEST * extent(page(art));
        lines.extend(segments.into_iter().filter(|line| (line.to - line.from).hypot() > least));
    }
    lines.truncate(MOST_BONES);
    (lines, others)
}

/// A bone along the longer side of all art, upwards or to the right.
pub(super) fn one_bone(around: Rect, canvas: Rect) -> GuideBone {
    let middle = around.center();
    let (from, to) = match around.height() >= around.width() {
        true => (Point::new(middle.x, around.y1), Point::new(middle.x, around.y0)),
        false => (Point::new(around.x0, middle.y), Point::new(around.x1, middle.y)),
    };
    let least = SHORTEST * extent(canvas);
    let to = if (to - from).hypot() > least { to } else { Point::new(from.x + 10.0 * least, from.y) };
    GuideBone { name: "body".to_owned(), parent: None, from, to, at_tip: false, line: None }
}
