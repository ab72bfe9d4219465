//! Inserts and removes knots: a knot is inserted where a joint has its largest error, into the value to which
//! most of this error is attributed, and removed wherever all joints stay within the tolerance.

use kurbo::Vec2;

use super::knots::{Knot, along, between};
use super::{Fitter, RemovalOrder, add_translation, inside, keys};

impl Fitter<'_> {
    /// Whether the error of a tip exceeds the tolerance in a frame.
    pub(super) fn is_off(&self, tip: usize, frame: usize) -> bool {
        self.errors[tip][frame].hypot2() > self.tolerance * self.tolerance
    }

    /// Inserts knots until no joint exceeds the tolerance.
    pub(super) fn insert_knots(&mut self) {
        let movers = self.movers();
        for _ in 0..60 {
            // For each value and piece the frame with the largest error attributed to it.
            let mut candidates: Vec<Vec<(usize, f64, usize)>> = vec![Vec::new(); self.values.len()];
            // For each translation the frame with the largest error attributed to it.
            let mut moved = vec![(0.0, 0); self.translations.len()];
            for (tip, movers) in movers.iter().enumerate() {
                for frame in 0..self.sensitivity.frames {
                    if self.is_off(tip, frame) {
                        self.attribute_error(movers, tip, frame, &mut candidates, &mut moved);
                    }
                }
            }
            for (at, value) in self.values.iter().enumerate() {
                let Some(curve) = &value.curve else { continue };
                for piece in 0..curve.pieces() {
                    let (a, b) = curve.piece(piece);
                    let over = value.limits.and_then(|limits| outside(a, b, limits));
                    if let Some(frame) = over.or_else(|| keys::turning_point(a, b, value.negligible)) {
                        candidates[at].push((piece, f64::INFINITY, frame));
                    }
                }
            }
            let mut changed = false;
            for (translation, (part, frame)) in self.translations.iter_mut().zip(moved) {
                let old = if part > 0.0 { translation.residuals.clone() } else { Vec::new() };
                if part > 0.0 && translation.insert(frame) {
                    let change: Vec<Vec2> =
                        translation.residuals.iter().zip(&old).map(|(new, old)| *new - *old).collect();
                    add_translation(&mut self.errors, self.sensitivity, translation.track, &change);
                    changed = true;
                }
            }
            for (at, mut pieces) in candidates.into_iter().enumerate() {
                pieces.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
                pieces.dedup_by_key(|piece| piece.0);
                let Some(curve) = &self.values[at].curve else { continue };
                let frames: Vec<usize> = pieces
                    .iter()
                    .filter_map(|&(piece, _, frame)| {
                        let (a, b) = curve.piece(piece);
                        inside(a, b, frame)
                    })
                    .collect();
                changed |= !frames.is_empty();
                for frame in frames {
                    self.insert(at, frame);
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// For each measured joint the values that move it, and how.
    fn movers(&self) -> Vec<Vec<(usize, (usize, f64))>> {
        let mut movers = vec![Vec::new(); self.errors.len()];
        for (at, value) in self.values.iter().enumerate().filter(|(_, value)| value.curve.is_some()) {
            for &moved in &self.sensitivity.moved[value.track] {
                movers[moved.0].push((at, moved));
            }
        }
        movers
    }

    /// Attributes the error of a joint to the value that contributes most to it.
    fn attribute_error(
        &self,
        movers: &[(usize, (usize, f64))],
        tip: usize,
        frame: usize,
        candidates: &mut [Vec<(usize, f64, usize)>],
        moved: &mut [(f64, usize)],
    ) {
        let way = self.errors[tip][frame];
        let mut worst: Option<(usize, usize, f64)> = None;
        for &(at, moved) in movers {
            let value = &self.values[at];
            let Some(curve) = &value.curve else { continue };
            let part = (self.sensitivity.lever(value.track, moved, frame) * value.residuals[frame]).dot(way);
            if part <= worst.map_or(0.0, |worst| worst.2) {
                continue;
            }
            let piece = curve.piece_at(frame);
            // At a knot the error may be that of the piece before it.
            let before = piece.checked_sub(1).filter(|_| curve.knot(piece).frame == frame);
            let has_room = |piece: &usize| {
                let (a, b) = curve.piece(*piece);
                b.frame - a.frame >= 2
            };
            if let Some(piece) = Some(piece).into_iter().chain(before).find(has_room) {
                worst = Some((at, piece, part));
            }
        }
        // An error is attributed to a translation if that contributes more than any single rotation.
        for (at, translation) in self.translations.iter().enumerate() {
            let by = self.sensitivity.shift(translation.track, tip, frame, translation.residuals[frame]);
            let part = by.dot(way);
            let hangs = || self.sensitivity.moved[translation.track].iter().any(|moved| moved.0 == tip);
            if part > worst.map_or(0.0, |worst| worst.2) && hangs() {
                if part > moved[at].0 {
                    moved[at] = (part, frame);
                }
                return;
            }
        }
        if let Some((at, piece, part)) = worst {
            match candidates[at].last_mut().filter(|last| last.0 == piece) {
                Some(last) if last.1 >= part => {}
                Some(last) => *last = (piece, part, frame),
                None => candidates[at].push((piece, part, frame)),
            }
        }
    }

    /// Inserts a knot and updates the errors of the joints.
    fn insert(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let piece = curve.piece_at(frame);
        curve.insert(frame);
        let pieces = curve.pieces();
        let around = around(piece, 3, 5, pieces, self.take.looped);
        self.update_errors(at, &around);
    }

    /// Updates the errors of the joints for some changed pieces of a value.
    pub(super) fn update_errors(&mut self, at: usize, pieces: &[usize]) {
        let value = &mut self.values[at];
        let Some(curve) = &value.curve else { return };
        for &piece in pieces {
            let (a, b) = curve.piece(piece);
            changes_into(&mut self.changes, a, b, value.samples, &value.residuals);
            self.sensitivity.add_change(&mut self.errors, value.track, a.frame, &self.changes);
            for (residual, change) in value.residuals[a.frame..].iter_mut().zip(&self.changes) {
                *residual += *change;
            }
        }
    }

    /// Removes the keys of translations without which all joints stay within the tolerance.
    fn remove_translation_keys(&mut self) {
        for at in 0..self.translations.len() {
            let mut inner = 0;
            while inner < self.translations[at].inner_keys() {
                let translation = &self.translations[at];
                let track = translation.track;
                let fitting = translation.change_without(inner).filter(|(range, changes)| {
                    self.sensitivity.shift_stays_within(
                        &self.errors,
                        track,
                        range.start,
                        changes,
                        self.tolerance,
                    )
                });
                let Some((range, changes)) = fitting else {
                    inner += 1;
                    continue;
                };
                for &(tip, _) in &self.sensitivity.moved[track] {
                    for (frame, change) in range.clone().zip(&changes) {
                        self.errors[tip][frame] += self.sensitivity.shift(track, tip, frame, *change);
                    }
                }
                self.translations[at].remove_inner(inner, range, &changes);
            }
        }
    }

    /// Removes all knots that are not needed, in the order of their effect on the curve, smallest first.
    pub(super) fn remove_knots(&mut self) {
        if self.order == RemovalOrder::TranslationsFirst {
            self.remove_translation_keys();
        }
        for at in 0..self.values.len() {
            let Some(curve) = &self.values[at].curve else { continue };
            let mut order: Vec<(f64, usize)> = (0..curve.knots.len())
                .filter(|&knot| curve.can_remove(knot))
                .map(|knot| {
                    let (before, after) = (curve.knot(knot - 1), curve.knot(knot + 1));
                    let here = curve.knots[knot];
                    let lost = between(before, after, here.frame as f64) - here.value;
                    (lost.abs(), here.frame)
                })
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (_, frame) in order {
                self.try_removing(at, frame);
            }
        }
        if self.order == RemovalOrder::RotationsFirst {
            self.remove_translation_keys();
        }
    }

    /// Removes a knot if all joints stay within the tolerance.
    fn try_removing(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let Ok(knot) = curve.knots.binary_search_by_key(&frame, |knot| knot.frame) else { return };
        if !curve.can_remove(knot) {
            return;
        }
        let removed = curve.remove(knot);
        let pieces = curve.pieces();
        let around = around(knot, 3, 3, pieces, self.take.looped);
        // The piece that spans the removed knot fails most often, so it is checked first.
        let fits = std::iter::once(&(knot - 1)).chain(&around).all(|&piece| {
            let (a, b) = curve.piece(piece);
            let sound = value.limits.is_none_or(|limits| outside(a, b, limits).is_none())
                && keys::turning_point(a, b, value.negligible).is_none();
            sound && {
                changes_into(&mut self.changes, a, b, value.samples, &value.residuals);
                // Where the error exceeds the tolerance already, it must not grow.
                self.sensitivity.stays_within(
                    &self.errors,
                    value.track,
                    a.frame,
                    &self.changes,
                    self.tolerance,
                )
            }
        });
        if fits {
            self.update_errors(at, &around);
        } else {
            curve.restore(knot, removed);
        }
    }
}

/// The changes of the residuals of a piece, frame by frame.
fn changes_into(changes: &mut Vec<f64>, a: Knot, b: Knot, samples: &[f64], residuals: &[f64]) {
    changes.clear();
    let now = samples[a.frame..].iter().zip(&residuals[a.frame..]);
    changes.extend(now.zip(along(a, b)).map(|((sample, residual), value)| value - sample - residual));
}

/// The pieces around a piece, each once.
fn around(piece: usize, before: usize, behind: usize, pieces: usize, looped: bool) -> Vec<usize> {
    if !looped {
        return (piece.saturating_sub(before)..(piece + behind).min(pieces)).collect();
    }
    if before + behind >= pieces {
        return (0..pieces).collect();
    }
    (piece + pieces - before..piece + pieces + behind).map(|piece| piece % pieces).collect()
}

/// The frame in which a piece exceeds its limits most, if by more than rounding.
fn outside(a: Knot, b: Knot, (least, most): (f64, f64)) -> Option<usize> {
    let over = |frame: usize| {
        let value = between(a, b, frame as f64);
        (least - value).max(value - most)
    };
    let worst = (a.frame..=b.frame).fold((0.0, a.frame), |worst, frame| {
        let over = over(frame);
        if over > worst.0 { (over, frame) } else { worst }
    });
    (worst.0 > 0.05).then_some(worst.1)
}
