//! Packed data: values one after the other, in little endian, behind a header with version, length and
//! checksum.
//!
//! [`Archive`] is what can be packed; the macro [`archive!`] makes it from one list of fields. A [`Reader`]
//! checks each value: counts against the bytes that are left, indices against the length of the list that
//! they point into, and that numbers are finite. What needs several values to be checked (lists that must
//! agree) is checked by the types themselves.
//!
//! ```
//! use bone_archive::{Archive, Reader, Writer, archive, pack, unpack};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Key { time: f64, name: String }
//! archive!(struct Key { time, name });
//!
//! let bytes = pack(1, &[Key { time: 0.5, name: "up".to_owned() }].to_vec());
//! let keys: Vec<Key> = unpack(1, &bytes, Archive::read)?;
//! assert_eq!(keys[0].name, "up");
//! assert!(unpack(1, &bytes[..20], <Vec<Key>>::read).is_err());
//! # Ok::<(), bone_archive::ArchiveError>(())
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod error;
mod geometry;
mod header;
mod property;
mod reader;
mod values;
mod words;
mod writer;

pub use error::ArchiveError;
pub use header::{MAGIC, checksum, pack, unpack};
pub use property::{Join, Properties, Property, ValueKind};
pub use reader::{Kind, Reader};
pub use words::Words;
pub use writer::Writer;

/// A value that can be packed.
pub trait Archive: Sized {
    /// Writes the value.
    fn write(&self, to: &mut Writer);

    /// Reads a value.
    ///
    /// # Errors
    /// If the bytes are not such a value.
    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError>;
}

/// Makes an [`Archive`] of a struct from a list of its fields, or of an index from the list that it points into; or
/// defines an enum that is one.
///
/// Fields that are computed again come after a semicolon, with their values; behind `if` is what must hold of the
/// fields together, with the name of the thing for the error. Variants have a number in the
/// file, which never changes.
#[macro_export]
macro_rules! archive {
    (
        struct $name:ident { $($field:ident),* $(,)? $(; $($computed:ident = $value:expr),* $(,)?)? }
        $(if |$it:ident| $is_sound:expr, $what:literal)?
    ) => {
        impl $crate::Archive for $name {
            fn write(&self, to: &mut $crate::Writer) {
                let Self { $($field,)* $($($computed: _,)*)? } = self;
                $($crate::Archive::write($field, to);)*
            }

            fn read(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::ArchiveError> {
                $(let $field = $crate::Archive::read(from)?;)*
                let value = Self { $($field,)* $($($computed: $value,)*)? };
                $(
                    let $it = &value;
                    from.check($is_sound, $what)?;
                )?
                Ok(value)
            }
        }
    };
    (struct $name:ident of $kind:ident) => {
        impl $crate::Archive for $name {
            fn write(&self, to: &mut $crate::Writer) {
                $crate::Archive::write(&self.0, to);
            }

            fn read(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::ArchiveError> {
                from.index($crate::Kind::$kind).map(Self)
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $(
            $(#[$variant_meta:meta])*
            $variant:ident
            $({ $( $(#[$field_meta:meta])* $field:ident: $type:ty ),* $(,)? })?
            $(($first:ty $(, $second:ty)?))?
            = $number:literal
        ),* $(,)? }
    ) => {
        $(#[$meta])*
        $vis enum $name { $(
            $(#[$variant_meta])*
            $variant $({ $( $(#[$field_meta])* $field: $type ),* })? $(($first $(, $second)?))?,
        )* }

        impl $crate::Archive for $name {
            fn write(&self, to: &mut $crate::Writer) {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($crate::named!(first $first) $(, $crate::named!(second $second))?))? => {
                        to.byte($number);
                        $($($crate::Archive::write($field, to);)*)?
                        $(
                            $crate::Archive::write($crate::named!(first $first), to);
                            $($crate::Archive::write($crate::named!(second $second), to);)?
                        )?
                    })*
                }
            }

            fn read(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::ArchiveError> {
                Ok(match from.byte()? {
                    $($number => Self::$variant
                        $({ $($field: $crate::Archive::read(from)?),* })?
                        $((<$first as $crate::Archive>::read(from)? $(, <$second as $crate::Archive>::read(from)?)?))?,
                    )*
                    _ => return Err(from.invalid(stringify!($name))),
                })
            }
        }
    };
}

/// The name of a part of a variant, whose type alone the variant gives.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($name:ident $type:ty) => {
        $name
    };
}
