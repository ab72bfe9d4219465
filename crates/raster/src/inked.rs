//! Where a picture is not transparent.

use tiny_skia::{IntRect, Pixmap};

/// The smallest rectangle around all pixels that are not transparent.
pub fn inked(pixmap: &Pixmap) -> Option<IntRect> {
    let width = pixmap.width() as usize;
    let (mut left, mut right, mut top, mut bottom) = (width, 0, None, 0);
    for (y, row) in pixmap.data().chunks_exact(width * 4).enumerate() {
        let mut pixels = row.chunks_exact(4);
        let Some(first) = pixels.position(|pixel| pixel != [0; 4]) else { continue };
        let last = row.chunks_exact(4).rposition(|pixel| pixel != [0; 4]).unwrap_or(first);
        (left, right, bottom) = (left.min(first), right.max(last), y);
        top.get_or_insert(y);
    }
    let int = |n: usize| i32::try_from(n).ok();
    IntRect::from_ltrb(int(left)?, int(top?)?, int(right + 1)?, int(bottom + 1)?)
}
