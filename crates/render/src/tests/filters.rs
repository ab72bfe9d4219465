//! Filters that are read and written again, compared with resvg's picture of the author's text.

use super::*;

const ART: &str = "<rect x='10' y='10' width='30' height='20' fill='#c63'/><circle cx='40' cy='40' r='18' fill='#38c' fill-opacity='.7'/>";

fn compared(body: &str) {
    let text = drawing(body);
    let (art, notes) = read_svg(&text, &Resources::none()).unwrap_or_else(|error| panic!("{error} {body}"));
    let expected = draw(&text);
    assert!(inked(&expected) > 100, "nothing to see: {body}");
    assert_eq!(difference(&draw(&svg_text(&art)), &expected), (0, 0), "by its text: {body} {notes:?}");
    let posable = posable(&art, &[], &[]).unwrap();
    let size = FrameSize::new(expected.width(), expected.height()).unwrap();
    let mut pixmap = Pixmap::new(1, 1).unwrap();
    let options = FrameOptions { size, background: None };
    Renderer::new().draw(posable.drawing(), &Frame::default(), &options, &mut pixmap).unwrap();
    assert_eq!(difference(&pixmap, &expected), (0, 0), "by the tree: {body}");
}

#[test]
fn filter_functions_reach_beyond_1() {
    for function in [
        "saturate(150%)",
        "saturate(3)",
        "brightness(1.8)",
        "contrast(250%)",
        "opacity(150%)",
        "grayscale(1.5)",
        "sepia(130%)",
        "invert(2)",
        "hue-rotate(500deg)",
        "saturate(0)",
        "blur(3px) saturate(4)",
        "drop-shadow(4px 5px 2px #0a0) brightness(2)",
    ] {
        compared(&format!("<g filter='{function}'>{ART}</g>"));
        compared(&format!("<g style='filter:{function}'>{ART}</g>"));
    }
}

#[test]
fn pictures_in_filters_are_those_that_their_links_lead_to() {
    let user = "<rect width='60' height='60' filter='url(#f)'/>";
    for (definition, link) in [
        (format!("<g id='a'>{ART}</g>"), "a"),
        (format!("<g id='a'>{ART}</g><use id='u' href='#a' x='9' y='5'/>"), "u"),
        ("<rect id='r' width='20' height='20' fill='teal'/><use id='u' href='#r' x='9' transform='rotate(9)'/>".to_owned(), "u"),
        (format!("<symbol id='s' viewBox='0 0 80 80'>{ART}</symbol><use id='u' href='#s' width='40' height='40' x='5'/>"), "u"),
        ("<use id='v' href='#u' opacity='.5'/><use id='u' href='#r' x='9'/><circle id='r' r='20' fill='red'/>".to_owned(), "v"),
        (format!("<g id='u' transform='translate(9 3)' opacity='.6'>{ART}</g>"), "u"),
        (format!("<svg id='u' width='30' height='30' viewBox='0 0 60 60'>{ART}</svg>"), "u"),
    ] {
        for region in ["", "x='10' y='10' width='50' height='45'"] {
            compared(&format!(
                "<defs>{definition}</defs><filter id='f'><feImage href='#{link}' {region}/></filter>{user}"
            ));
        }
        compared(&format!(
            "<defs>{definition}</defs><filter id='f' primitiveUnits='objectBoundingBox'><feImage href='#{link}' result='i'/><feGaussianBlur in='i' stdDeviation='.02'/></filter>{user}"
        ));
    }
}

#[test]
fn morphology_is_limited_by_the_pixels_that_it_looks_at() {
    // A large radius on a small region.
    let filter =
        |radius: &str| format!("<filter id='f'><feMorphology operator='dilate' radius='{radius}'/></filter>");
    compared(&format!("{}<g filter='url(#f)'>{ART}</g>", filter("60 3")));
    compared(&format!("{}<g filter='url(#f)'>{ART}</g>", filter("400")));
    let large = format!(
        "{HEAD} width='4000' height='4000'>{}\n<rect width='4000' height='4000' filter='url(#f)'/></svg>",
        filter("900")
    );
    let error = read_svg(&large, &Resources::none()).unwrap_err();
    assert!(error.message().contains("400 billion pixels"), "{error}");
    assert_eq!(error.place().map(|place| place.line), Some(2));
    assert!(read_svg(&large.replace("900", "60"), &Resources::none()).is_ok());
}

#[test]
fn filters_blend_in_all_modes() {
    for mode in [
        "color-dodge",
        "color-burn",
        "hard-light",
        "soft-light",
        "difference",
        "exclusion",
        "hue",
        "saturation",
        "color",
        "luminosity",
    ] {
        compared(&format!(
            "<filter id='f'><feFlood flood-color='#d82' flood-opacity='.8' x='5' y='8' width='40' height='30'/><feBlend in2='SourceGraphic' mode='{mode}'/></filter><g filter='url(#f)'>{ART}</g>"
        ));
    }
}

/// Filters drawn without resvg, of shapes that are small, large, cut off and turned, at several scales.
#[test]
fn filters_are_drawn_as_resvg_draws_them() {
    let steps = [
        "<feGaussianBlur stdDeviation='3'/>",
        "<feGaussianBlur stdDeviation='.6'/>",
        "<feGaussianBlur stdDeviation='.4 0'/>",
        "<feGaussianBlur stdDeviation='0 7'/>",
        "<feGaussianBlur stdDeviation='30 1'/>",
        "<feGaussianBlur stdDeviation='.01'/>",
        "<feGaussianBlur stdDeviation='1.2 .3' color-interpolation-filters='sRGB'/>",
        "<feDropShadow dx='5' dy='-4' stdDeviation='4' flood-color='#06f' flood-opacity='.7'/>",
        "<feDropShadow dx='-5.6' dy='3.2' stdDeviation='.8' color-interpolation-filters='sRGB'/>",
        "<feDropShadow dx='0' dy='0' stdDeviation='0'/>",
        "<feOffset dx='9' dy='3.7'/><feGaussianBlur stdDeviation='1.7'/>",
        "<feOffset in='SourceAlpha' dx='9' dy='3' result='o'/><feGaussianBlur stdDeviation='2.5' result='b'/><feMerge><feMergeNode in='b'/><feMergeNode in='SourceGraphic'/></feMerge>",
        "<feFlood flood-color='#fa0' flood-opacity='.8' x='5' y='8' width='40' height='30'/><feComposite in2='SourceGraphic' operator='in'/>",
        "<feFlood flood-color='#fa0' x='5' y='8' width='40' height='30'/><feComposite in2='SourceAlpha' operator='xor'/><feOffset dx='3'/>",
        "<feGaussianBlur stdDeviation='4' result='b'/><feBlend in='SourceGraphic' in2='b' mode='multiply'/>",
        "<feGaussianBlur stdDeviation='4' x='15' y='15' width='25' height='30'/><feBlend in='SourceGraphic' mode='screen'/>",
        "<feMorphology operator='dilate' radius='3 1'/><feGaussianBlur stdDeviation='1'/>",
        "<feMorphology radius='2.5'/>",
        "<feComponentTransfer><feFuncR type='table' tableValues='.2 1 .4'/><feFuncG type='gamma' amplitude='1.3' exponent='.45' offset='-.1'/><feFuncB type='discrete' tableValues='.9 .1 .6'/><feFuncA type='linear' slope='.8' intercept='.05'/></feComponentTransfer>",
        "<feGaussianBlur in='SourceAlpha' stdDeviation='3'/><feComponentTransfer color-interpolation-filters='sRGB'><feFuncA type='table' tableValues='0 .1 .3 1'/><feFuncB type='table'/></feComponentTransfer>",
        "<feOffset dx='6' dy='3' result='o'/><feComposite in='SourceGraphic' in2='o' operator='arithmetic' k1='.4' k2='1' k3='-.6' k4='.02'/>",
        "<feGaussianBlur stdDeviation='2' result='b'/><feComposite in2='SourceGraphic' operator='arithmetic' k2='1.5' k3='.8'/>",
        "<feColorMatrix values='.5 .2 0 0 .1 0 .8 0 .1 0 .3 0 -.4 0 0 0 0 0 1.4 -.1'/><feGaussianBlur stdDeviation='2'/>",
        "<feColorMatrix values='0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0'/><feGaussianBlur stdDeviation='3'/><feMerge><feMergeNode/><feMergeNode in='SourceGraphic'/></feMerge>",
    ];
    let region = [
        "",
        "x='-50%' y='-50%' width='200%' height='200%'",
        "filterUnits='userSpaceOnUse' x='12' y='14' width='31' height='27'",
    ];
    let group = [
        "",
        "transform='translate(3.3 4.7)'",
        "transform='rotate(20 40 40)'",
        "transform='scale(-1 .6) translate(-70 20)'",
        "transform='skewX(20) scale(.7)' opacity='.6'",
        "style='mix-blend-mode:multiply'",
        "clip-path='url(#c)' mask='url(#m)'",
        "transform='translate(30 45)'",
    ];
    let mut by_tree = 0;
    for (at, step) in steps.iter().enumerate() {
        for (number, group) in group.iter().enumerate() {
            let region = region[(at + number) % region.len()];
            let definitions = "<clipPath id='c'><circle cx='40' cy='35' r='25'/></clipPath><mask id='m'><path d='M0 0H60V90Z' fill='#ddd'/></mask>";
            let text = drawing(&format!(
                "{definitions}<filter id='f' {region}>{step}</filter><rect width='60' height='50' fill='#efe'/><g {group}><g filter='url(#f)'>{ART}</g></g>"
            ));
            // The group with the filter has the rest itself, too.
            let together = text.replace(
                &format!("<g {group}><g filter='url(#f)'>"),
                &format!("<g {group} filter='url(#f)'><g>"),
            );
            for text in [text, together] {
                let art = read(&text);
                let posable = posable(&art, &[], &[]).unwrap();
                for side in [80, 33] {
                    let size = FrameSize::new(side, side).unwrap();
                    let options = FrameOptions { size, background: None };
                    let [mut drawn, mut expected] = [(); 2].map(|()| Pixmap::new(1, 1).unwrap());
                    Raster::default().draw(&text, &options, &mut expected).unwrap();
                    let report = Renderer::new()
                        .draw(posable.drawing(), &Frame::default(), &options, &mut drawn)
                        .unwrap();
                    by_tree += usize::from(!report.fell_back && report.groups_by_resvg == 0);
                    assert_eq!(difference(&drawn, &expected), (0, 0), "{side}: {text}");
                }
            }
        }
    }
    assert_eq!(by_tree, steps.len() * group.len() * 4);
}

/// Filters one after the other, each on a region of its own: the layer has room for all of them.
#[test]
fn filters_with_different_regions_are_applied_one_after_the_other() {
    let filter = |id: &str, region: [u32; 4], step: &str| {
        let [x, y, width, height] = region;
        format!(
            "<filter id='{id}' filterUnits='userSpaceOnUse' x='{x}' y='{y}' width='{width}' height='{height}'>{step}</filter>"
        )
    };
    let (near, far) = ([5, 5, 40, 40], [15, 10, 60, 60]);
    let (soft, shifted) = ("<feGaussianBlur stdDeviation='2'/>", "<feOffset dx='22' dy='18'/>");
    for (first, second) in [(near, far), (far, near)] {
        for steps in [[soft, shifted], [shifted, soft], [soft, soft]] {
            let filters = filter("f", first, steps[0]) + &filter("g", second, steps[1]);
            compared(&format!("{filters}<g filter='url(#f) url(#g)'>{ART}</g>"));
        }
    }
}

/// Deviations just below those for which boxes are used: the recursive filter reaches farthest there.
#[test]
fn the_largest_recursive_blurs_are_those_of_resvg() {
    for deviation in ["1", ".99", ".97", ".95", ".92", ".9", ".8", ".99 .3", ".2 .98"] {
        for space in ["sRGB", "linearRGB"] {
            compared(&format!(
                "<filter id='f'><feGaussianBlur stdDeviation='{deviation}' color-interpolation-filters='{space}'/></filter><g filter='url(#f)'>{ART}</g>"
            ));
        }
    }
}
