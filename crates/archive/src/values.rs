//! Numbers, texts, lists, options, pairs and shared values.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::{Archive, ArchiveError, Reader, Writer};

impl Archive for f64 {
    fn write(&self, to: &mut Writer) {
        to.bytes(&self.to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let number = Self::from_le_bytes(from.array()?);
        from.check(number.is_finite(), "finite number")?;
        Ok(number)
    }
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
