//! Chooses the bones that a piece of art follows: those that pass through it, or else the nearest one.

use kurbo::{Line, ParamCurveNearest, Point, Rect};

use super::art::{ArtPiece, SPANNING, Shape, share_of};
use super::bones::GuideBone;

/// A bone passes through art if at least this share of it lies there.
const THROUGH: f64 = 0.5;
/// Bones are duplicates if their ends are within this share of their length.
const SAME: f64 = 0.01;

/// How a piece of art is bound.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PieceBinding {
    /// It moves rigidly with one bone.
    Rigid(usize),
    /// It is deformed by these bones.
    Smooth(Vec<usize>),
    /// It is not bound, for this reason.
    Not(String),
}

/// The bones that pass through shapes.
pub(super) fn bones_in(shapes: &[Shape], bones: &[GuideBone]) -> Vec<usize> {
    let passes = |bone: &usize| share_of(shapes, bones[*bone].from, bones[*bone].to) >= THROUGH;
    (0..bones.len()).filter(passes).collect()
}

/// With one bone everything moves rigidly with it.
pub(super) fn to_one(piece: &ArtPiece) -> PieceBinding {
    if piece.background { PieceBinding::Not("it fills the page".to_owned()) } else { PieceBinding::Rigid(0) }
}

/// Art follows the bones that pass through it, or else the one with the largest share in it, or else the
/// nearest one. If there is only one piece of art, it follows all bones that touch it.
pub(super) fn to_bones(piece: &ArtPiece, bones: &[GuideBone], canvas: Rect) -> PieceBinding {
    if piece.background {
        return PieceBinding::Not("it fills the page".to_owned());
    }
    let Some(bounds) = piece.bounds else {
        return match bones.len() {
            1 => PieceBinding::Rigid(0),
            _ => PieceBinding::Not("its place is not known, as it has no outline: name its bone".to_owned()),
        };
    };
    let shares: Vec<f64> = bones.iter().map(|bone| share_of(&piece.shapes, bone.from, bone.to)).collect();
    let least = if piece.all { f64::MIN_POSITIVE } else { THROUGH };
    let through: Vec<usize> = (0..bones.len()).filter(|bone| shares[*bone] >= least).collect();
    let through = without_duplicates(through, bones);
    match through.as_slice() {
        [one] => PieceBinding::Rigid(*one),
        // Ground and sky.
        [] if !piece.all && bounds.width() >= SPANNING * canvas.width() => {
            PieceBinding::Not("it spans the page, and no bone passes through it".to_owned())
        }
        [] => {
            let touched = (0..bones.len()).filter(|bone| shares[*bone] > 0.0);
            let most = touched.max_by(|a, b| shares[*a].total_cmp(&shares[*b]).then(b.cmp(a)));
            let all: Vec<usize> = (0..bones.len()).collect();
            PieceBinding::Rigid(most.unwrap_or_else(|| nearest(Some(bounds), &all, bones)))
        }
        [first, ..] if !piece.bends => PieceBinding::Rigid(*first),
        _ => PieceBinding::Smooth(through),
    }
}

/// The bone that is nearest to the middle of a box; the first bone if there is no box.
pub(super) fn nearest(bounds: Option<Rect>, among: &[usize], bones: &[GuideBone]) -> usize {
    let distance = |bone: &usize| {
        let line = Line::new(bones[*bone].from, bones[*bone].to);
        bounds.map_or(0.0, |bounds| line.nearest(bounds.center(), 1e-6).distance_sq)
    };
    let near = among.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    near.unwrap_or_default()
}

/// Bones without duplicates: two bones in one place would share all influence.
fn without_duplicates(list: Vec<usize>, bones: &[GuideBone]) -> Vec<usize> {
    let same = |a: &GuideBone, b: &GuideBone| {
        let near = |p: Point, q: Point| (p - q).hypot() <= SAME * (a.to - a.from).hypot();
        near(a.from, b.from) && near(a.to, b.to) || near(a.from, b.to) && near(a.to, b.from)
    };
    let mut kept: Vec<usize> = Vec::with_capacity(list.len());
    for bone in list {
        if !kept.iter().any(|before| same(&bones[*before], &bones[bone])) {
            kept.push(bone);
        }
    }
    kept
}
