//! Errors of Python: what the crates report, with its places.

use bone_layer::Diagnostics;
use bone_layer::format::diagnostic::{Diagnostic as Finding, Severity};
use bone_layer::format::edit::EditError as Refused;
use bone_layer::format::span::Sources;
use bone_player::{NameError, PlayerError};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

create_exception!(bone_layer, BoneLayerError, PyException, "Whatever this module cannot do.");
create_exception!(bone_layer, RigError, BoneLayerError, "A rig has mistakes: `diagnostics` has all of them.");
create_exception!(bone_layer, PackError, BoneLayerError, "Bytes are no packed rig of this version.");
create_exception!(
    bone_layer,
    UnknownName,
    BoneLayerError,
    "Nothing has this name: `near` has those like it."
);
create_exception!(bone_layer, EditError, BoneLayerError, "An edit is refused: nothing has changed.");

/// A finding in a rig or a drawing.
#[pyclass(frozen, get_all, module = "bone_layer")]
#[derive(Clone)]
pub struct Diagnostic {
    severity: &'static str,
    code: &'static str,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    label: String,
    help: Vec<String>,
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> String {
        let place = match (&self.file, self.line, self.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        let help: String = self.help.iter().map(|help| format!("\n  help: {help}")).collect();
        format!("{place}{}[{}]: {}{help}", self.severity, self.code, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.__str__())
    }
}

/// Findings in their order, with their places.
pub fn findings(found: &Diagnostics, sources: &Sources) -> Vec<Diagnostic> {
    found.iter().map(|one| finding(one, Some(sources))).collect()
}

fn finding(one: &Finding, sources: Option<&Sources>) -> Diagnostic {
    let place = sources.zip(one.place).map(|(sources, place)| {
        (sources.name(place.source).to_owned(), sources.locate(place.source, place.span.start))
    });
    Diagnostic {
        severity: if one.severity == Severity::Error { "error" } else { "warning" },
        code: one.code.name(),
        message: one.message.clone(),
        line: place.as_ref().map(|(_, at)| at.line),
        column: place.as_ref().map(|(_, at)| at.column),
        file: place.map(|(file, _)| file),
        label: one.label.clone(),
        help: one.help.clone(),
    }
}

/// So many errors are in the message of an exception; all are in its list.
const MOST_SHOWN: usize = 10;

/// The exception of a rig that cannot be used.
pub fn rig_error(py: Python<'_>, findings: Vec<Diagnostic>) -> PyErr {
    let errors: Vec<String> =
        findings.iter().filter(|one| one.severity == "error").map(Diagnostic::__str__).collect();
    let more = errors.len().saturating_sub(MOST_SHOWN);
    let mut text = errors[..errors.len() - more].join("\n");
    if more > 0 {
        text.push_str(&format!("\nand {more} more"));
    }
    let error = RigError::new_err(text);
    with(py, error, "diagnostics", PyTuple::new(py, findings))
}

/// An exception with an attribute.
fn with<'py, V: IntoPyObject<'py>>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    value: Result<V, PyErr>,
) -> PyErr {
    match value.and_then(|value| error.value(py).setattr(name, value)) {
        Ok(()) => error,
        Err(failed) => failed,
    }
}

/// The exception of a name that nothing has.
pub fn unknown(py: Python<'_>, error: &NameError) -> PyErr {
    with(py, UnknownName::new_err(error.to_string()), "near", PyTuple::new(py, &error.near))
}

/// The exception of a call that a player cannot follow.
pub fn refused(error: &PlayerError) -> PyErr {
    BoneLayerError::new_err(error.to_string())
}

/// The exception of an edit.
pub fn not_edited(py: Python<'_>, error: &Refused, sources: &Sources) -> PyErr {
    let found = match error {
        Refused::Unwritable(found) => vec![finding(found, Some(sources))],
        _ => Vec::new(),
    };
    with(py, EditError::new_err(error.to_string()), "diagnostics", PyTuple::new(py, found))
}

/// The exception of whatever has a message.
pub fn plain(error: impl std::fmt::Display) -> PyErr {
    BoneLayerError::new_err(error.to_string())
}
