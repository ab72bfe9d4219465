//! Keys that get other times together.

use bone_format::session::{DocPath, Edit, Session};

use super::{keys_of, request};
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
        let value = session.get(channel)?;
        let times = keys_of(&value).map(|(time, _)| time);
        let inside = |time: &f64| (from - SAME..=until + SAME).contains(time);
        let (moving, staying): (Vec<f64>, Vec<f64>) = times.partition(inside);
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
