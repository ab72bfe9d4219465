//! Where the frames of a sheet are, as text: one JSON for TexturePacker's, Aseprite's, Phaser's and PixiJS's
//! readers, and Godot's resource.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Atlas, AtlasFrame};

impl Atlas {
    /// The JSON of a page. Frames are named by their numbers, from 0 over all clips; so are those that own the
    /// events. `images` are the files
    /// of the pages and `data` those of the texts, as the readers find them.
    ///
    /// # Panics
    /// If there is no such page, or `images` has no file for it.
    pub fn json(&self, page: usize, images: &[String], data: &[String]) -> String {
        let mut frames = Map::new();
        for (number, (frame, duration)) in self.frames.iter().zip(self.durations()).enumerate() {
            if self.sprites[frame.sprite].place.page == page {
                frames.insert(number.to_string(), self.frame(*frame, duration));
            }
        }
        let (mut tags, mut animations, mut events, mut from) = (Vec::new(), Map::new(), Vec::new(), 0);
        for clip in &self.clips {
            let end = from + clip.frames.len();
            if end > from {
                tags.push(json!({ "name": clip.name, "from": from, "to": end - 1, "direction": "forward" }));
                let names = (from..end).map(|number| Value::String(number.to_string()));
                animations.insert(clip.name.clone(), names.collect());
            }
            events.extend(clip.events.iter().map(|event| {
                let mut json = event.json();
                json.insert("clip".to_owned(), clip.name.as_str().into());
                json.insert("frame".to_owned(), (from + event.frame).into());
                Value::Object(json)
            }));
            from = end;
        }
        let size = self.pages[page];
        let others: Vec<&String> =
            data.iter().enumerate().filter(|(at, _)| page == 0 && *at > 0).map(|(_, name)| name).collect();
        let mut meta = json!({
            "app": "bone-layer", "version": "1.0", "image": images[page], "format": "RGBA8888",
            "size": { "w": size.width, "h": size.height }, "scale": "1", "frameTags": tags,
        });
        if !others.is_empty() {
            meta["related_multi_packs"] = json!(others);
        }
        let mut whole = json!({ "frames": frames, "animations": animations, "meta": meta });
        if !events.is_empty() {
            whole["events"] = Value::Array(events);
        }
        let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
        text.push('\n');
        text
    }

    fn frame(&self, frame: AtlasFrame, duration: u64) -> Value {
        let (sprite, source) = (self.sprites[frame.sprite], frame.source);
        let trimmed = source != self.size.whole();
        let pivot = self.pivot();
        json!({
            "frame": { "x": sprite.place.x, "y": sprite.place.y, "w": source.width, "h": source.height },
            "rotated": false,
            "trimmed": trimmed,
            "spriteSourceSize": { "x": source.x, "y": source.y, "w": source.width, "h": source.height },
            "sourceSize": { "w": self.size.width, "h": self.size.height },
            "pivot": pivot,
            "anchor": pivot,
            "duration": duration,
        })
    }

    /// From 0 to 1 of the untrimmed frame.
    fn pivot(&self) -> Value {
        let (width, height) = (f64::from(self.size.width), f64::from(self.size.height));
        let (x, y) = self.options.pivot.map_or((0.5, 0.5), |(x, y)| (x / width, y / height));
        // Six digits are less than a hundredth of a pixel in the largest frame.
        let short = |number: f64| (number * 1e6).round() / 1e6;
        json!({ "x": short(x), "y": short(y) })
    }

    /// How long each frame is shown, in milliseconds; the running time is rounded.
    fn durations(&self) -> impl Iterator<Item = u64> {
        self.clips.iter().flat_map(|clip| {
            (0..clip.frames.len() as u64)
                .map(|frame| clip.rate.time(frame + 1, 1000) - clip.rate.time(frame, 1000))
        })
    }

    /// Godot's `SpriteFrames` (version 4) of all pages. `images` are the files of the pages, in the folder of
    /// the project.
    pub fn tres(&self, images: &[String]) -> String {
        // Frames that are the same share a resource.
        let mut textures: Vec<AtlasFrame> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let of_frame: Vec<usize> = self
            .frames
            .iter()
            .map(|frame| {
                *known.entry((frame.sprite, frame.source)).or_insert_with(|| {
                    textures.push(*frame);
                    textures.len() - 1
                })
            })
            .collect();
        let steps = images.len() + textures.len() + 1;
        let mut text = format!("[gd_resource type=\"SpriteFrames\" load_steps={steps} format=3]\n\n");
        for (at, image) in images.iter().enumerate() {
            let path = quoted(&format!("res://{image}"));
            _ = writeln!(text, "[ext_resource type=\"Texture2D\" path={path} id=\"{}\"]", at + 1);
        }
        for (at, frame) in textures.iter().enumerate() {
            let (place, source) = (self.sprites[frame.sprite].place, frame.source);
            let (wide, high) = (self.size.width - source.width, self.size.height - source.height);
            _ = write!(
                text,
                "\n[sub_resource type=\"AtlasTexture\" id=\"f{at}\"]\natlas = ExtResource(\"{}\")\n\
                 region = Rect2({}, {}, {}, {})\nmargin = Rect2({}, {}, {wide}, {high})\nfilter_clip = true\n",
                place.page + 1,
                place.x,
                place.y,
                source.width,
                source.height,
                source.x,
                source.y,
            );
        }
        text.push_str("\n[resource]\nanimations = [");
        let mut from = 0;
        for (at, clip) in self.clips.iter().enumerate() {
            text.push_str(if at > 0 { ", {\n\"frames\": [" } else { "{\n\"frames\": [" });
            for (at, texture) in of_frame[from..from + clip.frames.len()].iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                _ = write!(
                    text,
                    "{comma}{{\n\"duration\": 1.0,\n\"texture\": SubResource(\"f{texture}\")\n}}"
                );
            }
            from += clip.frames.len();
            let name = quoted(&clip.name);
            let speed = clip.rate.fps();
            let point = if speed == speed.round() { ".0" } else { "" };
            _ = write!(
                text,
                "],\n\"loop\": {},\n\"name\": &{name},\n\"speed\": {speed}{point}\n}}",
                clip.looped
            );
        }
        text.push_str("]\n");
        text
    }
}

/// A text in quotes, as Godot reads it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
