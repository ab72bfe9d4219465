//! Times as they are written, and the frames that are meant.

/// Seconds within which two times are one: half the last of the four digits in which times are written. A third of a
/// second is 0.3333 in a text and the frame there a little later, the frame at two thirds a little before 0.6667: what
/// holds until such a time, lasts as long or happens then is meant for that frame.
pub const SAME_TIME: f64 = 0.51e-4;

/// The same as a share of a frame. However short frames are, those beside each other differ.
pub fn same_frame(fps: f64) -> f64 {
    (SAME_TIME * fps).min(0.1)
}
