//! Planting of feet on figures and on rigs (Kovar, Schreiner and Gleicher, "Footskate cleanup for motion capture
//! editing", 2002): feet are shifted to where they stand, and the body follows, so that legs keep their
//! extension.
//!
//! The body has to move: a knee is bent by 180 - 2 asin(r) degrees, r the distance of hip and ankle in lengths of
//! the leg, so at r = 0.99 one percent of the length turns it by 8 degrees. Contacts for which a knee would jerk
//! in spite of it are given up.

use bone_core::clip::smoothstep;
use bone_core::exp;
use kurbo::{Point, Vec2};

use super::contacts::Contact;

/// A leg in every computed frame, and where its foot is to stand.
#[derive(Clone, Debug)]
pub(crate) struct LegPath {
    /// The root of the leg.
    pub(crate) hips: Vec<Point>,
    /// The joint that stands.
    pub(crate) feet: Vec<Point>,
    /// From the ankle to that joint.
    pub(crate) arms: Vec<Vec2>,
    /// The length of the leg where it does not change; a foot that stands does not straighten it.
    pub(crate) length: Option<f64>,
    /// The farthest that foot and body are moved, if they are to stay near.
    pub(crate) most: f64,
    /// The y below which the foot does not come.
    pub(crate) ground: f64,
    pub(crate) contacts: Vec<(Contact, Point)>,
}

/// A leg and a frame, with the second difference of its knee.
type Jerk = (usize, usize, f64);

/// A contact that was given up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GivenUp {
    pub(crate) leg: usize,
    pub(crate) contact: Contact,
    /// The second difference of the knee that it would have caused, degrees a frame squared.
    pub(crate) jerk: f64,
}

/// Where bodies and feet are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planting {
    /// The shift of the body in each frame.
    pub(crate) body: Vec<Vec2>,
    /// For each leg the positions of the joint that stands.
    pub(crate) feet: Vec<Vec<Point>>,
    /// For each leg how much it stands: 1 in a contact, 0 in the air.
    pub(crate) stands: Vec<Vec<f64>>,
    pub(crate) given_up: Vec<GivenUp>,
}

impl LegPath {
    fn ankle(&self, frame: usize) -> Point {
        self.feet[frame] - self.arms[frame]
    }

    /// How much the foot stands in each frame: fully in a contact, not at all in the air, and in between where it
    /// comes and goes.
    fn stands(&self, rate: f64) -> Vec<f64> {
        let mut stands = vec![0.0_f64; self.feet.len()];
        // Five frames of thirty a second.
        let ease = (rate / 6.0).max(1.0);
        for (contact, _) in &self.contacts {
            let from = contact.from.saturating_sub(ease as usize);
            let until = contact.until.saturating_add(ease as usize + 1).min(stands.len());
            for (frame, stands) in (from..until).zip(&mut stands[from..until]) {
                let away = contact.from.saturating_sub(frame) + frame.saturating_sub(contact.until);
                *stands = stands.max(1.0 - smoothstep(away as f64 / ease));
            }
        }
        stands
    }

    /// The positions of the foot, shifted to its contacts. In the air the shift is blended from one contact to the
    /// next; it begins and ends with the speed of the foot, so that the foot neither jerks nor slides.
    fn shifted(&self, rate: f64) -> Vec<Point> {
        // The time in which a foot moves to its contact and away from it, where no other contact is near, seconds.
        let reach = (0.3 * rate).ceil();
        // The time in which a foot loses the difference in speed that its contact has caused, seconds.
        let release = (0.15 * rate).ceil();
        let (tips, contacts) = (&self.feet, &self.contacts);
        let mut moved = vec![Vec2::ZERO; tips.len()];
        for (contact, at) in contacts {
            for e in contact.from..=contact.until {
                moved[e] = *at - tips[e];
            }
        }
        // The frames in the air: before the first contact, between two contacts, and after the last.
        let ends = contacts.iter().map(|(contact, _)| Some(contact)).chain([None]);
        let starts = [None].into_iter().chain(contacts.iter().map(|(contact, _)| Some(contact)));
        for (before, after) in starts.zip(ends) {
            let from = before.map_or(0, |contact| contact.until + 1);
            let until = after.map_or(tips.len(), |contact| contact.from);
            let last = before.map(|contact| {
                (contact.until, moved[contact.until], moved[contact.until] - moved[contact.until - 1])
            });
            let next = after.map(|contact| {
                (contact.from, moved[contact.from], moved[contact.from] - moved[contact.from + 1])
            });
            // Two contacts that are near share the air between them.
            let air = (until - from + 1) as f64;
            let reach = if last.is_some() && next.is_some() { reach.max(air * 0.5).min(air) } else { reach };
            for (e, moved) in moved.iter_mut().enumerate().take(until).skip(from) {
                let part = |end: Option<(usize, Vec2, Vec2)>| {
                    end.map_or(Vec2::ZERO, |(at, shift, speed)| {
                        let gone = e.abs_diff(at) as f64;
                        let u = (gone / release).min(1.0);
                        let bend = release * u * (1.0 - u) * (1.0 - u);
                        shift * (1.0 - smoothstep(gone / reach)) + speed * bend
                    })
                };
                *moved = limited(part(last) + part(next), self.most);
            }
        }
        let kept = |(tip, moved): (&Point, &Vec2)| {
            let position = *tip + *moved;
            Point::new(position.x, position.y.min(self.ground))
        };
        tips.iter().zip(&moved).map(kept).collect()
    }
}

/// Plants the feet. `period` is the number of frames of a loop, of which the contacts repeat. `bend` is the bend of
/// the knee of a leg in a frame with its hip and its ankle at these positions, in degrees.
pub(crate) fn plant(
    legs: &mut [LegPath],
    rate: f64,
    period: Option<usize>,
    bend: impl Fn(usize, usize, Point, Point) -> f64,
) -> Planting {
    let allowed: Vec<f64> = (0..legs.len())
        .map(|leg| {
            let path = &legs[leg];
            let bends: Vec<f64> =
                (0..path.feet.len()).map(|e| bend(leg, e, path.hips[e], path.ankle(e))).collect();
            // What a viewer does not see, degrees a frame squared.
            1.5 * jerks(&bends).fold(0.0, |most: f64, jerk| most.max(jerk.1)) + 2.0
        })
        .collect();
    let mut given_up: Vec<GivenUp> = Vec::new();
    loop {
        let feet: Vec<Vec<Point>> = legs.iter().map(|leg| leg.shifted(rate)).collect();
        let stands: Vec<Vec<f64>> = legs.iter().map(|leg| leg.stands(rate)).collect();
        let needed = body_shifts(legs, &feet, &stands);
        let worst_jerk = |body: &[Vec2]| {
            let mut worst: Option<Jerk> = None;
            for (leg, path) in legs.iter().enumerate() {
                let place = |e: usize| (path.hips[e] + body[e], feet[leg][e] - path.arms[e]);
                let bends = (0..body.len()).map(|e| (e, place(e)));
                let bends: Vec<f64> = bends.map(|(e, (hip, ankle))| bend(leg, e, hip, ankle)).collect();
                let over = jerks(&bends).filter(|(_, jerk)| *jerk > allowed[leg]);
                let over = over.map(|(e, jerk)| (leg, e, jerk));
                worst = worst.into_iter().chain(over).max_by(|a, b| a.2.total_cmp(&b.2));
            }
            worst
        };
        let mut best: Option<(Vec<Vec2>, Option<Jerk>)> = None;
        // Windows of 3 to 11 frames of thirty a second: the first with which no knee jerks, else the best.
        for window in 1..6 {
            let body = low_pass(&needed, f64::from(window) * (rate / 30.0) * (rate / 30.0));
            let worst = worst_jerk(&body);
            let jerk = |worst: &Option<Jerk>| worst.map_or(0.0, |worst| worst.2);
            if best.as_ref().is_none_or(|best| jerk(&worst) < jerk(&best.1)) {
                best = Some((body, worst));
            }
            if worst.is_none() {
                break;
            }
        }
        let (body, worst) = best.unwrap_or_default();
        let nearest = worst.and_then(|(leg, e, jerk)| {
            // The contact of that leg, or without one that of another leg, which moves the body.
            let away = |contact: &Contact| contact.from.saturating_sub(e) + e.saturating_sub(contact.until);
            let near = |leg: usize| legs[leg].contacts.iter().map(|(contact, _)| *contact).min_by_key(away);
            let others = (0..legs.len()).filter_map(|leg| Some((leg, near(leg)?)));
            let found = near(leg).map(|near| (leg, near)).or_else(|| others.min_by_key(|of| away(&of.1)));
            found.map(|(leg, contact)| GivenUp { leg, contact, jerk })
        });
        // A leg that cannot change its length stands all the same.
        let nearest = nearest.filter(|next| legs[next.leg].length.is_none());
        let Some(next) = nearest else { return Planting { body, feet, stands, given_up } };
        let same = |contact: &Contact| match period {
            Some(period) => contact.from % period == next.contact.from % period,
            None => *contact == next.contact,
        };
        let contacts = std::mem::take(&mut legs[next.leg].contacts);
        let (gone, kept) = contacts.into_iter().partition(|(contact, _)| same(contact));
        legs[next.leg].contacts = kept;
        let gone: Vec<(Contact, Point)> = gone;
        given_up.extend(gone.into_iter().map(|(contact, _)| GivenUp { contact, ..next }));
    }
}

/// The second differences of angles in degrees, with their frames.
fn jerks(angles: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    angles.windows(3).enumerate().map(|(e, three)| {
        let turn = three[2] - 2.0 * three[1] + three[0];
        (e + 1, (turn - (turn / 360.0).round() * 360.0).abs())
    })
}

/// The shift of the body in each frame with which legs are nearest to their extension before, by least squares
/// over all of them, and over the shift itself, which counts for 0.05.
fn body_shifts(legs: &[LegPath], feet: &[Vec<Point>], stands: &[Vec<f64>]) -> Vec<Vec2> {
    let stay = 0.05;
    let shift = |e: usize| {
        let mut shift = Vec2::ZERO;
        // The distance is not linear in the shift: a step of Gauss and Newton, and another one.
        for _ in 0..2 {
            let (mut xx, mut xy, mut yy, mut by) = (stay, 0.0, stay, shift * -stay);
            for ((leg, feet), stands) in legs.iter().zip(feet).zip(stands) {
                // A leg in the air counts for 0.2.
                let weight = 0.2 + 0.8 * stands[e];
                let way = leg.hips[e] + shift - (feet[e] - leg.arms[e]);
                let far = way.hypot();
                if far < 1e-9 {
                    continue;
                }
                let before = (leg.hips[e] - leg.ankle(e)).hypot();
                // Only a foot that stands has to be reached.
                let wanted = leg
                    .length
                    .map_or(before, |long| before + stands[e] * (soft(before, long, 0.02) - before));
                let unit = way / far;
                xx += weight * unit.x * unit.x;
                xy += weight * unit.x * unit.y;
                yy += weight * unit.y * unit.y;
                by += unit * (weight * (wanted - far));
            }
            let determinant = xx * yy - xy * xy;
            shift += Vec2::new(yy * by.x - xy * by.y, xx * by.y - xy * by.x) / determinant;
        }
        limited(shift, legs.iter().fold(f64::INFINITY, |most, leg| most.min(leg.most)))
    };
    (0..feet.first().map_or(0, Vec::len)).map(shift).collect()
}

/// A way of at most this length.
fn limited(way: Vec2, most: f64) -> Vec2 {
    let long = way.hypot();
    if long > most { way * (most / long) } else { way }
}

/// The distance to which a leg reaches in place of this one (Nicholas, "Soft IK", 2009): in the last `zone` of its
/// length, a share, it slows down, so that its knee does not become straight at once. With a zone of 0.02 the knee
/// of a leg as long as the distance is bent by 14 degrees.
pub(super) fn soft(distance: f64, length: f64, zone: f64) -> f64 {
    let zone = zone * length;
    let over = distance - (length - zone);
    if over > 0.0 { length - zone * exp(-over / zone) } else { distance }
}

/// The values after so many passes of a binomial filter, (1, 2, 1) / 4.
fn low_pass(values: &[Vec2], passes: f64) -> Vec<Vec2> {
    let mut values = values.to_vec();
    let Some(last) = values.len().checked_sub(1) else { return values };
    // Of more frames a second than these, a window of fewer is enough.
    for _ in 0..passes.round().clamp(1.0, 400.0) as usize {
        let mut before = values[0];
        for e in 0..=last {
            let here = values[e];
            values[e] = (before + here * 2.0 + values[(e + 1).min(last)]) / 4.0;
            before = here;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::Angle;

    /// A leg of two bones of 50, seen from its side; the hip moves along x by a unit a frame, and the foot stands
    /// still but for `slides`.
    fn leg(frames: usize, high: f64, slides: impl Fn(usize) -> Vec2, at: Point) -> LegPath {
        LegPath {
            hips: (0..frames).map(|e| Point::new(e as f64 - frames as f64 / 2.0, -high)).collect(),
            feet: (0..frames).map(|e| slides(e).to_point()).collect(),
            arms: vec![Vec2::ZERO; frames],
            length: None,
            most: f64::INFINITY,
            ground: f64::INFINITY,
            contacts: vec![(Contact { from: 0, until: frames - 1 }, at)],
        }
    }

    fn bend(hip: Point, ankle: Point) -> f64 {
        let half = (0.5 * (ankle - hip).hypot()).min(50.0);
        2.0 * Angle::of(Vec2::new(half, (2500.0 - half * half).sqrt())).degrees()
    }

    /// A foot that sinks by 1 % of the leg and back while the leg is nearly straight: the body follows, so the knee
    /// keeps its angle.
    #[test]
    fn the_body_follows_a_foot_that_is_planted() {
        let sinks =
            |e: usize| Vec2::new(0.0, smoothstep(e as f64 / 30.0) - smoothstep(e as f64 / 30.0 - 1.0));
        let mut legs = [leg(61, 98.0, sinks, Point::ZERO)];
        let recorded = legs[0].clone();
        let planted = plant(&mut legs, 30.0, None, |_, _, hip, ankle| bend(hip, ankle));
        assert!(
            planted.given_up.is_empty() && planted.feet[0].iter().all(|foot| foot.to_vec2().hypot() < 1e-9)
        );
        for e in 15..46 {
            let before = bend(recorded.hips[e], recorded.feet[e]);
            let [still, moved] = [Vec2::ZERO, planted.body[e]]
                .map(|by| bend(recorded.hips[e] + by, planted.feet[0][e]) - before);
            assert!(moved.abs() < 0.2 * still.abs() + 0.2, "{e}: {moved} in place of {still} degrees");
        }
    }

    /// A foot is not planted where that would jerk a knee: here its place is far from where it was.
    #[test]
    fn a_contact_that_jerks_a_knee_is_given_up() {
        let mut legs = [leg(61, 90.0, |e| Vec2::new(0.0, if e == 30 { 30.0 } else { 0.0 }), Point::ZERO)];
        legs[0].hips[30].y += 30.0;
        let planted = plant(&mut legs, 30.0, None, |_, _, hip, ankle| bend(hip, ankle));
        assert_eq!(planted.given_up.len(), 1, "{:?}", planted.given_up);
        assert!(planted.given_up[0].jerk > 10.0 && legs[0].contacts.is_empty());
        assert_eq!(planted.feet[0], legs[0].feet);
    }

    #[test]
    fn a_leg_slows_down_before_it_is_straight() {
        assert_eq!(soft(97.0, 100.0, 0.02), 97.0);
        let whole = soft(100.0, 100.0, 0.02);
        assert!((bend(Point::ZERO, Point::new(0.0, whole)) - 13.9).abs() < 0.1, "{whole}");
        assert!(soft(1e9, 100.0, 0.02) <= 100.0);
        // Value and slope are continuous where it begins.
        let slope = (soft(98.001, 100.0, 0.02) - soft(98.0, 100.0, 0.02)) / 0.001;
        assert!((slope - 1.0).abs() < 1e-3, "{slope}");
    }
}
