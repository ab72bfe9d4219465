//! Which bones a piece of art follows: those that pass through it, else the one that is nearest to it.

use kurbo::{Line, ParamCurveNearest, Point, Rect};

use super::art::{Piece, SPANNING, Shape, share_of};
use super::bones::Found;

/// A bone passes through art if so much of it lies there.
const THROUGH: f64 = 0.5;
/// Bones lie on each other if their ends are within this share of their length.
const SAME: f64 = 0.01;

/// How a piece of art is bound.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum How {
    /// It rides along.
    Rigid(usize),
    /// It bends with these.
    Smooth(Vec<usize>),
    /// Not at all: why.
    Not(String),
}

/// Whether a bone passes through shapes.
pub(super) fn has_bone(shapes: &[Shape], bones: &[Found]) -> bool {
    bones.iter().any(|bone| share_of(shapes, bone.from, bone.to) >= THROUGH)
}

/// With one bone everything rides along.
pub(super) fn to_one(piece: &Piece) -> How {
    if piece.background { How::Not("it fills the page".to_owned()) } else { How::Rigid(0) }
}

/// Art follows the bones that pass through it, else the one that touches it most, else the nearest one. Where
/// one piece is all art, it follows all bones that touch it.
pub(super) fn to_bones(piece: &Piece, bones: &[Found], canvas: Rect) -> How {
    if piece.background {
        return How::Not("it fills the page".to_owned());
    }
    let Some(bounds) = piece.bounds else {
        return match bones.len() {
            1 => How::Rigid(0),
            _ => How::Not("its place is not known, as it has no outline: name its bone".to_owned()),
        };
    };
    let shares: Vec<f64> = bones.iter().map(|bone| share_of(&piece.shapes, bone.from, bone.to)).collect();
    let least = if piece.all { f64::MIN_POSITIVE } else { THROUGH };
    let through: Vec<usize> = (0..bones.len()).filter(|bone| shares[*bone] >= least).collect();
    let through = without_copies(through, bones);
    match through.as_slice() {
        [one] => How::Rigid(*one),
        // Ground and sky.
        [] if !piece.all && bounds.width() >= SPANNING * canvas.width() => {
            How::Not("it spans the page, and no bone passes through it".to_owned())
        }
        [] => {
            let touched = (0..bones.len()).filter(|bone| shares[*bone] > 0.0);
            let most = touched.max_by(|a, b| shares[*a].total_cmp(&shares[*b]).then(b.cmp(a)));
            let all: Vec<usize> = (0..bones.len()).collect();
            How::Rigid(most.unwrap_or_else(|| nearest(Some(bounds), &all, bones)))
        }
        [first, ..] if !piece.bends => How::Rigid(*first),
        _ => How::Smooth(through),
    }
}

/// Of some bones the one that is nearest to the middle of a box; the first without a box.
pub(super) fn nearest(bounds: Option<Rect>, among: &[usize], bones: &[Found]) -> usize {
    let distance = |bone: &usize| {
        let line = Line::new(bones[*bone].from, bones[*bone].to);
        bounds.map_or(0.0, |bounds| line.nearest(bounds.center(), 1e-6).distance_sq)
    };
    let near = among.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    near.unwrap_or_default()
}

/// Bones without those that lie on one before them: two on one place would share all that they hold.
fn without_copies(list: Vec<usize>, bones: &[Found]) -> Vec<usize> {
    let same = |a: &Found, b: &Found| {
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
