//! Clip paths and masks: copies of what is below an item, which move as it does.

use std::rc::Rc;

use kurbo::Affine;

use crate::film::{FilmWriter, Frames, ItemSpace, columns, mapped, shape_of};
use crate::scene::{ItemContent, ItemPaint, ItemShape, SceneItem};
use crate::svg::number;

/// Most copies in one clip path.
const MAX_COPIES: usize = 5000;

/// A shape in all frames, and where it is.
struct Copied<'i> {
    frames: Frames<'i>,
    space: ItemSpace,
    opacity: f64,
}

impl FilmWriter<'_> {
    /// The clip path or the mask of the items of these keys, with the name of its attribute; none if they have no shape.
    pub(crate) fn cut(
        &mut self,
        keys: &[Rc<str>],
        lists: &[&[SceneItem]],
        space: &ItemSpace,
    ) -> Option<(&'static str, String)> {
        let below = columns(lists)
            .into_iter()
            .filter(|frames| frames.first().is_some_and(|item| keys.contains(&item.key)));
        let mut copies = Vec::new();
        for frames in below {
            self.copied(frames, space, 1.0, &mut copies);
        }
        if copies.is_empty() {
            return None;
        }
        let soft =
            copies.iter().any(|copy| copy.opacity < 1.0 || copy.frames.iter().any(|item| !is_plain(item)));
        if soft {
            return Some(("mask", self.mask_of(&copies, space, None)));
        }
        let id = self.fresh("below");
        self.defs.open("clipPath");
        self.defs.attribute("id", &id);
        self.defs.inside();
        for copy in &copies {
            self.copy(copy, space, None, None);
        }
        self.defs.close("clipPath");
        Some(("clip-path", id))
    }

    /// A mask of one item, which keeps what is under it or cuts it out; none if it has no shape.
    pub(crate) fn mask(&mut self, frames: &Frames<'_>, cuts: bool, space: &ItemSpace) -> Option<String> {
        let mut copies = Vec::new();
        self.copied(frames.clone(), space, 1.0, &mut copies);
        (!copies.is_empty()).then(|| self.mask_of(&copies, space, cuts.then_some("black")))
    }

    /// A mask of white copies, or of copies in another colour on white.
    fn mask_of(&mut self, copies: &[Copied<'_>], space: &ItemSpace, color: Option<&str>) -> String {
        let blurs: Vec<Option<String>> =
            copies.iter().map(|copy| self.filter_of(&copy.frames, "cut", false)).collect();
        let id = self.fresh("mask");
        let (width, height) = self.builder.page.size;
        let larger = 2.0 * width.max(height);
        let sides = [
            ("x", -larger),
            ("y", -larger),
            ("width", width + 2.0 * larger),
            ("height", height + 2.0 * larger),
        ];
        self.defs.open("mask");
        self.defs.attribute("id", &id);
        self.defs.attribute("maskUnits", "userSpaceOnUse");
        sides.iter().for_each(|(side, value)| self.defs.attribute(side, &number(*value)));
        self.defs.inside();
        if color.is_some() {
            self.defs.open("rect");
            sides.iter().for_each(|(side, value)| self.defs.attribute(side, &number(*value)));
            self.defs.attribute("fill", "white");
            self.defs.end();
        }
        for (copy, blur) in copies.iter().zip(blurs) {
            self.copy(copy, space, Some(color.unwrap_or("white")), blur);
        }
        self.defs.close("mask");
        id
    }

    /// All shapes of an item.
    fn copied<'i>(
        &mut self,
        frames: Frames<'i>,
        space: &ItemSpace,
        opacity: f64,
        into: &mut Vec<Copied<'i>>,
    ) {
        let mut stack = vec![(frames, space.clone(), opacity)];
        while let Some((frames, space, opacity)) = stack.pop() {
            let Some(first) = frames.first().filter(|_| frames.iter().any(|item| item.draws())) else {
                continue;
            };
            if into.len() >= MAX_COPIES {
                self.lose(first.place, "a part of what is below it, which is too much to be a clip path");
                return;
            }
            let inner = self.space_of(&frames, &space);
            let opacity = opacity * first.opacity;
            match &first.content {
                ItemContent::Shape(_) => into.push(Copied { frames, space: inner, opacity }),
                ItemContent::Text(_) | ItemContent::Image(_) => {}
                ItemContent::Group(_) | ItemContent::Switch(..) => {
                    let lists: Vec<&[SceneItem]> = frames.iter().map(|item| item.children()).collect();
                    let below = columns(&lists).into_iter().rev();
                    let cut = |frames: &Frames<'_>| frames.first().is_some_and(|item| item.onto.is_some());
                    stack.extend(
                        below.filter(|frames| !cut(frames)).map(|frames| (frames, inner.clone(), opacity)),
                    );
                }
            }
        }
    }

    /// A copy in the coordinates of what it cuts.
    fn copy(&mut self, copy: &Copied<'_>, space: &ItemSpace, color: Option<&str>, blur: Option<String>) {
        let shapes = self.shapes(&copy.frames, &copy.space);
        let shapes: Vec<&ItemShape> = shapes.iter().collect();
        let Some(first) = shapes.first() else { return };
        let name = self.fresh("cut");
        let map = space.setup.inverse() * copy.space.setup;
        let map = if map.is_finite() { map } else { Affine::IDENTITY };
        self.defs.open("path");
        self.defs.attribute("id", &name);
        let stroke = first.stroke.filter(|_| color.is_some());
        match stroke {
            Some(stroke) => {
                self.defs.transform(map);
                self.defs.attribute("d", &crate::svg::path(&first.path));
                self.defs.attribute("fill", "none");
                self.defs.attribute("stroke", color.unwrap_or("white"));
                self.defs.attribute("stroke-width", &number(stroke.width));
                self.defs.attribute("stroke-linecap", if stroke.round_cap { "round" } else { "butt" });
                self.defs.attribute("stroke-linejoin", if stroke.round_join { "round" } else { "miter" });
            }
            None => {
                self.defs.attribute("d", &crate::svg::path(&mapped(&first.path, map)));
                if let Some(color) = color {
                    self.defs.attribute("fill", color);
                }
            }
        }
        if first.even_odd {
            self.defs.attribute(if color.is_some() { "fill-rule" } else { "clip-rule" }, "evenodd");
        }
        if let Some(blur) = blur {
            self.defs.attribute("filter", &format!("url(#{blur})"));
        }
        let alpha = if let ItemPaint::Color(color) = &first.paint { color[3] } else { 1.0 };
        if color.is_some() && copy.opacity * alpha < 1.0 {
            self.defs.attribute("opacity", &number(copy.opacity * alpha));
        }
        self.defs.end();
        let bone = self.bone_of(&copy.space);
        if bone != self.bone_of(space) {
            self.bind(&name, bone.as_deref());
        }
        self.points(&shapes, &name, copy.space.setup);
    }
}

/// Whether a clip path can have an item.
fn is_plain(item: &SceneItem) -> bool {
    let solid = |paint: &ItemPaint| matches!(paint, ItemPaint::Color(color) if color[3] >= 1.0);
    let shape = shape_of(item);
    item.blur.is_none()
        && item.opacity >= 1.0
        && shape.is_some_and(|shape| shape.stroke.is_none() && solid(&shape.paint))
}
