//! How often animations are played.

use std::io::Cursor;
use std::num::NonZeroU16;

use bone_export::{
    ApngColours, ApngWriter, GifColours, GifOptions, GifTiming, GifWriter, PixelSize, PlayRate, Plays,
};

use crate::player;

#[test]
fn plays_are_counted_as_each_format_counts_them() {
    let (size, rate) = (PixelSize { width: 1, height: 1 }, PlayRate { frames: 10, seconds: 1 });
    let frames = [[1, 2, 3, 255], [4, 5, 6, 255]];
    for (plays, repeat, number) in [
        (Plays::Endless, gif::Repeat::Infinite, 0),
        // A GIF counts what comes after the first time; without a number it is played once.
        (Plays::Times(NonZeroU16::MIN), gif::Repeat::Finite(0), 1),
        (Plays::Times(NonZeroU16::new(3).unwrap()), gif::Repeat::Finite(2), 3),
    ] {
        let mut colours = GifColours::new(GifOptions::default());
        frames.iter().for_each(|frame| colours.add(frame));
        let timing = GifTiming::new(2, rate);
        let mut writer = GifWriter::new(Vec::new(), size, timing, colours.palette(), plays, 1).unwrap();
        frames.iter().for_each(|frame| writer.push(frame).unwrap());
        assert_eq!(player::gif(&writer.finish().unwrap()).1, repeat);
        let mut colours = ApngColours::new();
        frames.iter().for_each(|frame| colours.add(frame));
        let out = Cursor::new(Vec::new());
        let mut writer = ApngWriter::new(out, size, (2, rate), colours.form(), plays, 1).unwrap();
        frames.iter().for_each(|frame| writer.push(frame).unwrap());
        assert_eq!(player::apng(writer.finish().unwrap().get_ref()).1, number);
    }
}
