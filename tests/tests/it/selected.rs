//! What a cursor is in, and where a text says what is selected: over all examples, whole and cut off.

use bone_format::session::{Named, Selected, names_in};
use bone_layer_tests::files::root;

fn examples() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("examples")).expect("the examples").flatten();
    folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("rig.ron")).ok()).collect()
}

#[test]
fn what_a_cursor_is_in_has_its_place_in_the_text() {
    let mut seen = 0;
    for text in examples() {
        for at in (0..text.len()).step_by(241) {
            let Some(selected) = Selected::at(&text, at) else { continue };
            let place = selected.place(&text).unwrap_or_else(|| panic!("{selected:?} has no place"));
            assert!(
                text.get(place.clone()).is_some_and(|written| !written.is_empty()),
                "{selected:?}: {place:?}"
            );
            // The place of a thing is in that thing.
            let again = Selected::at(&text, place.start).expect("a thing");
            assert_eq!(again.thing, selected.thing, "at byte {at}");
            // An event is of the clip alone.
            if selected.time.is_some() && selected.thing.is_some() {
                assert_eq!((&again.clip, again.time), (&selected.clip, selected.time), "at byte {at}");
            }
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn names_are_found_where_they_are_given() {
    for text in examples() {
        for name in names_in(&text).into_iter().filter(|name| name.defines && name.scope.is_none()) {
            let selected = Selected::at(&text, name.range.start).expect("the name");
            let is_clip = matches!(name.of, Named::Clip | Named::Shot);
            let found = if is_clip {
                selected.clip.as_deref()
            } else {
                selected.thing.as_ref().map(|(_, name)| &**name)
            };
            assert_eq!(found, Some(&*name.name));
            assert_eq!(selected.place(&text), Some(name.range));
        }
    }
}

#[test]
fn texts_that_end_anywhere_have_an_answer_or_none() {
    for text in examples() {
        for end in (0..text.len()).step_by(1999).filter(|end| text.is_char_boundary(*end)) {
            let cut = &text[..end];
            for at in [0, end / 2, end, end + 9] {
                let place = Selected::at(cut, at).and_then(|selected| selected.place(cut));
                assert!(place.is_none_or(|place| cut.get(place).is_some()));
            }
        }
    }
}
