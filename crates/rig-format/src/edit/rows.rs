//! Weight rows as they are written: rounded so that the numbers sum to 1, and what a binding lists of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::{BoneId, Skeleton};
use bone_skin::{BoneWeights, VertexWeights};

use crate::doc::{VertexAddress, VertexPart};
use crate::session::DocValue;

/// Weights are written in so many parts: four digits.
const PARTS: f64 = 10_000.0;

/// A row in whole parts that sum to all of them: rounded down, and what is missing given to those that lost
/// most, of equals to the first.
fn parts(row: &BoneWeights) -> Vec<(BoneId, u32)> {
    let exact = || row.influences().iter().map(|(bone, weight)| (*bone, weight * PARTS));
    let mut parts: Vec<(BoneId, u32)> = exact().map(|(bone, part)| (bone, part as u32)).collect();
    let given: u32 = parts.iter().map(|(_, part)| part).sum();
    let mut lost: Vec<(usize, f64)> = exact().map(|(_, part)| part.fract()).enumerate().collect();
    lost.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let missing = (PARTS as u32).saturating_sub(given) as usize;
    for (i, _) in lost.into_iter().take(missing) {
        parts[i].1 += 1;
    }
    parts.retain(|(_, part)| *part > 0);
    parts
}

/// The row as it is read back after it was written.
pub(super) fn rounded(row: &BoneWeights) -> BoneWeights {
    let typed = parts(row).into_iter().map(|(bone, part)| (bone, f64::from(part) / PARTS));
    BoneWeights::new(typed).unwrap_or_else(|_| row.clone())
}

/// All rows of a vertex as they are read back.
pub(super) fn rounded_vertex(vertex: &VertexWeights) -> VertexWeights {
    VertexWeights {
        anchor: rounded(&vertex.anchor),
        tangent_in: vertex.tangent_in.as_ref().map(rounded),
        tangent_out: vertex.tangent_out.as_ref().map(rounded),
    }
}

/// Whether two rows are written alike.
pub(super) fn written_alike(a: &BoneWeights, b: &BoneWeights) -> bool {
    parts(a) == parts(b)
}

/// The tangents, arriving and leaving, whose weights are typed. One that is as its anchor is typed only where
/// the other is, too, or has none: a vertex without any would get a slope from its neighbours.
pub(super) fn typed_tangents(vertex: &VertexWeights) -> [Option<&BoneWeights>; 2] {
    let all = [vertex.tangent_in.as_ref(), vertex.tangent_out.as_ref()];
    let own = all.map(|row| row.filter(|row| !written_alike(row, &vertex.anchor)));
    match (own, all) {
        ([None, None], [_, Some(out)]) => [None, Some(out)],
        ([None, None], _) => all,
        (own, _) => own,
    }
}

/// `{"hip": 0.6, "chest": 0.4}`.
pub(super) fn written(row: &BoneWeights, skeleton: &Skeleton) -> DocValue {
    // A whole number over 10,000 is shown with at most four digits.
    let weight = |(bone, part)| (skeleton.name(bone), DocValue::Number(f64::from(part) / PARTS));
    DocValue::map(parts(row).into_iter().map(weight))
}

/// The rows of a whole path by their vertices, and that of all vertices that are not listed: the commonest, if it
/// is there twice.
pub(super) fn listed(rows: &[VertexWeights], skeleton: &Skeleton) -> (DocValue, Option<DocValue>) {
    let mut counts: BTreeMap<_, (usize, Reverse<usize>)> = BTreeMap::new();
    for (place, vertex) in rows.iter().enumerate() {
        counts.entry(parts(&vertex.anchor)).or_insert((0, Reverse(place))).0 += 1;
    }
    let commonest = counts.into_values().filter(|(count, _)| *count > 1).max();
    let others = commonest.map(|(_, Reverse(place))| &rows[place].anchor);
    let is_listed = |row: &&BoneWeights| others.is_none_or(|others| !written_alike(row, others));
    let entries = (0..).zip(rows).flat_map(|(vertex, weights)| {
        let [arriving, leaving] = typed_tangents(weights);
        let anchor = Some(&weights.anchor).filter(is_listed);
        let rows = [(VertexPart::Anchor, anchor), (VertexPart::In, arriving), (VertexPart::Out, leaving)];
        rows.into_iter().filter_map(move |(part, row)| {
            Some((VertexAddress { vertex, part }.into(), written(row?, skeleton)))
        })
    });
    (DocValue::Map(Arc::new(entries.collect())), others.map(|row| written(row, skeleton)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::{BoneSpec, SkeletonBuilder};

    fn row(weights: &[f64]) -> BoneWeights {
        BoneWeights::new(weights.iter().enumerate().map(|(b, w)| (BoneId::new(b as u32), *w)))
            .expect("weights")
    }

    #[test]
    fn written_weights_sum_to_one() {
        let skeleton = SkeletonBuilder::new()
            .bone(BoneSpec::new("a", 1.0))
            .bone(BoneSpec::new("b \"2\"", 1.0))
            .bone(BoneSpec::new("c", 1.0))
            .build()
            .expect("bones");
        let text = |weights: &[f64]| written(&row(weights), &skeleton).to_string();
        assert_eq!(text(&[1.0, 1.0, 1.0]), r#"{"a": 0.3334, "b \"2\"": 0.3333, "c": 0.3333}"#);
        assert_eq!(text(&[0.0, 7.0, 0.0]), r#"{"b \"2\"": 1}"#);
        assert_eq!(text(&[0.00004, 0.99996, 0.0]), r#"{"b \"2\"": 1}"#);
        assert_eq!(text(&[0.5, 0.0, 0.5]), r#"{"a": 0.5, "c": 0.5}"#);
        let once = rounded(&row(&[0.1, 0.7, 0.123_456]));
        assert_eq!(rounded(&once), once);
    }
}
