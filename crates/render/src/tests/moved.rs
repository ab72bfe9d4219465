//! Moved drawings compared with the same drawings moved by hand.

use super::*;
use proptest::prelude::*;

/// Turned by about 17 degrees, scaled and moved, without trigonometry.
const MOVE: Affine = Affine::new([0.96, 0.28, -0.31, 1.05, 7.5, -3.25]);

fn attribute(matrix: Affine) -> String {
    let [a, b, c, d, e, f] = matrix.as_coeffs();
    format!("matrix({a} {b} {c} {d} {e} {f})")
}

/// An element right below the root, moved by its binding and by a group written around it.
fn compare(name: &str, head: &str, element: &str) {
    let wrap = |element: &str| format!("{head}{element}</svg>");
    let art = read(&wrap(element));
    let moved = posed(&art, &[("x", MOVE)], &[]);
    let by_hand = wrap(&format!("<g transform='{}'>{element}</g>", attribute(MOVE)));
    let (count, largest) = difference(&draw(&moved), &draw(&by_hand));
    assert!(count <= 20 && largest <= 1, "{name}: {count} pixels differ by up to {largest}\n{moved}");
    assert!(difference(&draw(&moved), &draw(&svg_text(&art))).0 > 100, "{name} did not move");
}

#[test]
fn rigid_elements_move_as_a_group_around_them_does() {
    let elements = [
        ("group", "<g id='x' transform='rotate(5)' opacity='.7'><rect x='20' y='10' width='30' height='30'/><circle cx='50' cy='50' r='9' fill='red'/></g>".to_owned()),
        ("bare group", "<g id='x'><rect x='20' y='10' width='30' height='30'/></g>".to_owned()),
        ("path", "<path id='x' d='M20 20H60L50 50Z' stroke='red' fill='none' stroke-width='3'/>".to_owned()),
        ("path with effects", "<clipPath id='c'><circle cx='40' cy='40' r='20'/></clipPath><path id='x' d='M20 20H60L50 50Z' transform='scale(1.2)' clip-path='url(#c)' opacity='.5'/>".to_owned()),
        ("path with markers", "<marker id='m' markerWidth='5' markerHeight='5'><rect width='5' height='5' fill='red'/></marker><path id='y' d='M5 5H15V9Z'/><path id='x' d='M20 20H60L50 50Z' marker-mid='url(#m)'/>".to_owned()),
        ("image", format!("<image id='x' href='{}' x='20' y='20' width='30' height='30'/>", dot())),
        ("use", "<defs><rect id='r' width='20' height='30'/></defs><use id='x' href='#r' x='20' y='15' transform='rotate(3)'/>".to_owned()),
        ("symbol", "<symbol id='r' viewBox='0 0 10 10'><rect width='20' height='8'/></symbol><use id='x' href='#r' x='20' y='15' width='40' height='40'/>".to_owned()),
        ("nested svg", "<svg id='x' x='10' y='10' width='40' height='40' viewBox='0 0 10 10'><rect width='20' height='8'/></svg>".to_owned()),
        ("switch", "<switch id='x'><rect x='20' y='10' width='20' height='28'/></switch>".to_owned()),
    ];
    for (name, element) in &elements {
        // Definitions stay where they are; only the last element is moved.
        let split = element
            .rfind("<path id='x'")
            .or_else(|| element.rfind("<use"))
            .or_else(|| element.find("<g id='x'"))
            .unwrap_or(0);
        let (before, element) = element.split_at(split);
        let head = format!("{HEAD} width='80' height='80'>{before}");
        compare(name, &head, element);
        let head = format!("{HEAD} width='80mm' height='80mm' viewBox='-5 -7 100 90'>{before}");
        compare(name, &head, element);
    }
}

#[test]
fn inside_transformed_groups_the_matrix_is_still_in_canvas_space() {
    let element = "<rect id='x' x='20' y='10' width='30' height='30' transform='rotate(10)'/>";
    let svg = drawing(&format!("<g transform='translate(5 9) scale(.8 1.1)'>{element}</g>"));
    let art = read(&svg);
    let moved = posed(&art, &[("x", MOVE)], &[]);
    let by_hand = drawing(&format!(
        "<g transform='{}'><g transform='translate(5 9) scale(.8 1.1)'>{element}</g></g>",
        attribute(MOVE)
    ));
    assert!(difference(&draw(&moved), &draw(&by_hand)).1 <= 1);
}

#[test]
fn of_nested_rigid_elements_the_nearest_wins() {
    let outer = "<g id='o' transform='rotate(8)'><rect width='20' height='20' fill='red'/>";
    let inner = "<path id='x' d='M30 10h20v20z' transform='translate(3 5)' opacity='.8'/>";
    let art = read(&drawing(&format!("{outer}{inner}</g>")));
    let other = Affine::new([0.8, -0.2, 0.1, 1.3, 5.0, 12.0]);
    let moved = posed(&art, &[("o", other), ("x", MOVE)], &[]);
    let by_hand = drawing(&format!(
        "<g transform='{}'>{outer}</g></g><g transform='{}'><g transform='rotate(8)'>{inner}</g></g>",
        attribute(other),
        attribute(MOVE)
    ));
    let (count, largest) = difference(&draw(&moved), &draw(&by_hand));
    assert!(count <= 20 && largest <= 1, "{count} pixels differ by up to {largest}");
}

#[test]
fn posed_paths_are_drawn_where_they_are_posed_under_their_own_transform() {
    let svg = drawing(
        "<g transform='translate(5 9) scale(.8 1.1)'><path id='p' d='M20 10h30v20z' transform='rotate(10)' stroke='red' stroke-width='4' stroke-dasharray='5 2'/></g>",
    );
    let art = read(&svg);
    let bent = MOVE * art.outline(art.find("p").unwrap()).unwrap().path.clone();
    let shown = posed(&art, &[], &[("p", bent.clone())]);
    let back = read(&shown);
    let again = &back.outline(back.find("p").unwrap()).unwrap().path;
    for (a, b) in kurbo::Shape::path_elements(again, 0.1).zip(bent.elements()) {
        if let (kurbo::PathEl::LineTo(a), kurbo::PathEl::LineTo(b)) = (a, b) {
            assert!((a - *b).hypot() < 1e-5, "{a} {b}");
        }
    }
    // Under a rigid group the outline is in canvas space all the same.
    let svg = drawing("<g id='g' transform='scale(2)'><path id='p' d='M1 1h3v2z'/></g>");
    let art = read(&svg);
    let (_, rest) = outlines(&art);
    let shown = read(&posed(&art, &[("g", MOVE)], &[("p", rest[0].clone())]));
    let (_, after) = outlines(&shown);
    let bounds = kurbo::Shape::bounding_box;
    assert!((bounds(&after[0]).origin() - bounds(&rest[0]).origin()).hypot() < 1e-5);
}

#[test]
fn at_rest_numbers_stay_clean() {
    let art = read(&drawing(
        "<g transform='rotate(33) scale(1.7)'><path id='p' d='M0.1 20.2L3.3 4.4 5.5 6.6Z'/></g>",
    ));
    let (_, rest) = outlines(&art);
    let text = posed(&art, &[], &[("p", rest[0].clone())]);
    assert!(text.contains("M 0.1") && text.contains(" L 3.3"), "{text}");
}

#[test]
fn bad_numbers_leave_the_element_at_rest() {
    let art = read(&drawing("<g id='g'><path id='p' d='M1 1h30v20z'/></g>"));
    let ids = [art.find("g").unwrap()];
    let paths = [art.find("p").unwrap()];
    let posable = posable(&art, &ids, &paths).unwrap();
    let mut out = String::new();
    let mut bad = BezPath::new();
    bad.move_to((f64::NAN, 0.0));
    for matrix in [Affine::scale(f64::NAN), Affine::scale(1e300), Affine::translate((f64::INFINITY, 0.0))] {
        let skipped = write(&posable, &[matrix], std::slice::from_ref(&bad), &[], &mut out);
        assert_eq!((skipped.rigid, skipped.posed), (1, 1));
        assert_eq!(out, svg_text(&art));
    }
    let skipped = write(&posable, &[], &[], &[], &mut out);
    assert_eq!((skipped.rigid, skipped.posed), (1, 1));
    write(&posable, &[Affine::scale(0.0)], &[bad], &[], &mut out);
    assert!(!out.contains("NaN"));
    assert_eq!(inked(&draw(&out)), 0);
}

#[test]
fn what_cannot_move_is_refused_by_name() {
    let art =
        read(&drawing("<defs><path id='p' d='M0 0h1v1z'/></defs><g id='g'><rect width='1' height='1'/></g>"));
    let find = |key: &str| art.ids().find(|id| art.element(*id).unwrap().key[..] == *key).unwrap();
    assert!(posable(&art, &[find("p")], &[]).unwrap_err().to_string().contains("“p”"));
    assert!(matches!(posable(&art, &[], &[find("g")]), Err(bone_drawing::MoveError::NotAPath { .. })));
    assert!(matches!(
        posable(&art, &[find("g"), find("g")], &[]),
        Err(bone_drawing::MoveError::Duplicate { .. })
    ));
}

proptest! {
    #[test]
    fn any_matrices_give_a_document_that_reads(numbers in proptest::collection::vec(any::<f64>(), 18)) {
        let art = read(&drawing("<g id='a' transform='scale(2)'><g id='b'><path id='p' d='M1 1h3v2z'/></g></g>"));
        let ids: Vec<ElementId> = ["a", "b", "p"].iter().map(|name| art.find(name).unwrap()).collect();
        let posable = posable(&art, &ids, &ids[2..]).unwrap();
        let matrix = |k: usize| Affine::new([numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3], numbers[k + 4], numbers[k + 5]]);
        let mut path = BezPath::new();
        path.move_to((numbers[0], numbers[7]));
        path.line_to((numbers[3], 4.0));
        let mut out = String::new();
        write(&posable, &[matrix(0), matrix(6), matrix(12)], &[path], &[], &mut out);
        prop_assert!(!out.contains("NaN") && !out.contains("inf"));
        prop_assert!(usvg::Tree::from_str(&out, &usvg::Options::default()).is_ok());
    }
}
