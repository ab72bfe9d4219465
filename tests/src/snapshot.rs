//! Golden texts. A difference is shown line by line.

use std::fmt::Write as _;

use crate::files::{root, shown};
use crate::renew;

/// Compares a text with the one kept in `tests/snapshots`, or renews it.
///
/// # Errors
/// If it is another text, or there is none: the lines that differ.
pub fn compare(name: &str, found: &str) -> Result<(), String> {
    let path = root().join("tests/snapshots").join(format!("{name}.txt"));
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    if renew() {
        return std::fs::write(&path, found).map_err(|error| format!("{}: {error}", shown(&path)));
    }
    Err(format!("{} (RENEW=1 rewrites it):\n{}", shown(&path), differences(&expected, found)))
}

/// The lines that differ, with a few words of where; snapshots keep their order, so lines are compared in
/// pairs.
fn differences(expected: &str, found: &str) -> String {
    const MOST: usize = 20;
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut out = String::new();
    let mut count = 0;
    for line in 0..expected.len().max(found.len()) {
        let pair = (expected.get(line), found.get(line));
        if pair.0 == pair.1 {
            continue;
        }
        count += 1;
        if count <= MOST {
            for (sign, text) in [('-', pair.0), ('+', pair.1)] {
                if let Some(text) = text {
                    let _ = writeln!(out, "{:4} {sign} {text}", line + 1);
                }
            }
        }
    }
    if count > MOST {
        let _ = writeln!(out, "     and {} more lines", count - MOST);
    }
    out
}
