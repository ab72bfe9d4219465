//! Other programs: their saves are shown at once, their mistakes leave the last good picture, and their changes
//! and those of the page are both kept.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::arm;
use crate::client::{Page, Served};
use crate::rigs::{ARM, ARM_SVG};

/// A page shows a save within this time.
const SHOWN: Duration = Duration::from_millis(200);
/// Tests share the machine.
const SLACK: u32 = 3;

fn key(value: f64) -> serde_json::Value {
    json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": value }])
}

fn swing(value: u32) -> String {
    ARM.replace("(1, 20)]", &format!("(1, {value})]"))
}

fn replace(path: &Path, text: &str) {
    let other = path.with_extension("swp");
    fs::write(&other, text).expect("a file");
    fs::rename(other, path).expect("a rename");
}

/// The value of the key that [`swing`] sets.
fn swings(page: &Page) -> f64 {
    page.state["clips"]["nod"]["tracks"][0]["keys"][1]["v"].as_f64().expect("a value")
}

#[test]
fn saves_are_shown_once_however_they_are_made() {
    for poll in [false, true] {
        let files = [("rig.ron", ARM), ("arm.svg", ARM_SVG)];
        let served = Served::with(&files, |options| options.poll = poll);
        let mut page = served.page();
        let how = page.until("watch");
        assert_eq!(how["how"], if poll { "polling" } else { "events" });
        let mut value = 30;
        type Save<'a> = &'a dyn Fn(&Path, u32);
        let ways: [(&str, Save<'_>); 4] = [
            ("written", &|path, value| fs::write(path, swing(value)).expect("a file")),
            ("renamed", &|path, value| replace(path, &swing(value))),
            ("deleted and made anew", &|path, value| {
                fs::remove_file(path).expect("it is removed");
                std::thread::sleep(Duration::from_millis(5));
                fs::write(path, swing(value)).expect("a file");
            }),
            ("twice within 10 ms", &|path, value| {
                fs::write(path, swing(value + 500)).expect("a file");
                std::thread::sleep(Duration::from_millis(8));
                fs::write(path, swing(value)).expect("a file");
            }),
        ];
        for (name, way) in ways {
            value += 1;
            page.forget();
            if poll {
                // Times of files have a resolution.
                std::thread::sleep(Duration::from_millis(20));
            }
            let begin = Instant::now();
            way(&served.rig, value);
            let delta = page.until("delta");
            let took = begin.elapsed();
            assert_eq!(delta["by"], "disk", "{name}");
            assert_eq!(swings(&page), f64::from(value), "{name}");
            let most = if poll { Duration::from_secs(2) } else { SHOWN * SLACK };
            assert!(took < most, "{name}: {took:?}");
            let more = page.within(Duration::from_millis(250));
            assert!(!more.iter().any(|message| message["t"] == "delta"), "{name}: {more:?}");
        }
    }
}

#[test]
fn own_writes_and_touches_are_no_changes() {
    let served = arm();
    let mut page = served.page();
    page.edit(key(33.0));
    page.until("delta");
    let more = page.within(Duration::from_millis(300));
    assert!(!more.iter().any(|message| message["t"] == "delta"), "{more:?}");
    fs::write(&served.rig, served.text()).expect("the same again");
    fs::write(served.folder.path().join("other.txt"), "x").expect("another file");
    let more = page.within(Duration::from_millis(300));
    assert!(!more.iter().any(|message| message["t"] == "delta"), "{more:?}");
}

#[test]
fn the_drawing_and_parts_are_followed() {
    let rig = "Rig(version: 1, drawing: \"arm.svg\", include: [\"clips.ron\"], bones: { \"a\": (from: (80, 125), to: (180, 125)) }, skin: [Rigid(art: \"upper\", bone: \"a\")])";
    let clips = |to: u32| {
        format!(
            "Part(version: 1, clips: {{ \"w\": (length: 1, bones: {{ \"a\": (rotate: [(0, 0), (1, {to})]) }}) }})"
        )
    };
    let served = Served::files(&[("rig.ron", rig), ("arm.svg", ARM_SVG), ("clips.ron", &clips(5))]);
    let mut page = served.page();
    let request = json!({ "t": "frame", "clip": null, "time": 0, "size": [200, 150], "paper": "#fff" });
    let before = page.picture(request.clone()).png;
    fs::write(served.folder.path().join("arm.svg"), ARM_SVG.replace("#c43", "#0a0")).expect("a file");
    page.until("delta");
    assert_ne!(page.picture(request).png, before);
    fs::write(served.folder.path().join("clips.ron"), clips(50)).expect("a file");
    page.until("delta");
    assert_eq!(page.state["clips"]["w"]["tracks"][0]["keys"][1]["v"], 50.0);
    // A part that is new is watched from then on.
    fs::write(served.folder.path().join("more.ron"), "Part(version: 1, clips: { \"x\": (length: 1) })")
        .expect("a file");
    fs::write(&served.rig, rig.replace("[\"clips.ron\"]", "[\"clips.ron\", \"more.ron\"]")).expect("a file");
    page.until("delta");
    assert!(page.state["clips"].get("x").is_some());
    page.forget();
    fs::write(served.folder.path().join("more.ron"), "Part(version: 1, clips: { \"y\": (length: 1) })")
        .expect("a file");
    page.until("delta");
    assert!(page.state["clips"].get("y").is_some() && page.state["clips"].get("x").is_none());
}

#[test]
fn a_mistake_leaves_the_last_good_picture() {
    let served = arm();
    let mut page = served.page();
    let request = json!({ "t": "frame", "clip": "wave", "time": 0.5, "size": [200, 150] });
    let good = page.picture(request.clone());
    let bad = ARM.replace("parent: \"fore\"", "parent: \"for\"").replace("length: 90", "length: \"x\"");
    fs::write(&served.rig, &bad).expect("a file");
    page.find(|message| message["t"] == "delta" && message["changed"]["good"] == false);
    let shown = page.picture(request.clone());
    assert_eq!(shown.png, good.png);
    assert_eq!(shown.posed["stale"], true);
    // The list is that of `check`.
    let loaded =
        bone_format::load(&served.rig, std::sync::Arc::new(bone_format::Disk), &bone_format::no_fonts);
    let mut wanted = bone_live::describe::findings(&loaded.diagnostics, &loaded.sources);
    assert!(wanted["errors"].as_u64().expect("a number") >= 2);
    assert_eq!(page.state["findings"], wanted.take());
    let refused = page.ask(json!({ "t": "edit", "ops": key(1.0) }));
    assert_eq!(refused["t"], "refused");
    assert_eq!(served.text(), bad);
    // Half of a file is a mistake, too, after a while; and scrubbing goes on.
    fs::write(&served.rig, &ARM[..300]).expect("a file");
    page.find(|message| message["t"] == "delta");
    assert_eq!(page.picture(request.clone()).png, good.png);
    let begin = Instant::now();
    fs::write(&served.rig, swing(44)).expect("a file");
    page.find(|message| message["t"] == "delta" && message["changed"]["good"] == true);
    assert!(begin.elapsed() < SHOWN * SLACK, "{:?}", begin.elapsed());
    assert_eq!(swings(&page), 44.0);
    assert_eq!(page.picture(request).posed["stale"], false);
}

#[test]
fn a_file_that_is_written_slowly_is_no_mistake() {
    let served = arm();
    let mut page = served.page();
    let text = swing(45);
    let mut file = fs::File::create(&served.rig).expect("a file");
    for part in text.as_bytes().chunks(text.len() / 4) {
        std::io::Write::write_all(&mut file, part).expect("a part");
        std::thread::sleep(Duration::from_millis(45));
    }
    drop(file);
    let delta = page.until("delta");
    assert!(delta["changed"].get("good").is_none(), "{delta}");
    assert_eq!(swings(&page), 45.0);
}

#[test]
fn a_change_outside_during_a_drag_is_merged() {
    let served = arm();
    let mut page = served.page();
    let posed = page.posed("wave", 1.0);
    let (_, tip) = page.place(&posed, "upper");
    page.begin("g", Some("wave"), 1.0, json!({ "kind": "rotate", "bone": "upper", "at": tip }));
    page.move_to("g", [180.0, 125.0]);
    fs::write(&served.rig, swing(46)).expect("a file");
    page.until("delta");
    page.move_to("g", [180.0, 125.0]);
    page.make(json!({ "t": "commit", "gesture": "g", "scale": 1 }));
    assert_eq!(served.text(), swing(46).replace("(1, -30.5)", "(1, 0)"));
    // Right before the write, too: the change outside is not overwritten.
    fs::write(&served.rig, served.text().replace("// An arm.", "// Two arms.")).expect("a file");
    page.edit(key(47.0));
    assert!(
        served.text().starts_with("// Two arms.") && served.text().contains("(1, 47)]"),
        "{}",
        served.text()
    );
}

#[test]
fn the_same_value_changed_twice_is_a_conflict() {
    for keep in ["ours", "theirs"] {
        let files = [("rig.ron", ARM), ("arm.svg", ARM_SVG)];
        let served = Served::with(&files, |options| options.hold = true);
        let mut page = served.page();
        page.edit(key(50.0));
        assert_eq!(served.text(), ARM, "nothing is written on hold");
        fs::write(&served.rig, swing(60)).expect("a file");
        let conflict = page.until("conflict");
        assert_eq!(conflict["file"], "rig.ron");
        assert_eq!(
            (&conflict["places"][0]["ours"], &conflict["places"][0]["theirs"]),
            (&json!("50"), &json!("60")),
            "{conflict}"
        );
        assert_eq!(conflict["places"][0]["base"], "20");
        // Both are there: on the page and on the disk. A page that comes later hears of it.
        let texts = page.ask(json!({ "t": "text", "file": "rig.ron" }));
        assert_eq!(texts["text"], json!(swing(50)));
        assert_eq!(texts["outside"], json!(swing(60)));
        assert_eq!(served.page().until("conflict")["file"], "rig.ron");
        // Edits go on, and are not written.
        page.edit(json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "fore", "rotate"], "time": 0, "value": 3 }]));
        page.ask(json!({ "t": "save" }));
        assert_eq!(served.text(), swing(60));
        page.make(json!({ "t": "resolve", "file": "rig.ron", "keep": keep }));
        page.make(json!({ "t": "save" }));
        let wanted = if keep == "ours" { 50.0 } else { 60.0 };
        assert_eq!(swings(&page), wanted);
        assert!(
            served.text().contains(&format!("(1, {wanted})]"))
                && served.text().contains("\"fore\": (rotate: [(0, 3)])"),
            "{}",
            served.text()
        );
    }
}

#[test]
fn what_cannot_be_written_is_reported_and_kept() {
    let served = arm();
    let mut page = served.page();
    let mut permissions = fs::metadata(&served.rig).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&served.rig, permissions.clone()).expect("permissions");
    page.edit(key(51.0));
    let unsaved = page.until("unsaved");
    assert_eq!((&unsaved["file"], &unsaved["why"]), (&json!("rig.ron"), &json!("it is read-only")));
    assert!(!unsaved["help"][0].as_str().expect("help").is_empty());
    assert_eq!(served.text(), ARM);
    assert_eq!(swings(&page), 51.0);
    assert_eq!(page.state["files"][0]["changed"], true);
    #[allow(clippy::permissions_set_readonly_false, reason = "a file of the test")]
    permissions.set_readonly(false);
    fs::set_permissions(&served.rig, permissions).expect("permissions");
    page.make(json!({ "t": "save" }));
    assert_eq!(served.text(), swing(51));
    // A folder with another name.
    let (folder, moved) = (served.folder.path().to_owned(), served.folder.path().with_extension("moved"));
    fs::rename(&folder, &moved).expect("a rename");
    page.edit(key(53.0));
    let unsaved = page.until("unsaved");
    assert!(unsaved["why"].as_str().expect("why").contains("folder"), "{unsaved}");
    assert_eq!(swings(&page), 53.0);
    fs::rename(&moved, &folder).expect("a rename");
    page.make(json!({ "t": "save" }));
    assert_eq!(served.text(), swing(53));
}

#[test]
fn two_pages_follow_each_other() {
    let served = arm();
    let (mut one, mut two) = (served.page(), served.page());
    let begin = Instant::now();
    one.edit(key(54.0));
    let delta = two.until("delta");
    assert!(begin.elapsed() < Duration::from_millis(100) * SLACK, "{:?}", begin.elapsed());
    assert_eq!((&delta["by"], swings(&two)), (&json!("other"), 54.0));
    two.make(json!({ "t": "undo" }));
    one.find(|message| message["t"] == "delta" && message["by"] == "other");
    assert_eq!(swings(&one), 20.0);
    assert_eq!(served.text(), ARM);
}

#[test]
fn a_page_finds_the_next_server_after_a_crash() {
    let mut served = arm();
    let address = served.address().to_owned();
    // What a killed server leaves: its address.
    let name = crate::client::recorded(&served.rig).remove(0);
    assert!(name.starts_with("rig-") && name.ends_with(".address"), "{name}");
    let kept = crate::client::records(&served.rig).join(name);
    let text = fs::read_to_string(&kept).expect("the address");
    assert_eq!(text, address);
    served.page().edit(key(55.0));
    drop(served.server.take());
    assert!(!kept.exists());
    let write = |kept: &std::path::Path| {
        fs::write(kept, &text).expect("as if it had been killed");
        #[cfg(unix)]
        fs::set_permissions(kept, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("rights");
    };
    write(&kept);
    let next = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
    assert_eq!(next.address(), address);
    let page = Page::open(&address);
    assert_eq!(swings(&page), 55.0);
    drop((page, next));
    // A secret does not live for ever.
    write(&kept);
    let yesterday = std::time::SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    fs::File::options()
        .write(true)
        .open(&kept)
        .and_then(|file| file.set_modified(yesterday))
        .expect("a time");
    let next = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
    assert_ne!(next.address(), address);
}

#[test]
fn a_second_server_finds_the_first() {
    let served = arm();
    let error =
        bone_live::LiveServer::start(crate::client::options(&served.rig)).expect_err("it runs already");
    assert!(
        matches!(&error, bone_live::StartError::Running { address } if address == served.address()),
        "{error}"
    );
}

#[test]
fn nothing_stays_behind() {
    let mut served = arm();
    let port = served.port();
    drop(served.page());
    drop(served.server.take());
    let mut names: Vec<String> = fs::read_dir(served.folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, [".records", "arm.svg", "rig.ron"]);
    assert!(crate::client::recorded(&served.rig).is_empty());
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn what_an_earlier_run_did_not_write_is_offered() {
    let files = [("rig.ron", ARM), ("arm.svg", ARM_SVG)];
    let mut served = Served::with(&files, |options| options.hold = true);
    let mut page = served.page();
    page.edit(key(56.0));
    page.edit(json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "fore", "rotate"], "time": 0, "value": 3 }]));
    page.edit(key(57.0));
    page.make(json!({ "t": "undo" }));
    drop(page);
    // On hold nothing is written, at the end neither.
    drop(served.server.take());
    assert_eq!(served.text(), ARM);
    // Meanwhile another program changed something else.
    fs::write(&served.rig, ARM.replace("// An arm.", "// Two arms.")).expect("a file");
    let next = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
    let mut page = Page::open(next.address());
    assert_eq!(page.state["journal"]["steps"].as_array().map(Vec::len), Some(4), "{}", page.state["journal"]);
    assert_eq!(swings(&page), 20.0);
    page.make(json!({ "t": "journal", "take": true }));
    assert_eq!(swings(&page), 56.0);
    let text = served.text();
    assert!(
        text.starts_with("// Two arms.")
            && text.contains("(1, 56)]")
            && text.contains("\"fore\": (rotate: [(0, 3)])"),
        "{text}"
    );
    assert_eq!(page.state["journal"], json!(null));
    // The steps can be undone as if nothing had happened.
    assert_eq!(page.state["undo"].as_array().map(Vec::len), Some(2));
    page.make(json!({ "t": "undo" }));
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), ARM.replace("// An arm.", "// Two arms."));
    drop(page);
    drop(next);
    let last = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
    assert_eq!(Page::open(last.address()).state["journal"], json!(null));
}

/// Steps of another version are neither dropped nor made in part: they stay, and a message says which and where.
#[test]
fn a_journal_with_a_step_of_another_version_is_kept_whole() {
    let files = [("rig.ron", ARM), ("arm.svg", ARM_SVG)];
    let mut served = Served::with(&files, |options| options.hold = true);
    let mut page = served.page();
    page.edit(key(56.0));
    page.edit(key(57.0));
    drop(page);
    drop(served.server.take());
    let records = crate::client::options(&served.rig).records.expect("a folder");
    let name = crate::client::recorded(&served.rig).into_iter().find(|name| name.ends_with(".journal"));
    let journal = records.join(name.expect("a journal"));
    let text = fs::read_to_string(&journal).expect("a journal");
    let (before, last) = text.trim_end().rsplit_once('\n').expect("two steps");
    let other = last.replace("SetKey", "SetKeyOfTomorrow");
    assert_ne!(other, last);
    fs::write(&journal, format!("{before}\n{other}\n{last}\n")).expect("a file");
    let next = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
    let mut page = Page::open(next.address());
    let steps = page.state["journal"]["steps"].as_array().expect("steps").clone();
    assert_eq!(steps.last(), Some(&json!("A step that this version cannot read")), "{steps:?}");
    let answer = page.ask(json!({ "t": "journal", "take": true }));
    let why = answer["why"].as_str().unwrap_or_default();
    assert!(why.contains("SetKeyOfTomorrow") && why.contains(".journal"), "{answer}");
    assert_eq!(swings(&page), 20.0);
    assert_ne!(page.state["journal"], json!(null));
    assert!(fs::read_to_string(&journal).expect("a journal").contains(&other));
}

#[test]
fn twenty_journals_are_kept() {
    let mut served = arm();
    drop(served.server.take());
    for value in 0..25 {
        let server = bone_live::LiveServer::start(crate::client::options(&served.rig)).expect("a server");
        let mut page = Page::open(server.address());
        page.edit(key(f64::from(value) + 100.0));
    }
    let kept = crate::client::recorded(&served.rig);
    assert_eq!(kept.len(), 20, "{kept:?}");
    assert!(kept.iter().any(|name| name.ends_with(".25.journal")), "{kept:?}");
    assert!(!kept.iter().any(|name| name.ends_with(".5.journal")), "{kept:?}");
}
