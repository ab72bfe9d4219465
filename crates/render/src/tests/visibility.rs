//! Hidden, faded and reordered elements compared with drawings in which this was done by hand.

use super::*;
use proptest::prelude::*;

/// Written in one line each, so that a test can cut them out of the text.
const BACK: &str = "<rect id='back' x='2' y='2' width='60' height='50' fill='#cde'/>";
const ARM: &str = "<path id='arm' d='M10 20L70 30 60 60 15 50Z' fill='#a43' stroke='#411' stroke-width='5'/>";
const CLIPPED: &str = "<g id='clipped' clip-path='url(#c)' opacity='.8'><rect id='inner' x='15' y='5' width='40' height='60' fill='#484'/><circle id='dot' cx='40' cy='40' r='14' fill='#fd0'/></g>";
const BLUR: &str = "<path id='blur' d='M40 10h30v50h-30z' fill='#36c' filter='url(#f)' mask='url(#m)'/>";
const MARKED: &str =
    "<path id='marked' d='M8 70L40 50 72 70' stroke='#000' fill='none' marker-mid='url(#k)'/>";
const DEFS: &str = "<defs><clipPath id='c'><circle cx='36' cy='36' r='24'/></clipPath>\
    <filter id='f' filterUnits='userSpaceOnUse' x='30' y='0' width='50' height='80'><feGaussianBlur stdDeviation='2'/></filter>\
    <mask id='m' maskUnits='userSpaceOnUse' x='0' y='0' width='80' height='80'><rect width='80' height='45' fill='#fff'/></mask>\
    <marker id='k' markerWidth='5' markerHeight='5'><rect width='5' height='5' fill='#f0f'/></marker></defs>";

fn whole(elements: &[&str], head: &str) -> String {
    format!("{HEAD} width='80' height='80'{head}>{DEFS}{}</svg>", elements.concat())
}

fn svg_with(art: &Drawing, visibilities: &[(&str, Visibility)]) -> String {
    let (ids, visibilities): (Vec<ElementId>, Vec<Visibility>) =
        visibilities.iter().map(|(name, visibility)| (art.find(name).unwrap(), *visibility)).unzip();
    let posable = Posable::new(art, &Moving { visible: &ids, ..Moving::default() }).unwrap();
    let mut out = String::new();
    write_visible(&posable, &CanvasPose { visibilities: &visibilities, ..CanvasPose::default() }, &mut out);
    out
}

fn same(shown: &str, by_hand: &str) {
    let (count, largest) = difference(&draw(shown), &draw(by_hand));
    assert!(count <= 20 && largest <= 1, "{count} pixels differ by up to {largest}\n{shown}\n{by_hand}");
}

fn order(order: f64) -> Visibility {
    Visibility { order, ..Visibility::SHOWN }
}

fn opacity(opacity: f64) -> Visibility {
    Visibility { opacity, ..Visibility::SHOWN }
}

#[test]
fn hidden_elements_are_drawn_as_if_they_were_not_there() {
    let all = [BACK, ARM, CLIPPED, BLUR, MARKED];
    for head in ["", " viewBox='-4 -9 90 100'"] {
        let art = read(&whole(&all, head));
        for (k, name) in ["back", "arm", "clipped", "blur", "marked"].into_iter().enumerate() {
            let mut rest = all.to_vec();
            rest.remove(k);
            same(&svg_with(&art, &[(name, Visibility::HIDDEN)]), &whole(&rest, head));
            same(&svg_with(&art, &[(name, opacity(0.0))]), &whole(&rest, head));
            same(&svg_with(&art, &[(name, Visibility::SHOWN)]), &whole(&all, head));
        }
        let inner = CLIPPED.replace("<circle id='dot' cx='40' cy='40' r='14' fill='#fd0'/>", "");
        let by_hand = whole(&[BACK, &inner], head);
        same(
            &svg_with(
                &art,
                &[
                    ("dot", Visibility::HIDDEN),
                    ("arm", Visibility::HIDDEN),
                    ("blur", Visibility::HIDDEN),
                    ("marked", Visibility::HIDDEN),
                ],
            ),
            &by_hand,
        );
    }
    let art = read(&drawing(BACK));
    let nothing = svg_with(&art, &[("back", Visibility::HIDDEN)]);
    assert_eq!(inked(&draw(&nothing)), 0);
}

#[test]
fn opacity_is_that_of_the_whole_and_multiplies_its_own() {
    let all = [BACK, ARM, CLIPPED, BLUR, MARKED];
    let art = read(&whole(&all, ""));
    for (k, name) in ["back", "arm", "clipped", "blur", "marked"].into_iter().enumerate() {
        let wrapped = format!("<g opacity='0.375'>{}</g>", all[k]);
        let mut by_hand = all;
        by_hand[k] = &wrapped;
        same(&svg_with(&art, &[(name, opacity(0.375))]), &whole(&by_hand, ""));
    }
    // Its own opacity of 0.8 times one half, rounded to a level of grey twice.
    let half = CLIPPED.replace(".8", "0.4");
    let by_hand = whole(&[BACK, ARM, &half, BLUR, MARKED], "");
    assert!(difference(&draw(&svg_with(&art, &[("clipped", opacity(0.5))])), &draw(&by_hand)).1 <= 1);
}

#[test]
fn siblings_are_drawn_in_the_order_of_the_frame() {
    let all = [BACK, ARM, CLIPPED, BLUR, MARKED];
    for head in ["", " viewBox='-4 -9 90 100'"] {
        let art = read(&whole(&all, head));
        let shown = svg_with(&art, &[("arm", order(1.0))]);
        same(&shown, &whole(&[BACK, CLIPPED, BLUR, MARKED, ARM], head));
        let shown = svg_with(&art, &[("marked", order(-0.5)), ("blur", order(-0.5)), ("back", order(2.0))]);
        same(&shown, &whole(&[BLUR, MARKED, ARM, CLIPPED, BACK], head));
        // Within a group of its own, while the group moves, too.
        let shown =
            svg_with(&art, &[("clipped", order(-3.0)), ("dot", order(-1.0)), ("inner", opacity(0.5))]);
        let (open, rest) = CLIPPED.split_once("<rect").unwrap();
        let (rect, circle) = rest.split_once("<circle").unwrap();
        let circle = circle.trim_end_matches("</g>");
        let turned = format!("{open}<circle{circle}<g opacity='.5'><rect{rect}</g></g>");
        same(&shown, &whole(&[&turned, BACK, ARM, BLUR, MARKED], head));
    }
}

#[test]
fn what_changes_its_place_moves_bends_and_fades_at_once() {
    let svg = format!("<g id='g' transform='translate(3 4)'>{BACK}{ARM}</g>{CLIPPED}");
    let art = read(&whole(&[&svg], ""));
    let ids: Vec<ElementId> = ["g", "arm", "back"].iter().map(|name| art.find(name).unwrap()).collect();
    let posed = [PosedArt::Path(ids[1])];
    let moving = Moving { rigid: &ids, posed: &posed, visible: &ids, ..Moving::default() };
    let posable = Posable::new(&art, &moving).unwrap();
    let turn = Affine::new([0.96, 0.28, -0.28, 0.96, 9.0, -7.0]);
    let other = Affine::translate((-4.0, 6.0));
    let bent = Affine::new([1.1, 0.0, 0.2, 0.9, 1.0, 1.0]) * art.outline(ids[1]).unwrap().path.clone();
    let mut out = String::new();
    let visibilities = [opacity(0.75), Visibility { opacity: 0.5, order: -1.0, visible: true }, order(0.25)];
    let pose = CanvasPose {
        rigid: &[turn, other, Affine::IDENTITY],
        outlines: std::slice::from_ref(&bent),
        visibilities: &visibilities,
        ..CanvasPose::default()
    };
    let skipped = write_visible(&posable, &pose, &mut out);
    assert_eq!(skipped, Skipped::default());
    // The posed path is on the canvas; its stroke is as wide as its nearest binding leaves it.
    let arm = ARM.replace("M10 20L70 30 60 60 15 50Z", &bent.to_svg());
    let by_hand = format!(
        "<g opacity='.75'><g opacity='.5'>{arm}</g><g transform='translate(3 4)'>{BACK}</g></g>{CLIPPED}"
    );
    same(&out, &whole(&[&by_hand], ""));
}

#[test]
fn what_the_drawing_hides_can_be_shown() {
    let mouths = |open: &str, shut: &str, wide: &str| {
        format!(
            "<style>.off{{display:none}}</style><g id='mouths'>\
             <path id='open' {open} d='M10 10h40v20z' fill='red'/>\
             <g id='shut' {shut}><path d='M10 40h50v20z'/></g>\
             <path id='wide' {wide} d='M40 40h30v30h-30z' fill='blue'/></g>"
        )
    };
    let hidings = [
        ("", "display='none'", "style='opacity:.5;display:none'"),
        ("visibility='hidden'", "style='display:none;'", "class='off'"),
        ("class='off'", "style='visibility:collapse'", ""),
    ];
    let showable =
        Showable { elements: vec!["shut".into()], children_of: vec!["mouths".into()], ..Showable::default() };
    for (open, shut, wide) in hidings {
        let svg = whole(&[BACK, &mouths(open, shut, wide)], "");
        let (art, _) = read_svg_showing(&svg, &Resources::none(), &showable).unwrap();
        let still = posable(&art, &[], &[]).unwrap();
        let mut out = String::new();
        write(&still, &[], &[], &[], &mut out);
        same(&out, &svg);
        let hidden = [open, shut, wide].iter().filter(|hiding| !hiding.is_empty()).count();
        assert_eq!(art.hidden().len(), hidden);
        let all = [("open", Visibility::SHOWN), ("shut", Visibility::SHOWN), ("wide", Visibility::SHOWN)];
        let kept = if wide.contains("opacity") { "opacity='.5'" } else { "" };
        same(&svg_with(&art, &all), &whole(&[BACK, &mouths("", "", kept)], ""));
    }
    // NotDrawnReason by what is around it, it is not hidden by itself.
    let svg = drawing(
        "<g id='a' display='none'><path id='b' d='M0 0h9v9z'/><path id='c' display='none' d='M20 0h9v9z'/></g>",
    );
    let showable = Showable { elements: vec!["a".into(), "b".into(), "c".into()], ..Showable::default() };
    let (art, _) = read_svg_showing(&svg, &Resources::none(), &showable).unwrap();
    let hidden: Vec<String> = art.hidden().iter().map(|id| art.element(*id).unwrap().name()).collect();
    assert_eq!(hidden, ["a", "c"]);
    assert_eq!(inked(&draw(&svg_with(&art, &[("a", Visibility::SHOWN)]))), 18 * 18 / 2 + 9);
}

#[test]
fn children_are_found_in_their_group() {
    let art = read(&drawing(
        "<g id='a'><path id='x' d='M0 0h9v9z'/></g><g id='b'><g id='c'><path id='y' d='M0 0h9v9z'/></g></g>",
    ));
    let find = |name: &str| art.find(name).unwrap();
    assert_eq!(art.find_child(find("a"), "x"), Ok(find("x")));
    assert!(art.find_child(find("b"), "y").is_err());
    assert!(art.find_child(find("b"), "x").is_err());
    assert_eq!(art.children(find("b")).collect::<Vec<_>>(), [find("c")]);
}

proptest! {
    #[test]
    fn any_visibilities_give_a_document_that_reads(
        numbers in proptest::collection::vec((any::<bool>(), any::<f64>(), any::<f64>()), 7),
    ) {
        let art = read(&whole(&[BACK, ARM, CLIPPED, BLUR, MARKED], ""));
        let names = ["back", "arm", "clipped", "inner", "dot", "blur", "marked"];
        let visibilities: Vec<(&str, Visibility)> = names.into_iter().zip(numbers)
            .map(|(name, (visible, opacity, order))| (name, Visibility { visible, opacity, order })).collect();
        let out = svg_with(&art, &visibilities);
        prop_assert!(!out.contains("NaN") && !out.contains("inf"));
        prop_assert!(usvg::Tree::from_str(&out, &usvg::Options::default()).is_ok());
        for (name, visibility) in &visibilities {
            let around = matches!(*name, "inner" | "dot").then_some(visibilities[2].1);
            let seen = |p: &Visibility| p.visible && (p.opacity > 0.0 || p.opacity.is_nan());
            let times = out.matches(&format!("id=\"{name}\"")).count();
            prop_assert_eq!(times, usize::from(seen(visibility) && around.as_ref().is_none_or(seen)), "{}", name);
        }
    }
}

/// Frame after frame by one renderer: what is in front changes, orders of groups in groups add up, and art
/// comes behind what never moves.
#[test]
fn changing_orders_are_drawn_as_their_texts_say() {
    let square = |id: &str, x: u32, fill: &str| {
        format!("<rect id='{id}' x='{x}' y='{}' width='40' height='40' fill='{fill}'/>", x / 2 + 3)
    };
    let (a, b, c) = (square("a", 4, "#c33"), square("b", 12, "#3a6"), square("c", 20, "#37c"));
    let (d, e) = (square("d", 28, "#fc3"), square("e", 36, "#639"));
    let svg = drawing(&format!(
        "<path d='M0 0h70v70z' fill='#eef'/>{a}<g id='g'>{b}<g id='h'>{c}{d}</g></g>{e}<path d='M0 60h80v9h-80z'/>"
    ));
    let art = read(&svg);
    let ids: Vec<ElementId> =
        ["a", "b", "c", "d", "e", "g", "h"].map(|name| art.find(name).unwrap()).to_vec();
    let posable = Posable::new(&art, &Moving { visible: &ids, ..Moving::default() }).unwrap();
    let (mut kept, mut frame, mut pixmap) = (Renderer::new(), Frame::default(), Pixmap::new(1, 1).unwrap());
    for k in 0..40_u32 {
        // Each order for two frames, those of the drawing in between.
        let step = k / 2;
        let of = |at: u32| {
            if step % 2 == 0 { 0.0 } else { f64::from((step * 7 + at * 5 + step * at * 3) % 5) - 2.0 }
        };
        let visibilities: Vec<Visibility> = (0..7).map(|at| order(of(at))).collect();
        let pose = CanvasPose { visibilities: &visibilities, ..CanvasPose::default() };
        let mut text = String::new();
        write_visible(&posable, &pose, &mut text);
        posable.frame(&pose, &mut frame);
        let options = FrameOptions { size: FrameSize::new(160, 160).unwrap(), background: None };
        assert!(!kept.draw(posable.drawing(), &frame, &options, &mut pixmap).unwrap().fell_back);
        assert_eq!(difference(&pixmap, &draw(&text)), (0, 0), "frame {k}: {visibilities:?}");
    }
}
