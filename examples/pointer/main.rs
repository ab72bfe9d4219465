//! Plays `idle` and `walk` of the walker by the speed of a pointer, as a game does: step by step, without a
//! clip of the whole. Writes what is seen as a moving picture.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bone_core::{BoneId, BonePose};
use bone_export::{Animation, PixelSize, PlayRate};
use bone_format::{Disk, load, no_fonts};
use bone_render::{Background, FrameOptions, FrameSize, Pixmap};
use bone_rig::{BoneOverride, FrameState, LayerOptions, Mixer, MixerEvent, Overrides, Playback, Rig};
use kurbo::Vec2;

/// Units of the canvas that one second of `walk` covers.
const STRIDE: f64 = 440.0;
/// Frames a second.
const FPS: u32 = 24;

/// The figure: the clips that play, and how far it has walked.
struct Walker<'r> {
    rig: &'r Rig,
    mixer: Mixer,
    walk: Playback,
    state: FrameState,
    /// The scenery moves as far as the figure walks: not with a clip, but by hand.
    scenery: Overrides,
    /// The bones of the scenery, with the share of the way that each moves and the distance after which it
    /// repeats.
    planes: [(BoneId, f64, f64); 2],
    distance: f64,
    /// The speed that the figure has, which follows the pointer's within a moment.
    speed: f64,
    steps: u32,
}

impl<'r> Walker<'r> {
    fn new(rig: &'r Rig) -> Result<Self, Box<dyn Error>> {
        let bone = |name: &str| rig.skeleton().find(name).ok_or("no such bone");
        let (idle, walk) = (rig.clip("idle").ok_or("no idle")?, rig.clip("walk").ok_or("no walk")?);
        let mut mixer = Mixer::new(rig);
        mixer.play(rig, idle, 0.0)?;
        // The walk lies above, without the scenery that it has in its clip.
        let bones = [bone("hip")?, bone("shadow")?];
        let options = LayerOptions { bones: Some(&bones), weight: 0.0, ..LayerOptions::default() };
        let layer = mixer.layer(rig, walk, options)?;
        // Each foot touches the ground once in a second of the clip.
        for time in [0.0, 0.5] {
            mixer.cue(rig, walk, time)?;
        }
        Ok(Self {
            rig,
            mixer,
            walk: layer,
            state: FrameState::new(rig),
            scenery: Overrides::new(),
            planes: [(bone("road")?, 1.0, 110.0), (bone("trees")?, 0.5, 220.0)],
            distance: 0.0,
            speed: 0.0,
            steps: 0,
        })
    }

    /// Poses the figure some seconds later, while the pointer moves with this speed.
    fn step(&mut self, seconds: f64, pointer: f64) -> Result<(), Box<dyn Error>> {
        self.speed += (pointer.max(0.0) - self.speed) * (8.0 * seconds).min(1.0);
        self.mixer.set_weight(self.walk, self.speed / 150.0)?;
        // Slow steps are small ones, too: the clip slows down less than the figure.
        self.mixer.set_speed(self.walk, (self.speed / STRIDE).max(0.35))?;
        self.distance += self.speed * seconds;
        for (bone, share, repeats) in self.planes {
            let origin = Vec2::new(-(self.distance * share) % repeats, 0.0);
            self.scenery.bones.set(bone, BoneOverride::Add(BonePose { origin, ..BonePose::REST }));
        }
        self.mixer.step_with(self.rig, seconds, &self.scenery, &mut self.state)?;
        let walks = self.speed > 20.0;
        let touches = self.mixer.events().iter().filter(|event| matches!(event, MixerEvent::Cue { .. }));
        self.steps += if walks { touches.count() as u32 } else { 0 };
        Ok(())
    }
}

/// A pointer that rests, is pushed along, and rests again: its place at a time.
fn pointer(time: f64) -> f64 {
    let pushed = (time - 1.0).clamp(0.0, 3.0) / 3.0;
    1500.0 * pushed * pushed * pushed * (pushed * (6.0 * pushed - 15.0) + 10.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("walk/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let mut walker = Walker::new(&rig)?;

    let size = FrameSize::from_scale(rig.art().size(), 0.4)?;
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("no memory")?;
    let frames = 6 * FPS;
    let file = std::env::temp_dir().join("pointer.webp");
    let rate = PlayRate { frames: FPS, seconds: 1 };
    let pixels = PixelSize { width: size.width(), height: size.height() };
    let mut out = File::create(&file)?;
    let mut writer = Animation::new(pixels, u64::from(frames), rate).writer("webp")?;
    let mut last = pointer(0.0);
    for frame in 0..frames {
        let now = pointer(f64::from(frame) / f64::from(FPS));
        walker.step(1.0 / f64::from(FPS), (now - last) * f64::from(FPS))?;
        last = now;
        walker.rig.draw(&mut walker.state, &options, &mut pixmap)?;
        // Opaque, so its colours are straight.
        writer.push(pixmap.data(), &mut out)?;
        if frame % FPS == 0 {
            let share = walker.mixer.share(walker.walk).unwrap_or(0.0);
            println!("{} s: speed {:.0}, walk {share:.2}, {} steps", frame / FPS, walker.speed, walker.steps);
        }
    }
    writer.finish(&mut out)?;
    println!("{}", file.display());
    Ok(())
}
