//! The messages of the protocol as far as they are read; answers are written as JSON where they are made. Names and
//! numbers are those of the specification, version 3.17.

use lsp_server::ResponseError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A place in a text, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct LineColumn {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct LineRange {
    pub(crate) start: LineColumn,
    pub(crate) end: LineColumn,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DocumentId {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) version: Option<i64>,
    /// Of a document that is opened.
    #[serde(default)]
    pub(crate) text: String,
}

/// The parameters of requests and notifications about one document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentParams {
    pub(crate) text_document: DocumentId,
    #[serde(default)]
    pub(crate) position: Option<LineColumn>,
    /// Of selection ranges.
    #[serde(default)]
    pub(crate) positions: Vec<LineColumn>,
    /// Of code actions, of hints, and of what is laid out.
    #[serde(default)]
    pub(crate) range: Option<LineRange>,
    /// Of a rename.
    #[serde(default)]
    pub(crate) new_name: String,
    #[serde(default)]
    pub(crate) content_changes: Vec<ContentChange>,
    /// Of references.
    #[serde(default)]
    pub(crate) context: ReferenceContext,
    /// Of presentations of a colour.
    #[serde(default)]
    pub(crate) color: ClientColor,
}

/// A colour of sRGB, each part from 0 to 1.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct ClientColor {
    pub(crate) red: f64,
    pub(crate) green: f64,
    pub(crate) blue: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceContext {
    #[serde(default)]
    pub(crate) include_declaration: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContentChange {
    #[serde(default)]
    pub(crate) range: Option<LineRange>,
    pub(crate) text: String,
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestFault {
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    RequestFailed = -32803,
    RequestCancelled = -32800,
    ContentModified = -32801,
}

impl RequestFault {
    pub(crate) fn because(self, message: impl Into<String>) -> ResponseError {
        ResponseError { code: self as i32, message: message.into(), data: None }
    }
}

/// The parameters of a message.
pub(crate) fn parameters<T: DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    serde_json::from_value(params).map_err(|error| RequestFault::InvalidParams.because(error.to_string()))
}
