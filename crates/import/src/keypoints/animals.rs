//! Animals that an estimator found in pictures, as a table of named points: from frame to frame each animal is
//! the nearest one.

use std::collections::BTreeMap;

use kurbo::{Point, Rect, Size};

use super::layout::KeypointLayout;
use super::person::Detection;
use super::read::Person;
use super::table::{Individual, MAX_NUMBERS, NamedPoint, PointTable};
use crate::ImportError;

/// The middle and the size of the detected points; `None` if there are none.
fn extent(points: &[Option<Detection>]) -> Option<(Point, f64)> {
    let mut places = points.iter().flatten().map(|seen| seen.at);
    let first = places.next()?;
    let all = places.fold(Rect::from_points(first, first), |all, at| all.union_pt(at));
    Some((all.center(), all.size().to_vec2().hypot()))
}

/// The animals of frames that run from `first` on; `scale` is the size of a unit of the files in pixels.
pub(super) fn table(
    frames: BTreeMap<u64, Vec<Person>>,
    layout: KeypointLayout,
    (first, count): (u64, usize),
    scale: Size,
) -> Result<PointTable, ImportError> {
    let names = layout.point_names();
    let mut individuals: Vec<Individual> = Vec::new();
    let mut last: Vec<(Point, f64)> = Vec::new();
    let missing = count - frames.len().min(count);
    for (number, people) in frames {
        let mut found: Vec<Vec<Option<Detection>>> = Vec::new();
        for person in people {
            let seen = |[x, y, confidence]: [f64; 3]| Detection {
                at: Point::new(x * scale.width, y * scale.height),
                confidence,
            };
            found.push(person.points.into_iter().map(|point| point.map(seen)).collect());
        }
        let places: Vec<Option<(Point, f64)>> = found.iter().map(|points| extent(points)).collect();
        // The nearest pairs first; an animal moves by less than its size from frame to frame.
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let Some((middle, size)) = place else { continue };
            for (owner, (there, before)) in last.iter().enumerate() {
                let far = middle.distance(*there);
                if far <= size.max(*before) {
                    pairs.push((far, at, owner));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut owners: Vec<Option<usize>> = vec![None; found.len()];
        let mut taken = vec![false; individuals.len()];
        for (_, at, owner) in pairs {
            if owners[at].is_none() && !taken[owner] {
                (owners[at], taken[owner]) = (Some(owner), true);
            }
        }
        for ((points, place), owner) in found.into_iter().zip(places).zip(owners) {
            let Some(place) = place else { continue };
            if owner.is_none() {
                let numbers = (individuals.len() + 1).saturating_mul(3 * names.len()).saturating_mul(count);
                fail_if!(
                    numbers > MAX_NUMBERS,
                    "animals in {count} frames have more than {MAX_NUMBERS} numbers"
                );
                // The largest number of animals that are tracked.
                if individuals.len() >= 32 {
                    continue;
                }
            }
            let owner = owner.unwrap_or_else(|| {
                let point = |name: &&str| NamedPoint { name: (*name).to_owned(), seen: vec![None; count] };
                let name = (individuals.len() + 1).to_string();
                individuals.push(Individual { name, points: names.iter().map(point).collect() });
                last.push(place);
                individuals.len() - 1
            });
            last[owner] = place;
            for (point, seen) in individuals[owner].points.iter_mut().zip(points) {
                point.seen[(number - first) as usize] = seen;
            }
        }
    }
    Ok(PointTable { individuals, first, missing, likely: 0.0, layout })
}
