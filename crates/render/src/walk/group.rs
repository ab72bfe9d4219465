//! Groups that are drawn on their own before they come onto what is behind them: opacity, blend modes, clips and masks.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{BlendMode, IntRect, Transform};

use super::boxes::Boxes;
use super::clip::Through;
use super::memory::KeptLayer;
use super::painter::{Painter, PainterKind};
use super::pen::{Context, Pen};
use super::plan::Layer;
use super::values::Whole;

impl Pen<'_> {
    /// An element that is neither solid nor clear.
    pub(crate) fn actor(
        &mut self,
        at: usize,
        children: &[usize],
        opacity: f32,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        if opacity == 1.0 {
            // So near to it that an f32 does not tell.
            return self.children(children, context, ts, painter);
        }
        let layer = Layer { opacity, blend: BlendMode::SourceOver, clip: None, mask: None };
        if self.at_once(at, children, layer, context, ts, painter)? {
            return Ok(());
        }
        let boxes = self.measure().actor(children)?;
        self.group(Some(at), children, layer, boxes, context, ts, painter)
    }

    /// Draws a group as a whole without a picture of its own, if it is of a kind that the painter takes.
    pub(crate) fn at_once(
        &mut self,
        at: usize,
        children: &[usize],
        layer: Layer,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<bool, Whole> {
        if self.painter == PainterKind::TinySkia || layer.mask.is_some() || !self.plan.nodes[at].plain {
            return Ok(false);
        }
        let mut cuts = Vec::new();
        let cut = layer.clip.map_or(Through::All, |clip| self.cuts(clip, ts, &mut cuts));
        match cut {
            Through::Nothing => return Ok(true),
            Through::Other => return Ok(false),
            Through::All => {}
        }
        if !painter.begin(layer.opacity, &cuts) {
            return Ok(false);
        }
        let drawn = self.children(children, context, ts, painter);
        painter.end();
        drawn.map(|()| true)
    }

    #[allow(clippy::too_many_arguments, reason = "a group is all of this")]
    pub(crate) fn group(
        &mut self,
        at: Option<usize>,
        children: &[usize],
        layer: Layer,
        boxes: Boxes,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let Some(place) = layer_place(boxes, context, ts) else { return Ok(()) };
        self.memory.helped += usize::from(self.painter != PainterKind::TinySkia);
        let kept = at.and_then(|at| self.memory.take_layer(at, ts, context.bounds));
        let drawn = match kept {
            Some(kept) => kept,
            None => {
                let Some(mut own) = self.memory.pixmap(place.width(), place.height()) else {
                    return Ok(());
                };
                let inside = shifted(place, ts);
                self.on(&mut own, |pen, painter| pen.children(children, context, inside, painter))?;
                if let Some(clip) = layer.clip {
                    self.clip(clip, context, inside, &mut own)?;
                }
                if let Some(mask) = layer.mask {
                    self.mask(mask, context, inside, &mut own)?;
                }
                KeptLayer { transform: ts, bounds: context.bounds, at: place, pixmap: own }
            }
        };
        painter.layer(&drawn.pixmap, drawn.at, layer.opacity, layer.blend);
        self.memory.put_layer(at, drawn);
        Ok(())
    }
}

/// Where the layer of a group without filters lies.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn layer_place(boxes: Boxes, context: Context, ts: Transform) -> Option<IntRect> {
    let bounds = context.bounds.to_rect().transform(Transform::identity())?.round_out()?;
    let cover = boxes.layer.transform(ts)?;
    // Two pixels on each side for what is antialiased.
    let place = IntRect::from_xywh(
        (cover.x().floor() as i32).checked_sub(2)?,
        (cover.y().floor() as i32).checked_sub(2)?,
        (cover.width().ceil() as u32).checked_add(4)?,
        (cover.height().ceil() as u32).checked_add(4)?,
    )?;
    fit(place, bounds)
}

/// A rectangle cut to another one.
pub(crate) fn fit(rect: IntRect, bounds: IntRect) -> Option<IntRect> {
    IntRect::from_ltrb(
        rect.left().max(bounds.left()),
        rect.top().max(bounds.top()),
        rect.right().min(bounds.right()),
        rect.bottom().min(bounds.bottom()),
    )
}

/// The transform within a layer.
#[allow(clippy::cast_precision_loss, reason = "as resvg does")]
fn shifted(place: IntRect, ts: Transform) -> Transform {
    Transform::from_translate(-(place.x() as f32), -(place.y() as f32)).pre_concat(ts)
}
