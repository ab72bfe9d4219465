//! `init`: writes a scaffold of a rig for a drawing; another file is replaced only on request. With
//! `--update` it updates the positions of the bones of an existing rig.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bone_authoring::{BoneReport, BoneStyle, FileNames, Scaffold, scaffold_with, update_bones};
use bone_format::span::SourceId;
use bone_format::text::Syntax;
use bone_format::{Diagnostics, Files, convert, fontdb, new_file, replace_file};

use crate::args::InitArgs;
use crate::edited_rig::relative;
use crate::exit::Exit;
use crate::output_name;
use crate::report::{self, print_line};
use crate::steps::StepLog;

pub(crate) fn run(args: &InitArgs) -> Exit {
    match (&args.update, &args.drawing) {
        (Some(rig), _) => update(args, rig),
        (None, Some(drawing)) => first(args, drawing),
        // clap requires one of the two arguments.
        (None, None) => Exit::Usage,
    }
}

fn first(args: &InitArgs, drawing: &Path) -> Exit {
    let beside = drawing.with_extension("ron");
    let rig = match &args.output {
        // In a folder the rig gets the name of the drawing.
        Some(folder) if folder.is_dir() => folder.join(beside.file_name().unwrap_or_default()),
        Some(rig) => rig.clone(),
        None => beside,
    };
    let on_screen = rig.as_os_str() == "-";
    if rig.canonicalize().is_ok_and(|rig| drawing.canonicalize().is_ok_and(|drawing| rig == drawing)) {
        return Exit::Usage.because(format!("{} is the drawing: choose another name with -o", rig.display()));
    }
    let notation = match output_name::notation(&rig) {
        Ok(notation) => notation,
        Err(_) if on_screen => Syntax::Ron,
        Err(message) => {
            return Exit::Usage.because(message);
        }
    };
    if !on_screen && !args.existing.replace() && rig.symlink_metadata().is_ok() {
        return taken(&rig);
    }
    let folder = if on_screen { Path::new("") } else { rig.parent().unwrap_or(Path::new("")) };
    let named = relative(folder, drawing);
    let shown = if on_screen { "rig.ron".to_owned() } else { rig.display().to_string() };
    let mut steps = StepLog::new(args.verbosity.verbose);
    let read = Arc::new(args.reading.files());
    let files = Arc::clone(&read) as Arc<dyn Files>;
    // The scaffold is loaded several times, and fonts are searched once.
    let fonts = std::cell::OnceCell::<fontdb::Database>::new();
    let style = if args.lines { BoneStyle::Lines } else { BoneStyle::Coordinates };
    let style = (style, args.turn.as_deref());
    let first = scaffold_with(style, drawing, FileNames { drawing: &named, rig: &shown }, &files, &|| {
        fonts.get_or_init(crate::fonts::fonts).clone()
    });
    steps.finished(&format!("read {} and made a scaffold for it", drawing.display()));
    report::show(&first.diagnostics, &first.sources, !args.verbosity.quiet);
    let Some(made) = first.rig else { return Exit::Mistakes };
    if on_screen {
        return report::print_result(made.text);
    }
    if let Err(message) = read.inputs().check(&rig, "rig") {
        return Exit::Usage.because(message);
    }
    let text = match notation {
        Syntax::Ron => Some(made.text.clone()),
        Syntax::Json => convert(SourceId::default(), &made.text, Syntax::Json, &mut Diagnostics::new()),
    };
    // The text was read when it was made.
    let Some(text) = text else { return Exit::Failed };
    match new_file(&rig, text.as_bytes(), args.existing.replace()) {
        Ok(()) => {
            steps.finished(&format!("wrote {shown}"));
            if !args.verbosity.quiet {
                print_line(&summary(&made, &shown, notation));
            }
            Exit::Fine
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken(&rig),
        Err(error) => {
            Exit::Failed.because(format!("\"{shown}\" cannot be written: {}", report::reason(&error, folder)))
        }
    }
}

/// Updates the positions of bones in a rig and its included files, each file atomically.
fn update(args: &InitArgs, rig: &Path) -> Exit {
    let mut steps = StepLog::new(args.verbosity.verbose);
    let files: Arc<dyn Files> = Arc::new(args.reading.files());
    let fonts = Arc::new(OnceLock::<fontdb::Database>::new());
    let updated = update_bones(rig, &files, move || fonts.get_or_init(crate::fonts::fonts).clone());
    steps.finished(&format!("read {} and the lines of its drawing", rig.display()));
    report::show(&updated.diagnostics, &updated.sources, !args.verbosity.quiet);
    let Some(found) = updated.report else { return Exit::Mistakes };
    for (source, text) in &updated.texts {
        let (name, old) = (updated.sources.name(*source), updated.sources.text(*source));
        if let Err(error) = replace_file(Path::new(name), old.as_bytes(), text.as_bytes()) {
            return Exit::Failed.because(format!("\"{name}\" cannot be written: {error}; it is unchanged"));
        }
        steps.finished(&format!("wrote {name}"));
    }
    if !args.verbosity.quiet {
        print_line(&changes(&found, &rig.display().to_string()));
    }
    Exit::Fine
}

/// A summary of the bones: a line with numbers, and their names.
fn changes(found: &BoneReport, rig: &str) -> String {
    let kept = match found.unchanged {
        0 => String::new(),
        1 => "1 as it was".to_owned(),
        n => format!("{n} as they were"),
    };
    let counts = [
        (found.moved.len(), "moved"),
        (found.reparented.len(), "with another parent"),
        (found.added.len(), "added"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut message: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    if message.is_empty() {
        message.push("no bone changed".to_owned());
    }
    if !kept.is_empty() {
        message.push(kept);
    }
    let hung: Vec<String> =
        found.reparented.iter().map(|(bone, parent)| format!("{bone} (on {parent})")).collect();
    let lists = [
        ("moved", &found.moved),
        ("with another parent", &hung),
        ("added", &found.added),
        ("keep their parents, although their lines do not touch them", &found.detached),
        ("without a line in the drawing, left as they are", &found.without_line),
    ];
    let listed = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let lines = listed.map(|(what, names)| format!("\n  {what}: {}", names.join(", ")));
    format!("{rig}: {}{}", message.join(", "), lines.collect::<String>())
}

fn summary(made: &Scaffold, rig: &str, notation: Syntax) -> String {
    let some = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let bones = match made.drawn {
        true => format!("{} from the lines of the drawing", some(made.bones, "bone")),
        false => "one bone, as the drawing has no layer called \"bones\"".to_owned(),
    };
    let left = match made.unbound {
        0 => String::new(),
        left if notation == Syntax::Json => {
            format!(", {left} not: comments in a .ron say why, and JSON has none")
        }
        left => format!(", {left} not: comments in the rig say why"),
    };
    format!(
        "{rig}: {bones}, {} of art bound{left}\nsee it move: render-frames {rig} -o frames/",
        some(made.bound, "piece")
    )
}

fn taken(rig: &Path) -> Exit {
    let rig = rig.display();
    print_line(&format!(
        "error: \"{rig}\" exists already\n  help: write another file with -o, or replace it with --force"
    ));
    Exit::Usage
}
