//! Draws the items of a frame in order, and caches pictures of its beginning: what did not change since the
//! last frame is copied. Only beginnings are cached, because only there the pixels are the same to the bit.

use bone_raster::{Backdrop, Painter};
use tiny_skia::{Color, PixmapMut, Transform};

use super::draw::{DrawContext, FrameRenderer, RenderItem};
use super::values::Unsupported;

/// Larger frames are not kept: each picture takes as much memory as the frame.
const MAX_KEPT_PIXELS: usize = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct CachedBackground {
    /// The frame size and background of the pictures.
    made_for: Option<(u32, u32, [u8; 4])>,
    /// Everything before the first item that can move.
    fixed: Option<BackgroundSnapshot>,
    /// Everything before the first item that moved in the last frames.
    calm: Option<BackgroundSnapshot>,
    /// How many items did not change from the frame before the last to the last.
    calm_before: usize,
    items: Vec<RenderItem>,
    /// Those of the last frame.
    before: Vec<RenderItem>,
}

/// How a frame begins.
#[derive(Debug)]
struct BackgroundSnapshot {
    /// How many of the items are in it.
    items: usize,
    pixels: Vec<u8>,
}

fn is_same(a: &RenderItem, b: &RenderItem) -> bool {
    a.node == b.node && a.ts == b.ts
}

impl CachedBackground {
    /// Drops the pictures.
    pub(crate) fn clear(&mut self) {
        let (mut items, mut before) = (std::mem::take(&mut self.items), std::mem::take(&mut self.before));
        items.clear();
        before.clear();
        *self = Self { items, before, ..Self::default() };
    }

    pub(crate) fn draw(
        &mut self,
        draw: &mut FrameRenderer<'_>,
        context: DrawContext,
        ts: Transform,
        behind: [u8; 4],
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Unsupported> {
        let made_for = Some((pixmap.width(), pixmap.height(), behind));
        if self.made_for != made_for {
            self.clear();
            self.made_for = made_for;
        }
        std::mem::swap(&mut self.items, &mut self.before);
        self.items.clear();
        draw.list(&draw.tree.roots, ts, &mut self.items);
        let all = self.items.len();
        let pairs = || self.items.iter().zip(&self.before);
        let unchanged = pairs().take_while(|(now, before)| is_same(now, before) && !now.changed).count();
        // Draw order can put moving items before fixed ones, so the items decide, not the tree.
        let fixed = self.items.iter().take_while(|item| !item.moves).count();
        let calm = unchanged.min(self.calm_before);
        self.calm_before = unchanged;
        if self.calm.as_ref().is_some_and(|snapshot| snapshot.items > unchanged) {
            self.calm = None;
        }
        if self.fixed.as_ref().is_some_and(|snapshot| snapshot.items > unchanged) {
            self.fixed = None;
        }
        let (begin, behind) = match self.calm.as_ref().or(self.fixed.as_ref()) {
            Some(snapshot) => {
                pixmap.data_mut().copy_from_slice(&snapshot.pixels);
                (snapshot.items, Backdrop::Pixels)
            }
            None => {
                let [red, green, blue, alpha] = behind;
                (0, Backdrop::Color(Color::from_rgba8(red, green, blue, alpha)))
            }
        };
        let keeps = pixmap.pixels_mut().len() <= MAX_KEPT_PIXELS;
        let (items, kept_fixed, kept_calm) = (&self.items, &mut self.fixed, &mut self.calm);
        let (width, height) = (pixmap.width(), pixmap.height());
        let again = PixmapMut::from_bytes(pixmap.data_mut(), width, height).ok_or(Unsupported)?;
        draw.over(again, behind, |draw, painter| {
            for at in begin..=all {
                let snapshot = |painter: &mut Painter<'_>| {
                    Some(BackgroundSnapshot { items: at, pixels: painter.pixels().data_mut().to_vec() })
                };
                if keeps && at == fixed && at > 0 && kept_fixed.is_none() {
                    *kept_fixed = snapshot(painter);
                } else if keeps && at == calm && at > begin {
                    *kept_calm = snapshot(painter);
                }
                if let Some(item) = items.get(at) {
                    draw.node(item.node, context, item.ts, painter)?;
                }
            }
            Ok(())
        })
    }
}
