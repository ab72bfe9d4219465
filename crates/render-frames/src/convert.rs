//! `convert`: writes a rig in the other notation, RON or JSON.

use std::io;
use std::path::Path;

use rig_format::diagnostic::Diagnostics;
use rig_format::span::Sources;
use rig_format::text::{Syntax, decode};
use rig_format::{Disk, Files as _, new_file, unreadable};

use crate::args::ConvertArgs;
use crate::exit::Exit;
use crate::report::{self, print_line};

pub(crate) fn run(args: &ConvertArgs) -> Exit {
    let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
    let bytes = match Disk.read(&args.rig) {
        Ok(bytes) => bytes,
        Err(error) => {
            found.push(unreadable(&Disk, "rig", &args.rig, &error, &["ron", "json"]));
            report::show(&found, &sources, true);
            return Exit::Mistakes;
        }
    };
    let source = sources.upcoming();
    let text = decode(source, &bytes, &mut found).into_owned();
    sources.add(args.rig.display().to_string(), text.as_str());
    let to = match notation(&args.output) {
        Some(to) => to,
        None if Syntax::of(&text) == Syntax::Json => Syntax::Ron,
        None => Syntax::Json,
    };
    let converted = rig_format::convert(source, &text, to, &mut found);
    report::show(&found, &sources, true);
    let Some(converted) = converted else { return Exit::Mistakes };
    if args.output.as_os_str() == "-" {
        return report::print_result(converted);
    }
    let shown = args.output.display();
    match new_file(&args.output, converted.as_bytes(), args.force) {
        Ok(()) => Exit::Fine,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            print_line(&format!("{shown} exists already: choose another name, or add --force to replace it"));
            Exit::Usage
        }
        Err(error) => {
            let folder = args.output.parent().unwrap_or(Path::new(""));
            print_line(&format!("error: \"{shown}\" cannot be written: {}", report::reason(&error, folder)));
            Exit::Failed
        }
    }
}

/// The notation that a file has by its name.
fn notation(path: &Path) -> Option<Syntax> {
    match path.extension()?.to_str()? {
        "json" => Some(Syntax::Json),
        "ron" => Some(Syntax::Ron),
        _ => None,
    }
}
