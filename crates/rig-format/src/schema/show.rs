//! Types as the tables of `FORMAT.md` show them.

use std::fmt::{Display, Formatter, Result};

use super::{Key, One, Range, Type, Variants, Word};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Version => f.write_str("1"),
            Self::Bool => f.write_str("bool"),
            Self::Number(number) => f.write_str(number.shown),
            Self::Text(text) => f.write_str(text.shown),
            Self::Pair(pair) => match pair.one {
                None => f.write_str(pair.shown),
                Some(_) if pair.shown.starts_with("(seconds") => write!(f, "seconds or {}", pair.shown),
                Some(One::Both | One::First | One::Second | One::Halves) => {
                    write!(f, "number or {}", pair.shown)
                }
            },
            Self::Words(words) => joined(f, words, ", "),
            Self::Ease => f.write_str("ease"),
            Self::None => f.write_str("`None`"),
            Self::Either(types) => joined(f, types, " or "),
            Self::List { of: Self::Text(text), .. } => write!(f, "list of {}s", text.shown),
            Self::List { of, .. } => write!(f, "list of {of}"),
            Self::Map { key, of, .. } => write!(f, "map {key} -> {of}"),
            Self::Keys { of, long, .. } => {
                match of {
                    Self::Map { .. } => write!(f, "keys of ({of})")?,
                    _ => write!(f, "keys of {of}")?,
                }
                long.map_or(Ok(()), |table| write!(f, ", or {}", table.name))
            }
            Self::KeyList => f.write_str("keys"),
            Self::Record(table) => f.write_str(table.name),
            Self::Variants(variants) => variants.fmt(f),
        }
    }
}

impl Display for Key {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Name { shown, .. } => shown,
            Self::Vertex => "vertex address",
            Self::Stop => "number",
            Self::Grid => "place",
        })
    }
}

impl Display for Variants {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let names: Vec<&str> = self.all.iter().map(|variant| variant.name).collect();
        f.write_str(&names.join(", "))
    }
}

impl Display for Word {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.of {
            Some(Type::Text(text)) => write!(f, "`{}({})`", self.name, text.example),
            Some(Type::Number(number)) => write!(f, "`{}({})`", self.name, number.shown),
            _ => write!(f, "`{}`", self.name),
        }
    }
}

impl Range {
    /// As messages have it after "must"; `unit` is that of the number, with a space before it.
    pub(crate) fn rule(self, unit: &str) -> String {
        match self {
            Self::Any => "be finite".to_owned(),
            Self::NotZero => "not be 0".to_owned(),
            Self::Above(least) => format!("be above {least}{unit}"),
            Self::AtLeast(least) => format!("be {least}{unit} or more"),
            Self::Between(least, most) => format!("be between {least} and {most}"),
            Self::AboveTo(least, most) => format!("be above {least} and at most {most}"),
            Self::Whole(least) => format!("be a whole number, {least} or more"),
        }
    }
}

fn joined<T: Display>(f: &mut Formatter<'_>, all: &[T], glue: &str) -> Result {
    for (at, one) in all.iter().enumerate() {
        if at > 0 {
            f.write_str(glue)?;
        }
        one.fmt(f)?;
    }
    Ok(())
}
