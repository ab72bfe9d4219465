//! What is drawn at one time: a tree of items, in pixels of the page, y down. Every frame of a film has the same tree.

use std::rc::Rc;

use bone_core::Angle;
use kurbo::{Affine, BezPath, Vec2};

use crate::document::{FilePlace, NodeIndex};
use crate::value::LightColor;

/// A piece of the picture.
#[derive(Clone, Debug)]
pub(crate) struct SceneItem {
    /// The same in all frames, and different for all items.
    pub(crate) key: Rc<str>,
    /// What the artist calls it.
    pub(crate) name: Rc<str>,
    pub(crate) place: FilePlace,
    pub(crate) motion: ItemMotion,
    /// The bones in whose frame its motion is, from the root on.
    pub(crate) bones: Vec<ItemBone>,
    /// If the last of them moves its place alone: where it is without bones.
    pub(crate) unlinked: Option<ItemMotion>,
    /// Its place in its list at this time, if it is not always the same.
    pub(crate) order: Option<f64>,
    pub(crate) opacity: f64,
    /// The node that gives the opacity.
    pub(crate) opacity_source: Option<NodeIndex>,
    /// A blend mode of CSS.
    pub(crate) blend: Option<&'static str>,
    /// The items below it, in the same list, whose shape cuts it.
    pub(crate) onto: Option<Rc<[Rc<str>]>>,
    pub(crate) mask: Option<Box<ItemMask>>,
    /// Deviations of a blur.
    pub(crate) blur: Option<Vec2>,
    /// What its alphas become after the blur, by a table.
    pub(crate) softness: Option<Rc<[f64]>>,
    /// What changes the picture of all of it.
    pub(crate) effect: Option<ItemEffect>,
    pub(crate) content: ItemContent,
}

/// A bone of Synfig, in the frame of its parent.
#[derive(Clone, Debug)]
pub(crate) struct ItemBone {
    /// The same in all frames and for all items.
    pub(crate) key: Rc<str>,
    pub(crate) name: Rc<str>,
    pub(crate) place: FilePlace,
    pub(crate) motion: ItemMotion,
}

#[derive(Clone, Debug)]
pub(crate) enum ItemContent {
    Group(Vec<SceneItem>),
    /// A group of which one child is drawn, by its key.
    Switch(Vec<SceneItem>, Option<Rc<str>>),
    Shape(ItemShape),
    Text(ItemText),
    Image(ItemImage),
}

/// What hides a part of an item.
#[derive(Clone, Debug)]
pub(crate) struct ItemMask {
    pub(crate) item: SceneItem,
    /// Whether it cuts out, instead of keeping what is under it.
    pub(crate) cuts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ItemEffect {
    Shade(ItemShade),
    Bevel(ItemBevel),
    Correct(ItemCorrection),
    /// What is missing from each colour to white.
    Negative,
}

/// A copy of the shape in one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemShade {
    pub(crate) color: LightColor,
    pub(crate) offset: Vec2,
    pub(crate) blur: Vec2,
    /// Whether it is around the shape instead of in it.
    pub(crate) is_around: bool,
    pub(crate) join: EffectJoin,
}

/// Light and shadow of the border of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemBevel {
    pub(crate) light: LightColor,
    pub(crate) dark: LightColor,
    /// Towards the light, and 45 degrees beside it.
    pub(crate) offset: Vec2,
    pub(crate) beside: Vec2,
    pub(crate) blur: Vec2,
    pub(crate) join: EffectJoin,
}

/// Other colours: first a power, then a matrix of three rows and a number that is added to all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemCorrection {
    pub(crate) power: f64,
    pub(crate) rows: [[f64; 3]; 3],
    pub(crate) plus: f64,
    /// Whether each colour stays apart and nothing is added: then it is the same in light and in what encodes it.
    pub(crate) is_factor: bool,
}

/// How an effect is joined with the picture that it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EffectJoin {
    Behind,
    Over,
    /// Where the picture is.
    Onto,
    /// The same with a blend mode of CSS.
    Blend(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct ItemShape {
    pub(crate) path: BezPath,
    pub(crate) even_odd: bool,
    pub(crate) paint: ItemPaint,
    /// How it is stroked; it is filled without.
    pub(crate) stroke: Option<ItemStroke>,
    pub(crate) covers: Cover,
    /// Whether its edges are not smoothed.
    pub(crate) crisp: bool,
}

/// What a shape hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cover {
    Part,
    /// All of the page.
    Page,
    /// The same wherever its group is.
    Plane,
}

#[derive(Clone, Debug)]
pub(crate) struct ItemImage {
    pub(crate) address: Rc<str>,
    pub(crate) size: Vec2,
    /// What it covers.
    pub(crate) shape: ItemShape,
    /// Whether its pixels are not smoothed.
    pub(crate) is_crisp: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ItemText {
    pub(crate) lines: Vec<String>,
    pub(crate) family: String,
    pub(crate) italic: bool,
    pub(crate) weight: i64,
    /// The em.
    pub(crate) size: Vec2,
    /// Shares of the width and the height at which the origin is.
    pub(crate) orient: Vec2,
    pub(crate) color: LightColor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemStroke {
    pub(crate) width: f64,
    pub(crate) round_cap: bool,
    pub(crate) round_join: bool,
}

/// Colours are in sRGB here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ItemPaint {
    Color(LightColor),
    Linear { from: Vec2, to: Vec2, stops: Vec<(f64, LightColor)>, spread: &'static str },
    Radial { center: Vec2, radius: f64, stops: Vec<(f64, LightColor)>, spread: &'static str },
}

/// Where an item is: p' = offset + turned(scaled(sheared(p - origin))).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ItemMotion {
    pub(crate) offset: Vec2,
    /// Degrees, clockwise.
    pub(crate) angle: f64,
    /// Degrees by which the y axis turns.
    pub(crate) skew: f64,
    pub(crate) scale: Vec2,
    pub(crate) origin: Vec2,
    /// The nodes of what is keyed by waypoints alone.
    pub(crate) sources: MotionSources,
}

/// Nodes whose waypoints become keys as they are, each with what a unit of it is here.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MotionSources {
    pub(crate) angle: Option<(NodeIndex, f64)>,
    /// A node of vectors, the factors of x and y, and what is added.
    pub(crate) offset: Option<(NodeIndex, Vec2, Vec2)>,
    pub(crate) scale: Option<NodeIndex>,
}

impl ItemPaint {
    /// Whether it has a colour: a gradient without any is none.
    fn is_seen(&self) -> bool {
        match self {
            Self::Color(_) => true,
            Self::Linear { stops, .. } | Self::Radial { stops, .. } => {
                stops.iter().any(|(_, color)| color[3] > 0.0)
            }
        }
    }
}

impl ItemShape {
    /// The same shape under a map. Strokes are as much wider as the map makes areas larger.
    pub(crate) fn mapped(&self, map: Affine) -> Self {
        let size = map.determinant().abs().sqrt();
        let at = |point: Vec2| (map * point.to_point()).to_vec2();
        let mut shape = Self { path: map * self.path.clone(), ..self.clone() };
        if let Some(stroke) = &mut shape.stroke {
            stroke.width *= size;
        }
        match &mut shape.paint {
            ItemPaint::Color(_) => {}
            ItemPaint::Linear { from, to, .. } => (*from, *to) = (at(*from), at(*to)),
            ItemPaint::Radial { center, radius, .. } => (*center, *radius) = (at(*center), *radius * size),
        }
        shape
    }
}

impl Default for ItemMotion {
    fn default() -> Self {
        Self {
            offset: Vec2::ZERO,
            angle: 0.0,
            skew: 0.0,
            scale: Vec2::new(1.0, 1.0),
            origin: Vec2::ZERO,
            sources: MotionSources::default(),
        }
    }
}

impl ItemMotion {
    pub(crate) fn by(offset: Vec2) -> Self {
        Self { offset, ..Self::default() }
    }

    /// About a point that stays.
    pub(crate) fn about(point: Vec2, angle: f64, scale: Vec2) -> Self {
        Self { offset: point, origin: point, angle, scale, ..Self::default() }
    }

    pub(crate) fn matrix(&self) -> Affine {
        let turn = Angle::from_degrees(self.angle);
        let skewed = if self.skew == 0.0 {
            Affine::IDENTITY
        } else {
            let axis = Angle::from_degrees(90.0 + self.skew).direction();
            Affine::new([1.0, 0.0, axis.x, axis.y, 0.0, 0.0])
        };
        Affine::translate(self.offset)
            * turn.rotation()
            * skewed
            * Affine::scale_non_uniform(self.scale.x, self.scale.y)
            * Affine::translate(-self.origin)
    }

    /// Whether two are one, whatever gives their numbers.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        let close = |a: Vec2, b: Vec2, by: f64| (a - b).hypot() < by;
        close(self.offset, other.offset, 1e-6)
            && close(self.origin, other.origin, 1e-6)
            && close(self.scale, other.scale, 1e-9)
            && (self.angle - other.angle).abs() < 1e-7
            && (self.skew - other.skew).abs() < 1e-7
    }
}

impl SceneItem {
    pub(crate) fn new(key: Rc<str>, name: Rc<str>, place: FilePlace, content: ItemContent) -> Self {
        Self {
            key,
            name,
            place,
            motion: ItemMotion::default(),
            bones: Vec::new(),
            unlinked: None,
            order: None,
            opacity: 1.0,
            opacity_source: None,
            blend: None,
            onto: None,
            mask: None,
            blur: None,
            softness: None,
            effect: None,
            content,
        }
    }

    pub(crate) fn children(&self) -> &[Self] {
        match &self.content {
            ItemContent::Group(children) | ItemContent::Switch(children, _) => children,
            ItemContent::Shape(_) | ItemContent::Text(_) | ItemContent::Image(_) => &[],
        }
    }

    /// Whether there is anything in it that can be drawn.
    pub(crate) fn draws(&self) -> bool {
        let mut stack = vec![self];
        while let Some(item) = stack.pop() {
            match &item.content {
                ItemContent::Shape(shape) if crate::svg::has_extent(&shape.path) && shape.paint.is_seen() => {
                    return true;
                }
                ItemContent::Text(text) if text.lines.iter().any(|line| !line.trim().is_empty()) => {
                    return true;
                }
                ItemContent::Image(_) => return true,
                _ => stack.extend(item.children()),
            }
        }
        false
    }

    /// Whether it hides all that is below it.
    pub(crate) fn covers(&self) -> bool {
        let plain = self.opacity >= 1.0 && self.blend.is_none() && self.onto.is_none() && self.mask.is_none();
        let of_shape = |item: &Self| match &item.content {
            ItemContent::Shape(shape) => shape.covers,
            _ => Cover::Part,
        };
        let is_plane = self.children().first().is_some_and(|first| of_shape(first) == Cover::Plane);
        plain && (is_plane || of_shape(self) == Cover::Page)
    }
}

/// Lines are at least so wide, in pixels.
pub(crate) const LEAST_WIDTH: f64 = 1e-3;

pub(crate) fn widths(shapes: &[&ItemShape]) -> impl Iterator<Item = f64> {
    shapes.iter().filter_map(|shape| shape.stroke).map(|stroke| stroke.width)
}

/// Whether these are lines that have no width at any time.
pub(crate) fn is_without_width(shapes: &[&ItemShape]) -> bool {
    shapes.iter().all(|shape| shape.stroke.is_some()) && widths(shapes).all(|width| width < LEAST_WIDTH)
}
