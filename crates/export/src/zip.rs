//! A ZIP archive, what a `.lottie` and an `.ora` are, and a gzip file, what a `.tgs` is.

use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use crate::error::ExportError;

/// The first of January 1980, the first day of the format: the same bytes at all times.
const DATE: u16 = 0x21;

/// A file in an archive.
pub(crate) struct ZipEntry {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is as it is, and not deflated.
    pub(crate) stored: bool,
}

/// An archive of these files.
pub(crate) fn archive(files: &[ZipEntry]) -> Result<Vec<u8>, ExportError> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for ZipEntry { name, bytes, stored } in files {
        let start = size(out.len())?;
        let deflated = if *stored { bytes.clone() } else { deflate(bytes)? };
        let mut header = Vec::new();
        // Version 2.0, names in UTF-8, deflate or nothing.
        for n in [20_u16, 0x800, if *stored { 0 } else { 8 }, 0, DATE] {
            header.extend(n.to_le_bytes());
        }
        for n in [crc32fast::hash(bytes), size(deflated.len())?, size(bytes.len())?] {
            header.extend(n.to_le_bytes());
        }
        let length = u16::try_from(name.len()).map_err(|_| ExportError::Compressor)?;
        header.extend(length.to_le_bytes());
        header.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&header);
        out.extend(name.as_bytes());
        out.extend(deflated);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&header);
        // No comment, disk 0, no attributes.
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length) = (size(out.len())?, size(directory.len())?);
    let count = u16::try_from(files.len()).map_err(|_| ExportError::Compressor)?;
    out.extend(directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

/// A gzip file (RFC 1952) without a name and a date.
#[cfg(feature = "vector")]
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, ExportError> {
    // Deflate, the best compression, no system.
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    out.extend(deflate(bytes)?);
    out.extend(crc32fast::hash(bytes).to_le_bytes());
    out.extend(size(bytes.len())?.to_le_bytes());
    Ok(out)
}

fn size(n: usize) -> Result<u32, ExportError> {
    u32::try_from(n).map_err(|_| ExportError::Compressor)
}

fn deflate(bytes: &[u8]) -> Result<Vec<u8>, ExportError> {
    let mut out = vec![0; compress_bound(bytes.len())];
    let (deflated, code) = compress_slice(&mut out, bytes, DeflateConfig::new(9));
    if code != ReturnCode::Ok || deflated.len() < 6 {
        return Err(ExportError::Compressor);
    }
    // Without the header and the checksum of zlib.
    Ok(deflated[2..deflated.len() - 4].to_vec())
}
