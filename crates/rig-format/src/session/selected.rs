//! What is selected, in words that a text and a page of the rig share, and where a text says it.

use std::ops::Range;

use bone_core::clip::SAME_TIME;

use super::names::Named;
use super::placed::{PlacedName, names_in};
use crate::diagnostic::Diagnostics;
use crate::marks::{MarkKind, marks_in};
use crate::span::{SourceId, Span};
use crate::text::{Node, parse};

/// One thing that is selected, and the moment that is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selected {
    /// A thing with a name, other than a clip or shot.
    pub thing: Option<(Named, String)>,
    /// The clip or shot.
    pub clip: Option<String>,
    /// Seconds of the clip: the time of a key.
    pub time: Option<f64>,
}

impl Selected {
    /// What the cursor at a byte of a text is in: the innermost thing that has a name, the clip around it, the time of
    /// the key around it. None outside of all of them.
    ///
    /// ```
    /// use bone_format::session::{Named, Selected};
    ///
    /// let text = r#"Rig(clips: {"walk": (bones: {"hip": (rotate: [(0, 5), (0.5, -5)])})})"#;
    /// let selection = Selected::at(text, text.find("-5").expect("a number")).expect("a key");
    /// assert_eq!(selection.thing, Some((Named::Bone, "hip".to_owned())));
    /// assert_eq!((selection.clip.as_deref(), selection.time), (Some("walk"), Some(0.5)));
    /// assert_eq!(selection.place(text), text.find("(0.5, -5)").map(|at| at..at + 9));
    /// ```
    pub fn at(text: &str, at: usize) -> Option<Self> {
        let around = around(text, at)?;
        let names = names_in(text);
        let mut found = Self::default();
        for (name, whole) in &around {
            // An entry of a list is the first thing that it names, an entry of a map its key.
            let of = names.iter().find(|known| match name {
                Some(name) => within(name, known),
                None => within(whole, known),
            });
            of.into_iter().for_each(|name| found.take(name));
        }
        let here = names.iter().find(|name| name.range.start <= at && at <= name.range.end);
        here.into_iter().for_each(|name| found.take(name));
        let keys = marks_in(text).into_iter().rev().filter(|mark| mark.span.range().contains(&at));
        found.time = keys
            .filter_map(|mark| if let MarkKind::Key(_, time) = mark.kind { Some(time) } else { None })
            .next();
        (found != Self::default()).then_some(found)
    }

    fn take(&mut self, name: &PlacedName) {
        match name.of {
            Named::Clip | Named::Shot => self.clip = Some(name.name.to_string()),
            of => self.thing = Some((of, name.name.to_string())),
        }
    }

    /// Where a text has it: the key of the thing, else what the clip has of it if a time is given, else where its name is
    /// given, or used first.
    pub fn place(&self, text: &str) -> Option<Range<usize>> {
        let names = names_in(text);
        let is_clip = |name: &&PlacedName| {
            matches!(name.of, Named::Clip | Named::Shot)
                && name.defines
                && self.clip.as_deref() == Some(&*name.name)
        };
        let clip = names.iter().find(is_clip);
        let Some((of, thing)) = &self.thing else { return clip.map(|name| name.range.clone()) };
        let all = || names.iter().filter(|name| name.of == *of && *name.name == **thing);
        if let (Some(clip), Some(time)) = (clip, self.time) {
            let clip = entry_at(text, clip.range.start)?;
            let own: Vec<(usize, Option<Range<usize>>)> = all()
                .filter(|name| clip.contains(&name.range.start))
                .map(|name| (name.range.start, entry_at(text, name.range.start)))
                .collect();
            // The name is around the key, or in it, as those of shapes are.
            let is_own = |key: &Range<usize>| {
                own.iter().any(|(name, entry)| {
                    key.contains(name) || entry.as_ref().is_some_and(|entry| entry.contains(&key.start))
                })
            };
            let keys = marks_in(text).into_iter().filter_map(|mark| match mark.kind {
                MarkKind::Key(_, at) if (at - time).abs() <= SAME_TIME => Some(mark.span.range()),
                _ => None,
            });
            if let Some(key) = keys.into_iter().find(is_own) {
                return Some(key);
            }
            if let Some(entry) = own.into_iter().find_map(|(_, entry)| entry) {
                return Some(entry);
            }
        }
        all().find(|name| name.defines).or_else(|| all().next()).map(|name| name.range.clone())
    }
}

/// Whether a name is written in these bytes.
fn within(range: &Range<usize>, name: &PlacedName) -> bool {
    range.start <= name.range.start && name.range.end <= range.end
}

/// A member of a value: the bytes of its name or key, and the whole of it.
type Member = (Option<Range<usize>>, Range<usize>);

/// The members that a byte is in, the outermost first.
fn around(text: &str, at: usize) -> Option<Vec<Member>> {
    let root = parse(SourceId::default(), text, &mut Diagnostics::new()).root?;
    let (mut node, mut all) = (&root, Vec::new());
    let whole =
        |name: Option<Span>, value: &Node| name.map_or(value.span, |name| name.to(value.span)).range();
    while let Some((name, value)) = node.members().into_iter().find(|(name, value)| {
        let range = whole(*name, value);
        range.start <= at && at <= range.end
    }) {
        all.push((name.map(|name| name.range()), whole(name, value)));
        node = value;
    }
    Some(all)
}

/// The bytes of the entry whose key is at a byte.
pub fn entry_at(text: &str, at: usize) -> Option<Range<usize>> {
    let mut around = around(text, at)?.into_iter().rev();
    around.find(|(name, _)| name.as_ref().is_some_and(|name| name.contains(&at))).map(|(_, whole)| whole)
}
