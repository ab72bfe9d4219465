//! Bytes as a picture of any shape: runs, noise, repeats and gradients follow each other as the bytes say. The tests of the encoder
//! include this file, so that a find of the fuzzer can be tried there.

use super::Pixmap;

/// Pixels of a picture at most, and of one row.
const MOST: usize = 1 << 15;
const WIDEST: usize = 12_000;

/// The first byte chooses the range of widths and whether pixels are opaque, two more the width; then come orders. There is a
/// picture whatever the bytes are.
pub fn picture(data: &[u8]) -> Pixmap {
    let mut bytes = data.iter().copied();
    let mut next = || bytes.next();
    let shape = next().unwrap_or(0);
    let [low, high] = [next(), next()].map(Option::unwrap_or_default);
    let most = [1, 40, 400, WIDEST][usize::from(shape % 4)];
    let width = 1 + usize::from(u16::from_le_bytes([low, high])) % most;
    let mut pixels: Vec<[u8; 4]> = Vec::new();
    while let Some(order) = next() {
        // Long ones in large pictures.
        let count = (1 + usize::from(order / 4)) << (shape / 16 % 8);
        let mut color = || std::array::from_fn::<u8, 4, _>(|_| next().unwrap_or(255));
        match order % 4 {
            0 => pixels.extend(std::iter::repeat_n(color(), count)),
            1 => pixels.extend((0..count.min(64)).map(|_| color())),
            2 => {
                let [low, high, up, _] = color();
                let back = usize::from(u16::from_le_bytes([low, high % 64]));
                // Of an odd one the row above is near.
                let back = if up % 2 == 1 { (width + back % 3).saturating_sub(1) } else { back };
                for _ in 0..count {
                    let pixel = pixels.len().checked_sub(back.max(1)).map_or([0; 4], |at| pixels[at]);
                    pixels.push(pixel);
                }
            }
            _ => {
                let (from, step) = (color(), color().map(|step| step % 5));
                pixels.extend((0..count).map(|k| {
                    std::array::from_fn(|n| from[n].wrapping_add(step[n].wrapping_mul((k % 256) as u8)))
                }));
            }
        }
        if pixels.len() >= MOST {
            break;
        }
    }
    let height = pixels.len().clamp(1, MOST).div_ceil(width);
    pixels.resize(width * height, [0; 4]);
    let mut picture = Pixmap::new(width as u32, height as u32).expect("a small one");
    for (to, [red, green, blue, alpha]) in picture.data_mut().chunks_exact_mut(4).zip(pixels) {
        let alpha = if shape / 4 % 2 == 1 { 255 } else { alpha };
        to.copy_from_slice(&[red.min(alpha), green.min(alpha), blue.min(alpha), alpha]);
    }
    picture
}
