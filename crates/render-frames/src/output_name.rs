//! Output names that are mistakes: each has a message with a suggestion. They are checked before
//! anything is read.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use bone_export::FORMATS;
use bone_format::text::Syntax;
use clap::builder::{OsStringValueParser, TypedValueParser};

/// Endings of files that are written, besides those of formats with all frames, and of other pictures. A name
/// that is only an ending has lost its stem.
const ENDINGS: [&str; 10] = ["bones", "jpeg", "jpg", "png", "rgba", "ron", "tga", "tiff", "y4m", "zip"];

/// Names that stand for the number of a frame elsewhere.
const NUMBERS: [&str; 7] = ["frame", "frames", "n", "number", "index", "i", "num"];

/// The parser of `-o` of one file, whose name has no placeholders.
pub(crate) fn file() -> impl TypedValueParser<Value = PathBuf> {
    name(false).map(PathBuf::from)
}

/// The parser of a name.
pub(crate) fn name(has_clip: bool) -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().try_map(move |name: OsString| match mistake(&name, has_clip) {
        Some(mistake) => Err(mistake),
        None => Ok(name),
    })
}

/// The notation of a rig with this name, or a message.
pub(crate) fn notation(rig: &Path) -> Result<Syntax, String> {
    let ending = rig.extension().map(OsStr::to_ascii_lowercase);
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("ron") => Ok(Syntax::Ron),
        Some("json") => Ok(Syntax::Json),
        _ => Err(format!(
            "\"{}\" is neither a .ron nor a .json file\n  help: write {}",
            rig.display(),
            rig.with_extension("ron").display()
        )),
    }
}

/// What is wrong with a name; `has_clip` is whether `{clip}` is known in it.
fn mistake(name: &OsStr, has_clip: bool) -> Option<String> {
    let text = name.to_string_lossy();
    if text.trim().is_empty() {
        return Some(match has_clip {
            true => "the name is empty: write a folder like out/, a name like 'frame_####.png', or one file like walk.gif"
                .to_owned(),
            false => "the name is empty".to_owned(),
        });
    }
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Some(format!("the name has a control character, {}", control.escape_default()));
    }
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        path.push(part);
        let Component::Normal(part) = part else { continue };
        // A file or a folder that has this name is meant.
        if !path.exists()
            && let Some(mistake) = placeholder(&part.to_string_lossy(), has_clip)
        {
            return Some(mistake);
        }
    }
    let last = Path::new(name).file_name()?.to_string_lossy();
    // Folders are called as people like.
    if text.ends_with(['/', std::path::MAIN_SEPARATOR]) || Path::new(name).is_dir() {
        return None;
    }
    if last.ends_with('.') {
        return Some(format!(
            "\"{last}\" ends in a dot: leave it out, or write an ending like .png behind it"
        ));
    }
    if last.ends_with(char::is_whitespace) {
        return Some(format!("\"{last}\" ends in a blank: leave it out"));
    }
    let (stem, ending) = last.rsplit_once('.')?;
    let mut known = ENDINGS.into_iter().chain(FORMATS.iter().map(|format| format.ending));
    let is_known = known.any(|known| ending.eq_ignore_ascii_case(known));
    (stem.trim().is_empty() && is_known).then(|| {
        let whole = format!("{}walk.{ending}", text.strip_suffix(&*last).unwrap_or_default());
        format!("\"{last}\" is an ending without a name: write {whole}, or {text}/ for a folder")
    })
}

/// What is wrong with the placeholders of a part of a name.
fn placeholder(part: &str, has_clip: bool) -> Option<String> {
    let known = if has_clip {
        "known are {clip} and {layer}, the names of the clip and the layer; #### is the number of the frame"
    } else {
        "the name of this file has none"
    };
    let mut rest = part;
    while let Some(at) = rest.find(['{', '}']) {
        let after = &rest[at..];
        let end = after.find('}').filter(|_| after.starts_with('{'));
        let inner = end.map(|end| &after[1..end]).filter(|inner| !inner.contains('{'));
        let (Some(inner), Some(end)) = (inner, end) else {
            return Some(format!("\"{part}\" has a brace without its partner: {known}"));
        };
        if !has_clip || (inner != "clip" && inner != "layer") {
            let word = inner.trim().to_lowercase();
            let hint = match () {
                () if !has_clip => String::new(),
                () if NUMBERS.contains(&word.as_str()) => {
                    format!("; write '{}'", part.replace(&format!("{{{inner}}}"), "####"))
                }
                () => format!("; did you mean '{}'?", part.replace(&format!("{{{inner}}}"), "{clip}")),
            };
            return Some(format!("there is no placeholder {{{inner}}}: {known}{hint}"));
        }
        rest = &after[end + 1..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_odd_name_has_its_message() {
        for (name, part) in [
            ("", "the name is empty"),
            (" ", "the name is empty"),
            (
                "{clop}.png",
                "no placeholder {clop}: known are {clip} and {layer}, the names of the clip and the layer; #### is the number of the frame; did you mean '{clip}.png'?",
            ),
            ("{Clip}_#.png", "did you mean '{clip}_#.png'?"),
            ("{ clip }_#.png", "did you mean '{clip}_#.png'?"),
            ("{}_#.png", "no placeholder {}"),
            ("out/{frame}.png", "write '####.png'"),
            ("{clip}_{n}.png", "write '{clip}_####.png'"),
            ("{clip}_{clop}.gif", "no placeholder {clop}"),
            ("{clip", "a brace without its partner"),
            ("clip}_#.png", "a brace without its partner"),
            ("{{clip}}_#.png", "a brace without its partner"),
            (".gif", "\".gif\" is an ending without a name: write walk.gif, or .gif/ for a folder"),
            ("out/.PNG", "write out/walk.PNG"),
            (" .gif", "an ending without a name"),
            ("x.", "ends in a dot"),
            ("x_#.png.", "ends in a dot"),
            ("...", "ends in a dot"),
            ("x.gif ", "ends in a blank"),
            ("a\nb_#.png", "a control character, \\n"),
            ("a\u{7f}.gif", "a control character"),
        ] {
            let found = mistake(OsStr::new(name), true);
            assert!(found.as_ref().is_some_and(|found| found.contains(part)), "{name:?}: {found:?}");
        }
        for name in [
            "out/",
            "out",
            ".",
            "..",
            "../out/",
            "a/../b_#.png",
            "-",
            "{clip}",
            "{layer}/{clip}_####.png",
            "{clip}_####.png",
            "##.png",
            ".gif/",
            ".hidden/",
            ".hidden",
            "x.PNG",
            "a b.gif",
            "a?b.png",
            "100%.png",
            "\u{e9}.gif",
            "/dev/stdout",
        ] {
            assert_eq!(mistake(OsStr::new(name), true), None, "{name:?}");
        }
        assert!(mistake(OsStr::new("{clip}.ron"), false).is_some_and(|found| found.contains("has none")));
        let folder = tempfile::tempdir().expect("a folder");
        let there = folder.path().join("{a}");
        std::fs::create_dir(&there).expect("a folder");
        assert_eq!(mistake(there.join("x_#.png").as_os_str(), true), None, "it is there");
    }
}
