//! The fonts of drawings: those of the machine, and what the options add or replace.

use std::sync::OnceLock;

use bone_format::fontdb;

use crate::args::FontArgs;
use crate::report::print_line;

/// The options, which hold for all drawings of a run.
static OPTIONS: OnceLock<FontArgs> = OnceLock::new();

/// Sets the options, once and before any drawing is read.
///
/// # Errors
/// If a folder or a file is not there or not a font.
pub(crate) fn set(args: FontArgs) -> Result<(), String> {
    if let Some(folder) = args.font_dir.iter().find(|folder| !folder.is_dir()) {
        return Err(format!("error: --font-dir \"{}\" is not a folder", folder.display()));
    }
    for file in &args.font_file {
        if !file.is_file() || fontdb::Database::new().load_font_file(file).is_err() {
            return Err(format!("error: --font-file \"{}\" is not a font that can be read", file.display()));
        }
    }
    // A second call does not happen.
    let _ = OPTIONS.set(args);
    Ok(())
}

/// The options as they are written on a command line.
#[cfg(feature = "live")]
pub(crate) fn options() -> Vec<std::ffi::OsString> {
    let Some(FontArgs { font_dir, font_file, font_family_map, no_system_fonts }) = OPTIONS.get() else {
        return Vec::new();
    };
    let mut options = Vec::new();
    for folder in font_dir {
        options.extend(["--font-dir".into(), folder.into()]);
    }
    for file in font_file {
        options.extend(["--font-file".into(), file.into()]);
    }
    for (name, family) in font_family_map {
        options.extend(["--font-family-map".into(), format!("{name}={family}").into()]);
    }
    options.extend(no_system_fonts.then(|| "--no-system-fonts".into()));
    options
}

/// The fonts for a drawing with text.
pub(crate) fn fonts() -> fontdb::Database {
    match OPTIONS.get() {
        Some(options) => with(options),
        None => bone_format::system_fonts(),
    }
}

fn with(options: &FontArgs) -> fontdb::Database {
    let mut fonts = match options.no_system_fonts {
        true => fontdb::Database::new(),
        false => bone_format::system_fonts(),
    };
    options.font_dir.iter().for_each(|folder| fonts.load_fonts_dir(folder));
    for file in &options.font_file {
        if let Err(error) = fonts.load_font_file(file) {
            print_line(&format!("warning: the font \"{}\" cannot be read: {error}", file.display()));
        }
    }
    for (name, family) in &options.font_family_map {
        if !map_family(&mut fonts, name, family) {
            print_line(&format!("warning: there is no font \"{family}\" to use for \"{name}\""));
        }
    }
    fonts
}

/// Makes a family answer to another name. False if there is no such family.
fn map_family(fonts: &mut fontdb::Database, name: &str, family: &str) -> bool {
    let is_it =
        |face: &&fontdb::FaceInfo| face.families.iter().any(|(known, _)| known.eq_ignore_ascii_case(family));
    let mut faces: Vec<fontdb::FaceInfo> = fonts.faces().filter(is_it).cloned().collect();
    let Some(spelled) = faces.first().and_then(|face| Some(face.families.first()?.0.clone())) else {
        return false;
    };
    match name.to_ascii_lowercase().as_str() {
        "serif" => fonts.set_serif_family(spelled),
        "sans-serif" | "sans" => fonts.set_sans_serif_family(spelled),
        "monospace" => fonts.set_monospace_family(spelled),
        "cursive" => fonts.set_cursive_family(spelled),
        "fantasy" => fonts.set_fantasy_family(spelled),
        _ => {
            // A family of this name that is there, too, is replaced.
            let taken = |face: &&fontdb::FaceInfo| face.families.iter().any(|(known, _)| known == name);
            let replaced: Vec<fontdb::ID> = fonts.faces().filter(taken).map(|face| face.id).collect();
            replaced.into_iter().for_each(|id| fonts.remove_face(id));
            for face in &mut faces {
                face.families.truncate(1);
                face.families.iter_mut().for_each(|(known, _)| name.clone_into(known));
            }
            for face in faces {
                fonts.push_face_info(face);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_answers_to_another_name() {
        let face = |name: &str| fontdb::FaceInfo {
            id: fontdb::ID::dummy(),
            source: fontdb::Source::Binary(std::sync::Arc::new([0_u8; 0])),
            index: 0,
            families: vec![(name.to_owned(), fontdb::Language::English_UnitedStates)],
            post_script_name: name.to_owned(),
            style: fontdb::Style::Normal,
            weight: fontdb::Weight::NORMAL,
            stretch: fontdb::Stretch::Normal,
            monospaced: false,
        };
        let mut fonts = fontdb::Database::new();
        for name in ["Arial", "Quux Sans"] {
            fonts.push_face_info(face(name));
        }
        assert!(!map_family(&mut fonts, "Arial", "Corge"));
        assert!(map_family(&mut fonts, "Arial", "quux sans"));
        assert!(map_family(&mut fonts, "serif", "Quux Sans"));
        assert_eq!(fonts.family_name(&fontdb::Family::Serif), "Quux Sans");
        let arial: Vec<&str> = fonts
            .faces()
            .filter(|face| face.families[0].0 == "Arial")
            .map(|f| f.post_script_name.as_str())
            .collect();
        assert_eq!(arial, ["Quux Sans"]);
    }
}
