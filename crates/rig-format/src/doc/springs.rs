//! Spring bones as they were written.

use kurbo::Vec2;

use crate::span::{Span, Spanned};

/// Bones that lag and swing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpringDoc {
    /// Its brackets.
    pub span: Span,
    /// This bone and everything on it swings.
    pub chain: Option<Spanned<String>>,
    /// These bones swing.
    pub bones: Option<Vec<Spanned<String>>>,
    /// Swings a second.
    pub stiffness: Option<Spanned<f64>>,
    /// 0 swings on, 1 returns without swinging past.
    pub damping: Option<Spanned<f64>>,
    /// Weight of each bone against other spring bones.
    pub mass: Option<Spanned<f64>>,
    /// What pulls at the bones on the canvas, units per second squared.
    pub gravity: Option<Spanned<Vec2>>,
    /// How much of the swing is seen.
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
