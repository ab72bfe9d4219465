//! A rig as the worker made it last: its texts, findings and drawing. Answers that need more than one text read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_drawing::Drawing;
use bone_format::Diagnostics;
use bone_format::session::Session;
use bone_format::span::{SourceId, Sources};
use bone_rig::Rig;

use crate::uri::plain;

/// A rig and its files.
#[derive(Clone, Debug)]
pub(crate) struct RigView {
    /// The rig file, then those that it includes.
    pub(crate) files: Vec<PathBuf>,
    /// The texts of the files, then that of the drawing.
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Diagnostics,
    /// The drawing that was read last.
    pub(crate) drawing: Option<Arc<Drawing>>,
    /// The rig that was compiled last.
    pub(crate) rig: Option<Arc<Rig>>,
}

impl RigView {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            files: session.files().iter().map(|file| plain(file.path())).collect(),
            sources: session.sources().clone(),
            diagnostics: session.diagnostics().clone(),
            drawing: session.drawing().cloned(),
            rig: session.rig().cloned(),
        }
    }

    /// Whether a path is that of one of its files.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file == path)
    }

    /// What hints are made of: the frame rate, and the lengths of the bones.
    pub(crate) fn measures(&self) -> Option<(f64, Vec<f64>)> {
        let rig = self.rig.as_ref()?;
        let skeleton = rig.skeleton();
        Some((rig.fps(), skeleton.bones().map(|bone| skeleton.length(bone)).collect()))
    }

    /// The path of a text.
    pub(crate) fn path(&self, id: SourceId) -> PathBuf {
        plain(Path::new(self.sources.name(id)))
    }

    /// The files with their texts as they were read.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().zip(self.sources.ids()).map(|(path, id)| (path.as_path(), self.sources.text(id)))
    }

    /// The path and the text of the drawing.
    pub(crate) fn drawing_text(&self) -> Option<(PathBuf, &str)> {
        let id = self.sources.ids().nth(self.files.len())?;
        Some((self.path(id), self.sources.text(id)))
    }
}
