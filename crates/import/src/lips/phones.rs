//! Sounds and letters to mouths.

use super::track::MouthShape::{self, A, B, C, D, E, F, G, H, X};

/// The mouths of a phone: one, or the two of a diphthong. Symbols of ARPABET (with digits for stress), of the International
/// Phonetic Alphabet, and of SAMPA where they do not contradict it. None for what is unknown.
pub fn of_phone(phone: &str) -> Option<Vec<MouthShape>> {
    let plain = phone.trim_end_matches(|c: char| c.is_ascii_digit());
    if matches!(
        plain.to_ascii_lowercase().as_str(),
        "" | "sil" | "sp" | "spn" | "pau" | "#" | "<p:>" | "_" | "h#"
    ) {
        return Some(vec![X]);
    }
    of_arpabet(plain).or_else(|| of_ipa(phone))
}

fn of_arpabet(phone: &str) -> Option<Vec<MouthShape>> {
    // Their names are upper case; lower case ones of a single letter are those of IPA as well.
    Some(match phone.to_ascii_uppercase().as_str() {
        "M" | "B" | "P" | "EM" => vec![A],
        "F" | "V" => vec![G],
        "L" | "EL" => vec![H],
        "W" | "UW" | "UH" | "WH" => vec![F],
        "OW" => vec![E, F],
        "AO" | "ER" | "AXR" => vec![E],
        "OY" => vec![E, B],
        "AA" => vec![D],
        "AY" => vec![D, B],
        "AW" => vec![D, F],
        "EH" | "AE" | "AH" | "AX" | "HH" => vec![C],
        "EY" => vec![C, B],
        "IY" | "IH" | "IX" | "UX" | "CH" | "DH" | "DX" | "JH" | "NG" | "NX" | "SH" | "TH" | "ZH" | "EN" => {
            vec![B]
        }
        "D" | "G" | "K" | "N" | "Q" | "R" | "S" | "T" | "Y" | "Z" => vec![B],
        _ => return None,
    })
}

/// Whether a symbol of the International Phonetic Alphabet begins with a closure.
pub fn is_stop(phone: &str) -> bool {
    phone
        .trim_start_matches(['ˈ', 'ˌ'])
        .starts_with(['p', 't', 'k', 'b', 'd', 'g', 'ɡ', 'q', 'c', 'ɟ', 'ʈ', 'ɖ'])
}

/// By the letters of a symbol; marks of length, stress and articulation are passed over.
fn of_ipa(phone: &str) -> Option<Vec<MouthShape>> {
    let mut shapes: Vec<MouthShape> = phone.chars().filter_map(of_ipa_letter).collect();
    shapes.dedup();
    (!shapes.is_empty()).then_some(shapes)
}

fn of_ipa_letter(letter: char) -> Option<MouthShape> {
    Some(match letter {
        'm' | 'b' | 'p' | 'ɓ' | 'ɱ' => A,
        'f' | 'v' | 'ʋ' => G,
        'l' | 'ɫ' | 'ɭ' | 'ʎ' | 'ɬ' | 'ɮ' => H,
        'w' | 'u' | 'ʊ' | 'y' | 'ʏ' | 'ɥ' | 'ʉ' | 'ɸ' | 'β' => F,
        'o' | 'ɔ' | 'ø' | 'œ' | 'ɞ' | 'ɵ' | 'ɝ' | 'ɚ' | 'ɜ' | 'ɒ' => E,
        'a' | 'ɑ' | 'ɐ' | 'ʌ' | 'ɶ' | 'ä' | 'ã' => D,
        'e' | 'ɛ' | 'æ' | 'ə' | 'ɘ' | 'ɤ' | 'h' | 'ɦ' | 'ʔ' => C,
        'i' | 'ɪ' | 'ɨ' | 'j' | 'ɯ' | 'ᵻ' => B,
        'd' | 't' | 'k' | 'g' | 'ɡ' | 's' | 'z' | 'n' | 'r' | 'c' | 'q' | 'x' | 'ʃ' | 'ʒ' | 'θ' | 'ð'
        | 'ŋ' | 'ɴ' | 'ɲ' | 'ɹ' | 'ɾ' | 'ʁ' | 'ʀ' | 'χ' | 'ç' | 'ʝ' | 'ɣ' | 'ɟ' | 'ʂ' | 'ʐ' | 'ɕ' | 'ʑ'
        | 'ʈ' | 'ɖ' | 'ɳ' | 'ɻ' | 'ɽ' | 'ħ' | 'ʕ' => B,
        _ => return None,
    })
}

/// The mouths of a word as it is spelled, with their shares of its time: vowels last twice as long.
pub(super) fn of_word(word: &str) -> Vec<(MouthShape, f64)> {
    let mut shapes: Vec<(MouthShape, f64)> = Vec::new();
    for letter in word.chars().flat_map(char::to_lowercase).filter(|letter| letter.is_alphabetic()) {
        let (shape, share) = match letter {
            'm' | 'b' | 'p' => (A, 1.0),
            'f' | 'v' => (G, 1.0),
            'l' => (H, 1.0),
            'a' | 'à' | 'á' | 'â' | 'ä' | 'å' => (D, 2.0),
            'e' | 'è' | 'é' | 'ê' | 'ë' | 'æ' => (C, 2.0),
            'i' | 'y' | 'ì' | 'í' | 'î' | 'ï' => (B, 2.0),
            'o' | 'ò' | 'ó' | 'ô' | 'ö' | 'ø' => (E, 2.0),
            'u' | 'ù' | 'ú' | 'û' | 'ü' => (F, 2.0),
            'w' => (F, 1.0),
            _ => (B, 1.0),
        };
        match shapes.last_mut() {
            Some((last, all)) if *last == shape => *all += share / 2.0,
            _ => shapes.push((shape, share)),
        }
    }
    shapes
}
