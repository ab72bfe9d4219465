//! Manifests that are damaged, blocked, left behind or too large: no frame is lost, and no wrong frame is
//! kept.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{RECORDS, Ran, below, command, expect, files, finish, flag, names};

fn kept(ran: &Ran) -> usize {
    let before = ran.err.split(" existed already").next().filter(|before| before.len() < ran.err.len());
    before.and_then(|words| words.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}

/// The manifest files in a folder of frames.
fn records(out: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(out.join(RECORDS)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Twelve frames with their manifest: the folder, the arguments, and the folder of the frames.
fn rendered() -> (tempfile::TempDir, [String; 6], PathBuf) {
    let (folder, rig) = flag();
    let words = [rig, "-o".into(), below(&folder, "out/"), "--clip".into(), "wave".into(), "-j2".into()];
    expect(0, &words.each_ref().map(String::as_str));
    let out = folder.path().join("out");
    (folder, words, out)
}

fn again(words: &[String; 6], skip: bool) -> Ran {
    let words = words.each_ref().map(String::as_str);
    if skip { expect(0, &[&words[..], &["--existing", "skip"]].concat()) } else { expect(0, &words) }
}

#[test]
fn records_that_are_damaged_cost_time_and_nothing_else() {
    let (_folder, words, out) = rendered();
    let whole = files(&out);
    let file = records(&out).remove(0);
    let good = fs::read(&file).expect("records");
    let length = good.len() / 12;
    let mut cases: Vec<(Vec<u8>, usize, &str)> = vec![
        (good.clone(), 12, "as it was"),
        (Vec::new(), 0, "nothing"),
        (b"\n\n\n".to_vec(), 0, "empty lines"),
        (vec![0; 5000], 0, "zeros, as a file system leaves them"),
        ([&vec![0xff; 3000][..], b"\n", &good].concat(), 12, "noise in front"),
        ([&good[..], &good].concat(), 12, "twice"),
        (good.iter().map(|&byte| if byte == b' ' { b'\t' } else { byte }).collect(), 0, "other spaces"),
        (good.to_ascii_uppercase(), 12, "capitals are digits too"),
    ];
    // Truncated anywhere in the fifth line: four lines are complete. The clips begin with the same picture.
    for cut in [1, 20, 33, 50, 70, length - 1] {
        cases.push((good[..4 * length + cut].to_vec(), 4, "cut off"));
    }
    for (content, expected, why) in cases {
        fs::remove_dir_all(out.join(RECORDS)).expect("removed");
        fs::create_dir(out.join(RECORDS)).expect("a folder");
        fs::write(&file, content).expect("records");
        let kept = kept(&again(&words, true));
        assert!(kept == expected || (why == "cut off" && kept == expected + 1), "{why}: {kept}");
        assert!(files(&out) == whole, "{why}");
    }
}

#[test]
fn records_that_cannot_be_kept_do_not_stop_the_frames() {
    let (_folder, words, out) = rendered();
    let whole = files(&out);
    fs::remove_dir_all(&out).expect("removed");
    fs::create_dir(&out).expect("a folder");
    fs::write(out.join(RECORDS), "somebody's file").expect("a file");
    for skip in [false, true] {
        let ran = again(&words, skip);
        assert!(ran.err.contains("warning") && ran.err.contains("draw these frames again"), "{}", ran.err);
        assert!(files(&out) == whole);
    }
    assert_eq!(fs::read(out.join(RECORDS)).expect("it"), b"somebody's file");
    // A file that is not a manifest is not read, whatever its name.
    fs::remove_file(out.join(RECORDS)).expect("removed");
    fs::create_dir_all(out.join(RECORDS).join("run1.frames/inside")).expect("a folder");
    fs::write(out.join(RECORDS).join("notes.txt"), "mine").expect("a file");
    again(&words, false);
    assert_eq!(kept(&again(&words, true)), 12);
    assert!(files(&out) == whole);
    assert!(out.join(RECORDS).join("notes.txt").exists());
}

#[test]
fn records_do_not_pile_up() {
    let (_folder, words, out) = rendered();
    for _ in 0..3 {
        again(&words, false);
        assert_eq!(records(&out).len(), 1, "the last run said all there is to say");
    }
    again(&words, true);
    assert_eq!(records(&out).len(), 1, "a run that draws nothing notes nothing");
    // After a partial run the rest is in the manifest of the run before.
    let part = [&words.each_ref().map(String::as_str)[..], &["--frames", "0-5"]].concat();
    expect(0, &part);
    assert_eq!(records(&out).len(), 2);
    assert_eq!(kept(&again(&words, true)), 12);
    // The files of an active run stay.
    let at_work = out.join(RECORDS).join("run1x1.frames");
    fs::copy(&records(&out)[0], &at_work).expect("a copy");
    let lock = File::options().append(true).open(&at_work).expect("it");
    lock.lock().expect("a lock");
    again(&words, false);
    assert_eq!(records(&out).len(), 2);
    drop(lock);
    again(&words, false);
    assert_eq!(records(&out).len(), 1);
}

#[test]
fn what_killed_runs_left_is_swept_and_what_others_write_is_not() {
    let (_folder, words, out) = rendered();
    let whole = files(&out);
    let put = |name: &str| fs::write(out.join(name), "half a fra").expect("a file");
    // Temporary files of a run without a manifest, of an ended run, of an active run, and of other programs.
    fs::write(out.join(RECORDS).join("run2x2.frames"), "").expect("records");
    let mut at_work = File::create(out.join(RECORDS).join("run3x3.frames")).expect("records");
    at_work.lock().expect("a lock");
    at_work.write_all(b"something").expect("a note");
    let gone = [".frame_0001.png.run1x1-0.tmp", ".frame_0001.png.run2x2-17.tmp"];
    let stays =
        [".frame_0002.png.run3x3-1.tmp", ".plot.png.1234-0.tmp", ".x.tmp", "run1x1-0.tmp", ".a.run1x1-b.tmp"];
    gone.iter().chain(&stays).for_each(|name| put(name));
    again(&words, true);
    let there = names(&out);
    assert!(gone.iter().all(|name| !there.contains(&(*name).to_owned())), "{there:?}");
    assert!(stays.iter().all(|name| there.contains(&(*name).to_owned())), "{there:?}");
    assert_eq!(there.len(), whole.len() + stays.len());
}

/// A folder of somebody else: its records are a link to another folder, or hold links and pipes.
#[test]
fn planted_records_are_neither_followed_nor_waited_for() {
    use std::os::unix::fs::symlink;
    let (folder, words, out) = rendered();
    let whole = files(&out);
    let pipe = out.join(RECORDS).join("run4x4.frames");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    symlink("/dev/zero", out.join(RECORDS).join("run5x5.frames")).expect("a link");
    fs::write(out.join(".frame_0001.png.run4x4-0.tmp"), "half").expect("a file");
    again(&words, true);
    fs::remove_file(out.join(".frame_0001.png.run4x4-0.tmp")).expect("what may be of another run stays");

    let elsewhere = folder.path().join("elsewhere");
    fs::rename(out.join(RECORDS), &elsewhere).expect("a rename");
    symlink(&elsewhere, out.join(RECORDS)).expect("a link");
    let listed = || fs::read_dir(&elsewhere).expect("a folder").count();
    let before = listed();
    let ran = again(&words, false);
    assert!(ran.err.contains("it is a link, which is not followed"), "{}", ran.err);
    assert_eq!(listed(), before);
    fs::remove_file(out.join(RECORDS)).expect("the link");
    assert_eq!(files(&out).len(), whole.len());
}

#[test]
fn a_folder_that_may_only_be_read_is_enough_for_frames_that_are_there() {
    let (folder, words, out) = rendered();
    let readable = |path: &Path, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    for path in [&out.join(RECORDS), &out] {
        readable(path, 0o555);
    }
    let ran = again(&words, true);
    let writable = fs::write(out.join("try"), "").is_ok();
    for path in [&out, &out.join(RECORDS)] {
        readable(path, 0o755);
    }
    assert_eq!(kept(&ran), 12, "{}", ran.err);
    if writable {
        println!("for this user no folder is read-only");
    }
    drop(folder);
}

#[test]
fn a_frame_that_is_larger_than_files_may_be_is_told() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    expect(0, &[&rig, "-q", "-o", &out, "--frames", "0-1", "--clip", "wave"]);
    let before = files(Path::new(&out));
    // 2 KB or 1 KB, depending on the shell; without the trap the signal would end the program.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
    let program = command(&[&rig, "-o", &out, "--clip", "wave", "--size", "900x900", "--compress", "fast"]);
    let words = program.get_args();
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(program.get_program()).args(words);
    let child = shell.env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let ran = finish(child.expect("a shell"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("cannot write") && ran.err.contains("ulimit"), "{}", ran.err);
    assert!(
        before == files(Path::new(&out)),
        "nothing half-written, nothing lost: {:?}",
        names(Path::new(&out))
    );
}
