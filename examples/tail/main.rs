//! Computes weights without a rig, as a tool does while bones are being placed: from an outline and bones to
//! weights at any point.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_core::BoneId;
use bone_render::{Resources, read_svg};
use bone_skin::{BoneSegment, CoveredShape, FieldOptions, Method, WindingRule, solve_weights};
use kurbo::Point;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tail/drawing.svg");
    let (art, _) = read_svg(&std::fs::read_to_string(path)?, &Resources::none())?;
    let group = art.find("tail")?;

    // Every outline of the group, filled or stroked, is part of one interior.
    let outlines: Vec<_> = art.paths_in(group).into_iter().filter_map(|id| art.outline(id)).collect();
    let rule = |even_odd| if even_odd { WindingRule::EvenOdd } else { WindingRule::NonZero };
    let shapes: Vec<CoveredShape<'_>> = outlines
        .iter()
        .map(|o| CoveredShape { path: &o.path, fill: o.even_odd.map(rule), stroke_width: o.stroke_width })
        .collect();

    // Two bones, end to end through the middle of everything that is drawn.
    let extent = outlines.iter().map(|o| kurbo::Shape::bounding_box(&o.path)).reduce(|a, b| a.union(b));
    let extent = extent.ok_or("nothing is drawn")?;
    let at = |share: f64| Point::new(extent.x0 + extent.width() * share, extent.center().y);
    let bone = |i: u32, from: f64, to: f64| BoneSegment {
        bone: BoneId::new(i),
        origin: at(from),
        tip: at(to),
        region: None,
    };
    let bones = [bone(0, 0.0, 0.5), bone(1, 0.5, 1.0)];
    for method in [Method::Heat, Method::Biharmonic] {
        let (field, notes) = solve_weights(&shapes, &bones, method, FieldOptions::default())?;
        println!("{method:?}: {} triangles, {} notes", field.triangles().len(), notes.len());
        for step in 0..=8 {
            let mut weights = [0.0; 2];
            let share = f64::from(step) / 8.0;
            field.weights_at(at(share), &mut weights);
            println!("  {:>5.1} % along: {:.3} and {:.3}", share * 100.0, weights[0], weights[1]);
        }
    }
    Ok(())
}
