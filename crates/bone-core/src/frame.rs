//! The world transform of a bone from its parent's frame: one rule, for the setup pose and for animated ones.

use bone_archive::{archive, words};
use kurbo::{Affine, Vec2};

use crate::{Angle, BonePose};

words! {
    /// What a bone inherits from its parent's frame. Its origin follows the parent in every mode.
    ///
    /// With `A` the linear part of the parent's matrix and `beta` the sum of the angles that led to it, the
    /// child's frame starts from `A`, from `R(beta)`, from `R(-beta) A` or from the identity. The same rule gives
    /// the setup matrices and the animated ones, so the setup pose moves nothing.
    #[non_exhaustive]
    pub enum Inherit {
        /// Everything: rotation, scale, and the shear that results from both.
        #[default]
        All = 0,
        /// The rotation only.
        NoScale = 1,
        /// The scale only, as if the parent had not rotated.
        NoRotation = 2,
        /// Neither: the bone keeps its own angle on the canvas; only its origin follows.
        TranslationOnly = 3,
    }
}

/// A constant transform between a bone and its changed parent, so that the bone does not jump.
///
/// Positions and directions are separate because a parent's stretch moves its children without rotating or
/// scaling them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebase {
    /// Applied to the child's origin, before the parent's (stretched) frame.
    pub place: Affine,
    /// Applied to the child's axes; only its linear part counts.
    pub axes: Affine,
    /// The rotation of `axes`, not wrapped.
    pub turn: Angle,
}

impl Rebase {
    /// The bone's values are read in the new parent's frame without change.
    pub const NONE: Self = Self { place: Affine::IDENTITY, axes: Affine::IDENTITY, turn: Angle::ZERO };
}

/// A bone's local transform with its sine and cosine.
pub(crate) struct Local {
    origin: Vec2,
    angle: Angle,
    sin: f64,
    cos: f64,
    scale: Vec2,
}

impl Local {
    #[inline]
    pub(crate) fn new(pose: &BonePose) -> Self {
        let (sin, cos) = pose.angle.sin_cos();
        Self::with_sin_cos(pose, sin, cos)
    }

    #[inline(always)]
    pub(crate) fn with_sin_cos(pose: &BonePose, sin: f64, cos: f64) -> Self {
        Self { origin: pose.origin, angle: pose.angle, sin, cos, scale: pose.scale }
    }

    /// `R(a) S(s)`, at a position.
    #[inline(always)]
    fn at(&self, x: f64, y: f64) -> Affine {
        let (sx, sy) = (self.scale.x, self.scale.y);
        Affine::new([self.cos * sx, self.sin * sx, -self.sin * sy, self.cos * sy, x, y])
    }
}

/// A parent's frame as its children use it: for their origins, and for their axes.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Maps a child's origin to the canvas: `W K`, the parent's matrix after its stretch.
    pub(crate) place: Affine,
    /// W; its linear part is what a child may inherit.
    pub(crate) axes: Affine,
    /// The sum of the angles that led here.
    pub(crate) beta: Angle,
}

impl Frame {
    /// The canvas itself, the parent of roots.
    pub(crate) const CANVAS: Self =
        Self { place: Affine::IDENTITY, axes: Affine::IDENTITY, beta: Angle::ZERO };

    #[inline]
    pub(crate) fn at_rest(world: Affine, beta: Angle) -> Self {
        Self { place: world, axes: world, beta }
    }

    #[inline(always)]
    pub(crate) fn stretched(world: Affine, beta: Angle, stretch: f64) -> Self {
        let [a, b, c, d, e, f] = world.as_coeffs();
        Self { place: Affine::new([a * stretch, b * stretch, c, d, e, f]), axes: world, beta }
    }

    pub(crate) fn rebased(&self, by: &Rebase) -> Self {
        Self { place: self.place * by.place, axes: self.axes * by.axes, beta: self.beta + by.turn }
    }

    /// The linear part that a child with this mode starts from, and its angle.
    #[inline]
    pub(crate) fn inherited(&self, inherit: Inherit) -> (Affine, Angle) {
        match inherit {
            Inherit::All => (linear(self.axes), self.beta),
            Inherit::NoScale => (self.beta.rotation(), self.beta),
            Inherit::NoRotation => ((-self.beta).rotation() * linear(self.axes), Angle::ZERO),
            Inherit::TranslationOnly => (Affine::IDENTITY, Angle::ZERO),
        }
    }
}

/// The matrix without its translation.
pub(crate) fn linear(matrix: Affine) -> Affine {
    matrix.with_translation(Vec2::ZERO)
}

/// A bone's matrix on the canvas and its angle there. The same rule for setup and animation.
#[inline(always)]
pub(crate) fn local_frame(parent: Option<&Frame>, inherit: Inherit, local: &Local) -> (Affine, Angle) {
    let Some(parent) = parent else {
        return (local.at(local.origin.x, local.origin.y), local.angle);
    };
    if inherit == Inherit::All {
        return inherit_all(parent, local);
    }
    let at = parent.place * local.origin.to_point();
    let (axes, beta) = parent.inherited(inherit);
    ((axes * local.at(0.0, 0.0)).with_translation(at.to_vec2()), beta + local.angle)
}

#[inline(always)]
fn inherit_all(parent: &Frame, local: &Local) -> (Affine, Angle) {
    let [a, b, c, d, ..] = parent.axes.as_coeffs();
    let [pa, pb, pc, pd, pe, pf] = parent.place.as_coeffs();
    let [la, lb, lc, ld, x, y] = local.at(local.origin.x, local.origin.y).as_coeffs();
    let world = Affine::new([
        a * la + c * lb,
        b * la + d * lb,
        a * lc + c * ld,
        b * lc + d * ld,
        pa * x + pc * y + pe,
        pb * x + pd * y + pf,
    ]);
    (world, parent.beta + local.angle)
}
archive!(struct Rebase { place, axes, turn });
