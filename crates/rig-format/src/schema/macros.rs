//! The macros that define the documents: [`record`] for structs, [`words`] for enums of words, [`variants`]
//! for enums of records.

/// A struct of the document and its table.
///
/// First come the members that are no fields. Then the fields, each with its documentation, which is its
/// meaning in the reference:
///
/// ```text
/// opt from: Spanned<Point> = (XY, "the parent's tip", "(230, 210)");
/// │   │     │                 │   │                   └ an example
/// │   │     │                 │   └ what holds without it
/// │   │     │                 └ its type
/// │   └ its name; `shift as "move"` if the document has another one
/// └ `opt`: an `Option` · `req`: required · `def`: its default if it is not given ·
///   `flat`: the fields of another record, and what differs
/// ```
///
/// A type may be followed by the words that other programs have for the field: `also ["rotation"]`.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $Doc:ident = $table:literal, $title:expr, $sample:literal {
            $( $(#[$own_meta:meta])* $own:ident: $Own:ty $(= $own_default:expr)?, )*
        }
        $(named $key:ident;)?
        $(seen |$doc_seen:ident, $span:ident, $complete:ident| $seen:expr;)?
        fields {
            $( $(#[doc = $doc:literal])* $mode:ident $member:ident $(as $name:literal)?: $Type:ty = ($($spec:tt)*) $(also $also:tt)?; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Doc {
            $( $(#[$own_meta])* pub $own: $Own, )*
            $( $(#[doc = $doc])* pub $member: record!(@member $mode $Type), )*
        }

        impl Default for $Doc {
            fn default() -> Self {
                Self {
                    $( $own: record!(@default $($own_default)?), )*
                    $( $member: Default::default(), )*
                }
            }
        }

        impl $Doc {
            pub(crate) const TABLE: &'static crate::schema::Table = &crate::schema::Table {
                name: $table,
                title: $title,
                example: $sample,
                entries: &[ $( record!(
                    @entry $mode [$Type] [record!(@name $member $($name)?)] [concat!($($doc),*)] [record!(@also $($also)?)] $($spec)*
                ), )* ],
            };
        }

        impl crate::schema::content::Content for $Doc {
            fn write(&self, words: &mut Vec<u64>) {
                $( crate::schema::content::Content::write(&self.$own, words); )*
                $( crate::schema::content::Content::write(&self.$member, words); )*
            }

            fn places(&mut self, see: &mut dyn FnMut(&mut crate::span::Span)) {
                $( crate::schema::content::Content::places(&mut self.$own, see); )*
                $( crate::schema::content::Content::places(&mut self.$member, see); )*
            }
        }

        impl crate::schema::record::Record for $Doc {
            const TABLE: &'static crate::schema::Table = Self::TABLE;

            fn name(&self) -> &str {
                record!(@key self $($key)?)
            }

            fn read_fields(
                &mut self,
                reader: &mut crate::schema::record::Reader<'_>,
                given: &mut crate::schema::record::Given<'_>,
            ) -> bool {
                let all = [$( record!(@read $mode (self.$member) reader given (record!(@name $member $($name)?))) ),*];
                !all.contains(&false)
            }

            $( fn seen(&mut self, $span: crate::span::Span, $complete: bool) {
                let $doc_seen = self;
                $seen
            } )?

            fn write_fields(&self, out: &mut crate::schema::record::FieldWriter) {
                $( record!(@write $mode (self.$member) out (record!(@name $member $($name)?))); )*
            }
        }
    };

    (@member opt $Type:ty) => { Option<$Type> };
    (@member $mode:ident $Type:ty) => { $Type };

    (@also) => { &[] };
    (@also $also:tt) => { &$also };

    (@default) => { Default::default() };
    (@default $default:expr) => { $default };

    (@name $member:ident) => { stringify!($member) };
    (@name $member:ident $name:literal) => { $name };

    (@key $self:ident) => { "" };
    (@key $self:ident $key:ident) => { &$self.$key.value };

    (@entry flat [$Type:ty] [$name:expr] [$doc:expr] [$also:expr] $($changes:tt)*) => {
        crate::schema::Entry::Flat(<$Type as crate::schema::record::Record>::TABLE, &[$($changes)*])
    };
    (@entry $mode:ident [$Type:ty] [$name:expr] [$doc:expr] [$also:expr] $of:expr, $default:literal, $example:literal) => {
        crate::schema::Entry::Field(crate::schema::Field {
            name: $name, of: &$of, default: Some($default), example: $example, doc: $doc, synonyms: $also,
        })
    };
    (@entry $mode:ident [$Type:ty] [$name:expr] [$doc:expr] [$also:expr] $of:expr, $example:literal) => {
        crate::schema::Entry::Field(crate::schema::Field {
            name: $name, of: &$of, default: None, example: $example, doc: $doc, synonyms: $also,
        })
    };

    // Whether it is there, or may be missing.
    (@read opt ($($member:tt)*) $reader:ident $given:ident ($name:expr)) => {{
        $($member)* = $given.value($reader, $name);
        true
    }};
    (@read def ($($member:tt)*) $reader:ident $given:ident ($name:expr)) => {{
        $($member)* = $given.value($reader, $name).unwrap_or_default();
        true
    }};
    (@read req ($($member:tt)*) $reader:ident $given:ident ($name:expr)) => {
        $given.value($reader, $name).map(|value| $($member)* = value).is_some()
    };
    (@read flat ($($member:tt)*) $reader:ident $given:ident ($name:expr)) => {
        $($member)*.read_fields($reader, $given)
    };

    (@write opt ($($member:tt)*) $out:ident ($name:expr)) => {
        $out.field_of($name, $($member)*.as_ref());
    };
    (@write def ($($member:tt)*) $out:ident ($name:expr)) => {
        $out.field_unless_default($name, &$($member)*);
    };
    (@write req ($($member:tt)*) $out:ident ($name:expr)) => { $out.field($name, &$($member)*); };
    (@write flat ($($member:tt)*) $out:ident ($name:expr)) => { $($member)*.write_fields($out); };
}

/// A record that is the value of a map, with its name and its place.
macro_rules! entry {
    (
        $(#[$meta:meta])*
        pub struct $Doc:ident = $table:literal, $title:expr, $sample:literal;
        fields $fields:tt
    ) => {
        crate::schema::record! {
            $(#[$meta])*
            pub struct $Doc = $table, $title, $sample {
                /// Its name.
                name: crate::span::Spanned<String>,
                /// Its brackets.
                span: crate::span::Span,
                /// Whether every part was readable.
                complete: bool = true,
            }
            named name;
            seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
            fields $fields
        }
    };
}

/// An enum of the document alone whose values are written as words: `Hold`.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $Doc:ident { $( $(#[$word_meta:meta])* $Word:ident, )* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
        #[non_exhaustive]
        pub enum $Doc { $( $(#[$word_meta])* $Word, )* }

        impl $Doc {
            /// The word in a rig.
            pub const fn word(self) -> &'static str {
                match self { $( Self::$Word => stringify!($Word), )* }
            }
        }

        impl bone_archive::Words for $Doc {
            const WORDS: &'static [(&'static str, Self)] = &[$( (stringify!($Word), Self::$Word), )*];
        }

        crate::schema::word_values!($Doc);
    };
}

/// Makes enums of words, those of the runtime too, values of fields.
macro_rules! word_values {
    ($( $Words:ident ),* $(,)?) => { $(
        impl crate::schema::WordType for $Words {
            const TYPE: crate::schema::Type = crate::schema::Type::Words({
                const COUNT: usize = <$Words as bone_archive::Words>::WORDS.len();
                const LIST: [crate::schema::Word; COUNT] = crate::schema::list_of_words::<$Words, COUNT>();
                &LIST
            });
        }

        impl crate::schema::content::Content for $Words {
            fn write(&self, words: &mut Vec<u64>) {
                crate::schema::content::Content::write(self.word(), words);
            }
        }

        impl crate::schema::record::Value for $Words {
            fn read(
                reader: &mut crate::schema::record::Reader<'_>,
                node: &crate::text::Node,
                slot: &crate::schema::record::Slot<'_>,
            ) -> Option<Self> {
                reader.word(node, slot.what, <Self as bone_archive::Words>::WORDS)
            }

            fn write(&self, _: crate::write::NumberHand, _: &crate::schema::Type) -> crate::text::Node {
                crate::text::Node::word(self.word())
            }
        }
    )* };
}

/// The records of an enum, each with a name before its brackets: `Rigid(…)`.
macro_rules! variants {
    (
        $Doc:ident = $title:literal, $sample:literal, $common:expr, $foreign:expr;
        $( $Variant:ident($Record:ty) $(= $changes:expr)?, )*
    ) => {
        impl $Doc {
            pub(crate) const VARIANTS: &'static crate::schema::Variants = &crate::schema::Variants {
                title: $title,
                example: $sample,
                common: $common,
                all: &[$( crate::schema::Variant {
                    name: stringify!($Variant),
                    table: <$Record>::TABLE,
                    changes: variants!(@changes $($changes)?),
                }, )*],
                foreign: $foreign,
            };
        }

        impl crate::schema::content::Content for $Doc {
            fn write(&self, words: &mut Vec<u64>) {
                match self { $( Self::$Variant(record) => {
                    crate::schema::content::Content::write(stringify!($Variant), words);
                    crate::schema::content::Content::write(record, words);
                } )* }
            }

            fn places(&mut self, see: &mut dyn FnMut(&mut crate::span::Span)) {
                match self { $( Self::$Variant(record) => crate::schema::content::Content::places(record, see), )* }
            }
        }

        impl crate::schema::record::OneOf for $Doc {
            fn read_variant(
                name: &str,
                reader: &mut crate::schema::record::Reader<'_>,
                given: &mut crate::schema::record::Given<'_>,
                span: crate::span::Span,
            ) -> Option<Self> {
                match name {
                    $( stringify!($Variant) => {
                        given.record::<$Record>(reader, span).map(Self::$Variant)
                    } )*
                    _ => None,
                }
            }

            fn variant(&self) -> &'static str {
                match self { $( Self::$Variant(_) => stringify!($Variant), )* }
            }

            fn write_variant(&self, out: &mut crate::schema::record::FieldWriter) {
                use crate::schema::record::Record as _;
                match self { $( Self::$Variant(record) => record.write_fields(out), )* }
            }
        }
    };
    (@changes) => { &[] };
    (@changes $changes:expr) => { $changes };
}

pub(crate) use {entry, record, variants, word_values, words};
