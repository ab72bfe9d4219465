//! What documents say of the messages: `page/types.d.ts` and the tables of `PROTOCOL.md`. `RENEW=1` writes them.

use std::path::Path;

use super::reply::{
    ActorFacts, Art, Bone, Clip, ConflictPlace, HitArt, HitBone, Lost, MachineFacts, MachineKnob,
    OutfitFacts, OvertakenPlace, ReplacedArt, Reply, RigFile, RuleFacts, ShotPart, StateArrow, StateBox,
    StateCondition, StatesFacts, Track, TrackKey, WeightBinding, WeightPath, WeightStroke,
};
use super::request::{GrabWish, OnionWish, PlayWish, Request};
use crate::describe::{Constraint, EventFacts, Finding, Findings, Follows, Related, SoundFacts, TextPlace};
use crate::message::{FieldText, RecordText, WireEnum, WireRecord as _};
use crate::server::pose::ChannelState;
use crate::server::rows::{PropertyFacts, RowKey, RowOwner, SliderFacts};

/// The longest line of the types.
const LINE: usize = 110;

/// The fields of a record in TypeScript. Of what a page sends, fields that are null may be left out.
fn fields(text: &RecordText, is_sent: bool) -> Vec<String> {
    let field = |field: &FieldText| {
        let left_out = field.may_be_left_out && (is_sent || !field.kind.ends_with("| null"));
        let mark = if left_out && (is_sent || field.kind != "any") { "?" } else { "" };
        format!("{}{mark}: {}", field.name, field.kind)
    };
    text.fields.iter().map(field).collect()
}

/// A type with its fields, in lines that are not too long.
fn object(start: &str, fields: &[String], end: &str) -> String {
    let (mut text, mut line) = (String::new(), start.to_owned());
    for (at, field) in fields.iter().enumerate() {
        let last = at + 1 == fields.len();
        let field = format!(" {field}{}", if last { "" } else { "," });
        if line.len() + field.len() + if last { end.len() } else { 0 } > LINE {
            text += &format!("{line}\n");
            line = "   ".to_owned();
        }
        line += &field;
    }
    format!("{text}{line}{end}\n")
}

fn union<U: WireEnum>(name: &str, is_sent: bool) -> String {
    let mut text = format!("declare type {name} =\n");
    for one in U::texts() {
        let tag = format!("{}: \"{}\"", U::TAG, one.name);
        let all: Vec<String> = std::iter::once(tag).chain(fields(&one, is_sent)).collect();
        text += &object("  | {", &all, " }");
    }
    text.trim_end().to_owned() + ";\n"
}

/// The types of all messages of the live page, in TypeScript.
fn types() -> String {
    let records = [
        (OnionWish::text(), true),
        (PlayWish::text(), true),
        (TextPlace::text(), false),
        (Related::text(), false),
        (Finding::text(), false),
        (Findings::text(), false),
        (Follows::text(), false),
        (Art::text(), false),
        (Bone::text(), false),
        (Constraint::text(), false),
        (RuleFacts::text(), false),
        (TrackKey::text(), false),
        (Track::text(), false),
        (EventFacts::text(), false),
        (SoundFacts::text(), false),
        (Clip::text(), false),
        (RigFile::text(), false),
        (Lost::text(), false),
        (ChannelState::text(), false),
        (RowOwner::text(), true),
        (RowKey::text(), true),
        (PropertyFacts::text(), false),
        (SliderFacts::text(), false),
        (OutfitFacts::text(), false),
        (MachineKnob::text(), false),
        (StateBox::text(), false),
        (StateCondition::text(), false),
        (StateArrow::text(), false),
        (StatesFacts::text(), false),
        (MachineFacts::text(), false),
        (OvertakenPlace::text(), false),
        (ConflictPlace::text(), false),
        (HitBone::text(), false),
        (HitArt::text(), false),
        (WeightPath::text(), false),
        (WeightStroke::text(), false),
        (WeightBinding::text(), false),
        (ReplacedArt::text(), false),
        (ShotPart::text(), false),
        (ActorFacts::text(), false),
    ];
    let mut all = String::new();
    for (text, is_sent) in records {
        all += &format!("/** {} */\n", text.about);
        all += &object(&format!("declare type {} = {{", text.name), &fields(&text, is_sent), " };");
    }
    all + &union::<GrabWish>("GrabWish", true)
        + &union::<Request>("PageMessage", true)
        + &union::<Reply>("ServerMessage", false)
}

/// The tables of all messages: of what a drag does, of a page, of its operations, and of the server.
fn tables() -> [(&'static str, String); 4] {
    let table = |tag: &str, texts: Vec<RecordText>, is_sent: bool| {
        let mut table = format!("| `{tag}` | fields | |\n|---|---|---|\n");
        for text in texts {
            let fields = fields(&text, is_sent);
            let fields: Vec<String> =
                fields.iter().map(|it| format!("`{}`", it.replace(" | ", " or "))).collect();
            table += &format!("| `{}` | {} | {} |\n", text.name, fields.join(", "), text.about);
        }
        table
    };
    [
        ("grabs", table("kind", GrabWish::texts(), true)),
        ("requests", table("t", Request::texts(), true)),
        ("operations", table("op", super::op::texts(), true)),
        ("replies", table("t", Reply::texts(), false)),
    ]
}

/// A text with another part between two lines that mark it.
fn with_part(text: &str, begin: &str, end: &str, part: &str) -> String {
    let (before, rest) = text.split_once(begin).unwrap_or_else(|| panic!("{begin} is missing"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("{end} is missing"));
    format!("{before}{begin}\n{part}{end}{after}")
}

fn compare(name: &str, change: impl FnOnce(String) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = std::fs::read_to_string(&path).expect("the file");
    let wanted = change(text.clone());
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(&path, wanted).expect("the file");
    } else {
        assert!(text == wanted, "{name} is behind the messages: RENEW=1 writes it anew");
    }
}

#[test]
fn documents_have_all_messages() {
    compare("page/types.d.ts", |text| {
        with_part(&text, "// Written from the messages of the server.", "// End.", &types())
    });
    compare("PROTOCOL.md", |text| {
        tables().iter().fold(text, |text, (name, table)| {
            with_part(&text, &format!("<!-- {name} -->"), "<!-- end -->", table)
        })
    });
}
