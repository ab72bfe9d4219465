//! Values of a rig's text, from Python and back, and paths to them.

use bone_layer::Diagnostics;
use bone_layer::format::doc::{Ease, Extend};
use bone_layer::format::span::SourceId;
use bone_layer::format::text::parse;
use bone_layer::kurbo::Point;
use bone_layer::session::{DocPath, DocValue, Named, PathStep};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

/// A value as a rig file has it, such as `Rigid(bone: "hip")` or `Hold`.
#[pyclass(frozen, eq, hash, module = "bone_layer")]
#[derive(PartialEq, Hash)]
pub struct Ron {
    /// The text.
    #[pyo3(get)]
    text: String,
}

#[pymethods]
impl Ron {
    #[new]
    fn new(text: String) -> PyResult<Self> {
        parsed(&text)?;
        Ok(Self { text })
    }

    fn __repr__(&self) -> String {
        format!("Ron({:?})", self.text)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

fn parsed(text: &str) -> PyResult<DocValue> {
    let mut found = Diagnostics::new();
    let parsed = parse(SourceId::default(), text, &mut found);
    let root = parsed.root.filter(|_| parsed.whole && !found.has_errors());
    root.and_then(|root| DocValue::of_node(&root)).ok_or_else(|| {
        let first = found.iter().next().map(|found| found.message.clone()).unwrap_or_default();
        PyValueError::new_err(format!("the value cannot be read: {first}"))
    })
}

/// Nested deeper than the text of a rig may be: a list within itself is refused here.
const DEEPEST: usize = 64;

/// A value of Python as a rig has it: a dict is fields, a tuple is in round brackets, a list in square ones.
pub fn value(given: &Bound<'_, PyAny>) -> PyResult<DocValue> {
    nested(given, 0)
}

fn nested(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<DocValue> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!("values are nested deeper than {DEEPEST}")));
    }
    if given.is_none() {
        return Ok(DocValue::None);
    }
    if let Ok(ron) = given.cast::<Ron>() {
        return parsed(&ron.get().text);
    }
    // Before numbers: True is one.
    if let Ok(it) = given.cast::<PyBool>() {
        return Ok(DocValue::Bool(it.is_true()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(DocValue::text(&text.to_cow()?));
    }
    let items = |each: &mut dyn Iterator<Item = Bound<'_, PyAny>>| {
        each.map(|item| nested(&item, depth + 1)).collect::<PyResult<Vec<_>>>()
    };
    if let Ok(list) = given.cast::<PyList>() {
        return Ok(DocValue::list(items(&mut list.iter())?));
    }
    if let Ok(tuple) = given.cast::<PyTuple>() {
        return Ok(DocValue::tuple(None, items(&mut tuple.iter())?));
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        let names = dict.keys().iter().map(|key| key.extract::<String>()).collect::<PyResult<Vec<_>>>();
        let names = names.map_err(|_| PyTypeError::new_err("fields have names, which are texts"))?;
        let values = items(&mut dict.values().iter())?;
        return Ok(DocValue::fields(None, names.iter().map(String::as_str).zip(values)));
    }
    let number = given.extract::<f64>().map_err(|_| {
        let kind = given.get_type();
        PyTypeError::new_err(format!(
            "{kind} is no value of a rig: use None, a bool, a number, a str, a tuple, a list, a dict or Ron"
        ))
    })?;
    Ok(DocValue::Number(number))
}

/// A value of a rig for Python. Words, and what has a name before its brackets, are [`Ron`].
pub fn to_python<'py>(py: Python<'py>, value: &DocValue) -> PyResult<Bound<'py, PyAny>> {
    let each =
        |items: &[DocValue]| items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>();
    match value {
        DocValue::None => Ok(py.None().into_bound(py)),
        DocValue::Bool(it) => Ok(PyBool::new(py, *it).to_owned().into_any()),
        DocValue::Number(number) => number.into_bound_py_any(py),
        DocValue::Text(text) => Ok(PyString::new(py, text).into_any()),
        DocValue::Tuple(None, items) => Ok(PyTuple::new(py, each(items)?)?.into_any()),
        DocValue::List(items) => Ok(PyList::new(py, each(items)?)?.into_any()),
        DocValue::Fields(None, _) | DocValue::Map(_) => {
            let dict = PyDict::new(py);
            for (name, value) in value.entries() {
                dict.set_item(name, to_python(py, value)?)?;
            }
            Ok(dict.into_any())
        }
        other => Ok(Bound::new(py, Ron { text: other.to_string() })?.into_any()),
    }
}

/// A path: names, places in lists, and times of keys as floats.
pub fn path(given: &Bound<'_, PyAny>) -> PyResult<DocPath> {
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("a path is a list of names, like [\"bones\", \"hip\"]"));
    }
    given.try_iter()?.try_fold(DocPath::new(), |path, step| {
        let step = step?;
        if let Ok(name) = step.extract::<String>() {
            return Ok(path.name(&name));
        }
        if step.is_instance_of::<pyo3::types::PyFloat>() {
            return Ok(path.time(step.extract()?));
        }
        let index = step.extract::<usize>().map_err(|_| {
            PyTypeError::new_err("a step of a path is a name, the place in a list, or a time as a float")
        })?;
        Ok(path.index(index))
    })
}

/// A path as Python has it.
pub fn steps<'py>(py: Python<'py>, path: &DocPath) -> PyResult<Bound<'py, PyTuple>> {
    let step = |step: &PathStep| match step {
        PathStep::Name(name) => Ok(PyString::new(py, name).into_any()),
        PathStep::Index(index) => index.into_bound_py_any(py),
        PathStep::Time(time) => time.into_bound_py_any(py),
        _ => Ok(py.None().into_bound(py)),
    };
    PyTuple::new(py, path.steps.iter().map(step).collect::<PyResult<Vec<_>>>()?)
}

/// What an argument of an edit becomes.
pub trait FromArgument: Sized {
    /// Whether it may be left out.
    const OPTIONAL: bool = false;

    /// Reads it.
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self>;
}

macro_rules! as_it_is {
    ($($of:ty),*) => { $(impl FromArgument for $of {
        fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
            given.extract()
        }
    })* };
}

as_it_is!(bool, f64, usize, String);

impl<T: FromArgument> FromArgument for Option<T> {
    const OPTIONAL: bool = true;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if given.is_none() { Ok(None) } else { T::read(given).map(Some) }
    }
}

impl FromArgument for DocPath {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        path(given)
    }
}

impl FromArgument for DocValue {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        value(given)
    }
}

impl FromArgument for Point {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        given.extract::<(f64, f64)>().map(Self::from)
    }
}

impl FromArgument for Named {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        use Named::{Art, Bone, Clip, Constraint, Input, Machine, Pose, Shot, Slider, State};
        let all = [Bone, Art, Constraint, Slider, Pose, Clip, Shot, Machine, State, Input];
        one_of(given, &all, |of| of.what())
    }
}

impl FromArgument for Extend {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let all = [Self::Hold, Self::Linear, Self::Loop, Self::LoopOffset, Self::PingPong];
        one_of(given, &all, |of| of.word())
    }
}

fn one_of<T: Copy>(given: &Bound<'_, PyAny>, all: &[T], name: impl Fn(T) -> &'static str) -> PyResult<T> {
    let text = given.extract::<String>()?;
    all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        PyValueError::new_err(format!("\"{text}\" is none of {}", names.join(", ")))
    })
}

impl FromArgument for Ease {
    /// A word, like `"Hold"`, or a word and its numbers, like `("Bezier", 0.4, 0, 0.6, 1)`.
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let parts: Vec<Bound<'_, PyAny>> = match given.cast::<PyTuple>() {
            Ok(tuple) => tuple.iter().collect(),
            Err(_) => vec![given.clone()],
        };
        let wrong = || {
            PyValueError::new_err(format!(
                "{given} is no ease, like \"Hold\" or (\"Bezier\", 0.4, 0, 0.6, 1)"
            ))
        };
        let (name, numbers) = parts.split_first().ok_or_else(wrong)?;
        let row = Self::row_of(&name.extract::<String>().map_err(|_| wrong())?).ok_or_else(wrong)?;
        if numbers.len() > row.parameters.len() {
            return Err(wrong());
        }
        let part = |(part, of): (&Bound<'_, PyAny>, &bone_layer::motion::clip::EaseParameter)| {
            let word = part.extract::<String>().ok();
            match word.and_then(|word| of.words.iter().position(|own| *own == word)) {
                Some(at) => Some(at as f64),
                None => part.extract::<f64>().ok(),
            }
        };
        let numbers: Option<Vec<f64>> = numbers.iter().zip(row.parameters).map(part).collect();
        numbers.and_then(|numbers| row.ease(&numbers)).ok_or_else(wrong)
    }
}
