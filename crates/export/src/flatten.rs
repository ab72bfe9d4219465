//! Pixels that are transparent in part over a colour.

use crate::raster::Rgba;

/// A pixel over an opaque colour.
pub fn flatten([red, green, blue, alpha]: Rgba, behind: [u8; 3]) -> [u8; 3] {
    let mixed = |(front, behind): (u8, u8)| {
        let sum = u32::from(front) * u32::from(alpha) + u32::from(behind) * (255 - u32::from(alpha));
        #[allow(clippy::cast_possible_truncation, reason = "a mean of bytes")]
        let byte = ((sum + 127) / 255) as u8;
        byte
    };
    [mixed((red, behind[0])), mixed((green, behind[1])), mixed((blue, behind[2]))]
}
