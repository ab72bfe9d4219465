//! The files of the page, in the program. A path of a request is looked up here and never joined to a folder.

use std::borrow::Cow;
use std::path::Path;

/// A file of the page.
struct Asset {
    name: &'static str,
    text: &'static str,
}

impl Asset {
    /// The file as it is sent. Style sheets need no space around their marks.
    fn sent(&self) -> Cow<'static, str> {
        let text = sent(self.text);
        if !self.name.ends_with(".css") {
            return text;
        }
        let marks = [(" {", "{"), ("{ ", "{"), ("; ", ";"), (": ", ":"), (", ", ","), (";}", "}")];
        Cow::Owned(marks.iter().fold(text.into_owned(), |text, (from, to)| text.replace(from, to)))
    }
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, text: include_str!(concat!("../../page/", $name)) }),*]
    };
}

/// All of them. What the page imports must be listed.
const ASSETS: &[Asset] = assets![
    "index.html",
    "style.css",
    "main.js",
    "machine.js",
    "actors.js",
    "board.js",
    "brush.js",
    "chain.js",
    "commands.js",
    "deliver.js",
    "dom.js",
    "grab.js",
    "graph.js",
    "link.js",
    "model.js",
    "pad.js",
    "palette.js",
    "pictures.js",
    "player.js",
    "sound.js",
    "problems.js",
    "properties.js",
    "replace.js",
    "rules.js",
    "setup.js",
    "shots.js",
    "stage.js",
    "step.js",
    "timeline.js",
    "trail.js",
    "tree.js",
    "view.js",
];

/// The text and the type of the file at the path of a request; `folder` has newer ones while the page is
/// being written.
pub(crate) fn asset(path: &str, folder: Option<&Path>) -> Option<(Cow<'static, str>, &'static str)> {
    let name = match path {
        "/" => "index.html",
        path => path.strip_prefix('/')?,
    };
    let asset = ASSETS.iter().find(|asset| asset.name == name)?;
    let kind = match asset.name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    let newer = folder.and_then(|folder| std::fs::read_to_string(folder.join(asset.name)).ok());
    Some((newer.map_or_else(|| asset.sent(), Cow::Owned), kind))
}

/// A file as it is sent: without comments, without spaces at the start of lines, and without line ends where
/// no statement can end. The modules are plain, and a third of their bytes are types for the type check.
fn sent(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after.strip_prefix(' ').unwrap_or(after));
    }
    out.push_str(rest);
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let end = |line: &str| if line.ends_with([';', ',', '{', '(', '[']) { "" } else { "\n" };
    Cow::Owned(lines.flat_map(|line| [line, end(line)]).collect())
}

/// How many bytes the page has, as it is sent.
pub fn page_size() -> usize {
    ASSETS.iter().map(|asset| asset.sent().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_are_not_sent() {
        assert_eq!(sent("// A.\n  /** @type {B} */ c(/* d */ \"//e\");\n\n"), "c(\"//e\");");
        for asset in ASSETS {
            let sent = asset.sent();
            assert!(!sent.contains("/*") && !sent.contains("*/"), "{}", asset.name);
            // What would look like a comment is in no string of the page, and no statement needs a blank line.
            let quoted = asset.text.lines().filter(|line| line.contains("/*")).all(|line| {
                line.split("/*").next().is_some_and(|before| before.matches(['"', '`']).count() % 2 == 0)
            });
            assert!(quoted, "{}", asset.name);
            // A comment behind a statement would take the next line with it.
            let is_alone = |line: &str| line.trim_start().starts_with("//") || !line.contains(" //");
            assert!(asset.text.lines().all(is_alone), "{}", asset.name);
        }
    }
}
