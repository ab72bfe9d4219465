//! Messages and the records in them: each has one list of its fields, from which its type in Rust, its JSON, its
//! type in TypeScript and its row of a table follow. (`serde` does not name the field that is wrong; `ts-rs` has
//! types without documents.)

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Why a message cannot be carried out. Empty: a value is not what its field must be.
pub(crate) type Reason = String;

/// The fields of a message.
pub(crate) type JsonObject = Map<String, Value>;

/// A type of the fields of messages.
pub(crate) trait Wire: Sized {
    /// What a value must be, as messages about mistakes say.
    const WHAT: &'static str;
    /// The same of a list of them.
    const LIST: &'static str = "a list";

    /// The type in TypeScript.
    #[cfg(test)]
    fn typescript() -> String;

    /// A value of a message.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(value: &Value) -> Result<Self, Reason>;

    fn json(&self) -> Value;

    /// The value of a field that is left out or null, if it may be.
    fn absent() -> Option<Self> {
        None
    }

    /// The field of a message.
    fn field(object: &JsonObject, name: &str) -> Result<Self, Reason> {
        named_field(object, name)
    }

    /// Adds the field to a message.
    fn put(&self, name: &str, object: &mut JsonObject) {
        object.insert(name.to_owned(), self.json());
    }

    /// Adds what documents say of the field.
    #[cfg(test)]
    fn describe(name: &'static str, all: &mut Vec<FieldText>) {
        let kind = Self::typescript();
        all.push(FieldText { name, kind, may_be_left_out: Self::absent().is_some() });
    }
}

fn named_field<T: Wire>(object: &JsonObject, name: &str) -> Result<T, Reason> {
    let missing = || format!("`{name}` must be {}", T::WHAT);
    match object.get(name).filter(|value| !value.is_null()) {
        None => T::absent().ok_or_else(missing),
        Some(value) => T::read(value).map_err(|why| if why.is_empty() { missing() } else { why }),
    }
}

/// What documents say of a field.
#[cfg(test)]
pub(crate) struct FieldText {
    pub(crate) name: &'static str,
    pub(crate) kind: String,
    pub(crate) may_be_left_out: bool,
}

/// What documents say of a record or a message.
#[cfg(test)]
pub(crate) struct RecordText {
    pub(crate) name: &'static str,
    pub(crate) about: String,
    pub(crate) fields: Vec<FieldText>,
}

/// Fields that stand together: in an object of their own, or among those of a message.
pub(crate) trait WireRecord: Sized {
    /// Whether they are among the fields of a message.
    const IS_PART: bool;

    fn read_fields(object: &JsonObject) -> Result<Self, Reason>;
    fn put_fields(&self, object: &mut JsonObject);
    #[cfg(test)]
    fn text() -> RecordText;

    /// All fields.
    fn object(&self) -> JsonObject {
        let mut object = JsonObject::new();
        self.put_fields(&mut object);
        object
    }
}

/// Messages that one field tells apart.
pub(crate) trait WireEnum: Sized {
    /// That field.
    const TAG: &'static str;

    /// The message of a name; none if there is no such name.
    fn read_variant(name: &str, object: &JsonObject) -> Result<Option<Self>, Reason>;
    fn put_fields(&self, object: &mut JsonObject);
    #[cfg(test)]
    fn texts() -> Vec<RecordText>;

    /// Reads a message; `what` names its kind.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read_message(object: &JsonObject, what: &str) -> Result<Self, Reason> {
        let name = String::field(object, Self::TAG)?;
        Self::read_variant(&name, object)?.ok_or_else(|| format!("there is no {what} \"{name}\""))
    }

    /// The whole message.
    fn message(&self) -> Value {
        let mut object = JsonObject::new();
        self.put_fields(&mut object);
        object.into()
    }
}

/// The name of a field in messages: that in Rust, or another one.
macro_rules! name_of {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $other:literal) => {
        $other
    };
}

/// A field of a message; where it is left out, its default.
macro_rules! field_of {
    ($object:ident, $name:expr, $of:ty) => {
        <$of as $crate::message::Wire>::field($object, $name)?
    };
    ($object:ident, $name:expr, $of:ty, $default:expr) => {
        <Option<$of> as $crate::message::Wire>::field($object, $name)?.unwrap_or_else(|| $default)
    };
}

/// Documents of a field.
#[cfg(test)]
macro_rules! describe_field {
    ($all:ident, $name:expr, $of:ty) => {
        <$of as $crate::message::Wire>::describe($name, &mut $all)
    };
    ($all:ident, $name:expr, $of:ty, $default:expr) => {
        $all.extend([$crate::message::FieldText {
            name: $name,
            kind: <$of as $crate::message::Wire>::typescript(),
            may_be_left_out: true,
        }])
    };
}

/// Documents of a record or a message.
#[cfg(test)]
macro_rules! describe_record {
    ($title:expr, [$($doc:expr),*], $( $name:ident $(as $other:literal)? : $of:ty $(= $default:expr)? ),*) => {{
        #[allow(unused_mut, reason = "there are messages without fields")]
        let mut all = Vec::new();
        $( describe_field!(all, name_of!($name $($other)?), $of $(, $default)?); )*
        let about = [$($doc),*].concat();
        $crate::message::RecordText { name: $title, about: about.trim().to_owned(), fields: all }
    }};
}

/// A struct whose fields are those of a record, or a part of one.
macro_rules! record_of {
    ($is_part:literal, $(#[doc = $doc:literal])* $Record:ident {
        $( $name:ident $(as $other:literal)? : $of:ty $(= $default:expr)? ),* $(,)?
    }) => {
        impl $crate::message::WireRecord for $Record {
            const IS_PART: bool = $is_part;

            fn read_fields(object: &$crate::message::JsonObject) -> Result<Self, $crate::message::Reason> {
                Ok(Self { $( $name: field_of!(object, name_of!($name $($other)?), $of $(, $default)?), )* })
            }

            fn put_fields(&self, object: &mut $crate::message::JsonObject) {
                $( $crate::message::Wire::put(&self.$name, name_of!($name $($other)?), object); )*
            }

            #[cfg(test)]
            fn text() -> $crate::message::RecordText {
                describe_record!(
                    stringify!($Record), [$($doc),*], $( $name $(as $other)? : $of $(= $default)? ),*
                )
            }
        }
    };
}

/// Defines records (`record` has an object of its own, the fields of a `part` are among those around it) and
/// messages: `union Request by "t" { /// Document. Frame as "frame" { time: f64, clip: Option<String>, }, }`. A field
/// with `= value` may be left out.
macro_rules! messages {
    () => {};
    (@record $is_part:literal, $(#[doc = $doc:literal])* $Record:ident {
        $( $(#[$meta:meta])* $name:ident $(as $other:literal)? : $of:ty $(= $default:expr)? ),* $(,)?
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $Record { $( $(#[$meta])* pub(crate) $name: $of, )* }

        record_of! { $is_part, $(#[doc = $doc])* $Record {
            $( $name $(as $other)? : $of $(= $default)? ),*
        } }
    };
    ($(#[doc = $doc:literal])* record $Record:ident { $($fields:tt)* } $($rest:tt)*) => {
        messages! { @record false, $(#[doc = $doc])* $Record { $($fields)* } }
        messages! { $($rest)* }
    };
    ($(#[doc = $doc:literal])* part $Record:ident { $($fields:tt)* } $($rest:tt)*) => {
        messages! { @record true, $(#[doc = $doc])* $Record { $($fields)* } }
        messages! { $($rest)* }
    };
    ($(#[doc = $about:literal])* union $Enum:ident by $tag:literal { $(
        $(#[doc = $doc:literal])*
        $Variant:ident $(as $key:literal)? {
            $( $(#[$meta:meta])* $name:ident $(as $other:literal)? : $of:ty $(= $default:expr)? ),* $(,)?
        }
    ),* $(,)? } $($rest:tt)*) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "there is one message at a time")]
        pub(crate) enum $Enum { $( $(#[doc = $doc])* $Variant { $( $(#[$meta])* $name: $of ),* }, )* }

        union_of! { $Enum by $tag { $(
            $(#[doc = $doc])* $Variant $(as $key)? { $( $name $(as $other)? : $of $(= $default)? ),* },
        )* } }

        messages! { $($rest)* }
    };
}

/// An enum whose variants are messages.
macro_rules! union_of {
    ($Enum:ident by $tag:literal { $(
        $(#[doc = $doc:literal])*
        $Variant:ident $(as $key:literal)? {
            $( $(#[$meta:meta])* $name:ident $(as $other:literal)? : $of:ty $(= $default:expr)? ),* $(,)?
        }
    ),* $(,)? }) => {
        impl $crate::message::WireEnum for $Enum {
            const TAG: &'static str = $tag;

            #[allow(unused_variables, reason = "there are messages without fields")]
            fn read_variant(
                name: &str,
                object: &$crate::message::JsonObject,
            ) -> Result<Option<Self>, $crate::message::Reason> {
                Ok(Some(match name {
                    $( name_of!($Variant $($key)?) => Self::$Variant { $(
                        $name: field_of!(object, name_of!($name $($other)?), $of $(, $default)?),
                    )* }, )*
                    _ => return Ok(None),
                }))
            }

            fn put_fields(&self, object: &mut $crate::message::JsonObject) {
                let mut tag = |name: &str| object.insert($tag.to_owned(), name.into());
                #[allow(unreachable_patterns, reason = "enums of other crates may grow")]
                match self {
                    $( Self::$Variant { $($name),* } => {
                        tag(name_of!($Variant $($key)?));
                        $( $crate::message::Wire::put($name, name_of!($name $($other)?), object); )*
                    } )*
                    _ => {}
                }
            }

            #[cfg(test)]
            fn texts() -> Vec<$crate::message::RecordText> {
                vec![$( describe_record!(
                    name_of!($Variant $($key)?), [$($doc),*], $( $name $(as $other)? : $of $(= $default)? ),*
                ) ),*]
            }
        }
    };
}

/// A type of fields that is one value of JSON.
macro_rules! value_type {
    ($of:ty, $what:literal, $typescript:literal, $read:expr, $json:expr) => {
        impl $crate::message::Wire for $of {
            const WHAT: &'static str = $what;

            #[cfg(test)]
            fn typescript() -> String {
                $typescript.to_owned()
            }

            fn read(value: &serde_json::Value) -> Result<Self, $crate::message::Reason> {
                let read: fn(&serde_json::Value) -> Option<Self> = $read;
                read(value).ok_or_else(String::new)
            }

            fn json(&self) -> serde_json::Value {
                let json: fn(&Self) -> serde_json::Value = $json;
                json(self)
            }
        }
    };
}

/// A number that is finite.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

value_type!(bool, "true or false", "boolean", Value::as_bool, |it| json!(it));
value_type!(f64, "a number", "number", number, |it| json!(it));
value_type!(usize, "a whole number", "number", |it| usize::try_from(it.as_u64()?).ok(), |it| json!(it));
value_type!(i32, "a whole number", "number", |it| i32::try_from(it.as_i64()?).ok(), |it| json!(it));
value_type!(u64, "a whole number", "number", Value::as_u64, |it| json!(it));
value_type!(
    u32,
    "a whole number below 4294967296",
    "number",
    |it| u32::try_from(it.as_u64()?).ok(),
    |it| json!(it)
);

impl Wire for String {
    const WHAT: &'static str = "a text";
    const LIST: &'static str = "a list of texts";

    #[cfg(test)]
    fn typescript() -> String {
        "string".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        value.as_str().map(str::to_owned).ok_or_else(Self::new)
    }

    fn json(&self) -> Value {
        json!(self)
    }
}

/// Any value.
impl Wire for Value {
    const WHAT: &'static str = "a value";

    #[cfg(test)]
    fn typescript() -> String {
        "any".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        Ok(value.clone())
    }

    fn json(&self) -> Value {
        self.clone()
    }

    fn absent() -> Option<Self> {
        Some(Self::Null)
    }
}

impl<R: WireRecord> Wire for R {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        R::text().name.to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        R::read_fields(value.as_object().ok_or_else(String::new)?)
    }

    fn json(&self) -> Value {
        self.object().into()
    }

    fn field(object: &JsonObject, name: &str) -> Result<Self, Reason> {
        if R::IS_PART { R::read_fields(object) } else { named_field(object, name) }
    }

    fn put(&self, name: &str, object: &mut JsonObject) {
        match R::IS_PART {
            true => self.put_fields(object),
            false => drop(object.insert(name.to_owned(), self.json())),
        }
    }

    #[cfg(test)]
    fn describe(name: &'static str, all: &mut Vec<FieldText>) {
        let text = R::text();
        match R::IS_PART {
            true => all.extend(text.fields),
            false => all.push(FieldText { name, kind: text.name.to_owned(), may_be_left_out: false }),
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    const WHAT: &'static str = T::WHAT;

    #[cfg(test)]
    fn typescript() -> String {
        format!("{} | null", T::typescript())
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        T::read(value).map(Some)
    }

    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::json)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Wire> Wire for Vec<T> {
    const WHAT: &'static str = T::LIST;

    #[cfg(test)]
    fn typescript() -> String {
        let of = T::typescript();
        if of.contains(' ') { format!("({of})[]") } else { format!("{of}[]") }
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        value.as_array().ok_or_else(String::new)?.iter().map(T::read).collect()
    }

    fn json(&self) -> Value {
        self.iter().map(T::json).collect()
    }
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        format!("Record<string, {}>", T::typescript())
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let object = value.as_object().ok_or_else(String::new)?;
        object.keys().map(|name| Ok((name.clone(), T::field(object, name)?))).collect()
    }

    fn json(&self) -> Value {
        self.iter().map(|(name, value)| (name.clone(), value.json())).collect::<JsonObject>().into()
    }
}

impl<const N: usize> Wire for [f64; N] {
    const WHAT: &'static str = match N {
        2 => "a pair of numbers",
        4 => "[x, y, width, height] of the canvas",
        _ => "a list of numbers",
    };

    #[cfg(test)]
    fn typescript() -> String {
        if N == 2 { "Pair" } else { "number[]" }.to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(number).collect());
        numbers.and_then(|list| list.try_into().ok()).ok_or_else(String::new)
    }

    fn json(&self) -> Value {
        self.iter().map(|number| json!(number)).collect()
    }
}

/// A field that is left out if there is no value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maybe<T>(pub(crate) Option<T>);

impl<T: Wire> Wire for Maybe<T> {
    const WHAT: &'static str = T::WHAT;

    #[cfg(test)]
    fn typescript() -> String {
        T::typescript()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        T::read(value).map(|value| Self(Some(value)))
    }

    fn json(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, T::json)
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn put(&self, name: &str, object: &mut JsonObject) {
        object.extend(self.0.as_ref().map(|value| (name.to_owned(), value.json())));
    }
}
