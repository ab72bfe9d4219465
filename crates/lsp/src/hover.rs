//! What is at a byte, in Markdown: the documentation of a field, or what a name of the rig stands for.

use bone_drawing::Element;
use bone_format::session::{Named, PlacedName, entry_at, names_in};
use bone_format::text::{Syntax, cursor};
use bone_format::{FormatField, MarkKind, expected, marks_in};
use serde_json::{Value, json};

use crate::names::InRig;
use crate::picture::PictureOf;

/// So many lines of an entry are shown.
const SHOWN_LINES: usize = 12;

pub(crate) fn hover(here: &InRig<'_>, at: usize) -> Option<Value> {
    let (text, range) = match here.name_at(at) {
        Some(name) => (about_name(here, &name)?, name.range),
        None => {
            let cursor = cursor(here.lines.text(), at)?;
            let wanted = expected(&cursor);
            let word = wanted.words.iter().find(|word| word.name == cursor.written && !word.help.is_empty());
            let of_word = word.map(|word| format!("`{}`: {}", word.name, word.help));
            let of_field = wanted.field.map(|field| about_field(&field, cursor.syntax));
            (of_word.into_iter().chain(of_field).collect::<Vec<_>>().join("\n\n---\n\n"), cursor.span.range())
        }
    };
    let shown = !text.is_empty() && !range.is_empty();
    shown.then(
        || json!({ "contents": { "kind": "markdown", "value": text }, "range": here.lines.range(range) }),
    )
}

/// What a picture in the hover at a byte shows: art, a clip at its start, or a clip at the time of a key.
pub(crate) fn pictured(here: &InRig<'_>, at: usize) -> Option<PictureOf> {
    match here.name_at(at) {
        Some(name) if name.of == Named::Art => return Some(PictureOf::Art(name.name.to_string())),
        Some(name) if name.of == Named::Clip => return Some(PictureOf::Moment(name.name.to_string(), 0.0)),
        _ => {}
    }
    let marks = marks_in(here.lines.text()).into_iter().rev();
    let mut keys = marks.filter(|mark| mark.span.range().contains(&at));
    keys.find_map(|mark| match mark.kind {
        MarkKind::Key(clip, time) => Some(PictureOf::Moment(clip, time)),
        _ => None,
    })
}

/// The documentation of a field.
pub(crate) fn about_field(field: &FormatField, syntax: Syntax) -> String {
    let default = match field.default {
        Some(default) => format!("otherwise {default}"),
        None => "must be given".to_owned(),
    };
    let name = if syntax == Syntax::Json { format!("\"{}\"", field.name) } else { field.name.to_owned() };
    let language = if syntax == Syntax::Json { "json" } else { "ron" };
    let meaning = without_links(&field.meaning);
    let mut capital = meaning.chars();
    let meaning =
        capital.next().map(|c| c.to_uppercase().chain(capital).collect::<String>()).unwrap_or_default();
    format!(
        "**{}**: {}; {default}\n\n{meaning}.\n\n```{language}\n{name}: {}\n```",
        field.name,
        field.of,
        field.example_in(syntax)
    )
}

/// Replaces `[text](target)` with the text: the targets are parts of another document.
fn without_links(markdown: &str) -> String {
    let mut out = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        let inner = link.split_once("](").and_then(|(text, link)| Some((text, link.split_once(')')?.1)));
        out.push_str(before);
        match inner.filter(|(text, _)| !text.contains(']')) {
            Some((text, after)) => {
                out.push_str(text);
                rest = after;
            }
            None => {
                out.push('[');
                rest = link;
            }
        }
    }
    out + rest
}

/// What an element is, in a few words.
pub(crate) fn about_element(element: &Element) -> String {
    let mut about = format!("<{}>", element.tag);
    if let (Some(id), Some(_)) = (&element.id, &element.label) {
        about += &format!(" with the id {id}");
    }
    if !element.is_drawn() {
        about += ", not drawn";
    }
    about
}

fn about_name(here: &InRig<'_>, name: &PlacedName) -> Option<String> {
    let title = format!("{} **{}**", name.of.what(), name.name);
    if name.of == Named::Art {
        let views = here.views.iter().filter_map(|view| view.drawing.as_deref());
        let found = views.into_iter().find_map(|drawing| Some((drawing, drawing.find(&name.name).ok()?)));
        let Some((drawing, id)) = found else { return Some(title) };
        let within = drawing.up(id).skip(1).map(|around| format!("`{}`", drawing.shown_name(around)));
        let within = within.collect::<Vec<_>>().join(" in ");
        let about = drawing.element(id).map(about_element).unwrap_or_default();
        let within = if within.is_empty() { String::new() } else { format!(", in {within}") };
        return Some(format!("{title}: `{about}`{within}\n\n{}", used(here, name)));
    }
    let entry = here.entry_of(name).map(|entry| format!("\n\n```ron\n{entry}\n```")).unwrap_or_default();
    Some(format!("{title}{entry}\n\n{}", used(here, name)))
}

/// How often a name is used in this file.
fn used(here: &InRig<'_>, name: &PlacedName) -> String {
    let names = names_in(here.lines.text());
    let count =
        names.iter().filter(|other| other.of == name.of && other.name == name.name && !other.defines).count();
    match count {
        0 => "not used in this file".to_owned(),
        1 => "used once in this file".to_owned(),
        count => format!("used {count} times in this file"),
    }
}

impl InRig<'_> {
    /// The entry that gives a name, as it is written; its first lines.
    fn entry_of(&self, name: &PlacedName) -> Option<String> {
        self.texts().into_iter().find_map(|(_, lines)| {
            let text = lines.text();
            let found = names_in(text)
                .into_iter()
                .find(|other| other.defines && other.of == name.of && other.name == name.name)?;
            let range = entry_at(text, found.range.start)?;
            let entry = text.get(range)?;
            let mut shown: Vec<&str> = entry.lines().take(SHOWN_LINES).collect();
            if entry.lines().count() > SHOWN_LINES {
                shown.push("…");
            }
            Some(shown.join("\n"))
        })
    }
}
