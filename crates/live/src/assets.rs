//! The files of the page, in the program. A path of a request is looked up here and never joined to a folder.

use std::borrow::Cow;
use std::path::Path;

/// A file of the page.
struct Asset {
    name: &'static str,
    text: &'static str,
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, text: include_str!(concat!("../page/", $name)) }),*]
    };
}

/// All of them. What the page imports must be listed.
const ASSETS: &[Asset] = assets![
    "index.html",
    "style.css",
    "main.js",
    "commands.js",
    "deliver.js",
    "dom.js",
    "grab.js",
    "graph.js",
    "link.js",
    "model.js",
    "pictures.js",
    "player.js",
    "problems.js",
    "properties.js",
    "setup.js",
    "stage.js",
    "timeline.js",
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
    Some((newer.map_or(Cow::Borrowed(asset.text), Cow::Owned), kind))
}

/// How many bytes the page has.
pub fn page_size() -> usize {
    ASSETS.iter().map(|asset| asset.text.len()).sum()
}
