//! Between sRGB and linear light, in bytes multiplied by alpha, as resvg converts them: divided by alpha,
//! mapped, multiplied. One table of all alphas and values does the three.

use std::sync::OnceLock;

use tiny_skia::Pixmap;

/// The result by alpha and value.
type ColorTable = [[u8; 256]; 256];

pub(super) fn into_linear(pixmap: &mut Pixmap) {
    static TABLE: OnceLock<Box<ColorTable>> = OnceLock::new();
    convert(pixmap, TABLE.get_or_init(|| table(linear_of)));
}

pub(super) fn into_srgb(pixmap: &mut Pixmap) {
    static TABLE: OnceLock<Box<ColorTable>> = OnceLock::new();
    convert(pixmap, TABLE.get_or_init(|| table(srgb_of)));
}

fn convert(pixmap: &mut Pixmap, table: &ColorTable) {
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    for pixel in pixels.iter_mut().filter(|pixel| **pixel != [0; 4]) {
        let [red, green, blue, alpha] = *pixel;
        let row = &table[usize::from(alpha)];
        *pixel = [row[usize::from(red)], row[usize::from(green)], row[usize::from(blue)], alpha];
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of colours")]
fn table(map: fn(f64) -> f64) -> Box<ColorTable> {
    let mapped: [u8; 256] = std::array::from_fn(|value| (map(value as f64 / 255.0) * 255.0 + 0.5) as u8);
    let mut table: Box<ColorTable> = Box::new([[0; 256]; 256]);
    for (alpha, row) in (0_u8..=255).zip(table.iter_mut()) {
        let alpha = f32::from(alpha) / 255.0;
        for (value, result) in (0_u8..=255).zip(row) {
            // A division by 0 ends as 0 or 255.
            let divided = (f32::from(value) / alpha + 0.5) as u8;
            *result = (f32::from(mapped[usize::from(divided)]) * alpha + 0.5) as u8;
        }
    }
    table
}

/// The transfer functions of sRGB (IEC 61966-2-1).
#[allow(clippy::disallowed_methods, reason = "it is rounded to a byte, far from a half")]
fn linear_of(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[allow(clippy::disallowed_methods, reason = "it is rounded to a byte, far from a half")]
fn srgb_of(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}
