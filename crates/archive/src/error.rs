//! Errors of reading.

use std::error::Error;
use std::fmt;

/// Bytes that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes do not begin as an archive does.
    NotAnArchive,
    /// The archive has another version.
    Version {
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// The length of the archive differs from the one in its header.
    Length {
        /// Bytes after the header.
        found: u64,
        /// Bytes that the header announces.
        announced: u64,
    },
    /// The bytes are not those that were written: their checksum is different.
    Checksum,
    /// A rig that takes more memory than a program gives it.
    TooLarge {
        /// What it gives, in bytes.
        most: usize,
    },
    /// A value that cannot be: an index without its list, a number that is not finite, lists that do not
    /// agree.
    Invalid {
        /// What it would have been.
        what: &'static str,
        /// Where, in bytes after the header.
        at: usize,
    },
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnArchive => f.write_str("this is not a packed rig"),
            Self::Version { found, known } if found > known => write!(
                f,
                "the rig was packed by a newer program (version {found} of packed rigs, this program reads {known})"
            ),
            Self::Version { found, known } => write!(
                f,
                "the rig was packed by an older program (version {found} of packed rigs, this program reads {known}): pack it again"
            ),
            Self::Length { found, announced } if found < announced => {
                write!(f, "the packed rig is cut off: {found} of {announced} bytes are left")
            }
            Self::Length { found, announced } => {
                write!(f, "the packed rig has {} bytes too many", found - announced)
            }
            Self::Checksum => f.write_str("the packed rig is damaged: its checksum is wrong"),
            Self::TooLarge { most } => write!(f, "the packed rig takes more than {} MB", most >> 20),
            Self::Invalid { what, at } => write!(f, "the packed rig is damaged: no {what} at byte {at}"),
        }
    }
}

impl Error for ArchiveError {}
