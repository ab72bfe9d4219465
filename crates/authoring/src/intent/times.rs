//! Keys that get other times together.

use bone_format::session::{DocPath, DocValue, Edit, Session};

use super::request;
use crate::error::AuthoringError;

/// Times are one if they are no further apart, seconds: half a digit of those that are written.
const SAME: f64 = 0.51e-4;

pub(super) fn retime(
    session: &Session,
    channels: &[DocPath],
    [from, until]: [f64; 2],
    [start, end]: [f64; 2],
) -> Result<Vec<Edit>, AuthoringError> {
    if ![from, until, start, end].iter().all(|time| time.is_finite())
        || until - from <= SAME
        || end - start <= SAME
    {
        return Err(request("a stretch of time has a start and an end after it"));
    }
    if start < -SAME {
        return Err(request("a key cannot be before the start"));
    }
    let scale = (end - start) / (until - from);
    let new = |time: f64| start + (time - from) * scale;
    let mut edits = Vec::new();
    for (at, channel) in channels.iter().enumerate() {
        if channels[..at].contains(channel) {
            continue;
        }
        let times = times(&session.get(channel)?);
        let inside = |time: &f64| (from - SAME..=until + SAME).contains(time);
        let (moving, staying): (Vec<f64>, Vec<f64>) = times.into_iter().partition(inside);
        let met = |time: &&f64| moving.iter().any(|moved| (new(*moved) - **time).abs() <= SAME);
        edits.extend(
            staying.iter().filter(met).map(|time| Edit::DeleteKey { channel: channel.clone(), time: *time }),
        );
        // Those that move on, the last one first, and then those that move back: none meets another one.
        let later = moving.iter().rev().filter(|time| new(**time) > **time);
        let earlier = moving.iter().filter(|time| new(**time) < **time);
        let moved = later.chain(earlier).filter(|time| (new(**time) - **time).abs() > SAME);
        edits.extend(moved.map(|time| Edit::MoveKey {
            channel: channel.clone(),
            from: *time,
            to: new(*time),
        }));
    }
    Ok(edits)
}

/// The times of the keys of a channel.
fn times(channel: &DocValue) -> Vec<f64> {
    let keys = match channel {
        DocValue::List(keys) => keys,
        other => match other.field("keys") {
            Some(DocValue::List(keys)) => keys,
            _ => return Vec::new(),
        },
    };
    let time = |key: &DocValue| match key {
        DocValue::Tuple(_, parts) => parts.first()?.as_number(),
        _ => None,
    };
    keys.iter().filter_map(time).collect()
}
