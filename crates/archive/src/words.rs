//! Enums whose variants are words of a rig.

/// An enum whose variants are words of a rig. The macro [`words!`](crate::words) makes it.
pub trait Words: Copy + 'static {
    /// Each word with its value, in the order of the documents.
    const WORDS: &'static [(&'static str, Self)];
}

/// Defines an enum whose variants are written in rigs as they are named, and are packed as numbers, which never
/// change.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$word_meta:meta])* $word:ident = $number:literal, )* }
    ) => {
        $crate::archive! {
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
            pub enum $name { $( $(#[$word_meta])* $word = $number, )* }
        }

        impl $name {
            /// All words, in the order of the documents.
            pub const NAMES: &'static [&'static str] = &[$( stringify!($word), )*];

            /// The word in a rig.
            pub const fn word(self) -> &'static str {
                match self { $( Self::$word => stringify!($word), )* }
            }
        }

        impl $crate::Words for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$( (stringify!($word), Self::$word), )*];
        }
    };
}
