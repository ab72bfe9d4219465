//! A rig in the other notation: RON as JSON, and JSON as RON.

use crate::diagnostic::Diagnostics;
use crate::read::{read_part, read_whole};
use crate::span::SourceId;
use crate::text::{NodeKind, Syntax, parse};
use crate::write::{Comments, Digits, json, node, write_as};

/// A rig, or a part of one, in a notation; none if it has mistakes, which are reported. Every number stays as
/// it is, and comments are lost.
///
/// ```
/// use bone_format::text::Syntax;
/// use bone_format::{Diagnostics, convert, span::SourceId};
///
/// let ron = r#"Rig(version: 1, drawing: "cat.svg", skin: [Rigid(art: "head", bone: "neck")])"#;
/// let mut found = Diagnostics::new();
/// let json = convert(SourceId::default(), ron, Syntax::Json, &mut found).ok_or("mistakes")?;
/// assert!(json.contains(r#"{"Rigid": {"art": "head", "bone": "neck"}}"#));
/// let back = convert(SourceId::default(), &json, Syntax::Ron, &mut found).ok_or("mistakes")?;
/// assert!(back.contains(r#"Rigid(art: "head", bone: "neck")"#));
/// # Ok::<(), &str>(())
/// ```
pub fn convert(source: SourceId, text: &str, to: Syntax, diagnostics: &mut Diagnostics) -> Option<String> {
    let parsed = parse(source, text, &mut Diagnostics::new());
    let Some(root) = &parsed.root else {
        // Only to report why.
        parse(source, text, diagnostics);
        return None;
    };
    let is_part = match &root.kind {
        NodeKind::Struct(name, _) => name.as_ref().is_some_and(|name| name.value == "Part"),
        NodeKind::Map(entries) => {
            matches!(entries.as_slice(), [only] if matches!(&only.key.kind, NodeKind::Text(name) if name == "Part"))
        }
        _ => false,
    };
    let doc = match is_part {
        true => read_part(source, 0, text, diagnostics)?,
        false => read_whole(source, parse(source, text, diagnostics), diagnostics)?,
    };
    if diagnostics.has_errors() {
        return None;
    }
    let name = if is_part { "Part" } else { "Rig" };
    Some(match to {
        Syntax::Ron => write_as(name, &doc, &Comments::new(), Digits::ALL),
        Syntax::Json => {
            let mut root = node(&doc, Digits::ALL);
            if let (true, NodeKind::Struct(title, _)) = (is_part, &mut root.kind) {
                *title = Some(Box::new(name.to_owned().into()));
            }
            json::json_text(&root, if is_part { 3 } else { 2 })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_that_is_not_converted_has_a_message() {
        for text in
            ["", "\0", "Rig(version: 1,\0)", "(", "}", "\u{feff}", "//", "Part", "{", "{\"Part\": 1}", "[1]"]
        {
            let mut found = Diagnostics::new();
            let converted = convert(SourceId::default(), text, Syntax::Json, &mut found);
            assert_eq!(converted.is_none(), found.has_errors(), "{text:?}: {found:?}");
        }
    }
}
