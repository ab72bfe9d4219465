//! Channels of the document as curves of the runtime, for those that ask what a channel does and for those that
//! play it.

use bone_core::clip::{Curve, Key, Value};

use crate::doc::{self, Channel};

/// A channel as a curve; none if its keys are out of order or empty, which the check of the document has
/// reported.
pub(crate) fn curve<T: Copy, V: Value>(channel: &Channel<T>, value: impl Fn(T) -> V) -> Option<Curve<V>> {
    Curve::new(
        keys(channel, |whole| Some(value(*whole)))?,
        channel.extend.map(|extend| extend.value).unwrap_or_default(),
    )
    .ok()
}

/// The keys of a channel; none if one of them has no value.
pub(crate) fn keys<T, V>(channel: &Channel<T>, value: impl Fn(&T) -> Option<V>) -> Option<Vec<Key<V>>> {
    let key = |key: &doc::Key<T>| {
        let ease = key.ease.or(channel.ease).map(|ease| ease.value).unwrap_or_default();
        Some(Key { time: key.time.value, value: value(&key.value.value)?, ease })
    };
    channel.keys.iter().map(key).collect()
}
