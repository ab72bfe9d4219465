//! `weights`: changes the weights of a rig and prints or writes them. New bindings go to standard output,
//! messages to standard error.

use std::sync::Arc;

use bone_format::Diagnostics;
use bone_format::edit::{
    EditError, Edited, EditedBinding, MirrorFrom, Prune, Smooth, WeightEditor, edit_weights,
};
use bone_format::session::text::Style;
use bone_format::session::{DocPath, Session};
use bone_format::span::Sources;

use crate::args::{Existing, MirrorWay, WeightsArgs};
use crate::edited_rig;
use crate::exit::Exit;
use crate::report::{self, print_line};

pub(crate) fn run(args: &WeightsArgs) -> Exit {
    let mut session = Session::open(&args.rig, Arc::new(args.files.files()), crate::fonts::fonts);
    report::show(session.diagnostics(), session.sources(), session.is_current());
    let before = session.sources().clone();
    let arts: Vec<&str> = args.art.iter().map(String::as_str).collect();
    let edited = match edit_weights(&mut session, &arts, |editor| change(args, editor)) {
        Ok(edited) => edited,
        Err(error) => return refused(&error, &before),
    };
    for note in &edited.notes {
        print_line(&format!("note: {note}"));
    }
    edited.bindings.iter().for_each(tell);
    let printed = match (args.json, args.write) {
        (true, _) => format!("{:#}\n", json(args, &edited, &session, &before)),
        (false, true) => String::new(),
        (false, false) => {
            let bindings = edited.bindings.iter();
            let texts = bindings.map(|binding| (indent(binding, &before), text(binding, &session, &before)));
            texts.map(|(indent, text)| format!("{indent}{text},\n")).collect()
        }
    };
    if !printed.is_empty() {
        let exit = report::print_result(printed);
        if exit != Exit::Fine {
            return exit;
        }
    }
    let rig = args.rig.display();
    if !edited.is_changed() {
        print_line(&format!("{rig}: nothing to do: {}", nothing(args, &session)));
        return Exit::Fine;
    }
    if !args.write {
        print_line(&format!("{rig}: nothing is written without --write"));
        return Exit::Fine;
    }
    match edited_rig::save(&mut session, &args.rig, &args.rig, Existing::Overwrite) {
        Ok(files) => {
            let count = edited.bindings.len();
            print_line(&format!("{files}: {count} binding{} written", if count == 1 { "" } else { "s" }));
            Exit::Fine
        }
        Err(error) => Exit::Failed.because(format!("{error}; it is unchanged")),
    }
}

fn change(args: &WeightsArgs, editor: &mut WeightEditor<'_>) -> Result<(), EditError> {
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
    Ok(())
}

/// The indentation of a binding.
fn indent<'s>(binding: &EditedBinding, before: &'s Sources) -> &'s str {
    Style::indent_at(before.text(binding.source), binding.span.range().start)
}

/// The bindings in the place of one, as their file has them.
fn text(binding: &EditedBinding, session: &Session, before: &Sources) -> String {
    let places = (binding.index..).take(binding.paths.len());
    let texts = places.filter_map(|index| session.written(&DocPath::from(["skin"]).index(index)).ok());
    texts.collect::<Vec<_>>().join(&format!(",\n{}", indent(binding, before)))
}

fn refused(error: &EditError, sources: &Sources) -> Exit {
    match error {
        EditError::Unwritable(diagnostic) => {
            let mut all = Diagnostics::new();
            all.push((**diagnostic).clone());
            report::show(&all, sources, true);
            Exit::Mistakes
        }
        EditError::Request { message, help } => {
            print_line(&format!("error: {message}"));
            if !help.is_empty() {
                print_line(&format!("  help: {help}"));
            }
            Exit::Usage
        }
        other => Exit::Mistakes.because(other),
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
fn nothing(args: &WeightsArgs, session: &Session) -> &'static str {
    use bone_format::doc::BindingDoc;
    let bends = |binding: &BindingDoc| !matches!(binding, BindingDoc::Rigid(_) | BindingDoc::Puppet(_));
    let asked =
        args.smooth.is_some() || args.mirror.is_some() || args.prune.is_some() || args.threshold.is_some();
    if !session.doc().is_some_and(|doc| doc.skin.iter().any(bends)) {
        "no art deforms"
    } else if asked {
        "all weights have these values already"
    } else {
        "all weights are typed already; change them with --smooth, --mirror, --prune or --threshold"
    }
}

fn json(args: &WeightsArgs, edited: &Edited, session: &Session, before: &Sources) -> serde_json::Value {
    let skeleton = session.rig().map(|rig| rig.skeleton());
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
            "file": before.name(binding.source),
            "bytes": [binding.span.start, binding.span.end],
            "text": text(binding, session, before),
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
