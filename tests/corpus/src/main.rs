//! Runs the engine over drawings that others made, and writes what it found: see `tests/corpus/README.md`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a report")]

mod drawings;
mod fills;
mod medial;
mod packages;
mod report;
mod scene;
mod seams;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use bone_layer::Pixmap;
use packages::Sample;
use report::Outcome;

const LIST: &str = include_str!("../packages.txt");
const EXCEPTIONS: &str = include_str!("../exceptions.txt");
/// So many drawings, unless all are wanted.
const DRAWINGS: usize = 600;
/// A drawing may take so long.
const LONGEST: Duration = Duration::from_secs(120);
/// One drawing of so many is written for players.
const SHOWN: usize = 9;
/// As the main thread of a program has it.
const STACK: usize = 8 << 20;

/// Whether a variable of the environment is set.
fn wanted(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Fetches packages, and lists their files with one of these endings. What cannot be fetched is printed.
fn fetched(endings: &[&str]) -> Result<(Vec<Vec<Sample>>, usize), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = std::env::var_os("CORPUS").map_or_else(|| target.join("corpus"), PathBuf::from);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut all, mut missing) = (Vec::new(), 0);
    for package in packages::listed(LIST)? {
        let samples = package.fetched(&folder).and_then(|files| package.samples(&files, endings));
        match samples {
            Ok(samples) => {
                println!("{:44} {:6} files", package.title(), samples.len());
                all.push(samples);
            }
            Err(error) => {
                println!("SKIPPED: {}: {error}", package.title());
                missing += 1;
            }
        }
    }
    Ok((all, missing))
}

/// Folders for what a person or another program looks at.
struct Outputs {
    pictures: Option<PathBuf>,
    rigs: Option<PathBuf>,
}

/// Examines a sample on a thread of its own, for as long as it may take.
fn examined(sample: &Sample, pictures: Option<&Path>, rigs: Option<&Path>) -> Outcome {
    let start = Instant::now();
    let (sender, result) = mpsc::channel();
    let file = sample.name.replace(['/', ' '], "_");
    let (owned, pictures) = (sample.clone(), pictures.map(|folder| folder.join(format!("{file}.png"))));
    let rigs = rigs.map(|folder| folder.join(file));
    let work = move || {
        let mut kept: Vec<Pixmap> = Vec::new();
        let done = catch_unwind(AssertUnwindSafe(|| match owned.read() {
            Ok(bytes) => drawings::examine(bytes, rigs.as_deref(), &mut |picture| {
                if pictures.is_some() {
                    kept.push(picture.clone());
                }
            }),
            Err(error) => Outcome { refused: Some(error), ..Outcome::default() },
        }));
        let outcome = done.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Outcome { refused: Some(format!("{}: {text}", report::PANIC)), ..Outcome::default() }
        });
        if let Some(path) = pictures.filter(|_| outcome.above().next().is_some()) {
            let _ = scene::side_by_side(&kept).map(|sheet| sheet.save_png(path));
        }
        // The receiver is gone after the time limit.
        let _ = sender.send(outcome);
    };
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let late = |_| Outcome {
        refused: Some(format!("{}: more than {} s", report::SLOW, LONGEST.as_secs())),
        ..Outcome::default()
    };
    let mut outcome = match spawned {
        Ok(_) => result.recv_timeout(LONGEST).unwrap_or_else(late),
        Err(error) => Outcome { refused: Some(error.to_string()), ..Outcome::default() },
    };
    outcome.seconds = start.elapsed().as_secs_f64();
    outcome
}

/// Examines all samples on all cores, in their order.
fn examine_all(samples: &[Sample], outputs: &Outputs) -> Vec<(String, Outcome)> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let only = wanted("ONLY");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, sample)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, samples.get(at)?)))
                {
                    let rigs = outputs.rigs.as_deref().filter(|_| only || at % SHOWN == SHOWN / 2);
                    let outcome = examined(sample, outputs.pictures.as_deref(), rigs);
                    print!("{}", report::lines(&sample.name, &outcome));
                    let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    found.insert(at, (sample.name.clone(), outcome));
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}

/// The page that the program writes, and below whose figures it must not fall.
const PAGE: &str = "docs/corpus.md";

/// The drawings of a run, those that cannot be had, and what was found.
fn run() -> Result<bool, String> {
    let start = Instant::now();
    let (packages, missing) = fetched(&["svg", "svgz"])?;
    let fetching = start.elapsed();
    let count = std::env::var("COUNT").ok().map(|count| count.parse::<usize>());
    let count = count.transpose().map_err(|error| format!("COUNT: {error}"))?;
    let part = count.is_some() || wanted("ONLY") || wanted("ALL") || missing > 0;
    let count = if wanted("ALL") { usize::MAX } else { count.unwrap_or(DRAWINGS) };
    let mut samples = packages::chosen(packages, count);
    if let Ok(only) = std::env::var("ONLY") {
        samples.retain(|sample| only.split(',').any(|word| sample.name.contains(word)));
    }
    let outputs = Outputs { pictures: folder("PICTURES")?, rigs: folder("RIGS")? };
    let outcomes = watched(|| examine_all(&samples, &outputs));
    let known = report::exceptions(EXCEPTIONS)?;
    let table = report::table(&outcomes, &known);
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    let unknown = report::unknown(&outcomes, &known, &report::recorded(&page));
    println!("\n{table}");
    println!(
        "fetched in {:.0} s, examined in {:.0} s",
        fetching.as_secs_f64(),
        (start.elapsed() - fetching).as_secs_f64(),
    );
    println!("{} passed, {unknown} failed", outcomes.len() - unknown);
    let written = |path: PathBuf, text: &str| {
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let Some(file) = std::env::var_os("TABLE") {
        written(file.into(), &table)?;
    }
    if wanted("RENEW") && !part {
        let page = report::page(&packages::listed(LIST)?, &outcomes, &known);
        written(root().join(PAGE), &page)?;
    }
    Ok(unknown == 0 && (missing == 0 || !wanted("REQUIRE_CORPUS")))
}

/// The folder that a variable of the environment names, made if it is not there.
fn folder(variable: &str) -> Result<Option<PathBuf>, String> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(folder)
}

/// Prints the places of panics instead of what panics print.
fn watched<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| {
        println!("panic at {}", panic.location().map(ToString::to_string).unwrap_or_default());
    }));
    let done = work();
    std::panic::set_hook(hook);
    done
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::FAILURE
        }
    }
}
