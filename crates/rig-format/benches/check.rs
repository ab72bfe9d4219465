//! How long an answer takes after one character of a rig was changed: everything that `render-frames check` does but its start,
//! for the rig as it is, with a mistake in a name, and with one in a number. Prints; judges nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::{Disk, Files, load, no_fonts};

fn main() {
    divan::main();
}

/// The disk, but for the rig.
struct Changed {
    path: PathBuf,
    text: String,
}

impl Files for Changed {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { Disk.read(path) }
    }
}

#[divan::bench(args = ["sound", "a name", "a number"])]
fn check_walk(bencher: divan::Bencher<'_, '_>, change: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/walk/rig.ron");
    let text = std::fs::read_to_string(&path).expect("the rig");
    let text = match change {
        "a name" => text.replacen("parent: \"hip\"", "parent: \"hap\"", 1),
        "a number" => text.replacen("(0, ", "(0. , ", 1),
        _ => text,
    };
    let files: Arc<dyn Files> = Arc::new(Changed { path: path.clone(), text });
    bencher.bench_local(|| load(&path, Arc::clone(&files), &no_fonts).diagnostics.error_count());
}
