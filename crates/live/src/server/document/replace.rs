//! Another drawing in the place of the one that there is.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bone_authoring::{match_art, set_drawing};
use bone_drawing::Drawing;
use bone_format::fontdb::Database;
use bone_render::{Resources, read_svg};
use serde_json::Value;

use super::Document;
use super::refused::Refused;
use crate::server::proto::{Op, ReplacedArt, Reply, Step};

/// How many names are tried until one is free.
const NAMES: usize = 100;

impl Document {
    /// What art of the rig is what in another drawing; or, with the names, the rig gets it.
    pub(super) fn replace(
        &mut self,
        client: u64,
        id: Value,
        (name, text): (&str, &str),
        names: Option<&BTreeMap<String, String>>,
    ) -> Result<Option<Reply>, Refused> {
        let stem = drawing_stem(name)?;
        let art = read_drawing(name, text, (self.fonts)())?;
        let Some(names) = names else {
            let matched = match_art(&self.session, &art).into_iter();
            let matched = matched.map(|(from, to)| ReplacedArt { from, to }).collect();
            let drawn = art.ids().filter(|id| art.element(*id).is_some_and(bone_drawing::Element::is_drawn));
            let names = drawn.map(|id| art.address(id)).collect();
            return Ok(Some(Reply::Replacement { id, art: matched, names }));
        };
        self.take_in_whole();
        let each = names.iter().map(|(from, to)| (from.as_str(), to.as_str()));
        // Refused before anything is written.
        set_drawing(name, each.clone())?;
        let written = free_name(stem, |name| {
            self.files.write_new(&self.session.path().with_file_name(name), text.as_bytes())
        })?;
        let edits = set_drawing(&written, each)?;
        let title = format!("Replace the drawing by {written}");
        self.open_gesture(client, None, &title);
        if let Err(error) = self.session.apply_all(&title, &edits) {
            // Nobody names it.
            self.files.remove(&self.session.path().with_file_name(&written));
            return Err(error.into());
        }
        let ops = edits.into_iter().map(Op::Edit).collect();
        self.journal.step(&Step::Edit { title: title.clone(), ops, gesture: None, digits: vec![4; 3] });
        self.changed(client, "you", title);
        Ok(None)
    }
}

/// A drawing that a page sends.
pub(crate) fn read_drawing(name: &str, text: &str, fonts: Database) -> Result<Drawing, Refused> {
    let resources = Resources { fonts: Arc::new(fonts), ..Resources::none() };
    let read = read_svg(text, &resources);
    let (art, _) =
        read.map_err(|error| Refused::new(format!("{name} cannot be read: {}", error.message())))?;
    Ok(art)
}

/// Writes a drawing under its name, or the next one like it that does not exist.
pub(crate) fn free_name(stem: &str, write: impl Fn(&str) -> io::Result<()>) -> Result<String, Refused> {
    for number in 1..=NAMES {
        let name = if number == 1 { format!("{stem}.svg") } else { format!("{stem}-{number}.svg") };
        match write(&name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Refused::new(format!("{name} is not written: {error}"))),
        }
    }
    Err(Refused::new(format!("{stem}.svg and {NAMES} names like it are there already")))
}

/// The name of a drawing without its ending.
pub(crate) fn drawing_stem(name: &str) -> Result<&str, Refused> {
    name.strip_suffix(".svg").filter(|stem| !stem.is_empty() && is_plain(stem)).ok_or_else(|| {
        let help = "give it a file name that ends with .svg, without a folder";
        Refused::with_help(format!("\"{name}\" is no name for a drawing"), vec![help.to_owned()])
    })
}

/// Whether a text is a name of a file on every system.
pub(crate) fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
        && !name.starts_with('.')
        && !name.chars().any(|letter| letter.is_control() || r#"/\:*?"<>|"#.contains(letter))
}
