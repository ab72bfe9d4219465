//! Values and operations of messages, and those of a session.

use bone_format::Diagnostics;
use bone_format::doc::{Ease, Extend};
use bone_format::session::{DocPath, DocValue, Edit, Named, PathStep, Session};
use bone_format::span::SourceId;
use bone_format::text::parse;
use kurbo::Point;
use serde_json::{Map, Value, json};

/// Why a message cannot be carried out.
pub(crate) type Reason = String;

/// The fields of a message.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'m>(&'m Map<String, Value>);

impl<'m> Fields<'m> {
    pub(crate) fn of(message: &'m Value) -> Result<Self, Reason> {
        message.as_object().map(Self).ok_or_else(|| "a message is an object with the field `t`".to_owned())
    }

    pub(crate) fn get(self, name: &str) -> Option<&'m Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn need<T>(self, name: &str, what: &str, read: impl FnOnce(&'m Value) -> Option<T>) -> Result<T, Reason> {
        self.get(name).and_then(read).ok_or_else(|| format!("`{name}` must be {what}"))
    }

    fn may<T>(
        self,
        name: &str,
        what: &str,
        read: impl FnOnce(&'m Value) -> Option<T>,
    ) -> Result<Option<T>, Reason> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| format!("`{name}` must be {what}")),
        }
    }

    pub(crate) fn text(self, name: &str) -> Result<&'m str, Reason> {
        self.need(name, "a text", Value::as_str)
    }

    pub(crate) fn maybe_text(self, name: &str) -> Result<Option<&'m str>, Reason> {
        self.may(name, "a text", Value::as_str)
    }

    pub(crate) fn texts(self, name: &str) -> Result<Vec<&'m str>, Reason> {
        let texts = |value: &'m Value| value.as_array()?.iter().map(Value::as_str).collect();
        Ok(self.may(name, "a list of texts", texts)?.unwrap_or_default())
    }

    pub(crate) fn number(self, name: &str) -> Result<f64, Reason> {
        self.need(name, "a number", number)
    }

    pub(crate) fn maybe_number(self, name: &str) -> Result<Option<f64>, Reason> {
        self.may(name, "a number", number)
    }

    pub(crate) fn count(self, name: &str) -> Result<Option<usize>, Reason> {
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        self.may(name, "a whole number", count)
    }

    /// The number of a request.
    pub(crate) fn seq(self) -> Result<u32, Reason> {
        self.need("seq", "a whole number below 4294967296", |value| u32::try_from(value.as_u64()?).ok())
    }

    pub(crate) fn flag(self, name: &str, default: bool) -> Result<bool, Reason> {
        Ok(self.may(name, "true or false", Value::as_bool)?.unwrap_or(default))
    }

    pub(crate) fn point(self, name: &str) -> Result<Point, Reason> {
        self.need(name, "a pair of numbers", point)
    }

    pub(crate) fn maybe_point(self, name: &str) -> Result<Option<Point>, Reason> {
        self.may(name, "a pair of numbers", point)
    }

    pub(crate) fn object(self, name: &str) -> Result<Option<Fields<'m>>, Reason> {
        self.may(name, "an object", |value| value.as_object().map(Fields))
    }

    pub(crate) fn list(self, name: &str) -> Result<&'m [Value], Reason> {
        self.need(name, "a list", |value| value.as_array().map(Vec::as_slice))
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = (&'m str, &'m Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn path(self, name: &str) -> Result<DocPath, Reason> {
        self.need(name, "a path: a list of names, indices and {\"time\": seconds}", path)
    }

    fn value(self, name: &str) -> Result<DocValue, Reason> {
        self.0.get(name).ok_or_else(|| format!("`{name}` must be a value")).and_then(value)
    }

    fn named(self, name: &str) -> Result<Named, Reason> {
        self.need(name, "bone, art, constraint, clip or shot", |value| {
            Some(match value.as_str()? {
                "bone" => Named::Bone,
                "art" => Named::Art,
                "constraint" => Named::Constraint,
                "clip" => Named::Clip,
                "shot" => Named::Shot,
                _ => return None,
            })
        })
    }

    /// What a question is about.
    pub(crate) fn of_what(self) -> Result<(Named, &'m str), Reason> {
        Ok((self.named("of")?, self.text("name")?))
    }

    fn ease(self, name: &str) -> Result<Option<Ease>, Reason> {
        self.may(name, "an ease, like \"Hold\" or {\"Bezier\": [0.4, 0, 0.6, 1]}", ease)
    }
}

/// A number that is finite.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

pub(crate) fn point(value: &Value) -> Option<Point> {
    match value.as_array()?.as_slice() {
        [x, y] => Some(Point::new(number(x)?, number(y)?)),
        _ => None,
    }
}

fn path(value: &Value) -> Option<DocPath> {
    let mut path = DocPath::new();
    for step in value.as_array()? {
        path = match step {
            Value::String(name) => path.name(name),
            Value::Number(index) => path.index(usize::try_from(index.as_u64()?).ok()?),
            Value::Object(fields) => path.time(number(fields.get("time")?)?),
            _ => return None,
        };
    }
    Some(path)
}

/// A path as messages have it.
pub(crate) fn path_json(path: &DocPath) -> Value {
    let step = |step: &PathStep| match step {
        PathStep::Name(name) => json!(name),
        PathStep::Index(index) => json!(index),
        PathStep::Time(time) => json!({ "time": time }),
        _ => Value::Null,
    };
    path.steps.iter().map(step).collect()
}

/// A value of a message as a session has it.
pub(crate) fn value(given: &Value) -> Result<DocValue, Reason> {
    let wrong = || {
        let kinds = "a number, true, false, a text, null, a pair of numbers, {\"word\": …} or {\"ron\": …}";
        Err(format!("a value must be {kinds}"))
    };
    Ok(match given {
        Value::Null => DocValue::None,
        Value::Bool(value) => DocValue::Bool(*value),
        Value::String(text) => DocValue::text(text),
        Value::Number(_) => match number(given) {
            Some(number) => DocValue::Number(number),
            None => return wrong(),
        },
        Value::Array(_) => match point(given) {
            Some(at) => at.into(),
            None => return wrong(),
        },
        Value::Object(fields) => match (fields.get("ron"), fields.get("word")) {
            (Some(Value::String(text)), None) => ron(text)?,
            (None, Some(Value::String(word))) => DocValue::word(word),
            _ => return wrong(),
        },
    })
}

/// A value as it is written in a file.
pub(crate) fn ron(text: &str) -> Result<DocValue, Reason> {
    let mut found = Diagnostics::new();
    let parsed = parse(SourceId::default(), text, &mut found);
    let root = parsed.root.filter(|_| parsed.whole && !found.has_errors());
    root.and_then(|root| DocValue::of_node(&root)).ok_or_else(|| {
        let first = found.iter().next().map(|found| found.message.clone()).unwrap_or_default();
        format!("the value cannot be read: {first}")
    })
}

/// A value of a session as messages have it.
pub(crate) fn value_json(value: &DocValue) -> Value {
    match value {
        DocValue::None => Value::Null,
        DocValue::Bool(value) => json!(value),
        DocValue::Number(value) => json!(value),
        DocValue::Text(text) => json!(**text),
        DocValue::Word(word) => json!({ "word": **word }),
        DocValue::Tuple(None, items) => match items.as_slice() {
            [DocValue::Number(x), DocValue::Number(y)] => json!([x, y]),
            _ => json!({ "ron": value.to_string() }),
        },
        other => json!({ "ron": other.to_string() }),
    }
}

fn ease(value: &Value) -> Option<Ease> {
    if let Some(word) = value.as_str() {
        return Some(match word {
            "Hold" => Ease::Hold,
            "Linear" => Ease::Linear,
            "Smooth" => Ease::Smooth,
            _ => return None,
        });
    }
    let (name, numbers) = value.as_object()?.iter().next()?;
    let numbers: Vec<f64> = numbers.as_array()?.iter().map(number).collect::<Option<_>>()?;
    Some(match (name.as_str(), numbers.as_slice()) {
        ("Ease", [start, end]) => Ease::InOut { start: *start, end: *end },
        ("Tcb", [tension, continuity, bias]) => {
            Ease::Tcb { tension: *tension, continuity: *continuity, bias: *bias }
        }
        ("Bezier", [x1, y1, x2, y2]) => Ease::Bezier { x1: *x1, y1: *y1, x2: *x2, y2: *y2 },
        _ => return None,
    })
}

/// An ease that is written, as messages have it.
pub(crate) fn ease_json(value: &DocValue) -> Value {
    match value {
        DocValue::Word(word) => json!(**word),
        DocValue::Tuple(Some(name), items) => {
            let numbers: Vec<Value> = items.iter().map(value_json).collect();
            json!({ &**name: numbers })
        }
        other => value_json(other),
    }
}

fn extend(word: &str) -> Option<Extend> {
    Some(match word {
        "Hold" => Extend::Hold,
        "Linear" => Extend::Linear,
        "Loop" => Extend::Loop,
        "LoopOffset" => Extend::LoopOffset,
        "PingPong" => Extend::PingPong,
        _ => return None,
    })
}

/// The edits of the operations of a message.
pub(crate) fn edits(ops: &[Value], session: &Session) -> Result<Vec<Edit>, Reason> {
    let mut list = Vec::new();
    for op in ops {
        list.extend(edits_of(op, session)?);
    }
    Ok(list)
}

fn edits_of(op: &Value, session: &Session) -> Result<Vec<Edit>, Reason> {
    let op = Fields::of(op).map_err(|_| "an operation is an object with the field `op`".to_owned())?;
    let name = op.text("op")?;
    let read = || -> Result<Vec<Edit>, Reason> {
        Ok(vec![match name {
            "Set" => Edit::Set { at: op.path("at")?, value: op.value("value")? },
            "Add" => Edit::Add {
                into: op.path("into")?,
                name: op.text("name")?.to_owned(),
                value: op.value("value")?,
            },
            "Insert" => Edit::Insert {
                into: op.path("into")?,
                before: op.count("before")?,
                value: op.value("value")?,
            },
            "Remove" => Edit::Remove { at: op.path("at")? },
            "Move" => Edit::Move {
                at: op.path("at")?,
                to: op.count("to")?.ok_or_else(|| "`to` must be a whole number".to_owned())?,
            },
            "SetKey" => Edit::SetKey {
                channel: op.path("channel")?,
                time: op.number("time")?,
                value: op.value("value")?,
                ease: op.ease("ease")?,
            },
            "MoveKey" => {
                Edit::MoveKey { channel: op.path("channel")?, from: op.number("from")?, to: op.number("to")? }
            }
            "CopyKey" => {
                Edit::CopyKey { channel: op.path("channel")?, from: op.number("from")?, to: op.number("to")? }
            }
            "DeleteKey" => Edit::DeleteKey { channel: op.path("channel")?, time: op.number("time")? },
            "SetEase" => Edit::SetEase {
                channel: op.path("channel")?,
                time: op.number("time")?,
                ease: op.ease("ease")?,
            },
            "SetExtend" => Edit::SetExtend {
                channel: op.path("channel")?,
                extend: op.may("extend", "Hold, Linear, Loop, LoopOffset or PingPong", |value| {
                    extend(value.as_str()?)
                })?,
            },
            "AddBone" => Edit::add_bone(
                op.text("name")?,
                op.maybe_text("parent")?,
                op.maybe_point("from")?,
                op.point("to")?,
            ),
            "PlaceBone" => Edit::PlaceBone {
                bone: op.text("bone")?.to_owned(),
                from: op.maybe_point("from")?,
                to: op.maybe_point("to")?,
            },
            "SetParent" => Edit::SetParent {
                bone: op.text("bone")?.to_owned(),
                parent: op.maybe_text("parent")?.map(str::to_owned),
                keep_place: op.flag("keep_place", true)?,
            },
            "AddClip" => return Ok(add_clip(op.text("name")?, op.number("length")?, session)),
            "Rename" => Edit::Rename {
                of: op.named("of")?,
                from: op.text("from")?.to_owned(),
                to: op.text("to")?.to_owned(),
            },
            "Delete" => Edit::Delete {
                of: op.named("of")?,
                name: op.text("name")?.to_owned(),
                dependants: op.flag("dependants", false)?,
            },
            "Duplicate" => Edit::Duplicate {
                of: op.named("of")?,
                name: op.text("name")?.to_owned(),
                copy: op.text("copy")?.to_owned(),
            },
            "Bind" => return bind(op),
            "Unbind" => {
                let unbind = |art: &str| Edit::Unbind { art: art.to_owned() };
                return Ok(arts(op)?.into_iter().map(unbind).collect());
            }
            other => return Err(format!("there is no operation \"{other}\"")),
        }])
    };
    read().map_err(|why| format!("{name}: {why}"))
}

/// A new clip, which does not show the bone lines of the drawing.
fn add_clip(name: &str, length: f64, session: &Session) -> Vec<Edit> {
    let mut edits = vec![Edit::add_clip(name, length)];
    if let Some((_, guides)) = session.rig().and_then(|rig| bone_looks::shown_guides(rig.art())) {
        let hidden = DocValue::list([DocValue::tuple(None, [0.0.into(), false.into()])]);
        let at = DocPath::clip(name).name("art").name(&guides).name("visible");
        edits.push(Edit::set(at, hidden));
    }
    edits
}

/// The art of an operation.
fn arts(op: Fields<'_>) -> Result<Vec<&str>, Reason> {
    match op.texts("arts")? {
        arts if arts.is_empty() => Err("`arts` must be a list of names".to_owned()),
        arts => Ok(arts),
    }
}

fn bind(op: Fields<'_>) -> Result<Vec<Edit>, Reason> {
    let bones = op.texts("bones")?;
    let binding = match (op.text("how")?, bones.as_slice()) {
        ("Rigid", [bone]) => DocValue::fields(Some("Rigid"), [("bone", (*bone).into())]),
        ("Rigid", _) => return Err("a rigid binding has one bone".to_owned()),
        ("Smooth", [_, ..]) => {
            let bones = DocValue::list(bones.iter().map(|bone| (*bone).into()));
            DocValue::fields(Some("Smooth"), [("bones", bones)])
        }
        ("Smooth", []) => return Err("a binding has at least one bone".to_owned()),
        _ => return Err("`how` must be Rigid or Smooth".to_owned()),
    };
    let bind = |art: &str| Edit::Bind { art: art.to_owned(), binding: binding.clone() };
    Ok(arts(op)?.into_iter().map(bind).collect())
}
