//! Gaussian blurs: five box blurs for larger deviations, a recursive filter for smaller ones (Alvarez and
//! Mazorra 1994), with the numbers of resvg 0.49. Rows and columns are summed many at a time,
//! and only what the ink can reach is visited.

use tiny_skia::{IntRect, Pixmap};

/// The boxes of a box blur.
const BOXES: usize = 5;
/// The steps of the recursive filter.
const STEPS: usize = 4;
/// How far in pixels the recursive filter reaches: beyond it, deviations below 2 leave less than 1e-17.
const RECURSIVE_REACH: usize = 48;
/// From this deviation in pixels on, boxes are used.
const BOX_DEVIATION: f32 = 2.0;
/// Adding and subtracting this rounds to a whole number; added, the number is in the last bits.
const WHOLE: f32 = 12_582_912.0;

/// A blur with its deviations in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Blur {
    across: f32,
    down: f32,
}

impl Blur {
    /// None if it changes nothing.
    pub fn new((across, down): (f32, f32), (scale_x, scale_y): (f32, f32)) -> Option<Self> {
        let (across, down) = (across * scale_x, down * scale_y);
        // Four steps of single precision, as resvg compares.
        let is_zero = |n: f32| n.to_bits() <= 4;
        if is_zero(across) && is_zero(down) {
            return None;
        }
        let usable = |n: f32| if n < 0.05 { 0.0 } else { n };
        Some(Self { across: usable(across), down: usable(down) })
    }

    fn by_boxes(self) -> bool {
        self.across >= BOX_DEVIATION || self.down >= BOX_DEVIATION
    }

    /// How far ink spreads, across and down.
    fn reach(self) -> (usize, usize) {
        if self.by_boxes() {
            let sum = |deviation: f32| box_radii(deviation).iter().sum();
            return (sum(self.across), sum(self.down));
        }
        let reach = |deviation: f32| if deviation > 0.0 { RECURSIVE_REACH } else { 0 };
        (reach(self.across), reach(self.down))
    }

    /// Blurs a picture.
    pub fn apply(self, pixmap: &mut Pixmap) {
        let Some(area) = self.area(pixmap) else { return };
        let stride = pixmap.width() as usize * 4;
        let rows = rows(area, 4, stride);
        let data = pixmap.data_mut();
        let mut plane: Vec<u8> = Vec::with_capacity(area.width() as usize * area.height() as usize * 4);
        rows.clone().for_each(|range| plane.extend_from_slice(&data[range]));
        self.plane::<4>(&mut plane, area.width() as usize, area.height() as usize);
        let width = area.width() as usize * 4;
        rows.zip(plane.chunks_exact(width)).for_each(|(range, row)| data[range].copy_from_slice(row));
    }

    /// The blurred alpha of a picture, and where it is; nothing is beyond.
    pub fn alpha(self, pixmap: &Pixmap) -> Option<(IntRect, Vec<u8>)> {
        let area = self.area(pixmap)?;
        let stride = pixmap.width() as usize * 4;
        let data = pixmap.data();
        let mut plane: Vec<u8> = Vec::with_capacity(area.width() as usize * area.height() as usize);
        rows(area, 4, stride).for_each(|range| plane.extend(data[range].iter().skip(3).step_by(4)));
        self.plane::<1>(&mut plane, area.width() as usize, area.height() as usize);
        Some((area, plane))
    }

    /// The part of a picture that has ink after the blur.
    fn area(self, pixmap: &Pixmap) -> Option<IntRect> {
        let ink = crate::inked::inked(pixmap)?;
        let (across, down) = self.reach();
        let int = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let side = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        IntRect::from_ltrb(
            ink.left().saturating_sub(int(across)).max(0),
            ink.top().saturating_sub(int(down)).max(0),
            ink.right().saturating_add(int(across)).min(side(pixmap.width())),
            ink.bottom().saturating_add(int(down)).min(side(pixmap.height())),
        )
    }

    /// Blurs bytes with this many channels.
    fn plane<const N: usize>(self, plane: &mut [u8], width: usize, height: usize) {
        if self.by_boxes() {
            let radii = box_radii(self.across).into_iter().zip(box_radii(self.down));
            let (mut back, mut bands) = (vec![0; plane.len()], Bands::default());
            for (across, down) in radii {
                box_down(plane, &mut back, width * N, down, &mut bands);
                box_across::<N>(&back, plane, width, across, &mut bands);
            }
        } else {
            recursive::<N>(plane, width, height, f64::from(self.across), f64::from(self.down));
        }
    }
}

/// The bytes of the rows of an area.
#[allow(clippy::cast_sign_loss, reason = "it lies in the picture")]
fn rows(
    area: IntRect,
    channels: usize,
    stride: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> + Clone {
    let (left, top) = (area.x() as usize * channels, area.y() as usize);
    let width = area.width() as usize * channels;
    (top..top + area.height() as usize).map(move |y| y * stride + left..y * stride + left + width)
}

/// The radii of five boxes that together have a deviation ("Fast almost-Gaussian filtering", Kovesi 2010).
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as resvg does"
)]
fn box_radii(sigma: f32) -> [usize; BOXES] {
    if sigma <= 0.0 {
        return [0; BOXES];
    }
    let count = BOXES as f32;
    let ideal = (12.0 * sigma * sigma / count).sqrt() + 1.0;
    // Wider boxes than any picture leave nothing, whatever their width is.
    let mut lower = (ideal.floor() as i32).min(1 << 24);
    if lower % 2 == 0 {
        lower -= 1;
    }
    let wide = lower as f32;
    let sum = 12.0 * sigma * sigma - count * wide * wide - 4.0 * count * wide - 3.0 * count;
    let narrow = (sum / (-4.0 * wide - 4.0)).round() as usize;
    std::array::from_fn(|at| {
        let size = if at < narrow { lower } else { lower + 2 };
        ((size - 1) / 2) as usize
    })
}

/// The widest box whose sums and quotients fit into 16 bits.
const WIDEST: usize = 127;

/// The nearest whole number to a sum over the width of a box, with one multiplication.
///
/// With `x = sum + radius` this is the floor of `x / n`, `n = 2 radius + 1`. For `m = ceil(2^(16 + s) / n)` the
/// floor of `x m / 2^(16 + s)` is the same if `x (m n - 2^(16 + s)) < 2^(16 + s)` (Granlund and Montgomery 1994,
/// theorem 4.2). Here `x < 256 n`, `m n - 2^(16 + s) < n <= 127` and `2^s > n / 2`, which is enough.
#[derive(Clone, Copy)]
struct Mean {
    half: u16,
    factor: u16,
    shift: u32,
}

impl Mean {
    /// For boxes up to the widest.
    #[allow(clippy::cast_possible_truncation, reason = "n is at most 127, and the factor is below 2^16")]
    fn new(radius: usize) -> Self {
        let n = 2 * radius as u32 + 1;
        // The largest power of two that is not above n.
        let shift = n.ilog2();
        Self { half: radius as u16, factor: (1_u32 << (16 + shift)).div_ceil(n).min(0xffff) as u16, shift }
    }

    #[inline(always)]
    fn of(self, sum: u16) -> u8 {
        let product = u32::from(sum + self.half) * u32::from(self.factor);
        (((product >> 16) as u16) >> self.shift).to_le_bytes()[0]
    }
}

/// The mean of the rows around each row; beyond the picture there is nothing.
fn box_down(from: &[u8], to: &mut [u8], width: usize, radius: usize, bands: &mut Bands) {
    if radius == 0 {
        to.copy_from_slice(from);
        return;
    }
    if radius > WIDEST / 2 {
        box_down_wide(from, to, width, radius);
        return;
    }
    let mean = Mean::new(radius);
    for left in (0..width).step_by(LANES) {
        let columns = left..(left + LANES).min(width);
        let count = columns.len();
        bands.resize(to.len() / width);
        for (lanes, row) in bands.from.iter_mut().zip(from.chunks_exact(width)) {
            lanes[..count].copy_from_slice(&row[columns.clone()]);
        }
        bands.sum(radius, mean);
        for (row, lanes) in to.chunks_exact_mut(width).zip(&bands.to) {
            row[columns.clone()].copy_from_slice(&lanes[..count]);
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "sums are far below 2^23")]
fn wide_mean(radius: usize) -> impl Fn(i32) -> u8 + Copy {
    let share = 1.0 / (2 * radius + 1) as f32;
    move |sum| (sum as f32 * share + WHOLE).to_bits().to_le_bytes()[0]
}

/// The same for boxes of any height.
fn box_down_wide(from: &[u8], to: &mut [u8], width: usize, radius: usize) {
    let mean = wide_mean(radius);
    let mut sums = vec![0_i32; width];
    let row = |y: usize| from.get(y * width..(y + 1) * width);
    for y in 0..radius {
        let Some(row) = row(y) else { break };
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += i32::from(*value));
    }
    for (y, to) in to.chunks_exact_mut(width).enumerate() {
        let (enters, leaves) = (row(y + radius), y.checked_sub(radius + 1).and_then(row));
        match (enters, leaves) {
            (Some(enters), Some(leaves)) => {
                for (((sum, enters), leaves), to) in sums.iter_mut().zip(enters).zip(leaves).zip(to) {
                    *sum += i32::from(*enters);
                    *sum -= i32::from(*leaves);
                    *to = mean(*sum);
                }
            }
            (Some(enters), None) => {
                for ((sum, enters), to) in sums.iter_mut().zip(enters).zip(to) {
                    *sum += i32::from(*enters);
                    *to = mean(*sum);
                }
            }
            (None, leaves) => {
                if let Some(leaves) = leaves {
                    sums.iter_mut().zip(leaves).for_each(|(sum, leaves)| *sum -= i32::from(*leaves));
                }
                sums.iter().zip(to).for_each(|(sum, to)| *to = mean(*sum));
            }
        }
    }
}

/// The bytes that are summed together.
const LANES: usize = 32;
const NOTHING: [u8; LANES] = [0; LANES];

/// The mean of the pixels around each in its row.
fn box_across<const N: usize>(from: &[u8], to: &mut [u8], width: usize, radius: usize, bands: &mut Bands) {
    if radius == 0 {
        to.copy_from_slice(from);
    } else if radius <= WIDEST / 2 {
        let mean = Mean::new(radius);
        let rows = width * N * (LANES / N);
        for (from, to) in from.chunks(rows).zip(to.chunks_mut(rows)) {
            bands.gather::<N>(from, width);
            bands.sum(radius, mean);
            bands.scatter::<N>(to, width);
        }
    } else {
        box_across_wide::<N>(from, to, width, radius);
    }
}

/// Moves sums on by one place. In a function of its own, so that the compiler sees that nothing overlaps.
#[inline(always)]
fn step(
    sums: &mut [u16; LANES],
    enters: &[u8; LANES],
    leaves: &[u8; LANES],
    to: &mut [u8; LANES],
    mean: Mean,
) {
    for lane in 0..LANES {
        sums[lane] = sums[lane] + u16::from(enters[lane]) - u16::from(leaves[lane]);
        to[lane] = mean.of(sums[lane]);
    }
}

/// Rows or columns side by side: a moving sum is a chain of additions, and many are computed at once. Along the
/// sums first: `[x][row][channel]`, or `[y][x][channel]`.
#[derive(Default)]
struct Bands {
    from: Vec<[u8; LANES]>,
    to: Vec<[u8; LANES]>,
}

impl Bands {
    fn resize(&mut self, count: usize) {
        self.from.resize(count, NOTHING);
        self.to.resize(count, NOTHING);
    }

    fn gather<const N: usize>(&mut self, rows: &[u8], width: usize) {
        self.resize(width);
        for (row, from) in rows.chunks_exact(width * N).enumerate() {
            let (pixels, _) = from.as_chunks::<N>();
            for (lanes, pixel) in self.from.iter_mut().zip(pixels) {
                lanes.as_chunks_mut::<N>().0[row] = *pixel;
            }
        }
    }

    fn scatter<const N: usize>(&self, rows: &mut [u8], width: usize) {
        for (row, to) in rows.chunks_exact_mut(width * N).enumerate() {
            let (pixels, _) = to.as_chunks_mut::<N>();
            for (pixel, lanes) in pixels.iter_mut().zip(&self.to) {
                *pixel = lanes.as_chunks::<N>().0[row];
            }
        }
    }

    fn sum(&mut self, radius: usize, mean: Mean) {
        let mut sums = [0_u16; LANES];
        for lanes in self.from.iter().take(radius) {
            sums.iter_mut().zip(lanes).for_each(|(sum, value)| *sum += u16::from(*value));
        }
        let from = &self.from;
        for (x, to) in self.to.iter_mut().enumerate() {
            let leaves = x.checked_sub(radius + 1).map_or(&NOTHING, |x| &from[x]);
            step(&mut sums, from.get(x + radius).unwrap_or(&NOTHING), leaves, to, mean);
        }
    }
}

/// The same for boxes of any width, pixel by pixel.
fn box_across_wide<const N: usize>(from: &[u8], to: &mut [u8], width: usize, radius: usize) {
    let mean = wide_mean(radius);
    let mean = |sums: [i32; N]| -> [u8; N] { sums.map(mean) };
    for (from, to) in from.chunks_exact(width * N).zip(to.chunks_exact_mut(width * N)) {
        let (from, _) = from.as_chunks::<N>();
        let (to, _) = to.as_chunks_mut::<N>();
        let mut sums = [0_i32; N];
        let enter = |sums: &mut [i32; N], pixel: &[u8; N]| {
            sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += i32::from(*value));
        };
        let leave = |sums: &mut [i32; N], pixel: &[u8; N]| {
            sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum -= i32::from(*value));
        };
        from.iter().take(radius).for_each(|pixel| enter(&mut sums, pixel));
        // Until the first pixel leaves, while both happen, and after the last has entered.
        let begin = (radius + 1).min(width);
        for (at, to) in to[..begin].iter_mut().enumerate() {
            if let Some(pixel) = from.get(at + radius) {
                enter(&mut sums, pixel);
            }
            *to = mean(sums);
        }
        let middle = width.saturating_sub(radius).max(begin);
        let moving = from[begin + radius.min(width - begin)..].iter().zip(from);
        for (to, (enters, leaves)) in to[begin..middle].iter_mut().zip(moving) {
            enter(&mut sums, enters);
            leave(&mut sums, leaves);
            *to = mean(sums);
        }
        for (to, leaves) in to[middle..].iter_mut().zip(&from[middle.saturating_sub(radius + 1)..]) {
            leave(&mut sums, leaves);
            *to = mean(sums);
        }
    }
}

/// The recursive filter, in double precision.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to bytes as resvg does")]
fn recursive<const N: usize>(plane: &mut [u8], width: usize, height: usize, across: f64, down: f64) {
    let mut values: Vec<f64> = plane.iter().map(|value| f64::from(*value) / 255.0).collect();
    let (lambda_x, factor_x) = coefficients(across);
    let (lambda_y, factor_y) = coefficients(down);
    if across > 0.0 {
        // Several rows at a time hide the latency of each.
        for rows in values.chunks_mut(4 * width * N) {
            for _ in 0..STEPS {
                for x in 1..width {
                    step_across::<N>(rows, width, x - 1, x, factor_x);
                }
                for x in (1..width).rev() {
                    step_across::<N>(rows, width, x, x - 1, factor_x);
                }
            }
        }
    }
    if down > 0.0 {
        // Columns that fit into the cache together.
        const COLUMNS: usize = 64;
        let stride = width * N;
        for begin in (0..stride).step_by(COLUMNS) {
            let columns = begin..(begin + COLUMNS).min(stride);
            for _ in 0..STEPS {
                for y in 1..height {
                    let (above, here) = values.split_at_mut(y * stride);
                    let above = &above[(y - 1) * stride..];
                    add(&mut here[columns.clone()], &above[columns.clone()], factor_y);
                }
                for y in (1..height).rev() {
                    let (here, below) = values.split_at_mut(y * stride);
                    let here = &mut here[(y - 1) * stride..];
                    add(&mut here[columns.clone()], &below[columns.clone()], factor_y);
                }
            }
        }
    }
    let exponent = 2 * i32::try_from(STEPS).unwrap_or_default();
    let scale = ((factor_x * factor_y).sqrt() / (lambda_x * lambda_y).sqrt()).powi(exponent);
    plane.iter_mut().zip(values).for_each(|(byte, value)| *byte = (value * scale * 255.0) as u8);
}

/// Adds a share of one pixel of each row to another.
#[inline]
fn step_across<const N: usize>(rows: &mut [f64], width: usize, from: usize, to: usize, factor: f64) {
    for row in rows.chunks_exact_mut(width * N) {
        let (pixels, _) = row.as_chunks_mut::<N>();
        let from = pixels[from];
        pixels[to].iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
    }
}

#[inline]
fn add(to: &mut [f64], from: &[f64], factor: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// Lambda and the factor of the recursion.
fn coefficients(sigma: f64) -> (f64, f64) {
    if sigma <= 0.0 {
        return (1.0, 1.0);
    }
    let lambda = (sigma * sigma) / (2.0 * STEPS as f64);
    (lambda, (1.0 + 2.0 * lambda - (1.0 + 4.0 * lambda).sqrt()) / (2.0 * lambda))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every sum of every box whose quotients are multiplications.
    #[test]
    fn means_are_the_nearest_whole_numbers() {
        for radius in 1..=WIDEST / 2 {
            let n = 2 * radius as u32 + 1;
            for sum in 0..=255 * n {
                let expected = (f64::from(sum) / f64::from(n)).round();
                let sum = u16::try_from(sum).unwrap();
                assert_eq!(f64::from(Mean::new(radius).of(sum)), expected, "{sum} / {n}");
            }
        }
    }

    /// Both ways of a row against sums from scratch, with boxes narrower and wider than the row.
    #[test]
    fn boxes_are_means_of_what_is_around() {
        fn check<const N: usize>(width: usize, height: usize, radius: usize) {
            let from: Vec<u8> =
                (0..width * height * N).map(|at| (at * at * 31 + at * 7).to_le_bytes()[0]).collect();
            let mut to = vec![0; from.len()];
            let mean = |sum: u32| (f64::from(sum) / (2 * radius + 1) as f64).round() as u8;
            let around = |at: usize, count: usize| at.saturating_sub(radius)..(at + radius + 1).min(count);
            box_across::<N>(&from, &mut to, width, radius, &mut Bands::default());
            for (at, found) in to.iter().enumerate() {
                let (y, x, channel) = (at / N / width, at / N % width, at % N);
                let sum = around(x, width).map(|x| u32::from(from[(y * width + x) * N + channel])).sum();
                assert_eq!(*found, mean(sum), "{x} {y} of {width} x {height}, radius {radius}");
            }
            box_down(&from, &mut to, width * N, radius, &mut Bands::default());
            for (at, found) in to.iter().enumerate() {
                let y = at / (width * N);
                let sum = around(y, height).map(|y| u32::from(from[y * width * N + at % (width * N)])).sum();
                assert_eq!(*found, mean(sum));
            }
        }
        for (width, height) in [(1, 1), (5, 3), (40, 33), (7, 70), (200, 9)] {
            for radius in [1, 2, 6, 20, 63, 64, 90] {
                check::<4>(width, height, radius);
                check::<1>(width, height, radius);
            }
        }
    }
}
