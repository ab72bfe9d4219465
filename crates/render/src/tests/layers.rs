//! Frames in layers: put over each other by the formulas of the W3C (Compositing and Blending Level 1), from the
//! bytes that files have, they are the frame.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::{BlendMode, ElementKind, LayerItem, LayerLook, LayerNote};

use super::*;
use crate::{Encoding, FrameContent, FrameEncoder, Viewport};

/// Colours multiplied by alpha, from 0 to 1.
type Canvas = Vec<[f64; 4]>;

fn saturation([r, g, b]: [f64; 3]) -> f64 {
    r.max(g).max(b) - r.min(g).min(b)
}

fn luminosity([r, g, b]: [f64; 3]) -> f64 {
    0.3 * r + 0.59 * g + 0.11 * b
}

/// `SetLum` with `ClipColor`.
fn with_luminosity(color: [f64; 3], wanted: f64) -> [f64; 3] {
    let offset = wanted - luminosity(color);
    let color = color.map(|c| c + offset);
    let (l, least, most) =
        (luminosity(color), color.into_iter().fold(1.0, f64::min), color.into_iter().fold(0.0, f64::max));
    let color = if least < 0.0 { color.map(|c| l + (c - l) * l / (l - least)) } else { color };
    if most > 1.0 { color.map(|c| l + (c - l) * (1.0 - l) / (most - l)) } else { color }
}

/// `SetSat`.
fn with_saturation(color: [f64; 3], wanted: f64) -> [f64; 3] {
    let (least, range) = (color.into_iter().fold(1.0, f64::min), saturation(color));
    if range > 0.0 { color.map(|c| (c - least) * wanted / range) } else { [0.0; 3] }
}

fn blended(mode: BlendMode, behind: [f64; 3], front: [f64; 3]) -> [f64; 3] {
    let hard_light =
        |b: f64, s: f64| if s <= 0.5 { b * 2.0 * s } else { b + (2.0 * s - 1.0) - b * (2.0 * s - 1.0) };
    let each = |f: &dyn Fn(f64, f64) -> f64| std::array::from_fn(|k| f(behind[k], front[k]));
    match mode {
        BlendMode::Normal | BlendMode::PlusLighter => front,
        BlendMode::Multiply => each(&|b, s| b * s),
        BlendMode::Screen => each(&|b, s| b + s - b * s),
        BlendMode::Overlay => each(&|b, s| hard_light(s, b)),
        BlendMode::Darken => each(&f64::min),
        BlendMode::Lighten => each(&f64::max),
        BlendMode::ColorDodge => each(&|b, s| match () {
            () if b <= 0.0 => 0.0,
            () if s >= 1.0 => 1.0,
            () => (b / (1.0 - s)).min(1.0),
        }),
        BlendMode::ColorBurn => each(&|b, s| match () {
            () if b >= 1.0 => 1.0,
            () if s <= 0.0 => 0.0,
            () => 1.0 - ((1.0 - b) / s).min(1.0),
        }),
        BlendMode::HardLight => each(&hard_light),
        BlendMode::SoftLight => each(&|b, s| match s <= 0.5 {
            true => b - (1.0 - 2.0 * s) * b * (1.0 - b),
            false => {
                let d = if b <= 0.25 { ((16.0 * b - 12.0) * b + 4.0) * b } else { b.sqrt() };
                b + (2.0 * s - 1.0) * (d - b)
            }
        }),
        BlendMode::Difference => each(&|b, s| (b - s).abs()),
        BlendMode::Exclusion => each(&|b, s| b + s - 2.0 * b * s),
        BlendMode::Hue => with_luminosity(with_saturation(front, saturation(behind)), luminosity(behind)),
        BlendMode::Saturation => {
            with_luminosity(with_saturation(behind, saturation(front)), luminosity(behind))
        }
        BlendMode::Color => with_luminosity(front, luminosity(behind)),
        BlendMode::Luminosity => with_luminosity(behind, luminosity(front)),
    }
}

/// Puts a picture over another one (section 5 and 10 of the specification).
fn put(onto: &mut Canvas, picture: &Canvas, LayerLook { opacity, blend, .. }: &LayerLook) {
    for (behind, front) in onto.iter_mut().zip(picture) {
        let front = front.map(|value| value * opacity);
        if *blend == BlendMode::PlusLighter {
            *behind = std::array::from_fn(|k| (behind[k] + front[k]).min(1.0));
            continue;
        }
        let straight = |[r, g, b, a]: [f64; 4]| if a > 0.0 { [r / a, g / a, b / a] } else { [0.0; 3] };
        let mixed = blended(*blend, straight(*behind), straight(front));
        let (below, above) = (behind[3], front[3]);
        *behind = std::array::from_fn(|k| match k {
            3 => above + below - above * below,
            _ => front[k] * (1.0 - below) + above * below * mixed[k] + (1.0 - above) * behind[k],
        });
    }
}

fn canvas(pixmap: &Pixmap) -> Canvas {
    let mut bytes = Vec::new();
    let pixels = FrameContent::Pixels(pixmap);
    FrameEncoder::new().encode(Encoding::Rgba, pixels, &mut bytes).expect("straight pixels");
    let (pixels, _) = bytes.as_chunks::<4>();
    let pixel = |pixel: &[u8; 4]| {
        let [r, g, b, a] = pixel.map(|value| f64::from(value) / 255.0);
        [r * a, g * a, b * a, a]
    };
    pixels.iter().map(pixel).collect()
}

/// The layers over each other, and the frame.
fn both(drawing: &Arc<Drawing>, frame: &Frame, items: &[LayerItem], size: FrameSize) -> (Canvas, Canvas) {
    let view = Viewport::fit(drawing, &FrameOptions { size, background: None });
    let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
    let empty: Canvas = vec![[0.0; 4]; pixmap.pixels().len()];
    let is_isolated = |look: &LayerLook| look.opacity < 1.0 || look.blend != BlendMode::Normal;
    let mut stacks: Vec<(Option<&LayerLook>, Canvas)> = vec![(None, empty.clone())];
    for item in items {
        match item {
            LayerItem::Open(look) if is_isolated(look) => stacks.push((Some(look), empty.clone())),
            // What is in it is put onto what is behind it.
            LayerItem::Open(look) => {
                let behind = stacks.last().expect("a stack").1.clone();
                stacks.push((Some(look), behind));
            }
            LayerItem::Layer(layer) => {
                let mut frame = frame.clone();
                let alone = Arc::new(drawing.of_layer(layer, &mut frame));
                Renderer::new().draw_into(&alone, &frame, &view, pixmap.data_mut()).expect("a layer");
                put(&mut stacks.last_mut().expect("a stack").1, &canvas(&pixmap), &layer.look);
            }
            LayerItem::Close => {
                let (look, inside) = stacks.pop().expect("a stack");
                let (_, around) = stacks.last_mut().expect("a stack around it");
                match look.filter(|look| is_isolated(look)) {
                    Some(look) => put(around, &inside, look),
                    None => *around = inside,
                }
            }
        }
    }
    Renderer::new().draw_into(drawing, frame, &view, pixmap.data_mut()).expect("a frame");
    assert_eq!(stacks.len(), 1, "each stack ends");
    (stacks.remove(0).1, canvas(&pixmap))
}

/// The largest difference in levels of 255, of colours multiplied by alpha.
fn difference((one, other): &(Canvas, Canvas)) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs() * 255.0).fold(0.0, f64::max)
}

fn drawing(text: &str) -> Arc<Drawing> {
    Arc::new(read_svg(text, &Resources::none()).expect("a drawing").0)
}

fn names(items: &[LayerItem]) -> String {
    let text = |item: &LayerItem| match item {
        LayerItem::Open(look) => format!("{}(", look.name),
        LayerItem::Layer(layer) => format!("{} ", layer.look.name),
        LayerItem::Close => ") ".to_owned(),
    };
    items.iter().map(text).collect()
}

#[test]
fn layers_over_each_other_are_the_frame() {
    let mut worst = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/svg");
    let files = std::fs::read_dir(folder).expect("the drawings").map(|entry| entry.expect("a file").path());
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "svg")) {
        let text = std::fs::read_to_string(&file).expect("a drawing");
        let Ok((drawing, _)) = read_svg(&text, &Resources::none()) else { continue };
        let drawing = Arc::new(drawing);
        let size = FrameSize::from_scale(drawing.size(), 1.0).expect("a size");
        let groups: Vec<_> = drawing
            .ids()
            .filter(|id| drawing.element(*id).is_some_and(|element| element.kind == ElementKind::Group))
            .filter(|id| drawing.node_of(*id).is_some())
            .collect();
        for opened in [&[][..], &groups] {
            let layers = drawing.layers(&Frame::default(), opened, |_| true);
            let found = difference(&both(&drawing, &Frame::default(), &layers.items, size));
            worst.push((found, format!("{} {}: {}", file.display(), opened.len(), names(&layers.items))));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} times, the largest difference {:.2} of 255: {}", worst.len(), worst[0].0, worst[0].1);
    // Straight colours of 8 bits are coarse where alpha is low, and some modes amplify that. The edges of a part of
    // a group are drawn at another place of a smaller layer.
    let most = |text: &str| if text.contains("/blend-") { 7.0 } else { 6.0 };
    let above: Vec<_> = worst.iter().filter(|(found, text)| *found > most(text)).collect();
    assert!(above.is_empty() && worst.len() > 300, "{above:#?}");
}

const STACKED: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
  <rect id="sky" width="40" height="40" fill="#8cf"/>
  <g id="body" opacity=".5"><rect id="chest" x="5" y="5" width="20" height="20" fill="#c33"/>
    <g id="arm" style="mix-blend-mode:multiply"><rect id="hand" x="8" y="8" width="20" height="9" fill="#3c3"/></g></g>
  <g id="coat"><rect id="cloth" x="12" y="2" width="9" height="30" fill="#33c"/>
    <rect id="shade" x="2" y="12" width="30" height="9" fill="#aaa" style="mix-blend-mode:multiply"/>
    <rect id="seam" x="20" y="2" width="3" height="30" fill="#ff0"/></g>
  <g id="glow" style="mix-blend-mode:plus-lighter"><rect x="20" y="20" width="15" height="15" fill="#630"/></g>
  <g id="cut" clip-path="url(#c)"><rect id="inside" x="1" y="30" width="30" height="9" fill="#906"/></g>
  <clipPath id="c"><rect x="1" y="30" width="12" height="9"/></clipPath>
</svg>"##;

#[test]
fn opacity_and_blend_mode_are_those_of_layers() {
    let drawing = drawing(STACKED);
    let layers = drawing.layers(&Frame::default(), &[], |_| true);
    assert_eq!(names(&layers.items), "sky body coat shade coat 2 glow cut ");
    let looks: Vec<(f64, &str)> = layers
        .items
        .iter()
        .filter_map(|item| match item {
            LayerItem::Layer(layer) => Some((layer.look.opacity, layer.look.blend.name())),
            _ => None,
        })
        .collect();
    let normal = (1.0, "normal");
    let expected =
        [normal, (0.5, "normal"), normal, (1.0, "multiply"), normal, (1.0, "plus-lighter"), normal];
    assert_eq!(looks, expected);
    assert_eq!(layers.notes, [LayerNote::Apart { name: "shade".to_owned(), blend: "multiply" }]);
    let find = |name: &str| drawing.find(name).expect("an element");

    // A group that is opened keeps its opacity as a stack, one with a clip path stays whole.
    let opened = [find("body"), find("coat"), find("cut")];
    let layers = drawing.layers(&Frame::default(), &opened, |_| true);
    assert_eq!(names(&layers.items), "sky body(chest arm ) coat(cloth shade seam ) glow cut ");
    assert_eq!(layers.notes, [LayerNote::Whole { name: "cut".to_owned(), reason: "a clip path" }]);
    let size = FrameSize::new(40, 40).expect("a size");
    let found = difference(&both(&drawing, &Frame::default(), &layers.items, size));
    assert!(found <= 1.5, "{found}");

    // A file without the mode has what is behind in the same layer.
    let layers = drawing.layers(&Frame::default(), &opened, |mode| mode != BlendMode::PlusLighter);
    assert_eq!(names(&layers.items), "glow cut ");
    let merged = LayerNote::Merged { name: "glow".to_owned(), blend: "plus-lighter" };
    assert!(layers.notes.contains(&merged), "{:?}", layers.notes);
    let found = difference(&both(&drawing, &Frame::default(), &layers.items, size));
    assert!(found <= 1.0, "{found}");
}

/// The draw order of a frame puts the one between two parts of the other.
#[test]
fn layers_are_in_the_order_of_the_frame() {
    let text = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><g id="a"><rect id="low" width="20" height="20"
        fill="#f00"/><rect id="high" y="5" width="20" height="20" fill="#0f0"/></g><rect id="b" x="5" y="2" width="20" height="20" fill="#00f"/></svg>"##;
    let drawing = drawing(text);
    let find = |name: &str| drawing.find(name).expect("an element");
    let visible = [find("high"), find("b")];
    let posable =
        Posable::new(&drawing, &Moving { visible: &visible, ..Moving::default() }).expect("it moves");
    let mut frame = Frame::default();
    let order = |order: f64, opacity: f64| Visibility { visible: true, opacity, order };
    let visibilities = [order(1.0, 1.0), order(0.0, 0.25)];
    posable.frame(&CanvasPose { visibilities: &visibilities, ..CanvasPose::default() }, &mut frame);
    let posed = posable.drawing();
    let layers = posed.layers(&frame, &[], |_| true);
    assert_eq!(names(&layers.items), "a b a 2 ");
    let LayerItem::Layer(b) = &layers.items[1] else { panic!("{layers:?}") };
    assert_eq!((b.look.opacity, b.key), (0.25, (Some(find("b")), 1)));
    let found = difference(&both(posed, &frame, &layers.items, FrameSize::new(80, 80).expect("a size")));
    assert!(found <= 1.0, "{found}");
}
