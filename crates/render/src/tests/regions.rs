//! Regions of filters and masks of art that moves: what is visible at rest is visible in every pose.

use super::*;

const SHIFT: Affine = Affine::new([1.0, 0.0, 0.0, 1.0, 26.0, 18.0]);
/// Away, and larger by half.
const GROWN: Affine = Affine::new([1.5, 0.0, 0.0, 1.5, -6.0, 2.0]);
const SHAPE: &str = "M12 10H40L34 36L14 30Z";

const FILTERS: [(&str, &str); 6] = [
    ("blur", "<filter id='f'><feGaussianBlur stdDeviation='2'/></filter>"),
    (
        "wide blur",
        "<filter id='f' x='-.5' y='-.5' width='2' height='2'><feGaussianBlur stdDeviation='3'/></filter>",
    ),
    (
        "user space",
        "<filter id='f' filterUnits='userSpaceOnUse' x='2' y='0' width='48' height='46'><feGaussianBlur stdDeviation='2'/></filter>",
    ),
    ("shadow", "<filter id='f'><feDropShadow dx='2' dy='2' stdDeviation='1'/></filter>"),
    (
        "steps",
        "<filter id='f' x='-.2' y='-.2' width='1.4' height='1.4'><feFlood flood-color='red' x='20' y='15' width='9' height='12' result='a'/><feOffset in='SourceGraphic' dx='3' result='b'/><feMerge><feMergeNode in='b'/><feMergeNode in='a'/></feMerge></filter>",
    ),
    (
        "two",
        "<filter id='f'><feGaussianBlur stdDeviation='1'/></filter><filter id='g'><feOffset dx='3'/></filter>",
    ),
];

fn posed_by(body: &str, matrix: Affine) -> String {
    let art = read(&drawing(body));
    let path = art.find("p").unwrap();
    let outline = matrix * art.outline(path).unwrap().path.clone();
    posed(&art, &[], &[("p", outline)])
}

#[test]
fn a_filtered_path_that_is_shifted_equals_a_rigid_binding() {
    for (name, filter) in FILTERS {
        let links = if name == "two" { "url(#f) url(#g)" } else { "url(#f)" };
        for (how, body) in [
            ("path", format!("{filter}<path id='p' d='{SHAPE}' fill='teal' filter='{links}'/>")),
            ("group", format!("{filter}<g filter='{links}'><path id='p' d='{SHAPE}' fill='teal'/></g>")),
        ] {
            let art = read(&drawing(&body));
            let user = art.element(art.find("p").unwrap()).unwrap();
            assert!(user.is_drawn());
            let shown = draw(&posed_by(&body, SHIFT));
            let by_hand = drawing(&format!("<g transform='translate(26 18)'>{body}</g>"));
            let (count, largest) = difference(&shown, &draw(&by_hand));
            assert!(count <= 20 && largest <= 1, "{name}, {how}: {count} pixels differ by up to {largest}");
            // Shared definitions do not change.
            let still = posed_by(&body, Affine::IDENTITY);
            assert_eq!(difference(&draw(&still), &draw(&drawing(&body))), (0, 0), "{name}, {how}");
        }
    }
}

#[test]
fn a_region_grows_with_what_is_in_it() {
    // Far wider than the blur: the visible part must not depend on the region.
    let filter = |size: &str| format!("<filter id='f' {size}><feGaussianBlur stdDeviation='1'/></filter>");
    let wide = "filterUnits='userSpaceOnUse' x='-200' y='-200' width='500' height='500'";
    let near = "x='-.2' y='-.2' width='1.4' height='1.4'";
    let body = |size: &str, data: &str| {
        format!("{}<path id='p' d='{data}' fill='teal' filter='url(#f)'/>", filter(size))
    };
    let grown = (GROWN * BezPath::from_svg(SHAPE).unwrap()).to_svg();
    let shown = draw(&posed_by(&body(near, SHAPE), GROWN));
    let (count, largest) = difference(&shown, &draw(&drawing(&body(wide, &grown))));
    assert!(count <= 20 && largest <= 1, "{count} pixels differ by up to {largest}");
}

#[test]
fn a_group_with_a_filter_contains_its_rigid_parts() {
    let filter = "<filter id='f'><feGaussianBlur stdDeviation='1'/></filter>";
    let body = |shift: &str, size: &str| {
        format!(
            "{filter}<g filter='url(#f)' {size}><rect x='5' y='5' width='20' height='20'/><g id='r'><rect x='30' y='8' width='12' height='12' fill='red' {shift}/></g></g>"
        )
    };
    let art = read(&drawing(&body("", "")));
    let shown = draw(&posed(&art, &[("r", SHIFT)], &[]));
    let (count, largest) = difference(&shown, &draw(&drawing(&body("transform='translate(26 18)'", ""))));
    // The blur of a region of another size is rounded differently.
    assert!(count <= 100 && largest <= 1, "{count} pixels differ by up to {largest}");
    // A rigid group takes its region with it.
    let art = read(&drawing(&format!("<g id='all'>{}</g>", body("", ""))));
    let shown = posed(&art, &[("all", SHIFT)], &[]);
    assert_eq!(
        roxmltree::Document::parse(&shown)
            .unwrap()
            .descendants()
            .filter(|n| n.has_tag_name("filter"))
            .count(),
        1
    );
}

#[test]
fn a_soft_mask_that_moves_is_not_cut_off() {
    let body = |data: &str| {
        format!(
            "<filter id='f'><feGaussianBlur stdDeviation='1'/></filter><linearGradient id='l'><stop stop-color='white'/><stop offset='1' stop-color='black'/></linearGradient>\
            <mask id='m'><g><path fill='url(#l)' filter='url(#f)' d='{data}'/></g></mask><path id='p' fill='teal' mask='url(#m)' d='{data}'/>"
        )
    };
    let art = read(&drawing(&body(SHAPE)));
    let path = art.find("p").unwrap();
    let stencils = art.stencils(|owner| owner == path);
    let outline = SHIFT * art.outline(path).unwrap().path.clone();
    let mask = SHIFT * stencils[0].outline.path.clone();
    let posed = [PosedArt::Path(path), PosedArt::Stencil(stencils[0].clone())];
    let posable = Posable::new(&art, &Moving { rigid: &[], posed: &posed, ..Moving::default() }).unwrap();
    assert!(posable.paint_servers() == [false, true]);
    let look = PaintMotion { paint: Some(SHIFT), stroke: None };
    let mut out = String::new();
    write(&posable, &[], &[outline, mask], &[look, look], &mut out);
    let by_hand = drawing(&body(&(SHIFT * BezPath::from_svg(SHAPE).unwrap()).to_svg()));
    let (count, largest) = difference(&draw(&out), &draw(&by_hand));
    assert!(count <= 20 && largest <= 1, "{count} pixels differ by up to {largest}");
}

#[test]
fn regions_of_nothing_and_of_wild_numbers_stay_at_rest() {
    let body = format!("{}<path id='p' d='{SHAPE}' filter='url(#f)'/>", FILTERS[0].1);
    let art = read(&drawing(&body));
    let path = art.find("p").unwrap();
    let posable = posable(&art, &[], &[path]).unwrap();
    let mut out = String::new();
    for scale in [0.0, f64::NAN, 1e300, 1e11] {
        let outline = Affine::scale(scale) * art.outline(path).unwrap().path.clone();
        write(&posable, &[], &[outline], &[], &mut out);
        assert!(!out.contains("NaN") && usvg::Tree::from_str(&out, &usvg::Options::default()).is_ok());
    }
    write(&posable, &[], &[BezPath::new()], &[], &mut out);
    assert!(usvg::Tree::from_str(&out, &usvg::Options::default()).is_ok());
}
