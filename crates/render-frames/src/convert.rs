//! `convert`: writes a rig in the other notation, RON or JSON.

use std::io;
use std::path::{Path, PathBuf};

use bone_format::diagnostic::Diagnostics;
use bone_format::span::{SourceId, Sources};
use bone_format::text::{Syntax, decode};
use bone_format::{Disk, Files as _, new_file, unreadable};

use crate::args::ConvertArgs;
use crate::exit::Exit;
use crate::files::CommandFiles;
use crate::output_name::notation;
use crate::report::{self, print_line};
use crate::steps;

pub(crate) fn run(args: &ConvertArgs) -> Exit {
    let to_stdout = args.output.as_os_str() == "-";
    let to = match notation(&args.output) {
        Ok(to) => Some(to),
        Err(_) if to_stdout => None,
        Err(message) => {
            return Exit::Usage.because(message);
        }
    };
    if steps::is_packed(&args.rig) {
        print_line("error: `convert` needs the rig file: a packed rig does not have what was typed");
        return Exit::Usage;
    }
    let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
    let files = CommandFiles::default();
    let bytes = match files.read(&args.rig) {
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
    let to = to.unwrap_or(match Syntax::of(&text) {
        Syntax::Json => Syntax::Ron,
        Syntax::Ron => Syntax::Json,
    });
    let converted = bone_format::convert(source, &text, to, &mut found);
    report::show(&found, &sources, true);
    let Some(converted) = converted else { return Exit::Mistakes };
    if to_stdout {
        return report::print_result(converted);
    }
    let shown = args.output.display();
    if let Err(message) = files.inputs().check(&args.output, "converted rig") {
        return Exit::Usage.because(message);
    }
    match new_file(&args.output, converted.as_bytes(), args.existing.replace()) {
        Ok(()) => {
            if folder_of(&args.rig) != folder_of(&args.output) {
                for path in relative_paths(source, &text) {
                    print_line(&format!(
                        "note: \"{path}\" is relative to the folder of the rig, and {shown} lies in another one"
                    ));
                }
            }
            Exit::Fine
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            print_line(&format!("{shown} exists already: choose another name, or add --force to replace it"));
            Exit::Usage
        }
        Err(error) => {
            let folder = args.output.parent().unwrap_or(Path::new(""));
            Exit::Failed.because(format!("\"{shown}\" cannot be written: {}", report::reason(&error, folder)))
        }
    }
}

/// The folder of a file as the disk has it, so that `a/../rig.ron` and `rig.ron` agree.
fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().ok()
}

/// The relative paths of a rig or a part, as they are written.
fn relative_paths(source: SourceId, text: &str) -> Vec<String> {
    let Some(doc) = bone_format::read(source, text, &mut Diagnostics::new()) else { return Vec::new() };
    let paths = doc.drawing.into_iter().chain(doc.include).map(|path| path.value);
    paths.filter(|path| Path::new(path).is_relative()).collect()
}
