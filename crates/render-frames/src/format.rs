//! `format`: what may stand in a rig file, for people and for editors.

use std::fmt::Write as _;

use rig::Table;
use rig::diagnostic::nearest;
use serde_json::{Value, json};

use crate::args::Format_;
use crate::exit::Exit;
use crate::picture::complain;
use crate::report;

/// Columns of the terminal that are written to.
const WIDTH: usize = 96;

pub(crate) fn run(args: &Format_) -> Exit {
    let mut tables = rig::format();
    if let Some(wanted) = &args.table {
        let same = |table: &Table| table.name.eq_ignore_ascii_case(wanted);
        if !tables.iter().any(same) {
            let near = nearest(wanted, tables.iter().map(|table| table.name));
            let hint = near.map_or_else(
                || "`render-frames format` tells what there is".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            complain(&format!("a rig file has no part called {wanted}: {hint}"));
            return Exit::Usage;
        }
        tables.retain(same);
    }
    let text = match (args.json, tables.as_slice()) {
        (true, tables) => format!("{:#}\n", as_json(tables)),
        (false, [table]) => in_full(table),
        (false, tables) => in_short(tables),
    };
    report::printed(text)
}

fn as_json(tables: &[Table]) -> Value {
    let field = |field: &rig::Field| {
        json!({
            "name": field.name,
            "type": field.of,
            "words": field.words().collect::<Vec<_>>(),
            "required": field.default.is_none(),
            "default": field.default,
            "example": field.example,
            "meaning": field.meaning,
        })
    };
    let table = |table: &Table| json!({ "name": table.name, "fields": table.fields.iter().map(field).collect::<Vec<_>>() });
    json!({ "version": 1, "tables": tables.iter().map(table).collect::<Vec<_>>() })
}

/// Every part with the names of its fields.
fn in_short(tables: &[Table]) -> String {
    let mut text = String::new();
    for table in tables {
        let names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        let _ = write!(text, "{:<12}", table.name);
        wrap(&names.join(", "), 12, &mut text);
    }
    text.push_str("\n`render-frames format Bone` tells more of a part.\n");
    text
}

/// One part with all that is known of its fields.
fn in_full(table: &Table) -> String {
    let mut text = format!("{}\n", table.name);
    for field in &table.fields {
        let plain = |markdown: &str| markdown.replace('`', "");
        let otherwise = match field.default {
            Some(default) => format!("otherwise {}", plain(default)),
            None => "required".to_owned(),
        };
        let _ = write!(text, "\n  {:<14}", field.name);
        wrap(&format!("{}; {otherwise}", plain(field.of)), 16, &mut text);
        text.push_str(&" ".repeat(16));
        wrap(&plain(&without_links(field.meaning)), 16, &mut text);
        let _ = writeln!(text, "{}{}: {}", " ".repeat(16), field.name, field.example);
    }
    text
}

/// `[text](target)` as text.
fn without_links(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, (words, after))) = rest.split_once('[').and_then(|(before, link)| {
        let (words, link) = link.split_once("](")?;
        Some((before, (words, link.split_once(')')?.1)))
    }) {
        text.push_str(before);
        text.push_str(words);
        rest = after;
    }
    text + rest
}

/// Writes words on lines that begin at a column; the first one has begun.
fn wrap(words: &str, column: usize, out: &mut String) {
    let mut at = column;
    for word in words.split(' ') {
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
