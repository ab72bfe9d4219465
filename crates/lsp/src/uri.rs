//! Paths as URIs and back. Editors escape differently, so documents are known by their paths.

use std::path::{Component, Path, PathBuf};

/// The path of a `file:` URI.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // The host before the path is this one.
    let path = rest.get(rest.find('/')?..)?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(match byte {
            b'%' => (digit()? * 16 + digit()?) as u8,
            byte => byte,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/rigs` is `C:\rigs`.
    let drive = path.get(1..).filter(|path| path.as_bytes().get(1) == Some(&b':'));
    Some(plain(Path::new(if cfg!(windows) { drive.unwrap_or(&path) } else { &path })))
}

/// The URI of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A path without `.` and `..`: the one by which a file is known.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_return_from_their_uris() {
        for path in ["/rigs/walk.ron", "/Käse 😀/100%/a#b?c.ron"] {
            assert_eq!(path_of(&uri_of(Path::new(path))).as_deref(), Some(Path::new(path)));
        }
        assert_eq!(uri_of(Path::new("/a b")), "file:///a%20b");
        assert_eq!(path_of("file:///a%2fb"), Some(PathBuf::from("/a/b")));
        for wrong in ["untitled:Untitled-1", "file:///a%f", "file:///%ff", "file:"] {
            assert_eq!(path_of(wrong), None, "{wrong}");
        }
    }
}
