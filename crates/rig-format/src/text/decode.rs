//! Bytes to text: UTF-8, as rigs should be, or what else editors save, with an error and its place.
//! The text that it returns is the one that all places refer to; it never fails.

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::span::{SourceId, Span};

/// The text in `bytes`. What is not UTF-8 is reported once, at the first wrong byte, and read as well as
/// possible.
pub fn decode<'a>(source: SourceId, bytes: &'a [u8], diagnostics: &mut Diagnostics) -> Cow<'a, str> {
    let utf16 = match bytes {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        _ => None,
    };
    if let Some((rest, unit)) = utf16 {
        diagnostics.push(
            Diagnostic::error("not-text", "this file is saved as UTF-16, and a rig must be UTF-8 text")
                .at(Place::new(source, Span::at(0)))
                .help("save it again with the encoding UTF-8"),
        );
        let units = rest.chunks_exact(2).map(|pair| match pair {
            &[first, second] => unit([first, second]),
            _ => 0,
        });
        return char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    let text = String::from_utf8_lossy(bytes);
    if let Err(fault) = std::str::from_utf8(bytes) {
        // Everything before the fault is the same in both, and there the lossy text has a replacement
        // character.
        let start = fault.valid_up_to();
        let end = start + char::REPLACEMENT_CHARACTER.len_utf8();
        let byte = bytes.get(start).copied().unwrap_or_default();
        diagnostics.push(
            Diagnostic::error(
                "not-text",
                format!("this is not UTF-8 text: the byte {byte:#04x} is not valid here"),
            )
            .at(Place::new(source, Span::new(start as u32, end as u32)))
            .help("save the file with the encoding UTF-8"),
        );
    }
    text
}
