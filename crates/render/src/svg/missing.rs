//! What usvg could not find while it read a drawing.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

/// What usvg could not find while it read a drawing, in the order of its lookups.
#[derive(Debug, Default)]
pub(crate) struct MissingResources {
    /// Set to leave out all images: usvg panics on some damaged ones.
    pub(crate) without_images: bool,
    /// Links to images that are not available or not readable, shortened.
    pub(crate) images: Mutex<Vec<String>>,
    /// The bytes of the compressed drawings in it so far.
    pub(crate) unpacked: AtomicUsize,
    /// Font families that are not in the database, each with the family used instead.
    pub(crate) fonts: Mutex<Vec<(String, Option<String>)>>,
}

/// Adds what is not in the list.
pub(super) fn push<T: PartialEq>(list: &Mutex<Vec<T>>, item: T) {
    let mut list = list.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !list.contains(&item) {
        list.push(item);
    }
}
