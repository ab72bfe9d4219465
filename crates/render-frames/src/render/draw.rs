//! One frame: posed, drawn, encoded. What a thread keeps from frame to frame is memory alone.
//! Refuses to know where the frame goes.

use ::render::{Encoding, FrameContent, FrameEncoder, Pixmap};
use drawing::Skipped;
use rig::FrameState;

use super::plan::{Piece, Plan};
use crate::picture;

/// One thread's memory.
pub(super) struct Scratch {
    state: FrameState,
    pixmap: Option<Pixmap>,
    encoder: FrameEncoder,
}

/// What there is to tell of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drawn {
    /// Something stayed at rest because its numbers fit no SVG.
    pub(super) skipped: bool,
    /// Something was see-through, and the encoding has no alpha.
    pub(super) flattened: bool,
    /// What `render::DrawReport` tells.
    pub(super) groups_by_resvg: usize,
    pub(super) fell_back: bool,
}

impl Scratch {
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let state = FrameState::new(plan.scene);
        Self { state, pixmap: None, encoder: FrameEncoder::new() }
    }

    /// Draws a frame and writes what it is encoded as into `bytes`.
    pub(super) fn frame(
        &mut self,
        plan: &Plan<'_>,
        piece: Piece<'_>,
        bytes: &mut Vec<u8>,
    ) -> Result<Drawn, String> {
        let words = |error: &dyn std::error::Error| error.to_string();
        let scene = plan.scene;
        scene.pose(piece.shot.clip, piece.time, &mut self.state).map_err(|e| words(&e))?;
        if plan.encoding == Encoding::Svg {
            let skipped = scene.write_svg(&mut self.state) != Skipped::default();
            let covered =
                plan.overlay.as_ref().map(|overlay| overlay.write_into(scene, &self.state, self.state.svg()));
            let content = FrameContent::Svg(covered.as_deref().unwrap_or(self.state.svg()));
            self.encoder.encode(plan.encoding, content, bytes).map_err(|e| words(&e))?;
            return Ok(Drawn { skipped, ..Drawn::default() });
        }
        let size = plan.options.size;
        let pixmap = match &mut self.pixmap {
            Some(pixmap) => pixmap,
            none => none
                .insert(Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the frame")?),
        };
        let drawn = scene.draw(&mut self.state, &plan.options, pixmap).map_err(|e| words(&e))?;
        if let Some(overlay) = &plan.overlay {
            picture::draw_over(overlay, scene, &self.state, pixmap)?;
        }
        let flattened = plan.encoding == Encoding::Y4m && pixmap.pixels().iter().any(|p| !p.is_opaque());
        self.encoder.encode(plan.encoding, FrameContent::Pixels(pixmap), bytes).map_err(|e| words(&e))?;
        Ok(Drawn {
            skipped: drawn.skipped != Skipped::default(),
            flattened,
            groups_by_resvg: drawn.groups_by_resvg,
            fell_back: drawn.fell_back,
        })
    }
}
