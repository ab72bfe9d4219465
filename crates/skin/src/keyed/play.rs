//! Keyed weights in a frame: computed anew and blended.

use kurbo::{Point, Vec2};

use super::tracks::PlayedWeights;
use crate::blend::{Motion, blend, blend_derivative};
use crate::posed::PosedDrawing;
use crate::skin::Skin;

/// Replaces the blends of weights at rest by those of keyed weights. What is not keyed stays as it is.
pub(crate) fn blend_keyed<'w>(
    skin: &Skin,
    motions: &[Motion],
    played: impl Iterator<Item = PlayedWeights<'w>> + Clone,
    posed: &mut PosedDrawing,
) {
    let PosedDrawing { scratch, blended, slopes, .. } = posed;
    for (at, (_, path)) in skin.keyed.iter().enumerate() {
        path.reset(scratch);
        let mut is_played = false;
        for played in played.clone() {
            is_played |= played.add_to(at, path, scratch);
        }
        if !is_played {
            continue;
        }
        path.settle(scratch);
        for own in &path.rows {
            path.fill_row(own.from, scratch);
            // Modes with centres of rotation are an error when a path is bound.
            blended[own.row as usize] = blend(path.mode, &scratch.row, Point::ZERO, motions);
            if let Some(slope) = own.slope {
                let row = (&*scratch.row, &*scratch.changes);
                slopes[slope as usize] = blend_derivative(path.mode, row, (Point::ZERO, Vec2::ZERO), motions);
            }
        }
    }
}
