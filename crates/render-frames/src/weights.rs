//! `weights`: changes the weights of a rig and prints or writes them. New bindings go to standard output,
//! messages to standard error.

use std::path::Path;
use std::sync::Arc;

use bone_format::edit::{EditError, Edited, EditedBinding, MirrorFrom, Prune, Smooth, WeightEditor};
use bone_format::{Diagnostics, Loaded, load, replace_file};

use crate::args::{MirrorWay, WeightsArgs};
use crate::exit::Exit;
use crate::report::{self, print_line};

pub(crate) fn run(args: &WeightsArgs) -> Exit {
    let loaded = load(&args.rig, Arc::new(args.files.files()), &crate::fonts::fonts);
    report::show(&loaded.diagnostics, &loaded.sources, loaded.rig.is_some());
    let edited = match edit(args, &loaded) {
        Ok(edited) => edited,
        Err(error) => return refused(&error, &loaded),
    };
    for note in &edited.notes {
        print_line(&format!("note: {note}"));
    }
    edited.bindings.iter().for_each(tell);
    if args.json {
        let exit = report::print_result(format!("{:#}\n", json(args, &edited, &loaded)));
        if exit != Exit::Fine {
            return exit;
        }
    }
    let rig = args.rig.display();
    if !edited.is_changed() {
        print_line(&format!("{rig}: nothing to do: {}", nothing(args, &loaded)));
        return Exit::Fine;
    }
    if !args.write {
        if !args.json {
            let bindings = edited.bindings.iter().map(|binding| {
                let before = &loaded.sources.text(binding.source)[..binding.span.range().start];
                let indent = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
                // The text as in the file, with the indentation of its first line.
                format!("{}{},\n", if indent.trim().is_empty() { indent } else { "" }, binding.text)
            });
            let exit = report::print_result(bindings.collect::<String>());
            if exit != Exit::Fine {
                return exit;
            }
        }
        print_line(&format!("{rig}: nothing is written without --write"));
        return Exit::Fine;
    }
    written(&edited, &loaded)
}

/// Writes every changed file atomically.
fn written(edited: &Edited, loaded: &Loaded) -> Exit {
    let own = loaded.doc.as_ref().map(|doc| (doc.source, edited.text.as_str()));
    let parts = edited.parts.iter().map(|(source, text)| (*source, text.as_str()));
    for (source, text) in own.into_iter().chain(parts) {
        let (name, old) = (loaded.sources.name(source), loaded.sources.text(source));
        let count = edited.bindings.iter().filter(|binding| binding.source == source).count();
        if count == 0 {
            continue;
        }
        if let Err(error) = replace_file(Path::new(name), old.as_bytes(), text.as_bytes()) {
            print_line(&format!("error: \"{name}\" cannot be written: {error}; it is unchanged"));
            return Exit::Failed;
        }
        print_line(&format!("{name}: {count} binding{} written", if count == 1 { "" } else { "s" }));
    }
    Exit::Fine
}

fn edit(args: &WeightsArgs, loaded: &Loaded) -> Result<Edited, EditError> {
    let arts: Vec<&str> = args.art.iter().map(String::as_str).collect();
    let mut editor = WeightEditor::new(loaded, &arts)?;
    args.lock.iter().try_for_each(|bone| editor.lock(bone))?;
    if let Some(iterations) = args.smooth {
        editor.smooth(Smooth { strength: args.strength, iterations: usize::from(iterations) });
    }
    if let Some(way) = args.mirror {
        let from = match way {
            MirrorWay::LeftToRight => MirrorFrom::Left,
            MirrorWay::RightToLeft => MirrorFrom::Right,
            MirrorWay::Swap => MirrorFrom::Swap,
        };
        editor.mirror(from, args.axis)?;
    }
    if args.prune.is_some() || args.threshold.is_some() {
        let threshold = args.threshold.unwrap_or_default();
        editor.prune(Prune { most: args.prune.map(usize::from), threshold });
    }
    editor.finish()
}

fn refused(error: &EditError, loaded: &Loaded) -> Exit {
    match error {
        EditError::Unwritable(diagnostic) => {
            let mut all = Diagnostics::new();
            all.push((**diagnostic).clone());
            report::show(&all, &loaded.sources, true);
            Exit::Mistakes
        }
        EditError::Request { message, help } => {
            print_line(&format!("error: {message}"));
            if !help.is_empty() {
                print_line(&format!("  help: {help}"));
            }
            Exit::Usage
        }
        other => {
            print_line(&format!("error: {other}"));
            Exit::Mistakes
        }
    }
}

/// Prints the change of each binding, one line for each path.
fn tell(binding: &EditedBinding) {
    for path in &binding.paths {
        let (art, count) = (&path.art, path.rows.len());
        let cost = match (path.moved, path.lost) {
            (moved, lost) if lost > 0.0 && moved == lost => {
                format!("within {lost:.2} px of the weights found")
            }
            (moved, lost) if lost > 0.0 => {
                format!("moves by up to {moved:.2} px ({lost:.2} px by writing weights)")
            }
            (moved, _) => format!("moves by up to {moved:.2} px"),
        };
        print_line(&format!("art \"{art}\": {count} vertices, {cost} as a joint bends by 150 degrees"));
        if path.lost > MUCH {
            print_line(
                "  help: weights change between vertices there: add vertices near the joint in the drawing program, or keep it Smooth",
            );
        }
    }
}

/// The smallest visible distance in pixels.
const MUCH: f64 = 2.0;

/// Why nothing changed.
fn nothing(args: &WeightsArgs, loaded: &Loaded) -> &'static str {
    use bone_format::doc::BindingDoc;
    let bends = |binding: &BindingDoc| !matches!(binding, BindingDoc::Rigid(_));
    let asked =
        args.smooth.is_some() || args.mirror.is_some() || args.prune.is_some() || args.threshold.is_some();
    if !loaded.doc.as_ref().is_some_and(|doc| doc.skin.iter().any(bends)) {
        "no art deforms"
    } else if asked {
        "all weights have these values already"
    } else {
        "all weights are typed already; change them with --smooth, --mirror, --prune or --threshold"
    }
}

fn json(args: &WeightsArgs, edited: &Edited, loaded: &Loaded) -> serde_json::Value {
    let skeleton = loaded.rig.as_ref().map(bone_rig::Rig::skeleton);
    let row = |row: &bone_format::edit::BoneWeights| {
        let named = row
            .influences()
            .iter()
            .filter_map(|(bone, weight)| Some((skeleton?.name(*bone).to_owned(), serde_json::json!(weight))));
        serde_json::Value::Object(named.collect())
    };
    let vertex = |vertex: &bone_format::edit::VertexWeights| {
        serde_json::json!({
            "anchor": row(&vertex.anchor),
            "in": vertex.tangent_in.as_ref().map(row),
            "out": vertex.tangent_out.as_ref().map(row),
        })
    };
    let path = |path: &bone_format::edit::EditedPath| {
        serde_json::json!({
            "art": path.art,
            "moved": path.moved,
            "lost": path.lost,
            "vertices": path.rows.iter().map(vertex).collect::<Vec<_>>(),
        })
    };
    let binding = |binding: &EditedBinding| {
        serde_json::json!({
            "art": match binding.art.as_slice() {
                [one] => serde_json::json!(one),
                several => serde_json::json!(several),
            },
            "file": loaded.sources.name(binding.source),
            "bytes": [binding.span.start, binding.span.end],
            "text": binding.text,
            "paths": binding.paths.iter().map(path).collect::<Vec<_>>(),
        })
    };
    serde_json::json!({
        "rig": args.rig.display().to_string(),
        "write": args.write && edited.is_changed(),
        "bindings": edited.bindings.iter().map(binding).collect::<Vec<_>>(),
        "notes": edited.notes,
    })
}
