//! Marks that survive usvg: a text in which each hole of a template holds a number or an id that says which hole it is.
//! Refuses drawings whose own text could be taken for marks.

use crate::holes::Part;
use crate::template::Template;

/// What marks are told by: a number that occurs nowhere in the text, small enough for an f32 to hold it exactly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    nonce: u32,
}

/// Numbers to try. A text of the longest kind holds each of them with a chance of about one half.
const NONCES: std::ops::Range<u32> = 10_000_019..10_000_083;

/// Most holes of a kind: whole numbers up to here are f32 values, one more included.
const MAX_HOLES: usize = 1 << 23;

/// What stands around nodes that come and go, change places or are drawn by resvg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// An element whose presence changes.
    Actor(usize),
    /// A child of a group whose children may change places.
    Sibling(usize),
    /// A copy of a definition.
    Made(usize),
    /// A group that resvg draws.
    Foreign(usize),
}

impl Marks {
    pub(crate) fn new(template: &Template) -> Option<Self> {
        let few = template.rigid.len() < MAX_HOLES && template.posed.len() < MAX_HOLES;
        let free = |nonce: &u32| !template.text.contains(&nonce.to_string());
        NONCES.clone().find(|nonce| few && free(nonce)).map(|nonce| Self { nonce })
    }

    /// Writes the template's text with marks in its holes. `starts` gets the place of each part.
    pub(crate) fn write(self, template: &Template, out: &mut String, starts: &mut Vec<usize>) {
        let mut siblings = vec![0; template.stage.counts().1];
        let nonce = self.nonce;
        for part in &template.parts {
            starts.push(out.len());
            match part {
                Part::Text(range) => out.push_str(&template.text[range.clone()]),
                Part::Tag(tag) => out.push_str(tag),
                Part::Close | Part::Leave(_) => out.push_str("</g>"),
                Part::Transform(k) => out.push_str(&format!(" transform=\"matrix(1 0 0 1 {k} {nonce})\"")),
                Part::Open(k) => out.push_str(&format!("<g transform=\"matrix(1 0 0 1 {k} {nonce})\">")),
                Part::Data(k) => {
                    let next = k + 1;
                    out.push_str(&format!("M {k} {nonce} L {next} {nonce} L {k} {}", nonce + 1));
                }
                Part::Made(k) => out.push_str(&self.id(Mark::Made(*k))),
                Part::Server(k) => out.push_str(&template.text[template.paint.servers[*k].at_rest.clone()]),
                Part::Lengths(k) => out.push_str(&template.text[template.paint.lengths[*k].at_rest.clone()]),
                Part::Region(k) => out.push_str(&template.text[template.cuts.regions[*k].at_rest.clone()]),
                Part::Enter(k) => out.push_str(&format!("<g id=\"{}\">", self.id(Mark::Actor(*k)))),
                Part::Siblings(group) => {
                    out.push_str(&format!("<g id=\"{}\">", self.id(Mark::Sibling(*group))));
                }
                Part::Sibling(group) => {
                    out.push_str("</g>");
                    siblings[*group] += 1;
                    if siblings[*group] < template.stage.siblings_of(*group) {
                        out.push_str(&format!("<g id=\"{}\">", self.id(Mark::Sibling(*group))));
                    }
                }
            }
        }
        starts.push(out.len());
    }

    pub(crate) fn id(self, mark: Mark) -> String {
        let (kind, k) = match mark {
            Mark::Actor(k) => ('a', k),
            Mark::Sibling(k) => ('s', k),
            Mark::Made(k) => ('m', k),
            Mark::Foreign(k) => ('f', k),
        };
        format!("walk{}{kind}{k}", self.nonce)
    }

    pub(crate) fn of_id(self, id: &str) -> Option<Mark> {
        let rest = id.strip_prefix("walk")?.strip_prefix(&self.nonce.to_string())?;
        let kind = rest.chars().next()?;
        let k = rest.get(1..)?.parse().ok()?;
        Some(match kind {
            'a' => Mark::Actor(k),
            's' => Mark::Sibling(k),
            'm' => Mark::Made(k),
            'f' => Mark::Foreign(k),
            _ => return None,
        })
    }

    pub(crate) fn of_transform(self, ts: tiny_skia::Transform) -> Option<usize> {
        self.number(ts.tx, ts.ty)
    }

    pub(crate) fn of_path(self, path: &tiny_skia::Path) -> Option<usize> {
        let first = path.points().first()?;
        self.number(first.x, first.y)
    }

    #[allow(clippy::cast_precision_loss, reason = "marks are small enough for an f32")]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "marks are whole numbers")]
    fn number(self, k: f32, nonce: f32) -> Option<usize> {
        (nonce == self.nonce as f32).then_some(k as usize)
    }
}
