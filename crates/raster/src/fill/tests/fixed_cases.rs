//! Shapes that are difficult for scan converters.

use tiny_skia::{BlendMode, Color, FillRule, PathBuilder, Rect, Stroke, Transform};

use super::{Case, compare, path, same};
use crate::fill::{Filler, SolidColor};

fn rect(x: f32, y: f32, width: f32, height: f32) -> tiny_skia::Path {
    PathBuilder::from_rect(Rect::from_xywh(x, y, width, height).expect("a rectangle"))
}

#[test]
fn the_whole_picture() {
    for size in [(1, 1), (3, 2), (64, 5), (65, 5), (127, 3), (128, 3), (200, 100)] {
        same(&Case::new(rect(0.0, 0.0, size.0 as f32, size.1 as f32), size));
        let color = Color::from_rgba8(10, 200, 30, 77);
        same(&Case { color, ..Case::new(rect(0.0, 0.0, size.0 as f32, size.1 as f32), size) });
    }
}

#[test]
fn the_last_pixel_that_tiny_skia_draws_in_one_piece() {
    same(&Case::new(rect(8189.3, 0.2, 1.7, 1.3), (8191, 2)));
    same(&Case::new(rect(0.2, 8189.3, 1.3, 1.7), (2, 8191)));
    let slanted = path(|p| {
        p.move_to(0.0, 0.0);
        p.line_to(8191.0, 1.0);
        p.line_to(8191.0, 2.0);
        p.cubic_to(4000.0, 2.0, 6000.0, 0.5, 0.0, 1.5);
    });
    same(&Case::new(slanted, (8191, 2)));
}

#[test]
fn each_sixteenth_of_a_pixel_and_each_alpha() {
    for k in 0..17_u8 {
        let part = f32::from(k) / 16.0;
        same(&Case::new(rect(1.0 + part, 1.0 + part / 3.0, 1.0 + part * 2.0, 1.1), (6, 5)));
    }
    for alpha in 0..=255 {
        for mode in [BlendMode::SourceOver, BlendMode::Source, BlendMode::Clear] {
            let shape = path(|p| {
                p.move_to(0.3, 0.2);
                p.line_to(15.2, 3.0);
                p.line_to(2.7, 15.9);
            });
            let color = Color::from_rgba8(250, 128, 3, alpha);
            same(&Case { color, mode, ..Case::new(shape, (16, 16)) });
        }
    }
}

#[test]
fn shapes_that_meet_themselves() {
    let star = path(|p| {
        p.move_to(50.0, 2.0);
        for (x, y) in [(80.0, 95.0), (3.0, 38.0), (97.0, 38.0), (20.0, 95.0)] {
            p.line_to(x, y);
        }
        p.close();
    });
    let twice = path(|p| {
        for _ in 0..2 {
            p.move_to(10.0, 10.0);
            p.cubic_to(90.0, 10.0, 10.0, 90.0, 90.0, 90.0);
            p.line_to(10.0, 90.0);
            p.close();
        }
    });
    let back = path(|p| {
        p.move_to(10.25, 10.0);
        for (x, y) in [(10.25, 60.0), (10.25, 20.0), (40.0, 20.0), (40.0, 70.0), (40.0, 10.0)] {
            p.line_to(x, y);
        }
    });
    let neighbours = path(|p| {
        for k in 0..8_u8 {
            let x = f32::from(k) * 5.3 + 1.1;
            p.push_rect(Rect::from_xywh(x, 3.2, 5.3, 80.0).expect("a rectangle"));
        }
    });
    for shape in [star, twice, back, neighbours] {
        for rule in [FillRule::Winding, FillRule::EvenOdd] {
            for ts in [Transform::identity(), Transform::from_row(0.7, 0.1, 0.2, -0.6, 3.0, 80.0)] {
                same(&Case { rule, ts, ..Case::new(shape.clone(), (100, 100)) });
            }
        }
    }
}

#[test]
fn slivers_and_specks() {
    for k in 1..60_u8 {
        let thin = f32::from(k) / 300.0;
        let sliver = path(|p| {
            p.move_to(3.1, 4.0);
            p.line_to(90.7, 71.0 + thin);
            p.line_to(90.7 + thin, 71.0);
        });
        same(&Case::new(sliver, (100, 100)));
        same(&Case::new(rect(7.0 + thin, 9.0 - thin, thin, 40.0), (100, 100)));
        same(&Case::new(rect(7.0 + thin, 9.0 - thin, 40.0, thin), (100, 100)));
        same(&Case::new(PathBuilder::from_circle(50.0, 50.0, thin).expect("a circle"), (100, 100)));
    }
}

#[test]
fn unsupported_shapes_draw_nothing() {
    let refused = |case: &Case| assert_eq!(compare(&mut Filler::default(), case), Ok(false), "{case:?}");
    let crossing = path(|p| {
        p.move_to(2.0, 2.0);
        p.cubic_to(8.0, -9.0, 14.0, 5.0, 18.0, 18.0);
    });
    refused(&Case::new(crossing, (20, 20)));
    refused(&Case::new(rect(2.0, 2.0, 5.0, 5.0), (8192, 8)));
    let stroke = |width| Stroke { width, ..Stroke::default() };
    refused(&Case { stroke: Some(stroke(1.0)), ..Case::new(rect(2.0, 2.0, 5.0, 5.0), (20, 20)) });
    refused(&Case { stroke: Some(stroke(0.0)), ..Case::new(rect(2.0, 2.0, 5.0, 5.0), (20, 20)) });
    same(&Case { stroke: Some(stroke(1.01)), ..Case::new(rect(2.0, 2.0, 5.0, 5.0), (20, 20)) });
    assert_eq!(SolidColor::new(Color::BLACK, BlendMode::Multiply), None);
}

#[test]
fn what_leaves_the_picture_is_cut() {
    for (x, y, width, height) in [(-1.0, 2.0, 5.3, 5.1), (2.0, 2.0, 5.0, 50.0), (-9.0, -9.0, 99.0, 99.0)] {
        same(&Case::new(rect(x, y, width, height), (20, 20)));
    }
    for k in 0..24_u8 {
        let far = f32::from(k) * 3.7 - 40.0;
        let shape = path(|p| {
            p.move_to(far, 3.1);
            p.line_to(17.0, -far);
            p.quad_to(30.0 - far, 12.0, 10.0, 30.0);
            p.quad_to(-30.0, far + 9.0, 12.0, 5.0);
        });
        for rule in [FillRule::Winding, FillRule::EvenOdd] {
            same(&Case { rule, ..Case::new(shape.clone(), (20, 23)) });
        }
    }
}

#[test]
fn what_lies_outside_draws_nothing() {
    for (x, y) in [(-9.0, 2.0), (2.0, -9.0), (20.0, 2.0), (2.0, 20.0), (500.0, 500.0)] {
        same(&Case::new(rect(x, y, 5.0, 5.0), (20, 20)));
    }
}
