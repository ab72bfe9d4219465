//! Channels of the document as curves of the runtime, for those that ask what a channel does and for those that
//! play it.

use bone_core::clip::{ClipTime, Curve, Ease, Key, Value};

use crate::doc::{self, Channel, Shift};
use crate::span::Spanned;

/// A channel as a curve; none if its keys are out of order or empty, which the check of the document has
/// reported.
pub(crate) fn curve<T: Copy, V: Value>(channel: &Channel<T>, value: impl Fn(T) -> V) -> Option<Curve<V>> {
    Curve::new(
        keys(channel, |whole| Some(value(*whole)))?,
        channel.extend.map(|extend| extend.value).unwrap_or_default(),
    )
    .ok()
}

/// The same, played as a shift says: about its rest, and later. In a loop of `round` seconds it comes round. None if
/// a number is beyond all that there are.
pub(crate) fn shifted<V: Value>(
    curve: Curve<V>,
    (delay, amount, plus): (f64, f64, f64),
    (rest_there, rest): (V, V),
    round: Option<f64>,
) -> Option<Curve<V>> {
    if !delay.is_finite() {
        return None;
    }
    if amount == 1.0 && plus == 0.0 && rest_there == rest {
        return Some(curve.delayed(delay, round));
    }
    let value = |value: V| (rest + (value - rest_there) * amount).zip(V::ZERO, |part, _| part + plus);
    let keys = curve.keys().map(|key| {
        let ease = match key.ease {
            // A speed of the value.
            Ease::Slope { leave, arrive } => Ease::Slope { leave: leave * amount, arrive: arrive * amount },
            other => other,
        };
        Key { time: key.time, value: value(key.value), ease }
    });
    Some(Curve::new(keys.collect(), curve.extend()).ok()?.delayed(delay, round))
}

/// A curve about zero that is played as the shift of its channel says. `time` is that of a clip whose keys come
/// round; none for another.
pub(crate) fn delayed<V: Value>(curve: Curve<V>, shift: &Shift, time: Option<ClipTime>) -> Option<Curve<V>> {
    let number = |number: Option<Spanned<f64>>, default| number.map_or(default, |number| number.value);
    let (delay, amount) = (number(shift.delay, 0.0), number(shift.amount, 1.0));
    let round = time.and_then(|time| time.key_loop());
    shifted(curve, (delay, amount, 0.0), (V::ZERO, V::ZERO), round)
}

/// The keys of a channel; none if one of them has no value.
pub(crate) fn keys<T, V>(channel: &Channel<T>, value: impl Fn(&T) -> Option<V>) -> Option<Vec<Key<V>>> {
    let key = |key: &doc::Key<T>| {
        let ease = key.ease.or(channel.ease).map(|ease| ease.value).unwrap_or_default();
        Some(Key { time: key.time.value, value: value(&key.value.value)?, ease })
    };
    channel.keys.iter().map(key).collect()
}
