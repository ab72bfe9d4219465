//! The vertices of a path, and their weights.

use crate::span::{Span, Spanned};

/// The weights of one vertex or tangent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexWeightsDoc {
    /// Which.
    pub vertex: Spanned<VertexAddress>,
    /// Its weights.
    pub weights: WeightsDoc,
}

/// Bones and how much each of them pulls.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsDoc {
    /// The map.
    pub span: Span,
    /// Bone and weight, each bone once.
    pub list: Vec<(Spanned<String>, Spanned<f64>)>,
    /// Whether every weight was readable.
    pub complete: bool,
}

impl Default for WeightsDoc {
    fn default() -> Self {
        Self { span: Span::default(), list: Vec::new(), complete: true }
    }
}

/// One point of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VertexAddress {
    /// Its number, from 0 through all subpaths.
    pub vertex: u32,
    /// Which part of it.
    pub part: VertexPart,
}

impl VertexAddress {
    /// The vertex that is written so: `3`, `3.in`, `3.out`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, part) = match text.split_once('.') {
            None => (text, VertexPart::Anchor),
            Some((number, "in")) => (number, VertexPart::In),
            Some((number, "out")) => (number, VertexPart::Out),
            Some(_) => return None,
        };
        let vertex = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(Self { vertex, part })
    }

    /// As it is written: `3`, `3.in`, `3.out`.
    pub fn show(self) -> String {
        match self.part {
            VertexPart::Anchor => self.vertex.to_string(),
            VertexPart::In => format!("{}.in", self.vertex),
            VertexPart::Out => format!("{}.out", self.vertex),
        }
    }
}

/// The parts of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum VertexPart {
    /// The vertex itself.
    #[default]
    Anchor,
    /// The tangent that arrives.
    In,
    /// The tangent that leaves.
    Out,
}
