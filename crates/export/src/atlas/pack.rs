//! Rectangles into pages: each at the lowest place of the skyline, the tallest first. Ties are broken by
//! position and number, so the same rectangles have the same places in every run.

use crate::raster::PixelSize;

/// Where a rectangle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PagePlace {
    pub(super) page: usize,
    pub(super) x: u32,
    pub(super) y: u32,
}

/// A piece of the upper border of what was placed.
#[derive(Clone, Copy, Debug)]
struct SkylineStep {
    x: u32,
    y: u32,
    width: u32,
}

struct Skyline {
    width: u32,
    most: u32,
    steps: Vec<SkylineStep>,
    height: u32,
}

impl Skyline {
    fn new(width: u32, most: u32) -> Self {
        Self { width, most, steps: vec![SkylineStep { x: 0, y: 0, width }], height: 0 }
    }

    /// The lowest place, the leftmost of equally low ones.
    fn place(&mut self, size: PixelSize) -> Option<(u32, u32)> {
        let mut best: Option<(u32, u32)> = None;
        for (at, step) in self.steps.iter().enumerate() {
            if step.x + size.width > self.width {
                break;
            }
            let over = self.steps[at..].iter().take_while(|other| other.x < step.x + size.width);
            let y = over.map(|other| other.y).max().unwrap_or(0);
            if y + size.height <= self.most && best.is_none_or(|(best, _)| y < best) {
                best = Some((y, step.x));
            }
        }
        let (y, x) = best?;
        let end = x + size.width;
        let mut steps = Vec::with_capacity(self.steps.len() + 2);
        for step in &self.steps {
            let (left, right) = (step.x, step.x + step.width);
            if left < x {
                steps.push(SkylineStep { width: right.min(x) - left, ..*step });
            }
            if left <= x && x < right {
                steps.push(SkylineStep { x, y: y + size.height, width: size.width });
            }
            if right > end {
                let start = left.max(end);
                steps.push(SkylineStep { x: start, width: right - start, ..*step });
            }
        }
        self.steps = steps;
        self.height = self.height.max(y + size.height);
        Some((x, y))
    }
}

/// How pages may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRules {
    /// The longest side.
    pub(super) most: u32,
    /// Empty pixels between rectangles.
    pub(super) padding: u32,
    pub(super) power_of_two: bool,
}

/// Places for all rectangles, and the size of each page. No rectangle is larger than a page.
pub(super) fn pack(sizes: &[PixelSize], rules: PageRules) -> (Vec<PagePlace>, Vec<PixelSize>) {
    let PageRules { most, padding, .. } = rules;
    // The padding is at the right and the bottom of each; that of the last ones is outside of the page.
    let padded =
        |at: usize| PixelSize { width: sizes[at].width + padding, height: sizes[at].height + padding };
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse((sizes[*at].height, sizes[*at].width)), *at));
    let mut places = vec![PagePlace { page: 0, x: 0, y: 0 }; sizes.len()];
    let mut pages = Vec::new();
    while !order.is_empty() {
        let widest = order.iter().map(|at| padded(*at).width).max().unwrap_or(1);
        let cells = order.iter().map(|at| padded(*at));
        let area: u64 = cells.map(|cell| u64::from(cell.width) * u64::from(cell.height)).sum();
        let mut best: Option<(u64, u32)> = None;
        for width in widths(widest, area, rules) {
            let mut skyline = Skyline::new(width, most + padding);
            if order.iter().all(|at| skyline.place(padded(*at)).is_some()) {
                let size = page_size(&skyline, rules);
                let cost = cost(size);
                if best.is_none_or(|(best, _)| cost < best) {
                    best = Some((cost, width));
                }
            }
        }
        // What does not fit into one page goes into the largest, and the rest into the next.
        let width = best.map_or(most + padding, |(_, width)| width);
        let mut skyline = Skyline::new(width, most + padding);
        let page = pages.len();
        order.retain(|at| match skyline.place(padded(*at)) {
            Some((x, y)) => {
                places[*at] = PagePlace { page, x, y };
                false
            }
            None => true,
        });
        pages.push(page_size(&skyline, rules));
    }
    (places, pages)
}

/// The area, and a quarter of that of the square around it: long pages waste textures that must be powers of
/// two.
fn cost(size: PixelSize) -> u64 {
    let [width, height] = [size.width, size.height].map(u64::from);
    4 * width * height + width.max(height) * width.max(height)
}

/// Widths that are tried: around that of a square, and what the widest rectangle needs.
fn widths(widest: u32, area: u64, rules: PageRules) -> Vec<u32> {
    let PageRules { most, padding, power_of_two } = rules;
    let mut widths = Vec::new();
    if power_of_two {
        let mut width = (widest - padding).next_power_of_two();
        while width <= most {
            widths.push(width + padding);
            width *= 2;
        }
        return widths;
    }
    let most = most + padding;
    #[allow(clippy::cast_possible_truncation, reason = "clamped to the side of a page")]
    let side = area.isqrt().min(u64::from(most)) as u32;
    for part in 8..=32 {
        widths.push((side / 16 * part).clamp(widest, most));
    }
    // Whole columns of the widest one: frames of one size come out as a grid.
    for columns in 1..=most / widest {
        let width = columns * widest;
        if width >= side / 2 && width <= side.saturating_mul(2) {
            widths.push(width);
        }
    }
    widths.sort_unstable();
    widths.dedup();
    widths
}

fn page_size(skyline: &Skyline, rules: PageRules) -> PixelSize {
    // Where nothing was placed, the page ends.
    let used = skyline.steps.iter().filter(|step| step.y > 0).map(|step| step.x + step.width).max();
    let width = used.unwrap_or(1).saturating_sub(rules.padding).max(1);
    let height = skyline.height.saturating_sub(rules.padding).max(1);
    if rules.power_of_two {
        return PixelSize { width: width.next_power_of_two(), height: height.next_power_of_two() };
    }
    PixelSize { width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_lie_in_their_pages_and_do_not_overlap() {
        let mut state = 7_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for round in 0..60 {
            let count = 1 + random(60);
            let size = |width, height| PixelSize { width, height };
            let sizes: Vec<PixelSize> = (0..count).map(|_| size(1 + random(40), 1 + random(50))).collect();
            for power_of_two in [false, true] {
                let rules = PageRules { most: 128, padding: random(4), power_of_two };
                let (places, pages) = pack(&sizes, rules);
                let mut cells: Vec<Vec<bool>> = pages
                    .iter()
                    .map(|page| vec![false; page.width as usize * page.height as usize])
                    .collect();
                for (size, place) in sizes.iter().zip(&places) {
                    let page = pages[place.page];
                    assert!(place.x + size.width <= page.width && place.y + size.height <= page.height);
                    assert!(!power_of_two || page.width.is_power_of_two() && page.height.is_power_of_two());
                    assert!(page.width <= 128 && page.height <= 128);
                    for y in place.y..place.y + size.height {
                        for x in place.x..place.x + size.width {
                            let cell = &mut cells[place.page][(y * page.width + x) as usize];
                            assert!(!std::mem::replace(cell, true), "{round}");
                        }
                    }
                }
            }
        }
    }
}
