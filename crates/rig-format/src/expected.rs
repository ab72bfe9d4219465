//! What may be written at a place of a rig file: the way to the place, followed through the tables of the format.

use bone_core::clip::{Ease, EaseRow};

use crate::doc::{RigDoc, SceneDoc};
use crate::format::FormatField;
use crate::schema::{Fields, Key, Type, Word};
use crate::text::{Syntax, TextCursor, TextSlot, TextStep};

/// What may be written at a place of a rig file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// The field that the place is in, or whose name is there.
    pub field: Option<FormatField>,
    /// The fields of the brackets, if a name may be here.
    pub fields: Vec<FormatField>,
    /// The words and kinds that are possible.
    pub words: Vec<FormatWord>,
    /// Of what names may be here: `bone`, `art`, `clip`.
    pub names: Vec<&'static str>,
    /// Whether such a name is given here, and not used.
    pub is_new: bool,
}

/// A word of the format, or a name before brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatWord {
    /// The word.
    pub name: &'static str,
    /// The brackets that follow, with an example in them; empty if there are none. None if they begin with fields.
    pub brackets: Option<String>,
    /// What it does, if the format has a text about it.
    pub help: &'static str,
}

/// What may be written where a cursor is.
///
/// ```
/// use bone_format::{expected, text::cursor};
///
/// let text = r#"Rig(bones: { "arm": (joint: P"#;
/// let here = expected(&cursor(text, text.len()).ok_or("a comment")?);
/// assert_eq!(here.words.iter().map(|word| word.name).collect::<Vec<_>>(), ["Free", "Pin", "Slide", "Fixed"]);
/// assert_eq!(here.field.map(|field| field.name), Some("joint"));
/// # Ok::<(), &str>(())
/// ```
pub fn expected(cursor: &TextCursor) -> Expected {
    let mut out = Expected::default();
    let head = cursor.steps.first().map_or(cursor.head.as_deref(), |step| match step {
        TextStep::Field(head, _) => head.as_deref(),
        TextStep::Entry(name) => Some(name.as_str()),
        _ => None,
    });
    let mut spots = vec![Spot::Of(if head == Some("Scene") { &SCENE } else { &RIG })];
    // In JSON all of it may be in an object of its own.
    let whole = |step: &TextStep| matches!(step, TextStep::Entry(name) if ["Rig", "Part", "Scene"].contains(&&**name));
    let steps = cursor
        .steps
        .split_first()
        .filter(|(first, _)| whole(first))
        .map_or(&cursor.steps[..], |(_, rest)| rest);
    for step in steps {
        let all = std::mem::take(&mut spots);
        for spot in all.into_iter().flat_map(Spot::each) {
            spots.extend(spot.step(step, &mut out));
        }
    }
    for spot in spots.into_iter().flat_map(Spot::each) {
        match cursor.slot {
            TextSlot::Value => spot.values(&mut out),
            TextSlot::Name => {
                let fields = spot.fields(cursor.head.as_deref());
                out.fields.extend(fields.iter().flat_map(Fields::iter).map(FormatField::new));
            }
            TextSlot::Key => spot.keys(cursor.syntax, &mut out),
        }
    }
    if cursor.slot != TextSlot::Value {
        out.field = out.fields.iter().find(|field| field.name == cursor.written).cloned().or(out.field);
    }
    out
}

pub(crate) static RIG: Type = Type::Record(RigDoc::TABLE);
static SCENE: Type = Type::Record(SceneDoc::TABLE);

/// What is at a place.
#[derive(Clone)]
pub(crate) enum Spot {
    Of(&'static Type),
    /// The fields of brackets that have no value yet.
    Fields(Fields),
    /// A list of keys, without the record that may stand in its place.
    KeyList(&'static Type, Option<&'static Type>),
    /// A key.
    Key(&'static Type, Option<&'static Type>),
    /// The parts of an ease.
    Ease(&'static EaseRow),
    /// Words without more about them.
    Words(&'static [&'static str]),
}

impl Spot {
    /// The types that it may have, each alone.
    pub(crate) fn each(self) -> Vec<Self> {
        match self {
            Self::Of(Type::Either(types)) => types.iter().flat_map(|of| Self::Of(of).each()).collect(),
            other => vec![other],
        }
    }

    /// The fields of it in brackets with this name before them.
    fn fields(&self, head: Option<&str>) -> Option<Fields> {
        match self {
            Self::Fields(fields) => Some(fields.clone()),
            Self::Of(Type::Record(table) | Type::Keys { long: Some(table), .. }) => Some(table.fields()),
            Self::Of(Type::Variants(variants)) => Some(variants.fields_of(head?)),
            _ => None,
        }
    }

    fn field(&self, head: Option<&str>, name: &str, out: &mut Expected) -> Option<Self> {
        let field = self.fields(head)?.written(name)?;
        out.field = Some(FormatField::new(field));
        match (self, field.of) {
            (Self::Of(Type::Keys { of, third, .. }), Type::KeyList) => Some(Self::KeyList(of, *third)),
            (_, of) => Some(Self::Of(of)),
        }
    }

    /// What is at the end of a step.
    pub(crate) fn inner(self, step: &TextStep) -> Option<Self> {
        self.step(step, &mut Expected::default())
    }

    fn step(self, step: &TextStep, out: &mut Expected) -> Option<Self> {
        match (step, &self) {
            (TextStep::Field(head, name), _) => self.field(head.as_deref(), name, out),
            (TextStep::Entry(_), Self::Of(Type::Map { of, .. })) => Some(Self::Of(of)),
            // An object of JSON is a record or the kind of one.
            (TextStep::Entry(name), Self::Of(Type::Variants(variants))) => {
                Some(Self::Fields(variants.fields_of(name)))
            }
            (TextStep::Entry(name), Self::Of(Type::Words(words))) => named(words, name)?.of.map(Self::Of),
            (TextStep::Entry(name), Self::Of(Type::Ease)) => Ease::row_of(name).map(Self::Ease),
            (TextStep::Entry(name), _) => self.field(None, name, out),
            (TextStep::Item(_), Self::Of(Type::List { of, .. })) => Some(Self::Of(of)),
            (TextStep::Item(_), Self::Of(Type::Keys { of, third, .. }) | Self::KeyList(of, third)) => {
                Some(Self::Key(of, *third))
            }
            (TextStep::Item(at) | TextStep::Part(_, at), Self::Key(of, third)) => match at {
                1 => Some(Self::Of(of)),
                2 => third.map(Self::Of),
                _ => None,
            },
            (TextStep::Item(at), Self::Ease(row)) => row.parameters.get(*at).map(|of| Self::Words(of.words)),
            (TextStep::Part(Some(head), at), Self::Of(Type::Ease)) => {
                Ease::row_of(head)?.parameters.get(*at).map(|of| Self::Words(of.words))
            }
            (TextStep::Part(Some(head), 0), Self::Of(Type::Words(words))) => {
                named(words, head)?.of.map(Self::Of)
            }
            // The brackets are empty still.
            (TextStep::Part(head, 0), _) => self.fields(head.as_deref()).map(Self::Fields),
            _ => None,
        }
    }

    /// What a value may be.
    fn values(self, out: &mut Expected) {
        match self {
            Self::Fields(fields) => out.fields.extend(fields.iter().map(FormatField::new)),
            Self::Words(words) => out.words.extend(words.iter().map(|word| plain(word))),
            Self::Of(Type::Text(text)) => {
                out.names.extend(text.shown.strip_suffix(" name"));
                if text.shown == "path" {
                    out.names.push("file");
                }
            }
            Self::Of(Type::Bool) => out.words.extend([plain("true"), plain("false")]),
            Self::Of(Type::None) => out.words.push(plain("None")),
            Self::Of(Type::Words(words)) => out.words.extend(words.iter().map(|word| match word.of {
                Some(Type::Text(text)) => {
                    FormatWord { brackets: Some(format!("({})", text.example)), ..plain(word.name) }
                }
                Some(_) => FormatWord { brackets: Some("(1)".into()), ..plain(word.name) },
                None => plain(word.name),
            })),
            Self::Of(Type::Ease) => out.words.extend(Ease::TABLE.iter().map(ease)),
            Self::Of(Type::Variants(variants)) => out.words.extend(
                variants.all.iter().map(|variant| FormatWord { brackets: None, ..plain(variant.name) }),
            ),
            _ => {}
        }
    }

    /// What a key may be.
    fn keys(self, syntax: Syntax, out: &mut Expected) {
        match (&self, syntax) {
            (Self::Of(Type::Map { key: Key::Name { shown, of }, .. }), _) => {
                out.names.push(of);
                out.is_new |= *shown == "name";
            }
            (Self::Of(Type::Variants(_) | Type::Words(_) | Type::Ease), Syntax::Json) => self.values(out),
            (_, Syntax::Json) => {
                out.fields.extend(self.fields(None).iter().flat_map(Fields::iter).map(FormatField::new));
            }
            _ => {}
        }
    }
}

fn named<'w>(words: &'w [Word], name: &str) -> Option<&'w Word> {
    words.iter().find(|word| word.name == name)
}

fn plain(name: &'static str) -> FormatWord {
    FormatWord { name, brackets: Some(String::new()), help: "" }
}

/// An ease, with the parts that it must have.
fn ease(row: &'static EaseRow) -> FormatWord {
    let parts: Vec<String> = row.example.iter().take(row.least()).map(f64::to_string).collect();
    let brackets = if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
    FormatWord { brackets: Some(brackets), help: row.help, ..plain(row.name) }
}
