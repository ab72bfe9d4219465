//! Places labels: each label takes the first of its positions that is free, in the order of the calls. Labels
//! never move again, so the same frame always has the same labels.

use kurbo::{Point, Rect, Size, Vec2};

/// Occupied rectangles.
#[derive(Debug)]
pub(super) struct Labels {
    frame: Rect,
    taken: Vec<Rect>,
    /// Marks that labels should not cover.
    marks: Vec<Rect>,
}

impl Labels {
    pub(super) fn new(frame: Rect) -> Self {
        Self { frame, taken: Vec::new(), marks: Vec::new() }
    }

    /// Keeps labels off a mark, if another position is free.
    pub(super) fn mark(&mut self, at: Point, radius: f64) {
        self.marks.push(Rect::from_center_size(at, Size::new(2.0 * radius, 2.0 * radius)));
    }

    /// Keeps all labels off a rectangle.
    pub(super) fn reserve(&mut self, place: Rect) {
        self.taken.push(place);
    }

    /// Takes the first free place: the middle of a box of this size. First without hiding marks, then, unless
    /// they count as much as words, over them.
    pub(super) fn take(&mut self, places: &[Point], size: Size, marks_count: bool) -> Option<Point> {
        let fits = |place: &Point, marks: bool| {
            let room = Rect::from_center_size(*place, size);
            let free = |other: &Rect| !overlap(room, *other);
            let inside = self.frame.x0 <= room.x0
                && room.x1 <= self.frame.x1
                && self.frame.y0 <= room.y0
                && room.y1 <= self.frame.y1;
            inside && self.taken.iter().all(free) && (!marks || self.marks.iter().all(free))
        };
        let first = places.iter().find(|place| fits(place, true));
        let found = first.or_else(|| places.iter().find(|place| !marks_count && fits(place, false)));
        let found = *found?;
        self.taken.push(Rect::from_center_size(found, size));
        Some(found)
    }
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1
}

/// Places around a point, near ones first: on each ring first to the sides of `along`, then ahead and behind.
pub(super) fn around(at: Point, along: Vec2, size: Size, rings: &[f64]) -> Vec<Point> {
    const SIDES: [f64; 12] =
        [90.0, -90.0, 60.0, -60.0, 120.0, -120.0, 30.0, -30.0, 150.0, -150.0, 0.0, 180.0];
    let length = along.hypot();
    let along = if length > 0.0 && length.is_finite() { along / length } else { Vec2::new(1.0, 0.0) };
    let mut places = Vec::with_capacity(rings.len() * SIDES.len());
    for ring in rings {
        for side in SIDES {
            let turned = bone_core::Angle::from_degrees(side).direction();
            let way =
                Vec2::new(along.x * turned.x - along.y * turned.y, along.x * turned.y + along.y * turned.x);
            // The box touches the ring from outside, however long it is.
            places.push(at + way * *ring + Vec2::new(0.5 * size.width * way.x, 0.5 * size.height * way.y));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_collide_and_stay_in_the_frame() {
        let frame = Rect::new(0.0, 0.0, 200.0, 120.0);
        let (mut labels, mut placed) = (Labels::new(frame), Vec::new());
        let size = Size::new(40.0, 12.0);
        for i in 0..40 {
            let at = Point::new(100.0 + f64::from(i % 5), 60.0 + f64::from(i / 5));
            labels.mark(at, 3.0);
            let places = around(at, Vec2::new(1.0, 0.3), size, &[6.0, 14.0, 26.0, 44.0, 70.0]);
            placed.extend(labels.take(&places, size, false));
        }
        assert!(placed.len() >= 15, "{}", placed.len());
        for (i, a) in placed.iter().enumerate() {
            let a = Rect::from_center_size(*a, size);
            assert!(frame.contains_rect(a));
            assert!(placed[..i].iter().all(|b| !overlap(a, Rect::from_center_size(*b, size))));
        }
    }
}
