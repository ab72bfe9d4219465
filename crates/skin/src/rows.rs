//! Rows of weights in columns: different rows once, each with its way of blending; points of a drawing share few of them.

use std::collections::BTreeMap;

use kurbo::{Point, Vec2};

use crate::blend::{Blend, Influence, Motion, blend, blend_slope};
use crate::split::Station;

/// How a row is blended: the mode and, for modes that need one, a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) mode: Blend,
    pub(crate) centre: Point,
}

impl Way {
    pub(crate) const fn new(mode: Blend) -> Self {
        Self { mode, centre: Point::ZERO }
    }
}

/// What makes two rows the same: bits, so that equal rows blend to equal bits.
type Key = (u8, [u64; 2], Vec<(u32, u64)>);

/// The rows of a skin.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowTable {
    /// Where each row starts in `influences`; one more than there are rows.
    starts: Vec<u32>,
    influences: Vec<Influence>,
    ways: Vec<Way>,
    slopes: Vec<SlopeRow>,
    slope_influences: Vec<Influence>,
    seen: BTreeMap<Key, u32>,
}

/// How a row changes along the outline.
#[derive(Clone, Copy, Debug)]
struct SlopeRow {
    row: u32,
    start: u32,
    end: u32,
    drift: Vec2,
}

impl RowTable {
    /// The place of a row. An empty one stands for what follows no bone.
    pub(crate) fn add(&mut self, row: &[Influence], way: Way) -> u32 {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        // One bone is its matrix in every mode.
        let way = if row.len() < 2 { Way::new(Blend::Linear) } else { way };
        let bits: Vec<(u32, u64)> = row.iter().map(|(b, w)| (b.index() as u32, w.to_bits())).collect();
        let key = (way.mode as u8, [way.centre.x.to_bits(), way.centre.y.to_bits()], bits);
        let (starts, influences, ways) = (&mut self.starts, &mut self.influences, &mut self.ways);
        *self.seen.entry(key).or_insert_with(|| {
            influences.extend_from_slice(row);
            ways.push(way);
            starts.push(influences.len() as u32);
            starts.len() as u32 - 2
        })
    }

    /// The row of a station, and the row of its slopes if its weights change.
    pub(crate) fn add_station(&mut self, station: &Station, mode: Blend) -> (u32, Option<u32>) {
        let row = self.add_station_row(station, mode);
        (row, (!station.slopes.is_empty()).then(|| self.add_slope(row, station)))
    }

    /// The row of slopes of a station.
    pub(crate) fn add_slope(&mut self, row: u32, station: &Station) -> u32 {
        let start = self.slope_influences.len() as u32;
        self.slope_influences.extend_from_slice(&station.slopes);
        let end = self.slope_influences.len() as u32;
        self.slopes.push(SlopeRow { row, start, end, drift: station.drift });
        self.slopes.len() as u32 - 1
    }

    /// A row that is nobody else's: a frame may put another blend in the place of its own.
    pub(crate) fn add_own(&mut self, row: &[Influence], way: Way) -> u32 {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.influences.extend_from_slice(row);
        self.ways.push(way);
        self.starts.push(self.influences.len() as u32);
        self.starts.len() as u32 - 2
    }

    /// The row of a station whose slopes are not asked for.
    pub(crate) fn add_station_row(&mut self, station: &Station, mode: Blend) -> u32 {
        self.add(&station.row, Way { mode, centre: station.centre })
    }

    pub(crate) fn row(&self, row: u32) -> &[Influence] {
        let row = row as usize;
        &self.influences[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(crate) fn way(&self, row: u32) -> Way {
        self.ways[row as usize]
    }

    /// How many matrices a frame blends: rows, and slopes of rows.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.ways.len(), self.slopes.len())
    }

    /// The blended matrix of each row.
    pub(crate) fn blend_into(&self, motions: &[Motion], out: &mut Vec<[f64; 6]>) {
        out.clear();
        out.extend(self.starts.windows(2).zip(&self.ways).map(|(ends, way)| {
            let row = &self.influences[ends[0] as usize..ends[1] as usize];
            blend(way.mode, row, way.centre, motions)
        }));
    }

    /// The change of the blended matrix of each row of slopes.
    pub(crate) fn slopes_into(&self, motions: &[Motion], out: &mut Vec<[f64; 6]>) {
        out.clear();
        out.extend(self.slopes.iter().map(|slope| {
            let by = &self.slope_influences[slope.start as usize..slope.end as usize];
            let way = self.way(slope.row);
            blend_slope(way.mode, (self.row(slope.row), by), (way.centre, slope.drift), motions)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::BoneId;

    #[test]
    fn equal_rows_are_kept_once() {
        let (a, b) = (BoneId::new(0), BoneId::new(1));
        let mut table = RowTable::default();
        let linear = Way::new(Blend::Linear);
        let half = [(a, 0.5), (b, 0.5)];
        assert_eq!(
            [table.add(&half, linear), table.add(&[(b, 1.0)], linear), table.add(&half, linear)],
            [0, 1, 0]
        );
        assert_eq!(table.add(&half, Way::new(Blend::AreaPreserving)), 2);
        assert_eq!(
            table.add(&[(b, 1.0)], Way::new(Blend::AreaPreserving)),
            1,
            "one bone is the same in every mode"
        );
        assert_eq!(table.row(1), [(b, 1.0)]);
    }
}
