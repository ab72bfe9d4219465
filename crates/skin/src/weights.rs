//! Vertex weights: the influence of each bone on a point. They are normalised when they are made.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use bone_core::{BoneId, in_few_digits};

/// The bones that a point follows, with weights whose sum is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneWeights {
    /// Sorted by bone, without zeros and duplicates.
    influences: Vec<(BoneId, f64)>,
}

impl BoneWeights {
    /// Weight 1 for one bone.
    pub fn one(bone: BoneId) -> Self {
        Self { influences: vec![(bone, 1.0)] }
    }

    /// Several bones; weights are divided by their sum, and those of a bone that occurs twice are added.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or all are 0.
    pub fn new(weights: impl IntoIterator<Item = (BoneId, f64)>) -> Result<Self, WeightError> {
        let mut sums = BTreeMap::new();
        for (bone, weight) in weights {
            if !weight.is_finite() {
                return Err(WeightError::NotANumber { bone });
            }
            if weight < 0.0 {
                return Err(WeightError::Negative { bone, weight });
            }
            *sums.entry(bone).or_insert(0.0) += weight;
        }
        sums.retain(|_, weight| *weight > 0.0);
        let total: f64 = sums.values().sum();
        // If their sum overflows, weights are first multiplied by a power of two.
        let (total, unit) = if total.is_finite() {
            (total, 1.0)
        } else {
            let unit = 2.0_f64.powi(-64);
            (sums.values().map(|w| w * unit).sum(), unit)
        };
        if sums.is_empty() {
            return Err(WeightError::Nothing);
        }
        Ok(Self { influences: sums.into_iter().map(|(bone, w)| (bone, w * unit / total)).collect() })
    }

    /// Bones and weights, sorted by bone.
    pub fn influences(&self) -> &[(BoneId, f64)] {
        &self.influences
    }
}

/// Weights that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WeightError {
    /// No bone, or all weights are 0.
    Nothing,
    /// A weight below 0.
    Negative {
        /// The bone.
        bone: BoneId,
        /// The given weight.
        weight: f64,
    },
    /// A weight that is NaN or infinite.
    NotANumber {
        /// The bone.
        bone: BoneId,
    },
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "the sum of the weights is 0"),
            Self::Negative { bone, weight } => {
                write!(f, "the weight {} of {bone:?} is negative", in_few_digits(*weight))
            }
            Self::NotANumber { bone } => write!(f, "the weight of {bone:?} is not a number"),
        }
    }
}

impl Error for WeightError {}

/// The weights of a vertex: of the anchor, and of the tangents where they differ.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexWeights {
    /// Those of the anchor.
    pub anchor: BoneWeights,
    /// Those of the arriving handle, if it does not follow the anchor.
    pub tangent_in: Option<BoneWeights>,
    /// Those of the leaving handle, if it does not follow the anchor.
    pub tangent_out: Option<BoneWeights>,
}

impl VertexWeights {
    /// Tangents that follow their anchor.
    pub fn new(anchor: BoneWeights) -> Self {
        Self { anchor, tangent_in: None, tangent_out: None }
    }
}

/// The bones of all weights, sorted, without duplicates.
pub(crate) fn bones_of<'r>(rows: impl Iterator<Item = &'r BoneWeights>) -> Vec<BoneId> {
    let mut bones: Vec<BoneId> =
        rows.flat_map(|row| row.influences().iter().map(|(bone, _)| *bone)).collect();
    bones.sort_unstable();
    bones.dedup();
    bones
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(i: u32) -> BoneId {
        BoneId::new(i)
    }

    #[test]
    fn weights_are_normalised_or_an_error() {
        let row = BoneWeights::new([(bone(3), 3.0), (bone(1), 1.0), (bone(2), 0.0), (bone(1), 4.0)]);
        assert_eq!(row.expect("weights").influences(), [(bone(1), 0.625), (bone(3), 0.375)]);
        assert_eq!(BoneWeights::new([(bone(7), 1e-300)]), Ok(BoneWeights::one(bone(7))));
        let huge = BoneWeights::new([(bone(0), f64::MAX), (bone(1), f64::MAX)]).expect("weights");
        assert_eq!(huge.influences(), [(bone(0), 0.5), (bone(1), 0.5)]);
        assert_eq!(BoneWeights::new([]), Err(WeightError::Nothing));
        assert_eq!(BoneWeights::new([(bone(0), 0.0)]), Err(WeightError::Nothing));
        assert!(matches!(BoneWeights::new([(bone(0), f64::NAN)]), Err(WeightError::NotANumber { .. })));
        assert!(matches!(BoneWeights::new([(bone(0), -1.0)]), Err(WeightError::Negative { .. })));
    }
}
