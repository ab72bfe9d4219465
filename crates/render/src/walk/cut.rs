//! Cuts a group out of a template, with the definitions that it uses: a small template for a text of its own.
//! Refuses groups that lead to elements outside the definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use roxmltree::{Document, Node};

use super::plan::Foreign;
use crate::holes::Part;
use crate::template::Template;

/// The marked text, read, and where each part of the template begins in it.
pub(crate) struct Cutout<'a> {
    template: &'a Template,
    starts: &'a [usize],
    /// Definitions by their id, in the order of the text.
    definitions: BTreeMap<&'a str, Node<'a, 'a>>,
    /// The start tag of the root.
    root: Range<usize>,
}

impl<'a> Cutout<'a> {
    pub(crate) fn new(
        template: &'a Template,
        text: &str,
        doc: &'a Document<'a>,
        starts: &'a [usize],
    ) -> Option<Self> {
        let defs = doc.root_element().children().filter(|child| child.tag_name().name() == "defs");
        let children = defs.flat_map(|defs| defs.children());
        let definitions = children.filter_map(|node| Some((node.attribute("id")?, node))).collect();
        let start = doc.root_element().range().start;
        let end = start + text.get(start..)?.find('>')? + 1;
        Some(Self { template, starts, definitions, root: 0..end })
    }

    /// The template of an element alone.
    pub(crate) fn cut(&self, element: Node<'a, 'a>) -> Option<Foreign> {
        let mut parts = self.parts(self.root.clone());
        parts.push(Part::Tag("<defs>"));
        let mut definitions: Vec<Range<usize>> =
            self.used(element)?.into_iter().map(|node| node.range()).collect();
        definitions.sort_by_key(|range| range.start);
        for range in definitions {
            parts.extend(self.parts(range));
        }
        parts.push(Part::Tag("</defs>"));
        parts.extend(self.parts(element.range()));
        parts.push(Part::Tag("</svg>"));
        let moves = parts.iter().any(|part| !matches!(part, Part::Text(_) | Part::Tag(_) | Part::Made(_)));
        let mut stage = self.template.stage.clone();
        stage.settle(&parts);
        Some(Foreign { parts, stage, moves })
    }

    /// The definitions that an element leads to.
    fn used(&self, element: Node<'a, 'a>) -> Option<Vec<Node<'a, 'a>>> {
        let (mut seen, mut found, mut next) = (BTreeSet::new(), Vec::new(), vec![element]);
        while let Some(node) = next.pop() {
            for inside in node.descendants().filter(Node::is_element) {
                for attribute in inside.attributes() {
                    let value = attribute.value();
                    let in_urls = value
                        .match_indices("url(#")
                        .map(|(at, start)| value[at + start.len()..].split(')').next().unwrap_or(""));
                    let is_link = attribute.name() == "href";
                    let links = in_urls.chain(value.strip_prefix('#').filter(|_| is_link));
                    for id in links {
                        let linked = *self.definitions.get(id)?;
                        if seen.insert(id) {
                            found.push(linked);
                            next.push(linked);
                        }
                    }
                }
            }
        }
        Some(found)
    }

    /// The parts within a range of the marked text.
    fn parts(&self, range: Range<usize>) -> Vec<Part> {
        let first = self.starts.partition_point(|start| *start < range.start).saturating_sub(1);
        let mut parts = Vec::new();
        for (at, part) in self.template.parts.iter().enumerate().skip(first) {
            let (start, end) = (self.starts[at], self.starts[at + 1]);
            if start >= range.end {
                break;
            }
            match part {
                Part::Text(text) => {
                    let (from, to) = (start.max(range.start), end.min(range.end));
                    if from < to {
                        parts.push(Part::Text(text.start + (from - start)..text.start + (to - start)));
                    }
                }
                // What is empty at rest stands within a tag.
                _ if start == end => parts.extend((start > range.start).then(|| part.clone())),
                _ => parts.extend((start >= range.start && end <= range.end).then(|| part.clone())),
            }
        }
        parts
    }
}
