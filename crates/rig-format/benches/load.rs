//! From the bytes of a drawing to its first pixel, beside usvg's own parse of the same bytes, on one thread: the drawing read, the
//! same with its first frame (and by resvg alone, for comparison), the rig with all that it binds, and the same
//! rig packed. Prints; judges nothing.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

mod clock;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bone_drawing::Frame;
use bone_format::{Disk, Files, InMemory, load, no_fonts};
use bone_render::{
    FrameOptions, FrameSize, Pixmap, Raster, Renderer, Resources, Viewport, decode_svg, read_svg,
};
use bone_rig::{FrameState, Rig};
use clock::clock;

/// So small that filling pixels weighs little: that is not loading.
const SIZE: (u32, u32) = (192, 108);
const RUNS: usize = 9;

fn main() {
    println!("from bytes to the first pixel of {}x{}, CPU ms (least of {RUNS} runs)", SIZE.0, SIZE.1);
    let head = [
        "usvg", "read", "ratio", "drawn", "ratio", "resvg", "ratio", "rig", "ratio", "packed", "of rig", "kB",
    ];
    println!("{:>14}{}", "", head.map(|word| format!("{word:>9}")).concat());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["walk", "face", "scarf"] {
        row(name, &root.join(name).join("rig.ron"), &root.join(name).join("drawing.svg"), &Arc::new(Disk));
    }
    for count in [1_000, 20_000, 50_000] {
        let (svg, rig) = many(count);
        let files = Arc::new(InMemory::new().with("many.svg", svg).with("many.ron", rig));
        row(&format!("{count} paths"), "many.ron".as_ref(), "many.svg".as_ref(), &files);
    }
}

fn row<F: Files + 'static>(name: &str, rig_path: &Path, svg: &Path, files: &Arc<F>) {
    let bytes = files.read(svg).expect("a drawing");
    let options =
        FrameOptions { size: FrameSize::new(SIZE.0, SIZE.1).expect("a usable size"), background: None };
    let mut pixels = vec![0; SIZE.0 as usize * SIZE.1 as usize * 4];

    let usvg = least(|| {
        let text = std::str::from_utf8(&bytes).expect("UTF-8");
        usvg::Tree::from_str(text, &usvg::Options::default()).expect("a drawing")
    });
    let read = least(|| {
        let text = decode_svg(bytes.clone()).expect("UTF-8");
        read_svg(&text, &Resources::default()).expect("a drawing").0
    });
    let drawn = least(|| {
        let text = decode_svg(bytes.clone()).expect("UTF-8");
        let drawing = Arc::new(read_svg(&text, &Resources::default()).expect("a drawing").0);
        let mut renderer = Renderer::new();
        let view = Viewport::fit(&drawing, &options);
        renderer.draw_into(&drawing, &Frame::default(), &view, &mut pixels).expect("a picture");
        (renderer, drawing)
    });
    let resvg = least(|| {
        let text = decode_svg(bytes.clone()).expect("UTF-8");
        let mut pixmap = Pixmap::new(SIZE.0, SIZE.1).expect("memory");
        Raster::default().draw(&text, &options, &mut pixmap).expect("a picture");
        pixmap
    });
    let rig = least(|| {
        let files: Arc<dyn Files> = Arc::<F>::clone(files);
        let scene = load(rig_path, files, &no_fonts).rig.expect("a sound rig");
        let (mut state, mut pixmap) = (FrameState::new(&scene), Pixmap::new(SIZE.0, SIZE.1).expect("memory"));
        scene.pose(scene.clips().first(), 0.5, &mut state).expect("a pose");
        scene.draw(&mut state, &options, &mut pixmap).expect("a picture");
        (scene, pixmap)
    });
    // The rig alone, from its file and packed: nothing is drawn.
    let loaded = least(|| load(rig_path, Arc::<F>::clone(files), &no_fonts).rig.expect("a sound rig"));
    let bytes = load(rig_path, Arc::<F>::clone(files), &no_fonts).rig.expect("a sound rig").save();
    let packed = least(|| Rig::load(&bytes).expect("a sound pack"));
    let size = bytes.len() as f64 / 1e3;
    let drawn = [drawn, drawn / usvg, resvg, resvg / usvg];
    let whole = [rig, rig / usvg, packed, packed / loaded, size];
    let cells: Vec<f64> = [usvg, read, read / usvg].into_iter().chain(drawn).chain(whole).collect();
    println!("{name:>14}{}", cells.iter().map(|cell| format!("{cell:>9.2}")).collect::<String>());
}

/// The least time of some runs; what a run makes is let go of outside.
fn least<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let started = Instant::now();
        let before = clock(started);
        let made = black_box(run());
        least = least.min(clock(started).saturating_sub(before).as_secs_f64() * 1e3);
        drop(made);
    }
    least
}

/// Blots of six curves side by side, each rigid on one of a 25th as many bones.
fn many(count: usize) -> (String, String) {
    let bones = (count / 25).max(1);
    let mut svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1920\" height=\"1080\" viewBox=\"0 0 1920 1080\">\n".to_owned();
    let mut rig = "Rig(version: 1, drawing: \"many.svg\", bones: {\n".to_owned();
    for bone in 0..bones {
        let (x, y) = (bone * 37 % 1900, bone * 53 % 1000);
        let _ = writeln!(rig, "    \"b{bone}\": (from: ({x}, {y}), angle: 0, length: 20),");
    }
    rig.push_str("}, skin: [\n");
    for path in 0..count {
        let (x, y) = (path * 7 % 1900, path / 271 * 5 % 1070);
        let _ = writeln!(
            svg,
            "<path id=\"p{path}\" d=\"M{x} {y}c1.25 -2.5 3.75 -2.5 5 0c2.5 .625 2.5 2.5 0 3.75c.625 2.5 -1.25 3.75 -2.5 2.5\
             c-2.5 1.25 -3.75 0 -2.5 -2.5c-2.5 -1.25 -2.5 -3.125 0 -3.75z\" fill=\"#{:06x}\"/>",
            path * 7919 % 0x0100_0000
        );
        let _ = writeln!(rig, "    Rigid(art: \"p{path}\", bone: \"b{}\"),", (path / 25).min(bones - 1));
    }
    svg.push_str("</svg>\n");
    rig.push_str("], clips: {\"turn\": (length: 1, bones: {\n");
    for bone in 0..bones {
        let _ = writeln!(rig, "    \"b{bone}\": (rotate: [(0, 0), (1, {})]),", 5 + bone % 20);
    }
    rig.push_str("})})\n");
    (svg, rig)
}
