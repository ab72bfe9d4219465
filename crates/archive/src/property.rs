//! Tables of properties: everything that can be keyed has one row. The reader, the writer, the checks, the
//! documents and the page follow it.

/// What can be keyed, as rigs, messages and documents have it. The macro [`properties!`](crate::properties) makes
/// tables of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// Its name in a rig.
    pub name: &'static str,
    /// What its values are.
    pub kind: ValueKind,
    /// What each part of the value is where nothing is keyed, if it is the same for all targets.
    pub rest: f64,
    /// How a driver combines its value with that of the pose.
    pub drive: Join,
    /// The relative property in place of which it sets a value.
    pub in_place_of: Option<&'static str>,
    /// The pair of which it is one number, and which: 0 or 1.
    pub half_of: Option<(&'static str, usize)>,
    /// A value, in RON.
    pub value: &'static str,
    /// Keys, in RON.
    pub keys: &'static str,
    /// What holds where nothing is keyed, as the documents put it.
    pub unkeyed: &'static str,
    /// What other programs call it.
    pub also: &'static [&'static str],
    /// What it does, in Markdown.
    pub doc: &'static str,
}

/// What the values of a property are: their range and unit, how they are written, and whether they are eased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// An angle in degrees, which is not wrapped.
    Degrees,
    /// Any number.
    Number,
    /// A number of rounds; whole ones look alike.
    Rounds,
    /// A number in units of the drawing.
    Length,
    /// A number in units of the drawing that looks alike again after some of them.
    Phase,
    /// A number of 0 or more in units of the drawing.
    Width,
    /// A factor above 0, eased and mixed as its natural logarithm.
    Zoom,
    /// From 0 to 1.
    Share,
    /// From 0 to 1, of paint.
    Opacity,
    /// Two numbers in units of the drawing.
    Place,
    /// Two factors; one number stands for both.
    Size,
    /// Two numbers of 0 or more in units of the drawing; one number stands for both.
    Spread,
    /// A number that holds until the next key.
    Step,
    /// Yes or no.
    Flag,
    /// The name of a part of its target, or none.
    Child,
    /// The words of a text.
    Text,
    /// A colour: red, green and blue in sRGB, 0 to 255 each.
    Color,
    /// The name of another shape, or weights of several.
    Shape,
}

impl ValueKind {
    /// Whether its values have two parts.
    pub const fn is_pair(self) -> bool {
        self.parts() == 2
    }

    /// How many numbers its values are.
    pub const fn parts(self) -> usize {
        match self {
            Self::Place | Self::Size | Self::Spread => 2,
            Self::Color => 3,
            _ => 1,
        }
    }

    /// Whether its values hold until the next key.
    pub const fn steps(self) -> bool {
        matches!(self, Self::Step | Self::Flag | Self::Child | Self::Text)
    }
}

/// How a value is combined with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Not at all: only clips have it.
    Never,
    /// The difference from rest is added.
    Sum,
    /// They are multiplied.
    Product,
    /// The last one holds.
    Last,
    /// All must be true.
    All,
}

impl Property {
    /// What most rows have in common.
    pub const COMMON: Self = Self {
        name: "",
        kind: ValueKind::Number,
        rest: 0.0,
        drive: Join::Never,
        in_place_of: None,
        half_of: None,
        value: "",
        keys: "",
        unkeyed: "",
        also: &[],
        doc: "",
    };
}

/// An enum of properties with its table.
pub trait Properties: Copy + Ord + 'static {
    /// All of them, in the order of the documents.
    const ALL: &'static [Self];
    /// Their rows, in the same order.
    const ROWS: &'static [Property];

    /// Its row in the table.
    fn row(self) -> &'static Property;

    /// The property with this name in rigs.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|property| property.row().name == name)
    }

    /// The property that is one number of this pair alone: 0 or 1.
    fn half(self, part: usize) -> Option<Self> {
        let of = Some((self.row().name, part));
        Self::ALL.iter().copied().find(|property| property.row().half_of == of)
    }

    /// Whether both set the same number, so that only one of them can be keyed.
    fn excludes(self, other: Self) -> bool {
        let numbers = |property: Self| {
            let (pair, part) = property.row().half_of.map_or((property.row(), None), |(pair, part)| {
                (Self::named(pair).map_or(property.row(), Self::row), Some(part))
            });
            (pair.in_place_of.unwrap_or(pair.name), part)
        };
        let ((of, part), (of_other, other_part)) = (numbers(self), numbers(other));
        self != other && of == of_other && (part.is_none() || other_part.is_none() || part == other_part)
    }
}

/// Defines an enum of properties with its table: for each its documentation, its name, its number in packs, which
/// never changes, and what its row has besides [`Property::COMMON`].
#[macro_export]
macro_rules! properties {
    (
        $(#[$meta:meta])*
        pub enum $of:ident { $(
            $(#[doc = $doc:literal])*
            $property:ident = $number:literal, $name:literal { $($field:ident: $value:expr),* $(,)? }
        )* }
    ) => {
        $crate::archive! {
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum $of { $( $(#[doc = $doc])* $property = $number, )* }
        }

        impl $of {
            /// Its row in the table.
            pub const fn row(self) -> &'static $crate::Property {
                match self { $( Self::$property => &$crate::Property {
                    name: $name,
                    doc: concat!($($doc),*),
                    $($field: $value,)*
                    ..$crate::Property::COMMON
                }, )* }
            }

            /// Its name in a rig.
            pub const fn name(self) -> &'static str {
                self.row().name
            }
        }

        impl $crate::Properties for $of {
            const ALL: &'static [Self] = &[$( Self::$property, )*];
            const ROWS: &'static [$crate::Property] = &[$( *Self::$property.row(), )*];

            fn row(self) -> &'static $crate::Property {
                self.row()
            }
        }
    };
}
