//! Fills runs of pixels with a gradient, with the numbers of tiny-skia's 16-bit pipeline. Radial gradients
//! whose focal point is not their middle are not supported.

use tiny_skia::{Color, PixmapMut, Point, SpreadMode, Transform};

use super::row::Run;
use super::solid::{cover_over, mix_pixel, over_pixel};

/// A colour of a gradient, and its offset from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// The offset.
    pub at: f32,
    /// The colour, not premultiplied.
    pub color: Color,
}

/// A gradient on the pixels of a picture.
#[derive(Clone, Debug)]
pub struct GradientColor {
    /// From pixels to the gradient's own space: its line goes from (0, 0) to (1, 0), its circle has radius 1.
    to_unit: Transform,
    radial: bool,
    /// Whether each row of pixels has one colour.
    has_flat_rows: bool,
    spread: GradientSpread,
    ramp: Ramp,
    /// Whether every stop is opaque.
    has_alpha: bool,
    /// Whether pixels are replaced, not blended.
    replaces: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum GradientSpread {
    /// Ends at the first and the last stop.
    Clamp,
    /// The ramp has its own ends.
    Free,
    Reflect,
    Repeat,
}

/// Colours along a gradient: pieces of `factor * t + bias`.
#[derive(Clone, Debug)]
enum Ramp {
    Line(Piece),
    /// Each from its `t` on; the first from anywhere.
    Pieces(Vec<(f32, Piece)>),
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    factor: [f32; 4],
    bias: [f32; 4],
}

/// Pixels that are computed at a time: what compilers vectorise.
const BLOCK: usize = 16;

/// Lengths below this are none, as tiny-skia has it.
const NO_LENGTH: f32 = 1.0 / 32_768.0;

/// Distances of offsets below this are equal, as tiny-skia has it.
const SAME_STEP: f32 = 1.0 / 4096.0;

/// Beyond it, rounding depends on the machine.
const FARTHEST: f32 = 1e6;

impl GradientColor {
    /// From one point to another, under a transform to pixels. None if tiny-skia has another way for it.
    pub fn linear(ends: [f32; 4], stops: &[Stop], spread: SpreadMode, ts: Transform) -> Option<Self> {
        let (start, end) = (Point::from_xy(ends[0], ends[1]), Point::from_xy(ends[2], ends[3]));
        let mut along = end - start;
        let length = along.length();
        if !length.is_finite() || length <= NO_LENGTH {
            return None;
        }
        let inverse = 1.0 / length;
        along.scale(inverse);
        let (sin, cos) = (-along.y, along.x);
        let rest = 1.0 - cos;
        let (tx, ty) = (sin * start.y + rest * start.x, -sin * start.x + rest * start.y);
        let turned = Transform::from_row(cos, sin, -sin, cos, tx, ty);
        let to_unit = turned.post_translate(-start.x, -start.y).post_scale(inverse, inverse);
        Self::new(to_unit, false, stops, spread, ts)
    }

    /// Around a focal point, with the middle and the radii of both. As [`linear`](Self::linear).
    pub fn radial(
        [fx, fy, fr, cx, cy, r]: [f32; 6],
        stops: &[Stop],
        spread: SpreadMode,
        ts: Transform,
    ) -> Option<Self> {
        let between = (Point::from_xy(fx, fy) - Point::from_xy(cx, cy)).length();
        let is_circle = between <= NO_LENGTH && (0.0..=NO_LENGTH).contains(&fr) && r - fr > NO_LENGTH;
        if !is_circle {
            return None;
        }
        let inverse = 1.0 / r;
        let to_unit = Transform::from_translate(-fx, -fy).post_scale(inverse, inverse);
        Self::new(to_unit, true, stops, spread, ts)
    }

    fn new(
        to_unit: Transform,
        radial: bool,
        stops: &[Stop],
        spread: SpreadMode,
        ts: Transform,
    ) -> Option<Self> {
        if stops.len() < 2 {
            return None;
        }
        let to_unit = ts.invert()?.post_concat(to_unit);
        if !to_unit.is_finite() {
            return None;
        }
        let (ramp, is_even) = Ramp::new(stops);
        let spread = match spread {
            SpreadMode::Pad if is_even => GradientSpread::Clamp,
            SpreadMode::Pad => GradientSpread::Free,
            SpreadMode::Reflect => GradientSpread::Reflect,
            SpreadMode::Repeat => GradientSpread::Repeat,
        };
        let has_alpha = stops.iter().any(|stop| !stop.color.is_opaque());
        // tiny-skia takes no radial gradient for opaque.
        let has_flat_rows = !radial && to_unit.sx == 0.0;
        Some(Self {
            to_unit,
            radial,
            has_flat_rows,
            spread,
            ramp,
            has_alpha,
            replaces: !radial && !has_alpha,
        })
    }

    /// Whether the numbers within a picture are such that every machine rounds them alike.
    pub(super) fn fits(&self, width: u32, height: u32) -> bool {
        #[allow(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^24 pixels")]
        let (x, y) = (width as f32, height as f32);
        let Transform { sx, kx, ky, sy, tx, ty } = self.to_unit;
        let reach = |a: f32, b: f32, c: f32| a.abs() * x + b.abs() * y + c.abs();
        reach(sx, kx, tx) < FARTHEST && reach(ky, sy, ty) < FARTHEST
    }

    /// Fills runs of pixels.
    pub(super) fn paint(&self, runs: &[Run], pixmap: &mut PixmapMut<'_>) {
        let width = pixmap.width() as usize;
        let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
        let mut colors = [0; BLOCK];
        // Runs at an edge are short, and lie in one block.
        let mut computed = None;
        for run in runs {
            let (row, mut x) = (usize::from(run.y) * width, usize::from(run.x));
            let end = x + usize::from(run.length);
            if self.has_flat_rows && self.replaces {
                if computed != Some((run.y, 0)) {
                    self.colors(0, run.y, &mut colors);
                    computed = Some((run.y, 0));
                }
                let Some(pixels) = pixels.get_mut(row + x..row + end) else { return };
                let color = colors[0].to_le_bytes();
                match run.cover {
                    255 => pixels.fill(color),
                    cover => pixels.iter_mut().for_each(|to| mix_pixel(to, color, cover.into())),
                }
                continue;
            }
            while x < end {
                let (block, from) = (x / BLOCK, x % BLOCK);
                if computed != Some((run.y, block)) {
                    self.colors(block * BLOCK, run.y, &mut colors);
                    computed = Some((run.y, block));
                }
                let next = end.min((block + 1) * BLOCK);
                let Some(pixels) = pixels.get_mut(row + x..row + next) else { return };
                let colors = &colors[from..from + pixels.len()];
                let cover = u64::from(run.cover);
                match (self.replaces, run.cover) {
                    // An opaque colour over a pixel leaves nothing of it.
                    (_, 255) if !self.has_alpha => each(pixels, colors, |to, color| *to = color),
                    (true, _) => each(pixels, colors, |to, color| mix_pixel(to, color, cover)),
                    (false, 255) => each(pixels, colors, over_pixel),
                    (false, _) => each(pixels, colors, |to, color| cover_over(to, color, cover)),
                }
                x = next;
            }
        }
    }

    /// The premultiplied colours of a block of pixels from `x` on. The lowest byte is red.
    #[allow(clippy::cast_precision_loss, reason = "places of pixels are exact")]
    fn colors(&self, x: usize, y: u16, out: &mut [u32; BLOCK]) {
        let Transform { sx, kx, ky, sy, tx, ty } = self.to_unit;
        let first = x as f32 + 0.5;
        let y = f32::from(y) + 0.5;
        let (across, down) = (y * kx + tx, y * sy + ty);
        let mut t: [f32; BLOCK] = std::array::from_fn(|at| (first + at as f32) * sx + across);
        if self.radial {
            for (at, t) in t.iter_mut().enumerate() {
                let v = (first + at as f32) * ky + down;
                *t = (*t * *t + v * v).sqrt();
            }
        }
        match self.spread {
            GradientSpread::Clamp => t = t.map(clamp),
            GradientSpread::Free => {}
            GradientSpread::Reflect => {
                t = t.map(|t| {
                    let half = ((t - 1.0) * 0.5).floor();
                    clamp(((t - 1.0) - (half + half) - 1.0).abs())
                });
            }
            GradientSpread::Repeat => t = t.map(|t| clamp(t - t.floor())),
        }
        match &self.ramp {
            Ramp::Line(piece) if self.has_alpha => {
                out.iter_mut().zip(t).for_each(|(out, t)| *out = premultiplied(piece.color(t)));
            }
            Ramp::Line(piece) => out.iter_mut().zip(t).for_each(|(out, t)| *out = piece.opaque(t)),
            Ramp::Pieces(pieces) if self.has_alpha => {
                in_pieces(pieces, &t, out, |piece, t| premultiplied(piece.color(t)));
            }
            Ramp::Pieces(pieces) => in_pieces(pieces, &t, out, Piece::opaque),
        }
    }
}

/// The colours of a block, each in its piece. Every piece that the block touches is computed for all of it:
/// compilers vectorise that, and not a search for each pixel.
#[inline(always)]
fn in_pieces(
    pieces: &[(f32, Piece)],
    t: &[f32; BLOCK],
    out: &mut [u32; BLOCK],
    color: impl Fn(&Piece, f32) -> u32,
) {
    let (mut low, mut high) = (t[0], t[0]);
    for &t in t {
        low = if t < low { t } else { low };
        high = if t > high { t } else { high };
    }
    let place = |t: f32| pieces.iter().skip(1).take_while(|(from, _)| t >= *from).count();
    let (first, last) = (place(low), place(high));
    out.iter_mut().zip(t).for_each(|(out, t)| *out = color(&pieces[first].1, *t));
    for (from, piece) in &pieces[first + 1..=last] {
        out.iter_mut().zip(t).for_each(|(out, &t)| *out = if t >= *from { color(piece, t) } else { *out });
    }
}

impl Piece {
    #[inline(always)]
    fn channel(&self, t: f32, at: usize) -> u32 {
        level(t * self.factor[at] + self.bias[at]) << (8 * at)
    }

    #[inline(always)]
    fn opaque(&self, t: f32) -> u32 {
        self.channel(t, 0) | self.channel(t, 1) | self.channel(t, 2) | 0xFF00_0000
    }

    #[inline(always)]
    fn color(&self, t: f32) -> u32 {
        self.channel(t, 0) | self.channel(t, 1) | self.channel(t, 2) | self.channel(t, 3)
    }
}

/// A colour times its alpha, each channel divided by 255 as tiny-skia does.
#[inline(always)]
fn premultiplied(color: u32) -> u32 {
    const TWO: u32 = 0x00FF_00FF;
    let alpha = color >> 24;
    let (red_and_blue, green) = (color & TWO, color >> 8 & 255);
    (red_and_blue * alpha + TWO) >> 8 & TWO | (green * alpha + 255) & 0xFF00 | alpha << 24
}

#[inline(always)]
fn each(pixels: &mut [[u8; 4]], colors: &[u32], change: impl Fn(&mut [u8; 4], [u8; 4])) {
    pixels.iter_mut().zip(colors).for_each(|(pixel, color)| change(pixel, color.to_le_bytes()));
}

#[inline(always)]
fn clamp(n: f32) -> f32 {
    n.clamp(0.0, 1.0)
}

/// A value of 0..1 as a byte. Rounded to the nearest whole number by what is added, and down where that is
/// greater: compilers vectorise this, and not the conversion of a float.
#[inline(always)]
fn level(n: f32) -> u32 {
    const WHOLE: f32 = 8_388_608.0;
    let value = clamp(n) * 255.0 + 0.5;
    let nearest = value + WHOLE;
    (nearest.to_bits() & 511) - u32::from(nearest - WHOLE > value)
}

impl Ramp {
    /// The ramp of stops, and whether they are evenly spaced from 0 to 1.
    fn new(stops: &[Stop]) -> (Self, bool) {
        let channels = |color: Color| [color.red(), color.green(), color.blue(), color.alpha()];
        let mut all: Vec<(f32, [f32; 4])> =
            stops.iter().map(|stop| (stop.at.clamp(0.0, 1.0), channels(stop.color))).collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        let starts_late = first.0 != 0.0;
        if starts_late {
            all.insert(0, (0.0, first.1));
        }
        if last.0 != 1.0 {
            all.push((1.0, last.1));
        }
        let start = usize::from(!starts_late);
        let (count, step) = (all.len(), all[start].0);
        let (mut before, mut is_even) = (0.0, true);
        for (at, stop) in all.iter_mut().enumerate().skip(start) {
            stop.0 = if at + 1 == count { 1.0 } else { stop.0.clamp(before, 1.0) };
            is_even &= (step - (stop.0 - before)).abs() <= SAME_STEP;
            before = stop.0;
        }
        if let [(_, from), (_, to)] = all[..] {
            let factor = std::array::from_fn(|channel| to[channel] - from[channel]);
            return (Self::Line(Piece { factor, bias: from }), is_even);
        }
        // Ends of one colour are what is beyond.
        let begin = usize::from(all[0].1 == all[1].1);
        let end = if all[count - 2].1 == all[count - 1].1 { count - 2 } else { count - 1 };
        let constant = |bias: [f32; 4]| Piece { factor: [0.0; 4], bias };
        let (mut t, mut color) = all[begin];
        let mut pieces = vec![(0.0, constant(color))];
        for &(next_t, next) in all.get(begin + 1..=end).unwrap_or_default() {
            if t < next_t {
                let factor: [f32; 4] =
                    std::array::from_fn(|channel| (next[channel] - color[channel]) / (next_t - t));
                let bias = std::array::from_fn(|channel| color[channel] - factor[channel] * t);
                pieces.push((t, Piece { factor, bias }));
            }
            (t, color) = (next_t, next);
        }
        pieces.push((t, constant(color)));
        (Self::Pieces(pieces), is_even)
    }
}
