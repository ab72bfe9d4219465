//! usvg parses a drawing once, whatever is in it.

use std::path::{Path, PathBuf};

use super::drawing;
use crate::svg::parses;
use crate::{Resources, Showable, read_svg, read_svg_showing};

/// How often usvg parses while a drawing is read.
fn count(svg: &str) -> usize {
    let before = parses();
    read_svg(svg, &Resources::none()).unwrap();
    parses() - before
}

/// All drawings below a folder of the repository.
fn drawings(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "svg") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_drawing_is_parsed_once() {
    let mut all = 0;
    for path in
        ["tests/svg", "tests/init", "tests/rigs", "tests/drawings", "examples"].into_iter().flat_map(drawings)
    {
        let svg = std::fs::read_to_string(&path).unwrap();
        assert_eq!(count(&svg), 1, "{}", path.display());
        all += 1;
    }
    assert!(all >= 190, "{all} drawings");
}

#[test]
fn what_is_hidden_cut_or_scaled_needs_no_second_parse() {
    for body in [
        "<g id='guides' display='none'><path id='guide' d='M0 0h9v9z'/></g><path d='M0 0h9v9z'/>",
        "<style>.off { display: none }</style><g class='off'><path id='guide' d='M0 0h9v9z'/></g>",
        "<clipPath id='c'><rect width='9' height='9'/></clipPath><path id='a' clip-path='url(#c)' d='M0 0h19v9z'/>",
        "<mask id='m'><rect width='9' height='9' fill='#fff'/></mask><path id='a' mask='url(#m)' d='M0 0h19v9z'/>",
        "<filter id='f'><feGaussianBlur stdDeviation='2'/></filter><path id='a' filter='url(#f)' d='M0 0h19v9z'/>",
        "<defs><path id='a' d='M0 0h9v9z'/></defs><use href='#a'/><use xlink:href='#a' x='20'/>",
        "<text id='t' x='4' y='40'>words</text>",
    ] {
        assert_eq!(count(&drawing(body)), 1, "{body}");
    }
    for root in [
        "width='80' height='40' viewBox='0 0 10 10'",
        "width='80' height='40' viewBox='-3 2 10 10' preserveAspectRatio='xMinYMax slice'",
        "viewBox='0 0 10 10'",
        "width='100%' height='20mm' viewBox='0 0 10 10'",
    ] {
        let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' {root}><path d='M0 0h9v9z'/></svg>");
        assert_eq!(count(&svg), 1, "{root}");
    }
}

#[test]
fn showing_what_is_hidden_needs_no_second_parse() {
    let svg = drawing(
        "<path id='a' d='M0 0h9v9z'/><g id='guides' display='none'><path id='guide' d='M0 0h9v9z'/></g>",
    );
    let showable = Showable { elements: vec!["guides".to_owned()], ..Showable::default() };
    let before = parses();
    read_svg_showing(&svg, &Resources::none(), &showable).unwrap();
    assert_eq!(parses() - before, 1);
}

#[test]
fn only_a_root_with_a_style_of_its_own_is_probed() {
    // usvg does not return its mapping of the root, and a transform of the root is one more group.
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10' width='20' height='20' transform='scale(2)'>\
               <path d='M0 0h9v9z'/></svg>";
    assert_eq!(count(svg), 2);
}
