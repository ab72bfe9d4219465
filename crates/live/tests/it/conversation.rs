//! A page and the server, message by message: `conversation.txt` has what a page sends (`>`) and all that it
//! gets (`<`). `RENEW=1` writes the answers anew.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Page, Received, arm};

/// Messages that come or do not, by the time that something takes.
const BY_TIME: [&str; 2] = ["busy", "watch"];

/// What a page gets until the answer to its request, and what follows in the same moment.
fn answers(page: &mut Page, request: &Value) -> Vec<Value> {
    let is_answered = |answer: &Value| {
        let is_of = |key: &str| !request[key].is_null() && answer[key] == request[key];
        answer["t"] != "progress" && (is_of("id") || is_of("seq") || answer["t"] == "error")
    };
    let mut all = Vec::new();
    loop {
        match page.next().expect("the connection goes on") {
            Received::Text(answer) => {
                let is_last = is_answered(&answer);
                if !BY_TIME.iter().any(|kind| answer["t"] == *kind) {
                    all.push(answer);
                }
                if is_last {
                    return all;
                }
            }
            Received::Bytes(_) if request["t"] == "png" => return vec![json!("a picture")],
            Received::Bytes(_) => {}
        }
    }
}

#[test]
fn a_conversation_is_repeated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conversation.txt");
    let expected = std::fs::read_to_string(&path).expect("the conversation");
    let served = arm();
    let mut pages = [served.page(), served.page()];
    let mut found = String::new();
    for line in expected.lines().filter(|line| !line.starts_with('<')) {
        found += &format!("{line}\n");
        // The second page is another person.
        let (page, text) = match (line.strip_prefix("> "), line.strip_prefix(">> ")) {
            (Some(text), _) => (&mut pages[0], text),
            (_, Some(text)) => (&mut pages[1], text),
            _ => continue,
        };
        let request: Value = serde_json::from_str(text).expect("a request");
        page.send(&request);
        if request.get("id").or(request.get("seq")).is_none() {
            continue;
        }
        for answer in answers(page, &request) {
            // The folder has another name each time.
            found += &format!("< {answer}\n").replace(&*served.folder.path().to_string_lossy(), "");
        }
    }
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(&path, found).expect("the conversation");
        return;
    }
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
