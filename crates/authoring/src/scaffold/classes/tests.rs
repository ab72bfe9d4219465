//! Pieces that are bound as one, on drawings of squares.

use kurbo::{BezPath, Rect};

use super::super::art::share_of;
use super::*;

const PAGE: Rect = Rect::new(0.0, 0.0, 72.0, 72.0);

fn path(d: &str) -> BezPath {
    BezPath::from_svg(d).expect("a path")
}

fn fill(d: &str) -> Shape {
    Shape::new(path(d), Some(false), 0.0)
}

fn stroke(d: &str, width: f64) -> Shape {
    Shape::new(path(d), None, width)
}

fn piece(shapes: Vec<Shape>) -> ArtPiece {
    ArtPiece {
        names: vec!["piece".to_owned()],
        bounds: bounds(shapes.iter().map(|shape| &shape.path)),
        shapes,
        bends: true,
        rigid_parts: Vec::new(),
        background: false,
        all: false,
    }
}

/// Without bones.
fn classes_of(pieces: &[ArtPiece], page: Rect) -> Vec<Class> {
    classes(pieces, &inks(pieces, page), page, &|_| false)
}

fn members(pieces: &[ArtPiece]) -> Vec<Vec<usize>> {
    classes_of(pieces, PAGE).into_iter().map(|class| class.members).collect()
}

const BODY: &str = "M20 10 H50 V60 H20 Z";
const HEAD: &str = "M25 2 H45 V9 H25 Z";

#[test]
fn a_line_is_bound_with_the_colour_that_it_is_drawn_around() {
    let pieces = [piece(vec![fill(BODY)]), piece(vec![stroke(BODY, 2.0), fill("M30 20 h2 v2 h-2 z")])];
    let found = classes_of(&pieces, PAGE);
    assert_eq!(found, [Class { members: vec![0, 1], lines: vec![1] }]);
}

#[test]
fn a_line_around_two_colours_binds_both() {
    let pieces =
        [piece(vec![fill(BODY)]), piece(vec![fill(HEAD)]), piece(vec![stroke(BODY, 2.0), stroke(HEAD, 2.0)])];
    assert_eq!(members(&pieces), [vec![0, 1, 2]]);
}

#[test]
fn half_of_a_border_is_enough_and_less_is_not() {
    // 30 + 50 of the 160 of the border; then 30 and a bit of the side.
    let half = [piece(vec![fill(BODY)]), piece(vec![stroke("M20 60 V10 H50", 2.0)])];
    assert_eq!(members(&half), [vec![0, 1]]);
    let less = [piece(vec![fill(BODY)]), piece(vec![stroke("M20 30 V10 H50", 2.0)])];
    assert_eq!(members(&less), [vec![0], vec![1]]);
}

#[test]
fn the_border_inside_of_a_colour_needs_no_line() {
    let spots = "M25 15 h20 v20 h-20 z M25 37 h20 v20 h-20 z";
    let pieces = [piece(vec![fill(BODY), fill(spots)]), piece(vec![stroke(BODY, 2.0)])];
    assert_eq!(members(&pieces), [vec![0, 1]]);
}

#[test]
fn limbs_before_each_other_stay_apart() {
    let torso = piece(vec![fill(BODY), stroke(BODY, 2.0)]);
    let arm = piece(vec![fill("M22 14 H32 V50 H22 Z"), stroke("M22 14 H32 V50 H22 Z", 2.0)]);
    let eyes = piece(vec![fill(EYES)]);
    assert_eq!(members(&[torso, arm, eyes]), [vec![0], vec![1], vec![2]]);
}

#[test]
fn limbs_of_one_wide_stroke_are_not_lines() {
    let wide = [piece(vec![fill(BODY)]), piece(vec![stroke(BODY, 6.0)])];
    assert_eq!(members(&wide), [vec![0], vec![1]]);
    let thin_colour =
        [piece(vec![fill("M20 10 H22 V60 H20 Z")]), piece(vec![stroke("M20 10 H22 V60 H20 Z", 2.0)])];
    assert_eq!(members(&thin_colour), [vec![0], vec![1]], "not even half as wide as its colour");
}

#[test]
fn what_spans_the_page_is_in_no_class() {
    let frame = "M1 1 H71 V71 H1 Z";
    let pieces = [piece(vec![fill(frame)]), piece(vec![stroke(frame, 2.0)])];
    assert_eq!(members(&pieces), [vec![0], vec![1]]);
}

#[test]
fn strokes_as_outlines_are_lines_unless_a_bone_is_in_them() {
    let ring = "M19 9 H51 V61 H19 Z M21 11 V59 H49 V11 Z";
    let pieces = [piece(vec![fill(BODY)]), piece(vec![fill(ring)])];
    assert_eq!(members(&pieces), [vec![0, 1]]);
    let same_turn = Shape::new(path("M19 9 H51 V61 H19 Z M21 11 H49 V59 H21 Z"), Some(true), 0.0);
    assert_eq!(members(&[piece(vec![fill(BODY)]), piece(vec![same_turn])]), [vec![0, 1]]);
    let found = classes(&pieces, &inks(&pieces, PAGE), PAGE, &|_| true);
    assert_eq!(found.len(), 2);
}

#[test]
fn the_picture_of_a_line_may_reach_far_if_no_shape_of_it_is_a_frame() {
    let target = "M8 8 H70 V70 H8 Z";
    let line = vec![stroke(target, 2.0), stroke("M1 1 L30 30", 2.0)];
    assert_eq!(members(&[piece(vec![fill(target)]), piece(line)]), [vec![0, 1]]);
}

#[test]
fn an_open_colour_is_as_wide_as_it_looks() {
    let bar = "M59 41 L13 41 L13 31 L59 31";
    assert_eq!(
        members(&[piece(vec![fill(bar)]), piece(vec![stroke("M13 31 H59 V41 H13 Z", 2.0)])]),
        [vec![0, 1]]
    );
}

#[test]
fn members_that_would_follow_one_bone_stay_rigid() {
    let pieces = || vec![piece(vec![fill(BODY)]), piece(vec![stroke(BODY, 2.0)])];
    let joint = |piece: &ArtPiece| match piece.names.len() {
        1 => PieceBinding::Rigid(1),
        _ => PieceBinding::Smooth(vec![0, 1]),
    };
    assert_eq!(
        bound(pieces(), PAGE, true, &Alone { how: &joint, has_bone: &|_| false }).pieces[0].1,
        PieceBinding::Rigid(1)
    );
    let own = |piece: &ArtPiece| match piece.names.len() {
        1 => PieceBinding::Rigid(usize::from(piece.shapes[0].filled)),
        _ => PieceBinding::Smooth(vec![0, 1]),
    };
    let found = bound(pieces(), PAGE, true, &Alone { how: &own, has_bone: &|_| false });
    assert_eq!(found.pieces.len(), 1);
    assert_eq!(found.pieces[0].1, PieceBinding::Smooth(vec![0, 1]));
    assert!(found.pieces[0].0.all, "all art is in the class");
}

fn named(name: &str, shapes: Vec<Shape>) -> ArtPiece {
    ArtPiece { names: vec![name.to_owned()], ..piece(shapes) }
}

/// Pieces as `names: binding`, where colours bend and all else is rigid with the nearest bone.
fn bindings(pieces: Vec<ArtPiece>, has_bone: &dyn Fn(&[Shape]) -> bool) -> Vec<String> {
    let how = |piece: &ArtPiece| match piece.names[0].as_str() {
        "body" => PieceBinding::Smooth(vec![0, 1]),
        "hat" => PieceBinding::Rigid(2),
        "sky" => PieceBinding::Not("it spans the page".to_owned()),
        _ => PieceBinding::Rigid(7),
    };
    let found = bound(pieces, PAGE, false, &Alone { how: &how, has_bone });
    let shown = |(piece, how): &(ArtPiece, PieceBinding)| format!("{}: {how:?}", piece.names.join(" "));
    found.pieces.iter().map(shown).collect()
}

const EYES: &str = "M30 20 h3 v3 h-3 z M40 20 h3 v3 h-3 z";

#[test]
fn what_lies_on_a_piece_follows_it() {
    let body = || named("body", vec![fill(BODY)]);
    let eyes = || named("eyes", vec![fill(EYES)]);
    let none = |_: &[Shape]| false;
    assert_eq!(bindings(vec![body(), eyes()], &none), ["body eyes: Smooth([0, 1])"]);
    // What is painted first lies under it.
    assert_eq!(bindings(vec![eyes(), body()], &none), ["eyes: Rigid(7)", "body: Smooth([0, 1])"]);
    // The one on top of several counts.
    let hat = named("hat", vec![fill("M22 12 H48 V30 H22 Z")]);
    assert_eq!(
        bindings(vec![body(), hat, eyes()], &|shapes| shapes[0].path == path("M22 12 H48 V30 H22 Z")),
        ["body: Smooth([0, 1])", "hat: Rigid(2)", "eyes: Rigid(2)"]
    );
    // On what is not bound it is bound alone.
    let sky = named("sky", vec![fill("M1 5 H71 V50 H1 Z")]);
    assert_eq!(bindings(vec![sky, eyes()], &none), ["sky: Not(\"it spans the page\")", "eyes: Rigid(7)"]);
}

#[test]
fn an_arm_with_a_bone_or_half_beside_its_body_does_not_follow_it() {
    let body = || named("body", vec![fill(BODY)]);
    let arm = |x: f64| named("arm", vec![fill(&format!("M{x} 14 h10 v30 h-10 z"))]);
    let apart = ["body: Smooth([0, 1])", "arm: Rigid(7)"];
    assert_eq!(bindings(vec![body(), arm(30.0)], &|shapes| shapes[0].path != path(BODY)), apart);
    assert_eq!(bindings(vec![body(), arm(43.0)], &|_| false), apart, "seven tenths of it");
    assert_eq!(bindings(vec![body(), arm(41.5)], &|_| false), ["body arm: Smooth([0, 1])"]);
}

/// A smile with a bone from its middle to the right: at its ends only it has ink.
#[test]
fn a_bone_in_the_box_of_a_feature_is_its_own() {
    let drawn = |smile: &str| vec![named("body", vec![fill(BODY)]), named("smile", vec![stroke(smile, 2.0)])];
    let pieces = || drawn("M27 40 C27 49 43 49 43 40");
    let bone = |from: (f64, f64), to: (f64, f64)| {
        move |shapes: &[Shape]| {
            share_of(shapes, from.into(), to.into()) >= 0.5 && shapes[0].path != path(BODY)
        }
    };
    let apart = ["body: Smooth([0, 1])", "smile: Rigid(7)"];
    assert_eq!(bindings(pieces(), &bone((35.0, 42.0), (42.0, 42.0))), apart);
    let together = ["body smile: Smooth([0, 1])"];
    assert_eq!(bindings(pieces(), &bone((35.0, 12.0), (35.0, 58.0))), together, "a spine passes through");
    assert_eq!(bindings(pieces(), &bone((45.0, 42.0), (52.0, 42.0))), together, "beside its box");
    let wide = drawn("M22 30 C22 49 48 49 48 30");
    assert_eq!(bindings(wide, &bone((35.0, 35.0), (42.0, 35.0))), together, "no small feature");
}

#[test]
fn hostile_outlines_are_in_no_class_and_take_no_time() {
    let far = "M-1e300 0 L1e300 1e300 L0 1e300 Z";
    let odd = vec![
        piece(vec![]),
        piece(vec![fill("M5 5"), stroke("M5 5", 2.0)]),
        piece(vec![fill("M5 5 L5 5 Z"), stroke("M5 5 L5 5 Z", 2.0)]),
        piece(vec![fill(far)]),
        piece(vec![stroke(far, 2.0)]),
        piece(vec![stroke(BODY, 1e300)]),
        piece(vec![fill(BODY)]),
    ];
    assert_eq!(classes_of(&odd, PAGE).len(), odd.len());
    for page in [Rect::ZERO, Rect::new(0.0, 0.0, 1e308, 1e308), Rect::new(0.0, 0.0, 1e-300, 1e-300)] {
        assert_eq!(classes_of(&odd, page).len(), odd.len());
    }
    let dots = |made: &dyn Fn(&str) -> Shape| {
        let dot = |n: usize| made(&format!("M{} {} h1 v1 h-1 z", 5 + n % 140 / 3, 5 + n / 140 / 3));
        piece((0..10_000).map(dot).collect())
    };
    let many = [dots(&|d| fill(d)), dots(&|d| stroke(d, 0.1))];
    assert_eq!(classes_of(&many, PAGE).iter().map(|class| class.members.len()).sum::<usize>(), 2);
}
