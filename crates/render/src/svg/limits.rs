//! Limits of drawings, checked on the raw text before any XML parser reads it. The check does not parse XML;
//! what passes can still be wrong.

use std::collections::BTreeMap;
use std::ops::Range;

use super::place::{LineIndex, SvgError};

/// Longest SVG text in bytes. The largest hand-made drawings are near 20 MB; a megabyte of text takes about
/// 30 MB once read.
pub(crate) const MAX_TEXT: usize = 64 << 20;
/// Most XML nodes (elements, texts, comments).
pub(crate) const MAX_NODES: u32 = 1_000_000;
/// Deepest nesting, counted through `use`, clips, masks, patterns and markers. Reading and drawing recurse,
/// and worker threads have 2 MB of stack; drawing programs stay below 30.
pub(crate) const MAX_DEPTH: u32 = 96;
/// How deep what is drawn may be nested. A posable drawing has additional groups around what moves.
pub(crate) const MAX_POSED_DEPTH: u32 = 4 * MAX_DEPTH;
/// Most elements once every `use`, marker, clip, mask and pattern has been followed.
pub(crate) const MAX_EXPANDED: u64 = 1_000_000;
/// Most attributes of one element: XML readers compare each with every other.
pub(crate) const MAX_ATTRIBUTES: usize = 2_000;
/// Most DOCTYPE entities: looking one up takes time for each of the others. Illustrator writes about ten.
pub(crate) const MAX_ENTITIES: usize = 1_000;
/// Most bytes that the DOCTYPE's entities may grow to.
pub(crate) const MAX_ENTITY_TEXT: u64 = 16 << 20;
/// Most octaves of a turbulence filter: each is half as strong as the one before, so the ninth is not
/// visible.
pub(crate) const MAX_OCTAVES: f64 = 32.0;
/// Most numbers in the matrix of a convolution filter, all of which are multiplied for every pixel. Drawing
/// programs offer 5 x 5.
pub(crate) const MAX_KERNEL: f64 = 441.0;
/// Most pixels that the morphology filters of a drawing look at, at its own size: resvg looks at all within
/// the radius for every pixel, a billion of them in about a second.
pub(crate) const MAX_MORPHOLOGY: f64 = 4e11;
/// Most comparisons of style rules with elements, 20 million a second.
pub(crate) const MAX_STYLE_STEPS: u64 = 250_000_000;
/// Most declarations of a style sheet, those of a block once for each selector of its list: 40 bytes each.
pub(crate) const MAX_DECLARATIONS: u64 = 4_000_000;
/// Most letters of a text, which usvg places in the square of their number: 2 s.
pub const MAX_LETTERS: u64 = 30_000;
/// Most spans in a text, likewise: 1 s.
pub(crate) const MAX_SPANS: u64 = 2_000;
/// Most stops of a gradient, likewise: 0.2 s.
pub(crate) const MAX_STOPS: u64 = 20_000;
/// Most declarations of a `style` attribute, likewise: 0.7 s.
pub(crate) const MAX_STYLE: u64 = 10_000;
/// Most curves that the huge arcs of an element become: 0.1 s.
pub(crate) const MAX_CURVES: u64 = 300_000;
/// Most links that are followed from gradients and patterns to others, in all.
pub(crate) const MAX_LINK_STEPS: usize = 50_000_000;
/// Most elements in a filter: each is as large as the picture.
pub(crate) const MAX_FILTER_STEPS: usize = 1_000;

/// Most pixels of an image: 256 MB once it is unpacked.
pub(crate) const MAX_IMAGE_PIXELS: u64 = 64_000_000;
/// Most pixels of all different images together: they are unpacked one after the other, 10 million in about a
/// second at the slowest.
pub(crate) const MAX_ALL_PIXELS: u64 = 256_000_000;
/// Most bytes of SVG text that the compressed drawings within a drawing have together.
pub(crate) const MAX_UNPACKED: usize = 256 << 20;

/// XML readers stop at this depth of entities within entities.
const ENTITY_DEPTH: usize = 11;

/// Fails for a text that would take an XML reader too long or too much memory.
pub(crate) fn check_text(text: &str) -> Result<(), SvgError> {
    let too_much = |what: String, span: Range<usize>| {
        Err(SvgError::LimitExceeded { what, place: Some(LineIndex::new(text).place(span)) })
    };
    if text.len() > MAX_TEXT {
        return Err(SvgError::LimitExceeded {
            what: format!("its text is {} MB long; {} MB are the most", text.len() >> 20, MAX_TEXT >> 20),
            place: None,
        });
    }
    if let Some(span) = tag_with_many_attributes(text.as_bytes()) {
        return too_much(format!("an element has more than {MAX_ATTRIBUTES} attributes"), span);
    }
    let (entities, end) = entity_declarations(text);
    if entities.len() > MAX_ENTITIES {
        return too_much(format!("its DOCTYPE declares more than {MAX_ENTITIES} entities"), 0..0);
    }
    if entity_text(&entities, text.get(end..).unwrap_or("")) > MAX_ENTITY_TEXT {
        return too_much(
            format!("its DOCTYPE entities grow to more than {} MB of text", MAX_ENTITY_TEXT >> 20),
            0..end,
        );
    }
    Ok(())
}

/// The first tag with more attributes than allowed.
fn tag_with_many_attributes(text: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(open) = find(text, at, b"<") {
        let rest = &text[open..];
        let skip = |end: &[u8]| find(text, open, end).map_or(text.len(), |found| found + end.len());
        at = if rest.starts_with(b"<!--") {
            skip(b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            skip(b"]]>")
        } else if rest.starts_with(b"<?") {
            skip(b"?>")
        } else {
            let (end, attributes) = start_tag(text, open);
            if attributes > MAX_ATTRIBUTES {
                return Some(open..end);
            }
            // A `<!` or a stray `<` may hide tags: go on right after it.
            if rest.get(1).is_some_and(|byte| *byte == b'!') { open + 2 } else { end.max(open + 1) }
        };
    }
    None
}

/// The end of the tag that starts at `open`, and how many `=` it has outside quotes.
pub(crate) fn start_tag(text: &[u8], open: usize) -> (usize, usize) {
    let mut quote = None;
    let mut attributes = 0;
    for (offset, byte) in text[open..].iter().enumerate() {
        match (quote, byte) {
            (Some(q), b) if q == *b => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'=') => attributes += 1,
            (None, b'>') => return (open + offset + 1, attributes),
            (None, b'<') if offset > 0 => return (open + offset, attributes),
            (None, _) => {}
        }
    }
    (text.len(), attributes)
}

fn find(text: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let (first, rest) = needle.split_first()?;
    let mut at = from;
    while let Some(found) = text.get(at..)?.iter().position(|byte| byte == first) {
        if text[at + found + 1..].starts_with(rest) {
            return Some(at + found);
        }
        at += found + 1;
    }
    None
}

/// The declared entities with their texts, and where the last one ends.
fn entity_declarations(text: &str) -> (BTreeMap<&str, &str>, usize) {
    let mut entities = BTreeMap::new();
    let mut end = 0;
    while let Some(found) = text.get(end..).and_then(|rest| rest.find("<!ENTITY")) {
        let start = end + found + "<!ENTITY".len();
        let declaration = text.get(start..).unwrap_or("").trim_start();
        let name_length = declaration.find(char::is_whitespace).unwrap_or(declaration.len());
        let (name, value) = declaration.split_at(name_length);
        end = start;
        if let Some(quote @ ('"' | '\'')) = value.trim_start().chars().next() {
            let value = &value.trim_start()[1..];
            let length = value.find(quote).unwrap_or(value.len());
            // The first declaration of a name counts.
            entities.entry(name).or_insert(&value[..length]);
            end = text.len() - (value.len() - length);
        }
        if entities.len() > MAX_ENTITIES {
            break;
        }
    }
    (entities, end)
}

/// How many bytes all references in `rest` grow to.
fn entity_text(entities: &BTreeMap<&str, &str>, rest: &str) -> u64 {
    if entities.is_empty() {
        return 0;
    }
    let mut sizes: BTreeMap<&str, u64> =
        entities.iter().map(|(name, value)| (*name, value.len() as u64)).collect();
    let grown = |value: &str, sizes: &BTreeMap<&str, u64>| {
        references(value)
            .filter_map(|name| sizes.get(name))
            .fold(0_u64, |sum, size| sum.saturating_add(*size))
    };
    for _ in 0..ENTITY_DEPTH {
        sizes = entities
            .iter()
            .map(|(name, value)| (*name, (value.len() as u64).saturating_add(grown(value, &sizes))))
            .collect();
    }
    grown(rest, &sizes)
}

fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('&').skip(1).filter_map(|after| {
        let end = after.bytes().take(256).position(|byte| byte == b';')?;
        after.get(..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_entities_are_errors_and_ordinary_ones_are_not() {
        let mut bomb = String::from("<!DOCTYPE svg [<!ENTITY a0 \"ha\">");
        for level in 1..10 {
            let body = format!("&a{};", level - 1).repeat(10);
            bomb.push_str(&format!("<!ENTITY a{level} \"{body}\">"));
        }
        bomb.push_str("]><svg><text>&a9;</text></svg>");
        assert!(matches!(check_text(&bomb), Err(SvgError::LimitExceeded { .. })));
        assert!(
            check_text(
                "<!DOCTYPE svg [<!ENTITY ns_svg \"http://www.w3.org/2000/svg\">]><svg xmlns=\"&ns_svg;\"/>"
            )
            .is_ok()
        );
    }

    #[test]
    fn a_big_entity_used_often_is_refused() {
        let text =
            format!("<!DOCTYPE s [<!ENTITY a '{}'>]><s>{}</s>", "x".repeat(10_000), "&a;".repeat(2_000));
        assert!(matches!(check_text(&text), Err(SvgError::LimitExceeded { .. })));
    }

    #[test]
    fn many_attributes_are_refused_wherever_they_hide() {
        let attributes: String = (0..MAX_ATTRIBUTES + 1).map(|n| format!(" a{n}='>'")).collect();
        assert!(check_text(&format!("<svg><g{attributes}/></svg>")).is_err());
        assert!(check_text(&format!("<svg><!-- <g{attributes}/> --></svg>")).is_ok());
    }

    #[test]
    fn nonsense_ends() {
        for text in [
            "<",
            "<!",
            "<!--",
            "<![CDATA[",
            "<?",
            "<!ENTITY",
            "<!ENTITY a",
            "<!ENTITY a \"",
            "&",
            "&;",
            "<a '",
        ] {
            assert!(check_text(text).is_ok());
        }
    }
}
