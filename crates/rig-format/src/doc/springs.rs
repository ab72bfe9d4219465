//! Spring bones as they were written.

use kurbo::Vec2;

use crate::span::{Span, Spanned};

/// Secondary motion: bones that follow the motion of their parents like springs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpringDoc {
    /// Its brackets.
    pub span: Span,
    /// This bone and all its descendants.
    pub chain: Option<Spanned<String>>,
    /// These bones.
    pub bones: Option<Vec<Spanned<String>>>,
    /// Oscillations per second.
    pub stiffness: Option<Spanned<f64>>,
    /// 0: no damping; 1: critical damping, without overshoot.
    pub damping: Option<Spanned<f64>>,
    /// Mass of each bone relative to other spring bones.
    pub mass: Option<Spanned<f64>>,
    /// Acceleration on the canvas, units per second squared.
    pub gravity: Option<Spanned<Vec2>>,
    /// The share of the spring motion, from 0 to 1.
    pub mix: Option<Spanned<f64>>,
    /// Whether every part was readable.
    pub complete: bool,
}

impl SpringDoc {
    /// Every name that is written.
    pub fn names(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.chain.iter().chain(self.bones.iter().flatten())
    }
}
