//! Where keys are needed and where not: nodes go where joints are off most, into the values that are most to blame, and are taken away
//! wherever all joints stay near enough.

use kurbo::Vec2;

use super::nodes::{Node, along, between};
use super::{LONG, Work, carry_shift, inside, written};

impl Work<'_> {
    /// Whether any joint that a track moves is too far off in a frame.
    fn is_off(&self, tip: usize, frame: usize) -> bool {
        self.off[tip][frame].hypot2() > self.tolerance * self.tolerance
    }

    /// Puts nodes where joints are off most, into the values that are most to blame, until none is off too far.
    pub(super) fn blame(&mut self) {
        let movers = self.movers();
        for _ in 0..60 {
            // Of each value and piece the worst frame that it is to blame for.
            let mut wanted: Vec<Vec<(usize, f64, usize)>> = vec![Vec::new(); self.values.len()];
            // Of each place the worst frame.
            let mut moved = vec![(0.0, 0); self.shifts.len()];
            for (tip, movers) in movers.iter().enumerate() {
                for frame in 0..self.places.frames {
                    if self.is_off(tip, frame) {
                        self.accuse(movers, tip, frame, &mut wanted, &mut moved);
                    }
                }
            }
            for (at, value) in self.values.iter().enumerate() {
                let Some(curve) = &value.curve else { continue };
                for piece in 0..curve.pieces() {
                    let (a, b) = curve.piece(piece);
                    let over = value.limits.and_then(|limits| outside(a, b, limits));
                    if let Some(frame) = over.or_else(|| written::turning_point(a, b, value.slight)) {
                        wanted[at].push((piece, f64::INFINITY, frame));
                    }
                }
            }
            let mut changed = false;
            for (shift, (part, frame)) in self.shifts.iter_mut().zip(moved) {
                let old = if part > 0.0 { shift.misses.clone() } else { Vec::new() };
                if part > 0.0 && shift.insert(frame) {
                    let change: Vec<Vec2> =
                        shift.misses.iter().zip(&old).map(|(new, old)| *new - *old).collect();
                    carry_shift(&mut self.off, self.places, shift.track, &change);
                    changed = true;
                }
            }
            for (at, mut pieces) in wanted.into_iter().enumerate() {
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

    /// Of each measured joint the values that move it, and how.
    fn movers(&self) -> Vec<Vec<(usize, (usize, f64))>> {
        let mut movers = vec![Vec::new(); self.off.len()];
        for (at, value) in self.values.iter().enumerate().filter(|(_, value)| value.curve.is_some()) {
            for &moved in &self.places.moved[value.track] {
                movers[moved.0].push((at, moved));
            }
        }
        movers
    }

    /// Finds the value that is most to blame for a joint, and notes it.
    fn accuse(
        &self,
        movers: &[(usize, (usize, f64))],
        tip: usize,
        frame: usize,
        wanted: &mut [Vec<(usize, f64, usize)>],
        moved: &mut [(f64, usize)],
    ) {
        let way = self.off[tip][frame];
        let mut worst: Option<(usize, usize, f64)> = None;
        for &(at, moved) in movers {
            let value = &self.values[at];
            let Some(curve) = &value.curve else { continue };
            let part = (self.places.lever(value.track, moved, frame) * value.misses[frame]).dot(way);
            if part <= worst.map_or(0.0, |worst| worst.2) {
                continue;
            }
            let piece = curve.piece_at(frame);
            let (a, b) = curve.piece(piece);
            if b.frame - a.frame >= 2 {
                worst = Some((at, piece, part));
            }
        }
        // A place is blamed where it is worse than all turns together could mend by one key; in long takes that would take long.
        let shifts = if self.places.frames > LONG { &[][..] } else { &self.shifts[..] };
        for (at, shift) in shifts.iter().enumerate() {
            let part = shift.misses[frame].dot(way);
            let hangs = || self.places.moved[shift.track].iter().any(|moved| moved.0 == tip);
            if part > worst.map_or(0.0, |worst| worst.2) && hangs() {
                if part > moved[at].0 {
                    moved[at] = (part, frame);
                }
                return;
            }
        }
        if let Some((at, piece, part)) = worst {
            match wanted[at].last_mut().filter(|last| last.0 == piece) {
                Some(last) if last.1 >= part => {}
                Some(last) => *last = (piece, part, frame),
                None => wanted[at].push((piece, part, frame)),
            }
        }
    }

    /// A new node, with what follows from it for the joints.
    fn insert(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let piece = curve.piece_at(frame);
        curve.insert(frame);
        let pieces = curve.pieces();
        let around = around(piece, 3, 5, pieces, self.take.looped);
        self.settle(at, &around);
    }

    /// Works out anew what some pieces of a value do to the joints.
    pub(super) fn settle(&mut self, at: usize, pieces: &[usize]) {
        let value = &mut self.values[at];
        let Some(curve) = &value.curve else { return };
        for &piece in pieces {
            let (a, b) = curve.piece(piece);
            changes_into(&mut self.changes, a, b, value.samples, &value.misses);
            self.places.carry(&mut self.off, value.track, a.frame, &self.changes);
            for (miss, change) in value.misses[a.frame..].iter_mut().zip(&self.changes) {
                *miss += *change;
            }
        }
    }

    /// Takes away nodes that can be missed, those first that would be missed least.
    pub(super) fn thin(&mut self) {
        for at in 0..self.values.len() {
            let Some(curve) = &self.values[at].curve else { continue };
            let mut order: Vec<(f64, usize)> = (0..curve.nodes.len())
                .filter(|&node| curve.can_remove(node))
                .map(|node| {
                    let (before, after) = (curve.node(node - 1), curve.node(node + 1));
                    let here = curve.nodes[node];
                    let lost = between(before, after, here.frame as f64) - here.value;
                    (lost.abs(), here.frame)
                })
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (_, frame) in order {
                self.try_without(at, frame);
            }
        }
    }

    /// Takes a node away if all joints stay near enough.
    fn try_without(&mut self, at: usize, frame: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let Ok(node) = curve.nodes.binary_search_by_key(&frame, |node| node.frame) else { return };
        if !curve.can_remove(node) {
            return;
        }
        let removed = curve.remove(node);
        let pieces = curve.pieces();
        let around = around(node, 3, 3, pieces, self.take.looped);
        // The piece over the gap is the likeliest not to fit.
        let fits = std::iter::once(&(node - 1)).chain(&around).all(|&piece| {
            let (a, b) = curve.piece(piece);
            let sound = value.limits.is_none_or(|limits| outside(a, b, limits).is_none())
                && written::turning_point(a, b, value.slight).is_none();
            sound && {
                changes_into(&mut self.changes, a, b, value.samples, &value.misses);
                // What is off already may not get worse.
                self.places.bears(&self.off, value.track, a.frame, &self.changes, self.tolerance)
            }
        });
        if fits {
            self.settle(at, &around);
        } else {
            curve.restore(node, removed);
        }
    }
}

/// By how much the misses of a piece change, frame by frame.
fn changes_into(changes: &mut Vec<f64>, a: Node, b: Node, samples: &[f64], misses: &[f64]) {
    changes.clear();
    let now = samples[a.frame..].iter().zip(&misses[a.frame..]);
    changes.extend(now.zip(along(a, b)).map(|((sample, miss), value)| value - sample - miss));
}

/// The pieces from some before a piece to some behind it, each once.
fn around(piece: usize, before: usize, behind: usize, pieces: usize, looped: bool) -> Vec<usize> {
    if !looped {
        return (piece.saturating_sub(before)..(piece + behind).min(pieces)).collect();
    }
    if before + behind >= pieces {
        return (0..pieces).collect();
    }
    (piece + pieces - before..piece + pieces + behind).map(|piece| piece % pieces).collect()
}

/// The frame in which a piece leaves its limits most, if it does by more than can be written.
fn outside(a: Node, b: Node, (least, most): (f64, f64)) -> Option<usize> {
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
