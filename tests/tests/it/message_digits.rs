//! Numbers in messages have at most four digits that count, whatever the numbers of the rig have.

use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, Files, InMemory, load, no_fonts};
use bone_layer_tests::files::{below, shown};

/// A rig in front of the disk.
struct Changed(InMemory);

impl Files for Changed {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.0.read(path).or_else(|_| Disk.read(path))
    }
}

/// The ranges of the numbers of a text outside of quotes and comments.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let (bytes, mut at, mut found) = (text.as_bytes(), 0, Vec::new());
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => at += 2 + bytes[at + 1..].iter().position(|b| *b == b'"').unwrap_or(bytes.len()),
            b'/' if bytes[at..].starts_with(b"//") => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
            }
            byte if is_part(byte) => {
                at += bytes[at..].iter().position(|b| !is_part(*b)).unwrap_or(bytes.len() - at);
                if byte.is_ascii_digit() && text[start..at].parse::<f64>().is_ok() {
                    found.push(start..at);
                }
            }
            _ => at += 1,
        }
    }
    found
}

/// The rig with more digits behind every number that is no key of a map and no version.
fn with_many_digits(text: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for range in numbers(text) {
        let is_key = text[range.end..].trim_start().starts_with(':');
        let is_version = text[..range.start].trim_end().ends_with("version:");
        out += &text[end..range.end];
        end = range.end;
        if !is_key && !is_version && !text[range.clone()].contains('e') {
            out += if text[range].contains('.') { "123456789" } else { ".123456789" };
        }
    }
    out + &text[end..]
}

/// The first number of a message with a fraction and more digits. What is in quotes is a name.
fn too_long(message: &str) -> Option<&str> {
    let long = |range: std::ops::Range<usize>| {
        let number = &message[range];
        let (digits, _) = number.split_once('e').unwrap_or((number, ""));
        let counted = digits.trim_start_matches(['0', '.']).bytes().filter(u8::is_ascii_digit).count();
        (digits.contains('.') && counted > 4).then_some(number)
    };
    numbers(message).into_iter().find_map(long)
}

#[test]
fn numbers_in_messages_have_at_most_four_digits() {
    let (mut seen, mut wrong) = (0, Vec::new());
    let rigs = ["tests/bad-rigs", "tests/bad-rigs-art"].map(|folder| below(folder, "ron")).concat();
    for path in rigs {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for text in [with_many_digits(&text), text] {
            let files = Changed(InMemory::new().with(&path, text));
            for diagnostic in load(&path, Arc::new(files), &no_fonts).diagnostics.iter() {
                // What is to be written instead is exact.
                let help = diagnostic.help.iter().filter(|help| !help.contains("write "));
                let related = diagnostic.related.iter().map(|(_, why)| why);
                let texts = [&diagnostic.message, &diagnostic.label].into_iter().chain(help).chain(related);
                for message in texts {
                    seen += numbers(message).len();
                    wrong.extend(
                        too_long(message).map(|number| format!("{}: {number} in: {message}", shown(&path))),
                    );
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} numbers were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_numbers_are_seen() {
    assert_eq!(too_long("this key is at 3.14159 seconds"), Some("3.14159"));
    assert_eq!(too_long("\"art 3.14159\" at (0.001234, 12.34), 40000 of 2.5e300"), None);
    assert_eq!(
        with_many_digits("(version: 1, a: [(0.5, 2), 3], \"1\": {4: 5})"),
        "(version: 1, a: [(0.5123456789, 2.123456789), 3.123456789], \"1\": {4: 5.123456789})"
    );
}
