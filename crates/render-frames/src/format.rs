//! `format`: prints the fields of a rig file, as text or as JSON.

use std::fmt::Write as _;

use bone_format::FormatTable;
use bone_format::diagnostic::nearest;
use serde_json::{Value, json};

use crate::args::FormatArgs;
use crate::exit::Exit;
use crate::report::{self, print_line};

/// The width of the text in columns.
const WIDTH: usize = 96;

pub(crate) fn run(args: &FormatArgs) -> Exit {
    if args.schema {
        return report::print_result(bone_format::json_schema());
    }
    let mut tables = bone_format::format();
    tables.extend(bone_format::scene_format());
    if let Some(wanted) = &args.table {
        let same = |table: &FormatTable| table.name.eq_ignore_ascii_case(wanted);
        if !tables.iter().any(same) {
            let near = nearest(wanted, tables.iter().map(|table| table.name));
            let hint = near.map_or_else(
                || "`render-frames format` lists all tables".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            print_line(&format!("a rig file has no table called {wanted}: {hint}"));
            return Exit::Usage;
        }
        tables.retain(same);
    }
    let text = match (args.json, tables.as_slice()) {
        (true, tables) => format!("{:#}\n", as_json(tables)),
        (false, [table]) => in_full(table),
        (false, tables) => in_short(tables),
    };
    report::print_result(text)
}

fn as_json(tables: &[FormatTable]) -> Value {
    let field = |field: &bone_format::FormatField| {
        json!({
            "name": field.name,
            "type": field.of,
            "words": field.words().collect::<Vec<_>>(),
            "required": field.default.is_none(),
            "default": field.default,
            "example": field.example,
            "meaning": field.meaning,
            "synonyms": field.synonyms,
        })
    };
    let table = |table: &FormatTable| json!({ "name": table.name, "fields": table.fields.iter().map(field).collect::<Vec<_>>() });
    json!({ "version": 1, "tables": tables.iter().map(table).collect::<Vec<_>>() })
}

/// Every table with the names of its fields.
fn in_short(tables: &[FormatTable]) -> String {
    let mut text = String::new();
    for table in tables {
        let names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        let _ = write!(text, "{:<12}", table.name);
        wrap(&names.join(", "), 12, &mut text);
    }
    text.push_str("\n`render-frames format Bone` prints one table.\n");
    text
}

/// One table with the details of its fields.
fn in_full(table: &FormatTable) -> String {
    let mut text = format!("{}\n", table.name);
    for field in &table.fields {
        let plain = |markdown: &str| markdown.replace('`', "");
        let otherwise = match field.default {
            Some(default) => format!("otherwise {}", plain(default)),
            None => "required".to_owned(),
        };
        let _ = write!(text, "\n  {:<14}", field.name);
        wrap(&format!("{}; {otherwise}", plain(&field.of)), 16, &mut text);
        text.push_str(&" ".repeat(16));
        wrap(&plain(&without_links(&field.meaning)), 16, &mut text);
        let _ = writeln!(text, "{}{}: {}", " ".repeat(16), field.name, field.example);
    }
    text
}

/// Replaces `[text](target)` with the text.
fn without_links(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, (message, after))) = rest.split_once('[').and_then(|(before, link)| {
        let (message, link) = link.split_once("](")?;
        Some((before, (message, link.split_once(')')?.1)))
    }) {
        text.push_str(before);
        text.push_str(message);
        rest = after;
    }
    text + rest
}

/// Appends text, wrapped so that all lines but the first are indented to a column.
fn wrap(message: &str, column: usize, out: &mut String) {
    let mut at = column;
    for word in message.split(' ') {
        let length = word.chars().count();
        if at > column && at + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(column));
            at = column;
        } else if at > column {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += length;
    }
    out.push('\n');
}
