//! How often animations are played.

use std::num::NonZeroU16;

use bone_export::{Animation, PixelSize, PlayRate, Plays};

use crate::player;
use crate::scenes::{Scene, written};

#[test]
fn plays_are_counted_as_each_format_counts_them() {
    let (size, rate) = (PixelSize { width: 1, height: 1 }, PlayRate { frames: 10, seconds: 1 });
    let scene = Scene { size, frames: vec![vec![1, 2, 3, 255], vec![4, 5, 6, 255]] };
    for (plays, repeat, number) in [
        (Plays::Endless, gif::Repeat::Infinite, 0),
        // A GIF counts what comes after the first time; without a number it is played once.
        (Plays::Times(NonZeroU16::MIN), gif::Repeat::Finite(0), 1),
        (Plays::Times(NonZeroU16::new(3).unwrap()), gif::Repeat::Finite(2), 3),
    ] {
        let animation = Animation { plays, ..Animation::new(size, 2, rate) };
        assert_eq!(player::gif(&written(&scene, "gif", animation)).1, repeat);
        assert_eq!(player::apng(&written(&scene, "apng", animation)).1, number);
    }
}
