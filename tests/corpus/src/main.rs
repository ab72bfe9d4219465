//! Runs the engine over drawings that others made, and writes what it found: see `tests/corpus/README.md`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a report")]

mod drawings;
mod fills;
mod medial;
mod packages;
mod report;
mod scene;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use bone_layer::Pixmap;
use packages::{Kind, Sample};
use report::Outcome;

const LIST: &str = include_str!("../packages.txt");
/// So many drawings, unless all are wanted.
const DRAWINGS: usize = 600;
/// A drawing may take so long.
const LONGEST: Duration = Duration::from_secs(60);
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
fn fetched(kind: Kind, endings: &[&str]) -> Result<(Vec<Vec<Sample>>, usize), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = std::env::var_os("CORPUS").map_or_else(|| target.join("corpus"), PathBuf::from);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut all, mut missing) = (Vec::new(), 0);
    for (number, package) in packages::listed(LIST, kind)?.iter().enumerate() {
        let samples = package.fetched(&folder).and_then(|files| package.samples(number, &files, endings));
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

/// Examines a sample on a thread of its own, for as long as it may take.
fn examined(sample: &Sample, pictures: Option<&Path>) -> Outcome {
    let start = Instant::now();
    let (sender, result) = mpsc::channel();
    let (owned, folder) = (sample.clone(), pictures.map(Path::to_owned));
    let work = move || {
        let mut kept: Vec<(String, Pixmap)> = Vec::new();
        let done = catch_unwind(AssertUnwindSafe(|| match owned.read() {
            Ok(bytes) => drawings::examine(bytes, &mut |name, picture| {
                if folder.is_some() {
                    kept.push((name.to_owned(), picture.clone()));
                }
            }),
            Err(error) => Outcome { refused: Some(error), ..Outcome::default() },
        }));
        let outcome = done.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Outcome { refused: Some(format!("PANIC: {text}")), ..Outcome::default() }
        });
        if let Some(folder) = folder.filter(|_| wanted("PICTURES_OF_ALL") || outcome.above().next().is_some())
        {
            let file = owned.name.replace(['/', ' '], "_");
            for (name, picture) in kept {
                let _ = picture.save_png(folder.join(format!("{file}.{name}.png")));
            }
        }
        // The receiver is gone after the time limit.
        let _ = sender.send(outcome);
    };
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let late = |_| Outcome {
        refused: Some(format!("TOO SLOW: more than {} s", LONGEST.as_secs())),
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
fn examine_all(samples: &[Sample], pictures: Option<&Path>) -> Vec<(String, Outcome)> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, sample)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, samples.get(at)?)))
                {
                    let outcome = examined(sample, pictures);
                    print!("{}", report::lines(&sample.name, &outcome));
                    let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    found.insert(at, (sample.name.clone(), outcome));
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}

fn run() -> Result<bool, String> {
    let start = Instant::now();
    let (packages, missing) = fetched(Kind::Drawings, &["svg", "svgz"])?;
    let fetching = start.elapsed();
    let count = if wanted("ALL") { usize::MAX } else { DRAWINGS };
    let mut samples = packages::chosen(packages, count);
    if let Ok(only) = std::env::var("ONLY") {
        samples.retain(|sample| sample.name.contains(&only));
    }
    let pictures = std::env::var_os("PICTURES").map(PathBuf::from);
    if let Some(folder) = &pictures {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let hook = std::panic::take_hook();
    let places: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&places);
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(place);
    }));
    let outcomes = examine_all(&samples, pictures.as_deref());
    std::panic::set_hook(hook);
    for place in places.lock().unwrap_or_else(std::sync::PoisonError::into_inner).iter() {
        println!("panic at {place}");
    }
    println!("\n{}", report::table(&outcomes));
    let above = outcomes.iter().filter(|(_, outcome)| outcome.above().next().is_some()).count();
    println!(
        "{} drawings, {} without a silhouette, {} refused, {above} above a limit; fetched in {:.0} s, examined in {:.0} s",
        outcomes.len(),
        outcomes.iter().filter(|(_, outcome)| outcome.empty).count(),
        outcomes.iter().filter(|(_, outcome)| outcome.refused.is_some()).count(),
        fetching.as_secs_f64(),
        (start.elapsed() - fetching).as_secs_f64(),
    );
    Ok(above == 0 && (missing == 0 || !wanted("REQUIRE_CORPUS")))
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
