//! Frames of one clip by several processes in one folder, and by the files in `farm`: the same bytes as by
//! one process, whatever is killed. OpenJD's own command runs its template; tests that need it are skipped
//! where it is missing, unless `REQUIRE_JUDGES` is set. `OPENJD` is the command, if it is not in the path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{RECORDS, below, command, expect, files, finish, repository};

/// The options of all runs: small frames, and enough of them that runs overlap.
const LAST: usize = 35;
const LOOK: [&str; 4] = ["--scale", "0.4", "--clip", "walk"];

fn rig() -> String {
    repository("examples/walk/rig.ron")
}

/// The frames of one run.
fn by_one() -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (rig, out, frames) = (rig(), below(&folder, "out/"), format!("0-{LAST}"));
    expect(0, &[&["render", rig.as_str(), "-q", "-o", &out, "--frames", &frames], &LOOK[..]].concat());
    files(Path::new(&out))
}

fn worker(out: &str, frames: &str) -> Child {
    let rig = rig();
    let words = ["render", rig.as_str(), "-o", out, "--frames", frames, "--existing", "skip", "-j1"];
    let mut command = command(&[&words[..], &LOOK[..]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

/// The frames that the manifests of a folder name.
fn noted(out: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(out.join(RECORDS)).expect("manifests").flatten();
    let texts = files.map(|file| fs::read_to_string(file.path()).expect("a manifest")).collect::<Vec<_>>();
    let names = texts.iter().flat_map(|text| text.lines());
    names.map(|line| line.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
}

/// Checks that a run would keep all frames.
fn all_are_kept(out: &str) {
    let ran = finish(worker(out, &format!("0-{LAST}")));
    assert!(ran.err.contains(&format!("{} existed already", LAST + 1)), "{}", ran.err);
}

#[test]
fn workers_in_one_folder_make_the_frames_of_one() {
    let whole = by_one();
    let halves = [format!("0-{}", LAST / 2), format!("{}-{LAST}", LAST / 2 + 1)];
    let odd_and_even = [format!("0-{LAST}:2"), format!("1-{LAST}:2")];
    let same = [format!("0-{LAST}"), format!("0-{LAST}")];
    for shares in [halves, odd_and_even, same] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = below(&folder, "out/");
        let workers: Vec<Child> = shares.iter().map(|frames| worker(&out, frames)).collect();
        for child in workers {
            let ran = finish(child);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(!ran.err.contains("warning"), "{}", ran.err);
        }
        assert!(files(Path::new(&out)) == whole, "{shares:?}");
        assert_eq!(noted(Path::new(&out)), whole.keys().cloned().collect(), "{shares:?}");
        all_are_kept(&out);
    }
}

#[test]
fn a_worker_that_is_killed_disturbs_no_other() {
    let whole = by_one();
    for frames in [3, 11] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = below(&folder, "out/");
        let (mut one, other) = (worker(&out, &format!("0-{LAST}")), worker(&out, &format!("0-{LAST}")));
        wait_for(Path::new(&out), frames);
        one.kill().expect("a kill");
        one.wait().expect("its end");
        assert_eq!(finish(other).code, Some(0));
        assert!(without_temporaries(Path::new(&out)) == whole);
        all_are_kept(&out);
        assert!(files(Path::new(&out)) == whole, "what was killed is swept");
    }
}

fn without_temporaries(out: &Path) -> BTreeMap<String, Vec<u8>> {
    files(out).into_iter().filter(|(name, _)| !name.ends_with(".tmp")).collect()
}

/// Waits until a folder has so many frames.
fn wait_for(out: &Path, frames: usize) {
    let patience = Instant::now();
    let count = || {
        let entries = fs::read_dir(out).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "png")).count()
    };
    while count() < frames {
        assert!(patience.elapsed() < Duration::from_secs(120), "no frames");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// OpenJD's command, if it is there.
fn openjd(test: &str) -> Option<PathBuf> {
    let program = std::env::var_os("OPENJD").map_or_else(|| PathBuf::from("openjd"), PathBuf::from);
    let ran = Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = ran.is_ok_and(|status| status.success());
    if !there {
        let needs = "openjd: pip install openjd-cli, or OPENJD=path/to/openjd";
        crate::command::skip(test, needs, Some("REQUIRE_JUDGES"));
    }
    there.then_some(program)
}

/// The command that runs a template for the walk, frames and result in `out`.
fn job(openjd: &Path, template: &str, out: &Path) -> Command {
    let mut job = Command::new(openjd);
    job.args([
        "run",
        &repository(&format!("farm/openjd/{template}")),
        "--step",
        "Assemble",
        "--run-dependencies",
    ]);
    let frames = match template {
        "render.yaml" => format!("Frames=0-{LAST}"),
        _ => format!("LastFrame={LAST}"),
    };
    for parameter in [
        format!("Program={}", env!("CARGO_BIN_EXE_render-frames")),
        format!("RigFile={}", rig()),
        "Clip=walk".to_owned(),
        "RenderOptions=--scale 0.4".to_owned(),
        "ChunkSize=10".to_owned(),
        format!("OutputDir={}", out.display()),
        "ResultFile=walk.gif".to_owned(),
        "AssembleOptions=--loop 2".to_owned(),
        frames,
    ] {
        job.args(["-p", &parameter]);
    }
    job.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    job
}

/// The result that one machine makes.
fn result_of_one(frames: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in frames {
        fs::write(folder.path().join(name), bytes).expect("a frame");
    }
    let (from, file) = (folder.path().display().to_string(), below(&folder, "walk.gif"));
    expect(0, &["assemble", &from, "-o", &file, "--loop", "2", "--fps", "24"]);
    fs::read(file).expect("the result")
}

#[test]
fn the_templates_of_openjd_make_the_frames_of_one_machine() {
    let Some(openjd) = openjd("a farm by OpenJD") else { return };
    let whole = by_one();
    let result = result_of_one(&whole);
    for template in ["render.yaml", "render-ranges.yaml"] {
        let checked =
            Command::new(&openjd).args(["check", &repository(&format!("farm/openjd/{template}"))]).output();
        let checked = checked.expect("openjd");
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
        // A folder with characters that a shell would take for something else.
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("a 'walk' $HOME");
        let ran = finish(job(&openjd, template, &out).spawn().expect("openjd"));
        assert_eq!(ran.code, Some(0), "{template}: {}", ran.out);
        assert!(files(&out.join("frames")) == whole, "{template}");
        assert!(fs::read(out.join("walk.gif")).expect("the result") == result, "{template}");
        // Run again, nothing is drawn.
        let modified =
            |name: &String| fs::metadata(out.join("frames").join(name)).expect("it").modified().expect("it");
        let before: Vec<_> = whole.keys().map(modified).collect();
        let ran = finish(job(&openjd, template, &out).spawn().expect("openjd"));
        assert_eq!(ran.code, Some(0), "{template}: {}", ran.out);
        assert!(before == whole.keys().map(modified).collect::<Vec<_>>(), "{template}: drawn again");
    }
}

#[test]
fn a_killed_job_of_openjd_goes_on_when_it_is_run_again() {
    let Some(openjd) = openjd("a killed job of OpenJD") else { return };
    let whole = by_one();
    let result = result_of_one(&whole);
    for (frames, and_worker) in [(4, true), (15, false)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (out, at) = (folder.path().to_owned(), folder.path().join("frames"));
        let mut child = job(&openjd, "render.yaml", &out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it");
        wait_for(&at, frames);
        child.kill().expect("a kill");
        child.wait().expect("its end");
        if and_worker {
            kill_workers(&out);
        }
        assert!(!out.join("walk.gif").exists());
        let modified = |name: &String| fs::metadata(at.join(name)).ok()?.modified().ok();
        let noted = noted(&at);
        let before: BTreeMap<_, _> = noted.iter().filter_map(|name| Some((name, modified(name)?))).collect();
        assert!(before.len() + 4 >= frames, "{} of {frames} are noted", before.len());
        let ran = finish(job(&openjd, "render.yaml", &out).spawn().expect("openjd"));
        assert_eq!(ran.code, Some(0), "{}", ran.out);
        assert!(without_temporaries(&at) == whole);
        assert!(fs::read(out.join("walk.gif")).expect("the result") == result);
        for (name, time) in before {
            assert_eq!(modified(name), Some(time), "{name} was drawn again");
        }
    }
}

/// Kills the renders that write into a folder; a killed openjd leaves them.
fn kill_workers(out: &Path) {
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&words).into_owned();
        let mut words = text.split('\0');
        if words.next() == Some(env!("CARGO_BIN_EXE_render-frames"))
            && text.contains(&out.display().to_string())
        {
            let id = entry.file_name();
            let _ = Command::new("kill").arg("-KILL").arg(id).status();
        }
    }
}

/// Runs a job as Slurm would: the array's tasks, and then the job that depends on it.
const SBATCH: &str = r#"#!/usr/bin/env bash
set -euo pipefail
array= dependency=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --array=*) array=${1#*=} ;;
        --dependency=*) dependency=${1#*=} ;;
    esac
    printf '%s\n' "$1" >> "$STATE/options"
    shift
done
id=$(($(cat "$STATE/last" 2> /dev/null || echo 40) + 1))
echo "$id" > "$STATE/last"
cd /
export SLURM_CPUS_PER_TASK=1
if [[ -n $array ]]; then
    for ((task = ${array#*-}; task >= ${array%-*}; task--)); do
        SLURM_ARRAY_TASK_ID=$task bash "$@" >> "$STATE/log" 2>&1
    done
else
    [[ $dependency == "afterok:$((id - 1))" ]]
    bash "$@" >> "$STATE/log" 2>&1
fi
echo "$id;cluster"
"#;

#[test]
fn the_slurm_script_makes_the_frames_of_one_machine() {
    let script = repository("farm/slurm/render.sbatch");
    let bash = |words: &[&str]| {
        let mut bash = Command::new("bash");
        bash.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        bash
    };
    assert_eq!(finish(bash(&["-n", &script]).spawn().expect("bash")).code, Some(0));
    let whole = by_one();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (state, out) = (folder.path().join("state"), folder.path().join("a 'walk' $HOME"));
    fs::create_dir(&state).expect("a folder");
    fs::write(state.join("sbatch"), SBATCH).expect("a program");
    assert!(Command::new("chmod").arg("+x").arg(state.join("sbatch")).status().expect("chmod").success());
    let path = format!("{}:{}", state.display(), std::env::var("PATH").expect("a path"));
    let (rig, out_text) = (rig(), out.display().to_string());
    let submit = |set: &[(&str, &str)]| {
        let mut bash = bash(&[&script, &rig, &out_text]);
        bash.env("PATH", &path).env("STATE", &state).env("PROGRAM", env!("CARGO_BIN_EXE_render-frames"));
        bash.env("CLIP", "walk").env("RENDER_OPTIONS", "--scale 0.4").env("RESULT", "walk.gif");
        bash.env("ASSEMBLE_OPTIONS", "--loop 2").envs(set.iter().copied());
        finish(bash.spawn().expect("bash"))
    };
    let count = (LAST + 1).to_string();
    for wrong in [&[][..], &[("FRAMES", "x")], &[("FRAMES", "9"), ("CHUNK", "0")]] {
        assert_eq!(submit(wrong).code, Some(2), "{wrong:?}");
    }
    let ran = submit(&[("FRAMES", "90000"), ("CHUNK", "10")]);
    assert!(ran.code == Some(2) && ran.err.contains("set CHUNK to 90 or more"), "{ran:?}");
    let log = || fs::read_to_string(state.join("log")).unwrap_or_default();
    let ran = submit(&[("FRAMES", &count), ("CHUNK", "10"), ("SBATCH_OPTIONS", "--partition=render --nice")]);
    assert_eq!(ran.code, Some(0), "{ran:?}: {}", log());
    assert!(ran.out.contains("job 41, 4 tasks") && ran.out.contains("job 42 ->"), "{}", ran.out);
    assert!(files(&out.join("frames")) == whole, "{}", log());
    assert!(fs::read(out.join("walk.gif")).expect("the result") == result_of_one(&whole));
    let options = fs::read_to_string(state.join("options")).expect("options");
    assert_eq!(options.matches("--partition=render").count(), 2, "{options}");
    // Submitted again, nothing is drawn.
    assert_eq!(submit(&[("FRAMES", &count)]).code, Some(0), "{}", log());
    assert!(log().contains("24 existed already") && log().contains("12 existed already"), "{}", log());
}
