//! A loaded rig with functions to pose and draw its frames, as in a program that embeds the crates.

use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, Files, Loaded, load, system_fonts};
use bone_render::{Background, DrawReport, FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{FrameState, Rig, RigClip};

use crate::files::{root, shown};

/// A loaded rig.
#[derive(Debug)]
pub struct Player {
    /// The compiled rig.
    pub rig: Rig,
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
        let Loaded { rig, diagnostics, .. } = load(path, files, &system_fonts);
        let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(messages.is_empty(), "{}: {messages:#?}", shown(path));
        let rig = rig.unwrap_or_else(|| panic!("{}: no rig and no error", shown(path)));
        Self { rig, raster: Raster::default() }
    }

    /// A clip by its name; the setup pose without a name.
    ///
    /// # Panics
    /// If there is no such clip.
    pub fn clip(&self, name: Option<&str>) -> Option<&RigClip> {
        name.map(|name| self.rig.clip(name).unwrap_or_else(|| panic!("no clip {name:?}")))
    }

    /// Every clip with every one of its frames, and the setup pose.
    pub fn moments(&self) -> Vec<(Option<&RigClip>, u64)> {
        let fps = self.rig.fps();
        let clips = self.rig.clips().iter();
        let frames = clips.flat_map(|clip| (0..clip.frame_count(fps)).map(move |frame| (Some(clip), frame)));
        std::iter::once((None, 0)).chain(frames).collect()
    }

    /// Poses a frame.
    ///
    /// # Panics
    /// If it cannot be posed.
    pub fn pose(&self, clip: Option<&RigClip>, frame: u64, state: &mut FrameState) {
        let posed = self.rig.pose(clip, frame as f64 / self.rig.fps(), state);
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

    /// The same into a pixmap, with the report of the renderer.
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
        let drawn = self.rig.draw(state, &self.options(scale), pixmap);
        drawn.unwrap_or_else(|e| panic!("frame {frame}: {e}"))
    }

    /// Poses a frame and draws its SVG text with resvg on white.
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
        self.rig.write_svg(state);
        let mut pixmap = Pixmap::new(1, 1).expect("memory for a pixel");
        let drawn = self.raster.draw(state.svg(), &self.options(scale), &mut pixmap);
        drawn.unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        pixmap
    }

    fn options(&self, scale: f64) -> FrameOptions {
        let size = FrameSize::from_scale(self.rig.art().size(), scale).expect("a usable scale");
        FrameOptions { size, background: Some(Background { rgba: [255; 4] }) }
    }
}
