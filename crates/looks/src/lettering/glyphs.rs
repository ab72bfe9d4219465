//! The letters as lines with round caps. Capitals are 14 units high, small letters 10, descenders go to 4
//! below the baseline. All characters of a Latin keyboard are here; other scripts need fonts.

/// The letters, in no particular order: each with its width and its lines. The baseline is y = 0, y points down.
pub(super) fn glyphs() -> impl Iterator<Item = (char, f64, &'static str)> {
    include_str!("letters.tsv").lines().filter_map(|line| {
        let mut parts = line.split('\t');
        Some((parts.next()?.chars().next()?, parts.next()?.parse().ok()?, parts.next()?))
    })
}

/// Marks over and under letters, around x = 0 over a small letter.
#[rustfmt::skip]
pub(super) const MARKS: &[(char, &str)] = &[
    ('\'', "M-.9 -11.8L1.2 -14.6"),
    ('`', "M.9 -11.8L-1.2 -14.6"),
    ('^', "M-2.2 -12L0 -14.4L2.2 -12"),
    ('"', "M-2 -13.6V-13.2M2 -13.6V-13.2"),
    ('~', "M-2.8 -12.4C-2 -14.2 -.8 -13.8 0 -13.2C.8 -12.6 2 -12.2 2.8 -14"),
    ('o', "M0 -15.2C1.2 -15.2 1.8 -14.5 1.8 -13.5C1.8 -12.5 1.2 -11.8 0 -11.8C-1.2 -11.8 -1.8 -12.5 -1.8 -13.5C-1.8 -14.5 -1.2 -15.2 0 -15.2Z"),
    (',', "M.4 .4L0 1.6C1.2 1.6 1.6 2.2 1.4 3C1.2 3.8 .2 4.2 -1 3.8"),
];

/// Letters that are another letter with a mark.
pub(super) fn marked(letter: char) -> Option<(char, char)> {
    const BASES: [(&str, &str); 13] = [
        ("aáàâäãå", "a'`^\"~o"),
        ("eéèêë", "e'`^\""),
        ("iíìîï", "i'`^\""),
        ("oóòôöõ", "o'`^\"~"),
        ("uúùûü", "u'`^\""),
        ("nñ", "n~"),
        ("cç", "c,"),
        ("yýÿ", "y'\""),
        ("AÁÀÂÄÃÅ", "A'`^\"~o"),
        ("EÉÈÊË", "E'`^\""),
        ("OÓÒÔÖÕ", "O'`^\"~"),
        ("UÚÙÛÜ", "U'`^\""),
        ("CÇ", "C,"),
    ];
    BASES.iter().find_map(|(letters, marks)| {
        let at = letters.chars().position(|c| c == letter).filter(|at| *at > 0)?;
        Some((letters.chars().next()?, marks.chars().nth(at)?))
    })
}
