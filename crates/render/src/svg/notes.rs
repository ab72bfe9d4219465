//! Notes for the author: what is not drawn and why, and what usvg could not find.

use bone_drawing::{Element, ElementId, ElementKind, ElementState, NotDrawnReason};
use roxmltree::{Document, Node};

use super::missing::MissingResources;
use super::place::{LineIndex, SvgNote};
use super::source::{is_definition, is_svg, tag_range};
/// Elements that describe a drawing and draw nothing.
const SILENT: [&str; 6] = ["title", "desc", "metadata", "style", "view", "stop"];
/// Elements that authors expect to be drawn and that are not.
const NOT_DRAWN: [(&str, &str); 9] = [
    ("foreignObject", "text and web content within a drawing is not drawn"),
    ("script", "scripts do not run"),
    ("animate", "animations within the drawing do not play: it stays as it is at rest"),
    ("animateTransform", "animations within the drawing do not play: it stays as it is at rest"),
    ("animateMotion", "animations within the drawing do not play: it stays as it is at rest"),
    ("set", "animations within the drawing do not play: it stays as it is at rest"),
    ("video", "videos are not drawn"),
    ("audio", "sounds are not played"),
    ("mesh", "mesh gradients are not drawn"),
];

/// Sets which elements are drawn: those that usvg kept.
pub(crate) fn set_states(
    elements: &mut [Element],
    switched_off: impl Fn(ElementId) -> bool,
    is_kept: impl Fn(ElementId) -> bool,
) {
    for at in 0..elements.len() {
        let id = ElementId::from_index(at);
        let parent = elements[at].parent.map(|parent| &elements[parent.index()].state);
        elements[at].state = match parent {
            Some(ElementState::NotDrawn(
                reason @ (NotDrawnReason::InDefs | NotDrawnReason::SwitchedOff | NotDrawnReason::Unsupported),
            )) => ElementState::NotDrawn(reason.clone()),
            _ if is_definition(&elements[at].tag) => ElementState::NotDrawn(NotDrawnReason::InDefs),
            _ if elements[at].kind == ElementKind::Other => {
                ElementState::NotDrawn(NotDrawnReason::Unsupported)
            }
            _ if is_kept(id) => ElementState::Drawn,
            _ if switched_off(id) => ElementState::NotDrawn(NotDrawnReason::SwitchedOff),
            _ => ElementState::NotDrawn(NotDrawnReason::Empty),
        };
    }
}

/// What stands in the text and is not drawn, and what usvg could not find.
pub(crate) fn of_text(
    doc: &Document<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    missing: &MissingResources,
) -> Vec<SvgNote> {
    let mut notes = Vec::new();
    let root = doc.root_element();
    for node in doc.descendants().filter(|node| is_svg(*node)) {
        let place = || Some(lines.place(tag_range(text, node)));
        let tag = node.tag_name().name();
        if let Some((_, why)) = NOT_DRAWN.iter().find(|(name, _)| *name == tag) {
            notes.push(SvgNote::warning(format!("<{tag}>: {why}"), place()));
        }
        if tag == "style" {
            let css = node.text().unwrap_or("");
            for rule in ["@import", "@font-face", "@media", "@keyframes"]
                .into_iter()
                .filter(|rule| css.contains(rule))
            {
                notes.push(SvgNote::warning(format!("{rule} in a style sheet is not read"), place()));
            }
        }
    }
    let images = missing.images.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for href in images.iter().filter(|href| !href.starts_with("data:")) {
        notes.push(SvgNote::warning(
            format!("the linked image “{href}” is not available or not readable"),
            place_of(doc, text, lines, "image", href),
        ));
    }
    let fonts = missing.fonts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (family, instead) in fonts.iter() {
        let place =
            place_of(doc, text, lines, "text", family).or_else(|| Some(lines.place(tag_range(text, root))));
        let message = match (family.as_str(), instead) {
            ("", _) => "no font is installed; text is not drawn".to_owned(),
            (family, Some(instead)) => {
                format!("the font “{family}” is not installed; “{instead}” is used instead")
            }
            (family, None) => {
                format!("the font “{family}” is not installed and has no substitute; its text is not drawn")
            }
        };
        notes.push(SvgNote::warning(message, place));
    }
    notes
}

/// Which elements are not drawn, and why. Their states must be set.
pub(crate) fn of_elements(elements: &[Element], lines: &LineIndex<'_>) -> Vec<SvgNote> {
    let mut notes = Vec::new();
    for element in elements {
        let ElementState::NotDrawn(reason) = &element.state else { continue };
        let place = Some(lines.place(element.source.clone()));
        let name = element.name();
        let around = element.parent.map(|parent| &elements[parent.index()]);
        if let Some(text) = around.filter(|around| around.kind == ElementKind::Text)
            && (element.words == text.words || !text.is_drawn())
        {
            // The text has a note of its own, or has other words than none.
            continue;
        }
        match (reason, element.kind) {
            (NotDrawnReason::Empty, ElementKind::Image) => {
                notes.push(SvgNote::warning(
                    format!("the image “{name}” is not available or not readable; it is not drawn"),
                    place,
                ));
            }
            (NotDrawnReason::Empty, ElementKind::Text) => {
                notes.push(SvgNote::warning(
                    format!("the text “{name}” is not drawn: it is empty or no font for it was found"),
                    place,
                ));
            }
            (NotDrawnReason::Empty, _) => {
                notes.push(SvgNote::info(format!("“{name}” has nothing to draw"), place))
            }
            (NotDrawnReason::Unsupported, ElementKind::Other)
                if !SILENT.contains(&element.tag.as_ref())
                    && !NOT_DRAWN.iter().any(|(tag, _)| *tag == element.tag)
                    && element
                        .parent
                        .is_none_or(|parent| elements[parent.index()].state != element.state) =>
            {
                notes.push(SvgNote::warning(format!("<{}> is not drawn", element.tag), place));
            }
            _ => {}
        }
    }
    notes
}

/// What is left out because its numbers cannot be drawn.
pub(crate) fn of_left_out(
    left_out: &[(Option<ElementId>, &str)],
    elements: &[Element],
    lines: &LineIndex<'_>,
) -> Vec<SvgNote> {
    let note = |(element, what): &(Option<ElementId>, &str)| {
        let element = element.and_then(|id| elements.get(id.index()));
        let name = element.map_or_else(|| "a shape".to_owned(), |element| format!("“{}”", element.name()));
        let place = element.map(|element| lines.place(element.source.clone()));
        SvgNote::warning(format!("the {what} of {name} is too large to be drawn, and is left out"), place)
    };
    left_out.iter().map(note).collect()
}

/// The first element with a word in an attribute, else the first with a tag.
fn place_of(
    doc: &Document<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    tag: &str,
    word: &str,
) -> Option<super::place::SvgPlace> {
    let matches = |node: &Node<'_, '_>| {
        !word.is_empty() && node.attributes().any(|attribute| attribute.value().contains(word))
    };
    doc.descendants()
        .find(matches)
        .or_else(|| doc.descendants().find(|node| is_svg(*node) && node.tag_name().name() == tag))
        .map(|node| lines.place(tag_range(text, node)))
}

/// The error of the XML, in words of artists.
pub(crate) fn xml_reason(error: &roxmltree::Error) -> String {
    use roxmltree::Error;
    match error {
        Error::NoRootNode => "it holds no elements".into(),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => "it ends too early, as if cut off".into(),
        Error::UnexpectedCloseTag(expected, actual, _) => format!("</{actual}> closes <{expected}>"),
        Error::DuplicatedAttribute(name, _) => format!("the attribute “{name}” is given twice"),
        Error::UnknownNamespace(prefix, _) => {
            format!("the prefix “{prefix}:” is not declared (xmlns:{prefix} is missing)")
        }
        Error::UnknownEntityReference(name, _) => format!("“&{name};” is not defined"),
        Error::MalformedEntityReference(_) => "a bare “&” must be written “&amp;”".into(),
        Error::UnknownToken(_)
        | Error::InvalidChar(..)
        | Error::InvalidChar2(..)
        | Error::InvalidString(..)
        | Error::InvalidName(_) => "its XML is damaged here".into(),
        other => other.to_string(),
    }
}
