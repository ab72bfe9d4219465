//! YUV4MPEG2: the header of a video stream, and pixels as BT.709 luma and chroma in whole numbers, the same
//! on every machine. There is no alpha and no chroma subsampling.

use tiny_skia::Pixmap;

use crate::frame::FrameSize;

/// Frames a second as a ratio, as video formats want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    /// Frames for each `denominator` seconds.
    pub numerator: u32,
    /// Seconds.
    pub denominator: u32,
}

impl FrameRate {
    /// The simplest ratio that is this number to the last bit, or the nearest that fits: 24 is 24:1, 30000.0
    /// / 1001.0 is 30000:1001, 23.976 is 2997:125. What is not above 0 becomes the slowest rate there is.
    ///
    /// The convergents of its continued fraction are tried in turn; no simpler ratio between them
    /// is as near.
    pub fn nearest(fps: f64) -> Self {
        // Video programs keep both numbers in 32 bits with a sign.
        const MOST: f64 = i32::MAX as f64;
        let slowest = Self { numerator: 1, denominator: i32::MAX as u32 };
        if !fps.is_finite() || fps <= 0.0 {
            return slowest;
        }
        // (numerator, denominator) of the last two convergents: whole numbers below 2^53, exact in f64.
        let (mut before, mut last) = ((0.0, 1.0), (1.0, 0.0));
        let mut rest = fps;
        loop {
            let whole = rest.floor();
            let next: (f64, f64) = (whole * last.0 + before.0, whole * last.1 + before.1);
            if next.0 > MOST || next.1 > MOST {
                break;
            }
            (before, last) = (last, next);
            if last.0 / last.1 == fps || rest == whole {
                break;
            }
            rest = 1.0 / (rest - whole);
        }
        match last {
            (numerator, denominator) if numerator >= 1.0 && denominator >= 1.0 => {
                Self { numerator: numerator as u32, denominator: denominator as u32 }
            }
            // Too fast or too slow for the numbers.
            (numerator, _) if numerator >= 1.0 => Self { numerator: i32::MAX as u32, denominator: 1 },
            _ => slowest,
        }
    }
}

/// The line before the first frame. The range is named because readers take it to be unknown otherwise; the
/// matrix has no name in the format: a reader gets it from the user, or guesses BT.709 from the size.
pub(super) fn header(size: FrameSize, rate: FrameRate) -> String {
    format!(
        "YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
        size.width(),
        size.height(),
        rate.numerator,
        rate.denominator
    )
}

/// The line before each frame.
const FRAME: &[u8] = b"FRAME\n";

/// Bits behind the point: sums of three products stay below 2^31, and the result is within 0.0004 levels of
/// the formula.
const BITS: u32 = 20;
const ONE: f64 = (1_u32 << BITS) as f64;

/// ITU-R BT.709, item 3.2: luma is 0.2126 R + 0.7152 G + 0.0722 B; items 3.3 and 5.2 give the chroma and
/// 8-bit levels.
const RED: f64 = 0.2126;
const BLUE: f64 = 0.0722;
/// Luma takes 219 levels from 16, chroma 224 levels about 128.
const LUMA: f64 = 219.0 / 255.0;
const CHROMA: f64 = 224.0 / 255.0;

const fn fixed(n: f64) -> i32 {
    (if n < 0.0 { n * ONE - 0.5 } else { n * ONE + 0.5 }) as i32
}

/// Shares of red, green and blue. Those of luma add up to 219 levels and those of chroma to nothing, so that
/// white is 235 and grey has no colour, exactly.
const Y: [i32; 3] = {
    let (red, blue) = (fixed(RED * LUMA), fixed(BLUE * LUMA));
    [red, fixed(LUMA) - red - blue, blue]
};
const CB: [i32; 3] = {
    let (red, blue) = (fixed(-RED / (1.0 - BLUE) / 2.0 * CHROMA), fixed(CHROMA / 2.0));
    [red, -red - blue, blue]
};
const CR: [i32; 3] = {
    let (red, blue) = (fixed(CHROMA / 2.0), fixed(-BLUE / (1.0 - RED) / 2.0 * CHROMA));
    [red, -red - blue, blue]
};

/// One level from a pixel, rounded.
#[inline]
fn level(shares: [i32; 3], from: i32, [red, green, blue]: [i32; 3]) -> u8 {
    let sum = shares[0] * red + shares[1] * green + shares[2] * blue + (from << BITS) + (1 << (BITS - 1));
    (sum >> BITS) as u8
}

/// Writes a frame with its line: all luma, then all of the blue difference, then all of the red one. Colours
/// have their alpha multiplied in, which is what they are before black.
pub(super) fn planes(pixmap: &Pixmap, out: &mut Vec<u8>) {
    let count = pixmap.data().len() / 4;
    out.clear();
    out.extend_from_slice(FRAME);
    out.resize(FRAME.len() + 3 * count, 0);
    let (luma, chroma) = out[FRAME.len()..].split_at_mut(count);
    let (blues, reds) = chroma.split_at_mut(count);
    let groups = pixmap.data().chunks(4 * GROUP);
    let planes = luma.chunks_mut(GROUP).zip(blues.chunks_mut(GROUP)).zip(reds.chunks_mut(GROUP));
    for (group, ((y, cb), cr)) in groups.zip(planes) {
        // Most of a drawing is flat: the whole group has the value of one pixel.
        if group[4..] == group[..group.len() - 4] {
            let [luma, blue, red] = levels(&group[..4]);
            y.fill(luma);
            cb.fill(blue);
            cr.fill(red);
        } else {
            for (((pixel, y), cb), cr) in group.chunks_exact(4).zip(y).zip(cb).zip(cr) {
                [*y, *cb, *cr] = levels(pixel);
            }
        }
    }
}

/// Pixels that are compared at once.
const GROUP: usize = 64;

/// Luma, blue difference and red difference of a pixel.
#[inline]
fn levels(pixel: &[u8]) -> [u8; 3] {
    let rgb = [pixel[0].into(), pixel[1].into(), pixel[2].into()];
    [level(Y, 16, rgb), level(CB, 128, rgb), level(CR, 128, rgb)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula as the recommendation prints it.
    fn formula([red, green, blue]: [f64; 3]) -> [f64; 3] {
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        [
            16.0 + 219.0 * luma / 255.0,
            128.0 + 224.0 * (blue - luma) / 1.8556 / 255.0,
            128.0 + 224.0 * (red - luma) / 1.5748 / 255.0,
        ]
    }

    #[test]
    fn levels_are_those_of_the_formula() {
        for red in (0..=255).step_by(3) {
            for green in 0..=255 {
                for blue in (0..=255).step_by(5) {
                    let rgb = [red, green, blue];
                    let found = [level(Y, 16, rgb), level(CB, 128, rgb), level(CR, 128, rgb)];
                    let wanted = formula(rgb.map(f64::from));
                    for (found, wanted) in found.into_iter().zip(wanted) {
                        let off = (f64::from(found) - wanted).abs();
                        assert!(off <= 0.501, "{rgb:?}: {found} for {wanted}");
                    }
                }
            }
        }
    }

    #[test]
    fn flat_groups_are_like_single_pixels() {
        // Runs of every length about a group's, up to an end that fills none.
        let mut pixmap = Pixmap::new(97, 61).unwrap();
        let (mut left, mut run) = (0, 0);
        for (at, pixel) in pixmap.pixels_mut().iter_mut().enumerate() {
            if left == 0 {
                (left, run) = (run % 150 + 1, run + 7);
            }
            left -= 1;
            let (red, green, blue) = ((run * 31 % 256) as u8, (run * 57 % 256) as u8, (at / 2000 * 80) as u8);
            *pixel = tiny_skia::ColorU8::from_rgba(red, green, blue, 255).premultiply();
        }
        let mut bytes = Vec::new();
        planes(&pixmap, &mut bytes);
        let count = 97 * 61;
        assert_eq!(bytes.len(), FRAME.len() + 3 * count);
        for (at, pixel) in pixmap.data().chunks(4).enumerate() {
            let found = [0, 1, 2].map(|plane| bytes[FRAME.len() + plane * count + at]);
            assert_eq!(found, levels(pixel), "pixel {at}");
        }
    }

    #[test]
    fn greys_have_no_colour_and_corners_are_the_published_ones() {
        for grey in 0..=255 {
            assert_eq!((level(CB, 128, [grey; 3]), level(CR, 128, [grey; 3])), (128, 128));
        }
        assert_eq!((level(Y, 16, [0; 3]), level(Y, 16, [255; 3])), (16, 235));
        // The colour bars of SMPTE RP 219 at full level, 8 bits: yellow, cyan, green, magenta, red, blue.
        let bars = [
            ([255, 255, 0], [219, 16, 138]),
            ([0, 255, 255], [188, 154, 16]),
            ([0, 255, 0], [173, 42, 26]),
            ([255, 0, 255], [78, 214, 230]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 0, 255], [32, 240, 118]),
        ];
        for (rgb, ycc) in bars {
            assert_eq!([level(Y, 16, rgb), level(CB, 128, rgb), level(CR, 128, rgb)], ycc, "{rgb:?}");
        }
    }

    #[test]
    fn rates_are_the_ratios_that_were_meant() {
        let ratio = |fps: f64| {
            let FrameRate { numerator, denominator } = FrameRate::nearest(fps);
            (numerator, denominator)
        };
        for (numerator, denominator) in
            [(24, 1), (25, 2), (24_000, 1001), (30_000, 1001), (60_000, 1001), (1, 7), (12, 1)]
        {
            assert_eq!(ratio(f64::from(numerator) / f64::from(denominator)), (numerator, denominator));
        }
        assert_eq!(ratio(23.976), (2997, 125));
        assert_eq!(ratio(29.97), (2997, 100));
        assert_eq!(ratio(1e5), (100_000, 1));
        assert_eq!(ratio(1e-3), (1, 1000));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
            assert_eq!(ratio(wrong), (1, 2_147_483_647), "{wrong}");
        }
        assert_eq!(ratio(1e300), (2_147_483_647, 1));
        // Numbers that are not a simple ratio are as near as 32 bits allow.
        let pi = FrameRate::nearest(std::f64::consts::PI);
        assert!((f64::from(pi.numerator) / f64::from(pi.denominator) - std::f64::consts::PI).abs() < 1e-15);
    }
}
