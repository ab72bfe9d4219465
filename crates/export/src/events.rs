//! Events of clips in the files that have them: markers of Lottie, an attribute of SVG, a list beside sheets.

use serde_json::{Map, Value};

/// A moment with a name in the frames of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportEvent {
    /// The frame that owns it, among those of the clip that are in the file.
    pub frame: usize,
    /// Seconds since the first of these frames.
    pub time: f64,
    /// Its name.
    pub name: String,
    /// What it carries; null for nothing.
    pub payload: Value,
    /// The weight of its clip, from 0 to 1.
    pub weight: f64,
}

impl ExportEvent {
    /// As JSON: `{"frame": 12, "name": "step.R", "time": 0.5}`, with `payload` and a `weight` other than 1.
    pub fn json(&self) -> Map<String, Value> {
        let mut fields = self.carried();
        fields.insert("frame".to_owned(), Value::from(self.frame));
        fields.insert("time".to_owned(), short(self.time));
        if self.weight != 1.0 {
            fields.insert("weight".to_owned(), short(self.weight));
        }
        fields
    }

    /// Its name, and what it carries.
    fn carried(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), Value::from(self.name.as_str()));
        if !self.payload.is_null() {
            fields.insert("payload".to_owned(), self.payload.clone());
        }
        fields
    }

    /// The comment of a marker. Players take a comment that is JSON as such, and one with colons as lines of
    /// names and values: there, and where the event carries something, it is JSON with `name`.
    #[cfg(feature = "vector")]
    pub(crate) fn comment(&self) -> String {
        let is_plain = self.payload.is_null()
            && !self.name.contains(':')
            && serde_json::from_str::<Value>(&self.name).is_err();
        if is_plain { self.name.clone() } else { Value::Object(self.carried()).to_string() }
    }
}

/// A number with at most six digits after the point, and none if it is whole.
fn short(number: f64) -> Value {
    let short = (number * 1e6).round() / 1e6;
    if short == short.trunc() && short.abs() < 1e15 { Value::from(short as i64) } else { Value::from(short) }
}

#[cfg(all(test, feature = "vector"))]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_as_they_are_meant() {
        let comment = |name: &str, payload: Value| {
            ExportEvent { frame: 0, time: 0.0, name: name.to_owned(), payload, weight: 1.0 }.comment()
        };
        assert_eq!(comment("step.L", Value::Null), "step.L");
        for name in ["a:b", "3", "true", "null", "\"a\"", "{}", " [1] "] {
            let parsed: Value = serde_json::from_str(&comment(name, Value::Null)).expect("JSON");
            assert_eq!(parsed, serde_json::json!({ "name": name }));
        }
        assert_eq!(comment("say", "Hello".into()), r#"{"name":"say","payload":"Hello"}"#);
    }
}
