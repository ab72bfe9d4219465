//! Channels of the document as curves of the runtime, and what drives them, for those that ask what a channel
//! does and for those that play it.

use bone_core::clip::{Curve, Drive, Extend, Key, Value};

use crate::doc::{self, Channel};
use crate::span::Spanned;

/// A channel as a curve; none if its keys are out of order or empty, which the check of the document has
/// reported.
pub(crate) fn curve<T: Copy, V: Value>(channel: &Channel<T>, value: impl Fn(T) -> V) -> Option<Curve<V>> {
    Curve::new(keys(channel, |whole| Some(value(*whole)))?, extend(channel.extend)).ok()
}

/// The keys of a channel; none if one of them has no value.
pub(crate) fn keys<T, V>(channel: &Channel<T>, value: impl Fn(&T) -> Option<V>) -> Option<Vec<Key<V>>> {
    let key = |key: &doc::Key<T>| {
        let ease = key.ease.or(channel.ease).map(|ease| ease.value).unwrap_or_default();
        Some(Key { time: key.time.value, value: value(&key.value.value)?, ease })
    };
    channel.keys.iter().map(key).collect()
}

/// What happens outside the keys, as written or by default.
pub(crate) fn extend(extend: Option<Spanned<doc::Extend>>) -> Extend {
    match extend.map(|extend| extend.value).unwrap_or_default() {
        doc::Extend::Hold => Extend::Hold,
        doc::Extend::Linear => Extend::Linear,
        doc::Extend::Loop => Extend::Loop,
        doc::Extend::LoopOffset => Extend::LoopOffset,
        doc::Extend::PingPong => Extend::PingPong,
    }
}

/// The number that drives.
pub(crate) const fn drive(drive: doc::Drive) -> Drive {
    match drive {
        doc::Drive::Rotate => Drive::Rotate,
        doc::Drive::MoveX => Drive::MoveX,
        doc::Drive::MoveY => Drive::MoveY,
        doc::Drive::ScaleX => Drive::ScaleX,
        doc::Drive::ScaleY => Drive::ScaleY,
        doc::Drive::Stretch => Drive::Stretch,
    }
}
