//! The header: eight bytes of name, the version, the length of what follows, and its checksum.

use crate::{Archive, ArchiveError, Reader, Writer};

/// The first bytes of an archive. The first is no text in any encoding, and the line ends show whether a
/// transfer has changed them (as those of PNG do).
pub const MAGIC: [u8; 8] = *b"\x8fbones\r\n";

/// The length of the header: name, version, length and checksum.
const HEADER: usize = 28;

/// The checksum of bytes: FNV-1a with 64 bits (Fowler, Noll and Vo), over eight bytes at a time. It finds
/// damage, not forgery.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // The product moves bits up alone.
        hash ^= hash >> 32;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
    rest.iter().for_each(|byte| add(u64::from(*byte)));
    hash
}

/// An archive of a value.
pub fn pack(version: u32, value: &impl Archive) -> Vec<u8> {
    let mut writer = Writer::new();
    value.write(&mut writer);
    let payload = writer.finish();
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

/// Reads an archive of a value of this version, to its last byte.
///
/// # Errors
/// If the bytes are not such an archive.
pub fn unpack<T>(
    version: u32,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, ArchiveError>,
) -> Result<T, ArchiveError> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else { return Err(ArchiveError::NotAnArchive) };
    let cut = ArchiveError::Length { found: bytes.len() as u64, announced: HEADER as u64 };
    let (found, rest) = rest.split_first_chunk::<4>().ok_or(cut.clone())?;
    let found = u32::from_le_bytes(*found);
    // A newer version may have another header.
    if found != version {
        return Err(ArchiveError::Version { found, known: version });
    }
    let (announced, rest) = rest.split_first_chunk::<8>().ok_or(cut.clone())?;
    let (sum, payload) = rest.split_first_chunk::<8>().ok_or(cut)?;
    let (found, announced) = (payload.len() as u64, u64::from_le_bytes(*announced));
    if found != announced {
        return Err(ArchiveError::Length { found, announced });
    }
    if checksum(payload) != u64::from_le_bytes(*sum) {
        return Err(ArchiveError::Checksum);
    }
    let mut reader = Reader::new(payload);
    let value = read(&mut reader)?;
    if reader.left() > 0 {
        return Err(reader.invalid("end"));
    }
    Ok(value)
}
