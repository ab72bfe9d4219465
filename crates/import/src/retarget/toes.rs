//! How far feet and toes turn.

/// The largest rotation of toes against their foot, and of a foot against its shin, from those of a figure that
/// stands, in degrees.
pub(crate) const TOES: f64 = 60.0;

pub(super) const FEET: f64 = 75.0;

/// Keeps the rotations of toes near those of their foot. `bend` is the rotation of the toes against the foot in
/// the setup pose. A foot that points at the viewer has toes of any direction.
pub(crate) fn keep_toes(toes: &mut [f64], feet: &[f64], bend: f64) {
    for (toe, foot) in toes.iter_mut().zip(feet) {
        // Recorded rotations stay this far from it, so that a curve with few keys has room.
        *toe = foot - bend + folded(*toe - foot + bend, TOES - 5.0);
    }
}

/// A rotation without its whole turns, at most `most` degrees to either side. What points straight back is not
/// turned to either side, so that nothing jumps where one side becomes the other.
pub(super) fn folded(turn: f64, most: f64) -> f64 {
    let turn = turn - (turn / 360.0).round() * 360.0;
    turn.abs().min(most).min(180.0 - turn.abs()) * turn.signum()
}
