//! Draws frames without a text: usvg's tree is kept from load, and a frame's numbers are put into it on the way.
//! The way by text ([`Raster`]) judges it: every pixel is the same. What the walker cannot draw is drawn that way, and counted.

mod blend;
mod boxes;
mod build;
mod clip;
mod cut;
mod foreign;
mod ground;
mod group;
mod ink;
mod marks;
mod memory;
mod painter;
mod pen;
mod picture;
mod plan;
mod records;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tiny_skia::{IntRect, Pixmap};

use crate::given::Given;
use crate::posed::Skipped;
use crate::raster::{FrameOptions, Raster, RasterError, narrow};
use crate::template::Template;

use ground::Ground;
use memory::Memory;
pub use painter::PainterKind;
use pen::{Context, Pen};
pub(crate) use plan::Plan;
use values::{Values, Whole};

/// Draws the frames of a template, one after the other: what one thread keeps from frame to frame.
///
/// A frame's pixels depend on what it is given alone, never on the frames before.
#[derive(Debug, Default)]
pub struct Walker {
    plan: Option<Arc<Plan>>,
    values: Values,
    memory: Memory,
    ground: Ground,
    painter: PainterKind,
    /// For frames that cannot be walked.
    text: String,
}

/// What came of drawing a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// What stayed at rest.
    pub skipped: Skipped,
    /// How many groups with filters were drawn by resvg from a text of their own.
    pub groups_by_text: usize,
    /// Whether the whole frame was.
    pub whole_by_text: bool,
    /// How often tiny-skia did what the chosen painter cannot: groups that are masked, blend or are cut by more than outlines,
    /// large images.
    pub helped: usize,
}

impl Clone for Walker {
    /// Another one that starts anew, with the same painter.
    fn clone(&self) -> Self {
        Self::with(self.painter)
    }
}

impl Walker {
    /// A walker that has drawn nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A walker that has drawn nothing yet, and has this painter draw.
    pub fn with(painter: PainterKind) -> Self {
        Self { painter, ..Self::default() }
    }

    /// Draws a frame. The pixmap is given the frame's size, keeping its memory if it has it already.
    ///
    /// # Errors
    /// If there is no memory for the frame, or a pattern is too large to draw.
    pub fn draw(
        &mut self,
        template: &Template,
        given: &Given<'_>,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<Drawn, RasterError> {
        let size = options.size;
        if (pixmap.width(), pixmap.height()) != (size.width(), size.height()) {
            *pixmap = Pixmap::new(size.width(), size.height()).ok_or(RasterError::NoMemory { size })?;
        }
        let walked = catch_unwind(AssertUnwindSafe(|| self.walk(template, given, options, pixmap)));
        if let Ok(Ok(drawn)) = walked {
            return Ok(drawn);
        }
        self.forget();
        let skipped = template.write_given(given, &mut self.text);
        Raster::default().draw(&self.text, options, pixmap)?;
        Ok(Drawn { skipped, whole_by_text: true, ..Drawn::default() })
    }

    fn walk(
        &mut self,
        template: &Template,
        given: &Given<'_>,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<Drawn, Whole> {
        let plan = template.plan().ok_or(Whole)?;
        let is_first = !self.plan.as_ref().is_some_and(|known| Arc::ptr_eq(known, plan));
        if is_first {
            self.forget();
            self.memory = Memory::new(plan);
            self.plan = Some(Arc::clone(plan));
        }
        self.values.next(template, plan, given)?;
        foreign::refresh(plan, template, given, &mut self.memory.foreign)?;
        let frame = (pixmap.width(), pixmap.height());
        self.memory.refresh(plan, &self.values, frame, is_first);
        (self.memory.by_resvg, self.memory.helped) = (0, 0);
        let [a, b, c, d, e, f] = options.size.fit(plan.size).as_coeffs().map(narrow);
        let ts = tiny_skia::Transform::from_row(a, b, c, d, e, f);
        let context = Context { bounds: bounds(frame).ok_or(Whole)?, frame };
        let behind = options.background.map_or([0; 4], |background| background.rgba);
        let mut pen = Pen { painter: self.painter, plan, values: &self.values, memory: &mut self.memory };
        self.ground.draw(&mut pen, context, ts, behind, pixmap)?;
        let skipped = self.values.skipped;
        let Memory { by_resvg: groups_by_text, helped, .. } = self.memory;
        Ok(Drawn { skipped, groups_by_text, whole_by_text: false, helped })
    }

    /// Starts anew.
    fn forget(&mut self) {
        self.plan = None;
        self.values = Values::default();
        self.memory = Memory::default();
        self.ground.clear();
    }
}

/// What is further from a frame than twice its size is not drawn, as resvg has it.
fn bounds((width, height): (u32, u32)) -> Option<IntRect> {
    let twice = |n: u32| i32::try_from(n).unwrap_or(i32::MAX).saturating_mul(-2);
    IntRect::from_xywh(twice(width), twice(height), width.saturating_mul(5), height.saturating_mul(5))
        .or_else(|| IntRect::from_ltrb(i32::MIN / 2, i32::MIN / 2, i32::MAX / 2, i32::MAX / 2))
}

/// The plan of a template, if it can be walked.
pub(crate) fn plan(template: &Template) -> Option<Arc<Plan>> {
    catch_unwind(AssertUnwindSafe(|| build::plan(template))).ok().flatten().map(Arc::new)
}
