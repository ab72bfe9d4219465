//! The drawing's SVG text with holes: per frame, matrices and outlines are written into them.
//! Refuses to decide what moves; numbers that no SVG can hold leave the element as it is at rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use kurbo::{Affine, BezPath};
use roxmltree::Document;

use crate::art::{Art, ElementId, ElementState, Normal, Slot};
use crate::cuts::{Cuts, Cutter};
use crate::given::Given;
use crate::holes::{Part, parts};
use crate::number;
use crate::paint::{Look, Paint, Painter};
use crate::posed::{Posed, PosedArt, Skipped};
use crate::presence::{Presence, Stage, Way};
use crate::refused::TemplateError;
use crate::region::write_region;
use crate::walk::{self, Plan};

/// A drawing of which some elements move, ready to be written once per frame.
#[derive(Debug)]
pub struct Template {
    pub(crate) text: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) rigid: Vec<Rigid>,
    /// The places of posed outlines: one for each path, and one for each copy of a clip path or mask.
    pub(crate) posed: Vec<Posed>,
    /// How many outlines a frame gives.
    outlines: usize,
    pub(crate) paint: Paint,
    pub(crate) cuts: Cuts,
    pub(crate) stage: Stage,
    /// What walkers draw; made when the first of them asks.
    plan: OnceLock<Option<Arc<Plan>>>,
}

#[derive(Debug)]
pub(crate) struct Rigid {
    /// The nearest rigid element around it, by its place in the list.
    pub(crate) outer: Option<usize>,
    /// From the space around the element to canvas space, at rest. None if it cannot be turned back: then nothing of it is seen.
    pub(crate) around_to_canvas: Option<(Affine, Affine)>,
    /// The element's own transform, of which the written one takes the place.
    pub(crate) own: Affine,
    /// Where the text at rest has that transform, if it has one.
    pub(crate) at_rest: Option<Range<usize>>,
}

impl Template {
    /// Makes holes for the given elements. `rigid` elements move by a matrix, `posed` paths get a new outline; a path may be both.
    ///
    /// # Errors
    /// If an element is not drawn in its own place, is listed twice, or is posed but not a path.
    pub fn new(art: &Art, rigid: &[ElementId], posed: &[ElementId]) -> Result<Self, TemplateError> {
        let posed: Vec<PosedArt> = posed.iter().copied().map(PosedArt::Path).collect();
        Self::with(art, rigid, &posed)
    }

    /// The same, with outlines of clip paths and masks among the posed ones.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if too much must be copied for them.
    pub fn with(art: &Art, rigid: &[ElementId], posed: &[PosedArt]) -> Result<Self, TemplateError> {
        Self::with_presence(art, rigid, posed, &[])
    }

    /// The same for a drawing in which the `present` elements come and go, too.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn with_presence(
        art: &Art,
        rigid: &[ElementId],
        posed: &[PosedArt],
        present: &[ElementId],
    ) -> Result<Self, TemplateError> {
        let normal = art.normal();
        let rigid_slots = slots(art, rigid)?;
        let paths = posed.iter().filter_map(|art| match art {
            PosedArt::Path(id) => Some(*id),
            PosedArt::Stencil(_) => None,
        });
        slots(art, &paths.collect::<Vec<_>>())?;
        let units: Vec<(usize, usize)> = rigid_slots.iter().map(|slot| normal.unit(*slot)).collect();
        let near = near(normal, &units);

        let mut holes: Vec<(Range<usize>, Part)> = Vec::new();
        let mut rigid_parts = Vec::with_capacity(rigid.len());
        for (k, (first, last)) in units.iter().copied().enumerate() {
            let slot = &normal.slots[first];
            let around =
                slot.parent.map_or_else(|| around_root(normal), |parent| normal.slots[parent].to_canvas);
            let in_place = slot.is_group && first == last;
            if in_place {
                let at = slot.transform.clone().unwrap_or(slot.name_end..slot.name_end);
                holes.push((at, Part::Transform(k)));
            } else {
                let range = slot.range.start..normal.slots[last].range.end;
                holes.push((range.start..range.start, Part::Open(k)));
                holes.push((range.end..range.end, Part::Close));
            }
            rigid_parts.push(Rigid {
                outer: slot.parent.and_then(|parent| near[parent]),
                around_to_canvas: invert(around).map(|back| (around, back)),
                own: if in_place { slot.own } else { Affine::IDENTITY },
                at_rest: if in_place { slot.transform.clone() } else { None },
            });
        }
        let doc = Document::parse(&normal.text).ok();
        let mut painter = doc.as_ref().map(|doc| Painter::new(&normal.text, doc));
        let mut posed_parts = Vec::with_capacity(posed.len());
        let (mut bent, mut stencils, mut seen) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        for (outline, posed) in posed.iter().enumerate() {
            let id = match posed {
                PosedArt::Path(id) => *id,
                PosedArt::Stencil(stencil) => {
                    if !seen.insert((stencil.place, &stencil.users)) {
                        let (element, name) = (stencil.element, name(art, stencil.element));
                        return Err(TemplateError::Twice { element, name });
                    }
                    stencils.push((stencil, outline));
                    continue;
                }
            };
            let found = art.slot(id).map(|slot| (slot, &normal.slots[slot]));
            let data = |at: &Slot| at.data.clone().filter(|_| art.outline(id).is_some());
            let Some((slot, at, at_rest)) = found.and_then(|(slot, at)| Some((slot, at, data(at)?))) else {
                return Err(TemplateError::NotAPath { element: id, name: name(art, id) });
            };
            holes.push((at_rest.clone(), Part::Data(posed_parts.len())));
            if let Some(painter) = &mut painter {
                painter.path(posed_parts.len(), at.range.start, at.name_end, &mut holes);
            }
            bent.insert(slot, outline);
            posed_parts.push(Posed::new(outline, near[slot], at.to_canvas, at_rest));
        }
        let cutter = painter.as_mut().map(|painter| Cutter::new(normal, painter, &near, bent, &stencils));
        let cuts = cutter.map(|cutter| cutter.cut(&mut posed_parts, &mut holes)).transpose();
        let cuts = cuts.map_err(|_| TemplateError::TooMuch)?.unwrap_or_default();
        let mut stage = Stage::new(art, present, &slots(art, present)?, &mut holes);
        let parts = parts(&normal.text, holes);
        stage.settle(&parts);
        Ok(Self {
            parts,
            text: normal.text.clone(),
            rigid: rigid_parts,
            posed: posed_parts,
            outlines: posed.len(),
            cuts,
            paint: painter.map(|painter| painter.paint).unwrap_or_default(),
            stage,
            plan: OnceLock::new(),
        })
    }

    /// How many rigid elements and posed paths a frame gives.
    pub fn counts(&self) -> (usize, usize) {
        (self.rigid.len(), self.outlines)
    }

    /// Whether a posed path is filled or stroked with a gradient or a pattern, so that [`Look::paint`] means something.
    pub fn has_paint_server(&self, posed: usize) -> bool {
        self.paint.servers.iter().any(|server| self.posed[server.path].outline == posed)
    }

    /// Writes the posed drawing: one SVG document, with the author's groups and ids.
    ///
    /// `rigid[k]` is the matrix in canvas space that moves the k-th rigid element away from its place at rest; the nearest one up the tree
    /// counts alone. `posed[k]` is the outline of the k-th posed path in canvas space, `looks[k]` how it is painted. Lists that are too
    /// short leave the rest at rest.
    pub fn write_into(
        &self,
        rigid: &[Affine],
        posed: &[BezPath],
        looks: &[Look],
        out: &mut String,
    ) -> Skipped {
        self.write_present_into(rigid, posed, looks, &[], out)
    }

    /// The same where the k-th element whose presence can change has `presences[k]`. What is hidden is left out, with all
    /// that is in it.
    pub fn write_present_into(
        &self,
        rigid: &[Affine],
        posed: &[BezPath],
        looks: &[Look],
        presences: &[Presence],
        out: &mut String,
    ) -> Skipped {
        self.write_given(&Given { rigid, posed, looks, presences }, out)
    }

    /// The same, with all of it in one.
    pub(crate) fn write_given(&self, given: &Given<'_>, out: &mut String) -> Skipped {
        self.write_parts(&self.parts, &self.stage, given, out)
    }

    /// The drawing as walkers draw it, if they can.
    pub(crate) fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.get_or_init(|| walk::plan(self)).as_ref()
    }

    /// Writes some of the parts. `stage` is settled for them.
    pub(crate) fn write_parts(
        &self,
        parts: &[Part],
        stage: &Stage,
        given: &Given<'_>,
        out: &mut String,
    ) -> Skipped {
        out.clear();
        out.reserve(self.text.len().min(parts.len().saturating_mul(4096)));
        let mut skipped = Skipped::default();
        let mut way = Way::default();
        let mut next = 0;
        while let Some(part) = parts.get(next) {
            let at = next;
            next += 1;
            match part {
                Part::Text(range) => out.push_str(&self.text[range.clone()]),
                Part::Tag(tag) => out.push_str(tag),
                Part::Close => out.push_str("</g>"),
                Part::Transform(k) => skipped.rigid += usize::from(!self.write_transform(*k, given, out)),
                Part::Open(k) => {
                    out.push_str("<g");
                    skipped.rigid += usize::from(!self.write_transform(*k, given, out));
                    out.push('>');
                }
                Part::Data(k) => skipped.posed += usize::from(!self.write_data(*k, given, out)),
                Part::Made(k) => out.push_str(&self.paint.ids[*k]),
                Part::Server(k) => self.write_server(*k, given, out),
                Part::Lengths(k) => self.write_lengths(*k, given, out),
                Part::Enter(k) => next = stage.enter(*k, given.presences, out).unwrap_or(next),
                Part::Leave(k) => stage.leave(*k, given.presences, out),
                Part::Siblings(group) => way.shuffle(stage, *group, at, given.presences),
                Part::Sibling(_) => {}
                Part::Region(k) => match self.region_at(*k, given) {
                    Some(numbers) => write_region(numbers, out),
                    None => out.push_str(&self.text[self.cuts.regions[*k].at_rest.clone()]),
                },
            }
            next = way.next(next);
        }
        skipped
    }

    /// Writes a transform attribute, or nothing where none is needed. False if the matrix could not be used.
    fn write_transform(&self, k: usize, given: &Given<'_>, out: &mut String) -> bool {
        let (written, used) = self.transform_at(k, given);
        match written {
            Some(all) => {
                out.push_str(" transform=\"");
                number::write_matrix(all, out);
                out.push('"');
            }
            None => {
                if let Some(at_rest) = &self.rigid[k].at_rest {
                    out.push_str(&self.text[at_rest.clone()]);
                }
            }
        }
        used
    }

    /// Writes the transform of a gradient or pattern.
    fn write_server(&self, k: usize, given: &Given<'_>, out: &mut String) {
        let server = &self.paint.servers[k];
        match self.server_at(k, given) {
            Some(all) => {
                out.push(' ');
                out.push_str(server.name);
                out.push_str("=\"");
                number::write_matrix(all, out);
                out.push('"');
            }
            None => out.push_str(&self.text[server.at_rest.clone()]),
        }
    }

    /// Writes the width of a stroke, or its dashes.
    fn write_lengths(&self, k: usize, given: &Given<'_>, out: &mut String) {
        let lengths = &self.paint.lengths[k];
        match self.lengths_at(k, given) {
            Some(scale) => lengths.write(scale, out),
            None => out.push_str(&self.text[lengths.at_rest.clone()]),
        }
    }

    /// Writes path data. False if the outline could not be used and the one at rest stands instead.
    fn write_data(&self, k: usize, given: &Given<'_>, out: &mut String) -> bool {
        match self.data_at(k, given) {
            Some((to_local, path)) => {
                number::write_path(path, to_local, out);
                true
            }
            None => {
                out.push_str(&self.text[self.posed[k].at_rest.clone()]);
                false
            }
        }
    }
}

/// The space in which the outermost group stands: pixels if the `viewBox` has a group of its own, else canvas space.
fn around_root(normal: &Normal) -> Affine {
    invert(normal.canvas_to_output).unwrap_or(Affine::IDENTITY)
}

/// The inverse, unless the matrix is so flat that turning it back gives noise.
pub(crate) fn invert(affine: Affine) -> Option<Affine> {
    let [a, b, c, d, _, _] = affine.as_coeffs();
    let size = (a * a + b * b).max(c * c + d * d);
    let determinant = affine.determinant().abs();
    // NaN fails the comparison too.
    if determinant > size * 1e-14 { Some(affine.inverse()).filter(|back| back.is_finite()) } else { None }
}

/// The nearest rigid element of every node, itself first.
fn near(normal: &Normal, units: &[(usize, usize)]) -> Vec<Option<usize>> {
    let mut near = vec![None; normal.slots.len()];
    for (k, (first, last)) in units.iter().enumerate() {
        let parent = normal.slots[*first].parent;
        for at in (*first..=*last).filter(|at| normal.slots[*at].parent == parent) {
            near[at].get_or_insert(k);
        }
    }
    for at in 0..near.len() {
        let around = normal.slots[at].parent.and_then(|parent| near[parent]);
        near[at] = near[at].or(around);
    }
    near
}

fn name(art: &Art, id: ElementId) -> String {
    art.element(id).map_or_else(|| format!("element {}", id.index()), |element| element.name())
}

fn slots(art: &Art, ids: &[ElementId]) -> Result<Vec<usize>, TemplateError> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]) {
        return Err(TemplateError::Twice { element: twice, name: name(art, twice) });
    }
    ids.iter()
        .map(|id| {
            art.slot(*id).ok_or_else(|| TemplateError::NotDrawn {
                element: *id,
                name: name(art, *id),
                reason: match art.element(*id).map(|element| &element.state) {
                    Some(ElementState::NotDrawn(reason)) => reason.to_string(),
                    Some(ElementState::Cuts) => "it bounds what other elements show".into(),
                    Some(ElementState::Drawn) | None => "the drawing has no such element".into(),
                },
            })
        })
        .collect()
}
