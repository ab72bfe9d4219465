//! What a frame gives to a template, and the numbers that it comes to at each hole.
//! Refuses to write them: a text and a drawing made from the same frame must not differ.

use kurbo::{Affine, BezPath};

use crate::number;
use crate::paint::Look;
use crate::posed::Posed;
use crate::presence::Presence;
use crate::template::{Template, invert};

/// What a frame gives, as [`Template::write_present_into`] takes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The matrix in canvas space of each rigid element.
    pub rigid: &'a [Affine],
    /// The outline in canvas space of each posed path.
    pub posed: &'a [BezPath],
    /// How each posed path is painted.
    pub looks: &'a [Look],
    /// How each element stands whose presence can change.
    pub presences: &'a [Presence],
}

impl Template {
    /// The transform that takes the place of a rigid element's own, if it needs another one than at rest; and whether its
    /// matrix could be used.
    pub(crate) fn transform_at(&self, k: usize, given: &Given<'_>) -> (Option<Affine>, bool) {
        let part = &self.rigid[k];
        let moved = self.moved(k, given.rigid);
        let outer = part.outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, given.rigid));
        let written = match (moved, outer) {
            (Some(moved), Some(outer)) if moved == outer => None,
            (Some(moved), Some(outer)) => part.around_to_canvas.and_then(|(around, back)| {
                // A^-1 M_outer^-1 M A T, with A the space around the element and T its own transform.
                Some(back * invert(outer)? * moved * around * part.own)
                    .filter(|all| number::is_writable(*all))
            }),
            _ => None,
        };
        let still = moved.is_some() && moved == outer && given.rigid.get(k) == moved.as_ref();
        (written, written.is_some() || still)
    }

    /// The matrix that a rigid element really moves by. One that cannot be used moves as what is around it does.
    fn moved(&self, k: usize, matrices: &[Affine]) -> Option<Affine> {
        match matrices.get(k) {
            Some(matrix) if number::is_writable(*matrix) => Some(*matrix),
            _ => self.rigid[k].outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, matrices)),
        }
    }

    /// The transform of a gradient or pattern, if it is another one than at rest.
    pub(crate) fn server_at(&self, k: usize, given: &Given<'_>) -> Option<Affine> {
        let server = &self.paint.servers[k];
        let part = &self.posed[server.path];
        let paint = given.looks.get(part.outline)?.paint?;
        // (M_outer A)^-1 P A: what P is in the path's own space.
        let local = self.to_local(part, given.rigid)? * paint * part.to_canvas;
        let all = local * server.own;
        // A flat gradient is not drawn at all; one that does not move keeps its text.
        let usable = number::is_writable(all) && invert(local).is_some() && !is_still(local);
        usable.then_some(all)
    }

    /// How many times as long as at rest the lengths of a stroke are, if they are others.
    pub(crate) fn lengths_at(&self, k: usize, given: &Given<'_>) -> Option<f64> {
        let lengths = &self.paint.lengths[k];
        let part = &self.posed[lengths.path];
        let wanted = given.looks.get(part.outline)?.stroke?;
        let outer = part.inside;
        // What is around the path scales its stroke already.
        let around = outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, given.rigid))?;
        let scale = wanted / around.determinant().abs().sqrt();
        let usable = scale.is_finite() && scale >= 0.0 && (scale - 1.0).abs() > 1e-9;
        (usable && lengths.is_writable(scale)).then_some(scale)
    }

    /// (M_outer A)^-1: from canvas space back under the matrix that moves what is around the path.
    fn to_local(&self, part: &Posed, matrices: &[Affine]) -> Option<Affine> {
        let moved = part.inside.map_or(Some(Affine::IDENTITY), |inside| self.moved(inside, matrices))?;
        Some(part.to_local? * invert(moved)?)
    }

    /// The outline of a place and the matrix into its own space. None if it could not be used and the one at rest stands.
    pub(crate) fn data_at<'a>(&self, k: usize, given: &Given<'a>) -> Option<(Affine, &'a BezPath)> {
        let part = &self.posed[k];
        let (to_local, path) = (self.to_local(part, given.rigid)?, given.posed.get(part.outline)?);
        number::is_path_writable(path, to_local).then_some((to_local, path))
    }

    /// The region of a mask or filter, if it is another one than at rest.
    pub(crate) fn region_at(&self, k: usize, given: &Given<'_>) -> Option<[f64; 4]> {
        let region = &self.cuts.regions[k];
        let extent = &self.cuts.extents[region.extent];
        region.at(extent, given.posed, |outer| self.moved(outer, given.rigid))
    }
}

/// Whether a matrix moves nothing, but for rounding: paint at rest keeps its text to the letter.
fn is_still(affine: Affine) -> bool {
    let still = Affine::IDENTITY.as_coeffs();
    let mut differences = affine.as_coeffs().into_iter().zip(still).map(|(a, b)| (a - b).abs());
    differences.by_ref().take(4).all(|d| d < 1e-11) && differences.all(|d| d < 1e-8)
}
