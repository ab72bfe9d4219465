//! What a frame adds to the one before: the rectangle that changed, which pixels of it did, and what the
//! frame before leaves on the canvas. Animated PNG and WebP have the same means.

use crate::raster::{PixelRect, PixelSize, Rgba, bounds, visible};

/// So many unchanged pixels between changed ones are written as they are. More take longer than the ends of a
/// run.
const FEW: usize = 6;

/// What happens to the rectangle of a frame when it ends. APNG could restore what was there before, too, which
/// saves little and is not drawn alike by all readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Disposal {
    Keep,
    Clear,
}

/// How frames may follow each other in a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameRules {
    /// Whether frames have alpha.
    pub(crate) alpha: bool,
    /// Whether rectangles begin at even places.
    pub(crate) even: bool,
}

/// A frame whose disposal is known when the next one is.
struct PendingDifference {
    /// What the canvas has before the frame, and with it.
    before: Vec<Rgba>,
    frame: Vec<Rgba>,
    rect: PixelRect,
    first: u64,
}

/// A frame of the file.
pub(crate) struct Difference {
    pub(crate) rect: PixelRect,
    /// The pixels of the rectangle, and whether each is as it was.
    pub(crate) pixels: Vec<Rgba>,
    unchanged: Vec<bool>,
    /// Whether it may be drawn over what is shown: all pixels that changed are opaque. Readers round where a
    /// pixel is transparent in part, even above nothing.
    can_be_over: bool,
    pub(crate) disposal: Disposal,
    /// The frames of the clip that look like this.
    pub(crate) first: u64,
    pub(crate) end: u64,
}

impl Difference {
    pub(crate) fn bytes(&self) -> usize {
        self.pixels.len() * 5
    }

    /// Whether at least half of the pixels of the rectangle are other ones.
    pub(crate) fn changes_most(&self) -> bool {
        2 * self.unchanged.iter().filter(|same| **same).count() <= self.unchanged.len()
    }

    /// The pixels to draw over what is shown, if they may be. Unchanged ones are `clear`, but where they
    /// continue the colour beside them, or are few: one run is shorter than three.
    pub(crate) fn over(&self, clear: Rgba) -> Option<Vec<Rgba>> {
        if !self.can_be_over {
            return None;
        }
        let width = self.rect.width as usize;
        let mut out = Vec::with_capacity(self.pixels.len());
        for (row, same) in self.pixels.chunks_exact(width).zip(self.unchanged.chunks_exact(width)) {
            let mut start = 0;
            for run in same.chunk_by(|a, b| a == b) {
                let end = start + run.len();
                let pixels = &row[start..end];
                // From both ends, what is like the pixel beyond; opaque, so that it can be drawn again.
                let before = start.checked_sub(1).map(|at| row[at]).filter(|pixel| pixel[3] == 255);
                let after = row.get(end).copied().filter(|pixel| pixel[3] == 255);
                let lead = pixels.iter().take_while(|pixel| Some(**pixel) == before).count();
                let tail = pixels.iter().rev().take_while(|pixel| Some(**pixel) == after).count();
                let is_few = run.len() <= FEW && pixels.iter().all(|pixel| pixel[3] == 255);
                if run[0] && lead + tail < run.len() && !is_few {
                    out.extend(std::iter::repeat_n(clear, run.len()));
                } else {
                    out.extend_from_slice(pixels);
                }
                start = end;
            }
        }
        Some(out)
    }
}

/// Finds the differences of frames that come in order.
pub(crate) struct FrameDifferences {
    size: PixelSize,
    rules: FrameRules,
    pending: Option<PendingDifference>,
    incoming: Vec<Rgba>,
    pushed: u64,
}

impl FrameDifferences {
    pub(crate) fn new(size: PixelSize, rules: FrameRules) -> Self {
        Self { size, rules, pending: None, incoming: Vec::new(), pushed: 0 }
    }

    /// How many frames came.
    pub(crate) fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Takes the next frame: straight RGBA, of the right size. The frame before is finished, unless this one
    /// looks the same.
    pub(crate) fn push(&mut self, frame: &[u8]) -> Option<Difference> {
        visible(frame, &mut self.incoming);
        let number = self.pushed;
        self.pushed += 1;
        let Some(mut pending) = self.pending.take() else {
            let (before, frame) = (vec![[0; 4]; self.size.area()], std::mem::take(&mut self.incoming));
            self.pending = Some(PendingDifference { before, frame, rect: self.size.whole(), first: 0 });
            return None;
        };
        if pending.frame == self.incoming {
            self.pending = Some(pending);
            return None;
        }
        let disposal = self.disposal(&pending);
        let difference = self.difference(&pending, number, disposal);
        // What the canvas has before the new frame.
        match disposal {
            Disposal::Keep => std::mem::swap(&mut pending.before, &mut pending.frame),
            Disposal::Clear => {
                pending.rect.rows(self.size.width).for_each(|row| pending.frame[row].fill([0; 4]));
                std::mem::swap(&mut pending.before, &mut pending.frame);
            }
        }
        std::mem::swap(&mut pending.frame, &mut self.incoming);
        let (before, frame) = (&pending.before, &pending.frame);
        let changed = bounds(self.size, |at| before[at] != frame[at]);
        // A frame that shows what is left changes nothing; its rectangle has a pixel all the same.
        pending.rect = self.even(changed.unwrap_or(PixelRect { x: 0, y: 0, width: 1, height: 1 }));
        pending.first = number;
        self.pending = Some(pending);
        Some(difference)
    }

    /// The last frame.
    pub(crate) fn finish(&mut self) -> Option<Difference> {
        let pending = self.pending.take()?;
        Some(self.difference(&pending, self.pushed, Disposal::Keep))
    }

    fn even(&self, rect: PixelRect) -> PixelRect {
        if !self.rules.even {
            return rect;
        }
        let (left, up) = (rect.x % 2, rect.y % 2);
        PixelRect { x: rect.x - left, y: rect.y - up, width: rect.width + left, height: rect.height + up }
    }

    /// What the pending frame leaves, so that the fewest pixels have to be written for the next one.
    fn disposal(&self, pending: &PendingDifference) -> Disposal {
        let next = &self.incoming;
        let cost = |base: &dyn Fn(usize) -> Rgba| {
            let Some(rect) = bounds(self.size, |at| base(at) != next[at]) else { return 0 };
            let (mut changed, mut over) = (0, true);
            for at in rect.rows(self.size.width).flatten() {
                if base(at) != next[at] {
                    changed += 1;
                    over &= next[at][3] == 255;
                }
            }
            if over { changed } else { rect.area() }
        };
        let mut best = (cost(&|at| pending.frame[at]), Disposal::Keep);
        if best.0 > 0 && self.rules.alpha {
            let PixelRect { x, y, width, height } = pending.rect;
            let columns = self.size.width as usize;
            let (across, down) = (x as usize..(x + width) as usize, y as usize..(y + height) as usize);
            let cleared = cost(&|at| {
                let inside = across.contains(&(at % columns)) && down.contains(&(at / columns));
                if inside { [0; 4] } else { pending.frame[at] }
            });
            best = best.min((cleared, Disposal::Clear));
        }
        best.1
    }

    fn difference(&self, pending: &PendingDifference, end: u64, disposal: Disposal) -> Difference {
        let PendingDifference { before, frame, rect, first } = pending;
        let mut pixels = Vec::with_capacity(rect.area());
        let mut unchanged = Vec::with_capacity(rect.area());
        let mut can_be_over = *first > 0;
        for row in rect.rows(self.size.width) {
            for (old, new) in before[row.clone()].iter().zip(&frame[row]) {
                pixels.push(*new);
                unchanged.push(old == new);
                can_be_over &= old == new || new[3] == 255;
            }
        }
        Difference { rect: *rect, pixels, unchanged, can_be_over, disposal, first: *first, end }
    }
}
