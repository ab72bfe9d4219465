//! Tables of fields and the types of values.

use std::fmt::Display;

use bone_archive::Words;

/// The fields of one pair of round brackets.
#[derive(Debug)]
pub(crate) struct Table {
    /// What types call it: `Bone`.
    pub(crate) name: &'static str,
    pub(crate) title: Title,
    /// A whole one, in RON.
    pub(crate) example: &'static str,
    pub(crate) entries: &'static [Entry],
}

/// What a message calls the owner of fields.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Title {
    /// `this spring`.
    This(&'static str),
    /// `bone "hip"`: the name is the key of its map.
    Named(&'static str),
    /// `the entry for bone "hip"`.
    EntryFor(&'static str),
}

impl Title {
    pub(crate) fn of(self, name: &str) -> String {
        let name = crate::text::shortened(name);
        match self {
            Self::This(owner) => owner.to_owned(),
            Self::Named(kind) => format!("{kind} \"{name}\""),
            Self::EntryFor(kind) => format!("the entry for {kind} \"{name}\""),
        }
    }
}

/// A line of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    Field(Field),
    /// All fields of another table, some of them changed.
    Flat(&'static Table, &'static [(&'static str, Change)]),
}

/// What differs where a field of another table is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    /// It is not there.
    Without,
    Default(&'static str),
    As(Field),
}

/// A field: `length: 60`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) of: &'static Type,
    /// What holds if it is not given, in Markdown; none if it must be.
    pub(crate) default: Option<&'static str>,
    /// An example of a value, in RON.
    pub(crate) example: &'static str,
    /// What it is for: the sentence of its documentation.
    pub(crate) doc: &'static str,
    /// What other programs call it.
    pub(crate) synonyms: &'static [&'static str],
}

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Type {
    /// The version of the format.
    Version,
    Bool,
    Number(Number),
    Text(Text),
    Pair(Pair),
    Words(&'static [Word]),
    /// How a value travels to the next key.
    Ease,
    /// `None` as a value.
    None,
    /// One of several types.
    Either(&'static [Type]),
    List {
        of: &'static Type,
        /// What a message calls a value of it.
        each: &'static str,
    },
    Map {
        key: Key,
        of: &'static Type,
        each: &'static str,
    },
    Keys {
        of: &'static Type,
        /// An example of a value.
        example: &'static str,
        /// The type of the third part.
        third: Option<&'static Type>,
        /// The record that may stand in place of the list.
        long: Option<&'static Table>,
    },
    /// The keys in such a record.
    KeyList,
    Record(&'static Table),
    Variants(&'static Variants),
}

impl Field {
    /// The sentence of its documentation as a table has it: without a capital letter and a full stop.
    pub(crate) fn meaning(&self) -> String {
        let doc = self.doc.trim();
        let doc = doc.strip_suffix('.').unwrap_or(doc);
        let mut chars = doc.chars();
        match (chars.next(), chars.as_str()) {
            (Some(first), rest) if rest.starts_with([' ', '\'']) || rest.starts_with(char::is_lowercase) => {
                first.to_lowercase().chain(rest.chars()).collect()
            }
            _ => doc.to_owned(),
        }
    }
}

impl Type {
    /// All records of it, each once, by their names.
    pub(crate) fn tables(&'static self) -> Vec<(&'static str, Fields)> {
        let mut tables: Vec<(&'static str, Fields)> = Vec::new();
        let mut waiting = vec![self];
        while let Some(of) = waiting.pop() {
            let mut found: Vec<(&'static str, Fields)> = Vec::new();
            match of {
                Self::Either(types) => waiting.extend(types.iter().rev()),
                Self::List { of, .. } | Self::Map { of, .. } => waiting.push(of),
                Self::Keys { of, long, .. } => {
                    waiting.push(of);
                    found.extend(long.map(|table| (table.name, table.fields())));
                }
                Self::Record(table) => found.push((table.name, table.fields())),
                Self::Variants(variants) => {
                    found.extend(variants.common.map(|table| (table.name, table.fields())));
                    found.extend(variants.all.iter().map(|variant| (variant.name, variant.fields())));
                }
                _ => {}
            }
            found.retain(|(name, _)| tables.iter().all(|(known, _)| known != name));
            waiting.extend(
                found.iter().rev().flat_map(|(_, fields)| fields.0.iter().rev().map(|(_, field)| field.of)),
            );
            tables.extend(found);
        }
        tables
    }

    /// The types of what a name in a value of it leads to: of a field, an entry or an item. Variants may have
    /// several of one name.
    pub(crate) fn members(&'static self, name: &str) -> Vec<&'static Self> {
        let field = |fields: Fields| fields.written(name).map(|field| field.of);
        match self {
            Self::Either(types) => types.iter().flat_map(|of| of.members(name)).collect(),
            Self::List { of, .. } | Self::Map { of, .. } => vec![*of],
            Self::Keys { long, .. } => long.and_then(|table| field(table.fields())).into_iter().collect(),
            Self::Record(table) => field(table.fields()).into_iter().collect(),
            Self::Variants(variants) => {
                variants.all.iter().filter_map(|variant| field(variants.fields(variant))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many digits its numbers have, if they all have as many.
    pub(crate) fn precision(&self) -> Option<Precision> {
        match self {
            Self::Number(number) => Some(number.precision),
            Self::Pair(pair) => Some(pair.precision),
            Self::Keys { of, .. } => of.precision(),
            Self::Either(types) => types.iter().find_map(Self::precision),
            _ => None,
        }
    }

    /// An example of a text; empty for another type.
    pub(crate) const fn example(&self) -> &'static str {
        if let Self::Text(text) = self { text.example } else { "" }
    }
}

/// How many digits of a number are written: see [`Digits`](crate::write::Digits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Units of the canvas.
    Place,
    Angle,
    Time,
    Share,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    /// As tables show it, with its unit and range: `pixels > 0`.
    pub(crate) shown: &'static str,
    pub(crate) precision: Precision,
    pub(crate) range: Range,
    /// What to do about one that is out of range.
    pub(crate) help: &'static str,
}

/// Which numbers are allowed. All must be finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Range {
    Any,
    NotZero,
    Above(f64),
    AtLeast(f64),
    /// Both ends included.
    Between(f64, f64),
    /// The lower end excluded.
    AboveTo(f64, f64),
    /// A whole number of this and more.
    Whole(f64),
}

impl Range {
    /// The numbers that a message about it has.
    pub(crate) fn ends(self) -> Vec<f64> {
        match self {
            Self::Any | Self::NotZero => Vec::new(),
            Self::Above(least) | Self::AtLeast(least) | Self::Whole(least) => vec![least],
            Self::Between(least, most) | Self::AboveTo(least, most) => vec![least, most],
        }
    }

    pub(crate) fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Any => true,
                Self::NotZero => value != 0.0,
                Self::Above(least) => value > least,
                Self::AtLeast(least) => value >= least,
                Self::Between(least, most) => (least..=most).contains(&value),
                Self::AboveTo(least, most) => value > least && value <= most,
                Self::Whole(least) => value >= least && value.fract() == 0.0,
            }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    /// What it is: `bone name`.
    pub(crate) shown: &'static str,
    pub(crate) example: &'static str,
    /// What to do if several are listed.
    pub(crate) one: &'static str,
}

/// Two numbers in round brackets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) shown: &'static str,
    pub(crate) precision: Precision,
    pub(crate) range: Range,
    pub(crate) help: &'static str,
    /// What a single number means; none if there must be two.
    pub(crate) one: Option<One>,
}

/// What a single number in place of a pair means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum One {
    Both,
    /// The first; the second is 0.
    First,
    /// The second; the first is 0.
    Second,
    /// The sum of both, which are equal.
    Halves,
}

/// A word, or a word with values in brackets: `Bone("chest")`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub(crate) name: &'static str,
    /// The type of its one value.
    pub(crate) of: Option<&'static Type>,
}

/// An enum of words as the type of a field.
pub(crate) trait WordType: Words {
    const TYPE: Type;
}

/// The words of an enum as a type lists them.
pub(crate) const fn list_of_words<T: Words, const COUNT: usize>() -> [Word; COUNT] {
    let mut list = [Word { name: "", of: None }; COUNT];
    let mut at = 0;
    while at < COUNT {
        list[at].name = T::WORDS[at].0;
        at += 1;
    }
    list
}

/// What the keys of a map are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    /// Names: how tables show them, and of what they are.
    Name { shown: &'static str, of: &'static str },
    /// `3`, `"3.in"`.
    Vertex,
    /// `3`, the number of a stop or of a place.
    Stop,
    /// `(1, 1)`, a place of a grid.
    Grid,
}

/// Records with a name before their brackets: `Rigid(…)`.
#[derive(Debug)]
pub(crate) struct Variants {
    /// What a message calls one: `binding`.
    pub(crate) title: &'static str,
    pub(crate) example: &'static str,
    /// Fields of all of them.
    pub(crate) common: Option<&'static Table>,
    pub(crate) all: &'static [Variant],
    /// Names that other programs have, and what to write.
    pub(crate) foreign: &'static [(&'static str, &'static str)],
}

#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) table: &'static Table,
    /// How its fields differ from those of the table.
    pub(crate) changes: &'static [(&'static str, Change)],
}

impl Variants {
    pub(crate) fn get(&self, name: &str) -> Option<&'static Variant> {
        self.all.iter().find(|variant| variant.name == name)
    }

    /// The common fields and those of a variant of this name.
    pub(crate) fn fields_of(&self, name: &str) -> Fields {
        self.get(name).map(|variant| self.fields(variant)).unwrap_or_default()
    }

    /// The common fields and those of one variant.
    pub(crate) fn fields(&self, variant: &'static Variant) -> Fields {
        let mut fields = self.common.map(Table::fields).unwrap_or_default();
        fields.0.extend(variant.fields().0);
        fields
    }
}

impl Variant {
    pub(crate) fn fields(&self) -> Fields {
        let mut fields = Vec::new();
        collect(self.table, &mut vec![self.changes], &mut fields);
        Fields(fields)
    }
}

/// The fields of a table by the names that its document has for them, those of flat tables among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(&'static str, Field)>);

impl Fields {
    /// A field by the name in its own table; none if it is not there.
    pub(crate) fn get(&self, own: &str) -> Option<Field> {
        self.0.iter().find(|(name, _)| *name == own).map(|(_, field)| *field)
    }

    /// A field by the name that is written.
    pub(crate) fn written(&self, name: &str) -> Option<Field> {
        self.iter().find(|field| field.name == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Field> + Clone {
        self.0.iter().map(|(_, field)| *field)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|(_, field)| keep(field.name));
    }
}

impl Table {
    pub(crate) fn fields(&'static self) -> Fields {
        let mut fields = Vec::new();
        collect(self, &mut Vec::new(), &mut fields);
        Fields(fields)
    }
}

/// Tables are nested as deep as they are written in this crate: three at most.
fn collect(
    table: &'static Table,
    changes: &mut Vec<&'static [(&'static str, Change)]>,
    out: &mut Vec<(&'static str, Field)>,
) {
    for entry in table.entries {
        match entry {
            Entry::Flat(inner, own) => {
                changes.push(own);
                collect(inner, changes, out);
                changes.pop();
            }
            Entry::Field(field) => {
                let change =
                    |of: &&[(&str, Change)]| of.iter().find(|(name, _)| *name == field.name).map(|(_, c)| *c);
                // The outermost change counts.
                match changes.iter().find_map(change) {
                    None => out.push((field.name, *field)),
                    Some(Change::Without) => {}
                    Some(Change::Default(default)) => {
                        out.push((field.name, Field { default: Some(default), ..*field }));
                    }
                    Some(Change::As(other)) => out.push((field.name, other)),
                }
            }
        }
    }
}

/// What a message calls the value of a field: `` `length` of bone "hip" ``.
pub(crate) struct FieldName<'a> {
    pub(crate) name: &'a str,
    /// Whose it is, unless the message needs no owner.
    pub(crate) owner: Option<&'a str>,
}

impl Display for FieldName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.name)?;
        self.owner.map_or(Ok(()), |owner| write!(f, " of {owner}"))
    }
}
