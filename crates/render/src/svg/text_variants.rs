//! Texts whose words change: which texts of a drawing are meant, and where their words are. Each text is set by usvg
//! with the style, the anchor and the place of the element, which is written once more for it.

use std::ops::Range;

use bone_drawing::ElementKind;
use roxmltree::{Document, Node};

use super::limits::MAX_LETTERS;
use super::place::{LineIndex, SvgNote};
use super::showable::Showable;
use super::source::{KeyedText, SourceElements, first_piece, tag_range};

/// The texts that are named, with what each can be. Texts in definitions have none: usvg reads no groups there.
pub(crate) fn find(
    showable: &Showable,
    source: &SourceElements<'_>,
    (doc, text): (&Document<'_>, &str),
    lines: &LineIndex<'_>,
    notes: &mut Vec<SvgNote>,
) -> Vec<KeyedText> {
    let mut found: Vec<KeyedText> = Vec::new();
    for (name, words) in &showable.texts {
        let [element] = source.elements.candidates(name)[..] else { continue };
        if source.elements.element(element).is_none_or(|found| found.kind != ElementKind::Text) {
            continue;
        }
        let Some(node) = doc.get_node(source.nodes[element.index()]) else { continue };
        let place = found.iter().position(|known| known.element == element).or_else(|| {
            let (around, is_one) = first_piece(node);
            found.push(KeyedText { element, range: node.range(), tags: tags(&around, doc, text)?, words: Vec::new() });
            if !is_one {
                let message = format!(
                    "the pieces of the text “{name}” have styles and places of their own; other words have those of the first piece"
                );
                notes.push(SvgNote::warning(message, Some(lines.place(tag_range(text, node)))));
            }
            Some(found.len() - 1)
        });
        let Some(known) = place.and_then(|place| found.get_mut(place)) else { continue };
        let own = source.elements.element(element).and_then(|element| element.words.as_deref());
        for words in words {
            let letters = words.chars().take(MAX_LETTERS as usize + 1).count() as u64;
            let is_new = own != Some(words.as_str()) && !known.words.contains(words);
            if is_new && !words.trim().is_empty() && letters <= MAX_LETTERS {
                known.words.push(words.clone());
            }
        }
    }
    found
}

/// The start tags around the words of a text; none of one that is in a definition or the like.
fn tags(around: &[Node<'_, '_>], doc: &Document<'_>, text: &str) -> Option<Vec<Range<usize>>> {
    let is_group = |above: &Node<'_, '_>| matches!(above.tag_name().name(), "g" | "svg" | "a");
    if !around.first()?.ancestors().skip(1).filter(Node::is_element).all(|above| is_group(&above)) {
        return None;
    }
    let tag = |node: &Node<'_, '_>| {
        // What a DOCTYPE entity brings has its text elsewhere.
        let start = node.range().start;
        let is_here = start >= doc.root_element().range().start && text.get(start..)?.starts_with('<');
        is_here.then(|| tag_range(text, *node))
    };
    around.iter().map(tag).collect()
}
