//! DrawMemory that Python reads without a copy: `memoryview`, `numpy.asarray` and whatever takes buffers.

use std::ffi::{CStr, c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// A table of numbers that do not change.
#[pyclass(frozen, module = "bone_layer")]
pub struct Array {
    numbers: ArrayData,
    shape: ArrayShape,
}

enum ArrayData {
    Bytes(Vec<u8>),
    Floats(Vec<f64>),
}

/// The sizes of up to three dimensions, outermost first, and the bytes from one item of each to the next.
pub struct ArrayShape {
    sizes: [ffi::Py_ssize_t; 3],
    strides: [ffi::Py_ssize_t; 3],
    dimensions: usize,
    item: ffi::Py_ssize_t,
    format: &'static CStr,
}

impl ArrayShape {
    fn new(sizes: &[usize], item: usize, format: &'static CStr) -> Self {
        // What is in memory has sizes that fit.
        let whole = |size: usize| ffi::Py_ssize_t::try_from(size).unwrap_or(ffi::Py_ssize_t::MAX);
        let mut shape = Self {
            sizes: [1; 3],
            strides: [1; 3],
            dimensions: sizes.len().min(3),
            item: whole(item),
            format,
        };
        let mut stride = shape.item;
        for at in (0..shape.dimensions).rev() {
            (shape.sizes[at], shape.strides[at]) = (whole(sizes[at]), stride);
            stride *= shape.sizes[at].max(1);
        }
        shape
    }

    /// Rows of pixels of four bytes.
    pub fn pixels(width: u32, height: u32) -> Self {
        Self::new(&[height as usize, width as usize, 4], 1, c"B")
    }
}

impl Array {
    /// ArrayData in rows, whose lengths are the last of the sizes.
    pub fn floats(numbers: Vec<f64>, sizes: &[usize]) -> Self {
        Self { shape: ArrayShape::new(sizes, size_of::<f64>(), c"d"), numbers: ArrayData::Floats(numbers) }
    }

    /// A list of bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self { shape: ArrayShape::new(&[bytes.len()], 1, c"B"), numbers: ArrayData::Bytes(bytes) }
    }
}

#[pymethods]
impl Array {
    /// The number of items of each dimension.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.shape.sizes[..self.shape.dimensions].iter().map(|size| *size as usize).collect()
    }

    fn __len__(&self) -> usize {
        self.shape.sizes[0] as usize
    }

    /// The numbers as lists.
    fn tolist<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        pyo3::types::PyMemoryView::from(slf.as_any())?.call_method0("tolist")
    }

    fn __repr__(&self) -> String {
        format!("<Array {:?}>", self.shape())
    }

    /// # Safety
    /// Python calls it with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let own = slf.get();
        let (start, length) = match &own.numbers {
            ArrayData::Bytes(bytes) => (bytes.as_ptr().cast(), bytes.len()),
            ArrayData::Floats(numbers) => (numbers.as_ptr().cast(), size_of_val(numbers.as_slice())),
        };
        // SAFETY: the view is Python's. DrawMemory and shape belong to a frozen object: nothing writes, moves or frees them
        // while the object lives, and the view keeps it.
        unsafe { fill(slf.as_any(), view, flags, (start, length), &own.shape) }
    }
}

/// Describes memory of an object to Python, which may read it as long as it has the view.
///
/// # Safety
/// `view` is null or can be written. `length` bytes from `start` on, and `shape`, stay as they are as long as `owner`
/// lives.
pub unsafe fn fill(
    owner: &Bound<'_, PyAny>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
    (start, length): (*const c_void, usize),
    shape: &ArrayShape,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("there is no view to fill"));
    }
    let asks = |flag: c_int| flags & flag == flag;
    let refused = if asks(ffi::PyBUF_WRITABLE) {
        Some("the memory is read-only: copy it to change it")
    } else if asks(ffi::PyBUF_F_CONTIGUOUS) && shape.dimensions > 1 {
        Some("the numbers are in rows, not in columns")
    } else {
        None
    };
    // SAFETY: not null, so it can be written.
    let view = unsafe { &mut *view };
    view.obj = std::ptr::null_mut();
    if let Some(why) = refused {
        return Err(PyBufferError::new_err(why));
    }
    view.buf = start.cast_mut();
    view.len = ffi::Py_ssize_t::try_from(length)?;
    view.readonly = 1;
    view.itemsize = shape.item;
    view.format =
        if asks(ffi::PyBUF_FORMAT) { shape.format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
    // Without its sizes a view is a row of bytes.
    view.ndim = if asks(ffi::PyBUF_ND) { shape.dimensions as c_int } else { 1 };
    view.shape = if asks(ffi::PyBUF_ND) { shape.sizes.as_ptr().cast_mut() } else { std::ptr::null_mut() };
    view.strides =
        if asks(ffi::PyBUF_STRIDES) { shape.strides.as_ptr().cast_mut() } else { std::ptr::null_mut() };
    view.suboffsets = std::ptr::null_mut();
    view.internal = std::ptr::null_mut();
    // The view owns a reference: what it points to lives as long as it does.
    view.obj = owner.clone().into_ptr();
    Ok(())
}
