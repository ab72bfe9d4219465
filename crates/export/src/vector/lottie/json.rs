//! JSON whose fields keep their order: some players skip what stands before the type of an object.

use crate::vector::text::short;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LottieJson {
    /// A number as text.
    Number(String),
    Text(String),
    Bool(bool),
    List(Vec<LottieJson>),
    Object(Vec<(&'static str, LottieJson)>),
}

impl LottieJson {
    /// A number with at most so many digits after the point.
    pub(crate) fn rounded(n: f64, digits: u8) -> Self {
        let text = short(if n.is_finite() { n } else { 0.0 }, digits);
        // JSON has no number without a digit before the point.
        Self::Number(match text.strip_prefix('-') {
            Some(rest) if rest.starts_with('.') => format!("-0{rest}"),
            _ if text.starts_with('.') => format!("0{text}"),
            _ => text,
        })
    }

    pub(crate) fn list(numbers: &[f64], digits: u8) -> Self {
        Self::List(numbers.iter().map(|n| Self::rounded(*n, digits)).collect())
    }

    pub(crate) fn push(&mut self, name: &'static str, value: LottieJson) {
        if let Self::Object(fields) = self {
            fields.push((name, value));
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Number(text) => out.push_str(text),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Text(text) => write_text(text, out),
            Self::List(values) => {
                out.push('[');
                for (at, value) in values.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    value.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl From<i32> for LottieJson {
    fn from(n: i32) -> Self {
        Self::Number(n.to_string())
    }
}

impl From<usize> for LottieJson {
    fn from(n: usize) -> Self {
        Self::Number(n.to_string())
    }
}

impl From<&str> for LottieJson {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for LottieJson {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<LottieJson>> for LottieJson {
    fn from(values: Vec<LottieJson>) -> Self {
        Self::List(values)
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 32 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// An object of its fields.
macro_rules! object {
    ($($name:literal : $value:expr),* $(,)?) => {
        crate::vector::lottie::json::LottieJson::Object(vec![$(($name, crate::vector::lottie::json::LottieJson::from($value))),*])
    };
}
pub(crate) use object;
