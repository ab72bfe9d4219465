//! A place beside an outline at rest, whose paint a fold may take.

use bone_archive::{Archive, ArchiveError, Reader, Writer};

/// A place of an outline at rest, one for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FoldPlace {
    /// The distance from its bones.
    pub(crate) depth: f64,
    /// The length of the outline on which the weights change.
    pub(crate) spread: f64,
    /// The winding of the paint beside it; 0 without a fill. With the even-odd rule, the winding that the
    /// subpath has alone there.
    pub(crate) paint: i8,
}

/// Most directions have none of it.
impl Archive for FoldPlace {
    fn write(&self, to: &mut Writer) {
        let Self { depth, spread, paint } = self;
        let is_plain = *self == Self { paint: *paint, ..Self::default() };
        to.byte((paint + 1) as u8 | u8::from(is_plain) << 2);
        if !is_plain {
            (*depth, *spread).write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let bits = from.byte()?;
        from.check(bits & 3 < 3 && bits < 8, "place of a fold")?;
        let (depth, spread) = if bits & 4 == 0 { Archive::read(from)? } else { (0.0, 0.0) };
        Ok(Self { depth, spread, paint: (bits & 3) as i8 - 1 })
    }
}
