//! The text of a file: plain, gzip (`.sifz`), or the first canvas of a zip (`.sfg`), with limits of size.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder};

use crate::SynfigError;

/// Longest text of a canvas in bytes. The largest public one is of 7 MB.
const MAX_TEXT: usize = 64 << 20;
/// The entry of an `.sfg` that has the canvas.
const PROJECT: &str = "project.sifproj";

/// The text of a file.
pub(crate) fn text(file: &str, bytes: &[u8]) -> Result<String, SynfigError> {
    let plain = if bytes.starts_with(&[0x1f, 0x8b]) {
        inflated(file, GzDecoder::new(bytes))?
    } else if bytes.starts_with(b"PK\x03\x04") {
        let is_canvas = |name: &[u8]| name.ends_with(b".sif") || name.ends_with(PROJECT.as_bytes());
        of_zip(file, bytes, is_canvas)?
    } else if bytes.len() > MAX_TEXT {
        return Err(too_long(file));
    } else {
        bytes.to_vec()
    };
    let text = String::from_utf8(plain).map_err(|_| SynfigError::new(file, "the text is not UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

fn too_long(file: &str) -> SynfigError {
    SynfigError::new(file, format!("the text is longer than {} MB", MAX_TEXT >> 20))
}

fn inflated(file: &str, reader: impl Read) -> Result<Vec<u8>, SynfigError> {
    let mut plain = Vec::new();
    let read = reader.take(MAX_TEXT as u64 + 1).read_to_end(&mut plain);
    read.map_err(|error| SynfigError::new(file, format!("it cannot be unpacked: {error}")))?;
    if plain.len() > MAX_TEXT { Err(too_long(file)) } else { Ok(plain) }
}

/// A file in an archive, by its name.
pub(crate) fn entry(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return Err(format!("\"{name}\" is in an archive, and this file is none"));
    }
    of_zip(name, bytes, |other| other == name.as_bytes()).map_err(|error| error.to_string())
}

/// An entry of a zip. Entries are found by the central directory (APPNOTE.TXT of PKWARE, 4.3.12), whose sizes hold
/// where local headers have none.
fn of_zip(file: &str, bytes: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, SynfigError> {
    let broken = || SynfigError::new(file, "the archive is broken");
    let short =
        |at: usize| bytes.get(at..at + 2).map(|two| usize::from(u16::from_le_bytes([two[0], two[1]])));
    let long = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(four)).ok()
    };
    // The end record has 22 bytes and a comment of up to 65,535.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let tail = bytes.get(from..).unwrap_or_default();
    let end = from + tail.windows(4).rposition(|four| four == b"PK\x05\x06").ok_or_else(broken)?;
    let mut at = long(end + 16).ok_or_else(broken)?;
    let mut found = None;
    for _ in 0..short(end + 10).ok_or_else(broken)? {
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err(broken());
        }
        let sizes = [28, 30, 32].map(|field| short(at + field).unwrap_or(0));
        let name = bytes.get(at + 46..at + 46 + sizes[0]).ok_or_else(broken)?;
        if is_meant(name) && found.is_none() {
            found = Some((short(at + 10), long(at + 20), long(at + 42)));
        }
        at += 46 + sizes.iter().sum::<usize>();
    }
    let Some((Some(method), Some(packed), Some(local))) = found else {
        return Err(SynfigError::new(file, "it is not in the archive").help("a film is a .sif file in it"));
    };
    let lengths = short(local + 26).zip(short(local + 28)).ok_or_else(broken)?;
    let start = local + 30 + lengths.0 + lengths.1;
    let data = bytes.get(start..start.saturating_add(packed)).ok_or_else(broken)?;
    match method {
        0 if data.len() <= MAX_TEXT => Ok(data.to_vec()),
        0 => Err(too_long(file)),
        8 => inflated(file, DeflateDecoder::new(data)),
        _ => Err(SynfigError::new(file, "the archive is compressed in another way than deflate")),
    }
}
