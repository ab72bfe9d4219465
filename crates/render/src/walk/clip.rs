//! Clip paths and masks of layers.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{BlendMode, Color, FillRule, Mask, PathBuilder, Pixmap, PixmapPaint, Transform};

use super::blend::cut;
use super::painter::{Behind, Cut, Painter};
use super::pen::{Context, Pen};
use super::plan::{Clip, Kind};
use super::values::Whole;

/// What a clip path lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Through {
    Nothing,
    /// All that is within each of some outlines.
    All,
    /// Something else.
    Other,
}

impl<'a> Pen<'a> {
    /// The outlines that a clip path consists of, if each of its levels is but one.
    pub(crate) fn cuts(&self, clip: usize, ts: Transform, cuts: &mut Vec<Cut<'a>>) -> Through {
        let (plan, mut next) = (self.plan, Some(clip));
        while let Some(clip) = next {
            let Clip { transform, clip, children, .. } = &plan.clips[clip];
            let (mut children, mut ts) = (children, ts.pre_concat(*transform));
            loop {
                let [at] = children.as_slice() else {
                    return if children.is_empty() { Through::Nothing } else { Through::Other };
                };
                match &plan.nodes[*at].kind {
                    Kind::Shape(shape) if shape.visible => {
                        let Some((_, rule)) = shape.fill else { return Through::Nothing };
                        let Some(path) = self.values.outline(&shape.outline) else { return Through::Nothing };
                        if path.bounds().width() == 0.0 || path.bounds().height() == 0.0 {
                            return Through::Nothing;
                        }
                        cuts.push(Cut { path, rule, anti_alias: shape.anti_alias, transform: ts });
                        break;
                    }
                    Kind::Group(group) if group.layer.is_none_or(|layer| layer.clip.is_none()) => {
                        let Some(own) = self.values.place(group.place) else { return Through::Nothing };
                        (children, ts) = (&group.children, ts.pre_concat(own));
                    }
                    Kind::Shape(_) | Kind::Picture(_) => return Through::Nothing,
                    _ => return Through::Other,
                }
            }
            next = *clip;
        }
        Through::All
    }
}

impl Pen<'_> {
    /// Leaves of a layer what is within a clip path.
    pub(crate) fn clip(
        &mut self,
        clip: usize,
        context: Context,
        ts: Transform,
        pixmap: &mut Pixmap,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        let Clip { transform, clip, children, .. } = &plan.clips[clip];
        let mut around = self.memory.pixmap(pixmap.width(), pixmap.height()).ok_or(Whole)?;
        let inside = ts.pre_concat(*transform);
        self.on_skia(&mut around, Behind::Color(Color::BLACK), |pen, painter| {
            pen.clip_children(children, BlendMode::Clear, context, inside, painter)
        })?;
        if let Some(clip) = clip {
            self.clip(*clip, context, ts, pixmap)?;
        }
        cut(pixmap, &around);
        self.memory.give(around);
        Ok(())
    }

    fn clip_children(
        &mut self,
        children: &[usize],
        mode: BlendMode,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        for at in children {
            match &plan.nodes[*at].kind {
                Kind::Shape(shape) if shape.visible => self.fill(*at, shape, mode, context, ts, painter)?,
                Kind::Group(group) => {
                    let Some(own) = self.values.place(group.place) else { continue };
                    let ts = ts.pre_concat(own);
                    match group.layer.and_then(|layer| layer.clip) {
                        Some(clip) => self.clip_group(&group.children, clip, context, ts, painter)?,
                        None => self.clip_children(&group.children, mode, context, ts, painter)?,
                    }
                }
                Kind::Shape(_) | Kind::Picture(_) => {}
                // Nothing within a clip path comes and goes, changes places or is filtered.
                Kind::Actor { .. } | Kind::Siblings { .. } | Kind::Foreign(_) => return Err(Whole),
            }
        }
        Ok(())
    }

    /// What is clipped within a clip path is drawn on its own first.
    fn clip_group(
        &mut self,
        children: &[usize],
        clip: usize,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let (width, height) = painter.size();
        let mut own = self.memory.pixmap(width, height).ok_or(Whole)?;
        self.on_skia(&mut own, Behind::Clear, |pen, painter| {
            pen.clip_children(children, BlendMode::SourceOver, context, ts, painter)
        })?;
        self.clip(clip, context, ts, &mut own)?;
        let paint = PixmapPaint { blend_mode: BlendMode::Xor, ..PixmapPaint::default() };
        painter.pixels().draw_pixmap(0, 0, own.as_ref(), &paint, Transform::identity(), None);
        self.memory.give(own);
        Ok(())
    }

    /// Leaves of a layer what a mask shows.
    pub(crate) fn mask(
        &mut self,
        mask: usize,
        context: Context,
        ts: Transform,
        pixmap: &mut Pixmap,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        let mask = &plan.masks[mask];
        if mask.children.is_empty() {
            pixmap.fill(Color::TRANSPARENT);
            return Ok(());
        }
        let rect = mask.region.and_then(|k| self.values.regions.now[k]).unwrap_or(mask.rect);
        let mut shown = self.memory.pixmap(pixmap.width(), pixmap.height()).ok_or(Whole)?;
        let mut region = Mask::new(pixmap.width(), pixmap.height()).ok_or(Whole)?;
        region.fill_path(&PathBuilder::from_rect(rect.to_rect()), FillRule::Winding, true, ts);
        self.on(&mut shown, |pen, painter| pen.children(&mask.children, context, ts, painter))?;
        shown.apply_mask(&region);
        self.memory.give_mask(region);
        if let Some(mask) = mask.mask {
            self.mask(mask, context, ts, pixmap)?;
        }
        let seen = Mask::from_pixmap(shown.as_ref(), mask.kind);
        pixmap.apply_mask(&seen);
        self.memory.give(shown);
        self.memory.give_mask(seen);
        Ok(())
    }
}
