//! Few keys, near enough.

use std::path::{Path, PathBuf};

use import::figure::{FigureOptions, Foreshortening, figure};
use import::fit::fit;
use import::{View, bvh, project};

fn motion(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn captures_get_few_keys() {
    for name in [
        "pybvh_cmu_12_01_walk",
        "ad_fair1_jumping",
        "dme_example",
        "ad_cmu1_jumping_jacks",
        "bvhpy_test_freebvh",
        "bvhpy_test_mocapbank",
        "pybvh_bvh_test1",
    ] {
        let bvh = bvh::read(&text(&motion(&format!("{name}.bvh")))).expect("a recording");
        for view in [View::SIDE, View::FRONT] {
            let projected = project(&bvh, view, None).expect("projected");
            let options = FigureOptions {
                foreshortening: Foreshortening::Keep,
                on_the_spot: false,
                height: 300.0,
                looped: false,
            };
            let figure = figure(&projected.flat, &options).expect("a figure");
            let start = std::time::Instant::now();
            let fitted = fit(&figure.skeleton, &figure.take, 3.0).expect("fits");
            println!(
                "{name}: {} frames, {} of {} channels, {:.2} keys/s, worst {:.2} mean {:.2}, {:?}",
                figure.take.frames(),
                fitted.channels,
                figure.take.tracks.len(),
                fitted.density(),
                fitted.worst,
                fitted.mean,
                start.elapsed()
            );
        }
    }
}
