//! Pages beside texts: the cursor of the editor selects on the page, a selection on the page is shown in the text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::session::Selected;

/// The command that opens the page of a rig.
pub(crate) const OPEN_PAGE: &str = "boneLayer.openPage";

/// Takes what is selected on the page of a rig.
pub type SelectedOn = Arc<dyn Fn(&Path, Selected) + Send + Sync>;

/// Serves pages of rigs.
pub trait Pages {
    /// The address of the page of a rig, which is served from now on, with the secret.
    ///
    /// # Errors
    /// Why it cannot be served.
    fn open(&mut self, rig: &Path, selected: SelectedOn) -> Result<String, String>;

    /// Selects on the page of a rig.
    fn select(&self, rig: &Path, selection: Selected);
}

/// Pages, and what both sides have selected: what one side was told by the other goes no way back.
pub(crate) struct InStep {
    pages: Box<dyn Pages>,
    selected: SelectedOn,
    /// The rigs whose pages were opened here.
    open: BTreeSet<PathBuf>,
    last: Option<(PathBuf, Selected)>,
}

impl InStep {
    pub(crate) fn new(pages: Box<dyn Pages>, selected: SelectedOn) -> Self {
        Self { pages, selected, open: BTreeSet::new(), last: None }
    }

    pub(crate) fn open(&mut self, rig: &Path) -> Result<String, String> {
        let address = self.pages.open(rig, Arc::clone(&self.selected))?;
        self.open.insert(rig.to_owned());
        Ok(address)
    }

    pub(crate) fn has(&self, rig: &Path) -> bool {
        self.open.contains(rig)
    }

    /// The editor has selected this.
    pub(crate) fn select(&mut self, rig: &Path, selection: Selected) {
        let now = (rig.to_owned(), selection);
        if self.last.as_ref() != Some(&now) {
            self.pages.select(rig, now.1.clone());
            self.last = Some(now);
        }
    }

    /// The page has, and the editor is shown it.
    pub(crate) fn seen(&mut self, rig: &Path, selection: Selected) {
        self.last = Some((rig.to_owned(), selection));
    }
}
