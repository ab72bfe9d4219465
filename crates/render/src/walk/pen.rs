//! Walks the kept tree of a frame and has a painter draw it.
//! Each step is that of resvg 0.49, so that no pixel differs. Depth is bounded by `limits::MAX_DEPTH`.

use tiny_skia::{BlendMode, IntRect, Pixmap, Transform};

use super::boxes::Measure;
use super::memory::Memory;
use super::painter::{Behind, Coat, Painter, PainterKind, Skia};
use super::plan::{Ink, Kind, Plan, Shape};
use super::records::Part;
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
    pub(crate) painter: PainterKind,
    pub(crate) plan: &'a Plan,
    pub(crate) values: &'a Values,
    pub(crate) memory: &'a mut Memory,
}

impl Pen<'_> {
    pub(crate) fn measure(&mut self) -> Measure<'_> {
        Measure { plan: self.plan, values: self.values, memory: self.memory }
    }

    /// Draws on a picture of its own, that was clear until now.
    pub(crate) fn on(
        &mut self,
        pixmap: &mut Pixmap,
        draw: impl FnOnce(&mut Self, &mut dyn Painter) -> Result<(), Whole>,
    ) -> Result<(), Whole> {
        self.over(pixmap, Behind::Clear, draw)
    }

    /// Draws on a picture.
    pub(crate) fn over(
        &mut self,
        pixmap: &mut Pixmap,
        behind: Behind,
        draw: impl FnOnce(&mut Self, &mut dyn Painter) -> Result<(), Whole>,
    ) -> Result<(), Whole> {
        match self.painter {
            PainterKind::TinySkia => self.on_skia(pixmap, behind, draw),
            #[cfg(feature = "vello")]
            PainterKind::Vello => {
                let Some(scene) = super::painter::Scene::new(self.memory.scenes.pop(), pixmap) else {
                    self.memory.helped += 1;
                    return self.on_skia(pixmap, behind, draw);
                };
                let mut painter = super::painter::Vello::new(pixmap, scene, behind);
                let drawn = draw(self, &mut painter);
                let (scene, helped) = painter.finish();
                self.memory.helped += helped;
                self.memory.scenes.push(scene);
                drawn
            }
        }
    }

    /// Draws on a picture as tiny-skia does.
    pub(crate) fn on_skia(
        &mut self,
        pixmap: &mut Pixmap,
        behind: Behind,
        draw: impl FnOnce(&mut Self, &mut dyn Painter) -> Result<(), Whole>,
    ) -> Result<(), Whole> {
        // Each depth of layers finds the memory that it used before.
        let filler = self.memory.fillers.pop().unwrap_or_default();
        let mut painter = Skia::on(pixmap, behind, filler);
        let drawn = draw(self, &mut painter);
        self.memory.fillers.push(painter.finish());
        drawn
    }

    pub(crate) fn children(
        &mut self,
        children: &[usize],
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        children.iter().try_for_each(|at| self.node(*at, context, ts, painter))
    }

    pub(crate) fn node(
        &mut self,
        at: usize,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        match &plan.nodes[at].kind {
            Kind::Group(group) => {
                let Some(own) = self.values.place(group.place) else { return Ok(()) };
                let ts = ts.pre_concat(own);
                match group.layer {
                    None => self.children(&group.children, context, ts, painter),
                    Some(layer) => {
                        if self.at_once(at, &group.children, layer, context, ts, painter)? {
                            return Ok(());
                        }
                        let boxes = self.measure().group(at, group)?;
                        self.group(Some(at), &group.children, layer, boxes, context, ts, painter)
                    }
                }
            }
            Kind::Actor { actor, children } => match self.values.actors.now[*actor] {
                None => Ok(()),
                Some(None) => self.children(children, context, ts, painter),
                Some(Some(opacity)) => self.actor(at, children, opacity, context, ts, painter),
            },
            Kind::Siblings { group, items } => {
                let values = self.values;
                let order = &values.orders.now[*group];
                order.iter().try_for_each(|item| self.children(&items[*item], context, ts, painter))
            }
            Kind::Shape(shape) => self.shape(at, shape, BlendMode::SourceOver, context, ts, painter),
            Kind::Picture(k) => self.picture(*k, ts, painter),
            Kind::Foreign(k) => self.foreign(*k, context, ts, painter),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a shape is all of this")]
    fn shape(
        &mut self,
        at: usize,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        if !shape.visible {
            return Ok(());
        }
        if shape.stroke_first {
            self.stroke(at, shape, blend, context, ts, painter)?;
            self.fill(at, shape, blend, context, ts, painter)
        } else {
            self.fill(at, shape, blend, context, ts, painter)?;
            self.stroke(at, shape, blend, context, ts, painter)
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a fill is all of this")]
    pub(crate) fn fill(
        &mut self,
        at: usize,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let Some((ink, rule)) = &shape.fill else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline(&shape.outline) else { return Ok(()) };
        // Lines cannot be filled.
        if path.bounds().width() == 0.0 || path.bounds().height() == 0.0 {
            return Ok(());
        }
        let mut record = self.memory.records.lend(at, Part::Fill);
        let draw = |coat: &Coat<'_>| painter.fill_again(path, *rule, coat, ts, &mut record);
        let painted = self.painted(ink, shape, blend, context, ts, draw);
        self.memory.records.put(at, Part::Fill, record);
        painted
    }

    #[allow(clippy::too_many_arguments, reason = "a stroke is all of this")]
    fn stroke(
        &mut self,
        at: usize,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let Some((ink, line)) = &shape.stroke else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline(&shape.outline) else { return Ok(()) };
        let Some(stroke) = values.stroke(line) else { return Ok(()) };
        let mut record = self.memory.records.lend(at, Part::Stroke);
        let draw = |coat: &Coat<'_>| painter.stroke_again(path, &stroke, coat, ts, &mut record);
        let painted = self.painted(ink, shape, blend, context, ts, draw);
        self.memory.records.put(at, Part::Stroke, record);
        painted
    }

    fn painted(
        &mut self,
        ink: &Ink,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        draw: impl FnOnce(&Coat<'_>),
    ) -> Result<(), Whole> {
        let tile = self.tile(ink, context, ts)?;
        if let Some(dye) = self.dye(ink, tile.as_ref()) {
            draw(&Coat { dye, blend, anti_alias: shape.anti_alias });
        }
        self.keep_tile(ink, tile);
        Ok(())
    }
}
