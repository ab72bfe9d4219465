//! Which font a text gets: the first family of its list that is there, else one of the same widths, else one
//! of the same kind, as fontconfig does. A text has no font only if there are none at all. The choice depends
//! on the names of the fonts, not on the order in which they were found.

use usvg::{Font, FontFamily, FontResolver, FontStretch, FontStyle};

use super::missing::{MissingResources, push};
use crate::fontdb::{Database, Family, ID, Query, Stretch, Style, Weight};

/// A family that is named by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generic {
    Serif,
    SansSerif,
    Monospace,
    Cursive,
    Fantasy,
}

/// Fonts of each kind, the usual ones first (fontconfig's `60-latin.conf`).
const SERIF: &str = "Times New Roman, Noto Serif, DejaVu Serif, Liberation Serif, Nimbus Roman, Tinos, \
    Times, Georgia, FreeSerif, P052, Source Serif 4, Charis SIL";
const SANS_SERIF: &str = "Arial, Noto Sans, DejaVu Sans, Liberation Sans, Nimbus Sans, Arimo, Helvetica, \
    Helvetica Neue, Verdana, Segoe UI, Open Sans, Roboto, Ubuntu, Cantarell, Inter, FreeSans";
const MONOSPACE: &str = "Courier New, Noto Sans Mono, DejaVu Sans Mono, Liberation Mono, Nimbus Mono PS, \
    Cousine, Courier, Menlo, Consolas, Ubuntu Mono, Source Code Pro, FreeMono";
const CURSIVE: &str = "Comic Sans MS, Comic Neue, Apple Chancery, Zapf Chancery, Z003, URW Chancery L";
const FANTASY: &str = "Impact, Papyrus, Anton, Oswald";

/// Families whose letters are equally wide, so that a text keeps its length (fontconfig's
/// `30-metric-aliases.conf`), each group with its kind.
const SAME_WIDTHS: [(Generic, &str); 10] = [
    (
        Generic::SansSerif,
        "Arial, Helvetica, Liberation Sans, Arimo, Nimbus Sans, Nimbus Sans L, TeX Gyre Heros",
    ),
    (Generic::Serif, "Times New Roman, Times, Liberation Serif, Tinos, Nimbus Roman, TeX Gyre Termes"),
    (Generic::Monospace, "Courier New, Courier, Liberation Mono, Cousine, Nimbus Mono PS, TeX Gyre Cursor"),
    (Generic::Serif, "Palatino, Palatino Linotype, P052, URW Palladio L, TeX Gyre Pagella"),
    (Generic::Serif, "Bookman, ITC Bookman, Bookman Old Style, URW Bookman, TeX Gyre Bonum"),
    (Generic::SansSerif, "Avant Garde, ITC Avant Garde Gothic, URW Gothic, TeX Gyre Adventor"),
    (Generic::Serif, "New Century Schoolbook, Century Schoolbook, C059, TeX Gyre Schola"),
    (Generic::SansSerif, "Calibri, Carlito"),
    (Generic::Serif, "Cambria, Caladea"),
    (Generic::Serif, "Georgia, Gelasio"),
];

/// Names that stand for a kind, as drawing programs write them.
const WORDS: [(Generic, &str); 3] = [
    (Generic::SansSerif, "sans, sans-serif, sans serif, system-ui, ui-sans-serif"),
    (Generic::Serif, "serif, ui-serif"),
    (Generic::Monospace, "mono, monospace, monospaced, ui-monospace"),
];

impl Generic {
    /// The usual fonts of this kind.
    fn usual(self) -> &'static str {
        match self {
            Self::Serif => SERIF,
            Self::SansSerif => SANS_SERIF,
            Self::Monospace => MONOSPACE,
            Self::Cursive => CURSIVE,
            Self::Fantasy => FANTASY,
        }
    }

    fn family(self) -> Family<'static> {
        match self {
            Self::Serif => Family::Serif,
            Self::SansSerif => Family::SansSerif,
            Self::Monospace => Family::Monospace,
            Self::Cursive => Family::Cursive,
            Self::Fantasy => Family::Fantasy,
        }
    }

    /// The kind that a name stands for.
    fn of_word(name: &str) -> Option<Self> {
        WORDS.iter().find(|(_, words)| has(words, name)).map(|(generic, _)| *generic)
    }

    /// The kind of a font that is not there, by its name. usvg takes a serif for unknown ones.
    fn of_name(name: &str) -> Self {
        let lower = name.to_lowercase();
        let group = SAME_WIDTHS.iter().find(|(_, names)| has(names, name));
        let kinds = [Self::Monospace, Self::SansSerif, Self::Cursive, Self::Fantasy];
        let listed = kinds.into_iter().find(|kind| has(kind.usual(), name));
        if let Some(generic) = group.map(|group| group.0).or(listed) {
            generic
        } else if lower.contains("mono") || lower.contains("code") {
            Self::Monospace
        } else if lower.contains("sans") || lower.contains("gothic") {
            Self::SansSerif
        } else {
            Self::Serif
        }
    }
}

/// Whether a name is in a list, small letters or capitals.
fn has(names: &str, name: &str) -> bool {
    names.split(", ").any(|other| other.eq_ignore_ascii_case(name))
}

/// The resolver of a drawing, which notes what was substituted.
pub(super) fn resolver(missing: &MissingResources) -> FontResolver<'_> {
    FontResolver {
        select_font: Box::new(move |font, database| {
            let chosen = select(font, database);
            let used = chosen.and_then(|id| database.face(id));
            match font.families().first() {
                Some(FontFamily::Named(wanted)) if Generic::of_word(wanted).is_none() => {
                    let is_it = |name: &str| name.eq_ignore_ascii_case(wanted);
                    if !used.is_some_and(|face| face.families.iter().any(|(name, _)| is_it(name))) {
                        let instead =
                            used.and_then(|face| face.families.first()).map(|(name, _)| name.clone());
                        push(&missing.fonts, (wanted.clone(), instead));
                    }
                }
                _ if used.is_none() => push(&missing.fonts, (String::new(), None)),
                _ => {}
            }
            chosen
        }),
        select_fallback: FontResolver::default_fallback_selector(),
    }
}

fn select(font: &Font, database: &Database) -> Option<ID> {
    let query = |name: &str| {
        let families = [Family::Name(name)];
        database.query(&Query {
            families: &families,
            weight: Weight(font.weight()),
            stretch: stretch(font.stretch()),
            style: style(font.style()),
        })
    };
    let listed = font.families().iter().find_map(|family| query(&listed(family, database)?));
    listed.or_else(|| {
        let generic = match font.families().first() {
            Some(FontFamily::Named(name)) => Generic::of_name(name),
            _ => Generic::Serif,
        };
        query(&of_kind(generic, database).or_else(|| any(database))?)
    })
}

/// The family of the database that stands for one of a list.
fn listed(family: &FontFamily, database: &Database) -> Option<String> {
    let generic = match family {
        FontFamily::Serif => Generic::Serif,
        FontFamily::SansSerif => Generic::SansSerif,
        FontFamily::Cursive => Generic::Cursive,
        FontFamily::Fantasy => Generic::Fantasy,
        FontFamily::Monospace => Generic::Monospace,
        FontFamily::Named(name) => {
            let group = || SAME_WIDTHS.iter().find(|(_, names)| has(names, name));
            return named(name, database)
                .or_else(|| group()?.1.split(", ").find_map(|name| named(name, database)))
                .or_else(|| of_kind(Generic::of_word(name)?, database).or_else(|| any(database)));
        }
    };
    of_kind(generic, database).or_else(|| any(database))
}

/// The family with this name, as the database spells it.
fn named(name: &str, database: &Database) -> Option<String> {
    let families = || database.faces().flat_map(|face| &face.families);
    let exact = families().find(|family| family.0 == name);
    let found = exact.or_else(|| families().find(|family| family.0.eq_ignore_ascii_case(name)))?;
    Some(found.0.clone())
}

/// A family of this kind: the one that the caller or the machine has set, a usual one, one that is called so.
fn of_kind(generic: Generic, database: &Database) -> Option<String> {
    let usual = generic.usual().split(", ").find_map(|name| named(name, database));
    named(database.family_name(&generic.family()), database).or(usual).or_else(|| {
        let is_one = |name: &str, monospaced: bool| {
            let lower = name.to_lowercase();
            match generic {
                Generic::Monospace => monospaced,
                Generic::SansSerif => !monospaced && lower.contains("sans"),
                Generic::Serif => {
                    !monospaced
                        && (lower.contains("serif") || lower.contains("roman"))
                        && !lower.contains("sans")
                }
                Generic::Cursive => lower.contains("script") || lower.contains("hand"),
                Generic::Fantasy => false,
            }
        };
        first(database, is_one)
    })
}

/// Any family for letters.
fn any(database: &Database) -> Option<String> {
    const NO_LETTERS: [&str; 6] = ["symbol", "emoji", "dingbat", "icon", "math", "braille"];
    let has_letters = |name: &str, _: bool| !NO_LETTERS.iter().any(|word| name.to_lowercase().contains(word));
    first(database, has_letters).or_else(|| first(database, |_, _| true))
}

/// The first of the families by their names.
fn first(database: &Database, is_one: impl Fn(&str, bool) -> bool) -> Option<String> {
    let families = database.faces().filter_map(|face| Some((&face.families.first()?.0, face.monospaced)));
    families.filter(|(name, monospaced)| is_one(name, *monospaced)).map(|(name, _)| name).min().cloned()
}

fn style(style: FontStyle) -> Style {
    match style {
        FontStyle::Normal => Style::Normal,
        FontStyle::Italic => Style::Italic,
        FontStyle::Oblique => Style::Oblique,
    }
}

fn stretch(stretch: FontStretch) -> Stretch {
    match stretch {
        FontStretch::UltraCondensed => Stretch::UltraCondensed,
        FontStretch::ExtraCondensed => Stretch::ExtraCondensed,
        FontStretch::Condensed => Stretch::Condensed,
        FontStretch::SemiCondensed => Stretch::SemiCondensed,
        FontStretch::Normal => Stretch::Normal,
        FontStretch::SemiExpanded => Stretch::SemiExpanded,
        FontStretch::Expanded => Stretch::Expanded,
        FontStretch::ExtraExpanded => Stretch::ExtraExpanded,
        FontStretch::UltraExpanded => Stretch::UltraExpanded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fontdb::{FaceInfo, Language, Source};
    use crate::{Resources, read_svg};
    use std::sync::Arc;

    /// A database of fonts by their names alone.
    fn fonts(names: &[&str]) -> Database {
        let mut database = Database::new();
        for name in names {
            database.push_face_info(FaceInfo {
                id: ID::dummy(),
                source: Source::Binary(Arc::new([0_u8; 0])),
                index: 0,
                families: vec![((*name).to_owned(), Language::English_UnitedStates)],
                post_script_name: (*name).to_owned(),
                style: Style::Normal,
                weight: Weight::NORMAL,
                stretch: Stretch::Normal,
                monospaced: name.contains("Mono") || name.contains("Fixed"),
            });
        }
        database
    }

    fn found(family: &FontFamily, names: &[&str]) -> Option<String> {
        listed(family, &fonts(names))
    }

    #[test]
    fn generic_families_are_what_is_there() {
        let some = |name: &str| Some(name.to_owned());
        let installed = ["Zapfino", "DejaVu Serif", "DejaVu Sans Mono", "DejaVu Sans", "Acme Symbols"];
        assert_eq!(found(&FontFamily::SansSerif, &installed), some("DejaVu Sans"));
        assert_eq!(found(&FontFamily::Serif, &installed), some("DejaVu Serif"));
        assert_eq!(found(&FontFamily::Monospace, &installed), some("DejaVu Sans Mono"));
        for (word, family) in [
            ("Sans", "DejaVu Sans"),
            ("sans serif", "DejaVu Sans"),
            ("Serif", "DejaVu Serif"),
            ("Monospace", "DejaVu Sans Mono"),
            ("dejavu sans", "DejaVu Sans"),
        ] {
            assert_eq!(found(&FontFamily::Named(word.to_owned()), &installed), some(family), "{word}");
        }
        // Unusual names, by the word in them, in the order of the names.
        let unusual = ["Quux Sans", "Corge Sans", "Grault Serif", "Fixed Pitch"];
        assert_eq!(found(&FontFamily::SansSerif, &unusual), some("Corge Sans"));
        assert_eq!(found(&FontFamily::Serif, &unusual), some("Grault Serif"));
        assert_eq!(found(&FontFamily::Monospace, &unusual), some("Fixed Pitch"));
        // Anything is better than nothing, and letters better than pictures.
        assert_eq!(found(&FontFamily::Serif, &["Acme Symbols", "Waldo"]), some("Waldo"));
        assert_eq!(found(&FontFamily::Cursive, &["Acme Symbols"]), some("Acme Symbols"));
        assert_eq!(found(&FontFamily::Serif, &[]), None);
    }

    #[test]
    fn families_of_equal_widths_stand_for_each_other() {
        let installed = ["DejaVu Sans", "Liberation Sans", "Nimbus Roman", "P052"];
        for (wanted, instead) in [
            ("Arial", "Liberation Sans"),
            ("Helvetica", "Liberation Sans"),
            ("Times", "Nimbus Roman"),
            ("Palatino Linotype", "P052"),
        ] {
            let family = FontFamily::Named(wanted.to_owned());
            assert_eq!(found(&family, &installed).as_deref(), Some(instead), "{wanted}");
        }
        assert_eq!(found(&FontFamily::Named("Unknown".to_owned()), &installed), None);
    }

    #[test]
    fn what_was_substituted_is_a_warning() {
        let notes = |family: &str, names: &[&str]| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>\n<text y='9' font-family='{family}'>a</text></svg>"
            );
            let resources = Resources { fonts: Arc::new(fonts(names)), ..Resources::none() };
            let (_, notes) = read_svg(&svg, &resources).unwrap();
            notes.iter().find(|note| note.message.contains("font “")).map(|note| {
                assert_eq!(note.place.as_ref().unwrap().line, 2);
                note.message.clone()
            })
        };
        let installed = ["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"];
        let message = |wanted: &str, instead: &str| {
            Some(format!("the font “{wanted}” is not installed; “{instead}” is used instead"))
        };
        assert_eq!(notes("Arial", &installed), message("Arial", "DejaVu Sans"));
        assert_eq!(notes("Courier", &installed), message("Courier", "DejaVu Sans Mono"));
        assert_eq!(notes("Foo Sans, sans-serif", &installed), message("Foo Sans", "DejaVu Sans"));
        assert_eq!(notes("Unknown", &installed), message("Unknown", "DejaVu Serif"));
        assert_eq!(notes("sans-serif", &installed), None);
        assert_eq!(notes("dejavu serif", &installed), None);
    }
}
