//! Lattices and forms: warps that exist and are in no circle, nodes of their lattices, places of sliders.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::in_few_digits;
use bone_skin::{FormGrid, Lattice};
use kurbo::Vec2;

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{FormDoc, FormsDoc, GridPlace, WarpDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// How many places a message lists.
const LISTED: usize = 4;

impl<'a> Checker<'a, '_> {
    pub(super) fn warps(&mut self) {
        let doc = self.doc;
        let warps: BTreeMap<&str, &WarpDoc> =
            doc.warps.iter().rev().map(|warp| (warp.name.value.as_str(), warp)).collect();
        for warp in &doc.warps {
            self.warp(warp, &warps);
        }
        for forms in &doc.forms {
            self.forms(forms, &warps);
        }
        let moved: BTreeSet<&str> = doc
            .forms
            .iter()
            .flat_map(|forms| &forms.at)
            .flat_map(|(_, form)| &form.warps)
            .map(|(warp, _)| warp.value.as_str())
            .collect();
        for warp in doc.warps.iter().filter(|warp| !moved.contains(warp.name.value.as_str())) {
            let message = format!("warp \"{}\" has no effect: no form moves it", shortened(&warp.name.value));
            let help = "move its nodes in `forms`, or remove it";
            self.error(warp.name.span, Diagnostic::warning("no-effect", message).help(help));
        }
    }

    fn warp(&mut self, warp: &'a WarpDoc, warps: &BTreeMap<&str, &'a WarpDoc>) {
        let name = shortened(&warp.name.value);
        if let Some(corners) = &warp.corners {
            let count = corners.value.len();
            let apart = |a: f64, b: f64| (a - b).abs() > 0.0 && (a - b).is_finite();
            match corners.value.as_slice() {
                [a, b] if apart(a.value.x, b.value.x) && apart(a.value.y, b.value.y) => {}
                [_, _] => {
                    let message = format!("the box of warp \"{name}\" has no area");
                    let help = "write two corners that are apart in both axes";
                    self.error(corners.span, Diagnostic::error("out-of-range", message).help(help));
                }
                _ => {
                    let message =
                        format!("the box of warp \"{name}\" needs two corners, and here are {count}");
                    let help = "write for example [(120, 60), (320, 260)]";
                    self.error(corners.span, Diagnostic::error("wrong-count", message).help(help));
                }
            }
        }
        let most = Lattice::MOST_CELLS;
        if let Some(cells) = &warp.cells
            && (cells.value.0 > f64::from(most) || cells.value.1 > f64::from(most))
        {
            let message = format!("warp \"{name}\" has more than {most} cells in a row");
            let help = "four or five are enough for a head: a spline is smooth between its nodes";
            self.error(cells.span, Diagnostic::error("too-many", message).help(help));
        }
        let Some(inside) = &warp.inside else { return };
        self.known_warp(inside, &format!("`inside` of warp \"{name}\" is"), warps);
        let around = |warp: &&'a WarpDoc| warps.get(warp.inside.as_ref()?.value.as_str()).copied();
        let mut way = std::iter::successors(around(&warp), around).take(warps.len());
        if way.any(|other| std::ptr::eq(other, warp)) {
            let message = format!("warp \"{name}\" is inside of itself");
            let help = "remove `inside` of one of the warps around it";
            self.error(inside.span, Diagnostic::error("cycle", message).help(help));
        }
    }

    fn known_warp(
        &mut self,
        name: &Spanned<String>,
        field: &str,
        warps: &BTreeMap<&str, &'a WarpDoc>,
    ) -> Option<&'a WarpDoc> {
        let known = warps.get(name.value.as_str()).copied();
        if known.is_none() && self.doc.complete {
            let message = format!("{field} \"{}\", and there is no such warp", shortened(&name.value));
            let names = warps.keys().copied();
            self.error(name.span, Diagnostic::error("unknown-warp", message).suggest(&name.value, names));
        }
        known
    }

    fn forms(&mut self, forms: &'a FormsDoc, warps: &BTreeMap<&str, &'a WarpDoc>) {
        let most = FormGrid::MOST_AXES;
        let count = forms.by.value.len();
        if count == 0 || count > most {
            let message = format!("forms have 1 to {most} sliders, and here are {count}");
            self.error(forms.by.span, Diagnostic::error("wrong-count", message));
        }
        let mut sliders = Vec::new();
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        for name in &forms.by.value {
            if let Some(first) = first.insert(&name.value, name.span) {
                let message = format!("slider \"{}\" is in this list twice", shortened(&name.value));
                let place = self.place(first);
                self.error(name.span, Diagnostic::error("duplicate", message).related(place, "first here"));
            }
            sliders.push(self.slider(name, "`by` of these forms names"));
        }
        let mut fits = count > 0 && count <= most;
        for (place, form) in &forms.at {
            fits &= self.form_place(place, &forms.by.value, &sliders);
            self.form(form, warps);
        }
        let rests: Option<Vec<f64>> = sliders.iter().map(|slider| Some((*slider)?.rest())).collect();
        let Some(rests) = rests.filter(|_| fits) else { return };
        let Some(grid) = forms.places(&rests) else {
            let message = format!("these forms are on a grid of more than {} places", FormsDoc::MOST_PLACES);
            let help = "use the same values again, or write several entries: they add";
            self.error(forms.by.span, Diagnostic::error("too-many", message).help(help));
            return;
        };
        for (axis, name) in grid.axes.iter().zip(&forms.by.value).filter(|(axis, _)| axis.len() < 2) {
            let message = format!(
                "all forms are at the value {} of slider \"{}\", which it has at rest",
                in_few_digits(axis[0]),
                shortened(&name.value)
            );
            let help = "write forms at other values of it, or remove it from `by`";
            self.error(name.span, Diagnostic::error("wrong-count", message).help(help));
        }
        if grid.axes.iter().any(|axis| axis.len() < 2) {
            return;
        }
        if let Some(missing) = grid.missing.first() {
            let message = format!("the form {} is missing", missing.show());
            let help = "each value of a slider needs a form where the others are at rest; `()` moves nothing";
            self.error(forms.by.span, Diagnostic::error("missing-value", message).help(help));
        } else if !grid.sums.is_empty() {
            let shown: Vec<String> = grid.sums.iter().take(LISTED).map(GridPlace::show).collect();
            let more = grid.sums.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let (are, sums) = if grid.sums.len() == 1 { ("form", "is a sum") } else { ("forms", "are sums") };
            let message = format!("{are} {}{more} {sums} of those on the axes", shown.join(", "));
            let help = if grid.sums.len() == 1 { "draw it" } else { "draw them" };
            self.error(forms.by.span, Diagnostic::warning("form-is-sum", message).help(help));
        }
        let rest = GridPlace::new(rests);
        let moves = |form: &FormDoc| {
            let nodes = form.warps.iter().flat_map(|(_, nodes)| nodes).map(|(_, by)| *by);
            let mut all = nodes.chain(form.offsets.iter().flat_map(|(_, by)| by).map(|(_, by)| *by));
            all.any(|by| by != Vec2::ZERO)
        };
        let at_rest =
            forms.at.iter().find(|(place, form)| Some(&place.value) == rest.as_ref() && moves(form));
        if let Some((place, _)) = at_rest {
            let message = format!("the form {} changes the drawing at rest", place.value.show());
            let help = "its sliders are at rest there: remove it, and change the drawing or the other forms";
            self.error(place.span, Diagnostic::warning("changes-setup-pose", message).help(help));
        }
    }

    /// Whether a form has a value of each slider, within its range.
    fn form_place(
        &mut self,
        place: &Spanned<GridPlace>,
        names: &[Spanned<String>],
        sliders: &[Option<&crate::doc::SliderDoc>],
    ) -> bool {
        let count = place.value.0.len();
        if count != names.len() {
            let (are, wanted) = (if count == 1 { "is" } else { "are" }, names.len());
            let message =
                format!("a form is at one value of each slider, and here {are} {count} for {wanted}");
            self.error(place.span, Diagnostic::error("wrong-count", message));
            return false;
        }
        let mut fits = true;
        for (value, slider) in place.value.0.iter().zip(sliders) {
            let Some(slider) = slider else { continue };
            let before = self.found;
            self.within_slider(slider, Spanned::new(*value, place.span));
            fits &= self.found == before;
        }
        fits
    }

    /// The nodes of a form are those of its warps.
    fn form(&mut self, form: &FormDoc, warps: &BTreeMap<&str, &'a WarpDoc>) {
        for (name, nodes) in &form.warps {
            let Some(warp) = self.known_warp(name, "a form moves warp", warps) else { continue };
            let cells = warp.lattice_cells();
            let end = cells.map(|cells| cells.saturating_add(1));
            for (place, _) in nodes {
                let within = |at: i32, end: u32| at >= -1 && i64::from(at) <= i64::from(end);
                let is_node =
                    place.value.node().is_some_and(|node| within(node[0], end[0]) && within(node[1], end[1]));
                if !is_node {
                    let name = shortened(&name.value);
                    let message = format!("warp \"{name}\" has no node {}", place.value.show());
                    let help = format!("its columns are -1 to {}, its rows -1 to {}", end[0], end[1]);
                    self.error(place.span, Diagnostic::error("out-of-range", message).help(help));
                }
            }
        }
    }
}
