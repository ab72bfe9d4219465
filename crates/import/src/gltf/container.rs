//! The two containers: JSON text (`.gltf`), or a header with chunks (`.glb`).

use std::ops::Range;

use crate::ImportError;

/// The first bytes of a binary container.
const MAGIC: &[u8; 4] = b"glTF";

/// The parts of a file.
pub(super) struct Container<'b> {
    pub(super) json: &'b [u8],
    /// The range of the JSON in a binary file; `None` for text.
    pub(super) within: Option<Range<usize>>,
    pub(super) binary: Option<&'b [u8]>,
}

impl<'b> Container<'b> {
    pub(super) fn read(bytes: &'b [u8]) -> Result<Self, ImportError> {
        if !bytes.starts_with(MAGIC) {
            return Ok(Self { json: bytes, within: None, binary: None });
        }
        let word = |at: usize| {
            let four = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes(four.try_into().ok()?))
        };
        let (Some(version), Some(announced)) = (word(4), word(8)) else {
            return Err(ends(bytes.len(), "its header of 12 bytes"));
        };
        if version != 2 {
            let message = format!("byte 4: this is glTF {version}, and glTF 2 is read");
            return Err(ImportError::new(message).help("export it again as glTF 2.0"));
        }
        let announced = announced as usize;
        if announced > bytes.len() {
            return Err(ends(bytes.len(), &format!("the {announced} bytes that its header announces")));
        }
        let mut found = Self { json: &[], within: None, binary: None };
        let mut at = 12;
        while at < announced {
            let (Some(length), Some(kind)) = (word(at), word(at + 4)) else {
                return Err(ends(bytes.len(), "the header of a chunk"));
            };
            let content = at + 8..(at + 8).saturating_add(length as usize);
            let Some(chunk) = bytes.get(content.clone()).filter(|_| content.end <= announced) else {
                let message = format!("byte {at}: a chunk of {length} bytes is longer than the file");
                return Err(ImportError::new(message).help("it may have been cut off"));
            };
            match kind {
                // "JSON"
                0x4E4F_534A if found.within.is_none() => {
                    found.json = chunk;
                    found.within = Some(content.clone());
                }
                // "BIN"
                0x004E_4942 if found.binary.is_none() => found.binary = Some(chunk),
                // Chunks of extensions.
                _ => {}
            }
            at = content.end.next_multiple_of(4);
        }
        fail_if!(found.within.is_none(), "byte 12: there is no JSON chunk in this file");
        Ok(found)
    }

    /// An error with a place in the text; in a binary file the place is a byte of the file.
    pub(super) fn located(&self, error: ImportError) -> ImportError {
        match (&self.within, &error.span) {
            (Some(within), Some(span)) => {
                let message = format!("byte {}: {}", within.start + span.start, error.message);
                ImportError { message, span: None, ..error }
            }
            _ => error,
        }
    }
}

fn ends(at: usize, wanted: &str) -> ImportError {
    ImportError::new(format!("byte {at}: the file ends before {wanted}")).help("it may have been cut off")
}
