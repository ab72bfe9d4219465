//! Which texts are rigs: RON has other uses, and their files are left alone.

use std::path::Path;

/// Whether a text is a rig, a part of one, or a scene.
pub(crate) fn is_rig(path: &Path, text: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = after_comments(text);
    if text.starts_with('{') {
        let start: String = text.chars().take(400).filter(|c| !c.is_whitespace()).collect();
        let ours = ["{\"Rig\":", "{\"Part\":", "{\"Scene\":"].iter().any(|kind| start.starts_with(kind));
        return name.ends_with("rig.json")
            || ours
            || start.contains("\"$schema\":") && start.contains("bone-layer");
    }
    let kind = |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('));
    kind("Rig") || kind("Part") || kind("Scene")
}

/// The text without the comments, attributes and white space that it begins with.
fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let line = ["//", "#!["].iter().any(|mark| rest.starts_with(mark));
        let length = match () {
            () if line => rest.find('\n').unwrap_or(rest.len()),
            () if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            () => return rest,
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rigs_are_claimed() {
        let ron = |text: &str| is_rig(Path::new("a.ron"), text);
        assert!(ron("// walks\n/* a */ #![enable(implicit_some)]\nRig(version: 1)") && ron("\u{feff}Part ("));
        assert!(ron("Scene(version: 1)") && is_rig(Path::new("a.json"), "{\"Scene\": {}}"));
        for foreign in ["", "Rigid(a: 1)", "(version: 1)", "Config(a: 1)", "// Rig(", "Ri"] {
            assert!(!ron(foreign), "{foreign}");
        }
        assert!(
            is_rig(Path::new("hero.rig.json"), "{\"version\": 1}") && is_rig(Path::new("rig.json"), "{}")
        );
        assert!(!is_rig(Path::new("package.json"), "{\"version\": 1}"));
        assert!(is_rig(Path::new("a.json"), "{ \"Rig\" : {}}"));
    }
}
