//! Weights in columns: each different set once, with its blend rule; the points of a drawing share few of
//! them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use kurbo::{Point, Vec2};

use crate::blend::{Influence, Motion, SkinBlend, blend, blend_derivative};
use crate::split::CurveSample;

/// How a set of weights is blended: the mode and, for modes that need one, a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BlendRule {
    pub(crate) mode: SkinBlend,
    pub(crate) centre: Point,
}

impl BlendRule {
    pub(crate) const fn new(mode: SkinBlend) -> Self {
        Self { mode, centre: Point::ZERO }
    }
}

/// The weights of a skin.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightTable {
    /// The start of each entry in `influences`; one more than there are entries.
    starts: Vec<u32>,
    influences: Vec<Influence>,
    rules: Vec<BlendRule>,
    slopes: Vec<WeightGradient>,
    gradient_influences: Vec<Influence>,
    /// A hash of the bits of each entry; none for one that is not shared.
    hashes: Vec<Option<u64>>,
    /// The shared entry of each hash. It is looked up, never walked through.
    seen: HashMap<u64, u32, BuildHasherDefault<HashedKey>>,
}

/// Passes on a key that is a hash already.
#[derive(Clone, Copy, Debug, Default)]
struct HashedKey(u64);

impl Hasher for HashedKey {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mixed(self.0, u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A step of a multiplicative hash; the constant is the golden ratio, as in Knuth.
const fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

/// A hash of the bits of an entry: equal bits blend to equal bits.
fn hash(row: &[Influence], rule: BlendRule) -> u64 {
    let rule = [rule.mode as u64, rule.centre.x.to_bits(), rule.centre.y.to_bits(), row.len() as u64];
    let words = row.iter().flat_map(|(bone, weight)| [bone.index() as u64, weight.to_bits()]);
    rule.into_iter().chain(words).fold(0, mixed)
}

/// Where the entries of another table are, after they were added.
pub(crate) struct AddedRows {
    /// The index of each.
    pub(crate) rows: Vec<u32>,
    /// The index of its first gradient.
    pub(crate) first_gradient: u32,
}

/// The derivative of an entry along the outline.
#[derive(Clone, Copy, Debug)]
struct WeightGradient {
    row: u32,
    start: u32,
    end: u32,
    drift: Vec2,
}

impl WeightTable {
    /// The index of an entry. An empty one is for points without bones.
    pub(crate) fn add(&mut self, row: &[Influence], rule: BlendRule) -> u32 {
        // One bone is its matrix in every mode.
        let rule = if row.len() < 2 { BlendRule::new(SkinBlend::Linear) } else { rule };
        self.add_hashed(row, rule, hash(row, rule))
    }

    fn add_hashed(&mut self, row: &[Influence], rule: BlendRule, hash: u64) -> u32 {
        if let Some(found) = self.seen.get(&hash).copied() {
            if self.is(found, row, rule) {
                return found;
            }
            // Another one has this hash, so this one is not found again.
            return self.push(row, rule, Some(hash));
        }
        let added = self.push(row, rule, Some(hash));
        self.seen.insert(hash, added);
        added
    }

    /// Whether an entry has these bits.
    fn is(&self, entry: u32, row: &[Influence], rule: BlendRule) -> bool {
        let found = self.rule(entry);
        let bits = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let same = |(a, b): (&Influence, &Influence)| a.0 == b.0 && bits(a.1, b.1);
        let rules = found.mode == rule.mode
            && bits(found.centre.x, rule.centre.x)
            && bits(found.centre.y, rule.centre.y);
        rules && self.row(entry).len() == row.len() && self.row(entry).iter().zip(row).all(same)
    }

    fn push(&mut self, row: &[Influence], rule: BlendRule, hash: Option<u64>) -> u32 {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.influences.extend_from_slice(row);
        self.rules.push(rule);
        self.hashes.push(hash);
        self.starts.push(self.influences.len() as u32);
        self.starts.len() as u32 - 2
    }

    /// Adds all entries and gradients of another table: those that are shared once, as if they were added one
    /// by one.
    pub(crate) fn append(&mut self, other: &Self) -> AddedRows {
        let entries = (0..other.rules.len() as u32).zip(&other.hashes);
        let rows: Vec<u32> = entries
            .map(|(entry, hash)| match hash {
                Some(hash) => self.add_hashed(other.row(entry), other.rule(entry), *hash),
                None => self.push(other.row(entry), other.rule(entry), None),
            })
            .collect();
        let (first_gradient, first) = (self.slopes.len() as u32, self.gradient_influences.len() as u32);
        self.gradient_influences.extend_from_slice(&other.gradient_influences);
        self.slopes.extend(other.slopes.iter().map(|slope| WeightGradient {
            row: rows[slope.row as usize],
            start: slope.start + first,
            end: slope.end + first,
            drift: slope.drift,
        }));
        AddedRows { rows, first_gradient }
    }

    /// The entry of a curve sample, and its weight gradient if its weights change.
    pub(crate) fn add_sample_with_gradient(
        &mut self,
        curve_sample: &CurveSample,
        mode: SkinBlend,
    ) -> (u32, Option<u32>) {
        let row = self.add_sample(curve_sample, mode);
        (row, (!curve_sample.slopes.is_empty()).then(|| self.add_gradient(row, curve_sample)))
    }

    /// The weight gradient of a curve sample.
    pub(crate) fn add_gradient(&mut self, row: u32, curve_sample: &CurveSample) -> u32 {
        let start = self.gradient_influences.len() as u32;
        self.gradient_influences.extend_from_slice(&curve_sample.slopes);
        let end = self.gradient_influences.len() as u32;
        self.slopes.push(WeightGradient { row, start, end, drift: curve_sample.drift });
        self.slopes.len() as u32 - 1
    }

    /// An entry that is not shared: a frame may replace its blend.
    pub(crate) fn add_unshared(&mut self, row: &[Influence], rule: BlendRule) -> u32 {
        self.push(row, rule, None)
    }

    /// The entry of a curve sample without a gradient.
    pub(crate) fn add_sample(&mut self, curve_sample: &CurveSample, mode: SkinBlend) -> u32 {
        self.add(&curve_sample.row, BlendRule { mode, centre: curve_sample.centre })
    }

    pub(crate) fn row(&self, row: u32) -> &[Influence] {
        let row = row as usize;
        &self.influences[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(crate) fn rule(&self, row: u32) -> BlendRule {
        self.rules[row as usize]
    }

    /// The derivatives of the weights of a weight gradient.
    pub(crate) fn gradient(&self, slope: u32) -> &[Influence] {
        let slope = &self.slopes[slope as usize];
        &self.gradient_influences[slope.start as usize..slope.end as usize]
    }

    /// The number of matrices that a frame blends: entries, and gradients.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.rules.len(), self.slopes.len())
    }

    /// The blended matrix of each entry.
    pub(crate) fn blend_into(&self, motions: &[Motion], out: &mut Vec<[f64; 6]>) {
        out.clear();
        out.extend(self.starts.windows(2).zip(&self.rules).map(|(ends, rule)| {
            let row = &self.influences[ends[0] as usize..ends[1] as usize];
            blend(rule.mode, row, rule.centre, motions)
        }));
    }

    /// The derivative of the blended matrix for each weight gradient.
    pub(crate) fn gradients_into(&self, motions: &[Motion], out: &mut Vec<[f64; 6]>) {
        out.clear();
        out.extend(self.slopes.iter().map(|slope| {
            let by = &self.gradient_influences[slope.start as usize..slope.end as usize];
            let rule = self.rule(slope.row);
            blend_derivative(rule.mode, (self.row(slope.row), by), (rule.centre, slope.drift), motions)
        }));
    }
}

#[cfg(test)]
mod tests {
    use bone_core::BoneId;

    use super::*;

    #[test]
    fn equal_rows_are_kept_once() {
        let (a, b) = (BoneId::new(0), BoneId::new(1));
        let mut table = WeightTable::default();
        let linear = BlendRule::new(SkinBlend::Linear);
        let half = [(a, 0.5), (b, 0.5)];
        assert_eq!(
            [table.add(&half, linear), table.add(&[(b, 1.0)], linear), table.add(&half, linear)],
            [0, 1, 0]
        );
        assert_eq!(table.add(&half, BlendRule::new(SkinBlend::AreaPreserving)), 2);
        assert_eq!(
            table.add(&[(b, 1.0)], BlendRule::new(SkinBlend::AreaPreserving)),
            1,
            "one bone is the same in every mode"
        );
        assert_eq!(table.row(1), [(b, 1.0)]);
    }
}
