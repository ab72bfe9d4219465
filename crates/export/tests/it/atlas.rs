//! Sheets: every frame is put together again from the pages and the data, as engines do it.

use std::collections::BTreeMap;

use bone_export::{Atlas, AtlasBuilder, AtlasOptions, AtlasPage, AtlasTrim, PixelSize, PlayRate};
use serde_json::Value;

use crate::scenes::{Scene, disc};

const RATE: PlayRate = PlayRate { frames: 12, seconds: 1 };

fn pack(clips: &[(&str, &Scene)], options: AtlasOptions) -> Atlas {
    let mut builder = AtlasBuilder::new(clips[0].1.size, options);
    for (name, scene) in clips {
        builder.clip(name, RATE, true);
        scene.frames.iter().for_each(|frame| builder.push(frame).expect("a frame"));
    }
    builder.build().expect("a sheet")
}

fn names(count: usize, ending: &str) -> Vec<String> {
    (0..count).map(|page| format!("s-{page}.{ending}")).collect()
}

/// A frame from a part of a page, at a place in an empty frame.
fn cut(page: &AtlasPage, [x, y, w, h]: [u64; 4], [left, top]: [u64; 2], size: PixelSize) -> Vec<u8> {
    let mut frame = vec![0; size.width as usize * size.height as usize * 4];
    for (row, column) in (0..h).flat_map(|row| (0..w).map(move |column| (row, column))) {
        let pixel = page.pixels[((y + row) * u64::from(page.size.width) + x + column) as usize];
        let at = (((top + row) * u64::from(size.width) + left + column) * 4) as usize;
        // What cannot be seen has a colour in the sheet.
        frame[at..at + 4].copy_from_slice(&if pixel[3] == 0 { [0; 4] } else { pixel });
    }
    frame
}

/// The frames by their names, from the JSON of all pages.
fn from_json(atlas: &Atlas, size: PixelSize) -> BTreeMap<u64, Vec<u8>> {
    let (images, data) = (names(atlas.page_count(), "png"), names(atlas.page_count(), "json"));
    let mut frames = BTreeMap::new();
    for number in 0..atlas.page_count() {
        let page = atlas.page(number);
        let json: Value = serde_json::from_str(&atlas.json(number, &images, &data)).expect("JSON");
        assert_eq!(json["meta"]["image"], images[number]);
        assert_eq!(json["meta"]["scale"], "1");
        assert_eq!(json["meta"]["size"]["w"], page.size.width);
        for (name, frame) in json["frames"].as_object().expect("frames") {
            let number = |object: &str, field: &str| frame[object][field].as_u64().expect("a number");
            let rect = ["x", "y", "w", "h"].map(|field| number("frame", field));
            let source = ["x", "y"].map(|field| number("spriteSourceSize", field));
            assert_eq!(rect[2..], [number("spriteSourceSize", "w"), number("spriteSourceSize", "h")]);
            assert_eq!(number("sourceSize", "w"), u64::from(size.width));
            assert_eq!((&frame["rotated"], &frame["pivot"]), (&Value::Bool(false), &frame["anchor"]));
            frames.insert(name.parse().expect("a number"), cut(&page, rect, source, size));
        }
    }
    frames
}

/// The frames of each animation, from Godot's text.
fn from_tres(atlas: &Atlas, size: PixelSize) -> Vec<(String, Vec<Vec<u8>>)> {
    let text = atlas.tres(&names(atlas.page_count(), "png"));
    let steps = text.split("load_steps=").nth(1).and_then(|rest| rest.split(' ').next()).expect("steps");
    let resources = text.matches("[ext_resource").count() + text.matches("[sub_resource").count();
    assert_eq!(steps.parse(), Ok(resources + 1));
    let numbers = |text: &str, name: &str| -> Vec<u64> {
        let rest = text.split(&format!("{name} = Rect2(")).nth(1).expect("a rectangle");
        let inside = rest.split(')').next().expect("an end");
        inside.split(", ").map(|number| number.parse().expect("a number")).collect()
    };
    let textures: BTreeMap<String, Vec<u8>> = text
        .split("[sub_resource type=\"AtlasTexture\" id=\"")
        .skip(1)
        .map(|part| {
            let id = part.split('"').next().expect("an id").to_owned();
            let page = part.split("ExtResource(\"").nth(1).and_then(|rest| rest.split('"').next());
            let page: usize = page.and_then(|page| page.parse().ok()).expect("a page");
            let (region, margin) = (numbers(part, "region"), numbers(part, "margin"));
            assert_eq!(region[2] + margin[2], u64::from(size.width));
            assert_eq!(region[3] + margin[3], u64::from(size.height));
            let rect = [region[0], region[1], region[2], region[3]];
            (id, cut(&atlas.page(page - 1), rect, [margin[0], margin[1]], size))
        })
        .collect();
    let animations = text.split("animations = [").nth(1).expect("animations");
    animations
        .split("\"frames\": [")
        .skip(1)
        .map(|part| {
            let ids = part.split("SubResource(\"").skip(1).filter_map(|rest| rest.split('"').next());
            let name = part.split("&\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
            assert!(part.contains("\"loop\": true") && part.contains("\"speed\": 12.0"));
            (name.to_owned(), ids.map(|id| textures[id].clone()).collect())
        })
        .collect()
}

fn check(clips: &[(&str, &Scene)], options: AtlasOptions) -> Atlas {
    let (atlas, size) = (pack(clips, options), clips[0].1.size);
    let wanted: Vec<&Vec<u8>> = clips.iter().flat_map(|(_, scene)| &scene.frames).collect();
    let found = from_json(&atlas, size);
    assert_eq!(found.len(), wanted.len());
    for ((number, found), wanted) in found.iter().zip(&wanted) {
        assert!(found == *wanted, "frame {number}, {options:?}");
    }
    let animations = from_tres(&atlas, size);
    assert_eq!(animations.len(), clips.len());
    for ((name, frames), (wanted, scene)) in animations.iter().zip(clips) {
        assert_eq!(name, wanted);
        assert!(*frames == scene.frames, "{name}, {options:?}");
    }
    atlas
}

#[test]
fn frames_are_put_together_again() {
    let size = PixelSize { width: 60, height: 40 };
    let (one, two) = (disc(size, 7, [0; 4]), disc(size, 4, [9, 200, 90, 255]));
    let mut holds = disc(size, 3, [0; 4]);
    holds.frames.push(holds.frames[1].clone());
    holds.frames.push(vec![0; holds.frames[0].len()]);
    let clips = [("walk", &one), ("idle", &two), ("hold", &holds)];
    let plain = AtlasOptions::default();
    for options in [
        plain,
        AtlasOptions { trim: AtlasTrim::Frame, ..plain },
        AtlasOptions { trim: AtlasTrim::Frame, power_of_two: true, extrude: 0, padding: 0, ..plain },
        AtlasOptions { max_side: 64, ..plain },
        AtlasOptions {
            trim: AtlasTrim::Frame,
            max_side: 200,
            power_of_two: true,
            extrude: 3,
            padding: 5,
            ..plain
        },
    ] {
        let atlas = check(&clips, options);
        for page in (0..atlas.page_count()).map(|page| atlas.page(page)) {
            assert!(page.size.width.max(page.size.height) <= options.max_side);
            let both = [page.size.width, page.size.height];
            assert!(!options.power_of_two || both.iter().all(|side| side.is_power_of_two()));
        }
        // 7 + 4 + 3 frames differ, and the empty one; by frame, those of the third clip are sprites of no
        // other size.
        assert!(atlas.sprite_count() <= 15, "{}", atlas.sprite_count());
    }
    let error = AtlasBuilder::new(size, AtlasOptions { max_side: 20, ..plain });
    let mut builder = error;
    builder.clip("idle", RATE, true);
    builder.push(&two.frames[0]).unwrap();
    assert!(builder.build().unwrap_err().to_string().contains("62x42"));
}

#[test]
fn edges_are_repeated_and_colours_go_on_under_nothing() {
    let size = PixelSize { width: 3, height: 1 };
    let scene = Scene { size, frames: vec![vec![250, 0, 0, 255, 0, 0, 0, 0, 0, 0, 250, 255]] };
    let atlas = check(&[("a", &scene)], AtlasOptions::default());
    let page = atlas.page(0);
    assert_eq!(page.size, PixelSize { width: 5, height: 3 });
    for row in page.pixels.chunks(5) {
        assert_eq!(row[..2], [[250, 0, 0, 255]; 2]);
        assert_eq!(row[3..], [[0, 0, 250, 255]; 2]);
        // Between both, seen by no one.
        assert_eq!(row[2], [125, 0, 125, 0]);
    }
    let png = page.png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert!(pixels == page.pixels.as_flattened());
}

#[test]
fn the_data_have_clips_durations_and_pivots() {
    let size = PixelSize { width: 20, height: 10 };
    let scene = disc(size, 5, [0; 4]);
    let clips = [("a", &scene), ("b", &scene)];
    let atlas = pack(&clips, AtlasOptions { pivot: Some((5.0, 10.0)), ..AtlasOptions::default() });
    let json: Value = serde_json::from_str(&atlas.json(0, &names(1, "png"), &names(1, "json"))).unwrap();
    assert_eq!(json["frames"]["3"]["pivot"], serde_json::json!({ "x": 0.25, "y": 1.0 }));
    assert_eq!(
        json["meta"]["frameTags"][1],
        serde_json::json!({ "name": "b", "from": 5, "to": 9, "direction": "forward" })
    );
    assert_eq!(json["animations"]["b"], serde_json::json!(["5", "6", "7", "8", "9"]));
    let durations: u64 = (0..5).map(|n| json["frames"][n.to_string()]["duration"].as_u64().unwrap()).sum();
    // Five twelfths of a second.
    assert_eq!(durations, 417);
    // Both clips have the same frames.
    assert_eq!(atlas.sprite_count(), 5);
}
