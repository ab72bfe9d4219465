//! Draws the items of a frame in order, and caches pictures of its beginning: what did not change since the
//! last frame is copied. Only beginnings are cached, because only there the pixels are the same to the bit.

use std::sync::{Arc, Mutex, PoisonError};

use bone_drawing::Drawing;
use bone_raster::{Backdrop, Painter};
use tiny_skia::{Color, PixmapMut, Transform};

use super::draw::{DrawContext, FrameRenderer, RenderItem};
use super::values::Unsupported;

/// Larger frames are not kept: each picture takes as much memory as the frame.
const MAX_KEPT_PIXELS: usize = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct CachedBackground {
    /// The frame size and background of the pictures.
    made_for: Option<MadeFor>,
    /// Everything before the first item that can move.
    fixed: Option<Arc<FixedPicture>>,
    /// The newest of those that the renderers of all threads made.
    shared: SharedPicture,
    /// Everything before the first item that moved in the last frames.
    calm: Option<BackgroundSnapshot>,
    /// How many items did not change from the frame before the last to the last.
    calm_before: usize,
    items: Vec<RenderItem>,
    /// Those of the last frame.
    before: Vec<RenderItem>,
}

type MadeFor = (u32, u32, [u8; 4]);

/// The picture of what cannot move, for all renderers that were cloned from one another: it is as large as a frame.
#[derive(Clone, Debug, Default)]
struct SharedPicture {
    picture: Arc<Mutex<Option<Arc<FixedPicture>>>>,
    /// Held by the one that makes it: others would take as long, and keep one more each.
    making: Arc<Mutex<()>>,
}

impl SharedPicture {
    fn newest(&self) -> Option<Arc<FixedPicture>> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, picture: &Arc<FixedPicture>) {
        *self.picture.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(picture));
    }
}

#[derive(Debug)]
struct FixedPicture {
    drawing: Arc<Drawing>,
    dither: bool,
    made_for: MadeFor,
    /// What is in it: nothing but the view decides how it looks.
    items: Vec<(usize, Transform)>,
    pixels: Vec<u8>,
}

impl FixedPicture {
    /// Whether it is the beginning of a frame.
    fn fits(&self, drawing: &Arc<Drawing>, dither: bool, made_for: MadeFor, items: &[RenderItem]) -> bool {
        let same =
            |((node, ts), item): (&(usize, Transform), &RenderItem)| *node == item.node && *ts == item.ts;
        Arc::ptr_eq(&self.drawing, drawing)
            && self.dither == dither
            && self.made_for == made_for
            && self.items.len() == items.len()
            && self.items.iter().zip(items).all(same)
    }
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
        let Self { shared, mut items, mut before, .. } = std::mem::take(self);
        items.clear();
        before.clear();
        *self = Self { shared, items, before, ..Self::default() };
    }

    /// Without pictures of its own; what cannot move is drawn by one of both.
    pub(crate) fn sibling(&self) -> Self {
        Self { shared: self.shared.clone(), ..Self::default() }
    }

    pub(crate) fn draw(
        &mut self,
        drawing: &Arc<Drawing>,
        draw: &mut FrameRenderer<'_>,
        context: DrawContext,
        ts: Transform,
        behind: [u8; 4],
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<(), Unsupported> {
        let made_for = (pixmap.width(), pixmap.height(), behind);
        if self.made_for != Some(made_for) {
            self.clear();
            self.made_for = Some(made_for);
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
        let dither = draw.dither;
        let at_rest = &self.items[..fixed];
        let fits = |picture: &Arc<FixedPicture>| picture.fits(drawing, dither, made_for, at_rest);
        let keeps = pixmap.pixels_mut().len() <= MAX_KEPT_PIXELS;
        let making = Arc::clone(&self.shared.making);
        let mut turn = None;
        if !self.fixed.as_ref().is_some_and(fits) {
            turn = (keeps && fixed > 0).then(|| making.lock().unwrap_or_else(PoisonError::into_inner));
            self.fixed = self.shared.newest().filter(fits);
        }
        if self.fixed.is_some() {
            turn = None;
        }
        let calm_picture = self.calm.as_ref().map(|snapshot| (snapshot.items, &snapshot.pixels));
        let fixed_picture = || self.fixed.as_ref().map(|picture| (picture.items.len(), &picture.pixels));
        let (begin, behind) = match calm_picture.or_else(fixed_picture) {
            Some((items, pixels)) => {
                pixmap.data_mut().copy_from_slice(pixels);
                (items, Backdrop::Pixels)
            }
            None => {
                let [red, green, blue, alpha] = behind;
                (0, Backdrop::Color(Color::from_rgba8(red, green, blue, alpha)))
            }
        };
        let Self { items, fixed: kept_fixed, calm: kept_calm, shared, .. } = self;
        let (width, height) = (pixmap.width(), pixmap.height());
        let again = PixmapMut::from_bytes(pixmap.data_mut(), width, height).ok_or(Unsupported)?;
        draw.over(again, behind, |draw, painter| {
            for at in begin..=all {
                let pixels = |painter: &mut Painter<'_>| painter.pixels().data_mut().to_vec();
                if keeps && at == fixed && at > 0 && kept_fixed.is_none() {
                    let items = items[..fixed].iter().map(|item| (item.node, item.ts)).collect();
                    let drawing = Arc::clone(drawing);
                    let picture =
                        Arc::new(FixedPicture { drawing, dither, made_for, items, pixels: pixels(painter) });
                    shared.set(&picture);
                    turn = None;
                    *kept_fixed = Some(picture);
                } else if keeps && at == calm && at > begin {
                    *kept_calm = Some(BackgroundSnapshot { items: at, pixels: pixels(painter) });
                }
                if let Some(item) = items.get(at) {
                    draw.node(item.node, context, item.ts, painter)?;
                }
            }
            Ok(())
        })
    }
}
