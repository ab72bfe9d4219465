//! Numbers, texts, lists, options, pairs and shared values.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::reader::unzigzag;
use crate::writer::zigzag;
use crate::{Archive, ArchiveError, Reader, Writer};

/// The ways in which a number is written; the three lowest bits of its first byte. Below `SHARES` it is a whole number
/// over this power of ten.
const SHARES: u64 = 5;
const SINGLE: u64 = 6;
const DOUBLE: u64 = 7;
/// The unit of shares: 2^-16.
const SHARE: f64 = 65_536.0;
const TENS: [f64; SHARES as usize] = [1.0, 10.0, 100.0, 1e3, 1e4];

/// Numbers that people type have few digits, and shares are rounded: both are whole numbers over a unit. The quotient is
/// rounded as that of the text is, to a double or a single, so no bit is lost. Others have four or eight bytes.
impl Archive for f64 {
    fn write(&self, to: &mut Writer) {
        /// Above this a single has fewer bytes.
        const MOST: f64 = 16_777_216.0;
        let whole = |unit: f64, read: fn(f64) -> Self| {
            let whole = Some((self * unit).round()).filter(|whole| whole.abs() < MOST)? as i64;
            (read(whole as Self / unit).to_bits() == self.to_bits()).then(|| zigzag(whole))
        };
        let units = (0..).zip(TENS).chain([(SHARES, SHARE)]);
        let mut found = units.filter_map(|(way, unit)| Some((way, whole(unit, |it| it)?)));
        if let Some((way, whole)) = found.next() {
            to.number(whole << 3 | way);
        } else if single(*self).to_bits() == self.to_bits() {
            let mut found =
                (0..).zip(&TENS[1..]).filter_map(|(tens, unit)| Some((tens, whole(*unit, single)?)));
            let Some((tens, whole)) = found.next() else {
                to.number(SINGLE);
                return to.bytes(&(*self as f32).to_le_bytes());
            };
            to.number(((whole << 2 | tens) + 1) << 3 | SINGLE);
        } else {
            to.number(DOUBLE);
            to.bytes(&self.to_le_bytes());
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let head = from.number()?;
        let whole = unzigzag(head >> 3) as Self;
        let number = match head & 7 {
            SHARES => whole / SHARE,
            SINGLE if head > SINGLE => {
                let rest = (head >> 3) - 1;
                single(unzigzag(rest >> 2) as Self / TENS[(rest & 3) as usize + 1])
            }
            SINGLE => Self::from(f32::from_le_bytes(from.array()?)),
            DOUBLE => Self::from_le_bytes(from.array()?),
            tens => whole / TENS[tens as usize],
        };
        from.check(number.is_finite(), "finite number")?;
        Ok(number)
    }
}

/// The nearest single.
fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

impl Archive for bool {
    fn write(&self, to: &mut Writer) {
        to.byte(u8::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let byte = from.byte()?;
        from.check(byte <= 1, "truth value")?;
        Ok(byte == 1)
    }
}

impl Archive for u8 {
    fn write(&self, to: &mut Writer) {
        to.byte(*self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        from.byte()
    }
}

macro_rules! whole {
    ($($number:ty),*) => {$(
        impl Archive for $number {
            fn write(&self, to: &mut Writer) {
                to.number(*self as u64);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
                Self::try_from(from.number()?).map_err(|_| from.invalid("number"))
            }
        }
    )*};
}
whole!(u32, u64, usize);

impl Archive for String {
    fn write(&self, to: &mut Writer) {
        to.number(self.len() as u64);
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let count = from.count()?;
        let text = std::str::from_utf8(from.bytes(count)?).map(str::to_owned);
        text.map_err(|_| from.invalid("text"))
    }
}

impl Archive for Cow<'static, str> {
    fn write(&self, to: &mut Writer) {
        to.number(self.len() as u64);
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        String::read(from).map(Self::Owned)
    }
}

impl<T: Archive> Archive for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.list(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        from.list()
    }
}

impl<T: Archive> Archive for Box<T> {
    fn write(&self, to: &mut Writer) {
        (**self).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        T::read(from).map(Self::new)
    }
}

impl<T: Archive> Archive for Option<T> {
    fn write(&self, to: &mut Writer) {
        self.is_some().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        Ok(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Archive + Any + Send + Sync> Archive for Arc<T> {
    fn write(&self, to: &mut Writer) {
        to.shared(self, T::write);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        from.shared(|from| T::read(from).map(Self::new))
    }
}

impl<T: Archive + Any + Send + Sync> Archive for Arc<[T]> {
    fn write(&self, to: &mut Writer) {
        to.shared(self, |list, to| to.list(list));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        from.shared(|from| from.list().map(Self::from))
    }
}

impl Archive for Arc<str> {
    fn write(&self, to: &mut Writer) {
        to.number(self.len() as u64);
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        String::read(from).map(Self::from)
    }
}

impl Archive for Range<usize> {
    fn write(&self, to: &mut Writer) {
        (self.start, self.end).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (start, end) = Archive::read(from)?;
        from.check(start <= end, "range")?;
        Ok(start..end)
    }
}

impl<T: Archive, const N: usize> Archive for [T; N] {
    fn write(&self, to: &mut Writer) {
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let mut list = Vec::with_capacity(N);
        for _ in 0..N {
            list.push(T::read(from)?);
        }
        Self::try_from(list).map_err(|_| from.invalid("list"))
    }
}

/// Written as the value itself; read where it is owned.
impl<T: Archive> Archive for &T {
    fn write(&self, to: &mut Writer) {
        (**self).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        Err(from.invalid("reference"))
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Archive),*> Archive for ($($name,)*) {
            fn write(&self, to: &mut Writer) {
                $(self.$index.write(to);)*
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
                Ok(($($name::read(from)?,)*))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);

#[cfg(test)]
mod tests {
    use super::*;

    fn written(number: f64) -> Vec<u8> {
        let mut writer = Writer::new();
        number.write(&mut writer);
        writer.finish()
    }

    /// Numbers as people type them, as singles, as shares, and any bits.
    #[test]
    fn numbers_keep_their_bits() {
        let typed = (-30_000..30_000).map(|whole| f64::from(whole) / 1000.0);
        let singles = typed.clone().map(|number| f64::from(number as f32));
        let shares = (0..=65_536).map(|whole| f64::from(whole) / 65_536.0);
        let mut bits = 1_u64;
        let any = std::iter::repeat_with(|| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(bits)
        });
        let any = any.take(100_000).filter(|number| number.is_finite());
        let edges = [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 16_777_216.0, -16_777_215.5, 0.1 + 0.2];
        for number in typed.chain(singles).chain(shares).chain(any).chain(edges) {
            let bytes = written(number);
            let read = f64::read(&mut Reader::new(&bytes)).expect("a number");
            assert_eq!(read.to_bits(), number.to_bits(), "{number}");
        }
    }

    /// What has few digits has few bytes.
    #[test]
    fn short_numbers_are_short() {
        let lengths = [0.0, 1.0, -7.5, 0.25, 480.0, 12.3, f64::from(12.3_f32), 1.0 / 3.0];
        assert_eq!(lengths.map(|number| written(number).len()), [1, 1, 2, 2, 2, 2, 2, 9]);
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(f64::read(&mut Reader::new(&written(number))).is_err(), "{number}");
        }
    }

    #[test]
    fn steps_come_back() {
        for numbers in [vec![], vec![0; 1000], vec![5, 5, 5, -7, i64::MAX, i64::MIN, 0], (0..300).collect()] {
            let mut writer = Writer::new();
            writer.steps(numbers.iter().copied());
            let bytes = writer.finish();
            assert_eq!(Reader::new(&bytes).steps(numbers.len()).expect("steps"), numbers);
        }
        // A run that is longer than the list, and a list that is longer than memory.
        assert!(Reader::new(&[0, 9]).steps(9).is_err());
        let mut writer = Writer::new();
        writer.number(1 << 40);
        let found = Reader::new(&writer.finish()).steps_count();
        assert!(matches!(found, Err(ArchiveError::TooLarge { .. })), "{found:?}");
    }
}
