//! Drawings that are nested deep, for the tests of this crate, and of those that draw and write drawings.

use std::borrow::Cow;
use std::sync::Arc;

use bone_drawing::{
    ClipId, ClipPath, Drawing, DrawingBuilder, DrawingError, Fill, FillRule, Filter, FilterId, FilterStep,
    Group, Mask, MaskId, MaskKind, Paint, Pattern, PatternId, Shape,
};
use kurbo::{Affine, Rect, Shape as _};

/// All ways in which a drawing can be nested.
pub(crate) const NESTED: [&str; 12] = [
    "groups",
    "layers",
    "clipped groups",
    "masked groups",
    "clip of clip",
    "clip in clip",
    "mask of mask",
    "mask in mask",
    "pattern in pattern",
    "filter in filter",
    "open clips",
    "open patterns",
];

const BOX: Rect = Rect { x0: 0.0, y0: 0.0, x1: 9.0, y1: 9.0 };

fn square() -> Shape {
    Shape::filled(Rect::new(1.0, 1.0, 8.0, 8.0).to_path(0.1), [9, 0, 0])
}

fn clip(clip: Option<ClipId>) -> ClipPath {
    ClipPath { id: "c".into(), element: None, transform: Affine::IDENTITY, clip, children: Vec::new() }
}

fn mask(mask: Option<MaskId>) -> Mask {
    Mask { id: "m".into(), element: None, rect: BOX, kind: MaskKind::Alpha, mask, children: Vec::new() }
}

fn pattern() -> Pattern {
    Pattern { id: "p".into(), rect: BOX, transform: Affine::IDENTITY, children: Vec::new() }
}

fn filled(pattern: Option<PatternId>) -> Shape {
    let fill = |paint| Fill { paint, opacity: 1.0, rule: FillRule::NonZero };
    Shape { fill: pattern.map(|id| fill(Paint::Pattern(id))).or(square().fill), ..square() }
}

/// A drawing with so many levels of one kind, each around the one before.
pub(crate) fn nested(kind: &str, levels: usize) -> Result<Drawing, DrawingError> {
    let mut builder = DrawingBuilder::new(BOX);
    let mut group = Group::new();
    match kind {
        "groups" | "layers" | "clipped groups" | "masked groups" => {
            group.opacity = if kind == "layers" { 0.9 } else { 1.0 };
            if kind == "clipped groups" {
                group.clip = Some(builder.open_clip(clip(None)));
                builder.shape_for(None, square());
                builder.close();
            } else if kind == "masked groups" {
                group.mask = Some(builder.open_mask(mask(None)));
                builder.shape_for(None, square());
                builder.close();
            }
            (1..levels).for_each(|_| _ = builder.open("g", group.clone()));
            builder.shape("art", square());
        }
        "clip of clip" | "clip in clip" | "open clips" => {
            let mut last = None;
            for _ in 1..levels {
                let id = builder.open_clip(clip(last.filter(|_| kind == "clip of clip")));
                builder
                    .open_for(None, Group { clip: last.filter(|_| kind == "clip in clip"), ..Group::new() });
                builder.shape_for(None, square());
                last = Some(id);
                if kind != "open clips" {
                    builder.close();
                    builder.close();
                }
            }
            (1..levels).for_each(|_| builder.close());
            (1..levels).for_each(|_| builder.close());
            builder.open("g", Group { clip: last, ..group });
            builder.shape("art", square());
        }
        "mask of mask" | "mask in mask" => {
            let mut last = None;
            for _ in 1..levels {
                let id = builder.open_mask(mask(last.filter(|_| kind == "mask of mask")));
                builder
                    .open_for(None, Group { mask: last.filter(|_| kind == "mask in mask"), ..Group::new() });
                builder.shape_for(None, square());
                last = Some(id);
                builder.close();
                builder.close();
            }
            builder.open("g", Group { mask: last, ..group });
            builder.shape("art", square());
        }
        "pattern in pattern" | "open patterns" => {
            let mut last = None;
            for _ in 1..levels {
                let id = builder.open_pattern(pattern());
                builder.shape_for(None, filled(last));
                last = Some(id);
                if kind != "open patterns" {
                    builder.close();
                }
            }
            (1..levels).for_each(|_| builder.close());
            builder.shape("art", filled(last));
        }
        _ => {
            let mut last: Option<FilterId> = None;
            for _ in 1..levels {
                builder.open_filter_image();
                let filters = last.into_iter().collect();
                let image = builder.open_for(None, Group { filters, ..Group::new() });
                builder.shape_for(None, square());
                builder.close();
                builder.close();
                let step = FilterStep {
                    tag: Cow::Borrowed("feImage"),
                    rect: None,
                    attributes: Vec::new(),
                    values: Default::default(),
                    content: String::new(),
                    image: Some(image),
                };
                last = Some(builder.add_filter(Filter { id: "f".into(), rect: BOX, steps: vec![step] }));
            }
            builder.open("g", Group { filters: last.into_iter().collect(), ..group });
            builder.shape("art", square());
        }
    }
    builder.finish()
}

/// The drawing of a kind that is nested deepest.
pub(crate) fn deepest(kind: &str) -> Arc<Drawing> {
    let (mut fits, mut too_deep) = (1, 2_000);
    while too_deep - fits > 1 {
        let middle = usize::midpoint(fits, too_deep).min(4 * fits);
        if nested(kind, middle).is_ok() { fits = middle } else { too_deep = middle }
    }
    Arc::new(nested(kind, fits).expect("it fits"))
}
