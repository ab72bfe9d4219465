//! Two changes of one file brought together by name: what only one side changed is taken from that side. What
//! both changed differently is a conflict, and nothing of it is lost: both values are in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::path::{DocPath, PathStep, is_key, item_names, key_time};
use super::rewrite::identity;
use super::value::DocValue;

/// A side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictSide {
    /// What the session has.
    Ours,
    /// What came from outside.
    Theirs,
}

/// A place that was changed here and outside, differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The place.
    pub at: DocPath,
    /// What both sides changed; none if nothing was there.
    pub base: Option<DocValue>,
    /// What the session has; none if it was taken out.
    pub ours: Option<DocValue>,
    /// What came from outside; none if it was taken out.
    pub theirs: Option<DocValue>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<DocValue>| match value {
            Some(value) => format!("{}", Short(value)),
            None => "removed".to_owned(),
        };
        write!(f, "{} is {} here, and {} outside", self.at, show(&self.ours), show(&self.theirs))?;
        match &self.base {
            Some(base) => write!(f, "; it was {}", Short(base)),
            None => Ok(()),
        }
    }
}

/// A value in a message.
struct Short<'a>(&'a DocValue);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::shortened(&self.0.to_string()))
    }
}

/// What `ours` and `theirs` made of `base`, with the conflicts; in those, `keep` counts.
pub(super) fn merge(
    base: &DocValue,
    ours: &DocValue,
    theirs: &DocValue,
    keep: ConflictSide,
) -> (DocValue, Vec<Conflict>) {
    let mut merger = Merger { keep, returns: false, conflicts: Vec::new() };
    let merged = merger.value(Some(base), Some(ours), Some(theirs), &DocPath::new());
    (merged.unwrap_or(DocValue::None), merger.conflicts)
}

/// The places where `new`, which an edit made of `now`, has something else than `now`, and `now` something else
/// than `seen`.
pub(super) fn overwritten(seen: &DocValue, now: &DocValue, new: &DocValue) -> Vec<Conflict> {
    let mut merger = Merger { keep: ConflictSide::Ours, returns: true, conflicts: Vec::new() };
    merger.value(Some(seen), Some(new), Some(now), &DocPath::new());
    merger.conflicts
}

struct Merger {
    keep: ConflictSide,
    /// Whether a value of `ours` that is that of the base was set to it, and is a change, too.
    returns: bool,
    conflicts: Vec<Conflict>,
}

/// A value on one side; none if it is not there.
type Side<'v> = Option<&'v DocValue>;

impl Merger {
    fn value(&mut self, base: Side<'_>, ours: Side<'_>, theirs: Side<'_>, at: &DocPath) -> Option<DocValue> {
        if ours == theirs || theirs == base {
            return ours.cloned();
        }
        if ours == base && !self.returns {
            return theirs.cloned();
        }
        if let (Some(ours), Some(theirs)) = (ours, theirs)
            && let Some(merged) = self.container(base, ours, theirs, at)
        {
            return Some(merged);
        }
        self.conflicts.push(Conflict {
            at: at.clone(),
            base: base.cloned(),
            ours: ours.cloned(),
            theirs: theirs.cloned(),
        });
        match self.keep {
            ConflictSide::Ours => ours.cloned(),
            ConflictSide::Theirs => theirs.cloned(),
        }
    }

    /// Containers of one kind, entry by entry; none if they are something else.
    fn container(
        &mut self,
        base: Side<'_>,
        ours: &DocValue,
        theirs: &DocValue,
        at: &DocPath,
    ) -> Option<DocValue> {
        if is_key(ours) && is_key(theirs) {
            return self.key(base, ours, theirs, at);
        }
        let empty = match (ours, theirs) {
            (DocValue::Fields(a, _), DocValue::Fields(b, _)) if a == b => {
                DocValue::Fields(a.clone(), Arc::default())
            }
            (DocValue::List(_), DocValue::List(_)) => DocValue::List(Arc::default()),
            (DocValue::Map(_), DocValue::Map(_)) => DocValue::Map(Arc::default()),
            _ => return None,
        };
        let base = base.filter(|base| {
            std::mem::discriminant(*base) == std::mem::discriminant(ours) && base.kind() == ours.kind()
        });
        let base = base.unwrap_or(&empty);
        let (b, o, t) = (Entries::of(base), Entries::of(ours), Entries::of(theirs));
        let order = order(&b, &o, &t, ours)?;
        let mut merged: Vec<(String, DocValue)> = Vec::with_capacity(order.len());
        for identity in order {
            let (b, o, t) = (b.get(&identity), o.get(&identity), t.get(&identity));
            let step = step(&identity, o.or(t).or(b), ours);
            let mut inner = at.clone();
            inner.steps.push(step);
            let value = self.value(b, o, t, &inner);
            merged.extend(value.map(|value| (identity, value)));
        }
        let key = |identity: &str| o.key(identity, ours).or_else(|| t.key(identity, theirs));
        Some(match ours {
            DocValue::Fields(name, _) => {
                let fields = merged.into_iter().map(|(name, value)| (Arc::from(name), value));
                DocValue::Fields(name.clone(), Arc::new(fields.collect()))
            }
            DocValue::Map(_) => {
                let entries =
                    merged.into_iter().filter_map(|(identity, value)| Some((key(&identity)?, value)));
                DocValue::Map(Arc::new(entries.collect()))
            }
            _ => {
                let mut items: Vec<DocValue> = merged.into_iter().map(|(_, value)| value).collect();
                if !items.is_empty() && items.iter().all(is_key) {
                    items.sort_by(|a, b| {
                        key_time(a).unwrap_or_default().total_cmp(&key_time(b).unwrap_or_default())
                    });
                }
                DocValue::List(Arc::new(items))
            }
        })
    }

    /// The value and the ease of a key are changed apart.
    fn key(&mut self, base: Side<'_>, ours: &DocValue, theirs: &DocValue, at: &DocPath) -> Option<DocValue> {
        let base = base.filter(|base| is_key(base));
        let time = ours.child(0)?.clone();
        let part = |value: Side<'_>, index: usize| value.and_then(|key| key.child(index)).cloned();
        let mut parts = vec![time];
        for (index, name) in [(1, "value"), (2, "ease")] {
            let sides = [base, Some(ours), Some(theirs)].map(|side| part(side, index));
            let [base, ours, theirs] = &sides;
            let at = if index == 1 { at.clone() } else { at.clone().name(name) };
            parts.extend(self.value(base.as_ref(), ours.as_ref(), theirs.as_ref(), &at));
        }
        Some(DocValue::Tuple(None, Arc::new(parts)))
    }
}

/// The entries of a container by what they are recognised by; of equal ones each has its number.
struct Entries<'v> {
    list: Vec<(String, &'v DocValue)>,
    places: BTreeMap<String, usize>,
}

impl<'v> Entries<'v> {
    fn of(container: &'v DocValue) -> Self {
        let mut list = Vec::with_capacity(container.len());
        let mut places = BTreeMap::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for at in 0..container.len() {
            let Some(value) = container.child(at) else { continue };
            let mut identity = identity(container, at);
            let count = counts.entry(identity.clone()).or_default();
            *count += 1;
            if *count > 1 {
                identity = format!("{identity}\u{0}{count}");
            }
            places.insert(identity.clone(), at);
            list.push((identity, value));
        }
        Self { list, places }
    }

    fn get(&self, identity: &str) -> Side<'v> {
        self.places.get(identity).and_then(|at| self.list.get(*at)).map(|(_, value)| *value)
    }

    fn key(&self, identity: &str, container: &DocValue) -> Option<DocValue> {
        let DocValue::Map(entries) = container else { return None };
        entries.get(*self.places.get(identity)?).map(|(key, _)| key.clone())
    }
}

/// The order of the entries: that of the side that changed it, entries of the other side behind those that they
/// follow there. None if both sides changed it: it matters in lists alone.
fn order(
    base: &Entries<'_>,
    ours: &Entries<'_>,
    theirs: &Entries<'_>,
    kind: &DocValue,
) -> Option<Vec<String>> {
    let common = |side: &Entries<'_>| -> Vec<String> {
        let everywhere = |identity: &String| {
            [base, ours, theirs].iter().all(|entries| entries.places.contains_key(identity))
        };
        side.list.iter().map(|(identity, _)| identity.clone()).filter(everywhere).collect()
    };
    let (b, o, t) = (common(base), common(ours), common(theirs));
    let (first, second) = match () {
        () if o == b || o == t => (theirs, ours),
        () if t == b => (ours, theirs),
        () if matches!(kind, DocValue::List(_)) => return None,
        () => (theirs, ours),
    };
    let mut order: Vec<String> = first.list.iter().map(|(identity, _)| identity.clone()).collect();
    let mut known: BTreeSet<String> = order.iter().cloned().collect();
    for (at, (identity, _)) in second.list.iter().enumerate() {
        if !known.insert(identity.clone()) {
            continue;
        }
        let before = at.checked_sub(1).map(|before| &second.list[before].0);
        let place = before.and_then(|before| order.iter().position(|other| other == before));
        order.insert(place.map_or(0, |place| place + 1), identity.clone());
    }
    Some(order)
}

/// The step of a path to an entry.
fn step(identity: &str, value: Side<'_>, container: &DocValue) -> PathStep {
    let name = || match container {
        DocValue::Map(_) => identity.trim_matches('"').to_owned(),
        _ => identity.split('\u{0}').next().unwrap_or_default().to_owned(),
    };
    match (container, value) {
        (DocValue::List(_), Some(item)) => match (key_time(item), item_names(item).first()) {
            (Some(time), _) => PathStep::Time(time),
            (None, Some(name)) => PathStep::Name((*name).to_owned()),
            _ => PathStep::Name(name()),
        },
        _ => PathStep::Name(name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::span::SourceId;
    use crate::text::parse;

    fn value(text: &str) -> DocValue {
        let root = parse(SourceId::default(), text, &mut Diagnostics::new()).root.expect("a value");
        DocValue::of_node(&root).expect("a whole value")
    }

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
        let (merged, conflicts) = merge(&value(base), &value(ours), &value(theirs), ConflictSide::Ours);
        (merged.to_string(), conflicts.iter().map(Conflict::to_string).collect())
    }

    fn clean(base: &str, ours: &str, theirs: &str) -> String {
        let (merged, conflicts) = merged(base, ours, theirs);
        assert!(conflicts.is_empty(), "{conflicts:?}");
        merged
    }

    #[test]
    fn changes_of_different_entries_are_both_there() {
        let base = "(bones: {\"a\": (to: (1, 2)), \"b\": (length: 3)})";
        let ours = "(bones: {\"a\": (to: (1, 5)), \"b\": (length: 3)})";
        let theirs =
            "(bones: {\"new\": (length: 1), \"a\": (to: (1, 2), limits: (-1, 1)), \"b\": (length: 4)})";
        let both =
            "(bones: {\"new\": (length: 1), \"a\": (to: (1, 5), limits: (-1, 1)), \"b\": (length: 4)})";
        assert_eq!(clean(base, ours, theirs), both);
        assert_eq!(clean("(a: 1)", "(a: 1, b: 2)", "(a: 1, c: 3)"), "(a: 1, b: 2, c: 3)");
        assert_eq!(clean("(a: 1, b: 2)", "(a: 1)", "(a: 2, b: 2)"), "(a: 2)");
        assert_eq!(clean("()", "(a: {\"x\": 1})", "(a: {\"y\": 2})"), "(a: {\"x\": 1, \"y\": 2})");
    }

    #[test]
    fn keys_are_merged_by_their_times() {
        let base = "[(0, 1), (1, 2), (2, 3)]";
        assert_eq!(
            clean(base, "[(0, 1), (0.5, 9), (1, 2, Hold), (2, 3)]", "[(0, 1), (1, 5), (1.5, 7)]"),
            "[(0, 1), (0.5, 9), (1, 5, Hold), (1.5, 7)]"
        );
        let (kept, conflicts) = merged(base, "[(0, 1), (1, 8), (2, 3)]", "[(0, 1), (1, 9), (2, 3)]");
        assert_eq!(kept, "[(0, 1), (1, 8), (2, 3)]");
        assert_eq!(conflicts, ["1 is 8 here, and 9 outside; it was 2"]);
    }

    #[test]
    fn one_value_changed_twice_is_a_conflict() {
        let (_, conflicts) =
            merged("(bones: {\"a\": (length: 1)})", "(bones: {\"a\": (length: 2)})", "(bones: {})");
        assert_eq!(conflicts, ["bones > \"a\" is (length: 2) here, and removed outside; it was (length: 1)"]);
        let (_, conflicts) = merged("[1, 2, 3]", "[2, 1, 3]", "[1, 3, 2]");
        assert_eq!(conflicts.len(), 1);
        assert_eq!(clean("[1, 2, 3]", "[2, 1, 3]", "[1, 2, 3, 4]"), "[2, 1, 3, 4]");
    }
}
