//! Numbers in messages: short, and different where the numbers differ.

/// A number of a message, with at most four digits that count. Whole numbers below ten million keep theirs.
pub fn in_few_digits(value: f64) -> String {
    in_few_digits_beside(value, &[])
}

/// The same beside other numbers of the message: with more digits where four would show it as one of them, and
/// it is another number.
pub fn in_few_digits_beside(value: f64, others: &[f64]) -> String {
    /// As many as make any two numbers different.
    const ALL: usize = 17;
    let differs = |count: usize| {
        let text = with_digits(value, count);
        others.iter().all(|other| *other == value || with_digits(*other, count) != text).then_some(text)
    };
    (FEW..ALL).find_map(differs).unwrap_or_else(|| value.to_string())
}

const FEW: usize = 4;

/// A number with so many digits that count.
fn with_digits(value: f64, count: usize) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-6..1e7;
    if !value.is_finite() || value == 0.0 {
        // Without the sign of a 0.
        return (value + 0.0).to_string();
    }
    let scientific = format!("{value:.*e}", count - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    if PLAIN.contains(&value.abs()) {
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let places = (count as i32 - 1 - exponent).max(0) as usize;
        return trimmed(&format!("{value:.places$}")).to_owned();
    }
    format!("{}e{exponent}", trimmed(digits))
}

/// Without zeros at the end of a fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_messages_are_short() {
        for (value, text) in [
            (0.001_953_125, "0.001953"),
            (12.345_67, "12.35"),
            (40_000.4, "40000"),
            (0.5, "0.5"),
            (0.0, "0"),
            (-0.0, "0"),
            (-90.0, "-90"),
            (9.999_96, "10"),
            (1.0 / 3.0, "0.3333"),
            (2.5e300, "2.5e300"),
            (-1.234_56e-9, "-1.235e-9"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(in_few_digits(value), text);
        }
    }

    #[test]
    fn different_numbers_look_different() {
        assert_eq!(in_few_digits_beside(40.000_1, &[-40.0, 40.0]), "40.0001");
        assert_eq!(in_few_digits_beside(40.1, &[-40.0, 40.0]), "40.1");
        assert_eq!(in_few_digits_beside(0.1 + 0.2, &[0.3]), "0.30000000000000004");
        assert_eq!(in_few_digits_beside(1.0 / 3.0, &[1.0 / 3.0]), "0.3333");
    }

    proptest! {
        /// What is read back differs by less than half of the fourth digit.
        #[test]
        fn they_are_the_nearest(value in prop::num::f64::NORMAL) {
            let text = in_few_digits(value);
            let read: f64 = text.parse().expect("a number");
            prop_assert!(((read - value) / value).abs() <= 0.5e-3 * (1.0 + 1e-9), "{} {}", value, text);
            let (digits, _) = text.split_once('e').unwrap_or((&text, ""));
            let counted = digits.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit);
            prop_assert!(counted.count() <= 7, "{}", text);
        }
    }
}
