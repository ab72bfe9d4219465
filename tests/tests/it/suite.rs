//! The test suite of resvg, where it is installed: `RESVG_SUITE=resvg/crates/resvg/tests` is its folder. Each
//! drawing is read, and drawn from the render tree; resvg draws the author's text. Differences that are
//! explained are listed in `docs/resvg-suite.md`, and no others are allowed. `ONLY=text/` takes a part of it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bone_drawing::Frame;
use bone_layer_tests::files::root;
use bone_render::{FrameSize, Pixmap, Renderer, Resources, Viewport, decode_svg, fontdb, read_svg};
use kurbo::Affine;

/// The width of the suite's pictures.
const WIDTH: u32 = 300;
/// The table of explained differences.
const TABLE: &str = "docs/resvg-suite.md";

/// The fonts of the suite, by the kinds that it gives them.
fn fonts(folder: &Path) -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    fonts.load_fonts_dir(folder.join("fonts"));
    fonts.set_serif_family("Noto Serif");
    fonts.set_sans_serif_family("Noto Sans");
    fonts.set_cursive_family("Yellowtail");
    fonts.set_fantasy_family("Sedgwick Ave Display");
    fonts.set_monospace_family("Noto Mono");
    fonts
}

/// All drawings below a folder.
fn drawings(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "svg") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The differences of a drawing from resvg's picture of it.
enum Compared {
    Same,
    Pixels(usize, u8),
    Refused(String),
    /// resvg refuses it or fails on it, too.
    ByNone,
}

fn compare(path: &Path, fonts: &Arc<fontdb::Database>) -> Compared {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let options = usvg::Options {
        resources_dir: Some(folder.clone()),
        fontdb: Arc::clone(fonts),
        ..usvg::Options::default()
    };
    let expected = catch_unwind(AssertUnwindSafe(|| {
        let tree = usvg::Tree::from_data(&bytes, &options).ok()?;
        let size = tree.size().to_int_size().scale_to_width(WIDTH)?;
        let scale = (size.width() as f32 / tree.size().width(), size.height() as f32 / tree.size().height());
        let mut pixmap = Pixmap::new(size.width(), size.height())?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale.0, scale.1), &mut pixmap.as_mut());
        Some((pixmap, scale))
    }));
    let Ok(Some((expected, scale))) = expected else { return Compared::ByNone };
    let images = move |href: &str| std::fs::read(folder.join(href)).ok();
    let resources = Resources { fonts: Arc::clone(fonts), images: Arc::new(images) };
    let read = decode_svg(bytes.clone()).and_then(|text| read_svg(&text, &resources));
    let (drawing, _) = match read {
        Ok(read) => read,
        Err(error) => return Compared::Refused(error.to_string()),
    };
    let size = FrameSize::new(expected.width(), expected.height()).expect("a small one");
    let transform = Affine::scale_non_uniform(f64::from(scale.0), f64::from(scale.1));
    let view = Viewport::new(size, transform);
    let mut pixels = vec![0; expected.data().len()];
    let drawn = Renderer::new().draw_into(&Arc::new(drawing), &Frame::default(), &view, &mut pixels);
    if let Err(error) = drawn {
        return Compared::Refused(error.to_string());
    }
    let pairs = pixels.chunks_exact(4).zip(expected.data().chunks_exact(4));
    let largest = |(a, b): (&[u8], &[u8])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
    let apart: Vec<u8> = pairs.map(largest).filter(|apart| *apart > 1).collect();
    match apart.iter().max() {
        None => Compared::Same,
        Some(most) => Compared::Pixels(apart.len(), *most),
    }
}

/// The rows of the table: a name without its extension, and the most pixels that may differ, or `refused`.
fn explained() -> BTreeMap<String, Option<usize>> {
    let text = std::fs::read_to_string(root().join(TABLE)).expect("the table");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .map(|cells| {
            let name = cells[0].trim_end_matches('`').to_owned();
            assert!(cells.len() >= 3 && cells[2].len() > 10, "{name}: no reason");
            (name, cells[1].parse().ok())
        })
        .collect()
}

#[test]
fn the_suite_of_resvg_is_drawn_as_resvg_draws_it() {
    let explained = explained();
    let Some(folder) = std::env::var_os("RESVG_SUITE").map(PathBuf::from) else {
        println!("SKIPPED: RESVG_SUITE is not the folder of resvg's tests");
        return;
    };
    let fonts = Arc::new(fonts(&folder));
    assert!(!fonts.is_empty(), "{} has no fonts", folder.display());
    let mut all = drawings(&folder.join("tests"));
    let only = std::env::var("ONLY").ok();
    let name = |path: &Path| -> String {
        let inside = path.strip_prefix(folder.join("tests")).unwrap_or(path).with_extension("");
        inside.to_string_lossy().replace('\\', "/")
    };
    all.retain(|path| only.as_ref().is_none_or(|only| name(path).contains(only.as_str())));
    assert!(only.is_some() || all.len() > 1_500, "{} drawings", all.len());
    let (next, results) = (Mutex::new(all.iter()), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let path = next.lock().expect("no panic").next();
                    let Some(path) = path else { return };
                    let compared = compare(path, &fonts);
                    results.lock().expect("no panic").push((name(path), compared));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut same, mut by_none, mut known, mut wrong) = (0, 0, 0, Vec::new());
    for (name, compared) in &results {
        match (compared, explained.get(name)) {
            (Compared::Same, _) => same += 1,
            (Compared::ByNone, _) => by_none += 1,
            (Compared::Pixels(count, _), Some(Some(most))) if count <= most => known += 1,
            (Compared::Refused(_), Some(None)) => known += 1,
            (Compared::Pixels(count, most), _) => {
                wrong.push(format!("{name}: {count} pixels differ by up to {most}"));
            }
            (Compared::Refused(error), _) => wrong.push(format!("{name}: refused: {error}")),
        }
    }
    println!(
        "{} drawings: {same} the same, {known} explained, {by_none} that resvg does not draw, {} unexplained",
        results.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
