//! Poses, draws and encodes one frame. A thread keeps only scratch memory from frame to frame.

use bone_drawing::Skipped;
use bone_render::{Encoding, FrameContent, FrameEncoder, Pixmap};
use bone_rig::FrameState;

use super::plan::{PlannedFrame, RenderPlan};
use super::samples::Samples;
use crate::picture;

/// The memory of one thread.
pub(super) struct ThreadScratch {
    state: FrameState,
    pixmap: Option<Pixmap>,
    samples: Samples,
    encoder: FrameEncoder,
}

/// Facts about a drawn frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameReport {
    /// Whether an element stayed at rest or was left out, because its values cannot be written or drawn.
    pub(super) skipped: bool,
    /// Whether transparent pixels were flattened, because the encoding has no alpha.
    pub(super) flattened: bool,
    /// The same as in `bone_render::DrawReport`.
    pub(super) groups_by_resvg: usize,
    pub(super) fell_back: bool,
}

impl ThreadScratch {
    pub(super) fn new(plan: &RenderPlan<'_>) -> Self {
        let state = plan.state.clone();
        Self { state, pixmap: None, samples: Samples::default(), encoder: FrameEncoder::new() }
    }

    /// Poses a frame.
    pub(super) fn pose(
        &mut self,
        plan: &RenderPlan<'_>,
        planned_frame: PlannedFrame<'_>,
    ) -> Result<&FrameState, String> {
        let PlannedFrame { planned, frame, time, .. } = planned_frame;
        let moment = plan.played.as_ref().and_then(|played| played.moment(frame));
        let posed = match moment {
            Some(moment) => plan.scene.show(moment, &plan.overrides, None, &mut self.state),
            None => plan.scene.pose_with(planned.clip, time, &plan.overrides, &mut self.state),
        };
        posed.map_err(|error| error.to_string())?;
        Ok(&self.state)
    }

    /// Draws the frame that is posed and writes its encoded bytes into `bytes`.
    pub(super) fn draw(&mut self, plan: &RenderPlan<'_>, bytes: &mut Vec<u8>) -> Result<FrameReport, String> {
        let message = |error: &dyn std::error::Error| error.to_string();
        let scene = plan.scene;
        if plan.encoding == Encoding::Svg {
            let skipped = scene.write_svg_view(&mut self.state, &plan.view) != Skipped::default();
            let overlay = plan.overlay.as_ref();
            let covered =
                overlay.map(|overlay| overlay.write_into(scene, &self.state, &plan.view, self.state.svg()));
            let content = FrameContent::Svg(covered.as_deref().unwrap_or(self.state.svg()));
            self.encoder.encode(plan.encoding, content, bytes).map_err(|e| message(&e))?;
            return Ok(FrameReport { skipped, ..FrameReport::default() });
        }
        let size = plan.view.size;
        let pixmap = match &mut self.pixmap {
            Some(pixmap) => pixmap,
            none => none
                .insert(Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the frame")?),
        };
        let drawn = match plan.samples {
            1 => scene.draw_into(&mut self.state, &plan.view, pixmap.data_mut()).map_err(|e| message(&e))?,
            samples => self.samples.draw(scene, &mut self.state, &plan.view, samples, pixmap)?,
        };
        if let Some(overlay) = &plan.overlay {
            picture::draw_over(overlay, scene, &self.state, &plan.view, pixmap)?;
        }
        let flattened = plan.encoding == Encoding::Y4m && pixmap.pixels().iter().any(|p| !p.is_opaque());
        self.encoder.encode(plan.encoding, FrameContent::Pixels(pixmap), bytes).map_err(|e| message(&e))?;
        Ok(FrameReport {
            skipped: drawn.skipped != Skipped::default() || drawn.left_out > 0,
            flattened,
            groups_by_resvg: drawn.groups_by_resvg,
            fell_back: drawn.fell_back,
        })
    }
}
