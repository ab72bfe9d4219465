//! Clip paths, masks and filters of art that bends, compared with drawings that were bent by hand.

use super::*;
use kurbo::{PathEl, Point};

/// Bends the canvas: no affine map does this.
fn bend(p: Point) -> Point {
    Point::new(p.x + 0.005 * p.y * p.y, p.y - 0.004 * p.x * p.x + 6.0)
}

fn bent(path: &BezPath) -> BezPath {
    let map = |element: PathEl| match element {
        PathEl::MoveTo(p) => PathEl::MoveTo(bend(p)),
        PathEl::LineTo(p) => PathEl::LineTo(bend(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(bend(a), bend(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(bend(a), bend(b), bend(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.iter().map(map).collect()
}

/// Path data in a space, bent on the canvas.
fn by_hand(to_canvas: Affine, data: &str) -> String {
    (to_canvas.inverse() * bent(&(to_canvas * BezPath::from_svg(data).unwrap()))).to_svg()
}

fn at_rest(_: Affine, data: &str) -> String {
    data.to_owned()
}

/// Bends the clip paths and masks of named elements, and moves rigid elements by their matrices.
fn cut(art: &Drawing, of: &[&str], rigid: &[(&str, Affine)]) -> String {
    let named: Vec<ElementId> = of.iter().map(|name| art.find(name).unwrap()).collect();
    let stencils = art.stencils(|owner| named.iter().any(|name| art.is_within(owner, *name)));
    let outlines: Vec<BezPath> = stencils.iter().map(|stencil| bent(&stencil.outline.path)).collect();
    let posed: Vec<PosedArt> = stencils.into_iter().map(PosedArt::Stencil).collect();
    let (ids, matrices): (Vec<ElementId>, Vec<Affine>) =
        rigid.iter().map(|(name, matrix)| (art.find(name).unwrap(), *matrix)).unzip();
    let mut out = String::new();
    let posable = Posable::new(art, &Moving { rigid: &ids, posed: &posed, ..Moving::default() }).unwrap();
    assert_eq!(write(&posable, &matrices, &outlines, &[], &mut out), Skipped::default());
    out
}

const SHAPE: &str = "M12 10C30 2 50 14 66 20L60 62C40 70 20 66 10 50Z";
const HOLE: &str = "M20 20L50 22L44 50L22 46Z";
const SEEN: &str =
    "<rect width='80' height='80' fill='teal'/><circle cx='40' cy='40' r='22' fill='orange' stroke='navy'/>";

/// A drawing whose path data is written by a function of the space that it is in.
type Case = (&'static str, fn(&dyn Fn(Affine, &str) -> String) -> String);

const CASES: [Case; 12] = [
    ("plain", |d| {
        let data = d(Affine::IDENTITY, SHAPE);
        format!("<clipPath id='c'><path d='{data}'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>")
    }),
    ("user with a transform", |d| {
        let space = Affine::translate((6.0, -3.0)) * Affine::scale_non_uniform(0.8, 1.1);
        let data = d(space, SHAPE);
        format!(
            "<clipPath id='c'><path d='{data}'/></clipPath><g transform='translate(6 -3)'><g id='x' transform='scale(.8 1.1)' clip-path='url(#c)'>{SEEN}</g></g>"
        )
    }),
    ("transforms within", |d| {
        let inner = Affine::scale(1.1) * Affine::skew(0.2, 0.0) * Affine::translate((-4.0, 2.0));
        let data = d(inner, SHAPE);
        format!(
            "<clipPath id='c' transform='scale(1.1)'><path transform='matrix(1 0 .2 1 0 0) translate(-4 2)' d='{data}'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>"
        )
    }),
    ("even-odd", |d| {
        let data = d(Affine::IDENTITY, &format!("{SHAPE}{HOLE}"));
        format!(
            "<clipPath id='c'><path clip-rule='evenodd' d='{data}'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>"
        )
    }),
    ("clipped clip", |d| {
        let (own, other) = (d(Affine::scale(0.9), SHAPE), d(Affine::IDENTITY, HOLE));
        format!(
            "<clipPath id='h'><path d='{other}'/></clipPath><clipPath id='c' transform='scale(.9)' clip-path='url(#h)'><path d='{own}'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>"
        )
    }),
    ("clipped path in a clip", |d| {
        let (own, other) = (d(Affine::scale(0.9), SHAPE), d(Affine::scale(0.9), HOLE));
        format!(
            "<clipPath id='h'><path d='{other}'/></clipPath><clipPath id='c'><path transform='scale(.9)' clip-path='url(#h)' d='{own}'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>"
        )
    }),
    ("bounding box", |d| {
        let space = Affine::new([80.0, 0.0, 0.0, 80.0, 0.0, 0.0]);
        let data = d(space, "M.1 .2C.4 0 .7 .1 .9 .4L.7 .9L.2 .8Z");
        format!(
            "<clipPath id='c' clipPathUnits='objectBoundingBox'><path d='{data}'/></clipPath><rect id='x' width='80' height='80' clip-path='url(#c)'/>"
        )
    }),
    ("use in a clip", |d| {
        let data = d(Affine::translate((4.0, 5.0)), SHAPE);
        format!(
            "<defs><path id='u' d='{data}'/></defs><clipPath id='c'><use href='#u' x='4' y='5'/></clipPath><g id='x' clip-path='url(#c)'>{SEEN}</g>"
        )
    }),
    ("mask", |d| {
        let (own, other) = (d(Affine::scale(0.9), SHAPE), d(Affine::IDENTITY, HOLE));
        format!(
            "<mask id='m' maskUnits='userSpaceOnUse' x='-99' y='-99' width='300' height='300'><g opacity='.8' transform='scale(.9)'><path fill='white' stroke='gray' stroke-width='5' d='{own}'/></g><path d='{other}' fill='red'/></mask><g id='x' mask='url(#m)'>{SEEN}</g>"
        )
    }),
    ("masked mask, clipped content", |d| {
        let (own, other, third) =
            (d(Affine::IDENTITY, SHAPE), d(Affine::IDENTITY, HOLE), d(Affine::scale(0.8), SHAPE));
        format!("<clipPath id='k'><path d='{third}'/></clipPath><mask id='n' maskUnits='userSpaceOnUse' x='-99' y='-99' width='300' height='300'><path fill='white' d='{own}'/></mask><mask id='m' mask='url(#n)' maskUnits='userSpaceOnUse' x='-99' y='-99' width='300' height='300'><g transform='scale(.8)' clip-path='url(#k)'><rect width='200' height='200' fill='white'/></g><path d='{other}' fill='lime'/></mask><g id='x' mask='url(#m)'>{SEEN}</g>").replace("<rect width='200' height='200' fill='white'/>", &format!("<path fill='white' d='{}'/>", d(Affine::scale(0.8), "M0 0H120V120H0Z")))
    }),
    ("two spaces", |d| {
        let (first, second) =
            (d(Affine::scale(0.5), SHAPE), d(Affine::new([0.5, 0.0, 0.0, 0.6, 30.0, 25.0]), SHAPE));
        let clips = if first == second {
            format!(
                "<clipPath id='c'><path d='{first}'/></clipPath><clipPath id='e'><path d='{SHAPE}'/></clipPath>"
            )
        } else {
            format!(
                "<clipPath id='c'><path d='{first}'/></clipPath><clipPath id='e'><path d='{second}'/></clipPath>"
            )
        };
        let link = if first == second { "c" } else { "e" };
        format!(
            "{clips}<g id='x'><g transform='scale(.5)' clip-path='url(#c)'>{SEEN}</g><g transform='translate(30 25) scale(.5 .6)' clip-path='url(#{link})'>{SEEN}</g></g>"
        )
    }),
    ("nested drawing", |d| {
        let data = d(Affine::new([8.0, 0.0, 0.0, 8.0, 0.0, 0.0]), "M1 1C4 0 8 2 9 4L7 9L2 8Z");
        format!(
            "<svg id='x' width='80' height='80' viewBox='0 0 10 10' overflow='visible'><defs><clipPath id='c'><path d='{data}'/></clipPath></defs><rect width='10' height='10' fill='teal' clip-path='url(#c)'/></svg>"
        )
    }),
];

#[test]
fn clips_and_masks_bend_as_the_same_path_does_by_hand() {
    for (name, case) in CASES {
        let art = read(&drawing(&case(&at_rest)));
        let shown = draw(&cut(&art, &["x"], &[]));
        let expected = draw(&drawing(&case(&by_hand)));
        let (count, largest) = difference(&shown, &expected);
        assert!(count <= 20 && largest <= 1, "{name}: {count} pixels differ by up to {largest}");
        assert!(difference(&expected, &draw(&svg_text(&art))).0 > 500, "{name} does not bend");
    }
}

#[test]
fn at_rest_nothing_changes() {
    for (name, case) in CASES {
        let text = drawing(&case(&at_rest));
        let art = read(&text);
        let stencils = art.stencils(|_| true);
        let outlines: Vec<BezPath> = stencils.iter().map(|stencil| stencil.outline.path.clone()).collect();
        let posed: Vec<PosedArt> = stencils.into_iter().map(PosedArt::Stencil).collect();
        let posable = Posable::new(&art, &Moving { rigid: &[], posed: &posed, ..Moving::default() }).unwrap();
        let mut out = String::new();
        assert_eq!(write(&posable, &[], &outlines, &[], &mut out), Skipped::default());
        assert_eq!(difference(&draw(&out), &draw(&text)), (0, 0), "{name}");
    }
}

#[test]
fn inside_a_moved_group_a_clip_is_still_posed_on_the_canvas() {
    let clip = |data: &str| format!("<clipPath id='c'><path id='p' d='{data}'/></clipPath>");
    let user = format!("<g id='x' transform='scale(.9)' clip-path='url(#c)'>{SEEN}</g>");
    let art = read(&drawing(&format!("{}<g id='g'>{user}</g>", clip(SHAPE))));
    let matrix = Affine::new([0.96, 0.28, -0.28, 0.96, 12.0, -6.0]);
    // Under the matrix, so that it is on the canvas where it is bent to.
    let all = matrix * Affine::scale(0.9);
    let data = (all.inverse() * bent(&(Affine::scale(0.9) * BezPath::from_svg(SHAPE).unwrap()))).to_svg();
    let by_hand = format!("{}<g transform='matrix(.96 .28 -.28 .96 12 -6)'>{user}</g>", clip(&data));
    let shown = cut(&art, &["x"], &[("g", matrix)]);
    let (count, largest) = difference(&draw(&shown), &draw(&drawing(&by_hand)));
    assert!(count <= 20 && largest <= 1, "{count} pixels differ by up to {largest}");
}

#[test]
fn other_users_keep_the_shared_definition() {
    let users: String = (0..1000)
        .map(|n| format!("<g id='u{n}' clip-path='url(#c)'><rect width='80' height='9' y='{n}'/></g>"))
        .collect();
    let body = format!("<clipPath id='c'><path id='p' d='{SHAPE}'/></clipPath><g id='all'>{users}</g>");
    let art = read(&drawing(&body));
    assert_eq!(art.stencils_of(art.find("p").unwrap()).len(), 1);
    // All of them share one copy; one of them alone has its own.
    for (of, copies, definitions) in [("all", 1000, 1), ("u3", 1, 2)] {
        let shown = cut(&art, &[of], &[]);
        let doc = roxmltree::Document::parse(&shown).unwrap();
        let clips: Vec<&str> = doc
            .descendants()
            .filter(|n| n.has_tag_name("clipPath"))
            .filter_map(|n| n.attribute("id"))
            .collect();
        assert_eq!(clips.len(), definitions, "{clips:?}");
        let users = doc.descendants().filter_map(|n| n.attribute("clip-path"));
        assert_eq!(users.filter(|link| *link != "url(#c)").count(), copies);
        let mut ids: Vec<&str> = doc.descendants().filter_map(|node| node.attribute("id")).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "an id is there twice");
    }
}

#[test]
fn names_reach_clips_and_masks_and_nothing_else_in_definitions() {
    let body = format!(
        "<defs><clipPath id='c'><path id='p' d='{SHAPE}'/></clipPath><clipPath id='unused'><path id='q' d='{SHAPE}'/></clipPath>\
         <mask id='m'><g id='in'><rect id='r' width='50' height='50' fill='white'/></g></mask><pattern id='t' width='9' height='9'><path id='w' d='{HOLE}'/></pattern>\
         <symbol id='s'><path id='v' d='{HOLE}'/></symbol></defs><g id='x' clip-path='url(#c)' mask='url(#m)'><rect width='80' height='80' fill='url(#t)'/></g><use id='y' href='#s'/>"
    );
    let art = read(&drawing(&body));
    for (name, count) in [("c", 1), ("p", 1), ("m", 1), ("in", 1), ("r", 1)] {
        let element = art.find(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(art.element(element).unwrap().state, bone_drawing::ElementState::ClipOrMask, "{name}");
        assert_eq!(art.stencils_of(element).len(), count, "{name}");
    }
    for name in ["unused", "q", "w", "v", "t", "s"] {
        assert!(matches!(art.find(name), Err(bone_drawing::FindError::NotDrawn { .. })), "{name}");
    }
    let p = art.find("p").unwrap();
    let refused = posable(&art, &[p], &[]).unwrap_err().to_string();
    assert!(refused.contains("“p”") && refused.contains("clip path"), "{refused}");
    let twice: Vec<PosedArt> =
        [p, p].iter().flat_map(|id| art.stencils_of(*id)).map(PosedArt::Stencil).collect();
    let moving = Moving { posed: &twice, ..Moving::default() };
    assert!(matches!(Posable::new(&art, &moving), Err(MoveError::Duplicate { .. })));
}

#[test]
fn unusual_clips_are_read_and_drawn() {
    for body in [
        "<clipPath id='c'/><g id='x' clip-path='url(#c)'><rect width='9' height='9'/></g><rect id='y' width='1' height='1'/>".to_owned(),
        "<clipPath id='c'><text x='9' y='9'>clip</text></clipPath><g id='x' clip-path='url(#c)'><rect width='9' height='9'/></g>".to_owned(),
        "<clipPath id='c'><g><rect width='9' height='9'/></g><image width='2' height='2'/><path d='M0 0'/></clipPath><g id='x' clip-path='url(#c)'><rect width='9' height='9'/></g>".to_owned(),
        "<clipPath id='c'><path transform='scale(0)' d='M0 0H9V9Z'/></clipPath><g id='x' transform='scale(0 1)' clip-path='url(#c)'><rect width='9' height='9'/></g>".to_owned(),
        "<mask id='m'/><g id='x' mask='url(#m)'><path d='M0 0H50'/></g>".to_owned(),
        format!("<mask id='m'><image href='{}' width='9' height='9'/><rect width='5' height='5' fill='white'/></mask><g id='x' mask='url(#m)'><rect width='9' height='9'/></g>", dot()),
        "<clipPath id='a)b'><rect width='9' height='9'/></clipPath><g id='x' clip-path='url(#a)b)'><rect width='9' height='9'/></g>".to_owned(),
        "<clipPath id='é&amp;&quot;'><rect width='9' height='9'/></clipPath><g id='x' style='clip-path:url(\"#é&amp;\")'><rect width='9' height='9'/></g>".to_owned(),
    ] {
        let art = read(&drawing(&body));
        let stencils = art.stencils(|_| true);
        let outlines: Vec<BezPath> = stencils.iter().map(|stencil| bent(&stencil.outline.path)).collect();
        let posed: Vec<PosedArt> = stencils.into_iter().map(PosedArt::Stencil).collect();
        let mut out = String::new();
        write(&Posable::new(&art, &Moving { posed: &posed, ..Moving::default() }).unwrap(), &[], &outlines, &[], &mut out);
        draw(&out);
    }
    // Thirty clips of two paths each, all of them clipped by the next: 2^30 combinations.
    let chain: String = (0..30).map(|n| format!("<clipPath id='c{n}'><path d='M0 0H80V{n}L9 80Z' clip-path='url(#c{0})'/><path d='M80 0H0V80Z' clip-path='url(#c{0})'/></clipPath>", n + 1)).collect();
    let body = format!(
        "{chain}<clipPath id='c30'><path d='M0 0H80V80Z'/></clipPath><g id='x' clip-path='url(#c0)'>{SEEN}</g>"
    );
    if let Ok((art, _)) = read_svg(&drawing(&body), &Resources::none()) {
        assert!(art.stencils(|_| true).len() < 100);
    }
}

/// A mask of a megabyte, for each of 300 users in a space of its own: more than the limit of copies.
#[test]
fn too_many_copies_are_an_error() {
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM+/wHwAEBgIApD5fRAAAAABJRU5ErkJg";
    let image =
        format!("<image width='4' height='4' href='data:image/png;base64,{png}{}'/>", "AAAA".repeat(250_000));
    let user = |k: usize| {
        format!("<g transform='translate({k} 0)'><path id='p{k}' mask='url(#m)' d='M0 0H9V9Z'/></g>")
    };
    let users: String = (0..300).map(user).collect();
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='20'><mask id='m' maskUnits='userSpaceOnUse' width='9' height='9'>\
         {image}<path id='edge' fill='#fff' d='M0 0H9V9Z'/></mask><g id='all'>{users}</g></svg>"
    );
    let (art, _) = read_svg(&svg, &Resources::none()).expect("a drawing");
    let all = art.find("all").expect("drawn");
    let stencils = art.stencils(|id| art.is_within(id, all));
    assert_eq!(stencils.len(), 300);
    let posed: Vec<PosedArt> = stencils.into_iter().map(PosedArt::Stencil).collect();
    let moving = |posed| Moving { posed, ..Moving::default() };
    let error = Posable::new(&art, &moving(&posed)).expect_err("300 MB");
    assert_eq!(error, MoveError::TooManyCopies);
    assert!(Posable::new(&art, &moving(&posed[..100])).is_ok());
    assert_eq!(art.mask_images(|_| true).len(), 1);
}
