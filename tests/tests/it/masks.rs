//! Masks by shape: pixels beside pictures of each piece alone, composited by formula; what a pointer hits; mistakes of
//! programs.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::{Moving, Posable, PosedArt, ShapeMask};
use bone_format::doc::{ArtNames, MaskDoc, RigDoc};
use bone_format::span::{SourceId, Spanned};
use bone_format::write::{Comments, Digits, write};
use bone_format::{Diagnostics, InMemory, no_fonts, read};
use bone_layer_tests::files::root;
use bone_render::{FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Rig};
use kurbo::Point;

const SIZE: u32 = 180;

const BONES: &str = r#""head": (from: (60, 110), to: (60, 20)), "lid": (parent: "head", from: (60, 24), to: (60, 60)),
    "look": (parent: "head", kind: Point, from: (60, 60)), "fist": (from: (20, 100), to: (60, 100)),
    "tip": (parent: "fist", to: (110, 100)),"#;
const CLIP: &str = r#""it": (length: 2, bones: {
    "head": (rotate: [(0, 0), (1, 25), (2, -20)]), "lid": (move: [(0, (0, 0)), (1, (3, 22)), (2, (-8, -9))]),
    "look": (move: [(0, (0, 0)), (0.5, (30, 4)), (1, (-34, -9)), (2, (6, 20))], scale: [(0, (1, 1)), (2, (1.4, 0.6))]),
    "tip": (rotate: [(0, 0), (2, 130)], scale: [(0, (1, 1)), (1, (1, 1)), (2, (1, -1))]) })"#;

fn load(svg: &str, rig: &str) -> Rig {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 120' width='120' height='120'>{svg}</svg>"
    );
    let rig =
        format!("Rig(version: 1, drawing: \"it.svg\", fps: 8, bones: {{{BONES}}}, {rig}, clips: {{{CLIP}}})");
    let files = InMemory::new().with("it.svg", svg.clone()).with("it.ron", rig);
    let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{svg}: {:?}", loaded.diagnostics))
}

fn draw(rig: &Rig, state: &mut FrameState, time: f64) -> Pixmap {
    draw_at(rig, state, time, SIZE)
}

fn draw_at(rig: &Rig, state: &mut FrameState, time: f64, side: u32) -> Pixmap {
    rig.pose(rig.clip("it"), time, state).expect("its clip");
    let mut pixmap = Pixmap::new(side, side).expect("memory");
    let options = FrameOptions { size: FrameSize::new(side, side).expect("a size"), background: None };
    rig.draw(state, &options, &mut pixmap).expect("a frame");
    pixmap
}

/// What masks, by how it moves: its elements, each filled black, and how it is bound.
const MASKING: [(&str, &str); 6] = [
    (
        "<path id='by' d='M8 60C30 20 90 20 112 60C90 100 30 100 8 60Z'/>",
        "Smooth(art: \"by\", bones: [\"head\", \"lid\"]),",
    ),
    (
        "<path id='by' d='M8 60C30 20 90 20 112 60C90 100 30 100 8 60Z'/>",
        "Rigid(art: \"by\", bone: \"lid\"),",
    ),
    ("<path id='by' d='M8 60C30 20 90 20 112 60C90 100 30 100 8 60Z'/>", ""),
    // A ring, by its hole, in a group with a transform.
    (
        "<g id='by' transform='translate(30 30) rotate(20) scale(1.5)'>\
         <path fill-rule='evenodd' d='M0 0H40V40H0ZM10 10H30V30H10Z'/><circle cx='44' cy='20' r='9'/></g>",
        "Rigid(art: \"by\", bone: \"head\"),",
    ),
    // One half is mirrored.
    ("<path id='by' d='M14 84H112V112H14Z'/>", "Smooth(art: \"by\", bones: [\"fist\", \"tip\"]),"),
    // In a group that is moved, and bent itself.
    (
        "<g id='outer'><path id='by' d='M8 60C30 20 90 20 112 60C90 100 30 100 8 60Z'/></g>",
        "Rigid(art: \"outer\", bone: \"look\"), Smooth(art: \"by\", bones: [\"head\", \"lid\"]),",
    ),
];

/// What is masked, and how it is bound: not to the bones of a mask, with which it would share its weights.
const MASKED: [(&str, &str); 3] = [
    (
        "<g id='art'><circle cx='60' cy='60' r='26' fill='#c33'/><path d='M40 40H80V60Z' fill='#26c'/></g>",
        "Rigid(art: \"art\", bone: \"look\"),",
    ),
    ("<path id='art' d='M20 20H100V110H20Z' fill='#2a6'/>", ""),
    (
        "<g id='around' transform='rotate(10 60 60)'><path id='art' d='M14 84H112V112H14Z' fill='#c33' opacity='.6' stroke='#000'/></g>",
        "Smooth(art: \"around\", bones: [\"tip\", \"lid\"]),",
    ),
];

/// How many times as fine pixels are drawn for this: how much of each an edge covers is rounded to sixteenths, and in a layer
/// sometimes to another one than in the picture.
const FINE: u32 = 4;
/// The largest difference of a channel. Where a part is mirrored, edges of the whole and of parts are united in a clip path.
const MOST: f64 = 16.0;

fn channels(pixel: tiny_skia::PremultipliedColorU8) -> [f64; 4] {
    [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()].map(f64::from)
}

/// A masked picture is that of the art alone times how far each pixel is covered, on what is below it.
#[test]
fn pixels_are_those_of_the_parts() {
    for (by, by_skin) in MASKING {
        for (art, art_skin) in MASKED {
            for out in [false, true] {
                let skin = |skin: &str| format!("skin: [{skin}]");
                let whole = load(
                    &format!("{by}{art}"),
                    &format!(
                        "{}, masks: [(art: \"art\", by: \"by\", out: {out})]",
                        skin(&format!("{by_skin}{art_skin}"))
                    ),
                );
                let [by_alone, art_alone] =
                    [(by, by_skin), (art, art_skin)].map(|(svg, own)| load(svg, &skin(own)));
                let [mut a, mut b, mut c] = [&whole, &by_alone, &art_alone].map(FrameState::new);
                let (mut far, mut painted) = (0, 0);
                for step in 0..5 {
                    let time = 0.5 * f64::from(step);
                    let found = draw_at(&whole, &mut a, time, FINE * SIZE);
                    let below = draw_at(&by_alone, &mut b, time, FINE * SIZE);
                    let above = draw_at(&art_alone, &mut c, time, FINE * SIZE);
                    let mut off = vec![[0.0; 4]; (SIZE * SIZE) as usize];
                    let all = found.pixels().iter().zip(below.pixels()).zip(above.pixels());
                    for (at, ((pixel, below), above)) in all.enumerate() {
                        let place =
                            (at as u32 / (FINE * SIZE) / FINE * SIZE) + at as u32 % (FINE * SIZE) / FINE;
                        let [own, under, over] = [*pixel, *below, *above].map(channels);
                        let share = if out { 255.0 - under[3] } else { under[3] } / 255.0;
                        for (off, ((own, under), over)) in
                            off[place as usize].iter_mut().zip(own.into_iter().zip(under).zip(over))
                        {
                            let expected = over * share + under * (1.0 - channels(*above)[3] * share / 255.0);
                            *off += (own - expected) / f64::from(FINE * FINE);
                        }
                        painted += usize::from(over[3] + under[3] > 0.0);
                    }
                    let worst = off.iter().flatten().fold(0.0_f64, |most, off| most.max(off.abs()));
                    assert!(worst <= MOST, "{by} {art} {out} at {time}: {worst}");
                    far += off.iter().filter(|off| off.iter().any(|off| off.abs() > 2.0)).count();
                }
                let painted = painted / (FINE * FINE) as usize;
                assert!(100 * far <= painted, "{by} {art} {out}: {far} of {painted}");
            }
        }
    }
}

/// Of a pupil nothing is seen outside of the posed white.
#[test]
fn pupils_stay_in_their_eyes() {
    let (by, skin) = MASKING[0];
    let (art, art_skin) = MASKED[0];
    let rig = load(
        &format!("{by}{art}"),
        &format!("skin: [{skin}{art_skin}], masks: [(art: \"art\", by: \"by\")]"),
    );
    let alone = load(by, &format!("skin: [{skin}]"));
    let (mut state, mut other) = (FrameState::new(&rig), FrameState::new(&alone));
    let mut cut = 0;
    for step in 0..48 {
        let time = f64::from(step) / 24.0;
        let (found, white) = (draw(&rig, &mut state, time), draw(&alone, &mut other, time));
        // Where an edge lies in a corner of a pixel, a layer of another place may round the corner otherwise.
        let near = |at: usize| {
            let (x, y) = (at as u32 % SIZE, at as u32 / SIZE);
            let around = (-1..=1)
                .flat_map(|dx| (-1..=1).map(move |dy| (x.checked_add_signed(dx), y.checked_add_signed(dy))));
            let around = around.filter_map(|(x, y)| white.pixel(x?, y?));
            around.into_iter().any(|pixel| pixel.alpha() > 0)
        };
        for (at, (pixel, white)) in found.pixels().iter().zip(white.pixels()).enumerate() {
            let most = if white.alpha() > 0 { 255 } else { 16 * u8::from(near(at)) };
            assert!(pixel.alpha() <= most, "at {time}: {pixel:?}");
        }
        cut += usize::from(found.pixels().iter().any(|pixel| pixel.red() > 150));
    }
    assert!(cut > 10, "the pupil is seen in some frames");
}

/// Masks are made of outlines, whatever hides or fades what they are of, and several cut each other.
#[test]
fn what_masks_need_not_be_seen() {
    let (by, skin) = MASKING[0];
    let (art, art_skin) = MASKED[0];
    let rig = |hidden: &str| {
        load(
            &format!(
                "{}{art}<path id='half' d='M0 0H60V120H0Z' style='display:none'/>",
                by.replace("id=", &format!("{hidden} id="))
            ),
            &format!(
                "skin: [{skin}{art_skin}], masks: [(art: \"art\", by: \"by\"), (art: \"art\", by: \"half\", out: true)]"
            ),
        )
    };
    let [seen, unseen, faint] = ["", "display='none'", "opacity='0'"].map(rig);
    let [mut a, mut b, mut c] = [&seen, &unseen, &faint].map(FrameState::new);
    for step in 0..17 {
        let time = f64::from(step) / 8.0;
        let (with, without, faint) =
            (draw(&seen, &mut a, time), draw(&unseen, &mut b, time), draw(&faint, &mut c, time));
        assert_eq!(without.data(), faint.data(), "at {time}");
        let mut kept = 0;
        for (at, (with, without)) in with.pixels().iter().zip(without.pixels()).enumerate() {
            let left = at as u32 % SIZE < SIZE / 2;
            assert!(!left || without.alpha() == 0, "at {time}");
            // The eye is black: where it is, colours are those of the pupil.
            let close = |a: u8, b: u8| a.abs_diff(b) <= 1;
            let same = close(with.red(), without.red())
                && close(with.green(), without.green())
                && close(with.blue(), without.blue());
            assert!(same, "at {time}: {with:?} {without:?}");
            kept += u32::from(without.alpha() > 0);
        }
        assert!(kept > 0 || step > 3, "at {time}");
    }
}

/// A pointer finds what is seen.
#[test]
fn what_is_masked_is_not_hit() {
    let (by, skin) = MASKING[0];
    let (art, _) = MASKED[1];
    for out in [false, true] {
        let rig = load(
            &format!("{by}{art}"),
            &format!("skin: [{skin}], masks: [(art: \"art\", by: \"by\", out: {out})]"),
        );
        let alone = load(by, &format!("skin: [{skin}]"));
        let (mut state, mut other) = (FrameState::new(&rig), FrameState::new(&alone));
        for step in 0..5 {
            let time = 0.5 * f64::from(step);
            draw(&rig, &mut state, time);
            draw(&alone, &mut other, time);
            let hit = |rig: &Rig, state: &FrameState, at: Point| {
                let hit = rig.posable().drawing().hit_test(state.frame(), at, 0.0)?;
                rig.art().element(hit.element?)?.id.as_deref().map(str::to_owned)
            };
            for at in (0..120).flat_map(|x| {
                (0..120).step_by(5).map(move |y| Point::new(f64::from(x) + 0.37, f64::from(y) + 0.41))
            }) {
                let inside = hit(&alone, &other, at).is_some();
                let square = (20.0..100.0).contains(&at.x) && (20.0..110.0).contains(&at.y);
                let expected = if square && inside != out { Some("art") } else { inside.then_some("by") };
                assert_eq!(hit(&rig, &state, at).as_deref(), expected, "{at} {out} at {time}");
            }
        }
    }
}

/// A frame alone, in order, and of a packed rig.
#[test]
fn packs_keep_masks() {
    let loaded =
        bone_format::load(&root().join("tests/rigs/masks.ron"), Arc::new(bone_format::Disk), &no_fonts);
    let rig = loaded.rig.expect("a rig");
    let again = Rig::load(&rig.save()).expect("a packed rig");
    assert_eq!(rig.save(), again.save());
    let masked = |rig: &Rig| rig.posable().drawing().clips().len() + rig.posable().drawing().masks().len();
    assert_eq!(masked(&rig), masked(&again));
    assert!(masked(&rig) >= 8);
}

/// A program may ask for anything.
#[test]
fn programs_get_errors() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path id='a' d='M0 0H5V5Z'/>\
               <image id='i' width='4' height='4'/><g id='g'><path id='b' d='M0 0H5V5Z'/></g></svg>";
    let (drawing, _) = bone_render::read_svg(svg, &bone_render::Resources::default()).expect("a drawing");
    let find = |name: &str| drawing.find(name).expect("art");
    let posable = |masks: &[ShapeMask], posed: &[PosedArt]| {
        Posable::new(&drawing, &Moving { masks, posed, ..Moving::default() })
            .map_err(|error| error.to_string())
    };
    let far = bone_drawing::ElementId::from_index(99);
    for (art, by) in [(far, find("a")), (find("a"), far)] {
        let error = posable(&[ShapeMask { art, by, out: false }], &[]).expect_err("not of the drawing");
        assert!(error.contains("no such element"), "{error}");
    }
    // By itself, by what it is in, by what is in it, and each by the other.
    let [a, b, g] = ["a", "b", "g"].map(find);
    let all = [(a, a), (b, g), (g, b), (a, b), (b, a)].map(|(art, by)| ShapeMask { art, by, out: true });
    let posed = [a, b].map(PosedArt::Path);
    let posable = posable(&all, &posed).expect("outlines alone count");
    assert_eq!(posable.drawing().masks().len(), 5);
}

/// What a program writes is read again.
#[test]
fn programs_write_masks() {
    let mask = |art: ArtNames, out: Option<bool>| MaskDoc {
        art,
        by: "white".to_owned().into(),
        out: out.map(Spanned::from),
        ..MaskDoc::default()
    };
    let several =
        ArtNames { names: ["a", "b"].map(|name| name.to_owned().into()).to_vec(), ..ArtNames::default() };
    let doc = RigDoc {
        version: Some(1.into()),
        drawing: Some("it.svg".to_owned().into()),
        masks: vec![mask("pupil".to_owned().into(), None), mask(several, Some(true))],
        ..RigDoc::default()
    };
    let text = write(&doc, &Comments::new(), Digits::default());
    assert!(
        text.contains("masks: [\n        (art: \"pupil\", by: \"white\"),\n        (art: [\"a\", \"b\"], by: \"white\", out: true),\n    ],"),
        "{text}"
    );
    let mut found = Diagnostics::new();
    let again: RigDoc = read(SourceId::default(), &text, &mut found).expect("a document");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(write(&again, &Comments::new(), Digits::default()), text);
}
