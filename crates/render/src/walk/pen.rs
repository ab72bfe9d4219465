//! Walks the kept tree of a frame and draws it with tiny-skia.
//! Each step is that of resvg 0.49, so that no pixel differs. Depth is bounded by `limits::MAX_DEPTH`.

use tiny_skia::{BlendMode, IntRect, Paint, PixmapMut, Transform};

use super::boxes::Measure;
use super::memory::Memory;
use super::plan::{Ink, Kind, Plan, Shape};
use super::values::{Values, Whole};

/// What is the same for all that is drawn into a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Beyond this nothing is drawn, in the picture's pixels.
    pub(crate) bounds: IntRect,
    /// The size of the frame.
    pub(crate) frame: (u32, u32),
}

pub(crate) struct Pen<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) values: &'a Values,
    pub(crate) memory: &'a mut Memory,
}

impl Pen<'_> {
    pub(crate) fn measure(&mut self) -> Measure<'_> {
        Measure { plan: self.plan, values: self.values, memory: self.memory }
    }

    pub(crate) fn children(
        &mut self,
        children: &[usize],
        context: Context,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Whole> {
        children.iter().try_for_each(|at| self.node(*at, context, ts, pixmap))
    }

    pub(crate) fn node(
        &mut self,
        at: usize,
        context: Context,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        match &plan.nodes[at].kind {
            Kind::Group(group) => {
                let Some(own) = self.values.place(group.place) else { return Ok(()) };
                let ts = ts.pre_concat(own);
                match group.layer {
                    None => self.children(&group.children, context, ts, pixmap),
                    Some(layer) => {
                        let boxes = self.measure().group(at, group)?;
                        self.group(Some(at), &group.children, layer, boxes, context, ts, pixmap)
                    }
                }
            }
            Kind::Actor { actor, children } => match self.values.actors.now[*actor] {
                None => Ok(()),
                Some(None) => self.children(children, context, ts, pixmap),
                Some(Some(opacity)) => self.actor(at, children, opacity, context, ts, pixmap),
            },
            Kind::Siblings { group, items } => {
                let values = self.values;
                let order = &values.orders.now[*group];
                order.iter().try_for_each(|item| self.children(&items[*item], context, ts, pixmap))
            }
            Kind::Shape(shape) => self.shape(shape, BlendMode::SourceOver, context, ts, pixmap),
            Kind::Picture(k) => self.picture(*k, ts, pixmap),
            Kind::Foreign(k) => self.foreign(*k, context, ts, pixmap),
        }
    }

    fn shape(
        &mut self,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Whole> {
        if !shape.visible {
            return Ok(());
        }
        if shape.stroke_first {
            self.stroke(shape, blend, context, ts, pixmap)?;
            self.fill(shape, blend, context, ts, pixmap)
        } else {
            self.fill(shape, blend, context, ts, pixmap)?;
            self.stroke(shape, blend, context, ts, pixmap)
        }
    }

    pub(crate) fn fill(
        &mut self,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Whole> {
        let Some((ink, rule)) = &shape.fill else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline(&shape.outline) else { return Ok(()) };
        // Lines cannot be filled.
        if path.bounds().width() == 0.0 || path.bounds().height() == 0.0 {
            return Ok(());
        }
        self.painted(ink, shape, blend, context, ts, |paint| pixmap.fill_path(path, paint, *rule, ts, None))
    }

    fn stroke(
        &mut self,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Whole> {
        let Some((ink, line)) = &shape.stroke else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline(&shape.outline) else { return Ok(()) };
        let Some(stroke) = values.stroke(line) else { return Ok(()) };
        self.painted(ink, shape, blend, context, ts, |paint| {
            pixmap.stroke_path(path, paint, &stroke, ts, None);
        })
    }

    fn painted(
        &mut self,
        ink: &Ink,
        shape: &Shape,
        blend_mode: BlendMode,
        context: Context,
        ts: Transform,
        draw: impl FnOnce(&Paint<'_>),
    ) -> Result<(), Whole> {
        let tile = self.tile(ink, context, ts)?;
        if let Some(shader) = self.shader(ink, tile.as_ref()) {
            draw(&Paint { shader, blend_mode, anti_alias: shape.anti_alias, ..Paint::default() });
        }
        self.keep_tile(ink, tile);
        Ok(())
    }
}
