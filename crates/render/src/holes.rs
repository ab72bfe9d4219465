//! The text of a drawing cut at its holes: what stays, and what a frame writes between.
//! What is written into them is decided elsewhere.

use std::ops::Range;

/// What the posed text is made of, in order.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Bytes of the text at rest.
    Text(Range<usize>),
    /// A tag that stands around some of the parts.
    Tag(&'static str),
    /// The transform attribute of a group.
    Transform(usize),
    /// The start tag of a group put around a rigid element.
    Open(usize),
    /// The end tag of such a group.
    Close,
    /// The path data of a posed path.
    Data(usize),
    /// An id of a copy.
    Made(usize),
    /// The transform attribute of a gradient or pattern that a posed path has to itself.
    Server(usize),
    /// Stroke lengths of a posed path.
    Lengths(usize),
    /// Here begins an element whose presence can change.
    Enter(usize),
    /// Here it ends.
    Leave(usize),
    /// Here begins the first child of a group whose children may change places.
    Siblings(usize),
    /// Here begins another of them, or the last one has ended.
    Sibling(usize),
    /// The region of a mask or filter around what moves.
    Region(usize),
}

/// The text between the holes, and the holes.
pub(crate) fn parts(text: &str, mut holes: Vec<(Range<usize>, Part)>) -> Vec<Part> {
    // Inner groups open after and close before outer ones. Equal places: what ends comes before what begins, and an element
    // begins outside the group that moves it.
    let rank = |part: &Part| match part {
        Part::Close => 0,
        Part::Leave(_) => 1,
        Part::Siblings(_) | Part::Sibling(_) => 2,
        Part::Enter(_) => 3,
        _ => 4,
    };
    holes.sort_by_key(|(range, part)| (range.start, range.end, rank(part)));
    let mut parts = Vec::with_capacity(holes.len() * 2 + 1);
    let mut at = 0;
    for (range, part) in holes {
        if at < range.start {
            parts.push(Part::Text(at..range.start));
        }
        at = range.end;
        parts.push(part);
    }
    parts.push(Part::Text(at..text.len()));
    parts
}
