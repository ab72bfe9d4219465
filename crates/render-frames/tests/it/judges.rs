//! Files in the players that they are for: `tests/judges` has what compares them. The tests need the folder of
//! `tests/judges/install.sh` in `JUDGES`, and fail without it if `REQUIRE_PLAYERS` is set.

use std::process::Command;

use crate::command::{repository, skip};

/// Runs a judge with the program.
fn judged(test: &str, script: &str, words: &[&str]) {
    if std::env::var_os("JUDGES").is_none() {
        skip(test, "players: tests/judges/install.sh FOLDER, and JUDGES=FOLDER", Some("REQUIRE_PLAYERS"));
        return;
    }
    compared(script, words);
}

fn compared(script: &str, words: &[&str]) {
    let mut command = Command::new("python3");
    command.arg(repository(script)).arg(env!("CARGO_BIN_EXE_render-frames")).args(words);
    let output = command.output().expect("python3");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    println!("{text}");
}

#[test]
fn films_of_synfig_are_drawn_as_by_its_command_line() {
    let test = "films_of_synfig_are_drawn_as_by_its_command_line";
    if Command::new("synfig").arg("--version").output().is_err() {
        skip(test, "synfig: apt-get install synfig", Some("REQUIRE_JUDGES"));
        return;
    }
    compared("tests/judges/synfig.py", &[]);
}

/// A character, drivers and switches, draw order, clip paths that bend and move, masks and filters, a gradient that
/// moves by itself; margins, other proportions and parts of the drawing. All examples take minutes:
/// `tests/judges/compare.py` without names.
#[test]
fn vector_files_are_drawn_by_players_as_by_the_engine() {
    let test = "vector_files_are_drawn_by_players_as_by_the_engine";
    let views = [
        "first-bone --margin 30",
        "walk --size 500x300",
        "walk --view 200,100,300,400 --size 300x300 --margin 10 --background #eef",
    ];
    let names = [
        "walk",
        "face",
        "art",
        "clips",
        "round_paint",
        "keyed_paint",
        "trim",
        "controls",
        "tint",
        "title",
        "shapes",
        "texts",
        "filters",
    ]
    .into_iter()
    .chain(views);
    judged(test, "tests/judges/compare.py", &names.collect::<Vec<_>>());
}

#[test]
fn sheets_and_animations_are_drawn_by_engines_and_browsers_frame_by_frame() {
    let test = "sheets_and_animations_are_drawn_by_engines_and_browsers_frame_by_frame";
    judged(test, "tests/judges/sheets.py", &[]);
}

#[test]
fn each_property_is_drawn_by_players_or_reported() {
    judged("each_property_is_drawn_by_players_or_reported", "tests/judges/properties.py", &[]);
}

#[test]
fn stickers_are_within_the_rules_of_services_by_the_readers_of_others() {
    let test = "stickers_are_within_the_rules_of_services_by_the_readers_of_others";
    judged(test, "tests/judges/deliveries.py", &[]);
}
