//! `feComponentTransfer`: a table of bytes for each of red, green, blue and alpha, as resvg computes them.

use tiny_skia::Pixmap;

use crate::number::narrow;

/// What each value becomes, by red, green, blue and alpha.
pub(super) type TransferTables = Box<[[u8; 256]; 4]>;

/// The tables of four elements such as `<feFuncR type="gamma" amplitude="1" exponent="2" offset="0"/>`. None if these are
/// not written as this crate writes them.
pub(super) fn read(content: &str) -> Option<TransferTables> {
    let mut tables: TransferTables = Box::new([[0; 256]; 4]);
    let mut rest = content;
    for (table, channel) in tables.iter_mut().zip(["R", "G", "B", "A"]) {
        let (function, after) = rest.strip_prefix("<feFunc")?.strip_prefix(channel)?.split_once("/>")?;
        rest = after;
        let attribute = |name: &str| {
            function.split_once(&format!(" {name}=\""))?.1.split_once('"').map(|(value, _)| value)
        };
        let number = |name: &str| attribute(name)?.parse().ok().map(narrow);
        let values = || -> Option<Vec<f32>> {
            attribute("tableValues")?.split_whitespace().map(|word| word.parse().ok().map(narrow)).collect()
        };
        let map: Box<dyn Fn(f32) -> f32> = match attribute("type")? {
            "identity" => Box::new(|n| n),
            "table" => between(values()?),
            "discrete" => steps(values()?),
            "linear" => {
                let (slope, intercept) = (number("slope")?, number("intercept")?);
                Box::new(move |n| slope * n + intercept)
            }
            "gamma" => power(number("amplitude")?, number("exponent")?, number("offset")?),
            _ => return None,
        };
        for (n, value) in (0_u8..=255).zip(table) {
            *value = byte(map(f32::from(n) / 255.0));
        }
    }
    rest.is_empty().then_some(tables)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does; NaN becomes 0")]
fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0) as u8
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as resvg does"
)]
fn between(values: Vec<f32>) -> Box<dyn Fn(f32) -> f32> {
    Box::new(move |share| {
        let Some(last) = values.len().checked_sub(1) else { return share };
        let at = ((share * last as f32).floor() as usize).min(last);
        let Some(next) = values.get(at + 1) else { return values[last] };
        values[at] + (share - at as f32 / last as f32) * last as f32 * (next - values[at])
    })
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as resvg does"
)]
fn steps(values: Vec<f32>) -> Box<dyn Fn(f32) -> f32> {
    Box::new(move |share| {
        let Some(last) = values.len().checked_sub(1) else { return share };
        values[((share * values.len() as f32).floor() as usize).min(last)]
    })
}

#[allow(clippy::disallowed_methods, reason = "as resvg does")]
fn power(amplitude: f32, exponent: f32, offset: f32) -> Box<dyn Fn(f32) -> f32> {
    Box::new(move |share| amplitude * share.powf(exponent) + offset)
}

/// Maps colours, not multiplied by alpha, and alphas.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
pub(super) fn apply(pixmap: &mut Pixmap, tables: &[[u8; 256]; 4]) {
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    for pixel in pixels {
        let alpha = f32::from(pixel[3]) / 255.0;
        let divided = |n: u8| (f32::from(n) / alpha + 0.5) as u8;
        let after = tables[3][usize::from(pixel[3])];
        let share = f32::from(after) / 255.0;
        let mapped = |channel: usize| f32::from(tables[channel][usize::from(divided(pixel[channel]))]);
        let times = |channel: usize| (mapped(channel) * share + 0.5) as u8;
        *pixel = [times(0), times(1), times(2), after];
    }
}
