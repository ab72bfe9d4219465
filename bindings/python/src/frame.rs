//! Frames: pixels that Python reads without a copy.

use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::OnceLock;

use bone_layer::Pixmap;
use bone_layer::render::{Compress, Encoding, FrameContent, FrameEncoder};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::{ArrayShape, fill};
use crate::detached;
use crate::errors::plain;
use crate::rig::write_whole;

/// Pixels: rows of red, green, blue and alpha, a byte each.
#[pyclass(frozen, module = "bone_layer")]
pub struct Frame {
    pixels: Pixmap,
    premultiplied: bool,
    /// The pixels with alpha divided out, computed at the first read.
    straight: OnceLock<Vec<u8>>,
    shape: ArrayShape,
}

impl Frame {
    pub fn of(pixels: Pixmap, premultiplied: bool) -> Self {
        let shape = ArrayShape::pixels(pixels.width(), pixels.height());
        Self { pixels, premultiplied, straight: OnceLock::new(), shape }
    }

    /// The bytes that are read.
    fn bytes(&self) -> &[u8] {
        if self.premultiplied {
            self.pixels.data()
        } else {
            self.straight.get_or_init(|| straight(&self.pixels))
        }
    }

    /// The frame, or memory of the caller with its pixels, which `copied` gets then.
    pub fn into_python<'py>(
        self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
        copied: impl FnOnce(Pixmap),
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(out) = out else { return Ok(Bound::new(py, self)?.into_any()) };
        let buffer = PyBuffer::<u8>::get(&out)?;
        let bytes = self.bytes();
        if buffer.item_count() != bytes.len() {
            return Err(PyValueError::new_err(format!(
                "`out` has {} bytes, and a frame of {} x {} pixels has {}",
                buffer.item_count(),
                self.pixels.width(),
                self.pixels.height(),
                bytes.len()
            )));
        }
        // Fails for memory that cannot be written.
        buffer.copy_from_slice(py, bytes)?;
        copied(self.pixels);
        Ok(out)
    }
}

/// Pixels with alpha divided out.
pub fn straight(pixels: &Pixmap) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Pixels have this encoding.
    let _ = FrameEncoder::new().encode(Encoding::Rgba, FrameContent::Pixels(pixels), &mut bytes);
    bytes
}

#[pymethods]
impl Frame {
    /// Pixels of a row.
    #[getter]
    fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// Rows.
    #[getter]
    fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// Whether colours are multiplied by alpha.
    #[getter]
    fn premultiplied(&self) -> bool {
        self.premultiplied
    }

    /// The frame as a PNG file. `fast` takes a tenth of the time and up to half as many bytes more.
    #[pyo3(signature = (*, fast=false))]
    pub fn png<'py>(&self, py: Python<'py>, fast: bool) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.encoded(fast))?.map_err(plain)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the PNG file, whole or not at all.
    #[pyo3(signature = (path, *, fast=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, fast: bool) -> PyResult<()> {
        detached(py, || write_whole(&path, &self.encoded(fast).map_err(plain)?))?
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py, false)
    }

    fn __repr__(&self) -> String {
        format!("<Frame {} x {}>", self.width(), self.height())
    }

    /// # Safety
    /// Python calls it with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let own = slf.get();
        let bytes = own.bytes();
        // SAFETY: the view is Python's. The bytes are made once and belong to a frozen object: nothing writes, moves or
        // frees them while the object lives, and the view keeps it.
        unsafe { fill(slf.as_any(), view, flags, (bytes.as_ptr().cast(), bytes.len()), &own.shape) }
    }
}

impl Frame {
    fn encoded(&self, fast: bool) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let encoding = Encoding::Png(if fast { Compress::Fast } else { Compress::Balanced });
        let done = FrameEncoder::new().encode(encoding, FrameContent::Pixels(&self.pixels), &mut bytes);
        done.map(|()| bytes).map_err(|error| error.to_string())
    }
}
