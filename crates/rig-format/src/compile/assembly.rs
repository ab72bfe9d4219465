//! The skin of a rig while its paths are collected. As long as they are those of the rig before, its skin is
//! taken as it is.

use std::sync::Arc;

use bone_skin::{BindError, PathId, Skin};

/// The paths of a skin, bound apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// A skin of one path each, with the id of what it was bound from.
    parts: Vec<(u64, Arc<Skin>)>,
    /// What was assembled for the rig before.
    last: Assembled,
    /// How many of the first parts are those of that skin.
    same: usize,
    /// The first parts together, where that skin has others.
    own: Skin,
}

/// A skin, with the ids of its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembled {
    ids: Arc<[u64]>,
    pub(super) skin: Arc<Skin>,
}

impl Assembly {
    pub(super) fn new(last: Assembled) -> Self {
        Self { last, ..Self::default() }
    }

    /// The same paths, to be compared with another skin.
    pub(super) fn over(&self, last: Assembled) -> Self {
        let same = self.parts.iter().zip(&*last.ids).take_while(|((id, _), last)| id == *last).count();
        Self { parts: self.parts.clone(), last, same, own: Skin::new() }
    }

    /// Adds a path.
    pub(super) fn push(&mut self, id: u64, part: Arc<Skin>) -> PathId {
        let at = self.parts.len();
        if self.same == at && self.last.ids.get(at) == Some(&id) {
            self.same += 1;
        }
        self.parts.push((id, part));
        PathId::new(at as u32)
    }

    /// The number of paths.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The paths from one on.
    pub(super) fn from(&self, first: usize) -> &[(u64, Arc<Skin>)] {
        &self.parts[first..]
    }

    /// Whether all paths up to this one are those of the skin before, so that all that was computed for it is
    /// where it was.
    pub(super) fn is_as_before(&self, path: PathId) -> bool {
        path.index() < self.same
    }

    /// A skin of the paths so far, and perhaps of others behind them.
    ///
    /// # Errors
    /// If there are too many points.
    pub(super) fn skin(&mut self) -> Result<&Skin, BindError> {
        if self.same == self.parts.len() {
            return Ok(&self.last.skin);
        }
        for (_, part) in &self.parts[self.own.paths().len()..] {
            self.own.append(part)?;
        }
        Ok(&self.own)
    }

    /// The skin of exactly these paths.
    ///
    /// # Errors
    /// If there are too many points.
    pub(super) fn finish(mut self) -> Result<Assembled, BindError> {
        if self.same == self.parts.len() && self.same == self.last.ids.len() {
            return Ok(self.last);
        }
        for (_, part) in &self.parts[self.own.paths().len()..] {
            self.own.append(part)?;
        }
        Ok(Assembled { ids: self.parts.iter().map(|(id, _)| *id).collect(), skin: Arc::new(self.own) })
    }
}
