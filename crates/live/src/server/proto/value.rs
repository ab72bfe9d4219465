//! Paths, values and eases of a rig in messages.

use bone_core::clip::EaseParameter;
use bone_format::Diagnostics;
use bone_format::doc::{Ease, Extend};
use bone_format::session::{DocPath, DocValue, Named, PathStep};
use bone_format::span::SourceId;
use bone_format::text::parse;
use kurbo::Point;
use serde_json::{Value, json};

use crate::message::{Reason, Wire, number};

value_type!(
    Point,
    "a pair of numbers",
    "Pair",
    |it| <[f64; 2]>::read(it).ok().map(|[x, y]| Self::new(x, y)),
    |it| json!([it.x, it.y])
);
value_type!(
    [u32; 2],
    "two whole numbers",
    "Pair",
    |it| {
        let sides: Option<Vec<u32>> = it.as_array()?.iter().map(|side| u32::read(side).ok()).collect();
        sides?.try_into().ok()
    },
    |it| json!(it)
);
value_type!(
    DocPath,
    "a path: a list of names, indices and {\"time\": seconds}",
    "Path",
    |it| {
        it.as_array()?.iter().try_fold(Self::new(), |path, step| {
            Some(match step {
                Value::String(name) => path.name(name),
                Value::Number(index) => path.index(usize::try_from(index.as_u64()?).ok()?),
                Value::Object(fields) => path.time(number(fields.get("time")?)?),
                _ => return None,
            })
        })
    },
    |it| {
        let step = |step: &PathStep| match step {
            PathStep::Name(name) => json!(name),
            PathStep::Index(index) => json!(index),
            PathStep::Time(time) => json!({ "time": time }),
            _ => Value::Null,
        };
        it.steps.iter().map(step).collect()
    }
);
value_type!(
    Named,
    "bone, art, constraint, slider, pose, clip, shot, machine, state or input",
    "string",
    |it| {
        use Named::{Art, Bone, Clip, Constraint, Input, Machine, Pose, Shot, Slider, State};
        let all = [Bone, Art, Constraint, Slider, Pose, Clip, Shot, Machine, State, Input];
        all.into_iter().find(|of| it.as_str() == Some(of.what()))
    },
    |it| json!(it.what())
);
value_type!(
    Extend,
    "Hold, Linear, Loop, LoopOffset or PingPong",
    "string",
    |it| {
        let all = [Self::Hold, Self::Linear, Self::Loop, Self::LoopOffset, Self::PingPong];
        all.into_iter().find(|of| it.as_str() == Some(of.word()))
    },
    |it| json!(it.word())
);
value_type!(
    Ease,
    "an ease, like \"Hold\" or {\"Bezier\": [0.4, 0, 0.6, 1]}",
    "Ease",
    |it| {
        if let Some(word) = it.as_str() {
            return Self::row_of(word)?.ease(&[]);
        }
        let (name, numbers) = it.as_object()?.iter().next()?;
        let row = Self::row_of(name)?;
        let parts = numbers.as_array()?.iter().zip(row.parameters);
        let part = |(part, of): (&Value, &EaseParameter)| {
            let word = part.as_str().and_then(|word| of.words.iter().position(|own| *own == word));
            word.map_or_else(|| number(part), |word| Some(word as f64))
        };
        (numbers.as_array()?.len() <= row.parameters.len()).then_some(())?;
        row.ease(&parts.map(part).collect::<Option<Vec<_>>>()?)
    },
    |it| ease_json(&(*it).into())
);

/// An ease that is written, as messages have it.
pub(crate) fn ease_json(value: &DocValue) -> Value {
    match value {
        DocValue::Word(word) => json!(**word),
        DocValue::Tuple(Some(name), items) => {
            let part =
                |part: &DocValue| if let DocValue::Word(word) = part { json!(**word) } else { part.json() };
            let parts: Vec<Value> = items.iter().map(part).collect();
            json!({ &**name: parts })
        }
        other => other.json(),
    }
}

impl Wire for DocValue {
    const WHAT: &'static str = "a value";

    #[cfg(test)]
    fn typescript() -> String {
        "Value".to_owned()
    }

    /// Null is a value.
    fn field(object: &crate::message::JsonObject, name: &str) -> Result<Self, Reason> {
        object.get(name).ok_or_else(|| format!("`{name}` must be a value")).and_then(Self::read)
    }

    fn read(given: &Value) -> Result<Self, Reason> {
        let kinds = "a number, true, false, a text, null, a pair of numbers, {\"word\": …} or {\"ron\": …}";
        let found = match given {
            Value::Null => Some(Self::None),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::String(text) => Some(Self::text(text)),
            Value::Number(_) => number(given).map(Self::Number),
            Value::Array(_) => Point::read(given).ok().map(Self::from),
            Value::Object(fields) => match (fields.get("ron"), fields.get("word")) {
                (Some(Value::String(text)), None) => Some(ron(text)?),
                (None, Some(Value::String(word))) => Some(Self::word(word)),
                _ => None,
            },
        };
        found.ok_or_else(|| format!("a value must be {kinds}"))
    }

    fn json(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Bool(value) => json!(value),
            Self::Number(value) => json!(value),
            Self::Text(text) => json!(**text),
            Self::Word(word) => json!({ "word": **word }),
            Self::Tuple(None, items) => match items.as_slice() {
                [Self::Number(x), Self::Number(y)] => json!([x, y]),
                _ => json!({ "ron": self.to_string() }),
            },
            other => json!({ "ron": other.to_string() }),
        }
    }
}

/// A value as it is written in a file.
fn ron(text: &str) -> Result<DocValue, Reason> {
    let mut found = Diagnostics::new();
    let parsed = parse(SourceId::default(), text, &mut found);
    let root = parsed.root.filter(|_| parsed.whole && !found.has_errors());
    root.and_then(|root| DocValue::of_node(&root)).ok_or_else(|| {
        let first = found.iter().next().map(|found| found.message.clone()).unwrap_or_default();
        format!("the value cannot be read: {first}")
    })
}
