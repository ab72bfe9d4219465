//! Where something stands in a rig: names of fields, of entries and of list items, one after the other.

use std::fmt;

use bone_core::clip::SAME_TIME;

use super::value::DocValue;
use crate::doc::VertexAddress;
use crate::text::Syntax;
use crate::write::{number, quoted};

/// The fields that name an item of a list: the first that it has.
const NAMING: [&str; 8] = ["name", "art", "bone", "tip", "chain", "clip", "bones", "from"];

/// One step of a [`DocPath`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PathStep {
    /// A field, the entry of a map, or the item of a list that has this name, or names this art or bone.
    Name(String),
    /// The item of a list, from 0. In a list of the rig counted through all its files, as the document has
    /// them.
    Index(usize),
    /// The key of a channel, by its time.
    Time(f64),
}

impl PathStep {
    /// The name, if it is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Where something stands in a rig.
///
/// ```
/// use bone_format::session::DocPath;
///
/// let key = DocPath::from(["clips", "walk", "bones", "hip", "rotate"]).time(0.5);
/// assert_eq!(key.to_string(), r#"clips > "walk" > bones > "hip" > rotate > 0.5"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocPath {
    /// The steps from the whole rig.
    pub steps: Vec<PathStep>,
}

impl DocPath {
    /// The whole rig.
    pub fn new() -> Self {
        Self::default()
    }

    /// A bone.
    pub fn bone(name: &str) -> Self {
        Self::from(["bones", name])
    }

    /// A clip.
    pub fn clip(name: &str) -> Self {
        Self::from(["clips", name])
    }

    /// A channel of a bone in a clip: `rotate`, `move`, `scale` and so on.
    pub fn channel(clip: &str, bone: &str, channel: &str) -> Self {
        Self::from(["clips", clip, "bones", bone, channel])
    }

    /// The field, entry or item of this name in it.
    pub fn name(mut self, name: &str) -> Self {
        self.steps.push(PathStep::Name(name.to_owned()));
        self
    }

    /// The item of this index in it.
    pub fn index(mut self, index: usize) -> Self {
        self.steps.push(PathStep::Index(index));
        self
    }

    /// The key at this time in it.
    pub fn time(mut self, time: f64) -> Self {
        self.steps.push(PathStep::Time(time));
        self
    }

    /// Whether a name is that of a field or a vertex, and not one that the author gave: they take turns.
    fn is_plain(&self, at: usize, name: &str) -> bool {
        let is_vertex = VertexAddress::parse(name).is_some();
        let is_weight = at == 4
            && self.names().first() == Some(&"skin")
            && self.steps.get(2).and_then(PathStep::name) == Some("weights");
        is_vertex || ["keys", "ease", "extend"].contains(&name) || at.is_multiple_of(2) && !is_weight
    }

    /// The names of the first steps, as far as they are names.
    pub(super) fn names(&self) -> Vec<&str> {
        self.steps.iter().map_while(PathStep::name).collect()
    }
}

impl<const N: usize> From<[&str; N]> for DocPath {
    fn from(names: [&str; N]) -> Self {
        names.into_iter().fold(Self::new(), Self::name)
    }
}

impl fmt::Display for DocPath {
    /// Names of fields are plain, names that the author gave are in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("the rig");
        }
        for (at, step) in self.steps.iter().enumerate() {
            f.write_str(if at > 0 { " > " } else { "" })?;
            match step {
                PathStep::Name(name) if self.is_plain(at, name) => f.write_str(name)?,
                PathStep::Name(name) => f.write_str(&quoted(name))?,
                PathStep::Index(index) => write!(f, "{index}")?,
                PathStep::Time(time) => f.write_str(&number(*time, 4))?,
            }
        }
        Ok(())
    }
}

/// The name of an item of a list: its text, the name that it gives itself, or what it is about.
pub(super) fn item_names(item: &DocValue) -> Vec<&str> {
    match item {
        DocValue::Text(text) => vec![text],
        DocValue::Fields(..) => {
            let naming = NAMING.iter().find_map(|name| item.field(name));
            match naming {
                Some(DocValue::Text(text)) => vec![text],
                Some(DocValue::List(items)) => {
                    items.iter().filter_map(|item| item.as_text().map(|text| &**text)).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// What an item of a list is recognised by when its other parts change.
pub(super) fn item_identity(item: &DocValue) -> String {
    let mut out = String::new();
    match item {
        DocValue::Tuple(None, parts) if is_key(item) => {
            parts.iter().take(1).for_each(|time| time.flat(Syntax::Ron, &mut out))
        }
        DocValue::Fields(..) => match NAMING.iter().find_map(|name| Some((name, item.field(name)?))) {
            Some((name, value)) => {
                out.push_str(name);
                out.push('=');
                value.flat(Syntax::Ron, &mut out);
            }
            None => item.flat(Syntax::Ron, &mut out),
        },
        _ => item.flat(Syntax::Ron, &mut out),
    }
    out
}

/// Whether an item of a list is a key: a time, a value and perhaps an ease.
pub(super) fn is_key(item: &DocValue) -> bool {
    matches!(item, DocValue::Tuple(None, parts) if matches!(parts.len(), 2 | 3) && parts[0].as_number().is_some())
}

/// The time of a key.
pub(super) fn key_time(item: &DocValue) -> Option<f64> {
    item.child(0).and_then(DocValue::as_number).filter(|_| is_key(item))
}

pub(super) fn is_same_time(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_TIME
}

/// Where a step leads from a value: the positions of values in values, two if it leads through `keys`.
pub(super) fn follow(value: &DocValue, step: &PathStep) -> Option<Vec<usize>> {
    let through_keys = || {
        let keys = value.position("keys").filter(|_| matches!(value, DocValue::Fields(..)))?;
        let mut rest = follow(value.child(keys)?, step)?;
        rest.insert(0, keys);
        Some(rest)
    };
    match (value, step) {
        (DocValue::Fields(..) | DocValue::Map(_), PathStep::Name(name)) => {
            value.position(name).map(|at| vec![at])
        }
        (DocValue::List(items), PathStep::Name(name)) => {
            items.iter().position(|item| item_names(item).contains(&name.as_str())).map(|at| vec![at])
        }
        (DocValue::List(_) | DocValue::Tuple(..) | DocValue::Map(_), PathStep::Index(index)) => {
            (*index < value.len()).then(|| vec![*index])
        }
        (DocValue::List(items), PathStep::Time(time)) => {
            let same = |item: &DocValue| key_time(item).is_some_and(|at| is_same_time(at, *time));
            items.iter().position(same).map(|at| vec![at])
        }
        (DocValue::Fields(..), PathStep::Index(_) | PathStep::Time(_)) => through_keys(),
        _ => None,
    }
}

/// The value at positions.
pub(crate) fn at<'v>(root: &'v DocValue, positions: &[usize]) -> Option<&'v DocValue> {
    positions.iter().try_fold(root, |value, at| value.child(*at))
}

pub(crate) fn at_mut<'v>(root: &'v mut DocValue, positions: &[usize]) -> Option<&'v mut DocValue> {
    positions.iter().try_fold(root, |value, at| value.child_mut(*at))
}

/// The path to positions, by names where there are some.
pub(super) fn path_of(root: &DocValue, positions: &[usize]) -> DocPath {
    let mut path = DocPath::new();
    let mut value = root;
    for position in positions {
        let Some(child) = value.child(*position) else { break };
        let step = match value {
            DocValue::Fields(_, fields) => {
                fields.get(*position).map(|(name, _)| PathStep::Name(name.to_string()))
            }
            DocValue::Map(entries) => {
                let name = entries.get(*position).and_then(|(key, _)| key.key_name());
                name.map(|name| PathStep::Name(name.to_string()))
            }
            DocValue::List(items) => match (item_names(child).first(), key_time(child)) {
                (_, Some(time)) => Some(PathStep::Time(time)),
                (Some(name), _) => {
                    let first = items.iter().position(|item| item_names(item).contains(name));
                    (first == Some(*position)).then(|| PathStep::Name((*name).to_owned()))
                }
                _ => None,
            },
            _ => None,
        };
        path.steps.push(step.unwrap_or(PathStep::Index(*position)));
        value = child;
    }
    path
}
