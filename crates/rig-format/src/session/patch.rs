//! Where two texts differ.

/// Where two texts differ: the first byte, and what is there in each.
pub(super) fn patch<'t>(old: &'t str, new: &'t str) -> (usize, &'t str, &'t str) {
    /// Pieces that are compared at once.
    const PIECE: usize = 256;
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let pieces =
        PIECE * a.chunks(PIECE).zip(b.chunks(PIECE)).take_while(|(a, b)| a.len() == PIECE && a == b).count();
    let same = pieces + a[pieces..].iter().zip(&b[pieces..]).take_while(|(a, b)| a == b).count();
    let start =
        (0..=same).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0);
    let (old, new) = (&old[start..], &new[start..]);
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let pieces = PIECE
        * a.rchunks(PIECE).zip(b.rchunks(PIECE)).take_while(|(a, b)| a.len() == PIECE && a == b).count();
    let (a, b) = (&a[..a.len() - pieces], &b[..b.len() - pieces]);
    let same = pieces + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let whole =
        |back: &usize| old.is_char_boundary(old.len() - back) && new.is_char_boundary(new.len() - back);
    let back = (0..=same).rev().find(whole).unwrap_or(0);
    (start, &old[..old.len() - back], &new[..new.len() - back])
}
