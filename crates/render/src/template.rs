//! The drawing's SVG text with holes: per frame, matrices and outlines are written into them.
//! Refuses to decide what moves; numbers that no SVG can hold leave the element as it is at rest.

use std::fmt;
use std::ops::Range;

use kurbo::{Affine, BezPath};

use crate::art::{Art, ElementId, ElementState, Normal};
use crate::number;

/// A drawing of which some elements move, ready to be written once per frame.
#[derive(Debug)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
    rigid: Vec<Rigid>,
    posed: Vec<Posed>,
}

/// What the posed text is made of, in order.
#[derive(Debug)]
enum Part {
    /// Bytes of the text at rest.
    Text(Range<usize>),
    /// The transform attribute of a group.
    Transform(usize),
    /// The start tag of a group put around a rigid element.
    Open(usize),
    /// The end tag of such a group.
    Close,
    /// The path data of a posed path.
    Data(usize),
}

#[derive(Debug)]
struct Rigid {
    /// The nearest rigid element around it, by its place in the list.
    outer: Option<usize>,
    /// From the space around the element to canvas space, at rest. None if it cannot be turned back: then nothing of it is seen.
    around_to_canvas: Option<(Affine, Affine)>,
    /// The element's own transform, of which the written one takes the place.
    own: Affine,
    /// Where the text at rest has that transform, if it has one.
    at_rest: Option<Range<usize>>,
}

#[derive(Debug)]
struct Posed {
    /// The nearest rigid element around it or itself.
    inside: Option<usize>,
    /// From canvas space to the path's own space, at rest.
    to_local: Option<Affine>,
    /// The data at rest.
    at_rest: Range<usize>,
}

/// How many elements stayed as they are at rest, because their numbers were not finite, were huge, or could not be turned back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Rigid elements.
    pub rigid: usize,
    /// Posed paths.
    pub posed: usize,
}

/// Why an element cannot move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// The element is not drawn in its own place, or the drawing has no such element.
    NotDrawn {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// Only paths have an outline to pose.
    NotAPath {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
    },
    /// The element is in one of the lists twice.
    Twice {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDrawn { name, reason, .. } => write!(f, "“{name}” cannot move: {reason}"),
            Self::NotAPath { name, .. } => {
                write!(f, "“{name}” is not a path or a shape, so it has no outline to bend")
            }
            Self::Twice { name, .. } => write!(f, "“{name}” is bound twice in the same way"),
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Makes holes for the given elements. `rigid` elements move by a matrix, `posed` paths get a new outline; a path may be both.
    ///
    /// # Errors
    /// If an element is not drawn in its own place, is listed twice, or is posed but not a path.
    pub fn new(art: &Art, rigid: &[ElementId], posed: &[ElementId]) -> Result<Self, TemplateError> {
        let normal = art.normal();
        let rigid_slots = slots(art, rigid)?;
        let posed_slots = slots(art, posed)?;
        let units: Vec<(usize, usize)> = rigid_slots.iter().map(|slot| normal.unit(*slot)).collect();
        let nearest = |slot: usize, except: Option<usize>| {
            normal.ancestors(slot).find_map(|at| {
                units.iter().enumerate().position(|(k, (first, last))| {
                    Some(k) != except
                        && (*first..=*last).contains(&at)
                        && normal.slots[*first].parent == normal.slots[at].parent
                })
            })
        };

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
                outer: slot.parent.and_then(|parent| nearest(parent, Some(k))),
                around_to_canvas: invert(around).map(|back| (around, back)),
                own: if in_place { slot.own } else { Affine::IDENTITY },
                at_rest: if in_place { slot.transform.clone() } else { None },
            });
        }
        let mut posed_parts = Vec::with_capacity(posed.len());
        for (k, (slot, id)) in posed_slots.iter().zip(posed).enumerate() {
            let at = normal.slots[*slot].data.clone().filter(|_| art.outline(*id).is_some());
            let Some(at_rest) = at else {
                return Err(TemplateError::NotAPath { element: *id, name: name(art, *id) });
            };
            holes.push((at_rest.clone(), Part::Data(k)));
            posed_parts.push(Posed {
                inside: nearest(*slot, None),
                to_local: invert(normal.slots[*slot].to_canvas),
                at_rest,
            });
        }
        Ok(Self {
            parts: parts(&normal.text, holes),
            text: normal.text.clone(),
            rigid: rigid_parts,
            posed: posed_parts,
        })
    }

    /// How many rigid elements and posed paths a frame gives.
    pub fn counts(&self) -> (usize, usize) {
        (self.rigid.len(), self.posed.len())
    }

    /// Writes the posed drawing: one SVG document, with the author's groups and ids.
    ///
    /// `rigid[k]` is the matrix in canvas space that moves the k-th rigid element away from its place at rest; the nearest one up the tree
    /// counts alone. `posed[k]` is the outline of the k-th posed path in canvas space. Lists that are too short leave the rest at rest.
    pub fn write_into(&self, rigid: &[Affine], posed: &[BezPath], out: &mut String) -> Skipped {
        out.clear();
        out.reserve(self.text.len());
        let mut skipped = Skipped::default();
        for part in &self.parts {
            match part {
                Part::Text(range) => out.push_str(&self.text[range.clone()]),
                Part::Close => out.push_str("</g>"),
                Part::Transform(k) => skipped.rigid += usize::from(!self.write_transform(*k, rigid, out)),
                Part::Open(k) => {
                    out.push_str("<g");
                    skipped.rigid += usize::from(!self.write_transform(*k, rigid, out));
                    out.push('>');
                }
                Part::Data(k) => skipped.posed += usize::from(!self.write_data(*k, rigid, posed, out)),
            }
        }
        skipped
    }

    /// Writes a transform attribute, or nothing where none is needed. False if the matrix could not be used.
    fn write_transform(&self, k: usize, matrices: &[Affine], out: &mut String) -> bool {
        let part = &self.rigid[k];
        let moved = self.moved(k, matrices);
        let outer = part.outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, matrices));
        let written = match (moved, outer) {
            (Some(moved), Some(outer)) if moved == outer => None,
            (Some(moved), Some(outer)) => part.around_to_canvas.and_then(|(around, back)| {
                // A^-1 M_outer^-1 M A T, with A the space around the element and T its own transform.
                Some(back * invert(outer)? * moved * around * part.own)
                    .filter(|all| number::is_writable(*all))
            }),
            _ => None,
        };
        match written {
            Some(all) => {
                out.push_str(" transform=\"");
                number::write_matrix(all, out);
                out.push('"');
            }
            None => {
                if let Some(at_rest) = &part.at_rest {
                    out.push_str(&self.text[at_rest.clone()]);
                }
            }
        }
        written.is_some() || (moved.is_some() && moved == outer && matrices.get(k) == moved.as_ref())
    }

    /// The matrix that a rigid element really moves by. One that cannot be used moves as what is around it does.
    fn moved(&self, k: usize, matrices: &[Affine]) -> Option<Affine> {
        match matrices.get(k) {
            Some(matrix) if number::is_writable(*matrix) => Some(*matrix),
            _ => self.rigid[k].outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, matrices)),
        }
    }

    /// Writes path data. False if the outline could not be used and the one at rest stands instead.
    fn write_data(&self, k: usize, matrices: &[Affine], posed: &[BezPath], out: &mut String) -> bool {
        let part = &self.posed[k];
        let moved = part.inside.map_or(Some(Affine::IDENTITY), |inside| self.moved(inside, matrices));
        // (M_outer A)^-1: from canvas space back under the matrix that moves what is around the path.
        let to_local = moved.and_then(|moved| Some(part.to_local? * invert(moved)?));
        match (to_local, posed.get(k)) {
            (Some(to_local), Some(path)) if number::is_path_writable(path, to_local) => {
                number::write_path(path, to_local, out);
                true
            }
            _ => {
                out.push_str(&self.text[part.at_rest.clone()]);
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
fn invert(affine: Affine) -> Option<Affine> {
    let [a, b, c, d, _, _] = affine.as_coeffs();
    let size = (a * a + b * b).max(c * c + d * d);
    let determinant = affine.determinant().abs();
    // NaN fails the comparison too.
    if determinant > size * 1e-14 { Some(affine.inverse()).filter(|back| back.is_finite()) } else { None }
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
                    Some(ElementState::Drawn) | None => "the drawing has no such element".into(),
                },
            })
        })
        .collect()
}

/// The text between the holes, and the holes.
fn parts(text: &str, mut holes: Vec<(Range<usize>, Part)>) -> Vec<Part> {
    // Inner groups open after and close before outer ones. Equal places: closing comes first.
    holes.sort_by_key(|(range, part)| (range.start, range.end, !matches!(part, Part::Close)));
    let mut parts = Vec::with_capacity(holes.len() * 2 + 1);
    let mut at = 0;
    for (range, part) in holes {
        parts.push(Part::Text(at..range.start));
        at = range.end;
        parts.push(part);
    }
    parts.push(Part::Text(at..text.len()));
    parts
}
