//! Foot contacts: the frames in which the ball of a foot is low and nearly still. The thresholds have
//! hysteresis, so that a contact does not flicker.

use kurbo::Point;

/// A contact of a foot with the ground: a range of frames, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The first frame.
    pub from: usize,
    /// The last frame.
    pub until: usize,
}

/// Finds the contacts of a point. `size` is the height of the figure.
pub fn find_contacts(frames: usize, rate: f64, size: f64, position: impl Fn(usize) -> Point) -> Vec<Contact> {
    find_contacts_in_space(frames, rate, size, position, |_| 0.0)
}

/// Finds the contacts of a point with a depth: a foot that moves towards the viewer does not stand.
pub(crate) fn find_contacts_in_space(
    frames: usize,
    rate: f64,
    size: f64,
    position: impl Fn(usize) -> Point,
    depth: impl Fn(usize) -> f64,
) -> Vec<Contact> {
    let Some(last_frame) = frames.checked_sub(1) else { return Vec::new() };
    let reach = (rate * 0.03).round().max(1.0) as usize;
    let speed = |frame: usize| {
        let (before, after) = (frame.saturating_sub(reach), frame.saturating_add(reach).min(last_frame));
        let (way, deep) = (position(after) - position(before), depth(after) - depth(before));
        (way.hypot2() + deep * deep).sqrt() * rate / ((after - before).max(1) as f64 * size)
    };
    let mut heights: Vec<f64> = (0..frames).map(|frame| position(frame).y).collect();
    heights.sort_by(f64::total_cmp);
    // y points down: the lowest positions have the largest numbers; a few outliers are left out.
    let ground = heights[last_frame * 19 / 20];
    let above = |frame: usize| (ground - position(frame).y) / size;
    let mut found: Vec<Contact> = Vec::new();
    let mut in_contact = false;
    for frame in 0..frames {
        // The largest speed, in heights of the figure a second (a swinging foot has about two, a standing one
        // about a tenth), and the largest height above the lowest position of the foot.
        let (most, high) = if in_contact { (0.35, 0.05) } else { (0.25, 0.035) };
        let find_contacts = speed(frame) < most && above(frame) < high;
        match found.last_mut() {
            Some(last) if find_contacts && in_contact => last.until = frame,
            _ if find_contacts => found.push(Contact { from: frame, until: frame }),
            _ => {}
        }
        in_contact = find_contacts;
    }
    // Shorter contacts and shorter gaps are dropped, seconds.
    let shortest = (0.07 * rate).ceil() as usize;
    let mut concat: Vec<Contact> = Vec::new();
    for contact in found {
        match concat.last_mut() {
            Some(last) if contact.from - last.until <= shortest => last.until = contact.until,
            _ => concat.push(contact),
        }
    }
    concat.retain(|contact| contact.until - contact.from >= shortest);
    concat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepping_foot_has_contacts_between_its_steps() {
        // One step a second, half of it in the air, on a figure of height 1.
        let position = |frame: usize| {
            let t = frame as f64 / 60.0;
            let (step, share) = (t.floor(), t.fract());
            if share < 0.5 {
                Point::new(step, 0.0)
            } else {
                let u = (share - 0.5) * 2.0;
                Point::new(step + u * u * (3.0 - 2.0 * u), -0.4 * u * (1.0 - u))
            }
        };
        let found = find_contacts(240, 60.0, 1.0, position);
        assert_eq!(found.len(), 4, "{found:?}");
        for (step, contact) in found.iter().enumerate() {
            assert!(
                contact.from.abs_diff(step * 60) <= 4 && contact.until.abs_diff(step * 60 + 30) <= 4,
                "{contact:?}"
            );
        }
    }
}
