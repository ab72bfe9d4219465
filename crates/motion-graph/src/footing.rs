//! Feet on the ground: contacts are locked, feet follow the height of the ground, and knees follow the feet.

use bone_core::Side;
use bone_import::retarget::{Contact, find_contacts};
use bone_import::{Body, FigureLeg};
use kurbo::Point;

/// Half the width, in heights, over which the height of the ground under the body is averaged.
const BODY_WIDTH: f64 = 0.25;

/// A bent leg is not extended beyond this share of its length.
const MAX_EXTENSION: f64 = 0.97;

/// Moves a figure that was captured on flat ground to the height of the ground.
pub(super) fn stand_on_ground(positions: &mut [Point], x: f64, body: &Body, ground: &impl Fn(f64) -> f64) {
    let under = (ground(x - BODY_WIDTH) + 2.0 * ground(x) + ground(x + BODY_WIDTH)) / 4.0;
    let before = positions.to_vec();
    let legs: Vec<FigureLeg> =
        [Side::Left, Side::Right].into_iter().filter_map(|side| FigureLeg::find(body, side)).collect();
    // If a leg does not reach the ground the body moves down.
    let drop = legs.iter().map(|leg| missing_height(leg, &before, under, ground)).fold(0.0, f64::max);
    for position in positions.iter_mut() {
        position.y += under + drop;
    }
    for leg in &legs {
        for &joint in leg.toes.iter().chain([&leg.ankle]) {
            positions[joint].y = before[joint].y + ground(before[joint].x);
        }
        bend(leg, positions, &before);
    }
}

/// Locks feet at their contacts: a fade mixes two walks whose feet do not quite coincide. In the air the
/// shift of a foot is blended from one contact to the next.
pub(super) fn lock_feet(frames: &mut [Vec<Point>], body: &Body, rate: f64) {
    for leg in [Side::Left, Side::Right].into_iter().filter_map(|side| FigureLeg::find(body, side)) {
        let ball = leg.ball();
        let find_contacts = find_contacts(frames.len(), rate, 1.0, |frame| frames[frame][ball]);
        let x = |frame: usize| frames[frame][ball].x;
        let middle = |contact: &Contact| {
            (contact.from..=contact.until).map(x).sum::<f64>() / (contact.until - contact.from + 1) as f64
        };
        let mut moved = vec![0.0; frames.len()];
        for (at, contact) in find_contacts.iter().enumerate() {
            let position = middle(contact);
            for (at, moved) in moved[contact.from..=contact.until].iter_mut().enumerate() {
                *moved = position - x(contact.from + at);
            }
            let until = find_contacts.get(at + 1).map_or(frames.len(), |next| next.from);
            let next = find_contacts.get(at + 1).map_or(0.0, |next| middle(next) - x(next.from));
            let last = moved[contact.until];
            let air = (until - contact.until) as f64;
            for (at, moved) in moved[contact.until + 1..until].iter_mut().enumerate() {
                let share = (at + 1) as f64 / air;
                *moved = last + (next - last) * share * share * (3.0 - 2.0 * share);
            }
        }
        if let Some(first) = find_contacts.first() {
            let by = moved[first.from];
            moved[..first.from].fill(by);
        }
        for (positions, by) in frames.iter_mut().zip(moved) {
            let before = positions.clone();
            for &joint in leg.toes.iter().chain([&leg.ankle]) {
                positions[joint].x += by;
            }
            bend(&leg, positions, &before);
        }
    }
}

/// Places a knee between its hip and its ankle.
fn bend(leg: &FigureLeg, positions: &mut [Point], before: &[Point]) {
    if let Some(knee) = leg.bent(before, positions[leg.hip], positions[leg.ankle], 0.0) {
        positions[leg.knee] = knee;
    }
}

/// How far the hip has to move down so that the ankle reaches its target.
fn missing_height(leg: &FigureLeg, before: &[Point], under: f64, ground: &impl Fn(f64) -> f64) -> f64 {
    let (hip, knee, ankle) = (before[leg.hip], before[leg.knee], before[leg.ankle]);
    let whole = (knee - hip).hypot() + (ankle - knee).hypot();
    // A knee that becomes straight snaps, so a leg that was bent stays a little bent.
    let reach = (ankle - hip).hypot().max(MAX_EXTENSION * whole).min(whole);
    let target = ankle.y + ground(ankle.x) - under;
    let along = (ankle.x - hip.x).abs();
    // The highest position from which a leg of this length reaches the target.
    let highest = target - (reach * reach - along * along).max(0.0).sqrt();
    (highest - hip.y).max(0.0)
}
