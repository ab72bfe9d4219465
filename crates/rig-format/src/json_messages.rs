//! Messages about texts in JSON: their examples and the names of brackets are those of JSON.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{SourceId, Sources};
use crate::text::{NodeKind, Syntax, parse};
use crate::write::json::json_line;

/// What messages call things in RON and in JSON.
const WORDS: [(&str, &str); 8] = [
    ("is in curly brackets, and round brackets are needed here", "must be an object"),
    ("a group of fields in round brackets", "an object"),
    ("a list in square brackets", "an array"),
    ("a map in curly brackets", "an object"),
    ("a pair of numbers", "an array of two numbers"),
    ("write keys in square brackets", "write an array of keys"),
    ("is written without quotes", "is a text"),
    ("`None`", "null"),
];

/// What help begins with before an example in RON.
const BEFORE_EXAMPLES: [&str; 4] = ["write for example ", "write an array of keys: ", "write ", "add "];

/// Gives findings about texts in JSON its notation.
pub(crate) fn phrase_for_json(diagnostics: &mut Diagnostics, sources: &Sources) {
    let is_json = |source: SourceId| Syntax::of(sources.text(source)) == Syntax::Json;
    diagnostics.change(|found| {
        if found.place.is_some_and(|place| is_json(place.source)) {
            translate(found);
        }
        // Names of fields and words are in quotes where what they replace is.
        if let Some((place, text)) = found.fix.as_mut().filter(|(place, _)| is_json(place.source)) {
            let written = sources.text(place.source).get(place.span.range()).unwrap_or_default();
            if written.len() > 1 && written.starts_with('"') && !text.starts_with('"') {
                *text = format!("\"{text}\"");
            }
        }
    });
}

fn translate(found: &mut Diagnostic) {
    for text in std::iter::once(&mut found.message).chain(&mut found.help) {
        for (ron, json) in WORDS {
            *text = text.replace(ron, json);
        }
    }
    for help in &mut found.help {
        let before = BEFORE_EXAMPLES.iter().find(|before| help.starts_with(**before));
        let Some((before, example)) = before.and_then(|before| help.split_at_checked(before.len())) else {
            continue;
        };
        if let Some(json) = in_json(example) {
            *help = format!("{before}{json}");
        }
    }
}

/// An example in JSON: a value, or a field with its value.
pub(crate) fn in_json(example: &str) -> Option<String> {
    let value = |text: &str| {
        let mut found = Diagnostics::new();
        let root = parse(SourceId::default(), text, &mut found).root.filter(|_| found.is_empty())?;
        // A word may be anything.
        (!matches!(root.kind, NodeKind::Word(_))).then(|| json_line(&root)).flatten()
    };
    value(example).or_else(|| {
        let object = value(&format!("({example})"))?;
        Some(object.strip_prefix('{')?.strip_suffix('}')?.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_those_of_json() {
        assert_eq!(in_json("(0, 30)").as_deref(), Some("[0, 30]"));
        assert_eq!(in_json("length: 60").as_deref(), Some("\"length\": 60"));
        assert_eq!(in_json("[Rigid(art: \"a\")]").as_deref(), Some("[{\"Rigid\": {\"art\": \"a\"}}]"));
        assert_eq!(in_json("one of `A`, `B`"), None);
        assert_eq!(in_json("from: (x, y), its start"), None);
    }
}
