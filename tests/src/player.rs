//! A loaded rig that gives frames: what a program that embeds the crates would write.

use std::path::Path;
use std::sync::Arc;

use render::{Background, DrawReport, FrameOptions, FrameSize, Pixmap, Raster};
use rig::{FrameState, Rig, RigClip};
use rig_format::{Disk, Files, Loaded, load, no_fonts};

use crate::files::{root, shown};

/// A scene.
#[derive(Debug)]
pub struct Player {
    /// The rig, compiled.
    pub scene: Rig,
    raster: Raster,
}

impl Player {
    /// Loads a rig of the repository.
    ///
    /// # Panics
    /// If anything is wrong with it, warnings included.
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = root().join(path);
        Self::load(&path, Arc::new(Disk))
    }

    /// Loads a rig from anywhere.
    ///
    /// # Panics
    /// If anything is wrong with it, warnings included.
    pub fn load(path: &Path, files: Arc<dyn Files>) -> Self {
        let Loaded { rig: scene, diagnostics, .. } = load(path, files, &no_fonts);
        let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(messages.is_empty(), "{}: {messages:#?}", shown(path));
        let scene = scene.unwrap_or_else(|| panic!("{}: no scene and no reason", shown(path)));
        Self { scene, raster: Raster::default() }
    }

    /// A clip by its name; the setup pose without a name.
    ///
    /// # Panics
    /// If there is no such clip.
    pub fn clip(&self, name: Option<&str>) -> Option<&RigClip> {
        name.map(|name| self.scene.clip(name).unwrap_or_else(|| panic!("no clip {name:?}")))
    }

    /// Every clip with every one of its frames, and the setup pose.
    pub fn moments(&self) -> Vec<(Option<&RigClip>, u64)> {
        let fps = self.scene.fps();
        let clips = self.scene.clips().iter();
        let frames = clips.flat_map(|clip| (0..clip.frame_count(fps)).map(move |frame| (Some(clip), frame)));
        std::iter::once((None, 0)).chain(frames).collect()
    }

    /// Poses a frame.
    ///
    /// # Panics
    /// If parents form a loop, which compiling rules out.
    pub fn pose(&self, clip: Option<&RigClip>, frame: u64, state: &mut FrameState) {
        let posed = self.scene.pose(clip, frame as f64 / self.scene.fps(), state);
        posed.unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }

    /// Poses and draws a frame on white.
    ///
    /// # Panics
    /// If it cannot be drawn.
    pub fn draw(&self, clip: Option<&RigClip>, frame: u64, scale: f64, state: &mut FrameState) -> Pixmap {
        let mut pixmap = Pixmap::new(1, 1).expect("memory for a pixel");
        self.draw_into(clip, frame, scale, state, &mut pixmap);
        pixmap
    }

    /// The same into a pixmap, saying what came of it.
    ///
    /// # Panics
    /// If it cannot be drawn.
    pub fn draw_into(
        &self,
        clip: Option<&RigClip>,
        frame: u64,
        scale: f64,
        state: &mut FrameState,
        pixmap: &mut Pixmap,
    ) -> DrawReport {
        self.pose(clip, frame, state);
        let drawn = self.scene.draw(state, &self.options(scale), pixmap);
        drawn.unwrap_or_else(|e| panic!("frame {frame}: {e}"))
    }

    /// Poses a frame and draws it on white from its text: the slow and whole way.
    ///
    /// # Panics
    /// If it cannot be drawn.
    pub fn draw_by_text(
        &self,
        clip: Option<&RigClip>,
        frame: u64,
        scale: f64,
        state: &mut FrameState,
    ) -> Pixmap {
        self.pose(clip, frame, state);
        self.scene.write_svg(state);
        let mut pixmap = Pixmap::new(1, 1).expect("memory for a pixel");
        let drawn = self.raster.draw(state.svg(), &self.options(scale), &mut pixmap);
        drawn.unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        pixmap
    }

    fn options(&self, scale: f64) -> FrameOptions {
        let size = FrameSize::from_scale(self.scene.art().size(), scale).expect("a usable scale");
        FrameOptions { size, background: Some(Background { rgba: [255; 4] }) }
    }
}
