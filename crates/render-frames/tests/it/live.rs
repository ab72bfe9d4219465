//! `live` and `watch` as programs: they start, end, are killed, and leave whole files.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Page, copy, parts};
use crate::command::{SmallDisk, command, expect, repository};
use crate::rigs::{ARM, ARM_SVG};

/// A running `live`.
pub(crate) struct Live {
    child: Child,
    address: String,
}

impl Live {
    fn start(rig: &Path, more: &[&str]) -> Self {
        Self::start_with(rig, more, |_| {})
    }

    fn start_with(rig: &Path, more: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let rig = rig.display().to_string();
        let words = [&["live", rig.as_str(), "--no-open", "--quiet"], more].concat();
        let mut program = command(&words);
        change(&mut program);
        Self::of(program)
    }

    /// Starts a command that is `live`.
    pub(crate) fn of(mut program: Command) -> Self {
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        let mut address = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut address).expect("an address");
        assert!(address.starts_with("http://127.0.0.1:"), "{address:?}");
        Self { child, address: address.trim().to_owned() }
    }

    pub(crate) fn page(&self) -> Page {
        Page::open(&self.address)
    }

    fn signal(&mut self, name: &str) -> Option<i32> {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
        self.child.wait().expect("its end").code()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn arm() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("arm.svg"), ARM_SVG).expect("a file");
    let rig = folder.path().join("rig.ron");
    fs::write(&rig, ARM).expect("a file");
    (folder, rig)
}

fn key(value: usize) -> serde_json::Value {
    json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": value }])
}

fn keyed(value: usize) -> String {
    ARM.replace("(1, 20)]", &format!("(1, {value})]"))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn live_prints_an_address_and_ends_with_130() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(Path::new(&repository("examples/walk")), folder.path());
    let before = names(folder.path());
    let begin = Instant::now();
    let mut live = Live::start(&folder.path().join("rig.ron"), &[]);
    let mut page = live.page();
    assert_eq!(page.posed("walk", 0.0)["t"], "posed");
    let took = begin.elapsed();
    // Tests share the machine, and are not optimised.
    assert!(took < Duration::from_secs(3), "{took:?}");
    println!("live serves the walk after {} ms", took.as_millis());
    let (port, _) = parts(&live.address);
    assert_eq!(live.signal("-INT"), Some(130));
    assert_eq!(page.until("bye")["t"], "bye");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_second_live_prints_the_page_of_the_first() {
    let (_folder, rig) = arm();
    let live = Live::start(&rig, &[]);
    let second = expect(0, &["live", &rig.display().to_string(), "--no-open"]);
    assert_eq!(second.out.trim(), live.address);
    assert!(second.err.contains("open already"), "{}", second.err);
}

#[test]
fn live_on_a_drawing_writes_a_first_rig_and_replaces_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let drawing = folder.path().join("arm.svg");
    fs::write(&drawing, ARM_SVG).expect("a file");
    let live = Live::start(&drawing, &[]);
    let rig = folder.path().join("arm.ron");
    let text = fs::read_to_string(&rig).expect("a rig");
    assert_eq!(live.page().state["good"], true);
    drop(live);
    fs::write(&rig, text.replace("Rig(", "Rig( ")).expect("a file");
    let again = Live::start(&drawing, &[]);
    assert_eq!(again.page().state["rig"], "arm.ron");
    assert_eq!(fs::read_to_string(&rig).expect("a rig"), text.replace("Rig(", "Rig( "));
}

#[test]
fn live_reports_what_it_cannot_serve() {
    let (folder, rig) = arm();
    let missing = folder.path().join("none.ron").display().to_string();
    assert!(expect(3, &["live", &missing, "--no-open"]).err.contains("there is no file"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let rig = rig.display().to_string();
    let ran = expect(1, &["live", &rig, "--no-open", "--port", &port]);
    assert!(ran.err.contains(&format!("port {port} cannot be used")), "{}", ran.err);
    assert_eq!(names(folder.path()), ["arm.svg", "rig.ron"]);
    assert!(expect(0, &["live", "--help"]).out.contains("--no-open"));
    assert!(expect(0, &["watch", "--help"]).out.contains("--output"));
}

#[test]
fn a_hundred_kills_lose_nothing_that_was_answered() {
    let (_folder, rig) = arm();
    let mut seed = 11_u64;
    let mut pause = || {
        seed = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        Duration::from_micros(seed >> 33 & 0x7fff)
    };
    let mut last = 20;
    let mut offered = 0;
    for round in 0..100 {
        // Half of them write after each step, half of them on request only.
        let hold = round % 2 == 1;
        let mut live = Live::start(&rig, if hold { &["--hold"] } else { &[] });
        let mut page = live.page();
        if !page.state["journal"].is_null() {
            offered += 1;
            page.make(json!({ "t": "journal", "take": true }));
            page.make(json!({ "t": "save" }));
        }
        let text = fs::read_to_string(&rig).expect("the rig");
        // The step that was under way may be there, too.
        assert!(text == keyed(last) || text == keyed(last + 1), "round {round}: {last}\n{text}");
        if text == keyed(last + 1) {
            last += 1;
        }
        let killer = {
            let (id, pause) = (live.child.id().to_string(), pause());
            std::thread::spawn(move || {
                std::thread::sleep(pause);
                Command::new("kill").args(["-9", &id]).status().expect("kill")
            })
        };
        // Edits until it is dead; each that was answered counts.
        loop {
            match page.try_ask(json!({ "t": "edit", "ops": key(last + 1) })) {
                Some(answer) if answer["t"] == "done" => last += 1,
                Some(answer) => panic!("{answer}"),
                None => break,
            }
        }
        killer.join().expect("it was sent");
        let text = fs::read_to_string(&rig).expect("the rig");
        assert!(text.starts_with("// An arm.") && text.ends_with(")\n"), "half a file: {text}");
        if !hold {
            assert!(text == keyed(last) || text == keyed(last + 1), "round {round}: {last}\n{text}");
        }
        live.child.wait().expect("its end");
    }
    println!("100 kills, {last} steps, {offered} times work was offered");
    assert!(last > 100 && offered > 10, "{last} steps, {offered} offers");
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(disk) = SmallDisk::mount(folder.path().join("small")) else {
        println!("skipped: no small disk can be mounted");
        return;
    };
    fs::write(disk.0.join("arm.svg"), ARM_SVG).expect("a file");
    let rig = disk.0.join("rig.ron");
    fs::write(&rig, ARM).expect("a file");
    let state = disk.0.join("state");
    let live = Live::start_with(&rig, &[], |program| {
        program.env("XDG_STATE_HOME", state);
    });
    let mut page = live.page();
    // All of it.
    let mut ballast = fs::File::create(disk.0.join("ballast")).expect("a file");
    while std::io::Write::write_all(&mut ballast, &[0; 512]).is_ok() {}
    page.edit(key(31));
    let unsaved = page.until("unsaved");
    assert_eq!(unsaved["why"], "the disk is full", "{unsaved}");
    assert_eq!(fs::read_to_string(&rig).expect("the rig"), ARM);
    assert!(!page.state["journal_off"].is_null());
    drop(ballast);
    fs::remove_file(disk.0.join("ballast")).expect("it is removed");
    // It is written by itself once there is room.
    let saved = page.find(|message| message["t"] == "delta" && message["by"] == "save");
    assert_eq!(saved["changed"]["files"][0]["changed"], false, "{saved}");
    assert_eq!(fs::read_to_string(&rig).expect("the rig"), keyed(31));
    drop((page, live));
}

/// A drawing that takes seconds to bind, and a rig of it.
fn heavy() -> (String, String) {
    // A linear congruential generator: any curves that lie over each other will do.
    let mut state = 1_u32;
    let mut next = |least: i64, most: i64| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        least + i64::from(state >> 8) % (most - least)
    };
    let mut svg =
        String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\"><g id=\"fore\">");
    for _ in 0..2500 {
        let [x, y] = [next(20, 380), next(100, 300)];
        let ends: Vec<String> = (0..6).map(|_| next(-40, 40).to_string()).collect();
        svg.push_str(&format!("<path d=\"M{x} {y}c{}z\"/>", ends.join(" ")));
    }
    svg.push_str("</g></svg>");
    let bone = |at: usize| {
        let parent = if at > 0 { format!("parent: \"b{}\", ", at - 1) } else { String::new() };
        format!("\"b{at}\": ({parent}from: ({}, 200), to: ({}, 200))", 20 + 30 * at, 50 + 30 * at)
    };
    let bones: Vec<String> = (0..12).map(bone).collect();
    let names: Vec<String> = (0..12).map(|at| format!("\"b{at}\"")).collect();
    let rig = format!(
        "Rig(version: 1, drawing: \"arm.svg\", bones: {{ {} }}, skin: [Smooth(art: \"fore\", bones: [{}])])",
        bones.join(", "),
        names.join(", ")
    );
    (svg, rig)
}

/// What takes long is given up for a newer save, and at the end.
#[test]
fn a_drawing_that_takes_long_is_given_up() {
    let (folder, rig) = arm();
    let (svg, text) = heavy();
    let light = svg.split("<path").take(2).collect::<Vec<_>>().join("<path") + "</g></svg>";
    fs::write(&rig, text).expect("a file");
    fs::write(folder.path().join("arm.svg"), &svg).expect("a file");
    let begin = Instant::now();
    // Outlines are bound for it as for the page.
    expect(0, &["pack", &rig.display().to_string()]);
    let long = begin.elapsed();

    // The page of a rig that is being opened gets the drawing that is saved meanwhile.
    let begin = Instant::now();
    let live = Live::start(&rig, &[]);
    std::thread::sleep(Duration::from_millis(500));
    fs::write(folder.path().join("arm.svg"), &light).expect("a save");
    let mut page = live.page();
    let pieces = |page: &Page| page.state["art"].as_array().expect("art").len();
    let opened = begin.elapsed();
    println!("{long:?} to bind; with another drawing open after {opened:?}, of {} pieces", pieces(&page));

    // A drawing that is put back.
    fs::write(folder.path().join("arm.svg"), &svg).expect("a save");
    std::thread::sleep(Duration::from_millis(800));
    let begin = Instant::now();
    fs::write(folder.path().join("arm.svg"), light.replace("400\"", "500\"")).expect("a save");
    page.find(|message| {
        message["t"] == "delta" && message["changed"]["canvas"] == json!([0.0, 0.0, 400.0, 500.0])
    });
    let back = begin.elapsed();

    // Ctrl-C while it takes long.
    fs::write(folder.path().join("arm.svg"), &svg).expect("a save");
    std::thread::sleep(Duration::from_millis(800));
    let begin = Instant::now();
    let mut live = live;
    assert_eq!(live.signal("-INT"), Some(130));
    let ended = begin.elapsed();
    println!("put back after {back:?}, ended after {ended:?}");
    assert!(back < long / 2 && ended < long / 2, "{back:?} {ended:?} {long:?}");
}

/// A flush that takes 200 ms, as that of a network drive or a busy disk, as a library for `LD_PRELOAD`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn slow_flush(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("slow.c"), folder.join("slow.so"));
    let text = "#include <unistd.h>\n#include <sys/syscall.h>\n\
        int fsync(int file) { usleep(200000); return syscall(SYS_fsync, file); }\n";
    fs::write(&source, text).expect("a file");
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(made.expect("cc").success());
    library
}

/// A person saves in an editor while an edit of the page is being flushed: both are in the file then, or the page is
/// told. `CASES=60` tries more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_save_during_a_slow_flush_is_kept() {
    let library = tempfile::tempdir().expect("a folder");
    let slow = slow_flush(library.path());
    let (_folder, rig) = arm();
    let live = Live::start_with(&rig, &[], |program| {
        program.env("LD_PRELOAD", &slow);
    });
    let mut page = live.page();
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let (mut merged, mut told) = (0, 0);
    let mut value = 20;
    for case in 0..cases {
        let before = fs::read_to_string(&rig).expect("the rig");
        // Every third save is of the value that the page sets: two texts meet.
        let meets = case % 3 == 2;
        let mine = format!("(1, {})]", 1000 + case);
        let theirs = match meets {
            true => before.replace(&format!("(1, {value})]"), &format!("(1, {})]", 5000 + case)),
            false => before.replace("// An arm", &format!("// {case}\n// An arm")),
        };
        let save = {
            let (rig, theirs) = (rig.clone(), theirs.clone());
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis([30, 100, 170][case % 3]));
                fs::write(rig, theirs).expect("a save");
            })
        };
        let answer = page.ask(json!({ "t": "edit", "ops": key(1000 + case) }));
        save.join().expect("a save");
        assert_ne!(theirs, before, "{before}");
        let wanted = if meets { format!("(1, {})]", 5000 + case) } else { format!("// {case}\n") };
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let text = fs::read_to_string(&rig).expect("the rig");
            let is_told = page.state["files"][0]["conflict"].is_string() || answer["t"] == "overtaken";
            if text.contains(&wanted) && text.contains(&mine) {
                (merged, value) = (merged + 1, 1000 + case);
                break;
            }
            if text.contains(&wanted) && is_told {
                (told, value) = (told + 1, 5000 + case);
                page.make(json!({ "t": "resolve", "file": "rig.ron", "keep": "theirs" }));
                break;
            }
            assert!(Instant::now() < until, "case {case}: {answer} {}\n{text}", page.state["files"]);
            page.within(Duration::from_millis(50));
        }
        page.forget();
    }
    println!("{cases} saves during a flush of 200 ms: {merged} merged, {told} told, none lost");
    assert_eq!(merged + told, cases);
    assert_eq!(told, cases / 3);
}

/// The processor time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("its figures");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    // The 14th and 15th of all fields: in user and in kernel mode.
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_server_takes_no_time() {
    let (_folder, rig) = arm();
    let live = Live::start(&rig, &[]);
    let mut page = live.page();
    page.posed("wave", 0.5);
    page.within(Duration::from_millis(500));
    let before = ticks(&live.child);
    page.within(Duration::from_secs(3));
    let took = ticks(&live.child) - before;
    println!("idle for 3 s: {took} hundredths of a second");
    assert!(took <= 3, "{took}");
}

#[test]
fn exports_report_progress_and_stop() {
    let (folder, rig) = arm();
    let live = Live::start(&rig, &[]);
    let mut page = live.page();
    let done = page.ask(
        json!({ "t": "export", "output": "out/wave.gif", "args": ["--clip", "wave", "--scale", "0.5"] }),
    );
    assert_eq!((&done["t"], &done["code"]), (&json!("exported"), &json!(0)), "{done}");
    assert!(fs::read(folder.path().join("out/wave.gif")).expect("a file").starts_with(b"GIF89a"));
    // What is there is replaced when the page has asked, and what the rig is made of not even then.
    fs::write(folder.path().join("notes.json"), "mine").expect("a file");
    let notes = || fs::read_to_string(folder.path().join("notes.json")).expect("the file");
    let mut export = |output: &str, replace: bool| {
        page.ask(json!({ "t": "export", "output": output, "args": ["--clip", "wave"], "replace": replace }))
    };
    let kept = export("notes.json", false);
    assert_eq!((&kept["t"], &kept["code"]), (&json!("exported"), &json!(2)), "{kept}");
    assert!(kept["why"].as_str().is_some_and(|why| why.contains("notes.json exists already")), "{kept}");
    assert_eq!(notes(), "mine");
    assert_eq!(export("arm.svg", true)["code"], json!(2));
    assert_eq!(fs::read_to_string(folder.path().join("arm.svg")).expect("it"), ARM_SVG);
    assert_eq!(export("notes.json", true)["code"], json!(0));
    assert!(notes().starts_with('{'));
    for (output, args) in [
        ("../wave.gif", json!([])),
        ("/tmp/wave.gif", json!([])),
        ("out/../../wave.gif", json!([])),
        ("", json!([])),
        ("--help", json!([])),
        ("rig.ron", json!([])),
        ("a.gif", json!(["--jobs", "1"])),
        ("a.gif", json!(["-o", "/tmp/x"])),
        ("a.gif", json!(["--clip"])),
    ] {
        let refused = page.ask(json!({ "t": "export", "output": output, "args": args }));
        assert_eq!(refused["t"], "refused", "{output} {args}");
    }
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).expect("a link");
        let refused = page.ask(json!({ "t": "export", "output": "link/a.gif", "args": [] }));
        assert_eq!(refused["t"], "refused");
    }
    // A value is no option.
    let wrong = page.ask(json!({ "t": "export", "output": "a.gif", "args": ["--clip", "--help"] }));
    assert!(wrong["code"].as_i64().is_some_and(|code| code != 0), "{wrong}");
    page.send(&json!({ "t": "export", "id": "long", "output": "many/", "args": ["--frames", "0-9999", "--scale", "4"] }));
    std::thread::sleep(Duration::from_millis(300));
    page.send(&json!({ "t": "stop", "id": "long" }));
    let stopped = page.find(|message| message["t"] == "exported" && message["id"] == "long");
    assert_eq!(stopped["code"], json!(null));
}

#[test]
fn a_render_from_the_page_has_the_fonts_of_the_server() {
    let (folder, rig) = arm();
    let text = ARM_SVG.replace("</svg>", "<text x='9' y='9'>arm</text></svg>");
    fs::write(folder.path().join("arm.svg"), text).expect("a save");
    let live = Live::start(&rig, &["--no-system-fonts"]);
    let mut page = live.page();
    page.send(&json!({ "t": "export", "id": "one", "output": "out/", "args": ["--frames", "0"] }));
    page.find(|message| {
        assert_ne!(message["t"], "exported", "without a word about fonts");
        message["t"] == "progress" && message["line"].as_str().is_some_and(|line| line.contains("no font is"))
    });
    page.find(|message| message["t"] == "exported" && message["code"] == 0);
}

#[test]
fn watch_renders_again_after_a_save() {
    let (folder, rig) = arm();
    let out = folder.path().join("out");
    let words = [
        "watch",
        &rig.display().to_string(),
        "-o",
        &out.display().to_string(),
        "--clip",
        "wave",
        "--quiet",
        "--scale",
        "0.2",
    ];
    let mut child = command(&words).stderr(Stdio::piped()).spawn().expect("the program");
    let frames = || -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let Ok(entries) = fs::read_dir(&out) else { return Vec::new() };
        let mut list: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "png"))
            .map(|entry| {
                let about = fs::metadata(entry.path()).and_then(|about| about.modified()).expect("a time");
                (entry.path(), fs::read(entry.path()).expect("a frame"), about)
            })
            .collect();
        list.sort();
        list
    };
    type Frame = (PathBuf, Vec<u8>, std::time::SystemTime);
    let wait = |what: &str, holds: &dyn Fn(&[Frame]) -> bool| {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let now = frames();
            if holds(&now) {
                return now;
            }
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let first = wait("frames", &|frames| frames.len() == 48);
    std::thread::sleep(Duration::from_millis(300));
    // One more key, behind one that holds.
    fs::write(&rig, ARM.replace("Hold), (2, 10)", "Hold), (1.5, 80, Hold), (2, 10)")).expect("a save");
    let second =
        wait("new frames", &|frames| frames.len() == 48 && (36..48).all(|at| frames[at].1 != first[at].1));
    // Frames in which nothing moved are not written again.
    let kept = first.iter().zip(&second).filter(|(first, second)| first.2 == second.2).count();
    let same = first.iter().zip(&second).filter(|(first, second)| first.1 == second.1).count();
    assert_eq!(first[0], second[0]);
    assert!(kept == same && (12..48).contains(&kept), "{kept} kept, {same} the same");
    // A mistake leaves the frames; the next save goes on.
    fs::write(&rig, "Rig(").expect("a save");
    std::thread::sleep(Duration::from_millis(700));
    fs::write(&rig, ARM).expect("a save");
    wait("old frames", &|frames| {
        frames.len() == 48 && frames.iter().zip(&first).all(|(now, first)| now.1 == first.1)
    });
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    assert_eq!(child.wait().expect("its end").code(), Some(130));
}
