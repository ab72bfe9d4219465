//! Nodes: groups, shapes and images in paint order, after all styles, units and references of SVG are
//! resolved.

use bone_archive::archive;
use std::sync::Arc;

use kurbo::{Affine, BezPath, Size};

use crate::definition::{ClipId, FilterId, MaskId};
use crate::element::ElementId;
use crate::node_id::NodeId;
use crate::paint::{Fill, Stroke};

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The group around it; none at the top of the drawing or of a definition.
    pub parent: Option<NodeId>,
    /// The element that it shows.
    pub element: Option<ElementId>,
    /// Whether it is the element in its own place, and not a clone of it.
    pub own: bool,
    /// What it is.
    pub kind: NodeKind,
}

archive! {
    /// What a node is.
    #[derive(Clone, Debug, PartialEq)]
    pub enum NodeKind {
        /// Nodes with a common transform, clip path, mask, filter or opacity.
        Group(Box<Group>) = 0,
        /// An outline with paint.
        Shape(Arc<Shape>) = 1,
        /// Pixels, or a drawing of its own.
        Image(Arc<Image>) = 2,
    }
}

impl Node {
    /// Its transform if it is a group; shapes and images have none.
    pub fn transform(&self) -> Affine {
        match &self.kind {
            NodeKind::Group(group) => group.transform,
            NodeKind::Shape(_) | NodeKind::Image(_) => Affine::IDENTITY,
        }
    }

    /// The group, if it is one.
    pub fn group(&self) -> Option<&Group> {
        match &self.kind {
            NodeKind::Group(group) => Some(group),
            _ => None,
        }
    }

    /// The shape, if it is one.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.kind {
            NodeKind::Shape(shape) => Some(shape),
            _ => None,
        }
    }

    /// The image, if it is one.
    pub fn image(&self) -> Option<&Image> {
        match &self.kind {
            NodeKind::Image(image) => Some(image),
            _ => None,
        }
    }

    /// What is in it, if it is a group.
    pub fn children(&self) -> &[NodeId] {
        self.group().map_or(&[], |group| &group.children)
    }
}

/// Nodes with a common transform, and the effects on their common picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// From its inside to what is around it.
    pub transform: Affine,
    /// From 0 to 1.
    pub opacity: f64,
    /// How it is blended with its backdrop.
    pub blend: BlendMode,
    /// Whether it is isolated even if it has no other reason.
    pub isolate: bool,
    /// Its clip path.
    pub clip: Option<ClipId>,
    /// Its mask.
    pub mask: Option<MaskId>,
    /// Its filters, in order.
    pub filters: Vec<FilterId>,
    /// In paint order.
    pub children: Vec<NodeId>,
}

impl Group {
    /// An empty group without effects.
    pub fn new() -> Self {
        Self {
            transform: Affine::IDENTITY,
            opacity: 1.0,
            blend: BlendMode::Normal,
            isolate: false,
            clip: None,
            mask: None,
            filters: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Whether it is isolated: drawn as a layer and then composited.
    pub fn is_isolated(&self) -> bool {
        self.isolation().is_some()
    }

    /// The first reason why it is isolated, if it is.
    pub fn isolation(&self) -> Option<Isolation> {
        [
            (self.clip.is_some(), Isolation::Clip),
            (self.mask.is_some(), Isolation::Mask),
            (self.opacity != 1.0, Isolation::Opacity),
            (!self.filters.is_empty(), Isolation::Filter),
            (self.blend != BlendMode::Normal, Isolation::Blend),
            (self.isolate, Isolation::Isolate),
        ]
        .into_iter()
        .find_map(|(is, why)| is.then_some(why))
    }
}

/// The reason why a group is isolated. Draw order does not sort across its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// `clip-path`, or `overflow` of a nested `svg`.
    Clip,
    /// `mask`.
    Mask,
    /// `opacity`.
    Opacity,
    /// `filter`.
    Filter,
    /// `mix-blend-mode`.
    Blend,
    /// `isolation`.
    Isolate,
}

impl Default for Group {
    fn default() -> Self {
        Self::new()
    }
}

/// An outline with paint.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its curves in its own space, that of the group around it.
    pub outline: Arc<BezPath>,
    /// How it is filled.
    pub fill: Option<Fill>,
    /// How it is stroked.
    pub stroke: Option<Stroke>,
    /// Whether the fill lies over the stroke.
    pub stroke_first: bool,
    /// Whether its edges are smooth.
    pub anti_alias: Smoothness,
    /// Whether it is visible.
    pub visible: bool,
}

impl Shape {
    /// Whether it is visible and has a fill or a stroke.
    pub fn is_visible(&self) -> bool {
        self.visible && (self.fill.is_some() || self.stroke.is_some())
    }
}

archive! {
    /// SVG's `shape-rendering`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Smoothness {
        /// Smooth edges.
        #[default]
        Smooth = 0,
        /// Hard edges, drawn quickly.
        Speed = 1,
        /// Hard edges.
        Crisp = 2,
    }
}

/// An image. Its space has a unit a pixel, the origin at its upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Width and height.
    pub size: Size,
    /// How it is enlarged and made smaller.
    pub sampling: Sampling,
    /// Whether it is visible.
    pub visible: bool,
    /// Its file.
    pub data: ImageData,
}

/// The file of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageData {
    /// What its bytes are.
    pub format: ImageFormat,
    /// All of it.
    pub bytes: Arc<Vec<u8>>,
}

archive! {
    /// The format of an image.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ImageFormat {
        /// `image/png`.
        Png = 0,
        /// `image/jpeg`.
        Jpeg = 1,
        /// `image/gif`, of which the first picture is shown.
        Gif = 2,
        /// `image/webp`.
        Webp = 3,
        /// `image/svg+xml`.
        Svg = 4,
    }
}

impl ImageFormat {
    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Svg => "image/svg+xml",
        }
    }
}

archive! {
    /// CSS's `image-rendering`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Sampling {
        /// `optimizeQuality`.
        #[default]
        Quality = 0,
        /// `optimizeSpeed`.
        Speed = 1,
        /// `smooth`.
        Smooth = 2,
        /// `high-quality`.
        HighQuality = 3,
        /// `crisp-edges`.
        Crisp = 4,
        /// `pixelated`.
        Pixelated = 5,
    }
}

archive! {
    /// How a layer is blended with its backdrop, by the names of CSS.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[allow(missing_docs, reason = "the modes are those of the CSS compositing specification")]
    pub enum BlendMode {
        #[default]
        Normal = 0,
        Multiply = 1,
        Screen = 2,
        Overlay = 3,
        Darken = 4,
        Lighten = 5,
        ColorDodge = 6,
        ColorBurn = 7,
        HardLight = 8,
        SoftLight = 9,
        Difference = 10,
        Exclusion = 11,
        Hue = 12,
        Saturation = 13,
        Color = 14,
        Luminosity = 15,
        PlusLighter = 16,
    }
}

impl BlendMode {
    /// Its name in CSS.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Multiply => "multiply",
            Self::Screen => "screen",
            Self::Overlay => "overlay",
            Self::Darken => "darken",
            Self::Lighten => "lighten",
            Self::ColorDodge => "color-dodge",
            Self::ColorBurn => "color-burn",
            Self::HardLight => "hard-light",
            Self::SoftLight => "soft-light",
            Self::Difference => "difference",
            Self::Exclusion => "exclusion",
            Self::Hue => "hue",
            Self::Saturation => "saturation",
            Self::Color => "color",
            Self::Luminosity => "luminosity",
            Self::PlusLighter => "plus-lighter",
        }
    }
}

archive!(struct NodeId of Node);
archive!(struct Node { parent, element, own, kind });
archive!(struct Group { transform, opacity, blend, isolate, clip, mask, filters, children });
archive!(struct Shape { outline, fill, stroke, stroke_first, anti_alias, visible });
archive!(struct Image { size, sampling, visible, data });
archive!(struct ImageData { format, bytes });
