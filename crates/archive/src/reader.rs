//! Reads values from bytes that may be anything.

use std::any::Any;
use std::sync::Arc;

use crate::{Archive, ArchiveError};

/// The lists that values of an archive point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the lists are named as their entries are")]
pub enum Kind {
    Bone,
    Path,
    Node,
    Element,
    Gradient,
    Pattern,
    Clip,
    Mask,
    Filter,
}

const KINDS: usize = 9;
/// A few bytes may stand for many. What they become may be this and so many times what was read: columns of a path are
/// about thirty times its plan.
const MOST_GROWN: usize = 256 << 20;
const MOST_TIMES: usize = 128;

/// The bytes of an archive that are not read yet.
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    shared: Vec<Arc<dyn Any + Send + Sync>>,
    /// The length of the list of each kind; no index is in range before it is known.
    counts: [usize; KINDS],
    /// Bytes that values take beyond those of the archive.
    grown: usize,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("at", &self.at).field("left", &self.left()).finish_non_exhaustive()
    }
}

impl<'b> Reader<'b> {
    /// All bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, shared: Vec::new(), counts: [0; KINDS], grown: 0 }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The error of a value that cannot be.
    pub fn invalid(&self, what: &'static str) -> ArchiveError {
        ArchiveError::Invalid { what, at: self.at }
    }

    /// An error unless it holds.
    ///
    /// # Errors
    /// If it does not hold.
    pub fn check(&self, holds: bool, what: &'static str) -> Result<(), ArchiveError> {
        if holds { Ok(()) } else { Err(self.invalid(what)) }
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// At the end.
    pub fn byte(&mut self) -> Result<u8, ArchiveError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// Reads bytes of which the number is known.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ArchiveError> {
        let (bytes, _) = self.bytes[self.at..].split_first_chunk().ok_or_else(|| self.invalid("value"))?;
        self.at += N;
        Ok(*bytes)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], ArchiveError> {
        let bytes = self.bytes[self.at..].get(..count).ok_or_else(|| self.invalid("bytes"))?;
        self.at += count;
        Ok(bytes)
    }

    /// Reads a whole number.
    ///
    /// # Errors
    /// If it has more than 64 bits.
    pub fn number(&mut self) -> Result<u64, ArchiveError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            self.check(shift < 63 || bits <= 1, "number")?;
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.invalid("number"))
    }

    /// Reads a limit, which may be infinite.
    ///
    /// # Errors
    /// If it is not a number.
    pub fn limit(&mut self) -> Result<f64, ArchiveError> {
        let limit = f64::from_le_bytes(self.array()?);
        self.check(!limit.is_nan(), "limit")?;
        Ok(limit)
    }

    /// Reads the count of a list whose values take at least one byte each.
    ///
    /// # Errors
    /// If so many bytes are not left.
    pub fn count(&mut self) -> Result<usize, ArchiveError> {
        let count = self.number()?;
        let count = usize::try_from(count).ok().filter(|count| *count <= self.left());
        count.ok_or_else(|| self.invalid("list"))
    }

    /// Reads a list.
    ///
    /// # Errors
    /// If a value cannot be read.
    pub fn list<T: Archive>(&mut self) -> Result<Vec<T>, ArchiveError> {
        let count = self.count()?;
        // Values are larger in memory than in the archive: a list grows as they are read.
        let mut list = Vec::with_capacity(count.min(4096));
        for _ in 0..count {
            list.push(T::read(self)?);
        }
        Ok(list)
    }

    /// Reads the count of numbers that follow as steps, of which a few bytes may be many.
    ///
    /// # Errors
    /// If they take too much memory.
    pub fn steps_count(&mut self) -> Result<usize, ArchiveError> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        // About the bytes that a vertex of patches takes while it is read.
        self.grow(count.saturating_mul(64))?;
        Ok(count)
    }

    /// Reads so many numbers of [`Writer::steps`](crate::Writer::steps).
    ///
    /// # Errors
    /// If they are others.
    pub fn steps(&mut self, count: usize) -> Result<Vec<i64>, ArchiveError> {
        let (mut numbers, mut last) = (Vec::new(), 0_i64);
        while numbers.len() < count {
            let step = self.number()?;
            let run = if step == 0 { self.number()? } else { 0 };
            self.check(run < (count - numbers.len()) as u64, "number")?;
            last = last.wrapping_add(unzigzag(step));
            numbers.resize(numbers.len() + 1 + run as usize, last);
        }
        Ok(numbers)
    }

    /// Counts bytes that a value takes beyond those of the archive.
    ///
    /// # Errors
    /// If all of them are more than 256 MB and 128 times the archive.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ArchiveError> {
        self.grown = self.grown.saturating_add(bytes);
        let most = self.bytes.len().saturating_mul(MOST_TIMES).saturating_add(MOST_GROWN);
        if self.grown > most { Err(ArchiveError::TooLarge { most }) } else { Ok(()) }
    }

    /// Reads a value that is shared.
    ///
    /// # Errors
    /// If it cannot be read, or has another type where it was shared first.
    pub fn shared<T: ?Sized>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Arc<T>, ArchiveError>,
    ) -> Result<Arc<T>, ArchiveError>
    where
        Arc<T>: Any + Send + Sync,
    {
        match self.number()? {
            0 => {
                let value = read(self)?;
                self.shared.push(Arc::new(Arc::clone(&value)));
                Ok(value)
            }
            number => {
                let known = usize::try_from(number - 1).ok().and_then(|number| self.shared.get(number));
                let value = known.and_then(|any| any.downcast_ref::<Arc<T>>());
                value.cloned().ok_or_else(|| self.invalid("shared value"))
            }
        }
    }

    /// Sets the length of the list that indices of a kind point into.
    pub fn set_count(&mut self, kind: Kind, count: usize) {
        self.counts[kind as usize] = count;
    }

    /// The length of the list of a kind.
    pub fn count_of(&self, kind: Kind) -> usize {
        self.counts[kind as usize]
    }

    /// Reads an index.
    ///
    /// # Errors
    /// If its list does not have it.
    pub fn index(&mut self, kind: Kind) -> Result<u32, ArchiveError> {
        let number = self.number()?;
        let index = u32::try_from(number).ok().filter(|index| (*index as usize) < self.count_of(kind));
        index.ok_or_else(|| self.invalid("index"))
    }
}

/// A signed number whose lowest bit is the sign.
pub(crate) const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
