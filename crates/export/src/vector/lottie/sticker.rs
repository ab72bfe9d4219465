//! A clip as a sticker of Telegram (`.tgs`): Lottie without images, masks, luminance mattes and strokes with
//! gradients, compressed by gzip. The rules are those of Telegram's own exporter and of its library.

use super::document;
use crate::vector::{SampledClip, VectorError, VectorOptions, VectorReport};
use crate::zip::gzip;

/// Sides in pixels.
const SIDE: u32 = 512;
/// Frames a second.
const RATES: [f64; 2] = [30.0, 60.0];
/// The longest in seconds.
const LONGEST: f64 = 3.0;
/// The largest file.
const MOST_BYTES: usize = 1 << 16;

/// Writes a clip as a sticker.
///
/// # Errors
/// As [`lottie`](super::lottie); or if the size, the rate, the length or art of the clip is against the rules, or the
/// file is too large.
pub fn telegram_sticker(
    clip: &SampledClip,
    options: &VectorOptions,
) -> Result<(Vec<u8>, VectorReport), VectorError> {
    let (bytes, report) = sticker_bytes(clip, options)?;
    match bytes.len() {
        ..=MOST_BYTES => Ok((bytes, report)),
        length => Err(refused(format!(
            "the file has {length} bytes, and at most {MOST_BYTES} are allowed: --for telegram tries larger tolerances"
        ))),
    }
}

/// The same with a file of any length.
///
/// # Errors
/// As [`telegram_sticker`].
pub fn sticker_bytes(
    clip: &SampledClip,
    options: &VectorOptions,
) -> Result<(Vec<u8>, VectorReport), VectorError> {
    let (size, fps) = (options.view.size, clip.fps);
    let mut wrong = Vec::new();
    if (size.width(), size.height()) != (SIDE, SIDE) {
        wrong.push(format!(
            "it is {SIDE}x{SIDE} pixels, not {}x{}: --size {SIDE}x{SIDE}",
            size.width(),
            size.height()
        ));
    }
    if !RATES.contains(&fps) {
        wrong.push(format!("it has 30 or 60 frames a second, not {fps}: --fps 30"));
    }
    let seconds = clip.frame_count() as f64 / fps;
    if seconds > LONGEST + 1e-6 {
        wrong.push(format!("it lasts at most {LONGEST} s, not {seconds:.2}: choose a part with --frames"));
    }
    let mut art = Vec::new();
    let (text, report) = document(clip, options, Some(&mut art))?;
    wrong.extend(art.iter().map(ToString::to_string));
    if wrong.is_empty() {
        Ok((gzip(text.as_bytes()).map_err(|_| VectorError::Compressor)?, report))
    } else {
        Err(refused(wrong.join("; ")))
    }
}

fn refused(why: String) -> VectorError {
    VectorError::Refused { name: "a Telegram sticker", why }
}
