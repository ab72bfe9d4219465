//! Buffers, their views, and the numbers of accessors.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::ImportError;
use crate::json::{Json, Object};

/// The largest number of numbers of all accessors that are read.
const MAX_NUMBERS: usize = 20_000_000;

/// A list of a document, such as its accessors; empty if it is missing.
pub(super) fn list<'t>(document: &Object<'t>, name: &str) -> Vec<Json<'t>> {
    document.get(name).map(Json::list).unwrap_or_default()
}

/// The entry that an index refers to.
pub(super) fn entry<'t>(list: &[Json<'t>], index: Json<'_>, what: &str) -> Result<Json<'t>, ImportError> {
    let at = index.index()?;
    list.get(at).copied().ok_or_else(|| {
        ImportError::at(index.span(), format!("there is no {what} {at}: the file has {}", list.len()))
    })
}

/// A number of an object, from 0 on, or a default.
fn count(object: &Object<'_>, name: &str, default: usize) -> Result<usize, ImportError> {
    object.get(name).map_or(Ok(default), Json::index)
}

fn needed<'t>(object: &Object<'t>, at: Json<'t>, name: &str) -> Result<Json<'t>, ImportError> {
    object.get(name).ok_or_else(|| ImportError::at(at.start(), format!("\"{name}\" is missing here")))
}

/// The numbers of accessors.
pub(super) struct Accessors<'t> {
    accessors: Vec<Json<'t>>,
    views: Vec<Json<'t>>,
    buffers: Vec<Json<'t>>,
    /// The bytes of the buffers that were read.
    bytes: Vec<Option<Cow<'t, [u8]>>>,
    numbers: usize,
}

/// The numbers of an accessor.
pub(super) struct Numbers {
    /// Numbers of an element: 1, 3 or 4.
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

/// Reads the file that a buffer names.
pub(super) type External<'a> = dyn FnMut(&str) -> Result<Vec<u8>, ImportError> + 'a;

impl<'t> Accessors<'t> {
    pub(super) fn new(document: &Object<'t>, binary: Option<&'t [u8]>) -> Self {
        let buffers = list(document, "buffers");
        let mut bytes: Vec<Option<Cow<'t, [u8]>>> = vec![None; buffers.len()];
        // The first buffer without an address is the chunk beside the JSON.
        if let (Some(first), Some(binary)) = (bytes.first_mut(), binary) {
            let addressed = buffers[0].object().is_ok_and(|buffer| buffer.has("uri"));
            *first = (!addressed).then_some(Cow::Borrowed(binary));
        }
        Self {
            accessors: list(document, "accessors"),
            views: list(document, "bufferViews"),
            buffers,
            bytes,
            numbers: 0,
        }
    }

    /// The numbers of the accessor with this index.
    pub(super) fn read(
        &mut self,
        index: Json<'_>,
        external: &mut External<'_>,
    ) -> Result<Numbers, ImportError> {
        let json = entry(&self.accessors, index, "accessor")?;
        let accessor = json.object()?;
        let kind = needed(&accessor, json, "type")?;
        let width = match kind.text_value().as_deref() {
            Some("SCALAR") => 1,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => fail!(kind.span(), "numbers of motion are SCALAR, VEC3 or VEC4"),
        };
        let many = needed(&accessor, json, "count")?;
        let rows = many.index()?;
        let component = Component::read(needed(&accessor, json, "componentType")?)?;
        if let Some(sparse) = accessor.get("sparse") {
            return Err(ImportError::at(sparse.start(), "sparse accessors are not read for motion")
                .help("export the animation without sparse accessors"));
        }
        self.numbers = self.numbers.saturating_add(rows.saturating_mul(width));
        if self.numbers > MAX_NUMBERS {
            fail!(many.span(), "more than {MAX_NUMBERS} numbers of motion cannot be read");
        }
        let Some(view) = accessor.get("bufferView") else {
            // The format defines an accessor without a view as zeros.
            return Ok(Numbers { width, values: vec![0.0; rows * width] });
        };
        let start = count(&accessor, "byteOffset", 0)?;
        let normalized = accessor.get("normalized").is_some_and(Json::is_true);
        if !(component == Component::Float || normalized) {
            fail!(json.start(), "whole numbers of motion have to be normalized");
        }
        let element = width * component.size();
        let (bytes, stride) = self.view(view, external)?;
        let stride = stride.unwrap_or(element);
        let last = rows.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride));
        let end =
            last.and_then(|last| start.checked_add(last)?.checked_add(if rows > 0 { element } else { 0 }));
        if stride < element || end.is_none_or(|end| end > bytes.len()) {
            fail!(
                json.start(),
                "accessor {}: {rows} elements of {element} bytes from byte {start} on do not fit into the {} bytes of its view",
                index.index()?,
                bytes.len()
            );
        }
        let mut values = Vec::with_capacity(rows * width);
        for row in 0..rows {
            let at = start + row * stride;
            for number in bytes[at..at + element].chunks_exact(component.size()) {
                let value = component.value(number);
                // A rotation, a time or a position beyond this is a damaged file.
                if !(value.is_finite() && value.abs() < 1e15) {
                    fail!(json.start(), "accessor {}: element {row} is not a usable number", index.index()?);
                }
                values.push(value);
            }
        }
        Ok(Numbers { width, values })
    }

    /// The bytes of a view and the distance of its elements, if it is given.
    fn view(
        &mut self,
        index: Json<'_>,
        external: &mut External<'_>,
    ) -> Result<(&[u8], Option<usize>), ImportError> {
        let json = entry(&self.views, index, "buffer view")?;
        let view = json.object()?;
        let compressed = view.get("extensions").map(Json::object).transpose()?;
        if let Some(name) = compressed.and_then(|extensions| {
            ["EXT_meshopt_compression", "KHR_meshopt_compression"]
                .into_iter()
                .find(|name| extensions.has(name))
        }) {
            return Err(ImportError::at(json.start(), format!("the motion is compressed with {name}"))
                .help("write the file without compression"));
        }
        let buffer = needed(&view, json, "buffer")?;
        let (from, length) = (count(&view, "byteOffset", 0)?, needed(&view, json, "byteLength")?.index()?);
        let stride = view.get("byteStride").map(Json::index).transpose()?;
        let bytes = self.buffer(buffer, external)?;
        let end = from.checked_add(length).filter(|end| *end <= bytes.len());
        let Some(end) = end else {
            let message = format!(
                "{length} bytes from byte {from} on are not in the buffer, which has {}",
                bytes.len()
            );
            return Err(ImportError::at(json.start(), message).help("the file may have been cut off"));
        };
        Ok((&bytes[from..end], stride))
    }

    fn buffer(&mut self, index: Json<'_>, external: &mut External<'_>) -> Result<&[u8], ImportError> {
        let json = entry(&self.buffers, index, "buffer")?;
        let at = index.index()?;
        if self.bytes[at].is_none() {
            let buffer = json.object()?;
            let Some(uri) = buffer.get("uri") else {
                return Err(ImportError::at(json.start(), "this buffer has no data")
                    .help("buffers without \"uri\" are in the second chunk of a .glb file"));
            };
            let text = uri.text_value().ok_or_else(|| ImportError::at(uri.start(), "a text belongs here"))?;
            let bytes = match text.strip_prefix("data:") {
                Some(data) => decoded(data, uri)?,
                None => {
                    let found = external(&text);
                    found.map_err(|error| ImportError { span: Some(uri.start()), ..error })?
                }
            };
            let announced = needed(&buffer, json, "byteLength")?.index()?;
            if bytes.len() < announced {
                let message = format!("{announced} bytes are announced, and {} are there", bytes.len());
                return Err(ImportError::at(json.start(), message).help("the data may have been cut off"));
            }
            self.bytes[at] = Some(Cow::Owned(bytes));
        }
        Ok(self.bytes[at].as_deref().unwrap_or_default())
    }
}

/// The bytes of a data URI without `data:`.
fn decoded(data: &str, uri: Json<'_>) -> Result<Vec<u8>, ImportError> {
    let Some((_, code)) = data.split_once(";base64,") else {
        fail!(uri.start(), "data in this file have to be written as base64");
    };
    STANDARD
        .decode(code.trim_ascii())
        .map_err(|error| ImportError::at(uri.start(), format!("these data are not base64: {error}")))
}

/// The type of the numbers in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Byte,
    UnsignedByte,
    Short,
    UnsignedShort,
    Float,
}

impl Component {
    fn read(json: Json<'_>) -> Result<Self, ImportError> {
        Ok(match json.index()? {
            5120 => Self::Byte,
            5121 => Self::UnsignedByte,
            5122 => Self::Short,
            5123 => Self::UnsignedShort,
            5126 => Self::Float,
            other => {
                return Err(ImportError::at(
                    json.span(),
                    format!("{other} is not a type of numbers of motion"),
                )
                .help("they are 5120 to 5123 and 5126"));
            }
        })
    }

    const fn size(self) -> usize {
        match self {
            Self::Byte | Self::UnsignedByte => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Float => 4,
        }
    }

    /// A number; whole ones are normalized as section 3.11 of the specification defines.
    fn value(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::Byte, &[a]) => (f64::from(i8::from_le_bytes([a])) / 127.0).max(-1.0),
            (Self::UnsignedByte, &[a]) => f64::from(a) / 255.0,
            (Self::Short, &[a, b]) => (f64::from(i16::from_le_bytes([a, b])) / 32767.0).max(-1.0),
            (Self::UnsignedShort, &[a, b]) => f64::from(u16::from_le_bytes([a, b])) / 65535.0,
            (Self::Float, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => f64::NAN,
        }
    }
}
