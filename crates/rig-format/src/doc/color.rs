//! Colours as they are written: `#rgb`, `#rrggbb` or a name of CSS.

use std::str::FromStr;

/// A colour without opacity: red, green and blue in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rgb(pub [u8; 3]);

impl FromStr for Rgb {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_hex = matches!(text.len(), 4 | 7) && text.starts_with('#');
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let color = svgtypes::Color::from_str(text).map_err(|_| ())?;
        let opaque = color.alpha == 255;
        if (is_hex || is_name) && opaque { Ok(Self([color.red, color.green, color.blue])) } else { Err(()) }
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self([red, green, blue]) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}
