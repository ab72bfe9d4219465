//! JSON in which every value has its span in the file. Values are parsed level by level and only where they
//! are used, so neither the depth nor the size of unused parts costs anything; serde_json validates the text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::ImportError;
use crate::text::place;

/// The largest number of values in a list; a parsed value takes more memory than its text.
pub(crate) const MAX_LIST_LENGTH: usize = 1_000_000;

/// A value in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'t> {
    text: &'t str,
    from: usize,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl<'t> Json<'t> {
    /// The value that a file contains.
    ///
    /// # Errors
    /// If the bytes are not text or the text is not JSON.
    pub(crate) fn read(bytes: &'t [u8]) -> Result<Self, ImportError> {
        let text = std::str::from_utf8(bytes).map_err(|error| not_text(bytes, error.valid_up_to()))?;
        let from = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let rest = &text[from..];
        fail_if!(rest.trim_ascii().is_empty(), text.len()..text.len(), "the file is empty");
        match serde_json::from_str::<&RawValue>(rest) {
            Ok(raw) => Ok(Self { text: rest, from }.part(raw)),
            Err(error) => Err(not_json(text, from, &error)),
        }
    }

    fn part(self, raw: &'t RawValue) -> Self {
        let text = raw.get();
        Self { text, from: self.from + place(self.text, text).start }
    }

    /// Its range of bytes in the file.
    pub(crate) fn span(self) -> Range<usize> {
        self.from..self.from + self.text.len()
    }

    /// Its first byte, for values that are too long to be underlined.
    pub(crate) fn start(self) -> Range<usize> {
        self.from..self.from + 1
    }

    /// Its type.
    pub(crate) fn kind(self) -> JsonKind {
        match self.text.as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::List,
            Some(b'"') => JsonKind::Text,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The values of a list; empty for other types. Of a list longer than [`MAX_LIST_LENGTH`] one value more
    /// than that.
    pub(crate) fn list(self) -> Vec<Self> {
        if self.kind() != JsonKind::List {
            return Vec::new();
        }
        let raws = serde_json::from_str(self.text).map_or(Vec::new(), |raws: ListValues<'t>| raws.0);
        raws.into_iter().map(|raw| self.part(raw)).collect()
    }

    /// The values of a list.
    ///
    /// # Errors
    /// If it is of another type: `needed` should be there.
    pub(crate) fn list_of(self, needed: &str) -> Result<Vec<Self>, ImportError> {
        if self.kind() == JsonKind::List { Ok(self.list()) } else { Err(self.mismatch(needed)) }
    }

    /// The entries of an object; empty for other types.
    ///
    /// # Errors
    /// If a name is not valid text (half of a surrogate pair), or occurs twice.
    pub(crate) fn object(self) -> Result<Object<'t>, ImportError> {
        if self.kind() != JsonKind::Object {
            return Ok(Object { entries: Vec::new() });
        }
        let entries: ObjectEntries<'t> = serde_json::from_str(self.text).map_err(|error| {
            ImportError::at(self.start(), format!("a name in this object is not valid: {}", plain(&error)))
        })?;
        let entries: Vec<(Cow<'t, str>, Self)> =
            entries.0.into_iter().map(|(name, raw)| (name, self.part(raw))).collect();
        let mut names: Vec<(&str, usize)> =
            entries.iter().enumerate().map(|(at, (name, _))| (&**name, at)).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (name, value) = &entries[twice[1].1];
            fail!(value.start(), "\"{name}\" occurs twice in one object");
        }
        Ok(Object { entries })
    }

    /// The number.
    ///
    /// # Errors
    /// If it is not a number, or too large.
    pub(crate) fn number(self) -> Result<f64, ImportError> {
        if self.kind() != JsonKind::Number {
            return Err(self.mismatch("a number belongs here"));
        }
        match serde_json::from_str::<f64>(self.text) {
            // No coordinate in a picture is as large as this, and sums of such numbers do not overflow.
            Ok(number) if number.abs() <= 1e9 => Ok(number),
            _ => Err(ImportError::at(self.span(), "this number is too large: at most 1e9 can be used")),
        }
    }

    /// The numbers of a list.
    ///
    /// # Errors
    /// If one of the values is not a number.
    pub(crate) fn numbers(self) -> Result<Vec<f64>, ImportError> {
        fail_if!(self.text.len() > MAX_LIST_LENGTH, self.start(), "this list of numbers is too long");
        match serde_json::from_str::<Vec<f64>>(self.text) {
            Ok(numbers) if numbers.iter().all(|number| number.abs() <= 1e9) => Ok(numbers),
            // Parsing one by one finds the span of the wrong value.
            _ => self.list().into_iter().map(Self::number).collect(),
        }
    }

    /// The text, if it is one.
    pub(crate) fn text_value(self) -> Option<Cow<'t, str>> {
        (self.kind() == JsonKind::Text)
            .then(|| serde_json::from_str::<TextValue<'t>>(self.text).ok().map(|text_value| text_value.0))?
    }

    /// A whole number from 0 on: an index or a count.
    ///
    /// # Errors
    /// If it is something else.
    pub(crate) fn index(self) -> Result<usize, ImportError> {
        let number = self.number()?;
        fail_if!(number < 0.0 || number.fract() != 0.0, self.span(), "a whole number from 0 on belongs here");
        Ok(number as usize)
    }

    /// Whether it is the word `true`.
    pub(crate) fn is_true(self) -> bool {
        self.text == "true"
    }

    /// An error about a value of another type than is needed.
    pub(crate) fn mismatch(self, needed: &str) -> ImportError {
        ImportError::at(self.start(), format!("{needed}, not {}", self.display_name()))
    }

    /// Its type, in a sentence.
    fn display_name(self) -> &'static str {
        match self.kind() {
            JsonKind::Null => "null",
            JsonKind::Bool => "true or false",
            JsonKind::Number => "a number",
            JsonKind::Text => "a text",
            JsonKind::List => "a list",
            JsonKind::Object => "an object",
        }
    }
}

/// The entries of an object, in the order of the file.
pub(crate) struct Object<'t> {
    entries: Vec<(Cow<'t, str>, Json<'t>)>,
}

impl<'t> Object<'t> {
    /// The value of a name; `None` for null.
    pub(crate) fn get(&self, name: &str) -> Option<Json<'t>> {
        let found = self.entries.iter().find(|(other, _)| other == name)?.1;
        (found.kind() != JsonKind::Null).then_some(found)
    }

    /// The names and values in the order of the file, without those that are null.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, Json<'t>)> {
        let entries = self.entries.iter().filter(|(_, value)| value.kind() != JsonKind::Null);
        entries.map(|(name, value)| (&**name, *value))
    }

    /// Whether the name exists, even with the value null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(other, _)| other == name)
    }

    /// The value of the first of these names that exists.
    pub(crate) fn any(&self, names: &[&str]) -> Option<Json<'t>> {
        names.iter().find_map(|name| self.get(name))
    }

    /// The names, shortened for a message.
    pub(crate) fn names(&self) -> String {
        let mut names: Vec<String> = self
            .entries
            .iter()
            .take(8)
            .map(|(name, _)| format!("\"{}\"", name.chars().take(30).collect::<String>()))
            .collect();
        if self.entries.len() > names.len() {
            names.push("...".to_owned());
        }
        names.join(", ")
    }
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct TextValue<'t>(#[serde(borrow)] Cow<'t, str>);

/// The first values of a list.
struct ListValues<'t>(Vec<&'t RawValue>);

impl<'de> Deserialize<'de> for ListValues<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Vec<&'de RawValue>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while values.len() <= MAX_LIST_LENGTH
                    && let Some(value) = list.next_element()?
                {
                    values.push(value);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(values)
            }
        }
        deserializer.deserialize_seq(List).map(Self)
    }
}

/// The entries in the order of the file: a map would sort them and drop repeated names.
struct ObjectEntries<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for ObjectEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, value)) = map.next_entry::<TextValue<'de>, &'de RawValue>()? {
                    pairs.push((name.0, value));
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Pairs).map(Self)
    }
}

/// The message of serde_json without the line and column at its end.
fn plain(error: &serde_json::Error) -> String {
    let text_value = error.to_string();
    text_value.rsplit_once(" at line ").map_or(text_value.clone(), |(text_value, _)| text_value.to_owned())
}

fn not_text(bytes: &[u8], valid: usize) -> ImportError {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return ImportError::at(0..0, "the file is text in UTF-16").help("save it as UTF-8");
    }
    ImportError::at(valid..valid, "the file is not text, so it is not JSON")
}

fn not_json(text: &str, from: usize, error: &serde_json::Error) -> ImportError {
    let rest = &text[from..];
    let line = rest.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let mut at = (line + error.column().saturating_sub(1)).min(rest.len());
    if error.is_eof() {
        let message =
            "the file ends in the middle of its JSON: it was cut off while it was written or copied";
        return ImportError::at(text.len()..text.len(), message);
    }
    while !rest.is_char_boundary(at) {
        at -= 1;
    }
    // serde_json may have consumed the first letter of an unknown word.
    let word = |at: usize| {
        ["NaN", "nan", "Infinity", "inf", "-Infinity", "-inf", "-nan"]
            .iter()
            .find(|word| rest.get(at..).is_some_and(|rest| rest.starts_with(**word)))
    };
    for at in [at.saturating_sub(2), at.saturating_sub(1), at] {
        if let Some(word) = word(at) {
            return ImportError::at(
                from + at..from + at + word.len(),
                format!("{word} is not a number in JSON"),
            )
            .help("a point that was not detected is written as 0, 0, 0");
        }
    }
    let end = rest[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    ImportError::at(from + at..from + end, format!("this is not JSON: {}", plain(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> (String, Range<usize>) {
        let error = Json::read(text.as_bytes()).expect_err(text);
        (error.message, error.span.expect("a place"))
    }

    #[test]
    fn values_have_spans() {
        let text = "\u{feff} { \"a\": [1, 2.5 , \"x\"], \"b\\u0041\": null }";
        let json = Json::read(text.as_bytes()).expect("JSON");
        let object = json.object().expect("an object");
        let list = object.get("a").expect("there").list();
        assert_eq!(list.iter().map(|part| &text[part.span()]).collect::<Vec<_>>(), ["1", "2.5", "\"x\""]);
        assert_eq!(list[1].number(), Ok(2.5));
        assert_eq!(list[2].text_value().as_deref(), Some("x"));
        assert!(object.get("bA").is_none(), "null is nothing");
        assert_eq!(object.names(), "\"a\", \"bA\"");
        let error = object.get("a").expect("there").numbers().expect_err("a text");
        assert_eq!(&text[error.span.expect("a place")], "\"");
    }

    #[test]
    fn errors_have_spans() {
        assert_eq!(wrong("[1, NaN]"), ("NaN is not a number in JSON".to_owned(), 4..7));
        assert_eq!(wrong("[\n1,\n -Infinity]"), ("-Infinity is not a number in JSON".to_owned(), 6..15));
        assert!(wrong("[1, 2").0.contains("cut off"));
        assert_eq!(wrong("[1 2]").1, 3..4);
        assert_eq!(wrong("  ").0, "the file is empty");
        assert!(Json::read(b"\xff\xd8\xff").expect_err("a picture").message.contains("not text"));
        let twice = "{\"a\": 1, \"a\": 2}";
        let error = Json::read(twice.as_bytes()).expect("JSON").object().err().expect("twice");
        assert_eq!(error.span, Some(14..15));
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Json::read(deep.as_bytes()).expect("JSON").list().len(), 1);
    }
}
