//! Bytes of an SVG file -> text: UTF-8 with or without a byte order mark, and UTF-16 with one. Compressed
//! drawings and other encodings are errors with advice.

use super::place::SvgError;

const GZIP: [u8; 2] = [0x1f, 0x8b];

pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, SvgError> {
    if bytes.starts_with(&GZIP) {
        return Err(refused("it is compressed (SVGZ). Unzip it, or save it as plain SVG"));
    }
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) if text.contains('\0') => Err(refused("it holds binary data")),
            Ok(text) => Ok(text),
            Err(error) => Err(refused(&format!(
                "byte {} is not UTF-8 text. Save it again as plain SVG, in UTF-8",
                error.utf8_error().valid_up_to()
            ))),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, SvgError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(refused("its UTF-16 text is cut off in the middle of a character"));
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| refused("its UTF-16 text is damaged. Save it again in UTF-8"))
}

fn refused(reason: &str) -> SvgError {
    SvgError::NotText { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_in_both_orders() {
        let text = "<svg/>é";
        let little: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let big: Vec<u8> =
            [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
        assert_eq!(decode(little.clone()).unwrap(), text);
        assert_eq!(decode(big).unwrap(), text);
        assert!(decode(little[..5].to_vec()).is_err());
    }

    #[test]
    fn compressed_and_binary_bytes_are_refused_with_advice() {
        assert!(decode(vec![0x1f, 0x8b, 8]).unwrap_err().to_string().contains("Unzip"));
        assert!(decode(vec![0xc3, 0x28]).unwrap_err().to_string().contains("UTF-8"));
        assert!(decode(b"\0\0".to_vec()).is_err());
    }
}
