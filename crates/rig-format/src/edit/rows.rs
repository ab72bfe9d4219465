//! Weight rows as text: rounded so that the written numbers sum to 1, laid out so that people can read it.

use std::collections::BTreeMap;

use bone_core::{BoneId, Skeleton};
use bone_skin::{BoneWeights, VertexWeights};

use super::text::Style;
use crate::doc::{VertexAddress, VertexPart};
use crate::write::quoted;

/// Weights are written in so many parts: four digits.
const PARTS: f64 = 10_000.0;
/// Lines are no longer than this, unless one entry is.
const WIDTH: usize = 110;

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
pub(super) fn row_text(row: &BoneWeights, skeleton: &Skeleton) -> String {
    let weight = |(bone, part): (BoneId, u32)| {
        // A whole number over 10,000 is shown with at most four digits.
        format!("{}: {}", quoted(skeleton.name(bone)), f64::from(part) / PARTS)
    };
    format!("{{{}}}", parts(row).into_iter().map(weight).collect::<Vec<_>>().join(", "))
}

/// An entry of the map of weights.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowEntry {
    pub(super) address: VertexAddress,
    pub(super) row: String,
    /// Whether it follows one bone alone.
    pub(super) single: bool,
}

impl RowEntry {
    pub(super) fn new(vertex: usize, part: VertexPart, row: &BoneWeights, skeleton: &Skeleton) -> Self {
        let address = VertexAddress { vertex: u32::try_from(vertex).unwrap_or(u32::MAX), part };
        Self { address, row: row_text(row, skeleton), single: parts(row).len() == 1 }
    }

    fn text(&self) -> String {
        match self.address.part {
            VertexPart::Anchor => format!("{}: {}", self.address.show(), self.row),
            _ => format!("\"{}\": {}", self.address.show(), self.row),
        }
    }
}

/// The entries of a whole path, and the row of all vertices that are not listed: the commonest, if it is
/// there twice.
pub(super) fn entries(rows: &[VertexWeights], skeleton: &Skeleton) -> (Vec<RowEntry>, Option<String>) {
    let mut all: Vec<RowEntry> = Vec::new();
    for (vertex, weights) in rows.iter().enumerate() {
        all.push(RowEntry::new(vertex, VertexPart::Anchor, &weights.anchor, skeleton));
        let tangents = [VertexPart::In, VertexPart::Out].into_iter().zip(typed_tangents(weights));
        all.extend(tangents.filter_map(|(part, row)| Some(RowEntry::new(vertex, part, row?, skeleton))));
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (place, entry) in all.iter().enumerate().filter(|(_, entry)| entry.address.part == VertexPart::Anchor)
    {
        counts.entry(&entry.row).or_insert((0, place)).0 += 1;
    }
    let commonest = counts.into_iter().filter(|(_, (count, _))| *count > 1);
    let commonest = commonest.max_by_key(|(_, (count, place))| (*count, std::cmp::Reverse(*place)));
    let others = commonest.map(|(row, _)| row.to_owned());
    all.retain(|entry| entry.address.part != VertexPart::Anchor || Some(&entry.row) != others.as_ref());
    (all, others)
}

/// Entries in lines: a vertex with its tangents begins a line, vertices that follow one bone alone share
/// lines. Each line begins with the indentation and ends with a comma.
pub(super) fn lines(entries: &[RowEntry], indent: &str, style: &Style) -> String {
    let mut out = String::new();
    let mut width = 0;
    let mut plain_line = false;
    let mut vertex = None;
    for entry in entries {
        let text = entry.text();
        let plain = entry.single && entry.address.part == VertexPart::Anchor;
        let stays = (vertex == Some(entry.address.vertex) && !plain_line) || (plain && plain_line);
        let length = text.chars().count() + 1;
        if stays && width + 1 + length <= WIDTH {
            out.push(' ');
            width += 1;
        } else {
            if vertex.is_some() {
                out.push_str(style.newline);
            }
            out.push_str(indent);
            width = indent.chars().count();
            plain_line = plain;
        }
        out.push_str(&text);
        out.push(',');
        width += length;
        vertex = Some(entry.address.vertex);
    }
    if vertex.is_some() {
        out.push_str(style.newline);
    }
    out
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
        let text = |weights: &[f64]| row_text(&row(weights), &skeleton);
        assert_eq!(text(&[1.0, 1.0, 1.0]), r#"{"a": 0.3334, "b \"2\"": 0.3333, "c": 0.3333}"#);
        assert_eq!(text(&[0.0, 7.0, 0.0]), r#"{"b \"2\"": 1}"#);
        assert_eq!(text(&[0.00004, 0.99996, 0.0]), r#"{"b \"2\"": 1}"#);
        assert_eq!(text(&[0.5, 0.0, 0.5]), r#"{"a": 0.5, "c": 0.5}"#);
        let once = rounded(&row(&[0.1, 0.7, 0.123_456]));
        assert_eq!(rounded(&once), once);
    }
}
