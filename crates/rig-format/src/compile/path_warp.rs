//! The lattices of a document while it is compiled, and how paths on them are bent.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_drawing::ElementId;
use bone_skin::{Lattice, WarpTrials};
use kurbo::Vec2;

use crate::schema::content::Content;

/// The lattices of a document, before anything is bound.
#[derive(Default)]
pub(super) struct PlannedWarps {
    /// The elements that warps name, each with the place of its warp.
    pub(super) named: BTreeMap<ElementId, usize>,
    pub(super) lattices: Vec<Lattice>,
    /// What forms move, of all entries.
    pub(super) forms: Vec<Vec<(u32, Vec<Vec2>)>>,
    /// How paths on each lattice are bent; none where no form bends them.
    pub(super) bends: Vec<Option<Arc<PathWarp>>>,
}

/// The lattices of a path with all their forms, and the words of both.
#[derive(Debug)]
pub(super) struct PathWarp {
    pub(super) trials: WarpTrials,
    pub(super) words: Vec<u64>,
}

impl PathWarp {
    fn new(trials: WarpTrials) -> Self {
        let mut words = Vec::new();
        for lattice in trials.lattices() {
            let (area, [across, down]) = (lattice.area(), lattice.cells());
            [area.x0, area.y0, area.x1, area.y1].iter().for_each(|number| number.write(&mut words));
            (across, down).write(&mut words);
        }
        for form in trials.forms() {
            words.push(form.len() as u64);
            form.iter().for_each(|moves| moves.write(&mut words));
        }
        Self { trials, words }
    }
}

impl PlannedWarps {
    /// How paths on a lattice are bent.
    pub(super) fn bend(&self, at: usize) -> Option<Arc<PathWarp>> {
        let around = |at: &usize| self.lattices.get(*at)?.inside().map(|at| at as usize);
        let chain: Vec<usize> = std::iter::successors(Some(at), around).take(self.lattices.len()).collect();
        let moves = |form: &Vec<(u32, Vec<Vec2>)>, at: usize| {
            let own = form.iter().find(|(lattice, _)| *lattice as usize == at);
            own.map(|(_, moves)| moves.clone()).unwrap_or_default()
        };
        let forms = self.forms.iter().map(|form| chain.iter().map(|at| moves(form, *at)).collect::<Vec<_>>());
        let moving = |form: &Vec<Vec<Vec2>>| form.iter().flatten().any(|by| *by != Vec2::ZERO);
        let forms: Vec<_> = forms.filter(moving).collect();
        let lattices = chain.iter().map(|at| self.lattices[*at]).collect();
        (!forms.is_empty()).then(|| Arc::new(PathWarp::new(WarpTrials::new(lattices, forms))))
    }
}
